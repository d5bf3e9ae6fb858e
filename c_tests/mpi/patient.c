/* Waiting that leaves the processor to others. Some MPIs wait spinning: where there are more processes than processors, each
 * message then takes as long as a slice of time. The linker finds these definitions before MPI's library. */
#define _POSIX_C_SOURCE 200112L /* sched_yield */

#include <sched.h>

#include <mpi.h>

static int finish (int code, MPI_Request *request, MPI_Status *status)
{
  int done = 0;

  while (!code && !done) {
    code = PMPI_Test (request, &done, status);
    if (!done) sched_yield ();
  }
  return code;
}

int MPI_Wait (MPI_Request *request, MPI_Status *status)
{
  return finish (MPI_SUCCESS, request, status);
}

int MPI_Barrier (MPI_Comm comm)
{
  MPI_Request request;

  return finish (PMPI_Ibarrier (comm, &request), &request, MPI_STATUS_IGNORE);
}

int MPI_Bcast (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
  MPI_Request request;

  return finish (PMPI_Ibcast (buffer, count, type, root, comm, &request), &request, MPI_STATUS_IGNORE);
}

int MPI_Allreduce (const void *mine, void *all, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm)
{
  MPI_Request request;

  return finish (PMPI_Iallreduce (mine, all, count, type, operation, comm, &request), &request, MPI_STATUS_IGNORE);
}

int MPI_Alltoall (const void *mine, int count, MPI_Datatype type, void *all, int received, MPI_Datatype as, MPI_Comm comm)
{
  MPI_Request request;

  return finish (PMPI_Ialltoall (mine, count, type, all, received, as, comm, &request), &request, MPI_STATUS_IGNORE);
}
