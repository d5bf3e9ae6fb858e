/* parallel_migration WORLDS: bodies and constraints of random worlds move between processes several times; rows have the bits of one
 * process each time, and laws, tags, reactions and compliances come along. */
#include <stdlib.h>

#include <mpi.h>

#include "support/check.h"
#include "world.h"

static void set_data (const WORLD *world, ldy_parallel *parallel)
{
  ldy_system *system;
  int i;

  CHECK_INT (ldy_parallel_system (parallel, &system), 0);
  for (i = 0; i < world->constraints; i ++) {
    uint64_t tag = 7 * (uint64_t) world->ids[i] + 1;

    if (world->places[i] == rank) CHECK_INT (ldy_system_set_tags (system, world->ids + i, 8, &tag, 8, 1), 0);
  }
}

/* The lists of own bodies and constraints are those of the partition. */
static void check_lists (const WORLD *world, ldy_parallel *parallel)
{
  size_t bodies = ldy_parallel_body_count (parallel), constraints = ldy_parallel_constraint_count (parallel), at = 0;
  int64_t *list = malloc ((bodies + constraints + 1) * sizeof *list);
  int i;

  CHECK_INT (ldy_parallel_bodies (parallel, list, bodies), 0);
  CHECK_INT (ldy_parallel_constraints (parallel, list + bodies, constraints), 0);
  for (i = 0; i < world->bodies; i ++) if (world->owners[i] == rank) CHECK_INT (at < bodies ? list[at ++] : -1, world->body_ids[i]);
  CHECK_INT (at, bodies);
  for (i = 0; i < world->constraints; i ++) if (world->places[i] == rank) CHECK_INT (at < bodies + constraints ? list[at ++] : -1, world->ids[i]);
  CHECK_INT (at, bodies + constraints);
  CHECK_INT (ldy_parallel_bodies (parallel, list, bodies + 1), LDY_ERROR_INVALID_ARGUMENT);
  free (list);
}

/* The number of own rows, and the sum of numbers that each row has of W, B, tags and laws, over all processes: exact, so that it does
 * not depend on the partition. */
static void check_data (const WORLD *world, ldy_system *serial, ldy_parallel *parallel)
{
  ldy_rows whole = LDY_ROWS_INIT, mine = LDY_ROWS_INIT;
  ldy_system *local;
  size_t count = ldy_parallel_constraint_count (parallel), k;
  long own = (long) count, all = 0;
  int32_t *rows = malloc (count * sizeof *rows + 4);
  uint64_t *tags;

  CHECK_INT (ldy_parallel_system (parallel, &local), 0);
  check_lists (world, parallel);
  CHECK_INT (ldy_system_results (serial, &whole), 0);
  CHECK_INT (ldy_system_results (local, &mine), 0);
  CHECK_INT (ldy_parallel_rows (parallel, rows, count), 0);
  MPI_Allreduce (&own, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  CHECK_INT (all, world->constraints);
  tags = malloc ((size_t) mine.rows * sizeof *tags + 8);
  CHECK_INT (ldy_system_tags (local, tags, (size_t) mine.rows), 0);
  for (k = 0; k < count; k ++) {
    int row = rows[k], same = world_constraint (world, mine.constraints[row]);
    size_t at = mine.scalar_starts ? (size_t) mine.scalar_starts[row] : 3 * (size_t) row;
    size_t there = whole.scalar_starts ? (size_t) whole.scalar_starts[same] : 3 * (size_t) same;
    size_t m = (size_t) abs (world->heights[same]);
    const double *block = mine.diagonal + (mine.diagonal_starts ? mine.diagonal_starts[row] : 9 * (size_t) row);
    const double *expected = whole.diagonal + (whole.diagonal_starts ? whole.diagonal_starts[same] : 9 * (size_t) same);
    ldy_law law, other;

    CHECK_INT (world->places[same], rank);
    CHECK_INT (tags[row], 7 * mine.constraints[row] + 1);
    CHECK_SAME_BITS (mine.B + at, whole.B + there, m * sizeof (double));
    CHECK_SAME_BITS (mine.V + at, whole.V + there, m * sizeof (double));
    CHECK_SAME_BITS (block, expected, m * m * sizeof (double));
    CHECK_INT (mine.starts[row + 1] - mine.starts[row], whole.starts[same + 1] - whole.starts[same]);
    CHECK_INT (ldy_system_law (local, mine.constraints[row], &law), 0);
    CHECK_INT (ldy_system_law (serial, same, &other), 0);
    CHECK_INT (law.kind, other.kind);
    CHECK (law.friction == other.friction && law.friction_2 == other.friction_2);
    CHECK_SAME_BITS (law.bias, other.bias, sizeof law.bias);
    CHECK_SAME_BITS (law.upper, other.upper, sizeof law.upper);
  }
  free (tags);
  free (rows);
}

static void migrate (WORLD *world, ldy_parallel *parallel, uint64_t seed)
{
  int *owners = malloc ((size_t) world->bodies * sizeof *owners), *places = malloc ((size_t) world->constraints * sizeof *places);
  int64_t *bodies = malloc ((size_t) world->bodies * sizeof *bodies), *constraints = malloc ((size_t) world->constraints * sizeof *constraints);
  int32_t *body_ranks = malloc ((size_t) world->bodies * sizeof *body_ranks), *ranks_of = malloc ((size_t) world->constraints * sizeof *ranks_of);
  size_t count = 0, others = 0;
  int i;

  for (i = 0; i < world->bodies; i ++) owners[i] = world->owners[i];
  for (i = 0; i < world->constraints; i ++) places[i] = world->places[i];
  world_partition (world, seed, ranks);
  /* In any order. */
  for (i = world->bodies - 1; i >= 0; i --) {
    if (owners[i] != rank) continue;
    bodies[count] = world->body_ids[i];
    body_ranks[count ++] = world->owners[i];
  }
  for (i = world->constraints - 1; i >= 0; i --) {
    if (places[i] != rank) continue;
    constraints[others] = world->ids[i];
    ranks_of[others ++] = world->places[i];
  }
  if (!CHECK_INT (ldy_parallel_migrate (parallel, bodies, body_ranks, count, constraints, ranks_of, others), 0)) CHECK_TEXT (ldy_last_error (), "no error");
  free (owners);
  free (places);
  free (bodies);
  free (constraints);
  free (body_ranks);
  free (ranks_of);
}

/* Joints follow their bodies. */
static void move_bodies (const WORLD *world, ldy_system *serial, ldy_parallel *parallel)
{
  ldy_system *local;
  int i;

  CHECK_INT (ldy_parallel_system (parallel, &local), 0);
  for (i = 0; i < world->bodies; i ++) {
    world_move_body (world, serial, i, i, 1);
    if (world->owners[i] == rank) world_move_body (world, local, i, world->body_ids[i], 1);
  }
  CHECK_INT (ldy_system_update (serial, 0.25), 0);
  CHECK_INT (ldy_parallel_refresh (parallel), 0);
}

static void run (uint64_t seed)
{
  RANDOM random = { seed };
  int bodies = 2 + random_below (&random, 12), number;
  WORLD *world = world_create (seed, bodies, 1 + random_below (&random, 3 * bodies), random_below (&random, 3) == 0);
  ldy_system *serial = world_serial (world);
  ldy_parallel_stats stats = { .size = sizeof stats };
  ldy_parallel *parallel;

  world_partition (world, seed + 77, ranks);
  parallel = world_parallel (world, MPI_COMM_WORLD);
  set_data (world, parallel);
  CHECK_INT (ldy_system_update (serial, 0.25), 0);
  for (number = 0; number < 4; number ++) {
    check_context ("rank %d of %d, world %d, migration %d", rank, ranks, (int) seed, number);
    if (number) migrate (world, parallel, seed + (uint64_t) (1000 * number));
    if (number == 2) move_bodies (world, serial, parallel);
    if (!CHECK_INT (ldy_parallel_update (parallel, 0.25), 0)) CHECK_TEXT (ldy_last_error (), "no error");
    else check_data (world, serial, parallel);
  }
  CHECK_INT (ldy_parallel_get_stats (parallel, &stats), 0);
  if (ranks == 1) CHECK (stats.messages == 0 && stats.bytes == 0 && stats.ghosts == 0 && stats.halo == 0);
  CHECK (stats.neighbors < (uint64_t) ranks && stats.shared >= stats.neighbors);
  ldy_parallel_destroy (parallel);
  ldy_system_destroy (serial);
  world_free (world);
}

int main (int argc, char **argv)
{
  return world_tests (argc, argv, "parallel_migration", 60, run, NULL);
}
