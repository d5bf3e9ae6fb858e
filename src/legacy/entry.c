/* The twelve entry points of the legacy module, and nothing else: the linker must be able to omit this object in a program
 * that has its own entry points. Each calls one Rust function and raises an error only after the call has returned, so
 * that longjmp never crosses a Rust frame. */
#include <math.h>
#include <stdio.h>

#include "internal.h"

LOCDYN *LOCDYN_Create (DOM *dom)
{
  LOCDYN *ldy = NULL;

  LDY_RAISE (ldy_entry_create (dom, &ldy));
  return ldy;
}

DIAB *LOCDYN_Insert (LOCDYN *ldy, CON *con, BODY *one, BODY *two)
{
  DIAB *dia = NULL;

  LDY_RAISE (ldy_entry_insert (ldy, con, one, two, &dia));
  return dia;
}

void LOCDYN_Remove (LOCDYN *ldy, DIAB *dia)
{
  LDY_RAISE (ldy_entry_remove (ldy, dia));
}

void LOCDYN_Update_Begin (LOCDYN *ldy)
{
  DOM *dom = ldy_entry_domain (ldy);
  int code;

  if (dom && dom->verbose && ldy_hook_prints ()) {
    printf ("LOCDYN ... ");
    fflush (stdout);
  }
  ldy_hook_timer_start (dom);
  code = ldy_entry_update_begin (ldy);
  ldy_hook_timer_end (dom);
  LDY_RAISE (code);
}

void LOCDYN_Update_End (LOCDYN *ldy)
{
  DOM *dom = ldy_entry_domain (ldy);
  int code;

  ldy_hook_timer_start (dom);
  code = ldy_entry_update_end (ldy);
  ldy_hook_timer_end (dom);
  LDY_RAISE (code);
}

void LOCDYN_Dump (LOCDYN *ldy, const char *path)
{
  LDY_RAISE (ldy_entry_dump (ldy, path));
}

void LOCDYN_W_MatrixMarket (LOCDYN *ldy, const char *path)
{
  LDY_RAISE (ldy_entry_matrix_market (ldy, path));
}

LOCDYN *LOCDYN_Clone_Non_Contacts (LOCDYN *ldy)
{
  LOCDYN *clone = NULL;

  LDY_RAISE (ldy_entry_clone (ldy, &clone));
  return clone;
}

/* Mean, minimum and maximum; NaN after an error. */
static const double *diagonal (LOCDYN *ldy, double *out)
{
  out[0] = out[1] = out[2] = NAN;
  LDY_RAISE (ldy_entry_diagonal (ldy, out));
  return out;
}

double LOCDYN_avgWii (LOCDYN *ldy)
{
  double out[3];

  return diagonal (ldy, out)[0];
}

double LOCDYN_minWii (LOCDYN *ldy)
{
  double out[3];

  return diagonal (ldy, out)[1];
}

double LOCDYN_maxWii (LOCDYN *ldy)
{
  double out[3];

  return diagonal (ldy, out)[2];
}

void LOCDYN_Destroy (LOCDYN *ldy)
{
  LDY_RAISE (ldy_entry_destroy (ldy));
}
