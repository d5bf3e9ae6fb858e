/* The loop of C that the steps of small_loop.py are compared with: a robot of n velocities, with contacts, in many small steps. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ldy_system.h"

typedef struct {
  ldy_system *system;
  ldy_contact_solver *solver;
  int n, contacts;
} robot;

static double now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}

void robot_destroy (robot *made)
{
  if (! made) return;
  ldy_contact_solver_destroy (made->solver);
  ldy_system_destroy (made->system);
  free (made);
}

static int robot_fill (robot *made, const double *inverse, const double *operators)
{
  ldy_inertia inertia = { .size = sizeof inertia, .kind = LDY_INERTIA_DENSE, .n = made->n, .values = inverse };
  int64_t body, contact;

  if (ldy_system_create (&made->system) || ldy_contact_solver_create (&made->solver)
      || ldy_system_add_body (made->system, &inertia, &body)) {
    return 1;
  }
  for (int k = 0; k < made->contacts; k ++) {
    size_t count = 3 * (size_t) made->n;
    ldy_operator H = { .n = made->n, .values = operators + count * (size_t) k, .count = count };

    if (ldy_system_add_constraint_rows (made->system, 3, &body, &H, 1, &contact)) return 1;
  }
  return 0;
}

/* The inverse is symmetric; the operator of each contact is 3 x n, column-major. NULL: it failed. */
robot *robot_create (int n, const double *inverse, int contacts, const double *operators)
{
  robot *made = calloc (1, sizeof *made);

  if (! made) return NULL;
  made->n = n;
  made->contacts = contacts;
  if (! robot_fill (made, inverse, operators)) return made;
  robot_destroy (made);
  return NULL;
}

/* Seconds of all steps; each sets a velocity, updates, makes laws, solves with the forces R of the step before, and reads B and the
 * velocity after the step, whose last values it leaves in `velocity`. Negative: it failed. */
double robot_steps (robot *made, int steps, const double *velocities, double h, double friction, double tolerance, double *R,
                    double *velocity)
{
  size_t n = (size_t) made->n, contacts = (size_t) made->contacts;
  ldy_law *laws = calloc (contacts, sizeof *laws);
  ldy_contact_solver_options options = { .size = sizeof options, .tolerance = tolerance };
  double begin = now (), sum = 0;
  int failed = ! laws;

  for (int step = 0; step < steps && ! failed; step ++) {
    ldy_contact_solver_report report = { .size = sizeof report };
    ldy_rows rows = { .size = sizeof rows };

    failed = ldy_system_set_velocity (made->system, 0, LDY_VELOCITY_FREE, velocities + n * (size_t) step, n)
             || ldy_system_update (made->system, h);
    if (failed) break;
    memset (laws, 0, contacts * sizeof *laws);
    for (size_t k = 0; k < contacts; k ++) {
      laws[k].kind = LDY_LAW_CONTACT;
      laws[k].friction = friction;
    }
    failed = ldy_contact_solver_solve (made->solver, made->system, laws, contacts, &options, R, 3 * contacts, &report)
             || ldy_system_results (made->system, &rows) || ldy_system_apply_reactions (made->system, R, 3 * contacts)
             || ldy_system_velocity (made->system, 0, LDY_VELOCITY_FREE, velocity, n);
    if (! failed) sum += rows.B[0];
  }
  free (laws);
  return failed || sum != sum ? -1 : now () - begin;
}
