//! The memory of a system after an update, by counting the bytes. This is a program of its own, for a global allocator is one.

use std::alloc::{GlobalAlloc, Layout, System as SystemAllocator};
use std::cell::Cell;

use ldy::system::{Id, Operator, System};

struct Counting;

thread_local! {
    static HELD: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is handed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.set(HELD.get() + layout.size());
        // SAFETY: the caller's promises are those that the system's allocator asks for.
        unsafe { SystemAllocator.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // What another thread has allocated may be freed here.
        HELD.set(HELD.get().wrapping_sub(layout.size()));
        // SAFETY: as above; the pointer came from the system's allocator.
        unsafe { SystemAllocator.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const UNIT: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// Spheres along each side of a lattice.
const SIDE: usize = 16;

/// Bytes held after the first update of touching spheres on a lattice, with or without a limit of a joint between the first two; and
/// after the rows have been asked for.
fn held(with_limit: bool) -> [usize; 2] {
    let before = HELD.get();
    let mut system = System::new();
    let place = |k: usize| [k % SIDE, k / SIDE % SIDE, k / (SIDE * SIDE)].map(|i| i as f64);
    let spheres: Vec<Id> =
        (0..SIDE.pow(3)).map(|k| system.insert_rigid(1.0, &UNIT, &UNIT, &place(k)).unwrap()).collect();
    for k in 0..spheres.len() {
        for step in [1, SIDE, SIDE * SIDE].into_iter().filter(|step| k / step % SIDE + 1 < SIDE) {
            let (bodies, [a, b]) = ([k, k + step].map(|k| Some(spheres[k])), [k, k + step].map(place));
            let point = [0, 1, 2].map(|i| 0.5 * (a[i] + b[i]));
            system.insert_constraint(bodies, &UNIT, [point; 2]).unwrap();
        }
    }
    if with_limit {
        let turn = |sign: f64| Operator::dense(1, 6, &[sign, 0.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
        system.insert_operators(&[spheres[0], spheres[1]], vec![turn(1.0), turn(-1.0)]).unwrap();
    }
    system.update(1e-3).unwrap();
    let own = size_of_val(&spheres[..]);
    let updated = HELD.get() - before - own;
    assert_eq!(system.rows().unwrap().w.layout().is_some(), with_limit);
    [updated, HELD.get() - before - own]
}

/// Starts of blocks would take a ninth of the memory of W.
#[test]
fn one_limit_takes_little_memory() {
    let [[without, _], [with, asked]] = [false, true].map(held);
    println!("{without} bytes, with a limit {with}, after the rows have been asked for {asked}");
    assert!(with as f64 <= 1.02 * without as f64, "{with} bytes with a limit, {without} without");
    assert!(asked > with, "the starts of blocks are listed when rows are asked for");
}
