//! Constraints of one to six rows on up to sixteen bodies, and W as scalar rows, in C; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::fault::check_size;
use crate::ffi::errors::{Code, Result, invalid};
use crate::memory::with_capacity;
use crate::system::constraint::MOST_ROWS;
use crate::system::{Checked, Error, Fault, Id, MOST_BODIES, Operator, System, subject_of};

use super::arguments::{self, body_id, constraint_id, entry, values};
use super::constraints::side;
use super::ldy_system;

/// An operator H of a constraint with m rows, with a column for each of the n generalized velocities of its body. It has one of
/// three forms:
///
/// - Dense: starts and rows are NULL, and values has m n values, column-major. Zero columns are not stored and cost nothing.
/// - Sparse: column j has the values starts[j] <= k < starts[j + 1] in the rows rows[k], which are below m. starts has n + 1
///   values, rows and values have starts[n].
/// - By nodes, with three rows, for a mesh with three generalized velocities per node: the columns of node a are N_a Q. starts is
///   NULL. values has Q, 3 x 3 and column-major, then a weight N for each of count - 9 nodes. rows has these nodes, counted from
///   0 and ascending. This is the fastest form if all constraints on the body have it, and the body has a sparse matrix A or a
///   diagonal inverse inertia.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_operator {
    /// Number of columns.
    pub n: i32,
    /// Index of the first entry of each column, then the number of entries; NULL: dense or by nodes.
    pub starts: *const i32,
    /// Row of each entry, or node of each weight; NULL: dense.
    pub rows: *const i32,
    /// The entries, or Q and the weights.
    pub values: *const f64,
    /// Number of values.
    pub count: usize,
}

/// Insert a constraint of m rows on several bodies by operators H: U = sum of H u over the bodies. The operators contain the
/// signs.
///
/// - m: 1 to 6.
/// - bodies: count different ids. One of one or two may be LDY_GROUND, and with three rows two may be the same body: H is the sum
///   then.
/// - H: an operator for each body, copied, see ldy_operator. The ground's operator is not read.
/// - count: 1 to 16.
/// - constraint: where to write the id.
///
/// A limit, motor or friction loss of a joint has one row, a planar contact two, a contact or point three, a weld six. A gear or
/// tendon has one row on all its bodies. Constraints of one or two rows on the same bodies in the same order share memory and
/// work. Vectors have m values for a constraint of m rows, see ldy_rows.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if a body does not exist, or LDY_ERROR_INVALID_ARGUMENT if an argument
/// is NULL, m or count is out of range, a body is there twice, or an operator is ill-formed or not finite.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_constraint_rows(
    system: *mut ldy_system,
    m: i32,
    bodies: *const i64,
    H: *const ldy_operator,
    count: usize,
    constraint: *mut i64,
) -> c_int {
    entry!(system: exclusive, bodies: values(body_count(count)?), H: values(count), constraint: place => {
        let mut list = [None; MOST_BODIES];
        let list = &mut list[..count];
        for (to, &body) in list.iter_mut().zip(bodies) {
            *to = side(body)?;
        }
        let rows = usize::try_from(m).ok().filter(|rows| (1..=MOST_ROWS).contains(rows));
        let rows = rows.ok_or_else(|| refused(None, list, Fault::Invalid("a constraint has one to six rows")))?;
        if let Some(&body) = list.iter().flatten().find(|&&body| system.body(body).is_err()) {
            return Err(refused(None, list, Fault::NoBody(body)));
        }
        // SAFETY: the C program promises arrays in each operator that are NULL or have the lengths that the operator says.
        let operators = unsafe { operators(system, None, rows, list, H) }?;
        constraint.put(system.add_constraint_rows(list, operators)? as i64);
    })
}

/// Insert a constraint of one row on one generalized velocity of a body: a limit, motor or friction loss of a joint. The
/// constraint is the same as one that ldy_system_add_constraint_rows inserts.
///
/// - dof: index of the velocity, from 0.
/// - coefficient: U is coefficient times the velocity, for instance 1, or -1 for an upper limit.
/// - constraint: where to write the id.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument
/// is NULL, the body has no such velocity, or coefficient is not finite.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_dof_constraint(
    system: *mut ldy_system,
    body: i64,
    dof: i32,
    coefficient: f64,
    constraint: *mut i64,
) -> c_int {
    entry!(system: exclusive, constraint: place => {
        let body = body_id(body)?;
        constraint.put(system.add_dof_constraint(body, usize::try_from(dof).ok(), coefficient)? as i64);
    })
}

/// Set the operators of a constraint that was inserted by operators, one for each of its bodies in the order of its insertion.
///
/// - H: count operators, as in ldy_system_add_constraint_rows. The number of rows does not change.
/// - count: number of its bodies, without the ground.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an
/// argument is NULL, it has points, count is wrong, or an operator is ill-formed or not finite.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_operators(
    system: *mut ldy_system,
    constraint: i64,
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
        check_size("its operators H", listed, count).map_err(|fault| refused(Some(id), list, fault))?;
        // SAFETY: the C program promises arrays in each operator that are NULL or have the lengths that the operator says.
        let operators = unsafe { operators(system, Some(id), rows, list, H) }?;
        system.set_operators(id, operators)?;
    })
}

/// Set the compliance of a constraint of m rows. Updates add it to the diagonal block of W; they do not multiply it by h.
///
/// - compliance: m x m values, column-major, symmetric positive semidefinite; or the m values of a diagonal, none negative.
/// - count: m^2, m, or 0 for no compliance.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an
/// argument is NULL, count is wrong, or the compliance is not finite, not symmetric or not positive semidefinite.
///
/// # Safety
/// system comes from ldy_system_create; compliance is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_compliance(
    system: *mut ldy_system,
    constraint: i64,
    compliance: *const f64,
    count: usize,
) -> c_int {
    entry!(system: exclusive, compliance: values(count) => {
        system.set_compliance(constraint_id(constraint)?, compliance)?;
    })
}

/// Return the compliance of a constraint of m rows.
///
/// - compliance: where to write m x m values, column-major; zeros if it has none.
/// - count: m^2.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count
/// is wrong.
///
/// # Safety
/// system comes from ldy_system_create; compliance is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_compliance(
    system: *const ldy_system,
    constraint: i64,
    compliance: *mut f64,
    count: usize,
) -> c_int {
    entry!(system: shared, compliance: values_mut(count) => {
        let id = constraint_id(constraint)?;
        let m = system.constraint(id)?.rows();
        check_size("compliance", m * m, count)?;
        let values = system.compliance(id)?;
        compliance.fill(0.0);
        compliance[..values.len()].copy_from_slice(values);
    })
}

/// Return the largest eigenvalue of the diagonal block of each constraint.
///
/// - values: where to write count values, in the order of rows; NaN for a block where none is found.
/// - count: number of constraints.
///
/// Returns 0, LDY_ERROR_STALE_RESULTS if there was no successful update since the last change, or LDY_ERROR_INVALID_ARGUMENT if
/// an argument is NULL or count is wrong.
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
        rows.block_eigenvalues(values);
    })
}

/// Write W as compressed scalar rows, the format of scipy.sparse.csr_matrix and of many solvers in C. Constraints may have any
/// number of rows.
///
/// - starts: where to write the index of the first entry of each scalar row, then the number of entries.
/// - start_count: number of scalar rows + 1, ldy_rows.scalars + 1.
/// - columns, values: where to write the entries, count values each, row by row. Columns count from 0 and ascend within a row.
/// - count: number of entries, ldy_rows.entries.
///
/// W is symmetric to the bit, so that the result is also W as compressed columns.
///
/// Returns 0, LDY_ERROR_STALE_RESULTS if there was no successful update since the last change, or LDY_ERROR_INVALID_ARGUMENT if
/// an argument is NULL, a count is wrong, or an int cannot hold the number of entries.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_csr(
    system: *const ldy_system,
    starts: *mut i32,
    start_count: usize,
    columns: *mut i32,
    values: *mut f64,
    count: usize,
) -> c_int {
    entry!(system: shared, starts: values_mut(start_count), columns: values_mut(count),
           values: values_mut(count) => {
        let rows = system.results()?;
        check_size("starts", rows.b.len() + 1, start_count)?;
        check_size("columns and values", rows.w.values().len(), count)?;
        let why = "system: W has more entries than an int can count";
        ensure!(i32::try_from(count).is_ok(), invalid!("{why}"));
        rows.w.copy_csr(starts, columns, values);
    })
}

/// Check the number of bodies of a constraint; if it is out of range, no array is read.
fn body_count(count: usize) -> Result<usize> {
    let why = "a constraint has one to sixteen bodies";
    ensure!((1..=MOST_BODIES).contains(&count), invalid!("count is {count}: {why}"));
    Ok(count)
}

fn refused(id: Option<Id>, bodies: &[Option<Id>], fault: Fault) -> Code {
    Error { subject: subject_of(id, bodies), fault }.into()
}

/// The operators of a constraint with `rows` scalar rows, one for each of its bodies, which must exist.
///
/// # Safety
/// Their arrays are NULL or have the lengths that [`ldy_operator`] describes.
unsafe fn operators(
    system: &System,
    id: Option<Id>,
    rows: usize,
    bodies: &[Option<Id>],
    given: &[ldy_operator],
) -> Result<Vec<Operator>> {
    let mut operators = with_capacity(given.len()).map_err(|_| refused(id, bodies, Fault::Memory))?;
    for (&body, given) in bodies.iter().zip(given) {
        let Some(body) = body else { continue };
        let columns = system.body(body)?.dofs();
        let failed = |fault: Fault| match fault {
            Fault::Memory => refused(id, bodies, fault),
            _ => {
                let constraint = subject_of(id, &[]);
                invalid!("{constraint}, operator H of body {body}: {fault}")
            }
        };
        check_size("its columns", columns, usize::try_from(given.n).unwrap_or_default()).map_err(failed)?;
        // SAFETY: the C program promises arrays as `operator` requires them; the number of columns has been checked.
        operators.push(unsafe { operator(given, rows, columns) }?.map_err(failed)?);
    }
    Ok(operators)
}

/// An operator with `rows` rows and as many columns as it says. If an array is NULL, this fails; else the operator may be
/// ill-formed.
///
/// # Safety
/// Its arrays are NULL or have the lengths that [`ldy_operator`] describes.
unsafe fn operator(
    &ldy_operator { starts, rows: indices, values: entries, count, .. }: &ldy_operator,
    rows: usize,
    columns: usize,
) -> Result<Checked<Operator>> {
    // SAFETY: the C program promises `count` values.
    let entries = unsafe { values("values of an operator H", entries, count) }?;
    if starts.is_null() && indices.is_null() {
        return Ok(Operator::dense(rows, columns, entries));
    }
    if starts.is_null() && rows != 3 {
        return Ok(Err(Fault::Invalid("an operator by nodes is for constraints of three rows")));
    }
    if let (true, Some((factor, weights))) = (starts.is_null(), entries.split_first_chunk()) {
        // SAFETY: the C program promises a node for each weight.
        let nodes = unsafe { values("nodes of an operator H", indices, weights.len()) }?;
        return Ok(Operator::nodal(columns, factor, nodes, weights));
    }
    // SAFETY: the C program promises a start for each column, and an end.
    let starts = unsafe { values("starts of an operator H", starts, columns + 1) }?;
    // SAFETY: the C program promises a row for each value.
    let indices = unsafe { values("rows of an operator H", indices, count) }?;
    Ok(Operator::sparse(rows, columns, starts, indices, entries))
}
