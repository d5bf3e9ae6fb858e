/* The expected answers of a shadow. During each check all guarded memory is locked. */
#pragma once

#include "ldy_host.h"

/* ldy_shadow_check, with what is guarded locked. */
int shadow_check (ldy_shadow *shadow, const ldy_tolerance *tolerance, ldy_report *report);

/* The shadow differs, and names this constraint, the neighbor and the body of a block (NULL: none), and something in
 * its text; the report. */
ldy_report shadow_finds (ldy_shadow *shadow, const CON *con, const CON *neighbour, const BODY *body, const char *what);
