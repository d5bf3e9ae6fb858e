#include "support/text_model.h"

#include <stdlib.h>
#include <string.h>

/* ---- dump */

typedef struct {
  const CON *con; /* the first of those that are one */
  double W[9];
} NEIGHBOUR;

static void numbers (FILE *file, const char *open, const double *x, int count, const char *close)
{
  fputs (open, file);
  for (int i = 0; i < count; i ++) fprintf (file, "%s%.6g", i ? ", " : "", x[i]);
  fputs (close, file);
}

static const char *kind_name (int kind)
{
  switch (kind) {
  case CONTACT: return "CONTACT";
  case FIXPNT: return "FIXPNT";
  case FIXDIR: return "FIXDIR";
  case VELODIR: return "VELODIR";
  case VELODIR3: return "VELODIR3";
  case RIGLNK: return "RIGLNK";
  default: return "SPRING";
  }
}

static void label (FILE *file, const CON *con)
{
  fputs (kind_name (con->kind), file);
  numbers (file, " (", con->point, 3, ")");
  fprintf (file, " (%d, %d)", (int) con->master->id, con->slave ? (int) con->slave->id : -1);
  numbers (file, " [", con->base, 9, "]");
}

/* The keys of a neighbor, all of which a double holds exactly. */
static void keys (const CON *con, double *key)
{
  int master = (int) con->master->id, slave = con->slave ? (int) con->slave->id : -1;

  memcpy (key, con->point, 3 * sizeof (double));
  key[3] = master < slave ? master : slave;
  key[4] = master < slave ? slave : master;
  key[5] = con->kind;
  memcpy (key + 6, con->base + 6, 3 * sizeof (double));
}

static int compare (const CON *one, const CON *two)
{
  double a[9], b[9];

  keys (one, a);
  keys (two, b);
  for (int i = 0; i < 9; i ++) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

/* Adds a block to its neighbor, which goes to its place if it is new; returns the number of neighbors. */
static int add (NEIGHBOUR *neighbour, int count, const OFFB *block)
{
  const CON *con = block->dia->con;
  int at = 0;

  while (at < count && compare (neighbour[at].con, con) < 0) at ++;
  if (at < count && compare (neighbour[at].con, con) == 0) {
    for (int i = 0; i < 9; i ++) neighbour[at].W[i] += block->W[i];
    return count;
  }
  memmove (neighbour + at + 1, neighbour + at, (size_t) (count - at) * sizeof *neighbour);
  neighbour[at].con = con;
  memcpy (neighbour[at].W, block->W, sizeof block->W);
  return count + 1;
}

static void dump_neighbours (const DIAB *dia, FILE *file)
{
  NEIGHBOUR *neighbour;
  const OFFB *block;
  int count = 0;

  for (block = dia->adj; block; block = block->n) count ++;
  neighbour = calloc ((size_t) count + 1, sizeof *neighbour);
  if (!neighbour) abort ();
  for (count = 0, block = dia->adj; block; block = block->n) count = add (neighbour, count, block);
  for (int i = 0; i < count; i ++) {
    fputs (" => ", file);
    label (file, neighbour[i].con);
    numbers (file, " [", neighbour[i].W, 9, "]");
  }
  free (neighbour);
}

void text_model_dump (const LOCDYN *ldy, FILE *file)
{
  for (const DIAB *dia = ldy->dia; dia; dia = dia->n) {
    label (file, dia->con);
    numbers (file, " [", dia->W, 9, "]");
    numbers (file, " (", dia->B, 3, ")");
    numbers (file, " (", dia->con->V, 3, ")");
    numbers (file, " (", dia->con->U, 3, ")");
    numbers (file, " (", dia->con->R, 3, ")");
    dump_neighbours (dia, file);
    fputc ('\n', file);
  }
}

/* ---- MatrixMarket */

static int place_of (const LOCDYN *ldy, const DIAB *wanted)
{
  const DIAB *dia = ldy->dia;
  int place = 0;

  for (; dia != wanted; dia = dia->n) place ++;
  return place;
}

static void entries (FILE *file, int row, int column, const double *W)
{
  for (int i = 0; i < 3; i ++) {
    for (int j = 0; j < 3; j ++) fprintf (file, "%d  %d  %.15g\n", 3 * row + i + 1, 3 * column + j + 1, W[3 * j + i]);
  }
}

void text_model_matrix_market (const LOCDYN *ldy, FILE *file)
{
  int rows = 0, blocks = 0, row = 0;

  for (const DIAB *dia = ldy->dia; dia; dia = dia->n, rows ++) {
    for (const OFFB *block = dia->adj; block; block = block->n) blocks ++;
  }
  fprintf (file, "%%%%MatrixMarket matrix coordinate real general\n%d  %d  %d\n", 3 * rows, 3 * rows, 9 * (rows + blocks));
  for (const DIAB *dia = ldy->dia; dia; dia = dia->n, row ++) {
    entries (file, row, row, dia->W);
    for (const OFFB *block = dia->adj; block; block = block->n) entries (file, row, place_of (ldy, block->dia), block->W);
  }
}

/* ---- files */

char *text_read (const char *path, size_t *size)
{
  FILE *file = fopen (path, "rb");

  if (!file) return NULL;
  fseek (file, 0, SEEK_END);
  long length = ftell (file);
  rewind (file);
  char *text = calloc ((size_t) length + 1, 1);
  if (!text) abort ();
  *size = fread (text, 1, (size_t) length, file);
  fclose (file);
  return text;
}
