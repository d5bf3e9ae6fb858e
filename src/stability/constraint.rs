//! Constraints, the forces in them, and their geometric stiffness.

use super::body::PosedBody;
use super::{Error, Fault, NOT_FINITE};
use crate::math::{Vector, cross, difference, dot, is_finite, sum};

/// One of the two points of a constraint.
#[derive(Clone, Copy, Debug)]
pub enum Endpoint {
    /// A referential point of a body, or a particle.
    Body {
        /// The index of the body in the list.
        body: usize,
        /// X; ignored for a particle.
        point: Vector,
    },
    /// A fixed position in space.
    Space(Vector),
}

impl Endpoint {
    fn body(&self) -> Option<usize> {
        match self {
            Self::Body { body, .. } => Some(*body),
            Self::Space(_) => None,
        }
    }
}

/// The body that rotates the normal and the tangents of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// None: they keep their directions, as on a flat obstacle.
    Space,
    /// The master: a point of the slave touches a surface of the master.
    Master,
    /// The slave: a point of the master touches a surface of the slave.
    Slave,
}

/// The kind of a constraint and its force λ. With d = master's point − slave's point, −λ acts on the master.
#[derive(Clone, Copy, Debug)]
pub enum ConstraintForce {
    /// ψ = |d| − length.
    Link {
        /// λ, positive if the link pulls its ends together.
        tension: f64,
    },
    /// ψ = d, in the spatial frame.
    FixedPoint {
        /// λ, in the spatial frame.
        force: Vector,
    },
    /// ψ = d in axes that the carrier rotates. Sliding on curved surfaces is not included.
    Contact {
        /// λ, in the spatial frame: minus the force on the master.
        force: Vector,
        /// The body that rotates the axes.
        carrier: Carrier,
    },
}

impl LoadedConstraint {
    /// A constraint with constant gradients and therefore without stiffness, to fill an entry of a list.
    pub fn constant() -> Self {
        let force = ConstraintForce::Contact { force: [0.0; 3], carrier: Carrier::Space };
        Self { force, master: Endpoint::Space([0.0; 3]), slave: Endpoint::Space([0.0; 3]) }
    }
}

/// A constraint between two points, with its force.
#[derive(Clone, Copy, Debug)]
pub struct LoadedConstraint {
    /// The kind and the force.
    pub force: ConstraintForce,
    /// The first point.
    pub master: Endpoint,
    /// The second point.
    pub slave: Endpoint,
}

/// A constraint with all data of its stiffness.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConstraintStiffness {
    /// λ as a spatial vector.
    lambda: Vector,
    /// d.
    gap: Vector,
    /// For a link: its direction, and λ / length.
    across: Option<(Vector, f64)>,
    /// The index of the body that rotates the axes.
    carrier: Option<usize>,
    master: Endpoint,
    slave: Endpoint,
}

impl ConstraintStiffness {
    /// Prepare a constraint. `index` is its index in the list, for errors; `gap` is d, or `None` if d follows from the positions.
    pub fn new(
        index: usize,
        constraint: &LoadedConstraint,
        gap: Option<&Vector>,
        bodies: &[PosedBody],
    ) -> Result<Self, Error> {
        let LoadedConstraint { force, master, slave } = *constraint;
        let failed = |why| Error { row: Some(index), fault: Fault::Invalid(why) };
        let apart =
            place(&master, bodies).zip(place(&slave, bodies)).map(|(one, other)| difference(&one, &other));
        let apart = apart.ok_or(failed("a body of it is not there, or has no points"))?;
        let gap = gap.copied().unwrap_or(apart);
        let (lambda, across, carrier) = match force {
            ConstraintForce::Link { tension } => {
                let length = dot(&gap, &gap).sqrt();
                if length > 0.0 {
                    let n = gap.map(|gap| gap / length);
                    (n.map(|n| n * tension), Some((n, tension / length)), None)
                } else if tension == 0.0 {
                    ([0.0; 3], None, None)
                } else {
                    return Err(failed("the link has no direction"));
                }
            }
            ConstraintForce::FixedPoint { force } => (force, None, None),
            ConstraintForce::Contact { force, carrier: Carrier::Space } => (force, None, None),
            ConstraintForce::Contact { force, carrier: Carrier::Master } => (force, None, master.body()),
            ConstraintForce::Contact { force, carrier: Carrier::Slave } => (force, None, slave.body()),
        };
        ensure!(
            carrier.is_none_or(|body| bodies[body].carries_axes()),
            failed("the body that is to turn its axes is not rigid")
        );
        let stiffness = across.map_or(0.0, |(_, stiffness)| stiffness);
        ensure!(is_finite(&lambda) && is_finite(&gap) && stiffness.is_finite(), Error::of_rows(NOT_FINITE));
        Ok(Self { lambda, gap, across, carrier, master, slave })
    }

    /// The different bodies on which the constraint acts.
    pub fn bodies(&self) -> impl Iterator<Item = usize> {
        let (first, second) = (self.master.body(), self.slave.body());
        first.into_iter().chain(second.filter(|second| Some(*second) != first))
    }

    /// The points on bodies, each with the sign of its force.
    fn points(&self) -> impl Iterator<Item = (usize, &Vector, f64)> {
        [(&self.master, 1.0), (&self.slave, -1.0)].into_iter().filter_map(|(end, sign)| match end {
            Endpoint::Body { body, point } => Some((*body, point, sign)),
            Endpoint::Space(_) => None,
        })
    }

    /// Add the gradient of ψ in a spatial direction: the generalized forces of this direction at the points.
    pub fn add_gradient(&self, bodies: &[PosedBody], offsets: &[usize], direction: &Vector, to: &mut [f64]) {
        for (body, point, sign) in self.points() {
            bodies[body].add_force(point, &direction.map(|d| sign * d), &mut to[offsets[body]..]);
        }
    }

    /// Add K̃ x of this constraint to y. The dofs of body k begin at `offsets[k]`.
    pub fn add_product(&self, bodies: &[PosedBody], offsets: &[usize], x: &[f64], y: &mut [f64]) {
        let moved = self.points().map(|(body, point, sign)| {
            bodies[body].moved(point, &x[offsets[body]..]).map(|moved| sign * moved)
        });
        let opening = moved.fold([0.0; 3], |opening, moved| sum(&opening, &moved));
        let mut force = [0.0; 3];
        if let Some((n, stiffness)) = self.across {
            let along = dot(&n, &opening);
            force = std::array::from_fn(|i| stiffness * (opening[i] - n[i] * along));
        }
        if let Some(body) = self.carrier {
            let (of, at) = (&bodies[body], offsets[body]);
            force = sum(&force, &cross(&of.turned(&x[at..]), &self.lambda));
            of.add_torque(&cross(&self.lambda, &opening), &mut y[at..]);
            of.add_carried_curvature(&self.lambda, &self.gap, &x[at..], &mut y[at..]);
        }
        for (body, point, sign) in self.points() {
            let (of, at) = (&bodies[body], offsets[body]);
            of.add_force(point, &force.map(|force| sign * force), &mut y[at..]);
            let lambda = self.lambda.map(|lambda| sign * lambda);
            of.add_curvature(point, &lambda, &x[at..], &mut y[at..]);
        }
    }
}

fn place(end: &Endpoint, bodies: &[PosedBody]) -> Option<Vector> {
    match end {
        Endpoint::Body { body, point } => {
            let body = bodies.get(*body).filter(|body| !matches!(body, PosedBody::General { .. }));
            body.map(|body| body.place(point))
        }
        Endpoint::Space(place) => Some(*place),
    }
}
