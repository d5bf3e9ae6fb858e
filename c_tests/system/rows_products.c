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
  GOOD (ldy_rows_multiply (&g->rows, x, 8 * x_stride, y, 8 * y_stride, n, COLUMNS));
  for (size_t c = 0; c < COLUMNS; c ++) {
    for (size_t i = 0; i < n; i ++) {
      for (sum = 0, j = 0; j < n; j ++) sum += g->W[n * j + i] * x[x_stride * c + j];
      CHECK_NEAR (y[y_stride * c + i], sum, 1e-13);
    }
    CHECK (y[y_stride * c + n] == -77);
    GOOD (ldy_rows_multiply (&g->rows, x + x_stride * c, 0, alone, 0, n, 1));
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

  GOOD (ldy_rows_write (&g->rows, scratch, LDY_FILE_FORMAT_MATRIX_MARKET));
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
  int64_t body[2], id;
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
  GOOD (ldy_system_multiply (system, x, 0, y[0], 0, n, 1, 0));
  GOOD (ldy_rows_multiply (&rows, x, 0, y[1], 0, n, 1));
  if (!is_mixed) CHECK_SAME_BITS (y[0], y[1], n * sizeof *x);
  for (size_t i = 0; i < n; i ++) CHECK_NEAR (y[0][i], y[1][i], 1e-13);
  for (int k = 0; k < 2; k ++) {
    GOOD (k ? ldy_rows_write (&rows, scratch, LDY_FILE_FORMAT_NPZ) : system_write (system, scratch, LDY_FILE_FORMAT_NPZ));
    text[k] = read_back (&size[k]);
  }
  CHECK (size[0] > 300);
  CHECK_INT (size[0], size[1]);
  CHECK_SAME_BITS (text[0], text[1], size[0]);
  free (text[0]), free (text[1]);
  for (int k = 0; k < 2; k ++) {
    GOOD (k ? ldy_rows_write (&rows, scratch, LDY_FILE_FORMAT_MATRIX_MARKET) : system_write (system, scratch, LDY_FILE_FORMAT_MATRIX_MARKET));
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
  int64_t body, id;
  int code = 0;

  check_context ("columns");
  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_add_body (system, FUNCTION (3, third, &code), &body));
  for (int k = 0; k < 2; k ++) GOOD (ldy_system_add_constraint_rows (system, 3, (int64_t []) { body, LDY_GROUND }, (ldy_operator []) { H, (ldy_operator) { 0 } }, 2, &id));
  for (int k = 0; k < COUNT * X; k ++) x[k] = random_value (&rng);
  BAD (ldy_system_multiply (system, x, 8 * X, y, 8 * Y, N, COUNT, 0), "no successful update");
  GOOD (ldy_system_update (system, 1));
  for (int through = 0; through < 2; through ++) {
    for (int k = 0; k < COUNT * Y; k ++) y[k] = -3;
    if (through) GOOD (ldy_system_multiply (system, x, 8 * X, y, 8 * Y, N, COUNT, LDY_MULTIPLY_THROUGH_BODIES));
    else GOOD (ldy_system_multiply (system, x, 8 * X, y, 8 * Y, N, COUNT, 0));
    for (int k = 0; k < COUNT; k ++) {
      if (through) GOOD (ldy_system_multiply (system, x + k * X, 0, alone, 0, N, 1, LDY_MULTIPLY_THROUGH_BODIES));
      else GOOD (ldy_system_multiply (system, x + k * X, 0, alone, 0, N, 1, 0));
      CHECK_SAME_BITS (y + k * Y, alone, sizeof alone);
      CHECK (y[k * Y + N] == -3);
    }
  }
  GOOD (ldy_system_multiply (system, NULL, 8 * X, NULL, 8 * Y, N, 0, 0));
  BAD (ldy_system_multiply (system, NULL, 8 * X, y, 8 * Y, N, 2, 0), "x is NULL");
  BAD (ldy_system_multiply (system, x, 8 * (N - 1), y, 8 * Y, N, 2, 0), "x_stride is 40 bytes: less than the 6 values");
  BAD (ldy_system_multiply (system, x, 8 * X, y, 8 * (N - 1), N, 2, 0), "y_stride is 40 bytes: less than the 6 values");
  BAD (ldy_system_multiply (system, x, 8 * X, y, 8 * Y, N - 3, 2, LDY_MULTIPLY_THROUGH_BODIES), "values where");
  BAD (ldy_system_multiply (system, x, 8 * X, y, 8 * Y, N, (size_t) -1, 0), "is too large");
  code = 1;
  CHECK_INT (ldy_system_multiply (system, x, 8 * X, y, 8 * Y, N, 2, LDY_MULTIPLY_THROUGH_BODIES), LDY_ERROR_SINGULAR);
  ldy_system_destroy (system);
}

static void test_refusals (void)
{
  static GIVEN g;
  static double x[SCALARS], y[SCALARS], kept[SCALARS];

  check_context ("refusals");
  give (&g, 5, 0);
  size_t n = (size_t) g.size;
  BAD (ldy_rows_multiply (NULL, x, 0, y, 0, n, 1), "rows is NULL");
  BAD (ldy_rows_multiply (&g.rows, NULL, 0, y, 0, n, 1), "x is NULL");
  BAD (ldy_rows_multiply (&g.rows, x, 0, NULL, 0, n, 1), "y is NULL");
  BAD (ldy_rows_multiply (&g.rows, x, 0, y, 0, n - 1, 1), "values where");
  BAD (ldy_rows_multiply (&g.rows, x, 8 * (n - 1), y, 8 * n, n, 2), "x_stride is 176 bytes");
  BAD (ldy_rows_multiply (&g.rows, x, 8 * n, y, 8 * (n - 1), n, 2), "y_stride is 176 bytes");
  BAD (ldy_rows_multiply (&g.rows, x, 8 * n, y, 8 * n, n, (size_t) -1), "is too large");
  BAD (ldy_rows_write (NULL, scratch, LDY_FILE_FORMAT_MATRIX_MARKET), "rows is NULL");
  BAD (ldy_rows_write (&g.rows, NULL, LDY_FILE_FORMAT_MATRIX_MARKET), "path is NULL");
  BAD (ldy_rows_write (NULL, scratch, LDY_FILE_FORMAT_NPZ), "rows is NULL");
  BAD (ldy_rows_write (&g.rows, NULL, LDY_FILE_FORMAT_NPZ), "path is NULL");
  CHECK_INT (ldy_rows_write (&g.rows, "/nowhere/W.npz", LDY_FILE_FORMAT_NPZ), 2);
  CHECK_INT (ldy_rows_write (&g.rows, "/nowhere/W.mtx", LDY_FILE_FORMAT_MATRIX_MARKET), 2);
  int column = g.columns[0];
  g.columns[0] = 77;
  BAD (ldy_rows_multiply (&g.rows, x, 0, y, 0, n, 1), "constraint of row 0: a column lies outside W");
  BAD (ldy_rows_write (&g.rows, scratch, LDY_FILE_FORMAT_NPZ), "constraint of row 0: a column lies outside W");
  g.columns[0] = column;
  g.rows.size = 0;
  BAD (ldy_rows_multiply (&g.rows, x, 0, y, 0, n, 1), "size");
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
