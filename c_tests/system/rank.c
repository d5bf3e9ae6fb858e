/* Redundant rows through ldy_system.h, against theory: what the points of plane faces say of bodies. The table is that of
   docs/system.md, where singular values say the same. */
#include <math.h>
#include <string.h>

#include "ldy_system.h"
#include "support/check.h"

static const double unit[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, origin[3] = { 0, 0, 0 };

#define GOOD(call) CHECK_INT (call, 0)
#define BAD(call, text) do { CHECK_INT (call, LDY_BUG_FOUND); CHECK_TEXT (ldy_last_error (), text); } while (0)
#define MOST 16

static ldy_system *created (void)
{
  ldy_system *system = NULL;

  GOOD (ldy_system_create (&system));
  return system;
}

static long long body_of (ldy_system *system, int is_rigid)
{
  static const double inertia[9] = { 0.3, 0.01, 0, 0.01, 0.5, 0.02, 0, 0.02, 0.4 };
  long long id = -1;

  if (is_rigid) GOOD (ldy_system_add_rigid (system, 2, inertia, unit, origin, &id));
  else GOOD (ldy_system_add_pseudo_rigid (system, 2, inertia, origin, &id));
  return id;
}

static void place (double point[3], int k, int columns)
{
  point[0] = 0.7 * (k % columns) - 1;
  point[1] = 0.4 * (k / columns) + 0.1 * (k % columns);
  point[2] = 0.5;
}

/* Points in a plane, in rows of so many columns, all three components of each: of one body on the ground, or between two. */
static void plane_contacts (int is_rigid, int bodies, int points, int columns, int rank)
{
  ldy_system *system = created ();
  ldy_rows rows = { .size = sizeof rows };
  int redundant[3 * MOST], again[3 * MOST], dimension = -1, sum = 0;
  double point[3];
  long long id;

  check_context ("%s, %d bodies, %d points in %d columns", is_rigid ? "rigid" : "pseudo-rigid", bodies, points, columns);
  for (int k = 0; k < bodies; k ++) body_of (system, is_rigid);
  for (int k = 0; k < points; k ++) {
    place (point, k, columns);
    GOOD (ldy_system_add_constraint (system, 0, bodies > 1 ? 1 : LDY_GROUND, unit, point, point, &id));
  }
  GOOD (ldy_system_update (system, 1e-3));
  GOOD (ldy_system_redundant (system, 0, redundant, 3 * points, &dimension));
  CHECK_INT (dimension, 3 * points - rank);
  for (int k = 0; k < 3 * points; k ++) sum += redundant[k];
  CHECK_INT (sum, dimension);
  /* The first point is never redundant; points beyond those that a face needs are so as a whole. */
  CHECK (!redundant[0] && !redundant[1] && !redundant[2]);
  for (int k = 9; columns == 2 && k < 3 * points; k ++) CHECK (redundant[k]);
  GOOD (ldy_system_rows (system, &rows));
  GOOD (ldy_rows_redundant (&rows, 0, again, 3 * points, NULL));
  CHECK_SAME_BITS (redundant, again, 3 * points * sizeof *again);
  check_context (NULL);
  ldy_system_destroy (system);
}

/* A door on three hinges, each a fixed point; the middle one adds nothing, the last one nothing along the axis. */
static void door (void)
{
  ldy_system *system = created ();
  ldy_rows rows = { .size = sizeof rows }, bad;
  double point[3] = { 0.5, 0, -1 }, mu = 1e-3, compliance[3] = { 1, 1, 1 };
  int redundant[12], expected[9] = { 0, 0, 0, 0, 0, 1, 1, 1, 1 }, dimension;
  long long id;

  body_of (system, 1);
  for (int k = 0; k < 3; k ++, point[2] += 1) GOOD (ldy_system_add_constraint (system, 0, LDY_GROUND, unit, point, NULL, &id));
  BAD (ldy_system_redundant (system, 0, redundant, 9, &dimension), "system: no successful update");
  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_system_redundant (system, 0, redundant, 9, &dimension));
  CHECK_INT (dimension, 4);
  CHECK_SAME_BITS (redundant, expected, sizeof expected);
  BAD (ldy_system_redundant (system, 0, redundant, 12, &dimension), "12 values");
  BAD (ldy_system_redundant (system, NAN, redundant, 9, &dimension), "the tolerance is not between 0 and 1");
  BAD (ldy_system_redundant (system, -1e-9, redundant, 9, &dimension), "the tolerance is not between 0 and 1");
  BAD (ldy_system_redundant (system, 0, NULL, 9, &dimension), "redundant is NULL");
  BAD (ldy_system_redundant (NULL, 0, redundant, 9, &dimension), "system is NULL");
  GOOD (ldy_system_rows (system, &rows));
  BAD (ldy_rows_redundant (&rows, 0, redundant, 12, &dimension), "redundant: 12 values where 9 are needed");
  BAD (ldy_rows_redundant (NULL, 0, redundant, 9, &dimension), "rows is NULL");
  bad = rows, bad.blocks = 8;
  BAD (ldy_rows_redundant (&bad, 0, redundant, 9, &dimension), "starts do not ascend");
  CHECK_SAME_BITS (redundant, expected, sizeof expected);
  CHECK_INT (dimension, 4);
  /* What gives way depends on nothing. */
  GOOD (ldy_system_set_diagonal_compliance (system, 1, compliance));
  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_system_redundant (system, 0, redundant, 9, &dimension));
  CHECK_INT (dimension, 1);
  GOOD (ldy_system_regularise (system, &mu, 1));
  GOOD (ldy_system_update (system, 1));
  GOOD (ldy_system_redundant (system, 0, redundant, 9, &dimension));
  CHECK_INT (dimension, 0);
  ldy_system_destroy (system);
}

int main (void)
{
  for (int bodies = 1; bodies <= 2; bodies ++) {
    /* One point, points on a line, points in a plane. */
    for (int points = 1; points <= MOST; points ++) {
      plane_contacts (1, bodies, points, MOST, points == 1 ? 3 : 5);
      plane_contacts (0, bodies, points, MOST, points == 1 ? 3 : 6);
      if (points > 2) plane_contacts (1, bodies, points, 2, 6);
      if (points > 2) plane_contacts (0, bodies, points, 2, 9);
    }
  }
  door ();
  return check_summary ("system_rank");
}
