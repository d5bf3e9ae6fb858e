//! A mirror of another module's rows over the same domain, to compare the values that both assemble.
//!
//! It reads only public fields of the other module, and does not write to the host's memory. [`legacy_rows`] reads the other
//! module's rows, [`mirror`] inserts and assembles the same rows again, [`compare`] looks for differences, [`findings`] keeps
//! them.

mod compare;
mod findings;
mod legacy_rows;
mod mirror;

use std::time::Instant;
use std::{iter, ptr};

use super::c_api::types::{ldy_report, ldy_tolerance};
use super::errors::{Code, Result, fail, invalid};
use super::host::domain::{self, UpdateKind};
use super::layout::{DIAB, LOCDYN, OFFB};
use super::report::{self, CheckReport};
use crate::ffi::sized::sized_const;

use findings::Findings;
use legacy_rows::LegacyRows;
use mirror::Mirror;

/// The value of the handle `ldy_shadow`.
pub struct Shadow {
    legacy: *const LOCDYN,
    rows: LegacyRows,
    mirror: Mirror,
    /// Whether the list was sound at the last check.
    was_sound: bool,
}

/// Make a shadow of another module's rows; see `ldy_shadow_new`.
pub fn new(legacy: *const LOCDYN) -> Result<Shadow> {
    ensure!(
        !cfg!(feature = "mpi"),
        fail!(Code::NotImplemented, "ldy_shadow_new is not in the build for MPI")
    );
    ensure!(!legacy.is_null(), invalid!("legacy is NULL"));
    Ok(Shadow { legacy, rows: LegacyRows::default(), mirror: Mirror::new()?, was_sound: true })
}

/// Whether the other module's values are the library's; see `ldy_shadow_check`.
///
/// # Safety
/// As there.
pub unsafe fn check(
    shadow: Result<&mut Shadow>,
    tolerance: *const ldy_tolerance,
    report: *mut ldy_report,
) -> bool {
    let check = |results: &mut CheckReport| {
        let mut findings = Findings::new(results);
        let shadow = shadow?;
        if !tolerance.is_null() {
            // SAFETY: the host promises to ldy_shadow_check that the tolerance has the bytes that its size states; it is not
            // filled.
            let given = unsafe { sized_const("tolerance", tolerance) }?;
            findings.tolerance = given.read_over(findings.tolerance);
        }
        // SAFETY: the host promises to ldy_shadow_check that everything the shadow reads is valid.
        unsafe { shadow.check(&mut findings) }
    };
    // SAFETY: the host promises to ldy_shadow_check that the report has the bytes that its size states.
    unsafe { report::run(report, check) }
}

impl Shadow {
    /// # Safety
    /// The other module, its domain, bodies and constraints are valid.
    unsafe fn check(&mut self, findings: &mut Findings) -> Result {
        // SAFETY: the caller promises a valid module over a valid domain, with valid constraints and bodies.
        unsafe {
            let dom = (*self.legacy).dom;
            ensure!(!dom.is_null(), invalid!("dom of the legacy module is NULL"));
            domain::step(dom)?;
            let kind = domain::update_kind(dom)?;
            self.rows.read(self.legacy, dom, self.was_sound, findings)?;
            self.mirror.sync(dom, &mut self.rows)?;
            self.rows.remember();
            self.was_sound = findings.is_list_sound;
            let start = Instant::now();
            self.mirror.assemble()?;
            findings.report.time = start.elapsed().as_secs_f64();
            if kind != UpdateKind::Minimal {
                self.mirror.estimate_conditions(findings)?;
            }
            compare::all(self.legacy, &self.rows, &self.mirror, kind, findings)?;
            self.was_sound = findings.is_list_sound;
        }
        if findings.differs { Err(Code::Differs) } else { Ok(()) }
    }
}

/// The error of exhausted memory.
fn exhausted() -> Code {
    fail!(Code::OutOfMemory, "no memory for the mirror of the legacy module's rows")
}

/// A link of one of the other module's lists.
fn link<T>(pointer: *const T) -> Option<*const T> {
    if ptr::eq(pointer, ptr::null()) { None } else { Some(pointer) }
}

/// The blocks of a row, in the order of their list. A cyclic list has no end.
///
/// # Safety
/// The row and its blocks are valid.
unsafe fn blocks(dia: *const DIAB) -> impl Iterator<Item = *const OFFB> {
    // SAFETY: the caller promises a valid row with valid blocks.
    unsafe { iter::successors(link((*dia).adj.cast_const()), |&block| link((*block).n.cast_const())) }
}

#[cfg(all(test, feature = "mpi"))]
mod tests {
    use super::*;

    #[test]
    fn the_build_for_mpi_has_no_shadows() {
        let legacy = ptr::dangling::<LOCDYN>();
        assert!(matches!(new(legacy), Err(Code::NotImplemented)));
    }
}
