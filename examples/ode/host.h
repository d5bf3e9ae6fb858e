/* A host of the library: ODE finds contacts and moves bodies, the library has bodies, contacts and joints, and finds their forces. */
#pragma once

#include <ode/ode.h>
#include "ldy_system.h"

/* Penetrations and drift are removed with the error reduction and the surface layer of the world. */
typedef struct {
  dWorldID world;
  dSpaceID space;
  double friction;
  ldy_contact_solver_options options;
  ldy_contact_solver_report report; /* of the last step */
  double deepest;                   /* the deepest penetration of the last step */
  double *R;                        /* the reactions of the last step */
  ldy_system *system;
  ldy_contact_solver *solver;
  struct ode_body *body;
  const dJointID *joint;
  struct ode_touch *touch;
  size_t bodies, joints, touches, joint_rows, room;
  double h;
  int code;
} ode_host;

/* Take over bodies, and the ball joints and hinges between them. The data of bodies, joints and geometries belong to the host from
   now on, and the array of joints is not copied. Returns 0 or one of LDY_ERROR_*; then ode_host_destroy is allowed, too. */
int ode_host_create (ode_host *host, dWorldID world, dSpaceID space, const dBodyID *body, size_t count, const dJointID *joint,
                     size_t many);

/* Advance the world by h. After an error no body has moved. */
int ode_host_step (ode_host *host, double h);

void ode_host_destroy (ode_host *host);
