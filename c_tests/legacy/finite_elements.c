/* What holds for finite elements and factored matrices in particular: motions as a whole, factors that are kept, self-contact
 * that is stored once, the host's tolerance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/compare.h"
#include "support/dense.h"
#include "support/error_observer.h"
#include "support/host/hooks.h"
#include "support/mesh_builder.h"
#include "support/small_stack.h"

static ldy_stats stats_of (const HOST *host)
{
  ldy_stats stats;

  memset (&stats, 0xff, sizeof stats);
  stats.size = sizeof stats;
  CHECK_INT (ldy_get_stats (host->dom.ldy, &stats), 0);
  return stats;
}

/* ---- factored matrices on bodies that have no mesh */

static void put_factored (BODY *body, RANDOM *random, int lower)
{
  int n = body->dofs, flags = lower ? MXIFAC | MXSPD : MXIFAC;
  double a[144];

  random_definite (random, n, a);
  for (int j = 0; j < n && lower; j ++) {
    for (int i = 0; i < j; i ++) a[n * j + i] = 0;
  }
  MX *matrix = host_matrix_sparse (n, a);
  memcpy (&matrix->flags, &flags, sizeof matrix->flags);
  host_set_inverse (body, matrix);
}

static void test_factored_without_mesh (void)
{
  static const int kinds[] = { OBS, RIG, PRB };
  RANDOM random = { 1 };
  BODY *one, *two;
  HOST *host;

  for (int kind = 0; kind < 3; kind ++) {
    for (int lower = 0; lower < 2; lower ++) {
      check_context ("factored matrix of body kind %d, lower triangle %d", kinds[kind], lower);
      host = host_create ();
      one = scene_body (host, &random, kinds[kind], INVERSE_BLOCKS);
      two = scene_body (host, &random, RIG, INVERSE_BLOCKS);
      put_factored (one, &random, lower);
      scene_constraint (host, &random, CONTACT, two, one);
      scene_constraint (host, &random, RIGLNK, one, two);
      scene_constraint (host, &random, FIXPNT, one, NULL);
      scene_insert_all (host);
      update_and_compare (host, UPDATE_ALL);
      put_factored (one, &random, !lower);
      update_and_compare (host, UPDATE_PENALTY);
      CHECK_INT (stats_of (host).factorisations, 2);
      scene_destroy (host);
    }
  }
}

/* ---- a body turned as a whole */

#define MOST_BLOCKS 2000

typedef struct {
  int blocks;
  double free_energy, values[9 * MOST_BLOCKS];
} NUMBERS;

static void add_block (NUMBERS *numbers, const double *W)
{
  if (numbers->blocks == MOST_BLOCKS) abort ();
  memcpy (numbers->values + 9 * numbers->blocks ++, W, 9 * sizeof (double));
}

static NUMBERS *numbers_of (const LOCDYN *ldy)
{
  NUMBERS *numbers = calloc (1, sizeof *numbers);

  if (!numbers) abort ();
  numbers->free_energy = ldy->free_energy;
  for (const DIAB *dia = ldy->dia; dia; dia = dia->n) {
    add_block (numbers, dia->W);
    for (const OFFB *block = dia->adj; block; block = block->n) add_block (numbers, block->W);
  }
  return numbers;
}

static void near_numbers (const NUMBERS *got, const NUMBERS *want)
{
  double scale = dense_largest_entry (9 * want->blocks, want->values);

  CHECK_INT (got->blocks, want->blocks);
  CHECK (want->blocks > 10);
  for (int i = 0; i < 9 * want->blocks; i ++) CHECK_NEAR (got->values[i], want->values[i], 1e-13 * scale);
}

static void turn (const double *by, double *matrix)
{
  double turned[9];

  dense_multiply (3, 3, 3, by, matrix, turned);
  memcpy (matrix, turned, sizeof turned);
}

/* Local frames turn with a body whose inertia is given in axes of its own: W stays. Without the frames it does not. */
static void test_turned (MESH_BODY kind)
{
  RANDOM random = { 3 };
  HOST *host = host_create ();
  BODY *body = mesh_body (host, &random, kind);
  NUMBERS *before, *after;
  double rotation[9], difference = 0;

  check_context ("turned body of form %d, inertia %d, cells %d", kind.form, kind.inertia, kind.cells);
  for (int i = 0; i < 4; i ++) mesh_constraint (host, &random, i % 2 ? VELODIR3 : FIXPNT, body, NULL);
  mesh_constraint (host, &random, CONTACT, body, body);
  scene_insert_all (host);
  LOCDYN_Update_Begin (host->dom.ldy);
  before = numbers_of (host->dom.ldy);
  random_rotation (&random, rotation);
  turn (rotation, body->conf + body->dofs);
  LOCDYN_Update_Begin (host->dom.ldy);
  after = numbers_of (host->dom.ldy);
  for (int i = 0; i < 9 * after->blocks; i ++) difference += after->values[i] != before->values[i];
  CHECK (difference > after->blocks);
  free (after);
  for (CON *con = host->dom.con; con; con = con->next) turn (rotation, con->base);
  LOCDYN_Update_Begin (host->dom.ldy);
  after = numbers_of (host->dom.ldy);
  near_numbers (after, before);
  free (after);
  free (before);
  scene_destroy (host);
}

static void test_turned_bodies (void)
{
  MESH_BODY kind = { BODY_COROTATIONAL, SCH_DEF_LIM, INERTIA_FACTORED, CELLS_HEXAHEDRA, 0, { 2, 2, 1 } };

  for (int cells = 0; cells < CELLS_KINDS; cells ++) {
    kind.cells = (CELLS) cells;
    kind.form = BODY_COROTATIONAL;
    kind.inertia = INERTIA_FACTORED;
    test_turned (kind);
    kind.inertia = INERTIA_FACTORED_GENERAL;
    test_turned (kind);
    kind.form = BODY_COROTATIONAL_MODAL;
    kind.inertia = INERTIA_DIAGONAL;
    test_turned (kind);
    kind.form = BODY_COROTATIONAL_REDUCED_ORDER;
    kind.inertia = INERTIA_DENSE;
    test_turned (kind);
  }
}

/* ---- factors that are kept */

static void expect_factors (HOST *host, size_t factorisations, size_t reused)
{
  ldy_stats stats;

  update_and_compare (host, UPDATE_ALL);
  stats = stats_of (host);
  CHECK_INT (stats.factorisations, factorisations);
  CHECK_INT (stats.factors_reused, reused);
}

/* Updates that fail on a bad matrix, the second one as the first, which then gets better again. */
static void spoil_for_once (HOST *host, BODY *body)
{
  double kept = body->inverse->x[0];
  int is_definite = body->inverse->flags & MXSPD;

  body->inverse->x[0] = is_definite ? -1 : strtod ("nan", NULL);
  watch_errors ();
  for (int times = 0; times < 2; times ++) CHECK_INT (watched_update (host), is_definite ? LDY_ERROR_NOT_POSITIVE_DEFINITE : LDY_ERROR_INVALID_ARGUMENT);
  watch_no_errors ();
  body->inverse->x[0] = kept;
}

static void remove_all (HOST *host, const BODY *body)
{
  for (CON *con = host->dom.con; con; con = con->next) {
    if (con->dia && (con->master == body || con->slave == body)) host_remove (host, con);
  }
}

static void insert_missing (HOST *host)
{
  for (CON *con = host->dom.con; con; con = con->next) {
    if (!con->dia) host_insert (host, con);
  }
}

/* Data about the places of a row on a mesh are removed with the row: their memory is used again. */
static void test_removed_places (void)
{
  MESH_BODY kind = { TOTAL_LAGRANGIAN, SCH_DEF_LIM, INERTIA_DENSE, CELLS_HEXAHEDRA, 0, { 2, 2, 1 } };
  RANDOM random = { 6 };
  HOST *host = host_create ();
  BODY *body = mesh_body (host, &random, kind);
  size_t bytes = 0;

  check_context ("removed places");
  for (int i = 0; i < 3; i ++) mesh_constraint (host, &random, FIXPNT, body, NULL);
  scene_insert_all (host);
  for (int i = 0; i < 200; i ++) {
    host_remove (host, host->dom.con);
    host_insert (host, host->dom.con);
    if (i == 0) bytes = stats_of (host).row_bytes;
  }
  CHECK_INT (stats_of (host).row_bytes, bytes);
  scene_destroy (host);
}

/* The copy of a matrix alone, which a factor needs, takes this much. */
static size_t matrix_size (const MX *matrix)
{
  return (size_t) matrix->p[matrix->n] * (sizeof (double) + sizeof (int)) + (size_t) matrix->n * sizeof (int);
}

static void test_kept_factors (INERTIA_FORM form)
{
  MESH_BODY kind = { BODY_COROTATIONAL, SCH_DEF_LIM, INERTIA_DENSE, CELLS_WEDGES, 0, { 2, 2, 1 } };
  RANDOM random = { 4 };
  HOST *host = host_create ();
  BODY *rigid = scene_body (host, &random, RIG, INVERSE_BLOCKS), *one, *two;

  check_context ("kept factors, inertia %d", form);
  kind.inertia = form;
  one = mesh_body (host, &random, kind);
  two = mesh_body (host, &random, kind);
  for (int i = 0; i < 3; i ++) {
    mesh_constraint (host, &random, CONTACT, one, rigid);
    mesh_constraint (host, &random, FIXPNT, one, NULL);
    mesh_constraint (host, &random, RIGLNK, two, rigid);
  }
  scene_insert_all (host);
  CHECK_INT (stats_of (host).factor_bytes, 0);
  update_and_compare (host, UPDATE_MINIMAL);
  CHECK_INT (stats_of (host).factorisations, 0);
  expect_factors (host, 2, 0);
  CHECK (stats_of (host).factor_bytes >= matrix_size (one->inverse) + matrix_size (two->inverse));
  mesh_randomise_motion (one, &random);
  mesh_place (host->dom.con, &random);
  expect_factors (host, 2, 2);
  update_and_compare (host, UPDATE_PENALTY);
  CHECK_INT (stats_of (host).factors_reused, 4);
  mesh_copy_inertia (one);
  expect_factors (host, 2, 6);
  mesh_scale_inertia (one, 1.5);
  expect_factors (host, 3, 7);
  one->inverse->x[one->inverse->nzmax - 1] *= 1 + 1e-15; /* an entry in its last bits */
  expect_factors (host, 4, 8);
  mesh_randomise_inertia (one, &random, form);
  expect_factors (host, 5, 9);
  mesh_randomise_inertia (one, &random, form == INERTIA_FACTORED ? INERTIA_FACTORED_GENERAL : INERTIA_FACTORED);
  expect_factors (host, 6, 10);
  mesh_randomise_inertia (one, &random, INERTIA_DENSE);
  expect_factors (host, 6, 11);
  mesh_randomise_inertia (one, &random, form);
  expect_factors (host, 7, 12);
  spoil_for_once (host, one);
  update_and_compare (host, UPDATE_ALL);
  scene_destroy (host);
}

static void test_released_factors (void)
{
  MESH_BODY kind = { TOTAL_LAGRANGIAN, SCH_DEF_LIM, INERTIA_FACTORED, CELLS_TETRAHEDRA, 0, { 2, 1, 1 } };
  RANDOM random = { 5 };
  HOST *host = host_create ();
  BODY *one = mesh_body (host, &random, kind), *two = mesh_body (host, &random, kind);

  check_context ("released factors");
  CON *con = mesh_constraint (host, &random, FIXPNT, one, NULL);
  mesh_constraint (host, &random, CONTACT, one, two);
  mesh_constraint (host, &random, FIXPNT, two, NULL);
  scene_insert_all (host);
  expect_factors (host, 2, 0);
  size_t both = stats_of (host).factor_bytes;
  host_remove (host, con); /* the body has another one left */
  host_insert (host, con);
  expect_factors (host, 2, 2);
  remove_all (host, one);
  CHECK (stats_of (host).factor_bytes < both && stats_of (host).factor_bytes > 0);
  insert_missing (host);
  expect_factors (host, 3, 3);
  remove_all (host, one);
  remove_all (host, two);
  CHECK_INT (stats_of (host).factor_bytes, 0);
  insert_missing (host);
  expect_factors (host, 5, 3);
  scene_destroy (host);
}

/* ---- self-contact */

static void test_self_contact_once (void)
{
  HOST *host = scene_mixed (6);
  RANDOM random = { 7 };
  NUMBERS *twice, *once, *again;
  int zeros = 0;

  check_context ("self-contact stored once");
  mesh_add_scene (host, &random);
  scene_insert_all (host);
  update_and_compare (host, UPDATE_ALL);
  twice = numbers_of (host->dom.ldy);
  compare_self_contact_once (1);
  update_and_compare (host, UPDATE_PENALTY);
  update_and_compare (host, UPDATE_ALL);
  once = numbers_of (host->dom.ldy);
  compare_self_contact_once (0);
  update_and_compare (host, UPDATE_ALL);
  again = numbers_of (host->dom.ldy);
  CHECK_SAME_BITS (again->values, twice->values, sizeof twice->values);
  CHECK (again->free_energy == twice->free_energy && once->free_energy == twice->free_energy);
  for (int i = 0; i < 9 * once->blocks; i ++) {
    if (once->values[i] == twice->values[i]) continue;
    CHECK (once->values[i] == 0);
    zeros ++;
  }
  CHECK (zeros > 0);
  CHECK_INT (ldy_set_option (LDY_SELF_CONTACT_ONCE, 2), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_INT (ldy_set_option (LDY_SELF_CONTACT_ONCE, -1), LDY_ERROR_INVALID_ARGUMENT);
  free (twice);
  free (once);
  free (again);
  scene_destroy (host);
}

/* ---- the host's tolerance */

static MESH_BODY two_boxes (int separate)
{
  MESH_BODY kind = { TOTAL_LAGRANGIAN, SCH_DEF_EXP, INERTIA_DIAGONAL, CELLS_HEXAHEDRA, 0, { 2, 1, 1 } };

  kind.separate = separate;
  return kind;
}

/* Two points of an element are at two of its nodes, or at none. */
static void test_tolerance_of_nodes (void)
{
  static const double tolerances[] = { 1e-6, 1e-3, 1e-6 };
  RANDOM random = { 8 };
  HOST *host = host_create ();
  BODY *body = mesh_body (host, &random, two_boxes (0));
  const MESH *mesh = mesh_of_body (body);
  CON *one = mesh_constraint (host, &random, FIXPNT, body, NULL), *two = mesh_constraint (host, &random, FIXPNT, body, NULL);
  ELEMENT *element = mesh_element (mesh, 0);

  one->msgp->gobj = two->msgp->gobj = element;
  for (int i = 0; i < 3; i ++) {
    one->mpnt[i] = mesh->ref_nodes[3 * element->nodes[0] + i] + 2e-4;
    two->mpnt[i] = mesh->ref_nodes[3 * element->nodes[6] + i] - 2e-4;
  }
  host->dom.ldy = LOCDYN_Create (&host->dom);
  for (int i = 0; i < 3; i ++) {
    check_context ("nodes within %g", tolerances[i]);
    GEOMETRIC_EPSILON = tolerances[i];
    host_insert (host, one);
    host_insert (host, two);
    CHECK ((two->dia->adj != NULL) == (tolerances[i] < 2e-4));
    host_remove (host, one);
    host_remove (host, two);
  }
  scene_destroy (host);
}

static int has_node (const ELEMENT *element, int node)
{
  for (int i = 0; i < element->type; i ++) {
    if (element->nodes[i] == node) return 1;
  }
  return 0;
}

static int has_column (const MX *H, int node)
{
  return H->p[3 * node + 1] > H->p[3 * node];
}

/* A point in the second of a convex's elements, close to the first. */
static void test_tolerance_of_elements (void)
{
  static const double tolerances[] = { 1e-6, 1e-3, 1e-6 };
  RANDOM random = { 9 };
  HOST *host = host_create ();
  BODY *body = mesh_body (host, &random, two_boxes (1));
  CON *con = mesh_constraint (host, &random, FIXPNT, body, NULL);
  CONVEX *convex = con->msgp->gobj;
  const double *nodes = body->msh->ref_nodes;
  ELEMENT *two[2];
  double center[2][3] = { { 0 } }, length = 0;
  int first = 0;
  MX *H;

  for (int i = 0; i < 2; i ++) two[i] = mesh_element (body->msh, i);
  free (convex->ele);
  convex->ele = calloc (2, sizeof *convex->ele);
  memcpy (convex->ele, two, sizeof two);
  convex->nele = 2;
  for (int n = 0; n < 2; n ++) {
    for (int i = 0; i < 8; i ++) {
      for (int j = 0; j < 3; j ++) center[n][j] += nodes[3 * two[n]->nodes[i] + j] / 8;
    }
  }
  for (int j = 0; j < 3; j ++) {
    con->mpnt[j] = (center[0][j] + center[1][j]) / 2;
    length += fabs (center[1][j] - center[0][j]);
  }
  for (int j = 0; j < 3; j ++) con->mpnt[j] += 2e-4 * (center[1][j] - center[0][j]) / length;
  while (has_node (two[1], two[0]->nodes[first])) first ++;
  for (int i = 0; i < 3; i ++) {
    check_context ("elements within %g", tolerances[i]);
    GEOMETRIC_EPSILON = tolerances[i];
    H = FEM_Gen_To_Loc_Operator (body, body->shape, convex, con->mpnt, con->base);
    CHECK_INT (has_column (H, two[0]->nodes[first]), tolerances[i] > 2e-4);
    MX_Destroy (H);
  }
  scene_insert_all (host);
  scene_destroy (host);
}

static int tests (void)
{
  test_factored_without_mesh ();
  test_turned_bodies ();
  test_kept_factors (INERTIA_FACTORED);
  test_kept_factors (INERTIA_FACTORED_GENERAL);
  test_released_factors ();
  test_removed_places ();
  test_self_contact_once ();
  test_tolerance_of_nodes ();
  test_tolerance_of_elements ();
  return check_summary ("finite_elements");
}

int main (void)
{
  return on_small_stack (tests);
}
