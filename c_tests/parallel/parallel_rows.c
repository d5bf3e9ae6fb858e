/* parallel_rows WORLDS: W, B, V, products, sums and velocities of random worlds across processes have the bits of one process, for random
 * partitions, through several steps. */
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "support/check.h"
#include "world.h"

static size_t start_of (const ldy_rows *rows, int row)
{
  return rows->scalar_starts ? (size_t) rows->scalar_starts[row] : 3 * (size_t) row;
}

static const double *block (const ldy_rows *rows, int row, int column, size_t *size)
{
  int i;
  size_t m = start_of (rows, row + 1) - start_of (rows, row), n = start_of (rows, column + 1) - start_of (rows, column);

  *size = m * n * sizeof (double);
  for (i = rows->starts[row]; i < rows->starts[row + 1]; i ++) {
    if (rows->columns[i] == column) return rows->values + (rows->value_starts ? rows->value_starts[i] : 9 * (size_t) i);
  }
  return NULL;
}

/* All own rows have the blocks of the whole, and no others. */
static void compare_rows (const WORLD *world, const ldy_rows *whole, const ldy_rows *mine, const int32_t *own, size_t count)
{
  size_t k, size, one;
  int i;

  for (k = 0; k < count; k ++) {
    int row = own[k], same = world_constraint (world, mine->constraints[row]);
    size_t at = start_of (mine, row), there = start_of (whole, same);

    CHECK_INT (mine->starts[row + 1] - mine->starts[row], whole->starts[same + 1] - whole->starts[same]);
    size = (start_of (mine, row + 1) - at) * sizeof (double);
    CHECK_SAME_BITS (mine->B + at, whole->B + there, size);
    CHECK_SAME_BITS (mine->V + at, whole->V + there, size);
    for (i = mine->starts[row]; i < mine->starts[row + 1]; i ++) {
      int other = world_constraint (world, mine->constraints[mine->columns[i]]);
      const double *values = block (mine, row, mine->columns[i], &size), *expected = block (whole, same, other, &one);

      if (CHECK (expected != NULL) && CHECK_INT (size, one)) CHECK_SAME_BITS (values, expected, size);
    }
  }
}

/* The values of own rows among those of the whole. */
static void pick (const WORLD *world, const ldy_rows *whole, const ldy_rows *mine, const int32_t *own, size_t count, const double *all, double *picked)
{
  size_t k, i;

  for (k = 0; k < count; k ++) {
    int same = world_constraint (world, mine->constraints[own[k]]);

    for (i = start_of (whole, same); i < start_of (whole, same + 1); i ++) *picked ++ = all[i];
  }
}

static void compare_products (const WORLD *world, ldy_system *serial, ldy_parallel *parallel, const ldy_rows *mine, const int32_t *own, size_t count)
{
  ldy_rows whole = LDY_ROWS_INIT;
  RANDOM random = { world->seed };
  size_t i, scalars = ldy_parallel_scalar_count (parallel);
  double *all, *product, *x, *y, *expected, sum, one = 0;
  int through;
  ldy_parallel *alone;

  CHECK_INT (ldy_system_results (serial, &whole), 0);
  all = malloc (2 * whole.scalars * sizeof *all + 8);
  product = all + whole.scalars;
  x = malloc (3 * scalars * sizeof *x + 8);
  y = x + scalars;
  expected = y + scalars;
  for (i = 0; i < whole.scalars; i ++) all[i] = random_value (&random);
  pick (world, &whole, mine, own, count, all, x);
  for (through = 0; through < 2; through ++) {
    CHECK_INT (ldy_system_multiply (serial, all, 0, product, 0, whole.scalars, 1, through ? LDY_MULTIPLY_THROUGH_BODIES : 0), 0);
    pick (world, &whole, mine, own, count, product, expected);
    CHECK_INT (ldy_parallel_multiply (parallel, x, y, scalars, through), 0);
    CHECK_SAME_BITS (y, expected, scalars * sizeof *y);
  }
  CHECK_INT (ldy_parallel_dot (parallel, x, expected, scalars, &sum), 0);
  CHECK_INT (ldy_parallel_create (MPI_Comm_c2f (MPI_COMM_SELF), &alone), 0);
  CHECK_INT (ldy_parallel_dot (alone, all, product, whole.scalars, &one), 0);
  CHECK_SAME_BITS (&sum, &one, sizeof sum);
  ldy_parallel_destroy (alone);
  CHECK_INT (ldy_system_apply_reactions (serial, all, whole.scalars), 0);
  CHECK_INT (ldy_parallel_apply_reactions (parallel, x, scalars), 0);
  free (all);
  free (x);
}

static void compare_velocities (const WORLD *world, ldy_system *serial, ldy_system *local)
{
  double one[WORLD_DOFS], other[WORLD_DOFS];
  int i;

  for (i = 0; i < world->bodies; i ++) {
    size_t n = (size_t) world->dofs[i];

    if (world->owners[i] != rank) continue;
    CHECK_INT (ldy_system_velocity (serial, i, LDY_VELOCITY_FREE, one, n), 0);
    CHECK_INT (ldy_system_velocity (local, world->body_ids[i], LDY_VELOCITY_FREE, other, n), 0);
    CHECK_SAME_BITS (one, other, n * sizeof (double));
  }
}

static void compare (const WORLD *world, ldy_system *serial, ldy_parallel *parallel)
{
  ldy_rows whole = LDY_ROWS_INIT, mine = LDY_ROWS_INIT;
  ldy_system *local;
  size_t count;
  int32_t *own;

  CHECK_INT (ldy_parallel_system (parallel, &local), 0);
  CHECK_INT (ldy_system_update (serial, 0.25), 0);
  if (!CHECK_INT (ldy_parallel_update (parallel, 0.25), 0)) {
    CHECK_TEXT (ldy_last_error (), "no error");
    return;
  }
  CHECK_INT (ldy_system_results (serial, &whole), 0);
  CHECK_INT (ldy_system_results (local, &mine), 0);
  count = ldy_parallel_constraint_count (parallel);
  own = malloc (count * sizeof *own + 4);
  CHECK_INT (ldy_parallel_rows (parallel, own, count), 0);
  compare_rows (world, &whole, &mine, own, count);
  compare_products (world, serial, parallel, &mine, own, count);
  compare_velocities (world, serial, local);
  free (own);
}

/* Bodies and constraints move, and some constraints are removed and inserted again. */
static void step (const WORLD *world, ldy_system *serial, ldy_parallel *parallel, int number)
{
  ldy_system *local;
  int i;

  CHECK_INT (ldy_parallel_system (parallel, &local), 0);
  for (i = 0; i < world->bodies; i ++) {
    if (number == 2 && i % 3) continue;
    world_move_body (world, serial, i, i, number);
    if (world->owners[i] == rank) world_move_body (world, local, i, world->body_ids[i], number);
  }
  for (i = 0; i < world->constraints; i ++) {
    if (number == 2 && i % 3) continue;
    world_move_constraint (world, serial, i, i, number);
    if (world->places[i] != rank) continue;
    world_move_constraint (world, local, i, world->ids[i], number);
    if (number != 3 || i % 4) continue;
    CHECK_INT (ldy_system_remove_constraint (local, world->ids[i]), 0);
    CHECK_INT (ldy_parallel_set_next_ids (parallel, 0, world->ids[i]), 0);
    world_add_constraint (world, local, i, world->body_ids);
    world_move_constraint (world, local, i, world->ids[i], number);
  }
}

static void run (uint64_t seed)
{
  RANDOM random = { seed };
  int bodies = 2 + random_below (&random, 12), number;
  WORLD *world = world_create (seed, bodies, 1 + random_below (&random, 3 * bodies), random_below (&random, 3) == 0);
  ldy_system *serial = world_serial (world);
  ldy_parallel *parallel;

  check_context ("rank %d of %d, world %d", rank, ranks, (int) seed);
  world_partition (world, seed + 77, ranks);
  parallel = world_parallel (world, MPI_COMM_WORLD);
  for (number = 0; number < 4; number ++) {
    check_context ("rank %d of %d, world %d, step %d", rank, ranks, (int) seed, number);
    if (number) step (world, serial, parallel, number);
    compare (world, serial, parallel);
  }
  ldy_parallel_destroy (parallel);
  ldy_system_destroy (serial);
  world_free (world);
}

int main (int argc, char **argv)
{
  return world_tests (argc, argv, "parallel_rows", 100, run, NULL);
}
