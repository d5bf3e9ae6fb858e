//! Newton's method: its steps are the same in the space of contacts and in the space of bodies.

use crate::math::Vector;
use crate::solve::frames::NormalThird;
use crate::solve::newton::{Equations, Newton};
use crate::solve::velocities::{Input, compute};
use crate::solve::workspace::Memory;
use crate::solve::{Kind, Law};
use crate::team::Team;
use testing::Random;

use super::dense::Dense;

/// Contacts that stick, slide or are open, bounds, and joints.
fn law(row: usize) -> Law {
    let bounds = |lower, upper| Law { kind: Kind::Bounds { lower, upper }, bias: [0.0; 3] };
    match row % 4 {
        0 => Law::contact(0.8),
        1 => Law::contact(0.2),
        2 => bounds([-0.3, 0.0, f64::NEG_INFINITY], [0.2, f64::INFINITY, 0.1]),
        _ => bounds([f64::NEG_INFINITY; 3], [f64::INFINITY; 3]),
    }
}

#[test]
fn steps_are_the_same_in_both_spaces() {
    let mut random = Random::new(11);
    for number in 0..60 {
        let rows = 12;
        let dense = Dense::new(&mut random, rows, 18, 1.0);
        let problem = dense.problem3();
        let laws: Vec<Law> = (0..rows).map(law).collect();
        let mut memory = Memory::default();
        memory.prepare::<NormalThird>(&problem, &laws).unwrap();
        let center: Vec<Vector> = (0..rows).map(|_| random.array()).collect();
        let forces: Vec<Vector> = (0..rows).map(|_| random.array()).collect();
        let mut newton = Newton::default();
        newton.prepare(&problem, u64::MAX).unwrap().unwrap();
        let mut bodies = dense.body_space(&memory.roots);
        // What interior points leave behind does not matter.
        bodies.correct(&mut Team::alone(), |row| forces[row]);
        for (alpha, alpha_of_joints) in [(0.5, 0.5), (1e-2, 1e-6), (1e-5, 1e-5)] {
            let Memory { q, roots, .. } = &memory;
            let mut velocities = vec![[0.0; 3]; rows];
            let input = Input { problem: &problem, q, roots, forces: &forces };
            compute(&mut Team::alone(), &input, None, &mut velocities);
            let equations = Equations {
                problem: &problem,
                laws: &laws,
                roots,
                alpha,
                alpha_of_joints,
                center: &center,
                velocities: &velocities,
            };
            let [mut one, mut other] = [forces.clone(), forces.clone()];
            assert!(newton.step::<NormalThird>(&mut Team::alone(), &equations, None, &mut one));
            assert!(newton.step::<NormalThird>(
                &mut Team::alone(),
                &equations,
                Some(&mut bodies),
                &mut other
            ));
            let size = one.as_flattened().iter().fold(0.0, |most, x| f64::max(most, x.abs()));
            for (one, other) in one.as_flattened().iter().zip(other.as_flattened()) {
                assert!((one - other).abs() < 1e-7 * size, "{number} {alpha}: {one} {other}");
            }
        }
    }
}
