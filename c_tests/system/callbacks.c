/* Solvers that call the library in the middle of an update with threads: they end the threads, ask for others, fork, update
 * another system, and jump out of the update, which they must not do. Nothing hangs, and results have the same bits. */
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/system_calls.h"
#include "support/check.h"
#include "support/process_threads.h"

#define BODIES 700 /* with a constraint each: enough for threads */

typedef enum { NOTHING, SHUTDOWN, MORE_THREADS, ANOTHER_UPDATE, FORK, JUMP } DEED;

static const char *const names[] = { "nothing", "ldy_shutdown", "ldy_set_threads", "another update", "fork", "a jump" };

static DEED deed;
static ldy_system *other;
static jmp_buf back;
static pid_t child;

static int solve (int size, int columns, double *x, void *data)
{
  (void) size, (void) columns, (void) x, (void) data;
  switch (deed) {
  case SHUTDOWN: ldy_shutdown (); break;
  case MORE_THREADS: return ldy_set_threads (3);
  case ANOTHER_UPDATE: return ldy_system_update (other, 1e-3);
  case FORK: child = fork (); if (child == 0) alarm (60); return child < 0;
  case JUMP: deed = NOTHING; longjmp (back, 1);
  default: break;
  }
  return 0;
}

static int rest (int size, int columns, double *x, void *data)
{
  (void) size, (void) columns, (void) x, (void) data;
  return 0;
}

/* Bodies on the ground, and one that is solved for by the host. */
static ldy_system *create (ldy_apply_inverse solver)
{
  static const double frame[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, inertia[9] = { 1, 0, 0, 0, 2, 0, 0, 0, 3 };
  static const double center[3] = { 0 }, H[18] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  const ldy_operator operator = { 6, NULL, NULL, H, 18 };
  ldy_system *system = NULL;
  int64_t body, constraint;

  CHECK_INT (ldy_system_create (&system), 0);
  for (int i = 0; i < BODIES; i ++) {
    double point[3] = { 0.1 * i, 0.2, 0.3 };

    CHECK_INT (ldy_system_add_rigid (system, 1 + 0.01 * i, inertia, frame, center, &body), 0);
    CHECK_INT (ldy_system_add_point_constraint (system, body, LDY_GROUND, frame, point, point, &constraint), 0);
  }
  CHECK_INT (ldy_system_add_body (system, FUNCTION (6, solver, NULL), &body), 0);
  CHECK_INT (ldy_system_add_constraint_rows (system, 3, (int64_t []) { body, LDY_GROUND }, (ldy_operator []) { operator, (ldy_operator) { 0 } }, 2, &constraint), 0);
  return system;
}

static int same (const ldy_system *one, const ldy_system *two)
{
  ldy_rows a = { .size = sizeof a }, b = { .size = sizeof b };

  return ldy_system_results (one, &a) == 0 && ldy_system_results (two, &b) == 0 && a.blocks == b.blocks
    && memcmp (a.values, b.values, 9 * sizeof (double) * (size_t) a.blocks) == 0;
}

/* In the child of a fork the update goes on as well. */
static void check_child (int result, const ldy_system *system, const ldy_system *expected)
{
  int status;

  if (child == 0) _exit (result || !same (system, expected));
  CHECK (waitpid (child, &status, 0) == child);
  CHECK_INT (status, 0);
  child = -1;
}

static void test_deed (DEED which, const ldy_system *expected)
{
  ldy_system *system = create (solve);

  check_context ("%s", names[which]);
  CHECK_INT (ldy_set_threads (2), 0);
  deed = which;
  int result = ldy_system_update (system, 1e-3);
  deed = NOTHING;
  if (which == FORK) check_child (result, system, expected);
  CHECK_INT (result, 0);
  CHECK (same (system, expected));
  CHECK_INT (ldy_system_update (system, 1e-3), 0);
  CHECK (same (system, expected));
  ldy_system_destroy (system);
}

/* The update that was left so is lost, and its memory with it: in a child. Others use the threads as before. */
static int jump (const ldy_system *expected)
{
  /* An emulator has threads of its own. */
  int alone = process_threads ();
  ldy_system *system = create (solve);

  alarm (60);
  CHECK_INT (ldy_set_threads (2), 0);
  deed = JUMP;
  if (setjmp (back) == 0) {
    ldy_system_update (system, 1e-3);
    CHECK (!"jumped");
  }
  CHECK_INT (settled_threads (alone + 1), alone + 1);
  CHECK_INT (ldy_set_threads (3), 0);
  /* A new one, of which everything is to be made. */
  system = create (rest);
  CHECK_INT (ldy_system_update (system, 1e-3), 0);
  CHECK (same (system, expected));
  CHECK_INT (settled_threads (alone + 2), alone + 2);
  ldy_shutdown ();
  CHECK_INT (settled_threads (alone), alone);
  return check_failures () > 0;
}

static void test_jump (const ldy_system *expected)
{
  int status;

  check_context ("%s", names[JUMP]);
  child = fork ();
  if (child == 0) _exit (jump (expected));
  CHECK (waitpid (child, &status, 0) == child);
  CHECK_INT (status, 0);
}

int main (void)
{
  ldy_system *expected = create (rest);

  alarm (120);
  other = create (rest);
  CHECK_INT (ldy_set_threads (1), 0);
  CHECK_INT (ldy_system_update (expected, 1e-3), 0);
  for (DEED which = NOTHING; which <= FORK; which ++) test_deed (which, expected);
  ldy_shutdown ();
  test_jump (expected);
  ldy_system_destroy (other);
  ldy_system_destroy (expected);
  return check_summary ("callbacks");
}
