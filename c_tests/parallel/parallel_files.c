/* parallel_files WORLDS PATH: the files of W that all processes write together have the bytes of those that one process writes; errors are
 * the same on all processes, and an old file stays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "support/check.h"
#include "world.h"

static const char *path;

/* The bytes of a file. */
static char *content (const char *name, size_t *size)
{
  FILE *file = fopen (name, "rb");
  char *bytes;

  *size = 0;
  if (!CHECK (file != NULL)) return NULL;
  fseek (file, 0, SEEK_END);
  *size = (size_t) ftell (file);
  rewind (file);
  bytes = malloc (*size + 1);
  CHECK (fread (bytes, 1, *size, file) == *size);
  fclose (file);
  return bytes;
}

static void compare (ldy_system *serial, ldy_parallel *parallel, int format)
{
  char whole[512];
  ldy_rows rows = LDY_ROWS_INIT;
  size_t sizes[2];

  snprintf (whole, sizeof whole, "%s.whole", path);
  if (!CHECK_INT (ldy_parallel_rows_write (parallel, path, format), 0)) CHECK_TEXT (ldy_last_error (), "no error");
  if (rank == 0) {
    char *bytes, *expected;

    CHECK_INT (ldy_system_results (serial, &rows), 0);
    CHECK_INT (ldy_rows_write (&rows, whole, format), 0);
    bytes = content (path, sizes);
    expected = content (whole, sizes + 1);
    if (CHECK_INT (sizes[0], sizes[1])) CHECK (memcmp (bytes, expected, sizes[0]) == 0);
    free (bytes);
    free (expected);
    remove (whole);
  }
  MPI_Barrier (MPI_COMM_WORLD);
}

static void run (uint64_t seed)
{
  RANDOM random = { seed };
  int bodies = 2 + random_below (&random, 12), format;
  WORLD *world = world_create (seed, bodies, 1 + random_below (&random, 3 * bodies), random_below (&random, 2));
  ldy_system *serial = world_serial (world);
  ldy_parallel *parallel;

  check_context ("rank %d of %d, world %d", rank, ranks, (int) seed);
  world_partition (world, seed + 77, ranks);
  parallel = world_parallel (world, MPI_COMM_WORLD);
  CHECK_INT (ldy_system_update (serial, 0.25), 0);
  CHECK_INT (ldy_parallel_update (parallel, 0.25), 0);
  for (format = LDY_FILE_FORMAT_MATRIX_MARKET; format <= LDY_FILE_FORMAT_NPZ; format ++) compare (serial, parallel, format);
  ldy_parallel_destroy (parallel);
  ldy_system_destroy (serial);
  world_free (world);
}

/* The last file stays where a write is refused. */
static void refuse (void)
{
  WORLD *world = world_create (3, 8, 16, 1);
  ldy_parallel *parallel;
  size_t before, after;
  int last = rank == ranks - 1;

  world_partition (world, 5, ranks);
  parallel = world_parallel (world, MPI_COMM_WORLD);
  free (content (path, &before));
  CHECK_INT (ldy_parallel_rows_write (parallel, path, LDY_FILE_FORMAT_NPZ), LDY_ERROR_STALE_RESULTS);
  CHECK_INT (ldy_parallel_update (parallel, 0.25), 0);
  CHECK_INT (ldy_parallel_rows_write (parallel, path, last ? 7 : LDY_FILE_FORMAT_NPZ), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (ldy_last_error (), "format is 7");
  CHECK_INT (ldy_parallel_rows_write (parallel, last ? NULL : path, LDY_FILE_FORMAT_NPZ), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (ldy_last_error (), "path is NULL");
  if (ranks > 1) {
    CHECK_INT (ldy_parallel_rows_write (parallel, last ? "another" : path, LDY_FILE_FORMAT_NPZ), LDY_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT (ldy_last_error (), "differ");
  }
  CHECK_INT (ldy_parallel_rows_write (parallel, "/nowhere/W.npz", LDY_FILE_FORMAT_NPZ), LDY_ERROR_FILE_OPEN);
  CHECK_TEXT (ldy_last_error (), "/nowhere/W.npz");
  free (content (path, &after));
  CHECK_INT (before, after);
  ldy_parallel_destroy (parallel);
  world_free (world);
  MPI_Barrier (MPI_COMM_WORLD);
  if (rank == 0) CHECK_INT (remove (path), 0);
}

int main (int argc, char **argv)
{
  path = argc > 2 ? argv[2] : "parallel_files.npz";
  return world_tests (argc, argv, "parallel_files", 60, run, refuse);
}
