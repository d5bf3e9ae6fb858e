//! Random histories: after each step the structure equals one that is built from nothing, and the values that are kept are in the
//! places of their blocks.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::neighbors::RunsOfAny;
use super::{MOST_BODIES, NOWHERE, Structure};
use crate::system::body::{Body, Inertia};
use crate::system::constraint::Constraint;
use crate::system::dirty::REATTACHED;
use crate::system::id_table::{Id, Table};
use crate::system::rows::Results;
use crate::system::{Kinematics, Operator};

/// The bodies of a constraint by number, modulo the number of bodies; whether a second one is the ground.
type Choice = (Vec<usize>, bool);

/// What happens between two updates. Numbers are taken modulo the number of things there are.
#[derive(Clone, Debug)]
struct Step {
    removed: Vec<usize>,
    are_irregular_removed: bool,
    reattached: Vec<(usize, Choice)>,
    removed_bodies: Vec<usize>,
    /// Whether each new body is an obstacle.
    bodies: Vec<bool>,
    constraints: Vec<(usize, Choice)>,
    are_new_regular: bool,
    is_table_closed_up: bool,
    are_results_kept: bool,
}

fn choice() -> impl Strategy<Value = Choice> {
    let count = prop_oneof![4 => 1..3_usize, 2 => 3..6_usize];
    (count.prop_flat_map(|count| proptest::collection::vec(0..100_usize, count)), prop::bool::weighted(0.2))
}

fn step() -> impl Strategy<Value = Step> {
    use proptest::collection::vec;
    let height = prop_oneof![2 => Just(3_usize), 3 => 1..7_usize];
    let flag = prop::bool::weighted;
    (
        (vec(0..100_usize, 0..4), flag(0.1), vec((0..100_usize, choice()), 0..3)),
        (vec(0..100_usize, 0..3), vec(flag(0.2), 0..3)),
        (vec((height, choice()), 0..5), flag(0.4)),
        (flag(0.2), flag(0.9)),
    )
        .prop_map(|(rows, (removed_bodies, bodies), (constraints, are_new_regular), flags)| Step {
            removed: rows.0,
            are_irregular_removed: rows.1,
            reattached: rows.2,
            removed_bodies,
            bodies,
            constraints,
            are_new_regular,
            is_table_closed_up: flags.0,
            are_results_kept: flags.1,
        })
}

/// A constraint on bodies, the ground in second place if wanted and possible.
fn constraint(rows: usize, bodies: &[Id], with_ground: bool) -> Constraint {
    let mut bodies: Vec<_> = bodies.iter().copied().map(Some).collect();
    if with_ground && bodies.len() < 3 {
        bodies.truncate(1);
        bodies.push(None);
    }
    let operators = bodies.iter().flatten().map(|_| Operator::dense(rows, 1, &vec![1.0; rows]));
    Constraint::by_operators(&bodies, rows, operators).unwrap()
}

/// The tables, and what follows them.
#[derive(Default)]
struct World {
    bodies: Table<Body>,
    constraints: Table<Constraint>,
    structure: Structure,
    results: Results,
}

/// A number for an entry of a block, or with the same id twice of a diagonal block, or of a vector.
fn entry(row: Id, column: Id, i: usize, j: usize) -> f64 {
    ((row * 1000 + column) * 100) as f64 + (10 * i + j) as f64
}

impl World {
    fn insert_body(&mut self, is_obstacle: bool) {
        let inertia = if is_obstacle { Inertia::Obstacle } else { Inertia::diagonal(&[1.0]).unwrap() };
        self.bodies.insert(Body::new(1, Kinematics::General, inertia).unwrap(), 0).unwrap();
    }

    fn chosen(&self, (numbers, with_ground): &Choice, are_few: bool) -> (Vec<Id>, bool) {
        let ids: Vec<Id> = self.bodies.iter().map(|(id, _)| id).collect();
        let most = if are_few { 2 } else { MOST_BODIES };
        (numbers.iter().take(most).map(|&number| ids[number % ids.len()]).collect(), *with_ground)
    }

    fn change(&mut self, step: &Step) {
        for &number in &step.removed {
            let ids: Vec<Id> = self.constraints.iter().map(|(id, _)| id).collect();
            if !ids.is_empty() {
                self.constraints.remove(ids[number % ids.len()]);
            }
        }
        if step.are_irregular_removed {
            let irregular = self.constraints.iter().filter(|(_, constraint)| !constraint.is_regular());
            let ids: Vec<Id> = irregular.map(|(id, _)| id).collect();
            ids.into_iter().for_each(|id| drop(self.constraints.remove(id)));
        }
        step.bodies.iter().for_each(|&is_obstacle| self.insert_body(is_obstacle));
        for (number, choice) in &step.reattached {
            let ids: Vec<Id> = self.constraints.iter().map(|(id, _)| id).collect();
            if ids.is_empty() {
                continue;
            }
            let (bodies, with_ground) = self.chosen(choice, false);
            let (own, mark) = self.constraints.get_mut(ids[number % ids.len()]).unwrap();
            *own = constraint(own.rows(), &bodies, with_ground);
            *mark |= REATTACHED;
        }
        for &number in &step.removed_bodies {
            let is_used =
                |id: Id| self.constraints.iter().any(|(_, user)| user.all_bodies().any(|body| body == id));
            let unused: Vec<Id> = self.bodies.iter().map(|(id, _)| id).filter(|&id| !is_used(id)).collect();
            if !unused.is_empty() && self.bodies.len() > 1 {
                self.bodies.remove(unused[number % unused.len()]);
            }
        }
        if step.is_table_closed_up {
            self.constraints.close_up();
        }
        for (rows, choice) in &step.constraints {
            let (bodies, with_ground) = self.chosen(choice, step.are_new_regular);
            let rows = if step.are_new_regular { 3 } else { *rows };
            self.constraints.insert(constraint(rows, &bodies, with_ground), 0).unwrap();
        }
    }

    /// Follow the tables, as an update does, and check everything.
    fn update(&mut self, are_kept: bool) {
        let reattached: BTreeSet<Id> = self
            .constraints
            .iter()
            .map(|(id, _)| id)
            .zip(self.live_marks())
            .filter(|(_, mark)| mark & REATTACHED != 0)
            .map(|(id, _)| id)
            .collect();
        let (old_ids, old_blocks) = (self.structure.ids().to_vec(), self.blocks());
        let mut results = are_kept.then_some(&mut self.results);
        self.structure.remove_rows(&self.constraints, results.as_deref_mut()).unwrap();
        if self.bodies.has_gaps() {
            self.structure.close_up(&self.bodies).unwrap();
            self.bodies.close_up();
        }
        self.structure.insert_rows(&self.bodies, &self.constraints, results).unwrap();

        let mut fresh = Structure::default();
        fresh.remove_rows(&self.constraints, None).unwrap();
        fresh.insert_rows(&self.bodies, &self.constraints, None).unwrap();
        self.check_equals(&fresh);
        self.check_sides();
        self.check_blocks();
        if are_kept {
            self.check_values(&old_ids, &old_blocks, &reattached);
        }
        self.fill();
        self.constraints.all_mut().1.iter_mut().for_each(|mark| *mark &= !REATTACHED);
    }

    fn live_marks(&self) -> impl Iterator<Item = u8> {
        self.constraints.live_places_from(0).map(|place| self.constraints.marks()[place])
    }

    fn blocks(&self) -> BTreeSet<[Id; 2]> {
        let (own, mut blocks) = (&self.structure, BTreeSet::new());
        for row in 0..own.len() {
            for &column in &own.columns()[own.starts()[row] as usize..own.starts()[row + 1] as usize] {
                blocks.insert([own.ids()[row], own.ids()[column as usize]]);
            }
        }
        blocks
    }

    fn check_equals(&self, fresh: &Structure) {
        let own = &self.structure;
        // Nothing is listed before there are constraints.
        assert_eq!(own.sides, fresh.sides);
        assert_eq!((&own.ids, &own.entries), (&fresh.ids, &fresh.entries));
        assert_eq!((&own.body_starts, &own.on_body), (&fresh.body_starts, &fresh.on_body));
        assert_eq!(own.offsets, fresh.offsets);
        assert_eq!((&own.starts, &own.columns), (&fresh.starts, &fresh.columns));
        assert_eq!(own.diagonals, fresh.diagonals);
        assert_eq!(own.layout, fresh.layout);
    }

    fn constraint(&self, row: usize) -> &Constraint {
        self.constraints.get(self.structure.ids()[row]).unwrap()
    }

    /// The bodies of a row, obstacles left out, each once.
    fn bodies_of(&self, row: usize) -> Vec<usize> {
        let mut bodies = Vec::new();
        for id in self.constraint(row).all_bodies() {
            let place = self.bodies.place(id).unwrap();
            let is_obstacle = matches!(self.bodies.get(id).unwrap().inertia(), Inertia::Obstacle);
            if !is_obstacle && !bodies.contains(&place) {
                bodies.push(place);
            }
        }
        bodies
    }

    fn check_sides(&self) {
        let own = &self.structure;
        assert_eq!(own.len(), self.constraints.len());
        assert_eq!(own.has_irregular(), (0..own.len()).any(|row| !self.constraint(row).is_regular()));
        let mut slots = vec![0; self.bodies.len()];
        for row in 0..own.len() {
            let constraint = self.constraint(row);
            assert_eq!((own.height(row), own.is_regular(row)), (constraint.rows(), constraint.is_regular()));
            let bodies = self.bodies_of(row);
            let places: Vec<_> = own.each_place(row).map(|place| (place.body, place.slot)).collect();
            let expected: Vec<_> = bodies.iter().map(|&body| (body, slots[body])).collect();
            assert_eq!(places, expected);
            for body in bodies {
                let own_slots = slots[body]..slots[body] + constraint.rows().div_ceil(3);
                assert!(own.rows_on(body)[own_slots.clone()].iter().all(|&other| other as usize == row));
                slots[body] = own_slots.end;
            }
            let ends: Vec<_> =
                own.all_ends(row).iter().filter(|&&end| end != NOWHERE).map(|&end| end as usize).collect();
            let expected: Vec<_> = constraint.all_bodies().map(|id| self.bodies.place(id).unwrap()).collect();
            assert_eq!(ends, expected);
        }
        assert!((0..slots.len()).all(|body| own.rows_on(body).len() == slots[body]));
    }

    fn check_blocks(&self) {
        let own = &self.structure;
        let (mut block, mut value, mut scalar, mut square) = (0, 0, 0, 0);
        for row in 0..own.len() {
            let bodies = self.bodies_of(row);
            let is_coupled = |other: &usize| {
                *other == row || self.bodies_of(*other).iter().any(|body| bodies.contains(body))
            };
            let expected: Vec<usize> = (0..own.len()).filter(is_coupled).collect();
            let blocks = own.starts()[row] as usize..own.starts()[row + 1] as usize;
            let columns: Vec<usize> =
                own.columns()[blocks.clone()].iter().map(|&column| column as usize).collect();
            assert_eq!((blocks.start, columns.clone()), (block, expected));
            block = blocks.end;
            assert_eq!(columns[own.diagonal(row) - blocks.start], row);
            let height = own.height(row);
            for (block, &column) in blocks.zip(&columns) {
                let end = value + height * own.height(column);
                assert_eq!(own.values_of(row, block), value..end);
                assert_eq!(own.value_starts().unwrap().get(block).copied().unwrap_or(9 * block), value);
                let start = own.values_from(row, own.starts()[row] as usize);
                assert_eq!(own.values_in(row, own.starts()[row] as usize..block), value - start);
                value = end;
            }
            assert_eq!(own.scalars(row), scalar..scalar + height);
            assert_eq!(own.square(row), square..square + height * height);
            (scalar, square) = (scalar + height, square + height * height);
            let without =
                |row: usize| columns.iter().copied().filter(|&other| other > row).collect::<Vec<_>>();
            if own.is_on_many(row) {
                self.check_runs(row, &without(row), own.later_runs_of_any::<MOST_BODIES>(row));
            } else {
                self.check_runs(row, &without(row), own.later_runs_of_any::<2>(row));
            }
            self.check_runs(row, &without(row), own.later_of_any::<MOST_BODIES>(row));
            assert!(own.later_of_any::<MOST_BODIES>(row).all(|run| run.count == 1));
            if own.is_regular(row) {
                self.check_even_columns(row, &without(row));
            }
        }
        assert_eq!((own.value_count(), own.scalar_count(), own.square_count()), (value, scalar, square));
    }

    /// Check the columns of three scalars that a regular row begins with, of these later rows, and the runs of the others.
    fn check_even_columns(&self, row: usize, later: &[usize]) {
        let own = &self.structure;
        let columns: Vec<_> = later.iter().map(|&column| column as i32).collect();
        let even = own.even_columns(row, &columns);
        assert!(later[..even].iter().all(|&column| own.height(column) == 3));
        let mut rest = &later[..even];
        for run in own.later_runs(row) {
            for (k, &other) in rest.iter().take(run.count).enumerate() {
                let couplings = run.couplings.iter().flatten().map(|c| (c.body, c.row, c.column + k));
                assert!(couplings.eq(self.shared_places(row, other)));
            }
            rest = &rest[rest.len().min(run.count)..];
        }
        assert!(rest.is_empty());
        if let Some(&other) = later.get(even) {
            assert_ne!(own.height(other), 3);
            self.check_runs(row, &later[even..], own.later_runs_from(row, other as u32));
        }
    }

    /// The bodies that two rows share, each with the first slots of both.
    fn shared_places(&self, row: usize, other: usize) -> Vec<(usize, usize, usize)> {
        let own = &self.structure;
        let shared = own.each_place(row).filter_map(|place| {
            let there = own.place_on(other, place.body)?;
            Some((place.body, place.slot, there.slot))
        });
        shared.collect()
    }

    /// Check that runs have these rows, with the bodies that couple them, and are no shorter than they may be.
    fn check_runs<const N: usize>(&self, row: usize, rows: &[usize], runs: RunsOfAny<'_, N>) {
        let own = &self.structure;
        let is_single = runs.most == 1;
        let mut rows = rows.iter().copied();
        let mut last: Option<(usize, usize, bool)> = None;
        for run in runs {
            let found: Vec<_> = run.couplings.iter().flatten().map(|c| (c.body, c.row, c.column)).collect();
            let mut slots = 0;
            for k in 0..run.count {
                let other = rows.next().unwrap();
                let shared = self.shared_places(row, other);
                if k == 0 {
                    assert_eq!((run.row, &found), (other, &shared));
                }
                assert!(run.count == 1 || shared == [(found[0].0, found[0].1, found[0].2 + slots)]);
                assert!(!own.is_regular(row) || own.is_regular(other) == own.is_regular(run.row));
                slots += own.groups(other);
            }
            let [(body, _, slot)] = found[..] else {
                last = None;
                continue;
            };
            let is_regular = own.is_regular(run.row);
            if let Some((last_body, end, was_regular)) = last
                && !is_single
            {
                let is_same_kind = !own.is_regular(row) || was_regular == is_regular;
                assert!((last_body, end) != (body, slot) || !is_same_kind, "two runs could be one");
            }
            last = Some((body, slot + slots, is_regular));
        }
        assert_eq!(rows.next(), None);
    }

    /// Check the values of rows and blocks that were there before.
    fn check_values(&self, old_ids: &[Id], old_blocks: &BTreeSet<[Id; 2]>, reattached: &BTreeSet<Id>) {
        let (own, results) = (&self.structure, &self.results);
        assert_eq!(results.values.len(), own.value_count());
        for row in 0..own.len() {
            let (id, height) = (own.ids()[row], own.height(row));
            if old_ids.contains(&id) {
                for i in 0..height {
                    let scalar = own.scalars(row).start + i;
                    assert_eq!(
                        (results.b[scalar], results.v[scalar]),
                        (entry(id, 0, i, 0), entry(id, 1, i, 0))
                    );
                    for j in 0..height {
                        let place = own.square(row).start + height * j + i;
                        let expected = (entry(id, 2, i, j), entry(id, 3, i, j));
                        assert_eq!((results.diagonal[place], results.inverse[place]), expected);
                    }
                }
            }
            for block in own.starts()[row] as usize..own.starts()[row + 1] as usize {
                let other = own.ids()[own.columns()[block] as usize];
                let is_new = id != other && (reattached.contains(&id) || reattached.contains(&other));
                if !is_new && old_blocks.contains(&[id, other]) {
                    let values = results.values[own.values_of(row, block)].iter().enumerate();
                    values
                        .for_each(|(k, value)| assert_eq!(*value, entry(id, other, k % height, k / height)));
                }
            }
        }
    }

    /// Write all values.
    fn fill(&mut self) {
        let Self { structure: own, results, .. } = self;
        let Results { values, b, v, diagonal, inverse } = results;
        values.resize(own.value_count(), 0.0);
        [b, v].into_iter().for_each(|vector| vector.resize(own.scalar_count(), 0.0));
        [diagonal, inverse].into_iter().for_each(|blocks| blocks.resize(own.square_count(), 0.0));
        let Results { values, b, v, diagonal, inverse } = results;
        for row in 0..own.len() {
            let (id, height) = (own.ids()[row], own.height(row));
            for (i, scalar) in own.scalars(row).enumerate() {
                [b[scalar], v[scalar]] = [entry(id, 0, i, 0), entry(id, 1, i, 0)];
            }
            for (k, place) in own.square(row).enumerate() {
                [diagonal[place], inverse[place]] =
                    [2, 3].map(|which| entry(id, which, k % height, k / height));
            }
            for block in own.starts()[row] as usize..own.starts()[row + 1] as usize {
                let other = own.ids()[own.columns()[block] as usize];
                for (k, value) in values[own.values_of(row, block)].iter_mut().enumerate() {
                    *value = entry(id, other, k % height, k / height);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: testing::cases(200), ..ProptestConfig::default() })]

    #[test]
    fn structures_have_no_history(steps in proptest::collection::vec(step(), 1..15)) {
        let mut world = World::default();
        (0..4).for_each(|_| world.insert_body(false));
        world.insert_body(true);
        world.update(false);
        for step in &steps {
            world.change(step);
            world.update(step.are_results_kept);
        }
    }
}

/// Two bodies, a row of six scalars on both, one of a scalar on each, and one of three scalars on three bodies, one of them twice.
fn irregular_world() -> World {
    let mut world = World::default();
    (0..3).for_each(|_| world.insert_body(false));
    for (rows, bodies) in [(6, &[0, 1][..]), (1, &[0]), (1, &[1]), (3, &[2, 1, 0, 2])] {
        world.constraints.insert(constraint(rows, bodies, false), 0).unwrap();
    }
    world
}

#[test]
fn a_row_takes_a_slot_for_every_three_scalars() {
    let mut world = irregular_world();
    world.update(false);
    let own = &world.structure;
    assert_eq!([0, 1, 2].map(|body| own.rows_on(body)), [&[0, 0, 1, 3][..], &[0, 0, 2, 3], &[3]]);
    assert_eq!((own.scalar_starts(), own.square_starts()), (&[0, 6, 7, 8, 11][..], &[0, 36, 37, 38, 47][..]));
    assert_eq!(own.columns(), [0, 1, 2, 3, 0, 1, 3, 0, 2, 3, 0, 1, 2, 3]);
    assert_eq!(own.value_starts().unwrap()[..5], [0, 36, 42, 48, 66]);
    assert_eq!((own.all_ends(3), own.all_sides(3).len(), own.groups(0)), (&[2, 1, 0, 2][..], 3, 2));
}

#[test]
fn scalars_and_blocks_are_counted_up_to_a_limit() {
    let counted = |most| {
        let mut world = irregular_world();
        let World { bodies, constraints, structure, .. } = &mut world;
        // Two of the rows were there before.
        let later = [2, 3].map(|id| constraints.remove(id).unwrap());
        structure.insert_rows(bodies, constraints, None).unwrap();
        later.into_iter().for_each(|constraint| assert!(constraints.insert(constraint, 0).is_ok()));
        constraints.close_up();
        let made = structure.insert_at_most(bodies, constraints, None, most);
        (made.map_err(|error| error.to_string()), world)
    };
    let (made, world) = counted(14);
    assert_eq!((made, world.structure.columns().len()), (Ok(()), 14));
    for (most, why) in [
        (13, "system: W has more blocks than an int can count"),
        (10, "system: the constraints have more rows than an int can count"),
    ] {
        assert_eq!(counted(most).0.unwrap_err(), why);
    }
}

#[test]
fn nothing_is_left_after_a_failure() {
    let mut world = irregular_world();
    world.update(false);
    let failed = world.structure.whole_or_nothing(|own| {
        own.layout.list_rows(&[], 0)?;
        own.insert_at_most(&world.bodies, &world.constraints, None, 1)
    });
    assert!(failed.is_err() && world.structure.is_forgotten() && !world.structure.has_irregular());
    assert!(world.structure.sides.wide.is_empty() && world.structure.value_starts().unwrap().is_empty());
    world.update(false);
}
