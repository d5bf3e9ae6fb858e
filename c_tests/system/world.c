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
  long long body, id;

  for (int j = 0; j < 3; j ++) {
    double k[3];
    cross (axis, unit + 3 * j, k);
    for (int i = 0; i < 3; i ++) rotation[3 * j + i] = (i == j) * c + s * k[i] + (1 - c) * axis[i] * axis[j];
  }
  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_add_rigid (system, 1, unit, rotation, center, &body));
  GOOD (ldy_system_referential_point (system, body, x, p, point));
  for (int i = 0; i < 3; i ++) {
    double place = x[i];
    for (int j = 0; j < 3; j ++) place += rotation[3 * j + i] * (point[j] - center[j]);
    CHECK_NEAR (place, p[i], 1e-14);
  }
  GOOD (ldy_system_referential_spin (system, body, omega, velocity));
  memcpy (velocity + 3, v, sizeof v);
  GOOD (ldy_system_set_velocity (system, body, velocity, 6));
  GOOD (ldy_system_add_constraint (system, body, LDY_GROUND, unit, point, NULL, &id));
  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_system_rows (system, &rows));
  for (int i = 0; i < 3; i ++) arm[i] = p[i] - x[i];
  cross (omega, arm, w);
  for (int i = 0; i < 3; i ++) CHECK_NEAR (rows.B[i], v[i] + w[i], 1e-14);
  GOOD (ldy_system_world_spin (system, body, velocity, velocity)); /* in place */
  for (int i = 0; i < 3; i ++) CHECK_NEAR (velocity[i], omega[i], 1e-15);

  memcpy (w, p, sizeof w);
  w[1] = NAN;
  memcpy (arm, point, sizeof arm);
  BAD (ldy_system_referential_point (system, body, x, w, point), "body 0: what is given is not finite");
  BAD (ldy_system_referential_point (system, 7, x, p, point), "body 7: there is none with this id");
  BAD (ldy_system_referential_point (system, body, NULL, p, point), "center is NULL");
  BAD (ldy_system_referential_point (system, body, x, p, NULL), "point is NULL");
  BAD (ldy_system_referential_spin (system, body, w, point), "body 0: what is given is not finite");
  BAD (ldy_system_world_spin (system, body, NULL, point), "referential is NULL");
  GOOD (ldy_system_add_pseudo_rigid (system, 1, unit, center, &id));
  BAD (ldy_system_world_spin (system, id, x, point), "body 1: it is not rigid and has no rotation");
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
  long long body, rigid, id;

  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_add_pseudo_rigid (system, 1, unit, center, &body));
  GOOD (ldy_system_add_rigid (system, 1, unit, unit, center, &rigid));
  for (int i = 0; i < 3; i ++) {
    p[i] = x[i];
    for (int j = 0; j < 3; j ++) p[i] += F[3 * j + i] * (X[j] - center[j]);
  }
  GOOD (ldy_system_pseudo_rigid_point (system, body, F, x, p, point));
  for (int i = 0; i < 3; i ++) CHECK_NEAR (point[i], X[i], 1e-14);
  GOOD (ldy_system_set_velocity (system, body, velocity, 12));
  GOOD (ldy_system_add_constraint (system, body, LDY_GROUND, unit, point, NULL, &id));
  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_system_rows (system, &rows));
  for (int i = 0; i < 3; i ++) {
    double moved = velocity[9 + i];
    for (int j = 0; j < 3; j ++) moved += velocity[3 * i + j] * (X[j] - center[j]);
    CHECK_NEAR (rows.B[i], moved, 1e-13);
  }
  memcpy (kept, point, sizeof kept);
  BAD (ldy_system_pseudo_rigid_point (system, body, singular, x, p, point), "body 0: its deformation gradient is singular");
  BAD (ldy_system_pseudo_rigid_point (system, body, nearly, x, p, point), "body 0: its deformation gradient is singular");
  BAD (ldy_system_pseudo_rigid_point (system, body, wrong, x, p, point), "body 0: its deformation gradient is not finite");
  BAD (ldy_system_pseudo_rigid_point (system, body, F, wrong, p, point), "body 0: what is given is not finite");
  BAD (ldy_system_pseudo_rigid_point (system, body, F, x, wrong, point), "body 0: what is given is not finite");
  BAD (ldy_system_pseudo_rigid_point (system, rigid, F, x, p, point), "body 1: it is not pseudo-rigid");
  BAD (ldy_system_pseudo_rigid_point (system, 7, F, x, p, point), "body 7: there is none with this id");
  BAD (ldy_system_pseudo_rigid_point (system, body, NULL, x, p, point), "gradient is NULL");
  BAD (ldy_system_pseudo_rigid_point (system, body, F, NULL, p, point), "center is NULL");
  BAD (ldy_system_pseudo_rigid_point (system, body, F, x, NULL, point), "place is NULL");
  BAD (ldy_system_pseudo_rigid_point (system, body, F, x, p, NULL), "point is NULL");
  BAD (ldy_system_pseudo_rigid_point (NULL, body, F, x, p, point), "system is NULL");
  CHECK_SAME_BITS (point, kept, sizeof kept);
  ldy_system_destroy (system);
}

/* Euler's equations by many small steps keep energy and the length of J spin; about a principal axis nothing changes. */
static void free_spin (void)
{
  static const double J[9] = { 2, 0.1, 0, 0.1, 3, 0.2, 0, 0.2, 1 }, diagonal[9] = { 1, 0, 0, 0, 2, 0, 0, 0, 3 };
  double spin[3] = { 1, 0.5, -0.7 }, change[3], first[2] = { 0 }, axis[3] = { 0, 4, 0 }, singular[9] = { 1 };
  double at_once[3] = { 1, 1, 1 };
  enum { STEPS = 100000 };

  for (int step = 0; step <= STEPS; step ++) {
    double l[3] = { 0 }, energy = 0, length = 0;
    for (int j = 0; j < 3; j ++) for (int i = 0; i < 3; i ++) l[i] += J[3 * j + i] * spin[j];
    for (int i = 0; i < 3; i ++) energy += l[i] * spin[i], length += l[i] * l[i];
    if (step == 0) first[0] = energy, first[1] = length;
    if (step == STEPS) CHECK_NEAR (energy, first[0], 1e-4), CHECK_NEAR (length, first[1], 1e-4);
    GOOD (ldy_system_gyroscopic_change (J, spin, 1e-5, change));
    for (int i = 0; i < 3; i ++) spin[i] += change[i];
  }
  CHECK (fabs (spin[0] - 1) > 0.05); /* it has turned */
  GOOD (ldy_system_gyroscopic_change (diagonal, axis, 1, change));
  for (int i = 0; i < 3; i ++) CHECK (change[i] == 0);
  GOOD (ldy_system_gyroscopic_change (diagonal, at_once, 1, at_once));
  /* (J2 - J3) / J1, (J3 - J1) / J2, (J1 - J2) / J3. */
  CHECK_NEAR (at_once[0], -1, 1e-15), CHECK_NEAR (at_once[1], 1, 1e-15), CHECK_NEAR (at_once[2], -1.0 / 3, 1e-15);
  BAD (ldy_system_gyroscopic_change (singular, axis, 1, change), "inertia, spin or h is not finite, or inertia singular");
  BAD (ldy_system_gyroscopic_change (diagonal, axis, NAN, change), "inertia, spin or h is not finite");
  BAD (ldy_system_gyroscopic_change (NULL, axis, 1, change), "inertia is NULL");
}

int main (void)
{
  velocities_of_places ();
  places_of_pseudo_rigid ();
  free_spin ();
  return check_summary ("system_world");
}
