//! Systems at rest, whose small oscillations are watched.

use super::System;
use ldy::stability::{ConstraintForce, Endpoint, LoadedConstraint, PosedBody};
use nalgebra::{DMatrix, DVector, Vector3};

const GRAVITY: f64 = 9.81;

fn on(body: usize) -> Endpoint {
    Endpoint::Body { body, point: [0.0; 3] }
}

/// Particles linked in a row from `first` on, each link in the direction of `pulls[k]` times its length; the last link
/// ends at a particle or, if there are more pulls than masses, in space.
fn particles(name: &'static str, masses: &[f64], pulls: &[Vector3<f64>], lengths: &[f64]) -> System {
    let mut places = vec![Vector3::zeros()];
    for (pull, length) in pulls.iter().zip(lengths) {
        places.push(places.last().expect("the first") + pull.normalize() * *length);
    }
    let end =
        |k: usize| if k == 0 || k > masses.len() { Endpoint::Space(places[k].into()) } else { on(k - 1) };
    let link = |k| LoadedConstraint {
        force: ConstraintForce::Link { tension: 0.0 },
        master: end(k + 1),
        slave: end(k),
    };
    let n = masses.len();
    System {
        name,
        bodies: (1..=n).map(|k| PosedBody::Particle { place: places[k].into() }).collect(),
        mass: DMatrix::from_fn(3 * n, 3 * n, |i, j| if i == j { masses[i / 3] } else { 0.0 }),
        load: DVector::from_fn(3 * n, |i, _| if i % 3 == 2 { -GRAVITY * masses[i / 3] } else { 0.0 }),
        constraints: (0..pulls.len()).map(link).collect(),
        velocity: DVector::zeros(3 * n),
    }
}

/// Equal beads that hang from the first place.
pub fn beads(name: &'static str, count: usize) -> System {
    hanging(name, &vec![0.1; count], &vec![0.1; count])
}

/// A thread that hangs straight.
pub fn hanging(name: &'static str, masses: &[f64], lengths: &[f64]) -> System {
    particles(name, masses, &vec![Vector3::new(0.0, 0.0, -1.0); masses.len()], lengths)
}

/// A thread between two places. The pull at a particle balances its weight: from one link to the next, its vertical part
/// changes by the weight, and its horizontal part does not. `horizontal` is in units of one weight.
pub fn catenary(name: &'static str, count: usize, horizontal: f64) -> System {
    bowed(name, count, horizontal, 1.0)
}

/// The same upside down: all links pressed.
pub fn arch(name: &'static str, count: usize, horizontal: f64) -> System {
    bowed(name, count, horizontal, -1.0)
}

fn bowed(name: &'static str, count: usize, horizontal: f64, sign: f64) -> System {
    let middle = count as f64 / 2.0;
    let pulls: Vec<_> =
        (0..=count).map(|k| Vector3::new(horizontal, 0.0, sign * (k as f64 - middle))).collect();
    particles(name, &vec![0.1; count], &pulls, &vec![0.1; count + 1])
}

/// A thread between two places that forces on its particles hold in a helix, every link turned by `bend` against the
/// last: no motion of it is across all links.
pub fn helix(name: &'static str, masses: &[f64], bend: f64) -> System {
    let pulls: Vec<_> = (0..=masses.len())
        .map(|k| {
            let (s, c) = (bend * k as f64).sin_cos();
            Vector3::new(c, s, 0.4)
        })
        .collect();
    let mut system = particles(name, masses, &pulls, &vec![0.1; pulls.len()]);
    system.load = DVector::from_fn(3 * masses.len(), |i, _| pulls[i / 3][i % 3] - pulls[i / 3 + 1][i % 3]);
    system
}

/// Bricks that hang below each other, joined at points in the middle of their upper and lower faces.
pub fn bricks(name: &'static str, count: usize) -> System {
    let (mass, size) = (2.0, [0.1_f64, 0.2, 0.3]);
    let inertia = |i: usize| mass / 12.0 * (size[(i + 1) % 3].powi(2) + size[(i + 2) % 3].powi(2));
    let face = |sign: f64| [0.0, 0.0, sign * size[2] / 2.0];
    let brick = |k: usize| PosedBody::Rigid {
        rotation: [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
        center: [0.0; 3],
        place: [0.0, 0.0, -size[2] * (k as f64 + 0.5)],
    };
    let joint = |k: usize| LoadedConstraint {
        force: ConstraintForce::FixedPoint { force: [0.0; 3] },
        master: Endpoint::Body { body: k, point: face(1.0) },
        slave: if k == 0 {
            Endpoint::Space([0.0; 3])
        } else {
            Endpoint::Body { body: k - 1, point: face(-1.0) }
        },
    };
    let n = 6 * count;
    let diagonal = |i: usize| if i % 6 < 3 { inertia(i % 6) } else { mass };
    System {
        name,
        bodies: (0..count).map(brick).collect(),
        mass: DMatrix::from_fn(n, n, |i, j| if i == j { diagonal(i) } else { 0.0 }),
        load: DVector::from_fn(n, |i, _| if i % 6 == 5 { -GRAVITY * mass } else { 0.0 }),
        constraints: (0..count).map(joint).collect(),
        velocity: DVector::zeros(n),
    }
}
