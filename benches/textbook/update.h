/* The update as a textbook has it; see textbook.c. */
#ifndef TEXTBOOK_H
#define TEXTBOOK_H

#include "ldy_host.h"

/* What LOCDYN_Update_Begin does for a host that wants everything, on the same lists: V, B, W, A, rho, free_energy.
 * Returns 0, or 1 if a diagonal block cannot be inverted or has no eigenvalues. */
int textbook_update (LOCDYN *ldy);

/* Release the factors that updates keep. */
void textbook_release (DOM *dom);

#endif
