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

#define LDY_VERSION_MAJOR 0
#define LDY_VERSION_MINOR 1
#define LDY_VERSION_PATCH 0
/* 10000 major + 100 minor + patch, see ldy_version_number. */
#define LDY_VERSION_NUMBER 100

/* Define LDY_WARN_UNUSED before this header to be warned where the code that a function returns is ignored. */
#if defined (LDY_WARN_UNUSED) && defined (__GNUC__)
#define LDY_RESULT __attribute__ ((warn_unused_result))
#else
#define LDY_RESULT
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifndef LDY_ERROR_CODES
#define LDY_ERROR_CODES

/* Code in a report of ldy_shadow_check: no error, but the legacy module differs from the library. */
#define LDY_DIFFERS (-1)

enum ldy_error_code {
  /* Error code: memory exhausted. */
  LDY_ERROR_OUT_OF_MEMORY = 1,
  /* Error code: a file cannot be opened. */
  LDY_ERROR_FILE_OPEN = 2,
  /* Error code: a file cannot be written. */
  LDY_ERROR_FILE_WRITE = 4,
  /* Error code: not in this build or version. */
  LDY_ERROR_NOT_IMPLEMENTED = 8,
  /* Error code: a diagonal block of W, or a general matrix A, is singular. */
  LDY_ERROR_SINGULAR = 15,
  /* Error code: a symmetric matrix A is not positive definite. */
  LDY_ERROR_NOT_POSITIVE_DEFINITE = 16,
  /* Error code: an inverse is missing, of unknown kind, ill-formed or of wrong size. */
  LDY_ERROR_INVALID_FORMAT = 20,
  /* Error code: the eigenvalue iteration of a diagonal block failed. */
  LDY_ERROR_EIGENVALUES = 26,
  /* Error code: the local coordinates of a point in its element were not found. */
  LDY_ERROR_POINT_NOT_IN_ELEMENT = 47,
  /* Error code: NULL or inconsistent argument, unknown kind, non-finite value. */
  LDY_ERROR_INVALID_ARGUMENT = 52,
  /* Error code: no results, since there was no successful update after the last change. */
  LDY_ERROR_STALE_RESULTS = 101,
  /* Error code: no such body or constraint. */
  LDY_ERROR_NOT_FOUND = 102,
  /* Error code: a count is larger than an int can hold, or than memory can be. */
  LDY_ERROR_TOO_LARGE = 103,
  /* Error code: an iteration did not converge. */
  LDY_ERROR_NOT_CONVERGED = 104
};

/* Bytes of the text of a report. */
#define LDY_REPORT_TEXT 512

#endif

/* Details of the calling thread's last error: which constraint, which bodies, what was wrong.

   Returns a string owned by the library, valid until the thread's next error; empty if there was none. */
const char *ldy_last_error(void);

/* The meaning of an error code in a few words, for instance "Out of memory"; "Success" for 0. ldy_last_error has the details.

   Returns a string of static lifetime, also for unknown codes. */
const char *ldy_strerror(int code);

/* The library's version, "major.minor.patch": a string of static lifetime. */
const char *ldy_version(void);

/* The library's version as a number: 10000 major + 100 minor + patch. */
LDY_RESULT
int ldy_version_number(void);

/* Describe this library and its settings in one line for logs: version, layouts (serial or MPI), with MPI the name and version of
   the MPI that it was built with, number of threads, vectors in use (AVX2 or plain), target, compiler. For instance
     ldy 0.1.0; layouts: serial; threads: 1; vectors: AVX2; target: x86_64-unknown-linux-gnu; rustc 1.95.0 (59807616e 2026-04-14)

   Returns a string of static lifetime that never changes. If the number of threads or the vectors are set otherwise, later calls
   return another string. After more than eight such settings in a process, the string does not contain them. Never raises. */
const char *ldy_build_info(void);

/* Set how many threads updates may use, from 1, which is the default, to 1024.

   Without a call, the environment variable LDY_NUM_THREADS sets the number. The setting holds for the whole process,
   from the next update on; updates of few constraints use one thread in any case. Results are bit-identical for any
   number of threads. The first update that uses threads starts them, and they are parked between updates. There are
   fewer threads if the system has no more threads or no memory. They compute in the floating-point mode of the thread
   that updates. If several threads of the host update at the same time, one of them uses the library's threads, and the
   others continue alone. A forked child has one thread until it sets another number.
   Returns 0. If n is out of range, the function returns LDY_ERROR_INVALID_ARGUMENT and changes nothing. Never raises. */
LDY_RESULT
int ldy_set_threads(int n);

/* How many threads updates may use, as ldy_set_threads or LDY_NUM_THREADS has set it. */
LDY_RESULT
int ldy_threads(void);

/* End the library's threads and release their memory, for instance before the host exits or is unloaded.

   While an update in another thread uses the threads, the function waits, at most for one stage of that update. An
   inverse callback may call it during an update, which then continues without threads; so may a function that jumps out
   of a callback. If a signal handler calls it in one of the library's threads, it does nothing. The library can be used
   afterwards: the next update that uses threads starts them again. Never raises. */
void ldy_shutdown(void);

/* The id of the ground, for a constraint that has a body on one side only. */
#define LDY_GROUND (-1)

/* A system: bodies, constraints between them, and the results of the last update, U = B + W R. One thread at a time may use it. */
typedef struct ldy_system ldy_system;

/* Create a system without bodies.

   - system: where to write it. Destroy it with ldy_system_destroy.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if system is NULL.

   Safety:
   system is NULL or valid. */
LDY_RESULT
int ldy_system_create(ldy_system **system);

/* Copy a system: bodies, constraints, and everything that was set, under the same ids. The copy has no results. After an update it
   has bit-identical results.

   - clone: where to write the copy. Destroy it with ldy_system_destroy.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or a body has an inverse callback, which
   cannot be copied.

   Safety:
   system comes from ldy_system_create; clone is NULL or valid. */
LDY_RESULT
int ldy_system_clone(const ldy_system *system,
                     ldy_system **clone);

/* Destroy a system with all its bodies and constraints; NULL is allowed.

   Safety:
   system is NULL or comes from ldy_system_create, and is not used afterwards. */
void ldy_system_destroy(ldy_system *system);


/* The last error of a thread as numbers; ldy_last_error has its text. */
typedef struct {
  /* sizeof (ldy_error_info), set by the caller before the call. */
  size_t size;
  /* The code, one of LDY_ERROR_*; 0: there was no error. */
  int32_t code;
  /* The id of the constraint, or -1. A constraint that was to be inserted has the id that it would have had. */
  int64_t constraint;
  /* The id of the body, or -1. */
  int64_t body;
  /* The index of the entry in a call for many bodies or constraints, from 0, or -1. */
  int64_t entry;
  /* The index of the row of an ldy_rows, from 0, or -1. */
  int64_t row;
} ldy_error_info;

/* Write which constraint, body, entry and row the calling thread's last error concerns. The call is not an error itself.

   - info: where to write it; set its size.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if info is NULL or its size is wrong.

   Safety:
   info is NULL or valid and has the bytes that its size says. */
LDY_RESULT
int ldy_last_error_info(ldy_error_info *info);

enum ldy_inertia_kind {
  /* A kind of inertia: values has A^-1, n x n, symmetric. */
  LDY_INERTIA_DENSE = 1,
  /* A kind of inertia: values has the diagonal of A^-1, n values, none negative. */
  LDY_INERTIA_DIAGONAL = 2,
  /* A kind of inertia: starts, rows, values and count have the sparse matrix A, symmetric positive definite. */
  LDY_INERTIA_SPARSE = 3,
  /* A kind of inertia: an inverse callback applies A^-1. */
  LDY_INERTIA_FUNCTION = 4,
  /* A kind of inertia: mass and values, the referential inertia of a rigid body or the Euler tensor of a pseudo-rigid body about
     the mass center, 3 x 3. ldy_system_set_inertia alone takes it. */
  LDY_INERTIA_MASS = 5
};

/* An inverse callback: a function of the program that replaces x by A^-1 x.

   - size: number of values of a column.
   - columns: number of columns.
   - x: size x columns values, column after column without gaps; in: x, out: A^-1 x.
   - data: the pointer that was given with the callback.

   Returns 0, or any other value if it failed. The thread that calls the library calls it. It must not use the system that calls
   it, and must not leave by longjmp or an exception. */
typedef int (*ldy_apply_inverse)(int32_t size, int32_t columns, double *x, void *data);

/* A function of the program that releases the data of a callback, for instance free. The library calls it once, when it does not
   use the callback any more: when its last body is removed or gets another inertia, when the system is destroyed, or before the
   function that got the callback returns an error. */
typedef void (*ldy_release)(void *data);

/* The inertia of a body, copied by the functions that take it. Set size and kind, then the fields that the kind reads; the
   others are zero. */
typedef struct {
  /* sizeof (ldy_inertia), set by the caller before the call. */
  size_t size;
  /* One of LDY_INERTIA_DENSE, LDY_INERTIA_DIAGONAL, LDY_INERTIA_SPARSE, LDY_INERTIA_FUNCTION, LDY_INERTIA_MASS. */
  int32_t kind;
  /* Number of generalized velocities, at least 1. LDY_INERTIA_MASS does not read it. */
  int32_t n;
  /* Values of A^-1, of its diagonal, of A, or of the referential inertia. */
  const double *values;
  /* Sparse: compressed columns. Column j has the values starts[j] <= k < starts[j + 1] in the rows rows[k]; n + 1 values. The
     lower triangle is enough; if there are entries above the diagonal, the whole symmetric matrix must be there. Updates
     factor A. They keep the factors while the matrix is the same, and the elimination order while the pattern is the same. */
  const int32_t *starts;
  /* Sparse: row of each value, from 0; count values. */
  const int32_t *rows;
  /* Sparse: number of values in rows and in values, equal to starts[n]. */
  size_t count;
  /* LDY_INERTIA_MASS: the mass, positive. */
  double mass;
  /* Function: the inverse callback; A^-1 must be symmetric. Each update calls it once, with three columns for each constraint
     on the body, even if nothing has changed. Each vector that is multiplied through bodies needs one more call. */
  ldy_apply_inverse apply_inverse;
  /* Function: passed to apply_inverse. */
  void *data;
  /* Function: called with data when the library does not use them any more; NULL: nothing is called. See ldy_release. */
  ldy_release release;
} ldy_inertia;

/* Insert a body of a kind of its own, for instance a kinematic tree, a mesh or a reduced model. Its constraints are given by
   operators H.

   - inertia: of any kind but LDY_INERTIA_MASS.
   - body: where to write the id.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_POSITIVE_DEFINITE if a diagonal entry of A is missing,
   LDY_ERROR_INVALID_FORMAT if its columns are ill-formed, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, n < 1, the kind
   is unknown, or values are not finite, not symmetric, or negative on a diagonal. If A is not positive definite, an update
   returns the error.

   Safety:
   system comes from ldy_system_create; inertia is NULL or valid and has the bytes that its size says, and its arrays have the
   sizes given; a callback does as its type says, with data, as long as the body exists. */
LDY_RESULT
int ldy_system_add_body(ldy_system *system,
                        const ldy_inertia *inertia,
                        int64_t *body);

/* Set the inertia of a body of any kind. For instance, a rigid body can have the inverse of an implicit scheme.

   - inertia: n is the body's number of generalized velocities. LDY_INERTIA_MASS is for rigid and pseudo-rigid bodies.

   If the body has an inertia of the same kind and pattern, the memory is used again.

   Returns the codes of ldy_system_add_body, LDY_ERROR_NOT_FOUND if there is no such body, and LDY_ERROR_INVALID_ARGUMENT also if
   n is not its number of velocities, it is an obstacle with constraints, or mass or inertia are not positive definite.

   Safety:
   The conditions of ldy_system_add_body. */
LDY_RESULT
int ldy_system_set_inertia(ldy_system *system,
                           int64_t body,
                           const ldy_inertia *inertia);

enum ldy_velocity_kind {
  /* A velocity: the free velocity, the velocity after the step if there were no reactions. B = H times this velocity. */
  LDY_VELOCITY_FREE = 0,
  /* A velocity: the previous velocity, the velocity before the step. V = H times this velocity. */
  LDY_VELOCITY_PREVIOUS = 1
};

enum ldy_system_option_kind {
  /* An option: accept frames and rotations that are not orthonormal, for instance for axes that carry units. A new system refuses
     them. */
  LDY_OPTION_ANY_AXES = 1,
  /* An option: replace frames and rotations of single precision, orthonormal to within 1e-5, by the closest orthonormal matrix. A
     new system refuses a matrix that is not orthonormal to within 1e-8. */
  LDY_OPTION_ORTHONORMALIZE = 2
};

/* Insert a rigid body. Its generalized velocity has 6 values: angular velocity in the referential frame (the body's own axes),
   then velocity of the mass center.

   - mass: positive.
   - inertia: referential inertia about the mass center, 3 x 3, symmetric positive definite.
   - rotation: from the reference configuration to the current one, 3 x 3, column-major, orthonormal.
   - center: referential mass center, 3 values.
   - body: where to write the id.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a value is not finite, mass or
   inertia is not positive definite, or the rotation is not orthonormal to within 1e-8.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_system_add_rigid(ldy_system *system,
                         double mass,
                         const double *inertia,
                         const double *rotation,
                         const double *center,
                         int64_t *body);

/* Insert a pseudo-rigid body. Its generalized velocity has 12 values: rate of the deformation gradient row by row, then velocity
   of the mass center.

   - mass: positive.
   - euler: referential Euler tensor about the mass center, 3 x 3, symmetric positive definite.
   - center: referential mass center, 3 values.
   - body: where to write the id.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a value is not finite, or mass or
   Euler tensor is not positive definite.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_system_add_pseudo_rigid(ldy_system *system,
                                double mass,
                                const double *euler,
                                const double *center,
                                int64_t *body);

/* Insert an obstacle: a body with prescribed motion. Its points move as the points of a rigid body. A^-1 = 0, so that it
   contributes to B and V but couples no constraints in W.

   - rotation: from the reference configuration to the current one, 3 x 3, column-major, orthonormal.
   - center: referential center, 3 values.
   - body: where to write the id.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a value is not finite, or the
   rotation is not orthonormal to within 1e-8.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_system_add_obstacle(ldy_system *system,
                            const double *rotation,
                            const double *center,
                            int64_t *body);

/* Insert several bodies with a shared inverse callback, for instance the kinematic trees of a simulator that applies M^-1 to all
   of them at once. Their constraints are given by operators H.

   - sizes: number of generalized velocities of each body, count values, at least 1 each.
   - apply_inverse: the inverse callback. A column has the velocities of all bodies, in the order of sizes, without gaps.
   - data: passed to the callback.
   - release: called with data when the library does not use them any more; NULL: nothing is called. See ldy_release.
   - bodies: where to write the ids, count consecutive numbers.

   A^-1 must be symmetric and block-diagonal by body; entries that couple bodies are ignored. So one column holds a right-hand
   side for each body. The number of columns is three for each constraint on the body with the most constraints. Columns are zero
   at a body that needs fewer, or that has left.

   The callback is called once in each update in which a constraint acts on one of the bodies, more than once if its columns
   would take more than 64 MB. Each vector that is multiplied through bodies needs one more call. If it fails, the function that
   called it returns LDY_ERROR_SINGULAR, and the text names the first of the bodies that constraints act on.

   You use each body as any other, with its own velocity. You may remove it or set another inertia; then it leaves the callback,
   whose columns keep their length. The library uses apply_inverse and data until the last body has
   left.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there are no bodies, a size is below
   1, or an int cannot hold the number of all velocities. After an error no body is inserted.

   Safety:
   system comes from ldy_system_create; sizes and bodies are NULL or have count values; apply_inverse does as its type says, with
   data, until the last body has left; release takes data. */
LDY_RESULT
int ldy_system_add_model(ldy_system *system,
                         const int32_t *sizes,
                         size_t count,
                         ldy_apply_inverse apply_inverse,
                         void *data,
                         ldy_release release,
                         int64_t *bodies);

/* Remove a body.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if system is NULL or a constraint acts
   on it.

   Safety:
   system comes from ldy_system_create. */
LDY_RESULT
int ldy_system_remove_body(ldy_system *system,
                           int64_t body);

/* Set the rotation of a rigid body or an obstacle.

   - rotation: 3 x 3, column-major, orthonormal.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, it is of
   another kind, or the rotation is not finite or not orthonormal to within 1e-8.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_system_set_rotation(ldy_system *system,
                            int64_t body,
                            const double *rotation);

/* Set a generalized velocity of a body.

   - which: LDY_VELOCITY_FREE or LDY_VELOCITY_PREVIOUS.
   - velocity: count values.
   - count: number of its generalized velocities.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count or which
   is wrong, or a value is not finite.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_system_set_velocity(ldy_system *system,
                            int64_t body,
                            int32_t which,
                            const double *velocity,
                            size_t count);

/* Return a generalized velocity of a body, as it was set, or as ldy_system_apply_reactions has changed the free velocity.

   - which: LDY_VELOCITY_FREE or LDY_VELOCITY_PREVIOUS.
   - velocity: where to write it, count values.
   - count: number of its generalized velocities.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, or count or
   which is wrong.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_system_velocity(const ldy_system *system,
                        int64_t body,
                        int32_t which,
                        double *velocity,
                        size_t count);

/* Set an option of a system, for all calls from now on.

   - option: LDY_OPTION_ANY_AXES or LDY_OPTION_ORTHONORMALIZE.
   - value: 0: off, as in a new system; any other value: on.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if system is NULL or the option is unknown.

   Safety:
   system comes from ldy_system_create. */
LDY_RESULT
int ldy_system_set_option(ldy_system *system, int32_t option, int32_t value);

/* Return an option of a system.

   - value: where to write 0 or 1.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or the option is unknown.

   Safety:
   system comes from ldy_system_create; value is NULL or valid. */
LDY_RESULT
int ldy_system_option(const ldy_system *system, int32_t option, int32_t *value);


/* Insert a constraint between points of rigid bodies, pseudo-rigid bodies or obstacles: U = E^T (velocity of the master's point
   - velocity of the slave's point).

   - master, slave: ids; one of them may be LDY_GROUND.
   - frame: E, 3 x 3, column-major, orthonormal. Its columns are the local axes. The third one is the normal of a contact: it
     points from the slave to the master, so that U_N > 0 separates the bodies, and R_N > 0 pushes them apart.
     ldy_frame_from_normal makes a frame.
   - master_point, slave_point: referential points, 3 values each; not read for the ground.
   - constraint: where to write the id.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if a body does not exist, or LDY_ERROR_INVALID_ARGUMENT if an argument
   is NULL, a body has no points, a value is not finite, or the frame is not orthonormal to within 1e-8 (unless an option accepts
   it, see ldy_system_set_option).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_system_add_point_constraint(ldy_system *system,
                                    int64_t master,
                                    int64_t slave,
                                    const double *frame,
                                    const double *master_point,
                                    const double *slave_point,
                                    int64_t *constraint);

/* Insert a contact with moments between points of rigid bodies or obstacles, for LDY_LAW_ROLLING_CONTACT. The first three rows are
   the rows of ldy_system_add_point_constraint. The rows after them are relative angular velocities, master minus slave, about axes
   of this frame.

   - rows: 4: then about the third axis, the normal. 5: about the first and the second, the tangents. 6: about all three.
   - master, slave, frame, master_point, slave_point: as in ldy_system_add_point_constraint.
   - constraint: where to write the id.

   The constraint has operators H, which an update makes from the rotations of the bodies. The frame stays in the world when bodies
   turn. ldy_system_move_constraint gives the contact another frame and other points; ldy_system_set_operators refuses it.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if a body does not exist, or LDY_ERROR_INVALID_ARGUMENT if rows is not 4,
   5 or 6, an argument is NULL, a body is not rigid, both bodies are the same or the ground, a value is not finite, or the frame
   is not orthonormal to within 1e-8 (unless an option accepts it).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_system_add_rolling_contact(ldy_system *system,
                                   int32_t rows,
                                   int64_t master,
                                   int64_t slave,
                                   const double *frame,
                                   const double *master_point,
                                   const double *slave_point,
                                   int64_t *constraint);

/* Remove a constraint. Later rows move up; the ids of other constraints do not change.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if system is NULL.

   Safety:
   system comes from ldy_system_create. */
LDY_RESULT
int ldy_system_remove_constraint(ldy_system *system,
                                 int64_t constraint);

/* Set frame and points of a constraint that was inserted with points, or of a contact with moments; as in
   ldy_system_add_point_constraint.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, it has
   operators, a value is not finite, or the frame is not orthonormal.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_system_move_constraint(ldy_system *system,
                               int64_t constraint,
                               const double *frame,
                               const double *master_point,
                               const double *slave_point);


/* An operator H of a constraint with m rows, with a column for each of the n generalized velocities of its body. It has one of
   three forms:

   - Dense: starts and rows are NULL, and values has m n values, column-major. Zero columns are not stored and cost nothing.
   - Sparse: column j has the values starts[j] <= k < starts[j + 1] in the rows rows[k], which are below m. starts has n + 1
     values, rows and values have starts[n].
   - By nodes, with three rows, for a mesh with three generalized velocities per node: the columns of node a are N_a Q. starts is
     NULL. values has Q, 3 x 3 and column-major, then a weight N for each of count - 9 nodes. rows has these nodes, counted from
     0 and ascending. This is the fastest form if all constraints on the body have it, and the body has a sparse matrix A or a
     diagonal inverse inertia. */
typedef struct {
  /* Number of columns. */
  int32_t n;
  /* Index of the first entry of each column, then the number of entries; NULL: dense or by nodes. */
  const int32_t *starts;
  /* Row of each entry, or node of each weight; NULL: dense. */
  const int32_t *rows;
  /* The entries, or Q and the weights. */
  const double *values;
  /* Number of values. */
  size_t count;
} ldy_operator;

/* Insert a constraint of m rows on several bodies by operators H: U = sum of H u over the bodies. The operators contain the
   signs.

   - m: 1 to 6.
   - bodies: count different ids. One of one or two may be LDY_GROUND, and with three rows two may be the same body: H is the sum
     then.
   - H: an operator for each body, copied, see ldy_operator. The ground's operator is not read.
   - count: 1 to 16.
   - constraint: where to write the id.

   A limit, motor or friction loss of a joint has one row, a planar contact two, a contact or point three, a weld six. A gear or
   tendon has one row on all its bodies. Constraints of one or two rows on the same bodies in the same order share memory and
   work. Vectors have m values for a constraint of m rows, see ldy_rows.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if a body does not exist, or LDY_ERROR_INVALID_ARGUMENT if an argument
   is NULL, m or count is out of range, a body is there twice, or an operator is ill-formed or not finite.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_system_add_constraint_rows(ldy_system *system,
                                   int32_t m,
                                   const int64_t *bodies,
                                   const ldy_operator *H,
                                   size_t count,
                                   int64_t *constraint);

/* Insert a constraint of one row on one generalized velocity of a body: a limit, motor or friction loss of a joint. The
   constraint is the same as one that ldy_system_add_constraint_rows inserts.

   - dof: index of the velocity, from 0.
   - coefficient: U is coefficient times the velocity, for instance 1, or -1 for an upper limit.
   - constraint: where to write the id.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument
   is NULL, the body has no such velocity, or coefficient is not finite.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_system_add_dof_constraint(ldy_system *system,
                                  int64_t body,
                                  int32_t dof,
                                  double coefficient,
                                  int64_t *constraint);

/* Set the operators of a constraint that was inserted by operators, one for each of its bodies in the order of its insertion.

   - H: count operators, as in ldy_system_add_constraint_rows. The number of rows does not change.
   - count: number of its bodies, without the ground.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an
   argument is NULL, it has points, count is wrong, or an operator is ill-formed or not finite.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_system_set_operators(ldy_system *system,
                             int64_t constraint,
                             const ldy_operator *H,
                             size_t count);

/* Set the compliance of a constraint of m rows. Updates add it to the diagonal block of W; they do not multiply it by h.

   - compliance: m x m values, column-major, symmetric positive semidefinite; or the m values of a diagonal, none negative.
   - count: m^2, m, or 0 for no compliance.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an
   argument is NULL, count is wrong, or the compliance is not finite, not symmetric or not positive semidefinite.

   Safety:
   system comes from ldy_system_create; compliance is NULL or has count values. */
LDY_RESULT
int ldy_system_set_compliance(ldy_system *system,
                              int64_t constraint,
                              const double *compliance,
                              size_t count);

/* Return the compliance of a constraint of m rows.

   - compliance: where to write m x m values, column-major; zeros if it has none.
   - count: m^2.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count
   is wrong.

   Safety:
   system comes from ldy_system_create; compliance is NULL or has count values. */
LDY_RESULT
int ldy_system_compliance(const ldy_system *system,
                          int64_t constraint,
                          double *compliance,
                          size_t count);

/* Return the largest eigenvalue of the diagonal block of each constraint.

   - values: where to write count values, in the order of rows; NaN for a block where none is found.
   - count: number of constraints.

   Returns 0, LDY_ERROR_STALE_RESULTS if there was no successful update since the last change, or LDY_ERROR_INVALID_ARGUMENT if
   an argument is NULL or count is wrong.

   Safety:
   system comes from ldy_system_create; values is NULL or has count values. */
LDY_RESULT
int ldy_system_block_eigenvalues(const ldy_system *system,
                                 double *values,
                                 size_t count);

/* Write W as compressed scalar rows, the format of scipy.sparse.csr_matrix and of many solvers in C. Constraints may have any
   number of rows.

   - starts: where to write the index of the first entry of each scalar row, then the number of entries.
   - start_count: number of scalar rows + 1, ldy_rows.scalars + 1.
   - columns, values: where to write the entries, count values each, row by row. Columns count from 0 and ascend within a row.
   - count: number of entries, ldy_rows.entries.

   W is symmetric to the bit, so that the result is also W as compressed columns.

   Returns 0, LDY_ERROR_STALE_RESULTS if there was no successful update since the last change, or LDY_ERROR_INVALID_ARGUMENT if
   an argument is NULL, a count is wrong, or an int cannot hold the number of entries.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_system_csr(const ldy_system *system,
                   int32_t *starts,
                   size_t start_count,
                   int32_t *columns,
                   double *values,
                   size_t count);

enum ldy_axes_kind {
  /* A joint by axes: the bodies turn about the third axis. Three rows of the point, two of the relative angular velocity, across the
     axis. */
  LDY_AXES_HINGE = 1,
  /* A joint by axes: the bodies slide along the third axis. Two rows of the point, across the axis, three of the relative angular
     velocity. */
  LDY_AXES_SLIDER = 2,
  /* A joint by axes: the first axis of the master stays perpendicular to the second axis of the slave. Three rows of the point, one of
     the relative angular velocity, along the cross product of these axes. If they are parallel, this row is zero. */
  LDY_AXES_UNIVERSAL = 3,
  /* A joint by axes: the bodies are one. Three rows of the point, three of the relative angular velocity. */
  LDY_AXES_WELD = 4,
  /* A joint by axes: a limit, motor or friction of a hinge. One row of the relative angular velocity, about the third axis. */
  LDY_AXES_HINGE_LIMIT = 5,
  /* A joint by axes: a limit, motor or friction of a slider. One row of the point, along the third axis. */
  LDY_AXES_SLIDER_LIMIT = 6
};

/* Insert a joint between rigid bodies or obstacles by axes and points. It is a constraint with 1 to 6 rows, whose operators H the
   library makes: an update makes them again if the rotation of a body has changed.

   U is the relative velocity, master minus slave, in the axes of the master, which turn with it. The rows are in the order that the
   constant of the kind names, each in the order of the axes.

   - kind: one of LDY_AXES_HINGE, LDY_AXES_SLIDER, LDY_AXES_UNIVERSAL, LDY_AXES_WELD, LDY_AXES_HINGE_LIMIT, LDY_AXES_SLIDER_LIMIT.
   - master, slave: ids; one of them may be LDY_GROUND.
   - master_frame, slave_frame: 3 x 3, column-major, orthonormal. The columns are the axes of the joint in the referential frame of
     the body, or in the world for the ground.
   - master_point, slave_point: the referential point of the joint, or its place in the world for the ground, 3 values each.
   - joint: where to write the id, the id of a constraint.

   A law of bounds without limits (LDY_LAW_FIXED) holds a joint. A limit or motor is a second constraint with the same frames and
   points. ldy_system_joint_error returns the errors for the bias of laws. ldy_system_set_operators refuses a joint.

   If the positions of its bodies are known (ldy_system_set_positions), the rows of the point are the velocities at the place of the
   slave's point. Otherwise both points count as one place. A slider whose bodies turn needs positions before each update, because its
   points are apart. Other joints work without them.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, the kind is unknown, a body is not rigid,
   both bodies are the same or the ground, a value is not finite, or a frame is not orthonormal to within 1e-8 (unless an option
   accepts it, see ldy_system_set_option). Returns LDY_ERROR_NOT_FOUND if a body does not exist.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_system_add_joint(ldy_system *system,
                         int32_t kind,
                         int64_t master,
                         int64_t slave,
                         const double *master_frame,
                         const double *master_point,
                         const double *slave_frame,
                         const double *slave_point,
                         int64_t *joint);

/* Compute the errors of a joint, one for each row, from the rotations and the positions of its bodies (ldy_system_set_positions).

   - A row of the point: the component of master's point - slave's point in the axes of the master.
   - A row of the angular velocity: the component of the rotation vector from the slave's axes to the master's, in radians. For a
     hinge it is the sine of the angle, so that the hinge may turn by any angle; for a universal joint the cosine of the angle between
     its axes.
   - A limit: the angle, from -pi to pi, or the distance of the points along the axis.

   While the errors are small, their rates are the velocities U. A law with the bias erp error / h removes the share erp in a step.

   - joint: id of a joint by axes.
   - errors: where to write them; count is the number of rows.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, the constraint
   is not a joint by axes, the position of a body was never set, count is wrong, or an error is not finite. After an error nothing is
   written.

   Safety:
   system comes from ldy_system_create; errors is NULL or has count values. */
LDY_RESULT
int ldy_system_joint_error(const ldy_system *system,
                           int64_t joint,
                           double *errors,
                           size_t count);


/* A view of a matrix in the memory of the program, dense or in compressed sparse rows. Nothing is copied. Set size, rows,
   columns and values, then the fields that differ from zero.

   The fields starts, counts, indices, values of a sparse matrix are efc_J_rowadr, efc_J_rownnz, efc_J_colind, efc_J of MuJoCo,
   or indptr, NULL, indices, data of a scipy.sparse.csr_matrix with sorted indices. */
typedef struct {
  /* sizeof (ldy_matrix), set by the caller before the call. */
  size_t size;
  /* Number of rows. */
  size_t rows;
  /* Number of columns. */
  size_t columns;
  /* Dense: entry (i, j) is i row_stride + j column_stride bytes after the first one; values between entries are not read.
     Sparse: the entries, count values. */
  const double *values;
  /* Dense: bytes from one row to the next, a multiple of 8. If both strides are 0, rows follow each other without gaps
     (row-major). */
  size_t row_stride;
  /* Dense: bytes from one column to the next, a multiple of 8. */
  size_t column_stride;
  /* Sparse: index of the first entry of each row. It has rows values, or rows + 1 if counts is NULL. NULL: the matrix is
     dense. */
  const int32_t *starts;
  /* Sparse: number of entries of each row. NULL: a row ends where the next one begins. */
  const int32_t *counts;
  /* Sparse: column of each entry, ascending within a row; count values. */
  const int32_t *indices;
  /* Sparse: number of values in indices and values. */
  size_t count;
} ldy_matrix;

/* Insert many constraints as the rows of a Jacobian J, for instance the J of a robotics simulator. The function inserts all
   constraints or none.

   The columns of J are the generalized velocities of the bodies, one body after the other. The rows of J are the rows of the
   constraints, one constraint after the other. A constraint acts on the bodies whose columns contain a nonzero of its rows, at
   most 16. If all its entries are zero, it acts on the first body. The result is as if ldy_system_add_constraint_rows were
   called with these bodies in this order.

   - bodies: body_count different ids.
   - heights: number of rows of each of the count constraints, 1 to 6.
   - J: its rows are the sum of heights, its columns the sum of the numbers of velocities.
   - constraint: where to write the id of the first constraint; the others have the following ids.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if a body does not exist, or LDY_ERROR_INVALID_ARGUMENT if an argument
   is NULL, a body is there twice, J is ill-formed or has a wrong shape, a constraint has too many or too few rows or too many
   bodies, or a value is not finite. After an error nothing has changed. The text names a bad constraint by its position in
   heights, counted from 0.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the lengths given; J is NULL or valid, and its arrays have the
   lengths that it says. */
LDY_RESULT
int ldy_system_add_jacobian(ldy_system *system,
                            const int64_t *bodies,
                            size_t body_count,
                            const int32_t *heights,
                            size_t count,
                            const ldy_matrix *J,
                            int64_t *constraint);

/* Set the operators of many constraints from the rows of a Jacobian J. The function sets all of them or none.

   The columns of J are the generalized velocities of the bodies, one body after the other. The rows of J are the rows of the
   constraints, one constraint after the other. The result is as if ldy_system_set_operators were called for each constraint.
   Operators on bodies that are not in the list do not change. A nonzero must be in a column of a body that its constraint acts
   on. Operators by nodes cannot be set in this way.

   - bodies: body_count different ids.
   - constraints: count different ids.
   - J: as in ldy_system_add_jacobian.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if a body or a constraint does not exist, or
   LDY_ERROR_INVALID_ARGUMENT

   - if an argument is NULL, a body or a constraint is there twice, or J is ill-formed or has a wrong shape;
   - if a constraint has points or operators by nodes, or acts on none of the bodies or on one body twice;
   - if a value is not finite, or a nonzero is in a column of a body that its constraint does not act on.

   After an error nothing has changed. The text names a bad constraint by its position in constraints, counted from 0.

   Safety:
   The conditions of ldy_system_add_jacobian. */
LDY_RESULT
int ldy_system_set_jacobian(ldy_system *system,
                            const int64_t *bodies,
                            size_t body_count,
                            const int64_t *constraints,
                            size_t count,
                            const ldy_matrix *J);


/* Set the regularization mu of all constraints that exist now: from the next update on, all functions use W + diag (mu) instead
   of W.

   - mu: in the units of W, none negative. 0 removes the regularization.
   - count: 1 (one value for all), the number of constraints, or the number of scalar rows.

   mu is added to W in addition to compliances, and replaces the previous regularization. A constraint that is inserted later has
   none.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, or a value is negative or not finite. After
   an error nothing has changed.

   Safety:
   system comes from ldy_system_create; mu is NULL or has count values. */
LDY_RESULT
int ldy_system_set_regularization(ldy_system *system,
                                  const double *mu,
                                  size_t count);

/* Return the regularization of all constraints.

   - mu: where to write a value for each scalar row, in the order of rows.
   - count: number of scalar rows.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is wrong.

   Safety:
   system comes from ldy_system_create; mu is NULL or has count values. */
LDY_RESULT
int ldy_system_regularization(const ldy_system *system, double *mu, size_t count);

/* Return the tags of all constraints. No update is needed.

   - tags: where to write them, in the order of rows.
   - count: number of constraints.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is wrong.

   Safety:
   system comes from ldy_system_create; tags is NULL or has count values. */
LDY_RESULT
int ldy_system_tags(const ldy_system *system, uint64_t *tags, size_t count);

/* Store the reactions of all constraints for a warm start.

   Each reaction remains with its constraint when other constraints are inserted, removed or moved. ldy_system_stored_reactions
   returns them in the order that rows have then: an initial guess for the contact solver. No update is needed, and results do
   not depend on stored reactions.

   - R: three values for each constraint, in the order of rows.
   - count: number of values.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, or a value is not finite. After an error
   nothing has changed.

   Safety:
   system comes from ldy_system_create; R is NULL or has count values. */
LDY_RESULT
int ldy_system_store_reactions(ldy_system *system,
                               const double *R,
                               size_t count);

/* Return the stored reactions of all constraints; they are zero for a new constraint.

   - R: where to write three values for each constraint, in the order of rows.
   - count: number of values.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is wrong.

   Safety:
   system comes from ldy_system_create; R is NULL or has count values. */
LDY_RESULT
int ldy_system_stored_reactions(const ldy_system *system, double *R, size_t count);


/* Insert many constraints at points, as ldy_system_add_point_constraint inserts one. The function inserts all of them or none.

   In this function and the following ones each array has count entries. Its stride is the number of BYTES from the beginning of
   one entry to the next, a multiple of 8, so that entries may be members of your structures. If the stride of an array that is
   read is 0, its first entry is used for all. An int must be able to number the entries. If an entry is refused, nothing
   changes, and the text has its index, counted from 0.

   - masters, slaves: an id each, or LDY_GROUND. slaves NULL: all slaves are the ground. bodies_stride: for both.
   - frames: 9 values each.
   - master_points, slave_points: 3 values each; not read for the ground, and NULL is allowed if all of them are the ground.
     points_stride: for both.
   - constraint: where to write the id of the first constraint; the others have the following ids.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not a multiple of 8, or
   ldy_system_add_point_constraint refuses an entry.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
LDY_RESULT
int ldy_system_add_point_constraints(ldy_system *system,
                                     const int64_t *masters,
                                     const int64_t *slaves,
                                     size_t bodies_stride,
                                     const double *frames,
                                     size_t frames_stride,
                                     const double *master_points,
                                     const double *slave_points,
                                     size_t points_stride,
                                     size_t count,
                                     int64_t *constraint);

/* Set frames and points of many constraints at points, and their bodies unless masters is NULL. The function sets all of them or
   none.

   Constraints keep their rows, ids, compliances, tags and reactions. If bodies change, the next update recomputes these bodies,
   as after constraints are inserted and removed.

   - constraints: an id each.
   - masters, slaves, frames, master_points, slave_points and their strides: as in ldy_system_add_point_constraints. masters
     NULL: bodies do not change, and slaves is not read.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an
   argument is NULL, a stride is not a multiple of 8, it has operators, or ldy_system_add_point_constraint refuses an entry.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
LDY_RESULT
int ldy_system_move_constraints(ldy_system *system,
                                const int64_t *constraints,
                                size_t constraints_stride,
                                const int64_t *masters,
                                const int64_t *slaves,
                                size_t bodies_stride,
                                const double *frames,
                                size_t frames_stride,
                                const double *master_points,
                                const double *slave_points,
                                size_t points_stride,
                                size_t count);

/* Return frames and points of many constraints, as they were given.

   - constraints: an id each.
   - frames: where to write 9 values each.
   - master_points, slave_points: where to write 3 values each; for the ground, the given values or zero.

   Each of the three results may be NULL: not wanted.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if another argument is NULL, a
   stride is not a multiple of 8 or less than an entry, or it has operators. After an error nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and do not overlap. */
LDY_RESULT
int ldy_system_point_frames(const ldy_system *system,
                            const int64_t *constraints,
                            size_t constraints_stride,
                            double *frames,
                            size_t frames_stride,
                            double *master_points,
                            double *slave_points,
                            size_t points_stride,
                            size_t count);

/* Set the compliances of many constraints, as ldy_system_set_compliance sets one. The function sets all of them or none.

   - constraints: an id each.
   - compliances: n values each: m^2 or m for constraints of m rows, or 0 for no compliance.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride
   is not a multiple of 8, or ldy_system_set_compliance refuses an entry.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
LDY_RESULT
int ldy_system_set_compliances(ldy_system *system,
                               const int64_t *constraints,
                               size_t constraints_stride,
                               const double *compliances,
                               size_t compliances_stride,
                               size_t n,
                               size_t count);

/* Set the tags of constraints: a tag is any number by which the program finds a constraint again. The function sets all of them
   or none.

   The tag of a new constraint is 0. It remains until the constraint is removed. Results do not depend on it.

   - constraints: an id each.
   - tags: a tag each.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or a
   stride is not a multiple of 8.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
LDY_RESULT
int ldy_system_set_tags(ldy_system *system,
                        const int64_t *constraints,
                        size_t constraints_stride,
                        const uint64_t *tags,
                        size_t tags_stride,
                        size_t count);

/* Remove many constraints, as ldy_system_remove_constraint removes one. The function removes all of them or none.

   - constraints: count different ids.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride
   is not a multiple of 8, or an id is there twice.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
LDY_RESULT
int ldy_system_remove_constraints(ldy_system *system,
                                  const int64_t *constraints,
                                  size_t constraints_stride,
                                  size_t count);

/* Remove many bodies, as ldy_system_remove_body removes one. The function removes all of them or none.

   - bodies: count different ids.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not
   a multiple of 8, a constraint acts on a body, or an id is there twice.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
LDY_RESULT
int ldy_system_remove_bodies(ldy_system *system,
                             const int64_t *bodies,
                             size_t bodies_stride,
                             size_t count);

/* Set velocities of many bodies, as ldy_system_set_velocity sets one. The function sets all of them or none.

   - which: LDY_VELOCITY_FREE or LDY_VELOCITY_PREVIOUS.
   - bodies: an id each.
   - n: number of generalized velocities, the same for all of these bodies.
   - velocities: n values each.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not
   a multiple of 8, n is not its number of velocities, or a value is not finite.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
LDY_RESULT
int ldy_system_set_velocities(ldy_system *system,
                              int32_t which,
                              const int64_t *bodies,
                              size_t bodies_stride,
                              const double *velocities,
                              size_t velocities_stride,
                              size_t n,
                              size_t count);

/* Return velocities of many bodies, as ldy_system_velocity returns one.

   - which: LDY_VELOCITY_FREE or LDY_VELOCITY_PREVIOUS.
   - bodies: an id each.
   - n: number of generalized velocities, the same for all of these bodies.
   - velocities: where to write n values each.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not
   a multiple of 8 or less than an entry, or n is not its number of velocities. After an error nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and do not overlap. */
LDY_RESULT
int ldy_system_velocities(const ldy_system *system,
                          int32_t which,
                          const int64_t *bodies,
                          size_t bodies_stride,
                          double *velocities,
                          size_t velocities_stride,
                          size_t n,
                          size_t count);

/* Set the rotations of many rigid bodies or obstacles, 9 values each, as ldy_system_set_rotation sets one. The function sets all
   of them or none.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not
   a multiple of 8, or ldy_system_set_rotation refuses an entry.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
LDY_RESULT
int ldy_system_set_rotations(ldy_system *system,
                             const int64_t *bodies,
                             size_t bodies_stride,
                             const double *rotations,
                             size_t rotations_stride,
                             size_t count);

/* Return the rotations of many rigid bodies or obstacles.

   - bodies: an id each.
   - rotations: where to write 9 values each.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not
   a multiple of 8 or less than an entry, or it is of another kind. After an error nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and do not overlap. */
LDY_RESULT
int ldy_system_rotations(const ldy_system *system,
                         const int64_t *bodies,
                         size_t bodies_stride,
                         double *rotations,
                         size_t rotations_stride,
                         size_t count);


/* Set where the mass centers of rigid bodies and obstacles are in the world. The function sets all of them or none. A new body has
   no position.

   ldy_system_body_point, ldy_system_contact_frames and ldy_system_joint_error use positions, and so do updates for joints by axes.
   Nothing else depends on them. If you use one of these, set positions whenever the bodies have moved, as rotations.

   - bodies: an id each.
   - positions: 3 values each.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not a
   multiple of 8, a body is of another kind, or a value is not finite.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
LDY_RESULT
int ldy_system_set_positions(ldy_system *system,
                             const int64_t *bodies,
                             size_t bodies_stride,
                             const double *positions,
                             size_t positions_stride,
                             size_t count);

/* Return the positions of rigid bodies and obstacles, as they were set.

   - bodies: an id each.
   - positions: where to write 3 values each.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not a
   multiple of 8 or less than an entry, a body is of another kind, or its position was never set. After an error nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and do not overlap. */
LDY_RESULT
int ldy_system_positions(const ldy_system *system,
                         const int64_t *bodies,
                         size_t bodies_stride,
                         double *positions,
                         size_t positions_stride,
                         size_t count);

/* Compute frames and points of contacts from normals and places in the world, for ldy_system_sync_constraints,
   ldy_system_add_point_constraints or ldy_system_move_constraints.

   The bodies are rigid bodies or obstacles whose positions are set (ldy_system_set_positions). Both points of a contact are at its
   place. Frames are those of ldy_frame_from_normal.

   - masters, slaves: an id each, or LDY_GROUND. slaves NULL: all slaves are the ground. bodies_stride: for both.
   - normals: the direction from the slave to the master, of any length, 3 values each.
   - places: where the contact is in the world, 3 values each.
   - frames: where to write 9 values each.
   - master_points, slave_points: where to write 3 values each, for the ground the place. points_stride: for both.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument other than slaves is NULL, a
   stride is not a multiple of 8 or less than an entry that is written, a body is of another kind or has no position, a normal is
   zero, or a value is not finite. After an error nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and those that are
   written overlap nothing. */
LDY_RESULT
int ldy_system_contact_frames(const ldy_system *system,
                              const int64_t *masters,
                              const int64_t *slaves,
                              size_t bodies_stride,
                              const double *normals,
                              size_t normals_stride,
                              const double *places,
                              size_t places_stride,
                              double *frames,
                              size_t frames_stride,
                              double *master_points,
                              double *slave_points,
                              size_t points_stride,
                              size_t count);

/* Compute referential points of many rigid bodies or obstacles, as ldy_system_body_point computes one.

   - bodies: an id each. A body may occur several times.
   - places: 3 values each.
   - points: where to write 3 values each.

   Returns the codes of ldy_system_body_point, or LDY_ERROR_INVALID_ARGUMENT if a stride is not a multiple of 8 or less than an entry
   that is written. After an error nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and points overlaps
   nothing. */
LDY_RESULT
int ldy_system_body_points(const ldy_system *system,
                           const int64_t *bodies,
                           size_t bodies_stride,
                           const double *places,
                           size_t places_stride,
                           double *points,
                           size_t points_stride,
                           size_t count);

/* Compute angular velocities of many rigid bodies or obstacles in their referential frames, as ldy_system_body_angular_velocity
   computes one.

   - bodies: an id each.
   - world: 3 values each.
   - referential: where to write 3 values each.

   Returns the codes of ldy_system_body_angular_velocity, or LDY_ERROR_INVALID_ARGUMENT if a stride is not a multiple of 8 or less
   than an entry that is written. After an error nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and referential
   overlaps nothing. */
LDY_RESULT
int ldy_system_body_angular_velocities(const ldy_system *system,
                                       const int64_t *bodies,
                                       size_t bodies_stride,
                                       const double *world,
                                       size_t world_stride,
                                       double *referential,
                                       size_t referential_stride,
                                       size_t count);

/* Compute angular velocities of many rigid bodies or obstacles in the world frame, as ldy_system_world_angular_velocity computes
   one.

   - bodies: an id each.
   - referential: 3 values each, for instance the first three values of velocities.
   - world: where to write 3 values each.

   Returns the codes of ldy_system_body_angular_velocities. After an error nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and world overlaps
   nothing. */
LDY_RESULT
int ldy_system_world_angular_velocities(const ldy_system *system,
                                        const int64_t *bodies,
                                        size_t bodies_stride,
                                        const double *referential,
                                        size_t referential_stride,
                                        double *world,
                                        size_t world_stride,
                                        size_t count);

/* Compute the gyroscopic terms of many rigid bodies, as ldy_gyroscopic_change computes one.

   - inertias: 9 values each. inertias_stride 0: the first is for all.
   - spins: 3 values each, for instance the first three values of velocities.
   - h: the step.
   - changes: where to write 3 values each.

   Returns the codes of ldy_gyroscopic_change, or LDY_ERROR_INVALID_ARGUMENT if a stride is not a multiple of 8 or less than an entry
   that is written. After an error nothing is written, and the text names the entry.

   Safety:
   Arrays are NULL or have count entries of the sizes and strides given, and changes overlaps nothing. */
LDY_RESULT
int ldy_gyroscopic_changes(const double *inertias,
                           size_t inertias_stride,
                           const double *spins,
                           size_t spins_stride,
                           double h,
                           double *changes,
                           size_t changes_stride,
                           size_t count);

/* Compute the rotations of many rigid bodies after a step, as ldy_advance_rotation computes one.

   - rotations: 9 values each.
   - before, after: 3 values each, for instance the first three values of velocities. spins_stride: for both.
   - h: the step.
   - turned: where to write 9 values each.

   Returns the codes of ldy_advance_rotation, or LDY_ERROR_INVALID_ARGUMENT if a stride is not a multiple of 8 or less than an entry
   that is written. After an error nothing is written, and the text names the entry.

   Safety:
   Arrays are NULL or have count entries of the sizes and strides given, and turned overlaps nothing. */
LDY_RESULT
int ldy_advance_rotations(const double *rotations,
                          size_t rotations_stride,
                          const double *before,
                          const double *after,
                          size_t spins_stride,
                          double h,
                          double *turned,
                          size_t turned_stride,
                          size_t count);

enum ldy_body_kind {
  /* A kind of body: inserted by ldy_system_add_rigid. */
  LDY_BODY_RIGID = 1,
  /* A kind of body: inserted by ldy_system_add_pseudo_rigid. */
  LDY_BODY_PSEUDO_RIGID = 2,
  /* A kind of body: inserted by ldy_system_add_obstacle. */
  LDY_BODY_OBSTACLE = 3,
  /* A kind of body: inserted by ldy_system_add_body or ldy_system_add_model; its constraints are given by operators. */
  LDY_BODY_GENERAL = 4
};

/* Remove all bodies and constraints. Options stay, and ids are not used again.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if system is NULL.

   Safety:
   system comes from ldy_system_create. */
LDY_RESULT
int ldy_system_clear(ldy_system *system);

/* Return the number of bodies, without the ground; 0 if system is NULL.

   Safety:
   system is NULL or comes from ldy_system_create. */
size_t ldy_system_body_count(const ldy_system *system);

/* Return the number of constraints, the number of rows of W; 0 if system is NULL.

   Safety:
   system is NULL or comes from ldy_system_create. */
size_t ldy_system_constraint_count(const ldy_system *system);

/* Return the ids of all bodies in the order of insertion.

   - bodies: where to write them.
   - count: ldy_system_body_count.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is wrong.

   Safety:
   system comes from ldy_system_create; bodies is NULL or has count values. */
LDY_RESULT
int ldy_system_bodies(const ldy_system *system, int64_t *bodies, size_t count);

/* Return the ids of all constraints in the order of insertion, which is the order of rows of W.

   - constraints: where to write them.
   - count: ldy_system_constraint_count.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is wrong.

   Safety:
   system comes from ldy_system_create; constraints is NULL or has count values. */
LDY_RESULT
int ldy_system_constraints(const ldy_system *system, int64_t *constraints, size_t count);

/* Return the kind of a body and its number of generalized velocities.

   - kind: where to write LDY_BODY_RIGID, LDY_BODY_PSEUDO_RIGID, LDY_BODY_OBSTACLE or LDY_BODY_GENERAL; NULL: not wanted.
   - n: where to write the number of its generalized velocities; NULL: not wanted.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if system is NULL.

   Safety:
   system comes from ldy_system_create; kind and n are NULL or valid. */
LDY_RESULT
int ldy_system_body(const ldy_system *system,
                    int64_t body,
                    int32_t *kind,
                    int32_t *n);

/* Return the bodies of a constraint and its number of rows.

   - bodies: where to write up to capacity ids in the order of insertion; LDY_GROUND for the ground of a constraint on one body.
   - capacity: number of values of bodies; 0 to get the counts alone.
   - body_count: where to write the number of ids, also if it is above capacity; NULL: not wanted.
   - m: where to write the number of rows, 1 to 6; NULL: not wanted.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL.

   Safety:
   system comes from ldy_system_create; bodies is NULL or has capacity values; body_count and m are NULL or valid. */
LDY_RESULT
int ldy_system_constraint(const ldy_system *system,
                          int64_t constraint,
                          int64_t *bodies,
                          size_t capacity,
                          size_t *body_count,
                          int32_t *m);


/* Compute the referential point of a rigid body or an obstacle from its place in the world: X = X_center + rotation^T (place -
   position). ldy_system_contact_frames computes frames and points of contacts at once.

   - place: where the point is now, 3 values.
   - point: where to write X, 3 values.

   Rotation and position are those in the system, see ldy_system_set_rotation and ldy_system_set_positions.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, it is of
   another kind, its position was never set, or a value is not finite. After an error nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have 3 values. */
LDY_RESULT
int ldy_system_body_point(const ldy_system *system,
                          int64_t body,
                          const double *place,
                          double *point);

/* Compute the referential point of a pseudo-rigid body from its place in the world: X = X_center + F^-1 (place - center).

   - gradient: F, the current deformation gradient, 3 x 3, column-major. The system does not store it. Generalized velocities
     have its rate row by row, so that an F that is stored row by row must be transposed.
   - center: where the mass center is now, 3 values.
   - place: where the point is now, 3 values.
   - point: where to write X, 3 values.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, it is of
   another kind, a value is not finite, or F is singular to working precision. After an error nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_system_pseudo_rigid_point(const ldy_system *system,
                                  int64_t body,
                                  const double *gradient,
                                  const double *center,
                                  const double *place,
                                  double *point);

/* Compute the angular velocity of a rigid body or an obstacle in the referential frame, the frame of generalized velocities,
   from its angular velocity in the world frame: rotation^T world.

   - world: 3 values.
   - referential: where to write the result, 3 values; it may be world.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, it is of
   another kind, or a value is not finite. After an error nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have 3 values. */
LDY_RESULT
int ldy_system_body_angular_velocity(const ldy_system *system,
                                     int64_t body,
                                     const double *world,
                                     double *referential);

/* Compute the angular velocity of a rigid body or an obstacle in the world frame from its angular velocity in the referential
   frame: rotation referential.

   - referential: 3 values.
   - world: where to write the result, 3 values; it may be referential.

   Returns the codes of ldy_system_body_angular_velocity. After an error nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have 3 values. */
LDY_RESULT
int ldy_system_world_angular_velocity(const ldy_system *system,
                                      int64_t body,
                                      const double *referential,
                                      double *world);

/* Compute the gyroscopic term: the change of the angular velocity of a rigid body in a step without a torque. Add it to the free
   velocity, together with h A^-1 times the forces. It needs no system.

   The method is by Simo and Wong (International Journal for Numerical Methods in Engineering 31, 1991): J spin_1 = exp (-theta)
   J spin with theta = h (spin + spin_1) / 2. It keeps the energy and the length of the angular momentum to rounding for any h.
   To first order the change is -h J^-1 (spin x J spin). If the body turns by more than a radian, the step is divided into equal
   parts. ldy_advance_rotation computes the corresponding rotation.

   - inertia: J, 3 x 3, as in ldy_system_add_rigid.
   - spin: the angular velocity in the referential frame, 3 values.
   - h: the step.
   - change: where to write spin_1 - spin, 3 values; it may be spin.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or not finite, J is singular, or the body turns by more than
   about 4000 radians in the step. Then nothing is written.

   Safety:
   inertia is NULL or has 9 values, spin and change are NULL or have 3. */
LDY_RESULT
int ldy_gyroscopic_change(const double *inertia,
                          const double *spin,
                          double h,
                          double *change);

/* Compute the rotation of a rigid body after a step: rotation exp (h (before + after) / 2). Needs no system.

   If after = before + change, with the change of ldy_gyroscopic_change, the angular momentum in the world, rotation J spin,
   remains the same to rounding, as long as the body turns by at most a radian in the step. If forces change the spin, too, after
   is the spin with their change.

   - rotation: 3 x 3, from the reference to now.
   - before, after: the angular velocity in the referential frame at the beginning and at the end of the step, 3 values each.
   - h: the step.
   - turned: where to write the result, 9 values; it may be rotation.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or not finite. Then nothing is written.

   Safety:
   Arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_advance_rotation(const double *rotation,
                         const double *before,
                         const double *after,
                         double h,
                         double *turned);

/* Compute a frame from a normal: orthonormal, its third column has the direction of the normal, and the others are any tangents.

   The tangents depend on the normal alone. They turn by a right angle or more where the third component of the normal changes
   its sign; ldy_system_sync_constraints then turns the stored reaction.

   - normal: from the slave to the master, of any length, 3 values.
   - frame: where to write the frame, 3 x 3, column-major.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, or the normal is zero or not finite. Then nothing is written.

   Safety:
   normal is NULL or has 3 values, frame is NULL or has 9. */
LDY_RESULT
int ldy_frame_from_normal(const double *normal,
                          double *frame);


/* The results of an update. All arrays belong to the system and are valid until its next change.

   Row k is the k-th constraint in the order of insertion, without removed ones: if a constraint is removed, later rows move up.
   Blocks and vectors are in local frames. Two rows have at most one common block, even if they share several bodies. The block
   exists if they share a body that is no obstacle, even if the block is zero. */
typedef struct {
  /* sizeof (ldy_rows), set by the caller before the call. */
  size_t size;
  /* Number of rows, n. */
  int32_t rows;
  /* Number of blocks, including diagonal blocks. */
  int32_t blocks;
  /* Row k has the blocks starts[k] <= i < starts[k + 1]; n + 1 values. */
  const int32_t *starts;
  /* Column of each block, ascending within a row. */
  const int32_t *columns;
  /* The blocks of W, 3 x 3 and column-major, nine values each without gaps. W is symmetric bit for bit: block (b, a)
     is the transpose of block (a, b). */
  const double *values;
  /* Free local velocities, H times the free velocity; three values for each row. */
  const double *B;
  /* Previous local velocities, H times the previous velocity; three values for each row. */
  const double *V;
  /* Copies of the diagonal blocks, nine values for each row. */
  const double *diagonal;
  /* Inverses of the diagonal blocks, nine values for each row; NaN where a block is singular to working precision, see
     ldy_system_check_inverses. */
  const double *inverse;
  /* Id of each row's constraint. */
  const int64_t *constraints;
  /* NULL if each constraint has three scalar rows; then the sizes above hold. Else the index of the first scalar row of each
     row, n + 1 values. Row k has m = scalar_starts[k + 1] - scalar_starts[k] values of B, V and R, from scalar_starts[k] on. */
  const int32_t *scalar_starts;
  /* NULL, or the index of the first value of each block in values; blocks + 1 values. The block of row a and column b is m_a x
     m_b, column-major. */
  const size_t *value_starts;
  /* NULL, or the index of the first of the m x m values of each row in diagonal and inverse; n + 1 values. */
  const size_t *diagonal_starts;
  /* Number of scalar rows, 3 n or the last value of scalar_starts: the number of values of B, V and R. */
  size_t scalars;
  /* Number of values of all blocks. */
  size_t entries;
  /* Number of blocks in columns of other processes, which are not among these; see ldy_locdyn_rows_external. 0 elsewhere. */
  size_t external;
} ldy_rows;

/* Assemble W = h H A^-1 H^T + compliance, B, V, the diagonal blocks and their inverses, theory (62)-(69).

   - h: the time step, positive and finite.

   The function computes only what has changed since the last successful update; the functions of this header record changes. The
   results are bit-identical to the results of a new system. After an error, or with another h, everything is computed. Inverse
   callbacks are called in each update.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or

   - LDY_ERROR_SINGULAR if an inverse callback failed;
   - LDY_ERROR_NOT_POSITIVE_DEFINITE if a matrix A is not positive definite;
   - LDY_ERROR_INVALID_ARGUMENT if system is NULL, h is not positive and finite, an int cannot hold the number of constraints or
     blocks, or V, B or a block of W is not finite, because numbers are too large or an inverse callback returned them. For a
     block between two constraints the text names both.

   If system is NULL or h is refused, nothing changes, and the results of the last update remain. After any other error there are
   no results, and bodies and constraints have not changed. You can change them and update again; the results are then
   bit-identical to the results of a system that had no error.

   Safety:
   system comes from ldy_system_create. */
LDY_RESULT
int ldy_system_update(ldy_system *system,
                      double h);

/* Return the results of the last update.

   - rows: where to write them; set its size. See ldy_rows.

   Returns 0, LDY_ERROR_STALE_RESULTS if there was no successful update since the last change, or LDY_ERROR_INVALID_ARGUMENT if
   an argument is NULL or rows->size is wrong (or too small for scalar_starts if a constraint has other than three rows).

   Safety:
   system comes from ldy_system_create; rows is NULL or valid, and has the bytes that its size says. */
LDY_RESULT
int ldy_system_results(const ldy_system *system,
                       ldy_rows *rows);

/* Check that each diagonal block has an inverse.

   Returns 0, LDY_ERROR_SINGULAR if one is singular (ldy_last_error names the first), LDY_ERROR_STALE_RESULTS if there was no
   successful update since the last change, or LDY_ERROR_INVALID_ARGUMENT if system is NULL.

   Safety:
   system comes from ldy_system_create. */
LDY_RESULT
int ldy_system_check_inverses(const ldy_system *system);

/* Return the row of a constraint.

   - row: where to write its index, from 0.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, LDY_ERROR_STALE_RESULTS if there was no update since a
   constraint or a body was inserted or removed, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_system_row_of(const ldy_system *system,
                      int64_t constraint,
                      int32_t *row);

enum ldy_multiply_flags {
  /* A flag of ldy_system_multiply: compute h H A^-1 H^T x + compliance x body by body, without the blocks of W. */
  LDY_MULTIPLY_THROUGH_BODIES = 1
};

/* Compute y = W x for one or several vectors. Since the last update only velocities may have changed.

   - x, y: the vectors, one value for each scalar row; they do not overlap.
   - x_stride, y_stride: bytes from the beginning of one vector to the next, a multiple of 8, at least 8 count. Not read for one
     vector.
   - count: number of scalar rows.
   - columns: number of vectors.
   - flags: 0: from the blocks of W; one call for several vectors is faster than a call for each, and bit-identical.
     LDY_MULTIPLY_THROUGH_BODIES: body by body; an inverse callback is called once for each vector.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY (not if all constraints have three rows and flags is 0), LDY_ERROR_SINGULAR if an inverse
   callback failed, LDY_ERROR_STALE_RESULTS if there was no such update, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL,
   count or flags is wrong, or a stride is too short. After LDY_ERROR_OUT_OF_MEMORY or LDY_ERROR_SINGULAR y is unspecified.

   Safety:
   system comes from ldy_system_create; x and y have the sizes given and do not overlap. */
LDY_RESULT
int ldy_system_multiply(const ldy_system *system,
                        const double *x,
                        size_t x_stride,
                        double *y,
                        size_t y_stride,
                        size_t count,
                        size_t columns,
                        int32_t flags);

/* Compute y = W x for any rows, one or several vectors. For the rows of a system in which all constraints have three rows, the
   result is bit-identical with ldy_system_multiply.

   - rows: size, rows, blocks, starts, columns, values, scalar_starts and value_starts are read, as ldy_system_results sets them.
     The last two are both NULL or both not NULL. W need not be symmetric. External blocks have no part in the product.
   - x, y, x_stride, y_stride, count, columns: as in ldy_system_multiply.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, a stride is too short, or the rows are
   ill-formed; the text names the row. After an error nothing is written.

   Safety:
   rows is NULL or valid and has the bytes that its size says, and its arrays have the lengths that it says; x and y have the
   sizes given and overlap nothing. */
LDY_RESULT
int ldy_rows_multiply(const ldy_rows *rows,
                      const double *x,
                      size_t x_stride,
                      double *y,
                      size_t y_stride,
                      size_t count,
                      size_t columns);

/* Compute the generalized force H^T R of all constraints on a body. Since the last update only velocities may have changed.

   - R: count values, one for each scalar row.
   - force: where to write it, force_count values.
   - force_count: number of generalized velocities of the body.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if there is no such body,
   LDY_ERROR_STALE_RESULTS if there was no such update, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or a count is wrong.

   Safety:
   system comes from ldy_system_create; R and force have the sizes given and do not overlap. */
LDY_RESULT
int ldy_system_constraint_force(const ldy_system *system,
                                int64_t body,
                                const double *R,
                                size_t count,
                                double *force,
                                size_t force_count);

/* Compute the generalized forces of many bodies, as ldy_system_constraint_force computes one, and faster than one by one.

   - bodies: an id each.
   - R: R_count values, one for each scalar row.
   - forces: where to write n values each.
   - n: number of generalized velocities, the same for all of these bodies.

   Returns the codes of ldy_system_constraint_force, or LDY_ERROR_INVALID_ARGUMENT if a stride is not a multiple of 8 or less than an
   entry that is written. After an error nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes and strides given, and forces overlaps nothing. */
LDY_RESULT
int ldy_system_constraint_forces(const ldy_system *system,
                                 const int64_t *bodies,
                                 size_t bodies_stride,
                                 const double *R,
                                 size_t R_count,
                                 double *forces,
                                 size_t forces_stride,
                                 size_t n,
                                 size_t count);

/* Add h A^-1 H^T R to the free velocity of each body, theory (50). The result is the velocity at the end of the step.

   Since the last update only velocities may have changed. The rows need another update after it.

   - R: count values, three for each row.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_SINGULAR if an inverse callback failed, LDY_ERROR_STALE_RESULTS if there was no
   such update, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, or R or a resulting velocity is not finite.
   After an error no velocity has changed.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_system_apply_reactions(ldy_system *system,
                               const double *R,
                               size_t count);

/* Estimate the largest eigenvalue of W, with compliances, by the Lanczos method on the blocks of W.

   - tolerance: the iteration ends when the residual is below tolerance times the value; for instance 1e-3.
   - max_products: limit for the number of products with W. One product is always made.
   - value: where to write the estimate. It never exceeds the largest eigenvalue, except by rounding.
   - residual: where to write the residual; NULL: not wanted.

   W has an eigenvalue within residual of value. It is the largest one, unless the start vector (fixed, pseudo-random) is almost
   orthogonal to its eigenvector. The error of value is then about residual^2 / distance to the next eigenvalue.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, tolerance is not a number, W has
   changed since the last update, or a product with W is not finite.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_system_spectral_radius(const ldy_system *system,
                               double tolerance,
                               int32_t max_products,
                               double *value,
                               double *residual);


/* A Cholesky factor of W + diag (mu), with memory that is used again. While the pattern of W is the same, the elimination order
   is kept. The factor does not depend on the system or rows it was computed from. One thread at a time may use it. */
typedef struct ldy_factor ldy_factor;

/* Create a factor. It is empty until ldy_factor_compute or ldy_factor_compute_rows succeeds.

   - factor: where to write it. Destroy it with ldy_factor_destroy.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if factor is NULL.

   Safety:
   factor is NULL or valid. */
LDY_RESULT
int ldy_factor_create(ldy_factor **factor);

/* Destroy a factor; NULL is allowed.

   Safety:
   factor is NULL or comes from ldy_factor_create, and is not used afterwards. */
void ldy_factor_destroy(ldy_factor *factor);

/* Factor W + diag (mu) for the W of the last update of a system. Since that update only velocities may have changed.

   - mu: in the units of W. It is added in addition to compliances and ldy_system_set_regularization.
   - count: 0 (no mu), 1 (one value for all), the number of rows, or the number of scalar rows.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or

   - LDY_ERROR_NOT_POSITIVE_DEFINITE if the matrix is not positive definite or is singular to working precision, which means a
     pivot below 1e-13 of its diagonal entry. The text names the constraint of the first such pivot in the elimination order; see
     ldy_rows_redundant.
   - LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, mu is not finite, or there was no such update.

   After an error the factor is empty.

   Safety:
   factor comes from ldy_factor_create, system from ldy_system_create; mu is NULL or has count values. */
LDY_RESULT
int ldy_factor_compute(ldy_factor *factor,
                       const ldy_system *system,
                       const double *mu,
                       size_t count);

/* Factor W + diag (mu) for any rows. W is symmetric; only its upper triangle is read.

   - rows: size, rows, blocks, starts, columns, values, scalar_starts and value_starts are read, as ldy_system_results sets them.
     The last two are both NULL or both not NULL.
   - mu, count: as in ldy_factor_compute.

   Returns the codes of ldy_factor_compute, and LDY_ERROR_INVALID_ARGUMENT also if the rows are ill-formed or not finite. The
   text names the row. After an error the factor is empty.

   Safety:
   factor comes from ldy_factor_create; rows is NULL or valid and has the bytes that its size says, and its arrays have the
   lengths that it says; mu is NULL or has count values. */
LDY_RESULT
int ldy_factor_compute_rows(ldy_factor *factor,
                            const ldy_rows *rows,
                            const double *mu,
                            size_t count);

/* Replace each of several vectors x by (W + diag (mu))^-1 x.

   - x: the vectors, one value for each scalar row; in and out.
   - stride: bytes from the beginning of one vector to the next, a multiple of 8, at least 8 count. Not read for one vector.
   - count: number of scalar rows.
   - columns: number of vectors.

   The result for a vector is bit-identical for any number of other vectors. Returns 0, LDY_ERROR_OUT_OF_MEMORY, or
   LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, stride is too short, or the factor is empty. After an error
   x has not changed.

   Safety:
   factor comes from ldy_factor_create; x has all values of its vectors. */
LDY_RESULT
int ldy_factor_solve(ldy_factor *factor,
                     double *x,
                     size_t stride,
                     size_t count,
                     size_t columns);

/* Return the natural logarithm of the determinant of W + diag (mu).

   - value: where to write it.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or the factor is empty.

   Safety:
   factor comes from ldy_factor_create; value is NULL or valid. */
LDY_RESULT
int ldy_factor_log_determinant(const ldy_factor *factor, double *value);


/* Find the scalar rows of a symmetric W that depend on earlier ones. There forces are not unique, and a constraint is redundant
   if all its scalar rows are dependent. W includes compliances and regularization.

   - rows: for instance the results of a system. size, rows, blocks, starts, columns, values, scalar_starts and value_starts are
     read, as ldy_system_results sets them; scalar_starts and value_starts are both NULL or both not NULL.
   - tolerance: a row is dependent if the squared sine of the angle between its row of H and the span of other rows, in the
     metric of A^-1, is below this value. 0: 1e-10.
   - redundant: where to write count flags: 1 for a dependent scalar row, else 0.
   - count: number of scalar rows, ldy_rows.scalars.
   - dimension: where to write the number of dependent scalar rows, the dimension of the null space of W. NULL: not wanted.

   If several rows are nearly dependent, rounding decides which of them are reported, but not how many. If a squared sine is near
   the tolerance, the result is approximate: the function reports the last row whose coefficient in the dependence is above 1e-5
   times the largest.

   Rows that are connected through bodies are one dense problem: n^3 operations and up to 8 n^2 bytes for n scalar rows.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_POSITIVE_DEFINITE if W is indefinite, or LDY_ERROR_INVALID_ARGUMENT if an
   argument is NULL, count is wrong, the tolerance is not between 0 and 1, or the rows are ill-formed or not finite. The text
   names the row.

   Safety:
   rows is NULL or valid and has the bytes that its size says, and its arrays have the lengths that it says; redundant is NULL or
   has count values. */
LDY_RESULT
int ldy_rows_redundant(const ldy_rows *rows,
                       double tolerance,
                       int32_t *redundant,
                       size_t count,
                       int32_t *dimension);

enum ldy_file_format {
  /* A format of files: MatrixMarket coordinate format, text with 15 significant digits. */
  LDY_FILE_FORMAT_MATRIX_MARKET = 1,
  /* A format of files: NumPy archive for scipy.sparse.load_npz, all digits, at most 4 GiB. The matrix has block-sparse rows (bsr),
     or scalar rows (csr) if a constraint has other than three rows. */
  LDY_FILE_FORMAT_NPZ = 2
};

/* Write W to a file.

   - rows: for instance the results of a system. size, rows, blocks, starts, columns, values, scalar_starts and value_starts are
     read, as ldy_system_results sets them; scalar_starts and value_starts are both NULL or both not NULL. External blocks are not
     written.
   - path: a C string.
   - format: LDY_FILE_FORMAT_MATRIX_MARKET or LDY_FILE_FORMAT_NPZ.

   The file is written beside an old one of this name, as .ldy-PROCESS-NUMBER, and replaces it when it is complete: after an
   error the old file is as it was. Devices, pipes, links, files of other users, files with several names and files in a folder
   that takes no new ones are written in place; after LDY_ERROR_FILE_WRITE they have the part that was written.

   Returns 0, LDY_ERROR_FILE_OPEN if the file cannot be opened, LDY_ERROR_FILE_WRITE if it cannot be written, or
   LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, the format is unknown, or the rows are ill-formed. The text names the row.

   Safety:
   rows is NULL or valid and has the bytes that its size says, and its arrays have the lengths that it says; path is NULL or a C
   string. */
LDY_RESULT
int ldy_rows_write(const ldy_rows *rows,
                   const char *path,
                   int32_t format);

enum ldy_joint_kind {
  /* A kind of joint: it keeps the distance between its points. The vector from the slave's point to the master's point has the
     direction of the normal. */
  LDY_JOINT_LINK = 1,
  /* A kind of joint: it keeps its points together. */
  LDY_JOINT_FIXED_POINT = 2,
  /* A kind of joint: a contact whose axes do not turn. */
  LDY_JOINT_CONTACT = 3,
  /* A kind of joint: a contact on a face of the master, whose axes turn with the master. */
  LDY_JOINT_CONTACT_ON_MASTER = 4,
  /* A kind of joint: a contact on a face of the slave, whose axes turn with the slave. */
  LDY_JOINT_CONTACT_ON_SLAVE = 5,
  /* A kind of joint: a constraint by operators, with any number of rows, whose operators do not change when bodies move. Limits
     and motors of generalized coordinates are such constraints. It has no geometric stiffness. Constraints by operators have no
     other kind. */
  LDY_JOINT_CONSTANT_OPERATORS = 6
};

/* A flag of ldy_system_critical_step: only motions that the constraints leave free count. This is the step that is observed in
   simulations; without the flag the step is safe but may be shorter.

   M^-1 is replaced by its projection N = M^-1 - M^-1 J^T (J M^-1 J^T)^+ J M^-1. J has one row for a link or a contact, along its
   normal, three rows for a fixed point, and all rows of a constraint by operators. Rows of J may be linearly dependent. For a
   contact that sticks the true limit is longer, because only its normal counts as constrained. Matrices are dense: use it for up
   to some thousand generalized velocities. */
#define LDY_CRITICAL_STEP_FREE_MOTIONS 1

/* The quantity that a constraint keeps constant. It determines how the constraint's force changes when bodies move. */
typedef struct {
  /* One of LDY_JOINT_LINK, LDY_JOINT_FIXED_POINT, LDY_JOINT_CONTACT, LDY_JOINT_CONTACT_ON_MASTER, LDY_JOINT_CONTACT_ON_SLAVE,
     LDY_JOINT_CONSTANT_OPERATORS. */
  int32_t kind;
  /* For LDY_JOINT_LINK, the distance of its points, positive. Other kinds do not read it. */
  double length;
} ldy_joint;

/* The result of ldy_system_critical_step. */
typedef struct {
  /* sizeof (ldy_critical_step), set by the caller before the call. */
  size_t size;
  /* omega^2, the largest eigenvalue of M^-1 K; zero if it is not positive, for instance if nothing is in tension. */
  double omega_squared;
  /* The critical step 2 / omega; infinite if omega^2 is zero. */
  double step;
  /* The id of the constraint that contributes most to omega^2; -1 if omega^2 is zero. */
  int64_t constraint;
  /* Its share. The shares of all constraints sum to 1. */
  double share;
} ldy_critical_step;

/* Compute y = K x with the geometric stiffness K of the reactions R: if bodies move by x, the generalized forces of the
   constraints change by -K x.

   Only rigid bodies and obstacles turn axes. No update is needed.

   - joints: joint_count joints, one for each row: LDY_JOINT_CONSTANT_OPERATORS for a constraint by operators, another kind for a
     constraint at points.
   - R: R_count values, three for each row (one for each scalar row), as in U = B + W R. So a link under tension has R_N < 0.
   - x, y: a value for each generalized velocity of all bodies, including obstacles, in the order of insertion; different arrays.
   - count: number of values of x and of y.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a count is wrong, a kind is unknown
   or does not fit its constraint, a length is not positive, or a value is not finite.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given and do not overlap. */
LDY_RESULT
int ldy_system_geometric_stiffness(const ldy_system *system,
                                   const ldy_joint *joints,
                                   size_t joint_count,
                                   const double *R,
                                   size_t R_count,
                                   const double *x,
                                   double *y,
                                   size_t count);

/* Compute the critical step of explicit schemes under the reactions R: 2 / omega. omega^2 is the largest eigenvalue of M^-1 K. K
   is the matrix of ldy_system_geometric_stiffness, and M^-1 consists of the inverses A^-1 of the bodies. A shorter step is
   stable.

   - joints, joint_count, R, R_count: as in ldy_system_geometric_stiffness.
   - flags: 0: all motions, or LDY_CRITICAL_STEP_FREE_MOTIONS.
   - result: where to write it; set its size.

   Returns the codes of ldy_system_geometric_stiffness, LDY_ERROR_NOT_CONVERGED if the eigenvalue does not converge, and
   LDY_ERROR_INVALID_ARGUMENT also if flags is unknown or a body has a sparse matrix or an inverse callback.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given; result is NULL or valid and has the bytes that
   its size says. */
LDY_RESULT
int ldy_system_critical_step(const ldy_system *system,
                             const ldy_joint *joints,
                             size_t joint_count,
                             const double *R,
                             size_t R_count,
                             int32_t flags,
                             ldy_critical_step *result);

enum ldy_law_kind {
  /* A kind of law: none. ldy_system_law writes it for a constraint that has no law. */
  LDY_LAW_NONE = 0,
  /* A kind of law: contact with Coulomb friction. 0 <= R_N + cohesion, 0 <= U_N, and one of them is zero. The friction R_T opposes
     U_T, with |R_T| <= friction (R_N + cohesion). Valid for constraints with three rows (two tangents, then the normal), and with
     two rows (the tangent, then the normal) for contacts in a plane. With normal_first of the options the normal comes first. */
  LDY_LAW_CONTACT = 1,
  /* A kind of law: U = 0 in all components. */
  LDY_LAW_FIXED = 2,
  /* A kind of law: lower <= R <= upper, component by component. U is zero if R is between the bounds, >= 0 at the lower bound, <=
     0 at the upper bound. */
  LDY_LAW_BOUNDS = 3,
  /* A kind of law: contact with a friction coefficient for each tangent, |(R_1 / friction, R_2 / friction_2)| <= R_N + cohesion.
     R_T is the admissible force that dissipates most. Valid for constraints with three rows, and, with rolling_friction and
     torsional_friction, for those with four to six rows. */
  LDY_LAW_ORTHOTROPIC_CONTACT = 4,
  /* A kind of law: contact with rolling and torsional friction, valid for constraints with four to six rows. The first three rows
     are those of LDY_LAW_CONTACT. Then come the angular velocity about the normal (four rows), about both tangents (five), or about
     all three axes in the order of the first rows (six). R has moments there. The moment about the tangents opposes its angular
     velocity and is at most rolling_friction (R_N + cohesion); the moment about the normal opposes its angular velocity and is at
     most torsional_friction (R_N + cohesion). */
  LDY_LAW_ROLLING_CONTACT = 5,
  /* A kind of law: contact in the expansion phase of an impact, Poisson's restitution. 0 <= R_N - lower[0], 0 <= U_N, and one of them is
     zero. The friction R_T opposes U_T, with |R_T| <= friction R_N, also if U_N > 0. lower[0] is e times R_N of the compression phase.
     Valid for the rows of LDY_LAW_CONTACT. */
  LDY_LAW_EXPANSION = 6
};

enum ldy_measure {
  /* A measure: the larger of the two others. */
  LDY_MEASURE_BOTH = 0,
  /* A measure: |R - P (R - U - friction |U_T| n)| / |B + bias|. P is the projection onto the forces that laws allow. */
  LDY_MEASURE_NATURAL = 1,
  /* A measure: LDY_MEASURE_NATURAL in units in which diagonal blocks have trace 3. It is the same in all units. */
  LDY_MEASURE_SCALED = 2
};

enum ldy_method {
  /* A method: Gauss-Seidel, and Newton's method where it is expected to be faster. */
  LDY_METHOD_AUTOMATIC = 0,
  /* A method: Gauss-Seidel alone. */
  LDY_METHOD_GAUSS_SEIDEL = 1,
  /* A method: Newton's method from the start, with Gauss-Seidel where it fails. */
  LDY_METHOD_NEWTON = 2
};

enum ldy_status {
  /* A status: the residual is within the tolerance. */
  LDY_STATUS_CONVERGED = 0,
  /* A status: the limit of sweeps was reached. */
  LDY_STATUS_SWEEP_LIMIT = 1,
  /* A status: the time limit was reached. */
  LDY_STATUS_TIME_LIMIT = 2,
  /* A status: the residual no longer decreases, because of rounding or because there is no solution. */
  LDY_STATUS_STALLED = 3,
  /* A status: the problem is proved infeasible. It has no solution, or none without forces that are huge compared with B.
     ldy_contact_solver_conflict returns the constraints that contradict each other. */
  LDY_STATUS_INFEASIBLE = 4,
  /* A status: progress returned a value other than 0. */
  LDY_STATUS_STOPPED = 5,
  /* A status: the limit of work was reached. */
  LDY_STATUS_WORK_LIMIT = 6
};

/* A contact solver with memory that is used again: a problem with the same pattern as the previous one is solved without
   allocation, unless it has no solution. One thread at a time may use it. */
typedef struct ldy_contact_solver ldy_contact_solver;

/* A progress function of the program.

   - residual: the smallest residual so far, by the measure of the options.
   - sweeps, steps: number of sweeps and steps so far.
   - data: the pointer of the options.

   Returns 0 to continue. Any other value ends the solution with LDY_STATUS_STOPPED. Only the thread that called the solver calls
   it; with a progress function one thread solves all islands. It must return normally, and must not call functions of the solver
   or system in use. */
typedef int (*ldy_progress)(double residual, int32_t sweeps, int32_t steps, void *data);

/* Options of a contact solver. A field that is zero has its default: set size, then the fields that differ. */
typedef struct {
  /* sizeof (ldy_contact_solver_options), set by the caller before the call. */
  size_t size;
  /* The solution converges when the residual is at most this; default 1e-8. */
  double tolerance;
  /* One of LDY_MEASURE_BOTH, LDY_MEASURE_NATURAL, LDY_MEASURE_SCALED. */
  int32_t measure;
  /* One of LDY_METHOD_AUTOMATIC, LDY_METHOD_GAUSS_SEIDEL, LDY_METHOD_NEWTON. */
  int32_t method;
  /* Limit for the number of sweeps over each island, or over all rows if these form one island; default 100000. */
  int32_t max_sweeps;
  /* For ldy_contact_solver_solve_rows: not 0 if the first component is the normal one, as in FCLIB. Else it is the last. The
     contacts of a system have it last, and ldy_contact_solver_solve refuses another value than 0. */
  int32_t normal_first;
  /* Limit for the elapsed time, in seconds; default: no limit. INFINITY is no limit either; a negative number or NaN is an
     error. With a limit, results depend on the clock. */
  double time_limit;
  /* A progress function that is called each time that the residual is computed, or NULL. */
  ldy_progress progress;
  /* Passed to progress. */
  void *data;
  /* Limit for the work, in units of ldy_contact_solver_report.work; default: no limit. It does not depend on a clock: results
     are the same in each run. */
  uint64_t max_work;
  /* Not 0: return canonical forces. Among all solutions with the velocities of the one that was found, these have the least sum of
     d R^2, where d is a third of the trace of the diagonal block of W. They do not depend on the initial guess or on the order of
     constraints. The solution is found to 1e-12 for this, or as far as limits and rounding allow; if its residual is above the
     tolerance, its forces remain. W must be symmetric. Memory is allocated. */
  int32_t canonical;
  /* 0. */
  int32_t reserved;
} ldy_contact_solver_options;

/* The law of a constraint: a relation between its force R and its velocity U. In all laws U means U + bias. lower, upper and
   bias have one value for each scalar row; further values are not read. */
typedef struct {
  /* One of LDY_LAW_CONTACT, LDY_LAW_FIXED, LDY_LAW_BOUNDS, LDY_LAW_ORTHOTROPIC_CONTACT, LDY_LAW_ROLLING_CONTACT,
     LDY_LAW_EXPANSION. */
  int32_t kind;
  /* Contacts: Coulomb's coefficient, not negative. Orthotropic contacts: the coefficient along the first tangent. */
  double friction;
  /* Orthotropic contacts only: the coefficient along the second tangent, not negative. Either coefficient may be 0. */
  double friction_2;
  /* Contacts: the largest tensile force, not negative. */
  double cohesion;
  /* Rolling and orthotropic contacts: the coefficient of rolling friction, a length, not negative; 0 without rows about the
     tangents. */
  double rolling_friction;
  /* Rolling and orthotropic contacts: the coefficient of torsional friction, a length, not negative; 0 without a row about the
     normal. */
  double torsional_friction;
  /* Bounds: lower bounds of R; may be -INFINITY. Expansion: lower[0] is the least normal force, not negative. */
  double lower[6];
  /* Bounds: upper bounds of R, not below the lower bounds; may be INFINITY. */
  double upper[6];
  /* Added to U. Restitution: e V_N if V_N < 0. A contact that is still open: gap / h. A prescribed velocity v: -v. */
  double bias[6];
} ldy_law;

/* The result of a contact solver. */
typedef struct {
  /* sizeof (ldy_contact_solver_report), set by the caller before the call. */
  size_t size;
  /* The status: LDY_STATUS_CONVERGED, LDY_STATUS_SWEEP_LIMIT, LDY_STATUS_TIME_LIMIT, LDY_STATUS_STALLED,
     LDY_STATUS_INFEASIBLE, LDY_STATUS_STOPPED or LDY_STATUS_WORK_LIMIT. */
  int32_t status;
  /* Number of Gauss-Seidel sweeps. If the rows form several islands, which no block of W connects: of the island with the most
     sweeps. */
  int32_t sweeps;
  /* Number of steps of Newton's method, of the island with the most steps. */
  int32_t steps;
  /* The row that contributes most to the residual. */
  int32_t worst;
  /* The residual of the returned forces, by the measure of the options. */
  double residual;
  /* The same by LDY_MEASURE_NATURAL. */
  double natural_residual;
  /* The same by LDY_MEASURE_SCALED. */
  double scaled_residual;
  /* The residual of the initial guess, by the measure of the options. */
  double initial_residual;
  /* Elapsed time in seconds. */
  double seconds;
  /* Residuals of the largest island in the order of their computation: the first 1000, and at most 64 for each of its rows.
     Valid until the solver's next call. */
  const double *history;
  /* Number of values of history. */
  size_t history_count;
  /* Work, counted from sizes and patterns. A unit is about a nanosecond of a processor of 2025. It is the same in each run. A
     limit of work is divided among islands and checked between sweeps and steps, so that each island exceeds its part by at
     most one of them. */
  uint64_t work;
} ldy_contact_solver_report;

/* Create a contact solver.

   - solver: where to write it. Destroy it with ldy_contact_solver_destroy.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if solver is NULL.

   Safety:
   solver is NULL or valid. */
LDY_RESULT
int ldy_contact_solver_create(ldy_contact_solver **solver);

/* Destroy a contact solver; NULL is allowed.

   Safety:
   solver is NULL or comes from ldy_contact_solver_create, and is not used afterwards. */
void ldy_contact_solver_destroy(ldy_contact_solver *solver);

/* Write options for steps in real time: Gauss-Seidel alone, at most 100 sweeps, tolerance 1e-3.

   So the work of a step is bounded, and the same in each run. Use the forces of the last step as the initial guess (see
   ldy_system_store_reactions and ldy_system_sync_constraints). The solver returns the best forces it has found; many steps end
   with LDY_STATUS_SWEEP_LIMIT.

   - options: where to write the options; set its size. Fields that are not named above are zero.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if options is NULL or its size is wrong.

   Safety:
   options is NULL or valid, and has the bytes that its size says. */
LDY_RESULT
int ldy_contact_solver_options_real_time(ldy_contact_solver_options *options);

/* Solve C(U, R) = 0 with U = B + W R for the rows of the last update of a system.

   The rows are not copied, unless a constraint has other than three rows or a law is orthotropic.

   - laws: law_count laws, one for each row. NULL, with law_count 0: the laws that are kept with the constraints, see
     ldy_system_set_law.
   - options: NULL: the defaults.
   - R: count values, three for each row (one for each scalar row). In: the initial guess, for instance the forces of the last
     step or zeros. Out: the best forces that were found. These obey their laws: no contact exceeds its cohesion or its friction,
     and no bound is exceeded.
   - report: where to write the report; set its size. NULL: not wanted.

   Returns 0 even if the solution did not converge: see report->status. Returns LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_STALE_RESULTS
   if there was no successful update since the last change, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a count is
   wrong, a law is LDY_LAW_NONE, of unknown kind or not valid, a constraint has no kept law, or a value is not finite; the text
   names the constraint. After an error R has not changed.

   Safety:
   solver comes from ldy_contact_solver_create and system from ldy_system_create; arrays are NULL or have the sizes given;
   options and report are NULL or valid, and have the bytes that their size says. */
LDY_RESULT
int ldy_contact_solver_solve(ldy_contact_solver *solver,
                             const ldy_system *system,
                             const ldy_law *laws,
                             size_t law_count,
                             const ldy_contact_solver_options *options,
                             double *R,
                             size_t count,
                             ldy_contact_solver_report *report);

/* Solve C(U, R) = 0 with U = B + W R for any block-sparse rows.

   - rows: size, rows, blocks, starts, columns, values, B, scalar_starts and value_starts are read, as ldy_system_results sets
     them. The last two are both NULL or both not NULL. Columns ascend within a row, and each row has a diagonal block. W need
     not be symmetric.
   - laws: law_count laws, one for each row.
   - options, R, count, report: as in ldy_contact_solver_solve.

   Returns 0 even if the solution did not converge: see report->status. Returns LDY_ERROR_OUT_OF_MEMORY, or
   LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a count is wrong, the rows are ill-formed, a law is LDY_LAW_NONE, of
   unknown kind or not valid, or a value is not finite; the text names the row. After an error R has not changed.

   Safety:
   solver comes from ldy_contact_solver_create; rows is NULL or valid and has the bytes that its size says, and its arrays have
   the lengths that it says; the other arrays are NULL or have the sizes given, and R does not overlap them; options and report
   are NULL or valid, and have the bytes that their size says. */
LDY_RESULT
int ldy_contact_solver_solve_rows(ldy_contact_solver *solver,
                                  const ldy_rows *rows,
                                  const ldy_law *laws,
                                  size_t law_count,
                                  const ldy_contact_solver_options *options,
                                  double *R,
                                  size_t count,
                                  ldy_contact_solver_report *report);


/* A nonzero multiplier d of the proof that a problem has no solution, for one scalar row.

   For the multipliers of a group together, laws demand sum d (U + bias) >= 0: contacts have d >= 0, and limits have the sign that
   their law gives to U + bias. But sum d (U + bias) = sum d (B + bias) + sum (W^T d) . R is negative for all forces that laws allow,
   except forces 1e8 times as large as B asks for. This proof (Farkas's lemma) need not have the least number of rows.

   The unit of d is a force times any factor: the largest |d| of each group is 1. */
typedef struct {
  /* The id of the constraint, or the number of its row if the solver solved rows. */
  int64_t constraint;
  /* The scalar row of the constraint, from 0. */
  int32_t component;
  /* The demand of the law on this component. LDY_LAW_CONTACT: U + bias >= 0. LDY_LAW_FIXED: U + bias = 0. LDY_LAW_BOUNDS: one
     sign of U + bias, since the force has one finite bound. */
  int32_t demand;
  /* The number of the group, from 0. Each group is a contradiction of its own: groups have no blocks of W in common. */
  int32_t group;
  /* 0. */
  int32_t reserved;
  /* d. */
  double value;
} ldy_multiplier;

/* Return the constraints of the last solution that contradict each other, with the multipliers of the proof.

   There are some if the status is LDY_STATUS_INFEASIBLE, and none otherwise. They are in the order of groups, rows and
   components. They remain until the solver's next solution.

   - multipliers: where to write up to capacity multipliers.
   - capacity: number of values of multipliers; 0 to get the count alone.
   - count: where to write the number of multipliers, also if it is above capacity; NULL: not wanted.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if solver is NULL, or multipliers is NULL and capacity is not 0.

   Safety:
   solver comes from ldy_contact_solver_create; multipliers is NULL or has capacity values; count is NULL or valid. */
LDY_RESULT
int ldy_contact_solver_conflict(const ldy_contact_solver *solver,
                                ldy_multiplier *multipliers,
                                size_t capacity,
                                size_t *count);

/* Write a text about the constraints of the last solution that contradict each other, and the bodies that they move.

   For instance: "contacts 3 and 17 and joint 4 contradict each other: no allowed forces give body 9 a velocity that satisfies
   them". Groups are separated by semicolons. Each list has at most twelve names, and the number of the others. Without a conflict
   the text is empty.

   - system: the system whose problem was solved. A constraint that was removed since is named without its bodies. NULL: no bodies
     are named. Not read if the solver solved rows: the text names the numbers of rows.
   - text: where to write the text and a zero; cut after size - 1 characters.
   - size: number of characters of text; 0 to get the length alone.
   - length: where to write the number of characters of the whole text, without the zero; NULL: not wanted.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if solver is NULL, or text is NULL and size is not 0. After an
   error nothing is written.

   Safety:
   solver comes from ldy_contact_solver_create; system is NULL or comes from ldy_system_create; text is NULL or has size characters;
   length is NULL or valid. */
LDY_RESULT
int ldy_contact_solver_conflict_text(const ldy_contact_solver *solver,
                                     const ldy_system *system,
                                     char *text,
                                     size_t size,
                                     size_t *length);


/* The solutions of a contact problem with the velocities U of a known solution R: all forces R' with W (R' - R) = 0 that obey
   the laws with U. It does not depend on the system or rows it was computed from. One thread at a time may use it. */
typedef struct ldy_solution_set ldy_solution_set;

/* Create a solution set. It has no rows until ldy_solution_set_compute or ldy_solution_set_compute_rows succeeds.

   - set: where to write it. Destroy it with ldy_solution_set_destroy.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if set is NULL.

   Safety:
   set is NULL or valid. */
LDY_RESULT
int ldy_solution_set_create(ldy_solution_set **set);

/* Destroy a solution set; NULL is allowed.

   Safety:
   set is NULL or comes from ldy_solution_set_create, and is not used afterwards. */
void ldy_solution_set_destroy(ldy_solution_set *set);

/* Find all solutions with the velocities of a known one, for the rows of the last update of a system.

   - laws, law_count: as in ldy_contact_solver_solve.
   - R: count values, the known solution. Solve with a tolerance that is a hundred times smaller than the one here.
   - tolerance: the largest LDY_MEASURE_SCALED residual of R in each group of rows that blocks of W connect. Velocities below it,
     measured in the same way, count as zero. 0: 1e-6.

   W is symmetric. Rows that blocks connect are one dense problem: up to n^3 operations and 8 n^2 bytes for n scalar rows that can
   have forces.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_STALE_RESULTS if there was no successful update since the last change,
   LDY_ERROR_NOT_POSITIVE_DEFINITE if W is found to be indefinite, or LDY_ERROR_INVALID_ARGUMENT if R is no solution, W is not
   symmetric, the tolerance is not between 0 and 1, or for the reasons of ldy_contact_solver_solve; the text names the
   constraint. After an error the set has not changed.

   Safety:
   set comes from ldy_solution_set_create and system from ldy_system_create; arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_solution_set_compute(ldy_solution_set *set,
                             const ldy_system *system,
                             const ldy_law *laws,
                             size_t law_count,
                             const double *R,
                             size_t count,
                             double tolerance);

/* Find all solutions with the velocities of a known one, for any block-sparse rows.

   - rows: as in ldy_contact_solver_solve_rows, but W is symmetric.
   - laws: law_count laws, one for each row.
   - normal_first: not 0 if the first component of contacts is the normal one, as in FCLIB. Else it is the last.
   - R, count, tolerance: as in ldy_solution_set_compute.

   Returns the codes of ldy_solution_set_compute, or LDY_ERROR_INVALID_ARGUMENT if the rows are ill-formed; the text names the
   row. After an error the set has not changed.

   Safety:
   set comes from ldy_solution_set_create; rows is NULL or valid and has the bytes that its size says, and its arrays have the
   lengths that it says; the other arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_solution_set_compute_rows(ldy_solution_set *set,
                                  const ldy_rows *rows,
                                  const ldy_law *laws,
                                  size_t law_count,
                                  int normal_first,
                                  const double *R,
                                  size_t count,
                                  double tolerance);

/* Return which components of the force are the same in all solutions of a set.

   - determined: where to write count values: 1 if the component is the same in all solutions, up to rounding. 0 if a null vector
     of W changes it within the linear span of the forces that the laws allow with U. If cones forbid each such change, the
     interval of ldy_solution_set_intervals is a point.
   - count: number of scalar rows.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is wrong.

   Safety:
   set comes from ldy_solution_set_create; determined is NULL or has count values. */
LDY_RESULT
int ldy_solution_set_determined(const ldy_solution_set *set,
                                uint8_t *determined,
                                size_t count);

/* Return the least and the greatest value of each component of forces over all solutions of a set.

   - constraints: constraint_count ids, or numbers of rows if the set was computed from rows. NULL, with constraint_count 0: all,
     in the order of rows.
   - least, greatest: where to write count values each, one for each scalar row of these constraints. INFINITY if there is no limit,
     or one that is 1e8 times larger than the forces that change together. Errors are about 1e-8 times these forces.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an
   argument is NULL or a count is wrong. After an error nothing is written.

   Safety:
   set comes from ldy_solution_set_create; arrays are NULL or have the sizes given, and do not overlap. */
LDY_RESULT
int ldy_solution_set_intervals(ldy_solution_set *set,
                               const int64_t *constraints,
                               size_t constraint_count,
                               double *least,
                               double *greatest,
                               size_t count);

/* Return the constraints whose forces can change together with one component of a force: for each of them there is a null vector
   of W that changes this component and a component of the constraint. There are none if the component is determined.

   - constraint: its id, or the number of its row if the set was computed from rows.
   - component: the component of its force, counted from 0.
   - causes: where to write up to capacity ids or rows in the order of rows.
   - capacity: number of values of causes; 0 to get the count alone.
   - cause_count: where to write the number of causes, also if it is above capacity; NULL: not wanted.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an
   argument is NULL or the constraint has no such component.

   Safety:
   set comes from ldy_solution_set_create; causes is NULL or has capacity values; cause_count is NULL or valid. */
LDY_RESULT
int ldy_solution_set_causes(ldy_solution_set *set,
                            int64_t constraint,
                            int32_t component,
                            int64_t *causes,
                            size_t capacity,
                            size_t *cause_count);

/* Return the canonical forces of a set: those with the least sum of d R^2 among all its solutions, where d is a third of the trace
   of the diagonal block of W (the mean of the diagonal entries of up to three scalar rows). They are unique. See canonical of
   ldy_contact_solver_options.

   - R: where to write count values, one for each scalar row.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is wrong.

   Safety:
   set comes from ldy_solution_set_create; R is NULL or has count values. */
LDY_RESULT
int ldy_solution_set_canonical(ldy_solution_set *set,
                               double *R,
                               size_t count);

/* A kind of kink: a contact has neither force nor normal velocity. Its force counts as constant. */
#define LDY_KINK_TOUCHING 0

/* A kind of kink: a contact has the largest friction and does not slide. It counts as sticking. */
#define LDY_KINK_SLIDING 1

/* A kind of kink: a contact has the largest moment about its tangents and does not roll. It counts as sticking. */
#define LDY_KINK_ROLLING 2

/* A kind of kink: a contact has the largest moment about its normal and does not spin. It counts as sticking. */
#define LDY_KINK_SPINNING 3

/* A kind of kink: a component of the force is at a bound, and its velocity is zero. Its force counts as constant. */
#define LDY_KINK_BOUND 4

/* Derivatives of the forces R and the velocities U of a solution by all data of its problem. They do not depend on the system or
   rows they were computed from. One thread at a time may use them. */
typedef struct ldy_derivatives ldy_derivatives;

/* How well the equations of derivatives could be solved. */
typedef struct {
  /* The largest share of a right-hand side that the equations cannot have, between 0 and 1; 0 up to rounding if they are regular.
     ldy_derivatives_forward: the change of the data leads to other states of constraints, or to a problem without a solution.
     ldy_derivatives_adjoint: the function depends on forces that have no derivatives. */
  double outside;
  /* 1 if the equations are singular, so that only a part of the forces has derivatives. The changes of the others are those with
     the least sum of d dR^2, where d is a third of the trace of the diagonal block of W. Else 0. */
  int32_t is_singular;
  /* 1 if the residual of the forces is at most the tolerance. Else 0: the derivatives belong to no solution. */
  int32_t is_solution;
} ldy_fit;

/* A place where a solution is at a kink: changes of the data to one side have other derivatives than those to the other side. */
typedef struct {
  /* The id of the constraint, or the number of its row if the derivatives were computed from rows. */
  int64_t constraint;
  /* The scalar row of the constraint, from 0; the first one of the force along both tangents, or of the moments about both. */
  int32_t component;
  /* One of LDY_KINK_TOUCHING, LDY_KINK_SLIDING, LDY_KINK_ROLLING, LDY_KINK_SPINNING, LDY_KINK_BOUND. */
  int32_t kind;
} ldy_kink;

/* Create derivatives. They have no rows until ldy_derivatives_compute or ldy_derivatives_compute_rows succeeds.

   - derivatives: where to write them. Destroy them with ldy_derivatives_destroy.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if derivatives is NULL.

   Safety:
   derivatives is NULL or valid. */
LDY_RESULT
int ldy_derivatives_create(ldy_derivatives **derivatives);

/* Destroy derivatives; NULL is allowed.

   Safety:
   derivatives is NULL or comes from ldy_derivatives_create, and is not used afterwards. */
void ldy_derivatives_destroy(ldy_derivatives *derivatives);

/* Prepare the derivatives of a known solution, for the rows of the last update of a system.

   - laws, law_count: as in ldy_contact_solver_solve.
   - R: count values, the known solution. Solve with a tolerance that is a hundred times smaller than the one here.
   - tolerance: velocities and forces below it count as zero, measured as LDY_MEASURE_SCALED in each group of rows that blocks of W
     connect. Forces with a larger residual are accepted; is_solution of ldy_fit is 0 then. 0: 1e-6.

   The memory of earlier derivatives is used again. Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_STALE_RESULTS if there was no
   successful update since the last change, or LDY_ERROR_INVALID_ARGUMENT if the tolerance is not between 0 and 1, or for the
   reasons of ldy_contact_solver_solve; the text names the constraint. After an error the derivatives have not changed, but have no
   rows if memory is exhausted.

   Safety:
   derivatives comes from ldy_derivatives_create and system from ldy_system_create; arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_derivatives_compute(ldy_derivatives *derivatives,
                            const ldy_system *system,
                            const ldy_law *laws,
                            size_t law_count,
                            const double *R,
                            size_t count,
                            double tolerance);

/* Prepare the derivatives of a known solution, for any block-sparse rows.

   - rows: as in ldy_contact_solver_solve_rows.
   - laws: law_count laws, one for each row.
   - normal_first: not 0 if the first component of contacts is the normal one, as in FCLIB. Else it is the last.
   - R, count, tolerance: as in ldy_derivatives_compute.

   Returns the codes of ldy_derivatives_compute, or LDY_ERROR_INVALID_ARGUMENT if the rows are ill-formed; the text names the row.
   After an error as there.

   Safety:
   derivatives comes from ldy_derivatives_create; rows is NULL or valid and has the bytes that its size says, and its arrays have
   the lengths that it says; the other arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_derivatives_compute_rows(ldy_derivatives *derivatives,
                                 const ldy_rows *rows,
                                 const ldy_law *laws,
                                 size_t law_count,
                                 int normal_first,
                                 const double *R,
                                 size_t count,
                                 double tolerance);

/* Compute the changes of forces and velocities that belong to small changes of the data: one change or several.

   - velocities: count values for each change, dB + dW R.
   - laws: law_count laws for each change, one for each row: each field has the change of the number that has this name; kind is not
     read. Fields that the law of the row does not have are ignored; friction_2 is one of them if the law has one coefficient of
     friction. NULL, with law_count 0: laws do not change.
   - dR, dU: where to write count values for each change. bias is a number of the law: its change is no part of dU.
   - count: number of scalar rows.
   - columns: number of changes; the arrays of all changes follow each other.
   - fit: where to write how well the equations could be solved; NULL: not wanted.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a count is wrong, a change is not
   finite, or numbers overflow; the text names the constraint of a change. After an error nothing is written.

   Safety:
   derivatives comes from ldy_derivatives_create; arrays are NULL or have the sizes given, and those that are written do not overlap
   others; fit is NULL or valid. */
LDY_RESULT
int ldy_derivatives_forward(ldy_derivatives *derivatives,
                            const double *velocities,
                            const ldy_law *laws,
                            size_t law_count,
                            double *dR,
                            double *dU,
                            size_t count,
                            size_t columns,
                            ldy_fit *fit);

/* Compute the derivatives of functions L of forces and velocities by all data: of one function or of several.

   - by_R, by_U: count values for each function, its derivatives by R and by U. NULL: zero.
   - by_B: where to write count values for each function, its derivatives by B. Those by W are by_B R^T, see ldy_rows_outer_product.
   - by_laws: where to write law_count laws for each function, one for each row: each field has the derivative by the number that has
     this name, kind is LDY_LAW_NONE. Where both bounds of a component are the same, each has a half of the derivative by the force.
     NULL, with law_count 0: not wanted.
   - count: number of scalar rows.
   - columns: number of functions; the arrays of all functions follow each other.
   - fit: where to write how well the equations could be solved; NULL: not wanted.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a count is wrong, a derivative is not
   finite, or numbers overflow; the text names the constraint of a derivative. After an error nothing is written.

   Safety:
   derivatives comes from ldy_derivatives_create; arrays are NULL or have the sizes given, and those that are written do not overlap
   others; fit is NULL or valid. */
LDY_RESULT
int ldy_derivatives_adjoint(ldy_derivatives *derivatives,
                            const double *by_R,
                            const double *by_U,
                            double *by_B,
                            ldy_law *by_laws,
                            size_t law_count,
                            size_t count,
                            size_t columns,
                            ldy_fit *fit);

/* Return where the solution is at a kink, in the order of rows. Derivatives belong to one side there.

   - kinks: where to write up to capacity kinks.
   - capacity: number of values of kinks; 0 to get the count alone.
   - count: where to write the number of kinks, also if it is above capacity; NULL: not wanted.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if derivatives is NULL, or kinks is NULL and capacity is not 0.

   Safety:
   derivatives comes from ldy_derivatives_create; kinks is NULL or has capacity values; count is NULL or valid. */
LDY_RESULT
int ldy_derivatives_kinks(const ldy_derivatives *derivatives,
                          ldy_kink *kinks,
                          size_t capacity,
                          size_t *count);

/* Return the constraints whose forces have no derivatives, in the order of rows: the equations leave their changes open, as where W
   is singular.

   - constraints: where to write up to capacity ids or rows.
   - capacity: number of values of constraints; 0 to get the count alone.
   - count: where to write the number of these constraints, also if it is above capacity; NULL: not wanted.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if derivatives is NULL, constraints is NULL and capacity is not
   0, or numbers overflow.

   Safety:
   derivatives comes from ldy_derivatives_create; constraints is NULL or has capacity values; count is NULL or valid. */
LDY_RESULT
int ldy_derivatives_undetermined(ldy_derivatives *derivatives,
                                 int64_t *constraints,
                                 size_t capacity,
                                 size_t *count);

/* Write the blocks of x y^T in the pattern of W: with the derivatives by B as x and the forces R as y, these are the derivatives by W.

   - rows: as in ldy_rows_multiply; only its pattern is read.
   - x, y: count values, one for each scalar row.
   - values: where to write value_count values, as the values of rows are stored.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a count is wrong or the rows are ill-formed. After an error
   nothing is written.

   Safety:
   rows is NULL or valid and has the bytes that its size says, and its arrays have the lengths that it says; the other arrays are
   NULL or have the sizes given, and values does not overlap them. */
LDY_RESULT
int ldy_rows_outer_product(const ldy_rows *rows,
                           const double *x,
                           const double *y,
                           size_t count,
                           double *values,
                           size_t value_count);


/* Derivatives of a function of a step by the data of its system. They do not depend on the system. One thread at a time may use them. */
typedef struct ldy_gradient ldy_gradient;

/* Create a gradient. It has no bodies and constraints until ldy_gradient_compute succeeds.

   - gradient: where to write it. Destroy it with ldy_gradient_destroy.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if gradient is NULL.

   Safety:
   gradient is NULL or valid. */
LDY_RESULT
int ldy_gradient_create(ldy_gradient **gradient);

/* Destroy a gradient; NULL is allowed.

   Safety:
   gradient is NULL or comes from ldy_gradient_create, and is not used afterwards. */
void ldy_gradient_destroy(ldy_gradient *gradient);

/* Compute the derivatives of a function L of a step by all data of a system.

   L depends on the forces R and velocities U of the constraints, and on the velocities of the bodies after the step,
   u + h A^-1 H^T R, as ldy_system_apply_reactions computes them. The data are as at the last update: call this before
   ldy_system_apply_reactions.

   - derivatives: of R, by ldy_derivatives_compute with this system since its last update.
   - R: count values, the solution.
   - by_R, by_U: count values each, the derivatives of L by R and by U. NULL: zero.
   - by_velocities: dof_count values, the derivatives by the velocities of all bodies after the step, in the order of
     ldy_system_bodies. NULL, with dof_count 0: zero.
   - by_B: where to write count values, the derivatives by B; NULL: not wanted.
   - by_laws: where to write law_count laws, as in ldy_derivatives_adjoint. NULL, with law_count 0: not wanted.
   - fit: where to write how well the equations could be solved; NULL: not wanted.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_STALE_RESULTS if there was no successful update since the last change, the error of a
   body whose inverse cannot be applied, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a count is wrong, or a value is not
   finite; the text names constraint or body. After an error nothing is written, and the gradient is as before, or empty if memory
   is exhausted or an inverse cannot be applied.

   Safety:
   gradient comes from ldy_gradient_create, system from ldy_system_create, and derivatives from ldy_derivatives_create; arrays are
   NULL or have the sizes given, and those that are written do not overlap others; fit is NULL or valid. */
LDY_RESULT
int ldy_gradient_compute(ldy_gradient *gradient,
                         const ldy_system *system,
                         ldy_derivatives *derivatives,
                         const double *R,
                         const double *by_R,
                         const double *by_U,
                         size_t count,
                         const double *by_velocities,
                         size_t dof_count,
                         double *by_B,
                         ldy_law *by_laws,
                         size_t law_count,
                         ldy_fit *fit);

/* Return the derivative by the step h of the last update. Free velocities and biases count as given: what they owe to h is the
   program's part of the chain.

   - value: where to write it.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL.

   Safety:
   gradient comes from ldy_gradient_create; value is NULL or valid. */
LDY_RESULT
int ldy_gradient_step(const ldy_gradient *gradient,
                      double *value);

/* Return the derivatives by the free velocity of a body.

   - body: its id.
   - values: where to write n values.
   - n: number of its generalized velocities.

   Returns 0, LDY_ERROR_NOT_FOUND if there was no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or n is wrong.

   Safety:
   gradient comes from ldy_gradient_create; values is NULL or has n values. */
LDY_RESULT
int ldy_gradient_velocity(const ldy_gradient *gradient,
                          int64_t body,
                          double *values,
                          size_t n);

/* Return the derivatives by the mass of a rigid or pseudo-rigid body, and by its referential inertia or Euler tensor.

   - body: its id.
   - mass: where to write the derivative by its mass.
   - tensor: where to write 9 values, column-major and symmetric; the derivative by both of two equal entries is the sum of both.

   Returns 0, LDY_ERROR_NOT_FOUND if there was no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, or the body is
   neither rigid nor pseudo-rigid, or has another matrix.

   Safety:
   gradient comes from ldy_gradient_create; mass is NULL or valid; tensor is NULL or has 9 values. */
LDY_RESULT
int ldy_gradient_inertia(const ldy_gradient *gradient,
                         int64_t body,
                         double *mass,
                         double *tensor);

/* Return the derivatives by the matrix A of a body, in any form of its inertia. Those by its inverse follow from
   d(A^-1) = -A^-1 dA A^-1.

   - body: its id.
   - values: where to write count values, n x n, column-major and symmetric; the derivative by both of two equal entries is the sum
     of both.
   - count: n * n, with the number n of its generalized velocities.

   Returns 0, LDY_ERROR_NOT_FOUND if there was no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is wrong.

   Safety:
   gradient comes from ldy_gradient_create; values is NULL or has count values. */
LDY_RESULT
int ldy_gradient_matrix(const ldy_gradient *gradient,
                        int64_t body,
                        double *values,
                        size_t count);

/* Return the derivatives by the configuration of a rigid or pseudo-rigid body, with its position in the world and frames and points
   of constraints as they are; zero for other bodies.

   - body: its id.
   - rotation: where to write 9 values, column-major, the derivatives by the rotation, whose entries count as independent: for a turn
     with the angular velocity w in the referential frame they are multiplied by rotation * skew (w). Zero of pseudo-rigid bodies.
   - center: where to write 3 values, the derivatives by the referential mass center.

   Returns 0, LDY_ERROR_NOT_FOUND if there was no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL.

   Safety:
   gradient comes from ldy_gradient_create; rotation is NULL or has 9 values, center is NULL or has 3 values. */
LDY_RESULT
int ldy_gradient_pose(const ldy_gradient *gradient,
                      int64_t body,
                      double *rotation,
                      double *center);

/* Return the derivatives by the position of a rigid body in the world, see ldy_system_set_positions. H of a joint by axes depends on
   positions if those of all its bodies are known; other constraints do not.

   - body: its id.
   - position: where to write 3 values.

   Returns 0, LDY_ERROR_NOT_FOUND if there was no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL.

   Safety:
   gradient comes from ldy_gradient_create; position is NULL or has 3 values. */
LDY_RESULT
int ldy_gradient_position(const ldy_gradient *gradient,
                          int64_t body,
                          double *position);

/* Return the derivatives by frame and points of a constraint; zero if operators place it. ldy_gradient_joint returns those by both
   frames of a joint by axes.

   - constraint: its id.
   - frame: where to write 9 values, column-major, the derivatives by its frame, whose entries count as independent; by the master's
     frame of a joint by axes.
   - master_point, slave_point: where to write 3 values each, the derivatives by its referential points.

   Returns 0, LDY_ERROR_NOT_FOUND if there was no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL.

   Safety:
   gradient comes from ldy_gradient_create; frame is NULL or has 9 values, the points are NULL or have 3 values each. */
LDY_RESULT
int ldy_gradient_place(const ldy_gradient *gradient,
                       int64_t constraint,
                       double *frame,
                       double *master_point,
                       double *slave_point);

/* Return the derivatives by what ldy_system_add_joint takes: the axes and points of a joint on both bodies, or on the ground.

   - joint: its id. A constraint at points has one frame: slave_frame is zero then.
   - master_frame, slave_frame: where to write 9 values each, column-major, whose entries count as independent.
   - master_point, slave_point: where to write 3 values each, the derivatives by the referential points.

   Returns 0, LDY_ERROR_NOT_FOUND if there was no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL.

   Safety:
   gradient comes from ldy_gradient_create; frames are NULL or have 9 values each, points are NULL or have 3 values each. */
LDY_RESULT
int ldy_gradient_joint(const ldy_gradient *gradient,
                       int64_t joint,
                       double *master_frame,
                       double *master_point,
                       double *slave_frame,
                       double *slave_point);

/* Return the derivatives by the operator H of a constraint on a body, signs included. A constraint at points and a
   joint have an H, too.

   - constraint: its id. body: the id of a body that it acts on; this is not checked.
   - values: where to write count values, m x n, column-major.
   - count: m * n, with the numbers m of its rows and n of the body's generalized velocities.

   Returns 0, LDY_ERROR_NOT_FOUND if there was no such constraint or body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count
   is wrong.

   Safety:
   gradient comes from ldy_gradient_create; values is NULL or has count values. */
LDY_RESULT
int ldy_gradient_operator(const ldy_gradient *gradient,
                          int64_t constraint,
                          int64_t body,
                          double *values,
                          size_t count);

/* Return the derivatives by the compliance of a constraint, also if it has none. The diagonal ones are those by regularization.

   - constraint: its id.
   - values: where to write count values, m x m, column-major and symmetric; the derivative by both of two equal entries is the sum
     of both.
   - count: m * m, with the number m of its rows.

   Returns 0, LDY_ERROR_NOT_FOUND if there was no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is
   wrong.

   Safety:
   gradient comes from ldy_gradient_create; values is NULL or has count values. */
LDY_RESULT
int ldy_gradient_compliance(const ldy_gradient *gradient,
                            int64_t constraint,
                            double *values,
                            size_t count);


/* The memory for many systems at once: a contact solver and derivatives for each. Threads take one system after the other (see
   ldy_set_threads), and each system has the bits that it has alone. A call that repeats the number of systems and their
   patterns allocates nothing. One thread at a time may use it. */
typedef struct ldy_batch ldy_batch;

/* Create a batch.

   - batch: where to write it. Destroy it with ldy_batch_destroy.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if batch is NULL.

   Safety:
   batch is NULL or valid. */
LDY_RESULT
int ldy_batch_create(ldy_batch **batch);

/* Destroy a batch; NULL is allowed.

   Safety:
   batch is NULL or comes from ldy_batch_create, and is not used afterwards. */
void ldy_batch_destroy(ldy_batch *batch);

/* Update many systems, as ldy_system_update does for one system. All are tried, also after an error. The calling thread updates the
   systems that have inverse callbacks.

   - systems: count systems, all different.
   - h: the step of all of them.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a system is NULL or is there twice, or the error
   of the first system that could not be updated; the text has its place in systems, counted from 0.

   Safety:
   batch comes from ldy_batch_create; systems is NULL or has count systems, each NULL or from ldy_system_create. */
LDY_RESULT
int ldy_batch_update(ldy_batch *batch,
                     ldy_system *const *systems,
                     size_t count,
                     double h);

/* Solve the contact problems of many systems, as ldy_contact_solver_solve does for one system, with kept laws. All
   are tried, also after an error.

   - systems: count systems, all different.
   - options: NULL: the defaults. Each system has the same ones: a limit of sweeps or work belongs to each system, so that a hard one
     does not keep the others waiting. There is no progress function.
   - R: the forces of all systems, initial guesses and results.
   - starts: count + 1 values: the first value of each system in R, from 0 on, and the end.
   - statuses, residuals: where to write count values each, see ldy_contact_solver_report; NULL: not wanted. A system with an error has
     the status -1.

   Returns 0, also if solutions did not converge, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a system is
   NULL or is there twice, or starts do not fit, or the error of the first system that could not be solved; the text has its place in
   systems, counted from 0. R of a system with an error has not changed.

   Safety:
   batch comes from ldy_batch_create; systems is NULL or has count systems, each NULL or from ldy_system_create; the other arrays are
   NULL or have the sizes given, and do not overlap; options is NULL or valid, and has the bytes that its size says. */
LDY_RESULT
int ldy_batch_solve(ldy_batch *batch,
                    ldy_system *const *systems,
                    size_t count,
                    const ldy_contact_solver_options *options,
                    double *R,
                    const size_t *starts,
                    int32_t *statuses,
                    double *residuals);

/* Compute y = W x for each of many systems, as ldy_system_multiply does for one system. All are tried, also after an error.

   - systems: count systems, all different.
   - x: a vector for each system, without gaps between them.
   - y: where to write the products.
   - starts: count + 1 values: the first value of each system in x and y, from 0 on, and the end.

   Returns 0, LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a system is NULL or is there twice, or starts do not fit, or the error of
   the first system whose W is not known; the text has its place in systems, counted from 0. y of a system with an error has not changed.

   Safety:
   batch comes from ldy_batch_create; systems is NULL or has count systems, each NULL or from ldy_system_create; the other arrays are
   NULL or have the sizes given, and do not overlap. */
LDY_RESULT
int ldy_batch_multiply(ldy_batch *batch,
                       ldy_system *const *systems,
                       size_t count,
                       const double *x,
                       double *y,
                       const size_t *starts);

/* Compute for each of many systems the derivatives of a function of its forces and velocities by B and by laws. It does what
   ldy_derivatives_compute and ldy_derivatives_adjoint do for one system, with the laws that are kept with the constraints. All are
   tried, also after an error.

   - systems: count systems, all different.
   - R: the solutions of all systems.
   - by_R, by_U: the derivatives of the functions.
   - by_B: where to write their derivatives by B.
   - by_laws: where to write their derivatives by the numbers of laws, one law for each constraint, in the order of systems and rows, see
     ldy_derivatives_adjoint; NULL: not wanted. Nothing is written after an error. law_count is the number of constraints of all systems,
     or 0.
   - starts: count + 1 values: the first value of each system in R, by_R, by_U and by_B, from 0 on, and the end.
   - fits: where to write count values, how well the equations of each system could be solved; NULL: not wanted.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a system is NULL or is there twice, or starts do
   not fit, or the error of the first system that has no derivatives; the text has its place in systems, counted from 0.

   Safety:
   batch comes from ldy_batch_create; systems is NULL or has count systems, each NULL or from ldy_system_create; the other arrays are
   NULL or have the sizes given, and those that are written do not overlap others. */
LDY_RESULT
int ldy_batch_adjoint(ldy_batch *batch,
                      ldy_system *const *systems,
                      size_t count,
                      const double *R,
                      const double *by_R,
                      const double *by_U,
                      double *by_B,
                      ldy_law *by_laws,
                      size_t law_count,
                      const size_t *starts,
                      ldy_fit *fits);


/* Solve the contact problems of many systems as ldy_batch_solve does, for forces with a stride.

   - systems, count, options, statuses, residuals: as in ldy_batch_solve.
   - R: the forces of all systems, initial guesses and results. The values of system k begin R_stride k bytes after the first ones, one for
     each of its scalar rows. Bytes between vectors are neither read nor written: they may be members of your structures.
   - R_stride: a multiple of 8, at least 8 times the number of scalar rows of each system but the last.

   Returns what ldy_batch_solve returns; LDY_ERROR_INVALID_ARGUMENT if the stride is none of these, and nothing is solved then.

   Safety:
   As for ldy_batch_solve, with the stride of R. */
LDY_RESULT
int ldy_batch_solve_strided(ldy_batch *batch,
                            ldy_system *const *systems,
                            size_t count,
                            const ldy_contact_solver_options *options,
                            double *R,
                            size_t R_stride,
                            int32_t *statuses,
                            double *residuals);

/* Compute y = W x for each of many systems as ldy_batch_multiply does, for vectors with strides.

   - systems, count: as in ldy_batch_multiply.
   - x, x_stride: a vector for each system; the vector of system k begins x_stride k bytes after the first one. x_stride is a
     multiple of 8; 0: one vector for all systems.
   - y, y_stride: where to write the products, as R in ldy_batch_solve_strided.

   Returns what ldy_batch_multiply returns; LDY_ERROR_INVALID_ARGUMENT if a stride is none of these, and nothing is computed then.

   Safety:
   As for ldy_batch_multiply, with the strides of x and y. */
LDY_RESULT
int ldy_batch_multiply_strided(ldy_batch *batch,
                               ldy_system *const *systems,
                               size_t count,
                               const double *x,
                               size_t x_stride,
                               double *y,
                               size_t y_stride);

/* Compute derivatives for each of many systems as ldy_batch_adjoint does, for vectors with strides.

   - systems, count, fits: as in ldy_batch_adjoint.
   - R, by_R, by_U and their strides: as x in ldy_batch_multiply_strided.
   - by_B, by_B_stride: where to write the derivatives by B, as R in ldy_batch_solve_strided.
   - by_laws, by_laws_stride: where to write the derivatives by the numbers of laws, for each system one law for each of its
     constraints; the first one of system k is by_laws_stride k bytes after the first one of all. by_laws_stride is a multiple of 8 and
     has bytes for these laws. NULL: not wanted. Nothing is written after an error.

   Returns what ldy_batch_adjoint returns; LDY_ERROR_INVALID_ARGUMENT if a stride is none of these, and nothing is computed then.

   Safety:
   As for ldy_batch_adjoint, with the strides of all arrays. */
LDY_RESULT
int ldy_batch_adjoint_strided(ldy_batch *batch,
                              ldy_system *const *systems,
                              size_t count,
                              const double *R,
                              size_t R_stride,
                              const double *by_R,
                              size_t by_R_stride,
                              const double *by_U,
                              size_t by_U_stride,
                              double *by_B,
                              size_t by_B_stride,
                              ldy_law *by_laws,
                              size_t by_laws_stride,
                              ldy_fit *fits);


/* Keep the law of a constraint with the constraint.

   A solver that gets no laws uses the kept ones (see ldy_contact_solver_solve), so that a program needs no table from rows to
   contacts. The law stays when the constraint is moved or gets other operators, and when other constraints are inserted or
   removed. It goes when the constraint is removed. A new constraint has no law. W, B and all other results of the last update
   remain valid: no update depends on laws.

   - constraint: its id.
   - law: copied. kind LDY_LAW_NONE removes the law that the constraint has.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, the kind
   is unknown, a contact law does not fit the number of rows, or a value is not valid. Then nothing has
   changed.

   Safety:
   system comes from ldy_system_create; law is NULL or valid. */
LDY_RESULT
int ldy_system_set_law(ldy_system *system,
                       int64_t constraint,
                       const ldy_law *law);

/* Keep the laws of many constraints, as ldy_system_set_law does for one constraint: all laws, or none.

   - constraints: count ids. constraints_stride: bytes from one id to the next, see ldy_system_add_point_constraints.
   - laws: count laws, copied. laws_stride: bytes from one law to the next; 0: the first law is for all constraints.

   If a constraint is there twice, its last law holds. Returns 0 or LDY_ERROR_INVALID_ARGUMENT, as ldy_system_set_law; also if a
   stride is no multiple of 8. The text names the number of the entry and the constraint.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
LDY_RESULT
int ldy_system_set_laws(ldy_system *system,
                        const int64_t *constraints,
                        size_t constraints_stride,
                        const ldy_law *laws,
                        size_t laws_stride,
                        size_t count);

/* Write the law that is kept with a constraint.

   - law: where to write it. Values that the constraint does not read are zero. kind is LDY_LAW_NONE if the constraint has no
     law.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL.

   Safety:
   system comes from ldy_system_create; law is NULL or valid. */
LDY_RESULT
int ldy_system_law(const ldy_system *system,
                   int64_t constraint,
                   ldy_law *law);

/* Write the laws that are kept with many constraints, as ldy_system_law does for one constraint.

   - constraints: count ids, with their stride as in ldy_system_set_laws.
   - laws: where to write count laws. laws_stride: bytes from one law to the next, at least the size of a law.

   Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or a
   stride is too short or no multiple of 8. Then nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and do not overlap. */
LDY_RESULT
int ldy_system_laws(const ldy_system *system,
                    const int64_t *constraints,
                    size_t constraints_stride,
                    ldy_law *laws,
                    size_t laws_stride,
                    size_t count);


/* How contacts are stabilized. Set size, then the fields that differ from zero. If all are zero, penetrations stay as they are,
   and contacts do not bounce. */
typedef struct {
  /* sizeof (ldy_stabilization), set by the caller before the call. */
  size_t size;
  /* The share of a penetration that one step removes, 0 to 1: Baumgarte's factor, or error reduction parameter. Often 0.1 to
     0.3. */
  double erp;
  /* The penetration that is left alone, not negative, so that contacts that rest stay in touch. For instance a thousandth of a
     body. */
  double slop;
  /* The largest speed by which a penetration is removed; 0: no limit. */
  double max_speed;
  /* Newton's coefficient of restitution, 0 to 1. */
  double restitution;
  /* The approach speed up to which contacts do not bounce, so that they come to rest. */
  double bounce_speed;
} ldy_stabilization;

/* Compute the bias of the normal component of a contact's law, see ldy_law.

   - stabilization: what to do with penetrations and impacts.
   - gap: distance of the bodies along the normal, negative for a penetration.
   - V_N: normal component of the velocity before the step, from ldy_rows.V; positive where the bodies separate.
   - h: the step.
   - bias: where to write it.

   A contact that is open may close: U_N >= -gap / h. A penetration beyond the slop is removed with the speed erp (-gap - slop) /
   h. A contact that is closed and approaches faster than bounce_speed leaves with restitution times its approach speed. The
   larger of the speeds holds. For the drift of a joint, the bias of each component is erp times its error over h.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or not finite, a parameter is out of range, or h is not
   positive. Then nothing is written.

   Safety:
   stabilization is NULL or valid and has the bytes that its size says; bias is NULL or valid. */
LDY_RESULT
int ldy_contact_bias(const ldy_stabilization *stabilization,
                     double gap,
                     double V_N,
                     double h,
                     double *bias);


/* A coefficient of friction for each slip speed v: mu_k + (mu_s - mu_k) exp (-(v / v_s)^2) + c v, and mu_s up to the stick speed
   (Stribeck's curve). Set size, then the fields that differ from zero. */
typedef struct {
  /* sizeof (ldy_friction_curve), set by the caller before the call. */
  size_t size;
  /* mu_s, the coefficient of a contact that sticks, not negative. */
  double static_friction;
  /* mu_k, the coefficient of a contact that slides fast, not negative. */
  double kinetic_friction;
  /* v_s, the speed of the transition. 0: the coefficient is mu_k at any slip, so that a contact has static and kinetic friction. */
  double stribeck_speed;
  /* c, the growth of the coefficient with the slip, 1 over a velocity, not negative. */
  double viscous;
  /* The slip speed up to which a contact counts as sticking: the error of velocities in a solution. */
  double stick_speed;
} ldy_friction_curve;

/* Compute the coefficient of friction of a contact's law, see ldy_law, from its slip in the last solution.

   - curve: the coefficient for each slip speed.
   - slip: |U_T| in the last solution, 0 for a contact that is new or open.
   - friction: where to write it.

   Use it once in each step, or solve a step again until the coefficients no longer change. docs/solvers/methods.md says what is
   known of solutions.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, negative or not finite, or the coefficient overflows. Then
   nothing is written.

   Safety:
   curve is NULL or valid and has the bytes that its size says; friction is NULL or valid. */
LDY_RESULT
int ldy_contact_friction(const ldy_friction_curve *curve,
                         double slip,
                         double *friction);


/* A compliant contact with the force k x^n (1 + 3/2 c dx/dt) for a penetration x > 0 (Hunt and Crossley, 1975). Set all fields. */
typedef struct {
  /* sizeof (ldy_hunt_crossley), set by the caller before the call. */
  size_t size;
  /* k, positive. */
  double stiffness;
  /* n, at least 1: 1 for a linear spring, 1.5 for Hertz's contact of spheres. */
  double exponent;
  /* c, not negative, 1 over a velocity. An impact with a small speed v has the coefficient of restitution 1 - c v. */
  double damping;
  /* The penetration, positive, below which the tangent of x^n at this penetration replaces x^n. The stiffness would vanish at
     zero. */
  double least_penetration;
} ldy_hunt_crossley;

/* Compute compliance and bias of the normal component of a compliant contact, for this step.

   - model: the force of the contact.
   - gap: distance of the bodies along the normal, negative for a penetration.
   - V_N: normal component of the velocity before the step, from ldy_rows.V; positive where the bodies separate.
   - h: the step.
   - compliance: where to write the normal entry of the diagonal for ldy_system_set_compliance. The other entries are zero.
   - bias: where to write the bias of the normal component of the law, see ldy_law.

   The force is linearized at the penetration and V_N, and taken at the end of the step, when the penetration is -gap - h U_N. With x
   = max (-gap, least_penetration): R_N = k x^n (1 - 3/2 c U_N) - s (gap + x + h U_N), s = k n x^(n-1) max (1 - 3/2 c V_N, 0). So
   R_N = -(U_N + bias) / compliance, and the contact's law leaves out what would pull.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or not finite, a parameter is out of range, h is not positive, or
   a result overflows. Then nothing is written.

   Safety:
   model is NULL or valid and has the bytes that its size says; compliance and bias are NULL or valid. */
LDY_RESULT
int ldy_contact_compliance(const ldy_hunt_crossley *model,
                           double gap,
                           double V_N,
                           double h,
                           double *compliance,
                           double *bias);


/* Write the contact problem of a system to a file: W, B, laws and forces of the last update, with all digits, and Z with W = Z
   Z^T if it is known, for steps in the space of bodies.

   One file then has all that a contact solver reads, for example of a step that is hard to solve. Python reads it with
   ldy.load_problem and `python -m ldy solve`, NumPy with numpy.load; docs/reference/file-format.md has the format. The file has at most 4 GiB,
   and is replaced as ldy_rows_write says.

   - laws: law_count laws, one for each row. NULL, with law_count 0: the laws that are kept with the constraints.
   - R: count values, one for each scalar row: the initial guess of a solver. NULL, with count 0: none.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_FILE_OPEN if the file cannot be opened, LDY_ERROR_FILE_WRITE if it cannot be
   written, LDY_ERROR_STALE_RESULTS if there was no successful update since the last change, or LDY_ERROR_INVALID_ARGUMENT if
   system or path is NULL, a count is wrong, a law is not valid for its constraint, a constraint has no kept law, or a value is
   not finite; the text names the constraint.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given; path is NULL or a C string. */
LDY_RESULT
int ldy_problem_write(const ldy_system *system,
                      const ldy_law *laws,
                      size_t law_count,
                      const double *R,
                      size_t count,
                      const char *path);


/* The changes that ldy_system_sync_constraints has made. */
typedef struct {
  /* sizeof (ldy_sync_report), set by the caller before the call. */
  size_t size;
  /* Number of constraints whose keys were known. */
  size_t kept;
  /* Number of new constraints. */
  size_t inserted;
  /* Number of constraints that were removed. */
  size_t removed;
  /* The id of the first new constraint, or -1. New constraints have consecutive ids in the order of entries, and all older ids
     are smaller. */
  int64_t first_inserted;
} ldy_sync_report;

/* Make the constraints with keys equal to a list, for instance to the contacts that were found in this step. The function does
   all of it, or nothing.

   The program gives each entry a key, any number by which it knows a contact again. This function matches keys with the
   constraints that earlier calls of it have inserted:

   - A known key: the constraint gets bodies, frame and points of the entry. It keeps id, row, compliance and regularization,
     reaction (ldy_system_stored_reactions), and law (ldy_system_set_law) unless the entry has a law. If its frame changes, the
     reaction is expressed in the new axes, so that the force on the bodies in the world is the same, and a solver begins with
     it. If master and slave change places, the sign of the reaction changes, too.
   - A new key: a constraint is inserted as by ldy_system_add_point_constraint, after all others, with zero reaction.
   - A key that is no longer in the list: the constraint is removed.

   Constraints that were inserted by other functions have no key and are not touched. The key of a constraint is its tag:
   ldy_system_tags returns keys in the order of rows, and ldy_system_set_tags changes the key. If two constraints have the same
   key then, the one with the smaller id is kept, and the other is removed. The functions that move, change or remove constraints
   take constraints with keys, too; a constraint that was removed has no key any more.

   Rows have to be updated after it. If only frames and points have changed, the pattern of W stays.

   - count: number of entries; 0 removes all constraints with keys. Strides are bytes, see ldy_system_add_point_constraints.
   - keys: a key each, none twice.
   - masters, slaves, frames, master_points, slave_points: as in ldy_system_add_point_constraints.
   - laws: a law each, or NULL; laws_stride 0: the first is for all. A law of kind LDY_LAW_NONE, or NULL: a known constraint
     keeps its law, and a new one has none.
   - constraints: where to write the id of the constraint of each entry; NULL: not wanted.
   - report: NULL: not wanted.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY or LDY_ERROR_INVALID_ARGUMENT (NULL argument, a stride that is no multiple of 8, a key
   twice, an entry that ldy_system_add_point_constraint or ldy_system_set_law refuses: the text names the entry). After an error
   nothing has changed, and the last update still has its results.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given; constraints
   overlaps no values that are read; report is NULL or valid and has the bytes that its size says. */
LDY_RESULT
int ldy_system_sync_constraints(ldy_system *system,
                                const uint64_t *keys,
                                size_t keys_stride,
                                const int64_t *masters,
                                const int64_t *slaves,
                                size_t bodies_stride,
                                const double *frames,
                                size_t frames_stride,
                                const double *master_points,
                                const double *slave_points,
                                size_t points_stride,
                                const ldy_law *laws,
                                size_t laws_stride,
                                int64_t *constraints,
                                size_t constraints_stride,
                                size_t count,
                                ldy_sync_report *report);

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
