//! Operators H that are given entry by entry, for bodies whose kinematics are known to the caller alone.

use std::collections::TryReserveError;

use crate::block::Vector;

/// An operator H of three rows, 3 × n, without its columns that are zero.
#[derive(Debug)]
pub struct Operator {
    dofs: usize,
    columns: Vec<Column>,
}

/// A column of an operator.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Which one.
    pub index: u32,
    /// Its values.
    pub values: Vector,
}

impl Operator {
    /// Of `dofs` columns those are given that may not be zero, ascending.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn new(
        dofs: u32,
        columns: impl Iterator<Item = (u32, Vector)> + Clone,
    ) -> Result<Self, TryReserveError> {
        let mut kept = Vec::new();
        kept.try_reserve_exact(columns.clone().filter(|(_, values)| *values != [0.0; 3]).count())?;
        for (index, values) in columns {
            if values != [0.0; 3] {
                kept.push(Column { index, values });
            }
        }
        Ok(Self { dofs: dofs as usize, columns: kept })
    }

    /// Number of columns.
    pub fn dofs(&self) -> usize {
        self.dofs
    }

    /// The columns that are not zero, ascending.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// Add `sign` H to `h`, 3 × n, column-major.
    #[inline(always)]
    pub fn add_to(&self, sign: f64, h: &mut [f64]) {
        for Column { index, values } in &self.columns {
            let h = &mut h[3 * *index as usize..][..3];
            h.iter_mut().zip(values).for_each(|(h, value)| *h += sign * value);
        }
    }

    /// H u.
    pub fn times(&self, u: &[f64]) -> Vector {
        self.sum(u, |h, u| h * u)
    }

    /// |H| |u|, absolute values entry by entry.
    pub fn times_magnitude(&self, u: &[f64]) -> Vector {
        self.sum(u, |h, u| (h * u).abs())
    }

    /// Add Hᵀ x to `force`.
    pub fn add_transposed_times(&self, x: &Vector, force: &mut [f64]) {
        for Column { index, values } in &self.columns {
            let force = &mut force[*index as usize];
            values.iter().zip(x).for_each(|(h, x)| *force += h * x);
        }
    }

    #[inline(always)]
    fn sum(&self, u: &[f64], product: impl Fn(f64, f64) -> f64) -> Vector {
        let mut sum = [0.0; 3];
        for Column { index, values } in &self.columns {
            let u = u[*index as usize];
            sum.iter_mut().zip(values).for_each(|(sum, h)| *sum += product(*h, u));
        }
        sum
    }
}
