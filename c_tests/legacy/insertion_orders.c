/* insertion_orders LENGTH: every sequence of LENGTH insertions, removals and updates of all kinds, some of which get no
 * memory. An insertion leaves work to the next update, of any kind; removals must not miss that work. After each step the
 * lists are checked against a simple model. After each update the values are checked against dense matrices and, if the update
 * was complete, against a fresh structure. */
#include <stdlib.h>

#include "support/check.h"
#include "support/compare.h"
#include "support/failing_allocator.h"
#include "support/list_model.h"
#include "support/mesh_builder.h"
#include "support/rebuild_compare.h"

#define BODIES 4
#define CONSTRAINTS 5

typedef struct {
  HOST *host;
  BODY *body[BODIES];
  CON *con[CONSTRAINTS]; /* those with a row are in the domain's list, and no others */
  CON *set[BODIES][CONSTRAINTS];
  int size[BODIES];
  MODEL model;
} STATE;

static int updated, without_memory, refused_insertions;

static MODEL_SET set_of (const STATE *s, const BODY *body)
{
  MODEL_SET set = { NULL, 0 };

  for (int i = 0; i < BODIES; i ++) {
    if (s->body[i] == body) set = (MODEL_SET) { s->set[i], s->size[i] };
  }
  return set;
}

static STATE create (void)
{
  /* A body that touches itself, two that share two constraints, an obstacle. */
  static const int ends[CONSTRAINTS][3] = { { CONTACT, 0, 1 }, { CONTACT, 1, 1 }, { RIGLNK, 1, 2 }, { CONTACT, 2, 3 },
    { CONTACT, 1, 0 } };
  MESH_BODY kind = { TOTAL_LAGRANGIAN, SCH_DEF_LIM, INERTIA_FACTORED, CELLS_HEXAHEDRA, 0, { 1, 1, 1 } };
  RANDOM random = { 7 };
  STATE s = { .host = host_create () };
  int i, j, b;

  s.body[0] = scene_body (s.host, &random, RIG, INVERSE_BLOCKS);
  s.body[1] = scene_body (s.host, &random, PRB, INVERSE_BLOCKS);
  s.body[2] = mesh_body (s.host, &random, kind);
  s.body[3] = scene_body (s.host, &random, OBS, INVERSE_BLOCKS);
  s.host->dom.step = 0.5;
  s.host->dom.ldy = LOCDYN_Create (&s.host->dom);
  for (i = 0; i < CONSTRAINTS; i ++) {
    s.con[i] = mesh_constraint (s.host, &random, ends[i][0], s.body[ends[i][1]], s.body[ends[i][2]]);
    for (j = 1; j < 3; j ++) {
      b = ends[i][j];
      if (j == 1 || b != ends[i][1]) s.set[b][s.size[b] ++] = s.con[i];
    }
  }
  for (b = 0; b < BODIES; b ++) host_set_constraints (s.body[b], s.set[b], s.size[b]);
  for (i = 0; i < CONSTRAINTS; i ++) host_unlink (s.host, s.con[i]);
  return s;
}

/* ---- steps; each does nothing where there is nothing to be done */

static void insert (STATE *s, int last)
{
  int i, code;

  for (i = 0; i < CONSTRAINTS && s->con[last ? CONSTRAINTS - 1 - i : i]->dia; i ++) continue;
  if (i == CONSTRAINTS) return;
  CON *con = s->con[last ? CONSTRAINTS - 1 - i : i];
  code = watched_insert (s->host, con);
  failing.armed = 0;
  if (code) {
    CHECK_INT (code, LDY_ERROR_OUT_OF_MEMORY);
    refused_insertions ++;
    return;
  }
  host_link (s->host, con);
  model_insert (&s->model, con, con->dia, con->master, set_of (s, con->master), con->slave, set_of (s, con->slave));
}

static void removal (STATE *s, int newest)
{
  DIAB *dia = s->host->dom.ldy->dia;

  while (dia && dia->n && !newest) dia = dia->n;
  if (!dia) return;
  CON *con = dia->con;
  model_remove (&s->model, con);
  host_remove (s->host, con);
  host_unlink (s->host, con);
}

static void update (STATE *s, UPDATE_KIND kind)
{
  update_and_compare (s->host, kind);
  if (kind != UPDATE_ALL) return;
  check_fresh (s->host);
  updated ++;
}

/* A step whose one call into the library gets no memory from an allocation on, or once. */
static void fail (STATE *s, int k, void (*call) (STATE *))
{
  failing.until = 1 + k / 2;
  failing.persistent = k % 2;
  failing.armed = 1;
  call (s);
  failing.armed = 0;
}

static void update_with_failures (STATE *s)
{
  host_set_update (s->host, UPDATE_ALL);
  int code = watched_update (s->host);
  failing.armed = 0;
  CHECK (code == 0 || code == LDY_ERROR_OUT_OF_MEMORY);
  without_memory += code != 0;
}

static void insert_with_failures (STATE *s) { insert (s, 0); }

#define STEPS 9

static void step (STATE *s, int number, int k)
{
  switch (number) {
  case 0: insert (s, 0); break;
  case 1: insert (s, 1); break;
  case 2: removal (s, 0); break;
  case 3: removal (s, 1); break;
  case 4: update (s, UPDATE_ALL); break;
  case 5: update (s, UPDATE_PENALTY); break;
  case 6: update (s, UPDATE_MINIMAL); break;
  case 7: fail (s, k, update_with_failures); break;
  default: fail (s, k % 2, insert_with_failures);
  }
  model_check (&s->model, s->host->dom.ldy);
}

static void sequence (long number, int length)
{
  STATE s = create ();
  long left = number;

  check_context ("sequence %ld", number);
  if (number % 2) {
    insert (&s, 0);
    insert (&s, 1);
  }
  for (int i = 0; i < length; i ++, left /= STEPS) step (&s, (int) (left % STEPS), (int) (number % 17));
  update (&s, UPDATE_ALL);
  model_check (&s.model, s.host->dom.ldy);
  model_free (&s.model);
  for (int i = 0; i < CONSTRAINTS; i ++) {
    if (!s.con[i]->dia) host_link (s.host, s.con[i]);
  }
  scene_destroy (s.host);
}

int main (int argc, char **argv)
{
  int length = argc > 1 ? atoi (argv[1]) : 0;
  long count = 1;

  if (!CHECK (length > 0)) return check_summary ("insertion_orders");
  watch_errors ();
  for (int i = 0; i < length; i ++) count *= STEPS;
  for (long number = 0; number < count; number ++) sequence (number, length);
  watch_no_errors ();
  CHECK (updated > 0 && without_memory > 0 && refused_insertions > 0);
  return check_summary ("insertion_orders");
}
