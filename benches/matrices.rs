//! Matrices of a scene in a file, as matrices.py describes them.

use std::iter;

use crate::host::frame;
use crate::scenes::{Body, Contact, Scene, Side};
use crate::{blocks, said};

/// Bodies by their matrices, and constraints by their operators.
pub struct Matrices {
    /// The bodies.
    pub bodies: Vec<Dense>,
    /// The constraints.
    pub constraints: Vec<Constraint>,
}

/// A constraint.
pub struct Constraint {
    /// How many rows it has.
    pub rows: usize,
    /// Its operators, on its two sides.
    pub sides: [Option<Operator>; 2],
}

/// A body: its A and the inverse, `dofs` × `dofs`, column-major.
pub struct Dense {
    /// How many generalized velocities it has.
    pub dofs: usize,
    /// A.
    pub matrix: Vec<f64>,
    /// A⁻¹.
    pub inverse: Vec<f64>,
}

/// The operator H of a constraint on a body, column-major.
pub struct Operator {
    /// Index of the body.
    pub body: usize,
    /// H.
    pub values: Vec<f64>,
}

impl Matrices {
    /// Those in a file.
    ///
    /// # Errors
    /// It cannot be read, or ends too early.
    pub fn read(path: &str) -> Result<Self, String> {
        let bytes = said(std::fs::read(path))?;
        let mut numbers = bytes.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes));
        let mut take = |count: usize| {
            let taken: Vec<f64> = numbers.by_ref().take(count).collect();
            if taken.len() == count { Ok(taken) } else { Err("the file of matrices ends too early") }
        };
        let counts = take(2)?;
        let mut bodies: Vec<Dense> = vec![];
        for _ in 0..counts[0] as usize {
            let dofs = take(1)?[0] as usize;
            bodies.push(Dense { dofs, matrix: take(dofs * dofs)?, inverse: take(dofs * dofs)? });
        }
        let mut constraints = vec![];
        for _ in 0..counts[1] as usize {
            let [rows, master, slave] = [(); 3].map(|()| take(1)).map(|taken| taken.map(|taken| taken[0]));
            let rows = rows? as usize;
            let mut operator = |id: f64| -> Result<Option<Operator>, String> {
                let Some(body) = (id >= 0.0).then_some(id as usize) else { return Ok(None) };
                Ok(Some(Operator { body, values: take(rows * bodies[body].dofs)? }))
            };
            let sides = [operator(master?)?, operator(slave?)?];
            constraints.push(Constraint { rows, sides });
        }
        Ok(Self { bodies, constraints })
    }

    /// The matrices of rigid bodies in their first places; obstacles become the ground.
    pub fn of_rigid(scene: &Scene) -> Self {
        let places: Vec<usize> = scene
            .bodies
            .iter()
            .scan(0, |next, body| Some(std::mem::replace(next, *next + usize::from(lumped(body).is_some()))))
            .collect();
        let bodies = scene.bodies.iter().filter_map(lumped).map(|lumped| {
            let [x, y, z] = lumped.moments_of_inertia();
            let diagonal = [x, y, z, lumped.mass, lumped.mass, lumped.mass];
            let square = |of: fn(f64) -> f64| {
                (0..36).map(|k| if k % 7 == 0 { of(diagonal[k / 7]) } else { 0.0 }).collect()
            };
            Dense { dofs: 6, matrix: square(|a| a), inverse: square(f64::recip) }
        });
        let operator = |contact: &Contact, side: Side, sign: f64| {
            let lumped = lumped(&scene.bodies[side.body])?;
            let lever: [f64; 3] = std::array::from_fn(|i| contact.point[i] - lumped.center[i]);
            let axes = frame(&contact.normal);
            let columns = (0..6).flat_map(|column| {
                // Velocity of the point where this dof alone moves, at the rate of one.
                let mut unit = [0.0; 3];
                unit[column % 3] = sign;
                let velocity = if column < 3 { cross(&unit, &lever) } else { unit };
                (0..3).map(move |row| (0..3).map(|i| axes[3 * row + i] * velocity[i]).sum())
            });
            Some(Operator { body: places[side.body], values: columns.collect() })
        };
        let constraint = |contact: &Contact| Constraint {
            rows: 3,
            sides: [operator(contact, contact.master, 1.0), operator(contact, contact.slave, -1.0)],
        };
        Self { bodies: bodies.collect(), constraints: scene.contacts.iter().map(constraint).collect() }
    }

    /// Write them to a file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn write(&self, path: &str) -> Result<(), String> {
        let counts = [self.bodies.len(), self.constraints.len()].map(|count| count as f64);
        let of_body = |body: &Dense| {
            iter::once(body.dofs as f64).chain(body.matrix.clone()).chain(body.inverse.clone())
        };
        let of_constraint = |Constraint { rows, sides }: &Constraint| {
            let id = |side: &Option<Operator>| side.as_ref().map_or(-1.0, |operator| operator.body as f64);
            let values = sides.iter().flatten().flat_map(|operator| operator.values.clone());
            let ids = [*rows as f64, id(&sides[0]), id(&sides[1])];
            ids.into_iter().chain(values).collect::<Vec<f64>>()
        };
        let bodies = self.bodies.iter().flat_map(of_body);
        let constraints = self.constraints.iter().flat_map(of_constraint);
        said(blocks::write(path, counts.into_iter().chain(bodies).chain(constraints)))
    }

    /// How many generalized velocities all bodies have.
    pub fn dofs(&self) -> usize {
        self.bodies.iter().map(|body| body.dofs).sum()
    }
}

fn lumped(body: &Body) -> Option<&crate::scenes::Lumped> {
    if let Body::Rigid(lumped) = body { Some(lumped) } else { None }
}

fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
