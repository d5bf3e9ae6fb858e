//! Constraints that contradict each other, in C; part of `include/ldy_system.h`.

use std::ffi::{c_char, c_int};
use std::fmt::{self, Write};

use crate::solve::{Demand, Multiplier};
use crate::system::ConflictText;

use super::arguments::{self, entry};
use super::ldy_system;
use super::solve::{LDY_LAW_BOUNDS, LDY_LAW_CONTACT, LDY_LAW_FIXED, ldy_contact_solver};

/// A nonzero multiplier d of the proof that a problem has no solution, for one scalar row.
///
/// For the multipliers of a group together, laws demand sum d (U + bias) >= 0: contacts have d >= 0, and limits have the sign that
/// their law gives to U + bias. But sum d (U + bias) = sum d (B + bias) + sum (W^T d) . R is negative for all forces that laws allow,
/// except forces 1e8 times as large as B asks for. This proof (Farkas's lemma) need not have the least number of rows.
///
/// The unit of d is a force times any factor: the largest |d| of each group is 1.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_multiplier {
    /// The id of the constraint, or the number of its row if the solver solved rows.
    pub constraint: i64,
    /// The scalar row of the constraint, from 0.
    pub component: i32,
    /// The demand of the law on this component. LDY_LAW_CONTACT: U + bias >= 0. LDY_LAW_FIXED: U + bias = 0. LDY_LAW_BOUNDS: one
    /// sign of U + bias, since the force has one finite bound.
    pub demand: i32,
    /// The number of the group, from 0. Each group is a contradiction of its own: groups have no blocks of W in common.
    pub group: i32,
    /// 0.
    pub reserved: i32,
    /// d.
    pub value: f64,
}

/// Return the constraints of the last solution that contradict each other, with the multipliers of the proof.
///
/// There are some if the status is LDY_STATUS_INFEASIBLE, and none otherwise. They are in the order of groups, rows and
/// components. They remain until the solver's next solution.
///
/// - multipliers: where to write up to capacity multipliers.
/// - capacity: number of values of multipliers; 0 to get the count alone.
/// - count: where to write the number of multipliers, also if it is above capacity; NULL: not wanted.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if solver is NULL, or multipliers is NULL and capacity is not 0.
///
/// # Safety
/// solver comes from ldy_contact_solver_create; multipliers is NULL or has capacity values; count is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_contact_solver_conflict(
    solver: *const ldy_contact_solver,
    multipliers: *mut ldy_multiplier,
    capacity: usize,
    count: *mut usize,
) -> c_int {
    entry!(solver: shared, multipliers: values_mut(capacity), count: wanted => {
        let all = solver.solver.conflict();
        count.put(all.len());
        multipliers.iter_mut().zip(all).for_each(|(to, from)| *to = told(from));
    })
}

/// Write a text about the constraints of the last solution that contradict each other, and the bodies that they move.
///
/// For instance: "contacts 3 and 17 and joint 4 contradict each other: no allowed forces give body 9 a velocity that satisfies
/// them". Groups are separated by semicolons. Each list has at most twelve names, and the number of the others. Without a conflict
/// the text is empty.
///
/// - system: the system whose problem was solved. A constraint that was removed since is named without its bodies. NULL: no bodies
///   are named. Not read if the solver solved rows: the text names the numbers of rows.
/// - text: where to write the text and a zero; cut after size - 1 characters.
/// - size: number of characters of text; 0 to get the length alone.
/// - length: where to write the number of characters of the whole text, without the zero; NULL: not wanted.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if solver is NULL, or text is NULL and size is not 0. After an
/// error nothing is written.
///
/// # Safety
/// solver comes from ldy_contact_solver_create; system is NULL or comes from ldy_system_create; text is NULL or has size characters;
/// length is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_contact_solver_conflict_text(
    solver: *const ldy_contact_solver,
    system: *const ldy_system,
    text: *mut c_char,
    size: usize,
    length: *mut usize,
) -> c_int {
    entry!(solver: shared, system: optional shared, text: values_mut(size), length: wanted => {
        let conflict = solver.solver.conflict();
        let words = match system {
            _ if solver.is_of_rows => ConflictText::of_rows(conflict)?,
            Some(system) => system.conflict_text(conflict)?,
            None => ConflictText::of_constraints(conflict)?,
        };
        let mut cut = CutText { text, length: 0 };
        // Writing never fails; it cuts.
        let _ = write!(cut, "{words}");
        let CutText { text, length: whole } = cut;
        if let Some(last) = text.len().checked_sub(1) {
            text[whole.min(last)] = 0;
        }
        length.put(whole);
    })
}

/// The caller's text, which is too short at times, and the length of the whole.
struct CutText<'a> {
    text: &'a mut [c_char],
    length: usize,
}

impl Write for CutText<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let free = self.text.iter_mut().skip(self.length);
        free.zip(text.bytes()).for_each(|(to, byte)| *to = byte as c_char);
        self.length += text.len();
        Ok(())
    }
}

fn told(multiplier: &Multiplier) -> ldy_multiplier {
    let &Multiplier { group, constraint, component, demand, value } = multiplier;
    let demand = match demand {
        Demand::Contact => LDY_LAW_CONTACT,
        Demand::Joint => LDY_LAW_FIXED,
        Demand::Limit => LDY_LAW_BOUNDS,
    };
    ldy_multiplier {
        constraint: constraint as i64,
        component: component as i32,
        demand,
        group: group as i32,
        reserved: 0,
        value,
    }
}
