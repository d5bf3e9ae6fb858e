//! Rigid boxes under gravity on given points.

use ldy::solve::{Law, Options, Report, SolutionSet, Solver};
use ldy::system::{Id, System};
use testing::UNIT;

pub type Point = [f64; 3];

/// A system at rest that falls with the speed 1, so that forces are the weights in units of mass.
pub struct Scene {
    pub system: System,
    pub laws: Vec<Law>,
}

impl Scene {
    pub fn new() -> Self {
        Self { system: System::new(), laws: Vec::new() }
    }

    /// A box that also has this velocity.
    pub fn add_box(&mut self, mass: f64, edges: Point, center: Point, velocity: Point) -> Id {
        let [x, y, z] = edges.map(|edge| edge * edge * mass / 12.0);
        let inertia = [y + z, 0.0, 0.0, 0.0, x + z, 0.0, 0.0, 0.0, x + y];
        let body = self.system.add_rigid(mass, &inertia, &UNIT, &center).unwrap();
        let [x, y, z] = velocity;
        self.system.set_velocity(body, &[0.0, 0.0, 0.0, x, y, z - 1.0]).unwrap();
        body
    }

    /// Contacts whose normal is the third column of a frame.
    pub fn add_contacts(&mut self, bodies: [Option<Id>; 2], frame: &[f64; 9], points: &[Point], law: Law) {
        for &point in points {
            self.system.add_point_constraint(bodies, frame, [point; 2]).unwrap();
            self.laws.push(law);
        }
    }

    /// Solve.
    pub fn solve(&mut self, options: &Options) -> (Report, Vec<f64>) {
        self.system.update(1.0).unwrap();
        let mut forces = vec![0.0; self.system.results().unwrap().b.len()];
        let report = self.system.solve(&mut Solver::new(), &self.laws, options, &mut forces).unwrap();
        (report, forces)
    }

    /// U = B + W R.
    pub fn velocities(&self, forces: &[f64]) -> Vec<f64> {
        let rows = self.system.results().unwrap();
        let mut velocities = rows.b.to_vec();
        for row in 0..rows.w.len() {
            for (column, block) in rows.w.row(row) {
                for (k, w) in block.iter().enumerate() {
                    velocities[3 * row + k % 3] += w * forces[3 * column + k / 3];
                }
            }
        }
        velocities
    }

    /// All solutions.
    pub fn solutions(&mut self) -> (SolutionSet, Vec<f64>) {
        let (report, forces) = self.solve(&Options { tolerance: 1e-12, ..Options::default() });
        assert!(report.residual.scaled < 1e-9, "{report:?}");
        let problem = self.system.results().unwrap().problem();
        (SolutionSet::new(&problem, &self.laws, &forces, 0.0).unwrap(), forces)
    }
}

/// Corners of a rectangle around (x, y) at a height.
pub fn corners([x, y]: [f64; 2], [a, b]: [f64; 2], height: f64) -> [Point; 4] {
    [[x - a, y - b, height], [x + a, y - b, height], [x + a, y + b, height], [x - a, y + b, height]]
}

/// A stack of boxes, each on four points of the one below.
pub fn stack(count: usize, friction: f64) -> Scene {
    let mut scene = Scene::new();
    let mut below = None;
    for level in 0..count {
        let height = level as f64;
        let body = scene.add_box(1.0, [2.0, 1.0, 1.0], [0.0, 0.0, height + 0.5], [0.0; 3]);
        let points = corners([0.0; 2], [1.0, 0.5], height);
        scene.add_contacts([Some(body), below], &UNIT, &points, Law::contact(friction));
        below = Some(body);
    }
    scene
}
