//! Blocks to external constraints: copies of other processes' constraints, which have no rows here.
//!
//! They are made anew in every update that makes W. Their memory is one array, used again each time; the lists through
//! `adjext` are linked when it is complete. A constraint that a block leads to may have been freed by the host since:
//! whatever drops blocks does not read it.

use std::mem::offset_of;
use std::{iter, ptr};

use crate::legacy::c_api::types::LDY_SELF_CONTACT_ONCE;
use crate::legacy::display;
use crate::legacy::errors::{Code, fail};
use crate::legacy::host::adjacency::Adjacency;
use crate::legacy::host::constraint;
use crate::legacy::host::domain::UpdateKind;
use crate::legacy::host::set::Walks;
use crate::legacy::layout::*;
use crate::legacy::non_finite;
use crate::legacy::options;
use crate::math::{Block, Vector, is_finite, times, transposed};
use crate::memory::bytes;

use super::local_dynamics::LocalDynamics;
use super::pool::Exhausted;
use super::row::Row;

/// A block to an external constraint, with the hidden data behind what the host sees.
#[repr(C)]
pub struct External {
    /// What the host sees: `dia` is the constraint, cast.
    public: OFFB,
    /// The row that it belongs to; NULL once that has been removed.
    row: *mut Row,
    /// The constraint once more, out of the host's reach.
    con: *mut CON,
    /// What it is computed from; `None` in a clone.
    coupling: Option<Coupling>,
}

/// The body, and the slots of the row and of the external constraint in its panel.
#[derive(Clone, Copy)]
pub struct Coupling {
    body: u32,
    row: u32,
    external: u32,
    /// Whether the external constraint's own row comes first in the order of ids.
    transposed: bool,
    /// Whether the row has another block to the constraint through this body before this one in its list.
    repeated: bool,
}

/// All blocks to external constraints.
#[derive(Default)]
pub struct Externals {
    blocks: Vec<External>,
    /// How many of them are in lists.
    pub live: usize,
    /// Memory lent to walks over the map of external constraints.
    pub walks: Walks<MAP>,
}

/// Visit the external constraints of a domain, checked.
///
/// # Errors
/// If memory is exhausted, or the map is no tree or holds NULL; of a constraint of unknown kind or without a master; that of a
/// visit.
///
/// # Safety
/// The domain and its external constraints are valid; nobody changes the map meanwhile.
pub unsafe fn each(
    dom: *const DOM,
    walks: &mut Walks<MAP>,
    mut visit: impl FnMut(*mut CON) -> Result<(), Code>,
) -> Result<(), Code> {
    // SAFETY: the caller promises a valid domain with valid external constraints.
    unsafe {
        walks.each((*dom).conext.cast_const(), &"the map of external constraints (conext)", |element| {
            let con = element.cast::<CON>();
            ensure!(!con.is_null(), fail!(Code::BugFound, "NULL among the external constraints (conext)"));
            constraint::check(con)?;
            visit(con)
        })
    }
}

/// Make the blocks to all external constraints anew, without values, and give these constraints slots on their
/// bodies.
///
/// # Errors
/// As the decision on adjacency; [`Code::BugFound`] for a constraint without a row; [`Code::OutOfMemory`]. Then there
/// are no such blocks.
///
/// # Safety
/// The domain with all its constraints and their bodies is valid; the rows are reconciled with their constraints.
pub unsafe fn rebuild(dynamics: &mut LocalDynamics, kind: UpdateKind) -> Result<(), Code> {
    let dom = dynamics.domain()?;
    // SAFETY: the list holds live rows; the caller promises a valid domain with valid constraints and bodies.
    unsafe {
        for row in dynamics.list() {
            (*row).public.adjext = ptr::null_mut();
        }
        dynamics.externals.clear();
        dynamics.bodies.forget_externals();
        // The walk takes its memory out of what changes during the walk.
        let mut walks = std::mem::take(&mut dynamics.externals.walks);
        let collected = each(dom, &mut walks, |con| couple(dynamics, con, kind));
        dynamics.externals.walks = walks;
        if collected.is_err() {
            dynamics.externals.clear();
        }
        dynamics.externals.link();
        collected
    }
}

/// The blocks to one external constraint, through its master and then through its slave.
///
/// # Safety
/// As [`rebuild`]; `con` is valid and has been checked.
unsafe fn couple(dynamics: &mut LocalDynamics, con: *mut CON, kind: UpdateKind) -> Result<(), Code> {
    // SAFETY: the caller promises a valid constraint with valid bodies. A dummy body is valid too: it has no
    // rows, so only its kind is read.
    unsafe {
        let bodies = [(*con).master, (*con).slave];
        // A block that is added later lies before the others in the lists.
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
        let adjacency = Adjacency::new(con, body)?;
        dynamics.next_round();
        let LocalDynamics { walks, rows, bodies, externals, round, .. } = dynamics;
        walks.each_on(body, |own| {
            let left_out = kind == UpdateKind::Penalty && (*own).kind == CONTACT;
            if (*own).state & CON_EXTERNAL != 0
                || left_out
                || constraint::is_contact_on_obstacle(own, body)
                || !adjacency.allows(own)?
            {
                return Ok(());
            }
            let row = rows.met_on(body, own, *round)?;
            let Some(side) = (*row).sides.into_iter().flatten().find(|side| side.body() == index) else {
                let (name, id) = (display::constraint(own), (*body).id);
                return Err(fail!(Code::BugFound, "{name}: in the set of body {id}, and not on it"));
            };
            let exhausted =
                |_| fail!(Code::OutOfMemory, "{}: no memory for its blocks", display::constraint(con));
            let coupling = Coupling {
                body: index,
                row: side.slot,
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

/// The values of all blocks; the panels are filled.
///
/// # Errors
/// [`Code::BugFound`] if a block is not finite.
///
/// # Safety
/// The constraints of all rows and all external constraints are valid, their bodies NULL or valid.
pub unsafe fn assemble(dynamics: &mut LocalDynamics) -> Result<(), Code> {
    let once = options::is_set(LDY_SELF_CONTACT_ONCE);
    for block in &mut dynamics.externals.blocks {
        let Some(Coupling { body, row, external, transposed: is_transposed, repeated }) = block.coupling
        else {
            continue;
        };
        let panel = &dynamics.bodies.made.panels[body as usize];
        block.public.W = match (once && repeated, is_transposed) {
            (true, _) => [0.0; 9],
            (_, false) => panel.block(row as usize, external as usize),
            // The process that has the external constraint's row computes the block in this order; so both have the
            // same bits.
            (_, true) => transposed(&panel.block(external as usize, row as usize)),
        };
        if !is_finite(&block.public.W) {
            // SAFETY: the caller promises valid constraints; the row of a block that has just been made is live.
            return Err(unsafe {
                non_finite::of_blocks_between(
                    [(*block.row).public.con, block.con].map(<*mut CON>::cast_const),
                )
            });
        }
    }
    Ok(())
}

impl Externals {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        bytes(&self.blocks) + self.walks.bytes()
    }

    /// Make room for `count` blocks.
    pub fn reserve(&mut self, count: usize) -> Result<(), Exhausted> {
        Ok(self.blocks.try_reserve(count)?)
    }

    fn clear(&mut self) {
        self.blocks.clear();
        self.live = 0;
    }

    /// Add a block, to be linked, for which there is room; without a coupling for the row of a clone.
    pub fn add(&mut self, row: *mut Row, public: OFFB, coupling: Option<Coupling>) {
        self.blocks.push(External { con: public.dia.cast(), public, row, coupling });
    }

    /// Put each block at the head of its row's list, in the order in which they were added.
    ///
    /// # Safety
    /// The rows are live; none has such blocks.
    pub unsafe fn link(&mut self) {
        for block in &mut self.blocks {
            // SAFETY: the caller promises that the rows are live.
            unsafe {
                block.public.n = (*block.row).public.adjext;
                (*block.row).public.adjext = &raw mut block.public;
            }
        }
        self.live = self.blocks.len();
    }

    /// The blocks in the order in which they were added, each with its row.
    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = (*mut Row, &OFFB)> {
        self.blocks.iter().filter(|block| !block.row.is_null()).map(|block| (block.row, &block.public))
    }

    /// Drop the blocks of a row.
    ///
    /// # Safety
    /// `row` is live.
    pub unsafe fn drop_row(&mut self, row: *mut Row) {
        // SAFETY: the caller promises a live row; blocks of live rows are of this array.
        unsafe {
            let mut block = (*row).public.adjext.cast::<External>();
            (*row).public.adjext = ptr::null_mut();
            while !block.is_null() {
                (*block).row = ptr::null_mut();
                self.live -= 1;
                block = (*block).public.n.cast();
            }
        }
    }

    /// Check a row's list: the number of its blocks, or the first fault in words, without ids.
    ///
    /// No pointer is followed before it is known to lead to one of the blocks. New blocks go to the head, so that
    /// addresses descend along a list: it has an end.
    pub fn inspect(&self, row: *const Row, head: *const OFFB) -> Result<usize, &'static str> {
        let (mut last, mut next, mut count) = (usize::MAX, head, 0);
        while !next.is_null() {
            let leads_astray = if count == 0 { "adjext is no live block" } else { "n is no live block" };
            let block = self.at(next.addr()).filter(|block| ptr::eq(block.row, row)).ok_or(leads_astray)?;
            ensure!(next.addr() < last, "its blocks to external constraints are linked in another order");
            ensure!(
                block.public.dia == block.con.cast(),
                "a block leads to another external constraint than it was made for"
            );
            (last, next, count) = (next.addr(), block.public.n, count + 1);
        }
        Ok(count)
    }

    fn at(&self, address: usize) -> Option<&External> {
        const { assert!(offset_of!(External, public) == 0) };
        let offset = address.wrapping_sub(self.blocks.as_ptr().addr());
        let size = size_of::<External>();
        if offset.is_multiple_of(size) { self.blocks.get(offset / size) } else { None }
    }
}

/// The blocks of a row to external constraints, in the order of the list.
///
/// # Safety
/// The row is live, and nobody changes its list during `'a`.
pub unsafe fn of<'a>(row: *const Row) -> impl Iterator<Item = &'a OFFB> {
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
