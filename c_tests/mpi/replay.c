/* replay FILE.ldysnap ...: recorded states of one process, assembled by several: each rank compares its own rows with the
 * record (deviation.h), all of them the number of rows and the sum of energies.
 *
 * Every state is split in several ways (partition.h). Prints the largest errors, and `N passed, N failed`. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "recorded.h"
#include "support/deviation.h"
#include "support/host/hooks.h"

#define PARTITIONS (PARTITION_RANDOM + 3)

static int rank, ranks;

static void raised (int code, const char *text, void *data)
{
  deviation_fail (data, "error %d: %s", code, text);
}

/* ---- the rows of this rank */

static const SNAPSHOT_ROW *row_of (const SNAPSHOT *s, unsigned int id, int *index)
{
  for (*index = 0; *index < s->rows; ++ *index) {
    if (s->row[*index].con->id == id) return &s->row[*index];
  }
  return NULL;
}

static int has_row (const LOCDYN *ldy, unsigned int id)
{
  const DIAB *dia;

  for (dia = ldy->dia; dia; dia = dia->n) {
    if (dia->con->id == id) return 1;
  }
  return 0;
}

/* How many blocks there have to be to an external constraint through a body. */
static int wanted (const SNAPSHOT *s, const DIAB *dia, const SNAPSHOT_BLOCK *block)
{
  if (s->update == UPDATE_MINIMAL || (s->update == UPDATE_PENALTY && dia->con->kind == CONTACT)) return 0;
  return (block->con->master == block->body) + (block->con->slave == block->body);
}

static int counted (const DIAB *dia, const SNAPSHOT_BLOCK *wanted)
{
  const OFFB *block;
  int count = 0;

  for (block = dia->adjext; block; block = block->n) {
    count += ((const CON *) block->dia)->id == wanted->con->id && block->bod->id == wanted->body->id;
  }
  return count;
}

static void compare_blocks (DEVIATION *deviation, const SNAPSHOT *s, const LOCDYN *ldy, const DIAB *dia, int marked,
                            const SNAPSHOT_ROW *row, double tolerance)
{
  char *taken = calloc ((size_t) row->count + 1, 1), *none = calloc ((size_t) row->count + 1, 1);
  const OFFB *block;
  int place, i;

  if (!taken || !none) abort ();
  for (block = dia->adj; block; block = block->n) {
    place = deviation_block (deviation, s, row, taken, block->dia->con, block, marked, tolerance);
    if (place >= 0) taken[place] = 1;
  }
  for (block = dia->adjext; block; block = block->n) {
    deviation_block (deviation, s, row, none, (const CON *) block->dia, block, 0, tolerance);
  }
  for (i = 0; i < row->count; i ++) {
    if (has_row (ldy, row->block[i].con->id)) {
      if (taken[i]) continue;
    } else if (counted (dia, &row->block[i]) == wanted (s, dia, &row->block[i])) {
      continue;
    }
    deviation_fail (deviation, "constraint %u has not the right number of blocks to %u", row->con->id, row->block[i].con->id);
  }
  free (taken);
  free (none);
}

/* Collective, even after errors: all sums are made on all ranks. */
static void measure (DEVIATION *deviation, const SNAPSHOT *s, const LOCDYN *ldy, const DIAB *before)
{
  double *tolerance = deviation_tolerances (deviation, s), sums[2] = { 0, ldy->free_energy };
  const SNAPSHOT_ROW *row;
  int rows = 0, index;
  const DIAB *dia;

  for (dia = ldy->dia; dia; dia = dia->n, rows ++) {
    row = row_of (s, dia->con->id, &index);
    deviation_row (deviation, s, dia, &before[rows], row, tolerance[index]);
    compare_blocks (deviation, s, ldy, dia, 1, row, tolerance[index]);
  }
  sums[0] = rows;
  MPI_Allreduce (MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (sums[0] != s->rows) deviation_fail (deviation, "%.0f rows, not %d", sums[0], s->rows);
  if (s->update == UPDATE_MINIMAL) deviation_energy_untouched (deviation, ldy);
  else deviation_energy (deviation, s, sums[1], tolerance);
  free (tolerance);
}

/* ---- one state in one partition */

static void assemble (const SNAPSHOT *s, const PARTITION *partition, DEVIATION *deviation)
{
  PART *part = part_create (s->host, partition, rank);
  LOCDYN *ldy;
  DIAB *before;

  GEOMETRIC_EPSILON = s->geometric_epsilon;
  ldy = recorded_insert (s, part);
  before = deviation_mark (ldy, s->rows);
  LOCDYN_Update_Begin (ldy);
  LOCDYN_Update_Begin (ldy); /* external blocks once more */
  measure (deviation, s, ldy, before);
  if (!ldy_is_consistent (ldy, NULL)) deviation_fail (deviation, "inconsistent: %s", ldy_last_error ());
  LOCDYN_Destroy (ldy);
  free (before);
  part_free (part);
}

/* The worst of all ranks. */
static void gather (DEVIATION *deviation)
{
  MPI_Allreduce (MPI_IN_PLACE, deviation->error, QUANTITIES, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce (MPI_IN_PLACE, &deviation->failed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* ---- all */

static int replay (const char *path, double *worst)
{
  char error[256];
  SNAPSHOT *snapshot = snapshot_read (path, error, sizeof error);
  DEVIATION deviation;
  PARTITION *partition;
  int kind, q, before = 0;

  if (!snapshot) {
    if (rank == 0) printf ("FAILED %s\n", error);
    return 0;
  }
  deviation_begin (&deviation);
  ldy_set_error_handler (raised, &deviation);
  for (kind = 0; kind < PARTITIONS; kind ++) {
    partition = partition_create (snapshot->host, ranks, kind);
    assemble (snapshot, partition, &deviation);
    partition_free (partition);
    if (!before && deviation.failed) printf ("rank %d: %s, %s: %s\n", rank, path, partition_name (kind), deviation.why);
    before = deviation.failed;
  }
  ldy_set_error_handler (NULL, NULL);
  snapshot_free (snapshot);
  gather (&deviation);
  for (q = 0; q < QUANTITIES; q ++) worst[q] = fmax (worst[q], deviation.error[q]);
  return !deviation.failed;
}

int main (int argc, char **argv)
{
  double worst[QUANTITIES] = { 0 };
  int passed = 0, i, q;

  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &ranks);
  for (i = 1; i < argc; i ++) passed += replay (argv[i], worst);
  if (rank == 0) {
    printf ("replay on %d: %d partitions each:", ranks, PARTITIONS);
    for (q = 0; q < QUANTITIES; q ++) printf (" %s=%.1e", deviation_names[q], worst[q]);
    printf (": %d passed, %d failed\n", passed, argc - 1 - passed);
  }
  MPI_Finalize ();
  return passed == argc - 1 ? 0 : 1;
}
