#include "system/visits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/failing_allocator.h"
#include "system/joint_model.h"

#define MOST 96        /* scalars */
#define ROWS 4         /* constraints that come */
#define MANY 5         /* bodies of one */

static RANDOM *choices;

static int below (int count)
{
  return random_below (choices, count);
}

static void fill (double *x, int count)
{
  while (count --) *x ++ = random_value (choices);
}

/* One of the next allocations fails, now and then. */
static void arm (int most)
{
  failing.failed = 0;
  if (below (12) != 11) return;
  failing.persistent = below (2);
  failing.until = 1 + below (most);
  failing.armed = 1;
}

/* Whether memory was exhausted, and is there again. */
static int is_exhausted (int code)
{
  failing.armed = 0;
  if (!failing.failed || code != LDY_ERROR_OUT_OF_MEMORY) return 0;
  CHECK_TEXT (ldy_last_error (), "out of memory");
  return 1;
}

/* The code of a call that is made again if memory was exhausted. */
#define CALL(code, most, call) do { check_context ("%s", #call); arm (most); code = (call); } while (is_exhausted (code))

/* Writes W as a matrix, and the first scalar of each row. Returns the number of scalars. */
static int densify (const ldy_rows *rows, double (*W)[MOST], int *starts)
{
  int i, j;

  for (int row = 0; row <= rows->rows; row ++) starts[row] = rows->scalar_starts ? rows->scalar_starts[row] : 3 * row;
  CHECK_INT ((long) rows->scalars, starts[rows->rows]);
  for (i = 0; i < starts[rows->rows]; i ++) for (j = 0; j < starts[rows->rows]; j ++) W[i][j] = 0;
  for (int row = 0; row < rows->rows; row ++) {
    for (int k = rows->starts[row]; k < rows->starts[row + 1]; k ++) {
      const double *block = rows->values + (rows->value_starts ? rows->value_starts[k] : 9 * (size_t) k);
      int column = rows->columns[k], height = starts[row + 1] - starts[row];
      for (j = starts[column]; j < starts[column + 1]; j ++) for (i = starts[row]; i < starts[row + 1]; i ++) W[i][j] = *block ++;
      CHECK (height >= 1 && height <= 6);
    }
  }
  return starts[rows->rows];
}

static void compressed (const MODEL *m, int n, double (*W)[MOST])
{
  static int starts[MOST + 1], columns[MOST * MOST];
  static double values[MOST * MOST];
  ldy_rows rows = LDY_ROWS_INIT;
  size_t entries;
  int code;

  CHECK_INT (ldy_system_results (m->system, &rows), 0);
  entries = rows.entries;
  CHECK (rows.scalars == (size_t) n && entries <= MOST * MOST);
  CALL (code, 3, ldy_system_csr (m->system, starts, (size_t) n + 1, columns, values, entries));
  CHECK_INT (code, 0);
  for (int i = 0; i < n; i ++) {
    for (int k = starts[i], j = 0; j < n; j ++) {
      int is_there = k < starts[i + 1] && columns[k] == j;
      CHECK (is_there ? values[k ++] == W[i][j] : W[i][j] == 0);
    }
  }
  CHECK_INT ((long) starts[n], (long) entries);
}

/* (W + mu) x = b, with mu for all, for rows, for scalars. */
static void factors (const MODEL *m, const ldy_rows *rows, int n, double (*W)[MOST], const int *starts)
{
  double mu[MOST] = { 1 }, x[MOST], b[MOST], value = 0, other = 1, largest = 0;
  int each = below (3), code;
  size_t count = each == 0 ? 1 : each == 1 ? (size_t) rows->rows : (size_t) n;
  ldy_factor *factor = NULL;

  for (int i = 0; i < n; i ++) mu[i] = 1 + fabs (random_value (choices));
  for (int i = 0; i < n; i ++) for (int j = 0; j < n; j ++) largest = fmax (largest, fabs (W[i][j]));
  fill (b, n);
  memcpy (x, b, sizeof x);
  CALL (code, 1, ldy_factor_create (&factor));
  CHECK_INT (code, 0);
  CALL (code, 12, ldy_factor_compute (factor, m->system, mu, count));
  CHECK_INT (code, 0);
  CHECK_INT (ldy_factor_log_determinant (factor, &value), 0);
  CALL (code, 2, ldy_factor_solve (factor, x, 8 * ((size_t) n), (size_t) n, 1));
  CHECK_INT (code, 0);
  for (int row = 0; row < rows->rows; row ++) {
    for (int i = starts[row]; i < starts[row + 1]; i ++) {
      double sum = mu[each == 0 ? 0 : each == 1 ? row : i] * x[i] - b[i];
      for (int j = 0; j < n; j ++) sum += W[i][j] * x[j];
      CHECK_NEAR (sum, 0, 1e-9 * (1 + largest));
    }
  }
  CALL (code, 12, ldy_factor_compute_rows (factor, rows, mu, count));
  CHECK_INT (code, 0);
  CHECK_INT (ldy_factor_log_determinant (factor, &other), 0);
  CHECK_SAME_BITS (&value, &other, sizeof value);
  CHECK_INT (ldy_factor_compute (factor, m->system, mu, (size_t) n + 2), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_INT (ldy_factor_log_determinant (factor, &other), LDY_ERROR_INVALID_ARGUMENT);
  ldy_factor_destroy (factor);
}

/* The number of redundant scalar rows is the reported one, and rows given as arrays have the same ones. */
static void ranks (const MODEL *m, const ldy_rows *rows, int n)
{
  int redundant[MOST + 1], again[MOST], dimension = -1, sum = 0, code;

  CALL (code, 12, system_redundant (m->system, 0, redundant, (size_t) n, &dimension));
  if (code) {
    CHECK_INT (code, LDY_ERROR_NOT_POSITIVE_DEFINITE);
    return;
  }
  for (int i = 0; i < n; i ++) {
    CHECK (redundant[i] == 0 || redundant[i] == 1);
    sum += redundant[i];
  }
  CHECK_INT (dimension, sum);
  CALL (code, 12, ldy_rows_redundant (rows, 0, again, (size_t) n, NULL));
  CHECK_INT (code, 0);
  CHECK_SAME_BITS (redundant, again, sizeof *again * (size_t) n);
  CHECK_INT (ldy_rows_redundant (rows, 0, redundant, (size_t) n + 1, NULL), LDY_ERROR_INVALID_ARGUMENT);
}

/* Intervals contain canonical forces, and are points where forces are determined. Rows of a matrix that is not symmetric, and forces
   that solve the problem as a whole but not one of its groups, are refused. */
static void solution_sets (const ldy_rows *rows, const ldy_law *laws, const double *R, int n)
{
  static double least[MOST], greatest[MOST], canonical[MOST];
  static unsigned char determined[MOST];
  ldy_solution_set *set = NULL;
  int code;

  CALL (code, 1, ldy_solution_set_create (&set));
  CHECK_INT (code, 0);
  CALL (code, 40, ldy_solution_set_compute_rows (set, rows, laws, (size_t) rows->rows, 0, R, (size_t) n, 1e-5));
  if (code) {
    CHECK (code == LDY_ERROR_INVALID_ARGUMENT || code == LDY_ERROR_NOT_POSITIVE_DEFINITE);
    ldy_solution_set_destroy (set);
    return;
  }
  CHECK_INT (ldy_solution_set_determined (set, determined, (size_t) n), 0);
  CALL (code, 30, ldy_solution_set_intervals (set, NULL, 0, least, greatest, (size_t) n));
  CHECK_INT (code, 0);
  CALL (code, 20, ldy_solution_set_canonical (set, canonical, (size_t) n));
  CHECK_INT (code, 0);
  double size = 0;
  for (int i = 0; i < n; i ++) size = fmax (size, fabs (canonical[i]));
  for (int i = 0; i < n; i ++) {
    double error = 1e-5 * size;
    CHECK (least[i] <= greatest[i] && isfinite (canonical[i]));
    CHECK (least[i] - error <= canonical[i] && canonical[i] <= greatest[i] + error);
    if (determined[i]) CHECK (least[i] == greatest[i] && canonical[i] == least[i]);
  }
  CHECK_INT (ldy_solution_set_canonical (set, canonical, (size_t) n + 1), LDY_ERROR_INVALID_ARGUMENT);
  ldy_solution_set_destroy (set);
}

/* Forces obey their bounds, and where the solver has converged velocities obey the laws, too. */
static void forces (const MODEL *m, const ldy_rows *rows, int n, double (*W)[MOST], const int *starts)
{
  ldy_contact_solver_options options = { .size = sizeof options, .method = below (3), .max_sweeps = 200 };
  ldy_contact_solver_report report = { .size = sizeof report };
  ldy_law *laws = calloc ((size_t) rows->rows + 1, sizeof *laws);
  double R[MOST] = { 0 }, again[MOST] = { 0 }, norm = 0;
  ldy_contact_solver *solver = NULL;
  int code;

  if (!laws) abort ();
  for (int row = 0; row < rows->rows; row ++) {
    int height = starts[row + 1] - starts[row];
    laws[row].kind = height == 3 ? LDY_LAW_CONTACT + below (3) : LDY_LAW_FIXED + below (2);
    if (height == 2 && laws[row].kind == LDY_LAW_FIXED) laws[row].kind = LDY_LAW_CONTACT;
    laws[row].friction = fabs (random_value (choices));
    for (int i = 0; i < 6; i ++) {
      laws[row].lower[i] = i >= height ? NAN : below (2) ? -fabs (random_value (choices)) : -INFINITY;
      laws[row].upper[i] = i >= height ? NAN : below (2) ? fabs (random_value (choices)) : INFINITY;
      laws[row].bias[i] = i >= height ? NAN : random_value (choices);
    }
  }
  CALL (code, 1, ldy_contact_solver_create (&solver));
  CHECK_INT (code, 0);
  do {
    for (int i = 0; i < n; i ++) CHECK (R[i] == 0);
    check_context ("ldy_contact_solver_solve");
    arm (30);
    code = ldy_contact_solver_solve (solver, m->system, laws, (size_t) rows->rows, &options, R, (size_t) n, &report);
  } while (is_exhausted (code));
  CHECK_INT (code, 0);
  CHECK (report.worst >= 0 && (report.worst < rows->rows || rows->rows == 0) && report.residual <= report.initial_residual);
  for (int i = 0; i < n; i ++) norm += rows->B[i] * rows->B[i];
  for (int row = 0; row < rows->rows; row ++) {
    for (int i = starts[row]; i < starts[row + 1]; i ++)
      norm += laws[row].bias[i - starts[row]] * (2 * rows->B[i] + laws[row].bias[i - starts[row]]);
  }
  for (int row = 0; row < rows->rows; row ++) {
    for (int i = starts[row]; i < starts[row + 1]; i ++) {
      int k = i - starts[row], height = starts[row + 1] - starts[row], is_fixed = laws[row].kind == LDY_LAW_FIXED;
      double size = 0, U = rows->B[i] + laws[row].bias[k], lower = is_fixed ? -INFINITY : laws[row].lower[k], upper = is_fixed
        ? INFINITY : laws[row].upper[k];
      CHECK (isfinite (R[i]));
      /* Where W is singular forces may be huge, and with them the rounding of a sum. */
      for (int j = 0; j < n; j ++) U += W[i][j] * R[j], size += fabs (W[i][j] * R[j]);
      if (laws[row].kind == LDY_LAW_CONTACT) {
        double tangent = k == 0 ? 0 : height == 2 ? fabs (R[i - 1]) : hypot (R[i - k], R[i - 1]);
        if (k == height - 1) CHECK (R[i] >= 0 && tangent <= laws[row].friction * R[i] * (1 + 1e-12));
        continue;
      }
      CHECK (R[i] >= lower && R[i] <= upper);
      if (report.status == LDY_STATUS_CONVERGED && norm > 0)
        CHECK_NEAR (fmin (fmax (R[i] - U, lower), upper), R[i], 2e-8 * sqrt (norm) + 1e-9 + 1e-14 * size);
    }
  }
  CALL (code, 30, ldy_contact_solver_solve_rows (solver, rows, laws, (size_t) rows->rows, &options, again, (size_t) n, NULL));
  CHECK_INT (code, 0);
  /* Sweeps are the same without bodies; steps may be made in the space of bodies. */
  if (report.steps == 0) CHECK_SAME_BITS (R, again, sizeof R);
  if (report.status == LDY_STATUS_CONVERGED) solution_sets (rows, laws, R, n);
  memcpy (again, R, sizeof R);
  for (int row = 0; row < rows->rows; row ++) {
    if (starts[row + 1] - starts[row] != 1) continue;
    laws[row].kind = LDY_LAW_CONTACT;
    CHECK_INT (ldy_contact_solver_solve (solver, m->system, laws, (size_t) rows->rows, &options, again, (size_t) n, NULL), LDY_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT (ldy_last_error (), "a contact has two to six scalar rows");
    CHECK_SAME_BITS (R, again, sizeof R);
    break;
  }
  ldy_contact_solver_destroy (solver);
  free (laws);
}

/* Several products at once have the bits of each alone, and of the system's own products if all rows have three scalars. */
static void products (const MODEL *m, const ldy_rows *rows, int n, double (*W)[MOST])
{
  enum { COLUMNS = 6 };
  static double x[COLUMNS * (MOST + 2)], y[COLUMNS * (MOST + 2)], alone[MOST];
  int columns = below (COLUMNS + 1), x_stride = n + below (3), y_stride = n + below (3), code;

  fill (x, columns * x_stride);
  for (int k = 0; k < columns * y_stride; k ++) y[k] = -7;
  CALL (code, 4, ldy_rows_multiply (rows, x, 8 * ((size_t) x_stride), y, 8 * ((size_t) y_stride), (size_t) n, (size_t) columns));
  CHECK_INT (code, 0);
  for (int c = 0; c < columns; c ++) {
    const double *from = x + c * x_stride, *to = y + c * y_stride;
    CHECK_INT (ldy_rows_multiply (rows, from, 0, alone, 0, (size_t) n, 1), 0);
    CHECK_SAME_BITS (alone, to, sizeof *alone * (size_t) n);
    for (int i = 0; i < n; i ++) {
      double sum = 0, scale = 0;
      for (int j = 0; j < n; j ++) sum += W[i][j] * from[j], scale += fabs (W[i][j] * from[j]);
      CHECK_NEAR (to[i], sum, 1e-13 * scale);
    }
    for (int i = n; i < y_stride && c + 1 < columns; i ++) CHECK (to[i] == -7);
    CALL (code, 4, ldy_system_multiply (m->system, from, 0, alone, 0, (size_t) n, 1, 0));
    CHECK_INT (code, 0);
    if (!rows->scalar_starts) CHECK_SAME_BITS (alone, to, sizeof *alone * (size_t) n);
  }
  if (n) CHECK_INT (ldy_rows_multiply (rows, x, 8 * ((size_t) n - 1), y, 8 * ((size_t) n), (size_t) n, 2), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_INT (ldy_rows_multiply (rows, x, 8 * (MOST + 1), y, 8 * (MOST + 1), (size_t) n + 1, 1), LDY_ERROR_INVALID_ARGUMENT);
}

void visit_world (const MODEL *m, RANDOM *random)
{
  double at[3], X[3], place[3], told[3] = { -7, -7, -7 }, back[3], turned[3] = { 0 }, F[9];
  int j, is_rigid;

  choices = random;
  check_context ("what is in the world");
  if (!m->body_count) return;
  MODEL_BODY *body = &m->bodies[below (m->body_count)];
  is_rigid = body->kind == IS_RIGID;
  fill (at, 3), fill (X, 3), fill (F, 9);
  for (int i = 0; i < 3; i ++) F[4 * i] += 4;
  for (int i = 0; i < 3; i ++) for (place[i] = at[i], j = 0; j < 3; j ++)
    place[i] += (is_rigid ? body->rotation : F)[3 * j + i] * (X[j] - body->center[j]);
  CHECK_INT (ldy_system_set_positions (m->system, &body->id, 0, at, 0, 1), is_rigid ? 0 : LDY_ERROR_INVALID_ARGUMENT);
  if (is_rigid) memcpy (body->position, at, sizeof at), body->has_position = 1;
  CHECK_INT (ldy_system_body_point (m->system, body->id, place, told), is_rigid ? 0 : LDY_ERROR_INVALID_ARGUMENT);
  CHECK_INT (ldy_system_pseudo_rigid_point (m->system, body->id, F, at, place, told), body->kind == IS_PSEUDO_RIGID ? 0
    : LDY_ERROR_INVALID_ARGUMENT);
  for (int i = 0; i < 3; i ++) CHECK_NEAR (told[i], body->kind == IS_GENERAL ? -7 : X[i], 1e-13);
  for (int i = 0; i < 3; i ++) for (j = 0; j < 3; j ++) turned[i] += body->rotation[3 * j + i] * X[j];
  CHECK_INT (ldy_system_world_angular_velocity (m->system, body->id, X, back), is_rigid ? 0 : LDY_ERROR_INVALID_ARGUMENT);
  for (int i = 0; i < 3 && is_rigid; i ++) CHECK_NEAR (back[i], turned[i], 1e-13);
  CHECK_INT (ldy_system_body_angular_velocity (m->system, body->id, turned, back), is_rigid ? 0 : LDY_ERROR_INVALID_ARGUMENT);
  for (int i = 0; i < 3 && is_rigid; i ++) CHECK_NEAR (back[i], X[i], 1e-13);
  place[below (3)] = below (2) ? NAN : INFINITY;
  memcpy (back, told, sizeof back);
  CHECK_INT (ldy_system_body_point (m->system, body->id, place, told), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_INT (ldy_system_body_angular_velocity (m->system, body->id, place, told), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_SAME_BITS (back, told, sizeof back);
  if (body->inertia == BY_MASS) {
    /* Energy and the length of J X stay. */
    const double *J = body->tensor;
    double L[3] = { 0 }, moved[3] = { 0 }, energy[2] = { 0 }, length[2] = { 0 };
    CHECK_INT (ldy_gyroscopic_change (J, X, 0.5, told), 0);
    for (int i = 0; i < 3; i ++) for (j = 0; j < 3; j ++) L[i] += J[3 * j + i] * X[j], moved[i] += J[3 * j + i] * (X[j] + told[j]);
    for (int i = 0; i < 3; i ++) {
      energy[0] += L[i] * X[i], energy[1] += moved[i] * (X[i] + told[i]);
      length[0] += L[i] * L[i], length[1] += moved[i] * moved[i];
    }
    CHECK_NEAR (energy[1], energy[0], 1e-10 * (1 + energy[0]));
    CHECK_NEAR (length[1], length[0], 1e-10 * (1 + length[0]));
    CHECK_INT (ldy_gyroscopic_change (J, place, 0.5, told), LDY_ERROR_INVALID_ARGUMENT);
  }
}

void visit_results (const MODEL *m, RANDOM *random)
{
  static double W[MOST][MOST];
  ldy_rows rows = { .size = sizeof rows };
  int starts[MOST + 1], n;

  choices = random;
  CHECK_INT (ldy_system_results (m->system, &rows), 0);
  if (rows.scalars > MOST) return;
  n = densify (&rows, W, starts);
  switch (below (5)) {
  case 4: products (m, &rows, n, W); break;
  case 0: compressed (m, n, W); break;
  case 1: factors (m, &rows, n, W, starts); break;
  case 2: ranks (m, &rows, n); break;
  default: forces (m, &rows, n, W, starts);
  }
}

void visit_kept (const MODEL *m, RANDOM *random)
{
  size_t count = (size_t) m->constraint_count, n = 3 * count;
  uint64_t tags[MOST], told[MOST];
  double R[MOST], kept[MOST], velocity[MODEL_FREEDOMS];
  int64_t ids[MOST];

  choices = random;
  check_context ("what is kept");
  if (n > MOST) return;
  fill (R, (int) n);
  for (size_t k = 0; k < count; k ++) tags[k] = (uint64_t) below (1000) << below (60), ids[k] = m->constraints[k].id;
  CHECK_INT (ldy_system_store_reactions (m->system, R, n), 0);
  CHECK_INT (ldy_system_stored_reactions (m->system, kept, n), 0);
  CHECK_SAME_BITS (R, kept, n * sizeof *R);
  CHECK_INT (ldy_system_set_tags (m->system, ids, sizeof *ids, tags, sizeof *tags, count), 0);
  if (count) CHECK_INT (set_tag (m->system, ids[0], tags[0] = 7), 0);
  CHECK_INT (ldy_system_tags (m->system, told, count), 0);
  CHECK_SAME_BITS (tags, told, count * sizeof *tags);
  if (count) {
    R[below ((int) n)] = NAN;
    ids[count - 1] = m->next_constraint;
    CHECK_INT (ldy_system_store_reactions (m->system, R, n), LDY_ERROR_INVALID_ARGUMENT);
    CHECK_INT (ldy_system_set_tags (m->system, ids, sizeof *ids, told, sizeof *told, count), LDY_ERROR_NOT_FOUND);
    CHECK_INT (ldy_system_tags (m->system, told, count + 1), LDY_ERROR_INVALID_ARGUMENT);
    CHECK_INT (ldy_system_stored_reactions (m->system, R, n), 0);
    CHECK_SAME_BITS (R, kept, n * sizeof *R);
  }
  for (int k = 0; k < m->body_count; k ++) {
    const MODEL_BODY *body = &m->bodies[k];
    CHECK_INT (ldy_system_velocities (m->system, LDY_VELOCITY_FREE, &body->id, 8, velocity, sizeof velocity, (size_t) body->n, 1), 0);
    CHECK_SAME_BITS (velocity, body->velocity, sizeof *velocity * (size_t) body->n);
    CHECK_INT (ldy_system_velocities (m->system, LDY_VELOCITY_FREE, &body->id, 8, velocity, sizeof velocity, (size_t) body->n + 1, 1), LDY_ERROR_INVALID_ARGUMENT);
  }
}

/* A constraint that comes. */
typedef struct {
  int64_t id, bodies[MANY];
  int rows, count;
  double h[MANY][6 * MODEL_FREEDOMS], compliance[36];
} GUEST;

static void fill_guest (const MODEL *m, GUEST *guest, ldy_operator *H)
{
  for (int k = 0; k < guest->count; k ++) {
    int n = model_body (m, guest->bodies[k])->n;
    fill (guest->h[k], guest->rows * n);
    H[k] = (ldy_operator) { n, NULL, NULL, guest->h[k], (size_t) (guest->rows * n) };
  }
}

/* Entry (i, j) of the block of two guests. */
static double coupling (const MODEL *m, const GUEST *one, const GUEST *other, int i, int j, double step)
{
  double sum = 0;

  for (int a = 0; a < one->count; a ++) {
    for (int b = 0; b < other->count; b ++) {
      const MODEL_BODY *body = model_body (m, one->bodies[a]);
      if (other->bodies[b] != body->id) continue;
      for (int p = 0; p < body->n; p ++) {
        for (int q = 0; q < body->n; q ++)
          sum += step * one->h[a][one->rows * p + i] * body->inverse[body->n * q + p] * other->h[b][other->rows * q + j];
      }
    }
  }
  return sum + (one == other ? one->compliance[one->rows * j + i] : 0);
}

static void come (MODEL *m, GUEST *guest)
{
  ldy_operator H[MANY];
  int code, first = below (m->body_count), is_freedom = below (4) == 0, n;

  memset (guest, 0, sizeof *guest);
  guest->rows = is_freedom ? 1 : 1 + below (6);
  guest->count = is_freedom || m->body_count == 1 ? 1 : 1 + below (m->body_count < MANY ? m->body_count : MANY);
  for (int k = 0; k < guest->count; k ++) guest->bodies[k] = m->bodies[(first + k) % m->body_count].id;
  fill_guest (m, guest, H);
  n = model_body (m, guest->bodies[0])->n;
  CHECK_INT (ldy_system_add_constraint_rows (m->system, 7, guest->bodies, H, (size_t) guest->count, &guest->id), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_INT (ldy_system_add_dof_constraint (m->system, guest->bodies[0], n, 1, &guest->id), LDY_ERROR_INVALID_ARGUMENT);
  if (is_freedom) {
    int freedom = below (n);
    for (int k = 0; k < n; k ++) if (k != freedom) guest->h[0][k] = 0;
    CALL (code, 12, ldy_system_add_dof_constraint (m->system, guest->bodies[0], freedom, guest->h[0][freedom], &guest->id));
  } else if (below (2)) {
    /* As rows of a Jacobian, by columns, like the bodies' operators. */
    static double J[6 * MANY * MODEL_FREEDOMS];
    int columns = 0, heights[2] = { guest->rows, 7 };
    size_t rows = (size_t) guest->rows;
    for (int k = 0; k < guest->count; k ++) {
      memcpy (J + guest->rows * columns, guest->h[k], sizeof *J * H[k].count);
      columns += H[k].n;
    }
    CHECK_INT (ldy_system_add_jacobian (m->system, guest->bodies, (size_t) guest->count, heights, 2, MATRIX (rows, (size_t) columns, J, 8 * 1, 8 * rows), &guest->id), LDY_ERROR_INVALID_ARGUMENT);
    CALL (code, 20, ldy_system_add_jacobian (m->system, guest->bodies, (size_t) guest->count, heights, 1, MATRIX (rows, (size_t) columns, J, 8 * 1, 8 * rows), &guest->id));
  } else CALL (code, 20, ldy_system_add_constraint_rows (m->system, guest->rows, guest->bodies, H, (size_t) guest->count, &guest->id));
  CHECK_INT (code, 0);
  CHECK_INT ((long) guest->id, (long) m->next_constraint);
  m->next_constraint ++;
}

static void change (MODEL *m, GUEST *guest)
{
  ldy_operator H[MANY];
  int code, count = guest->rows;

  if (below (2)) {
    fill_guest (m, guest, H);
    CALL (code, 20, ldy_system_set_operators (m->system, guest->id, H, (size_t) guest->count));
    CHECK_INT (code, 0);
  }
  if (below (2)) {
    double x[6];
    fill (x, count);
    for (int j = 0; j < count; j ++) for (int i = 0; i < count; i ++) guest->compliance[count * j + i] = x[i] * x[j];
    CALL (code, 4, ldy_system_set_compliance (m->system, guest->id, guest->compliance, (size_t) (count * count)));
    CHECK_INT (code, 0);
    CHECK_INT (ldy_system_set_compliance (m->system, guest->id, guest->compliance, (size_t) (count * count) + 1),
      LDY_ERROR_INVALID_ARGUMENT);
  }
}

static void look (const MODEL *m, const GUEST *guests, int count, double step, double mu)
{
  static double W[MOST][MOST];
  ldy_rows rows = { .size = sizeof rows };
  int starts[MOST + 1], row, column;

  CHECK_INT (ldy_system_results (m->system, &rows), 0);
  if (rows.scalars > MOST) return;
  densify (&rows, W, starts);
  check_context ("blocks of guests");
  for (int a = 0; a < count; a ++) {
    for (int b = 0; b < count; b ++) {
      CHECK_INT (ldy_system_row_of (m->system, guests[a].id, &row), 0);
      CHECK_INT (ldy_system_row_of (m->system, guests[b].id, &column), 0);
      CHECK_INT (starts[row + 1] - starts[row], guests[a].rows);
      for (int i = 0; i < guests[a].rows; i ++) {
        for (int j = 0; j < guests[b].rows; j ++) {
          double value = coupling (m, &guests[a], &guests[b], i, j, step) + (a == b && i == j ? mu : 0);
          CHECK_NEAR (W[starts[row] + i][starts[column] + j], value, 1e-8 * (1 + fabs (value)));
          CHECK (W[starts[row] + i][starts[column] + j] == W[starts[column] + j][starts[row] + i]);
        }
      }
    }
  }
}

/* There are bodies, no solvers that fail and no matrices that cannot be factored. */
void visit_rows (MODEL *m, RANDOM *random)
{
  GUEST guests[ROWS];
  double step, mu = 0, none = 0;
  int count, code;

  choices = random;
  count = 1 + below (ROWS);
  step = 0.1 + fabs (random_value (choices));
  for (int k = 0; k < count; k ++) come (m, &guests[k]);
  for (int round = 1 + below (3); round > 0; round --) {
    for (int k = 0; k < count; k ++) change (m, &guests[k]);
    if (below (3) == 0) {
      mu = fabs (random_value (choices));
      CALL (code, 4, ldy_system_set_regularization (m->system, &mu, 1));
      CHECK_INT (code, 0);
    }
    CALL (code, 60, ldy_system_update (m->system, step));
    CHECK_INT (code, 0);
    look (m, guests, count, step, mu);
    visit_results (m, random);
  }
  CALL (code, 4, ldy_system_set_regularization (m->system, &none, 1));
  CHECK_INT (code, 0);
  for (int k = 0; k < count; k ++) CHECK_INT (ldy_system_remove_constraint (m->system, guests[k].id), 0);
}

/* A joint between rigid bodies or the ground; 0 if there are no rigid bodies. */
static int join (MODEL *m, MODEL_JOINT *joint, int first)
{
  int rigid[2] = { -1, -1 }, count = 0, code;
  int64_t ids[2], none = -7;

  for (int k = 0; k < m->body_count && count < 2; k ++) {
    int place = (first + k) % m->body_count;
    if (m->bodies[place].kind == IS_RIGID) rigid[count ++] = place;
  }
  if (!count) return 0;
  for (int side = 0; side < 2; side ++) {
    joint->bodies[side] = rigid[side] < 0 || (side && below (4) == 0) ? NULL : &m->bodies[rigid[side]];
    model_random_rotation (choices, joint->frames[side]);
    fill (joint->points[side], 3);
  }
  if (below (2)) {
    const MODEL_BODY *master = joint->bodies[0];
    joint->bodies[0] = joint->bodies[1], joint->bodies[1] = master;
  }
  for (int side = 0; side < 2; side ++) ids[side] = joint->bodies[side] ? joint->bodies[side]->id : LDY_GROUND;
  joint->kind = 1 + below (6);
  CHECK_INT (ldy_system_add_joint (m->system, joint->kind + 6, ids[0], ids[1], joint->frames[0], joint->points[0], joint->frames[1],
    joint->points[1], &none), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_INT (none, -7);
  CALL (code, 20, ldy_system_add_joint (m->system, joint->kind, ids[0], ids[1], joint->frames[0], joint->points[0], joint->frames[1],
    joint->points[1], &joint->id));
  CHECK_INT (code, 0);
  CHECK_INT ((long) joint->id, (long) m->next_constraint);
  m->next_constraint ++;
  return 1;
}

/* The guest whose operators the library makes for a joint now. */
static GUEST guest_of (const MODEL_JOINT *joint)
{
  GUEST guest = { .id = joint->id, .rows = joint_rows (joint->kind) };

  for (int side = 0; side < 2; side ++) {
    if (!joint->bodies[side]) continue;
    guest.bodies[guest.count] = joint->bodies[side]->id;
    joint_operator (joint, side, guest.h[guest.count ++]);
  }
  return guest;
}

/* Bodies turn and move. Bad calls change nothing. */
static void turn_joint (MODEL *m, MODEL_JOINT *joint)
{
  int rows = joint_rows (joint->kind), code;
  double errors[7] = { 0 }, bad[3] = { 0, NAN, 0 };

  for (int side = 0; side < 2; side ++) {
    MODEL_BODY *body = joint->bodies[side] ? model_body (m, joint->bodies[side]->id) : NULL;
    if (!body) continue;
    CHECK_INT (ldy_system_set_positions (m->system, &body->id, 0, bad, 0, 1), LDY_ERROR_INVALID_ARGUMENT);
    if (below (2)) {
      model_random_rotation (choices, body->rotation);
      CALL (code, 4, ldy_system_set_rotation (m->system, body->id, body->rotation));
      CHECK_INT (code, 0);
    }
    if (below (2)) {
      fill (body->position, 3);
      CALL (code, 4, ldy_system_set_positions (m->system, &body->id, 0, body->position, 0, 1));
      CHECK_INT (code, 0);
      body->has_position = 1;
    }
  }
  CHECK_INT (ldy_system_joint_error (m->system, joint->id, errors, (size_t) rows + 1), LDY_ERROR_INVALID_ARGUMENT);
  CALL (code, 4, ldy_system_joint_error (m->system, joint->id, errors, (size_t) rows));
  CHECK_INT (code, joint_has_positions (joint) ? 0 : LDY_ERROR_INVALID_ARGUMENT);
  if (!code) joint_check_errors (joint, errors);
}

/* The same for joints by axes. */
void visit_joints (MODEL *m, RANDOM *random)
{
  enum { JOINTS = 3 };
  MODEL_JOINT joints[JOINTS];
  GUEST guests[JOINTS];
  double step, no_operator[36] = { 0 };
  int count = 0, code;

  choices = random;
  step = 0.1 + fabs (random_value (choices));
  for (int wanted = 1 + below (JOINTS); count < wanted && join (m, &joints[count], below (m->body_count)); count ++) {
    ldy_operator H[2] = { { 6, NULL, NULL, no_operator, (size_t) (6 * joint_rows (joints[count].kind)) } };
    H[1] = H[0];
    CHECK_INT (ldy_system_set_operators (m->system, joints[count].id, H, 1 + (joints[count].bodies[0] && joints[count].bodies[1])),
      LDY_ERROR_INVALID_ARGUMENT);
  }
  if (!count) return; /* no rigid bodies */
  for (int round = 1 + below (3); round > 0; round --) {
    for (int k = 0; k < count; k ++) turn_joint (m, &joints[k]);
    for (int k = 0; k < count; k ++) guests[k] = guest_of (&joints[k]);
    CALL (code, 60, ldy_system_update (m->system, step));
    CHECK_INT (code, 0);
    look (m, guests, count, step, 0);
    visit_results (m, random);
  }
  for (int k = 0; k < count; k ++) CHECK_INT (ldy_system_remove_constraint (m->system, joints[k].id), 0);
}
