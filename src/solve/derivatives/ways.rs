//! The equations of changes and the transposed ones: from changes of data to changes of forces, and from derivatives by forces and
//! velocities to those by data.

use crate::math::simd::{F64x4, Kernel, SimdLevel, add, at_best, combination, write};
use crate::math::{Block, Vector, times, transposed_times};
use crate::memory::{self, resize};
use crate::rows::Bsr3;
use crate::rows::fault::{Error, Fault};
use crate::rows::pattern::range;
use crate::solve::state::State;

use super::law_change::LawChange;
use super::linear_law::{Bound, LinearLaw};
use super::pattern::{NONE, Pattern};
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

/// The blocks of F + f + V W', or of its transpose, for each entry of the pattern.
struct EquationBlocks<'a> {
    w: Bsr3<'a>,
    pattern: &'a Pattern,
    laws: &'a [LinearLaw],
    roots: &'a [f64],
    way: Way,
    values: &'a mut [Block],
}

impl Kernel for EquationBlocks<'_> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) {
        let Self { w, pattern, laws, roots, way, values } = self;
        for (k, &row) in pattern.rows.iter().enumerate() {
            let law = &laws[row as usize];
            let velocity = level.columns(&law.velocity);
            for entry in range(&pattern.starts, k) {
                let column = pattern.rows[pattern.columns[entry] as usize];
                let mut sum = [level.zero(); 3];
                if pattern.blocks[entry] != NONE {
                    let scale = 1.0 / (roots[row as usize] * roots[column as usize]);
                    let w = w.values[pattern.blocks[entry] as usize].map(|x| x * scale);
                    for (sum, column) in sum.iter_mut().zip(w.as_chunks::<3>().0) {
                        *sum = combination(&velocity, column);
                    }
                }
                if row == column {
                    add(&mut sum, &level.columns(&law.force));
                } else if row == column + 1 {
                    add(&mut sum, &level.columns(&law.pull));
                }
                match way {
                    Way::Forward => write(&mut values[entry], &sum),
                    Way::Adjoint => {
                        write(&mut values[pattern.mirrored[entry] as usize], &F64x4::transposed(sum));
                    }
                }
            }
        }
    }
}

impl Derivatives {
    /// Factor the equations of one way, unless they have factors.
    pub(super) fn factorize(&mut self, way: Way) -> Result<(), Error> {
        if self.is_factored[way as usize] || self.rows.is_empty() {
            return Ok(());
        }
        let Self { matrix, laws, pattern, equations, state: State { roots, .. }, .. } = self;
        let fill = |values: &mut [Block]| {
            at_best(EquationBlocks { w: matrix.rows(), pattern, laws, roots, way, values });
        };
        let is_done = equations[way as usize].factorize(&mut matrix.team(), pattern, fill)?;
        ensure!(is_done, Error::of_rows(Fault::NotFinite("a derivative of the forces")));
        self.is_factored[way as usize] = true;
        Ok(())
    }

    /// Get the memory of a call.
    pub(super) fn make_room(&mut self) -> memory::Result {
        let rows = self.rows.len();
        let Vectors { y, v, product, x } = &mut self.work;
        resize(y, rows, [0.0; 3])?;
        resize(v, rows, [0.0; 3])?;
        resize(product, rows, [0.0; 3])?;
        resize(x, self.pattern.rows.len(), [0.0; 3])
    }

    /// Compute the scaled changes of forces, and of velocities without the change of B.
    pub(super) fn change(&mut self, velocities: &[f64], changes: Option<&[LawChange]>) -> Fit {
        let Self { matrix, laws, pattern, equations, work, places, rows, state, .. } = self;
        let (Vectors { y, v, product, x }, roots) = (work, &state.roots);
        let none = LawChange::default();
        y.fill([0.0; 3]);
        v.fill([0.0; 3]);
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

    /// Compute Vᵀ λ in `product`, in the units of the data, and in `y` λ, the multipliers of all laws, if these are needed.
    pub(super) fn multipliers(
        &mut self,
        by_forces: Option<&[f64]>,
        by_velocities: Option<&[f64]>,
        are_needed: bool,
    ) -> Fit {
        let Self { matrix, laws, pattern, equations, work, places, state, .. } = self;
        let (Vectors { y, v, product, x }, roots) = (work, &state.roots);
        places.scatter(by_forces, y);
        if by_velocities.is_some() {
            places.scatter(by_velocities, v);
            matrix.add_transposed_product(v, y);
        }
        y.iter_mut().zip(roots).for_each(|(y, root)| *y = y.map(|y| y / root));
        for (&row, x) in pattern.rows.iter().zip(&mut *x) {
            *x = y[row as usize];
        }
        let equations = &mut equations[Way::Adjoint as usize];
        let outside = equations.solve(&mut matrix.team(), pattern, x);
        product.fill([0.0; 3]);
        for (&row, x) in pattern.rows.iter().zip(&*x) {
            let row = row as usize;
            product[row] = transposed_times(&laws[row].velocity, x).map(|x| x / roots[row]);
        }
        // Rows of the pattern have multipliers of their own.
        if are_needed && x.len() < y.len() {
            v.fill([0.0; 3]);
            matrix.add_transposed_product(product, v);
            for ((y, v), root) in y.iter_mut().zip(&*v).zip(roots) {
                (0..3).for_each(|i| y[i] -= v[i] / root);
            }
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
        by_laws: Option<&mut [LawChange]>,
    ) {
        // The derivatives by biases.
        self.places.gather(&self.work.product, by_b);
        by_b.iter_mut().for_each(|by| *by = 0.0 - *by);
        if let Some(by_laws) = by_laws {
            self.read_by_laws(by_b, by_laws);
        }
        for (by_b, by) in by_b.iter_mut().zip(by_velocities.unwrap_or_default()) {
            *by_b += by;
        }
    }

    /// Write the derivatives by laws that belong to the multipliers and the derivatives by biases.
    fn read_by_laws(&self, by_biases: &[f64], by_laws: &mut [LawChange]) {
        let Self { laws, work: Vectors { y, .. }, places, rows, state: State { roots, .. }, .. } = self;
        for (own, by_law) in by_laws.iter_mut().enumerate() {
            *by_law = LawChange::default();
            let by_biases = &by_biases[range(&self.starts, own)];
            by_law.bias.iter_mut().zip(by_biases).for_each(|(to, by_bias)| *to = *by_bias);
        }
        for (row, (law, multipliers)) in laws.iter().zip(y).enumerate() {
            by_laws[rows[row] as usize].add_of_numbers(law, self.is_of_moments[row], multipliers);
        }
        if laws.iter().all(|law| law.bounds == [Bound::None; 3]) {
            return;
        }
        for (scalar, &(row, lane)) in places.of_scalars.iter().enumerate() {
            let (row, lane) = (row as usize, lane as usize);
            let own = rows[row] as usize;
            let component = scalar - self.starts[own] as usize;
            by_laws[own].write_of_bound(laws[row].bounds[lane], component, roots[row] * y[row][lane]);
        }
    }
}
