/* traps SCRATCH [emulated] FILE.ldysnap ...: no call with valid input raises FE_INVALID, FE_DIVBYZERO or FE_OVERFLOW, which a
 * host may trap.
 *
 * Recorded states and made-up scenes go through all calls that compute, with AVX2 and without: on one thread the flags are
 * looked at after each call, on two threads the exceptions are trapped. Emulated, as by valgrind, which raises none of them,
 * no large scenes: other tests have these. */
#define _GNU_SOURCE
#include <fenv.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"
#include "support/error_observer.h"
#include "support/host/hooks.h"
#include "support/large_scene.h"
#include "support/mesh_builder.h"
#include "support/snapshot.h"

#define EXCEPTIONS (FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW)

static int avx2, trapping;
static char text_file[4096];

static void raised (int code, const char *text, void *data)
{
  (void) data;
  fprintf (stderr, "error %d: %s\n", code, text);
  CHECK (!"an error");
}

static void trapped (int signal)
{
  static const char text[] = "traps: an exception was trapped\n";

  (void) signal;
  if (write (STDERR_FILENO, text, sizeof text - 1)) _exit (1);
  _exit (1);
}

static void before_call (void)
{
  feclearexcept (FE_ALL_EXCEPT);
  if (trapping) feenableexcept (EXCEPTIONS);
}

static void after_call (const char *what, int line)
{
  int found = fetestexcept (EXCEPTIONS);

  if (trapping) fedisableexcept (EXCEPTIONS);
  if (found & FE_INVALID) fprintf (stderr, "%s raises FE_INVALID\n", what);
  if (found & FE_DIVBYZERO) fprintf (stderr, "%s raises FE_DIVBYZERO\n", what);
  if (found & FE_OVERFLOW) fprintf (stderr, "%s raises FE_OVERFLOW\n", what);
  check_int (found, 0, what, __FILE__, line);
}

#define CALL(call) (before_call (), (void) (call), after_call (#call, __LINE__))

static void shadow_of (const LOCDYN *ldy)
{
  ldy_shadow *shadow = ldy_shadow_new (ldy);

  if (!CHECK (shadow != NULL)) return;
  CALL (ldy_shadow_check (shadow, NULL, NULL));
  ldy_shadow_free (shadow);
}

static void clone_of (LOCDYN *ldy)
{
  LOCDYN *clone = NULL;

  CALL (clone = LOCDYN_Clone_Non_Contacts (ldy));
  if (clone) CALL (LOCDYN_avgWii (clone));
  if (clone) LOCDYN_Destroy (clone);
}

static void read_from (LOCDYN *ldy)
{
  ldy_stats stats = { .size = sizeof stats };

  CALL (LOCDYN_avgWii (ldy));
  CALL (LOCDYN_minWii (ldy));
  CALL (LOCDYN_maxWii (ldy));
  CALL (LOCDYN_Dump (ldy, text_file));
  CALL (LOCDYN_W_MatrixMarket (ldy, text_file));
  CALL (ldy_get_stats (ldy, &stats));
  clone_of (ldy);
}

/* The rows have been inserted. */
static void all_calls (HOST *host)
{
  static const UPDATE_KIND updates[] = { UPDATE_ALL, UPDATE_PENALTY, UPDATE_MINIMAL };

  for (int i = 0; i < 3; i ++) {
    host_set_update (host, updates[i]);
    CALL (LOCDYN_Update_Begin (host->dom.ldy));
    CALL (LOCDYN_Update_Begin (host->dom.ldy));
    shadow_of (host->dom.ldy);
    CALL (LOCDYN_Update_End (host->dom.ldy));
    if (i == 0) read_from (host->dom.ldy);
  }
}

/* ---- recorded states */

static void recorded (const char *path)
{
  char error[256];
  SNAPSHOT *s = snapshot_read (path, error, sizeof error);

  check_context ("%s, avx2 %d, trapping %d", path, avx2, trapping);
  if (!CHECK (s != NULL)) return;
  GEOMETRIC_EPSILON = s->geometric_epsilon;
  s->host->dom.ldy = LOCDYN_Create (&s->host->dom);
  CALL (CHECK (snapshot_insert (s)));
  all_calls (s->host);
  LOCDYN_Destroy (s->host->dom.ldy);
  snapshot_free (s);
}

/* ---- made-up scenes */

static void scene (HOST *host)
{
  CALL (scene_insert_all (host));
  all_calls (host);
  scene_destroy (host);
}

/* `count` constraints on bodies at rest in the origin with the inverse `inverse` I, their points at `arm` along an axis: W
 * is a multiple of I for an arm of 0, else diagonal with two equal entries. */
static HOST *axes (int count, int kind, double inverse, double arm)
{
  HOST *host = host_create ();
  BODY *body;
  CON *con;

  host->dom.step = 1;
  for (int i = 0; i < count; i ++) {
    body = host_add_body (host, kind);
    if (kind != PRB) body->conf[0] = body->conf[4] = body->conf[8] = 1;
    for (int k = 0; k < body->inverse->nzmax; k ++) body->inverse->x[k] *= inverse;
    con = host_add_constraint (host, i % 2 ? CONTACT : FIXPNT, body, NULL);
    con->mpnt[i % 3] = arm;
  }
  return host;
}

static void test_axes (void)
{
  static const double inverses[] = { 1, 1e-150, 1e150, 3e-290 };
  static const int kinds[] = { RIG, PRB };

  for (int count = 1; count <= 9; count ++) {
    for (int i = 0; i < 4; i ++) {
      for (int k = 0; k < 2; k ++) {
        check_context ("%d rows on bodies of kind %d with inverse %g, avx2 %d, trapping %d", count, kinds[k], inverses[i], avx2,
                       trapping);
        scene (axes (count, kinds[k], inverses[i], 0));
        scene (axes (count, kinds[k], inverses[i], 1));
      }
    }
  }
}

/* A body's first `count` constraints, for each kind of body. */
static void test_counts (void)
{
  static const int kinds[] = { RIG, PRB };
  RANDOM random = { 21 };
  HOST *host;
  BODY *body;

  for (int k = 0; k < 2; k ++) {
    for (int form = 0; form < INVERSE_FORMS; form ++) {
      for (int count = 1; count <= 9; count ++) {
        check_context ("%d rows on a body of kind %d, inverse %d, avx2 %d, trapping %d", count, kinds[k], form, avx2, trapping);
        host = host_create ();
        host->dom.step = 1e-3;
        body = scene_body (host, &random, kinds[k], (INVERSE_FORM) form);
        for (int i = 0; i < count; i ++) scene_constraint (host, &random, i % 3 ? CONTACT : FIXPNT, body, NULL);
        scene (host);
      }
    }
  }
}

static void test_mixed (void)
{
  RANDOM random = { 22 };
  HOST *host = scene_mixed (23);

  check_context ("mixed scene, avx2 %d, trapping %d", avx2, trapping);
  mesh_add_scene (host, &random);
  scene (host);
}

/* The rows are there already. */
static void test_large (int with_meshes)
{
  HOST *host = large_scene (with_meshes);

  check_context ("large scene, meshes %d, avx2 %d, trapping %d", with_meshes, avx2, trapping);
  all_calls (host);
  scene_destroy (host);
}

/* A row without W has the eigenvalue 0: LDY_ERROR_SINGULAR, also for hosts that trap divisions by zero. */

static void test_singular (void)
{
  HOST *host = host_create ();
  BODY *one = host_add_body (host, OBS), *two = host_add_body (host, OBS);

  check_context ("singular, avx2 %d, trapping %d", avx2, trapping);
  host->dom.step = 1;
  for (int i = 0; i < 5; i ++) host_add_constraint (host, CONTACT, one, two);
  scene_insert_all (host);
  watch_errors ();
  CALL (LOCDYN_Update_Begin (host->dom.ldy));
  CHECK_INT (watched.calls, 1);
  CHECK_INT (watched.code, LDY_ERROR_SINGULAR);
  ldy_set_error_handler (raised, NULL);
  scene_destroy (host);
}

int main (int argc, char **argv)
{
  int is_emulated = argc > 2 && !strcmp (argv[2], "emulated"), i;

  if (!CHECK (argc > 2 + is_emulated)) return check_summary ("traps");
  snprintf (text_file, sizeof text_file, "%s", argv[1]);
  signal (SIGFPE, trapped);
  ldy_set_error_handler (raised, NULL);
  for (trapping = 0; trapping < 2; trapping ++) {
    ldy_set_threads (1 + trapping);
    for (avx2 = 0; avx2 < 2; avx2 ++) {
      ldy_set_option (LDY_NO_AVX2, !avx2);
      for (i = 2 + is_emulated; i < argc; i ++) recorded (argv[i]);
      test_axes ();
      test_counts ();
      test_mixed ();
      test_singular ();
      for (i = 0; i < 2 && !is_emulated; i ++) test_large (i);
      before_call ();
      ldy_shutdown ();
      if (trapping) fedisableexcept (EXCEPTIONS);
    }
  }
  remove (text_file);
  return check_summary ("traps");
}
