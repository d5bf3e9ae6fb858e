//! Contacts with rolling and torsional friction: random problems with a solution that is built first, residuals by their definition,
//! and pressed contacts without a solution.

use ldy::rows::BlockRows;
use ldy::solve::{Kind, Law, Measure, Method, Normal, Options, Problem, Report, Solver, Status};
use nalgebra::{DMatrix, DVector};
use testing::Random;
use testing::blocks::Blocks;

/// Forces or velocities of a row: normal, tangents, moments about the tangents, moment about the normal.
type Six = [f64; 6];

/// A row in terms of these six.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Three to six.
    height: usize,
    friction: f64,
    rolling: f64,
    torsion: f64,
    cohesion: f64,
    bias: Six,
}

impl Row {
    /// The components that a row has, in its order.
    fn components(&self, normal: Normal) -> Vec<usize> {
        let (force, moments): ([usize; 3], [usize; 3]) = match normal {
            Normal::First => ([0, 1, 2], [5, 3, 4]),
            Normal::Third => ([1, 2, 0], [3, 4, 5]),
        };
        let there = moments.into_iter().filter(|&k| match self.height {
            3 => false,
            4 => k == 5,
            5 => k < 5,
            _ => true,
        });
        force.into_iter().chain(there).collect()
    }

    fn law(&self, normal: Normal) -> Law<[f64; 6]> {
        let Self { friction, rolling, torsion, cohesion, .. } = *self;
        let kind = Kind::Contact {
            friction,
            friction_2: friction,
            cohesion,
            rolling_friction: rolling,
            torsional_friction: torsion,
        };
        let mut bias = [0.0; 6];
        self.components(normal).iter().zip(&mut bias).for_each(|(&k, bias)| *bias = self.bias[k]);
        Law { kind, bias }
    }

    /// The largest violation of the law by forces and velocities of about 1.
    fn violation(&self, r: &Six, u: &Six) -> f64 {
        let u: Six = std::array::from_fn(|i| u[i] + self.bias[i]);
        let normal = r[0] + self.cohesion;
        let part = |of: &[usize], limit: f64| {
            let size = |x: &Six| of.iter().map(|&i| x[i] * x[i]).sum::<f64>().sqrt();
            let power: f64 = of.iter().map(|&i| r[i] * u[i]).sum();
            (size(r) - limit * normal).max((power + limit * normal * size(&u)).abs())
        };
        [
            -normal,
            -u[0],
            (normal * u[0]).abs(),
            part(&[1, 2], self.friction),
            part(&[3, 4], self.rolling),
            part(&[5], self.torsion),
        ]
        .into_iter()
        .fold(0.0, f64::max)
    }
}

/// A row with a force and a velocity that obey its law: open, or with parts that are held or at their limits.
fn state(case: usize, random: &mut Random) -> (Row, Six, Six) {
    let height = [3, 4, 5, 6, 6][case % 5];
    let row = Row {
        height,
        friction: 0.5 + 0.4 * random.signed(),
        rolling: if height > 4 { 0.2 + 0.1 * random.signed() } else { 0.0 },
        torsion: if height % 2 == 0 { 0.3 + 0.1 * random.signed() } else { 0.0 },
        cohesion: if case.is_multiple_of(3) { 0.4 } else { 0.0 },
        bias: if case.is_multiple_of(4) { random.array() } else { [0.0; 6] },
    };
    let (mut r, mut u) = ([0.0; 6], random.array::<6>());
    if case.is_multiple_of(7) {
        r[0] = -row.cohesion;
        u[0] = 0.5 + 0.4 * u[0];
    } else {
        let normal = 1.0 + 0.5 * random.signed();
        (r[0], u[0]) = (normal - row.cohesion, 0.0);
        let parts: [(&[usize], f64); 3] =
            [(&[1, 2], row.friction), (&[3, 4], row.rolling), (&[5], row.torsion)];
        for (k, (of, limit)) in parts.into_iter().enumerate() {
            let size = of.iter().map(|&i| u[i] * u[i]).sum::<f64>().sqrt();
            let is_held = case >> k & 1 == 1;
            let share = if is_held { 0.8 * random.signed() } else { 1.0 };
            for &i in of {
                r[i] = -share * limit * normal * u[i] / size;
                u[i] *= if is_held { 0.0 } else { 0.3 };
            }
        }
    }
    (row, r, std::array::from_fn(|i| u[i] - row.bias[i]))
}

struct Known {
    rows: Vec<Row>,
    normal: Normal,
    w: DMatrix<f64>,
    b: Vec<f64>,
    blocks: Blocks,
}

impl Known {
    /// Rows between bodies with `dofs` dofs in all, whose moments have another unit: `unit` of length.
    fn new(count: usize, dofs: usize, asymmetry: f64, normal: Normal, unit: f64, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let states: Vec<_> = (0..count).map(|case| state(case + seed as usize, &mut random)).collect();
        let mut rows: Vec<Row> = states.iter().map(|state| state.0).collect();
        let scaled = |k: usize| if k > 2 { unit } else { 1.0 };
        for row in &mut rows {
            (row.rolling, row.torsion) = (unit * row.rolling, unit * row.torsion);
            (3..6).for_each(|k| row.bias[k] /= unit);
        }
        let places: Vec<(usize, usize)> = (rows.iter().enumerate())
            .flat_map(|(k, row)| row.components(normal).into_iter().map(move |component| (k, component)))
            .collect();
        let size = places.len();
        let mut h = random.matrix(size, dofs) * 0.5;
        for (i, &(_, component)) in places.iter().enumerate() {
            h.row_mut(i).scale_mut(1.0 / scaled(component));
        }
        let mut w = &h * h.transpose();
        for i in 0..size {
            for j in 0..i {
                let part = asymmetry * (w[(i, i)] * w[(j, j)]).sqrt() * random.signed();
                w[(i, j)] += part;
                w[(j, i)] -= part;
            }
        }
        let r = DVector::from_iterator(size, places.iter().map(|&(k, i)| states[k].1[i] * scaled(i)));
        let u = DVector::from_iterator(size, places.iter().map(|&(k, i)| states[k].2[i] / scaled(i)));
        let b = (u - &w * r).as_slice().to_vec();
        let heights: Vec<usize> = rows.iter().map(|row| row.height).collect();
        let blocks = Blocks::new(&w, &heights, |_, _| true);
        Self { rows, normal, w, b, blocks }
    }

    fn solve(&self, options: &Options) -> (Report, Vec<f64>) {
        let Self { blocks: Blocks { starts, columns, .. }, .. } = self;
        let mut forces = vec![0.0; self.b.len()];
        let layout = self.layout();
        let w = BlockRows::new(starts, columns, &self.blocks.values, Some(layout.borrow())).unwrap();
        let problem = Problem { w, b: &self.b, normal: self.normal };
        let laws: Vec<Law> =
            self.rows.iter().flat_map(|row| row.law(self.normal).parts(row.height)).collect();
        let report = Solver::new().solve(&problem, &laws, options, &mut forces).unwrap();
        (report, forces)
    }

    fn layout(&self) -> ldy::rows::RowLayoutBuf {
        let heights: Vec<usize> = self.rows.iter().map(|row| row.height).collect();
        ldy::rows::RowLayoutBuf::new(&heights, &self.blocks.starts, &self.blocks.columns).unwrap()
    }

    /// Values of scalar rows, six for each row.
    fn sixes(&self, values: &[f64]) -> Vec<Six> {
        let mut rest = values.iter();
        let six = |row: &Row| {
            let mut six = [0.0; 6];
            row.components(self.normal).into_iter().zip(&mut rest).for_each(|(k, &value)| six[k] = value);
            six
        };
        self.rows.iter().map(six).collect()
    }

    /// Forces and velocities of rows.
    fn pairs(&self, forces: &[f64]) -> Vec<(Six, Six)> {
        let u = DVector::from_column_slice(&self.b) + &self.w * DVector::from_column_slice(forces);
        self.sixes(forces).into_iter().zip(self.sixes(u.as_slice())).collect()
    }
}

#[test]
fn problems_with_a_known_solution_are_solved() {
    for seed in 0..60 {
        let count = [1, 5, 12, 30][seed as usize % 4];
        // Of full rank, of half the rank, and unsymmetric.
        let (dofs, asymmetry) =
            [(7 * count, 0.0), (5 * count / 2 + 3, 0.0), (7 * count, 1e-3)][seed as usize % 3];
        let normal = if seed % 2 == 0 { Normal::First } else { Normal::Third };
        let known = Known::new(count, dofs, asymmetry, normal, 1.0, seed);
        let (report, forces) = known.solve(&Options { tolerance: 1e-11, ..Options::default() });
        assert_eq!(report.status, Status::Converged, "seed {seed}: {report:?}");
        for (row, (r, u)) in known.rows.iter().zip(known.pairs(&forces)) {
            assert!(row.violation(&r, &u) < 1e-8, "seed {seed}: {row:?} {r:?} {u:?}");
        }
    }
}

#[test]
fn all_methods_meet_the_tolerance() {
    let known = Known::new(12, 90, 0.0, Normal::Third, 1.0, 7);
    for method in [Method::Automatic, Method::GaussSeidel, Method::Newton] {
        let options = Options { tolerance: 1e-10, method, ..Options::default() };
        let (report, forces) = known.solve(&options);
        assert_eq!(report.status, Status::Converged, "{method:?}: {report:?}");
        assert!((method == Method::GaussSeidel) <= (report.steps == 0));
        assert!((method == Method::Newton) <= (report.steps > 0));
        for (row, (r, u)) in known.rows.iter().zip(known.pairs(&forces)) {
            assert!(row.violation(&r, &u) < 1e-7, "{method:?}: {row:?} {r:?} {u:?}");
        }
    }
}

/// The closest point of {|t| ≤ μ n, |m| ≤ μ_r n, |s| ≤ μ_s n} by bisection of the normal component.
fn on_cone(x: &Six, limits: [f64; 3]) -> Six {
    let sizes = [x[1].hypot(x[2]), x[3].hypot(x[4]), x[5].abs()];
    let slope =
        |a: f64| a - x[0] - (0..3).map(|i| limits[i] * (sizes[i] - limits[i] * a).max(0.0)).sum::<f64>();
    let (mut low, mut high) = (0.0, 1.0 + x.iter().map(|x| x.abs()).sum::<f64>() * 4.0);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if slope(middle) < 0.0 { low = middle } else { high = middle }
    }
    let normal = if slope(0.0) >= 0.0 { 0.0 } else { high };
    let share = |i: usize| if sizes[i] > limits[i] * normal { limits[i] * normal / sizes[i] } else { 1.0 };
    [normal, share(0) * x[1], share(0) * x[2], share(1) * x[3], share(1) * x[4], share(2) * x[5]]
}

/// The measures are their definitions: with moments in units of their own, scaled by the means of their own diagonal entries.
#[test]
fn residuals_are_what_they_are_said_to_be() {
    let known = Known::new(8, 50, 0.0, Normal::First, 0.01, 3);
    let options =
        Options { tolerance: 0.0, max_sweeps: 2, method: Method::GaussSeidel, ..Options::default() };
    let (report, forces) = known.solve(&options);
    let diagonal: Vec<f64> = known.w.diagonal().iter().copied().collect();
    let (diagonals, q) = (known.sixes(&diagonal), known.sixes(&known.b));
    let [mut natural, mut scaled] = [[0.0; 2]; 2];
    for (k, (row, (r, u))) in known.rows.iter().zip(known.pairs(&forces)).enumerate() {
        let mean = |of: std::ops::Range<usize>| {
            let there: Vec<f64> = diagonals[k][of].iter().copied().filter(|&x| x > 0.0).collect();
            there.iter().sum::<f64>() / there.len().max(1) as f64
        };
        let roots = [mean(0..3).sqrt(), if row.height > 3 { mean(3..6).sqrt() } else { 1.0 }];
        for (sums, [d, e]) in [(&mut natural, [1.0; 2]), (&mut scaled, roots)] {
            let unit = |i: usize| if i < 3 { d } else { e };
            let limits = [row.friction, row.rolling * e / d, row.torsion * e / d];
            let mut y: Six = std::array::from_fn(|i| r[i] * unit(i));
            y[0] += row.cohesion * d;
            let v: Six = std::array::from_fn(|i| (u[i] + row.bias[i]) / unit(i));
            let mut x: Six = std::array::from_fn(|i| y[i] - v[i]);
            x[0] -= limits[0] * v[1].hypot(v[2]) + limits[1] * v[3].hypot(v[4]) + limits[2] * v[5].abs();
            let p = on_cone(&x, limits);
            sums[0] += (0..6).map(|i| (y[i] - p[i]) * (y[i] - p[i])).sum::<f64>();
            sums[1] += (0..6).map(|i| ((q[k][i] + row.bias[i]) / unit(i)).powi(2)).sum::<f64>();
        }
    }
    for (found, [error, size]) in [(report.residual.natural, natural), (report.residual.scaled, scaled)] {
        let expected = (error / size).sqrt();
        assert!((found - expected).abs() < 1e-10 * expected, "{found} {expected}");
    }
}

/// Units do not matter: with lengths in another unit the scaled residual and the forces are the same.
#[test]
fn solutions_are_the_same_in_all_units() {
    let options = Options { tolerance: 1e-12, measure: Measure::Scaled, ..Options::default() };
    let solve = |unit: f64| {
        let known = Known::new(10, 70, 0.0, Normal::Third, unit, 5);
        let (report, forces) = known.solve(&options);
        assert_eq!(report.status, Status::Converged, "{report:?}");
        known.sixes(&forces).into_iter().map(|r| [r[0], r[3] / unit, r[5] / unit]).collect::<Vec<_>>()
    };
    for (one, other) in solve(1.0).as_flattened().iter().zip(solve(1e-3).as_flattened()) {
        assert!((one - other).abs() < 1e-8, "{one} {other}");
    }
}

/// Two contacts that press a body between walls which approach: there is no solution, and that is proved.
#[test]
fn a_press_is_infeasible() {
    let row = Row { height: 6, friction: 0.3, rolling: 0.1, torsion: 0.1, cohesion: 0.0, bias: [0.0; 6] };
    // A body with unit mass and inertia, normals along ±x; the moments have no arms.
    let h = |sign: f64| {
        let mut h = DMatrix::<f64>::zeros(6, 6);
        for (row, column) in [(0, 0), (1, 1), (2, 2), (3, 4), (4, 5), (5, 3)] {
            h[(row, column)] = sign;
        }
        h
    };
    let mut both = DMatrix::zeros(12, 6);
    both.view_mut((0, 0), (6, 6)).copy_from(&h(1.0));
    both.view_mut((6, 0), (6, 6)).copy_from(&h(-1.0));
    // In the order of rows with the normal first.
    let order: Vec<usize> = row.components(Normal::First);
    let placed = DMatrix::from_fn(12, 6, |i, j| both[(i / 6 * 6 + order[i % 6], j)]);
    let w = &placed * placed.transpose();
    let b: Vec<f64> = (0..12).map(|i| if i % 6 == 0 { -1.0 } else { 0.1 }).collect();
    let blocks = Blocks::new(&w, &[6, 6], |_, _| true);
    let known = Known { rows: vec![row; 2], normal: Normal::First, w, b, blocks };
    let (report, _) = known.solve(&Options { max_sweeps: 10_000, ..Options::default() });
    assert_eq!(report.status, Status::Infeasible, "{report:?}");
}
