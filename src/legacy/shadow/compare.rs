//! Comparison of the other module's values with the library's.
//!
//! Differences of W, A and rho are relative to their own size, of V and B to the speeds that enter them before cancellation, of
//! a block to the sizes of the two diagonal blocks, and of the free energy to its terms. If a body has its matrix A and not the
//! inverse, W and its derived values are determined up to ε κ₁(A) only: the tolerance there is at least this.

use std::{fmt, ptr};

use crate::legacy::display;
use crate::legacy::errors::Result;
use crate::legacy::host::body_point::Role;
use crate::legacy::host::constraint;
use crate::legacy::host::domain::UpdateKind;
use crate::legacy::layout::*;
use crate::legacy::rows::{RowNode, SubjectIds};
use crate::math::{Block, largest};
use crate::memory::push;

use super::exhausted;
use super::findings::{Findings, raise};
use super::legacy_rows::{LegacyRow, LegacyRows};
use super::mirror::Mirror;

/// The smallest speed to which differences of V and B are relative.
const LEAST_SPEED: f64 = 1e-3;

/// The indices of a block's neighbor and of the body through which it goes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct BlockKey {
    neighbor: u32,
    body: u32,
}

/// A block with its key; blocks are sorted by keys.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct KeyedBlock {
    key: BlockKey,
    block: *const OFFB,
}

struct Comparison<'a, 'f> {
    rows: &'a LegacyRows,
    mirror: &'a Mirror,
    kind: UpdateKind,
    findings: &'a mut Findings<'f>,
    /// Blocks of the current row: the expected blocks, and the blocks found.
    blocks: [Vec<KeyedBlock>; 2],
    /// Differences of the free energy are relative to this sum.
    energy_scale: f64,
}

/// Compare everything.
///
/// # Errors
/// [`Code::OutOfMemory`].
///
/// # Safety
/// The module, its rows and blocks, and their constraints and bodies are valid.
pub unsafe fn all(
    legacy: *const LOCDYN,
    rows: &LegacyRows,
    mirror: &Mirror,
    kind: UpdateKind,
    findings: &mut Findings,
) -> Result {
    let mut comparison =
        Comparison { rows, mirror, kind, findings, blocks: Default::default(), energy_scale: 0.0 };
    // SAFETY: the caller promises a valid module with valid rows, blocks, constraints and bodies.
    unsafe {
        for row in &rows.all {
            comparison.row(row)?;
        }
        if kind != UpdateKind::Minimal {
            comparison.energy((*legacy).free_energy);
        }
    }
    Ok(())
}

impl Comparison<'_, '_> {
    /// # Safety
    /// As [`all`].
    unsafe fn row(&mut self, row: &LegacyRow) -> Result {
        // SAFETY: the caller promises a row that is valid with its blocks, its constraint and the bodies. Each constraint of the
        // domain has a row in the mirror.
        unsafe {
            let (dia, own) = (&*row.dia, self.mirror.row(row.con));
            let v = &*self.mirror.dynamics.rows.v_of(own.cast_mut(), row.con.cast_mut());
            let values = &(*own).public;
            let name = display::constraint(row.con);
            let speed = speed(row.con)?;
            let allowed = self.findings.tolerance;
            let condition = f64::EPSILON * self.mirror.condition(row);
            let findings = &mut *self.findings;
            let mut note = |of, name_of, got: &[f64], own: &[f64], scale, allowed| {
                let off = difference(got, own, scale);
                if findings.exceeds(of, off, allowed) {
                    findings.add(row.subject(), format_args!("{name}: {name_of} is off by {off:.1e}"));
                }
            };
            note(|largest| &mut largest.V, "V", &(*row.con).V, v, speed, allowed.V);
            note(|largest| &mut largest.B, "B", &dia.B, &values.B, speed, allowed.B);
            if self.kind != UpdateKind::Minimal {
                let [w, a] = [&values.W, &values.A].map(|block| largest(block));
                note(|largest| &mut largest.W, "W", &dia.W, &values.W, w, allowed.W.max(condition));
                note(|largest| &mut largest.A, "A", &dia.A, &values.A, a, allowed.A.max(condition));
                let prescribed = if (*row.con).kind == VELODIR { (*row.con).Z[0] } else { 0.0 };
                self.energy_scale += 0.5 * (a * speed * speed + values.A[8] * prescribed * prescribed);
            }
            if self.kind == UpdateKind::All {
                let (rho, allowed) = (values.rho, allowed.rho.max(condition));
                note(|largest| &mut largest.rho, "rho", &[dia.rho], &[rho], rho.abs(), allowed);
            }
            self.blocks_of(row, own)
        }
    }

    /// Compare the blocks of a row as a multiset: their order depends on an unknown history.
    ///
    /// # Safety
    /// As [`all`]; `own` is the row in the mirror.
    unsafe fn blocks_of(&mut self, row: &LegacyRow, own: *const RowNode) -> Result {
        let [mut wanted, mut found] = std::mem::take(&mut self.blocks);
        wanted.clear();
        found.clear();
        // SAFETY: the caller promises rows that are valid with their blocks.
        unsafe {
            for block in super::blocks(own.cast()) {
                let neighbor = self.rows.of_constraint((*(*block).dia).con);
                if let Some((neighbor, body)) = neighbor.zip(self.mirror.of_body((*block).bod)) {
                    let keyed = KeyedBlock { key: BlockKey { neighbor, body }, block };
                    push(&mut wanted, keyed).map_err(|_| exhausted())?;
                }
            }
            // One block more than expected shows that there are too many. The limit also ends the walk if the list is cyclic.
            let most = wanted.len() + 1;
            found.try_reserve(most).map_err(|_| exhausted())?;
            for block in super::blocks(row.dia).take(most) {
                let Some(key) = self.key_of(row, block) else { return Ok(()) };
                found.push(KeyedBlock { key, block });
            }
            wanted.sort_unstable();
            found.sort_unstable();
            self.match_blocks(row, &wanted, &found);
        }
        self.blocks = [wanted, found];
        Ok(())
    }

    /// The key of a block of a row. If the block leads to no row of the list or goes through a body without rows, this adds a
    /// finding and returns `None`.
    ///
    /// # Safety
    /// As [`all`]; `block` is a block of the row.
    unsafe fn key_of(&mut self, row: &LegacyRow, block: *const OFFB) -> Option<BlockKey> {
        // SAFETY: the caller promises a valid block of a row with a valid constraint.
        let (dia, bod, name) = unsafe { ((*block).dia, (*block).bod, display::constraint(row.con)) };
        let Some(neighbor) = self.rows.of_row(dia) else {
            let text = format_args!("{name}: a block to no row of the list");
            self.findings.add_of_list(row.subject(), text);
            return None;
        };
        let Some(body) = self.mirror.of_body(bod) else {
            let id = self.rows.all[neighbor as usize].id;
            let subject = SubjectIds { neighbor: Some(id), ..row.subject() };
            let text = format_args!("{name}: the block to constraint {id} is through a body without rows");
            self.findings.add(subject, text);
            return None;
        };
        Some(BlockKey { neighbor, body })
    }

    /// Compare the expected blocks of a row with those found, both sorted.
    ///
    /// # Safety
    /// As [`all`]; the blocks belong to the row.
    unsafe fn match_blocks(&mut self, row: &LegacyRow, wanted: &[KeyedBlock], found: &[KeyedBlock]) {
        let mut rest = found;
        for same in wanted.chunk_by(|one, other| one.key == other.key) {
            let key = same[0].key;
            let (before, from) = rest.split_at(rest.partition_point(|found| found.key < key));
            self.add_of_block(row, before, "an unexpected", "");
            let (found, after) = from.split_at(from.partition_point(|found| found.key == key));
            if found.len() < same.len() {
                self.add_of_block(row, same, "a", " is missing");
            }
            self.add_of_block(row, &found[same.len().min(found.len())..], "an unexpected", "");
            for &KeyedBlock { block, .. } in found {
                // SAFETY: the caller promises valid blocks.
                unsafe { self.block(row, key, &(*block).W, &(*same[0].block).W) };
            }
            rest = after;
        }
        self.add_of_block(row, rest, "an unexpected", "");
    }

    /// Add a finding about the first of these blocks, if there is one.
    fn add_of_block(
        &mut self,
        row: &LegacyRow,
        blocks: &[KeyedBlock],
        article: &str,
        what: impl fmt::Display,
    ) {
        let Some(&KeyedBlock { key: BlockKey { neighbor, body }, .. }) = blocks.first() else { return };
        // SAFETY: the constraint is the domain's, and a body with rows is valid, by the promise of `all`.
        let (name, body) = unsafe { (display::constraint(row.con), (*self.mirror.body(body)).id) };
        let id = self.rows.all[neighbor as usize].id;
        let subject = SubjectIds { neighbor: Some(id), body: Some(body), ..row.subject() };
        let text = format_args!("{name}: {article} block to constraint {id} through body {body}{what}");
        self.findings.add(subject, text);
    }

    /// Compare the value of a block of a row.
    ///
    /// # Safety
    /// As [`all`].
    unsafe fn block(&mut self, row: &LegacyRow, key: BlockKey, got: &Block, own: &Block) {
        let neighbor = &self.rows.all[key.neighbor as usize];
        // SAFETY: the caller promises valid constraints of the domain; these have rows in the mirror.
        let (is_contact, sizes) = unsafe {
            let size = |con| largest(&(*self.mirror.row(con)).public.W);
            ((*row.con).kind == CONTACT, [row.con, neighbor.con].map(size))
        };
        if self.kind == UpdateKind::Minimal || self.kind == UpdateKind::Penalty && is_contact {
            return;
        }
        let condition = self.mirror.condition(row).max(self.mirror.condition(neighbor));
        let off = difference(got, own, (sizes[0] * sizes[1]).sqrt());
        let allowed = self.findings.tolerance.block.max(f64::EPSILON * condition);
        if self.findings.exceeds(|largest| &mut largest.block, off, allowed) {
            let found = [KeyedBlock { key, block: ptr::null() }];
            self.add_of_block(row, &found, "the", format_args!(" is off by {off:.1e}"));
        }
    }

    fn energy(&mut self, got: f64) {
        let off = difference(&[got], &[self.mirror.dynamics.public.free_energy], self.energy_scale);
        let allowed = self.findings.tolerance.free_energy.max(f64::EPSILON * self.findings.report.condition);
        if self.findings.exceeds(|largest| &mut largest.free_energy, off, allowed) {
            self.findings.add(SubjectIds::default(), format_args!("free_energy is off by {off:.1e}"));
        }
    }
}

/// The largest difference over a scale; NaN if one difference is NaN.
fn difference(got: &[f64], own: &[f64], scale: f64) -> f64 {
    let mut most = 0.0;
    got.iter().zip(own).for_each(|(got, own)| raise(&mut most, (got - own).abs()));
    if most == 0.0 { 0.0 } else { most / scale }
}

/// The largest of |H||v| and |H||v⁰| over a constraint's bodies.
///
/// # Errors
/// As [`constraint::side`].
///
/// # Safety
/// The constraint and its bodies are valid.
unsafe fn speed(con: *const CON) -> Result<f64> {
    // SAFETY: the caller promises a valid constraint with valid bodies.
    unsafe {
        constraint::check(con)?;
        let mut largest = LEAST_SPEED;
        for role in Role::BOTH {
            let body = constraint::body_of(con, role);
            if !body.is_null() {
                let side = constraint::side(con, role, body, ptr::null_mut())?;
                let speeds = [side.previous, side.current].map(|u| side.point.local_magnitude(side.frame, u));
                largest = speeds.into_iter().flatten().fold(largest, f64::max);
            }
        }
        Ok(largest)
    }
}
