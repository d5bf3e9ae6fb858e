/* locdyn_rows SCRATCH FILE.ldysnap ...: the rows of a LOCDYN as ldy_rows. SCRATCH is a file to write to. Recorded states are
 * assembled and copied; the copies and files of them are compared with the lists. Lists made by hand are another module's. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ldy_bridge.h"
#include "support/system_calls.h"
#include "support/check.h"
#include "support/failing_allocator.h"
#include "support/host/hooks.h"
#include "support/snapshot.h"

static const char *scratch;

static int place_of (const LOCDYN *ldy, const DIAB *wanted)
{
  const DIAB *dia;
  int place = 0;

  for (dia = ldy->dia; dia && dia != wanted; dia = dia->n) place ++;
  return dia ? place : -1;
}

static int length (const LOCDYN *ldy)
{
  int rows = 0;

  for (const DIAB *dia = ldy->dia; dia; dia = dia->n) rows ++;
  return rows;
}

/* W of the lists, size x size and column-major. */
static double *dense (const LOCDYN *ldy, int size)
{
  double *W = calloc ((size_t) size * size + 1, sizeof *W);
  const DIAB *dia;
  int row, column;

  if (!W) abort ();
  for (row = 0, dia = ldy->dia; dia; dia = dia->n, row += 3) {
    for (int i = 0; i < 3; i ++) for (int j = 0; j < 3; j ++) W[size * (row + j) + row + i] += dia->W[3 * j + i];
    for (const OFFB *off = dia->adj; off; off = off->n) {
      column = 3 * place_of (ldy, off->dia);
      for (int i = 0; i < 3; i ++) for (int j = 0; j < 3; j ++) W[size * (column + j) + row + i] += off->W[3 * j + i];
    }
  }
  return W;
}

static int is_pair (const LOCDYN *ldy, const DIAB *dia, int column)
{
  const OFFB *off;

  for (off = dia->adj; off && place_of (ldy, off->dia) != column; off = off->n) continue;
  return off || place_of (ldy, dia) == column;
}

/* The rows have the values of the lists, to the bit. */
static void expect_rows (const LOCDYN *ldy, const ldy_rows *rows, const double *W)
{
  int count = length (ldy), size = 3 * count, row, k, column;
  const DIAB *dia;
  double block[9];

  CHECK_INT (rows->rows, count);
  CHECK_INT (rows->scalars, size);
  CHECK (!rows->scalar_starts && !rows->value_starts && !rows->diagonal_starts);
  CHECK_INT (rows->starts[0], 0);
  CHECK_INT (rows->starts[count], rows->blocks);
  for (row = 0, dia = ldy->dia; dia; dia = dia->n, row ++) {
    CHECK_SAME_BITS (&rows->B[3 * row], dia->B, sizeof dia->B);
    CHECK_SAME_BITS (&rows->V[3 * row], dia->V, 3 * sizeof *dia->V);
    CHECK_SAME_BITS (&rows->diagonal[9 * row], dia->W, sizeof dia->W);
    CHECK_SAME_BITS (&rows->inverse[9 * row], dia->A, sizeof dia->A);
    CHECK_INT (rows->constraints[row], dia->con->id);
    for (column = 0, k = rows->starts[row]; column < count; column ++) {
      if (!is_pair (ldy, dia, column)) continue;
      if (!CHECK (k < rows->starts[row + 1] && rows->columns[k] == column)) return;
      for (int i = 0; i < 3; i ++) for (int j = 0; j < 3; j ++) block[3 * j + i] = W[size * (3 * column + j) + 3 * row + i];
      CHECK_SAME_BITS (&rows->values[9 * k], block, sizeof block);
      k ++;
    }
    CHECK_INT (k, rows->starts[row + 1]);
  }
}

static void expect_symmetric (const double *W, int size)
{
  for (int i = 0; i < size; i ++) for (int j = 0; j < i; j ++) CHECK_SAME_BITS (&W[size * i + j], &W[size * j + i], sizeof *W);
}

static double largest (const double *x, int count)
{
  double result = 0;

  for (int i = 0; i < count; i ++) result = fmax (result, fabs (x[i]));
  return result;
}

static void arm (int until, int persistent)
{
  failing.until = until;
  failing.persistent = persistent;
  failing.failed = 0;
  failing.armed = 1;
}

/* A product needs no memory. */
static void expect_products (const ldy_rows *rows)
{
  double *x = calloc (2 * rows->scalars + 1, sizeof *x);

  arm (1, 1);
  CHECK_INT (ldy_rows_multiply (rows, x, 0, x + rows->scalars, 0, rows->scalars, 1), 0);
  failing.armed = 0;
  CHECK_INT (failing.failed, 0);
  free (x);
}

/* W of a file in MatrixMarket coordinates, of two entries at one place the sum. */
static double *read_market (int size)
{
  double *W = calloc ((size_t) size * size + 1, sizeof *W), value;
  FILE *file = fopen (scratch, "r");
  int rows, columns, entries, i, j;

  if (!W || !file) abort ();
  CHECK_INT (fscanf (file, "%%%%MatrixMarket matrix coordinate real general %d %d %d", &rows, &columns, &entries), 3);
  CHECK (rows == size && columns == size);
  for (; fscanf (file, "%d %d %lf", &i, &j, &value) == 3; entries --) {
    if (CHECK (0 < i && i <= size && 0 < j && j <= size)) W[size * (j - 1) + i - 1] += value;
  }
  CHECK_INT (entries, 0);
  fclose (file);
  remove (scratch);
  return W;
}

/* Files of the copies have the numbers of LOCDYN_W_MatrixMarket. */
static void expect_files (LOCDYN *ldy, const ldy_rows *rows, const double *W)
{
  int size = 3 * rows->rows;
  double *theirs, *ours;

#if defined (MPI) && MPI
  return; /* where that function is not */
#endif
  LOCDYN_W_MatrixMarket (ldy, scratch);
  theirs = read_market (size);
  arm (1, 1);
  CHECK_INT (ldy_rows_write (rows, scratch, LDY_FILE_FORMAT_NPZ), 0);
  CHECK_INT (ldy_rows_write (rows, scratch, LDY_FILE_FORMAT_MATRIX_MARKET), 0);
  failing.armed = 0;
  CHECK_INT (failing.failed, 0);
  ours = read_market (size);
  for (int i = 0; i < size * size; i ++) {
    CHECK_NEAR (ours[i], theirs[i], 1e-14 * fabs (theirs[i]) + 1e-15 * largest (W, size * size));
  }
  free (theirs);
  free (ours);
}

/* All of a LOCDYN that the host can see, and what belongs to its constraints. */
static double *bytes_of (const LOCDYN *ldy, size_t *size)
{
  char *bytes = NULL;
  size_t end = 0;

#define KEEP(thing) do { \
    bytes = realloc (bytes, end + sizeof (thing)); \
    if (!bytes) abort (); \
    memcpy (bytes + end, &(thing), sizeof (thing)); \
    end += sizeof (thing); \
  } while (0)
  KEEP (*ldy);
  for (const DIAB *dia = ldy->dia; dia; dia = dia->n) {
    KEEP (*dia);
    KEEP (*dia->con);
    for (const OFFB *off = dia->adj; off; off = off->n) KEEP (*off);
  }
  *size = end;
  return (double *) (void *) bytes;
}

static void expect_same (const LOCDYN *ldy, double *before, size_t size)
{
  size_t now_size;
  double *now = bytes_of (ldy, &now_size);

  CHECK_INT (now_size, size);
  CHECK_SAME_BITS (now, before, size);
  free (now);
  free (before);
}

/* Each allocation fails in turn; then the copies are there, and made again without any. */
static void copy_with_failures (ldy_locdyn_rows *copies, const LOCDYN *ldy, ldy_rows *rows)
{
  int code = 1;

  for (int until = 1; code; until ++) {
    arm (until, 0);
    code = ldy_locdyn_rows_copy (copies, ldy, rows);
    failing.armed = 0;
    CHECK_INT (code, failing.failed ? 1 : 0);
    if (code) {
      CHECK_TEXT (ldy_last_error (), "no memory");
      CHECK_INT (ldy_locdyn_rows_reactions (copies, ldy, NULL, 0), 52);
    }
  }
  arm (1, 1);
  CHECK_INT (ldy_locdyn_rows_copy (copies, ldy, rows), 0);
  failing.armed = 0;
  CHECK_INT (failing.failed, 0);
}

static void test_state (const char *path)
{
  ldy_locdyn_rows *copies = NULL;
  ldy_rows rows = { .size = sizeof rows };
  char error[256];
  SNAPSHOT *snapshot = snapshot_read (path, error, sizeof error);
  double *W, *before;
  size_t size;
  LOCDYN *ldy, *clone;

  check_context ("%s", path);
  if (!CHECK (snapshot != NULL)) return;
  GEOMETRIC_EPSILON = snapshot->geometric_epsilon;
  ldy = snapshot->host->dom.ldy = LOCDYN_Create (&snapshot->host->dom);
  CHECK (snapshot_insert (snapshot));
  LOCDYN_Update_Begin (ldy);
  int is_whole = snapshot->update == UPDATE_ALL;
  CHECK_INT (ldy_locdyn_rows_create (&copies), 0);
  before = bytes_of (ldy, &size);
  copy_with_failures (copies, ldy, &rows);
  expect_same (ldy, before, size);
  W = dense (ldy, 3 * rows.rows);
  expect_rows (ldy, &rows, W);
  expect_products (&rows);
  expect_files (ldy, &rows, W);
  if (is_whole) expect_symmetric (W, 3 * rows.rows);
  free (W);

  clone = LOCDYN_Clone_Non_Contacts (ldy);
  CHECK_INT (ldy_locdyn_rows_copy (copies, clone, &rows), 0);
  W = dense (clone, 3 * rows.rows);
  expect_rows (clone, &rows, W);
  free (W);
  LOCDYN_Destroy (clone);
  ldy_locdyn_rows_destroy (copies);
  LOCDYN_Destroy (ldy);
  snapshot_free (snapshot);
}

/* ---- lists that change, are damaged, or another module's */

#define ROWS 4

/* Rows on a line, each with blocks to the rows beside it. */
typedef struct {
  LOCDYN ldy;
  CON con[ROWS];
  DIAB dia[ROWS];
  OFFB off[ROWS][3];
} FOREIGN;

static void foreign (FOREIGN *f)
{
  memset (f, 0, sizeof *f);
  f->ldy.dia = &f->dia[0];
  for (int i = 0; i < ROWS; i ++) {
    DIAB *dia = &f->dia[i];
    f->con[i].id = 10u + (unsigned) i;
    f->con[i].kind = CONTACT;
    dia->con = &f->con[i];
    dia->R = f->con[i].R;
    dia->U = f->con[i].U;
    dia->V = f->con[i].V;
    dia->n = i + 1 < ROWS ? &f->dia[i + 1] : NULL;
    dia->p = i ? &f->dia[i - 1] : NULL;
    for (int j = 0; j < 9; j ++) dia->W[j] = 1 + i + 0.1 * j;
    for (int j = 0; j < 3; j ++) f->con[i].V[j] = dia->B[j] = i - 0.5 * j;
    /* One block to the next row, two to the row before. */
    for (int k = 0; k < 3; k ++) {
      OFFB *off = &f->off[i][k];
      int to = k ? i - 1 : i + 1;
      if (to < 0 || to >= ROWS) continue;
      off->dia = &f->dia[to];
      for (int j = 0; j < 9; j ++) off->W[j] = 0.3 * i - j * k + 7;
      off->n = dia->adj;
      dia->adj = off;
    }
  }
}

static void refused (ldy_locdyn_rows *copies, const LOCDYN *ldy, const char *text)
{
  ldy_rows rows = { .size = sizeof rows };

  CHECK_INT (ldy_locdyn_rows_copy (copies, ldy, &rows), 52);
  CHECK_TEXT (ldy_last_error (), text);
  CHECK_INT (ldy_locdyn_rows_reactions (copies, ldy, NULL, 0), 52);
}

/* Puts `value` into *place, expects the text, puts back what was there. */
#define DAMAGE(ldy, place, value, text) do { \
    void *kept = (place); \
    check_context ("%s = %s", #place, #value); \
    (place) = (value); \
    refused (copies, (ldy), (text)); \
    (place) = kept; \
    CHECK_INT (ldy_locdyn_rows_copy (copies, (ldy), &rows), 0); \
  } while (0)

static void test_external (ldy_locdyn_rows *copies, FOREIGN *f)
{
  ldy_external_blocks external = { .size = sizeof external };
  ldy_rows rows = { .size = sizeof rows };

  check_context ("blocks to external constraints");
  CHECK_INT (ldy_locdyn_rows_external (copies, &external), 0);
  CHECK (external.rows == ROWS && external.blocks == 0 && external.starts[ROWS] == 0);
#if defined (MPI) && MPI
  CON con[2] = { { .id = 7 }, { .id = 3 } };
  OFFB off[3] = { { .dia = (DIAB *) &con[0], .n = &off[1] }, { .dia = (DIAB *) &con[1], .n = &off[2] }, { .dia = (DIAB *) &con[0] } };

  for (int j = 0; j < 9; j ++) off[0].W[j] = j, off[1].W[j] = 10 + j, off[2].W[j] = 0.5;
  f->dia[2].adjext = &off[0];
  DAMAGE (&f->ldy, off[2].n, &off[0], "constraint 12 (CONTACT) without bodies: its external blocks form a ring");
  DAMAGE (&f->ldy, off[1].dia, NULL, "constraint 12 (CONTACT) without bodies: an external block has no constraint");
  CHECK_INT (rows.external, 2);
  CHECK_INT (ldy_locdyn_rows_external (copies, &external), 0);
  CHECK (external.blocks == 2 && external.starts[2] == 0 && external.starts[3] == 2 && external.starts[4] == 2);
  CHECK (external.constraints[0] == 3 && external.constraints[1] == 7);
  for (int j = 0; j < 9; j ++) CHECK (external.values[j] == 10 + j && external.values[9 + j] == j + 0.5);
  f->dia[2].adjext = NULL;
  CHECK_INT (ldy_locdyn_rows_copy (copies, &f->ldy, &rows), 0);
#else
  (void) f;
  (void) rows;
#endif
}

static void test_foreign (void)
{
  static FOREIGN f, other;
  ldy_locdyn_rows *copies = NULL;
  ldy_rows rows = { .size = sizeof rows };
  double *W, R[3 * ROWS], got[3 * ROWS];

  check_context ("another module's");
  foreign (&f);
  foreign (&other);
  CHECK_INT (ldy_locdyn_rows_create (&copies), 0);
  CHECK_INT (ldy_locdyn_rows_copy (copies, &f.ldy, &rows), 0);
  W = dense (&f.ldy, 3 * ROWS);
  expect_rows (&f.ldy, &rows, W);
  CHECK (W[3] != W[3 * ROWS * 3]); /* not symmetric */
  free (W);
  DAMAGE (&f.ldy, f.off[1][0].dia, &other.dia[2], "constraint 11 (CONTACT) without bodies: a block leads to no row of the list");
  DAMAGE (&f.ldy, f.off[1][0].dia, &f.dia[1], "constraint 11 (CONTACT) without bodies: a block leads to its own row");
  DAMAGE (&f.ldy, f.off[2][0].n, &f.off[2][2], "constraint 12 (CONTACT) without bodies: its blocks form a ring");
  DAMAGE (&f.ldy, f.dia[3].n, &f.dia[1], "constraint 11 (CONTACT) without bodies: comes twice in the list");
  DAMAGE (&f.ldy, f.dia[2].con, NULL, "row 2 of the list: con, V or R is NULL");
  DAMAGE (&f.ldy, f.dia[2].V, NULL, "row 2 of the list: con, V or R is NULL");
  DAMAGE (&f.ldy, f.dia[2].R, NULL, "row 2 of the list: con, V or R is NULL");

  test_external (copies, &f);

  check_context ("reactions");
  for (int i = 0; i < 3 * ROWS; i ++) R[i] = i - 2.5;
  CHECK_INT (ldy_locdyn_rows_set_reactions (copies, &f.ldy, R, 3 * ROWS), 0);
  for (int i = 0; i < 3 * ROWS; i ++) CHECK (f.con[i / 3].R[i % 3] == R[i]);
  CHECK_INT (ldy_locdyn_rows_reactions (copies, &f.ldy, got, 3 * ROWS), 0);
  CHECK_SAME_BITS (got, R, sizeof R);
  CHECK_INT (ldy_locdyn_rows_reactions (copies, &f.ldy, got, 3 * ROWS - 3), 52);
  CHECK_TEXT (ldy_last_error (), "R: 9 values where 12 are needed");
  CHECK_INT (ldy_locdyn_rows_reactions (copies, &other.ldy, got, 3 * ROWS), 52);
  R[0] = 77;
  CHECK_INT (ldy_locdyn_rows_set_reactions (copies, &other.ldy, R, 3 * ROWS), 52);
  R[7] = NAN;
  CHECK_INT (ldy_locdyn_rows_set_reactions (copies, &f.ldy, R, 3 * ROWS), 52);
  CHECK_TEXT (ldy_last_error (), "constraint 12 (CONTACT) without bodies: its reaction R is not finite");
  R[7] = 0;
  f.dia[2].n = NULL;
  CHECK_INT (ldy_locdyn_rows_set_reactions (copies, &f.ldy, R, 3 * ROWS), 52);
  CHECK_TEXT (ldy_last_error (), "the rows of ldy are not those that were copied");
  f.dia[3].n = NULL;
  f.dia[2].n = &f.dia[3];
  CHECK (f.con[0].R[0] == -2.5 && other.con[0].R[0] == 0);

  check_context ("arguments");
  CHECK_INT (ldy_locdyn_rows_create (NULL), 52);
  CHECK_INT (ldy_locdyn_rows_copy (NULL, &f.ldy, &rows), 52);
  CHECK_INT (ldy_locdyn_rows_copy (copies, NULL, &rows), 52);
  CHECK_TEXT (ldy_last_error (), "ldy is NULL");
  CHECK_INT (ldy_locdyn_rows_copy (copies, &f.ldy, NULL), 52);
  rows.size = 0;
  CHECK_INT (ldy_locdyn_rows_copy (copies, &f.ldy, &rows), 52);
  CHECK_INT (ldy_locdyn_rows_reactions (NULL, &f.ldy, got, 3 * ROWS), 52);
  CHECK_INT (ldy_locdyn_rows_reactions (copies, NULL, got, 3 * ROWS), 52);
  CHECK_INT (ldy_locdyn_rows_reactions (copies, &f.ldy, NULL, 3 * ROWS), 52);
  CHECK_INT (ldy_locdyn_rows_set_reactions (NULL, &f.ldy, R, 3 * ROWS), 52);
  CHECK_INT (ldy_locdyn_rows_set_reactions (copies, NULL, R, 3 * ROWS), 52);
  CHECK_INT (ldy_locdyn_rows_reactions (copies, &f.ldy, got, 3 * ROWS), 0);
  f.ldy.dia = NULL;
  rows.size = sizeof rows;
  CHECK_INT (ldy_locdyn_rows_copy (copies, &f.ldy, &rows), 0);
  CHECK_INT (rows.rows, 0);
  CHECK_INT (ldy_locdyn_rows_reactions (copies, &f.ldy, NULL, 0), 0);
  ldy_locdyn_rows_destroy (copies);
  ldy_locdyn_rows_destroy (NULL);
}

/* Rows of this library, with links that a host has written, and rows that have come and gone. */
static void test_own (const char *path)
{
  ldy_locdyn_rows *copies = NULL;
  ldy_rows rows = { .size = sizeof rows };
  char error[256];
  SNAPSHOT *snapshot = snapshot_read (path, error, sizeof error);
  double *R;
  DIAB *row, stranger;

  check_context ("%s", path);
  if (!CHECK (snapshot != NULL)) return;
  LOCDYN *ldy = snapshot->host->dom.ldy = LOCDYN_Create (&snapshot->host->dom);
  CHECK (snapshot_insert (snapshot));
  LOCDYN_Update_Begin (ldy);
  CHECK_INT (ldy_locdyn_rows_create (&copies), 0);
  CHECK_INT (ldy_locdyn_rows_copy (copies, ldy, &rows), 0);
  row = ldy->dia->n;
  stranger = *row;
  DAMAGE (ldy, row->n, (DIAB *) 16, "row 2 of the list: no live row");
  DAMAGE (ldy, row->n, NULL, "leads to no row of the list");
  DAMAGE (ldy, ldy->dia, &stranger, "row 0 of the list: no live row");
  DAMAGE (ldy, ldy->dia, row, "leads to no row of the list");
  DAMAGE (ldy, ldy->dia, NULL, "rows are missing from the list");
  DAMAGE (ldy, row->V, NULL, "row 1 of the list: no live row, or not linked to its constraint");
  DAMAGE (ldy, row->con, row->n->con, "row 1 of the list: no live row, or not linked to its constraint");
  DAMAGE (ldy, row->adj, (OFFB *) 24, "a link leads to none of its blocks");
  DAMAGE (ldy, row->adj, ldy->dia->adj, "a link leads to none of its blocks");
  DAMAGE (ldy, row->adj, NULL, "blocks from the rows");
  DAMAGE (ldy, row->adj->n, row->adj, "its blocks form a ring");
  DAMAGE (ldy, row->adj->dia, &stranger, "a block leads to no row of the list");

  check_context ("%s, rows that go", path);
  size_t count = 3 * (size_t) rows.rows;
  R = calloc (count, sizeof *R);
  CHECK_INT (ldy_locdyn_rows_reactions (copies, ldy, R, count), 0);
  row->R = R;
  CHECK_INT (ldy_locdyn_rows_set_reactions (copies, ldy, R, count), 52);
  row->R = row->con->R;
  CHECK_INT (ldy_locdyn_rows_set_reactions (copies, ldy, R, count), 0);
  CON *gone = row->con;
  host_remove (snapshot->host, gone);
  CHECK_INT (ldy_locdyn_rows_set_reactions (copies, ldy, R, count), 52);
  CHECK_TEXT (ldy_last_error (), "the rows of ldy are not those that were copied");
  CHECK_INT (ldy_locdyn_rows_copy (copies, ldy, &rows), 0);
  CHECK_INT (3 * rows.rows, count - 3);
  free (R);
  ldy_locdyn_rows_destroy (copies);
  LOCDYN_Destroy (ldy);
  snapshot_free (snapshot);
}

int main (int argc, char **argv)
{
  int code;
  ldy_locdyn_rows *copies;

  if (argc < 3) return 2;
  scratch = argv[1];
  for (int i = 2; i < argc; i ++) test_state (argv[i]);
  test_own (argv[2]);
  test_foreign ();
  check_context (NULL);
  for (int until = 1; until < 3; until ++) {
    copies = NULL;
    arm (until, 0);
    code = ldy_locdyn_rows_create (&copies);
    failing.armed = 0;
    CHECK_INT (code, failing.failed ? 1 : 0);
    CHECK ((copies == NULL) == (failing.failed > 0));
    ldy_locdyn_rows_destroy (copies);
  }
  return check_summary ("locdyn_rows");
}
