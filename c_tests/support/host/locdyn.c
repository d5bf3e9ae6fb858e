/* Stands for the object of the legacy module: the twelve functions, doing nothing but being recognizable. */
#include "ldy_host.h"

static LOCDYN locdyn;
static DIAB row;

LOCDYN *LOCDYN_Create (DOM *dom)
{
  locdyn.dom = dom;
  return &locdyn;
}

DIAB *LOCDYN_Insert (LOCDYN *ldy, CON *con, BODY *one, BODY *two)
{
  (void) one, (void) two;
  row.con = con;
  return ldy->dia = &row;
}

void LOCDYN_Remove (LOCDYN *ldy, DIAB *dia)
{
  (void) dia;
  ldy->dia = NULL;
}

void LOCDYN_Update_Begin (LOCDYN *ldy)
{
  ldy->free_energy = 4711;
}

void LOCDYN_Update_End (LOCDYN *ldy)
{
  (void) ldy;
}

void LOCDYN_Dump (LOCDYN *ldy, const char *path)
{
  (void) ldy, (void) path;
}

void LOCDYN_W_MatrixMarket (LOCDYN *ldy, const char *path)
{
  (void) ldy, (void) path;
}

LOCDYN *LOCDYN_Clone_Non_Contacts (LOCDYN *ldy)
{
  return ldy;
}

double LOCDYN_avgWii (LOCDYN *ldy)
{
  (void) ldy;
  return 4712;
}

double LOCDYN_minWii (LOCDYN *ldy)
{
  (void) ldy;
  return 4713;
}

double LOCDYN_maxWii (LOCDYN *ldy)
{
  (void) ldy;
  return 4714;
}

void LOCDYN_Destroy (LOCDYN *ldy)
{
  (void) ldy;
}
