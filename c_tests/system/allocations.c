/* system_allocations STEP: every STEP-th allocation of ldy_system.h made to fail in turn: code 1, and afterwards the same results
   as ever. */
#include <stdlib.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "system/face.h"

#define BODIES 6
#define CONSTRAINTS 40
#define LINKS 9

static const int starts[4] = { 0, 2, 4, 5 }, rows_of[5] = { 0, 1, 1, 2, 2 };
static const double values[5] = { 4, -1, 4, -1, 4 };
static const int H_starts[4] = { 0, 1, 2, 3 }, H_rows[3] = { 0, 1, 2 };
static const double H_values[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 10 };
static const ldy_operator sparse = { 3, H_starts, H_rows, H_values, 3 };
static const ldy_operator dense = { 3, NULL, NULL, H_values, 9 };

typedef struct {
  ldy_system *system;
  int bodies, constraints, updates;
  double y[3 * CONSTRAINTS], through[3 * CONSTRAINTS], value;
  ldy_factor *factor;
  double solution[3 * CONSTRAINTS], determinant;
  int redundant[3 * CONSTRAINTS], dimension;
  ldy_system *chain;   /* of rigid bodies on links */
  int chained, linked, added;
  double stiffness[6 * LINKS], critical[3], sharp;
  int64_t stiffest;
} STATE;

static int quarter (int size, int columns, double *x, void *data)
{
  (void) data;
  for (int i = 0; i < size * columns; i ++) x[i] /= 4;
  return 0;
}

static int add_body (STATE *t)
{
  int64_t id;

  switch (t->bodies) {
  case 0: return ldy_system_add_rigid (t->system, 1, unit, unit, origin, &id);
  case 1: return ldy_system_add_pseudo_rigid (t->system, 2, unit, origin, &id);
  case 2: return ldy_system_add_body (t->system, DENSE (3, unit), &id);
  case 3: return ldy_system_add_body (t->system, DIAGONAL (3, unit), &id);
  case 4: return ldy_system_add_body (t->system, SPARSE (3, starts, rows_of, values, 5), &id);
  default: return ldy_system_add_body (t->system, FUNCTION (3, quarter, NULL), &id);
  }
}

static int add_constraint (STATE *t)
{
  int k = t->constraints;
  double point[3] = { k * 0.25, 1 - k * 0.5, 2 };
  int64_t id;

  if (k % 3 == 0) return ldy_system_add_point_constraint (t->system, k % 2, k % 4 ? 1 - k % 2 : LDY_GROUND, unit, point, origin, &id);
  return ldy_system_add_constraint_rows (t->system, 3, (int64_t []) { 2 + k % 4, 2 + (k + 1) % 4 }, (ldy_operator []) { k % 2 ? sparse : dense, dense }, 2, &id);
}

/* A chain of bodies hanging from the ground, and the longest step that it allows. */
static int go_on_with_chain (STATE *t)
{
  static const double down[9] = { 1, 0, 0, 0, -1, 0, 0, 0, -1 }, above[3] = { 0.1, 0, 0.3 };
  double x[6 * LINKS], R[3 * LINKS];
  ldy_joint joints[LINKS];
  int64_t id, masters[LINKS];
  int code;

  for (int i = 0; i < LINKS; i ++) {
    joints[i].kind = i == LINKS / 2 ? LDY_JOINT_FIXED_POINT : LDY_JOINT_LINK;
    joints[i].length = 1 + 0.1 * i;
    masters[i] = i;
    R[3 * i] = R[3 * i + 1] = 0;
    R[3 * i + 2] = i - LINKS;
  }
  for (int i = 0; i < 6 * LINKS; i ++) x[i] = i % 5 - 2;
  if (!t->chain && (code = ldy_system_create (&t->chain))) return code;
  for (; t->chained < LINKS; t->chained ++) if ((code = ldy_system_add_rigid (t->chain, 1 + t->chained, unit, unit, origin, &id)))
    return code;
  for (; t->linked < LINKS; t->linked ++) {
    int64_t upper = t->linked ? t->linked - 1 : LDY_GROUND;
    if ((code = ldy_system_add_point_constraint (t->chain, t->linked, upper, down, above, origin, &id))) return code;
  }
  if (!t->added && (code = ldy_system_add_point_constraints (t->chain, masters, NULL, 8, unit, 0, above, NULL, 0, LINKS, &id)))
    return code;
  if (!t->added) t->added = 1;
  for (int i = 0; i < LINKS; i ++) masters[i] = LINKS + i;
  if (t->added < 2 && (code = ldy_system_move_constraints (t->chain, masters, 8, NULL, NULL, 0, down, 0, origin, NULL, 0, LINKS)))
    return code;
  if (t->added < 2 && (code = ldy_system_remove_constraints (t->chain, masters, 8, LINKS))) return code;
  t->added = 2;
  if ((code = ldy_system_geometric_stiffness (t->chain, joints, LINKS, R, 3 * LINKS, x, t->stiffness, 6 * LINKS))) return code;
  if ((code = critical_step (t->chain, joints, LINKS, R, 3 * LINKS, LDY_CRITICAL_STEP_FREE_MOTIONS, &t->sharp, NULL, NULL, NULL))) return code;
  return critical_step (t->chain, joints, LINKS, R, 3 * LINKS, 0, &t->critical[0], &t->critical[1], &t->stiffest, &t->critical[2]);
}

/* Goes on from where it is until something fails. */
static int go_on (STATE *t)
{
  double x[3 * CONSTRAINTS], mu = 0.5;
  ldy_law laws[CONSTRAINTS] = { 0 };
  int code;

  for (int i = 0; i < 3 * CONSTRAINTS; i ++) x[i] = i % 7 - 3;
  if (!t->system && (code = ldy_system_create (&t->system))) return code;
  for (; t->bodies < BODIES; t->bodies ++) if ((code = add_body (t))) return code;
  for (; t->constraints < CONSTRAINTS; t->constraints ++) if ((code = add_constraint (t))) return code;
  if (!t->updates && (code = ldy_system_update (t->system, 0.5))) return code;
  t->updates = 1;
  if ((code = ldy_system_multiply (t->system, x, 0, t->y, 0, 3 * CONSTRAINTS, 1, 0))) return code;
  if ((code = ldy_system_multiply (t->system, x, 0, t->through, 0, 3 * CONSTRAINTS, 1, LDY_MULTIPLY_THROUGH_BODIES))) return code;
  if ((code = ldy_system_spectral_radius (t->system, 1e-6, 50, &t->value, NULL))) return code;
  if (!t->factor && (code = ldy_factor_create (&t->factor))) return code;
  if ((code = ldy_factor_compute (t->factor, t->system, &mu, 1))) return code;
  memcpy (t->solution, x, sizeof x);
  if ((code = ldy_factor_solve (t->factor, t->solution, 8 * (3 * CONSTRAINTS), 3 * CONSTRAINTS, 1))) return code;
  if ((code = ldy_factor_log_determinant (t->factor, &t->determinant))) return code;
  if ((code = system_redundant (t->system, 0, t->redundant, 3 * CONSTRAINTS, &t->dimension))) return code;
  if ((code = system_write (t->system, "/dev/null", LDY_FILE_FORMAT_NPZ))) return code;
  if ((code = system_write (t->system, "/dev/null", LDY_FILE_FORMAT_MATRIX_MARKET))) return code;
  for (int i = 0; i < CONSTRAINTS; i ++) laws[i].kind = LDY_LAW_FIXED;
  if ((code = ldy_problem_write (t->system, laws, CONSTRAINTS, x, 3 * CONSTRAINTS, "/dev/null"))) return code;
  return go_on_with_chain (t);
}

static void destroy (STATE *t)
{
  ldy_system_destroy (t->system);
  ldy_system_destroy (t->chain);
  ldy_factor_destroy (t->factor);
}

/* Once there is room, steps in which bodies move and values change ask for no memory; nor do products, forces and reactions. */
static void steady (void)
{
  static const double turned[9] = { 0, 1, 0, -1, 0, 0, 0, 0, 1 }, point[3] = { 1, 2, 3 }, velocity[6] = { 1, 2, 3, 4, 5, 6 };
  double x[3 * CONSTRAINTS] = { 1, 2, 3 }, y[3 * CONSTRAINTS], force[6] = { 0 }, mu = 0.5;
  STATE t = { 0 };

  CHECK_INT (go_on (&t), 0);
  failing.persistent = 1;
  for (int step = 0; step < 3; step ++) {
    failing.until = 1;
    failing.failed = 0;
    failing.armed = step > 0;
    CHECK_INT (ldy_system_set_rotation (t.system, 0, step % 2 ? turned : unit), 0);
    CHECK_INT (ldy_system_set_velocity (t.system, 0, LDY_VELOCITY_FREE, velocity, 6), 0);
    CHECK_INT (ldy_system_move_constraint (t.system, 0, turned, point, point), 0);
    CHECK_INT (ldy_system_update (t.system, 0.5 + step), 0);
    CHECK_INT (ldy_system_multiply (t.system, x, 0, y, 0, 3 * CONSTRAINTS, 1, LDY_MULTIPLY_THROUGH_BODIES), 0);
    CHECK_INT (ldy_factor_compute (t.factor, t.system, &mu, 1), 0);
    CHECK_INT (ldy_factor_solve (t.factor, y, 8 * (3 * CONSTRAINTS), 3 * CONSTRAINTS, 1), 0);
    CHECK_INT (ldy_system_constraint_force (t.system, 0, x, 3 * CONSTRAINTS, force, 6), 0);
    CHECK_INT (ldy_system_apply_reactions (t.system, x, 3 * CONSTRAINTS), 0);
    failing.armed = 0;
    CHECK_INT (failing.failed, 0);
  }
  destroy (&t);
}

/* Each allocation of a clone fails in turn: nothing is left of it, and the original has its results. */
static void clones (void)
{
  ldy_rows rows = LDY_ROWS_INIT, copied = LDY_ROWS_INIT;
  ldy_system *copy = NULL;
  STATE t = { 0 };
  int failures = 0;

  check_context ("clones");
  CHECK_INT (go_on (&t), 0);
  CHECK_INT (ldy_system_clone (t.system, &copy), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (ldy_last_error (), "body 5: its inverse callback cannot be copied");
  CHECK_INT (ldy_system_set_inertia (t.system, 5, DENSE (3, unit)), 0);
  CHECK_INT (ldy_system_update (t.system, 0.5), 0);
  failing.persistent = 0;
  for (;;) {
    long in_use = failing.in_use;
    failing_arm (failures + 1);
    int code = ldy_system_clone (t.system, &copy);
    failing.armed = 0;
    if (code == 0) break;
    failures ++;
    CHECK_INT (code, LDY_ERROR_OUT_OF_MEMORY);
    CHECK (!copy && failing.in_use == in_use);
  }
  CHECK (failures > 20);
  CHECK_INT (ldy_system_results (copy, &copied), LDY_ERROR_STALE_RESULTS);
  CHECK_INT (ldy_system_results (t.system, &rows), 0);
  CHECK_INT (ldy_system_update (copy, 0.5), 0);
  CHECK_INT (ldy_system_results (copy, &copied), 0);
  CHECK (copied.entries == rows.entries && copied.scalars == rows.scalars);
  CHECK_SAME_BITS (copied.values, rows.values, rows.entries * sizeof *rows.values);
  CHECK_SAME_BITS (copied.B, rows.B, rows.scalars * sizeof *rows.B);
  CHECK_INT (ldy_system_clone (NULL, &copy), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_INT (ldy_system_clone (t.system, NULL), LDY_ERROR_INVALID_ARGUMENT);
  ldy_system_destroy (copy);
  destroy (&t);
}

static STATE expected;

/* The k-th allocation fails, or all from there on; 1 if one did. */
static int attempt (int k)
{
  STATE t = { 0 };
  long in_use = failing.in_use;
  int code, failures;

  check_context ("%s %d", failing.persistent ? "all allocations from" : "allocation", k);
  failing_arm (k);
  code = go_on (&t);
  failing.armed = 0;
  failures = failing.failed;
  if (code) {
    CHECK (failures > 0);
    CHECK_INT (code, LDY_ERROR_OUT_OF_MEMORY);
    CHECK_TEXT (ldy_last_error (), "out of memory");
    CHECK_INT (go_on (&t), 0);
  }
  CHECK_SAME_BITS (t.y, expected.y, sizeof t.y);
  CHECK_SAME_BITS (t.through, expected.through, sizeof t.through);
  CHECK_SAME_BITS (&t.value, &expected.value, sizeof t.value);
  CHECK_SAME_BITS (t.solution, expected.solution, sizeof t.solution);
  CHECK_SAME_BITS (t.redundant, expected.redundant, sizeof t.redundant);
  CHECK_INT (t.dimension, expected.dimension);
  CHECK_SAME_BITS (&t.determinant, &expected.determinant, sizeof t.determinant);
  CHECK_SAME_BITS (t.stiffness, expected.stiffness, sizeof t.stiffness);
  CHECK_SAME_BITS (t.critical, expected.critical, sizeof t.critical);
  CHECK_SAME_BITS (&t.sharp, &expected.sharp, sizeof t.sharp);
  CHECK_INT (t.stiffest, expected.stiffest);
  for (int i = 0; i < 3 * CONSTRAINTS; i ++) CHECK_NEAR (t.through[i], t.y[i], 1e-9);
  destroy (&t);
  CHECK_INT (failing.in_use, in_use);
  return failures > 0;
}

int main (int argc, char **argv)
{
  int step = argc > 1 ? atoi (argv[1]) : 0, k;

  if (!CHECK (step > 0)) return check_summary ("system_allocations");
  steady ();
  clones ();
  CHECK_INT (go_on (&expected), 0);
  CHECK (expected.critical[0] > 0 && expected.dimension > 0);
  destroy (&expected);
  for (failing.persistent = 0; failing.persistent < 2; failing.persistent ++) {
    for (k = 1; attempt (k); k += step) continue;
    CHECK (k > 40);
  }
  return check_summary ("system_allocations");
}
