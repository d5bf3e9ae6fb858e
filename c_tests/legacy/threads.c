/* threads [emulated]: updates with several threads: the same bits, the same errors, and nothing left after ldy_shutdown. Emulated
 * processors have no floating-point modes, and do not know a fork's threads. */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

#include "support/check.h"
#include "support/error_observer.h"
#include "support/large_scene.h"
#include "support/process_threads.h"

static atomic_int is_over;
static const int counts[] = { 1, 2, 3, 7 };

#define COUNTS ((int) (sizeof counts / sizeof counts[0]))

static uint64_t update_with (int threads)
{
  HOST *host = large_scene (1);

  CHECK_INT (ldy_set_threads (threads), 0);
  LOCDYN_Update_Begin (host->dom.ldy);
  uint64_t sum = large_scene_digest (host);
  LOCDYN_Update_Begin (host->dom.ldy);
  CHECK (large_scene_digest (host) == sum);
  scene_destroy (host);
  return sum;
}

static void test_same_bits (void)
{
  uint64_t alone = update_with (1);

  for (int i = 0; i < COUNTS; i ++) {
    check_context ("%d threads", counts[i]);
    CHECK (update_with (counts[i]) == alone);
  }
}

/* ---- errors */

static void expect_error (HOST *host, const char *part)
{
  CHECK (watched_update (host) != 0);
  CHECK_TEXT (watched.text, part);
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
  BODY *body = host->dom.con->master, *later = late->master;
  MX *inverse = body->inverse, *later_inverse = later->inverse;

  watch_errors ();
  LOCDYN_Update_Begin (host->dom.ldy);
  uint64_t sum = large_scene_digest (host);
  for (int i = 0; i < COUNTS; i ++) {
    check_context ("%d threads", counts[i]);
    CHECK_INT (ldy_set_threads (counts[i]), 0);
    early->base[4] = late->base[4] = 0.0 / (good[0] - good[0]);
    snprintf (name, sizeof name, "constraint %u ", early->id);
    expect_error (host, name);
    early->base[4] = good[0];
    snprintf (name, sizeof name, "constraint %u ", late->id);
    expect_error (host, name);
    late->base[4] = good[1];

    body->inverse = later->inverse = NULL; /* bodies come in the order of their first rows */
    snprintf (name, sizeof name, "body %u: inverse", body->id);
    expect_error (host, name);
    body->inverse = inverse;
    later->inverse = later_inverse;

    CHECK_INT (watched_update (host), 0);
    CHECK (large_scene_digest (host) == sum);
  }
  watch_no_errors ();
  scene_destroy (host);
}

/* Each body has a pair of constraints of its own: one sees it turn about x, the other about y. */
static HOST *lone_pairs (int count)
{
  HOST *host = host_create ();
  double inverse[36] = { 0 };
  BODY *body;

  for (int i = 0; i < 6; i ++) inverse[7 * i] = 1;
  for (int i = 0; i < count; i ++) {
    body = host_add_body (host, RIG);
    host_set_inverse (body, host_matrix_dense (6, 6, inverse));
    for (int k = 0; k < 2; k ++) host_add_constraint (host, FIXPNT, body, NULL)->mpnt[k] = 10;
  }
  host->dom.step = 1;
  scene_insert_all (host);
  return host;
}

/* If several pairs fail, the first one inserted is named. Threads take 512 pairs at a time from those that are contiguous in
 * memory, here the last 2048. */
static void test_pairs (void)
{
  enum { PAIRS = 4000, FIRST = 2450 };
  HOST *host = lone_pairs (PAIRS);
  char name[64];
  int failing = 0;

  for (BODY *body = host->dom.bod; body; body = body->next) {
    if ((int) body->id > FIRST) body->inverse->x[1] = body->inverse->x[6] = 1e307, failing ++;
  }
  CHECK_INT (failing, PAIRS - FIRST);
  snprintf (name, sizeof name, "constraint %u (FIXPNT) on body %d ", constraint_at (host, 2 * FIRST)->id, FIRST + 1);
  watch_errors ();
  for (int count = 1; count <= 3; count ++) {
    CHECK_INT (ldy_set_threads (count), 0);
    for (int i = 0; i < 20; i ++) {
      check_context ("pairs with %d threads, update %d", count, i);
      expect_error (host, name);
      CHECK_INT (watched.code, LDY_ERROR_INVALID_ARGUMENT);
      CHECK_TEXT (ldy_last_error (), name);
    }
  }
  watch_no_errors ();
  scene_destroy (host);
}

static void test_numbers (void)
{
  CHECK_INT (ldy_set_threads (0), 52);
  CHECK_TEXT (ldy_last_error (), "0 threads");
  CHECK_INT (ldy_set_threads (-3), 52);
  CHECK_INT (ldy_set_threads (1025), 52);
  CHECK_INT (ldy_set_threads (1024), 0);
  CHECK_INT (ldy_set_threads (1), 0);
}

/* ---- other processes, and the end */

/* The child has no threads of the parent, and has asked for none. Its digest comes through a pipe, so that it can exit without
 * freeing memory of the parent's threads, which is no leak. */
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
    _exit (write (ends[1], &sum, sizeof sum) != (ssize_t) sizeof sum || process_threads () != 1);
  }
  CHECK (child > 0);
  close (ends[1]);
  CHECK_INT (read (ends[0], &sum, sizeof sum), sizeof sum);
  close (ends[0]);
  CHECK (waitpid (child, &status, 0) == child);
  CHECK_INT (status, 0);
  CHECK (sum == alone);
  LOCDYN_Update_Begin (host->dom.ldy);
  CHECK (large_scene_digest (host) == alone);
  scene_destroy (host);
}

/* The child of a fork asks for threads: they are its own, and end. */
static int use_own_threads (HOST *host, uint64_t alone)
{
  alarm (60);
  CHECK_INT (settled_threads (1), 1);
  for (int count = 2; count < 5; count ++) {
    CHECK_INT (ldy_set_threads (count), 0);
    LOCDYN_Update_Begin (host->dom.ldy);
    CHECK (large_scene_digest (host) == alone);
    CHECK_INT (settled_threads (count), count);
  }
  ldy_shutdown ();
  CHECK_INT (settled_threads (1), 1);
  return check_failures () > 0;
}

/* Updates with threads until `is_over` is set. */
static void *update_steadily (void *data)
{
  HOST *host = data;

  while (!atomic_load (&is_over)) LOCDYN_Update_Begin (host->dom.ldy);
  return NULL;
}

/* The address sanitizer's allocator is of no use in the child if another thread was in it during the fork. */
#ifdef __SANITIZE_ADDRESS__
enum { CAN_FORK_AT_WORK = 0 };
#else
enum { CAN_FORK_AT_WORK = 1 };
#endif

/* Children with threads of their own. The parent has the same number of threads, another number or none, and its threads may
 * be at work. */
static void test_threads_of_children (void)
{
  uint64_t alone = update_with (1);
  HOST *host = large_scene (1), *busy = large_scene (0);
  pthread_t updating;
  pid_t child;
  int status, is_busy;

  for (int i = 0; i < 24; i ++) {
    is_busy = i >= 4 && CAN_FORK_AT_WORK;
    check_context ("child %d", i);
    CHECK_INT (ldy_set_threads (1 + i % 4), 0);
    LOCDYN_Update_Begin (is_busy ? busy->dom.ldy : host->dom.ldy);
    if (is_busy) CHECK_INT (pthread_create (&updating, NULL, update_steadily, busy), 0);
    if (is_busy) nanosleep (&(struct timespec) { .tv_nsec = 100000 * (i % 7) }, NULL);
    /* A thread that the update has started may still be on its way, and so in that allocator. */
    if (!CAN_FORK_AT_WORK) nanosleep (&(struct timespec) { .tv_nsec = 20000000 }, NULL);
    child = fork ();
    if (child == 0) _exit (use_own_threads (host, alone));
    CHECK (child > 0);
    CHECK (waitpid (child, &status, 0) == child);
    CHECK_INT (status, 0);
    atomic_store (&is_over, 1);
    if (is_busy) CHECK_INT (pthread_join (updating, NULL), 0);
    atomic_store (&is_over, 0);
  }
  scene_destroy (host);
  scene_destroy (busy);
}

/* ---- the caller's floating-point mode */

#ifdef __x86_64__

/* The digest of the second of two updates with a mode that was set after the threads were started. */
static uint64_t update_in_mode (HOST *host, int count, unsigned mode)
{
  unsigned before = _mm_getcsr ();

  CHECK_INT (ldy_set_threads (count), 0);
  LOCDYN_Update_Begin (host->dom.ldy);
  _mm_setcsr (mode);
  LOCDYN_Update_Begin (host->dom.ldy);
  LOCDYN_Update_Begin (host->dom.ldy);
  uint64_t sum = large_scene_digest (host);
  _mm_setcsr (before);
  return sum;
}

/* Velocities so small that V and B are subnormal. */
static void shrink (HOST *host)
{
  for (BODY *body = host->dom.bod; body; body = body->next) {
    for (int i = 0; i < 2 * body->dofs; i ++) body->velo[i] *= 1e-308;
  }
}

static void test_modes (void)
{
  static const struct {
    const char *name;
    unsigned mode;
    int is_small;
  } modes[] = {
    { "to nearest", 0x1f80, 0 }, { "downward", 0x3f80, 0 }, { "upward", 0x5f80, 0 }, { "toward zero", 0x7f80, 0 },
    { "subnormals", 0x1f80, 1 }, { "subnormal results to zero", 0x9f80, 1 }, { "subnormals to zero", 0x9fc0, 1 },
  };
  uint64_t alone, before = 0;
  HOST *host;
  int i, k;

  for (i = 0; i < (int) (sizeof modes / sizeof *modes); i ++) {
    host = large_scene (!modes[i].is_small);
    if (modes[i].is_small) shrink (host);
    check_context ("%s, 1 thread", modes[i].name);
    alone = update_in_mode (host, 1, modes[i].mode);
    CHECK (alone != before); /* the mode matters */
    for (k = 2; k < 4; k ++) {
      check_context ("%s, %d threads", modes[i].name, k);
      CHECK (update_in_mode (host, k, modes[i].mode) == alone);
    }
    before = alone;
    scene_destroy (host);
  }
}

#else

static void test_modes (void) { }

#endif

static void test_shutdown (void)
{
  uint64_t sum = update_with (3);

  ldy_shutdown ();
  ldy_shutdown ();
  CHECK (update_with (3) == sum);
  ldy_shutdown ();
}

int main (int argc, char **argv)
{
  int is_emulated = argc > 1 && !strcmp (argv[1], "emulated");

  test_numbers ();
  test_same_bits ();
  test_errors ();
  test_pairs ();
  if (!is_emulated) {
    test_fork ();
    test_threads_of_children ();
    test_modes ();
  }
  test_shutdown ();
  return check_summary ("threads");
}
