#include "summary.h"

#include <stdio.h>

#include <mpi.h>

#include "support/check.h"

int summary_of_ranks (const char *program)
{
  int rank, ranks, failed, mine = check_failures () != 0;
  char name[64];

  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &ranks);
  MPI_Allreduce (&mine, &failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  snprintf (name, sizeof name, "%s on %d", program, ranks);
  if (rank == 0) check_summary (name);
  return failed != 0;
}
