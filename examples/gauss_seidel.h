/* Block Gauss-Seidel for C(U, R) = 0, U = B + W R, theory (11). */
#include "ldy_system.h"

typedef struct law {
  enum { CONTACT_LAW, LINK_LAW } kind;
  double friction; /* of a contact: Coulomb's */
  double bias;     /* of a contact: 0 <= R_N, U_N + bias >= 0, and one of them is zero */
  double length;   /* of a link: that of the next half-step ... */
  double distance; /* ... and that of this one */
} law;

/* Improve R, three values a row, until a sweep changes it by less than tolerance; the sweeps made, or -1 if most are not enough. */
int gauss_seidel (const ldy_rows *rows, const law *laws, double h, double tolerance, int most, double *R);
