use nalgebra::{DMatrix, Matrix3};
use proptest::prelude::*;
use testing::matrices::inverse_of;

use super::matrices::{Columns, matrix, random_matrix};
use crate::inertia::{Defect, FactorError, Factored, NodalInverse, Structure, Workspace};

/// (A⁻¹)_ab, if both nodes are kept.
fn block(entries: &NodalInverse, a: u32, b: u32) -> Option<[f64; 9]> {
    Some(entries.slot_block(entries.slot(a)?, entries.slot(b)?))
}

/// All blocks between the nodes against the dense inverse; symmetric to the bit where the matrix is.
fn check(entries: &NodalInverse, nodes: &[u32], structure: Structure, inverse: &DMatrix<f64>) {
    for &a in nodes {
        for &b in nodes {
            let got = Matrix3::from_column_slice(&block(entries, a, b).unwrap());
            let expected = inverse.fixed_view::<3, 3>(3 * a as usize, 3 * b as usize);
            assert!((got - expected).amax() < 1e-14, "{a} {b}");
            if structure == Structure::PositiveDefinite {
                let mirrored = Matrix3::from_column_slice(&block(entries, b, a).unwrap());
                assert_eq!(got, mirrored.transpose());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(testing::cases(50)))]

    #[test]
    fn a_growing_set_of_nodes_keeps_its_entries(
        (structure, full) in matrix(3), requests in prop::collection::vec(prop::collection::hash_set(0..40_u32, 0..40), 1..5),
    ) {
        let (mut factor, mut work) = (Factored::default(), Workspace::default());
        Columns::of(structure, &full).factor(&mut factor, &mut work).unwrap();
        let inverse = inverse_of(&full);
        let mut entries = NodalInverse::default();
        for request in requests {
            let mut nodes: Vec<u32> = request.into_iter().map(|node| node % (full.nrows() as u32 / 3)).collect();
            nodes.sort_unstable();
            nodes.dedup();
            let before = entries.nodes.to_vec();
            let made = entries.update(&factor, &nodes, &mut work).unwrap();
            if entries.nodes.starts_with(&before) {
                prop_assert_eq!(made, nodes.iter().filter(|node| !before.contains(node)).count());
            } else {
                prop_assert_eq!((made, &entries.nodes[..]), (nodes.len(), &nodes[..]));
            }
            prop_assert_eq!(entries.update(&factor, &nodes, &mut work), Ok(0));
            check(&entries, &nodes, structure, &inverse);
            for (slot, &node) in entries.nodes.iter().enumerate() {
                prop_assert_eq!(entries.slot(node), Some(slot));
            }
        }
    }

    /// A block has the same bits regardless of the nodes that are needed at the same time or were needed before.
    #[test]
    fn entries_do_not_see_each_other(
        (structure, full) in matrix(3), requests in prop::collection::vec(prop::collection::vec(0..25_u32, 1..25), 1..5),
    ) {
        let (mut factor, mut work) = (Factored::default(), Workspace::default());
        Columns::of(structure, &full).factor(&mut factor, &mut work).unwrap();
        let mut entries = NodalInverse::default();
        for request in requests {
            let mut nodes = Vec::new();
            for node in request.into_iter().map(|node| node % (full.nrows() as u32 / 3)) {
                if !nodes.contains(&node) {
                    nodes.push(node);
                }
            }
            entries.update(&factor, &nodes, &mut work).unwrap();
            for (k, &a) in nodes.iter().enumerate() {
                for &b in &nodes[..=k] {
                    let mut alone = NodalInverse::default();
                    let pair = [a, b];
                    alone.update(&factor, &pair[usize::from(a == b)..], &mut work).unwrap();
                    let bits = |entries, a, b| block(entries, a, b).unwrap().map(f64::to_bits);
                    prop_assert_eq!(bits(&entries, a, b), bits(&alone, a, b));
                    prop_assert_eq!(bits(&entries, b, a), bits(&alone, b, a));
                }
            }
        }
    }

    #[test]
    fn a_response_is_the_sum_over_the_nodes((structure, full) in matrix(3), weights in prop::array::uniform4(-1.0..1.0_f64)) {
        let (mut factor, mut work) = (Factored::default(), Workspace::default());
        Columns::of(structure, &full).factor(&mut factor, &mut work).unwrap();
        let inverse = inverse_of(&full);
        let mut entries = NodalInverse::default();
        let nodes: Vec<u32> = (0..(full.nrows() as u32 / 3).min(6)).rev().collect();
        entries.update(&factor, &nodes, &mut work).unwrap();
        let point = &nodes[..nodes.len().min(4)];
        let mut response = [[f64::NAN; 9]; 7];
        let slots: Vec<u32> = point.iter().map(|&node| entries.slot(node).unwrap() as u32).collect();
        entries.respond(&slots, &weights, &mut response);
        for &a in &nodes {
            let expected: Matrix3<f64> = point.iter().zip(weights).map(|(&b, weight)| {
                inverse.fixed_view::<3, 3>(3 * a as usize, 3 * b as usize) * weight
            }).sum();
            let got = Matrix3::from_column_slice(&response[entries.slot(a).unwrap()]);
            prop_assert!((got - expected).amax() < 1e-14);
        }
        prop_assert!(response[nodes.len()].iter().all(|x| x.is_nan()));
    }
}

#[test]
fn a_changed_matrix_is_noticed() {
    for structure in [Structure::PositiveDefinite, Structure::General] {
        let (mut factor, mut work) = (Factored::default(), Workspace::default());
        let mut entries = NodalInverse::default();
        let nodes = [4, 0, 7];
        for seed in 0..3 {
            // The last one has another size.
            let full = random_matrix(structure, if seed == 2 { 30 } else { 27 }, 4, seed);
            Columns::of(structure, &full).factor(&mut factor, &mut work).unwrap();
            // Entries of the previous matrix are not used.
            assert_eq!(entries.update(&factor, &nodes, &mut work), Ok(3));
            check(&entries, &nodes, structure, &inverse_of(&full));
            assert_eq!(block(&entries, 1, 0), None);
            assert_eq!(block(&entries, 0, 99), None);
        }
    }
}

#[test]
fn nodes_out_of_use_are_dropped_when_there_are_many() {
    let (mut factor, mut work) = (Factored::default(), Workspace::default());
    let full = random_matrix(Structure::PositiveDefinite, 3 * 155, 2, 6);
    Columns::of(Structure::PositiveDefinite, &full).factor(&mut factor, &mut work).unwrap();
    let mut entries = NodalInverse::default();
    let many: Vec<u32> = (0..150).collect();
    assert_eq!(entries.update(&factor, &many, &mut work), Ok(150));
    // Few of those in use need nothing new, so nothing is dropped.
    assert_eq!(entries.update(&factor, &[3, 5], &mut work), Ok(0));
    assert_eq!(entries.nodes.len(), 150);
    // A new node among few in use has all entries computed again.
    assert_eq!(entries.update(&factor, &[3, 5, 152], &mut work), Ok(3));
    assert_eq!(entries.nodes.len(), 3);
    assert!([3, 5, 152].iter().all(|&node| entries.slot(node).is_some()));
    assert!(entries.bytes() >= 72 * 150 * 151 / 2);
    check(&entries, &[152, 3, 5], Structure::PositiveDefinite, &inverse_of(&full));
}

/// Columns of nodes that are not in use are not solved for.
#[test]
fn blocks_are_computed_when_they_are_needed() {
    for structure in [Structure::PositiveDefinite, Structure::General] {
        let (mut factor, mut work) = (Factored::default(), Workspace::default());
        let full = random_matrix(structure, 3 * 60, 2, 6);
        Columns::of(structure, &full).factor(&mut factor, &mut work).unwrap();
        let inverse = inverse_of(&full);
        let mut entries = NodalInverse::default();
        // Blocks (row, column) that are not known, without symmetry.
        for (needed, made, unknown) in [
            (&[7, 30, 2][..], 3, &[][..]),
            (&[30, 50], 1, &[(50, 7), (50, 2)]),
            (&[2, 11], 1, &[(50, 7), (11, 7), (11, 30), (11, 50)]),
            (&[50, 7, 30], 0, &[(11, 30), (11, 50)]),
            (&[2, 7, 30], 0, &[(11, 30), (11, 50)]),
            (&[11, 50, 30], 0, &[]),
        ] {
            assert_eq!(entries.update(&factor, needed, &mut work), Ok(made));
            check(&entries, needed, structure, &inverse);
            let nodes = &entries.nodes;
            let pairs = nodes.iter().flat_map(|&a| nodes.iter().map(move |&b| (a, b)));
            let is_unknown = |(a, b)| block(&entries, a, b).unwrap().iter().any(|x| x.is_nan());
            if structure == Structure::General {
                assert!(pairs.clone().all(|pair| is_unknown(pair) == unknown.contains(&pair)), "{needed:?}");
            }
        }
    }
}

/// Spare nodes are kept only as far as there is memory for them.
#[test]
fn entries_stay_below_the_most_bytes() {
    for structure in [Structure::PositiveDefinite, Structure::General] {
        let (mut factor, mut work) = (Factored::default(), Workspace::default());
        let full = random_matrix(structure, 3 * 60, 2, 6);
        let inverse = inverse_of(&full);
        Columns::of(structure, &full).factor(&mut factor, &mut work).unwrap();
        let most = NodalInverse::bytes_of(20, structure == Structure::PositiveDefinite);
        let mut entries = NodalInverse::with_most_bytes(most);
        let indices = 4 * (60 + 3 * 64) + 64;
        for (first, count, kept) in
            [(0, 12, 12), (8, 10, 18), (12, 8, 20), (19, 5, 5), (40, 20, 20), (0, 1, 1)]
        {
            let needed: Vec<u32> = (first..first + count).collect();
            entries.update(&factor, &needed, &mut work).unwrap();
            assert_eq!(entries.nodes.len(), kept, "{first}");
            assert!(entries.bytes() <= most + indices, "{} > {most}", entries.bytes());
            check(&entries, &needed, structure, &inverse);
        }
    }
}

#[test]
fn wrong_nodes_and_sizes_are_refused() {
    let (mut factor, mut work) = (Factored::default(), Workspace::default());
    let mut entries = NodalInverse::default();
    assert_eq!(entries.update(&factor, &[], &mut work), Ok(0));
    assert_eq!(entries.update(&factor, &[0], &mut work), Err(FactorError::Matrix(Defect::Size)));
    let full = random_matrix(Structure::General, 9, 2, 6);
    Columns::of(Structure::General, &full).factor(&mut factor, &mut work).unwrap();
    assert_eq!(entries.update(&factor, &[0, 2], &mut work), Ok(2));
    assert_eq!(entries.update(&factor, &[0, 3], &mut work), Err(FactorError::Matrix(Defect::Size)));
    assert_eq!(entries.nodes, [0_u32; 0]);
    assert_eq!(entries.update(&factor, &[0, 2], &mut work), Ok(2));
    let full = random_matrix(Structure::General, 10, 2, 6);
    Columns::of(Structure::General, &full).factor(&mut factor, &mut work).unwrap();
    assert_eq!(entries.update(&factor, &[0], &mut work), Err(FactorError::Matrix(Defect::Size)));
    factor.update(Structure::General, &[0, 0], &[], &[], &mut work).unwrap_err();
    assert!(entries.update(&factor, &[0], &mut work).is_err());
}
