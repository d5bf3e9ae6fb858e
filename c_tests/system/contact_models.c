/* Laws whose numbers change from step to step, or from phase to phase, against closed forms. */
#include <math.h>
#include <stddef.h>

#include "system/face.h"

#define STEP (1.0 / 64)

/* The normal, the third axis, along x. */
static const double along_x[9] = { 0, 1, 0, 0, 0, 1, 1, 0, 0 };

static void near (double found, double expected, double most)
{
  CHECK (fabs (found - expected) <= most);
}

/* Update, solve with these laws, and apply the forces. */
static void solve (ldy_system *system, double h, const ldy_law *laws, size_t count, double *R)
{
  ldy_contact_solver_options options = LDY_CONTACT_SOLVER_OPTIONS_INIT;
  ldy_contact_solver_report report = LDY_CONTACT_SOLVER_REPORT_INIT;
  ldy_contact_solver *solver;

  options.tolerance = 1e-13;
  for (size_t i = 0; i < 3 * count; i ++) R[i] = 0;
  GOOD (ldy_contact_solver_create (&solver));
  GOOD (ldy_system_update (system, h));
  GOOD (ldy_contact_solver_solve (solver, system, laws, count, &options, R, 3 * count, &report));
  CHECK_INT (report.status, LDY_STATUS_CONVERGED);
  GOOD (ldy_system_apply_reactions (system, R, 3 * count));
  ldy_contact_solver_destroy (solver);
}

static double speed (const ldy_system *system, int64_t body, int component)
{
  double velocity[6];

  GOOD (ldy_system_velocity (system, body, LDY_VELOCITY_FREE, velocity, 6));
  return velocity[component];
}

/* A mass 2 on the ground. */
static ldy_system *block (int64_t *body, int64_t *contact)
{
  ldy_system *system;

  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_add_rigid (system, 2, unit, unit, origin, body));
  GOOD (ldy_system_add_point_constraint (system, *body, LDY_GROUND, unit, origin, origin, contact));
  return system;
}

/* The velocity after a step with a pull along x, pressed on the ground with 16. */
static double pull (double velocity, double force, double friction)
{
  double free_velocity[6] = { 0, 0, 0, velocity + STEP * force / 2, 0, -STEP * 8 }, R[3];
  ldy_law law = { .kind = LDY_LAW_CONTACT, .friction = friction };
  int64_t body, contact;
  ldy_system *system = block (&body, &contact);

  GOOD (ldy_system_set_velocity (system, body, LDY_VELOCITY_FREE, free_velocity, 6));
  solve (system, STEP, &law, 1, R);
  velocity = speed (system, body, 3);
  ldy_system_destroy (system);
  return velocity;
}

static void static_and_kinetic_friction (void)
{
  /* The block sticks below 8, breaks away above it, and slides against 4 until it stops; then it has 8 again. */
  static const double steps[5][2] = { { 7, 0 }, { 9, 0.5 }, { 6, 1.5 }, { 0, 0 }, { 7, 0 } };
  ldy_friction_curve curve = LDY_FRICTION_CURVE_INIT;
  double velocity = 0, friction;

  curve.static_friction = 0.5, curve.kinetic_friction = 0.25, curve.stick_speed = 1e-9;
  for (int k = 0; k < 5; k ++) {
    GOOD (ldy_contact_friction (&curve, fabs (velocity), &friction));
    velocity = pull (velocity, steps[k][0], friction);
    near (velocity, STEP * steps[k][1], 1e-12);
  }
}

static void stribeck_friction (void)
{
  ldy_friction_curve curve = LDY_FRICTION_CURVE_INIT;
  ldy_friction_curve small = { .size = offsetof (ldy_friction_curve, stribeck_speed), .static_friction = 0.5, .stribeck_speed = NAN };
  double friction = -7, velocity = 0.5, low = 0, high = 10;

  curve.static_friction = 0.5, curve.kinetic_friction = 0.25, curve.stribeck_speed = 1, curve.viscous = 0.01;
  GOOD (ldy_contact_friction (&curve, 0, &friction));
  CHECK (friction == 0.5);
  GOOD (ldy_contact_friction (&curve, 1, &friction));
  near (friction, 0.26 + 0.25 * exp (-1), 1e-15);
  GOOD (ldy_contact_friction (&small, 1, &friction));
  CHECK (friction == 0);
  for (int k = 0; k < 20; k ++) {
    GOOD (ldy_contact_friction (&curve, velocity, &friction));
    velocity = pull (0.5, 10, friction);
  }
  for (int k = 0; k < 100; k ++) {
    double v = 0.5 * (low + high), mu = 0.25 + 0.25 * exp (-v * v) + 0.01 * v;
    if (v < 0.5 + STEP * (10 - 16 * mu) / 2) low = v;
    else high = v;
  }
  near (velocity, low, 1e-12);
  BAD (ldy_contact_friction (&curve, -1, &friction), "the slip or a parameter of the friction curve is negative");
  BAD (ldy_contact_friction (NULL, 0, &friction), "curve is NULL");
  BAD (ldy_contact_friction (&curve, 0, NULL), "friction is NULL");
  curve.size = 8;
  BAD (ldy_contact_friction (&curve, 0, &friction), "curve->size is 8");
}

/* The speed after an impact with speed 1 of a mass 2. */
static double bounce (const ldy_hunt_crossley *model, double h)
{
  double gap = 0, velocity = -1, soft[3] = { 0 }, R[3];
  ldy_law law = { .kind = LDY_LAW_CONTACT };
  int64_t body, contact;
  ldy_system *system = block (&body, &contact);

  while (gap <= 0) {
    GOOD (ldy_contact_compliance (model, gap, velocity, h, &soft[2], &law.bias[2]));
    GOOD (ldy_system_set_compliance (system, contact, soft, 3));
    GOOD (ldy_system_set_velocity (system, body, LDY_VELOCITY_FREE, (double[6]) { 0, 0, 0, 0, 0, velocity }, 6));
    solve (system, h, &law, 1, R);
    velocity = speed (system, body, 5);
    gap += h * velocity;
  }
  ldy_system_destroy (system);
  return velocity;
}

static void hunt_crossley_contact (void)
{
  ldy_hunt_crossley model = LDY_HUNT_CROSSLEY_INIT;
  double compliance = -7, bias = -7, a = 0.3, energy = 1 / a - log (1 + a) / (a * a), low = 0, high = 1;

  model.stiffness = 8192, model.exponent = 1.5, model.damping = 0.2, model.least_penetration = 1e-9;
  GOOD (ldy_contact_compliance (&model, -STEP, 0, STEP, &compliance, &bias));
  near (-bias / compliance, 16, 1e-12);
  near (1 / compliance, 4.8 + 24, 1e-11);
  /* With a = 3/2 c, the integral of motion is v / a - ln (1 + a v) / a^2 for approach with v and departure with -v. */
  for (int k = 0; k < 100; k ++) {
    double v = 0.5 * (low + high);
    if (-v / a - log (1 - a * v) / (a * a) < energy) low = v;
    else high = v;
  }
  model.stiffness = 1e4;
  near (2 * bounce (&model, 5e-4) - bounce (&model, 1e-3), low, 2e-3);
  BAD (ldy_contact_compliance (&model, NAN, 0, 1, &compliance, &bias), "gap, V_N or h is not finite");
  BAD (ldy_contact_compliance (NULL, 0, 0, 1, &compliance, &bias), "model is NULL");
  BAD (ldy_contact_compliance (&model, 0, 0, 1, NULL, &bias), "compliance is NULL");
  BAD (ldy_contact_compliance (&model, 0, 0, 1, &compliance, NULL), "bias is NULL");
  model.size = 8;
  BAD (ldy_contact_compliance (&model, 0, 0, 1, &compliance, &bias), "model->size is 8");
}

/* Compression, then expansion with at least e times the forces of the compression. */
static void impact (ldy_system *system, double friction, const double *e, size_t count)
{
  ldy_law laws[2] = { { .kind = LDY_LAW_CONTACT, .friction = friction }, { .kind = LDY_LAW_CONTACT, .friction = friction } };
  double R[6];

  solve (system, 1, laws, count, R);
  for (size_t k = 0; k < count; k ++) laws[k].kind = LDY_LAW_EXPANSION, laws[k].lower[0] = e[k] * R[3 * k + 2];
  solve (system, 1, laws, count, R);
}

static void poisson_restitution (void)
{
  static const double expected[3] = { -1.0 / 3, 2.0 / 3, 2.0 / 3 }, half = 0.5;
  double velocity[6] = { 0, 0, 0, 1, 0, 0 }, oblique[6] = { 0, 0, 0, 3, 0, -4 };
  int64_t ball[3], contact;
  ldy_law law = { .kind = LDY_LAW_EXPANSION, .friction = 0.5, .lower = { 0.25 } }, told;
  ldy_system *system;

  /* A ball strikes two in a row. With e = 0 in the second contact, the bound of its force does not hold it back. */
  for (int second = 0; second < 2; second ++) {
    GOOD (ldy_system_create (&system));
    for (int k = 0; k < 3; k ++) GOOD (ldy_system_add_rigid (system, 1, unit, unit, origin, &ball[k]));
    for (int k = 0; k < 2; k ++)
      GOOD (ldy_system_add_point_constraint (system, ball[k + 1], ball[k], along_x, origin, origin, &contact));
    GOOD (ldy_system_set_velocity (system, ball[0], LDY_VELOCITY_FREE, velocity, 6));
    impact (system, 0, (double[2]) { 1, second }, 2);
    for (int k = 0; k < 3; k ++) near (speed (system, ball[k], 3), expected[k], 1e-11);
    ldy_system_destroy (system);
  }
  /* Friction acts in both phases: v_T - mu (1 + e) v_N. */
  system = block (ball, &contact);
  GOOD (ldy_system_set_velocity (system, ball[0], LDY_VELOCITY_FREE, oblique, 6));
  impact (system, 0.25, &half, 1);
  near (speed (system, ball[0], 3), 3 - 0.25 * 1.5 * 4, 1e-11);
  near (speed (system, ball[0], 5), 2, 1e-11);
  GOOD (ldy_system_set_law (system, contact, &law));
  GOOD (ldy_system_law (system, contact, &told));
  CHECK (told.kind == LDY_LAW_EXPANSION && told.friction == 0.5 && told.lower[0] == 0.25);
  law.lower[0] = -1;
  BAD (ldy_system_set_law (system, contact, &law), "its least normal force is negative or not finite");
  ldy_system_destroy (system);
}

int main (void)
{
  check_context ("static_and_kinetic_friction");
  static_and_kinetic_friction ();
  check_context ("stribeck_friction");
  stribeck_friction ();
  check_context ("hunt_crossley_contact");
  hunt_crossley_contact ();
  check_context ("poisson_restitution");
  poisson_restitution ();
  return check_summary ("system_contact_models");
}
