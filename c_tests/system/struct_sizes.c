/* struct_sizes: structures that callers allocate, as callers of other versions have them: shorter ones, longer ones, and
 * those whose size is none. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "support/system_calls.h"
#include "support/check.h"
#include "support/scene.h"

#define PATTERN 0x5a

/* The argument of a call: a structure, with more bytes than any version has. */
typedef union {
  size_t size;
  ldy_stats stats;
  ldy_report report;
  ldy_tolerance tolerance;
  ldy_rows rows;
  unsigned char byte[sizeof (ldy_report) + 64];
} ROOM;

/* A structure: its name, the call that fills it and returns 0 if it did, its size, its least size, and the part of it that is
 * the same after each call: from the end of padding up to seconds. */
typedef struct {
  const char *name;
  int (*fill) (ROOM *room);
  size_t size, least, from, to;
} STRUCTURE;

static HOST *host;
static ldy_system *sys;
static ldy_shadow *shadow;

static int fill_stats (ROOM *room) { return ldy_get_stats (host->dom.ldy, &room->stats); }
static int fill_rows (ROOM *room) { return ldy_system_results (sys, &room->rows); }
static int fill_report (ROOM *room) { return ldy_is_consistent (host->dom.ldy, &room->report) ? 0 : LDY_ERROR_INVALID_ARGUMENT; }
static int fill_shadow_report (ROOM *room) { return ldy_shadow_check (shadow, NULL, &room->report) ? 0 : LDY_ERROR_INVALID_ARGUMENT; }

static const STRUCTURE structures[] = {
  { "ldy_stats", fill_stats, sizeof (ldy_stats), offsetof (ldy_stats, blocks),
    sizeof (size_t), sizeof (ldy_stats) },
  { "ldy_rows", fill_rows, sizeof (ldy_rows), offsetof (ldy_rows, starts), sizeof (size_t), sizeof (ldy_rows) },
  { "ldy_report", fill_report, sizeof (ldy_report), offsetof (ldy_report, largest),
    offsetof (ldy_report, constraint), sizeof (ldy_report) },
  { "ldy_report", fill_shadow_report, sizeof (ldy_report), offsetof (ldy_report, largest),
    offsetof (ldy_report, constraint), offsetof (ldy_report, time) }
};

static void prepare (ROOM *room, size_t size)
{
  memset (room, PATTERN, sizeof *room);
  room->size = size;
}

static int is_untouched (const ROOM *room, size_t from)
{
  for (; from < sizeof *room; from ++) if (room->byte[from] != PATTERN) return 0;
  return 1;
}

/* A caller of an older version, and one of a newer: the common part is filled in, the rest is left alone, the size too. */
static void other_versions (const STRUCTURE *s)
{
  ROOM known, room;
  size_t common, to;

  prepare (&known, s->size);
  CHECK_INT (s->fill (&known), 0);
  CHECK (is_untouched (&known, s->size));
  for (size_t size = s->least; size <= s->size + 32; size += 8) {
    check_context ("%s of %lu bytes", s->name, (unsigned long) size);
    prepare (&room, size);
    CHECK_INT (s->fill (&room), 0);
    CHECK_INT (room.size, size);
    common = size < s->size ? size : s->size;
    to = common < s->to ? common : s->to;
    CHECK_SAME_BITS (room.byte + s->from, known.byte + s->from, to - s->from);
    CHECK (is_untouched (&room, common));
  }
}

/* No size of any version. */
static void no_size (const STRUCTURE *s)
{
  size_t sizes[] = { 0, 1, sizeof (size_t), s->least - 8, s->least + 1, s->size - 1, s->size + 4 };
  char text[64];
  ROOM room;

  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k ++) {
    check_context ("%s of %lu bytes", s->name, (unsigned long) sizes[k]);
    prepare (&room, sizes[k]);
    CHECK_INT (s->fill (&room), LDY_ERROR_INVALID_ARGUMENT);
    snprintf (text, sizeof text, "size is %lu: set it to sizeof (%s)", (unsigned long) sizes[k], s->name);
    CHECK_TEXT (ldy_last_error (), text);
    CHECK_INT (room.size, sizes[k]);
    CHECK (is_untouched (&room, sizeof (size_t)));
  }
}

/* If a tolerance ends before a quantity, the default holds for it. */
static void tolerances (void)
{
  const size_t none[] = { 0, 8, 12, sizeof (ldy_tolerance) - 4 };
  ROOM tolerance;
  ldy_report report = { .size = sizeof report };
  DIAB *row = host->dom.ldy->dia;
  double kept = row->W[4];

  check_context ("tolerances");
  for (size_t k = 0; k < sizeof none / sizeof *none; k ++) {
    prepare (&tolerance, none[k]);
    CHECK_INT (ldy_shadow_check (shadow, &tolerance.tolerance, &report), 0);
    CHECK_INT (report.code, LDY_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT (report.text, "tolerance->size is ");
    CHECK (report.largest.W == -1); /* nothing was compared */
  }
  row->W[4] *= 1 + 1e-9;
  prepare (&tolerance, sizeof (ldy_tolerance) + 16);
  tolerance.tolerance.V = tolerance.tolerance.B = tolerance.tolerance.A = tolerance.tolerance.rho = 1e-12;
  tolerance.tolerance.block = tolerance.tolerance.free_energy = 1e-12;
  tolerance.tolerance.W = 1e-6;
  CHECK_INT (ldy_shadow_check (shadow, &tolerance.tolerance, &report), 1);
  tolerance.size = offsetof (ldy_tolerance, A);
  CHECK_INT (ldy_shadow_check (shadow, &tolerance.tolerance, &report), 1);
  tolerance.size = offsetof (ldy_tolerance, W);
  CHECK_INT (ldy_shadow_check (shadow, &tolerance.tolerance, &report), 0);
  CHECK_INT (report.code, LDY_DIFFERS);
  row->W[4] = kept;
}

static void make (void)
{
  static const double unit[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, origin[3] = { 0 };
  int64_t body, constraint;

  host = scene_mixed (41);
  shadow = ldy_shadow_new (scene_insert_all (host));
  LOCDYN_Update_Begin (host->dom.ldy);
  CHECK_INT (ldy_system_create (&sys), 0);
  CHECK_INT (ldy_system_add_rigid (sys, 1, unit, unit, origin, &body), 0);
  CHECK_INT (ldy_system_add_point_constraint (sys, body, LDY_GROUND, unit, origin, origin, &constraint), 0);
  CHECK_INT (ldy_system_update (sys, 1), 0);
}

int main (void)
{
  make ();
  for (size_t k = 0; k < sizeof structures / sizeof *structures; k ++) {
    other_versions (&structures[k]);
    no_size (&structures[k]);
  }
  tolerances ();
  ldy_shadow_free (shadow);
  ldy_system_destroy (sys);
  scene_destroy (host);
  return check_summary ("struct_sizes");
}
