/* Reader of recorded states, `.ldysnap`: a text file of one call of LOCDYN_Update_Begin, inputs and results.
 *
 * The format, one record a line, blanks between words, N followed by N values:
 *
 *   ldysnap 1
 *   source TEXT
 *   step H
 *   time T
 *   update all|penalty|minimal
 *   geometric_epsilon EPS
 *   bodies NB, then for each body
 *     body INDEX id ID kind KIND form F scheme S dofs D separate_mesh 0|1
 *     center X Y Z
 *     conf N ...                  velo N ...
 *     inverse MATRIX              evec MATRIX
 *     mesh NODES ELEMENTS, then `node` (referential, current) and `element TYPE N0 N1 ...` lines
 *     constraints_of_body N C0 C1 ...
 *   constraints NC, then for each constraint
 *     constraint INDEX id ID kind KIND state BITS master BODY slave BODY|-1
 *     point, base, mpnt, spnt, Z, R, U
 *     master_elements N E0 ...    slave_elements N E0 ...
 *   expected_rows NR, then for each row
 *     row CONSTRAINT adjacent N
 *     V, B, W, A, rho (minimal: V and B only; penalty: no rho)
 *     adj CONSTRAINT BODY [9 values], N lines; no values where the update leaves the block alone
 *   free_energy E                 (not with minimal)
 *   end
 *
 * MATRIX: `none`; `dense FLAGS M N` and a line x; `bd FLAGS M BLOCKS NZMAX` or `csc FLAGS M N NZMAX` and the lines p, i, x.
 */
#pragma once

#include <stddef.h>

#include "support/host/host.h"

typedef struct {
  CON *con;      /* the neighbor */
  BODY *body;    /* the shared body */
  int recorded;  /* 0: the update leaves this block alone */
  double W[9];
} SNAPSHOT_BLOCK;

typedef struct {
  CON *con;
  double V[3], B[3], W[9], A[9], rho;
  int count;
  SNAPSHOT_BLOCK *block;
} SNAPSHOT_ROW;

typedef struct {
  HOST *host; /* step, update kind, bodies and constraints of the file, no row inserted yet */
  UPDATE_KIND update;
  double geometric_epsilon, free_energy;
  int bodies, constraints, rows;
  BODY **body;
  CON **con;
  SNAPSHOT_ROW *row;
} SNAPSHOT;

/* NULL if the file cannot be read; then `error` says where and why: `FILE:LINE: what`. */
SNAPSHOT *snapshot_read (const char *path, char *error, size_t size);

/* Frees everything, the host and its bodies and constraints included; the LOCDYN is the caller's. */
void snapshot_free (SNAPSHOT *snapshot);

/* Inserts the rows from last to first, so that the list comes out as recorded; 0 if one cannot be inserted. */
int snapshot_insert (SNAPSHOT *snapshot);
