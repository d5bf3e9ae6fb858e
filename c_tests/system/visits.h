/* Visits to a system of random calls that has results. Answers about its rows, of any height, are compared with dense sums
 * over their blocks. Constraints of one to six rows and joints are inserted, checked and removed again. Allocations fail now and
 * then. */
#pragma once

#include "support/random.h"
#include "system/model.h"

/* Factors, ranks, forces, products and compressed rows of the last update. Nothing changes. */
void visit_results (const MODEL *model, RANDOM *random);

/* Points and angular velocities of the world, in referential frames and back. Nothing changes. */
void visit_world (const MODEL *model, RANDOM *random);

/* Tags, reactions and velocities of many. Only what no results depend on changes. */
void visit_kept (const MODEL *model, RANDOM *random);

/* Other constraints and a regularization, updates, and their end: another update is needed then. */
void visit_rows (MODEL *model, RANDOM *random);

/* Joints by axes, updates while their bodies turn, and their end: another update is needed then. */
void visit_joints (MODEL *model, RANDOM *random);
