//! An estimate of the 1-norm of an inverse that is only known through products with it.

use crate::factors::Solve;

/// A lower bound, nearly always within a factor of three and often exact, of ‖A⁻¹‖₁ for a matrix with as many
/// rows as `x`, which is overwritten.
///
/// `solve` replaces x by A⁻¹x or A⁻ᵀx; at most ten solves are made. The method is that of W. W. Hager (SIAM
/// J. Sci. Stat. Comput. 5, 1984, 311–316) as refined by N. J. Higham (ACM Trans. Math. Softw. 14, 1988,
/// 381–396, algorithm 2.4), the one of LAPACK.
///
/// # Errors
/// The first error of a solve.
pub(crate) fn inverse_norm<E>(
    x: &mut [f64],
    mut solve: impl FnMut(&mut [f64], Solve) -> Result<(), E>,
) -> Result<f64, E> {
    /// Solves with A⁻¹ after which the search ends; it seldom gets so far.
    const MOST: usize = 5;
    let size = x.len();
    x.fill(1.0 / size as f64);
    solve(x, Solve::Inverse)?;
    let mut norm = one_norm(x);
    if size == 1 {
        return Ok(norm);
    }
    // Where the largest slope of ‖A⁻¹x‖₁ was found last.
    let mut last = usize::MAX;
    for _ in 1..MOST {
        x.iter_mut().for_each(|x| *x = 1.0_f64.copysign(*x));
        solve(x, Solve::Transposed)?;
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
        solve(x, Solve::Inverse)?;
        let found = one_norm(x);
        if found <= norm {
            break;
        }
        norm = found;
    }
    // A vector that catches what cancellation may have hidden from the search.
    for (i, x) in x.iter_mut().enumerate() {
        let magnitude = 1.0 + i as f64 / (size - 1) as f64;
        *x = if i % 2 == 0 { magnitude } else { -magnitude };
    }
    solve(x, Solve::Inverse)?;
    Ok(norm.max(2.0 * one_norm(x) / (3.0 * size as f64)))
}

fn one_norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x.abs()).sum()
}
