//! Findings: the largest difference of each quantity, and the first one beyond its tolerance.

#![allow(non_snake_case, reason = "quantities have the names of the theory")]

use std::fmt;

use crate::legacy::c_api::types::{ldy_differences, ldy_tolerance};
use crate::legacy::display;
use crate::legacy::errors::{Code, fail};
use crate::legacy::layout::CON;
use crate::legacy::report::CheckReport;
use crate::legacy::rows::SubjectIds;

/// The tolerance of every quantity where the host gives none.
const DEFAULT: f64 = 1e-12;

/// Results of the comparison so far.
pub struct Findings<'a> {
    /// The tolerances.
    pub tolerance: ldy_tolerance,
    /// The report.
    pub report: &'a mut CheckReport,
    /// Whether the list of rows itself is correct, and each block leads to one of its rows.
    pub is_list_sound: bool,
    /// Whether anything differs.
    pub differs: bool,
}

impl<'a> Findings<'a> {
    /// No findings, default tolerances.
    pub fn new(report: &'a mut CheckReport) -> Self {
        let [V, B, W, A, rho, block, free_energy] = [DEFAULT; 7];
        Self {
            tolerance: ldy_tolerance {
                size: size_of::<ldy_tolerance>(),
                V,
                B,
                W,
                A,
                rho,
                block,
                free_energy,
            },
            report,
            is_list_sound: true,
            differs: false,
        }
    }

    /// Record a difference of a quantity. Returns whether it exceeds its tolerance; NaN does.
    pub fn exceeds(&mut self, of: fn(&mut ldy_differences) -> &mut f64, off: f64, allowed: f64) -> bool {
        raise(of(&mut self.report.largest), off);
        off.is_nan() || off > allowed
    }

    /// Add a difference; only the first one is kept.
    pub fn add(&mut self, subject: SubjectIds, text: fmt::Arguments) {
        if !self.differs {
            self.differs = true;
            self.report.subject = subject;
            fail!(Code::Differs, "{text}");
        }
    }

    /// Add an error of the list itself, such as no legacy module leaves.
    pub fn add_of_list(&mut self, subject: SubjectIds, text: fmt::Arguments) {
        self.is_list_sound = false;
        self.add(subject, text);
    }

    /// Add an error of the list at the row of a constraint.
    ///
    /// # Safety
    /// The constraint is valid, its bodies are NULL or valid.
    pub unsafe fn add_of_row(&mut self, con: *const CON, what: &str) {
        // SAFETY: the caller promises a valid constraint with bodies that are NULL or valid.
        let (name, id) = unsafe { (display::constraint(con), (*con).id) };
        self.add_of_list(
            SubjectIds { constraint: Some(id), ..SubjectIds::default() },
            format_args!("{name}: {what}"),
        );
    }
}

/// Make `largest` the larger of itself and `difference`; NaN counts as the largest.
pub fn raise(largest: &mut f64, difference: f64) {
    if difference.is_nan() || difference > *largest {
        *largest = difference;
    }
}
