/* Rows as a textbook links them; see textbook_rows.c. */
#ifndef TEXTBOOK_ROWS_H
#define TEXTBOOK_ROWS_H

#include "ldy_host.h"

typedef struct textbook_rows TEXTBOOK_ROWS;

/* No rows yet; NULL if memory is exhausted. */
TEXTBOOK_ROWS *textbook_rows_create (void);

/* What LOCDYN_Insert does where all constraints on a body interact: a row at the head of the list, and a block with each constraint
 * that has a row (con->dia) in the sets of con's bodies, at the heads of both rows. NULL if memory is exhausted. */
DIAB *textbook_rows_insert (TEXTBOOK_ROWS *rows, CON *con);

/* The head of the list. */
DIAB *textbook_rows_first (const TEXTBOOK_ROWS *rows);

/* Forget all rows, and keep their memory. */
void textbook_rows_clear (TEXTBOOK_ROWS *rows);

void textbook_rows_destroy (TEXTBOOK_ROWS *rows);

#endif
