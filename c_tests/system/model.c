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
  ldy_system_destroy (model->system);
  for (int k = 0; k < model->body_count; k ++) model_release (&model->bodies[k]);
  free (model->bodies);
  free (model->constraints);
}

MODEL_BODY *model_body (const MODEL *model, int64_t id)
{
  for (int k = 0; k < model->body_count; k ++) if (model->bodies[k].id == id) return &model->bodies[k];
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
  int j;

  for (int i = 0; i < n; i ++) for (y[i] = 0, j = 0; j < n; j ++) y[i] += matrix[n * j + i] * x[j];
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
  int code = 0, first = 0;

  for (int k = 0; k < group->count; first += group->sizes[k ++]) {
    MODEL_SOLVER *member = group->members[k];
    for (int c = 0; c < columns; c ++) {
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
void model_random_rotation (RANDOM *random, double *q)
{
  double a[4], s;

  do {
    for (int k = 0; k < 4; k ++) a[k] = random_value (random);
    s = a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3];
  } while (s < 0.01);
  s = 2 / s;
  q[0] = 1 - s * (a[2] * a[2] + a[3] * a[3]), q[3] = s * (a[1] * a[2] - a[3] * a[0]), q[6] = s * (a[1] * a[3] + a[2] * a[0]);
  q[1] = s * (a[1] * a[2] + a[3] * a[0]), q[4] = 1 - s * (a[1] * a[1] + a[3] * a[3]), q[7] = s * (a[2] * a[3] - a[1] * a[0]);
  q[2] = s * (a[1] * a[3] - a[2] * a[0]), q[5] = s * (a[2] * a[3] + a[1] * a[0]), q[8] = 1 - s * (a[1] * a[1] + a[2] * a[2]);
}

int model_invert (int n, const double *matrix, double *inverse)
{
  double a[N * N], t;
  int i, j, pivot;

  memcpy (a, matrix, sizeof *a * (size_t) (n * n));
  for (int k = 0; k < n * n; k ++) inverse[k] = k % (n + 1) == 0;
  for (int k = 0; k < n; k ++) {
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
  int64_t id;

  if (body->inertia == BY_OBSTACLE) return ldy_system_add_obstacle (system, body->rotation, body->center, &id);
  if (body->inertia == BY_SOLVER) return ldy_system_add_body (system, FUNCTION (body->n, model_solve, body->solver), &id);
  if (body->kind == IS_RIGID) return ldy_system_add_rigid (system, mass, tensor, body->rotation, body->center, &id);
  if (body->kind == IS_PSEUDO_RIGID) return ldy_system_add_pseudo_rigid (system, mass, tensor, body->center, &id);
  return ldy_system_add_body (system, DIAGONAL (body->n, ones), &id);
}

static int add_constraint (ldy_system *system, const MODEL *model, const MODEL_CONSTRAINT *constraint)
{
  ldy_operator H[2];
  int64_t id, bodies[2];

  for (int k = 0; k < 2; k ++) {
    MODEL_BODY *body = model_body (model, constraint->bodies[k]);
    bodies[k] = body ? body - model->bodies : LDY_GROUND;
    H[k] = model_operator (model, constraint, k);
  }
  int code = constraint->has_operators
    ? ldy_system_add_constraint_rows (system, 3, (int64_t []) { bodies[0], bodies[1] }, (ldy_operator []) { H[0], H[1] }, 2, &id)
    : ldy_system_add_point_constraint (system, bodies[0], bodies[1], constraint->frame, constraint->points[0], constraint->points[1],
      &id);
  if (code == 0 && constraint->has_compliance) code = ldy_system_set_compliance (system, id, constraint->compliance, 9);
  return code;
}

ldy_system *model_copy (const MODEL *model)
{
  ldy_system *system;

  CHECK_INT (ldy_system_create (&system), 0);
  for (int k = 0; k < model->body_count; k ++) {
    const MODEL_BODY *body = &model->bodies[k];
    CHECK_INT (add_body (system, body), 0);
    if (body->inertia == BY_DENSE) CHECK_INT (ldy_system_set_inertia (system, k, DENSE (body->n, body->given)), 0);
    if (body->inertia == BY_DIAGONAL) CHECK_INT (ldy_system_set_inertia (system, k, DIAGONAL (body->n, body->given)), 0);
    if (body->inertia == BY_MATRIX)
      CHECK_INT (ldy_system_set_inertia (system, k, SPARSE (body->n, body->starts, body->rows, body->given, (size_t) body->starts[body->n])), 0);
    CHECK_INT (ldy_system_set_velocity (system, k, LDY_VELOCITY_FREE, body->velocity, (size_t) body->n), 0);
    CHECK_INT (ldy_system_set_velocity (system, k, LDY_VELOCITY_PREVIOUS, body->previous, (size_t) body->n), 0);
  }
  for (int k = 0; k < model->constraint_count; k ++) CHECK_INT (add_constraint (system, model, &model->constraints[k]), 0);
  return system;
}
