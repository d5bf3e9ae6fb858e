//! Problems that consist of joints, or mostly of them, against dense direct solves. Redundant joints make W singular: their forces
//! are not unique, what they do to bodies is.

use super::dense::Dense;
use super::law::worst;
use ldy::solve::{Kind, Law, Method, Options, Report, Status};
use nalgebra::{DMatrix, DVector, Matrix3};
use testing::Random;

const TIGHT: Options = Options {
    tolerance: 1e-12,
    measure: ldy::solve::Measure::Both,
    method: Method::Automatic,
    max_sweeps: 100_000,
    max_work: None,
    time_limit: None,
    canonical: false,
};

/// Rods of unit mass and length, with moments of 0.1, at these centers.
struct Rods {
    centres: Vec<[f64; 3]>,
    /// A row of three: the rods, and the point; the ground has no rod.
    rows: Vec<(usize, Option<usize>, [f64; 3])>,
}

impl Rods {
    /// H, scaled by the roots of the inverse inertia: W = H Hᵀ.
    fn h(&self) -> DMatrix<f64> {
        let mut h = DMatrix::zeros(3 * self.rows.len(), 6 * self.centres.len());
        for (row, &(one, other, point)) in self.rows.iter().enumerate() {
            for (rod, sign) in [(Some(one), 1.0), (other, -1.0)] {
                let Some(rod) = rod else { continue };
                let [x, y, z]: [f64; 3] = std::array::from_fn(|i| point[i] - self.centres[rod][i]);
                let turn = Matrix3::new(0.0, z, -y, -z, 0.0, x, y, -x, 0.0) * (sign * 10_f64.sqrt());
                h.view_mut((3 * row, 6 * rod), (3, 3)).copy_from(&turn);
                h.view_mut((3 * row, 6 * rod + 3), (3, 3)).copy_from(&(Matrix3::identity() * sign));
            }
        }
        h
    }

    /// Hung up at one end, or at both.
    fn chain(links: usize, ends: usize) -> Self {
        let centres = (0..links).map(|k| [k as f64 + 0.5, 0.0, 0.0]).collect();
        let mut rows = vec![(0, None, [0.0; 3])];
        rows.extend((1..links).map(|k| (k - 1, Some(k), [k as f64, 0.0, 0.0])));
        if ends == 2 {
            rows.push((links - 1, None, [links as f64, 0.0, 0.0]));
        }
        Self { centres, rows }
    }

    /// A mesh of squares, `size` each way; at each node each rod is joined to the next, and the last to the first.
    fn mesh(squares: usize) -> Self {
        let mut rods = Self { centres: Vec::new(), rows: Vec::new() };
        let mut nodes = vec![Vec::new(); (squares + 1) * (squares + 1)];
        let number = |i: usize, j: usize| i * (squares + 1) + j;
        for (i, j) in (0..=squares).flat_map(|i| (0..=squares).map(move |j| (i, j))) {
            for (to, along) in [((i + 1, j), [0.5, 0.0]), ((i, j + 1), [0.0, 0.5])] {
                if to.0 <= squares && to.1 <= squares {
                    nodes[number(i, j)].push(rods.centres.len());
                    nodes[number(to.0, to.1)].push(rods.centres.len());
                    rods.centres.push([i as f64 + along[0], j as f64 + along[1], 0.0]);
                }
            }
        }
        for (node, around) in nodes.iter().enumerate() {
            let point = [(node / (squares + 1)) as f64, (node % (squares + 1)) as f64, 0.0];
            let last = if around.len() > 2 { around.len() } else { around.len() - 1 };
            rods.rows.extend((0..last).map(|k| (around[k], Some(around[(k + 1) % around.len()]), point)));
        }
        rods.rows.push((0, None, [0.0; 3]));
        rods
    }

    /// The ground touches one rod in `every` from below.
    fn touching(mut self, every: usize) -> Self {
        let touched = self.centres.iter().enumerate().step_by(every);
        let rows: Vec<_> = touched.map(|(rod, &[x, y, _])| (rod, None, [x, y, -0.1])).collect();
        self.rows.extend(rows);
        self
    }
}

fn velocities(random: &mut Random, dofs: usize) -> DVector<f64> {
    DVector::from_fn(dofs, |i, _| 0.1 * random.signed() - f64::from(i % 6 == 5))
}

fn flat(forces: &[[f64; 3]]) -> DVector<f64> {
    DVector::from_column_slice(forces.as_flattened())
}

fn converged(dense: &Dense, laws: &[Law], options: &Options) -> (Report, Vec<[f64; 3]>) {
    let (report, forces) = dense.solve(laws, options).unwrap();
    assert_eq!(report.status, Status::Converged, "{report:?}");
    (report, forces)
}

#[test]
fn joints_alone_do_what_a_direct_solve_says() {
    let mut random = Random::new(1);
    for (number, rods) in
        [Rods::chain(40, 1), Rods::chain(40, 2), Rods::mesh(1), Rods::mesh(3)].into_iter().enumerate()
    {
        let h = rods.h();
        let u = velocities(&mut random, h.ncols());
        let dense = Dense::of_bodies(&h, &u);
        let pseudo = dense.w.clone().pseudo_inverse(1e-10).unwrap();
        assert_eq!(
            number % 2 == 1,
            dense.w.rank(1e-10) < 3 * rods.rows.len(),
            "both ends of a straight chain, and rings of joints, are redundant"
        );
        let expected = &u - h.transpose() * (pseudo * (&h * &u));
        for method in [Method::Automatic, Method::Newton] {
            let (_, forces) =
                converged(&dense, &vec![Law::fixed(); rods.rows.len()], &Options { method, ..TIGHT });
            let after = &u + h.transpose() * flat(&forces);
            assert!((&after - &expected).amax() < 1e-9, "case {number}: {}", (after - expected).amax());
        }
    }
}

/// As above with a W that is not symmetric, as gyroscopic terms make it, and of full rank: the forces themselves.
#[test]
fn joints_of_spinning_bodies_do_what_a_direct_solve_says() {
    let mut random = Random::new(2);
    let h = Rods::chain(30, 1).h();
    let u = velocities(&mut random, h.ncols());
    let mut spin = random.matrix(h.ncols(), h.ncols());
    spin = (&spin - spin.transpose()) * 1e-3;
    for i in 0..h.ncols() {
        spin.row_mut(i).iter_mut().enumerate().filter(|(j, _)| j / 6 != i / 6).for_each(|(_, x)| *x = 0.0);
    }
    let w = &h * (DMatrix::identity(h.ncols(), h.ncols()) + spin) * h.transpose();
    let b = &h * u;
    let expected = w.clone().lu().solve(&-&b).unwrap();
    let (_, forces) = converged(&Dense::new(w, &b), &[Law::fixed(); 30], &TIGHT);
    assert!((flat(&forces) - &expected).norm() < 1e-6 * expected.norm());
}

/// Joints are taken out by a dense Schur complement; the contacts that are left are solved alone. Redundant joints among them, and
/// links, whose other components are given.
#[test]
fn contacts_between_joints_do_what_they_do_without_them() {
    let mut random = Random::new(3);
    for (number, rods) in
        [Rods::chain(40, 2).touching(7), Rods::chain(25, 1).touching(3), Rods::mesh(3).touching(5)]
            .into_iter()
            .enumerate()
    {
        let count = rods.rows.len();
        let joints = rods.rows.iter().filter(|row| row.2[2] == 0.0).count();
        let mut h = rods.h();
        let mut laws = vec![Law::fixed(); joints];
        laws.resize(count, Law::contact(0.3));
        // A link: two rows of W are empty.
        let free = f64::INFINITY;
        laws[1] =
            Law { kind: Kind::Bounds { lower: [0.0, 0.0, -free], upper: [0.0, 0.0, free] }, bias: [0.0; 3] };
        h.rows_mut(3, 2).fill(0.0);
        let u = velocities(&mut random, h.ncols());
        let dense = Dense::of_bodies(&h, &u);
        let (held, open) =
            (h.rows(0, 3 * joints).into_owned(), h.rows(3 * joints, 3 * (count - joints)).into_owned());
        let pseudo = (&held * held.transpose()).pseudo_inverse(1e-10).unwrap();
        let projected = &open - &open * held.transpose() * pseudo * &held;
        let reduced = Dense::of_bodies(&projected, &u);
        let (_, alone) = converged(&reduced, &laws[joints..], &TIGHT);
        let expected = reduced.velocities(&alone);
        for method in [Method::Automatic, Method::Newton] {
            let (_, forces) = converged(&dense, &laws, &Options { method, ..TIGHT });
            let found = dense.velocities(&forces);
            assert!(worst(&laws, &found, &forces) < 1e-8);
            let pairs = found[joints..].iter().flatten().zip(expected.iter().flatten());
            let gap = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(gap < 1e-7, "case {number}, {method:?}: {gap}");
        }
    }
}

/// The least eigenvalue of W decreases as the square of the length: steps do not become more for that.
#[test]
fn long_chains_take_few_steps() {
    let rods = Rods::chain(150, 2).touching(10);
    let mut laws = vec![Law::fixed(); 151];
    laws.resize(rods.rows.len(), Law::contact(0.4));
    let h = rods.h();
    let dense = Dense::of_bodies(&h, &velocities(&mut Random::new(4), h.ncols()));
    for (method, most) in [(Method::Automatic, 10), (Method::Newton, 5)] {
        let (report, forces) = converged(&dense, &laws, &Options { method, ..Options::default() });
        assert!(worst(&laws, &dense.velocities(&forces), &forces) < 1e-5);
        assert!(report.steps <= most && report.sweeps < 40, "{report:?}");
    }
}
