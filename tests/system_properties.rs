//! Random bodies of every kind, random constraints inserted, moved and removed: rows and products of a system against dense
//! matrices, H put together constraint by constraint and A⁻¹ body by body.

use ldy::system::{Id, Inertia, Kinematics, Operator, Solve, System};
use nalgebra::{DMatrix, DVector, Matrix3, Rotation3, Vector3};
use proptest::prelude::*;
use proptest::test_runner::TestRng;

/// A body as the reference sees it.
struct Model {
    id: Id,
    kind: Kind,
    inverse: DMatrix<f64>,
    rotation: Matrix3<f64>,
    center: Vector3<f64>,
    velocities: [DVector<f64>; 2],
    is_obstacle: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Rigid,
    PseudoRigid,
    General,
}

/// A constraint as the reference sees it: H of each body, signs included.
struct Row {
    id: Id,
    operators: Vec<(usize, DMatrix<f64>)>,
    at_points: Option<[Option<usize>; 2]>,
    compliance: Matrix3<f64>,
}

struct Scene {
    system: System,
    bodies: Vec<Model>,
    rows: Vec<Row>,
    random: TestRng,
}

struct Inverting(DMatrix<f64>);

impl Solve for Inverting {
    fn solve(&self, size: usize, x: &mut [f64]) -> i32 {
        let solved = &self.0 * DMatrix::from_column_slice(size, x.len() / size, x);
        x.copy_from_slice(solved.as_slice());
        0
    }
}

impl Scene {
    fn new(seed: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&seed.to_le_bytes());
        let random = TestRng::from_seed(prop::test_runner::RngAlgorithm::ChaCha, &bytes);
        Self { system: System::new(), bodies: Vec::new(), rows: Vec::new(), random }
    }

    fn below(&mut self, count: usize) -> usize {
        (self.random.next_u64() % count as u64) as usize
    }

    fn real(&mut self) -> f64 {
        self.random.next_u64() as f64 / u64::MAX as f64 * 2.0 - 1.0
    }

    fn vector(&mut self) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.real())
    }

    fn matrix(&mut self, rows: usize, columns: usize) -> DMatrix<f64> {
        DMatrix::from_fn(rows, columns, |_, _| self.real())
    }

    fn definite(&mut self, size: usize) -> DMatrix<f64> {
        let root = self.matrix(size, size);
        let mut matrix = &root * root.transpose() + DMatrix::identity(size, size);
        matrix.fill_upper_triangle_with_lower_triangle();
        matrix
    }

    fn rotation(&mut self) -> Matrix3<f64> {
        Rotation3::new(self.vector() * 3.0).into_inner()
    }

    fn add_body(&mut self) {
        let (rotation, center) = (self.rotation(), self.vector());
        let kinds = [Kind::Rigid, Kind::PseudoRigid, Kind::General];
        let which = self.below(8);
        let kind = if which < 2 { kinds[which] } else { kinds[self.below(3)] };
        let dofs = match kind {
            Kind::Rigid => 6,
            Kind::PseudoRigid => 12,
            Kind::General => 1 + self.below(15),
        };
        let kinematics = match kind {
            Kind::Rigid => Kinematics::Rigid { rotation: block(&rotation), center: center.into() },
            Kind::PseudoRigid => Kinematics::PseudoRigid { center: center.into() },
            Kind::General => Kinematics::General,
        };
        let (inertia, inverse) = self.inertia(which, kind, dofs);
        let is_obstacle = matches!(inertia, Inertia::Obstacle);
        let id = self.system.insert_body(dofs, kinematics, inertia).unwrap();
        let velocities = [0, 1].map(|_| DVector::from_fn(dofs, |_, _| self.real()));
        self.system.set_previous_velocity(id, velocities[0].as_slice()).unwrap();
        self.system.set_velocity(id, velocities[1].as_slice()).unwrap();
        self.bodies.push(Model { id, kind, inverse, rotation, center, velocities, is_obstacle });
    }

    fn inertia(&mut self, which: usize, kind: Kind, dofs: usize) -> (Inertia, DMatrix<f64>) {
        let inverted = |matrix: &DMatrix<f64>| matrix.clone().try_inverse().unwrap();
        match which {
            0 | 1 => {
                let (mass, tensor) = (0.5 + self.real().abs(), self.definite(3));
                let copies = if kind == Kind::Rigid { 1 } else { 3 };
                let mut inverse = DMatrix::identity(dofs, dofs) / mass;
                for k in 0..copies {
                    inverse.view_mut((3 * k, 3 * k), (3, 3)).copy_from(&inverted(&tensor));
                }
                let tensor = tensor.as_slice().try_into().unwrap();
                let inertia = match kind {
                    Kind::Rigid => Inertia::rigid(mass, &tensor),
                    _ => Inertia::pseudo_rigid(mass, &tensor),
                };
                (inertia.unwrap(), inverse)
            }
            2 => {
                let inverse = self.definite(dofs);
                (Inertia::dense(dofs, inverse.as_slice()).unwrap(), inverse)
            }
            3 => {
                let values: Vec<f64> = (0..dofs).map(|_| self.real().abs()).collect();
                let inverse = DMatrix::from_diagonal(&DVector::from_vec(values.clone()));
                (Inertia::diagonal(&values).unwrap(), inverse)
            }
            4 | 5 => {
                let matrix = self.definite(dofs);
                let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
                for j in 0..dofs {
                    for i in if which == 4 { j } else { 0 }..dofs {
                        rows.push(i as i32);
                        values.push(matrix[(i, j)]);
                    }
                    starts.push(rows.len() as i32);
                }
                (Inertia::matrix(&starts, &rows, &values).unwrap(), inverted(&matrix))
            }
            6 => {
                let inverse = self.definite(dofs);
                (Inertia::solver(Inverting(inverse.clone())).unwrap(), inverse)
            }
            _ => (Inertia::Obstacle, DMatrix::zeros(dofs, dofs)),
        }
    }

    fn some_body(&mut self) -> Option<usize> {
        let count = self.bodies.len();
        Some(self.below(count + 1)).filter(|&body| body < count)
    }

    fn add_constraint(&mut self) {
        let mut bodies = [self.some_body(), self.some_body()];
        if bodies == [None, None] {
            bodies[0] = Some(0);
        }
        let ids = bodies.map(|body| body.map(|body| self.bodies[body].id));
        let compliance = if self.below(3) == 0 {
            self.definite(3).fixed_view::<3, 3>(0, 0).into()
        } else {
            Matrix3::zeros()
        };
        let row = if bodies.iter().flatten().all(|&body| self.bodies[body].kind != Kind::General)
            && self.below(4) > 0
        {
            let (frame, points) = (self.rotation(), [self.vector(), self.vector()]);
            let id = self.system.insert_constraint(ids, &block(&frame), points.map(Into::into)).unwrap();
            Row { id, operators: self.at_points(bodies, &frame, points), at_points: Some(bodies), compliance }
        } else {
            let operators = bodies.map(|body| body.map(|body| self.operator(body)));
            let [one, other] = operators.map(|operator| operator.unzip());
            let id = self.system.insert_operators(ids, [one.0, other.0]).unwrap();
            let dense = bodies.into_iter().zip([one.1, other.1]).filter_map(|(body, h)| Some((body?, h?)));
            Row { id, operators: dense.collect(), at_points: None, compliance }
        };
        if compliance != Matrix3::zeros() {
            self.system.set_compliance(row.id, Some(block(&compliance))).unwrap();
        }
        self.rows.push(row);
    }

    /// An operator, dense, sparse or by nodes, and the same as a matrix.
    fn operator(&mut self, body: usize) -> (Operator, DMatrix<f64>) {
        let dofs = self.bodies[body].velocities[0].len();
        // On some bodies all are by nodes.
        if dofs.is_multiple_of(3) && (body.is_multiple_of(2) || self.below(4) == 0) {
            return self.nodal_operator(dofs);
        }
        let mut dense = self.matrix(3, dofs);
        if self.below(2) == 0 {
            for mut column in dense.column_iter_mut().filter(|_| self.random.next_u64().is_multiple_of(3)) {
                column.fill(0.0);
            }
            return (Operator::dense(dofs, dense.as_slice()).unwrap(), dense);
        }
        let (mut starts, mut rows, mut values) = (vec![0], Vec::new(), Vec::new());
        for j in 0..dofs {
            for i in [2, 0, 1] {
                if self.below(3) > 0 {
                    dense[(i, j)] = 0.0;
                } else {
                    rows.push(i as i32);
                    values.push(dense[(i, j)]);
                }
            }
            starts.push(rows.len() as i32);
        }
        (Operator::sparse(dofs, &starts, &rows, &values).unwrap(), dense)
    }

    fn nodal_operator(&mut self, dofs: usize) -> (Operator, DMatrix<f64>) {
        let factor = self.matrix(3, 3);
        let nodes: Vec<i32> =
            (0..dofs as i32 / 3).filter(|_| !self.random.next_u64().is_multiple_of(3)).collect();
        let weights: Vec<f64> = nodes.iter().map(|_| self.real()).collect();
        let mut dense = DMatrix::zeros(3, dofs);
        for (&node, &weight) in nodes.iter().zip(&weights) {
            dense.view_mut((0, 3 * node as usize), (3, 3)).copy_from(&(&factor * weight));
        }
        let factor = factor.as_slice().try_into().unwrap();
        (Operator::nodal(dofs, &factor, &nodes, &weights).unwrap(), dense)
    }

    /// Theory (43) and (44), master minus slave.
    fn at_points(
        &self,
        bodies: [Option<usize>; 2],
        frame: &Matrix3<f64>,
        points: [Vector3<f64>; 2],
    ) -> Vec<(usize, DMatrix<f64>)> {
        let sides = bodies.into_iter().zip(points).zip([1.0, -1.0]);
        let operator = |((body, point), sign): ((Option<usize>, Vector3<f64>), f64)| {
            let model = &self.bodies[body?];
            let mut h: DMatrix<f64> = DMatrix::zeros(3, model.velocities[0].len());
            let arm = point - model.center;
            match model.kind {
                Kind::Rigid => {
                    h.view_mut((0, 0), (3, 3)).copy_from(&(model.rotation * (-arm).cross_matrix()));
                    h.view_mut((0, 3), (3, 3)).fill_with_identity();
                }
                _ => {
                    for i in 0..3 {
                        h.view_mut((i, 3 * i), (1, 3)).copy_from(&arm.transpose());
                    }
                    h.view_mut((0, 9), (3, 3)).fill_with_identity();
                }
            }
            Some((
                body?,
                DMatrix::from_column_slice(3, h.ncols(), (frame.transpose() * &h * sign).as_slice()),
            ))
        };
        sides.filter_map(operator).collect()
    }

    fn change(&mut self) {
        match self.below(10) {
            0 if !self.rows.is_empty() => {
                let which = self.below(self.rows.len());
                self.system.remove_constraint(self.rows.remove(which).id).unwrap();
            }
            1 if !self.rows.is_empty() => {
                let which = self.below(self.rows.len());
                if let Some(bodies) = self.rows[which].at_points {
                    let (frame, points) = (self.rotation(), [self.vector(), self.vector()]);
                    self.rows[which].operators = self.at_points(bodies, &frame, points);
                    let id = self.rows[which].id;
                    self.system.move_constraint(id, &block(&frame), points.map(Into::into)).unwrap();
                }
            }
            2 => self.add_body(),
            3 => {
                // The last one, if it is free: the others are referred to by their places.
                let last = self.bodies.len() - 1;
                if last > 1 && self.rows.iter().all(|row| row.operators.iter().all(|(body, _)| *body != last))
                {
                    self.system.remove_body(self.bodies[last].id).unwrap();
                    self.bodies.pop();
                }
            }
            _ => self.add_constraint(),
        }
    }

    /// Compare everything with dense matrices.
    fn check(&mut self) {
        let step = 0.25 + self.real().abs();
        self.system.update(step).unwrap();
        let offsets: Vec<usize> = std::iter::once(0)
            .chain(self.bodies.iter().scan(0, |end, body| {
                *end += body.velocities[0].len();
                Some(*end)
            }))
            .collect();
        let (dofs, count) = (*offsets.last().unwrap(), self.rows.len());
        let (mut h, mut inverse) = (DMatrix::zeros(3 * count, dofs), DMatrix::zeros(dofs, dofs));
        let mut velocities = [0, 1].map(|_| DVector::zeros(dofs));
        for (body, &at) in self.bodies.iter().zip(&offsets) {
            let size = body.velocities[0].len();
            inverse.view_mut((at, at), (size, size)).copy_from(&body.inverse);
            for (all, own) in velocities.iter_mut().zip(&body.velocities) {
                all.rows_mut(at, size).copy_from(own);
            }
        }
        let mut expected = DMatrix::zeros(3 * count, 3 * count);
        for (k, row) in self.rows.iter().enumerate() {
            for (body, operator) in &row.operators {
                let mut part = h.view_mut((3 * k, offsets[*body]), (3, operator.ncols()));
                part += operator;
            }
            expected.view_mut((3 * k, 3 * k), (3, 3)).copy_from(&row.compliance);
        }
        expected += &h * &inverse * h.transpose() * step;
        let scale = expected.amax().max(1.0);
        let close = |a: &DMatrix<f64>, b: &DMatrix<f64>, scale: f64| {
            assert!((a - b).amax() <= 1e-11 * scale, "{a}{b}")
        };

        let rows = self.system.rows().unwrap();
        assert_eq!(rows.starts.len(), count + 1);
        let mut w = DMatrix::zeros(3 * count, 3 * count);
        for k in 0..count {
            let range = rows.starts[k] as usize..rows.starts[k + 1] as usize;
            assert!(rows.columns[range.clone()].is_sorted_by(|a, b| a < b));
            for (&column, value) in rows.columns[range.clone()].iter().zip(&rows.values[range]) {
                let block = Matrix3::from_column_slice(value);
                w.view_mut((3 * k, 3 * column as usize), (3, 3)).copy_from(&block);
                assert!(self.coupled(k, column as usize), "{k} {column}");
            }
            let (diagonal, inverse) =
                (Matrix3::from_column_slice(&rows.diagonal[k]), Matrix3::from_column_slice(&rows.inverse[k]));
            assert_eq!(w.fixed_view::<3, 3>(3 * k, 3 * k), diagonal);
            if !rows.inverse[k][0].is_nan() {
                let condition = diagonal.norm() * inverse.norm();
                assert!(
                    (diagonal * inverse - Matrix3::identity()).amax() <= 1e-14 * condition,
                    "{diagonal}{inverse}"
                );
            }
        }
        assert_eq!(w, w.transpose(), "symmetric to the bit");
        close(&w, &expected, scale);
        for (local, velocity) in [rows.v, rows.b].into_iter().zip(&velocities) {
            let local = DMatrix::from_fn(3 * count, 1, |i, _| local[i / 3][i % 3]);
            close(&local, &DMatrix::from_columns(&[&h * velocity]), 10.0);
        }
        let blocks = (0..count).map(|k| (0..count).filter(|&j| self.coupled(k, j)).count()).sum::<usize>();
        assert_eq!(rows.columns.len(), blocks, "no block is missing, though it be zero");
        self.check_products(&w, &h, &inverse, step, &offsets);
    }

    fn check_products(
        &mut self,
        w: &DMatrix<f64>,
        h: &DMatrix<f64>,
        inverse: &DMatrix<f64>,
        step: f64,
        offsets: &[usize],
    ) {
        let size = w.nrows();
        let x = DVector::from_fn(size, |_, _| self.real());
        let (mut assembled, mut through_bodies) = (vec![0.0; size], vec![0.0; size]);
        self.system.times(x.as_slice(), &mut assembled).unwrap();
        self.system.times_through_bodies(x.as_slice(), &mut through_bodies).unwrap();
        let expected = w * &x;
        let scale = w.amax().max(1e-3);
        for ((assembled, through), expected) in assembled.iter().zip(&through_bodies).zip(&expected) {
            assert!((assembled - expected).abs() <= 1e-13 * scale * size as f64);
            assert!((assembled - through).abs() <= 1e-12 * scale, "{assembled} {through}");
        }
        if size > 0 {
            let largest = w.symmetric_eigenvalues().max();
            let estimate = self.system.largest_eigenvalue(1e-8, 1000).unwrap();
            assert!((estimate.value - largest).abs() <= 1e-9 * largest, "{estimate:?} {largest}");
        }
        let force = h.transpose() * &x;
        let change = inverse * &force * step;
        for (body, &at) in self.bodies.iter().zip(offsets) {
            let mut sum = vec![1.0; body.velocities[0].len()];
            self.system.add_force(body.id, x.as_slice(), &mut sum).unwrap();
            sum.iter().zip(&force.as_slice()[at..]).for_each(|(a, b)| assert!((a - 1.0 - b).abs() < 1e-11));
        }
        self.system.add_reactions(x.as_slice()).unwrap();
        for (body, &at) in self.bodies.iter().zip(offsets) {
            let after = self.system.body(body.id).unwrap().velocity().to_vec();
            for (k, after) in after.iter().enumerate() {
                let expected = body.velocities[1][k] + change[at + k];
                assert!((after - expected).abs() < 1e-10 * change.amax().max(1.0), "{after} {expected}");
            }
            self.system.set_velocity(body.id, body.velocities[1].as_slice()).unwrap();
        }
    }

    /// Whether two rows have a body in common that is no obstacle, or are the same.
    fn coupled(&self, one: usize, other: usize) -> bool {
        let on = |row: usize, body: usize| self.rows[row].operators.iter().any(|(of, _)| *of == body);
        one == other
            || (0..self.bodies.len())
                .any(|body| !self.bodies[body].is_obstacle && on(one, body) && on(other, body))
    }
}

fn block(matrix: &Matrix3<f64>) -> [f64; 9] {
    matrix.as_slice().try_into().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn systems_are_as_dense_matrices_say(seed: u64) {
        let mut scene = Scene::new(seed);
        scene.add_body();
        scene.check();
        for _ in 0..6 {
            for _ in 0..8 {
                scene.change();
            }
            scene.check();
        }
    }
}
