#include "support/list_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

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
  for (int i = 0; i < model->count; i ++) {
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

/* ---- which constraints of a body interact */

static int share_a_node (const ELEMENT *one, const ELEMENT *two)
{
  for (int i = 0; i < one->type; i ++) {
    for (int j = 0; j < two->type; j ++) {
      if (one->nodes[i] == two->nodes[j]) return 1;
    }
  }
  return 0;
}

static int convices_touch (const CONVEX *one, const CONVEX *two)
{
  for (int i = 0; i < one->nele; i ++) {
    for (int j = 0; j < two->nele; j ++) {
      if (one->ele[i] == two->ele[j] || share_a_node (one->ele[i], two->ele[j])) return 1;
    }
  }
  return 0;
}

/* The node of the element closer to the point than the tolerance in every coordinate, or -1. */
static int node_at (const MESH *mesh, const ELEMENT *element, const double *point)
{
  const double *node;

  for (int i = 0; i < element->type; i ++) {
    node = mesh->ref_nodes + 3 * element->nodes[i];
    if (fmax (fabs (point[0] - node[0]), fmax (fabs (point[1] - node[1]), fabs (point[2] - node[2]))) < 1e-6) {
      return element->nodes[i];
    }
  }
  return -1;
}

static int interact (const CON *one, const CON *two, const BODY *body)
{
  const CON *con[2] = { one, two };
  const SGP *pair[2];
  const double *point[2];
  int node[2];

  if (body->kind != FEM || body->scheme != SCH_DEF_EXP) return 1;
  for (int i = 0; i < 2; i ++) {
    pair[i] = con[i]->master == body ? con[i]->msgp : con[i]->ssgp;
    point[i] = con[i]->master == body ? con[i]->mpnt : con[i]->spnt;
  }
  if (body->msh) return convices_touch (pair[0]->gobj, pair[1]->gobj);
  for (int i = 0; i < 2; i ++) node[i] = node_at (body->shape->data, pair[i]->gobj, point[i]);
  if (node[0] >= 0 && node[1] >= 0 && node[0] != node[1]) return 0;
  return share_a_node (pair[0]->gobj, pair[1]->gobj);
}

/* One block each way for every constraint of the set that has a row. */
static void couple (MODEL *model, CON *con, BODY *body, MODEL_SET set)
{
  MODEL_ROW *other;

  if (!body || (con->kind == CONTACT && body->kind == OBS)) return;
  for (int i = 0; i < set.count; i ++) {
    other = set.con[i] == con ? NULL : model_row (model, set.con[i]);
    if (!other || !interact (con, set.con[i], body)) continue;
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
  int kept = 0;

  for (int i = 0; i < row->count; i ++) {
    if (row->block[i].con != con) row->block[kept ++] = row->block[i];
  }
  row->count = kept;
}

void model_remove (MODEL *model, const CON *con)
{
  MODEL_ROW *row = model_row (model, con);

  free (row->block);
  model->count --;
  memmove (row, row + 1, (size_t) (model->row + model->count - row) * sizeof *row);
  for (int i = 0; i < model->count; i ++) drop_blocks (&model->row[i], con);
}

void model_free (MODEL *model)
{
  for (int i = 0; i < model->count; i ++) free (model->row[i].block);
  free (model->row);
  memset (model, 0, sizeof *model);
}

static void check_blocks (const MODEL *model, MODEL_ROW *row)
{
  const OFFB *block = row->row->adj;
  MODEL_BLOCK *want;

  for (int i = 0; i < row->count; i ++, block = block->n) {
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
  ldy_report report = { .size = sizeof report };

  for (int i = 0; i < model->count; i ++, last = dia, dia = dia->n) {
    if (!CHECK (dia != NULL)) return;
    CHECK_POINTER (dia, model->row[i].row);
    CHECK_POINTER (dia->con, model->row[i].con);
    CHECK_POINTER (dia->p, last);
    check_blocks (model, &model->row[i]);
  }
  CHECK (dia == NULL);
  if (!CHECK (ldy_is_consistent (ldy, &report))) fprintf (stderr, "  %s\n", report.text);
}
