/* Rows and blocks: what LOCDYN_Create, Insert, Remove and Destroy do to the lists, without any numbers. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/host/host.h"

/* The row's blocks are exactly these pairs (CON *, BODY *), in this order. */
static void expect_blocks (const CON *con, int count, ...)
{
  const OFFB *block = con->dia->adj;
  const CON *neighbour;
  const BODY *body;
  va_list pairs;

  va_start (pairs, count);
  for (int i = 0; i < count; i ++) {
    neighbour = va_arg (pairs, CON *);
    body = va_arg (pairs, BODY *);
    if (!CHECK (block != NULL)) break;
    CHECK_POINTER (block->dia, neighbour->dia);
    CHECK_POINTER (block->bod, body);
    block = block->n;
  }
  va_end (pairs);
  CHECK (block == NULL);
}

/* The list of rows is exactly these constraints, linked both ways. */
static void expect_rows (const LOCDYN *ldy, int count, ...)
{
  const DIAB *dia = ldy->dia, *last = NULL;
  va_list constraints;

  va_start (constraints, count);
  for (int i = 0; i < count; i ++) {
    if (!CHECK (dia != NULL)) break;
    CHECK_POINTER (dia->con, va_arg (constraints, CON *));
    CHECK_POINTER (dia->p, last);
    last = dia;
    dia = dia->n;
  }
  va_end (constraints);
  CHECK (dia == NULL);
}

static int all_zero (const void *memory, size_t size)
{
  const unsigned char *byte = memory;

  while (size --) {
    if (*byte ++) return 0;
  }
  return 1;
}

static HOST *begin (const char *what)
{
  HOST *host = host_create ();

  check_context ("%s", what);
  host->dom.ldy = LOCDYN_Create (&host->dom);
  return host;
}

static void end (HOST *host)
{
  LOCDYN_Destroy (host->dom.ldy);
  host_destroy (host);
}

/* ---- rows */

static void test_create (void)
{
  HOST *host = host_create ();

  check_context ("create");
  host->dom.solfec = NULL; /* need not be set yet */
  LOCDYN *ldy = LOCDYN_Create (&host->dom);
  CHECK_POINTER (ldy->dom, &host->dom);
  CHECK_POINTER (ldy->dia, NULL);
  CHECK (ldy->free_energy == 0);
  LOCDYN_Destroy (ldy);
  host_destroy (host);
}

static void test_rows (void)
{
  HOST *host = begin ("rows");
  CON *con[4], *neighbour;

  for (int i = 0; i < 4; i ++) {
    con[i] = host_add_constraint (host, FIXPNT, host_add_body (host, RIG), NULL);
    neighbour = con[i];
    CHECK (LOCDYN_Insert (host->dom.ldy, con[i], con[i]->master, con[i]->slave) == host->dom.ldy->dia);
    CHECK_POINTER (con[i]->dia, NULL); /* storing it is up to the caller */
    con[i]->dia = host->dom.ldy->dia;
    CHECK_POINTER (con[i]->dia->R, con[i]->R);
    CHECK_POINTER (con[i]->dia->U, con[i]->U);
    CHECK_POINTER (con[i]->dia->V, con[i]->V);
    CHECK_POINTER (con[i]->dia->con, neighbour);
    CHECK (all_zero (con[i]->dia->W, sizeof (double[9 + 9 + 3 + 1])));
    CHECK (!con[i]->dia->adj && !con[i]->dia->mH && !con[i]->dia->mprod && !con[i]->dia->sH && !con[i]->dia->sprod);
  }
  expect_rows (host->dom.ldy, 4, con[3], con[2], con[1], con[0]);
  host_remove (host, con[1]); /* from the middle */
  expect_rows (host->dom.ldy, 3, con[3], con[2], con[0]);
  host_remove (host, con[3]); /* the head */
  expect_rows (host->dom.ldy, 2, con[2], con[0]);
  host_remove (host, con[0]); /* the tail */
  expect_rows (host->dom.ldy, 1, con[2]);
  host_insert (host, con[0]);
  expect_rows (host->dom.ldy, 2, con[0], con[2]);
  host_remove (host, con[0]);
  host_remove (host, con[2]);
  expect_rows (host->dom.ldy, 0);
  end (host);
}

/* ---- blocks */

/* Three constraints of one body, inserted in set order: each new block goes to the head of both lists. */
static void three_on_a_body (SET_FORM form)
{
  HOST *host = begin ("three constraints of a body");
  CON *x, *y, *z;

  host->set_form = form;
  BODY *body = host_add_body (host, RIG);
  x = host_add_constraint (host, FIXPNT, body, NULL);
  y = host_add_constraint (host, FIXPNT, body, NULL);
  z = host_add_constraint (host, FIXPNT, body, NULL);
  host_insert (host, x);
  host_insert (host, y);
  expect_blocks (x, 1, y, body);
  expect_blocks (y, 1, x, body);
  host_insert (host, z);
  expect_blocks (x, 2, z, body, y, body);
  expect_blocks (y, 2, z, body, x, body);
  expect_blocks (z, 2, y, body, x, body);
  CHECK (all_zero (z->dia->adj->W, sizeof z->dia->adj->W));
  end (host);
}

static void test_set_order (void)
{
  CON *x, *y, *z, *other[3];

  three_on_a_body (SET_BALANCED);
  three_on_a_body (SET_LEFT_CHAIN);
  three_on_a_body (SET_RIGHT_CHAIN);

  HOST *host = begin ("another order of the set");
  BODY *body = host_add_body (host, RIG);
  x = host_add_constraint (host, FIXPNT, body, NULL);
  y = host_add_constraint (host, FIXPNT, body, NULL);
  z = host_add_constraint (host, FIXPNT, body, NULL);
  other[0] = y;
  other[1] = z;
  other[2] = x;
  host_set_constraints (body, other, 3);
  host_insert (host, x);
  host_insert (host, y);
  host_insert (host, z);
  expect_blocks (z, 2, x, body, y, body); /* y comes before x in the set, so x's block is put at the head last */
  end (host);
}

static void test_two_bodies (void)
{
  HOST *host = begin ("two shared bodies");
  BODY *b1 = host_add_body (host, RIG), *b2 = host_add_body (host, PRB);
  CON *a = host_add_constraint (host, CONTACT, b1, b2), *b = host_add_constraint (host, CONTACT, b1, b2);
  CON *c = host_add_constraint (host, CONTACT, b2, b1);

  host_insert (host, a);
  host_insert (host, b);
  expect_blocks (a, 2, b, b2, b, b1);
  expect_blocks (b, 2, a, b2, a, b1);
  c->dia = LOCDYN_Insert (host->dom.ldy, c, b1, b2); /* slave first */
  expect_blocks (c, 4, b, b2, a, b2, b, b1, a, b1);
  expect_blocks (a, 4, c, b2, c, b1, b, b2, b, b1);
  host_remove (host, b);
  expect_blocks (a, 2, c, b2, c, b1);
  expect_blocks (c, 2, a, b2, a, b1);
  end (host);
}

static void test_self_contact (void)
{
  HOST *host = begin ("self-contact");
  BODY *body = host_add_body (host, PRB);
  CON *fix = host_add_constraint (host, FIXPNT, body, NULL), *self = host_add_constraint (host, CONTACT, body, body);
  CON *late = host_add_constraint (host, FIXPNT, body, NULL), *again = host_add_constraint (host, CONTACT, body, body);

  host_insert (host, fix);
  host_insert (host, self); /* both passes run */
  expect_blocks (self, 2, fix, body, fix, body);
  expect_blocks (fix, 2, self, body, self, body);
  host_insert (host, late); /* one pass, so one block to the self-contact */
  expect_blocks (late, 2, self, body, fix, body);
  expect_blocks (self, 3, late, body, fix, body, fix, body);
  host_insert (host, again);
  expect_blocks (again, 6, late, body, self, body, fix, body, late, body, self, body, fix, body);
  host_remove (host, self);
  expect_blocks (fix, 3, again, body, again, body, late, body);
  expect_blocks (late, 3, again, body, again, body, fix, body);
  expect_blocks (again, 4, late, body, fix, body, late, body, fix, body);
  end (host);
}

/* Only the inserted constraint's kind decides whether an obstacle is passed over. */
static void test_obstacle (void)
{
  HOST *host = begin ("obstacle");
  BODY *ground = host_add_body (host, OBS), *box = host_add_body (host, RIG);
  CON *first = host_add_constraint (host, CONTACT, box, ground), *fixed = host_add_constraint (host, FIXDIR, ground, NULL);
  CON *second = host_add_constraint (host, CONTACT, ground, box), *spring = host_add_constraint (host, SPRING, box, ground);

  host_insert (host, first);
  host_insert (host, fixed);
  expect_blocks (fixed, 1, first, ground);
  expect_blocks (first, 1, fixed, ground);
  host_insert (host, second);
  expect_blocks (second, 1, first, box);
  expect_blocks (fixed, 1, first, ground);
  host_insert (host, spring);
  expect_blocks (spring, 5, second, ground, fixed, ground, first, ground, second, box, first, box);
  end (host);
}

static void test_unattached (void)
{
  HOST *host = begin ("unattached");
  BODY *b1 = host_add_body (host, RIG), *b2 = host_add_body (host, RIG);
  CON *a = host_add_constraint (host, CONTACT, b1, b2), *b = host_add_constraint (host, CONTACT, b1, b2);
  CON *c = host_add_constraint (host, CONTACT, b1, b2);

  a->dia = LOCDYN_Insert (host->dom.ldy, a, NULL, NULL);
  expect_blocks (a, 0);
  b->dia = LOCDYN_Insert (host->dom.ldy, b, NULL, b2); /* c has no row yet and is passed over */
  expect_blocks (b, 1, a, b2);
  c->dia = LOCDYN_Insert (host->dom.ldy, c, b1, NULL);
  expect_blocks (c, 2, b, b1, a, b1);
  expect_blocks (b, 2, c, b1, a, b2);
  end (host);
}

/* A constraint moved to another body is inserted with a stale `dia`, which is no row any more. */
static void test_moved (void)
{
  HOST *host = begin ("moved");
  BODY *b1 = host_add_body (host, RIG), *b2 = host_add_body (host, RIG);
  CON *stays = host_add_constraint (host, FIXPNT, b1, NULL), *other = host_add_constraint (host, FIXPNT, b2, NULL);
  CON *moves = host_add_constraint (host, FIXPNT, b1, NULL);

  host_insert (host, stays);
  host_insert (host, other);
  host_insert (host, moves);
  expect_blocks (moves, 1, stays, b1);
  DIAB *row = moves->dia;
  LOCDYN_Remove (host->dom.ldy, row);
  CHECK_POINTER (moves->dia, row); /* Remove leaves it alone */
  host_leave (b1, moves);
  host_join (b2, moves, 0);
  moves->master = b2;
  host_insert (host, moves);
  expect_blocks (stays, 0);
  expect_blocks (moves, 1, other, b2);
  expect_blocks (other, 1, moves, b2);
  end (host);
}

static void test_empty_sets (void)
{
  HOST *host = begin ("empty sets");
  BODY *null, *emptied;
  CON *a, *b;

  null = host_add_body (host, RIG);
  host->emptied_sets = 1;
  emptied = host_add_body (host, RIG);
  a = host_add_constraint (host, CONTACT, null, emptied);
  b = host_add_constraint (host, CONTACT, null, emptied);
  host_leave (emptied, a);
  host_leave (emptied, b);
  CHECK_POINTER (emptied->con, host_set_emptied ());
  host->emptied_sets = 0;
  host_leave (null, a);
  host_leave (null, b);
  CHECK_POINTER (null->con, NULL);
  host_insert (host, a);
  host_insert (host, b);
  expect_blocks (a, 0);
  expect_blocks (b, 0);
  end (host);
}

/* ---- removal */

/* Remove works from the lists alone: the constraint may be in its bodies' sets or out of them. */
static void remove_one_of_three (int in_sets)
{
  HOST *host = begin (in_sets ? "remove, in its sets" : "remove, out of its sets");
  BODY *b1 = host_add_body (host, RIG), *b2 = host_add_body (host, PRB);
  CON *con[5];

  for (int i = 0; i < 5; i ++) con[i] = host_add_constraint (host, CONTACT, b1, b2);
  for (int i = 0; i < 5; i ++) host_insert (host, con[i]);
  if (!in_sets) host_leave_bodies (con[2]);
  host_remove (host, con[2]);
  expect_blocks (con[0], 6, con[4], b2, con[4], b1, con[3], b2, con[3], b1, con[1], b2, con[1], b1);
  expect_blocks (con[1], 6, con[4], b2, con[4], b1, con[3], b2, con[3], b1, con[0], b2, con[0], b1);
  expect_blocks (con[4], 6, con[3], b2, con[1], b2, con[0], b2, con[3], b1, con[1], b1, con[0], b1);
  host_remove (host, con[4]);
  expect_blocks (con[0], 4, con[3], b2, con[3], b1, con[1], b2, con[1], b1);
  host_remove (host, con[0]);
  expect_blocks (con[1], 2, con[3], b2, con[3], b1);
  host_remove (host, con[1]);
  expect_blocks (con[3], 0);
  end (host);
}

/* ---- memory */

#define SPOKES 6

static int collect (const DIAB *dia, const OFFB **blocks)
{
  int count = 0;

  for (const OFFB *block = dia->adj; block; block = block->n) blocks[count ++] = block;
  return count;
}

static int contains (const OFFB **blocks, int count, const OFFB *block)
{
  while (count --) {
    if (blocks[count] == block) return 1;
  }
  return 0;
}

/* Memory of a removed row and its blocks comes back, zeroed. */
static void test_reuse (void)
{
  HOST *host = begin ("reuse");
  BODY *body = host_add_body (host, RIG);
  const OFFB *before[3 * SPOKES], *block;
  CON *spoke[SPOKES], *hub;
  OFFB *fill;

  for (int i = 0; i < SPOKES; i ++) host_insert (host, spoke[i] = host_add_constraint (host, FIXPNT, body, NULL));
  host_insert (host, hub = host_add_constraint (host, FIXPNT, body, NULL));
  DIAB *row = hub->dia;
  int count = collect (row, before);
  CHECK_INT (count, SPOKES);
  for (int i = 0; i < SPOKES; i ++) before[count ++] = spoke[i]->dia->adj;
  memset (row->W, 0xff, sizeof (double[22]));
  for (fill = row->adj; fill; fill = fill->n) memset (fill->W, 0xff, sizeof fill->W);
  for (int i = 0; i < SPOKES; i ++) memset (spoke[i]->dia->adj->W, 0xff, sizeof fill->W);

  host_remove (host, hub);
  host_insert (host, hub);
  CHECK_POINTER (hub->dia, row);
  CHECK (all_zero (row->W, sizeof (double[22])));
  CHECK_INT (collect (row, before + count), SPOKES); /* counts only: the room is there */
  for (block = row->adj; block; block = block->n) {
    CHECK (contains (before, count, block));
    CHECK (all_zero (block->W, sizeof block->W));
  }
  for (int i = 0; i < SPOKES; i ++) {
    CHECK (contains (before, count, spoke[i]->dia->adj));
    CHECK (all_zero (spoke[i]->dia->adj->W, sizeof block->W));
  }
  end (host);
}

#define MANY 1500

/* Rows and blocks stay where they are while others come and go. */
static void test_stable (void)
{
  HOST *host = begin ("stable addresses");
  BODY *body = host_add_body (host, RIG), *away = NULL;
  CON *first = host_add_constraint (host, FIXPNT, body, NULL), *second = host_add_constraint (host, FIXPNT, body, NULL);
  CON **many = malloc (MANY * sizeof *many);

  if (!many) abort ();
  host_insert (host, first);
  host_insert (host, second);
  DIAB *row = first->dia;
  OFFB *block = row->adj;
  for (int i = 0; i < MANY; i ++) {
    if (i % 16 == 0) away = host_add_body (host, RIG);
    host_insert (host, many[i] = host_add_constraint (host, FIXPNT, away, NULL));
  }
  for (int i = 0; i < MANY; i += 2) host_remove (host, many[i]);
  CHECK_POINTER (first->dia, row);
  CHECK_POINTER (row->con, first);
  CHECK_POINTER (row->adj, block);
  CHECK_POINTER (block->dia, second->dia);
  expect_blocks (second, 1, first, body);
  away = many[15]->master;
  expect_blocks (many[15], 7, many[13], away, many[11], away, many[9], away, many[7], away, many[5], away, many[3], away,
                 many[1], away);
  free (many);
  end (host);
}

/* Everything of the host but the domain may be gone when the LOCDYN is destroyed. */
static void test_destroy_last (void)
{
  HOST *host = begin ("destroy last");
  BODY *b1 = host_add_body (host, RIG), *b2 = host_add_body (host, PRB);

  for (int i = 0; i < 10; i ++) host_insert (host, host_add_constraint (host, CONTACT, b1, b2));
  host_clear (host);
  end (host);
}

int main (void)
{
  test_create ();
  test_rows ();
  test_set_order ();
  test_two_bodies ();
  test_self_contact ();
  test_obstacle ();
  test_unattached ();
  test_moved ();
  test_empty_sets ();
  remove_one_of_three (1);
  remove_one_of_three (0);
  test_reuse ();
  test_stable ();
  test_destroy_last ();
  return check_summary ("symbolic");
}
