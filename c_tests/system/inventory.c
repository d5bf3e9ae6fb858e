/* What a system holds and how it can be asked: lists, kinds, options, getters of all that can be set, removal of everything, the data of
 * callbacks, and errors as numbers. */

#include <math.h>
#include <stddef.h>

#include "system/face.h"

static int released;

static int half (int size, int columns, double *x, void *data)
{
  (void) data;
  for (int i = 0; i < size * columns; i ++) x[i] *= 0.5;
  return 0;
}

static void release (void *data)
{
  released += *(int *) data;
}

static void lists (void)
{
  int64_t body[4], link, limit, ids[4] = { -7, -7, -7, -7 };
  double C[9] = { 2, 1, 0, 1, 2, 0, 0, 0, 3 }, read[9], mu[4], one[6] = { 1, 2, 3, 4, 5, 6 }, free_velocity[6] = { 0 };
  int kind = -1, n = -1, value = -1, m = -1;
  ldy_system *system;
  size_t count = 99;

  GOOD (ldy_system_create (&system));
  CHECK (ldy_system_body_count (system) == 0 && ldy_system_constraint_count (system) == 0 && ldy_system_body_count (NULL) == 0);
  GOOD (ldy_system_add_rigid (system, 2, unit, unit, origin, &body[0]));
  GOOD (ldy_system_add_pseudo_rigid (system, 2, unit, origin, &body[1]));
  GOOD (ldy_system_add_obstacle (system, unit, origin, &body[2]));
  GOOD (ldy_system_add_body (system, DIAGONAL (3, one), &body[3]));
  GOOD (ldy_system_add_point_constraint (system, body[0], body[2], unit, origin, origin, &link));
  GOOD (ldy_system_add_dof_constraint (system, body[3], 1, 1, &limit));
  CHECK (ldy_system_body_count (system) == 4 && ldy_system_constraint_count (system) == 2);
  GOOD (ldy_system_bodies (system, ids, 4));
  for (int k = 0; k < 4; k ++) CHECK (ids[k] == body[k]);
  BAD (ldy_system_bodies (system, ids, 3), "3 values where 4 are needed");
  GOOD (ldy_system_constraints (system, ids, 2));
  CHECK (ids[0] == link && ids[1] == limit);

  static const int kinds[4] = { LDY_BODY_RIGID, LDY_BODY_PSEUDO_RIGID, LDY_BODY_OBSTACLE, LDY_BODY_GENERAL }, sizes[4] = { 6, 12, 6, 3 };
  for (int k = 0; k < 4; k ++) {
    GOOD (ldy_system_body (system, body[k], &kind, &n));
    CHECK (kind == kinds[k] && n == sizes[k]);
  }
  BAD (ldy_system_body (system, 9, &kind, NULL), "body 9: there is no such body");
  GOOD (ldy_system_constraint (system, link, ids, 4, &count, &m));
  CHECK (count == 2 && m == 3 && ids[0] == body[0] && ids[1] == body[2]);
  GOOD (ldy_system_constraint (system, limit, NULL, 0, &count, &m));
  CHECK (m == 1 && count >= 1);

  GOOD (ldy_system_compliance (system, link, read, 9));
  for (int k = 0; k < 9; k ++) CHECK (read[k] == 0);
  GOOD (ldy_system_set_regularization (system, (double []) { 0.5, 0.25 }, 2));
  GOOD (ldy_system_set_compliance (system, link, C, 9));
  GOOD (ldy_system_compliance (system, link, read, 9));
  CHECK_SAME_BITS (read, C, sizeof C);
  GOOD (ldy_system_set_compliance (system, limit, one, 1));
  GOOD (ldy_system_compliance (system, limit, read, 1));
  CHECK (read[0] == 1);
  BAD (ldy_system_compliance (system, limit, read, 9), "9 values where 1 are needed");
  GOOD (ldy_system_regularization (system, mu, 4));
  CHECK (mu[0] == 0.5 && mu[1] == 0.5 && mu[2] == 0.5 && mu[3] == 0.25);

  GOOD (ldy_system_set_velocity (system, body[0], LDY_VELOCITY_PREVIOUS, one, 6));
  GOOD (ldy_system_velocity (system, body[0], LDY_VELOCITY_FREE, read, 6));
  CHECK_SAME_BITS (read, free_velocity, sizeof free_velocity);
  GOOD (ldy_system_velocities (system, LDY_VELOCITY_PREVIOUS, &body[0], 8, read, 48, 6, 1));
  CHECK_SAME_BITS (read, one, sizeof one);
  BAD (ldy_system_velocity (system, body[0], 2, read, 6), "which is 2");

  GOOD (ldy_system_option (system, LDY_OPTION_ANY_AXES, &value));
  CHECK_INT (value, 0);
  GOOD (ldy_system_set_option (system, LDY_OPTION_ANY_AXES, 3));
  GOOD (ldy_system_option (system, LDY_OPTION_ANY_AXES, &value));
  CHECK_INT (value, 1);
  BAD (ldy_system_set_option (system, 9, 1), "option is 9");
  BAD (ldy_system_option (system, -1, &value), "option is -1");

  BAD (ldy_system_remove_bodies (system, body, 8, 4), "entry 0: body 0: constraint 0 acts on it");
  BAD (ldy_system_remove_bodies (system, (int64_t []) { body[1], body[1] }, 8, 2), "entry 1: body 1: an earlier entry has the same id");
  CHECK (ldy_system_body_count (system) == 4);
  GOOD (ldy_system_remove_bodies (system, &body[1], 8, 1));
  CHECK (ldy_system_body_count (system) == 3);
  GOOD (ldy_system_clear (system));
  CHECK (ldy_system_body_count (system) == 0 && ldy_system_constraint_count (system) == 0);
  GOOD (ldy_system_option (system, LDY_OPTION_ANY_AXES, &value));
  CHECK_INT (value, 1);
  GOOD (ldy_system_add_rigid (system, 2, unit, unit, origin, &body[0]));
  GOOD (ldy_system_add_dof_constraint (system, body[0], 5, 1, &limit));
  CHECK (body[0] == 4 && limit == 2);
  GOOD (ldy_system_update (system, 1));
  ldy_system_destroy (system);
}

/* Frames of single precision are refused unless an option takes them. */
static void axes (void)
{
  static const float s = 0.6f, c = 0.8f;
  double turned[9] = { c, s, 0, -s, c, 0, 0, 0, 1 }, exact[9] = { 0.8, 0.6, 0, -0.6, 0.8, 0, 0, 0, 1 }, read[9], normal[3] = { 3, -2, -6 };
  ldy_system *system;
  int64_t body;

  GOOD (ldy_system_create (&system));
  BAD (ldy_system_add_rigid (system, 1, unit, turned, origin, &body), "ORTHONORMALIZE accepts single precision");
  GOOD (ldy_system_set_option (system, LDY_OPTION_ORTHONORMALIZE, 1));
  GOOD (ldy_system_add_rigid (system, 1, unit, turned, origin, &body));
  GOOD (ldy_system_rotations (system, &body, 8, read, sizeof read, 1));
  for (int k = 0; k < 9; k ++) CHECK_NEAR (read[k], exact[k], 1e-7);
  CHECK_NEAR (read[0] * read[0] + read[1] * read[1], 1, 1e-15);
  /* Frames, in all calls that take them. */
  ldy_system *other;
  int64_t id, ids[3];
  double frames[3][9], points[3] = { 0 };
  uint64_t key = 5;
  GOOD (ldy_system_rotations (system, &body, 8, exact, sizeof exact, 1));
  GOOD (ldy_system_add_point_constraint (system, body, LDY_GROUND, turned, points, NULL, &ids[0]));
  GOOD (ldy_system_add_point_constraints (system, &body, NULL, 8, turned, 72, points, NULL, 24, 1, &ids[1]));
  GOOD (ldy_system_sync_constraints (system, &key, 8, &body, NULL, 8, turned, 72, points, NULL, 24, NULL, 0, &ids[2], 8, 1, NULL));
  for (int again = 0; again < 2; again ++) {
    GOOD (ldy_system_point_frames (system, ids, 8, frames[0], 72, NULL, NULL, 0, 3));
    for (int k = 0; k < 3; k ++) CHECK_SAME_BITS (frames[k], exact, sizeof exact);
    GOOD (ldy_system_move_constraint (system, ids[0], turned, points, NULL));
    GOOD (ldy_system_move_constraints (system, &ids[1], 8, NULL, NULL, 8, turned, 72, points, NULL, 24, 1));
    GOOD (ldy_system_sync_constraints (system, &key, 8, &body, NULL, 8, turned, 72, points, NULL, 24, NULL, 0, &ids[2], 8, 1, NULL));
  }
  GOOD (ldy_system_set_rotations (system, &body, 8, turned, 72, 1));
  GOOD (ldy_system_rotations (system, &body, 8, read, sizeof read, 1));
  CHECK_SAME_BITS (read, exact, sizeof exact);
  GOOD (ldy_system_create (&other));
  BAD (ldy_system_add_point_constraint (other, LDY_GROUND, LDY_GROUND, turned, points, points, &id), "both of its bodies are the ground");
  ldy_system_destroy (other);
  turned[0] = 0.7;
  BAD (ldy_system_set_rotation (system, body, turned), "its rotation is not orthonormal");
  ldy_system_destroy (system);

  for (int sign = -1; sign <= 1; sign += 2) {
    normal[2] = 6 * sign;
    GOOD (ldy_frame_from_normal (normal, read));
    for (int i = 0; i < 3; i ++) {
      CHECK_NEAR (read[6 + i], normal[i] / 7, 1e-15);
      for (int j = 0; j < 3; j ++)
        CHECK_NEAR (read[3 * i] * read[3 * j] + read[3 * i + 1] * read[3 * j + 1] + read[3 * i + 2] * read[3 * j + 2], i == j, 1e-15);
    }
  }
  BAD (ldy_frame_from_normal (origin, read), "the normal is zero or not finite");
  BAD (ldy_frame_from_normal ((double []) { 1, NAN, 0 }, read), "the normal is zero or not finite");
}

/* The data of a callback are released once: by removal, by another inertia, with the system, or if the call is refused. */
static void callbacks (void)
{
  int one = 1, sizes[2] = { 1, 2 };
  double inverse[4] = { 1, 0, 0, 1 };
  int64_t body, bodies[2];
  ldy_system *system;
  ldy_inertia given = { .size = sizeof given, .kind = LDY_INERTIA_FUNCTION, .n = 2, .apply_inverse = half, .data = &one, .release = release };

  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_add_body (system, &given, &body));
  CHECK_INT (released, 0);
  GOOD (ldy_system_remove_body (system, body));
  CHECK_INT (released, 1);
  GOOD (ldy_system_add_body (system, &given, &body));
  GOOD (ldy_system_set_inertia (system, body, DENSE (2, inverse)));
  CHECK_INT (released, 2);
  GOOD (ldy_system_set_inertia (system, body, &given));
  BAD (ldy_system_set_inertia (system, body + 9, &given), "there is no such body");
  CHECK_INT (released, 3);
  BAD (ldy_system_add_body (NULL, &given, &body), "system is NULL");
  CHECK_INT (released, 4);
  given.apply_inverse = NULL;
  BAD (ldy_system_add_body (system, &given, &body), "inertia->apply_inverse is NULL");
  CHECK_INT (released, 5);
  GOOD (ldy_system_add_model (system, sizes, 2, half, &one, release, bodies));
  GOOD (ldy_system_remove_body (system, bodies[0]));
  CHECK_INT (released, 5);
  GOOD (ldy_system_remove_body (system, bodies[1]));
  CHECK_INT (released, 6);
  BAD (ldy_system_add_model (system, sizes, 0, half, &one, release, bodies), "at least one body");
  CHECK_INT (released, 7);
  ldy_system_destroy (system);
  CHECK_INT (released, 8);
}

static void errors (void)
{
  ldy_error_info info = LDY_ERROR_INFO_INIT, small = { .size = offsetof (ldy_error_info, body), .body = -7 };
  int64_t body, ids[2] = { 0, 9 }, id;
  double velocities[12] = { 0 };
  ldy_rows rows = LDY_ROWS_INIT;
  ldy_system *system;

  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_add_rigid (system, 1, unit, unit, origin, &body));
  BAD (ldy_system_results (system, &rows), "no successful update");
  GOOD (ldy_last_error_info (&info));
  CHECK (info.code == LDY_ERROR_STALE_RESULTS && info.constraint == -1 && info.body == -1 && info.entry == -1 && info.row == -1);
  BAD (ldy_system_set_velocities (system, LDY_VELOCITY_FREE, ids, 8, velocities, 48, 6, 2), "entry 1: body 9: there is no such body");
  GOOD (ldy_last_error_info (&info));
  CHECK (info.code == LDY_ERROR_NOT_FOUND && info.body == 9 && info.entry == 1 && info.constraint == -1);
  ids[1] = -4;
  BAD (ldy_system_set_velocities (system, LDY_VELOCITY_FREE, ids, 8, velocities, 48, 6, 2), "entry 1: body -4: there is no such body");
  GOOD (ldy_last_error_info (&info));
  CHECK (info.code == LDY_ERROR_NOT_FOUND && info.entry == 1);
  BAD (ldy_system_remove_constraint (system, 7), "constraint 7: there is no such constraint");
  GOOD (ldy_last_error_info (&info));
  CHECK (info.code == LDY_ERROR_NOT_FOUND && info.constraint == 7 && info.body == -1 && info.entry == -1);
  BAD (ldy_system_add_point_constraint (system, body, 5, unit, origin, origin, &id), "there is no body 5");
  GOOD (ldy_last_error_info (&info));
  CHECK (info.code == LDY_ERROR_NOT_FOUND && info.constraint == -1 && info.body == 5);
  GOOD (ldy_last_error_info (&small));
  CHECK (small.constraint == -1 && small.body == -7);
  BAD (ldy_last_error_info (NULL), "info is NULL");
  CHECK (!strcmp (ldy_strerror (0), "Success") && !strcmp (ldy_strerror (LDY_ERROR_NOT_FOUND), "No such body or constraint"));
  CHECK (!strcmp (ldy_strerror (-77), "Unknown error"));
  CHECK_INT (ldy_version_number (), LDY_VERSION_NUMBER);
  CHECK (ldy_threads () >= 1);
  ldy_system_destroy (system);
}

static void bias (void)
{
  ldy_stabilization soft = LDY_STABILIZATION_INIT, small = { .size = offsetof (ldy_stabilization, slop), .erp = 0.25, .slop = NAN };
  double value = -7;

  soft.erp = 0.25, soft.slop = 0.5, soft.max_speed = 3, soft.restitution = 0.5, soft.bounce_speed = 1;
  GOOD (ldy_contact_bias (&soft, 0.25, -8, 0.125, &value));
  CHECK (value == 2);
  GOOD (ldy_contact_bias (&soft, -1.5, -3, 0.125, &value));
  CHECK (value == -2);
  GOOD (ldy_contact_bias (&small, -1.5, -3, 0.125, &value));
  CHECK (value == -3);
  BAD (ldy_contact_bias (&soft, NAN, 0, 1, &value), "gap, V_N or h is not finite");
  BAD (ldy_contact_bias (NULL, 0, 0, 1, &value), "stabilization is NULL");
  soft.size = 0;
  BAD (ldy_contact_bias (&soft, 0, 0, 1, &value), "stabilization->size is 0");
  CHECK (value == -3);
}

int main (void)
{
  check_context ("bias");
  bias ();
  check_context ("lists");
  lists ();
  check_context ("axes");
  axes ();
  check_context ("callbacks");
  callbacks ();
  check_context ("errors");
  errors ();
  return check_summary ("system_inventory");
}
