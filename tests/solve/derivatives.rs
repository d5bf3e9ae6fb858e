//! Derivatives of solutions: against differences of solutions, as transposes of each other, against dense pseudoinverses, at kinks.

use ldy::solve::{
    BlockRows, Derivatives, Fit, Kind, Kink, KinkKind, LawChange, Method, Normal, Options, Problem,
    RowLayout, Solver, outer_product,
};
use ldy::system::RowLaw;
use nalgebra::{DMatrix, DVector};
use testing::Random;
use testing::blocks::{Blocks, firsts};

use crate::law_changes::{self, random_change};

/// A contact problem with all its data.
#[derive(Clone)]
struct Scene {
    w: DMatrix<f64>,
    b: DVector<f64>,
    heights: Vec<usize>,
    laws: Vec<RowLaw>,
}

/// A small change of all data.
struct Change {
    w: DMatrix<f64>,
    b: DVector<f64>,
    laws: Vec<LawChange>,
}

/// Derivatives of a function by forces and velocities.
struct By {
    forces: Vec<f64>,
    velocities: Vec<f64>,
}

/// Random numbers for a law of a row; kinds in turn, as far as the height allows them.
fn law(random: &mut Random, case: usize, height: usize) -> RowLaw {
    let mut size = || 0.3 + 0.25 * random.signed();
    let (friction, friction_2, cohesion, rolling, torsion) = (size(), size(), size(), size(), size());
    let kind = match (case % 5, height) {
        (0 | 1, 4..) => Kind::Contact {
            friction,
            friction_2: if case.is_multiple_of(5) { friction } else { friction_2 },
            cohesion: if case.is_multiple_of(3) { cohesion } else { 0.0 },
            rolling_friction: if height > 4 { rolling } else { 0.0 },
            torsional_friction: if height == 5 { 0.0 } else { torsion },
        },
        (0, 2 | 3) => Kind::contact([friction; 2], 0.0),
        (1, 2) => Kind::contact([friction; 2], cohesion),
        (1, 3) => Kind::contact([friction, friction_2], cohesion),
        (2, _) => Kind::Bounds { lower: [-0.4; 6], upper: [0.3; 6] },
        (4, 2 | 3) => Kind::Expansion { friction, least_force: cohesion },
        _ => {
            let inf = f64::INFINITY;
            Kind::Bounds { lower: [-inf, 0.0, 0.2, -0.1, -inf, -0.2], upper: [inf, inf, 0.2, 0.4, 0.1, inf] }
        }
    };
    RowLaw { kind, bias: std::array::from_fn(|_| 0.2 * random.signed()) }
}

/// A scene of these heights whose bodies have `dofs` dofs in all, and `regular` added to the diagonal of W.
fn scene(random: &mut Random, heights: Vec<usize>, dofs: usize, regular: f64) -> Scene {
    let count: usize = heights.iter().sum();
    let h = random.matrix(count, dofs);
    let w = &h * h.transpose() + DMatrix::identity(count, count) * regular;
    let b = DVector::from_fn(count, |_, _| random.signed());
    let first = random.below(5);
    let laws = heights.iter().enumerate().map(|(k, &height)| law(random, first + k, height)).collect();
    Scene { w, b, heights, laws }
}

fn change(random: &mut Random, scene: &Scene) -> Change {
    let count = scene.b.len();
    let laws = scene.laws.iter().map(|law| random_change(random, law)).collect();
    Change { w: random.matrix(count, count), b: DVector::from_fn(count, |_, _| random.signed()), laws }
}

impl Scene {
    /// The same scene with `size` times a change.
    fn moved(&self, change: &Change, size: f64) -> Self {
        let mut to = self.clone();
        to.w += &change.w * size;
        to.b += &change.b * size;
        for (law, change) in to.laws.iter_mut().zip(&change.laws) {
            *law = law_changes::moved(law, change, size);
        }
        to
    }

    /// The same scene with each constraint twice.
    fn twice(&self) -> Self {
        let count = self.b.len();
        let w = DMatrix::from_fn(2 * count, 2 * count, |i, j| self.w[(i % count, j % count)]);
        let b = DVector::from_fn(2 * count, |i, _| self.b[i % count]);
        Self { w, b, heights: self.heights.repeat(2), laws: self.laws.repeat(2) }
    }

    /// The blocks on the diagonal, and others that are not zero.
    fn blocks(&self) -> Blocks {
        let firsts = firsts(self.heights.iter().copied());
        Blocks::new(&self.w, &self.heights, |i, j| {
            let block = self.w.view((firsts[i], firsts[j]), (self.heights[i], self.heights[j]));
            i == j || block.iter().any(|&entry| entry != 0.0)
        })
    }

    /// Leave out the blocks between the first and the last row.
    fn disconnect(&mut self) {
        let (end, first, last) = (self.b.len(), self.heights[0], self.heights[self.heights.len() - 1]);
        self.w.view_mut((0, end - last), (first, last)).fill(0.0);
        self.w.view_mut((end - last, 0), (last, first)).fill(0.0);
    }

    fn split_laws(&self) -> Vec<ldy::solve::Law> {
        self.laws.iter().zip(&self.heights).flat_map(|(law, &height)| law.parts(height)).collect()
    }

    fn with<T>(&self, of: impl FnOnce(&Problem, &[ldy::solve::Law]) -> T) -> T {
        let blocks = self.blocks();
        let layout = RowLayout::new(&blocks.scalars, &blocks.places).unwrap();
        let w = BlockRows::new(&blocks.starts, &blocks.columns, &blocks.values, Some(layout)).unwrap();
        of(&Problem { w, b: self.b.as_slice(), normal: Normal::Third }, &self.split_laws())
    }

    /// Forces to 1e-13, if the solver finds them; from an initial guess if there is one.
    fn forces(&self, start: Option<&DVector<f64>>) -> Option<DVector<f64>> {
        let mut forces = start.cloned().unwrap_or_else(|| DVector::zeros(self.b.len()));
        let options = Options { tolerance: 1e-13, method: Method::Automatic, ..Options::default() };
        let report = self.with(|problem, laws| {
            Solver::new().solve(problem, laws, &options, forces.as_mut_slice()).unwrap()
        });
        (report.residual.scaled <= 1e-11).then_some(forces)
    }

    fn derivatives(&self, forces: &DVector<f64>, tolerance: f64) -> Derivatives {
        self.with(|problem, laws| Derivatives::new(problem, laws, forces.as_slice(), tolerance).unwrap())
    }
}

fn forward(
    own: &mut Derivatives,
    change: &Change,
    forces: &DVector<f64>,
) -> (Fit, DVector<f64>, DVector<f64>) {
    let free = &change.b + &change.w * forces;
    let (mut dr, mut du) = (DVector::zeros(free.len()), DVector::zeros(free.len()));
    let fit = own.forward(free.as_slice(), Some(&change.laws), dr.as_mut_slice(), du.as_mut_slice()).unwrap();
    (fit, dr, du)
}

/// The derivative of a function along a change, by the adjoint equations.
fn along(
    own: &mut Derivatives,
    scene: &Scene,
    by: &By,
    change: &Change,
    forces: &DVector<f64>,
) -> (Fit, f64) {
    let mut by_b = vec![0.0; by.forces.len()];
    let mut by_laws = vec![LawChange::default(); scene.laws.len()];
    let fit = own.adjoint(Some(&by.forces), Some(&by.velocities), &mut by_b, Some(&mut by_laws)).unwrap();
    let mut by_w = vec![0.0; scene.w.len()];
    scene.with(|problem, _| outer_product(&problem.w, &by_b, forces.as_slice(), &mut by_w).unwrap());
    let changes = Blocks::new(&change.w, &scene.heights, |_, _| true).values;
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let of_laws: f64 = by_laws
        .iter()
        .zip(&change.laws)
        .map(|(by, change)| {
            by.friction * change.friction
                + by.friction_2 * change.friction_2
                + by.cohesion * change.cohesion
                + by.rolling_friction * change.rolling_friction
                + by.torsional_friction * change.torsional_friction
                + dot(&by.lower, &change.lower)
                + dot(&by.upper, &change.upper)
                + dot(&by.bias, &change.bias)
        })
        .sum();
    (fit, dot(&by_b, change.b.as_slice()) + dot(&by_w, &changes) + of_laws)
}

fn random_by(random: &mut Random, count: usize) -> By {
    By { forces: random.values(count), velocities: random.values(count) }
}

fn heights(random: &mut Random, rows: usize) -> Vec<usize> {
    (0..rows).map(|_| 1 + random.below(6)).collect()
}

#[test]
fn changes_are_those_of_solutions() {
    compare_with_differences(150);
}

#[test]
#[ignore = "takes minutes"]
fn changes_are_those_of_solutions_in_many_scenes() {
    compare_with_differences(15_000);
}

/// Central differences of solutions in random directions of all data: W, B, and all numbers of all laws. Both ways.
fn compare_with_differences(cases: usize) {
    const STEP: f64 = 1e-5;
    let mut random = Random::new(11);
    let (mut compared, mut kinds) = (0, [0; 4]);
    for case in 0..cases {
        let rows = 1 + case % 6;
        let cut = if case % 3 == 0 { vec![3; rows] } else { heights(&mut random, rows) };
        let dofs = cut.iter().sum::<usize>() + 2;
        let own = scene(&mut random, cut, dofs, 0.2);
        let change = change(&mut random, &own);
        let Some(forces) = own.forces(None) else { continue };
        // Other states within the step would spoil the difference.
        let mut derivatives = own.derivatives(&forces, 1e-3);
        if derivatives.kinks().next().is_some() {
            continue;
        }
        assert!(derivatives.is_solution() && derivatives.residual() < 1e-11);
        let sides = [STEP, -STEP].map(|step| own.moved(&change, step));
        let [Some(after), Some(before)] = sides.each_ref().map(|side| side.forces(Some(&forces))) else {
            continue;
        };
        let dr = (&after - &before) / (2.0 * STEP);
        let u = |side: &Scene, forces: &DVector<f64>| &side.b + &side.w * forces;
        let du = (u(&sides[0], &after) - u(&sides[1], &before)) / (2.0 * STEP);
        let (fit, own_dr, own_du) = forward(&mut derivatives, &change, &forces);
        assert!(!fit.is_singular && fit.outside < 1e-12, "case {case}: {fit:?}");
        let error = |own: &DVector<f64>, of: &DVector<f64>| (own - of).amax() / of.amax().max(1.0);
        let errors = [error(&own_dr, &dr), error(&own_du, &du)];
        assert!(errors.iter().all(|error| *error < 1e-6), "case {case}: {errors:?}\n{:?}", own.laws);
        let by = random_by(&mut random, own.b.len());
        let (_, sum) = along(&mut derivatives, &own, &by, &change, &forces);
        let expected = DVector::from_vec(by.forces).dot(&dr) + DVector::from_vec(by.velocities).dot(&du);
        assert!(
            (sum - expected).abs() < 1e-6 * (1.0 + dr.norm() + du.norm()),
            "case {case}: {sum} {expected}"
        );
        compared += 1;
        for (law, height) in own.laws.iter().zip(&own.heights) {
            kinds[match law.kind {
                Kind::Contact { .. } => usize::from(*height > 3),
                Kind::Expansion { .. } => 2,
                _ => 3,
            }] += 1;
        }
    }
    println!("{compared} of {cases} scenes compared; contacts, with moments, expansions, bounds: {kinds:?}");
    let least = cases / 5;
    assert!(compared > cases * 3 / 5 && kinds.iter().all(|&count| count > least), "{compared} {kinds:?}");
}

/// The state of a row, with its law: force, velocity, and the kinks that it is.
struct State {
    law: RowLaw,
    force: Vec<f64>,
    velocity: Vec<f64>,
    kinks: Vec<(usize, KinkKind)>,
}

/// A random state of a contact with or without moments.
fn contact_state(random: &mut Random, height: usize) -> State {
    let mut size = || 0.4 + 0.3 * random.signed();
    let (friction, rolling, torsion, normal) = (size(), size(), size(), 1.0 + size());
    let is_anisotropic = random.below(2) == 0;
    let limits = [friction, if is_anisotropic { 1.3 * friction } else { friction }];
    let has = [matches!(height, 5 | 6), matches!(height, 4 | 6)];
    let law = Kind::Contact {
        friction: limits[0],
        friction_2: if height == 2 { limits[0] } else { limits[1] },
        cohesion: 0.0,
        rolling_friction: if has[0] { rolling } else { 0.0 },
        torsional_friction: if has[1] { torsion } else { 0.0 },
    };
    let (tangents, place) = (if height == 2 { 1 } else { 2 }, if height == 2 { 1 } else { 2 });
    let (mut force, mut velocity, mut kinks) = (vec![0.0; height], vec![0.0; height], Vec::new());
    match random.below(4) {
        // Open, or touching without a force.
        0 => {
            velocity = random.values(height);
            velocity[place] = normal;
        }
        1 => kinks.push((place, KinkKind::Touching)),
        _ => {
            force[place] = normal;
            // Each disk or segment: its first place, its limits, and its kind.
            let mut parts = vec![(0, limits[..tangents].to_vec(), KinkKind::Sliding)];
            if has[0] {
                parts.push((3, vec![rolling; 2], KinkKind::Rolling));
            }
            if has[1] {
                parts.push((height - 1, vec![torsion], KinkKind::Spinning));
            }
            for (first, limits, kind) in parts {
                let angle = 3.0 * random.signed();
                let direction =
                    if limits.len() == 1 { vec![angle.signum()] } else { vec![angle.cos(), angle.sin()] };
                let state = random.below(3);
                let share = if state == 0 { 0.6 } else { 1.0 };
                for (i, (limit, along)) in limits.iter().zip(&direction).enumerate() {
                    force[first + i] = share * limit * normal * along;
                    // Against the force with the most dissipation: the velocity is along the normal of the ellipse.
                    velocity[first + i] = if state == 1 { -0.7 * along / limit } else { 0.0 };
                }
                if state == 2 {
                    kinks.push((first, kind));
                }
            }
        }
    }
    State { law: RowLaw { kind: law, bias: [0.0; 6] }, force, velocity, kinks }
}

/// A random state of components with bounds.
fn bounds_state(random: &mut Random, height: usize) -> State {
    let kind = Kind::Bounds { lower: [-0.8; 6], upper: [1.1; 6] };
    let (mut force, mut velocity, mut kinks) = (vec![0.0; height], vec![0.0; height], Vec::new());
    for i in 0..height {
        let is_upper = random.below(2) == 0;
        let state = random.below(3);
        if state > 0 {
            force[i] = if is_upper { 1.1 } else { -0.8 };
        }
        match state {
            0 => force[i] = 0.5 * random.signed(),
            1 => velocity[i] = if is_upper { -0.6 } else { 0.6 },
            _ => kinks.push((i, KinkKind::Bound)),
        }
    }
    State { law: RowLaw { kind, bias: [0.0; 6] }, force, velocity, kinks }
}

/// Scenes whose states are known: each kink has its name, and nothing else is a kink; W is singular in every second scene.
fn compare_kinks(cases: usize) {
    let mut random = Random::new(23);
    let mut of_kinds = [0; 5];
    for case in 0..cases {
        let heights = heights(&mut random, 1 + case % 6);
        let states: Vec<State> = heights
            .iter()
            .map(|&height| match random.below(3) {
                0 => bounds_state(&mut random, height),
                _ if height == 1 => bounds_state(&mut random, height),
                _ => contact_state(&mut random, height),
            })
            .collect();
        let count: usize = heights.iter().sum();
        let h = random.matrix(count, if case % 2 == 0 { count + 2 } else { count.div_ceil(2) });
        let w = &h * h.transpose();
        let collect =
            |of: fn(&State) -> &Vec<f64>| DVector::from_vec(states.iter().flat_map(of).copied().collect());
        let (forces, u) = (collect(|state| &state.force), collect(|state| &state.velocity));
        let laws = states.iter().map(|state| state.law).collect();
        let own = Scene { b: u - &w * &forces, w, heights, laws };
        let derivatives = own.derivatives(&forces, 0.0);
        assert!(derivatives.is_solution(), "case {case}: {:e}", derivatives.residual());
        let of_state = |(row, state): (usize, &State)| {
            state
                .kinks
                .iter()
                .map(move |&(component, kind)| Kink { row, component, kind })
                .collect::<Vec<_>>()
        };
        let expected: Vec<Kink> = states.iter().enumerate().flat_map(of_state).collect();
        assert_eq!(derivatives.kinks().collect::<Vec<_>>(), expected, "case {case}: {:?}", own.laws);
        for kink in expected {
            let kinds = [KinkKind::Touching, KinkKind::Sliding, KinkKind::Rolling, KinkKind::Spinning];
            of_kinds[kinds.iter().position(|kind| *kind == kink.kind).unwrap_or(4)] += 1;
        }
    }
    println!("{cases} scenes with {of_kinds:?} kinks: touching, sliding, rolling, spinning, at a bound");
    assert!(of_kinds.iter().all(|&count| count > cases / 10), "{of_kinds:?}");
}

#[test]
fn each_kink_of_a_scene_is_named_and_nothing_else() {
    compare_kinks(300);
}

#[test]
#[ignore = "takes minutes"]
fn each_kink_is_named_in_many_scenes() {
    compare_kinks(10_000);
}

/// Both ways are transposes of each other; also at kinks, and where W is singular, since each constraint is there twice.
#[test]
fn one_way_is_the_transpose_of_the_other() {
    let mut random = Random::new(5);
    let mut singular = 0;
    for case in 0..60 {
        let cut = heights(&mut random, 1 + case % 5);
        let half: usize = cut.iter().sum();
        let mut own = scene(&mut random, cut, half + 2, 0.0);
        if case % 2 == 0 {
            own = own.twice();
        }
        let Some(forces) = own.forces(None) else { continue };
        let mut derivatives = own.derivatives(&forces, 0.0);
        let change = change(&mut random, &own);
        let by = random_by(&mut random, own.b.len());
        let (fit, dr, du) = forward(&mut derivatives, &change, &forces);
        let (other_fit, sum) = along(&mut derivatives, &own, &by, &change, &forces);
        assert_eq!(fit.is_singular, other_fit.is_singular);
        let expected = DVector::from_vec(by.forces).dot(&dr) + DVector::from_vec(by.velocities).dot(&du);
        let size = 1.0 + dr.norm() + du.norm();
        assert!((sum - expected).abs() < 1e-9 * size, "case {case}: {sum} {expected} {fit:?}");
        singular += usize::from(fit.is_singular);
        if fit.is_singular {
            let rows = derivatives.undetermined().unwrap();
            let (first, second): (Vec<usize>, Vec<usize>) =
                rows.iter().copied().partition(|&row| row < own.laws.len() / 2);
            let moved: Vec<_> = first.iter().map(|row| row + own.laws.len() / 2).collect();
            assert!(!first.is_empty() && moved == second, "{rows:?}");
        }
    }
    assert!(singular > 20, "{singular}");
}

/// A box that rests on points: W is singular, its change of forces is the shortest one, by a dense pseudoinverse.
#[test]
fn singular_equations_have_the_shortest_changes() {
    for points in [4, 15] {
        let columns = if points == 4 { 2 } else { 5 };
        let middle = |count: usize| 0.5 * (count - 1) as f64;
        let place = |k: usize| {
            let (x, y) = ((k % columns) as f64, (k / columns) as f64);
            [x - middle(columns) + 0.2, y - middle(points / columns) - 0.1, -0.5]
        };
        // H of a body with unit mass and inertia 0.4: V = v + ω × p.
        let h = DMatrix::from_fn(3 * points, 6, |row, dof| {
            let ([x, y, z], i) = (place(row / 3), row % 3);
            let turn = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]];
            if dof < 3 { f64::from(dof == i) } else { turn[i][dof - 3] / 0.4_f64.sqrt() }
        });
        let w = &h * h.transpose();
        let b = &h * DVector::from_vec(vec![0.1, 0.0, -1.0, 0.0, 0.0, 0.0]);
        let mut laws = vec![RowLaw { kind: Kind::contact([0.8; 2], 0.0), bias: [0.0; 6] }; points];
        laws[0].kind = Kind::contact([0.8, 0.7], 0.0);
        let own = Scene { w: w.clone(), b, heights: vec![3; points], laws };
        let options = Options { canonical: true, tolerance: 1e-10, ..Options::default() };
        let mut forces = DVector::zeros(3 * points);
        own.with(|problem, laws| {
            Solver::new().solve(problem, laws, &options, forces.as_mut_slice()).unwrap()
        });
        let mut derivatives = own.derivatives(&forces, 0.0);
        assert_eq!(derivatives.kinks().count(), 0);
        // The velocity of the body changes; all points stick.
        let dv = DVector::from_vec(vec![0.3, -0.2, 0.5, 0.1, 0.4, -0.6]);
        let free = &h * &dv;
        let roots = DMatrix::from_diagonal(&DVector::from_fn(3 * points, |k, _| {
            let own = 3 * (k / 3);
            ((w[(own, own)] + w[(own + 1, own + 1)] + w[(own + 2, own + 2)]) / 3.0).sqrt()
        }));
        let inverse = roots.clone().try_inverse().unwrap();
        let scaled = (&inverse * &w * &inverse).pseudo_inverse(1e-9).unwrap();
        let expected = -&inverse * &scaled * &inverse * &free;
        let (mut dr, mut du) = (free.clone(), free.clone());
        let fit = derivatives.forward(free.as_slice(), None, dr.as_mut_slice(), du.as_mut_slice()).unwrap();
        assert!(fit.is_singular && fit.outside < 1e-9, "{fit:?}");
        assert!((&dr - &expected).amax() < 1e-8, "{dr} {expected}");
        assert!(du.amax() < 1e-9);
        // A change that no velocity of the body makes has the shortest forces for the closest change that one makes.
        let any = DVector::from_fn(3 * points, |k, _| f64::from(k == 2));
        let fit = derivatives.forward(any.as_slice(), None, dr.as_mut_slice(), du.as_mut_slice()).unwrap();
        let expected = -&inverse * &scaled * &inverse * &any;
        assert!(fit.outside > 0.1 && (&dr - &expected).amax() < 1e-7, "{fit:?} {dr} {expected}");
        // A function of velocities, and one of a force that has no derivative.
        let mut by_b = vec![0.0; 3 * points];
        let fit = derivatives.adjoint(None, Some(free.as_slice()), &mut by_b, None).unwrap();
        let by_dofs = h.tr_mul(&DVector::from_column_slice(&by_b));
        assert!(fit.outside < 1e-9 && by_dofs.amax() < 1e-8, "{by_dofs}");
        let fit = derivatives.adjoint(Some(any.as_slice()), None, &mut by_b, None).unwrap();
        assert!(fit.outside > 0.1 && fit.is_singular);
        let by_b = DVector::from_vec(by_b);
        assert!((by_b + &inverse * &scaled * &inverse * &any).amax() < 1e-7);
        assert_eq!(derivatives.undetermined().unwrap(), (0..points).collect::<Vec<_>>());
    }
}

/// W need not be symmetric, nor have a block in each transposed place.
#[test]
fn the_pattern_need_not_be_symmetric() {
    let mut random = Random::new(2);
    let heights = [3, 1, 2, 5];
    let count: usize = heights.iter().sum();
    let firsts = testing::blocks::firsts(heights);
    let mut w = random.matrix(count, count) + DMatrix::identity(count, count) * 8.0;
    let is_there = |row: usize, column: usize| row == column || (row + 2 * column) % 3 == 1;
    for (row, &height) in heights.iter().enumerate() {
        for column in (0..4).filter(|&column| !is_there(row, column)) {
            w.view_mut((firsts[row], firsts[column]), (height, heights[column])).fill(0.0);
        }
    }
    assert!(is_there(0, 2) != is_there(2, 0));
    let blocks = Blocks::new(&w, &heights, is_there);
    let layout = RowLayout::new(&blocks.scalars, &blocks.places).unwrap();
    let rows = BlockRows::new(&blocks.starts, &blocks.columns, &blocks.values, Some(layout)).unwrap();
    let b = DVector::from_vec(random.values(count));
    let inverse = w.clone().try_inverse().unwrap();
    let forces = -&inverse * &b;
    let fixed = RowLaw {
        kind: Kind::Bounds { lower: [f64::NEG_INFINITY; 6], upper: [f64::INFINITY; 6] },
        bias: [0.0; 6],
    };
    let laws: Vec<_> = heights.iter().flat_map(|&height| fixed.parts(height)).collect();
    let problem = Problem { w: rows, b: b.as_slice(), normal: Normal::Third };
    let mut own = Derivatives::new(&problem, &laws, forces.as_slice(), 0.0).unwrap();
    let (free, by) = (random.values(count), random.values(count));
    let (mut dr, mut du, mut by_b) = (vec![0.0; count], vec![0.0; count], vec![0.0; count]);
    own.forward(&free, None, &mut dr, &mut du).unwrap();
    own.adjoint(Some(&by), None, &mut by_b, None).unwrap();
    let near = |found: Vec<f64>, expected: DVector<f64>| {
        assert!((DVector::from_vec(found) - &expected).amax() < 1e-12, "{expected}");
    };
    near(dr, -&inverse * DVector::from_vec(free));
    near(by_b, -inverse.tr_mul(&DVector::from_vec(by)));
    near(du, DVector::zeros(count));
}

/// All that derivatives return, to the bit.
fn everything(own: &mut Derivatives, scene: &Scene) -> (Vec<u64>, Vec<Kink>, Vec<usize>) {
    let count = scene.b.len();
    let ones = vec![1.0; count];
    let [mut dr, mut du, mut by_b] = [(); 3].map(|()| vec![0.0; count]);
    let mut by_laws = vec![LawChange::default(); scene.laws.len()];
    let changes = vec![LawChange { friction: 1.0, cohesion: 0.5, ..LawChange::default() }; scene.laws.len()];
    let fits = [
        own.forward(&ones, Some(&changes), &mut dr, &mut du).unwrap(),
        own.adjoint(Some(&ones), Some(&ones), &mut by_b, Some(&mut by_laws)).unwrap(),
    ];
    let of_laws =
        by_laws.iter().flat_map(|by| [&[by.friction, by.cohesion][..], &by.bias, &by.lower].concat());
    let numbers = dr.into_iter().chain(du).chain(by_b).chain(of_laws);
    let numbers = numbers.chain(fits.iter().map(|fit| fit.outside)).chain([own.residual()]);
    (numbers.map(f64::to_bits).collect(), own.kinks().collect(), own.undetermined().unwrap())
}

/// Derivatives in the memory of others are those in new memory, if any input differs, alone or with another one.
#[test]
fn memory_that_is_used_again_changes_nothing() {
    let mut random = Random::new(9);
    for case in 0..4 {
        let heights = if case % 2 == 0 { vec![3; 4] } else { vec![3, 1, 5, 2] };
        let first = scene(&mut random, heights, 16, 0.2);
        let other = scene(&mut random, first.heights.clone(), 16, 0.2);
        let cut = scene(&mut random, vec![2, 3, 4], 12, 0.2);
        let forces = first.forces(None).unwrap();
        let apply = |own: &mut Derivatives, mask: usize| {
            let has = |bit: usize| mask >> bit & 1 == 1;
            let mut moved = if has(0) { cut.clone() } else { first.clone() };
            let mut forces = if has(0) { DVector::from_element(moved.b.len(), 0.3) } else { forces.clone() };
            if !has(0) {
                (1..4).filter(|&bit| has(bit)).for_each(|bit| match bit {
                    1 => moved.w = other.w.clone(),
                    2 => moved.b = other.b.clone(),
                    _ => moved.laws = other.laws.clone(),
                });
            }
            if has(4) {
                forces *= 0.9;
            }
            if has(5) {
                // W is singular then.
                (moved, forces) =
                    (moved.twice(), DVector::from_fn(2 * forces.len(), |i, _| forces[i % forces.len()]));
            }
            let tolerance = if has(6) { 0.4 } else { 0.0 };
            if has(7) {
                moved.disconnect();
            }
            moved.with(|problem, laws| own.compute(problem, laws, forces.as_slice(), tolerance).unwrap());
            everything(own, &moved)
        };
        let one_or_two = (0..8).flat_map(|i| (i..8).map(move |j| 1 << i | 1 << j));
        let mut own = Derivatives::default();
        for mask in one_or_two {
            let expected = [mask, 0].map(|mask| apply(&mut Derivatives::default(), mask));
            assert!(expected[0] != expected[1], "{mask:b}");
            assert!([mask, 0].map(|mask| apply(&mut own, mask)) == expected, "{mask:b}");
        }
    }
}

/// Several changes or functions in one call have the bits of calls for each, and bad ones are named by their row.
#[test]
fn several_columns_are_those_of_single_calls() {
    let mut random = Random::new(12);
    let own = scene(&mut random, vec![3, 1, 5, 2], 16, 0.2);
    let forces = own.forces(None).unwrap();
    let mut derivatives = own.derivatives(&forces, 0.0);
    let (count, rows, columns) = (own.b.len(), own.laws.len(), 3);
    let [velocities, by_r, by_u] = [(); 3].map(|()| random.values(columns * count));
    let laws: Vec<_> = (0..columns * rows)
        .map(|_| LawChange { friction: random.signed(), ..LawChange::default() })
        .collect();
    let run = |own: &mut Derivatives, part: std::ops::Range<usize>| {
        let (scalars, rows) = (part.start * count..part.end * count, part.start * rows..part.end * rows);
        let [mut dr, mut du, mut by_b] = [(); 3].map(|()| vec![0.0; scalars.len()]);
        let mut by_laws = vec![LawChange::default(); rows.len()];
        let (velocities, laws) = (&velocities[scalars.clone()], &laws[rows]);
        let (by_r, by_u) = (&by_r[scalars.clone()], &by_u[scalars]);
        let forward = own.forward(velocities, Some(laws), &mut dr, &mut du).unwrap();
        let adjoint = own.adjoint(Some(by_r), Some(by_u), &mut by_b, Some(&mut by_laws)).unwrap();
        ([dr, du, by_b], by_laws, forward.outside.max(adjoint.outside))
    };
    let all = run(&mut derivatives, 0..columns);
    let each: Vec<_> = (0..columns).map(|column| run(&mut derivatives, column..column + 1)).collect();
    for k in 0..3 {
        assert_eq!(all.0[k], each.iter().flat_map(|one| one.0[k].clone()).collect::<Vec<_>>());
    }
    assert_eq!(all.1, each.iter().flat_map(|one| one.1.clone()).collect::<Vec<_>>());
    assert_eq!(all.2, each.iter().map(|one| one.2).fold(0.0, f64::max));

    let (mut dr, mut du, mut bad) = (vec![7.0; 2 * count], vec![7.0; 2 * count], vec![0.0; 2 * count]);
    bad[count + 3] = f64::NAN;
    let text = derivatives.forward(&bad, None, &mut dr, &mut du).unwrap_err().to_string();
    assert_eq!(text, "constraint of row 1: a change of its velocity is not finite");
    let mut bad = vec![LawChange::default(); 2 * rows];
    bad[rows + 2].cohesion = f64::NAN;
    let text = derivatives.forward(&dr.clone(), Some(&bad), &mut dr, &mut du).unwrap_err().to_string();
    assert_eq!(text, "constraint of row 2: a change of its law is not finite");
    assert_eq!([dr.clone(), du.clone()], [vec![7.0; 2 * count], vec![7.0; 2 * count]]);
    // Not whole columns.
    let part = vec![0.0; 2 * count - 1];
    assert!(derivatives.forward(&part, None, &mut dr[1..], &mut du[1..]).is_err());
    assert!(derivatives.adjoint(None, None, &mut dr[1..], None).is_err());
    assert!(derivatives.adjoint(None, None, &mut dr, Some(&mut vec![LawChange::default(); rows])).is_err());
}

/// Each kind of kink comes with its row and component.
#[test]
fn kinks_are_told() {
    let contact = |friction, rolling_friction, torsional_friction| RowLaw {
        kind: Kind::Contact {
            friction,
            friction_2: friction,
            cohesion: 0.0,
            rolling_friction,
            torsional_friction,
        },
        bias: [0.0; 6],
    };
    let bounds = RowLaw { kind: Kind::Bounds { lower: [-1.0; 6], upper: [2.0; 6] }, bias: [0.0; 6] };
    let heights = vec![3, 2, 6, 4, 2, 1, 3];
    let laws = vec![
        contact(0.5, 0.0, 0.0),
        contact(0.5, 0.0, 0.0),
        contact(0.5, 0.2, 0.1),
        contact(0.5, 0.0, 0.1),
        bounds,
        bounds,
        contact(0.0, 0.0, 0.0),
    ];
    #[rustfmt::skip]
    let forces = DVector::from_vec(vec![
        0.0, 0.0, 0.0, // touches
        -1.0, 2.0, // about to slide
        0.3, 0.4, 1.0, 0.0, 0.2, -0.1, // about to slide, roll and spin
        0.0, 0.0, 1.0, 0.1, // about to spin
        2.0, 0.5, // at the upper bound
        -1.0, // at the lower bound
        0.0, 0.0, 1.0, // nothing
    ]);
    let w = DMatrix::identity(21, 21);
    let own = Scene { b: -&w * &forces, w, heights, laws };
    let derivatives = own.derivatives(&forces, 0.0);
    let kink = |row, component, kind| Kink { row, component, kind };
    let expected = [
        kink(0, 2, KinkKind::Touching),
        kink(1, 0, KinkKind::Sliding),
        kink(2, 0, KinkKind::Sliding),
        kink(2, 3, KinkKind::Rolling),
        kink(2, 5, KinkKind::Spinning),
        kink(3, 3, KinkKind::Spinning),
        kink(4, 0, KinkKind::Bound),
        kink(5, 0, KinkKind::Bound),
    ];
    assert_eq!(derivatives.kinks().collect::<Vec<_>>(), expected);
    assert!(derivatives.is_solution());
}

/// Forces that are no solution have a residual, and bad input is refused.
#[test]
fn what_is_no_solution_is_told() {
    let laws = vec![RowLaw { kind: Kind::contact([0.5; 2], 0.0), bias: [0.0; 6] }];
    let b = DVector::from_vec(vec![0.0, 0.0, -1.0]);
    let own = Scene { w: DMatrix::identity(3, 3), b, heights: vec![3], laws };
    let derivatives = own.derivatives(&DVector::from_vec(vec![0.0, 0.0, 0.9]), 0.0);
    assert!(!derivatives.is_solution() && (derivatives.residual() - 0.1).abs() < 1e-12);
    let mut derivatives = own.derivatives(&DVector::from_vec(vec![0.0, 0.0, 1.0]), 0.0);
    let text = |error: Result<Fit, ldy::solve::Error>| error.unwrap_err().to_string();
    let (mut dr, mut du, mut by_b) = ([7.0; 3], [7.0; 3], [7.0; 3]);
    let nan = [0.0, f64::NAN, 0.0];
    assert_eq!(
        text(derivatives.forward(&nan, None, &mut dr, &mut du)),
        "constraint of row 0: a change of its velocity is not finite"
    );
    let bad = [LawChange { cohesion: f64::INFINITY, ..LawChange::default() }];
    assert_eq!(
        text(derivatives.forward(&[0.0; 3], Some(&bad), &mut dr, &mut du)),
        "constraint of row 0: a change of its law is not finite"
    );
    assert_eq!(
        text(derivatives.adjoint(Some(&nan), None, &mut by_b, None)),
        "constraint of row 0: a derivative by its force is not finite"
    );
    assert!(derivatives.adjoint(None, Some(&[0.0; 2]), &mut by_b, None).is_err());
    assert_eq!([dr, du, by_b], [[7.0; 3]; 3]);
    let all = own.with(|problem, laws| {
        [
            Derivatives::new(problem, laws, &[0.0; 3], 1.0).err(),
            Derivatives::new(problem, laws, &[0.0; 2], 0.0).err(),
            Derivatives::new(problem, laws, &nan, 0.0).err(),
        ]
    });
    assert!(all.iter().all(Option::is_some));
}
