/* cohesion FILE.cohesion ...: LOCDYN_Update_End, by its branches and against recorded calls.
 *
 * A .cohesion file holds a contact a line, what the call read and what it left, in the columns named by its first line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/error_observer.h"
#include "support/host/hooks.h"
#include "support/host/host.h"

typedef struct {
  int kind, model, state_before;
  double cohesion_before, area, friction, R[3];
  int state_after;
  double cohesion_after;
} RECORD;

typedef struct {
  CON *con;
  SURFACE_MATERIAL material;
} CONTACT_ROW;

static void put_row (HOST *host, BODY *one, BODY *two, const RECORD *record, CONTACT_ROW *row)
{
  CON *con = row->con = host_add_constraint (host, record->kind, one, two);

  row->material = host->material;
  row->material.model = record->model ? SPRING_DASHPOT : SIGNORINI_COULOMB;
  row->material.friction = record->friction;
  row->material.cohesion = 123; /* the cohesion of the material: not used */
  con->mat.base = &row->material;
  con->mat.state = malloc (sizeof (double));
  if (!con->mat.state) abort ();
  con->mat.state[0] = record->cohesion_before;
  con->area = record->area;
  con->state = record->state_before;
  for (int i = 0; i < 3; i ++) con->R[i] = record->R[i];
  host_insert (host, con);
}

static void run (const RECORD *records, int count, UPDATE_KIND update)
{
  HOST *host = host_create ();
  BODY *one = host_add_body (host, RIG), *two = host_add_body (host, RIG);
  CONTACT_ROW *rows = calloc ((size_t) count + 1, sizeof *rows);

  if (!rows) abort ();
  host->dom.ldy = LOCDYN_Create (&host->dom);
  for (int i = 0; i < count; i ++) put_row (host, one, two, &records[i], &rows[i]);
  host_set_update (host, update);
  host_reset_timers ();
  LOCDYN_Update_End (host->dom.ldy);
  CHECK_INT (host_timers.starts, 1);
  CHECK_INT (host_timers.ends, 1);
  for (int i = 0; i < count; i ++) {
    CHECK_INT (rows[i].con->state, records[i].state_after);
    CHECK (rows[i].con->mat.state[0] == records[i].cohesion_after);
    CHECK (rows[i].material.cohesion == 123);
  }
  LOCDYN_Destroy (host->dom.ldy);
  host_destroy (host);
  free (rows);
}

/* ---- recorded calls */

static int read_record (const char *line, RECORD *r)
{
  return sscanf (line, "%d %d %d %lf %lf %lf %lf %lf %lf %d %lf", &r->kind, &r->model, &r->state_before, &r->cohesion_before,
                 &r->area, &r->friction, &r->R[0], &r->R[1], &r->R[2], &r->state_after, &r->cohesion_after) == 11;
}

static void run_file (const char *path)
{
  RECORD records[64];
  char line[1024];
  int count = 0;
  FILE *file = fopen (path, "r");

  check_context ("%s", path);
  if (!CHECK (file != NULL)) return;
  while (fgets (line, sizeof line, file)) {
    if (line[0] == '#') continue;
    if (CHECK (count < 64 && read_record (line, &records[count]))) count ++;
  }
  fclose (file);
  CHECK (count > 0);
  run (records, count, UPDATE_ALL);
}

/* ---- branches: cohesion 100 on an area of 0.5, so c = 50, and a coefficient of friction of 0.4 */

#define KEPT 1, 100
#define BROKEN 0, 0

static void test_branches (void)
{
  static const RECORD records[] = {
    { CONTACT, SIGNORINI_COULOMB, 1, 100, 0.5, 0.4, { 0, 0, 10 }, KEPT },
    { CONTACT, SIGNORINI_COULOMB, 1, 100, 0.5, 0.4, { 0, 0, -49.9 }, KEPT },
    { CONTACT, SIGNORINI_COULOMB, 1, 100, 0.5, 0.4, { 0, 0, -50 }, BROKEN },                   /* pulled off */
    { CONTACT, SIGNORINI_COULOMB, 1, 100, 0.5, 0.4, { 0, 0, -60 }, BROKEN },
    { CONTACT, SIGNORINI_COULOMB, 1, 100, 0.5, 0.4, { 0, 0, -50 + 4e-7 }, BROKEN },            /* below the tolerance 5e-7 */
    { CONTACT, SIGNORINI_COULOMB, 1, 100, 0.5, 3.0, { 0, 0, -50 + 4e-7 }, BROKEN },            /* for any friction */
    { CONTACT, SIGNORINI_COULOMB, 1, 100, 0.5, 0.4, { 0, 0, -50 + 6e-6 }, KEPT },
    { CONTACT, SIGNORINI_COULOMB, 1, 100, 0.5, 0.4, { 23.9, 0, 10 }, KEPT },
    { CONTACT, SIGNORINI_COULOMB, 1, 100, 0.5, 0.4, { 24.1, 0, 10 }, BROKEN },                 /* torn off sideways */
    { CONTACT, SIGNORINI_COULOMB, 1, 100, 0.5, 0.4, { 0, -24.1, 10 }, BROKEN },
    { CONTACT, SIGNORINI_COULOMB, 1, 100, 0.5, 0.4, { 17.1, 17.1, 10 }, BROKEN },
    { CONTACT, SIGNORINI_COULOMB, 1, 100, 0.5, 0.4, { 16.9, 16.9, 10 }, KEPT },
    { CONTACT, SIGNORINI_COULOMB, 1, 100, 0.5, 0.4, { 24 - 4e-7, 0, 10 }, BROKEN },            /* within the tolerance */
    { CONTACT, SIGNORINI_COULOMB, 1, 100, 0.5, 0.4, { 24 - 6e-7, 0, 10 }, KEPT },
    { CONTACT, SPRING_DASHPOT, 1, 100, 0.5, 0.4, { 0, 0, -60 }, KEPT },                        /* another model */
    { FIXPNT, SIGNORINI_COULOMB, 1, 100, 0.5, 0.4, { 0, 0, -60 }, KEPT },                      /* no contact */
    { VELODIR, SIGNORINI_COULOMB, 1, 100, 0.5, 0.4, { 99, 0, -60 }, KEPT },
    { CONTACT, SIGNORINI_COULOMB, 0, 100, 0.5, 0.4, { 0, 0, -60 }, 0, 100 },                   /* not cohesive */
    { CONTACT, SIGNORINI_COULOMB, CON_NEW, 100, 0.5, 0.4, { 0, 0, -60 }, CON_NEW, 100 },
    { CONTACT, SIGNORINI_COULOMB, CON_COHESIVE | CON_NEW | CON_DONE, 100, 0.5, 0.4, { 0, 0, -60 }, CON_NEW | CON_DONE, 0 },
    { CONTACT, SIGNORINI_COULOMB, CON_COHESIVE | CON_IDLOCK, 100, 0.5, 0.4, { 0, 0, 10 }, CON_COHESIVE | CON_IDLOCK, 100 },
  };
  RECORD left[sizeof records / sizeof *records];
  int count = sizeof records / sizeof *records, i;

  check_context ("branches");
  run (records, count, UPDATE_ALL);
  check_context ("branches, minimal");
  run (records, count, UPDATE_MINIMAL);
  for (i = 0; i < count; i ++) {
    left[i] = records[i];
    left[i].state_after = left[i].state_before;
    left[i].cohesion_after = left[i].cohesion_before;
  }
  check_context ("branches, penalty");
  run (left, count, UPDATE_PENALTY);
}

/* Exactly at the boundary, in numbers without rounding: a cohesion of 1e8 on an area of 1 has the tolerance e = 1e-8 c = 1. */
static void test_boundary (void)
{
  static const RECORD records[] = {
    /* R[2] + c = e: not pulled off, and with no friction to speak of, 0 + e >= 0.5 e, torn off sideways. */
    { CONTACT, SIGNORINI_COULOMB, 1, 1e8, 1, 0.5, { 0, 0, 1 - 1e8 }, BROKEN },
    /* The same where friction would hold it: 0 + e < 2 e. */
    { CONTACT, SIGNORINI_COULOMB, 1, 1e8, 1, 2, { 0, 0, 1 - 1e8 }, 1, 1e8 },
    /* The next number below. */
    { CONTACT, SIGNORINI_COULOMB, 1, 1e8, 1, 2, { 0, 0, 1 - 1e8 - 0x1p-26 }, BROKEN },
    /* |(3, 4)| + e = f (R[2] + c) = 6: torn off; and the next number above. */
    { CONTACT, SIGNORINI_COULOMB, 1, 1e8, 1, 2, { 3, 4, 3 - 1e8 }, BROKEN },
    { CONTACT, SIGNORINI_COULOMB, 1, 1e8, 1, 2, { 3, 4, 3 - 1e8 + 0x1p-26 }, 1, 1e8 },
  };

  CHECK (1e-8 * 1e8 == 1);
  check_context ("boundary");
  run (records, sizeof records / sizeof *records, UPDATE_ALL);
}

/* ---- what is refused */

static void check_refused (HOST *host, const CON *sound, const double *bond, const char *why)
{
  check_context ("refused: %s", why);
  forget_errors ();
  LOCDYN_Update_End (host->dom.ldy);
  CHECK_INT (watched.code, 52);
  CHECK_INT (sound->state, CON_COHESIVE);
  CHECK (*bond == 100);
}

/* A refused call breaks no bond: the sound contact, whose bond does not hold, comes first in the list. */
static void test_refused (void)
{
  HOST *host = host_create ();
  BODY *one = host_add_body (host, RIG), *two = host_add_body (host, RIG);
  CON *faulty = host_add_constraint (host, CONTACT, one, two), *sound = host_add_constraint (host, CONTACT, one, two);
  SURFACE_MATERIAL material = host->material, *base;
  double bonds[2] = { 100, 100 };

  host->dom.ldy = LOCDYN_Create (&host->dom);
  material.model = SIGNORINI_COULOMB;
  material.friction = 0.5;
  base = &material;
  host->material = material;
  faulty->state = sound->state = CON_COHESIVE;
  faulty->area = sound->area = 1;
  faulty->mat.base = base;
  faulty->mat.state = &bonds[0];
  sound->mat.state = &bonds[1];
  faulty->R[2] = sound->R[2] = -1000;
  host_insert (host, faulty);
  host_insert (host, sound);
  CHECK (host->dom.ldy->dia->con == sound);
  watch_errors ();

  faulty->mat.base = NULL;
  check_refused (host, sound, &bonds[1], "no material");
  faulty->mat.base = base;
  faulty->R[2] = NAN;
  check_refused (host, sound, &bonds[1], "NaN as reaction");
  faulty->R[2] = -1000;
  faulty->R[0] = INFINITY;
  check_refused (host, sound, &bonds[1], "infinite reaction");
  faulty->R[0] = 0;
  faulty->area = NAN;
  check_refused (host, sound, &bonds[1], "NaN as area");
  faulty->area = 1;
  bonds[0] = INFINITY;
  check_refused (host, sound, &bonds[1], "infinite cohesion");
  bonds[0] = 100;
  material.friction = NAN;
  check_refused (host, sound, &bonds[1], "NaN as friction");

  check_context ("no longer refused");
  material.friction = INFINITY;
  forget_errors ();
  LOCDYN_Update_End (host->dom.ldy);
  CHECK_INT (watched.code, 0);
  CHECK (faulty->state == 0 && sound->state == 0 && bonds[0] == 0 && bonds[1] == 0);
  watch_no_errors ();
  faulty->mat.state = sound->mat.state = NULL;
  LOCDYN_Destroy (host->dom.ldy);
  host_destroy (host);
}

/* Without a state of its own the cohesion is 0: any pull, or tangential force at the limit, ends it. */
static void test_stateless (void)
{
  HOST *host = host_create ();
  BODY *one = host_add_body (host, RIG), *two = host_add_body (host, RIG);
  CON *pressed = host_add_constraint (host, CONTACT, one, two), *pulled = host_add_constraint (host, CONTACT, one, two);

  check_context ("no state");
  host->dom.ldy = LOCDYN_Create (&host->dom);
  host->material.friction = 0.5;
  pressed->state = pulled->state = CON_COHESIVE;
  pressed->area = pulled->area = 1;
  pressed->R[2] = 1;
  pulled->R[2] = -1e-9;
  host_insert (host, pressed);
  host_insert (host, pulled);
  LOCDYN_Update_End (host->dom.ldy);
  CHECK_INT (pressed->state, CON_COHESIVE);
  CHECK_INT (pulled->state, 0);
  CHECK (!pulled->mat.state);
  LOCDYN_Destroy (host->dom.ldy);
  host_destroy (host);
}

int main (int argc, char **argv)
{
  CHECK (argc > 1);
  for (int i = 1; i < argc; i ++) run_file (argv[i]);
  test_branches ();
  test_boundary ();
  test_refused ();
  test_stateless ();
  return check_summary ("cohesion");
}
