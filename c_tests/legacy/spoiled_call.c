#include "legacy/spoiled_call.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "legacy/error_cases.h"
#include "support/check.h"
#include "support/compare.h"
#include "support/mesh_builder.h"
#include "support/rebuild_compare.h"

typedef struct {
  HOST *host;
  RANDOM *random;
  CON *inserted; /* the constraint that the call inserts; NULL: it updates */
  /* The field: where it is, what it was, its name. */
  void *at;
  size_t size;
  void *kept;
  const char *name;
  int is_rounded, is_link; /* numbers that go through a matrix; which row or body belongs to a constraint */
} TRIAL;

/* ---- scenes in which a wrong size leads nowhere but to zeros */

#define SLACK 64

static void *enlarged (void *memory, size_t size, size_t wanted)
{
  void *larger = calloc (1, wanted + SLACK * sizeof (double));

  if (!larger) abort ();
  memcpy (larger, memory, size);
  free (memory);
  return larger;
}

static void enlarge_matrix (MX *a)
{
  size_t size = (size_t) (a->m > a->n ? a->m : a->n), square = size * size, entries = (size_t) a->nzmax;

  if (entries > square) square = entries;
  if (a->i) a->i = enlarged (a->i, (a->kind == MXCSC ? entries : (size_t) a->n + 1) * sizeof (int), (square + size) * sizeof (int));
  else a->i = NULL;
  if (a->p) a->p = enlarged (a->p, ((size_t) a->n + 1) * sizeof (int), size * sizeof (int));
  a->x = enlarged (a->x, entries * sizeof (double), square * sizeof (double));
}

static MESH *mesh_of (const BODY *body)
{
  if (body->kind != FEM) return NULL;
  return body->msh ? body->msh : body->shape->data;
}

/* `largest`: nodal values of the largest mesh; a constraint on its elements may claim to be on this body. */
static void enlarge_body (BODY *body, size_t largest)
{
  size_t mesh = 0, conf = 12, velo = (size_t) (2 * body->dofs);
  MESH *of = mesh_of (body);

  if (of) {
    mesh = (size_t) (3 * of->nodes_count);
    conf = (size_t) body->dofs + 9;
    velo = (body->form >= BODY_COROTATIONAL_MODAL ? 4 * (size_t) body->dofs : 0) + 2 * mesh;
    of->ref_nodes = enlarged (of->ref_nodes, mesh * sizeof (double), mesh * sizeof (double));
  }
  body->conf = enlarged (body->conf, conf * sizeof (double), conf * sizeof (double));
  body->velo = enlarged (body->velo, velo * sizeof (double), (4 * (size_t) body->dofs + 2 * largest + 24) * sizeof (double));
  enlarge_matrix (body->inverse);
  if (body->evec) enlarge_matrix (body->evec);
}

void trial_enlarge (HOST *host)
{
  MESH *mesh;
  size_t largest = 0;

  for (BODY *body = host->dom.bod; body; body = body->next) {
    mesh = mesh_of (body);
    if (mesh && 3 * (size_t) mesh->nodes_count > largest) largest = 3 * (size_t) mesh->nodes_count;
  }
  for (BODY *body = host->dom.bod; body; body = body->next) enlarge_body (body, largest);
}

/* ---- spoiling a field */

static void spoil (TRIAL *t, const char *name, void *at, size_t size)
{
  t->name = name;
  t->at = at;
  t->size = size;
  t->kept = malloc (size ? size : 1);
  if (!t->kept) abort ();
  memcpy (t->kept, at, size);
}

static void restore (TRIAL *t)
{
  memcpy (t->at, t->kept, t->size);
  free (t->kept);
  t->kept = NULL;
}

static double bad_value (TRIAL *t, double old)
{
  static const double values[] = { NAN, INFINITY, -INFINITY, 1e308, -1e308, 1e200, -1e160, 0, 5e-324 };
  int dice = random_below (t->random, 12);

  return dice < 9 ? values[dice] : dice == 9 ? - old : dice == 10 ? old + 1 : 1e-300 * old;
}

static void spoil_value (TRIAL *t, const char *name, double *x)
{
  spoil (t, name, x, sizeof *x);
  *x = bad_value (t, *x);
}

static void spoil_one_of (TRIAL *t, const char *name, double *x, int count)
{
  spoil_value (t, name, x + random_below (t->random, count));
}

/* All of them, to nothing or to huge numbers. */
static void spoil_all (TRIAL *t, const char *name, double *x, int count)
{
  static const double factors[] = { 0, -1, 1e300, 1e-300, 1e155 };
  double factor = factors[random_below (t->random, 5)];

  spoil (t, name, x, (size_t) count * sizeof *x);
  while (count --) *x ++ *= factor;
}

/* A little larger at most: the arrays reach as far. */
static void spoil_size (TRIAL *t, const char *name, int *size)
{
  static const int values[] = { -1, 0, INT_MIN, 1 };
  int dice = random_below (t->random, 7);

  spoil (t, name, size, sizeof *size);
  *size = dice < 4 ? values[dice] : dice == 4 ? *size - 1 : dice == 5 ? *size + 1 : *size - 3;
}

/* Any number: an index. */
static void spoil_index (TRIAL *t, const char *name, int *index)
{
  static const int values[] = { -1, 0, INT_MIN, INT_MAX, 1000000 };
  int dice = random_below (t->random, 8);

  spoil (t, name, index, sizeof *index);
  *index = dice < 5 ? values[dice] : dice == 5 ? *index - 1 : dice == 6 ? *index + 1 : *index + 3;
}

static void spoil_kind (TRIAL *t, const char *name, void *kind, const int *values, int count)
{
  spoil (t, name, kind, sizeof (int));
  memcpy (kind, &values[random_below (t->random, count)], sizeof (int));
}

#define SPOIL_KIND(t, field, ...) \
  do { \
    static const int values_[] = { __VA_ARGS__ }; \
    spoil_kind (t, #field, &(field), values_, (int) (sizeof values_ / sizeof *values_)); \
  } while (0)

static void spoil_pointer (TRIAL *t, const char *name, void *pointer, const void *value)
{
  spoil (t, name, pointer, sizeof value);
  memcpy (pointer, &value, sizeof value);
}

static CON *any_constraint (TRIAL *t)
{
  CON *con = t->host->dom.con;
  int place = random_below (t->random, t->host->dom.ncon);

  while (place --) con = con->next;
  return con;
}

static BODY *any_body (TRIAL *t)
{
  BODY *body = t->host->dom.bod;
  int place = random_below (t->random, t->host->dom.nbod);

  while (place --) body = body->next;
  return body;
}

/* A body with a constraint, so that its spoiled field matters. */
static BODY *used_body (TRIAL *t)
{
  CON *con = any_constraint (t);

  return con->slave && random_below (t->random, 2) ? con->slave : con->master;
}

static void spoil_pair (TRIAL *t, const BODY *body, SGP **pair)
{
  if (!*pair || !body) {
    spoil_pointer (t, "pair", pair, NULL);
    return;
  }
  switch (random_below (t->random, 4)) {
  case 0: spoil_pointer (t, "pair", pair, NULL); break;
  case 1: spoil_pointer (t, "pair->shp", &(*pair)->shp, NULL); break;
  case 2: spoil_pointer (t, "pair->gobj", &(*pair)->gobj, NULL); break;
  case 3:
    if (body->msh) spoil_pointer (t, "pair->gobj", &(*pair)->gobj, body->shape->data);
    else spoil_pointer (t, "pair->gobj", &(*pair)->gobj, mesh_element (mesh_of_body (body), 0));
    break;
  }
}

static void spoil_link (TRIAL *t, const char *name, void *pointer, const void *value)
{
  spoil_pointer (t, name, pointer, value);
  t->is_link = 1;
}

/* Another body for which the pair of shape and object is valid: the target of a pointer cannot be checked. */
static BODY *other_body (TRIAL *t, const BODY *old)
{
  BODY *body = any_body (t);

  while (old && old->kind == FEM && body->kind == FEM && !old->msh != !body->msh) body = any_body (t);
  return body;
}

static void spoil_constraint (TRIAL *t)
{
  CON *con = t->inserted && random_below (t->random, 2) ? t->inserted : any_constraint (t);

  switch (random_below (t->random, 14)) {
  case 0: spoil_one_of (t, "con->base", con->base, 9); break;
  case 1: spoil_all (t, "all of con->base", con->base, 9); t->is_rounded = 1; break;
  case 2: spoil_one_of (t, "con->mpnt", con->mpnt, 3); break;
  case 3: spoil_one_of (t, "con->spnt", con->spnt, 3); break;
  case 4: spoil_value (t, "con->Z[0]", con->Z); break;
  case 5: SPOIL_KIND (t, con->kind, CONTACT, FIXPNT, VELODIR, RIGLNK, SPRING, -1, 7, 99); break;
  case 6: spoil_pair (t, con->master, &con->msgp); break;
  case 7: spoil_pair (t, con->slave, &con->ssgp); break;
  case 8: spoil_link (t, "con->master", &con->master, other_body (t, con->master)); break;
  case 9: spoil_link (t, "con->master", &con->master, NULL); break;
  case 10: spoil_link (t, "con->slave", &con->slave, other_body (t, con->slave)); break;
  case 11: spoil_link (t, "con->slave", &con->slave, NULL); break;
  case 12: spoil_link (t, "con->dia", &con->dia, NULL); break;
  case 13: spoil_link (t, "con->dia", &con->dia, random_below (t->random, 2) ? (void *) t : (void *) any_constraint (t)->dia);
  break;
  }
}

static void spoil_matrix (TRIAL *t, MX *a)
{
  int ni = a->kind == MXCSC ? a->nzmax : a->n + 1;

  switch (random_below (t->random, 13)) {
  case 0: SPOIL_KIND (t, a->kind, MXDENSE, MXBD, MXCSC, 0, 3, -1); break;
  case 1: spoil_size (t, "matrix->m", &a->m); break;
  case 2: spoil_size (t, "matrix->n", &a->n); break;
  case 3: spoil_index (t, "matrix->nzmax", &a->nzmax); break;
  case 4: spoil_pointer (t, "matrix->p", &a->p, NULL); break;
  case 5: spoil_pointer (t, "matrix->i", &a->i, NULL); break;
  case 6: spoil_pointer (t, "matrix->x", &a->x, NULL); break;
  case 7: SPOIL_KIND (t, a->flags, 0, MXIFAC, MXIFAC | MXSPD, MXSPD, MXTRANS); t->is_rounded = 1; break;
  case 8: spoil_all (t, "all of matrix->x", a->x, a->nzmax); t->is_rounded = 1; break;
  case 9:
    if (a->p) { spoil_index (t, "matrix->p[]", &a->p[random_below (t->random, a->n + 1)]); t->is_rounded = 1; break; }
    /* fall through */
  case 10:
    if (a->i) { spoil_index (t, "matrix->i[]", &a->i[random_below (t->random, ni)]); t->is_rounded = 1; break; }
    /* fall through */
  default: spoil_one_of (t, "matrix->x[]", a->x, a->nzmax); t->is_rounded = 1;
  }
}

static void spoil_element (TRIAL *t, const BODY *body, ELEMENT *element)
{
  static const short types[] = { 4, 5, 6, 8, 0, -1, 3, 7, 9, 32767 };
  int count = mesh_of_body (body)->nodes_count, *node = &element->nodes[random_below (t->random, element->type)];

  if (random_below (t->random, 2)) {
    spoil (t, "element->type", &element->type, sizeof element->type);
    element->type = types[random_below (t->random, 10)];
  } else {
    spoil_index (t, "element->nodes[]", node);
    if (random_below (t->random, 3) == 0) *node = random_below (t->random, count);
    if (random_below (t->random, 3) == 0) *node = count;
  }
}

static void spoil_convex (TRIAL *t, const BODY *body)
{
  CONVEX *convex = body->shape->data;

  while (convex->next && random_below (t->random, 3)) convex = convex->next;
  int which = random_below (t->random, convex->nele);
  switch (random_below (t->random, 5)) {
  case 0:
    spoil (t, "convex->nele", &convex->nele, sizeof convex->nele);
    convex->nele = (short) (random_below (t->random, 2) ? -1 : random_below (t->random, convex->nele));
    break;
  case 1: spoil_pointer (t, "convex->ele", &convex->ele, NULL); break;
  case 2: spoil_pointer (t, "convex->ele[]", &convex->ele[which], NULL); break;
  case 3: spoil_pointer (t, "convex->ele[]", &convex->ele[which], mesh_element (body->msh, 0)); break;
  case 4: spoil_element (t, body, convex->ele[which]); break;
  }
}

static void spoil_mesh (TRIAL *t, BODY *body)
{
  MESH *mesh = body->msh ? body->msh : body->shape->data;

  switch (random_below (t->random, 6)) {
  case 0: spoil_pointer (t, "mesh->ref_nodes", &mesh->ref_nodes, NULL); break;
  case 1: spoil_one_of (t, "mesh->ref_nodes[]", mesh->ref_nodes, 3 * mesh->nodes_count); break;
  case 2: spoil_size (t, "mesh->nodes_count", &mesh->nodes_count); break;
  case 3: if (!body->msh) { spoil_pointer (t, "shape->data", &body->shape->data, NULL); break; } /* fall through */
  case 4: if (body->msh) { spoil_convex (t, body); break; } /* fall through */
  default: spoil_element (t, body, mesh_element (mesh, random_below (t->random, mesh_elements (mesh))));
  }
}

static void spoil_set (TRIAL *t, BODY *body)
{
  SET *set = body->con;

  if (!host_set_size (set) || random_below (t->random, 2))
    spoil_pointer (t, "body->con", &body->con, random_below (t->random, 2) ? NULL : host_set_emptied ());
  else spoil_pointer (t, "body->con->data", &set->data, NULL);
}

static void spoil_body (TRIAL *t, BODY *body)
{
  /* Sets are read by insertions alone. */
  switch (random_below (t->random, t->inserted ? 13 : 12)) {
  case 0:
  case 1: SPOIL_KIND (t, body->kind, OBS, RIG, PRB, FEM, -1, 7); break;
  case 2: SPOIL_KIND (t, body->form, 0, 1, 2, 3, 4, 5, -1); break;
  case 3: SPOIL_KIND (t, body->scheme, SCH_RIG_POS, SCH_DEF_EXP, SCH_DEF_LIM, 77); break;
  case 4: spoil_size (t, "body->dofs", &body->dofs); break;
  case 5: spoil_pointer (t, "body->conf", &body->conf, NULL); break;
  case 6: spoil_pointer (t, "body->velo", &body->velo, NULL); break;
  case 7: spoil_pointer (t, "body->inverse", &body->inverse, random_below (t->random, 2) ? NULL : any_body (t)->inverse);
  t->is_rounded = 1; break;
  case 8: spoil_pointer (t, "body->evec", &body->evec, random_below (t->random, 2) ? NULL : any_body (t)->evec); break;
  case 9: spoil_one_of (t, "body->ref_center", body->ref_center, 3); break;
  case 10: spoil_one_of (t, "body->conf[]", body->conf, body->kind == FEM ? body->dofs + 9 : 9); break;
  case 11: spoil_one_of (t, "body->velo[]", body->velo, 2 * body->dofs); break;
  case 12: spoil_set (t, body); break;
  }
}

static void spoil_domain (TRIAL *t)
{
  HOST *host = t->host;

  switch (random_below (t->random, 8)) {
  case 0:
  case 1: spoil_value (t, "dom->step", &host->dom.step); t->is_rounded = 1; break;
  case 2: spoil_pointer (t, "dom->solfec", &host->dom.solfec, NULL); break;
  case 3: SPOIL_KIND (t, host->solfec.kind, 0, 1, PENALTY_SOLVER, NEWTON_SOLVER, 77); break;
  case 4: spoil_pointer (t, "solfec->solver", &host->solfec.solver, NULL); break;
  case 5: SPOIL_KIND (t, host->newton.locdyn, LOCDYN_ON, LOCDYN_OFF, 77); break;
  case 6: spoil_pointer (t, "ldy->dom", &host->dom.ldy->dom, NULL); break;
  case 7: spoil_pointer (t, "dom->con", &host->dom.con, random_below (t->random, 2) ? NULL : (void *) host->dom.con->next); break;
  }
}

static void spoil_something (TRIAL *t)
{
  BODY *body = used_body (t);

  t->is_rounded = t->is_link = 0;
  switch (random_below (t->random, 10)) {
  case 0:
  case 1:
  case 2: spoil_constraint (t); break;
  case 3:
  case 4: spoil_body (t, body); break;
  case 5:
  case 6: spoil_matrix (t, body->evec && random_below (t->random, 3) == 0 ? body->evec : body->inverse); break;
  case 7:
  case 8: if (body->kind == FEM) { spoil_mesh (t, body); break; } spoil_matrix (t, body->inverse); break;
  case 9: spoil_domain (t); break;
  }
}

/* ---- a call with it */

static int call (TRIAL *t)
{
  return t->inserted ? watched_insert (t->host, t->inserted) : watched_update (t->host);
}

/* A fresh structure over the spoiled field gives the same values, or the same error. What only an insertion reads it may
 * refuse. */
static void compare_spoilt (TRIAL *t, const VALUES *before, int code)
{
  VALUES *got = values_of (t->host->dom.ldy), *fresh;
  WATCHED refused = watched;
  int refusal;

  FRESH made = fresh_values (t->host, &fresh, &refusal);
  if (!code) check_left_alone (before, got, update_kind_of (t->host));
  if (!code) check_finite (got, update_kind_of (t->host));
  if (made == FRESH_MADE && !code) values_compare (got, fresh, update_kind_of (t->host), t->is_rounded);
  /* Whether a factored matrix leads beyond all numbers may be a matter of rounding. */
  if (t->is_rounded && (code == LDY_ERROR_INVALID_ARGUMENT || refusal == LDY_ERROR_INVALID_ARGUMENT)) made = FRESH_UNINSERTED;
  if (made == FRESH_MADE && code && !t->is_link && !CHECK (!"refused what a fresh structure accepts"))
    fprintf (stderr, "  %s\n", refused.text);
  if (made == FRESH_REFUSED && !t->is_link && !CHECK_INT (code, refusal))
    fprintf (stderr, "  %s; fresh: %s\n", refused.text, watched.text);
  values_free (got);
  values_free (fresh);
}

static void check_call (TRIAL *t, const STRUCTURE *before, const VALUES *values, int code)
{
  STRUCTURE after = structure_of (t->host->dom.ldy);
  int no_domain = !t->host->dom.ldy->dom;

  CHECK_INT (ldy_is_consistent (t->host->dom.ldy, NULL), 1);
  if (code || !t->inserted) CHECK (structure_same (before, &after));
  if (code) CHECK (*watched.text && !strcmp (watched.text, ldy_last_error ()));
  if (!t->inserted && !no_domain) compare_spoilt (t, values, code);
  structure_free (&after);
}

/* Rebuild the row that was made with a spoiled field, without that field. */
static void insert_anew (TRIAL *t, int code, DIAB *row)
{
  if (!t->inserted) return;
  t->inserted->dia = row;
  if (!code) host_remove (t->host, t->inserted);
  if (!CHECK_INT (watched_insert (t->host, t->inserted), 0)) fprintf (stderr, "  %s\n", watched.text);
}

CON *trial (HOST *host, RANDOM *random, int reuse, const char **name)
{
  static const UPDATE_KIND kinds[] = { UPDATE_ALL, UPDATE_ALL, UPDATE_PENALTY, UPDATE_MINIMAL };
  TRIAL t = { 0 };

  t.host = host;
  t.random = random;
  t.inserted = random_below (random, 3) ? NULL : any_constraint (&t);
  if (t.inserted) host_remove (host, t.inserted);
  host_set_update (host, kinds[random_below (random, 4)]);
  /* The host's own numbers, to see what is written; with LDY_REUSE it has promised to write none. */
  if (!reuse && !t.inserted) marks_free (marks_put (host->dom.ldy));
  STRUCTURE before = structure_of (host->dom.ldy);
  VALUES *values = values_of (host->dom.ldy);
  spoil_something (&t);
  int code = call (&t);
  DIAB *row = t.inserted ? t.inserted->dia : NULL;
  check_context ("%s of %s", t.inserted ? "insertion" : "update", t.name);
  check_call (&t, &before, values, code);
  values_free (values);
  structure_free (&before);
  restore (&t);
  insert_anew (&t, code, row);
  host_set_update (host, UPDATE_ALL);
  CHECK_INT (ldy_is_consistent (host->dom.ldy, NULL), 1);
  if (CHECK_INT (watched_update (host), 0)) check_fresh (host);
  else fprintf (stderr, "  %s\n", watched.text);
  *name = t.name;
  return t.inserted;
}
