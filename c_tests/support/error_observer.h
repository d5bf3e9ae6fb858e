/* Errors that the library raises while they are watched: kept, instead of ending the program. */
#pragma once

#include "support/host/host.h"

/* The last error, 0 and an empty text without one, and the number of errors, since errors are watched or were forgotten. */
typedef struct {
  int calls, code;
  char text[1024];
} WATCHED;

extern WATCHED watched;

/* From now on errors return; earlier errors are forgotten. */
void watch_errors (void);
void watch_no_errors (void);
void forget_errors (void);

/* Each forgets the errors of before and returns the code of its own, 0 for success. The row of a refused insertion is NULL. */
int watched_update (HOST *host);
int watched_insert (HOST *host, CON *con);
