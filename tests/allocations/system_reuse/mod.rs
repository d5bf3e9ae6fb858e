//! An update does again only what changed: after any sequence of calls, failures among them, a system has the bits of one that is
//! made again with the same data.

mod model;

use ldy::system::{Fault, Id, Inertia, Kinematics, Operator, System};
use model::{Body, Constraint, Known, Model, Place, insert_body, insert_constraint, operators};
use proptest::prelude::*;
use std::sync::atomic::Ordering;
use testing::allocator::{fail_at, fail_from, own_bytes};
use testing::{Random, UNIT};

/// Beyond what products can have.
const HUGE: f64 = 1e200;

struct Scene {
    system: System,
    model: Model,
    random: Random,
    step: f64,
    /// Whether no body has a solver: where one has, no update is one of velocities alone.
    is_steady: bool,
}

impl Scene {
    fn new(seed: u64, is_steady: bool, bodies: usize, constraints: usize) -> Self {
        let random = Random::new(seed);
        let model = Model { mood: std::sync::Arc::new(500.into()), ..Model::default() };
        let mut scene = Self { system: System::new(), model, random, step: 0.01, is_steady };
        scene.system.set_option(ldy::system::SystemOption::AnyAxes, true);
        (0..bodies).for_each(|_| scene.add_body());
        (0..constraints).for_each(|_| scene.add_constraint());
        scene
    }

    fn below(&mut self, count: usize) -> usize {
        self.random.below(count)
    }

    fn real(&mut self) -> f64 {
        self.random.signed()
    }

    fn array<const N: usize>(&mut self) -> [f64; N] {
        self.random.array()
    }

    fn values(&mut self, count: usize) -> Vec<f64> {
        self.random.values(count)
    }

    /// Symmetric and, for the sake of its diagonal, positive definite.
    fn definite(&mut self, n: usize) -> Vec<f64> {
        let mut values = vec![0.0; n * n];
        for j in 0..n {
            for i in 0..j {
                values[n * j + i] = self.real();
                values[n * i + j] = values[n * j + i];
            }
            values[n * j + j] = n as f64 + self.real();
        }
        values
    }

    fn known(&mut self, dofs: usize, kinematics: &Kinematics) -> Known {
        let tensor = |values: Vec<f64>| -> [f64; 9] { values.try_into().unwrap() };
        match (self.below(8), kinematics) {
            (0..4, Kinematics::Rigid { .. }) => Known::Rigid(1.5 + self.real(), tensor(self.definite(3))),
            (0..4, Kinematics::PseudoRigid { .. }) => {
                Known::PseudoRigid(1.5 + self.real(), tensor(self.definite(3)))
            }
            (0 | 4, _) => Known::Dense(self.definite(dofs)),
            (1 | 5, _) => Known::Diagonal(self.values(dofs).iter().map(|value| value.abs()).collect()),
            (2, _) if !self.is_steady => Known::Solver,
            _ => {
                let diagonal = self.values(dofs).iter().map(|value| 3.0 + value).collect();
                Known::Matrix(diagonal, self.real())
            }
        }
    }

    fn add_body(&mut self) {
        let (kinematics, dofs) = match self.below(6) {
            0..3 => (Kinematics::Rigid { rotation: self.array(), center: self.array() }, 6),
            3 => (Kinematics::PseudoRigid { center: self.array() }, 12),
            _ => (Kinematics::General, 1 + self.below(7)),
        };
        let known = match self.below(10) {
            0 => Known::Obstacle,
            _ => self.known(dofs, &kinematics),
        };
        let velocities = [self.values(dofs), self.values(dofs)];
        let body = Body { kinematics, known, velocities };
        let id = insert_body(&mut self.system, &body, &self.model.mood);
        self.model.bodies.insert(id, body);
        self.model.next[0] = id + 1;
    }

    fn some_body(&mut self) -> Option<Id> {
        let which = self.below(self.model.bodies.len().max(1));
        self.model.bodies.keys().nth(which).copied()
    }

    fn some_constraint(&mut self) -> Option<Id> {
        let which = self.below(self.model.constraints.len().max(1));
        self.model.constraints.keys().nth(which).copied()
    }

    fn dofs(&self, body: Option<Id>) -> Option<usize> {
        Some(self.model.bodies[&body?].velocities[0].len())
    }

    fn place(&mut self, bodies: [Option<Id>; 2], by_operators: bool) -> Place {
        if !by_operators {
            return Place::Points(self.array(), [self.array(), self.array()]);
        }
        Place::Operators(bodies.map(|body| {
            let mut values = self.values(3 * self.dofs(body)?);
            if self.below(2) == 0 {
                values[..3].fill(0.0);
            }
            Some(values)
        }))
    }

    fn add_constraint(&mut self) {
        let mut bodies = [self.some_body(), self.some_body()];
        match self.below(12) {
            0 => bodies[0] = None,
            1 => bodies[1] = None,
            2 => bodies[1] = bodies[0],
            _ => (),
        }
        if bodies == [None, None] {
            return;
        }
        let is_general = |body: &Option<Id>| {
            body.is_some_and(|body| matches!(self.model.bodies[&body].kinematics, Kinematics::General))
        };
        let by_operators = bodies.iter().any(is_general) || self.below(12) == 0;
        let place = self.place(bodies, by_operators);
        let compliance = (self.below(4) == 0).then(|| self.compliance());
        let constraint = Constraint { bodies, place, compliance };
        let id = insert_constraint(&mut self.system, &constraint).unwrap();
        self.model.constraints.insert(id, constraint);
        self.model.next[1] = id + 1;
    }

    fn compliance(&mut self) -> [f64; 9] {
        self.definite(3).try_into().unwrap()
    }

    fn set_velocity(&mut self, id: Id, which: usize, velocity: Vec<f64>) {
        match which {
            0 => self.system.set_previous_velocity(id, &velocity).unwrap(),
            _ => self.system.set_velocity(id, &velocity).unwrap(),
        }
        self.model.bodies.get_mut(&id).unwrap().velocities[which] = velocity;
    }

    fn set_rotation(&mut self, id: Id, new: [f64; 9]) {
        let body = self.model.bodies.get_mut(&id).unwrap();
        if let Kinematics::Rigid { rotation, .. } = &mut body.kinematics {
            *rotation = new;
            self.system.set_rotation(id, &new).unwrap();
        } else {
            self.system.set_rotation(id, &new).unwrap_err();
        }
    }

    fn set_known(&mut self, id: Id, known: Known) {
        if let Known::Obstacle = self.model.bodies[&id].known {
            return;
        }
        self.system.set_inertia(id, known.inertia(&self.model.mood)).unwrap();
        self.model.bodies.get_mut(&id).unwrap().known = known;
    }

    fn replace(&mut self, id: Id, place: Place) {
        match &place {
            Place::Points(frame, points) => self.system.move_constraint(id, frame, *points).unwrap(),
            Place::Operators(given) => {
                self.system.set_operators(id, operators(given).into_iter().flatten().collect()).unwrap();
            }
        }
        self.model.constraints.get_mut(&id).unwrap().place = place;
    }

    /// Let a constraint at points act on other bodies, with the same frame and points or others.
    fn rebind(&mut self, id: Id) {
        let Constraint { bodies: before, place: Place::Points(frame, points), .. } =
            self.model.constraints[&id].clone()
        else {
            return;
        };
        let has_points = |body: &Id| !matches!(self.model.bodies[body].kinematics, Kinematics::General);
        let others: Vec<Id> = self.model.bodies.keys().copied().filter(has_points).collect();
        let bodies = before.map(|old| match self.below(4) {
            0 => old,
            1 if before == [old; 2] => old,
            1 => None,
            _ => Some(others[self.below(others.len())]),
        });
        let (frame, points) =
            if self.below(2) == 0 { (frame, points) } else { (self.array(), [self.array(), self.array()]) };
        let reattached = self.system.rebind_constraint(id, bodies, &frame, points);
        assert_eq!(reattached.is_ok(), bodies != [None; 2]);
        if reattached.is_ok() {
            let constraint = self.model.constraints.get_mut(&id).unwrap();
            (constraint.bodies, constraint.place) = (bodies, Place::Points(frame, points));
        }
    }

    /// Any call, on a body and a constraint. Those from [`BAD`] on spoil the system until something else is set.
    fn call(&mut self, which: usize, body: Id, constraint: Id) {
        let dofs = self.dofs(Some(body)).unwrap();
        match which {
            0 | 1 => {
                let velocity = self.values(dofs);
                self.set_velocity(body, which, velocity);
            }
            2 => {
                let rotation = self.array();
                self.set_rotation(body, rotation);
            }
            3 => {
                let known = self.known(dofs, &self.model.bodies[&body].kinematics.clone());
                self.set_known(body, known);
            }
            4 | 5 => {
                let Constraint { bodies, place, .. } = self.model.constraints[&constraint].clone();
                let new = match (place, which) {
                    // A point alone, or all.
                    (Place::Points(frame, [_, slave]), 4) => Place::Points(frame, [self.array(), slave]),
                    (Place::Points(..), _) => self.place(bodies, false),
                    (Place::Operators(..), _) => self.place(bodies, true),
                };
                self.replace(constraint, new);
            }
            6 => {
                let compliance = (self.below(3) > 0).then(|| self.compliance());
                self.system
                    .set_compliance(constraint, compliance.as_ref().map_or(&[], |block| &block[..]))
                    .unwrap();
                self.model.constraints.get_mut(&constraint).unwrap().compliance = compliance;
            }
            7 => self.add_constraint(),
            8 => {
                self.system.remove_constraint(constraint).unwrap();
                self.model.constraints.remove(&constraint);
            }
            9 => self.add_body(),
            10 => self.remove_free_body(),
            11 => self.step = if self.step == 0.01 { 0.02 } else { 0.01 },
            12 => {
                let mood = 300 + self.below(400) as i32;
                self.model.mood.store(mood, Ordering::Relaxed);
            }
            13 => {
                // The same values again.
                let again = self.model.bodies[&body].clone();
                if let Kinematics::Rigid { rotation, .. } = again.kinematics {
                    self.set_rotation(body, rotation);
                }
                self.set_known(body, again.known);
                let [_, free] = again.velocities;
                self.set_velocity(body, 1, free);
                let place = self.model.constraints[&constraint].place.clone();
                self.replace(constraint, place);
            }
            14 => {
                // 0 and −0 are equal, but not the same.
                let zero = if self.below(2) == 0 { 0.0 } else { -0.0 };
                self.set_velocity(body, 1, vec![zero; dofs]);
                self.set_rotation(body, UNIT.map(|value| if value == 0.0 { zero } else { value }));
            }
            15 => self.refused(body, constraint),
            16 => {
                let reactions = self.values(3 * self.model.constraints.len());
                if self.system.apply_reactions(&reactions).is_ok() {
                    for (id, body) in &mut self.model.bodies {
                        body.velocities[1] = self.system.body(*id).unwrap().velocity().to_vec();
                    }
                }
            }
            17 => {
                // On enough bodies that V and B of all rows are made, or on fewer.
                let (each, factor) = (self.below(5) + 1, [1.0, 0.0, -0.0][self.below(3)]);
                let pushed: Vec<Id> = self.model.bodies.keys().copied().collect();
                for (body, which) in pushed.into_iter().step_by(each).flat_map(|body| [(body, 0), (body, 1)])
                {
                    let dofs = self.dofs(Some(body)).unwrap();
                    let velocity = self.values(dofs).iter().map(|value| factor * value).collect();
                    self.set_velocity(body, which, velocity);
                }
            }
            18 => ldy::math::simd::forbid_avx2(self.below(2) == 0),
            19 => self.rebind(constraint),
            20 => self.set_known(body, Known::Matrix(vec![-1.0; dofs], 0.0)),
            21 => self.set_velocity(body, 1, vec![HUGE * HUGE.sqrt(); dofs]),
            22 => self.model.mood.store(-7, Ordering::Relaxed),
            23 => {
                if let Place::Points(frame, _) = self.model.constraints[&constraint].place {
                    self.replace(constraint, Place::Points(frame, [[HUGE; 3]; 2]));
                }
            }
            _ => {
                let new = self.known(dofs, &self.model.bodies[&body].kinematics.clone());
                self.set_known(body, new);
                if self.below(2) == 0 {
                    self.rebind(constraint);
                }
                // Fails at any of its allocations, or needs none.
                fail_from(1 + self.below(12));
                let _ = self.system.update(self.step);
                fail_at(0);
            }
        }
    }

    fn remove_free_body(&mut self) {
        let is_used = |id: Id| self.model.constraints.values().any(|one| one.bodies.contains(&Some(id)));
        if let Some(id) = self.model.bodies.keys().copied().find(|id| !is_used(*id)) {
            self.system.remove_body(id).unwrap();
            self.model.bodies.remove(&id);
        }
    }

    /// Calls that change nothing.
    fn refused(&mut self, body: Id, constraint: Id) {
        let dofs = self.dofs(Some(body)).unwrap();
        assert!(self.system.set_velocity(body, &vec![f64::NAN; dofs]).is_err());
        assert!(self.system.set_velocity(body, &vec![1.0; dofs + 1]).is_err());
        assert!(self.system.set_rotation(body, &[f64::INFINITY; 9]).is_err());
        assert!(self.system.move_constraint(constraint, &[f64::NAN; 9], [[0.0; 3]; 2]).is_err());
        assert!(self.system.set_compliance(constraint, &[f64::NAN; 9]).is_err());
        assert!(self.system.update(0.0).is_err() && self.system.update(f64::NAN).is_err());
        assert!(self.system.remove_body(Id::MAX).is_err());
    }

    /// Repair everything that keeps updates from succeeding.
    fn heal(&mut self) {
        self.model.mood.store(500, Ordering::Relaxed);
        let bad: Vec<Id> = self.model.bodies.keys().copied().collect();
        for id in bad {
            let Body { known, velocities, .. } = self.model.bodies[&id].clone();
            if matches!(&known, Known::Matrix(diagonal, _) if diagonal[0] < 0.0) {
                self.set_known(id, Known::Diagonal(vec![1.0; velocities[0].len()]));
            }
            if velocities[1].iter().any(|value| value.abs() > 1e9) {
                self.set_velocity(id, 1, vec![0.5; velocities[0].len()]);
            }
        }
        let places: Vec<Id> = self.model.constraints.keys().copied().collect();
        for id in places {
            if let Place::Points(frame, points) = self.model.constraints[&id].place
                && points.as_flattened().contains(&HUGE)
            {
                self.replace(id, Place::Points(frame, [[0.25; 3]; 2]));
            }
        }
    }

    fn compare(&mut self) -> bool {
        self.model.compare(&mut self.system, self.step)
    }
}

/// Kinds of calls, and the first that spoil something.
const CALLS: usize = 25;
const BAD: usize = 20;

/// Make random updates of a scene, each after a few random calls.
fn follow(scene: &mut Scene, updates: usize, calls: usize) {
    for _ in 0..updates {
        for _ in 0..scene.below(calls) + 1 {
            let (Some(body), Some(constraint)) = (scene.some_body(), scene.some_constraint()) else {
                scene.add_body();
                scene.add_constraint();
                continue;
            };
            let kinds = if scene.below(3) == 0 { CALLS } else { BAD };
            let which = scene.below(kinds);
            scene.call(which, body, constraint);
        }
        if !scene.compare() && scene.below(2) == 0 {
            scene.heal();
            assert!(scene.compare());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: testing::cases(250), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn updates_are_those_of_a_system_made_anew(seed: u64) {
        let mut scene = Scene::new(seed, seed.is_multiple_of(2), 30, 50);
        follow(&mut scene, 20, 3);
    }
}

#[test]
fn what_comes_and_goes_without_an_update_holds_no_memory() {
    let mut scene = Scene::new(7, false, 20, 30);
    assert!(scene.compare());
    let body = insert_body(&mut scene.system, &scene.model.bodies[&0].clone(), &scene.model.mood);
    let mut most = [0; 2];
    for round in 0..20_000 {
        let points = [[0.5; 3]; 2];
        let Scene { system, .. } = &mut scene;
        let kinematics = Kinematics::Rigid { rotation: UNIT, center: [0.0; 3] };
        let other = system.add_body(6, kinematics, Inertia::Obstacle).unwrap();
        let id = system.add_point_constraint([Some(other), None], &UNIT, points).unwrap();
        system.remove_constraint(id).unwrap();
        system.remove_body(other).unwrap();
        let most = &mut most[usize::from(round >= 1000)];
        *most = own_bytes().max(*most);
    }
    assert!(most[1] <= most[0], "{most:?}");
    scene.system.remove_body(body).unwrap();
    scene.model.next = [scene.system.next_body(), scene.system.next_constraint()];
    scene.add_constraint();
    assert!(scene.compare());
}

/// Few or many between two updates, on few or many bodies: so that tables are closed up, and results are kept or not.
#[test]
fn constraints_come_go_and_change_bodies_by_the_hundred() {
    for (seed, bodies, most) in [(0, 30, 9), (1, 30, 200), (2, 400, 9), (3, 400, 40), (4, 1200, 300)] {
        let mut scene = Scene::new(seed, true, bodies, 500);
        for _ in 0..12 {
            assert!(scene.compare());
            for _ in 0..scene.below(most) {
                if let Some(constraint) = scene.some_constraint() {
                    scene.system.remove_constraint(constraint).unwrap();
                    scene.model.constraints.remove(&constraint);
                }
            }
            for _ in 0..scene.below(4) {
                scene.add_body();
                scene.remove_free_body();
                scene.remove_free_body();
            }
            (0..scene.below(most)).for_each(|_| scene.add_constraint());
            for _ in 0..scene.below(most) {
                if let Some(constraint) = scene.some_constraint() {
                    scene.rebind(constraint);
                }
            }
        }
    }
}

/// Enough rows for threads, which take them in several parts.
#[test]
fn threads_make_no_difference() {
    for seed in 0..4 {
        let mut scene = Scene::new(seed, seed > 1, 900, 1300);
        // The library keeps how threads share pairs, for one number of threads.
        for threads in [2, 3, 1, 3, 2] {
            assert_eq!(ldy::legacy::c_api::additions::ldy_set_threads(threads), 0);
            follow(&mut scene, 5, 3);
        }
    }
    assert_eq!(ldy::legacy::c_api::additions::ldy_set_threads(1), 0);
    ldy::legacy::c_api::additions::ldy_shutdown();
}

/// Meshes of two nodes and rigid bodies in turns, each body coupled with the next two. The rigid bodies have a mass and a
/// tensor, or a dense inverse.
fn chain_of_meshes(count: usize, dense: bool) -> System {
    let mut system = System::new();
    for k in 0..count {
        let (kinematics, inertia) = match k % 2 {
            0 => (Kinematics::General, Inertia::diagonal(&[2.0, 3.0, 4.0, 1.0, 2.0, 3.0])),
            _ if dense => (Kinematics::Rigid { rotation: UNIT, center: [0.0; 3] }, dense_inverse()),
            _ => (Kinematics::Rigid { rotation: UNIT, center: [0.0; 3] }, Inertia::rigid(2.0, &UNIT)),
        };
        system.add_body(6, kinematics, inertia.unwrap()).unwrap();
    }
    for (first, second) in (0..count).flat_map(|k| [(k, k + 1), (k, k + 2)]).filter(|pair| pair.1 < count) {
        let operators = [first, second].map(|body| {
            let value = 0.5 + (body as f64 + 0.3 * second as f64).sin();
            match body % 2 {
                0 => Operator::nodal(6, &UNIT, &[0, 1], &[value, 1.0 - value]).unwrap(),
                _ => {
                    let values: [f64; 18] = std::array::from_fn(|k| value + k as f64);
                    Operator::dense(3, 6, &values).unwrap()
                }
            }
        });
        system.add_constraint_rows(&[first as Id, second as Id], operators.into()).unwrap();
    }
    system
}

fn dense_inverse() -> Result<Inertia, Fault> {
    Inertia::dense(6, &std::array::from_fn::<_, 36, _>(|k| if k % 7 == 0 { 2.0 } else { 0.25 }))
}

/// Pairs are made column by column where all bodies without a Cholesky factor are meshes, else row by row: on the same rows.
#[test]
fn pairs_come_in_another_order_though_the_rows_are_the_same() {
    let count = 40;
    let mut system = chain_of_meshes(count, false);
    for (dense, step) in [(false, 0.01), (true, 0.02), (false, 0.03)] {
        for body in (1..count).step_by(2) {
            let inertia = if dense { dense_inverse() } else { Inertia::rigid(2.0, &UNIT) };
            system.set_inertia(body as Id, inertia.unwrap()).unwrap();
        }
        system.update(step).unwrap();
        let mut anew = chain_of_meshes(count, dense);
        anew.update(step).unwrap();
        let bits = |system: &System| -> Vec<u64> {
            system.results().unwrap().w.values().iter().map(|value| value.to_bits()).collect()
        };
        assert_eq!(bits(&system), bits(&anew), "{dense}");
    }
}

#[test]
fn every_call_alone_and_every_two_are_seen() {
    for first in 0..CALLS {
        for second in 0..CALLS {
            // With an update in between, and without; on neighbors, and on what is apart; with solvers, and without.
            for (between, others, is_steady) in
                [(false, false, false), (true, false, false), (true, true, false), (true, false, true)]
            {
                let mut scene = Scene::new((CALLS * first + second) as u64, is_steady, 24, 36);
                assert!(scene.compare());
                let constraint = scene.some_constraint().unwrap();
                let body = scene.model.constraints[&constraint].bodies.into_iter().flatten().next().unwrap();
                scene.call(first, body, constraint);
                if between {
                    scene.compare();
                }
                let (constraint, body) = match scene.model.constraints.contains_key(&constraint) && !others {
                    true => (constraint, body),
                    false => (scene.some_constraint().unwrap(), scene.some_body().unwrap()),
                };
                let body =
                    if scene.model.bodies.contains_key(&body) { body } else { scene.some_body().unwrap() };
                scene.call(second, body, constraint);
                if !scene.compare() {
                    scene.heal();
                    assert!(scene.compare(), "{first} {second}");
                }
                assert!(scene.compare(), "nothing");
            }
        }
    }
}
