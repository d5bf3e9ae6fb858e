//! The other module's values against the library's.
//!
//! W, A and rho count relative to their own size; V and B to the speeds that enter them before anything cancels; a
//! block to the sizes of the two diagonal blocks; the free energy to its terms. Where a body gives its matrix A and
//! not the inverse, W and what follows from it is determined up to ε κ₁(A) only: no smaller tolerance holds there.

use crate::block::Block;
use crate::legacy::errors::Code;
use crate::legacy::host::constraint;
use crate::legacy::host::domain::UpdateKind;
use crate::legacy::layout::*;
use crate::legacy::names;
use crate::legacy::rows::Place;

use super::exhausted;
use super::findings::{Findings, raise};
use super::lines::{LegacyRow, LegacyRows};
use super::mirror::{Entry, Mirror};

/// The least speed that V and B are compared with.
const LEAST_SPEED: f64 = 1e-3;

struct Comparison<'a> {
    lines: &'a LegacyRows,
    mirror: &'a Mirror,
    kind: UpdateKind,
    findings: &'a mut Findings,
    /// Blocks of the row at hand by neighbour and body.
    blocks: Vec<(u32, u32, *const OFFB)>,
    /// What the differences of the free energy are relative to.
    energy_scale: f64,
}

/// Compare everything.
///
/// # Errors
/// [`Code::OutOfMemory`].
///
/// # Safety
/// The module, its rows and blocks, their constraints and bodies are valid.
pub unsafe fn all(
    legacy: *const LOCDYN,
    lines: &LegacyRows,
    mirror: &Mirror,
    kind: UpdateKind,
    findings: &mut Findings,
) -> Result<(), Code> {
    let mut comparison = Comparison { lines, mirror, kind, findings, blocks: Vec::new(), energy_scale: 0.0 };
    // SAFETY: the caller promises a valid module with valid rows, blocks, constraints and bodies.
    unsafe {
        for (row, line) in (0..).zip(&lines.all) {
            comparison.row(row, line)?;
        }
        if kind != UpdateKind::Minimal {
            comparison.energy((*legacy).free_energy);
        }
    }
    Ok(())
}

impl Comparison<'_> {
    /// # Safety
    /// As [`all`].
    unsafe fn row(&mut self, row: u32, line: &LegacyRow) -> Result<(), Code> {
        let values = &self.mirror.rows[row as usize];
        // SAFETY: the caller promises a row that is valid with its blocks, its constraint and the bodies.
        unsafe {
            let dia = &*line.dia;
            let name = names::constraint(line.con);
            let speed = speed(line.con)?;
            let allowed = self.findings.tolerance;
            let condition = f64::EPSILON * self.mirror.condition(line);
            let findings = &mut *self.findings;
            let mut note = |largest: fn(&mut Findings) -> &mut f64,
                            name_of,
                            got: &[f64],
                            own: &[f64],
                            scale,
                            allowed| {
                let off = difference(got, own, scale);
                raise(largest(findings), off);
                if exceeds(off, allowed) {
                    findings.add(line.place(), format_args!("{name}: {name_of} is off by {off:.1e}"));
                }
            };
            note(|f| &mut f.largest.V, "V", &(*line.con).V, &values.v, speed, allowed.V);
            note(|f| &mut f.largest.B, "B", &dia.B, &values.b, speed, allowed.B);
            if let Some(own) = &values.diagonal {
                let size = largest(&own.a);
                note(|f| &mut f.largest.W, "W", &dia.W, &own.w, largest(&own.w), allowed.W.max(condition));
                note(|f| &mut f.largest.A, "A", &dia.A, &own.a, size, allowed.A.max(condition));
                if let Some(rho) = own.rho {
                    note(
                        |f| &mut f.largest.rho,
                        "rho",
                        &[dia.rho],
                        &[rho],
                        rho.abs(),
                        allowed.rho.max(condition),
                    );
                }
                self.energy_scale += 0.5 * size * speed * speed;
            }
            self.pattern(row, line)
        }
    }

    /// The blocks of a row as a multiset: their order depends on a history that is not known here.
    ///
    /// # Safety
    /// As [`all`].
    unsafe fn pattern(&mut self, row: u32, line: &LegacyRow) -> Result<(), Code> {
        let entries = self.mirror.entries(row);
        let expected: usize = entries.iter().map(|entry| self.mirror.block(entry).0).sum();
        let mut blocks = std::mem::take(&mut self.blocks);
        blocks.clear();
        // One block more than expected shows that there are too many. It also ends the walk if the list has a loop.
        blocks.try_reserve(expected + 1).map_err(exhausted)?;
        // SAFETY: the caller promises a row that is valid with its blocks; names are made of the domain's
        // constraints and of bodies with rows.
        unsafe {
            let name = names::constraint(line.con);
            for block in super::blocks(line.dia).take(expected + 1) {
                let neighbour = self.lines.of_row((*block).dia);
                let body = self.mirror.of_body((*block).bod);
                match (neighbour, body) {
                    (Some(neighbour), Some(body)) => blocks.push((neighbour, body, block)),
                    (None, _) => {
                        let text = format_args!("{name}: a block to no row of the list");
                        self.findings.add_of_list(line.place(), text);
                        return Ok(());
                    }
                    (Some(neighbour), None) => {
                        let id = self.lines.all[neighbour as usize].id;
                        let place = Place { neighbour: Some(id), ..line.place() };
                        let text = format_args!(
                            "{name}: the block to constraint {id} is through a body without rows"
                        );
                        self.findings.add(place, text);
                        return Ok(());
                    }
                }
            }
            blocks.sort_unstable_by_key(|&(neighbour, body, _)| (neighbour, body));
            let mut rest = blocks.as_slice();
            for entry in entries {
                let key = (entry.neighbour, entry.body);
                let before = rest.partition_point(|&(neighbour, body, _)| (neighbour, body) < key);
                self.unexpected(line, &rest[..before]);
                rest = &rest[before..];
                let count = rest.iter().take_while(|&&(neighbour, body, _)| (neighbour, body) == key).count();
                let (found, behind) = rest.split_at(count);
                let wanted = self.mirror.block(entry).0;
                if count < wanted {
                    let (id, body) = self.ids(entry.neighbour, entry.body);
                    let place = Place { neighbour: Some(id), body: Some(body), ..line.place() };
                    let text =
                        format_args!("{name}: a block to constraint {id} through body {body} is missing");
                    self.findings.add(place, text);
                }
                self.unexpected(line, &found[wanted.min(count)..]);
                for &(_, _, block) in found {
                    self.block(line, entry, row, &(*block).W);
                }
                rest = behind;
            }
            self.unexpected(line, rest);
        }
        self.blocks = blocks;
        Ok(())
    }

    fn ids(&self, neighbour: u32, body: u32) -> (u32, u32) {
        // SAFETY: a body with rows is valid, by the promise of `all`.
        let body = unsafe { (*self.mirror.body(body)).id };
        (self.lines.all[neighbour as usize].id, body)
    }

    /// Blocks that the row should not have.
    fn unexpected(&mut self, line: &LegacyRow, blocks: &[(u32, u32, *const OFFB)]) {
        if let Some(&(neighbour, body, _)) = blocks.first() {
            // SAFETY: the constraint is the domain's, by the promise of `all`.
            let name = unsafe { names::constraint(line.con) };
            let (id, body) = self.ids(neighbour, body);
            let place = Place { neighbour: Some(id), body: Some(body), ..line.place() };
            let text = format_args!("{name}: an unexpected block to constraint {id} through body {body}");
            self.findings.add(place, text);
        }
    }

    /// The value of a block of the row at a position.
    fn block(&mut self, line: &LegacyRow, entry: &Entry, row: u32, got: &Block) {
        // SAFETY: the constraint is the domain's, by the promise of `all`.
        let (name, is_contact) = unsafe { (names::constraint(line.con), (*line.con).kind == CONTACT) };
        let compared = self.kind == UpdateKind::All || (self.kind == UpdateKind::Penalty && !is_contact);
        let sizes = [row, entry.neighbour].map(|row| self.mirror.rows[row as usize].diagonal);
        let ([Some(one), Some(two)], true) = (sizes, compared) else { return };
        let neighbour = &self.lines.all[entry.neighbour as usize];
        let condition = self.mirror.condition(line).max(self.mirror.condition(neighbour));
        let scale = (largest(&one.w) * largest(&two.w)).sqrt();
        let off = difference(got, self.mirror.block(entry).1, scale);
        raise(&mut self.findings.largest.block, off);
        if exceeds(off, self.findings.tolerance.block.max(f64::EPSILON * condition)) {
            let (id, body) = self.ids(entry.neighbour, entry.body);
            let place = Place { neighbour: Some(id), body: Some(body), ..line.place() };
            let text =
                format_args!("{name}: the block to constraint {id} through body {body} is off by {off:.1e}");
            self.findings.add(place, text);
        }
    }

    fn energy(&mut self, got: f64) {
        let off = difference(&[got], &[self.mirror.energy], self.energy_scale);
        raise(&mut self.findings.largest.free_energy, off);
        let condition = f64::EPSILON * self.findings.condition;
        if exceeds(off, self.findings.tolerance.free_energy.max(condition)) {
            self.findings.add(Place::default(), format_args!("free_energy is off by {off:.1e}"));
        }
    }
}

/// The largest difference over a scale; NaN if one difference is NaN.
fn difference(got: &[f64], own: &[f64], scale: f64) -> f64 {
    let mut most = 0.0;
    got.iter().zip(own).for_each(|(got, own)| raise(&mut most, (got - own).abs()));
    if most == 0.0 { 0.0 } else { most / scale }
}

/// Whether a difference is beyond its tolerance; NaN is.
fn exceeds(difference: f64, tolerance: f64) -> bool {
    difference.is_nan() || difference > tolerance
}

fn largest(block: &Block) -> f64 {
    block.iter().fold(0.0, |most, entry| entry.abs().max(most))
}

/// The largest of |H||v| and |H||v⁰| over a constraint's bodies.
///
/// # Errors
/// As [`constraint::sides`].
///
/// # Safety
/// The constraint and its bodies are valid.
unsafe fn speed(con: *const CON) -> Result<f64, Code> {
    // SAFETY: the caller promises a valid constraint with valid bodies.
    unsafe {
        constraint::check(con)?;
        constraint::sides(con).try_fold(LEAST_SPEED, |largest, side| {
            let side = side?;
            let speeds = [side.previous, side.current].map(|u| side.point.local_magnitude(side.frame, u));
            Ok(speeds.into_iter().flatten().fold(largest, f64::max))
        })
    }
}
