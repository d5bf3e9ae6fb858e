/* Every allocation of the library made to fail in turn: the k-th one alone, and all from the k-th on. */

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "compare.h"
#include "failing.h"
#include "host/hooks.h"
#include "scene.h"

/* ---- calls */

typedef struct {
  HOST *host;
  CON *waiting;  /* constraints without a row, kept out of the domain's list: an update wants a row for each of that */
  void *result;
} SETTING;

static double point[3] = { 1, 2, 3 }, frame[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
static int ends[2] = { 0, 1 };

static void create (SETTING *s) { s->result = LOCDYN_Create (&s->host->dom); }
static void destroy_created (SETTING *s) { LOCDYN_Destroy (s->result); }

/* All that have no row yet: their rows and blocks do not fit into what is there. */
static void insert (SETTING *s)
{
  CON *con;

  for (con = s->waiting; con; con = con->next) {
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

/* Asks for no memory at all. */
static void matrix_market (SETTING *s)
{
  LOCDYN_W_MatrixMarket (s->host->dom.ldy, "/dev/null");
  s->result = s;
}

static void clone (SETTING *s) { s->result = LOCDYN_Clone_Non_Contacts (s->host->dom.ldy); }

static void forget_row (SETTING *s) { s->host->dom.con->dia = NULL; }
static void operator (SETTING *s) { s->result = BODY_Gen_To_Loc_Operator (s->host->dom.bod, FIXPNT, NULL, point, frame); }
static void create_dense (SETTING *s) { s->result = MX_Create (MXDENSE, 3, 3, NULL, NULL); }
static void create_blocks (SETTING *s) { s->result = MX_Create (MXBD, 1, 1, ends, ends); }
static void create_columns (SETTING *s) { s->result = MX_Create (MXCSC, 1, 1, ends, ends); }
static void destroy_matrix (SETTING *s) { MX_Destroy (s->result); }

typedef struct {
  const char *name;
  void (*call) (SETTING *);
  void (*afterwards) (SETTING *); /* when it has succeeded */
  int allocates;                  /* at least one allocation is expected */
} CALL;

static const CALL calls[] = {
  { "Create", create, destroy_created, 1 },
  { "Insert", insert, NULL, 1 },
  { "Update_Begin", begin, NULL, 0 },
  { "Update_End", end, NULL, 0 },
  { "Remove", removal, forget_row, 0 },
  { "Dump", dump, NULL, 1 },
  { "W_MatrixMarket", matrix_market, NULL, 0 },
  { "Clone_Non_Contacts", clone, destroy_created, 1 },
  { "operator", operator, destroy_matrix, 1 },
  { "dense matrix", create_dense, destroy_matrix, 1 },
  { "blocks", create_blocks, destroy_matrix, 1 },
  { "columns", create_columns, destroy_matrix, 1 },
};

/* ---- */

#define CROWD 60
#define INSERTED 10

/* Many constraints of a few bodies, some of them inserted. */
static SETTING setting (void)
{
  RANDOM random = { 31 };
  SETTING s = { host_create (), NULL, NULL };
  BODY *body[3];
  CON *con;
  int i;

  body[0] = scene_body (s.host, &random, RIG, INVERSE_BLOCKS);
  body[1] = scene_body (s.host, &random, PRB, INVERSE_DENSE);
  body[2] = scene_body (s.host, &random, PRB, INVERSE_SPARSE);
  s.host->dom.ldy = LOCDYN_Create (&s.host->dom);
  for (i = 0; i < CROWD; i ++) {
    con = scene_constraint (s.host, &random, i % 7 ? CONTACT : RIGLNK, body[i % 3], body[(i + 1) % 3]);
    if (i < INSERTED) {
      host_insert (s.host, con);
    } else {
      host_unlink (s.host, con);
      con->next = s.waiting;
      s.waiting = con;
    }
  }
  return s;
}

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

/* One attempt whose k-th allocation fails; 1 if one did. */
static int attempt (const CALL *call, int k)
{
  SETTING s = setting ();
  void *data[2];
  int code;

  check_context ("%s, %s %d", call->name, failing.persistent ? "all allocations from" : "allocation", k);
  data[0] = &s;
  data[1] = (void *) call;
  failing.until = k;
  failing.failed = 0;
  host_reset_timers ();
  code = host_try (call_armed, data);
  failing.armed = 0;
  CHECK_INT (code, failing.failed && code ? LDY_OUT_OF_MEMORY : 0); /* it may also do without what it did not get */
  CHECK_INT (host_timers.ends, host_timers.starts);
  CHECK (ldy_is_consistent (s.host->dom.ldy, NULL));
  if (code) {
    CHECK (!s.result);
    CHECK (*ldy_last_error () != '\0');
  } else {
    CHECK (s.result != NULL);
    if (call->afterwards) call->afterwards (&s);
  }
  if (k % 2) admit (&s);
  else dismiss (&s);
  update_and_compare (s.host, UPDATE_ALL);
  scene_destroy (s.host);
  return failing.failed > 0;
}

int main (void)
{
  int i, k;

  for (i = 0; i < (int) (sizeof calls / sizeof *calls); i ++) {
    for (failing.persistent = 0; failing.persistent < 2; failing.persistent ++) {
      for (k = 1; attempt (&calls[i], k); k ++) continue;
      check_context ("%s", calls[i].name);
      if (calls[i].allocates) CHECK (k > 1);
    }
  }
  return check_summary ("allocation_failures");
}
