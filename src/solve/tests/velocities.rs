//! Velocities through bodies and with W.

use crate::math::Vector;
use crate::solve::Law;
use crate::solve::body_space::BodySpace;
use crate::solve::frames::NormalThird;
use crate::solve::velocities::{Input, compute};
use crate::solve::workspace::Memory;
use crate::team::Team;
use testing::Random;

use super::dense::Dense;

/// One problem after the other, without factors.
#[test]
fn velocities_through_bodies_are_those_with_w() {
    let mut random = Random::new(14);
    let mut space = BodySpace::default();
    for (rows, dofs) in [(5, 6), (20, 24), (8, 30), (20, 12)] {
        let dense = Dense::new(&mut random, rows, dofs, 1.0);
        let problem = dense.problem3();
        let mut memory = Memory::default();
        memory.prepare::<NormalThird>(&problem, &vec![Law::contact(0.5); rows]).unwrap();
        let Memory { q, roots, .. } = &memory;
        let forces: Vec<Vector> = (0..rows).map(|_| random.array()).collect();
        let input = Input { problem: &problem, q, roots, forces: &forces };
        assert!(space.prepare(&dense, |row| [1.0 / roots[row]; 3]).unwrap());
        let (mut one, mut other) = (vec![[0.0; 3]; rows], vec![[0.0; 3]; rows]);
        compute(&mut Team::alone(), &input, None, &mut one);
        compute(&mut Team::alone(), &input, Some(&mut space), &mut other);
        let size = one.as_flattened().iter().fold(0.0, |most, x| f64::max(most, x.abs()));
        for (one, other) in one.as_flattened().iter().zip(other.as_flattened()) {
            assert!((one - other).abs() < 1e-13 * size, "{rows} {dofs}: {one} {other}");
        }
    }
}
