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

@parallel@

#ifdef __cplusplus
}
#endif

#endif
