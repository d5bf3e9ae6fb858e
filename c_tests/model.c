#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

static void *grown (void *array, int count, int *room, size_t size)
{
  if (count < *room) return array;
  *room = 2 * *room + 8;
  array = realloc (array, (size_t) *room * size);
  if (!array) abort ();
  return array;
}

MODEL_ROW *model_row (const MODEL *model, const CON *con)
{
  int i;

  for (i = 0; i < model->count; i ++) {
    if (model->row[i].con == con) return &model->row[i];
  }
  return NULL;
}

static void put_block (MODEL_ROW *row, CON *con, BODY *body)
{
  MODEL_BLOCK block = { con, body, NULL };

  row->block = grown (row->block, row->count, &row->room, sizeof *row->block);
  memmove (row->block + 1, row->block, (size_t) row->count * sizeof *row->block);
  row->block[0] = block;
  row->count ++;
}

/* One block each way for every constraint of the set that has a row. */
static void couple (MODEL *model, CON *con, BODY *body, MODEL_SET set)
{
  MODEL_ROW *other;
  int i;

  if (!body || (con->kind == CONTACT && body->kind == OBS)) return;
  for (i = 0; i < set.count; i ++) {
    other = set.con[i] == con ? NULL : model_row (model, set.con[i]);
    if (!other) continue;
    put_block (other, con, body);
    put_block (model_row (model, con), set.con[i], body);
  }
}

void model_insert (MODEL *model, CON *con, DIAB *row, BODY *one, MODEL_SET one_set, BODY *two, MODEL_SET two_set)
{
  MODEL_ROW fresh = { con, row, 0, 0, NULL };

  model->row = grown (model->row, model->count, &model->room, sizeof *model->row);
  memmove (model->row + 1, model->row, (size_t) model->count * sizeof *model->row);
  model->row[0] = fresh;
  model->count ++;
  couple (model, con, one, one_set);
  couple (model, con, two, two_set);
}

static void drop_blocks (MODEL_ROW *row, const CON *con)
{
  int kept = 0, i;

  for (i = 0; i < row->count; i ++) {
    if (row->block[i].con != con) row->block[kept ++] = row->block[i];
  }
  row->count = kept;
}

void model_remove (MODEL *model, const CON *con)
{
  MODEL_ROW *row = model_row (model, con);
  int i;

  free (row->block);
  model->count --;
  memmove (row, row + 1, (size_t) (model->row + model->count - row) * sizeof *row);
  for (i = 0; i < model->count; i ++) drop_blocks (&model->row[i], con);
}

void model_free (MODEL *model)
{
  int i;

  for (i = 0; i < model->count; i ++) free (model->row[i].block);
  free (model->row);
  memset (model, 0, sizeof *model);
}

static void check_blocks (const MODEL *model, MODEL_ROW *row)
{
  const OFFB *block = row->row->adj;
  MODEL_BLOCK *want;
  int i;

  for (i = 0; i < row->count; i ++, block = block->n) {
    want = &row->block[i];
    if (!CHECK (block != NULL)) return;
    if (!want->block) want->block = block;
    CHECK_POINTER (block, want->block);
    CHECK_POINTER (block->dia, model_row (model, want->con)->row);
    CHECK_POINTER (block->bod, want->body);
  }
  CHECK (block == NULL);
}

void model_check (MODEL *model, const LOCDYN *ldy)
{
  const DIAB *dia = ldy->dia, *last = NULL;
  ldy_report report;
  int i;

  for (i = 0; i < model->count; i ++, last = dia, dia = dia->n) {
    if (!CHECK (dia != NULL)) return;
    CHECK_POINTER (dia, model->row[i].row);
    CHECK_POINTER (dia->con, model->row[i].con);
    CHECK_POINTER (dia->p, last);
    check_blocks (model, &model->row[i]);
  }
  CHECK (dia == NULL);
  if (!CHECK (ldy_is_consistent (ldy, &report))) fprintf (stderr, "  %s\n", report.text);
}
