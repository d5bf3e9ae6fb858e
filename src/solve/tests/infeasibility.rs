//! Proofs that there is no solution, by hand: each with a problem close to it that has a solution or lacks the proof.

use crate::math::{Block, Vector};
use crate::solve::frames::NormalThird;
use crate::solve::infeasibility::proves;
use crate::solve::problem::Problem3;
use crate::solve::residual::Norms;
use crate::solve::workspace::Memory;
use crate::solve::{Kind, Law, Normal};

const FREE: f64 = f64::INFINITY;

/// W of two constraints from the entries of their third components, row by row.
fn third(entries: [f64; 4]) -> [Block; 4] {
    entries.map(|entry| {
        let mut block = [0.0; 9];
        block[8] = entry;
        block
    })
}

/// Whether `d` proves that two constraints have no solution.
fn is_proof(w: [Block; 4], q: [Vector; 2], laws: [Law; 2], mut d: [Vector; 2]) -> bool {
    let (starts, columns) = ([0, 2, 4], [0, 1, 0, 1]);
    let problem = Problem3 { starts: &starts, columns: &columns, values: &w, b: &q, normal: Normal::Third };
    let mut memory = Memory::default();
    memory.prepare::<NormalThird>(&problem, &laws).unwrap();
    let norms = Norms::new(&laws, &memory.q, &memory.weights);
    proves::<NormalThird>(&problem, &laws, &memory, &norms, &mut d, &mut [[0.0; 3]; 2])
}

/// A law of the third component; the others are free of force.
fn bounds(lower: f64, upper: f64) -> Law {
    Law { kind: Kind::Bounds { lower: [0.0, 0.0, lower], upper: [0.0, 0.0, upper] }, bias: [0.0; 3] }
}

fn sticky(cohesion: f64) -> Law {
    Law { kind: Kind::contact([0.5; 2], cohesion), bias: [0.0; 3] }
}

/// A vector along the third axis.
fn along(x: f64) -> Vector {
    [0.0, 0.0, x]
}

/// Let the force of a constraint, and no other, move a fixed one: whether there is a proof that its velocity cannot change from
/// `speed` to zero.
fn is_too_fast(speed: f64, law: Law) -> bool {
    let w = third([0.0, 1.0, 1.0, 1.0]);
    is_proof(w, [along(speed), along(0.0)], [Law::fixed(), law], [along(-speed), along(0.0)])
}

#[test]
fn forces_reach_their_finite_bounds_and_no_more() {
    assert!(!is_too_fast(-2.9, bounds(-1.0, 3.0)) && is_too_fast(-3.1, bounds(-1.0, 3.0)));
    assert!(!is_too_fast(0.9, bounds(-1.0, 3.0)) && is_too_fast(1.1, bounds(-1.0, 3.0)));
    // With one bound, forces grow without limit in one direction.
    assert!(!is_too_fast(-1e6, bounds(-1.0, FREE)) && is_too_fast(1.1, bounds(-1.0, FREE)));
    assert!(!is_too_fast(1e6, bounds(-FREE, 3.0)) && is_too_fast(-3.1, bounds(-FREE, 3.0)));
    assert!(!is_too_fast(0.9, bounds(-1.0, FREE)) && !is_too_fast(-2.9, bounds(-FREE, 3.0)));
    // A contact pulls no more than its cohesion.
    assert!(is_too_fast(1e-6, Law::contact(0.5)) && !is_too_fast(-1e6, Law::contact(0.5)));
    assert!(!is_too_fast(2.9, sticky(3.0)) && is_too_fast(3.1, sticky(3.0)));
}

/// A constraint that hardly moves the other one needs forces too large to count, but its finite bound counts.
#[test]
fn growth_begins_at_the_finite_bound() {
    let w = third([0.0, 1e-10, 1e-10, 1.0]);
    let proof = |lower: f64, d: f64| {
        let laws = [Law::fixed(), bounds(lower, FREE)];
        is_proof(w, [along(-1.0), along(0.0)], laws, [along(d), along(0.0)])
    };
    assert!(proof(0.0, 1.0) && proof(5e9, 1.0));
    // At the lower bound the velocity is 1 already.
    assert!(!proof(2e10, 1.0) && proof(2e10, -1.0));
}

/// Forces with the largest product with a are at the edge of Coulomb's cone.
#[test]
fn friction_reaches_across_the_cone() {
    let proof = |friction: f64| {
        let mut w = third([0.0, -0.4, 0.0, 1.0]);
        // The first tangential force moves the fixed constraint, too.
        w[1][2] = 1.0;
        is_proof(
            w,
            [along(-1.0), along(0.0)],
            [Law::fixed(), Law::contact(friction)],
            [along(1.0), along(0.0)],
        )
    };
    assert!(proof(0.3) && !proof(0.5));
}

/// One constraint without W: its velocity stays at `q`, so that only its law counts.
fn is_violation(law: Law, q: Vector, d: Vector) -> bool {
    is_proof([[0.0; 9]; 4], [q, [0.0; 3]], [law, bounds(0.0, 0.0)], [d, [0.0; 3]])
}

#[test]
fn velocities_that_laws_allow_prove_nothing() {
    for (law, allowed) in [(Law::contact(0.5), 1.0), (bounds(0.0, FREE), 1.0), (bounds(-FREE, 0.0), -1.0)] {
        assert!(is_violation(law, along(-allowed), along(allowed)), "{law:?}");
        assert!(!is_violation(law, along(allowed), along(-allowed)), "{law:?}");
        assert!(!is_violation(law, along(allowed), along(allowed)), "{law:?}");
    }
    // A contact slides, and a force between finite bounds has any velocity.
    assert!(!is_violation(Law::contact(0.5), [-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]));
    assert!(is_violation(Law::contact(0.5), [1.0, 0.0, -1.0], [9.0, 0.0, 1.0]));
    for side in [1.0, -1.0] {
        assert!(!is_violation(bounds(-1.0, 1.0), along(side), along(-side)));
        assert!(is_violation(Law::fixed(), along(side), along(-side)));
    }
}

/// The second component moves the first, which does not move the second.
#[test]
fn proofs_of_matrices_that_are_not_symmetric() {
    for (rows_of, is_first_free) in [(3, true), (1, false)] {
        let mut w = [[0.0; 9]; 4];
        w[0][rows_of] = 1.0;
        let proof = |component: usize| {
            let (mut q, mut d) = ([0.0; 3], [0.0; 3]);
            (q[component], d[component]) = (-1.0, 1.0);
            is_proof(w, [q, [0.0; 3]], [Law::fixed(), Law::fixed()], [d, [0.0; 3]])
        };
        assert_eq!([proof(0), proof(1)], [!is_first_free, is_first_free]);
    }
    // The same between two constraints.
    let proof = |entries: [f64; 4]| {
        let laws = [Law::fixed(), Law::fixed()];
        is_proof(third(entries), [along(-1.0), along(0.0)], laws, [along(1.0), along(0.0)])
    };
    assert!(proof([0.0, 0.0, 1.0, 1.0]) && !proof([0.0, 1.0, 0.0, 1.0]));
}

#[test]
fn a_gain_within_rounding_proves_nothing() {
    // Two equal constraints, which cannot have different velocities.
    let proof = |speeds: [f64; 2]| {
        let laws = [Law::fixed(), Law::fixed()];
        let own = |speed: f64| [1.0, 0.0, speed];
        is_proof(third([1.0; 4]), speeds.map(own), laws, [along(1.0), along(-1.0)])
    };
    assert!(proof([-1e-9, 0.0]) && !proof([-1e-14, 0.0]) && !proof([0.0, 0.0]) && !proof([1e-9, 0.0]));
    // Products of d and q that cancel.
    let fixed = |rest: f64| is_violation(Law::fixed(), [1.0, rest - 1.0, 0.0], [1.0, 1.0, 0.0]);
    assert!(fixed(-1e-9) && !fixed(-1e-14));
}

/// The solution has a force as large as W and B demand, but squares of W underflow.
#[test]
fn squares_that_underflow_prove_nothing() {
    let laws = [Law::fixed(), Law::fixed()];
    let w = third([0.0, 1e-170, 1e-170, 3e-170]);
    assert!(!is_proof(w, [along(-1.0), along(0.0)], laws, [along(1.0), along(0.0)]));
}

/// A force of 1e8 times the scale of B is the limit, in any units and with any weights.
#[test]
fn the_limit_of_forces_is_the_same_in_all_units() {
    for [force, speed, weight] in [[1.0; 3], [1e6, 1e-3, 1.0], [1e-9, 1e5, 1.0], [1.0, 1.0, 1e6]] {
        let unit = speed / force;
        let proof = |entry: f64| {
            // The trace of each diagonal block is three times the weight.
            let mut w = third([0.0, entry * unit, entry * unit, 0.0]);
            w[0][0] = 3.0 * unit;
            w[3][0] = 3.0 * unit * weight;
            let laws = [Law::fixed(), Law::fixed()];
            is_proof(w, [along(-speed), along(0.0)], laws, [along(1.0), along(0.0)])
        };
        // The force is speed / entry and counts with the root of its weight, against speed / 1.
        let limit = 1e-8 * f64::sqrt(weight);
        assert!(proof(0.9 * limit) && !proof(1.1 * limit), "{force} {speed} {weight}");
    }
}
