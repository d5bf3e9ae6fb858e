/* What an update does again of a system, and products of several vectors, through ldy_system.h: results have the bits of a system
 * that is made anew. */
#include <stdlib.h>
#include <string.h>

#include "ldy_system.h"
#include "support/check.h"

#define BODIES 24
#define CONSTRAINTS 60
#define GOOD(call) CHECK_INT (call, 0)

static const double unit[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };

/* All that a system is made of; ids are places. */
typedef struct {
  double rotation[BODIES][9], velocity[BODIES][6], frame[CONSTRAINTS][9], point[CONSTRAINTS][3], compliance[CONSTRAINTS];
  double factor, h;
  int calls, count;
} DATA;

static double wave (int k)
{
  return (double) ((k * 7919 + 13) % 1009) / 1009 - 0.4;
}

/* x <- factor x. */
static int scale (int size, int columns, double *x, void *data)
{
  DATA *of = data;
  int i;

  of->calls ++;
  for (i = 0; i < size * columns; i ++) x[i] *= of->factor;
  return of->factor < 0;
}

static void fill (DATA *data)
{
  int i, k;

  memset (data, 0, sizeof *data);
  for (k = 0; k < BODIES; k ++) {
    for (i = 0; i < 9; i ++) data->rotation[k][i] = wave (9 * k + i);
    for (i = 0; i < 6; i ++) data->velocity[k][i] = wave (1000 + 6 * k + i);
  }
  for (k = 0; k < CONSTRAINTS; k ++) {
    memcpy (data->frame[k], unit, sizeof unit);
    for (i = 0; i < 3; i ++) data->point[k][i] = wave (2000 + 3 * k + i);
    data->compliance[k] = k % 7 ? 0 : 0.5;
  }
  data->factor = 0.25;
  data->h = 0.01;
  data->count = CONSTRAINTS;
}

/* The last body is known by its solver, and is on every tenth constraint. */
static ldy_system *made (DATA *data)
{
  double H[18], soft[3];
  ldy_operator operator = { 6, NULL, NULL, H, 18 };
  ldy_system *system;
  long long id;
  int i, k;

  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_take_any_axes (system, 1));
  for (k = 0; k < BODIES - 1; k ++) GOOD (ldy_system_add_rigid (system, 1 + k, unit, data->rotation[k], unit, &id));
  GOOD (ldy_system_add_solver (system, 6, scale, data, &id));
  for (k = 0; k < BODIES; k ++) GOOD (ldy_system_set_velocity (system, k, data->velocity[k], 6));
  for (k = 0; k < data->count; k ++) {
    for (i = 0; i < 18; i ++) H[i] = wave (3000 + k + i);
    if (k % 10 == 3) GOOD (ldy_system_add_operators (system, BODIES - 1, &operator, LDY_GROUND, NULL, &id));
    else GOOD (ldy_system_add_constraint (system, k % (BODIES - 1), (k + 1 + k / BODIES) % (BODIES - 1), data->frame[k],
      data->point[k], unit, &id));
    for (i = 0; i < 3; i ++) soft[i] = data->compliance[k];
    if (soft[0] > 0) GOOD (ldy_system_set_diagonal_compliance (system, id, soft));
  }
  return system;
}

static ldy_rows updated (ldy_system *system, const DATA *data)
{
  ldy_rows rows = { .size = sizeof rows };

  GOOD (ldy_system_update (system, data->h));
  GOOD (ldy_system_rows (system, &rows));
  return rows;
}

static void check_anew (ldy_system *system, DATA *data)
{
  ldy_system *anew = made (data);
  ldy_rows found = updated (system, data), wanted = updated (anew, data);

  CHECK_INT (found.rows, wanted.rows);
  CHECK_INT (found.blocks, wanted.blocks);
  CHECK_SAME_BITS (found.starts, wanted.starts, sizeof (int) * (size_t) (wanted.rows + 1));
  CHECK_SAME_BITS (found.columns, wanted.columns, sizeof (int) * (size_t) wanted.blocks);
  CHECK_SAME_BITS (found.values, wanted.values, 9 * sizeof (double) * (size_t) wanted.blocks);
  CHECK_SAME_BITS (found.diagonal, wanted.diagonal, 9 * sizeof (double) * (size_t) wanted.rows);
  CHECK_SAME_BITS (found.inverse, wanted.inverse, 9 * sizeof (double) * (size_t) wanted.rows);
  CHECK_SAME_BITS (found.B, wanted.B, 3 * sizeof (double) * (size_t) wanted.rows);
  CHECK_SAME_BITS (found.V, wanted.V, 3 * sizeof (double) * (size_t) wanted.rows);
  ldy_system_destroy (anew);
}

/* One thing changes at a time. */
static void changes (void)
{
  static DATA data;
  double soft[3] = { 2, 2, 2 };
  ldy_system *system;
  long long id;
  int calls;

  fill (&data);
  system = made (&data);
  check_anew (system, &data);
  data.velocity[3][2] += 1;
  GOOD (ldy_system_set_velocity (system, 3, data.velocity[3], 6));
  check_anew (system, &data);
  data.rotation[5][4] = 0.5;
  GOOD (ldy_system_set_rotation (system, 5, data.rotation[5]));
  check_anew (system, &data);
  data.point[8][1] = 3;
  GOOD (ldy_system_move_constraint (system, 8, data.frame[8], data.point[8], unit));
  check_anew (system, &data);
  data.compliance[9] = 2;
  GOOD (ldy_system_set_diagonal_compliance (system, 9, soft));
  check_anew (system, &data);
  data.h = 0.02;
  check_anew (system, &data);

  /* A solver is called in each update, whatever it gives. */
  data.factor = 0.75;
  check_anew (system, &data);
  calls = data.calls;
  (void) updated (system, &data);
  CHECK_INT (data.calls - calls, 1);

  /* A failure leaves nothing that counts as made. */
  data.rotation[2][0] = 4;
  GOOD (ldy_system_set_rotation (system, 2, data.rotation[2]));
  data.factor = -1;
  CHECK_INT (ldy_system_update (system, 0.5), 15);
  data.factor = 0.5;
  check_anew (system, &data);

  /* The last one goes and comes back under another id; then one in the middle goes, which nothing here can copy. */
  GOOD (ldy_system_remove_constraint (system, CONSTRAINTS - 1));
  data.count --;
  check_anew (system, &data);
  GOOD (ldy_system_remove_constraint (system, 20));
  GOOD (ldy_system_add_constraint (system, 1, 2, unit, unit, unit, &id));
  CHECK_INT (id, CONSTRAINTS);
  CHECK_INT (updated (system, &data).rows, CONSTRAINTS - 1);
  ldy_system_destroy (system);
}

/* Several vectors at once are each vector alone, and what lies between them stays. */
static void columns (void)
{
  enum { N = 3 * CONSTRAINTS, X = N + 2, Y = N + 1, COUNT = 6 };
  static DATA data;
  static double x[COUNT * X], y[COUNT * Y], alone[N];
  ldy_system *system;
  int k, through;

  fill (&data);
  system = made (&data);
  for (k = 0; k < COUNT * X; k ++) x[k] = wave (k);
  CHECK_INT (ldy_system_multiply_columns (system, COUNT, x, X, y, Y, N), 52);
  (void) updated (system, &data);
  for (through = 0; through < 2; through ++) {
    for (k = 0; k < COUNT * Y; k ++) y[k] = -3;
    if (through) GOOD (ldy_system_multiply_columns_through_bodies (system, COUNT, x, X, y, Y, N));
    else GOOD (ldy_system_multiply_columns (system, COUNT, x, X, y, Y, N));
    for (k = 0; k < COUNT; k ++) {
      if (through) GOOD (ldy_system_multiply_through_bodies (system, x + k * X, alone, N));
      else GOOD (ldy_system_multiply (system, x + k * X, alone, N));
      CHECK_SAME_BITS (y + k * Y, alone, sizeof alone);
      CHECK (y[k * Y + N] == -3);
    }
  }
  GOOD (ldy_system_multiply_columns (system, 0, NULL, X, NULL, Y, N));
  CHECK_INT (ldy_system_multiply_columns (system, 2, NULL, X, y, Y, N), 52);
  CHECK_INT (ldy_system_multiply_columns (system, 2, x, N - 1, y, Y, N), 52);
  CHECK_INT (ldy_system_multiply_columns (system, 2, x, X, y, N - 1, N), 52);
  CHECK_INT (ldy_system_multiply_columns_through_bodies (system, 2, x, X, y, Y, N - 3), 52);
  CHECK_INT (ldy_system_multiply_columns (system, (size_t) -1, x, X, y, Y, N), 52);
  data.factor = -1;
  CHECK_INT (ldy_system_multiply_columns_through_bodies (system, 2, x, X, y, Y, N), 15);
  ldy_system_destroy (system);
}

int main (void)
{
  changes ();
  columns ();
  ldy_shutdown ();
  return check_summary ("system_reuse");
}
