//! Blocks to external constraints: copies of other processes' constraints, which have no rows here.
//!
//! Every update that computes W rebuilds them. They are in one array, which is used again each time; the lists through `adjext`
//! are linked when it is complete. The host may free the constraint of a block: code that drops blocks does not read it.

use std::mem::offset_of;
use std::{iter, mem, ptr};

use crate::legacy::c_api::types::LDY_SELF_CONTACT_ONCE;
use crate::legacy::display;
use crate::legacy::errors::{Code, fail, invalid};
use crate::legacy::host::adjacency::Interaction;
use crate::legacy::host::constraint;
use crate::legacy::host::domain::UpdateKind;
use crate::legacy::host::set::TreeWalker;
use crate::legacy::layout::*;
use crate::legacy::non_finite;
use crate::legacy::options;
use crate::math::{Block, Vector, is_finite, times, transposed};
use crate::memory::bytes;

use super::local_dynamics::LocalDynamics;
use super::pool::Exhausted;
use super::row::RowNode;

/// A block to an external constraint: a public part and hidden data.
#[repr(C)]
pub struct External {
    /// The part that the host sees; `dia` is the constraint, cast.
    public: OFFB,
    /// The row of the block; NULL when the row has been removed.
    row: *mut RowNode,
    /// Private copy of the constraint pointer.
    con: *mut CON,
    /// The operators from which it is computed; `None` in a clone.
    coupling: Option<ExternalCoupling>,
}

/// The body, and the slots of the row and of the external constraint in its panel.
#[derive(Clone, Copy)]
pub struct ExternalCoupling {
    body: u32,
    row: u32,
    external: u32,
    /// Whether the external constraint has the smaller id.
    transposed: bool,
    /// Whether an earlier block in the row's list leads to the same constraint through the same body.
    repeated: bool,
}

/// All blocks to external constraints.
///
/// While blocks are linked, rows and hosts hold pointers to them. Until [`Externals::clear`] the array is neither moved nor
/// written except through [`Externals::block`].
#[derive(Default)]
pub struct Externals {
    blocks: Vec<External>,
    /// Number of blocks in lists.
    pub live: usize,
    /// Walks over the map of external constraints.
    pub walker: TreeWalker<MAP>,
}

/// Visit the external constraints of a domain, checked.
///
/// # Errors
/// If memory is exhausted, the map is no tree or contains NULL, or a constraint has an unknown kind or no master; the error of
/// a visit.
///
/// # Safety
/// The domain and its external constraints are valid; nobody changes the map meanwhile.
pub unsafe fn each(
    dom: *const DOM,
    walker: &mut TreeWalker<MAP>,
    mut visit: impl FnMut(*mut CON) -> Result<(), Code>,
) -> Result<(), Code> {
    // SAFETY: the caller promises a valid domain with valid external constraints.
    unsafe {
        walker.each((*dom).conext.cast_const(), &"the map of external constraints (conext)", |element| {
            let con = element.cast::<CON>();
            ensure!(!con.is_null(), invalid!("NULL among the external constraints (conext)"));
            constraint::check(con)?;
            visit(con)
        })
    }
}

/// Rebuild the blocks to all external constraints, without values, and give these constraints slots on their bodies.
///
/// # Errors
/// As [`Interaction::new`] and [`Interaction::allows`]; [`Code::InvalidArgument`] for a constraint without a row; [`Code::OutOfMemory`].
/// After an error there are no such blocks.
///
/// # Safety
/// The domain with all its constraints and their bodies is valid; the attachments of the rows are current.
pub unsafe fn rebuild(dynamics: &mut LocalDynamics, kind: UpdateKind) -> Result<(), Code> {
    let dom = dynamics.domain()?;
    // SAFETY: the list holds live rows; the caller promises a valid domain with valid constraints and bodies.
    unsafe {
        for row in dynamics.list() {
            (*row).public.adjext = ptr::null_mut();
        }
        dynamics.externals.clear();
        dynamics.bodies.forget_externals();
        // The walk needs its memory while `dynamics` changes.
        let mut walker = std::mem::take(&mut dynamics.externals.walker);
        let collected = each(dom, &mut walker, |con| couple(dynamics, con, kind));
        dynamics.externals.walker = walker;
        if collected.is_err() {
            dynamics.externals.clear();
        }
        dynamics.externals.link();
        collected
    }
}

/// Add the blocks to one external constraint, through its master and then through its slave.
///
/// # Safety
/// As [`rebuild`]; `con` is valid and has been checked.
unsafe fn couple(dynamics: &mut LocalDynamics, con: *mut CON, kind: UpdateKind) -> Result<(), Code> {
    // SAFETY: the caller promises a valid constraint with valid bodies. A dummy body is valid too: it has no
    // rows, so only its kind is read.
    unsafe {
        let bodies = [(*con).master, (*con).slave];
        // A block added later precedes the others in the lists.
        let repeated = [bodies[0] == bodies[1], false];
        for (body, repeated) in bodies.into_iter().zip(repeated) {
            if !body.is_null() && !constraint::is_contact_on_obstacle(con, body) {
                couple_through(dynamics, con, body, repeated, kind)?;
            }
        }
    }
    Ok(())
}

/// # Safety
/// As [`couple`]; `body` is one of the constraint's.
unsafe fn couple_through(
    dynamics: &mut LocalDynamics,
    con: *mut CON,
    body: *mut BODY,
    repeated: bool,
    kind: UpdateKind,
) -> Result<(), Code> {
    // SAFETY: the caller promises a valid constraint on this valid body, whose set holds valid constraints.
    unsafe {
        // A body without rows has nothing to couple to.
        let Some(index) = dynamics.bodies.index_of(body) else { return Ok(()) };
        let adjacency = Interaction::new(con, body)?;
        dynamics.next_round();
        let LocalDynamics { walker, rows, bodies, externals, round, .. } = dynamics;
        walker.each_on(body, |own| {
            let left_out = kind == UpdateKind::Penalty && (*own).kind == CONTACT;
            if (*own).state & CON_EXTERNAL != 0
                || left_out
                || constraint::is_contact_on_obstacle(own, body)
                || !adjacency.allows(own)?
            {
                return Ok(());
            }
            let row = rows.visit_on(body, own, *round)?;
            let Some(body_slot) =
                (*row).body_slots.into_iter().flatten().find(|body_slot| body_slot.body() == index)
            else {
                let (name, id) = (display::constraint(own), (*body).id);
                return Err(invalid!("{name}: in the set of body {id}, and not on it"));
            };
            let exhausted =
                |_| fail!(Code::OutOfMemory, "{}: no memory for its blocks", display::constraint(con));
            let coupling = ExternalCoupling {
                body: index,
                row: body_slot.slot,
                external: bodies.external_slot(index, con).map_err(exhausted)?,
                transposed: (*con).id < (*own).id,
                repeated,
            };
            externals.reserve(1).map_err(exhausted)?;
            let public = OFFB { W: [0.0; 9], dia: con.cast(), bod: body, n: ptr::null_mut() };
            externals.add(row, public, Some(coupling));
            Ok(())
        })
    }
}

/// Compute the values of all blocks; the panels are filled.
///
/// # Errors
/// [`Code::InvalidArgument`] if a block is not finite.
///
/// # Safety
/// The constraints of all rows and all external constraints are valid, their bodies NULL or valid.
pub unsafe fn assemble(dynamics: &mut LocalDynamics) -> Result<(), Code> {
    let once = options::is_set(LDY_SELF_CONTACT_ONCE);
    let LocalDynamics { externals, bodies, .. } = dynamics;
    for index in 0..externals.blocks.len() {
        let block = externals.block(index);
        // SAFETY: the block is in the array, and no reference to it is in use.
        let coupling = unsafe { (*block).coupling };
        let Some(ExternalCoupling { body, row, external, transposed: is_transposed, repeated }) = coupling
        else {
            continue;
        };
        let panel = &bodies.made.panels[body as usize];
        let w = match (once && repeated, is_transposed) {
            (true, _) => [0.0; 9],
            (_, false) => panel.block(row as usize, external as usize),
            // The process with the external constraint's row computes the block in this order, so that both get the same bits.
            (_, true) => transposed(&panel.block(external as usize, row as usize)),
        };
        // SAFETY: as above; the caller promises valid constraints, and the row of a block that this update made is live.
        unsafe {
            (*block).public.W = w;
            if !is_finite(&w) {
                return Err(non_finite::of_blocks_between([(*(*block).row).public.con, (*block).con]));
            }
        }
    }
    Ok(())
}

impl Externals {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        bytes(&self.blocks) + self.walker.bytes()
    }

    /// Reserve memory for `count` more blocks. No block may be linked, since the memory may move.
    pub fn reserve(&mut self, count: usize) -> Result<(), Exhausted> {
        debug_assert!(self.live == 0, "the memory of linked blocks must not move");
        Ok(self.blocks.try_reserve(count)?)
    }

    fn clear(&mut self) {
        self.blocks.clear();
        self.live = 0;
    }

    /// A pointer to the block with this index, made from the base of the array and not from a reference to the block. It may be
    /// used for the whole block, and no reference made later invalidates it: it is valid until the memory moves or is freed.
    fn block(&mut self, index: usize) -> *mut External {
        debug_assert!(index < self.blocks.len());
        self.blocks.as_mut_ptr().wrapping_add(index)
    }

    /// Add a block for which memory is reserved; [`Externals::link`] links it. A clone's block has no coupling.
    pub fn add(&mut self, row: *mut RowNode, public: OFFB, coupling: Option<ExternalCoupling>) {
        debug_assert!(self.live == 0, "the memory of linked blocks must not move");
        self.blocks.push(External { con: public.dia.cast(), public, row, coupling });
    }

    /// Put each block at the head of its row's list, in the order of addition.
    ///
    /// # Safety
    /// The rows are live, and their lists are empty.
    pub unsafe fn link(&mut self) {
        const { assert!(offset_of!(External, public) == 0) };
        for index in 0..self.blocks.len() {
            let block = self.block(index);
            // SAFETY: the block is in the array; the caller promises that its row is live.
            unsafe {
                let row = (*block).row;
                (*block).public.n = (*row).public.adjext;
                (*row).public.adjext = block.cast();
            }
        }
        self.live = self.blocks.len();
    }

    /// The blocks of live rows in the order of addition, each with its row.
    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = (*mut RowNode, &OFFB)> {
        self.blocks.iter().filter(|block| !block.row.is_null()).map(|block| (block.row, &block.public))
    }

    /// Drop the blocks of a row.
    ///
    /// # Safety
    /// `row` is live.
    pub unsafe fn drop_row(&mut self, row: *mut RowNode) {
        // SAFETY: the caller promises a live row; each block is found in the array by its address.
        unsafe {
            let mut next = mem::replace(&mut (*row).public.adjext, ptr::null_mut());
            while let Some(index) = self.index_of(next) {
                let block = self.block(index);
                if !ptr::eq((*block).row, row) {
                    break;
                }
                (*block).row = ptr::null_mut();
                self.live -= 1;
                next = (*block).public.n;
            }
        }
    }

    /// Check a row's list. Returns the number of its blocks, or a text about the first fault, without ids.
    ///
    /// No pointer is dereferenced before it is known to point to one of the blocks. New blocks go to the head of a list, so
    /// that addresses descend along it and it ends.
    pub fn inspect(&self, row: *const RowNode, head: *const OFFB) -> Result<usize, &'static str> {
        let (mut last, mut next, mut count) = (usize::MAX, head, 0);
        while !next.is_null() {
            let leads_astray = if count == 0 { "adjext is no live block" } else { "n is no live block" };
            let block = self.index_of(next).map(|index| &self.blocks[index]);
            let block = block.filter(|block| ptr::eq(block.row, row)).ok_or(leads_astray)?;
            ensure!(next.addr() < last, "its blocks to external constraints are linked in another order");
            ensure!(
                block.public.dia == block.con.cast(),
                "a block leads to another external constraint than it was made for"
            );
            (last, next, count) = (next.addr(), block.public.n, count + 1);
        }
        Ok(count)
    }

    /// The index of the block whose public part has this address. The pointer is not dereferenced.
    fn index_of(&self, block: *const OFFB) -> Option<usize> {
        let offset = block.addr().wrapping_sub(self.blocks.as_ptr().addr());
        let index = offset / size_of::<External>();
        (offset.is_multiple_of(size_of::<External>()) && index < self.blocks.len()).then_some(index)
    }
}

/// The blocks of a row to external constraints, in the order of the list.
///
/// # Safety
/// The row is live, and nobody changes its list during `'a`.
pub unsafe fn of<'a>(row: *const RowNode) -> impl Iterator<Item = &'a OFFB> {
    // SAFETY: the caller promises a live row whose list nobody changes; its blocks stay until it is removed
    // or updated.
    unsafe {
        iter::successors((*row).public.adjext.cast_const().as_ref(), |block| block.n.cast_const().as_ref())
    }
}

/// W R of a block to an external contact; `None` if the constraint is no contact.
///
/// # Safety
/// `block` is a block to an external constraint that is valid.
pub unsafe fn contact_share(block: &OFFB) -> Option<Vector> {
    // SAFETY: the caller promises a block whose external constraint is valid.
    unsafe {
        let con = block.dia.cast::<CON>();
        let w: &Block = &block.W;
        ((*con).kind == CONTACT).then(|| times(w, &(*con).R))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two rows with the linked blocks 0 and 2 of the first row and 1 of the second. Only the pointers are used afterwards.
    fn linked(rows: &mut [RowNode; 2]) -> (*mut RowNode, *mut RowNode, Externals) {
        let (one, two) = (rows.as_mut_ptr(), rows.as_mut_ptr().wrapping_add(1));
        let mut externals = Externals::default();
        externals.reserve(3).unwrap();
        for (k, row) in [one, two, one].into_iter().enumerate() {
            let dia = ptr::without_provenance_mut(64 * (k + 1));
            externals.add(
                row,
                OFFB { W: [k as f64; 9], dia, bod: ptr::null_mut(), n: ptr::null_mut() },
                None,
            );
        }
        // SAFETY: the rows belong to the caller.
        unsafe { externals.link() };
        (one, two, externals)
    }

    /// Two rows without blocks.
    fn rows() -> [RowNode; 2] {
        // SAFETY: a row may be all zero.
        unsafe { mem::zeroed() }
    }

    #[test]
    fn pointers_of_hosts_stay_valid_while_blocks_are_read_and_written() {
        let mut rows = rows();
        // SAFETY: the rows and the array of blocks outlive their pointers.
        unsafe {
            let (one, two, mut externals) = linked(&mut rows);
            let (first, second) = ((*one).public.adjext, (*two).public.adjext);
            let firsts = |externals: &Externals| externals.inspect(one, (*one).public.adjext);
            assert_eq!((firsts(&externals), externals.inspect(two, second)), (Ok(2), Ok(1)));
            (*externals.block(2)).public.W = [7.0; 9];
            assert_eq!(externals.blocks().map(|(_, block)| block.W[0]).collect::<Vec<_>>(), [0.0, 1.0, 7.0]);
            assert_eq!(((*first).W, (*(*first).n).W, (*second).W), ([7.0; 9], [0.0; 9], [1.0; 9]));
            (*first).W = [8.0; 9];
            assert_eq!((*externals.block(2)).public.W, [8.0; 9]);
            externals.drop_row(one);
            assert_eq!((externals.live, firsts(&externals), (*second).W), (1, Ok(0), [1.0; 9]));
            assert_eq!(externals.blocks().count(), 1);
        }
    }

    #[test]
    fn a_list_that_a_host_has_damaged_is_not_followed() {
        let mut rows = rows();
        // SAFETY: as above.
        unsafe {
            let (one, two, mut externals) = linked(&mut rows);
            (*(*one).public.adjext).n = (*two).public.adjext;
            assert!(externals.inspect(one, (*one).public.adjext).is_err());
            (*(*two).public.adjext).n = ptr::dangling_mut();
            externals.drop_row(one);
            externals.drop_row(two);
            assert_eq!((externals.live, externals.blocks().count()), (1, 1));
        }
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic = "must not move"]
    fn no_block_is_added_to_linked_ones() {
        linked(&mut rows()).2.reserve(1).unwrap();
    }
}
