#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fclib_problem.h"

static void *room (size_t count, size_t size)
{
  void *room = calloc (count + 1, size);

  if (!room) abort ();
  return room;
}

/* Where component i of FCLIB is among those of a system. */
static int component (int i)
{
  return (i + 2) % 3;
}

static friction_problem empty (int dimension, int contacts, int equations, size_t blocks)
{
  int rows = contacts + (equations + dimension - 1) / dimension;
  friction_problem problem = { dimension, contacts, equations, rows, NULL, NULL, NULL, NULL, NULL };

  problem.starts = room ((size_t) problem.rows + 1, sizeof (int));
  problem.columns = room (blocks, sizeof (int));
  problem.values = room ((size_t) (dimension * dimension) * blocks, sizeof (double));
  problem.q = room ((size_t) (dimension * rows), sizeof (double));
  problem.friction = room ((size_t) contacts, sizeof (double));
  return problem;
}

void problem_free (friction_problem *problem)
{
  free (problem->starts);
  free (problem->columns);
  free (problem->values);
  free (problem->q);
  free (problem->friction);
}

friction_problem problem_of_rows (const ldy_rows *rows, const double *friction)
{
  friction_problem problem = empty (3, rows->rows, 0, (size_t) rows->blocks);

  memcpy (problem.starts, rows->starts, ((size_t) rows->rows + 1) * sizeof (int));
  memcpy (problem.columns, rows->columns, (size_t) rows->blocks * sizeof (int));
  memcpy (problem.friction, friction, (size_t) rows->rows * sizeof (double));
  for (int k = 0; k < rows->blocks; k ++) {
    for (int i = 0; i < 9; i ++) problem.values[9 * k + i] = rows->values[9 * k + 3 * component (i / 3) + component (i % 3)];
  }
  for (int i = 0; i < 3 * rows->rows; i ++) problem.q[i] = rows->B[i / 3 * 3 + component (i % 3)];
  return problem;
}

/* ---- from FCLIB */

/* An entry with the row and the column of its block, and its index there. */
typedef struct {
  int row, column, index;
  double value;
} entry;

typedef struct {
  entry *entry;
  size_t count;
  int dimension;
} entries;

static void add (entries *list, int row, int column, double value)
{
  int d = list->dimension;

  list->entry[list->count ++] = (entry) { row / d, column / d, d * (column % d) + row % d, value };
}

static size_t size_of (const struct fclib_matrix *matrix)
{
  if (!matrix) return 0;
  if (matrix->nz >= 0) return (size_t) matrix->nz;
  return (size_t) matrix->p[matrix->nz == -1 ? matrix->n : matrix->m];
}

/* A matrix at a place, or its transpose. */
static void add_matrix (entries *list, const struct fclib_matrix *matrix, int row, int column, int transposed)
{
  int line = 0;

  for (int k = 0; k < (int) size_of (matrix); k ++) {
    int i = matrix->p[k < matrix->nz ? k : 0], j = matrix->i[k];
    if (matrix->nz < 0) {
      while (matrix->p[line + 1] <= k) line ++;
      i = line;
      if (matrix->nz == -1) i = j, j = line;
    }
    add (list, row + (transposed ? j : i), column + (transposed ? i : j), matrix->x[k]);
  }
}

static int by_block (const void *one, const void *other)
{
  const entry *a = one, *b = other;
  return a->row != b->row ? a->row - b->row : a->column - b->column;
}

/* [W V; V^T R], its blocks in order, the diagonal ones even where they are zero. */
int problem_of_fclib (const struct fclib_local *file, friction_problem *problem)
{
  int d = file->spacedim, size = file->W->m, equations = file->R ? file->R->m : 0;
  entries list = { NULL, 0, d };
  int row = 0, blocks = 0;

  if (d != 2 && d != 3) return 0;
  list.entry = room (size_of (file->W) + 2 * size_of (file->V) + size_of (file->R) + (size_t) (size + equations + 2),
    sizeof (entry));
  add_matrix (&list, file->W, 0, 0, 0);
  if (equations) {
    add_matrix (&list, file->V, 0, size, 0);
    add_matrix (&list, file->V, size, 0, 1);
    add_matrix (&list, file->R, size, size, 0);
  }
  for (int i = 0; i < size + equations; i += d) add (&list, i, i, 0);
  qsort (list.entry, list.count, sizeof (entry), by_block);
  *problem = empty (d, size / d, equations, list.count);
  for (size_t k = 0; k < list.count; k ++) {
    entry entry = list.entry[k];
    if (k == 0 || by_block (list.entry + k - 1, list.entry + k)) {
      while (row < entry.row) problem->starts[++ row] = blocks;
      problem->columns[blocks ++] = entry.column;
    }
    problem->values[d * d * (blocks - 1) + entry.index] += entry.value;
  }
  while (row < problem->rows) problem->starts[++ row] = blocks;
  free (list.entry);
  memcpy (problem->q, file->q, (size_t) size * sizeof (double));
  if (equations) memcpy (problem->q + size, file->s, (size_t) equations * sizeof (double));
  memcpy (problem->friction, file->mu, (size_t) (size / d) * sizeof (double));
  return 1;
}

/* ---- to files */

static char *copy (const char *text)
{
  return strcpy (room (strlen (text), 1), text);
}

/* W in compressed columns, which libfclib's own merit function needs: all nine values of each block, zeros among them. */
static struct fclib_matrix *matrix_of (const friction_problem *problem)
{
  struct fclib_matrix *W = room (1, sizeof *W);
  int size = 3 * problem->rows, blocks = problem->starts[problem->rows];
  int *next = room ((size_t) size, sizeof (int));

  W->m = W->n = size;
  W->nz = -1;
  W->nzmax = 9 * blocks;
  W->p = room ((size_t) size + 1, sizeof (int));
  W->i = room ((size_t) W->nzmax, sizeof (int));
  W->x = room ((size_t) W->nzmax, sizeof (double));
  for (int k = 0; k < 3 * blocks; k ++) W->p[3 * problem->columns[k / 3] + k % 3 + 1] += 3;
  for (int j = 0; j < size; j ++) W->p[j + 1] += W->p[j], next[j] = W->p[j];
  for (int i = 0; i < size; i ++) {
    for (int k = problem->starts[i / 3]; k < problem->starts[i / 3 + 1]; k ++) {
      for (int j = 0; j < 3; j ++) {
        int at = next[3 * problem->columns[k] + j] ++;
        W->i[at] = i;
        W->x[at] = problem->values[9 * k + 3 * j + i % 3];
      }
    }
  }
  free (next);
  return W;
}

struct fclib_local *fclib_of_problem (const friction_problem *problem, const char *title)
{
  struct fclib_local *file = room (1, sizeof *file);

  file->spacedim = 3;
  file->W = matrix_of (problem);
  file->q = room (3 * (size_t) problem->rows, sizeof (double));
  file->mu = room ((size_t) problem->contacts, sizeof (double));
  memcpy (file->q, problem->q, 3 * (size_t) problem->rows * sizeof (double));
  memcpy (file->mu, problem->friction, (size_t) problem->contacts * sizeof (double));
  file->info = room (1, sizeof *file->info);
  file->info->title = copy (title);
  file->info->description = copy ("u = W r + q, normal component first");
  file->info->math_info = copy ("W is positive semidefinite, solutions need not be unique");
  return file;
}

static void write_integers (FILE *file, const int *values, int count)
{
  for (int i = 0; i < count; i ++) fprintf (file, "%d%c", values[i], i + 1 < count ? ' ' : '\n');
}

static void write_numbers (FILE *file, const double *values, int count)
{
  for (int i = 0; i < count; i ++) fprintf (file, "%.17e%c", values[i], i + 1 < count ? ' ' : '\n');
}

int problem_write_siconos (const friction_problem *problem, const char *path)
{
  int rows = problem->rows, blocks = problem->starts[rows], good;
  FILE *file = fopen (path, "w");

  if (!file) return 0;
  /* Dimension, contacts, sparse blocks, size; blocks, where block rows and columns end, rows of blocks and their starts. */
  fprintf (file, "3\n%d\n1\n%d\n%d\n%d\n%d\n%d\n", rows, 3 * rows, 3 * rows, blocks, rows, rows);
  for (int side = 0; side < 2; side ++) {
    for (int i = 1; i <= rows; i ++) fprintf (file, "%d%c", 3 * i, i < rows ? ' ' : '\n');
  }
  fprintf (file, "%d\n%d\n", rows + 1, blocks);
  write_integers (file, problem->starts, rows + 1);
  write_integers (file, problem->columns, blocks);
  for (int k = 0; k < blocks; k ++) {
    fprintf (file, "%d\n", k);
    write_numbers (file, problem->values + 9 * k, 9);
  }
  write_numbers (file, problem->q, 3 * rows);
  write_numbers (file, problem->friction, rows);
  good = !ferror (file);
  return fclose (file) == 0 && good;
}

/* ---- solving */

int problem_solve (ldy_contact_solver *solver, const friction_problem *problem, double tolerance, double *r, ldy_contact_solver_report *report)
{
  ldy_contact_solver_options options = { .size = sizeof options, .tolerance = tolerance, .normal_first = 1 };
  int d = problem->dimension, blocks = problem->starts[problem->rows], code;
  ldy_rows rows = { .size = sizeof rows, .rows = problem->rows, .blocks = blocks, .starts = problem->starts,
                    .columns = problem->columns, .values = problem->values, .B = problem->q };
  ldy_law *laws = room ((size_t) problem->rows, sizeof *laws);
  int *scalars = room ((size_t) problem->rows + 1, sizeof *scalars);
  size_t *values = room ((size_t) blocks + 1, sizeof *values);

  for (int i = 0; i < problem->rows; i ++) {
    laws[i].kind = i < problem->contacts ? LDY_LAW_CONTACT : LDY_LAW_FIXED;
    if (i < problem->contacts) laws[i].friction = problem->friction[i];
  }
  for (int i = 0; i <= problem->rows; i ++) scalars[i] = d * i;
  for (int k = 0; k <= blocks; k ++) values[k] = (size_t) (d * d * k);
  rows.scalar_starts = scalars, rows.value_starts = values;
  code = ldy_contact_solver_solve_rows (solver, &rows, laws, (size_t) problem->rows, &options, r, (size_t) (d * problem->rows), report);
  free (laws);
  free (scalars);
  free (values);
  return code;
}

void problem_velocity (const friction_problem *problem, const double *r, double *u)
{
  int d = problem->dimension;

  for (int i = 0; i < d * problem->rows; i ++) {
    u[i] = problem->q[i];
    for (int k = problem->starts[i / d]; k < problem->starts[i / d + 1]; k ++) {
      for (int j = 0; j < d; j ++) u[i] += problem->values[d * d * k + d * j + i % d] * r[d * problem->columns[k] + j];
    }
  }
}
