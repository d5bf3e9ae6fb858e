/* Between the one file that talks to MPI and the rest of the library; in the MPI build only. */
#ifndef LDY_MPI_H
#define LDY_MPI_H

#ifndef LDY_HIDDEN
#define LDY_HIDDEN __attribute__ ((visibility ("hidden")))
#endif

/* What one process adds to V and B of another's constraint; parallel/world.rs has the same. */
struct ldy_mpi_record {
  unsigned int constraint; /* its id */
  unsigned int role;       /* of the body that moves: 0 master, 1 slave */
  double velocities[6];    /* H v0 of the previous velocity, H v of the current one */
};

/* The processes that update together. The two arrays, an entry a rank, belong to this file; NULL where there is one
 * process, or none since MPI does not run. */
struct ldy_mpi_world {
  int rank, size;
  int *sent, *received; /* numbers of records */
};

/* These return MPI_SUCCESS, which is 0, or an error code of MPI; LDY_MPI_MEMORY if memory is exhausted. */
#define LDY_MPI_MEMORY -1
#define LDY_MPI_NOT_RUNNING -2
#define LDY_MPI_NO_COMMUNICATOR -3

/* The world as it is now. Collective the first time in a world of several processes. */
LDY_HIDDEN int ldy_mpi_world (struct ldy_mpi_world *world);

/* Collective: what `sent` says for a rank comes out in that rank's `received`. */
LDY_HIDDEN int ldy_mpi_counts (void);

/* As many records to and from each rank as the counts say, rank behind rank. */
LDY_HIDDEN int ldy_mpi_exchange (const struct ldy_mpi_record *out, struct ldy_mpi_record *in);

/* Collective: the largest status of all, and in *rank the first rank that has it. */
LDY_HIDDEN int ldy_mpi_agree (int *status, int *rank);

/* Collective: the text of this rank, for all. */
LDY_HIDDEN int ldy_mpi_share (char *text, int size, int rank);

/* Collective over the communicator with this Fortran handle: it is the world from now on. */
LDY_HIDDEN int ldy_mpi_set_communicator (int handle);

/* Words for a code of these functions. */
LDY_HIDDEN void ldy_mpi_error_text (int code, char *text, int size);

/* The rank in MPI_COMM_WORLD; -1 if MPI does not run. */
LDY_HIDDEN int ldy_mpi_rank_in_world (void);

/* Whether this process is the first one of those that update together, or the only one. */
LDY_HIDDEN int ldy_mpi_is_first (void);

/* Ends all processes where MPI runs; comes back where it does not. */
LDY_HIDDEN void ldy_mpi_abort (void);

/* The same behind a line on stderr. */
LDY_HIDDEN void ldy_mpi_give_up (const char *why);

#endif
