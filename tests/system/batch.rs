//! Batches with a slice for each system have the bits of vectors that follow each other.

use ldy::solve::{Law, LawChange, Options};
use ldy::system::{Batch, ByResults, System};
use testing::UNIT;

/// Balls on a floor, with a number of contacts that depends on k.
fn system(k: usize) -> System {
    let mut system = System::new();
    for level in 0..1 + k % 3 {
        let ball = system.add_rigid(1.0 + k as f64, &UNIT, &UNIT, &[0.0, 0.1, level as f64]).unwrap();
        system.set_velocity(ball, &[0.0, 0.0, 0.0, 0.3, 0.1 * k as f64, -1.0]).unwrap();
        let contact = system.add_point_constraint([Some(ball), None], &UNIT, [[0.0; 3]; 2]).unwrap();
        system.set_law(contact, Some(Law::contact(0.4).into())).unwrap();
    }
    system
}

/// A slice for each system, cut out of rows that are longer.
fn cut<'a, T>(rows: &'a mut [Vec<T>], counts: &[usize]) -> Vec<&'a mut [T]> {
    rows.iter_mut().zip(counts).map(|(row, &count)| &mut row[1..1 + count]).collect()
}

#[test]
fn slices_of_systems_have_the_bits_of_vectors_that_follow_each_other() {
    let mut systems: Vec<System> = (0..7).map(system).collect();
    let mut batch = Batch::default();
    batch.update(&mut systems.iter_mut().collect::<Vec<_>>(), 0.1).unwrap();
    let all: Vec<&System> = systems.iter().collect();
    let rows: Vec<usize> = all.iter().map(|system| system.row_count()).collect();
    let counts: Vec<usize> = rows.iter().map(|rows| 3 * rows).collect();
    let starts = testing::blocks::firsts(counts.iter().copied());
    let (scalars, options) = (starts[7], Options::default());
    let (mut forces, mut by_b, mut products) = (vec![0.0; scalars], vec![0.0; scalars], vec![0.0; scalars]);
    let mut by_laws = vec![LawChange::default(); scalars / 3];
    batch.solve(&all, &options, &mut forces, &starts, |_, _| ()).unwrap();
    let by: Vec<f64> = (0..scalars).map(|k| (k as f64).sin()).collect();
    let given = ByResults { forces: &forces, by_forces: &by, by_velocities: &by };
    batch.adjoint(&all, given, &mut by_b, Some(&mut by_laws), &starts, |_, _, _| ()).unwrap();
    batch.multiply(&all, &forces, &mut products, &starts).unwrap();

    let part = |values: &[f64], place: usize| values[starts[place]..starts[place + 1]].to_vec();
    let mut wide = vec![vec![0.0; 12]; 7];
    let mut places = Vec::new();
    batch.solve_each(&all, &options, &mut cut(&mut wide, &counts), |place, _| places.push(place)).unwrap();
    assert_eq!(places, [0, 1, 2, 3, 4, 5, 6]);
    let found = wide.clone();
    let own = |place: usize| &found[place][1..1 + counts[place]];
    assert!((0..7).all(|place| own(place) == part(&forces, place)));
    let by = |place: usize| {
        let by = &by[starts[place]..starts[place + 1]];
        ByResults { forces: own(place), by_forces: by, by_velocities: by }
    };
    let mut wide_laws = vec![vec![LawChange::default(); 5]; 7];
    for is_wanted in [true, false] {
        let mut laws = cut(&mut wide_laws, &rows);
        let laws = is_wanted.then_some(&mut laws[..]);
        batch.adjoint_each(&all, by, &mut cut(&mut wide, &counts), laws, |_, _, _| ()).unwrap();
        assert!((0..7).all(|place| wide[place][1..1 + counts[place]] == part(&by_b, place)));
    }
    let laws = wide_laws.iter().zip(&rows).flat_map(|(laws, rows)| &laws[1..1 + rows]);
    assert!(laws.eq(&by_laws));
    batch.multiply_each(&all, own, &mut cut(&mut wide, &counts)).unwrap();
    assert!((0..7).all(|place| wide[place][1..1 + counts[place]] == part(&products, place)));
    // Values beside the slices stay.
    assert!(
        wide.iter()
            .zip(&counts)
            .all(|(row, count)| row[0] == 0.0 && row[1 + count..].iter().all(|x| *x == 0.0))
    );

    let mut few = cut(&mut wide, &counts[..6]);
    let text = batch.solve_each(&all, &options, &mut few, |_, _| ()).unwrap_err().to_string();
    assert!(text.contains("slices of vectors: 6 values where 7 are needed"), "{text}");
    assert!(batch.multiply_each(&all, own, &mut few).is_err());
    assert!(batch.adjoint_each(&all, by, &mut few, None, |_, _, _| ()).is_err());
    let mut short = cut(&mut wide, &[3, 6, 8, 3, 6, 9, 3]);
    let text = batch.solve_each(&all, &options, &mut short, |_, _| ()).unwrap_err().to_string();
    assert!(text.contains("entry 2: ") && text.contains("8 values where 9 are needed"), "{text}");
}
