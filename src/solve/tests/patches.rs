//! Large heaps in which a few rows hold the residual.

use crate::math::{Block, UNIT, Vector};
use crate::rows::BlockRows;
use crate::solve::{Law, Normal, Options, Problem, Solver, Status};

/// The edge of a cube of rows, each of which is connected with the 26 around it.
const EDGE: usize = 14;
const COUNT: usize = EDGE * EDGE * EDGE;

/// Two rows that are nearly the same, and hardly connected with others: sweeps take 100,000 and more.
const PAIR: [usize; 2] = [COUNT / 2, COUNT / 2 + 1];

/// The multiple of the unit matrix that W has in a row and a column.
fn entry(row: usize, column: usize) -> f64 {
    let place = |row: usize| [row % EDGE, row / EDGE % EDGE, row / EDGE / EDGE];
    let are_near = place(row).into_iter().zip(place(column)).all(|(a, b)| a.abs_diff(b) <= 1);
    let in_pair = [row, column].map(|row| PAIR.contains(&row));
    match (are_near, in_pair) {
        (false, _) => 0.0,
        _ if row == column => 30.0,
        (_, [true, true]) => -29.9999,
        (_, [false, false]) => -1.0,
        _ => -1e-3,
    }
}

#[test]
fn sweeps_over_a_large_heap_end_although_two_of_its_rows_are_slow() {
    let (mut starts, mut columns, mut values): (_, Vec<i32>, Vec<Block>) = (vec![0], vec![], vec![]);
    for row in 0..COUNT {
        let far = 1 + EDGE + EDGE * EDGE;
        for column in row.saturating_sub(far)..COUNT.min(row + far + 1) {
            let factor = entry(row, column);
            if factor != 0.0 {
                columns.push(column as i32);
                values.push(UNIT.map(|x| factor * x));
            }
        }
        starts.push(columns.len() as i32);
    }
    let b: Vec<Vector> = vec![[0.1, 0.0, -1.0]; COUNT];
    let w = BlockRows::new(&starts, &columns, values.as_flattened(), None).unwrap();
    let problem = Problem { w, b: b.as_flattened(), normal: Normal::Third };
    let laws = vec![Law::contact(0.5); COUNT];
    let mut forces = vec![0.0; 3 * COUNT];
    let options = Options { tolerance: 1e-6, ..Options::default() };
    let report = Solver::new().solve(&problem, &laws, &options, &mut forces).unwrap();
    assert_eq!(report.status, Status::Converged);
    assert!(report.sweeps < 1000, "{}", report.sweeps);
    // Both forces are about 1 / (30 − 29.9999): the rows around them add little.
    let [first, second] = PAIR.map(|row| forces[3 * row + 2]);
    assert!((first - 1e4).abs() < 200.0 && (first - second).abs() < 1.0, "{first} {second}");
}
