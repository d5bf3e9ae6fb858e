/* LDY_REUSE: what an update leaves alone is what it would have written. */
#include <stdlib.h>

#include "check.h"
#include "large_scene.h"

#define ROUNDS 40

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

static int ignored;

static void ignore (int code, const char *text, void *data)
{
  (void) code;
  (void) text;
  (void) data;
  ignored ++;
}

/* An update that stops halfway, at a constraint with a frame that is not finite. */
static void fail (HOST *host, RANDOM *random)
{
  CON *con = any_constraint (host, random);
  double kept = con->base[4], step = host->dom.step;
  int before = ignored;

  host->dom.step *= 2.0;
  con->base[4] = 0.0 / (kept - kept);
  ldy_set_error_handler (ignore, NULL);
  update (host, 1);
  ldy_set_error_handler (NULL, NULL);
  CHECK_INT (ignored, before + 1);
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

static void test_against_all_anew (int threads)
{
  HOST *host = large_scene (0);
  RANDOM random = { 31 };
  uint64_t sum;
  int i;

  CHECK_INT (ldy_set_threads (threads), 0);
  update (host, 0);
  for (i = 0; i < ROUNDS; i ++) {
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

int main (void)
{
  test_against_all_anew (1);
  test_against_all_anew (2);
  test_left_alone ();
  ldy_shutdown ();
  return check_summary ("reuse");
}
