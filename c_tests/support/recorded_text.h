/* Texts of the original program against texts of this library: numbers may differ in the last digit printed, in the sign of
 * zero, and where they are what is left after others have cancelled. */
#pragma once

#include "ldy_host.h"

typedef struct {
  long numbers, different; /* compared; not the same to the last digit */
  double error;            /* the largest difference of these over the size of what they are part of */
} TEXT_DEVIATION;

/* `ldy` was dumped; it has the sizes of V, B and W. */
void recorded_dump_compare (const LOCDYN *ldy, const char *recorded, const char *text, TEXT_DEVIATION *deviation);

/* Blocks may come in any order within a row, after the diagonal one. */
void recorded_matrix_compare (const LOCDYN *ldy, const char *recorded, const char *text, TEXT_DEVIATION *deviation);
