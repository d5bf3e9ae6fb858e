/* Random sequences of insertions, removals, moves, replaced bodies and updates, checked after every operation against a simple
 * model and after every update against dense matrices; then the same sequence once more with other memory addresses, which
 * has to give the same bits. */
#ifndef SEQUENCE_H
#define SEQUENCE_H

#include "scene.h"

#define SEQUENCE_BODIES 9

/* The bodies of a sequence. The first is an obstacle, the second and third are rigid, the seventh is pseudo-rigid. */
typedef struct {
  const char *name;
  int updates;           /* in a hundred operations, 20 at most */
  int strips;            /* a body to be replaced mostly only loses its constraints */
  int self_contact_once; /* that option is changed now and then */
  int shadowed;          /* a shadow has to agree after every update */
  BODY *(*body) (HOST *host, RANDOM *random, int place);
  BODY *(*other_body) (HOST *host, RANDOM *random);
  void (*change_body) (BODY *body, RANDOM *random);
} POPULATION;

/* The arguments are the number of operations and seeds, a sequence each. */
int sequence_main (const POPULATION *population, int argc, char **argv);

#endif
