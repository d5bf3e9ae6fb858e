//! A rigid scene in which each tenth body has a joint of five rows, beside its contacts alone and its joints alone: an update after all
//! bodies have turned. One thread; times are the least, in turns.

use std::time::{Duration, Instant};

use ldy::system::{Id, Operator, System};
use ldy_benches::scenes::STEP;
use ldy_benches::{said, threads};
use testing::{Random, UNIT};

use crate::mixed::{SIDE, least, touch, turn};

/// The most that an update of all may take over updates of its parts.
const MOST_OVER_PARTS: f64 = 1.25;
/// Of so many bodies, one has a joint with the next body.
const JOINT_OF: usize = 10;
/// The rows of a joint.
const ROWS: usize = 5;
const DOFS: usize = 6;

const WARM_UP: usize = 5;
const TURNS: usize = 300;

/// Bodies on a grid, with contacts between neighbors, joints, or both, and the times of updates.
struct Scene {
    system: System,
    bodies: Vec<Id>,
    times: Vec<Duration>,
}

impl Scene {
    fn new(with_contacts: bool, with_joints: bool) -> Result<Self, String> {
        let mut random = Random::new(7);
        let mut system = System::new();
        let count = SIDE.pow(3);
        let rigid = |_| said(system.add_rigid(1.0, &UNIT, &UNIT, &[0.0; 3]));
        let bodies = (0..count).map(rigid).collect::<Result<Vec<Id>, String>>()?;
        if with_contacts {
            touch(&mut system, &bodies)?;
        }
        if with_joints {
            for pair in bodies.windows(2).step_by(JOINT_OF) {
                let mut h = || -> Vec<f64> { (0..ROWS * DOFS).map(|_| random.signed()).collect() };
                let operators = [h(), h()].map(|h| said(Operator::dense(ROWS, DOFS, &h)));
                let operators = operators.into_iter().collect::<Result<Vec<_>, String>>()?;
                said(system.add_constraint_rows(pair, operators))?;
            }
        }
        Ok(Self { system, bodies, times: vec![] })
    }

    fn turn(&mut self, number: usize) -> Result<(), String> {
        turn(&mut self.system, &self.bodies, number)?;
        let start = Instant::now();
        said(self.system.update(STEP))?;
        if number >= WARM_UP {
            self.times.push(start.elapsed());
        }
        Ok(())
    }
}

/// Measure, and print the target.
///
/// # Errors
/// The errors of the library.
pub fn measure() -> Result<(), String> {
    threads::set(1);
    let mut scenes = [Scene::new(true, true)?, Scene::new(true, false)?, Scene::new(false, true)?];
    for number in 0..WARM_UP + TURNS {
        scenes.iter_mut().try_for_each(|scene| scene.turn(number))?;
    }
    let [all, contacts, joints] = scenes.map(|scene| 1e3 * least(scene.times).as_secs_f64());
    println!("rigid-with-odd-row all_ms={all:.4} contacts_ms={contacts:.4} joints_ms={joints:.4}");
    println!("target rigid-with-odd-row {:.3} {MOST_OVER_PARTS}", all / (contacts + joints));
    Ok(())
}
