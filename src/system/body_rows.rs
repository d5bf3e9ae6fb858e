//! Z of a system's rows, with W = Z Zᵀ, for steps of a contact solver in the space of bodies.
#![forbid(unsafe_code)]

use std::sync::PoisonError;
use std::{array, iter};

use crate::inertia;
use crate::memory::{self, collect, refill, resize};
use crate::solve::{self, BodyRows, BodyRowsSource as _, NODE, NodeBlock};

use super::body::Inertia;
use super::constraint::{Constraint, MOST_ROWS};
use super::error::{Fault, Result};
use super::matrix_free::{BodiesOfProducts, ProductWorkspace};
use super::model::System;

/// The largest number of velocities of a body whose Z is made. Nodes of one body are all coupled with each other: with many of
/// them, the space of contacts is smaller.
const MOST_DOFS: usize = 96;

/// The limit of rounding errors of a pivot, relative to the entry before the elimination.
const ROUNDING: f64 = 1e4 * f64::EPSILON;

/// The bodies of a system after an update.
pub(super) struct BodiesOfSystem<'a> {
    pub system: &'a System,
}

/// L of all bodies, with h A⁻¹ = L Lᵀ, and a workspace.
#[derive(Debug, Default)]
pub(super) struct BodyFactors {
    bodies: Vec<Factor>,
    values: Vec<f64>,
    /// A unit vector.
    unit: Vec<f64>,
    /// A row of H on a body.
    force: Vec<f64>,
    /// For A⁻¹.
    work: inertia::Workspace,
}

/// The first node of a body, its number of velocities, and the start of its L, which is stored column by column.
#[derive(Clone, Copy, Debug)]
struct Factor {
    first: usize,
    dofs: usize,
    start: usize,
}

impl solve::BodyRowsSource for BodiesOfSystem<'_> {
    fn write_rows(&self, rows: &mut BodyRows) -> memory::Result<bool> {
        let workspace = &mut *self.system.workspace.lock().unwrap_or_else(PoisonError::into_inner);
        let ProductWorkspace { groups, factors, .. } = workspace;
        let structure = &self.system.structure;
        if structure.has_irregular() {
            groups.list(structure)?;
        }
        let through = self.system.through_bodies(structure.has_irregular().then_some(&*groups));
        let Some(nodes) = factors.make(&through)? else { return Ok(false) };
        // A compliance C = L Lᵀ is a node of its own, with L in place of H L.
        rows.start(nodes + self.system.compliances)?;
        let mut next = nodes;
        let count = if structure.has_irregular() { groups.len() } else { structure.len() };
        for group in 0..count {
            factors.write_parts(&through, group, rows)?;
            let (row, part) = through.row(group);
            if let Some(constraint) = through.constraint(row)
                && constraint.is_compliant()
            {
                let Some(block) = compliance(constraint, part) else { return Ok(false) };
                next += usize::from(part == 0);
                rows.push_part(next - 1, &block)?;
            }
            rows.end_row()?;
        }
        Ok(true)
    }
}

impl System {
    /// Z of the last update, W = Z Zᵀ, for example for a file of the problem. `None` if a body has more than 96 velocities, or gives A⁻¹
    /// as a function.
    ///
    /// # Errors
    /// If there was no successful update since a change of other data than velocities, or memory is exhausted.
    pub fn body_rows(&self) -> Result<Option<BodyRows>> {
        self.rows_of_operators()?;
        let mut rows = BodyRows::default();
        let is_known = BodiesOfSystem { system: self }.write_rows(&mut rows)?;
        Ok(is_known.then_some(rows))
    }
}

impl BodyFactors {
    /// Factor h A⁻¹ of all bodies with constraints. Returns the number of nodes, or none if a body is too large, its A⁻¹ is a
    /// function, or not positive semidefinite.
    fn make(&mut self, through: &BodiesOfProducts) -> memory::Result<Option<usize>> {
        let Self { bodies, values, unit, work, .. } = self;
        let structure = through.structure;
        collect(bodies, through.bodies.len(), iter::empty())?;
        values.clear();
        let mut nodes = 0;
        for place in 0..through.bodies.len() {
            let (dofs, start) = (structure.dofs(place).len(), values.len());
            bodies.push(Factor { first: nodes, dofs, start });
            let Some(body) = &through.bodies.things()[place] else { continue };
            if structure.rows_on(place).is_empty() || matches!(body.inertia(), Inertia::Obstacle) {
                continue;
            }
            if dofs > MOST_DOFS || body.inertia().is_users() {
                return Ok(None);
            }
            resize(values, start + dofs * dofs, 0.0)?;
            refill(unit, dofs, 0.0)?;
            for (j, column) in values[start..].chunks_exact_mut(dofs).enumerate() {
                unit[j] = 1.0;
                match through.apply_inverse(place, unit, column, work) {
                    Ok(()) => {}
                    Err(Fault::Memory) => return memory::exhausted().map(|()| None),
                    Err(_) => return Ok(None),
                }
                unit[j] = 0.0;
                column.iter_mut().for_each(|value| *value *= through.step);
            }
            if !factorize(dofs, &mut values[start..]) {
                return Ok(None);
            }
            nodes += dofs.div_ceil(NODE);
        }
        Ok(Some(nodes))
    }

    /// Write the parts of Z = H L of a group of three scalar rows.
    fn write_parts(
        &mut self,
        through: &BodiesOfProducts,
        group: usize,
        rows: &mut BodyRows,
    ) -> memory::Result {
        let Self { bodies, values, force, .. } = self;
        for side in through.structure.all_sides(through.row(group).0) {
            let Factor { first, dofs, start } = bodies[side.body as usize];
            let mut z = [[0.0; 3]; MOST_DOFS];
            for i in 0..3 {
                refill(force, dofs, 0.0)?;
                let unit = array::from_fn(|k| f64::from(k == i));
                through.add_row(group, side.body as usize, &unit, force);
                for (z, lower) in z.iter_mut().zip(values[start..start + dofs * dofs].chunks_exact(dofs)) {
                    z[i] = lower.iter().zip(&*force).map(|(l, h)| l * h).sum();
                }
            }
            for (node, part) in z[..dofs.next_multiple_of(NODE)].as_chunks().0.iter().enumerate() {
                rows.push_part(first + node, part)?;
            }
        }
        Ok(())
    }
}

/// The rows of the Cholesky factor of the compliance of a constraint that belong to a part of three scalar rows. `None` if the
/// compliance is not positive semidefinite.
fn compliance(constraint: &Constraint, part: usize) -> Option<NodeBlock> {
    let height = constraint.rows();
    let mut factor = [0.0; MOST_ROWS * MOST_ROWS];
    let factor = &mut factor[..height * height];
    for (k, entry) in factor.iter_mut().enumerate() {
        let (i, j) = (k % height, k / height);
        *entry = match &constraint.irregular {
            Some(irregular) => irregular.added(height, i, j),
            None => constraint.compliance()?[3 * i.min(j) + i.max(j)],
        };
    }
    if !factorize(height, factor) {
        return None;
    }
    Some(array::from_fn(|k| {
        array::from_fn(|i| {
            factor.get(height * k + 3 * part + i).filter(|_| 3 * part + i < height).copied().unwrap_or(0.0)
        })
    }))
}

/// Replace the lower triangle of a matrix, column by column, by its Cholesky factor and the rest by zeros. Columns of pivots that
/// are zero to rounding are zero. Returns false if the matrix is not positive semidefinite.
fn factorize(n: usize, a: &mut [f64]) -> bool {
    let diagonal: [f64; MOST_DOFS] = array::from_fn(|i| if i < n { a[n * i + i] } else { 0.0 });
    for j in 0..n {
        let (pivot, zero) = (a[n * j + j], ROUNDING * diagonal[j]);
        if pivot.is_nan() || pivot < -zero {
            return false;
        }
        let root = if pivot > zero { pivot.sqrt() } else { 0.0 };
        for i in 0..n {
            let value = &mut a[n * j + i];
            *value = if i < j || root == 0.0 { 0.0 } else { *value / root };
        }
        for k in j + 1..n {
            let (left, right) = a.split_at_mut(n * k);
            let column = &left[n * j..n * j + n];
            let factor = column[k];
            right[k..n].iter_mut().zip(&column[k..]).for_each(|(to, l)| *to -= l * factor);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{Block, Vector, dot};
    use crate::system::{Kinematics, Operator};
    use testing::Random;

    const UNIT: Block = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

    /// A system of rigid, pseudo-rigid and other bodies and an obstacle, with constraints of one to six rows.
    fn some_system(random: &mut Random) -> System {
        let mut system = System::new();
        let rigid = system.add_rigid(2.0, &[3.0, 0.1, 0.0, 0.1, 4.0, 0.2, 0.0, 0.2, 5.0], &UNIT, &[0.0; 3]);
        let soft = system.add_pseudo_rigid(1.5, &[1.0, 0.1, 0.0, 0.1, 2.0, 0.0, 0.0, 0.0, 0.5], &[0.0; 3]);
        let tree: Vec<f64> =
            (0..64).map(|k| if k % 9 == 0 { 9.0 } else { 0.1 * ((k % 8 + k / 8) % 5) as f64 }).collect();
        let tree = system.add_body(8, Kinematics::General, Inertia::dense(8, &tree).unwrap());
        let ground = system.add_body(6, Kinematics::General, Inertia::Obstacle);
        let [rigid, soft, tree, ground] = [rigid.unwrap(), soft.unwrap(), tree.unwrap(), ground.unwrap()];
        let point = |random: &mut Random| -> Vector { random.array() };
        for bodies in [[Some(rigid), Some(soft)], [Some(rigid), None], [Some(soft), Some(rigid)]] {
            let points = [point(random), point(random)];
            system.add_point_constraint(bodies, &UNIT, points).unwrap();
        }
        for rows in 1..=6 {
            let operators = [6, 8, 6].map(|dofs| {
                let values: Vec<f64> = (0..rows * dofs).map(|_| random.signed()).collect();
                Operator::dense(rows, dofs, &values).unwrap()
            });
            system.add_constraint_rows(&[rigid, tree, ground], operators.into()).unwrap();
        }
        system.add_dof_constraint(tree, Some(7), -1.0).unwrap();
        let compliance = [0.3, 0.1, 0.0, 0.1, 0.2, 0.0, 0.0, 0.0, 0.0];
        let regular = system.add_point_constraint([Some(rigid), None], &UNIT, [[0.5; 3]; 2]).unwrap();
        system.set_compliance(regular, &compliance).unwrap();
        let five: Vec<f64> = (0..30).map(|_| random.signed()).collect();
        let five = Operator::dense(5, 6, &five).unwrap();
        let irregular = system.add_constraint_rows(&[rigid], vec![five]).unwrap();
        let compliance: Vec<f64> = (0..25).map(|k| if k % 6 == 0 { 0.4 } else { 0.05 }).collect();
        system.set_compliance(irregular, &compliance).unwrap();
        system.update(0.01).unwrap();
        system
    }

    #[test]
    fn products_with_z_are_products_with_w() {
        let mut random = Random::new(31);
        let system = some_system(&mut random);
        let mut rows = BodyRows::default();
        assert!(BodiesOfSystem { system: &system }.write_rows(&mut rows).unwrap());
        let mut groups = crate::system::matrix_free::Groups::default();
        groups.list(&system.structure).unwrap();
        assert_eq!(rows.len(), groups.len());
        let x: Vec<f64> = (0..system.structure.scalar_count()).map(|_| random.signed()).collect();
        let (mut padded, mut y, mut expected) = (Vec::new(), vec![0.0; x.len()], vec![0.0; x.len()]);
        groups.pad(&system.structure, &x, &mut padded).unwrap();
        let mut nodes = vec![[0.0; NODE]; rows.nodes()];
        let x_of = padded.as_chunks().0;
        for (row, x) in x_of.iter().enumerate().take(rows.len()) {
            let (of_row, blocks) = rows.row(row);
            for (&node, block) in of_row.iter().zip(blocks) {
                (0..NODE).for_each(|j| nodes[node as usize][j] += dot(&block[j], x));
            }
        }
        let made: Vec<Vector> = (0..rows.len()).map(|row| rows.times(row, &nodes)).collect();
        groups.unpad(&system.structure, &made, &mut y);
        system.multiply(&x, &mut expected).unwrap();
        for (y, expected) in y.iter().zip(&expected) {
            assert!((y - expected).abs() < 1e-13, "{y} {expected}");
        }
    }
}
