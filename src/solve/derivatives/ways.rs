//! The equations of changes and the transposed ones: from changes of data to changes of forces, and from derivatives by forces and
//! velocities to those by data.

use crate::math::{Vector, times, transposed, transposed_times};
use crate::memory::{self, refill};
use crate::rows::fault::{Error, Fault};
use crate::rows::pattern::range;
use crate::solve::state::State;

use super::law_change::LawChange;
use super::pattern::NONE;
use super::{Derivatives, Fit};

/// The equations of changes, or the transposed ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Forward,
    Adjoint,
}

/// Vectors of a call.
#[derive(Debug, Default)]
pub struct Vectors {
    /// Of forces, in scaled units.
    pub y: Vec<Vector>,
    /// Of velocities.
    pub v: Vec<Vector>,
    pub product: Vec<Vector>,
    /// Unknowns of the equations.
    pub x: Vec<Vector>,
}

impl Derivatives {
    /// Factor the equations of one way, unless they have factors.
    pub(super) fn factorize(&mut self, way: Way) -> Result<(), Error> {
        if self.is_factored[way as usize] || self.rows.is_empty() {
            return Ok(());
        }
        let Self { matrix, laws, pattern, equations, state: State { roots, .. }, .. } = self;
        let w = matrix.rows();
        let block_of = |(row, column): (usize, usize), block: u32| {
            let (row, column) = (pattern.rows[row] as usize, pattern.rows[column] as usize);
            let law = &laws[row];
            let mut sum = [0.0; 9];
            if block != NONE {
                let scale = 1.0 / (roots[row] * roots[column]);
                let w = w.values[block as usize].map(|x| x * scale);
                (0..3).for_each(|j| {
                    let of_column = times(&law.velocity, &[w[3 * j], w[3 * j + 1], w[3 * j + 2]]);
                    sum[3 * j..3 * j + 3].copy_from_slice(&of_column);
                });
            }
            if row == column {
                sum.iter_mut().zip(&law.force).for_each(|(sum, x)| *sum += x);
            } else if row == column + 1 {
                sum.iter_mut().zip(&law.pull).for_each(|(sum, x)| *sum += x);
            }
            sum
        };
        let entries =
            (0..pattern.rows.len()).flat_map(|row| range(&pattern.starts, row).map(move |k| (row, k)));
        let blocks = entries.map(|(row, k)| {
            let column = pattern.columns[k] as usize;
            match way {
                Way::Forward => block_of((row, column), pattern.blocks[k]),
                Way::Adjoint => {
                    let mirrored = pattern.blocks[pattern.mirrored[k] as usize];
                    transposed(&block_of((column, row), mirrored))
                }
            }
        });
        let is_done = equations[way as usize].factorize(&mut matrix.team(), pattern, blocks)?;
        ensure!(is_done, Error::of_rows(Fault::NotFinite("a derivative of the forces")));
        self.is_factored[way as usize] = true;
        Ok(())
    }

    pub(super) fn make_room(&mut self) -> memory::Result {
        let rows = self.rows.len();
        let Vectors { y, v, product, x } = &mut self.work;
        refill(y, rows, [0.0; 3])?;
        refill(v, rows, [0.0; 3])?;
        refill(product, rows, [0.0; 3])?;
        refill(x, self.pattern.rows.len(), [0.0; 3])
    }

    /// Compute the scaled changes of forces, and of velocities without the change of B.
    pub(super) fn change(&mut self, velocities: &[f64], changes: Option<&[LawChange]>) -> Fit {
        let Self { matrix, laws, pattern, equations, work, places, rows, state, .. } = self;
        let (Vectors { y, v, product, x }, roots) = (work, &state.roots);
        let none = LawChange::default();
        // The constants of all laws, and the changes of velocities without forces.
        if let Some(changes) = changes {
            for (row, (y, law)) in y.iter_mut().zip(&*laws).enumerate() {
                *y = changes[rows[row] as usize].of_numbers(law, self.is_of_moments[row]);
            }
        }
        for (scalar, &velocity) in velocities.iter().enumerate() {
            let (row, lane) = places.of(scalar);
            let own = rows[row] as usize;
            let component = scalar - self.starts[own] as usize;
            let change = changes.map_or(&none, |changes| &changes[own]);
            v[row][lane] = (velocity + change.bias[component]) / roots[row];
            y[row][lane] -= roots[row] * change.of_bound(laws[row].bounds[lane], component);
        }
        for (&row, x) in pattern.rows.iter().zip(&mut *x) {
            *x = std::mem::take(&mut y[row as usize]).map(|constant| -constant);
        }
        y.iter_mut().for_each(|y| *y = y.map(|constant| -constant));
        matrix.multiply(y, roots, product);
        for (&row, x) in pattern.rows.iter().zip(&mut *x) {
            let row = row as usize;
            let v = std::array::from_fn(|i| v[row][i] + product[row][i]);
            let made = times(&laws[row].velocity, &v);
            (0..3).for_each(|i| x[i] -= made[i]);
        }
        let equations = &mut equations[Way::Forward as usize];
        let outside = equations.solve(&mut matrix.team(), pattern, x);
        for (&row, x) in pattern.rows.iter().zip(&*x) {
            y[row as usize] = *x;
        }
        matrix.multiply(y, roots, v);
        Fit { is_singular: equations.is_singular(), outside }
    }

    /// Compute the multipliers of all laws, λ, in `y` and Vᵀ λ in `product`.
    pub(super) fn multipliers(&mut self, by_forces: Option<&[f64]>, by_velocities: Option<&[f64]>) -> Fit {
        let Self { matrix, laws, pattern, equations, work, places, state, .. } = self;
        let (Vectors { y, v, product, x }, roots) = (work, &state.roots);
        for scalar in 0..places.of_scalars.len() {
            let (row, lane) = places.of(scalar);
            v[row][lane] = by_velocities.map_or(0.0, |by| by[scalar] * roots[row]);
        }
        matrix.multiply_transposed(v, roots, y);
        for (scalar, &by) in by_forces.unwrap_or_default().iter().enumerate() {
            let (row, lane) = places.of(scalar);
            y[row][lane] += by / roots[row];
        }
        for (&row, x) in pattern.rows.iter().zip(&mut *x) {
            *x = y[row as usize];
        }
        let equations = &mut equations[Way::Adjoint as usize];
        let outside = equations.solve(&mut matrix.team(), pattern, x);
        for (&row, x) in pattern.rows.iter().zip(&*x) {
            product[row as usize] = transposed_times(&laws[row as usize].velocity, x);
        }
        // Rows of the pattern have multipliers of their own.
        if x.len() < y.len() {
            matrix.multiply_transposed(product, roots, v);
            y.iter_mut().zip(&*v).for_each(|(y, v)| (0..3).for_each(|i| y[i] -= v[i]));
        }
        for (&row, x) in pattern.rows.iter().zip(&*x) {
            y[row as usize] = *x;
        }
        Fit { is_singular: equations.is_singular(), outside }
    }

    /// Write the derivatives that belong to the multipliers.
    pub(super) fn read_multipliers(
        &self,
        by_velocities: Option<&[f64]>,
        by_b: &mut [f64],
        mut by_laws: Option<&mut [LawChange]>,
    ) {
        let Self { laws, work: Vectors { y, product, .. }, places, rows, state: State { roots, .. }, .. } =
            self;
        if let Some(by_laws) = by_laws.as_deref_mut() {
            by_laws.fill(LawChange::default());
            for (row, (law, multipliers)) in laws.iter().zip(y).enumerate() {
                by_laws[rows[row] as usize].add_of_numbers(law, self.is_of_moments[row], multipliers);
            }
        }
        for (scalar, by_b) in by_b.iter_mut().enumerate() {
            let (row, lane) = places.of(scalar);
            let by_bias = -product[row][lane] / roots[row];
            *by_b = by_velocities.map_or(0.0, |by| by[scalar]) + by_bias;
            if let Some(by_laws) = by_laws.as_deref_mut() {
                let own = rows[row] as usize;
                let component = scalar - self.starts[own] as usize;
                by_laws[own].bias[component] = by_bias;
                let by_force = roots[row] * y[row][lane];
                by_laws[own].write_of_bound(laws[row].bounds[lane], component, by_force);
            }
        }
    }
}
