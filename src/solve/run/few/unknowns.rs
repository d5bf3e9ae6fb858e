//! The dense equations of a step. The step δ of Newton's method obeys δ = −F + P' (δ − M δ). P' has rank three only where a contact
//! sticks, two where it slides, and zero where it is open. With P' = L Rᵀ the unknowns are z = Rᵀ (δ − M δ): their number is the rank,
//! and δ = −F + L z.

use crate::math::simd::{F64x4, Kernel, SimdLevel, combination};
use crate::math::{Block, UNIT, Vector, elimination};
use crate::solve::frames::Axes;
use crate::solve::newton::Equations;

/// The unknowns of a row.
#[derive(Clone, Copy, Default)]
pub struct RowUnknowns {
    /// The place of the first one, and their number. Three are the components of the step without −F.
    pub first: usize,
    pub count: usize,
    /// The columns of L and of Rᵀ, if there are one or two.
    left: [Vector; 2],
    right: [[f64; 4]; 3],
    /// The change of the step with the normal unknown of the row before, and the place of this unknown.
    pull: Vector,
    pulled_by: Option<usize>,
    /// Whether −F is not zero.
    is_driven: bool,
}

impl RowUnknowns {
    /// Find the unknowns for −F and a slope P'. Where second tangents are known to be zero they are left out.
    pub fn find<A: Axes>(&mut self, minus: &Vector, slope: &Block, first: usize, is_flat: bool) {
        (self.first, self.is_driven) = (first, *minus != [0.0; 3]);
        if *slope == UNIT && !is_flat {
            self.count = 3;
            return;
        }
        if slope[4 * A::N] != 0.0 {
            self.push([slope[3 * A::N], slope[3 * A::N + 1], slope[3 * A::N + 2]], unit(A::N));
        }
        let both = slope[3 * A::S + A::T];
        if both != 0.0 {
            // A disk's slope has rank one.
            let (a, b) = if slope[4 * A::S] >= slope[4 * A::T] { (A::S, A::T) } else { (A::T, A::S) };
            let (mut left, mut right) = (unit(a), unit(a));
            (left[a], left[b], right[b]) = (slope[4 * a], both, both / slope[4 * a]);
            self.push(left, right);
            return;
        }
        for lane in [A::S, A::T] {
            if slope[4 * lane] != 0.0 && !(is_flat && lane == A::T) {
                self.push(unit(lane).map(|x| x * slope[4 * lane]), unit(lane));
            }
        }
    }

    fn push(&mut self, left: Vector, right: Vector) {
        self.left[self.count] = left;
        (0..3).for_each(|i| self.right[i][self.count] = right[i]);
        self.count += 1;
    }

    /// Let the unknown of the normal force in the row before act on this row.
    pub fn pull_by<A: Axes>(&mut self, before: &Self, pull: Vector) {
        self.pull = pull;
        self.pulled_by = Some(before.first + if before.count == 3 { A::N } else { 0 });
    }

    /// The step of the row, from −F and all unknowns.
    pub fn step(&self, minus: &Vector, z: &[f64]) -> Vector {
        let mut step = *minus;
        let own = &z[self.first..][..self.count];
        match own {
            [x, y, z] => (step[0], step[1], step[2]) = (step[0] + x, step[1] + y, step[2] + z),
            _ => own.iter().zip(&self.left).for_each(|(z, left)| add(&mut step, left, *z)),
        }
        if let Some(place) = self.pulled_by {
            add(&mut step, &self.pull, z[place]);
        }
        step
    }
}

/// The equations of the unknowns, (1 + Rᵀ (M − 1) L) z = Rᵀ (1 − M) (−F), for an elimination.
pub struct DenseEquations<'a> {
    pub equations: &'a Equations<'a>,
    /// 1 / √d and −F of each row.
    pub inverses: &'a [f64],
    pub minus: &'a [Vector],
    pub unknowns: &'a [RowUnknowns],
    /// Zeros: columns of the same number of vectors, then b, then a vector.
    pub columns: &'a mut [[f64; 4]],
    pub size: usize,
}

impl Kernel for DenseEquations<'_> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(mut self, level: L) {
        for row in 0..self.unknowns.len() {
            if self.unknowns[row].count > 0 {
                self.add_row(level, row);
                self.add_diagonal(level, row);
            }
        }
    }
}

impl DenseEquations<'_> {
    /// Add Rᵀ W L of the blocks in a row, and its part of b.
    #[inline(always)]
    fn add_row<L: SimdLevel>(&mut self, level: L, row: usize) {
        let Self { equations, inverses, minus, unknowns, size, .. } = *self;
        let (problem, own) = (equations.problem, &unknowns[row]);
        let mut rest = level.of_vector(minus[row]) * (1.0 - equations.alpha(row));
        for k in problem.range(row) {
            let column = problem.columns[k] as usize;
            let of = &unknowns[column];
            if of.count == 0 && !of.is_driven && of.pulled_by.is_none() {
                continue;
            }
            let scale = level.of_vector([inverses[row] * inverses[column]; 3]);
            let [x, y, z] = level.columns(&problem.values[k]);
            let w = [x * scale, y * scale, z * scale];
            if of.is_driven {
                rest = rest - combination(&w, &minus[column]);
            }
            if of.count == 3 {
                self.add(level, of.first, own, w[0]);
                self.add(level, of.first + 1, own, w[1]);
                self.add(level, of.first + 2, own, w[2]);
            } else {
                for u in 0..of.count {
                    self.add(level, of.first + u, own, combination(&w, &of.left[u]));
                }
            }
            if let Some(place) = of.pulled_by {
                self.add(level, place, own, combination(&w, &of.pull));
            }
        }
        self.add(level, size, own, rest);
    }

    /// Add Rᵀ times a vector of the row to a column. The fourth lane of the vector is zero, and so are those that are added.
    #[inline(always)]
    fn add<L: SimdLevel>(&mut self, level: L, column: usize, own: &RowUnknowns, made: L::F64x4) {
        let made = match own.count {
            3 => made,
            _ => {
                let right = [level.load(&own.right[0]), level.load(&own.right[1]), level.load(&own.right[2])];
                combination(&right, &made.vector())
            }
        };
        let first = 4 * elimination::width(self.size) * column + own.first;
        let Some(to) = self.columns.as_flattened_mut()[first..].first_chunk_mut() else {
            unreachable!("a vector after the last column")
        };
        *to = (level.load(to) + made).values();
    }

    /// Add 1 − (1 − α) Rᵀ L on the diagonal.
    #[inline(always)]
    fn add_diagonal<L: SimdLevel>(&mut self, level: L, row: usize) {
        let (own, alpha) = (&self.unknowns[row], self.equations.alpha(row));
        let stride = 4 * elimination::width(self.size);
        for u in 0..own.count {
            let column = own.first + u;
            let entry = &mut self.columns.as_flattened_mut()[column * stride + column];
            if own.count == 3 {
                *entry += alpha;
                continue;
            }
            *entry += 1.0;
            self.add(level, column, own, level.of_vector(own.left[u]) * (alpha - 1.0));
        }
        if let Some(place) = own.pulled_by {
            self.add(level, place, own, level.of_vector(own.pull) * (alpha - 1.0));
        }
    }
}

fn unit(lane: usize) -> Vector {
    std::array::from_fn(|i| f64::from(i == lane))
}

/// Add a multiple.
fn add(to: &mut Vector, x: &Vector, factor: f64) {
    (0..3).for_each(|i| to[i] += factor * x[i]);
}
