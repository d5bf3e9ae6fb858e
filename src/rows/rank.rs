//! Which scalar rows of W depend on others: Cholesky with pivoting, dense, one connected group of rows after the other.
//!
//! The rows of a group are scaled to a diagonal of ones. The remainder of a diagonal entry is then the squared sine of the angle
//! between a row and the span of the chosen rows, in the metric of A⁻¹: it is zero for a row that depends on them. The largest
//! remainder is the next pivot, so that rounding errors do not grow and the rank is safe. The null vectors of the factor show which
//! rows depend on earlier ones: a row does if it is the last in a null vector.

use crate::memory::{collect, push, refill, repeated, resize};
use crate::rows::block_rows::BlockRows;
use crate::rows::fault::{Error, Fault};

/// The default tolerance: the squared sine below which a row depends on others.
const TOLERANCE: f64 = 1e-10;

/// A larger entry of a null vector, scaled to a largest entry of 1, is not a rounding error.
const ENTRY: f64 = 1e-5;

/// A diagonal entry below this share of the largest in its group is the square of a rounding error.
const NOTHING: f64 = 1e-26;

/// A remainder below the negative of this is not a rounding error.
const NEGATIVE: f64 = 1e-4;

/// Find the scalar rows that depend on earlier ones: a value for each scalar row.
///
/// `tolerance`: the squared sine of the angle between a row and the span of others below which the row depends on them; 0 is the
/// default, 1e-10. The number of dependent rows is the dimension of the null space of W. If several rows are at smaller angles to
/// each other's span, rounding decides which of them are dependent, but not their number. If a sine is near the tolerance, the
/// dependent row is the last one whose share in the dependence is at least 1e-5.
///
/// W is symmetric and positive semidefinite. A zero row is dependent. The function takes up to 8 n² bytes and n³ operations for a
/// group of n scalar rows.
///
/// ```
/// use ldy::rows::{BlockRows, dependent_rows};
///
/// // The second scalar row is twice the first.
/// let w = BlockRows::new(&[0, 1], &[0], &[1.0, 2.0, 0.0, 2.0, 4.0, 0.0, 0.0, 0.0, 1.0], None)?;
/// assert_eq!(dependent_rows(&w, 0.0)?, [false, true, false]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a value is not finite, the tolerance is not between 0 and 1, W is found to be indefinite, or memory is exhausted.
pub fn dependent_rows(w: &BlockRows, tolerance: f64) -> Result<Vec<bool>, Error> {
    w.check_values()?;
    let why = "the tolerance is not between 0 and 1";
    ensure!((0.0..1.0).contains(&tolerance), Error::of_rows(Fault::Invalid(why)));
    let tolerance = if tolerance == 0.0 { TOLERANCE } else { tolerance };
    let rows = w.len();
    let mut dependent = repeated(w.scalar_count(), false)?;
    let mut groups = CoupledGroups {
        next: 0,
        seen: repeated(rows, false)?,
        members: Vec::new(),
        place: repeated(rows, 0)?,
        scalars: Vec::new(),
    };
    let mut elimination = GroupElimination::default();
    while groups.find(w)? {
        elimination.start(w, &groups)?;
        elimination.run(w, &groups, tolerance)?;
        elimination.find_dependent()?;
        for (state, &(row, i)) in elimination.states.iter().zip(&groups.scalars) {
            dependent[w.scalars(row).start + i] = *state == State::Dependent;
        }
    }
    Ok(dependent)
}

/// An iteration over connected groups of rows.
struct CoupledGroups {
    next: usize,
    seen: Vec<bool>,
    /// The rows of the current group, ascending, and the first scalar row of each in the group.
    members: Vec<usize>,
    place: Vec<usize>,
    /// The row of each scalar row of the group, and its number in the row.
    scalars: Vec<(usize, usize)>,
}

impl CoupledGroups {
    /// Find the next group; return false if there is none.
    fn find(&mut self, w: &BlockRows) -> Result<bool, Error> {
        let Self { next, seen, members, place, scalars } = self;
        members.clear();
        while seen.get(*next) == Some(&true) {
            *next += 1;
        }
        if *next == seen.len() {
            return Ok(false);
        }
        seen[*next] = true;
        push(members, *next)?;
        let mut done = 0;
        while let Some(&row) = members.get(done) {
            done += 1;
            for (column, _) in w.row(row).filter(|(column, _)| !std::mem::replace(&mut seen[*column], true)) {
                push(members, column)?;
            }
        }
        members.sort_unstable();
        scalars.clear();
        for &row in &*members {
            let height = w.height(row);
            place[row] = scalars.len();
            scalars.try_reserve(height)?;
            scalars.extend((0..height).map(|i| (row, i)));
        }
        Ok(true)
    }
}

/// The state of a scalar row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    Chosen,
    Dependent,
}

/// The elimination of one group.
#[derive(Debug, Default)]
struct GroupElimination {
    states: Vec<State>,
    /// 1 / √W_ii, and the remainder of the diagonal.
    scales: Vec<f64>,
    left: Vec<f64>,
    /// The columns of the factor, and their pivots.
    columns: Vec<f64>,
    pivots: Vec<usize>,
    /// Null vectors.
    null: Vec<f64>,
}

impl GroupElimination {
    /// Start with a group.
    fn start(&mut self, w: &BlockRows, groups: &CoupledGroups) -> Result<(), Error> {
        let size = groups.scalars.len();
        let Self { states, scales, left, columns, pivots, .. } = self;
        columns.clear();
        collect(pivots, size, std::iter::empty())?;
        refill(states, size, State::Open)?;
        refill(left, size, 1.0)?;
        let diagonal = groups.members.iter().filter_map(|&row| w.upper(row).next());
        let entries = diagonal.flat_map(|(row, block)| block.iter().step_by(w.height(row) + 1));
        collect(scales, size, entries.copied())?;
        let largest = scales.iter().fold(0.0_f64, |largest, value| largest.max(*value));
        for (at, scale) in scales.iter_mut().enumerate() {
            if *scale < 0.0 {
                return Err(Error::of_row(groups.scalars[at].0, Fault::NotPositive));
            }
            let is_zero = *scale <= NOTHING * largest;
            *scale = if is_zero { 0.0 } else { 1.0 / scale.sqrt() };
            if is_zero {
                (states[at], left[at]) = (State::Dependent, 0.0);
            }
        }
        Ok(())
    }

    /// Choose pivots until all other rows depend on them.
    fn run(&mut self, w: &BlockRows, groups: &CoupledGroups, tolerance: f64) -> Result<(), Error> {
        loop {
            let open = (0..self.left.len()).filter(|&row| self.states[row] == State::Open);
            match open.reduce(|a, b| if self.left[b] > self.left[a] { b } else { a }) {
                Some(pivot) if self.left[pivot] > tolerance => self.eliminate(w, groups, pivot)?,
                _ => return Ok(()),
            }
        }
    }

    /// Find the rows that depend on earlier ones, among all rows: their number is the number of rows that were not chosen.
    fn find_dependent(&mut self) -> Result<(), Error> {
        self.make_null_vectors()?;
        let Self { states, null, .. } = self;
        let size = states.len();
        let mut count = null.len() / size;
        let mut rows = states.iter().filter(|state| **state != State::Dependent).count();
        for row in (0..size).rev() {
            if states[row] == State::Dependent || count == 0 {
                continue;
            }
            rows -= 1;
            let entry = |vector: usize| null[size * vector + row].abs();
            let Some(most) = (0..count).reduce(|a, b| if entry(b) > entry(a) { b } else { a }) else {
                continue;
            };
            // If there is a vector for each remaining row, each row is the last one of a vector, regardless of rounding.
            if entry(most) <= ENTRY && rows >= count {
                states[row] = State::Chosen;
                continue;
            }
            states[row] = State::Dependent;
            count -= 1;
            let (others, last) = null.split_at_mut(size * count);
            if most < count {
                others[size * most..][..size].swap_with_slice(&mut last[..size]);
            }
            for other in others.chunks_exact_mut(size) {
                let factor = other[row] / last[row];
                if factor != 0.0 && factor.is_finite() {
                    other[..row].iter_mut().zip(&last[..row]).for_each(|(x, last)| *x -= factor * last);
                    scale(&mut other[..row]);
                }
            }
        }
        Ok(())
    }

    /// Make the null vector of each row that was not chosen: L₁₁⁻ᵀ times its row of the factor.
    fn make_null_vectors(&mut self) -> Result<(), Error> {
        let Self { states, columns, pivots, null, .. } = self;
        let size = states.len();
        null.clear();
        for row in (0..size).filter(|&row| states[row] == State::Open) {
            let first = null.len();
            resize(null, first + size, 0.0)?;
            let vector = &mut null[first..];
            vector[row] = 1.0;
            for (k, &pivot) in pivots.iter().enumerate().rev() {
                let column = &columns[size * k..][..size];
                let later = pivots[k + 1..].iter().map(|&later| column[later] * vector[later]).sum::<f64>();
                vector[pivot] = -(column[row] + later) / column[pivot];
            }
            scale(vector);
        }
        Ok(())
    }

    /// Make a row a pivot.
    fn eliminate(&mut self, w: &BlockRows, groups: &CoupledGroups, pivot: usize) -> Result<(), Error> {
        let Self { states, scales, left, columns, pivots, .. } = self;
        let size = left.len();
        states[pivot] = State::Chosen;
        pivots.push(pivot);
        let done = columns.len();
        resize(columns, done + size, 0.0)?;
        let (earlier, column) = columns.split_at_mut(done);
        // W is symmetric: entry (pivot, j) is read for (j, pivot).
        let (row, i) = groups.scalars[pivot];
        let height = w.height(row);
        for (other, block) in w.row(row) {
            let first = groups.place[other];
            for (j, value) in block[i..].iter().step_by(height).enumerate() {
                column[first + j] = value * scales[pivot] * scales[first + j];
            }
        }
        for other in earlier.chunks_exact(size) {
            let factor = other[pivot];
            if factor != 0.0 {
                column.iter_mut().zip(other).for_each(|(x, other)| *x -= factor * other);
            }
        }
        let root = left[pivot].sqrt();
        for (row, x) in column.iter_mut().enumerate() {
            *x /= root;
            if states[row] == State::Open {
                left[row] -= *x * *x;
                if left[row] < -NEGATIVE {
                    return Err(Error::of_row(groups.scalars[row].0, Fault::NotPositive));
                }
            }
        }
        Ok(())
    }
}

/// Make the largest entry of a vector 1.
fn scale(vector: &mut [f64]) {
    let largest = vector.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    if largest > 0.0 {
        vector.iter_mut().for_each(|value| *value /= largest);
    }
}
