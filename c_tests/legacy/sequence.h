/* Random sequences of insertions, removals, moves, replaced bodies and updates, checked after every operation against a simple
 * model and after every update against dense matrices; then the same sequence once more with other memory addresses, which
 * has to give the same bits. */
#pragma once

#include "support/scene.h"

#define SEQUENCE_BODIES 9

/* The bodies of a sequence. The first is an obstacle, the second and third are rigid, the seventh is pseudo-rigid. */
typedef struct {
  const char *name;
  int updates;           /* updates in a hundred operations; a fifth at most */
  int strips;            /* a body to be replaced mostly only loses its constraints */
  int self_contact_once; /* that option is changed now and then */
  int shadowed;          /* a shadow has to agree after every update */
  BODY *(*body) (HOST *host, RANDOM *random, int place);
  BODY *(*other_body) (HOST *host, RANDOM *random);
  void (*change_body) (BODY *body, RANDOM *random);
} POPULATION;

typedef struct sequence SEQUENCE;

/* Bodies without constraints. With padding, a seed, memory has other addresses and only the digest counts. */
SEQUENCE *sequence_begin (const POPULATION *population, RANDOM *random, uint64_t padding);
HOST *sequence_host (SEQUENCE *s);

/* A random operation, checked. */
void sequence_operation (SEQUENCE *s);

/* Inserts the rows that are missing. */
void sequence_complete (SEQUENCE *s);

/* Somebody else has removed the row of a constraint and inserted it again, for both bodies. */
void sequence_reinserted (SEQUENCE *s, CON *con);

/* Sets LDY_REUSE, which is 0 at first: with it updates are compared with fresh structures, and no values of rows are written. */
void sequence_set_reuse (SEQUENCE *s, int reuse);

/* After an update; the digest of all updates. */
uint64_t sequence_end (SEQUENCE *s);

/* The arguments are the number of operations and seeds, a sequence each. */
int sequence_main (const POPULATION *population, int argc, char **argv);
