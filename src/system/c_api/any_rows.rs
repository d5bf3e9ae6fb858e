//! Constraints of one to six rows on up to sixteen bodies, and W as scalar rows, in C; part of `include/ldy_system.h`.

use std::ffi::{c_int, c_longlong};

use crate::fault::check_size;
use crate::ffi::errors::{Code, Result, fail};
use crate::memory::with_capacity;
use crate::system::constraint::MOST_ROWS;
use crate::system::{Error, Fault, Id, MOST_BODIES, Operator, System, subject_of};

use super::arguments::{self, body_id, constraint_id, entry};
use super::constraints::{ldy_operator, operator};
use super::ldy_system;

/// Insert a constraint of m rows on several bodies by operators H: U = sum of H u over the bodies. The operators contain the signs.
///
/// - m: 1 to 6.
/// - bodies: count different ids.
/// - H: an operator for each body, copied. See ldy_operator, but with m rows: dense with m n values, column-major, or sparse with
///   rows below m; not by nodes.
/// - count: 1 to 16.
/// - constraint: where to write the id.
///
/// A limit, motor or friction loss of a joint has one row, a planar contact two, a contact or point three, a weld six. A gear or
/// tendon has one row on all its bodies. With three rows on one or two bodies, the function inserts the same constraint as
/// ldy_system_add_operators. Constraints of one or two rows on the same bodies in the same order share memory and work. Vectors
/// have m values for a constraint of m rows, see ldy_rows.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, m or count is out of range, a body
/// does not exist or is there twice, or an operator is ill-formed or not finite.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_rows(
    system: *mut ldy_system,
    m: c_int,
    bodies: *const c_longlong,
    H: *const ldy_operator,
    count: usize,
    constraint: *mut c_longlong,
) -> c_int {
    entry!(system: exclusive, bodies: values(body_count(count)?), H: values(count), constraint: place => {
        let mut list = [None; MOST_BODIES];
        let list = &mut list[..count];
        for (to, &body) in list.iter_mut().zip(bodies) {
            *to = Some(body_id(body)?);
        }
        let id = system.next_constraint();
        let rows = usize::try_from(m).ok().filter(|rows| (1..=MOST_ROWS).contains(rows));
        let rows = rows.ok_or_else(|| refused(id, list, Fault::Invalid("a constraint has one to six rows")))?;
        if let Some(&body) = list.iter().flatten().find(|&&body| system.body(body).is_err()) {
            return Err(refused(id, list, Fault::NoBody(body)));
        }
        // SAFETY: the C program promises arrays in each operator that are NULL or have the lengths that the operator says.
        let operators = unsafe { operators(system, id, rows, list, H) }?;
        constraint.put(system.add_constraint_rows(list, operators)? as c_longlong);
    })
}

/// Insert a constraint of one row on one generalized velocity of a body: a limit, motor or friction loss of a joint. The constraint
/// is the same as one that ldy_system_add_rows inserts.
///
/// - freedom: index of the velocity, from 0.
/// - coefficient: U is coefficient times the velocity, for instance 1, or -1 for an upper limit.
/// - constraint: where to write the id.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such body or velocity, or
/// coefficient is not finite.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_dof_constraint(
    system: *mut ldy_system,
    body: c_longlong,
    freedom: c_int,
    coefficient: f64,
    constraint: *mut c_longlong,
) -> c_int {
    entry!(system: exclusive, constraint: place => {
        let body = body_id(body)?;
        constraint.put(system.add_dof_constraint(body, usize::try_from(freedom).ok(), coefficient)? as c_longlong);
    })
}

/// Set the operators of a constraint, one for each of its bodies in the order of its insertion.
///
/// - H: count operators, as in ldy_system_add_rows. The number of rows does not change.
/// - count: number of its bodies.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such constraint, it has
/// points, count is wrong, or an operator is ill-formed or not finite. If both sides of the constraint are on the same body, the
/// function returns LDY_ERROR_INVALID_ARGUMENT, too: use ldy_system_set_operators.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_rows_operators(
    system: *mut ldy_system,
    constraint: c_longlong,
    H: *const ldy_operator,
    count: usize,
) -> c_int {
    entry!(system: exclusive, H: values(body_count(count)?) => {
        let id = constraint_id(constraint)?;
        let mut list = [None; MOST_BODIES];
        let constraint = system.constraint(id)?;
        let (rows, listed) = (constraint.rows(), constraint.all_bodies().count());
        list.iter_mut().zip(constraint.all_bodies()).for_each(|(to, body)| *to = Some(body));
        let list = &list[..listed];
        check_size("its operators H", listed, count).map_err(|fault| refused(id, list, fault))?;
        let is_twice = listed == 2 && list[0] == list[1];
        let why = "it is on one body twice: ldy_system_set_operators takes operators of both sides";
        ensure!(!is_twice, refused(id, list, Fault::Invalid(why)));
        // SAFETY: the C program promises arrays in each operator that are NULL or have the lengths that the operator says.
        let operators = unsafe { operators(system, id, rows, list, H) }?;
        system.set_operators(id, operators)?;
    })
}

/// Set the compliance of a constraint of m rows. Updates add it to the diagonal block of W; they do not multiply it by h.
///
/// - compliance: m x m, column-major, symmetric positive semidefinite.
/// - count: m^2, or 0 for no compliance.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such constraint, count is
/// wrong, or the compliance is not finite, not symmetric or not positive semidefinite.
///
/// # Safety
/// system comes from ldy_system_create; compliance is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_rows_compliance(
    system: *mut ldy_system,
    constraint: c_longlong,
    compliance: *const f64,
    count: usize,
) -> c_int {
    entry!(system: exclusive, compliance: values(count) => {
        let id = constraint_id(constraint)?;
        system.set_compliance(id, Some(compliance).filter(|values| !values.is_empty()))?;
    })
}

/// Return the largest eigenvalue of the diagonal block of each constraint.
///
/// - values: where to write count values, in the order of rows; NaN for a block where none is found.
/// - count: number of constraints.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, or there was no successful update since the
/// last change.
///
/// # Safety
/// system comes from ldy_system_create; values is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_block_eigenvalues(
    system: *const ldy_system,
    values: *mut f64,
    count: usize,
) -> c_int {
    entry!(system: shared, values: values_mut(count) => {
        let rows = system.results()?;
        check_size("values", rows.ids.len(), count)?;
        rows.largest_eigenvalues(values);
    })
}

/// Return the size of W as compressed scalar rows, for ldy_system_csr.
///
/// - rows: where to write the number of scalar rows.
/// - entries: where to write the number of entries of all blocks.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, or there was no successful update since the last change.
///
/// # Safety
/// system comes from ldy_system_create; rows and entries are NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_csr_size(
    system: *const ldy_system,
    rows: *mut c_int,
    entries: *mut usize,
) -> c_int {
    entry!(system: shared, rows: place, entries: place => {
        let results = system.results()?;
        rows.put(results.b.len() as c_int);
        entries.put(results.w.values().len());
    })
}

/// Write W as compressed scalar rows, the format of scipy.sparse.csr_matrix and of many solvers in C. Constraints may have any
/// number of rows.
///
/// - starts: where to write the index of the first entry of each scalar row, then the number of entries.
/// - start_count: number of scalar rows + 1.
/// - columns, values: where to write the entries, count values each, row by row. Columns count from 0 and ascend within a row.
/// - count: number of entries, see ldy_system_csr_size.
///
/// W is symmetric to the bit, so that the result is also W as compressed columns.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a count is wrong, an int cannot hold the number of entries, or
/// there was no successful update since the last change.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_csr(
    system: *const ldy_system,
    starts: *mut c_int,
    start_count: usize,
    columns: *mut c_int,
    values: *mut f64,
    count: usize,
) -> c_int {
    entry!(system: shared, starts: values_mut(start_count), columns: values_mut(count),
           values: values_mut(count) => {
        let rows = system.results()?;
        check_size("starts", rows.b.len() + 1, start_count)?;
        check_size("columns and values", rows.w.values().len(), count)?;
        let why = "system: W has more entries than an int can count";
        ensure!(c_int::try_from(count).is_ok(), fail!(Code::BugFound, "{why}"));
        rows.w.copy_csr(starts, columns, values);
    })
}

/// Check the number of bodies of a constraint; if it is out of range, no array is read.
fn body_count(count: usize) -> Result<usize> {
    let why = "a constraint has one to sixteen bodies";
    ensure!((1..=MOST_BODIES).contains(&count), fail!(Code::BugFound, "count is {count}: {why}"));
    Ok(count)
}

fn refused(id: Id, bodies: &[Option<Id>], fault: Fault) -> Code {
    Error { subject: subject_of(id, bodies), fault }.into()
}

/// The operators of a constraint with `rows` scalar rows, one for each of its bodies, which must exist.
///
/// # Safety
/// Their arrays are NULL or have the lengths that [`ldy_operator`] describes.
unsafe fn operators(
    system: &System,
    id: Id,
    rows: usize,
    bodies: &[Option<Id>],
    given: &[ldy_operator],
) -> Result<Vec<Operator>> {
    let mut operators = with_capacity(given.len()).map_err(|_| refused(id, bodies, Fault::Memory))?;
    for (&body, given) in bodies.iter().flatten().zip(given) {
        let columns = system.body(body)?.dofs();
        let failed = |fault: Fault| match fault {
            Fault::Memory => refused(id, bodies, fault),
            _ => fail!(Code::BugFound, "constraint {id}, operator H of body {body}: {fault}"),
        };
        check_size("its columns", columns, usize::try_from(given.n).unwrap_or_default()).map_err(failed)?;
        // SAFETY: the C program promises arrays as `operator` requires them; the number of columns has been checked.
        operators.push(unsafe { operator(given, rows, columns, false) }?.map_err(failed)?);
    }
    Ok(operators)
}
