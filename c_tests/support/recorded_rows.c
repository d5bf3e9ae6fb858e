#include "support/recorded_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void *zeroed (int count, size_t size)
{
  void *memory = calloc ((size_t) count + 1, size);

  if (!memory) abort ();
  return memory;
}

static DIAB *row_of (const SNAPSHOT *s, RECORDED_ROWS *legacy, const CON *con)
{
  for (int i = 0; i < s->rows; i ++) {
    if (s->row[i].con == con) return &legacy->row[i];
  }
  return NULL;
}

/* The values, or NaN where there are none. */
static void fill (double *to, const double *values, int count, int recorded)
{
  while (count --) to[count] = recorded ? values[count] : NAN;
}

static void fill_row (const SNAPSHOT *s, RECORDED_ROWS *legacy, int i)
{
  const SNAPSHOT_ROW *from = &s->row[i];
  DIAB *row = &legacy->row[i];
  OFFB *block = legacy->block[i] = zeroed (from->count, sizeof *block);

  row->con = from->con;
  row->R = from->con->R;
  row->U = from->con->U;
  row->V = from->con->V;
  row->p = i ? row - 1 : NULL;
  row->n = i + 1 < s->rows ? row + 1 : NULL;
  row->adj = from->count ? block : NULL;
  fill (row->V, from->V, 3, 1);
  fill (row->B, from->B, 3, 1);
  fill (row->W, from->W, 9, s->update != UPDATE_MINIMAL);
  fill (row->A, from->A, 9, s->update != UPDATE_MINIMAL);
  fill (&row->rho, &from->rho, 1, s->update == UPDATE_ALL);
  for (int k = 0; k < from->count; k ++, block ++) {
    block->dia = row_of (s, legacy, from->block[k].con);
    block->bod = from->block[k].body;
    block->n = k + 1 < from->count ? block + 1 : NULL;
    fill (block->W, from->block[k].W, 9, from->block[k].recorded);
  }
}

RECORDED_ROWS *recorded_rows (const SNAPSHOT *s)
{
  RECORDED_ROWS *legacy = zeroed (1, sizeof *legacy);

  legacy->ldy.dom = &s->host->dom;
  fill (&legacy->ldy.free_energy, &s->free_energy, 1, s->update != UPDATE_MINIMAL);
  legacy->row = zeroed (s->rows, sizeof *legacy->row);
  legacy->block = zeroed (s->rows, sizeof *legacy->block);
  for (int i = 0; i < s->rows; i ++) fill_row (s, legacy, i);
  legacy->ldy.dia = s->rows ? legacy->row : NULL;
  return legacy;
}

void recorded_rows_free (const SNAPSHOT *s, RECORDED_ROWS *legacy)
{
  for (int i = 0; i < s->rows; i ++) free (legacy->block[i]);
  free (legacy->block);
  free (legacy->row);
  free (legacy);
}
