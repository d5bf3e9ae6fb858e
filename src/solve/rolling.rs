//! Contacts with rolling and torsional friction as equations. Such a contact is two rows of three: its force, then its moments, in
//! the same order of components. Forces and moments are in the cone |R_T| ≤ μ R_N, |M_T| ≤ μ_r R_N, |M_N| ≤ μ_s R_N, and
//! U + (μ |U_T| + μ_r |w_T| + μ_s |w_N|) n is in its dual, perpendicular to them: de Saxcé's form with three parts.
//!
//! Forces and moments have different units. With d of the row of the force and d of the row of the moments, √d R, √d M and the
//! coefficients that belong to them have the unit of a root of energy, in any system of units.

use crate::math::{Vector, is_finite, length};

use super::frames::Axes;
use super::laws::{Kind, LawKind, SMALL, of_kind};
use super::problem::Law;

/// A spatial vector: a force and its moments, or a velocity and its angular velocity (Featherstone 2008).
pub type SpatialVector = [Vector; 2];

/// The coefficients of a contact with moments: sliding, rolling, torsion; and its cohesion.
#[derive(Clone, Copy, Debug, Default)]
pub struct Coefficients {
    pub limits: [f64; 3],
    pub cohesion: f64,
}

impl Coefficients {
    /// The coefficients of the contact in this row, if it has moments in the next row.
    #[inline(always)]
    pub fn of(laws: &[Law], row: usize) -> Option<Self> {
        let Some(Law { kind: Kind::Moments, .. }) = laws.get(row + 1) else { return None };
        of_kind!(&laws[row].kind, law => law.with_moments())
    }

    /// The coefficients of scaled forces; `roots` are √d of both rows.
    #[inline(always)]
    pub fn scaled(&self, roots: [f64; 2]) -> Self {
        let [friction, rolling, torsion] = self.limits;
        let ratio = roots[1] / roots[0];
        Self { limits: [friction, ratio * rolling, ratio * torsion], cohesion: self.cohesion * roots[0] }
    }

    /// The residual x − P (x − v) of scaled forces x and velocities u, where x includes the cohesion and v is u with the terms of
    /// de Saxcé.
    #[inline(always)]
    pub fn natural_map<A: Axes>(&self, r: &SpatialVector, u: &SpatialVector) -> SpatialVector {
        let mut r = *r;
        r[0][A::N] += self.cohesion;
        let mut x: SpatialVector = std::array::from_fn(|k| std::array::from_fn(|i| r[k][i] - u[k][i]));
        let sizes = sizes::<A>(u);
        (0..3).for_each(|i| x[0][A::N] -= self.limits[i] * sizes[i]);
        let p = self.on_cone::<A>(&x);
        std::array::from_fn(|k| std::array::from_fn(|i| r[k][i] - p[k][i]))
    }

    /// The closest point of the cone.
    ///
    /// With the sizes s_i of the parts, the normal component a of the closest point has a = x_N + Σ μ_i (s_i − μ_i a) over the parts
    /// that are limited, s_i > μ_i a. Parts are added until no other one is limited.
    #[inline(always)]
    pub fn on_cone<A: Axes>(&self, x: &SpatialVector) -> SpatialVector {
        let sizes = sizes::<A>(x);
        if sizes.contains(&f64::INFINITY) && is_finite(x.as_flattened()) {
            // The squares overflow.
            return self.on_cone::<A>(&x.map(|x| x.map(|x| x * SMALL))).map(|x| x.map(|x| x / SMALL));
        }
        let (mut top, mut bottom) = (x[0][A::N], 1.0);
        let mut is_limited = [false; 3];
        let normal = loop {
            let normal = f64::max(top / bottom, 0.0);
            // The part that is limited for the largest normal component comes next.
            let excess = |i: usize| sizes[i] * self.limits[i];
            let next = (0..3)
                .filter(|&i| !is_limited[i] && sizes[i] > self.limits[i] * normal)
                .reduce(|i, j| if sizes[i] * self.limits[j] >= sizes[j] * self.limits[i] { i } else { j });
            let Some(next) = next else { break normal };
            is_limited[next] = true;
            top += excess(next);
            bottom += self.limits[next] * self.limits[next];
        };
        let mut p = [[0.0; 3]; 2];
        p[0][A::N] = normal;
        for (part, lanes) in parts::<A>().into_iter().enumerate() {
            let scale = if is_limited[part] { self.limits[part] * normal / sizes[part] } else { 1.0 };
            for &(k, i) in lanes {
                p[k][i] = scale * x[k][i];
            }
        }
        p
    }

    /// The closest moments that the law allows for this force.
    #[inline(always)]
    pub fn allowed_moments<A: Axes>(&self, force: &Vector, moments: &Vector) -> Vector {
        let normal = force[A::N] + self.cohesion;
        let [_, rolling, torsion] = sizes::<A>(&[[0.0; 3], *moments]);
        let share = |size: f64, most: f64| if size > most { most / size } else { 1.0 };
        let rolling = share(rolling, self.limits[1] * normal);
        let mut p = moments.map(|x| rolling * x);
        p[A::N] = share(torsion, self.limits[2] * normal) * moments[A::N];
        p
    }
}

/// The lanes of the three parts: row of the pair, and component.
#[inline(always)]
pub fn parts<A: Axes>() -> [&'static [(usize, usize)]; 3] {
    [const { &[(0, A::S), (0, A::T)] }, const { &[(1, A::S), (1, A::T)] }, const { &[(1, A::N)] }]
}

/// The sizes of the three parts.
#[inline(always)]
pub fn sizes<A: Axes>(x: &SpatialVector) -> [f64; 3] {
    [length(x[0][A::S], x[0][A::T]), length(x[1][A::S], x[1][A::T]), x[1][A::N].abs()]
}
