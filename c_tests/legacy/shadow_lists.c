#include "legacy/shadow_lists.h"

#include "legacy/shadow_finds.h"
#include "support/check.h"

/* ---- blocks */

static int has_block (const OFFB *block, const DIAB *neighbour, const BODY *body)
{
  for (; block; block = block->n) {
    if (block->dia == neighbour && block->bod == body) return 1;
  }
  return 0;
}

static void missing_and_surplus (DIAB *row, ldy_shadow *shadow)
{
  OFFB *block = row->adj, extra = *block;
  const CON *neighbour = block->dia->con;

  row->adj = block->n;
  shadow_finds (shadow, row->con, neighbour, block->bod, " is missing");
  row->adj = &extra;
  extra.n = block;
  shadow_finds (shadow, row->con, neighbour, block->bod, ": an unexpected block to constraint ");
  row->adj = block;
}

/* Blocks to rows that the row has nothing to do with, in place of no other block. */
static void unexpected (const SNAPSHOT *s, RECORDED_ROWS *legacy, DIAB *row, ldy_shadow *shadow)
{
  OFFB *block = row->adj, extra = *block;

  for (int i = 0; i < s->rows; i ++) {
    if (&legacy->row[i] == row || has_block (block, &legacy->row[i], block->bod)) continue;
    row->adj = &extra;
    extra.dia = &legacy->row[i];
    extra.n = block;
    shadow_finds (shadow, row->con, extra.dia->con, extra.bod, ": an unexpected block to constraint ");
    row->adj = block;
  }
}

/* A list of blocks that leads back to itself: the check ends, and what it says first is not known. */
static void endless (DIAB *row, ldy_shadow *shadow)
{
  OFFB *next = row->adj->n;
  ldy_report report = { .size = sizeof report };

  row->adj->n = row->adj;
  CHECK_INT (shadow_check (shadow, NULL, &report), 0);
  CHECK_INT (report.code, LDY_DIFFERS);
  CHECK_INT (report.constraint, row->con->id);
  row->adj->n = next;
}

static void strange (DIAB *row, ldy_shadow *shadow)
{
  OFFB *block = row->adj, kept = *block;
  BODY body = { 0 };
  DIAB other = { 0 };

  block->bod = &body;
  shadow_finds (shadow, row->con, kept.dia->con, NULL, " is through a body without rows");
  block->dia = &other;
  shadow_finds (shadow, row->con, NULL, NULL, ": a block to no row of the list");
  *block = kept;
}

/* Of two blocks to one neighbor through one body each counts. */
static void doubled (DIAB *row, ldy_shadow *shadow)
{
  OFFB *block;

  for (OFFB **link = &row->adj; (block = *link); link = &block->n) {
    if (!has_block (block->n, block->dia, block->bod)) continue;
    *link = block->n;
    shadow_finds (shadow, row->con, block->dia->con, block->bod, " is missing");
    *link = block;
    return;
  }
}

static void blocks_are_found (const SNAPSHOT *s, RECORDED_ROWS *legacy, ldy_shadow *shadow)
{
  int done = 0;

  for (int i = 0; i < s->rows; i ++) {
    if (!legacy->row[i].adj) continue;
    doubled (&legacy->row[i], shadow);
    if (done ++) continue;
    missing_and_surplus (&legacy->row[i], shadow);
    unexpected (s, legacy, &legacy->row[i], shadow);
    endless (&legacy->row[i], shadow);
    strange (&legacy->row[i], shadow);
  }
}

/* ---- rows */

static void pointer_is_found (double **pointer, const CON *con, ldy_shadow *shadow)
{
  double *kept = *pointer, other[3] = { 0 };

  *pointer = other;
  shadow_finds (shadow, con, NULL, NULL, ": R, U or V is not the constraint's");
  *pointer = kept;
}

static void rows_are_found (const SNAPSHOT *s, RECORDED_ROWS *legacy, ldy_shadow *shadow)
{
  DIAB *last = &legacy->row[s->rows - 1];
  CON *con = last->con, stranger = *con;

  pointer_is_found (&last->R, con, shadow);
  pointer_is_found (&last->U, con, shadow);
  pointer_is_found (&last->V, con, shadow);
  last->n = &legacy->row[0];
  shadow_finds (shadow, legacy->row[0].con, NULL, NULL, ": comes twice in the list");
  last->n = NULL;
  last->con = &stranger;
  shadow_finds (shadow, NULL, NULL, NULL, " of the list has a constraint that is none of the domain's");
  last->con = con;
  host_unlink (s->host, con); /* it was the domain's at the check before */
  shadow_finds (shadow, NULL, NULL, NULL, " of the list has a constraint that is none of the domain's");
  host_link (s->host, con);
}

static void order_is_found (RECORDED_ROWS *legacy, ldy_shadow *shadow)
{
  DIAB *one = &legacy->row[0], *two = &legacy->row[1], *rest = two->n;

  legacy->ldy.dia = two, two->p = NULL, two->n = one, one->p = two, one->n = rest, rest->p = one;
  shadow_finds (shadow, one->con, NULL, NULL, ": older rows changed their order");
  legacy->ldy.dia = one, one->p = NULL, one->n = two, two->p = one, two->n = rest, rest->p = two;
  shadow_finds (shadow, two->con, NULL, NULL, ": older rows changed their order");
  two->p = NULL;
  shadow_finds (shadow, two->con, NULL, NULL, ": p is not the row before it");
  two->p = one;
  one->n = NULL;
  CHECK_INT (shadow_check (shadow, NULL, NULL), 0);
  CHECK_TEXT (ldy_last_error (), ": no row in the list");
  one->n = two; /* rows that were not in the list are new */
  shadow_finds (shadow, two->con, NULL, NULL, ": a new row, and older ones before it");
}

void shadow_lists (const SNAPSHOT *s, RECORDED_ROWS *legacy, ldy_shadow *shadow)
{
  blocks_are_found (s, legacy, shadow);
  rows_are_found (s, legacy, shadow);
  CHECK_INT (shadow_check (shadow, NULL, NULL), s->rows == 1); /* the row without constraint is new, and the last */
  if (s->rows > 2) order_is_found (legacy, shadow);
}
