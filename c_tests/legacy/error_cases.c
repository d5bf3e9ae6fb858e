#include "legacy/error_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/compare.h"
#include "support/dense.h"
#include "support/mesh_builder.h"

/* ---- the scene and its backup */

typedef struct {
  void *at;
  size_t size;
  void *copy;
} PIECE;

struct backup {
  int count;
  PIECE piece[1024];
};

static void keep (struct backup *backup, void *at, size_t size)
{
  PIECE *piece = &backup->piece[backup->count ++];

  if (backup->count > (int) (sizeof backup->piece / sizeof *piece)) abort ();
  piece->at = at;
  piece->size = size;
  piece->copy = malloc (size);
  if (!piece->copy) abort ();
  memcpy (piece->copy, at, size);
}

static void keep_matrix (struct backup *backup, MX *matrix)
{
  int ni = matrix->kind == MXCSC ? matrix->nzmax : matrix->n + 1;

  keep (backup, matrix, sizeof *matrix);
  keep (backup, matrix->x, (size_t) matrix->nzmax * sizeof (double));
  if (matrix->p) keep (backup, matrix->p, (size_t) (matrix->n + 1) * sizeof (int));
  if (matrix->i) keep (backup, matrix->i, (size_t) ni * sizeof (int));
}

static void keep_mesh (struct backup *backup, BODY *body)
{
  MESH *mesh = body->msh ? body->msh : body->shape->data;
  CONVEX *convex = body->msh ? body->shape->data : NULL;

  keep (backup, &body->dofs, sizeof body->dofs);
  keep (backup, &body->form, sizeof body->form);
  keep (backup, &body->evec, sizeof body->evec);
  if (body->evec) keep_matrix (backup, body->evec);
  keep (backup, &body->msh, sizeof body->msh);
  keep (backup, body->shape, sizeof *body->shape);
  keep (backup, mesh, sizeof *mesh);
  keep (backup, mesh->ref_nodes, (size_t) (3 * mesh->nodes_count) * sizeof (double));
  for (int i = 0; i < mesh_elements (mesh); i ++) keep (backup, mesh_element (mesh, i), sizeof (ELEMENT));
  for (; convex; convex = convex->next) {
    keep (backup, convex, sizeof *convex);
    keep (backup, convex->ele, (size_t) convex->nele * sizeof *convex->ele);
  }
}

/* The numbers of values in a body's configuration and velocities. */
static int configuration_size (const BODY *body) { return body->kind == FEM ? body->dofs + 9 : 12; }

static int velocities_size (const BODY *body)
{
  int mesh = 2 * dense_velocity_size (body);

  return body->kind == FEM && body->form >= BODY_COROTATIONAL_MODAL ? 4 * body->dofs + mesh : mesh;
}

static struct backup *backup_of (SCENE *s)
{
  struct backup *backup = calloc (1, sizeof *backup);
  BODY *body;

  if (!backup) abort ();
  keep (backup, &s->host->dom.step, sizeof s->host->dom.step);
  keep (backup, &s->host->dom.solfec, sizeof s->host->dom.solfec);
  keep (backup, &s->ldy->dom, sizeof s->ldy->dom);
  for (int i = 0; i < BODIES; i ++) {
    body = s->body[i];
    keep (backup, &body->kind, sizeof body->kind);
    keep (backup, body->ref_center, sizeof body->ref_center);
    keep (backup, &body->conf, sizeof body->conf);
    keep (backup, &body->velo, sizeof body->velo);
    keep (backup, &body->inverse, sizeof body->inverse);
    keep (backup, body->conf, (size_t) configuration_size (body) * sizeof (double));
    keep (backup, body->velo, (size_t) velocities_size (body) * sizeof (double));
    keep_matrix (backup, body->inverse);
    if (body->kind == FEM) keep_mesh (backup, body);
  }
  for (int i = 0; i < CONSTRAINTS; i ++) {
    keep (backup, s->con[i]->base, sizeof s->con[i]->base);
    keep (backup, s->con[i]->Z, sizeof s->con[i]->Z);
    keep (backup, &s->con[i]->mat, sizeof s->con[i]->mat);
    keep (backup, &s->con[i]->kind, sizeof s->con[i]->kind);
    keep (backup, &s->con[i]->master, offsetof (CON, rank) - offsetof (CON, master)); /* bodies, points, pairs */
    if (s->con[i]->msgp) keep (backup, s->con[i]->msgp, sizeof (SGP));
    if (s->con[i]->ssgp) keep (backup, s->con[i]->ssgp, sizeof (SGP));
  }
  return backup;
}

SCENE *error_scene (void)
{
  SCENE *s = calloc (1, sizeof *s);
  RANDOM random = { 22 };
  BODY *body;
  CON *con;
  int i;

  if (!s) abort ();
  s->host = scene_mixed (20);
  mesh_add_scene (s->host, &random);
  s->ldy = scene_insert_all (s->host);
  s->other = scene_mixed (21);
  scene_insert_all (s->other);
  for (i = 0, body = s->host->dom.bod; body; body = body->next) s->body[i ++] = body;
  for (i = 0, con = s->host->dom.con; con; con = con->next) s->con[i ++] = con;
  s->pointer = s;
  s->backup = backup_of (s);
  return s;
}

void error_scene_restore (SCENE *s)
{
  const PIECE *piece = s->backup->piece;

  for (int i = 0; i < s->backup->count; i ++, piece ++) memcpy (piece->at, piece->copy, piece->size);
}

void error_scene_free (SCENE *s)
{
  for (int i = 0; i < s->backup->count; i ++) free (s->backup->piece[i].copy);
  free (s->backup);
  scene_destroy (s->host);
  scene_destroy (s->other);
  free (s);
}

STRUCTURE structure_of (const LOCDYN *ldy)
{
  STRUCTURE structure = { 0, NULL };

  for (const DIAB *dia = ldy->dia; dia; dia = dia->n) {
    structure.count += 3;
    for (const OFFB *block = dia->adj; block; block = block->n) structure.count += 3;
  }
  structure.address = calloc ((size_t) structure.count + 1, sizeof *structure.address);
  if (!structure.address) abort ();
  structure.count = 0;
  for (const DIAB *dia = ldy->dia; dia; dia = dia->n) {
    structure.address[structure.count ++] = dia;
    structure.address[structure.count ++] = dia->p;
    structure.address[structure.count ++] = dia->con;
    for (const OFFB *block = dia->adj; block; block = block->n) {
      structure.address[structure.count ++] = block;
      structure.address[structure.count ++] = block->dia;
      structure.address[structure.count ++] = block->bod;
    }
  }
  return structure;
}

int structure_same (const STRUCTURE *one, const STRUCTURE *two)
{
  return one->count == two->count && !memcmp (one->address, two->address, (size_t) one->count * sizeof *one->address);
}

void structure_free (STRUCTURE *structure)
{
  free (structure->address);
}

void error_scene_check_usable (SCENE *s, const ERROR_CASE *test, const STRUCTURE *before)
{
  STRUCTURE after = structure_of (s->ldy);

  CHECK (structure_same (before, &after));
  structure_free (&after);
  error_scene_restore (s);
  if (test->repair) test->repair (s);
  update_and_compare (s->host, UPDATE_ALL);
  for (CON *con = s->host->dom.con; con; con = con->next) host_remove (s->host, con);
  CHECK (!s->ldy->dia);
  for (CON *con = s->host->dom.con; con; con = con->next) host_insert (s->host, con);
  update_and_compare (s->host, UPDATE_ALL);
}

/* ---- calls */

static void update (SCENE *s, UPDATE_KIND kind)
{
  host_set_update (s->host, kind);
  LOCDYN_Update_Begin (s->ldy);
}

static void update_all (SCENE *s) { update (s, UPDATE_ALL); }
static void update_penalty (SCENE *s) { update (s, UPDATE_PENALTY); }
static void update_minimal (SCENE *s) { update (s, UPDATE_MINIMAL); }

static void create_null (SCENE *s) { s->pointer = LOCDYN_Create (NULL); }
static void insert_null_locdyn (SCENE *s) { s->pointer = LOCDYN_Insert (NULL, s->con[0], s->body[0], NULL); }
static void insert_null_constraint (SCENE *s) { s->pointer = LOCDYN_Insert (s->ldy, NULL, s->body[0], NULL); }
static void remove_null_locdyn (SCENE *s) { LOCDYN_Remove (NULL, s->con[0]->dia); }
static void remove_null_row (SCENE *s) { LOCDYN_Remove (s->ldy, NULL); }
static void begin_null (SCENE *s) { (void) s, LOCDYN_Update_Begin (NULL); }
static void end_null (SCENE *s) { (void) s, LOCDYN_Update_End (NULL); }
static void average_null (SCENE *s) { s->value = LOCDYN_avgWii (NULL); }
static void least_null (SCENE *s) { s->value = LOCDYN_minWii (NULL); }
static void most_null (SCENE *s) { s->value = LOCDYN_maxWii (NULL); }
static void destroy_null (SCENE *s) { (void) s, LOCDYN_Destroy (NULL); }
static void update_end (SCENE *s) { LOCDYN_Update_End (s->ldy); }

static void update_newton (SCENE *s)
{
  s->host->solfec.kind = NEWTON_SOLVER;
  s->host->solfec.solver = NULL;
  LOCDYN_Update_Begin (s->ldy);
}

static double point[3] = { 1, 2, 3 }, frame[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };

static void operator_on (SCENE *s, BODY *body, int kind, double *X, double *E)
{
  s->pointer = BODY_Gen_To_Loc_Operator (body, (short) kind, NULL, X, E);
}

static void operator_null_body (SCENE *s) { operator_on (s, NULL, CONTACT, point, frame); }
static void operator_null_point (SCENE *s) { operator_on (s, s->body[1], CONTACT, NULL, frame); }
static void operator_null_frame (SCENE *s) { operator_on (s, s->body[1], CONTACT, point, NULL); }
static void operator_of_body (SCENE *s) { operator_on (s, s->body[1], CONTACT, point, frame); }
static void operator_of_kind (SCENE *s) { operator_on (s, s->body[1], 77, point, frame); }

static void velocity_null_body (SCENE *s) { (void) s, BODY_Local_Velo (NULL, NULL, point, frame, NULL, NULL); }
static void velocity_null_point (SCENE *s) { BODY_Local_Velo (s->body[1], NULL, NULL, frame, NULL, NULL); }

static void velocity_of_body (SCENE *s)
{
  double before[3], now[3];

  BODY_Local_Velo (s->body[1], NULL, point, frame, before, now);
}

static void matrix_of_kind (SCENE *s) { s->pointer = MX_Create (3, 2, 2, NULL, NULL); }
static void matrix_of_size (SCENE *s) { s->pointer = MX_Create (MXDENSE, -1, 2, NULL, NULL); }
static void blocks_of_nothing (SCENE *s) { s->pointer = MX_Create (MXBD, 2, 2, NULL, NULL); }

static int ends[3] = { 0, 1, 2 }, disorder[3] = { 0, 3, 2 };

static void blocks_of_disorder (SCENE *s) { s->pointer = MX_Create (MXBD, 2, 2, ends, disorder); }
static void columns_of_disorder (SCENE *s) { s->pointer = MX_Create (MXCSC, 2, 2, disorder, ends); }
static void columns_of_half (SCENE *s) { s->pointer = MX_Create (MXCSC, 2, 2, ends, NULL); }

/* ---- inconsistent rows and pointers */

static DIAB not_a_row;

static void without_row (SCENE *s)
{
  s->row = s->con[2]->dia;
  s->con[2]->dia = NULL;
}

static void garbage_row (SCENE *s)
{
  s->row = s->con[2]->dia;
  s->con[2]->dia = (DIAB *) (void *) ((char *) NULL + 16);
}

static void row_of_nobody (SCENE *s)
{
  s->row = s->con[2]->dia;
  s->con[2]->dia = &not_a_row;
}

static void row_of_the_other (SCENE *s)
{
  s->row = s->con[2]->dia;
  s->con[2]->dia = s->other->dom.con->dia;
}

static void row_beside (SCENE *s)
{
  s->row = s->con[2]->dia;
  s->con[2]->dia = (DIAB *) (void *) ((char *) s->row + 8);
}

static void row_of_a_neighbour (SCENE *s)
{
  s->row = s->con[2]->dia;
  s->con[2]->dia = s->con[1]->dia;
}

static void give_row_back (SCENE *s) { s->con[2]->dia = s->row; }

static void removed (SCENE *s) { LOCDYN_Remove (s->ldy, s->con[2]->dia); } /* dia is stale now */
static void insert_again (SCENE *s) { host_insert (s->host, s->con[2]); }
static void remove_it (SCENE *s) { LOCDYN_Remove (s->ldy, s->con[2]->dia); }

/* The third constraint's neighbor is about to be inserted and meets it. */
static void insert_neighbour (SCENE *s)
{
  s->pointer = LOCDYN_Insert (s->ldy, s->con[1], s->con[1]->master, s->con[1]->slave);
}

static void garbage_neighbour (SCENE *s)
{
  host_remove (s->host, s->con[1]);
  garbage_row (s);
}

static void removed_neighbour (SCENE *s)
{
  host_remove (s->host, s->con[1]);
  removed (s);
}

static void foreign_neighbour (SCENE *s)
{
  host_remove (s->host, s->con[1]);
  row_of_the_other (s);
}

static void give_back_and_insert (SCENE *s)
{
  give_row_back (s);
  host_insert (s->host, s->con[1]);
}

static void insert_both (SCENE *s)
{
  s->con[2]->dia = NULL;
  host_insert (s->host, s->con[1]);
  host_insert (s->host, s->con[2]);
}

/* The element of a set that is this constraint. */
static void **element_of (SET *set, const CON *con)
{
  return set->data == con ? &set->data : element_of (con->id < ((CON *) set->data)->id ? set->l : set->r, con);
}

static void nothing_in_set (SCENE *s)
{
  host_remove (s->host, s->con[1]);
  s->element = element_of (s->body[1]->con, s->con[2]);
  *s->element = NULL;
}

static void fill_set (SCENE *s)
{
  *s->element = s->con[2];
  host_insert (s->host, s->con[1]);
}

static void neighbour_without_row (SCENE *s) { host_remove (s->host, s->con[1]); }
static void insert_first_neighbour (SCENE *s) { host_insert (s->host, s->con[1]); }

static void insert_unknown (SCENE *s)
{
  memset (&s->con[1]->kind, 9, 1);
  insert_neighbour (s);
}

/* Inserted with a body that is not its own. */
static void with_a_stranger (SCENE *s)
{
  host_remove (s->host, s->con[6]);
  s->con[6]->dia = LOCDYN_Insert (s->ldy, s->con[6], s->body[5], NULL);
}

static void without_stranger (SCENE *s)
{
  host_remove (s->host, s->con[6]);
  host_insert (s->host, s->con[6]);
}

static void no_domain (SCENE *s) { s->ldy->dom = NULL; }
static void no_master (SCENE *s) { s->con[1]->master = NULL; }
static void unknown_body_kind (SCENE *s) { memset (&s->body[1]->kind, 7, 1); }
static void unknown_constraint_kind (SCENE *s) { memset (&s->con[1]->kind, 9, 1); }
static void no_configuration (SCENE *s) { s->body[1]->conf = NULL; }
static void no_velocity (SCENE *s) { s->body[1]->velo = NULL; }

static void no_material (SCENE *s)
{
  s->con[1]->state = CON_COHESIVE;
  s->con[1]->mat.base = NULL;
}

/* ---- values that are none */

static void pulled (SCENE *s, double reaction)
{
  s->con[1]->state = CON_COHESIVE;
  s->con[1]->R[1] = reaction;
}

static void nan_pull (SCENE *s) { pulled (s, NAN); }
static void infinite_pull (SCENE *s) { pulled (s, - HUGE_VAL); }
static void nan_velocity (SCENE *s) { s->body[1]->velo[2] = NAN; }
static void nan_rotation (SCENE *s) { s->body[1]->conf[5] = NAN; }

static void overflow (SCENE *s)
{
  for (int i = 0; i < s->body[5]->inverse->nzmax; i ++) s->body[5]->inverse->x[i] = 1e308;
}

static void underflow (SCENE *s)
{
  for (int i = 0; i < s->body[5]->inverse->nzmax; i ++) s->body[5]->inverse->x[i] *= 1e-310;
}

static void too_fast (SCENE *s)
{
  for (int i = 0; i < 12; i ++) s->body[1]->velo[i] = 1.7e308;
}

static void zero_inverse (SCENE *s)
{
  memset (s->body[5]->inverse->x, 0, (size_t) s->body[5]->inverse->nzmax * sizeof (double));
}

/* ---- inverses: body[1] has blocks, body[2] a dense one, body[5] compressed columns */

/* ---- finite elements, as mesh_add_scene makes them: body[8] with its matrix' lower triangle, body[9] co-rotational with its
 * whole matrix, body[10] reduced, body[11] explicit with a separate mesh; the first of each one's four constraints is a
 * contact, the second a fixed point */

static void zero_column (SCENE *s)
{
  const MX *matrix = s->body[9]->inverse;

  for (int e = matrix->p[1]; e < matrix->p[2]; e ++) matrix->x[e] = 0;
}

static void factored_size (SCENE *s)
{
  s->body[8]->inverse->m -= 3;
  s->body[8]->inverse->n -= 3;
}

static void exchange (int *one, int *two)
{
  int kept = *one;

  *one = *two;
  *two = kept;
}

static void no_base (SCENE *s) { s->body[10]->evec = NULL; }
static void base_nan (SCENE *s) { s->body[10]->evec->x[0] = s->body[10]->evec->x[30] = NAN; }

static ELEMENT *element_of_contact (SCENE *s) { return s->con[14]->msgp->gobj; }

/* All nodes of the element in one plane, or in one place. */
static void flat_element (SCENE *s)
{
  MESH *mesh = s->body[8]->shape->data;

  for (int i = 0; i < 8; i ++) mesh->ref_nodes[3 * element_of_contact (s)->nodes[i] + 2] = 0;
}

static void element_of_one_place (SCENE *s)
{
  MESH *mesh = s->body[8]->shape->data;

  memset (mesh->ref_nodes, 0, (size_t) (3 * mesh->nodes_count) * sizeof (double));
}

static void element_of_seven (SCENE *s) { element_of_contact (s)->type = 7; }
static void form_nine (SCENE *s) { memset (&s->body[8]->form, 9, 1); }
static void no_mesh_velocity (SCENE *s) { s->body[8]->velo = NULL; }

static void nan_mesh_velocity (SCENE *s)
{
  for (int i = 0; i < s->body[8]->dofs; i ++) s->body[8]->velo[i] = NAN;
}

static void nan_rotated_velocity (SCENE *s)
{
  for (int i = 0; i < s->body[9]->dofs; i ++) s->body[9]->velo[s->body[9]->dofs + i] = NAN;
}

static void nan_reduced_velocity (SCENE *s)
{
  for (int i = 0; i < s->body[10]->evec->m; i ++) s->body[10]->velo[4 * s->body[10]->dofs + i] = NAN;
}

static CONVEX *convex_of_contact (SCENE *s) { return s->con[26]->msgp->gobj; }
static void convex_last_element (SCENE *s)
{
  CONVEX *convex = s->body[11]->shape->data;

  while (convex->nele < 2) convex = convex->next;
  s->con[26]->msgp->gobj = convex;
  convex->ele[convex->nele - 1] = NULL;
}

/* Insertion on an explicit body asks for places. */
static void insert_explicit (SCENE *s)
{
  s->pointer = LOCDYN_Insert (s->ldy, s->con[26], s->con[26]->master, s->con[26]->slave);
}

static void explicit_no_pair (SCENE *s)
{
  host_remove (s->host, s->con[26]);
  s->con[26]->msgp = NULL;
}

static void explicit_neighbour_no_pair (SCENE *s)
{
  host_remove (s->host, s->con[26]);
  s->con[27]->msgp = NULL;
}

static void explicit_back (SCENE *s) { host_insert (s->host, s->con[26]); }

static void operator_of_mesh (SCENE *s)
{
  s->pointer = BODY_Gen_To_Loc_Operator (s->body[8], CONTACT, s->con[14]->msgp, s->con[14]->mpnt, frame);
}

static void fem_operator_of_mesh (SCENE *s)
{
  s->pointer = FEM_Gen_To_Loc_Operator (s->body[8], s->body[8]->shape, element_of_contact (s), s->con[14]->mpnt, frame);
}

static void operator_of_base (SCENE *s)
{
  s->pointer = BODY_Gen_To_Loc_Operator (s->body[10], CONTACT, s->con[22]->msgp, s->con[22]->mpnt, frame);
}

static void operator_without_pair (SCENE *s) { operator_on (s, s->body[8], CONTACT, point, frame); }
static void fem_operator_of_nothing (SCENE *s) { s->pointer = FEM_Gen_To_Loc_Operator (NULL, NULL, NULL, point, frame); }
static void fem_operator_of_rigid (SCENE *s) { s->pointer = FEM_Gen_To_Loc_Operator (s->body[1], NULL, NULL, point, frame); }
static void fem_operator_of_pseudo (SCENE *s) { s->pointer = FEM_Gen_To_Loc_Operator (s->body[3], NULL, NULL, point, frame); }

static void fem_operator_without_shape (SCENE *s)
{
  s->pointer = FEM_Gen_To_Loc_Operator (s->body[8], NULL, element_of_contact (s), s->con[14]->mpnt, frame);
}

static void fem_operator_without_element (SCENE *s)
{
  s->pointer = FEM_Gen_To_Loc_Operator (s->body[8], s->body[8]->shape, NULL, s->con[14]->mpnt, frame);
}

static void fem_operator_without_point (SCENE *s)
{
  s->pointer = FEM_Gen_To_Loc_Operator (s->body[8], s->body[8]->shape, element_of_contact (s), NULL, frame);
}

static void fem_velocity_of (BODY *body, SGP *pair, double *X)
{
  double before[3], now[3];

  FEM_Local_Velo (body, pair ? pair->shp : NULL, pair ? pair->gobj : NULL, X, frame, before, now);
}

static void fem_velocity_of_rigid (SCENE *s) { fem_velocity_of (s->body[1], NULL, point); }
static void fem_velocity_of_mesh (SCENE *s) { fem_velocity_of (s->body[8], s->con[14]->msgp, s->con[14]->mpnt); }

static void velocity_of_mesh (SCENE *s)
{
  double before[3], now[3];

  BODY_Local_Velo (s->body[8], s->con[14]->msgp, s->con[14]->mpnt, frame, before, now);
}

/* ---- files and clones */

static void dump_null (SCENE *s) { (void) s, LOCDYN_Dump (NULL, "/dev/null"); }
static void dump_nowhere (SCENE *s) { LOCDYN_Dump (s->ldy, NULL); }
static void dump_unopened (SCENE *s) { LOCDYN_Dump (s->ldy, "/no/such/directory/dump"); }
static void dump_full (SCENE *s) { LOCDYN_Dump (s->ldy, "/dev/full"); }
static void dump_any (SCENE *s) { LOCDYN_Dump (s->ldy, "/dev/null"); }
static void matrix_null (SCENE *s) { (void) s, LOCDYN_W_MatrixMarket (NULL, "/dev/null"); }
static void matrix_nowhere (SCENE *s) { LOCDYN_W_MatrixMarket (s->ldy, NULL); }
static void matrix_unopened (SCENE *s) { LOCDYN_W_MatrixMarket (s->ldy, "/no/such/directory/matrix"); }
static void matrix_full (SCENE *s) { LOCDYN_W_MatrixMarket (s->ldy, "/dev/full"); }
static void clone_null (SCENE *s) { s->pointer = LOCDYN_Clone_Non_Contacts (NULL); }
static void clone (SCENE *s) { s->pointer = LOCDYN_Clone_Non_Contacts (s->ldy); }

/* ---- the table */

#define BUG LDY_ERROR_INVALID_ARGUMENT
#define KIND LDY_ERROR_INVALID_FORMAT

/* The same in an update that needs W, and in every update. */
#define IN_W(name, code, mention, prepare, repair) \
  { name ", all", code, { mention }, prepare, update_all, repair, RESULT_NONE }, \
  { name ", penalty", code, { mention }, prepare, update_penalty, repair, RESULT_NONE }
#define IN_EVERY(name, code, mention, prepare, repair) \
  IN_W (name, code, mention, prepare, repair), \
  { name ", minimal", code, { mention }, prepare, update_minimal, repair, RESULT_NONE }

/* A case of error_cases.def: a function that does the damage, and then its rows. */
#define DAMAGE_W(prepare, name, code, mention, ...) static void prepare (SCENE *s) { __VA_ARGS__; }
#define DAMAGE_EVERY DAMAGE_W
#include "legacy/error_cases.def"
#undef DAMAGE_W
#undef DAMAGE_EVERY
#define DAMAGE_W(prepare, name, code, mention, ...) IN_W (name, code, mention, prepare, NULL),
#define DAMAGE_EVERY(prepare, name, code, mention, ...) IN_EVERY (name, code, mention, prepare, NULL),

const ERROR_CASE error_cases[] = {
  { "Create without domain", BUG, { "" }, NULL, create_null, NULL, RESULT_POINTER },
  { "Insert into nothing", BUG, { "" }, NULL, insert_null_locdyn, NULL, RESULT_POINTER },
  { "Insert nothing", BUG, { "" }, NULL, insert_null_constraint, NULL, RESULT_POINTER },
  { "Remove from nothing", BUG, { "" }, NULL, remove_null_locdyn, NULL, RESULT_NONE },
  { "Remove nothing", BUG, { "" }, NULL, remove_null_row, NULL, RESULT_NONE },
  { "Update_Begin of nothing", BUG, { "" }, NULL, begin_null, NULL, RESULT_NONE },
  { "Update_End of nothing", BUG, { "" }, NULL, end_null, NULL, RESULT_NONE },
  { "avgWii of nothing", BUG, { "" }, NULL, average_null, NULL, RESULT_VALUE },
  { "minWii of nothing", BUG, { "" }, NULL, least_null, NULL, RESULT_VALUE },
  { "maxWii of nothing", BUG, { "" }, NULL, most_null, NULL, RESULT_VALUE },
  { "Destroy of nothing", BUG, { "" }, NULL, destroy_null, NULL, RESULT_NONE },
  { "Newton without solver", BUG, { "" }, NULL, update_newton, NULL, RESULT_NONE },
  { "operator of nothing", BUG, { "" }, NULL, operator_null_body, NULL, RESULT_POINTER },
  { "operator without point", BUG, { "" }, NULL, operator_null_point, NULL, RESULT_POINTER },
  { "operator without frame", BUG, { "" }, NULL, operator_null_frame, NULL, RESULT_POINTER },
  { "operator of an unknown body", BUG, { "body 2" }, unknown_body_kind, operator_of_body, NULL, RESULT_POINTER },
  { "operator of an unknown constraint", BUG, { "77" }, NULL, operator_of_kind, NULL, RESULT_POINTER },
  { "operator without configuration", BUG, { "body 2" }, no_configuration, operator_of_body, NULL, RESULT_POINTER },
  { "operator of a NaN", BUG, { "body 2" }, nan_rotation, operator_of_body, NULL, RESULT_POINTER },
  { "velocity of nothing", BUG, { "" }, NULL, velocity_null_body, NULL, RESULT_NONE },
  { "velocity without point", BUG, { "" }, NULL, velocity_null_point, NULL, RESULT_NONE },
  { "velocity without velocities", BUG, { "body 2" }, no_velocity, velocity_of_body, NULL, RESULT_NONE },
  { "velocity of a NaN", BUG, { "body 2" }, nan_velocity, velocity_of_body, NULL, RESULT_NONE },
  { "matrix of an unknown kind", KIND, { "" }, NULL, matrix_of_kind, NULL, RESULT_POINTER },
  { "matrix of a negative size", BUG, { "" }, NULL, matrix_of_size, NULL, RESULT_POINTER },
  { "blocks without structure", KIND, { "" }, NULL, blocks_of_nothing, NULL, RESULT_POINTER },

  { "blocks in disorder", KIND, { "" }, NULL, blocks_of_disorder, NULL, RESULT_POINTER },
  { "columns in disorder", KIND, { "" }, NULL, columns_of_disorder, NULL, RESULT_POINTER },
  { "columns with half of their structure", KIND, { "" }, NULL, columns_of_half, NULL, RESULT_POINTER },

  { "row removed twice", BUG, { "" }, removed, remove_it, insert_again, RESULT_NONE },
  { "removal of a row of another LOCDYN", BUG, { "" }, row_of_the_other, remove_it, give_row_back, RESULT_NONE },
  { "removal of no row at all", BUG, { "" }, row_of_nobody, remove_it, give_row_back, RESULT_NONE },
  { "removal of garbage", BUG, { "" }, garbage_row, remove_it, give_row_back, RESULT_NONE },
  { "removal beside a row", BUG, { "" }, row_beside, remove_it, give_row_back, RESULT_NONE },
  { "neighbour with a garbage row", BUG, { "constraint 3" }, garbage_neighbour, insert_neighbour, give_back_and_insert,
    RESULT_POINTER },
  { "neighbour with a removed row", BUG, { "constraint 3" }, removed_neighbour, insert_neighbour, insert_both,
    RESULT_POINTER },
  { "neighbour with a foreign row", BUG, { "constraint 3" }, foreign_neighbour, insert_neighbour, give_back_and_insert,
    RESULT_POINTER },
  { "nothing in a set", BUG, { "body 2" }, nothing_in_set, insert_neighbour, fill_set, RESULT_POINTER },
  { "insertion of an unknown kind", BUG, { "constraint 2" }, neighbour_without_row, insert_unknown, insert_first_neighbour,
    RESULT_POINTER },
  IN_EVERY ("constraint without a row", BUG, "constraint 3 (CONTACT) between bodies 2 and 3", without_row, give_row_back),
  IN_EVERY ("constraint with a garbage row", BUG, "constraint 3", garbage_row, give_row_back),
  IN_EVERY ("constraint with no row at all", BUG, "constraint 3", row_of_nobody, give_row_back),
  IN_EVERY ("constraint with a foreign row", BUG, "constraint 3", row_of_the_other, give_row_back),
  IN_EVERY ("constraint with a place beside its row", BUG, "constraint 3", row_beside, give_row_back),
  IN_EVERY ("constraint with its neighbour's row", BUG, "constraint 3", row_of_a_neighbour, give_row_back),
  IN_EVERY ("constraint with a removed row", BUG, "constraint 3", removed, insert_again),
  IN_W ("block through a stranger", BUG, "constraint 7 (FIXPNT) on body 2", with_a_stranger, without_stranger),
  { "block through a stranger, its name", BUG, { "body 6" }, with_a_stranger, update_all, without_stranger, RESULT_NONE },
  IN_EVERY ("no domain", BUG, "", no_domain, NULL),
  { "no domain, end", BUG, { "" }, no_domain, update_end, NULL, RESULT_NONE },
  { "no material, end", BUG, { "constraint 2" }, no_material, update_end, NULL, RESULT_NONE },
  { "NaN as a cohesive reaction", BUG, { "constraint 2" }, nan_pull, update_end, NULL, RESULT_NONE },
  { "infinite cohesive reaction", BUG, { "constraint 2" }, infinite_pull, update_end, NULL, RESULT_NONE },
  IN_EVERY ("no master", BUG, "constraint 2", no_master, NULL),
  IN_EVERY ("unknown kind of body", BUG, "body 2", unknown_body_kind, NULL),
  IN_EVERY ("unknown kind of constraint", BUG, "constraint 2", unknown_constraint_kind, NULL),
  IN_EVERY ("no configuration", BUG, "body 2", no_configuration, NULL),
  IN_EVERY ("no velocity", BUG, "body 2", no_velocity, NULL),

  IN_EVERY ("NaN as velocity", BUG, "constraint 1 (CONTACT) between bodies 2 and 1: velocity of body 2 is not finite",
    nan_velocity, NULL),
  IN_EVERY ("NaN in the rotation", BUG, "constraint 1 (CONTACT) between bodies 2 and 1: configuration of body 2 is not finite",
    nan_rotation, NULL),
  IN_W ("W beyond all numbers", BUG, ": W overflows, though all that it is made of is finite", overflow, NULL),
  IN_W ("W below all numbers", BUG, ": W or its inverse overflows, though", underflow, NULL),
  IN_EVERY ("V beyond all numbers", BUG, "constraint 1 (CONTACT) between bodies 2 and 1: V or B overflows, though", too_fast, NULL),
  IN_W ("singular W", LDY_ERROR_SINGULAR, "constraint 9 (VELODIR) on body 6: singular W", zero_inverse, NULL),

  IN_W ("singular matrix", LDY_ERROR_SINGULAR, "body 10", zero_column, NULL),
  IN_W ("matrix of another size", KIND, "body 9", factored_size, NULL),

  IN_W ("no reduced base", KIND, "body 11", no_base, NULL),
  IN_W ("NaN in the reduced base", BUG, ": reduced base (evec) of body 11 is not finite", base_nan, NULL),

  IN_EVERY ("flat element", LDY_ERROR_POINT_NOT_IN_ELEMENT, "constraint 15 (CONTACT) between bodies 9 and 2", flat_element, NULL),
  IN_EVERY ("element of one place", LDY_ERROR_POINT_NOT_IN_ELEMENT, "constraint 15 (CONTACT) between bodies 9 and 2",
    element_of_one_place, NULL),
  { "flat element, its nodes", LDY_ERROR_POINT_NOT_IN_ELEMENT, { "constraint 15 (CONTACT) between bodies 9 and 2",
    "element of nodes [" }, flat_element, update_all, NULL, RESULT_NONE },
  IN_EVERY ("element of seven nodes", BUG, "constraint 15 (CONTACT) between bodies 9 and 2", element_of_seven, NULL),
  IN_EVERY ("unknown form", BUG, "constraint 15 (CONTACT) between bodies 9 and 2", form_nine, NULL),
  IN_EVERY ("mesh without velocity", BUG, "constraint 15 (CONTACT) between bodies 9 and 2", no_mesh_velocity, NULL),
  IN_EVERY ("NaN as velocity of a mesh", BUG, "constraint 15 (CONTACT) between bodies 9 and 2: velocity of body 9 is not finite",
    nan_mesh_velocity, NULL),
  IN_EVERY ("NaN as previous velocity of a rotated mesh", BUG, ": velocity of body 10 is not finite", nan_rotated_velocity, NULL),
  IN_EVERY ("NaN as velocity of a reduced mesh", BUG, ": velocity of body 11 is not finite", nan_reduced_velocity, NULL),
  IN_EVERY ("convex with a missing element behind others", BUG, "constraint ", convex_last_element, NULL),
  { "insertion on an explicit body without place", BUG, { "constraint 27 (CONTACT) between bodies 12 and 1" },
    explicit_no_pair,
    insert_explicit, explicit_back, RESULT_POINTER },
  { "insertion beside one without place", BUG, { "constraint 28 (FIXPNT) on body 12" }, explicit_neighbour_no_pair,
    insert_explicit,
    explicit_back, RESULT_POINTER },

  { "operator of a flat element", LDY_ERROR_POINT_NOT_IN_ELEMENT, { "body 9" }, flat_element, operator_of_mesh, NULL,
    RESULT_POINTER },
  { "operator of a flat element, FEM", LDY_ERROR_POINT_NOT_IN_ELEMENT, { "body 9" }, flat_element, fem_operator_of_mesh, NULL,
    RESULT_POINTER },
  { "operator of an ill-formed element", BUG, { "body 9" }, element_of_seven, fem_operator_of_mesh, NULL,
    RESULT_POINTER },
  { "operator of an unknown form", BUG, { "body 9" }, form_nine, operator_of_mesh, NULL, RESULT_POINTER },
  { "operator without base", KIND, { "body 11" }, no_base, operator_of_base, NULL, RESULT_POINTER },
  { "operator with a NaN in its base", BUG, { "body 11" }, base_nan, operator_of_base, NULL, RESULT_POINTER },
  { "operator of a mesh without place", BUG, { "body 9" }, NULL, operator_without_pair, NULL, RESULT_POINTER },
  { "FEM operator of nothing", BUG, { "" }, NULL, fem_operator_of_nothing, NULL, RESULT_POINTER },
  { "FEM operator of a rigid body", BUG, { "body 2" }, NULL, fem_operator_of_rigid, NULL, RESULT_POINTER },
  { "FEM operator of a pseudo-rigid body", BUG, { "body 4" }, NULL, fem_operator_of_pseudo, NULL, RESULT_POINTER },
  { "FEM operator without shape", BUG, { "body 9" }, NULL, fem_operator_without_shape, NULL, RESULT_POINTER },
  { "FEM operator without element", BUG, { "body 9" }, NULL, fem_operator_without_element, NULL, RESULT_POINTER },
  { "FEM operator without point", BUG, { "" }, NULL, fem_operator_without_point, NULL, RESULT_POINTER },
  { "FEM velocity of a rigid body", BUG, { "body 2" }, NULL, fem_velocity_of_rigid, NULL, RESULT_NONE },
  { "FEM velocity of a flat element", LDY_ERROR_POINT_NOT_IN_ELEMENT, { "body 9" }, flat_element, fem_velocity_of_mesh, NULL,
    RESULT_NONE },
  { "velocity of a mesh without velocities", BUG, { "body 9" }, no_mesh_velocity, velocity_of_mesh, NULL, RESULT_NONE },
  { "velocity of a mesh that is NaN", BUG, { "body 9" }, nan_mesh_velocity, velocity_of_mesh, NULL, RESULT_NONE },

  { "Dump of nothing", BUG, { "ldy is NULL" }, NULL, dump_null, NULL, RESULT_NONE },
  { "Dump to no path", BUG, { "path is NULL" }, NULL, dump_nowhere, NULL, RESULT_NONE },
  { "Dump to no directory", LDY_ERROR_FILE_OPEN, { "No such file", "/no/such/directory/dump" }, NULL, dump_unopened, NULL, RESULT_NONE },
  { "Dump to a full device", LDY_ERROR_FILE_WRITE, { "No space left", "/dev/full" }, NULL, dump_full, NULL, RESULT_NONE },
  { "Dump without a master", BUG, { "constraint 2" }, no_master, dump_any, NULL, RESULT_NONE },
  { "Dump of an unknown constraint", BUG, { "constraint 2" }, unknown_constraint_kind, dump_any, NULL, RESULT_NONE },
  { "W_MatrixMarket of nothing", BUG, { "ldy is NULL" }, NULL, matrix_null, NULL, RESULT_NONE },
  { "W_MatrixMarket to no path", BUG, { "path is NULL" }, NULL, matrix_nowhere, NULL, RESULT_NONE },
  { "W_MatrixMarket to no directory", LDY_ERROR_FILE_OPEN, { "No such file", "/no/such/directory/matrix" }, NULL, matrix_unopened, NULL,
    RESULT_NONE },
  { "W_MatrixMarket to a full device", LDY_ERROR_FILE_WRITE, { "No space left", "/dev/full" }, NULL, matrix_full, NULL, RESULT_NONE },
  { "Clone of nothing", BUG, { "ldy is NULL" }, NULL, clone_null, NULL, RESULT_POINTER },
  { "Clone without domain", BUG, { "dom is NULL" }, no_domain, clone, NULL, RESULT_POINTER },
  { "Clone with an unknown constraint", BUG, { "constraint 2" }, unknown_constraint_kind, clone, NULL, RESULT_POINTER },
#include "legacy/error_cases.def"
};

const int error_case_count = sizeof error_cases / sizeof *error_cases;
