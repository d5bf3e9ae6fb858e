/* Made-up scenes: random bodies and constraints. */
#pragma once

#include "support/host/host.h"
#include "support/random.h"

/* A rotation matrix; a symmetric positive definite n x n matrix of a condition number of some hundreds at most. */
void random_rotation (RANDOM *random, double *rotation);
void random_definite (RANDOM *random, int n, double *a);

typedef enum {
  INVERSE_BLOCKS,      /* of three rows; on a pseudo-rigid body three times one, then a multiple of the identity */
  INVERSE_ODD_BLOCKS,  /* of three rows, each another one */
  INVERSE_LARGE_BLOCK, /* six rows on a rigid body, nine and three on a pseudo-rigid one */
  INVERSE_DENSE,
  INVERSE_DIAGONAL,    /* in compressed columns */
  INVERSE_SPARSE,      /* likewise, with entries off the diagonal */
  INVERSE_FORMS
} INVERSE_FORM;

/* A body with random configuration, velocities and inverse of the given form. */
BODY *scene_body (HOST *host, RANDOM *random, int kind, INVERSE_FORM form);
void scene_randomise_body (BODY *body, RANDOM *random, INVERSE_FORM form);

/* A constraint with random points and frame. */
CON *scene_constraint (HOST *host, RANDOM *random, int kind, BODY *master, BODY *slave);
void scene_randomise_constraint (CON *con, RANDOM *random);

/* Eight bodies of every kind and inverse and a dozen constraints of every kind, self-contact, doubly shared bodies and an
 * obstacle included; nothing is inserted. */
HOST *scene_mixed (uint64_t seed);

/* dom.ldy = LOCDYN_Create, then all constraints inserted in the domain's order. */
LOCDYN *scene_insert_all (HOST *host);

/* Removes all rows, destroys dom.ldy and the host. */
void scene_destroy (HOST *host);
