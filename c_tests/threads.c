/* Updates with several threads: the same bits, the same errors, and nothing left after ldy_shutdown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "large_scene.h"

static const int counts[] = { 1, 2, 3, 7 };

#define COUNTS ((int) (sizeof counts / sizeof counts[0]))

static uint64_t update_with (int threads)
{
  HOST *host = large_scene (1);
  uint64_t sum;

  CHECK_INT (ldy_set_threads (threads), 0);
  LOCDYN_Update_Begin (host->dom.ldy);
  sum = large_scene_digest (host);
  LOCDYN_Update_Begin (host->dom.ldy);
  CHECK (large_scene_digest (host) == sum);
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
  HOST *host = large_scene (1);
  CON *early = constraint_at (host, 300), *late = constraint_at (host, 700);
  double good[2] = { early->base[4], late->base[4] };
  char name[64];
  BODY *body = early->master;
  MX *inverse = body->inverse;
  uint64_t sum;
  int i;

  ldy_set_error_handler (handle, NULL);
  LOCDYN_Update_Begin (host->dom.ldy);
  sum = large_scene_digest (host);
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
    CHECK (large_scene_digest (host) == sum);
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

/* The threads of the parent are not there in the child. Its digest comes through a pipe: what it leaves behind of the
 * parent's threads is no leak of either. */
static void test_fork (void)
{
  uint64_t alone = update_with (1), sum = 0;
  HOST *host = large_scene (1);
  int ends[2], status;
  pid_t child;

  CHECK_INT (ldy_set_threads (3), 0);
  LOCDYN_Update_Begin (host->dom.ldy);
  CHECK_INT (pipe (ends), 0);
  child = fork ();
  if (child == 0) {
    alarm (60);
    LOCDYN_Update_Begin (host->dom.ldy);
    sum = large_scene_digest (host);
    _exit (write (ends[1], &sum, sizeof sum) != (ssize_t) sizeof sum);
  }
  CHECK (child > 0);
  close (ends[1]);
  CHECK_INT (read (ends[0], &sum, sizeof sum), sizeof sum);
  close (ends[0]);
  CHECK (waitpid (child, &status, 0) == child);
  CHECK (sum == alone);
  LOCDYN_Update_Begin (host->dom.ldy);
  CHECK (large_scene_digest (host) == alone);
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
