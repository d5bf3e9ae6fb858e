//! The laws that a system keeps with its constraints, as C sees them; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::ffi::errors::{Result, invalid};

use super::arguments::{self, constraint_id, entry};
use super::ldy_system;
use super::solve::{law_of, ldy_law, told};
use super::strided::Strided;

/// Keep the law of a constraint with the constraint.
///
/// A solver that gets no laws uses the kept ones (see ldy_contact_solver_solve), so that a program needs no table from rows to
/// contacts. The law stays when the constraint is moved or gets other operators, and when other constraints are inserted or
/// removed. It goes when the constraint is removed. A new constraint has no law. W, B and all other results of the last update
/// remain valid: no update depends on laws.
///
/// - constraint: its id.
/// - law: copied. kind LDY_LAW_NONE removes the law that the constraint has.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, the kind
/// is unknown, a contact law does not fit the number of rows, or a value is not valid. Then nothing has
/// changed.
///
/// # Safety
/// system comes from ldy_system_create; law is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_law(
    system: *mut ldy_system,
    constraint: i64,
    law: *const ldy_law,
) -> c_int {
    entry!(system: exclusive, law: values(1) => {
        let id = constraint_id(constraint)?;
        check_kind(&law[0], format_args!("constraint {id}"))?;
        system.set_law(id, law_of(&law[0]))?;
    })
}

/// Keep the laws of many constraints, as ldy_system_set_law does for one constraint: all laws, or none.
///
/// - constraints: count ids. constraints_stride: bytes from one id to the next, see ldy_system_add_point_constraints.
/// - laws: count laws, copied. laws_stride: bytes from one law to the next; 0: the first law is for all constraints.
///
/// If a constraint is there twice, its last law holds. Returns 0 or LDY_ERROR_INVALID_ARGUMENT, as ldy_system_set_law; also if a
/// stride is no multiple of 8. The text names the number of the entry and the constraint.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_laws(
    system: *mut ldy_system,
    constraints: *const i64,
    constraints_stride: usize,
    laws: *const ldy_law,
    laws_stride: usize,
    count: usize,
) -> c_int {
    entry!(system: exclusive, constraints: ids((count, constraints_stride, "constraint")),
           laws: strided((count, laws_stride, 1)) => {
        check_kinds(count, &laws, |k| Some(constraints.id(k)))?;
        system.set_laws(count, |k| (constraints.id(k), law_of(&laws.at(k)[0])))?;
    })
}

/// Write the law that is kept with a constraint.
///
/// - law: where to write it. Values that the constraint does not read are zero. kind is LDY_LAW_NONE if the constraint has no
///   law.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL.
///
/// # Safety
/// system comes from ldy_system_create; law is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_law(
    system: *const ldy_system,
    constraint: i64,
    law: *mut ldy_law,
) -> c_int {
    entry!(system: shared, law: place => {
        let id = constraint_id(constraint)?;
        law.put(told(system.law(id)?, system.constraint(id)?.rows()));
    })
}

/// Write the laws that are kept with many constraints, as ldy_system_law does for one constraint.
///
/// - constraints: count ids, with their stride as in ldy_system_set_laws.
/// - laws: where to write count laws. laws_stride: bytes from one law to the next, at least the size of a law.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or a
/// stride is too short or no multiple of 8. Then nothing is written.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_laws(
    system: *const ldy_system,
    constraints: *const i64,
    constraints_stride: usize,
    laws: *mut ldy_law,
    laws_stride: usize,
    count: usize,
) -> c_int {
    entry!(system: shared, constraints: ids((count, constraints_stride, "constraint")),
           laws: strided_mut((count, laws_stride, 1)) => {
        let rows = |k: usize| system.constraint(constraints.id(k)).map_or(0, |own| own.rows());
        system.laws(count, |k| constraints.id(k), |k, law| laws.put(k, &[told(law, rows(k))]))?;
    })
}

/// Check that the kinds of laws are known; errors name the constraint if it has an id.
pub(super) fn check_kinds(
    count: usize,
    laws: &Strided<ldy_law>,
    id: impl Fn(usize) -> Option<crate::system::Id>,
) -> Result {
    (0..count).try_for_each(|k| {
        let law = &laws.at(k)[0];
        match id(k) {
            Some(id) => check_kind(law, format_args!("entry {k}: constraint {id}")),
            None => check_kind(law, format_args!("entry {k}")),
        }
    })
}

fn check_kind(law: &ldy_law, subject: std::fmt::Arguments) -> Result {
    ensure!(
        law.is_known(),
        invalid!("{subject}: the kind of its law is {}; expected one of LDY_LAW_*", law.kind)
    );
    Ok(())
}
