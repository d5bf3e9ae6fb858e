/* A host that has all that the library may ask of one: its own operators, timers, error stack and texts. Prints what
 * came through; with an argument it ends by an error that nobody takes. */
#include <stdio.h>
#include <string.h>

#include "support/host/hooks.h"
#include "support/host/host.h"
#include "support/host/operators.h"

static void remove_nothing (void *ldy)
{
  LOCDYN_Remove (ldy, NULL);
}

int main (int argc, char **argv)
{
  double point[3] = { 0 }, frame[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, velocity[3] = { 0 };
  HOST *host = host_create ();
  BODY *body = host_add_body (host, RIG);
  CON *con = host_add_constraint (host, FIXPNT, body, NULL);

  (void) argv;
  host->dom.ldy = LOCDYN_Create (&host->dom);
  host_insert (host, con);
  LOCDYN_Update_Begin (host->dom.ldy);
  printf ("W = %g %g %g\n", con->dia->W[0], con->dia->W[4], con->dia->W[8]);
  printf ("timers: %d %d %s\n", host_timers.starts, host_timers.ends, host_timers.start_label ? host_timers.start_label : "none");
  BODY_Local_Velo (body, NULL, point, frame, NULL, velocity);
  printf ("operators: %s\n", velocity[0] == HOST_MARK ? "the host's" : "the library's");
  int code = host_try (remove_nothing, host->dom.ldy);
  printf ("error stack: %d, details: %s\n", code, strlen (ldy_last_error ()) > 0 ? "yes" : "none");
  fflush (stdout);
  if (argc > 1) remove_nothing (host->dom.ldy);
  LOCDYN_Destroy (host->dom.ldy);
  host_destroy (host);
  return 0;
}
