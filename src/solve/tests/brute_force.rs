//! The local solution of every law against the conditions of the law, for random blocks. The conditions determine whether a force is a
//! solution; no part of a solution method is used. `make brute-force CASES=1000000` runs more cases.

use std::env;

use crate::math::{Block, Vector};
use crate::solve::frames::{NormalFirst, NormalThird};
use crate::solve::laws::Local;
use crate::solve::local::branches::Branch::{self, *};
use crate::solve::local::branches::reached;
use crate::solve::local::{ACCURACY, RollingContact};
use crate::solve::rolling::{Coefficients, SpatialVector};
use crate::solve::{Kind, Law};
use testing::Random;

/// The most error of a law that one row solves.
const ENOUGH: f64 = 1e-9;

const INFINITE: f64 = f64::INFINITY;

/// The number of cases of a law, here or from the environment.
fn cases(few: usize) -> usize {
    let given = env::var("LDY_BRUTE_FORCE_CASES").ok();
    given.map_or(few, |text| text.parse().expect("LDY_BRUTE_FORCE_CASES is a number"))
}

/// The equation U = q + W R of one row with N scalar rows.
struct Row<const N: usize> {
    /// Row by row.
    w: [[f64; N]; N],
    q: [f64; N],
    is_regular: bool,
    /// Further sizes of the numbers that velocities are the sums of.
    other: [f64; N],
}

impl<const N: usize> Row<N> {
    /// A positive semidefinite W of this rank, with q in its range if it is singular. `units` are the units of velocities.
    fn new(random: &mut Random, rank: usize, asymmetry: f64, units: &[f64; N]) -> Self {
        let vectors: Vec<[f64; N]> = (0..rank).map(|_| random.array()).collect();
        let mut w = [[0.0; N]; N];
        for i in 0..N {
            for j in 0..N {
                let sum: f64 = vectors.iter().map(|v| v[i] * v[j]).sum();
                w[i][j] = units[i] * units[j] * (sum + asymmetry * random.signed());
            }
        }
        let shares: Vec<f64> = vectors.iter().map(|_| random.signed()).collect();
        let any: [f64; N] = random.array();
        let in_range = |i: usize| vectors.iter().zip(&shares).map(|(v, share)| v[i] * share).sum::<f64>();
        let q = std::array::from_fn(|i| units[i] * if rank < N { in_range(i) } else { any[i] });
        Self { w, q, is_regular: rank >= N, other: [0.0; N] }
    }

    /// U, and for each scalar row the size of the numbers that it is the sum of.
    fn velocity(&self, r: &[f64; N]) -> [(f64, f64); N] {
        std::array::from_fn(|i| {
            let products = || (0..N).map(|j| self.w[i][j] * r[j]);
            let size = self.q[i].abs() + self.other[i] + products().map(f64::abs).sum::<f64>();
            (self.q[i] + products().sum::<f64>(), size)
        })
    }

    /// The most error of a force, relative to the sums. Errors of determinants grow with the condition of the block.
    fn enough(&self) -> f64 {
        if !self.is_regular {
            return 1e-6;
        }
        let (mut w, mut least) = (self.w, INFINITE);
        for k in 0..N {
            least = least.min((w[k][k] / self.w[k][k]).abs());
            for i in k + 1..N {
                let factor = w[i][k] / w[k][k];
                (k..N).for_each(|j| w[i][j] -= factor * w[k][j]);
            }
        }
        ENOUGH.max(1e-13 / least)
    }

    /// The unit of forces.
    fn unit(&self) -> f64 {
        let unit = |i: usize| self.q[i].abs() / (self.w[i][i] * self.w[0][0]).sqrt();
        (0..N).map(unit).fold(0.0, f64::max)
    }

    /// The block of three lanes; a lane without a scalar row has the mean of the diagonal.
    fn block(&self, lanes: [Option<usize>; 3], others: [Option<usize>; 3]) -> Block {
        let own = || lanes.iter().flatten();
        let mean = own().map(|&i| self.w[i][i]).sum::<f64>() / own().count() as f64;
        std::array::from_fn(|k| match (lanes[k % 3], others[k / 3]) {
            (Some(i), Some(j)) => self.w[i][j],
            (None, None) if k % 4 == 0 && lanes == others => mean,
            _ => 0.0,
        })
    }
}

/// A contact of any kind: the normal comes first, 0 ≤ R_N − least ⟂ U_N ≥ 0, and each part of the other scalar rows has
/// Σ (R_i / μ_i)² ≤ (R_N − tip)² and takes the most power of these forces.
struct ContactRules<'a> {
    least: f64,
    tip: f64,
    parts: &'a [&'a [(usize, f64)]],
    /// Errors relative to the sums that velocities and products are made of.
    enough: f64,
}

impl ContactRules<'_> {
    /// 1 if the contact is closed, and 2, 4, 8 for the parts that slide; none if a condition is violated.
    fn state<const N: usize>(&self, row: &Row<N>, r: &[f64; N]) -> Option<usize> {
        let u = row.velocity(r);
        let (enough, normal, (un, size)) = (self.enough, r[0] - self.least, u[0]);
        let scale = r[0].abs() + self.least.abs() + row.unit();
        if normal < -1e-14 * scale || un < -enough * size || (normal > 1e-14 * scale && un > enough * size) {
            eprintln!("R_N − least = {normal:e}, U_N = {un:e} of {size:e}");
            return None;
        }
        let mut state = usize::from(normal > 1e-14 * scale);
        for (number, part) in self.parts.iter().enumerate() {
            let radius = r[0] - self.tip;
            let root = |squares: &dyn Fn(usize, f64) -> f64| {
                part.iter().map(|&(i, most)| squares(i, most).powi(2)).sum::<f64>().sqrt()
            };
            // The rounding of a force, in the unit of this scalar row.
            let rounding = |i: usize| 1e-12 * scale * (row.w[0][0] / row.w[i][i]).sqrt();
            let force = root(&|i, most| if r[i].abs() <= rounding(i) { 0.0 } else { r[i] / most });
            let slip = root(&|i, most| most * u[i].0);
            let power: f64 = part.iter().map(|&(i, _)| r[i] * u[i].0).sum();
            let error = |i: usize, most: f64| {
                u[i].1 * (enough * (r[i].abs() + most * radius) + rounding(i) + 1e-15 * most * scale)
            };
            let most_error: f64 = part.iter().map(|&(i, most)| error(i, most)).sum();
            let is_outside = force > radius * (1.0 + 1e-10) + 1e-12 * scale;
            if is_outside || (power + radius * slip).abs() > most_error {
                eprintln!(
                    "part {number}: {force:e} of {radius:e}, {power:e} and {:e}, error {most_error:e}",
                    radius * slip
                );
                return None;
            }
            let is_slow = radius == 0.0 || part.iter().all(|&(i, _)| u[i].0.abs() <= enough * u[i].1);
            state += usize::from(!is_slow) << (number + 1);
        }
        Some(state)
    }
}

/// How often each state was found, and which branches were reached.
struct Met {
    states: [usize; 32],
    before: Vec<(Branch, usize)>,
}

impl Met {
    fn new(branches: &[Branch]) -> Self {
        Self { states: [0; 32], before: branches.iter().map(|&branch| (branch, reached(branch))).collect() }
    }

    fn add(&mut self, state: Option<usize>, case: impl FnOnce() -> String) {
        self.states[state.unwrap_or_else(|| panic!("no solution: {}", case()))] += 1;
    }

    fn assert_all(&self, states: &[usize]) {
        assert!(states.iter().all(|&state| self.states[state] > 0), "states: {:?}", self.states);
        for &(branch, before) in &self.before {
            assert!(reached(branch) > before, "{branch:?}");
        }
    }
}

/// A coefficient: none, small, usual, large, huge.
fn coefficient(random: &mut Random) -> f64 {
    [0.0, 0.02, 0.3, 1.0, 3.0, 1e6][random.below(6)]
}

/// Rank and asymmetry: regular, or singular.
fn shape<const N: usize>(random: &mut Random, units: &[f64; N]) -> Row<N> {
    let rank = match random.below(24) {
        0 if N < 4 => 1,
        1 => N - 1,
        k => N + [0, 1, 3, 6, 9][k % 5],
    };
    let asymmetry = if rank > N + 2 { [0.0, 1e-3][random.below(2)] } else { 0.0 };
    let mut row = Row::new(random, rank, asymmetry, units);
    if rank >= N {
        row.q[0] -= 0.5 * units[0];
    }
    row
}

fn force(kind: Kind, w: &Block, q: &Vector, old: &Vector) -> Vector {
    Local::new::<NormalFirst>(w, &Law { kind, bias: [0.0; 3] }).force::<NormalFirst>(q, old, 0.0)
}

/// The components of a vector, of which the normal is the first, with the normal as the third; and back.
fn turned([n, s, t]: Vector) -> Vector {
    [s, t, n]
}

fn turned_back([s, t, n]: Vector) -> Vector {
    [n, s, t]
}

fn turned_block(w: &Block) -> Block {
    std::array::from_fn(|k| w[3 * ((k / 3 + 1) % 3) + (k % 3 + 1) % 3])
}

/// As [`force`], for half of the cases in the other order of components.
fn force_of_contact(case: usize, kind: Kind, w: &Block, q: &Vector, old: &Vector) -> Vector {
    if (case / 4).is_multiple_of(2) {
        return force(kind, w, q, old);
    }
    let local = Local::new::<NormalThird>(&turned_block(w), &Law { kind, bias: [0.0; 3] });
    turned_back(local.force::<NormalThird>(&turned(*q), &turned(*old), 0.0))
}

/// What twenty sweeps over a row alone make of its force.
fn swept(kind: Kind, w: &Block, q: &Vector, old: &Vector) -> Vector {
    let local = Local::new::<NormalFirst>(w, &Law { kind, bias: [0.0; 3] });
    (0..20).fold(*old, |old, _| local.force::<NormalFirst>(q, &old, ACCURACY))
}

#[test]
fn contacts() {
    let mut random = Random::new(1);
    let mut met = Met::new(&[ContactSticks, ContactSlides]);
    for case in 0..cases(20_000) {
        let (friction, cohesion) = (coefficient(&mut random), [0.0, 0.3][case % 2]);
        let row = shape(&mut random, &[1.0; 3]);
        let w = row.block([Some(0), Some(1), Some(2)], [Some(0), Some(1), Some(2)]);
        let (kind, old) = (Kind::contact([friction; 2], cohesion), random.array());
        let r = force_of_contact(case, kind, &w, &row.q, &old);
        let rules = ContactRules {
            least: -cohesion,
            tip: -cohesion,
            parts: &[&[(1, friction), (2, friction)]],
            enough: row.enough(),
        };
        let state = rules.state(&row, &r);
        if case % 8 == 0 {
            let near = swept(kind, &w, &row.q, &old);
            assert_eq!(rules.state(&row, &near), state, "{w:?} {:?} {friction} {cohesion}: {near:?}", row.q);
        }
        met.add(state, || format!("{w:?} {:?} {friction} {cohesion}: {r:?}", row.q));
    }
    met.assert_all(&[0, 1, 3]);
}

#[test]
fn contacts_in_a_plane() {
    let mut random = Random::new(2);
    let mut met = Met::new(&[ContactSticks, ContactSlidesAlong, ContactSticksOnALine]);
    for case in 0..cases(20_000) {
        let (friction, cohesion) = (coefficient(&mut random), [0.0, 0.3][case % 2]);
        let row = shape(&mut random, &[1.0; 2]);
        let mut w = row.block([Some(0), Some(1), None], [Some(0), Some(1), None]);
        if case % 5 == 0 {
            // A second tangent that nothing moves, in a row of three.
            w[8] = 0.0;
        }
        let old = [random.signed(), random.signed(), 0.0];
        let r = force_of_contact(
            case,
            Kind::contact([friction; 2], cohesion),
            &w,
            &[row.q[0], row.q[1], 0.0],
            &old,
        );
        assert_eq!(r[2], 0.0);
        let rules = ContactRules {
            least: -cohesion,
            tip: -cohesion,
            parts: &[&[(1, friction)]],
            enough: row.enough(),
        };
        met.add(rules.state(&row, &[r[0], r[1]]), || {
            format!("{w:?} {:?} {friction} {cohesion}: {r:?}", row.q)
        });
    }
    met.assert_all(&[0, 1, 3]);
}

/// Two coefficients, through the scaling that makes them one.
#[test]
fn orthotropic_contacts() {
    let mut random = Random::new(3);
    let mut met = Met::new(&[ContactSticks, ContactSlides, ContactSticksOnALine]);
    for case in 0..cases(20_000) {
        let frictions = [coefficient(&mut random).min(3.0), coefficient(&mut random).min(3.0)];
        let (most, cohesion) = (frictions[0].max(frictions[1]), [0.0, 0.3][case % 2]);
        let row = shape(&mut random, &[1.0; 3]);
        let d =
            [1.0, frictions[0] / most, frictions[1] / most].map(|d: f64| if d.is_nan() { 1.0 } else { d });
        let w = row.block([Some(0), Some(1), Some(2)], [Some(0), Some(1), Some(2)]);
        let scaled: Block = std::array::from_fn(|k| d[k % 3] * w[k] * d[k / 3]);
        let q = std::array::from_fn(|i| d[i] * row.q[i]);
        let r = force_of_contact(case, Kind::contact([most; 2], cohesion), &scaled, &q, &random.array());
        let r: Vector = std::array::from_fn(|i| d[i] * r[i]);
        let parts: &[&[(usize, f64)]] = &[&[(1, frictions[0]), (2, frictions[1])]];
        let rules = ContactRules { least: -cohesion, tip: -cohesion, parts, enough: row.enough() };
        met.add(rules.state(&row, &r), || format!("{w:?} {:?} {frictions:?} {cohesion}: {r:?}", row.q));
    }
    met.assert_all(&[0, 1, 3]);
}

/// Lower ≤ R_i ≤ upper, and U_i has the sign that the bounds leave.
fn state_of_bounds(row: &Row<3>, r: &Vector, bounds: &[(f64, f64); 3]) -> Option<usize> {
    let u = row.velocity(r);
    let mut state = 0;
    for i in 0..3 {
        let ((lower, upper), (u, size)) = (bounds[i], u[i]);
        let pushes = u > ENOUGH * size && r[i] != lower;
        let pulls = u < -ENOUGH * size && r[i] != upper;
        if !(lower..=upper).contains(&r[i]) || pushes || pulls {
            return None;
        }
        let own = if r[i] == lower { 1 } else { 2 * usize::from(r[i] == upper) };
        state = 3 * state + own;
    }
    Some(state)
}

#[test]
fn bounds() {
    let mut random = Random::new(4);
    let mut met = Met::new(&[BoundsFixed, BoundsCombined]);
    for _ in 0..cases(20_000) {
        let are_free = random.below(8) == 0;
        let bounds = [(); 3].map(|()| match random.below(6) {
            _ if are_free => (-INFINITE, INFINITE),
            0 => (-INFINITE, INFINITE),
            1 => (0.0, INFINITE),
            2 => (-INFINITE, 0.1),
            3 => (0.2, 0.2),
            _ => (-0.3, 0.3),
        });
        let rank = 3 + [0, 1, 3, 6][random.below(4)];
        let row = Row::new(&mut random, rank, 0.0, &[1.0; 3]);
        let w = row.block([Some(0), Some(1), Some(2)], [Some(0), Some(1), Some(2)]);
        let kind =
            Kind::Bounds { lower: bounds.map(|(lower, _)| lower), upper: bounds.map(|(_, upper)| upper) };
        let r = force(kind, &w, &row.q, &random.array());
        met.add(state_of_bounds(&row, &r, &bounds), || format!("{w:?} {:?} {bounds:?}: {r:?}", row.q));
    }
    met.assert_all(&(0..27).collect::<Vec<_>>());
}

/// Where a block is singular and there is no solution, forces are finite and within their bounds.
#[test]
fn bounds_without_solution() {
    let mut random = Random::new(5);
    let met = Met::new(&[BoundsRelaxed]);
    for _ in 0..cases(2000) {
        let rank = 1 + random.below(2);
        let row = Row { q: random.array(), ..Row::new(&mut random, rank, 0.0, &[1.0; 3]) };
        let w = row.block([Some(0), Some(1), Some(2)], [Some(0), Some(1), Some(2)]);
        let lower = [-INFINITE, -INFINITE, [-INFINITE, 0.0, -0.3][random.below(3)]];
        let r = force(Kind::Bounds { lower, upper: [INFINITE; 3] }, &w, &row.q, &[0.0; 3]);
        assert!(r[2] >= lower[2] && r.iter().all(|r| r.is_finite()), "{w:?} {:?} {lower:?}: {r:?}", row.q);
    }
    met.assert_all(&[]);
}

/// Force and moments, for half of the cases in the other order of components.
fn force_and_moments(
    case: usize,
    w: &[[Block; 2]; 2],
    own: &Coefficients,
    [q, old]: [&SpatialVector; 2],
    accuracy: f64,
) -> SpatialVector {
    let root = |k: usize| ((0..3).map(|i| w[k][k][4 * i]).sum::<f64>() / 3.0).sqrt();
    let roots = [root(0), root(1)];
    if (case / 4).is_multiple_of(2) {
        return RollingContact::new::<NormalFirst>(w, own, roots).force::<NormalFirst>(q, old, accuracy);
    }
    let local = RollingContact::new::<NormalThird>(&w.map(|w| w.map(|w| turned_block(&w))), own, roots);
    local.force::<NormalThird>(&q.map(turned), &old.map(turned), accuracy).map(turned_back)
}

/// Contacts of four, five and six scalar rows: normal, tangents, then moments.
fn rolling<const N: usize>(seed: u64, moments: [Option<usize>; 3], states: &[usize], branches: &[Branch]) {
    let mut random = Random::new(seed);
    let mut met = Met::new(branches);
    for case in 0..cases(6000) {
        let length = [1.0, 1e-3, 50.0][case % 3];
        let units: [f64; N] = std::array::from_fn(|i| if i < 3 { 1.0 } else { length });
        let cohesion = [0.0, 0.3][case / 3 % 2];
        let [friction, rolling, torsion] = [(); 3].map(|()| coefficient(&mut random));
        let (rolling, torsion) = (
            if moments[1].is_some() { rolling / length } else { 0.0 },
            if moments[0].is_some() { torsion / length } else { 0.0 },
        );
        let mut row = shape(&mut random, &units);
        if !row.is_regular && friction.max(rolling * length).max(torsion * length) > 10.0 {
            // A regularized block has the last digits of its forces from the last force; huge coefficients enlarge these.
            row = Row::new(&mut random, N, 0.0, &units);
        }
        let lanes = [[Some(0), Some(1), Some(2)], moments];
        let w = [0, 1].map(|i| [0, 1].map(|j| row.block(lanes[i], lanes[j])));
        let own = Coefficients { limits: [friction, rolling, torsion], cohesion };
        let in_lanes = |x: &[f64; N]| lanes.map(|lanes| lanes.map(|lane| lane.map_or(0.0, |i| x[i])));
        let old: [f64; N] = std::array::from_fn(|i| random.signed() / units[i]);
        if !row.is_regular {
            // The last force has a part in the solution.
            let most = |own: &dyn Fn(usize) -> f64| (0..N).map(own).fold(0.0, f64::max);
            let d = most(&|i| row.w[i][i] / (units[i] * units[i]));
            let old = most(&|i| (units[i] * old[i]).abs());
            row.other = units.map(|unit| unit * d * old);
        }
        let solve = |old: &[f64; N], accuracy: f64| {
            let pair = force_and_moments(case, &w, &own, [&in_lanes(&row.q), &in_lanes(old)], accuracy);
            let mut r = [0.0; N];
            for (lane, force) in lanes.as_flattened().iter().zip(pair.as_flattened()) {
                lane.iter().for_each(|&i| r[i] = *force);
            }
            r
        };
        let r = solve(&old, 0.0);
        let tangents: Vec<(usize, f64)> = moments[1..].iter().flatten().map(|&i| (i, rolling)).collect();
        let normal: Vec<(usize, f64)> = moments[0].iter().map(|&i| (i, torsion)).collect();
        let parts: &[&[(usize, f64)]] = &[&[(1, friction), (2, friction)], &tangents, &normal];
        let rules = ContactRules { least: -cohesion, tip: -cohesion, parts, enough: row.enough() };
        let state = rules.state(&row, &r);
        if case % 8 == 0 && row.is_regular {
            let near = (0..20).fold(old, |old, _| solve(&old, ACCURACY));
            assert_eq!(rules.state(&row, &near), state, "{:?} {:?} {own:?}: {near:?}", row.w, row.q);
        }
        met.add(state, || format!("{:?} {:?} {own:?}: {r:?}", row.w, row.q));
    }
    met.assert_all(states);
}

#[test]
fn contacts_of_four_rows() {
    rolling::<4>(6, [Some(3), None, None], &[0, 1, 3, 9, 11], &[RollingFromLast, RollingFromHeld]);
}

#[test]
fn contacts_of_five_rows() {
    rolling::<5>(7, [None, Some(3), Some(4)], &[0, 1, 3, 5, 7], &[RollingFromLast, RollingFromHeld]);
}

#[test]
fn contacts_of_six_rows() {
    let states = [0, 1, 3, 5, 7, 9, 11, 13, 15];
    let branches = [RollingFromLast, RollingFromHeld, RollingSearched];
    rolling::<6>(8, [Some(3), Some(4), Some(5)], &states, &branches);
}

#[test]
fn expansion() {
    let mut random = Random::new(9);
    let mut met = Met::new(&[ExpansionClosed, ExpansionSearched, DiskHeld, DiskLimited]);
    for case in 0..cases(20_000) {
        let (friction, least_force) = (coefficient(&mut random), [0.0, 0.05, 0.3, 2.0][case % 4]);
        let row = shape(&mut random, &[1.0; 3]);
        let w = row.block([Some(0), Some(1), Some(2)], [Some(0), Some(1), Some(2)]);
        let r =
            force_of_contact(case, Kind::Expansion { friction, least_force }, &w, &row.q, &random.array());
        let rules = ContactRules {
            least: least_force,
            tip: 0.0,
            parts: &[&[(1, friction), (2, friction)]],
            enough: row.enough(),
        };
        met.add(rules.state(&row, &r), || format!("{w:?} {:?} {friction} {least_force}: {r:?}", row.q));
    }
    met.assert_all(&[0, 1, 2, 3]);
}

/// A random case in which sweeps with inexact solutions do not end.
#[test]
fn sweeps_over_a_contact_with_huge_friction_end() {
    let (wn, ws, wt) = ([1.1, -0.18, 0.04], [-0.18, 0.115, -0.08], [0.04, -0.08, 0.62]);
    let w: Block = std::array::from_fn(|k| [wn, ws, wt][k / 3][k % 3]);
    let (kind, q) = (Kind::contact([1e6; 2], 0.0), [-0.22, 0.35, -0.9]);
    let exact = force(kind, &w, &q, &[0.0; 3]);
    let mut random = Random::new(77);
    for _ in 0..300 {
        let near = swept(kind, &w, &q, &random.array());
        assert!((0..3).all(|i| (near[i] - exact[i]).abs() < 1e-9), "{near:?} {exact:?}");
    }
}
