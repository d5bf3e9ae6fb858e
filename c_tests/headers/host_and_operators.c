/* A program without a host's headers that uses the operators; ldy.h once more changes nothing. */
#include "ldy_host.h"
#include "ldy.h"
#include "ldy_host.h"
#include "with_host.h"

#ifdef __cplusplus
/* This agrees with the header only if it gives its functions the linkage of C. */
extern "C" void MX_Destroy (MX *matrix);
#endif

double first_entry (BODY *body, SGP *sgp, double *X, double *E);

double first_entry (BODY *body, SGP *sgp, double *X, double *E) {
  double before[3], after[3], entry;
  MX *matrix = MX_Create (MXDENSE, 3, 6, NULL, NULL);
  MX *operators[2];
  operators[0] = BODY_Gen_To_Loc_Operator (body, CONTACT, sgp, X, E);
  operators[1] = FEM_Gen_To_Loc_Operator (body, sgp->shp, sgp->gobj, X, E);
  BODY_Local_Velo (body, sgp, X, E, before, after);
  FEM_Local_Velo (body, sgp->shp, sgp->gobj, X, E, NULL, after);
  entry = matrix->x[0] + operators[0]->x[0] + operators[1]->x[0] + before[0] + after[0];
  MX_Destroy (operators[1]);
  MX_Destroy (operators[0]);
  MX_Destroy (matrix);
  return entry;
}
