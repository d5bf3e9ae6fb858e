/* parallel_deaths HOW CALL: rank 1 ends by `exit`, `abort` or `kill` when it makes the CALL-th call of MPI in an update and a solution, or
 * between these for 0, while others wait for it. MPI has to end all of them. The program ends with code 0 only if rank 1 made fewer such
 * calls. */
#define _POSIX_C_SOURCE 200112L /* kill */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"
#include "world.h"

static const char *how;
static int left; /* calls from now on to the one in which the process ends; 0: none */

static void die (void)
{
  if (!strcmp (how, "exit")) _exit (3);
  if (!strcmp (how, "abort")) abort ();
  kill (getpid (), SIGKILL);
}

static void count (void)
{
  if (left > 0 && -- left == 0) die ();
}

int MPI_Isend (const void *buffer, int size, MPI_Datatype type, int target, int tag, MPI_Comm comm, MPI_Request *request)
{
  count ();
  return PMPI_Isend (buffer, size, type, target, tag, comm, request);
}

int MPI_Wait (MPI_Request *request, MPI_Status *status)
{
  count ();
  return PMPI_Wait (request, status);
}

int MPI_Allreduce (const void *mine, void *all, int size, MPI_Datatype type, MPI_Op operation, MPI_Comm comm)
{
  count ();
  return PMPI_Allreduce (mine, all, size, type, operation, comm);
}

int MPI_Ibarrier (MPI_Comm comm, MPI_Request *request)
{
  count ();
  return PMPI_Ibarrier (comm, request);
}

int main (int argc, char **argv)
{
  ldy_contact_solver_options options = LDY_CONTACT_SOLVER_OPTIONS_INIT;
  ldy_contact_solver_report report = LDY_CONTACT_SOLVER_REPORT_INIT;
  ldy_parallel *parallel;
  WORLD *world;
  int call = argc > 2 ? atoi (argv[2]) : 0;

  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &ranks);
  if (argc != 3) MPI_Abort (MPI_COMM_WORLD, 2);
  how = argv[1];
  world = world_create (11, 20, 40, 1);
  world_partition (world, 2, ranks);
  parallel = world_parallel (world, MPI_COMM_WORLD);
  left = rank == 1 ? call : 0;
  CHECK_INT (ldy_parallel_update (parallel, 0.25), 0);
  if (rank == 1 && call == 0) die ();
  options.max_sweeps = 5;
  free (world_forces (world, parallel, MPI_COMM_WORLD, &options, LDY_PARALLEL_SAME_BITS, &report, NULL));
  ldy_parallel_destroy (parallel);
  world_free (world);
  if (rank == 1) printf ("%d calls\n", call - left);
  MPI_Finalize ();
  return 0;
}
