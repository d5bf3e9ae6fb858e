/* ldy_is_consistent on lists as they are, and on lists damaged in every word. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/scene.h"

#define ROWS 64
#define BLOCKS 1024

typedef struct {
  HOST *host;
  LOCDYN *ldy;
  int rows, blocks;
  DIAB *row[ROWS];
  OFFB *block[BLOCKS];
  DIAB *removed;       /* memory of a row, and of a block, given back */
  OFFB *removed_block;
} LISTS;

static LISTS lists (void)
{
  LISTS s = { scene_mixed (60), NULL, 0, 0, { NULL }, { NULL }, NULL, NULL };
  CON *removed;

  s.ldy = scene_insert_all (s.host);
  LOCDYN_Update_Begin (s.ldy);
  for (removed = s.host->dom.con; removed->id != 7; removed = removed->next) continue;
  s.removed = removed->dia;
  s.removed_block = removed->dia->adj;
  host_remove (s.host, removed);
  for (DIAB *dia = s.ldy->dia; dia; dia = dia->n) {
    s.row[s.rows ++] = dia;
    for (OFFB *block = dia->adj; block; block = block->n) s.block[s.blocks ++] = block;
  }
  return s;
}

/* ---- single damages */

static ldy_report report = { .size = sizeof report };

static void expect (const LISTS *s, int constraint, int neighbour, const char *text)
{
  CHECK_INT (ldy_is_consistent (s->ldy, &report), 0);
  CHECK_INT (report.code, LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (report.text, text);
  CHECK (!strcmp (report.text, ldy_last_error ()));
  CHECK_INT (report.constraint, constraint);
  CHECK_INT (report.neighbour, neighbour);
  CHECK_INT (report.body, -1);
  CHECK_INT (ldy_is_consistent (s->ldy, NULL), 0);
}

static void expect_order (const LISTS *s)
{
  memset (&report, 0xff, sizeof report);
  report.size = sizeof report;
  CHECK_INT (ldy_is_consistent (s->ldy, &report), 1);
  CHECK_INT (report.code, 0);
  CHECK_INT (report.constraint, -1);
  CHECK_INT (report.neighbour, -1);
  CHECK_INT (report.body, -1);
  CHECK (!*report.text);
}

static DIAB *row_of (const LISTS *s, int id)
{
  for (int i = 0; i < s->rows; i ++) {
    if ((int) s->row[i]->con->id == id) return s->row[i];
  }
  return NULL;
}

/* Puts `value` into *place, expects the report, puts back what was there. */
#define DAMAGE(place, value, constraint, neighbour, text) do { \
    void *kept = (place); \
    check_context ("%s = %s", #place, #value); \
    (place) = (value); \
    expect (&s, (constraint), (neighbour), (text)); \
    (place) = kept; \
    expect_order (&s); \
  } while (0)

static void test_reports (void)
{
  LISTS s = lists ();
  LOCDYN foreign = { .dia = NULL };
  DIAB *row = row_of (&s, 4), *other = row_of (&s, 9), stranger = *row;

  expect_order (&s);
  DAMAGE (s.ldy->dia, NULL, -1, -1, "rows are missing from the list");
  DAMAGE (s.ldy->dia, &stranger, -1, -1, "dia of ldy is no live row");
  DAMAGE (s.ldy->dia, row, 4, -1, "constraint 4: p is not the row before it");
  DAMAGE (row->p, NULL, 4, -1, "constraint 4: p is not the row before it");
  DAMAGE (row->p->n, &stranger, 5, -1, "constraint 5: n is no live row");
  DAMAGE (row->p->n, s.removed, 5, -1, "constraint 5: n is no live row");
  DAMAGE (row->p->n, row->n, 3, -1, "constraint 3: p is not the row before it");
  DAMAGE (row->n, NULL, -1, -1, "rows are missing from the list");
  DAMAGE (row->n, s.ldy->dia, 14, -1, "constraint 14: p is not the row before it"); /* a ring */
  DAMAGE (row->con, other->con, 4, -1, "constraint 4: con is not");
  DAMAGE (row->R, other->R, 4, -1, "constraint 4: R, U or V");
  DAMAGE (row->U, NULL, 4, -1, "constraint 4: R, U or V");
  DAMAGE (row->V, row->U, 4, -1, "constraint 4: R, U or V");
  DAMAGE (row->mprod, s.host->dom.bod->inverse, 4, -1, "mprod");

  check_context ("nothing");
  CHECK_INT (ldy_is_consistent (NULL, &report), 0);
  CHECK_INT (report.code, LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (report.text, "ldy is NULL");
  CHECK_INT (ldy_is_consistent (&foreign, &report), 0);
  CHECK_TEXT (report.text, "not made by LOCDYN_Create");
  CHECK_INT (ldy_is_consistent (NULL, NULL), 0);
  scene_destroy (s.host);
}

/* In the blocks of the first row, which no other row's check sees before. */
static void test_reports_of_blocks (void)
{
  LISTS s = lists ();
  DIAB *row = s.ldy->dia, *other = row_of (&s, 4), stranger = *row;
  OFFB *block = row->adj;
  int id = (int) row->con->id, to = (int) block->dia->con->id, next = (int) block->n->dia->con->id;

  DAMAGE (row->adj, NULL, (int) row->n->con->id, id, "its partner is not linked in the neighbour's row");
  DAMAGE (row->adj, block->n, id, next, "another block is linked before it");
  DAMAGE (row->adj, s.removed_block, id, -1, "constraint 14: adj is no live block");
  DAMAGE (row->adj, other->adj, id, (int) other->adj->dia->con->id, "its partner couples another row");
  DAMAGE (block->n, s.removed_block, id, to, "n is no live block");
  DAMAGE (block->n, block, id, to, "another block is linked before it");
  DAMAGE (block->n, NULL, next, id, "its partner is not linked in the neighbour's row");
  DAMAGE (block->dia, &stranger, id, -1, "dia of a block is no live row");
  DAMAGE (block->dia, s.removed, id, -1, "dia of a block is no live row");
  DAMAGE (block->dia, other, id, 4, "constraint 14, block to constraint 4: ");
  DAMAGE (block->dia, row, id, id, "it couples the row to itself");
  DAMAGE (block->bod, NULL, id, to, "its partner goes through another body");
  scene_destroy (s.host);
}

/* Both blocks of a pair taken out of their lists. */
static void test_lost_pair (void)
{
  HOST *host = host_create ();
  BODY *body = host_add_body (host, RIG);
  CON *one = host_add_constraint (host, FIXPNT, body, NULL), *two = host_add_constraint (host, FIXPNT, body, NULL);
  LISTS s = { .host = host, .ldy = scene_insert_all (host) };
  OFFB *first = one->dia->adj, *second = two->dia->adj;

  check_context ("a pair that is nowhere");
  one->dia->adj = two->dia->adj = NULL;
  expect (&s, -1, -1, "blocks are missing from the rows");
  one->dia->adj = first;
  two->dia->adj = second;
  expect_order (&s);
  scene_destroy (host);
}

/* ---- every word */

/* Each word in turn gets values that a stray write may leave: never a crash, and never unnoticed but in `free` words, whose
 * values are the host's. */
static void damage_words (const LISTS *s, void *memory, size_t size, size_t free_from, size_t free_to)
{
  const uintptr_t values[] = { 0, 1, ~(uintptr_t) 0, 0x4141414141414141u, (uintptr_t) memory, (uintptr_t) memory + 8,
                               (uintptr_t) s->row[0], (uintptr_t) s->row[s->rows / 2], (uintptr_t) s->block[0],
                               (uintptr_t) s->block[s->blocks / 2], (uintptr_t) s->removed, (uintptr_t) s->removed_block,
                               (uintptr_t) s->host->dom.bod, (uintptr_t) s->host->dom.con, (uintptr_t) s->ldy };
  unsigned char *bytes = memory;
  uintptr_t kept;

  for (size_t at = 0; at < size; at += sizeof kept) {
    memcpy (&kept, bytes + at, sizeof kept);
    for (size_t i = 0; i < sizeof values / sizeof *values; i ++) {
      if (values[i] == kept) continue;
      check_context ("byte %d of %d, value %d", (int) at, (int) size, (int) i);
      memcpy (bytes + at, &values[i], sizeof kept);
      CHECK_INT (ldy_is_consistent (s->ldy, &report), at >= free_from && at < free_to);
    }
    memcpy (bytes + at, &kept, sizeof kept);
  }
  expect_order (s);
}

static void test_words (void)
{
  LISTS s = lists ();

  for (int i = 0; i < s.rows; i ++) damage_words (&s, s.row[i], sizeof (DIAB), offsetof (DIAB, W), offsetof (DIAB, adj));
  for (int i = 0; i < s.blocks; i ++) damage_words (&s, s.block[i], sizeof (OFFB), 0, offsetof (OFFB, dia));
  damage_words (&s, &s.ldy->dia, sizeof s.ldy->dia, 1, 1);
  scene_destroy (s.host);
}

/* Flip each bit of the memory after rows and blocks, which a write past their ends would hit. Only the bit `free` may change. */
static void damage_bits (const LISTS *s, void *end, int bits, int free)
{
  unsigned char *byte = end;

  for (int bit = 0; bit < bits; bit ++) {
    byte[bit / 8] ^= (unsigned char) (1 << bit % 8);
    check_context ("bit %d of %d", bit, bits);
    CHECK_INT (ldy_is_consistent (s->ldy, NULL), bit == free);
    byte[bit / 8] ^= (unsigned char) (1 << bit % 8);
  }
}

static void test_hidden_bits (void)
{
  HOST *host = host_create ();
  BODY *one = host_add_body (host, PRB), *two = host_add_body (host, PRB);
  LISTS s = { .host = host };

  for (int i = 0; i < 4; i ++) host_add_constraint (host, i % 2 ? CONTACT : RIGLNK, i ? one : two, i ? two : NULL);
  s.ldy = scene_insert_all (host);
  for (DIAB *dia = s.ldy->dia; dia; dia = dia->n) {
    damage_bits (&s, dia + 1, dia->con->slave ? 128 : 96, -1); /* the bodies, and a slot on each that there is */
    for (OFFB *block = dia->adj; block; block = block->n) {
      damage_bits (&s, block + 1, 128, 97); /* a link and a place; one bit says contact, which only the constraint could confirm */
    }
  }
  expect_order (&s);
  scene_destroy (host);
}

static void test_report_of_a_body (void)
{
  LISTS s = lists ();
  unsigned int *side = (unsigned int *) (void *) (s.row[0] + 1);

  check_context ("a row that has forgotten its body");
  *side += 1;
  CHECK_INT (ldy_is_consistent (s.ldy, &report), 0);
  CHECK (report.body > 0 && report.constraint == -1 && report.neighbour == -1);
  CHECK_TEXT (report.text, "its slots and the rows in them do not agree");
  *side -= 1;
  expect_order (&s);
  scene_destroy (s.host);
}

/* A host that keeps a row and writes to it after its removal. */
static void write_to_removed (const LISTS *s, double *place, const char *text)
{
  double kept = *place;

  *place = 3.5;
  expect (s, -1, -1, text);
  *place = kept;
}

static void test_use_after_removal (void)
{
  LISTS s = lists ();

  check_context ("removed row written to");
  for (int i = 0; i < 9; i ++) write_to_removed (&s, &s.removed->W[i], "memory of a removed row");
  write_to_removed (&s, &s.removed->rho, "memory of a removed row");
  expect_order (&s);
  check_context ("removed block written to, which does no harm");
  memset (s.removed_block, 0xa5, sizeof *s.removed_block);
  expect_order (&s);
  scene_destroy (s.host);
}

/* Neither bodies nor constraints are read. */
static void test_without_host (void)
{
  LISTS s = lists ();

  check_context ("bodies and constraints are gone");
  host_clear (s.host);
  expect_order (&s);
  s.row[3]->p = NULL;
  CHECK_INT (ldy_is_consistent (s.ldy, &report), 0);
  CHECK (report.constraint > 0);
  s.row[3]->p = s.row[2];
  LOCDYN_Destroy (s.ldy);
  host_destroy (s.host);
}

int main (void)
{
  test_reports ();
  test_reports_of_blocks ();
  test_lost_pair ();
  test_words ();
  test_hidden_bits ();
  test_report_of_a_body ();
  test_use_after_removal ();
  test_without_host ();
  return check_summary ("consistency");
}
