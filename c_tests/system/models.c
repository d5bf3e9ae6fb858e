/* Bodies of models, whose A^-1 one function applies to all of them at once, beside dense bodies with the same inverses. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ldy_system.h"
#include "support/check.h"
#include "support/failing_allocator.h"
#include "support/random.h"

#define GOOD(call) CHECK_INT (call, 0)
#define MOST 6   /* velocities of a body */
#define BODIES 8 /* of a model */
#define MODELS 2
#define CONSTRAINTS 60

static RANDOM rng;

/* What its function knows of a model: the inverse of each body, and where each begins. */
typedef struct {
  int count, sizes[BODIES], size, calls, columns, fails, spoils;
  double inverse[BODIES][MOST * MOST];
} MODEL;

static int apply (int size, int columns, double *x, void *data)
{
  MODEL *model = data;
  double y[MOST], *first = x;
  int k, b, i, j, n;

  CHECK_INT (size, model->size);
  model->calls ++;
  model->columns += columns;
  for (k = 0; k < columns; k ++) {
    for (b = 0; b < model->count; x += n, b ++) {
      n = model->sizes[b];
      for (i = 0; i < n; i ++) for (y[i] = 0, j = 0; j < n; j ++) y[i] += model->inverse[b][n * j + i] * x[j];
      memcpy (x, y, (size_t) n * sizeof *x);
    }
  }
  if (model->spoils) first[size - 1] = NAN;
  return model->fails;
}

/* Diagonally dominant, so that it is definite. */
static void fill_model (MODEL *model)
{
  int b, i, j, n;

  memset (model, 0, sizeof *model);
  model->count = BODIES;
  for (b = 0; b < BODIES; b ++) {
    n = model->sizes[b] = 1 + random_below (&rng, MOST);
    model->size += n;
    for (i = 0; i < n; i ++) {
      model->inverse[b][n * i + i] = MOST + random_value (&rng);
      for (j = 0; j < i; j ++) model->inverse[b][n * i + j] = model->inverse[b][n * j + i] = random_value (&rng);
    }
  }
}

/* ---- random sequences */

typedef struct {
  ldy_system *system[2]; /* with models, and with dense bodies */
  MODEL model[MODELS];
  int users[MODELS * BODIES], gone[MODELS * BODIES], left[MODELS * BODIES];
  struct { long long id, bodies[3]; int rows, count; } constraint[CONSTRAINTS];
  int constraints, rounds;
} PAIR;

static int velocities (const PAIR *p, long long body)
{
  return p->model[body / BODIES].sizes[body % BODIES];
}

static void begin (PAIR *p)
{
  long long ids[BODIES], id;
  int m, b;

  memset (p, 0, sizeof *p);
  GOOD (ldy_system_create (&p->system[0]));
  GOOD (ldy_system_create (&p->system[1]));
  for (m = 0; m < MODELS; m ++) {
    fill_model (&p->model[m]);
    GOOD (ldy_system_add_model (p->system[0], p->model[m].sizes, BODIES, apply, &p->model[m], ids));
    for (b = 0; b < BODIES; b ++) {
      CHECK_INT (ids[b], m * BODIES + b);
      GOOD (ldy_system_add_dense (p->system[1], p->model[m].sizes[b], p->model[m].inverse[b], &id));
      CHECK_INT (id, ids[b]);
    }
  }
}

static void random_operators (const PAIR *p, int m, const long long *bodies, int count, double h[3][6 * MOST], ldy_operator *H)
{
  int k, i, n;

  for (k = 0; k < count; k ++) {
    n = velocities (p, bodies[k]);
    for (i = 0; i < m * n; i ++) h[k][i] = random_below (&rng, 3) ? random_value (&rng) : 0;
    H[k] = (ldy_operator) { n, NULL, NULL, h[k], (size_t) (m * n) };
  }
}

static void add_constraint (PAIR *p)
{
  int m = random_below (&rng, 3) ? 3 : 1 + random_below (&rng, 6), count = 1 + random_below (&rng, 3), k, s;
  double h[3][6 * MOST];
  ldy_operator H[3];
  long long bodies[3], id;

  if (p->constraints == CONSTRAINTS) return;
  for (k = 0; k < count; k ++) {
    bodies[k] = random_below (&rng, MODELS * BODIES);
    for (s = 0; s < k; s ++) if (bodies[s] == bodies[k]) return;
    if (p->gone[bodies[k]]) return;
  }
  random_operators (p, m, bodies, count, h, H);
  for (s = 0; s < 2; s ++) GOOD (ldy_system_add_rows (p->system[s], m, bodies, H, (size_t) count, &id));
  for (k = 0; k < count; k ++) p->users[bodies[k]] ++;
  p->constraint[p->constraints].id = id;
  p->constraint[p->constraints].rows = m;
  p->constraint[p->constraints].count = count;
  memcpy (p->constraint[p->constraints ++].bodies, bodies, sizeof bodies);
}

static void change_constraint (PAIR *p, int is_removed)
{
  int at, s, k;
  double h[3][6 * MOST];
  ldy_operator H[3];

  if (!p->constraints) return;
  at = random_below (&rng, p->constraints);
  if (!is_removed) {
    random_operators (p, p->constraint[at].rows, p->constraint[at].bodies, p->constraint[at].count, h, H);
    for (s = 0; s < 2; s ++) {
      GOOD (ldy_system_set_rows_operators (p->system[s], p->constraint[at].id, H, (size_t) p->constraint[at].count));
    }
    return;
  }
  for (s = 0; s < 2; s ++) GOOD (ldy_system_remove_constraint (p->system[s], p->constraint[at].id));
  for (k = 0; k < p->constraint[at].count; k ++) p->users[p->constraint[at].bodies[k]] --;
  p->constraint[at] = p->constraint[-- p->constraints];
}

/* A velocity, another inverse, by which a body leaves its model, or none of the body at all. */
static void change_body (PAIR *p)
{
  long long body = random_below (&rng, MODELS * BODIES);
  int n = velocities (p, body), i, s;
  double v[MOST], *inverse = p->model[body / BODIES].inverse[body % BODIES];

  if (p->gone[body]) return;
  for (i = 0; i < n; i ++) v[i] = random_value (&rng);
  if (random_below (&rng, 8)) {
    for (s = 0; s < 2; s ++) GOOD (ldy_system_set_velocity (p->system[s], body, v, (size_t) n));
  } else if (random_below (&rng, 2)) {
    p->left[body] = 1;
    for (s = 0; s < 2; s ++) GOOD (ldy_system_set_dense (p->system[s], body, n, inverse));
  } else if (!p->users[body]) {
    p->gone[body] = p->left[body] = 1;
    for (s = 0; s < 2; s ++) GOOD (ldy_system_remove_body (p->system[s], body));
  }
}

static int is_used (const PAIR *p, int m)
{
  int b, used = 0;

  for (b = m * BODIES; b < (m + 1) * BODIES; b ++) used |= p->users[b] && !p->left[b];
  return used;
}

static void expect_near (const double *one, const double *two, size_t count)
{
  size_t i;

  for (i = 0; i < count; i ++) CHECK_NEAR (one[i], two[i], 1e-12 * (1 + fabs (two[i])));
}

static void expect_same_results (PAIR *p)
{
  ldy_rows rows[2] = { { .size = sizeof *rows }, { .size = sizeof *rows } };
  double x[6 * CONSTRAINTS], y[2][6 * CONSTRAINTS], v[2][MOST];
  int m, s, k;
  size_t n, i;

  for (m = 0; m < MODELS; m ++) p->model[m].calls = p->model[m].columns = 0;
  for (s = 0; s < 2; s ++) {
    GOOD (ldy_system_update (p->system[s], 0.5));
    GOOD (ldy_system_rows (p->system[s], &rows[s]));
  }
  for (m = 0; m < MODELS; m ++) CHECK_INT (p->model[m].calls, is_used (p, m));
  if (!CHECK (rows[0].rows == rows[1].rows && rows[0].blocks == rows[1].blocks)) return;
  n = rows[0].scalars;
  expect_near (rows[0].B, rows[1].B, n);
  expect_near (rows[0].values, rows[1].values, rows[1].value_starts ? rows[1].value_starts[rows[1].blocks]
    : 9 * (size_t) rows[1].blocks);
  for (i = 0; i < n; i ++) x[i] = random_value (&rng);
  for (m = 0; m < MODELS; m ++) p->model[m].calls = 0;
  for (s = 0; s < 2; s ++) GOOD (ldy_system_multiply_through_bodies (p->system[s], x, y[s], n));
  for (m = 0; m < MODELS; m ++) CHECK_INT (p->model[m].calls, is_used (p, m));
  expect_near (y[0], y[1], n);
  GOOD (ldy_system_multiply (p->system[0], x, y[1], n));
  expect_near (y[0], y[1], n);
  for (s = 0; s < 2; s ++) GOOD (ldy_system_add_reactions (p->system[s], x, n));
  for (k = 0; k < MODELS * BODIES; k ++) {
    if (p->gone[k]) continue;
    for (s = 0; s < 2; s ++) GOOD (ldy_system_velocity (p->system[s], k, v[s], (size_t) velocities (p, k)));
    expect_near (v[0], v[1], (size_t) velocities (p, k));
  }
}

static void test_random (unsigned seed)
{
  static PAIR p;
  int k;

  check_context ("seed %u", seed);
  rng.state = seed;
  begin (&p);
  for (k = 0; k < 400; k ++) {
    switch (random_below (&rng, 8)) {
    case 0: case 1: add_constraint (&p); break;
    case 2: change_constraint (&p, 1); break;
    case 3: change_constraint (&p, 0); break;
    case 4: case 5: change_body (&p); break;
    default: expect_same_results (&p);
    }
  }
  ldy_system_destroy (p.system[0]);
  ldy_system_destroy (p.system[1]);
}

/* ---- what is said of it */

static const double one[3] = { 1, 0, 0 };

/* Three bodies of one velocity each, with inverses 1, 2 and 3. */
static ldy_system *three (MODEL *model, long long *ids)
{
  static const int sizes[3] = { 1, 1, 1 };
  ldy_system *system = NULL;
  int b;

  memset (model, 0, sizeof *model);
  model->count = model->size = 3;
  for (b = 0; b < 3; b ++) {
    model->sizes[b] = 1;
    model->inverse[b][0] = 1 + b;
  }
  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_add_model (system, sizes, 3, apply, model, ids));
  return system;
}

static void test_counts (void)
{
  ldy_operator H = { 1, NULL, NULL, one, 3 };
  long long ids[3], id;
  MODEL model;
  ldy_system *system = three (&model, ids);
  double x[9] = { 1, 0, 0, 1, 0, 0, 1, 0, 0 }, y[9];
  int k;

  check_context ("calls and columns");
  GOOD (ldy_system_update (system, 1));
  CHECK_INT (model.calls, 0); /* no constraints */
  for (k = 0; k < 2; k ++) GOOD (ldy_system_add_operators (system, ids[1], &H, LDY_GROUND, NULL, &id));
  GOOD (ldy_system_add_operators (system, ids[2], &H, LDY_GROUND, NULL, &id));
  GOOD (ldy_system_update (system, 1));
  CHECK_INT (model.calls, 1);
  CHECK_INT (model.columns, 6); /* of the two constraints on the second body, not of all three */
  GOOD (ldy_system_update (system, 1));
  CHECK_INT (model.calls, 2);
  CHECK_INT (model.columns, 12);
  GOOD (ldy_system_multiply_through_bodies (system, x, y, 9));
  CHECK_INT (model.calls, 3);
  CHECK_INT (model.columns, 13);
  CHECK (y[0] == 4 && y[3] == 4 && y[6] == 3);

  check_context ("errors");
  model.fails = 7;
  CHECK_INT (ldy_system_update (system, 1), LDY_LU_FACTOR);
  CHECK_TEXT (ldy_last_error (), "body 1: its solver returned 7");
  model.fails = 0;
  model.spoils = 1;
  CHECK_INT (ldy_system_update (system, 1), LDY_BUG_FOUND);
  CHECK_TEXT (ldy_last_error (), "constraint 2 on body 2: its diagonal block of W is not finite");
  model.spoils = 0;
  GOOD (ldy_system_update (system, 1));
  model.fails = 9;
  CHECK_INT (ldy_system_multiply_through_bodies (system, x, y, 9), LDY_LU_FACTOR);
  CHECK_TEXT (ldy_last_error (), "body 1: its solver returned 9");

  check_context ("bodies that go");
  CHECK_INT (ldy_system_remove_body (system, ids[2]), 52);
  GOOD (ldy_system_remove_body (system, ids[0]));
  model.fails = 0;
  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_system_multiply_through_bodies (system, x, y, 9));
  CHECK (y[0] == 4 && y[3] == 4 && y[6] == 3);
  ldy_system_destroy (system);
}

/* Columns of 5 million velocities are too long to be many at a time. */
static int scale_all (int size, int columns, double *x, void *data)
{
  int *calls = data;
  long k;

  calls[0] ++;
  calls[1] += columns;
  for (k = 0; k < (long) size * columns; k ++) x[k] *= 2;
  return 0;
}

static void test_chunks (void)
{
  static const int starts[2] = { 0, 1 };
  int sizes[2] = { 1, 5000000 }, calls[2] = { 0, 0 }, row = 0;
  const double value = 3;
  int *ends = calloc ((size_t) sizes[1] + 1, sizeof *ends), k;
  ldy_operator H[2] = { { 1, starts, &row, &value, 1 }, { sizes[1], ends, &row, &value, 1 } };
  long long ids[2], id;
  ldy_system *system = NULL;
  ldy_rows rows = { .size = sizeof rows };

  check_context ("chunks");
  for (k = 1; k <= sizes[1]; k ++) ends[k] = 1;
  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_add_model (system, sizes, 2, scale_all, calls, ids));
  GOOD (ldy_system_add_operators (system, ids[0], &H[0], ids[1], &H[1], &id));
  GOOD (ldy_system_update (system, 1));
  CHECK_INT (calls[0], 3); /* of one column each */
  CHECK_INT (calls[1], 3);
  GOOD (ldy_system_rows (system, &rows));
  CHECK (rows.values[0] == 36);
  ldy_system_destroy (system);
  free (ends);
}

static void test_refusals (void)
{
  static const int sizes[3] = { 1, 0, 1 }, huge[2] = { 2000000000, 2000000000 }, fine[2] = { 1, 2 };
  long long ids[3] = { -7, -7, -7 }, id;
  MODEL model;
  ldy_system *system = NULL;
  int until, code = 1;

  check_context ("refusals");
  GOOD (ldy_system_create (&system));
  CHECK_INT (ldy_system_add_model (NULL, fine, 2, apply, &model, ids), 52);
  CHECK_INT (ldy_system_add_model (system, NULL, 2, apply, &model, ids), 52);
  CHECK_INT (ldy_system_add_model (system, fine, 2, NULL, &model, ids), 52);
  CHECK_INT (ldy_system_add_model (system, fine, 2, apply, &model, NULL), 52);
  CHECK_INT (ldy_system_add_model (system, fine, 0, apply, &model, ids), 52);
  CHECK_TEXT (ldy_last_error (), "a model has at least one body");
  CHECK_INT (ldy_system_add_model (system, sizes, 3, apply, &model, ids), 52);
  CHECK_TEXT (ldy_last_error (), "n is 0: a body needs at least one generalised velocity");
  CHECK_INT (ldy_system_add_model (system, huge, 2, apply, &model, ids), 52);
  CHECK_TEXT (ldy_last_error (), "body 1: its model has more velocities than an int can count");
  for (until = 1; code; until ++) {
    failing.until = until;
    failing.failed = 0;
    failing.armed = 1;
    code = ldy_system_add_model (system, fine, 2, apply, &model, ids);
    failing.armed = 0;
    CHECK_INT (code, failing.failed ? 1 : 0);
    if (code) CHECK (ids[0] == -7 && ldy_system_remove_body (system, 0) == 52);
  }
  CHECK (until > 3 && ids[0] == 0 && ids[1] == 1 && ids[2] == -7);
  GOOD (ldy_system_remove_body (system, 0));
  GOOD (ldy_system_remove_body (system, 1));
  GOOD (ldy_system_add_solver (system, 1, apply, &model, &id));
  CHECK_INT (id, 2);
  ldy_system_destroy (system);
}

/* Each allocation of an update and a product fails in turn; the next ones are right. */
static void test_allocations (void)
{
  ldy_operator H = { 1, NULL, NULL, one, 3 };
  long long ids[3], id;
  MODEL model;
  double x[6] = { 1, 0, 0, 1, 0, 0 }, y[6];
  int until, step, code;

  check_context ("allocations");
  for (step = 0; step < 2; step ++) {
    for (until = 1, code = 1; code; until ++) {
      ldy_system *system = three (&model, ids);
      GOOD (ldy_system_add_operators (system, ids[0], &H, ids[1], &H, &id));
      GOOD (ldy_system_add_operators (system, ids[1], &H, ids[2], &H, &id));
      if (step) GOOD (ldy_system_update (system, 1));
      failing.until = until;
      failing.failed = 0;
      failing.armed = 1;
      code = step ? ldy_system_multiply_through_bodies (system, x, y, 6) : ldy_system_update (system, 1);
      failing.armed = 0;
      CHECK_INT (code, failing.failed ? 1 : 0);
      GOOD (ldy_system_update (system, 1));
      GOOD (ldy_system_multiply_through_bodies (system, x, y, 6));
      CHECK (y[0] == 5 && y[3] == 7);
      ldy_system_destroy (system);
    }
  }
}

int main (void)
{
  unsigned seed;

  test_counts ();
  test_chunks ();
  test_refusals ();
  test_allocations ();
  for (seed = 1; seed <= 6; seed ++) test_random (seed);
  return check_summary ("system_models");
}
