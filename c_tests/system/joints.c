/* Joints by axes through ldy_system.h: rows in closed form, a rotation that is followed, errors of joints, bad arguments, failing
   allocations, and updates that allocate nothing. */
#include <math.h>
#include <string.h>

#include "system/face.h"
#include "support/failing_allocator.h"
#include "system/joint_model.h"

static const double quarter[9] = { 0, 1, 0, -1, 0, 0, 0, 0, 1 }; /* about z: x becomes y */
static const double along[9] = { 0, 1, 0, 0, 0, 1, 1, 0, 0 };        /* y, z, x */
static const double zero[3] = { 0, 0, 0 }, end[3] = { 0.5, 0, 0 };

static void add (ldy_system *system, const double *rotation, int64_t *body)
{
  GOOD (ldy_system_add_rigid (system, 1, unit, rotation, zero, body));
}

/* B of the only joint: a body with the angular velocity (1, 2, 3) in its own frame and the velocity (4, 5, 6), on the ground. */
static void rows_of_kinds (void)
{
  /* The point is (0, 0.5, 0) from the center, the angular velocity (-2, 1, 3): the point moves with (4 - 1.5, 5, 6 - 1). The axes of
     the master are y, -x and z; the second axis of the slave is z, so that the cross product is x. */
  static const struct { int kind, count; double B[6]; } kinds[] = {
    { LDY_AXES_HINGE, 5, { 5, -2.5, 5, 1, 2 } }, { LDY_AXES_SLIDER, 5, { 5, -2.5, 1, 2, 3 } },
    { LDY_AXES_UNIVERSAL, 4, { 5, -2.5, 5, -2 } }, { LDY_AXES_WELD, 6, { 5, -2.5, 5, 1, 2, 3 } },
    { LDY_AXES_HINGE_LIMIT, 1, { 3 } }, { LDY_AXES_SLIDER_LIMIT, 1, { 5 } } };
  double velocity[6] = { 1, 2, 3, 4, 5, 6 };

  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k ++) {
    for (int side = 0; side < 2; side ++) {
      ldy_system *system = NULL;
      ldy_rows rows = { .size = sizeof rows };
      int64_t body, joint;
      GOOD (ldy_system_create (&system));
      add (system, unit, &body);
      GOOD (ldy_system_set_velocity (system, body, LDY_VELOCITY_FREE, velocity, 6));
      GOOD (ldy_system_add_joint (system, kinds[k].kind, side ? LDY_GROUND : body, side ? body : LDY_GROUND, unit,
        side ? zero : end, along, side ? end : zero, &joint));
      GOOD (ldy_system_update (system, 1));
      GOOD (ldy_system_set_rotation (system, body, quarter));
      GOOD (ldy_system_update (system, 1));
      GOOD (ldy_system_results (system, &rows));
      CHECK (rows.rows == 1 && (int) rows.scalars == kinds[k].count);
      for (int i = 0; i < kinds[k].count && side == 0; i ++) {
        CHECK_NEAR (rows.B[i], kinds[k].B[i], 1e-15);
      }
      if (side == 1 && kinds[k].kind == LDY_AXES_HINGE_LIMIT) CHECK_NEAR (rows.B[0], -3, 1e-15);
      if (side == 1 && kinds[k].kind == LDY_AXES_SLIDER_LIMIT) CHECK_NEAR (rows.B[0], -5, 1e-15);
      ldy_system_destroy (system);
    }
  }
}

static void errors_of_joints (void)
{
  double center[3] = { 0, -0.5, 0.25 }, errors[6] = { 7, 7, 7, 7, 7, 7 };
  ldy_system *system = NULL;
  int64_t body, weld, limit, half;
  double turned[9] = { 1, 0, 0, 0, -1, 0, 0, 0, -1 };

  GOOD (ldy_system_create (&system));
  add (system, quarter, &body);
  GOOD (ldy_system_add_joint (system, LDY_AXES_WELD, body, LDY_GROUND, unit, end, unit, zero, &weld));
  GOOD (ldy_system_add_joint (system, LDY_AXES_HINGE_LIMIT, LDY_GROUND, body, unit, zero, unit, end, &limit));
  BAD (ldy_system_joint_error (system, weld, errors, 6), "body 0: its position in the world is not known");
  GOOD (ldy_system_set_positions (system, &body, 0, center, 0, 1));
  GOOD (ldy_system_joint_error (system, weld, errors, 6));
  CHECK_NEAR (errors[0], 0, 1e-15);
  CHECK_NEAR (errors[1], 0, 1e-15);
  CHECK_NEAR (errors[2], 0.25, 1e-15);
  CHECK (errors[3] == 0 && errors[4] == 0);
  CHECK_NEAR (errors[5], acos (-1) / 2, 1e-15);
  GOOD (ldy_system_joint_error (system, limit, errors, 1));
  CHECK_NEAR (errors[0], -acos (-1) / 2, 1e-15);
  /* Half a turn about x, to either side. */
  GOOD (ldy_system_set_rotation (system, body, unit));
  GOOD (ldy_system_add_joint (system, LDY_AXES_WELD, body, LDY_GROUND, turned, end, unit, zero, &half));
  GOOD (ldy_system_joint_error (system, half, errors, 6));
  CHECK_NEAR (fabs (errors[3]), acos (-1), 1e-15);
  CHECK (errors[4] == 0 && errors[5] == 0);
  ldy_system_destroy (system);
}

/* B and the errors of a joint against velocities and axes in the world. */
static void as_in_the_world (ldy_system *system, const MODEL_JOINT *joint)
{
  int rows = joint_rows (joint->kind);
  double h[36], errors[6];
  ldy_rows results = { .size = sizeof results };

  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_system_results (system, &results));
  for (int i = 0; i < rows; i ++) {
    double U = 0;
    for (int side = 0; side < 2; side ++) {
      if (!joint->bodies[side]) continue;
      joint_operator (joint, side, h);
      for (int j = 0; j < 6; j ++) U += h[rows * j + i] * joint->bodies[side]->velocity[j];
    }
    CHECK_NEAR (results.B[i], U, 1e-13);
  }
  CHECK_INT (ldy_system_joint_error (system, joint->id, errors, (size_t) rows), joint_has_positions (joint) ? 0 : LDY_ERROR_INVALID_ARGUMENT);
  if (joint_has_positions (joint)) joint_check_errors (joint, errors);
}

/* Bodies turn one at a time, by any angle, and are moved more than once. */
static void any_pose (int kind, int ground, RANDOM *random)
{
  MODEL_BODY bodies[2] = { { .kind = IS_RIGID, .n = 6 }, { .kind = IS_RIGID, .n = 6 } };
  MODEL_JOINT joint = { .kind = kind };
  ldy_system *system = NULL;
  int64_t ids[2];

  GOOD (ldy_system_create (&system));
  for (int side = 0; side < 2; side ++) {
    MODEL_BODY *body = &bodies[side];
    model_random_rotation (random, body->rotation), model_random_rotation (random, joint.frames[side]);
    for (int i = 0; i < 3; i ++) body->center[i] = random_value (random), joint.points[side][i] = random_value (random);
    for (int i = 0; i < 6; i ++) body->velocity[i] = random_value (random);
    GOOD (ldy_system_add_rigid (system, 1, unit, body->rotation, body->center, &body->id));
    GOOD (ldy_system_set_velocity (system, body->id, LDY_VELOCITY_FREE, body->velocity, 6));
    joint.bodies[side] = side == ground ? NULL : body;
    ids[side] = side == ground ? LDY_GROUND : body->id;
  }
  GOOD (ldy_system_add_joint (system, kind, ids[0], ids[1], joint.frames[0], joint.points[0], joint.frames[1], joint.points[1], &joint.id));
  as_in_the_world (system, &joint);
  for (int k = 0; k < 6; k ++) {
    MODEL_BODY *body = &bodies[k % 2];
    if (k < 4) {
      model_random_rotation (random, body->rotation);
      GOOD (ldy_system_set_rotation (system, body->id, body->rotation));
    }
    if (k >= 2) {
      for (int i = 0; i < 3; i ++) body->position[i] = random_value (random);
      GOOD (ldy_system_set_positions (system, &body->id, 0, body->position, 0, 1));
      body->has_position = 1;
    }
    as_in_the_world (system, &joint);
  }
  GOOD (ldy_system_remove_constraint (system, joint.id));
  CHECK (ldy_system_joint_error (system, joint.id, (double[6]) { 0 }, 6) == LDY_ERROR_NOT_FOUND);
  GOOD (ldy_system_set_rotation (system, bodies[0].id, unit));
  GOOD (ldy_system_update (system, 1));
  ldy_system_destroy (system);
}

/* A frame of single precision becomes orthonormal: so do the angular rows. */
static void single_precision (void)
{
  double frame[9];
  ldy_system *system = NULL;
  ldy_rows rows = { .size = sizeof rows };
  RANDOM random = { 3 };
  int64_t body, joint;

  model_random_rotation (&random, frame);
  for (int i = 0; i < 9; i ++) frame[i] = (float) frame[i];
  GOOD (ldy_system_create (&system));
  add (system, unit, &body);
  BAD (ldy_system_add_joint (system, LDY_AXES_WELD, body, LDY_GROUND, frame, zero, frame, zero, &joint), "not orthonormal");
  GOOD (ldy_system_set_option (system, LDY_OPTION_ORTHONORMALIZE, 1));
  GOOD (ldy_system_add_joint (system, LDY_AXES_WELD, body, LDY_GROUND, frame, zero, frame, zero, &joint));
  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_system_results (system, &rows));
  for (int i = 0; i < 36; i ++) CHECK_NEAR (rows.values[i], i % 7 == 0, 1e-14);
  ldy_system_destroy (system);
}

/* A body on an arm that turns about z with the angular velocity 1, 2 away from it along the slider's axis x: it moves along y with 2. */
static void a_slider_that_turns (void)
{
  double arm[6] = { 0, 0, 1, 0, 0, 0 }, on_arm[6] = { 0, 0, 1, 0, 2, 0 }, places[6] = { 0, 0, 0, 2, 0, 0 };
  ldy_system *system = NULL;
  ldy_rows rows = { .size = sizeof rows };
  int64_t bodies[2], slider;

  GOOD (ldy_system_create (&system));
  for (int k = 0; k < 2; k ++) {
    add (system, unit, &bodies[k]);
    GOOD (ldy_system_set_velocity (system, bodies[k], LDY_VELOCITY_FREE, k ? on_arm : arm, 6));
  }
  GOOD (ldy_system_add_joint (system, LDY_AXES_SLIDER, bodies[0], bodies[1], along, zero, along, zero, &slider));
  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_system_results (system, &rows));
  CHECK_NEAR (rows.B[0], -2, 1e-15); /* without positions */
  GOOD (ldy_system_set_positions (system, bodies, sizeof *bodies, places, 3 * sizeof *places, 2));
  CHECK (ldy_system_results (system, &rows) == LDY_ERROR_STALE_RESULTS);
  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_system_results (system, &rows));
  for (int i = 0; i < 5; i ++) CHECK_NEAR (rows.B[i], 0, 1e-15);
  ldy_system_destroy (system);
}

static void bad_arguments (void)
{
  double wrong[3] = { 0, NAN, 0 }, skew[9] = { 1, 0, 0, 1, 1, 0, 0, 0, 1 }, errors[6] = { 7 };
  ldy_system *system = NULL;
  int64_t body, soft, contact, joint = 7;

  GOOD (ldy_system_create (&system));
  add (system, unit, &body);
  GOOD (ldy_system_add_pseudo_rigid (system, 1, unit, zero, &soft));
  GOOD (ldy_system_add_point_constraint (system, body, LDY_GROUND, unit, zero, NULL, &contact));
  BAD (ldy_system_add_joint (system, 7, body, LDY_GROUND, unit, zero, unit, zero, &joint), "kind is 7");
  BAD (ldy_system_add_joint (system, 0, body, LDY_GROUND, unit, zero, unit, zero, &joint), "kind is 0");
  BAD (ldy_system_add_joint (NULL, LDY_AXES_WELD, body, LDY_GROUND, unit, zero, unit, zero, &joint), "system is NULL");
  BAD (ldy_system_add_joint (system, LDY_AXES_WELD, body, LDY_GROUND, NULL, zero, unit, zero, &joint), "master_frame is NULL");
  BAD (ldy_system_add_joint (system, LDY_AXES_WELD, body, LDY_GROUND, unit, NULL, unit, zero, &joint), "master_point is NULL");
  BAD (ldy_system_add_joint (system, LDY_AXES_WELD, body, LDY_GROUND, unit, zero, NULL, zero, &joint), "slave_frame is NULL");
  BAD (ldy_system_add_joint (system, LDY_AXES_WELD, body, LDY_GROUND, unit, zero, unit, NULL, &joint), "slave_point is NULL");
  BAD (ldy_system_add_joint (system, LDY_AXES_WELD, body, LDY_GROUND, unit, zero, unit, zero, NULL), "joint is NULL");
  BAD (ldy_system_add_joint (system, LDY_AXES_WELD, body, soft, unit, zero, unit, zero, &joint), "not rigid");
  BAD (ldy_system_add_joint (system, LDY_AXES_WELD, body, body, unit, zero, unit, zero, &joint), "there twice");
  BAD (ldy_system_add_joint (system, LDY_AXES_WELD, LDY_GROUND, LDY_GROUND, unit, zero, unit, zero, &joint), "the ground");
  BAD (ldy_system_add_joint (system, LDY_AXES_WELD, body, LDY_GROUND, unit, zero, skew, zero, &joint), "not orthonormal");
  BAD (ldy_system_add_joint (system, LDY_AXES_WELD, body, LDY_GROUND, unit, wrong, unit, zero, &joint), "the master's point");
  CHECK (ldy_system_add_joint (system, LDY_AXES_WELD, body, 9, unit, zero, unit, zero, &joint) == LDY_ERROR_NOT_FOUND);
  CHECK (joint == 7);
  GOOD (ldy_system_add_joint (system, LDY_AXES_WELD, body, LDY_GROUND, unit, zero, unit, zero, &joint));
  CHECK (joint == contact + 1);
  GOOD (ldy_system_set_positions (system, &body, 0, zero, 0, 1));
  BAD (ldy_system_joint_error (system, contact, errors, 3), "not a joint");
  BAD (ldy_system_joint_error (system, joint, NULL, 6), "errors is NULL");
  BAD (ldy_system_joint_error (system, joint, errors, 5), "5 values where 6 are needed");
  CHECK (ldy_system_joint_error (system, 9, errors, 6) == LDY_ERROR_NOT_FOUND);
  CHECK (errors[0] == 7);
  ldy_system_destroy (system);
}

/* Each allocation of an insertion fails in turn: nothing has changed, and the next call is right. Updates that turn bodies allocate
   nothing. */
static void memory (void)
{
  ldy_system *system = NULL;
  ldy_rows rows = { .size = sizeof rows };
  int64_t bodies[2], joint = -1;
  int failures = 0;

  GOOD (ldy_system_create (&system));
  for (int k = 0; k < 2; k ++) add (system, k ? quarter : unit, &bodies[k]);
  for (;;) {
    failing_arm (failures + 1);
    int code = ldy_system_add_joint (system, LDY_AXES_HINGE, bodies[0], bodies[1], unit, end, unit, zero, &joint);
    failing.armed = 0;
    if (code == 0) break;
    failures ++;
    CHECK (code == LDY_ERROR_OUT_OF_MEMORY && joint == -1);
  }
  CHECK (failures >= 4 && joint == 0);
  for (int k = 0; k < 4; k ++) {
    GOOD (ldy_system_set_rotation (system, bodies[0], k % 2 ? unit : quarter));
    GOOD (ldy_system_set_positions (system, bodies, sizeof *bodies, k % 2 ? end : zero, 0, 2));
    if (k >= 2) failing_arm (1);
    GOOD (ldy_system_update (system, 1));
    failing.armed = 0;
  }
  GOOD (ldy_system_results (system, &rows));
  CHECK (rows.rows == 1);
  ldy_system_destroy (system);
}

int main (void)
{
  RANDOM random = { 1 };

  rows_of_kinds ();
  for (int k = 0; k < 8; k ++) {
    for (int kind = LDY_AXES_HINGE; kind <= LDY_AXES_SLIDER_LIMIT; kind ++) any_pose (kind, k % 4 == 3 ? k / 4 : -1, &random);
  }
  single_precision ();
  errors_of_joints ();
  a_slider_that_turns ();
  bad_arguments ();
  memory ();
  return check_summary ("system_joints");
}
