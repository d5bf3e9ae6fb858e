/* allocation_failures STEP: every STEP-th allocation of the library made to fail in turn: the k-th one alone, and all from the
 * k-th on. */

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"
#include "support/compare.h"
#include "support/failing_allocator.h"
#include "support/host/hooks.h"
#include "support/mesh_builder.h"
#include "support/output_capture.h"

/* ---- calls */

typedef struct {
  HOST *host;
  CON *waiting;  /* constraints without a row, kept out of the domain's list: an update wants a row for each of that */
  ldy_shadow *shadow; /* a shadow of the library itself, for calls that need one */
  void *result;
  int answer;         /* the code of a call that does not raise it */
} SETTING;

/* All waiting constraints into the domain's list, with a row for each. */
static void admit (SETTING *s)
{
  CON *con;

  while ((con = s->waiting)) {
    s->waiting = con->next;
    host_link (s->host, con);
  }
  for (con = s->host->dom.con; con; con = con->next) {
    if (!con->dia) host_insert (s->host, con);
  }
}

static double point[3] = { 1, 2, 3 }, frame[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
static int ends[2] = { 0, 1 };

static void create (SETTING *s) { s->result = LOCDYN_Create (&s->host->dom); }
static void destroy_created (SETTING *s) { LOCDYN_Destroy (s->result); }

/* All that have no row yet: their rows and blocks do not fit into what is there. */
static void insert (SETTING *s)
{
  for (CON *con = s->waiting; con; con = con->next) {
    if (!host_insert (s->host, con)) return;
  }
  s->result = s;
}

static void begin (SETTING *s)
{
  LOCDYN_Update_Begin (s->host->dom.ldy);
  s->result = s;
}

static void end (SETTING *s)
{
  LOCDYN_Update_End (s->host->dom.ldy);
  s->result = s;
}

static void removal (SETTING *s)
{
  LOCDYN_Remove (s->host->dom.ldy, s->host->dom.con->dia);
  s->result = s;
}

static void dump (SETTING *s)
{
  LOCDYN_Dump (s->host->dom.ldy, "/dev/null");
  s->result = s;
}

static void update_and_admit (SETTING *s)
{
  LOCDYN_Update_Begin (s->host->dom.ldy);
  admit (s);
}

/* Asks for no memory at all. */
static void matrix_market (SETTING *s)
{
  LOCDYN_W_MatrixMarket (s->host->dom.ldy, "/dev/null");
  s->result = s;
}

static void clone (SETTING *s) { s->result = LOCDYN_Clone_Non_Contacts (s->host->dom.ldy); }

static void create_shadow (SETTING *s)
{
  s->result = ldy_shadow_new (s->host->dom.ldy);
  if (!s->result) s->answer = LDY_ERROR_OUT_OF_MEMORY;
}

static void free_shadow (SETTING *s) { ldy_shadow_free (s->result); }

static void check_shadow (SETTING *s)
{
  ldy_report report = { .size = sizeof report };

  if (ldy_shadow_check (s->shadow, NULL, &report)) s->result = s;
  s->answer = report.code;
}

static void update_and_watch (SETTING *s)
{
  s->shadow = ldy_shadow_new (s->host->dom.ldy);
  LOCDYN_Update_Begin (s->host->dom.ldy);
}

static void watch_twice (SETTING *s)
{
  update_and_watch (s);
  CHECK (ldy_shadow_check (s->shadow, NULL, NULL));
}

/* The shadow has checked some rows, and there are more since. */
static void watch_and_grow (SETTING *s)
{
  watch_twice (s);
  admit (s);
  LOCDYN_Update_Begin (s->host->dom.ldy);
}

/* The row of the first one waiting, a contact of two obstacles: at the next update both are obstacles no more. */
static void detach_first (SETTING *s)
{
  CON *con = s->waiting;

  con->master->kind = con->slave->kind = OBS;
  host_insert (s->host, con);
  con->master->kind = con->slave->kind = RIG;
}

static void forget_row (SETTING *s) { s->host->dom.con->dia = NULL; }
static void operator (SETTING *s) { s->result = BODY_Gen_To_Loc_Operator (s->host->dom.bod, FIXPNT, NULL, point, frame); }
static void create_dense (SETTING *s) { s->result = MX_Create (MXDENSE, 3, 3, NULL, NULL); }
static void create_blocks (SETTING *s) { s->result = MX_Create (MXBD, 1, 1, ends, ends); }
static void create_columns (SETTING *s) { s->result = MX_Create (MXCSC, 1, 1, ends, ends); }
static void destroy_matrix (SETTING *s) { MX_Destroy (s->result); }

typedef struct {
  const char *name;
  void (*before) (SETTING *);     /* NULL: nothing */
  void (*call) (SETTING *);
  void (*afterwards) (SETTING *); /* when it has succeeded */
  int allocates;                  /* at least one allocation is expected */
} CALL;

static const CALL calls[] = {
  { "Create", NULL, create, destroy_created, 1 },
  { "Insert", NULL, insert, NULL, 1 },
  { "Update_Begin", NULL, begin, NULL, 1 },
  { "Update_Begin with rows that are new", update_and_admit, begin, NULL, 1 },
  { "Update_Begin with bodies that begin to count", detach_first, begin, NULL, 1 },
  { "Update_End", NULL, end, NULL, 0 },
  { "Remove", NULL, removal, forget_row, 0 },
  { "Dump", NULL, dump, NULL, 1 },
  { "W_MatrixMarket", NULL, matrix_market, NULL, 0 },
  { "Clone_Non_Contacts", NULL, clone, destroy_created, 1 },
  { "operator", NULL, operator, destroy_matrix, 1 },
  { "dense matrix", NULL, create_dense, destroy_matrix, 1 },
  { "blocks", NULL, create_blocks, destroy_matrix, 1 },
  { "columns", NULL, create_columns, destroy_matrix, 1 },
  { "shadow", NULL, create_shadow, free_shadow, 1 },
  { "first shadow check", update_and_watch, check_shadow, NULL, 1 },
  { "second shadow check", watch_twice, check_shadow, NULL, 1 },
  { "shadow check of more rows", watch_and_grow, check_shadow, NULL, 1 },
};

/* ---- */

#define CROWD 60
#define INSERTED 10

/* Which of its constraints interact depends on where they are when inserted. */
static BODY *explicit_mesh (HOST *host, RANDOM *random)
{
  MESH_BODY kind = { TOTAL_LAGRANGIAN, SCH_DEF_EXP, INERTIA_DIAGONAL, CELLS_HEXAHEDRA, 0, { 2, 2, 1 } };

  return mesh_body (host, random, kind);
}

/* Many constraints of a few bodies, some of them inserted; first of those that wait, one of bodies without rows. */
static SETTING setting (void)
{
  RANDOM random = { 31 };
  SETTING s = { host_create (), NULL, NULL, NULL, 0 };
  BODY *body[4];
  CON *con;

  body[0] = scene_body (s.host, &random, RIG, INVERSE_BLOCKS);
  body[1] = scene_body (s.host, &random, PRB, INVERSE_DENSE);
  body[2] = scene_body (s.host, &random, PRB, INVERSE_SPARSE);
  body[3] = explicit_mesh (s.host, &random);
  s.host->dom.ldy = LOCDYN_Create (&s.host->dom);
  for (int i = 0; i < CROWD; i ++) {
    con = mesh_constraint (s.host, &random, i % 7 ? CONTACT : RIGLNK, body[i % 4], body[(i + 1) % 4]);
    if (i < INSERTED) {
      host_insert (s.host, con);
    } else {
      host_unlink (s.host, con);
      con->next = s.waiting;
      s.waiting = con;
    }
  }
  body[0] = scene_body (s.host, &random, RIG, INVERSE_BLOCKS);
  body[1] = scene_body (s.host, &random, RIG, INVERSE_BLOCKS);
  con = scene_constraint (s.host, &random, CONTACT, body[0], body[1]);
  host_unlink (s.host, con);
  con->next = s.waiting;
  s.waiting = con;
  return s;
}

/* The waiting constraints go: nothing may remember one whose insertion failed. */
static void dismiss (SETTING *s)
{
  CON *con;

  while ((con = s->waiting)) {
    s->waiting = con->next;
    host_link (s->host, con);
    if (con->dia) host_remove (s->host, con);
    host_free_constraint (s->host, con);
  }
}

static void call_armed (void *data)
{
  SETTING *s = ((void **) data)[0];
  const CALL *call = ((void **) data)[1];

  failing.armed = 1;
  call->call (s);
}

/* A shadow whose check failed still knows which constraints interact, although they are at other places now. */
static void move_constraints (SETTING *s)
{
  RANDOM random = { 32 };

  for (CON *con = s->host->dom.con; con; con = con->next) mesh_place (con, &random);
}

/* One attempt whose k-th allocation fails; 1 if one did. */
static int attempt (const CALL *call, int k)
{
  SETTING s = setting ();
  void *data[2];

  check_context ("%s, %s %d", call->name, failing.persistent ? "all allocations from" : "allocation", k);
  if (call->before) call->before (&s);
  data[0] = &s;
  data[1] = (void *) call;
  failing.until = k;
  failing.failed = 0;
  host_reset_timers ();
  int code = host_try (call_armed, data);
  failing.armed = 0;
  if (!code) code = s.answer;
  CHECK_INT (code, failing.failed && code ? LDY_ERROR_OUT_OF_MEMORY : 0); /* it may also do without what it did not get */
  CHECK_INT (host_timers.ends, host_timers.starts);
  CHECK (ldy_is_consistent (s.host->dom.ldy, NULL));
  if (code) {
    CHECK (!s.result);
    CHECK (*ldy_last_error () != '\0');
  } else {
    CHECK (s.result != NULL);
    if (call->afterwards) call->afterwards (&s);
  }
  if (call->before == watch_twice) move_constraints (&s);
  if (k % 2) admit (&s);
  else dismiss (&s);
  update_and_compare (s.host, UPDATE_ALL);
  if (s.shadow) CHECK (ldy_shadow_check (s.shadow, NULL, NULL));
  ldy_shadow_free (s.shadow);
  scene_destroy (s.host);
  return failing.failed > 0;
}

/* The line about an error needs no memory. */
static void test_line (void)
{
  SETTING s = setting ();
  void *data[2] = { &s, (void *) &calls[1] };
  char text[1024];

  check_context ("line on stderr");
  failing.until = failing.persistent = 1;
  ldy_set_option (LDY_QUIET, 0);
  CAPTURE capture = capture_begin (STDERR_FILENO);
  int code = host_try (call_armed, data);
  failing.armed = 0;
  capture_end (&capture, text, sizeof text);
  ldy_set_option (LDY_QUIET, 1);
  CHECK_INT (code, LDY_ERROR_OUT_OF_MEMORY);
  CHECK_INT (failing.failed, 1); /* in the call */
  CHECK_TEXT (text, "error 1 of the host's own table: ");
  CHECK_TEXT (text, ldy_last_error ());
  dismiss (&s);
  scene_destroy (s.host);
}

int main (int argc, char **argv)
{
  int step = argc > 1 ? atoi (argv[1]) : 0, k;

  if (!CHECK (step > 0)) return check_summary ("allocation_failures");
  ldy_set_option (LDY_QUIET, 1);
  test_line ();

  for (int i = 0; i < (int) (sizeof calls / sizeof *calls); i ++) {
    for (failing.persistent = 0; failing.persistent < 2; failing.persistent ++) {
      for (k = 1; attempt (&calls[i], k); k += step) continue;
      check_context ("%s", calls[i].name);
      if (calls[i].allocates) CHECK (k > 1);
    }
  }
  return check_summary ("allocation_failures");
}
