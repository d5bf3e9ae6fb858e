//! Files of bodies and constraints, with one step or many.

use std::io;
use std::ops::Range;
use std::path::Path;

use nalgebra::{DMatrix, Matrix3, Quaternion, UnitQuaternion, Vector3};

use super::archive::{Archive, wrong};
use super::constraints::{Step, contact_operator, frame, law, operators_of_rows};

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
    operators: Option<(Vec<usize>, Vec<i64>, Vec<f64>)>,
    /// The first scalar row of each constraint, and the end.
    scalars: Vec<usize>,
}

impl Constraints {
    fn read(archive: &mut Archive) -> io::Result<Self> {
        let bodies = [archive.integers("a")?, archive.integers("b")?];
        let count = bodies[0].len();
        let has_heights = archive.has("heights");
        let sizes = |values: Vec<i64>| values.into_iter().map(|value| value as usize).collect::<Vec<_>>();
        let heights = if has_heights { sizes(archive.integers("heights")?) } else { vec![3; count] };
        let ends = heights.iter().scan(0, |end, height| {
            *end += height;
            Some(*end)
        });
        let scalars: Vec<usize> = std::iter::once(0).chain(ends).collect();
        let all = scalars[count];
        let kinds = if archive.has("kind") { archive.integers("kind")? } else { vec![0; count] };
        let mut bias = archive.numbers("bias")?;
        if !has_heights {
            bias = bias.into_iter().flat_map(|normal| [0.0, 0.0, normal]).collect();
        }
        let mut bound = |name: &str, value: f64| {
            if archive.has(name) { archive.numbers(name) } else { Ok(vec![value; all]) }
        };
        let bounds = [bound("lower", f64::NEG_INFINITY)?, bound("upper", f64::INFINITY)?];
        let mut points = |name: &str| if archive.has(name) { archive.numbers(name) } else { Ok(Vec::new()) };
        let (points, normals) = (points("point")?, points("normal")?);
        let operators = if archive.has("H_data") {
            let starts = if archive.has("H_indptr") {
                sizes(archive.integers("H_indptr")?)
            } else {
                let counts = archive.integers("H_rownnz")?;
                let ends = counts.iter().scan(0, |end, count| {
                    *end += *count as usize;
                    Some(*end)
                });
                std::iter::once(0).chain(ends).collect()
            };
            Some((starts, archive.integers("H_indices")?, archive.numbers("H_data")?))
        } else {
            None
        };
        let fits = bodies[1].len() == count && bias.len() == all && kinds.len() == count;
        if !fits {
            return Err(wrong("bias"));
        }
        let friction = archive.spread("mu", count)?;
        let h = archive.number("h")?;
        Ok(Self { h, bodies, heights, kinds, friction, bias, bounds, points, normals, operators, scalars })
    }

    /// The step with a part of the constraints.
    fn step(
        &self,
        own: Range<usize>,
        masses: Vec<DMatrix<f64>>,
        velocities: &[f64],
        centers: &[f64],
    ) -> Step {
        let firsts = masses.iter().scan(0, |end, mass| {
            *end += mass.nrows();
            Some(*end)
        });
        let dofs: Vec<usize> = std::iter::once(0).chain(firsts).collect();
        let mut step = Step { h: self.h, masses, velocities: velocities.to_vec(), ..Step::default() };
        for k in own.clone() {
            let scalars = self.scalars[k]..self.scalars[k + 1];
            let [lower, upper] = &self.bounds;
            let bounds = [&lower[scalars.clone()], &upper[scalars.clone()]];
            step.laws.push(law(self.kinds[k], self.friction[k], &self.bias[scalars.clone()], bounds));
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

/// Symmetric matrices from their lower triangles, row by row.
fn packed(dofs: &[i64], values: &[f64]) -> Vec<DMatrix<f64>> {
    let mut values = values.iter();
    let one = |&size: &i64| {
        let mut matrix = DMatrix::zeros(size as usize, size as usize);
        for i in 0..size as usize {
            for j in 0..=i {
                let value = values.next().copied().unwrap_or(f64::NAN);
                matrix[(i, j)] = value;
                matrix[(j, i)] = value;
            }
        }
        matrix
    };
    dofs.iter().map(one).collect()
}

/// Read a file of one step.
pub fn read_step(archive: &mut Archive) -> io::Result<Step> {
    let constraints = Constraints::read(archive)?;
    let masses = if archive.has("dofs") {
        packed(&archive.integers("dofs")?, &archive.numbers("M_packed")?)
    } else {
        archive.numbers("M")?.chunks_exact(36).map(|m| DMatrix::from_row_slice(6, 6, m)).collect()
    };
    let centers = if archive.has("centre") { archive.numbers("centre")? } else { Vec::new() };
    let velocities = archive.numbers("vf")?;
    let count = constraints.heights.len();
    let mut step = constraints.step(0..count, masses, &velocities, &centers);
    if archive.has("r0") {
        step.forces = archive.numbers("r0")?;
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
    Articulated { dofs: Vec<i64>, packed: Vec<f64> },
}

impl Sequence {
    pub fn read(path: &Path) -> io::Result<Self> {
        let archive = &mut Archive::open(path)?;
        let bodies = if archive.has("dofs") {
            Bodies::Articulated { dofs: archive.integers("dofs")?, packed: archive.numbers("M_packed")? }
        } else {
            let rotations = if archive.has("quat") { archive.numbers("quat")? } else { Vec::new() };
            let (masses, inertias) = (archive.numbers("mass")?, archive.numbers("inertia")?);
            Bodies::Rigid { masses, inertias, rotations }
        };
        Ok(Self {
            constraints: Constraints::read(archive)?,
            starts: archive.integers("ptr")?.into_iter().map(|start| start as usize).collect(),
            keys: archive.integers("key")?,
            bodies,
            velocities: archive.numbers("vf")?,
            centers: if archive.has("centre") { archive.numbers("centre")? } else { Vec::new() },
        })
    }

    /// The number of steps.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// A step.
    pub fn step(&self, number: usize) -> Step {
        let steps = self.len();
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
