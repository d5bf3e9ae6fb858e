#include "copied_rows.h"

#include <math.h>
#include <stdlib.h>

#include <mpi.h>

#include "ldy_bridge.h"
#include "partition.h"
#include "support/check.h"
#include "support/dense.h"

#define TOLERANCE 1e-12

/* The place of a constraint in the whole domain. */
static int place_of (const DENSE_SYSTEM *system, int64_t id)
{
  int place = 0;

  while (place < system->constraints && system->con[place]->id != id) place ++;
  if (place == system->constraints) abort ();
  return place;
}

static void add (double *W, int size, int row, int column, const double *block)
{
  for (int j = 0; j < 3; j ++) for (int i = 0; i < 3; i ++) W[size * (3 * column + j) + 3 * row + i] += block[3 * j + i];
}

/* Rows with external blocks are no complete W; products have their own columns. */
static void use (const ldy_rows *rows)
{
  double *x = partition_zeroed (2 * (int) rows->scalars + 1, sizeof *x);
  ldy_law *laws = partition_zeroed (rows->rows + 1, sizeof *laws);
  ldy_contact_solver *solver = NULL;

  CHECK_INT (ldy_contact_solver_create (&solver), 0);
  if (rows->external) {
    CHECK_INT (ldy_contact_solver_solve_rows (solver, rows, laws, (size_t) rows->rows, NULL, x, rows->scalars, NULL), LDY_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT (ldy_last_error (), "columns of other processes");
  }
  ldy_contact_solver_destroy (solver);
  CHECK_INT (ldy_rows_multiply (rows, x, 0, x + rows->scalars, 0, rows->scalars, 1), 0);
  free (laws);
  free (x);
}

/* Add the rows of this process to W; columns of external blocks by the ids of constraints. */
static void add_rows (double *W, const LOCDYN *ldy, const DENSE_SYSTEM *system)
{
  ldy_external_blocks external = { .size = sizeof external };
  ldy_rows rows = LDY_ROWS_INIT;
  ldy_locdyn_rows *copies = NULL;
  int size = 3 * system->constraints, k, i, row;

  CHECK_INT (ldy_locdyn_rows_create (&copies), 0);
  CHECK_INT (ldy_locdyn_rows_external (copies, &external), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_INT (ldy_locdyn_rows_copy (copies, ldy, &rows), 0);
  CHECK_INT (ldy_locdyn_rows_external (copies, &external), 0);
  CHECK_INT (external.rows, rows.rows);
  CHECK_INT (external.blocks, rows.external);
  CHECK_INT (external.starts[rows.rows], external.blocks);
  for (k = 0; k < rows.rows; k ++) {
    row = place_of (system, rows.constraints[k]);
    for (i = rows.starts[k]; i < rows.starts[k + 1]; i ++)
      add (W, size, row, place_of (system, rows.constraints[rows.columns[i]]), rows.values + 9 * i);
    for (i = external.starts[k]; i < external.starts[k + 1]; i ++) {
      CHECK (i == external.starts[k] || external.constraints[i - 1] < external.constraints[i]);
      add (W, size, row, place_of (system, external.constraints[i]), external.values + 9 * i);
    }
  }
  use (&rows);
  ldy_locdyn_rows_destroy (copies);
}

/* A self-contact has two blocks with each neighbor, or one: that depends on the partition. */
static int is_self_contact (const CON *con)
{
  return con->master == con->slave;
}

void copied_rows_compare (const LOCDYN *ldy, const DENSE_SYSTEM *system)
{
  int count = system->constraints, size = 3 * count, a, b, i;
  double *W = partition_zeroed (size * size + 1, sizeof *W), want[9], one[9], two[9];

  add_rows (W, ldy, system);
  MPI_Allreduce (MPI_IN_PLACE, W, size * size, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (a = 0; a < count; a ++) {
    for (b = 0; b < count; b ++) {
      if (is_self_contact (system->con[a]) || is_self_contact (system->con[b])) continue;
      dense_global_block (system, system->con[a], system->con[b], want);
      dense_global_block (system, system->con[a], system->con[a], one);
      dense_global_block (system, system->con[b], system->con[b], two);
      for (i = 0; i < 9; i ++)
        CHECK_NEAR (W[size * (3 * b + i / 3) + 3 * a + i % 3], want[i], TOLERANCE * sqrt (dense_largest_entry (9, one) * dense_largest_entry (9, two)));
    }
  }
  free (W);
}
