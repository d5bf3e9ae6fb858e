//! Momentum of single forces.

use crate::math::{Block, Vector};
use crate::solve::frames::NormalThird;
use crate::solve::gauss_seidel::Sweeps;
use crate::solve::problem::{Law, Normal, Problem3};
use crate::solve::workspace::Memory;
use crate::team::Team;

const COUNT: usize = 8;
const UNIT: Block = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// Eight constraints without a common body: a sweep makes each force what the test wants.
struct Apart {
    starts: Vec<i32>,
    columns: Vec<i32>,
    sweeps: Sweeps,
}

impl Apart {
    fn new() -> Self {
        let starts: Vec<i32> = (0..=COUNT as i32).collect();
        let columns = starts[..COUNT].to_vec();
        let mut apart = Self { starts, columns, sweeps: Sweeps::default() };
        apart.prepare();
        apart
    }

    /// Begin with a new problem and no forces.
    fn prepare(&mut self) {
        let Self { starts, columns, sweeps } = self;
        let b = [[0.0; 3]; COUNT];
        let problem = Problem3 { starts, columns, values: &[UNIT; COUNT], b: &b, normal: Normal::Third };
        sweeps.prepare(&problem).unwrap();
        sweeps.begin(&b);
        sweeps.rest();
    }

    /// Sweep to these forces, then push with the share 0.5. Returns the forces after that.
    fn sweep_to(&mut self, targets: &[f64; COUNT]) -> Vec<f64> {
        let b: Vec<Vector> = targets.iter().map(|x| [-x, 0.0, 0.0]).collect();
        let (values, laws) = ([UNIT; COUNT], [Law::fixed(); COUNT]);
        let Self { starts, columns, sweeps } = self;
        let problem = Problem3 { starts, columns, values: &values, b: &b, normal: Normal::Third };
        let mut memory = Memory::default();
        memory.prepare::<NormalThird>(&problem, &laws).unwrap();
        let team = &mut Team::if_it_pays(false);
        sweeps.sweep::<NormalThird>(team, &problem, &memory);
        sweeps.push::<NormalThird>(team, &laws, &memory.weights, 0.5);
        let mut forces = [[0.0; 3]; COUNT];
        sweeps.read(&mut forces);
        forces.iter().map(|force| force[0]).collect()
    }
}

#[test]
fn a_force_that_turns_back_alone_loses_half_of_its_momentum() {
    let mut apart = Apart::new();
    assert_eq!(apart.sweep_to(&[1.0; COUNT]), [1.5; COUNT]);
    let mut targets = [1.5; COUNT];
    targets[0] = 1.25;
    // It came from 1 and was pushed to 1.5: it moves on by half of a half of 0.25. The others came from 1, too.
    let expected: Vec<f64> = targets.iter().map(|x| if *x < 1.5 { 1.3125 } else { 1.75 }).collect();
    assert_eq!(apart.sweep_to(&targets), expected);
    // The part of momentum grows again, slowly.
    targets[0] = 2.25;
    let pushed = apart.sweep_to(&targets)[0];
    assert!((pushed - (2.25 + 0.5 * 0.503)).abs() < 1e-12, "{pushed}");
    // The next problem knows nothing of it.
    apart.prepare();
    assert_eq!(apart.sweep_to(&[1.0; COUNT]), [1.5; COUNT]);
}

#[test]
fn forces_that_turn_back_together_keep_their_momentum() {
    let mut apart = Apart::new();
    assert_eq!(apart.sweep_to(&[1.0; COUNT]), [1.5; COUNT]);
    assert_eq!(apart.sweep_to(&[1.25; COUNT]), [1.375; COUNT]);
}
