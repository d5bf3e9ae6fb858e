//! The order of sweeps against its definition.

use crate::solve::coloring::{CHUNK, ColorOrder, MANY};
use testing::Random;

/// An upper triangular pattern with blocks up to `reach` columns right of the diagonal.
fn band(rows: usize, reach: usize, random: &mut Random) -> (Vec<i32>, Vec<i32>) {
    let (mut starts, mut columns) = (vec![0], Vec::new());
    for row in 0..rows {
        for column in row..(row + reach + 1).min(rows) {
            if column == row || random.signed() > 0.9 {
                columns.push(column as i32);
            }
        }
        starts.push(columns.len() as i32);
    }
    (starts, columns)
}

/// Rows and independence of the nonempty groups. Each row occurs once, and independent chunks have no block in common.
fn groups(starts: &[i32], columns: &[i32]) -> Vec<(Vec<u32>, bool)> {
    let mut order = ColorOrder::default();
    order.find(starts, columns).unwrap();
    let groups: Vec<_> = order.groups().map(|group| (group.rows.to_vec(), group.are_independent)).collect();
    let mut all: Vec<u32> = groups.iter().flat_map(|group| group.0.clone()).collect();
    all.sort_unstable();
    assert!(all.iter().enumerate().all(|(k, &row)| k == row as usize) && all.len() == starts.len() - 1);
    for (rows, are_independent) in &groups {
        let mut chunk_of = vec![usize::MAX; all.len()];
        for (number, chunk) in rows.chunks(CHUNK).enumerate() {
            chunk.iter().for_each(|&row| chunk_of[row as usize] = number);
        }
        for &row in rows.iter().filter(|_| *are_independent) {
            for &column in &columns[starts[row as usize] as usize..starts[row as usize + 1] as usize] {
                let other = chunk_of[column as usize];
                assert!(other == usize::MAX || other == chunk_of[row as usize], "{row} {column}");
            }
        }
    }
    groups.into_iter().filter(|group| !group.0.is_empty()).collect()
}

#[test]
fn chunks_of_a_color_have_no_block_in_common() {
    let mut random = Random::new(8);
    for (rows, reach) in [(MANY, 40), (MANY + 77, 150), (3 * MANY + 1, 300)] {
        let (starts, columns) = band(rows, reach, &mut random);
        let groups = groups(&starts, &columns);
        assert!(groups.len() > 1 && groups.iter().all(|group| group.1), "{rows} {reach}");
    }
}

#[test]
fn few_rows_and_those_that_are_all_neighbours_keep_the_order_of_memory() {
    let mut random = Random::new(9);
    for (rows, reach) in [(0, 1), (1, 1), (MANY - 1, 10), (MANY, MANY / 2)] {
        let (starts, columns) = band(rows, reach, &mut random);
        let groups = groups(&starts, &columns);
        assert!(
            groups.len() <= 1 && groups.iter().all(|(rows, free)| rows.is_sorted() && !free),
            "{rows} {reach}"
        );
    }
}
