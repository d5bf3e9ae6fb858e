/* The loops of C that the calls of Python are compared with: constraints are inserted one after the other, and a system is
 * updated. */
#include <stdlib.h>
#include <time.h>
#include "ldy_system.h"

static double now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}

ldy_system *make (int bodies)
{
  const double unit[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, center[3] = { 0, 0, 0 };
  ldy_system *system = NULL;
  int64_t body;

  if (ldy_system_create (&system)) return NULL;
  for (int k = 0; k < bodies; k ++) {
    if (ldy_system_add_rigid (system, 1, unit, unit, center, &body)) return NULL;
  }
  return system;
}

void destroy (ldy_system *system)
{
  ldy_system_destroy (system);
}

/* Seconds; frames are column-major. Negative: it failed. */
double insert (ldy_system *system, int count, const int64_t *master, const int64_t *slave, const double *frames,
               const double *master_points, const double *slave_points, int64_t *ids)
{
  double begin = now ();

  for (int k = 0; k < count; k ++) {
    if (ldy_system_add_point_constraint (system, master[k], slave[k], frames + 9 * k, master_points + 3 * k, slave_points + 3 * k, ids
      + k)) {
      return -1;
    }
  }
  return now () - begin;
}

double update (ldy_system *system, double h)
{
  double begin = now ();

  return ldy_system_update (system, h) ? -1 : now () - begin;
}
