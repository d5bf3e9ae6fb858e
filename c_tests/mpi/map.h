/* Maps as the host keeps them: sets whose elements have keys, with a sentinel of their own. */
#ifndef MPI_MAP_H
#define MPI_MAP_H

#include "ldy_host.h"

/* The map from the constraints' ids, cast to pointers, to the constraints; an empty one is NULL or a sentinel. Sorts
 * con. */
MAP *map_of_constraints (CON **con, int count);

void map_free (MAP *map);

#endif
