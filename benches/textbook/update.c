/* The update as a textbook has it, a reference for the library's speed. A careful C programmer would write it from the formulas,
 * with BLAS and LAPACK, and without attention to the layout of blocks in memory.
 *
 * - Each constraint and body have an operator: a matrix on the heap, made at the start of the update and released at its end. It
 *   is sparse, in compressed columns, for finite elements.
 * - A^-1 H^T of each operator is computed once, also on the heap. If A is given as a matrix, a Cholesky factor in the band of its
 *   own numbering solves for one right-hand side at a time. Factors of co-rotational bodies, whose A stays, are kept.
 * - A block is one generic product H (A^-1 H^T), dgemm or a loop over compressed columns, with the block as target. One block of
 *   each symmetric pair is computed and transposed into the other, which is searched for in the neighbor's list. The computed block
 *   belongs to the row with the lower address, mostly the older one, in whose list the partner is nearer to the head.
 * - The 3 x 3 inverse and eigenvalue come from LAPACK.
 *
 * It leaves out the cases that no scene of the bench has: self-contact, reduced bodies, separate meshes, elements other than
 * hexahedra, update kinds other than all. */
#include "update.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "matrix.h"

/* A body's side of a constraint. */
typedef struct {
  BODY *body;
  const SGP *sgp;
  const double *point; /* referential */
  double sign;
} SIDE;

static SIDE master_of (const CON *con)
{
  SIDE side = { con->master, con->msgp, con->mpnt, 1 };

  return side;
}

static SIDE slave_of (const CON *con)
{
  SIDE side = { con->slave, con->ssgp, con->spnt, -1 };

  return side;
}

/* ---- 3 x 3, column-major */

static void multiply (const double *a, const double *b, double *c)
{
  int i, j, k;

  for (j = 0; j < 3; j ++) {
    for (i = 0; i < 3; i ++) {
      for (c[3 * j + i] = 0, k = 0; k < 3; k ++) c[3 * j + i] += a[3 * k + i] * b[3 * j + k];
    }
  }
}

static void transpose (const double *a, double *t)
{
  int i, j;

  for (j = 0; j < 3; j ++) {
    for (i = 0; i < 3; i ++) t[3 * j + i] = a[3 * i + j];
  }
}

/* ---- operators: column c of H begins at x[3 c] */

static MX *rigid_operator (const BODY *body, const double *X, const double *frame)
{
  MX *H = matrix_dense (3, 6);
  double a[3], skew[9] = { 0 }, turned[9], axes[9];
  int j;

  for (j = 0; j < 3; j ++) a[j] = body->ref_center[j] - X[j];
  skew[1] = a[2];
  skew[2] = -a[1];
  skew[3] = -a[2];
  skew[5] = a[0];
  skew[6] = a[1];
  skew[7] = -a[0];
  transpose (frame, axes);
  multiply (body->conf, skew, turned);
  multiply (axes, turned, H->x);
  memcpy (H->x + 9, axes, sizeof axes);
  return H;
}

static MX *pseudo_rigid_operator (const BODY *body, const double *X, const double *frame)
{
  MX *H = matrix_dense (3, 12);
  double axes[9];
  int i, j, r;

  transpose (frame, axes);
  for (r = 0; r < 3; r ++) {
    for (j = 0; j < 3; j ++) {
      for (i = 0; i < 3; i ++) H->x[9 * r + 3 * j + i] = axes[3 * r + i] * (X[j] - body->ref_center[j]);
    }
  }
  memcpy (H->x + 27, axes, sizeof axes);
  return H;
}

static const double corner[8][3] = { { -1, -1, -1 }, { 1, -1, -1 }, { 1, 1, -1 }, { -1, 1, -1 },
                                     { -1, -1, 1 },  { 1, -1, 1 },  { 1, 1, 1 },  { -1, 1, 1 } };

/* Shape functions of a hexahedron, and their derivatives. */
static void hexahedron (const double *xi, double *shape, double derivative[8][3])
{
  double factor[3];
  int a, d;

  for (a = 0; a < 8; a ++) {
    for (d = 0; d < 3; d ++) factor[d] = 1 + corner[a][d] * xi[d];
    shape[a] = factor[0] * factor[1] * factor[2] / 8;
    for (d = 0; d < 3; d ++) derivative[a][d] = corner[a][d] * factor[(d + 1) % 3] * factor[(d + 2) % 3] / 8;
  }
}

/* Where the shape functions put xi less the point, and the Jacobian. */
static void residual_at (const MESH *mesh, const ELEMENT *element, const double *X, const double *shape,
                         double derivative[8][3], double *residual, double *jacobian)
{
  const double *node;
  int a, i, d;

  for (i = 0; i < 3; i ++) residual[i] = -X[i];
  memset (jacobian, 0, 9 * sizeof (double));
  for (a = 0; a < 8; a ++) {
    node = mesh->ref_nodes + 3 * element->nodes[a];
    for (i = 0; i < 3; i ++) {
      residual[i] += shape[a] * node[i];
      for (d = 0; d < 3; d ++) jacobian[3 * d + i] += node[i] * derivative[a][d];
    }
  }
}

/* Shape functions at a referential point, by Newton's method. */
static void shapes_at (const MESH *mesh, const ELEMENT *element, const double *X, double *shape)
{
  double xi[3] = { 0 }, derivative[8][3], residual[3], jacobian[9], inverse[9], step[3], length;
  int iteration, i;

  for (iteration = 0; iteration < 63; iteration ++) {
    hexahedron (xi, shape, derivative);
    residual_at (mesh, element, X, shape, derivative, residual, jacobian);
    if (!block_inverse (jacobian, inverse)) return;
    for (i = 0; i < 3; i ++) {
      step[i] = inverse[i] * residual[0] + inverse[3 + i] * residual[1] + inverse[6 + i] * residual[2];
      xi[i] -= step[i];
    }
    length = sqrt (step[0] * step[0] + step[1] * step[1] + step[2] * step[2]);
    if (length <= 1e-9) break;
  }
  for (i = 0; i < 3; i ++) xi[i] = fmax (-1, fmin (1, xi[i]));
  hexahedron (xi, shape, derivative);
}

/* Write the starts of the compressed columns of an operator; columns of nodes that are not the element's are empty. */
static void column_starts (const ELEMENT *element, int nodes, int *p)
{
  int a, node, j, entries = 0;

  for (node = 0; node < nodes; node ++) {
    for (a = 0; a < 8 && element->nodes[a] != node; a ++);
    for (j = 0; j < 3; j ++) {
      p[3 * node + j] = entries;
      if (a < 8) entries += 3;
    }
  }
  p[3 * nodes] = entries;
}

static MX *finite_element_operator (const BODY *body, const SGP *sgp, const double *X, const double *frame, int turned)
{
  const MESH *mesh = body->shape->data;
  const ELEMENT *element = sgp->gobj;
  MX *H = matrix_sparse (3, 3 * mesh->nodes_count, 72);
  double shape[8], transposed[9], axes[9];
  int a, i, j, e;

  shapes_at (mesh, element, X, shape);
  transpose (frame, transposed);
  if (turned) multiply (transposed, body->conf + body->dofs, axes);
  else memcpy (axes, transposed, sizeof axes);
  column_starts (element, mesh->nodes_count, H->p);
  for (a = 0; a < 8; a ++) {
    for (j = 0; j < 3; j ++) {
      for (i = 0, e = H->p[3 * element->nodes[a] + j]; i < 3; i ++, e ++) {
        H->i[e] = i;
        H->x[e] = shape[a] * axes[3 * j + i];
      }
    }
  }
  return H;
}

/* `inertial`: the operator is in the axes in which A of the body is given; else it is in the axes of the body's velocity. */
static MX *operator_of (const SIDE *side, const double *frame, int inertial)
{
  const BODY *body = side->body;
  int turned = inertial && body->form == BODY_COROTATIONAL && body->scheme != SCH_DEF_EXP;

  switch (body->kind) {
  case PRB: return pseudo_rigid_operator (body, side->point, frame);
  case FEM: return finite_element_operator (body, side->sgp, side->point, frame, turned);
  default: return rigid_operator (body, side->point, frame);
  }
}

/* ---- velocities */

static void add_velocities (CON *con, SIDE side)
{
  MX *H = operator_of (&side, con->base, 0);

  matrix_times (side.sign, H, side.body->velo, con->dia->B);
  matrix_times (side.sign, H, side.body->velo + H->n, con->V);
  matrix_free (H);
}

static void velocities (CON *con)
{
  memset (con->V, 0, sizeof con->V);
  memset (con->dia->B, 0, sizeof con->dia->B);
  add_velocities (con, master_of (con));
  if (con->slave) add_velocities (con, slave_of (con));
}

/* ---- rows */

/* H and A^-1 H^T of one side, and what it adds to the diagonal block. */
static void side_of_row (DIAB *row, SIDE side, double step, MX **H, MX **product)
{
  const CON *con = row->con;
  int j;

  if (!side.body || (side.body->kind == OBS && con->kind == CONTACT)) return;
  *H = operator_of (&side, con->base, 1);
  for (j = 0; j < (*H)->nzmax; j ++) (*H)->x[j] *= side.sign;
  *product = matrix_inverse_times_transposed (side.body->inverse, *H);
  matrix_product (step, *H, *product, 1, row->W);
}

static int diagonal (DIAB *row, double step)
{
  memset (row->W, 0, sizeof row->W);
  side_of_row (row, master_of (row->con), step, &row->mH, &row->mprod);
  side_of_row (row, slave_of (row->con), step, &row->sH, &row->sprod);
  row->rho = 1 / block_largest_eigenvalue (row->W);
  return block_inverse (row->W, row->A) && !isnan (row->rho);
}

static double energy (const DIAB *row)
{
  double sum = 0;
  int i, j;

  for (j = 0; j < 3; j ++) {
    for (i = 0; i < 3; i ++) sum += row->B[i] * row->A[3 * j + i] * row->B[j];
  }
  if (row->con->kind == VELODIR) sum += row->A[8] * row->con->Z[0] * row->con->Z[0];
  return sum / 2;
}

static OFFB *partner_of (const DIAB *row, const OFFB *block)
{
  OFFB *other = block->dia->adj;

  while (other->dia != row || other->bod != block->bod) other = other->n;
  return other;
}

static void blocks (DIAB *row, double step)
{
  const DIAB *neighbour;
  const MX *left, *right;
  OFFB *block;

  for (block = row->adj; block; block = block->n) {
    neighbour = block->dia;
    if (row < neighbour) continue;
    left = block->bod == row->con->master ? row->mH : row->sH;
    right = block->bod == neighbour->con->master ? neighbour->mprod : neighbour->sprod;
    matrix_product (step, left, right, 0, block->W);
    transpose (block->W, partner_of (row, block)->W);
  }
}

static void release (DIAB *row)
{
  matrix_free (row->mH);
  matrix_free (row->mprod);
  matrix_free (row->sH);
  matrix_free (row->sprod);
  row->mH = row->mprod = row->sH = row->sprod = NULL;
}

/* ---- factors */

static int has_factor (const BODY *body)
{
  return body->inverse && body->inverse->flags & MXIFAC;
}

void textbook_release (DOM *dom)
{
  BODY *body;

  for (body = dom->bod; body; body = body->next) {
    if (has_factor (body)) matrix_forget (body->inverse);
  }
}

static void forget_changed (DOM *dom)
{
  BODY *body;

  for (body = dom->bod; body; body = body->next) {
    if (has_factor (body) && body->form != BODY_COROTATIONAL) matrix_forget (body->inverse);
  }
}

int textbook_update (LOCDYN *ldy)
{
  double step = ldy->dom->step;
  int failed = 0;
  DIAB *row;
  CON *con;

  forget_changed (ldy->dom);
  for (con = ldy->dom->con; con; con = con->next) velocities (con);
  ldy->free_energy = 0;
  for (row = ldy->dia; row; row = row->n) {
    if (!diagonal (row, step)) failed = 1;
    ldy->free_energy += energy (row);
  }
  for (row = ldy->dia; row; row = row->n) blocks (row, step);
  for (row = ldy->dia; row; row = row->n) release (row);
  return failed;
}
