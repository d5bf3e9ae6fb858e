/* broken CALL K: on rank 0 the K-th call of MPI_Irecv, MPI_Isend or MPI_Wait in an update fails. Other ranks then wait for
 * messages that never come, and requests are under way on the library's memory, so the library has to end all processes, even
 * though the handler of errors returns.
 *
 * The program ends with code 0 only if rank 0 made fewer such calls, and says so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "part.h"
#include "support/error_observer.h"
#include "support/scene.h"

static const char *call = "";
static int failing; /* how many calls from now on the one is that fails; 0: none */

static int fails (const char *name)
{
  return failing > 0 && !strcmp (call, name) && -- failing == 0;
}

int MPI_Irecv (void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
  return fails ("irecv") ? MPI_ERR_OTHER : PMPI_Irecv (buffer, count, type, source, tag, comm, request);
}

int MPI_Isend (const void *buffer, int count, MPI_Datatype type, int target, int tag, MPI_Comm comm, MPI_Request *request)
{
  return fails ("isend") ? MPI_ERR_OTHER : PMPI_Isend (buffer, count, type, target, tag, comm, request);
}

int MPI_Wait (MPI_Request *request, MPI_Status *status)
{
  return fails ("wait") ? MPI_ERR_OTHER : PMPI_Wait (request, status);
}

int main (int argc, char **argv)
{
  HOST *whole = scene_mixed (3);
  PARTITION *partition;
  PART *part;
  CON *con;
  int rank, ranks, survived = 0;

  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &ranks);
  if (argc != 3) MPI_Abort (MPI_COMM_WORLD, 2);
  watch_errors ();
  partition = partition_create (whole, ranks, PARTITION_RANDOM);
  part = part_create (whole, partition, rank);
  part->host->dom.ldy = LOCDYN_Create (&part->host->dom);
  for (con = part->host->dom.con; con; con = con->next) host_insert (part->host, con);
  LOCDYN_Update_Begin (part->host->dom.ldy);
  call = argv[1];
  failing = rank == 0 ? atoi (argv[2]) : 0;
  LOCDYN_Update_Begin (part->host->dom.ldy);
  if (rank == 0) {
    survived = failing == 0;
    printf (survived ? "the update went on\n" : "no such call\n");
  }
  LOCDYN_Destroy (part->host->dom.ldy);
  part_free (part);
  partition_free (partition);
  host_destroy (whole);
  MPI_Finalize ();
  return survived ? 3 : 0;
}
