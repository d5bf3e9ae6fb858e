/* With LDY_REUSE an update leaves alone what has not changed; reuse_pairs compares what it leaves with fresh structures. */

#include "support/check.h"
#include "support/compare.h"
#include "support/large_scene.h"
#include "support/rebuild_compare.h"

static void update (HOST *host, int reuse)
{
  CHECK_INT (ldy_set_option (LDY_REUSE, reuse), 0);
  LOCDYN_Update_Begin (host->dom.ldy);
}

/* Two constraints on rigid bodies alone that share one. */
static OFFB *rigid_block (HOST *host)
{
  for (CON *con = host->dom.con; con; con = con->next) {
    if (con->slave == NULL || con->slave == con->master) continue;
    for (OFFB *block = con->dia->adj; block; block = block->n) {
      if (block->bod->kind == RIG && block->bod->inverse->kind == MXBD && block->bod->inverse->n == 2) return block;
    }
  }
  return NULL;
}

/* Values of unchanged input are not written, but only as long as the host has promised not to write there. */
static void test_left_alone (void)
{
  HOST *host = large_scene (0);
  OFFB *block = rigid_block (host);

  update (host, 1);
  double value = block->W[0];
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

/* Nothing moves at a contact of two obstacles: W is zero from the first update on, and at every one. */
static void test_two_obstacles (int threads, int reuse)
{
  HOST *host = threads > 1 ? large_scene (0) : scene_mixed (33);
  BODY *one = host_add_body (host, OBS), *two = host_add_body (host, OBS);

  if (threads == 1) scene_insert_all (host);
  CON *con = host_add_constraint (host, CONTACT, one, two);
  check_context ("two obstacles, %d threads, reuse %d", threads, reuse);
  watch_errors ();
  CHECK_INT (ldy_set_threads (threads), 0);
  CHECK_INT (ldy_set_option (LDY_REUSE, reuse), 0);
  host_unlink (host, con);
  CHECK_INT (watched_update (host), 0);
  host_link (host, con);
  CHECK_INT (watched_insert (host, con), 0);
  for (int i = 0; i < 3; i ++) CHECK_INT (watched_update (host), LDY_ERROR_SINGULAR);
  CHECK_TEXT (watched.text, "singular W");
  con->kind = FIXPNT;
  CHECK_INT (watched_update (host), 0);
  check_fresh (host);
  con->kind = CONTACT;
  for (int i = 0; i < 3; i ++) CHECK_INT (watched_update (host), LDY_ERROR_SINGULAR);
  two->kind = RIG;
  CHECK_INT (watched_update (host), 0);
  check_fresh (host);
  two->kind = OBS;
  for (int i = 0; i < 3; i ++) CHECK_INT (watched_update (host), LDY_ERROR_SINGULAR);
  host_remove (host, con);
  host_free_constraint (host, con);
  CHECK_INT (watched_update (host), 0);
  check_fresh (host);
  CHECK_INT (ldy_set_threads (1), 0);
  watch_no_errors ();
  scene_destroy (host);
}

int main (void)
{
  test_left_alone ();
  test_two_obstacles (1, 0);
  test_two_obstacles (1, 1);
  test_two_obstacles (2, 1);
  ldy_set_option (LDY_REUSE, 0);
  ldy_shutdown ();
  return check_summary ("reuse");
}
