/* parallel_partition WORLDS: partitions of random worlds are those of a bisection of sorted lists, for any present partition; weights are
 * balanced; after bodies and constraints have moved, forces have the bits of one process. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "support/check.h"
#include "world.h"

typedef struct {
  double point[3];
  int body, weight;
} PLACED;

static int axis;

/* Ids ascend with the numbers of bodies. */
static int compare (const void *one, const void *other)
{
  const PLACED *a = one, *b = other;
  double x = a->point[axis], y = b->point[axis];

  return x < y ? -1 : x > y ? 1 : (a->body > b->body) - (a->body < b->body);
}

/* Recursive bisection of a list. */
static void bisect (PLACED *list, int count, int first, int processes, int *expected)
{
  int left = processes / 2, i, k, cut = 0;
  double total = 0, below = 0, extents[3] = { 0 };

  for (i = 0; i < count; i ++) {
    if (processes == 1) expected[list[i].body] = first;
    total += list[i].weight;
    for (k = 0; k < 3; k ++) {
      int j;

      for (j = 0; j < count; j ++) extents[k] = fmax (extents[k], list[i].point[k] - list[j].point[k]);
    }
  }
  if (processes == 1) return;
  for (axis = 0, k = 1; k < 3; k ++) if (extents[k] > extents[axis]) axis = k;
  qsort (list, (size_t) count, sizeof *list, compare);
  while (cut < count) {
    double share = total * left / processes, with = below + list[cut].weight;

    if (with > share + 1e-9 && with - share > share - below + 1e-9) break;
    below = with;
    cut ++;
    if (with >= share - 1e-9) break;
  }
  bisect (list, cut, first, left, expected);
  bisect (list + cut, count - cut, first + left, processes - left, expected);
}

/* The points and weights of own bodies: `kind` 0: from the system and constraints; 1: given, many at the same places; 2: weights too. */
static PLACED placed_of (const WORLD *world, ldy_system *serial, int body, int kind)
{
  RANDOM random = { world->seed + 31u * (uint64_t) body };
  PLACED placed = { { 0 }, body, 1 };
  int64_t id = body;
  int i, k;

  for (k = 0; k < 3; k ++) placed.point[k] = (random_below (&random, 7) - 3) / (kind == 2 ? 3.0 : 1.0);
  if (kind == 0) CHECK_INT (ldy_system_positions (serial, &id, 8, placed.point, 24, 1), 0);
  if (kind == 2) placed.weight = random_below (&random, 100) ? random_below (&random, 2000) : 0;
  for (i = 0; kind < 2 && i < 3 * world->constraints; i ++) placed.weight += world->ends[i] == body;
  if (world->kinds[body] == WORLD_OBSTACLE) placed.weight = 0;
  return placed;
}

/* Partition the bodies and constraints of this process; the results for all are written to `owners` and `places` on all processes. */
static void partition (const WORLD *world, ldy_system *serial, ldy_parallel *parallel, int kind, int *owners, int *places)
{
  size_t size = (size_t) (world->bodies + world->constraints), count = 0, others = 0;
  int64_t *bodies = malloc (size * sizeof *bodies), *constraints = malloc (size * sizeof *constraints);
  int32_t *weights = malloc (size * sizeof *weights), *body_ranks = malloc (size * sizeof *body_ranks), *ranks_of = malloc (size * sizeof *ranks_of);
  double *points = malloc (3 * size * sizeof *points);
  int i;

  for (i = world->bodies - 1; i >= 0; i --) {
    PLACED placed = placed_of (world, serial, i, kind);

    owners[i] = 0;
    if (world->owners[i] != rank) continue;
    memcpy (points + 3 * count, placed.point, sizeof placed.point);
    weights[count] = placed.weight;
    bodies[count ++] = world->body_ids[i];
  }
  for (i = 0; i < world->constraints; i ++) {
    places[i] = 0;
    if (world->places[i] == rank) constraints[others ++] = world->ids[i];
  }
  if (!CHECK_INT (ldy_parallel_partition (parallel, bodies, kind ? points : NULL, kind == 2 ? weights : NULL, body_ranks, count, constraints, ranks_of, others), 0)) CHECK_TEXT (ldy_last_error (), "no error");
  for (i = 0; i < (int) count; i ++) owners[world_body (world, bodies[i])] = body_ranks[i];
  for (i = 0; i < (int) others; i ++) places[world_constraint (world, constraints[i])] = ranks_of[i];
  MPI_Allreduce (MPI_IN_PLACE, owners, world->bodies, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce (MPI_IN_PLACE, places, world->constraints, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  free (bodies);
  free (constraints);
  free (weights);
  free (body_ranks);
  free (ranks_of);
  free (points);
}

static void check_partition (const WORLD *world, ldy_system *serial, int kind, const int *owners, const int *places)
{
  PLACED *list = malloc ((size_t) world->bodies * sizeof *list);
  int *expected = calloc ((size_t) world->bodies, sizeof *expected), count = 0, largest = 0, i, k;
  double *weights = calloc ((size_t) ranks, sizeof *weights), total = 0;

  for (i = 0; i < world->bodies; i ++) {
    PLACED placed = placed_of (world, serial, i, kind);

    weights[owners[i]] += placed.weight;
    total += placed.weight;
    if (placed.weight > largest) largest = placed.weight;
    if (placed.weight) list[count ++] = placed;
  }
  bisect (list, count, 0, ranks, expected);
  for (i = 0; i < world->bodies; i ++) if (placed_of (world, serial, i, kind).weight) CHECK_INT (owners[i], expected[i]);
  for (i = 0; i < ranks; i ++) CHECK (fabs (weights[i] - total / ranks) <= 1.5 * largest);
  for (i = 0; i < world->constraints; i ++) {
    const int *ends = world->ends + 3 * i;
    int first = -1;

    for (k = 2; k >= 0; k --) if (ends[k] >= 0 && (first < 0 || world->kinds[ends[k]] != WORLD_OBSTACLE || world->kinds[first] == WORLD_OBSTACLE)) first = ends[k];
    CHECK_INT (places[i], owners[first]);
  }
  free (list);
  free (expected);
  free (weights);
}

/* Move everything to the processes of a partition. */
static void move (WORLD *world, ldy_parallel *parallel, const int *owners, const int *places)
{
  size_t size = (size_t) (world->bodies + world->constraints), count = 0, others = 0;
  int64_t *bodies = malloc (size * sizeof *bodies), *constraints = malloc (size * sizeof *constraints);
  int i;

  for (i = 0; i < world->bodies; i ++) {
    if (world->owners[i] == rank) bodies[count ++] = i;
    world->owners[i] = owners[i];
  }
  for (i = 0; i < world->constraints; i ++) {
    if (world->places[i] == rank) constraints[others ++] = i;
    world->places[i] = places[i];
  }
  {
    int32_t *body_ranks = malloc (size * sizeof *body_ranks), *ranks_of = malloc (size * sizeof *ranks_of);

    for (i = 0; i < (int) count; i ++) {
      body_ranks[i] = owners[bodies[i]];
      bodies[i] = world->body_ids[bodies[i]];
    }
    for (i = 0; i < (int) others; i ++) {
      ranks_of[i] = places[constraints[i]];
      constraints[i] = world->ids[constraints[i]];
    }
    CHECK_INT (ldy_parallel_migrate (parallel, bodies, body_ranks, count, constraints, ranks_of, others), 0);
    free (body_ranks);
    free (ranks_of);
  }
  free (bodies);
  free (constraints);
}

static void check_forces (WORLD *world, ldy_parallel *parallel)
{
  ldy_contact_solver_options options = LDY_CONTACT_SOLVER_OPTIONS_INIT;
  ldy_contact_solver_report report = LDY_CONTACT_SOLVER_REPORT_INIT;
  ldy_parallel *self = world_alone (world);
  double *R, *expected;

  options.max_sweeps = 20;
  CHECK_INT (ldy_parallel_update (parallel, 0.25), 0);
  CHECK_INT (ldy_parallel_update (self, 0.25), 0);
  R = world_forces (world, parallel, MPI_COMM_WORLD, &options, LDY_PARALLEL_SAME_BITS, &report, NULL);
  expected = world_forces (world, self, MPI_COMM_SELF, &options, LDY_PARALLEL_SAME_BITS, &report, NULL);
  CHECK_SAME_BITS (R, expected, 6 * (size_t) world->constraints * sizeof *R);
  free (R);
  free (expected);
  ldy_parallel_destroy (self);
}

static void run (uint64_t seed, int bodies)
{
  RANDOM random = { seed };
  int are_contacts = random_below (&random, 2), kind = are_contacts ? random_below (&random, 3) : 1 + random_below (&random, 2);
  WORLD *world = world_create (seed, bodies, 1 + random_below (&random, 2 * bodies), are_contacts);
  ldy_system *serial = world_serial (world);
  int *owners[3], *places[3], i;
  ldy_parallel *parallel;

  for (i = 0; i < 3; i ++) {
    owners[i] = calloc ((size_t) world->bodies, sizeof (int));
    places[i] = calloc ((size_t) world->constraints, sizeof (int));
  }
  for (i = 0; i < 2; i ++) {
    check_context ("rank %d of %d, world %d, kind %d, partition %d", rank, ranks, (int) seed, kind, i);
    world_partition (world, seed + (uint64_t) i, ranks);
    parallel = world_parallel (world, MPI_COMM_WORLD);
    partition (world, serial, parallel, kind, owners[i], places[i]);
    check_partition (world, serial, kind, owners[i], places[i]);
    CHECK (memcmp (owners[0], owners[i], (size_t) world->bodies * sizeof (int)) == 0);
    CHECK (memcmp (places[0], places[i], (size_t) world->constraints * sizeof (int)) == 0);
    move (world, parallel, owners[i], places[i]);
    if (bodies < 30) check_forces (world, parallel);
    partition (world, serial, parallel, kind, owners[2], places[2]);
    CHECK (memcmp (owners[0], owners[2], (size_t) world->bodies * sizeof (int)) == 0);
    ldy_parallel_destroy (parallel);
  }
  for (i = 0; i < 3; i ++) {
    free (owners[i]);
    free (places[i]);
  }
  ldy_system_destroy (serial);
  world_free (world);
}

static void small (uint64_t seed)
{
  run (seed, 2 + (int) (seed * 7 % 23));
}

static void large (void)
{
  run (1000, 400);
}

int main (int argc, char **argv)
{
  return world_tests (argc, argv, "parallel_partition", 60, small, large);
}
