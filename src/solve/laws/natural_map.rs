//! A law as an equation: R = P (R − ρ (U + μ |U_T| n)), the natural map of de Saxcé's form, with the projection P on the forces
//! that the law allows.

use crate::math::{Vector, length};

use super::{Kind, LawKind, of_kind};
use crate::solve::frames::Axes;
use crate::solve::problem::Law;
use crate::solve::rolling::Coefficients;

/// The residual R − P (R − ρ (U + μ |U_T| n)): zero where U (with the bias) and R obey the law.
#[inline(always)]
pub fn natural_map<A: Axes>(kind: &Kind, r: &Vector, u: &Vector, rho: f64) -> Vector {
    let mut x: Vector = std::array::from_fn(|i| r[i] - rho * u[i]);
    of_kind!(kind, law => {
        if let Some([friction, _]) = law.frictions() {
            x[A::N] -= rho * friction * length(u[A::S], u[A::T]);
        }
        let p = law.allowed::<A>(&x);
        std::array::from_fn(|i| r[i] - p[i])
    })
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
    of_kind!(kind, law => law.allowed::<A>(r))
}
