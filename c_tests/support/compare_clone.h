/* A row of a clone against the row that it is a copy of. */
#pragma once

#include "support/host/host.h"

/* Every value to the bit. Blocks to contacts count in B, in the order of the source's list, its own blocks first; the
 * clone has the others in reverse order, own and external ones alike. */
void compare_clone_row (const DIAB *source, const DIAB *copy);
