//! Threads of particles against the closed form: a link of tension λ and length l is K = λ/l (I − n nᵀ).

use super::*;

proptest! {
    #[test]
    fn blocks_of_a_thread_are_the_closed_form(
        places in prop::collection::vec(vector(), 5), tensions in prop::collection::vec(0.1..2.0_f64, 4),
    ) {
        let link = |k: usize| {
            let d = Vector3::from(places[k + 1]) - Vector3::from(places[k]);
            let n = d.normalize();
            (Matrix3::identity() - n * n.transpose()) * (tensions[k] / d.norm())
        };
        prop_assume!(places.windows(2).all(|two| (Vector3::from(two[1]) - Vector3::from(two[0])).norm() > 0.1));
        let (bodies, links) = thread(&places, &tensions);
        let blocks = StiffnessBlocks::assemble(&Stiffness::new(&bodies, &links).unwrap()).unwrap();
        prop_assert_eq!(&blocks.rows, &[0, 2, 5, 8, 10]);
        prop_assert_eq!(&blocks.columns, &[0, 1, 0, 1, 2, 1, 2, 3, 2, 3]);
        for i in 0..4 {
            for block in blocks.rows[i]..blocks.rows[i + 1] {
                let j = blocks.columns[block];
                let expected = match j {
                    _ if j == i => link(i) + if i < 3 { link(i + 1) } else { Matrix3::zeros() },
                    _ => -link(i.max(j)),
                };
                let found = Matrix3::from_column_slice(&blocks.values[blocks.starts[block]..][..9]);
                prop_assert!((found - expected).amax() < 1e-12);
            }
        }
    }
}

/// A pendulum: ω² = λ / (m l), which is g / l.
#[test]
fn a_pendulum_has_its_frequency() {
    let (mass, length, gravity) = (2.0, 0.5, 9.81);
    let (bodies, links) = thread(&[[0.0; 3], [0.0, 0.0, -length]], &[mass * gravity]);
    let stiffness = Stiffness::new(&bodies, &links).unwrap();
    let inverse = |f: &[f64], x: &mut [f64]| x.iter_mut().zip(f).for_each(|(x, f)| *x = f / mass);
    let critical = critical_step(&stiffness, inverse).unwrap();
    assert!((critical.frequency_squared - gravity / length).abs() < 1e-12);
    assert!((critical.step - 2.0 / (gravity / length).sqrt()).abs() < 1e-12);
    assert_eq!((critical.constraint, critical.share), (Some(0), 1.0));
}

/// Equal particles, equal links, tension T: a string of beads with one end fixed, the other free to move across,
/// ω² = 4 T / (m l) sin² ((2n − 1) π / (2 (2n + 1))) for n beads.
#[test]
fn a_string_of_beads_has_its_highest_frequency() {
    for n in [1, 2, 7, 60] {
        let places: Vec<Vector> = (0..=n).map(|k| [0.25 * k as f64, 0.0, 0.0]).collect();
        let (bodies, links) = thread(&places, &vec![3.0; n]);
        let stiffness = Stiffness::new(&bodies, &links).unwrap();
        let critical = critical_step(&stiffness, |f, x| x.copy_from_slice(f)).unwrap();
        let phase = (2 * n - 1) as f64 * std::f64::consts::FRAC_PI_2 / (2 * n + 1) as f64;
        let expected = 4.0 * 3.0 / 0.25 * phase.sin().powi(2);
        assert!((critical.frequency_squared / expected - 1.0).abs() < 1e-9, "{n} beads");
    }
}

/// If all links have the same tension, the shortest is the stiffest.
#[test]
fn the_stiffest_link_is_named() {
    let places = [[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.1, 0.0, 0.0], [3.0, 0.0, 0.0]];
    let (bodies, links) = thread(&places, &[1.0; 4]);
    let critical =
        critical_step(&Stiffness::new(&bodies, &links).unwrap(), |f, x| x.copy_from_slice(f)).unwrap();
    assert_eq!(critical.constraint, Some(2));
    assert!(critical.share > 0.8 && critical.share < 1.0);
}

/// A thread under compression, and one without force, limit no step.
#[test]
fn pressure_bounds_no_step() {
    for force in [-1.0, 0.0] {
        let (bodies, links) = thread(&[[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], &[force; 2]);
        let critical =
            critical_step(&Stiffness::new(&bodies, &links).unwrap(), |f, x| x.copy_from_slice(f)).unwrap();
        assert_eq!((critical.frequency_squared, critical.step), (0.0, f64::INFINITY));
        assert_eq!(critical.constraint, None);
    }
}
