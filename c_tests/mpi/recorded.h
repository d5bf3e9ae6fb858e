/* The rows of a recorded state that a rank owns. */
#ifndef MPI_RECORDED_H
#define MPI_RECORDED_H

#include "part.h"
#include "support/snapshot.h"

/* dom.ldy with these rows, in the order of the record. */
LOCDYN *recorded_insert (const SNAPSHOT *snapshot, const PART *part);

#endif
