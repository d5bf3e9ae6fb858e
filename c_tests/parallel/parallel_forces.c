/* parallel_forces WORLDS: forces of random worlds and of a pile of spheres have the same bits on any number of processes, with any number
 * of threads; the residual of the report is that of one process; the fast mode comes to the same velocities. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "support/check.h"
#include "world.h"

/* The residual of forces by the solver of one process, which makes no sweep. */
static double residual_of (const WORLD *world, const double *all)
{
  ldy_system *serial = world_serial (world);
  ldy_contact_solver *solver;
  ldy_contact_solver_options options = LDY_CONTACT_SOLVER_OPTIONS_INIT;
  ldy_contact_solver_report report = LDY_CONTACT_SOLVER_REPORT_INIT;
  ldy_rows rows = LDY_ROWS_INIT;
  double *R = malloc (6 * (size_t) world->constraints * sizeof *R);
  size_t at = 0;
  int i;

  CHECK_INT (ldy_system_update (serial, 0.25), 0);
  CHECK_INT (ldy_system_results (serial, &rows), 0);
  for (i = 0; i < world->constraints; i ++) {
    size_t m = (size_t) abs (world->heights[i]);

    memcpy (R + at, all + 6 * i, m * sizeof *R);
    at += m;
  }
  options.tolerance = INFINITY;
  options.method = LDY_METHOD_GAUSS_SEIDEL;
  CHECK_INT (ldy_contact_solver_create (&solver), 0);
  CHECK_INT (ldy_contact_solver_solve (solver, serial, NULL, 0, &options, R, rows.scalars, &report), 0);
  ldy_contact_solver_destroy (solver);
  ldy_system_destroy (serial);
  free (R);
  return report.residual;
}

static void run (uint64_t seed, int bodies, int constraints, int sweeps)
{
  RANDOM random = { seed };
  int are_contacts = random_below (&random, 2) || bodies > 100;
  WORLD *world = world_create (seed, bodies, constraints, are_contacts);
  ldy_contact_solver_options options = LDY_CONTACT_SOLVER_OPTIONS_INIT;
  ldy_contact_solver_report report = LDY_CONTACT_SOLVER_REPORT_INIT, one = LDY_CONTACT_SOLVER_REPORT_INIT;
  size_t size = 6 * (size_t) constraints * sizeof (double);
  ldy_parallel *parallel, *self;
  double *R, *expected, *again;

  check_context ("rank %d of %d, world %d", rank, ranks, (int) seed);
  world_partition (world, seed + 77, ranks);
  parallel = world_parallel (world, MPI_COMM_WORLD);
  self = world_alone (world);
  CHECK_INT (ldy_parallel_update (parallel, 0.25), 0);
  CHECK_INT (ldy_parallel_update (self, 0.25), 0);
  options.tolerance = 1e-9;
  options.max_sweeps = sweeps;
  R = world_forces (world, parallel, MPI_COMM_WORLD, &options, LDY_PARALLEL_SAME_BITS, &report, NULL);
  expected = world_forces (world, self, MPI_COMM_SELF, &options, LDY_PARALLEL_SAME_BITS, &one, NULL);
  CHECK_SAME_BITS (R, expected, size);
  CHECK_INT (report.status, one.status);
  CHECK_INT (report.sweeps, one.sweeps);
  CHECK_SAME_BITS (&report.residual, &one.residual, sizeof report.residual);
  CHECK_SAME_BITS (&report.initial_residual, &one.initial_residual, sizeof report.residual);
  CHECK_INT (report.history_count, one.history_count);
  CHECK_NEAR (residual_of (world, R), report.residual, 1e-6 * report.residual + 1e-14);
  /* From these forces on, with threads. */
  CHECK_INT (ldy_set_threads (2), 0);
  again = world_forces (world, parallel, MPI_COMM_WORLD, &options, LDY_PARALLEL_SAME_BITS, &report, R);
  free (expected);
  CHECK_INT (ldy_set_threads (1), 0);
  expected = world_forces (world, self, MPI_COMM_SELF, &options, LDY_PARALLEL_SAME_BITS, &one, R);
  CHECK_SAME_BITS (again, expected, size);
  if (one.status == LDY_STATUS_CONVERGED) {
    options.tolerance = 1e-5;
    options.max_sweeps = 4 * one.sweeps + 200;
    free (again);
    again = world_forces (world, parallel, MPI_COMM_WORLD, &options, LDY_PARALLEL_FAST, &report, NULL);
    CHECK_INT (report.status, LDY_STATUS_CONVERGED);
    CHECK_NEAR (residual_of (world, again), report.residual, 1e-6 * report.residual + 1e-12);
  }
  free (R);
  free (expected);
  free (again);
  ldy_parallel_destroy (self);
  ldy_parallel_destroy (parallel);
  world_free (world);
}

static void small (uint64_t seed)
{
  RANDOM random = { seed };
  int bodies = 2 + random_below (&random, 20);

  run (seed, bodies, 1 + random_below (&random, 2 * bodies), 100);
}

/* Enough rows for threads. */
static void large (void)
{
  if (ranks == 1) run (1000, 1700, 4200, 10);
  else run (1001, 200, 500, 20);
}

int main (int argc, char **argv)
{
  return world_tests (argc, argv, "parallel_forces", 60, small, large);
}
