/* Numbers that look random and are the same everywhere: of a seed, or choices that somebody else has made. */
#pragma once

#include <stdint.h>

typedef struct {
  uint64_t state;
} RANDOM;

uint64_t random_bits (RANDOM *random);

/* 0 <= value < limit */
int random_below (RANDOM *random, int limit);

/* -1 <= value < 1 */
double random_value (RANDOM *random);

/* From now on random_below of this generator takes a byte of these for each choice, until there are none; of any other it
 * does not. NULL: no generator has choices. */
void random_choices (const RANDOM *random, const unsigned char *bytes, int count);
