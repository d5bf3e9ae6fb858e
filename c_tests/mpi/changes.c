/* changes STEPS SEED ...: constraints come and go between updates, on several processes, and bodies change hands. Every rank
 * keeps the whole domain beside its part of it, and compares its rows with dense matrices of the whole (compare.h). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "copied_rows.h"
#include "part.h"
#include "summary.h"
#include "support/check.h"
#include "support/compare.h"
#include "support/compare_clone.h"
#include "support/dense.h"
#include "support/scene.h"

#define TOLERANCE 1e-12
#define MOST 64 /* constraints at a time */

static int rank, ranks;

/* The same on all ranks but for the part. */
typedef struct {
  RANDOM random;
  HOST *whole;
  PARTITION *partition;
  PART *part;
  CON *con[MOST];  /* the constraints of the domain; NULL: a free entry */
  int owner[MOST];
  UPDATE_KIND last; /* the last update */
} SCENE;

/* ---- what is where */

static int here (const SCENE *s, int body, int on)
{
  return s->partition->parent[body] == on || s->partition->child[body * ranks + on];
}

static BODY *body_at (const SCENE *s, int index)
{
  BODY *body = s->whole->dom.bod;

  while (index --) body = body->next;
  return body;
}

static int body_index (const SCENE *s, const BODY *wanted)
{
  int index = 0;

  while (body_at (s, index) != wanted) index ++;
  return index;
}

static int place_of (const SCENE *s, unsigned int id)
{
  int i;

  for (i = 0; i < MOST; i ++) {
    if (s->con[i] && s->con[i]->id == id) return i;
  }
  abort ();
}

/* Children wherever a constraint needs them. */
static void complete (SCENE *s)
{
  int i;

  for (i = 0; i < MOST; i ++) {
    if (!s->con[i]) continue;
    s->partition->child[body_index (s, s->con[i]->master) * ranks + s->owner[i]] = 1;
    if (s->con[i]->slave) s->partition->child[body_index (s, s->con[i]->slave) * ranks + s->owner[i]] = 1;
  }
}

static void randomise_reaction (SCENE *s, CON *con)
{
  int i;

  for (i = 0; i < 3; i ++) con->R[i] = random_value (&s->random);
}

static SCENE *scene_create (int seed)
{
  SCENE *s = calloc (1, sizeof *s);
  CON *con;
  int i = 0;

  if (!s) abort ();
  s->random.state = (uint64_t) seed;
  s->whole = scene_mixed ((uint64_t) seed);
  s->partition = partition_create (s->whole, ranks, seed % (PARTITION_RANDOM + 3));
  for (con = s->whole->dom.con; con; con = con->next, i ++) {
    s->con[i] = con;
    s->owner[i] = s->partition->owner[i];
    randomise_reaction (s, con);
  }
  complete (s);
  s->partition->constraints = MOST;
  s->part = part_create (s->whole, s->partition, rank);
  s->part->host->dom.ldy = LOCDYN_Create (&s->part->host->dom);
  for (i = 0; i < MOST; i ++) {
    if (s->part->con[i] && s->owner[i] == rank) host_insert (s->part->host, s->part->con[i]);
  }
  return s;
}

static void scene_free (SCENE *s)
{
  LOCDYN_Destroy (s->part->host->dom.ldy);
  part_free (s->part);
  partition_free (s->partition);
  host_destroy (s->whole);
  free (s);
}

/* ---- changes */

/* A rank where both bodies are; -1: there is none. */
static int random_owner (SCENE *s, int master, int slave)
{
  int first = random_below (&s->random, ranks), i, on;

  for (i = 0; i < ranks; i ++) {
    on = (first + i) % ranks;
    if (here (s, master, on) && (slave < 0 || here (s, slave, on))) return on;
  }
  return -1;
}

static int is_singular (int kind, const BODY *master, const BODY *slave)
{
  if (master == slave) return master->kind != PRB;
  return kind == CONTACT && master->kind == OBS && slave->kind == OBS;
}

static void add (SCENE *s)
{
  static const int kinds[] = { CONTACT, CONTACT, CONTACT, FIXPNT, FIXDIR, VELODIR, VELODIR3, RIGLNK, SPRING };
  int kind = kinds[random_below (&s->random, 9)], place = 0, owner, master, slave;
  BODY *bodies[2] = { NULL, NULL };
  CON *con;

  while (place < MOST && s->con[place]) place ++;
  master = random_below (&s->random, s->whole->dom.nbod);
  slave = kind == CONTACT || kind >= RIGLNK ? random_below (&s->random, s->whole->dom.nbod) : -1;
  owner = random_owner (s, master, slave);
  bodies[0] = body_at (s, master);
  if (slave >= 0) bodies[1] = body_at (s, slave);
  if (place == MOST || owner < 0) return;
  if (is_singular (kind, bodies[0], bodies[1])) return;
  con = scene_constraint (s->whole, &s->random, kind, bodies[0], bodies[1]);
  randomise_reaction (s, con);
  s->con[place] = con;
  s->owner[place] = owner;
  con = part_add_constraint (s->part, s->whole, con, place, owner);
  if (con && here (s, master, rank)) host_join (con->master, con, -1);
  if (con && slave >= 0 && slave != master && here (s, slave, rank)) host_join (con->slave, con, -1);
  if (owner == rank) host_insert (s->part->host, con);
}

static void drop (SCENE *s)
{
  int place = random_below (&s->random, MOST);

  if (!s->con[place]) return;
  if (s->owner[place] == rank) LOCDYN_Remove (s->part->host->dom.ldy, s->part->con[place]->dia);
  part_drop_constraint (s->part, place);
  host_free_constraint (s->whole, s->con[place]);
  s->con[place] = NULL;
}

static void set_parent (SCENE *s, int body, int on, int parent)
{
  int flags = parent ? BODY_PARENT : BODY_CHILD;

  s->partition->child[body * ranks + on] = 1;
  if (on != rank) return;
  memcpy (&s->part->body[body]->flags, &flags, sizeof s->part->body[body]->flags);
  s->part->body[body]->velo = parent ? body_at (s, body)->velo : NULL;
}

/* A parent and a child change places. */
static void migrate (SCENE *s)
{
  int body = random_below (&s->random, s->whole->dom.nbod), to = random_owner (s, body, -1);

  set_parent (s, body, s->partition->parent[body], 0);
  set_parent (s, body, to, 1);
  s->partition->parent[body] = to;
}

static void change (SCENE *s)
{
  int choice = random_below (&s->random, 20);

  if (choice < 9) add (s);
  else if (choice < 19) drop (s);
  else migrate (s);
  part_map (s->part);
}

/* ---- comparison */

static void near_all (const double *got, const double *want, int count, double tolerance)
{
  int i;

  for (i = 0; i < count; i ++) CHECK_NEAR (got[i], want[i], tolerance);
}

static void compare_block (const SCENE *s, const DENSE_SYSTEM *system, const CON *own, unsigned int neighbour,
                           const OFFB *block)
{
  double W[9], one[9], two[9];
  const CON *other = s->con[place_of (s, neighbour)];
  int body = 0;

  while (s->part->body[body] != block->bod) body ++;
  dense_block (system, own, other, body_at (s, body), W);
  dense_global_block (system, own, own, one);
  dense_global_block (system, other, other, two);
  near_all (block->W, W, 9, TOLERANCE * sqrt (dense_largest_entry (9, one) * dense_largest_entry (9, two)));
}

/* Whether a row has to have a block to a constraint that is external here, through a body of both. */
static int expects_external (const SCENE *s, const CON *own, const CON *other, const BODY *body)
{
  if (own->master != body && own->slave != body) return 0;
  if (body->kind == OBS && (own->kind == CONTACT || other->kind == CONTACT)) return 0;
  return s->last == UPDATE_ALL || own->kind != CONTACT;
}

/* The external constraint with the next id in the order of the map; -1: there is none. */
static int next_external (const SCENE *s, unsigned int id)
{
  int next = -1, i;

  for (i = 0; i < MOST; i ++) {
    if (!s->con[i] || s->owner[i] == rank || s->con[i]->id <= id) continue;
    if (next < 0 || s->con[i]->id < s->con[next]->id) next = i;
  }
  return next;
}

/* Each block was put at the head: the last are those to the first constraint, through its master before its slave. */
static void compare_externals (const SCENE *s, const DENSE_SYSTEM *system, const DIAB *dia, const CON *own)
{
  const OFFB *block, *blocks[2 * MOST];
  int count = 0, place = -1, side;
  const BODY *body;

  for (block = dia->adjext; block && count < 2 * MOST; block = block->n) blocks[count ++] = block;
  while ((place = next_external (s, place < 0 ? 0 : s->con[place]->id)) >= 0) {
    for (side = 0; side < 2; side ++) {
      body = side ? s->con[place]->slave : s->con[place]->master;
      if (!body || !expects_external (s, own, s->con[place], body)) continue;
      if (!CHECK (count > 0)) return;
      block = blocks[-- count];
      CHECK_POINTER (block->dia, s->part->con[place]);
      CHECK_POINTER (block->bod, s->part->body[body_index (s, body)]);
      compare_block (s, system, own, s->con[place]->id, block);
    }
  }
  CHECK_INT (count, 0);
}

static void compare_row (const SCENE *s, const DENSE_SYSTEM *system, const DIAB *dia)
{
  const CON *own = s->con[place_of (s, dia->con->id)];
  const OFFB *block;
  double W[9];
  int c = 0;

  while (system->con[c] != own) c ++;
  near_all (dia->V, system->V + 3 * c, 3, TOLERANCE * system->speed[c]);
  near_all (dia->B, system->B + 3 * c, 3, TOLERANCE * system->speed[c]);
  if (s->last == UPDATE_MINIMAL) return;
  dense_global_block (system, own, own, W);
  near_all (dia->W, W, 9, TOLERANCE * dense_largest_entry (9, W));
  if (s->last == UPDATE_ALL || own->kind != CONTACT) {
    for (block = dia->adj; block; block = block->n) compare_block (s, system, own, block->dia->con->id, block);
  }
  compare_externals (s, system, dia, own);
}

static void update (SCENE *s)
{
  static const UPDATE_KIND kinds[] = { UPDATE_ALL, UPDATE_ALL, UPDATE_ALL, UPDATE_PENALTY, UPDATE_MINIMAL };
  LOCDYN *ldy = s->part->host->dom.ldy;
  DENSE_SYSTEM *system = dense_system (&s->whole->dom);
  const DIAB *dia;
  ldy_stats stats = { .size = sizeof stats };
  size_t externals = 0;

  s->last = kinds[random_below (&s->random, 5)];
  host_set_update (s->part->host, s->last);
  LOCDYN_Update_Begin (ldy);
  for (dia = ldy->dia; dia; dia = dia->n) {
    const OFFB *block;

    compare_row (s, system, dia);
    for (block = dia->adjext; block; block = block->n) externals ++;
  }
  compare_zeros (ldy, s->last);
  if (s->last == UPDATE_ALL) copied_rows_compare (ldy, system);
  CHECK_INT (ldy_get_stats (ldy, &stats), 0);
  CHECK_INT (stats.external_blocks, externals);
  dense_system_free (system);
}

/* ---- a clone */

/* While external constraints are the same as in the last update. */
static void clone (const SCENE *s)
{
  LOCDYN *ldy = s->part->host->dom.ldy, *copy = LOCDYN_Clone_Non_Contacts (ldy);
  const DIAB *dia;
  DIAB *other = copy->dia;

  CHECK (ldy_is_consistent (copy, NULL));
  for (dia = ldy->dia; dia; dia = dia->n) {
    if (dia->con->kind == CONTACT) continue;
    if (!CHECK (other != NULL)) break;
    compare_clone_row (dia, other);
    other = other->n;
  }
  CHECK_POINTER (other, NULL);
  if (copy->dia) LOCDYN_Remove (copy, copy->dia);
  CHECK (ldy_is_consistent (copy, NULL));
  LOCDYN_Destroy (copy);
}

/* ---- damage */

static void seen (const LOCDYN *ldy, const char *words)
{
  ldy_report report = { .size = sizeof report };

  CHECK (!ldy_is_consistent (ldy, &report));
  CHECK_TEXT (report.text, words);
}

static void damage_block (LOCDYN *ldy, DIAB *dia)
{
  OFFB *block = dia->adjext, *next = block->n;
  DIAB *row = block->dia;

  block->dia = NULL;
  seen (ldy, "another external constraint");
  block->dia = row;
  block->n = block;
  seen (ldy, "linked in another order");
  block->n = (OFFB *) ((char *) next + 8);
  seen (ldy, "n is no live block");
  block->n = next;
  dia->adjext = (OFFB *) ((char *) block + 16);
  seen (ldy, "adjext is no live block");
  dia->adjext = next;
  seen (ldy, "blocks to external constraints are missing");
  dia->adjext = block;
  CHECK (ldy_is_consistent (ldy, NULL));
}

static void damage (LOCDYN *ldy)
{
  DIAB *dia;

  for (dia = ldy->dia; dia; dia = dia->n) {
    if (dia->adjext) damage_block (ldy, dia);
  }
}

/* ---- all */

static void run (int steps, int seed)
{
  SCENE *s = scene_create (seed);
  LOCDYN *ldy = s->part->host->dom.ldy;
  int changes;

  for (; steps > 0; steps --) {
    check_context ("rank %d of %d, seed %d, %d steps to go", rank, ranks, seed, steps);
    for (changes = random_below (&s->random, 4); changes > 0; changes --) change (s);
    CHECK (ldy_is_consistent (ldy, NULL));
    update (s);
    CHECK (ldy_is_consistent (ldy, NULL));
    if (s->last != UPDATE_MINIMAL && random_below (&s->random, 5) == 0) clone (s);
    if (random_below (&s->random, 10) == 0) damage (ldy);
  }
  scene_free (s);
}

int main (int argc, char **argv)
{
  int i, code;

  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &ranks);
  for (i = 2; i < argc; i ++) run (atoi (argv[1]), atoi (argv[i]));
  code = summary_of_ranks ("changes");
  MPI_Finalize ();
  return code;
}
