/* reuse ROUNDS: with LDY_REUSE, what an update leaves alone is what it would have written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/compare.h"
#include "support/large_scene.h"
#include "support/rebuild_compare.h"

static void update (HOST *host, int reuse)
{
  CHECK_INT (ldy_set_option (LDY_REUSE, reuse), 0);
  LOCDYN_Update_Begin (host->dom.ldy);
}

static CON *any_constraint (HOST *host, RANDOM *random)
{
  CON *con = host->dom.con;
  int place = random_below (random, host->dom.ncon);

  for (; place > 0 && con->next; place --) con = con->next;
  return con;
}

static void replace_row (HOST *host, CON *con)
{
  host_remove (host, con);
  CHECK (host_insert (host, con) != NULL);
}

/* An update that stops halfway, at a constraint with a frame that is not finite. */
static void fail (HOST *host, RANDOM *random)
{
  CON *con = any_constraint (host, random);
  double kept = con->base[4], step = host->dom.step;

  host->dom.step *= 2.0;
  con->base[4] = 0.0 / (kept - kept);
  watch_errors ();
  update (host, 1);
  watch_no_errors ();
  CHECK_INT (watched.calls, 1);
  con->base[4] = kept;
  host->dom.step = step;
}

static void change (HOST *host, RANDOM *random)
{
  CON *con = any_constraint (host, random);
  BODY *body = con->master;
  int i;

  switch (random_below (random, 8)) {
  case 0: scene_randomise_constraint (con, random); break;
  case 1: if (body->kind != OBS) scene_randomise_body (body, random, INVERSE_BLOCKS); break;
  case 2: if (body->kind != OBS) scene_randomise_body (body, random, (INVERSE_FORM) random_below (random, INVERSE_FORMS)); break;
  case 3: replace_row (host, con); break;
  case 4: for (i = 0; i < 20; i ++) replace_row (host, any_constraint (host, random)); break;
  case 5: if (body->velo) body->velo[0] += 1.0; break;
  case 6: fail (host, random); break;
  case 7: host->dom.step *= 1.25; break;
  }
}

static void test_against_all_anew (int threads, int rounds)
{
  HOST *host = large_scene (0);
  RANDOM random = { 31 };
  uint64_t sum;
  int i;

  CHECK_INT (ldy_set_threads (threads), 0);
  update (host, 0);
  for (i = 0; i < rounds; i ++) {
    check_context ("%d threads, round %d", threads, i);
    change (host, &random);
    update (host, 1);
    sum = large_scene_digest (host);
    if (random_below (&random, 2)) update (host, 1);
    CHECK (large_scene_digest (host) == sum);
    update (host, 0);
    CHECK (large_scene_digest (host) == sum);
  }
  CHECK_INT (ldy_set_threads (1), 0);
  scene_destroy (host);
}

/* Two constraints on rigid bodies alone that share one. */
static OFFB *rigid_block (HOST *host)
{
  CON *con;
  OFFB *block;

  for (con = host->dom.con; con; con = con->next) {
    if (con->slave == NULL || con->slave == con->master) continue;
    for (block = con->dia->adj; block; block = block->n) {
      if (block->bod->kind == RIG && block->bod->inverse->kind == MXBD && block->bod->inverse->n == 2) return block;
    }
  }
  return NULL;
}

/* What has not changed is not written, but only as long as the host has promised the same. */
static void test_left_alone (void)
{
  HOST *host = large_scene (0);
  OFFB *block = rigid_block (host);
  double value;

  update (host, 1);
  value = block->W[0];
  block->W[0] = 77.0;
  update (host, 1);
  CHECK (block->W[0] == 77.0);
  host->dom.step *= 2.0;
  update (host, 1);
  CHECK_NEAR (block->W[0], 2.0 * value, 1e-12 * (1.0 + (value < 0.0 ? -value : value)));
  block->W[0] = 77.0;
  update (host, 0);
  CHECK (block->W[0] != 77.0);
  scene_destroy (host);
}

/* ---- after what nothing is left alone */

static CON *in_the_middle (HOST *host)
{
  CON *con = host->dom.con;
  int i;

  for (i = 0; i < host->dom.ncon / 2; i ++) con = con->next;
  return con;
}

static void penalty (HOST *host)
{
  host_set_update (host, UPDATE_PENALTY);
  CHECK_INT (watched_update (host), 0);
}

static void minimal (HOST *host)
{
  host_set_update (host, UPDATE_MINIMAL);
  CHECK_INT (watched_update (host), 0);
}

/* Something bad is found when constraints are gathered, bodies prepared, rows made, pairs made. */

static void refused_step (HOST *host)
{
  double kept = host->dom.step;

  host->dom.step = 0.0 / (kept - kept);
  CHECK_INT (watched_update (host), LDY_BUG_FOUND);
  host->dom.step = kept;
}

static void refused_row (HOST *host)
{
  CON *con = in_the_middle (host);
  DIAB *kept = con->dia;

  con->dia = NULL;
  CHECK_INT (watched_update (host), LDY_BUG_FOUND);
  con->dia = kept;
}

static void refused_body (HOST *host)
{
  BODY *body = in_the_middle (host)->master;
  MX *kept = body->inverse;

  body->inverse = NULL;
  CHECK_INT (watched_update (host), LDY_MATRIX_KIND);
  body->inverse = kept;
}

static void refused_frame (HOST *host)
{
  CON *con = in_the_middle (host);
  double kept = con->base[4];

  con->base[4] = 0.0 / (kept - kept);
  CHECK_INT (watched_update (host), LDY_BUG_FOUND);
  con->base[4] = kept;
}

/* Again and again: an update that finds nothing changed since one that failed fails as well. */
static void refused_axis (HOST *host)
{
  CON *con = in_the_middle (host);
  double kept[9];
  int i;

  memcpy (kept, con->base, sizeof kept);
  memset (con->base + 6, 0, 3 * sizeof (double));
  for (i = 0; i < 3; i ++) CHECK_INT (watched_update (host), LDY_LU_FACTOR);
  memcpy (con->base, kept, sizeof kept);
}

/* Two fixed points on the last body, between which a block overflows while their diagonal blocks do not. */
static void refused_block (HOST *host)
{
  BODY *body = host->dom.bod;
  CON *con = host->dom.con;
  char first[32], second[32];
  double kept;
  int i;

  while (body->next) body = body->next;
  while (con->next->next) con = con->next;
  snprintf (first, sizeof first, "constraint %u ", con->id);
  snprintf (second, sizeof second, "constraint %u ", con->next->id);
  kept = body->inverse->x[1];
  body->inverse->x[1] = body->inverse->x[6] = 1e307;
  for (i = 0; i < 3; i ++) {
    CHECK_INT (watched_update (host), LDY_BUG_FOUND);
    CHECK_TEXT (watched.text, "between them");
    CHECK_TEXT (watched.text, first);
    CHECK_TEXT (watched.text, second);
  }
  body->inverse->x[1] = body->inverse->x[6] = kept;
}

static void add_far_points (HOST *host)
{
  double inverse[36] = { 0 };
  BODY *body = host_add_body (host, RIG);
  CON *con;
  int i;

  for (i = 0; i < 6; i ++) inverse[7 * i] = 1;
  host_set_inverse (body, host_matrix_dense (6, 6, inverse));
  for (i = 0; i < 2; i ++) {
    con = host_add_constraint (host, FIXPNT, body, NULL);
    con->mpnt[i] = 10;
    CHECK_INT (watched_insert (host, con), 0);
  }
}

typedef struct {
  const char *name;
  void (*happens) (HOST *);
} EVENT;

/* Numbers of a host's own stand in all rows and blocks: each one has to be written. */
static void test_events (int threads, const EVENT *events, int count)
{
  HOST *host = threads > 1 ? large_scene (0) : scene_mixed (32);
  int i;

  if (threads == 1) scene_insert_all (host);
  watch_errors ();
  CHECK_INT (ldy_set_threads (threads), 0);
  CHECK_INT (ldy_set_option (LDY_REUSE, 1), 0);
  add_far_points (host);
  host->dom.step = 1;
  for (i = 0; i < count; i ++) {
    check_context ("%d threads, %s", threads, events[i].name);
    CHECK_INT (watched_update (host), 0);
    events[i].happens (host);
    marks_free (marks_put (host->dom.ldy));
    host_set_update (host, UPDATE_ALL);
    CHECK_INT (watched_update (host), 0);
    check_fresh (host);
    CHECK_INT (ldy_is_consistent (host->dom.ldy, NULL), 1);
  }
  CHECK_INT (ldy_set_threads (1), 0);
  watch_no_errors ();
  scene_destroy (host);
}

static void test_nothing_left_alone (int threads)
{
  static const EVENT events[] = {
    { "penalty", penalty }, { "minimal", minimal }, { "refused step", refused_step }, { "refused row", refused_row },
    { "refused body", refused_body }, { "refused frame", refused_frame }, { "refused axis", refused_axis },
    { "refused block", refused_block } };

  test_events (threads, events, (int) (sizeof events / sizeof *events));
}

/* ---- options */

static void without_reuse (HOST *host)
{
  CHECK_INT (ldy_set_option (LDY_REUSE, 0), 0);
  CHECK_INT (watched_update (host), 0);
  CHECK_INT (ldy_set_option (LDY_REUSE, 1), 0);
}

static void self_contact_once (HOST *host)
{
  (void) host;
  CHECK_INT (ldy_set_option (LDY_SELF_CONTACT_ONCE, 1), 0);
}

static void no_avx2 (HOST *host)
{
  (void) host;
  CHECK_INT (ldy_set_option (LDY_NO_AVX2, 1), 0);
}

static void more_threads (HOST *host)
{
  (void) host;
  CHECK_INT (ldy_set_threads (3), 0);
}

/* What was made under other options is made anew: with LDY_REUSE 0 a host may have written there. */
static void test_options_change (int threads)
{
  static const EVENT events[] = {
    { "without reuse", without_reuse }, { "self-contact once", self_contact_once }, { "no AVX2", no_avx2 },
    { "more threads", more_threads } };

  test_events (threads, events, (int) (sizeof events / sizeof *events));
  CHECK_INT (ldy_set_option (LDY_SELF_CONTACT_ONCE, 0), 0);
  CHECK_INT (ldy_set_option (LDY_NO_AVX2, 0), 0);
}

/* ---- two obstacles */

/* Nothing moves at a contact of two obstacles: W is zero from the first update on, and at every one. */
static void test_two_obstacles (int threads, int reuse)
{
  HOST *host = threads > 1 ? large_scene (0) : scene_mixed (33);
  BODY *one = host_add_body (host, OBS), *two = host_add_body (host, OBS);
  CON *con;
  int i;

  if (threads == 1) scene_insert_all (host);
  con = host_add_constraint (host, CONTACT, one, two);
  check_context ("two obstacles, %d threads, reuse %d", threads, reuse);
  watch_errors ();
  CHECK_INT (ldy_set_threads (threads), 0);
  CHECK_INT (ldy_set_option (LDY_REUSE, reuse), 0);
  host_unlink (host, con);
  CHECK_INT (watched_update (host), 0);
  host_link (host, con);
  CHECK_INT (watched_insert (host, con), 0);
  for (i = 0; i < 3; i ++) CHECK_INT (watched_update (host), LDY_LU_FACTOR);
  CHECK_TEXT (watched.text, "singular W");
  con->kind = FIXPNT;
  CHECK_INT (watched_update (host), 0);
  check_fresh (host);
  con->kind = CONTACT;
  for (i = 0; i < 3; i ++) CHECK_INT (watched_update (host), LDY_LU_FACTOR);
  two->kind = RIG;
  CHECK_INT (watched_update (host), 0);
  check_fresh (host);
  two->kind = OBS;
  for (i = 0; i < 3; i ++) CHECK_INT (watched_update (host), LDY_LU_FACTOR);
  host_remove (host, con);
  host_free_constraint (host, con);
  CHECK_INT (watched_update (host), 0);
  check_fresh (host);
  CHECK_INT (ldy_set_threads (1), 0);
  watch_no_errors ();
  scene_destroy (host);
}

int main (int argc, char **argv)
{
  int rounds = argc > 1 ? atoi (argv[1]) : 0;

  CHECK (rounds > 0);
  test_against_all_anew (1, rounds);
  test_against_all_anew (2, rounds);
  test_left_alone ();
  test_nothing_left_alone (1);
  test_nothing_left_alone (2);
  test_options_change (1);
  test_options_change (2);
  test_two_obstacles (1, 0);
  test_two_obstacles (1, 1);
  test_two_obstacles (2, 1);
  ldy_set_option (LDY_REUSE, 0);
  ldy_shutdown ();
  return check_summary ("reuse");
}
