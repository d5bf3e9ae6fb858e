//! Systems of random bodies and constraints: after any sequence of calls W, V, B and all products agree with dense matrices, and
//! results have the bits of a system made again.

mod batch;
mod contact_models;
mod gradient;
mod jacobian;
mod joint_gradient;
mod laws;
mod model;
mod regularization;
mod rolling;
mod scene;
mod step_gradient;
mod sync;

use jacobian::LAYOUTS;
use ldy::solve::{Kind, Law};
use ldy::system::{
    AtPoints, Columns, Fault, Id, Inertia, Jacobian, JointFrame, JointKind, Keyed, Operator, System,
    SystemOption,
};
use nalgebra::DMatrix;
use proptest::prelude::*;
use scene::Scene;
use testing::blocks;
use testing::dense::Reference;

/// Compare all results with dense matrices.
fn check(scene: &mut Scene) {
    scene.system.update(scene.step).unwrap();
    let expected = scene.model.reference(scene.step);
    let rows = scene.system.results().unwrap();
    assert!(rows.ids.iter().eq(scene.model.constraints.keys()));
    let count = expected.w.nrows();
    assert_eq!(rows.b.len(), count);
    let scale = expected.w.amax().max(1e-300);
    let found = blocks::dense(rows.w.starts(), rows.w.columns(), rows.w.values(), |row| rows.w.scalars(row));
    for row in 0..rows.ids.len() {
        let own = rows.w.scalars(row);
        assert_eq!(own, expected.scalars[row]..expected.scalars[row + 1]);
        let columns: Vec<usize> = rows.w.blocks(row).map(|k| rows.w.columns()[k] as usize).collect();
        assert_eq!(
            columns, expected.columns[row],
            "columns of row {row}: none is missing, though it be zero"
        );
        let size = own.len();
        let diagonal = DMatrix::from_column_slice(size, size, &rows.diagonal[rows.square(row)]);
        assert_eq!(diagonal, found.view((own.start, own.start), (size, size)));
        let inverse = DMatrix::from_column_slice(size, size, &rows.inverse[rows.square(row)]);
        if inverse.iter().all(|value| value.is_finite()) {
            assert_eq!(inverse, inverse.transpose());
            let rest = (&inverse * &diagonal - DMatrix::identity(size, size)).amax();
            assert!(rest <= 1e-13 * inverse.amax() * diagonal.amax(), "{rest}");
        } else {
            let eigenvalues = diagonal.clone().symmetric_eigenvalues();
            assert!(eigenvalues.min().abs() <= 1e-9 * eigenvalues.max().max(1e-300), "{diagonal}");
        }
    }
    let rest = (&found - &expected.w).amax();
    assert!(rest <= 1e-12 * scale, "W: {rest} of {scale}");
    assert!(found == found.transpose(), "W is not symmetric to the bit");
    for (own, expected) in [(rows.b, &expected.b), (rows.v, &expected.v)] {
        own.iter().zip(expected).for_each(|(own, expected)| assert!((own - expected).abs() < 1e-12 * 100.0));
    }
    let mut largest = vec![0.0; rows.ids.len()];
    rows.block_eigenvalues(&mut largest);
    for (row, largest) in largest.iter().enumerate() {
        let own = rows.w.scalars(row);
        let block = expected.w.view((own.start, own.start), (own.len(), own.len())).into_owned();
        let expected = block.symmetric_eigenvalues().max();
        assert!((largest - expected).abs() <= 1e-12 * scale, "{largest} {expected}");
    }

    if scene.are_of_three {
        assert!(rows.w.layout().is_none());
    }

    // Compressed scalar rows.
    let (mut starts, mut columns) = (vec![-1; count + 1], vec![-1; rows.w.values().len()]);
    let mut values = vec![0.0; rows.w.values().len()];
    rows.w.copy_csr(&mut starts, &mut columns, &mut values);
    assert!(blocks::dense(&starts, &columns, &values, |row| row..row + 1) == found);

    products(scene, &found, scale, &expected);
}

fn products(scene: &mut Scene, w: &DMatrix<f64>, scale: f64, expected: &Reference) {
    let (count, vectors) = (w.nrows(), 5);
    let x = DMatrix::from_fn(count, vectors, |_, _| scene.real());
    let product = w * &x;
    let close = |own: &[f64], expected: &DMatrix<f64>| {
        let rest = own.iter().zip(expected.iter()).fold(0.0, |most, (a, b)| f64::max(most, (a - b).abs()));
        assert!(rest <= 1e-12 * scale * (count as f64 + 1.0), "{rest} {scale}");
    };
    let columns = |values| Columns { values, stride: count };
    for through in [false, true] {
        let mut y = vec![f64::NAN; vectors * count];
        let to = Columns { values: &mut y[..], stride: count };
        match through {
            true => scene.system.multiply_columns_through_bodies(vectors, columns(x.as_slice()), to).unwrap(),
            false => scene.system.multiply_columns(vectors, columns(x.as_slice()), to).unwrap(),
        }
        close(&y, &product);
        let mut one = vec![f64::NAN; count];
        match through {
            true => scene.system.multiply_through_bodies(&x.as_slice()[..count], &mut one).unwrap(),
            false => scene.system.multiply(&x.as_slice()[..count], &mut one).unwrap(),
        }
        assert_eq!(one, y[..count], "a vector alone has other bits");
    }
    // This takes longer than all else.
    if count > 0 && scene.below(6) == 0 {
        // W is positive semidefinite. `symmetric_eigenvalues` of nalgebra is wrong for a few of these matrices.
        let largest = w.clone().singular_values().max();
        let estimate = scene.system.spectral_radius(1e-8, 1000).unwrap();
        assert!((estimate.value - largest).abs() <= 1e-9 * largest, "{estimate:?} {largest}");
    }
    let reactions = &x.as_slice()[..count];
    for (place, (id, body)) in scene.model.bodies.iter().enumerate() {
        let mut force = vec![0.5; body.dofs()];
        scene.system.constraint_force(*id, reactions, &mut force).unwrap();
        let expected = expected.force(place, reactions);
        force.iter().zip(&expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-11, "{a} {b}"));
    }
    scene.system.apply_reactions(reactions).unwrap();
    for (place, (id, body)) in scene.model.bodies.iter_mut().enumerate() {
        let found = scene.system.body(*id).unwrap().velocity().to_vec();
        let change = expected.change(place, reactions);
        let expected = body.velocities[1].iter().zip(change.iter()).map(|(a, b)| a + b);
        found.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-10, "{a} {b}"));
        body.velocities[1] = found;
    }
}

/// After any calls the results agree with dense matrices, and have the bits of a system made again.
fn follow(mut scene: Scene, bodies: usize, updates: usize) {
    (0..bodies).for_each(|_| scene.add_body());
    (0..12).for_each(|_| scene.add_constraint());
    for _ in 0..updates {
        check(&mut scene);
        for _ in 0..1 + scene.below(4) {
            scene.call();
        }
        scene.system.update(scene.step).unwrap();
        let mut again = scene.model.anew();
        again.update(scene.step).unwrap();
        same_bits(&scene.system, &again);
        clone(&mut scene);
    }
}

fn same_bits(own: &System, again: &System) {
    let (own, again) = (own.results().unwrap(), again.results().unwrap());
    assert_eq!((own.w.starts(), own.w.columns()), (again.w.starts(), again.w.columns()));
    for (name, own, again) in [
        ("B", own.b, again.b),
        ("V", own.v, again.v),
        ("W", own.w.values(), again.w.values()),
        ("inverses", own.inverse, again.inverse),
    ] {
        let differs = own.iter().zip(again).position(|(own, again)| own.to_bits() != again.to_bits());
        assert_eq!((own.len(), differs), (again.len(), None), "{name}");
    }
}

/// A clone has the same ids and bits, and may be used instead of the original. Inverse callbacks are not cloned.
fn clone(scene: &mut Scene) {
    let has_callback = scene
        .system
        .bodies()
        .any(|(_, body)| matches!(body.inertia(), Inertia::Solver(_) | Inertia::Member(_)));
    let mut copy = match scene.system.try_clone() {
        Ok(copy) => copy,
        Err(error) => {
            assert!(
                has_callback && error.to_string().contains("its inverse callback cannot be copied"),
                "{error}"
            );
            return;
        }
    };
    assert!(!has_callback && copy.results().is_err());
    let ids = |system: &System| -> (Vec<Id>, Vec<Id>) {
        (system.bodies().map(|(id, _)| id).collect(), system.constraints().map(|(id, _)| id).collect())
    };
    assert_eq!(ids(&copy), ids(&scene.system));
    assert_eq!(
        (copy.next_body(), copy.next_constraint()),
        (scene.system.next_body(), scene.system.next_constraint())
    );
    copy.update(scene.step).unwrap();
    same_bits(&scene.system, &copy);
    if scene.below(2) == 0 {
        scene.system = copy;
    }
}

/// Everything that a user sets is in a clone, and neither system changes with the other.
#[test]
fn a_clone_has_all_that_was_set() {
    let mut system = of_two_bodies();
    let frame = JointFrame { axes: IDENTITY, point: [0.0; 3] };
    let joint = system.add_joint(JointKind::Slider, [Some(2), None], &frame, &frame).unwrap();
    let scalars: usize = system.constraints().map(|(_, constraint)| constraint.rows()).sum();
    let place = [0.5, 0.25, 1.0];
    let law = Law { kind: Kind::Bounds { lower: [-1.0; 6], upper: [2.0; 6] }, bias: [0.5; 6] };
    let of = |count: usize| -> Vec<f64> { (0..count).map(|k| k as f64 + 1.0).collect() };
    let mu = of(scalars);
    system.set_option(SystemOption::Orthonormalize, true);
    system.set_positions(1, |_| (2, place)).unwrap();
    system.set_tag(4, 99).unwrap();
    system.set_law(joint, Some(law)).unwrap();
    system.set_compliance(4, &[2.0, 1.0, 3.0]).unwrap();
    system.set_regularization(&mu).unwrap();
    system.store_reactions(&of(scalars)).unwrap();
    system.set_previous_velocity(0, &[3.0, 4.0]).unwrap();
    system.sync_constraints(1, |_| keyed(7, place), |_, _| ()).unwrap();
    let all = |system: &mut System| {
        system.update(0.5).unwrap();
        let (mut mu, mut reactions) = (vec![0.0; scalars + 3], vec![0.0; scalars + 3]);
        let mut errors = [0.0; 5];
        system.regularization(&mut mu).unwrap();
        system.stored_reactions(&mut reactions).unwrap();
        system.joint_error(joint, &mut errors).unwrap();
        let rows = system.results().unwrap();
        let values = [rows.w.values(), rows.b, rows.v, &mu, &reactions, &errors].concat();
        let options = system.option(SystemOption::Orthonormalize) && !system.option(SystemOption::AnyAxes);
        (values, options, system.tag(4).unwrap(), format!("{:?}", system.law(joint).unwrap()))
    };
    let mut copy = system.try_clone().unwrap();
    let expected = all(&mut system);
    assert_eq!(all(&mut copy), expected);
    // The key is known: the constraint is moved, not inserted.
    let synced = copy.sync_constraints(1, |_| keyed(7, [1.0; 3]), |_, _| ()).unwrap();
    assert_eq!((synced.kept, synced.inserted), (1, 0));
    copy.set_velocity(0, &[9.0, 9.0]).unwrap();
    copy.remove_constraint(joint).unwrap();
    assert_eq!(all(&mut system), expected);
    system.clear();
    copy.update(0.5).unwrap();
    assert_eq!(copy.results().unwrap().b.len(), scalars + 3 - 5);
}

fn keyed(key: u64, point: [f64; 3]) -> Keyed {
    let place = AtPoints { bodies: [Some(2), None], frame: IDENTITY, points: [point; 2] };
    Keyed { key, place, law: None }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: testing::cases(60), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn systems_of_any_rows_are_those_of_dense_matrices(seed: u64, has_one_body: bool) {
        follow(Scene::new(seed), if has_one_body { 1 } else { 6 }, 25);
    }

    /// The three-row form of the results has the same values.
    #[test]
    fn systems_of_three_rows_are_those_of_dense_matrices(seed: u64) {
        let mut scene = Scene::of_three(seed);
        scene.add_body();
        follow(scene, 5, 12);
    }
}

#[test]
fn rows_of_three_may_be_given_in_parts() {
    // The same scalars as a row of three, as three of one, as halves of six, and in pairs.
    let mut scene = Scene::new(7);
    (0..4).for_each(|_| scene.add_body());
    let ids: Vec<Id> = scene.model.bodies.keys().copied().collect();
    let bodies = [ids[0], ids[2]];
    let h: Vec<DMatrix<f64>> = bodies
        .iter()
        .map(|id| {
            let dofs = scene.model.bodies[id].dofs();
            DMatrix::from_fn(6, dofs, |_, _| scene.real())
        })
        .collect();
    let mut all = Vec::new();
    for sizes in [vec![3, 3], vec![1; 6], vec![6], vec![2, 2, 2], vec![1, 2, 3], vec![4, 2], vec![5, 1]] {
        let mut system = scene.model.anew();
        let mut first = 0;
        for size in sizes {
            let operators = h.iter().map(|h| {
                let part = h.rows(first, size).into_owned();
                Operator::dense(size, h.ncols(), part.as_slice()).unwrap()
            });
            system.add_constraint_rows(&bodies, operators.collect()).unwrap();
            first += size;
        }
        system.update(0.5).unwrap();
        let rows = system.results().unwrap();
        let (mut starts, mut columns, mut values) = (vec![0; 7], vec![0; 36], vec![0.0; 36]);
        rows.w.copy_csr(&mut starts, &mut columns, &mut values);
        assert_eq!(starts, [0, 6, 12, 18, 24, 30, 36]);
        all.push((values, rows.b.to_vec()));
    }
    let scale = all[0].0.iter().fold(0.0, |most, value| f64::max(most, value.abs()));
    for (values, b) in &all {
        let pairs = values.iter().zip(&all[0].0).chain(b.iter().zip(&all[0].1));
        pairs.for_each(|(a, b)| assert!((a - b).abs() <= 1e-13 * scale.max(1.0), "{a} {b}"));
    }
}

/// Rows of three beside a row of one on another body: one of them is moved at a time, and all have the bits of a system made again.
#[test]
fn one_of_many_rows_of_three_is_moved_beside_a_row_of_one() {
    const COUNT: usize = 12;
    let point =
        |k: usize, version: usize| [0.1 * k as f64, 1.0 / (1 + k + 3 * version) as f64, version as f64];
    let anew = |versions: &[usize; COUNT]| {
        let mut system = System::new();
        for _ in 0..2 {
            system.add_rigid(2.0, &IDENTITY, &IDENTITY, &[0.0; 3]).unwrap();
        }
        let inertia = ldy::system::Inertia::diagonal(&[1.0; 4]).unwrap();
        let other = system.add_body(4, ldy::system::Kinematics::General, inertia).unwrap();
        system.add_dof_constraint(other, Some(1), 1.0).unwrap();
        for (k, &version) in versions.iter().enumerate() {
            let bodies = if k % 4 == 3 { [Some(0), Some(1)] } else { [Some(0), None] };
            system.add_point_constraint(bodies, &IDENTITY, [point(k, version); 2]).unwrap();
        }
        system.update(0.5).unwrap();
        system
    };
    let mut versions = [0; COUNT];
    let mut system = anew(&versions);
    for k in 0..COUNT {
        versions[k] += 1;
        system.move_constraint(k as Id + 1, &IDENTITY, [point(k, versions[k]); 2]).unwrap();
        system.update(0.5).unwrap();
        same_bits(&system, &anew(&versions));
    }
}

#[test]
fn systems_come_back_to_rows_of_three() {
    let mut scene = Scene::new(3);
    (0..3).for_each(|_| scene.add_body());
    let id = *scene.model.bodies.keys().next().unwrap();
    let dofs = scene.model.bodies[&id].dofs();
    let unit = |dof: usize| {
        let mut values = vec![0.0; dofs];
        values[dof % dofs] = 1.0;
        vec![Operator::dense(1, dofs, &values).unwrap()]
    };
    let mut system = scene.model.anew();
    let first =
        system.add_constraint_rows(&[id], vec![Operator::dense(3, dofs, &vec![1.0; 3 * dofs]).unwrap()]);
    let scalars: Vec<Id> = (0..44).map(|k| system.add_constraint_rows(&[id], unit(k)).unwrap()).collect();
    system.update(1.0).unwrap();
    assert_eq!(system.results().unwrap().b.len(), 47);
    assert_eq!(system.row_of(scalars[5]).unwrap(), 6);
    for id in scalars {
        system.remove_constraint(id).unwrap();
    }
    let more =
        system.add_constraint_rows(&[id], vec![Operator::dense(3, dofs, &vec![2.0; 3 * dofs]).unwrap()]);
    system.update(1.0).unwrap();
    let rows = system.results().unwrap();
    assert_eq!(rows.ids, [first.unwrap(), more.unwrap()]);
    assert!(system.results().unwrap().w.layout().is_none());
    assert_eq!(
        (system.row_of(45).unwrap(), system.constraints().map(|(id, _)| id).collect()),
        (1, vec![0, 45])
    );
}

#[test]
fn bad_constraints_are_refused_and_named() {
    let mut scene = Scene::new(3);
    (0..5).for_each(|_| scene.add_body());
    let dofs: Vec<usize> = scene.model.bodies.values().map(|body| body.dofs()).collect();
    let mut system = scene.model.anew();
    let of =
        |rows: usize, body: usize| Operator::dense(rows, dofs[body], &vec![1.0; rows * dofs[body]]).unwrap();
    let text = |error: ldy::system::Error| error.to_string();
    assert!(matches!(Operator::dense(0, 3, &[]), Err(Fault::Invalid(_))));
    assert!(matches!(Operator::dense(7, 1, &[0.0; 7]), Err(Fault::Invalid(_))));
    assert!(matches!(Operator::dense(2, 2, &[0.0; 3]), Err(Fault::Size { expected: 4, .. })));
    assert!(matches!(Operator::dense(1, 1, &[f64::NAN]), Err(Fault::NotFinite(_))));
    assert!(Operator::sparse(1, 2, &[0, 1, 2], &[0, 1], &[1.0, 1.0]).is_err());
    assert!(Operator::sparse(1, 1, &[0, 2], &[0, 0], &[1e308, 1e308]).is_err());
    let error = system.add_constraint_rows::<Id>(&[], vec![]).unwrap_err();
    assert_eq!(text(error), "new constraint: a constraint has one to sixteen bodies");
    let error = system.add_constraint_rows(&[0, 1, 9], vec![of(1, 0), of(1, 1), of(1, 2)]).unwrap_err();
    assert_eq!(text(error), "new constraint among bodies 0, 1 and 1 more: there is no body 9");
    let error = system.add_constraint_rows(&[0, 0], vec![of(1, 0), of(1, 0)]).unwrap_err();
    assert_eq!(text(error), "new constraint between bodies 0 and 0: a body of it is there twice");
    let error = system.add_constraint_rows(&[0, 1], vec![of(1, 0), of(2, 1)]).unwrap_err();
    assert!(text(error).ends_with("different numbers of rows"));
    let error = system.add_constraint_rows(&[0, 1], vec![of(1, 0)]).unwrap_err();
    assert_eq!(
        text(error),
        "new constraint between bodies 0 and 1: its operators H: 1 values where 2 are needed"
    );
    let tall = Operator::dense(1, dofs[1] + 1, &vec![1.0; dofs[1] + 1]).unwrap();
    assert!(
        text(system.add_constraint_rows(&[1], vec![tall]).unwrap_err()).contains("columns of its operator H")
    );
    // None of this has made the system another one.
    assert_eq!(system.next_constraint(), 0);
    let id = system.add_constraint_rows(&[0, 1, 2], vec![of(2, 0), of(2, 1), of(2, 2)]).unwrap();
    assert_eq!(system.remove_body(1).unwrap_err().fault, Fault::InUse(id));
    let error = system.set_compliance(id, &[1.0, 2.0, 1.0, 1.0]).unwrap_err();
    assert!(text(error).ends_with("its compliance is not symmetric"));
    assert!(system.set_compliance(id, &[1.0; 9]).is_err());
    assert!(system.set_operators(id, vec![of(1, 0), of(1, 1), of(1, 2)]).is_err());
    assert!(system.set_operators(id, vec![of(2, 0), of(2, 1)]).is_err());
    assert!(system.move_constraint(id, &[0.0; 9], [[0.0; 3]; 2]).is_err());
    assert!(system.set_operators(7, vec![]).is_err() && system.remove_constraint(7).is_err());
}

/// Of two constraints that share a row of three inside, the one is named whose numbers are too large.
#[test]
fn the_constraint_that_is_too_large_is_named() {
    let mut system = System::new();
    let body = |system: &mut System| {
        let inertia = ldy::system::Inertia::diagonal(&[1.0, 1.0]).unwrap();
        system.add_body(2, ldy::system::Kinematics::General, inertia).unwrap()
    };
    let (a, b) = (body(&mut system), body(&mut system));
    let row = |values: [f64; 2]| Operator::dense(1, 2, &values).unwrap();
    for id in [a, b] {
        system.add_constraint_rows(&[id], vec![row([1.0, 0.0])]).unwrap();
        system.add_constraint_rows(&[id], vec![row([0.0, 1.0])]).unwrap();
    }
    system.update(1.0).unwrap();
    system.set_operators(1, vec![row([0.0, 1e200])]).unwrap();
    let error = system.update(1.0).unwrap_err();
    assert_eq!(error.to_string(), "constraint 1 on body 0: its diagonal block of W is not finite");
    system.set_operators(1, vec![row([0.0, 1e150])]).unwrap();
    system.set_velocity(0, &[1.0, 1e200]).unwrap();
    let error = system.update(1.0).unwrap_err();
    assert_eq!(error.to_string(), "constraint 1 on body 0: its velocity V or B is not finite");
    system.set_velocity(0, &[1.0, 1.0]).unwrap();
    system.update(1.0).unwrap();
}

/// Two bodies of two and three velocities: single rows on the first, three rows on both, a point.
fn of_two_bodies() -> System {
    let mut system = System::new();
    let scalars: [f64; 9] = [2.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 4.0];
    for dofs in [2, 3] {
        let inverse: Vec<f64> = (0..dofs).map(|k| scalars[4 * k]).collect();
        let inertia = ldy::system::Inertia::diagonal(&inverse).unwrap();
        system.add_body(dofs, ldy::system::Kinematics::General, inertia).unwrap();
    }
    for k in 0..4 {
        system.add_dof_constraint(0, Some(k % 2), 1.0).unwrap();
    }
    let operators = [2, 3].map(|dofs| Operator::dense(3, dofs, &[1.5; 9][..3 * dofs]).unwrap());
    system.add_constraint_rows(&[0, 1], operators.into()).unwrap();
    system.add_rigid(1.0, &scalars, &IDENTITY, &[0.0; 3]).unwrap();
    system.add_point_constraint([Some(2), None], &IDENTITY, [[1.0, 0.0, 0.0]; 2]).unwrap();
    system.update(0.5).unwrap();
    system
}

const IDENTITY: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// Bodies, constraints and a Jacobian, and what is said of them.
type Case<'a> = (&'a [Id], &'a [Id], &'a DMatrix<f64>, &'a str);

#[test]
fn a_jacobian_that_is_refused_changes_nothing() {
    let (mut system, untouched) = (of_two_bodies(), of_two_bodies());
    let good = DMatrix::from_fn(5, 5, |i, j| if i < 2 && j >= 2 { 0.0 } else { (i + j) as f64 });
    let with = |i, j, value| {
        let mut other = good.clone();
        other[(i, j)] = value;
        other
    };
    let (bodies, constraints) = (&[0, 1][..], &[1, 2, 4][..]);
    let narrow = good.columns(0, 4).into_owned();
    let short = good.rows(0, 4).into_owned();
    let cases: [Case; 11] = [
        (
            bodies,
            constraints,
            &with(4, 1, f64::NAN),
            "entry 2: constraint 4 between bodies 0 and 1: its operator H is not finite",
        ),
        (
            bodies,
            constraints,
            &with(1, 2, 1.0),
            "entry 1: constraint 2 on body 0: its rows of the Jacobian J are not zero in columns of other bodies than its own",
        ),
        (bodies, &[1, 2, 9], &good, "entry 2: constraint 9: there is no such constraint"),
        (bodies, &[1, 1, 4], &good, "entry 1: constraint 1 on body 0: an earlier entry has the same id"),
        (
            bodies,
            &[1, 2, 5],
            &good,
            "entry 2: constraint 5 on body 2: it is placed at points or by operators H as it was inserted",
        ),
        (&[0, 1, 0], constraints, &DMatrix::zeros(5, 7), "body 0: an earlier entry has the same id"),
        (&[0, 7], constraints, &good, "entry 1: body 7: there is no such body"),
        (bodies, constraints, &narrow, "columns of the Jacobian J: 4 values where 5 are needed"),
        (bodies, constraints, &short, "rows of the Jacobian J: 4 values where 5 are needed"),
        (bodies, &[1, 2], &good, "rows of the Jacobian J: 5 values where 2 are needed"),
        (
            &[1],
            &[4, 0],
            &DMatrix::zeros(4, 3),
            "entry 1: constraint 0 on body 0: it acts on none of the bodies of the Jacobian J",
        ),
    ];
    let values = |system: &System| {
        let rows = system.results().unwrap();
        [rows.w.values(), rows.b, rows.v, rows.inverse]
            .map(|values| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>())
    };
    let expected = values(&untouched);
    for (bodies, constraints, j, text) in cases {
        for layout in LAYOUTS {
            let error = jacobian::set(&mut system, (bodies, constraints), j, layout).unwrap_err();
            assert!(error.to_string().contains(text), "{error}, not {text}");
            // The results have not changed.
            assert_eq!(values(&system), expected, "{text}");
        }
    }
    let (shape, ids) = ([1, 2], || (std::iter::once(0), std::iter::once(0)));
    let mut sparse = |starts: &[i32], counts: Option<&[i32]>, indices: &[i32]| {
        let (bodies, constraints) = ids();
        let values = &[1.0, 2.0][..indices.len().min(2)];
        let jacobian = Jacobian::Sparse { shape, starts, counts, indices, values };
        system.set_jacobian(bodies, constraints, &jacobian).unwrap_err().to_string()
    };
    let (outside, order) = (
        "a row of the Jacobian J begins or ends outside",
        "columns of a row of the Jacobian J do not ascend",
    );
    for (starts, counts, indices, text) in [
        (&[0, 3][..], None, &[0, 1][..], outside),
        (&[1, 0], None, &[0, 1], outside),
        (&[-1, 1], None, &[0, 1], outside),
        (&[1], Some(&[2][..]), &[0, 1], outside),
        (&[0], Some(&[-1]), &[0, 1], outside),
        (&[i32::MAX], Some(&[i32::MAX]), &[0, 1], outside),
        (&[0, 2], None, &[1, 0], order),
        (&[0, 2], None, &[1, 1], order),
        (&[0, 2], None, &[0, 2], order),
        (&[0, 2], None, &[-1, 1], order),
        (&[0], None, &[0, 1], "starts of rows of the Jacobian J: 1 values where 2 are needed"),
        (&[0], Some(&[]), &[0, 1], "counts of rows of the Jacobian J: 0 values where 1 are needed"),
        (&[0, 2], None, &[0], "begins or ends outside"),
    ] {
        let found = sparse(starts, counts, indices);
        assert!(found.contains(text), "{found}, not {text}");
    }
    assert_eq!(values(&system), expected);
    jacobian::set(&mut system, (bodies, constraints), &good, LAYOUTS[0]).unwrap();
    system.update(0.5).unwrap();
    assert_ne!(values(&system), expected);
}

/// Bodies, numbers of rows and a Jacobian, and what is said of them.
type Insertion<'a> = (&'a [Id], &'a [usize], &'a DMatrix<f64>, &'a str);

#[test]
fn a_jacobian_whose_constraints_are_refused_changes_nothing() {
    let (mut system, mut untouched) = (of_two_bodies(), of_two_bodies());
    let good = DMatrix::from_fn(5, 5, |i, j| if i < 2 && j >= 2 { 0.0 } else { (i + j) as f64 });
    let mut infinite = good.clone();
    infinite[(4, 1)] = f64::INFINITY;
    let (bodies, heights) = (&[0, 1][..], &[1, 1, 3][..]);
    let cases: [Insertion; 9] = [
        (bodies, heights, &infinite, "entry 2: new constraint: its operator H is not finite"),
        (bodies, &[1, 0, 4], &good, "entry 1: new constraint: a constraint has one to six rows"),
        (bodies, &[5, 7], &good, "entry 1: new constraint: a constraint has one to six rows"),
        (&[0, 7], heights, &good, "entry 1: body 7: there is no such body"),
        (&[0, 1, 0], heights, &DMatrix::zeros(5, 7), "body 0: an earlier entry has the same id"),
        (bodies, heights, &DMatrix::zeros(5, 4), "columns of the Jacobian J: 4 values where 5 are needed"),
        (bodies, heights, &DMatrix::zeros(4, 5), "rows of the Jacobian J: 4 values where 5 are needed"),
        (bodies, &[1, 3], &good, "rows of the Jacobian J: 5 values where 4 are needed"),
        (&[], &[1], &DMatrix::zeros(1, 0), "entry 0: new constraint: a constraint has one to sixteen bodies"),
    ];
    let values = |system: &System| {
        let rows = system.results().unwrap();
        [rows.w.values(), rows.b, rows.v, rows.inverse]
            .map(|values| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>())
    };
    for (bodies, heights, j, text) in cases {
        for layout in LAYOUTS {
            let error = jacobian::insert(&mut system, (bodies, heights), j, layout).unwrap_err();
            assert!(error.to_string().contains(text), "{error}, not {text}");
            // The results have not changed.
            assert_eq!(values(&system), values(&untouched), "{text}");
        }
    }
    // Later calls give the same as in the system that has refused nothing, ids included.
    let next = [&mut system, &mut untouched].map(|system| {
        let first = jacobian::insert(system, (bodies, heights), &good, LAYOUTS[0]).unwrap();
        assert_eq!(system.add_dof_constraint(0, Some(1), 1.0).unwrap(), first + 3);
        system.update(0.5).unwrap();
        (first, values(system))
    });
    assert_eq!(next[0].0, 6);
    assert_eq!(next[0], next[1]);
    // Constraints have gone, and a refused call was between.
    for id in [0, 7] {
        system.remove_constraint(id).unwrap();
        untouched.remove_constraint(id).unwrap();
        jacobian::insert(&mut system, (bodies, heights), &infinite, LAYOUTS[0]).unwrap_err();
        for system in [&mut system, &mut untouched] {
            system.add_dof_constraint(0, Some(0), 2.0).unwrap();
        }
    }
    system.update(0.5).unwrap();
    untouched.update(0.5).unwrap();
    assert_eq!(values(&system), values(&untouched));
}

#[test]
fn constraints_of_a_jacobian_are_on_bodies_with_columns_that_are_not_zero() {
    let mut system = System::new();
    let ids: Vec<Id> = (0..20)
        .map(|_| {
            let inertia = ldy::system::Inertia::diagonal(&[1.0; 2]).unwrap();
            system.add_body(2, ldy::system::Kinematics::General, inertia).unwrap()
        })
        .collect();
    let turned: Vec<Id> = ids.iter().rev().copied().collect();
    let mut j = DMatrix::zeros(5, 40);
    j[(1, 7)] = 1.0;
    j[(2, 39)] = 1.0;
    j.row_mut(4).columns_mut(0, 32).fill(1.0);
    for layout in LAYOUTS {
        let first = jacobian::insert(&mut system, (&turned, &[3, 1, 1]), &j, layout).unwrap();
        let bodies = |id: Id| system.constraint(id).unwrap().all_bodies().collect::<Vec<_>>();
        assert_eq!(bodies(first), [16, 0]);
        assert_eq!(bodies(first + 1), [19]);
        assert_eq!(bodies(first + 2), &turned[..16]);
        let mut many = j.clone();
        many[(4, 33)] = 1.0;
        let error = jacobian::insert(&mut system, (&turned, &[3, 1, 1]), &many, layout).unwrap_err();
        let text = "entry 2: new constraint: a constraint has one to sixteen bodies";
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn calls_for_many_know_constraints_of_any_number_of_rows() {
    let mut system = System::new();
    let inertia = ldy::system::Inertia::diagonal(&[1.0; 4]).unwrap();
    let body = system.add_body(4, ldy::system::Kinematics::General, inertia).unwrap();
    let ids: Vec<Id> = (0..10).map(|k| system.add_dof_constraint(body, Some(k % 4), 1.0).unwrap()).collect();
    system.set_tags(10, |k| (ids[k], 100 + k as u64)).unwrap();
    // One is there twice, one is unknown: nothing has changed.
    let twice = [ids[1], ids[9], ids[1]];
    let error = system.remove_constraints(3, |k| twice[k]).unwrap_err();
    assert_eq!(
        (error.entry, error.error.fault),
        (Some(2), Fault::Invalid("an earlier entry has the same id"))
    );
    assert_eq!(system.remove_constraints(2, |k| [ids[9], 10][k]).unwrap_err().entry, Some(1));
    system.remove_constraints(3, |k| [ids[9], ids[1], ids[0]][k]).unwrap();
    system.update(0.5).unwrap();
    assert_eq!(system.row_count(), 7);
    let mut tags = [0; 7];
    system.tags(&mut tags).unwrap();
    assert_eq!(tags, [102, 103, 104, 105, 106, 107, 108]);
    assert_eq!(system.results().unwrap().ids.len(), 7);
}

/// What an update makes, to the bit.
fn bits_of(system: &System) -> Vec<u64> {
    let rows = system.results().unwrap();
    let all = rows.w.values().iter().chain(rows.b).chain(rows.v).chain(rows.diagonal).chain(rows.inverse);
    all.map(|value| value.to_bits()).collect()
}

/// All entries of a Jacobian of two bodies as compressed rows, zeros too.
fn set_whole(system: &mut System, j: &DMatrix<f64>) -> Result<(), String> {
    let (rows, columns) = j.shape();
    let starts: Vec<i32> = (0..=rows).map(|row| (columns * row) as i32).collect();
    let indices: Vec<i32> = (0..rows).flat_map(|_| 0..columns as i32).collect();
    let values: Vec<f64> = j.transpose().as_slice().to_vec();
    let (starts, indices, values) = (&starts[..], &indices[..], &values[..]);
    let jacobian = Jacobian::Sparse { shape: [rows, columns], starts, counts: None, indices, values };
    let set = system.set_jacobian([0, 1].into_iter(), [1, 3, 4].into_iter(), &jacobian);
    set.map_err(|error| error.to_string())
}

/// Values come again and again in the same places: where they go is known from the second time on.
#[test]
fn a_pattern_that_comes_again_makes_what_it_makes_anew() {
    let of_scale = |scale: f64| {
        DMatrix::from_fn(5, 5, |i, j| if i < 2 && j >= 2 { 0.0 } else { scale + (i * j) as f64 })
    };
    let anew = |j: &DMatrix<f64>, layout: Option<jacobian::Layout>| {
        let mut system = of_two_bodies();
        match layout {
            Some(layout) => jacobian::set(&mut system, (&[0, 1], &[1, 3, 4]), j, layout).unwrap(),
            None => set_whole(&mut system, j).unwrap(),
        }
        system.update(0.5).unwrap();
        bits_of(&system)
    };
    for layout in LAYOUTS.map(Some).into_iter().chain([None]) {
        let mut system = of_two_bodies();
        let set = |system: &mut System, j: &DMatrix<f64>| match layout {
            Some(layout) => {
                jacobian::set(system, (&[0, 1], &[1, 3, 4]), j, layout).map_err(|error| error.to_string())
            }
            None => set_whole(system, j),
        };
        for scale in [1.0, 2.0, 3.0, 4.0, 5.0] {
            set(&mut system, &of_scale(scale)).unwrap();
            system.update(0.5).unwrap();
            assert_eq!(bits_of(&system), anew(&of_scale(scale), layout), "{layout:?} {scale}");
        }
        // One that is refused in the middle changes nothing.
        let before = bits_of(&system);
        let mut wrong = of_scale(6.0);
        wrong[(3, 4)] = f64::NAN;
        assert!(
            set(&mut system, &wrong)
                .unwrap_err()
                .contains("constraint 4 between bodies 0 and 1: its operator H")
        );
        assert_eq!(bits_of(&system), before);
        set(&mut system, &of_scale(5.0)).unwrap();
        system.update(0.5).unwrap();
        assert_eq!(bits_of(&system), before);
        // An operator that is given otherwise, with other columns.
        let row = |value| vec![Operator::dense(1, 2, &[0.0, value]).unwrap()];
        system.set_operators(3, row(7.0)).unwrap();
        set(&mut system, &of_scale(8.0)).unwrap();
        system.update(0.5).unwrap();
        assert_eq!(bits_of(&system), anew(&of_scale(8.0), layout), "{layout:?}");
        // A constraint goes, and one comes. Others have the same Jacobian.
        system.remove_constraint(0).unwrap();
        set(&mut system, &of_scale(9.0)).unwrap();
        system.update(0.5).unwrap();
        set(&mut system, &of_scale(8.0)).unwrap();
        system.add_constraint_rows(&[0], row(1.0)).unwrap();
        set(&mut system, &of_scale(9.0)).unwrap();
        system.update(0.5).unwrap();
        let mut other = of_two_bodies();
        other.remove_constraint(0).unwrap();
        other.add_constraint_rows(&[0], row(1.0)).unwrap();
        match layout {
            Some(layout) => jacobian::set(&mut other, (&[0, 1], &[1, 3, 4]), &of_scale(9.0), layout).unwrap(),
            None => set_whole(&mut other, &of_scale(9.0)).unwrap(),
        }
        other.update(0.5).unwrap();
        assert_eq!(bits_of(&system), bits_of(&other), "{layout:?}");
    }
}

/// Zeros that are given may be other numbers the next time: of a column that an operator lacks, or in one of another body.
#[test]
fn given_zeros_do_not_stay_zero() {
    for is_lacking in [false, true] {
        let is_zero = |i: usize, j: usize| i < 2 && j >= 2 || is_lacking && j == 3;
        let mut j = DMatrix::from_fn(5, 5, |i, j| if is_zero(i, j) { 0.0 } else { (2 * i + j + 1) as f64 });
        let mut system = of_two_bodies();
        for _ in 0..4 {
            set_whole(&mut system, &j).unwrap();
        }
        j[(1, 4)] = 1.0;
        let what = "its rows of the Jacobian J are not zero in columns of other bodies than its own";
        assert!(set_whole(&mut system, &j).unwrap_err().contains(what));
        j[(1, 4)] = 0.0;
        j.column_mut(3).rows_mut(2, 3).fill(2.5);
        j[(0, 1)] = 3.0;
        set_whole(&mut system, &j).unwrap();
        system.update(0.5).unwrap();
        let mut anew = of_two_bodies();
        jacobian::set(&mut anew, (&[0, 1], &[1, 3, 4]), &j, LAYOUTS[0]).unwrap();
        anew.update(0.5).unwrap();
        assert_eq!(bits_of(&system), bits_of(&anew));
    }
}

/// Inertias that are set where one of the same size or pattern was, and others between.
#[test]
fn inertias_are_replaced_in_their_place() {
    use ldy::system::{Inertia, Kinematics};
    let matrix: [&[i32]; 2] = [&[0, 2, 3], &[0, 1, 1]];
    let diagonal: [&[i32]; 2] = [&[0, 1, 2], &[0, 1]];
    let whole: [&[i32]; 2] = [&[0, 2, 4], &[0, 1, 0, 1]];
    let of = |inertia: Inertia| {
        let mut system = System::new();
        let body = system.add_body(2, Kinematics::General, inertia).unwrap();
        system.add_dof_constraint(body, Some(0), 1.0).unwrap();
        system
            .add_constraint_rows(&[body], vec![Operator::dense(2, 2, &[1.0, 2.0, 3.0, 4.0]).unwrap()])
            .unwrap();
        system.update(0.5).unwrap();
        system
    };
    let mut system = of(Inertia::diagonal(&[1.0, 1.0]).unwrap());
    // A pattern or, of a dense inverse, none; values; and why they are refused.
    type Step<'a> = (Option<[&'a [i32]; 2]>, &'a [f64], Option<&'a str>);
    let steps: [Step; 15] = [
        (Some(matrix), &[4.0, 1.0, 3.0], None),
        (Some(matrix), &[5.0, 1.0, 3.0], None),
        (Some(matrix), &[5.0, f64::NAN, 3.0], Some("body 0: its matrix A: ")),
        (Some(diagonal), &[5.0, 3.0], None),
        (Some(matrix), &[5.0, 2.0], Some("body 0: its matrix A: ")),
        (Some(whole), &[5.0, 1.0, 1.0, 3.0], None),
        (Some(whole), &[5.0, 1.0, 2.0, 3.0], Some("body 0: the matrix A is not symmetric")),
        (Some(matrix), &[6.0, 1.0, 3.0], None),
        (None, &[2.0, 1.0, 1.0, 2.0], None),
        (None, &[3.0, 1.0, 1.0, 2.0], None),
        (None, &[3.0, 1.0, 1.5, 2.0], Some("body 0: the dense inverse is not symmetric")),
        (None, &[3.0, 1.0, 1.0, f64::INFINITY], Some("body 0: the dense inverse is not finite")),
        (None, &[3.0, 1.0, 1.0], Some("body 0: the dense inverse: 3 values where 4 are needed")),
        (Some(matrix), &[6.0, 2.0, 3.0], None),
        (None, &[3.0, -1.0, -1.0, 2.0], None),
    ];
    for (pattern, values, refused) in steps {
        let before = bits_of(&system);
        let (set, anew) = match pattern {
            Some([starts, rows]) => {
                (system.set_matrix(0, starts, rows, values), Inertia::matrix(starts, rows, values))
            }
            None => (system.set_dense(0, 2, values), Inertia::dense(2, values)),
        };
        match refused {
            Some(text) => {
                assert!(set.unwrap_err().to_string().starts_with(text) && anew.is_err(), "{values:?}");
                assert_eq!(bits_of(&system), before);
            }
            None => {
                set.unwrap();
                system.update(0.5).unwrap();
                assert_eq!(bits_of(&system), bits_of(&of(anew.unwrap())), "{values:?}");
            }
        }
    }
}
