/* Many bodies and constraints at once through ldy_system.h, from arrays with strides: the bits of single calls. A bad entry is
   named by its number, and nothing has changed. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "system/face.h"

#define BODIES 5
#define COUNT 12
#define MOST 1024

/* A contact of some program, with fields between that the library does not read. */
typedef struct {
  char name[8];
  int64_t master, slave, id;
  float gap, padding;
  double frame[9], point[2][3], compliance[9];
  uint64_t tag;
} CONTACT;

static CONTACT contacts[COUNT];

static void turn (double angle, double R[9])
{
  double c = cos (angle), s = sin (angle), turned[9] = { c, s, 0, -s, c, 0, 0, 0, 1 };

  memcpy (R, turned, sizeof turned);
}

static void make_contacts (void)
{
  for (int k = 0; k < COUNT; k ++) {
    CONTACT *c = &contacts[k];
    memset (c, 0xff, sizeof *c);
    c->master = k % BODIES;
    c->slave = k % 3 ? (k + 1) % BODIES : LDY_GROUND;
    c->tag = 1000 + k;
    turn (0.1 * k, c->frame);
    for (int i = 0; i < 3; i ++) c->point[0][i] = k + i, c->point[1][i] = k - 2 * i;
    if (c->slave == LDY_GROUND) c->point[1][0] = NAN; /* not read */
    memcpy (c->compliance, unit, sizeof unit);
    c->compliance[0] = k;
  }
}

static ldy_system *bodies (void)
{
  ldy_system *system = NULL;
  int64_t id;

  GOOD (ldy_system_create (&system));
  for (int k = 0; k < BODIES; k ++) GOOD (ldy_system_add_rigid (system, 1 + k, unit, unit, origin, &id));
  return system;
}

#define STRIDE sizeof (CONTACT)

static int add (ldy_system *system, size_t count, CONTACT *c, int64_t *first)
{
  return ldy_system_add_point_constraints (system, &c->master, &c->slave, STRIDE, c->frame, STRIDE, c->point[0], c->point[1], STRIDE, count, first);
}

static int move (ldy_system *system, size_t count, CONTACT *c)
{
  return ldy_system_move_constraints (system, &c->id, STRIDE, &c->master, &c->slave, STRIDE, c->frame, STRIDE, c->point[0], c->point[1], STRIDE, count);
}

/* Both systems have the same rows, blocks, velocities. */
static void same_results (ldy_system *one, ldy_system *other, int constraints)
{
  ldy_rows a = { .size = sizeof a }, b = { .size = sizeof b };

  GOOD (ldy_system_update (one, 0.5));
  GOOD (ldy_system_update (other, 0.5));
  GOOD (ldy_system_results (one, &a));
  GOOD (ldy_system_results (other, &b));
  CHECK_INT (a.rows, constraints);
  if (!CHECK_INT (b.rows, a.rows) || !CHECK_INT (b.blocks, a.blocks)) return;
  CHECK_SAME_BITS (a.columns, b.columns, a.blocks * sizeof *a.columns);
  CHECK_SAME_BITS (a.values, b.values, 9 * a.blocks * sizeof *a.values);
  CHECK_SAME_BITS (a.B, b.B, 3 * a.rows * sizeof *a.B);
  CHECK_SAME_BITS (a.V, b.V, 3 * a.rows * sizeof *a.V);
}

static void as_one_after_the_other (void)
{
  ldy_system *many = bodies (), *single = bodies ();
  double velocities[BODIES][8], rotations[BODIES][9], got[BODIES][8], turned[BODIES][9], frames[COUNT][10], points[2][COUNT][4];
  uint64_t tags[COUNT];
  int64_t ids[BODIES], first = -1, id, gone[3];

  for (int k = 0; k < BODIES; k ++) {
    ids[k] = BODIES - 1 - k;
    turn (k, rotations[k]);
    for (int i = 0; i < 8; i ++) velocities[k][i] = 10 * k + i;
  }
  GOOD (ldy_system_set_velocities (many, LDY_VELOCITY_FREE, ids, sizeof *ids, velocities[0], sizeof *velocities, 6, BODIES));
  GOOD (ldy_system_set_velocities (many, LDY_VELOCITY_PREVIOUS, ids, sizeof *ids, velocities[0] + 2, 0, 6, BODIES));
  GOOD (ldy_system_set_rotations (many, ids, sizeof *ids, rotations[0], sizeof *rotations, BODIES));
  for (int k = 0; k < BODIES; k ++) {
    GOOD (ldy_system_set_velocity (single, ids[k], LDY_VELOCITY_FREE, velocities[k], 6));
    GOOD (ldy_system_set_velocity (single, ids[k], LDY_VELOCITY_PREVIOUS, velocities[0] + 2, 6));
    GOOD (ldy_system_set_rotation (single, ids[k], rotations[k]));
  }
  memset (got, 0, sizeof got);
  GOOD (ldy_system_velocities (many, LDY_VELOCITY_FREE, ids, sizeof *ids, got[0], sizeof *got, 6, BODIES));
  GOOD (ldy_system_rotations (many, ids, sizeof *ids, turned[0], sizeof *turned, BODIES));
  CHECK_SAME_BITS (turned, rotations, sizeof turned);
  for (int k = 0; k < BODIES; k ++) {
    CHECK_SAME_BITS (got[k], velocities[k], 6 * sizeof (double));
    CHECK (got[k][6] == 0 && got[k][7] == 0);
  }

  GOOD (add (many, COUNT, contacts, &first));
  CHECK_INT (first, 0);
  for (int k = 0; k < COUNT; k ++) {
    CONTACT *c = &contacts[k];
    GOOD (ldy_system_add_point_constraint (single, c->master, c->slave, c->frame, c->point[0], c->point[1], &c->id));
    CHECK_INT (c->id, first + k);
  }
  same_results (many, single, COUNT);
  GOOD (ldy_system_set_compliances (many, &contacts[3].id, 2 * STRIDE, contacts[3].compliance, 2 * STRIDE, 9, 4));
  for (int k = 3; k < 11; k += 2) GOOD (ldy_system_set_compliance (single, k, contacts[k].compliance, 9));
  GOOD (ldy_system_set_tags (many, &contacts[0].id, STRIDE, &contacts[0].tag, STRIDE, COUNT));
  GOOD (ldy_system_tags (many, tags, COUNT));
  for (int k = 0; k < COUNT; k ++) CHECK (tags[k] == contacts[k].tag);
  same_results (many, single, COUNT);

  /* Other points, then other bodies, too: as a system that is made with these from the first. */
  for (int k = 0; k < 5; k ++) contacts[k].point[0][1] += 3;
  GOOD (ldy_system_move_constraints (many, &contacts[0].id, STRIDE, NULL, NULL, 0, contacts[0].frame, STRIDE, contacts[0].point[0], contacts[0].point[1], STRIDE, 5));
  for (int k = 0; k < 5; k ++)
    GOOD (ldy_system_move_constraint (single, k, contacts[k].frame, contacts[k].point[0], contacts[k].point[1]));
  same_results (many, single, COUNT);
  for (int k = 4; k < 9; k ++) {
    contacts[k].master = (k + 2) % BODIES;
    contacts[k].slave = k % 2 ? LDY_GROUND : (k + 4) % BODIES;
    for (int i = 0; i < 3; i ++) contacts[k].point[1][i] = 1 + i;
  }
  GOOD (move (many, 5, contacts + 4));
  ldy_system_destroy (single);
  single = bodies ();
  for (int k = 0; k < BODIES; k ++) {
    GOOD (ldy_system_set_velocity (single, ids[k], LDY_VELOCITY_FREE, velocities[k], 6));
    GOOD (ldy_system_set_velocity (single, ids[k], LDY_VELOCITY_PREVIOUS, velocities[0] + 2, 6));
    GOOD (ldy_system_set_rotation (single, ids[k], rotations[k]));
  }
  for (int k = 0; k < COUNT; k ++) {
    CONTACT *c = &contacts[k];
    GOOD (ldy_system_add_point_constraint (single, c->master, c->slave, c->frame, c->point[0], c->point[1], &id));
    if (k >= 3 && k < 11 && k % 2) GOOD (ldy_system_set_compliance (single, id, c->compliance, 9));
  }
  same_results (many, single, COUNT);
  GOOD (ldy_system_tags (many, tags, COUNT));
  for (int k = 0; k < COUNT; k ++) CHECK (tags[k] == contacts[k].tag);

  memset (points, 0, sizeof points);
  GOOD (ldy_system_point_frames (many, &contacts[0].id, STRIDE, frames[0], sizeof *frames, points[0][0], points[1][0], sizeof **points, COUNT));
  for (int k = 0; k < COUNT; k ++) {
    CHECK_SAME_BITS (frames[k], contacts[k].frame, sizeof contacts[k].frame);
    CHECK_SAME_BITS (points[0][k], contacts[k].point[0], 3 * sizeof (double));
    if (contacts[k].slave != LDY_GROUND) CHECK_SAME_BITS (points[1][k], contacts[k].point[1], 3 * sizeof (double));
    CHECK (points[0][k][3] == 0);
  }
  GOOD (ldy_system_point_frames (many, &contacts[0].id, STRIDE, NULL, 0, NULL, NULL, 0, 1));

  for (int k = 0; k < 3; k ++) gone[k] = 10 - 4 * k;
  GOOD (ldy_system_remove_constraints (many, gone, sizeof *gone, 3));
  for (int k = 0; k < 3; k ++) GOOD (ldy_system_remove_constraint (single, gone[k]));
  same_results (many, single, COUNT - 3);
  /* Bodies that constraints have left can be removed once the others are gone. */
  for (int k = 0; k < COUNT; k ++) if (k != 2 && k != 6 && k != 10)
    GOOD (ldy_system_remove_constraints (many, &contacts[k].id, 0, 1));
  for (int k = 0; k < BODIES; k ++) GOOD (ldy_system_remove_body (many, k));
  ldy_system_destroy (many);
  ldy_system_destroy (single);
}

/* Each call is refused for its last entry, and the results of the last update are still there, with the same bits. */
static void bad_entries (void)
{
  ldy_system *system = bodies ();
  ldy_rows before = { .size = sizeof before }, rows = { .size = sizeof rows };
  double values[MOST], velocities[3][6] = { { 0 } }, rotations[3][9] = { { 1 } }, bad[9] = { 0, 1, 0, 0, 0, 0, 0, 0, 0 };
  int64_t first = 77, ids[3] = { 0, 1, 99 }, twice[3] = { 4, 3, 4 }, negative[3] = { 0, 1, -7 };

  make_contacts ();
  GOOD (add (system, COUNT, contacts, &first));
  for (int k = 0; k < COUNT; k ++) contacts[k].id = k;
  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_system_results (system, &before));
  if (!CHECK (9 * before.blocks <= MOST)) return;
  memcpy (values, before.values, 9 * before.blocks * sizeof *values);
  first = 77;
  CONTACT copy = contacts[11];
  contacts[11].frame[3] = NAN;
  BAD (add (system, COUNT, contacts, &first), "entry 11: new constraint between bodies 1 and 2: its frame is not finite");
  BAD (move (system, COUNT, contacts), "entry 11: constraint 11 between bodies 1 and 2: its frame is not finite");
  contacts[11] = copy;
  contacts[11].slave = 55;
  BAD (add (system, COUNT, contacts, &first), "entry 11: new constraint between bodies 1 and 55: there is no body 55");
  BAD (move (system, COUNT, contacts), "entry 11: constraint 11 between bodies 1 and 55: there is no body 55");
  contacts[11].slave = -3;
  BAD (add (system, COUNT, contacts, &first), "entry 11: body -3: there is no such body");
  contacts[11].slave = contacts[11].master = LDY_GROUND;
  BAD (add (system, COUNT, contacts, &first), "entry 11: new constraint: both of its bodies are the ground");
  contacts[11] = copy;
  contacts[11].id = 50;
  BAD (move (system, COUNT, contacts), "entry 11: constraint 50: there is no such constraint");
  contacts[11].compliance[1] = 1;
  contacts[11].id = 11;
  BAD (ldy_system_set_compliances (system, &contacts[0].id, STRIDE, contacts[0].compliance, STRIDE, 9, COUNT),
    "entry 11: constraint 11 between bodies 1 and 2: its compliance is not symmetric");
  contacts[11] = copy;
  BAD (ldy_system_remove_constraints (system, ids, sizeof *ids, 3), "entry 2: constraint 99: there is no such constraint");
  BAD (ldy_system_remove_constraints (system, twice, sizeof *twice, 3), "entry 2: constraint 4: an earlier entry has the same id");
  BAD (ldy_system_remove_constraints (system, twice, sizeof *twice, 3), "entry 2: constraint 4: an earlier entry has the same id");
  BAD (ldy_system_remove_constraints (system, negative, sizeof *ids, 3), "entry 2: constraint -7: there is no such constraint");
  BAD (ldy_system_set_tags (system, ids, sizeof *ids, &contacts[0].tag, 0, 3),
    "entry 2: constraint 99: there is no such constraint");
  BAD (ldy_system_set_velocities (system, LDY_VELOCITY_FREE, ids, sizeof *ids, velocities[0], 48, 6, 3),
    "entry 2: body 99: there is no such body");
  BAD (ldy_system_set_velocities (system, LDY_VELOCITY_FREE, negative, sizeof *ids, velocities[0], 48, 6, 3),
    "entry 2: body -7: there is no such body");
  BAD (ldy_system_set_velocities (system, LDY_VELOCITY_FREE, ids, sizeof *ids, velocities[0], 48, 5, 2),
    "entry 0: body 0: its generalized velocity: 5 values where 6 are needed");
  velocities[1][5] = INFINITY;
  BAD (ldy_system_set_velocities (system, LDY_VELOCITY_FREE, ids, sizeof *ids, velocities[0], 48, 6, 2),
    "entry 1: body 1: its generalized velocity is not finite");
  BAD (ldy_system_set_velocities (system, LDY_VELOCITY_PREVIOUS, ids, sizeof *ids, velocities[0], 48, 6, 2),
    "entry 1: body 1: its generalized velocity is not finite");
  memcpy (rotations[1], bad, sizeof bad);
  rotations[1][0] = NAN;
  memcpy (rotations[0], unit, sizeof unit);
  BAD (ldy_system_set_rotations (system, ids, sizeof *ids, rotations[0], sizeof *rotations, 2), "entry 1: body 1: ");
  BAD (ldy_system_velocities (system, LDY_VELOCITY_FREE, ids, sizeof *ids, velocities[0], 48, 6, 3), "entry 2: body 99");
  BAD (ldy_system_rotations (system, ids, sizeof *ids, rotations[0], 72, 3), "entry 2: body 99");
  BAD (ldy_system_point_frames (system, ids, sizeof *ids, rotations[0], 72, NULL, NULL, 0, 3), "entry 2: constraint 99");
  /* Shapes. */
  BAD (ldy_system_set_velocities (system, LDY_VELOCITY_FREE, ids, sizeof *ids, velocities[0], 44, 6, 2),
    "velocities: a stride of 44 bytes is no multiple of 8");
  BAD (ldy_system_velocities (system, LDY_VELOCITY_FREE, ids, sizeof *ids, velocities[0], 40, 6, 2),
    "velocities: a stride of 40 bytes is less than the 48 of an entry");
  BAD (ldy_system_set_velocities (system, LDY_VELOCITY_FREE, ids, sizeof *ids, velocities[0], 48, 6, (size_t) -1), "is too large");
  /* One entry for all, absurdly many times. */
  size_t absurd = (size_t) 1 << 60;
  BAD (ldy_system_add_point_constraints (system, ids, NULL, 0, unit, 0, origin, NULL, 0, absurd, &first), "an int cannot number");
  BAD (ldy_system_move_constraints (system, ids, 0, NULL, NULL, 0, unit, 0, origin, NULL, 0, absurd), "an int cannot number");
  BAD (ldy_system_set_velocities (system, LDY_VELOCITY_FREE, ids, 0, velocities[0], 0, 6, absurd), "an int cannot number");
  BAD (ldy_system_point_frames (system, ids, 0, NULL, 0, NULL, NULL, 0, absurd), "an int cannot number");
  BAD (ldy_system_set_velocities (system, LDY_VELOCITY_FREE, NULL, 8, velocities[0], 48, 6, 2), "bodies is NULL");
  BAD (ldy_system_set_velocities (system, LDY_VELOCITY_FREE, ids, 8, NULL, 48, 6, 2), "velocities is NULL");
  BAD (ldy_system_add_point_constraints (system, ids, NULL, 8, unit, 0, NULL, NULL, 0, 2, &first), "master_points is NULL");
  BAD (ldy_system_add_point_constraints (system, ids, ids, 8, unit, 0, origin, NULL, 0, 2, &first), "slave_points is NULL");
  BAD (ldy_system_add_point_constraints (system, ids, NULL, 8, unit, 0, origin, NULL, 0, 2, NULL), "constraint is NULL");
  GOOD (ldy_system_results (system, &rows));
  CHECK_INT (first, 77);
  CHECK (rows.values == before.values && rows.rows == COUNT);
  CHECK_SAME_BITS (rows.values, values, 9 * rows.blocks * sizeof *values);
  CHECK (velocities[0][0] == 0);
  /* Nothing at all is nothing wrong; one entry for all. */
  GOOD (ldy_system_set_velocities (system, LDY_VELOCITY_FREE, NULL, 0, NULL, 0, 6, 0));
  GOOD (ldy_system_add_point_constraints (system, ids, NULL, 8, unit, 0, origin, NULL, 0, 2, &first));
  CHECK_INT (first, COUNT);
  GOOD (ldy_system_update (system, 1));
  /* None of those that were refused is half chosen. */
  GOOD (ldy_system_remove_constraints (system, twice, sizeof *twice, 2));
  ldy_system_destroy (system);
}

int main (void)
{
  make_contacts ();
  as_one_after_the_other ();
  bad_entries ();
  return check_summary ("system_bulk");
}
