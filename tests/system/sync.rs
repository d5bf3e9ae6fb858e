//! After any calls, constraints that are synchronized with lists equal the constraints of a new system, with forces copied by hand. A
//! bad list changes nothing.

use std::collections::BTreeMap;

use ldy::solve::Law;
use ldy::system::{AtPoints, Id, Keyed, RowLaw, Synced, System};
use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;
use testing::Random;
use testing::matrices::block;

const UNIT: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
const BODIES: usize = 6;
const KEYS: usize = 24;

/// A constraint as it ought to be.
#[derive(Clone)]
struct Expected {
    key: u64,
    is_synced: bool,
    place: AtPoints,
    law: Option<RowLaw>,
    force: [f64; 3],
}

struct Scene {
    system: System,
    constraints: BTreeMap<Id, Expected>,
    random: Random,
}

fn bodies() -> System {
    let mut system = System::new();
    for k in 0..BODIES {
        let id = system.add_rigid(1.0 + k as f64, &UNIT, &UNIT, &[0.0; 3]).unwrap();
        system.set_velocity(id, &[0.1, 0.2, 0.3, k as f64, -1.0, 0.5]).unwrap();
    }
    system
}

impl Scene {
    fn place(&mut self) -> AtPoints {
        let first = self.random.below(BODIES) as Id;
        let second = self.random.below(BODIES) as Id;
        let bodies = match self.random.below(4) {
            0 => [Some(first), None],
            1 => [None, Some(first)],
            _ => [Some(first), Some(second)],
        };
        let frame = block(&self.random.rotation());
        AtPoints { bodies, frame, points: [self.random.array(), self.random.array()] }
    }

    fn law(&mut self) -> Option<RowLaw> {
        (self.random.below(2) == 0).then(|| Law::contact(self.random.signed().abs()).into())
    }

    /// A place for a constraint that has one.
    fn next_place(&mut self, place: &AtPoints) -> AtPoints {
        let new = self.place();
        match self.random.below(5) {
            0 => new,
            1 => AtPoints { bodies: [place.bodies[1], place.bodies[0]], ..new },
            2 => AtPoints { bodies: place.bodies, ..new },
            3 => AtPoints { points: new.points, ..*place },
            _ => *place,
        }
    }

    /// A list, with the constraints that ought to be there after it.
    fn list(&mut self) -> (Vec<Keyed>, BTreeMap<Id, Expected>, Vec<Id>, Synced) {
        let keys: Vec<u64> = (0..KEYS as u64).filter(|_| self.random.below(2) == 0).collect();
        let mut keys: Vec<u64> =
            keys.into_iter().map(|key| if key % 5 == 0 { u64::MAX - key } else { key }).collect();
        for k in (1..keys.len()).rev() {
            keys.swap(k, self.random.below(k + 1));
        }
        let mut next = self.system.next_constraint();
        let first = next;
        let mut after: BTreeMap<Id, Expected> = self
            .constraints
            .iter()
            .filter(|(_, one)| !one.is_synced)
            .map(|(id, one)| (*id, one.clone()))
            .collect();
        let synced = self.constraints.values().filter(|one| one.is_synced).count();
        let (mut entries, mut ids, mut kept) = (Vec::new(), Vec::new(), 0);
        for key in keys {
            let law = self.law();
            let known = self.constraints.iter().find(|(_, one)| one.is_synced && one.key == key);
            let (id, expected) = match known.map(|(id, one)| (*id, one.clone())) {
                Some((id, one)) => {
                    kept += 1;
                    let place = self.next_place(&one.place);
                    let [before, now] =
                        [one.place.frame, place.frame].map(|frame| Matrix3::from_column_slice(&frame));
                    let swapped = place.bodies == [one.place.bodies[1], one.place.bodies[0]];
                    let flips = swapped && place.bodies[0] != place.bodies[1];
                    let world = before * Vector3::from(one.force) * if flips { -1.0 } else { 1.0 };
                    let force =
                        if before == now && !flips { one.force } else { (now.transpose() * world).into() };
                    (id, Expected { place, law: law.or(one.law), force, ..one })
                }
                None => {
                    let place = self.place();
                    next += 1;
                    (next - 1, Expected { key, is_synced: true, place, law, force: [0.0; 3] })
                }
            };
            entries.push(Keyed { key, place: expected.place, law });
            after.insert(id, expected);
            ids.push(id);
        }
        let inserted = (next - first) as usize;
        let counts = Synced {
            kept,
            inserted,
            removed: synced - kept,
            first_inserted: (inserted > 0).then_some(first),
        };
        (entries, after, ids, counts)
    }

    /// Any other call.
    fn call(&mut self) {
        let count = self.constraints.len();
        let some = self.constraints.keys().nth(self.random.below(count.max(1))).copied();
        match (self.random.below(4), some) {
            (0, Some(id)) => {
                self.system.remove_constraint(id).unwrap();
                self.constraints.remove(&id);
            }
            (1, Some(id)) => {
                let place = self.place();
                self.system.rebind_constraint(id, place.bodies, &place.frame, place.points).unwrap();
                self.constraints.get_mut(&id).unwrap().place = place;
            }
            _ => {
                // A tag that a key may have, too.
                let (place, key, law) = (self.place(), self.random.below(KEYS) as u64, self.law());
                let id = self.system.add_point_constraint(place.bodies, &place.frame, place.points).unwrap();
                self.system.set_tag(id, key).unwrap();
                self.system.set_law(id, law).unwrap();
                self.constraints.insert(id, Expected { key, is_synced: false, place, law, force: [0.0; 3] });
            }
        }
    }

    fn sync(&mut self, entries: &[Keyed]) -> Result<(Synced, Vec<Id>), String> {
        let mut ids = Vec::new();
        let synced = self.system.sync_constraints(
            entries.len(),
            |k| entries[k],
            |k, id| {
                assert_eq!(k, ids.len());
                ids.push(id);
            },
        );
        synced.map(|synced| (synced, ids)).map_err(|error| error.to_string())
    }

    /// Lists with something wrong, which change nothing: the results are still there.
    fn bad_lists(&mut self, entries: &[Keyed]) {
        let ids: Vec<Id> = self.system.results().unwrap().ids.to_vec();
        let Some(last) = entries.len().checked_sub(1) else { return };
        let wrong = |change: &dyn Fn(&mut Keyed)| {
            let mut entries = entries.to_vec();
            change(&mut entries[last]);
            entries
        };
        let first = entries[0].key;
        let cases = [
            (wrong(&|one| one.place.bodies = [None, Some(99)]), "there is no body 99"),
            (wrong(&|one| one.place.frame[4] = f64::NAN), "its frame is not finite"),
            (wrong(&|one| one.place.frame = [2.0; 9]), "its frame is not orthonormal"),
            (wrong(&|one| one.place.points[0][1] = f64::INFINITY), "a point of it is not finite"),
            (
                wrong(&|one| one.law = Some(Law::contact(-1.0).into())),
                "its friction is negative or not finite",
            ),
            (wrong(&|one| one.key = first), "an earlier entry has its key"),
        ];
        for (entries, text) in &cases[..if last > 0 { 6 } else { 5 }] {
            let error = self.sync(entries).unwrap_err();
            assert!(
                error.starts_with(&format!("entry {last}: "))
                    && error.contains("constraint ")
                    && error.ends_with(text),
                "{error}"
            );
        }
        assert_eq!(self.system.results().unwrap().ids, ids);
        self.check();
    }

    /// Tags, laws, forces and places are the expected ones.
    fn check(&self) {
        let system = &self.system;
        let count = self.constraints.len();
        assert!(system.constraints().map(|(id, _)| id).eq(self.constraints.keys().copied()));
        let (mut tags, mut forces) = (vec![0; count], vec![0.0; 3 * count]);
        system.tags(&mut tags).unwrap();
        system.stored_reactions(&mut forces).unwrap();
        for ((row, (id, one)), force) in self.constraints.iter().enumerate().zip(forces.as_chunks::<3>().0) {
            assert_eq!((tags[row], system.law(*id).unwrap()), (one.key, one.law.as_ref()));
            (0..3)
                .for_each(|i| assert!((force[i] - one.force[i]).abs() <= 1e-13, "{force:?} {:?}", one.force));
            assert_eq!(system.constraint(*id).unwrap().bodies(), one.place.bodies);
        }
    }

    /// The results have the bits of a system that is made again.
    fn check_results(&mut self) {
        self.system.update(0.25).unwrap();
        let mut again = bodies();
        for one in self.constraints.values() {
            again.add_point_constraint(one.place.bodies, &one.place.frame, one.place.points).unwrap();
        }
        again.update(0.25).unwrap();
        let (own, again) = (self.system.results().unwrap(), again.results().unwrap());
        assert_eq!((own.w.starts(), own.w.columns()), (again.w.starts(), again.w.columns()));
        let bits = |values: &[f64]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!((bits(own.w.values()), bits(own.b)), (bits(again.w.values()), bits(again.b)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: testing::cases(40), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn synchronized_constraints_are_those_of_a_system_made_again(seed: u64) {
        let mut scene = Scene { system: bodies(), constraints: BTreeMap::new(), random: Random::new(seed) };
        for _ in 0..20 {
            (0..scene.random.below(3)).for_each(|_| scene.call());
            scene.check_results();
            let (entries, after, ids, counts) = scene.list();
            scene.bad_lists(&entries);
            prop_assert_eq!(scene.sync(&entries).unwrap(), (counts, ids));
            scene.constraints = after;
            scene.check();
            scene.check_results();
            let forces = scene.random.values(3 * scene.constraints.len());
            scene.system.store_reactions(&forces).unwrap();
            let all = scene.constraints.values_mut().zip(forces.as_chunks().0);
            all.for_each(|(one, force)| one.force = *force);
        }
    }
}

fn entry(key: u64, frame: [f64; 9]) -> Keyed {
    let place = AtPoints { bodies: [Some(0), None], frame, points: [[0.0; 3]; 2] };
    Keyed { key, place, law: None }
}

#[test]
fn an_unchanged_list_keeps_the_pattern_and_the_bits_of_forces() {
    let mut system = bodies();
    let turned = block(&Random::new(3).rotation());
    let sync = |system: &mut System, keys: &[u64], frame| {
        system.sync_constraints(keys.len(), |k| entry(keys[k], frame), |_, _| {}).unwrap()
    };
    assert_eq!(sync(&mut system, &[4, 2], turned).inserted, 2);
    system.store_reactions(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]).unwrap();
    system.update(1.0).unwrap();
    let kept = Synced { kept: 2, inserted: 0, removed: 0, first_inserted: None };
    assert_eq!(sync(&mut system, &[2, 4], turned), kept);
    // Rows are still known: the pattern has not changed.
    assert_eq!(system.row_of(1).unwrap(), 1);
    let mut forces = [0.0; 6];
    system.stored_reactions(&mut forces).unwrap();
    assert_eq!(forces, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
    // A new key by a tag; of two constraints with a key the older one is kept.
    system.set_tag(1, 4).unwrap();
    assert_eq!(
        sync(&mut system, &[4], turned),
        Synced { kept: 1, inserted: 0, removed: 1, first_inserted: None }
    );
    assert!(system.constraints().map(|(id, _)| id).eq([0]));
    assert_eq!(sync(&mut system, &[], turned).removed, 1);
}

#[test]
fn axes_with_units_carry_the_force_in_the_world() {
    let mut system = bodies();
    system.set_option(ldy::system::SystemOption::AnyAxes, true);
    let sync = |system: &mut System, frame| {
        system.sync_constraints(1, |_| entry(7, frame), |_, _| {}).unwrap();
        let mut force = [0.0; 3];
        system.stored_reactions(&mut force).unwrap();
        force
    };
    assert_eq!(sync(&mut system, UNIT), [0.0; 3]);
    system.store_reactions(&[1.0, 2.0, 3.0]).unwrap();
    assert_eq!(sync(&mut system, UNIT.map(|x| 2.0 * x)), [0.5, 1.0, 1.5]);
    // Axes that span no space carry no force over.
    assert_eq!(sync(&mut system, [0.0; 9]), [0.0; 3]);
}
