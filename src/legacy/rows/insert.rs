//! Insertion of a row.

use std::mem::offset_of;
use std::ptr;

use crate::legacy::errors::{Code, fail};
use crate::legacy::host::adjacency::{self, Adjacency};
use crate::legacy::host::constraint;
use crate::legacy::layout::{BODY, CON, CON_EXTERNAL, DIAB, SET};
use crate::legacy::names;
use crate::memory::resize;
use crate::prefetch::fetch;

use super::local_dynamics::LocalDynamics;
use super::pair::{BlockNode, Pair};
use super::pool::{Near, Pool};
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
        (dynamics.is_gathered, dynamics.has_new_pairs) = (false, true);
        bodies
            .iter()
            .for_each(|body| fetch(body.wrapping_byte_add(offset_of!(BODY, con)).cast::<*mut SET>()));
        let is_left_out = |body: *mut BODY| !body.is_null() && constraint::is_contact_on_obstacle(con, body);
        let bodies = bodies.map(|body| if is_left_out(body) { ptr::null_mut() } else { body });
        let mut met = Met::default();
        let ready = meet(dynamics, con, bodies, &mut met).and_then(|()| {
            let room = dynamics.rows.pool.reserve(1).and_then(|()| dynamics.pairs.reserve(met.ends[1]));
            room.map_err(|_| no_memory(con))
        });
        met.forget_marks(&dynamics.neighbours);
        ready?;
        let LocalDynamics { public, rows, pairs, neighbours, .. } = dynamics;
        let row = rows.pool.take();
        Row::open(row, con);
        fetch(row.wrapping_add(1));
        (*row).is_new = true;
        (*row).inserted = [bodies[0], if bodies[0] == bodies[1] { ptr::null_mut() } else { bodies[1] }];
        (*row).public.n = public.dia;
        if let Some(next) = public.dia.as_mut() {
            next.p = row.cast();
        }
        public.dia = row.cast();

        // A block that is added later lies before the others in the lists.
        let repeated = [bodies[0] == bodies[1], false];
        let [first, second] = met.ends;
        link_to(row, &neighbours[..first], bodies[0], repeated[0], pairs);
        link_to(row, &neighbours[first..second], bodies[1], repeated[1], pairs);
        Ok(row.cast())
    }
}

/// Which of the places for neighbours hold what: first those through the first body, then those through the second one. Rows that do
/// not interact with the new one stand in the last places.
#[derive(Default)]
struct Met {
    ends: [usize; 2],
    left_out: usize,
}

impl Met {
    /// # Safety
    /// `rows` are those that were met.
    unsafe fn forget_marks(&self, rows: &[*mut Row]) {
        let marked = rows[..self.ends[1]].iter().chain(&rows[rows.len() - self.left_out..]);
        // SAFETY: the caller promises rows that were met, which are live.
        marked.for_each(|&row| unsafe { (*row).public.sprod = ptr::null_mut() });
    }
}

/// Find the rows of the constraints in the sets of the bodies, in their order, but the new one. Those that are met, on an error too,
/// are marked where the host has nothing: each comes once in a set.
///
/// # Safety
/// As [`insert`].
unsafe fn meet(
    dynamics: &mut LocalDynamics,
    con: *mut CON,
    bodies: [*mut BODY; 2],
    met: &mut Met,
) -> Result<(), Code> {
    // SAFETY: the caller promises a valid constraint, and bodies that are NULL or valid with their sets of valid constraints; rows
    // found are live, and so are their blocks.
    unsafe {
        let mut ends = [0; 2];
        for k in 0..2 {
            let from = ends[0];
            ends[k] = from;
            if !bodies[k].is_null() {
                ends[k] += dynamics.walks.collect_on(bodies[k], &mut dynamics.found, from)?;
            }
        }
        let LocalDynamics { found, neighbours, rows, .. } = dynamics;
        resize(neighbours, found.len(), ptr::null_mut()).map_err(|_| no_memory(con))?;
        let mut near = Near::NONE;
        for (k, found) in [&found[..ends[0]], &found[ends[0]..ends[1]]].into_iter().enumerate() {
            let body = bodies[k];
            if body.is_null() {
                continue;
            }
            let by_nodes;
            let adjacency = if adjacency::is_by_nodes(body) {
                by_nodes = Adjacency::new(con, body)?;
                Some(&by_nodes)
            } else {
                adjacency::check_kind(body)?;
                None
            };
            let mark = con.wrapping_byte_add(k).cast();
            for &other in found {
                // It has no row, or not yet.
                if other == con
                    || rows.claimed(other).is_null()
                    || cfg!(feature = "mpi") && (*other).state & CON_EXTERNAL != 0
                {
                    continue;
                }
                let row = rows.of_near(other, &mut near)?;
                ensure!((*row).public.sprod != mark, comes_twice(other, body));
                (*row).public.sprod = mark;
                let allows = adjacency.map_or(Ok(true), |adjacency| adjacency.allows(other));
                if let Ok(true) = allows {
                    neighbours[met.ends[1]] = row;
                    met.ends[1] += 1;
                } else {
                    met.left_out += 1;
                    let place = neighbours.len() - met.left_out;
                    neighbours[place] = row;
                }
                allows?;
                let last = (*row).public.adj.wrapping_byte_add(offset_of!(BlockNode, previous));
                fetch(last.cast::<*mut BlockNode>());
                fetch(&raw const (*row).id);
            }
            if k == 0 {
                met.ends[0] = met.ends[1];
            }
        }
    }
    Ok(())
}

/// # Safety
/// Both are valid, and so are the bodies of the constraint.
#[cold]
unsafe fn comes_twice(con: *const CON, body: *const BODY) -> Code {
    // SAFETY: the caller promises a valid constraint and a valid body.
    unsafe {
        fail!(Code::BugFound, "{}: comes twice in the set of body {}", names::constraint(con), (*body).id)
    }
}

/// # Safety
/// `con` is valid, and so are its bodies.
#[cold]
unsafe fn no_memory(con: *const CON) -> Code {
    // SAFETY: the caller promises a valid constraint.
    fail!(Code::OutOfMemory, "{}: no memory for its row", unsafe { names::constraint(con) })
}

/// How many pairs ahead to prefetch: the pair taken next most often lies behind the one taken last.
const AHEAD: usize = 24;

/// Put a pair with each of these neighbours through a body into the row and into that of the neighbour.
///
/// # Safety
/// The row and the neighbours are live, and memory for the pairs is reserved.
#[inline(never)]
unsafe fn link_to(
    row: *mut Row,
    neighbours: &[*mut Row],
    bod: *mut BODY,
    repeated: bool,
    pairs: &mut Pool<Pair>,
) {
    // SAFETY: the caller promises live rows and reserved pairs.
    unsafe {
        let id = (*row).id;
        for &other in neighbours {
            let pair = pairs.take();
            fetch(pair.wrapping_add(AHEAD));
            let nodes = Pair::fill(pair, bod, [row, other], usize::from(id >= (*other).id), repeated);
            BlockNode::put_first(nodes[0], row);
            BlockNode::put_first(nodes[1], other);
        }
    }
}
