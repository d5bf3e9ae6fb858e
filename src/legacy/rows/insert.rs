//! Insertion of a row.

use std::mem::offset_of;
use std::ptr;

use crate::legacy::errors::{Code, fail};
use crate::legacy::host::adjacency::Adjacency;
use crate::legacy::host::constraint;
use crate::legacy::layout::{BODY, CON, CON_EXTERNAL, DIAB};
use crate::legacy::names;
use crate::memory::push;
use crate::prefetch::fetch;

use super::attach::{attach, side_on};
use super::attachments::Side;
use super::local_dynamics::LocalDynamics;
use super::pair::{BlockNode, Pair};
use super::row::Row;

/// A constraint in the set of a body of the new one, and its row once that is known.
pub struct Neighbour {
    con: *mut CON,
    row: *mut Row,
    /// Which of the new constraint's bodies.
    through: usize,
}

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
            !dynamics.rows.has(con),
            fail!(Code::BugFound, "{}: has a row already", names::constraint(con))
        );
        dynamics.is_gathered = false;
        dynamics.neighbours.clear();
        let is_left_out = |body: *mut BODY| !body.is_null() && constraint::is_contact_on_obstacle(con, body);
        let bodies = bodies.map(|body| if is_left_out(body) { ptr::null_mut() } else { body });
        for (through, body) in bodies.into_iter().enumerate() {
            if !body.is_null() {
                let from = dynamics.neighbours.len();
                collect(dynamics, con, body, through)?;
                find_rows(dynamics, con, body, from)?;
            }
        }
        let LocalDynamics { rows, pairs, neighbours, .. } = dynamics;
        rows.pool.reserve(1).and_then(|()| pairs.reserve(neighbours.len())).map_err(|_| no_memory(con))?;
        let row = rows.pool.take();
        Row::open(row, con);
        if let Err(code) = attach_to(dynamics, row, bodies) {
            (*row).sides.into_iter().flatten().for_each(|side| dynamics.bodies.detach(side));
            dynamics.rows.give(row);
            return Err(code);
        }
        link(dynamics, row, bodies);
        Ok(row.cast())
    }
}

/// Append the constraints in the set of a body, in its order, but the new one.
///
/// # Safety
/// As [`insert`]; `body` is not NULL.
unsafe fn collect(
    dynamics: &mut LocalDynamics,
    con: *mut CON,
    body: *mut BODY,
    through: usize,
) -> Result<(), Code> {
    let LocalDynamics { walks, neighbours, .. } = dynamics;
    // SAFETY: the caller promises a valid constraint, and a valid body with its set of valid constraints.
    unsafe {
        walks.each_on(body, |other| {
            if other == con {
                return Ok(());
            }
            fetch(&raw const (*other).dia);
            let neighbour = Neighbour { con: other, row: ptr::null_mut(), through };
            push(neighbours, neighbour).map_err(|_| no_memory(con))
        })
    }
}

/// # Safety
/// `con` is valid, and so are its bodies.
#[cold]
unsafe fn no_memory(con: *const CON) -> Code {
    // SAFETY: the caller promises a valid constraint.
    fail!(Code::OutOfMemory, "{}: no memory for its row", unsafe { names::constraint(con) })
}

/// How many neighbours ahead to prefetch what insertion reads of their rows.
const ROWS_AHEAD: usize = 8;

/// Find the rows of the neighbours from this one on; those without a row, and those that do not interact with the new constraint,
/// are left out.
///
/// # Safety
/// As [`collect`]; the neighbours were collected through `body`.
unsafe fn find_rows(
    dynamics: &mut LocalDynamics,
    con: *mut CON,
    body: *mut BODY,
    from: usize,
) -> Result<(), Code> {
    // SAFETY: the caller promises valid constraints and a valid body; rows found are live, and so are their blocks. What may be
    // no row is only asked for.
    unsafe {
        let adjacency = Adjacency::new(con, body)?;
        dynamics.next_round();
        let mut kept = from;
        for k in from..dynamics.neighbours.len() {
            if let Some(later) = dynamics.neighbours.get(k + ROWS_AHEAD) {
                let row = (*later.con).dia.cast::<Row>();
                fetch(row.wrapping_byte_add(offset_of!(Row, public.adj)));
                fetch(row.wrapping_byte_add(offset_of!(Row, sides)));
            }
            let Neighbour { con: other, through, .. } = dynamics.neighbours[k];
            // It has no row, or not yet.
            if dynamics.rows.claimed(other).is_null()
                || cfg!(feature = "mpi") && (*other).state & CON_EXTERNAL != 0
            {
                continue;
            }
            let row = dynamics.rows.met_on(body, other, dynamics.round)?;
            if adjacency.allows(other)? {
                fetch((*row).public.adj.wrapping_byte_add(offset_of!(BlockNode, previous)));
                dynamics.neighbours[kept] = Neighbour { con: other, row, through };
                kept += 1;
            }
        }
        dynamics.neighbours.truncate(kept);
    }
    Ok(())
}

/// Attach the new row to its bodies.
///
/// # Errors
/// [`Code::OutOfMemory`]; what was attached is in the row.
///
/// # Safety
/// As [`insert`]; `row` is a fresh row of the constraint, `bodies` are those that W counts, NULL where it counts none.
unsafe fn attach_to(dynamics: &mut LocalDynamics, row: *mut Row, bodies: [*mut BODY; 2]) -> Result<(), Code> {
    // SAFETY: the caller promises a fresh row and valid bodies.
    unsafe {
        for (k, body) in bodies.into_iter().enumerate() {
            if !body.is_null() && side_on(row, body).is_none() {
                // Neighbours through the same body know its index.
                let ends = [dynamics.neighbours.first(), dynamics.neighbours.last()];
                let likely = ends[k].and_then(|end| side_on(end.row, body)).map(Side::body);
                (*row).sides[k] = Some(attach(dynamics, row, body, likely)?);
                (*row).bodies[k] = body;
            }
        }
        (*row).inserted = (*row).bodies;
    }
    Ok(())
}

/// How many pairs ahead to prefetch: the pair taken next most often lies behind the one taken last.
const AHEAD: usize = 24;

/// Put the row into the list, and a pair with each neighbour into both rows.
///
/// # Safety
/// The row and its neighbours are attached, and memory for the pairs is reserved; the neighbours are those through these bodies.
unsafe fn link(dynamics: &mut LocalDynamics, row: *mut Row, bodies: [*mut BODY; 2]) {
    // SAFETY: the caller promises attached rows and reserved pairs; constraints of rows are valid, and the
    // list holds live rows.
    unsafe {
        (*row).set_live();
        (*row).public.n = dynamics.public.dia;
        if let Some(next) = dynamics.public.dia.as_mut() {
            next.p = row.cast();
        }
        dynamics.public.dia = row.cast();

        // A block that is added later lies before the others in the lists.
        let repeated = [bodies[0] == bodies[1], false];
        for neighbour in &dynamics.neighbours {
            let bod = bodies[neighbour.through];
            if side_on(neighbour.row, bod).is_none()
                && !constraint::is_contact_on_obstacle(neighbour.con, bod)
            {
                // The next update attaches it, or finds that it cannot.
                (*neighbour.row).is_suspect = true;
            }
            let is_first = (*row).id < (*neighbour.row).id;
            let rows = if is_first { [row, neighbour.row] } else { [neighbour.row, row] };
            let pair = dynamics.pairs.take();
            fetch(pair.wrapping_add(AHEAD));
            Pair::fill(pair, bod, rows, repeated[neighbour.through]);
            Pair::link(pair);
        }
        dynamics.neighbours.clear();
    }
}
