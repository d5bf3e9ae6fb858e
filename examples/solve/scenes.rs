//! Files of bodies and constraints, with one step or many.

use std::io;
use std::ops::Range;
use std::path::Path;

use nalgebra::{DMatrix, Matrix3, Quaternion, UnitQuaternion, Vector3};

use crate::archive::{Archive, are_starts, fits};
use crate::constraints::{BOUNDS, Step, contact_operator, frame, law, operators_of_rows};

/// The largest number of velocities of a body: more are a mistake in the file.
const MOST_DOFS: usize = 10_000;

/// Starts of scalar rows, columns and values.
type CompressedRows = (Vec<usize>, Vec<usize>, Vec<f64>);

/// The common part of files of one step and of many: the constraints in sequence.
struct Constraints {
    h: f64,
    bodies: [Vec<i64>; 2],
    heights: Vec<usize>,
    kinds: Vec<i64>,
    friction: Vec<f64>,
    bias: Vec<f64>,
    bounds: [Vec<f64>; 2],
    points: Vec<f64>,
    normals: Vec<f64>,
    /// Operators in compressed rows, if the file has them.
    operators: Option<CompressedRows>,
    /// The first scalar row of each constraint, and the end.
    scalars: Vec<usize>,
}

impl Constraints {
    fn read(archive: &mut Archive) -> io::Result<Self> {
        let bodies = [archive.integers("a")?, archive.integers("b")?];
        let count = bodies[0].len();
        fits(bodies[1].len() == count, "b")?;
        let has_heights = archive.has("heights");
        let heights = if has_heights { archive.counts("heights")? } else { vec![3; count] };
        fits(heights.len() == count && heights.iter().all(|height| (1..=6).contains(height)), "heights")?;
        let scalars = starts_of(&heights);
        let all = scalars[count];
        let kinds = if archive.has("kind") { archive.integers("kind")? } else { vec![0; count] };
        fits(kinds.len() == count && kinds.iter().all(|kind| (0..=BOUNDS).contains(kind)), "kind")?;
        let bias = if has_heights {
            archive.exactly("bias", all)?
        } else {
            archive.exactly("bias", count)?.into_iter().flat_map(|normal| [0.0, 0.0, normal]).collect()
        };
        let mut bound = |name: &str, value: f64| {
            if archive.has(name) { archive.exactly(name, all) } else { Ok(vec![value; all]) }
        };
        let bounds = [bound("lower", f64::NEG_INFINITY)?, bound("upper", f64::INFINITY)?];
        let operators = if archive.has("H_data") { Some(operators(archive, all)?) } else { None };
        // Beside operators points are for pictures only.
        let points = if operators.is_none() { archive.exactly("point", 3 * count)? } else { Vec::new() };
        let has_normals = operators.is_none() || archive.has("normal");
        let normals = if has_normals { archive.exactly("normal", 3 * count)? } else { Vec::new() };
        let friction = archive.spread("mu", count)?;
        let h = archive.number("h")?;
        Ok(Self { h, bodies, heights, kinds, friction, bias, bounds, points, normals, operators, scalars })
    }

    /// Check that bodies with these numbers of velocities have all that the constraints are on.
    fn check_bodies(&self, dofs: &[usize]) -> io::Result<()> {
        let columns: usize = dofs.iter().sum();
        if let Some((_, indices, _)) = &self.operators {
            return fits(indices.iter().all(|&column| column < columns), "H_indices");
        }
        for (bodies, name) in self.bodies.iter().zip(["a", "b"]) {
            fits(bodies.iter().all(|&body| body < dofs.len() as i64), name)?;
        }
        fits(self.heights.iter().all(|&height| height == 3), "heights")
    }

    /// The step with a part of the constraints.
    fn step(
        &self,
        own: Range<usize>,
        masses: Vec<DMatrix<f64>>,
        velocities: &[f64],
        centers: &[f64],
    ) -> Step {
        let dofs = starts_of(&masses.iter().map(DMatrix::nrows).collect::<Vec<_>>());
        let mut step = Step { h: self.h, masses, velocities: velocities.to_vec(), ..Step::default() };
        for k in own.clone() {
            let scalars = self.scalars[k]..self.scalars[k + 1];
            let [lower, upper] = &self.bounds;
            let bounds = [&lower[scalars.clone()], &upper[scalars.clone()]];
            let contact = [self.friction[k], self.friction[k], 0.0, 0.0, 0.0];
            step.laws.push(law(self.kinds[k], contact, &self.bias[scalars.clone()], bounds));
            step.operators.push(match &self.operators {
                Some((starts, columns, values)) => operators_of_rows(scalars, starts, columns, values, &dofs),
                None => {
                    let frame = frame(&self.normals[3 * k..3 * k + 3]);
                    let on = |bodies: &[i64], sign: f64| {
                        let body = usize::try_from(bodies[k]).ok()?;
                        let center = &centers[3 * body..3 * body + 3];
                        Some((body, contact_operator(&frame, &self.points[3 * k..3 * k + 3], center, sign)))
                    };
                    let [a, b] = [on(&self.bodies[0], 1.0), on(&self.bodies[1], -1.0)];
                    a.into_iter().chain(b).collect()
                }
            });
        }
        step.forces = vec![0.0; self.scalars[own.end] - self.scalars[own.start]];
        step
    }
}

/// Where parts of these sizes begin, and the end.
fn starts_of(sizes: &[usize]) -> Vec<usize> {
    let ends = sizes.iter().scan(0, |end, size| {
        *end += size;
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

/// Read operators with this number of scalar rows.
fn operators(archive: &mut Archive, scalars: usize) -> io::Result<CompressedRows> {
    let (name, starts) = if archive.has("H_indptr") {
        ("H_indptr", archive.counts("H_indptr")?)
    } else {
        ("H_rownnz", starts_of(&archive.counts("H_rownnz")?))
    };
    let indices = archive.counts("H_indices")?;
    let values = archive.exactly("H_data", indices.len())?;
    fits(starts.len() == scalars + 1 && are_starts(&starts, indices.len()), name)?;
    Ok((starts, indices, values))
}

/// Symmetric matrices from their lower triangles, row by row.
fn packed(dofs: &[usize], values: &[f64]) -> Vec<DMatrix<f64>> {
    let mut first = 0;
    let one = |&size: &usize| {
        let start = first;
        first += triangle(size);
        DMatrix::from_fn(size, size, |i, j| values[start + triangle(i.max(j)) + i.min(j)])
    };
    dofs.iter().map(one).collect()
}

/// The number of entries of a lower triangle with `size` rows.
fn triangle(size: usize) -> usize {
    size * (size + 1) / 2
}

/// Read the numbers of velocities of bodies, and their packed masses of `steps` steps.
fn packed_masses(archive: &mut Archive, steps: usize) -> io::Result<(Vec<usize>, Vec<f64>)> {
    let dofs = archive.counts("dofs")?;
    fits(dofs.iter().all(|&size| (1..=MOST_DOFS).contains(&size)), "dofs")?;
    let values = dofs.iter().map(|&size| triangle(size)).sum::<usize>();
    let masses = archive.exactly("M_packed", steps * values)?;
    Ok((dofs, masses))
}

/// Read `count` centers of bodies. Operators need none.
fn centers(archive: &mut Archive, constraints: &Constraints, count: usize) -> io::Result<Vec<f64>> {
    if constraints.operators.is_none() { archive.exactly("centre", 3 * count) } else { Ok(Vec::new()) }
}

/// Read a file of one step.
pub fn read_step(archive: &mut Archive) -> io::Result<Step> {
    let constraints = Constraints::read(archive)?;
    let masses = if archive.has("dofs") {
        let (dofs, values) = packed_masses(archive, 1)?;
        packed(&dofs, &values)
    } else {
        let values = archive.numbers("M")?;
        fits(values.len().is_multiple_of(36), "M")?;
        values.chunks_exact(36).map(|m| DMatrix::from_row_slice(6, 6, m)).collect()
    };
    let dofs: Vec<usize> = masses.iter().map(DMatrix::nrows).collect();
    constraints.check_bodies(&dofs)?;
    let centers = centers(archive, &constraints, dofs.len())?;
    let velocities = archive.exactly("vf", dofs.iter().sum())?;
    let mut step = constraints.step(0..constraints.heights.len(), masses, &velocities, &centers);
    if archive.has("r0") {
        step.forces = archive.exactly("r0", step.scalars())?;
    }
    Ok(step)
}

/// A file of many steps.
pub struct Sequence {
    constraints: Constraints,
    starts: Vec<usize>,
    keys: Vec<i64>,
    bodies: Bodies,
    velocities: Vec<f64>,
    centers: Vec<f64>,
}

enum Bodies {
    Rigid { masses: Vec<f64>, inertias: Vec<f64>, rotations: Vec<f64> },
    Articulated { dofs: Vec<usize>, packed: Vec<f64> },
}

impl Bodies {
    /// Read the bodies, and their numbers of velocities.
    fn read(archive: &mut Archive, steps: usize) -> io::Result<(Self, Vec<usize>)> {
        if archive.has("dofs") {
            let (dofs, packed) = packed_masses(archive, steps)?;
            return Ok((Self::Articulated { dofs: dofs.clone(), packed }, dofs));
        }
        let masses = archive.numbers("mass")?;
        let count = masses.len();
        let inertias = archive.exactly("inertia", 3 * count)?;
        let has_rotations = archive.has("quat");
        let rotations = if has_rotations { archive.exactly("quat", 4 * count * steps)? } else { Vec::new() };
        Ok((Self::Rigid { masses, inertias, rotations }, vec![6; count]))
    }
}

impl Sequence {
    /// Read a file with several steps.
    pub fn read(path: &Path) -> io::Result<Self> {
        let archive = &mut Archive::open(path)?;
        let constraints = Constraints::read(archive)?;
        let starts = archive.counts("ptr")?;
        fits(starts.len() > 1 && are_starts(&starts, constraints.heights.len()), "ptr")?;
        let steps = starts.len() - 1;
        let keys = archive.integers("key")?;
        fits(keys.len() == constraints.heights.len(), "key")?;
        let (bodies, dofs) = Bodies::read(archive, steps)?;
        constraints.check_bodies(&dofs)?;
        let velocities = archive.exactly("vf", steps * dofs.iter().sum::<usize>())?;
        let centers = centers(archive, &constraints, steps * dofs.len())?;
        Ok(Self { constraints, starts, keys, bodies, velocities, centers })
    }

    /// The number of steps.
    pub fn steps(&self) -> usize {
        self.starts.len() - 1
    }

    /// A step.
    pub fn step(&self, number: usize) -> Step {
        let steps = self.steps();
        let part = |values: &Vec<f64>| {
            let size = values.len() / steps;
            number * size..(number + 1) * size
        };
        let masses = match &self.bodies {
            Bodies::Rigid { masses, inertias, rotations } => {
                let rotations = &rotations[part(rotations)];
                let one = |body: usize| {
                    let inertia = Vector3::from_column_slice(&inertias[3 * body..3 * body + 3]);
                    let mut of_body = Matrix3::from_diagonal(&inertia);
                    if let [w, x, y, z] = rotations.get(4 * body..4 * body + 4).unwrap_or_default() {
                        let turn = UnitQuaternion::from_quaternion(Quaternion::new(*w, *x, *y, *z));
                        let turn = turn.to_rotation_matrix();
                        of_body = turn.matrix() * of_body * turn.matrix().transpose();
                        of_body = (of_body + of_body.transpose()) * 0.5;
                    }
                    let mut mass = DMatrix::identity(6, 6) * masses[body];
                    mass.view_mut((0, 0), (3, 3)).copy_from(&of_body);
                    mass
                };
                (0..masses.len()).map(one).collect()
            }
            Bodies::Articulated { dofs, packed: values } => packed(dofs, &values[part(values)]),
        };
        let own = self.starts[number]..self.starts[number + 1];
        let (velocities, centers) =
            (&self.velocities[part(&self.velocities)], &self.centers[part(&self.centers)]);
        self.constraints.step(own, masses, velocities, centers)
    }

    /// The initial guess of a step from the forces of the step before it. Forces with the same key are turned from the old into the
    /// new frame where a contact has a normal; new constraints have zeros.
    pub fn warm(&self, number: usize, forces: &[f64]) -> Vec<f64> {
        let Constraints { scalars, heights, normals, .. } = &self.constraints;
        let (old, new) =
            (self.starts[number - 1]..self.starts[number], self.starts[number]..self.starts[number + 1]);
        let at: std::collections::HashMap<i64, usize> = old.clone().map(|k| (self.keys[k], k)).collect();
        let mut warm = vec![0.0; scalars[new.end] - scalars[new.start]];
        for k in new.clone() {
            let Some(&before) = at.get(&self.keys[k]).filter(|&&before| heights[before] == heights[k]) else {
                continue;
            };
            let first = scalars[before] - scalars[old.start];
            let force = &forces[first..first + heights[k]];
            let to = scalars[k] - scalars[new.start];
            let normal = |k: usize| normals.get(3 * k..3 * k + 3).filter(|n| n.iter().any(|&x| x != 0.0));
            match (normal(before), normal(k)) {
                (Some(from), Some(into)) if heights[k] == 3 => {
                    let (from, into) = (frame(from), frame(into));
                    let world: [f64; 3] =
                        std::array::from_fn(|i| (0..3).map(|j| from[j][i] * force[j]).sum::<f64>());
                    for (j, axis) in into.iter().enumerate() {
                        warm[to + j] = (0..3).map(|i| axis[i] * world[i]).sum();
                    }
                }
                _ => warm[to..to + heights[k]].copy_from_slice(force),
            }
        }
        warm
    }
}
