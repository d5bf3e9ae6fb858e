//! The laws, condition by condition, without the maps that the library uses.

use ldy::solve::{Kind, Law};

/// The largest violation of a law by U and R, for forces and velocities of about 1; the normal is third.
pub fn violation(law: &Law, u: &[f64; 3], r: &[f64; 3]) -> f64 {
    let u: [f64; 3] = std::array::from_fn(|i| u[i] + law.bias[i]);
    match law.kind {
        Kind::Moments => unreachable!("their limits are in the law before"),
        Kind::Contact { friction, friction_2, cohesion, .. } => {
            let (n, un) = (r[2] + cohesion, u[2]);
            // No force in the ellipse takes more power than this one; where a coefficient is zero, there is no force.
            let rubs = (friction * u[0]).hypot(friction_2 * u[1]);
            let dissipation = r[0] * u[0] + r[1] * u[1] + n * rubs;
            let most = friction.max(friction_2);
            let part = |r: f64, friction: f64| if r == 0.0 { 0.0 } else { r * most / friction };
            let size = part(r[0], friction).hypot(part(r[1], friction_2));
            [-n, -un, (n * un).abs(), size - most * n, dissipation.abs()].into_iter().fold(0.0, f64::max)
        }
        Kind::Expansion { friction, least_force } => {
            let (n, un) = (r[2] - least_force, u[2]);
            let dissipation = r[0] * u[0] + r[1] * u[1] + friction * r[2] * u[0].hypot(u[1]);
            let size = r[0].hypot(r[1]) - friction * r[2];
            [-n, -un, (n * un).abs(), size, dissipation.abs()].into_iter().fold(0.0, f64::max)
        }
        Kind::Bounds { lower, upper } => (0..3)
            .map(|i| {
                let outside = (lower[i] - r[i]).max(r[i] - upper[i]);
                // Which way U may go depends on which bound is near.
                let pushes = if u[i] > 0.0 { r[i] - lower[i] } else { upper[i] - r[i] };
                outside.max(u[i].abs().min(pushes.abs()))
            })
            .fold(0.0, f64::max),
    }
}

/// The largest of all rows.
pub fn worst(laws: &[Law], u: &[[f64; 3]], r: &[[f64; 3]]) -> f64 {
    laws.iter().zip(u).zip(r).map(|((law, u), r)| violation(law, u, r)).fold(0.0, f64::max)
}
