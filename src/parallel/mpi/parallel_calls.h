/* Interface between the C file with the calls of MPI for systems across processes and the rest of the library; in the MPI build
 * only. Functions return MPI_SUCCESS, which is 0, or a code of MPI or of src/legacy/mpi/calls.h. */
#ifndef LDY_PARALLEL_CALLS_H
#define LDY_PARALLEL_CALLS_H

#include <stdint.h>

#include "../../legacy/mpi/calls.h"

/* A duplicate of the user's communicator. */
struct ldy_mpi_group;

/* Collective: make a duplicate of the communicator with this Fortran handle. */
LDY_HIDDEN int ldy_mpi_group_open (int handle, struct ldy_mpi_group **group, int *rank, int *size);

/* Collective: free it. Nothing happens to the communicator if MPI is finalized. */
LDY_HIDDEN void ldy_mpi_group_close (struct ldy_mpi_group *group);

/* Collective: entry k of `sent` arrives at process k if it is not zero, and what process k sends is written to entry k of `received`. Both
 * have `size` entries, one for each process; if `size` is 0, nothing is sent, and numbers that arrive are dropped. Requests are reserved.
 * Between two calls there is a reduction: otherwise a quick process could send a number of the next call into this one. */
LDY_HIDDEN int ldy_mpi_group_announce (struct ldy_mpi_group *group, const int64_t *sent, int64_t *received, int size);

/* Collective: replace the values by their sums, or their largest values, over all processes. */
LDY_HIDDEN int ldy_mpi_group_sum (struct ldy_mpi_group *group, int64_t *values, int count);
LDY_HIDDEN int ldy_mpi_group_max (struct ldy_mpi_group *group, int64_t *values, int count);

/* Collective: send the bytes of process `root` to all. */
LDY_HIDDEN int ldy_mpi_group_share (struct ldy_mpi_group *group, void *bytes, int size, int root);

/* Begin to receive or to send words. The words must not be touched before the request is finished. A request is an index from 0 on
 * that is not in use; requests are allocated in order. */
LDY_HIDDEN int ldy_mpi_group_receive (struct ldy_mpi_group *group, uint64_t *words, int count, int from, int tag, int request);
LDY_HIDDEN int ldy_mpi_group_send (struct ldy_mpi_group *group, const uint64_t *words, int count, int to, int tag, int request);

/* Reserve requests up to this number. */
LDY_HIDDEN int ldy_mpi_group_reserve (struct ldy_mpi_group *group, int requests);

/* Wait until the message of a request has been received or sent. */
LDY_HIDDEN int ldy_mpi_group_finish (struct ldy_mpi_group *group, int request);

/* Collective: open and truncate a file, write bytes of each process at an offset, and close it. Handlers of errors of files return. */
LDY_HIDDEN int ldy_mpi_group_open_file (struct ldy_mpi_group *group, const char *path);
LDY_HIDDEN int ldy_mpi_group_write_file (struct ldy_mpi_group *group, const void *bytes, int64_t size, int64_t offset);
LDY_HIDDEN int ldy_mpi_group_close_file (struct ldy_mpi_group *group);

#endif
