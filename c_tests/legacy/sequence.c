#include "legacy/sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/compare.h"
#include "support/digest.h"
#include "support/list_model.h"
#include "support/mesh_builder.h"
#include "support/rebuild_compare.h"

#define BODIES SEQUENCE_BODIES
#define CONSTRAINTS 40

struct sequence {
  const POPULATION *population;
  RANDOM *random;
  HOST *host;
  MODEL model;
  BODY *body[BODIES];
  CON *set[BODIES][CONSTRAINTS]; /* each body's constraints, in the order of its set */
  int size[BODIES];
  CON *con[CONSTRAINTS];
  int count;
  int checking;                  /* 0: only the digest counts */
  int reuse;                     /* the host has promised to write no values of rows */
  ldy_shadow *shadow;            /* a shadow of the library itself; NULL: none */
  uint64_t digest;
  RANDOM padding;                /* sizes of blocks of memory allocated in between; state 0: none */
  int paddings, room;
  void **padding_block;
};

/* ---- memory */

/* Allocates some memory, and frees some now and then, so that later allocations get other addresses. */
static void pad (SEQUENCE *s)
{
  int i;

  if (!s->padding.state) return;
  if (s->paddings && random_below (&s->padding, 3) == 0) {
    i = random_below (&s->padding, s->paddings);
    free (s->padding_block[i]);
    s->padding_block[i] = s->padding_block[-- s->paddings];
  }
  if (s->paddings == s->room) {
    s->room = 2 * s->room + 64;
    s->padding_block = realloc (s->padding_block, (size_t) s->room * sizeof *s->padding_block);
    if (!s->padding_block) abort ();
  }
  s->padding_block[s->paddings ++] = malloc (16 + (size_t) random_below (&s->padding, 3000));
}

/* ---- sets */

static int index_of (const SEQUENCE *s, const BODY *body)
{
  int i = 0;

  while (s->body[i] != body) i ++;
  return i;
}

static void rebuild (SEQUENCE *s, int b)
{
  s->host->set_form = (SET_FORM) random_below (s->random, 3);
  s->host->emptied_sets = random_below (s->random, 2);
  host_set_constraints (s->body[b], s->set[b], s->size[b]);
}

static void join (SEQUENCE *s, BODY *body, CON *con)
{
  int b = index_of (s, body), at = random_below (s->random, s->size[b] + 1);

  memmove (&s->set[b][at + 1], &s->set[b][at], (size_t) (s->size[b] - at) * sizeof (CON *));
  s->set[b][at] = con;
  s->size[b] ++;
  rebuild (s, b);
}

static void leave (SEQUENCE *s, BODY *body, const CON *con)
{
  int b = index_of (s, body), at = 0;

  while (s->set[b][at] != con) at ++;
  s->size[b] --;
  memmove (&s->set[b][at], &s->set[b][at + 1], (size_t) (s->size[b] - at) * sizeof (CON *));
  rebuild (s, b);
}

static void join_bodies (SEQUENCE *s, CON *con)
{
  join (s, con->master, con);
  if (con->slave && con->slave != con->master) join (s, con->slave, con);
}

static void leave_bodies (SEQUENCE *s, const CON *con)
{
  leave (s, con->master, con);
  if (con->slave && con->slave != con->master) leave (s, con->slave, con);
}

static MODEL_SET set_of (const SEQUENCE *s, const BODY *body)
{
  MODEL_SET set = { NULL, 0 };

  if (body) {
    set.con = s->set[index_of (s, body)];
    set.count = s->size[index_of (s, body)];
  }
  return set;
}

/* ---- operations */

static CON *pick (SEQUENCE *s)
{
  return s->con[random_below (s->random, s->count)];
}

/* Bodies a constraint of this kind makes sense for, few enough that many constraints share both of them. Two points of one
 * rigid body have no relative velocity along the line between them: only deformable ones touch themselves. */
static void choose_bodies (SEQUENCE *s, CON *con)
{
  BODY *one = s->body[random_below (s->random, BODIES)], *two = s->body[random_below (s->random, BODIES)];

  if (random_below (s->random, 4) == 0) {
    one = s->body[1];
    two = s->body[5];
  }
  if (con->kind == FIXPNT || con->kind == FIXDIR || con->kind == VELODIR || con->kind == VELODIR3) two = NULL;
  if (one == two && one->kind != PRB && one->kind != FEM) two = s->body[6];
  if (con->kind == CONTACT && two && one->kind == OBS && two->kind == OBS) one = s->body[2];
  con->master = one;
  con->slave = two;
}

static void change_constraint (SEQUENCE *s, CON *con)
{
  scene_randomise_constraint (con, s->random);
  mesh_place (con, s->random);
}

/* Mostly for both bodies, now and then for one of them, which is nothing for shadows, or in the other order. */
static void insert (SEQUENCE *s, CON *con)
{
  int dice = random_below (s->random, 20), whole = s->population->shadowed;
  BODY *one = con->master, *two = con->slave;

  if (dice == 0 && !whole) one = NULL;
  if (dice == 1 && !whole) two = NULL;
  if (dice == 2) one = con->slave, two = con->master;
  pad (s);
  con->dia = LOCDYN_Insert (s->host->dom.ldy, con, one, two);
  model_insert (&s->model, con, con->dia, one, set_of (s, one), two, set_of (s, two));
}

static void detach (SEQUENCE *s, CON *con)
{
  LOCDYN_Remove (s->host->dom.ldy, con->dia);
  model_remove (&s->model, con);
}

static void add (SEQUENCE *s)
{
  static const int kinds[] = { CONTACT, CONTACT, CONTACT, CONTACT, FIXPNT, FIXDIR, VELODIR, VELODIR3, RIGLNK, SPRING };
  int kind = kinds[random_below (s->random, 10)];

  if (s->count == CONSTRAINTS) return;
  pad (s);
  CON *con = host_add_constraint (s->host, kind, s->body[1], NULL);
  host_leave (s->body[1], con);
  choose_bodies (s, con);
  change_constraint (s, con);
  join_bodies (s, con);
  s->con[s->count ++] = con;
  if (random_below (s->random, 8)) insert (s, con);
}

static void attach (SEQUENCE *s)
{
  CON *con = s->count ? pick (s) : NULL;

  if (con && !con->dia) insert (s, con);
}

/* The row goes before the constraint leaves its bodies' sets, or after it. */
static void delete_at (SEQUENCE *s, int i)
{
  CON *con = s->con[i];

  if (con->dia && random_below (s->random, 2)) {
    detach (s, con);
    con->dia = NULL;
  }
  leave_bodies (s, con);
  if (con->dia) detach (s, con);
  s->con[i] = s->con[-- s->count];
  con->master = s->body[1];
  con->slave = NULL; /* the host's own sets no longer hold it */
  host_free_constraint (s->host, con);
}

static void delete (SEQUENCE *s)
{
  if (s->count) delete_at (s, random_below (s->random, s->count));
}

/* A body loses all its constraints. */
static void strip (SEQUENCE *s, int b)
{
  for (int i = s->count - 1; i >= 0; i --) {
    if (s->con[i]->master == s->body[b] || s->con[i]->slave == s->body[b]) delete_at (s, i);
  }
}

/* A body goes, with its constraints, and another comes, of any kind and as likely as not at the same address. Some stay,
 * so that there are always a rigid and a pseudo-rigid one. */
static void replace_body (SEQUENCE *s)
{
  int b = random_below (s->random, BODIES);

  if (b == 1 || b == 2 || b == 6) return;
  strip (s, b);
  if (s->population->strips && random_below (s->random, 3)) return;
  host_free_body (s->host, s->body[b]);
  pad (s);
  s->body[b] = s->population->other_body (s->host, s->random);
}

static void detach_only (SEQUENCE *s)
{
  CON *con = s->count ? pick (s) : NULL;

  if (!con || !con->dia) return;
  detach (s, con);
  con->dia = NULL;
}

/* To other bodies, with `dia` still pointing to the row that has just gone. */
static void move (SEQUENCE *s)
{
  CON *con = s->count ? pick (s) : NULL;

  if (!con || !con->dia) return;
  detach (s, con);
  leave_bodies (s, con);
  choose_bodies (s, con);
  mesh_place (con, s->random);
  join_bodies (s, con);
  insert (s, con);
}

static void check_shadow (ldy_shadow *shadow)
{
  ldy_report report = { .size = sizeof report };

  if (!CHECK_INT (ldy_shadow_check (shadow, NULL, &report), 1)) fprintf (stderr, "  %s\n", report.text);
}

/* An update wants all constraints to have rows. */
void sequence_complete (SEQUENCE *s)
{
  for (int i = 0; i < s->count; i ++) {
    if (!s->con[i]->dia) insert (s, s->con[i]);
  }
}

static void update (SEQUENCE *s)
{
  static const UPDATE_KIND kinds[] = { UPDATE_ALL, UPDATE_ALL, UPDATE_PENALTY, UPDATE_MINIMAL };
  UPDATE_KIND kind = kinds[random_below (s->random, 4)];

  sequence_complete (s);
  if (s->population->self_contact_once) compare_self_contact_once (random_below (s->random, 2));
  host_set_update (s->host, kind);
  MARKS *marks = s->reuse ? NULL : marks_put (s->host->dom.ldy);
  LOCDYN_Update_Begin (s->host->dom.ldy);
  if (s->reuse) check_fresh (s->host);
  else if (s->checking) compare_update (s->host->dom.ldy, kind, marks);
  if (s->shadow) check_shadow (s->shadow);
  if (marks) marks_free (marks);
  s->digest = digest_rows (s->digest, s->host->dom.ldy);
}

/* A shadow has to see new rows where they were inserted. */
static void change_numbers (SEQUENCE *s)
{
  if (s->population->shadowed) update (s);
  int b = random_below (s->random, BODIES);
  s->population->change_body (s->body[b], s->random);
  if (s->count) change_constraint (s, pick (s));
}

void sequence_operation (SEQUENCE *s)
{
  int dice = random_below (s->random, 100), last = 100 - s->population->updates;

  if (dice < 35) add (s);
  else if (dice < 45) attach (s);
  else if (dice < 61) delete (s);
  else if (dice < 70) detach_only (s);
  else if (dice < 79) move (s);
  else if (dice < 80) replace_body (s);
  else if (dice < last) change_numbers (s);
  else update (s);
  if (s->checking) model_check (&s->model, s->host->dom.ldy);
}

/* ---- sequences */

SEQUENCE *sequence_begin (const POPULATION *population, RANDOM *random, uint64_t padding)
{
  SEQUENCE *s = calloc (1, sizeof *s);

  if (!s) abort ();
  s->population = population;
  s->random = random;
  s->padding.state = padding;
  s->checking = !padding;
  s->digest = DIGEST_START;
  s->host = host_create ();
  for (int i = 0; i < BODIES; i ++) {
    pad (s);
    s->body[i] = population->body (s->host, s->random, i);
  }
  s->host->dom.ldy = LOCDYN_Create (&s->host->dom);
  if (s->checking && population->shadowed) s->shadow = ldy_shadow_new (s->host->dom.ldy);
  return s;
}

HOST *sequence_host (SEQUENCE *s)
{
  return s->host;
}

void sequence_set_reuse (SEQUENCE *s, int reuse)
{
  s->reuse = reuse;
  CHECK_INT (ldy_set_option (LDY_REUSE, reuse), 0);
}

void sequence_reinserted (SEQUENCE *s, CON *con)
{
  model_remove (&s->model, con);
  model_insert (&s->model, con, con->dia, con->master, set_of (s, con->master), con->slave, set_of (s, con->slave));
}

uint64_t sequence_end (SEQUENCE *s)
{
  update (s);
  uint64_t digest = s->digest;
  ldy_shadow_free (s->shadow);
  host_clear (s->host);
  LOCDYN_Destroy (s->host->dom.ldy);
  host_destroy (s->host);
  model_free (&s->model);
  while (s->paddings) free (s->padding_block[-- s->paddings]);
  free (s->padding_block);
  free (s);
  return digest;
}

static uint64_t run (const POPULATION *population, int operations, uint64_t seed, uint64_t padding)
{
  RANDOM random = { seed };
  SEQUENCE *s = sequence_begin (population, &random, padding);

  for (int i = 0; i < operations && !check_failures (); i ++) {
    check_context ("seed %lu, operation %d", (unsigned long) seed, i);
    sequence_operation (s);
  }
  return sequence_end (s);
}

int sequence_main (const POPULATION *population, int argc, char **argv)
{
  uint64_t seed, first;

  if (argc < 3) {
    fprintf (stderr, "usage: %s OPERATIONS SEED ...\n", population->name);
    return 2;
  }
  int operations = atoi (argv[1]);
  for (int i = 2; i < argc; i ++) {
    seed = strtoull (argv[i], NULL, 10);
    first = run (population, operations, seed, 0);
    check_context ("seed %lu, other addresses", (unsigned long) seed);
    if (!check_failures ()) CHECK (run (population, operations, seed, seed + 1) == first);
  }
  return check_summary (population->name);
}
