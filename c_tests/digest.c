#include "digest.h"

#include <stddef.h>

static uint64_t digest (uint64_t sum, const void *memory, size_t size)
{
  const unsigned char *byte = memory;

  while (size --) sum = (sum ^ *byte ++) * UINT64_C (1099511628211);
  return sum;
}

uint64_t digest_rows (uint64_t sum, const LOCDYN *ldy)
{
  const DIAB *dia;
  const OFFB *block;

  sum = digest (sum, &ldy->free_energy, sizeof ldy->free_energy);
  for (dia = ldy->dia; dia; dia = dia->n) {
    sum = digest (sum, &dia->con->id, sizeof dia->con->id);
    sum = digest (sum, dia->V, 3 * sizeof (double));
    sum = digest (sum, dia->W, sizeof dia->W);
    sum = digest (sum, dia->A, sizeof dia->A);
    sum = digest (sum, dia->B, sizeof dia->B);
    sum = digest (sum, &dia->rho, sizeof dia->rho);
    for (block = dia->adj; block; block = block->n) {
      sum = digest (sum, &block->dia->con->id, sizeof block->dia->con->id);
      sum = digest (sum, block->W, sizeof block->W);
    }
  }
  return sum;
}
