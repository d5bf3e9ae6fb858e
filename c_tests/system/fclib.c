/* Problems written as files of FCLIB are read back by libfclib bit by bit; solutions of what it reads obey its own merit
   function. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/fclib_problem.h"
#include "support/check.h"

#define GOOD(...) CHECK_INT ((__VA_ARGS__), 0)

enum { CONTACTS = 4, SIZE = 3 * CONTACTS };

/* A ball on three others on the floor, pushed aside; normals are upwards or from ball to ball. */
static ldy_system *heap (void)
{
  static const double unit[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, tilted[9] = { 0.8, 0, -0.6, 0, 1, 0, 0.6, 0, 0.8 };
  static const double below[3] = { 0, 0, -1 }, above[3] = { 0.6, 0, 0.8 }, under[3] = { -0.6, 0, -0.8 };
  double inertia[9] = { 0.4, 0, 0, 0, 0.4, 0, 0, 0, 0.4 }, falling[6] = { 0.1, 0, 0, 0.7, 0.2, -1 };
  ldy_system *system = NULL;
  int64_t lower, upper, id;

  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_add_rigid (system, 3, inertia, unit, (double[3]) { 0 }, &upper));
  GOOD (ldy_system_set_velocity (system, upper, LDY_VELOCITY_FREE, falling, 6));
  for (int i = 0; i < 3; i ++) {
    GOOD (ldy_system_add_rigid (system, 1 + i, inertia, unit, (double[3]) { 0 }, &lower));
    GOOD (ldy_system_set_velocity (system, lower, LDY_VELOCITY_FREE, falling, 6));
    if (i < 2) GOOD (ldy_system_add_point_constraint (system, lower, LDY_GROUND, unit, below, NULL, &id));
    if (i > 0) GOOD (ldy_system_add_point_constraint (system, upper, lower, tilted, under, above, &id));
  }
  GOOD (ldy_system_update (system, 0.5));
  return system;
}

/* Entry (i, j) of a matrix in any of FCLIB's forms. */
static double at (const struct fclib_matrix *matrix, int i, int j)
{
  int line = matrix->nz == -1 ? j : i, other = matrix->nz == -1 ? i : j;

  if (matrix->nz >= 0) {
    for (int k = 0; k < matrix->nz; k ++) if (matrix->p[k] == i && matrix->i[k] == j) return matrix->x[k];
    return 0;
  }
  for (int k = matrix->p[line]; k < matrix->p[line + 1]; k ++) if (matrix->i[k] == other) return matrix->x[k];
  return 0;
}

/* Entry (i, j) of the rows of a system. */
static double of_rows (const ldy_rows *rows, int i, int j)
{
  for (int k = rows->starts[i / 3]; k < rows->starts[i / 3 + 1]; k ++) {
    if (rows->columns[k] == j / 3) return rows->values[9 * k + 3 * (j % 3) + i % 3];
  }
  return 0;
}

/* Where a component of FCLIB, the normal first, is in a system, the normal third. */
static int place (int i)
{
  static const int component[3] = { 2, 0, 1 };

  return i / 3 * 3 + component[i % 3];
}

static void system_through_a_file (ldy_contact_solver *solver, const char *path)
{
  static const double friction[CONTACTS] = { 0.3, 0.1 + 0.2, 0.7, 1 };
  ldy_contact_solver_report report = { .size = sizeof report };
  ldy_rows rows = { .size = sizeof rows };
  ldy_system *system = heap ();
  struct fclib_solution solution = { NULL, NULL, NULL, NULL }, *found;
  struct fclib_local *file, *back;
  friction_problem problem;
  ldy_law laws[CONTACTS];
  double r[SIZE] = { 0 }, u[SIZE], R[SIZE] = { 0 };

  GOOD (ldy_system_results (system, &rows));
  CHECK_INT (rows.rows, CONTACTS);
  problem = problem_of_rows (&rows, friction);
  file = fclib_of_problem (&problem, "heap");
  remove (path);
  CHECK (fclib_write_local (file, path));
  fclib_delete_local (file);
  free (file);
  problem_free (&problem);

  back = fclib_read_local (path);
  CHECK (back != NULL);
  for (int i = 0; i < SIZE; i ++) {
    for (int j = 0; j < SIZE; j ++) {
      double wanted = of_rows (&rows, place (i), place (j)), got = at (back->W, i, j);
      CHECK_SAME_BITS (&got, &wanted, sizeof got);
    }
    CHECK_SAME_BITS (back->q + i, rows.B + place (i), sizeof (double));
  }
  CHECK_SAME_BITS (back->mu, friction, sizeof friction);

  CHECK (problem_of_fclib (back, &problem));
  GOOD (problem_solve (solver, &problem, 1e-12, r, &report));
  CHECK_INT (report.status, LDY_STATUS_CONVERGED);
  problem_velocity (&problem, r, u);
  solution.r = r, solution.u = u;
  CHECK (fclib_write_solution (&solution, path));
  found = fclib_read_solution (path);
  CHECK (found != NULL);
  CHECK_SAME_BITS (found->r, r, sizeof r);
  CHECK_SAME_BITS (found->u, u, sizeof u);
  CHECK (fclib_merit_local (back, MERIT_1, found) < 1e-10);
  found->r[0] += 0.1;
  CHECK (fclib_merit_local (back, MERIT_1, found) > 1e-3);

  for (int i = 0; i < CONTACTS; i ++) laws[i] = (ldy_law) { .kind = LDY_LAW_CONTACT, .friction = friction[i] };
  GOOD (ldy_contact_solver_solve (solver, system, laws, CONTACTS, NULL, R, SIZE, NULL));
  for (int i = 0; i < SIZE; i ++) CHECK_NEAR (r[i], R[place (i)], 1e-6);

  fclib_delete_solutions (found, 1);
  fclib_delete_local (back);
  free (back);
  problem_free (&problem);
  ldy_system_destroy (system);
}

static double number (FILE *file)
{
  double value = NAN;

  CHECK_INT (fscanf (file, "%lf", &value), 1);
  return value;
}

static void text_of_siconos (const char *path)
{
  static const double friction[CONTACTS] = { 0.3, 0.1 + 0.2, 0.7, 1 };
  ldy_rows rows = { .size = sizeof rows };
  ldy_system *system = heap ();
  friction_problem problem;

  GOOD (ldy_system_results (system, &rows));
  problem = problem_of_rows (&rows, friction);
  CHECK (problem_write_siconos (&problem, path));
  FILE *file = fopen (path, "r");
  CHECK (file != NULL);
  for (int i = 0; i < 8; i ++) CHECK_INT (number (file), ((int[]) { 3, 4, 1, SIZE, SIZE, rows.blocks, 4, 4 })[i]);
  for (int i = 0; i < 8; i ++) CHECK_INT (number (file), 3 * (i % 4 + 1));
  CHECK_INT (number (file), 5);
  CHECK_INT (number (file), rows.blocks);
  for (int i = 0; i < 5; i ++) CHECK_INT (number (file), rows.starts[i]);
  for (int i = 0; i < rows.blocks; i ++) CHECK_INT (number (file), rows.columns[i]);
  for (int k = 0, row = 0; k < rows.blocks; k ++) {
    if (k == rows.starts[row + 1]) row ++;
    CHECK_INT (number (file), k);
    for (int i = 0; i < 9; i ++) {
      CHECK (number (file) == of_rows (&rows, place (3 * row + i % 3), place (3 * rows.columns[k] + i / 3)));
    }
  }
  for (int i = 0; i < SIZE; i ++) CHECK (number (file) == rows.B[place (i)]);
  for (int i = 0; i < CONTACTS; i ++) CHECK (number (file) == friction[i]);
  fclose (file);
  remove (path);
  CHECK (!problem_write_siconos (&problem, "/no folder/file"));
  problem_free (&problem);
  ldy_system_destroy (system);
}

/* A contact of a body of mass 1 / 2 that four equations hold: W in compressed columns, V in triplets. H = 1 along each axis; the
 * equations hold the second axis once and the third one three times, with compliance. */
static void equations (ldy_contact_solver *solver)
{
  struct fclib_matrix W = { 3, 3, 3, (int[]) { 0, 1, 2, 3 }, (int[]) { 0, 1, 2 }, (double[]) { 2, 2, 2 }, -1, NULL };
  struct fclib_matrix V = { 4, 3, 4, (int[]) { 2, 1, 2, 2 }, (int[]) { 3, 0, 1, 2 }, (double[]) { 2, 2, 2, 2 }, 4, NULL };
  int ends[5] = { 0, 1, 4, 7, 10 }, columns[10] = { 0, 1, 2, 3, 1, 2, 3, 1, 2, 3 };
  struct fclib_matrix R = { 10, 4, 4, ends, columns, (double[]) { 2, 2.5, 2, 2, 2, 2.5, 2, 2, 2, 2.5 }, -2, NULL };
  double q[3] = { -1, 0.5, 0.25 }, s[4] = { 0.5, 0.25, 0.25, 0.25 }, friction = 0.5, r[9] = { 0 }, u[9];
  struct fclib_local file = { &W, &V, &R, &friction, q, s, 3, NULL };
  ldy_contact_solver_report report = { .size = sizeof report };
  friction_problem problem;

  CHECK (problem_of_fclib (&file, &problem));
  CHECK_INT (problem.contacts, 1);
  CHECK_INT (problem.rows, 3);
  GOOD (problem_solve (solver, &problem, 1e-13, r, &report));
  CHECK_INT (report.status, LDY_STATUS_CONVERGED);
  problem_velocity (&problem, r, u);
  CHECK_NEAR (u[0], 0, 1e-12);
  for (int i = 0; i < 4; i ++) {
    double sum = s[i];
    for (int j = 0; j < 3; j ++) sum += at (&V, j, i) * r[j];
    for (int j = 0; j < 4; j ++) sum += at (&R, i, j) * r[3 + j];
    CHECK_NEAR (sum, 0, 1e-12);
  }
  CHECK (hypot (r[1], r[2]) <= friction * r[0] + 1e-12);
  CHECK (r[7] == 0 && r[8] == 0);
  problem_free (&problem);
  file.spacedim = 5;
  CHECK (!problem_of_fclib (&file, &problem));
}

/* Two contacts of a body in a plane: it slides on the first, and an equation holds its rotation. */
static void plane (ldy_contact_solver *solver)
{
  struct fclib_matrix W = { 16, 4, 4, (int[]) { 0, 4, 8, 12, 16 }, (int[]) { 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3 },
                            (double[]) { 2, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2, 0, 0, 2, 0, 2 }, -1, NULL };
  struct fclib_matrix V = { 1, 4, 1, (int[]) { 0, 1 }, (int[]) { 0 }, (double[]) { 0 }, -1, NULL };
  struct fclib_matrix R = { 1, 1, 1, (int[]) { 0, 1 }, (int[]) { 0 }, (double[]) { 4 }, -1, NULL };
  double q[4] = { -1, 1, 1, 1 }, s[1] = { 2 }, friction[2] = { 0.5, 0.25 }, r[6] = { 0 }, u[6];
  struct fclib_local file = { &W, &V, &R, friction, q, s, 2, NULL };
  ldy_contact_solver_report report = { .size = sizeof report };
  friction_problem problem;

  CHECK (problem_of_fclib (&file, &problem));
  CHECK_INT (problem.dimension, 2);
  CHECK_INT (problem.contacts, 2);
  CHECK_INT (problem.rows, 3);
  GOOD (problem_solve (solver, &problem, 1e-13, r, &report));
  CHECK_INT (report.status, LDY_STATUS_CONVERGED);
  for (int i = 0; i < 6; i ++) CHECK_NEAR (r[i], ((double[]) { 0.5, -0.25, 0, 0, -0.5, 0 })[i], 1e-12);
  problem_velocity (&problem, r, u);
  for (int i = 0; i < 6; i ++) CHECK_NEAR (u[i], ((double[]) { 0, 0.5, 1, 0.5, 0, 0 })[i], 1e-12);
  problem_free (&problem);
}

int main (int argc, char **argv)
{
  ldy_contact_solver *solver = NULL;

  (void) argc;
  GOOD (ldy_contact_solver_create (&solver));
  system_through_a_file (solver, argv[1]);
  text_of_siconos (argv[1]);
  equations (solver);
  plane (solver);
  ldy_contact_solver_destroy (solver);
  return check_summary ("fclib");
}
