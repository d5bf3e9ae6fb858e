/* shadow FILE.ldysnap ...: rows filled with recorded values stand for those of a legacy module; the shadow has to agree with
 * them, to find each value that is changed and each block that is wrong, and to write nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "host/hooks.h"
#include "snapshot.h"

typedef struct {
  LOCDYN ldy;
  DIAB *row;
  OFFB **block;
} LEGACY;

static void *zeroed (int count, size_t size)
{
  void *memory = calloc ((size_t) count + 1, size);

  if (!memory) abort ();
  return memory;
}

static DIAB *row_of (const SNAPSHOT *s, LEGACY *legacy, const CON *con)
{
  int i;

  for (i = 0; i < s->rows; i ++) {
    if (s->row[i].con == con) return &legacy->row[i];
  }
  return NULL;
}

static void fill_row (const SNAPSHOT *s, LEGACY *legacy, int i)
{
  const SNAPSHOT_ROW *from = &s->row[i];
  DIAB *row = &legacy->row[i];
  OFFB *block = legacy->block[i] = zeroed (from->count, sizeof *block);
  int k;

  row->con = from->con;
  row->R = from->con->R;
  row->U = from->con->U;
  row->V = from->con->V;
  row->p = i ? row - 1 : NULL;
  row->n = i + 1 < s->rows ? row + 1 : NULL;
  row->rho = from->rho;
  row->adj = from->count ? block : NULL;
  memcpy (row->V, from->V, sizeof from->V);
  memcpy (row->B, from->B, sizeof from->B);
  memcpy (row->W, from->W, sizeof from->W);
  memcpy (row->A, from->A, sizeof from->A);
  for (k = 0; k < from->count; k ++, block ++) {
    block->dia = row_of (s, legacy, from->block[k].con);
    block->bod = from->block[k].body;
    block->n = k + 1 < from->count ? block + 1 : NULL;
    memcpy (block->W, from->block[k].W, sizeof block->W);
  }
}

static LEGACY *legacy_rows (const SNAPSHOT *s)
{
  LEGACY *legacy = zeroed (1, sizeof *legacy);
  int i;

  legacy->ldy.dom = &s->host->dom;
  legacy->ldy.free_energy = s->free_energy;
  legacy->row = zeroed (s->rows, sizeof *legacy->row);
  legacy->block = zeroed (s->rows, sizeof *legacy->block);
  for (i = 0; i < s->rows; i ++) fill_row (s, legacy, i);
  legacy->ldy.dia = s->rows ? legacy->row : NULL;
  return legacy;
}

static void legacy_free (const SNAPSHOT *s, LEGACY *legacy)
{
  int i;

  for (i = 0; i < s->rows; i ++) free (legacy->block[i]);
  free (legacy->block);
  free (legacy->row);
  free (legacy);
}

/* Sums over all bytes that a shadow might write by mistake. */
static unsigned long mixed (unsigned long sum, const void *bytes, size_t size)
{
  const unsigned char *at = bytes;

  while (size --) sum = 31 * sum + *at ++;
  return sum;
}

static unsigned long fingerprint (const SNAPSHOT *s, const LEGACY *legacy)
{
  unsigned long sum = mixed (17, &legacy->ldy, sizeof legacy->ldy);
  int i;

  for (i = 0; i < s->rows; i ++) {
    sum = mixed (sum, &legacy->row[i], sizeof (DIAB));
    sum = mixed (sum, legacy->block[i], (size_t) s->row[i].count * sizeof (OFFB));
    sum = mixed (sum, s->row[i].con, sizeof (CON));
  }
  for (i = 0; i < s->bodies; i ++) sum = mixed (sum, s->body[i], sizeof (BODY));
  return mixed (sum, &s->host->dom, sizeof (DOM));
}

/* The shadow differs, and names this constraint and something in its text. */
static void finds (ldy_shadow *shadow, const CON *con, const char *what)
{
  ldy_report report;

  CHECK_INT (ldy_shadow_check (shadow, NULL, &report), 0);
  CHECK_INT (report.code, LDY_DIFFERS);
  CHECK_INT (report.constraint, con ? (long) con->id : -1);
  CHECK_TEXT (report.text, what);
  CHECK_TEXT (ldy_last_error (), what);
}

static void value_is_found (ldy_shadow *shadow, double *value, const CON *con, const char *what)
{
  double kept = *value;

  *value += 1e-3 * (kept < 0 ? -kept : kept) + 1e-3;
  finds (shadow, con, what);
  *value = kept;
}

static void values_are_found (const SNAPSHOT *s, LEGACY *legacy, ldy_shadow *shadow)
{
  int last = s->rows - 1, all = s->update == UPDATE_ALL, i;
  DIAB *row = &legacy->row[last];

  value_is_found (shadow, &row->V[1], row->con, ": V is off by");
  value_is_found (shadow, &row->B[2], row->con, ": B is off by");
  if (s->update == UPDATE_MINIMAL) return;
  value_is_found (shadow, &row->W[5], row->con, ": W is off by");
  value_is_found (shadow, &row->A[3], row->con, ": A is off by");
  value_is_found (shadow, &legacy->ldy.free_energy, NULL, "free_energy is off by");
  if (all) value_is_found (shadow, &row->rho, row->con, ": rho is off by");
  for (i = 0; i < s->rows; i ++) {
    if (!s->row[i].count || !s->row[i].block[0].recorded) continue;
    value_is_found (shadow, &legacy->block[i]->W[7], legacy->row[i].con, ": the block to constraint ");
    break;
  }
}

static void blocks_are_found (const SNAPSHOT *s, LEGACY *legacy, ldy_shadow *shadow)
{
  OFFB extra = { 0 }, *block;
  BODY stranger = { 0 };
  DIAB *row;
  int i;

  for (i = 0; i < s->rows; i ++) {
    row = &legacy->row[i];
    if (!(block = row->adj)) continue;
    row->adj = block->n;
    finds (shadow, row->con, " is missing");
    extra = *block;
    extra.n = block;
    row->adj = &extra;
    finds (shadow, row->con, ": an unexpected block to constraint ");
    row->adj = block;
    block->bod = &stranger;
    finds (shadow, row->con, " is through a body without rows");
    block->bod = extra.bod;
    return;
  }
}

static void order_is_found (const SNAPSHOT *s, LEGACY *legacy, ldy_shadow *shadow)
{
  DIAB *one = &legacy->row[0], *two = &legacy->row[1], *rest;

  if (s->rows < 3) return;
  rest = two->n;
  legacy->ldy.dia = two, two->p = NULL, two->n = one, one->p = two, one->n = rest, rest->p = one;
  finds (shadow, one->con, "changed their order");
  legacy->ldy.dia = one, one->p = NULL, one->n = two, two->p = one, two->n = rest, rest->p = two;
  finds (shadow, two->con, "changed their order");
  two->p = NULL;
  finds (shadow, two->con, ": p is not the row before it");
  two->p = one;
  one->n = NULL;
  CHECK_INT (ldy_shadow_check (shadow, NULL, NULL), 0);
  CHECK_TEXT (ldy_last_error (), ": no row in the list");
  one->n = two;
  CHECK_INT (ldy_shadow_check (shadow, NULL, NULL), 0); /* rows that were not in the list are new, behind an old one */
}

static void agrees (const SNAPSHOT *s, LEGACY *legacy, ldy_shadow *shadow)
{
  unsigned long before = fingerprint (s, legacy);
  ldy_report report;

  if (!CHECK_INT (ldy_shadow_check (shadow, NULL, &report), 1)) fprintf (stderr, "  %s\n", report.text);
  CHECK_INT (report.code, 0);
  CHECK (report.time > 0 && report.largest.V >= 0 && report.largest.B >= 0);
  CHECK ((report.largest.W >= 0) == (s->update != UPDATE_MINIMAL));
  CHECK ((report.largest.rho >= 0) == (s->update == UPDATE_ALL));
  CHECK (fingerprint (s, legacy) == before);
}

static void check_state (const SNAPSHOT *s)
{
  ldy_tolerance loose = { 1, 1, 1, 1, 1, 1, 1 };
  LEGACY *legacy = legacy_rows (s);
  ldy_shadow *shadow = ldy_shadow_new (&legacy->ldy);

  GEOMETRIC_EPSILON = s->geometric_epsilon;
  if (!CHECK (shadow != NULL)) abort ();
  agrees (s, legacy, shadow);
  values_are_found (s, legacy, shadow);
  blocks_are_found (s, legacy, shadow);
  order_is_found (s, legacy, shadow);
  agrees (s, legacy, shadow);
  legacy->row->B[0] += 1e-9;
  CHECK_INT (ldy_shadow_check (shadow, &loose, NULL), 1);
  ldy_shadow_free (shadow);
  legacy_free (s, legacy);
}

static void bad_arguments (void)
{
  ldy_report report;

  CHECK (!ldy_shadow_new (NULL));
  CHECK_TEXT (ldy_last_error (), "legacy is NULL");
  CHECK_INT (ldy_shadow_check (NULL, NULL, &report), 0);
  CHECK_INT (report.code, LDY_BUG_FOUND);
  CHECK_TEXT (report.text, "shadow is NULL");
  ldy_shadow_free (NULL);
}

int main (int argc, char **argv)
{
  SNAPSHOT *snapshot;
  char error[256];
  int i;

  CHECK (argc > 1);
  bad_arguments ();
  for (i = 1; i < argc; i ++) {
    check_context ("%s", argv[i]);
    snapshot = snapshot_read (argv[i], error, sizeof error);
    if (!CHECK (snapshot != NULL)) continue;
    check_state (snapshot);
    snapshot_free (snapshot);
  }
  return check_summary ("shadow");
}
