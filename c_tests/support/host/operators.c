/* A host's own operators and matrices, recognizable by what they return: strong symbols where the library's are weak. */
#include <stdlib.h>

#include "matrix.h"
#include "operators.h"

int host_operator_calls;

MX *BODY_Gen_To_Loc_Operator (BODY *bod, short constraint_kind, SGP *sgp, double *X, double *E)
{
  double H[18] = { HOST_MARK };

  (void) bod, (void) constraint_kind, (void) sgp, (void) X, (void) E;
  host_operator_calls ++;
  return host_matrix_dense (3, 6, H);
}

void BODY_Local_Velo (BODY *bod, SGP *sgp, double *X, double *E, double *prev, double *cur)
{
  (void) bod, (void) sgp, (void) X, (void) E;
  host_operator_calls ++;
  if (prev) prev[0] = HOST_MARK;
  if (cur) cur[0] = HOST_MARK;
}

MX *FEM_Gen_To_Loc_Operator (BODY *bod, SHAPE *shp, void *gobj, double *X, double *E)
{
  (void) shp, (void) gobj;
  return BODY_Gen_To_Loc_Operator (bod, 0, NULL, X, E);
}

void FEM_Local_Velo (BODY *bod, SHAPE *shp, void *gobj, double *X, double *E, double *prev, double *cur)
{
  (void) shp, (void) gobj;
  BODY_Local_Velo (bod, NULL, X, E, prev, cur);
}

MX *MX_Create (short kind, int m, int n, int *p, int *i)
{
  double x[1] = { HOST_MARK };

  (void) kind, (void) m, (void) n, (void) p, (void) i;
  host_operator_calls ++;
  return host_matrix_dense (1, 1, x);
}

void MX_Destroy (MX *matrix)
{
  host_operator_calls ++;
  host_matrix_free (matrix);
}
