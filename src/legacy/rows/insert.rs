//! Insertion of a row.

use std::mem::offset_of;
use std::ops::Range;
use std::ptr;

use crate::legacy::errors::{Code, fail};
use crate::legacy::host::adjacency::{self, Adjacency};
use crate::legacy::host::constraint;
use crate::legacy::layout::{BODY, CON, CON_EXTERNAL, DIAB, SET};
use crate::legacy::names;
use crate::memory::resize;
use crate::prefetch::fetch;

use super::attach::{attach, side_on};
use super::attachments::Side;
use super::local_dynamics::LocalDynamics;
use super::pair::{BlockNode, End, Pair};
use super::pool::{Near, Taker};
use super::row::Row;

/// Insert a row for a constraint on one or two bodies; see `LOCDYN_Insert`.
///
/// All that can fail comes first: on an error the rows are as they were.
///
/// # Safety
/// `con` is NULL or valid; each body is NULL or valid with its set of valid constraints.
pub unsafe fn insert(
    dynamics: &mut LocalDynamics,
    con: *mut CON,
    bodies: [*mut BODY; 2],
) -> Result<*mut DIAB, Code> {
    ensure!(!con.is_null(), fail!(Code::BugFound, "con is NULL"));
    dynamics.follows_domain()?;
    // SAFETY: the caller promises a valid constraint, and bodies that are NULL or valid with their sets.
    unsafe {
        constraint::check_kind(con)?;
        ensure!(
            dynamics.rows.claimed(con).is_null() || !dynamics.rows.has(con),
            fail!(Code::BugFound, "{}: has a row already", names::constraint(con))
        );
        dynamics.is_gathered = false;
        bodies
            .iter()
            .for_each(|body| fetch(body.wrapping_byte_add(offset_of!(BODY, con)).cast::<*mut SET>()));
        let is_left_out = |body: *mut BODY| !body.is_null() && constraint::is_contact_on_obstacle(con, body);
        let bodies = bodies.map(|body| if is_left_out(body) { ptr::null_mut() } else { body });
        let through = find_neighbours(dynamics, con, bodies)?;
        let LocalDynamics { rows, pairs, bodies: bodies_of, .. } = dynamics;
        through.iter().filter_map(|through| through.body).for_each(|body| bodies_of.fetch_slot(body));
        rows.pool
            .reserve(1)
            .and_then(|()| pairs.reserve(through[1].neighbours.end))
            .map_err(|_| no_memory(con))?;
        let row = rows.pool.take();
        Row::open(row, con);
        fetch(row.wrapping_add(1));
        if let Err(code) = attach_to(dynamics, row, bodies, &through) {
            (*row).sides.into_iter().flatten().for_each(|side| dynamics.bodies.detach(side));
            dynamics.rows.give(row);
            return Err(code);
        }
        link(dynamics, row, bodies, through);
        Ok(row.cast())
    }
}

/// The neighbours through one of the bodies.
struct Through {
    neighbours: Range<usize>,
    /// The body's index, which they know.
    body: Option<u32>,
}

/// Find the rows of the constraints in the sets of the bodies, in their order, but of the new one and of those that do not interact
/// with it.
///
/// # Safety
/// As [`insert`].
unsafe fn find_neighbours(
    dynamics: &mut LocalDynamics,
    con: *mut CON,
    bodies: [*mut BODY; 2],
) -> Result<[Through; 2], Code> {
    let (mut found, mut kept, mut near) = (0, 0, Near::NONE);
    let mut counts = [0; 2];
    let mut through = [const { Through { neighbours: 0..0, body: None } }; 2];
    // SAFETY: the caller promises a valid constraint, and bodies that are NULL or valid with their sets of valid constraints; rows
    // found are live, and so are their blocks.
    unsafe {
        for k in 0..2 {
            if !bodies[k].is_null() {
                counts[k] = dynamics.walks.collect_on(bodies[k], &mut dynamics.found, found)?;
                found += counts[k];
            }
        }
        resize(&mut dynamics.neighbours, dynamics.found.len(), ptr::null_mut())
            .map_err(|_| no_memory(con))?;
        let mut from = 0;
        for k in 0..2 {
            let body = bodies[k];
            through[k].neighbours = kept..kept;
            if !body.is_null() {
                let by_nodes;
                let adjacency = if adjacency::is_by_nodes(body) {
                    by_nodes = Adjacency::new(con, body)?;
                    Some(&by_nodes)
                } else {
                    adjacency::check_kind(body)?;
                    None
                };
                dynamics.next_round();
                let LocalDynamics { found, neighbours, rows, round, .. } = dynamics;
                let mut free = neighbours[kept..].iter_mut();
                for &other in &found[from..from + counts[k]] {
                    // It has no row, or not yet.
                    if other == con
                        || rows.claimed(other).is_null()
                        || cfg!(feature = "mpi") && (*other).state & CON_EXTERNAL != 0
                    {
                        continue;
                    }
                    let row = rows.met_on(body, other, *round, &mut near)?;
                    if let Some(adjacency) = adjacency
                        && !adjacency.allows(other)?
                    {
                        continue;
                    }
                    let last = (*row).public.adj.wrapping_byte_add(offset_of!(BlockNode, previous));
                    fetch(last.cast::<*mut BlockNode>());
                    if let Some(place) = free.next() {
                        *place = row;
                    }
                }
                let left = free.len();
                if let Some(&first) = neighbours.get(kept)
                    && kept < neighbours.len() - left
                {
                    through[k].body = side_on(first, body).map(Side::body);
                    through[k].body.inspect(|&index| dynamics.bodies.fetch(index));
                }
                kept = neighbours.len() - left;
            }
            from += counts[k];
            through[k].neighbours.end = kept;
        }
    }
    Ok(through)
}

/// # Safety
/// `con` is valid, and so are its bodies.
#[cold]
unsafe fn no_memory(con: *const CON) -> Code {
    // SAFETY: the caller promises a valid constraint.
    fail!(Code::OutOfMemory, "{}: no memory for its row", unsafe { names::constraint(con) })
}

/// Attach the new row to its bodies.
///
/// # Errors
/// [`Code::OutOfMemory`]; what was attached is in the row.
///
/// # Safety
/// As [`insert`]; `row` is a fresh row of the constraint, `bodies` are those that W counts, NULL where it counts none.
unsafe fn attach_to(
    dynamics: &mut LocalDynamics,
    row: *mut Row,
    bodies: [*mut BODY; 2],
    through: &[Through; 2],
) -> Result<(), Code> {
    // SAFETY: the caller promises a fresh row and valid bodies.
    unsafe {
        // The row's lines may still be on their way: what is in them is not read.
        let repeated = bodies[0] == bodies[1];
        let attached = [bodies[0], if repeated { ptr::null_mut() } else { bodies[1] }];
        for (k, body) in attached.into_iter().enumerate() {
            if !body.is_null() {
                (*row).sides[k] = Some(attach(dynamics, row, body, through[k].body)?);
                (*row).bodies[k] = body;
            }
        }
        (*row).inserted = attached;
    }
    Ok(())
}

/// Put the row into the list, and a pair with each neighbour into both rows.
///
/// # Safety
/// The row and its neighbours are attached, and memory for the pairs is reserved; the neighbours are those through these bodies.
unsafe fn link(dynamics: &mut LocalDynamics, row: *mut Row, bodies: [*mut BODY; 2], through: [Through; 2]) {
    let LocalDynamics { public, pairs, neighbours, .. } = dynamics;
    // SAFETY: the caller promises attached rows and reserved pairs; constraints of rows are valid, and the
    // list holds live rows.
    unsafe {
        (*row).set_live();
        (*row).public.n = public.dia;
        if let Some(next) = public.dia.as_mut() {
            next.p = row.cast();
        }
        public.dia = row.cast();

        // A block that is added later lies before the others in the lists.
        let repeated = [bodies[0] == bodies[1], false];
        let mut pairs = pairs.taker();
        for k in 0..2 {
            link_to(row, &neighbours[through[k].neighbours.clone()], bodies[k], repeated[k], &mut pairs);
        }
    }
}

/// How many pairs ahead to prefetch: the pair taken next most often lies behind the one taken last.
const AHEAD: usize = 24;

/// Put a pair with each of these neighbours through a body into the row and into that of the neighbour.
///
/// # Safety
/// As [`link`].
#[inline(never)]
unsafe fn link_to(
    row: *mut Row,
    neighbours: &[*mut Row],
    bod: *mut BODY,
    repeated: bool,
    pairs: &mut Taker<'_, Pair>,
) {
    // SAFETY: the caller promises attached rows with valid constraints, and reserved pairs.
    unsafe {
        let (id, own) = ((*row).id, End::of(row, bod));
        for &other in neighbours {
            let end = End::of(other, bod);
            if end.is_loose() && !constraint::is_contact_on_obstacle((*other).public.con, bod) {
                // The next update attaches it, or finds that it cannot.
                (*other).is_suspect = true;
            }
            let first = usize::from(id >= (*other).id);
            let pair = pairs.take();
            fetch(pair.wrapping_add(AHEAD));
            let nodes = Pair::fill(pair, bod, [own, end], first, repeated);
            BlockNode::put_first(nodes[0], row);
            BlockNode::put_first(nodes[1], other);
        }
    }
}
