//! How far forces are from a solution.

use std::ops::Range;

use crate::math::simd::{F64x4, Kernel, SimdLevel, combination};
use crate::math::{Block, Vector, dot, largest};

use super::frames::Axes;
use super::laws::{LawKind, natural_map, of_kind};
use super::problem::{Law, Problem3};
use super::rolling::Coefficients;

/// A solution whose scaled forces are this many times as large as B does not count.
pub const HUGE: f64 = 1e8;

/// The measure that is compared with the tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Measure {
    /// The larger of the other two, so that neither hides a violation.
    #[default]
    Both,
    /// [`Residual::natural`].
    Natural,
    /// [`Residual::scaled`].
    Scaled,
}

/// How far forces are from a solution.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// ‖R − P (R − U − μ |U_T| n)‖ / ‖B‖ with the biases in U and B, the literature's measure; where B is zero it is not divided.
    /// It mixes units: a change of unit of force or velocity changes it.
    pub natural: f64,
    /// ‖√d (R − P (R − (U + μ |U_T| n) / d))‖ / ‖B / √d‖ with d = tr W_αα / 3 of each constraint: the same in all units.
    pub scaled: f64,
    /// The constraint that contributes most to `scaled`.
    pub worst: usize,
}

impl Residual {
    /// The value that is compared with the tolerance.
    pub fn by(&self, measure: Measure) -> f64 {
        match measure {
            Measure::Both => self.natural.max(self.scaled),
            Measure::Natural => self.natural,
            Measure::Scaled => self.scaled,
        }
    }

    /// The ratio of the chosen residual to the scaled one, at least 1.
    pub(crate) fn ratio_to_scaled(&self, measure: Measure) -> f64 {
        let ratio = self.by(measure) / self.scaled;
        if ratio.is_finite() { ratio.max(1.0) } else { 1.0 }
    }
}

/// Norms of B with the biases, the divisors of residuals; 1 where they are zero.
#[derive(Clone, Copy, Debug, Default)]
pub struct Norms {
    natural: f64,
    scaled: f64,
    /// The squares that the norms are made of.
    squares: [f64; 2],
}

impl Norms {
    /// The norms of B, with the velocities d R of the forces that laws ask for at least: B may be zero then.
    pub fn new(laws: &[Law], q: &[Vector], weights: &[f64]) -> Self {
        let rows = laws.iter().zip(q.iter().zip(weights));
        Self::of_rows(rows.map(|(law, (q, d))| Self::squares(law, q, *d)))
    }

    /// The squares of one row.
    pub fn squares(law: &Law, q: &Vector, d: f64) -> [f64; 2] {
        let least = d * of_kind!(&law.kind, kind => kind.least_force());
        let square = square(q) + least * least;
        [square, square / d]
    }

    /// The norms of sums of squares over rows.
    pub fn of(squares: [f64; 2]) -> Self {
        let [natural, scaled] = squares.map(|sum| if sum > 0.0 { sum.sqrt() } else { 1.0 });
        Self { natural, scaled, squares }
    }

    /// The norms of rows or islands with these squares.
    pub fn of_rows(squares: impl Iterator<Item = [f64; 2]>) -> Self {
        Self::of(squares.fold([0.0; 2], |sum, own| [sum[0] + own[0], sum[1] + own[1]]))
    }

    /// The norms of all islands together.
    pub fn of_all(islands: impl Iterator<Item = Self>) -> Self {
        Self::of_rows(islands.map(|island| island.squares))
    }

    pub fn scaled(&self) -> f64 {
        self.scaled
    }

    /// Whether a scaled force is so large compared with B that forces do not count as a solution, and that the rounding of W R is
    /// larger than the tolerance.
    pub fn are_huge(&self, weights: &[f64], forces: &[Vector], tolerance: f64) -> bool {
        let most = HUGE.max(tolerance / f64::EPSILON) * self.scaled;
        forces.iter().zip(weights).any(|(force, d)| d.sqrt() * largest(force) > most)
    }
}

/// |v|².
#[inline(always)]
fn square(v: &Vector) -> f64 {
    dot(v, v)
}

/// The weights d of rows: a third of the trace of the diagonal block, which `block` finds. Where it is not positive, the largest of
/// the rows that share a block with this one, or 1: the weight of a row does not depend on rows that nothing couples with it.
pub fn weights<'a>(
    problem: &'a Problem3<'a>,
    block: impl Fn(usize) -> &'a Block + Copy + 'a,
) -> impl Iterator<Item = f64> + 'a {
    let third = move |row: usize| {
        let w = block(row);
        (w[0] + w[4] + w[8]) / 3.0
    };
    (0..problem.rows()).map(move |row| {
        let own = third(row);
        if own > 0.0 {
            return own;
        }
        let most = problem.row(row).map(|(other, _)| third(other)).fold(0.0, f64::max);
        if most > 0.0 { most } else { 1.0 }
    })
}

/// The velocity U = q + W R of a row; q includes the bias.
#[inline(always)]
pub fn velocity(problem: &Problem3, row: usize, q: &Vector, force: impl Fn(usize) -> Vector) -> Vector {
    // Three numbers and not an array, which would be kept in memory.
    let [mut x, mut y, mut z] = *q;
    for (column, w) in problem.row(row) {
        let r = force(column);
        x += w[0] * r[0] + w[3] * r[1] + w[6] * r[2];
        y += w[1] * r[0] + w[4] * r[1] + w[7] * r[2];
        z += w[2] * r[0] + w[5] * r[1] + w[8] * r[2];
    }
    [x, y, z]
}

/// The velocities of all rows, by one thread, with the same bits as [`velocity`].
pub struct Velocities<'a> {
    pub problem: &'a Problem3<'a>,
    pub q: &'a [Vector],
    pub forces: &'a [Vector],
    pub velocities: &'a mut [Vector],
}

impl Kernel for Velocities<'_> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) {
        for (row, (q, to)) in self.q.iter().zip(self.velocities).enumerate() {
            let mut sum = level.of_vector(*q);
            for (column, w) in self.problem.row(row) {
                sum = sum + combination(&level.columns(w), &self.forces[column]);
            }
            *to = sum.vector();
        }
    }
}

/// The square of a row's part of the scaled residual, which is not divided by ‖B‖. The first row of a contact with moments has the
/// whole part of the contact.
#[inline(always)]
pub fn scaled_part<A: Axes>(
    laws: &[Law],
    weights: &[f64],
    forces: &[Vector],
    velocities: &[Vector],
    row: usize,
) -> f64 {
    let (law, u, r, d) = (&laws[row], &velocities[row], &forces[row], weights[row]);
    if law.is_of_moments() {
        return 0.0;
    }
    let Some(own) = Coefficients::of(laws, row) else {
        return d * square(&natural_map::<A>(&law.kind, r, u, 1.0 / d));
    };
    let roots = [d, weights[row + 1]].map(f64::sqrt);
    let r = [0, 1].map(|k| forces[row + k].map(|x| x * roots[k]));
    let u = [0, 1].map(|k| velocities[row + k].map(|x| x / roots[k]));
    squares::<A>(&own.scaled(roots), &r, &u)
}

/// The square of the natural map of a contact with moments.
fn squares<A: Axes>(own: &Coefficients, r: &[Vector], u: &[Vector]) -> f64 {
    own.natural_map::<A>(&[r[0], r[1]], &[u[0], u[1]]).iter().map(square).sum()
}

/// The sums over rows that a residual is made of.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sums {
    natural: f64,
    scaled: f64,
    /// The row with the largest part of `scaled`, and this part.
    worst: (usize, f64),
}

impl Sums {
    /// The sums of forces and their velocities over some rows.
    pub fn new<A: Axes>(
        laws: &[Law],
        weights: &[f64],
        forces: &[Vector],
        velocities: &[Vector],
        rows: Range<usize>,
    ) -> Self {
        let mut sums = Self::default();
        for row in rows {
            let (law, u, r) = (&laws[row], &velocities[row], &forces[row]);
            if law.is_of_moments() {
                continue;
            }
            sums.natural += match Coefficients::of(laws, row) {
                Some(own) => squares::<A>(&own, &forces[row..], &velocities[row..]),
                None => square(&natural_map::<A>(&law.kind, r, u, 1.0)),
            };
            let part = scaled_part::<A>(laws, weights, forces, velocities, row);
            sums.scaled += part;
            if part > sums.worst.1 {
                sums.worst = (row, part);
            }
        }
        sums
    }

    /// The squares that both residuals are made of.
    #[cfg(feature = "mpi")]
    pub fn squares(&self) -> [f64; 2] {
        [self.natural, self.scaled]
    }

    /// The sums with these squares, and the row that contributes most.
    #[cfg(feature = "mpi")]
    pub fn of_squares([natural, scaled]: [f64; 2], worst: (usize, f64)) -> Self {
        Self { natural, scaled, worst }
    }

    /// The residual in scaled units that is not divided by ‖B‖, and the row that contributes most.
    pub fn scaled(&self) -> (f64, usize) {
        (self.scaled.sqrt(), self.worst.0)
    }

    /// The sums of an island as a part of the whole, where it has these rows.
    pub fn of_rows(self, rows: &[u32]) -> Self {
        let (row, part) = self.worst;
        Self { worst: (rows[row] as usize, part), ..self }
    }

    /// Add the sums of other rows.
    pub fn add(&mut self, other: &Self) {
        self.natural += other.natural;
        self.scaled += other.scaled;
        if other.worst.1 > self.worst.1 {
            self.worst = other.worst;
        }
    }

    /// The residual.
    pub fn over(&self, norms: &Norms) -> Residual {
        Residual {
            natural: ratio(f64::sqrt(self.natural), norms.natural),
            scaled: ratio(f64::sqrt(self.scaled), norms.scaled),
            worst: self.worst.0,
        }
    }
}

/// Return a / b, with infinity instead of a NaN.
fn ratio(a: f64, b: f64) -> f64 {
    let ratio = a / b;
    if ratio.is_nan() { f64::INFINITY } else { ratio }
}
