//! What a check found, as C sees it.

use std::ffi::{c_char, c_int, c_longlong};

use super::boundary;
use super::errors;
use super::interface::types::{ldy_differences, ldy_report};
use super::layout::LOCDYN;
use super::rows::{self, LocalDynamics, Place};
use crate::boundary::codes::LDY_REPORT_TEXT;
use crate::boundary::sized;

/// Whether all rows and blocks are in order; see `ldy_is_consistent`.
///
/// # Safety
/// As there.
pub unsafe fn is_consistent(ldy: *const LOCDYN, report: *mut ldy_report) -> bool {
    let mut place = Place::default();
    let mut out = None;
    let code = boundary::status(|| {
        // SAFETY: the host promises to ldy_is_consistent that the report has as many bytes as its size says.
        out = unsafe { sized::Place::wanted("report", report) }?;
        // SAFETY: the host promises to ldy_is_consistent that ldy is a LOCDYN; nothing is written to it.
        let dynamics = unsafe { LocalDynamics::from_public(ldy.cast_mut()) }?;
        rows::check_consistency(dynamics, &mut place)
    });
    if let Some(out) = out {
        out.fill(&found(code, place));
    }
    code == 0
}

/// The report of a check that ended with a code; a text is the one of the thread's last error.
pub fn found(code: c_int, place: Place) -> ldy_report {
    let id = |id: Option<u32>| id.map_or(-1, c_longlong::from);
    let Place { constraint, neighbour, body } = place;
    let mut report = ldy_report {
        size: size_of::<ldy_report>(),
        code,
        constraint: id(constraint),
        neighbour: id(neighbour),
        body: id(body),
        text: [0; LDY_REPORT_TEXT],
        largest: ldy_differences::NONE,
        condition: 0.0,
        time: 0.0,
    };
    if code != 0 {
        report.text = errors::last().bytes().map(|byte| byte as c_char);
    }
    report
}
