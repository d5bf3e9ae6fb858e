//! The error codes, which the legacy program defines, and the length of texts.

use std::ffi::c_int;

/// Code in a report of ldy_shadow_check: no error, but the legacy module differs from the library.
pub const LDY_DIFFERS: c_int = -1;
/// Error code: memory exhausted.
pub const LDY_ERROR_OUT_OF_MEMORY: c_int = 1;
/// Error code: a file cannot be opened.
pub const LDY_ERROR_FILE_OPEN: c_int = 2;
/// Error code: a file cannot be written.
pub const LDY_ERROR_FILE_WRITE: c_int = 4;
/// Error code: not in this build or version.
pub const LDY_ERROR_NOT_IMPLEMENTED: c_int = 8;
/// Error code: a diagonal block of W, or a general matrix A, is singular.
pub const LDY_ERROR_SINGULAR: c_int = 15;
/// Error code: a symmetric matrix A is not positive definite.
pub const LDY_ERROR_NOT_POSITIVE_DEFINITE: c_int = 16;
/// Error code: an inverse is missing, of unknown kind, ill-formed or of wrong size.
pub const LDY_ERROR_INVALID_FORMAT: c_int = 20;
/// Error code: the eigenvalue iteration of a diagonal block failed.
pub const LDY_ERROR_EIGENVALUES: c_int = 26;
/// Error code: the local coordinates of a point in its element were not found.
pub const LDY_ERROR_POINT_NOT_IN_ELEMENT: c_int = 47;
/// Error code: NULL or inconsistent argument, unknown kind, non-finite value.
pub const LDY_ERROR_INVALID_ARGUMENT: c_int = 52;
/// Error code: no results, since there was no successful update after the last change.
pub const LDY_ERROR_STALE_RESULTS: c_int = 101;
/// Error code: no such body or constraint.
pub const LDY_ERROR_NOT_FOUND: c_int = 102;
/// Error code: a count is larger than an int can hold, or than memory can be.
pub const LDY_ERROR_TOO_LARGE: c_int = 103;
/// Error code: an iteration did not converge.
pub const LDY_ERROR_NOT_CONVERGED: c_int = 104;

/// Bytes of the text of a report.
pub const LDY_REPORT_TEXT: usize = 512;
