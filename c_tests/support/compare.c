#include "support/compare.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/dense.h"

static void *zeroed (int count, size_t size)
{
  void *memory = calloc (count ? (size_t) count : 1, size);

  if (!memory) abort ();
  return memory;
}

static double rounding = 1e-12;

void compare_to (double tolerance)
{
  rounding = tolerance;
}

/* ---- the dense system */

static int constraint_index (const DENSE_SYSTEM *system, const CON *con)
{
  int i = 0;

  while (system->con[i] != con) i ++;
  return i;
}

/* The index of the constraint on the body; -1: it is not on it. */
static int place_on (const DENSE_BODY *on, const CON *con)
{
  for (int i = 0; i < on->count; i ++) {
    if (on->con[i] == con) return i;
  }
  return -1;
}

/* Adds the velocities of one side to V and B. */
static void add_velocities (DENSE_SYSTEM *system, int c, const BODY *body, const SGP *sgp, const double *X, double sign)
{
  const double *now = dense_velocity (body, 0), *before = dense_velocity (body, 1);
  int size = dense_velocity_size (body);
  double *H = zeroed (3 * size, sizeof *H), reach[2];

  dense_operator (body, sgp, X, system->con[c]->base, H);
  for (int i = 0; i < 3; i ++) {
    reach[0] = reach[1] = 0;
    for (int j = 0; j < size; j ++) {
      system->B[3 * c + i] += sign * H[3 * j + i] * now[j];
      system->V[3 * c + i] += sign * H[3 * j + i] * before[j];
      reach[0] += fabs (H[3 * j + i] * now[j]);
      reach[1] += fabs (H[3 * j + i] * before[j]);
    }
    system->speed[c] = fmax (system->speed[c], fmax (reach[0], reach[1]));
  }
  free (H);
}

/* Adds sign * H of one side to the rows of the constraint, the c-th of the body. */
static void add_operator (DENSE_BODY *on, int c, const SGP *sgp, const double *X, double sign)
{
  double *H = zeroed (3 * on->size, sizeof *H);

  dense_inertia_operator (on->body, sgp, X, on->con[c]->base, H);
  for (int j = 0; j < on->size; j ++) {
    for (int i = 0; i < 3; i ++) on->H[3 * on->count * j + 3 * c + i] += sign * H[3 * j + i];
  }
  free (H);
}

static void multiply_out (DENSE_BODY *on, double step)
{
  int rows = 3 * on->count;
  double *inverse = zeroed (on->size * on->size, sizeof *inverse);
  double *product = zeroed (rows * on->size, sizeof *product);

  dense_inverse (on->body->inverse, inverse);
  dense_multiply (rows, on->size, on->size, on->H, inverse, product);
  dense_multiply_transposed (rows, on->size, rows, product, on->H, on->W);
  for (int i = 0; i < rows * rows; i ++) on->W[i] *= step;
  free (product);
  free (inverse);
}

/* H and W of the constraints on a body. Contacts use an obstacle's velocity, not its inertia. */
static void fill_body (const DENSE_SYSTEM *system, DENSE_BODY *on)
{
  const CON *con;

  on->con = zeroed (system->constraints, sizeof *on->con);
  for (int i = 0; i < system->constraints; i ++) {
    con = system->con[i];
    if (con->kind == CONTACT && on->body->kind == OBS) continue;
    if (con->master == on->body || con->slave == on->body) on->con[on->count ++] = con;
  }
  if (!on->count) return;
  on->size = dense_inertia_size (on->body);
  on->H = zeroed (3 * on->count * on->size, sizeof (double));
  on->W = zeroed (9 * on->count * on->count, sizeof (double));
  for (int i = 0; i < on->count; i ++) {
    con = on->con[i];
    if (con->master == on->body) add_operator (on, i, con->msgp, con->mpnt, 1);
    if (con->slave == on->body) add_operator (on, i, con->ssgp, con->spnt, -1);
  }
  multiply_out (on, system->dom->step);
}

DENSE_SYSTEM *dense_system (const DOM *dom)
{
  DENSE_SYSTEM *system = zeroed (1, sizeof *system);
  const BODY *body;
  int i = 0;

  system->dom = dom;
  system->tolerance = rounding;
  for (body = dom->bod; body; body = body->next) system->bodies ++;
  for (const CON *con = dom->con; con; con = con->next) system->constraints ++;
  system->body = zeroed (system->bodies, sizeof *system->body);
  system->con = zeroed (system->constraints, sizeof *system->con);
  system->V = zeroed (3 * system->constraints, sizeof (double));
  system->B = zeroed (3 * system->constraints, sizeof (double));
  system->speed = zeroed (system->constraints, sizeof (double));
  for (const CON *con = dom->con; con; con = con->next, i ++) {
    system->con[i] = con;
    system->speed[i] = 1e-3;
    add_velocities (system, i, con->master, con->msgp, con->mpnt, 1);
    if (con->slave) add_velocities (system, i, con->slave, con->ssgp, con->spnt, -1);
  }
  for (i = 0, body = dom->bod; body; body = body->next, i ++) {
    system->body[i].body = body;
    if (body->inverse) fill_body (system, &system->body[i]);
    system->tolerance = fmax (system->tolerance, 8 * DBL_EPSILON * dense_condition_of_body (body));
  }
  return system;
}

void dense_system_free (DENSE_SYSTEM *system)
{
  for (int i = 0; i < system->bodies; i ++) {
    free (system->body[i].con);
    free (system->body[i].H);
    free (system->body[i].W);
  }
  free (system->con);
  free (system->body);
  free (system->V);
  free (system->B);
  free (system->speed);
  free (system);
}

static void add_block (const DENSE_BODY *on, const CON *a, const CON *b, double *block)
{
  int ia = place_on (on, a), ib = place_on (on, b);

  if (ia < 0 || ib < 0) return;
  for (int j = 0; j < 3; j ++) {
    for (int i = 0; i < 3; i ++) block[3 * j + i] += on->W[3 * on->count * (3 * ib + j) + 3 * ia + i];
  }
}

void dense_block (const DENSE_SYSTEM *system, const CON *a, const CON *b, const BODY *body, double *block)
{
  int k = 0;

  while (system->body[k].body != body) k ++;
  memset (block, 0, 9 * sizeof (double));
  add_block (&system->body[k], a, b, block);
}

void dense_global_block (const DENSE_SYSTEM *system, const CON *a, const CON *b, double *block)
{
  memset (block, 0, 9 * sizeof (double));
  for (int k = 0; k < system->bodies; k ++) add_block (&system->body[k], a, b, block);
}

/* ---- marks */

static double mark_value;

static void mark (double *x, int count)
{
  while (count --) *x ++ = mark_value += 0.5;
}

MARKS *marks_put (LOCDYN *ldy)
{
  MARKS *marks = zeroed (1, sizeof *marks);
  int row = 0, block = 0;

  mark_value = 1e9;
  for (DIAB *dia = ldy->dia; dia; dia = dia->n) {
    marks->rows ++;
    for (OFFB *off = dia->adj; off; off = off->n) marks->blocks ++;
  }
  marks->row = zeroed (marks->rows, sizeof *marks->row);
  marks->block = zeroed (marks->blocks, sizeof *marks->block);
  mark (&ldy->free_energy, 1);
  marks->free_energy = ldy->free_energy;
  for (DIAB *dia = ldy->dia; dia; dia = dia->n) {
    mark (dia->V, 3);
    mark (dia->B, 3);
    mark (dia->W, 9);
    mark (dia->A, 9);
    mark (&dia->rho, 1);
    marks->row[row ++] = *dia;
    for (OFFB *off = dia->adj; off; off = off->n) {
      mark (off->W, 9);
      marks->block[block ++] = *off;
    }
  }
  return marks;
}

void marks_free (MARKS *marks)
{
  free (marks->row);
  free (marks->block);
  free (marks);
}

/* ---- comparison */

static void near_all (const double *got, const double *want, int count, double tolerance)
{
  for (int i = 0; i < count; i ++) CHECK_NEAR (got[i], want[i], tolerance);
}

/* A is as exact as the condition of W allows. */
static double tolerance_of_inverse (const DENSE_SYSTEM *system, const double *W)
{
  return fmax (system->tolerance, 8 * DBL_EPSILON * dense_condition (3, W));
}

static void compare_diagonal (const DENSE_SYSTEM *system, const DIAB *dia)
{
  double W[9], A[9];

  dense_global_block (system, dia->con, dia->con, W);
  near_all (dia->W, W, 9, system->tolerance * dense_largest_entry (9, W));
  CHECK (dense_transposes (dia->W, dia->W)); /* symmetric */
  memcpy (A, W, sizeof A);
  CHECK (dense_invert (3, A));
  near_all (dia->A, A, 9, tolerance_of_inverse (system, W) * dense_largest_entry (9, A));
}

static void compare_rho (const DENSE_SYSTEM *system, const DIAB *dia)
{
  double W[9], rho;

  dense_global_block (system, dia->con, dia->con, W);
  rho = 1 / dense_largest_eigenvalue (W);
  CHECK_NEAR (dia->rho, rho, system->tolerance * rho);
}

/* How many blocks to the same neighbor through the same body come before this one in the list. */
static int rank_of (const DIAB *dia, const OFFB *block)
{
  int rank = 0;

  for (const OFFB *off = dia->adj; off != block; off = off->n) rank += off->dia == block->dia && off->bod == block->bod;
  return rank;
}

static int self_contact_once;

void compare_self_contact_once (int once)
{
  CHECK_INT (ldy_set_option (LDY_SELF_CONTACT_ONCE, once), 0);
  self_contact_once = once;
}

static void compare_block (const DENSE_SYSTEM *system, const DIAB *dia, const OFFB *off)
{
  static const double zero[9];
  double W[9], own[9], other[9], scale;

  if (self_contact_once && rank_of (dia, off)) {
    near_all (off->W, zero, 9, 0);
    return;
  }
  dense_block (system, dia->con, off->dia->con, off->bod, W);
  dense_global_block (system, dia->con, dia->con, own);
  dense_global_block (system, off->dia->con, off->dia->con, other);
  scale = sqrt (dense_largest_entry (9, own) * dense_largest_entry (9, other));
  near_all (off->W, W, 9, system->tolerance * scale);
}

/* Every block of the neighbor that leads back through the same body is the transpose, bit by bit, and both rows have the
 * same number of such blocks. If self-contact is stored once, this holds for blocks with the same index. */
static void compare_partners (const DIAB *dia, const OFFB *block)
{
  int here = 0, there = 0;

  for (const OFFB *off = dia->adj; off; off = off->n) here += off->dia == block->dia && off->bod == block->bod;
  for (const OFFB *off = block->dia->adj; off; off = off->n) {
    if (off->dia != dia || off->bod != block->bod) continue;
    if (!self_contact_once || there == rank_of (dia, block)) CHECK (dense_transposes (off->W, block->W));
    there ++;
  }
  CHECK_INT (there, here);
}

static void compare_energy (const DENSE_SYSTEM *system, const LOCDYN *ldy)
{
  double energy = 0, scale = 0, loosest = system->tolerance, W[9], A[9], *B;
  int c;

  for (const DIAB *dia = ldy->dia; dia; dia = dia->n) {
    c = constraint_index (system, dia->con);
    B = system->B + 3 * c;
    dense_global_block (system, dia->con, dia->con, W);
    memcpy (A, W, sizeof A);
    dense_invert (3, A);
    for (int i = 0; i < 3; i ++) {
      for (int j = 0; j < 3; j ++) energy += B[i] * A[3 * j + i] * B[j] / 2;
    }
    if (dia->con->kind == VELODIR) energy += A[8] * dia->con->Z[0] * dia->con->Z[0] / 2;
    scale += dense_largest_entry (9, A) * (system->speed[c] * system->speed[c] + dia->con->Z[0] * dia->con->Z[0]);
    loosest = fmax (loosest, tolerance_of_inverse (system, W));
  }
  CHECK_NEAR (ldy->free_energy, energy, loosest * scale);
}

void compare_zeros (const LOCDYN *ldy, UPDATE_KIND update)
{
  for (const DIAB *dia = ldy->dia; dia; dia = dia->n) {
    CHECK (!dense_has_negative_zero (3, dia->V));
    CHECK (!dense_has_negative_zero (3, dia->B));
    if (update == UPDATE_MINIMAL) continue;
    CHECK (!dense_has_negative_zero (9, dia->W));
    CHECK (!dense_has_negative_zero (9, dia->A));
    if (update == UPDATE_PENALTY && dia->con->kind == CONTACT) continue;
    for (const OFFB *off = dia->adj; off; off = off->n) CHECK (!dense_has_negative_zero (9, off->W));
#ifdef MPI
    for (const OFFB *off = dia->adjext; off; off = off->n) CHECK (!dense_has_negative_zero (9, off->W));
#endif
  }
  if (update != UPDATE_MINIMAL) CHECK (!dense_has_negative_zero (1, &ldy->free_energy));
}

void compare_update (const LOCDYN *ldy, UPDATE_KIND update, const MARKS *marks)
{
  DENSE_SYSTEM *system = dense_system (ldy->dom);
  const DIAB *marked = marks->row;
  const OFFB *marked_block = marks->block;
  int c;

  for (const DIAB *dia = ldy->dia; dia; dia = dia->n, marked ++) {
    c = constraint_index (system, dia->con);
    near_all (dia->V, system->V + 3 * c, 3, rounding * system->speed[c]);
    near_all (dia->B, system->B + 3 * c, 3, rounding * system->speed[c]);
    CHECK (!dia->mH && !dia->mprod && !dia->sH && !dia->sprod);
    CHECK (dia->R == dia->con->R && dia->U == dia->con->U && dia->V == dia->con->V && dia->adj == marked->adj);
    if (update == UPDATE_MINIMAL) {
      CHECK_SAME_BITS (dia->W, marked->W, sizeof dia->W);
      CHECK_SAME_BITS (dia->A, marked->A, sizeof dia->A);
    } else {
      compare_diagonal (system, dia);
    }
    if (update == UPDATE_ALL) compare_rho (system, dia);
    else CHECK_SAME_BITS (&dia->rho, &marked->rho, sizeof dia->rho);
    for (const OFFB *off = dia->adj; off; off = off->n, marked_block ++) {
      if (update == UPDATE_ALL) compare_partners (dia, off);
      if (update == UPDATE_ALL || (update == UPDATE_PENALTY && dia->con->kind != CONTACT)) compare_block (system, dia, off);
      else CHECK_SAME_BITS (off->W, marked_block->W, sizeof off->W);
    }
  }
  if (update == UPDATE_MINIMAL) CHECK_SAME_BITS (&ldy->free_energy, &marks->free_energy, sizeof ldy->free_energy);
  else compare_energy (system, ldy);
  compare_zeros (ldy, update);
  dense_system_free (system);
}

void update_and_compare (HOST *host, UPDATE_KIND update)
{
  LOCDYN *ldy = host->dom.ldy;
  MARKS *marks = marks_put (ldy);

  host_set_update (host, update);
  LOCDYN_Update_Begin (ldy);
  compare_update (ldy, update, marks);
  marks_free (marks);
}
