/* Calls in which one field of everything that an update or an insertion reads is spoiled for the time of the call. A refused call
 * leaves no trace: with the field restored the next update gives the bits of a fresh structure. Where the call is accepted, it
 * has computed what a fresh structure computes of the same field. */
#pragma once

#include "support/scene.h"

/* Gives the arrays of all bodies room, so that a wrong size leads nowhere but to zeros. */
void trial_enlarge (HOST *host);

/* One such call, checked, with errors watched (error_observer.h): an update, or an insertion of a constraint that has a row. All
 * constraints have rows, and `reuse` is 1 if LDY_REUSE is set. Returns the constraint that was removed and inserted
 * again, NULL if none was; the name of the field, for messages. */
CON *trial (HOST *host, RANDOM *random, int reuse, const char **name);
