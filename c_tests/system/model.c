#include "system/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#define N MODEL_FREEDOMS

void model_create (MODEL *model, int bodies, int constraints)
{
  memset (model, 0, sizeof *model);
  model->bodies = calloc ((size_t) bodies, sizeof *model->bodies);
  model->constraints = calloc ((size_t) constraints, sizeof *model->constraints);
  model->body_room = bodies;
  model->constraint_room = constraints;
  if (!model->bodies || !model->constraints || ldy_system_create (&model->system)) abort ();
}

void model_destroy (MODEL *model)
{
  int k;

  ldy_system_destroy (model->system);
  for (k = 0; k < model->body_count; k ++) model_release (&model->bodies[k]);
  free (model->bodies);
  free (model->constraints);
}

MODEL_BODY *model_body (const MODEL *model, long long id)
{
  int k;

  for (k = 0; k < model->body_count; k ++) if (model->bodies[k].id == id) return &model->bodies[k];
  return NULL;
}

ldy_operator model_operator (const MODEL *model, const MODEL_CONSTRAINT *constraint, int k)
{
  const MODEL_OPERATOR *operator = &constraint->operators[k];
  const MODEL_BODY *body = model_body (model, constraint->bodies[k]);
  int n = body ? body->n : 0;
  ldy_operator dense = { n, NULL, NULL, operator->values, 3 * (size_t) n };
  ldy_operator sparse = { n, operator->starts, operator->rows, operator->values, 0 };

  if (!operator->is_sparse) return dense;
  sparse.count = (size_t) operator->starts[n];
  return sparse;
}

static void times (int n, const double *matrix, const double *x, double *y)
{
  int i, j;

  for (i = 0; i < n; i ++) for (y[i] = 0, j = 0; j < n; j ++) y[i] += matrix[n * j + i] * x[j];
}

int model_solve (int size, int columns, double *x, void *data)
{
  MODEL_SOLVER *solver = data;
  double y[N];
  int k;

  if (size != solver->n) return -1;
  for (k = 0; k < columns; k ++) {
    times (size, solver->inverse, &x[size * k], y);
    memcpy (&x[size * k], y, sizeof *y * (size_t) size);
  }
  /* All, since what no operator reads is not missed. */
  if (solver->spoils) for (int k = 0; k < size * columns; k ++) x[k] = NAN;
  return solver->code;
}

int model_solve_group (int size, int columns, double *x, void *data)
{
  MODEL_GROUP *group = data;
  int code = 0, first = 0, k, c;

  for (k = 0; k < group->count; first += group->sizes[k ++]) {
    MODEL_SOLVER *member = group->members[k];
    for (c = 0; c < columns; c ++) {
      double *own = x + size * c + first;
      if (member) code = model_solve (member->n, 1, own, member) ? member->code : code;
      else for (int i = 0; i < group->sizes[k]; i ++) CHECK (own[i] == 0);
    }
  }
  CHECK_INT (size, first);
  return code;
}

void model_release (MODEL_BODY *body)
{
  MODEL_GROUP *group = body->solver ? body->solver->group : NULL;

  for (int k = 0; group && k < group->count; k ++) if (group->members[k] == body->solver) group->members[k] = NULL;
  if (group && -- group->left == 0) free (group);
  free (body->solver);
  body->solver = NULL;
}

/* Gauss and Jordan with pivots. */
int model_invert (int n, const double *matrix, double *inverse)
{
  double a[N * N], t;
  int i, j, k, pivot;

  memcpy (a, matrix, sizeof *a * (size_t) (n * n));
  for (k = 0; k < n * n; k ++) inverse[k] = k % (n + 1) == 0;
  for (k = 0; k < n; k ++) {
    for (pivot = k, i = k + 1; i < n; i ++) if (fabs (a[n * k + i]) > fabs (a[n * k + pivot])) pivot = i;
    if (a[n * k + pivot] == 0) return 0;
    for (j = 0; j < n; j ++) {
      t = a[n * j + k], a[n * j + k] = a[n * j + pivot], a[n * j + pivot] = t;
      t = inverse[n * j + k], inverse[n * j + k] = inverse[n * j + pivot], inverse[n * j + pivot] = t;
    }
    for (t = 1 / a[n * k + k], j = 0; j < n; j ++) a[n * j + k] *= t, inverse[n * j + k] *= t;
    for (i = 0; i < n; i ++) {
      if (i == k) continue;
      for (t = a[n * k + i], j = 0; j < n; j ++) a[n * j + i] -= t * a[n * j + k], inverse[n * j + i] -= t * inverse[n * j + k];
    }
  }
  return 1;
}

static int add_body (ldy_system *system, const MODEL_BODY *body)
{
  static const double unit[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, ones[N] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
  const double *tensor = body->inertia == BY_MASS ? body->tensor : unit;
  double mass = body->inertia == BY_MASS ? body->mass : 1;
  long long id;

  if (body->inertia == BY_OBSTACLE) return ldy_system_add_obstacle (system, body->rotation, body->center, &id);
  if (body->inertia == BY_SOLVER) return ldy_system_add_solver (system, body->n, model_solve, body->solver, &id);
  if (body->kind == IS_RIGID) return ldy_system_add_rigid (system, mass, tensor, body->rotation, body->center, &id);
  if (body->kind == IS_PSEUDO_RIGID) return ldy_system_add_pseudo_rigid (system, mass, tensor, body->center, &id);
  return ldy_system_add_diagonal (system, body->n, ones, &id);
}

static int add_constraint (ldy_system *system, const MODEL *model, const MODEL_CONSTRAINT *constraint)
{
  ldy_operator H[2];
  long long id, bodies[2];
  int k, code;

  for (k = 0; k < 2; k ++) {
    MODEL_BODY *body = model_body (model, constraint->bodies[k]);
    bodies[k] = body ? body - model->bodies : LDY_GROUND;
    H[k] = model_operator (model, constraint, k);
  }
  code = constraint->has_operators
    ? ldy_system_add_operators (system, bodies[0], &H[0], bodies[1], &H[1], &id)
    : ldy_system_add_constraint (system, bodies[0], bodies[1], constraint->frame, constraint->points[0], constraint->points[1],
      &id);
  if (code == 0 && constraint->has_compliance) code = ldy_system_set_compliance (system, id, constraint->compliance);
  return code;
}

ldy_system *model_copy (const MODEL *model)
{
  ldy_system *system;
  int k;

  CHECK_INT (ldy_system_create (&system), 0);
  for (k = 0; k < model->body_count; k ++) {
    const MODEL_BODY *body = &model->bodies[k];
    CHECK_INT (add_body (system, body), 0);
    if (body->inertia == BY_DENSE) CHECK_INT (ldy_system_set_dense (system, k, body->n, body->given), 0);
    if (body->inertia == BY_DIAGONAL) CHECK_INT (ldy_system_set_diagonal (system, k, body->n, body->given), 0);
    if (body->inertia == BY_MATRIX)
      CHECK_INT (ldy_system_set_matrix (system, k, body->n, body->starts, body->rows, body->given,
        (size_t) body->starts[body->n]), 0);
    CHECK_INT (ldy_system_set_velocity (system, k, body->velocity, (size_t) body->n), 0);
    CHECK_INT (ldy_system_set_previous_velocity (system, k, body->previous, (size_t) body->n), 0);
  }
  for (k = 0; k < model->constraint_count; k ++) CHECK_INT (add_constraint (system, model, &model->constraints[k]), 0);
  return system;
}

/* Theory (43), (44): adds +-E^T H of a referential point. */
static void add_point (const MODEL_BODY *body, const double *frame, const double *point, double sign, double *h)
{
  double arm[3], s[3 * N] = { 0 };
  int i, j, k;

  for (i = 0; i < 3; i ++) arm[i] = point[i] - body->center[i];
  if (body->kind == IS_RIGID) {
    const double cross[9] = { 0, -arm[2], arm[1], arm[2], 0, -arm[0], -arm[1], arm[0], 0 };
    for (j = 0; j < 3; j ++) for (i = 0; i < 3; i ++) for (k = 0; k < 3; k ++)
      s[3 * j + i] += body->rotation[3 * k + i] * cross[3 * j + k];
    for (i = 0; i < 3; i ++) s[3 * (3 + i) + i] = 1;
  } else {
    for (i = 0; i < 3; i ++) for (k = 0; k < 3; k ++) s[3 * (3 * i + k) + i] = arm[k];
    for (i = 0; i < 3; i ++) s[3 * (9 + i) + i] = 1;
  }
  for (j = 0; j < body->n; j ++) for (i = 0; i < 3; i ++) for (k = 0; k < 3; k ++)
    h[3 * j + i] += sign * frame[3 * i + k] * s[3 * j + k];
}

static void add_operator (const MODEL_OPERATOR *operator, int n, double *h)
{
  int j, k;

  if (!operator->is_sparse) for (k = 0; k < 3 * n; k ++) h[k] += operator->values[k];
  else for (j = 0; j < n; j ++) for (k = operator->starts[j]; k < operator->starts[j + 1]; k ++)
    h[3 * j + operator->rows[k]] += operator->values[k];
}

void model_h (const MODEL *model, const MODEL_CONSTRAINT *constraint, int k, double *h)
{
  const MODEL_BODY *body = model_body (model, constraint->bodies[k]);
  int side;

  memset (h, 0, 3 * N * sizeof *h);
  for (side = 0; side < 2; side ++) {
    if (constraint->bodies[side] != body->id) continue;
    if (constraint->has_operators) add_operator (&constraint->operators[side], body->n, h);
    else add_point (body, constraint->frame, constraint->points[side], side ? -1 : 1, h);
  }
}

/* Different bodies of a constraint, the ground left out. */
static int sides (const MODEL *model, const MODEL_CONSTRAINT *constraint, MODEL_BODY *bodies[2])
{
  int count = 0;

  bodies[0] = model_body (model, constraint->bodies[0]);
  bodies[1] = constraint->bodies[1] == constraint->bodies[0] ? NULL : model_body (model, constraint->bodies[1]);
  count += bodies[0] != NULL;
  return count + (bodies[1] != NULL);
}

/* Adds h H A^-1 H^T of two constraints on a body; 0 if they have no coupling there. */
static int add_block (const MODEL *model, const MODEL_CONSTRAINT *one, const MODEL_CONSTRAINT *other, const MODEL_BODY *body,
  double step, double *w, double *scale)
{
  double h[2][3 * N], y[N], x[N], term;
  int i, j, k, side[2];

  for (k = 0; k < 2; k ++) {
    const MODEL_CONSTRAINT *constraint = k ? other : one;
    side[k] = constraint->bodies[0] == body->id ? 0 : constraint->bodies[1] == body->id ? 1 : -1;
    if (side[k] < 0) return 0;
    model_h (model, constraint, side[k], h[k]);
  }
  if (body->inertia == BY_OBSTACLE) return 0;
  for (j = 0; j < 3; j ++) {
    for (k = 0; k < body->n; k ++) x[k] = h[1][3 * k + j];
    times (body->n, body->inverse, x, y);
    for (i = 0; i < 3; i ++) for (k = 0; k < body->n; k ++) {
      term = step * h[0][3 * k + i] * y[k];
      w[3 * j + i] += term;
      *scale += fabs (term);
    }
  }
  return 1;
}

static void check_velocity (const MODEL *model, const MODEL_CONSTRAINT *constraint, const double *B, const double *V)
{
  double h[3 * N], local[2][3] = { { 0 } }, scale = 1;
  MODEL_BODY *bodies[2];
  int i, j, k;

  sides (model, constraint, bodies);
  for (k = 0; k < 2; k ++) {
    if (!bodies[k]) continue;
    model_h (model, constraint, k, h);
    for (j = 0; j < bodies[k]->n; j ++) for (i = 0; i < 3; i ++) {
      local[0][i] += h[3 * j + i] * bodies[k]->velocity[j];
      local[1][i] += h[3 * j + i] * bodies[k]->previous[j];
      scale += fabs (h[3 * j + i] * bodies[k]->velocity[j]) + fabs (h[3 * j + i] * bodies[k]->previous[j]);
    }
  }
  for (i = 0; i < 3; i ++) {
    CHECK_NEAR (B[i], local[0][i], 1e-13 * scale);
    CHECK_NEAR (V[i], local[1][i], 1e-13 * scale);
  }
}

void model_check (const MODEL *model, const ldy_rows *rows, double step)
{
  int row, column, i, k, at = 0;

  CHECK_INT (rows->rows, model->constraint_count);
  for (row = 0; row < model->constraint_count; row ++) {
    const MODEL_CONSTRAINT *constraint = &model->constraints[row];
    MODEL_BODY *bodies[2];
    CHECK_INT (rows->constraints[row], constraint->id);
    CHECK_INT (rows->starts[row], at);
    check_velocity (model, constraint, &rows->B[3 * row], &rows->V[3 * row]);
    sides (model, constraint, bodies);
    for (column = 0; column < model->constraint_count; column ++) {
      double w[9] = { 0 }, scale = 0, worst = 0;
      int is_coupled = row == column;
      for (k = 0; k < 2; k ++) if (bodies[k])
        is_coupled |= add_block (model, constraint, &model->constraints[column], bodies[k], step, w, &scale);
      if (!is_coupled) continue;
      if (row == column && constraint->has_compliance) for (i = 0; i < 9; i ++)
        w[i] += constraint->compliance[i], scale += fabs (constraint->compliance[i]);
      CHECK (at < rows->blocks);
      if (at >= rows->blocks) return;
      CHECK_INT (rows->columns[at], column);
      for (i = 0; i < 9; i ++) worst = fmax (worst, fabs (rows->values[9 * at + i] - w[i]));
      CHECK_NEAR (worst, 0, 1e-11 * scale);
      if (row == column) CHECK_SAME_BITS (&rows->diagonal[9 * row], &rows->values[9 * at], 9 * sizeof (double));
      at ++;
    }
  }
  CHECK_INT (rows->blocks, at);
  CHECK_INT (rows->starts[model->constraint_count], at);
}

void model_pushed (const MODEL *model, const MODEL_BODY *body, double step, const double *R, double *velocity)
{
  double force[N] = { 0 }, h[3 * N], change[N];
  int i, j, row;

  for (row = 0; row < model->constraint_count; row ++) {
    const MODEL_CONSTRAINT *constraint = &model->constraints[row];
    int side = constraint->bodies[0] == body->id ? 0 : constraint->bodies[1] == body->id ? 1 : -1;
    if (side < 0) continue;
    model_h (model, constraint, side, h);
    for (j = 0; j < body->n; j ++) for (i = 0; i < 3; i ++) force[j] += h[3 * j + i] * R[3 * row + i];
  }
  times (body->n, body->inverse, force, change);
  for (j = 0; j < body->n; j ++) velocity[j] = body->velocity[j] + step * change[j];
}
