//! Checks of consistency, and reports for C.

use std::ffi::{c_char, c_int, c_longlong};

use super::c_api::types::{ldy_differences, ldy_report};
use super::errors::{self, Result};
use super::ffi;
use super::layout::LOCDYN;
use super::rows::{self, LocalDynamics, SubjectIds};
use crate::ffi::codes::LDY_REPORT_TEXT;
use crate::ffi::sized::sized;

/// Whether all rows and blocks are consistent; see `ldy_is_consistent`.
///
/// # Safety
/// As there.
pub unsafe fn is_consistent(ldy: *const LOCDYN, report: *mut ldy_report) -> bool {
    let check = |report: &mut CheckReport| {
        // SAFETY: the host promises to ldy_is_consistent that ldy is a LOCDYN; nothing is written to it.
        let dynamics = unsafe { LocalDynamics::from_public(ldy.cast_mut()) }?;
        rows::check_consistency(dynamics, &mut report.subject)
    };
    // SAFETY: the host promises to ldy_is_consistent that the report has the bytes that its size states.
    unsafe { run(report, check) }
}

/// Results of a check, in addition to its error.
pub struct CheckReport {
    /// The ids of the first finding.
    pub subject: SubjectIds,
    /// The largest differences; -1 for quantities that were not compared.
    pub largest: ldy_differences,
    /// The largest condition number of a matrix A; 0 without such matrices.
    pub condition: f64,
    /// Seconds of the library's own assembly.
    pub time: f64,
}

/// Run a check and fill the report, unless it is NULL. Returns whether there was no error.
///
/// # Safety
/// `report` is NULL or valid, with the bytes that its size states.
pub unsafe fn run(report: *mut ldy_report, check: impl FnOnce(&mut CheckReport) -> Result) -> bool {
    let (subject, largest) = (SubjectIds::default(), ldy_differences::NONE);
    let mut results = CheckReport { subject, largest, condition: 0.0, time: 0.0 };
    let mut out = None;
    let code = ffi::status(|| {
        if !report.is_null() {
            // SAFETY: the caller promises that the report has the bytes that its size states.
            out = Some(unsafe { sized("report", report) }?);
        }
        check(&mut results)
    });
    if let Some(out) = out {
        out.fill(&as_report(code, results));
    }
    code == 0
}

/// The report of a check that ended with a code. The text is the thread's last error.
fn as_report(code: c_int, results: CheckReport) -> ldy_report {
    let id = |id: Option<u32>| id.map_or(-1, c_longlong::from);
    let CheckReport { subject: SubjectIds { constraint, neighbor, body }, largest, condition, time } =
        results;
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
