/* thread_allocations STEP: every STEP-th allocation of an update with two threads made to fail in turn, the k-th alone and all
 * from the k-th on: error 1, or the same bits as with one thread. Each series begins with another one of the first four. Each attempt
 * is a child, as an allocation that aborts would end the program. */
#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"
#include "support/error_observer.h"
#include "support/failing_allocator.h"
#include "support/large_scene.h"

#define ATTEMPTS 4000

typedef enum { FIRST, LATER, AFTER_SHUTDOWN, BY_ENVIRONMENT } WHEN;

static const char *const names[] = { "first update", "later update", "update after ldy_shutdown", "update with LDY_NUM_THREADS" };

/* Exit codes of children. */
enum { SAME, FAILED, COMPLETE, WRONG };

static HOST *host;
static uint64_t alone; /* the digest with one thread */
/* In a child: two threads again, as the parent's threads are not there. */
static int attempt (WHEN when, int k)
{
  alarm (60);
  if (when == BY_ENVIRONMENT) setenv ("LDY_NUM_THREADS", "2", 1);
  else ldy_set_threads (2);
  if (when == LATER || when == AFTER_SHUTDOWN) watched_update (host);
  if (when == AFTER_SHUTDOWN) ldy_shutdown ();
  failing_arm (k);
  int result = watched_update (host);
  failing.armed = 0;
  if (result != 0 && (result != LDY_ERROR_OUT_OF_MEMORY || !failing.failed)) return WRONG;
  if (result == 0 && large_scene_digest (host) != alone) return WRONG;
  if (!ldy_is_consistent (host->dom.ldy, NULL)) return WRONG;
  if (watched_update (host) != 0 || large_scene_digest (host) != alone) return WRONG;
  ldy_shutdown ();
  return !failing.failed ? COMPLETE : result ? FAILED : SAME;
}

static void attempts (WHEN when, int step)
{
  static int series;
  int k, status, tried = 0, same = 0;
  pid_t child;

  for (k = 1 + series ++ % (step < 4 ? step : 4); k < ATTEMPTS; k += step) {
    check_context ("%s, %s %d", names[when], failing.persistent ? "all allocations from" : "allocation", k);
    child = fork ();
    if (child == 0) _exit (attempt (when, k));
    CHECK (waitpid (child, &status, 0) == child);
    if (!CHECK (WIFEXITED (status) && WEXITSTATUS (status) != WRONG)) continue;
    if (WEXITSTATUS (status) == COMPLETE) break;
    tried ++;
    same += WEXITSTATUS (status) == SAME;
  }
  CHECK (k < ATTEMPTS);
  if (when == AFTER_SHUTDOWN) {
    /* Where there is no memory for threads it goes on without. */
    CHECK (tried > 0);
    CHECK_INT (same, tried);
  }
}

/* The digest of a child that uses one thread, whose first update leaves the parent without one. */
static void set_alone (void)
{
  int ends[2], status;
  pid_t child;

  CHECK_INT (pipe (ends), 0);
  child = fork ();
  if (child == 0) {
    ldy_set_threads (1);
    watched_update (host);
    alone = large_scene_digest (host);
    _exit (write (ends[1], &alone, sizeof alone) != (ssize_t) sizeof alone);
  }
  CHECK_INT (read (ends[0], &alone, sizeof alone), sizeof alone);
  close (ends[0]);
  close (ends[1]);
  CHECK (waitpid (child, &status, 0) == child);
}

int main (int argc, char **argv)
{
  int step = argc > 1 ? atoi (argv[1]) : 1;

  watch_errors ();
  host = large_scene (0);
  set_alone ();
  for (WHEN when = FIRST; when <= BY_ENVIRONMENT; when ++) {
    for (failing.persistent = 0; failing.persistent < 2; failing.persistent ++) attempts (when, step);
  }
  scene_destroy (host);
  return check_summary ("thread_allocations");
}
