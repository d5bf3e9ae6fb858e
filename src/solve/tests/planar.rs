//! Contacts of two scalar rows: one contact against all its cases, and scenes against the same contacts with a second tangent that
//! nothing moves.

use nalgebra::{DMatrix, DVector, Matrix2, Vector2};

use super::rows_of_three::Cut;
use crate::math::{Block, Vector};
use crate::memory;
use crate::solve::frames::{Axes, NormalFirst, NormalThird};
use crate::solve::laws::Local;
use crate::solve::{
    BodyRows, BodyRowsSource, Kind, Law, Method, NODE, Normal, Options, Problem, Report, Solver, Status,
};
use testing::Random;

const METHODS: [Method; 3] = [Method::Automatic, Method::GaussSeidel, Method::Newton];

/// The forces (tangent, normal) of one contact by case: open, sticking, sliding either way.
fn by_case(w: &Matrix2<f64>, q: &Vector2<f64>, friction: f64, cohesion: f64) -> Vec<(usize, Vector2<f64>)> {
    let shift = Vector2::new(0.0, cohesion);
    let q = q - w * shift;
    let mut found = Vec::new();
    let mut add = |case: usize, x: Vector2<f64>| found.push((case, x - shift));
    if q[1] >= 0.0 {
        add(0, Vector2::zeros());
    }
    let sticking = -w.try_inverse().unwrap() * q;
    if sticking[1] >= 0.0 && sticking[0].abs() <= friction * sticking[1] {
        add(1, sticking);
    }
    for (case, sign) in [(2, -1.0), (3, 1.0)] {
        let normal = -q[1] / (w[(1, 1)] - sign * friction * w[(1, 0)]);
        let x = Vector2::new(-sign * friction * normal, normal);
        if normal >= 0.0 && sign * (q + w * x)[0] >= 0.0 {
            add(case, x);
        }
    }
    found
}

fn one_contact<A: Axes>() {
    let mut random = Random::new(11);
    let mut met = [0; 4];
    for case in 0..4000 {
        let h = Matrix2::from_fn(|_, _| random.signed());
        let skew = [0.0, 1e-3][case % 2];
        let w = h * h.transpose() + Matrix2::new(0.1, skew, -skew, 0.1);
        let q = Vector2::new(random.signed(), random.signed());
        // With little friction there is one solution.
        let (friction, cohesion) = ([0.0, 0.1, 0.3][case % 3], [0.0, 0.2][case / 3 % 2]);
        let mut block: Block = [0.0; 9];
        let lanes = [A::S, A::N];
        for i in 0..2 {
            (0..2).for_each(|j| block[3 * lanes[j] + lanes[i]] = w[(i, j)]);
        }
        block[4 * A::T] = 0.5 * w.trace();
        let mut free: Vector = [0.0; 3];
        (0..2).for_each(|i| free[lanes[i]] = q[i]);
        let kind = Kind::contact([friction; 2], cohesion);
        let force = Local::new::<A>(&block, &Law { kind, bias: [0.0; 3] }).force::<A>(&free, &[0.0; 3], 0.0);
        assert_eq!(force[A::T], 0.0);
        let force = Vector2::new(force[A::S], force[A::N]);
        let found = by_case(&w, &q, friction, cohesion);
        let near = |(_, x): &&(usize, Vector2<f64>)| (x - force).amax() < 1e-12 * (1.0 + x.amax());
        let (state, _) = found.iter().find(near).unwrap_or_else(|| panic!("{case}: {force} {found:?}"));
        met[*state] += 1;
    }
    assert!(met.iter().all(|&count| count > 100), "{met:?}");
}

#[test]
fn one_contact_obeys_its_law_in_each_case() {
    one_contact::<NormalFirst>();
    one_contact::<NormalThird>();
}

/// A body that forces cannot move along the tangent slides, if it moves there, or has no friction.
#[test]
fn a_tangent_without_w_has_the_friction_of_sliding() {
    let w = DMatrix::from_diagonal(&DVector::from_column_slice(&[0.0, 2.0]));
    for (velocity, friction) in [(0.3, -0.2), (-0.3, 0.2), (0.0, 0.0)] {
        let cut = Cut::new(&w, &DVector::from_column_slice(&[velocity, -1.0]), &[2]);
        for method in METHODS {
            let options = Options { method, ..Options::default() };
            let mut forces = [0.0; 2];
            let report =
                Solver::new().solve(&cut.problem(), &[Law::contact(0.4)], &options, &mut forces).unwrap();
            let error = (forces[0] - friction).abs().max((forces[1] - 0.5).abs());
            assert!(report.status == Status::Converged && error < 1e-8, "{method:?}: {forces:?}");
        }
    }
}

/// Rows and bodies: W = H Hᵀ.
struct Scene {
    heights: Vec<usize>,
    h: DMatrix<f64>,
    v: DVector<f64>,
    laws: Vec<Law>,
    normal: Normal,
}

impl Scene {
    /// Planar contacts, with joints, limits and contacts in space among them if they are `mixed`. W is regular.
    fn new(random: &mut Random, rows: usize, mixed: bool, normal: Normal) -> Self {
        let kinds = (0..rows).map(|row| if mixed { row % 4 } else { 0 });
        let heights: Vec<usize> = kinds.clone().map(|kind| [2, 3, 1, 2][kind]).collect();
        let scalars = heights.iter().sum::<usize>();
        let columns = (2 * scalars).next_multiple_of(NODE);
        let laws = kinds.enumerate().map(|(row, kind)| {
            let (friction, cohesion) = ([0.0, 0.2, 0.5][row % 3], [0.0, 0.1][row % 2]);
            let kind = match kind {
                0 => Kind::contact([friction; 2], cohesion),
                1 => Kind::contact([0.3; 2], cohesion),
                2 => Kind::Bounds { lower: [0.0; 3], upper: [f64::INFINITY; 3] },
                _ => Law::fixed().kind,
            };
            Law { kind, bias: random.array() }
        });
        Self {
            laws: laws.collect(),
            h: DMatrix::from_fn(scalars, columns, |_, _| random.signed()),
            v: DVector::from_fn(columns, |_, _| random.signed()),
            heights,
            normal,
        }
    }

    /// The same with a second tangent for planar contacts; it couples with nothing.
    fn in_space(&self) -> Self {
        let Self { normal, .. } = *self;
        let is_planar = |row: usize| self.heights[row] == 2 && is_contact(&self.laws[row]);
        let second = if normal == Normal::First { 2 } else { 1 };
        let (mut heights, mut h, mut laws) = (self.heights.clone(), self.h.clone(), self.laws.clone());
        let mut first = 0;
        for row in 0..heights.len() {
            if is_planar(row) {
                heights[row] = 3;
                h = h.insert_row(first + second, 0.0);
                let columns = h.ncols();
                h = h.insert_column(columns, 0.0);
                h[(first + second, columns)] = 1.5;
                laws[row].bias.copy_within(second..2, second + 1);
                laws[row].bias[second] = 0.0;
            }
            first += heights[row];
        }
        let columns = h.ncols().next_multiple_of(NODE);
        let (h, v) = (h.resize_horizontally(columns, 0.0), self.v.clone().resize_vertically(columns, 0.0));
        Self { heights, h, v, laws, normal }
    }

    /// The forces of all scalar rows except second tangents.
    fn solve(&self, method: Method, has_bodies: bool) -> (Report, Vec<f64>) {
        let (w, b) = (&self.h * self.h.transpose(), &self.h * &self.v);
        let cut = Cut::new(&w, &b, &self.heights);
        let problem = Problem { normal: self.normal, ..cut.problem() };
        let options = Options { tolerance: 1e-13, method, ..Options::default() };
        let mut forces = vec![0.0; b.len()];
        let bodies = has_bodies.then_some(self as &dyn BodyRowsSource);
        let mut solver = Solver::new();
        let report =
            solver.solve_with_bodies(&problem, bodies, &self.laws, &options, &mut forces, None).unwrap();
        (report, forces)
    }
}

fn is_contact(law: &Law) -> bool {
    matches!(law.kind, Kind::Contact { .. })
}

impl BodyRowsSource for Scene {
    fn write_rows(&self, rows: &mut BodyRows) -> memory::Result<bool> {
        let nodes = self.h.ncols() / NODE;
        rows.start(nodes)?;
        let mut first = 0;
        for &height in &self.heights {
            for node in 0..nodes {
                let entry = |i: usize, k: usize| {
                    if i < height { self.h[(first + i, NODE * node + k)] } else { 0.0 }
                };
                rows.push_part(node, &std::array::from_fn(|k| std::array::from_fn(|i| entry(i, k))))?;
            }
            rows.end_row()?;
            first += height;
        }
        Ok(true)
    }
}

/// By each method, in the space of contacts and of bodies, whichever component is the normal one.
#[test]
fn forces_are_those_of_contacts_with_a_second_tangent_that_nothing_moves() {
    let mut random = Random::new(23);
    for case in 0..12 {
        let (rows, mixed) = ([1, 4, 12, 30][case % 4], case % 3 > 0);
        for normal in [Normal::First, Normal::Third] {
            let planar = Scene::new(&mut random, rows, mixed, normal);
            let space = planar.in_space();
            let (report, of_space) = space.solve(Method::Automatic, false);
            assert_eq!(report.status, Status::Converged);
            let mut expected = Vec::new();
            let mut rest = &of_space[..];
            for (&height, &with_second) in planar.heights.iter().zip(&space.heights) {
                let (own, others) = rest.split_at(with_second);
                let second = (with_second > height).then_some(if normal == Normal::First { 2 } else { 1 });
                expected.extend(
                    own.iter().enumerate().filter(|(i, _)| Some(*i) != second).map(|(_, force)| *force),
                );
                rest = others;
            }
            for method in METHODS {
                for has_bodies in [false, true] {
                    let (report, forces) = planar.solve(method, has_bodies);
                    assert_eq!(report.status, Status::Converged, "{case} {method:?}: {report:?}");
                    for (force, expected) in forces.iter().zip(&expected) {
                        assert!(
                            (force - expected).abs() < 1e-10,
                            "{case} {normal:?} {method:?} {has_bodies}"
                        );
                    }
                }
            }
        }
    }
}

/// Many contacts on few bodies, whose steps are made in the space of bodies: the law, condition by condition.
#[test]
fn contacts_on_few_bodies_obey_their_laws() {
    let mut random = Random::new(41);
    for normal in [Normal::First, Normal::Third] {
        let mut scene = Scene::new(&mut random, 60, false, normal);
        scene.h = scene.h.resize_horizontally(4 * NODE, 0.0);
        scene.v = scene.v.resize_vertically(4 * NODE, 0.0);
        scene.laws.iter_mut().for_each(|law| *law = Law::contact(0.4));
        let (tangent, n) = if normal == Normal::First { (1, 0) } else { (0, 1) };
        for method in [Method::Automatic, Method::Newton] {
            let (report, forces) = scene.solve(method, true);
            assert!(report.residual.natural < 1e-9, "{normal:?} {method:?}: {report:?}");
            let u = &scene.h * (&scene.v + scene.h.transpose() * DVector::from_column_slice(&forces));
            let mut pressed = 0;
            for (r, u) in forces.chunks(2).zip(u.as_slice().chunks(2)) {
                let dissipated = r[tangent] * u[tangent] + 0.4 * r[n] * u[tangent].abs();
                let most = 0.4 * r[n] * (1.0 + 1e-12);
                assert!(r[n] >= 0.0 && r[tangent].abs() <= most && u[n] > -1e-7, "{r:?} {u:?}");
                assert!((r[n] * u[n]).abs() < 1e-7 && dissipated.abs() < 1e-7, "{r:?} {u:?}");
                pressed += usize::from(r[n] > 1e-6);
            }
            assert!(pressed > 10 && (report.steps > 0 || method != Method::Newton), "{pressed} {report:?}");
        }
    }
}

/// The measures by their definitions in the plane: d is the mean of the two diagonal entries.
#[test]
fn residuals_are_those_of_the_plane() {
    let mut random = Random::new(5);
    let mut scene = Scene::new(&mut random, 5, false, Normal::Third);
    scene.laws.iter_mut().for_each(|law| *law = Law::contact(0.4));
    let (w, b) = (&scene.h * scene.h.transpose(), &scene.h * &scene.v);
    let cut = Cut::new(&w, &b, &scene.heights);
    let options =
        Options { max_sweeps: 1, method: Method::GaussSeidel, tolerance: 0.0, ..Options::default() };
    let mut forces = vec![0.0; 10];
    let report = Solver::new().solve(&cut.problem(), &scene.laws, &options, &mut forces).unwrap();
    let u = &b + &w * DVector::from_column_slice(&forces);
    let (mut squares, mut norms) = ([0.0; 2], [0.0; 2]);
    for row in 0..5 {
        let d = 0.5 * (w[(2 * row, 2 * row)] + w[(2 * row + 1, 2 * row + 1)]);
        for (k, rho) in [1.0, 1.0 / d].into_iter().enumerate() {
            let (r, u) = (&forces[2 * row..2 * row + 2], &u.as_slice()[2 * row..2 * row + 2]);
            let (t, n) = (r[0] - rho * u[0], r[1] - rho * (u[1] + 0.4 * u[0].abs()));
            let p = if t.abs() <= 0.4 * n {
                [t, n]
            } else if 0.4 * t.abs() <= -n {
                [0.0; 2]
            } else {
                let normal = (n + 0.4 * t.abs()) / 1.16;
                [0.4 * normal * t.signum(), normal]
            };
            squares[k] += ((r[0] - p[0]).powi(2) + (r[1] - p[1]).powi(2)) / rho;
            norms[k] += (b[2 * row].powi(2) + b[2 * row + 1].powi(2)) * rho;
        }
    }
    let [natural, scaled] = [0, 1].map(|k| f64::sqrt(squares[k] / norms[k]));
    assert!((report.residual.natural - natural).abs() < 1e-12 && natural > 1e-3, "{report:?} {natural}");
    assert!((report.residual.scaled - scaled).abs() < 1e-12, "{report:?} {scaled}");
}

/// Two walls that approach each other: no force holds them.
#[test]
fn a_press_in_the_plane_is_infeasible() {
    let h = DMatrix::from_row_slice(4, 2, &[1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, -1.0]);
    let b = DVector::from_column_slice(&[0.1, -1.0, 0.1, -0.5]);
    let cut = Cut::new(&(&h * h.transpose()), &b, &[2, 2]);
    for method in [Method::Automatic, Method::Newton] {
        let options = Options { method, ..Options::default() };
        let laws = [Law::contact(0.3); 2];
        let report = Solver::new().solve(&cut.problem(), &laws, &options, &mut [0.0; 4]).unwrap();
        assert_eq!(report.status, Status::Infeasible, "{method:?}: {report:?}");
    }
}
