#include "support/recorded_text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/dense.h"

#define TOLERANCE 1e-12

/* Speeds below this one count as this much (snapshots). */
#define LEAST_SPEED 1e-3

/* Counts two printed numbers that differ; they agree if they do by no more than a unit of the last of `digits` digits, or than
 * the tolerance. */
static int agree (double one, double two, int digits, double scale, TEXT_DEVIATION *deviation)
{
  double difference = fabs (one - two), largest = fmax (fabs (one), fabs (two));

  deviation->numbers ++;
  if (difference == 0) return 1;
  deviation->different ++;
  deviation->error = fmax (deviation->error, difference / scale);
  return difference <= 1.001 * pow (10, floor (log10 (largest)) - digits + 1) || difference <= TOLERANCE * scale;
}

/* ---- dump */

/* The owners of the numbers in a dump: the bracketed lists of a line come in this order, then a neighbor's lists. */
enum { POINT, BODIES, BASE, DIAGONAL, FREE_VELOCITY, VELOCITY_BEFORE, VELOCITY, REACTION, PARTS_OF_ROW };
enum { PARTS_OF_NEIGHBOUR = 4 };

static double scale_of (const LOCDYN *ldy, const DIAB *dia, int part)
{
  double largest, speed;

  switch (part) {
  case DIAGONAL: return dense_largest_entry (9, dia->W);
  case PARTS_OF_ROW + DIAGONAL:
    largest = LOCDYN_maxWii ((LOCDYN *) ldy);
    return sqrt (dense_largest_entry (9, dia->W) * largest);
  case FREE_VELOCITY:
  case VELOCITY_BEFORE:
    speed = fmax (dense_largest_entry (3, dia->B), dense_largest_entry (3, dia->con->V));
    return fmax (speed, LEAST_SPEED);
  default: return 0; /* it is read from the snapshot, and printed again */
  }
}

static int is_number (const char *text)
{
  return isdigit ((unsigned char) *text) || (*text == '-' && isdigit ((unsigned char) text[1]));
}

/* The part that begins after this one's opening bracket. */
static int next_part (int part)
{
  return part + 1 < PARTS_OF_ROW + PARTS_OF_NEIGHBOUR ? part + 1 : PARTS_OF_ROW;
}

void recorded_dump_compare (const LOCDYN *ldy, const char *recorded, const char *text, TEXT_DEVIATION *deviation)
{
  const DIAB *dia = ldy->dia;
  char *after, *after_text;
  int part = -1;

  while (*recorded && *text) {
    if (is_number (recorded) && is_number (text)) {
      if (!CHECK (agree (strtod (recorded, &after), strtod (text, &after_text), 6, scale_of (ldy, dia, part), deviation))) return;
      recorded = after;
      text = after_text;
      continue;
    }
    if (*recorded != *text) break;
    if (*recorded == '(' || *recorded == '[') part = next_part (part);
    if (*recorded == '\n' && dia) {
      dia = dia->n;
      part = -1;
    }
    recorded ++;
    text ++;
  }
  CHECK (!*recorded && !*text);
  CHECK (!dia);
}

/* ---- MatrixMarket */

typedef struct {
  int column, taken;
  double x[9];
} BLOCK;

/* A block's nine lines; 0 if they are none of this row. */
static int block (const char **text, int row, BLOCK *result)
{
  int I, J, length;

  for (int i = 0; i < 3; i ++) {
    for (int j = 0; j < 3; j ++) {
      if (sscanf (*text, "%d  %d  %lf\n%n", &I, &J, &result->x[3 * j + i], &length) != 3 || I != row + i) return 0;
      if (i == 0 && j == 0) result->column = J;
      if (J != result->column + j) return 0;
      *text += length;
    }
  }
  result->taken = 0;
  return 1;
}

static const DIAB *row_of_column (const LOCDYN *ldy, int column)
{
  const DIAB *dia = ldy->dia;

  for (; column > 3 && dia; column -= 3) dia = dia->n;
  return dia;
}

static int blocks_agree (const LOCDYN *ldy, const DIAB *dia, const BLOCK *one, const BLOCK *two, TEXT_DEVIATION *deviation)
{
  TEXT_DEVIATION sum = *deviation;
  double scale = sqrt (dense_largest_entry (9, dia->W) * dense_largest_entry (9, row_of_column (ldy, one->column)->W));

  if (one->column != two->column) return 0;
  for (int i = 0; i < 9; i ++) {
    if (!agree (one->x[i], two->x[i], 15, scale, &sum)) return 0;
  }
  *deviation = sum;
  return 1;
}

/* The first free one that agrees. */
static int take (const LOCDYN *ldy, const DIAB *dia, const BLOCK *wanted, BLOCK *all, int count, TEXT_DEVIATION *deviation)
{
  for (int i = 0; i < count; i ++) {
    if (!all[i].taken && blocks_agree (ldy, dia, wanted, &all[i], deviation)) return all[i].taken = 1;
  }
  return 0;
}

static int head (const char **recorded, const char **text)
{
  size_t length = (size_t) (strchr (strchr (*recorded, '\n') + 1, '\n') + 1 - *recorded);

  if (strncmp (*recorded, *text, length)) return 0;
  *recorded += length;
  *text += length;
  return 1;
}

void recorded_matrix_compare (const LOCDYN *ldy, const char *recorded, const char *text, TEXT_DEVIATION *deviation)
{
  const DIAB *dia = ldy->dia;
  BLOCK wanted, *got;
  const OFFB *off;
  int row = 1, count;

  if (!CHECK (head (&recorded, &text))) return;
  for (; dia; dia = dia->n, row += 3) {
    for (count = 1, off = dia->adj; off; off = off->n) count ++;
    got = calloc ((size_t) count, sizeof *got);
    if (!got) abort ();
    for (int i = 0; i < count; i ++) CHECK (block (&text, row, &got[i]));
    for (int i = 0; i < count; i ++) {
      CHECK (block (&recorded, row, &wanted) && take (ldy, dia, &wanted, got, i ? count : 1, deviation));
    }
    free (got);
  }
  CHECK (!*recorded && !*text);
}
