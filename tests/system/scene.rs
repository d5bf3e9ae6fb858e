//! Random bodies and constraints, and random calls.

use std::collections::BTreeMap;

use ldy::system::{Id, Kinematics, System};
use nalgebra::{DMatrix, DVector};
use testing::Random;
use testing::blocks::firsts;
use testing::matrices::block;

use super::jacobian::{self, LAYOUTS, Layout};
use super::model::{Body, Constraint, Known, Model, Nodal, Place};
use super::model::{insert_body, insert_constraint, replace, set_inertia};

pub struct Scene {
    pub system: System,
    pub model: Model,
    pub step: f64,
    /// Whether all constraints have three scalar rows, on one body or two.
    pub are_of_three: bool,
    /// Bodies and constraints of the last Jacobian, and its layout.
    last: Option<(Vec<Id>, Vec<Id>, Layout)>,
    random: Random,
}

impl Scene {
    pub fn new(seed: u64) -> Self {
        let random = Random::new(seed);
        let (system, model) = (System::new(), Model::default());
        Self { system, model, step: 0.25, are_of_three: false, last: None, random }
    }

    pub fn of_three(seed: u64) -> Self {
        Self { are_of_three: true, ..Self::new(seed) }
    }

    pub fn below(&mut self, count: usize) -> usize {
        self.random.below(count)
    }

    pub fn real(&mut self) -> f64 {
        self.random.signed()
    }

    fn inertia(&mut self, dofs: usize, kinematics: &Kinematics) -> (Known, DMatrix<f64>) {
        let which = self.below(8);
        match (which, kinematics) {
            (0..3, Kinematics::Rigid { .. } | Kinematics::PseudoRigid { .. }) => {
                let (mass, tensor) = (1.5 + self.real(), self.random.definite(3));
                let values = tensor.as_slice().try_into().unwrap();
                let own = tensor.try_inverse().unwrap();
                let mut inverse = DMatrix::identity(dofs, dofs) / mass;
                for k in (0..dofs - 3).step_by(3) {
                    inverse.view_mut((k, k), (3, 3)).copy_from(&own);
                }
                let known =
                    if dofs == 6 { Known::Rigid(mass, values) } else { Known::PseudoRigid(mass, values) };
                (known, inverse)
            }
            (0 | 3, _) => (Known::Dense, self.random.definite(dofs)),
            (4, _) => {
                let diagonal = DVector::from_fn(dofs, |_, _| 1.0 + self.real().abs());
                (Known::Diagonal, DMatrix::from_diagonal(&diagonal))
            }
            (5, _) => (Known::Solver, self.random.definite(dofs)),
            (6, _) => {
                let a = self.random.definite(dofs);
                let inverse = a.clone().try_inverse().unwrap();
                (Known::Matrix(a, self.below(2) == 0), inverse)
            }
            _ => {
                // The pattern is the same each time.
                let (off, shift) = (0.9 * self.real(), 2.5 + self.real());
                let a = DMatrix::from_fn(dofs, dofs, |i, j| match i.abs_diff(j) {
                    0 => shift + i as f64 / 7.0,
                    1 => off,
                    _ => 0.0,
                });
                let inverse = a.clone().try_inverse().unwrap();
                (Known::Matrix(a, true), inverse)
            }
        }
    }

    pub fn add_body(&mut self) {
        let center = self.random.array();
        let (kinematics, dofs) = match self.below(6) {
            0..3 => (Kinematics::Rigid { rotation: block(&self.random.rotation()), center }, 6),
            3 => (Kinematics::PseudoRigid { center }, 12),
            _ => (Kinematics::General, 1 + self.below(15)),
        };
        let (known, inverse) = match self.below(8) {
            0 if !self.model.bodies.is_empty() => (Known::Obstacle, DMatrix::zeros(dofs, dofs)),
            _ => self.inertia(dofs, &kinematics),
        };
        let velocities = [self.random.values(dofs), self.random.values(dofs)];
        let body = Body { kinematics, known, inverse, velocities };
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

    fn some_nodal(&mut self, bodies: &[Id]) -> Place {
        let one = |id: &Id| -> Nodal {
            let nodes = 0..self.model.bodies[id].dofs() as i32 / 3;
            let nodes: Vec<i32> = nodes.filter(|_| self.random.below(3) > 0).collect();
            let weights = self.random.values(nodes.len());
            (self.random.array(), nodes, weights)
        };
        Place::Nodal(bodies.iter().map(one).collect())
    }

    fn some_points(&mut self, is_slave: bool) -> Place {
        let frame = block(&self.random.rotation());
        Place::Points(frame, [self.random.array(), self.random.array()], is_slave)
    }

    /// Another place of a constraint, of the same kind.
    fn place_like(&mut self, one: &Constraint) -> Place {
        match one.place {
            Place::Points(_, _, is_slave) => self.some_points(is_slave),
            Place::Operators(..) => self.some_operators(one.rows, &one.bodies),
            Place::Nodal(_) => self.some_nodal(&one.bodies),
        }
    }

    pub fn add_constraint(&mut self) {
        let mut bodies = Vec::new();
        let wanted = match self.below(6) {
            0..2 => 1,
            2..4 => 2,
            _ if self.are_of_three => 2,
            _ => 3 + self.below(4),
        };
        for _ in 0..wanted {
            let body = self.some(|model| &model.bodies).unwrap();
            if !bodies.contains(&body) {
                bodies.push(body);
            }
        }
        let is_small = bodies.len() <= 2;
        let have_points = is_small && bodies.iter().all(|id| self.model.bodies[id].has_points());
        let have_nodes = is_small && bodies.iter().all(|id| self.model.bodies[id].dofs().is_multiple_of(3));
        let (rows, place) = match self.below(4) {
            0..2 if have_points => {
                let is_slave = bodies.len() == 1 && self.below(2) == 0;
                (3, self.some_points(is_slave))
            }
            2 if have_nodes => (3, self.some_nodal(&bodies)),
            _ => {
                let rows = if self.are_of_three { 3 } else { [1, 1, 1, 2, 3, 6, 4, 5][self.below(8)] };
                (rows, self.some_operators(rows, &bodies))
            }
        };
        let compliance = (self.below(3) == 0).then(|| self.random.definite(rows));
        let one = Constraint { rows, bodies, place, compliance, shift: vec![0.0; rows] };
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
        let firsts = firsts(bodies.iter().map(|id| self.model.bodies[id].dofs()));
        bodies.iter().copied().zip(firsts).collect()
    }

    /// Many constraints at once as rows of a Jacobian: each on some of its bodies, in their order. One of those before may be
    /// refused.
    fn insert_jacobian(&mut self) {
        let (bodies, firsts) = self.some_bodies();
        let mut all = Vec::new();
        for _ in 0..1 + self.below(6) {
            let rows = if self.are_of_three { 3 } else { 1 + self.below(6) };
            let most = if self.are_of_three { 2 } else { 16 };
            let mut own: Vec<Id> = bodies.iter().copied().filter(|_| self.below(3) == 0).take(most).collect();
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
                shift: vec![0.0; rows],
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
        match self.below(18) {
            0..3 => self.add_constraint(),
            11..13 => self.set_jacobian(),
            13..15 => self.repeat_jacobian(),
            15..17 => self.insert_jacobian(),
            17 => self.regularize(),
            3..5 => {
                self.system.remove_constraint(id).unwrap();
                self.model.constraints.remove(&id);
            }
            5 => {
                let one = self.model.constraints[&id].clone();
                let place = self.place_like(&one);
                replace(&mut self.system, id, &one.bodies, &place);
                self.model.constraints.get_mut(&id).unwrap().place = place;
            }
            6 => {
                let rows = self.model.constraints[&id].rows;
                let compliance = (self.below(3) > 0).then(|| self.random.definite(rows));
                let values = compliance.as_ref().map(|values| values.as_slice());
                self.system.set_compliance(id, values.unwrap_or_default()).unwrap();
                self.model.constraints.get_mut(&id).unwrap().compliance = compliance;
            }
            7 => {
                // On one body, or on enough that V and B of all rows are made.
                let most = if self.below(2) == 0 { 1 } else { usize::MAX };
                let pushed: Vec<Id> = self.model.bodies.range(body..).map(|(id, _)| *id).take(most).collect();
                for body in pushed {
                    let velocity = self.random.values(self.model.bodies[&body].dofs());
                    self.system.set_velocity(body, &velocity).unwrap();
                    self.model.bodies.get_mut(&body).unwrap().velocities[1] = velocity;
                }
            }
            8 => {
                let one = self.model.bodies[&body].clone();
                if !matches!(one.known, Known::Obstacle) {
                    let (known, inverse) = self.inertia(one.dofs(), &one.kinematics);
                    let new = Body { known, inverse, ..one };
                    set_inertia(&mut self.system, body, &new);
                    self.model.bodies.insert(body, new);
                }
            }
            9 => {
                let new = block(&self.random.rotation());
                let body_of = self.model.bodies.get_mut(&body).unwrap();
                if let Kinematics::Rigid { rotation, .. } = &mut body_of.kinematics {
                    *rotation = new;
                    self.system.set_rotation(body, &new).unwrap();
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

    /// Regularize with one value, with one for each constraint, or with one for each scalar row: some of them zero, others as they
    /// are. A call before may have a value that is refused: then nothing has changed.
    fn regularize(&mut self) {
        let mut shifts = self.model.shifts();
        let counts = [1, self.model.constraints.len(), shifts.len(), shifts.len()];
        let count = counts[self.below(4)];
        shifts.truncate(count);
        for shift in &mut shifts {
            *shift = [*shift, 0.0, 1.0 + self.real()][self.below(3)];
        }
        if self.below(2) == 0 {
            let mut wrong: Vec<f64> = shifts.iter().map(|shift| shift + 0.5).collect();
            wrong[self.random.below(count)] = [-1.0, f64::NAN, f64::INFINITY][self.below(3)];
            self.system.set_regularization(&wrong).unwrap_err();
        }
        self.system.set_regularization(&shifts).unwrap();
        self.model.set_shifts(&shifts);
    }
}
