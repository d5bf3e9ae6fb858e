//! Five thousand spheres that fall into a box and come to rest on each other, and the problem of friction of a step.

use std::collections::BTreeMap;

use ldy::solve::{Law, Options, Solver};
use ldy::system::{Id, System};
use testing::UNIT;

type Vector = [f64; 3];

/// Spheres along each edge of the box's floor, and layers.
const SIDE: usize = 16;
const LAYERS: usize = 20;
/// Their number, cut from 16 · 16 · 20.
pub const COUNT: usize = 5000;

const RADIUS: f64 = 0.1;
const DENSITY: f64 = 1000.0;
const STEP: f64 = 0.005;
const GRAVITY: f64 = 10.0;
const FRICTION: f64 = 0.4;
/// Contacts are found while the gap is less than this.
const NEAR: f64 = 0.1 * RADIUS;

/// Spheres of several sizes. They do not turn in what is seen: their inertia is the same about all axes.
pub struct Pile {
    radii: Vec<f64>,
    places: Vec<Vector>,
    velocities: Vec<[f64; 6]>,
    width: f64,
    /// Forces of the last step in spatial axes, by sphere and partner: another sphere, or a plane, numbered after the spheres.
    forces: BTreeMap<(usize, usize), Vector>,
}

/// A problem of friction, and where to begin with it.
pub struct Step {
    /// The system that has it, updated.
    pub system: System,
    /// A law for each row.
    pub laws: Vec<Law>,
    /// The forces of the step before.
    pub warm: Vec<Vector>,
    touching: Vec<Touching>,
}

struct Touching {
    pair: (usize, usize),
    /// Axes, the third of which is the normal, from the second to the first.
    frame: [f64; 9],
}

impl Pile {
    /// Loosely in layers.
    pub fn new() -> Self {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let pitch = 2.02 * RADIUS;
        let width = pitch * SIDE as f64;
        let mut pile = Self {
            radii: Vec::new(),
            places: Vec::new(),
            velocities: vec![[0.0; 6]; COUNT],
            width,
            forces: BTreeMap::new(),
        };
        for k in 0..(SIDE * SIDE * LAYERS).min(COUNT) {
            let cell = [k % SIDE, k / SIDE % SIDE, k / SIDE / SIDE];
            pile.radii.push(RADIUS * (0.85 + 0.15 * random()));
            pile.places.push(cell.map(|cell| pitch * (cell as f64 + 0.5) + 0.05 * RADIUS * (random() - 0.5)));
        }
        pile
    }

    /// The problem of the next step.
    pub fn problem(&self) -> Step {
        let mut system = System::new();
        let mut ids: Vec<Id> = Vec::new();
        for ((place, radius), velocity) in self.places.iter().zip(&self.radii).zip(&self.velocities) {
            let mass = DENSITY * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
            let inertia = UNIT.map(|x| 0.4 * mass * radius * radius * x);
            let id = system.add_rigid(mass, &inertia, &UNIT, place).expect("a sphere");
            let mut free = *velocity;
            free[5] -= STEP * GRAVITY;
            system.set_velocity(id, &free).expect("six values");
            ids.push(id);
        }
        let (mut laws, mut warm, mut touching) = (Vec::new(), Vec::new(), Vec::new());
        for (pair, normal, point, gap) in self.contacts() {
            let frame = frame(normal);
            let bodies = [Some(ids[pair.0]), ids.get(pair.1).copied()];
            system.add_point_constraint(bodies, &frame, [point, point]).expect("a contact");
            laws.push(Law { bias: [0.0, 0.0, gap.max(0.0) / STEP], ..Law::contact(FRICTION) });
            let force = self.forces.get(&pair).copied().unwrap_or_default();
            warm.push(std::array::from_fn(|i| (0..3).map(|k| frame[3 * i + k] * force[k]).sum()));
            touching.push(Touching { pair, frame });
        }
        system.update(STEP).expect("a system");
        Step { system, laws, warm, touching }
    }

    /// Make a step with these forces.
    pub fn advance(&mut self, step: &Step, forces: &[Vector]) {
        self.forces.clear();
        for (Touching { pair, frame }, r) in step.touching.iter().zip(forces) {
            let force = std::array::from_fn(|k| (0..3).map(|i| frame[3 * i + k] * r[i]).sum());
            self.forces.insert(*pair, force);
        }
        let mut system_forces = vec![[0.0; 6]; COUNT];
        for (id, force) in step.system.bodies().map(|(id, _)| id).zip(&mut system_forces) {
            step.system.constraint_force(id, forces.as_flattened(), force).expect("a body");
        }
        for (k, force) in system_forces.iter().enumerate() {
            let mass = DENSITY * 4.0 / 3.0 * std::f64::consts::PI * self.radii[k].powi(3);
            let inertia = 0.4 * mass * self.radii[k] * self.radii[k];
            let velocity = &mut self.velocities[k];
            velocity[5] -= STEP * GRAVITY;
            for i in 0..3 {
                velocity[i] += STEP * force[i] / inertia;
                velocity[3 + i] += STEP * force[3 + i] / mass;
                self.places[k][i] += STEP * velocity[3 + i];
            }
        }
    }

    /// Make `count` steps, solved roughly.
    pub fn settle(&mut self, steps: usize, solver: &mut Solver, options: &Options) {
        for _ in 0..steps {
            let step = self.problem();
            let mut forces = step.warm.clone();
            step.system.solve(solver, &step.laws, options, forces.as_flattened_mut()).expect("forces");
            self.advance(&step, &forces);
        }
    }

    /// Pairs that are near each other, the normal at the first of them, the point, and the gap.
    fn contacts(&self) -> Vec<((usize, usize), Vector, Vector, f64)> {
        let cell = 2.0 * RADIUS + NEAR;
        let of = |place: &Vector| place.map(|x| (x / cell).floor() as i64);
        let mut cells: BTreeMap<[i64; 3], Vec<usize>> = BTreeMap::new();
        for (k, place) in self.places.iter().enumerate() {
            cells.entry(of(place)).or_default().push(k);
        }
        let mut found = Vec::new();
        for (k, place) in self.places.iter().enumerate() {
            let radius = self.radii[k];
            let center = of(place);
            for offset in 0..27 {
                let at =
                    [center[0] + offset % 3 - 1, center[1] + offset / 3 % 3 - 1, center[2] + offset / 9 - 1];
                for &other in cells.get(&at).into_iter().flatten().filter(|&&other| other < k) {
                    let d: Vector = std::array::from_fn(|i| place[i] - self.places[other][i]);
                    let length = d.iter().map(|x| x * x).sum::<f64>().sqrt();
                    let gap = length - radius - self.radii[other];
                    if gap < NEAR {
                        let normal = d.map(|x| x / length);
                        let point = std::array::from_fn(|i| place[i] - (radius + 0.5 * gap) * normal[i]);
                        found.push(((k, other), normal, point, gap));
                    }
                }
            }
            let planes = [(2, 1.0), (0, 1.0), (0, -1.0), (1, 1.0), (1, -1.0)];
            for (plane, (axis, sign)) in planes.into_iter().enumerate() {
                let distance = if sign > 0.0 { place[axis] } else { self.width - place[axis] };
                if distance - radius < NEAR {
                    let mut normal = [0.0; 3];
                    normal[axis] = sign;
                    let point = std::array::from_fn(|i| place[i] - radius * normal[i]);
                    found.push(((k, COUNT + plane), normal, point, distance - radius));
                }
            }
        }
        found
    }
}

/// Axes of which the third is the normal.
fn frame(n: Vector) -> [f64; 9] {
    let least = (0..3).min_by(|&i, &j| n[i].abs().total_cmp(&n[j].abs())).expect("three");
    let mut s: Vector = std::array::from_fn(|i| f64::from(i == least) - n[least] * n[i]);
    let length = s.iter().map(|x| x * x).sum::<f64>().sqrt();
    s = s.map(|x| x / length);
    let t = [n[1] * s[2] - n[2] * s[1], n[2] * s[0] - n[0] * s[2], n[0] * s[1] - n[1] * s[0]];
    [s[0], s[1], s[2], t[0], t[1], t[2], n[0], n[1], n[2]]
}
