/* How far an assembled state is from the recorded one.
 *
 * W, A and rho count relative to their own size, V and B to the speeds that enter them, a block to the sizes of the two
 * diagonal blocks, the energy to its terms before anything cancels. The tolerance is 1e-12; where a body gives its matrix A
 * and not its inverse, W and what follows from it is determined up to the rounding of A only: there it is the larger of that
 * and the rounding unit times the condition of A. */
#pragma once

#include "support/snapshot.h"

enum { QUANTITY_V, QUANTITY_B, QUANTITY_W, QUANTITY_A, QUANTITY_RHO, QUANTITY_BLOCK, QUANTITY_ENERGY, QUANTITIES };

extern const char *const deviation_names[QUANTITIES];

typedef struct {
  double error[QUANTITIES]; /* the largest of each; -1: none was compared */
  double condition;         /* the largest of the matrices A, in the 1-norm; 0: there is none */
  int failed;               /* how often a tolerance or a rule was broken */
  char why[256];            /* the first time */
} DEVIATION;

void deviation_begin (DEVIATION *deviation);
void deviation_fail (DEVIATION *deviation, const char *format, ...);

/* Fills all that an update may have to leave alone with marks; returns a copy of the rows, for the caller to free. */
DIAB *deviation_mark (LOCDYN *ldy, int rows);

/* Compares the list of rows, every value, what was to be left alone (`before` from deviation_mark; NULL: not looked at)
 * that partners are transposes to the bit, and that no zero is -0. Blocks may come in any order within a row. */
void deviation_measure (DEVIATION *deviation, const SNAPSHOT *snapshot, const LOCDYN *ldy, const DIAB *before);

/* ---- parts of that, for the rows of one process of several */

/* The tolerance of each recorded row, for the caller to free; fills in the condition. */
double *deviation_tolerances (DEVIATION *deviation, const SNAPSHOT *snapshot);

/* A row without its blocks; constraints may be copies of the snapshot's. */
void deviation_row (DEVIATION *deviation, const SNAPSHOT *snapshot, const DIAB *dia, const DIAB *before,
                    const SNAPSHOT_ROW *row, double tolerance);

/* A block to `con`, against the first one recorded that is not taken: its place in the row, -1 if there is none. */
int deviation_block (DEVIATION *deviation, const SNAPSHOT *snapshot, const SNAPSHOT_ROW *row, const char *taken,
                     const CON *con, const OFFB *block, int marked, double tolerance);

void deviation_energy (DEVIATION *deviation, const SNAPSHOT *snapshot, double energy, const double *tolerance);
void deviation_energy_untouched (DEVIATION *deviation, const LOCDYN *ldy);
