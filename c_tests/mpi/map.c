#include "map.h"

#include <stdint.h>
#include <stdlib.h>

/* Its p is arbitrary: here it points to the node that was made last, to catch readers that trust it. */
static MAP sentinel = { .l = &sentinel, .r = &sentinel };

/* Empty maps are the sentinel and NULL by turns. */
static int emptied;

static MAP *subtree (CON *const *con, int count, MAP *parent)
{
  int root = count / 2;
  MAP *node;

  if (count == 0) return &sentinel;
  node = calloc (1, sizeof *node);
  if (!node) abort ();
  node->p = parent;
  node->key = (void *) (uintptr_t) con[root]->id;
  node->data = con[root];
  node->l = subtree (con, root, node);
  node->r = subtree (con + root + 1, count - root - 1, node);
  sentinel.p = node;
  return node;
}

static int by_id (const void *a, const void *b)
{
  const CON *one = *(CON *const *) a, *two = *(CON *const *) b;

  return one->id < two->id ? -1 : one->id > two->id;
}

MAP *map_of_constraints (CON **con, int count)
{
  if (count == 0) return (emptied = !emptied) ? &sentinel : NULL;
  qsort (con, (size_t) count, sizeof *con, by_id);
  return subtree (con, count, &sentinel);
}

void map_free (MAP *map)
{
  if (map == NULL || map == &sentinel) return;
  map_free (map->l);
  map_free (map->r);
  free (map);
}
