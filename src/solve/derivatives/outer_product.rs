//! The derivative by W.

use crate::rows::BlockRows;
use crate::rows::fault::{Error, check_size};

/// Write the blocks of x yᵀ in the pattern of W, as [`BlockRows::values`] has them: with x = ∂L/∂B and y = R they are ∂L/∂W.
///
/// # Errors
/// If an array has the wrong length. Nothing is written then.
pub fn outer_product(w: &BlockRows, x: &[f64], y: &[f64], values: &mut [f64]) -> Result<(), Error> {
    check_size("x", w.scalar_count(), x.len())?;
    check_size("y", w.scalar_count(), y.len())?;
    check_size("values", w.values().len(), values.len())?;
    let mut rest = values;
    for row in 0..w.len() {
        let own = &x[w.scalars(row)];
        for &column in &w.columns()[w.blocks(row)] {
            for &y in &y[w.scalars(column as usize)] {
                let (to, others) = rest.split_at_mut(own.len());
                to.iter_mut().zip(own).for_each(|(to, x)| *to = x * y);
                rest = others;
            }
        }
    }
    Ok(())
}
