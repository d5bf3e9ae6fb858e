/* Laws that are kept with constraints through ldy_system.h: the bits of laws given row by row; single and bulk calls; bad entries are
   named, and nothing has changed. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "system/face.h"

#define BALLS 4

/* A contact of some program, with fields between that the library does not read. */
typedef struct {
  char name[8];
  int64_t id;
  ldy_law law, told;
  double padding;
} CONTACT;

#define STRIDE sizeof (CONTACT)

/* A heap of balls, each on the one below, and a joint of one row on the lowest. Constraint BALLS is that joint. */
static ldy_system *heap (void)
{
  double velocity[6] = { 0, 0, 0, 1, 0.5, -1 };
  ldy_system *system = NULL;
  int64_t body, id;

  GOOD (ldy_system_create (&system));
  for (int k = 0; k < BALLS; k ++) {
    GOOD (ldy_system_add_rigid (system, 1 + k, unit, unit, origin, &body));
    GOOD (ldy_system_set_velocity (system, body, LDY_VELOCITY_FREE, velocity, 6));
    GOOD (ldy_system_add_point_constraint (system, k, k ? k - 1 : LDY_GROUND, unit, origin, origin, &id));
  }
  GOOD (ldy_system_add_dof_constraint (system, 0, 4, 1, &id));
  GOOD (ldy_system_update (system, 0.5));
  return system;
}

static ldy_law contact (double friction)
{
  ldy_law law = { .kind = LDY_LAW_CONTACT, .friction = friction };

  return law;
}

/* The same kind and values; bytes between them do not count. */
static void same_law (const ldy_law *a, const ldy_law *b)
{
  size_t first = offsetof (ldy_law, friction);

  CHECK_INT (a->kind, b->kind);
  CHECK_SAME_BITS (&a->friction, &b->friction, sizeof *a - first);
}

static ldy_law law_of (int k)
{
  ldy_law law = contact (0.1 * k);

  if (k == 1) law.kind = LDY_LAW_ORTHOTROPIC_CONTACT, law.friction_2 = 0.7, law.cohesion = 0.25;
  if (k == 2) law.kind = LDY_LAW_FIXED, law.friction = 0, law.bias[1] = -0.125;
  if (k == BALLS) law.kind = LDY_LAW_BOUNDS, law.friction = 0, law.lower[0] = -0.5, law.upper[0] = 0.25;
  return law;
}

static void kept_and_given (void)
{
  ldy_system *system = heap ();
  ldy_contact_solver *solver = NULL;
  ldy_contact_solver_report a = { .size = sizeof a }, b = { .size = sizeof b };
  ldy_rows before = { .size = sizeof before }, after = { .size = sizeof after };
  ldy_law laws[BALLS + 1], told;
  CONTACT contacts[BALLS];
  ldy_contact_solver_options first = { .size = sizeof first, .normal_first = 1 };
  double R[3 * BALLS + 1] = { 0 }, own[3 * BALLS + 1] = { 0 };
  int64_t joint = BALLS;

  GOOD (ldy_contact_solver_create (&solver));
  GOOD (ldy_system_results (system, &before));
  BAD (ldy_contact_solver_solve (solver, system, NULL, 0, NULL, own, 3 * BALLS + 1, &a), "constraint 0 on body 0: it has no law");
  BAD (ldy_contact_solver_solve (solver, system, NULL, 2, NULL, own, 3 * BALLS + 1, &a), "laws is NULL");
  BAD (ldy_contact_solver_solve (solver, system, NULL, 0, &first, own, 3 * BALLS + 1, &a), "the contacts of a system have the normal last");
  memset (contacts, 0xff, sizeof contacts);
  for (int k = 0; k <= BALLS; k ++) laws[k] = law_of (k);
  for (int k = 0; k < BALLS; k ++) contacts[k].id = BALLS - 1 - k, contacts[k].law = laws[BALLS - 1 - k];
  GOOD (ldy_system_set_laws (system, &contacts[0].id, STRIDE, &contacts[0].law, STRIDE, BALLS));
  BAD (ldy_contact_solver_solve (solver, system, NULL, 0, NULL, own, 3 * BALLS + 1, &a), "constraint 4 on body 0: it has no law");
  GOOD (ldy_system_law (system, joint, &told));
  CHECK_INT (told.kind, LDY_LAW_NONE);
  GOOD (ldy_system_set_law (system, joint, &laws[BALLS]));
  GOOD (ldy_system_results (system, &after));
  CHECK (before.values == after.values && before.B == after.B);
  GOOD (ldy_contact_solver_solve (solver, system, laws, BALLS + 1, NULL, R, 3 * BALLS + 1, &a));
  GOOD (ldy_contact_solver_solve (solver, system, NULL, 0, NULL, own, 3 * BALLS + 1, &b));
  CHECK_SAME_BITS (R, own, sizeof R);
  CHECK_INT (a.status, LDY_STATUS_CONVERGED);
  CHECK (a.sweeps == b.sweeps && a.residual == b.residual);
  CHECK (R[2] > 0 && R[3 * BALLS] != 0);

  GOOD (ldy_system_laws (system, &contacts[0].id, STRIDE, &contacts[0].told, STRIDE, BALLS));
  for (int k = 0; k < BALLS; k ++) same_law (&contacts[k].told, &contacts[k].law);
  CHECK (isnan (contacts[0].padding));
  GOOD (ldy_system_law (system, joint, &told));
  same_law (&told, &laws[BALLS]);
  /* One law for all; a law goes with its constraint, and others stay. */
  laws[0] = contact (0.75);
  GOOD (ldy_system_set_laws (system, &contacts[0].id, STRIDE, laws, 0, BALLS));
  GOOD (ldy_system_remove_constraint (system, 1));
  BAD (ldy_system_law (system, 1, &told), "constraint 1: there is no such constraint");
  GOOD (ldy_system_law (system, 3, &told));
  same_law (&told, laws);
  laws[0].kind = LDY_LAW_NONE;
  GOOD (ldy_system_set_law (system, 3, laws));
  GOOD (ldy_system_update (system, 0.5));
  BAD (ldy_contact_solver_solve (solver, system, NULL, 0, NULL, own, 3 * BALLS - 2, &a),
    "constraint 3 between bodies 3 and 2: it has no law");
  ldy_contact_solver_destroy (solver);
  ldy_system_destroy (system);
}

static void bad_laws (void)
{
  ldy_system *system = heap ();
  ldy_law laws[3] = { contact (0.5), contact (0.5), contact (0.5) }, told;
  int64_t ids[3] = { 0, 1, 2 }, joint[2] = { 0, BALLS }, wrong[2] = { 0, 99 }, negative[2] = { 0, -2 };

  laws[2].friction = -1;
  BAD (ldy_system_set_laws (system, ids, 8, laws, sizeof *laws, 3),
    "entry 2: constraint 2 between bodies 2 and 1: its friction is negative or not finite");
  laws[2].kind = 17;
  BAD (ldy_system_set_laws (system, ids, 8, laws, sizeof *laws, 3), "entry 2: constraint 2: the kind of its law is 17");
  BAD (ldy_system_set_law (system, 2, &laws[2]), "constraint 2: the kind of its law is 17");
  laws[2].kind = LDY_LAW_BOUNDS, laws[2].lower[1] = 1;
  BAD (ldy_system_set_law (system, 2, &laws[2]), "constraint 2 between bodies 2 and 1: a lower bound of its force is above");
  laws[2] = contact (0.5), laws[2].bias[0] = NAN;
  BAD (ldy_system_set_law (system, 2, &laws[2]), "constraint 2 between bodies 2 and 1: the bias of its law is not finite");
  BAD (ldy_system_set_laws (system, joint, 8, laws, 0, 2), "entry 1: constraint 4 on body 0: a contact has two to six scalar rows");
  BAD (ldy_system_set_laws (system, wrong, 8, laws, 0, 2), "entry 1: constraint 99: there is no such constraint");
  BAD (ldy_system_set_laws (system, negative, 8, laws, 0, 2), "entry 1: constraint -2: there is no such constraint");
  BAD (ldy_system_set_laws (system, NULL, 8, laws, 0, 2), "constraints is NULL");
  BAD (ldy_system_set_laws (system, ids, 8, NULL, 0, 2), "laws is NULL");
  BAD (ldy_system_set_laws (system, ids, 8, laws, 12, 2), "laws: a stride of 12 bytes is no multiple of 8");
  BAD (ldy_system_set_laws (NULL, ids, 8, laws, 0, 2), "system is NULL");
  BAD (ldy_system_set_law (system, 0, NULL), "law is NULL");
  BAD (ldy_system_law (system, 0, NULL), "law is NULL");
  BAD (ldy_system_laws (system, ids, 8, laws, 8, 2), "laws: a stride of 8 bytes is less than");
  BAD (ldy_system_laws (system, wrong, 8, laws, sizeof *laws, 2), "entry 1: constraint 99");
  for (int k = 0; k <= BALLS; k ++) {
    GOOD (ldy_system_law (system, k, &told));
    CHECK_INT (told.kind, LDY_LAW_NONE);
  }
  GOOD (ldy_system_set_laws (system, NULL, 0, NULL, 0, 0));
  ldy_system_destroy (system);
}

/* A ball on the ground that rolls and spins: it keeps its moments within their limits, and the law as it was given. */
static void rolling_contacts (void)
{
  double unit[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, center[3] = { 0 }, point[3] = { 0, 0, -0.5 }, velocity[6] = { 0, 2, 3, 1, 0, -1 };
  double R[6] = { 0 };
  ldy_law law = { .kind = LDY_LAW_ROLLING_CONTACT, .friction = 0.5, .rolling_friction = 0.1, .torsional_friction = 0.05 }, told;
  ldy_contact_solver_report report = { .size = sizeof report };
  ldy_contact_solver *solver = NULL;
  ldy_system *system = NULL;
  int64_t ball, contact;

  GOOD (ldy_contact_solver_create (&solver));
  for (int rows = 4; rows <= 6; rows ++) {
    GOOD (ldy_system_create (&system));
    GOOD (ldy_system_add_rigid (system, 1, unit, unit, center, &ball));
    GOOD (ldy_system_set_velocity (system, ball, LDY_VELOCITY_FREE, velocity, 6));
    BAD (ldy_system_add_rolling_contact (system, 3, ball, LDY_GROUND, unit, point, NULL, &contact), "rows is 3; expected 4, 5 or 6");
    BAD (ldy_system_add_rolling_contact (system, rows, ball, LDY_GROUND, unit, NULL, NULL, &contact), "master_point is NULL");
    BAD (ldy_system_add_rolling_contact (system, rows, ball, LDY_GROUND, NULL, point, NULL, &contact), "frame is NULL");
    BAD (ldy_system_add_rolling_contact (system, rows, ball, LDY_GROUND, unit, point, NULL, NULL), "constraint is NULL");
    BAD (ldy_system_add_rolling_contact (NULL, rows, ball, LDY_GROUND, unit, point, NULL, &contact), "system is NULL");
    GOOD (ldy_system_add_rolling_contact (system, rows, ball, LDY_GROUND, unit, point, NULL, &contact));
    law.rolling_friction = rows > 4 ? 0.1 : 0, law.torsional_friction = rows != 5 ? 0.05 : 0;
    GOOD (ldy_system_set_law (system, contact, &law));
    GOOD (ldy_system_law (system, contact, &told));
    same_law (&told, &law);
    law.rolling_friction = -1;
    BAD (ldy_system_set_law (system, contact, &law), "its rolling or torsional friction is negative or not finite");
    law.rolling_friction = told.rolling_friction;
    GOOD (ldy_system_update (system, 0.1));
    GOOD (ldy_contact_solver_solve (solver, system, NULL, 0, NULL, R, (size_t) rows, &report));
    CHECK_INT (report.status, LDY_STATUS_CONVERGED);
    CHECK (R[2] > 1);
    if (rows > 4) CHECK_NEAR (hypot (R[3], R[4]), 0.1 * R[2], 1e-7);
    if (rows != 5) CHECK_NEAR (R[rows - 1], -0.05 * R[2], 1e-7);

    /* Its rows do not depend on the ball's position. */
    GOOD (ldy_system_set_positions (system, &ball, 0, point, 0, 1));
    GOOD (ldy_system_apply_reactions (system, R, (size_t) rows));
    ldy_system_destroy (system);
  }
  ldy_contact_solver_destroy (solver);
}

int main (void)
{
  kept_and_given ();
  bad_laws ();
  rolling_contacts ();
  return check_summary ("system_laws");
}
