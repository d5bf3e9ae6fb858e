/* What an update makes of a domain in a structure without a past: new rows of the same constraints, compared bit by bit. */
#pragma once

#include "support/error_observer.h"

/* All values of all rows, with the constraints and bodies that they belong to. */
typedef struct values VALUES;

VALUES *values_of (const LOCDYN *ldy);
void values_free (VALUES *values);

typedef enum {
  FRESH_MADE,       /* the values are there */
  FRESH_UNINSERTED, /* an insertion was refused */
  FRESH_REFUSED     /* the update was refused */
} FRESH;

/* The values of one update in a new structure over the same domain, its rows inserted in the same order; `dom.ldy` and all
 * constraints stay as they are. `code` gets the code of the refusal, 0 if there is none. */
FRESH fresh_values (HOST *host, VALUES **values, int *code);

/* Checks the values of rows after an update of this kind against a fresh structure: the same bits, or within rounding where a
 * matrix is factored, as the way to such blocks depends on earlier updates. Rows are the same; a block that the fresh
 * structure lacks has to be zero, unless nodes of an explicit body decide. With `loose` what a factored matrix makes is not
 * compared. Returns 1 if all agree; the first difference is printed. */
int values_compare (const VALUES *got, const VALUES *fresh, UPDATE_KIND update, int loose);

/* Checks that an update of this kind wrote only finite numbers; returns 1 if so. */
int check_finite (const VALUES *values, UPDATE_KIND update);

/* Checks that an update of this kind has left alone what it does not make; returns 1 if so. */
int check_left_alone (const VALUES *before, const VALUES *after, UPDATE_KIND update);

/* The kind of the next update, from the host's solver. */
UPDATE_KIND update_kind_of (const HOST *host);

/* Checks that the rows of the host, just updated, have the values of a fresh structure; returns 1 if they do. */
int check_fresh (HOST *host);
