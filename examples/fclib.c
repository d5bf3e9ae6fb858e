/* Problems of contact with friction in the files of FCLIB, with Debian's libfclib:
 *
 *   fclib solve FILE.hdf5 [TOLERANCE]                       solves the local problem of a file, and writes the solution into it
 *   fclib write STATE.ldysnap FRICTION FILE.hdf5 FILE.dat   writes the problem of a recorded state, as FCLIB and as text of Siconos
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_tests/support/snapshot.h"
#include "fclib_problem.h"

static int fail (const char *path, const char *what)
{
  fprintf (stderr, "%s: %s\n", path, what);
  return 1;
}

static int solve (const char *path, double tolerance)
{
  ldy_contact_solver_report report = { .size = sizeof report };
  struct fclib_solution solution = { NULL, NULL, NULL, NULL };
  struct fclib_local *file = fclib_read_local (path);
  friction_problem problem;
  ldy_contact_solver *solver = NULL;
  int written = 0;

  if (!file) return fail (path, "no local problem");
  if (!problem_of_fclib (file, &problem)) return fail (path, "the dimension is neither 2 nor 3");
  solution.r = calloc ((size_t) (problem.dimension * problem.rows + 1), sizeof (double));
  solution.u = calloc ((size_t) (problem.dimension * problem.rows + 1), sizeof (double));
  if (!solution.r || !solution.u || ldy_contact_solver_create (&solver)) return fail (path, "out of memory");
  if (problem_solve (solver, &problem, tolerance, solution.r, &report)) return fail (path, ldy_last_error ());
  problem_velocity (&problem, solution.r, solution.u);
  solution.l = problem.equations ? solution.r + problem.dimension * problem.contacts : NULL;
  written = fclib_write_solution (&solution, path);
  printf ("%s: %d contacts, %d equations, residual %.1e after %d sweeps and %d steps\n", path, problem.contacts,
          problem.equations, report.residual, report.sweeps, report.steps);
  free (solution.r);
  free (solution.u);
  problem_free (&problem);
  fclib_delete_local (file);
  free (file);
  ldy_contact_solver_destroy (solver);
  if (!written) return fail (path, "the solution cannot be written: there may be one already");
  return report.status == LDY_STATUS_CONVERGED ? 0 : 2;
}

static int index_of (const LOCDYN *ldy, const DIAB *row)
{
  int index = 0;

  for (const DIAB *other = ldy->dia; other != row; other = other->n) index ++;
  return index;
}

/* Add a block of row `row` at its place; blocks of two bodies that both constraints share become one. */
static void add_block (ldy_rows *rows, int *starts, int *columns, double *values, int row, int column, const double *W)
{
  int at = starts[row + 1];

  while (at > starts[row] && columns[at - 1] >= column) at --;
  if (at == starts[row + 1] || columns[at] != column) {
    size_t behind = (size_t) (starts[row + 1] - at);
    memmove (columns + at + 1, columns + at, behind * sizeof (int));
    memmove (values + 9 * at + 9, values + 9 * at, 9 * behind * sizeof (double));
    columns[at] = column;
    memset (values + 9 * at, 0, 9 * sizeof (double));
    rows->blocks = ++ starts[row + 1];
  }
  for (int i = 0; i < 9; i ++) values[9 * at + i] += W[i];
}

/* What the legacy interface has in linked rows, as the arrays of the neutral one. */
static friction_problem problem_of_locdyn (const LOCDYN *ldy, double coefficient)
{
  ldy_rows rows = { .size = sizeof rows };
  size_t blocks = 0, count = 0;
  int *starts, *columns;
  double *values, *B, *friction;
  friction_problem problem;

  for (const DIAB *row = ldy->dia; row; row = row->n) {
    count ++, blocks ++;
    for (const OFFB *block = row->adj; block; block = block->n) blocks ++;
  }
  starts = calloc (count + 2, sizeof (int));
  columns = calloc (blocks + 1, sizeof (int));
  values = calloc (9 * blocks + 1, sizeof (double));
  B = calloc (3 * count + 1, sizeof (double));
  friction = calloc (count + 1, sizeof (double));
  if (!starts || !columns || !values || !B || !friction) abort ();
  for (const DIAB *row = ldy->dia; row; row = row->n, rows.rows ++) {
    int k = rows.rows;
    starts[k + 1] = starts[k];
    add_block (&rows, starts, columns, values, k, k, row->W);
    for (const OFFB *block = row->adj; block; block = block->n) {
      add_block (&rows, starts, columns, values, k, index_of (ldy, block->dia), block->W);
    }
    memcpy (B + 3 * k, row->B, 3 * sizeof (double));
    friction[k] = coefficient;
  }
  rows.starts = starts, rows.columns = columns, rows.values = values, rows.B = B;
  problem = problem_of_rows (&rows, friction);
  free (starts);
  free (columns);
  free (values);
  free (B);
  free (friction);
  return problem;
}

static int write_problem (const char *state, double friction, const char *path, const char *text)
{
  char error[256];
  SNAPSHOT *snapshot = snapshot_read (state, error, sizeof error);
  struct fclib_local *file;
  friction_problem problem;
  LOCDYN *ldy;
  int good;

  if (!snapshot) return fail (state, error);
  for (int i = 0; i < snapshot->constraints; i ++) {
    if (snapshot->con[i]->kind != CONTACT) return fail (state, "a constraint is no contact");
  }
  ldy = snapshot->host->dom.ldy = LOCDYN_Create (&snapshot->host->dom);
  snapshot_insert (snapshot);
  LOCDYN_Update_Begin (ldy);
  problem = problem_of_locdyn (ldy, friction);
  file = fclib_of_problem (&problem, state);
  good = fclib_write_local (file, path) && problem_write_siconos (&problem, text);
  printf ("%s, %s: %d contacts, %d blocks\n", path, text, problem.contacts, problem.starts[problem.rows]);
  fclib_delete_local (file);
  free (file);
  problem_free (&problem);
  LOCDYN_Destroy (ldy);
  snapshot_free (snapshot);
  return good ? 0 : fail (path, "cannot be written");
}

int main (int argc, char **argv)
{
  if ((argc == 3 || argc == 4) && !strcmp (argv[1], "solve")) return solve (argv[2], argc == 4 ? atof (argv[3]) : 1e-8);
  if (argc == 6 && !strcmp (argv[1], "write")) return write_problem (argv[2], atof (argv[3]), argv[4], argv[5]);
  fprintf (stderr, "usage: fclib solve FILE.hdf5 [TOLERANCE]\n       fclib write STATE.ldysnap FRICTION FILE.hdf5 FILE.dat\n");
  return 1;
}
