/* The rows of a recorded state as a legacy module would have them, with the recorded values. */
#pragma once

#include "support/snapshot.h"

typedef struct {
  LOCDYN ldy;
  DIAB *row;
  OFFB **block; /* the blocks of each row */
} RECORDED_ROWS;

/* V of the constraints is written too. Values that the recorded update leaves alone are NaN. */
RECORDED_ROWS *recorded_rows (const SNAPSHOT *snapshot);
void recorded_rows_free (const SNAPSHOT *snapshot, RECORDED_ROWS *legacy);
