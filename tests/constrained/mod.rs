//! Particles and rigid bodies with links and fixed points, simulated with dense matrices: slow, and independent of the
//! stiffness that it is to check.

mod scenes;

pub use scenes::{arch, beads, bricks, catenary, hanging, helix};

use ldy::kinematics::Point;
use ldy::kinematics::rigid::Rigid;
use ldy::stability::{ConstraintForce, Endpoint, LoadedConstraint, PosedBody};
use nalgebra::{DMatrix, DVector, Matrix3, Rotation3, Vector3};

/// How a step is made; both solve H u = 0 for the reactions of the step.
#[derive(Clone, Copy)]
pub enum Scheme {
    /// u += h M⁻¹ (f + Hᵀ R (q)), then q += h u.
    SemiImplicit,
    /// Half a step of q before, and half a step after, theory (5)–(7).
    HalfSteps,
}

#[derive(Clone)]
pub struct System {
    pub name: &'static str,
    pub bodies: Vec<PosedBody>,
    /// M, block-diagonal.
    pub mass: DMatrix<f64>,
    /// Generalized external forces, constant.
    pub load: DVector<f64>,
    /// The forces in them are found by [`System::reactions`].
    pub constraints: Vec<LoadedConstraint>,
    pub velocity: DVector<f64>,
}

impl System {
    fn offsets(&self) -> Vec<usize> {
        let ends = self.bodies.iter().scan(0, |end, body| {
            *end += body.dofs();
            Some(*end)
        });
        std::iter::once(0).chain(ends).collect()
    }

    fn place(&self, end: &Endpoint) -> Vector3<f64> {
        Vector3::from(match end {
            Endpoint::Body { body, point } => self.bodies[*body].place(point),
            Endpoint::Space(place) => *place,
        })
    }

    /// ∂ψ/∂q: a row for a link, three for a fixed point.
    pub fn jacobian(&self) -> DMatrix<f64> {
        let offsets = self.offsets();
        let mut rows = Vec::new();
        for constraint in &self.constraints {
            let mut full = DMatrix::zeros(3, self.mass.nrows());
            for (end, sign) in [(&constraint.master, 1.0), (&constraint.slave, -1.0)] {
                if let Endpoint::Body { body, point } = end {
                    let mut part = full.columns_mut(offsets[*body], self.bodies[*body].dofs());
                    part += operator(&self.bodies[*body], point) * sign;
                }
            }
            match constraint.force {
                ConstraintForce::Link { .. } => {
                    let n = (self.place(&constraint.master) - self.place(&constraint.slave)).normalize();
                    rows.push((n.transpose() * full).row(0).into_owned());
                }
                _ => rows.extend((0..3).map(|row| full.row(row).into_owned())),
            }
        }
        DMatrix::from_rows(&rows)
    }

    /// The constraints with the forces λ that keep the system at rest, M u̇ = f − Jᵀ λ = 0 as well as they can.
    pub fn reactions(&self) -> Vec<LoadedConstraint> {
        let j = self.jacobian();
        let weights = &j * self.inverse() * j.transpose();
        let lambda =
            weights.lu().solve(&(&j * self.inverse() * &self.load)).expect("independent constraints");
        let mut lambda = lambda.iter().copied();
        let mut next = || lambda.next().expect("as many as rows");
        let forces = self.constraints.iter().map(|constraint| match constraint.force {
            ConstraintForce::Link { .. } => ConstraintForce::Link { tension: next() },
            _ => ConstraintForce::FixedPoint { force: [next(), next(), next()] },
        });
        let loaded = forces
            .zip(&self.constraints)
            .map(|(force, constraint)| LoadedConstraint { force, ..*constraint });
        loaded.collect()
    }

    pub fn inverse(&self) -> DMatrix<f64> {
        self.mass.clone().try_inverse().expect("a positive mass")
    }

    /// Moves every body on with its velocity.
    fn advance(&mut self, step: f64) {
        let offsets = self.offsets();
        for (body, at) in self.bodies.iter_mut().zip(offsets) {
            let part = |from: usize| Vector3::from_fn(|i, _| step * self.velocity[at + from + i]);
            match body {
                PosedBody::Particle { place } => *place = (Vector3::from(*place) + part(0)).into(),
                PosedBody::Rigid { rotation, place, .. } => {
                    let turned = Matrix3::from_column_slice(rotation) * Rotation3::new(part(0)).matrix();
                    rotation.copy_from_slice(turned.as_slice());
                    *place = (Vector3::from(*place) + part(3)).into();
                }
                PosedBody::PseudoRigid { .. } | PosedBody::General { .. } => unreachable!("no scene has one"),
            }
        }
    }

    fn step(&mut self, scheme: Scheme, inverse: &DMatrix<f64>, h: f64) {
        let before = match scheme {
            Scheme::SemiImplicit => 0.0,
            Scheme::HalfSteps => h / 2.0,
        };
        self.advance(before);
        let j = self.jacobian();
        let free = &self.velocity + inverse * &self.load * h;
        let response = inverse * j.transpose();
        let weights = &j * &response;
        let lambda = weights.lu().solve(&(&j * &free)).expect("independent constraints");
        self.velocity = free - response * lambda;
        self.advance(h - before);
    }

    /// Whether small oscillations stay small in steps of h.
    pub fn stays(&self, scheme: Scheme, h: f64) -> bool {
        let (mut system, inverse) = (self.clone(), self.inverse());
        let small = 1e-7;
        system.velocity = DVector::from_fn(self.mass.nrows(), |i, _| small * (1.0 + i as f64 * 2.3).sin());
        (0..1500).all(|_| {
            system.step(scheme, &inverse, h);
            system.velocity.amax() < 1e4 * small
        })
    }

    /// The longest step in which they do, by bisection to a ten-thousandth. A guess within 0.2 % needs few simulations.
    pub fn longest_step(&self, scheme: Scheme, guess: f64) -> f64 {
        let (mut short, mut long) = (guess, guess);
        while !self.stays(scheme, short) {
            short *= 0.998;
        }
        while self.stays(scheme, long) {
            long *= 1.002;
        }
        while long / short > 1.0001 {
            let middle = (short * long).sqrt();
            *(if self.stays(scheme, middle) { &mut short } else { &mut long }) = middle;
        }
        (short * long).sqrt()
    }
}

/// H in the axes of space.
fn operator(body: &PosedBody, point: &[f64; 3]) -> DMatrix<f64> {
    match body {
        PosedBody::Particle { .. } => DMatrix::identity(3, 3),
        PosedBody::Rigid { rotation, center, .. } => {
            let mut h = [0.0; 18];
            let axes = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
            Point::Rigid(Rigid { rotation, center }, *point).add_operator(1.0, &axes, &mut h);
            DMatrix::from_column_slice(3, 6, &h)
        }
        PosedBody::PseudoRigid { .. } | PosedBody::General { .. } => unreachable!("no scene has one"),
    }
}
