//! Copies of the blocks of rows to external constraints, which are rows of other processes, for [`CopiedRows`](super::csr::CopiedRows).

use crate::legacy::errors::{Result, invalid};
use crate::math::Block;

#[cfg(feature = "mpi")]
use super::csr::append_sums;
use super::csr::push;
#[cfg(feature = "mpi")]
use super::display;
#[cfg(feature = "mpi")]
use super::layout::{CON, DIAB};
#[cfg(feature = "mpi")]
use super::rows::LocalDynamics;

/// The blocks of all rows; there are none in the build without MPI.
#[derive(Default)]
pub struct ExternalBlocks {
    /// Start of the blocks of each row, and the end.
    pub starts: Vec<i32>,
    /// Id of the external constraint of each block, ascending in a row.
    pub ids: Vec<u64>,
    /// The blocks.
    pub values: Vec<Block>,
    /// Workspace for the blocks of a row: the sort key of id and position in the list, and W.
    #[cfg(feature = "mpi")]
    order: Vec<(u64, *const Block)>,
}

impl ExternalBlocks {
    /// Forget all blocks.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.ids.clear();
        self.values.clear();
    }

    /// Begin with no rows, after [`ExternalBlocks::clear`].
    pub fn begin(&mut self) -> Result {
        push(&mut self.starts, 0)
    }

    /// Add the end of a row.
    fn end(&mut self) -> Result {
        let end = i32::try_from(self.ids.len());
        let why = "there are more external blocks than an int can count";
        push(&mut self.starts, end.map_err(|_| invalid!("{why}"))?)
    }

    /// Add rows without blocks.
    #[cfg(not(feature = "mpi"))]
    pub fn add_rows(&mut self, rows: usize) -> Result {
        (0..rows).try_for_each(|_| self.end())
    }

    /// Copy the blocks of the next row in the order of ids. Blocks of one constraint are added in the order of the list.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] if the list is damaged, or there are more blocks than `i32` can count; [`Code::OutOfMemory`].
    ///
    /// # Safety
    /// The row is live, its constraint and the external constraints of its blocks are valid; in another module, links lead to blocks.
    #[cfg(feature = "mpi")]
    pub unsafe fn copy(&mut self, row: &DIAB, dynamics: Option<&LocalDynamics>) -> Result {
        // SAFETY: the caller promises valid constraints, and blocks where links lead; in this library, the list has been checked.
        unsafe {
            let wrong = |what: &str| invalid!("{}: {what}", display::constraint(row.con));
            if let Some(dynamics) = dynamics {
                dynamics.externals.inspect((&raw const *row).cast(), row.adjext).map_err(wrong)?;
            }
            self.order.clear();
            let mut next = row.adjext;
            while let Some(block) = next.as_ref() {
                let con = block.dia.cast::<CON>().as_ref();
                let id = con.ok_or_else(|| wrong("an external block has no constraint"))?.id;
                let place = u32::try_from(self.order.len());
                let place = place.map_err(|_| wrong("its external blocks form a ring"))?;
                push(&mut self.order, (u64::from(id) << 32 | u64::from(place), &raw const block.W))?;
                next = block.n;
                ensure!(next != row.adjext, wrong("its external blocks form a ring"));
            }
            append_sums(&mut self.order, &mut self.ids, &mut self.values, |id| id)?;
        }
        self.end()
    }
}
