//! L, and the projection of K̃ to the directions that constraints leave free.

use super::*;

/// J of a thread: a row a link.
fn jacobian(places: &[Vector]) -> DMatrix<f64> {
    let n = places.len() - 1;
    let mut j = DMatrix::zeros(n, 3 * n);
    for k in 0..n {
        let d = (Vector3::from(places[k + 1]) - Vector3::from(places[k])).normalize();
        j.view_mut((k, 3 * k), (1, 3)).copy_from(&d.transpose());
        if k > 0 {
            j.view_mut((k, 3 * k - 3), (1, 3)).copy_from(&-d.transpose());
        }
    }
    j
}

fn basis(j: &DMatrix<f64>) -> DMatrix<f64> {
    let values = transversal_basis(j.as_slice(), j.nrows(), j.ncols()).unwrap();
    DMatrix::from_column_slice(values.len() / j.ncols(), j.ncols(), &values)
}

/// A thread whose direction turns by `bend` from link to link.
fn arc(links: usize, bend: f64) -> Vec<Vector> {
    let mut places = vec![[0.0; 3]];
    for k in 0..links {
        let (s, c) = (bend * k as f64).sin_cos();
        let [x, y, z] = places[k];
        places.push([x + c, y + s, z]);
    }
    places
}

/// ‖K̃ − Lᵀ K L‖ / ‖K̃‖ (Frobenius) with K = L K̃ Lᵀ, after the identities that hold for every thread.
fn deviation(places: &[Vector]) -> f64 {
    let (bodies, links) = thread(places, &vec![1.0; places.len() - 1]);
    let full = dense(&Stiffness::new(&bodies, &links).unwrap());
    let j = jacobian(places);
    let l = basis(&j);
    let n = l.ncols();
    assert_eq!(l.nrows(), n - j.nrows());
    assert!((&l * l.transpose() - DMatrix::identity(l.nrows(), l.nrows())).amax() < 1e-14);
    assert!((&l * j.transpose()).amax() < 1e-14);
    // P from J alone.
    let p = DMatrix::identity(n, n)
        - j.transpose() * (&j * j.transpose()).try_inverse().expect("independent links") * &j;
    assert!((l.transpose() * &l - &p).amax() < 1e-13);
    let projected = l.transpose() * (&l * &full * l.transpose()) * &l;
    assert!((&projected - &p * &full * &p).amax() < 1e-13);
    (full.clone() - projected).norm() / full.norm()
}

#[test]
fn straight_threads_are_their_projection() {
    for links in 1..6 {
        assert!(deviation(&arc(links, 0.0)) < 1e-14);
    }
    assert!(deviation(&[[0.3, 0.1, 0.2], [-0.4, 0.7, 1.1]]) < 1e-14, "one link of any direction");
}

/// The page takes K̃ = Lᵀ K L for granted; of bent threads it is not so. `docs/stability.md` has this table.
#[test]
fn bent_threads_are_not_their_projection() {
    let docs = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/stability.md")).unwrap();
    let mut lacking = Vec::new();
    for degrees in [5, 10, 20, 45, 90] {
        let off = [2, 5, 20].map(|links| 100.0 * deviation(&arc(links, f64::from(degrees).to_radians())));
        let row = format!("| {degrees}° | {:.1} % | {:.1} % | {:.1} % |", off[0], off[1], off[2]);
        println!("{row}");
        if !docs.contains(&row) {
            lacking.push(row);
        }
    }
    assert!(lacking.is_empty(), "docs/stability.md lacks\n{}", lacking.join("\n"));
}

proptest! {
    /// J of any shape, rank and scale; P from vectors that span its rows.
    #[test]
    fn bases_agree_with_those_of_the_rows(
        shape in (1..9_usize, 1..9_usize, 0..9_usize), scale in -300..300_i32,
        entries in prop::collection::vec(-1.0..1.0_f64, 128),
    ) {
        let (m, n, rank) = (shape.0, shape.1, shape.2.min(shape.0).min(shape.1));
        let left = DMatrix::from_column_slice(m, rank, &entries[..m * rank]);
        let right = DMatrix::from_column_slice(rank, n, &entries[64..][..rank * n]);
        let j = left * &right * f64::powi(2.0, scale);
        let values = j.singular_values();
        prop_assume!(values.iter().take(rank).all(|value| *value > 1e-3 * values.max()));
        // Singular vectors would do, but those that nalgebra finds are wrong now and then.
        let rows = right.transpose().qr().q().transpose();
        let l = basis(&j);
        prop_assert_eq!(l.nrows(), n - rank);
        prop_assert!((&l * l.transpose() - DMatrix::identity(n - rank, n - rank)).amax() < 1e-13);
        let p = DMatrix::identity(n, n) - rows.transpose() * rows;
        prop_assert!((l.transpose() * &l - p).amax() < 1e-11);
    }
}

#[test]
fn dependent_rows_count_once() {
    let j = DMatrix::from_row_slice(3, 4, &[1.0, 0.0, 2.0, 0.0, 2.0, 0.0, 4.0, 0.0, 0.0, 1.0, 0.0, 1.0]);
    let l = basis(&j);
    assert_eq!(l.shape(), (2, 4));
    assert!((&l * j.transpose()).amax() < 1e-14);
    for scale in [1e-200, 1e200] {
        assert!((basis(&(&j * scale)) - &l).amax() < 1e-14, "squares of the entries are no numbers");
    }
    assert_eq!(basis(&DMatrix::zeros(0, 3)).shape(), (3, 3));
    assert_eq!(basis(&DMatrix::zeros(2, 3)).shape(), (3, 3));
    assert_eq!(basis(&DMatrix::identity(3, 3)).nrows(), 0);
    assert_eq!(transversal_basis(&[f64::NAN], 1, 1).unwrap_err(), Error::NotFinite);
}
