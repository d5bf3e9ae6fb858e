/* Matrices on the heap and generic products of them, over BLAS and LAPACK. A failing allocation ends the program. */
#ifndef TEXTBOOK_MATRIX_H
#define TEXTBOOK_MATRIX_H

#include "ldy_host.h"

/* Zeros, m x n, column-major. */
MX *matrix_dense (int m, int n);

/* Compressed columns, m x n with `entries` entries; the caller fills p, i and x. */
MX *matrix_sparse (int m, int n, int entries);

/* NULL is ignored. */
void matrix_free (MX *a);

/* C = scale * A * B + keep * C, with A dense or sparse, B dense, C column-major. */
void matrix_product (double scale, const MX *a, const MX *b, double keep, double *c);

/* y = scale * A * x + y, with A dense or sparse. */
void matrix_times (double scale, const MX *a, const double *x, double *y);

/* A^-1 H^T, dense. `inverse` holds blocks or columns of A^-1, or with MXIFAC the lower triangle of A: that is factored in a
 * band first, into inverse->num, unless a factor is there already. */
MX *matrix_inverse_times_transposed (MX *inverse, const MX *H);

/* Release the factor. */
void matrix_forget (MX *inverse);

/* The inverse of a 3 x 3 block; 0 if it is singular. */
int block_inverse (const double *block, double *inverse);

/* The largest eigenvalue of a symmetric 3 x 3 block; NaN if the iteration fails. */
double block_largest_eigenvalue (const double *block);

#endif
