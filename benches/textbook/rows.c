/* Insertion of rows as a textbook has it, to measure the library against: rows and blocks from a pool each, every block put at the
 * head of its row's list, and nothing that would make removal quick or find a mistake. */
#include "rows.h"

#include <stdlib.h>

enum { CHUNKS = 4096 };

/* Memory for contiguous chunks of one size. */
typedef struct slab SLAB;

struct slab {
  SLAB *next;
  char bytes[];
};

typedef struct {
  size_t size;
  SLAB *first, *slab;
  size_t taken; /* chunks of the slab */
} POOL;

struct textbook_rows {
  POOL rows, blocks;
  DIAB *first;
};

static void *pool_take (POOL *pool)
{
  SLAB *slab = pool->slab;

  if (!slab || pool->taken == CHUNKS) {
    SLAB *next = slab ? slab->next : pool->first;
    if (!next) {
      if (!(next = malloc (sizeof (SLAB) + CHUNKS * pool->size))) return NULL;
      next->next = NULL;
      if (slab) slab->next = next;
      else pool->first = next;
    }
    slab = pool->slab = next;
    pool->taken = 0;
  }
  return slab->bytes + pool->size * pool->taken ++;
}

static void pool_clear (POOL *pool)
{
  pool->slab = NULL;
  pool->taken = 0;
}

static void pool_free (POOL *pool)
{
  SLAB *slab, *next;

  for (slab = pool->first; slab; slab = next) {
    next = slab->next;
    free (slab);
  }
}

TEXTBOOK_ROWS *textbook_rows_create (void)
{
  TEXTBOOK_ROWS *rows = calloc (1, sizeof (TEXTBOOK_ROWS));

  if (rows) {
    rows->rows.size = sizeof (DIAB);
    rows->blocks.size = sizeof (OFFB);
  }
  return rows;
}

static int put_block (POOL *pool, DIAB *row, DIAB *neighbour, BODY *body)
{
  OFFB *block = pool_take (pool);
  int i;

  if (!block) return 0;
  for (i = 0; i < 9; i ++) block->W[i] = 0;
  block->dia = neighbour;
  block->bod = body;
  block->n = row->adj;
  row->adj = block;
  return 1;
}

/* Walk the set of a body in order. A sentinel is its own child. */
static int put_blocks (POOL *pool, DIAB *row, const SET *node, BODY *body)
{
  CON *other;

  if (!node || (node->l == node && node->r == node)) return 1;
  other = node->data;
  return put_blocks (pool, row, node->l, body) &&
         (other == row->con || !other->dia ||
          (put_block (pool, row, other->dia, body) && put_block (pool, other->dia, row, body))) &&
         put_blocks (pool, row, node->r, body);
}

static int is_counted (const CON *con, const BODY *body)
{
  return body && !(con->kind == CONTACT && body->kind == OBS);
}

DIAB *textbook_rows_insert (TEXTBOOK_ROWS *rows, CON *con)
{
  DIAB *row = pool_take (&rows->rows);
  static const DIAB empty;

  if (!row) return NULL;
  *row = empty;
  row->con = con;
  row->R = con->R;
  row->U = con->U;
  row->V = con->V;
  if (is_counted (con, con->master) && !put_blocks (&rows->blocks, row, con->master->con, con->master)) return NULL;
  if (is_counted (con, con->slave) && !put_blocks (&rows->blocks, row, con->slave->con, con->slave)) return NULL;
  row->n = rows->first;
  if (row->n) row->n->p = row;
  return rows->first = row;
}

DIAB *textbook_rows_first (const TEXTBOOK_ROWS *rows)
{
  return rows->first;
}

void textbook_rows_clear (TEXTBOOK_ROWS *rows)
{
  pool_clear (&rows->rows);
  pool_clear (&rows->blocks);
  rows->first = NULL;
}

void textbook_rows_destroy (TEXTBOOK_ROWS *rows)
{
  if (!rows) return;
  pool_free (&rows->rows);
  pool_free (&rows->blocks);
  free (rows);
}
