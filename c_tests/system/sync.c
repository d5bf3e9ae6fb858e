/* Constraints that are matched with a list by keys through ldy_system.h: known ones keep row, id, law and the force in the world; new
   ones are inserted, missing ones removed; a bad list or a failing allocation changes nothing. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "system/face.h"

#define BODIES 4

/* A contact of some program, with fields between that the library does not read. */
typedef struct {
  char name[8];
  uint64_t key;
  int64_t master, slave, id;
  double padding, frame[9], point[2][3];
  ldy_law law;
} CONTACT;

#define STRIDE sizeof (CONTACT)

static const double turned[9] = { 0, 1, 0, 0, 0, 1, 1, 0, 0 };

static ldy_system *bodies (void)
{
  ldy_system *system = NULL;
  int64_t id;

  GOOD (ldy_system_create (&system));
  for (int k = 0; k < BODIES; k ++) GOOD (ldy_system_add_rigid (system, 1 + k, unit, unit, origin, &id));
  return system;
}

static CONTACT contact (uint64_t key, int64_t master, int64_t slave)
{
  CONTACT c;

  memset (&c, 0xff, sizeof c);
  c.key = key, c.master = master, c.slave = slave;
  memcpy (c.frame, unit, sizeof unit);
  for (int i = 0; i < 3; i ++) c.point[0][i] = 0.5 * i, c.point[1][i] = slave == LDY_GROUND ? NAN : 1;
  memset (&c.law, 0, sizeof c.law);
  return c;
}

static int sync (ldy_system *system, size_t count, CONTACT *c, ldy_sync_report *report)
{
  return ldy_system_sync_constraints (system, &c->key, STRIDE, &c->master, &c->slave, STRIDE, c->frame, STRIDE, c->point[0], c->point[1], STRIDE, &c->law, STRIDE, &c->id, STRIDE, count, report);
}

static void lists (void)
{
  ldy_system *system = bodies ();
  ldy_sync_report report = { .size = sizeof report };
  CONTACT list[3] = { contact (10, 0, LDY_GROUND), contact (~0ull, 1, 0), contact (30, 2, 1) };
  double R[15] = { 0 }, own[15];
  uint64_t tags[4];
  int64_t joint;
  ldy_law law;

  GOOD (ldy_system_add_point_constraint (system, 3, LDY_GROUND, unit, origin, NULL, &joint));
  GOOD (set_tag (system, joint, 30)); /* no key: it stays */
  list[1].law.kind = LDY_LAW_CONTACT, list[1].law.friction = 0.25;
  GOOD (sync (system, 3, list, &report));
  CHECK (report.kept == 0 && report.inserted == 3 && report.removed == 0 && report.first_inserted == 1);
  for (int k = 0; k < 3; k ++) CHECK (list[k].id == 1 + k && isnan (list[k].padding));
  GOOD (ldy_system_tags (system, tags, 4));
  CHECK (tags[0] == 30 && tags[1] == 10 && tags[2] == ~0ull && tags[3] == 30);
  GOOD (ldy_system_law (system, 2, &law));
  CHECK (law.kind == LDY_LAW_CONTACT && law.friction == 0.25);
  GOOD (ldy_system_law (system, 1, &law));
  CHECK_INT (law.kind, LDY_LAW_NONE);
  GOOD (ldy_system_update (system, 1));
  for (int i = 0; i < 12; i ++) R[i] = i + 0.1;
  GOOD (ldy_system_store_reactions (system, R, 12));

  /* Key 10 goes, and 5 comes; the frame of ~0 is turned; the bodies of 30 change sides. */
  list[0] = contact (5, 3, 2);
  memcpy (list[1].frame, turned, sizeof turned);
  list[1].law.kind = LDY_LAW_NONE;
  list[2].master = 1, list[2].slave = 2;
  GOOD (sync (system, 3, list, &report));
  CHECK (report.kept == 2 && report.inserted == 1 && report.removed == 1 && report.first_inserted == 4);
  CHECK (list[0].id == 4 && list[1].id == 2 && list[2].id == 3);
  GOOD (ldy_system_stored_reactions (system, own, 12));
  for (int i = 0; i < 3; i ++) {
    CHECK (own[i] == R[i] && own[6 + i] == -R[9 + i] && own[9 + i] == 0);
    CHECK_NEAR (own[3 + i], R[6 + (i + 1) % 3], 1e-15); /* the axes are y, z, x */
  }
  GOOD (ldy_system_law (system, 2, &law));
  CHECK (law.kind == LDY_LAW_CONTACT && law.friction == 0.25);

  /* Compare with a new system that is built in this state. */
  ldy_system *again = bodies ();
  ldy_rows a = { .size = sizeof a }, b = { .size = sizeof b };
  int64_t id;
  GOOD (ldy_system_add_point_constraint (again, 3, LDY_GROUND, unit, origin, NULL, &id));
  for (int k = 0; k < 3; k ++) {
    CONTACT *c = &list[(k + 1) % 3];
    GOOD (ldy_system_add_point_constraint (again, c->master, c->slave, c->frame, c->point[0], c->point[1], &id));
  }
  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_system_update (again, 1));
  GOOD (ldy_system_results (system, &a));
  GOOD (ldy_system_results (again, &b));
  if (CHECK_INT (a.rows, 4) && CHECK_INT (a.blocks, b.blocks)) {
    CHECK_SAME_BITS (a.columns, b.columns, b.blocks * sizeof *b.columns);
    CHECK_SAME_BITS (a.values, b.values, 9 * b.blocks * sizeof *b.values);
  }
  ldy_system_destroy (again);

  /* One law for all; NULL results; all constraints with keys are removed. */
  list[0].law.kind = LDY_LAW_FIXED;
  GOOD (ldy_system_sync_constraints (system, &list->key, STRIDE, &list->master, NULL, STRIDE, unit, 0, origin, NULL, 0, &list->law, 0, NULL, 0, 3, NULL));
  GOOD (ldy_system_law (system, 4, &law));
  CHECK_INT (law.kind, LDY_LAW_FIXED);
  GOOD (sync (system, 0, list, &report));
  CHECK (report.kept == 0 && report.inserted == 0 && report.removed == 3 && report.first_inserted == -1);
  GOOD (ldy_system_remove_body (system, 0));
  BAD (ldy_system_remove_body (system, 3), "body 3: constraint 0 acts on it");
  ldy_system_destroy (system);
}

static void bad_lists (void)
{
  ldy_system *system = bodies ();
  ldy_sync_report report = { .size = sizeof report, .kept = 77 }, small = { .size = 4 };
  CONTACT list[3] = { contact (1, 0, LDY_GROUND), contact (2, 1, 0), contact (3, 2, 1) }, copy = list[2];
  double R[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, own[9];
  ldy_rows before = { .size = sizeof before }, after = { .size = sizeof after };

  GOOD (sync (system, 3, list, NULL));
  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_system_results (system, &before));
  GOOD (ldy_system_store_reactions (system, R, 9));
  memcpy (list[0].frame, turned, sizeof turned);
  list[2].id = 77;
  list[2].key = 1;
  BAD (sync (system, 3, list, &report), "entry 2: new constraint between bodies 2 and 1: an earlier entry has its key");
  list[2].key = 4, list[2].frame[0] = NAN;
  BAD (sync (system, 3, list, &report), "entry 2: new constraint between bodies 2 and 1: its frame is not finite");
  list[2].key = 3;
  BAD (sync (system, 3, list, &report), "entry 2: constraint 2 between bodies 2 and 1: its frame is not finite");
  copy.id = 77, list[2] = copy;
  list[2].slave = 9;
  BAD (sync (system, 3, list, &report), "entry 2: constraint 2 between bodies 2 and 9: there is no body 9");
  list[2].slave = -5;
  BAD (sync (system, 3, list, &report), "entry 2: body -5: there is no such body");
  list[2] = copy, list[2].law.kind = 12;
  BAD (sync (system, 3, list, &report), "entry 2: the kind of its law is 12");
  list[2].law.kind = LDY_LAW_CONTACT, list[2].law.cohesion = -1;
  BAD (sync (system, 3, list, &report), "entry 2: constraint 2 between bodies 2 and 1: its cohesion is negative");
  list[2] = copy;
  CONTACT *c = list;
#define SYNC(keys, masters, slave_points, stride, report) ldy_system_sync_constraints (system, keys, stride, masters, &c->slave, \
  STRIDE, c->frame, STRIDE, c->point[0], slave_points, STRIDE, NULL, 0, &c->id, STRIDE, 3, report)
  BAD (SYNC (NULL, &c->master, c->point[1], STRIDE, NULL), "keys is NULL");
  BAD (SYNC (&c->key, NULL, c->point[1], STRIDE, NULL), "masters is NULL");
  BAD (SYNC (&c->key, &c->master, NULL, STRIDE, NULL), "slave_points is NULL");
  BAD (SYNC (&c->key, &c->master, c->point[1], 12, NULL), "keys: a stride of 12 bytes is no multiple of 8");
  BAD (SYNC (&c->key, &c->master, c->point[1], STRIDE, &small), "report->size is 4");
  BAD (ldy_system_sync_constraints (NULL, NULL, 0, NULL, NULL, 0, NULL, 0, NULL, NULL, 0, NULL, 0, NULL, 0, 0, NULL), "system is NULL");
  GOOD (ldy_system_results (system, &after));
  CHECK (after.values == before.values && after.rows == 3);
  GOOD (ldy_system_stored_reactions (system, own, 9));
  CHECK_SAME_BITS (own, R, sizeof R);
  CHECK (report.kept == 77 && list[2].id == 77);
  ldy_system_destroy (system);
}

/* The k-th allocation fails; 1 if one did. */
static int attempt (int k)
{
  enum { COUNT = 200 };
  static CONTACT list[COUNT];
  ldy_system *system = bodies ();
  ldy_rows before = { .size = sizeof before }, after = { .size = sizeof after };
  ldy_sync_report report = { .size = sizeof report };
  double R[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, own[3 * COUNT];
  int code, failures;

  for (int i = 0; i < COUNT; i ++) list[i] = contact (COUNT - i, i % BODIES, LDY_GROUND);
  GOOD (sync (system, 3, list, NULL));
  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_system_results (system, &before));
  GOOD (ldy_system_store_reactions (system, R, 9));
  for (int i = 0; i < COUNT; i ++) memcpy (list[i].frame, turned, sizeof turned), list[i].id = 77;
  check_context ("allocation %d", k);
  failing_arm (k);
  code = sync (system, COUNT - 1, list + 1, &report);
  failing.armed = 0;
  failures = failing.failed;
  if (code) {
    CHECK_INT (code, LDY_ERROR_OUT_OF_MEMORY);
    CHECK_TEXT (ldy_last_error (), "out of memory");
    GOOD (ldy_system_results (system, &after));
    CHECK (after.values == before.values && after.rows == 3 && list[5].id == 77);
    GOOD (ldy_system_stored_reactions (system, own, 9));
    CHECK_SAME_BITS (own, R, sizeof R);
    GOOD (sync (system, COUNT - 1, list + 1, &report));
  }
  CHECK (report.kept == 2 && report.inserted == COUNT - 3 && report.removed == 1 && report.first_inserted == 3);
  GOOD (ldy_system_stored_reactions (system, own, 3 * (COUNT - 1)));
  CHECK (own[0] == 5 && own[1] == 6 && own[2] == 4 && own[6] == 0);
  GOOD (ldy_system_update (system, 1));
  ldy_system_destroy (system);
  return failures > 0;
}

int main (void)
{
  int k;

  lists ();
  bad_lists ();
  for (failing.persistent = 0; failing.persistent < 2; failing.persistent ++) {
    for (k = 1; attempt (k); k ++) continue;
    CHECK (k > 5);
  }
  return check_summary ("system_sync");
}
