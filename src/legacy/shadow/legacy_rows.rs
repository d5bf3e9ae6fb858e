//! The rows of the other module, read from its list.

use std::mem;

use crate::legacy::display;
use crate::legacy::errors::Result;
use crate::legacy::host::{constraint, domain};
use crate::legacy::layout::*;
use crate::legacy::rows::{Map, SubjectIds};

use super::findings::Findings;
use super::{blocks, exhausted, link};

/// A row of the other module.
#[derive(Clone, Copy)]
pub struct LegacyRow {
    /// The row.
    pub dia: *const DIAB,
    /// Its constraint, one of the domain.
    pub con: *const CON,
    /// Id of the constraint.
    pub id: u32,
    /// Master and slave.
    pub bodies: [*const BODY; 2],
    /// Its index in the list of the last check; `None`: it was inserted since then.
    before: Option<u32>,
}

impl LegacyRow {
    /// The subject of a finding in this row.
    pub fn subject(&self) -> SubjectIds {
        SubjectIds { constraint: Some(self.id), ..SubjectIds::default() }
    }

    /// Whether it was inserted before the last check.
    pub fn is_old(&self) -> bool {
        self.before.is_some()
    }
}

/// All rows in the order of the list.
#[derive(Default)]
pub struct LegacyRows {
    /// The rows.
    pub all: Vec<LegacyRow>,
    /// The rows of the last completed check.
    previous: Vec<LegacyRow>,
    remembered: bool,
    /// The index of each constraint's row in the list; `None` until the row is found.
    of_constraint: Map<*const CON, Option<u32>>,
    of_row: Map<*const DIAB, u32>,
}

impl LegacyRows {
    /// The index of a row.
    pub fn of_row(&self, dia: *const DIAB) -> Option<u32> {
        self.of_row.get(&dia).copied()
    }

    /// The index of the row of a constraint.
    pub fn of_constraint(&self, con: *const CON) -> Option<u32> {
        self.of_constraint.get(&con).copied().flatten()
    }

    /// Whether the row of a constraint was inserted before the last check.
    pub fn is_old(&self, con: *const CON) -> bool {
        self.of_constraint(con).is_some_and(|at| self.all[at as usize].is_old())
    }

    /// Keep these rows for comparison with the next ones. Rows that were read and not remembered are ignored.
    pub fn remember(&mut self) {
        self.remembered = true;
    }

    /// Treat the first `count` rows of the list as inserted since the last check.
    pub fn collect(&mut self, count: usize) {
        self.all[..count].iter_mut().for_each(|row| row.before = None);
    }

    /// Read the list and add its errors to `findings`. `was_sound`: the list had no errors at the last check.
    ///
    /// # Errors
    /// [`Code::OutOfMemory`]; as [`constraint::check`] for the domain's constraints; [`Code::InvalidArgument`] if their list is cyclic.
    ///
    /// # Safety
    /// The module, the domain, its constraints and their bodies are valid.
    pub unsafe fn read(
        &mut self,
        legacy: *const LOCDYN,
        dom: *const DOM,
        was_sound: bool,
        findings: &mut Findings,
    ) -> Result {
        self.of_row.clear();
        self.of_constraint.clear();
        // SAFETY: the caller promises a valid module and a valid domain, with valid constraints and bodies.
        unsafe {
            for con in domain::constraints(dom) {
                constraint::check(con)?;
                self.of_constraint.try_reserve(1).map_err(|_| exhausted())?;
                ensure!(self.of_constraint.insert(con, None).is_none(), domain::comes_twice(con));
            }
            if mem::take(&mut self.remembered) {
                mem::swap(&mut self.all, &mut self.previous);
            }
            self.walk(legacy, findings)?;
            for con in domain::constraints(dom) {
                if let Some(None) = self.of_constraint.get(&con.cast_const()) {
                    findings.add_of_row(con, "no row in the list");
                }
            }
            self.compare_order(was_sound, findings)
        }
    }

    /// # Safety
    /// As [`LegacyRows::read`]; the constraints of the domain are in the map.
    unsafe fn walk(&mut self, legacy: *const LOCDYN, findings: &mut Findings) -> Result {
        self.all.clear();
        self.all.try_reserve(self.of_constraint.len()).map_err(|_| exhausted())?;
        self.of_row.try_reserve(self.of_constraint.len()).map_err(|_| exhausted())?;
        // SAFETY: the caller promises a valid module; a constraint is read only once it is found among the domain's.
        unsafe {
            let (mut last, mut next) = (std::ptr::null(), link((*legacy).dia.cast_const()));
            while let Some(dia) = next {
                let con = (*dia).con.cast_const();
                let at = self.all.len();
                match self.of_constraint.get_mut(&con) {
                    // Its constraint may have been freed, so it is not read. The next row may have been freed, too.
                    None => {
                        let why = "has a constraint that is none of the domain's";
                        findings
                            .add_of_list(SubjectIds::default(), format_args!("row {at} of the list {why}"));
                        break;
                    }
                    Some(Some(_)) => {
                        findings.add_of_row(con, "comes twice in the list");
                        break;
                    }
                    Some(position) => *position = Some(at as u32),
                }
                let bodies = [(*con).master.cast_const(), (*con).slave.cast_const()];
                let row = LegacyRow { dia, con, id: (*con).id, bodies, before: None };
                self.all.push(row);
                self.of_row.insert(dia, at as u32);
                if (*dia).p.cast_const() != last {
                    findings.add_of_row(con, "p is not the row before it");
                }
                let vectors = [
                    (&raw const (*con).R).cast(),
                    (&raw const (*con).U).cast(),
                    (&raw const (*con).V).cast(),
                ];
                if [(*dia).R.cast_const(), (*dia).U.cast_const(), (*dia).V.cast_const()] != vectors {
                    let name = display::constraint(con);
                    findings.add(row.subject(), format_args!("{name}: R, U or V is not the constraint's"));
                }
                (last, next) = (dia, link((*dia).n.cast_const()));
            }
        }
        Ok(())
    }

    /// Compare the order with the last check: new rows belong to the head of the list, and the others keep their order.
    ///
    /// A row that was removed and inserted again may have its old address and its old constraint. Then the only sign is its new
    /// position at the head of the list. So a row that is out of order was inserted again, and so were all rows before it,
    /// unless the blocks contradict this or the list was wrong before.
    ///
    /// # Safety
    /// As [`LegacyRows::read`].
    unsafe fn compare_order(&mut self, was_sound: bool, findings: &mut Findings) -> Result {
        self.find_places_before()?;
        let mut newer = self.all.len();
        let mut next = u32::MAX;
        while let Some(before) =
            newer.checked_sub(1).and_then(|at| self.all[at].before).filter(|&at| at < next)
        {
            (newer, next) = (newer - 1, before);
        }
        let is_in_order = self.all[..newer].iter().all(|row| !row.is_old());
        // SAFETY: the caller promises a valid module, so the rows read have valid blocks.
        if is_in_order || was_sound && unsafe { self.have_blocks_in_order() } {
            self.collect(newer);
            return Ok(());
        }
        let mut last = None;
        for row in &self.all {
            let what = match row.is_old() {
                false if last.is_some() => "a new row, and older ones before it in the list",
                true if row.before < last => "older rows changed their order in the list",
                _ => "",
            };
            if !what.is_empty() {
                // SAFETY: the constraint was found in the domain.
                unsafe { findings.add_of_row(row.con, what) };
            }
            last = row.before.max(last);
        }
        Ok(())
    }

    /// Find the index of each row at the last check, if it existed for the same constraint on the same bodies.
    fn find_places_before(&mut self) -> Result {
        let mut before: Map<*const DIAB, u32> = Map::default();
        before.try_reserve(self.previous.len()).map_err(|_| exhausted())?;
        before.extend((0..).zip(&self.previous).map(|(at, row)| (row.dia, at)));
        for row in &mut self.all {
            row.before = before.get(&row.dia).copied().filter(|&at| {
                let then = &self.previous[at as usize];
                then.con == row.con && then.id == row.id && then.bodies == row.bodies
            });
        }
        Ok(())
    }

    /// Whether the blocks of all rows have the order that insertions in the order of the list produce: first the blocks to
    /// newer rows, beginning with the newest, then the blocks to older rows.
    ///
    /// # Safety
    /// As [`LegacyRows::read`].
    unsafe fn have_blocks_in_order(&self) -> bool {
        (0..).zip(&self.all).all(|(at, row)| {
            let mut last = 0;
            // SAFETY: the caller promises a valid module, so the rows read have valid blocks.
            let mut blocks = unsafe { blocks(row.dia) }.take(self.most_blocks());
            blocks.all(|block| {
                // SAFETY: the caller promises a valid module, so the blocks of its rows are valid.
                let rank = match self.of_row(unsafe { (*block).dia }) {
                    Some(neighbor) if neighbor < at => neighbor,
                    Some(neighbor) if neighbor > at => u32::MAX,
                    _ => return false,
                };
                mem::replace(&mut last, rank) <= rank
            })
        })
    }

    /// The largest number of blocks of a row: two with each neighbor.
    pub fn most_blocks(&self) -> usize {
        2 * self.all.len()
    }
}
