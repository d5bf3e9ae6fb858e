//! The pattern of a sparse Jacobian that comes repeatedly: the destinations of its values are found once.
#![forbid(unsafe_code)]

use std::iter;

use crate::kinematics::Column;
use crate::math::is_finite;
use crate::memory::{self, collect};

use super::rows::Jacobian;

/// The pattern of the last Jacobian. If it came twice, also the column of an operator to which each value goes.
#[derive(Debug, Default)]
pub struct JacobianPattern {
    starts: Vec<i32>,
    /// Empty where each row ends at the start of the next one.
    counts: Vec<i32>,
    indices: Vec<i32>,
    has_counts: bool,
    /// Whether there is a pattern.
    is_known: bool,
    /// Whether the columns of all operators are the destinations of the values.
    is_mapped: bool,
    /// The first value of each source, and the number of its values.
    ranges: Vec<[u32; 2]>,
    /// The destinations, source by source.
    columns: Vec<u32>,
}

impl JacobianPattern {
    /// Discard the pattern: operators have other columns, or other rows go to them.
    pub fn forget(&mut self) {
        (self.is_known, self.is_mapped) = (false, false);
    }

    /// The values of a Jacobian with this pattern, if all are finite and their destinations are known.
    pub fn values<'a>(&self, jacobian: &Jacobian<'a>) -> Option<&'a [f64]> {
        match *jacobian {
            Jacobian::Sparse { values, .. } if self.is_mapped && self.is_of(jacobian) => {
                Some(values).filter(|values| is_finite(values))
            }
            _ => None,
        }
    }

    fn is_of(&self, jacobian: &Jacobian) -> bool {
        let Jacobian::Sparse { starts, counts, indices, values, .. } = *jacobian else { return false };
        self.is_known
            && self.has_counts == counts.is_some()
            && self.starts == starts
            && self.counts == counts.unwrap_or_default()
            && self.indices == indices
            && indices.len() == values.len()
    }

    /// Keep the pattern of a Jacobian. Return whether it is the same as before, so that its values are worth mapping.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn note(&mut self, jacobian: &Jacobian, sources: usize) -> memory::Result<bool> {
        self.is_mapped = false;
        let is_same = self.is_of(jacobian);
        self.is_known = false;
        let Jacobian::Sparse { starts, counts, indices, .. } = *jacobian else { return Ok(false) };
        self.has_counts = counts.is_some();
        let own = [&mut self.starts, &mut self.counts, &mut self.indices];
        for (to, from) in own.into_iter().zip([starts, counts.unwrap_or_default(), indices]) {
            collect(to, from.len(), from.iter().copied())?;
        }
        collect(&mut self.ranges, sources, iter::empty())?;
        collect(&mut self.columns, indices.len(), iter::empty())?;
        self.is_known = true;
        Ok(is_same)
    }

    /// Note the places of a source's values among columns. Return false if a column is missing because its value is zero.
    pub fn map(&mut self, first: usize, indices: &[i32], first_column: u32, columns: &[Column]) -> bool {
        self.ranges.push([first as u32, indices.len() as u32]);
        let mut place = 0;
        for index in indices {
            let index = *index as u32 - first_column;
            place += columns[place..].iter().take_while(|column| column.index < index).count();
            if columns.get(place).is_none_or(|column| column.index != index) {
                return false;
            }
            self.columns.push(place as u32);
        }
        true
    }

    /// Note that all values have been mapped.
    pub fn complete(&mut self) {
        self.is_mapped = true;
    }

    /// The values of all sources, in turn.
    #[inline(always)]
    pub fn sources(&self) -> Sources<'_> {
        Sources { ranges: &self.ranges, columns: &self.columns }
    }
}

/// The ranges of values of some sources, and source by source the columns to which values go.
pub struct Sources<'a> {
    /// The first value of each source, and the number of its values.
    pub ranges: &'a [[u32; 2]],
    /// The column of each value.
    pub columns: &'a [u32],
}

impl<'a> Sources<'a> {
    /// Take `count` sources from the beginning.
    #[inline(always)]
    pub fn next(&mut self, count: usize) -> Self {
        let (ranges, other_ranges) = self.ranges.split_at(count);
        let values = ranges.iter().map(|range| range[1] as usize).sum();
        let (columns, other_columns) = self.columns.split_at(values);
        *self = Self { ranges: other_ranges, columns: other_columns };
        Self { ranges, columns }
    }
}
