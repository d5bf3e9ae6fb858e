/* Faults of systems across processes: an error of one process is the same error of all, calls that differ are found, refused calls change
 * nothing, and no order of arrival matters. */
#define _POSIX_C_SOURCE 200112L /* nanosleep */

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <mpi.h>

#include "mpi/summary.h"
#include "support/check.h"
#include "world.h"

static RANDOM delays;

/* Processes arrive in any order. */
static void delay (void)
{
  struct timespec moment = { 0, 1000L * random_below (&delays, 2000) };

  nanosleep (&moment, NULL);
}

/* All processes have this code and the same text, which has a part and names a rank. */
static void all_have (int code, int want, int named, const char *part)
{
  char first[LDY_REPORT_TEXT] = "", name[32];

  CHECK_INT (code, want);
  CHECK_TEXT (ldy_last_error (), part);
  snprintf (name, sizeof name, "rank %d", named);
  if (named >= 0) CHECK_TEXT (ldy_last_error (), name);
  if (rank == 0) strncpy (first, ldy_last_error (), sizeof first - 1);
  MPI_Bcast (first, sizeof first, MPI_CHAR, 0, MPI_COMM_WORLD);
  CHECK (strcmp (first, ldy_last_error ()) == 0);
}

static void refuse_ghosts (const WORLD *world, ldy_parallel *parallel)
{
  int64_t missing = 1000000, own = world->body_ids[0], twice[2];
  int32_t owner = (rank + 1) % ranks, owners[2];
  int last = rank == ranks - 1;

  delay ();
  all_have (ldy_parallel_add_ghosts (parallel, &missing, &owner, last), LDY_ERROR_NOT_FOUND, 0, "1000000");
  owner = ranks;
  all_have (ldy_parallel_add_ghosts (parallel, &missing, &owner, last), LDY_ERROR_INVALID_ARGUMENT, ranks - 1, "no process");
  owner = rank;
  all_have (ldy_parallel_add_ghosts (parallel, &missing, &owner, last), LDY_ERROR_INVALID_ARGUMENT, ranks - 1, "this process");
  owner = (rank + 1) % ranks;
  all_have (ldy_parallel_add_ghosts (parallel, &own, &owner, world->owners[0] == rank), LDY_ERROR_INVALID_ARGUMENT, world->owners[0], "already");
  twice[0] = twice[1] = missing;
  owners[0] = owners[1] = owner;
  all_have (ldy_parallel_add_ghosts (parallel, twice, owners, last ? 2 : 0), LDY_ERROR_INVALID_ARGUMENT, ranks - 1, "twice");
  all_have (ldy_parallel_add_ghosts (parallel, last ? NULL : &missing, &owner, last), LDY_ERROR_INVALID_ARGUMENT, ranks - 1, "bodies is NULL");
  missing = -3;
  all_have (ldy_parallel_add_ghosts (parallel, &missing, &owner, last), LDY_ERROR_NOT_FOUND, ranks - 1, "body -3");
}

static void refuse_calls (ldy_parallel *parallel)
{
  size_t count = ldy_parallel_scalar_count (parallel);
  double x[4096] = { 0 }, y[4096], sum;
  int last = rank == ranks - 1;
  int64_t body = 999999;
  int32_t to = 0;

  if (!CHECK (count <= 4096)) return;
  delay ();
  if (last) all_have (ldy_parallel_update (parallel, 0.25), LDY_ERROR_INVALID_ARGUMENT, -1, "ldy_parallel_update");
  else all_have (ldy_parallel_multiply (parallel, x, y, count, 0), LDY_ERROR_INVALID_ARGUMENT, -1, "ldy_parallel_multiply");
  delay ();
  if (rank) all_have (ldy_parallel_dot (parallel, x, x, count, &sum), LDY_ERROR_INVALID_ARGUMENT, 0, "ldy_parallel_dot");
  else all_have (ldy_parallel_refresh (parallel), LDY_ERROR_INVALID_ARGUMENT, 1, "ldy_parallel_refresh");
  all_have (ldy_parallel_update (parallel, last ? 0.5 : 0.25), LDY_ERROR_INVALID_ARGUMENT, -1, "differ");
  all_have (ldy_parallel_update (parallel, last ? 0 : 0.25), LDY_ERROR_INVALID_ARGUMENT, ranks - 1, "the step h");
  delay ();
  all_have (ldy_parallel_multiply (parallel, x, y, count + (size_t) last, 0), LDY_ERROR_INVALID_ARGUMENT, ranks - 1, "vector");
  all_have (ldy_parallel_multiply (parallel, last ? NULL : x, y, count, 0), LDY_ERROR_INVALID_ARGUMENT, ranks - 1, "x is NULL");
  all_have (ldy_parallel_multiply (parallel, x, y, count, last), LDY_ERROR_INVALID_ARGUMENT, -1, "differ");
  all_have (ldy_parallel_multiply (parallel, x, y, count, last ? 2 : 0), LDY_ERROR_INVALID_ARGUMENT, ranks - 1, "flags");
  all_have (ldy_parallel_dot (parallel, x, last ? NULL : x, count, &sum), LDY_ERROR_INVALID_ARGUMENT, ranks - 1, "y is NULL");
  all_have (ldy_parallel_migrate (parallel, &body, &to, last, NULL, NULL, 0), LDY_ERROR_NOT_FOUND, ranks - 1, "999999");
  CHECK_INT (ldy_parallel_multiply (parallel, x, y, count, 0), 0);
}

/* The collective functions, called so that each succeeds alone. */
static int call (int function, ldy_parallel *parallel)
{
  static double x[4096], y[4096];
  ldy_contact_solver_options options = LDY_CONTACT_SOLVER_OPTIONS_INIT;
  size_t count = ldy_parallel_scalar_count (parallel);
  double sum;

  switch (function) {
  case 0: return ldy_parallel_add_ghosts (parallel, NULL, NULL, 0);
  case 1: return ldy_parallel_refresh (parallel);
  case 2: return ldy_parallel_update (parallel, 0.25);
  case 3: return ldy_parallel_multiply (parallel, x, y, count, 0);
  case 4: return ldy_parallel_dot (parallel, x, y, count, &sum);
  case 5: options.max_sweeps = 1; return ldy_parallel_solve (parallel, &options, LDY_PARALLEL_SAME_BITS, y, count, NULL);
  case 6: return ldy_parallel_apply_reactions (parallel, x, count);
  case 7: return ldy_parallel_migrate (parallel, NULL, NULL, 0, NULL, NULL, 0);
  case 8: return ldy_parallel_partition (parallel, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0);
  default: return ldy_parallel_rows_write (parallel, "/dev/null/none", LDY_FILE_FORMAT_MATRIX_MARKET);
  }
}

static const char *const FUNCTIONS[] = { "ldy_parallel_add_ghosts", "ldy_parallel_refresh", "ldy_parallel_update", "ldy_parallel_multiply", "ldy_parallel_dot",
  "ldy_parallel_solve", "ldy_parallel_apply_reactions", "ldy_parallel_migrate", "ldy_parallel_partition", "ldy_parallel_rows_write" };
#define FUNCTION_COUNT ((int) (sizeof FUNCTIONS / sizeof *FUNCTIONS))

/* Each two collective functions at the same time: both names are in the error, and the next call succeeds. */
static void refuse_pairs (ldy_parallel *parallel)
{
  int one, other;

  for (one = 0; one < FUNCTION_COUNT; one ++) {
    for (other = 0; other < FUNCTION_COUNT; other ++) {
      if (one == other) continue;
      all_have (call (rank == one % ranks ? one : other, parallel), LDY_ERROR_INVALID_ARGUMENT, one % ranks, FUNCTIONS[one]);
      CHECK_TEXT (ldy_last_error (), FUNCTIONS[other]);
    }
    CHECK_INT (call (3, parallel), 0);
  }
}

static void refuse_partitions (const WORLD *world, ldy_parallel *parallel)
{
  int last = rank == ranks - 1, other = world->owners[0] != rank, i;
  int64_t body[2] = { world->body_ids[0], world->body_ids[0] }, constraint = 999999;
  int32_t weights[2] = { 1, 1 }, to[2];
  double points[6] = { 0 };

  all_have (ldy_parallel_partition (parallel, body, points, weights, to, (size_t) last, NULL, NULL, 0), LDY_ERROR_NOT_FOUND, ranks - 1, "does not belong");
  all_have (ldy_parallel_partition (parallel, NULL, NULL, NULL, NULL, 0, &constraint, to, (size_t) last), LDY_ERROR_NOT_FOUND, ranks - 1, "999999");
  all_have (ldy_parallel_partition (parallel, body, points, weights, last ? NULL : to, (size_t) last, NULL, NULL, 0), LDY_ERROR_INVALID_ARGUMENT, ranks - 1, "body_ranks is NULL");
  all_have (ldy_parallel_partition (parallel, body, points, weights, to, other ? 0 : 2, NULL, NULL, 0), LDY_ERROR_INVALID_ARGUMENT, world->owners[0], "twice");
  points[1] = INFINITY;
  all_have (ldy_parallel_partition (parallel, body, points, weights, to, !other, NULL, NULL, 0), LDY_ERROR_INVALID_ARGUMENT, world->owners[0], "not finite");
  points[1] = 0;
  weights[0] = -1;
  all_have (ldy_parallel_partition (parallel, body, points, weights, to, !other, NULL, NULL, 0), LDY_ERROR_INVALID_ARGUMENT, world->owners[0], "negative");
  weights[0] = INT32_MAX;
  CHECK_INT (ldy_parallel_partition (parallel, body, points, weights, to, !other, NULL, NULL, 0), 0);
  /* All other parts are empty. */
  for (i = 0; i < !other; i ++) CHECK (to[i] >= 0 && to[i] < ranks);
}

static void refuse_solutions (ldy_parallel *parallel)
{
  size_t count = ldy_parallel_scalar_count (parallel);
  ldy_contact_solver_options options = LDY_CONTACT_SOLVER_OPTIONS_INIT;
  double R[4096] = { 0 };
  int last = rank == ranks - 1;
  ldy_system *system;
  ldy_rows rows = LDY_ROWS_INIT;
  ldy_law none, kept;
  int32_t own[4096];
  int64_t id = -1;

  options.max_sweeps = 100 + last;
  all_have (ldy_parallel_solve (parallel, &options, LDY_PARALLEL_SAME_BITS, R, count, NULL), LDY_ERROR_INVALID_ARGUMENT, -1, "differ");
  options.max_sweeps = 100;
  all_have (ldy_parallel_solve (parallel, &options, last, R, count, NULL), LDY_ERROR_INVALID_ARGUMENT, -1, "differ");
  all_have (ldy_parallel_solve (parallel, &options, 2 * last, R, count, NULL), LDY_ERROR_INVALID_ARGUMENT, ranks - 1, "mode");
  all_have (ldy_parallel_solve (parallel, &options, 0, R, count - (size_t) last, NULL), LDY_ERROR_INVALID_ARGUMENT, ranks - 1, "vector");
  options.canonical = last;
  all_have (ldy_parallel_solve (parallel, &options, 0, R, count, NULL), LDY_ERROR_NOT_IMPLEMENTED, ranks - 1, "canonical");
  options.canonical = 0;
  options.method = last ? LDY_METHOD_NEWTON : 0;
  all_have (ldy_parallel_solve (parallel, &options, 0, R, count, NULL), LDY_ERROR_NOT_IMPLEMENTED, ranks - 1, "Newton");
  options.method = 0;
  if (last) R[0] = NAN;
  all_have (ldy_parallel_solve (parallel, &options, 0, R, count, NULL), LDY_ERROR_INVALID_ARGUMENT, ranks - 1, "not finite");
  R[0] = 0;
  CHECK_INT (ldy_parallel_system (parallel, &system), 0);
  CHECK_INT (ldy_system_results (system, &rows), 0);
  CHECK_INT (ldy_parallel_rows (parallel, own, ldy_parallel_constraint_count (parallel)), 0);
  if (last) {
    id = rows.constraints[own[0]];
    memset (&none, 0, sizeof none);
    CHECK_INT (ldy_system_law (system, id, &kept), 0);
    CHECK_INT (ldy_system_set_law (system, id, &none), 0);
  }
  all_have (ldy_parallel_solve (parallel, &options, 0, R, count, NULL), LDY_ERROR_INVALID_ARGUMENT, ranks - 1, "no law");
  if (last) CHECK_INT (ldy_system_set_law (system, id, &kept), 0);
  delay ();
  CHECK_INT (ldy_parallel_solve (parallel, &options, 0, R, count, NULL), 0);
}

/* A matrix that is not positive definite, and numbers that are too large, on one process. */
static void fail_in_update (const WORLD *world, ldy_parallel *parallel)
{
  ldy_system *system;
  double huge[WORLD_DOFS], before[WORLD_DOFS];
  int i, body, last = ranks - 1;
  size_t count = ldy_parallel_scalar_count (parallel);
  double x[4096] = { 0 }, y[4096];

  CHECK_INT (ldy_parallel_system (parallel, &system), 0);
  for (i = 0; i < WORLD_DOFS; i ++) huge[i] = 1e308;
  for (i = 0; i < world->constraints && world->places[i] != last; i ++) {}
  if (!CHECK (i < world->constraints)) return;
  body = world->ends[3 * i] >= 0 ? world->ends[3 * i] : world->ends[3 * i + 1];
  if (world->owners[body] == rank) {
    CHECK_INT (ldy_system_velocity (system, world->body_ids[body], LDY_VELOCITY_FREE, before, (size_t) world->dofs[body]), 0);
    CHECK_INT (ldy_system_set_velocity (system, world->body_ids[body], LDY_VELOCITY_FREE, huge, (size_t) world->dofs[body]), 0);
  }
  delay ();
  all_have (ldy_parallel_update (parallel, 0.25), LDY_ERROR_INVALID_ARGUMENT, -1, "not finite");
  all_have (ldy_parallel_multiply (parallel, x, y, count, 0), LDY_ERROR_STALE_RESULTS, -1, "no successful update");
  if (world->owners[body] == rank) CHECK_INT (ldy_system_set_velocity (system, world->body_ids[body], LDY_VELOCITY_FREE, before, (size_t) world->dofs[body]), 0);
  CHECK_INT (ldy_parallel_update (parallel, 0.25), 0);
}

/* The owner removes a body of which there is a ghost; a constraint has the id of another one. */
static void fail_in_structure (void)
{
  static const double axes[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, zero[3] = { 0 };
  ldy_parallel *parallel;
  ldy_system *system;
  int64_t id, bodies[2] = { 5, 6 }, ground = LDY_GROUND;
  ldy_parallel *other;

  CHECK_INT (ldy_parallel_create (MPI_Comm_c2f (MPI_COMM_WORLD), &parallel), 0);
  CHECK_INT (ldy_parallel_system (parallel, &system), 0);
  if (rank == 0) {
    CHECK_INT (ldy_parallel_set_next_ids (parallel, 5, 0), 0);
    CHECK_INT (ldy_system_add_rigid (system, 1, axes, axes, zero, &id), 0);
    CHECK_INT (ldy_system_add_rigid (system, 1, axes, axes, zero, &id), 0);
    CHECK_INT (id, 6);
  }
  CHECK_INT (ldy_parallel_add_ghosts (parallel, bodies, (int32_t[2]) { 0, 0 }, rank == 1 ? 2 : 0), 0);
  all_have (ldy_parallel_partition (parallel, bodies, NULL, NULL, (int32_t[1]) { 0 }, rank == 0, NULL, NULL, 0), LDY_ERROR_INVALID_ARGUMENT, 0, "position is not known");
  id = 40;
  if (rank < 2) CHECK_INT (ldy_parallel_add_point_constraints (parallel, &id, 8, bodies, &ground, 8, axes, 72, zero, zero, 24, 1), 0);
  all_have (ldy_parallel_update (parallel, 1), LDY_ERROR_INVALID_ARGUMENT, -1, "constraint 40");
  if (rank == 1) CHECK_INT (ldy_system_remove_constraint (system, 40), 0);
  CHECK_INT (ldy_parallel_update (parallel, 1), 0);
  if (rank == 0) CHECK_INT (ldy_parallel_remove_bodies (parallel, bodies + 1, 1), 0);
  all_have (ldy_parallel_update (parallel, 1), LDY_ERROR_NOT_FOUND, 0, "body 6");
  if (rank == 1) CHECK_INT (ldy_parallel_remove_bodies (parallel, bodies + 1, 1), 0);
  CHECK_INT (ldy_parallel_update (parallel, 1), 0);
  if (rank == 0) {
    CHECK_INT (ldy_parallel_remove_bodies (parallel, bodies, 1), LDY_ERROR_INVALID_ARGUMENT);
    CHECK_INT (ldy_parallel_constraint_count (parallel), 1);
  }
  CHECK_INT (ldy_parallel_create (MPI_Comm_c2f (MPI_COMM_NULL), &other), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_INT (ldy_parallel_create (MPI_Comm_c2f (MPI_COMM_WORLD), NULL), LDY_ERROR_INVALID_ARGUMENT);
  ldy_parallel_destroy (parallel);
  ldy_parallel_destroy (NULL);
}

int main (int argc, char **argv)
{
  WORLD *world;
  ldy_parallel *parallel;
  int code, i;

  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &ranks);
  delays.state = (uint64_t) (rank + 1);
  check_context ("rank %d of %d", rank, ranks);
  world = world_create (11, 40, 80, 1);
  world_partition (world, 2, ranks);
  for (i = 0; i < world->bodies; i ++) world->owners[i] = i % ranks;
  for (i = 0; i < world->constraints; i ++) world->places[i] = i % ranks;
  parallel = world_parallel (world, MPI_COMM_WORLD);
  refuse_ghosts (world, parallel);
  delay ();
  CHECK_INT (ldy_parallel_update (parallel, 0.25), 0);
  refuse_calls (parallel);
  refuse_pairs (parallel);
  refuse_partitions (world, parallel);
  refuse_solutions (parallel);
  fail_in_update (world, parallel);
  ldy_parallel_destroy (parallel);
  world_free (world);
  fail_in_structure ();
  code = summary_of_ranks ("parallel_faults");
  MPI_Finalize ();
  return code;
}
