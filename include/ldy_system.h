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
 * each body n is the number of its generalised velocities: 6 of a rigid body or obstacle, 12 of a pseudo-rigid
 * one, else as given.
 *
 * Matrices. A matrix in `double x[m*n]` is stored by columns: entry (i,j) is x[m*j+i]. Sparse matrices come in
 * compressed sparse columns, with indices from 0. Arguments are copied.
 *
 * Lengths. An array of fixed length has 3 values (a point) or 9 (a matrix). n, the number of velocities of a
 * body, comes before the arrays whose lengths follow from it. A count comes directly after the array or arrays whose
 * values it counts: 3 times the rows for R. If a length is wrong, the function returns LDY_BUG_FOUND, or for a sparse
 * matrix LDY_MATRIX_KIND, and writes nothing.
 *
 * Rows. A constraint has three rows of scalars, unless ldy_system_add_rows or ldy_system_add_freedom inserts it with one
 * to six. Arrays with three values a row, such as R, x and y, then have one value for each scalar row, without gaps;
 * ldy_rows has the first index of each constraint.
 *
 * Signs and units. Relative velocities are master minus slave, in the local frame of the constraint. R is the
 * average force over the step, so that W carries the factor h; with h = 1 R is an impulse. Units are any
 * consistent set.
 *
 * Results belong to the system and are valid until its next change: any function on it without a `const`.
 *
 * Forces. ldy_solve_system finds the R that obey the laws of constraints, given row by row; ldy_solve_rows does so
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
 * only the caller's header knows. If a size is invalid, such as 0, the function returns LDY_BUG_FOUND and writes nothing.
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
#define LDY_OUT_OF_MEMORY 1

/* Error code: a file cannot be opened. */
#define LDY_FILE_OPEN 2

/* Error code: a file cannot be written. */
#define LDY_FILE_WRITE 4

/* Error code: not in this build or version. */
#define LDY_NOT_IMPLEMENTED 8

/* Error code: a diagonal block of W, or a general matrix A, is singular. */
#define LDY_LU_FACTOR 15

/* Error code: a symmetric matrix A is not positive definite. */
#define LDY_CHOL_FACTOR 16

/* Error code: a matrix cannot be inverted (known to hosts; not raised here). */
#define LDY_MATRIX_INVERT 18

/* Error code: an inverse is missing, of unknown kind, ill-formed or of wrong size. */
#define LDY_MATRIX_KIND 20

/* Error code: the eigenvalue iteration of a diagonal block failed. */
#define LDY_EIGEN_DECOMP 26

/* Error code: the local coordinates of a point in its element were not found. */
#define LDY_COORDS_INVERT 47

/* Error code: NULL or inconsistent argument, unknown kind, non-finite value. */
#define LDY_BUG_FOUND 52

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
   Returns 0. If n is out of range, the function returns LDY_BUG_FOUND and changes nothing. Never raises. */
int ldy_set_threads(int n);

/* End the library's threads and release their memory, for instance before the host exits or is unloaded.

   While an update in another thread uses the threads, the function waits, at most for one stage of that update. An
   inverse callback may call it during an update, which then continues without threads; so may a function that jumps out
   of a callback. If a signal handler calls it in one of the library's threads, it does nothing. The library can be used
   afterwards: the next update that uses threads starts them again. Never raises. */
void ldy_shutdown(void);

/* The rows of ldy.h, for ldy_rows_of_locdyn alone. */
struct locdyn;

/* Stands for the ground where a constraint has a body on one side only. */
#define LDY_GROUND -1

/* Bodies, constraints between them, and what an update makes of them: U = B + W R. Used by one thread at a time. */
typedef struct ldy_system ldy_system;

/* Make a system without bodies.

   system: where to put it; it is to be destroyed by ldy_system_destroy. Returns 0, 1 (no memory) or 52 (NULL).

   Safety:
   system is NULL or valid. */
int ldy_system_create(ldy_system **system);

/* Destroy a system with all that is in it; NULL is allowed.

   Safety:
   system is NULL or comes from ldy_system_create, and is not used afterwards. */
void ldy_system_destroy(ldy_system *system);


/* A user's solver: replace each of the columns of x, size values each and one behind the other, by A^-1 times it.

   Returns 0, or any other value if that failed. It is called by the thread that calls the library, and must neither use the
   system that calls it nor leave by longjmp or an exception. */
typedef int (*ldy_solver)(int size, int columns, double *x, void *data);

/* Insert a rigid body, with generalised velocity (angular velocity in the referential frame, velocity of the mass centre).

   mass: positive. inertia: referential inertia about the mass centre, 3 x 3, symmetric positive definite. rotation: from the
   reference to now, 3 x 3 column-major. center: referential mass centre, 3 values. body: where to put its id.

   Returns 0, 1 (no memory) or 52 (NULL argument, something not finite, not positive definite, or a rotation that is not
   orthonormal to within 1e-8).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_add_rigid(ldy_system *system,
                         double mass,
                         const double *inertia,
                         const double *rotation,
                         const double *center,
                         long long *body);

/* Insert a pseudo-rigid body, with generalised velocity (rate of the deformation gradient row by row, velocity of the mass
   centre), 12 values.

   mass: positive. euler: referential Euler tensor about the mass centre, 3 x 3, symmetric positive definite. center:
   referential mass centre, 3 values. body: where to put its id.

   Returns 0, 1 (no memory) or 52 (NULL argument, something not finite, or not positive definite).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_add_pseudo_rigid(ldy_system *system,
                                double mass,
                                const double *euler,
                                const double *center,
                                long long *body);

/* Insert an obstacle: its points move as those of a rigid body, with velocities that are prescribed: A^-1 = 0. It counts in B
   and V, and couples no constraints in W.

   rotation: from the reference to now, 3 x 3 column-major. center: referential centre, 3 values. body: where to put its id.

   Returns 0, 1 (no memory) or 52 (NULL argument, something not finite, a rotation that is not orthonormal to within 1e-8).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_add_obstacle(ldy_system *system,
                            const double *rotation,
                            const double *center,
                            long long *body);

/* Insert a body with n generalised velocities by its dense inverse; its constraints are given by operators H.

   n: at least 1. inverse: A^-1, n x n, symmetric. body: where to put its id.

   Returns 0, 1 (no memory) or 52 (NULL argument, n < 1, not finite or not symmetric).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_add_dense(ldy_system *system, int n, const double *inverse, long long *body);

/* Insert a body with n generalised velocities by its diagonal inverse; its constraints are given by operators H.

   n: at least 1. inverse: the diagonal of A^-1, n values, none negative. body: where to put its id.

   Returns 0, 1 (no memory) or 52 (NULL argument, n < 1, negative or not finite).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_add_diagonal(ldy_system *system,
                            int n,
                            const double *inverse,
                            long long *body);

/* Insert a body with n generalised velocities by its sparse matrix A, which is factored by updates: once, as long as the
   matrix stays the same, with a kept order as long as the pattern does. Its constraints are given by operators H.

   n: at least 1. Column j of A has the values starts[j] <= k < starts[j + 1] in the rows rows[k]; starts has n + 1 values,
   rows and values have count, the last of starts. The lower triangle is enough; if there are entries above the diagonal, the
   whole symmetric matrix must be there. Symmetric positive definite. body: where to put its id.

   Returns 0, 1 (no memory), 16 (a diagonal entry is missing), 20 (ill-formed columns) or 52 (NULL argument, n < 1, not finite
   or not symmetric). That A is not positive definite is found by an update.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_add_matrix(ldy_system *system,
                          int n,
                          const int *starts,
                          const int *rows,
                          const double *values,
                          size_t count,
                          long long *body);

/* Insert a body with n generalised velocities whose A^-1 is applied by a function; its constraints are given by operators H.

   n: at least 1. solver: see ldy_solver; A^-1 must be symmetric. It is called once an update with three columns for each
   constraint on the body, whether anything has changed or not, and once for each vector that is multiplied through bodies. data:
   passed through. body: where to put its id.

   Returns 0, 1 (no memory) or 52 (NULL argument, n < 1).

   Safety:
   system comes from ldy_system_create; solver does as its type says, with data, as long as the body exists. */
int ldy_system_add_solver(ldy_system *system,
                          int n,
                          ldy_solver solver,
                          void *data,
                          long long *body);

/* Insert the bodies of a model: one function applies A^-1 of all of them at once, as M^-1 of a program that has several trees of
   bodies. Their constraints are given by operators H.

   sizes: the number of generalised velocities of each body, count values, at least 1 each. solver: see ldy_solver; its columns
   have the velocities of all bodies one behind the other, in the order of sizes. A^-1 must be symmetric and couple no two of the
   bodies: what it makes of one body's values at the place of another is not read. So columns of all bodies stand side by side: it
   gets as many columns as the body with most constraints needs, three for each, with zeros where a body needs fewer or has gone.
   It is called once in each update in which a constraint acts on one of the bodies, more than once where its columns would take
   more than 64 MB; and once for each vector that is multiplied through bodies. An error of it, 15, names the first body of the
   model that constraints act on. data: passed through. bodies: where to put the ids, count values, which follow one after the
   other.

   Each body has velocities of its own and is used as any other. It may be removed alone or be given another inertia; then it is no
   part of the model any more, whose columns stay as long as they were. solver and data are used until the last body has left.

   Returns 0, 1 (no memory) or 52 (NULL argument, no bodies, a size below 1, more velocities than an int can count); then there is
   no body more.

   Safety:
   system comes from ldy_system_create; sizes and bodies are NULL or have count values; solver does as its type says, with data, as
   long as one of the bodies is part of the model. */
int ldy_system_add_model(ldy_system *system,
                         const int *sizes,
                         size_t count,
                         ldy_solver solver,
                         void *data,
                         long long *bodies);

/* Remove a body.

   Returns 0 or 52 (NULL, no such body, or a constraint acts on it).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_remove_body(ldy_system *system, long long body);

/* Set the rotation of a rigid body or an obstacle, 3 x 3 column-major.

   Returns 0 or 52 (NULL argument, no such body, another kind, not finite, not orthonormal to within 1e-8).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_set_rotation(ldy_system *system, long long body, const double *rotation);

/* Say whether frames and rotations that are not orthonormal are taken as they are, from now on: for programs that mean them, for
   instance with axes that carry units. At first they are refused where they are given.

   any: not 0: they are taken. Returns 0 or 52 (NULL).

   Safety:
   system comes from ldy_system_create. */
int ldy_system_take_any_axes(ldy_system *system,
                             int any);

/* Set mass and referential inertia of a rigid body, or mass and Euler tensor of a pseudo-rigid one.

   Returns 0 or 52 (NULL argument, no such body, another kind, an obstacle with constraints, not finite, not positive
   definite).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_set_mass(ldy_system *system,
                        long long body,
                        double mass,
                        const double *inertia);

/* Give a body of any kind another inertia: a dense inverse, n x n and symmetric; so a rigid body can have the inverse of an
   implicit scheme.

   n: the number of its generalised velocities.

   Returns 0, 1 (no memory) or 52 (NULL argument, no such body, another n, an obstacle with constraints, or wrong values).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_set_dense(ldy_system *system,
                         long long body,
                         int n,
                         const double *inverse);

/* Give a body of any kind another inertia: a diagonal inverse, n values, none negative.

   n: the number of its generalised velocities.

   Returns 0, 1 (no memory) or 52 (NULL argument, no such body, another n, an obstacle with constraints, or wrong values).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_set_diagonal(ldy_system *system,
                            long long body,
                            int n,
                            const double *inverse);

/* Give a body of any kind another inertia: a sparse matrix A as in ldy_system_add_matrix.

   n: the number of its generalised velocities.

   Returns 0, 1 (no memory), 16 (a diagonal entry is missing), 20 (ill-formed columns) or 52 (NULL argument, no such body,
   another n, an obstacle with constraints, not finite or not symmetric).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_set_matrix(ldy_system *system,
                          long long body,
                          int n,
                          const int *starts,
                          const int *rows,
                          const double *values,
                          size_t count);

/* Set the free generalised velocity of a body, n values: what it would have after the step without reactions. B is made of it.

   count: n. Returns 0 or 52 (NULL argument, no such body, another count, not finite).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_set_velocity(ldy_system *system,
                            long long body,
                            const double *velocity,
                            size_t count);

/* Set the previous generalised velocity of a body, n values: that before the step. V is made of it.

   count: n. Returns 0 or 52 (NULL argument, no such body, another count, not finite).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_set_previous_velocity(ldy_system *system,
                                     long long body,
                                     const double *velocity,
                                     size_t count);

/* Tell the free generalised velocity of a body, n values: as set, and changed by ldy_system_add_reactions.

   count: n. Returns 0 or 52 (NULL argument, no such body, another count).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_velocity(const ldy_system *system, long long body, double *velocity, size_t count);


/* An operator H of three rows, with as many columns as its body has generalised velocities, n.

   Dense: starts and rows are NULL, values has 3 n values, column-major; columns that are zero are left out, and cost nothing.
   Sparse: column j has the values starts[j] <= k < starts[j + 1] in the rows rows[k], 0, 1 or 2; starts has n + 1 values, rows and
   values have as many as the last of starts says.

   By nodes, for a mesh with three generalised velocities a node: the columns of node a are N_a Q. Starts is NULL, values has Q,
   3 x 3 and column-major, and then a weight N for each of count - 9 nodes; rows has these nodes, counted from 0 and ascending.
   This is the quickest if all constraints on the body have it and its inertia is a matrix A or a diagonal. */
typedef struct {
  /* Number of columns, n. */
  int n;
  /* First entries of the columns, and the end; NULL: dense or by nodes. */
  const int *starts;
  /* Row of each entry, or node of each weight; NULL: dense. */
  const int *rows;
  /* The entries. */
  const double *values;
  /* Number of entries. */
  size_t count;
} ldy_operator;

/* Insert a constraint between points of rigid or pseudo-rigid bodies or obstacles:
   U = E^T (velocity of the master's point - velocity of the slave's).

   master, slave: ids, one of them may be LDY_GROUND. frame: E, 3 x 3 column-major, the local axes are its columns,
   orthonormal. master_point, slave_point: referential points, 3 values; that of the ground is not read. constraint: where to
   put its id.

   Returns 0, 1 (no memory) or 52 (NULL argument, no such body, one without points, not finite, a frame that is not orthonormal to
   within 1e-8: see ldy_system_take_any_axes).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_add_constraint(ldy_system *system,
                              long long master,
                              long long slave,
                              const double *frame,
                              const double *master_point,
                              const double *slave_point,
                              long long *constraint);

/* Insert a constraint by operators H: U = H_master u_master + H_slave u_slave, signs included.

   master, slave: ids, one of them may be LDY_GROUND. H_master, H_slave: see ldy_operator; that of the ground is not read.
   constraint: where to put its id. Everything is copied.

   Returns 0, 1 (no memory) or 52 (NULL argument, no such body, ill-formed columns, not finite).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_add_operators(ldy_system *system,
                             long long master,
                             const ldy_operator *H_master,
                             long long slave,
                             const ldy_operator *H_slave,
                             long long *constraint);

/* Remove a constraint; later rows move up, ids of others stay.

   Returns 0 or 52 (NULL, no such constraint).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_remove_constraint(ldy_system *system, long long constraint);

/* Give a constraint that was inserted with points another frame and other points; as in ldy_system_add_constraint.

   Returns 0 or 52 (NULL argument, no such constraint, one with operators, not finite, a frame that is not orthonormal).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_move_constraint(ldy_system *system,
                               long long constraint,
                               const double *frame,
                               const double *master_point,
                               const double *slave_point);

/* Give a constraint that was inserted with operators other ones; as in ldy_system_add_operators.

   Returns 0, 1 (no memory) or 52 (NULL argument, no such constraint, one with points, ill-formed columns, not finite).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_set_operators(ldy_system *system,
                             long long constraint,
                             const ldy_operator *H_master,
                             const ldy_operator *H_slave);

/* Set the compliance of a constraint, 3 x 3 and symmetric: it is added to the diagonal block of W as it is. NULL: none.

   Returns 0 or 52 (system NULL, no such constraint, not finite, not symmetric, negative in some direction, or a constraint that was
   not inserted with three rows on one or two bodies: for that there is ldy_system_set_rows_compliance).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_set_compliance(ldy_system *system,
                              long long constraint,
                              const double *compliance);

/* Set a diagonal compliance of a constraint, 3 values; see ldy_system_set_compliance.

   Returns 0 or 52 (NULL argument, no such constraint, not finite, negative, or a constraint that ldy_system_set_compliance refuses).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_set_diagonal_compliance(ldy_system *system,
                                       long long constraint,
                                       const double *compliance);


/* Insert a constraint of m rows on several bodies by operators H: U = sum of H u over the bodies, signs included.

   m: 1 to 6. bodies: ids, each there once; count: 1 to 16. H: one for each body, as ldy_operator tells, but of m rows: dense with
   m n values, column-major, or sparse with rows below m; not by nodes. constraint: where to put its id. Everything is copied.

   A limit, motor or friction loss of a joint has one row, a planar contact two, a contact or point three, a weld six; a gear or
   tendon has one row on all its bodies. With three rows on one or two bodies it is what ldy_system_add_operators inserts.
   Constraints of one or two rows on the same bodies in the same order share memory and work. Vectors have then as many values for
   a constraint as it has rows, one behind the other, see ldy_rows.

   Returns 0, 1 (no memory) or 52 (NULL argument, m or count out of range, no such body, one twice, ill-formed columns, not
   finite).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_add_rows(ldy_system *system,
                        int m,
                        const long long *bodies,
                        const ldy_operator *H,
                        size_t count,
                        long long *constraint);

/* Insert a constraint of one row that measures one generalised velocity of a body: a limit, motor or friction loss of a joint.

   freedom: which one, from 0. coefficient: U is this times the velocity, for instance 1, or -1 of an upper limit. constraint:
   where to put its id. It is as if ldy_system_add_rows had inserted it.

   Returns 0, 1 (no memory) or 52 (NULL argument, no such body or velocity, not finite).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_add_freedom(ldy_system *system,
                           long long body,
                           int freedom,
                           double coefficient,
                           long long *constraint);

/* Give a constraint other operators, one for each of its bodies in the order of its insertion; as in ldy_system_add_rows, with as
   many rows as it has.

   Returns 0, 1 (no memory) or 52 (NULL argument, no such constraint, one with points, one with both sides on the same body, which
   ldy_system_set_operators takes, another count, ill-formed columns, not finite).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_set_rows_operators(ldy_system *system,
                                  long long constraint,
                                  const ldy_operator *H,
                                  size_t count);

/* Set the compliance of a constraint of m rows, m x m, column-major and symmetric: it is added to the diagonal block of W as it
   is.

   count: m^2, or 0: none. Returns 0, 1 (no memory) or 52 (NULL, no such constraint, another count, not finite, not symmetric,
   negative in some direction).

   Safety:
   system comes from ldy_system_create; compliance is NULL or has count values. */
int ldy_system_set_rows_compliance(ldy_system *system,
                                   long long constraint,
                                   const double *compliance,
                                   size_t count);

/* Tell the largest eigenvalue of the diagonal block of each constraint.

   values: count values, one for each constraint in the order of rows; NaN where none is found. Returns 0 or 52 (NULL argument,
   another count, no successful update since the last change).

   Safety:
   system comes from ldy_system_create; values is NULL or has count values. */
int ldy_system_largest_eigenvalues(const ldy_system *system,
                                   double *values,
                                   size_t count);

/* Tell the size of W as compressed rows of scalars: for ldy_system_csr.

   rows: where to put the number of scalar rows. entries: where to put the number of entries, those of all blocks. Returns 0 or 52
   (NULL argument, no successful update since the last change).

   Safety:
   system comes from ldy_system_create; rows and entries are NULL or valid. */
int ldy_system_csr_size(const ldy_system *system,
                        int *rows,
                        size_t *entries);

/* Write W as compressed rows of scalars, as scipy.sparse.csr_matrix and solvers in C take it: values row by row, columns from 0
   and ascending. Of constraints with any number of rows.

   starts: start_count values, one more than scalar rows: where each row begins, and the end. columns, values: count values each,
   the entries, see ldy_system_csr_size. W is symmetric to the bit, so they are compressed columns, too.

   Returns 0 or 52 (NULL argument, another count, more entries than an int can count, no successful update since the last
   change).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_csr(const ldy_system *system,
                   int *starts,
                   size_t start_count,
                   int *columns,
                   double *values,
                   size_t count);


/* Insert many constraints as the rows of a Jacobian J, as a simulator of robots has it: all of them, or none.

   bodies: body_count ids, each there once. The columns of J are the generalised velocities of these bodies, one body behind the
   other in this order. heights: how many rows each of the count constraints has, 1 to 6; their rows lie one constraint behind the
   other. A constraint is on those of the bodies in whose columns its rows are not all zero, at most 16 of them, or on the first of
   the bodies if all are zero: it is as if ldy_system_add_rows were called with these bodies in this order. constraint: where to
   put the id of the first; those of the others follow one after the other.

   J: an array of doubles, of which entry (i, j) is J[i row_stride + j column_stride]; rows, columns: how many there are. Strides
   count doubles: row-major J has the strides columns and 1, column-major J the strides 1 and rows. What lies between is not
   used.

   Returns 0, 1 (no memory) or 52 (NULL argument, no such body, one twice, another number of rows than all constraints have, of
   columns than all bodies have velocities, of rows or bodies of a constraint than those above, not finite). Then nothing has
   changed; a bad constraint is named with its place among those given, counted from 0.

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

/* The same of a sparse J, by compressed rows, as ldy_system_set_sparse_jacobian has them.

   Returns as ldy_system_add_jacobian, and 52 if a row begins or ends outside, or its columns do not ascend.

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

/* Give many constraints other operators, all of them or none: the rows of a Jacobian J.

   bodies: body_count ids, each there once. The columns of J are the generalised velocities of these bodies, one body behind the
   other in this order. constraints: count ids, each there once. The rows of J are those of these constraints, one constraint
   behind the other in this order: of each as many as it has. It is as if ldy_system_set_operators or ldy_system_set_rows_operators
   were called with each of these; operators on bodies that are not named stay as they are. Where a row is not zero, the column
   must be that of a body of its constraint. Operators by nodes are not replaced.

   J, rows, columns, row_stride, column_stride: as in ldy_system_add_jacobian.

   Returns 0, 1 (no memory) or 52 (NULL argument, no such body or constraint, one twice, one at points, by nodes, on one body
   twice or on none of the bodies, other rows or columns than these have, not finite, not zero in a column of another body).
   Then nothing has changed; a bad constraint is named with its place among those given, counted from 0.

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

/* The same of a sparse J, by compressed rows.

   starts: row i has the values from starts[i] on. counts: rows values, how many entries each row has; starts has rows values then.
   counts NULL: a row ends where the next begins, and starts has rows + 1 values. indices, values: value_count each, of each entry
   its column, which ascend in a row, and its value. MuJoCo's efc_J_rowadr, efc_J_rownnz, efc_J_colind and efc_J are starts,
   counts, indices and values; those of a scipy.sparse.csr_matrix with sorted indices are starts, NULL, indices and values. All
   else is as in ldy_system_set_jacobian.

   Returns as ldy_system_set_jacobian, and 52 if a row begins or ends outside, or its columns do not ascend.

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


/* Set the regularisation of all constraints that are there: W + diag (mu) takes the place of W from the next update on,
   everywhere.

   mu: count values, in the units of W, none negative: one for all, or one for each row, or three for each row; a 0 ends it. It
   comes on top of compliances and takes the place of the last regularisation. A constraint that is inserted later has none.

   Returns 0 or 52 (NULL argument, another count, negative, not finite); then nothing has changed.

   Safety:
   system comes from ldy_system_create; mu is NULL or has count values. */
int ldy_system_regularise(ldy_system *system,
                          const double *mu,
                          size_t count);

/* Set the tag of a constraint: any number by which the program finds it again. It is 0 at first, and stays with the constraint
   until that is removed. No results depend on it.

   Returns 0 or 52 (NULL, no such constraint).

   Safety:
   system comes from ldy_system_create. */
int ldy_system_set_tag(ldy_system *system,
                       long long constraint,
                       unsigned long long tag);

/* Tell the tags of all constraints, in the order of rows. No update is needed.

   tags: count values, one for each constraint. Returns 0 or 52 (NULL argument, another count).

   Safety:
   system comes from ldy_system_create; tags is NULL or has count values. */
int ldy_system_tags(const ldy_system *system, unsigned long long *tags, size_t count);

/* Keep reactions with the constraints: each stays with its own when others are inserted, removed or moved, and comes back from
   ldy_system_reactions in the order that rows have then, so that a solver begins with the forces of the last step. No update is
   needed, and no results depend on it.

   R: three values for each constraint in the order of rows, count values. Returns 0 or 52 (NULL argument, another count, not
   finite); then nothing has changed.

   Safety:
   system comes from ldy_system_create; R is NULL or has count values. */
int ldy_system_set_reactions(ldy_system *system,
                             const double *R,
                             size_t count);

/* Tell the reactions that are kept with the constraints; those of new ones are zero.

   R: three values for each constraint in the order of rows, count values. Returns 0 or 52 (NULL argument, another count).

   Safety:
   system comes from ldy_system_create; R is NULL or has count values. */
int ldy_system_reactions(const ldy_system *system,
                         double *R,
                         size_t count);


/* Insert many constraints at points, as ldy_system_add_constraint does one: all of them, or none.

   Of this function and those that follow: arrays have count entries; of each a stride says how many BYTES lie from the beginning
   of one entry to that of the next, a multiple of 8, so that entries may be parts of structures. A stride of 0 has the first entry
   stand for all, where it is read. A bad entry is named with its number, counted from 0, and then nothing has changed.

   masters, slaves: an id each, or LDY_GROUND; slaves NULL: all are the ground. bodies_stride: of both. frames: 9 values each.
   master_points, slave_points: 3 values each; not read for the ground, and NULL if it is all of them. points_stride: of both.
   constraint: where to put the id of the first; those of the others follow one after the other.

   Returns 0, 1 (no memory) or 52 (NULL argument, a stride that is no multiple of 8, or what ldy_system_add_constraint refuses).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
int ldy_system_add_constraints(ldy_system *system,
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

/* Give many constraints at points other frames and points, and other bodies if masters is not NULL: all of them, or none. They
   keep their rows, ids, compliances, tags and reactions; where bodies are others, the next update does these bodies again, as after
   constraints were added and removed.

   constraints: an id each. masters, slaves, frames, points with their strides: as in ldy_system_add_constraints; masters NULL:
   bodies stay, and slaves is not read.

   Returns 0, 1 (no memory) or 52 (NULL argument, a stride that is no multiple of 8, no such constraint, one with operators, or
   what ldy_system_add_constraint refuses).

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

/* Tell frames and points of many constraints, as they were given.

   constraints: an id each. frames: 9 values each. master_points, slave_points: 3 values each; of the ground, as given or zero.
   Each of the three may be NULL: not wanted.

   Returns 0 or 52 (NULL argument, a stride that is no multiple of 8 or less than an entry, no such constraint, one with
   operators); then nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and do not overlap. */
int ldy_system_placements(const ldy_system *system,
                          size_t count,
                          const long long *constraints,
                          size_t constraints_stride,
                          double *frames,
                          size_t frames_stride,
                          double *master_points,
                          double *slave_points,
                          size_t points_stride);

/* Set the compliances of many constraints, 9 values each, as ldy_system_set_compliance does one: all of them, or none.

   Returns 0 or 52 (NULL argument, a stride that is no multiple of 8, no such constraint, or what ldy_system_set_compliance
   refuses).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
int ldy_system_set_compliances(ldy_system *system,
                               size_t count,
                               const long long *constraints,
                               size_t constraints_stride,
                               const double *compliances,
                               size_t compliances_stride);

/* Set the tags of many constraints, as ldy_system_set_tag does one: all of them, or none.

   Returns 0 or 52 (NULL argument, a stride that is no multiple of 8, no such constraint).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
int ldy_system_set_tags(ldy_system *system,
                        size_t count,
                        const long long *constraints,
                        size_t constraints_stride,
                        const unsigned long long *tags,
                        size_t tags_stride);

/* Remove many constraints, as ldy_system_remove_constraint does one: all of them, or none.

   constraints: an id each, none twice. Returns 0 or 52 (NULL argument, a stride that is no multiple of 8, no such constraint, an
   id twice).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
int ldy_system_remove_constraints(ldy_system *system,
                                  size_t count,
                                  const long long *constraints,
                                  size_t constraints_stride);

/* Set the free velocities of many bodies, n values each, as ldy_system_set_velocity does one: all of them, or none.

   bodies: an id each. n: the number of generalised velocities of each of them.

   Returns 0 or 52 (NULL argument, a stride that is no multiple of 8, no such body, one with another n, not finite).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
int ldy_system_set_velocities(ldy_system *system,
                              size_t count,
                              const long long *bodies,
                              size_t bodies_stride,
                              size_t n,
                              const double *velocities,
                              size_t velocities_stride);

/* Set the previous velocities of many bodies; as ldy_system_set_velocities.

   Returns 0 or 52 (as there).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
int ldy_system_set_previous_velocities(ldy_system *system,
                                       size_t count,
                                       const long long *bodies,
                                       size_t bodies_stride,
                                       size_t n,
                                       const double *velocities,
                                       size_t velocities_stride);

/* Tell the free velocities of many bodies, n values each, as ldy_system_velocity does of one.

   Returns 0 or 52 (NULL argument, a stride that is no multiple of 8 or less than an entry, no such body, one with another n); then
   nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and do not overlap. */
int ldy_system_velocities(const ldy_system *system,
                          size_t count,
                          const long long *bodies,
                          size_t bodies_stride,
                          size_t n,
                          double *velocities,
                          size_t velocities_stride);

/* Set the rotations of many rigid bodies or obstacles, 9 values each, as ldy_system_set_rotation does one: all of them, or none.

   Returns 0 or 52 (NULL argument, a stride that is no multiple of 8, no such body, another kind, not finite).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
int ldy_system_set_rotations(ldy_system *system,
                             size_t count,
                             const long long *bodies,
                             size_t bodies_stride,
                             const double *rotations,
                             size_t rotations_stride);

/* Tell the rotations of many rigid bodies or obstacles, 9 values each.

   Returns 0 or 52 (NULL argument, a stride that is no multiple of 8 or less than an entry, no such body, another kind); then
   nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and do not overlap. */
int ldy_system_rotations(const ldy_system *system,
                         size_t count,
                         const long long *bodies,
                         size_t bodies_stride,
                         double *rotations,
                         size_t rotations_stride);


/* Tell the referential point of a rigid body or an obstacle that is at a place of the world: X = X_center + rotation^T (place -
   center). So contacts that are found in the world become the points that constraints are given by.

   center: where the mass centre is now; place: where the point is now; point: where to put X; 3 values each. The rotation is that
   of the system.

   Returns 0 or 52 (NULL argument, no such body, another kind, not finite); then nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have 3 values. */
int ldy_system_referential_point(const ldy_system *system,
                                 long long body,
                                 const double *center,
                                 const double *place,
                                 double *point);

/* Tell the referential point of a pseudo-rigid body that is at a place of the world: X = X_center + F^-1 (place - center).

   gradient: F, the deformation gradient of the body now, 3 x 3 column-major; a system keeps none, and takes none from
   ldy_system_set_rotation. Generalised velocities have its rate row by row: F that is kept so is the transpose of this. center:
   where the mass centre is now; place: where the point is now; point: where to put X; 3 values each.

   Returns 0 or 52 (NULL argument, no such body, another kind, not finite, F singular to working precision); then nothing is
   written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_pseudo_rigid_point(const ldy_system *system,
                                  long long body,
                                  const double *gradient,
                                  const double *center,
                                  const double *place,
                                  double *point);

/* Turn an angular velocity of a rigid body or an obstacle from the frame of the world into the referential one, which generalised
   velocities have: rotation^T world.

   world, referential: 3 values each; they may be the same. Returns 0 or 52 (NULL argument, no such body, another kind, not
   finite); then nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have 3 values. */
int ldy_system_referential_spin(const ldy_system *system,
                                long long body,
                                const double *world,
                                double *referential);

/* The other way round: rotation referential.

   Arguments and errors as in ldy_system_referential_spin.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have 3 values. */
int ldy_system_world_spin(const ldy_system *system, long long body, const double *referential, double *world);

/* Compute the gyroscopic term: the change of the angular velocity of a rigid body in a step without a torque. It is part of the free
   velocity, beside h A^-1 times the forces. Needs no system.

   The method is the one of Simo and Wong (International Journal for Numerical Methods in Engineering 31, 1991): J spin_1 = exp
   (-theta) J spin with theta = h (spin + spin_1) / 2. It keeps the energy and the length of the angular momentum to rounding for
   any h; to first order the change is -h J^-1 (spin x J spin). A step in which the body turns by more than a radian is made in equal
   parts. ldy_system_turned_rotation computes the rotation that belongs to it.

   - inertia: J, 3 x 3, as in ldy_system_add_rigid.
   - spin: the angular velocity in the referential frame, 3 values.
   - h: the step.
   - change: where to write spin_1 - spin, 3 values; it may be spin.

   Returns 0, or LDY_BUG_FOUND if an argument is NULL or not finite, J is singular, or the body turns by more than about 4000 radians
   in the step. Then nothing is written.

   Safety:
   inertia is NULL or has 9 values, spin and change are NULL or have 3. */
int ldy_system_gyroscopic_change(const double *inertia,
                                 const double *spin,
                                 double h,
                                 double *change);

/* Compute the rotation of a rigid body after a step: rotation exp (h (before + after) / 2). Needs no system.

   If after = before + change, with the change of ldy_system_gyroscopic_change, the angular momentum in the world, rotation J spin,
   remains the same to rounding, as long as the body turns by at most a radian in the step. If forces change the spin, too, after is
   the spin with their change.

   - rotation: 3 x 3, from the reference to now.
   - before, after: the angular velocity in the referential frame at the beginning and at the end of the step, 3 values each.
   - h: the step.
   - turned: where to write the result, 9 values; it may be rotation.

   Returns 0, or LDY_BUG_FOUND if an argument is NULL or not finite. Then nothing is written.

   Safety:
   Arrays are NULL or have the sizes given. */
int ldy_system_turned_rotation(const double *rotation,
                               const double *before,
                               const double *after,
                               double h,
                               double *turned);


/* The results of an update; everything belongs to the system and is valid until its next change.

   Row k is that of the k-th constraint in the order of insertion, removed ones left out: where a constraint is removed the
   later rows move up. Blocks and vectors are in local frames. Two rows have one block in common however many bodies they
   share; there is a block wherever they share one that is no obstacle, be it zero. */
typedef struct {
  /* sizeof (ldy_rows), set by the caller before the call. */
  size_t size;
  /* Number of rows, n. */
  int rows;
  /* Number of blocks, diagonal ones among them. */
  int blocks;
  /* Row k has the blocks starts[k] <= i < starts[k + 1]; n + 1 values. */
  const int *starts;
  /* Column of each block, ascending in a row. */
  const int *columns;
  /* The blocks of W, each 3 x 3, column-major, nine values behind nine. The block of row b and column a is the transpose
     of that of row a and column b, bit for bit. */
  const double *values;
  /* Free local velocities, H times the free velocity; three values a row. */
  const double *B;
  /* Previous local velocities, H times the previous velocity; three values a row. */
  const double *V;
  /* The diagonal blocks once more, nine values a row. */
  const double *diagonal;
  /* Their inverses, nine values a row; NaN where one is singular to working precision, see ldy_system_check_inverses. */
  const double *inverse;
  /* Id of each row's constraint. */
  const long long *constraints;
  /* NULL if every constraint has three rows of scalars, as all is said above. Else where the scalars of each row begin, n + 1
     values: row k has the m = scalar_starts[k + 1] - scalar_starts[k] values of B, V and R from scalar_starts[k] on. */
  const int *scalar_starts;
  /* NULL, or where each block begins in values, blocks + 1 values: that of row a and column b is m_a x m_b, column-major. */
  const size_t *value_starts;
  /* NULL, or where the m x m values of each row begin in diagonal and inverse, n + 1 values. */
  const size_t *diagonal_starts;
  /* Number of scalars, 3 n or the last of scalar_starts: the count of vectors. */
  size_t scalars;
} ldy_rows;

/* Assemble W = h H A^-1 H^T + compliance, B, V, the diagonal and its inverse, theory (62)-(69), for the step h.

   It does again only what has changed since the last successful update, which the functions of this header record; the results
   have the bits of a system that is made anew. Everything is done again for another h and after an error. A user's solver is
   called in each update.

   h: positive and finite. Returns 0, 1 (no memory), 15 (a user's solver failed), 16 (a matrix A is not positive definite), or
   52 (NULL; h is not positive and finite; V, B or a block of W is not finite, because numbers are too large or a solver's;
   more constraints or blocks than an int can count). Of a block between two constraints the text names both.

   If system is NULL or h is refused, nothing has changed, and the results of the last update are still there. After any other
   error there are no results. Bodies and constraints are as before; they can be changed and updated again, and the results are
   then those of a system that has met no error, bit for bit.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_update(ldy_system *system,
                      double h);

/* Tell the results of the last update; see ldy_rows.

   rows: where to write it, its size set. Returns 0 or 52 (NULL argument, rows->size is wrong, or too small for starts of scalars
   where constraints have other than three rows; no successful update since the last change).

   Safety:
   system comes from ldy_system_create; rows is NULL or valid, with as many bytes as its size says. */
int ldy_system_rows(const ldy_system *system,
                    ldy_rows *rows);

/* Tell whether every diagonal block has an inverse.

   Returns 0, 15 (one is singular: ldy_last_error names the first) or 52 (NULL, no successful update since the last change).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_check_inverses(const ldy_system *system);

/* Tell the row of a constraint, counted from 0.

   Returns 0 or 52 (NULL argument, no such constraint, no update since a constraint or a body was inserted or removed).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_row(const ldy_system *system,
                   long long constraint,
                   int *row);


/* y = W x, of the blocks.

   x, y: three values a row, count values each, different arrays. Since the last update nothing but velocities may have
   changed. Returns 0, 1 (no memory, of which rows of three need none) or 52 (NULL argument, another count, no such update).

   Safety:
   system comes from ldy_system_create; x and y have the sizes given and do not overlap. */
int ldy_system_multiply(const ldy_system *system,
                        const double *x,
                        double *y,
                        size_t count);

/* y = W x as h H A^-1 H^T x + compliance, body by body, without the blocks.

   x, y: three values a row, count values each, different arrays. Since the last update nothing but velocities may have
   changed. Returns 0, 1 (no memory), 15 (a user's solver failed) or 52 (NULL argument, another count, no such update). After 1
   or 15 y is unspecified.

   Safety:
   system comes from ldy_system_create; x and y have the sizes given and do not overlap. */
int ldy_system_multiply_through_bodies(const ldy_system *system,
                                       const double *x,
                                       double *y,
                                       size_t count);

/* y = W x of several vectors at once, of the blocks: quicker than one after the other, with the same bits.

   x, y: columns vectors of three values a row, count values each; each begins x_stride or y_stride values behind the one before
   it, at least count. They are (columns - 1) * stride + count values, of different arrays. Since the last update nothing but
   velocities may have changed. Returns 0, 1 (no memory, of which rows of three need none) or 52 (NULL argument, another count, a
   stride that is too short, no such update).

   Safety:
   system comes from ldy_system_create; x and y have the sizes given and do not overlap. */
int ldy_system_multiply_columns(const ldy_system *system,
                                size_t columns,
                                const double *x,
                                size_t x_stride,
                                double *y,
                                size_t y_stride,
                                size_t count);

/* As ldy_system_multiply_columns, body by body, without the blocks; a user's solver is called once for each vector.

   Returns what that returns, 1 (no memory), or 15 (a user's solver failed). After 1 or 15 y is unspecified.

   Safety:
   system comes from ldy_system_create; x and y have the sizes given and do not overlap. */
int ldy_system_multiply_columns_through_bodies(const ldy_system *system,
                                               size_t columns,
                                               const double *x,
                                               size_t x_stride,
                                               double *y,
                                               size_t y_stride,
                                               size_t count);

/* y = W x of any rows, with the bits of ldy_system_multiply where these are rows of three of a system.

   rows: its size, rows, blocks, starts, columns and values are read, and scalar_starts and value_starts, both NULL or not, as
   ldy_system_rows tells them; W need not be symmetric. x, y: three values a row, count values each, different arrays.

   Returns 0 or 52 (NULL argument, another count, ill-formed rows: the text names the row); then nothing is written.

   Safety:
   rows is NULL or valid, with as many bytes as its size says, and arrays as long as it says; x and y have the sizes given and
   overlap nothing. */
int ldy_rows_multiply(const ldy_rows *rows,
                      const double *x,
                      double *y,
                      size_t count);

/* y = W x of any rows and several vectors at once, each with the bits that it has alone.

   rows: as in ldy_rows_multiply. columns, x, y with their strides, count: as in ldy_system_multiply_columns. Returns what
   ldy_rows_multiply returns, and 52 if a stride is too short.

   Safety:
   As ldy_rows_multiply. */
int ldy_rows_multiply_columns(const ldy_rows *rows,
                              size_t columns,
                              const double *x,
                              size_t x_stride,
                              double *y,
                              size_t y_stride,
                              size_t count);

/* Add the generalised force H^T R of all constraints on a body.

   R: three values a row, count values. force: n values, added to; force_count: n. Since the last update nothing but velocities
   may have changed.
   Returns 0, 1 (no memory, of which rows of three need none) or 52 (NULL argument, no such body, another count, no such update).

   Safety:
   system comes from ldy_system_create; R and force have the sizes given and do not overlap. */
int ldy_system_add_force(const ldy_system *system,
                         long long body,
                         const double *R,
                         size_t count,
                         double *force,
                         size_t force_count);

/* Add h A^-1 H^T R to the free velocity of every body, theory (50): the velocity at the end of the step.

   R: three values a row, count values. Since the last update nothing but velocities may have changed. Rows have to be updated
   after it. Returns 0, 1 (no memory), 15 (a user's solver failed) or 52 (NULL argument, another count, no such update, R or a
   velocity with it not finite). After an error no velocity has changed.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_add_reactions(ldy_system *system,
                             const double *R,
                             size_t count);

/* Estimate the largest eigenvalue of W, compliance included, by the method of Lanczos on its blocks.

   tolerance: it ends when the residual is below this times the value, for instance 1e-3. most_products: or after so many
   products with W, at least one. value: never above the largest eigenvalue but for rounding. residual: an eigenvalue lies no
   farther than this from the value, and unless the first vector, a fixed pseudo-random one, is almost free of its eigenvector
   that is the largest; the error is then about residual^2 / distance to the next. NULL: not wanted.

   Returns 0, 1 (no memory) or 52 (NULL argument, tolerance not a number, W has changed since the last update, a product with W
   not finite).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_largest_eigenvalue(const ldy_system *system,
                                  double tolerance,
                                  int most_products,
                                  double *value,
                                  double *residual);


/* A Cholesky factor of W + mu 1 with its memory, which is used again: the order of elimination is kept as long as the pattern of W
   stays. It has no tie to the system or the rows that it was made of. Used by one thread at a time. */
typedef struct ldy_factor ldy_factor;

/* Make a factor, of nothing yet.

   factor: where to put it; it is to be destroyed by ldy_factor_destroy. Returns 0, 1 (no memory) or 52 (NULL).

   Safety:
   factor is NULL or valid. */
int ldy_factor_create(ldy_factor **factor);

/* Destroy a factor; NULL is allowed.

   Safety:
   factor is NULL or comes from ldy_factor_create, and is not used afterwards. */
void ldy_factor_destroy(ldy_factor *factor);

/* Factor W + diag (mu) of the last update of a system. Since then nothing but velocities may have changed.

   mu: count values, in the units of W: one for all, or one for each row, or one for each scalar of the rows; count 0: zero. It
   comes on top of compliances and of ldy_system_regularise.

   Returns 0, 1 (no memory), 16 (not positive definite, or singular to working precision, with a pivot below 1e-13 of its diagonal
   entry: the text names the constraint of the first such pivot in the order of elimination; see ldy_system_redundant) or 52 (NULL
   argument, another count, mu is not finite, no such update). After an error there is no factor.

   Safety:
   factor comes from ldy_factor_create, system from ldy_system_create; mu is NULL or has count values. */
int ldy_factor_system(ldy_factor *factor,
                      const ldy_system *system,
                      const double *mu,
                      size_t count);

/* Factor W + diag (mu) of any rows; those above the diagonal are read, since W is symmetric.

   rows: its size, rows, blocks, starts, columns and values are read, and scalar_starts and value_starts, both NULL or not, as
   ldy_system_rows tells them. mu, count: as in ldy_factor_system.

   Returns what ldy_factor_system returns, and 52 if the rows are ill-formed or not finite; the text names the row.

   Safety:
   factor comes from ldy_factor_create; rows is NULL or valid, with as many bytes as its size says, and arrays as long as it says;
   mu is NULL or has count values. */
int ldy_factor_rows(ldy_factor *factor,
                    const ldy_rows *rows,
                    const double *mu,
                    size_t count);

/* Replace vectors by (W + mu 1)^-1 times them.

   x: columns vectors with a value for each scalar of the rows, count values each; each begins stride values behind the one before
   it, at least count. A vector has the bits that it has alone. Returns 0, 1 (no memory) or 52 (NULL argument, another count, a
   stride that is too short, no factor); after an error x is as it was.

   Safety:
   factor comes from ldy_factor_create; x has (columns - 1) * stride + count values. */
int ldy_factor_solve(ldy_factor *factor,
                     size_t columns,
                     double *x,
                     size_t stride,
                     size_t count);

/* Tell the natural logarithm of the determinant of W + mu 1.

   Returns 0 or 52 (NULL argument, no factor).

   Safety:
   factor comes from ldy_factor_create; value is NULL or valid. */
int ldy_factor_log_determinant(const ldy_factor *factor, double *value);


/* Tell which scalar rows of W depend on earlier ones: where forces are not unique, or a constraint is redundant. W is that of the
   last update, with compliances; since then nothing but velocities may have changed.

   tolerance: the squared sine of the angle between a row of H and the span of others, in the metric of A^-1, below which it
   depends on them; 0: 1e-10. redundant: count values, as many as there are scalar rows, ldy_rows.scalars: 1 where one depends on
   earlier ones, else 0; a constraint is redundant as a whole if all of its own are 1. Of several rows that are at smaller angles
   than that to each other's span, which are told is a matter of rounding; how many is not. Where a sine is near the tolerance,
   dependence is not exact, and the last row that has a share in it is told, be that as small as 1e-5. dimension: as many as
   depend, the dimension of the null space of W; NULL: not wanted.

   Rows that are connected through bodies are taken together, dense: n^3 operations and up to 8 n^2 bytes for n scalar rows of such
   a group.

   Returns 0, 1 (no memory), 16 (W is indefinite: the text names the constraint) or 52 (NULL argument, another count, the tolerance
   is not between 0 and 1, no such update).

   Safety:
   system comes from ldy_system_create; arrays are NULL or have the sizes given. */
int ldy_system_redundant(const ldy_system *system,
                         double tolerance,
                         int *redundant,
                         size_t count,
                         int *dimension);

/* As ldy_system_redundant, of any rows. W is symmetric.

   rows: its size, rows, blocks, starts, columns and values are read, and scalar_starts and value_starts, both NULL or not, as
   ldy_system_rows tells them. The rest: as there.

   Returns what ldy_system_redundant returns, and 52 if the rows are ill-formed or not finite; the text names the row.

   Safety:
   rows is NULL or valid, with as many bytes as its size says, and arrays as long as it says; redundant is NULL or has count
   values. */
int ldy_rows_redundant(const ldy_rows *rows,
                       double tolerance,
                       int *redundant,
                       size_t count,
                       int *dimension);


/* Write W to a text file in MatrixMarket coordinate format, 15 significant digits.

   Returns 0, 2 (it cannot be opened), 4 (it cannot be written) or 52 (NULL argument, no successful update since the last
   change).

   Safety:
   system comes from ldy_system_create; path is NULL or a C string. */
int ldy_system_write_matrix_market(const ldy_system *system,
                                   const char *path);

/* Write W to a file that scipy.sparse.load_npz reads: block-sparse rows, or rows of scalars where constraints have other
   than three; all digits. At most 4 GiB.

   Returns 0, 2 (it cannot be opened), 4 (it cannot be written) or 52 (NULL argument, no successful update since the last
   change).

   Safety:
   system comes from ldy_system_create; path is NULL or a C string. */
int ldy_system_write_npz(const ldy_system *system,
                         const char *path);

/* As ldy_system_write_matrix_market, of any rows.

   rows: its size, rows, blocks, starts, columns and values are read, and scalar_starts and value_starts, both NULL or not, as
   ldy_system_rows tells them.

   Returns what that returns, and 52 if the rows are ill-formed; the text names the row.

   Safety:
   rows is NULL or valid, with as many bytes as its size says, and arrays as long as it says; path is NULL or a C string. */
int ldy_rows_write_matrix_market(const ldy_rows *rows,
                                 const char *path);

/* As ldy_system_write_npz, of any rows.

   rows: as in ldy_rows_write_matrix_market. Returns what that returns.

   Safety:
   As there. */
int ldy_rows_write_npz(const ldy_rows *rows, const char *path);


/* Copies of the rows of a LOCDYN, with memory that is used again: lists with the pattern of the last ones are copied without
   allocating more. Used by one thread at a time. */
typedef struct ldy_locdyn_rows ldy_locdyn_rows;

/* Make what the rows of a LOCDYN are copied into.

   copies: where to put it; it is to be destroyed by ldy_locdyn_rows_destroy. Returns 0, 1 (no memory) or 52 (NULL).

   Safety:
   copies is NULL or valid. */
int ldy_locdyn_rows_create(ldy_locdyn_rows **copies);

/* Destroy copies with their memory; NULL is allowed. The LOCDYN may be gone.

   Safety:
   copies is NULL or comes from ldy_locdyn_rows_create, and is not used afterwards. */
void ldy_locdyn_rows_destroy(ldy_locdyn_rows *copies);

/* Copy the rows of a LOCDYN of ldy.h, so that they can be multiplied, written to files, solved, factored and asked for their rank
   by ldy_solve_rows and all functions ldy_rows_*, ldy_factor_*. Nothing of the host's or of ldy is written or moved; changes of
   either leave the copies as they are.

   ldy: any LOCDYN with the layout of this build, made by this library, a clone, or the rows of another module. rows: where to tell
   the copies, its size set; valid until the next call with the same copies, whatever that returns. Of row k, that of the k-th DIAB
   of the list:
   - values: W of the DIAB and of its blocks as they are now, whoever wrote them, in ascending columns. Two blocks with one
     neighbour become their sum, as in LOCDYN_Dump: so a self-contact counts twice unless LDY_SELF_CONTACT_ONCE is set;
   - B, V: as in the DIAB; diagonal: its W; inverse: its A; constraints: the ids of constraints, con->id. scalar_starts and what
     belongs to it: NULL. rho is not told: solvers here choose their own;
   - W is symmetric to the bit after a LOCDYN_Update_Begin of this library that made all of W. After one for a penalty solver
     blocks of contacts are what they were before, and a host may write W: then W need not be symmetric, and what asks for symmetry
     reads the blocks right of the diagonal. What a host has added to W, for instance a regularisation, is in it.

   In lists of this library no link is followed that does not lead to a row or a block of ldy, and none may be missing. Of those of
   another module it is found out whether rows or blocks form a ring or lead to rows that are not in the list; other links that
   lead nowhere are the program's responsibility.

   Returns 0, 1 (no memory), 8 (MPI: a constraint has blocks to external constraints, which are rows of other processes: without
   them these rows are no W of their own; the text names the constraint) or 52 (NULL argument, rows->size is wrong, lists are
   damaged, more blocks than an int can count). After an error there are no copies, unless copies, ldy or rows is NULL or the size
   is wrong.

   Safety:
   copies comes from ldy_locdyn_rows_create; ldy is NULL or a valid LOCDYN, the constraints of its rows and their bodies are valid;
   rows is NULL or valid, with as many bytes as its size says. */
int ldy_rows_of_locdyn(ldy_locdyn_rows *copies,
                       const struct locdyn *ldy,
                       ldy_rows *rows);

/* Tell the reactions R that the constraints of a LOCDYN have now, in the order of rows: for instance where a solver begins.

   R: three values a row, count values. Returns 0 or 52 (NULL argument, another count, the list has not the rows that were copied
   last).

   Safety:
   copies comes from ldy_locdyn_rows_create, ldy is as in ldy_rows_of_locdyn; R is NULL or has count values. */
int ldy_locdyn_reactions(const ldy_locdyn_rows *copies,
                         const struct locdyn *ldy,
                         double *R,
                         size_t count);

/* Give the constraints of a LOCDYN their reactions: con->R of each row becomes what R has for it, and nothing else is written.

   R: three values a row, count values. Returns 0 or 52 (NULL argument, another count, something not finite, the list has not the
   rows that were copied last); then nothing is written.

   Safety:
   As ldy_locdyn_reactions. */
int ldy_locdyn_set_reactions(const ldy_locdyn_rows *copies,
                             const struct locdyn *ldy,
                             const double *R,
                             size_t count);


/* A kind of joint: it keeps the distance of its points, which lie along the normal, that of the master ahead. */
#define LDY_LINK 1

/* A kind of joint: it keeps its points together. */
#define LDY_FIXED_POINT 2

/* A kind of joint: a contact whose axes nothing turns. */
#define LDY_CONTACT 3

/* A kind of joint: a contact whose axes the master turns, on whose face it is. */
#define LDY_CONTACT_ON_MASTER 4

/* A kind of joint: a contact whose axes the slave turns, on whose face it is. */
#define LDY_CONTACT_ON_SLAVE 5

/* A kind of joint: a constraint by operators, of any number of rows, that stay as they are when bodies move, as those of limits
   and motors of generalised coordinates do. It has no geometric stiffness. Of constraints by operators only such are known. */
#define LDY_CONSTANT_OPERATORS 6

/* What a constraint keeps as it is: what its force does when bodies move depends on it. */
typedef struct {
  /* One of LDY_LINK, LDY_FIXED_POINT, LDY_CONTACT, LDY_CONTACT_ON_MASTER, LDY_CONTACT_ON_SLAVE, LDY_CONSTANT_OPERATORS. */
  int kind;
  /* Of a link: the distance of its points, positive. Not read otherwise. */
  double length;
} ldy_joint;

/* y = K x, K the geometric stiffness of the reactions R: what they change by when bodies move by x is -K x.

   Only a rigid body or an obstacle turns axes. joints: one for each row, joint_count; those of constraints by operators are
   LDY_CONSTANT_OPERATORS, of constraints at points others. R: three values a row, of other rows as many as they have, R_count
   values, as in U = B + W R, so that a link under tension has R_N < 0. x, y: the generalised velocities of all bodies, obstacles
   too, one behind the other in the order of insertion, count values each; different arrays. No update is needed.

   Returns 0, 1 (no memory) or 52 (NULL argument, another count, unknown kind, one that is not for this constraint, a length not
   positive, not finite).

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

/* The longest step that explicit schemes survive with the reactions R: 2 / omega, omega^2 the largest eigenvalue of M^-1 K, K
   as in ldy_system_geometric_stiffness and M^-1 the inverses A^-1 of the bodies.

   joints, R with their counts: as there. omega_squared: zero if nothing is in tension. step: then infinite. constraint: the id
   of the constraint that contributes most to omega^2, then -1. share: its share, 1 of all together. NULL: not wanted.

   Returns 0, 1 (no memory) or 52 (as there; a body has a sparse matrix or a solver; the eigenvalue does not settle).

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

/* As ldy_system_critical_step, of the motions alone that the constraints leave free: the step that is observed, where that of all
   directions is merely safe. M^-1 is projected, N = M^-1 - M^-1 J^T (J M^-1 J^T)^+ J M^-1, with a row of J for a link or a
   contact, along its normal, three for a fixed point, and all those of constraints by operators. A contact that sticks lets steps
   be longer than told. Rows of J may depend on each other. Dense: for systems of some thousand generalised velocities.

   Arguments and errors as there.

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
#define LDY_NO_LAW 0

/* A kind of law: contact with friction, 0 <= R_N + cohesion, U_N >= 0, one of them zero, and R_T against U_T with at most
   friction (R_N + cohesion). Of rows of three scalars. */
#define LDY_CONTACT_LAW 1

/* A kind of law: U = 0, all components. */
#define LDY_FIXED_LAW 2

/* A kind of law: lower <= R <= upper, component by component; U is zero between the bounds, not negative at the lower one, not
   positive at the upper one. */
#define LDY_BOUNDS_LAW 3

/* A kind of law: contact with another friction along each tangent, |(R_1 / friction, R_2 / friction_2)| <= R_N + cohesion; of
   the forces that this allows, R_T is the one that dissipates most. */
#define LDY_ORTHOTROPIC_CONTACT_LAW 4

/* A measure: the larger of the two others. */
#define LDY_BOTH_MEASURES 0

/* A measure: |R - P (R - U - friction |U_T| n)| / |B + bias|, P the projection on the forces that laws allow. */
#define LDY_NATURAL_MEASURE 1

/* A measure: the same in units in which the diagonal blocks have the trace 3, so that it is the same in all units. */
#define LDY_SCALED_MEASURE 2

/* A method: Gauss-Seidel, and Newton's where it is expected to be quicker. */
#define LDY_AUTOMATIC_METHOD 0

/* A method: Gauss-Seidel alone. */
#define LDY_GAUSS_SEIDEL_METHOD 1

/* A method: Newton's from the start, with Gauss-Seidel where it fails. */
#define LDY_NEWTON_METHOD 2

/* An end: the residual is within the tolerance. */
#define LDY_CONVERGED 0

/* An end: as many sweeps have been made as were allowed. */
#define LDY_SWEEPS_MADE 1

/* An end: the time is over. */
#define LDY_TIME_OVER 2

/* An end: the residual decreases no more, because of rounding or since there is no solution. */
#define LDY_STALLED 3

/* An end: it has been proved that there is no solution, or none without forces that are huge beside B. */
#define LDY_INFEASIBLE 4

/* An end: watch returned another number than 0. */
#define LDY_STOPPED 5

/* An end: the work that was allowed is done. */
#define LDY_WORK_DONE 6

/* A solver with its memory, which is used again: a problem whose pattern is that of the last one is solved without allocating
   more. Used by one thread at a time. */
typedef struct ldy_solve ldy_solve;

/* Told how far a solution is: the least residual so far, by the measure of the options, and sweeps and steps until now. Returns 0
   to go on, else the solution ends with LDY_STOPPED. It is called by the thread that solves, and by no other: with it, one thread solves
   all islands. It must return and call nothing for the solver or system at work. */
typedef int (*ldy_watch)(double residual, int sweeps, int steps, void *data);

/* How to solve. Where a field is zero its default holds: set size, and then what is to differ. */
typedef struct {
  /* sizeof (ldy_solve_options), set by the caller before the call. */
  size_t size;
  /* The residual that is small enough; 1e-8. */
  double tolerance;
  /* One of LDY_BOTH_MEASURES, LDY_NATURAL_MEASURE, LDY_SCALED_MEASURE. */
  int measure;
  /* One of LDY_AUTOMATIC_METHOD, LDY_GAUSS_SEIDEL_METHOD, LDY_NEWTON_METHOD. */
  int method;
  /* Most sweeps over each island, or over all rows if these form one island; 100000. */
  int sweeps;
  /* Of ldy_solve_rows: not 0 if the first component is normal, as in FCLIB; else it is the third. */
  int normal_first;
  /* Most seconds; no limit. With a limit, results depend on the clock. */
  double seconds;
  /* NULL, or what is called each time that the residual is looked at. */
  ldy_watch watch;
  /* Given to watch. */
  void *data;
  /* Most work, in the units of ldy_solve_report.work; no limit. It depends on no clock: results are the same in each run. */
  unsigned long long work;
} ldy_solve_options;

/* What ties the force R of a row to its velocity U; everywhere U + bias stands for U. Of lower, upper and bias as many values are
   read as the row has scalars. */
typedef struct {
  /* One of LDY_CONTACT_LAW, LDY_FIXED_LAW, LDY_BOUNDS_LAW, LDY_ORTHOTROPIC_CONTACT_LAW. */
  int kind;
  /* Of a contact: Coulomb's coefficient, not negative; of an orthotropic one, that along the first tangent. */
  double friction;
  /* Of an orthotropic contact alone: the coefficient along the second tangent, not negative. Either may be 0. */
  double friction_2;
  /* Of a contact: the largest pull, a force, not negative. */
  double cohesion;
  /* Of bounds; may be -INFINITY. */
  double lower[6];
  /* Of bounds, not below the lower ones; may be INFINITY. */
  double upper[6];
  /* Added to U: e V_N of an approach V_N < 0 is restitution, gap / h belongs to a contact that is still open, -v prescribes
     the velocity v. */
  double bias[6];
} ldy_law;

/* What came out. */
typedef struct {
  /* sizeof (ldy_solve_report), set by the caller before the call. */
  size_t size;
  /* One of LDY_CONVERGED, LDY_SWEEPS_MADE, LDY_TIME_OVER, LDY_STALLED, LDY_INFEASIBLE,
     LDY_STOPPED, LDY_WORK_DONE. */
  int end;
  /* Sweeps of Gauss-Seidel. If rows form several islands, which no block connects: those of the island with the most. */
  int sweeps;
  /* Steps of Newton's method, of the island with the most. */
  int steps;
  /* The row that contributes most to the residual. */
  int worst;
  /* The residual of the forces returned, by the measure of the options. */
  double residual;
  /* By LDY_NATURAL_MEASURE. */
  double natural;
  /* By LDY_SCALED_MEASURE. */
  double scaled;
  /* Of the forces given, by the measure of the options. */
  double first;
  /* Seconds that passed. */
  double seconds;
  /* Residuals of the largest island in the order in which they were looked at, of many the first thousand, and 64 for each row at
     most; valid until the solver's next call. */
  const double *history;
  /* As many. */
  size_t history_count;
  /* Work, counted from sizes and patterns: a unit is about a nanosecond of a processor of 2025. It is the same in each run. A limit
     of work is divided among islands, and checked between sweeps and steps: the work is at most one of them more on each island. */
  unsigned long long work;
} ldy_solve_report;

/* Make a solver.

   solver: where to put it; it is to be destroyed by ldy_solve_destroy. Returns 0, 1 (no memory) or 52 (NULL).

   Safety:
   solver is NULL or valid. */
int ldy_solve_create(ldy_solve **solver);

/* Destroy a solver; NULL is allowed.

   Safety:
   solver is NULL or comes from ldy_solve_create, and is not used afterwards. */
void ldy_solve_destroy(ldy_solve *solver);

/* Write options for steps in real time: Gauss-Seidel alone, at most 100 sweeps, tolerance 1e-3.

   So the work of a step is bounded, and the same in each run. Begin with the forces of the last step (a warm start, see
   ldy_system_set_reactions and ldy_system_sync_constraints). The best forces are returned; many steps end with LDY_SWEEPS_MADE.

   - options: where to write it, its size set. Fields that are not named above are zero.

   Returns 0, or LDY_BUG_FOUND if options is NULL or its size is wrong.

   Safety:
   options is NULL or valid, with as many bytes as its size says. */
int ldy_solve_real_time(ldy_solve_options *options);

/* Solve C(U, R) = 0 with the rows of the last update of a system, U = B + W R. No row is copied, unless some have other than
   three scalars or a law is orthotropic.

   laws: one a row, law_count; NULL with law_count 0: the laws that are kept with the constraints, see ldy_system_set_law. options:
   NULL for the defaults. R: three values a row, of other rows as many as they have scalars, count values: where to begin, for instance
   the forces of the last step or zeros; then the best forces that were met, which the laws allow: no contact pulls more than its
   cohesion or rubs more than its friction allows, no bound is passed. report: NULL: not wanted.

   Returns 0, also if it ended without convergence: see report->end; 1 (no memory) or 52 (NULL argument, another count, no
   successful update since the last change, a law is none, a constraint has no kept law, not finite: the text names the constraint).
   After an error R is as it was.

   Safety:
   solver comes from ldy_solve_create and system from ldy_system_create; arrays are NULL or have the sizes given; options and
   report are NULL or valid, with as many bytes as their size says. */
int ldy_solve_system(ldy_solve *solver,
                     const ldy_system *system,
                     const ldy_law *laws,
                     size_t law_count,
                     const ldy_solve_options *options,
                     double *R,
                     size_t count,
                     ldy_solve_report *report);

/* Solve C(U, R) = 0 with U = B + W R of any block-sparse rows.

   rows: its size, rows, blocks, starts, columns, values and B are read, and scalar_starts and value_starts, both NULL or not, as
   ldy_system_rows tells them. The columns of a row ascend, the diagonal is among them. W need not be symmetric. laws, law_count,
   options, R, count, report: as in ldy_solve_system.

   Returns 0, also if it ended without convergence: see report->end; 1 (no memory) or 52 (NULL argument, another count, ill-formed
   rows, a law is none, not finite: the text names the row). After an error R is as it was.

   Safety:
   solver comes from ldy_solve_create; rows is NULL or valid, with as many bytes as its size says, and arrays as long as it says;
   the other arrays are NULL or have the sizes given; R overlaps no other; options and report are NULL or valid, with as many bytes
   as their size says. */
int ldy_solve_rows(ldy_solve *solver,
                   const ldy_rows *rows,
                   const ldy_law *laws,
                   size_t law_count,
                   const ldy_solve_options *options,
                   double *R,
                   size_t count,
                   ldy_solve_report *report);


/* Keep the law of a constraint with the constraint.

   A solver that gets no laws uses the kept ones (see ldy_solve_system), so that a program needs no table from rows to contacts. The
   law stays when the constraint is moved or gets other operators, and when other constraints are inserted or removed. It goes when
   the constraint is removed. A new constraint has no law. W, B and all other results of the last update remain valid: no update
   depends on laws.

   - constraint: its id.
   - law: copied. kind LDY_NO_LAW removes the law that the constraint has.

   Returns 0, or LDY_BUG_FOUND if an argument is NULL, there is no such constraint, the kind is unknown, a contact law is for a
   constraint of other than three rows, or a value is not valid. Then nothing has changed.

   Safety:
   system comes from ldy_system_create; law is NULL or valid. */
int ldy_system_set_law(ldy_system *system,
                       long long constraint,
                       const ldy_law *law);

/* Keep the laws of many constraints, as ldy_system_set_law does for one constraint: all laws, or none.

   - constraints: count ids. constraints_stride: bytes from one id to the next, see ldy_system_add_constraints.
   - laws: count laws, copied. laws_stride: bytes from one law to the next; 0: the first law is for all constraints.

   If a constraint is there twice, its last law holds. Returns 0 or LDY_BUG_FOUND, as ldy_system_set_law; also if a stride is no
   multiple of 8. The text names the number of the entry and the constraint.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given. */
int ldy_system_set_laws(ldy_system *system,
                        size_t count,
                        const long long *constraints,
                        size_t constraints_stride,
                        const ldy_law *laws,
                        size_t laws_stride);

/* Write the law that is kept with a constraint.

   - law: where to write it. Values that the constraint does not read are zero. kind is LDY_NO_LAW if the constraint has no law.

   Returns 0, or LDY_BUG_FOUND if an argument is NULL or there is no such constraint.

   Safety:
   system comes from ldy_system_create; law is NULL or valid. */
int ldy_system_law(const ldy_system *system,
                   long long constraint,
                   ldy_law *law);

/* Write the laws that are kept with many constraints, as ldy_system_law does for one constraint.

   - constraints: count ids, with their stride as in ldy_system_set_laws.
   - laws: where to write count laws. laws_stride: bytes from one law to the next, at least the size of a law.

   Returns 0, or LDY_BUG_FOUND if an argument is NULL, a stride is too short or no multiple of 8, or there is no such constraint.
   Then nothing is written.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and do not overlap. */
int ldy_system_laws(const ldy_system *system,
                    size_t count,
                    const long long *constraints,
                    size_t constraints_stride,
                    ldy_law *laws,
                    size_t laws_stride);


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

   The program gives each entry a key, any number by which it knows a contact again. This function matches keys with the constraints
   that earlier calls of it have inserted:

   - A known key: the constraint gets bodies, frame and points of the entry. It keeps id, row, compliance and regularization,
     reaction (ldy_system_reactions), and law (ldy_system_set_law) unless the entry has a law. If its frame changes, the reaction is
     expressed in the new axes, so that the force on the bodies in the world is the same, and a solver begins with it. If master and
     slave change places, the sign of the reaction changes, too.
   - A new key: a constraint is inserted as by ldy_system_add_constraint, after all others, with zero reaction.
   - A key that is no longer in the list: the constraint is removed.

   Constraints that were inserted by other functions have no key and are not touched. The key of a constraint is its tag:
   ldy_system_tags returns keys in the order of rows, and ldy_system_set_tag changes the key. If two constraints have the same key
   then, the one with the smaller id is kept, and the other is removed. The functions that move, change or remove constraints take
   constraints with keys, too; a constraint that was removed has no key any more.

   Rows have to be updated after it. If only frames and points have changed, the pattern of W stays.

   - count: number of entries; 0 removes all constraints with keys. Strides are bytes, see ldy_system_add_constraints.
   - keys: a key each, none twice.
   - masters, slaves, frames, master_points, slave_points: as in ldy_system_add_constraints.
   - laws: a law each, or NULL; laws_stride 0: the first is for all. A law of kind LDY_NO_LAW, or NULL: a known constraint keeps its
     law, and a new one has none.
   - constraints: where to write the id of the constraint of each entry; NULL: not wanted.
   - report: NULL: not wanted.

   Returns 0, LDY_OUT_OF_MEMORY or LDY_BUG_FOUND (NULL argument, a stride that is no multiple of 8, a key twice, an entry that
   ldy_system_add_constraint or ldy_system_set_law refuses: the text names the entry). After an error nothing has changed, and the
   last update still has its results.

   Safety:
   system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given; constraints overlaps no
   values that are read; report is NULL or valid and has the bytes that its size says. */
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
