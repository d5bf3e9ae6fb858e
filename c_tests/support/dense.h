/* The reference computation: plain dense matrices, written from the formulas and without the library.
 * All matrices are column-major. */
#pragma once

#include "ldy_host.h"

/* C (m x n) = A (m x k) * B (k x n), or with B given transposed, as n x k. */
void dense_multiply (int m, int k, int n, const double *A, const double *B, double *C);
void dense_multiply_transposed (int m, int k, int n, const double *A, const double *B, double *C);

/* In place, Gauss-Jordan with partial pivoting; 0 if an exactly zero pivot was met. */
int dense_invert (int n, double *a);

/* Largest sum of absolute values in a column. */
double dense_norm (int n, const double *a);

/* Condition number in the 1-norm; infinite if singular. */
double dense_condition (int n, const double *a);

/* Largest eigenvalue of a symmetric 3 x 3 matrix, by Jacobi rotations. */
double dense_largest_eigenvalue (const double a[9]);

/* 1 if the 3 x 3 matrices are each other's transposes to the bit. */
int dense_transposes (const double a[9], const double b[9]);

double dense_largest_entry (int count, const double *x);

/* Whether one of them is -0. */
int dense_has_negative_zero (int count, const double *x);

/* What an MX holds, n x n; a symmetric matrix stored by its lower triangle is completed. */
void dense_of_matrix (const MX *matrix, double *a);

/* The inverse inertia an MX stands for; a matrix flagged as factored is inverted. 0 if it is singular. */
int dense_inverse (const MX *matrix, double *a);

/* Rows (or columns) of the matrix a body's inverse stands for. */
int dense_size (const MX *matrix);

/* Condition number of the matrix A that a body gives, in the 1-norm; 0 if it gives the inverse; NULL: 0. */
double dense_condition_of_body (const BODY *body);

/* Entries of a body's velocity that local dynamics uses, and the velocity itself, now and before. */
int dense_velocity_size (const BODY *body);
const double *dense_velocity (const BODY *body, int before);

/* Spatial velocity (3) of referential point X of a body that moves with generalized velocity u. */
void dense_point_velocity (const BODY *body, const SGP *sgp, const double *X, const double *u, double *velocity);

/* H for velocities, 3 x dense_velocity_size: column by column the local velocity of a unit generalized velocity. */
void dense_operator (const BODY *body, const SGP *sgp, const double *X, const double *E, double *H);

/* H for W, 3 x dense_inertia_size: of finite elements in the axes and the base that their inertia is given in. */
int dense_inertia_size (const BODY *body);
void dense_inertia_operator (const BODY *body, const SGP *sgp, const double *X, const double *E, double *H);
