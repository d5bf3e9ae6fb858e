/* factor_allocations FILE.ldysnap ...: every allocation of Insert, Update_Begin, Dump, Clone_Non_Contacts and ldy_shadow_check
 * on recorded states made to fail in turn, the k-th alone and all from the k-th on. The states have finite-element bodies,
 * whose matrix A is factored; the same with A taken for a general matrix. Each attempt runs in a child, since the library for
 * sparse matrices may abort. An attempt that aborts is made again, with memory that was given back to be had again: if it does
 * not abort then, it takes another thread, which takes that memory first. Only a general matrix may have attempts that abort
 * without. */
#define _POSIX_C_SOURCE 200809L

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"
#include "support/digest.h"
#include "support/failing_allocator.h"
#include "support/host/hooks.h"
#include "support/scene.h"
#include "support/snapshot.h"

typedef struct {
  SNAPSHOT *snapshot;
  LOCDYN *ldy;
  void (*call) (LOCDYN *ldy, SNAPSHOT *snapshot);
} ATTEMPT;

static ldy_shadow *shadow; /* a shadow of the library itself; NULL: the call needs none */
static int answer;         /* the code of a call that does not raise it */

static void insert (LOCDYN *ldy, SNAPSHOT *s)
{
  (void) ldy;
  for (int i = s->rows - 1; i >= 0; i --) {
    if (!s->row[i].con->dia && !host_insert (s->host, s->row[i].con)) return;
  }
}

static void begin (LOCDYN *ldy, SNAPSHOT *s) { (void) s, LOCDYN_Update_Begin (ldy); }
static void dump (LOCDYN *ldy, SNAPSHOT *s) { (void) s, LOCDYN_Dump (ldy, "/dev/null"); }

static void clone (LOCDYN *ldy, SNAPSHOT *s)
{
  LOCDYN *copy = LOCDYN_Clone_Non_Contacts (ldy);

  (void) s;
  if (copy) LOCDYN_Destroy (copy);
}

static void check_shadow (LOCDYN *ldy, SNAPSHOT *s)
{
  ldy_report report = { .size = sizeof report };

  (void) ldy, (void) s;
  ldy_shadow_check (shadow, NULL, &report);
  answer = report.code;
}

typedef enum { BARE, INSERTED, UPDATED, CHANGED } STATE; /* before the call; CHANGED: factored, and then other values */

static const struct {
  const char *name;
  STATE state;
  void (*call) (LOCDYN *, SNAPSHOT *);
  int first; /* no update has been made in the process before */
} calls[] = {
  { "Insert", BARE, insert, 0 },
  { "Update_Begin", INSERTED, begin, 0 },
  { "Update_Begin, first of all", INSERTED, begin, 1 },
  { "Update_Begin after changes", CHANGED, begin, 0 },
  { "Dump", UPDATED, dump, 0 },
  { "Clone_Non_Contacts", UPDATED, clone, 0 },
  { "Shadow check", UPDATED, check_shadow, 0 },
};

#define CALLS ((int) (sizeof calls / sizeof *calls))

/* ---- the state before a call */

static void change_matrices (SNAPSHOT *s)
{
  for (BODY *body = s->host->dom.bod; body; body = body->next) {
    if (host_gives_matrix (body)) body->inverse->x[0] *= 1 + 1e-9;
  }
}

static void prepare (SNAPSHOT *s, int which)
{
  STATE state = calls[which].state;

  s->host->dom.ldy = LOCDYN_Create (&s->host->dom);
  if (state != BARE) insert (NULL, s);
  if (state == UPDATED || state == CHANGED) LOCDYN_Update_Begin (s->host->dom.ldy);
  if (state == CHANGED) change_matrices (s);
  if (calls[which].call == check_shadow) shadow = ldy_shadow_new (s->host->dom.ldy);
}

/* ---- one attempt */

static void call_armed (void *data)
{
  ATTEMPT *attempt = data;

  failing.armed = 1;
  answer = 0;
  attempt->call (attempt->ldy, attempt->snapshot);
}

static int try_call (SNAPSHOT *s, int which)
{
  ATTEMPT attempt = { s, s->host->dom.ldy, calls[which].call };
  int code = host_try (call_armed, &attempt);

  failing.armed = 0;
  return code ? code : answer;
}

static SNAPSHOT *read_state (const char *path, int general)
{
  SNAPSHOT *s = snapshot_read (path, (char [256]) { 0 }, 256);
  int flags = MXIFAC;

  if (!s) abort ();
  GEOMETRIC_EPSILON = s->geometric_epsilon;
  for (BODY *body = s->host->dom.bod; general && body; body = body->next) {
    if (host_gives_matrix (body)) memcpy (&body->inverse->flags, &flags, sizeof flags);
  }
  return s;
}

/* Whether all is as if nothing had failed. */
static uint64_t check_recovered (SNAPSHOT *s, int which)
{
  LOCDYN *ldy = s->host->dom.ldy;

  CHECK (ldy_is_consistent (ldy, NULL));
  CHECK_INT (try_call (s, which), 0); /* not armed by then: `until` is past */
  if (calls[which].state == BARE) insert (NULL, s);
  LOCDYN_Update_Begin (ldy);
  CHECK (ldy_is_consistent (ldy, NULL));
  return digest_rows (DIGEST_START, ldy);
}

typedef struct {
  const char *path;
  int general, which, k, persistent, again;
} CASE;

static void release (SNAPSHOT *s)
{
  ldy_shadow_free (shadow);
  shadow = NULL;
  LOCDYN_Destroy (s->host->dom.ldy);
  snapshot_free (s);
}

/* The digest of the state if nothing fails. */
static uint64_t undisturbed (const CASE *c)
{
  SNAPSHOT *s = read_state (c->path, c->general);

  prepare (s, c->which);
  if (calls[c->which].state == BARE) insert (NULL, s);
  LOCDYN_Update_Begin (s->host->dom.ldy);
  uint64_t sum = digest_rows (DIGEST_START, s->host->dom.ldy);
  release (s);
  return sum;
}

/* 1 if an allocation failed; `sum` gets what an update gives afterwards. */
static int disturbed (const CASE *c, uint64_t *sum)
{
  SNAPSHOT *s = read_state (c->path, c->general);
  int code, failed;

  prepare (s, c->which);
  failing.until = c->k;
  failing.persistent = c->persistent;
  failing.again = c->again;
  failing.failed = failing.spare = 0;
  code = try_call (s, c->which);
  failed = failing.failed;
  CHECK_INT (code, failed && code ? LDY_ERROR_OUT_OF_MEMORY : 0); /* it may also do without what it did not get */
  failing.until = 1 << 30;
  failing.failed = failing.persistent = failing.again = 0;
  *sum = check_recovered (s, c->which);
  release (s);
  return failed > 0;
}

/* In a child: 0: no allocation failed any more; 3: one failed, and all is well; 1: a check failed. Memory that
 * the first update of a process allocates for good is no leak. */
static int attempt (const CASE *c)
{
  int first = calls[c->which].first, failures = check_failures (), failed;
  uint64_t expected = first ? 0 : undisturbed (c), sum;
  long before = failing.in_use;

  failed = disturbed (c, &sum);
  if (first) expected = undisturbed (c);
  else CHECK_INT (failing.in_use, before);
  CHECK (sum == expected);
  return check_failures () > failures ? 1 : failed ? 3 : 0;
}

typedef struct {
  int failed, aborted, overtaken; /* attempts in which an allocation failed; that aborted; that need another thread to */
} TALLY;

/* The status of a child that makes the attempt. */
static int status_of (const CASE *c)
{
  int status = 0;
  pid_t child;

  fflush (NULL);
  child = fork ();
  if (child == 0) {
    if (!freopen ("/dev/null", "w", stderr)) abort (); /* the words of one that aborts */
    _exit (attempt (c));
  }
  while (waitpid (child, &status, 0) < 0) continue;
  return status;
}

/* 1 if an allocation failed. */
static int run (const CASE *c, TALLY *tally)
{
  int status = status_of (c), can_abort = calls[c->which].call == begin || calls[c->which].call == check_shadow;
  CASE alone = *c;

  if (WIFSIGNALED (status)) {
    CHECK_INT (WTERMSIG (status), SIGABRT);
    CHECK (can_abort && (c->general || calls[c->which].first));
    tally->failed ++;
    alone.again = 1;
    status = status_of (&alone);
    if (WIFSIGNALED (status)) {
      CHECK_INT (WTERMSIG (status), SIGABRT);
      CHECK (c->general && tally->overtaken > 0); /* the symbolic factor's lists come before the numeric factor's */
      tally->aborted ++;
    } else {
      CHECK (WEXITSTATUS (status) == 0 || WEXITSTATUS (status) == 3);
      tally->overtaken ++;
    }
    return 1;
  }
  CHECK (WEXITSTATUS (status) == 0 || WEXITSTATUS (status) == 3);
  tally->failed += WEXITSTATUS (status) == 3;
  return WEXITSTATUS (status) == 3;
}

static void run_call (const char *path, int general, int which)
{
  const char *name = strrchr (path, '/') ? strrchr (path, '/') + 1 : path;
  TALLY tally = { 0, 0, 0 };
  CASE c = { path, general, which, 1, 0, 0 };

  for (c.persistent = 0; c.persistent < 2; c.persistent ++) {
    for (c.k = 1;; c.k ++) {
      check_context ("%s, %s, %s %d", name, calls[which].name, c.persistent ? "all from" : "allocation", c.k);
      if (!run (&c, &tally)) break;
    }
    if (calls[which].state != CHANGED) CHECK (c.k > 1);
  }
  if (!general) {
    CHECK_INT (tally.aborted, 0);
    CHECK_INT (tally.overtaken, 2 * calls[which].first); /* the buffer for packing, alone and among all that follow */
  }
  printf ("%-36s %-8s %-28s %5d failed %4d aborted %4d if overtaken\n", name, general ? "general" : "definite", calls[which].name,
    tally.failed, tally.aborted, tally.overtaken);
}

int main (int argc, char **argv)
{
  ldy_set_option (LDY_QUIET, 1);
  for (int i = 1; i < argc; i ++) {
    for (int general = 0; general < 2; general ++) {
      for (int which = 0; which < CALLS; which ++) run_call (argv[i], general, which);
    }
  }
  return check_summary ("factor_allocations");
}
