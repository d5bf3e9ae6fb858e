#include "support/deviation.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/dense.h"

#define TOLERANCE 1e-12
#define MARKED_ENERGY -1

const char *const deviation_names[QUANTITIES] = { "V", "B", "W", "A", "rho", "block", "free_energy" };

void deviation_fail (DEVIATION *deviation, const char *format, ...)
{
  va_list arguments;

  if (deviation->failed ++) return;
  va_start (arguments, format);
  vsnprintf (deviation->why, sizeof deviation->why, format, arguments);
  va_end (arguments);
}

static void note (DEVIATION *deviation, const CON *con, int quantity, double error, double tolerance)
{
  if (isnan (error) || error > deviation->error[quantity]) deviation->error[quantity] = error;
  if (error <= tolerance) return;
  if (con) deviation_fail (deviation, "%s of constraint %u is off by %.1e", deviation_names[quantity], con->id, error);
  else deviation_fail (deviation, "%s is off by %.1e", deviation_names[quantity], error);
}

/* Largest difference over scale; not a number where one is not. */
static double difference (int count, const double *got, const double *want, double scale)
{
  double largest = 0, d;

  for (int i = 0; i < count; i ++) {
    d = fabs (got[i] - want[i]);
    if (isnan (d) || d > largest) largest = d;
  }
  return largest == 0 ? 0 : largest / scale;
}

/* ---- scales and tolerances */

/* Absolute values entry by entry, before anything cancels. */
static double speed_on (const BODY *body, const SGP *sgp, const double *X, const double *E)
{
  int size, j;
  double *H, sum, speed = 0;
  const double *v;

  if (!body) return 0;
  size = dense_velocity_size (body);
  H = malloc ((size_t) (3 * size) * sizeof *H);
  if (!H) abort ();
  dense_operator (body, sgp, X, E, H);
  for (int before = 0; before < 2; before ++) {
    v = dense_velocity (body, before);
    for (int i = 0; i < 3; i ++) {
      for (sum = 0, j = 0; j < size; j ++) sum += fabs (H[3 * j + i] * v[j]);
      speed = fmax (speed, sum);
    }
  }
  free (H);
  return speed;
}

static double speed_scale (const CON *con)
{
  double speed = speed_on (con->master, con->msgp, con->mpnt, con->base);

  speed = fmax (speed, speed_on (con->slave, con->ssgp, con->spnt, con->base));
  return fmax (speed, 1e-3);
}

/* W of rows on a body whose matrix is given, not its inverse, is determined up to the rounding of the matrix only. */
double *deviation_tolerances (DEVIATION *deviation, const SNAPSHOT *s)
{
  double *tolerance = malloc ((size_t) (s->rows + 1) * sizeof *tolerance), condition;

  if (!tolerance) abort ();
  for (int i = 0; i < s->rows; i ++) tolerance[i] = TOLERANCE;
  for (int j = 0; j < s->bodies; j ++) {
    condition = dense_condition_of_body (s->body[j]);
    deviation->condition = fmax (deviation->condition, condition);
    for (int i = 0; i < s->rows; i ++) {
      if (s->row[i].con->master == s->body[j] || s->row[i].con->slave == s->body[j]) {
        tolerance[i] = fmax (tolerance[i], DBL_EPSILON * condition);
      }
    }
  }
  return tolerance;
}

/* ---- comparison */

static void check_zeros (DEVIATION *deviation, int quantity, int count, const double *x)
{
  if (dense_has_negative_zero (count, x)) deviation_fail (deviation, "%s holds -0", deviation_names[quantity]);
}

static const SNAPSHOT_ROW *row_of (const SNAPSHOT *s, const CON *con)
{
  for (int i = 0; i < s->rows; i ++) {
    if (s->row[i].con == con) return &s->row[i];
  }
  return NULL;
}

/* Blocks are a multiset: the k-th one with this neighbor and body is compared with the k-th recorded. */
static int take_block (const SNAPSHOT_ROW *row, const char *taken, const CON *con, const OFFB *block)
{
  for (int i = 0; i < row->count; i ++) {
    if (!taken[i] && row->block[i].con->id == con->id && row->block[i].body->id == block->bod->id) return i;
  }
  return -1;
}

static const double left_alone[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };

int deviation_block (DEVIATION *deviation, const SNAPSHOT *s, const SNAPSHOT_ROW *row, const char *taken, const CON *con,
                     const OFFB *block, int marked, double tolerance)
{
  int place = take_block (row, taken, con, block);
  const SNAPSHOT_BLOCK *want = place < 0 ? NULL : &row->block[place];
  double scale;

  if (!want) {
    deviation_fail (deviation, "constraint %u has an unexpected block to %u through body %u", row->con->id, con->id,
                    block->bod->id);
  } else if (want->recorded) {
    scale = sqrt (dense_largest_entry (9, row->W) * dense_largest_entry (9, row_of (s, want->con)->W));
    note (deviation, row->con, QUANTITY_BLOCK, difference (9, block->W, want->W, scale), tolerance);
    check_zeros (deviation, QUANTITY_BLOCK, 9, block->W);
  } else if (marked && memcmp (block->W, left_alone, sizeof left_alone)) {
    deviation_fail (deviation, "a block of constraint %u is to be left alone and was not", row->con->id);
  }
  return place;
}

static void compare_blocks (DEVIATION *deviation, const SNAPSHOT *s, const DIAB *dia, int marked, const SNAPSHOT_ROW *row,
                            double tolerance)
{
  char *taken = calloc ((size_t) row->count + 1, 1);
  int count = 0, place;

  if (!taken) abort ();
  for (const OFFB *block = dia->adj; block; block = block->n, count ++) {
    place = deviation_block (deviation, s, row, taken, block->dia->con, block, marked, tolerance);
    if (place >= 0) taken[place] = 1;
  }
  if (count != row->count) {
    deviation_fail (deviation, "constraint %u has %d blocks, not %d", row->con->id, count, row->count);
  }
  free (taken);
}

static void compare_partners (DEVIATION *deviation, const DIAB *dia)
{
  int partners;

  for (const OFFB *block = dia->adj; block; block = block->n) {
    partners = 0;
    for (const OFFB *other = block->dia->adj; other; other = other->n) {
      if (other->dia != dia || other->bod != block->bod) continue;
      partners ++;
      if (!dense_transposes (block->W, other->W)) {
        deviation_fail (deviation, "blocks of constraints %u and %u are no transposes", dia->con->id, block->dia->con->id);
      }
    }
    if (!partners) deviation_fail (deviation, "a block of constraint %u has no partner", dia->con->id);
  }
}

void deviation_row (DEVIATION *deviation, const SNAPSHOT *s, const DIAB *dia, const DIAB *before, const SNAPSHOT_ROW *row,
                    double tolerance)
{
  double speed = speed_scale (row->con);

  note (deviation, row->con, QUANTITY_V, difference (3, dia->V, row->V, speed), TOLERANCE);
  note (deviation, row->con, QUANTITY_B, difference (3, dia->B, row->B, speed), TOLERANCE);
  check_zeros (deviation, QUANTITY_V, 3, dia->V);
  check_zeros (deviation, QUANTITY_B, 3, dia->B);
  if (dia->mH || dia->mprod || dia->sH || dia->sprod) {
    deviation_fail (deviation, "constraint %u keeps operators", row->con->id);
  }
  if (s->update == UPDATE_MINIMAL) {
    if (before && (memcmp (dia->W, before->W, sizeof dia->W) || memcmp (dia->A, before->A, sizeof dia->A))) {
      deviation_fail (deviation, "W or A of constraint %u was touched", row->con->id);
    }
  } else {
    note (deviation, row->con, QUANTITY_W, difference (9, dia->W, row->W, dense_largest_entry (9, row->W)), tolerance);
    note (deviation, row->con, QUANTITY_A, difference (9, dia->A, row->A, dense_largest_entry (9, row->A)), tolerance);
    check_zeros (deviation, QUANTITY_W, 9, dia->W);
    check_zeros (deviation, QUANTITY_A, 9, dia->A);
  }
  if (s->update == UPDATE_ALL) {
    note (deviation, row->con, QUANTITY_RHO, difference (1, &dia->rho, &row->rho, fabs (row->rho)), tolerance);
    compare_partners (deviation, dia);
  } else if (before && memcmp (&dia->rho, &before->rho, sizeof dia->rho)) {
    deviation_fail (deviation, "rho of constraint %u was touched", row->con->id);
  }
}

void deviation_energy (DEVIATION *deviation, const SNAPSHOT *s, double energy, const double *tolerance)
{
  double scale = 0, loosest = TOLERANCE, speed;

  for (int i = 0; i < s->rows; i ++) {
    const CON *con = s->row[i].con;
    speed = speed_scale (con);
    scale += dense_largest_entry (9, s->row[i].A) * speed * speed / 2;
    if (con->kind == VELODIR) scale += s->row[i].A[8] * con->Z[0] * con->Z[0] / 2;
    loosest = fmax (loosest, tolerance[i]);
  }
  note (deviation, NULL, QUANTITY_ENERGY, difference (1, &energy, &s->free_energy, scale), loosest);
  check_zeros (deviation, QUANTITY_ENERGY, 1, &energy);
}

void deviation_energy_untouched (DEVIATION *deviation, const LOCDYN *ldy)
{
  if (ldy->free_energy != MARKED_ENERGY) deviation_fail (deviation, "free_energy was touched");
}

/* ---- the whole */

DIAB *deviation_mark (LOCDYN *ldy, int rows)
{
  DIAB *copies = calloc ((size_t) rows + 1, sizeof *copies);
  int i = 0;

  if (!copies) abort ();
  ldy->free_energy = MARKED_ENERGY;
  for (DIAB *dia = ldy->dia; dia && i < rows; dia = dia->n) {
    memcpy (dia->W, left_alone, sizeof dia->W);
    memcpy (dia->A, left_alone, sizeof dia->A);
    dia->rho = -1;
    for (OFFB *block = dia->adj; block; block = block->n) memcpy (block->W, left_alone, sizeof block->W);
    copies[i ++] = *dia;
  }
  return copies;
}

void deviation_begin (DEVIATION *deviation)
{
  memset (deviation, 0, sizeof *deviation);
  for (int q = 0; q < QUANTITIES; q ++) deviation->error[q] = -1;
}

void deviation_measure (DEVIATION *deviation, const SNAPSHOT *s, const LOCDYN *ldy, const DIAB *before)
{
  double *tolerance = deviation_tolerances (deviation, s);
  const DIAB *dia, *last = NULL;
  int i = 0;

  for (dia = ldy->dia; dia && i < s->rows; last = dia, dia = dia->n, i ++) {
    if (dia->p != last) deviation_fail (deviation, "row %d has a wrong predecessor", i);
    if (dia->con == s->row[i].con) {
      deviation_row (deviation, s, dia, before ? &before[i] : NULL, &s->row[i], tolerance[i]);
      compare_blocks (deviation, s, dia, before != NULL, &s->row[i], tolerance[i]);
    } else {
      deviation_fail (deviation, "row %d is constraint %u, not %u", i, dia->con->id, s->row[i].con->id);
    }
  }
  if (i != s->rows || dia) deviation_fail (deviation, "the list does not have %d rows", s->rows);
  if (s->update != UPDATE_MINIMAL) deviation_energy (deviation, s, ldy->free_energy, tolerance);
  else if (before) deviation_energy_untouched (deviation, ldy);
  free (tolerance);
}
