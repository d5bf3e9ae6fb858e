#include "support/scene.h"

#include <math.h>
#include <string.h>

#include "support/dense.h"

/* ---- random numbers */

static void random_values (RANDOM *random, int count, double *x)
{
  for (int i = 0; i < count; i ++) x[i] = random_value (random);
}

void random_rotation (RANDOM *random, double *rotation)
{
  double q[4], norm = 0;

  do random_values (random, 4, q); while (fabs (q[0]) < 0.1);
  for (int i = 0; i < 4; i ++) norm += q[i] * q[i];
  for (int i = 0; i < 4; i ++) q[i] /= sqrt (norm);
  rotation[0] = 1 - 2 * (q[2] * q[2] + q[3] * q[3]);
  rotation[1] = 2 * (q[1] * q[2] + q[0] * q[3]);
  rotation[2] = 2 * (q[1] * q[3] - q[0] * q[2]);
  rotation[3] = 2 * (q[1] * q[2] - q[0] * q[3]);
  rotation[4] = 1 - 2 * (q[1] * q[1] + q[3] * q[3]);
  rotation[5] = 2 * (q[2] * q[3] + q[0] * q[1]);
  rotation[6] = 2 * (q[1] * q[3] + q[0] * q[2]);
  rotation[7] = 2 * (q[2] * q[3] - q[0] * q[1]);
  rotation[8] = 1 - 2 * (q[1] * q[1] + q[2] * q[2]);
}

void random_definite (RANDOM *random, int n, double *a)
{
  double root[144];

  random_values (random, n * n, root);
  dense_multiply_transposed (n, n, n, root, root, a);
  for (int i = 0; i < n; i ++) {
    a[n * i + i] += 0.5;
    for (int j = 0; j < i; j ++) a[n * j + i] = a[n * i + j]; /* symmetric to the bit */
  }
}

/* ---- bodies */

static MX *random_blocks (RANDOM *random, int blocks, const int *sizes)
{
  double x[144], *at = x;

  for (int b = 0; b < blocks; b ++) {
    random_definite (random, sizes[b], at);
    at += sizes[b] * sizes[b];
  }
  return host_matrix_blocks (blocks, sizes, x);
}

/* The same block for the three rows of the deformation gradient, then 1/m for the mass center. */
static MX *random_pseudo_rigid (RANDOM *random)
{
  static const int threes[] = { 3, 3, 3, 3 };
  double x[36] = { 0 }, moving = 1.5 + random_value (random);

  random_definite (random, 3, x);
  for (int i = 0; i < 9; i ++) x[9 + i] = x[18 + i] = x[i];
  for (int i = 0; i < 3; i ++) x[27 + 4 * i] = moving;
  return host_matrix_blocks (4, threes, x);
}

static MX *random_diagonal (RANDOM *random, int n)
{
  double x[144] = { 0 };

  for (int i = 0; i < n; i ++) x[(n + 1) * i] = 1.5 + random_value (random);
  return host_matrix_sparse (n, x);
}

/* Symmetric, dominated by its diagonal, about half of the other entries absent. */
static MX *random_sparse (RANDOM *random, int n)
{
  double x[144] = { 0 };

  for (int i = 0; i < n; i ++) {
    x[(n + 1) * i] = n;
    for (int j = 0; j < i; j ++) {
      if (random_below (random, 2)) x[n * i + j] = x[n * j + i] = random_value (random);
    }
  }
  return host_matrix_sparse (n, x);
}

static MX *random_inverse (RANDOM *random, int n, INVERSE_FORM form)
{
  static const int threes[] = { 3, 3, 3, 3 }, nine_three[] = { 9, 3 }, six[] = { 6 };
  double x[144];

  switch (form) {
  case INVERSE_BLOCKS: return n == 12 ? random_pseudo_rigid (random) : random_blocks (random, 2, threes);
  case INVERSE_ODD_BLOCKS: return random_blocks (random, n / 3, threes);
  case INVERSE_LARGE_BLOCK: return n == 6 ? random_blocks (random, 1, six) : random_blocks (random, 2, nine_three);
  case INVERSE_DIAGONAL: return random_diagonal (random, n);
  case INVERSE_SPARSE: return random_sparse (random, n);
  default:
    random_definite (random, n, x);
    return host_matrix_dense (n, n, x);
  }
}

void scene_randomise_body (BODY *body, RANDOM *random, INVERSE_FORM form)
{
  random_values (random, 3, body->ref_center);
  random_values (random, 12, body->conf);
  if (body->kind != PRB) random_rotation (random, body->conf);
  random_values (random, 2 * body->dofs, body->velo);
  host_set_inverse (body, random_inverse (random, body->dofs, form));
}

BODY *scene_body (HOST *host, RANDOM *random, int kind, INVERSE_FORM form)
{
  BODY *body = host_add_body (host, kind);

  scene_randomise_body (body, random, form);
  return body;
}

/* ---- constraints */

void scene_randomise_constraint (CON *con, RANDOM *random)
{
  random_values (random, 3, con->point);
  random_values (random, 3, con->mpnt);
  random_values (random, 3, con->spnt);
  random_rotation (random, con->base);
  random_values (random, 7, con->Z);
}

CON *scene_constraint (HOST *host, RANDOM *random, int kind, BODY *master, BODY *slave)
{
  CON *con = host_add_constraint (host, kind, master, slave);

  scene_randomise_constraint (con, random);
  return con;
}

HOST *scene_mixed (uint64_t seed)
{
  /* kinds of bodies and forms of their inverses, then of constraints with master and slave */
  static const int bodies[8][2] = {
    { OBS, INVERSE_BLOCKS }, { RIG, INVERSE_BLOCKS }, { RIG, INVERSE_DENSE }, { PRB, INVERSE_LARGE_BLOCK },
    { PRB, INVERSE_BLOCKS }, { RIG, INVERSE_SPARSE }, { PRB, INVERSE_DIAGONAL }, { PRB, INVERSE_SPARSE } };
  static const int constraints[14][3] = {
    { CONTACT, 1, 0 }, { CONTACT, 2, 1 }, { CONTACT, 1, 2 }, { CONTACT, 3, 2 }, { CONTACT, 4, 3 }, { CONTACT, 4, 4 },
    { FIXPNT, 1, -1 }, { FIXDIR, 0, -1 }, { VELODIR, 5, -1 }, { VELODIR3, 6, -1 }, { RIGLNK, 5, 6 }, { SPRING, 7, 0 },
    { CONTACT, 7, 4 }, { RIGLNK, 7, 7 } };
  RANDOM random = { seed };
  HOST *host = host_create ();
  BODY *body[8];
  int slave, i;

  for (i = 0; i < 8; i ++) body[i] = scene_body (host, &random, bodies[i][0], (INVERSE_FORM) bodies[i][1]);
  for (i = 0; i < 14; i ++) {
    slave = constraints[i][2];
    scene_constraint (host, &random, constraints[i][0], body[constraints[i][1]], slave < 0 ? NULL : body[slave]);
  }
  return host;
}

LOCDYN *scene_insert_all (HOST *host)
{
  host->dom.ldy = LOCDYN_Create (&host->dom);
  for (CON *con = host->dom.con; con; con = con->next) host_insert (host, con);
  return host->dom.ldy;
}

void scene_destroy (HOST *host)
{
  for (CON *con = host->dom.con; con; con = con->next) {
    if (con->dia) host_remove (host, con);
  }
  LOCDYN_Destroy (host->dom.ldy);
  host_destroy (host);
}
