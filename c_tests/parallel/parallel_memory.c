/* parallel_memory STRIDE: the n-th allocation of one process fails in each collective call, for n = 1, 1 + STRIDE and so on until the call
 * makes no such allocation. All processes return the same error, which names the rank. Afterwards the same call gives what it gives
 * without the fault. Linked with the linker's --wrap for malloc and its kin, which sees the library's calls and not MPI's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/summary.h"
#include "support/check.h"
#include "support/failing_allocator.h"
#include "world.h"

#define MOST 4096

static WORLD *world;
static ldy_parallel *parallel;
static ldy_system *local;
static double x[MOST], result[MOST];
static size_t count;
static const char *path;

/* A call of a collective function writes what it gives to `result`. */
typedef int CALL (void);

static int solve (int mode)
{
  ldy_contact_solver_options options = LDY_CONTACT_SOLVER_OPTIONS_INIT;

  options.max_sweeps = 3;
  options.tolerance = 1e-12;
  return ldy_parallel_solve (parallel, &options, mode, result, count, NULL);
}

static int solve_alike (void) { return solve (LDY_PARALLEL_SAME_BITS); }
static int solve_fast (void) { return solve (LDY_PARALLEL_FAST); }
static int refresh (void) { return ldy_parallel_refresh (parallel); }
static int multiply (void) { return ldy_parallel_multiply (parallel, x, result, count, 0); }
static int multiply_through (void) { return ldy_parallel_multiply (parallel, x, result, count, 1); }
static int dot (void) { return ldy_parallel_dot (parallel, x, x, count, result); }

static int update (void)
{
  ldy_rows rows = LDY_ROWS_INIT;
  int code = ldy_parallel_update (parallel, 0.25);

  failing.armed = 0;
  if (code) return code;
  CHECK_INT (ldy_system_results (local, &rows), 0);
  if (CHECK (rows.scalars <= MOST)) memcpy (result, rows.B, rows.scalars * sizeof *result);
  return 0;
}

static int apply (void)
{
  int code = ldy_parallel_apply_reactions (parallel, x, count), i;

  failing.armed = 0;
  for (i = 0; !code && i < world->bodies; i ++) {
    if (world->owners[i] == rank) CHECK_INT (ldy_system_velocity (local, world->body_ids[i], LDY_VELOCITY_FREE, result + WORLD_DOFS * i, (size_t) world->dofs[i]), 0);
  }
  return code;
}

/* All own bodies and constraints; returns how many they are. */
static size_t own (int64_t *ids, const int64_t *all, const int *places, int most)
{
  size_t found = 0;
  int i;

  for (i = 0; i < most; i ++) {
    if (places[i] == rank) ids[found ++] = all[i];
  }
  return found;
}

static int partition (void)
{
  int64_t bodies[MOST], constraints[MOST];
  double points[3 * MOST];
  int32_t to[MOST], constraints_to[MOST];
  size_t i, n = own (bodies, world->body_ids, world->owners, world->bodies), m = own (constraints, world->ids, world->places, world->constraints);
  int code;

  for (i = 0; i < 3 * n; i ++) points[i] = (double) (bodies[i / 3] * 7 % 11) + (double) (i % 3);
  code = ldy_parallel_partition (parallel, bodies, points, NULL, to, n, constraints, constraints_to, m);
  for (i = 0; !code && i < n + m; i ++) result[i] = i < n ? to[i] : constraints_to[i - n];
  return code;
}

static int migrate (void)
{
  int64_t bodies[MOST], constraints[MOST];
  int32_t to[MOST], constraints_to[MOST];
  size_t i, n = own (bodies, world->body_ids, world->owners, world->bodies), m = own (constraints, world->ids, world->places, world->constraints);

  for (i = 0; i < n; i ++) to[i] = (int32_t) (bodies[i] % ranks);
  for (i = 0; i < m; i ++) constraints_to[i] = (int32_t) (constraints[i] % ranks);
  return ldy_parallel_migrate (parallel, bodies, to, n, constraints, constraints_to, m);
}

static int add_ghosts (void)
{
  int64_t bodies[MOST];
  int32_t owners[MOST];
  double velocity[WORLD_DOFS];
  size_t n = 0;
  int i;

  for (i = 0; i < world->bodies; i ++) {
    if (ldy_system_velocity (local, world->body_ids[i], LDY_VELOCITY_FREE, velocity, (size_t) world->dofs[i]) == 0) continue;
    bodies[n] = world->body_ids[i];
    owners[n ++] = world->owners[i];
  }
  return ldy_parallel_add_ghosts (parallel, bodies, owners, n);
}

static int rows_write (void) { return ldy_parallel_rows_write (parallel, path, LDY_FILE_FORMAT_NPZ); }
static int pieces_write (void) { return ldy_parallel_rows_write (parallel, path, LDY_FILE_FORMAT_MATRIX_MARKET + LDY_PARALLEL_PIECES); }

static void begin (int is_updated)
{
  size_t i;

  parallel = world_parallel (world, MPI_COMM_WORLD);
  CHECK_INT (ldy_parallel_system (parallel, &local), 0);
  if (is_updated) CHECK_INT (ldy_parallel_update (parallel, 0.25), 0);
  count = is_updated ? ldy_parallel_scalar_count (parallel) : 0;
  for (i = 0; i < count; i ++) x[i] = (double) (i % 5) - 2;
  memset (result, 0, sizeof result);
}

/* All processes have the code, and the text of the process without memory. */
static void all_without_memory (int code, int victim)
{
  char first[LDY_REPORT_TEXT] = "", name[32];

  snprintf (name, sizeof name, "rank %d", victim);
  CHECK_INT (code, LDY_ERROR_OUT_OF_MEMORY);
  CHECK_TEXT (ldy_last_error (), name);
  if (rank == victim) strncpy (first, ldy_last_error (), sizeof first - 1);
  MPI_Bcast (first, sizeof first, MPI_CHAR, victim, MPI_COMM_WORLD);
  CHECK (strcmp (first, ldy_last_error ()) == 0);
}

static const struct {
  const char *name;
  CALL *call;
  int is_updated; /* before the call */
  int is_final;   /* after an error nothing may be called any more */
} CALLS[] = {
  { "add_ghosts", add_ghosts, 0, 0 }, { "refresh", refresh, 0, 0 }, { "first update", update, 0, 0 }, { "next update", update, 1, 0 },
  { "multiply", multiply, 1, 0 }, { "multiply through bodies", multiply_through, 1, 0 }, { "dot", dot, 1, 0 }, { "solve alike", solve_alike, 1, 0 },
  { "solve fast", solve_fast, 1, 0 }, { "apply_reactions", apply, 1, 0 }, { "partition", partition, 1, 0 }, { "migrate", migrate, 1, 1 },
  { "rows_write", rows_write, 1, 0 }, { "rows_write in pieces", pieces_write, 1, 0 },
};

/* Whether the call made an allocation that failed. */
static int starve (int which, int until, int victim, const double *expected)
{
  double before[MOST];
  int code, failed;

  check_context ("rank %d of %d, %s, allocation %d of rank %d", rank, ranks, CALLS[which].name, until, victim);
  begin (CALLS[which].is_updated);
  memcpy (before, result, sizeof before);
  failing.persistent = until % 2;
  failing_arm (until);
  failing.armed = rank == victim;
  code = CALLS[which].call ();
  failing.armed = 0;
  failed = failing.failed;
  MPI_Bcast (&failed, 1, MPI_INT, victim, MPI_COMM_WORLD);
  if (code || CALLS[which].is_final) {
    if (failed && code) all_without_memory (code, victim);
    if (!failed) CHECK_INT (code, 0);
    CHECK_SAME_BITS (result, before, sizeof before);
    if (!CALLS[which].is_final && !CHECK_INT (CALLS[which].call (), 0)) CHECK_TEXT (ldy_last_error (), "no error");
  }
  if (!CALLS[which].is_final) CHECK_SAME_BITS (result, expected, sizeof result);
  ldy_parallel_destroy (parallel);
  return failed;
}

static void run (int which, int stride)
{
  static double expected[MOST];
  int until, victim = which % ranks;

  begin (CALLS[which].is_updated);
  CHECK_INT (CALLS[which].call (), 0);
  memcpy (expected, result, sizeof expected);
  ldy_parallel_destroy (parallel);
  for (until = 1; starve (which, until, victim, expected); until += stride) {}
  if (rank == 0 && stride == 1) printf ("%s: %d allocations\n", CALLS[which].name, until - 1);
}

int main (int argc, char **argv)
{
  int code, stride = argc > 1 ? atoi (argv[1]) : 1;
  size_t which;

  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &ranks);
  path = argc > 2 ? argv[2] : "parallel_memory.npz";
  world = world_create (5, 12, 24, 0);
  world_partition (world, 2, ranks);
  for (which = 0; which < sizeof CALLS / sizeof *CALLS; which ++) run ((int) which, stride);
  world_free (world);
  code = summary_of_ranks ("parallel_memory");
  MPI_Finalize ();
  return code;
}
