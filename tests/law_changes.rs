//! Laws that change by a little, for derivatives.

use ldy::solve::{Kind, LawChange};
use ldy::system::RowLaw;
use testing::Random;

/// A random change of the numbers of a law. Numbers that must stay zero or equal do so.
pub fn random_change(random: &mut Random, law: &RowLaw) -> LawChange {
    let mut change = LawChange {
        friction: random.signed(),
        friction_2: random.signed(),
        cohesion: random.signed(),
        rolling_friction: random.signed(),
        torsional_friction: random.signed(),
        lower: random.array(),
        upper: random.array(),
        bias: random.array(),
    };
    match law.kind {
        Kind::Contact { friction, friction_2, cohesion, rolling_friction, torsional_friction } => {
            if friction == friction_2 {
                change.friction_2 = change.friction;
            }
            let is_there = |x: f64| f64::from(u8::from(x > 0.0));
            change.cohesion *= is_there(cohesion);
            // Without rows of moments these stay zero.
            change.rolling_friction *= is_there(rolling_friction);
            change.torsional_friction *= is_there(torsional_friction);
        }
        Kind::Expansion { .. } => change.friction_2 = change.friction,
        Kind::Bounds { lower, upper } => {
            (0..6).filter(|&i| lower[i] == upper[i]).for_each(|i| change.upper[i] = change.lower[i]);
        }
        Kind::Moments => {}
    }
    change
}

/// The law with `size` times a change.
pub fn moved(law: &RowLaw, change: &LawChange, size: f64) -> RowLaw {
    let mut to = *law;
    let add = |to: &mut f64, by: f64| *to += size * by;
    match &mut to.kind {
        Kind::Contact { friction, friction_2, cohesion, rolling_friction, torsional_friction } => {
            add(friction, change.friction);
            add(friction_2, change.friction_2);
            add(cohesion, change.cohesion);
            add(rolling_friction, change.rolling_friction);
            add(torsional_friction, change.torsional_friction);
        }
        Kind::Expansion { friction, least_force } => {
            add(friction, change.friction);
            add(least_force, change.lower[0]);
        }
        Kind::Bounds { lower, upper } => {
            lower.iter_mut().zip(change.lower).for_each(|(to, by)| add(to, by));
            upper.iter_mut().zip(change.upper).for_each(|(to, by)| add(to, by));
        }
        Kind::Moments => unreachable!("the law of a row has its moments"),
    }
    to.bias.iter_mut().zip(change.bias).for_each(|(to, by)| add(to, by));
    to
}
