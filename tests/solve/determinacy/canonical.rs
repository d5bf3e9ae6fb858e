//! Canonical forces: the same in each order, and the least.

use ldy::solve::{Law, Options, Status};
use testing::{Random, UNIT};

use super::scenes::{Point, Scene, corners, stack};

fn canonical() -> Options {
    Options { canonical: true, ..Options::default() }
}

/// A pile of one to three boxes, shifted and pushed at random, with contacts in a given order: `order` sorts them.
struct Pile {
    boxes: Vec<(f64, Point, Point)>,
    contacts: Vec<(usize, Point, f64)>,
}

impl Pile {
    fn new(random: &mut Random) -> Self {
        let count = 1 + random.below(3);
        let mut pile = Self { boxes: Vec::new(), contacts: Vec::new() };
        let mut place = [0.0; 2];
        for level in 0..count {
            let [x, y, mass, push, side, friction] = random.array();
            place = [place[0] + 0.2 * x, place[1] + 0.1 * y];
            // Where boxes slide and turn, each share of the load has its own friction, so that U is not unique. The highest box slides
            // without turning, and the friction holds the others.
            let is_pushed = level + 1 == count && random.below(2) == 0;
            let velocity = if is_pushed { [0.8 * push, 0.8 * side, 0.0] } else { [0.0; 3] };
            let friction = if level + 1 == count { 0.3 + 0.2 * friction } else { 0.8 };
            pile.boxes.push((1.5 + mass, [place[0], place[1], level as f64 + 0.5], velocity));
            let points = corners(place, [0.8, 0.4], level as f64);
            pile.contacts.extend(points.map(|point| (level, point, friction)));
        }
        pile
    }

    /// The forces and velocities of the contacts in the order of the pile.
    fn solution(&self, order: &[usize], options: &Options) -> (Status, [Vec<f64>; 2]) {
        let mut scene = self.scene(order);
        let (report, forces) = scene.solve(options);
        let velocities = scene.velocities(&forces);
        let in_order = |found: Vec<f64>| {
            let mut values = vec![0.0; found.len()];
            for (&k, value) in order.iter().zip(found.as_chunks::<3>().0) {
                values[3 * k..3 * k + 3].copy_from_slice(value);
            }
            values
        };
        (report.status, [forces, velocities].map(in_order))
    }

    /// d of each scalar row.
    fn weights(&self, order: &[usize]) -> Vec<f64> {
        let mut scene = self.scene(order);
        scene.system.update(1.0).unwrap();
        let rows = scene.system.results().unwrap();
        let traces = rows.diagonal.as_chunks::<9>().0.iter().map(|w| (w[0] + w[4] + w[8]) / 3.0);
        traces.flat_map(|d| [d; 3]).collect()
    }

    fn scene(&self, order: &[usize]) -> Scene {
        let mut scene = Scene::new();
        let bodies: Vec<_> = self
            .boxes
            .iter()
            .map(|&(mass, center, velocity)| scene.add_box(mass, [2.0, 1.0, 1.0], center, velocity))
            .collect();
        for &k in order {
            let (level, point, friction) = self.contacts[k];
            let below = level.checked_sub(1).map(|below| bodies[below]);
            scene.add_contacts([Some(bodies[level]), below], &UNIT, &[point], Law::contact(friction));
        }
        scene
    }
}

/// The same scene in another order has the same forces.
#[test]
fn canonical_forces_do_not_depend_on_the_order() {
    let mut random = Random::new(3);
    let (mut differed, mut has_other_velocities) = (0, 0);
    for case in 0..1000 {
        let pile = Pile::new(&mut random);
        let count = pile.contacts.len();
        let order: Vec<usize> = (0..count).collect();
        let mut other = order.clone();
        for k in (1..count).rev() {
            other.swap(k, random.below(k + 1));
        }
        let difference = |options: &Options| {
            let [(one, a), (two, b)] = [&order, &other].map(|order| pile.solution(order, options));
            assert_eq!([one, two], [Status::Converged; 2], "case {case}");
            std::array::from_fn(|k| {
                let largest = a[k].iter().fold(1.0_f64, |largest, x| largest.max(x.abs()));
                a[k].iter().zip(&b[k]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / largest
            })
        };
        let [force, velocity]: [f64; 2] = difference(&canonical());
        has_other_velocities += usize::from(velocity > 1e-9);
        assert!(velocity > 1e-9 || force < 1e-8, "case {case}: {force:e}");
        differed += usize::from(case % 20 == 0 && difference(&Options::default())[0] > 1e-3);
    }
    // Some scenes slide and turn in two ways.
    assert!(has_other_velocities <= 10 && differed > 5, "{has_other_velocities} {differed}");
}

/// A stack shares loads equally, and its forces do not change if the solution begins from others.
#[test]
fn canonical_forces_of_a_stack() {
    let mut scene = stack(5, 0.5);
    let (report, forces) = scene.solve(&canonical());
    assert_eq!(report.status, Status::Converged);
    for level in 0..5 {
        for corner in 0..4 {
            let force = &forces[3 * (4 * level + corner)..][..3];
            let expected = [0.0, 0.0, (5 - level) as f64 / 4.0];
            assert!(force.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{level} {force:?}");
        }
    }
    let mut random = Random::new(1);
    let mut others = random.values(forces.len());
    let mut solver = ldy::solve::Solver::new();
    scene.system.solve(&mut solver, &scene.laws, &canonical(), &mut others).unwrap();
    assert!(forces.iter().zip(&others).all(|(a, b)| (a - b).abs() < 1e-9));
}

/// No other solution has a smaller sum of d R²: that sum grows in each direction of the set.
#[test]
fn canonical_forces_are_the_least() {
    let mut random = Random::new(8);
    for _ in 0..30 {
        let pile = Pile::new(&mut random);
        let order: Vec<usize> = (0..pile.contacts.len()).collect();
        let (_, [least, _]) = pile.solution(&order, &canonical());
        let (_, [other, _]) = pile.solution(&order, &Options { tolerance: 1e-12, ..Options::default() });
        // The set is convex: with the point that a plain solution finds, the angle at the least one is not acute.
        let weights = pile.weights(&order);
        let product: f64 = (0..least.len()).map(|i| weights[i] * least[i] * (other[i] - least[i])).sum();
        let size: f64 = (0..least.len()).map(|i| weights[i] * least[i] * least[i]).sum();
        assert!(product > -1e-8 * size, "{product:e}");
    }
}
