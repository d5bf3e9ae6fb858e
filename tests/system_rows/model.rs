//! What a system ought to be, by dense matrices.

use std::collections::BTreeMap;

use ldy::system::{Id, Inertia, Kinematics, RowsOperator, System};
use nalgebra::{DMatrix, DVector, Matrix3};

use crate::jacobian::{self, LAYOUTS, Layout};

#[derive(Clone, Debug)]
pub enum Known {
    Rigid(f64, [f64; 9]),
    Obstacle,
    Dense,
    Diagonal,
    /// A itself: tridiagonal.
    Matrix(DMatrix<f64>),
}

#[derive(Clone, Debug)]
pub struct Body {
    pub rotation: Option<[f64; 9]>,
    pub known: Known,
    pub inverse: DMatrix<f64>,
    pub velocities: [Vec<f64>; 2],
}

impl Body {
    pub fn dofs(&self) -> usize {
        self.inverse.nrows()
    }

    fn inertia(&self) -> Inertia {
        match &self.known {
            Known::Rigid(mass, tensor) => Inertia::rigid(*mass, tensor).unwrap(),
            Known::Obstacle => Inertia::Obstacle,
            Known::Dense => Inertia::dense(self.dofs(), self.inverse.as_slice()).unwrap(),
            Known::Diagonal => Inertia::diagonal(self.inverse.diagonal().as_slice()).unwrap(),
            Known::Matrix(a) => {
                let (mut starts, mut rows, mut values) = (vec![0], vec![], vec![]);
                for j in 0..self.dofs() {
                    for i in j..self.dofs() {
                        if a[(i, j)] != 0.0 {
                            rows.push(i as i32);
                            values.push(a[(i, j)]);
                        }
                    }
                    starts.push(rows.len() as i32);
                }
                Inertia::matrix(&starts, &rows, &values).unwrap()
            }
        }
    }
}

#[derive(Clone, Debug)]
pub enum Place {
    Points([f64; 9], [[f64; 3]; 2]),
    /// One for each body; whether they are given as sparse ones.
    Operators(Vec<DMatrix<f64>>, bool),
}

#[derive(Clone, Debug)]
pub struct Constraint {
    pub rows: usize,
    /// At points the second may be the ground.
    pub bodies: Vec<Id>,
    pub place: Place,
    pub compliance: Option<DMatrix<f64>>,
}

#[derive(Default)]
pub struct Model {
    pub bodies: BTreeMap<Id, Body>,
    pub constraints: BTreeMap<Id, Constraint>,
    pub next: Id,
    pub next_body: Id,
}

pub struct Dense {
    pub ids: Vec<Id>,
    pub scalars: Vec<usize>,
    pub columns: Vec<Vec<usize>>,
    pub w: DMatrix<f64>,
    pub b: Vec<f64>,
    pub v: Vec<f64>,
}

impl Model {
    /// H of a constraint on one of its bodies.
    fn operator(&self, constraint: &Constraint, which: usize) -> DMatrix<f64> {
        match &constraint.place {
            Place::Operators(operators, _) => operators[which].clone(),
            Place::Points(frame, points) => {
                let body = &self.bodies[&constraint.bodies[which]];
                let rotation = Matrix3::from_column_slice(&body.rotation.unwrap());
                let [x, y, z] = points[which];
                let cross = Matrix3::new(0.0, -z, y, z, 0.0, -x, -y, x, 0.0);
                let turning = -rotation * cross;
                let mut all = DMatrix::zeros(3, 6);
                all.view_mut((0, 0), (3, 3)).copy_from(&turning);
                all.view_mut((0, 3), (3, 3)).copy_from(&Matrix3::identity());
                let sign = if which == 0 { 1.0 } else { -1.0 };
                let all = Matrix3::from_column_slice(frame).transpose() * all * sign;
                DMatrix::from_column_slice(3, 6, all.as_slice())
            }
        }
    }

    pub fn dense(&self, step: f64) -> Dense {
        let ids: Vec<Id> = self.constraints.keys().copied().collect();
        let mut scalars = vec![0];
        scalars.extend(self.constraints.values().scan(0, |sum, one| {
            *sum += one.rows;
            Some(*sum)
        }));
        let count = scalars[ids.len()];
        let (mut w, mut b, mut v) =
            (DMatrix::zeros(count, count), DVector::zeros(count), DVector::zeros(count));
        for (id, body) in &self.bodies {
            let mut h = DMatrix::zeros(count, body.dofs());
            for (row, one) in self.constraints.values().enumerate() {
                for which in (0..one.bodies.len()).filter(|&which| one.bodies[which] == *id) {
                    let mut part = h.rows_mut(scalars[row], one.rows);
                    part += self.operator(one, which);
                }
            }
            w += &h * &body.inverse * h.transpose() * step;
            v += &h * DVector::from_column_slice(&body.velocities[0]);
            b += &h * DVector::from_column_slice(&body.velocities[1]);
        }
        let is_obstacle = |id: &&Id| !matches!(self.bodies[id].known, Known::Obstacle);
        let mut columns = Vec::new();
        for (row, one) in self.constraints.values().enumerate() {
            if let Some(compliance) = &one.compliance {
                let mut part = w.view_mut((scalars[row], scalars[row]), (one.rows, one.rows));
                part += compliance;
            }
            let shares = |(column, other): (usize, &Constraint)| {
                let is_coupled = one.bodies.iter().filter(is_obstacle).any(|id| other.bodies.contains(id));
                (is_coupled || column == row).then_some(column)
            };
            columns.push(self.constraints.values().enumerate().filter_map(shares).collect());
        }
        Dense { ids, scalars, columns, w, b: b.as_slice().to_vec(), v: v.as_slice().to_vec() }
    }

    /// H^T R of a body.
    pub fn force(&self, id: Id, reactions: &[f64]) -> Vec<f64> {
        let mut force = DVector::zeros(self.bodies[&id].dofs());
        let mut first = 0;
        for one in self.constraints.values() {
            let r = DVector::from_column_slice(&reactions[first..first + one.rows]);
            for which in (0..one.bodies.len()).filter(|&which| one.bodies[which] == id) {
                force += self.operator(one, which).transpose() * &r;
            }
            first += one.rows;
        }
        force.as_slice().to_vec()
    }

    /// A system that is made of this alone.
    pub fn anew(&self) -> System {
        let mut system = System::new();
        let mut ids = BTreeMap::new();
        for id in 0..self.next_body {
            // Ids that are gone have been used.
            let Some(body) = self.bodies.get(&id) else {
                let gone = system.insert_body(1, Kinematics::General, Inertia::diagonal(&[1.0]).unwrap());
                system.remove_body(gone.unwrap()).unwrap();
                continue;
            };
            ids.insert(id, insert_body(&mut system, body));
        }
        assert!(ids.iter().all(|(one, other)| one == other));
        self.constraints.values().for_each(|one| {
            insert_constraint(&mut system, one);
        });
        system
    }
}

pub fn insert_body(system: &mut System, body: &Body) -> Id {
    let kinematics = match body.rotation {
        Some(rotation) => Kinematics::Rigid { rotation, center: [0.0; 3] },
        None => Kinematics::General,
    };
    let id = system.insert_body(body.dofs(), kinematics, body.inertia()).unwrap();
    system.set_previous_velocity(id, &body.velocities[0]).unwrap();
    system.set_velocity(id, &body.velocities[1]).unwrap();
    id
}

/// By the call that a matrix or a dense inverse has, else by that for all.
fn set_inertia(system: &mut System, id: Id, body: &Body) {
    match (&body.known, body.inertia()) {
        (Known::Dense, _) => system.set_dense(id, body.dofs(), body.inverse.as_slice()),
        (_, Inertia::Matrix { starts, rows, values }) => system.set_matrix(id, &starts, &rows, &values),
        (_, inertia) => system.set_inertia(id, inertia),
    }
    .unwrap();
}

pub fn operators(operators: &[DMatrix<f64>], sparse: bool) -> Vec<RowsOperator> {
    let one = |h: &DMatrix<f64>| {
        if !sparse {
            return RowsOperator::dense(h.nrows(), h.ncols(), h.as_slice()).unwrap();
        }
        let (mut starts, mut rows, mut values) = (vec![0], vec![], vec![]);
        for column in h.column_iter() {
            for (i, value) in column.iter().enumerate().filter(|(_, value)| **value != 0.0) {
                rows.push(i as i32);
                values.push(*value);
            }
            starts.push(rows.len() as i32);
        }
        RowsOperator::sparse(h.nrows(), h.ncols(), &starts, &rows, &values).unwrap()
    };
    operators.iter().map(one).collect()
}

pub fn insert_constraint(system: &mut System, one: &Constraint) -> Id {
    let id = match &one.place {
        Place::Points(frame, points) => {
            let bodies = [Some(one.bodies[0]), one.bodies.get(1).copied()];
            system.insert_constraint(bodies, frame, *points)
        }
        Place::Operators(given, sparse) => system.insert_rows(&one.bodies, operators(given, *sparse)),
    };
    let id = id.unwrap();
    if let Some(compliance) = &one.compliance {
        system.set_rows_compliance(id, Some(compliance.as_slice())).unwrap();
    }
    id
}

pub struct Scene {
    pub system: System,
    pub model: Model,
    pub step: f64,
    /// Bodies and constraints of the last Jacobian, and how it lay.
    last: Option<(Vec<Id>, Vec<Id>, Layout)>,
    state: u64,
}

impl Scene {
    pub fn new(seed: u64) -> Self {
        let state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1;
        Self { system: System::new(), model: Model::default(), step: 0.25, last: None, state }
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, count: usize) -> usize {
        ((self.next() >> 32) as usize) % count
    }

    pub fn real(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn values(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.real()).collect()
    }

    fn definite(&mut self, n: usize) -> DMatrix<f64> {
        let q = DMatrix::from_fn(n, n, |_, _| self.real());
        let all = &q * q.transpose() + DMatrix::identity(n, n);
        DMatrix::from_fn(n, n, |i, j| all[(i.min(j), i.max(j))])
    }

    fn rotation(&mut self) -> [f64; 9] {
        let (angle, axis) = (3.0 * self.real(), nalgebra::Vector3::from_fn(|_, _| self.real()));
        let turned = nalgebra::Rotation3::from_scaled_axis(axis * angle);
        turned.matrix().as_slice().try_into().unwrap()
    }

    fn inertia(&mut self, dofs: usize, is_rigid: bool) -> (Known, DMatrix<f64>) {
        match self.below(5) {
            0 | 1 if is_rigid => {
                let (mass, tensor) = (1.5 + self.real(), self.definite(3));
                let mut inverse = DMatrix::identity(6, 6) / mass;
                inverse.view_mut((0, 0), (3, 3)).copy_from(&tensor.clone().try_inverse().unwrap());
                (Known::Rigid(mass, tensor.as_slice().try_into().unwrap()), inverse)
            }
            0 | 2 => (Known::Dense, self.definite(dofs)),
            3 => {
                let diagonal = DVector::from_fn(dofs, |_, _| 1.0 + self.real().abs());
                (Known::Diagonal, DMatrix::from_diagonal(&diagonal))
            }
            _ => {
                let (off, shift) = (0.9 * self.real(), 2.5 + self.real());
                let a = DMatrix::from_fn(dofs, dofs, |i, j| match i.abs_diff(j) {
                    0 => shift + i as f64 / 7.0,
                    1 => off,
                    _ => 0.0,
                });
                let inverse = a.clone().try_inverse().unwrap();
                (Known::Matrix(a), inverse)
            }
        }
    }

    pub fn add_body(&mut self) {
        let is_rigid = self.below(2) == 0;
        let dofs = if is_rigid { 6 } else { 1 + self.below(9) };
        let (known, inverse) = match self.below(8) {
            0 if !self.model.bodies.is_empty() => (Known::Obstacle, DMatrix::zeros(dofs, dofs)),
            _ => self.inertia(dofs, is_rigid),
        };
        let velocities = [self.values(dofs), self.values(dofs)];
        let rotation = is_rigid.then(|| self.rotation());
        let body = Body { rotation, known, inverse, velocities };
        let id = insert_body(&mut self.system, &body);
        self.model.bodies.insert(id, body);
        self.model.next_body = id + 1;
    }

    fn some<T>(&mut self, of: impl Fn(&Model) -> &BTreeMap<Id, T>) -> Option<Id> {
        let count = of(&self.model).len();
        let which = self.below(count.max(1));
        of(&self.model).keys().nth(which).copied()
    }

    fn some_operators(&mut self, rows: usize, bodies: &[Id]) -> Place {
        let one = |id: &Id| {
            let dofs = self.model.bodies[id].dofs();
            let is_sparse = self.below(2) == 0;
            DMatrix::from_fn(rows, dofs, |_, _| {
                let value = self.real();
                if is_sparse && self.below(3) > 0 { 0.0 } else { value }
            })
        };
        let given = bodies.iter().map(one).collect();
        Place::Operators(given, self.below(2) == 0)
    }

    fn some_points(&mut self) -> Place {
        let mut point = || [self.real(), self.real(), self.real()];
        let points = [point(), point()];
        Place::Points(self.rotation(), points)
    }

    pub fn add_constraint(&mut self) {
        let mut bodies = Vec::new();
        let wanted = match self.below(6) {
            0..2 => 1,
            2..4 => 2,
            _ => 3 + self.below(4),
        };
        for _ in 0..wanted {
            let body = self.some(|model| &model.bodies).unwrap();
            if !bodies.contains(&body) {
                bodies.push(body);
            }
        }
        let is_rigid = |id: &Id| self.model.bodies[id].rotation.is_some();
        let is_at_points = bodies.len() <= 2 && bodies.iter().all(is_rigid) && self.below(2) == 0;
        let rows = if is_at_points { 3 } else { [1, 1, 1, 2, 3, 6, 4, 5][self.below(8)] };
        let place = if is_at_points { self.some_points() } else { self.some_operators(rows, &bodies) };
        let compliance = (self.below(3) == 0).then(|| self.definite(rows));
        let one = Constraint { rows, bodies, place, compliance };
        let id = insert_constraint(&mut self.system, &one);
        assert_eq!(id, self.model.next);
        self.model.next = id + 1;
        self.model.constraints.insert(id, one);
    }

    /// Some of the bodies in any order, and where their columns begin.
    fn some_bodies(&mut self) -> (Vec<Id>, BTreeMap<Id, usize>) {
        let mut bodies: Vec<Id> = self.model.bodies.keys().copied().collect();
        for k in (1..bodies.len()).rev() {
            let other = self.below(k + 1);
            bodies.swap(k, other);
        }
        bodies.truncate(1 + self.below(bodies.len()));
        let firsts = self.firsts(&bodies);
        (bodies, firsts)
    }

    /// Where the columns of each of these bodies begin.
    fn firsts(&self, bodies: &[Id]) -> BTreeMap<Id, usize> {
        let place = |end: &mut usize, id: &Id| {
            let first = *end;
            *end += self.model.bodies[id].dofs();
            Some((*id, first))
        };
        bodies.iter().scan(0, place).collect()
    }

    /// Many constraints at once as rows of a Jacobian: each on some of its bodies, in their order. One of those before may be
    /// refused.
    fn insert_jacobian(&mut self) {
        let (bodies, firsts) = self.some_bodies();
        let mut all = Vec::new();
        for _ in 0..1 + self.below(6) {
            let mut own: Vec<Id> = bodies.iter().copied().filter(|_| self.below(3) == 0).take(16).collect();
            let rows = 1 + self.below(6);
            let place = self.some_operators(rows, &own);
            let Place::Operators(mut given, is_sparse) = place else { continue };
            // One that is zero would not be there.
            given.iter_mut().filter(|h| h.amax() == 0.0).for_each(|h| h[(0, 0)] = 1.5);
            if own.is_empty() {
                own = vec![bodies[0]];
                given = vec![DMatrix::zeros(rows, self.model.bodies[&bodies[0]].dofs())];
            }
            all.push(Constraint {
                rows,
                bodies: own,
                place: Place::Operators(given, is_sparse),
                compliance: None,
            });
        }
        let heights: Vec<usize> = all.iter().map(|one| one.rows).collect();
        let columns = bodies.iter().map(|id| self.model.bodies[id].dofs()).sum();
        let mut j = DMatrix::zeros(heights.iter().sum(), columns);
        let mut row = 0;
        for one in &all {
            let Place::Operators(given, _) = &one.place else { continue };
            for (body, h) in one.bodies.iter().zip(given) {
                j.view_mut((row, firsts[body]), h.shape()).copy_from(h);
            }
            row += one.rows;
        }
        let layout = LAYOUTS[self.below(4)];
        if self.below(3) == 0 {
            let (row, column) = (self.below(j.nrows()), self.below(columns));
            let mut wrong = j.clone();
            wrong[(row, column)] = f64::INFINITY;
            jacobian::insert(&mut self.system, (&bodies, &heights), &wrong, layout).unwrap_err();
        }
        let first = jacobian::insert(&mut self.system, (&bodies, &heights), &j, layout).unwrap();
        assert_eq!(first, self.model.next);
        self.model.constraints.extend((first..).zip(all));
        self.model.next += heights.len() as Id;
    }

    /// Operators of many constraints at once, on some of the bodies in any order.
    fn set_jacobian(&mut self) {
        let (bodies, _) = self.some_bodies();
        let mut ids = Vec::new();
        for (id, one) in self.model.constraints.clone() {
            let is_there = one.bodies.iter().any(|body| bodies.contains(body));
            if is_there && matches!(one.place, Place::Operators(..)) && self.below(3) > 0 {
                let place = self.below(ids.len() + 1);
                ids.insert(place, id);
            }
        }
        let layout = LAYOUTS[self.below(4)];
        self.put_jacobian(&bodies, &ids, layout, false);
        self.last = Some((bodies, ids, layout));
    }

    /// The operators of the last Jacobian once more, up to three times, with other values in the same places, if all is still
    /// there.
    fn repeat_jacobian(&mut self) {
        let Some((bodies, ids, layout)) = self.last.clone() else { return self.set_jacobian() };
        let are_there = bodies.iter().all(|id| self.model.bodies.contains_key(id))
            && ids.iter().all(|id| self.model.constraints.contains_key(id));
        if !are_there {
            return self.set_jacobian();
        }
        for _ in 0..1 + self.below(3) {
            self.put_jacobian(&bodies, &ids, layout, true);
        }
    }

    fn put_jacobian(&mut self, bodies: &[Id], ids: &[Id], layout: Layout, keep_zeros: bool) {
        let firsts = self.firsts(bodies);
        let chosen: Vec<_> = ids.iter().map(|id| (*id, self.model.constraints[id].clone())).collect();
        let rows = chosen.iter().map(|(_, one)| one.rows).sum();
        let columns = bodies.iter().map(|id| self.model.bodies[id].dofs()).sum();
        let mut j = DMatrix::zeros(rows, columns);
        let mut row = 0;
        for (id, one) in &chosen {
            let Place::Operators(mut given, is_sparse) = one.place.clone() else { continue };
            let Place::Operators(mut new, _) = self.some_operators(one.rows, &one.bodies) else { continue };
            if keep_zeros {
                // Seldom another one.
                let mut other = |h: f64| if h == 0.0 || self.below(200) == 0 { 0.0 } else { self.real() };
                new = given.iter().map(|h| h.map(&mut other)).collect();
            }
            for ((body, own), new) in one.bodies.iter().zip(&mut given).zip(new) {
                if let Some(&first) = firsts.get(body) {
                    j.view_mut((row, first), new.shape()).copy_from(&new);
                    *own = new;
                }
            }
            self.model.constraints.get_mut(id).unwrap().place = Place::Operators(given, is_sparse);
            row += one.rows;
        }
        jacobian::set(&mut self.system, (bodies, ids), &j, layout).unwrap();
    }

    /// Any call.
    pub fn call(&mut self) {
        let (Some(body), Some(id)) =
            (self.some(|model| &model.bodies), self.some(|model| &model.constraints))
        else {
            self.add_body();
            return self.add_constraint();
        };
        match self.below(17) {
            0..3 => self.add_constraint(),
            11..13 => self.set_jacobian(),
            13..15 => self.repeat_jacobian(),
            15.. => self.insert_jacobian(),
            3..5 => {
                self.system.remove_constraint(id).unwrap();
                self.model.constraints.remove(&id);
            }
            5 => {
                let one = self.model.constraints[&id].clone();
                let place = match one.place {
                    Place::Points(..) => self.some_points(),
                    Place::Operators(..) => self.some_operators(one.rows, &one.bodies),
                };
                match &place {
                    Place::Points(frame, points) => self.system.move_constraint(id, frame, *points).unwrap(),
                    Place::Operators(given, sparse) => {
                        self.system.set_rows(id, operators(given, *sparse)).unwrap();
                    }
                }
                self.model.constraints.get_mut(&id).unwrap().place = place;
            }
            6 => {
                let rows = self.model.constraints[&id].rows;
                let compliance = (self.below(3) > 0).then(|| self.definite(rows));
                let values = compliance.as_ref().map(|values| values.as_slice());
                self.system.set_rows_compliance(id, values).unwrap();
                self.model.constraints.get_mut(&id).unwrap().compliance = compliance;
            }
            7 => {
                // Of one body, or of so many that V and B of all rows are made.
                let most = if self.below(2) == 0 { 1 } else { usize::MAX };
                let pushed: Vec<Id> = self.model.bodies.range(body..).map(|(id, _)| *id).take(most).collect();
                for body in pushed {
                    let velocity = self.values(self.model.bodies[&body].dofs());
                    self.system.set_velocity(body, &velocity).unwrap();
                    self.model.bodies.get_mut(&body).unwrap().velocities[1] = velocity;
                }
            }
            8 => {
                let one = self.model.bodies[&body].clone();
                if !matches!(one.known, Known::Obstacle) {
                    let (known, inverse) = self.inertia(one.dofs(), one.rotation.is_some());
                    let new = Body { known, inverse, ..one };
                    set_inertia(&mut self.system, body, &new);
                    self.model.bodies.insert(body, new);
                }
            }
            9 => {
                if self.model.bodies[&body].rotation.is_some() {
                    let rotation = self.rotation();
                    self.system.set_rotation(body, &rotation).unwrap();
                    self.model.bodies.get_mut(&body).unwrap().rotation = Some(rotation);
                }
            }
            _ => {
                let is_used = |id: &Id| self.model.constraints.values().any(|one| one.bodies.contains(id));
                let free = self.model.bodies.keys().copied().find(|id| !is_used(id));
                match free {
                    Some(id) if self.model.bodies.len() > 3 => {
                        self.system.remove_body(id).unwrap();
                        self.model.bodies.remove(&id);
                    }
                    _ => self.add_body(),
                }
            }
        }
    }
}
