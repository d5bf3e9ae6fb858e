#include "support/rebuild_compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

/* ---- values */

typedef struct {
  const CON *neighbour;
  const BODY *body;
  double W[9];
} BLOCK;

typedef struct {
  CON *con;
  DIAB *dia;
  double V[3], B[3], W[9], A[9], rho;
  int blocks;
  BLOCK *block;
} ROW;

struct values {
  int rows;
  ROW *row; /* in the order of the list */
  double free_energy;
};

static void *zeroed (int count, size_t size)
{
  void *memory = calloc (count > 0 ? (size_t) count : 1, size);

  if (!memory) abort ();
  return memory;
}

static void row_of (const DIAB *dia, ROW *row)
{
  BLOCK *block;

  row->con = dia->con;
  row->dia = dia->con->dia;
  memcpy (row->V, dia->V, sizeof row->V);
  memcpy (row->B, dia->B, sizeof row->B);
  memcpy (row->W, dia->W, sizeof row->W);
  memcpy (row->A, dia->A, sizeof row->A);
  row->rho = dia->rho;
  for (const OFFB *off = dia->adj; off; off = off->n) row->blocks ++;
  block = row->block = zeroed (row->blocks, sizeof *block);
  for (const OFFB *off = dia->adj; off; off = off->n, block ++) {
    block->neighbour = off->dia->con;
    block->body = off->bod;
    memcpy (block->W, off->W, sizeof block->W);
  }
}

VALUES *values_of (const LOCDYN *ldy)
{
  VALUES *values = zeroed (1, sizeof *values);
  ROW *row;

  for (const DIAB *dia = ldy->dia; dia; dia = dia->n) values->rows ++;
  row = values->row = zeroed (values->rows, sizeof *row);
  for (const DIAB *dia = ldy->dia; dia; dia = dia->n) row_of (dia, row ++);
  values->free_energy = ldy->free_energy;
  return values;
}

void values_free (VALUES *values)
{
  if (!values) return;
  for (int i = 0; i < values->rows; i ++) free (values->row[i].block);
  free (values->row);
  free (values);
}

/* ---- a structure without a past */

/* An update leaves V and B of a constraint that the domain does not list as they are: here as they were. */
static void start_from (const ROW *row)
{
  memcpy (row->con->dia->B, row->B, sizeof row->B);
}

FRESH fresh_values (HOST *host, VALUES **values, int *refusal)
{
  LOCDYN *kept = host->dom.ldy;
  VALUES *before = values_of (kept);
  FRESH fresh = FRESH_MADE;
  ROW *row;

  *values = NULL;
  for (int i = 0; i < before->rows; i ++) before->row[i].con->dia = NULL;
  host->dom.ldy = LOCDYN_Create (&host->dom);
  for (int i = before->rows - 1; i >= 0 && fresh == FRESH_MADE; i --) {
    if (watched_insert (host, before->row[i].con)) fresh = FRESH_UNINSERTED;
    else start_from (&before->row[i]);
  }
  if (fresh == FRESH_MADE && watched_update (host)) fresh = FRESH_REFUSED;
  if (fresh == FRESH_MADE) *values = values_of (host->dom.ldy);
  *refusal = watched.code;
  LOCDYN_Destroy (host->dom.ldy);
  host->dom.ldy = kept;
  for (int i = 0; i < before->rows; i ++) {
    row = &before->row[i];
    row->con->dia = row->dia;
    memcpy (row->con->V, row->V, sizeof row->V);
  }
  values_free (before);
  return fresh;
}

/* ---- comparison */

static int same_bits (const double *one, const double *two, int count)
{
  return memcmp (one, two, (size_t) count * sizeof *one) == 0;
}

static double largest (const double *x, int count)
{
  double most = 0;

  for (; count --; x ++) most = fmax (most, fabs (*x));
  return most;
}

static int near_all (const double *one, const double *two, int count, double tolerance)
{
  while (count --) {
    if (!(fabs (*one ++ - *two ++) <= tolerance)) return 0;
  }
  return 1;
}

static int wrong (const ROW *row, const BLOCK *block, const char *what, double got, double want)
{
  char words[256];

  snprintf (words, sizeof words, "%s of constraint %u%s%.0u%s%.0u: %.17g, not %.17g", what, row->con->id,
    block ? ", block to " : "", block ? block->neighbour->id : 0, block ? " through body " : "", block ? block->body->id : 0,
    got, want);
  return check_true (0, words, __FILE__, __LINE__);
}

/* The fresh block that couples to the same constraint through the same body; if there are two, the one as far back. A constraint
 * that was of a body with itself at its insertion still has two where the fresh structure has one. */
static const BLOCK *same_block (const ROW *row, const BLOCK *block, const ROW *fresh)
{
  const BLOCK *found = NULL;
  int rank = 0;

  for (const BLOCK *earlier = row->block; earlier < block; earlier ++) {
    rank += earlier->neighbour == block->neighbour && earlier->body == block->body;
  }
  for (const BLOCK *other = fresh->block; other < fresh->block + fresh->blocks; other ++) {
    if (other->neighbour != block->neighbour || other->body != block->body) continue;
    found = other;
    if (rank -- == 0) break;
  }
  return found;
}

static const ROW *row_with (const VALUES *values, const CON *con)
{
  int i = 0;

  while (values->row[i].con != con) i ++;
  return &values->row[i];
}

/* Rounding in blocks of two rows of about these sizes. */
static double rounding (const ROW *one, const ROW *two)
{
  return 1e-10 * sqrt (largest (one->W, 9) * largest (two->W, 9));
}

static int compare_block (const VALUES *values, const ROW *row, const BLOCK *block, const ROW *fresh, int loose)
{
  static const BLOCK zero;
  const BLOCK *want = same_block (row, block, fresh);
  int factored = host_gives_matrix (block->body), i;

  if (!want && block->body->kind == FEM && block->body->scheme == SCH_DEF_EXP) return 1;
  if (want && same_bits (block->W, want->W, 9)) return 1;
  if (want && factored && (loose || near_all (block->W, want->W, 9, rounding (row, row_with (values, block->neighbour))))) return 1;
  if (!want && near_all (block->W, zero.W, 9, 0)) return 1;
  if (!want) want = &zero;
  for (i = 0; i < 8 && same_bits (&block->W[i], &want->W[i], 1); i ++) continue;
  return wrong (row, block, "W", block->W[i], want->W[i]);
}

static int compare_array (const ROW *row, const char *what, const double *got, const double *want, int count, double tolerance)
{
  int i = 0;

  if (same_bits (got, want, count) || near_all (got, want, count, tolerance)) return 1;
  while (i < count - 1 && same_bits (&got[i], &want[i], 1)) i ++;
  return wrong (row, NULL, what, got[i], want[i]);
}

/* A tolerance that allows nothing but the same bits. */
#define NOTHING -1

static int compare_row (const VALUES *values, const ROW *row, const ROW *fresh, UPDATE_KIND update, int loose)
{
  int factored = host_gives_matrix (row->con->master) || host_gives_matrix (row->con->slave), same = 1;
  double condition = largest (row->W, 9) * largest (row->A, 9);

  same = compare_array (row, "V", row->V, fresh->V, 3, NOTHING) && compare_array (row, "B", row->B, fresh->B, 3, NOTHING);
  if (update == UPDATE_MINIMAL || !same) return same;
  if (!(factored && loose)) {
    same = compare_array (row, "W", row->W, fresh->W, 9, factored ? rounding (row, row) : NOTHING)
      && compare_array (row, "A", row->A, fresh->A, 9, factored ? 1e-10 * condition * largest (row->A, 9) : NOTHING)
      && (update != UPDATE_ALL || compare_array (row, "rho", &row->rho, &fresh->rho, 1, factored ? 1e-8 * row->rho : NOTHING));
  }
  if (update == UPDATE_PENALTY && row->con->kind == CONTACT) return same;
  for (int i = 0; i < row->blocks && same; i ++) same = compare_block (values, row, &row->block[i], fresh, loose);
  return same;
}

/* As exact as the shares that rows with factored matrices have in it. */
static int compare_energy (const VALUES *got, const VALUES *fresh, int loose)
{
  double tolerance = NOTHING, share;

  for (const ROW *row = got->row; row < got->row + got->rows; row ++) {
    if (!host_gives_matrix (row->con->master) && !host_gives_matrix (row->con->slave)) continue;
    if (loose) return 1;
    share = largest (row->A, 9) * (largest (row->B, 3) * largest (row->B, 3) + row->con->Z[0] * row->con->Z[0]);
    tolerance = fmax (tolerance, 0) + 1e-9 * largest (row->W, 9) * largest (row->A, 9) * share;
  }
  if (same_bits (&got->free_energy, &fresh->free_energy, 1)) return 1;
  return CHECK_NEAR (got->free_energy, fresh->free_energy, tolerance);
}

int values_compare (const VALUES *got, const VALUES *fresh, UPDATE_KIND update, int loose)
{
  if (!CHECK_INT (got->rows, fresh->rows)) return 0;
  for (int i = 0; i < got->rows; i ++) {
    if (!CHECK_POINTER (got->row[i].con, fresh->row[i].con)) return 0;
    if (!compare_row (got, &got->row[i], &fresh->row[i], update, loose)) return 0;
  }
  return CHECK (1) && (update == UPDATE_MINIMAL || compare_energy (got, fresh, loose));
}

/* The first number that is none. */
static const double *not_finite (const double *x, int count)
{
  for (; count --; x ++) {
    if (!isfinite (*x)) return x;
  }
  return NULL;
}

static int finite_row (const ROW *row, UPDATE_KIND update)
{
  const double *bad = NULL;

  if ((bad = not_finite (row->V, 3))) return wrong (row, NULL, "V", *bad, 0);
  if ((bad = not_finite (row->B, 3))) return wrong (row, NULL, "B", *bad, 0);
  if (update == UPDATE_MINIMAL) return 1;
  if ((bad = not_finite (row->W, 9))) return wrong (row, NULL, "W", *bad, 0);
  if ((bad = not_finite (row->A, 9))) return wrong (row, NULL, "A", *bad, 0);
  if (update == UPDATE_ALL && (bad = not_finite (&row->rho, 1))) return wrong (row, NULL, "rho", *bad, 0);
  if (update == UPDATE_PENALTY && row->con->kind == CONTACT) return 1;
  for (int i = 0; i < row->blocks; i ++) {
    if ((bad = not_finite (row->block[i].W, 9))) return wrong (row, &row->block[i], "W", *bad, 0);
  }
  return 1;
}

int check_finite (const VALUES *values, UPDATE_KIND update)
{
  for (int i = 0; i < values->rows; i ++) {
    if (!finite_row (&values->row[i], update)) return 0;
  }
  return update == UPDATE_MINIMAL || CHECK (isfinite (values->free_energy));
}

static int left_alone (const ROW *before, const ROW *after, UPDATE_KIND update)
{
  int i;

  if (update == UPDATE_ALL) return 1;
  if (!compare_array (after, "rho, which was to be left alone", &after->rho, &before->rho, 1, NOTHING)) return 0;
  if (update == UPDATE_PENALTY && after->con->kind != CONTACT) return 1;
  for (i = 0; i < after->blocks; i ++) {
    if (!compare_array (after, "a block, which was to be left alone", after->block[i].W, before->block[i].W, 9, NOTHING)) return 0;
  }
  if (update == UPDATE_PENALTY) return 1;
  return compare_array (after, "W, which was to be left alone", after->W, before->W, 9, NOTHING)
    && compare_array (after, "A, which was to be left alone", after->A, before->A, 9, NOTHING);
}

int check_left_alone (const VALUES *before, const VALUES *after, UPDATE_KIND update)
{
  for (int i = 0; i < after->rows; i ++) {
    if (!left_alone (&before->row[i], &after->row[i], update)) return 0;
  }
  return update != UPDATE_MINIMAL || CHECK_SAME_BITS (&after->free_energy, &before->free_energy, sizeof (double));
}

UPDATE_KIND update_kind_of (const HOST *host)
{
  const SOLFEC *solfec = host->dom.solfec;

  if (solfec && solfec->kind == PENALTY_SOLVER) return UPDATE_PENALTY;
  if (solfec && solfec->kind == NEWTON_SOLVER && ((NEWTON *) solfec->solver)->locdyn == LOCDYN_OFF) return UPDATE_MINIMAL;
  return UPDATE_ALL;
}

int check_fresh (HOST *host)
{
  VALUES *got = values_of (host->dom.ldy), *fresh;
  int refusal, same;

  same = CHECK_INT (fresh_values (host, &fresh, &refusal), FRESH_MADE) && values_compare (got, fresh, update_kind_of (host), 0);
  values_free (got);
  values_free (fresh);
  return same;
}
