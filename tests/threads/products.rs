//! Products with W: the same bits for any number of threads, with every kind of vectors of the processor, alone or several at once;
//! by blocks, through bodies, and as forces and velocities.

use ldy::math::simd::forbid_avx2;
use ldy::system::{Columns, Error, Fault, Id, Inertia, Kinematics, Operator, Solve, Subject, System};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Threads;

/// Takes a third.
struct Third;

impl Solve for Third {
    fn solve(&self, _: usize, x: &mut [f64]) -> i32 {
        x.iter_mut().for_each(|x| *x /= 3.0);
        0
    }
}

pub fn wave(k: usize, phase: f64) -> f64 {
    (0.37 * k as f64 + phase).sin()
}

/// Symmetric: 2 on the diagonal, ½ beside it.
const DENSE: [f64; 36] = {
    let mut dense = [0.0; 36];
    let mut k = 0;
    while k < 36 {
        dense[k] = [2.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.5][k % 7];
        k += 1;
    }
    dense
};

fn third() -> Inertia {
    Inertia::solver(Third).unwrap()
}

/// A chain of bodies of every kind, an obstacle among them, with many constraints on each.
pub fn chain(bodies: usize, constraints: usize, inverse: impl Fn() -> Inertia) -> System {
    let mut system = System::new();
    system.set_option(ldy::system::SystemOption::AnyAxes, true);
    for k in 0..bodies {
        let center = [wave(k, 0.0), wave(k, 1.0), wave(k, 2.0)];
        let rotation = std::array::from_fn(|i| wave(k, i as f64));
        let tensor = [2.0, 0.3, 0.0, 0.3, 3.0, 0.1, 0.0, 0.1, 2.5];
        let (starts, rows) = ([0, 2, 3, 4, 5, 6, 7], [0, 1, 1, 2, 3, 4, 5]);
        let values = [3.0 + wave(k, 0.0), 0.5, 3.0, 2.0, 2.0, 2.0, 2.0];
        let rigid = Kinematics::Rigid { rotation, center };
        let id = match k % 7 {
            0..=2 => system.add_rigid(1.5 + wave(k, 0.0), &tensor, &rotation, &center),
            3 => system.add_pseudo_rigid(1.5 + wave(k, 0.0), &tensor, &center),
            4 => system.add_body(6, rigid, Inertia::matrix(&starts, &rows, &values).unwrap()),
            5 if k % 2 == 0 => system.add_body(6, rigid, Inertia::Obstacle),
            5 => system.add_body(6, rigid, Inertia::diagonal(&[0.5, 1.0, 0.0, 2.0, 3.0, 1.0]).unwrap()),
            _ if k % 4 == 0 => system.add_body(6, Kinematics::General, Inertia::dense(6, &DENSE).unwrap()),
            _ => system.add_body(6, Kinematics::General, inverse()),
        };
        let dofs = system.body(id.unwrap()).unwrap().dofs();
        let velocity: Vec<f64> = (0..dofs).map(|i| wave(k, i as f64)).collect();
        system.set_velocity(k as Id, &velocity).unwrap();
    }
    for k in 0..constraints {
        let bodies = [k % bodies, (k + 1 + k / bodies) % bodies].map(|body| Some(body as Id));
        let id = if bodies.iter().flatten().all(|body| body % 7 != 6) {
            let point = [wave(k, 0.1), wave(k, 0.2), wave(k, 0.3)];
            let frame = std::array::from_fn(|i| wave(k, 0.1 * i as f64));
            system.add_point_constraint(bodies, &frame, [point, center_of(k)])
        } else {
            let operators = bodies.map(|body| {
                let dofs = system.body(body?).unwrap().dofs();
                let values: Vec<f64> = (0..3 * dofs).map(|i| wave(k + i, 0.5)).collect();
                Some(Operator::dense(3, dofs, &values).unwrap())
            });
            system.add_constraint_rows(&bodies, operators.into_iter().flatten().collect())
        };
        if k % 5 == 0 {
            let soft = [1.0, 0.1, 0.0, 0.1, 2.0, 0.0, 0.0, 0.0, 0.5];
            system.set_compliance(id.unwrap(), &soft).unwrap();
        }
    }
    system.update(0.01).unwrap();
    system
}

fn center_of(k: usize) -> [f64; 3] {
    [wave(k, 0.4), wave(k, 0.5), wave(k, 0.6)]
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Products of seven vectors, by blocks and through bodies; forces on all bodies; velocities with reactions.
fn all(system: &mut System) -> [Vec<u64>; 3] {
    const COLUMNS: usize = 7;
    let size = 3 * system.row_count();
    let [from, to] = [size + 5, size + 2];
    let x: Vec<f64> = (0..COLUMNS * from).map(|k| wave(k, 0.7)).collect();
    let mut results = [(); 3].map(|()| vec![]);
    for (through_bodies, result) in [false, true].into_iter().zip(&mut results) {
        // The values between vectors stay.
        let mut y = vec![-7.5; COLUMNS * to];
        let columns = (Columns { values: &x[..], stride: from }, Columns { values: &mut y[..], stride: to });
        match through_bodies {
            true => system.multiply_columns_through_bodies(COLUMNS, columns.0, columns.1).unwrap(),
            false => system.multiply_columns(COLUMNS, columns.0, columns.1).unwrap(),
        }
        assert!(y.chunks(to).all(|column| column[size..] == [-7.5; 2]));
        for (x, y) in x.chunks(from).zip(y.chunks(to)) {
            let mut alone = vec![0.0; size];
            match through_bodies {
                true => system.multiply_through_bodies(&x[..size], &mut alone).unwrap(),
                false => system.multiply(&x[..size], &mut alone).unwrap(),
            }
            assert!(bits(&alone) == bits(&y[..size]), "a vector alone");
            result.extend(bits(&alone));
        }
    }
    let ids: Vec<(Id, usize)> = system.bodies().map(|(id, body)| (id, body.dofs())).collect();
    for &(id, dofs) in &ids {
        let mut force = vec![0.0; dofs];
        system.constraint_force(id, &x[..size], &mut force).unwrap();
        results[2].extend(bits(&force));
    }
    let before: Vec<_> = ids.iter().map(|(id, _)| system.body(*id).unwrap().velocity().to_vec()).collect();
    system.apply_reactions(&x[..size]).unwrap();
    for ((id, _), before) in ids.iter().zip(before) {
        results[2].extend(bits(system.body(*id).unwrap().velocity()));
        system.set_velocity(*id, &before).unwrap();
    }
    results
}

#[test]
fn products_have_the_same_bits_however_they_are_made() {
    let mut system = chain(700, 6000, third);
    assert!(system.results().unwrap().w.columns().len() > 30_000, "too small for threads");
    let expected = all(&mut system);
    let threads = Threads::new();
    for count in [1, 2, 5] {
        for forbidden in [true, false] {
            threads.set(count);
            forbid_avx2(forbidden);
            let found = all(&mut system);
            for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
                assert!(found == expected, "{count} threads, without AVX2: {forbidden}, product {k}");
            }
        }
    }
}

#[test]
fn both_products_agree_with_the_sum_over_blocks() {
    let system = chain(60, 300, third);
    let rows = system.results().unwrap();
    let size = 3 * rows.ids.len();
    let x: Vec<f64> = (0..size).map(|k| wave(k, 0.2)).collect();
    let (mut by_blocks, mut through) = (vec![0.0; size], vec![0.0; size]);
    system.multiply(&x, &mut by_blocks).unwrap();
    system.multiply_through_bodies(&x, &mut through).unwrap();
    for row in 0..rows.ids.len() {
        for i in 0..3 {
            let (mut sum, mut scale) = (0.0, 0.0);
            for k in rows.w.starts()[row] as usize..rows.w.starts()[row + 1] as usize {
                for j in 0..3 {
                    let term = rows.w.block(k)[3 * j + i] * x[3 * rows.w.columns()[k] as usize + j];
                    sum += term;
                    scale += term.abs();
                }
            }
            for found in [by_blocks[3 * row + i], through[3 * row + i]] {
                assert!((found - sum).abs() <= 1e-12 * scale, "{row} {i}: {found} {sum}");
            }
        }
    }
}

/// Fails from the second call on.
struct Once(AtomicBool);

impl Solve for Once {
    fn solve(&self, _: usize, _: &mut [f64]) -> i32 {
        i32::from(self.0.swap(true, Ordering::Relaxed))
    }
}

#[test]
fn the_first_body_whose_solver_fails_is_told() {
    let mut system = System::new();
    let inertias = [false, true, false, true, false].map(|fails| match fails {
        true => Inertia::solver(Once(AtomicBool::new(false))).unwrap(),
        false => Inertia::dense(1, &[2.0]).unwrap(),
    });
    for inertia in inertias {
        let id = system.add_body(1, Kinematics::General, inertia).unwrap();
        let unit = Operator::dense(3, 1, &[1.0, 0.0, 0.0]).unwrap();
        system.add_constraint_rows(&[id], vec![unit]).unwrap();
    }
    system.update(0.5).unwrap();
    let mut y = [0.0; 15];
    let error = system.multiply_through_bodies(&[1.0; 15], &mut y).unwrap_err();
    assert_eq!((error.subject, error.fault), (Subject::Body(Some(1)), Fault::Solver(1)));
    // Nothing is left of it.
    system.set_inertia(1, Inertia::dense(1, &[3.0]).unwrap()).unwrap();
    system.set_inertia(3, Inertia::dense(1, &[5.0]).unwrap()).unwrap();
    system.update(0.5).unwrap();
    system.multiply_through_bodies(&[1.0; 15], &mut y).unwrap();
    assert_eq!(y.as_chunks::<3>().0.iter().map(|y| y[0]).collect::<Vec<_>>(), [1.0, 1.5, 1.0, 2.5, 1.0]);
}

#[test]
fn vectors_that_do_not_fit_are_refused() {
    let system = chain(20, 40, third);
    let x = vec![1.0; 500];
    let refused = |count, x_stride, y_stride, room: usize| {
        let mut y = vec![2.0; room];
        let x = Columns { values: &x[..], stride: x_stride };
        let result = system.multiply_columns(count, x, Columns { values: &mut y[..], stride: y_stride });
        assert!(result.is_ok() || y.iter().all(|value| *value == 2.0));
        result.is_err_and(|Error { fault, .. }| matches!(fault, Fault::Size { .. }))
    };
    assert!(!refused(3, 121, 120, 360) && !refused(0, 120, 120, 0) && !refused(1, 120, 500, 120));
    assert!(refused(3, 119, 120, 360) && refused(3, 120, 119, 360));
    assert!(refused(3, 120, 120, 359) && refused(5, 120, 120, 600) && refused(2, usize::MAX, 120, 240));
}
