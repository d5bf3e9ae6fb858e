/* What one rank holds of a domain that is split: a host of its own with parents, children and dummies, its own
 * constraints, and copies of others'.
 *
 * Bodies share their arrays with the whole domain's; children have no velocities, dummies nothing at all but their id. */
#ifndef MPI_PART_H
#define MPI_PART_H

#include "partition.h"

typedef struct {
  HOST *host;   /* the domain's list of bodies has the parents, its list of constraints the own ones */
  int rank, bodies, constraints;
  BODY **body;  /* in the order of the whole domain */
  CON **con;    /* likewise; NULL: not here */
} PART;

PART *part_create (const HOST *whole, const PARTITION *partition, int rank);

/* Frees everything; dom.ldy is the caller's. */
void part_free (PART *part);

/* A constraint of the whole domain appears here, the index-th, as its own or a copy, and in the sets of its bodies; a row
 * is the caller's. NULL if it does not touch what is here. */
CON *part_add_constraint (PART *part, const HOST *whole, const CON *con, int index, int owner);

/* It is gone: out of sets, maps and list, and freed. */
void part_drop_constraint (PART *part, int index);

/* Rebuilds the maps, after constraints have come or gone. */
void part_map (PART *part);

#endif
