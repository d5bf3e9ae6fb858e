//! Copies of the rows that are not contacts.

use std::ffi::c_int;
use std::ptr;

use crate::legacy::arguments::{self, entry};
use crate::legacy::errors::{Code, fail};
use crate::legacy::host::constraint;
use crate::legacy::layout::{CONTACT, LOCDYN, OFFB};
use crate::math::{Vector, times};
use crate::memory::repeated;

#[cfg(feature = "mpi")]
use super::external;
use super::local_dynamics::LocalDynamics;
use super::pair::{BlockNode, BlockPair, PairEnd};
use super::pool::Exhausted;
use super::row::RowNode;

/// Make a local dynamics with the rows of all constraints except contacts; see `LOCDYN_Clone_Non_Contacts`.
///
/// Its rows are attached to no body, and no body couples its pairs: W is never computed again.
///
/// # Safety
/// As there: the constraints of all rows are valid, their bodies NULL or valid; `out` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_clone(ldy: *mut LOCDYN, out: *mut *mut LOCDYN) -> c_int {
    entry!(ldy: dynamics, out: place => {
        let mut clone = LocalDynamics::create(ldy.domain()?)?;
        // SAFETY: the host promises that the constraints of all rows are valid, and their bodies NULL or valid.
        unsafe { fill(ldy, &mut clone)? };
        out.put(Box::into_raw(clone.into_box()).cast());
    })
}

/// # Safety
/// As [`ldy_entry_clone`]; `clone` is empty.
unsafe fn fill(source: &LocalDynamics, clone: &mut LocalDynamics) -> Result<(), Code> {
    // SAFETY: the list holds live rows, and the caller promises that their constraints are valid.
    unsafe {
        for row in source.list() {
            constraint::check_kind((*row).public.con)?;
        }
        let mut copies = ClonedRows::new(source, clone)
            .map_err(|_| fail!(Code::OutOfMemory, "no memory for the rows of a clone"))?;
        let mut last = ptr::null_mut();
        for row in kept(source) {
            last = copies.row(row, last);
        }
        for row in kept(source) {
            copies.blocks(row);
        }
        #[cfg(feature = "mpi")]
        copies.externals();
    }
    clone.is_clone = true;
    clone.public.free_energy = source.public.free_energy;
    Ok(())
}

/// The rows to copy, in the order of the list.
///
/// # Safety
/// As [`ldy_entry_clone`].
unsafe fn kept(source: &LocalDynamics) -> impl Iterator<Item = *mut RowNode> {
    // SAFETY: the list holds live rows, and the caller promises that their constraints are valid.
    unsafe { source.list().filter(|&row| !is_contact(row)) }
}

/// # Safety
/// `row` is live and its constraint valid.
unsafe fn is_contact(row: *const RowNode) -> bool {
    // SAFETY: the caller promises a live row with a valid constraint.
    unsafe { (*(*row).public.con).kind == CONTACT }
}

/// # Safety
/// `row` is live.
unsafe fn add_to_b(row: *mut RowNode, share: Vector) {
    // SAFETY: the caller promises a live row.
    unsafe { (*row).public.B.iter_mut().zip(share).for_each(|(b, share)| *b += share) };
}

/// The copies of the source's rows and pairs, by positions in the pools.
struct ClonedRows<'a> {
    source: &'a LocalDynamics,
    clone: &'a mut LocalDynamics,
    rows: Vec<*mut RowNode>,
    pairs: Vec<*mut BlockPair>,
}

impl<'a> ClonedRows<'a> {
    /// Reserve the memory for all copies.
    ///
    /// # Safety
    /// As [`ldy_entry_clone`].
    unsafe fn new(source: &'a LocalDynamics, clone: &'a mut LocalDynamics) -> Result<Self, Exhausted> {
        // SAFETY: the caller promises that the constraints of all rows are valid; blocks of live rows are live.
        let (rows, nodes) = unsafe {
            kept(source).fold((0, 0), |(rows, nodes), row| {
                let blocks = (*row).blocks().filter(|&block| !is_contact((*block).dia.cast()));
                (rows + 1, nodes + blocks.count())
            })
        };
        clone.rows.pool.reserve(rows)?;
        clone.pairs.reserve(nodes / 2)?;
        #[cfg(feature = "mpi")]
        clone.externals.reserve(source.externals.live)?;
        let rows = repeated(source.rows.pool.capacity(), ptr::null_mut())?;
        let pairs = repeated(source.pairs.capacity(), ptr::null_mut())?;
        Ok(Self { source, clone, rows, pairs })
    }

    /// The entry for the copy of a row.
    fn copy_of(&mut self, row: *mut RowNode) -> &mut *mut RowNode {
        let position = self.source.rows.pool.position(row.addr());
        &mut self.rows[position.expect("a row of the list lies in its pool")]
    }

    /// Copy a row without its blocks, and append the copy after `last`, the last copy so far or NULL.
    ///
    /// # Safety
    /// `row` is a live row of the source, its constraint valid.
    unsafe fn row(&mut self, row: *mut RowNode, last: *mut RowNode) -> *mut RowNode {
        let copy = self.clone.rows.pool.take();
        *self.copy_of(row) = copy;
        // SAFETY: the caller promises a live row with a valid constraint. Nobody else uses the chunk yet, and `last` is NULL or
        // a live row of the clone.
        unsafe {
            let from = &(*row).public;
            RowNode::open(copy, from.con);
            (*copy).set_live();
            let public = &mut (*copy).public;
            (public.R, public.U, public.V) = (from.R, from.U, from.V);
            (public.W, public.A, public.B, public.rho) = (from.W, from.A, from.B, from.rho);
            public.p = last.cast();
            match last.as_mut() {
                None => self.clone.public.dia = copy.cast(),
                Some(last) => last.public.n = copy.cast(),
            }
        }
        copy
    }

    /// Put a copy of each block of a row at the head of its copy's list in turn, which reverses the order. Blocks to contacts
    /// are added to B instead.
    ///
    /// # Safety
    /// As [`ClonedRows::row`]; all rows have been copied.
    unsafe fn blocks(&mut self, row: *mut RowNode) {
        let copy = *self.copy_of(row);
        // SAFETY: the caller promises a live row and copies of all rows. Blocks of live rows are live, and R in a row points to
        // an array of its constraint.
        unsafe {
            for block in (*row).blocks() {
                let neighbor = (*block).dia.cast::<RowNode>();
                if is_contact(neighbor) {
                    add_to_b(copy, times(&(*block).W, &*(*neighbor).public.R.cast::<Vector>()));
                } else {
                    BlockNode::put_first(self.block(block), copy);
                }
            }
        }
    }

    /// Copy a block without linking the copy. The first of its two blocks makes the pair.
    ///
    /// # Safety
    /// `block` is a live block of the source, both its rows have been copied.
    unsafe fn block(&mut self, block: *mut OFFB) -> *mut BlockNode {
        // SAFETY: the caller promises a live block and copies of both its rows; the copies of pairs are filled here.
        unsafe {
            let pair = BlockPair::of(block);
            let position = self.source.pairs.position(pair.addr()).expect("a live pair lies in its pool");
            if self.pairs[position].is_null() {
                let rows = BlockPair::rows(pair).map(|row| *self.copy_of(row));
                let copy = self.clone.pairs.take();
                BlockPair::fill(copy, (*block).bod, rows.map(|row| PairEnd::of(row, (*block).bod)), 0, false);
                self.pairs[position] = copy;
            }
            let copy = BlockPair::counterpart(self.pairs[position], block);
            (*copy).public.W = (*block).W;
            copy
        }
    }
}

#[cfg(feature = "mpi")]
impl ClonedRows<'_> {
    /// Copy the blocks to external constraints. Blocks to contacts are added to B instead.
    ///
    /// # Safety
    /// The rows have been copied; the external constraints are valid.
    unsafe fn externals(&mut self) {
        // SAFETY: the caller promises copies of all rows and valid external constraints.
        unsafe {
            for row in kept(self.source) {
                let copy = *self.copy_of(row);
                let shares = external::of(row).filter_map(|block| external::contact_share(block));
                shares.for_each(|share| add_to_b(copy, share));
            }
            // Visit the blocks in the reverse order of their addition: then the blocks of a row come in the order of its list.
            for (row, block) in self.source.externals.blocks().rev() {
                if !is_contact(row) && external::contact_share(block).is_none() {
                    let copy = *self.copy_of(row);
                    self.clone.externals.add(copy, OFFB { n: ptr::null_mut(), ..*block }, None);
                }
            }
            self.clone.externals.link();
        }
    }
}
