/* Scenes of ODE: a stack, a chain, a pile. */
#pragma once

#include <ode/ode.h>

enum { SCENE_MOST = 400 };

typedef struct {
  dWorldID world;
  dSpaceID space;
  dJointGroupID contacts; /* of scene_step_ode */
  dBodyID body[SCENE_MOST];
  dJointID joint[SCENE_MOST];
  size_t bodies, joints;
} ode_scene;

/* Count boxes of edge 0.5 and mass 125 on the floor; the one on top has the mass `top`. */
void scene_stack (ode_scene *scene, int count, double top);

/* Count links that hang on the world, horizontal at first, with ball joints and hinges in turn, without the wall or with it: it
   leans towards them, and they fall against it. */
void scene_chain (ode_scene *scene, int count, int wall);

/* Count boxes, spheres and capsules above a floor between four walls. */
void scene_pile (ode_scene *scene, int count);

/* A step of ODE alone: iterations of its QuickStep, or 0 for dWorldStep. Returns the deepest penetration. */
double scene_step_ode (ode_scene *scene, int iterations, double friction, double h);

/* The largest speed of a body's center. */
double scene_speed (const ode_scene *scene);

/* The largest distance between the places that a joint keeps together. */
double scene_joint_error (const ode_scene *scene);

void scene_end (ode_scene *scene);
