/* Matrices of the host, each array an allocation of its own, so that reading past one is seen. */
#pragma once

#include "ldy_host.h"

/* x holds m*n values, column-major. */
MX *host_matrix_dense (int m, int n, const double *x);

/* x holds the blocks contiguously, each size*size values, column-major. */
MX *host_matrix_blocks (int blocks, const int *sizes, const double *x);

/* Compressed columns of the non-zero entries of the dense n x n matrix x. */
MX *host_matrix_sparse (int n, const double *x);

/* An MX of the given kind with uninitialized p[np], i[ni] and x[nzmax]. */
MX *host_matrix_raw (int kind, int m, int n, int np, int ni, int nzmax);

void host_matrix_free (MX *matrix);

/* Whether the body gives its matrix A, not the inverse; `body` may be NULL. */
int host_gives_matrix (const BODY *body);
