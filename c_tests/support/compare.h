/* Comparison of an updated LOCDYN with dense matrices H, A^-1 and W = h H A^-1 H' of every body. */
#pragma once

#include "support/host/host.h"

/* A body, the constraints that act on its inertia, and what they make of it. */
typedef struct {
  const BODY *body;
  int size, count; /* columns of H; constraints */
  const CON **con;
  double *H, *W;   /* 3 count x size, 3 count x 3 count */
} DENSE_BODY;

typedef struct {
  const DOM *dom;
  int constraints, bodies;
  const CON **con;
  DENSE_BODY *body;
  double *V, *B, *speed; /* 3 a constraint; the scale of its V and B */
  double tolerance;      /* how far W may be from this one, as A of the worst condition allows */
} DENSE_SYSTEM;

DENSE_SYSTEM *dense_system (const DOM *dom);
void dense_system_free (DENSE_SYSTEM *system);

/* h H_a A^-1 H_b' through one body alone, and summed over all. */
void dense_block (const DENSE_SYSTEM *system, const CON *a, const CON *b, const BODY *body, double *block);
void dense_global_block (const DENSE_SYSTEM *system, const CON *a, const CON *b, double *block);

/* Sets how far V, B and, for bodies with well-conditioned matrices, W may be from the dense values, relative to their size. The
 * default is 1e-12. */
void compare_to (double tolerance);

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
 * against the dense matrices, what it has to leave alone against the marks; partners transposed to the bit; zeros. */
void compare_update (const LOCDYN *ldy, UPDATE_KIND update, const MARKS *marks);

/* Checks that an update of the given kind has written no -0. */
void compare_zeros (const LOCDYN *ldy, UPDATE_KIND update);

/* Sets the library's option that self-contact is stored once, and what the comparison expects of blocks. */
void compare_self_contact_once (int once);

/* The same in one go: marks, update, comparison. */
void update_and_compare (HOST *host, UPDATE_KIND update);
