#include "legacy/shadow_finds.h"

#include "support/check.h"
#include "support/guarded.h"

int shadow_check (ldy_shadow *shadow, const ldy_tolerance *tolerance, ldy_report *report)
{
  guarded_lock ();
  int agree = ldy_shadow_check (shadow, tolerance, report);
  guarded_unlock ();
  return agree;
}

ldy_report shadow_finds (ldy_shadow *shadow, const CON *con, const CON *neighbour, const BODY *body, const char *what)
{
  ldy_report report = { .size = sizeof report };

  CHECK_INT (shadow_check (shadow, NULL, &report), 0);
  CHECK_INT (report.code, LDY_DIFFERS);
  CHECK_INT (report.constraint, con ? (long) con->id : -1);
  CHECK_INT (report.neighbour, neighbour ? (long) neighbour->id : -1);
  CHECK_INT (report.body, body ? (long) body->id : -1);
  CHECK_TEXT (report.text, what);
  CHECK_TEXT (ldy_last_error (), what);
  return report;
}
