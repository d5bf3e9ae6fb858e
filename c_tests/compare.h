/* Comparison of an updated LOCDYN with global dense matrices H, A^-1 and W = h H A^-1 H'. Of finite-element bodies only H
 * for velocities is there, and so V and B. */
#ifndef COMPARE_H
#define COMPARE_H

#include "host/host.h"

typedef struct {
  const DOM *dom;
  int constraints, bodies, size;  /* size: all generalised velocities together */
  const CON **con;
  const BODY **body;
  int *first;                     /* where each body's velocities begin; first[bodies] = size */
  double *H, *inverse, *W;        /* 3c x size, size x size, 3c x 3c */
  double *V, *B, *speed;          /* 3 a constraint; the scale of its V and B */
} DENSE_SYSTEM;

DENSE_SYSTEM *dense_system (const DOM *dom);
void dense_system_free (DENSE_SYSTEM *system);

/* h H_a A^-1 H_b' through one body alone, and the block of the global W. */
void dense_block (const DENSE_SYSTEM *system, const CON *a, const CON *b, const BODY *body, double *block);
void dense_global_block (const DENSE_SYSTEM *system, const CON *a, const CON *b, double *block);

/* Copy of all values an update may write, and marks put in their place. */
typedef struct {
  int rows, blocks;
  DIAB *row;
  OFFB *block;
  double free_energy;
} MARKS;

MARKS *marks_put (LOCDYN *ldy);
void marks_free (MARKS *marks);

/* Checks every value of every row after an update of the given kind that followed marks_put: what it has to write
 * against the dense matrices, what it has to leave alone against the marks; partners transposed to the bit. */
void compare_update (const LOCDYN *ldy, UPDATE_KIND update, const MARKS *marks);

/* The same in one go: marks, update, comparison. */
void update_and_compare (HOST *host, UPDATE_KIND update);

#endif
