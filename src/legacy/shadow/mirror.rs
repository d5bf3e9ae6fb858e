//! The rows of another module, assembled anew.

use std::{mem, ptr};

use crate::assembly::diagonal::Diagonal;
use crate::assembly::pairs;
use crate::assembly::panel::Panel;
use crate::block::lanes::Plain;
use crate::block::{Block, Vector, add};
use crate::inertia::{Freshness, Workspace};
use crate::legacy::culprit;
use crate::legacy::errors::Code;
use crate::legacy::host::adjacency::{self, Adjacency};
use crate::legacy::host::constraint;
use crate::legacy::host::domain::UpdateKind;
use crate::legacy::layout::*;
use crate::legacy::names;
use crate::legacy::stages::{self, Occupant};

use super::findings::Findings;
use super::lines::{Line, Lines, Map};
use super::{blocks, exhausted};

/// A body, its panel, and the rows on it, each with whether W counts the body for it: the row's slot is its position.
struct Attached {
    body: *const BODY,
    rows: Vec<(u32, bool)>,
    panel: Panel,
    /// Whether the matrix A is given, not its inverse.
    factored: bool,
    /// Condition number of the matrix A; 0: there is none, or it is not estimated yet.
    condition: f64,
}

/// A pair of rows coupled through a body.
pub struct Couple {
    rows: [u32; 2],
    /// Index of the body.
    pub body: u32,
    slots: Option<[u32; 2]>,
    /// How many blocks each of the rows has of it.
    pub count: usize,
    blocks: [Block; 2],
}

/// A block of a row, by the row, the neighbour and the body.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    row: u32,
    /// Position of the neighbour's row.
    pub neighbour: u32,
    /// Index of the body.
    pub body: u32,
    couple: u32,
    second: bool,
}

/// What the library makes of a row.
#[derive(Clone, Copy)]
pub struct Values {
    /// V.
    pub v: Vector,
    /// B.
    pub b: Vector,
    /// W, A, rho; not in a minimal update.
    pub diagonal: Option<Diagonal>,
}

/// A pair of rows, in the order of their addresses, and their body.
type Known = ([*const DIAB; 2], *const BODY);

fn known(one: &Line, two: &Line, body: *const BODY) -> Known {
    let mut rows = [one.dia, two.dia];
    rows.sort_unstable();
    (rows, body)
}

/// Everything assembled.
#[derive(Default)]
pub struct Mirror {
    bodies: Vec<Attached>,
    of_body: Map<*const BODY, u32>,
    couples: Vec<Couple>,
    entries: Vec<Entry>,
    /// Rows coupled by nodes that they shared when first seen.
    by_nodes: Map<Known, ()>,
    /// The same, as far as decided for the rows at hand.
    by_nodes_now: Map<Known, ()>,
    /// Rows that one row has blocks with through one body.
    found: Map<*const DIAB, ()>,
    /// The values, in the order of the rows.
    pub values: Vec<Values>,
    /// The free energy.
    pub energy: f64,
    work: Workspace,
}

impl Mirror {
    /// The index of a body that has rows.
    pub fn of_body(&self, body: *const BODY) -> Option<u32> {
        self.of_body.get(&body).copied()
    }

    /// The body with an index.
    pub fn body(&self, index: u32) -> *const BODY {
        self.bodies[index as usize].body
    }

    /// The blocks that the row at a position has to have, by neighbour and body, each kind once.
    pub fn entries(&self, row: u32) -> &[Entry] {
        let start = self.entries.partition_point(|entry| entry.row < row);
        let length = self.entries[start..].partition_point(|entry| entry.row == row);
        &self.entries[start..start + length]
    }

    /// How often a row has a block, and its value.
    pub fn block(&self, entry: &Entry) -> (usize, &Block) {
        let couple = &self.couples[entry.couple as usize];
        (couple.count, &couple.blocks[usize::from(entry.second)])
    }

    /// The largest condition number of the matrices A on the bodies of a row.
    pub fn condition(&self, line: &Line) -> f64 {
        let bodies = line.bodies.iter().filter_map(|&body| self.of_body(body));
        bodies.map(|body| self.bodies[body as usize].condition).fold(0.0, f64::max)
    }

    /// Find out which rows lie on which bodies and which have blocks with each other. Rows that turn out to have been
    /// inserted since the last check are made new ones.
    ///
    /// # Errors
    /// [`Code::OutOfMemory`]; as [`Adjacency`].
    ///
    /// # Safety
    /// The constraints of the lines and their bodies are valid.
    pub unsafe fn couple(&mut self, lines: &mut Lines) -> Result<(), Code> {
        self.bodies.iter_mut().for_each(|attached| attached.rows.clear());
        // SAFETY: promised by the caller.
        unsafe {
            for (row, line) in (0..).zip(&lines.all) {
                let slave = if line.is_self_contact() { None } else { Some(line.bodies[1]) };
                for body in [Some(line.bodies[0]), slave].into_iter().flatten() {
                    if !body.is_null() {
                        self.attach(row, line, body)?;
                    }
                }
            }
            self.forget_bare();
            let renewed = self.inserted_again(lines)?;
            lines.renew(renewed);
            self.couples.clear();
            self.entries.clear();
            self.by_nodes_now.clear();
            for body in 0..self.bodies.len() {
                self.couple_on(body as u32, lines)?;
            }
        }
        mem::swap(&mut self.by_nodes, &mut self.by_nodes_now);
        self.entries.sort_unstable();
        Ok(())
    }

    /// # Safety
    /// `line` and `body` are valid.
    unsafe fn attach(&mut self, row: u32, line: &Line, body: *const BODY) -> Result<(), Code> {
        let index = match self.of_body(body) {
            Some(index) => index,
            None => {
                let index = self.bodies.len() as u32;
                self.bodies.try_reserve(1).map_err(exhausted)?;
                self.of_body.try_reserve(1).map_err(exhausted)?;
                let (rows, panel) = (Vec::new(), Panel::default());
                self.bodies.push(Attached { body, rows, panel, factored: false, condition: 0.0 });
                self.of_body.insert(body, index);
                index
            }
        };
        let rows = &mut self.bodies[index as usize].rows;
        rows.try_reserve(1).map_err(exhausted)?;
        // SAFETY: promised by the caller.
        rows.push((row, unsafe { !constraint::is_contact_on_obstacle(line.con, body) }));
        Ok(())
    }

    /// Drop bodies without rows, which may be gone, with their panels.
    fn forget_bare(&mut self) {
        if self.bodies.iter().any(|attached| attached.rows.is_empty()) {
            self.bodies.retain(|attached| !attached.rows.is_empty());
            self.of_body.clear();
            self.of_body.extend((0..).zip(&self.bodies).map(|(index, attached)| (attached.body, index)));
        }
    }

    /// How many rows at the head of the list must have been removed and inserted again since the last check, though nothing
    /// of the list shows it.
    ///
    /// Which rows are coupled by nodes is decided once. Where a pair changed to what would be decided now, the newer row of
    /// the two was inserted again, and so was every row before it in the list. Then what did not change is what would be
    /// decided now, too: if it is not, the pair that changed is wrong.
    ///
    /// # Safety
    /// As [`Mirror::couple`].
    unsafe fn inserted_again(&mut self, lines: &Lines) -> Result<usize, Code> {
        let Self { bodies, by_nodes, found, .. } = self;
        let mut count = 0;
        for is_search in [true, false] {
            for Attached { body, rows, .. } in bodies.iter() {
                // SAFETY: promised by the caller.
                if unsafe { !adjacency::is_by_nodes(*body) } {
                    continue;
                }
                for (slot, &(row, _)) in rows.iter().enumerate() {
                    let line = &lines.all[row as usize];
                    if !line.is_old() || !is_search && row as usize >= count {
                        continue;
                    }
                    // SAFETY: promised by the caller.
                    let adjacency = unsafe {
                        find_neighbours(line, *body, lines.most_blocks(), found)?;
                        Adjacency::new(line.con, *body)?
                    };
                    for &(older, _) in &rows[slot + 1..] {
                        let other = &lines.all[older as usize];
                        let is_coupled = found.contains_key(&other.dia);
                        let has_changed = by_nodes.contains_key(&known(line, other, *body)) != is_coupled;
                        if !other.is_old() || has_changed != is_search {
                            continue;
                        }
                        // SAFETY: promised by the caller.
                        let is_as_now = unsafe { adjacency.allows(other.con)? } == is_coupled;
                        match is_search {
                            true if is_as_now => count = count.max(row as usize + 1),
                            false if !is_as_now => return Ok(0),
                            _ => {}
                        }
                    }
                }
            }
        }
        Ok(count)
    }

    /// The pairs that an insertion of the rows, last to first, makes on a body.
    ///
    /// # Safety
    /// As [`Mirror::couple`].
    unsafe fn couple_on(&mut self, index: u32, lines: &Lines) -> Result<(), Code> {
        let Attached { body, rows, .. } = &self.bodies[index as usize];
        for (slot, &(later, counts)) in rows.iter().enumerate() {
            let line = &lines.all[later as usize];
            if !counts {
                continue;
            }
            // SAFETY: promised by the caller.
            let adjacency = unsafe { Adjacency::new(line.con, *body)? };
            for (other_slot, &(earlier, other_counts)) in rows.iter().enumerate().skip(slot + 1) {
                let other = &lines.all[earlier as usize];
                let by_nodes = matches!(adjacency, Adjacency::SharedNodes { .. });
                let key = known(line, other, *body);
                // Decided at insertion, and fixed from then on.
                let interact = match by_nodes && line.is_old() && other.is_old() {
                    true => self.by_nodes.contains_key(&key),
                    // SAFETY: promised by the caller.
                    false => unsafe { adjacency.allows(other.con)? },
                };
                if !interact {
                    continue;
                }
                if by_nodes {
                    self.by_nodes_now.try_reserve(1).map_err(exhausted)?;
                    self.by_nodes_now.insert(key, ());
                }
                let (rows, slots) = match line.id < other.id {
                    true => ([later, earlier], [slot as u32, other_slot as u32]),
                    false => ([earlier, later], [other_slot as u32, slot as u32]),
                };
                self.couples.try_reserve(1).map_err(exhausted)?;
                self.entries.try_reserve(2).map_err(exhausted)?;
                let couple = self.couples.len() as u32;
                for (row, neighbour, second) in [(rows[0], rows[1], false), (rows[1], rows[0], true)] {
                    self.entries.push(Entry { row, neighbour, body: index, couple, second });
                }
                self.couples.push(Couple {
                    rows,
                    body: index,
                    slots: other_counts.then_some(slots),
                    count: if line.is_self_contact() { 2 } else { 1 },
                    blocks: [[0.0; 9]; 2],
                });
            }
        }
        Ok(())
    }

    /// Assemble; as `LOCDYN_Update_Begin` does.
    ///
    /// # Errors
    /// As the stages.
    ///
    /// # Safety
    /// As [`Mirror::couple`].
    pub unsafe fn assemble(&mut self, lines: &Lines, step: f64, kind: UpdateKind) -> Result<(), Code> {
        self.values.clear();
        self.values.try_reserve(lines.all.len()).map_err(exhausted)?;
        // SAFETY: promised by the caller.
        unsafe {
            for line in &lines.all {
                let [v, b] = stages::velocities(line.con, ptr::null_mut())?;
                self.values.push(Values { v, b, diagonal: None });
            }
            if kind == UpdateKind::Minimal {
                return Ok(());
            }
            for Attached { body, rows, panel, factored, condition } in &mut self.bodies {
                // Not known any more where this fails halfway, or nothing of the body counts.
                let estimate = mem::take(condition);
                *factored = false;
                if rows.iter().all(|&(_, counts)| !counts) {
                    continue;
                }
                let slots = rows.iter().enumerate().filter(|(_, (_, counts))| *counts);
                let slots = slots.map(|(slot, &(row, _))| {
                    let con = lines.all[row as usize].con;
                    Occupant { slot, con, known: ptr::null_mut() }
                });
                stages::fill_panel(panel, *body, step, rows.len(), slots)?;
                let freshness = stages::apply_inverse(panel, *body, step, &mut self.work)?;
                *factored = freshness.is_some();
                if let Some(Freshness::Kept) = freshness {
                    *condition = estimate;
                }
            }
            self.diagonals(lines, kind)?;
        }
        let Self { bodies, couples, .. } = self;
        let contact = |row: u32| {
            // SAFETY: promised by the caller.
            unsafe { (*lines.all[row as usize].con).kind == CONTACT }
        };
        let wanted = |rows: [u32; 2]| rows.map(|row| kind == UpdateKind::All || !contact(row));
        let live = couples.iter_mut().filter(|couple| wanted(couple.rows) != [false; 2]);
        let live = live.map(|Couple { rows, body, slots, blocks, .. }| {
            let body = *body as usize;
            let coupling = slots.map(|[row, column]| pairs::Coupling {
                body,
                row: row as usize,
                column: column as usize,
            });
            let wanted = wanted(*rows);
            let [block, transpose] = blocks;
            pairs::Pair {
                name: *rows,
                coupling,
                block: wanted[0].then_some(block),
                transpose: wanted[1].then_some(transpose),
            }
        });
        pairs::assemble(Plain, |body| &bodies[body].panel, live).map_err(|rows| {
            // SAFETY: the caller promises valid constraints and bodies.
            unsafe { culprit::of_blocks_between(rows.map(|row| lines.all[row as usize].con)) }
        })
    }

    /// # Safety
    /// As [`Mirror::couple`]; the panels are filled.
    unsafe fn diagonals(&mut self, lines: &Lines, kind: UpdateKind) -> Result<(), Code> {
        self.energy = 0.0;
        for ((row, line), values) in (0..).zip(&lines.all).zip(&mut self.values) {
            let slave = if line.is_self_contact() { None } else { Some(line.bodies[1]) };
            let bodies = [Some(line.bodies[0]), slave].into_iter().flatten();
            let contributions = bodies.filter_map(|body| {
                let attached = &self.bodies[*self.of_body.get(&body)? as usize];
                let slot = attached.rows.binary_search_by_key(&row, |&(row, _)| row).ok()?;
                attached.rows[slot].1.then(|| attached.panel.block(slot, slot))
            });
            let mut w = [0.0; 9];
            contributions.for_each(|contribution| add(&mut w, &contribution));
            // SAFETY: promised by the caller.
            unsafe {
                let diagonal = stages::diagonal(line.con, &w, kind)?;
                self.energy += stages::free_energy(line.con, &diagonal, &values.b)?;
                values.diagonal = Some(diagonal);
            }
        }
        Ok(())
    }

    /// Estimate the condition numbers of matrices that were factored since they were last estimated.
    ///
    /// # Errors
    /// As the panel.
    ///
    /// # Safety
    /// The bodies are valid.
    pub unsafe fn estimate_conditions(&mut self, findings: &mut Findings) -> Result<(), Code> {
        for Attached { body, panel, factored, condition, .. } in &mut self.bodies {
            if *factored && *condition == 0.0 {
                // SAFETY: promised by the caller.
                let name = unsafe { names::body(*body) };
                let estimate = panel.condition(&mut self.work);
                *condition = estimate.map_err(|fault| stages::panel_fault(&name, fault))?;
            }
            findings.condition = findings.condition.max(*condition);
        }
        Ok(())
    }
}

/// Make `found` the rows that a row has blocks with through a body; of `most` blocks, in case their list has no end.
///
/// # Safety
/// The row and its blocks are valid.
unsafe fn find_neighbours(
    line: &Line,
    body: *const BODY,
    most: usize,
    found: &mut Map<*const DIAB, ()>,
) -> Result<(), Code> {
    found.clear();
    // SAFETY: promised by the caller.
    unsafe {
        for block in blocks(line.dia).take(most).filter(|&block| (*block).bod.cast_const() == body) {
            found.try_reserve(1).map_err(exhausted)?;
            found.insert((*block).dia.cast_const(), ());
        }
    }
    Ok(())
}
