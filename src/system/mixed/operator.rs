//! Operators H of any number of rows up to six, and how they are put into the three rows of a triple.
#![forbid(unsafe_code)]

use crate::math::Vector;
use crate::memory::{collected, with_room};
use crate::rows::fault::check_size;

use super::super::body::finite;
use super::super::constraint::{Operator, count, sparse_columns};
use super::super::error::Fault;
use super::{MOST_BODIES, MOST_ROWS, Piece};

/// An operator H of a constraint with up to six rows, of one of its bodies.
#[derive(Clone, Debug)]
pub struct RowsOperator {
    rows: usize,
    dofs: u32,
    /// The columns that are not zero, ascending.
    columns: Vec<(u32, [f64; MOST_ROWS])>,
}

impl RowsOperator {
    /// A dense operator, `rows` × `dofs`, column-major.
    ///
    /// # Errors
    /// If there are no rows or too many, there are not as many values, one is not finite, or memory is exhausted.
    pub fn dense(rows: usize, dofs: usize, values: &[f64]) -> Result<Self, Fault> {
        check_rows(rows)?;
        check_size("its operator H", dofs.saturating_mul(rows), values.len())?;
        finite("its operator H", values)?;
        let columns = (0..).zip(values.chunks_exact(rows)).map(|(index, values)| {
            let mut column = [0.0; MOST_ROWS];
            column[..rows].copy_from_slice(values);
            (index, column)
        });
        Self::of_columns(rows, dofs, columns)
    }

    /// A sparse operator in compressed columns; entries of the same place are added.
    ///
    /// # Errors
    /// If there are no rows or too many, the columns are ill-formed, a value is not finite, or memory is exhausted.
    pub fn sparse(
        rows: usize,
        dofs: usize,
        starts: &[i32],
        rows_of: &[i32],
        values: &[f64],
    ) -> Result<Self, Fault> {
        check_rows(rows)?;
        let operator = Self::of_columns(rows, dofs, sparse_columns(rows, dofs, starts, rows_of, values)?)?;
        // Entries of the same place may overflow together.
        operator.columns.iter().try_for_each(|(_, values)| finite("its operator H", values))?;
        Ok(operator)
    }

    /// One row that is zero but for one entry.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub(in super::super) fn of_freedom(dofs: usize, index: usize, value: f64) -> Result<Self, Fault> {
        let column = [value, 0.0, 0.0, 0.0, 0.0, 0.0];
        Self::of_columns(1, dofs, std::iter::once((count(index)?, column)))
    }

    fn of_columns(
        rows: usize,
        dofs: usize,
        columns: impl Iterator<Item = (u32, [f64; MOST_ROWS])> + Clone,
    ) -> Result<Self, Fault> {
        let is_kept = |(_, values): &(u32, [f64; MOST_ROWS])| values.iter().any(|value| *value != 0.0);
        let most = columns.clone().filter(is_kept).count();
        Ok(Self { rows, dofs: count(dofs)?, columns: collected(most, columns.filter(is_kept))? })
    }

    /// An operator of three rows as a triple of its own has it.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub(in super::super) fn into_triple(self) -> Result<Operator, Fault> {
        let columns = self.columns.iter().map(|&(index, [x, y, z, ..])| (index, [x, y, z]));
        Ok(Operator::of_columns(self.dofs, columns)?)
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn dofs(&self) -> usize {
        self.dofs as usize
    }

    /// The operator of a triple with the rows of a piece put into its lanes; `triple` is what it was before, if it was there.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub(super) fn put(&self, piece: &Piece, triple: Option<&Operator>) -> Result<Operator, Fault> {
        let of_piece = |column: &[f64; MOST_ROWS], to: &mut Vector| {
            to[piece.lanes()].copy_from_slice(&column[piece.rows()]);
        };
        let old = triple.and_then(Operator::columns).unwrap_or_default();
        let mut both = with_room(old.len() + self.columns.len())?;
        let (mut old, mut new) = (old.iter().peekable(), self.columns.iter().peekable());
        loop {
            let index = match (old.peek(), new.peek()) {
                (None, None) => break,
                (Some(old), None) => old.index,
                (None, Some(new)) => new.0,
                (Some(old), Some(new)) => old.index.min(new.0),
            };
            let mut column = old.next_if(|old| old.index == index).map_or([0.0; 3], |old| old.values);
            match new.next_if(|new| new.0 == index) {
                Some((_, values)) => of_piece(values, &mut column),
                None => column[piece.lanes()].fill(0.0),
            }
            both.push((index, column));
        }
        Ok(Operator::of_columns(self.dofs, both.iter().copied())?)
    }
}

/// Whether a constraint can have so many rows.
pub(in super::super) fn check_rows(rows: usize) -> Result<(), Fault> {
    ensure!((1..=MOST_ROWS).contains(&rows), Fault::Invalid("a constraint has one to six rows"));
    Ok(())
}

/// Whether a constraint can be on so many bodies.
pub(in super::super) fn check_bodies(count: usize) -> Result<(), Fault> {
    ensure!((1..=MOST_BODIES).contains(&count), Fault::Invalid("a constraint has one to sixteen bodies"));
    Ok(())
}
