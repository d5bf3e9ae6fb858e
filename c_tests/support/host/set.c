#include "set.h"

#include <stdlib.h>

/* Its p is arbitrary: here it points to the node that was made last, to catch readers that trust it. */
static SET sentinel = { NULL, &sentinel, &sentinel, 0, NULL };

static int none (const SET *set)
{
  return set == NULL || set == &sentinel;
}

static int root_of (int count, SET_FORM form)
{
  switch (form) {
  case SET_LEFT_CHAIN: return count - 1;
  case SET_RIGHT_CHAIN: return 0;
  default: return count / 2;
  }
}

static SET *subtree (void *const *items, int count, SET_FORM form, SET *parent)
{
  int root = root_of (count, form);
  SET *node;

  if (count == 0) return &sentinel;
  node = malloc (sizeof *node);
  if (!node) abort ();
  node->p = parent;
  node->data = items[root];
  node->colour = 0;
  node->l = subtree (items, root, form, node);
  node->r = subtree (items + root + 1, count - root - 1, form, node);
  sentinel.p = node;
  return node;
}

SET *host_set_build (void *const *items, int count, SET_FORM form)
{
  return count ? subtree (items, count, form, &sentinel) : NULL;
}

SET *host_set_emptied (void)
{
  return &sentinel;
}

void host_set_free (SET *set)
{
  if (none (set)) return;
  host_set_free (set->l);
  host_set_free (set->r);
  free (set);
}

int host_set_size (const SET *set)
{
  return none (set) ? 0 : host_set_size (set->l) + 1 + host_set_size (set->r);
}

int host_set_items (const SET *set, void **items)
{
  if (none (set)) return 0;
  int count = host_set_items (set->l, items);
  items[count ++] = set->data;
  return count + host_set_items (set->r, items + count);
}
