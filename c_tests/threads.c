/* Updates with several threads: the same bits, the same errors, and nothing left after ldy_shutdown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "digest.h"
#include "meshes.h"
#include "scene.h"

#define BODIES 60
#define CONSTRAINTS 900

static const int counts[] = { 1, 2, 3, 7 };

#define COUNTS ((int) (sizeof counts / sizeof counts[0]))

/* Enough constraints for threads to be used, on bodies of every kind and inverse, finite elements included. */
static HOST *large_scene (void)
{
  static const int kinds[] = { CONTACT, FIXPNT, FIXDIR, VELODIR };
  HOST *host = scene_mixed (20);
  RANDOM random = { 21 };
  BODY *body[BODIES];
  int i, one, two;

  mesh_add_scene (host, &random);
  for (i = 0; i < BODIES; i ++) {
    body[i] = scene_body (host, &random, i % 3 ? RIG : PRB, (INVERSE_FORM) (random_below (&random, 2) ? INVERSE_BLOCKS : i % INVERSE_FORMS));
  }
  for (i = 0; i < CONSTRAINTS; i ++) {
    one = random_below (&random, BODIES);
    two = (one + 1 + random_below (&random, 3)) % BODIES;
    scene_constraint (host, &random, kinds[random_below (&random, 4)], body[one], body[two]);
  }
  scene_insert_all (host);
  return host;
}

/* Of all rows and blocks, V of all constraints and the free energy. */
static uint64_t digest (HOST *host)
{
  uint64_t sum = digest_rows (DIGEST_START, host->dom.ldy), bits;
  double values[4];
  CON *con;
  int i;

  for (con = host->dom.con; con; con = con->next) {
    memcpy (values, con->V, sizeof con->V);
    values[3] = host->dom.ldy->free_energy;
    for (i = 0; i < 4; i ++) {
      memcpy (&bits, &values[i], sizeof bits);
      sum = (sum ^ bits) * UINT64_C (1099511628211);
    }
  }
  return sum;
}

static uint64_t update_with (int threads)
{
  HOST *host = large_scene ();
  uint64_t sum;

  CHECK_INT (ldy_set_threads (threads), 0);
  LOCDYN_Update_Begin (host->dom.ldy);
  sum = digest (host);
  LOCDYN_Update_Begin (host->dom.ldy);
  CHECK (digest (host) == sum);
  scene_destroy (host);
  return sum;
}

static void test_same_bits (void)
{
  uint64_t alone = update_with (1);
  int i;

  for (i = 0; i < COUNTS; i ++) {
    check_context ("%d threads", counts[i]);
    CHECK (update_with (counts[i]) == alone);
  }
}

/* ---- errors */

static char text[1024];
static int code;

static void handle (int number, const char *details, void *data)
{
  (void) data;
  code = number;
  snprintf (text, sizeof text, "%s", details);
}

static void expect_error (HOST *host, const char *part)
{
  code = 0;
  LOCDYN_Update_Begin (host->dom.ldy);
  CHECK (code != 0);
  CHECK_TEXT (text, part);
  CHECK_INT (ldy_is_consistent (host->dom.ldy, NULL), 1);
}

static CON *constraint_at (HOST *host, int place)
{
  CON *con = host->dom.con;

  for (; place > 0; place --) con = con->next;
  return con;
}

/* Of two that fail, the first one in the order of the list is named, whichever thread comes across it. */
static void test_errors (void)
{
  HOST *host = large_scene ();
  CON *early = constraint_at (host, 300), *late = constraint_at (host, 700);
  double good[2] = { early->base[4], late->base[4] };
  char name[64];
  BODY *body = early->master;
  MX *inverse = body->inverse;
  uint64_t sum;
  int i;

  ldy_set_error_handler (handle, NULL);
  LOCDYN_Update_Begin (host->dom.ldy);
  sum = digest (host);
  for (i = 0; i < COUNTS; i ++) {
    check_context ("%d threads", counts[i]);
    CHECK_INT (ldy_set_threads (counts[i]), 0);
    early->base[4] = late->base[4] = 0.0 / (good[0] - good[0]);
    snprintf (name, sizeof name, "constraint %u ", early->id);
    expect_error (host, name);
    early->base[4] = good[0];
    snprintf (name, sizeof name, "constraint %u ", late->id);
    expect_error (host, name);
    late->base[4] = good[1];

    body->inverse = NULL;
    snprintf (name, sizeof name, "body %u: inverse", body->id);
    expect_error (host, name);
    body->inverse = inverse;

    code = 0;
    LOCDYN_Update_Begin (host->dom.ldy);
    CHECK_INT (code, 0);
    CHECK (digest (host) == sum);
  }
  ldy_set_error_handler (NULL, NULL);
  scene_destroy (host);
}

static void test_numbers (void)
{
  CHECK_INT (ldy_set_threads (0), 52);
  CHECK_TEXT (ldy_last_error (), "0 threads");
  CHECK_INT (ldy_set_threads (-3), 52);
  CHECK_INT (ldy_set_threads (1025), 52);
  CHECK_INT (ldy_set_threads (1), 0);
}

/* ---- other processes, and the end */

/* The threads of the parent are not there in the child. */
static void test_fork (void)
{
  uint64_t alone = update_with (1);
  HOST *host = large_scene ();
  int status = -1;
  pid_t child;

  CHECK_INT (ldy_set_threads (3), 0);
  LOCDYN_Update_Begin (host->dom.ldy);
  child = fork ();
  if (child == 0) {
    alarm (60);
    LOCDYN_Update_Begin (host->dom.ldy);
    _exit (digest (host) == alone ? 0 : 1);
  }
  CHECK (child > 0);
  CHECK (waitpid (child, &status, 0) == child);
  CHECK (WIFEXITED (status) && WEXITSTATUS (status) == 0);
  LOCDYN_Update_Begin (host->dom.ldy);
  CHECK (digest (host) == alone);
  scene_destroy (host);
}

static void test_shutdown (void)
{
  uint64_t sum = update_with (3);

  ldy_shutdown ();
  ldy_shutdown ();
  CHECK (update_with (3) == sum);
  ldy_shutdown ();
}

int main (void)
{
  test_numbers ();
  test_same_bits ();
  test_errors ();
  test_fork ();
  test_shutdown ();
  return check_summary ("threads");
}
