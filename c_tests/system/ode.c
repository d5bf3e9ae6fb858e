/* ODE as a host of the library, examples/ode: a stack that stands, a chain that moves as with ODE's own exact step, a pile. */
#include <math.h>

#include "examples/ode/host.h"
#include "examples/ode/scenes.h"
#include "support/check.h"

#define GOOD(...) CHECK_INT ((__VA_ARGS__), 0)

static void take_over (ode_host *host, const ode_scene *scene)
{
  GOOD (ode_host_create (host, scene->world, scene->space, scene->body, scene->bodies, scene->joint, scene->joints));
  host->friction = 0.5;
  host->options.tolerance = 1e-6;
}

static void walk (ode_host *host, int steps)
{
  while (steps -- > 0 && GOOD (ode_host_step (host, 0.005))) CHECK_INT (host->report.status, LDY_STATUS_CONVERGED);
}

/* Bodies sink by the surface layer of each contact below them at most: how much depends on rounding, since they begin where they touch.
   Contacts bear what is above them. */
static void stack (void)
{
  enum { COUNT = 5 };
  double weight = 0;
  ode_scene scene;
  ode_host host;

  scene_stack (&scene, COUNT, 500);
  take_over (&host, &scene);
  walk (&host, 200);
  for (int i = 0; i < COUNT; i ++) {
    const double *place = dBodyGetPosition (scene.body[i]);
    CHECK_NEAR (place[2], 0.5 * (i + 0.5) - 0.55e-4 * (i + 1), 0.55e-4 * (i + 1));
    CHECK (hypot (place[0], place[1]) < 1e-3);
  }
  CHECK (scene_speed (&scene) < 1e-4);
  for (size_t k = 0; k < host.touches; k ++) weight += host.R[3 * k + 2];
  /* Contact i is below COUNT - i bodies. */
  CHECK_NEAR (weight, 9.81 * (4 * 500 + (1 + 2 + 3 + 4) * 125 + 500), 1e-3 * weight);
  ode_host_destroy (&host);
  scene_end (&scene);
}

/* Ball joints and hinges have the same equations in both programs, with the same error reduction. */
static void chain (void)
{
  ode_scene scene, other;
  ode_host host;
  double farthest = 0;

  scene_chain (&scene, 8, 0);
  scene_chain (&other, 8, 0);
  take_over (&host, &scene);
  host.options.tolerance = 1e-10;
  for (int k = 0; k < 120; k ++) {
    walk (&host, 1);
    scene_step_ode (&other, 0, 0.5, 0.005);
  }
  CHECK_NEAR (scene_joint_error (&scene), scene_joint_error (&other), 1e-4);
  CHECK_NEAR (scene_joint_error (&scene), 0, 1e-3);
  for (size_t i = 0; i < scene.bodies; i ++) {
    const double *a = dBodyGetPosition (scene.body[i]), *b = dBodyGetPosition (other.body[i]);
    for (int k = 0; k < 3; k ++) farthest = fmax (farthest, fabs (a[k] - b[k]));
  }
  CHECK_NEAR (farthest, 0, 1e-3);
  CHECK (dBodyGetPosition (scene.body[7])[2] < 1.2 * 0.4 * 8 - 1);
  ode_host_destroy (&host);
  scene_end (&scene);
  scene_end (&other);
}

/* Bodies stay between the walls. */
static void pile (void)
{
  ode_scene scene;
  ode_host host;

  scene_pile (&scene, 50);
  take_over (&host, &scene);
  GOOD (ldy_contact_solver_options_real_time (&host.options));
  for (int k = 0; k < 160; k ++) GOOD (ode_host_step (&host, 0.005));
  CHECK (host.touches > 60);
  CHECK (host.deepest < 0.03);
  for (size_t i = 0; i < scene.bodies; i ++) {
    const double *place = dBodyGetPosition (scene.body[i]);
    CHECK_NEAR (place[0], 0, 2.01); CHECK_NEAR (place[1], 0, 2.01); CHECK_NEAR (place[2], 0.8, 0.74);
  }
  ode_host_destroy (&host);
  scene_end (&scene);
}

/* The angular momentum in the world. */
static void momentum (dBodyID body, double *L)
{
  const double *w = dBodyGetAngularVel (body);
  dVector3 own, turned;
  dMass mass;

  dBodyGetMass (body, &mass);
  dBodyVectorFromWorld (body, w[0], w[1], w[2], own);
  dBodyVectorToWorld (body, mass.I[0] * own[0], mass.I[5] * own[1], mass.I[10] * own[2], turned);
  for (int i = 0; i < 3; i ++) L[i] = turned[i];
}

/* A body in the air: a torque and a force act for a step, and the rest of the way it tumbles. */
static void forces (void)
{
  ode_scene scene;
  ode_host host;
  dBodyID body;
  double torque[3] = { 30, 20, -40 }, before[3], after[3];
  dMatrix3 turned;
  dMass mass;

  scene_pile (&scene, 1);
  body = scene.body[0];
  dRFromAxisAndAngle (turned, 1, 2, 3, 1);
  dBodySetRotation (body, turned), dBodySetPosition (body, 0, 0, 5);
  dMassSetBoxTotal (&mass, 10, 0.6, 0.3, 0.1);
  dBodySetMass (body, &mass);
  take_over (&host, &scene);
  dBodyAddTorque (body, torque[0], torque[1], torque[2]), dBodyAddForce (body, 2, 0, 10 * 9.81);
  walk (&host, 1);
  momentum (body, before);
  for (int i = 0; i < 3; i ++) CHECK_NEAR (before[i], 0.005 * torque[i], 2e-3);
  walk (&host, 99);
  momentum (body, after);
  /* ODE turns the body by the spin at the end of a step: errors are of the order of the step. */
  for (int i = 0; i < 3; i ++) CHECK_NEAR (after[i], before[i], 0.01);
  CHECK_NEAR (dBodyGetLinearVel (body)[0], 0.005 * 0.2, 1e-12);
  CHECK_NEAR (dBodyGetLinearVel (body)[2], -99 * 0.005 * 9.81, 1e-12);
  ode_host_destroy (&host);
  scene_end (&scene);
}

int main (void)
{
  dInitODE ();
  stack ();
  chain ();
  pile ();
  forces ();
  dCloseODE ();
  return check_summary ("ode");
}
