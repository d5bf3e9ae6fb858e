//! Mean, least and largest diagonal entry of W.

use super::rows::LocalDynamics;

/// Mean over the diagonal entries of all rows; NaN if there are none.
pub fn mean(dynamics: &LocalDynamics) -> f64 {
    let (sum, count) = entries(dynamics).fold((0.0, 0.0), |(sum, count), entry| (sum + entry, count + 1.0));
    sum / count
}

/// The least diagonal entry; the largest finite number if there are none.
pub fn least(dynamics: &LocalDynamics) -> f64 {
    entries(dynamics).fold(f64::MAX, f64::min)
}

/// The largest diagonal entry; 0 if there are none.
pub fn largest(dynamics: &LocalDynamics) -> f64 {
    entries(dynamics).fold(0.0, f64::max)
}

fn entries(dynamics: &LocalDynamics) -> impl Iterator<Item = f64> {
    // SAFETY: nobody changes the list meanwhile, and it holds live rows.
    unsafe { dynamics.list() }.flat_map(|row| [0, 4, 8].map(|k| unsafe { (*row).public.W[k] }))
}
