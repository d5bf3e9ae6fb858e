//! Arithmetic of the cone |x_T| ≤ x_N with vectors (x_N, x_S, x_T): its product x ∘ y = (x · y, x_N y_T + y_N x_T), and the scaling
//! of Nesterov and Todd (1997), which maps a pair of inner points to the same point.

use crate::math::{Vector, dot, length};

/// (x_N − |x_T|) (x_N + |x_T|): positive inside.
#[inline(always)]
pub fn determinant(x: &Vector) -> f64 {
    let size = length(x[1], x[2]);
    (x[0] - size) * (x[0] + size)
}

/// x ∘ y.
#[inline(always)]
pub fn product(x: &Vector, y: &Vector) -> Vector {
    [dot(x, y), x[0] * y[1] + y[0] * x[1], x[0] * y[2] + y[0] * x[2]]
}

/// The solution y of x ∘ y = d, for an inner point x.
#[inline(always)]
pub fn quotient(d: &Vector, x: &Vector) -> Vector {
    let y = (x[0] * d[0] - x[1] * d[1] - x[2] * d[2]) / determinant(x);
    [y, (d[1] - y * x[1]) / x[0], (d[2] - y * x[2]) / x[0]]
}

/// The largest t for which x + t d is in the cone, for an inner point x; infinite if there is no limit.
#[inline(always)]
pub fn reach(x: &Vector, d: &Vector) -> f64 {
    let a = determinant(d);
    let b = x[0] * d[0] - x[1] * d[1] - x[2] * d[2];
    let c = determinant(x);
    if a >= 0.0 && b >= 0.0 {
        return f64::INFINITY;
    }
    // b² ≥ a c, since x is inside. Rounding may say otherwise if d leads to the tip.
    let square = (b * b - a * c).max(0.0);
    // The roots of a t² + 2 b t + c, without cancellation.
    let q = -(b + if b >= 0.0 { square.sqrt() } else { -square.sqrt() });
    let positive = |root: f64| if root > 0.0 { root } else { f64::INFINITY };
    positive(q / a).min(positive(c / q))
}

/// The scaling W of a pair (s, z) with W z = W⁻¹ s.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scaling {
    w: Vector,
    eta: f64,
}

impl Scaling {
    /// Compute the scaling of two inner points.
    #[inline(always)]
    pub fn of(s: &Vector, z: &Vector) -> Self {
        let (of_s, of_z) = (determinant(s).sqrt(), determinant(z).sqrt());
        let (s, z) = (s.map(|x| x / of_s), z.map(|x| x / of_z));
        let twice = (2.0 * (1.0 + dot(&s, &z))).sqrt();
        let w = [(s[0] + z[0]) / twice, (s[1] - z[1]) / twice, (s[2] - z[2]) / twice];
        Self { w, eta: (of_s / of_z).sqrt() }
    }

    #[inline(always)]
    fn apply(&self, x: &Vector, sign: f64, factor: f64) -> Vector {
        let w = &self.w;
        let along = w[1] * x[1] + w[2] * x[2];
        let share = sign * x[0] + along / (1.0 + w[0]);
        [
            factor * (w[0] * x[0] + sign * along),
            factor * (x[1] + w[1] * share),
            factor * (x[2] + w[2] * share),
        ]
    }

    /// W x.
    #[inline(always)]
    pub fn times(&self, x: &Vector) -> Vector {
        self.apply(x, 1.0, self.eta)
    }

    /// W⁻¹ x.
    #[inline(always)]
    pub fn inverse_times(&self, x: &Vector) -> Vector {
        self.apply(x, -1.0, self.eta.recip())
    }

    /// W, symmetric.
    #[inline(always)]
    pub fn matrix(&self) -> [Vector; 3] {
        std::array::from_fn(|j| self.times(&std::array::from_fn(|i| f64::from(i == j))))
    }

    /// W⁻², symmetric.
    #[inline(always)]
    pub fn inverse_square(&self) -> [Vector; 3] {
        let [n, s, t] = self.w;
        let turned = [n, -s, -t];
        let factor = (self.eta * self.eta).recip();
        std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                let diagonal = if i != j {
                    0.0
                } else if i == 0 {
                    1.0
                } else {
                    -1.0
                };
                factor * (2.0 * turned[i] * turned[j] - diagonal)
            })
        })
    }
}
