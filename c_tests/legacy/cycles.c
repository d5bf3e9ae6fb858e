/* Lists and sets of constraints whose links lead back: LDY_ERROR_INVALID_ARGUMENT, in bounded time and memory, and nothing is lost. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/check.h"
#include "support/compare.h"
#include "support/error_observer.h"
#include "support/large_scene.h"

#define CONSTRAINTS 6
#define LEVELS 60
#define LONG 3000

static void refused (const char *one, const char *two)
{
  CHECK_INT (watched.calls, 1);
  CHECK_INT (watched.code, LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (watched.text, one);
  CHECK_TEXT (watched.text, two);
  forget_errors ();
}

/* Two bodies and constraints between them; each scene is the same. */
static HOST *scene (SET_FORM form)
{
  static const int kinds[] = { CONTACT, FIXPNT, VELODIR };
  RANDOM random = { 31 };
  HOST *host = host_create ();
  BODY *one, *two;

  host->set_form = form;
  host->dom.step = 1e-3;
  one = scene_body (host, &random, RIG, INVERSE_BLOCKS);
  two = scene_body (host, &random, PRB, INVERSE_BLOCKS);
  for (int i = 0; i < CONSTRAINTS; i ++) scene_constraint (host, &random, kinds[i % 3], one, two);
  scene_insert_all (host);
  return host;
}

static CON *constraint (HOST *host, int place)
{
  CON *con = host->dom.con;

  while (place --) con = con->next;
  return con;
}

/* An update makes what it makes of a scene that was never damaged. */
static void as_if_nothing_had_been (HOST *host, HOST *sound)
{
  CHECK_INT (ldy_is_consistent (host->dom.ldy, NULL), 1);
  host_set_update (host, UPDATE_ALL);
  host_set_update (sound, UPDATE_ALL);
  LOCDYN_Update_Begin (host->dom.ldy);
  LOCDYN_Update_Begin (sound->dom.ldy);
  CHECK_INT (watched.calls, 0);
  CHECK (large_scene_digest (host) == large_scene_digest (sound));
  update_and_compare (host, UPDATE_ALL);
}

/* ---- the list */

static void shadow_refuses (HOST *host, const char *name)
{
  ldy_shadow *shadow = ldy_shadow_new (host->dom.ldy);
  ldy_report report = { .size = sizeof report };

  CHECK_INT (ldy_shadow_check (shadow, NULL, &report), 0);
  CHECK_INT (report.code, LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (report.text, name);
  CHECK_TEXT (report.text, "twice in dom->con");
  ldy_shadow_free (shadow);
}

/* The last of `count` constraints leads back to the one at `back`; the others are out of the list. */
static void test_list (UPDATE_KIND update, int updated, int count, int back)
{
  HOST *host = scene (SET_BALANCED), *sound = scene (SET_BALANCED);
  CON *last = constraint (host, count - 1), *next = last->next, *first = constraint (host, back);
  char name[32];

  check_context ("update %d, updated %d, %d constraints, back to %d", update, updated, count, back);
  snprintf (name, sizeof name, "constraint %u (", first->id);
  if (updated) LOCDYN_Update_Begin (host->dom.ldy);
  host_set_update (host, update);
  last->next = first;
  LOCDYN_Update_Begin (host->dom.ldy);
  refused (name, "twice in dom->con");
  LOCDYN_Update_Begin (host->dom.ldy);
  refused (name, "twice in dom->con");
  shadow_refuses (host, name);
  last->next = next;
  as_if_nothing_had_been (host, sound);
  scene_destroy (host);
  scene_destroy (sound);
}

static void test_lists (void)
{
  static const UPDATE_KIND updates[] = { UPDATE_ALL, UPDATE_PENALTY, UPDATE_MINIMAL };

  for (int i = 0; i < 6; i ++) {
    for (int count = 1; count <= CONSTRAINTS; count ++) {
      for (int back = 0; back < count; back ++) test_list (updates[i / 2], i % 2, count, back);
    }
  }
}

/* With enough constraints for threads. */
static void test_long_list (void)
{
  HOST *host = large_scene (0), *sound = large_scene (0);
  CON *last = host->dom.con;

  check_context ("long list");
  while (last->next) last = last->next;
  ldy_set_threads (2);
  LOCDYN_Update_Begin (host->dom.ldy);
  last->next = host->dom.con->next;
  LOCDYN_Update_Begin (host->dom.ldy);
  refused ("constraint ", "twice in dom->con");
  last->next = NULL;
  as_if_nothing_had_been (host, sound);
  scene_destroy (host);
  scene_destroy (sound);
  ldy_shutdown ();
}

/* ---- sets */

static int is_sentinel (const SET *set) { return set->l == set && set->r == set; }

static int nodes_of (SET *set, SET **nodes)
{
  int count = 0;

  if (is_sentinel (set)) return 0;
  count = nodes_of (set->l, nodes);
  nodes[count ++] = set;
  return count + nodes_of (set->r, nodes + count);
}

/* A constraint is inserted while one node's child is another node, or itself. */
static void test_link (SET_FORM form, int right, int from, int to)
{
  HOST *host = scene (form), *sound = scene (form);
  CON *con = constraint (host, 2);
  SET *nodes[CONSTRAINTS], **link, *kept;

  check_context ("sets %d, child %d of %d is %d", form, right, from, to);
  host_remove (host, con);
  host_remove (sound, constraint (sound, 2));
  int whole = nodes_of (con->master->con, nodes) == CONSTRAINTS;
  link = right ? &nodes[from]->r : &nodes[from]->l;
  kept = *link;
  *link = nodes[to];
  /* A leaf that became its own child twice would be a sentinel. */
  if (CHECK (whole && !is_sentinel (nodes[from]))) {
    CHECK_POINTER (LOCDYN_Insert (host->dom.ldy, con, con->master, con->slave), NULL);
    refused (watched.calls && strstr (watched.text, "twice") ? "comes twice in the set of body" : "not a tree", "body");
  }
  *link = kept;
  host_insert (host, con);
  host_insert (sound, constraint (sound, 2));
  as_if_nothing_had_been (host, sound);
  scene_destroy (host);
  scene_destroy (sound);
}

/* Whether a node can be reached from another one. */
static int is_below (const SET *node, const SET *top)
{
  return !is_sentinel (top) && (node == top || is_below (node, top->l) || is_below (node, top->r));
}

/* A link to an ancestor, itself included, or to a node that stays where it was. What hangs on the link that is replaced is
 * out of the set, which may then be a tree again: such links are left out, and the leaf of the constraint without a row, which
 * counts for nothing however often it comes. */
static void test_links (SET_FORM form)
{
  HOST *host = scene (form);
  SET *nodes[CONSTRAINTS], *child;
  int links = 0;

  CHECK_INT (nodes_of (host->dom.bod->con, nodes), CONSTRAINTS);
  for (int from = 0; from < CONSTRAINTS; from ++) {
    for (int right = 0; right < 2; right ++) {
      child = right ? nodes[from]->r : nodes[from]->l;
      for (int to = 0; to < CONSTRAINTS; to ++) {
        if (is_below (nodes[to], child) || nodes[to]->data == constraint (host, 2)) continue;
        test_link (form, right, from, to);
        links ++;
      }
    }
  }
  CHECK (links > CONSTRAINTS * CONSTRAINTS);
  scene_destroy (host);
}

/* 2^LEVELS elements without rows. */
static void test_shared_halves (void)
{
  HOST *host = scene (SET_BALANCED), *sound = scene (SET_BALANCED);
  CON *con = constraint (host, 0), *rowless;
  BODY *body = con->master;
  SET *kept = body->con, *sentinel = kept, *levels = calloc (LEVELS, sizeof *levels);

  check_context ("shared halves");
  if (!levels) abort ();
  rowless = host_add_constraint (host, CONTACT, host_add_body (host, RIG), NULL);
  while (!is_sentinel (sentinel)) sentinel = sentinel->l;
  for (int i = 0; i < LEVELS; i ++) {
    levels[i].l = levels[i].r = i + 1 < LEVELS ? &levels[i + 1] : sentinel;
    levels[i].data = rowless;
  }
  host_remove (host, con);
  body->con = levels;
  CHECK_POINTER (LOCDYN_Insert (host->dom.ldy, con, con->master, con->slave), NULL);
  refused ("the set of constraints of body", "not a tree");
  body->con = kept;
  host_free_constraint (host, rowless);
  host_insert (host, con);
  host_remove (sound, constraint (sound, 0));
  host_insert (sound, constraint (sound, 0));
  as_if_nothing_had_been (host, sound);
  scene_destroy (host);
  scene_destroy (sound);
  free (levels);
}

/* Sets that are trees, and larger than any before, are taken for trees. */
static void test_long_sets (void)
{
  static const SET_FORM forms[] = { SET_BALANCED, SET_LEFT_CHAIN, SET_RIGHT_CHAIN };
  HOST *host;
  BODY *body;
  CON *con;
  int i;

  for (int k = 0; k < 3; k ++) {
    check_context ("long set %d", forms[k]);
    host = host_create ();
    host->dom.ldy = LOCDYN_Create (&host->dom);
    body = host_add_body (host, RIG);
    for (i = 0; i < LONG; i ++) host_add_constraint (host, FIXPNT, host_add_body (host, RIG), NULL);
    host->set_form = forms[k];
    {
      CON **all = calloc (LONG, sizeof *all);

      if (!all) abort ();
      for (i = 0, con = host->dom.con; con; con = con->next) all[i ++] = con;
      host_set_constraints (body, all, LONG);
      CHECK (LOCDYN_Insert (host->dom.ldy, all[0], body, NULL) != NULL);
      CHECK_INT (watched.calls, 0);
      host_set_constraints (body, NULL, 0);
      free (all);
    }
    LOCDYN_Destroy (host->dom.ldy);
    host_destroy (host);
  }
}

int main (void)
{
#if !defined (__SANITIZE_ADDRESS__)
  struct rlimit limit = { 1ul << 30, 1ul << 30 };

  setrlimit (RLIMIT_DATA, &limit);
#endif
  alarm (300);
  watch_errors ();
  test_lists ();
  test_long_list ();
  test_links (SET_BALANCED);
  test_links (SET_LEFT_CHAIN);
  test_links (SET_RIGHT_CHAIN);
  test_shared_halves ();
  test_long_sets ();
  return check_summary ("cycles");
}
