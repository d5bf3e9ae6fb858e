//! A Jacobian in the form that the user has, dense or by compressed rows, and its rows in the columns of a body.
#![forbid(unsafe_code)]

use std::ops::Range;

use crate::math::is_finite;

use super::super::error::{Error, Fault, Result};

/// The Jacobian J. Its rows are the rows of constraints in turn; its columns are the velocities of bodies in turn.
///
/// ```
/// use ldy::system::{Inertia, Jacobian, Kinematics, System};
///
/// let mut system = System::new();
/// let arm = system.add_body(2, Kinematics::General, Inertia::diagonal(&[1.0, 4.0])?)?;
/// // One constraint of two rows.
/// let j = Jacobian::Dense { values: &[1.0, 0.0, 1.0, 1.0], shape: [2, 2], strides: [2, 1] };
/// system.add_jacobian([arm].into_iter(), [2].into_iter(), &j)?;
/// system.update(1.0)?;
/// assert_eq!(system.results()?.w.values(), [1.0, 1.0, 1.0, 5.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Jacobian<'a> {
    /// All entries.
    Dense {
        /// Entry (i, j) is the value `i * strides[0] + j * strides[1]`.
        values: &'a [f64],
        /// Rows and columns.
        shape: [usize; 2],
        /// Values from one row to the next, and from one column to the next.
        strides: [usize; 2],
    },
    /// Compressed rows: the values of row i begin at `starts[i]`; they end at `starts[i + 1]`, or there are `counts[i]` of them.
    /// Columns ascend.
    Sparse {
        /// Rows and columns.
        shape: [usize; 2],
        /// The place where each row begins; without counts also the end of the last row.
        starts: &'a [i32],
        /// The number of entries of each row.
        counts: Option<&'a [i32]>,
        /// The column of each value.
        indices: &'a [i32],
        /// The values.
        values: &'a [f64],
    },
}

/// A row of J in the columns of a body.
#[derive(Clone, Copy)]
pub(super) enum JacobianRow<'a> {
    /// A value for each column, with a stride between them.
    Dense { values: &'a [f64], stride: usize, count: usize },
    /// Columns and values from a place among all values on; `first` is the first column of the body.
    Sparse { start: usize, indices: &'a [i32], values: &'a [f64], first: u32 },
}

impl Jacobian<'_> {
    /// The number of values from the first to the last of a dense Jacobian.
    pub fn extent([rows, columns]: [usize; 2], strides: [usize; 2]) -> usize {
        let last = |count: usize, stride: usize| count.saturating_sub(1).saturating_mul(stride);
        let end = last(rows, strides[0]).saturating_add(last(columns, strides[1])).saturating_add(1);
        if rows == 0 || columns == 0 { 0 } else { end }
    }

    pub(super) fn shape(&self) -> [usize; 2] {
        let (Self::Dense { shape, .. } | Self::Sparse { shape, .. }) = self;
        *shape
    }

    /// Check that arrays have the lengths that the shape requires.
    pub(super) fn check(&self) -> Result<(), Fault> {
        let (what, expected, found) = match self {
            Self::Dense { values, shape, strides } => {
                ("values of the Jacobian J", Self::extent(*shape, *strides), values.len())
            }
            Self::Sparse { shape, starts, counts, indices, values } => {
                let expected = shape[0] + usize::from(counts.is_none());
                if starts.len() != expected {
                    ("starts of rows of the Jacobian J", expected, starts.len())
                } else if counts.is_some_and(|counts| counts.len() != shape[0]) {
                    ("counts of rows of the Jacobian J", shape[0], counts.unwrap_or_default().len())
                } else {
                    ("columns of values of the Jacobian J", values.len(), indices.len())
                }
            }
        };
        if found < expected || u32::try_from(self.shape()[1]).is_err() {
            return Err(Fault::Size { what, expected, found });
        }
        Ok(())
    }

    /// Start, columns and values of a compressed row; `None` if it begins or ends outside.
    #[inline(always)]
    fn compressed(&self, row: usize) -> Option<(usize, &[i32], &[f64])> {
        let Self::Sparse { starts, counts, indices, values, .. } = self else { return None };
        let start = usize::try_from(starts[row]).ok()?;
        let end = match counts {
            Some(counts) => start.checked_add(usize::try_from(counts[row]).ok()?)?,
            None => usize::try_from(starts[row + 1]).ok()?,
        };
        Some((start, indices.get(start..end)?, values.get(start..end)?))
    }

    /// Whether all values are finite, if one pass over the array can show it; values between rows may be not finite.
    pub(super) fn is_finite(&self) -> bool {
        match *self {
            Self::Dense { values, shape: [rows, columns], .. } => {
                values.len() / 2 <= rows.saturating_mul(columns) && is_finite(values)
            }
            Self::Sparse { values, .. } => is_finite(values),
        }
    }

    /// The rows of the next constraint, which has `count` rows.
    pub(super) fn next_rows(&self, end: &mut usize, count: usize) -> Result<Range<usize>> {
        let first = *end;
        *end += count;
        if *end > self.shape()[0] {
            self.check_end(*end)?;
        }
        Ok(first..*end)
    }

    /// Check that J has the expected number of rows.
    pub(super) fn check_end(&self, expected: usize) -> Result {
        match self.shape() {
            [found, _] if found == expected => Ok(()),
            [found, _] => {
                let what = "rows of the Jacobian J";
                Err(Error::of_system(Fault::Size { what, expected, found }))
            }
        }
    }

    /// Check that rows are well-formed, and finite unless that is known.
    #[inline(always)]
    pub(super) fn check_rows(&self, mut rows: Range<usize>, is_finite: bool) -> Result<(), Fault> {
        rows.try_for_each(|row| self.check_row(row, is_finite))
    }

    /// Check that a row is well-formed, and finite unless that is known.
    #[inline(always)]
    pub(super) fn check_row(&self, row: usize, is_known: bool) -> Result<(), Fault> {
        let are_finite = match *self {
            Self::Dense { .. } if is_known => true,
            Self::Dense { shape: [_, columns], .. } => {
                let JacobianRow::Dense { values, stride, count } = self.part(row, 0, columns) else {
                    return Ok(());
                };
                match stride {
                    1 => is_finite(&values[..count]),
                    _ => (0..count).fold(true, |all, column| all & values[stride * column].is_finite()),
                }
            }
            Self::Sparse { shape: [_, columns], .. } => {
                let outside = Fault::Invalid("a row of the Jacobian J begins or ends outside");
                let (_, indices, values) = self.compressed(row).ok_or(outside)?;
                let is_there = indices.first().is_none_or(|&first| first >= 0)
                    && indices.last().is_none_or(|&last| (last as usize) < columns);
                let pairs = indices.iter().zip(indices.get(1..).unwrap_or_default());
                let is_ascending = pairs.fold(is_there, |all, (one, next)| all & (one < next));
                if !is_ascending {
                    return Err(Fault::Invalid(
                        "columns of a row of the Jacobian J do not ascend, or there is no such column",
                    ));
                }
                is_known || is_finite(values)
            }
        };
        if are_finite { Ok(()) } else { Err(Fault::NotFinite("its operator H")) }
    }

    /// A checked row in a range of columns.
    #[inline(always)]
    pub(super) fn part(&self, row: usize, first: usize, end: usize) -> JacobianRow<'_> {
        match *self {
            Self::Dense { values, strides, .. } => {
                let values = values.get(strides[0] * row + strides[1] * first..).unwrap_or_default();
                JacobianRow::Dense { values, stride: strides[1], count: end - first }
            }
            Self::Sparse { shape, .. } => {
                let (mut start, mut indices, mut values) = self.compressed(row).unwrap_or_default();
                if end - first < shape[1] {
                    let is_before = |column: usize| move |index: &i32| (*index as usize) < column;
                    let own =
                        indices.partition_point(is_before(first))..indices.partition_point(is_before(end));
                    start += own.start;
                    (indices, values) = (&indices[own.clone()], &values[own]);
                }
                JacobianRow::Sparse { start, indices, values, first: first as u32 }
            }
        }
    }
}

impl<'a> JacobianRow<'a> {
    /// The values of all columns if they follow each other in memory, and otherwise none.
    #[inline(always)]
    pub(super) fn contiguous(self) -> &'a [f64] {
        match self {
            Self::Dense { values, stride: 1, count } => &values[..count],
            _ => &[],
        }
    }

    /// An upper limit of the number of nonzeros.
    pub(super) fn most(&self) -> usize {
        match self {
            Self::Dense { count, .. } => *count,
            Self::Sparse { indices, .. } => indices.len(),
        }
    }

    /// The number of nonzeros.
    pub(super) fn count(&self) -> usize {
        (0..self.most()).filter(|&k| self.value(k) != 0.0).count()
    }

    /// The column of the k-th entry, `u32::MAX` after the last one.
    #[inline(always)]
    pub(super) fn column(&self, k: usize) -> u32 {
        match self {
            Self::Dense { count, .. } if k < *count => k as u32,
            Self::Dense { .. } => u32::MAX,
            Self::Sparse { indices, first, .. } => {
                indices.get(k).map_or(u32::MAX, |index| *index as u32 - first)
            }
        }
    }

    /// The value of the k-th entry.
    #[inline(always)]
    pub(super) fn value(&self, k: usize) -> f64 {
        match self {
            Self::Dense { values, stride, .. } => values[stride * k],
            Self::Sparse { values, .. } => values[k],
        }
    }
}
