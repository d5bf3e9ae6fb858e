/* Who holds what: for each body the rank that it is a parent on and further ranks that have a child of it, for each
 * constraint the rank that owns it; in the order of the domain's lists. */
#ifndef MPI_PARTITION_H
#define MPI_PARTITION_H

#include "support/host/host.h"

typedef enum {
  PARTITION_SLABS,       /* bodies in order, a constraint where its master is a parent */
  PARTITION_ONE_OWNER,   /* all constraints on the last rank, bodies on all */
  PARTITION_EVERYWHERE,  /* children of all bodies on all ranks, everything else at random */
  PARTITION_EMPTY_RANK,  /* neither constraints nor parents on the last rank, if there are several */
  PARTITION_RANDOM,      /* from here on: at random, a seed each */
} PARTITION_KIND;

typedef struct {
  int ranks, bodies, constraints;
  int *parent, *owner;
  char *child; /* of body b on rank r: [b * ranks + r] */
} PARTITION;

/* The same on every rank. */
PARTITION *partition_create (const HOST *whole, int ranks, int kind);
void partition_free (PARTITION *partition);

const char *partition_name (int kind);

/* The place of a body in the list of the whole domain. */
int partition_index (const HOST *whole, const BODY *wanted);

/* Zeroed memory for count items of a size, never NULL. */
void *partition_zeroed (int count, size_t size);

#endif
