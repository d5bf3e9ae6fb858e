//! The rows of another module, assembled anew.

use std::mem;

use crate::assembly::update::bodies::{How, prepare};
use crate::assembly::update::rows::{Wanted, assemble};
use crate::assembly::update::scene::Place;
use crate::assembly::update::{self, BodyOperators};
use crate::block::Block;
use crate::inertia::Workspace;
use crate::legacy::errors::Code;
use crate::legacy::fault::Error;
use crate::legacy::host::adjacency::{self, Adjacency};
use crate::legacy::host::bodies::HostBodies;
use crate::legacy::host::domain::UpdateKind;
use crate::legacy::host::rows::HostRows;
use crate::legacy::host::{constraint, inertia};
use crate::legacy::layout::*;
use crate::threads::{Numbered, Team};

use super::findings::Findings;
use super::lines::{LegacyRow, LegacyRows, Map};
use super::scene::{ExpectedPair, MirrorBody, MirrorRow, MirrorScene};
use super::{blocks, exhausted};

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

/// Pairs at a time.
const PART: usize = 512;

/// A pair of rows, in the order of their addresses, and their body.
type PairKey = ([*const DIAB; 2], *const BODY);

fn known(one: &LegacyRow, two: &LegacyRow, body: *const BODY) -> PairKey {
    let mut rows = [one.dia, two.dia];
    rows.sort_unstable();
    (rows, body)
}

/// Everything assembled.
#[derive(Default)]
pub struct Mirror {
    bodies: Vec<MirrorBody>,
    made: BodyOperators,
    of_body: Map<*const BODY, u32>,
    couples: Vec<ExpectedPair>,
    entries: Vec<Entry>,
    /// Rows coupled by nodes that they shared when first seen.
    by_nodes: Map<PairKey, ()>,
    /// The same, as far as decided for the rows at hand.
    by_nodes_now: Map<PairKey, ()>,
    /// Rows that one row has blocks with through one body.
    found: Map<*const DIAB, ()>,
    /// What the library makes of each row.
    pub rows: Vec<MirrorRow>,
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
    pub fn condition(&self, line: &LegacyRow) -> f64 {
        let bodies = line.bodies.iter().filter_map(|&body| self.of_body(body));
        let conditions = bodies.filter_map(|body| self.bodies[body as usize].condition);
        conditions.fold(0.0, |largest, (_, condition)| f64::max(largest, condition))
    }

    /// Find out which rows lie on which bodies and which have blocks with each other. Rows that turn out to have been
    /// inserted since the last check are marked as new.
    ///
    /// # Errors
    /// [`Code::OutOfMemory`]; as [`Adjacency`].
    ///
    /// # Safety
    /// The rows of the lines with their blocks, constraints and bodies are valid.
    pub unsafe fn couple(&mut self, lines: &mut LegacyRows) -> Result<(), Code> {
        self.bodies.iter_mut().for_each(|attached| attached.rows.clear());
        // SAFETY: the caller promises lines with valid rows, blocks, constraints and bodies.
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
    unsafe fn attach(&mut self, row: u32, line: &LegacyRow, body: *const BODY) -> Result<(), Code> {
        let index = match self.of_body(body) {
            Some(index) => index,
            None => {
                let index = self.bodies.len() as u32;
                self.bodies.try_reserve(1).map_err(exhausted)?;
                self.of_body.try_reserve(1).map_err(exhausted)?;
                self.made.resize(self.bodies.len() + 1).map_err(exhausted)?;
                self.bodies.push(MirrorBody { body, rows: Vec::new(), condition: None });
                self.of_body.insert(body, index);
                index
            }
        };
        let rows = &mut self.bodies[index as usize].rows;
        rows.try_reserve(1).map_err(exhausted)?;
        // SAFETY: the caller promises a line with a valid constraint, and a valid body.
        rows.push((row, unsafe { !constraint::is_contact_on_obstacle(line.con, body) }));
        Ok(())
    }

    /// Drop bodies without rows, which may be gone, with their panels.
    fn forget_bare(&mut self) {
        if self.bodies.iter().any(|attached| attached.rows.is_empty()) {
            self.made.retain(|body| !self.bodies[body].rows.is_empty());
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
    unsafe fn inserted_again(&mut self, lines: &LegacyRows) -> Result<usize, Code> {
        let Self { bodies, by_nodes, found, .. } = self;
        let mut count = 0;
        for is_search in [true, false] {
            for MirrorBody { body, rows, .. } in bodies.iter() {
                // SAFETY: the caller promises valid bodies.
                if unsafe { !adjacency::is_by_nodes(*body) } {
                    continue;
                }
                for (slot, &(row, _)) in rows.iter().enumerate() {
                    let line = &lines.all[row as usize];
                    if !line.is_old() || !is_search && row as usize >= count {
                        continue;
                    }
                    // SAFETY: the caller promises a line with a valid row, constraint and body.
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
                        // SAFETY: the caller promises lines with valid constraints and bodies.
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
    unsafe fn couple_on(&mut self, index: u32, lines: &LegacyRows) -> Result<(), Code> {
        let MirrorBody { body, rows, .. } = &self.bodies[index as usize];
        for (slot, &(later, counts)) in rows.iter().enumerate() {
            let line = &lines.all[later as usize];
            if !counts {
                continue;
            }
            // SAFETY: the caller promises lines with valid constraints and bodies.
            let adjacency = unsafe { Adjacency::new(line.con, *body)? };
            for (other_slot, &(earlier, other_counts)) in rows.iter().enumerate().skip(slot + 1) {
                let other = &lines.all[earlier as usize];
                let by_nodes = matches!(adjacency, Adjacency::SharedNodes { .. });
                let key = known(line, other, *body);
                // This is decided at insertion and does not change.
                let interact = match by_nodes && line.is_old() && other.is_old() {
                    true => self.by_nodes.contains_key(&key),
                    // SAFETY: the caller promises lines with valid constraints and bodies.
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
                self.couples.push(ExpectedPair {
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
    /// As there.
    ///
    /// # Safety
    /// As [`Mirror::couple`].
    pub unsafe fn assemble(&mut self, lines: &LegacyRows, step: f64, kind: UpdateKind) -> Result<(), Code> {
        let Self { bodies, made, of_body, couples, rows, .. } = self;
        rows.clear();
        rows.try_reserve(lines.all.len()).map_err(exhausted)?;
        rows.extend((0..).zip(&lines.all).map(|(row, line)| {
            let place = |body: *const BODY| {
                let &body = of_body.get(&body)?;
                let on_body = &bodies[body as usize].rows;
                let slot = on_body.binary_search_by_key(&row, |&(row, _)| row).ok()?;
                on_body[slot].1.then_some(Place { body: body as usize, slot })
            };
            let slave = if line.is_self_contact() { None } else { place(line.bodies[1]) };
            MirrorRow::new(line, [place(line.bodies[0]), slave])
        }));
        let team = &mut Team::alone();
        // SAFETY: the caller promises valid constraints and bodies; each row has slots of its own.
        unsafe {
            if kind == UpdateKind::Minimal {
                return make_rows(rows, made, Wanted::Velocities);
            }
            let how = How { step, complete: false };
            let scene = MirrorScene::new(bodies, lines, kind);
            prepare(&HostBodies::new(scene), made, how, team, &mut |_| {})?;
            make_rows(rows, made, Wanted::Diagonal { with_rho: kind == UpdateKind::All, reuse: false })?;
            self.energy = rows.iter().fold(0.0, |sum, row| sum + row.energy);
            let pairs = Numbered { first: 0, things: &mut couples[..], context: scene };
            Ok(update::pairs::assemble(pairs, PART, &made.panels, team)?)
        }
    }

    /// Estimate the condition numbers of matrices that were factored since they were last estimated.
    ///
    /// # Errors
    /// As the panel.
    ///
    /// # Safety
    /// The bodies are valid.
    pub unsafe fn estimate_conditions(&mut self, findings: &mut Findings) -> Result<(), Code> {
        for (attached, panel) in self.bodies.iter_mut().zip(&self.made.panels) {
            // SAFETY: the caller promises valid bodies.
            let has_factor = attached.counts() && unsafe { inertia::is_matrix(attached.body) };
            let Some(factor) = panel.factored().filter(|_| has_factor) else {
                attached.condition = None;
                continue;
            };
            let condition = match attached.condition {
                Some((revision, condition)) if revision == factor.revision() => condition,
                _ => {
                    // SAFETY: the caller promises valid bodies.
                    let id = unsafe { (*attached.body).id };
                    panel.condition(&mut self.work).map_err(|fault| Error::of_body(id, fault))?
                }
            };
            attached.condition = Some((factor.revision(), condition));
            findings.condition = findings.condition.max(condition);
        }
        Ok(())
    }
}

/// # Safety
/// The constraints of the rows and their bodies are valid; each row has slots of its own, of panels that have been started.
unsafe fn make_rows(rows: &mut [MirrorRow], made: &BodyOperators, wanted: Wanted) -> Result<(), Code> {
    // SAFETY: the caller promises rows with valid constraints and bodies, each with slots of its own in
    // panels that have been started.
    let rows = unsafe { HostRows::new(rows) };
    Ok(assemble(rows, made, wanted, &mut Team::alone(), &mut |_| {})?)
}

/// Put the rows with which a row has blocks through a body into `found`. At most `most` blocks are read, in case
/// their list has no end.
///
/// # Safety
/// The row and its blocks are valid.
unsafe fn find_neighbours(
    line: &LegacyRow,
    body: *const BODY,
    most: usize,
    found: &mut Map<*const DIAB, ()>,
) -> Result<(), Code> {
    found.clear();
    // SAFETY: the caller promises a valid row with valid blocks.
    unsafe {
        for block in blocks(line.dia).take(most).filter(|&block| (*block).bod.cast_const() == body) {
            found.try_reserve(1).map_err(exhausted)?;
            found.insert((*block).dia.cast_const(), ());
        }
    }
    Ok(())
}
