//! 3×3 blocks, column-major: `b[3 * j + i]` is entry (i, j).
#![forbid(unsafe_code)]

mod cubic;
mod eigenvalue;
pub mod elimination;
mod inverse;
pub mod lanczos;
pub mod orthogonal;
pub mod powers;
mod real;
pub mod simd;
pub mod small_symmetric;

pub use eigenvalue::{largest_eigenvalue, largest_eigenvalues};
pub use inverse::{inverse, inverse_positive_definite, inverse_symmetric, solve};
pub use real::Real;

/// A 3×3 block, column-major.
pub type Block = [f64; 9];

/// A 3-vector.
pub type Vector = [f64; 3];

/// The unit matrix.
pub(crate) const UNIT: Block = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// The transpose of `b`.
#[inline(always)]
pub fn transposed(b: &Block) -> Block {
    [b[0], b[3], b[6], b[1], b[4], b[7], b[2], b[5], b[8]]
}

/// The symmetric block with the entries (0, 0), (1, 0), (2, 0), (1, 1), (2, 1), (2, 2).
#[inline(always)]
pub fn symmetric([b00, b10, b20, b11, b21, b22]: [f64; 6]) -> Block {
    [b00, b10, b20, b10, b11, b21, b20, b21, b22]
}

/// `b` with the lower triangle copied to the upper.
pub fn mirrored(b: &Block) -> Block {
    symmetric([b[0], b[1], b[2], b[4], b[5], b[8]])
}

/// `b x`.
#[inline(always)]
pub fn times(b: &Block, x: &Vector) -> Vector {
    [
        b[0] * x[0] + b[3] * x[1] + b[6] * x[2],
        b[1] * x[0] + b[4] * x[1] + b[7] * x[2],
        b[2] * x[0] + b[5] * x[1] + b[8] * x[2],
    ]
}

/// `bᵀ x`: the components of x in the axes that are the columns of an orthogonal b.
#[inline(always)]
pub fn transposed_times(b: &Block, x: &Vector) -> Vector {
    [
        b[0] * x[0] + b[1] * x[1] + b[2] * x[2],
        b[3] * x[0] + b[4] * x[1] + b[5] * x[2],
        b[6] * x[0] + b[7] * x[1] + b[8] * x[2],
    ]
}

/// The block with the given columns.
#[inline(always)]
pub fn of_columns([x, y, z]: [Vector; 3]) -> Block {
    [x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]]
}

/// `aᵀ b`.
#[inline(always)]
pub fn transposed_product(a: &Block, b: &Block) -> Block {
    let column = |j: usize| transposed_times(a, &[b[j], b[j + 1], b[j + 2]]);
    of_columns([column(0), column(3), column(6)])
}

/// The deviation of the columns of `b` from orthonormal ones: the largest magnitude of an entry of bᵀ b − 1.
pub fn deviation_from_orthonormal(b: &Block) -> f64 {
    let square = transposed_product(b, b);
    let entries = square.iter().enumerate().map(|(k, x)| (x - if k % 4 == 0 { 1.0 } else { 0.0 }).abs());
    entries.fold(0.0, f64::max)
}

/// An orthonormal frame whose third column has the direction of `normal`: T. Duff et al., "Building an orthonormal basis, revisited",
/// Journal of Computer Graphics Techniques 6 (2017). `None` if the normal is zero or not finite.
pub fn frame_from_normal(normal: &Vector) -> Option<Block> {
    // Scaled first, so that squares neither overflow nor vanish.
    let scale = largest(normal);
    let scaled = normal.map(|x| x / scale);
    let length = dot(&scaled, &scaled).sqrt();
    let [x, y, z] = scaled.map(|x| x / length);
    let sign = if z < 0.0 { -1.0 } else { 1.0 };
    let a = -1.0 / (sign + z);
    let b = x * y * a;
    let columns = [[1.0 + sign * x * x * a, sign * b, -sign * x], [b, sign + y * y * a, -y], [x, y, z]];
    let frame = of_columns(columns);
    is_finite(&frame).then_some(frame)
}

/// `xᵀ b x`.
#[inline(always)]
pub fn quadratic_form(b: &Block, x: &Vector) -> f64 {
    dot(x, &times(b, x))
}

/// `x · y`.
#[inline(always)]
pub fn dot(x: &Vector, y: &Vector) -> f64 {
    x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
}

/// `x × y`.
#[inline(always)]
pub fn cross(x: &Vector, y: &Vector) -> Vector {
    [x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]]
}

/// `x + y`.
#[inline(always)]
pub fn sum(x: &Vector, y: &Vector) -> Vector {
    [x[0] + y[0], x[1] + y[1], x[2] + y[2]]
}

/// `x − y`.
#[inline(always)]
pub fn difference(x: &Vector, y: &Vector) -> Vector {
    [x[0] - y[0], x[1] - y[1], x[2] - y[2]]
}

/// The length of a vector in the plane. It does not use the C library's `hypot`, whose bits differ between systems.
#[inline(always)]
pub fn length(x: f64, y: f64) -> f64 {
    (x * x + y * y).sqrt()
}

/// The largest magnitude; 0 if there are no values.
pub fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, value| f64::max(largest, value.abs()))
}

/// Copy a few values, most often one, three or nine, without a call of memcpy.
///
/// # Panics
/// If the lengths differ.
#[inline(always)]
pub fn copy_few(from: &[f64], to: &mut [f64]) {
    assert!(from.len() == to.len());
    if let ([from], [to]) = (from, &mut *to) {
        *to = *from;
    } else if let (Ok(from), Ok(to)) = (<&Vector>::try_from(from), <&mut Vector>::try_from(&mut *to)) {
        *to = *from;
    } else if let (Ok(from), Ok(to)) = (<&Block>::try_from(from), <&mut Block>::try_from(&mut *to)) {
        *to = *from;
    } else {
        to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
    }
}

/// Whether every value is finite.
#[inline(always)]
pub fn is_finite(values: &[f64]) -> bool {
    // Only the largest exponent carries into the sign bit. There are no branches and no comparisons, so the loop can use SIMD.
    const EXPONENT: u64 = f64::INFINITY.to_bits();
    const ONE: u64 = EXPONENT & EXPONENT.wrapping_neg();
    values.iter().fold(0, |all, value| all | ((value.to_bits() & EXPONENT) + ONE)) >> 63 == 0
}

/// Whether one of the values is −0.
#[cfg(test)]
pub(crate) fn has_negative_zero(values: &[f64]) -> bool {
    values.iter().any(|value| value.to_bits() == (-0.0_f64).to_bits())
}

#[cfg(test)]
mod tests;
