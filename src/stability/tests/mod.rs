mod derivatives;
mod free_motion;
mod projection;
mod thread;

use super::*;
use crate::math::{Block, Vector};
use nalgebra::{DMatrix, Matrix3, Rotation3, Vector3};
use proptest::prelude::*;
use testing::matrices::block;

fn vector() -> impl Strategy<Value = Vector> {
    prop::array::uniform3(-1.0..1.0_f64)
}

fn rigid() -> impl Strategy<Value = PosedBody> {
    (vector(), vector(), vector()).prop_map(|(turn, center, place)| PosedBody::Rigid {
        rotation: block(Rotation3::new(Vector3::from(turn) * 3.0).matrix()),
        center,
        place,
    })
}

fn pseudo_rigid() -> impl Strategy<Value = PosedBody> {
    (prop::array::uniform9(-1.0..1.0_f64), vector(), vector())
        .prop_map(|(gradient, center, place)| PosedBody::PseudoRigid { gradient, center, place })
}

fn body() -> impl Strategy<Value = PosedBody> {
    prop_oneof![rigid(), pseudo_rigid(), vector().prop_map(|place| PosedBody::Particle { place })]
}

fn end() -> impl Strategy<Value = Endpoint> {
    let on = |body| vector().prop_map(move |point| Endpoint::Body { body, point });
    prop_oneof![on(0), on(1), on(2), vector().prop_map(Endpoint::Space)]
}

fn force() -> impl Strategy<Value = ConstraintForce> {
    let carrier = prop_oneof![Just(Carrier::Space), Just(Carrier::Master), Just(Carrier::Slave)];
    prop_oneof![
        (-1.0..1.0_f64).prop_map(|tension| ConstraintForce::Link { tension }),
        vector().prop_map(|force| ConstraintForce::FixedPoint { force }),
        (vector(), carrier).prop_map(|(force, carrier)| ConstraintForce::Contact { force, carrier }),
    ]
}

/// Whether the body that is to turn a contact's axes can.
fn is_carried(bodies: &[PosedBody], constraint: &LoadedConstraint) -> bool {
    let can = |end: &Endpoint| match end {
        Endpoint::Body { body, .. } => matches!(bodies[*body], PosedBody::Rigid { .. }),
        Endpoint::Space(_) => true,
    };
    match constraint.force {
        ConstraintForce::Contact { carrier: Carrier::Master, .. } => can(&constraint.master),
        ConstraintForce::Contact { carrier: Carrier::Slave, .. } => can(&constraint.slave),
        _ => true,
    }
}

/// Three bodies and constraints between any of their points and points in space; the ends of no link are close, and axes are
/// turned by what can turn them.
fn scene(constraints: usize) -> impl Strategy<Value = (Vec<PosedBody>, Vec<LoadedConstraint>)> {
    let constraint =
        (force(), end(), end()).prop_map(|(force, master, slave)| LoadedConstraint { force, master, slave });
    (prop::collection::vec(body(), 3), prop::collection::vec(constraint, constraints)).prop_filter(
        "links have lengths, axes are turned by rigid bodies",
        |(bodies, constraints)| {
            let place = |end: &Endpoint| match end {
                Endpoint::Body { body, point } => bodies[*body].place(point),
                Endpoint::Space(place) => *place,
            };
            let carried = constraints.iter().all(|constraint| is_carried(bodies, constraint));
            carried
                && constraints.iter().all(|constraint| {
                    !matches!(constraint.force, ConstraintForce::Link { .. })
                        || (Vector3::from(place(&constraint.master))
                            - Vector3::from(place(&constraint.slave)))
                        .norm()
                            > 0.3
                })
        },
    )
}

/// K̃ column by column.
fn dense(stiffness: &Stiffness) -> DMatrix<f64> {
    let n = stiffness.dofs();
    let (mut x, mut k) = (vec![0.0; n], DMatrix::zeros(n, n));
    for j in 0..n {
        x[j] = 1.0;
        stiffness.product(&x, k.column_mut(j).as_mut_slice());
        x[j] = 0.0;
    }
    k
}

/// A thread of particles of mass 1 held at the first place; the tension of each of its links.
fn thread(places: &[Vector], tensions: &[f64]) -> (Vec<PosedBody>, Vec<LoadedConstraint>) {
    let bodies = places[1..].iter().map(|place| PosedBody::Particle { place: *place }).collect();
    let on = |body| Endpoint::Body { body, point: [0.0; 3] };
    let links = tensions.iter().enumerate().map(|(k, tension)| LoadedConstraint {
        force: ConstraintForce::Link { tension: *tension },
        master: on(k),
        slave: if k == 0 { Endpoint::Space(places[0]) } else { on(k - 1) },
    });
    (bodies, links.collect())
}
