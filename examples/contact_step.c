#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact_step.h"

static const double unit[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, origin[3] = { 0, 0, 0 };

static void good (int code)
{
  if (code == 0) return;
  fprintf (stderr, "contact_dynamics: error %d: %s\n", code, ldy_last_error ());
  exit (1);
}

void world_begin (world *world, double gravity)
{
  memset (world, 0, sizeof *world);
  world->gravity = gravity;
  good (ldy_system_create (&world->system));
  good (ldy_contact_solver_create (&world->solver));
}

solid *world_add (world *world, double mass, double inertia, double x, double z)
{
  solid *solid = &world->solid[world->solids ++];
  double moments[9] = { inertia, 0, 0, 0, inertia, 0, 0, 0, inertia };

  memcpy (solid->rotation, unit, sizeof unit);
  solid->mass = mass;
  solid->inertia = inertia;
  solid->place[0] = x;
  solid->place[2] = z;
  good (ldy_system_add_rigid (world->system, mass, moments, unit, origin, &solid->id));
  return solid;
}

pair *world_join (world *world, int kind, int master, int slave)
{
  pair *pair = &world->pair[world->pairs ++];

  pair->kind = kind;
  pair->master = master;
  pair->slave = slave;
  return pair;
}

void world_end (world *world)
{
  ldy_system_destroy (world->system);
  ldy_contact_solver_destroy (world->solver);
}

/* q += h u: Rodrigues' formula for the rotation. */
static void advance (solid *solid, double h)
{
  double *W = solid->velocity, angle = h * sqrt (W[0] * W[0] + W[1] * W[1] + W[2] * W[2]);
  double a = angle > 0 ? h * sin (angle) / angle : h, b = angle > 0 ? h * h * (1 - cos (angle)) / (angle * angle) : 0;
  double skew[9] = { 0, W[2], -W[1], -W[2], 0, W[0], W[1], -W[0], 0 }, turn[9], old[9];

  for (int i = 0; i < 9; i ++) {
    double square = 0;
    for (int k = 0; k < 3; k ++) square += skew[3 * k + i % 3] * skew[i / 3 * 3 + k];
    turn[i] = unit[i] + a * skew[i] + b * square;
  }
  memcpy (old, solid->rotation, sizeof old);
  for (int i = 0; i < 9; i ++) {
    solid->rotation[i] = 0;
    for (int k = 0; k < 3; k ++) solid->rotation[i] += old[3 * k + i % 3] * turn[i / 3 * 3 + k];
  }
  for (int i = 0; i < 3; i ++) solid->place[i] += h * solid->velocity[3 + i];
}

/* Axes of which the third is the normal n. */
static void frame_of (const double *n, double *E)
{
  double a[3] = { 0, 0, 0 }, length;
  int least = fabs (n[0]) < fabs (n[1]) ? 0 : 1;

  if (fabs (n[2]) < fabs (n[least])) least = 2;
  a[least] = 1;
  for (int i = 0; i < 3; i ++) E[i] = a[i] - n[least] * n[i];
  length = sqrt (E[0] * E[0] + E[1] * E[1] + E[2] * E[2]);
  for (int i = 0; i < 3; i ++) E[i] /= length;
  for (int i = 0; i < 3; i ++) E[3 + i] = n[(i + 1) % 3] * E[(i + 2) % 3] - n[(i + 2) % 3] * E[(i + 1) % 3];
  memcpy (E + 6, n, 3 * sizeof (double));
}

/* From the slave's point to the master's, or from the floor; the distance. */
static double distance (const world *world, const pair *pair, double *n)
{
  const solid *master = &world->solid[pair->master];
  double length = 0;

  if (pair->kind == POINT_ON_FLOOR) {
    n[0] = n[1] = 0;
    n[2] = 1;
    length = master->place[2];
    for (int k = 0; k < 3; k ++) length += master->rotation[3 * k + 2] * pair->point[k];
    return length;
  }
  for (int i = 0; i < 3; i ++) {
    n[i] = master->place[i] - (pair->slave == SPACE ? pair->anchor[i] : world->solid[pair->slave].place[i]);
    length += n[i] * n[i];
  }
  length = sqrt (length);
  for (int i = 0; i < 3; i ++) n[i] /= length;
  return length;
}

/* Detect: is the pair a constraint now, and where? */
static void detect (world *world, pair *pair)
{
  const solid *slave = pair->slave == SPACE ? NULL : &world->solid[pair->slave];
  double n[3], E[9], at_master[3] = { 0 }, at_slave[3] = { 0 }, length = distance (world, pair, n);
  double gap = pair->kind == SPHERES ? length - pair->length : length;

  pair->active = pair->kind == LINK || gap <= 1e-9;
  if (! pair->active) return;
  frame_of (n, E);
  if (pair->kind == POINT_ON_FLOOR) memcpy (at_master, pair->point, sizeof at_master);
  if (pair->kind == SPHERES) { /* of equal radii, and they do not turn */
    for (int i = 0; i < 3; i ++) at_slave[i] = n[i] * pair->length / 2, at_master[i] = - at_slave[i];
  }
  pair->distance = length;
  good (ldy_system_add_point_constraint (world->system, world->solid[pair->master].id, slave ? slave->id : LDY_GROUND, E,
                                   at_master, at_slave, &pair->id));
}

/* The law of a contact: what approaches with V_N < 0 is thrown back with -e V_N. */
static ldy_law contact_law (const pair *pair, const double *V)
{
  ldy_law law = { .kind = LDY_LAW_CONTACT, .friction = pair->friction };

  law.bias[2] = pair->restitution * fmin (0, V[2]);
  return law;
}

/* The law of a link, whose force acts along it: the U_N with which it has its length after this step beside the U_T of U,
 * (distance + h U_N)^2 + h^2 U_T^2 = length^2. */
static ldy_law link_law (const pair *pair, const double *U, double h)
{
  double across = fmin (h * hypot (U[0], U[1]), pair->length);
  ldy_law law = { .kind = LDY_LAW_BOUNDS, .lower = { 0, 0, -INFINITY }, .upper = { 0, 0, INFINITY } };

  law.bias[2] = (pair->distance - sqrt (pair->length * pair->length - across * across)) / h;
  return law;
}

/* The forces. The laws of links depend on velocities: solve again until these change no more. */
static void solve (world *world, const ldy_rows *rows, double h, double *R)
{
  ldy_contact_solver_options options = { .size = sizeof options, .tolerance = 1e-13 };
  ldy_contact_solver_report report = { .size = sizeof report };
  size_t count = 3 * (size_t) rows->rows;
  double U[3 * MOST_PAIRS], WR[3 * MOST_PAIRS], changed = 1;
  ldy_law laws[MOST_PAIRS];

  memcpy (U, rows->B, count * sizeof *U);
  for (int round = 0; round < 100 && changed > 1e-13; round ++) {
    int row = 0;

    for (int i = 0; i < world->pairs; i ++) {
      const pair *pair = &world->pair[i];

      if (! pair->active) continue;
      laws[row] = pair->kind == LINK ? link_law (pair, U + 3 * row, h) : contact_law (pair, rows->V + 3 * row);
      row ++;
    }
    good (ldy_contact_solver_solve (world->solver, world->system, laws, (size_t) row, &options, R, count, &report));
    if (report.residual > 1e-11) {
      fprintf (stderr, "contact_dynamics: the forces do not settle\n");
      exit (1);
    }
    changed = 0;
    good (ldy_system_multiply (world->system, R, 0, WR, 0, count, 1, 0));
    for (size_t i = 0; i < count; i ++) {
      changed = fmax (changed, fabs (rows->B[i] + WR[i] - U[i]));
      U[i] = rows->B[i] + WR[i];
    }
  }
}

/* The forces of the last step are where to begin. */
static void gather (const world *world, double *R)
{
  for (int i = 0; i < world->pairs; i ++) {
    if (! world->pair[i].active) continue;
    memcpy (R, world->pair[i].R, sizeof world->pair[i].R);
    R += 3;
  }
}

/* Keep the forces for the next step, and forget the constraints of this one. */
static void release (world *world, const double *R)
{
  for (int i = 0; i < world->pairs; i ++) {
    pair *pair = &world->pair[i];

    if (! pair->active) continue;
    memcpy (pair->R, R, sizeof pair->R);
    R += 3;
    good (ldy_system_remove_constraint (world->system, pair->id));
  }
}

/* Velocities before the step, and free ones u + M^-1 h f. */
static void give_velocities (world *world, double h)
{
  for (int i = 0; i < world->solids; i ++) {
    solid *solid = &world->solid[i];

    good (ldy_system_set_rotation (world->system, solid->id, solid->rotation));
    good (ldy_system_set_velocity (world->system, solid->id, LDY_VELOCITY_PREVIOUS, solid->velocity, 6));
    solid->velocity[5] -= h * world->gravity;
    good (ldy_system_set_velocity (world->system, solid->id, LDY_VELOCITY_FREE, solid->velocity, 6));
  }
}

void world_step (world *world, double h)
{
  double R[3 * MOST_PAIRS] = { 0 };
  ldy_rows rows = { .size = sizeof rows };

  for (int i = 0; i < world->solids; i ++) advance (&world->solid[i], h / 2);
  give_velocities (world, h);
  for (int i = 0; i < world->pairs; i ++) detect (world, &world->pair[i]);
  good (ldy_system_update (world->system, h));
  good (ldy_system_results (world->system, &rows));
  gather (world, R);
  solve (world, &rows, h, R);
  good (ldy_system_apply_reactions (world->system, R, 3 * (size_t) rows.rows));
  for (int i = 0; i < world->solids; i ++) {
    good (ldy_system_velocity (world->system, world->solid[i].id, LDY_VELOCITY_FREE, world->solid[i].velocity, 6));
    advance (&world->solid[i], h / 2);
  }
  release (world, R);
}
