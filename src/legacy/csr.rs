//! The rows of a LOCDYN as block-sparse rows: copies, for solvers and files that take such. The host's memory is only read, but for
//! reactions that are to go back.
//!
//! Of a LOCDYN of this library no link is followed before it is known to lead to a row, or to a block of the row; in the end all
//! that there are have been read. One of another module, whose public fields are the same, is read as far as its links lead: they
//! are its own promise, but that rows or blocks form rings, or lead to rows of no list, is found out.

use crate::legacy::errors::{Code, Result, fail};
use crate::math::{Block, Vector, is_finite};
use crate::memory::push;
use crate::rows::fault::check_size;

use super::display;
use super::layout::{DIAB, LOCDYN};
use super::rows::{LocalDynamics, Map};

/// Copies of rows, with memory that is used again.
#[derive(Default)]
pub struct CopiedRows {
    /// Ids of the constraints.
    pub ids: Vec<i64>,
    /// Where the blocks of each row begin, and the end.
    pub starts: Vec<i32>,
    /// Column of each block, ascending in a row.
    pub columns: Vec<i32>,
    /// The blocks.
    pub values: Vec<Block>,
    /// B of each row.
    pub b: Vec<Vector>,
    /// V of each row.
    pub v: Vec<Vector>,
    /// Diagonal blocks.
    pub diagonal: Vec<Block>,
    /// A of each row.
    pub inverse: Vec<Block>,
    /// What they are copies of.
    originals: Vec<*mut DIAB>,
    /// Where each of these is.
    places: Map<*const DIAB, u32>,
    /// The blocks of a row: column and place in its list, so that they can be put in order, and W.
    order: Vec<(u64, *const Block)>,
}

impl CopiedRows {
    /// Copy all rows, in the order of the list. After an error there are none.
    ///
    /// # Errors
    /// [`Code::BugFound`] if the lists are damaged, or an `i32` cannot count the blocks; [`Code::NotImplemented`] if
    /// there are blocks to external constraints; [`Code::OutOfMemory`].
    ///
    /// # Safety
    /// `ldy` is valid, and nobody changes it meanwhile; the constraints of its rows and their bodies are valid. Links of another
    /// module's rows and blocks lead to rows and blocks.
    pub unsafe fn copy(&mut self, ldy: *const LOCDYN) -> Result {
        self.clear();
        // SAFETY: the caller promises a valid LOCDYN, and valid constraints of its rows.
        let copied = unsafe {
            let dynamics = behind(ldy);
            self.list(ldy, dynamics).and_then(|()| self.read(dynamics))
        };
        if copied.is_err() {
            self.clear();
        }
        copied
    }

    fn clear(&mut self) {
        let Self { ids, starts, columns, values, b, v, diagonal, inverse, originals, places, order } = self;
        [values, diagonal, inverse].into_iter().for_each(Vec::clear);
        [starts, columns].into_iter().for_each(Vec::clear);
        [b, v].into_iter().for_each(Vec::clear);
        ids.clear();
        originals.clear();
        places.clear();
        order.clear();
    }

    /// Find out which rows there are.
    ///
    /// # Safety
    /// As [`CopiedRows::copy`].
    unsafe fn list(&mut self, ldy: *const LOCDYN, dynamics: Option<&LocalDynamics>) -> Result {
        // SAFETY: the caller promises a valid LOCDYN; a link is followed if it is known to lead to a row here, or is another
        // module's.
        unsafe {
            let mut next = (*ldy).dia;
            loop {
                let place = self.originals.len();
                let wrong = |what: &str| fail!(Code::BugFound, "row {place} of the list: {what}");
                let is_there = next.is_null() || dynamics.is_none_or(|dynamics| dynamics.has_row(next));
                ensure!(is_there, wrong("no live row, or not linked to its constraint as it was inserted"));
                let Some(row) = next.as_ref() else { break };
                let is_linked = !row.con.is_null() && !row.V.is_null() && !row.R.is_null();
                ensure!(is_linked, wrong("con, V or R is NULL"));
                #[cfg(feature = "mpi")]
                if !row.adjext.is_null() {
                    let name = display::constraint(row.con);
                    return Err(fail!(Code::NotImplemented, "{name}: has blocks to external constraints"));
                }
                self.places.try_reserve(1).map_err(|_| exhausted())?;
                let twice =
                    || fail!(Code::BugFound, "{}: comes twice in the list", display::constraint(row.con));
                ensure!(self.places.insert(next, place as u32).is_none(), twice());
                push(&mut self.originals, next).map_err(|_| exhausted())?;
                next = row.n;
            }
        }
        Ok(())
    }

    /// # Safety
    /// As [`CopiedRows::copy`]; the rows have been listed.
    unsafe fn read(&mut self, dynamics: Option<&LocalDynamics>) -> Result {
        let (count, mut blocks) = (self.originals.len(), 0);
        push(&mut self.starts, 0).map_err(|_| exhausted())?;
        for place in 0..count {
            // SAFETY: a listed row is there, its constraint is valid, and V is that constraint's.
            unsafe {
                let row = self.originals[place];
                let DIAB { con, B, V, W, A, .. } = *row;
                let has_room = push(&mut self.ids, (*con).id.into()).is_ok()
                    && push(&mut self.b, B).is_ok()
                    && push(&mut self.v, *V.cast()).is_ok()
                    && push(&mut self.diagonal, W).is_ok()
                    && push(&mut self.inverse, A).is_ok();
                ensure!(has_room, exhausted());
                blocks += self.blocks(place, &*row, dynamics)?;
            }
        }
        let why = "rows are missing from the list, or blocks from the rows";
        ensure!(dynamics.is_none_or(|own| own.has_as_many(count, blocks)), fail!(Code::BugFound, "{why}"));
        Ok(())
    }

    /// The blocks of a row in the order of columns; of two in one column the sum, as they come in the list. As many as are in the
    /// list.
    ///
    /// # Safety
    /// As [`CopiedRows::read`]; `row` is the one at this place.
    unsafe fn blocks(&mut self, place: usize, row: &DIAB, dynamics: Option<&LocalDynamics>) -> Result<usize> {
        // SAFETY: the caller promises a row whose constraint is valid, with its bodies.
        let wrong = |what: &str| fail!(Code::BugFound, "{}: {what}", unsafe { display::constraint(row.con) });
        self.order.clear();
        push(&mut self.order, ((place as u64) << 32, &raw const row.W)).map_err(|_| exhausted())?;
        let mut next = row.adj;
        loop {
            let is_there = next.is_null() || dynamics.is_none_or(|dynamics| dynamics.has_block(row, next));
            ensure!(is_there, wrong("a link leads to none of its blocks"));
            // SAFETY: it is known to lead to a block here, or is another module's.
            let Some(block) = (unsafe { next.as_ref() }) else { break };
            let column = self.places.get(&block.dia.cast_const()).copied();
            let column = column.ok_or_else(|| wrong("a block leads to no row of the list"))?;
            ensure!(column as usize != place, wrong("a block leads to its own row"));
            // No row has more: two with each other row.
            ensure!(self.order.len() <= 2 * self.originals.len(), wrong("its blocks form a ring"));
            let at = u64::from(column) << 32 | self.order.len() as u64;
            push(&mut self.order, (at, &raw const block.W)).map_err(|_| exhausted())?;
            next = block.n;
        }
        self.order.sort_unstable_by_key(|(at, _)| *at);
        let mut last = None;
        for &(at, block) in &self.order {
            let column = (at >> 32) as i32;
            // SAFETY: it is W of the row or of one of its blocks.
            let block = unsafe { &*block };
            match self.values.last_mut().filter(|_| last == Some(column)) {
                Some(sum) => sum.iter_mut().zip(block).for_each(|(sum, value)| *sum += value),
                None => {
                    push(&mut self.columns, column).map_err(|_| exhausted())?;
                    push(&mut self.values, *block).map_err(|_| exhausted())?;
                }
            }
            last = Some(column);
        }
        let end = i32::try_from(self.columns.len());
        let end = end.map_err(|_| fail!(Code::BugFound, "there are more blocks than an int can count"))?;
        push(&mut self.starts, end).map_err(|_| exhausted())?;
        Ok(self.order.len() - 1)
    }

    /// Write R of each row, as the host has it now.
    ///
    /// # Errors
    /// [`Code::BugFound`] if there are not as many values, or the list has not the rows that were copied.
    ///
    /// # Safety
    /// As [`CopiedRows::copy`].
    pub unsafe fn write_reactions(&self, ldy: *const LOCDYN, reactions: &mut [f64]) -> Result {
        // SAFETY: the caller promises a valid LOCDYN; R of a row that is in its list are its constraint's three values.
        unsafe {
            self.check_list(ldy, reactions.len())?;
            for (to, row) in reactions.as_chunks_mut().0.iter_mut().zip(&self.originals) {
                *to = *(**row).R.cast::<Vector>();
            }
        }
        Ok(())
    }

    /// Give each row its R, in the host's constraint.
    ///
    /// # Errors
    /// As [`CopiedRows::write_reactions`]; [`Code::BugFound`] if something is not finite. Then nothing is written.
    ///
    /// # Safety
    /// As there; nobody else uses R of the constraints meanwhile.
    pub unsafe fn give_reactions(&self, ldy: *const LOCDYN, reactions: &[f64]) -> Result {
        // SAFETY: the caller promises a valid LOCDYN; R of a row that is in its list are its constraint's three values, which
        // nobody else uses.
        unsafe {
            self.check_list(ldy, reactions.len())?;
            let each = || reactions.as_chunks::<3>().0.iter().zip(&self.originals);
            if let Some((_, row)) = each().find(|(values, _)| !is_finite(&values[..])) {
                let name = display::constraint((**row).con);
                return Err(fail!(Code::BugFound, "{name}: its reaction R is not finite"));
            }
            each().for_each(|(values, row)| *(**row).R.cast::<Vector>() = *values);
        }
        Ok(())
    }

    /// Whether the list still has the rows that were copied, and a vector three values for each. No link is followed that does not
    /// lead to one of them.
    ///
    /// # Safety
    /// As [`CopiedRows::copy`].
    unsafe fn check_list(&self, ldy: *const LOCDYN, values: usize) -> Result {
        // SAFETY: the caller promises a valid LOCDYN. A row that its list leads to is there.
        unsafe {
            let dynamics = behind(ldy);
            let mut next = (*ldy).dia;
            for &row in &self.originals {
                let is_there = dynamics.is_none_or(|dynamics| dynamics.has_row(row));
                ensure!(next == row && is_there && !(*row).con.is_null() && !(*row).R.is_null(), changed());
                next = (*row).n;
            }
            ensure!(next.is_null() && !self.starts.is_empty(), changed());
        }
        Ok(check_size("R", 3 * self.originals.len(), values)?)
    }
}

/// The local dynamics behind a LOCDYN, if it is one of this library.
///
/// # Safety
/// `ldy` is valid, and nobody changes it during `'a`.
unsafe fn behind<'a>(ldy: *const LOCDYN) -> Option<&'a LocalDynamics> {
    // SAFETY: the caller promises a valid LOCDYN that nobody changes; if it was made here, it is the first field of a
    // LocalDynamics.
    unsafe { LocalDynamics::is_behind(ldy).then(|| &*ldy.cast()) }
}

fn exhausted() -> Code {
    fail!(Code::OutOfMemory, "no memory for copies of rows")
}

fn changed() -> Code {
    fail!(Code::BugFound, "the rows of ldy are not those that were copied")
}
