//! The start, growth, reduction and end of momentum.

use crate::solve::acceleration::Momentum;

/// Return the share after eight sweeps with each of these changes.
fn shares(momentum: &mut Momentum, changes: &[f64]) -> Vec<f64> {
    let share = |&change: &f64| {
        (0..8).for_each(|_| momentum.after(change));
        momentum.share()
    };
    changes.iter().map(share).collect()
}

fn are_near(found: &[f64], expected: &[f64]) -> bool {
    found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12)
}

#[test]
fn it_begins_where_a_rate_is_slow_and_steady() {
    let mut momentum = Momentum::default();
    for (sweeps, rate) in [(15, 0.95), (16, 0.8), (16, 1.0), (16, f64::NAN), (40, 1.2)] {
        assert!(!momentum.begins(sweeps, rate) && momentum.share() == 0.0, "{sweeps} {rate}");
    }
    // The root of 1 - 0.91 is 0.3.
    assert!(momentum.begins(16, 0.91) && are_near(&[momentum.share()], &[0.7 / 1.3]));
    assert!(!momentum.begins(17, 0.95) && are_near(&[momentum.share()], &[0.7 / 1.3]));
    momentum.end();
    assert!(!momentum.begins(99, 0.95) && momentum.share() == 0.0);
}

/// Changes with the rate 0.98 without momentum have a rate r with r² = 0.98 ((1 + β) r − β) with the share β.
#[test]
fn it_finds_the_share_that_makes_most_of_a_rate() {
    let mut momentum = Momentum::default();
    assert!(momentum.begins(16, 0.91));
    let (beta, rate) = (momentum.share(), 0.98);
    let half = 0.5 * rate * (1.0 + beta);
    let with_momentum = half + (half * half - rate * beta).sqrt();
    for sweep in 0..16 {
        momentum.after(with_momentum.powi(2 * sweep));
        assert!(sweep == 15 || momentum.share() == beta);
    }
    // The root of 1 - 0.98.
    let root = f64::sqrt(0.02);
    assert!(are_near(&[momentum.share()], &[(1.0 - root) / (1.0 + root)]), "{}", momentum.share());
}

#[test]
fn it_lessens_where_changes_grow_and_so_ends() {
    let mut momentum = Momentum::default();
    assert!(momentum.begins(16, 0.999));
    assert_eq!(shares(&mut momentum, &[1.0, 0.5, 1.5, 1.5]), [0.9; 4]);
    let grown = shares(&mut momentum, &[10.0, 9.0, 99.0, f64::INFINITY, f64::NAN]);
    assert!(are_near(&grown, &[0.8, 0.8, 0.6, 0.2, 0.0]), "{grown:?}");
    assert!(!momentum.begins(200, 0.95));
}

#[test]
fn changes_before_a_new_start_do_not_count() {
    let mut momentum = Momentum::default();
    assert!(momentum.begins(16, 0.999));
    shares(&mut momentum, &[1.0]);
    momentum.restart();
    assert_eq!(shares(&mut momentum, &[99.0, 50.0]), [0.9; 2]);
}
