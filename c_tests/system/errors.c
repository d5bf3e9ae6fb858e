/* Bad input to ldy_system.h: the code, a text that names what is wrong, and a system that goes on as if nothing had been. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/system_calls.h"
#include "support/check.h"

static const double unit[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, origin[3] = { 0, 0, 0 }, h6[18] = { 0 };
static const int starts[3] = { 0, 1, 2 }, rows_of[2] = { 0, 1 };
static const double twos[2] = { 2, 2 }, ones[6] = { 1, 1, 1, 1, 1, 1 };
static ldy_system *s;
static double not_a_number[144], x[12], y[12];
static int64_t id, rigid, pseudo, general, obstacle, contact, by_operator;

/* A body of every kind and three constraints; the last is on nothing that could fail. */
static void make (void)
{
  static const double dense[6] = { 1, 2, 3, 4, 5, 6 };
  ldy_operator H = { 2, NULL, NULL, dense, 6 };

  CHECK_INT (ldy_system_create (&s), 0);
  CHECK_INT (ldy_system_add_rigid (s, 1, unit, unit, origin, &rigid), 0);
  CHECK_INT (ldy_system_add_pseudo_rigid (s, 1, unit, origin, &pseudo), 0);
  CHECK_INT (ldy_system_add_body (s, SPARSE (2, starts, rows_of, twos, 2), &general), 0);
  CHECK_INT (ldy_system_add_obstacle (s, unit, origin, &obstacle), 0);
  CHECK_INT (ldy_system_add_point_constraint (s, rigid, pseudo, unit, origin, origin, &contact), 0);
  CHECK_INT (ldy_system_add_constraint_rows (s, 3, (int64_t []) { general, LDY_GROUND }, (ldy_operator []) { H, (ldy_operator) { 0 } }, 2, &by_operator), 0);
  CHECK_INT (ldy_system_add_point_constraint (s, rigid, obstacle, unit, origin, origin, &id), 0);
}

/* The results as they were before anything went wrong. */
static void is_as_before (int is_updated)
{
  ldy_rows rows = { .size = sizeof rows };

  if (!is_updated) CHECK_INT (ldy_system_update (s, 1), 0);
  CHECK_INT (ldy_system_results (s, &rows), 0);
  CHECK_INT (rows.rows, 3);
  CHECK_INT (rows.blocks, 5);
  CHECK_NEAR (rows.diagonal[0], 2, 1e-15);
  CHECK_NEAR (rows.diagonal[9], 0.5 * (1 + 16), 1e-14);
}

static void fails (int code, int want, const char *text)
{
  CHECK_INT (code, want);
  CHECK_TEXT (ldy_last_error (), text);
}

static void is_refused (int code, const char *text)
{
  fails (code, code_of_text (ldy_last_error ()), text);
}

#define BAD(...) (check_context ("%s", #__VA_ARGS__), is_refused (__VA_ARGS__))
#define FAILS(...) (check_context ("%s", #__VA_ARGS__), fails (__VA_ARGS__))

static int refuse (int size, int columns, double *values, void *data)
{
  (void) size, (void) columns, (void) values, (void) data;
  return 7;
}

static int spoil (int size, int columns, double *values, void *data)
{
  (void) size, (void) columns, (void) data;
  values[0] = NAN;
  return 0;
}

static void bodies (void)
{
  static const double skew[9] = { 1, 0.5, 0, 0, 1, 0, 0, 0, 1 }, indefinite[9] = { 1, 2, 0, 2, 1, 0, 0, 0, 1 };
  static const double negative[2] = { 1, -1 }, odd[4] = { 1, 2, 3, 4 };

  BAD (ldy_system_add_rigid (NULL, 1, unit, unit, origin, &id), "system is NULL");
  BAD (ldy_system_add_rigid (s, 1, NULL, unit, origin, &id), "inertia is NULL");
  BAD (ldy_system_add_rigid (s, 1, unit, NULL, origin, &id), "rotation is NULL");
  BAD (ldy_system_add_rigid (s, 1, unit, unit, NULL, &id), "center is NULL");
  BAD (ldy_system_add_rigid (s, 1, unit, unit, origin, NULL), "body is NULL");
  BAD (ldy_system_add_rigid (s, 0, unit, unit, origin, &id), "new body: its mass is not positive and finite");
  BAD (ldy_system_add_rigid (s, NAN, unit, unit, origin, &id), "mass");
  BAD (ldy_system_add_rigid (s, 1, skew, unit, origin, &id), "not symmetric");
  BAD (ldy_system_add_rigid (s, 1, indefinite, unit, origin, &id), "not positive definite");
  BAD (ldy_system_add_rigid (s, 1, not_a_number, unit, origin, &id), "referential inertia is not finite");
  BAD (ldy_system_add_rigid (s, 1, unit, not_a_number, origin, &id), "new body: its rotation is not finite");
  BAD (ldy_system_add_pseudo_rigid (s, 1, not_a_number, origin, &id), "Euler tensor is not finite");
  BAD (ldy_system_add_pseudo_rigid (s, 1, unit, not_a_number, &id), "centre is not finite");
  BAD (ldy_system_add_obstacle (s, unit, NULL, &id), "center is NULL");
  BAD (ldy_system_add_body (s, DENSE (0, unit), &id), "n is 0");
  BAD (ldy_system_add_body (s, DENSE (2, odd), &id), "not symmetric");
  BAD (ldy_system_add_body (s, DENSE (2, NULL), &id), "inertia->values is NULL");
  BAD (ldy_system_add_body (s, DIAGONAL (-1, unit), &id), "n is -1");
  BAD (ldy_system_add_body (s, DIAGONAL (2, negative), &id), "negative");
  BAD (ldy_system_add_body (s, DIAGONAL (2, not_a_number), &id), "not finite");
  BAD (ldy_system_add_body (s, FUNCTION (2, NULL, NULL), &id), "apply_inverse is NULL");
  BAD (ldy_system_add_body (s, FUNCTION (0, refuse, NULL), &id), "n is 0");
  BAD (ldy_system_add_rigid (s, 1e-320, unit, unit, origin, &id), "mass");
  BAD (ldy_system_add_obstacle (s, unit, origin, NULL), "body is NULL");
  BAD (ldy_system_set_rotation (s, pseudo, unit), "body 1: it is not rigid");
  BAD (ldy_system_set_rotation (s, rigid, not_a_number), "body 0: its rotation is not finite");
  BAD (ldy_system_set_rotation (s, -1, unit), "body -1: there is no such");
  BAD (ldy_system_set_rotation (s, 99, unit), "body 99: there is no such");
  BAD (ldy_system_set_inertia (s, general, MASS (1, unit)), "body 2: it is neither rigid nor pseudo-rigid");
  BAD (ldy_system_set_inertia (s, obstacle, MASS (1, unit)), "body 3: it cannot become an obstacle");
  BAD (ldy_system_set_inertia (s, rigid, MASS (-1, unit)), "body 0: its mass");
  BAD (ldy_system_set_inertia (s, rigid, DENSE (6, not_a_number)), "body 0: the dense inverse is not finite");
  BAD (ldy_system_set_inertia (s, rigid, DIAGONAL (6, NULL)), "inertia->values is NULL");
  BAD (ldy_system_set_velocity (s, rigid, LDY_VELOCITY_FREE, not_a_number, 6), "body 0: its generalized velocity is not finite");
  BAD (ldy_system_set_velocity (s, rigid, LDY_VELOCITY_FREE, NULL, 6), "velocity is NULL");
  BAD (ldy_system_set_velocity (s, 17, LDY_VELOCITY_PREVIOUS, ones, 6), "body 17: there is no such");
  BAD (ldy_system_velocity (s, rigid, LDY_VELOCITY_FREE, NULL, 6), "velocity is NULL");
  BAD (ldy_system_velocity (s, 17, LDY_VELOCITY_FREE, x, 6), "body 17");
  BAD (ldy_system_remove_body (s, rigid), "body 0: constraint 0 acts on it");
  BAD (ldy_system_remove_body (s, 17), "body 17");
}

static void matrices (void)
{
  static const int descending[3] = { 0, 2, 1 }, outside[2] = { 0, 2 }, above[2] = { 1, 1 }, negative[3] = { 0, 1, -1 };
  static const int all_starts[3] = { 0, 2, 4 }, all_rows[4] = { 0, 1, 0, 1 }, missing[3] = { 0, 1, 3 }, upper[3] = { 0, 0, 1 };
  static const int twice_starts[3] = { 0, 2, 3 }, twice_rows[3] = { 0, 0, 1 };
  static const double skew[4] = { 2, 1, -1, 2 };

  FAILS (ldy_system_add_body (s, SPARSE (2, descending, rows_of, twos, 2), &id), LDY_ERROR_INVALID_FORMAT, "new body: its matrix A: starts");
  FAILS (ldy_system_add_body (s, SPARSE (2, negative, rows_of, twos, 2), &id), LDY_ERROR_INVALID_FORMAT, "starts");
  FAILS (ldy_system_add_body (s, SPARSE (2, twice_starts, twice_rows, ones, 3), &id), LDY_ERROR_INVALID_FORMAT, "new body: its matrix A");
  FAILS (ldy_system_add_body (s, SPARSE (2, starts, outside, twos, 2), &id), LDY_ERROR_INVALID_FORMAT, "a row index lies outside");
  FAILS (ldy_system_add_body (s, SPARSE (2, starts, above, twos, 2), &id), LDY_ERROR_NOT_POSITIVE_DEFINITE, "not positive definite in row 0");
  BAD (ldy_system_add_body (s, SPARSE (2, starts, rows_of, not_a_number, 2), &id), "non-finite");
  BAD (ldy_system_add_body (s, SPARSE (2, all_starts, all_rows, skew, 4), &id), "not symmetric");
  BAD (ldy_system_add_body (s, SPARSE (2, missing, upper, ones, 3), &id), "new body: the matrix A is not symmetric");
  BAD (ldy_system_add_body (s, SPARSE (2, NULL, rows_of, twos, 2), &id), "starts is NULL");
  BAD (ldy_system_set_inertia (s, general, SPARSE (2, starts, NULL, twos, 2)), "rows is NULL");
}

static void constraints (void)
{
  static const int bad_starts[3] = { 0, 2, 1 }, late_starts[3] = { 1, 1, 2 }, bad_rows[2] = { 0, 3 };
  static const int mirrored[3][2] = { { 1, 3 }, { 2, 6 }, { 5, 7 } };
  ldy_operator H = { 2, NULL, NULL, h6, 6 }, none = { 2, NULL, NULL, NULL, 6 }, nan = { 2, NULL, NULL, not_a_number, 6 };
  ldy_operator six = { 6, NULL, NULL, h6, 18 };
  ldy_operator descending = { 2, bad_starts, rows_of, ones, 2 }, outside = { 2, starts, bad_rows, ones, 2 };
  ldy_operator late = { 2, late_starts, rows_of, ones, 2 };
  static const int bad_nodes[4][2] = { { 0, 0 }, { 1, 0 }, { 0, 2 }, { -1, 0 } };
  const double not_finite[11] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, not_a_number[0] };
  ldy_operator nodal = { 6, NULL, NULL, h6, 11 }, without = { 6, NULL, rows_of, h6, 8 };
  ldy_operator uneven = { 2, NULL, rows_of, h6, 11 };
  double compliance[9];

  BAD (ldy_system_add_point_constraint (s, rigid, 9, unit, origin, origin, &id),
    "new constraint between bodies 0 and 9: there is no body 9");
  BAD (ldy_system_add_point_constraint (s, -2, rigid, unit, origin, origin, &id), "body -2");
  BAD (ldy_system_add_point_constraint (s, LDY_GROUND, LDY_GROUND, unit, NULL, NULL, &id),
    "new constraint: both of its bodies are the ground");
  BAD (ldy_system_add_point_constraint (s, rigid, general, unit, origin, origin, &id),
    "new constraint between bodies 0 and 2: a body of it is neither rigid");
  BAD (ldy_system_add_point_constraint (s, rigid, pseudo, NULL, origin, origin, &id), "frame is NULL");
  BAD (ldy_system_add_point_constraint (s, rigid, pseudo, unit, NULL, origin, &id), "master_point is NULL");
  BAD (ldy_system_add_point_constraint (s, rigid, pseudo, unit, origin, NULL, &id), "slave_point is NULL");
  BAD (ldy_system_add_point_constraint (s, rigid, pseudo, not_a_number, origin, origin, &id),
    "new constraint between bodies 0 and 1: its frame is not finite");
  BAD (ldy_system_add_point_constraint (s, rigid, LDY_GROUND, unit, not_a_number, NULL, &id),
    "new constraint on body 0: a point of it is not finite");
  BAD (ldy_system_add_point_constraint (s, rigid, pseudo, unit, origin, origin, NULL), "constraint is NULL");
  BAD (ldy_system_add_constraint_rows (s, 3, (int64_t []) { general, LDY_GROUND }, (ldy_operator []) { (ldy_operator) { 0 }, (ldy_operator) { 0 } }, 2, &id), "its columns: 0 values");
  BAD (ldy_system_add_constraint_rows (s, 3, (int64_t []) { general, LDY_GROUND }, (ldy_operator []) { none, (ldy_operator) { 0 } }, 2, &id), "values of an operator H is NULL");
  BAD (ldy_system_add_constraint_rows (s, 3, (int64_t []) { general, LDY_GROUND }, (ldy_operator []) { nan, (ldy_operator) { 0 } }, 2, &id),
    "new constraint, operator H of body 2: its operator H is not finite");
  BAD (ldy_system_add_constraint_rows (s, 3, (int64_t []) { general, LDY_GROUND }, (ldy_operator []) { descending, (ldy_operator) { 0 } }, 2, &id), "do not ascend");
  BAD (ldy_system_add_constraint_rows (s, 3, (int64_t []) { general, LDY_GROUND }, (ldy_operator []) { late, (ldy_operator) { 0 } }, 2, &id), "do not ascend from 0");
  BAD (ldy_system_add_constraint_rows (s, 3, (int64_t []) { general, LDY_GROUND }, (ldy_operator []) { outside, (ldy_operator) { 0 } }, 2, &id), "is not 0, 1 or 2");
  BAD (ldy_system_add_constraint_rows (s, 3, (int64_t []) { 9, LDY_GROUND }, (ldy_operator []) { H, (ldy_operator) { 0 } }, 2, &id), "body 9");
  BAD (ldy_system_add_constraint_rows (s, 3, (int64_t []) { general, LDY_GROUND }, (ldy_operator []) { uneven, (ldy_operator) { 0 } }, 2, &id), "has not three velocities for each");
  BAD (ldy_system_add_constraint_rows (s, 3, (int64_t []) { rigid, LDY_GROUND }, (ldy_operator []) { without, (ldy_operator) { 0 } }, 2, &id), "starts of an operator H is NULL");
  for (int i = 0; i < 4; i ++) {
    nodal.rows = bad_nodes[i];
    BAD (ldy_system_add_constraint_rows (s, 3, (int64_t []) { rigid, LDY_GROUND }, (ldy_operator []) { nodal, (ldy_operator) { 0 } }, 2, &id),
      "new constraint, operator H of body 0: nodes of its operator H do not ascend");
  }
  nodal.rows = rows_of;
  nodal.values = not_finite;
  BAD (ldy_system_add_constraint_rows (s, 3, (int64_t []) { rigid, LDY_GROUND }, (ldy_operator []) { nodal, (ldy_operator) { 0 } }, 2, &id),
    "new constraint, operator H of body 0: its operator H is not finite");
  BAD (ldy_system_add_constraint_rows (s, 3, (int64_t []) { LDY_GROUND, LDY_GROUND }, (ldy_operator []) { (ldy_operator) { 0 }, (ldy_operator) { 0 } }, 2, &id), "both of its bodies");
  BAD (ldy_system_move_constraint (s, by_operator, unit, origin, NULL), "constraint 1 on body 2: it is placed");
  BAD (ldy_system_move_constraint (s, contact, unit, not_a_number, origin), "constraint 0 between bodies 0 and 1: a point");
  BAD (ldy_system_move_constraint (s, 9, unit, origin, origin), "constraint 9: there is no such");
  BAD (ldy_system_set_operators (s, contact, (ldy_operator []) { six }, 1), "its operators H: 1 values where 2");
  BAD (ldy_system_set_operators (s, -1, (ldy_operator []) { H }, 1), "constraint -1");
  BAD (ldy_system_set_compliance (s, contact, not_a_number, 9), "compliance is not finite");
  for (int i = 0; i < 6; i ++) {
    memcpy (compliance, unit, sizeof compliance);
    compliance[mirrored[i % 3][i / 3]] = 1e-9;
    BAD (ldy_system_set_compliance (s, contact, compliance, 9),
      "constraint 0 between bodies 0 and 1: its compliance is not symmetric");
  }
  BAD (ldy_system_set_compliance (s, contact, NULL, 3), "compliance is NULL");
  BAD (ldy_system_set_compliance (s, 9, origin, 3), "constraint 9");
  BAD (ldy_system_remove_constraint (s, 9), "constraint 9");
}

/* Arrays of other lengths than the system needs: nothing is written. */
static void lengths (void)
{
  const size_t wrong[] = { 0, 1, 5, 7, 8, 10, 12, (size_t) -1 };
  const double nine[9] = { 9, 9, 9, 9, 9, 9, 9, 9, 9 };
  double out[9];

  memcpy (out, nine, sizeof out);
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k ++) {
    ldy_operator H = { 2, NULL, NULL, ones, wrong[k] }, columns = { (int) wrong[k], NULL, NULL, ones, 6 };
    ldy_operator cut = { 2, starts, rows_of, twos, wrong[k] };

    BAD (ldy_system_set_velocity (s, rigid, LDY_VELOCITY_FREE, x, wrong[k]), wrong[k] > 12 ? "is too large" : "values");
    BAD (ldy_system_set_velocity (s, rigid, LDY_VELOCITY_PREVIOUS, x, wrong[k]), wrong[k] > 12 ? "is too large" : "values");
    BAD (ldy_system_velocity (s, rigid, LDY_VELOCITY_FREE, out, wrong[k]), wrong[k] > 12 ? "is too large" : "values");
    BAD (ldy_system_set_inertia (s, rigid, DENSE ((int) wrong[k], not_a_number)), wrong[k] - 1 < 12 ? "body 0" : "n is ");
    BAD (ldy_system_set_inertia (s, rigid, DIAGONAL ((int) wrong[k], x)), wrong[k] - 1 < 12 ? "body 0" : "n is ");
    CHECK (ldy_system_set_inertia (s, general, SPARSE (2, starts, rows_of, twos, wrong[k])) != 0);
    CHECK (ldy_system_add_body (s, SPARSE (2, starts, rows_of, twos, wrong[k]), &id) != 0);
    BAD (ldy_system_multiply (s, x, 0, out, 0, wrong[k], 1, 0), wrong[k] > 12 ? "is too large" : "values");
    BAD (ldy_system_multiply (s, x, 0, out, 0, wrong[k], 1, LDY_MULTIPLY_THROUGH_BODIES), wrong[k] > 12 ? "is too large" : "values");
    BAD (ldy_system_constraint_force (s, rigid, x, wrong[k], out, 6), wrong[k] > 12 ? "is too large" : "values");
    BAD (ldy_system_constraint_force (s, rigid, x, 9, out, wrong[k]), wrong[k] > 12 ? "is too large" : "values");
    BAD (ldy_system_apply_reactions (s, x, wrong[k]), wrong[k] > 12 ? "is too large" : "values");
    BAD (ldy_system_set_operators (s, by_operator, (ldy_operator []) { H }, 1), wrong[k] > 12 ? "is too large" : "operator H");
    BAD (ldy_system_set_operators (s, by_operator, (ldy_operator []) { columns }, 1), "values where 2 are needed");
    BAD (ldy_system_set_operators (s, by_operator, (ldy_operator []) { cut }, 1), wrong[k] > 12 ? "is too large" : "operator H");
  }
  BAD (ldy_system_set_inertia (s, general, SPARSE (1, starts, rows_of, twos, 1)), "body 2");
  BAD (ldy_system_set_inertia (s, rigid, DIAGONAL (7, x)), "body 0: inertia->n: 7 values where 6 are needed");
  BAD (ldy_system_multiply (s, x, 0, out, 0, 8, 1, 0), "8 values where 9 are needed");
  BAD (ldy_system_velocity (s, rigid, LDY_VELOCITY_FREE, out, 5), "body 0: velocity: 5 values where 6 are needed");
  CHECK_SAME_BITS (out, nine, sizeof out);
}

static void results (int is_updated)
{
  const char *stale = "system: no successful update since the last change";
  ldy_rows rows = { .size = sizeof rows };
  double value;
  int row;

  BAD (ldy_system_update (s, 0), "the step h is not positive and finite");
  BAD (ldy_system_update (s, -1), "the step h is not positive and finite");
  BAD (ldy_system_update (s, NAN), "the step h is not positive and finite");
  BAD (ldy_system_update (s, INFINITY), "the step h is not positive and finite");
  BAD (ldy_system_results (s, NULL), "rows is NULL");
  BAD (ldy_system_row_of (s, 9, &row), "constraint 9");
  if (is_updated) {
    BAD (ldy_system_multiply (s, NULL, 0, y, 0, 9, 1, 0), "x is NULL");
    BAD (ldy_system_multiply (s, x, 0, NULL, 0, 9, 1, 0), "y is NULL");
    BAD (ldy_system_multiply (s, NULL, 0, y, 0, 9, 1, LDY_MULTIPLY_THROUGH_BODIES), "x is NULL");
    BAD (ldy_system_constraint_force (s, rigid, x, 9, NULL, 6), "force is NULL");
    BAD (ldy_system_constraint_force (s, 9, x, 9, y, 6), "body 9");
    BAD (ldy_system_apply_reactions (s, NULL, 9), "R is NULL");
    BAD (ldy_system_spectral_radius (s, NAN, 10, &value, NULL), "tolerance is not finite");
    BAD (ldy_system_spectral_radius (s, 0.1, 10, NULL, NULL), "value is NULL");
    BAD (system_write (s, NULL, LDY_FILE_FORMAT_MATRIX_MARKET), "path is NULL");
    BAD (system_write (s, NULL, LDY_FILE_FORMAT_NPZ), "path is NULL");
    BAD (ldy_system_check_inverses (NULL), "system is NULL");
    FAILS (system_write (s, "/no/such/place", LDY_FILE_FORMAT_NPZ), LDY_ERROR_FILE_OPEN, "/no/such/place");
    FAILS (system_write (s, "/dev/full", LDY_FILE_FORMAT_NPZ), LDY_ERROR_FILE_WRITE, "/dev/full");
    FAILS (system_write (s, "/dev/full", LDY_FILE_FORMAT_MATRIX_MARKET), LDY_ERROR_FILE_WRITE, "/dev/full");
  } else {
    BAD (ldy_system_results (s, &rows), stale);
    BAD (ldy_system_multiply (s, x, 0, y, 0, 9, 1, 0), stale);
    BAD (ldy_system_multiply (s, x, 0, y, 0, 9, 1, LDY_MULTIPLY_THROUGH_BODIES), stale);
    BAD (ldy_system_apply_reactions (s, x, 9), stale);
    BAD (ldy_system_constraint_force (s, rigid, x, 9, y, 6), stale);
    BAD (ldy_system_spectral_radius (s, 0.1, 10, &value, NULL), stale);
    BAD (ldy_system_check_inverses (s), stale);
    BAD (ldy_system_row_of (s, contact, &row), stale);
    BAD (system_write (s, "/dev/null", LDY_FILE_FORMAT_MATRIX_MARKET), stale);
    BAD (system_write (s, "/dev/null", LDY_FILE_FORMAT_NPZ), stale);
  }
}

/* What only an update can find. */
static void updates (void)
{
  static const double indefinite[2] = { 2, -2 }, huge[6] = { 1e200, 0, 0, 0, 0, 0 };
  static const double far[3] = { 0, 1e200, 0 };
  ldy_operator H = { 2, NULL, NULL, ones, 6 }, zero = { 2, NULL, NULL, h6, 6 };
  int64_t solver, constraint;

  CHECK_INT (ldy_system_set_inertia (s, general, SPARSE (2, starts, rows_of, indefinite, 2)), 0);
  FAILS (ldy_system_update (s, 1), LDY_ERROR_NOT_POSITIVE_DEFINITE, "body 2: its matrix A: not positive definite in row 1");
  BAD (ldy_system_multiply (s, x, 0, y, 0, 9, 1, 0), "no successful update");
  CHECK_INT (ldy_system_set_inertia (s, general, SPARSE (2, starts, rows_of, twos, 2)), 0);
  CHECK_INT (ldy_system_set_velocity (s, rigid, LDY_VELOCITY_FREE, huge, 6), 0);
  CHECK_INT (ldy_system_add_point_constraint (s, rigid, LDY_GROUND, unit, far, NULL, &constraint), 0);
  BAD (ldy_system_update (s, 1), "constraint 3 on body 0: its velocity V or B is not finite");
  CHECK_INT (ldy_system_set_velocity (s, rigid, LDY_VELOCITY_FREE, h6, 6), 0);
  CHECK_INT (ldy_system_set_velocity (s, rigid, LDY_VELOCITY_PREVIOUS, huge, 6), 0);
  BAD (ldy_system_update (s, 1), "constraint 3 on body 0: its velocity V or B is not finite");
  CHECK_INT (ldy_system_set_velocity (s, rigid, LDY_VELOCITY_PREVIOUS, h6, 6), 0);
  BAD (ldy_system_update (s, 1), "constraint 3 on body 0: its diagonal block of W is not finite");
  CHECK_INT (ldy_system_remove_constraint (s, constraint), 0);
  CHECK_INT (ldy_system_add_body (s, FUNCTION (2, refuse, NULL), &solver), 0);
  CHECK_INT (ldy_system_add_constraint_rows (s, 3, (int64_t []) { solver, LDY_GROUND }, (ldy_operator []) { H, (ldy_operator) { 0 } }, 2, &constraint), 0);
  FAILS (ldy_system_update (s, 1), LDY_ERROR_SINGULAR, "body 4: its solver returned 7");
  CHECK_INT (ldy_system_set_inertia (s, general, SPARSE (2, starts, rows_of, indefinite, 2)), 0); /* matrices come before solvers */
  FAILS (ldy_system_update (s, 1), LDY_ERROR_NOT_POSITIVE_DEFINITE, "body 2: its matrix A: not positive definite in row 1");
  CHECK_INT (ldy_system_set_inertia (s, general, SPARSE (2, starts, rows_of, twos, 2)), 0);
  CHECK_INT (ldy_system_remove_constraint (s, constraint), 0);
  CHECK_INT (ldy_system_remove_body (s, solver), 0);
  CHECK_INT (ldy_system_add_body (s, FUNCTION (2, spoil, NULL), &solver), 0);
  CHECK_INT (ldy_system_add_constraint_rows (s, 3, (int64_t []) { solver, LDY_GROUND }, (ldy_operator []) { H, (ldy_operator) { 0 } }, 2, &constraint), 0);
  BAD (ldy_system_update (s, 1), "constraint 5 on body 5: its diagonal block of W is not finite");
  /* Also where no operator reads the values. */
  CHECK_INT (ldy_system_set_operators (s, constraint, (ldy_operator []) { zero }, 1), 0);
  BAD (ldy_system_update (s, 1), "constraint 5 on body 5: its diagonal block of W is not finite");
  CHECK_INT (ldy_system_remove_constraint (s, constraint), 0);
  CHECK_INT (ldy_system_remove_body (s, solver), 0);
}

/* A step that is too large for W takes the results of the step before away. */
static void large_step (void)
{
  ldy_rows rows = { .size = sizeof rows };

  is_as_before (0);
  BAD (ldy_system_update (s, 1e308), "its diagonal block of W is not finite");
  BAD (ldy_system_results (s, &rows), "no successful update");
  BAD (ldy_system_multiply (s, x, 0, y, 0, 9, 1, 0), "no successful update");
}

/* If many bodies and rows fail, the first ones are named. */
static void first_of_many (void)
{
  static const double indefinite[2] = { 2, -2 }, huge[6] = { 1e200, 0, 0, 0, 0, 0 };
  ldy_operator H = { 2, NULL, NULL, ones, 6 }, far = { 2, NULL, NULL, huge, 6 };
  int64_t body, constraint;
  ldy_system *t;

  CHECK_INT (ldy_system_create (&t), 0);
  for (int k = 0; k < 400; k ++) {
    CHECK_INT (ldy_system_add_body (t, SPARSE (2, starts, rows_of, twos, 2), &body), 0);
    CHECK_INT (ldy_system_add_constraint_rows (t, 3, (int64_t []) { body, LDY_GROUND }, (ldy_operator []) { H, (ldy_operator) { 0 } }, 2, &constraint), 0);
  }
  for (int k = 10; k < 400; k += 380) CHECK_INT (ldy_system_set_operators (t, k, (ldy_operator []) { far }, 1), 0);
  BAD (ldy_system_update (t, 1), "constraint 10 on body 10: its diagonal block of W is not finite");
  for (int k = 10; k < 400; k += 380) CHECK_INT (ldy_system_set_inertia (t, k, SPARSE (2, starts, rows_of, indefinite, 2)), 0);
  FAILS (ldy_system_update (t, 1), LDY_ERROR_NOT_POSITIVE_DEFINITE, "body 10: its matrix A");
  ldy_system_destroy (t);
}

/* The inverse of a diagonal block that rounding alone keeps from being singular would be rounding errors alone. */
static void almost_singular (void)
{
  double inverse[3] = { 1, 1, 1e-15 };
  ldy_operator E = { 3, NULL, NULL, unit, 9 };
  int64_t body, constraint;
  ldy_system *t;

  CHECK_INT (ldy_system_create (&t), 0);
  CHECK_INT (ldy_system_add_body (t, DIAGONAL (3, inverse), &body), 0);
  CHECK_INT (ldy_system_add_constraint_rows (t, 3, (int64_t []) { body, LDY_GROUND }, (ldy_operator []) { E, (ldy_operator) { 0 } }, 2, &constraint), 0);
  CHECK_INT (ldy_system_update (t, 1), 0);
  FAILS (ldy_system_check_inverses (t), LDY_ERROR_SINGULAR, "constraint 0 on body 0");
  inverse[2] = 1e-12;
  CHECK_INT (ldy_system_set_inertia (t, body, DIAGONAL (3, inverse)), 0);
  CHECK_INT (ldy_system_update (t, 1), 0);
  CHECK_INT (ldy_system_check_inverses (t), 0);
  ldy_system_destroy (t);
}

/* If a compliance is symmetric only up to rounding, W and the product through the bodies read the same half. */
static void rounded_compliance (void)
{
  double compliance[9] = { 1, 0.5, 0.5, 0.5 + 4e-11, 1, 0.5, 0.5 - 4e-11, 0.5 + 2e-11, 1 };
  double force[9] = { 1, 2, 3 }, by_blocks[9], by_bodies[9];

  CHECK_INT (ldy_system_set_compliance (s, contact, compliance, 9), 0);
  CHECK_INT (ldy_system_update (s, 1), 0);
  CHECK_INT (ldy_system_multiply (s, force, 0, by_blocks, 0, 9, 1, 0), 0);
  CHECK_INT (ldy_system_multiply (s, force, 0, by_bodies, 0, 9, 1, LDY_MULTIPLY_THROUGH_BODIES), 0);
  for (int i = 0; i < 9; i ++) CHECK_NEAR (by_bodies[i], by_blocks[i], 1e-13);
  CHECK_INT (ldy_system_set_compliance (s, contact, NULL, 0), 0);
}

/* A body whose solver has failed gets a diagonal inverse, with which its operators are by nodes: nothing of the solver's is
 * left. */
static void after_a_solver (void)
{
  static const int node[1] = { 0 };
  static const double inverse[3] = { 1, 2, 3 }, values[10] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.5 };
  static const ldy_apply_inverse failing[2] = { refuse, spoil };
  ldy_operator H = { 3, NULL, node, values, 10 };
  ldy_rows rows = { .size = sizeof rows };
  int64_t body, constraint;
  ldy_system *t;

  for (int k = 0; k < 2; k ++) {
    CHECK_INT (ldy_system_create (&t), 0);
    CHECK_INT (ldy_system_add_body (t, FUNCTION (3, failing[k], NULL), &body), 0);
    CHECK_INT (ldy_system_add_constraint_rows (t, 3, (int64_t []) { body, LDY_GROUND }, (ldy_operator []) { H, (ldy_operator) { 0 } }, 2, &constraint), 0);
    CHECK (ldy_system_update (t, 1) != 0);
    CHECK_INT (ldy_system_set_inertia (t, body, DIAGONAL (3, inverse)), 0);
    if (CHECK_INT (ldy_system_update (t, 1), 0)) {
      CHECK_INT (ldy_system_results (t, &rows), 0);
      CHECK_NEAR (rows.diagonal[8], 0.25 * inverse[2], 0);
    }
    ldy_system_destroy (t);
  }
}

/* Blocks beside the diagonal can be too large where those on it are not: h H A^-1 H^T of a body whose A^-1 is no inverse of a
   mass. */
static void overflow (void)
{
  static const double swap[4] = { 0, 1e150, 1e150, 0 };
  static const double first[6] = { 1e100, 0, 0, 0, 0, 0 }, second[6] = { 0, 0, 0, 1e100, 0, 0 };
  ldy_operator H1 = { 2, NULL, NULL, first, 6 }, H2 = { 2, NULL, NULL, second, 6 };
  int64_t body, constraint;
  ldy_rows rows = { .size = sizeof rows };
  ldy_system *t;

  CHECK_INT (ldy_system_create (&t), 0);
  CHECK_INT (ldy_system_add_body (t, DENSE (2, swap), &body), 0);
  CHECK_INT (ldy_system_add_constraint_rows (t, 3, (int64_t []) { body, LDY_GROUND }, (ldy_operator []) { H1, (ldy_operator) { 0 } }, 2, &constraint), 0);
  CHECK_INT (ldy_system_add_constraint_rows (t, 3, (int64_t []) { body, LDY_GROUND }, (ldy_operator []) { H1, (ldy_operator) { 0 } }, 2, &constraint), 0);
  CHECK_INT (ldy_system_add_constraint_rows (t, 3, (int64_t []) { body, LDY_GROUND }, (ldy_operator []) { H2, (ldy_operator) { 0 } }, 2, &constraint), 0);
  BAD (ldy_system_update (t, 1), "constraint 0 on body 0: its block of W with constraint 2 is not finite");
  BAD (ldy_system_results (t, &rows), "no successful update");
  CHECK_INT (ldy_system_set_operators (t, 2, (ldy_operator []) { H1 }, 1), 0);
  CHECK_INT (ldy_system_update (t, 1), 0);
  ldy_system_destroy (t);
}

/* 46341 constraints on one body have more than 2^31 blocks. */
static void too_many_blocks (void)
{
  double one = 1, h[3] = { 1, 2, 3 };
  ldy_operator H = { 1, NULL, NULL, h, 3 };
  int64_t body, constraint;
  int k, code = 0;
  ldy_system *t;

  CHECK_INT (ldy_system_create (&t), 0);
  CHECK_INT (ldy_system_add_body (t, DIAGONAL (1, &one), &body), 0);
  for (k = 0; k < 46341 && !code; k ++) code = ldy_system_add_constraint_rows (t, 3, (int64_t []) { body, LDY_GROUND }, (ldy_operator []) { H, (ldy_operator) { 0 } }, 2, &constraint);
  CHECK_INT (code, 0);
  BAD (ldy_system_update (t, 1), "system: W has more blocks than an int can count");
  BAD (ldy_system_row_of (t, 0, &k), "no successful update");
  for (k = 0; k < 46340 && !code; k ++) code = ldy_system_remove_constraint (t, k);
  CHECK_INT (code, 0);
  CHECK_INT (ldy_system_update (t, 1), 0);
  ldy_system_destroy (t);
}

static int calls;

/* Halves, but fails in the second call. */
static int halve_once (int size, int columns, double *values, void *data)
{
  (void) data;
  if (++ calls == 2) return 3;
  for (int i = 0; i < size * columns; i ++) values[i] /= 2;
  return 0;
}

/* Reactions that cannot be added leave the velocities of all bodies, and the rows. */
static void reactions (void)
{
  static const double ones9[3] = { 1, 1, 1 }, huge[3] = { 1e308, 0, 0 };
  double R[6] = { 1, 2, 3, 4, 5, 6 }, bad[6] = { 0, 0, 0, 0, INFINITY, 0 }, large[6] = { 1e308, 0, 0, 0, 0, 0 };
  double velocity[6], before[6] = { 0 }, h[3] = { 1, 2, 3 };
  ldy_operator H = { 1, NULL, NULL, h, 3 };
  int64_t first, solver, constraint;
  ldy_rows rows = { .size = sizeof rows };
  ldy_system *t;

  calls = 0;
  CHECK_INT (ldy_system_create (&t), 0);
  CHECK_INT (ldy_system_add_body (t, DIAGONAL (3, ones9), &first), 0);
  CHECK_INT (ldy_system_add_body (t, FUNCTION (1, halve_once, NULL), &solver), 0);
  {
    ldy_operator E = { 3, NULL, NULL, unit, 9 };
    CHECK_INT (ldy_system_add_constraint_rows (t, 3, (int64_t []) { first, LDY_GROUND }, (ldy_operator []) { E, (ldy_operator) { 0 } }, 2, &constraint), 0);
  }
  CHECK_INT (ldy_system_add_constraint_rows (t, 3, (int64_t []) { solver, LDY_GROUND }, (ldy_operator []) { H, (ldy_operator) { 0 } }, 2, &constraint), 0);
  CHECK_INT (ldy_system_set_velocity (t, first, LDY_VELOCITY_FREE, huge, 3), 0);
  before[0] = huge[0];
  CHECK_INT (ldy_system_update (t, 1), 0);
  FAILS (ldy_system_apply_reactions (t, R, 6), LDY_ERROR_SINGULAR, "body 1: its solver returned 3");
  BAD (ldy_system_apply_reactions (t, bad, 6), "system: a reaction R is not finite");
  BAD (ldy_system_apply_reactions (t, large, 6), "body 0: its velocity with the reactions R is not finite");
  CHECK_INT (ldy_system_velocity (t, first, LDY_VELOCITY_FREE, velocity, 3), 0);
  CHECK_SAME_BITS (velocity, before, 3 * sizeof (double));
  CHECK_INT (ldy_system_results (t, &rows), 0);
  CHECK_INT (ldy_system_apply_reactions (t, R, 6), 0);
  CHECK_INT (ldy_system_velocity (t, solver, LDY_VELOCITY_FREE, velocity, 1), 0);
  CHECK_NEAR (velocity[0], 0.5 * (4 + 2 * 5 + 3 * 6), 1e-14);
  BAD (ldy_system_results (t, &rows), "no successful update");
  ldy_system_destroy (t);
}

int main (void)
{
  for (int i = 0; i < 144; i ++) not_a_number[i] = NAN;
  make ();
  CHECK_INT (ldy_system_create (NULL), LDY_ERROR_INVALID_ARGUMENT);
  bodies ();
  matrices ();
  constraints ();
  results (0);
  is_as_before (0);
  bodies ();
  matrices ();
  constraints ();
  is_as_before (1);
  results (1);
  lengths ();
  is_as_before (1);
  updates ();
  is_as_before (0);
  large_step ();
  is_as_before (0);
  rounded_compliance ();
  is_as_before (0);
  ldy_system_destroy (s);
  first_of_many ();
  almost_singular ();
  after_a_solver ();
  overflow ();
  too_many_blocks ();
  reactions ();
  return check_summary ("system_errors");
}
