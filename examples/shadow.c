/* shadow: a host with a legacy module of its own (legacy_module.c) watches it with the library's shadow: constraints come
 * and go from step to step; in the last step one entry of one block is wrong. The times of both are told in the end. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "c_tests/support/host/host.h"

#define BODIES 5
#define STEPS 6

static CON *contact (HOST *host, BODY *one, BODY *two, double x)
{
  CON *con = host_add_constraint (host, CONTACT, one, two);

  con->mpnt[0] = 0.5, con->mpnt[1] = x, con->mpnt[2] = 0.3;
  con->spnt[0] = -0.5, con->spnt[1] = x, con->spnt[2] = 0.2;
  host_insert (host, con);
  return con;
}

static void move (BODY *const *body, int step)
{
  int b, i;

  for (b = 0; b < BODIES; b ++) {
    for (i = 0; i < 6; i ++) {
      body[b]->velo[6 + i] = body[b]->velo[i];
      body[b]->velo[i] = sin (1 + b + 2 * i + step);
    }
  }
}

static double seconds (void)
{
  return (double) clock () / CLOCKS_PER_SEC;
}

static int check (ldy_shadow *shadow, int step, double *time)
{
  ldy_report report = { .size = sizeof report };
  int agree = ldy_shadow_check (shadow, NULL, &report);

  *time += report.time;
  printf ("step %d: %s\n", step, agree ? "agree" : report.text);
  return agree;
}

int main (void)
{
  HOST *host = host_create ();
  LOCDYN *ldy = host->dom.ldy = LOCDYN_Create (&host->dom);
  ldy_shadow *shadow = ldy_shadow_new (ldy);
  BODY *body[BODIES];
  CON *con;
  double legacy_time = 0, own_time = 0;
  int step, agreed = 0, b;

  for (b = 0; b < BODIES; b ++) body[b] = host_add_body (host, RIG);
  for (step = 1; step <= STEPS; step ++) {
    for (b = 0; b + 1 < BODIES; b ++) con = contact (host, body[b], body[b + 1], 0.1 * step);
    if (step > 2) {
      con = host->dom.con;
      host_remove (host, con);
      host_free_constraint (host, con);
    }
    move (body, step);
    legacy_time -= seconds ();
    LOCDYN_Update_Begin (ldy);
    legacy_time += seconds ();
    if (step == STEPS) ldy->dia->n->adj->W[4] *= 1 + 1e-6;
    agreed += check (shadow, step, &own_time);
  }
  printf ("seconds: the legacy module %.9f, the library %.9f\n", legacy_time, own_time);
  ldy_shadow_free (shadow);
  LOCDYN_Destroy (ldy);
  for (con = host->dom.con; con; con = con->next) con->dia = NULL;
  host_destroy (host);
  return agreed == STEPS - 1 ? 0 : 1;
}
