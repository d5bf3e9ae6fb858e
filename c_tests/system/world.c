/* Points and velocities in world coordinates through ldy_system.h: velocities of material points and of places, and a body
   that turns freely. */
#include <math.h>
#include <string.h>

#include "system/face.h"

static void cross (const double *a, const double *b, double *c)
{
  for (int i = 0; i < 3; i ++) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* The velocity of the place p in the world is v + omega x (p - x); B of a constraint there says the same. */
static void velocities_of_places (void)
{
  double axis[3] = { 2.0 / 3, 1.0 / 3, -2.0 / 3 }, c = cos (0.8), s = sin (0.8), rotation[9], center[3] = { 0.3, -0.2, 0.9 };
  double x[3] = { 5, 6, 7 }, p[3] = { 5.5, 4.5, 7.25 }, omega[3] = { 1, -2, 0.5 }, v[3] = { 3, 2, 1 }, velocity[6], point[3],
    arm[3], w[3];
  ldy_system *system = NULL;
  ldy_rows rows = { .size = sizeof rows };
  int64_t body, id;

  for (int j = 0; j < 3; j ++) {
    double k[3];
    cross (axis, unit + 3 * j, k);
    for (int i = 0; i < 3; i ++) rotation[3 * j + i] = (i == j) * c + s * k[i] + (1 - c) * axis[i] * axis[j];
  }
  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_add_rigid (system, 1, unit, rotation, center, &body));
  BAD (ldy_system_body_point (system, body, p, point), "body 0: its position in the world is not known");
  GOOD (ldy_system_set_positions (system, &body, 0, x, 0, 1));
  GOOD (ldy_system_body_point (system, body, p, point));
  for (int i = 0; i < 3; i ++) {
    double place = x[i];
    for (int j = 0; j < 3; j ++) place += rotation[3 * j + i] * (point[j] - center[j]);
    CHECK_NEAR (place, p[i], 1e-14);
  }
  GOOD (ldy_system_body_angular_velocity (system, body, omega, velocity));
  memcpy (velocity + 3, v, sizeof v);
  GOOD (ldy_system_set_velocity (system, body, LDY_VELOCITY_FREE, velocity, 6));
  GOOD (ldy_system_add_point_constraint (system, body, LDY_GROUND, unit, point, NULL, &id));
  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_system_results (system, &rows));
  for (int i = 0; i < 3; i ++) arm[i] = p[i] - x[i];
  cross (omega, arm, w);
  for (int i = 0; i < 3; i ++) CHECK_NEAR (rows.B[i], v[i] + w[i], 1e-14);
  GOOD (ldy_system_world_angular_velocity (system, body, velocity, velocity)); /* in place */
  for (int i = 0; i < 3; i ++) CHECK_NEAR (velocity[i], omega[i], 1e-15);

  memcpy (w, p, sizeof w);
  w[1] = NAN;
  memcpy (arm, point, sizeof arm);
  BAD (ldy_system_body_point (system, body, w, point), "body 0: place is not finite");
  BAD (ldy_system_body_point (system, 7, p, point), "body 7: there is no such body");
  BAD (ldy_system_body_point (system, body, NULL, point), "place is NULL");
  BAD (ldy_system_body_point (system, body, p, NULL), "point is NULL");
  BAD (ldy_system_body_angular_velocity (system, body, w, point), "body 0: the angular velocity is not finite");
  BAD (ldy_system_world_angular_velocity (system, body, NULL, point), "referential is NULL");
  GOOD (ldy_system_add_pseudo_rigid (system, 1, unit, center, &id));
  BAD (ldy_system_world_angular_velocity (system, id, x, point), "body 1: it is not rigid and has no rotation");
  CHECK_SAME_BITS (arm, point, sizeof arm);
  ldy_system_destroy (system);
}

/* Contacts of bodies that are turned, from places and normals in the world: V of each is the difference of the velocities that the bodies
   have there. Calls for many do what calls for one do; a bad entry writes nothing. */
static void contacts_in_the_world (void)
{
  enum { BODIES = 3, CONTACTS = 4 };
  struct { int64_t master, slave; double normal[3], place[3], frame[9], points[2][3]; } contact[CONTACTS] = {
    { .master = 0, .slave = 1, .normal = { 0, 0, 2 }, .place = { 1, 2, 3 } },
    { .master = 1, .slave = 2, .normal = { 1, -1, 0 }, .place = { -1, 0.5, 2 } },
    { .master = LDY_GROUND, .slave = 0, .normal = { 0.1, 0.2, -0.3 } },
    { .master = 2, .slave = LDY_GROUND, .normal = { -1, 0, 0 }, .place = { 3, 1, -2 } } };
  static const double turns[BODIES][9] = { { 0, 1, 0, -1, 0, 0, 0, 0, 1 }, { 0, 0, -1, 0, 1, 0, 1, 0, 0 }, { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
  double centers[BODIES][3] = { { 1, 0, 0 }, { 0, 2, 0 }, { 0, 0, -1 } }, x[BODIES][3] = { { 4, 5, 6 }, { -1, 0, 1 }, { 2, 2, 2 } };
  double omega[BODIES][3] = { { 1, 2, 3 }, { -2, 0, 1 }, { 0.5, 0.25, -1 } }, u[BODIES][6] = { { 0, 0, 0, 1, 2, 3 }, { 0, 0, 0, -1, 1, 2 } };
  double spin[3], back[BODIES][3], points[BODIES][3], one[9], frames[9 * CONTACTS], kept[9 * CONTACTS], read[BODIES][3], forces[BODIES][6];
  double R[3 * CONTACTS] = { 1, 2, 3, -1, 0, 1, 2, 2, 2, 0, 0, 1 }, force[6], v[2][3], arm[3], change[BODIES][3], turned[BODIES][9];
  size_t s = sizeof *contact;
  ldy_rows rows = LDY_ROWS_INIT;
  ldy_system *system = NULL;
  int64_t ids[BODIES], first;

  GOOD (ldy_system_create (&system));
  for (int k = 0; k < BODIES; k ++) GOOD (ldy_system_add_rigid (system, 1, unit, turns[k], centers[k], &ids[k]));
  GOOD (ldy_system_set_positions (system, ids, sizeof *ids, x[0], sizeof *x, BODIES));
  GOOD (ldy_system_positions (system, ids, sizeof *ids, read[0], sizeof *read, BODIES));
  CHECK_SAME_BITS (read, x, sizeof x);
  GOOD (ldy_system_body_angular_velocities (system, ids, sizeof *ids, omega[0], sizeof *omega, u[0], sizeof *u, BODIES));
  for (int k = 0; k < BODIES; k ++) {
    GOOD (ldy_system_body_angular_velocity (system, ids[k], omega[k], spin));
    CHECK_SAME_BITS (spin, u[k], sizeof spin);
  }
  GOOD (ldy_system_world_angular_velocities (system, ids, sizeof *ids, u[0], sizeof *u, back[0], sizeof *back, BODIES));
  for (int k = 0; k < BODIES; k ++) for (int i = 0; i < 3; i ++) CHECK_NEAR (back[k][i], omega[k][i], 1e-15);
  GOOD (ldy_system_body_points (system, ids, sizeof *ids, contact[0].place, s, points[0], sizeof *points, BODIES));
  for (int k = 0; k < BODIES; k ++) {
    GOOD (ldy_system_body_point (system, ids[k], contact[k].place, spin));
    CHECK_SAME_BITS (spin, points[k], sizeof spin);
  }

  GOOD (ldy_system_contact_frames (system, &contact->master, &contact->slave, s, contact->normal, s, contact->place, s, contact->frame, s,
    contact->points[0], contact->points[1], s, CONTACTS));
  GOOD (ldy_system_set_velocities (system, LDY_VELOCITY_FREE, ids, sizeof *ids, u[0], sizeof *u, 6, BODIES));
  GOOD (ldy_system_add_point_constraints (system, &contact->master, &contact->slave, s, contact->frame, s, contact->points[0],
    contact->points[1], s, CONTACTS, &first));
  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_system_results (system, &rows));
  for (int k = 0; k < CONTACTS; k ++) {
    GOOD (ldy_frame_from_normal (contact[k].normal, one));
    CHECK_SAME_BITS (one, contact[k].frame, sizeof one);
    for (int side = 0; side < 2; side ++) {
      int64_t body = side ? contact[k].slave : contact[k].master;
      for (int i = 0; i < 3; i ++) v[side][i] = 0, arm[i] = body < 0 ? 0 : contact[k].place[i] - x[body][i];
      if (body < 0) continue;
      cross (omega[body], arm, v[side]);
      for (int i = 0; i < 3; i ++) v[side][i] += u[body][3 + i];
    }
    for (int j = 0; j < 3; j ++) {
      double expected = 0;
      for (int i = 0; i < 3; i ++) expected += one[3 * j + i] * (v[0][i] - v[1][i]);
      CHECK_NEAR (rows.B[3 * k + j], expected, 1e-13);
    }
  }
  GOOD (ldy_system_constraint_forces (system, ids, sizeof *ids, R, 3 * CONTACTS, forces[0], sizeof *forces, 6, BODIES));
  for (int k = 0; k < BODIES; k ++) {
    GOOD (ldy_system_constraint_force (system, ids[k], R, 3 * CONTACTS, force, 6));
    CHECK_SAME_BITS (force, forces[k], sizeof force);
  }
  BAD (ldy_system_constraint_forces (system, ids, sizeof *ids, R, 3 * CONTACTS, forces[0], sizeof *forces, 5, BODIES), "5 values");
  BAD (ldy_system_constraint_forces (system, ids, sizeof *ids, R, 4, forces[0], sizeof *forces, 6, BODIES), "4 values");

  GOOD (ldy_gyroscopic_changes (turns[2], 0, u[0], sizeof *u, 0.1, change[0], sizeof *change, BODIES));
  GOOD (ldy_advance_rotations (turns[0], sizeof *turns, u[0], change[0], sizeof *u, 0.1, turned[0], sizeof *turned, 1));
  GOOD (ldy_advance_rotation (turns[0], u[0], change[0], 0.1, one));
  CHECK_SAME_BITS (one, turned[0], sizeof one);
  for (int k = 0; k < BODIES; k ++) {
    GOOD (ldy_gyroscopic_change (turns[2], u[k], 0.1, spin));
    CHECK_SAME_BITS (spin, change[k], sizeof spin);
  }
  memcpy (spin, change[0], sizeof spin);
  u[1][0] = NAN;
  BAD (ldy_gyroscopic_changes (turns[2], 0, u[0], sizeof *u, 0.1, change[0], sizeof *change, BODIES), "entry 1: inertia, spin or h");
  BAD (ldy_advance_rotations (turns[0], sizeof *turns, u[0], u[0], sizeof *u, 0.1, turned[0], sizeof *turned, 2), "entry 1: rotation, spins");
  CHECK_SAME_BITS (spin, change[0], sizeof spin);

  /* All or none. */
  memset (kept, 7, sizeof kept), memset (frames, 7, sizeof frames);
#define FRAMES ldy_system_contact_frames (system, &contact->master, &contact->slave, s, contact->normal, s, contact->place, s, frames, \
    9 * sizeof (double), points[0], back[0], 3 * sizeof (double), 3)
  contact[2].normal[0] = contact[2].normal[1] = contact[2].normal[2] = 0;
  BAD (FRAMES, "entry 2: system: the normal is zero or not finite");
  contact[2].normal[2] = 1, contact[2].place[1] = NAN;
  BAD (FRAMES, "entry 2: system: the place of the contact is not finite");
  contact[2].place[1] = 0, contact[1].slave = 9;
  CHECK (FRAMES == LDY_ERROR_NOT_FOUND);
  contact[1].slave = -2;
  CHECK (FRAMES == LDY_ERROR_NOT_FOUND);
  CHECK_SAME_BITS (frames, kept, sizeof kept);
  x[2][1] = INFINITY;
  BAD (ldy_system_set_positions (system, ids, sizeof *ids, x[0], sizeof *x, BODIES), "entry 2: body 2: its position is not finite");
  GOOD (ldy_system_positions (system, ids, sizeof *ids, back[0], sizeof *back, BODIES));
  CHECK_SAME_BITS (back, read, sizeof read);
  GOOD (ldy_system_add_rigid (system, 1, unit, unit, centers[0], &ids[1]));
  BAD (ldy_system_positions (system, ids, sizeof *ids, read[0], sizeof *read, BODIES), "entry 1: body 3: its position in the world");
  BAD (ldy_system_positions (system, ids, sizeof *ids, NULL, sizeof *read, BODIES), "positions is NULL");
  GOOD (ldy_system_add_pseudo_rigid (system, 1, unit, centers[0], &ids[1]));
  BAD (ldy_system_set_positions (system, ids, sizeof *ids, read[0], sizeof *read, 2), "entry 1: body 4: it is not rigid");
  ldy_system_destroy (system);
}

/* The place x + F (X - C) of a point X leads back to X; B of a constraint there is the velocity of the place, v + dF (X - C). */
static void places_of_pseudo_rigid (void)
{
  /* 2 0.3 0 / -0.1 0.5 0.2 / 0 0.4 1.5, by columns. */
  double F[9] = { 2, -0.1, 0, 0.3, 0.5, 0.4, 0, 0.2, 1.5 }, center[3] = { 0.3, -0.2, 0.9 }, x[3] = { 5, 6, 7 };
  double X[3] = { 1.5, 0.25, -2 }, p[3], point[3], velocity[12] = { 1, 2, 3, -1, 0.5, 2, 0, 1, -2, 3, 2, 1 }, kept[3];
  double singular[9] = { 1, 2, 3, 2, 4, 6, 0, 0, 1 }, nearly[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1e-16 }, wrong[9] = { NAN };
  ldy_system *system = NULL;
  ldy_rows rows = { .size = sizeof rows };
  int64_t body, rigid, id;

  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_add_pseudo_rigid (system, 1, unit, center, &body));
  GOOD (ldy_system_add_rigid (system, 1, unit, unit, center, &rigid));
  for (int i = 0; i < 3; i ++) {
    p[i] = x[i];
    for (int j = 0; j < 3; j ++) p[i] += F[3 * j + i] * (X[j] - center[j]);
  }
  GOOD (ldy_system_pseudo_rigid_point (system, body, F, x, p, point));
  for (int i = 0; i < 3; i ++) CHECK_NEAR (point[i], X[i], 1e-14);
  GOOD (ldy_system_set_velocity (system, body, LDY_VELOCITY_FREE, velocity, 12));
  GOOD (ldy_system_add_point_constraint (system, body, LDY_GROUND, unit, point, NULL, &id));
  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_system_results (system, &rows));
  for (int i = 0; i < 3; i ++) {
    double moved = velocity[9 + i];
    for (int j = 0; j < 3; j ++) moved += velocity[3 * i + j] * (X[j] - center[j]);
    CHECK_NEAR (rows.B[i], moved, 1e-13);
  }
  memcpy (kept, point, sizeof kept);
  BAD (ldy_system_pseudo_rigid_point (system, body, singular, x, p, point), "body 0: its deformation gradient is singular");
  BAD (ldy_system_pseudo_rigid_point (system, body, nearly, x, p, point), "body 0: its deformation gradient is singular");
  BAD (ldy_system_pseudo_rigid_point (system, body, wrong, x, p, point), "body 0: its deformation gradient is not finite");
  BAD (ldy_system_pseudo_rigid_point (system, body, F, wrong, p, point), "body 0: center is not finite");
  BAD (ldy_system_pseudo_rigid_point (system, body, F, x, wrong, point), "body 0: place is not finite");
  BAD (ldy_system_pseudo_rigid_point (system, rigid, F, x, p, point), "body 1: it is not pseudo-rigid");
  BAD (ldy_system_pseudo_rigid_point (system, 7, F, x, p, point), "body 7: there is no such body");
  BAD (ldy_system_pseudo_rigid_point (system, body, NULL, x, p, point), "gradient is NULL");
  BAD (ldy_system_pseudo_rigid_point (system, body, F, NULL, p, point), "center is NULL");
  BAD (ldy_system_pseudo_rigid_point (system, body, F, x, NULL, point), "place is NULL");
  BAD (ldy_system_pseudo_rigid_point (system, body, F, x, p, NULL), "point is NULL");
  BAD (ldy_system_pseudo_rigid_point (NULL, body, F, x, p, point), "system is NULL");
  CHECK_SAME_BITS (point, kept, sizeof kept);
  ldy_system_destroy (system);
}

static double energy_of (const double J[9], const double spin[3], double L[3])
{
  double energy = 0;

  for (int i = 0; i < 3; i ++) {
    L[i] = 0;
    for (int j = 0; j < 3; j ++) L[i] += J[3 * j + i] * spin[j];
    energy += L[i] * spin[i];
  }
  return energy;
}

/* A body that tumbles with 50 rad/s for ten seconds in steps of 0.01 keeps its energy and its angular momentum in the world; about a
   principal axis nothing changes. */
static void free_spin (void)
{
  static const double J[9] = { 2, 0.1, 0, 0.1, 3, 0.2, 0, 0.2, 1 }, diagonal[9] = { 1, 0, 0, 0, 2, 0, 0, 0, 3 };
  double spin[3] = { 50, 1, 0.5 }, change[3], L[3], first[3], axis[3] = { 0, 4, 0 }, singular[9] = { 1 };
  double small[3] = { 1e-6, 1e-6, 1e-6 }, turned[9], after[3], energy = energy_of (J, spin, first), least = 50;

  memcpy (turned, unit, sizeof unit);
  for (int step = 0; step < 1000; step ++) {
    GOOD (ldy_gyroscopic_change (J, spin, 0.01, change));
    for (int i = 0; i < 3; i ++) after[i] = spin[i] + change[i];
    GOOD (ldy_advance_rotation (turned, spin, after, 0.01, turned));
    memcpy (spin, after, sizeof spin);
    CHECK_NEAR (energy_of (J, spin, L), energy, 1e-9 * energy);
    if (spin[0] < least) least = spin[0];
  }
  CHECK (least < 0); /* it has tumbled */
  for (int i = 0; i < 3; i ++) {
    double world = 0;
    for (int j = 0; j < 3; j ++) world += turned[3 * j + i] * L[j];
    CHECK_NEAR (world, first[i], 1e-8);
  }
  GOOD (ldy_gyroscopic_change (diagonal, axis, 1, change));
  for (int i = 0; i < 3; i ++) CHECK (change[i] == 0);
  GOOD (ldy_gyroscopic_change (diagonal, small, 1, small));
  /* 1e-12 (J2 - J3) / J1, (J3 - J1) / J2, (J1 - J2) / J3. */
  CHECK_NEAR (small[0], -1e-12, 1e-17), CHECK_NEAR (small[1], 1e-12, 1e-17), CHECK_NEAR (small[2], -1e-12 / 3, 1e-17);
  BAD (ldy_gyroscopic_change (singular, axis, 1, change), "inertia, spin or h is not finite or too large, or inertia singular");
  BAD (ldy_gyroscopic_change (diagonal, axis, NAN, change), "inertia, spin or h is not finite");
  BAD (ldy_gyroscopic_change (diagonal, axis, 1e6, change), "inertia, spin or h is not finite or too large");
  BAD (ldy_gyroscopic_change (NULL, axis, 1, change), "inertia is NULL");
  memcpy (turned, unit, sizeof unit);
  BAD (ldy_advance_rotation (turned, axis, spin, NAN, turned), "rotation, spins or h are not finite");
  BAD (ldy_advance_rotation (NULL, axis, spin, 1, turned), "rotation is NULL");
  BAD (ldy_advance_rotation (turned, NULL, spin, 1, turned), "before is NULL");
  BAD (ldy_advance_rotation (turned, axis, NULL, 1, turned), "after is NULL");
  BAD (ldy_advance_rotation (turned, axis, spin, 1, NULL), "turned is NULL");
  CHECK_SAME_BITS (turned, unit, sizeof unit);
}

int main (void)
{
  velocities_of_places ();
  contacts_in_the_world ();
  places_of_pseudo_rigid ();
  free_spin ();
  return check_summary ("system_world");
}
