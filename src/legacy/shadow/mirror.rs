//! A mirror of another module's rows: a local dynamics of this library with a row for each constraint of the domain, inserted
//! in the order in which the other module must have inserted its rows.

use std::{mem, ptr};

use crate::inertia::{Boxed, Workspace};
use crate::legacy::errors::{self, Result};
use crate::legacy::host::adjacency::{self, Interaction};
use crate::legacy::host::{body, domain};
use crate::legacy::layout::*;
use crate::legacy::rows::{self, LocalDynamics, Map, RowNode};
use crate::legacy::update;
use crate::memory::push;

use super::findings::Findings;
use super::legacy_rows::{LegacyRow, LegacyRows};
use super::{blocks, exhausted};

/// A body and the indices of the rows on it.
struct RowsOfBody {
    body: *const BODY,
    rows: Vec<u32>,
}

/// The condition number of the matrix A of a body.
#[derive(Clone, Copy)]
struct Condition {
    /// The revision of the factor from which it was estimated.
    revision: (bool, u64),
    number: f64,
}

/// The rows of this library's own assembly.
pub struct Mirror {
    /// The rows.
    pub dynamics: Boxed<LocalDynamics>,
    bodies: Vec<RowsOfBody>,
    of_body: Map<*const BODY, u32>,
    conditions: Map<*const BODY, Condition>,
    work: Workspace,
}

impl Mirror {
    /// A mirror without rows.
    pub fn new() -> Result<Self> {
        // The domain is set before it is used.
        let mut dynamics = LocalDynamics::create(ptr::dangling_mut())?;
        dynamics.rows.mirrored = Some(Map::default());
        let (of_body, conditions) = (Map::default(), Map::default());
        Ok(Self { dynamics, bodies: Vec::new(), of_body, conditions, work: Workspace::default() })
    }

    /// The row of a constraint; NULL if there is none.
    pub fn row(&self, con: *const CON) -> *const RowNode {
        // SAFETY: a mirror uses the address only.
        unsafe { self.dynamics.rows.dia_of(con).cast_const().cast() }
    }

    /// The index of a body that has rows.
    pub fn of_body(&self, body: *const BODY) -> Option<u32> {
        self.of_body.get(&body).copied()
    }

    /// The body with an index.
    pub fn body(&self, index: u32) -> *const BODY {
        self.bodies[index as usize].body
    }

    /// The largest condition number of the matrices A on the bodies of a row.
    pub fn condition(&self, row: &LegacyRow) -> f64 {
        let conditions = row.bodies.iter().filter_map(|body| self.conditions.get(body));
        conditions.fold(0.0, |largest, condition| f64::max(largest, condition.number))
    }

    /// Insert and remove rows as the other module must have done since the last check. Rows that were inserted again are marked
    /// as new.
    ///
    /// # Errors
    /// As [`rows::insert`].
    ///
    /// # Safety
    /// The domain, its constraints and their bodies are valid, and so are the other module's rows with their blocks.
    pub unsafe fn sync(&mut self, dom: *mut DOM, legacy: &mut LegacyRows) -> Result {
        self.list_bodies(legacy)?;
        // SAFETY: the caller promises a valid domain, and valid rows of the other module. Rows of this mirror are live;
        // constraints and bodies of removed rows are not read.
        unsafe {
            let renewed = self.inserted_again(legacy)?;
            legacy.collect(renewed);
            let dynamics = &mut *self.dynamics;
            dynamics.public.dom = dom;
            let mut next = dynamics.public.dia;
            while let Some(row) = next.cast::<RowNode>().as_ref() {
                let (dia, con) = (mem::replace(&mut next, row.public.n), row.con);
                if !legacy.is_old(con) {
                    rows::remove(dynamics, dia)?;
                    dynamics.rows.mirrored.as_mut().and_then(|rows| rows.remove(&con.cast_const()));
                }
            }
            self.conditions.retain(|body, _| dynamics.bodies.index_of(body.cast_mut()).is_some());
            let listed = legacy.all.iter().rev().map(|row| row.con.cast_mut());
            for con in listed.chain(domain::constraints(dom)) {
                if let Some(rows) = &mut dynamics.rows.mirrored
                    && !rows.contains_key(&con.cast_const())
                {
                    rows.try_reserve(1).map_err(|_| exhausted())?;
                    let row = rows::insert(dynamics, con, [(*con).master, (*con).slave])?;
                    dynamics.rows.mirrored.as_mut().and_then(|rows| rows.insert(con, row.cast()));
                }
            }
        }
        Ok(())
    }

    /// List the rows on each body.
    fn list_bodies(&mut self, legacy: &LegacyRows) -> Result {
        let Self { bodies, of_body, .. } = self;
        bodies.clear();
        of_body.clear();
        for (row, LegacyRow { bodies: [master, slave], .. }) in (0..).zip(&legacy.all) {
            let slave = if slave == master { &ptr::null() } else { slave };
            for &body in [master, slave].into_iter().filter(|body| !body.is_null()) {
                of_body.try_reserve(1).map_err(|_| exhausted())?;
                bodies.try_reserve(1).map_err(|_| exhausted())?;
                let index = *of_body.entry(body).or_insert(bodies.len() as u32) as usize;
                if index == bodies.len() {
                    bodies.push(RowsOfBody { body, rows: Vec::new() });
                }
                push(&mut bodies[index].rows, row).map_err(|_| exhausted())?;
            }
        }
        Ok(())
    }

    /// The number of rows at the head of the list that must have been removed and inserted again since the last check, although
    /// the list does not show it.
    ///
    /// Insertion decides which rows are coupled by nodes. If a pair changed to the current decision, the newer row of the two
    /// was inserted again, and so was every row before it in the list. Then the unchanged pairs of these rows must match the
    /// current decision, too: if one does not, the changed pair is wrong.
    ///
    /// # Safety
    /// As [`Mirror::sync`].
    unsafe fn inserted_again(&self, legacy: &LegacyRows) -> Result<usize> {
        let (mut found, mut known) = (Map::default(), Map::default());
        let mut count = 0;
        for is_search in [true, false] {
            for RowsOfBody { body, rows } in &self.bodies {
                // SAFETY: the caller promises valid bodies.
                if unsafe { !adjacency::is_by_nodes(*body) } {
                    continue;
                }
                for (place, &newer) in rows.iter().enumerate() {
                    let row = &legacy.all[newer as usize];
                    let own = self.row(row.con);
                    if !row.is_old() || own.is_null() || !is_search && newer as usize >= count {
                        continue;
                    }
                    // SAFETY: the caller promises a valid row, constraint and body; rows of a mirror are live.
                    let adjacency = unsafe {
                        find_neighbors(row.dia, *body, legacy.most_blocks(), &mut found)?;
                        find_neighbors(own.cast(), *body, usize::MAX, &mut known)?;
                        Interaction::new(row.con, *body)?
                    };
                    for other in rows[place + 1..].iter().map(|&older| &legacy.all[older as usize]) {
                        let is_coupled = found.contains_key(&other.dia);
                        let has_changed = known.contains_key(&self.row(other.con).cast()) != is_coupled;
                        if !other.is_old() || has_changed != is_search {
                            continue;
                        }
                        // SAFETY: the caller promises valid constraints and bodies.
                        let is_as_now = unsafe { adjacency.allows(other.con)? } == is_coupled;
                        match is_search {
                            true if is_as_now => count = count.max(newer as usize + 1),
                            false if !is_as_now => return Ok(0),
                            _ => {}
                        }
                    }
                }
            }
        }
        Ok(count)
    }

    /// Assemble as `LOCDYN_Update_Begin` does.
    ///
    /// # Errors
    /// As there.
    ///
    /// # Safety
    /// The domain with all its bodies and constraints is valid.
    pub unsafe fn assemble(&mut self) -> Result {
        // SAFETY: the caller promises a valid domain.
        unsafe { update::begin(&mut self.dynamics) }
    }

    /// Estimate the condition numbers of matrices that were factored since they were last estimated.
    ///
    /// # Errors
    /// As [`Panel::condition`](crate::body_operators::Panel::condition).
    ///
    /// # Safety
    /// The bodies are valid.
    pub unsafe fn estimate_conditions(&mut self, findings: &mut Findings) -> Result {
        let Self { dynamics, conditions, work, .. } = self;
        for (entry, panel) in dynamics.bodies.bodies.iter().zip(&dynamics.bodies.made.panels) {
            let body = entry.body.cast_const();
            // SAFETY: the caller promises valid bodies.
            let has_factor = entry.has_rows() && unsafe { body::is_matrix(body) };
            let Some(revision) = panel.revision().filter(|_| has_factor) else {
                conditions.remove(&body);
                continue;
            };
            let number = match conditions.get(&body) {
                Some(known) if known.revision == revision => known.number,
                _ => panel.condition(work).map_err(|fault| {
                    errors::about(format_args!("body {}", entry.id), update::of_panel(fault))
                })?,
            };
            conditions.try_reserve(1).map_err(|_| exhausted())?;
            conditions.insert(body, Condition { revision, number });
            findings.report.condition = findings.report.condition.max(number);
        }
        Ok(())
    }
}

/// Put the rows with which a row has blocks through a body into `found`. At most `most` blocks are read, in case the list is
/// cyclic.
///
/// # Safety
/// The row and its blocks are valid.
unsafe fn find_neighbors(
    row: *const DIAB,
    body: *const BODY,
    most: usize,
    found: &mut Map<*const DIAB, ()>,
) -> Result {
    found.clear();
    // SAFETY: the caller promises a valid row with valid blocks.
    unsafe {
        for block in blocks(row).take(most).filter(|&block| (*block).bod.cast_const() == body) {
            found.try_reserve(1).map_err(|_| exhausted())?;
            found.insert((*block).dia.cast_const(), ());
        }
    }
    Ok(())
}
