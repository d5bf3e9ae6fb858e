//! K̃ against finite differences of the generalized forces Hᵀ λ.

use super::*;
use crate::kinematics::Point;
use crate::kinematics::pseudo_rigid::PseudoRigid;
use crate::kinematics::rigid::Rigid;
use nalgebra::{DVector, DVectorView};

const IDENTITY: Block = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

fn changed(body: &PosedBody, change: &[f64]) -> PosedBody {
    let at = |place: &Vector, from: usize| std::array::from_fn(|i| place[i] + change[from + i]);
    match body {
        PosedBody::Particle { place } => PosedBody::Particle { place: at(place, 0) },
        PosedBody::Rigid { rotation, center, place } => {
            let turn = Rotation3::new(Vector3::new(change[0], change[1], change[2]));
            let rotation = block(&(Matrix3::from_column_slice(rotation) * turn.matrix()));
            PosedBody::Rigid { rotation, center: *center, place: at(place, 3) }
        }
        PosedBody::PseudoRigid { gradient, center, place } => {
            let rate = Matrix3::from_row_slice(&change[..9]);
            let gradient = block(&(Matrix3::from_column_slice(gradient) + rate));
            PosedBody::PseudoRigid { gradient, center: *center, place: at(place, 9) }
        }
        PosedBody::General { dofs } => PosedBody::General { dofs: *dofs },
    }
}

/// Add `sign` Hᵀ λ for a force at a position in space. For a pseudo-rigid body, which rotates no axes, this is its own point X.
fn add_force(
    body: &PosedBody,
    point: &Vector,
    place: &Vector3<f64>,
    sign: f64,
    lambda: &Vector3<f64>,
    to: &mut [f64],
) {
    let mut add = |point: Point, columns: usize| {
        let mut h = vec![0.0; 3 * columns];
        point.add_operator(sign, &IDENTITY, &mut h);
        for (to, column) in to.iter_mut().zip(h.chunks_exact(3)) {
            *to += Vector3::from_column_slice(column).dot(lambda);
        }
    };
    match body {
        PosedBody::Particle { .. } => to.iter_mut().zip(lambda).for_each(|(to, lambda)| *to += sign * lambda),
        PosedBody::Rigid { rotation, center, place: at } => {
            let arm = Matrix3::from_column_slice(rotation).transpose() * (place - Vector3::from(*at));
            add(Point::Rigid(Rigid { rotation, center }, (arm + Vector3::from(*center)).into()), 6);
        }
        PosedBody::PseudoRigid { center, .. } => add(Point::PseudoRigid(PseudoRigid { center }, *point), 12),
        PosedBody::General { .. } => {}
    }
}

/// Minus the generalized force of one constraint after `change`. Forces in rotated axes have rotated with them since `before`.
fn generalized(
    before: &[PosedBody],
    change: &[f64],
    constraint: &LoadedConstraint,
    offsets: &[usize],
) -> DVector<f64> {
    let after: Vec<PosedBody> =
        before.iter().zip(offsets).map(|(body, at)| changed(body, &change[*at..])).collect();
    let place = |bodies: &[PosedBody], end: &Endpoint| match end {
        Endpoint::Body { body, point } => Vector3::from(bodies[*body].place(point)),
        Endpoint::Space(place) => Vector3::from(*place),
    };
    let turn = |end: &Endpoint| match end {
        Endpoint::Body { body, .. } => match (&before[*body], &after[*body]) {
            (PosedBody::Rigid { rotation: old, .. }, PosedBody::Rigid { rotation: new, .. }) => {
                Matrix3::from_column_slice(new) * Matrix3::from_column_slice(old).transpose()
            }
            _ => Matrix3::identity(),
        },
        Endpoint::Space(_) => Matrix3::identity(),
    };
    let (master, slave) = (place(&after, &constraint.master), place(&after, &constraint.slave));
    // For a body that carries the axes, the force acts at the point of the other body.
    let (lambda, at_master, at_slave) = match constraint.force {
        ConstraintForce::Link { tension } => ((master - slave).normalize() * tension, master, slave),
        ConstraintForce::FixedPoint { force } => (Vector3::from(force), master, slave),
        ConstraintForce::Contact { force, carrier } => {
            let force = Vector3::from(force);
            match carrier {
                Carrier::Space => (force, master, slave),
                Carrier::Master => (turn(&constraint.master) * force, slave, slave),
                Carrier::Slave => (turn(&constraint.slave) * force, master, master),
            }
        }
    };
    let mut sum = DVector::zeros(change.len());
    for (end, place, sign) in [(&constraint.master, at_master, 1.0), (&constraint.slave, at_slave, -1.0)] {
        if let Endpoint::Body { body, point } = end {
            add_force(
                &after[*body],
                point,
                &place,
                sign,
                &lambda,
                &mut sum.as_mut_slice()[offsets[*body]..][..after[*body].dofs()],
            );
        }
    }
    sum
}

proptest! {
    /// The derivatives of generalized forces in a rotating frame are K̃ and, for a rigid body under the torque τ, ½ skew τ.
    #[test]
    fn stiffness_is_the_symmetric_derivative_of_the_forces((bodies, constraints) in scene(1)) {
        let constraint = &constraints[0];
        let stiffness = Stiffness::new(&bodies, &constraints).unwrap();
        let n = stiffness.dofs();
        let force = |change: &[f64]| generalized(&bodies, change, constraint, stiffness.offsets());
        // A difference of fourth order, since the third derivatives of short links would show in a plain central difference.
        let step = 1e-4;
        let mut derivative = DMatrix::zeros(n, n);
        for j in 0..n {
            let at = |steps: f64| {
                let mut change = vec![0.0; n];
                change[j] = steps * step;
                force(&change)
            };
            let difference = (at(1.0) - at(-1.0)) * 8.0 - (at(2.0) - at(-2.0));
            derivative.set_column(j, &(difference / (12.0 * step)));
        }
        let here = force(&vec![0.0; n]);
        let mut expected = dense(&stiffness);
        for (body, at) in bodies.iter().zip(stiffness.offsets()) {
            if let PosedBody::Rigid { .. } = body {
                let torque: DVectorView<f64> = here.rows(*at, 3);
                let skew = Vector3::new(torque[0], torque[1], torque[2]).cross_matrix();
                let mut part = expected.view_mut((*at, *at), (3, 3));
                part += skew * 0.5;
            }
        }
        prop_assert!((&derivative - &expected).amax() < 1e-8, "{derivative}{expected}");
    }

    /// Assembled and matrix-free agree, and the assembled is symmetric to the bit.
    #[test]
    fn blocks_are_the_product((bodies, constraints) in scene(5), x in prop::collection::vec(-1.0..1.0_f64, 36)) {
        let stiffness = Stiffness::new(&bodies, &constraints).unwrap();
        let blocks = StiffnessBlocks::assemble(&stiffness).unwrap();
        let n = stiffness.dofs();
        let (mut free, mut assembled) = (vec![0.0; n], vec![f64::NAN; n]);
        stiffness.product(&x[..n], &mut free);
        blocks.product(&x[..n], &mut assembled);
        for (free, assembled) in free.iter().zip(&assembled) {
            prop_assert!((free - assembled).abs() < 1e-12);
        }
        let k = DMatrix::from_fn(n, n, |i, j| {
            let mut unit = vec![0.0; n];
            unit[j] = 1.0;
            let mut column = vec![0.0; n];
            blocks.product(&unit, &mut column);
            column[i]
        });
        prop_assert_eq!(&k, &k.transpose());
    }

    /// xᵀ K̃ x is the sum over the constraints.
    #[test]
    fn contributions_add_up((bodies, constraints) in scene(5), x in prop::collection::vec(-1.0..1.0_f64, 36)) {
        let stiffness = Stiffness::new(&bodies, &constraints).unwrap();
        let x = &x[..stiffness.dofs()];
        let mut y = vec![0.0; x.len()];
        stiffness.product(x, &mut y);
        let whole: f64 = x.iter().zip(&y).map(|(x, y)| x * y).sum();
        prop_assert!((stiffness.contributions(x).unwrap().iter().sum::<f64>() - whole).abs() < 1e-12);
    }
}

#[test]
fn bad_constraints_are_named() {
    let bodies = [PosedBody::Particle { place: [1.0, 0.0, 0.0] }, PosedBody::General { dofs: 2 }];
    let link = |body, slave, tension| LoadedConstraint {
        force: ConstraintForce::Link { tension },
        master: Endpoint::Body { body, point: [0.0; 3] },
        slave: Endpoint::Space(slave),
    };
    let good = link(0, [0.0; 3], 1.0);
    let error = |bad| Stiffness::new(&bodies, &[good, bad]).map(|_| ()).unwrap_err();
    let of_second = |what| format!("constraint of row 1: {what}");
    let no_body = of_second("a body of it is not there, or has no points");
    assert_eq!(error(link(2, [0.0; 3], 1.0)).to_string(), no_body);
    assert_eq!(error(link(1, [0.0; 3], 1.0)).to_string(), no_body);
    assert_eq!(error(link(0, [1.0, 0.0, 0.0], 1.0)).to_string(), of_second("the link has no direction"));
    let force = ConstraintForce::Contact { force: [1.0; 3], carrier: Carrier::Master };
    let no_axes = of_second("the body that is to turn its axes is not rigid");
    assert_eq!(error(LoadedConstraint { force, ..good }).to_string(), no_axes);
    assert_eq!(error(link(0, [0.0; 3], f64::NAN)), Error::of_rows(NOT_FINITE));
    assert_eq!(error(link(0, [0.0, f64::INFINITY, 0.0], 1.0)), Error::of_rows(NOT_FINITE));
}
