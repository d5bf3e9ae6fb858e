/* zeros SCRATCH SCENES: an entry that is exactly zero is 0, not -0. Bodies of every kind with everything along the axes, so that
 * there are many such entries; every update kind, clones and text files. SCRATCH is a file to write to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/compare.h"
#include "support/compare_clone.h"
#include "support/dense.h"
#include "support/mesh_builder.h"
#include "support/text_model.h"

#define BODIES 10

/* Exact zeros seen in V, B, W, A and blocks: were there none, nothing would be tested. */
static struct {
  long velocities, diagonal, blocks;
} seen;

/* ---- scenes */

/* The axes of space in any order, each in its direction or against it. */
static void align (CON *con, RANDOM *random)
{
  int first = random_below (random, 3), turn = 1 + random_below (random, 2);

  memset (con->base, 0, sizeof con->base);
  for (int j = 0; j < 3; j ++) con->base[3 * j + (first + turn * j) % 3] = random_below (random, 2) ? 1 : -1;
}

/* -1, 0, 1 or -0. */
static double simple (RANDOM *random)
{
  static const double values[] = { -1, 0, 1, -0.0 };

  return values[random_below (random, 4)];
}

static void simplify_motion (BODY *body, RANDOM *random)
{
  for (int before = 0; before < 2; before ++) {
    for (int i = 0; i < dense_velocity_size (body); i ++) ((double *) dense_velocity (body, before))[i] = simple (random);
  }
}

/* At rest in the origin with a unit inverse; points that are not on meshes are whole numbers. */
static BODY *simple_body (HOST *host, RANDOM *random, int place)
{
  static const int kinds[] = { OBS, RIG, RIG, RIG, PRB, PRB, PRB };
  BODY *body = place < 7 ? host_add_body (host, kinds[place]) : mesh_body_of_any_kind (host, random);

  if (place == 3) scene_randomise_body (body, random, INVERSE_DENSE);
  if (place == 6) scene_randomise_body (body, random, INVERSE_SPARSE);
  simplify_motion (body, random);
  return body;
}

static void simplify_points (CON *con, RANDOM *random)
{
  for (int i = 0; i < 3; i ++) {
    if (con->master->kind != FEM) con->mpnt[i] = simple (random);
    if (con->slave && con->slave->kind != FEM) con->spnt[i] = simple (random);
    con->R[i] = simple (random) + 0.0;
    con->point[i] = 0;
  }
}

static int touches_itself (const BODY *body) { return body->kind == FEM; }

static void simple_constraint (HOST *host, RANDOM *random, BODY *const *body)
{
  static const int kinds[] = { CONTACT, CONTACT, FIXPNT, FIXDIR, VELODIR, RIGLNK };
  int kind = kinds[random_below (random, 6)];
  BODY *master = body[1 + random_below (random, BODIES - 1)], *slave = body[random_below (random, BODIES)];

  if (master == slave && !touches_itself (master)) slave = body[0];
  if (kind != CONTACT && kind != RIGLNK) slave = NULL;
  CON *con = mesh_constraint (host, random, kind, master, slave);
  align (con, random);
  simplify_points (con, random);
}

static HOST *simple_scene (RANDOM *random)
{
  HOST *host = host_create ();
  BODY *body[BODIES];

  host->dom.step = 0.125;
  for (int i = 0; i < BODIES; i ++) body[i] = simple_body (host, random, i);
  for (int i = 0; i < 30; i ++) simple_constraint (host, random, body);
  scene_insert_all (host);
  return host;
}

/* ---- what was written */

static long zeros (int count, const double *x)
{
  long found = 0;

  while (count --) found += x[count] == 0;
  return found;
}

static void count_zeros (const LOCDYN *ldy)
{
  for (const DIAB *dia = ldy->dia; dia; dia = dia->n) {
    seen.velocities += zeros (3, dia->V) + zeros (3, dia->B);
    seen.diagonal += zeros (9, dia->W) + zeros (9, dia->A);
    for (const OFFB *block = dia->adj; block; block = block->n) seen.blocks += zeros (9, block->W);
  }
}

/* What begins with -0 is a fraction, or an exponent. */
static void check_text_file (LOCDYN *ldy, void (*write) (LOCDYN *, const char *), const char *scratch)
{
  size_t size;

  write (ldy, scratch);
  char *text = text_read (scratch, &size);
  if (!CHECK (text != NULL)) return;
  for (char *at = text; (at = strstr (at, "-0")); at += 2) CHECK (at[2] == '.' || (at > text && at[-1] == 'e'));
  remove (scratch);
  free (text);
}

static void check_clone (LOCDYN *ldy)
{
  LOCDYN *clone = LOCDYN_Clone_Non_Contacts (ldy);
  const DIAB *dia = ldy->dia;

  for (const DIAB *copy = clone->dia; copy; copy = copy->n, dia = dia->n) {
    while (dia->con->kind == CONTACT) dia = dia->n;
    compare_clone_row (dia, copy);
  }
  compare_zeros (clone, UPDATE_ALL);
  LOCDYN_Destroy (clone);
}

static void test_scene (uint64_t seed, const char *scratch)
{
  RANDOM random = { seed };
  HOST *host = simple_scene (&random);

  for (int kind = UPDATE_ALL; kind <= UPDATE_MINIMAL; kind ++) {
    check_context ("scene %d, update %d", (int) seed, kind);
    host_set_update (host, (UPDATE_KIND) kind);
    LOCDYN_Update_Begin (host->dom.ldy);
    compare_zeros (host->dom.ldy, (UPDATE_KIND) kind);
    count_zeros (host->dom.ldy);
    check_text_file (host->dom.ldy, LOCDYN_Dump, scratch);
    check_text_file (host->dom.ldy, LOCDYN_W_MatrixMarket, scratch);
    check_clone (host->dom.ldy);
  }
  scene_destroy (host);
}

/* The sum of no energies. */
static void test_empty (void)
{
  HOST *host = host_create ();

  check_context ("no rows");
  host->dom.ldy = LOCDYN_Create (&host->dom);
  host->dom.ldy->free_energy = 1;
  LOCDYN_Update_Begin (host->dom.ldy);
  compare_zeros (host->dom.ldy, UPDATE_ALL);
  scene_destroy (host);
}

int main (int argc, char **argv)
{
  int scenes = argc == 3 ? atoi (argv[2]) : 0;

  if (scenes < 1) {
    fprintf (stderr, "usage: zeros SCRATCH SCENES\n");
    return 2;
  }
  test_empty ();
  for (uint64_t seed = 1; seed <= (uint64_t) scenes; seed ++) test_scene (seed, argv[1]);
  CHECK (seen.velocities > 5 * scenes && seen.diagonal > 5 * scenes && seen.blocks > 5 * scenes);
  return check_summary ("zeros");
}
