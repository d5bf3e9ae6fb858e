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
 * Lengths. An array of fixed length has 3 values (a point) or 9 (a matrix). n, the number of velocities of a
 * body, comes before the arrays whose lengths follow from it. A count comes directly after the array or arrays whose
 * values it counts: 3 times the rows for R. If a length is wrong, the function returns LDY_ERROR_INVALID_ARGUMENT, or for a sparse
 * matrix LDY_ERROR_INVALID_FORMAT, and writes nothing.
 *
 * Rows. A constraint has three rows of scalars, unless ldy_system_add_rows or ldy_system_add_dof_constraint inserts it with one
 * to six. Arrays with three values a row, such as R, x and y, then have one value for each scalar row, without gaps;
 * ldy_rows has the first index of each constraint.
 *
 * Signs and units. Relative velocities are master minus slave, in the local frame of the constraint. R is the
 * average force over the step, so that W carries the factor h; with h = 1 R is an impulse. Units are any
 * consistent set.
 *
 * Results belong to the system and are valid until its next change: any function on it without a `const`.
 *
 * Forces. ldy_contact_solver_solve finds the R that obey the laws of constraints, given row by row; ldy_contact_solver_solve_rows does so
 * with any block-sparse W.
 *
 * Errors. A function returns 0 or one of the codes below, and ldy_last_error returns the details, for instance
 *   constraint 12 between bodies 3 and 7: its frame is not finite
 * A function that fails changes nothing, except where it says so. Nothing here exits, jumps, or calls the
 * handler of ldy.h.
 *
 * Threads. A system is used by one thread at a time, different systems by different threads at once. Large
 * systems are updated by several threads if ldy_set_threads allows it; results have the same bits. A thread that calls
 * the library needs a stack of 128 KiB.
 *
 * Structures that the caller allocates begin with their size, which the caller sets before each call:
 *   ldy_rows rows = { .size = sizeof (ldy_rows) };
 * The library reads and writes the fields that both it and the caller's header know. It does not change fields that
 * only the caller's header knows. If a size is invalid, such as 0, the function returns LDY_ERROR_INVALID_ARGUMENT and writes nothing.
 *
 * Linking. libldy.a comes after the program's own objects and archives, the system's libraries after it:
 *   cc program.o libldy.a -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc
 */

#ifndef LDY_SYSTEM_H
#define LDY_SYSTEM_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Code in a report of ldy_shadow_check: no error, but the legacy module differs from the library. */
#define LDY_DIFFERS -1

/* Error code: memory exhausted. */
#define LDY_ERROR_OUT_OF_MEMORY 1

/* Error code: a file cannot be opened. */
#define LDY_ERROR_FILE_OPEN 2

/* Error code: a file cannot be written. */
#define LDY_ERROR_FILE_WRITE 4

/* Error code: not in this build or version. */
#define LDY_ERROR_NOT_IMPLEMENTED 8

/* Error code: a diagonal block of W, or a general matrix A, is singular. */
#define LDY_ERROR_SINGULAR 15

/* Error code: a symmetric matrix A is not positive definite. */
#define LDY_ERROR_NOT_POSITIVE_DEFINITE 16

/* Error code: an inverse is missing, of unknown kind, ill-formed or of wrong size. */
#define LDY_ERROR_INVALID_FORMAT 20

/* Error code: the eigenvalue iteration of a diagonal block failed. */
#define LDY_ERROR_EIGENVALUES 26

/* Error code: the local coordinates of a point in its element were not found. */
#define LDY_ERROR_POINT_NOT_IN_ELEMENT 47

/* Error code: NULL or inconsistent argument, unknown kind, non-finite value. */
#define LDY_ERROR_INVALID_ARGUMENT 52

/* Bytes of the text of a report. */
#define LDY_REPORT_TEXT 512

/* Details of the calling thread's last error: which constraint, which bodies, what was wrong.

   Returns a string owned by the library, valid until the thread's next error; empty if there was none. */
const char *ldy_last_error(void);

/* The library's version, "major.minor.patch": a string of static lifetime. */
const char *ldy_version(void);

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
int ldy_set_threads(int n);

/* End the library's threads and release their memory, for instance before the host exits or is unloaded.

   While an update in another thread uses the threads, the function waits, at most for one stage of that update. An
   inverse callback may call it during an update, which then continues without threads; so may a function that jumps out
   of a callback. If a signal handler calls it in one of the library's threads, it does nothing. The library can be used
   afterwards: the next update that uses threads starts them again. Never raises. */
void ldy_shutdown(void);

/* The rows of ldy.h, for ldy_locdyn_rows_copy alone. */
struct locdyn;

/* The id of the ground, for a constraint that has a body on one side only. */
#define LDY_GROUND -1

/* A system: bodies, constraints between them, and the results of the last update, U = B + W R. One thread at a time may use it. */
typedef struct ldy_system ldy_system;

/* Create a system without bodies.

   - system: where to write it. Destroy it with ldy_system_destroy.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if system is NULL.

   Safety:
   system is NULL or valid. */
int ldy_system_create(ldy_system **system);

/* Destroy a system with all its bodies and constraints; NULL is allowed.

   Safety:
   system is NULL or comes from ldy_system_create, and is not used afterwards. */
void ldy_system_destroy(ldy_system *system);


/* An inverse callback: a function of the program that replaces x by A^-1 x.

   - size: number of values of a column.
   - columns: number of columns.
   - x: size x columns values, column after column without gaps; in: x, out: A^-1 x.
   - data: the pointer that was given with the callback.

   Returns 0, or any other value if it failed. The thread that calls the library calls it. It must not use the system that calls
   it, and must not leave by longjmp or an exception. */
typedef int (*ldy_apply_inverse)(int size, int columns, double *x, void *data);

/* Insert a rigid body. Its generalized velocity has 6 values: angular velocity in the referential frame (the body's own axes),
   then velocity of the mass center.

   - mass: positive.
   - inertia: referential inertia about the mass center, 3 x 3, symmetric positive definite.
   - rotation: from the reference configuration to the current one, 3 x 3, column-major, orthonormal.
   - center: referential mass center, 3 values.
   - body: where to write the id.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a value is not finite, mass or inertia
   is not positive definite, or the rotation is not orthonormal to within 1e-8.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_add_rigid(ldy_system *system,
                         double mass,
                         const double *inertia,
                         const double *rotation,
                         const double *center,
                         long long *body);

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
int ldy_system_add_pseudo_rigid(ldy_system *system,
                                double mass,
                                const double *euler,
                                const double *center,
                                long long *body);

/* Insert an obstacle: a body with prescribed motion. Its points move as the points of a rigid body. A^-1 = 0, so that it
   contributes to B and V but couples no constraints in W.

   - rotation: from the reference configuration to the current one, 3 x 3, column-major, orthonormal.
   - center: referential center, 3 values.
   - body: where to write the id.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a value is not finite, or the rotation
   is not orthonormal to within 1e-8.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_add_obstacle(ldy_system *system,
                            const double *rotation,
                            const double *center,
                            long long *body);

/* Insert a body with a dense inverse inertia. Its constraints are given by operators H.

   - n: number of its generalized velocities, at least 1.
   - inverse: A^-1, n x n, symmetric.
   - body: where to write the id.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, n < 1, or A^-1 is not finite or not
   symmetric.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_add_dense(ldy_system *system,
                         int n,
                         const double *inverse,
                         long long *body);

/* Insert a body with a diagonal inverse inertia. Its constraints are given by operators H.

   - n: number of its generalized velocities, at least 1.
   - inverse: the diagonal of A^-1, n values, none negative.
   - body: where to write the id.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, n < 1, or a value is negative or not
   finite.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_add_diagonal(ldy_system *system,
                            int n,
                            const double *inverse,
                            long long *body);

/* Insert a body with a sparse matrix A. Its constraints are given by operators H.

   Updates factor A. They keep the factors while the matrix is the same, and the elimination order while the pattern is the same.

   - n: number of its generalized velocities, at least 1.
   - starts, rows, values: A in compressed sparse columns, symmetric positive definite. Column j has the values starts[j] <= k <
     starts[j + 1] in the rows rows[k]. starts has n + 1 values. The lower triangle is enough; if there are entries above the
     diagonal, the whole symmetric matrix must be there.
   - count: number of values in rows and in values, equal to starts[n].
   - body: where to write the id.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_POSITIVE_DEFINITE if a diagonal entry is missing, LDY_ERROR_INVALID_FORMAT if
   the columns are ill-formed, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, n < 1, or A is not finite or not symmetric. If
   A is not positive definite, an update returns the error.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_add_matrix(ldy_system *system,
                          int n,
                          const int *starts,
                          const int *rows,
                          const double *values,
                          size_t count,
                          long long *body);

/* Insert a body whose A^-1 is applied by an inverse callback. Its constraints are given by operators H.

   - n: number of its generalized velocities, at least 1.
   - solver: the inverse callback; A^-1 must be symmetric. Each update calls it once, with three columns for each constraint on the
     body, even if nothing has changed. Each vector that is multiplied through bodies needs one more call.
   - data: passed to the callback.
   - body: where to write the id.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or n < 1.

   Safety:
   system comes from ldy_system_create; solver does as its type says, with data, as long as the body exists. */
int ldy_system_add_solver(ldy_system *system,
                          int n,
                          ldy_apply_inverse solver,
                          void *data,
                          long long *body);

/* Insert several bodies with a shared inverse callback, for instance the kinematic trees of a simulator that applies M^-1 to all
   of them at once. Their constraints are given by operators H.

   - sizes: number of generalized velocities of each body, count values, at least 1 each.
   - solver: the inverse callback. A column has the velocities of all bodies, in the order of sizes, without gaps.
   - data: passed to the callback.
   - bodies: where to write the ids, count consecutive numbers.

   A^-1 must be symmetric and block-diagonal by body; entries that couple bodies are ignored. So one column holds a right-hand side
   for each body. The number of columns is three for each constraint on the body with the most constraints. Columns are zero at a
   body that needs fewer, or that has left.

   The callback is called once in each update in which a constraint acts on one of the bodies, more than once if its columns would
   take more than 64 MB. Each vector that is multiplied through bodies needs one more call. If it fails, the function that called
   it returns LDY_ERROR_SINGULAR, and the text names the first of the bodies that constraints act on.

   You use each body as any other, with its own velocity. You may remove it or set another inertia; then it leaves the callback,
   whose columns keep their length. The library uses solver and data until the last body has left.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there are no bodies, a size is below
   1, or an int cannot hold the number of all velocities. After an error no body is inserted.

   Safety:
   system comes from ldy_system_create; sizes and bodies are NULL or have count values; solver does as its type says, with data,
   until the last body has left. */
int ldy_system_add_model(ldy_system *system,
                         const int *sizes,
                         size_t count,
                         ldy_apply_inverse solver,
                         void *data,
                         long long *bodies);

/* Remove a body.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if system is NULL, there is no such body, or a constraint acts on it.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_remove_body(ldy_system *system,
                           long long body);

/* Set the rotation of a rigid body or an obstacle.

   - rotation: 3 x 3, column-major, orthonormal.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such body, it is of another kind, or the rotation
   is not finite or not orthonormal to within 1e-8.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_set_rotation(ldy_system *system,
                            long long body,
                            const double *rotation);

/* Accept or refuse frames and rotations that are not orthonormal, from now on. A new system refuses them. Some programs need them,
   for instance for axes that carry units.

   - any: 0 refuses them, any other value accepts them.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if system is NULL.

   Safety:
   system comes from ldy_system_create. */
int ldy_system_take_any_axes(ldy_system *system,
                             int any);

/* Set mass and inertia of a rigid or pseudo-rigid body.

   - mass: positive.
   - inertia: referential inertia of a rigid body, Euler tensor of a pseudo-rigid body, as at insertion.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such body, it is of another kind or an obstacle
   with constraints, or a value is not finite or not positive definite.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_set_mass(ldy_system *system,
                        long long body,
                        double mass,
                        const double *inertia);

/* Set a dense inverse inertia of a body of any kind. For instance, a rigid body can have the inverse of an implicit scheme.

   - n: number of its generalized velocities.
   - inverse: A^-1, n x n, symmetric.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such body, n is not its
   number of velocities, it is an obstacle with constraints, or A^-1 is not finite or not symmetric.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_set_dense(ldy_system *system,
                         long long body,
                         int n,
                         const double *inverse);

/* Set a diagonal inverse inertia of a body of any kind.

   - n: number of its generalized velocities.
   - inverse: the diagonal of A^-1, n values, none negative.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such body, n is not its
   number of velocities, it is an obstacle with constraints, or a value is negative or not finite.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_set_diagonal(ldy_system *system,
                            long long body,
                            int n,
                            const double *inverse);

/* Set a sparse matrix A of a body of any kind.

   - n: number of its generalized velocities.
   - starts, rows, values, count: A, as in ldy_system_add_matrix.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_POSITIVE_DEFINITE if a diagonal entry is missing, LDY_ERROR_INVALID_FORMAT if
   the columns are ill-formed, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such body, n is not its number of
   velocities, it is an obstacle with constraints, or A is not finite or not symmetric.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_set_matrix(ldy_system *system,
                          long long body,
                          int n,
                          const int *starts,
                          const int *rows,
                          const double *values,
                          size_t count);

/* Set the free generalized velocity of a body: its velocity after the step if there were no reactions. B = H times this velocity.

   - velocity: count values.
   - count: number of its generalized velocities.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such body, count is wrong, or a value is not
   finite.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_set_velocity(ldy_system *system,
                            long long body,
                            const double *velocity,
                            size_t count);

/* Set the previous generalized velocity of a body: its velocity before the step. V = H times this velocity.

   - velocity: count values.
   - count: number of its generalized velocities.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such body, count is wrong, or a value is not
   finite.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_set_previous_velocity(ldy_system *system,
                                     long long body,
                                     const double *velocity,
                                     size_t count);

/* Return the free generalized velocity of a body, as it was set, or as ldy_system_apply_reactions has changed it.

   - velocity: where to write it, count values.
   - count: number of its generalized velocities.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such body, or count is wrong.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_velocity(const ldy_system *system,
                        long long body,
                        double *velocity,
                        size_t count);


/* An operator H of three rows, with a column for each of the n generalized velocities of its body. It has one of three forms:

   - Dense: starts and rows are NULL, and values has 3 n values, column-major. Zero columns are not stored and cost nothing.
   - Sparse: column j has the values starts[j] <= k < starts[j + 1] in the rows rows[k], which are 0, 1 or 2. starts has n + 1
     values, rows and values have starts[n].
   - By nodes, for a mesh with three generalized velocities per node: the columns of node a are N_a Q. starts is NULL. values has
     Q, 3 x 3 and column-major, then a weight N for each of count - 9 nodes. rows has these nodes, counted from 0 and ascending.
     This is the fastest form if all constraints on the body have it, and the body has a sparse matrix A or a diagonal inverse
     inertia. */
typedef struct {
  /* Number of columns. */
  int n;
  /* Index of the first entry of each column, then the number of entries; NULL: dense or by nodes. */
  const int *starts;
  /* Row of each entry, or node of each weight; NULL: dense. */
  const int *rows;
  /* The entries, or Q and the weights. */
  const double *values;
  /* Number of values. */
  size_t count;
} ldy_operator;

/* Insert a constraint between points of rigid bodies, pseudo-rigid bodies or obstacles: U = E^T (velocity of the master's point -
   velocity of the slave's point).

   - master, slave: ids; one of them may be LDY_GROUND.
   - frame: E, 3 x 3, column-major, orthonormal. Its columns are the local axes.
   - master_point, slave_point: referential points, 3 values each; not read for the ground.
   - constraint: where to write the id.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a body does not exist or has no
   points, a value is not finite, or the frame is not orthonormal to within 1e-8 (unless ldy_system_take_any_axes accepts it).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_add_point_constraint(ldy_system *system,
                                    long long master,
                                    long long slave,
                                    const double *frame,
                                    const double *master_point,
                                    const double *slave_point,
                                    long long *constraint);

/* Insert a constraint by operators H: U = H_master u_master + H_slave u_slave. The operators contain the signs.

   - master, slave: ids; one of them may be LDY_GROUND.
   - H_master, H_slave: see ldy_operator; copied; not read for the ground.
   - constraint: where to write the id.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a body does not exist, or an operator
   is ill-formed or not finite.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_add_operators(ldy_system *system,
                             long long master,
                             const ldy_operator *H_master,
                             long long slave,
                             const ldy_operator *H_slave,
                             long long *constraint);

/* Remove a constraint. Later rows move up; the ids of other constraints do not change.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if system is NULL or there is no such constraint.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_remove_constraint(ldy_system *system, long long constraint);

/* Set frame and points of a constraint that was inserted with points; as in ldy_system_add_point_constraint.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such constraint, it has operators, a value is not
   finite, or the frame is not orthonormal.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_move_constraint(ldy_system *system,
                               long long constraint,
                               const double *frame,
                               const double *master_point,
                               const double *slave_point);

/* Set the operators of a constraint that was inserted with operators; as in ldy_system_add_operators.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such constraint, it has
   points, or an operator is ill-formed or not finite.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_set_operators(ldy_system *system,
                             long long constraint,
                             const ldy_operator *H_master,
                             const ldy_operator *H_slave);

/* Set the compliance of a constraint. Updates add it to the diagonal block of W; they do not multiply it by h.

   - compliance: 3 x 3, symmetric positive semidefinite; NULL: none.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if system is NULL, there is no such constraint, the compliance is not finite, not
   symmetric or not positive semidefinite, or the constraint was not inserted with three rows on one or two bodies. For other
   constraints use ldy_system_set_rows_compliance.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_set_compliance(ldy_system *system,
                              long long constraint,
                              const double *compliance);

/* Set a diagonal compliance of a constraint; see ldy_system_set_compliance.

   - compliance: the diagonal, 3 values, none negative.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such constraint, a value is negative or not finite,
   or ldy_system_set_compliance refuses the constraint.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_set_diagonal_compliance(ldy_system *system,
                                       long long constraint,
                                       const double *compliance);


/* Insert a constraint of m rows on several bodies by operators H: U = sum of H u over the bodies. The operators contain the signs.

   - m: 1 to 6.
   - bodies: count different ids.
   - H: an operator for each body, copied. See ldy_operator, but with m rows: dense with m n values, column-major, or sparse with
     rows below m; not by nodes.
   - count: 1 to 16.
   - constraint: where to write the id.

   A limit, motor or friction loss of a joint has one row, a planar contact two, a contact or point three, a weld six. A gear or
   tendon has one row on all its bodies. With three rows on one or two bodies, the function inserts the same constraint as
   ldy_system_add_operators. Constraints of one or two rows on the same bodies in the same order share memory and work. Vectors
   have m values for a constraint of m rows, see ldy_rows.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, m or count is out of range, a body
   does not exist or is there twice, or an operator is ill-formed or not finite.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_add_rows(ldy_system *system,
                        int m,
                        const long long *bodies,
                        const ldy_operator *H,
                        size_t count,
                        long long *constraint);

/* Insert a constraint of one row on one generalized velocity of a body: a limit, motor or friction loss of a joint. The constraint
   is the same as one that ldy_system_add_rows inserts.

   - freedom: index of the velocity, from 0.
   - coefficient: U is coefficient times the velocity, for instance 1, or -1 for an upper limit.
   - constraint: where to write the id.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such body or velocity, or
   coefficient is not finite.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_add_dof_constraint(ldy_system *system,
                                  long long body,
                                  int freedom,
                                  double coefficient,
                                  long long *constraint);

/* Set the operators of a constraint, one for each of its bodies in the order of its insertion.

   - H: count operators, as in ldy_system_add_rows. The number of rows does not change.
   - count: number of its bodies.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such constraint, it has
   points, count is wrong, or an operator is ill-formed or not finite. If both sides of the constraint are on the same body, the
   function returns LDY_ERROR_INVALID_ARGUMENT, too: use ldy_system_set_operators.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_set_rows_operators(ldy_system *system,
                                  long long constraint,
                                  const ldy_operator *H,
                                  size_t count);

/* Set the compliance of a constraint of m rows. Updates add it to the diagonal block of W; they do not multiply it by h.

   - compliance: m x m, column-major, symmetric positive semidefinite.
   - count: m^2, or 0 for no compliance.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such constraint, count is
   wrong, or the compliance is not finite, not symmetric or not positive semidefinite.

   Safety:
   system comes from ldy_system_create; compliance is NULL or has count values. */
int ldy_system_set_rows_compliance(ldy_system *system,
                                   long long constraint,
                                   const double *compliance,
                                   size_t count);

/* Return the largest eigenvalue of the diagonal block of each constraint.

   - values: where to write count values, in the order of rows; NaN for a block where none is found.
   - count: number of constraints.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, or there was no successful update since the
   last change.

   Safety:
   system comes from ldy_system_create; values is NULL or has count values. */
int ldy_system_block_eigenvalues(const ldy_system *system,
                                 double *values,
                                 size_t count);

/* Return the size of W as compressed scalar rows, for ldy_system_csr.

   - rows: where to write the number of scalar rows.
   - entries: where to write the number of entries of all blocks.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, or there was no successful update since the last change.

   Safety:
   system comes from ldy_system_create; rows and entries are NULL or valid. */
int ldy_system_csr_size(const ldy_system *system,
                        int *rows,
                        size_t *entries);

/* Write W as compressed scalar rows, the format of scipy.sparse.csr_matrix and of many solvers in C. Constraints may have any
   number of rows.

   - starts: where to write the index of the first entry of each scalar row, then the number of entries.
   - start_count: number of scalar rows + 1.
   - columns, values: where to write the entries, count values each, row by row. Columns count from 0 and ascend within a row.
   - count: number of entries, see ldy_system_csr_size.

   W is symmetric to the bit, so that the result is also W as compressed columns.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a count is wrong, an int cannot hold the number of entries, or
   there was no successful update since the last change.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_csr(const ldy_system *system,
                   int *starts,
                   size_t start_count,
                   int *columns,
                   double *values,
                   size_t count);


/* Insert many constraints as the rows of a dense Jacobian J, for instance the J of a robotics simulator. The function inserts all
   constraints or none.

   The columns of J are the generalized velocities of the bodies, one body after the other. The rows of J are the rows of the
   constraints, one constraint after the other. A constraint acts on the bodies whose columns contain a nonzero of its rows, at
   most 16. If all its entries are zero, it acts on the first body. The result is as if ldy_system_add_rows were called with these
   bodies in this order.

   - bodies: body_count different ids.
   - heights: number of rows of each of the count constraints, 1 to 6.
   - J: entry (i, j) is J[i row_stride + j column_stride]. Values between entries are not read.
   - rows, columns: shape of J: the sum of heights, and the sum of the numbers of velocities.
   - row_stride, column_stride: in doubles; columns and 1 for row-major J, 1 and rows for column-major J.
   - constraint: where to write the id of the first constraint; the others have the following ids.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a body does not exist or is there
   twice, the shape of J is wrong, a constraint has too many or too few rows or too many bodies, or a value is not finite. After an
   error nothing has changed. The text names a bad constraint by its position in heights, counted from 0.

   Safety:
   system comes from ldy_system_create; bodies, heights are NULL or have the lengths given, J is NULL or has all entries. */
int ldy_system_add_jacobian(ldy_system *system,
                            const long long *bodies,
                            size_t body_count,
                            const int *heights,
                            size_t count,
                            const double *J,
                            size_t rows,
                            size_t columns,
                            size_t row_stride,
                            size_t column_stride,
                            long long *constraint);

/* Insert many constraints as the rows of a sparse Jacobian J, as ldy_system_add_jacobian does.

   - bodies, body_count, heights, count, rows, columns, constraint: as in ldy_system_add_jacobian.
   - starts, counts, indices, values, value_count: compressed rows, as in ldy_system_set_sparse_jacobian.

   Returns the codes of ldy_system_add_jacobian, and LDY_ERROR_INVALID_ARGUMENT also if a row begins or ends outside the arrays, or
   its columns do not ascend.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the lengths given. */
int ldy_system_add_sparse_jacobian(ldy_system *system,
                                   const long long *bodies,
                                   size_t body_count,
                                   const int *heights,
                                   size_t count,
                                   size_t rows,
                                   size_t columns,
                                   const int *starts,
                                   const int *counts,
                                   const int *indices,
                                   const double *values,
                                   size_t value_count,
                                   long long *constraint);

/* Set the operators of many constraints from the rows of a dense Jacobian J. The function sets all of them or none.

   The columns of J are the generalized velocities of the bodies, one body after the other. The rows of J are the rows of the
   constraints, one constraint after the other. The result is as if ldy_system_set_operators or ldy_system_set_rows_operators were
   called for each constraint. Operators on bodies that are not in the list do not change. A nonzero must be in a column of a body
   that its constraint acts on. Operators by nodes cannot be set in this way.

   - bodies: body_count different ids.
   - constraints: count different ids.
   - J, rows, columns, row_stride, column_stride: as in ldy_system_add_jacobian.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT

   - if an argument is NULL, a body or a constraint does not exist or is there twice, or the shape of J is wrong;
   - if a constraint has points or operators by nodes, or acts on none of the bodies or on one body twice;
   - if a value is not finite, or a nonzero is in a column of a body that its constraint does not act on.

   After an error nothing has changed. The text names a bad constraint by its position in constraints, counted from 0.

   Safety:
   system comes from ldy_system_create; bodies, constraints are NULL or have the lengths given, J is NULL or has all entries. */
int ldy_system_set_jacobian(ldy_system *system,
                            const long long *bodies,
                            size_t body_count,
                            const long long *constraints,
                            size_t count,
                            const double *J,
                            size_t rows,
                            size_t columns,
                            size_t row_stride,
                            size_t column_stride);

/* Set the operators of many constraints from the rows of a sparse Jacobian J, as ldy_system_set_jacobian does.

   - bodies, body_count, constraints, count, rows, columns: as in ldy_system_set_jacobian.
   - starts: index of the first entry of each row. It has rows values, or rows + 1 if counts is NULL.
   - counts: number of entries of each row. NULL: a row ends where the next one begins.
   - indices, values: column and value of each entry, value_count each. Columns ascend within a row.

   The arguments starts, counts, indices, values are efc_J_rowadr, efc_J_rownnz, efc_J_colind, efc_J of MuJoCo, or indptr, NULL,
   indices, data of a scipy.sparse.csr_matrix with sorted indices.

   Returns the codes of ldy_system_set_jacobian, and LDY_ERROR_INVALID_ARGUMENT also if a row begins or ends outside the arrays, or
   its columns do not ascend.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the lengths given. */
int ldy_system_set_sparse_jacobian(ldy_system *system,
                                   const long long *bodies,
                                   size_t body_count,
                                   const long long *constraints,
                                   size_t count,
                                   size_t rows,
                                   size_t columns,
                                   const int *starts,
                                   const int *counts,
                                   const int *indices,
                                   const double *values,
                                   size_t value_count);


/* Set the regularization mu of all constraints that exist now: from the next update on, all functions use W + diag (mu) instead of
   W.

   - mu: in the units of W, none negative. 0 removes the regularization.
   - count: 1 (one value for all), the number of constraints, or the number of scalar rows.

   mu is added to W in addition to compliances, and replaces the previous regularization. A constraint that is inserted later has
   none.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, or a value is negative or not finite. After an
   error nothing has changed.

   Safety:
   system comes from ldy_system_create; mu is NULL or has count values. */
int ldy_system_set_regularization(ldy_system *system,
                                  const double *mu,
                                  size_t count);

/* Set the tag of a constraint: any number by which the program finds the constraint again.

   The tag of a new constraint is 0. It remains until the constraint is removed. Results do not depend on it.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if system is NULL or there is no such constraint.

   Safety:
   system comes from ldy_system_create. */
int ldy_system_set_tag(ldy_system *system, long long constraint, unsigned long long tag);

/* Return the tags of all constraints. No update is needed.

   - tags: where to write them, in the order of rows.
   - count: number of constraints.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is wrong.

   Safety:
   system comes from ldy_system_create; tags is NULL or has count values. */
int ldy_system_tags(const ldy_system *system, unsigned long long *tags, size_t count);

/* Store the reactions of all constraints for a warm start.

   Each reaction remains with its constraint when other constraints are inserted, removed or moved. ldy_system_stored_reactions
   returns them in the order that rows have then: an initial guess for the contact solver. No update is needed, and results do not
   depend on stored reactions.

   - R: three values for each constraint, in the order of rows.
   - count: number of values.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, or a value is not finite. After an error
   nothing has changed.

   Safety:
   system comes from ldy_system_create; R is NULL or has count values. */
int ldy_system_store_reactions(ldy_system *system,
                               const double *R,
                               size_t count);

/* Return the stored reactions of all constraints; they are zero for a new constraint.

   - R: where to write three values for each constraint, in the order of rows.
   - count: number of values.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is wrong.

   Safety:
   system comes from ldy_system_create; R is NULL or has count values. */
int ldy_system_stored_reactions(const ldy_system *system, double *R, size_t count);


/* Insert many constraints at points, as ldy_system_add_point_constraint inserts one. The function inserts all of them or none.

   In this function and the following ones each array has count entries. Its stride is the number of BYTES from the beginning of
   one entry to the next, a multiple of 8, so that entries may be members of your structures. If the stride of an array that is
   read is 0, its first entry is used for all. An int must be able to number the entries. If an entry is refused, nothing changes,
   and the text has its index, counted from 0.

   - masters, slaves: an id each, or LDY_GROUND. slaves NULL: all slaves are the ground. bodies_stride: for both.
   - frames: 9 values each.
   - master_points, slave_points: 3 values each; not read for the ground, and NULL is allowed if all of them are the ground.
     points_stride: for both.
   - constraint: where to write the id of the first constraint; the others have the following ids.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not a multiple of 8, or
   ldy_system_add_point_constraint refuses an entry.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
int ldy_system_add_point_constraints(ldy_system *system,
                                     size_t count,
                                     const long long *masters,
                                     const long long *slaves,
                                     size_t bodies_stride,
                                     const double *frames,
                                     size_t frames_stride,
                                     const double *master_points,
                                     const double *slave_points,
                                     size_t points_stride,
                                     long long *constraint);

/* Set frames and points of many constraints at points, and their bodies unless masters is NULL. The function sets all of them or
   none.

   Constraints keep their rows, ids, compliances, tags and reactions. If bodies change, the next update recomputes these bodies, as
   after constraints are inserted and removed.

   - constraints: an id each.
   - masters, slaves, frames, master_points, slave_points and their strides: as in ldy_system_add_point_constraints. masters NULL:
     bodies do not change, and slaves is not read.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not a multiple of 8, there
   is no such constraint, it has operators, or ldy_system_add_point_constraint refuses an entry.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
int ldy_system_move_constraints(ldy_system *system,
                                size_t count,
                                const long long *constraints,
                                size_t constraints_stride,
                                const long long *masters,
                                const long long *slaves,
                                size_t bodies_stride,
                                const double *frames,
                                size_t frames_stride,
                                const double *master_points,
                                const double *slave_points,
                                size_t points_stride);

/* Return frames and points of many constraints, as they were given.

   - constraints: an id each.
   - frames: where to write 9 values each.
   - master_points, slave_points: where to write 3 values each; for the ground, the given values or zero.

   Each of the three results may be NULL: not wanted.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if another argument is NULL, a stride is not a multiple of 8 or less than an entry,
   there is no such constraint, or it has operators. After an error nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and do not overlap. */
int ldy_system_point_frames(const ldy_system *system,
                            size_t count,
                            const long long *constraints,
                            size_t constraints_stride,
                            double *frames,
                            size_t frames_stride,
                            double *master_points,
                            double *slave_points,
                            size_t points_stride);

/* Set the compliances of many constraints, 9 values each, as ldy_system_set_compliance sets one. The function sets all of them or
   none.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not a multiple of 8, there is no such constraint,
   or ldy_system_set_compliance refuses an entry.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
int ldy_system_set_compliances(ldy_system *system,
                               size_t count,
                               const long long *constraints,
                               size_t constraints_stride,
                               const double *compliances,
                               size_t compliances_stride);

/* Set the tags of many constraints, as ldy_system_set_tag sets one. The function sets all of them or none.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not a multiple of 8, or there is no such
   constraint.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
int ldy_system_set_tags(ldy_system *system,
                        size_t count,
                        const long long *constraints,
                        size_t constraints_stride,
                        const unsigned long long *tags,
                        size_t tags_stride);

/* Remove many constraints, as ldy_system_remove_constraint removes one. The function removes all of them or none.

   - constraints: count different ids.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not a multiple of 8, there is no such constraint,
   or an id is there twice.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
int ldy_system_remove_constraints(ldy_system *system,
                                  size_t count,
                                  const long long *constraints,
                                  size_t constraints_stride);

/* Set the free velocities of many bodies, as ldy_system_set_velocity sets one. The function sets all of them or none.

   - bodies: an id each.
   - n: number of generalized velocities, the same for all of these bodies.
   - velocities: n values each.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not a multiple of 8, there is no such body, n is
   not its number of velocities, or a value is not finite.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
int ldy_system_set_velocities(ldy_system *system,
                              size_t count,
                              const long long *bodies,
                              size_t bodies_stride,
                              size_t n,
                              const double *velocities,
                              size_t velocities_stride);

/* Set the previous velocities of many bodies, as ldy_system_set_previous_velocity sets one. The function sets all of them or none.

   Parameters and returned codes are as in ldy_system_set_velocities.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
int ldy_system_set_previous_velocities(ldy_system *system,
                                       size_t count,
                                       const long long *bodies,
                                       size_t bodies_stride,
                                       size_t n,
                                       const double *velocities,
                                       size_t velocities_stride);

/* Return the free velocities of many bodies, as ldy_system_velocity returns one.

   - bodies: an id each.
   - n: number of generalized velocities, the same for all of these bodies.
   - velocities: where to write n values each.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not a multiple of 8 or less than an entry, there is
   no such body, or n is not its number of velocities. After an error nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and do not overlap. */
int ldy_system_velocities(const ldy_system *system,
                          size_t count,
                          const long long *bodies,
                          size_t bodies_stride,
                          size_t n,
                          double *velocities,
                          size_t velocities_stride);

/* Set the rotations of many rigid bodies or obstacles, 9 values each, as ldy_system_set_rotation sets one. The function sets all
   of them or none.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not a multiple of 8, there is no such body, or
   ldy_system_set_rotation refuses an entry.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
int ldy_system_set_rotations(ldy_system *system,
                             size_t count,
                             const long long *bodies,
                             size_t bodies_stride,
                             const double *rotations,
                             size_t rotations_stride);

/* Return the rotations of many rigid bodies or obstacles.

   - bodies: an id each.
   - rotations: where to write 9 values each.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not a multiple of 8 or less than an entry, there is
   no such body, or it is of another kind. After an error nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and do not overlap. */
int ldy_system_rotations(const ldy_system *system,
                         size_t count,
                         const long long *bodies,
                         size_t bodies_stride,
                         double *rotations,
                         size_t rotations_stride);


/* Compute the referential point of a rigid body or an obstacle from its place in the world: X = X_center + rotation^T (place -
   center). Use it to turn contacts that were found in the world into the points of constraints.

   - center: where the mass center is now, 3 values.
   - place: where the point is now, 3 values.
   - point: where to write X, 3 values.

   The rotation is the rotation in the system.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such body, it is of another kind, or a value is not
   finite. After an error nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have 3 values. */
int ldy_system_body_point(const ldy_system *system,
                          long long body,
                          const double *center,
                          const double *place,
                          double *point);

/* Compute the referential point of a pseudo-rigid body from its place in the world: X = X_center + F^-1 (place - center).

   - gradient: F, the current deformation gradient, 3 x 3, column-major. The system does not store it. Generalized velocities have
     its rate row by row, so that an F that is stored row by row must be transposed.
   - center: where the mass center is now, 3 values.
   - place: where the point is now, 3 values.
   - point: where to write X, 3 values.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such body, it is of another kind, a value is not
   finite, or F is singular to working precision. After an error nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_pseudo_rigid_point(const ldy_system *system,
                                  long long body,
                                  const double *gradient,
                                  const double *center,
                                  const double *place,
                                  double *point);

/* Compute the angular velocity of a rigid body or an obstacle in the referential frame, the frame of generalized velocities, from
   its angular velocity in the world frame: rotation^T world.

   - world: 3 values.
   - referential: where to write the result, 3 values; it may be world.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such body, it is of another kind, or a value is not
   finite. After an error nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have 3 values. */
int ldy_system_body_angular_velocity(const ldy_system *system,
                                     long long body,
                                     const double *world,
                                     double *referential);

/* Compute the angular velocity of a rigid body or an obstacle in the world frame from its angular velocity in the referential
   frame: rotation referential.

   - referential: 3 values.
   - world: where to write the result, 3 values; it may be referential.

   Returns the codes of ldy_system_body_angular_velocity. After an error nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have 3 values. */
int ldy_system_world_angular_velocity(const ldy_system *system,
                                      long long body,
                                      const double *referential,
                                      double *world);

/* Compute the gyroscopic term: the change of the angular velocity of a rigid body in a step without a torque. Add it to the free
   velocity, together with h A^-1 times the forces. It needs no system.

   The method is by Simo and Wong (International Journal for Numerical Methods in Engineering 31, 1991): J spin_1 = exp (-theta) J
   spin with theta = h (spin + spin_1) / 2. It keeps the energy and the length of the angular momentum to rounding for any h. To
   first order the change is -h J^-1 (spin x J spin). If the body turns by more than a radian, the step is divided into equal
   parts. ldy_advance_rotation computes the corresponding rotation.

   - inertia: J, 3 x 3, as in ldy_system_add_rigid.
   - spin: the angular velocity in the referential frame, 3 values.
   - h: the step.
   - change: where to write spin_1 - spin, 3 values; it may be spin.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or not finite, J is singular, or the body turns by more than
   about 4000 radians in the step. Then nothing is written.

   Safety:
   inertia is NULL or has 9 values, spin and change are NULL or have 3. */
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
int ldy_advance_rotation(const double *rotation,
                         const double *before,
                         const double *after,
                         double h,
                         double *turned);


/* The results of an update. All arrays belong to the system and are valid until its next change.

   Row k is the k-th constraint in the order of insertion, without removed ones: if a constraint is removed, later rows move up.
   Blocks and vectors are in local frames. Two rows have at most one common block, even if they share several bodies. The block
   exists if they share a body that is no obstacle, even if the block is zero. */
typedef struct {
  /* sizeof (ldy_rows), set by the caller before the call. */
  size_t size;
  /* Number of rows, n. */
  int rows;
  /* Number of blocks, including diagonal blocks. */
  int blocks;
  /* Row k has the blocks starts[k] <= i < starts[k + 1]; n + 1 values. */
  const int *starts;
  /* Column of each block, ascending within a row. */
  const int *columns;
  /* The blocks of W, 3 x 3 and column-major, nine values each without gaps. The block of row b and column a is the transpose of
     the block of row a and column b, bit for bit. */
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
  const long long *constraints;
  /* NULL if each constraint has three scalar rows; then the sizes above hold. Else the index of the first scalar row of each
     row, n + 1 values. Row k has m = scalar_starts[k + 1] - scalar_starts[k] values of B, V and R, from scalar_starts[k] on. */
  const int *scalar_starts;
  /* NULL, or the index of the first value of each block in values; blocks + 1 values. The block of row a and column b is m_a x
     m_b, column-major. */
  const size_t *value_starts;
  /* NULL, or the index of the first of the m x m values of each row in diagonal and inverse; n + 1 values. */
  const size_t *diagonal_starts;
  /* Number of scalar rows, 3 n or the last value of scalar_starts: the number of values of B, V and R. */
  size_t scalars;
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
     blocks, or V, B or a block of W is not finite, because numbers are too large or an inverse callback returned them. For a block
     between two constraints the text names both.

   If system is NULL or h is refused, nothing changes, and the results of the last update remain. After any other error there are
   no results, and bodies and constraints have not changed. You can change them and update again; the results are then
   bit-identical to the results of a system that had no error.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_update(ldy_system *system,
                      double h);

/* Return the results of the last update.

   - rows: where to write them; set its size. See ldy_rows.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, rows->size is wrong (or too small for scalar_starts if a
   constraint has other than three rows), or there was no successful update since the last change.

   Safety:
   system comes from ldy_system_create; rows is NULL or valid, and has the bytes that its size says. */
int ldy_system_results(const ldy_system *system,
                       ldy_rows *rows);

/* Check that each diagonal block has an inverse.

   Returns 0, LDY_ERROR_SINGULAR if one is singular (ldy_last_error names the first), or LDY_ERROR_INVALID_ARGUMENT if system is
   NULL or there was no successful update since the last change.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_check_inverses(const ldy_system *system);

/* Return the row of a constraint.

   - row: where to write its index, from 0.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such constraint, or there was no update since a
   constraint or a body was inserted or removed.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_row_of(const ldy_system *system,
                      long long constraint,
                      int *row);


/* Compute y = W x from the blocks of W. Since the last update only velocities may have changed.

   - x, y: three values for each row; different arrays.
   - count: number of values of each.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY (not if all constraints have three rows), or LDY_ERROR_INVALID_ARGUMENT if an argument is
   NULL, count is wrong, or there was no such update.

   Safety:
   system comes from ldy_system_create; x and y have the sizes given and do not overlap. */
int ldy_system_multiply(const ldy_system *system,
                        const double *x,
                        double *y,
                        size_t count);

/* Compute y = W x as h H A^-1 H^T x + compliance x, body by body, without the blocks of W. Since the last update only velocities
   may have changed.

   - x, y: three values for each row; different arrays.
   - count: number of values of each.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_SINGULAR if an inverse callback failed, or LDY_ERROR_INVALID_ARGUMENT if an
   argument is NULL, count is wrong, or there was no such update. After LDY_ERROR_OUT_OF_MEMORY or LDY_ERROR_SINGULAR y is
   unspecified.

   Safety:
   system comes from ldy_system_create; x and y have the sizes given and do not overlap. */
int ldy_system_multiply_through_bodies(const ldy_system *system,
                                       const double *x,
                                       double *y,
                                       size_t count);

/* Compute y = W x for several vectors from the blocks of W. This is faster than a call of ldy_system_multiply for each vector, and
   bit-identical. Since the last update only velocities may have changed.

   - columns: number of vectors.
   - x, y: the vectors, three values for each row; different arrays of (columns - 1) * stride + count values.
   - x_stride, y_stride: number of values from the beginning of one vector to the next, at least count.
   - count: number of values of a vector.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY (not if all constraints have three rows), or LDY_ERROR_INVALID_ARGUMENT if an argument is
   NULL, count is wrong, a stride is too short, or there was no such update.

   Safety:
   system comes from ldy_system_create; x and y have the sizes given and do not overlap. */
int ldy_system_multiply_columns(const ldy_system *system,
                                size_t columns,
                                const double *x,
                                size_t x_stride,
                                double *y,
                                size_t y_stride,
                                size_t count);

/* Compute y = W x for several vectors body by body, without the blocks of W. An inverse callback is called once for each vector.

   - columns, x, y, x_stride, y_stride, count: as in ldy_system_multiply_columns.

   Returns the codes of ldy_system_multiply_columns, LDY_ERROR_OUT_OF_MEMORY for any rows, and LDY_ERROR_SINGULAR if an inverse
   callback failed. After LDY_ERROR_OUT_OF_MEMORY or LDY_ERROR_SINGULAR y is unspecified.

   Safety:
   system comes from ldy_system_create; x and y have the sizes given and do not overlap. */
int ldy_system_multiply_columns_through_bodies(const ldy_system *system,
                                               size_t columns,
                                               const double *x,
                                               size_t x_stride,
                                               double *y,
                                               size_t y_stride,
                                               size_t count);

/* Compute y = W x for any rows. For the rows of a system in which all constraints have three rows, the result is bit-identical
   with ldy_system_multiply.

   - rows: size, rows, blocks, starts, columns, values, scalar_starts and value_starts are read, as ldy_system_results sets them.
     The last two are both NULL or both not NULL. W need not be symmetric.
   - x, y: three values for each row; different arrays.
   - count: number of values of each.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, or the rows are ill-formed; the text names the
   row. After an error nothing is written.

   Safety:
   rows is NULL or valid and has the bytes that its size says, and its arrays have the lengths that it says; x and y have the sizes
   given and overlap nothing. */
int ldy_rows_multiply(const ldy_rows *rows,
                      const double *x,
                      double *y,
                      size_t count);

/* Compute y = W x for any rows and several vectors. The result for a vector is bit-identical for any number of other vectors.

   - rows: as in ldy_rows_multiply.
   - columns, x, y, x_stride, y_stride, count: as in ldy_system_multiply_columns.

   Returns the codes of ldy_rows_multiply, and LDY_ERROR_INVALID_ARGUMENT also if a stride is too short.

   Safety:
   The conditions of ldy_rows_multiply. */
int ldy_rows_multiply_columns(const ldy_rows *rows,
                              size_t columns,
                              const double *x,
                              size_t x_stride,
                              double *y,
                              size_t y_stride,
                              size_t count);

/* Add the generalized force H^T R of all constraints on a body to force. Since the last update only velocities may have changed.

   - R: count values, three for each row.
   - force: in and out, force_count values.
   - force_count: number of generalized velocities of the body.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY (not if all constraints have three rows), or LDY_ERROR_INVALID_ARGUMENT if an argument is
   NULL, there is no such body, a count is wrong, or there was no such update.

   Safety:
   system comes from ldy_system_create; R and force have the sizes given and do not overlap. */
int ldy_system_constraint_force(const ldy_system *system,
                                long long body,
                                const double *R,
                                size_t count,
                                double *force,
                                size_t force_count);

/* Add h A^-1 H^T R to the free velocity of each body, theory (50). The result is the velocity at the end of the step.

   Since the last update only velocities may have changed. The rows need another update after it.

   - R: count values, three for each row.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_SINGULAR if an inverse callback failed, or LDY_ERROR_INVALID_ARGUMENT if an
   argument is NULL, count is wrong, there was no such update, or R or a resulting velocity is not finite. After an error no
   velocity has changed.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_apply_reactions(ldy_system *system,
                               const double *R,
                               size_t count);

/* Estimate the largest eigenvalue of W, with compliances, by the Lanczos method on the blocks of W.

   - tolerance: the iteration ends when the residual is below tolerance times the value; for instance 1e-3.
   - most_products: limit for the number of products with W. One product is always made.
   - value: where to write the estimate. It never exceeds the largest eigenvalue, except by rounding.
   - residual: where to write the residual; NULL: not wanted.

   W has an eigenvalue within residual of value. It is the largest one, unless the start vector (fixed, pseudo-random) is almost
   orthogonal to its eigenvector. The error of value is then about residual^2 / distance to the next eigenvalue.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, tolerance is not a number, W has
   changed since the last update, or a product with W is not finite.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_spectral_radius(const ldy_system *system,
                               double tolerance,
                               int most_products,
                               double *value,
                               double *residual);


/* A Cholesky factor of W + diag (mu), with memory that is used again. While the pattern of W is the same, the elimination order is
   kept. The factor does not depend on the system or rows it was computed from. One thread at a time may use it. */
typedef struct ldy_factor ldy_factor;

/* Create a factor. It is empty until ldy_factor_compute or ldy_factor_compute_rows succeeds.

   - factor: where to write it. Destroy it with ldy_factor_destroy.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if factor is NULL.

   Safety:
   factor is NULL or valid. */
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
     ldy_system_redundant.
   - LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, mu is not finite, or there was no such update.

   After an error the factor is empty.

   Safety:
   factor comes from ldy_factor_create, system from ldy_system_create; mu is NULL or has count values. */
int ldy_factor_compute(ldy_factor *factor,
                       const ldy_system *system,
                       const double *mu,
                       size_t count);

/* Factor W + diag (mu) for any rows. W is symmetric; only its upper triangle is read.

   - rows: size, rows, blocks, starts, columns, values, scalar_starts and value_starts are read, as ldy_system_results sets them.
     The last two are both NULL or both not NULL.
   - mu, count: as in ldy_factor_compute.

   Returns the codes of ldy_factor_compute, and LDY_ERROR_INVALID_ARGUMENT also if the rows are ill-formed or not finite. The text
   names the row. After an error the factor is empty.

   Safety:
   factor comes from ldy_factor_create; rows is NULL or valid and has the bytes that its size says, and its arrays have the lengths
   that it says; mu is NULL or has count values. */
int ldy_factor_compute_rows(ldy_factor *factor,
                            const ldy_rows *rows,
                            const double *mu,
                            size_t count);

/* Replace each of several vectors x by (W + diag (mu))^-1 x.

   - columns: number of vectors.
   - x: the vectors, one value for each scalar row; in and out.
   - stride: number of values from the beginning of one vector to the next, at least count.
   - count: number of scalar rows.

   The result for a vector is bit-identical for any number of other vectors. Returns 0, LDY_ERROR_OUT_OF_MEMORY, or
   LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, stride is too short, or the factor is empty. After an error x
   has not changed.

   Safety:
   factor comes from ldy_factor_create; x has (columns - 1) * stride + count values. */
int ldy_factor_solve(ldy_factor *factor,
                     size_t columns,
                     double *x,
                     size_t stride,
                     size_t count);

/* Return the natural logarithm of the determinant of W + diag (mu).

   - value: where to write it.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or the factor is empty.

   Safety:
   factor comes from ldy_factor_create; value is NULL or valid. */
int ldy_factor_log_determinant(const ldy_factor *factor, double *value);


/* Find the scalar rows of W that depend on earlier ones. There forces are not unique, and a constraint is redundant if all its
   scalar rows are dependent. W is the matrix of the last update, with compliances and regularization. Since that update only
   velocities may have changed.

   - tolerance: a row is dependent if the squared sine of the angle between its row of H and the span of other rows, in the metric
     of A^-1, is below this value. 0: 1e-10.
   - redundant: where to write count flags: 1 for a dependent scalar row, else 0.
   - count: number of scalar rows, ldy_rows.scalars.
   - dimension: where to write the number of dependent scalar rows, the dimension of the null space of W. NULL: not wanted.

   If several rows are nearly dependent, rounding decides which of them are reported, but not how many. If a squared sine is near
   the tolerance, the result is approximate: the function reports the last row whose coefficient in the dependence is above 1e-5 of
   the largest one.

   Rows that are connected through bodies are one dense problem: n^3 operations and up to 8 n^2 bytes for n scalar rows.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_POSITIVE_DEFINITE if W is indefinite (the text names the constraint), or
   LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, the tolerance is not between 0 and 1, or there was no such
   update.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_redundant(const ldy_system *system,
                         double tolerance,
                         int *redundant,
                         size_t count,
                         int *dimension);

/* Find the scalar rows of any symmetric W that depend on earlier ones, as ldy_system_redundant does.

   - rows: size, rows, blocks, starts, columns, values, scalar_starts and value_starts are read, as ldy_system_results sets them.
     The last two are both NULL or both not NULL.
   - tolerance, redundant, count, dimension: as in ldy_system_redundant.

   Returns the codes of ldy_system_redundant, and LDY_ERROR_INVALID_ARGUMENT also if the rows are ill-formed or not finite. The
   text names the row.

   Safety:
   rows is NULL or valid and has the bytes that its size says, and its arrays have the lengths that it says; redundant is NULL or
   has count values. */
int ldy_rows_redundant(const ldy_rows *rows,
                       double tolerance,
                       int *redundant,
                       size_t count,
                       int *dimension);


/* Write W to a text file in MatrixMarket coordinate format, with 15 significant digits.

   The file is written beside an old one of this name, as .ldy-PROCESS-NUMBER, and replaces it when it is complete: after an error
   the old file is as it was. Devices, pipes, links, files of other users, files with several names and files in a folder that
   takes no new ones are written in place; after LDY_ERROR_FILE_WRITE they have the part that was written.

   Returns 0, LDY_ERROR_FILE_OPEN if the file cannot be opened, LDY_ERROR_FILE_WRITE if it cannot be written, or
   LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or there was no successful update since the last change.

   Safety:
   system comes from ldy_system_create; path is NULL or a C string. */
int ldy_system_write_matrix_market(const ldy_system *system,
                                   const char *path);

/* Write W with all digits to a file for scipy.sparse.load_npz, of at most 4 GiB. The matrix has block-sparse rows (bsr), or scalar
   rows (csr) if a constraint has other than three rows.

   Returns 0, LDY_ERROR_FILE_OPEN if the file cannot be opened, LDY_ERROR_FILE_WRITE if it cannot be written, or
   LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or there was no successful update since the last change.

   Safety:
   system comes from ldy_system_create; path is NULL or a C string. */
int ldy_system_write_npz(const ldy_system *system,
                         const char *path);

/* Write any W to a text file, as ldy_system_write_matrix_market does.

   - rows: size, rows, blocks, starts, columns, values, scalar_starts and value_starts are read, as ldy_system_results sets them.
     The last two are both NULL or both not NULL.

   Returns 0, LDY_ERROR_FILE_OPEN, LDY_ERROR_FILE_WRITE, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or the rows are
   ill-formed. The text names the row.

   Safety:
   rows is NULL or valid and has the bytes that its size says, and its arrays have the lengths that it says; path is NULL or a C
   string. */
int ldy_rows_write_matrix_market(const ldy_rows *rows,
                                 const char *path);

/* Write any W to a file for scipy.sparse.load_npz, as ldy_system_write_npz does.

   - rows: as in ldy_rows_write_matrix_market.

   Returns the codes of ldy_rows_write_matrix_market.

   Safety:
   The conditions of ldy_rows_write_matrix_market. */
int ldy_rows_write_npz(const ldy_rows *rows, const char *path);


/* Copies of the rows of a LOCDYN, with memory that is used again: rows with the same pattern as the previous ones are copied
   without allocation. One thread at a time may use it. */
typedef struct ldy_locdyn_rows ldy_locdyn_rows;

/* Create a place for copies of the rows of a LOCDYN.

   - copies: where to write it. Destroy it with ldy_locdyn_rows_destroy.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if copies is NULL.

   Safety:
   copies is NULL or valid. */
int ldy_locdyn_rows_create(ldy_locdyn_rows **copies);

/* Destroy copies and release their memory; NULL is allowed. The LOCDYN need not exist any more.

   Safety:
   copies is NULL or comes from ldy_locdyn_rows_create, and is not used afterwards. */
void ldy_locdyn_rows_destroy(ldy_locdyn_rows *copies);

/* Copy the rows of a LOCDYN of ldy.h, for ldy_contact_solver_solve_rows and all functions ldy_rows_* and ldy_factor_*.

   The function writes to no memory of the host or of ldy. Later changes of either do not change the copies.

   - ldy: any LOCDYN with the layout of this build: from this library, a clone, or the rows of another module.
   - rows: where to write the copies; set its size. They are valid until the next call with the same copies, even if that call
     fails.

   Row k is the k-th DIAB of the list:

   - values: the current W of the DIAB and of its blocks, in ascending columns. Two blocks with the same neighbor are added, as in
     LOCDYN_Dump. So a self-contact counts twice unless LDY_SELF_CONTACT_ONCE is set.
   - B, V: as in the DIAB. diagonal: its W. inverse: its A. constraints: con->id of the constraints. rho is not copied: the solvers
     here choose their own.
   - scalar_starts, value_starts, diagonal_starts: NULL.

   W is symmetric to the bit after a LOCDYN_Update_Begin of this library that assembled all of W. It need not be symmetric after an
   update for a penalty solver, which keeps the previous blocks of contacts, or if the host has written W. Functions that need a
   symmetric W read only its upper triangle. The copies contain everything that the host has added to W, for instance a
   regularization.

   In lists of this library the function follows no link that does not lead to a row or a block of ldy, and it finds missing rows
   and blocks. In lists of another module it finds rings of rows or blocks, and blocks that lead to rows outside the list; all
   other links must be valid.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or

   - LDY_ERROR_NOT_IMPLEMENTED (MPI) if a constraint has blocks to external constraints. These are rows of other processes, so that
     the rows of this process alone are no complete W. The text names the constraint.
   - LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, rows->size is wrong, lists are damaged, or an int cannot hold the number of
     blocks.

   After an error there are no copies, unless copies, ldy or rows is NULL or the size is wrong; then the previous copies remain.

   Safety:
   copies comes from ldy_locdyn_rows_create; ldy is NULL or a valid LOCDYN, the constraints of its rows and their bodies are valid;
   rows is NULL or valid, and has the bytes that its size says. */
int ldy_locdyn_rows_copy(ldy_locdyn_rows *copies,
                         const struct locdyn *ldy,
                         ldy_rows *rows);

/* Return the current reactions R of the constraints of a LOCDYN, for instance as the initial guess of a contact solver.

   - R: where to write three values for each row, in the order of rows.
   - count: number of values.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, or the rows of the list are not the rows that
   were copied last.

   Safety:
   copies comes from ldy_locdyn_rows_create, ldy is as in ldy_locdyn_rows_copy; R is NULL or has count values. */
int ldy_locdyn_rows_reactions(const ldy_locdyn_rows *copies,
                              const struct locdyn *ldy,
                              double *R,
                              size_t count);

/* Write reactions to the constraints of a LOCDYN: con->R of each row. The function writes nothing else.

   - R: three values for each row, in the order of rows.
   - count: number of values.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, a value is not finite, or the rows of the list
   are not the rows that were copied last. After an error nothing is written.

   Safety:
   The conditions of ldy_locdyn_rows_reactions. */
int ldy_locdyn_rows_set_reactions(const ldy_locdyn_rows *copies,
                                  const struct locdyn *ldy,
                                  const double *R,
                                  size_t count);


/* A kind of joint: it keeps the distance between its points. The vector from the slave's point to the master's point has the
   direction of the normal. */
#define LDY_JOINT_LINK 1

/* A kind of joint: it keeps its points together. */
#define LDY_JOINT_FIXED_POINT 2

/* A kind of joint: a contact whose axes do not turn. */
#define LDY_JOINT_CONTACT 3

/* A kind of joint: a contact on a face of the master, whose axes turn with the master. */
#define LDY_JOINT_CONTACT_ON_MASTER 4

/* A kind of joint: a contact on a face of the slave, whose axes turn with the slave. */
#define LDY_JOINT_CONTACT_ON_SLAVE 5

/* A kind of joint: a constraint by operators, with any number of rows, whose operators do not change when bodies move. Limits and
   motors of generalized coordinates are such constraints. It has no geometric stiffness. Constraints by operators have no other
   kind. */
#define LDY_JOINT_CONSTANT_OPERATORS 6

/* The quantity that a constraint keeps constant. It determines how the constraint's force changes when bodies move. */
typedef struct {
  /* One of LDY_JOINT_LINK, LDY_JOINT_FIXED_POINT, LDY_JOINT_CONTACT, LDY_JOINT_CONTACT_ON_MASTER, LDY_JOINT_CONTACT_ON_SLAVE,
     LDY_JOINT_CONSTANT_OPERATORS. */
  int kind;
  /* For LDY_JOINT_LINK, the distance of its points, positive. Other kinds do not read it. */
  double length;
} ldy_joint;

/* Compute y = K x with the geometric stiffness K of the reactions R: if bodies move by x, the generalized forces of the
   constraints change by -K x.

   Only rigid bodies and obstacles turn axes. No update is needed.

   - joints: joint_count joints, one for each row: LDY_JOINT_CONSTANT_OPERATORS for a constraint by operators, another kind for a
     constraint at points.
   - R: R_count values, three for each row (one for each scalar row), as in U = B + W R. So a link under tension has R_N < 0.
   - x, y: a value for each generalized velocity of all bodies, including obstacles, in the order of insertion; different arrays.
   - count: number of values of x and of y.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a count is wrong, a kind is unknown or
   does not fit its constraint, a length is not positive, or a value is not finite.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given and do not overlap. */
int ldy_system_geometric_stiffness(const ldy_system *system,
                                   const ldy_joint *joints,
                                   size_t joint_count,
                                   const double *R,
                                   size_t R_count,
                                   const double *x,
                                   double *y,
                                   size_t count);

/* Compute the critical step of explicit schemes under the reactions R: 2 / omega. omega^2 is the largest eigenvalue of M^-1 K. K
   is the matrix of ldy_system_geometric_stiffness, and M^-1 consists of the inverses A^-1 of the bodies. A shorter step is stable.

   - joints, joint_count, R, R_count: as in ldy_system_geometric_stiffness.
   - omega_squared: where to write omega^2; zero if it is not positive, for instance if nothing is in tension.
   - step: where to write the critical step; infinite if omega^2 is zero.
   - constraint: where to write the id of the constraint that contributes most to omega^2; -1 if omega^2 is zero.
   - share: where to write its share. The shares of all constraints sum to 1.

   Each of the four results may be NULL: not wanted.

   Returns the codes of ldy_system_geometric_stiffness, and LDY_ERROR_INVALID_ARGUMENT also if a body has a sparse matrix or an
   inverse callback, or the eigenvalue does not converge.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_critical_step(const ldy_system *system,
                             const ldy_joint *joints,
                             size_t joint_count,
                             const double *R,
                             size_t R_count,
                             double *omega_squared,
                             double *step,
                             long long *constraint,
                             double *share);

/* Compute the critical step for motions that the constraints leave free. This is the step that is observed in simulations, while
   the step of ldy_system_critical_step is safe but may be shorter.

   M^-1 is replaced by its projection N = M^-1 - M^-1 J^T (J M^-1 J^T)^+ J M^-1. J has one row for a link or a contact, along its
   normal, three rows for a fixed point, and all rows of a constraint by operators. Rows of J may be linearly dependent. For a
   contact that sticks the true limit is longer, because only its normal counts as constrained. Matrices are dense: use it for up
   to some thousand generalized velocities.

   Parameters and returned codes are as in ldy_system_critical_step.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_sharp_critical_step(const ldy_system *system,
                                   const ldy_joint *joints,
                                   size_t joint_count,
                                   const double *R,
                                   size_t R_count,
                                   double *omega_squared,
                                   double *step,
                                   long long *constraint,
                                   double *share);


/* A kind of law: none. ldy_system_law writes it for a constraint that has no law. */
#define LDY_LAW_NONE 0

/* A kind of law: contact with Coulomb friction. 0 <= R_N + cohesion, 0 <= U_N, and one of them is zero. The friction R_T opposes
   U_T, with |R_T| <= friction (R_N + cohesion). Valid for constraints with three rows (two tangents, then the normal), and with two
   rows (the tangent, then the normal) for contacts in a plane. With normal_first of the options the normal comes first. */
#define LDY_LAW_CONTACT 1

/* A kind of law: U = 0 in all components. */
#define LDY_LAW_FIXED 2

/* A kind of law: lower <= R <= upper, component by component. U is zero if R is between the bounds, >= 0 at the lower bound, <= 0
   at the upper bound. */
#define LDY_LAW_BOUNDS 3

/* A kind of law: contact with a friction coefficient for each tangent, |(R_1 / friction, R_2 / friction_2)| <= R_N + cohesion. R_T
   is the admissible force that dissipates most. Valid only for constraints with three rows. */
#define LDY_LAW_ORTHOTROPIC_CONTACT 4

/* A measure: the larger of the two others. */
#define LDY_MEASURE_BOTH 0

/* A measure: |R - P (R - U - friction |U_T| n)| / |B + bias|. P is the projection onto the forces that laws allow. */
#define LDY_MEASURE_NATURAL 1

/* A measure: LDY_MEASURE_NATURAL in units in which diagonal blocks have trace 3. It is the same in all units. */
#define LDY_MEASURE_SCALED 2

/* A method: Gauss-Seidel, and Newton's method where it is expected to be faster. */
#define LDY_METHOD_AUTOMATIC 0

/* A method: Gauss-Seidel alone. */
#define LDY_METHOD_GAUSS_SEIDEL 1

/* A method: Newton's method from the start, with Gauss-Seidel where it fails. */
#define LDY_METHOD_NEWTON 2

/* A status: the residual is within the tolerance. */
#define LDY_STATUS_CONVERGED 0

/* A status: the limit of sweeps was reached. */
#define LDY_STATUS_SWEEP_LIMIT 1

/* A status: the time limit was reached. */
#define LDY_STATUS_TIME_LIMIT 2

/* A status: the residual no longer decreases, because of rounding or because there is no solution. */
#define LDY_STATUS_STALLED 3

/* A status: the problem is proved infeasible. It has no solution, or none without forces that are huge compared with B. */
#define LDY_STATUS_INFEASIBLE 4

/* A status: progress returned a value other than 0. */
#define LDY_STATUS_STOPPED 5

/* A status: the limit of work was reached. */
#define LDY_STATUS_WORK_LIMIT 6

/* A contact solver with memory that is used again: a problem with the same pattern as the previous one is solved without
   allocation. One thread at a time may use it. */
typedef struct ldy_contact_solver ldy_contact_solver;

/* A progress function of the program.

   - residual: the smallest residual so far, by the measure of the options.
   - sweeps, steps: number of sweeps and steps so far.
   - data: the pointer of the options.

   Returns 0 to continue. Any other value ends the solution with LDY_STATUS_STOPPED. Only the thread that called the solver calls
   it; with a progress function one thread solves all islands. It must return normally, and must not call functions of the solver
   or system in use. */
typedef int (*ldy_progress)(double residual, int sweeps, int steps, void *data);

/* Options of a contact solver. A field that is zero has its default: set size, then the fields that differ. */
typedef struct {
  /* sizeof (ldy_contact_solver_options), set by the caller before the call. */
  size_t size;
  /* The solution converges when the residual is at most this; default 1e-8. */
  double tolerance;
  /* One of LDY_MEASURE_BOTH, LDY_MEASURE_NATURAL, LDY_MEASURE_SCALED. */
  int measure;
  /* One of LDY_METHOD_AUTOMATIC, LDY_METHOD_GAUSS_SEIDEL, LDY_METHOD_NEWTON. */
  int method;
  /* Limit for the number of sweeps over each island, or over all rows if these form one island; default 100000. */
  int max_sweeps;
  /* For ldy_contact_solver_solve_rows: not 0 if the first component is the normal one, as in FCLIB. Else it is the last. */
  int normal_first;
  /* Limit for the elapsed time, in seconds; default: no limit. INFINITY is no limit either; a negative number or NaN is an
     error. With a limit, results depend on the clock. */
  double time_limit;
  /* A progress function that is called each time that the residual is computed, or NULL. */
  ldy_progress progress;
  /* Passed to progress. */
  void *data;
  /* Limit for the work, in units of ldy_contact_solver_report.work; default: no limit. It does not depend on a clock: results
     are the same in each run. */
  unsigned long long max_work;
} ldy_contact_solver_options;

/* The law of a constraint: a relation between its force R and its velocity U. In all laws U means U + bias. lower, upper and bias
   have one value for each scalar row; further values are not read. */
typedef struct {
  /* One of LDY_LAW_CONTACT, LDY_LAW_FIXED, LDY_LAW_BOUNDS, LDY_LAW_ORTHOTROPIC_CONTACT. */
  int kind;
  /* Contacts: Coulomb's coefficient, not negative. Orthotropic contacts: the coefficient along the first tangent. */
  double friction;
  /* Orthotropic contacts only: the coefficient along the second tangent, not negative. Either coefficient may be 0. */
  double friction_2;
  /* Contacts: the largest tensile force, not negative. */
  double cohesion;
  /* Bounds: lower bounds of R; may be -INFINITY. */
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
  /* The status: LDY_STATUS_CONVERGED, LDY_STATUS_SWEEP_LIMIT, LDY_STATUS_TIME_LIMIT, LDY_STATUS_STALLED, LDY_STATUS_INFEASIBLE,
     LDY_STATUS_STOPPED or LDY_STATUS_WORK_LIMIT. */
  int status;
  /* Number of Gauss-Seidel sweeps. If the rows form several islands, which no block of W connects: of the island with the most
     sweeps. */
  int sweeps;
  /* Number of steps of Newton's method, of the island with the most steps. */
  int steps;
  /* The row that contributes most to the residual. */
  int worst;
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
     limit of work is divided among islands and checked between sweeps and steps, so that each island exceeds its part by at most
     one of them. */
  unsigned long long work;
} ldy_contact_solver_report;

/* Create a contact solver.

   - solver: where to write it. Destroy it with ldy_contact_solver_destroy.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if solver is NULL.

   Safety:
   solver is NULL or valid. */
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
int ldy_contact_solver_options_real_time(ldy_contact_solver_options *options);

/* Solve C(U, R) = 0 with U = B + W R for the rows of the last update of a system.

   The rows are not copied, unless a constraint has other than three rows or a law is orthotropic.

   - laws: law_count laws, one for each row. NULL, with law_count 0: the laws that are kept with the constraints, see
     ldy_system_set_law.
   - options: NULL: the defaults.
   - R: count values, three for each row (one for each scalar row). In: the initial guess, for instance the forces of the last step
     or zeros. Out: the best forces that were found. These obey their laws: no contact exceeds its cohesion or its friction, and no
     bound is exceeded.
   - report: where to write the report; set its size. NULL: not wanted.

   Returns 0 even if the solution did not converge: see report->status. Returns LDY_ERROR_OUT_OF_MEMORY, or
   LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a count is wrong, there was no successful update since the last change, a law
   is LDY_LAW_NONE, of unknown kind or not valid, a constraint has no kept law, or a value is not finite; the text names the
   constraint. After an error R has not changed.

   Safety:
   solver comes from ldy_contact_solver_create and system from ldy_system_create; arrays are NULL or have the sizes given; options
   and report are NULL or valid, and have the bytes that their size says. */
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
     them. The last two are both NULL or both not NULL. Columns ascend within a row, and each row has a diagonal block. W need not
     be symmetric.
   - laws: law_count laws, one for each row.
   - options, R, count, report: as in ldy_contact_solver_solve.

   Returns 0 even if the solution did not converge: see report->status. Returns LDY_ERROR_OUT_OF_MEMORY, or
   LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a count is wrong, the rows are ill-formed, a law is LDY_LAW_NONE, of unknown
   kind or not valid, or a value is not finite; the text names the row. After an error R has not changed.

   Safety:
   solver comes from ldy_contact_solver_create; rows is NULL or valid and has the bytes that its size says, and its arrays have the
   lengths that it says; the other arrays are NULL or have the sizes given, and R does not overlap them; options and report are
   NULL or valid, and have the bytes that their size says. */
int ldy_contact_solver_solve_rows(ldy_contact_solver *solver,
                                  const ldy_rows *rows,
                                  const ldy_law *laws,
                                  size_t law_count,
                                  const ldy_contact_solver_options *options,
                                  double *R,
                                  size_t count,
                                  ldy_contact_solver_report *report);


/* Keep the law of a constraint with the constraint.

   A solver that gets no laws uses the kept ones (see ldy_contact_solver_solve), so that a program needs no table from rows to
   contacts. The law stays when the constraint is moved or gets other operators, and when other constraints are inserted or
   removed. It goes when the constraint is removed. A new constraint has no law. W, B and all other results of the last update
   remain valid: no update depends on laws.

   - constraint: its id.
   - law: copied. kind LDY_LAW_NONE removes the law that the constraint has.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such constraint, the kind is unknown, a contact law is for a
   constraint of other than two or three rows, or a value is not valid. Then nothing has changed.

   Safety:
   system comes from ldy_system_create; law is NULL or valid. */
int ldy_system_set_law(ldy_system *system,
                       long long constraint,
                       const ldy_law *law);

/* Keep the laws of many constraints, as ldy_system_set_law does for one constraint: all laws, or none.

   - constraints: count ids. constraints_stride: bytes from one id to the next, see ldy_system_add_point_constraints.
   - laws: count laws, copied. laws_stride: bytes from one law to the next; 0: the first law is for all constraints.

   If a constraint is there twice, its last law holds. Returns 0 or LDY_ERROR_INVALID_ARGUMENT, as ldy_system_set_law; also if a
   stride is no multiple of 8. The text names the number of the entry and the constraint.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
int ldy_system_set_laws(ldy_system *system,
                        size_t count,
                        const long long *constraints,
                        size_t constraints_stride,
                        const ldy_law *laws,
                        size_t laws_stride);

/* Write the law that is kept with a constraint.

   - law: where to write it. Values that the constraint does not read are zero. kind is LDY_LAW_NONE if the constraint has no law.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or there is no such constraint.

   Safety:
   system comes from ldy_system_create; law is NULL or valid. */
int ldy_system_law(const ldy_system *system,
                   long long constraint,
                   ldy_law *law);

/* Write the laws that are kept with many constraints, as ldy_system_law does for one constraint.

   - constraints: count ids, with their stride as in ldy_system_set_laws.
   - laws: where to write count laws. laws_stride: bytes from one law to the next, at least the size of a law.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is too short or no multiple of 8, or there is no such
   constraint. Then nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and do not overlap. */
int ldy_system_laws(const ldy_system *system,
                    size_t count,
                    const long long *constraints,
                    size_t constraints_stride,
                    ldy_law *laws,
                    size_t laws_stride);


/* Write the contact problem of a system to a file: W, B, laws and forces of the last update, with all digits, and Z with W = Z Z^T if
   it is known, for steps in the space of bodies.

   One file then has all that a contact solver reads, for example of a step that is hard to solve. Python reads it with
   ldy.load_problem and `python -m ldy solve`, NumPy with numpy.load; docs/files.md has the format. The file has at most 4 GiB, and is
   replaced as ldy_system_write_matrix_market says.

   - laws: law_count laws, one for each row. NULL, with law_count 0: the laws that are kept with the constraints.
   - R: count values, one for each scalar row: the initial guess of a solver. NULL, with count 0: none.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_FILE_OPEN if the file cannot be opened, LDY_ERROR_FILE_WRITE if it cannot be written, or LDY_ERROR_INVALID_ARGUMENT
   if system or path is NULL, a count is wrong, there was no successful update since the last change, a law is not valid for its
   constraint, a constraint has no kept law, or a value is not finite; the text names the constraint.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given; path is NULL or a C string. */
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
  long long first_inserted;
} ldy_sync_report;

/* Make the constraints with keys equal to a list, for instance to the contacts that were found in this step. The function does all
   of it, or nothing.

   The program gives each entry a key, any number by which it knows a contact again. This function matches keys with the
   constraints that earlier calls of it have inserted:

   - A known key: the constraint gets bodies, frame and points of the entry. It keeps id, row, compliance and regularization,
     reaction (ldy_system_stored_reactions), and law (ldy_system_set_law) unless the entry has a law. If its frame changes, the
     reaction is expressed in the new axes, so that the force on the bodies in the world is the same, and a solver begins with it.
     If master and slave change places, the sign of the reaction changes, too.
   - A new key: a constraint is inserted as by ldy_system_add_point_constraint, after all others, with zero reaction.
   - A key that is no longer in the list: the constraint is removed.

   Constraints that were inserted by other functions have no key and are not touched. The key of a constraint is its tag:
   ldy_system_tags returns keys in the order of rows, and ldy_system_set_tag changes the key. If two constraints have the same key
   then, the one with the smaller id is kept, and the other is removed. The functions that move, change or remove constraints take
   constraints with keys, too; a constraint that was removed has no key any more.

   Rows have to be updated after it. If only frames and points have changed, the pattern of W stays.

   - count: number of entries; 0 removes all constraints with keys. Strides are bytes, see ldy_system_add_point_constraints.
   - keys: a key each, none twice.
   - masters, slaves, frames, master_points, slave_points: as in ldy_system_add_point_constraints.
   - laws: a law each, or NULL; laws_stride 0: the first is for all. A law of kind LDY_LAW_NONE, or NULL: a known constraint keeps
     its law, and a new one has none.
   - constraints: where to write the id of the constraint of each entry; NULL: not wanted.
   - report: NULL: not wanted.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY or LDY_ERROR_INVALID_ARGUMENT (NULL argument, a stride that is no multiple of 8, a key twice,
   an entry that ldy_system_add_point_constraint or ldy_system_set_law refuses: the text names the entry). After an error nothing
   has changed, and the last update still has its results.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given; constraints overlaps
   no values that are read; report is NULL or valid and has the bytes that its size says. */
int ldy_system_sync_constraints(ldy_system *system,
                                size_t count,
                                const unsigned long long *keys,
                                size_t keys_stride,
                                const long long *masters,
                                const long long *slaves,
                                size_t bodies_stride,
                                const double *frames,
                                size_t frames_stride,
                                const double *master_points,
                                const double *slave_points,
                                size_t points_stride,
                                const ldy_law *laws,
                                size_t laws_stride,
                                long long *constraints,
                                size_t constraints_stride,
                                ldy_sync_report *report);

#ifdef __cplusplus
}
#endif

#endif
