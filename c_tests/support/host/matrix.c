#include "matrix.h"

#include <stdlib.h>
#include <string.h>

static void *array (int count, size_t size)
{
  void *memory;

  if (count == 0) return NULL;
  memory = malloc ((size_t) count * size);
  if (!memory) abort ();
  return memory;
}

MX *host_matrix_raw (int kind, int m, int n, int np, int ni, int nzmax)
{
  MX *matrix = array (1, sizeof *matrix);

  memset (matrix, 0, sizeof *matrix);
  memcpy (&matrix->kind, &kind, sizeof matrix->kind);
  matrix->m = m;
  matrix->n = n;
  matrix->nzmax = nzmax;
  matrix->nz = kind == MXCSC ? -1 : nzmax;
  matrix->p = array (np, sizeof (int));
  matrix->i = array (ni, sizeof (int));
  matrix->x = array (nzmax, sizeof (double));
  return matrix;
}

MX *host_matrix_dense (int m, int n, const double *x)
{
  MX *matrix = host_matrix_raw (MXDENSE, m, n, 0, 0, m * n);

  memcpy (matrix->x, x, (size_t) (m * n) * sizeof (double));
  return matrix;
}

MX *host_matrix_blocks (int blocks, const int *sizes, const double *x)
{
  int rows = 0, values = 0;

  for (int b = 0; b < blocks; b ++) {
    rows += sizes[b];
    values += sizes[b] * sizes[b];
  }
  MX *matrix = host_matrix_raw (MXBD, rows, blocks, blocks + 1, blocks + 1, values);
  matrix->p[0] = matrix->i[0] = 0;
  for (int b = 0; b < blocks; b ++) {
    matrix->p[b + 1] = matrix->p[b] + sizes[b] * sizes[b];
    matrix->i[b + 1] = matrix->i[b] + sizes[b];
  }
  memcpy (matrix->x, x, (size_t) values * sizeof (double));
  return matrix;
}

MX *host_matrix_sparse (int n, const double *x)
{
  int count = 0;

  for (int entry = 0; entry < n * n; entry ++) count += x[entry] != 0;
  MX *matrix = host_matrix_raw (MXCSC, n, n, n + 1, count, count);
  matrix->p[0] = count = 0;
  for (int entry = 0; entry < n * n; entry ++) {
    if (x[entry] != 0) {
      matrix->i[count] = entry % n;
      matrix->x[count ++] = x[entry];
    }
    matrix->p[entry / n + 1] = count;
  }
  return matrix;
}

void host_matrix_free (MX *matrix)
{
  if (!matrix) return;
  free (matrix->p);
  free (matrix->i);
  free (matrix->x);
  free (matrix);
}

int host_gives_matrix (const BODY *body)
{
  return body && body->inverse && body->inverse->kind == MXCSC && (body->inverse->flags & MXIFAC);
}
