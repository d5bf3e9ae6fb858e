/* A simple model of the rows and blocks: plain arrays, every operation a loop over all of them. */
#pragma once

#include "ldy_host.h"

typedef struct {
  CON *con;          /* the neighbor */
  BODY *body;        /* the shared body */
  const OFFB *block; /* where the block was first seen; NULL: not yet */
} MODEL_BLOCK;

typedef struct {
  CON *con;
  DIAB *row;
  int count, room;
  MODEL_BLOCK *block;
} MODEL_ROW;

typedef struct {
  int count, room;
  MODEL_ROW *row; /* in list order */
} MODEL;

/* The constraints of a body in the order of its set; `count` of them. */
typedef struct {
  CON *const *con;
  int count;
} MODEL_SET;

/* A row that was inserted for the bodies `one` and `two` (either NULL), whose sets are given. */
void model_insert (MODEL *model, CON *con, DIAB *row, BODY *one, MODEL_SET one_set, BODY *two, MODEL_SET two_set);
void model_remove (MODEL *model, const CON *con);
void model_free (MODEL *model);

MODEL_ROW *model_row (const MODEL *model, const CON *con);

/* Checks the whole list of rows and all lists of blocks: order, links both ways, addresses as they were;
 * and that ldy_is_consistent finds nothing wrong. */
void model_check (MODEL *model, const LOCDYN *ldy);
