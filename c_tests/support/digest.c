#include "support/digest.h"

uint64_t digest_bytes (uint64_t sum, const void *memory, size_t size)
{
  const unsigned char *byte = memory;

  while (size --) sum = (sum ^ *byte ++) * UINT64_C (1099511628211);
  return sum;
}

uint64_t digest_rows (uint64_t sum, const LOCDYN *ldy)
{
  sum = digest_bytes (sum, &ldy->free_energy, sizeof ldy->free_energy);
  for (const DIAB *dia = ldy->dia; dia; dia = dia->n) {
    sum = digest_bytes (sum, &dia->con->id, sizeof dia->con->id);
    sum = digest_bytes (sum, dia->V, 3 * sizeof (double));
    sum = digest_bytes (sum, dia->W, sizeof dia->W);
    sum = digest_bytes (sum, dia->A, sizeof dia->A);
    sum = digest_bytes (sum, dia->B, sizeof dia->B);
    sum = digest_bytes (sum, &dia->rho, sizeof dia->rho);
    for (const OFFB *block = dia->adj; block; block = block->n) {
      sum = digest_bytes (sum, &block->dia->con->id, sizeof block->dia->con->id);
      sum = digest_bytes (sum, block->W, sizeof block->W);
    }
  }
  return sum;
}
