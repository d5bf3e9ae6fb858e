/* The end of a test program of several ranks. */
#ifndef MPI_SUMMARY_H
#define MPI_SUMMARY_H

/* Rank 0 prints the summary of its checks, `PROGRAM on RANKS`; returns the exit code, which is the same on all ranks: 1 if a
 * check failed on any. Collective. */
int summary_of_ranks (const char *program);

#endif
