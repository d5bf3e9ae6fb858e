//! What a check found, as C sees it.

use std::ffi::{c_char, c_int, c_longlong};

use super::c_api::types::{ldy_differences, ldy_report};
use super::errors::{self, Result};
use super::ffi;
use super::layout::LOCDYN;
use super::rows::{self, LocalDynamics, Subject};
use crate::ffi::codes::LDY_REPORT_TEXT;
use crate::ffi::sized::sized;

/// Whether all rows and blocks are in order; see `ldy_is_consistent`.
///
/// # Safety
/// As there.
pub unsafe fn is_consistent(ldy: *const LOCDYN, report: *mut ldy_report) -> bool {
    let check = |report: &mut Report| {
        // SAFETY: the host promises to ldy_is_consistent that ldy is a LOCDYN; nothing is written to it.
        let dynamics = unsafe { LocalDynamics::from_public(ldy.cast_mut()) }?;
        rows::check_consistency(dynamics, &mut report.subject)
    };
    // SAFETY: the host promises to ldy_is_consistent that the report has as many bytes as its size says.
    unsafe { run(report, check) }
}

/// What a check found, beside its error.
pub struct Report {
    /// Where the first finding is.
    pub subject: Subject,
    /// The largest differences, -1 where nothing was compared.
    pub largest: ldy_differences,
    /// The largest condition number of a matrix A; 0: there is none.
    pub condition: f64,
    /// Seconds of the library's own assembly.
    pub time: f64,
}

/// Let a check run and tell what it found, where that is wanted; whether nothing is wrong.
///
/// # Safety
/// `report` is NULL or valid, with as many bytes as its size says.
pub unsafe fn run(report: *mut ldy_report, check: impl FnOnce(&mut Report) -> Result) -> bool {
    let (subject, largest) = (Subject::default(), ldy_differences::NONE);
    let mut results = Report { subject, largest, condition: 0.0, time: 0.0 };
    let mut out = None;
    let code = ffi::status(|| {
        if !report.is_null() {
            // SAFETY: the caller promises that the report has as many bytes as its size says.
            out = Some(unsafe { sized("report", report) }?);
        }
        check(&mut results)
    });
    if let Some(out) = out {
        out.fill(&as_report(code, results));
    }
    code == 0
}

/// The report of a check that ended with a code; a text is the one of the thread's last error.
fn as_report(code: c_int, results: Report) -> ldy_report {
    let id = |id: Option<u32>| id.map_or(-1, c_longlong::from);
    let Report { subject: Subject { constraint, neighbor, body }, largest, condition, time } = results;
    let mut report = ldy_report {
        size: size_of::<ldy_report>(),
        code,
        constraint: id(constraint),
        neighbour: id(neighbor),
        body: id(body),
        text: [0; LDY_REPORT_TEXT],
        largest,
        condition,
        time,
    };
    if code != 0 {
        report.text = errors::last().bytes().map(|byte| byte as c_char);
    }
    report
}
