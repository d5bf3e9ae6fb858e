/* history ROUNDS SEED ...: the results of an update depend on its input alone. After matrices and constraints have come and gone, and
 * updates have failed, all values have the bits of new rows. */
#include <stdlib.h>

#include "support/check.h"
#include "support/digest.h"
#include "support/error_observer.h"
#include "support/failing_allocator.h"
#include "support/mesh_builder.h"

#define BODIES 4
#define CONSTRAINTS 60

typedef struct {
  HOST *host;
  BODY *body[BODIES];
  CON *con[CONSTRAINTS];
  RANDOM random;
} SCENE;

static int refused, without_memory;

static SCENE create (uint64_t seed, FEMFORM form)
{
  static const INERTIA_FORM inertia[] = { INERTIA_FACTORED, INERTIA_FACTORED_GENERAL };
  SCENE s = { host_create (), { NULL }, { NULL }, { seed } };
  MESH_BODY kind = { form, SCH_DEF_LIM, INERTIA_FACTORED, CELLS_HEXAHEDRA, 0, { 3, 2, 2 } };

  for (int i = 0; i < BODIES; i ++) {
    kind.inertia = inertia[i % 2];
    s.body[i] = mesh_body (s.host, &s.random, kind);
  }
  for (int i = 0; i < CONSTRAINTS; i ++) {
    /* half of them on the first two bodies */
    s.con[i] = mesh_constraint (s.host, &s.random, CONTACT, s.body[i % 2 ? i % BODIES : i / 2 % 2], i % 5 ? NULL : s.body[i % 3]);
  }
  s.host->dom.step = 0.25;
  scene_insert_all (s.host);
  return s;
}

static void insert_all (SCENE *s)
{
  for (int i = 0; i < CONSTRAINTS; i ++) {
    if (!s->con[i]->dia) CHECK (host_insert (s->host, s->con[i]) != NULL);
  }
}

/* ---- what happens between two updates */

static void move_constraints (SCENE *s)
{
  int count = 1 + random_below (&s->random, 3);
  CON *con;

  while (count --) {
    con = s->con[random_below (&s->random, CONSTRAINTS)];
    host_remove (s->host, con);
    mesh_place (con, &s->random);
    CHECK (host_insert (s->host, con) != NULL);
  }
}

/* The same ones, with their rows in another order. */
static void replace_rows (SCENE *s)
{
  int count = random_below (&s->random, CONSTRAINTS);
  CON *con;

  while (count --) {
    con = s->con[random_below (&s->random, CONSTRAINTS)];
    if (con->dia) host_remove (s->host, con);
  }
  insert_all (s);
}

static void update_refused (SCENE *s, BODY *body)
{
  double *value = &body->inverse->x[0], kept = *value;

  *value = random_below (&s->random, 2) ? 0.0 / (kept - kept) : - kept;
  if (body->inverse->flags & MXSPD || *value != - kept) {
    watch_errors ();
    refused += CHECK (watched_update (s->host) != 0);
    watch_no_errors ();
  }
  *value = kept;
}

/* The first update of a process and new patterns of general matrices may abort without memory: neither happens here. */
static void update_without_memory (SCENE *s, BODY *body)
{
  int persistent = random_below (&s->random, 2);

  move_constraints (s);
  mesh_scale_inertia (body, 1.5);
  watch_errors ();
  failing = (FAILING) { .armed = 1, .until = 1 + random_below (&s->random, 12), .persistent = persistent,
    .in_use = failing.in_use };
  LOCDYN_Update_Begin (s->host->dom.ldy);
  failing.armed = 0;
  watch_no_errors ();
  without_memory += watched.code != 0;
}

static void change (SCENE *s)
{
  BODY *body = s->body[random_below (&s->random, BODIES)];

  switch (random_below (&s->random, 9)) {
  case 0: mesh_scale_inertia (body, 1 + 0.5 * random_value (&s->random)); break;
  case 1:
    mesh_randomise_inertia (body, &s->random, body->inverse->flags & MXSPD ? INERTIA_FACTORED : INERTIA_FACTORED_GENERAL);
    break;
  case 2: /* and back again */
    mesh_scale_inertia (body, 2);
    LOCDYN_Update_Begin (s->host->dom.ldy);
    mesh_scale_inertia (body, 0.5);
    break;
  case 3: update_refused (s, body); break;
  case 4: replace_rows (s); break;
  case 5: update_without_memory (s, body); break;
  case 6: mesh_randomise_motion (body, &s->random); break;
  default: move_constraints (s);
  }
}

/* ---- the comparison */

static DIAB *last_row (LOCDYN *ldy)
{
  DIAB *dia = ldy->dia;

  while (dia && dia->n) dia = dia->n;
  return dia;
}

/* The digest of new rows, inserted in the same order. */
static uint64_t digest_anew (SCENE *s)
{
  LOCDYN *old = s->host->dom.ldy, *anew = LOCDYN_Create (&s->host->dom);
  DIAB *row[CONSTRAINTS];

  for (int i = 0; i < CONSTRAINTS; i ++) {
    row[i] = s->con[i]->dia;
    s->con[i]->dia = NULL;
  }
  s->host->dom.ldy = anew;
  for (DIAB *dia = last_row (old); dia; dia = dia->p) CHECK (host_insert (s->host, dia->con) != NULL);
  LOCDYN_Update_Begin (anew);
  uint64_t sum = digest_rows (DIGEST_START, anew);
  LOCDYN_Destroy (anew);
  for (int i = 0; i < CONSTRAINTS; i ++) s->con[i]->dia = row[i];
  s->host->dom.ldy = old;
  return sum;
}

static void run (int rounds, uint64_t seed, FEMFORM form)
{
  SCENE s = create (seed, form);

  for (int i = 0; i < rounds; i ++) {
    check_context ("seed %d, form %d, round %d", (int) seed, (int) form, i);
    change (&s);
    LOCDYN_Update_Begin (s.host->dom.ldy);
    CHECK (digest_rows (DIGEST_START, s.host->dom.ldy) == digest_anew (&s));
  }
  scene_destroy (s.host);
}

int main (int argc, char **argv)
{
  uint64_t seed;
  int rounds = argc > 1 ? atoi (argv[1]) : 0;

  for (int i = 2; i < argc; i ++) {
    seed = strtoull (argv[i], NULL, 10);
    run (rounds, seed, TOTAL_LAGRANGIAN);
    run (rounds, seed, BODY_COROTATIONAL);
  }
  CHECK (without_memory > 0 && refused > 0);
  return check_summary ("history");
}
