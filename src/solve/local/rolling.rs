//! The exact force and moments of one contact with rolling and torsional friction, while all other forces are kept.
//!
//! The unknowns are scaled, so that forces and moments have the same unit: normal force, friction, moment about the tangents, moment
//! about the normal. A closed contact has U_N = 0, and each of the three parts x_P of the others is held, U_P = 0, or is at the
//! limit of its disk, against its velocity: x_P = P (x_P − U_P), where P is the projection on the disk with the radius μ_P x_N.
//! Newton's method finds the state of all parts, from the last force or from the force that holds all parts. Where it fails, a
//! search for the normal force finds the root of U_N, with the parts solved in turn for each normal force.

use crate::math::{Block, is_finite, length};
use crate::solve::block_lu::{Square, times};
use crate::solve::frames::Axes;
use crate::solve::rolling::{Coefficients, SpatialVector};

use super::branches::branch;

/// Normal force, friction, moments about the tangents, moment about the normal.
const SIZE: usize = 6;
type Unknowns = [f64; SIZE];

/// The unknowns of each part: first, and end.
const PARTS: [(usize, usize); 3] = [(1, 3), (3, 5), (5, 6)];

/// A part of the block's size that is added to the diagonal of a singular block, where the last force is the solution.
const ALPHA: f64 = 1e-10;

/// Blocks with a smaller pivot, while the mean of the diagonal is 1, are singular.
const SINGULAR: f64 = 1e-12;

/// The maximum of Newton's steps, of halvings of a step, of doublings and bisections of the normal force, and of turns of the parts.
const MOST_STEPS: usize = 24;
const MOST_HALVINGS: usize = 6;
const MOST_BISECTIONS: usize = 200;
const MOST_TURNS: usize = 500;

/// A relative step whose square is no more than rounding.
const ENOUGH: f64 = 1e-8;

/// An error that is no more than rounding, relative to the size of the sums.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The diagonal blocks of W of a contact with moments, scaled.
#[derive(Clone, Copy, Debug)]
pub struct RollingContact {
    roots: [f64; 2],
    limits: [f64; 3],
    cohesion: f64,
    /// The scaled blocks, column by column, and whether they are regular.
    w: Square<SIZE>,
    is_regular: bool,
}

/// The equations of a velocity.
#[derive(Clone, Copy)]
struct VelocityEquations<'a> {
    contact: &'a RollingContact,
    /// The velocity that the other forces and the cohesion make.
    q: Unknowns,
    /// The term of a singular block, and its center.
    alpha: f64,
    center: Unknowns,
    /// The normal force, if it is given; otherwise U_N = 0.
    normal: Option<f64>,
}

/// The numbers of a part's equation: the limit, y = x − U and its size, and the radius of the disk.
struct Part<const FIRST: usize, const COUNT: usize> {
    limit: f64,
    y: [f64; COUNT],
    size: f64,
    radius: f64,
}

impl<const FIRST: usize, const COUNT: usize> Part<FIRST, COUNT> {
    #[inline(always)]
    fn new(limit: f64, x: &Unknowns, u: &Unknowns) -> Self {
        let y: [f64; COUNT] = std::array::from_fn(|i| x[FIRST + i] - u[FIRST + i]);
        Self { limit, y, size: dot(&y, &y).sqrt(), radius: limit * f64::max(x[0], 0.0) }
    }

    /// Set the errors x − P (x − U).
    #[inline(always)]
    fn set_errors(&self, errors: &mut Unknowns, x: &Unknowns) {
        let scale = if self.size > self.radius { self.radius / self.size } else { 1.0 };
        (0..COUNT).for_each(|i| errors[FIRST + i] = x[FIRST + i] - scale * self.y[i]);
    }

    /// Replace the rows of W in `matrix` by the derivative of the errors, where the part is at its limit.
    #[inline(always)]
    fn set_rows(&self, matrix: &mut Square<SIZE>, x: &Unknowns) {
        if self.size <= self.radius {
            return;
        }
        // x − r e, where e is the direction of y = x − u: the derivative of e is (1 − e eᵀ) / |y|.
        let ratio = self.radius / self.size;
        let towards = self.y.map(|y| y / self.size);
        for (j, column) in matrix.iter_mut().enumerate() {
            let unit = |i: usize| f64::from(FIRST + i == j);
            let own: [f64; COUNT] = std::array::from_fn(|i| unit(i) - column[FIRST + i]);
            let along = dot(&towards, &own);
            for i in 0..COUNT {
                column[FIRST + i] = unit(i) - ratio * (own[i] - towards[i] * along);
            }
        }
        if x[0] > 0.0 {
            (0..COUNT).for_each(|i| matrix[0][FIRST + i] -= self.limit * towards[i]);
        }
    }
}

impl RollingContact {
    /// Prepare the diagonal blocks of W: the block in row i and column j of the pair is `w[i][j]`.
    pub fn new<A: Axes>(w: &[[Block; 2]; 2], own: &Coefficients, roots: [f64; 2]) -> Self {
        let lanes = lanes::<A>();
        let scaled: Square<SIZE> = std::array::from_fn(|j| {
            let (column, at_column) = lanes[j];
            std::array::from_fn(|i| {
                let (row, at_row) = lanes[i];
                w[row][column][3 * at_column + at_row] / (roots[row] * roots[column])
            })
        });
        let is_regular = solution(&scaled, [0.0; SIZE]).is_some();
        Self { roots, limits: own.scaled(roots).limits, cohesion: own.cohesion, w: scaled, is_regular }
    }

    /// The force and the moments that obey the law if they add W R to the velocity q, which includes the bias. `old` is the initial
    /// guess, and is kept where the blocks leave the force open. Errors of the last force times `accuracy` may be left; 0: only rounding.
    ///
    /// If W_NN is not positive, no force can stop the approach, and the function returns the force of an open contact.
    pub fn force<A: Axes>(&self, q: &SpatialVector, old: &SpatialVector, accuracy: f64) -> SpatialVector {
        let lanes = lanes::<A>();
        let scaled = |pair: &SpatialVector, by: [f64; 2]| -> Unknowns {
            lanes.map(|(row, lane)| pair[row][lane] * by[row])
        };
        let mut q = scaled(q, self.roots.map(f64::recip));
        let cohesion = self.cohesion * self.roots[0];
        (0..SIZE).for_each(|i| q[i] -= cohesion * self.w[0][i]);
        let mut x = [0.0; SIZE];
        if q[0] < 0.0 && self.w[0][0] > 0.0 {
            let mut center = scaled(old, self.roots);
            center[0] += cohesion;
            let alpha = if self.is_regular { 0.0 } else { ALPHA };
            x = VelocityEquations { contact: self, q, alpha, center, normal: None }.closed(accuracy);
        }
        let mut force = [[0.0; 3]; 2];
        for (x, (row, lane)) in x.into_iter().zip(lanes) {
            force[row][lane] = x / self.roots[row];
        }
        force[0][A::N] -= self.cohesion;
        force
    }
}

/// Row and lane of each unknown.
#[inline(always)]
fn lanes<A: Axes>() -> [(usize, usize); SIZE] {
    [(0, A::N), (0, A::S), (0, A::T), (1, A::S), (1, A::T), (1, A::N)]
}

impl VelocityEquations<'_> {
    /// The unknowns of a closed contact, with the errors of the center times `accuracy`.
    fn closed(&self, accuracy: f64) -> Unknowns {
        if self.center[0] > 0.0
            && let Some(x) = self.newton(self.center, accuracy)
        {
            branch!(RollingFromLast);
            return x;
        }
        let start = self.held();
        if let Some(x) = self.newton(start, 0.0) {
            branch!(RollingFromHeld);
            return x;
        }
        branch!(RollingSearched);
        let x = self.searched();
        self.newton(x, 0.0).unwrap_or(x)
    }

    /// The solution with all parts held; a normal force alone if there is none that pushes.
    fn held(&self) -> Unknowns {
        if self.contact.is_regular
            && let Some(x) = solution(&self.contact.w, self.q.map(|q| -q))
            && x[0] > 0.0
        {
            return x;
        }
        let mut x = [0.0; SIZE];
        x[0] = -self.q[0] / self.contact.w[0][0];
        x
    }

    /// Velocities, with the term of a singular block.
    fn velocity(&self, x: &Unknowns) -> Unknowns {
        let own = times(&self.contact.w, x);
        std::array::from_fn(|i| self.q[i] + own[i] + self.alpha * (x[i] - self.center[i]))
    }

    /// The errors of the equations, and the square of their size.
    fn errors(&self, x: &Unknowns, u: &Unknowns) -> (Unknowns, f64) {
        let mut errors = [0.0; SIZE];
        errors[0] = self.normal.map_or(u[0], |normal| x[0] - normal);
        let [friction, rolling, torsion] = self.contact.limits;
        Part::<1, 2>::new(friction, x, u).set_errors(&mut errors, x);
        Part::<3, 2>::new(rolling, x, u).set_errors(&mut errors, x);
        Part::<5, 1>::new(torsion, x, u).set_errors(&mut errors, x);
        (errors, errors.iter().map(|error| error * error).sum())
    }

    /// Newton's method with steps that make the errors smaller, until the ratio to the first errors is `accuracy`. None if it does not
    /// converge.
    fn newton(&self, start: Unknowns, accuracy: f64) -> Option<Unknowns> {
        let mut x = start;
        let mut u = self.velocity(&x);
        let (mut errors, mut square) = self.errors(&x, &u);
        let enough = accuracy * accuracy * square;
        for _ in 0..MOST_STEPS {
            let scale: f64 = (0..SIZE).map(|i| self.q[i].abs() + x[i].abs()).sum();
            if square <= (ROUNDING * scale) * (ROUNDING * scale) {
                return (x[0] >= 0.0).then_some(x);
            }
            if square < enough && x[0] > 0.0 {
                return Some(x);
            }
            let step = self.step(&x, &u, &errors)?;
            let mut long = 1.0;
            for halving in 0..=MOST_HALVINGS {
                let next: Unknowns = std::array::from_fn(|i| x[i] - long * step[i]);
                let of_next = self.velocity(&next);
                let (next_errors, next_square) = self.errors(&next, &of_next);
                if next_square < square || halving == MOST_HALVINGS {
                    (x, u, errors) = (next, of_next, next_errors);
                    let is_better = next_square < square;
                    square = next_square;
                    if !is_better && long < 1.0 && !square.is_finite() {
                        return None;
                    }
                    break;
                }
                long *= 0.5;
            }
            let moved = step.iter().map(|x| x * x).sum::<f64>();
            let size = x.iter().map(|x| x * x).sum::<f64>();
            if long == 1.0 && moved <= ENOUGH * ENOUGH * size && x[0] >= 0.0 {
                return Some(x);
            }
        }
        None
    }

    /// The derivative of the errors, times this, is the errors.
    fn step(&self, x: &Unknowns, u: &Unknowns, errors: &Unknowns) -> Option<Unknowns> {
        let Self { contact: RollingContact { w, limits, .. }, alpha, .. } = self;
        let mut matrix = *w;
        (0..SIZE).for_each(|i| matrix[i][i] += alpha);
        if self.normal.is_some() {
            (0..SIZE).for_each(|j| matrix[j][0] = f64::from(j == 0));
        }
        let &[friction, rolling, torsion] = limits;
        Part::<1, 2>::new(friction, x, u).set_rows(&mut matrix, x);
        Part::<3, 2>::new(rolling, x, u).set_rows(&mut matrix, x);
        Part::<5, 1>::new(torsion, x, u).set_rows(&mut matrix, x);
        solution(&matrix, *errors)
    }

    /// Search for the normal force with U_N = 0.
    fn searched(&self) -> Unknowns {
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut x = [0.0; SIZE];
        x[0] = -self.q[0] / self.contact.w[0][0];
        for _ in 0..MOST_BISECTIONS {
            let parts = VelocityEquations { normal: Some(x[0]), ..*self };
            match parts.newton(x, 0.0) {
                Some(solved) => x = solved,
                None => parts.solve_parts(&mut x),
            }
            if self.velocity(&x)[0] < 0.0 {
                low = x[0]
            } else {
                high = x[0]
            }
            let next = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * x[0] };
            if !next.is_finite() || next == low || next == high {
                break;
            }
            x[0] = next;
        }
        x
    }

    /// Solve the parts in turn, with this normal force, until they no longer change.
    fn solve_parts(&self, x: &mut Unknowns) {
        branch!(RollingPartsInTurn);
        for _ in 0..MOST_TURNS {
            let before = *x;
            for ((first, end), limit) in PARTS.into_iter().zip(self.contact.limits) {
                self.solve_part(x, first, end, limit * x[0]);
            }
            let change = (0..SIZE).map(|i| (x[i] - before[i]).abs()).fold(0.0, f64::max);
            if change <= f64::EPSILON * x[0] {
                break;
            }
        }
    }

    /// Solve a part exactly: the force in the disk that is held, or against its velocity.
    fn solve_part(&self, x: &mut Unknowns, first: usize, end: usize, radius: f64) {
        (first..end).for_each(|i| x[i] = 0.0);
        let q = self.velocity(x);
        let w = |i: usize, j: usize| self.contact.w[j][i] + if i == j { self.alpha } else { 0.0 };
        if end == first + 1 {
            let held = -q[first] / w(first, first);
            x[first] = if held.is_nan() { 0.0 } else { held.clamp(-radius, radius) };
            return;
        }
        // (W + s) x = −q with the least s ≥ 0 for which |x| is at most the radius.
        let [i, j] = [first, first + 1];
        let at = |s: f64| {
            let (a, d) = (w(i, i) + s, w(j, j) + s);
            let determinant = a * d - w(i, j) * w(j, i);
            [(w(i, j) * q[j] - d * q[i]) / determinant, (w(j, i) * q[i] - a * q[j]) / determinant]
        };
        let is_inside = |x: [f64; 2]| length(x[0], x[1]) <= radius;
        let mut best = at(0.0);
        if !is_inside(best) {
            let (mut low, mut high) = (0.0, w(i, i) + w(j, j) + length(q[i], q[j]) / radius);
            if !high.is_finite() {
                return;
            }
            for _ in 0..MOST_BISECTIONS {
                let middle = 0.5 * (low + high);
                if middle <= low || middle >= high {
                    break;
                }
                if is_inside(at(middle)) { high = middle } else { low = middle }
            }
            best = at(high);
        }
        [x[i], x[j]] = best;
    }
}

/// The solution of a x = b by Gauss and Jordan's elimination with pivots in columns: each operation is one on whole columns. None if a
/// pivot is too small.
#[inline(always)]
fn solution(a: &Square<SIZE>, mut b: Unknowns) -> Option<Unknowns> {
    let mut a = *a;
    for k in 0..SIZE {
        let pivot = (k + 1..SIZE).fold(k, |best, i| if a[k][i].abs() > a[k][best].abs() { i } else { best });
        if pivot != k {
            a[k..].iter_mut().for_each(|column| column.swap(k, pivot));
            b.swap(k, pivot);
        }
        if a[k][k].abs() <= SINGULAR {
            return None;
        }
        let inverse = a[k][k].recip();
        let factors = a[k].map(|x| x * inverse);
        let reduce = |column: &mut Unknowns| {
            let of_pivot = column[k];
            (0..SIZE).for_each(|i| column[i] -= factors[i] * of_pivot);
            column[k] = of_pivot * inverse;
        };
        a[k + 1..].iter_mut().for_each(reduce);
        reduce(&mut b);
    }
    is_finite(&b).then_some(b)
}

/// The sum of products.
#[inline(always)]
fn dot<const COUNT: usize>(a: &[f64; COUNT], b: &[f64; COUNT]) -> f64 {
    (0..COUNT).map(|i| a[i] * b[i]).sum()
}
