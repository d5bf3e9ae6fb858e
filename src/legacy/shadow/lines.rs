//! The rows of the other module, read from its list.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::mem;

use crate::legacy::errors::Code;
use crate::legacy::host::{constraint, domain};
use crate::legacy::layout::*;
use crate::legacy::names;
use crate::legacy::rows::Place;

use super::findings::Findings;
use super::{exhausted, link};

/// A map from addresses, with the same order of everything in every run.
pub type Map<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// A row of the other module.
#[derive(Clone, Copy)]
pub struct Line {
    /// The row.
    pub dia: *const DIAB,
    /// Its constraint, one of the domain.
    pub con: *const CON,
    /// Id of the constraint.
    pub id: u32,
    /// Master and slave.
    pub bodies: [*const BODY; 2],
    /// Whether the row was there at the last check, for the same constraint on the same bodies.
    pub known: bool,
}

impl Line {
    /// The place of a finding in this row.
    pub fn place(&self) -> Place {
        Place { constraint: Some(self.id), ..Place::default() }
    }

    /// Whether it has the same body on both sides.
    pub fn is_self_contact(&self) -> bool {
        self.bodies[0] == self.bodies[1]
    }
}

/// All rows in the order of the list.
#[derive(Default)]
pub struct Lines {
    /// The rows.
    pub all: Vec<Line>,
    /// Those of the last check that came to an end.
    previous: Vec<Line>,
    remembered: bool,
    /// Constraint to the row's position in the list.
    of_constraint: Map<*const CON, Option<u32>>,
    of_row: Map<*const DIAB, u32>,
}

impl Lines {
    /// The position of a row.
    pub fn of_row(&self, dia: *const DIAB) -> Option<u32> {
        self.of_row.get(&dia).copied()
    }

    /// Compare the next rows with these. Rows that were read and not remembered are as if never seen.
    pub fn remember(&mut self) {
        self.remembered = true;
    }

    /// Read the list; what is wrong with it is added to `findings`.
    ///
    /// # Errors
    /// [`Code::OutOfMemory`]; as [`constraint::check`] for the domain's constraints; [`Code::BugFound`] if their list is cyclic.
    ///
    /// # Safety
    /// The module, the domain, its constraints and their bodies are valid.
    pub unsafe fn read(
        &mut self,
        legacy: *const LOCDYN,
        dom: *const DOM,
        findings: &mut Findings,
    ) -> Result<(), Code> {
        self.of_row.clear();
        self.of_constraint.clear();
        // SAFETY: promised by the caller.
        unsafe {
            for con in domain::constraints(dom) {
                constraint::check(con)?;
                self.of_constraint.try_reserve(1).map_err(exhausted)?;
                if self.of_constraint.insert(con, None).is_some() {
                    return Err(domain::comes_twice(con));
                }
            }
            if mem::take(&mut self.remembered) {
                mem::swap(&mut self.all, &mut self.previous);
            }
            self.walk(legacy, findings)?;
            for con in domain::constraints(dom) {
                if let Some(None) = self.of_constraint.get(&con.cast_const()) {
                    let place = Place { constraint: Some((*con).id), ..Place::default() };
                    findings.add(place, format_args!("{}: no row in the list", names::constraint(con)));
                }
            }
        }
        self.compare_order(findings)
    }

    /// # Safety
    /// As [`Lines::read`]; the constraints of the domain are in the map.
    unsafe fn walk(&mut self, legacy: *const LOCDYN, findings: &mut Findings) -> Result<(), Code> {
        self.all.clear();
        self.all.try_reserve(self.of_constraint.len()).map_err(exhausted)?;
        self.of_row.try_reserve(self.of_constraint.len()).map_err(exhausted)?;
        // SAFETY: promised by the caller.
        unsafe {
            let (mut last, mut next) = (std::ptr::null(), link((*legacy).dia.cast_const()));
            while let Some(dia) = next {
                let con = (*dia).con.cast_const();
                let at = self.all.len();
                match self.of_constraint.get_mut(&con) {
                    // Its constraint may be gone: it is not read. So may be what follows.
                    None => {
                        let text = format_args!(
                            "row {at} of the list has a constraint that is none of the domain's"
                        );
                        findings.add(Place::default(), text);
                        break;
                    }
                    Some(Some(_)) => {
                        let place = Place { constraint: Some((*con).id), ..Place::default() };
                        findings
                            .add(place, format_args!("{}: comes twice in the list", names::constraint(con)));
                        break;
                    }
                    Some(position) => *position = Some(at as u32),
                }
                let bodies = [(*con).master.cast_const(), (*con).slave.cast_const()];
                let line = Line { dia, con, id: (*con).id, bodies, known: false };
                self.all.push(line);
                self.of_row.insert(dia, at as u32);
                let name = names::constraint(con);
                if (*dia).p.cast_const() != last {
                    findings.add(line.place(), format_args!("{name}: p is not the row before it"));
                }
                let vectors = [
                    (&raw const (*con).R).cast(),
                    (&raw const (*con).U).cast(),
                    (&raw const (*con).V).cast(),
                ];
                if [(*dia).R.cast_const(), (*dia).U.cast_const(), (*dia).V.cast_const()] != vectors {
                    findings.add(line.place(), format_args!("{name}: R, U or V is not the constraint's"));
                }
                (last, next) = (dia, link((*dia).n.cast_const()));
            }
        }
        Ok(())
    }

    /// New rows belong to the head of the list, and the others keep their order.
    fn compare_order(&mut self, findings: &mut Findings) -> Result<(), Code> {
        let mut before: Map<*const DIAB, usize> = Map::default();
        before.try_reserve(self.previous.len()).map_err(exhausted)?;
        before.extend(self.previous.iter().enumerate().map(|(at, line)| (line.dia, at)));
        let mut last = None;
        for line in &mut self.all {
            let at = before.get(&line.dia).copied().filter(|&at| {
                let then = self.previous[at];
                then.con == line.con && then.id == line.id && then.bodies == line.bodies
            });
            line.known = at.is_some();
            // SAFETY: the constraint was found in the domain.
            let name = unsafe { names::constraint(line.con) };
            if at.is_none() && last.is_some() {
                findings.add(
                    line.place(),
                    format_args!("{name}: a new row, and older ones before it in the list"),
                );
            } else if at.is_some() && at < last {
                findings
                    .add(line.place(), format_args!("{name}: older rows changed their order in the list"));
            }
            last = at.max(last);
        }
        Ok(())
    }
}
