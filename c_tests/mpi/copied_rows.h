/* The copied rows of a LOCDYN on all processes, with their external blocks, against W of the whole domain. */
#pragma once

#include "support/compare.h"

/* Collective, after an update of all rows. */
void copied_rows_compare (const LOCDYN *ldy, const DENSE_SYSTEM *system);
