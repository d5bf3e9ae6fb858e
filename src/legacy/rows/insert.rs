//! Insertion of a row.

use std::mem::offset_of;
use std::ptr;

use crate::legacy::display;
use crate::legacy::errors::{Code, fail, invalid};
use crate::legacy::host::adjacency::{self, Interaction};
use crate::legacy::host::constraint;
use crate::legacy::host::set::TreeWalker;
use crate::legacy::layout::{BODY, CON, CON_EXTERNAL, DIAB, SET};
use crate::memory::push;
use crate::prefetch::fetch;

use super::attachments::BodySlot;
use super::local_dynamics::LocalDynamics;
use super::pair::{BlockNode, BlockPair, PairEnd};
use super::pool::ChunkPool;
use super::row::{RowNode, RowStore};
use super::sync::{attach, slot_on};

/// Insert a row for a constraint on one or two bodies; see `LOCDYN_Insert`.
///
/// Every step that can fail comes first: after an error the rows are unchanged.
///
/// # Safety
/// `con` is NULL or valid; each body is NULL or valid with its set of valid constraints.
pub unsafe fn insert(
    dynamics: &mut LocalDynamics,
    con: *mut CON,
    bodies: [*mut BODY; 2],
) -> Result<*mut DIAB, Code> {
    ensure!(!con.is_null(), invalid!("con is NULL"));
    dynamics.check_is_no_clone()?;
    // SAFETY: the caller promises a valid constraint, and bodies that are NULL or valid with their sets.
    unsafe {
        constraint::check_kind(con)?;
        ensure!(
            dynamics.rows.dia_of(con).is_null() || !dynamics.rows.has(con),
            invalid!("{}: has a row already", display::constraint(con))
        );
        dynamics.is_gathered = false;
        bodies
            .iter()
            .for_each(|body| fetch(body.wrapping_byte_add(offset_of!(BODY, con)).cast::<*mut SET>()));
        let is_left_out = |body: *mut BODY| !body.is_null() && constraint::is_contact_on_obstacle(con, body);
        let bodies = bodies.map(|body| if is_left_out(body) { ptr::null_mut() } else { body });
        dynamics.neighbors.clear();
        let mut ranges = [NeighborRange { end: 0, body: None }; 2];
        for k in 0..2 {
            if !bodies[k].is_null() {
                ranges[k].body = find_neighbors(dynamics, con, bodies[k])?;
            }
            ranges[k].end = dynamics.neighbors.len();
        }
        let LocalDynamics { rows, pairs, bodies: bodies_of, .. } = dynamics;
        ranges.iter().filter_map(|ranges| ranges.body).for_each(|body| bodies_of.fetch_slot(body));
        rows.pool.reserve(1).and_then(|()| pairs.reserve(ranges[1].end)).map_err(|_| no_memory(con))?;
        let row = rows.pool.take();
        RowNode::open(row, con);
        fetch(row.wrapping_add(1));
        if let Err(code) = attach_to(dynamics, row, bodies, ranges) {
            (*row).body_slots.into_iter().flatten().for_each(|body_slot| dynamics.bodies.detach(body_slot));
            dynamics.rows.release(row);
            return Err(code);
        }
        link(dynamics, row, bodies, ranges);
        Ok(row.cast())
    }
}

/// The range of neighbors through one of the bodies.
#[derive(Clone, Copy)]
struct NeighborRange {
    /// The end of the range in the list of all neighbors; the range of the other body begins here.
    end: usize,
    /// The body's index, if a neighbor has it.
    body: Option<u32>,
}

/// Append the rows that interact with the new one through a body to `neighbors`, in the order of the body's set. Returns the
/// body's index if a neighbor has it.
///
/// # Safety
/// As [`insert`]; the body is not NULL.
#[inline(never)]
unsafe fn find_neighbors(
    dynamics: &mut LocalDynamics,
    con: *mut CON,
    body: *mut BODY,
) -> Result<Option<u32>, Code> {
    // SAFETY: the caller promises a valid constraint and a valid body with its set of valid constraints.
    unsafe {
        let by_nodes;
        let adjacency = if adjacency::is_by_nodes(body) {
            by_nodes = Interaction::new(con, body)?;
            Some(&by_nodes)
        } else {
            adjacency::check_kind(body)?;
            None
        };
        let start = dynamics.neighbors.len();
        let (walker, mut search) = NeighborSearch::begin(dynamics, con, body, adjacency);
        if !walker.each_quickly_on(body, |other| search.add(other).is_ok()) {
            dynamics.neighbors.truncate(start);
            find_all(dynamics, con, body, adjacency)?;
        }
        let index = dynamics.neighbors.get(start).and_then(|&first| slot_on(first, body)).map(BodySlot::body);
        index.inspect(|&index| dynamics.bodies.fetch(index));
        Ok(index)
    }
}

/// Find all neighbors on a body, or the error: the slow path after a quick walk has failed. It is separate from
/// [`find_neighbors`], whose shared variables would otherwise be in memory instead of registers.
///
/// # Safety
/// As [`find_neighbors`].
#[cold]
#[inline(never)]
unsafe fn find_all(
    dynamics: &mut LocalDynamics,
    con: *mut CON,
    body: *mut BODY,
    adjacency: Option<&Interaction>,
) -> Result<(), Code> {
    // SAFETY: the caller promises a valid body with its set of valid constraints.
    unsafe {
        let (walker, mut search) = NeighborSearch::begin(dynamics, con, body, adjacency);
        walker.each_on(body, |other| search.add(other))
    }
}

/// The search for a constraint's neighbors in the set of one of its bodies.
struct NeighborSearch<'a> {
    con: *mut CON,
    body: *mut BODY,
    adjacency: Option<&'a Interaction<'a>>,
    rows: &'a RowStore,
    round: u32,
    neighbors: &'a mut Vec<*mut RowNode>,
}

impl<'a> NeighborSearch<'a> {
    /// Begin a search, in a round of its own.
    ///
    /// # Safety
    /// As [`find_neighbors`].
    #[inline(always)]
    unsafe fn begin(
        dynamics: &'a mut LocalDynamics,
        con: *mut CON,
        body: *mut BODY,
        adjacency: Option<&'a Interaction<'a>>,
    ) -> (&'a mut TreeWalker<SET>, Self) {
        // SAFETY: the rows are lent to this function: nobody else uses them.
        unsafe { dynamics.next_round() };
        let LocalDynamics { walker, neighbors, rows, round, .. } = dynamics;
        (walker, Self { con, body, adjacency, rows, round: *round, neighbors })
    }

    /// Add the row of another constraint to the neighbors, if it has a row and interacts.
    ///
    /// # Safety
    /// The constraints and the body are valid.
    #[inline(always)]
    unsafe fn add(&mut self, other: *mut CON) -> Result<(), Code> {
        // SAFETY: the caller promises valid constraints; a row found is live with its blocks.
        unsafe {
            // Constraints without a row are skipped.
            if other == self.con
                || self.rows.dia_of(other).is_null()
                || cfg!(feature = "mpi") && (*other).state & CON_EXTERNAL != 0
            {
                return Ok(());
            }
            let row = self.rows.visit_on(self.body, other, self.round)?;
            if let Some(adjacency) = self.adjacency
                && !adjacency.allows(other)?
            {
                return Ok(());
            }
            let last = (*row).public.adj.wrapping_byte_add(offset_of!(BlockNode, previous));
            fetch(last.cast::<*mut BlockNode>());
            push(self.neighbors, row).map_err(|_| no_memory(self.con))
        }
    }
}

/// # Safety
/// `con` is valid, and so are its bodies.
#[cold]
unsafe fn no_memory(con: *const CON) -> Code {
    // SAFETY: the caller promises a valid constraint.
    fail!(Code::OutOfMemory, "{}: no memory for its row", unsafe { display::constraint(con) })
}

/// Attach the new row to its bodies.
///
/// # Errors
/// [`Code::OutOfMemory`]. The row lists the attachments made until then.
///
/// # Safety
/// As [`insert`]; `row` is a fresh row of the constraint, `bodies` are the bodies in W, NULL if W omits one.
unsafe fn attach_to(
    dynamics: &mut LocalDynamics,
    row: *mut RowNode,
    bodies: [*mut BODY; 2],
    ranges: [NeighborRange; 2],
) -> Result<(), Code> {
    // SAFETY: the caller promises a fresh row and valid bodies.
    unsafe {
        // The row's cache lines may not have arrived yet, so they are not read.
        let repeated = bodies[0] == bodies[1];
        let attached = [bodies[0], if repeated { ptr::null_mut() } else { bodies[1] }];
        for (k, body) in attached.into_iter().enumerate() {
            if !body.is_null() {
                (*row).body_slots[k] = Some(attach(dynamics, row, body, ranges[k].body)?);
                (*row).bodies[k] = body;
            }
        }
        (*row).inserted = attached;
    }
    Ok(())
}

/// Link the row into the list, and a pair with each neighbor into both rows.
///
/// # Safety
/// The row and its neighbors are attached, and memory for the pairs is reserved. The neighbors were found through these bodies.
unsafe fn link(
    dynamics: &mut LocalDynamics,
    row: *mut RowNode,
    bodies: [*mut BODY; 2],
    ranges: [NeighborRange; 2],
) {
    let LocalDynamics { public, pairs, neighbors, .. } = dynamics;
    // SAFETY: the caller promises attached rows and reserved pairs; constraints of rows are valid, and the
    // list holds live rows.
    unsafe {
        (*row).set_live();
        (*row).public.n = public.dia;
        if let Some(next) = public.dia.as_mut() {
            next.p = row.cast();
        }
        public.dia = row.cast();

        // A block added later precedes the others in the lists.
        let (first, second) = neighbors[..ranges[1].end].split_at(ranges[0].end);
        link_to(row, first, bodies[0], bodies[0] == bodies[1], pairs);
        link_to(row, second, bodies[1], false, pairs);
    }
}

/// Number of pairs ahead to prefetch: pairs taken in turn are usually adjacent in memory.
const AHEAD: usize = 48;

/// Link a pair with each of these neighbors through a body into the row and into the neighbor's row.
///
/// # Safety
/// As [`link`].
#[inline(never)]
unsafe fn link_to(
    row: *mut RowNode,
    neighbors: &[*mut RowNode],
    bod: *mut BODY,
    repeated: bool,
    pairs: &mut ChunkPool<BlockPair>,
) {
    // SAFETY: the caller promises attached rows with valid constraints, and reserved pairs.
    unsafe {
        let (id, own) = ((*row).id, PairEnd::of(row, bod));
        let mut head = (*row).public.adj.cast();
        let mut rest = neighbors;
        while !rest.is_empty() {
            let (mut pair, count) = pairs.take_run(rest.len());
            let (these, others) = rest.split_at(count);
            for &other in these {
                fetch(pair.wrapping_add(AHEAD));
                let end = PairEnd::of(other, bod);
                if end.is_detached() && !constraint::is_contact_on_obstacle((*other).public.con, bod) {
                    // The next update attaches it or reports an error.
                    (*other).is_suspect = true;
                }
                let place = usize::from(id >= (*other).id);
                let nodes = BlockPair::fill(pair, bod, [own, end], place, repeated);
                BlockNode::put_ahead(head, nodes[0], row);
                head = nodes[0];
                BlockNode::put_first(nodes[1], other);
                pair = pair.wrapping_add(1);
            }
            rest = others;
        }
        (*row).public.adj = head.cast();
    }
}
