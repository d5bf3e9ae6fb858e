/* parallel times N, parallel memory N, parallel counts N: measurements of a packing with edge N on all processes. `make bench-parallel`
 * makes targets of the lines. */
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "measures.h"

double solve (ldy_parallel *parallel, double tolerance, int sweeps, int mode, ldy_contact_solver_report *report)
{
  ldy_contact_solver_options options = options_of (tolerance, sweeps);
  size_t scalars = ldy_parallel_scalar_count (parallel);
  double *R = calloc (scalars + 1, sizeof *R), begin = MPI_Wtime ();

  MUST (ldy_parallel_solve (parallel, &options, mode, R, scalars, report));
  free (R);
  return MPI_Wtime () - begin;
}

ldy_contact_solver_options options_of (double tolerance, int sweeps)
{
  ldy_contact_solver_options options = LDY_CONTACT_SOLVER_OPTIONS_INIT;

  options.tolerance = tolerance;
  options.measure = LDY_MEASURE_SCALED;
  options.method = LDY_METHOD_GAUSS_SEIDEL;
  options.max_sweeps = sweeps;
  return options;
}

int main (int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "times";

  MPI_Init (&argc, &argv);
  packing_begin (argc > 2 ? atoi (argv[2]) : 42);
  if (strcmp (what, "counts") == 0) measure_counts ();
  else measure_times (strcmp (what, "times") == 0);
  MPI_Finalize ();
  return 0;
}
