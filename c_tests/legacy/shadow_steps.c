/* shadow_steps STEPS SEED ...: the steps of a host whose contacts slide over meshes, go and come. Rows of the library act
 * as a legacy module, and a shadow is asked once a step. It has to agree, whichever rows were removed and inserted
 * again in between: for the same constraint and bodies, at the same address, at other elements. Now and then something is
 * wrong, and has to be found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/mesh_builder.h"

#define BODIES 6
#define CONSTRAINTS 24

typedef struct {
  RANDOM random;
  HOST *host;
  ldy_shadow *shadow;
  BODY *body[BODIES];
  CON *con[CONSTRAINTS];    /* NULL: a free place */
  int is_new[CONSTRAINTS];  /* inserted in this step */
} SCENE;

/* ---- bodies and constraints */

static BODY *add_body (SCENE *s, int place)
{
  static const MESH_BODY kinds[] = {
    { TOTAL_LAGRANGIAN, SCH_DEF_EXP, INERTIA_DIAGONAL, CELLS_HEXAHEDRA, 0, { 2, 2, 2 } },
    { BODY_COROTATIONAL, SCH_DEF_EXP, INERTIA_DIAGONAL, CELLS_TETRAHEDRA, 0, { 1, 2, 2 } },
    { TOTAL_LAGRANGIAN, SCH_DEF_EXP, INERTIA_DIAGONAL, CELLS_MIXED, 1, { 2, 2, 2 } },
    { TOTAL_LAGRANGIAN, SCH_DEF_LIM, INERTIA_FACTORED, CELLS_HEXAHEDRA, 0, { 1, 1, 2 } },
  };

  if (place < 4) return mesh_body (s->host, &s->random, kinds[place]);
  return scene_body (s->host, &s->random, place == 4 ? RIG : OBS, INVERSE_BLOCKS);
}

static CON *new_constraint (SCENE *s)
{
  BODY *master = s->body[random_below (&s->random, 4)], *slave = s->body[random_below (&s->random, BODIES)];

  if (random_below (&s->random, 6) == 0) return mesh_constraint (s->host, &s->random, FIXPNT, master, NULL);
  return mesh_constraint (s->host, &s->random, CONTACT, master, slave);
}

static SCENE *scene_create (uint64_t seed)
{
  SCENE *s = calloc (1, sizeof *s);

  if (!s) abort ();
  s->random.state = seed;
  s->host = host_create ();
  for (int i = 0; i < BODIES; i ++) s->body[i] = add_body (s, i);
  s->host->dom.ldy = LOCDYN_Create (&s->host->dom);
  s->shadow = ldy_shadow_new (s->host->dom.ldy);
  return s;
}

static void scene_free (SCENE *s)
{
  ldy_shadow_free (s->shadow);
  scene_destroy (s->host);
  free (s);
}

/* ---- what happens in a step */

static void slide (SCENE *s)
{
  for (int i = 0; i < CONSTRAINTS; i ++) {
    if (s->con[i] && random_below (&s->random, 3) == 0) mesh_place (s->con[i], &s->random);
  }
}

static void insert (SCENE *s, int i)
{
  host_insert (s->host, s->con[i]);
  s->is_new[i] = 1;
}

/* Another one with the same id and bodies, most often at the same address. */
static void replace (SCENE *s, int i)
{
  CON *con = s->con[i];
  BODY *master = con->master, *slave = con->slave;
  unsigned int id = con->id;
  int kind = con->kind;

  host_free_constraint (s->host, con);
  s->con[i] = mesh_constraint (s->host, &s->random, kind, master, slave);
  s->con[i]->id = id;
}

static void drop (SCENE *s, int i)
{
  host_free_constraint (s->host, s->con[i]);
  s->con[i] = NULL;
}

static void event (SCENE *s)
{
  int i = random_below (&s->random, CONSTRAINTS), choice = random_below (&s->random, 10);

  if (!s->con[i]) {
    s->con[i] = new_constraint (s);
    insert (s, i);
    return;
  }
  if (s->con[i]->dia) host_remove (s->host, s->con[i]);
  if (choice < 4) replace (s, i);
  else if (choice < 6) mesh_place (s->con[i], &s->random);
  else if (choice < 7) drop (s, i);
  if (s->con[i] && random_below (&s->random, 3)) insert (s, i);
}

/* ---- the shadow */

static void agrees (const SCENE *s)
{
  ldy_report report = { .size = sizeof report };

  if (!CHECK_INT (ldy_shadow_check (s->shadow, NULL, &report), 1)) fprintf (stderr, "  %s\n", report.text);
}

static void finds (const SCENE *s, const char *what)
{
  ldy_report report = { .size = sizeof report };

  CHECK_INT (ldy_shadow_check (s->shadow, NULL, &report), 0);
  CHECK_INT (report.code, LDY_DIFFERS);
  CHECK_TEXT (report.text, what);
}

/* ---- what may be wrong */

static OFFB **link_to (DIAB *row, const DIAB *neighbour, const BODY *body)
{
  for (OFFB **link = &row->adj; *link; link = &(*link)->n) {
    if ((*link)->dia == neighbour && (*link)->bod == body) return link;
  }
  return NULL;
}

static int is_by_nodes (const BODY *body) { return body->kind == FEM && body->scheme == SCH_DEF_EXP; }

/* Two rows without the block that the newer one was to be inserted with. */
static void uncouple (const SCENE *s, DIAB *newer)
{
  OFFB **here = &newer->adj, **there, *block, *partner;

  while (*here && !is_by_nodes ((*here)->bod)) here = &(*here)->n;
  if (!(block = *here)) return;
  there = link_to (block->dia, newer, block->bod);
  partner = *there;
  *here = block->n;
  *there = partner->n;
  finds (s, " block to constraint ");
  *here = block;
  *there = partner;
}

/* Two rows with a block that the newer one was not to be inserted with. */
static void couple (const SCENE *s, DIAB *newer)
{
  OFFB here = { { 0 }, NULL, newer->con->master, newer->adj }, there = { { 0 }, newer, newer->con->master, NULL };

  if (!is_by_nodes (here.bod)) return;
  for (DIAB *dia = newer->n; dia; dia = dia->n) {
    if (dia->con->master != here.bod || link_to (newer, dia, here.bod)) continue;
    here.dia = dia;
    there.n = dia->adj;
    newer->adj = &here;
    dia->adj = &there;
    finds (s, " block to constraint ");
    newer->adj = here.n;
    dia->adj = there.n;
    return;
  }
}

static int is_block_to (const OFFB *block, const DIAB *dia)
{
  for (; block; block = block->n) {
    if (block->dia == dia) return 1;
  }
  return 0;
}

static void exchange (LOCDYN *ldy, DIAB *one, DIAB *two)
{
  two->p = one->p;
  one->n = two->n;
  if (two->p) two->p->n = two;
  else ldy->dia = two;
  if (one->n) one->n->p = one;
  two->n = one;
  one->p = two;
}

/* Two rows in the wrong order; the blocks of a third row show the right one. */
static void reorder (const SCENE *s)
{
  DIAB *two;

  for (DIAB *one = s->host->dom.ldy->dia; one && one->n; one = one->n) {
    two = one->n;
    for (DIAB *witness = two->n; witness; witness = witness->n) {
      if (!is_block_to (witness->adj, one) || !is_block_to (witness->adj, two)) continue;
      exchange (s->host->dom.ldy, one, two);
      finds (s, ": older rows changed their order in the list");
      exchange (s->host->dom.ldy, two, one);
      finds (s, ": older rows changed their order in the list");
      return;
    }
  }
}

static void spoil (SCENE *s)
{
  DIAB *newest = s->host->dom.ldy->dia;
  double B;
  int i = 0;

  if (!newest) return;
  while (s->con[i] != newest->con) i ++;
  switch (random_below (&s->random, 4)) {
  case 0: agrees (s), reorder (s); break;
  case 1: if (s->is_new[i]) uncouple (s, newest); break;
  case 2: if (s->is_new[i]) couple (s, newest); break;
  default:
    B = newest->B[1];
    newest->B[1] += 1;
    finds (s, ": B is off by ");
    newest->B[1] = B;
  }
  agrees (s);
}

/* ---- all */

static void step (SCENE *s)
{
  static const UPDATE_KIND kinds[] = { UPDATE_ALL, UPDATE_ALL, UPDATE_PENALTY, UPDATE_MINIMAL };
  int events = random_below (&s->random, 12);

  for (int i = 0; i < CONSTRAINTS; i ++) s->is_new[i] = 0;
  slide (s);
  for (; events; events --) event (s);
  for (int i = 0; i < CONSTRAINTS; i ++) {
    if (s->con[i] && !s->con[i]->dia) insert (s, i);
  }
  host_set_update (s->host, kinds[random_below (&s->random, 4)]);
  LOCDYN_Update_Begin (s->host->dom.ldy);
  if (random_below (&s->random, 8) == 0) spoil (s);
  agrees (s);
}

/* An obstacle in the place of a body with a matrix A: nothing is left of that. */
static void test_replaced_body (void)
{
  static const MESH_BODY kind = { TOTAL_LAGRANGIAN, SCH_DEF_LIM, INERTIA_FACTORED, CELLS_HEXAHEDRA, 0, { 1, 1, 1 } };
  const int obstacle = OBS;
  SCENE s = { { 7 }, host_create (), NULL, { NULL }, { NULL }, { 0 } };
  BODY *body = mesh_body (s.host, &s.random, kind), *box = host_add_body (s.host, RIG);
  CON *con = mesh_constraint (s.host, &s.random, CONTACT, box, body);
  ldy_report report = { .size = sizeof report };

  check_context ("a body in the place of another");
  s.shadow = ldy_shadow_new (scene_insert_all (s.host));
  LOCDYN_Update_Begin (s.host->dom.ldy);
  CHECK_INT (ldy_shadow_check (s.shadow, NULL, &report), 1);
  CHECK (report.condition > 1);
  host_remove (s.host, con);
  memcpy (&body->kind, &obstacle, sizeof body->kind);
  host_insert (s.host, con);
  LOCDYN_Update_Begin (s.host->dom.ldy);
  CHECK_INT (ldy_shadow_check (s.shadow, NULL, &report), 1);
  CHECK (report.condition == 0);
  ldy_shadow_free (s.shadow);
  memcpy (&body->kind, &(const int) { FEM }, sizeof body->kind);
  scene_destroy (s.host);
}

/* ---- matrices that determine W up to their condition */

/* A matrix A of this condition number for a rigid body. */
static void set_matrix (BODY *body, double condition)
{
  double a[36] = { 0 };
  int flags = MXIFAC | MXSPD;

  for (int i = 0; i < 6; i ++) a[7 * i] = i ? 1 : condition;
  MX *matrix = host_matrix_sparse (6, a);
  memcpy (&matrix->flags, &flags, sizeof flags);
  host_set_inverse (body, matrix);
}

/* Whether the shadow finds a value that is off by a part of itself. */
static int is_found (ldy_shadow *shadow, double *value, double part)
{
  double kept = *value;

  *value *= 1 + part;
  int found = !ldy_shadow_check (shadow, NULL, NULL);
  *value = kept;
  return found;
}

/* The free energy of a prescribed velocity is a term of its own: a difference is relative to it, too, where the body rests. */
static void test_prescribed_velocity (void)
{
  RANDOM random = { 7 };
  HOST *host = host_create ();
  BODY *body = scene_body (host, &random, RIG, INVERSE_BLOCKS);
  CON *con = scene_constraint (host, &random, VELODIR, body, NULL);
  LOCDYN *ldy = scene_insert_all (host);
  ldy_shadow *shadow = ldy_shadow_new (ldy);

  check_context ("prescribed velocity");
  con->Z[0] = 1000;
  LOCDYN_Update_Begin (ldy);
  CHECK (ldy_shadow_check (shadow, NULL, NULL));
  CHECK (!is_found (shadow, &ldy->free_energy, 1e-14));
  CHECK (is_found (shadow, &ldy->free_energy, 1e-10));
  /* No other kind has one. */
  con->kind = FIXDIR;
  LOCDYN_Update_Begin (ldy);
  CHECK (is_found (shadow, &ldy->free_energy, 1e-10));
  ldy_shadow_free (shadow);
  scene_destroy (host);
}

static void test_conditions (void)
{
  RANDOM random = { 5 };
  HOST *host = host_create ();
  BODY *one = scene_body (host, &random, RIG, INVERSE_BLOCKS), *two = scene_body (host, &random, RIG, INVERSE_BLOCKS);
  CON *both = scene_constraint (host, &random, RIGLNK, one, two), *alone = scene_constraint (host, &random, FIXPNT, two, NULL);
  LOCDYN *ldy = scene_insert_all (host);
  ldy_shadow *shadow = ldy_shadow_new (ldy);
  double *uncertain[] = { &both->dia->W[0], &both->dia->A[0], &both->dia->rho, &ldy->free_energy,
                          &both->dia->adj->W[0], &alone->dia->adj->W[0] };
  double *certain[] = { &both->V[0], &both->dia->B[0], &alone->dia->W[0], &alone->dia->A[0], &alone->dia->rho };
  ldy_report report = { .size = sizeof report };
  ldy_stats before = { .size = sizeof before }, after = { .size = sizeof after };

  set_matrix (one, 1e9);
  LOCDYN_Update_Begin (ldy);
  check_context ("matrix of condition 1e9");
  CHECK (ldy_shadow_check (shadow, NULL, &report));
  CHECK_NEAR (report.condition, 1e9, 1);
  for (int i = 0; i < (int) (sizeof uncertain / sizeof *uncertain); i ++) {
    check_context ("uncertain value %d", i);
    CHECK (!is_found (shadow, uncertain[i], 1e-9));
    CHECK (is_found (shadow, uncertain[i], 1e-3));
  }
  for (int i = 0; i < (int) (sizeof certain / sizeof *certain); i ++) {
    check_context ("certain value %d", i);
    CHECK (is_found (shadow, certain[i], 1e-9));
  }
  check_context ("the same matrix");
  ldy_get_stats (ldy, &before);
  LOCDYN_Update_Begin (ldy);
  ldy_get_stats (ldy, &after);
  CHECK_INT (after.factorisations, before.factorisations);
  CHECK_INT (after.factors_reused, before.factors_reused + 1);
  check_context ("another matrix");
  set_matrix (one, 10);
  LOCDYN_Update_Begin (ldy);
  CHECK (ldy_shadow_check (shadow, NULL, &report));
  CHECK_NEAR (report.condition, 10, 1e-8);
  ldy_shadow_free (shadow);
  scene_destroy (host);
}

/* At some place of an element. */
static void place_at (CON *con, RANDOM *random, int element)
{
  const ELEMENT *wanted = mesh_element (mesh_of_body (con->master), element);

  do mesh_place (con, random);
  while (con->msgp->gobj != wanted);
}

/* Two old rows get a block, as if inserted again. But then a newer row would have been, too, and it still has a block that an
 * insertion would not make any more. So what is wrong is the block of the older ones. */
static void test_block_of_older_rows (void)
{
  static const MESH_BODY kind = { TOTAL_LAGRANGIAN, SCH_DEF_EXP, INERTIA_DIAGONAL, CELLS_HEXAHEDRA, 0, { 1, 1, 4 } };
  SCENE s = { { 7 }, host_create (), NULL, { NULL }, { NULL }, { 0 } };
  BODY *body = mesh_body (s.host, &s.random, kind), *obstacle = host_add_body (s.host, OBS);
  DIAB *newer, *older;
  OFFB here = { { 0 }, NULL, body, NULL }, there = { { 0 }, NULL, body, NULL };
  char what[64];

  check_context ("a block of older rows");
  s.host->dom.ldy = LOCDYN_Create (&s.host->dom);
  s.shadow = ldy_shadow_new (s.host->dom.ldy);
  for (int i = 0; i < 3; i ++) {
    s.con[i] = mesh_constraint (s.host, &s.random, CONTACT, body, obstacle);
    place_at (s.con[i], &s.random, i ? 0 : 3);
    host_insert (s.host, s.con[i]);
  }
  LOCDYN_Update_Begin (s.host->dom.ldy);
  agrees (&s);
  older = s.con[0]->dia;
  newer = s.con[1]->dia;
  CHECK (link_to (s.con[2]->dia, newer, body) != NULL && link_to (newer, older, body) == NULL);
  place_at (s.con[0], &s.random, 0);
  place_at (s.con[2], &s.random, 3);
  LOCDYN_Update_Begin (s.host->dom.ldy);
  agrees (&s);
  here.dia = older;
  here.n = newer->adj;
  there.dia = newer;
  there.n = older->adj;
  newer->adj = &here;
  older->adj = &there;
  snprintf (what, sizeof what, "constraint %u (", s.con[1]->id);
  finds (&s, what);
  snprintf (what, sizeof what, " block to constraint %u ", s.con[0]->id);
  finds (&s, what);
  newer->adj = here.n;
  older->adj = there.n;
  agrees (&s);
  ldy_shadow_free (s.shadow);
  scene_destroy (s.host);
}

int main (int argc, char **argv)
{
  SCENE *s;

  if (argc < 3) {
    fprintf (stderr, "usage: shadow_steps STEPS SEED ...\n");
    return 2;
  }
  int steps = atoi (argv[1]);
  test_replaced_body ();
  test_block_of_older_rows ();
  for (int k = 2; k < argc; k ++) {
    s = scene_create (strtoull (argv[k], NULL, 10));
    for (int i = 0; i < steps && !check_failures (); i ++) {
      check_context ("seed %s, step %d", argv[k], i);
      step (s);
    }
    scene_free (s);
  }
  test_conditions ();
  test_prescribed_velocity ();
  return check_summary ("shadow_steps");
}
