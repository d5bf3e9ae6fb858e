/* A small legacy module: the LOCDYN_* that the example shadow.c needs, for rigid bodies with inverses in two 3 x 3 blocks,
 * contacts among them and joints on one of them; no obstacles. Straight from the definitions, block by block. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ldy_host.h"

LOCDYN *LOCDYN_Create (DOM *dom)
{
  LOCDYN *ldy = calloc (1, sizeof *ldy);

  if (!ldy) abort ();
  ldy->dom = dom;
  return ldy;
}

static void put (DIAB *row, DIAB *neighbour, BODY *body)
{
  OFFB *block = calloc (1, sizeof *block);

  if (!block) abort ();
  block->dia = neighbour;
  block->bod = body;
  block->n = row->adj;
  row->adj = block;
}

DIAB *LOCDYN_Insert (LOCDYN *ldy, CON *con, BODY *one, BODY *two)
{
  DIAB *row = calloc (1, sizeof *row), *other;
  BODY *body[2];
  int k;

  if (!row) abort ();
  body[0] = one, body[1] = two;
  row->con = con;
  row->R = con->R, row->U = con->U, row->V = con->V;
  for (other = ldy->dia; other; other = other->n) {
    for (k = 0; k < 2; k ++) {
      if (!body[k] || (other->con->master != body[k] && other->con->slave != body[k])) continue;
      put (other, row, body[k]);
      put (row, other, body[k]);
    }
  }
  row->n = ldy->dia;
  if (row->n) row->n->p = row;
  return ldy->dia = row;
}

static void drop (DIAB *row, const DIAB *neighbour)
{
  OFFB **link = &row->adj, *block;

  while ((block = *link)) {
    if (neighbour && block->dia != neighbour) link = &block->n;
    else *link = block->n, free (block);
  }
}

void LOCDYN_Remove (LOCDYN *ldy, DIAB *row)
{
  DIAB *other;

  for (other = ldy->dia; other; other = other->n) drop (other, row);
  drop (row, NULL);
  if (row->p) row->p->n = row->n;
  else ldy->dia = row->n;
  if (row->n) row->n->p = row->p;
  free (row);
}

/* H = s E^T [ L skew (C - X) | I ] on a body; 0 if the constraint does not act there. */
static int operator_on (const CON *con, const BODY *body, double *H)
{
  const double *X = con->master == body ? con->mpnt : con->spnt, *E = con->base, *L = body->conf;
  double sign = con->master == body ? 1 : -1, a[3], S[9] = { 0 };
  int i, j, k, l;

  if (con->master != body && con->slave != body) return 0;
  for (i = 0; i < 3; i ++) a[i] = body->ref_center[i] - X[i];
  S[1] = a[2], S[2] = -a[1], S[3] = -a[2], S[5] = a[0], S[6] = a[1], S[7] = -a[0];
  for (i = 0; i < 3; i ++) {
    for (j = 0; j < 3; j ++) {
      H[9 + 3 * j + i] = sign * E[3 * i + j];
      H[3 * j + i] = 0;
      for (k = 0; k < 3; k ++) {
        for (l = 0; l < 3; l ++) H[3 * j + i] += sign * E[3 * i + k] * L[3 * l + k] * S[3 * j + l];
      }
    }
  }
  return 1;
}

/* Adds h H_a A^-1 H_b^T through a body. */
static void add (double *W, const CON *a, const CON *b, const BODY *body, double h)
{
  double Ha[18], Hb[18], entry;
  int i, j, k, l;

  if (!body || !operator_on (a, body, Ha) || !operator_on (b, body, Hb)) return;
  for (k = 0; k < 6; k ++) {
    for (l = 0; l < 3; l ++) {
      entry = h * body->inverse->x[9 * (k / 3) + 3 * l + k % 3];
      for (i = 0; i < 3; i ++) {
        for (j = 0; j < 3; j ++) W[3 * j + i] += Ha[3 * k + i] * entry * Hb[3 * (3 * (k / 3) + l) + j];
      }
    }
  }
}

static void add_velocities (const CON *con, const BODY *body, double *V, double *B)
{
  double H[18];
  int i, j;

  if (!body || !operator_on (con, body, H)) return;
  for (j = 0; j < 6; j ++) {
    for (i = 0; i < 3; i ++) {
      B[i] += H[3 * j + i] * body->velo[j];
      V[i] += H[3 * j + i] * body->velo[6 + j];
    }
  }
}

/* By cofactors. */
static void invert (const double *W, double *A)
{
  double det = 0;
  int i, j;

  for (i = 0; i < 3; i ++) {
    for (j = 0; j < 3; j ++) {
      int p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, s = (j + 2) % 3;

      A[3 * i + j] = W[3 * r + p] * W[3 * s + q] - W[3 * s + p] * W[3 * r + q];
    }
  }
  for (j = 0; j < 3; j ++) det += W[3 * j] * A[j];
  for (i = 0; i < 9; i ++) A[i] /= det;
}

/* By the power method, until it stands still. */
static double largest_eigenvalue (const double *W)
{
  double x[3] = { 1, 0.7, 0.4 }, y[3], norm = 0;
  int i, n;

  for (n = 0; n < 20000; n ++) {
    for (i = 0; i < 3; i ++) y[i] = W[i] * x[0] + W[3 + i] * x[1] + W[6 + i] * x[2];
    norm = sqrt (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
    for (i = 0; i < 3; i ++) x[i] = y[i] / norm;
  }
  return norm;
}

void LOCDYN_Update_Begin (LOCDYN *ldy)
{
  double h = ldy->dom->step;
  DIAB *row;
  OFFB *block;
  CON *con;
  int i, j;

  ldy->free_energy = 0;
  for (row = ldy->dia; row; row = row->n) {
    con = row->con;
    memset (row->V, 0, sizeof con->V);
    memset (row->B, 0, sizeof row->B);
    memset (row->W, 0, sizeof row->W);
    add_velocities (con, con->master, row->V, row->B);
    add_velocities (con, con->slave, row->V, row->B);
    add (row->W, con, con, con->master, h);
    add (row->W, con, con, con->slave, h);
    invert (row->W, row->A);
    row->rho = 1 / largest_eigenvalue (row->W);
    for (i = 0; i < 3; i ++) {
      for (j = 0; j < 3; j ++) ldy->free_energy += row->B[i] * row->A[3 * j + i] * row->B[j] / 2;
    }
    for (block = row->adj; block; block = block->n) {
      memset (block->W, 0, sizeof block->W);
      add (block->W, con, block->dia->con, block->bod, h);
    }
  }
}

void LOCDYN_Destroy (LOCDYN *ldy)
{
  while (ldy->dia) LOCDYN_Remove (ldy, ldy->dia);
  free (ldy);
}
