/* ODE with the library and alone: CPU time of a step, the longest one, the deepest penetration and the largest joint error of the
 * last quarter. At the end: how far the last body has moved, and the largest speed.
 *
 *   make run-ode               all scenes
 *   make run-ode SCENE=chain   stack, heavy (the box on top has 100 times the mass), chain or pile
 */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "host.h"
#include "scenes.h"

/* ODE's messages, such as errors of dWorldStep. */
static int messages;

static void count_message (int number, const char *text, va_list values)
{
  (void) number, (void) text, (void) values;
  messages ++;
}

static double seconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static void begin (ode_scene *scene, const char *name)
{
  if (strcmp (name, "stack") == 0) scene_stack (scene, 10, 125);
  else if (strcmp (name, "heavy") == 0) scene_stack (scene, 10, 12500);
  else if (strcmp (name, "chain") == 0) scene_chain (scene, 20, 1);
  else scene_pile (scene, 300);
}

/* tolerance > 0: the library with it; 0: the library in real time. iterations >= 0: ODE alone. Returns 0 after an error. */
static int measure (const char *name, const char *who, double tolerance, int iterations, int steps)
{
  const double h = 0.005, friction = 0.5;
  ode_scene scene;
  ode_host host;
  double total = 0, longest = 0, deepest = 0, open = 0;
  int code = 0, missed = 0;
  dVector3 place;
  const double *now;

  messages = 0;

  begin (&scene, name);
  dBodyCopyPosition (scene.body[scene.bodies - 1], place);
  now = dBodyGetPosition (scene.body[scene.bodies - 1]);
  if (iterations < 0) {
    code = ode_host_create (&host, scene.world, scene.space, scene.body, scene.bodies, scene.joint, scene.joints);
    host.friction = friction;
    host.options.tolerance = tolerance;
    if (tolerance == 0 && !code) code = ldy_contact_solver_options_real_time (&host.options);
  }
  for (int k = 0; k < steps && !code; k ++) {
    double start = seconds (), depth = 0, spent;
    if (iterations < 0) code = ode_host_step (&host, h), depth = host.deepest, missed += host.report.status != LDY_STATUS_CONVERGED;
    else depth = scene_step_ode (&scene, iterations, friction, h);
    spent = seconds () - start;
    total += spent, longest = fmax (longest, spent);
    if (4 * k >= 3 * steps) deepest = fmax (deepest, depth), open = fmax (open, scene_joint_error (&scene));
  }
  if (code) printf ("%s: %s: %s\n", name, ldy_strerror (code), ldy_last_error ());
  else printf ("| %-5s | %-20s | %8.3f | %8.3f | %8.1e | %8.1e | %8.1e | %8.1e | %d of %d |\n", name, who, 1e3 * total / steps,
               1e3 * longest, deepest, open, hypot (hypot (now[0] - place[0], now[1] - place[1]), now[2] - place[2]),
               scene_speed (&scene), missed + messages, steps);
  fflush (stdout);
  if (iterations < 0) ode_host_destroy (&host);
  scene_end (&scene);
  return !code;
}

int main (int count, char **arguments)
{
  static const struct { const char *name; int steps; double tightest; } scenes[] = {
    { "stack", 1000, 1e-8 }, { "heavy", 1000, 1e-8 }, { "chain", 4000, 1e-8 }, { "pile", 600, 1e-3 } };
  int good = 1;

  dInitODE ();
  dSetMessageHandler (count_message);
  printf ("| scene | who | ms a step | longest | deepest, m | joints open, m | last body moved, m | speed, m/s | not solved |\n");
  printf ("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i ++) {
    const char *name = scenes[i].name;
    int steps = scenes[i].steps;
    if (count > 1 && strcmp (arguments[1], name) != 0) continue;
    good &= measure (name, "ldy, real time", 0, -1, steps);
    for (double tolerance = 1e-2; tolerance >= 0.99 * scenes[i].tightest; tolerance /= 10) {
      char who[32];
      snprintf (who, sizeof who, "ldy, %.0e", tolerance);
      good &= measure (name, who, tolerance, -1, steps);
    }
    good &= measure (name, "ODE, QuickStep 20", 0, 20, steps) && measure (name, "ODE, QuickStep 200", 0, 200, steps);
    if (strcmp (name, "pile") != 0) good &= measure (name, "ODE, dWorldStep", 0, 0, steps);
  }
  dCloseODE ();
  return !good;
}
