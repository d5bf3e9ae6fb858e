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
  GOOD (ldy_system_body_point (system, body, x, p, point));
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
  BAD (ldy_system_body_point (system, body, x, w, point), "body 0: place is not finite");
  BAD (ldy_system_body_point (system, 7, x, p, point), "body 7: there is no such body");
  BAD (ldy_system_body_point (system, body, NULL, p, point), "center is NULL");
  BAD (ldy_system_body_point (system, body, x, p, NULL), "point is NULL");
  BAD (ldy_system_body_angular_velocity (system, body, w, point), "body 0: the angular velocity is not finite");
  BAD (ldy_system_world_angular_velocity (system, body, NULL, point), "referential is NULL");
  GOOD (ldy_system_add_pseudo_rigid (system, 1, unit, center, &id));
  BAD (ldy_system_world_angular_velocity (system, id, x, point), "body 1: it is not rigid and has no rotation");
  CHECK_SAME_BITS (arm, point, sizeof arm);
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
  places_of_pseudo_rigid ();
  free_spin ();
  return check_summary ("system_world");
}
