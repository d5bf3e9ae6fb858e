/* Waiting that leaves the processor to others. Some MPIs wait spinning: where there are more processes than processors, each
 * message then takes as long as a slice of time. The linker finds these definitions before MPI's library.
 *
 * If the environment variable MPI_DELAY is set, calls also begin late, at random: one in eight up to that many microseconds. */
#define _POSIX_C_SOURCE 200112L /* sched_yield, nanosleep */

#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include <mpi.h>

#include "support/random.h"

static void delay (void)
{
  static RANDOM random;
  static int most = -1;
  struct timespec moment = { 0, 0 };

  if (most < 0) {
    const char *given = getenv ("MPI_DELAY");
    int rank;

    PMPI_Comm_rank (MPI_COMM_WORLD, &rank);
    random.state = (uint64_t) rank + 1;
    most = given ? atoi (given) : 0;
  }
  if (most == 0 || random_below (&random, 8)) return;
  moment.tv_nsec = 1000L * random_below (&random, most);
  nanosleep (&moment, NULL);
}

static int finish (int code, MPI_Request *request, MPI_Status *status)
{
  int done = 0;

  while (!code && !done) {
    code = PMPI_Test (request, &done, status);
    if (!done) sched_yield ();
  }
  return code;
}

int MPI_Isend (const void *buffer, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm, MPI_Request *request)
{
  delay ();
  return PMPI_Isend (buffer, count, type, target, tag, comm, request);
}

int MPI_Issend (const void *buffer, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm, MPI_Request *request)
{
  delay ();
  return PMPI_Issend (buffer, count, type, target, tag, comm, request);
}

int MPI_Irecv (void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
  delay ();
  return PMPI_Irecv (buffer, count, type, source, tag, comm, request);
}

int MPI_Ibarrier (MPI_Comm comm, MPI_Request *request)
{
  delay ();
  return PMPI_Ibarrier (comm, request);
}

int MPI_Wait (MPI_Request *request, MPI_Status *status)
{
  delay ();
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

  delay ();
  return finish (PMPI_Ibcast (buffer, count, type, root, comm, &request), &request, MPI_STATUS_IGNORE);
}

int MPI_Allreduce (const void *mine, void *all, int count, MPI_Datatype type, MPI_Op operation, MPI_Comm comm)
{
  MPI_Request request;

  delay ();
  return finish (PMPI_Iallreduce (mine, all, count, type, operation, comm, &request), &request, MPI_STATUS_IGNORE);
}

int MPI_Alltoall (const void *mine, int count, MPI_Datatype type, void *all, int received, MPI_Datatype as, MPI_Comm comm)
{
  MPI_Request request;

  delay ();
  return finish (PMPI_Ialltoall (mine, count, type, all, received, as, comm, &request), &request, MPI_STATUS_IGNORE);
}

/* The library asks again and again. */
int MPI_Iprobe (int source, int tag, MPI_Comm comm, int *is_there, MPI_Status *status)
{
  int code;

  delay ();
  code = PMPI_Iprobe (source, tag, comm, is_there, status);
  if (!*is_there) sched_yield ();
  return code;
}
