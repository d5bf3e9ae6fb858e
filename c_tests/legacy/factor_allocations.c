/* factor_allocations FILE.ldysnap ...: every allocation of Insert, Update_Begin, Dump, Clone_Non_Contacts and ldy_shadow_check
 * on recorded states made to fail in turn, the k-th alone and all from the k-th on. The states have finite-element bodies,
 * whose matrix A is factored; the same with A taken for a general matrix. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
} calls[] = {
  { "Insert", BARE, insert },
  { "Update_Begin", INSERTED, begin },
  { "Update_Begin after changes", CHANGED, begin },
  { "Dump", UPDATED, dump },
  { "Clone_Non_Contacts", UPDATED, clone },
  { "Shadow check", UPDATED, check_shadow },
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
  int general, which, k, persistent;
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

/* Makes allocation k fail. Returns 1 if there was one; `expected` is the digest of the state if nothing fails. */
static int run (const CASE *c, uint64_t expected)
{
  long before = failing.in_use;
  SNAPSHOT *s = read_state (c->path, c->general);
  int code, failed;

  prepare (s, c->which);
  failing.until = c->k;
  failing.persistent = c->persistent;
  failing.failed = 0;
  code = try_call (s, c->which);
  failed = failing.failed;
  CHECK_INT (code, failed && code ? LDY_ERROR_OUT_OF_MEMORY : 0); /* it may also do without what it did not get */
  failing.until = 1 << 30;
  failing.failed = failing.persistent = 0;
  CHECK (check_recovered (s, c->which) == expected);
  release (s);
  CHECK_INT (failing.in_use, before);
  return failed > 0;
}

static void run_call (const char *path, int general, int which)
{
  const char *name = strrchr (path, '/') ? strrchr (path, '/') + 1 : path;
  CASE c = { path, general, which, 1, 0 };
  uint64_t expected = undisturbed (&c);
  int failed = 0;

  for (c.persistent = 0; c.persistent < 2; c.persistent ++) {
    for (c.k = 1;; c.k ++) {
      check_context ("%s, %s, %s %d", name, calls[which].name, c.persistent ? "all from" : "allocation", c.k);
      if (!run (&c, expected)) break;
      failed ++;
    }
    CHECK (calls[which].state == CHANGED ? c.k == 1 : c.k > 1); /* a factor with other values takes no memory */
  }
  printf ("%-36s %-8s %-28s %5d failed\n", name, general ? "general" : "definite", calls[which].name, failed);
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
