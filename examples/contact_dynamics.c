/* The contact-dynamics step on scenes whose outcome is known: a sliding block, a bouncing sphere, spheres that meet, a
   pendulum and a double pendulum of rigid links.

     contact_dynamics [H]

   prints, for steps of H seconds (0.001), what is measured: computed, expected. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "contact_step.h"

static const double G = 9.81, PI = 3.14159265358979323846;

static void say (const char *what, double computed, double expected)
{
  printf ("%s: %.12g, %.12g\n", what, computed, expected);
}

/* A cube with the speed v comes to rest after v^2 / (2 mu g). */
static void sliding_block (double h)
{
  const double v = 3, friction = 0.4, half = 0.1;
  world world;
  solid *block;

  world_begin (&world, G);
  block = world_add (&world, 2, 2 * 4 * half * half / 6, 0, half);
  block->velocity[3] = v;
  for (int i = 0; i < 4; i ++) {
    pair *corner = world_join (&world, POINT_ON_FLOOR, 0, SPACE);
    corner->point[0] = i % 2 ? half : -half;
    corner->point[1] = i / 2 ? half : -half;
    corner->point[2] = -half;
    corner->friction = friction;
  }
  for (double t = 0; t < 1.2 * v / (friction * G); t += h) world_step (&world, h);
  say ("sliding distance", block->place[0], v * v / (2 * friction * G));
  world_end (&world);
}

/* A sphere that falls from the height H rises to e^2 H, then to e^4 H. */
static void bouncing_sphere (double h)
{
  const double height = 1, radius = 0.1, e = 0.8;
  double top[3] = { 0 };
  int bounces = 0;
  world world;
  solid *sphere;
  pair *below;

  world_begin (&world, G);
  sphere = world_add (&world, 1, 0.4 * radius * radius, 0, radius + height);
  below = world_join (&world, POINT_ON_FLOOR, 0, SPACE);
  below->point[2] = - radius;
  below->restitution = e;
  while (bounces < 3) {
    double before = sphere->velocity[5];
    world_step (&world, h);
    if (before < 0 && sphere->velocity[5] > 0) bounces ++;
    if (bounces < 3) top[bounces] = fmax (top[bounces], sphere->place[2] - radius);
  }
  say ("height of the first bounce", top[1], e * e * height);
  say ("height of the second bounce", top[2], e * e * e * e * height);
  world_end (&world);
}

/* Spheres of masses 1 and 3 that meet head on keep their momentum, and e of their relative velocity. */
static void meeting_spheres (double h)
{
  const double e = 0.5, v = 2, masses[2] = { 1, 3 };
  world world;
  solid *a, *b;
  pair *both;

  world_begin (&world, 0);
  a = world_add (&world, masses[0], 0.004 * masses[0], 0, 0);
  b = world_add (&world, masses[1], 0.004 * masses[1], 0.5, 0);
  a->velocity[3] = v;
  both = world_join (&world, SPHERES, 0, 1);
  both->length = 0.2;
  both->restitution = e;
  for (double t = 0; t < 0.4; t += h) world_step (&world, h);
  say ("momentum after an impact", a->mass * a->velocity[3] + b->mass * b->velocity[3], a->mass * v);
  say ("relative velocity after an impact", b->velocity[3] - a->velocity[3], e * v);
  world_end (&world);
}

/* The time from the first to the last of a number of passages from left to right. */
static double period (world *world, int of, double h, int periods)
{
  double first = 0, x = world->solid[of].place[0], t = 0;

  for (int passages = 0; ; t += h) {
    double old = x;
    world_step (world, h);
    x = world->solid[of].place[0];
    if (old < 0 && x >= 0) {
      double passage = t + h * old / (old - x);
      if (passages == 0) first = passage;
      if (passages ++ == periods) return (passage - first) / periods;
    }
  }
}

/* 2 pi sqrt (l / g) / M (1, cos (angle / 2)), M the arithmetic-geometric mean. */
static double pendulum_period (double length, double angle)
{
  double a = 1, b = cos (angle / 2);

  for (int i = 0; i < 10; i ++) {
    double mean = (a + b) / 2;
    b = sqrt (a * b);
    a = mean;
  }
  return 2 * PI * sqrt (length / G) / a;
}

static void hang (world *world, int master, int slave, double length)
{
  pair *link = world_join (world, LINK, master, slave);

  link->length = length;
}

static void pendulum (double h, double angle, const char *what)
{
  const double length = 0.5;
  world world;

  world_begin (&world, G);
  world_add (&world, 1, 0.001, - length * sin (angle), - length * cos (angle));
  hang (&world, 0, SPACE, length);
  say (what, period (&world, 0, h, 5), pendulum_period (length, angle));
  world_end (&world);
}

/* Equal masses and lengths: w^2 = (2 -+ sqrt 2) g / l, the lower mass swings +-sqrt 2 times as far as the upper. */
static void double_pendulum (double h, double sign, const char *what)
{
  const double length = 0.5, small = 0.0001, lower = sign * sqrt (2) * small;
  world world;

  world_begin (&world, G);
  world_add (&world, 1, 0.001, - length * sin (small), - length * cos (small));
  world_add (&world, 1, 0.001, - length * (sin (small) + sin (lower)), - length * (cos (small) + cos (lower)));
  hang (&world, 0, SPACE, length);
  hang (&world, 1, 0, length);
  say (what, period (&world, 0, h, 5), 2 * PI / sqrt ((2 - sign * sqrt (2)) * G / length));
  world_end (&world);
}

int main (int count, char **arguments)
{
  double h = count > 1 ? atof (arguments[1]) : 0.001;

  if (! (h > 0 && h < 0.02)) {
    fprintf (stderr, "contact_dynamics: a step between 0 and 0.02 seconds is wanted\n");
    return 2;
  }
  sliding_block (h);
  bouncing_sphere (h);
  meeting_spheres (h);
  pendulum (h, 0.1, "period of a pendulum, 0.1");
  pendulum (h, 2, "period of a pendulum, 2");
  double_pendulum (h, 1, "period of a double pendulum, slow");
  double_pendulum (h, -1, "period of a double pendulum, fast");
  return 0;
}
