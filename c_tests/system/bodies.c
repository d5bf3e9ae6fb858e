/* Every function of ldy_system.h at work, on scenes small enough for numbers by hand. */
#include <math.h>
#include <string.h>

#include "system/face.h"

static ldy_system *created (void)
{
  ldy_system *system = NULL;

  GOOD (ldy_system_create (&system));
  return system;
}

static ldy_rows updated (ldy_system *system, double h)
{
  ldy_rows rows = { .size = sizeof rows };

  GOOD (ldy_system_update (system, h));
  GOOD (ldy_system_results (system, &rows));
  return rows;
}

static void check_values (const double *got, const double *want, int count)
{
  for (int i = 0; i < count; i ++) CHECK_NEAR (got[i], want[i], 1e-14);
}

/* Two cubes of unit mass and inertia 1/6, one on the other, touching at (+-1/2, 0, 1/2): as in examples/minimal.c. */
static void rigid (void)
{
  static const double inertia[9] = { 1 / 6.0, 0, 0, 0, 1 / 6.0, 0, 0, 0, 1 / 6.0 }, above[3] = { 0, 0, 1 };
  static const double falling[6] = { 0, 0, 0, 0, 0, -1 }, before[6] = { 0, 0, 0, 0, 0, -0.5 };
  double point[2][3] = { { -0.5, 0, 0.5 }, { 0.5, 0, 0.5 } }, x[6] = { 0, 0, 1, 0, 0, 1 }, y[6], z[6], velocity[6];
  int64_t lower, upper, contact[2];
  ldy_system *system = created ();
  ldy_rows rows;
  int row;

  GOOD (ldy_system_add_rigid (system, 1, inertia, unit, origin, &lower));
  GOOD (ldy_system_add_rigid (system, 1, inertia, unit, above, &upper));
  GOOD (ldy_system_set_velocity (system, upper, LDY_VELOCITY_FREE, falling, 6));
  GOOD (ldy_system_set_velocity (system, upper, LDY_VELOCITY_PREVIOUS, before, 6));
  for (int i = 0; i < 2; i ++) GOOD (ldy_system_add_point_constraint (system, upper, lower, unit, point[i], point[i], &contact[i]));
  rows = updated (system, 0.001);
  CHECK_INT (rows.rows, 2);
  CHECK_INT (rows.blocks, 4);
  CHECK_INT (rows.starts[2], 4);
  for (int i = 0; i < 4; i ++) CHECK_INT (rows.columns[i], i % 2);
  CHECK_NEAR (rows.B[2], -1, 1e-15);
  CHECK_NEAR (rows.V[5], -0.5, 1e-15);
  CHECK_NEAR (rows.diagonal[8], 0.005, 1e-17);
  CHECK_NEAR (rows.values[9 + 8], -0.001, 1e-17); /* both bodies in one block */
  GOOD (ldy_system_check_inverses (system));
  GOOD (ldy_system_row_of (system, contact[1], &row));
  CHECK_INT (row, 1);
  GOOD (ldy_system_multiply (system, x, 0, y, 0, 6, 1, 0));
  GOOD (ldy_system_multiply (system, x, 0, z, 0, 6, 1, LDY_MULTIPLY_THROUGH_BODIES));
  CHECK_NEAR (y[2], 0.004, 1e-17);
  for (int i = 0; i < 6; i ++) CHECK_NEAR (y[i], z[i], 1e-17);
  for (int i = 0; i < 2; i ++) x[3 * i + 2] = 250; /* U = B + W R = 0 */
  GOOD (ldy_system_apply_reactions (system, x, 6));
  for (int i = 0; i < 2; i ++) {
    GOOD (ldy_system_velocity (system, i ? upper : lower, LDY_VELOCITY_FREE, velocity, 6));
    CHECK_NEAR (velocity[5], -0.5, 1e-15);
  }
  memset (y, 0, sizeof y);
  GOOD (ldy_system_constraint_force (system, lower, x, 6, y, 6));
  CHECK_NEAR (y[5], -500, 1e-12);
  ldy_system_destroy (system);
}

/* A pseudo-rigid body that stretches: the point (1, 0, 0) of Euler tensor e I and mass m has W = h (1/m + 1/e) in x. */
static void pseudo_rigid (void)
{
  static const double euler[9] = { 0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5 }, twice[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  static const double point[3] = { 1, 0, 0 };
  double velocity[12] = { 3, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0 };
  int64_t body, constraint;
  ldy_system *system = created ();
  ldy_rows rows;

  GOOD (ldy_system_add_pseudo_rigid (system, 4, euler, origin, &body));
  GOOD (ldy_system_set_velocity (system, body, LDY_VELOCITY_FREE, velocity, 12));
  GOOD (ldy_system_add_point_constraint (system, LDY_GROUND, body, unit, NULL, point, &constraint));
  rows = updated (system, 2);
  CHECK_NEAR (rows.B[0], -7, 1e-15);
  CHECK_NEAR (rows.diagonal[0], 4.5, 1e-15);
  GOOD (ldy_system_set_inertia (system, body, MASS (1, twice)));
  rows = updated (system, 2);
  CHECK_NEAR (rows.diagonal[0], 4, 1e-15);
  ldy_system_destroy (system);
}

static int halve (int size, int columns, double *x, void *data)
{
  for (int i = 0; i < size * columns; i ++) x[i] /= 2;
  (*(int *) data) ++;
  return 0;
}

/* Four bodies with two velocities each and A = 2 I, given in every way: the same W. */
static void inverses (void)
{
  static const double dense[4] = { 0.5, 0, 0, 0.5 }, diagonal[2] = { 0.5, 0.5 }, values[2] = { 2, 2 }, h[6] = { 1, 0, 2, 0, 3, 0 };
  static const int starts[3] = { 0, 1, 2 }, rows_of[2] = { 0, 1 };
  static const double w[9] = { 0.5, 0, 1, 0, 4.5, 0, 1, 0, 2 };
  static const ldy_operator H = { 2, NULL, NULL, h, 6 };
  int64_t body[4], constraint[4];
  int i, calls = 0;
  ldy_system *system = created ();
  ldy_rows rows;

  GOOD (ldy_system_add_body (system, DENSE (2, dense), &body[0]));
  GOOD (ldy_system_add_body (system, DIAGONAL (2, diagonal), &body[1]));
  GOOD (ldy_system_add_body (system, SPARSE (2, starts, rows_of, values, 2), &body[2]));
  GOOD (ldy_system_add_body (system, FUNCTION (2, halve, &calls), &body[3]));
  for (i = 0; i < 4; i ++) GOOD (ldy_system_add_constraint_rows (system, 3, (int64_t []) { body[i], LDY_GROUND }, (ldy_operator []) { H, (ldy_operator) { 0 } }, 2, &constraint[i]));
  rows = updated (system, 1);
  CHECK_INT (rows.blocks, 4);
  for (i = 0; i < 4; i ++) check_values (&rows.diagonal[9 * i], w, 9);
  CHECK_INT (calls, 1);
  CHECK_INT (ldy_system_check_inverses (system), LDY_ERROR_SINGULAR); /* of rank 2 */
  CHECK_TEXT (ldy_last_error (), "constraint 0 on body 0: its diagonal block of W is singular");
  CHECK (isnan (rows.inverse[0]));
  GOOD (ldy_system_set_inertia (system, body[0], DIAGONAL (2, diagonal)));
  GOOD (ldy_system_set_inertia (system, body[1], SPARSE (2, starts, rows_of, values, 2)));
  GOOD (ldy_system_set_inertia (system, body[2], DENSE (2, dense)));
  rows = updated (system, 1);
  for (i = 0; i < 4; i ++) check_values (&rows.diagonal[9 * i], w, 9);
  ldy_system_destroy (system);
}

/* A tridiagonal A, its lower triangle and all of it; two constraints on two of its velocities, sparse and dense. */
static void matrices (void)
{
  static const int starts[4] = { 0, 2, 4, 5 }, rows_of[5] = { 0, 1, 1, 2, 2 };
  static const int all_starts[4] = { 0, 2, 5, 7 }, all_rows[7] = { 0, 1, 2, 0, 1, 1, 2 };
  static const double values[5] = { 2, -1, 2, -1, 2 }, all_values[7] = { 2, -1, -1, -1, 2, -1, 2 };
  static const int columns[4] = { 0, 1, 1, 1 }, row[1] = { 0 };
  static const double one[1] = { 1 }, dense[9] = { 0, 0, 0, 0, 0, 0, 1, 0, 0 };
  static const ldy_operator first = { 3, columns, row, one, 1 }, last = { 3, NULL, NULL, dense, 9 };
  int64_t body, constraint[2];
  ldy_system *system = created ();
  ldy_rows rows;

  GOOD (ldy_system_add_body (system, SPARSE (3, starts, rows_of, values, 5), &body));
  GOOD (ldy_system_add_constraint_rows (system, 3, (int64_t []) { body, LDY_GROUND }, (ldy_operator []) { first, (ldy_operator) { 0 } }, 2, &constraint[0]));
  GOOD (ldy_system_add_constraint_rows (system, 3, (int64_t []) { LDY_GROUND, body }, (ldy_operator []) { (ldy_operator) { 0 }, last }, 2, &constraint[1]));
  rows = updated (system, 4); /* A^-1 = 1/4 [3 2 1; 2 4 2; 1 2 3] */
  CHECK_NEAR (rows.diagonal[0], 3, 1e-14);
  CHECK_NEAR (rows.values[9], 1, 1e-14);
  GOOD (ldy_system_set_inertia (system, body, SPARSE (3, all_starts, all_rows, all_values, 7)));
  GOOD (ldy_system_set_operators (system, constraint[0], (ldy_operator []) { last }, 1));
  rows = updated (system, 4);
  CHECK_NEAR (rows.values[9], 3, 1e-14);
  ldy_system_destroy (system);
}

static void compliance (void)
{
  static const double full[9] = { 1, 2, 0, 2, 5, 0, 0, 0, 3 }, diagonal[3] = { 7, 8, 9 };
  double x[3] = { 1, 10, 100 }, y[3], value, residual;
  static const double by_full[3] = { 22, 62, 400 };
  int64_t body, constraint;
  ldy_system *system = created ();
  ldy_rows rows;

  GOOD (ldy_system_add_rigid (system, 1, unit, unit, origin, &body));
  GOOD (ldy_system_add_point_constraint (system, body, LDY_GROUND, unit, origin, NULL, &constraint));
  GOOD (ldy_system_set_compliance (system, constraint, full, 9));
  updated (system, 1);
  GOOD (ldy_system_multiply (system, x, 0, y, 0, 3, 1, 0));
  check_values (y, by_full, 3);
  GOOD (ldy_system_multiply (system, x, 0, y, 0, 3, 1, LDY_MULTIPLY_THROUGH_BODIES));
  check_values (y, by_full, 3);
  GOOD (ldy_system_set_compliance (system, constraint, diagonal, 3));
  rows = updated (system, 1);
  CHECK_NEAR (rows.diagonal[8], 10, 1e-15);
  GOOD (ldy_system_spectral_radius (system, 1e-9, 100, &value, &residual));
  CHECK_NEAR (value, 10, 1e-9);
  CHECK (residual <= 1e-8);
  GOOD (ldy_system_spectral_radius (system, 1e-9, 100, &value, NULL));
  GOOD (ldy_system_set_compliance (system, constraint, NULL, 0));
  rows = updated (system, 1);
  check_values (rows.diagonal, unit, 9);
  ldy_system_destroy (system);
}

/* An obstacle couples nothing, is felt in B, and is pushed. */
static void obstacles (void)
{
  static const double turning[6] = { 0, 0, 2, 1, 0, 0 }, point[3] = { 1, 0, 0 };
  static const double quarter[9] = { 0, 1, 0, -1, 0, 0, 0, 0, 1 }; /* about z */
  static const double before[3] = { -1, -2, 0 }, after[3] = { 1, 0, 0 };
  double R[6] = { 1, 0, 0, 1, 0, 0 }, force[6] = { 0 };
  int64_t floor, body[2], constraint;
  ldy_system *system = created ();
  ldy_rows rows;

  GOOD (ldy_system_add_obstacle (system, unit, origin, &floor));
  GOOD (ldy_system_set_velocity (system, floor, LDY_VELOCITY_FREE, turning, 6));
  for (int i = 0; i < 2; i ++) {
    GOOD (ldy_system_add_rigid (system, 1, unit, unit, origin, &body[i]));
    GOOD (ldy_system_add_point_constraint (system, body[i], floor, unit, point, point, &constraint));
  }
  rows = updated (system, 1);
  CHECK_INT (rows.blocks, 2);
  check_values (rows.B, before, 3);
  GOOD (ldy_system_constraint_force (system, floor, R, 6, force, 6));
  CHECK_NEAR (force[3], -2, 1e-15);
  GOOD (ldy_system_set_rotation (system, floor, quarter));
  rows = updated (system, 1);
  check_values (rows.B, after, 3);
  ldy_system_destroy (system);
}

/* Rows keep their order, ids their meaning; removed bodies and constraints are gone. */
static void removal (void)
{
  static const double point[3] = { 1, 2, 3 };
  int64_t body[2], constraint[4], another;
  ldy_system *system = created ();
  ldy_rows rows;
  int row;

  for (int i = 0; i < 2; i ++) GOOD (ldy_system_add_rigid (system, i + 1, unit, unit, origin, &body[i]));
  for (int i = 0; i < 4; i ++) {
    GOOD (ldy_system_add_point_constraint (system, body[i % 2], LDY_GROUND, unit, origin, NULL, &constraint[i]));
  }
  GOOD (ldy_system_remove_constraint (system, constraint[1]));
  GOOD (ldy_system_move_constraint (system, constraint[2], unit, point, NULL));
  rows = updated (system, 1);
  CHECK_INT (rows.rows, 3);
  CHECK_INT (rows.blocks, 5);
  CHECK_INT (rows.constraints[1], constraint[2]);
  CHECK_NEAR (rows.diagonal[9], 1 + 4 + 9, 1e-14);
  CHECK_INT (ldy_system_remove_constraint (system, constraint[1]), LDY_ERROR_NOT_FOUND);
  CHECK_INT (ldy_system_remove_body (system, body[1]), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (ldy_last_error (), "body 1: constraint 3 acts on it");
  GOOD (ldy_system_remove_constraint (system, constraint[3]));
  GOOD (ldy_system_remove_body (system, body[1]));
  GOOD (ldy_system_add_rigid (system, 1, unit, unit, origin, &another));
  CHECK_INT (another, 2);
  GOOD (ldy_system_add_point_constraint (system, another, body[0], unit, origin, origin, &constraint[3]));
  CHECK_INT (constraint[3], 4);
  rows = updated (system, 1);
  CHECK_INT (rows.blocks, 9);
  GOOD (ldy_system_row_of (system, constraint[3], &row));
  CHECK_INT (row, 2);
  ldy_system_destroy (system);
}

/* Nothing at all is a system too. */
static void empty (void)
{
  ldy_system *system = created ();
  double value = 7;
  ldy_rows rows = updated (system, 1);

  CHECK_INT (rows.rows, 0);
  CHECK_INT (rows.starts[0], 0);
  GOOD (ldy_system_multiply (system, NULL, 0, NULL, 0, 0, 1, 0));
  GOOD (ldy_system_spectral_radius (system, 1e-3, 10, &value, NULL));
  CHECK_NEAR (value, 0, 0);
  ldy_system_destroy (system);
  ldy_system_destroy (NULL);
}

/* H by nodes is the same as by columns: N_a Q for each node a. On the first body all constraints have it, on the second one by
   columns is among them. */
static void nodes (void)
{
  static const double diagonal[9] = { 1, 2, 3, 1, 1, 1, 4, 5, 6 };
  static const double by_nodes[11] = { 0, 1, 0, -1, 0, 0, 0, 0, 2, 0.5, -1 }; /* Q, N_0, N_2 */
  static const double by_columns[27] = { 0, 0.5, 0, -0.5, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, 0, 1, 0, 0, 0, 0, -2 };
  static const double velocity[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, local[3] = { 7, -6.5, -15 },
    w[9] = { 5.5, 0, 0, 0, 4.25, 0, 0, 0, 27 };
  static const int at[2] = { 0, 2 };
  static const ldy_operator N = { 9, NULL, at, by_nodes, 11 }, C = { 9, NULL, NULL, by_columns, 27 };
  double x[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3 }, y[12], z[12];
  int64_t body[2], constraint;
  ldy_system *system = created ();
  ldy_rows rows;

  for (int i = 0; i < 2; i ++) {
    GOOD (ldy_system_add_body (system, DIAGONAL (9, diagonal), &body[i]));
    GOOD (ldy_system_set_velocity (system, body[i], LDY_VELOCITY_FREE, velocity, 9));
    GOOD (ldy_system_add_constraint_rows (system, 3, (int64_t []) { body[i], LDY_GROUND }, (ldy_operator []) { N, (ldy_operator) { 0 } }, 2, &constraint));
    GOOD (ldy_system_add_constraint_rows (system, 3, (int64_t []) { LDY_GROUND, body[i] }, (ldy_operator []) { (ldy_operator) { 0 }, i ? C : N }, 2, &constraint));
  }
  rows = updated (system, 1);
  CHECK_INT (rows.blocks, 8);
  for (int i = 0; i < 8; i ++) check_values (&rows.values[9 * i], w, 9);
  for (int i = 0; i < 4; i ++) check_values (&rows.B[3 * i], local, 3);
  GOOD (ldy_system_multiply (system, x, 0, y, 0, 12, 1, 0));
  GOOD (ldy_system_multiply (system, x, 0, z, 0, 12, 1, LDY_MULTIPLY_THROUGH_BODIES));
  check_values (z, y, 12);
  GOOD (ldy_system_set_operators (system, constraint, (ldy_operator []) { N }, 1));
  rows = updated (system, 1);
  for (int i = 0; i < 8; i ++) check_values (&rows.values[9 * i], w, 9);
  ldy_system_destroy (system);
}

/* Axes that are not orthonormal to within 1e-8 are refused, unless they are meant; compliances that are negative in some
   direction. */
static void axes_and_compliances (void)
{
  double nearly[9] = { 1, 1e-9, 0, 0, 1, 0, 0, 0, 1 }, far[9] = { 1, 2e-8, 0, 0, 1, 0, 0, 0, 1 },
    longer[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1.00000002 };
  double compliance[9] = { 1, 2, 0, 2, 4, 0, 0, 0, 0 }, diagonal[3] = { 0, 1, -1e-3 };
  const double *bad[2] = { far, longer };
  ldy_system *system = NULL;
  int64_t body, id, constraint;

  CHECK_INT (ldy_system_create (&system), 0);
  CHECK_INT (ldy_system_add_rigid (system, 1, unit, nearly, unit, &body), 0);
  CHECK_INT (ldy_system_set_rotation (system, body, nearly), 0);
  CHECK_INT (ldy_system_add_point_constraint (system, body, LDY_GROUND, nearly, unit, NULL, &constraint), 0);
  for (int any = 0; any < 2; any ++) {
    int code = any ? 0 : LDY_ERROR_INVALID_ARGUMENT;
    CHECK_INT (ldy_system_set_option (system, LDY_OPTION_ANY_AXES, any), 0);
    for (int k = 0; k < 2; k ++) {
      CHECK_INT (ldy_system_add_rigid (system, 1, unit, bad[k], unit, &id), code);
      CHECK_INT (ldy_system_add_obstacle (system, bad[k], unit, &id), code);
      CHECK_INT (ldy_system_set_rotation (system, body, bad[k]), code);
      if (!any) CHECK_TEXT (ldy_last_error (), "body 0: its rotation is not orthonormal to within 1e-8");
      CHECK_INT (ldy_system_set_rotations (system, &body, 0, bad[k], 0, 1), code);
      CHECK_INT (ldy_system_add_point_constraint (system, body, LDY_GROUND, bad[k], unit, NULL, &id), code);
      if (!any) CHECK_TEXT (ldy_last_error (), "new constraint on body 0: its frame is not orthonormal to within 1e-8");
      CHECK_INT (ldy_system_add_point_constraints (system, &body, NULL, 0, bad[k], 0, unit, NULL, 0, 1, &id), code);
      CHECK_INT (ldy_system_move_constraint (system, constraint, bad[k], unit, NULL), code);
      if (!any) CHECK_TEXT (ldy_last_error (), "constraint 0 on body 0: its frame is not orthonormal to within 1e-8");
    }
  }
  CHECK_INT (ldy_system_set_option (NULL, LDY_OPTION_ANY_AXES, 1), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_INT (ldy_system_set_compliance (system, constraint, compliance, 9), 0); /* semi-definite */
  compliance[0] = 0.99;
  CHECK_INT (ldy_system_set_compliance (system, constraint, compliance, 9), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (ldy_last_error (), "constraint 0 on body 0: its compliance is negative in some direction");
  CHECK_INT (ldy_system_set_compliances (system, &constraint, 0, compliance, 0, 9, 1), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_INT (ldy_system_set_compliance (system, constraint, diagonal, 3), LDY_ERROR_INVALID_ARGUMENT);
  diagonal[2] = 0;
  CHECK_INT (ldy_system_set_compliance (system, constraint, diagonal, 3), 0);
  ldy_system_destroy (system);
}

int main (void)
{
  rigid ();
  pseudo_rigid ();
  inverses ();
  matrices ();
  compliance ();
  obstacles ();
  removal ();
  nodes ();
  empty ();
  axes_and_compliances ();
  return check_summary ("system_bodies");
}
