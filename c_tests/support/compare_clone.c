#include "support/compare_clone.h"

#include <string.h>

#include "support/check.h"
#include "support/dense.h"

/* The constraint that a block leads to: in a list of external blocks `dia` is the constraint itself. */
static const CON *neighbour (const OFFB *block, int external)
{
  return external ? (const CON *) (const void *) block->dia : block->dia->con;
}

static void compare_block (const OFFB *source, const OFFB *copy, int external)
{
  CHECK (copy != source);
  CHECK (external || copy->dia != source->dia); /* a row of the clone */
  CHECK_POINTER (neighbour (copy, external), neighbour (source, external));
  CHECK_POINTER (copy->bod, source->bod);
  CHECK_SAME_BITS (copy->W, source->W, sizeof copy->W);
}

/* Compares the blocks of the source from this one on, last one first, with the copy's blocks. Returns the copy's next block. */
static const OFFB *compare_reversed (const OFFB *source, const OFFB *copy, int external)
{
  while (source && neighbour (source, external)->kind == CONTACT) source = source->n;
  if (!source) return copy;
  copy = compare_reversed (source->n, copy, external);
  if (!CHECK (copy != NULL)) return NULL;
  compare_block (source, copy, external);
  return copy->n;
}

static void add_contacts (const OFFB *block, int external, double *B)
{
  const double *R, *W;

  for (; block; block = block->n) {
    if (neighbour (block, external)->kind != CONTACT) continue;
    R = neighbour (block, external)->R;
    W = block->W;
    for (int i = 0; i < 3; i ++) B[i] += W[i] * R[0] + W[3 + i] * R[1] + W[6 + i] * R[2];
  }
}

void compare_clone_row (const DIAB *source, const DIAB *copy)
{
  double B[3];

  CHECK (copy != source);
  CHECK_POINTER (copy->con, source->con);
  CHECK_POINTER (copy->R, source->R);
  CHECK_POINTER (copy->U, source->U);
  CHECK_POINTER (copy->V, source->V);
  CHECK_SAME_BITS (copy->W, source->W, sizeof copy->W);
  CHECK_SAME_BITS (copy->A, source->A, sizeof copy->A);
  CHECK_SAME_BITS (&copy->rho, &source->rho, sizeof copy->rho);
  CHECK (!copy->mH && !copy->mprod && !copy->sH && !copy->sprod);
  memcpy (B, source->B, sizeof B);
  CHECK_POINTER (compare_reversed (source->adj, copy->adj, 0), NULL);
  add_contacts (source->adj, 0, B);
#ifdef MPI
  CHECK_POINTER (compare_reversed (source->adjext, copy->adjext, 1), NULL);
  add_contacts (source->adjext, 1, B);
#endif
  CHECK_SAME_BITS (copy->B, B, sizeof B);
  CHECK (!dense_has_negative_zero (3, copy->B));
}
