/* Regularization, factors, redundant rows, tags and kept reactions through ldy_system.h: numbers by hand and by products, and
 * what is refused. */
#include <math.h>
#include <string.h>

#include "support/small_stack.h"
#include "system/face.h"

/* A row of bodies with the masses 1, 2, 3 and so on, each held to the one before it at its center. */
static ldy_system *row_of (int bodies)
{
  ldy_system *system = NULL;
  int64_t id;

  GOOD (ldy_system_create (&system));
  for (int i = 0; i < bodies; i ++) {
    GOOD (ldy_system_add_rigid (system, 1 + i, unit, unit, origin, &id));
    GOOD (ldy_system_add_point_constraint (system, i, i ? i - 1 : LDY_GROUND, unit, origin, origin, &id));
  }
  return system;
}

/* W of a single mass of 2 at its center is 1/2; with mu it is 1/2 + mu. */
static void determinants_by_hand (ldy_factor *factor)
{
  double mu[3] = { 0.5, 1.5, 3.5 }, half = 0.5, value, x[8] = { 1, 2, 4, 77, 8, 16, 32, 77 };
  ldy_system *system = NULL;
  ldy_rows rows = { .size = sizeof rows };
  int64_t body, id;

  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_add_rigid (system, 2, unit, unit, origin, &body));
  GOOD (ldy_system_add_point_constraint (system, body, LDY_GROUND, unit, origin, NULL, &id));
  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_factor_compute (factor, system, NULL, 0));
  GOOD (ldy_factor_log_determinant (factor, &value));
  CHECK_NEAR (value, 3 * log (0.5), 1e-14);
  GOOD (ldy_factor_compute (factor, system, &half, 1));
  GOOD (ldy_factor_log_determinant (factor, &value));
  CHECK_NEAR (value, 0, 1e-14);
  GOOD (ldy_factor_compute (factor, system, mu, 3));
  GOOD (ldy_factor_log_determinant (factor, &value));
  CHECK_NEAR (value, log (1.0 * 2 * 4), 1e-14);
  GOOD (ldy_factor_solve (factor, x, 8 * 4, 3, 2));
  for (int i = 0; i < 3; i ++) CHECK_NEAR (x[i], 1, 1e-14), CHECK_NEAR (x[4 + i], 8, 1e-13);
  CHECK (x[3] == 77 && x[7] == 77);
  /* The same W with the same mu, now in the system itself. */
  GOOD (ldy_system_set_regularization (system, mu, 3));
  BAD (ldy_factor_compute (factor, system, NULL, 0), "system: no successful update since the last change");
  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_system_results (system, &rows));
  CHECK (rows.diagonal[0] == 1 && rows.diagonal[4] == 2 && rows.diagonal[8] == 4 && rows.diagonal[1] == 0);
  GOOD (ldy_factor_compute (factor, system, NULL, 0));
  GOOD (ldy_factor_log_determinant (factor, &value));
  CHECK_NEAR (value, log (1.0 * 2 * 4), 1e-14);
  ldy_system_destroy (system);
}

/* (W + mu) x = b by the products of the system, for several vectors, with W of the system and with its rows. */
static void solutions_by_products (ldy_factor *factor)
{
  enum { N = 40, SIZE = 3 * N };
  ldy_system *system = row_of (N);
  ldy_rows rows = { .size = sizeof rows };
  double mu[N], b[3 * SIZE], x[3 * SIZE], y[SIZE], through[SIZE], system_value, rows_value;

  for (int i = 0; i < N; i ++) mu[i] = 0.1 * (i % 4);
  for (int i = 0; i < 3 * SIZE; i ++) b[i] = x[i] = i % 11 - 5;
  GOOD (ldy_system_update (system, 0.5));
  GOOD (ldy_system_results (system, &rows));
  GOOD (ldy_factor_compute_rows (factor, &rows, mu, N));
  GOOD (ldy_factor_log_determinant (factor, &rows_value));
  GOOD (ldy_factor_compute (factor, system, mu, N));
  GOOD (ldy_factor_log_determinant (factor, &system_value));
  CHECK (system_value == rows_value);
  GOOD (ldy_factor_solve (factor, x, 8 * SIZE, SIZE, 3));
  for (int k = 0; k < 3; k ++) {
    GOOD (ldy_system_multiply (system, x + SIZE * k, 0, y, 0, SIZE, 1, 0));
    for (int i = 0; i < SIZE; i ++) CHECK_NEAR (y[i] + mu[i / 3] * x[SIZE * k + i], b[SIZE * k + i], 1e-11);
  }
  GOOD (ldy_factor_solve (factor, b + SIZE, 8 * SIZE, SIZE, 1));
  CHECK_SAME_BITS (b + SIZE, x + SIZE, sizeof y);
  /* In the system, both products have mu, beside a compliance; without it they are as they were. */
  for (int pass = 0; pass < 2; pass ++) {
    double zero = 0;
    GOOD (pass ? ldy_system_set_regularization (system, &zero, 1) : ldy_system_set_regularization (system, mu, N));
    if (pass == 0) GOOD (ldy_system_set_compliance (system, 5, unit, 9));
    GOOD (ldy_system_update (system, 0.5));
    GOOD (ldy_system_multiply (system, x, 0, y, 0, SIZE, 1, 0));
    GOOD (ldy_system_multiply (system, x, 0, through, 0, SIZE, 1, LDY_MULTIPLY_THROUGH_BODIES));
    for (int i = 0; i < SIZE; i ++) {
      double expected = i - 11 * (i / 11) - 5 - (pass ? mu[i / 3] * x[i] : 0) + (i / 3 == 5 ? x[i] : 0);
      CHECK_NEAR (y[i], expected, 1e-11);
      CHECK_NEAR (through[i], expected, 1e-11);
    }
  }
  ldy_system_destroy (system);
}

/* A second constraint at the center of a body adds nothing: W is singular until it is regularized. */
static void singular_matrices (ldy_factor *factor)
{
  double mu = 1e-6, bad = -0.1, x[6] = { 0 }, value;
  ldy_system *system = row_of (2);
  int64_t id;

  GOOD (ldy_system_add_point_constraint (system, 1, 0, unit, origin, origin, &id));
  GOOD (ldy_system_update (system, 1));
  CHECK_INT (ldy_factor_compute (factor, system, NULL, 0), LDY_ERROR_NOT_POSITIVE_DEFINITE);
  CHECK_TEXT (ldy_last_error (), "between bodies 1 and 0: the pivot of W + mu 1 is not positive");
  BAD (ldy_factor_log_determinant (factor, &value), "W + mu 1 has not been factored");
  BAD (ldy_factor_solve (factor, x, 8 * 6, 6, 1), "W + mu 1 has not been factored");
  GOOD (ldy_factor_compute (factor, system, &mu, 1));
  CHECK_INT (ldy_factor_compute (factor, system, &bad, 1), LDY_ERROR_NOT_POSITIVE_DEFINITE);
  ldy_system_destroy (system);
}

static void tags_and_reactions (void)
{
  ldy_system *system = row_of (3);
  uint64_t tags[4];
  ldy_rows rows = { .size = sizeof rows };
  double R[12], kept[12], point[3] = { 1, 2, 3 };
  int64_t id;

  for (int i = 0; i < 9; i ++) R[i] = 1 + i;
  GOOD (set_tag (system, 1, 1ull << 63 | 5));
  GOOD (set_tag (system, 2, 7));
  GOOD (ldy_system_store_reactions (system, R, 9));
  GOOD (ldy_system_remove_constraint (system, 0));
  GOOD (ldy_system_move_constraint (system, 2, unit, point, point));
  GOOD (ldy_system_add_point_constraint (system, 0, LDY_GROUND, unit, origin, NULL, &id));
  GOOD (ldy_system_tags (system, tags, 3));
  CHECK (tags[0] == (1ull << 63 | 5) && tags[1] == 7 && tags[2] == 0);
  GOOD (ldy_system_stored_reactions (system, kept, 9));
  CHECK_SAME_BITS (kept, R + 3, 6 * sizeof *R);
  for (int i = 6; i < 9; i ++) CHECK (kept[i] == 0);
  /* Many removals, so that gaps are closed up. */
  for (int i = 0; i < 300; i ++) {
    GOOD (ldy_system_add_point_constraint (system, 0, LDY_GROUND, unit, origin, NULL, &id));
    GOOD (set_tag (system, id, 1000 + i));
    GOOD (ldy_system_remove_constraint (system, id - 1));
  }
  GOOD (ldy_system_tags (system, tags, 3));
  CHECK (tags[0] == (1ull << 63 | 5) && tags[1] == 7 && tags[2] == 1299);
  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_system_stored_reactions (system, kept, 9));
  CHECK_SAME_BITS (kept, R + 3, 6 * sizeof *R);
  /* So have the rows of regularization. */
  for (int i = 0; i < 3; i ++) kept[i] = 100 * (i + 1);
  GOOD (ldy_system_set_regularization (system, kept, 3));
  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_system_results (system, &rows));
  for (int i = 0; i < 3; i ++) CHECK (fabs (rows.diagonal[9 * i + 8] - kept[i]) < 50);
  GOOD (ldy_system_stored_reactions (system, kept, 9));
  R[0] = NAN;
  BAD (ldy_system_store_reactions (system, R, 9), "a reaction R is not finite");
  BAD (ldy_system_store_reactions (system, R + 1, 8), "the reactions R: 8 values where 9 are needed");
  BAD (ldy_system_stored_reactions (system, kept, 6), "the reactions R: 6 values where 9 are needed");
  BAD (ldy_system_tags (system, tags, 2), "the tags: 2 values where 3 are needed");
  BAD (set_tag (system, 0, 1), "constraint 0: there is no such constraint");
  GOOD (ldy_system_stored_reactions (system, R, 9));
  CHECK_SAME_BITS (kept, R, sizeof (double[9]));
  ldy_system_destroy (system);
}

/* A door on three hinges, each a fixed point; the middle one adds nothing, the last one nothing along the axis. */
static void door (void)
{
  ldy_system *system = NULL;
  ldy_rows rows = { .size = sizeof rows }, bad;
  double point[3] = { 0.5, 0, -1 }, mu = 1e-3, compliance[3] = { 1, 1, 1 };
  int redundant[12], expected[9] = { 0, 0, 0, 0, 0, 1, 1, 1, 1 }, dimension;
  int64_t id, body;

  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_add_rigid (system, 2, unit, unit, origin, &body));
  for (int k = 0; k < 3; k ++, point[2] += 1) GOOD (ldy_system_add_point_constraint (system, 0, LDY_GROUND, unit, point, NULL, &id));
  BAD (system_redundant (system, 0, redundant, 9, &dimension), "system: no successful update");
  GOOD (ldy_system_update (system, 1));
  GOOD (system_redundant (system, 0, redundant, 9, &dimension));
  CHECK_INT (dimension, 4);
  CHECK_SAME_BITS (redundant, expected, sizeof expected);
  GOOD (ldy_system_results (system, &rows));
  GOOD (ldy_rows_redundant (&rows, 0, redundant, 9, NULL));
  CHECK_SAME_BITS (redundant, expected, sizeof expected);
  BAD (system_redundant (system, 0, redundant, 12, &dimension), "12 values");
  BAD (system_redundant (system, NAN, redundant, 9, &dimension), "the tolerance is not between 0 and 1");
  BAD (system_redundant (system, -1e-9, redundant, 9, &dimension), "the tolerance is not between 0 and 1");
  BAD (system_redundant (system, 0, NULL, 9, &dimension), "redundant is NULL");
  BAD (system_redundant (NULL, 0, redundant, 9, &dimension), "system is NULL");
  BAD (ldy_rows_redundant (&rows, 0, redundant, 12, &dimension), "redundant: 12 values where 9 are needed");
  BAD (ldy_rows_redundant (NULL, 0, redundant, 9, &dimension), "rows is NULL");
  bad = rows, bad.blocks = 8;
  BAD (ldy_rows_redundant (&bad, 0, redundant, 9, &dimension), "starts do not ascend");
  CHECK_SAME_BITS (redundant, expected, sizeof expected);
  CHECK_INT (dimension, 4);
  /* What gives way depends on nothing. */
  GOOD (ldy_system_set_compliance (system, 1, compliance, 3));
  GOOD (ldy_system_update (system, 1));
  GOOD (system_redundant (system, 0, redundant, 9, &dimension));
  CHECK_INT (dimension, 1);
  GOOD (ldy_system_set_regularization (system, &mu, 1));
  GOOD (ldy_system_update (system, 1));
  GOOD (system_redundant (system, 0, redundant, 9, &dimension));
  CHECK_INT (dimension, 0);
  ldy_system_destroy (system);
}

static void refusals (ldy_factor *factor)
{
  ldy_system *system = row_of (2);
  ldy_rows rows = { .size = sizeof rows }, bad;
  double mu[6] = { 1, 1, 1, 1, 1, NAN }, x[6] = { 0 };
  int columns[4] = { 0, 1, 1, 0 };

  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_system_results (system, &rows));
  BAD (ldy_factor_create (NULL), "factor is NULL");
  BAD (ldy_factor_compute (NULL, system, NULL, 0), "factor is NULL");
  BAD (ldy_factor_compute (factor, NULL, NULL, 0), "system is NULL");
  BAD (ldy_factor_compute (factor, system, NULL, 2), "mu is NULL");
  BAD (ldy_factor_compute (factor, system, mu, 3), "system: mu: 3 values where 2 are needed");
  BAD (ldy_factor_compute (factor, system, mu, 6), "system: mu is not finite");
  BAD (ldy_system_set_regularization (system, mu, 6), "system: mu is negative or not finite");
  BAD (ldy_system_set_regularization (system, mu, 4), "system: mu: 4 values where 2 are needed");
  BAD (ldy_system_set_regularization (system, NULL, 2), "mu is NULL");
  GOOD (ldy_system_results (system, &rows));
  BAD (ldy_factor_compute_rows (factor, NULL, NULL, 0), "rows is NULL");
  bad = rows, bad.size = 3;
  BAD (ldy_factor_compute_rows (factor, &bad, NULL, 0), "rows->size is 3");
  bad = rows, bad.values = NULL;
  BAD (ldy_factor_compute_rows (factor, &bad, NULL, 0), "rows->values is NULL");
  bad = rows, bad.rows = -1;
  BAD (ldy_factor_compute_rows (factor, &bad, NULL, 0), "rows->rows is negative");
  bad = rows, bad.columns = columns;
  BAD (ldy_factor_compute_rows (factor, &bad, NULL, 0), "constraint of row 1: its columns do not ascend");
  GOOD (ldy_factor_compute_rows (factor, &rows, NULL, 0));
  BAD (ldy_factor_solve (factor, x, 8 * 6, 3, 1), "x: 3 values where 6 are needed");
  BAD (ldy_factor_solve (factor, x, 8 * 3, 6, 2), "stride is 24 bytes");
  BAD (ldy_factor_solve (factor, NULL, 8 * 6, 6, 1), "x is NULL");
  BAD (ldy_factor_log_determinant (factor, NULL), "value is NULL");
  ldy_system_destroy (system);
}

static int tests (void)
{
  ldy_factor *factor = NULL;

  GOOD (ldy_factor_create (&factor));
  determinants_by_hand (factor);
  solutions_by_products (factor);
  singular_matrices (factor);
  tags_and_reactions ();
  door ();
  refusals (factor);
  ldy_factor_destroy (factor);
  ldy_factor_destroy (NULL);
  return check_summary ("system_direct");
}

int main (void)
{
  return on_small_stack (tests);
}
