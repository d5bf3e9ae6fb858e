//! Proofs that there is no solution: multipliers against W, B and laws as dense matrices, and the rows that they name by hand.

use ldy::rows::{BlockRows, RowLayout};
use ldy::solve::{Demand, Kind, Law, Method, Multiplier, Normal, Options, Problem, Solver, Status};
use ldy::system::RowLaw;
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use testing::Random;
use testing::blocks::Blocks;

const FREE: f64 = f64::INFINITY;
/// The methods that find proofs by the growth of forces.
const METHODS: [Method; 2] = [Method::Automatic, Method::Newton];

fn law(kind: Kind<[f64; 6]>) -> RowLaw {
    RowLaw { kind, bias: [0.0; 6] }
}

fn contact(friction: f64) -> RowLaw {
    law(Kind::contact([friction; 2], 0.0))
}

fn bounds(lower: [f64; 3], upper: [f64; 3]) -> RowLaw {
    Law { kind: Kind::Bounds { lower, upper }, bias: [0.0; 3] }.into()
}

/// Fixed along the third axis.
fn slider() -> RowLaw {
    bounds([0.0, 0.0, -FREE], [0.0, 0.0, FREE])
}

fn fixed() -> RowLaw {
    law(Kind::Bounds { lower: [-FREE; 6], upper: [FREE; 6] })
}

fn biased(law: RowLaw, component: usize, bias: f64) -> RowLaw {
    let mut law = law;
    law.bias[component] = bias;
    law
}

/// Rows of bodies with six velocities, unit mass and inertia: W = H Hᵀ.
struct Scene {
    h: DMatrix<f64>,
    heights: Vec<usize>,
    laws: Vec<RowLaw>,
    normal: Normal,
    /// Another W, if there is one.
    w: Option<DMatrix<f64>>,
}

impl Scene {
    fn new(bodies: usize) -> Self {
        Self {
            h: DMatrix::zeros(0, 6 * bodies),
            heights: vec![],
            laws: vec![],
            normal: Normal::Third,
            w: None,
        }
    }

    /// Add a constraint of a body with an obstacle: `height` scalar rows at a point, tangents first, then the normal, then
    /// angular velocities. With two scalar rows there is one tangent.
    fn add(&mut self, body: usize, height: usize, point: [f64; 3], normal: [f64; 3], law: RowLaw) {
        let normal = Vector3::from(normal).normalize();
        let other = Vector3::new(normal.y, normal.z, -normal.x);
        let tangent = normal.cross(&other).normalize();
        let axes = [tangent, normal.cross(&tangent), normal];
        let arm = Vector3::from(point);
        let force = match (height, self.normal) {
            (2, Normal::Third) => &[0, 2][..],
            (2, Normal::First) => &[2, 0],
            (_, Normal::Third) => &[0, 1, 2],
            (_, Normal::First) => &[2, 0, 1],
        };
        let first = self.h.nrows();
        self.h = std::mem::replace(&mut self.h, DMatrix::zeros(0, 0)).resize_vertically(first + height, 0.0);
        for k in 0..height {
            let (is_turn, axis) = (k >= force.len(), axes[force[k % force.len()]]);
            let [turn, shift] = if is_turn { [axis, Vector3::zeros()] } else { [arm.cross(&axis), axis] };
            self.h.fixed_view_mut::<1, 3>(first + k, 6 * body).copy_from(&turn.transpose());
            self.h.fixed_view_mut::<1, 3>(first + k, 6 * body + 3).copy_from(&shift.transpose());
        }
        self.heights.push(height);
        self.laws.push(law);
    }

    /// Solve with the free velocities u of bodies, check the multipliers, and return them.
    fn solve_by(&self, solver: &mut Solver, method: Method, u: &DVector<f64>) -> (Status, Vec<Multiplier>) {
        let options = Options { method, ..Options::default() };
        let (w, b) = (self.w.clone().unwrap_or_else(|| &self.h * self.h.transpose()), &self.h * u);
        let firsts = testing::blocks::firsts(self.heights.iter().copied());
        let is_there = |i: usize, j: usize| {
            let block = w.view((firsts[i], firsts[j]), (self.heights[i], self.heights[j]));
            i == j || block.amax() > 0.0
        };
        let blocks = Blocks::new(&w, &self.heights, is_there);
        let layout =
            (!blocks.are_of_three()).then(|| RowLayout::new(&blocks.scalars, &blocks.places).unwrap());
        let rows = BlockRows::new(&blocks.starts, &blocks.columns, &blocks.values, layout).unwrap();
        let problem = Problem { w: rows, b: b.as_slice(), normal: self.normal };
        let laws: Vec<Law> =
            self.laws.iter().zip(&self.heights).flat_map(|(law, &height)| law.parts(height)).collect();
        let report = solver.solve(&problem, &laws, &options, &mut vec![0.0; b.len()]).unwrap();
        let conflict = solver.conflict();
        assert_eq!(conflict.is_empty(), report.status != Status::Infeasible, "{report:?}");
        self.check(&w, &b, &firsts, conflict);
        (report.status, conflict.to_vec())
    }

    /// The multipliers of all methods, which name the same rows.
    fn conflict(&self, u: &[f64]) -> Vec<Multiplier> {
        let found = METHODS.map(|method| {
            let (status, conflict) =
                self.solve_by(&mut Solver::new(), method, &DVector::from_column_slice(u));
            assert_eq!(status, Status::Infeasible, "{method:?}");
            conflict
        });
        for other in &found[1..] {
            assert_eq!(names(other), names(&found[0]));
        }
        let [first, ..] = found;
        first
    }

    /// Check that each group of multipliers is a proof: the velocities that the laws demand have a product with d that is not negative,
    /// and that of velocities B + W R + bias is negative for all allowed forces R, except huge ones.
    fn check(&self, w: &DMatrix<f64>, b: &DVector<f64>, firsts: &[usize], conflict: &[Multiplier]) {
        let key = |m: &Multiplier| (m.group, m.constraint, m.component);
        assert!(conflict.is_sorted_by(|one, next| key(one) < key(next)), "{conflict:?}");
        for (number, group) in conflict.chunk_by(|one, next| one.group == next.group).enumerate() {
            assert_eq!(group[0].group, number);
            let mut d = DVector::zeros(b.len());
            for multiplier in group {
                let row = multiplier.constraint as usize;
                d[firsts[row] + multiplier.component] = multiplier.value;
                self.check_sign(multiplier);
            }
            assert_eq!(d.amax(), 1.0, "{conflict:?}");
            let turned = w.transpose() * &d;
            let (mut gain, mut growth) = (0.0, 0.0_f64);
            for (row, law) in self.laws.iter().enumerate() {
                for k in 0..self.heights[row] {
                    gain -= d[firsts[row] + k] * (b[firsts[row] + k] + law.bias[k]);
                }
                let (most, grows) = self.reach(row, &turned.as_slice()[firsts[row]..firsts[row + 1]]);
                gain -= most;
                growth = growth.max(grows);
            }
            assert!(gain > 0.0 && growth <= 1e-7 * gain, "{gain} {growth} {group:?}");
        }
    }

    fn normal_of(&self, row: usize) -> usize {
        match self.normal {
            Normal::First => 0,
            Normal::Third => self.heights[row].min(3) - 1,
        }
    }

    fn check_sign(&self, multiplier: &Multiplier) {
        let &Multiplier { constraint, component, demand, value, .. } = multiplier;
        let row = constraint as usize;
        assert!(value != 0.0 && component < self.heights[row], "{multiplier:?}");
        let expected = match self.laws[row].kind {
            Kind::Bounds { lower, upper } => match (lower[component], upper[component]) {
                (lower, upper) if lower == -FREE && upper == FREE => Demand::Joint,
                (lower, upper) => {
                    assert!(if value > 0.0 { upper == FREE } else { lower == -FREE }, "{multiplier:?}");
                    Demand::Limit
                }
            },
            _ => {
                assert!(value > 0.0 && component == self.normal_of(row), "{multiplier:?}");
                Demand::Contact
            }
        };
        assert_eq!(demand, expected);
    }

    /// The largest a · R over allowed forces of a row: at the tip of the cone or at finite bounds, and its growth with |R|.
    fn reach(&self, row: usize, a: &[f64]) -> (f64, f64) {
        match self.laws[row].kind {
            Kind::Contact { friction, friction_2, cohesion, rolling_friction, torsional_friction } => {
                let (normal, three) = (self.normal_of(row), a.len().min(3));
                let tangents: Vec<f64> = (0..three).filter(|&k| k != normal).map(|k| a[k]).collect();
                let second = tangents.get(1).map_or(0.0, |a| friction_2 * a);
                let turns: f64 = a[three..].iter().map(|a| a * a).sum::<f64>().sqrt();
                let edge = f64::hypot(friction * tangents[0], second)
                    + f64::max(rolling_friction, torsional_friction) * turns;
                (-cohesion * a[normal], f64::max(a[normal] + edge, 0.0))
            }
            Kind::Bounds { lower, upper } => {
                a.iter().enumerate().fold((0.0, 0.0), |(most, grows), (k, &a)| {
                    let (towards, from) = if a > 0.0 { (upper[k], lower[k]) } else { (lower[k], upper[k]) };
                    match (towards.is_finite(), from.is_finite()) {
                        (true, _) => (most + a * towards, grows),
                        (_, true) => (most + a * from, grows + a.abs()),
                        _ => (most, grows + a.abs()),
                    }
                })
            }
            Kind::Expansion { friction, least_force } => {
                let normal = self.normal_of(row);
                let tangents = a.iter().enumerate().filter(|&(k, _)| k != normal).map(|(_, a)| a * a);
                let most = a[normal] + friction * tangents.sum::<f64>().sqrt();
                (least_force * most, most.max(0.0))
            }
            Kind::Moments => unreachable!(),
        }
    }
}

/// Group, constraint, component.
fn names(conflict: &[Multiplier]) -> Vec<(usize, u64, usize)> {
    conflict.iter().map(|m| (m.group, m.constraint, m.component)).collect()
}

fn assert_values(conflict: &[Multiplier], expected: &[f64]) {
    for (multiplier, expected) in conflict.iter().zip(expected) {
        assert!((multiplier.value - expected).abs() < 1e-6, "{conflict:?}");
    }
}

const DOWN: [f64; 3] = [0.0, 0.0, -1.0];
const UP: [f64; 3] = [0.0, 0.0, 1.0];
const SIDE: [f64; 3] = [1.0, 0.0, 0.0];
const STILL: [f64; 6] = [0.0; 6];

/// A contact below a body, and one above, which comes down with this speed.
fn press(scene: &mut Scene, body: usize, height: usize, law: RowLaw, speed: f64) {
    let normal = scene.normal;
    let place = match normal {
        Normal::First => 0,
        Normal::Third => height.min(3) - 1,
    };
    scene.add(body, height, DOWN, UP, law);
    scene.add(body, height, UP, DOWN, biased(law, place, -speed));
}

/// A side wall that the body hits, too, but leaves without harm.
#[test]
fn a_press_names_both_contacts_and_no_other() {
    for normal in [Normal::Third, Normal::First] {
        let place = if normal == Normal::First { 0 } else { 2 };
        for law in [contact(0.0), contact(0.4), law(Kind::contact([0.5, 0.1], 0.3))] {
            let mut scene = Scene { normal, ..Scene::new(1) };
            scene.add(0, 3, SIDE, [-1.0, 0.0, 0.0], law);
            press(&mut scene, 0, 3, law, 1.5);
            let conflict = scene.conflict(&[0.0, 0.0, 0.0, 0.7, 0.0, -0.2]);
            assert_eq!(names(&conflict), [(0, 1, place), (0, 2, place)]);
            assert_values(&conflict, &[1.0, 1.0]);
        }
    }
}

#[test]
fn contacts_of_all_heights_are_named() {
    for normal in [Normal::Third, Normal::First] {
        for height in 2..=6 {
            let is_rolling = height > 4;
            let rolling = |friction: f64| {
                law(Kind::Contact {
                    friction,
                    friction_2: friction,
                    cohesion: 0.0,
                    rolling_friction: if is_rolling { 0.1 } else { 0.0 },
                    torsional_friction: if matches!(height, 4 | 6) { 0.05 } else { 0.0 },
                })
            };
            let mut scene = Scene { normal, ..Scene::new(1) };
            scene.add(0, 1, [0.0; 3], SIDE, bounds([-1.0; 3], [1.0; 3]));
            press(&mut scene, 0, height, rolling(0.3), 1.0);
            let place = if normal == Normal::First { 0 } else { height.min(3) - 1 };
            let conflict = scene.conflict(&[0.1, 0.2, 0.0, 0.3, 0.0, 0.0]);
            assert_eq!(names(&conflict), [(0, 1, place), (0, 2, place)], "{height}");
        }
    }
}

/// Two welds of the same body that prescribe different velocities, one of them an angular one.
#[test]
fn joints_are_named_by_their_components() {
    for component in [1, 4] {
        let mut scene = Scene::new(1);
        scene.add(0, 3, DOWN, UP, contact(0.5));
        scene.add(0, 6, [0.0; 3], UP, fixed());
        scene.add(0, 6, [0.0; 3], UP, biased(fixed(), component, -2.0));
        let conflict = scene.conflict(&STILL);
        assert_eq!(names(&conflict), [(0, 1, component), (0, 2, component)]);
        assert_values(&conflict, &[-1.0, 1.0]);
    }
}

/// A drive pushes a body against a wall; a stop pulls it away from there with its other sign.
#[test]
fn a_drive_against_a_contact() {
    let stop = bounds([0.0, 0.0, -FREE], [0.0; 3]);
    for (drive, demand) in [(slider(), Demand::Joint), (stop, Demand::Limit)] {
        let mut scene = Scene::new(1);
        scene.add(0, 3, UP, DOWN, contact(0.3));
        scene.add(0, 3, [0.0; 3], SIDE, bounds([-5.0; 3], [5.0; 3]));
        scene.add(0, 3, [0.0; 3], DOWN, biased(drive, 2, 1.0));
        // U = −u_z; the joint demands −1, the stop at most −1: both push towards the contact.
        let conflict = scene.conflict(&[0.0, 0.0, 0.0, 0.2, 0.1, -0.1]);
        assert_eq!(names(&conflict), [(0, 0, 2), (0, 2, 2)]);
        assert_eq!(conflict[1].demand, demand);
        assert_values(&conflict, &[1.0, -1.0]);
    }
}

/// A lever: the proof weighs the contacts, and it is a direction in which forces grow.
#[test]
fn a_lever_weighs_its_contacts() {
    let mut scene = Scene::new(1);
    // About a hinge along y.
    scene.add(0, 5, [0.0; 3], [0.0, 1.0, 0.0], fixed());
    scene.h[(0, 1)] = 0.0;
    scene.h.rows_mut(3, 2).fill(0.0);
    (scene.h[(3, 0)], scene.h[(4, 2)]) = (1.0, 1.0);
    scene.add(0, 3, [-1.0, 0.0, 0.0], UP, biased(contact(0.0), 2, -1.0));
    scene.add(0, 3, [1.7, 0.0, 0.0], UP, biased(contact(0.0), 2, -0.3));
    let conflict = scene.conflict(&STILL);
    let of_contacts: Vec<&Multiplier> = conflict.iter().filter(|m| m.demand == Demand::Contact).collect();
    assert_eq!(of_contacts.len(), 2);
    assert!((of_contacts[0].value / of_contacts[1].value - 1.7).abs() < 1e-6, "{conflict:?}");
}

/// A wedge with a wall beside it, which hardly presses: its multiplier is small, but there is no proof without it.
#[test]
fn small_multipliers_remain_if_they_are_needed() {
    let mut scene = Scene::new(1);
    scene.add(0, 3, DOWN, UP, contact(0.0));
    scene.add(0, 3, [-0.05, 0.0, 1.0], [0.05, 0.0, -1.0], biased(contact(0.0), 2, -1.0));
    scene.add(0, 3, SIDE, [-1.0, 0.0, 0.0], contact(0.0));
    scene.add(0, 3, [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], contact(0.0));
    let conflict = scene.conflict(&STILL);
    assert_eq!(names(&conflict), [(0, 0, 2), (0, 1, 2), (0, 2, 2)]);
    let length = f64::hypot(1.0, 0.05);
    assert_values(&conflict, &[1.0 / length, 1.0, 0.05 / length]);
}

/// An island without a solution whose velocities are too small to count: the whole converges.
#[test]
fn a_problem_that_converges_has_no_conflict() {
    let mut scene = Scene::new(2);
    scene.add(0, 3, DOWN, UP, contact(0.5));
    press(&mut scene, 1, 3, contact(0.5), 1e-10);
    let u = DVector::from_fn(12, |k, _| if k == 5 { -1.0 } else { 0.0 });
    for method in METHODS {
        let (status, conflict) = scene.solve_by(&mut Solver::new(), method, &u);
        assert!(status == Status::Converged && conflict.is_empty(), "{status:?}");
    }
}

/// More contacts than a proof needs, all of which press.
#[test]
fn a_slab_between_plates_has_a_proof() {
    let mut scene = Scene::new(1);
    for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
        scene.add(0, 3, [x, y, -0.1], UP, contact(0.4));
        scene.add(0, 3, [x, y, 0.1], DOWN, biased(contact(0.4), 2, -1.0));
    }
    scene.add(0, 3, [2.0, 0.0, 0.0], [-1.0, 0.0, 0.0], contact(0.4));
    let conflict = scene.conflict(&[0.0, 0.0, 0.0, 0.3, 0.0, -1.0]);
    assert!(conflict.iter().all(|m| m.constraint < 8 && m.component == 2));
}

/// A rod that jams: W_NN with friction put in is negative, so that no force that the contact allows stops it.
#[test]
fn a_contact_may_have_no_solution_of_its_own() {
    let mut scene = Scene::new(1);
    scene.add(0, 3, DOWN, UP, biased(contact(0.0), 2, -1.0));
    scene.w = Some(DMatrix::from_diagonal(&DVector::from_column_slice(&[0.0, 0.0, -0.5])));
    let conflict = scene.conflict(&STILL);
    assert_eq!(names(&conflict), [(0, 0, 2)]);
}

/// Five islands, rows mixed; two of them, and one of a single row that nothing moves, have no solution.
#[test]
fn each_island_is_a_group() {
    let mut scene = Scene::new(5);
    scene.add(0, 3, DOWN, UP, contact(0.5));
    scene.add(2, 3, DOWN, UP, contact(0.5));
    scene.add(1, 3, DOWN, UP, contact(0.5));
    scene.add(3, 3, DOWN, UP, fixed());
    scene.add(4, 3, DOWN, UP, biased(contact(0.2), 2, -1.0));
    scene.h.rows_mut(12, 3).fill(0.0);
    scene.add(2, 3, UP, DOWN, biased(contact(0.5), 2, -1.0));
    scene.add(0, 3, UP, DOWN, biased(contact(0.5), 2, 1.0));
    scene.add(3, 3, DOWN, UP, biased(fixed(), 0, 3.0));
    let mut u = vec![0.0; 30];
    (u[5], u[11], u[15]) = (-1.0, -1.0, 0.3);
    assert_eq!(names(&scene.conflict(&u)), [(0, 1, 2), (0, 5, 2), (1, 3, 0), (1, 7, 0), (2, 4, 2)]);
    // A kept solver has the same, and forgets it.
    let mut solver = Solver::new();
    let u = DVector::from_vec(u);
    let first = scene.solve_by(&mut solver, Method::Automatic, &u);
    assert_eq!(first, scene.solve_by(&mut solver, Method::Automatic, &u));
    for row in [4, 5, 7] {
        scene.laws[row].bias = [0.0; 6];
    }
    let (status, conflict) = scene.solve_by(&mut solver, Method::Automatic, &u);
    assert!(status == Status::Converged && conflict.is_empty(), "{status:?}");
    // A press alone, and a drop that hits the floor alone, with the same solver.
    let mut one = Scene::new(1);
    press(&mut one, 0, 3, contact(0.5), 1.0);
    assert_eq!(one.solve_by(&mut solver, Method::Automatic, &DVector::zeros(6)).1.len(), 2);
    assert_eq!(scene.solve_by(&mut solver, Method::Automatic, &u).1.len(), 0);
}

/// A refused problem leaves the conflict of the last one.
#[test]
fn bad_input_changes_nothing() {
    let mut scene = Scene::new(1);
    press(&mut scene, 0, 3, contact(0.5), 1.0);
    let mut solver = Solver::new();
    let (_, conflict) = scene.solve_by(&mut solver, Method::Automatic, &DVector::zeros(6));
    let w = BlockRows::new(&[0, 1], &[0], &testing::UNIT, None).unwrap();
    let problem = Problem { w, b: &[f64::NAN; 3], normal: Normal::Third };
    let laws = [Law::contact(0.5)];
    solver.solve(&problem, &laws, &Options::default(), &mut [0.0; 3]).unwrap_err();
    assert_eq!(solver.conflict(), conflict);
}

/// Random constraints of random heights and laws on a body: each proof that is found is one.
#[test]
fn random_proofs_are_proofs() {
    let (mut random, mut infeasible, mut left_out) = (Random::new(11), 0, 0);
    for round in 0..20 {
        let normal = if round % 2 == 0 { Normal::Third } else { Normal::First };
        let mut scene = Scene { normal, ..Scene::new(1) };
        for _ in 0..3 + random.below(3) {
            let (turn, point): (Matrix3<f64>, [f64; 3]) = (random.rotation(), random.array());
            let height = [2, 3, 3, 6][random.below(4)];
            let bias: [f64; 6] = random.array();
            let kind = match random.below(4) {
                0 => fixed().kind,
                1 => bounds([0.0, -FREE, -1.0], [FREE, 0.2, 1.0]).kind,
                2 if height == 3 => Kind::contact([0.02, 0.01], 0.2),
                _ => Kind::contact([0.0; 2], 0.0),
            };
            let axis: [f64; 3] = turn.column(2).into_owned().into();
            scene.add(0, height, point, axis, RowLaw { kind, bias });
        }
        let u = DVector::from_vec(random.values(6));
        let (status, conflict) = scene.solve_by(&mut Solver::new(), METHODS[round % 2], &u);
        infeasible += usize::from(status == Status::Infeasible);
        let named = conflict.chunk_by(|one, next| one.constraint == next.constraint).count();
        left_out += usize::from(status == Status::Infeasible && named < scene.laws.len());
    }
    assert!(infeasible > 2 && left_out > 0, "{infeasible} {left_out}");
}
