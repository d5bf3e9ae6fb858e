//! When momentum begins, lessens and ends.

use crate::solve::momentum::Momentum;

/// The share after sixteen sweeps for each of these changes.
fn shares(momentum: &mut Momentum, changes: &[f64]) -> Vec<f64> {
    let share = |&change: &f64| {
        (0..16).for_each(|_| momentum.after(change));
        (momentum.share() * 1e6).round() / 1e6
    };
    changes.iter().map(share).collect()
}

#[test]
fn it_begins_once_where_a_rate_is_slow_and_steady() {
    let mut momentum = Momentum::default();
    for (sweeps, rate) in [(15, 0.95), (16, 0.8), (16, 1.0), (16, f64::NAN), (40, 1.2)] {
        assert!(!momentum.begins(sweeps, rate) && momentum.share() == 0.0, "{sweeps} {rate}");
    }
    assert!(momentum.begins(16, 0.95) && momentum.share() > 0.0);
    assert!(!momentum.begins(17, 0.95) && momentum.share() > 0.0);
    momentum.end();
    assert!(!momentum.begins(99, 0.95) && momentum.share() == 0.0);
}

#[test]
fn it_lessens_where_changes_grow_and_so_ends() {
    let mut momentum = Momentum::default();
    assert!(momentum.begins(16, 0.95));
    let steady = shares(&mut momentum, &[1.0, 0.5, 1.5, 1.5]);
    assert_eq!(steady, [0.85; 4]);
    assert_eq!(
        shares(&mut momentum, &[10.0, 10.0, 99.0, f64::INFINITY, f64::NAN]),
        [0.7, 0.7, 0.4, 0.0, 0.0]
    );
    assert!(!momentum.begins(200, 0.95));
}
