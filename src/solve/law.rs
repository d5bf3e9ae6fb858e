//! A law as an equation: R = P (R − ρ (U + μ |U_T| n)), the natural map of de Saxcé's form, with the projection P on the forces
//! that the law allows.

use crate::math::{Vector, is_finite, length};

use super::frames::Axes;
use super::problem::{Kind, Law};
use super::rolling::Coefficients;

/// The power of two that scales numbers down if their squares would overflow.
pub const SMALL: f64 = f64::from_bits((1023 - 600) << 52);

/// The residual R − P (R − ρ (U + μ |U_T| n)): zero where U (with the bias) and R obey the law.
#[inline(always)]
pub fn natural_map<A: Axes>(kind: &Kind, r: &Vector, u: &Vector, rho: f64) -> Vector {
    let mut x: Vector = std::array::from_fn(|i| r[i] - rho * u[i]);
    if let Kind::Contact { friction, .. } = *kind {
        x[A::N] -= rho * friction * length(u[A::S], u[A::T]);
    }
    let p = allowed::<A>(kind, &x);
    std::array::from_fn(|i| r[i] - p[i])
}

/// A force that the law allows, near the force of a row: for moments the closest ones that the force before them allows.
#[inline(always)]
pub fn allowed_in_row<A: Axes>(laws: &[Law], row: usize, forces: &[Vector]) -> Vector {
    let force = allowed::<A>(&laws[row].kind, &forces[row]);
    if row == 0 || !laws[row].is_of_moments() {
        return force;
    }
    let before = allowed::<A>(&laws[row - 1].kind, &forces[row - 1]);
    Coefficients::of(laws, row - 1).map_or(force, |own| own.allowed_moments::<A>(&before, &force))
}

/// The closest force that the law allows; moments as they are, since their limits depend on another row.
#[inline(always)]
pub fn allowed<A: Axes>(kind: &Kind, r: &Vector) -> Vector {
    match *kind {
        Kind::Contact { friction, cohesion, .. } => {
            let mut x = *r;
            x[A::N] += cohesion;
            let mut p = on_cone::<A>(&x, friction);
            p[A::N] -= cohesion;
            p
        }
        Kind::Bounds { lower, upper } => std::array::from_fn(|i| r[i].clamp(lower[i], upper[i])),
        Kind::Moments => *r,
    }
}

/// The closest point of the cone |x_T| ≤ friction · x_N.
#[inline(always)]
pub fn on_cone<A: Axes>(x: &Vector, friction: f64) -> Vector {
    let (n, t) = (x[A::N], length(x[A::S], x[A::T]));
    if t == f64::INFINITY && is_finite(x) {
        // The squares overflow.
        return on_cone::<A>(&x.map(|x| x * SMALL), friction).map(|x| x / SMALL);
    }
    if n >= 0.0 && t <= friction * n {
        return *x;
    }
    if friction * t <= -n {
        return [0.0; 3];
    }
    let normal = (n + friction * t) / (1.0 + friction * friction);
    let scale = if t > 0.0 { friction * normal / t } else { 0.0 };
    let mut p = [0.0; 3];
    p[A::N] = normal;
    p[A::S] = x[A::S] * scale;
    p[A::T] = x[A::T] * scale;
    p
}
