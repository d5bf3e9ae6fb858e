/* Calls the six functions that a host may have of its own, and assembles: prints whose they were and W.
 * Linked with host/operators.o: the host's; without: the library's. W is the same, as assembly never goes through them. */
#include <stdio.h>

#include "support/host/host.h"
#include "support/host/operators.h"

static int refused;

static void refuse (int code, const char *text, void *data)
{
  (void) code, (void) text, (void) data;
  refused = 1;
}

static void say (const char *name, int hosts)
{
  printf ("%s: %s\n", name, hosts ? "the host's" : "the library's");
}

static int marked (const MX *matrix)
{
  return matrix && matrix->x && matrix->x[0] == HOST_MARK;
}

int main (void)
{
  double point[3] = { 0.5, 0.25, 0 }, frame[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, velocity[3] = { 0 };
  HOST *host = host_create ();
  BODY *body = host_add_body (host, RIG);
  CON *con = host_add_constraint (host, FIXPNT, body, NULL);
  MX *created, *operator;

  created = MX_Create (MXDENSE, 1, 1, NULL, NULL);
  say ("MX_Create", marked (created));
  operator = BODY_Gen_To_Loc_Operator (body, FIXPNT, NULL, point, frame);
  say ("BODY_Gen_To_Loc_Operator", marked (operator));
  BODY_Local_Velo (body, NULL, point, frame, NULL, velocity);
  say ("BODY_Local_Velo", velocity[0] == HOST_MARK);
  MX_Destroy (created);
  MX_Destroy (operator);
  ldy_set_error_handler (refuse, NULL); /* the library's own say that this is no finite-element body */
  operator = FEM_Gen_To_Loc_Operator (body, NULL, NULL, point, frame);
  say ("FEM_Gen_To_Loc_Operator", marked (operator) && !refused);
  if (operator) MX_Destroy (operator);
  velocity[0] = 0;
  FEM_Local_Velo (body, NULL, NULL, point, frame, NULL, velocity);
  say ("FEM_Local_Velo", velocity[0] == HOST_MARK && !refused);
  ldy_set_error_handler (NULL, NULL);

#ifdef HOST_OPERATORS
  printf ("MX_Destroy: %s\n", host_operator_calls == 8 ? "the host's" : "neither");
  host_operator_calls = 0;
#endif
  host->dom.ldy = LOCDYN_Create (&host->dom);
  host_insert (host, con);
  LOCDYN_Update_Begin (host->dom.ldy);
  printf ("W = %g %g %g\n", con->dia->W[0], con->dia->W[4], con->dia->W[8]);
#ifdef HOST_OPERATORS
  printf ("host's operators called by the assembly: %d\n", host_operator_calls);
#endif
  LOCDYN_Destroy (host->dom.ldy);
  host_destroy (host);
  return 0;
}
