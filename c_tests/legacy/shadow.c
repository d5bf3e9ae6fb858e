/* shadow FILE.ldysnap ...: rows filled with recorded values act as a legacy module; the shadow has to agree with
 * them, to find each value that is changed and each row and block that is wrong, and to write nothing: everything that the
 * host and the legacy module hold is locked meanwhile. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "legacy/shadow_finds.h"
#include "legacy/shadow_lists.h"
#include "support/check.h"
#include "support/dense.h"
#include "support/deviation.h"
#include "support/guarded.h"
#include "support/host/hooks.h"

/* A tolerance or the differences of a report, one quantity a place. */
typedef double QUANTITY_ARRAY[QUANTITIES];

static ldy_tolerance tolerances (double others, int quantity, double own)
{
  QUANTITY_ARRAY values;
  ldy_tolerance tolerance;

  for (int q = 0; q < QUANTITIES; q ++) values[q] = q == quantity ? own : others;
  tolerance.size = sizeof tolerance;
  memcpy (&tolerance.V, values, sizeof values);
  return tolerance;
}

static double largest (const ldy_report *report, int quantity)
{
  QUANTITY_ARRAY values;

  memcpy (values, &report->largest, sizeof values);
  return values[quantity];
}

/* ---- one value */

typedef struct {
  const SNAPSHOT *s;
  RECORDED_ROWS *legacy;
  ldy_shadow *shadow;
  int quantity;
  double *value;
  const CON *con, *neighbour; /* where it is */
  const BODY *body;
  double condition;           /* the condition number of the matrices that the value depends on */
} VALUE;

static void found (const VALUE *v)
{
  char what[64];

  if (v->quantity == QUANTITY_BLOCK) snprintf (what, sizeof what, ": the block to constraint %u through body ", v->neighbour->id);
  else snprintf (what, sizeof what, "%s is off by ", deviation_names[v->quantity]);
  shadow_finds (v->shadow, v->con, v->neighbour, v->body, what);
}

/* The deviation by the tests' own measure. */
static double deviation_of (const VALUE *v)
{
  DEVIATION deviation;

  deviation_begin (&deviation);
  deviation_measure (&deviation, v->s, &v->legacy->ldy, NULL);
  return deviation.error[v->quantity];
}

/* Each quantity has a tolerance of its own. */
static void only_its_tolerance_counts (const VALUE *v)
{
  ldy_tolerance loose = tolerances (1e-2, v->quantity, 1e300), strict = tolerances (1e300, v->quantity, 1e-12);

  CHECK_INT (shadow_check (v->shadow, &loose, NULL), 1);
  CHECK_INT (shadow_check (v->shadow, &strict, NULL), 0);
}

/* Just inside and just outside of what is allowed if nothing is said; condition numbers are estimates. */
static void the_default_is_kept (const VALUE *v, double scale)
{
  double kept = *v->value, allowed = fmax (1e-12, DBL_EPSILON * v->condition);

  for (int sign = -1; sign < 2; sign += 2) {
    *v->value = kept + sign * 0.05 * allowed * scale;
    CHECK_INT (shadow_check (v->shadow, NULL, NULL), 1);
    *v->value = kept + sign * 20 * allowed * scale;
    found (v);
  }
  *v->value = kept;
}

static void value_is_found (const VALUE *v)
{
  double kept = *v->value, change = 1e-3 * fabs (kept) + 1e-3, off;
  ldy_report report = { .size = sizeof report };

  *v->value = kept + change;
  found (v);
  CHECK_INT (shadow_check (v->shadow, NULL, &report), 0);
  off = deviation_of (v);
  CHECK_NEAR (largest (&report, v->quantity), off, 1e-6 * off);
  only_its_tolerance_counts (v);
  *v->value = NAN;
  found (v);
  CHECK_INT (shadow_check (v->shadow, NULL, &report), 0);
  CHECK (isnan (largest (&report, v->quantity)));
  *v->value = kept;
  the_default_is_kept (v, change / off);
}

/* ---- all values */

static double condition_of (const CON *con)
{
  return fmax (dense_condition_of_body (con->master), dense_condition_of_body (con->slave));
}

static void block_is_found (VALUE v)
{
  const SNAPSHOT *s = v.s;
  OFFB *block;

  for (int i = 0; i < s->rows; i ++) {
    block = v.legacy->row[i].adj;
    if (!block || !s->row[i].block[0].recorded) continue;
    v.quantity = QUANTITY_BLOCK;
    v.value = &block->W[7];
    v.con = s->row[i].con;
    v.neighbour = block->dia->con;
    v.body = block->bod;
    v.condition = fmax (condition_of (v.con), condition_of (v.neighbour));
    value_is_found (&v);
    return;
  }
}

static void values_are_found (const SNAPSHOT *s, RECORDED_ROWS *legacy, ldy_shadow *shadow, double condition)
{
  DIAB *row = &legacy->row[s->rows - 1];
  const struct {
    int quantity, minimal, penalty; /* whether those updates compute it */
    double *value, condition;
  } values[] = {
    { QUANTITY_V, 1, 1, &row->V[1], 0 },
    { QUANTITY_B, 1, 1, &row->B[2], 0 },
    { QUANTITY_W, 0, 1, &row->W[5], condition_of (row->con) },
    { QUANTITY_A, 0, 1, &row->A[3], condition_of (row->con) },
    { QUANTITY_RHO, 0, 0, &row->rho, condition_of (row->con) },
    { QUANTITY_ENERGY, 0, 1, &legacy->ldy.free_energy, condition },
  };
  VALUE v = { s, legacy, shadow, 0, NULL, NULL, NULL, NULL, 0 };
  int i;

  for (i = 0; i < (int) (sizeof values / sizeof *values); i ++) {
    if (s->update == UPDATE_MINIMAL && !values[i].minimal) continue;
    if (s->update == UPDATE_PENALTY && !values[i].penalty) continue;
    v.quantity = values[i].quantity;
    v.value = values[i].value;
    v.con = v.quantity == QUANTITY_ENERGY ? NULL : row->con;
    v.condition = values[i].condition;
    value_is_found (&v);
  }
  block_is_found (v);
}

/* If there are two findings, the first one in list order is reported. */
static void the_first_is_told (const SNAPSHOT *s, RECORDED_ROWS *legacy, ldy_shadow *shadow)
{
  DIAB *first = &legacy->row[0], *last = &legacy->row[s->rows - 1];
  double kept[2] = { first->B[0], last->V[0] };

  first->B[0] += 1;
  last->V[0] += 1;
  shadow_finds (shadow, first->con, NULL, NULL, s->rows > 1 ? ": B is off by" : ": V is off by");
  first->B[0] = kept[0];
  last->V[0] = kept[1];
}

/* ---- states */

static ldy_report agrees (const SNAPSHOT *s, ldy_shadow *shadow)
{
  ldy_report report = { .size = sizeof report };

  host_reset_timers ();
  if (!CHECK_INT (shadow_check (shadow, NULL, &report), 1)) fprintf (stderr, "  %s\n", report.text);
  CHECK_INT (report.code, 0);
  CHECK_INT (host_timers.starts + host_timers.ends, 0);
  CHECK (report.time > 0 && report.largest.V >= 0 && report.largest.B >= 0);
  CHECK ((report.largest.W >= 0) == (s->update != UPDATE_MINIMAL));
  CHECK ((report.largest.rho >= 0) == (s->update == UPDATE_ALL));
  return report;
}

/* The largest condition number, computed from dense matrices; the shadow's own is an estimate of it from below. */
static double check_condition (const SNAPSHOT *s, const ldy_report *report)
{
  double condition = 0;

  for (int i = 0; i < s->rows && s->update != UPDATE_MINIMAL; i ++) condition = fmax (condition, condition_of (s->row[i].con));
  CHECK (report->condition >= 0.1 * condition && report->condition <= condition * (1 + 1e-6));
  return condition;
}

static void check_state (const SNAPSHOT *s, RECORDED_ROWS *legacy)
{
  ldy_shadow *shadow = ldy_shadow_new (&legacy->ldy);
  ldy_report report;

  GEOMETRIC_EPSILON = s->geometric_epsilon;
  if (!CHECK (shadow != NULL)) abort ();
  report = agrees (s, shadow);
  values_are_found (s, legacy, shadow, check_condition (s, &report));
  the_first_is_told (s, legacy, shadow);
  shadow_lists (s, legacy, shadow);
  report = agrees (s, shadow);
  check_condition (s, &report);
  ldy_shadow_free (shadow);
}

static void check_file (const char *path)
{
  char error[256];

  check_context ("%s", path);
  guarded_begin ();
  SNAPSHOT *snapshot = snapshot_read (path, error, sizeof error);
  RECORDED_ROWS *legacy = snapshot ? recorded_rows (snapshot) : NULL;
  guarded_end ();
  if (!CHECK (snapshot != NULL)) return;
  check_state (snapshot, legacy);
  recorded_rows_free (snapshot, legacy);
  snapshot_free (snapshot);
}

static void bad_arguments (void)
{
  LOCDYN without_domain = { 0 };
  ldy_shadow *shadow;
  ldy_report report = { .size = sizeof report };

  CHECK (!ldy_shadow_new (NULL));
  CHECK_TEXT (ldy_last_error (), "legacy is NULL");
  CHECK_INT (ldy_shadow_check (NULL, NULL, &report), 0);
  CHECK_INT (report.code, LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (report.text, "shadow is NULL");
  ldy_shadow_free (NULL);
  shadow = ldy_shadow_new (&without_domain);
  CHECK_INT (ldy_shadow_check (shadow, NULL, &report), 0);
  CHECK_INT (report.code, LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (report.text, "dom of the legacy module is NULL");
  ldy_shadow_free (shadow);
}

int main (int argc, char **argv)
{
  CHECK (argc > 1);
  bad_arguments ();
  for (int i = 1; i < argc; i ++) check_file (argv[i]);
  return check_summary ("shadow");
}
