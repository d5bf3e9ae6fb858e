/* dump_errors PATH: if a dump or a part of it cannot be written because of the object at its path, all ranks raise the same code,
 * with a text that names the file, and the next dump succeeds. */
#define _POSIX_C_SOURCE 200809L /* symlink */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <mpi.h>

#include "part.h"
#include "summary.h"
#include "support/check.h"
#include "support/error_observer.h"
#include "support/scene.h"

static int rank, ranks;

static int dump (LOCDYN *ldy, const char *path)
{
  forget_errors ();
  LOCDYN_Dump (ldy, path);
  return watched.code;
}

/* What may exist at a path. */
typedef enum { NOTHING, DIRECTORY, FULL } OBSTACLE;

static void place (OBSTACLE obstacle, const char *path)
{
  remove (path);
  if (obstacle == DIRECTORY) CHECK_INT (mkdir (path, 0777), 0);
  if (obstacle == FULL) CHECK_INT (symlink ("/dev/full", path), 0); /* opens, but takes nothing */
}

static int expected (OBSTACLE obstacle)
{
  return obstacle == DIRECTORY ? LDY_ERROR_FILE_OPEN : LDY_ERROR_FILE_WRITE;
}

/* A dump with an obstacle at a path that rank 0 makes. */
static void obstructed (LOCDYN *ldy, const char *path, OBSTACLE obstacle, const char *at)
{
  check_context ("rank %d of %d, obstacle %d at %s", rank, ranks, obstacle, at);
  if (rank == 0) place (obstacle, at);
  MPI_Barrier (MPI_COMM_WORLD);
  CHECK_INT (dump (ldy, path), expected (obstacle));
  CHECK_TEXT (watched.text, at);
  MPI_Barrier (MPI_COMM_WORLD);
  if (rank == 0) place (NOTHING, at);
  MPI_Barrier (MPI_COMM_WORLD);
  CHECK_INT (dump (ldy, path), 0);
  MPI_Barrier (MPI_COMM_WORLD);
  if (rank == 0) CHECK (access (path, F_OK) == 0);
}

/* Two ranks fail in different ways: all have the same code all the same. */
static void obstructed_twice (LOCDYN *ldy, const char *path, const char *first, const char *last)
{
  int least, most;

  check_context ("rank %d of %d, two obstacles", rank, ranks);
  if (rank == 0) {
    place (DIRECTORY, first);
    place (FULL, last);
  }
  MPI_Barrier (MPI_COMM_WORLD);
  dump (ldy, path);
  MPI_Allreduce (&watched.code, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce (&watched.code, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  CHECK_INT (least, most);
  CHECK (most == LDY_ERROR_FILE_OPEN || most == LDY_ERROR_FILE_WRITE);
  CHECK_TEXT (watched.text, path);
  if (rank == 0) {
    place (NOTHING, first);
    place (NOTHING, last);
  }
  MPI_Barrier (MPI_COMM_WORLD);
}

static void all (LOCDYN *ldy, const char *path)
{
  char part[512], last[512];
  OBSTACLE obstacle;
  int r;

  for (obstacle = DIRECTORY; obstacle <= FULL; obstacle ++) {
    obstructed (ldy, path, obstacle, path);
    for (r = 0; ranks > 1 && r < ranks; r ++) {
      snprintf (part, sizeof part, "%s.%d", path, r);
      obstructed (ldy, path, obstacle, part);
    }
  }
  snprintf (part, sizeof part, "%s.0", path);
  snprintf (last, sizeof last, "%s.%d", path, ranks - 1);
  if (ranks > 1) obstructed_twice (ldy, path, part, last);
  CHECK_INT (dump (ldy, path), 0);
  if (rank == 0) remove (path);
}

int main (int argc, char **argv)
{
  HOST *whole = scene_mixed (3);
  PARTITION *partition;
  PART *part;
  CON *con;
  int code;

  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &ranks);
  if (argc != 2) MPI_Abort (MPI_COMM_WORLD, 2);
  watch_errors ();
  partition = partition_create (whole, ranks, PARTITION_SLABS);
  part = part_create (whole, partition, rank);
  part->host->dom.ldy = LOCDYN_Create (&part->host->dom);
  for (con = part->host->dom.con; con; con = con->next) host_insert (part->host, con);
  LOCDYN_Update_Begin (part->host->dom.ldy);
  all (part->host->dom.ldy, argv[1]);
  LOCDYN_Destroy (part->host->dom.ldy);
  part_free (part);
  partition_free (partition);
  host_destroy (whole);
  code = summary_of_ranks ("dump_errors");
  MPI_Finalize ();
  return code;
}
