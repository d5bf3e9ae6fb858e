//! Every allocation of a synchronization made to fail in turn: an error each time, the system as it was, and the next call is right.
//! And a list of the size of the last one, which needs no memory.

use ldy::system::{AtPoints, Fault, Keyed, System};
use testing::allocator::{fail_at, own_allocations};

const UNIT: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

fn entry(key: usize, turned: bool) -> Keyed {
    let frame = if turned { [0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0] } else { UNIT };
    let place = AtPoints { bodies: [Some(0), None], frame, points: [[key as f64, 1.0, 0.0], [0.0; 3]] };
    Keyed { key: key as u64, place, law: None }
}

fn sync(system: &mut System, keys: std::ops::Range<usize>, turned: bool) -> Result<usize, Fault> {
    let synced = system.sync_constraints(keys.len(), |k| entry(keys.start + k, turned), |_, _| {});
    synced.map(|synced| synced.inserted).map_err(|error| error.error.fault)
}

fn forces(system: &System) -> Vec<f64> {
    let mut forces = vec![0.0; 3 * system.constraints().count()];
    system.stored_reactions(&mut forces).unwrap();
    forces
}

#[test]
fn every_allocation_may_fail() {
    let mut failures = 0;
    loop {
        let mut system = System::new();
        system.add_rigid(1.0, &UNIT, &UNIT, &[0.0; 3]).unwrap();
        sync(&mut system, 0..3, false).unwrap();
        system.store_reactions(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]).unwrap();
        system.update(1.0).unwrap();
        let values = system.results().unwrap().w.values().to_vec();
        fail_at(failures + 1);
        let result = sync(&mut system, 1..40, true);
        if fail_at(0) {
            assert_eq!(result, Ok(37));
            break;
        }
        failures += 1;
        assert_eq!(result, Err(Fault::Memory), "allocation {failures}");
        assert_eq!(forces(&system), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        assert_eq!(system.results().unwrap().w.values(), values);
        assert_eq!(system.next_constraint(), 3);
        assert_eq!(sync(&mut system, 1..40, true), Ok(37));
        assert_eq!(forces(&system)[..6], [5.0, 6.0, 4.0, 8.0, 9.0, 7.0]);
        system.update(1.0).unwrap();
    }
    assert!(failures > 6, "{failures}");
}

#[test]
fn a_list_of_the_same_size_allocates_nothing() {
    let mut system = System::new();
    system.add_rigid(1.0, &UNIT, &UNIT, &[0.0; 3]).unwrap();
    sync(&mut system, 0..30, false).unwrap();
    system.update(1.0).unwrap();
    // Known and gone keys are counted once more.
    sync(&mut system, 0..30, true).unwrap();
    let before = own_allocations();
    sync(&mut system, 0..30, false).unwrap();
    assert_eq!(own_allocations(), before);
}
