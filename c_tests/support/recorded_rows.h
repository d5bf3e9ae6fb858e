/* The rows of a recorded state as those of a legacy module, with the recorded values. */
#pragma once

#include "support/snapshot.h"

typedef struct {
  LOCDYN ldy;
  DIAB *row;
  OFFB **block; /* of each row */
} RECORDED_ROWS;

/* V of the constraints is written too. What the recorded update leaves alone is NaN. */
RECORDED_ROWS *recorded_rows (const SNAPSHOT *snapshot);
void recorded_rows_free (const SNAPSHOT *snapshot, RECORDED_ROWS *legacy);
