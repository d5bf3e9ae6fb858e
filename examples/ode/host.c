#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "host.h"

struct ode_body { dBodyID ode; int64_t id; double mass, inertia[9], rotation[9], position[3], velocity[6]; dMatrix3 inverse; };
struct ode_touch { uint64_t key; int64_t master, slave; double normal[3], place[3], frame[9], points[2][3]; ldy_law law; };

static const double unit[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, origin[3];

#define TRY(call) do { int code = (call); if (code) return code; } while (0)

static int64_t id_of (dBodyID body) { return body ? ((struct ode_body *) dBodyGetData (body))->id : LDY_GROUND; }

/* A vector or point of the world in the axes of a body. The ground has the axes of the world. */
static void into (dBodyID body, void (*turn) (dBodyID, dReal, dReal, dReal, dVector3), const double *v, double *own)
{
  dVector3 turned = { v[0], v[1], v[2] };
  if (body) turn (body, v[0], v[1], v[2], turned);
  memcpy (own, turned, 3 * sizeof *own);
}

static int add_body (ldy_system *system, struct ode_body *body, dBodyID ode)
{
  dMass mass;

  dBodyGetMass (ode, &mass), body->ode = ode, body->mass = mass.mass;
  for (int i = 0; i < 9; i ++) body->inertia[i] = mass.I[i / 3 * 4 + i % 3];
  dBodySetData (ode, body), dBodySetGravityMode (ode, 0), dBodySetGyroscopicMode (ode, 0);
  if (!dInvertPDMatrix (mass.I, body->inverse, 3)) return LDY_ERROR_NOT_POSITIVE_DEFINITE;
  return ldy_system_add_rigid (system, mass.mass, body->inertia, unit, origin, &body->id);
}

static int add_joint (ode_host *host, dJointID joint)
{
  dBodyID body[2] = { dJointGetBody (joint, 0), dJointGetBody (joint, 1) };
  int hinge = dJointGetType (joint) == dJointTypeHinge;
  int64_t master = id_of (body[0]), slave = id_of (body[1]), id;
  double world[9], E[2][9], X[2][3];
  dVector3 anchor, axis = { 0, 0, 1 };

  if (!hinge && dJointGetType (joint) != dJointTypeBall) return LDY_ERROR_NOT_IMPLEMENTED;
  (hinge ? dJointGetHingeAnchor : dJointGetBallAnchor) (joint, anchor);
  if (hinge) dJointGetHingeAxis (joint, axis);
  TRY (ldy_frame_from_normal (axis, world));
  for (int i = 0; i < 2; i ++) {
    into (body[i], dBodyGetPosRelPoint, anchor, X[i]);
    for (int k = 0; k < 9; k += 3) into (body[i], dBodyVectorFromWorld, world + k, E[i] + k);
  }
  if (hinge) TRY (ldy_system_add_joint (host->system, LDY_AXES_HINGE, master, slave, E[0], X[0], E[1], X[1], &id));
  else TRY (ldy_system_add_point_constraint (host->system, master, slave, unit, X[0], X[1], &id));
  dJointDisable (joint), dJointSetData (joint, (void *) (intptr_t) id), host->joint_rows += hinge ? 5 : 3;
  return 0;
}

int ode_host_create (ode_host *host, dWorldID world, dSpaceID space, const dBodyID *body, size_t count, const dJointID *joint, size_t many)
{
  *host = (ode_host) { world, space, .joint = joint, .options.size = sizeof host->options, .report.size = sizeof host->report };
  TRY (ldy_system_create (&host->system));
  TRY (ldy_contact_solver_create (&host->solver));
  host->body = calloc (count + 1, sizeof *host->body), host->touch = malloc (sizeof *host->touch);
  if (!host->body || !host->touch) return LDY_ERROR_OUT_OF_MEMORY;
  for (int i = 0; i < dSpaceGetNumGeoms (space); i ++) dGeomSetData (dSpaceGetGeom (space, i), (void *) (intptr_t) i);
  for (; host->bodies < count; host->bodies ++) TRY (add_body (host->system, &host->body[host->bodies], body[host->bodies]));
  for (; host->joints < many; host->joints ++) TRY (add_joint (host, joint[host->joints]));
  return 0;
}

/* The contacts of two geometries. A key has the numbers of both, and the number of the contact in ODE's list. */
static void collide (void *data, dGeomID a, dGeomID b)
{
  ode_host *host = data;
  ldy_stabilization soft = { sizeof soft, dWorldGetERP (host->world), dWorldGetContactSurfaceLayer (host->world),
                             fmin (dWorldGetContactMaxCorrectingVel (host->world), 1e30), .restitution = 0 };
  uint64_t m = (uintptr_t) dGeomGetData (a), n = (uintptr_t) dGeomGetData (b), pair = m < n ? m << 30 | n : n << 30 | m;
  dBodyID one = dGeomGetBody (a), other = dGeomGetBody (b);
  dContactGeom found[8];

  if (one == other || (one && other && dAreConnected (one, other)) || host->code) return;
  if (host->room < host->touches + 8) host->room = 2 * host->touches + 8;
  struct ode_touch *touch = realloc (host->touch, host->room * sizeof *touch);
  if (!touch) { host->code = LDY_ERROR_OUT_OF_MEMORY; return; }
  host->touch = touch, touch += host->touches;
  for (int i = 0, count = dCollide (a, b, 8, found, sizeof *found); i < count && !host->code; i ++, touch ++, host->touches ++) {
    *touch = (struct ode_touch) { pair << 4 | (uint64_t) i, id_of (one), id_of (other),
                                  .law = { .kind = LDY_LAW_CONTACT, .friction = host->friction } };
    memcpy (touch->normal, found[i].normal, sizeof touch->normal), memcpy (touch->place, found[i].pos, sizeof touch->place);
    host->deepest = fmax (host->deepest, found[i].depth);
    host->code = ldy_contact_bias (&soft, -found[i].depth, 0, host->h, &touch->law.bias[2]);
  }
}

/* Rotations and positions, and the velocities at the end of the step if there were no contacts and joints. */
static int set_bodies (ode_host *host)
{
  struct ode_body *all = host->body;
  dVector3 gravity;

  dWorldGetGravity (host->world, gravity);
  for (struct ode_body *body = all; body < all + host->bodies; body ++) {
    const double *R = dBodyGetRotation (body->ode), *v = dBodyGetLinearVel (body->ode), *f = dBodyGetForce (body->ode), *A = body->inverse;
    double *u = body->velocity, torque[3], change[3];
    for (int i = 0; i < 9; i ++) body->rotation[i] = R[i % 3 * 4 + i / 3];
    memcpy (body->position, dBodyGetPosition (body->ode), sizeof body->position);
    into (body->ode, dBodyVectorFromWorld, dBodyGetAngularVel (body->ode), u);
    into (body->ode, dBodyVectorFromWorld, dBodyGetTorque (body->ode), torque);
    TRY (ldy_gyroscopic_change (body->inertia, u, host->h, change));
    for (int i = 0; i < 3; i ++, A += 4) {
      u[i] += change[i] + host->h * (A[0] * torque[0] + A[1] * torque[1] + A[2] * torque[2]);
      u[3 + i] = v[i] + host->h * (gravity[i] + f[i] / body->mass);
    }
  }
  TRY (ldy_system_set_rotations (host->system, &all->id, sizeof *all, all->rotation, sizeof *all, host->bodies));
  TRY (ldy_system_set_positions (host->system, &all->id, sizeof *all, all->position, sizeof *all, host->bodies));
  return ldy_system_set_velocities (host->system, LDY_VELOCITY_FREE, &all->id, sizeof *all, all->velocity, sizeof *all, 6, host->bodies);
}

/* A joint loses a share of its error in the step, as a contact loses a share of its penetration. */
static int set_joint (const ode_host *host, dJointID joint)
{
  int64_t id = (intptr_t) dJointGetData (joint);
  ldy_law law = { .kind = LDY_LAW_FIXED };
  dVector3 one, other;

  if (dJointGetType (joint) == dJointTypeBall) {
    dJointGetBallAnchor (joint, one), dJointGetBallAnchor2 (joint, other);
    for (int i = 0; i < 3; i ++) law.bias[i] = one[i] - other[i];
  } else TRY (ldy_system_joint_error (host->system, id, law.bias, 5));
  for (int i = 0; i < 5; i ++) law.bias[i] *= dWorldGetERP (host->world) / host->h;
  return ldy_system_set_law (host->system, id, &law);
}

static int find_velocities (ode_host *host)
{
  struct ode_touch *touch = host->touch;
  size_t s = sizeof *touch, rows = host->joint_rows + 3 * host->touches;
  double *R = realloc (host->R, (rows + 1) * sizeof *R);

  if (!R) return LDY_ERROR_OUT_OF_MEMORY;
  host->R = R;
  for (size_t i = 0; i < host->joints; i ++) TRY (set_joint (host, host->joint[i]));
  TRY (ldy_system_contact_frames (host->system, &touch->master, &touch->slave, s, touch->normal, s, touch->place, s, touch->frame, s,
                                  touch->points[0], touch->points[1], s, host->touches));
  TRY (ldy_system_sync_constraints (host->system, &touch->key, s, &touch->master, &touch->slave, s, touch->frame, s, touch->points[0],
                                    touch->points[1], s, &touch->law, s, NULL, 0, host->touches, NULL));
  TRY (ldy_system_update (host->system, host->h));
  TRY (ldy_system_stored_reactions (host->system, R, rows));
  TRY (ldy_contact_solver_solve (host->solver, host->system, NULL, 0, &host->options, R, rows, &host->report));
  TRY (ldy_system_store_reactions (host->system, R, rows));
  return ldy_system_apply_reactions (host->system, R, rows);
}

int ode_host_step (ode_host *host, double h)
{
  struct ode_body *body = host->body;

  host->h = h, host->touches = 0, host->deepest = 0, host->code = 0;
  dSpaceCollide (host->space, host, collide);
  TRY (host->code);
  TRY (set_bodies (host));
  TRY (find_velocities (host));
  TRY (ldy_system_velocities (host->system, LDY_VELOCITY_FREE, &body->id, sizeof *body, body->velocity, sizeof *body, 6, host->bodies));
  for (; body < host->body + host->bodies; body ++) {
    const double *u = body->velocity;
    dVector3 spin;
    dBodyVectorToWorld (body->ode, u[0], u[1], u[2], spin);
    dBodySetAngularVel (body->ode, spin[0], spin[1], spin[2]), dBodySetLinearVel (body->ode, u[3], u[4], u[5]);
    dBodySetForce (body->ode, 0, 0, 0), dBodySetTorque (body->ode, 0, 0, 0);
  }
  return dWorldQuickStep (host->world, h) ? 0 : LDY_ERROR_OUT_OF_MEMORY;
}

void ode_host_destroy (ode_host *host)
{
  ldy_contact_solver_destroy (host->solver), ldy_system_destroy (host->system);
  free (host->body), free (host->touch), free (host->R);
}
