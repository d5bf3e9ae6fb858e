//! What differs: the largest difference of each quantity, and the first one beyond its tolerance.

#![allow(non_snake_case, reason = "quantities have the names of the theory")]

use std::fmt;

use crate::legacy::c_api::types::{ldy_differences, ldy_tolerance};
use crate::legacy::display;
use crate::legacy::errors::{Code, fail};
use crate::legacy::layout::CON;
use crate::legacy::report::Report;
use crate::legacy::rows::Subject;

/// The tolerance of every quantity where the host gives none.
const DEFAULT: f64 = 1e-12;

/// What was compared so far.
pub struct Findings<'a> {
    /// What is allowed.
    pub tolerance: ldy_tolerance,
    /// What is told.
    pub report: &'a mut Report,
    /// Whether nothing is wrong with the list of rows itself, and each block leads to one of them.
    pub is_list_sound: bool,
    /// Whether anything differs.
    pub differs: bool,
}

impl<'a> Findings<'a> {
    /// Nothing compared, the default tolerance.
    pub fn new(report: &'a mut Report) -> Self {
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

    /// A difference of a quantity; returns whether it is beyond its tolerance, as NaN is.
    pub fn exceeds(&mut self, of: fn(&mut ldy_differences) -> &mut f64, off: f64, allowed: f64) -> bool {
        raise(of(&mut self.report.largest), off);
        off.is_nan() || off > allowed
    }

    /// Something differs at a place; only the first such text is kept.
    pub fn add(&mut self, subject: Subject, text: fmt::Arguments) {
        if !self.differs {
            self.differs = true;
            self.report.subject = subject;
            fail!(Code::Differs, "{text}");
        }
    }

    /// The list itself is wrong at a place, as no legacy module leaves it.
    pub fn add_of_list(&mut self, subject: Subject, text: fmt::Arguments) {
        self.is_list_sound = false;
        self.add(subject, text);
    }

    /// The list itself is wrong at the row of a constraint.
    ///
    /// # Safety
    /// The constraint is valid, its bodies are NULL or valid.
    pub unsafe fn add_of_row(&mut self, con: *const CON, what: &str) {
        // SAFETY: the caller promises a valid constraint with bodies that are NULL or valid.
        let (name, id) = unsafe { (display::constraint(con), (*con).id) };
        self.add_of_list(
            Subject { constraint: Some(id), ..Subject::default() },
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
