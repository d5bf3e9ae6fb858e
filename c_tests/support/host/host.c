#include "host.h"

#include <stdlib.h>
#include <string.h>

static void *zeroed (size_t count, size_t size)
{
  void *memory = calloc (count ? count : 1, size);

  if (!memory) abort ();
  return memory;
}

static HOST *host_of (const BODY *body)
{
  return (HOST *) body->dom;
}

HOST *host_create (void)
{
  HOST *host = zeroed (1, sizeof *host);

  host->dom.step = 0.001;
  host->dom.solfec = &host->solfec;
  host->solfec.dom = &host->dom;
  host_set_update (host, UPDATE_ALL);
  return host;
}

void host_set_update (HOST *host, UPDATE_KIND kind)
{
  host->newton.locdyn = LOCDYN_OFF;
  host->solfec.solver = NULL;
  host->solfec.kind = kind == UPDATE_PENALTY ? PENALTY_SOLVER : GAUSS_SEIDEL_SOLVER;
  if (kind == UPDATE_MINIMAL) {
    host->solfec.kind = NEWTON_SOLVER;
    host->solfec.solver = &host->newton;
  }
}

/* ---- bodies */

static void append_body (HOST *host, BODY *body)
{
  BODY *last = host->dom.bod;

  host->dom.nbod ++;
  if (!last) {
    host->dom.bod = body;
    return;
  }
  while (last->next) last = last->next;
  last->next = body;
  body->prev = last;
}

static void set_flags (BODY *body, int flags)
{
  memcpy (&body->flags, &flags, sizeof body->flags);
}

BODY *host_add_raw_body (HOST *host, int kind, int dofs, int conf, int velo)
{
  BODY *body = zeroed (1, sizeof *body);

  memcpy (&body->kind, &kind, sizeof body->kind);
  body->id = ++ host->dom.bid;
  body->dom = &host->dom;
  set_flags (body, BODY_PARENT); /* read in the build for MPI */
  body->dofs = dofs;
  body->conf = zeroed ((size_t) conf, sizeof (double));
  body->velo = zeroed ((size_t) velo, sizeof (double));
  host_set_constraints (body, NULL, 0);
  append_body (host, body);
  return body;
}

static MX *unit_inverse (int dofs)
{
  static const int sizes[4] = { 3, 3, 3, 3 };
  double x[36] = { 0 };

  for (int d = 0; d < dofs; d ++) x[9 * (d / 3) + 4 * (d % 3)] = 1;
  return host_matrix_blocks (dofs / 3, sizes, x);
}

BODY *host_add_body (HOST *host, int kind)
{
  int dofs = kind == PRB ? 12 : 6;
  BODY *body = host_add_raw_body (host, kind, dofs, 12, 2 * dofs);

  body->conf[0] = body->conf[4] = body->conf[8] = 1;
  body->inverse = unit_inverse (dofs);
  return body;
}

void host_set_inverse (BODY *body, MX *inverse)
{
  host_matrix_free (body->inverse);
  body->inverse = inverse;
}

void host_free_mesh (MESH *mesh)
{
  ELEMENT *next, *lists[2];

  if (!mesh) return;
  lists[0] = mesh->surfeles;
  lists[1] = mesh->bulkeles;
  for (int list = 0; list < 2; list ++) {
    for (ELEMENT *element = lists[list]; element; element = next) {
      next = element->next;
      free (element);
    }
  }
  free (mesh->ref_nodes);
  free (mesh->cur_nodes);
  free (mesh);
}

void host_free_shape (SHAPE *shape)
{
  SHAPE *next_shape;
  CONVEX *next;

  for (; shape; shape = next_shape) {
    next_shape = shape->next;
    if (shape->kind == SHAPE_MESH) host_free_mesh (shape->data);
    if (shape->kind == SHAPE_CONVEX) {
      for (CONVEX *convex = shape->data; convex; convex = next) {
        next = convex->next;
        free (convex->ele);
        free (convex);
      }
    }
    free (shape);
  }
}

static void free_body (BODY *body)
{
  free (body->conf);
  free (body->velo);
  host_matrix_free (body->inverse);
  host_matrix_free (body->evec);
  host_free_shape (body->shape);
  host_free_mesh (body->msh);
  host_set_free (body->con);
  free (body);
}

void host_free_body (HOST *host, BODY *body)
{
  host->dom.nbod --;
  if (body->prev) body->prev->next = body->next;
  else host->dom.bod = body->next;
  if (body->next) body->next->prev = body->prev;
  free_body (body);
}

/* ---- constraints */

void host_link (HOST *host, CON *con)
{
  CON *last = host->dom.con;

  host->dom.ncon ++;
  con->prev = con->next = NULL;
  if (!last) {
    host->dom.con = con;
    return;
  }
  while (last->next) last = last->next;
  last->next = con;
  con->prev = last;
}

void host_unlink (HOST *host, CON *con)
{
  host->dom.ncon --;
  if (con->prev) con->prev->next = con->next;
  else host->dom.con = con->next;
  if (con->next) con->next->prev = con->prev;
  con->prev = con->next = NULL;
}

void host_set_constraints (BODY *body, CON *const *con, int count)
{
  void **items = zeroed ((size_t) count, sizeof (void *));

  for (int i = 0; i < count; i ++) items[i] = con[i];
  host_set_free (body->con);
  body->con = host_set_build (items, count, host_of (body)->set_form);
  if (count == 0 && host_of (body)->emptied_sets) body->con = host_set_emptied ();
  free (items);
}

/* The elements of the body's set, with room for one more. */
static CON **set_of (const BODY *body, int *count)
{
  void **items = zeroed ((size_t) host_set_size (body->con) + 1, sizeof (void *));
  CON **con = zeroed ((size_t) host_set_size (body->con) + 1, sizeof (CON *));

  *count = host_set_items (body->con, items);
  for (int i = 0; i < *count; i ++) con[i] = items[i];
  free (items);
  return con;
}

void host_join (BODY *body, CON *con, int position)
{
  int count;
  CON **list = set_of (body, &count);

  if (position < 0 || position > count) position = count;
  for (int i = count; i > position; i --) list[i] = list[i - 1];
  list[position] = con;
  host_set_constraints (body, list, count + 1);
  free (list);
}

void host_leave (BODY *body, CON *con)
{
  int count, kept = 0;
  CON **list = set_of (body, &count);

  for (int i = 0; i < count; i ++) {
    if (list[i] != con) list[kept ++] = list[i];
  }
  host_set_constraints (body, list, kept);
  free (list);
}

void host_leave_bodies (CON *con)
{
  if (con->master) host_leave (con->master, con);
  if (con->slave) host_leave (con->slave, con);
}

CON *host_add_constraint (HOST *host, int kind, BODY *master, BODY *slave)
{
  CON *con = zeroed (1, sizeof *con);

  memcpy (&con->kind, &kind, sizeof con->kind);
  con->id = ++ host->dom.cid;
  con->base[0] = con->base[4] = con->base[8] = 1;
  con->mat.base = &host->material;
  con->master = master;
  con->slave = slave;
  host_link (host, con);
  host_join (master, con, -1);
  if (slave && slave != master) host_join (slave, con, -1);
  return con;
}

static void free_constraint (CON *con)
{
  free (con->msgp);
  free (con->ssgp);
  free (con->mat.state);
  free (con);
}

void host_free_constraint (HOST *host, CON *con)
{
  host_unlink (host, con);
  host_leave_bodies (con);
  free_constraint (con);
}

DIAB *host_insert (HOST *host, CON *con)
{
  con->dia = LOCDYN_Insert (host->dom.ldy, con, con->master, con->slave);
  return con->dia;
}

void host_remove (HOST *host, CON *con)
{
  LOCDYN_Remove (host->dom.ldy, con->dia);
  con->dia = NULL;
}

/* ---- the end */

void host_clear (HOST *host)
{
  BODY *next_body;
  CON *next;

  for (CON *con = host->dom.con; con; con = next) {
    next = con->next;
    free_constraint (con);
  }
  for (BODY *body = host->dom.bod; body; body = next_body) {
    next_body = body->next;
    free_body (body);
  }
  host->dom.con = NULL;
  host->dom.bod = NULL;
  host->dom.ncon = host->dom.nbod = 0;
}

void host_destroy (HOST *host)
{
  host_clear (host);
  free (host);
}
