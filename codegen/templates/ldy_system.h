/* ldy_system.h: local dynamics of any system of constrained bodies, U = B + W R
 *
 * Generated: the declarations come from src/system/c_api.rs and src/ffi/codes.rs, the rest from
 * codegen/templates. To change this file, change them and run `make headers`.
 *
 * This header needs no other. A program may include it together with ldy.h and ldy_host.h, the library's interface
 * for one family of programs; this interface is for all others.
 *
 * A system holds bodies and constraints under ids: 0, 1, 2 and so on for each of the two, in the order of
 * insertion, never used again. ldy_system_update makes block-sparse rows of W = h H A^-1 H^T, and B and V. For
 * each body n is the number of its generalized velocities: 6 of a rigid body or obstacle, 12 of a pseudo-rigid
 * one, else as given.
 *
 * Matrices. A matrix in `double x[m*n]` is stored by columns: entry (i,j) is x[m*j+i]. Sparse matrices come in
 * compressed sparse columns, with indices from 0. Arguments are copied.
 *
 * Arguments come in this order: the object, the bodies or constraints that are meant, inputs, outputs. A count comes directly
 * after the array or arrays whose entries it counts. A stride is a number of bytes.
 *
 * Lengths. An array of fixed length has 3 values (a point) or 9 (a matrix). If a length is wrong, the function returns
 * LDY_ERROR_INVALID_ARGUMENT, or for a sparse matrix LDY_ERROR_INVALID_FORMAT, and writes nothing.
 *
 * Rows. A constraint has three rows of scalars, unless ldy_system_add_constraint_rows or ldy_system_add_dof_constraint
 * inserts it with one to six. Arrays with three values a row, such as R, x and y, then have one value for each scalar row,
 * without gaps; ldy_rows has the first index of each constraint.
 *
 * Signs and units. Relative velocities are master minus slave, in the local frame of the constraint. The third axis of a frame is
 * the normal of a contact, and points from the slave to the master: U_N > 0 separates the bodies, R_N > 0 pushes them apart. R is the
 * average force over the step, so that W carries the factor h; with h = 1 R is an impulse. Units are any
 * consistent set.
 *
 * Results belong to the system and are valid until its next change: any function on it without a `const`.
 *
 * Forces. ldy_contact_solver_solve finds the R that obey the laws of constraints, given row by row;
 * ldy_contact_solver_solve_rows does so with any block-sparse W.
 *
 * Errors. A function returns 0 or one of the codes below, and ldy_last_error returns the details, for instance
 *   constraint 12 between bodies 3 and 7: its frame is not finite
 * ldy_strerror has a text for each code, ldy_last_error_info the constraint, body, entry and row by number. In all functions a
 * body or constraint that does not exist is LDY_ERROR_NOT_FOUND, a count that no array can have or that an int cannot hold
 * LDY_ERROR_TOO_LARGE. A function that fails changes nothing, except where it says so. Nothing here exits, jumps, or calls the
 * handler of ldy.h.
 *
 * Threads. A system is used by one thread at a time, different systems by different threads at once. Large
 * systems are updated by several threads if ldy_set_threads allows it; results have the same bits. A thread that calls
 * the library needs a stack of 128 KiB.
 *
 * Structures that the caller allocates begin with their size, which the caller sets before each call:
 *   ldy_rows rows = LDY_ROWS_INIT;
 * The library reads and writes the fields that both it and the caller's header know. It does not change fields that
 * only the caller's header knows. If a size is invalid, such as 0, the function returns LDY_ERROR_INVALID_ARGUMENT and writes
 * nothing.
 *
 * Linking. libldy.a comes after the program's own objects and archives, the system's libraries after it:
 *   cc program.o libldy.a -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc
 */

#ifndef LDY_SYSTEM_H
#define LDY_SYSTEM_H

#include <stddef.h>
#include <stdint.h>

@version@

/* Define LDY_WARN_UNUSED before this header to be warned where the code that a function returns is ignored. */
#if defined (LDY_WARN_UNUSED) && defined (__GNUC__)
#define LDY_RESULT __attribute__ ((warn_unused_result))
#else
#define LDY_RESULT
#endif

#ifdef __cplusplus
extern "C" {
#endif

@codes@

@common@

@system@

/* Initializers of the structures that the caller allocates: the size is set, all else is zero. */
#define LDY_ERROR_INFO_INIT { .size = sizeof (ldy_error_info) }
#define LDY_INERTIA_INIT { .size = sizeof (ldy_inertia) }
#define LDY_MATRIX_INIT { .size = sizeof (ldy_matrix) }
#define LDY_ROWS_INIT { .size = sizeof (ldy_rows) }
#define LDY_CRITICAL_STEP_INIT { .size = sizeof (ldy_critical_step) }
#define LDY_CONTACT_SOLVER_OPTIONS_INIT { .size = sizeof (ldy_contact_solver_options) }
#define LDY_CONTACT_SOLVER_REPORT_INIT { .size = sizeof (ldy_contact_solver_report) }
#define LDY_STABILIZATION_INIT { .size = sizeof (ldy_stabilization) }
#define LDY_FRICTION_CURVE_INIT { .size = sizeof (ldy_friction_curve) }
#define LDY_HUNT_CROSSLEY_INIT { .size = sizeof (ldy_hunt_crossley) }
#define LDY_SYNC_REPORT_INIT { .size = sizeof (ldy_sync_report) }

#ifdef __cplusplus
}
#endif

#endif
