//! Inverse and largest eigenvalue of symmetric matrices of up to six rows.
#![forbid(unsafe_code)]

use super::{Block, largest, length};

/// The largest number of rows.
pub const MOST_ROWS: usize = 6;

const MOST: usize = MOST_ROWS * MOST_ROWS;

/// Write the inverse of a symmetric n × n matrix, symmetric to the bit. All entries are NaN if the matrix is singular to working precision.
#[inline]
pub fn invert(n: usize, w: &[f64], inverse: &mut [f64]) {
    if let ([w], [inverse]) = (w, &mut *inverse) {
        let value = 1.0 / w;
        *inverse = if value.is_finite() && *w != 0.0 { value } else { f64::NAN };
    } else if !invert_any(n, w, inverse) {
        inverse.fill(f64::NAN);
    }
}

/// Invert by Gauss–Jordan elimination; false if the matrix is singular. It is scaled to a unit diagonal, since rows may have different
/// units, such as forces and torques.
fn invert_any(n: usize, w: &[f64], inverse: &mut [f64]) -> bool {
    const HOPELESS: f64 = 1.0 / (64.0 * f64::EPSILON);
    let (mut a, mut x, mut unit) = ([0.0; MOST], [0.0; MOST], [1.0; MOST_ROWS]);
    let (a, x) = (&mut a[..n * n], &mut x[..n * n]);
    for (i, unit) in unit[..n].iter_mut().enumerate() {
        match w[n * i + i].abs() {
            0.0 => {}
            own => *unit = 1.0 / own.sqrt(),
        }
        x[n * i + i] = 1.0;
    }
    for (j, column) in a.chunks_exact_mut(n).enumerate() {
        column.iter_mut().enumerate().for_each(|(i, a)| *a = w[n * j + i] * unit[i] * unit[j]);
    }
    let size = largest(a);
    for k in 0..n {
        let pivot =
            (k..n).fold(k, |best, i| if a[n * k + i].abs() > a[n * k + best].abs() { i } else { best });
        if a[n * k + pivot] == 0.0 {
            return false;
        }
        for j in 0..n {
            a.swap(n * j + k, n * j + pivot);
            x.swap(n * j + k, n * j + pivot);
        }
        let own = a[n * k + k];
        for j in 0..n {
            a[n * j + k] /= own;
            x[n * j + k] /= own;
        }
        for i in (0..n).filter(|&i| i != k) {
            let factor = a[n * k + i];
            for j in 0..n {
                a[n * j + i] -= factor * a[n * j + k];
                x[n * j + i] -= factor * x[n * j + k];
            }
        }
    }
    let product = size * largest(x);
    if product.is_nan() || product > HOPELESS {
        return false;
    }
    for j in 0..n {
        for i in 0..=j {
            let value = 0.5 * (x[n * j + i] + x[n * i + j]) * unit[i] * unit[j];
            (inverse[n * j + i], inverse[n * i + j]) = (value, value);
        }
    }
    inverse.iter().all(|value| value.is_finite())
}

/// The largest eigenvalue of a symmetric n × n matrix; NaN if the computation fails.
pub fn largest_eigenvalue(n: usize, w: &[f64]) -> f64 {
    match w {
        [value] => *value,
        [a, b, _, c] => {
            // In this unit squares neither overflow nor underflow.
            let unit = largest(w).max(f64::MIN_POSITIVE);
            0.5 * (a + c) + unit * length(0.5 * (a - c) / unit, b / unit)
        }
        _ => match <&Block>::try_from(w) {
            Ok(w) => super::largest_eigenvalue(w).unwrap_or(f64::NAN),
            Err(_) => by_rotations(n, w),
        },
    }
}

/// The largest eigenvalue by Jacobi's method: each rotation makes one off-diagonal entry zero.
fn by_rotations(n: usize, w: &[f64]) -> f64 {
    const SWEEPS: usize = 30;
    let mut a = [0.0; MOST];
    a[..n * n].copy_from_slice(w);
    let norm = largest(w);
    for _ in 0..SWEEPS {
        let mut rest = 0.0;
        for q in 1..n {
            for p in 0..q {
                let off = a[n * q + p];
                rest = f64::max(rest, off.abs());
                if off.abs() <= f64::EPSILON * f64::EPSILON * norm {
                    continue;
                }
                let theta = (a[n * q + q] - a[n * p + p]) / (2.0 * off);
                let t = theta.signum() / (theta.abs() + length(theta, 1.0));
                let c = 1.0 / length(t, 1.0);
                let s = t * c;
                for k in 0..n {
                    let (one, other) = (a[n * p + k], a[n * q + k]);
                    (a[n * p + k], a[n * q + k]) = (c * one - s * other, s * one + c * other);
                }
                for k in 0..n {
                    let (one, other) = (a[n * k + p], a[n * k + q]);
                    (a[n * k + p], a[n * k + q]) = (c * one - s * other, s * one + c * other);
                }
            }
        }
        if rest <= f64::EPSILON * norm {
            return (0..n).fold(f64::NEG_INFINITY, |most, i| most.max(a[n * i + i]));
        }
    }
    f64::NAN
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::DMatrix;

    /// A symmetric matrix with these eigenvalues and irregular vectors.
    fn with_eigenvalues(values: &[f64]) -> DMatrix<f64> {
        let n = values.len();
        let q = DMatrix::from_fn(n, n, |i, j| ((7 * i + 3 * j * j + 1) as f64).sin()).qr().q();
        let w = &q * DMatrix::from_diagonal(&values.to_vec().into()) * q.transpose();
        DMatrix::from_fn(n, n, |i, j| w[(i.min(j), i.max(j))])
    }

    #[test]
    fn inverses_and_eigenvalues_are_those_of_dense_matrices() {
        for n in 1..=MOST_ROWS {
            for spread in [1.0, 10.0, 100.0] {
                let values: Vec<f64> =
                    (0..n).map(|k| 0.5 * f64::powi(spread, k as i32 / 2) + k as f64).collect();
                let w = with_eigenvalues(&values);
                let mut inverse = vec![0.0; n * n];
                invert(n, w.as_slice(), &mut inverse);
                let inverse = DMatrix::from_vec(n, n, inverse);
                let rest = (&w * &inverse - DMatrix::identity(n, n)).abs().max();
                assert!(rest < 1e-12 * f64::powi(spread, 3), "{n} {spread}: {rest}");
                assert_eq!(inverse, inverse.transpose());
                let expected = values.iter().copied().fold(0.0, f64::max);
                for unit in [1.0, 1e-200, 1e200] {
                    let largest = largest_eigenvalue(n, (&w * unit).as_slice()) / unit;
                    assert!(
                        (largest - expected).abs() < 1e-14 * 10.0 * expected,
                        "{n}, {unit}: {largest} {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn units_do_not_make_a_matrix_singular_and_dependent_rows_do() {
        for n in [1, 2, 4, 5, 6] {
            let w = with_eigenvalues(&vec![2.0; n])
                + with_eigenvalues(&(0..n).map(|k| k as f64).collect::<Vec<_>>());
            let units: Vec<f64> = (0..n).map(|k| f64::powi(1e-6, k as i32)).collect();
            let scaled = DMatrix::from_fn(n, n, |i, j| w[(i, j)] * units[i] * units[j]);
            let mut inverse = vec![0.0; n * n];
            invert(n, scaled.as_slice(), &mut inverse);
            assert!(inverse.iter().all(|value| value.is_finite()), "{n}");
            let mut values = vec![1.0; n];
            values[0] = 0.0;
            invert(n, with_eigenvalues(&values).as_slice(), &mut inverse);
            assert!(inverse.iter().all(|value| value.is_nan()), "{n}");
            invert(n, &vec![0.0; n * n], &mut inverse);
            assert!(inverse.iter().all(|value| value.is_nan()), "{n}");
        }
    }
}
