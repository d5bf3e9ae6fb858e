/* Maps as the host keeps them: sets whose elements have keys, with a sentinel of their own. */
#ifndef MPI_MAP_H
#define MPI_MAP_H

#include "ldy_host.h"

/* The map from the constraints' ids, cast to pointers, to the constraints; NULL if count is 0. Sorts con. */
MAP *map_of_constraints (CON **con, int count);

void map_free (MAP *map);

#endif
