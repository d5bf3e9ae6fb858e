/* ldy_parallel.h: one system of constrained bodies across the processes of an MPI communicator, U = B + W R
 *
 * Generated: the declarations come from src/parallel/c_api, the rest from codegen/templates. To change this file, change them and
 * run `make headers`.
 *
 * Only the library for MPI (make mpi: libldy-mpi.a) has these functions. The header needs no header of MPI.
 *
 * Bodies and constraints have global ids, 0 to 2^63 - 2, which the program chooses. Each body has one owner, the process that inserts
 * it; other processes may have ghosts of it. Each constraint is on one process, and acts on own bodies and ghosts of this process.
 * Each process has a local system, which ldy_parallel_system returns: the functions of ldy_system.h read and change its bodies,
 * constraints, laws and reactions, under global ids. A step of a simulation:
 *
 *   1. set velocities, rotations and positions of own bodies; ldy_parallel_refresh;
 *   2. find contacts between own bodies and ghosts; insert, move and remove own constraints;
 *   3. ldy_parallel_update; ldy_parallel_solve; ldy_parallel_apply_reactions.
 *
 * Collective functions say so: all processes call them in the same order. An error of one process is the same error of all, with
 * its text and rank. If processes call different functions, or with different arguments, all of them return an error. Arrays with a
 * value for each scalar row have the scalar rows of this process's own constraints, in the order of their ids.
 *
 * All results have the same bits for any number of processes and any partition, but for the forces of LDY_PARALLEL_FAST.
 */

#ifndef LDY_PARALLEL_H
#define LDY_PARALLEL_H

#include "ldy_system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A system across the processes of a communicator. One thread of each process at a time may use it. */
typedef struct ldy_parallel ldy_parallel;

/* Create a system without bodies. Collective over the communicator.

   - communicator: its Fortran handle, MPI_Comm_c2f (comm), so that this header needs no header of MPI. The library makes a duplicate;
     the communicator may be freed.
   - parallel: where to write the system. Destroy it with ldy_parallel_destroy.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if parallel is NULL, MPI is not initialized or is finalized,
   or communicator is MPI_COMM_NULL or an intercommunicator.

   Safety:
   parallel is NULL or valid. */
LDY_RESULT
int ldy_parallel_create(int communicator,
                        ldy_parallel **parallel);

/* Destroy a system with all its bodies and constraints; NULL is allowed. Collective, unless MPI is finalized.

   Safety:
   parallel is NULL or comes from ldy_parallel_create, and is not used afterwards. */
void ldy_parallel_destroy(ldy_parallel *parallel);

/* Return the local system of this process, for the functions of ldy_system.h.

   It has the bodies and constraints of this process, its ghosts, and its halo: the constraints of other processes on bodies that it
   owns or that its constraints act on. All have their global ids, and rows are in the order of ids. Functions that read or set bodies
   and constraints work as in one process: velocities, rotations, positions, laws, tags, reactions, compliances, contact frames.
   Ghosts and halo get their values from their own processes; changes of them are overwritten. An obstacle with the id INT64_MAX may
   stand for bodies of the halo that this process does not have: leave it there. Remove bodies with ldy_parallel_remove_bodies. Do not remove constraints of the halo, do not call ldy_system_update, and do not destroy the system.

   - system: where to write it. It is valid until parallel is destroyed.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL.

   Safety:
   parallel comes from ldy_parallel_create; system is NULL or valid. */
LDY_RESULT
int ldy_parallel_system(ldy_parallel *parallel,
                        ldy_system **system);

/* Choose the global ids of the bodies and constraints that the functions of ldy_system.h insert next into the local system.

   The next body gets the id body, those after it the ids body + 1, body + 2 and so on; constraints likewise. No two bodies of all
   processes may have the same id, and no two constraints. Ids that ascend from insertion to insertion cost least. If an insertion
   meets an id that exists, it returns LDY_ERROR_OUT_OF_MEMORY.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if parallel is NULL or an id is negative or 2^63 - 1.

   Safety:
   parallel comes from ldy_parallel_create. */
LDY_RESULT
int ldy_parallel_set_next_ids(ldy_parallel *parallel,
                              int64_t body,
                              int64_t constraint);


/* Get ghosts, copies of bodies that other processes own. Collective; a process may ask for none.

   A constraint acts on own bodies and ghosts of its process. The owner sends kinematics, inertia, position and velocities. Later
   changes reach ghosts in ldy_parallel_update and ldy_parallel_refresh. A body with an inverse callback has no ghosts: all
   constraints on it are on the process of its owner.

   - bodies: count ids.
   - owners: the rank of each body's owner in the communicator.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if an owner does not have the body, or LDY_ERROR_INVALID_ARGUMENT if an
   argument is NULL, an owner is no other process, this process has the body already, the body is there twice, or it has an inverse
   callback. All processes return the same error, and nothing has changed then.

   Safety:
   parallel comes from ldy_parallel_create; arrays are NULL or have count values. */
LDY_RESULT
int ldy_parallel_add_ghosts(ldy_parallel *parallel,
                            const int64_t *bodies,
                            const int32_t *owners,
                            size_t count);

/* Send the current states of bodies to their ghosts, for instance before contacts are found. Collective.

   ldy_parallel_update does this, too.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_NOT_FOUND if an owner has removed a body of which there are ghosts. All
   processes return the same error.

   Safety:
   parallel comes from ldy_parallel_create. */
LDY_RESULT
int ldy_parallel_refresh(ldy_parallel *parallel);

/* Remove bodies of this process or ghosts from this process. Constraints of other processes on them leave the halo.

   - bodies: count ids. An owner removes a body after, or in the same step as, all processes with ghosts of it.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if there is no such body on this process, or
   LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or a constraint of this process acts on a body. No body has been removed then.

   Safety:
   parallel comes from ldy_parallel_create; bodies is NULL or has count values. */
LDY_RESULT
int ldy_parallel_remove_bodies(ldy_parallel *parallel,
                               const int64_t *bodies,
                               size_t count);


/* Insert many constraints at points on this process, as ldy_system_add_point_constraints, under global ids of any order. The function
   inserts all of them or none. It is not collective.

   - constraints: an id each, which no constraint of any process has. constraints_stride: bytes from one id to the next.
   - masters, slaves, frames, master_points, slave_points and their strides: as in ldy_system_add_point_constraints.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not a multiple of 8, a
   constraint of this process has one of the ids, or ldy_system_add_point_constraint refuses an entry. If a constraint of another
   process on the same bodies has one of the ids, the next ldy_parallel_update returns the error.

   Safety:
   parallel comes from ldy_parallel_create; arrays are NULL or have count entries of the sizes and strides given. */
LDY_RESULT
int ldy_parallel_add_point_constraints(ldy_parallel *parallel,
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

/* A flag of ldy_parallel_rows_write: a file for each process, and an index. */
#define LDY_PARALLEL_PIECES 256

/* Assemble W, B and V on all processes. Collective.

   States of bodies go to their ghosts, and constraints to the halos of other processes. ldy_system_results of the local system then
   has the rows of this process and of its halo, in the order of global ids. Blocks, B and V of own rows have the bits that one process
   computes for all bodies and constraints. The rows of the halo lack blocks and parts of bodies that this process does not have.

   - h: the time step, positive, finite, and the same on all processes.

   Returns 0, LDY_ERROR_NOT_FOUND if an owner does not have a body of which there is a ghost, or the codes of ldy_system_update. All
   processes return the same error, which names the rank where it occurred.

   Safety:
   parallel comes from ldy_parallel_create. */
LDY_RESULT
int ldy_parallel_update(ldy_parallel *parallel,
                        double h);

/* Return the number of constraints of this process, without its halo; 0 if parallel is NULL.

   Safety:
   parallel comes from ldy_parallel_create. */
size_t ldy_parallel_constraint_count(const ldy_parallel *parallel);

/* Return the number of scalar rows of the constraints of this process: the length of its vectors. It is 0 if parallel is NULL or there
   was no successful update since the last change.

   Safety:
   parallel comes from ldy_parallel_create. */
size_t ldy_parallel_scalar_count(const ldy_parallel *parallel);

/* Write which rows of ldy_system_results of the local system belong to this process, ascending.

   - rows: where to write the indices.
   - count: ldy_parallel_constraint_count.

   Returns 0, LDY_ERROR_STALE_RESULTS if there was no successful update since the last change, or LDY_ERROR_INVALID_ARGUMENT if an
   argument is NULL or count is wrong.

   Safety:
   parallel comes from ldy_parallel_create; rows is NULL or has count values. */
LDY_RESULT
int ldy_parallel_rows(const ldy_parallel *parallel,
                      int32_t *rows,
                      size_t count);

/* Compute y = W x. Collective. The result has the bits that one process computes.

   - x, y: a value for each scalar row of this process's constraints, in the order of their ids.
   - count: ldy_parallel_scalar_count.
   - flags: 0: from the blocks of W. LDY_MULTIPLY_THROUGH_BODIES: h H A^-1 H^T x (+ compliance x), body by body. The same on all
     processes.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_STALE_RESULTS if there was no successful update since the last change, or
   LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count or flags is wrong, or flags differ. All processes return the same error.

   Safety:
   parallel comes from ldy_parallel_create; arrays are NULL or have count values and do not overlap. */
LDY_RESULT
int ldy_parallel_multiply(ldy_parallel *parallel,
                          const double *x,
                          double *y,
                          size_t count,
                          int32_t flags);

/* Compute the sum of x_i y_i over the vectors of all processes. Collective. Products are rounded, their sum is exact until it is
   rounded once: it has the same bits for any number of processes.

   - x, y: count values of this process. They may be the same array, for the square of a norm.
   - sum: where to write the sum, the same on all processes.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL. All processes return the same error.

   Safety:
   parallel comes from ldy_parallel_create; arrays are NULL or have count values; sum is NULL or valid. */
LDY_RESULT
int ldy_parallel_dot(ldy_parallel *parallel,
                     const double *x,
                     const double *y,
                     size_t count,
                     double *sum);

/* Add h A^-1 H^T R to the free velocities of all bodies, theory (50). Collective. The result has the bits that one process computes.

   Ghosts that no constraint of this process acts on get their velocities in the next ldy_parallel_update or ldy_parallel_refresh.

   - R: a value for each scalar row of this process's constraints, in the order of their ids.
   - count: ldy_parallel_scalar_count.

   Returns 0 or the codes of ldy_parallel_multiply; also LDY_ERROR_INVALID_ARGUMENT if a reaction or a velocity is not finite.

   Safety:
   parallel comes from ldy_parallel_create; R is NULL or has count values. */
LDY_RESULT
int ldy_parallel_apply_reactions(ldy_parallel *parallel,
                                 const double *R,
                                 size_t count);

/* Write W of all processes to one file, or to a file for each process. Collective. The one file has the same bytes for any number of
   processes: those that ldy_rows_write writes for the rows of one process, in the order of global ids. Each process writes a part of it,
   by the parallel input and output of MPI, and needs memory for its part.

   - path: a C string, the same on all processes, in a folder that all of them have.
   - format: LDY_FILE_FORMAT_MATRIX_MARKET, or LDY_FILE_FORMAT_NPZ for at most 4 GiB and 2^31 - 1 entries; the same on all processes.
     Add LDY_PARALLEL_PIECES for a file for each process, whose name is path with .RANK.mtx or .RANK.npz. Each has consecutive rows of W,
     about as many as the others, and all columns: the files, one below the other, are W. path is then the index, a text: a line that
     begins with %, a line with the numbers of scalar rows, columns and entries of W, and a line for each file, in the order of rows: the
     scalar rows before it, its scalar rows, its entries, and its name in the folder of path.

   A file is written beside an old one of this name, as path with .ldy-part, and replaces it when all are complete: after an error the
   old file is as it was. The index is written last.

   Returns 0, LDY_ERROR_FILE_OPEN if the file cannot be opened, LDY_ERROR_FILE_WRITE if it cannot be written, LDY_ERROR_TOO_LARGE if W
   is too large for the format, LDY_ERROR_STALE_RESULTS if there was no successful update since the last change,
   LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, the format is unknown, or arguments differ. All
   processes return the same error.

   Safety:
   parallel comes from ldy_parallel_create; path is NULL or a C string. */
LDY_RESULT
int ldy_parallel_rows_write(ldy_parallel *parallel,
                            const char *path,
                            int32_t format);

/* A mode: forces have the same bits for any number of processes and any partition. */
#define LDY_PARALLEL_SAME_BITS 0

/* A mode: Gauss-Seidel within a process; processes share the mass of a body that several of them change at once (mass splitting: Tonge,
   Benevolenski and Voroshilov, SIGGRAPH 2012). There are fewer messages, forces depend on the partition, and it takes about as many
   sweeps as the other mode. */
#define LDY_PARALLEL_FAST 1

/* Find forces R that obey the laws of all constraints, with the rows of the last update. Collective.

   The method is Gauss-Seidel with momentum. In LDY_PARALLEL_SAME_BITS, the order of constraints that share a body depends on their ids
   alone: 64 consecutive ids follow each other, so give close ids to close constraints. Laws are those kept with the constraints, see
   ldy_system_set_law.

   - options: as in ldy_contact_solver_solve, the same on all processes; NULL: defaults. method is LDY_METHOD_AUTOMATIC or
     LDY_METHOD_GAUSS_SEIDEL, which mean the same here. canonical, max_work and progress must be 0 or NULL.
   - mode: LDY_PARALLEL_SAME_BITS or LDY_PARALLEL_FAST.
   - R: a value for each scalar row of this process's constraints, in the order of their ids: the initial guess, then the forces.
   - count: ldy_parallel_scalar_count.
   - report: where to write the result, the same on all processes except seconds and worst; NULL: not wanted. worst is the row of the
     local system that contributes most to the residual, or -1 if it belongs to another process. work is 0.

   Returns 0 even if the solution did not converge: see report->status. Returns LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_STALE_RESULTS if
   there was no successful update since the last change, LDY_ERROR_NOT_IMPLEMENTED if the options ask for what is not there, or
   LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count or mode is wrong, a constraint has no law, a value is not finite, or options
   differ. All processes return the same error, and R has not changed then.

   Safety:
   parallel comes from ldy_parallel_create; R is NULL or has count values; options and report are NULL or valid and have the bytes that
   their size says. */
LDY_RESULT
int ldy_parallel_solve(ldy_parallel *parallel,
                       const ldy_contact_solver_options *options,
                       int32_t mode,
                       double *R,
                       size_t count,
                       ldy_contact_solver_report *report);


/* Find a partition of bodies and constraints for ldy_parallel_migrate, by recursive coordinate bisection (Berger and Bokhari 1987).
   Collective; a process may pass none.

   Each process gets the bodies in a box, and its weight differs from the mean by at most 1.5 times the largest weight of a body. Ranks
   of bodies have the same values for any present partition: weights are integers, and bodies with equal coordinates are ordered by
   their ids. An obstacle and a body with weight 0 get the process of the box where they are, and change no box. A body that is not in a
   list stays with its owner, as a body with an inverse callback must.

   A constraint gets the process of its first body that is no obstacle, or of its first body if it acts on obstacles alone. It stays where
   it is if one of its bodies has an inverse callback.

   - bodies: body_count ids of own bodies.
   - points: 3 coordinates of each body; NULL: its position, see ldy_system_set_positions.
   - weights: a number of each body, not negative; NULL: 1 + the number of constraints on it, on any process.
   - body_ranks: where to write the rank of each body.
   - constraints: constraint_count ids of own constraints.
   - constraint_ranks: where to write the rank of each constraint.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if a body or constraint does not belong to this process, or
   LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a body is there twice, has an inverse callback or no position, a point is not
   finite, or a weight is negative. All processes return the same error. Nothing moves.

   Safety:
   parallel comes from ldy_parallel_create; arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_parallel_partition(ldy_parallel *parallel,
                           const int64_t *bodies,
                           const double *points,
                           const int32_t *weights,
                           int32_t *body_ranks,
                           size_t body_count,
                           const int64_t *constraints,
                           int32_t *constraint_ranks,
                           size_t constraint_count);


/* Counts of a process since its system was created. */
typedef struct {
  /* sizeof (ldy_parallel_stats), set by the caller before the call. */
  size_t size;
  /* Messages that this process has sent to other processes; reductions are not counted. */
  uint64_t messages;
  /* Bytes in these messages. */
  uint64_t bytes;
  /* Number of ghosts. */
  uint64_t ghosts;
  /* Number of constraints in the halo of this process at the last update. */
  uint64_t halo;
  /* Number of own constraints in halos of other processes, each counted once for each of these. */
  uint64_t shared;
  /* Number of processes to which constraints are sent. */
  uint64_t neighbors;
  /* Number of colors of the last solution: the most messages that a constraint waits for in a sweep, one after the other, and 1. A
     process sends at most one message for each color and neighbor in a sweep. */
  uint64_t colors;
} ldy_parallel_stats;

/* Move own bodies and own constraints to other processes. Collective; a process may move none.

   A body moves with inertia, position and velocities, a constraint with compliance, tag, law and stored reaction. Processes with
   ghosts of a body learn its new owner. Its former owner keeps a ghost if constraints of this process act on it. A process that gets
   a constraint also gets ghosts of the bodies of this constraint. Update afterwards.

   - bodies, body_ranks: body_count ids, and the process that gets each of them.
   - constraints, constraint_ranks: constraint_count ids, and the process that gets each of them.

   Returns 0, LDY_ERROR_NOT_FOUND if a body or constraint does not belong to this process, or LDY_ERROR_INVALID_ARGUMENT if an argument
   is NULL, a rank is no process, something is to move twice, or a body has an inverse callback. All processes return the same error,
   and nothing has changed then. After LDY_ERROR_OUT_OF_MEMORY destroy the system.

   Safety:
   parallel comes from ldy_parallel_create; arrays are NULL or have the sizes given. */
LDY_RESULT
int ldy_parallel_migrate(ldy_parallel *parallel,
                         const int64_t *bodies,
                         const int32_t *body_ranks,
                         size_t body_count,
                         const int64_t *constraints,
                         const int32_t *constraint_ranks,
                         size_t constraint_count);

/* Write counts of messages, ghosts and shared constraints of this process.

   - stats: where to write them; set its size.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or the size is wrong.

   Safety:
   parallel comes from ldy_parallel_create; stats is NULL or valid and has the bytes that its size says. */
LDY_RESULT
int ldy_parallel_get_stats(const ldy_parallel *parallel, ldy_parallel_stats *stats);


/* Return the number of bodies that this process owns; 0 if parallel is NULL.

   Safety:
   parallel comes from ldy_parallel_create. */
size_t ldy_parallel_body_count(const ldy_parallel *parallel);

/* Return the ids of the bodies that this process owns, ascending, for instance after ldy_parallel_migrate.

   - bodies: where to write them.
   - count: ldy_parallel_body_count.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is wrong.

   Safety:
   parallel comes from ldy_parallel_create; bodies is NULL or has count values. */
LDY_RESULT
int ldy_parallel_bodies(const ldy_parallel *parallel, int64_t *bodies, size_t count);

/* Return the ids of the constraints of this process, without its halo, ascending.

   - constraints: where to write them.
   - count: ldy_parallel_constraint_count.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is wrong.

   Safety:
   parallel comes from ldy_parallel_create; constraints is NULL or has count values. */
LDY_RESULT
int ldy_parallel_constraints(const ldy_parallel *parallel, int64_t *constraints, size_t count);

#ifdef __cplusplus
}
#endif

#endif
