//! Small cone programs: the least value of ½ p |x|² + c · x over the x with h + G x in a product of cones |s_T| ≤ s_N, by an interior
//! point method for the homogeneous self-dual embedding (Ye, Todd & Mizuno 1994; with squares as in Andersen & Ye 1999). It shows
//! also that there is no least value.
//!
//! The unknowns are x, s and y in the cones, τ and κ, with
//!   p x − Gᵀ y + c τ = 0,  s − G x − h τ = 0,  κ + p |x|² / τ + c · x + h · y = 0,  s ∘ y = 0,  κ τ = 0.
//! If τ > 0, then x / τ is the solution. If τ = 0 and c · x < 0, then x is a direction in which the value has no limit. With the scaling
//! that maps s and y to one point λ, a step solves (p + Bᵀ B) δx = b, B the scaled G, by an orthonormal basis of the columns of
//! B and √p 1: Bᵀ B itself would lose half of the digits. `polish` makes the solution of a strictly convex program exact.

mod polish;

use crate::math::{Vector, dot, largest, length};
use crate::memory::{self, refill};
use crate::solve::cone::{Scaling, product, quotient, reach};
use polish::ConePart;

/// The share of the way to the boundary that a step may go.
const SHARE: f64 = 0.99;

/// The largest number of steps.
const MOST_STEPS: usize = 60;

/// Steps that may follow the best point without a better one.
const PATIENCE: usize = 4;

/// A value that is larger than the offsets by the inverse of this does not count as finite.
const CERTAIN: f64 = 1e-8;

/// Directions whose part in G is smaller than this share of the largest may be free of limits.
const OPEN: f64 = 1e-6;

/// The regularization of a direction that no cone limits, relative to the largest column.
const ALPHA: f64 = 1e-10;

/// The result of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramOutcome {
    /// The program has a solution.
    Found,
    /// There is no least value.
    Unbounded,
}

/// The constraints of a program, and memory for its solutions.
#[derive(Debug, Default)]
pub struct ConeProgram {
    /// The number of unknowns.
    size: usize,
    /// Columns of G: three values for each cone.
    pub columns: Vec<Vector>,
    /// h.
    pub offsets: Vec<Vector>,
    x: Vec<f64>,
    rows: Vec<ConeState>,
    tau: f64,
    kappa: f64,
    /// B, column by column; the orthonormal basis of its columns, and the triangular factor.
    scaled: Vec<Vector>,
    basis: Vec<f64>,
    factor: Vec<f64>,
    /// The steps for the right-hand side and for τ, and a workspace.
    step: Vec<f64>,
    of_tau: Vec<f64>,
    rest: Vec<f64>,
    /// p x − Gᵀ y + c τ.
    lack: Vec<f64>,
    best: Vec<f64>,
    /// Whether cones do not limit some directions; `None`: nobody has looked.
    is_open: Option<bool>,
}

/// The state of a cone.
#[derive(Clone, Copy, Debug, Default)]
struct ConeState {
    s: Vector,
    y: Vector,
    scaling: Scaling,
    lambda: Vector,
    /// s − G x − h τ, scaled; h scaled.
    lack: Vector,
    offset: Vector,
    /// λ \ d_s.
    center: Vector,
    /// Scaled changes: of y for the right-hand side and for τ; then of both with the step of τ.
    of_y: Vector,
    of_tau: Vector,
    change_s: Vector,
    change_y: Vector,
    /// s / τ and y / τ of the best point.
    best: [Vector; 2],
    place: ConePart,
}

/// A step of τ and κ.
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    tau: f64,
    kappa: f64,
}

impl ConeProgram {
    /// Begin a program with this number of unknowns and cones, all of whose values are zero.
    pub fn start(&mut self, size: usize, cones: usize) -> memory::Result {
        self.size = size;
        self.is_open = None;
        refill(&mut self.columns, size * cones, [0.0; 3])?;
        refill(&mut self.scaled, size * cones, [0.0; 3])?;
        refill(&mut self.offsets, cones, [0.0; 3])?;
        refill(&mut self.rows, cones, ConeState::default())?;
        refill(&mut self.basis, size * (3 * cones + size), 0.0)?;
        refill(&mut self.factor, size * size, 0.0)?;
        for values in
            [&mut self.x, &mut self.step, &mut self.of_tau, &mut self.rest, &mut self.lack, &mut self.best]
        {
            refill(values, size, 0.0)?;
        }
        Ok(())
    }

    /// The solution of the last program.
    pub fn solution(&self) -> &[f64] {
        &self.best
    }

    /// Solve for c and p, until the errors are at most `goal` or no longer decrease.
    pub fn solve(&mut self, c: &[f64], p: f64, goal: f64) -> ProgramOutcome {
        if p == 0.0 && self.is_free(c) {
            return ProgramOutcome::Unbounded;
        }
        self.x.fill(0.0);
        self.best.fill(0.0);
        (self.tau, self.kappa) = (1.0, 1.0);
        let unit = [1.0, 0.0, 0.0];
        self.rows.fill(ConeState { s: unit, y: unit, ..ConeState::default() });
        let (mut least, mut since) = (f64::INFINITY, 0);
        for _ in 0..MOST_STEPS {
            let error = self.errors(c, p);
            if p == 0.0 && self.shows_no_limit(c) {
                return ProgramOutcome::Unbounded;
            }
            if error < least {
                (least, since) = (error, 0);
                self.best.iter_mut().zip(&self.x).for_each(|(to, x)| *to = x / self.tau);
                let of_tau = |v: &Vector| v.map(|x| x / self.tau);
                self.rows.iter_mut().for_each(|row| row.best = [of_tau(&row.s), of_tau(&row.y)]);
            } else {
                since += 1;
            }
            if error <= goal || since > PATIENCE || !self.advance(c, p) {
                break;
            }
        }
        ProgramOutcome::Found
    }

    /// Whether the value changes along a direction x with G x = 0, which no cone limits.
    fn is_free(&mut self, c: &[f64]) -> bool {
        if self.is_open == Some(false) {
            return false;
        }
        self.scaled.copy_from_slice(&self.columns);
        self.factorize(0.0);
        let diagonal = (0..self.size).map(|j| self.factor[self.size * j + j]);
        let [least, most] = [f64::min, f64::max].map(|of| diagonal.clone().reduce(of).unwrap_or(1.0));
        self.is_open = Some(self.rows.is_empty() || least <= OPEN * most);
        // Where (Gᵀ G + α) x = c is large, G x is small.
        let mut x = std::mem::take(&mut self.step);
        x.copy_from_slice(c);
        self.solve_factor(&mut x);
        let value: f64 = c.iter().zip(&x).map(|(c, x)| c * x).sum();
        let made = (0..self.rows.len()).map(|cone| largest(&self.made(cone, &x)));
        let is_free = value > 0.0 && made.fold(0.0, f64::max) <= CERTAIN * value;
        self.step = x;
        is_free
    }

    /// The part of a cone in G x.
    fn made(&self, cone: usize, x: &[f64]) -> Vector {
        let mut made = [0.0; 3];
        for (j, x) in x.iter().enumerate() {
            let g = &self.columns[self.rows.len() * j + cone];
            (0..3).for_each(|i| made[i] += g[i] * x);
        }
        made
    }

    fn column(columns: &[Vector], cones: usize, j: usize) -> &[Vector] {
        &columns[cones * j..][..cones]
    }

    /// The sum of the products of column j of B with a vector of each cone.
    fn scaled_sum(&self, j: usize, of: impl Fn(&ConeState) -> &Vector) -> f64 {
        let column = Self::column(&self.scaled, self.rows.len(), j);
        column.iter().zip(&self.rows).map(|(g, row)| dot(g, of(row))).sum()
    }

    /// Compute the residuals, and return the largest error of x / τ.
    fn errors(&mut self, c: &[f64], p: f64) -> f64 {
        let cones = self.rows.len();
        let Self { columns, offsets, rows, lack, x, tau, .. } = self;
        for (row, h) in rows.iter_mut().zip(&*offsets) {
            row.lack = std::array::from_fn(|i| row.s[i] - h[i] * *tau);
        }
        for (j, lack) in lack.iter_mut().enumerate() {
            let mut sum = p * x[j] + c[j] * *tau;
            for (row, g) in rows.iter_mut().zip(Self::column(columns, cones, j)) {
                sum -= dot(g, &row.y);
                (0..3).for_each(|i| row.lack[i] -= g[i] * x[j]);
            }
            *lack = sum;
        }
        let value = |to: &[f64]| to.iter().zip(&*x).map(|(a, b)| a * b).sum::<f64>();
        let of_h = rows.iter().zip(&*offsets).map(|(row, h)| dot(h, &row.y)).sum::<f64>();
        let (linear, square) = (value(c), p * value(x));
        let gap = (square / *tau + linear + of_h).abs() / (*tau + linear.abs());
        let of_rows = rows.iter().map(|row| largest(&row.lack)).fold(0.0, f64::max);
        (of_rows / *tau).max(largest(lack) / *tau).max(gap)
    }

    /// Whether x is a direction in which the value has no limit.
    fn shows_no_limit(&self, c: &[f64]) -> bool {
        let value: f64 = c.iter().zip(&self.x).map(|(c, x)| c * x).sum();
        // s − G x = h τ + the residual.
        let lack = self.rows.iter().zip(&self.offsets).flat_map(|(row, h)| {
            let tau = self.tau;
            (0..3).map(move |i| (row.lack[i] + h[i] * tau).abs())
        });
        value < 0.0 && lack.fold(0.0, f64::max) <= -CERTAIN * value
    }

    /// Take a step; return false if there is none.
    fn advance(&mut self, c: &[f64], p: f64) -> bool {
        let degree = self.rows.len() as f64 + 1.0;
        let sum: f64 = self.rows.iter().map(|row| dot(&row.s, &row.y)).sum();
        let mean = (sum + self.tau * self.kappa) / degree;
        for row in &mut self.rows {
            row.scaling = Scaling::of(&row.s, &row.y);
            row.lambda = row.scaling.times(&row.y);
            row.lack = row.scaling.inverse_times(&row.lack);
            row.center = row.lambda;
        }
        for (row, h) in self.rows.iter_mut().zip(&self.offsets) {
            row.offset = row.scaling.inverse_times(h);
        }
        self.scale();
        self.factorize(p);
        self.solve_for_tau(c, p);
        let predictor = self.direction(c, p, 1.0, self.kappa * self.tau);
        let long = self.reach(&predictor).min(1.0);
        let share = (1.0 - long).powi(3);
        for row in &mut self.rows {
            let second = product(&row.change_s, &row.change_y);
            let of_lambda = product(&row.lambda, &row.lambda);
            let mut d: Vector = std::array::from_fn(|i| of_lambda[i] + second[i]);
            d[0] -= share * mean;
            row.center = quotient(&d, &row.lambda);
        }
        let of_kappa = self.kappa * self.tau + predictor.kappa * predictor.tau - share * mean;
        let step = self.direction(c, p, 1.0 - share, of_kappa);
        let long = (SHARE * self.reach(&step)).min(1.0);
        self.go(&step, long)
    }

    /// Go along the step. Returns false, with nothing changed, if a number is not finite or the point is not inside.
    fn go(&mut self, step: &Step, long: f64) -> bool {
        let (tau, kappa) = (self.tau + long * step.tau, self.kappa + long * step.kappa);
        let is_right = tau > 0.0 && kappa > 0.0 && self.step.iter().all(|x| x.is_finite());
        if !is_right {
            return false;
        }
        (self.tau, self.kappa) = (tau, kappa);
        self.x.iter_mut().zip(&self.step).for_each(|(x, step)| *x += long * step);
        for row in &mut self.rows {
            let s = row.scaling.times(&row.change_s);
            let y = row.scaling.inverse_times(&row.change_y);
            (0..3).for_each(|i| row.s[i] += long * s[i]);
            (0..3).for_each(|i| row.y[i] += long * y[i]);
            // Rounding may move a point that is close to the boundary out of the cone.
            for x in [&mut row.s, &mut row.y] {
                x[0] = x[0].max((1.0 + 4.0 * f64::EPSILON) * length(x[1], x[2]));
                x[0] = x[0].max(f64::MIN_POSITIVE.sqrt());
            }
        }
        true
    }

    /// The largest step that stays inside.
    fn reach(&self, step: &Step) -> f64 {
        let of = |x: f64, change: f64| if change < 0.0 { -x / change } else { f64::INFINITY };
        let ends = of(self.tau, step.tau).min(of(self.kappa, step.kappa));
        let of_row =
            |row: &ConeState| reach(&row.lambda, &row.change_s).min(reach(&row.lambda, &row.change_y));
        self.rows.iter().map(of_row).fold(ends, f64::min)
    }

    /// Scale G.
    fn scale(&mut self) {
        let cones = self.rows.len().max(1);
        for (k, (to, g)) in self.scaled.iter_mut().zip(&self.columns).enumerate() {
            *to = self.rows[k % cones].scaling.inverse_times(g);
        }
    }

    /// Make an orthonormal basis of the columns of B with √p 1 below.
    fn factorize(&mut self, p: f64) {
        let (cones, size) = (self.rows.len(), self.size);
        let Self { scaled, basis, factor, .. } = self;
        let tall = 3 * cones + size;
        let lengths =
            (0..size).map(|j| Self::column(scaled, cones, j).iter().map(|g| dot(g, g)).sum::<f64>());
        let longest = lengths.fold(0.0, f64::max).sqrt();
        let below = p.sqrt().max(ALPHA * longest).max(ALPHA);
        for (j, to) in basis.chunks_exact_mut(tall).enumerate() {
            let (top, bottom) = to.split_at_mut(3 * cones);
            top.copy_from_slice(Self::column(scaled, cones, j).as_flattened());
            bottom.fill(0.0);
            bottom[j] = below;
        }
        for j in 0..size {
            let (first, others) = basis[tall * j..].split_at_mut(tall);
            let length = first.iter().map(|x| x * x).sum::<f64>().sqrt();
            factor[size * j + j] = length;
            first.iter_mut().for_each(|x| *x /= length);
            for (k, other) in (j + 1..).zip(others.chunks_exact_mut(tall)) {
                let along: f64 = first.iter().zip(&*other).map(|(a, b)| a * b).sum();
                factor[size * k + j] = along;
                other.iter_mut().zip(&*first).for_each(|(x, first)| *x -= along * first);
            }
        }
    }

    /// Replace b by the solution of (p + Bᵀ B) x = b, with one correction.
    fn solve_normal(&self, p: f64, b: &mut [f64], rest: &mut [f64]) {
        rest.copy_from_slice(b);
        self.solve_factor(b);
        let cones = self.rows.len();
        let columns = |j: usize| Self::column(&self.scaled, cones, j);
        (0..self.size).for_each(|j| rest[j] -= p * b[j]);
        for cone in 0..cones {
            let mut made = [0.0; 3];
            (0..self.size).for_each(|j| (0..3).for_each(|i| made[i] += columns(j)[cone][i] * b[j]));
            (0..self.size).for_each(|j| rest[j] -= dot(&columns(j)[cone], &made));
        }
        self.solve_factor(rest);
        b.iter_mut().zip(&*rest).for_each(|(b, rest)| *b += rest);
    }

    /// Solve with the triangular factor and its transpose.
    fn solve_factor(&self, b: &mut [f64]) {
        let (size, factor) = (self.size, &self.factor);
        for k in 0..size {
            let earlier: f64 = (0..k).map(|j| factor[size * k + j] * b[j]).sum();
            b[k] = (b[k] - earlier) / factor[size * k + k];
        }
        for j in (0..size).rev() {
            let later: f64 = (j + 1..size).map(|k| factor[size * k + j] * b[k]).sum();
            b[j] = (b[j] - later) / factor[size * j + j];
        }
    }

    /// Compute how x and y change with τ.
    fn solve_for_tau(&mut self, c: &[f64], p: f64) {
        let cones = self.rows.len();
        let mut x = std::mem::take(&mut self.of_tau);
        let mut rest = std::mem::take(&mut self.rest);
        for (j, to) in x.iter_mut().enumerate() {
            *to = -(c[j] + self.scaled_sum(j, |row| &row.offset));
        }
        self.solve_normal(p, &mut x, &mut rest);
        for (cone, row) in self.rows.iter_mut().enumerate() {
            row.of_tau = row.offset.map(|h| -h);
            subtract_made(&self.scaled, cones, cone, &x, &mut row.of_tau);
        }
        (self.of_tau, self.rest) = (x, rest);
    }

    /// Compute the step that reduces the residuals by this share, with the center of each cone, and κ τ by `of_kappa`.
    fn direction(&mut self, c: &[f64], p: f64, share: f64, of_kappa: f64) -> Step {
        let cones = self.rows.len();
        let mut x = std::mem::take(&mut self.step);
        let mut rest = std::mem::take(&mut self.rest);
        for row in &mut self.rows {
            row.of_y = std::array::from_fn(|i| share * row.lack[i] - row.center[i]);
        }
        for (j, to) in x.iter_mut().enumerate() {
            *to = self.scaled_sum(j, |row| &row.of_y) - share * self.lack[j];
        }
        if share < 1.0 {
            self.solve_normal(p, &mut x, &mut rest);
        } else {
            // Errors of the predictor matter less.
            self.solve_factor(&mut x);
        }
        for (cone, row) in self.rows.iter_mut().enumerate() {
            subtract_made(&self.scaled, cones, cone, &x, &mut row.of_y);
        }
        let step = self.step_of_tau(c, p, share, of_kappa, &x);
        x.iter_mut().zip(&self.of_tau).for_each(|(x, of_tau)| *x += step.tau * of_tau);
        for row in &mut self.rows {
            row.change_y = std::array::from_fn(|i| row.of_y[i] + step.tau * row.of_tau[i]);
            row.change_s = std::array::from_fn(|i| -row.center[i] - row.change_y[i]);
        }
        (self.step, self.rest) = (x, rest);
        step
    }

    /// The step of τ and κ, from the third equation.
    fn step_of_tau(&self, c: &[f64], p: f64, share: f64, of_kappa: f64, step: &[f64]) -> Step {
        let Self { x, tau, kappa, of_tau, rows, offsets, .. } = self;
        let (mut lack, mut top, mut bottom, mut square) = (*kappa, 0.0, 0.0, 0.0);
        for j in 0..self.size {
            let point = x[j] / tau;
            let gradient = 2.0 * p * point + c[j];
            square += p * point * point;
            lack += (p * point + c[j]) * x[j];
            top += gradient * step[j];
            bottom += gradient * of_tau[j];
        }
        for (row, h) in rows.iter().zip(offsets) {
            lack += dot(h, &row.y);
            top += dot(&row.offset, &row.of_y);
            bottom += dot(&row.offset, &row.of_tau);
        }
        let of_tau = (of_kappa / tau - share * lack - top) / (bottom - kappa / tau - square);
        Step { tau: of_tau, kappa: -(of_kappa + kappa * of_tau) / tau }
    }
}

/// Subtract the part of a cone in B x.
fn subtract_made(scaled: &[Vector], cones: usize, cone: usize, x: &[f64], from: &mut Vector) {
    for (j, x) in x.iter().enumerate() {
        let g = &scaled[cones * j + cone];
        (0..3).for_each(|i| from[i] -= g[i] * x);
    }
}
