#include <math.h>
#include <string.h>

#include "gauss_seidel.h"

static void add_product (const double *W, const double *R, double *U)
{
  for (int i = 0; i < 3; i ++) U[i] += W[i] * R[0] + W[3 + i] * R[1] + W[6 + i] * R[2];
}

/* Local velocity of a row. */
static void velocity (const ldy_rows *rows, int row, const double *R, double *U)
{
  memcpy (U, rows->B + 3 * row, 3 * sizeof (double));
  for (int k = rows->starts[row]; k < rows->starts[row + 1]; k ++) {
    add_product (rows->values + 9 * k, R + 3 * rows->columns[k], U);
  }
}

/* Signorini's law for the normal force, then Coulomb's for the tangential ones, each with the velocity that it meets. */
static void contact (const ldy_rows *rows, int row, const law *law, double *all)
{
  double *R = all + 3 * row, U[3], length, most;
  const double *W = rows->diagonal + 9 * row;

  velocity (rows, row, all, U);
  R[2] = fmax (0, R[2] - (U[2] + law->bias) / W[8]);
  velocity (rows, row, all, U);
  for (int i = 0; i < 2; i ++) R[i] -= U[i] / fmax (W[0], W[4]);
  length = hypot (R[0], R[1]);
  most = law->friction * R[2];
  if (length > most) {
    for (int i = 0; i < 2; i ++) R[i] *= most / length;
  }
}

/* A force along the link, so that it has its length after this step: (distance + h U_N)^2 + h^2 U_T^2 = length^2. */
static void link_force (const ldy_rows *rows, int row, const law *law, double h, double *all)
{
  double U[3], across, wanted;

  velocity (rows, row, all, U);
  across = fmin (h * hypot (U[0], U[1]), law->length);
  wanted = (sqrt (law->length * law->length - across * across) - law->distance) / h;
  all[3 * row + 2] += (wanted - U[2]) / rows->diagonal[9 * row + 8];
}

int gauss_seidel (const ldy_rows *rows, const law *laws, double h, double tolerance, int most, double *R)
{
  for (int sweep = 1; sweep <= most; sweep ++) {
    double changed = 0, whole = 0;

    for (int row = 0; row < rows->rows; row ++) {
      double old[3];

      memcpy (old, R + 3 * row, sizeof old);
      if (laws[row].kind == LINK_LAW) link_force (rows, row, &laws[row], h, R);
      else contact (rows, row, &laws[row], R);
      for (int i = 0; i < 3; i ++) {
        changed += (R[3 * row + i] - old[i]) * (R[3 * row + i] - old[i]);
        whole += R[3 * row + i] * R[3 * row + i];
      }
    }
    if (changed <= tolerance * tolerance * whole) return sweep;
  }
  return -1;
}
