/* LOCDYN_Update_Begin by hand, after changes and refusals; its timers and its text; the measures of W. Values of all kinds of
 * bodies and updates are compared in random sequences. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"
#include "support/compare.h"
#include "support/dense.h"
#include "support/host/hooks.h"
#include "support/output_capture.h"
#include "support/rebuild_compare.h"
#include "support/scene.h"

/* ---- values */

/* One unit cube at rest, pulled at its center: W = h I / m, and everything follows. */
static void test_by_hand (void)
{
  double inverse[18] = { 0 }, friction_free;
  static const int sizes[] = { 3, 3 };
  HOST *host = host_create ();
  BODY *body = host_add_body (host, RIG);
  CON *con = host_add_constraint (host, VELODIR, body, NULL);

  check_context ("by hand");
  for (int i = 0; i < 9; i += 4) {
    inverse[i] = 6;
    inverse[9 + i] = 0.5;
  }
  host_set_inverse (body, host_matrix_blocks (2, sizes, inverse));
  host->dom.step = 0.25;
  for (int i = 0; i < 3; i ++) {
    body->velo[3 + i] = i + 1;      /* current velocity 1, 2, 3 */
    body->velo[9 + i] = 10 * (i + 1); /* previous velocity: ten times that */
  }
  con->base[0] = con->base[4] = con->base[8] = 0;
  con->base[1] = con->base[5] = con->base[6] = 1; /* axes y, z, x: U = (v1, v2, v0) */
  con->Z[0] = 4;
  LOCDYN *ldy = scene_insert_all (host);
  LOCDYN_Update_Begin (ldy);
  DIAB *dia = con->dia;
  for (int i = 0; i < 9; i ++) {
    CHECK_NEAR (dia->W[i], i % 4 ? 0 : 0.125, 1e-16);
    CHECK_NEAR (dia->A[i], i % 4 ? 0 : 8, 1e-14);
  }
  CHECK_NEAR (dia->rho, 8, 1e-14);
  CHECK_NEAR (dia->B[0], 2, 1e-15);
  CHECK_NEAR (dia->B[1], 3, 1e-15);
  CHECK_NEAR (dia->B[2], 1, 1e-15);
  CHECK_NEAR (con->V[0], 20, 1e-14);
  CHECK_NEAR (con->V[1], 30, 1e-14);
  CHECK_NEAR (con->V[2], 10, 1e-14);
  friction_free = 0.5 * 8 * (1 + 4 + 9);
  CHECK_NEAR (ldy->free_energy, friction_free + 0.5 * 8 * 16, 1e-12); /* the prescribed velocity counts too */
  con->kind = FIXDIR;
  LOCDYN_Update_Begin (ldy);
  CHECK_NEAR (ldy->free_energy, friction_free, 1e-12);
  scene_destroy (host);
}

static void expect_error (LOCDYN *ldy)
{
  watch_errors ();
  LOCDYN_Update_Begin (ldy);
  watch_no_errors ();
  CHECK_INT (watched.code, LDY_ERROR_INVALID_ARGUMENT);
}

/* What an update has found out of constraints and rows is not taken for granted by the next one. */
static void test_between_updates (void)
{
  HOST *host = scene_mixed (7);
  LOCDYN *ldy = scene_insert_all (host);
  CON *con = host->dom.con->next;
  DIAB *dia = con->dia;
  BODY *master = con->master;
  int kind = con->kind;

  check_context ("between updates");
  update_and_compare (host, UPDATE_ALL);
  host_unlink (host, con);
  host_link (host, con);
  update_and_compare (host, UPDATE_ALL);
  update_and_compare (host, UPDATE_MINIMAL);
  update_and_compare (host, UPDATE_ALL);

  host_unlink (host, con);
  con->V[0] = 777;
  dia->W[0] = 0;
  LOCDYN_Update_Begin (ldy);
  CHECK (con->V[0] == 777);
  CHECK (dia->W[0] > 0);
  LOCDYN_Update_Begin (ldy);
  CHECK (con->V[0] == 777);
  con->kind = 99;
  expect_error (ldy); /* the domain does not list it, but it has a row */
  con->kind = kind;
  host_link (host, con);
  update_and_compare (host, UPDATE_ALL);

  con->dia = NULL;
  expect_error (ldy);
  con->dia = host->dom.con->dia;
  expect_error (ldy);
  con->dia = dia;
  con->kind = 99;
  expect_error (ldy);
  con->kind = kind;
  con->master = NULL;
  expect_error (ldy);
  con->master = host_add_body (host, RIG);
  expect_error (ldy); /* not the body that it was inserted on */
  con->master = master;
  update_and_compare (host, UPDATE_ALL);

  con = host->dom.con; /* the list begins after it, while its own link still leads to the others */
  host->dom.con = con->next;
  con->V[0] = 777;
  LOCDYN_Update_Begin (ldy);
  CHECK (con->V[0] == 777);
  host->dom.con = con;
  update_and_compare (host, UPDATE_ALL);

  host_remove (host, con);
  CHECK (host_insert (host, con) != NULL);
  update_and_compare (host, UPDATE_ALL);
  update_and_compare (host, UPDATE_ALL);
  scene_destroy (host);
}

/* ---- what changes after the insertion */

/* Two bodies of the given kinds with a constraint of the given kind, a contact and a joint between them; the first body is
   fixed. */
static HOST *coupled_pair (int first, int second, int kind)
{
  HOST *host = host_create ();
  RANDOM random = { 11 };
  BODY *one = scene_body (host, &random, first, INVERSE_BLOCKS), *two = scene_body (host, &random, second, INVERSE_BLOCKS);

  scene_constraint (host, &random, FIXPNT, one, NULL);
  scene_constraint (host, &random, kind, one, two);
  scene_constraint (host, &random, CONTACT, two, one);
  scene_constraint (host, &random, RIGLNK, one, two);
  scene_insert_all (host);
  return host;
}

static void check_each_kind (HOST *host)
{
  for (int update = UPDATE_ALL; update <= UPDATE_MINIMAL; update ++) {
    host_set_update (host, (UPDATE_KIND) update);
    if (CHECK_INT (watched_update (host), 0)) check_fresh (host);
    CHECK_INT (ldy_is_consistent (host->dom.ldy, NULL), 1);
  }
  host_set_update (host, UPDATE_ALL);
}

static CON *constraint_at (const HOST *host, int place)
{
  CON *con = host->dom.con;

  while (place --) con = con->next;
  return con;
}

/* A body becomes an obstacle, or ceases to be one: contacts on it follow, and their blocks through it vanish. */
static void test_changing_bodies (int reuse)
{
  static const int kinds[] = { RIG, OBS, OBS, RIG, 7, RIG, OBS, 7, OBS, RIG };
  HOST *host = coupled_pair (RIG, RIG, CONTACT);
  BODY *body = host->dom.bod->next;

  CHECK_INT (ldy_set_option (LDY_REUSE, reuse), 0);
  for (int i = 0; i < (int) (sizeof kinds / sizeof *kinds); i ++) {
    check_context ("changing bodies, reuse %d, change %d to kind %d", reuse, i, kinds[i]);
    memcpy (&body->kind, &kinds[i], sizeof body->kind);
    if (kinds[i] == 7) {
      CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
      CHECK_TEXT (watched.text, "unknown kind 7");
      continue;
    }
    check_each_kind (host);
    CHECK_INT (watched_update (host), 0);
    for (OFFB *block = constraint_at (host, 1)->dia->adj; block; block = block->n) {
      CHECK ((block->W[0] == 0) == (body->kind == OBS && block->bod == body));
    }
  }
  CHECK_INT (ldy_set_option (LDY_REUSE, 0), 0);
  scene_destroy (host);
}

/* A joint becomes a contact, which an obstacle does not move and a penalty update does not couple, and the other way round. */
static void test_changing_constraints (int reuse, int inserted, int second)
{
  static const int kinds[] = { RIGLNK, CONTACT, 99, CONTACT, SPRING, 99, SPRING, CONTACT, RIGLNK, VELODIR };
  HOST *host = coupled_pair (RIG, second, inserted);
  CON *con = constraint_at (host, 1);

  CHECK_INT (ldy_set_option (LDY_REUSE, reuse), 0);
  for (int i = 0; i < (int) (sizeof kinds / sizeof *kinds); i ++) {
    check_context ("changing constraints, reuse %d, inserted as %d, body %d, change %d to %d", reuse, inserted, second, i,
      kinds[i]);
    memcpy (&con->kind, &kinds[i], sizeof con->kind);
    if (kinds[i] == 99) {
      CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
      CHECK_TEXT (watched.text, "constraint 2 ");
    } else {
      update_and_compare (host, UPDATE_PENALTY); /* the kind at the update decides which blocks are written */
      check_each_kind (host);
    }
  }
  CHECK_INT (ldy_set_option (LDY_REUSE, 0), 0);
  scene_destroy (host);
}

/* A body that was not given at the insertion is refused as long as the constraint has it, and then forgotten. */
static void test_other_bodies (int reuse)
{
  HOST *host = coupled_pair (RIG, RIG, CONTACT);
  CON *fixed = constraint_at (host, 0), *contact = constraint_at (host, 1);
  BODY *one = contact->master, *two = contact->slave, *third = host_add_body (host, RIG);

  CHECK_INT (ldy_set_option (LDY_REUSE, reuse), 0);
  check_context ("other bodies, reuse %d", reuse);
  check_each_kind (host);
  for (int update = UPDATE_ALL; update <= UPDATE_PENALTY; update ++) {
    host_set_update (host, (UPDATE_KIND) update);
    check_context ("other bodies, reuse %d, update %d, another master", reuse, update);
    fixed->master = two;
    CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT (watched.text, "constraint 1 (FIXPNT) on body 2");
    CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
    fixed->master = one;
    check_each_kind (host);
    check_context ("other bodies, reuse %d, update %d, another slave", reuse, update);
    host_set_update (host, (UPDATE_KIND) update);
    contact->slave = third;
    CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT (watched.text, "constraint 2 (CONTACT) between bodies 1 and 3");
    contact->slave = two;
    check_each_kind (host);
    check_context ("other bodies, reuse %d, update %d, no slave", reuse, update);
    host_set_update (host, (UPDATE_KIND) update);
    contact->slave = NULL;
    CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
    contact->slave = two;
    check_each_kind (host);
    /* Without blocks through it a further body is no contradiction: the diagonal block follows it. */
    check_context ("other bodies, reuse %d, update %d, a further slave", reuse, update);
    host_set_update (host, (UPDATE_KIND) update);
    fixed->slave = third;
    if (watched_update (host) == 0) check_fresh (host);
    fixed->slave = NULL;
    check_each_kind (host);
    check_context ("other bodies, reuse %d, update %d, exchanged", reuse, update);
    contact->master = two;
    contact->slave = one;
    check_each_kind (host);
    contact->master = one;
    contact->slave = two;
  }
  CHECK_INT (ldy_set_option (LDY_REUSE, 0), 0);
  scene_destroy (host);
}

/* A constraint in the set of a body that is not its own: a row inserted on that body has a block with it, which nothing couples.
 * Updates are refused until that row is gone, and it can come again once the set is right. */
static void test_stranger_in_a_set (int updated)
{
  HOST *host = coupled_pair (RIG, RIG, CONTACT);
  CON *fixed = constraint_at (host, 0), *con;
  BODY *third = host_add_body (host, RIG);

  check_context ("stranger in a set, updated before %d", updated);
  if (updated) check_each_kind (host);
  host_join (third, fixed, -1);
  con = host_add_constraint (host, FIXPNT, third, NULL);
  CHECK_INT (watched_insert (host, con), 0);
  for (int i = 0; i < 2; i ++) {
    CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT (watched.text, "constraint 1 (FIXPNT) on body 1");
    CHECK_INT (ldy_is_consistent (host->dom.ldy, NULL), 1);
  }
  host_remove (host, con);
  host_leave (third, fixed);
  CHECK_INT (watched_insert (host, con), 0);
  check_each_kind (host);
  scene_destroy (host);
}

/* A row inserted on a body that is not its own and has no other rows, so that no block shows the error. */
static void test_inserted_elsewhere (void)
{
  HOST *host = coupled_pair (RIG, RIG, CONTACT);
  BODY *third = host_add_body (host, RIG);
  CON *con = host_add_constraint (host, FIXPNT, third, NULL);

  check_context ("inserted on another body");
  CHECK_INT (watched_insert (host, con), 0);
  con->master = host->dom.bod;
  CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (watched.text, "constraint 5 (FIXPNT) on body 1: was inserted on body 3");
  con->master = third;
  check_each_kind (host);
  scene_destroy (host);
}

/* Each constraint with the row of each other one, which may be the next one in the list of rows. */
static void test_rows_of_others (void)
{
  HOST *host = scene_mixed (14);
  DIAB *own;

  scene_insert_all (host);
  CHECK_INT (watched_update (host), 0);
  for (CON *con = host->dom.con; con; con = con->next) {
    for (CON *other = host->dom.con; other; other = other->next) {
      if (other == con) continue;
      check_context ("constraint %u with the row of constraint %u", con->id, other->id);
      own = con->dia;
      con->dia = other->dia;
      CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
      CHECK_TEXT (watched.text, "dia is not its row in this ldy");
      con->dia = own;
    }
  }
  CHECK_INT (watched_update (host), 0);
  check_fresh (host);
  scene_destroy (host);
}

/* A contact on an obstacle loses the obstacle: what W counts stays, and the update is refused nonetheless. */
static void test_lost_obstacle (void)
{
  HOST *host = coupled_pair (RIG, OBS, CONTACT);
  CON *contact = constraint_at (host, 2);
  BODY *rock = contact->master;

  check_context ("lost obstacle");
  CHECK_INT (rock->kind, OBS);
  CHECK_INT (watched_update (host), 0);
  contact->master = NULL;
  CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (watched.text, "no master");
  contact->master = rock;
  check_each_kind (host);
  scene_destroy (host);
}

/* A body begins to count, and the next update, which wants V and B alone, fails: the one after that has everything to do. */
static void test_failed_velocities (void)
{
  static const int unknown = 99, fixed = FIXPNT;
  HOST *host = coupled_pair (RIG, OBS, CONTACT);
  CON *con = host_add_constraint (host, FIXPNT, host->dom.bod, NULL);

  check_context ("failed update of velocities");
  CHECK_INT (watched_insert (host, con), 0);
  CHECK_INT (watched_update (host), 0);
  host->dom.bod->next->kind = RIG;
  memcpy (&con->kind, &unknown, sizeof con->kind);
  host_set_update (host, UPDATE_MINIMAL);
  CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
  memcpy (&con->kind, &fixed, sizeof con->kind);
  check_each_kind (host);
  scene_destroy (host);
}

/* Of two points that are not finite the master's is named. */
static void test_bad_points (void)
{
  HOST *host = coupled_pair (RIG, RIG, RIGLNK);
  CON *con = constraint_at (host, 1);
  double kept[2] = { con->mpnt[1], con->spnt[1] };

  check_context ("both points are not finite");
  con->mpnt[1] = con->spnt[1] = 0.0 / (kept[0] - kept[0]);
  CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (watched.text, "its point on body 1 (mpnt)");
  con->mpnt[1] = kept[0];
  CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (watched.text, "its point on body 2 (spnt)");
  con->spnt[1] = kept[1];
  check_each_kind (host);
  scene_destroy (host);
}

/* Of two bodies without velocities the master is named, whichever comes first among the bodies. */
static void test_missing_velocities (int kind, int swapped)
{
  HOST *host = host_create ();
  RANDOM random = { 14 };
  BODY *one = scene_body (host, &random, kind, INVERSE_BLOCKS), *two = scene_body (host, &random, kind, INVERSE_BLOCKS);
  BODY *master = swapped ? two : one, *slave = swapped ? one : two;
  double *velocities[2] = { master->velo, slave->velo };
  char text[32];

  scene_constraint (host, &random, RIGLNK, master, slave);
  scene_insert_all (host);
  for (int update = UPDATE_ALL; update <= UPDATE_MINIMAL; update ++) {
    check_context ("body kind %d without velocities, swapped %d, update %d", kind, swapped, update);
    host_set_update (host, (UPDATE_KIND) update);
    master->velo = slave->velo = NULL;
    CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
    snprintf (text, sizeof text, "velo of body %u ", master->id);
    CHECK_TEXT (watched.text, text);
    master->velo = velocities[0];
    CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
    snprintf (text, sizeof text, "velo of body %u ", slave->id);
    CHECK_TEXT (watched.text, text);
    slave->velo = velocities[1];
    CHECK_INT (watched_update (host), 0);
  }
  scene_destroy (host);
}

/* A row whose constraint the domain does not list yet: it has W and blocks, and V and B once it is listed. */
static void test_inserted_unlisted (int place)
{
  HOST *host = scene_mixed (12);
  CON *con = constraint_at (host, place);
  double before[3];

  check_context ("constraint %d inserted before it is listed", place);
  host_unlink (host, con);
  scene_insert_all (host);
  CHECK_INT (watched_insert (host, con), 0);
  con->V[0] = 777;
  memcpy (before, con->dia->B, sizeof before);
  CHECK_INT (watched_update (host), 0);
  CHECK (con->V[0] == 777);
  CHECK_SAME_BITS (con->dia->B, before, sizeof before);
  check_fresh (host);
  CHECK_INT (watched_update (host), 0);
  check_fresh (host);
  con->base[3] = 0.0 / (before[0] - before[0]);
  CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
  random_rotation (&(RANDOM) { 13 }, con->base);
  host_link (host, con);
  update_and_compare (host, UPDATE_ALL);
  scene_destroy (host);
}

/* The same between updates: it comes and goes while the constraints of the domain stay the same. */
static void test_unlisted_between_updates (void)
{
  HOST *host = scene_mixed (14);
  CON *con = constraint_at (host, 3);

  check_context ("unlisted between updates");
  host_unlink (host, con);
  scene_insert_all (host);
  for (int i = 0; i < 2; i ++) {
    CHECK_INT (watched_update (host), 0);
    CHECK_INT (watched_insert (host, con), 0);
    CHECK_INT (watched_update (host), 0);
    CHECK (con->dia->W[0] > 0);
    check_fresh (host);
    CHECK_INT (watched_update (host), 0);
    LOCDYN_Remove (host->dom.ldy, con->dia); /* which leaves dia alone, and so may the host */
    CHECK_INT (watched_update (host), 0);
    CHECK_INT (ldy_is_consistent (host->dom.ldy, NULL), 1);
    con->dia = NULL;
    check_fresh (host);
  }
  CHECK_INT (watched_insert (host, con), 0);
  host_link (host, con);
  update_and_compare (host, UPDATE_ALL);
  scene_destroy (host);
}

/* A row without blocks knows its body all the same; and an obstacle that W leaves out is still a master. */
static void test_other_body_without_blocks (void)
{
  HOST *host = host_create ();
  RANDOM random = { 15 };
  BODY *one = scene_body (host, &random, RIG, INVERSE_BLOCKS), *two = scene_body (host, &random, RIG, INVERSE_BLOCKS);
  BODY *rock = scene_body (host, &random, OBS, INVERSE_BLOCKS), *wall = scene_body (host, &random, OBS, INVERSE_BLOCKS);
  CON *fixed = scene_constraint (host, &random, FIXPNT, one, NULL), *contact = scene_constraint (host, &random, CONTACT, rock, two);

  check_context ("other body without blocks");
  scene_insert_all (host);
  CHECK_INT (watched_update (host), 0);
  fixed->master = wall;
  CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (watched.text, "constraint 1 (FIXPNT) on body 4");
  fixed->master = one;
  check_each_kind (host);
  CHECK_INT (watched_update (host), 0);
  contact->master = NULL;
  CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (watched.text, "no master");
  contact->master = wall; /* it moves otherwise, that is all */
  check_each_kind (host);
  contact->master = rock;
  check_each_kind (host);
  scene_destroy (host);
}

/* A refused update of V and B alone has looked at constraints that nothing has been attached for yet. */
static void test_refused_minimal (int reuse)
{
  HOST *host = coupled_pair (RIG, OBS, RIGLNK);
  CON *con = constraint_at (host, 1), *last = constraint_at (host, 3);

  check_context ("refused minimal update, reuse %d", reuse);
  CHECK_INT (ldy_set_option (LDY_REUSE, reuse), 0);
  for (int i = 0; i < 4; i ++) {
    CHECK_INT (watched_update (host), 0);
    con->kind = i % 2 ? RIGLNK : CONTACT;
    memset (&last->kind, 99, 1);
    host_set_update (host, UPDATE_MINIMAL);
    CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
    host_set_update (host, UPDATE_ALL);
    last->kind = RIGLNK;
    CHECK_INT (watched_update (host), 0);
    check_fresh (host);
  }
  CHECK_INT (ldy_set_option (LDY_REUSE, 0), 0);
  scene_destroy (host);
}

/* ---- numbers beyond all numbers */

static HOST *far_points (int sparse, int kind)
{
  double inverse[36] = { 0 };
  HOST *host = host_create ();
  BODY *body = host_add_body (host, RIG), *other = host_add_body (host, RIG);
  CON *con;

  for (int i = 0; i < 6; i ++) inverse[7 * i] = 1;
  inverse[1] = inverse[6] = 0.5;
  host_set_inverse (body, sparse ? host_matrix_sparse (6, inverse) : host_matrix_dense (6, 6, inverse));
  for (int i = 0; i < 2; i ++) {
    con = host_add_constraint (host, kind, body, other);
    con->id = 4711 + (unsigned) i;
    con->mpnt[i] = 10;
  }
  host->dom.step = 1;
  scene_insert_all (host);
  return host;
}

/* The inverse couples only turning about x and about y; one point sees the one, the other the other. */
static void set_coupling (HOST *host, double old, double value)
{
  MX *inverse = host->dom.bod->inverse;

  for (int i = 0; i < inverse->nzmax; i ++) {
    if (inverse->x[i] == old) inverse->x[i] = value;
  }
}

static void test_infinite_block (int sparse, int kind, int reuse)
{
  HOST *host = far_points (sparse, kind);

  check_context ("infinite block, sparse %d, kind %d, reuse %d", sparse, kind, reuse);
  CHECK_INT (ldy_set_option (LDY_REUSE, reuse), 0);
  CHECK_INT (watched_update (host), 0);
  set_coupling (host, 0.5, 1e307);
  CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (watched.text, "4711");
  CHECK_TEXT (watched.text, "4712");
  CHECK_TEXT (watched.text, "not finite");
  CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
  host_set_update (host, UPDATE_PENALTY); /* which leaves blocks of contacts alone */
  CHECK_INT (watched_update (host), kind == CONTACT ? 0 : LDY_ERROR_INVALID_ARGUMENT);
  host_set_update (host, UPDATE_ALL);
  CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
  set_coupling (host, 1e307, 0.5);
  CHECK_INT (watched_update (host), 0);
  check_fresh (host);
  CHECK_INT (ldy_set_option (LDY_REUSE, 0), 0);
  scene_destroy (host);
}

/* The share of each constraint is finite, their sum is not. */
static void test_infinite_energy (void)
{
  HOST *host = host_create ();
  BODY *body;

  check_context ("infinite free energy");
  for (int i = 0; i < 3; i ++) {
    body = host_add_body (host, RIG);
    host_add_constraint (host, FIXPNT, body, NULL);
    body->velo[3] = 1.2e154;
  }
  host->dom.step = 1;
  scene_insert_all (host);
  CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (watched.text, "free energy");
  host_set_update (host, UPDATE_PENALTY);
  CHECK_INT (watched_update (host), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (watched.text, "free energy");
  host_set_update (host, UPDATE_MINIMAL);
  CHECK_INT (watched_update (host), 0);
  host_set_update (host, UPDATE_ALL);
  host->dom.bod->velo[3] = 0;
  host->dom.bod->next->velo[3] = 0;
  CHECK_INT (watched_update (host), 0);
  check_fresh (host);
  scene_destroy (host);
}

/* W of rank one up to rounding and without a positive eigenvalue: 1 / 0 is no scaling parameter. */
static void test_infinite_scaling (void)
{
  static const double inverse[9] = { -1, -2, -3, -2, -4 - 8e-16, -6, -3, -6, -9 - 1e-15 };
  HOST *host = host_create ();
  BODY *body = host_add_body (host, RIG);
  CON *con = host_add_constraint (host, FIXPNT, body, NULL);

  check_context ("infinite scaling parameter");
  memcpy (body->inverse->x + 9, inverse, sizeof inverse);
  host->dom.step = 1;
  scene_insert_all (host);
  CHECK (watched_update (host) != 0 || isfinite (con->dia->rho));
  scene_destroy (host);
}

/* ---- solver kinds */

static void expect_kind (HOST *host, UPDATE_KIND update)
{
  MARKS *marks = marks_put (host->dom.ldy);

  LOCDYN_Update_Begin (host->dom.ldy);
  compare_update (host->dom.ldy, update, marks);
  marks_free (marks);
}

static void test_solvers (void)
{
  static const SOLVER_KIND all[] = { NONE_SOLVER, GAUSS_SEIDEL_SOLVER, SICONOS_SOLVER, TEST_SOLVER, HYBRID_SOLVER_KIND };
  HOST *host = scene_mixed (7);

  scene_insert_all (host);
  for (int i = 0; i < 5; i ++) {
    check_context ("solver kind %d", all[i]);
    host->solfec.kind = all[i];
    expect_kind (host, UPDATE_ALL);
  }
  check_context ("Newton");
  host->solfec.kind = NEWTON_SOLVER;
  host->solfec.solver = &host->newton;
  host->newton.locdyn = LOCDYN_ON;
  expect_kind (host, UPDATE_ALL);
  host->newton.locdyn = LOCDYN_OFF;
  expect_kind (host, UPDATE_MINIMAL);
  host->solfec.kind = PENALTY_SOLVER; /* the solver is no NEWTON then */
  host->solfec.solver = NULL;
  expect_kind (host, UPDATE_PENALTY);
  check_context ("no SOLFEC");
  host->dom.solfec = NULL;
  host_reset_timers ();
  expect_kind (host, UPDATE_ALL);
  LOCDYN_Update_End (host->dom.ldy);
  CHECK_INT (host_timers.starts, 0);
  CHECK_INT (host_timers.ends, 0);
  scene_destroy (host);
}

/* ---- timers and text */

static void test_timers (void)
{
  HOST *host = scene_mixed (8);

  scene_insert_all (host);
  for (int update = UPDATE_ALL; update <= UPDATE_MINIMAL; update ++) {
    for (int end = 0; end < 2; end ++) {
      check_context ("timers, update %d, %s", update, end ? "end" : "begin");
      host_set_update (host, (UPDATE_KIND) update);
      host_reset_timers ();
      (end ? LOCDYN_Update_End : LOCDYN_Update_Begin) (host->dom.ldy);
      CHECK_INT (host_timers.starts, 1);
      CHECK_INT (host_timers.ends, 1);
      CHECK_POINTER (host_timers.solfec, &host->solfec);
      CHECK (strcmp (host_timers.start_label, "LOCDYN") == 0); /* read after the call: the host keeps the pointer */
      CHECK (strcmp (host_timers.end_label, "LOCDYN") == 0);
    }
  }
  scene_destroy (host);
}

static void expect_text (HOST *host, int verbose, const char *want)
{
  char text[256];

  host->dom.verbose = (short) verbose;
  CAPTURE capture = capture_begin (STDOUT_FILENO);
  LOCDYN_Update_Begin (host->dom.ldy);
  capture_end (&capture, text, sizeof text);
  check_context ("text `%s`", text);
  CHECK (strcmp (text, want) == 0);
}

static void test_text (void)
{
  HOST *host = scene_mixed (9);

  scene_insert_all (host);
  expect_text (host, 1, "LOCDYN ... ");
  expect_text (host, 0, "");
  expect_text (host, -1, "LOCDYN ... ");
  scene_destroy (host);
}

/* ---- measures */

static void test_measures (void)
{
  HOST *host = scene_mixed (10);
  double sum = 0, least = DBL_MAX, most = 0;
  LOCDYN *ldy = scene_insert_all (host);
  int rows = 0;

  check_context ("measures of W");
  LOCDYN_Update_Begin (ldy);
  for (DIAB *dia = ldy->dia; dia; dia = dia->n, rows ++) {
    for (int i = 0; i < 9; i += 4) {
      sum += dia->W[i];
      least = fmin (least, dia->W[i]);
      most = fmax (most, dia->W[i]);
    }
  }
  CHECK_NEAR (LOCDYN_avgWii (ldy), sum / (3 * rows), 1e-14 * most);
  CHECK (LOCDYN_minWii (ldy) == least);
  CHECK (LOCDYN_maxWii (ldy) == most);
  ldy->dia->W[4] = 2 * most; /* the host keeps its own W there at times */
  CHECK (LOCDYN_maxWii (ldy) == 2 * most);
  scene_destroy (host);

  check_context ("measures of nothing");
  host = host_create ();
  ldy = host->dom.ldy = LOCDYN_Create (&host->dom);
  CHECK (isnan (LOCDYN_avgWii (ldy)));
  CHECK (LOCDYN_minWii (ldy) == DBL_MAX);
  CHECK (LOCDYN_maxWii (ldy) == 0);
  scene_destroy (host);
}

int main (void)
{
  test_by_hand ();
  test_between_updates ();
  watch_errors ();
  for (int i = 0; i < 2; i ++) {
    test_changing_bodies (i);
    test_changing_constraints (i, RIGLNK, RIG);
    test_changing_constraints (i, CONTACT, RIG);
    test_changing_constraints (i, RIGLNK, OBS);
    test_changing_constraints (i, CONTACT, OBS);
    test_other_bodies (i);
    test_infinite_block (0, FIXPNT, i);
    test_infinite_block (1, RIGLNK, i);
    test_infinite_block (0, CONTACT, i);
  }
  test_refused_minimal (0);
  test_refused_minimal (1);
  test_other_body_without_blocks ();
  test_unlisted_between_updates ();
  test_stranger_in_a_set (0);
  test_stranger_in_a_set (1);
  test_inserted_elsewhere ();
  test_rows_of_others ();
  test_lost_obstacle ();
  test_failed_velocities ();
  test_bad_points ();
  for (int i = 0; i < 4; i ++) test_missing_velocities (i / 2 ? PRB : RIG, i % 2);
  for (int i = 0; i < 14; i ++) test_inserted_unlisted (i);
  test_infinite_energy ();
  test_infinite_scaling ();
  watch_no_errors ();
  test_solvers ();
  test_timers ();
  test_text ();
  test_measures ();
  return check_summary ("update");
}
