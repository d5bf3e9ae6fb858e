//! Which scalar rows of W depend on others: Cholesky with pivoting, dense, one connected group of rows after the other.
//!
//! The remainder of a diagonal entry is the squared sine of the angle between a row and the span of the chosen rows, in the metric of
//! A⁻¹: it is zero for a row that depends on them. The null vectors of the factor show which rows depend on earlier ones: a row does
//! if it is the last in a null vector.

use crate::memory::{push, repeated};
use crate::rows::block_rows::BlockRows;
use crate::rows::elimination::{Elimination, RowState, scale};
use crate::rows::fault::{Error, Fault};

/// The default tolerance: the squared sine below which a row depends on others.
pub(crate) const TOLERANCE: f64 = 1e-10;

/// A larger entry of a null vector, scaled to a largest entry of 1, is not a rounding error.
const ENTRY: f64 = 1e-5;

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
    let mut elimination = Elimination::default();
    while groups.find(w)? {
        eliminate(&mut elimination, w, &groups, tolerance)?;
        elimination.make_null_vectors()?;
        find_dependent(&mut elimination);
        for (state, &(row, i)) in elimination.states.iter().zip(&groups.scalars) {
            dependent[w.scalars(row).start + i] = *state == RowState::Dependent;
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

/// Choose the rows of a group on which all its rows depend.
fn eliminate(
    elimination: &mut Elimination,
    w: &BlockRows,
    groups: &CoupledGroups,
    tolerance: f64,
) -> Result<(), Error> {
    let diagonal = groups.members.iter().filter_map(|&row| w.upper(row).next());
    let entries = diagonal.flat_map(|(row, block)| block.iter().step_by(w.height(row) + 1));
    // W is symmetric: entry (pivot, j) is read for (j, pivot).
    let column = |pivot: usize, column: &mut [f64]| {
        let (row, i) = groups.scalars[pivot];
        for (other, block) in w.row(row) {
            let values = block[i..].iter().step_by(w.height(row));
            column[groups.place[other]..].iter_mut().zip(values).for_each(|(to, value)| *to = *value);
        }
    };
    elimination
        .run(groups.scalars.len(), entries.copied(), column, tolerance)
        .map_err(|error| Error { row: error.row.map(|scalar| groups.scalars[scalar].0), ..error })
}

/// Find the rows that depend on earlier ones, among all rows: their number is the number of rows that were not chosen.
fn find_dependent(elimination: &mut Elimination) {
    let Elimination { states, null, .. } = elimination;
    let size = states.len();
    let mut count = null.len() / size;
    let mut rows = states.iter().filter(|state| **state != RowState::Dependent).count();
    for row in (0..size).rev() {
        if states[row] == RowState::Dependent || count == 0 {
            continue;
        }
        rows -= 1;
        let entry = |vector: usize| null[size * vector + row].abs();
        let Some(most) = (0..count).reduce(|a, b| if entry(b) > entry(a) { b } else { a }) else {
            continue;
        };
        // If there is a vector for each remaining row, each row is the last one of a vector, regardless of rounding.
        if entry(most) <= ENTRY && rows >= count {
            states[row] = RowState::Chosen;
            continue;
        }
        states[row] = RowState::Dependent;
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
}
