/* clone SCRATCH FILE.ldysnap ...: LOCDYN_Clone_Non_Contacts, against the lists it was made from, dense matrices and recorded
 * states. SCRATCH is a file to write to. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/compare.h"
#include "support/compare_clone.h"
#include "support/dense.h"
#include "support/host/hooks.h"
#include "support/scene.h"
#include "support/snapshot.h"

static const char *scratch;

/* ---- structure */

static DIAB *next_kept (DIAB *dia)
{
  while (dia && dia->con->kind == CONTACT) dia = dia->n;
  return dia;
}

static void compare_structure (LOCDYN *ldy, LOCDYN *clone)
{
  DIAB *from = next_kept (ldy->dia), *dia = clone->dia, *last = NULL;

  CHECK (clone != ldy);
  CHECK_POINTER (clone->dom, ldy->dom);
  CHECK_SAME_BITS (&clone->free_energy, &ldy->free_energy, sizeof (double));
  for (; dia && from; last = dia, dia = dia->n, from = next_kept (from->n)) {
    CHECK_POINTER (dia->p, last);
    compare_clone_row (from, dia);
  }
  CHECK (!dia && !from);
  CHECK (ldy_is_consistent (ldy, NULL));
  CHECK (ldy_is_consistent (clone, NULL));
}

/* ---- B */

static void add_product (const double *W, const double *R, double *sum, double *size)
{
  for (int i = 0; i < 3; i ++) {
    for (int j = 0; j < 3; j ++) {
      sum[i] += W[3 * j + i] * R[j];
      *size += fabs (W[3 * j + i] * R[j]);
    }
  }
}

/* B from dense matrices and the contributions of contacts; only the pattern of blocks comes from the lists. */
static void compare_with_dense (const LOCDYN *ldy, const LOCDYN *clone)
{
  DENSE_SYSTEM *system = dense_system (ldy->dom);
  const DIAB *from = next_kept (ldy->dia), *dia = clone->dia;
  double sum[3], size, W[9];
  int moved = 0;

  for (; dia; dia = dia->n, from = next_kept (from->n)) {
    memcpy (sum, from->B, sizeof sum);
    size = dense_largest_entry (3, from->B) + 1e-3;
    for (const OFFB *block = from->adj; block; block = block->n) {
      if (block->dia->con->kind != CONTACT) continue;
      dense_block (system, from->con, block->dia->con, block->bod, W);
      add_product (W, block->dia->con->R, sum, &size);
      moved ++;
    }
    for (int i = 0; i < 3; i ++) CHECK_NEAR (dia->B[i], sum[i], 1e-12 * size);
  }
  CHECK (moved > 0);
  dense_system_free (system);
}

static void react (HOST *host, uint64_t seed)
{
  RANDOM random = { seed };

  for (CON *con = host->dom.con; con; con = con->next) {
    for (int i = 0; i < 3; i ++) con->R[i] = 1000 * random_value (&random);
  }
}

static void test_mixed (UPDATE_KIND update)
{
  HOST *host = scene_mixed (40);
  LOCDYN *ldy = scene_insert_all (host), *clone;
  DIAB **row = calloc (64, sizeof *row), *before = calloc (64, sizeof *before);
  int count = 0, i;
  CON *con;

  if (!row || !before) abort ();
  check_context ("mixed scene, update %d", update);
  host_set_update (host, update);
  LOCDYN_Update_Begin (ldy);
  react (host, 41);
  for (con = host->dom.con; con; con = con->next, count ++) {
    row[count] = con->dia;
    before[count] = *con->dia;
  }
  clone = LOCDYN_Clone_Non_Contacts (ldy);
  for (i = 0, con = host->dom.con; con; con = con->next, i ++) {
    CHECK_POINTER (con->dia, row[i]);
    CHECK_SAME_BITS (con->dia, &before[i], sizeof (DIAB));
  }
  compare_structure (ldy, clone);
  compare_with_dense (ldy, clone);
  LOCDYN_Destroy (clone);
  update_and_compare (host, UPDATE_ALL); /* the source is as before */
  scene_destroy (host);
  free (row);
  free (before);
}

/* Rows that came and went leave the source's memory in another order than its lists. */
static void test_shuffled (void)
{
  HOST *host = scene_mixed (42);
  LOCDYN *ldy = scene_insert_all (host), *clone;
  RANDOM random = { 43 };

  for (int i = 0; i < 200; i ++) {
    check_context ("shuffled %d times", i);
    for (CON *con = host->dom.con; con; con = con->next) {
      if (random_below (&random, 3)) continue;
      host_remove (host, con);
      if (random_below (&random, 4)) host_insert (host, con);
    }
    for (CON *con = host->dom.con; con; con = con->next) {
      if (!con->dia) host_insert (host, con);
    }
    LOCDYN_Update_Begin (ldy);
    react (host, (uint64_t) i);
    clone = LOCDYN_Clone_Non_Contacts (ldy);
    compare_structure (ldy, clone);
    compare_with_dense (ldy, clone);
    LOCDYN_Destroy (clone);
  }
  scene_destroy (host);
}

/* ---- the clone's own life */

static void test_without_source (void)
{
  HOST *host = scene_mixed (44);
  LOCDYN *ldy = scene_insert_all (host), *clone, *again;

  check_context ("source destroyed first");
  LOCDYN_Update_Begin (ldy);
  clone = LOCDYN_Clone_Non_Contacts (ldy);
  LOCDYN_Destroy (ldy);
  again = LOCDYN_Clone_Non_Contacts (clone);
  compare_structure (clone, again);
  CHECK_SAME_BITS (again->dia->B, clone->dia->B, sizeof clone->dia->B);
  LOCDYN_Destroy (clone);
  host_clear (host);
  CHECK (ldy_is_consistent (again, NULL)); /* bodies and constraints are gone */
  LOCDYN_Destroy (again);
  host_destroy (host);
}

static int count_blocks (const DIAB *dia)
{
  int count = 0;

  for (const OFFB *block = dia->adj; block; block = block->n) count ++;
  return count;
}

static int count_all_blocks (const LOCDYN *ldy)
{
  int count = 0;

  for (const DIAB *dia = ldy->dia; dia; dia = dia->n) count += count_blocks (dia);
  return count;
}

static void test_removal (void)
{
  HOST *host = scene_mixed (45);
  LOCDYN *ldy = scene_insert_all (host), *clone;
  DIAB *dia;
  int blocks, own;

  check_context ("removal of rows of the clone");
  LOCDYN_Update_Begin (ldy);
  clone = LOCDYN_Clone_Non_Contacts (ldy);
  blocks = count_all_blocks (clone);
  CHECK (blocks > 0);
  while (clone->dia) {
    for (dia = clone->dia; dia->n && !dia->adj; dia = dia->n) continue;
    own = count_blocks (dia);
    LOCDYN_Remove (clone, dia);
    blocks -= 2 * own;
    CHECK_INT (count_all_blocks (clone), blocks);
    CHECK (ldy_is_consistent (clone, NULL));
  }
  CHECK (isnan (LOCDYN_avgWii (clone)));
  LOCDYN_Destroy (clone);
  CHECK (ldy_is_consistent (ldy, NULL));
  update_and_compare (host, UPDATE_ALL);
  scene_destroy (host);
}

static void test_measures_and_text (void)
{
  HOST *host = scene_mixed (46);
  LOCDYN *ldy = scene_insert_all (host), *clone;
  double sum = 0;
  int count = 0, i;
  DIAB *dia;

  check_context ("measures and text of the clone");
  LOCDYN_Update_Begin (ldy);
  clone = LOCDYN_Clone_Non_Contacts (ldy);
  for (dia = clone->dia; dia; dia = dia->n) {
    for (i = 0; i < 9; i += 4, count ++) sum += dia->W[i];
  }
  CHECK_INT (count, 3 * 7);
  CHECK_NEAR (LOCDYN_avgWii (clone), sum / count, 1e-15 * sum);
  LOCDYN_Update_End (clone);
  LOCDYN_W_MatrixMarket (clone, scratch);
  for (dia = clone->dia, i = 1; dia; dia = dia->n, i += 3) CHECK_INT (dia->con->num, i);
  LOCDYN_Dump (clone, scratch);
  FILE *file = fopen (scratch, "r");
  for (count = 0; file && (i = fgetc (file)) != EOF;) count += i == '\n';
  CHECK_INT (count, 7);
  if (file) fclose (file);
  remove (scratch);
  LOCDYN_Destroy (clone);
  scene_destroy (host);
}

static void insert_into (void *clone)
{
  LOCDYN *ldy = clone;
  CON *con = ldy->dom->con;

  LOCDYN_Insert (ldy, con, con->master, con->slave);
}

static void update (void *clone) { LOCDYN_Update_Begin (clone); }

/* It takes no rows and is not updated, also where no other row would be met. */
static void test_refusals (void)
{
  static void (*const call[2]) (void *) = { insert_into, update };
  HOST *host = scene_mixed (47);
  LOCDYN *ldy = scene_insert_all (host), *clone;

  LOCDYN_Update_Begin (ldy);
  react (host, 48);
  for (int empty = 0; empty < 2; empty ++) {
    clone = LOCDYN_Clone_Non_Contacts (ldy);
    while (empty && clone->dia) LOCDYN_Remove (clone, clone->dia);
    for (int k = 0; k < 2; k ++) {
      check_context ("call %d on a clone, %s", k, empty ? "empty" : "full");
      CHECK_INT (host_try (call[k], clone), LDY_ERROR_INVALID_ARGUMENT);
      CHECK_TEXT (ldy_last_error (), "ldy is a clone");
      if (!empty) compare_structure (ldy, clone);
      CHECK (ldy_is_consistent (clone, NULL));
    }
    LOCDYN_Destroy (clone);
  }
  scene_destroy (host);
}

static void test_empty (void)
{
  HOST *host = host_create ();

  check_context ("nothing but contacts");
  host->dom.ldy = LOCDYN_Create (&host->dom);
  host->dom.ldy->free_energy = 3;
  LOCDYN *clone = LOCDYN_Clone_Non_Contacts (host->dom.ldy);
  CHECK (!clone->dia && clone->free_energy == 3);
  LOCDYN_Destroy (clone);
  host_insert (host, host_add_constraint (host, CONTACT, host_add_body (host, RIG), host_add_body (host, RIG)));
  clone = LOCDYN_Clone_Non_Contacts (host->dom.ldy);
  CHECK (!clone->dia);
  LOCDYN_Destroy (clone);
  scene_destroy (host);
}

/* ---- recorded states */

/* B from what was recorded alone. */
static void compare_with_recorded (const SNAPSHOT *snapshot, const LOCDYN *clone, const char *path)
{
  const DIAB *dia = clone->dia;
  const SNAPSHOT_ROW *row;
  double sum[3], size, error = 0;
  int moved = 0;

  for (int r = 0; r < snapshot->rows; r ++) {
    row = &snapshot->row[r];
    if (row->con->kind == CONTACT) continue;
    if (!CHECK (dia && dia->con == row->con)) return;
    memcpy (sum, row->B, sizeof sum);
    size = dense_largest_entry (3, row->B) + 1e-3;
    for (int b = 0; b < row->count; b ++) {
      if (row->block[b].con->kind != CONTACT) continue;
      CHECK (row->block[b].recorded);
      add_product (row->block[b].W, row->block[b].con->R, sum, &size);
      moved ++;
    }
    for (int i = 0; i < 3; i ++) {
      CHECK_NEAR (dia->B[i], sum[i], 1e-12 * size);
      error = fmax (error, fabs (dia->B[i] - sum[i]) / size);
    }
    dia = dia->n;
  }
  CHECK (!dia);
  printf ("%s: %d blocks to contacts, largest error %.1e\n", path, moved, error);
}

static void test_recorded (const char *path)
{
  char error[256];

  check_context ("%s", path);
  SNAPSHOT *snapshot = snapshot_read (path, error, sizeof error);
  if (!CHECK (snapshot != NULL)) return;
  DOM *dom = &snapshot->host->dom;
  dom->ldy = LOCDYN_Create (dom);
  CHECK (snapshot_insert (snapshot));
  LOCDYN_Update_Begin (dom->ldy);
  LOCDYN *clone = LOCDYN_Clone_Non_Contacts (dom->ldy);
  compare_structure (dom->ldy, clone);
  compare_with_recorded (snapshot, clone, path);
  LOCDYN_Destroy (dom->ldy);
  LOCDYN_Destroy (clone);
  snapshot_free (snapshot);
}

int main (int argc, char **argv)
{
  if (argc < 2) {
    fprintf (stderr, "usage: clone SCRATCH FILE.ldysnap ...\n");
    return 2;
  }
  scratch = argv[1];
  ldy_set_option (LDY_QUIET, 1);
  test_mixed (UPDATE_ALL);
  test_mixed (UPDATE_PENALTY);
  test_shuffled ();
  test_without_source ();
  test_removal ();
  test_measures_and_text ();
  test_refusals ();
  test_empty ();
  for (int i = 2; i < argc; i ++) test_recorded (argv[i]);
  return check_summary ("clone");
}
