/* Interface between the file with all calls of MPI and the rest of the library; in the MPI build only. */
#ifndef LDY_MPI_H
#define LDY_MPI_H

#ifndef LDY_HIDDEN
#define LDY_HIDDEN __attribute__ ((visibility ("hidden")))
#endif

/* The contribution of one process to V and B of another process's constraint; the same as Record in world.rs. */
struct ldy_mpi_record {
  unsigned int constraint; /* its id */
  unsigned int role;       /* the moving body: 0 master, 1 slave */
  double velocities[6];    /* H v0 of the previous velocity, H v of the current one */
};

/* The processes that update together. The two arrays have an entry per rank and belong to calls.c; they are NULL if there is
 * only one process, or MPI does not run. */
struct ldy_mpi_world {
  int rank, size;
  int *sent, *received; /* numbers of records */
};

/* These return MPI_SUCCESS, which is 0, or an error code of MPI; LDY_MPI_MEMORY if memory is exhausted. */
#define LDY_MPI_MEMORY -1
#define LDY_MPI_NOT_RUNNING -2
#define LDY_MPI_NO_COMMUNICATOR -3

/* Return the current world. Collective the first time in a world of several processes. */
LDY_HIDDEN int ldy_mpi_world (struct ldy_mpi_world *world);

/* Collective: exchange the counts. An entry of `sent` arrives in `received` of its rank. */
LDY_HIDDEN int ldy_mpi_counts (void);

/* Exchange the counted records; those in `out` and `in` are in the order of ranks. */
LDY_HIDDEN int ldy_mpi_exchange (const struct ldy_mpi_record *out, struct ldy_mpi_record *in);

/* Collective: write the largest status of all ranks, and the first rank with it. */
LDY_HIDDEN int ldy_mpi_agree (int *status, int *rank);

/* Collective: send the text of rank `rank` to all ranks. */
LDY_HIDDEN int ldy_mpi_share (char *text, int size, int rank);

/* Collective over the communicator with this Fortran handle: make it the world. */
LDY_HIDDEN int ldy_mpi_set_communicator (int handle);

/* Write the message for a code of these functions. */
LDY_HIDDEN void ldy_mpi_error_text (int code, char *text, int size);

/* Return the rank in MPI_COMM_WORLD; -1 if MPI does not run. */
LDY_HIDDEN int ldy_mpi_rank_in_world (void);

/* Return whether this process is the first of the processes that update together, or the only one. */
LDY_HIDDEN int ldy_mpi_is_first (void);

/* End all processes if MPI runs; otherwise return. */
LDY_HIDDEN void ldy_mpi_abort (void);

/* Print a line on stderr, then do the same. */
LDY_HIDDEN void ldy_mpi_give_up (const char *why);

#endif
