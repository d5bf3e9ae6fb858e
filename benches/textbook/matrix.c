#include "matrix.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void dgemm_ (const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
                    const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
                    const int *ldc);
extern void dgemv_ (const char *trans, const int *m, const int *n, const double *alpha, const double *a, const int *lda,
                    const double *x, const int *incx, const double *beta, double *y, const int *incy);
extern void dgetrf_ (const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
extern void dgetri_ (const int *n, double *a, const int *lda, const int *ipiv, double *work, const int *lwork, int *info);
extern void dsyev_ (const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
                    const int *lwork, int *info);
extern void dpbtrf_ (const char *uplo, const int *n, const int *kd, double *ab, const int *ldab, int *info);
extern void dpbtrs_ (const char *uplo, const int *n, const int *kd, const int *nrhs, const double *ab, const int *ldab,
                     double *b, const int *ldb, int *info);

static void *allocate (size_t count, size_t size)
{
  void *memory = calloc (count ? count : 1, size);

  if (!memory) {
    fputs ("textbook: memory exhausted\n", stderr);
    abort ();
  }
  return memory;
}

/* ---- making and releasing */

static MX *header (enum mx_kind kind, int m, int n, int values)
{
  MX *a = allocate (1, sizeof (MX));

  a->kind = kind;
  a->m = m;
  a->n = n;
  a->nzmax = values;
  a->x = allocate ((size_t) values, sizeof (double));
  return a;
}

MX *matrix_dense (int m, int n)
{
  return header (MXDENSE, m, n, m * n);
}

MX *matrix_sparse (int m, int n, int entries)
{
  MX *a = header (MXCSC, m, n, entries);

  a->p = allocate ((size_t) n + 1, sizeof (int));
  a->i = allocate ((size_t) entries, sizeof (int));
  return a;
}

void matrix_free (MX *a)
{
  if (!a) return;
  free (a->p);
  free (a->i);
  free (a->x);
  free (a);
}

/* ---- products */

static void sparse_product (double scale, const MX *a, const MX *b, double keep, double *c)
{
  int column, j, e;

  for (j = 0; j < a->m * b->n; j ++) c[j] = keep == 0 ? 0 : keep * c[j];
  for (j = 0; j < a->n; j ++) {
    for (e = a->p[j]; e < a->p[j + 1]; e ++) {
      for (column = 0; column < b->n; column ++) {
        c[column * a->m + a->i[e]] += scale * a->x[e] * b->x[column * b->m + j];
      }
    }
  }
}

void matrix_product (double scale, const MX *a, const MX *b, double keep, double *c)
{
  if (a->kind == MXCSC) sparse_product (scale, a, b, keep, c);
  else dgemm_ ("N", "N", &a->m, &b->n, &a->n, &scale, a->x, &a->m, b->x, &b->m, &keep, c, &a->m);
}

void matrix_times (double scale, const MX *a, const double *x, double *y)
{
  const double one = 1;
  const int step = 1;
  int j, e;

  if (a->kind == MXDENSE) {
    dgemv_ ("N", &a->m, &a->n, &scale, a->x, &a->m, x, &step, &one, y, &step);
    return;
  }
  for (j = 0; j < a->n; j ++) {
    for (e = a->p[j]; e < a->p[j + 1]; e ++) y[a->i[e]] += scale * a->x[e] * x[j];
  }
}

static MX *transposed (const MX *a)
{
  MX *t = matrix_dense (a->n, a->m);
  int i, j, e;

  for (j = 0; j < a->n; j ++) {
    if (a->kind == MXDENSE) {
      for (i = 0; i < a->m; i ++) t->x[i * a->n + j] = a->x[j * a->m + i];
    } else {
      for (e = a->p[j]; e < a->p[j + 1]; e ++) t->x[a->i[e] * a->n + j] = a->x[e];
    }
  }
  return t;
}

/* ---- inverse inertia */

static MX *blocks_times (const MX *blocks, const MX *b)
{
  MX *c = matrix_dense (b->m, b->n);
  const double one = 1;
  int k, first, size;

  for (k = 0; k < blocks->n; k ++) {
    first = blocks->i[k];
    size = blocks->i[k + 1] - first;
    dgemm_ ("N", "N", &size, &b->n, &size, &one, blocks->x + blocks->p[k], &size, b->x + first, &b->m, &one, c->x + first,
            &c->m);
  }
  return c;
}

static MX *columns_times (const MX *inverse, const MX *b)
{
  MX *c = matrix_dense (inverse->m, b->n);

  sparse_product (1, inverse, b, 0, c->x);
  return c;
}

/* A Cholesky factor within a band, as LAPACK stores it. */
typedef struct {
  int size;
  int diagonals; /* below the main one */
  int leading;
  double *x;
} FACTOR;

void matrix_forget (MX *inverse)
{
  FACTOR *factor = inverse->num;

  if (!factor) return;
  free (factor->x);
  free (factor);
  inverse->num = NULL;
}

static FACTOR *factored (const MX *a)
{
  FACTOR *factor = allocate (1, sizeof (FACTOR));
  int j, e, info;

  factor->size = a->n;
  for (j = 0; j < a->n; j ++) {
    for (e = a->p[j]; e < a->p[j + 1]; e ++) {
      if (a->i[e] - j > factor->diagonals) factor->diagonals = a->i[e] - j;
    }
  }
  factor->leading = factor->diagonals + 1;
  factor->x = allocate ((size_t) factor->leading * (size_t) a->n, sizeof (double));
  for (j = 0; j < a->n; j ++) {
    for (e = a->p[j]; e < a->p[j + 1]; e ++) factor->x[j * factor->leading + a->i[e] - j] = a->x[e];
  }
  dpbtrf_ ("L", &factor->size, &factor->diagonals, factor->x, &factor->leading, &info);
  if (info) {
    fputs ("textbook: a matrix is not positive definite\n", stderr);
    abort ();
  }
  return factor;
}

/* One right-hand side at a time. */
static void solve (const FACTOR *factor, MX *b)
{
  const int one = 1;
  int j, info;

  for (j = 0; j < b->n; j ++) {
    dpbtrs_ ("L", &factor->size, &factor->diagonals, &one, factor->x, &factor->leading, b->x + j * b->m, &b->m, &info);
  }
}

MX *matrix_inverse_times_transposed (MX *inverse, const MX *H)
{
  MX *b = transposed (H), *c;

  if (inverse->flags & MXIFAC) {
    if (!inverse->num) inverse->num = factored (inverse);
    solve (inverse->num, b);
    return b;
  }
  c = inverse->kind == MXBD ? blocks_times (inverse, b) : columns_times (inverse, b);
  matrix_free (b);
  return c;
}

/* ---- blocks */

int block_inverse (const double *block, double *inverse)
{
  const int three = 3, length = 9;
  double work[9];
  int pivots[3], info;

  memcpy (inverse, block, 9 * sizeof (double));
  dgetrf_ (&three, &three, inverse, &three, pivots, &info);
  if (info) return 0;
  dgetri_ (&three, inverse, &three, pivots, work, &length, &info);
  return info == 0;
}

double block_largest_eigenvalue (const double *block)
{
  const int three = 3, length = 64;
  double a[9], values[3], work[64];
  int info;

  memcpy (a, block, sizeof a);
  dsyev_ ("N", "U", &three, a, &three, values, work, &length, &info);
  return info ? NAN : values[2];
}
