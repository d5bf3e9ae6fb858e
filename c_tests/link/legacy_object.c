/* Links the legacy module's object (host/locdyn.o stands for it) beside the library: the twelve are the object's, the
 * additions the library's. */
#include <stdio.h>
#include <string.h>

#include "support/host/host.h"

int main (void)
{
  double point[3] = { 0.5, 0.25, 0 }, frame[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, H[18];
  HOST *host = host_create ();
  BODY *body = host_add_body (host, RIG);
  CON *con = host_add_constraint (host, FIXPNT, body, NULL);
  LOCDYN *ldy = LOCDYN_Create (&host->dom);

  host->dom.ldy = ldy;
  host_insert (host, con);
  LOCDYN_Update_Begin (ldy);
  LOCDYN_Update_End (ldy);
  LOCDYN_Dump (ldy, "dump");
  LOCDYN_W_MatrixMarket (ldy, "W");
  printf ("free_energy = %g, ", ldy->free_energy);
  printf ("measures %g %g %g\n", LOCDYN_avgWii (ldy), LOCDYN_minWii (ldy), LOCDYN_maxWii (ldy));
  printf ("clone is the source: %d\n", LOCDYN_Clone_Non_Contacts (ldy) == ldy);
  host_remove (host, con);
  LOCDYN_Destroy (ldy);
  printf ("version is there: %d\n", strlen (ldy_version ()) > 0);
  printf ("operator: %d", ldy_rigid_operator (body, point, frame, H));
  printf (", H(2,0) = %g\n", H[2]);
  MX *matrix = BODY_Gen_To_Loc_Operator (body, FIXPNT, NULL, point, frame);
  printf ("matrix: H(2,0) = %g\n", matrix->x[2]);
  MX_Destroy (matrix);
  printf ("option: %d\n", ldy_set_option (-1, 0));
  printf ("details: %s\n", strlen (ldy_last_error ()) > 0 ? "yes" : "none");
  host_destroy (host);
  return 0;
}
