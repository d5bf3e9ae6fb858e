/* ldy_system.h and nothing else. */
#include "ldy_system.h"

static int solve (int size, int columns, double *x, void *data)
{
  (void) size, (void) columns, (void) x, (void) data;
  return 0;
}

int use (ldy_system *system, const double *values);

int use (ldy_system *system, const double *values)
{
  ldy_operator H = { 2, 0, 0, 0, 6 };
  ldy_inertia inertia = { sizeof (ldy_inertia), LDY_INERTIA_FUNCTION, 2, 0, 0, 0, 0, 0, solve, 0, 0 };
  ldy_rows rows;
  int64_t id;

  H.values = values;
  rows.size = sizeof rows;
  if (ldy_system_add_body (system, &inertia, &id)) return LDY_ERROR_OUT_OF_MEMORY;
  if (ldy_system_add_constraint_rows (system, 3, &id, &H, 1, &id)) return LDY_ERROR_INVALID_ARGUMENT;
  return ldy_system_results (system, &rows) || ldy_last_error ()[0] || ldy_version ()[0] || ldy_set_threads (1);
}
