/* parallel_files WORLDS PATH: the files of W that all processes write together have the bytes of those that one process writes; errors are
 * the same on all processes, and an old file stays. Pieces, one below the other, are W. */
#define _POSIX_C_SOURCE 200809L /* strtok_r */
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

/* The text of all pieces that the index names, with the head and the row numbers of the whole file. */
static char *joined (const char *index, size_t *size)
{
  size_t length;
  char *lines = content (index, &length), *line, *rest = NULL, *text, *end;
  int rows, columns, entries, before = 0, all = 0;

  lines[length] = 0;
  line = strtok_r (lines, "\n", &rest);
  CHECK (line[0] == '%');
  line = strtok_r (NULL, "\n", &rest);
  CHECK_INT (sscanf (line, "%d %d %d", &rows, &columns, &entries), 3);
  end = text = malloc (256 + 64 * (size_t) entries);
  end += sprintf (end, "%%%%MatrixMarket matrix coordinate real general\n%d  %d  %d\n", rows, columns, entries);
  while ((line = strtok_r (NULL, "\n", &rest))) {
    const char *slash = strrchr (index, '/');
    char name[512], place[1024], *piece, *entry, *more = NULL;
    int first, own, count, k, shape[3];

    CHECK_INT (sscanf (line, "%d %d %d %511s", &first, &own, &count, name), 4);
    CHECK_INT (first, before);
    snprintf (place, sizeof place, "%.*s%s", slash ? (int) (slash - index) + 1 : 0, index, name);
    piece = content (place, &length);
    piece[length] = 0;
    CHECK_TEXT (strtok_r (piece, "\n", &more), "%%MatrixMarket matrix coordinate real general");
    entry = strtok_r (NULL, "\n", &more);
    CHECK_INT (sscanf (entry, "%d %d %d", shape, shape + 1, shape + 2), 3);
    CHECK (shape[0] == own && shape[1] == columns && shape[2] == count);
    for (k = 0; (entry = strtok_r (NULL, "\n", &more)); k ++) {
      long row = strtol (entry, &entry, 10);

      end += sprintf (end, "%ld%s\n", first + row, entry);
    }
    CHECK_INT (k, count);
    before += own;
    all += count;
    free (piece);
    CHECK_INT (remove (place), 0);
  }
  CHECK (before == rows && all == entries);
  free (lines);
  *size = (size_t) (end - text);
  return text;
}

static void compare_pieces (ldy_parallel *parallel)
{
  char index[512], whole[512];
  size_t sizes[2];

  snprintf (index, sizeof index, "%s.index", path);
  snprintf (whole, sizeof whole, "%s.whole", path);
  CHECK_INT (ldy_parallel_rows_write (parallel, whole, LDY_FILE_FORMAT_MATRIX_MARKET), 0);
  CHECK_INT (ldy_parallel_rows_write (parallel, index, LDY_FILE_FORMAT_MATRIX_MARKET | LDY_PARALLEL_PIECES), 0);
  if (rank == 0) {
    char *bytes = joined (index, sizes), *expected = content (whole, sizes + 1);

    if (CHECK_INT (sizes[0], sizes[1])) CHECK (memcmp (bytes, expected, sizes[0]) == 0);
    free (bytes);
    free (expected);
    CHECK_INT (remove (index), 0);
    CHECK_INT (remove (whole), 0);
  }
  MPI_Barrier (MPI_COMM_WORLD);
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
  compare_pieces (parallel);
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
  CHECK_INT (ldy_parallel_rows_write (parallel, "/nowhere/W", LDY_FILE_FORMAT_NPZ | LDY_PARALLEL_PIECES), LDY_ERROR_FILE_OPEN);
  CHECK_TEXT (ldy_last_error (), "/nowhere/W");
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
