//! A system with rows of three, one and six scalars beside systems with the parts of it; and rows of one beside the same
//! scalars in rows of three.

use std::time::{Duration, Instant};

use ldy::system::{Id, Inertia, Kinematics, Operator, System};
use testing::UNIT;

use ldy_benches::said;
use ldy_benches::scenes::STEP;
use testing::Random;

/// Bodies along each side of a grid of rigid ones, each touching its neighbors.
pub const SIDE: usize = 8;
/// Robots, each with velocities, one row of friction loss for most of these, and feet that are welds.
const ROBOTS: usize = 24;
const DOFS: usize = 34;
const LOSSES: usize = 30;
const FEET: usize = 2;

/// The most that an update of all may take over updates of its parts.
const MOST_OVER_PARTS: f64 = 1.1;

const WARM_UP: usize = 5;
const TURNS: usize = 200;

/// The parts of a system.
#[derive(Clone, Copy)]
struct Parts {
    grid: bool,
    /// The number of rows for the losses of each.
    robots: Option<usize>,
}

struct Scene {
    system: System,
    grid: Vec<Id>,
    robots: Vec<Id>,
    contacts: Vec<Id>,
    inverses: Vec<Vec<f64>>,
    values: Vec<Duration>,
    structure: Vec<Duration>,
}

impl Scene {
    fn new(parts: Parts) -> Result<Self, String> {
        let mut random = Random::new(5);
        let mut scene = Self {
            system: System::new(),
            grid: vec![],
            robots: vec![],
            contacts: vec![],
            inverses: vec![],
            values: vec![],
            structure: vec![],
        };
        // Everywhere contacts come and go, if only one.
        for k in 0..if parts.grid { SIDE.pow(3) } else { 2 } {
            scene.grid.push(said(scene.system.add_rigid(1.0, &UNIT, &UNIT, &place(k)))?);
        }
        for _ in 0..parts.robots.map_or(0, |_| ROBOTS) {
            let inverse: Vec<f64> = (0..DOFS * DOFS)
                .map(|k| if k % (DOFS + 1) == 0 { 2.0 } else { 0.01 / (1.0 + (k / DOFS + k % DOFS) as f64) })
                .collect();
            let inertia = said(Inertia::dense(DOFS, &inverse))?;
            scene.robots.push(said(scene.system.add_body(DOFS, Kinematics::General, inertia))?);
            scene.inverses.push(inverse);
        }
        if let Some(rows) = parts.robots {
            for &robot in &scene.robots {
                for first in (0..LOSSES).step_by(rows) {
                    let mut h = vec![0.0; rows * DOFS];
                    (0..rows).for_each(|i| h[rows * (first + i + 4) + i] = 1.0);
                    let operator = said(Operator::dense(rows, DOFS, &h))?;
                    said(scene.system.add_constraint_rows(&[robot], vec![operator]))?;
                }
                for _ in 0..FEET {
                    let h: Vec<f64> = (0..6 * DOFS).map(|_| random.signed()).collect();
                    for part in 0..if rows == 3 { 2 } else { 1 } {
                        let height = if rows == 3 { 3 } else { 6 };
                        let of = h.chunks_exact(6).flat_map(|column| &column[3 * part..3 * part + height]);
                        let operator = said(Operator::dense(height, DOFS, &of.copied().collect::<Vec<_>>()))?;
                        said(scene.system.add_constraint_rows(&[robot], vec![operator]))?;
                    }
                }
            }
        }
        scene.contacts = touch(&mut scene.system, &scene.grid)?;
        Ok(scene)
    }

    /// All inertias and rotations change; then every contact is another one.
    fn turn(&mut self, number: usize) -> Result<(), String> {
        let start = Instant::now();
        turn(&mut self.system, &self.grid, number)?;
        for (&robot, inverse) in self.robots.iter().zip(&self.inverses) {
            said(self.system.set_inertia(robot, said(Inertia::dense(DOFS, inverse))?))?;
        }
        said(self.system.update(STEP))?;
        let values = start.elapsed();
        for id in std::mem::take(&mut self.contacts) {
            said(self.system.remove_constraint(id))?;
        }
        self.contacts = touch(&mut self.system, &self.grid)?;
        for (&robot, inverse) in self.robots.iter().zip(&self.inverses) {
            said(self.system.set_inertia(robot, said(Inertia::dense(DOFS, inverse))?))?;
        }
        let start = Instant::now();
        said(self.system.update(STEP))?;
        if number >= WARM_UP {
            self.values.push(values);
            self.structure.push(start.elapsed());
        }
        Ok(())
    }
}

/// Others may have the processor for a while: of many turns some have it alone.
pub fn least(times: Vec<Duration>) -> Duration {
    times.into_iter().min().unwrap_or_default()
}

/// Where a body of the grid is.
fn place(k: usize) -> [f64; 3] {
    [k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE)].map(|i| i as f64)
}

/// Put contacts between all neighbors of a grid.
pub fn touch(system: &mut System, grid: &[Id]) -> Result<Vec<Id>, String> {
    let mut contacts = vec![];
    for k in 0..grid.len() {
        for step in [1, SIDE, SIDE * SIDE] {
            if k / step % SIDE + 1 < SIDE && k + step < grid.len() {
                let (a, b) = (place(k), place(k + step));
                let middle = [0, 1, 2].map(|i| 0.5 * (a[i] + b[i]));
                let bodies = [Some(grid[k]), Some(grid[k + step])];
                contacts.push(said(system.add_point_constraint(bodies, &UNIT, [middle; 2]))?);
            }
        }
    }
    Ok(contacts)
}

/// Give all bodies of a grid the rotation with this number.
pub fn turn(system: &mut System, grid: &[Id], number: usize) -> Result<(), String> {
    let (s, c) = (0.1 * number as f64).sin_cos();
    grid.iter().try_for_each(|&body| said(system.set_rotation(body, &[c, s, 0.0, -s, c, 0.0, 0.0, 0.0, 1.0])))
}

/// Measure and print the targets.
pub fn measure() -> Result<(), String> {
    let of = |grid, robots| Scene::new(Parts { grid, robots });
    let mut scenes = [of(true, None)?, of(false, Some(1))?, of(true, Some(1))?, of(false, Some(3))?];
    for number in 0..WARM_UP + TURNS {
        scenes.iter_mut().try_for_each(|scene| scene.turn(number))?;
    }
    let [grid, robots, all, triples] = scenes.map(|scene| [scene.values, scene.structure].map(least));
    let seconds = |time: Duration| time.as_secs_f64();
    let mut worst: f64 = 0.0;
    for (k, what) in ["values", "contacts"].into_iter().enumerate() {
        let over_parts = seconds(all[k]) / (seconds(grid[k]) + seconds(robots[k]));
        println!(
            "mixed-rows change={what} all={:.3e} grid={:.3e} robots={:.3e} over_parts={over_parts:.3}",
            seconds(all[k]),
            seconds(grid[k]),
            seconds(robots[k]),
        );
        worst = worst.max(over_parts);
    }
    println!("target mixed-rows {worst:.3} {MOST_OVER_PARTS}");
    let over_triples = seconds(robots[0]) / seconds(triples[0]);
    println!("scalar-rows rows_of_three={:.3e} over_triples={over_triples:.3}", seconds(triples[0]));
    Ok(())
}
