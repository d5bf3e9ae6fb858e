/* Takes nothing but operators from the library. */
#include <stdio.h>
#include <stdlib.h>

#include "ldy_host.h"

int main (void)
{
  double point[3] = { 0.5, 0.25, 0 }, frame[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  double conf[12] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, velo[12] = { 0, 0, 2 }, velocity[3];
  BODY *body = calloc (1, sizeof *body);

  if (!body) return 1;
  body->kind = RIG;
  body->dofs = 6;
  body->conf = conf;
  body->velo = velo;
  MX *H = BODY_Gen_To_Loc_Operator (body, CONTACT, NULL, point, frame);
  printf ("H(0,2) = %g, H(1,2) = %g\n", H->x[6], H->x[7]);
  BODY_Local_Velo (body, NULL, point, frame, NULL, velocity);
  printf ("velocity %g %g %g\n", velocity[0], velocity[1], velocity[2]);
  MX_Destroy (H);
  free (body);
  return 0;
}
