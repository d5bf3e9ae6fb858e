//! The order of components, known at compile time.

/// The indices of normal and tangents among three components.
pub trait Axes: Copy {
    /// The normal.
    const N: usize;
    /// The first tangent.
    const S: usize;
    /// The second tangent.
    const T: usize;
}

/// The normal comes first.
#[derive(Clone, Copy, Debug)]
pub struct NormalFirst;

/// The normal comes third.
#[derive(Clone, Copy, Debug)]
pub struct NormalThird;

impl Axes for NormalFirst {
    const N: usize = 0;
    const S: usize = 1;
    const T: usize = 2;
}

impl Axes for NormalThird {
    const N: usize = 2;
    const S: usize = 0;
    const T: usize = 1;
}
