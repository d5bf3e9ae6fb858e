/* assemble_scene [SNAPSHOT [PICTURE]]: assembles local dynamics of a recorded scene, tells how large W is and how far all
 * values are from the recorded ones, and draws the pattern of W.
 *
 * The scene comes from a file here; a program with bodies and constraints of its own takes the same four steps:
 * LOCDYN_Create, LOCDYN_Insert for each constraint, LOCDYN_Update_Begin, and a walk through rows and blocks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_tests/support/deviation.h"
#include "c_tests/support/snapshot.h"
#include "pattern.h"

/* W as a dense matrix of 3 x 3 blocks, block (i,j) at 9 * (rows * i + j). */
typedef struct {
  int rows, blocks;
  double *W;
} BLOCK_MATRIX;

static int index_of (const LOCDYN *ldy, const DIAB *row)
{
  const DIAB *other;
  int index = 0;

  for (other = ldy->dia; other != row; other = other->n) index ++;
  return index;
}

static void add_block (BLOCK_MATRIX *matrix, int i, int j, const double *block)
{
  double *W = matrix->W + 9 * (matrix->rows * i + j);
  int k;

  for (k = 0; k < 9; k ++) W[k] += block[k];
}

/* Constraints that share two bodies have a block for each of them: W is their sum. */
static BLOCK_MATRIX block_matrix (const LOCDYN *ldy)
{
  BLOCK_MATRIX matrix = { 0, 0, NULL };
  const DIAB *row;
  const OFFB *block;
  int i = 0;

  for (row = ldy->dia; row; row = row->n) matrix.rows ++;
  matrix.W = calloc ((size_t) (matrix.rows * matrix.rows * 9 + 1), sizeof *matrix.W);
  if (!matrix.W) abort ();
  for (row = ldy->dia; row; row = row->n, i ++) {
    add_block (&matrix, i, i, row->W);
    for (block = row->adj; block; block = block->n) {
      add_block (&matrix, i, index_of (ldy, block->dia), block->W);
      matrix.blocks ++;
    }
  }
  return matrix;
}

static double norm (const double *x, int count)
{
  double squares = 0;
  int i;

  for (i = 0; i < count; i ++) squares += x[i] * x[i];
  return sqrt (squares);
}

static double largest (const double *x, int count)
{
  double value = 0;
  int i;

  for (i = 0; i < count; i ++) value = fmax (value, fabs (x[i]));
  return value;
}

static void describe (LOCDYN *ldy, const BLOCK_MATRIX *matrix)
{
  int entries = 9 * matrix->rows * matrix->rows;

  printf ("rows                     %d\n", matrix->rows);
  printf ("off-diagonal blocks      %d\n", matrix->blocks);
  printf ("W, Frobenius norm        %.6e\n", norm (matrix->W, entries));
  printf ("W, largest entry         %.6e\n", largest (matrix->W, entries));
  printf ("W, diagonal entries      %.6e to %.6e, ", LOCDYN_minWii (ldy), LOCDYN_maxWii (ldy));
  printf ("mean %.6e\n", LOCDYN_avgWii (ldy));
  printf ("free energy              %.6e\n", ldy->free_energy);
}

/* 1 if everything is within its tolerance. */
static int compare (const SNAPSHOT *snapshot, const LOCDYN *ldy)
{
  DEVIATION deviation;
  double worst = 0;
  int q;

  deviation_begin (&deviation);
  deviation_measure (&deviation, snapshot, ldy, NULL);
  printf ("errors against reference");
  for (q = 0; q < QUANTITIES; q ++) {
    if (deviation.error[q] < 0) continue;
    printf (" %s %.1e", deviation_names[q], deviation.error[q]);
    if (isnan (deviation.error[q]) || deviation.error[q] > worst) worst = deviation.error[q];
  }
  printf ("\nlargest error            %.1e%s\n", worst, deviation.failed ? ": TOO LARGE" : "");
  if (deviation.failed) printf ("%s\n", deviation.why);
  return !deviation.failed;
}

/* `scene` is the path of the snapshot: its name without directory and ending is the title. */
static int draw (const char *path, const char *scene, const BLOCK_MATRIX *matrix)
{
  double *norms = malloc ((size_t) (matrix->rows * matrix->rows + 1) * sizeof *norms);
  const char *name = strrchr (scene, '/') ? strrchr (scene, '/') + 1 : scene;
  char title[128];
  int i, drawn;

  if (!norms) abort ();
  snprintf (title, sizeof title, "Delassus matrix W of %.*s", (int) strcspn (name, "."), name);
  for (i = 0; i < matrix->rows * matrix->rows; i ++) norms[i] = norm (matrix->W + 9 * i, 9);
  drawn = pattern_draw (path, title, matrix->rows, norms);
  free (norms);
  if (drawn) printf ("picture                  %s\n", path);
  else perror (path);
  return drawn;
}

static int assemble (SNAPSHOT *snapshot, const char *path, const char *picture)
{
  DOM *dom = &snapshot->host->dom;
  LOCDYN *ldy = dom->ldy = LOCDYN_Create (dom);
  BLOCK_MATRIX matrix;
  int good;

  snapshot_insert (snapshot);
  LOCDYN_Update_Begin (ldy);
  matrix = block_matrix (ldy);
  describe (ldy, &matrix);
  good = compare (snapshot, ldy);
  good = draw (picture, path, &matrix) && good;
  free (matrix.W);
  LOCDYN_Destroy (ldy);
  return good;
}

int main (int argc, char **argv)
{
  const char *path = argc > 1 ? argv[1] : "c_tests/reference/rigid_boxes-30.ldysnap";
  const char *picture = argc > 2 ? argv[2] : "out/rigid_boxes-30.svg";
  SNAPSHOT *snapshot;
  char error[256];
  int good;

  snapshot = snapshot_read (path, error, sizeof error);
  if (!snapshot) {
    fprintf (stderr, "%s\n", error);
    return 1;
  }
  printf ("scene                    %s\n", path);
  printf ("bodies, constraints      %d, %d\n", snapshot->bodies, snapshot->constraints);
  good = assemble (snapshot, path, picture);
  snapshot_free (snapshot);
  return good ? 0 : 1;
}
