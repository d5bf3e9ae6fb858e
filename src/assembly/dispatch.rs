//! The instructions that the machine has.

/// Run `work` with what is inlined into it compiled for the vector instructions that the machine has (AVX2 and its like,
/// found out once), else for those that all have.
///
/// Products and sums are never fused, so the results have the same bits on all machines.
#[inline(always)]
pub fn dispatch<R>(work: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(Work(work))
}

struct Work<F>(F);

impl<R, F: FnOnce() -> R> pulp::WithSimd for Work<F> {
    type Output = R;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> R {
        (self.0)()
    }
}
