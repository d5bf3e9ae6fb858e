/* rows_products SCRATCH: products and files of rows that are given, of any heights, against dense matrices put together here.
 * SCRATCH is a file to write to. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "system/face.h"

#define ROWS 40
#define SCALARS (6 * ROWS)
#define COLUMNS 5

static RANDOM rng;
static const char *scratch;

typedef struct {
  ldy_rows rows;
  int starts[ROWS + 1], columns[ROWS * ROWS], scalar_starts[ROWS + 1];
  size_t value_starts[ROWS * ROWS + 1];
  double values[36 * ROWS * ROWS], W[SCALARS * SCALARS]; /* W: size x size, column-major */
  int size;
} GIVEN;

/* Rows of three, or of one to six scalars; the pattern has all diagonal blocks, and W is not symmetric. */
static void give (GIVEN *g, int rows, int of_three)
{
  int row, column, m, n, i, j, count = 0;
  double *next = g->values;

  memset (g, 0, sizeof *g);
  for (row = 0; row < rows; row ++) g->scalar_starts[row + 1] = g->scalar_starts[row] + (of_three ? 3 : 1 + random_below (&rng, 6));
  g->size = g->scalar_starts[rows];
  for (row = 0; row < rows; row ++) {
    m = g->scalar_starts[row + 1] - g->scalar_starts[row];
    for (column = 0; column < rows; column ++) {
      if (column != row && random_below (&rng, 4)) continue;
      n = g->scalar_starts[column + 1] - g->scalar_starts[column];
      for (j = 0; j < n; j ++) {
        for (i = 0; i < m; i ++) {
          g->W[g->size * (g->scalar_starts[column] + j) + g->scalar_starts[row] + i] = *next ++ = random_value (&rng);
        }
      }
      g->columns[count ++] = column;
      g->value_starts[count] = (size_t) (next - g->values);
    }
    g->starts[row + 1] = count;
  }
  g->rows = (ldy_rows) { .size = sizeof g->rows, .rows = rows, .blocks = count, .starts = g->starts, .columns = g->columns,
    .values = g->values };
  if (!of_three) {
    g->rows.scalar_starts = g->scalar_starts;
    g->rows.value_starts = g->value_starts;
  }
}

static void expect_products (const GIVEN *g)
{
  static double x[COLUMNS * (SCALARS + 3)], y[COLUMNS * (SCALARS + 3)], alone[SCALARS];
  size_t n = (size_t) g->size, x_stride = n + 2, y_stride = n + 1, j;
  double sum;

  for (size_t i = 0; i < COLUMNS * (SCALARS + 3); i ++) x[i] = random_value (&rng), y[i] = -77;
  GOOD (ldy_rows_multiply_columns (&g->rows, COLUMNS, x, x_stride, y, y_stride, n));
  for (size_t c = 0; c < COLUMNS; c ++) {
    for (size_t i = 0; i < n; i ++) {
      for (sum = 0, j = 0; j < n; j ++) sum += g->W[n * j + i] * x[x_stride * c + j];
      CHECK_NEAR (y[y_stride * c + i], sum, 1e-13);
    }
    CHECK (y[y_stride * c + n] == -77);
    GOOD (ldy_rows_multiply (&g->rows, x + x_stride * c, alone, n));
    CHECK_SAME_BITS (alone, y + y_stride * c, n * sizeof *alone);
  }
}

static char *read_back (size_t *size)
{
  FILE *file = fopen (scratch, "rb");
  char *text = NULL;

  *size = 0;
  if (!CHECK (file != NULL)) return NULL;
  text = calloc (1, 1 << 22);
  if (!text) abort ();
  *size = fread (text, 1, (1 << 22) - 1, file);
  fclose (file);
  remove (scratch);
  return text;
}

static void expect_market (const GIVEN *g)
{
  static double got[SCALARS * SCALARS];
  int rows, columns, entries, i, j, length;
  char *text, *at;
  double value;
  size_t size;

  GOOD (ldy_rows_write_matrix_market (&g->rows, scratch));
  at = text = read_back (&size);
  if (!text) return;
  memset (got, 0, sizeof got);
  CHECK (!strncmp (at, "%%MatrixMarket matrix coordinate real general\n", 46));
  CHECK_INT (sscanf (at + 46, "%d %d %d\n%n", &rows, &columns, &entries, &length), 3);
  CHECK (rows == g->size && columns == g->size);
  for (at += 46 + length; sscanf (at, "%d %d %lf\n%n", &i, &j, &value, &length) == 3; at += length, entries --) {
    if (!CHECK (0 < i && i <= rows && 0 < j && j <= rows)) break;
    got[g->size * (j - 1) + i - 1] += value;
  }
  CHECK (!*at && entries == 0);
  for (i = 0; i < g->size * g->size; i ++) CHECK_NEAR (got[i], g->W[i], 1e-14);
  free (text);
}

static void test_given (void)
{
  static GIVEN g;

  for (int k = 0; k < 6; k ++) {
    check_context ("rows that are given, %d", k);
    give (&g, k < 2 ? k * ROWS : 1 + random_below (&rng, ROWS), k % 2);
    expect_products (&g);
    expect_market (&g);
  }
}

/* Rows of a system are written as the system writes them, and multiplied as it does. */
static void test_system (int is_mixed)
{
  double point[3] = { 0.5, -1, 2 }, x[60], y[2][60];
  ldy_system *system = NULL;
  ldy_rows rows = { .size = sizeof rows };
  long long body[2], id;
  char *text[2];
  size_t size[2], n;

  check_context ("rows of a system, %d", is_mixed);
  GOOD (ldy_system_create (&system));
  for (int k = 0; k < 2; k ++) GOOD (ldy_system_add_rigid (system, 1 + k, unit, unit, origin, &body[k]));
  for (int k = 0; k < 7; k ++) {
    point[k % 3] += 0.25;
    GOOD (ldy_system_add_point_constraint (system, body[k % 2], k % 3 ? body[1 - k % 2] : LDY_GROUND, unit, point, origin, &id));
  }
  if (is_mixed) GOOD (ldy_system_add_dof_constraint (system, body[0], 2, 1, &id));
  GOOD (ldy_system_update (system, 0.1));
  GOOD (ldy_system_results (system, &rows));
  n = rows.scalars;
  for (size_t i = 0; i < n; i ++) x[i] = random_value (&rng);
  GOOD (ldy_system_multiply (system, x, y[0], n));
  GOOD (ldy_rows_multiply (&rows, x, y[1], n));
  if (!is_mixed) CHECK_SAME_BITS (y[0], y[1], n * sizeof *x);
  for (size_t i = 0; i < n; i ++) CHECK_NEAR (y[0][i], y[1][i], 1e-13);
  for (int k = 0; k < 2; k ++) {
    GOOD (k ? ldy_rows_write_npz (&rows, scratch) : ldy_system_write_npz (system, scratch));
    text[k] = read_back (&size[k]);
  }
  CHECK (size[0] > 300);
  CHECK_INT (size[0], size[1]);
  CHECK_SAME_BITS (text[0], text[1], size[0]);
  free (text[0]), free (text[1]);
  for (int k = 0; k < 2; k ++) {
    GOOD (k ? ldy_rows_write_matrix_market (&rows, scratch) : ldy_system_write_matrix_market (system, scratch));
    text[k] = read_back (&size[k]);
  }
  CHECK_INT (size[0], size[1]);
  CHECK_SAME_BITS (text[0], text[1], size[0]);
  free (text[0]), free (text[1]);
  ldy_system_destroy (system);
}

static int third (int size, int columns, double *x, void *data)
{
  for (int k = 0; k < size * columns; k ++) x[k] /= 3;
  return *(int *) data;
}

/* Several vectors at once give what each gives alone, and values between them stay. */
static void test_columns (void)
{
  enum { N = 6, X = N + 2, Y = N + 1, COUNT = 6 };
  static const double h[9] = { 1, 0, 2, 0, 3, 1, 4, 0, 1 };
  ldy_operator H = { 3, NULL, NULL, h, 9 };
  double x[COUNT * X], y[COUNT * Y], alone[N];
  ldy_system *system = NULL;
  long long body, id;
  int code = 0;

  check_context ("columns");
  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_add_solver (system, 3, third, &code, &body));
  for (int k = 0; k < 2; k ++) GOOD (ldy_system_add_operators (system, body, &H, LDY_GROUND, NULL, &id));
  for (int k = 0; k < COUNT * X; k ++) x[k] = random_value (&rng);
  BAD (ldy_system_multiply_columns (system, COUNT, x, X, y, Y, N), "no successful update");
  GOOD (ldy_system_update (system, 1));
  for (int through = 0; through < 2; through ++) {
    for (int k = 0; k < COUNT * Y; k ++) y[k] = -3;
    if (through) GOOD (ldy_system_multiply_columns_through_bodies (system, COUNT, x, X, y, Y, N));
    else GOOD (ldy_system_multiply_columns (system, COUNT, x, X, y, Y, N));
    for (int k = 0; k < COUNT; k ++) {
      if (through) GOOD (ldy_system_multiply_through_bodies (system, x + k * X, alone, N));
      else GOOD (ldy_system_multiply (system, x + k * X, alone, N));
      CHECK_SAME_BITS (y + k * Y, alone, sizeof alone);
      CHECK (y[k * Y + N] == -3);
    }
  }
  GOOD (ldy_system_multiply_columns (system, 0, NULL, X, NULL, Y, N));
  BAD (ldy_system_multiply_columns (system, 2, NULL, X, y, Y, N), "x is NULL");
  BAD (ldy_system_multiply_columns (system, 2, x, N - 1, y, Y, N), "5 values where 6 are needed");
  BAD (ldy_system_multiply_columns (system, 2, x, X, y, N - 1, N), "5 values where 6 are needed");
  BAD (ldy_system_multiply_columns_through_bodies (system, 2, x, X, y, Y, N - 3), "values where");
  BAD (ldy_system_multiply_columns (system, (size_t) -1, x, X, y, Y, N), "no array has");
  code = 1;
  CHECK_INT (ldy_system_multiply_columns_through_bodies (system, 2, x, X, y, Y, N), LDY_ERROR_SINGULAR);
  ldy_system_destroy (system);
}

static void test_refusals (void)
{
  static GIVEN g;
  static double x[SCALARS], y[SCALARS], kept[SCALARS];

  check_context ("refusals");
  give (&g, 5, 0);
  size_t n = (size_t) g.size;
  BAD (ldy_rows_multiply (NULL, x, y, n), "rows is NULL");
  BAD (ldy_rows_multiply (&g.rows, NULL, y, n), "x is NULL");
  BAD (ldy_rows_multiply (&g.rows, x, NULL, n), "y is NULL");
  BAD (ldy_rows_multiply (&g.rows, x, y, n - 1), "values where");
  BAD (ldy_rows_multiply_columns (&g.rows, 2, x, n - 1, y, n, n), "x_stride is");
  BAD (ldy_rows_multiply_columns (&g.rows, 2, x, n, y, n - 1, n), "y_stride is");
  BAD (ldy_rows_multiply_columns (&g.rows, (size_t) -1, x, n, y, n, n), "no array has");
  BAD (ldy_rows_write_matrix_market (NULL, scratch), "rows is NULL");
  BAD (ldy_rows_write_matrix_market (&g.rows, NULL), "path is NULL");
  BAD (ldy_rows_write_npz (NULL, scratch), "rows is NULL");
  BAD (ldy_rows_write_npz (&g.rows, NULL), "path is NULL");
  CHECK_INT (ldy_rows_write_npz (&g.rows, "/nowhere/W.npz"), 2);
  CHECK_INT (ldy_rows_write_matrix_market (&g.rows, "/nowhere/W.mtx"), 2);
  int column = g.columns[0];
  g.columns[0] = 77;
  BAD (ldy_rows_multiply (&g.rows, x, y, n), "constraint of row 0: a column lies outside W");
  BAD (ldy_rows_write_npz (&g.rows, scratch), "constraint of row 0: a column lies outside W");
  g.columns[0] = column;
  g.rows.size = 0;
  BAD (ldy_rows_multiply (&g.rows, x, y, n), "size");
  CHECK_SAME_BITS (y, kept, sizeof y);
}

int main (int argc, char **argv)
{
  if (argc != 2) return 2;
  scratch = argv[1];
  rng.state = 20;
  test_given ();
  test_system (0);
  test_system (1);
  test_columns ();
  test_refusals ();
  return check_summary ("rows_products");
}
