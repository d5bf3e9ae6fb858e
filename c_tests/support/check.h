/* Checks of the test programs: a failed one is printed with file and line and counted, the program goes on. */
#pragma once

#include <stddef.h>

#define CHECK(condition) check_true ((condition) ? 1 : 0, #condition, __FILE__, __LINE__)
#define CHECK_INT(got, want) check_int ((long) (got), (long) (want), #got, __FILE__, __LINE__)
#define CHECK_POINTER(got, want) check_pointer ((got), (want), #got, __FILE__, __LINE__)
#define CHECK_NEAR(got, want, tolerance) check_near ((got), (want), (tolerance), #got, __FILE__, __LINE__)
#define CHECK_TEXT(text, part) check_text ((text), (part), __FILE__, __LINE__)
#define CHECK_SAME_BITS(one, two, size) check_same_bits ((one), (two), (size), #one, __FILE__, __LINE__)

/* Each returns 1 if the check held. */
int check_true (int holds, const char *what, const char *file, int line);
int check_int (long got, long want, const char *what, const char *file, int line);
int check_pointer (const void *got, const void *want, const char *what, const char *file, int line);

/* |got - want| <= tolerance; a NaN fails. */
int check_near (double got, double want, double tolerance, const char *what, const char *file, int line);

/* `part` occurs in `text`; NULL text fails. */
int check_text (const char *text, const char *part, const char *file, int line);
int check_same_bits (const void *one, const void *two, size_t size, const char *what, const char *file, int line);

/* Words printed with each failure until changed, e.g. the case being run; NULL: none. */
void check_context (const char *format, ...);

const char *check_context_words (void);

long check_failures (void);

/* Prints `NAME: N checks, M failed`; returns the exit code of the program. */
int check_summary (const char *name);
