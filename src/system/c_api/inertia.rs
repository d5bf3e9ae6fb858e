//! Inertias of bodies in C; part of `include/ldy_system.h`.

use std::ffi::{c_int, c_void};

use crate::ffi::errors::{Result, invalid};
use crate::ffi::sized::{CallerStruct, caller_sized, sized_const};
use crate::math::Block;
use crate::system::{Checked, Error, Fault, Id, Inertia, Kinematics, Solve, System};

use super::arguments::{self, array, body_id, entry, null, values};
use super::ldy_system;

/// An inverse callback: a function of the program that replaces x by A^-1 x.
///
/// - size: number of values of a column.
/// - columns: number of columns.
/// - x: size x columns values, column after column without gaps; in: x, out: A^-1 x.
/// - data: the pointer that was given with the callback.
///
/// Returns 0, or any other value if it failed. The thread that calls the library calls it. It must not use the system that calls
/// it, and must not leave by longjmp or an exception.
pub type ldy_apply_inverse =
    Option<unsafe extern "C" fn(size: i32, columns: i32, x: *mut f64, data: *mut c_void) -> c_int>;

/// A function of the program that releases the data of a callback, for instance free. The library calls it once, when it does not
/// use the callback any more: when its last body is removed or gets another inertia, when the system is destroyed, or before the
/// function that got the callback returns an error.
pub type ldy_release = Option<unsafe extern "C" fn(data: *mut c_void)>;

/// A kind of inertia: values has A^-1, n x n, symmetric.
pub const LDY_INERTIA_DENSE: i32 = 1;
/// A kind of inertia: values has the diagonal of A^-1, n values, none negative.
pub const LDY_INERTIA_DIAGONAL: i32 = 2;
/// A kind of inertia: starts, rows, values and count have the sparse matrix A, symmetric positive definite.
pub const LDY_INERTIA_SPARSE: i32 = 3;
/// A kind of inertia: an inverse callback applies A^-1.
pub const LDY_INERTIA_FUNCTION: i32 = 4;
/// A kind of inertia: mass and values, the referential inertia of a rigid body or the Euler tensor of a pseudo-rigid body about
/// the mass center, 3 x 3. ldy_system_set_inertia alone takes it.
pub const LDY_INERTIA_MASS: i32 = 5;

/// The inertia of a body, copied by the functions that take it. Set size and kind, then the fields that the kind reads; the
/// others are zero.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_inertia {
    /// sizeof (ldy_inertia), set by the caller before the call.
    pub size: usize,
    /// One of LDY_INERTIA_DENSE, LDY_INERTIA_DIAGONAL, LDY_INERTIA_SPARSE, LDY_INERTIA_FUNCTION, LDY_INERTIA_MASS.
    pub kind: i32,
    /// Number of generalized velocities, at least 1. LDY_INERTIA_MASS does not read it.
    pub n: i32,
    /// Values of A^-1, of its diagonal, of A, or of the referential inertia.
    pub values: *const f64,
    /// Sparse: compressed columns. Column j has the values starts[j] <= k < starts[j + 1] in the rows rows[k]; n + 1 values. The
    /// lower triangle is enough; if there are entries above the diagonal, the whole symmetric matrix must be there. Updates
    /// factor A. They keep the factors while the matrix is the same, and the elimination order while the pattern is the same.
    pub starts: *const i32,
    /// Sparse: row of each value, from 0; count values.
    pub rows: *const i32,
    /// Sparse: number of values in rows and in values, equal to starts[n].
    pub count: usize,
    /// LDY_INERTIA_MASS: the mass, positive.
    pub mass: f64,
    /// Function: the inverse callback; A^-1 must be symmetric. Each update calls it once, with three columns for each constraint
    /// on the body, even if nothing has changed. Each vector that is multiplied through bodies needs one more call.
    pub apply_inverse: ldy_apply_inverse,
    /// Function: passed to apply_inverse.
    pub data: *mut c_void,
    /// Function: called with data when the library does not use them any more; NULL: nothing is called. See ldy_release.
    pub release: ldy_release,
}

caller_sized!(ldy_inertia, starts);

/// Insert a body of a kind of its own, for instance a kinematic tree, a mesh or a reduced model. Its constraints are given by
/// operators H.
///
/// - inertia: of any kind but LDY_INERTIA_MASS.
/// - body: where to write the id.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_POSITIVE_DEFINITE if a diagonal entry of A is missing,
/// LDY_ERROR_INVALID_FORMAT if its columns are ill-formed, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, n < 1, the kind
/// is unknown, or values are not finite, not symmetric, or negative on a diagonal. If A is not positive definite, an update
/// returns the error.
///
/// # Safety
/// system comes from ldy_system_create; inertia is NULL or valid and has the bytes that its size says, and its arrays have the
/// sizes given; a callback does as its type says, with data, as long as the body exists.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_body(
    system: *mut ldy_system,
    inertia: *const ldy_inertia,
    body: *mut i64,
) -> c_int {
    entry!(inertia: given_inertia, system: exclusive, body: place => {
        let mut given = inertia;
        let n = given.size()?;
        // SAFETY: the C program promises the arrays of its inertia.
        let made = unsafe { given.inertia(n) }?.map_err(Error::of_new_body)?;
        body.put(system.add_body(n, Kinematics::General, made)? as i64);
    })
}

/// Set the inertia of a body of any kind. For instance, a rigid body can have the inverse of an implicit scheme.
///
/// - inertia: n is the body's number of generalized velocities. LDY_INERTIA_MASS is for rigid and pseudo-rigid bodies.
///
/// If the body has an inertia of the same kind and pattern, the memory is used again.
///
/// Returns the codes of ldy_system_add_body, LDY_ERROR_NOT_FOUND if there is no such body, and LDY_ERROR_INVALID_ARGUMENT also if
/// n is not its number of velocities, it is an obstacle with constraints, or mass or inertia are not positive definite.
///
/// # Safety
/// The conditions of ldy_system_add_body.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_inertia(
    system: *mut ldy_system,
    body: i64,
    inertia: *const ldy_inertia,
) -> c_int {
    entry!(inertia: given_inertia, system: exclusive => {
        let mut given = inertia;
        // SAFETY: the C program promises the arrays of its inertia.
        unsafe { given.set(system, body_id(body)?) }?;
    })
}

/// An inertia from C. If it is dropped before its callback has become part of a body, it releases the callback's data.
pub(super) struct Given {
    fields: ldy_inertia,
    callback: Option<Callback>,
}

/// Read an inertia first of all arguments, so that its callback is released whatever fails later.
///
/// # Safety
/// The conditions of [`sized_const`].
pub(super) unsafe fn given_inertia(name: &str, inertia: *const ldy_inertia) -> Result<Given> {
    // SAFETY: the C program promises a structure with the number of bytes that its size says.
    Ok(Given::read(&unsafe { sized_const(name, inertia) }?))
}

impl Given {
    fn read(inertia: &CallerStruct<ldy_inertia>) -> Self {
        let fields = inertia.read();
        let callback = match fields {
            ldy_inertia { kind: LDY_INERTIA_FUNCTION, apply_inverse, data, release, .. } => {
                Some(Callback::new(apply_inverse, data, release))
            }
            _ => None,
        };
        Self { fields, callback }
    }

    fn size(&self) -> Result<usize> {
        size(self.fields.n)
    }

    /// # Safety
    /// The arrays are NULL or have the lengths that [`ldy_inertia`] says.
    unsafe fn dense(&self, n: usize) -> Result<&[f64]> {
        let count = n.saturating_mul(n);
        // SAFETY: the C program promises n x n values.
        unsafe { values("inertia->values", self.fields.values, count) }
    }

    /// # Safety
    /// The arrays are NULL or have the lengths that [`ldy_inertia`] says.
    unsafe fn sparse(&self, n: usize) -> Result<(&[i32], &[i32], &[f64])> {
        let ldy_inertia { starts, rows, values: entries, count, .. } = self.fields;
        // SAFETY: the C program promises a start for each column, and an end.
        let starts = unsafe { values("inertia->starts", starts, n + 1) }?;
        // SAFETY: the C program promises a row for each value.
        let rows = unsafe { values("inertia->rows", rows, count) }?;
        // SAFETY: the C program promises `count` values.
        Ok((starts, rows, unsafe { values("inertia->values", entries, count) }?))
    }

    /// The inertia for a body with n generalized velocities.
    ///
    /// # Safety
    /// The arrays are NULL or have the lengths that [`ldy_inertia`] says.
    unsafe fn inertia(&mut self, n: usize) -> Result<Checked<Inertia>> {
        if let Some(callback) = self.callback.take() {
            return Ok(Inertia::solver(callback.checked("inertia->apply_inverse")?));
        }
        match self.fields.kind {
            // SAFETY: the C program promises the arrays.
            LDY_INERTIA_DENSE => Ok(Inertia::dense(n, unsafe { self.dense(n) }?)),
            LDY_INERTIA_DIAGONAL => {
                // SAFETY: the C program promises n values.
                Ok(Inertia::diagonal(unsafe { values("inertia->values", self.fields.values, n) }?))
            }
            LDY_INERTIA_SPARSE => {
                // SAFETY: the C program promises the arrays.
                let (starts, rows, values) = unsafe { self.sparse(n) }?;
                Ok(Inertia::matrix(starts, rows, values))
            }
            LDY_INERTIA_MASS => {
                let why = "LDY_INERTIA_MASS is for ldy_system_set_inertia; insert such bodies by ldy_system_add_rigid";
                Err(Error::of_new_body(Fault::Invalid(why)).into())
            }
            kind => Err(invalid!("inertia->kind is {kind}; expected one of LDY_INERTIA_*")),
        }
    }

    /// Set it as the inertia of a body.
    ///
    /// # Safety
    /// The arrays are NULL or have the lengths that [`ldy_inertia`] says.
    unsafe fn set(&mut self, system: &mut System, id: Id) -> Result {
        let dofs = system.body(id)?.dofs();
        if self.fields.kind == LDY_INERTIA_MASS {
            // SAFETY: the C program promises nine values.
            let tensor: &Block = unsafe { array("inertia->values", self.fields.values) }?;
            return Ok(system.set_mass(id, self.fields.mass, tensor)?);
        }
        let n = self.size()?;
        let sizes = Fault::Size { what: "inertia->n", expected: dofs, found: n };
        ensure!(n == dofs, Error::of_body(id, sizes).into());
        match self.fields.kind {
            LDY_INERTIA_DENSE => {
                // SAFETY: the C program promises the arrays.
                system.set_dense(id, n, unsafe { self.dense(n) }?)?;
            }
            LDY_INERTIA_SPARSE => {
                // SAFETY: the C program promises the arrays.
                let (starts, rows, values) = unsafe { self.sparse(n) }?;
                system.set_matrix(id, starts, rows, values)?;
            }
            _ => {
                // SAFETY: the C program promises the arrays.
                let inertia = unsafe { self.inertia(n) }?;
                system.set_inertia(id, inertia.map_err(|fault| Error::of_body(id, fault))?)?;
            }
        }
        Ok(())
    }
}

/// Check the number of generalized velocities of a body.
pub(super) fn size(n: i32) -> Result<usize> {
    let size = usize::try_from(n).ok().filter(|&size| size > 0);
    size.ok_or_else(|| invalid!("n is {n}: a body needs at least one generalized velocity"))
}

/// The program's function as an inverse callback of the core. It releases the data when it is dropped.
pub(super) struct Callback {
    function: Option<unsafe extern "C" fn(i32, i32, *mut f64, *mut c_void) -> c_int>,
    data: *mut c_void,
    release: ldy_release,
}

impl Callback {
    pub(super) fn new(function: ldy_apply_inverse, data: *mut c_void, release: ldy_release) -> Self {
        Self { function, data, release }
    }

    /// Check that there is a function; errors name the argument `name`.
    pub(super) fn checked(self, name: &str) -> Result<Self> {
        if self.function.is_some() { Ok(self) } else { Err(null(name)) }
    }
}

impl Drop for Callback {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the C program promised a function that takes its data; nobody uses the callback any more.
            unsafe { release(self.data) };
        }
    }
}

// SAFETY: only the thread that has called the library calls the functions with their data, as their types say; the core's threads
// share the bodies meanwhile, but do not call their functions.
unsafe impl Send for Callback {}

// SAFETY: only the thread that has called the library calls the functions with their data, as their types say; the core's threads
// share the bodies meanwhile, but do not call their functions.
unsafe impl Sync for Callback {}

impl Solve for Callback {
    fn solve(&self, size: usize, x: &mut [f64]) -> i32 {
        let (Ok(rows), Ok(columns)) = (i32::try_from(size), i32::try_from(x.len() / size)) else {
            return -1;
        };
        let Some(function) = self.function else { return -1 };
        // SAFETY: the C program promised that its function, with this data, does as the type says as long as its bodies exist; x has
        // size times columns values.
        unsafe { function(rows, columns, x.as_mut_ptr(), self.data) }
    }
}
