//! Copies of the rows of a LOCDYN as block-sparse rows, for solvers and files. The host's memory is only read, except that
//! reactions can be written back.
//!
//! In a LOCDYN of this library no link is followed before it is known to lead to a row, or to a block of the row; at the end
//! the numbers of rows and blocks are compared with the numbers in use. A LOCDYN of another module has the same public fields.
//! Its links are trusted, but rings of rows or blocks, and blocks that lead to no row of the list, are reported.

use crate::legacy::errors::{Code, Result, fail, invalid};
use crate::math::{Block, Vector, is_finite};
use crate::memory;
use crate::rows::fault::check_size;

use super::display;
use super::external_blocks::ExternalBlocks;
use super::layout::{DIAB, LOCDYN};
use super::rows::{LocalDynamics, Map};

/// Copies of rows; the memory is used again.
#[derive(Default)]
pub struct CopiedRows {
    /// Ids of the constraints.
    pub ids: Vec<u64>,
    /// Start of the blocks of each row, and the end.
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
    /// The blocks to external constraints.
    pub external: ExternalBlocks,
    /// The original rows.
    originals: Vec<*mut DIAB>,
    /// The index of each original.
    places: Map<*const DIAB, u32>,
    /// Workspace for the blocks of a row: the sort key of column and position in the list, and W.
    order: Vec<(u64, *const Block)>,
}

impl CopiedRows {
    /// Copy all rows, in the order of the list. After an error there are no copies.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] if the lists are damaged, or there are more blocks than `i32` can count; [`Code::OutOfMemory`].
    ///
    /// # Safety
    /// `ldy` is valid, and nobody changes it meanwhile; the constraints of its rows and their bodies are valid, and the external
    /// constraints of its blocks. In another module, links lead to rows and blocks.
    pub unsafe fn copy(&mut self, ldy: *const LOCDYN) -> Result {
        self.clear();
        // SAFETY: the caller promises a valid LOCDYN, and valid constraints of its rows.
        let copied = unsafe {
            let dynamics = own_dynamics(ldy);
            self.list(ldy, dynamics).and_then(|()| self.read(dynamics))
        };
        if copied.is_err() {
            self.clear();
        }
        copied
    }

    fn clear(&mut self) {
        self.external.clear();
        [&mut self.values, &mut self.diagonal, &mut self.inverse].into_iter().for_each(Vec::clear);
        [&mut self.starts, &mut self.columns].into_iter().for_each(Vec::clear);
        [&mut self.b, &mut self.v].into_iter().for_each(Vec::clear);
        self.ids.clear();
        self.originals.clear();
        self.places.clear();
        self.order.clear();
    }

    /// List the rows.
    ///
    /// # Safety
    /// As [`CopiedRows::copy`].
    unsafe fn list(&mut self, ldy: *const LOCDYN, dynamics: Option<&LocalDynamics>) -> Result {
        // SAFETY: the caller promises a valid LOCDYN. A link is followed if it is known to lead to a row of this library, or
        // belongs to another module.
        unsafe {
            let mut next = (*ldy).dia;
            loop {
                let place = self.originals.len();
                let wrong = |what: &str| invalid!("row {place} of the list: {what}");
                let is_there = next.is_null() || dynamics.is_none_or(|dynamics| dynamics.has_row(next));
                ensure!(is_there, wrong("no live row, or not linked to its constraint as it was inserted"));
                let Some(row) = next.as_ref() else { break };
                let is_linked = !row.con.is_null() && !row.V.is_null() && !row.R.is_null();
                ensure!(is_linked, wrong("con, V or R is NULL"));
                self.places.try_reserve(1).map_err(|_| exhausted())?;
                let twice = || invalid!("{}: comes twice in the list", display::constraint(row.con));
                ensure!(self.places.insert(next, place as u32).is_none(), twice());
                push(&mut self.originals, next)?;
                next = row.n;
            }
        }
        Ok(())
    }

    /// # Safety
    /// As [`CopiedRows::copy`]; the rows have been listed.
    unsafe fn read(&mut self, dynamics: Option<&LocalDynamics>) -> Result {
        let (count, mut blocks) = (self.originals.len(), 0);
        push(&mut self.starts, 0)?;
        self.external.begin()?;
        for place in 0..count {
            // SAFETY: a listed row is live, its constraint is valid, and V points to an array of the constraint.
            unsafe {
                let row = self.originals[place];
                let DIAB { con, B, V, W, A, .. } = *row;
                push(&mut self.ids, (*con).id.into())?;
                push(&mut self.b, B)?;
                push(&mut self.v, *V.cast())?;
                push(&mut self.diagonal, W)?;
                push(&mut self.inverse, A)?;
                blocks += self.blocks(place, &*row, dynamics)?;
                #[cfg(feature = "mpi")]
                self.external.copy(&*row, dynamics)?;
            }
        }
        #[cfg(not(feature = "mpi"))]
        self.external.add_rows(count)?;
        let why = "rows are missing from the list, or blocks from the rows";
        ensure!(dynamics.is_none_or(|own| own.has_counts(count, blocks)), invalid!("{why}"));
        Ok(())
    }

    /// Copy the blocks of a row in the order of columns. Blocks in one column are added in the order of the list. Returns the
    /// number of blocks in the list.
    ///
    /// # Safety
    /// As [`CopiedRows::read`]; `row` is the original with this index.
    unsafe fn blocks(&mut self, place: usize, row: &DIAB, dynamics: Option<&LocalDynamics>) -> Result<usize> {
        let wrong = |what: &str| {
            // SAFETY: the caller promises a row whose constraint is valid, with its bodies.
            let constraint = unsafe { display::constraint(row.con) };
            invalid!("{constraint}: {what}")
        };
        self.order.clear();
        push(&mut self.order, ((place as u64) << 32, &raw const row.W))?;
        let mut next = row.adj;
        loop {
            let is_there = next.is_null() || dynamics.is_none_or(|dynamics| dynamics.has_block(row, next));
            ensure!(is_there, wrong("a link leads to none of its blocks"));
            // SAFETY: it is known to lead to a block of this library, or belongs to another module.
            let Some(block) = (unsafe { next.as_ref() }) else { break };
            let column = self.places.get(&block.dia.cast_const()).copied();
            let column = column.ok_or_else(|| wrong("a block leads to no row of the list"))?;
            ensure!(column as usize != place, wrong("a block leads to its own row"));
            // No row has more than two blocks with each other row.
            ensure!(self.order.len() <= 2 * self.originals.len(), wrong("its blocks form a ring"));
            let at = u64::from(column) << 32 | self.order.len() as u64;
            push(&mut self.order, (at, &raw const block.W))?;
            next = block.n;
        }
        // SAFETY: they are W of the row and of its blocks.
        unsafe { append_sums(&mut self.order, &mut self.columns, &mut self.values, |column| column as i32) }?;
        let end = i32::try_from(self.columns.len());
        let end = end.map_err(|_| invalid!("there are more blocks than an int can count"))?;
        push(&mut self.starts, end)?;
        Ok(self.order.len() - 1)
    }

    /// Write the current R of each row to `reactions`.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] if the number of values is wrong, or the list no longer has the rows that were copied.
    ///
    /// # Safety
    /// As [`CopiedRows::copy`].
    pub unsafe fn write_reactions(&self, ldy: *const LOCDYN, reactions: &mut [f64]) -> Result {
        // SAFETY: the caller promises a valid LOCDYN; R in a row of its list points to the constraint's three values.
        unsafe {
            self.check_list(ldy, reactions.len())?;
            for (to, row) in reactions.as_chunks_mut().0.iter_mut().zip(&self.originals) {
                *to = *(**row).R.cast::<Vector>();
            }
        }
        Ok(())
    }

    /// Write R of each row to the host's constraint.
    ///
    /// # Errors
    /// As [`CopiedRows::write_reactions`]; [`Code::InvalidArgument`] if a value is not finite. After an error nothing is written.
    ///
    /// # Safety
    /// As there; nobody else uses R of the constraints meanwhile.
    pub unsafe fn give_reactions(&self, ldy: *const LOCDYN, reactions: &[f64]) -> Result {
        // SAFETY: the caller promises a valid LOCDYN; R in a row of its list points to the constraint's three values, which
        // nobody else uses.
        unsafe {
            self.check_list(ldy, reactions.len())?;
            let each = || reactions.as_chunks::<3>().0.iter().zip(&self.originals);
            if let Some((_, row)) = each().find(|(values, _)| !is_finite(&values[..])) {
                let name = display::constraint((**row).con);
                return Err(invalid!("{name}: its reaction R is not finite"));
            }
            each().for_each(|(values, row)| *(**row).R.cast::<Vector>() = *values);
        }
        Ok(())
    }

    /// Check that the list still has the rows that were copied, and that a vector has three values for each. No link is
    /// followed unless it leads to one of these rows.
    ///
    /// # Safety
    /// As [`CopiedRows::copy`].
    unsafe fn check_list(&self, ldy: *const LOCDYN, values: usize) -> Result {
        // SAFETY: the caller promises a valid LOCDYN, whose list leads to live rows.
        unsafe {
            let dynamics = own_dynamics(ldy);
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

/// The local dynamics of a LOCDYN, if this library made it.
///
/// # Safety
/// `ldy` is valid, and nobody changes it during `'a`.
unsafe fn own_dynamics<'a>(ldy: *const LOCDYN) -> Option<&'a LocalDynamics> {
    // SAFETY: the caller promises a valid LOCDYN that nobody changes; if this library made it, it is the first field of a
    // LocalDynamics.
    unsafe { LocalDynamics::is_ours(ldy).then(|| &*ldy.cast()) }
}

/// Append blocks in the order of their keys: a column, and the place in the list. Blocks in one column are added up.
///
/// # Safety
/// The blocks can be read.
pub unsafe fn append_sums<T>(
    order: &mut [(u64, *const Block)],
    columns: &mut Vec<T>,
    values: &mut Vec<Block>,
    number: impl Fn(u64) -> T,
) -> Result {
    order.sort_unstable_by_key(|(at, _)| *at);
    for same in order.chunk_by(|one, other| one.0 >> 32 == other.0 >> 32) {
        push(columns, number(same[0].0 >> 32))?;
        // SAFETY: the caller promises blocks that can be read.
        let mut blocks = same.iter().map(|&(_, block)| unsafe { &*block });
        let mut sum = *blocks.next().expect("a chunk has an element");
        blocks.for_each(|block| sum.iter_mut().zip(block).for_each(|(sum, value)| *sum += value));
        push(values, sum)?;
    }
    Ok(())
}

pub fn push<T>(values: &mut Vec<T>, value: T) -> Result {
    memory::push(values, value).map_err(|_| exhausted())
}

fn exhausted() -> Code {
    fail!(Code::OutOfMemory, "no memory for copies of rows")
}

fn changed() -> Code {
    invalid!("the rows of ldy are not those that were copied")
}
