#include <math.h>
#include "scenes.h"

static void begin (ode_scene *scene)
{
  *scene = (ode_scene) { dWorldCreate (), dHashSpaceCreate (NULL), dJointGroupCreate (0), .bodies = 0 };
  dWorldSetGravity (scene->world, 0, 0, -9.81);
  dWorldSetERP (scene->world, 0.2);
  dWorldSetCFM (scene->world, 1e-10);
  dWorldSetContactSurfaceLayer (scene->world, 1e-4);
  dWorldSetContactMaxCorrectingVel (scene->world, 1);
  dCreatePlane (scene->space, 0, 0, 1, 0);
}

static dBodyID add (ode_scene *scene, dGeomID geom, const dMass *mass, double x, double y, double z)
{
  dBodyID body = scene->body[scene->bodies ++] = dBodyCreate (scene->world);

  dBodySetMass (body, mass);
  dGeomSetBody (geom, body);
  dBodySetPosition (body, x, y, z);
  return body;
}

void scene_stack (ode_scene *scene, int count, double top)
{
  const double edge = 0.5;
  dMass mass;

  begin (scene);
  for (int i = 0; i < count; i ++) {
    dMassSetBoxTotal (&mass, i == count - 1 ? top : 125, edge, edge, edge);
    add (scene, dCreateBox (scene->space, edge, edge, edge), &mass, 0, 0, edge * (i + 0.5));
  }
}

void scene_chain (ode_scene *scene, int count, int wall)
{
  const double length = 0.4, radius = 0.05, top = 1.2 * length * count;
  dBodyID last = NULL;
  dMatrix3 along;
  dMass mass;

  begin (scene);
  if (wall) dCreatePlane (scene->space, cos (0.2), 0, sin (0.2), 0.2 * length * count);
  dRFromAxisAndAngle (along, 0, 1, 0, acos (-1) / 2);
  dMassSetCapsuleTotal (&mass, 2, 3, radius, length - 4 * radius);
  for (int i = 0; i < count; i ++) {
    dBodyID link = add (scene, dCreateCapsule (scene->space, radius, length - 4 * radius), &mass, length * (i + 0.5), 0, top);
    dJointID joint = (i % 2 ? dJointCreateHinge : dJointCreateBall) (scene->world, NULL);
    dBodySetRotation (link, along);
    dJointAttach (joint, link, last);
    if (i % 2) {
      dJointSetHingeAnchor (joint, length * i, 0, top);
      dJointSetHingeAxis (joint, 0, 1, i % 4 == 1 ? 0.3 : -0.3);
    } else dJointSetBallAnchor (joint, length * i, 0, top);
    scene->joint[scene->joints ++] = joint;
    last = link;
  }
}

void scene_pile (ode_scene *scene, int count)
{
  const double half = 2.1;
  dMass mass;

  begin (scene);
  for (int side = -1; side < 2; side += 2) {
    dCreatePlane (scene->space, -side, 0, 0, -half);
    dCreatePlane (scene->space, 0, -side, 0, -half);
  }
  for (int i = 0; i < count; i ++) {
    double size = 0.3 + 0.1 * sin (7.0 * i), jitter = 0.05 * sin (13.0 * i);
    dGeomID geom;
    dMatrix3 turned;
    if (i % 3 == 0) dMassSetBox (&mass, 1000, size, size, 0.8 * size), geom = dCreateBox (scene->space, size, size, 0.8 * size);
    else if (i % 3 == 1) dMassSetSphere (&mass, 1000, size / 2), geom = dCreateSphere (scene->space, size / 2);
    else dMassSetCapsule (&mass, 1000, 3, size / 3, size / 2), geom = dCreateCapsule (scene->space, size / 3, size / 2);
    dRFromAxisAndAngle (turned, sin (3.0 * i), cos (5.0 * i), 1, 0.5 * i);
    dBodySetRotation (add (scene, geom, &mass, 0.75 * (i % 5 - 2) + jitter, 0.75 * (i / 5 % 5 - 2) - jitter, 0.5 + 0.6 * (i / 25)), turned);
  }
}

/* What scene_step_ode passes to its callback. */
typedef struct { ode_scene *scene; double friction, deepest; } collision;

static void collide (void *data, dGeomID a, dGeomID b)
{
  collision *all = data;
  dBodyID one = dGeomGetBody (a), other = dGeomGetBody (b);
  dContactGeom found[8];

  if (one == other || (one && other && dAreConnectedExcluding (one, other, dJointTypeContact))) return;
  for (int i = 0, count = dCollide (a, b, 8, found, sizeof *found); i < count; i ++) {
    dContact contact = { .surface = { .mode = dContactApprox1, .mu = all->friction }, .geom = found[i] };
    all->deepest = fmax (all->deepest, found[i].depth);
    dJointAttach (dJointCreateContact (all->scene->world, all->scene->contacts, &contact), one, other);
  }
}

double scene_step_ode (ode_scene *scene, int iterations, double friction, double h)
{
  collision all = { scene, friction, 0 };

  dSpaceCollide (scene->space, &all, collide);
  if (iterations > 0) {
    dWorldSetQuickStepNumIterations (scene->world, iterations);
    dWorldQuickStep (scene->world, h);
  } else dWorldStep (scene->world, h);
  dJointGroupEmpty (scene->contacts);
  return all.deepest;
}

double scene_speed (const ode_scene *scene)
{
  double most = 0;

  for (size_t i = 0; i < scene->bodies; i ++) {
    const double *v = dBodyGetLinearVel (scene->body[i]);
    most = fmax (most, sqrt (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
  }
  return most;
}

double scene_joint_error (const ode_scene *scene)
{
  double most = 0;

  for (size_t i = 0; i < scene->joints; i ++) {
    int hinge = dJointGetType (scene->joint[i]) == dJointTypeHinge;
    dVector3 a, b;
    (hinge ? dJointGetHingeAnchor : dJointGetBallAnchor) (scene->joint[i], a);
    (hinge ? dJointGetHingeAnchor2 : dJointGetBallAnchor2) (scene->joint[i], b);
    for (int k = 0; k < 3; k ++) most = fmax (most, fabs (a[k] - b[k]));
  }
  return most;
}

void scene_end (ode_scene *scene)
{
  dJointGroupDestroy (scene->contacts);
  dSpaceDestroy (scene->space);
  dWorldDestroy (scene->world);
}
