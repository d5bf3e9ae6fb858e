/* Fuzzing: any bytes mean a sequence of operations. They come in records of FUZZ_RECORD bytes. The first record chooses where the
 * sequence begins, each other one an operation: its first byte seeds the generator, of which come all values, the others are
 * the first choices (random.h), 0 the plainest. So records can be removed and bytes set to 0, which is how a sequence
 * that fails is made small.
 *
 * A file holds a record a line, in hexadecimal digits; missing bytes at the end are 0; # begins a comment. */
#pragma once

#include "support/random.h"

#define FUZZ_RECORD 16

/* What operations are; all of them check what comes out. */
typedef struct {
  const char *name;        /* the name of the program */
  RANDOM *random;          /* what chooses */
  void (*begin) (void);
  void (*operation) (void);
  void (*end) (void);
} FUZZ_TARGET;

/* NAME replay FILE ...                     runs files
 * NAME print FILE ...                      the same, and prints the action of each operation
 * NAME search SECONDS SEED OUT FILE ...    runs random sequences and changed files, each in a process of its own; the first that
 *                                          fails is made small, printed and written to OUT. SEED 0: of the clock
 * NAME shrink OUT FILE                     makes a file small that fails */
int fuzz_main (const FUZZ_TARGET *target, int count, char **arguments);
