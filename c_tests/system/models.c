/* Bodies whose A^-1 one function applies to all of them at once: how often it is called, and what is refused. Values are compared
 * in random calls (calls.c), with bodies that have a function each. */
#include <math.h>
#include <stdlib.h>

#include "support/failing_allocator.h"
#include "system/face.h"

/* The function counts calls and columns, returns `fails`, and writes a NaN if it `spoils`. */
typedef struct {
  int calls, columns, fails, spoils;
} MODEL;

/* The inverses of three bodies of one velocity each are 1, 2 and 3. */
static int apply (int size, int columns, double *x, void *data)
{
  MODEL *model = data;

  CHECK_INT (size, 3);
  model->calls ++;
  model->columns += columns;
  for (int k = 0; k < size * columns; k ++) x[k] *= 1 + k % size;
  if (model->spoils) x[size - 1] = NAN;
  return model->fails;
}

static const double one[3] = { 1, 0, 0 };

static ldy_system *three (MODEL *model, int64_t *ids)
{
  static const int sizes[3] = { 1, 1, 1 };
  ldy_system *system = NULL;

  *model = (MODEL) { 0 };
  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_add_model (system, sizes, 3, apply, model, NULL, ids));
  return system;
}

static void test_counts (void)
{
  ldy_operator H = { 1, NULL, NULL, one, 3 };
  int64_t ids[3], id;
  MODEL model;
  ldy_system *system = three (&model, ids);
  double x[9] = { 1, 0, 0, 1, 0, 0, 1, 0, 0 }, y[9];

  check_context ("calls and columns");
  GOOD (ldy_system_update (system, 1));
  CHECK_INT (model.calls, 0); /* no constraints */
  for (int k = 0; k < 2; k ++) GOOD (ldy_system_add_constraint_rows (system, 3, (int64_t []) { ids[1], LDY_GROUND }, (ldy_operator []) { H, (ldy_operator) { 0 } }, 2, &id));
  GOOD (ldy_system_add_constraint_rows (system, 3, (int64_t []) { ids[2], LDY_GROUND }, (ldy_operator []) { H, (ldy_operator) { 0 } }, 2, &id));
  GOOD (ldy_system_update (system, 1));
  CHECK_INT (model.calls, 1);
  CHECK_INT (model.columns, 6); /* for the two constraints on the second body, not for all three */
  GOOD (ldy_system_update (system, 1));
  CHECK_INT (model.calls, 2);
  CHECK_INT (model.columns, 12);
  GOOD (ldy_system_multiply (system, x, 0, y, 0, 9, 1, LDY_MULTIPLY_THROUGH_BODIES));
  CHECK_INT (model.calls, 3);
  CHECK_INT (model.columns, 13);
  CHECK (y[0] == 4 && y[3] == 4 && y[6] == 3);

  check_context ("errors");
  model.fails = 7;
  CHECK_INT (ldy_system_update (system, 1), LDY_ERROR_SINGULAR);
  CHECK_TEXT (ldy_last_error (), "body 1: its solver returned 7");
  model.fails = 0;
  model.spoils = 1;
  CHECK_INT (ldy_system_update (system, 1), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (ldy_last_error (), "constraint 2 on body 2: its diagonal block of W is not finite");
  model.spoils = 0;
  GOOD (ldy_system_update (system, 1));
  model.fails = 9;
  CHECK_INT (ldy_system_multiply (system, x, 0, y, 0, 9, 1, LDY_MULTIPLY_THROUGH_BODIES), LDY_ERROR_SINGULAR);
  CHECK_TEXT (ldy_last_error (), "body 1: its solver returned 9");

  check_context ("bodies that go");
  CHECK_INT (ldy_system_remove_body (system, ids[2]), 52);
  GOOD (ldy_system_remove_body (system, ids[0]));
  model.fails = 0;
  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_system_multiply (system, x, 0, y, 0, 9, 1, LDY_MULTIPLY_THROUGH_BODIES));
  CHECK (y[0] == 4 && y[3] == 4 && y[6] == 3);
  ldy_system_destroy (system);
}

/* Columns of 5 million velocities are too long to be many at a time. */
static int scale_all (int size, int columns, double *x, void *data)
{
  int *calls = data;

  calls[0] ++;
  calls[1] += columns;
  for (long k = 0; k < (long) size * columns; k ++) x[k] *= 2;
  return 0;
}

static void test_chunks (void)
{
  static const int starts[2] = { 0, 1 };
  int sizes[2] = { 1, 5000000 }, calls[2] = { 0, 0 }, row = 0;
  const double value = 3;
  int *ends = calloc ((size_t) sizes[1] + 1, sizeof *ends);
  ldy_operator H[2] = { { 1, starts, &row, &value, 1 }, { sizes[1], ends, &row, &value, 1 } };
  int64_t ids[2], id;
  ldy_system *system = NULL;
  ldy_rows rows = { .size = sizeof rows };

  check_context ("chunks");
  for (int k = 1; k <= sizes[1]; k ++) ends[k] = 1;
  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_add_model (system, sizes, 2, scale_all, calls, NULL, ids));
  GOOD (ldy_system_add_constraint_rows (system, 3, (int64_t []) { ids[0], ids[1] }, (ldy_operator []) { H[0], H[1] }, 2, &id));
  GOOD (ldy_system_update (system, 1));
  CHECK_INT (calls[0], 3); /* of one column each */
  CHECK_INT (calls[1], 3);
  GOOD (ldy_system_results (system, &rows));
  CHECK (rows.values[0] == 36);
  ldy_system_destroy (system);
  free (ends);
}

static void test_refusals (void)
{
  static const int sizes[3] = { 1, 0, 1 }, huge[2] = { 2000000000, 2000000000 }, fine[2] = { 1, 2 };
  int64_t ids[3] = { -7, -7, -7 }, id;
  MODEL model;
  ldy_system *system = NULL;
  int until, code = 1;

  check_context ("refusals");
  GOOD (ldy_system_create (&system));
  CHECK_INT (ldy_system_add_model (NULL, fine, 2, apply, &model, NULL, ids), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_INT (ldy_system_add_model (system, NULL, 2, apply, &model, NULL, ids), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_INT (ldy_system_add_model (system, fine, 2, NULL, &model, NULL, ids), 52);
  CHECK_INT (ldy_system_add_model (system, fine, 2, apply, &model, NULL, NULL), 52);
  CHECK_INT (ldy_system_add_model (system, fine, 0, apply, &model, NULL, ids), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (ldy_last_error (), "a model has at least one body");
  CHECK_INT (ldy_system_add_model (system, sizes, 3, apply, &model, NULL, ids), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (ldy_last_error (), "n is 0: a body needs at least one generalized velocity");
  CHECK_INT (ldy_system_add_model (system, huge, 2, apply, &model, NULL, ids), LDY_ERROR_TOO_LARGE);
  CHECK_TEXT (ldy_last_error (), "new body: its model has more velocities than an int can count");
  for (until = 1; code; until ++) {
    failing_arm (until);
    code = ldy_system_add_model (system, fine, 2, apply, &model, NULL, ids);
    failing.armed = 0;
    CHECK_INT (code, failing.failed ? 1 : 0);
    if (code) CHECK (ids[0] == -7 && ldy_system_remove_body (system, 0) == LDY_ERROR_NOT_FOUND);
  }
  CHECK (until > 3 && ids[0] == 0 && ids[1] == 1 && ids[2] == -7);
  GOOD (ldy_system_remove_body (system, 0));
  GOOD (ldy_system_remove_body (system, 1));
  GOOD (ldy_system_add_body (system, FUNCTION (1, apply, &model), &id));
  CHECK_INT (id, 2);
  ldy_system_destroy (system);
}

/* Each allocation of an update and a product fails in turn; the next ones are right. */
static void test_allocations (void)
{
  ldy_operator H = { 1, NULL, NULL, one, 3 };
  int64_t ids[3], id;
  MODEL model;
  double x[6] = { 1, 0, 0, 1, 0, 0 }, y[6];

  check_context ("allocations");
  for (int step = 0; step < 2; step ++) {
    for (int until = 1, code = 1; code; until ++) {
      ldy_system *system = three (&model, ids);
      GOOD (ldy_system_add_constraint_rows (system, 3, (int64_t []) { ids[0], ids[1] }, (ldy_operator []) { H, H }, 2, &id));
      GOOD (ldy_system_add_constraint_rows (system, 3, (int64_t []) { ids[1], ids[2] }, (ldy_operator []) { H, H }, 2, &id));
      if (step) GOOD (ldy_system_update (system, 1));
      failing_arm (until);
      code = step ? ldy_system_multiply (system, x, 0, y, 0, 6, 1, LDY_MULTIPLY_THROUGH_BODIES) : ldy_system_update (system, 1);
      failing.armed = 0;
      CHECK_INT (code, failing.failed ? 1 : 0);
      GOOD (ldy_system_update (system, 1));
      GOOD (ldy_system_multiply (system, x, 0, y, 0, 6, 1, LDY_MULTIPLY_THROUGH_BODIES));
      CHECK (y[0] == 5 && y[3] == 7);
      ldy_system_destroy (system);
    }
  }
}

int main (void)
{
  test_counts ();
  test_chunks ();
  test_refusals ();
  test_allocations ();
  return check_summary ("system_models");
}
