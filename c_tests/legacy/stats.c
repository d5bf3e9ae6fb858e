/* stats OPERATIONS: ldy_get_stats after every one of random operations against a walk over the lists. What it counts of
 * factors is in finite_elements.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/scene.h"

static ldy_stats stats_of (const LOCDYN *ldy)
{
  ldy_stats stats = { .size = sizeof stats };

  CHECK_INT (ldy_get_stats (ldy, &stats), 0);
  return stats;
}

/* ---- what holds of any local dynamics */

static void check_times (const ldy_stats *stats)
{
  const double times[] = { stats->velocities_time, stats->operators_time, stats->solves_time, stats->diagonal_time,
    stats->pairs_time };

  for (int i = 0; i < 5; i ++) CHECK (isfinite (times[i]) && times[i] >= 0);
}

/* The stats, once they have been compared with the lists. */
static ldy_stats check_stats (const LOCDYN *ldy)
{
  ldy_stats stats = stats_of (ldy);
  size_t rows = 0, blocks = 0;

  for (const DIAB *dia = ldy->dia; dia; dia = dia->n) {
    rows ++;
    for (const OFFB *block = dia->adj; block; block = block->n) blocks ++;
  }
  CHECK_INT (stats.rows, rows);
  CHECK_INT (stats.blocks, blocks);
  CHECK (stats.row_bytes >= rows * sizeof (DIAB));
  CHECK (stats.block_bytes >= blocks * sizeof (OFFB));
  CHECK (stats.factors_reused == 0 || stats.factorisations > 0);
  CHECK (stats.factor_bytes == 0 || stats.factorisations > 0);
  check_times (&stats);
  return stats;
}

static size_t rows_of (const BODY *body, const LOCDYN *ldy)
{
  size_t rows = 0;

  for (const DIAB *dia = ldy->dia; dia; dia = dia->n) rows += dia->con->master == body || dia->con->slave == body;
  return rows;
}

/* ---- random operations */

/* Bytes of the operators H of all rows, two sides of a self-contact counted once. */
static size_t operators_size (const HOST *host)
{
  size_t size = 0;

  for (const BODY *body = host->dom.bod; body; body = body->next) {
    size += rows_of (body, host->dom.ldy) * 3 * (size_t) body->dofs * sizeof (double);
  }
  return size;
}

static void update (HOST *host, int kind)
{
  const LOCDYN *ldy = host->dom.ldy;
  ldy_stats before, after;

  for (CON *con = host->dom.con; con; con = con->next) {
    if (!con->dia) host_insert (host, con);
  }
  before = check_stats (ldy);
  host_set_update (host, (UPDATE_KIND) kind);
  LOCDYN_Update_Begin (host->dom.ldy);
  after = check_stats (ldy);
  CHECK_INT (after.row_bytes, before.row_bytes);
  CHECK_INT (after.block_bytes, before.block_bytes);
  if (kind != UPDATE_MINIMAL) CHECK (after.operator_bytes >= operators_size (host));
  CHECK (kind != UPDATE_MINIMAL || after.operators_time + after.solves_time + after.diagonal_time + after.pairs_time == 0);
}

static void operation (HOST *host, RANDOM *random)
{
  int which = random_below (random, 14), dice = random_below (random, 10);
  CON *con = host->dom.con;

  while (which --) con = con->next;
  if (dice == 0) update (host, random_below (random, 3));
  else if (con->dia) host_remove (host, con);
  else host_insert (host, con);
}

static void test_random (int operations)
{
  RANDOM random = { 40 };
  HOST *host = scene_mixed (40);
  ldy_stats stats;

  scene_insert_all (host);
  for (int i = 0; i < operations && !check_failures (); i ++) {
    check_context ("operation %d", i);
    operation (host, &random);
    stats = check_stats (host->dom.ldy);
    CHECK_INT (stats.factorisations, 0);
  }
  scene_destroy (host);
}

int main (int argc, char **argv)
{
  if (argc != 2) {
    fprintf (stderr, "usage: stats OPERATIONS\n");
    return 2;
  }
  test_random (atoi (argv[1]));
  return check_summary ("stats");
}
