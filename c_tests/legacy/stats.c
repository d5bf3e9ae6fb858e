/* stats OPERATIONS FILE.ldysnap ...: ldy_get_stats after every one of random operations against a walk over the lists, and
 * its count of factorisations on recorded states whose bodies give the matrix instead of its inverse. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/error_observer.h"
#include "support/host/hooks.h"
#include "support/scene.h"
#include "support/snapshot.h"

static ldy_stats stats_of (const LOCDYN *ldy)
{
  ldy_stats stats;

  memset (&stats, 0xff, sizeof stats); /* whatever is not written shows */
  stats.size = sizeof stats;
  CHECK_INT (ldy_get_stats (ldy, &stats), 0);
  return stats;
}

/* ---- what holds of any local dynamics */

static void check_times (const ldy_stats *stats)
{
  const double times[] = { stats->velocities_time, stats->operators_time, stats->solves_time, stats->diagonal_time,
    stats->pairs_time };
  int i;

  for (i = 0; i < 5; i ++) CHECK (isfinite (times[i]) && times[i] >= 0);
}

/* The stats, once they have been compared with the lists. */
static ldy_stats check_stats (const LOCDYN *ldy)
{
  ldy_stats stats = stats_of (ldy);
  size_t rows = 0, blocks = 0;
  const DIAB *dia;
  const OFFB *block;

  for (dia = ldy->dia; dia; dia = dia->n) {
    rows ++;
    for (block = dia->adj; block; block = block->n) blocks ++;
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
  const DIAB *dia;

  for (dia = ldy->dia; dia; dia = dia->n) rows += dia->con->master == body || dia->con->slave == body;
  return rows;
}

/* ---- random operations */

/* Bytes of the operators H of all rows, two sides of a self-contact counted once. */
static size_t operators_size (const HOST *host)
{
  size_t size = 0;
  const BODY *body;

  for (body = host->dom.bod; body; body = body->next) {
    size += rows_of (body, host->dom.ldy) * 3 * (size_t) body->dofs * sizeof (double);
  }
  return size;
}

static void update (HOST *host, int kind)
{
  const LOCDYN *ldy = host->dom.ldy;
  ldy_stats before, after;
  CON *con;

  for (con = host->dom.con; con; con = con->next) {
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
  int i;

  scene_insert_all (host);
  for (i = 0; i < operations && !check_failures (); i ++) {
    check_context ("operation %d", i);
    operation (host, &random);
    stats = check_stats (host->dom.ldy);
    CHECK_INT (stats.factorisations, 0);
  }
  scene_destroy (host);
}

/* ---- factors */

static void check_factors (LOCDYN *ldy, size_t factorisations, size_t reused)
{
  ldy_stats stats;

  LOCDYN_Update_Begin (ldy);
  stats = check_stats (ldy);
  CHECK_INT (stats.factorisations, factorisations);
  CHECK_INT (stats.factors_reused, reused);
}

/* Removes all rows on the body, and its constraints from the domain: an update wants a row for each that is there. */
static void strip (SNAPSHOT *s, const BODY *body)
{
  int i;

  for (i = 0; i < s->constraints; i ++) {
    if (s->con[i] && (s->con[i]->master == body || s->con[i]->slave == body)) {
      host_remove (s->host, s->con[i]);
      host_free_constraint (s->host, s->con[i]);
      s->con[i] = NULL;
    }
  }
}

/* The copy of a matrix alone, which a factor needs, takes this much. */
static size_t matrix_size (const MX *matrix)
{
  return (size_t) matrix->p[matrix->n] * (sizeof (double) + sizeof (int)) + (size_t) matrix->n * sizeof (int);
}

static size_t factored_bodies (const SNAPSHOT *s, size_t *bytes, BODY **last)
{
  size_t count = 0;
  int i;

  for (*bytes = 0, i = 0; i < s->bodies; i ++) {
    if (!host_gives_matrix (s->body[i]) || !rows_of (s->body[i], s->host->dom.ldy)) continue;
    count ++;
    *bytes += matrix_size (s->body[i]->inverse);
    *last = s->body[i];
  }
  return count;
}

static void test_factors (SNAPSHOT *s)
{
  LOCDYN *ldy = s->host->dom.ldy = LOCDYN_Create (&s->host->dom);
  BODY *last = NULL;
  size_t count, bytes, held;

  CHECK (snapshot_insert (s));
  count = factored_bodies (s, &bytes, &last);
  if (!CHECK (count > 0)) return;
  CHECK_INT (check_stats (ldy).factor_bytes, 0);
  host_set_update (s->host, UPDATE_MINIMAL);
  check_factors (ldy, 0, 0);
  host_set_update (s->host, UPDATE_ALL);
  check_factors (ldy, count, 0);
  CHECK (stats_of (ldy).factor_bytes >= bytes);
  check_factors (ldy, count, count);
  host_set_update (s->host, UPDATE_PENALTY);
  check_factors (ldy, count, 2 * count);
  last->inverse->x[0] *= 1.0 + 1e-9;
  host_set_update (s->host, UPDATE_ALL);
  check_factors (ldy, count + 1, 3 * count - 1);
  held = stats_of (ldy).factor_bytes;
  strip (s, last);
  CHECK (check_stats (ldy).factor_bytes + matrix_size (last->inverse) <= held);
  count = factored_bodies (s, &bytes, &last);
  held = stats_of (ldy).factors_reused;
  check_factors (ldy, stats_of (ldy).factorisations, held + count); /* the others keep theirs */
  while (factored_bodies (s, &bytes, &last)) strip (s, last);
  CHECK_INT (check_stats (ldy).factor_bytes, 0);
  LOCDYN_Destroy (ldy);
}

static void test_file (const char *path)
{
  char error[256];
  SNAPSHOT *s = snapshot_read (path, error, sizeof error);

  check_context ("%s", path);
  if (!CHECK (s != NULL)) return;
  GEOMETRIC_EPSILON = s->geometric_epsilon;
  test_factors (s);
  snapshot_free (s);
}

/* ---- bad input */

static void test_bad_input (void)
{
  HOST *host = scene_mixed (41);
  LOCDYN *ldy = scene_insert_all (host), *foreign = calloc (1, sizeof *foreign);
  ldy_stats stats, untouched;

  check_context ("bad input");
  if (!foreign) abort ();
  memset (&untouched, 7, sizeof untouched);
  untouched.size = sizeof untouched;
  stats = untouched;
  watch_errors ();
  CHECK_INT (ldy_get_stats (NULL, &stats), LDY_BUG_FOUND);
  CHECK_INT (ldy_get_stats (ldy, NULL), LDY_BUG_FOUND);
  CHECK_INT (ldy_get_stats (NULL, NULL), LDY_BUG_FOUND);
  foreign->dom = &host->dom;
  CHECK_INT (ldy_get_stats (foreign, &stats), LDY_BUG_FOUND);
  CHECK (*ldy_last_error () != '\0');
  CHECK_SAME_BITS (&stats, &untouched, sizeof stats);
  CHECK_INT (watched.calls, 0);
  watch_no_errors ();
  free (foreign);
  scene_destroy (host);
}

int main (int argc, char **argv)
{
  int i;

  if (argc < 3) {
    fprintf (stderr, "usage: stats OPERATIONS FILE.ldysnap ...\n");
    return 2;
  }
  test_bad_input ();
  test_random (atoi (argv[1]));
  for (i = 2; i < argc; i ++) test_file (argv[i]);
  return check_summary ("stats");
}
