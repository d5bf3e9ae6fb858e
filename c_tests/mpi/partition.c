#include "partition.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/scene.h"

void *partition_zeroed (int count, size_t size)
{
  void *memory = calloc ((size_t) count + 1, size);

  if (!memory) abort ();
  return memory;
}

int partition_index (const HOST *whole, const BODY *wanted)
{
  const BODY *body = whole->dom.bod;
  int index = 0;

  for (; body != wanted; body = body->next) index ++;
  return index;
}

static int owner_of (const PARTITION *p, const HOST *whole, const CON *con, int kind, RANDOM *random)
{
  switch (kind) {
  case PARTITION_SLABS: return p->parent[partition_index (whole, con->master)];
  case PARTITION_ONE_OWNER: return p->ranks - 1;
  case PARTITION_EMPTY_RANK: return p->ranks > 1 ? random_below (random, p->ranks - 1) : 0;
  default: return random_below (random, p->ranks);
  }
}

static int parent_of (const PARTITION *p, int body, int kind, RANDOM *random)
{
  switch (kind) {
  case PARTITION_SLABS: return (int) ((long) body * p->ranks / p->bodies);
  case PARTITION_EMPTY_RANK: return p->ranks > 1 ? random_below (random, p->ranks - 1) : 0;
  default: return random_below (random, p->ranks);
  }
}

/* A child without need, sometimes. */
static char is_child (int kind, RANDOM *random)
{
  return kind == PARTITION_EVERYWHERE || (kind >= PARTITION_RANDOM && random_below (random, 4) == 0);
}

PARTITION *partition_create (const HOST *whole, int ranks, int kind)
{
  RANDOM random = { (uint64_t) (1000 * kind + ranks) };
  PARTITION *p = partition_zeroed (1, sizeof *p);
  const CON *con;
  int i;

  p->ranks = ranks;
  p->bodies = whole->dom.nbod;
  p->constraints = whole->dom.ncon;
  p->parent = partition_zeroed (p->bodies, sizeof (int));
  p->owner = partition_zeroed (p->constraints, sizeof (int));
  p->child = partition_zeroed (p->bodies * ranks, 1);
  for (i = 0; i < p->bodies; i ++) p->parent[i] = parent_of (p, i, kind, &random);
  for (i = 0; i < p->bodies * ranks; i ++) p->child[i] = is_child (kind, &random);
  for (con = whole->dom.con, i = 0; con; con = con->next, i ++) p->owner[i] = owner_of (p, whole, con, kind, &random);
  return p;
}

void partition_free (PARTITION *partition)
{
  free (partition->parent);
  free (partition->owner);
  free (partition->child);
  free (partition);
}

const char *partition_name (int kind)
{
  static const char *const names[] = { "slabs", "one owner", "children everywhere", "an empty rank" };
  static char text[32];

  if (kind < PARTITION_RANDOM) return names[kind];
  snprintf (text, sizeof text, "random %d", kind - PARTITION_RANDOM);
  return text;
}
