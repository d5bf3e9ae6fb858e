/* The forces of contacts and joints through ldy_system.h: outcomes by hand, ends, and what is refused. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "support/small_stack.h"
#include "system/face.h"

/* A ball of mass 2 on the floor under a ball of mass 1, both without rotation, pushed along x; bodies 0 and 1. */
static ldy_system *pile (double push)
{
  static const double inertia[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  double velocity[6] = { 0, 0, 0, push, 0, -1 };
  ldy_system *system = NULL;
  int64_t lower, upper, id;

  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_add_rigid (system, 2, inertia, unit, origin, &lower));
  GOOD (ldy_system_add_rigid (system, 1, inertia, unit, origin, &upper));
  GOOD (ldy_system_set_velocity (system, lower, LDY_VELOCITY_FREE, velocity, 6));
  GOOD (ldy_system_set_velocity (system, upper, LDY_VELOCITY_FREE, velocity, 6));
  GOOD (ldy_system_add_point_constraint (system, lower, LDY_GROUND, unit, origin, NULL, &id));
  GOOD (ldy_system_add_point_constraint (system, upper, lower, unit, origin, origin, &id));
  GOOD (ldy_system_update (system, 1));
  return system;
}

static ldy_law contact (double friction)
{
  ldy_law law = { .kind = LDY_LAW_CONTACT, .friction = friction };

  return law;
}

/* Both slide with the ball below slowed by 0.5 * 3 / 2 and the one above by 0.25 * 1, or stick. */
static void forces_by_hand (ldy_contact_solver *solver)
{
  ldy_contact_solver_options options = { .size = sizeof options, .tolerance = 1e-12 };
  ldy_contact_solver_report report = { .size = sizeof report };
  ldy_law laws[2] = { contact (0.5), contact (0.9) };
  ldy_system *system = pile (10);
  double R[6] = { 0 }, velocity[6];

  GOOD (ldy_contact_solver_solve (solver, system, laws, 2, &options, R, 6, &report));
  CHECK_INT (report.status, LDY_STATUS_CONVERGED);
  CHECK (report.residual <= 1e-12 && report.residual >= report.natural_residual && report.residual >= report.scaled_residual);
  CHECK (report.sweeps > 0 && report.seconds >= 0 && report.initial_residual > 0.01);
  CHECK (report.history_count > 0 && report.history[0] == report.initial_residual);
  CHECK_NEAR (R[2], 3, 1e-10); /* the weight of both */
  CHECK_NEAR (R[5], 1, 1e-10);
  CHECK_NEAR (R[0], -1.5, 1e-10); /* friction 0.5 */
  CHECK_NEAR (R[3], -0.5, 1e-10); /* both slow down by 0.5: the upper one sticks to the lower */
  GOOD (ldy_system_apply_reactions (system, R, 6));
  for (int body = 0; body < 2; body ++) {
    GOOD (ldy_system_velocity (system, body, LDY_VELOCITY_FREE, velocity, 6));
    CHECK_NEAR (velocity[3], 9.5, 1e-10);
    CHECK_NEAR (velocity[5], 0, 1e-10);
  }
  ldy_system_destroy (system);
}

/* As above, but the ground is smooth along x and rough along y, or without friction along x. */
static void orthotropic (ldy_contact_solver *solver)
{
  ldy_contact_solver_options options = { .size = sizeof options, .tolerance = 1e-12 };
  ldy_law laws[2] = { contact (0.2), contact (0.9) };
  ldy_system *system = pile (10);
  double R[6] = { 0 }, same[6] = { 0 };

  laws[0].kind = LDY_LAW_ORTHOTROPIC_CONTACT;
  laws[0].friction_2 = 0.9;
  GOOD (ldy_contact_solver_solve (solver, system, laws, 2, &options, R, 6, NULL));
  CHECK_NEAR (R[0], -0.6, 1e-10);
  CHECK_NEAR (R[1], 0, 1e-10);
  CHECK_NEAR (R[2], 3, 1e-10);
  CHECK_NEAR (R[3], -0.2, 1e-10);
  laws[0].friction = 0;
  GOOD (ldy_contact_solver_solve (solver, system, laws, 2, &options, R, 6, NULL));
  CHECK (R[0] == 0);
  CHECK_NEAR (R[3], 0, 1e-10);
  memcpy (same, R, sizeof R);
  laws[0].friction = laws[0].friction_2;
  GOOD (ldy_contact_solver_solve (solver, system, laws, 2, &options, R, 6, NULL));
  laws[0] = contact (0.9);
  laws[0].friction_2 = NAN; /* of another kind of law */
  GOOD (ldy_contact_solver_solve (solver, system, laws, 2, &options, same, 6, NULL));
  CHECK_SAME_BITS (R, same, sizeof R);
  laws[0].kind = LDY_LAW_ORTHOTROPIC_CONTACT;
  BAD (ldy_contact_solver_solve (solver, system, laws, 2, NULL, R, 6, NULL), "constraint 0 on body 0: its friction");
  CHECK_SAME_BITS (R, same, sizeof R);
  ldy_system_destroy (system);
}

static void joints_and_bounds (ldy_contact_solver *solver)
{
  ldy_law laws[2] = { { .kind = LDY_LAW_FIXED, .bias = { -3, 0, 0 } }, { .kind = LDY_LAW_BOUNDS } };
  ldy_system *system = pile (1);
  double R[6] = { 0 }, U[6];
  ldy_rows rows = { .size = sizeof rows };

  for (int i = 0; i < 3; i ++) laws[1].lower[i] = -0.25, laws[1].upper[i] = INFINITY;
  GOOD (ldy_contact_solver_solve (solver, system, laws, 2, NULL, R, 6, NULL));
  GOOD (ldy_system_results (system, &rows));
  GOOD (ldy_system_multiply (system, R, 0, U, 0, 6, 1, 0));
  for (int i = 0; i < 6; i ++) U[i] += rows.B[i];
  CHECK_NEAR (U[0], 3, 1e-7); /* prescribed */
  CHECK_NEAR (U[2], 0, 1e-7);
  CHECK_NEAR (R[5], 1, 1e-7);
  CHECK_NEAR (R[3], 2, 1e-7); /* the upper body is taken along: from 1 to 3 */
  CHECK_NEAR (U[3], 0, 1e-7);
  ldy_system_destroy (system);
}

/* The rows of the system given as arrays, and their components in another order. */
static void any_rows (ldy_contact_solver *solver)
{
  static const int normal_first[3] = { 2, 0, 1 };
  ldy_contact_solver_options options = { .size = sizeof options, .tolerance = 1e-13, .normal_first = 1 };
  ldy_law laws[2] = { contact (0.5), contact (0.2) };
  ldy_rows rows = { .size = sizeof rows };
  ldy_system *system = pile (10);
  double R[6] = { 0 }, same[6] = { 0 }, turned[6] = { 0 }, W[36], B[6];

  GOOD (ldy_system_results (system, &rows));
  GOOD (ldy_contact_solver_solve (solver, system, laws, 2, NULL, R, 6, NULL));
  GOOD (ldy_contact_solver_solve_rows (solver, &rows, laws, 2, NULL, same, 6, NULL));
  CHECK_SAME_BITS (R, same, sizeof R);
  CHECK_INT (rows.blocks, 4);
  for (int k = 0; k < 4; k ++) {
    for (int i = 0; i < 9; i ++) W[9 * k + i] = rows.values[9 * k + 3 * normal_first[i / 3] + normal_first[i % 3]];
  }
  for (int i = 0; i < 6; i ++) B[i] = rows.B[i / 3 * 3 + normal_first[i % 3]];
  rows.values = W, rows.B = B;
  GOOD (ldy_contact_solver_solve_rows (solver, &rows, laws, 2, &options, turned, 6, NULL));
  for (int i = 0; i < 6; i ++) CHECK_NEAR (turned[i], R[i / 3 * 3 + normal_first[i % 3]], 1e-7);
  ldy_system_destroy (system);
}

/* The values that a watcher has seen, and the number of calls after which it stops. */
struct seen { int calls; double residual; int last; };

static int watch (double residual, int sweeps, int steps, void *data)
{
  struct seen *seen = data;

  CHECK (residual <= seen->residual && sweeps >= 0 && steps >= 0);
  seen->residual = residual;
  return ++ seen->calls == seen->last;
}

static void ends (ldy_contact_solver *solver)
{
  ldy_contact_solver_options options = { .size = sizeof options, .tolerance = 1e-15, .max_sweeps = 1, .method = LDY_METHOD_GAUSS_SEIDEL };
  ldy_contact_solver_report report = { .size = sizeof report };
  ldy_law laws[2] = { contact (0.5), contact (0.9) };
  ldy_system *system = pile (10);
  double R[6] = { 0 };

  GOOD (ldy_contact_solver_solve (solver, system, laws, 2, &options, R, 6, &report));
  CHECK (report.status == LDY_STATUS_SWEEP_LIMIT && report.sweeps == 1 && report.steps == 0);
  memset (R, 0, sizeof R);
  options.max_sweeps = 0;
  options.time_limit = 1e-9;
  GOOD (ldy_contact_solver_solve (solver, system, laws, 2, &options, R, 6, &report));
  CHECK_INT (report.status, LDY_STATUS_TIME_LIMIT);
  /* An infinite time and one beyond all clocks are no limit. */
  double no_limits[] = { INFINITY, 1e300, 1e18 };
  for (int k = 0; k < 3; k ++) {
    options.time_limit = no_limits[k];
    memset (R, 0, sizeof R);
    GOOD (ldy_contact_solver_solve (solver, system, laws, 2, &options, R, 6, &report));
    CHECK (report.status != LDY_STATUS_TIME_LIMIT && report.sweeps > 0);
  }
  options.time_limit = 0;
  options.tolerance = 1e-30;
  options.method = LDY_METHOD_NEWTON;
  GOOD (ldy_contact_solver_solve (solver, system, laws, 2, &options, R, 6, &report));
  CHECK (report.steps > 0 && (report.status == LDY_STATUS_STALLED || report.residual <= 1e-30));

  struct seen seen = { 0, 1e300, 3 };
  memset (R, 0, sizeof R);
  options.method = LDY_METHOD_GAUSS_SEIDEL;
  options.progress = watch, options.data = &seen;
  GOOD (ldy_contact_solver_solve (solver, system, laws, 2, &options, R, 6, &report));
  CHECK_INT (report.status, LDY_STATUS_STOPPED);
  CHECK_INT (seen.calls, 3);
  CHECK (seen.residual == report.residual);
  /* If it does not stop, it is called each time the residual is computed. */
  seen = (struct seen) { 0, 1e300, -1 };
  options.tolerance = 0;
  GOOD (ldy_contact_solver_solve (solver, system, laws, 2, &options, R, 6, &report));
  CHECK_INT (report.status, LDY_STATUS_CONVERGED);
  CHECK_INT (seen.calls, (int) report.history_count);
  ldy_system_destroy (system);
}

/* Work is counted: a limit holds but for one sweep, and ends a solution in the same place each time. Callers that do not know the
   field have no limit and get no work. */
static void work (ldy_contact_solver *solver)
{
  ldy_contact_solver_options options = { .size = sizeof options, .tolerance = 1e-300, .max_sweeps = 40 }, preset = { .size = sizeof preset };
  ldy_contact_solver_report all = { .size = sizeof all }, part = all, again = all, old = { .size = offsetof (ldy_contact_solver_report, work), .work = 7 };
  ldy_law laws[2] = { contact (0.5), contact (0.9) };
  ldy_system *system = pile (10);
  double R[6] = { 0 }, same[6] = { 0 };

  options.method = LDY_METHOD_GAUSS_SEIDEL;
  options.max_sweeps = 1;
  GOOD (ldy_contact_solver_solve (solver, system, laws, 2, &options, R, 6, &all));
  CHECK (all.status == LDY_STATUS_SWEEP_LIMIT && all.work > 0);
  options.max_sweeps = 0;
  options.max_work = 3 * all.work / 2;
  for (int i = 0; i < 6; i ++) R[i] = 0;
  GOOD (ldy_contact_solver_solve (solver, system, laws, 2, &options, R, 6, &part));
  CHECK_INT (part.status, LDY_STATUS_WORK_LIMIT);
  CHECK (part.work >= options.max_work && part.work <= options.max_work + all.work);
  GOOD (ldy_contact_solver_solve (solver, system, laws, 2, &options, same, 6, &again));
  CHECK (again.work == part.work && again.sweeps == part.sweeps && again.residual == part.residual);
  CHECK_SAME_BITS (R, same, sizeof R);
  options.size = offsetof (ldy_contact_solver_options, max_work);
  options.max_sweeps = 1;
  memset (same, 0, sizeof same);
  GOOD (ldy_contact_solver_solve (solver, system, laws, 2, &options, same, 6, &old));
  CHECK (old.status == LDY_STATUS_SWEEP_LIMIT && old.work == 7);

  preset.time_limit = 5, preset.max_work = 9, preset.measure = 77;
  GOOD (ldy_contact_solver_options_real_time (&preset));
  CHECK (preset.method == LDY_METHOD_GAUSS_SEIDEL && preset.max_sweeps == 100 && preset.tolerance == 1e-3 && preset.size == sizeof preset);
  CHECK (preset.time_limit == 0 && preset.max_work == 0 && preset.measure == LDY_MEASURE_BOTH && !preset.progress);
  GOOD (ldy_contact_solver_solve (solver, system, laws, 2, &preset, same, 6, &part));
  CHECK (part.status == LDY_STATUS_CONVERGED && part.steps == 0 && part.sweeps <= 100);
  BAD (ldy_contact_solver_options_real_time (NULL), "options is NULL");
  preset.size = 3;
  BAD (ldy_contact_solver_options_real_time (&preset), "options->size is 3");
  ldy_system_destroy (system);
}

/* R stays as it was, and the text names the constraint. */
static void refusals (ldy_contact_solver *solver)
{
  ldy_contact_solver_options options = { .size = sizeof options };
  ldy_contact_solver_report report = { .size = 3 };
  ldy_law laws[2] = { contact (0.5), contact (-1) };
  double R[6] = { 1, 2, 3, 4, 5, 6 }, before[6], W[9] = { NAN };
  int starts[2] = { 0, 1 }, column = 0;
  ldy_rows rows = { .size = sizeof rows, .rows = 1, .blocks = 1, .starts = starts, .columns = &column, .values = W, .B = R };
  ldy_system *system = pile (10);

  memcpy (before, R, sizeof R);
  BAD (ldy_contact_solver_create (NULL), "solver is NULL");
  BAD (ldy_contact_solver_solve (NULL, system, laws, 2, NULL, R, 6, NULL), "solver is NULL");
  BAD (ldy_contact_solver_solve (solver, NULL, laws, 2, NULL, R, 6, NULL), "system is NULL");
  BAD (ldy_contact_solver_solve (solver, system, NULL, 2, NULL, R, 6, NULL), "laws is NULL");
  BAD (ldy_contact_solver_solve (solver, system, laws, 2, NULL, NULL, 6, NULL), "R is NULL");
  BAD (ldy_contact_solver_solve (solver, system, laws, 2, NULL, R, 6, NULL), "constraint 1 between bodies 1 and 0: its friction");
  laws[1].friction = 0.5;
  laws[1].kind = 77;
  BAD (ldy_contact_solver_solve (solver, system, laws, 2, NULL, R, 6, NULL), "laws[1].kind is 77");
  laws[1].kind = LDY_LAW_CONTACT;
  BAD (ldy_contact_solver_solve (solver, system, laws, 1, NULL, R, 6, NULL), "laws: 1 values where 2 are needed");
  BAD (ldy_contact_solver_solve (solver, system, laws, 2, NULL, R, 3, NULL), "system: forces: 3 values where 6 are needed");
  BAD (ldy_contact_solver_solve (solver, system, laws, 2, NULL, R, 5, NULL), "system: forces: 5 values where 6 are needed");
  BAD (ldy_contact_solver_solve (solver, system, laws, 2, NULL, R, 6, &report), "report->size is 3");
  options.measure = 9;
  BAD (ldy_contact_solver_solve (solver, system, laws, 2, &options, R, 6, NULL), "options->measure is 9");
  options.measure = 0;
  options.method = -1;
  BAD (ldy_contact_solver_solve (solver, system, laws, 2, &options, R, 6, NULL), "options->method is -1");
  options.method = 0;
  options.max_sweeps = -1;
  BAD (ldy_contact_solver_solve (solver, system, laws, 2, &options, R, 6, NULL), "options->max_sweeps is -1; it must not be negative");
  options.max_sweeps = 0;
  double no_times[] = { NAN, -1, -INFINITY };
  for (int k = 0; k < 3; k ++) {
    options.time_limit = no_times[k];
    BAD (ldy_contact_solver_solve (solver, system, laws, 2, &options, R, 6, NULL), "it must not be negative or NaN");
  }
  options.time_limit = 0;
  options.tolerance = NAN;
  BAD (ldy_contact_solver_solve (solver, system, laws, 2, &options, R, 6, NULL), "the tolerance");
  BAD (ldy_contact_solver_solve_rows (solver, NULL, laws, 1, NULL, R + 3, 3, NULL), "rows is NULL");
  BAD (ldy_contact_solver_solve_rows (solver, &rows, laws, 1, NULL, R + 3, 3, NULL), "constraint of row 0: a block of W is not finite");
  BAD (ldy_contact_solver_solve_rows (solver, &rows, laws, 2, NULL, R + 3, 3, NULL), "laws: 2 values where 1 are needed");
  BAD (ldy_contact_solver_solve_rows (solver, &rows, laws, 1, NULL, R + 3, 2, NULL), "forces: 2 values where 3 are needed");
  rows.blocks = -1;
  BAD (ldy_contact_solver_solve_rows (solver, &rows, laws, 1, NULL, R + 3, 3, NULL), "rows->blocks is negative");
  rows.blocks = 1, rows.B = NULL;
  BAD (ldy_contact_solver_solve_rows (solver, &rows, laws, 1, NULL, R + 3, 3, NULL), "rows->B is NULL");
  R[4] = INFINITY;
  BAD (ldy_contact_solver_solve (solver, system, laws, 2, NULL, R, 6, NULL),
    "constraint 1 between bodies 1 and 0: the force to begin with");
  R[4] = before[4];
  GOOD (ldy_system_remove_constraint (system, 1));
  BAD (ldy_contact_solver_solve (solver, system, laws, 2, NULL, R, 6, NULL), "no successful update since the last change");
  CHECK_SAME_BITS (R, before, sizeof R);
  rows = (ldy_rows) { .size = sizeof rows, .starts = starts };
  GOOD (ldy_contact_solver_solve_rows (solver, &rows, NULL, 0, NULL, NULL, 0, NULL));
  ldy_system_destroy (system);
}

static int tests (void)
{
  ldy_contact_solver *solver = NULL;

  GOOD (ldy_contact_solver_create (&solver));
  forces_by_hand (solver);
  orthotropic (solver);
  joints_and_bounds (solver);
  any_rows (solver);
  ends (solver);
  work (solver);
  refusals (solver);
  ldy_contact_solver_destroy (solver);
  ldy_contact_solver_destroy (NULL);
  return check_summary ("system_solve");
}

int main (void)
{
  return on_small_stack (tests);
}
