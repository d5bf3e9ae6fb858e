//! The projection of K̃ to the directions that constraints leave free.

use super::*;

/// J of a thread: one row for each link.
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

/// ‖K̃ − Lᵀ K L‖ / ‖K̃‖ (Frobenius) with K = L K̃ Lᵀ: Lᵀ L is P, the projection to the directions that constraints leave free.
fn deviation(places: &[Vector]) -> f64 {
    let (bodies, links) = thread(places, &vec![1.0; places.len() - 1]);
    let full = dense(&Stiffness::new(&bodies, &links).unwrap());
    let j = jacobian(places);
    let n = j.ncols();
    let p = DMatrix::identity(n, n)
        - j.transpose() * (&j * j.transpose()).try_inverse().expect("independent links") * &j;
    (&full - &p * &full * &p).norm() / full.norm()
}

#[test]
fn straight_threads_are_their_projection() {
    for links in 1..6 {
        assert!(deviation(&arc(links, 0.0)) < 1e-14);
    }
    assert!(deviation(&[[0.3, 0.1, 0.2], [-0.4, 0.7, 1.1]]) < 1e-14, "one link of any direction");
}

/// K̃ = Lᵀ K L does not hold for bent threads. `docs/how-to/stability.md` has this table.
#[test]
fn bent_threads_are_not_their_projection() {
    let docs =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/how-to/stability.md")).unwrap();
    let mut lacking = Vec::new();
    for degrees in [5, 10, 20, 45, 90] {
        let off = [2, 5, 20].map(|links| 100.0 * deviation(&arc(links, f64::from(degrees).to_radians())));
        let row = format!("| {degrees}° | {:.1} % | {:.1} % | {:.1} % |", off[0], off[1], off[2]);
        println!("{row}");
        if !docs.contains(&row) {
            lacking.push(row);
        }
    }
    assert!(lacking.is_empty(), "docs/how-to/stability.md lacks\n{}", lacking.join("\n"));
}
