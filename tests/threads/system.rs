//! Systems large enough for threads: the same bits and the same errors for any number of them.

use ldy::system::{Error, Fault, Id, Inertia, Kinematics, Operator, Solve, Subject, System};
use std::sync::Mutex;
use std::thread::{ThreadId, current};
use testing::UNIT;

use super::products::{chain, wave};
use crate::Threads;

/// Halves, and remembers which thread it was called by.
struct Halving(&'static Mutex<Vec<ThreadId>>);

impl Solve for Halving {
    fn solve(&self, _: usize, x: &mut [f64]) -> i32 {
        x.iter_mut().for_each(|x| *x *= 0.5);
        self.0.lock().unwrap().push(current().id());
        0
    }
}

/// Many constraints between one body of many dofs, and others: operators of every form.
fn star() -> System {
    let mut system = System::new();
    let diagonal = |dofs: usize| Inertia::diagonal(&vec![1.5; dofs]).unwrap();
    let hub = system.add_body(34, Kinematics::General, diagonal(34)).unwrap();
    for k in 0..600 {
        let other = (k % 3 > 0).then(|| system.add_body(12, Kinematics::General, diagonal(12)).unwrap());
        let dense: Vec<f64> =
            (0..102).map(|i| if (i / 3 + k) % 4 == 0 { 0.0 } else { wave(k + i, 0.5) }).collect();
        let nodal = Operator::nodal(12, &UNIT, &[0, 1 + k as i32 % 3], &[wave(k, 0.1), wave(k, 0.2)]);
        let operators = [Some(Operator::dense(3, 34, &dense).unwrap()), other.map(|_| nodal.unwrap())];
        let operators = operators.into_iter().flatten().collect();
        system.add_constraint_rows(&[Some(hub), other], operators).unwrap();
        if let Some(other) = other {
            let nodal = Operator::nodal(12, &UNIT, &[2], &[wave(k, 0.3)]).unwrap();
            system.add_constraint_rows(&[other], vec![nodal]).unwrap();
        }
    }
    system
}

/// Meshes, each coupled with others whose constraints are far away in the order of rows.
fn net() -> System {
    let mut system = System::new();
    let ids: [Id; 200] = std::array::from_fn(|k| {
        let inverse: Vec<f64> = (0..12).map(|i| 1.5 + wave(k + i, 0.2)).collect();
        system.add_body(12, Kinematics::General, Inertia::diagonal(&inverse).unwrap()).unwrap()
    });
    for k in 0..1200 {
        let operator = |phase| Operator::nodal(12, &UNIT, &[0, 2], &[wave(k, phase), wave(k, 0.4)]).unwrap();
        let bodies = [ids[7 * k % 200], ids[(11 * k + 1) % 200]];
        system.add_constraint_rows(&bodies, vec![operator(0.1), operator(0.3)]).unwrap();
    }
    system
}

/// Rigid bodies that each touch `touched` others at points.
fn hubs(count: usize, touched: usize) -> System {
    let mut system = System::new();
    let mut insert = |k: usize| {
        let center = [wave(k, 0.0), wave(k, 1.0), wave(k, 2.0)];
        let inertia = [2.0, 0.3, 0.0, 0.3, 3.0, 0.1, 0.0, 0.1, 2.5];
        let id = system.add_rigid(1.5 + wave(k, 0.0), &inertia, &UNIT, &center).unwrap();
        (id, center)
    };
    let mut contacts = vec![];
    for hub in (0..count).map(|k| 1000 * k) {
        let (id, _) = insert(hub);
        contacts.extend((1..=touched).map(|k| (id, insert(hub + k))));
    }
    for (hub, (other, point)) in contacts {
        system.add_point_constraint([Some(hub), Some(other)], &UNIT, [point; 2]).unwrap();
    }
    system
}

/// All results as bits.
fn bits(system: &System) -> Vec<u64> {
    let rows = system.results().unwrap();
    let results = [rows.w.values(), rows.diagonal, rows.inverse, rows.b, rows.v];
    results.into_iter().flatten().map(|value| value.to_bits()).collect()
}

#[test]
fn results_and_errors_are_the_same_for_any_number_of_threads() {
    static CALLERS: Mutex<Vec<ThreadId>> = Mutex::new(Vec::new());
    let (threads, mut expected) = (Threads::new(), None);
    for count in [1, 2, 5] {
        threads.set(count);
        let mut system = chain(300, 1500, || Inertia::solver(Halving(&CALLERS)).unwrap());
        // The second of these has few enough blocks for one thread to make them in pairs, and too many for several.
        let [mut star, mut some, mut many] = [star(), hubs(4, 150), hubs(3, 300)];
        let [mut few, mut net] = [hubs(40, 15), net()];
        let result = [&mut system, &mut star, &mut some, &mut many, &mut few, &mut net].map(|system| {
            system.update(0.01).unwrap();
            bits(system)
        });
        let mut first = hubs(1, 300);
        first.update(0.01).unwrap();
        let [first, many] = [&first, &many].map(|system| system.results().unwrap().w.values());
        assert!(first == &many[..first.len()], "{count} threads");
        assert!(expected.get_or_insert(result.clone()) == &result, "{count} threads");

        // Two matrices that are not definite: the first counts.
        for body in [203, 58] {
            let (starts, rows) = ([0, 1, 2, 3, 4, 5, 6], [0, 1, 2, 3, 4, 5]);
            let negative = Inertia::matrix(&starts, &rows, &[1.0, -1.0, 1.0, 1.0, 1.0, 1.0]).unwrap();
            system.set_inertia(body, negative).unwrap();
        }
        let error = system.update(0.01).unwrap_err();
        assert_eq!(error.subject, Subject::Body(Some(58)), "{count} threads: {error}");
        for body in [203, 58] {
            system.set_inertia(body, Inertia::diagonal(&[1.0; 6]).unwrap()).unwrap();
        }
        // And two constraints that are beyond the range of numbers.
        for constraint in [1200, 700, 701]
            .map(|k| (k..).find(|k| system.move_constraint(*k, &UNIT, [[1e200; 3]; 2]).is_ok()))
        {
            assert!(constraint.is_some());
        }
        let Error { subject, fault } = system.update(0.01).unwrap_err();
        let Subject::Constraint(Some(id), _) = subject else { panic!("{subject:?}") };
        assert!(
            (700..705).contains(&id) && matches!(fault, Fault::NotFinite(_)),
            "{count} threads: {id} {fault}"
        );
    }
    assert!(
        CALLERS.lock().unwrap().iter().all(|caller| *caller == current().id()),
        "solvers stay on the caller's thread"
    );
}
