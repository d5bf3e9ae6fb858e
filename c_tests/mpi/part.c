#include "part.h"

#include <stdlib.h>
#include <string.h>

#include "map.h"

/* A value that the dia of an external constraint may have. */
#define GARBAGE ((DIAB *) 0x5a5a5a58)

static int is_here (const BODY *body)
{
  return (body->flags & (BODY_PARENT | BODY_CHILD)) != 0;
}

static int is_own (const CON *con)
{
  return con && !(con->state & CON_EXTERNAL);
}

/* ---- bodies */

static void set_flags (BODY *body, int flags)
{
  memcpy (&body->flags, &flags, sizeof body->flags);
}

static BODY *dummy (PART *part, unsigned int id)
{
  BODY *body = partition_zeroed (1, sizeof *body);

  body->id = id;
  body->dom = &part->host->dom;
  return body;
}

static BODY *image (PART *part, const BODY *original, int parent)
{
  BODY *body = partition_zeroed (1, sizeof *body);

  *body = *original;
  body->dom = &part->host->dom;
  body->prev = body->next = NULL;
  body->con = NULL;
  body->rank = part->rank;
  set_flags (body, parent ? BODY_PARENT : BODY_CHILD);
  if (!parent) body->velo = NULL;
  return body;
}

static void free_image (BODY *body)
{
  host_set_free (body->con);
  free (body);
}

/* Whether a constraint of this rank acts on a body. */
static int is_needed (const HOST *whole, const PARTITION *partition, const BODY *body, int rank)
{
  const CON *con;
  int i = 0;

  for (con = whole->dom.con; con; con = con->next, i ++) {
    if (partition->owner[i] == rank && (con->master == body || con->slave == body)) return 1;
  }
  return 0;
}

static void make_bodies (PART *part, const HOST *whole, const PARTITION *partition)
{
  BODY *body, *last = NULL;
  int i = 0, parent;

  for (body = whole->dom.bod; body; body = body->next, i ++) {
    parent = partition->parent[i] == part->rank;
    if (parent || partition->child[i * partition->ranks + part->rank] || is_needed (whole, partition, body, part->rank)) {
      part->body[i] = image (part, body, parent);
    } else {
      part->body[i] = dummy (part, body->id);
    }
    if (!parent) continue;
    part->host->dom.nbod ++;
    part->body[i]->prev = last;
    if (last) last->next = part->body[i];
    else part->host->dom.bod = part->body[i];
    last = part->body[i];
  }
}

/* ---- constraints */

CON *part_add_constraint (PART *part, const HOST *whole, const CON *original, int index, int owner)
{
  BODY *master = part->body[partition_index (whole, original->master)];
  BODY *slave = original->slave ? part->body[partition_index (whole, original->slave)] : NULL;
  CON *con;

  if (!is_here (master) && !(slave && is_here (slave))) return NULL;
  con = partition_zeroed (1, sizeof *con);
  *con = *original;
  con->master = master;
  con->slave = slave;
  con->rank = owner;
  con->dia = NULL;
  con->prev = con->next = NULL;
  if (!is_here (master)) con->msgp = NULL;
  if (slave && !is_here (slave)) con->ssgp = NULL;
  if (owner == part->rank) {
    host_link (part->host, con);
  } else {
    con->state |= CON_EXTERNAL;
    con->dia = GARBAGE;
  }
  part->con[index] = con;
  return con;
}

static void leave_bodies (CON *con)
{
  if (is_here (con->master)) host_leave (con->master, con);
  if (con->slave && con->slave != con->master && is_here (con->slave)) host_leave (con->slave, con);
}

void part_drop_constraint (PART *part, int index)
{
  CON *con = part->con[index];

  if (!con) return;
  leave_bodies (con);
  if (is_own (con)) host_unlink (part->host, con);
  memset (con, 0x5a, sizeof *con); /* whoever reads it sees garbage */
  free (con);
  part->con[index] = NULL;
}

/* The sets of bodies have the order of the whole domain's. */
static void make_sets (PART *part, const HOST *whole)
{
  CON **here = partition_zeroed (part->constraints, sizeof *here), *con;
  void **items = partition_zeroed (part->constraints, sizeof *items);
  const BODY *body = whole->dom.bod;
  int i, j, k, count, kept;

  for (i = 0; body; body = body->next, i ++) {
    if (!is_here (part->body[i])) continue;
    count = host_set_items (body->con, items);
    for (j = kept = 0; j < count; j ++) {
      for (k = 0, con = whole->dom.con; con != items[j]; con = con->next) k ++;
      here[kept ++] = part->con[k];
    }
    host_set_constraints (part->body[i], here, kept);
  }
  free (items);
  free (here);
}

void part_map (PART *part)
{
  CON **con = partition_zeroed (part->constraints, sizeof *con);
  int own, count, i;

  map_free (part->host->dom.idc);
  map_free (part->host->dom.conext);
  for (own = 1; own >= 0; own --) {
    for (i = count = 0; i < part->constraints; i ++) {
      if (part->con[i] && is_own (part->con[i]) == own) con[count ++] = part->con[i];
    }
    *(own ? &part->host->dom.idc : &part->host->dom.conext) = map_of_constraints (con, count);
  }
  free (con);
}

/* ---- the whole */

PART *part_create (const HOST *whole, const PARTITION *partition, int rank)
{
  PART *part = partition_zeroed (1, sizeof *part);
  const CON *con;
  int i = 0;

  part->host = host_create ();
  part->rank = rank;
  part->bodies = partition->bodies;
  part->constraints = partition->constraints;
  part->body = partition_zeroed (part->bodies, sizeof *part->body);
  part->con = partition_zeroed (part->constraints, sizeof *part->con);
  part->host->dom.step = whole->dom.step;
  part->host->solfec.kind = whole->solfec.kind;
  part->host->solfec.solver = whole->solfec.solver;
  part->host->set_form = whole->set_form;
  part->host->dom.rank = rank;
  part->host->dom.ncpu = partition->ranks;
  make_bodies (part, whole, partition);
  for (con = whole->dom.con; con; con = con->next, i ++) part_add_constraint (part, whole, con, i, partition->owner[i]);
  make_sets (part, whole);
  part_map (part);
  return part;
}

void part_free (PART *part)
{
  int i;

  map_free (part->host->dom.idc);
  map_free (part->host->dom.conext);
  for (i = 0; i < part->constraints; i ++) free (part->con[i]);
  for (i = 0; i < part->bodies; i ++) free_image (part->body[i]);
  part->host->dom.con = NULL;
  part->host->dom.bod = NULL;
  host_destroy (part->host);
  free (part->body);
  free (part->con);
  free (part);
}
