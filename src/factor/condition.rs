//! An estimate of the 1-norm of an inverse that is only known through products with it.

use super::factors::SolveKind;

/// A lower bound of ‖A⁻¹‖₁, nearly always within a factor of three and often exact. `x` has one value for each row of A and is
/// overwritten.
///
/// `solve` replaces x by A⁻¹x or A⁻ᵀx; it is called at most ten times. The method is by W. W. Hager (SIAM J. Sci. Stat. Comput. 5,
/// 1984, 311–316), refined by N. J. Higham (ACM Trans. Math. Softw. 14, 1988, 381–396, algorithm 2.4). LAPACK has the same.
///
/// # Errors
/// The first error of a solve.
pub(crate) fn inverse_norm<E>(
    x: &mut [f64],
    mut solve: impl FnMut(&mut [f64], SolveKind) -> Result<(), E>,
) -> Result<f64, E> {
    /// The largest number of solves with A⁻¹ in the search; it seldom needs them all.
    const MOST: usize = 5;
    let size = x.len();
    x.fill(1.0 / size as f64);
    solve(x, SolveKind::Inverse)?;
    let mut norm = one_norm(x);
    if size == 1 {
        return Ok(norm);
    }
    // The last index with the largest slope of ‖A⁻¹x‖₁.
    let mut last = usize::MAX;
    for _ in 1..MOST {
        x.iter_mut().for_each(|x| *x = 1.0_f64.copysign(*x));
        solve(x, SolveKind::Transposed)?;
        let (steepest, _) = x
            .iter()
            .enumerate()
            .fold((0, 0.0), |best, (i, x)| if x.abs() > best.1 { (i, x.abs()) } else { best });
        if steepest == last {
            break;
        }
        last = steepest;
        x.fill(0.0);
        x[steepest] = 1.0;
        solve(x, SolveKind::Inverse)?;
        let found = one_norm(x);
        if found <= norm {
            break;
        }
        norm = found;
    }
    // This vector finds large columns that cancellation may have hidden from the search.
    for (i, x) in x.iter_mut().enumerate() {
        let magnitude = 1.0 + i as f64 / (size - 1) as f64;
        *x = if i % 2 == 0 { magnitude } else { -magnitude };
    }
    solve(x, SolveKind::Inverse)?;
    Ok(norm.max(2.0 * one_norm(x) / (3.0 * size as f64)))
}

fn one_norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x.abs()).sum()
}
