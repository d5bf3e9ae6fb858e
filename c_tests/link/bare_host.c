/* A host that has nothing that the library may ask of one. Ends by an error that nobody takes. */
#include <stdio.h>

#include "support/host/host.h"

int main (void)
{
  double point[3] = { 0.5, 0.25, 0 }, frame[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  HOST *host = host_create ();
  BODY *body = host_add_body (host, RIG);
  CON *con = host_add_constraint (host, FIXPNT, body, NULL);
  MX *H = BODY_Gen_To_Loc_Operator (body, FIXPNT, NULL, point, frame);

  printf ("H(2,0) = %g\n", H->x[2]);
  MX_Destroy (H);
  host->dom.ldy = LOCDYN_Create (&host->dom);
  host_insert (host, con);
  LOCDYN_Update_Begin (host->dom.ldy);
  printf ("W = %g %g %g\n", con->dia->W[0], con->dia->W[4], con->dia->W[8]);
  fflush (stdout);
  LOCDYN_Remove (host->dom.ldy, NULL);
  return 0;
}
