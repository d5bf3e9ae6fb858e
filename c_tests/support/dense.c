#include "support/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/element.h"
#include "support/host/matrix.h"

static double *doubles (int count)
{
  double *x = calloc (count ? (size_t) count : 1, sizeof *x);

  if (!x) abort ();
  return x;
}

/* ---- algebra */

void dense_multiply (int m, int k, int n, const double *A, const double *B, double *C)
{
  for (int j = 0; j < n; j ++) {
    for (int i = 0; i < m; i ++) C[m * j + i] = 0;
    for (int l = 0; l < k; l ++) {
      for (int i = 0; i < m; i ++) C[m * j + i] += A[m * l + i] * B[k * j + l];
    }
  }
}

void dense_multiply_transposed (int m, int k, int n, const double *A, const double *B, double *C)
{
  double *transposed = doubles (k * n);

  for (int i = 0; i < n; i ++) {
    for (int j = 0; j < k; j ++) transposed[k * i + j] = B[n * j + i];
  }
  dense_multiply (m, k, n, A, transposed, C);
  free (transposed);
}

static void swap (double *a, double *b)
{
  double kept = *a;

  *a = *b;
  *b = kept;
}

/* x += factor y */
static void add (int n, double *restrict x, double factor, const double *restrict y)
{
  if (factor == 0) return;
  for (int i = 0; i < n; i ++) x[i] += factor * y[i];
}

/* Columns worked on at once, so that a large matrix is not read from memory for each of them. */
#define PANEL 16

static int panel_end (int n, int first)
{
  return n - first < PANEL ? n : first + PANEL;
}

/* x := L^-1 x for `count` columns x, as far as the first `known` columns of L do it */
static void forward (int n, const double *lu, int known, double *x, int count)
{
  for (int j = 0; j < known; j ++) {
    for (int c = 0; c < count; c ++) add (n - j - 1, &x[n * c + j + 1], - x[n * c + j], &lu[n * j + j + 1]);
  }
}

static void backward (int n, const double *lu, double *x, int count)
{
  for (int j = n - 1; j >= 0; j --) {
    for (int c = 0; c < count; c ++) {
      x[n * c + j] /= lu[n * j + j];
      add (j, &x[n * c], - x[n * c + j], &lu[n * j]);
    }
  }
}

/* Columns `first` to `end` of L - 1 + U, those before are there; whether no pivot is zero. */
static int decompose (int n, double *a, int *exchanged, int first, int end)
{
  int i, pivot;

  for (int j = 0; j < first; j ++) {
    for (int c = first; c < end; c ++) swap (&a[n * c + j], &a[n * c + exchanged[j]]);
  }
  forward (n, a, first, &a[n * first], end - first);
  for (int j = first; j < end; j ++) {
    for (pivot = i = j; i < n; i ++) {
      if (fabs (a[n * j + i]) > fabs (a[n * j + pivot])) pivot = i;
    }
    if (a[n * j + pivot] == 0) return 0;
    exchanged[j] = pivot;
    for (int c = 0; c < end; c ++) swap (&a[n * c + j], &a[n * c + pivot]);
    for (i = j + 1; i < n; i ++) a[n * j + i] /= a[n * j + j];
    for (int c = j + 1; c < end; c ++) add (n - j - 1, &a[n * c + j + 1], - a[n * c + j], &a[n * j + j + 1]);
  }
  return 1;
}

/* P a = L U with partial pivoting; a^-1 = U^-1 L^-1 P, where the exchanges of rows become ones of columns, the last first. */
int dense_invert (int n, double *a)
{
  double *inverse = doubles (n * n);
  int *exchanged = calloc ((size_t) n + 1, sizeof *exchanged), regular = 1;

  if (!exchanged) abort ();
  for (int c = 0; regular && c < n; c = panel_end (n, c)) regular = decompose (n, a, exchanged, c, panel_end (n, c));
  for (int c = 0; regular && c < n; c ++) inverse[n * c + c] = 1;
  for (int c = 0; regular && c < n; c = panel_end (n, c)) {
    forward (n, a, n, &inverse[n * c], panel_end (n, c) - c);
    backward (n, a, &inverse[n * c], panel_end (n, c) - c);
  }
  for (int j = n - 1; regular && j >= 0; j --) {
    for (int c = 0; exchanged[j] != j && c < n; c ++) swap (&inverse[n * j + c], &inverse[n * exchanged[j] + c]);
  }
  memcpy (a, inverse, (size_t) n * (size_t) n * sizeof (double));
  free (exchanged);
  free (inverse);
  return regular;
}

double dense_norm (int n, const double *a)
{
  double norm = 0, sum;
  int i;

  for (int j = 0; j < n; j ++) {
    for (sum = 0, i = 0; i < n; i ++) sum += fabs (a[n * j + i]);
    norm = fmax (norm, sum);
  }
  return norm;
}

double dense_condition (int n, const double *a)
{
  double *inverse = doubles (n * n), condition = HUGE_VAL;

  memcpy (inverse, a, (size_t) (n * n) * sizeof (double));
  if (dense_invert (n, inverse)) condition = dense_norm (n, a) * dense_norm (n, inverse);
  free (inverse);
  return condition;
}

/* a := J' a J with the rotation J that makes a(p,q) zero. */
static void rotate (double *a, int p, int q)
{
  double theta, t, c, s, kept;

  if (a[3 * q + p] == 0) return;
  theta = (a[4 * q] - a[4 * p]) / (2 * a[3 * q + p]);
  t = (theta < 0 ? -1 : 1) / (fabs (theta) + sqrt (theta * theta + 1));
  c = 1 / sqrt (t * t + 1);
  s = t * c;
  for (int k = 0; k < 3; k ++) {
    kept = a[3 * p + k];
    a[3 * p + k] = c * kept - s * a[3 * q + k];
    a[3 * q + k] = s * kept + c * a[3 * q + k];
  }
  for (int k = 0; k < 3; k ++) {
    kept = a[3 * k + p];
    a[3 * k + p] = c * kept - s * a[3 * k + q];
    a[3 * k + q] = s * kept + c * a[3 * k + q];
  }
}

double dense_largest_eigenvalue (const double a[9])
{
  double b[9];

  memcpy (b, a, sizeof b);
  for (int sweep = 0; sweep < 30; sweep ++) {
    rotate (b, 0, 1);
    rotate (b, 0, 2);
    rotate (b, 1, 2);
  }
  return fmax (b[0], fmax (b[4], b[8]));
}

int dense_transposes (const double a[9], const double b[9])
{
  for (int i = 0; i < 3; i ++) {
    for (int j = 0; j < 3; j ++) {
      if (memcmp (&a[3 * j + i], &b[3 * i + j], sizeof (double))) return 0;
    }
  }
  return 1;
}

double dense_largest_entry (int count, const double *x)
{
  double largest = 0;

  for (int i = 0; i < count; i ++) largest = fmax (largest, fabs (x[i]));
  return largest;
}

int dense_has_negative_zero (int count, const double *x)
{
  while (count --) {
    if (x[count] == 0 && signbit (x[count])) return 1;
  }
  return 0;
}

/* ---- inverse inertia */

int dense_size (const MX *matrix)
{
  return matrix->m;
}

static void dense_of_blocks (const MX *matrix, double *a)
{
  int size, n = matrix->m;

  for (int b = 0; b < matrix->n; b ++) {
    size = matrix->i[b + 1] - matrix->i[b];
    for (int j = 0; j < size; j ++) {
      for (int i = 0; i < size; i ++) {
        a[n * (matrix->i[b] + j) + matrix->i[b] + i] = matrix->x[matrix->p[b] + size * j + i];
      }
    }
  }
}

static void dense_of_columns (const MX *matrix, double *a)
{
  int lower = (matrix->flags & MXIFAC) && (matrix->flags & MXSPD), n = matrix->n;

  for (int j = 0; j < n; j ++) {
    for (int e = matrix->p[j]; e < matrix->p[j + 1]; e ++) {
      a[n * j + matrix->i[e]] = matrix->x[e];
      if (lower) a[n * matrix->i[e] + j] = matrix->x[e];
    }
  }
}

void dense_of_matrix (const MX *matrix, double *a)
{
  size_t size = (size_t) (matrix->m * matrix->m) * sizeof (double);

  memset (a, 0, size);
  switch ((int) matrix->kind) {
  case MXDENSE: memcpy (a, matrix->x, size); break;
  case MXBD: dense_of_blocks (matrix, a); break;
  default: dense_of_columns (matrix, a);
  }
}

int dense_inverse (const MX *matrix, double *a)
{
  dense_of_matrix (matrix, a);
  return matrix->flags & MXIFAC ? dense_invert (matrix->m, a) : 1;
}

double dense_condition_of_body (const BODY *body)
{
  double *a, condition;

  if (!host_gives_matrix (body)) return 0;
  int n = dense_size (body->inverse);
  a = doubles (n * n);
  dense_of_matrix (body->inverse, a);
  condition = dense_condition (n, a);
  free (a);
  return condition;
}

/* ---- kinematics */

static const MESH *mesh_of (const BODY *body)
{
  return body->msh ? body->msh : body->shape->data;
}

int dense_velocity_size (const BODY *body)
{
  switch ((int) body->kind) {
  case PRB: return 12;
  case FEM: return 3 * mesh_of (body)->nodes_count;
  default: return 6;
  }
}

const double *dense_velocity (const BODY *body, int before)
{
  int reduced = body->kind == FEM && body->form >= BODY_COROTATIONAL_MODAL;

  return body->velo + (reduced ? 4 * body->dofs : 0) + (before ? dense_velocity_size (body) : 0);
}

static void cross (const double *a, const double *b, double *c)
{
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

void dense_point_velocity (const BODY *body, const SGP *sgp, const double *X, const double *u, double *velocity)
{
  double arm[3], spin[3], shape[8];
  const ELEMENT *element;

  for (int i = 0; i < 3; i ++) arm[i] = X[i] - body->ref_center[i];
  switch ((int) body->kind) {
  case PRB: /* the rate of the deformation gradient, row by row, then the velocity of the center */
    for (int i = 0; i < 3; i ++) {
      velocity[i] = u[9 + i];
      for (int j = 0; j < 3; j ++) velocity[i] += u[3 * i + j] * arm[j];
    }
    break;
  case FEM:
    element = element_at_point (body, sgp, X, shape);
    for (int i = 0; i < 3; i ++) {
      velocity[i] = 0;
      for (int j = 0; j < element->type; j ++) velocity[i] += shape[j] * u[3 * element->nodes[j] + i];
    }
    break;
  default: /* the referential angular velocity turns the arm, the rotation carries the result into space */
    cross (u, arm, spin);
    for (int i = 0; i < 3; i ++) {
      velocity[i] = u[3 + i];
      for (int j = 0; j < 3; j ++) velocity[i] += body->conf[3 * j + i] * spin[j];
    }
  }
}

/* Rows of H from the velocity at X: U = E' velocity. */
static void to_frame (const double *E, const double *velocity, double *U)
{
  for (int i = 0; i < 3; i ++) {
    U[i] = 0;
    for (int j = 0; j < 3; j ++) U[i] += E[3 * i + j] * velocity[j];
  }
}

static void finite_element_operator (const BODY *body, const SGP *sgp, const double *X, const double *E, double *H)
{
  double shape[8], velocity[3];
  const ELEMENT *element = element_at_point (body, sgp, X, shape);

  memset (H, 0, (size_t) (3 * dense_velocity_size (body)) * sizeof (double));
  for (int a = 0; a < element->type; a ++) {
    for (int j = 0; j < 3; j ++) {
      velocity[0] = velocity[1] = velocity[2] = 0;
      velocity[j] = shape[a];
      to_frame (E, velocity, H + 3 * (3 * element->nodes[a] + j));
    }
  }
}

/* a := a T with the 3 x 3 matrix T on every node's three columns; `columns` columns in all. */
static void turn_nodes (int columns, double *a, const double *T)
{
  double turned[9];

  for (int j = 0; j < columns; j += 3) {
    dense_multiply (3, 3, 3, a + 3 * j, T, turned);
    memcpy (a + 3 * j, turned, sizeof turned);
  }
}

int dense_inertia_size (const BODY *body)
{
  return body->kind == FEM ? body->dofs : dense_velocity_size (body);
}

void dense_inertia_operator (const BODY *body, const SGP *sgp, const double *X, const double *E, double *H)
{
  int size = dense_velocity_size (body), reduced = body->kind == FEM && body->form >= BODY_COROTATIONAL_MODAL;

  if (!reduced) {
    dense_operator (body, sgp, X, E, H);
    if (body->kind == FEM && body->form == BODY_COROTATIONAL && body->scheme != SCH_DEF_EXP) {
      turn_nodes (size, H, body->conf + body->dofs);
    }
    return;
  }
  double *nodal = doubles (3 * size);
  dense_operator (body, sgp, X, E, nodal);
  turn_nodes (size, nodal, body->conf + body->dofs);
  dense_multiply (3, size, body->dofs, nodal, body->evec->x, H);
  free (nodal);
}

void dense_operator (const BODY *body, const SGP *sgp, const double *X, const double *E, double *H)
{
  int size = dense_velocity_size (body);
  double unit[12] = { 0 }, velocity[3];

  if (body->kind == FEM) {
    finite_element_operator (body, sgp, X, E, H);
    return;
  }
  for (int j = 0; j < size; j ++) {
    unit[j] = 1;
    dense_point_velocity (body, sgp, X, unit, velocity);
    to_frame (E, velocity, H + 3 * j);
    unit[j] = 0;
  }
}
