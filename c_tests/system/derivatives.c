/* Derivatives of solutions through ldy_system.h: closed forms of a sliding and of a resting body, for systems and for rows, kinks,
 * singular equations, bad input with its texts, and every allocation that fails. */
#include <math.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "system/face.h"

#define LEGS 4
#define SIZE (3 * LEGS)

/* A ball of the mass 1 that comes down at the speed 3 and goes along at the speed 2: R = (-3 friction, 0, 3). An obstacle whose
   constraint is removed makes ids differ from rows. */
static ldy_system *slider (ldy_law *law, int64_t *id)
{
  double u[6] = { 0, 0, 0, 2, 0, -3 };
  ldy_system *system = NULL;
  int64_t body, first;

  *law = (ldy_law) { .kind = LDY_LAW_CONTACT, .friction = 0.5 };
  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_add_rigid (system, 1, unit, unit, origin, &body));
  GOOD (ldy_system_set_velocity (system, body, LDY_VELOCITY_FREE, u, 6));
  GOOD (ldy_system_add_point_constraint (system, body, LDY_GROUND, unit, origin, NULL, &first));
  GOOD (ldy_system_add_point_constraint (system, body, LDY_GROUND, unit, origin, NULL, id));
  GOOD (ldy_system_set_law (system, *id, law));
  GOOD (ldy_system_remove_constraint (system, first));
  GOOD (ldy_system_update (system, 1));
  return system;
}

static const double sliding[3] = { -1.5, 0, 3 };

static void check_slider (ldy_derivatives *derivatives)
{
  /* Two changes at once: a faster fall with a bias, and more friction. */
  double velocities[6] = { 0, 0, -1, 0, 0, 0 }, dR[6], dU[6];
  ldy_law changes[2] = { { .kind = 77, .friction_2 = NAN, .bias = { 0, 0, 0.5 } }, { .friction = 1, .friction_2 = NAN } };
  double by_R[6] = { 0, 0, 0, 1, 0, 0 }, by_U[6] = { 1, 0, 0, 0, 0, 0 }, by_B[6];
  ldy_law by_laws[2];
  ldy_fit fit;

  changes[0].friction_2 = changes[1].friction_2 = 9;
  GOOD (ldy_derivatives_forward (derivatives, velocities, changes, 1, dR, dU, 3, 2, &fit));
  CHECK (fit.is_singular == 0 && fit.is_solution == 1 && fit.outside < 1e-14);
  /* U_N + bias = 0, so that U_N changes by -0.5 and R_N by 1 - 0.5. */
  CHECK_NEAR (dR[0], -0.25, 1e-14), CHECK_NEAR (dR[1], 0, 1e-14), CHECK_NEAR (dR[2], 0.5, 1e-14);
  CHECK_NEAR (dU[0], -0.25, 1e-14), CHECK_NEAR (dU[2], -0.5, 1e-14);
  CHECK_NEAR (dR[3], -3, 1e-14), CHECK_NEAR (dR[5], 0, 1e-14), CHECK_NEAR (dU[3], -3, 1e-14);
  /* L = U_1 = 2 - friction N, and L = R_1 = -friction N, with N = 3 - bias. */
  GOOD (ldy_derivatives_adjoint (derivatives, by_R, by_U, by_B, by_laws, 1, 3, 2, &fit));
  CHECK_NEAR (by_B[0], 1, 1e-14), CHECK_NEAR (by_B[2], 0.5, 1e-14);
  CHECK_NEAR (by_B[3], 0, 1e-14), CHECK_NEAR (by_B[5], 0.5, 1e-14);
  for (int k = 0; k < 2; k ++) {
    CHECK_INT (by_laws[k].kind, LDY_LAW_NONE);
    CHECK_NEAR (by_laws[k].friction, -3, 1e-14);
    CHECK_NEAR (by_laws[k].bias[2], 0.5, 1e-14);
    CHECK_NEAR (by_laws[k].cohesion, -0.5, 1e-14);
    CHECK (by_laws[k].friction_2 == 0 && by_laws[k].rolling_friction == 0 && by_laws[k].lower[2] == 0 && by_laws[k].bias[5] == 0);
  }
  /* One function of forces or velocities alone, without laws and fit. */
  GOOD (ldy_derivatives_adjoint (derivatives, NULL, by_U, by_B, NULL, 0, 3, 1, NULL));
  CHECK_NEAR (by_B[2], 0.5, 1e-14);
  GOOD (ldy_derivatives_forward (derivatives, velocities, NULL, 0, dR, dU, 3, 1, NULL));
  CHECK_NEAR (dR[2], 1, 1e-14);
}

static void sliding_body (void)
{
  double by_W[9], turned[3], B[3], by_B[3], by_U[3] = { 0, 1, 0 };
  ldy_rows rows = { .size = sizeof rows };
  ldy_derivatives *derivatives = NULL;
  ldy_law law, by_law;
  int64_t id;
  ldy_system *system = slider (&law, &id);

  GOOD (ldy_derivatives_create (&derivatives));
  GOOD (ldy_derivatives_compute (derivatives, system, NULL, 0, sliding, 3, 0));
  check_slider (derivatives);
  GOOD (ldy_derivatives_compute (derivatives, system, &law, 1, sliding, 3, 0));
  check_slider (derivatives);
  GOOD (ldy_system_results (system, &rows));
  GOOD (ldy_derivatives_compute_rows (derivatives, &rows, &law, 1, 0, sliding, 3, 0));
  check_slider (derivatives);
  GOOD (ldy_rows_outer_product (&rows, (double[]) { 1, 2, 3 }, sliding, 3, by_W, 9));
  for (int j = 0; j < 3; j ++) for (int i = 0; i < 3; i ++) CHECK_NEAR (by_W[3 * j + i], (i + 1) * sliding[j], 0);
  /* The normal first: N = 3, both tangents exchanged. */
  turned[0] = 3, turned[1] = 0, turned[2] = -1.5, B[0] = -3, B[1] = 0, B[2] = 2;
  rows.B = B;
  GOOD (ldy_derivatives_compute_rows (derivatives, &rows, &law, 1, 1, turned, 3, 0));
  by_U[1] = 0, by_U[2] = 1;
  GOOD (ldy_derivatives_adjoint (derivatives, NULL, by_U, by_B, &by_law, 1, 3, 1, NULL));
  CHECK_NEAR (by_B[0], 0.5, 1e-14), CHECK_NEAR (by_B[2], 1, 1e-14), CHECK_NEAR (by_law.friction, -3, 1e-14);
  /* With a coefficient for each tangent: the second one does nothing. */
  law.kind = LDY_LAW_ORTHOTROPIC_CONTACT, law.friction_2 = 0.5;
  GOOD (ldy_derivatives_compute (derivatives, system, &law, 1, sliding, 3, 0));
  by_U[0] = 1, by_U[2] = 0;
  GOOD (ldy_derivatives_adjoint (derivatives, NULL, by_U, by_B, &by_law, 1, 3, 1, NULL));
  CHECK_NEAR (by_law.friction, -3, 1e-14), CHECK_NEAR (by_law.friction_2, 0, 1e-14);
  /* They remain when the system has gone. */
  GOOD (ldy_derivatives_compute (derivatives, system, NULL, 0, sliding, 3, 0));
  ldy_system_destroy (system);
  check_slider (derivatives);
  ldy_derivatives_destroy (derivatives);
}

/* A table of the mass 4 that comes down at the speed 1 on four legs: each has the force 1, and sticks. */
static ldy_system *table (int64_t ids[LEGS])
{
  static const double legs[LEGS][3] = { { -1, -0.5, 0 }, { 1, -0.5, 0 }, { 1, 0.5, 0 }, { -1, 0.5, 0 } };
  double center[3] = { 0, 0, 1 }, u[6] = { 0, 0, 0, 0, 0, -1 };
  ldy_law law = { .kind = LDY_LAW_CONTACT, .friction = 0.5 };
  ldy_system *system = NULL;
  int64_t body;

  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_add_rigid (system, 4, unit, unit, center, &body));
  GOOD (ldy_system_set_velocity (system, body, LDY_VELOCITY_FREE, u, 6));
  for (int leg = 0; leg < LEGS; leg ++) {
    GOOD (ldy_system_add_point_constraint (system, body, LDY_GROUND, unit, legs[leg], NULL, &ids[leg]));
    GOOD (ldy_system_set_law (system, ids[leg], &law));
  }
  GOOD (ldy_system_update (system, 1));
  return system;
}

/* A unit of velocity down is a unit of force on each leg. */
static void singular_equations (void)
{
  double R[SIZE] = { 0 }, velocities[SIZE] = { 0 }, dR[SIZE], dU[SIZE], by_B[SIZE];
  int64_t ids[LEGS], found[LEGS] = { -1, -1, -1, -1 };
  ldy_system *system = table (ids);
  ldy_derivatives *derivatives = NULL;
  size_t count = 9;
  ldy_fit fit;

  for (int leg = 0; leg < LEGS; leg ++) R[3 * leg + 2] = 1, velocities[3 * leg + 2] = -1;
  GOOD (ldy_derivatives_create (&derivatives));
  GOOD (ldy_derivatives_compute (derivatives, system, NULL, 0, R, SIZE, 0));
  GOOD (ldy_derivatives_kinks (derivatives, NULL, 0, &count));
  CHECK_INT (count, 0);
  GOOD (ldy_derivatives_forward (derivatives, velocities, NULL, 0, dR, dU, SIZE, 1, &fit));
  CHECK (fit.is_singular == 1 && fit.outside < 1e-9 && fit.is_solution == 1);
  for (int i = 0; i < SIZE; i ++) CHECK_NEAR (dR[i], i % 3 == 2, 1e-9), CHECK_NEAR (dU[i], 0, 1e-9);
  /* One leg that is pushed up alone: no velocity of the body does this. */
  memset (velocities, 0, sizeof velocities), velocities[2] = -1;
  GOOD (ldy_derivatives_forward (derivatives, velocities, NULL, 0, dR, dU, SIZE, 1, &fit));
  CHECK (fit.outside > 0.2 && fit.outside < 1);
  GOOD (ldy_derivatives_adjoint (derivatives, velocities, NULL, by_B, NULL, 0, SIZE, 1, &fit));
  CHECK (fit.outside > 0.2 && fit.is_singular == 1);
  GOOD (ldy_derivatives_undetermined (derivatives, found, 3, &count));
  CHECK_INT (count, LEGS);
  for (int leg = 0; leg < LEGS; leg ++) CHECK_INT (found[leg], leg < 3 ? ids[leg] : -1);
  ldy_derivatives_destroy (derivatives), ldy_system_destroy (system);
}

/* Rows of their own: nothing, at the largest friction, at a bound; and forces that are no solution. */
static void kinks (void)
{
  static const double values[27] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  static const int starts[4] = { 0, 1, 2, 3 }, columns[3] = { 0, 1, 2 };
  double R[9] = { 0, 0, 0, 0.3, -0.4, 1, 0, 2, 0 }, B[9] = { 0, 0, 0, -0.3, 0.4, -1, 0, -2, 0 }, by_B[9], by[9] = { 0 };
  ldy_rows rows = { .size = sizeof rows, .rows = 3, .blocks = 3, .starts = starts, .columns = columns, .values = values, .B = B };
  ldy_law laws[3] = { { .kind = LDY_LAW_CONTACT, .friction = 1 }, { .kind = LDY_LAW_CONTACT, .friction = 0.5 }, { .kind = LDY_LAW_BOUNDS } };
  ldy_derivatives *derivatives = NULL;
  ldy_kink found[4];
  size_t count = 0;
  ldy_fit fit;

  for (int i = 0; i < 3; i ++) laws[2].lower[i] = -1, laws[2].upper[i] = 2;
  GOOD (ldy_derivatives_create (&derivatives));
  GOOD (ldy_derivatives_compute_rows (derivatives, &rows, laws, 3, 0, R, 9, 0));
  memset (found, 0x5a, sizeof found);
  GOOD (ldy_derivatives_kinks (derivatives, found, 2, &count));
  CHECK (count == 3 && found[2].kind == 0x5a5a5a5a);
  GOOD (ldy_derivatives_kinks (derivatives, found, 4, NULL));
  CHECK (found[0].constraint == 0 && found[0].component == 2 && found[0].kind == LDY_KINK_TOUCHING);
  CHECK (found[1].constraint == 1 && found[1].component == 0 && found[1].kind == LDY_KINK_SLIDING);
  CHECK (found[2].constraint == 2 && found[2].component == 1 && found[2].kind == LDY_KINK_BOUND);
  GOOD (ldy_derivatives_undetermined (derivatives, NULL, 0, &count));
  CHECK_INT (count, 0);
  R[5] = 1.1;
  GOOD (ldy_derivatives_compute_rows (derivatives, &rows, laws, 3, 0, R, 9, 0));
  GOOD (ldy_derivatives_adjoint (derivatives, by, NULL, by_B, NULL, 0, 9, 1, &fit));
  CHECK_INT (fit.is_solution, 0);
  ldy_derivatives_destroy (derivatives);
}

static void bad_input (void)
{
  double dR[3] = { 7, 7, 7 }, dU[3] = { 7, 7, 7 }, velocities[6] = { 0 }, by_W[9];
  ldy_law free_law = { .kind = LDY_LAW_NONE }, change[1] = { { .cohesion = NAN } };
  ldy_rows rows = { .size = sizeof rows };
  ldy_derivatives *derivatives = NULL;
  ldy_law law;
  int64_t id;
  ldy_system *system = slider (&law, &id);

  BAD (ldy_derivatives_create (NULL), "derivatives is NULL");
  ldy_derivatives_destroy (NULL);
  GOOD (ldy_derivatives_create (&derivatives));
  /* Without rows. */
  GOOD (ldy_derivatives_forward (derivatives, NULL, NULL, 0, NULL, NULL, 0, 1, NULL));
  GOOD (ldy_derivatives_adjoint (derivatives, NULL, NULL, NULL, NULL, 0, 0, 1, NULL));
  BAD (ldy_derivatives_forward (derivatives, velocities, NULL, 0, dR, dU, 3, 1, NULL), "changes of velocities: 3 values where 0 are needed");
  BAD (ldy_derivatives_compute (NULL, system, NULL, 0, sliding, 3, 0), "derivatives is NULL");
  BAD (ldy_derivatives_compute (derivatives, NULL, NULL, 0, sliding, 3, 0), "system is NULL");
  BAD (ldy_derivatives_compute (derivatives, system, NULL, 1, sliding, 3, 0), "laws is NULL");
  BAD (ldy_derivatives_compute (derivatives, system, NULL, 0, NULL, 3, 0), "R is NULL");
  GOOD (ldy_derivatives_compute (derivatives, system, NULL, 0, sliding, 3, 0));
  BAD (ldy_derivatives_compute (derivatives, system, NULL, 0, sliding, 2, 0), "forces: 2 values where 3 are needed");
  BAD (ldy_derivatives_compute (derivatives, system, &free_law, 1, sliding, 3, 0), "laws[0].kind is 0");
  BAD (ldy_derivatives_compute (derivatives, system, NULL, 0, sliding, 3, 1), "the tolerance is not between 0 and 1");
  /* The second of two changes is bad: nothing is written, and the text names the constraint. */
  velocities[4] = INFINITY;
  BAD (ldy_derivatives_forward (derivatives, velocities, NULL, 0, dR, dU, 3, 2, NULL), "a change of its velocity is not finite");
  BAD (ldy_derivatives_forward (derivatives, velocities, NULL, 0, dR, dU, 3, 2, NULL), "constraint 1: ");
  BAD (ldy_derivatives_forward (derivatives, velocities, change, 1, dR, dU, 3, 1, NULL), "a change of its law is not finite");
  BAD (ldy_derivatives_forward (derivatives, velocities, change, 2, dR, dU, 3, 1, NULL), "changes of laws: 2 values where 1 are needed");
  BAD (ldy_derivatives_forward (derivatives, velocities, NULL, 1, dR, dU, 3, 1, NULL), "laws is NULL");
  BAD (ldy_derivatives_forward (derivatives, velocities, NULL, 0, NULL, dU, 3, 1, NULL), "dR is NULL");
  BAD (ldy_derivatives_forward (derivatives, velocities, NULL, 0, dR, NULL, 3, 1, NULL), "dU is NULL");
  BAD (ldy_derivatives_adjoint (derivatives, velocities, NULL, dR, NULL, 0, 3, 2, NULL), "a derivative by its force is not finite");
  BAD (ldy_derivatives_adjoint (derivatives, NULL, velocities, dR, NULL, 0, 3, 2, NULL), "a derivative by its velocity is not finite");
  BAD (ldy_derivatives_adjoint (derivatives, NULL, NULL, NULL, NULL, 0, 3, 1, NULL), "by_B is NULL");
  BAD (ldy_derivatives_adjoint (derivatives, NULL, NULL, dR, NULL, 1, 3, 1, NULL), "by_laws is NULL");
  BAD (ldy_derivatives_adjoint (derivatives, NULL, NULL, dR, change, 0, 3, 1, NULL), "by_laws: 0 values where 1 are needed");
  for (int i = 0; i < 3; i ++) CHECK (dR[i] == 7 && dU[i] == 7);
  BAD (ldy_derivatives_kinks (NULL, NULL, 0, NULL), "derivatives is NULL");
  BAD (ldy_derivatives_kinks (derivatives, NULL, 1, NULL), "kinks is NULL");
  BAD (ldy_derivatives_undetermined (derivatives, NULL, 1, NULL), "constraints is NULL");
  GOOD (ldy_system_results (system, &rows));
  BAD (ldy_rows_outer_product (&rows, sliding, sliding, 2, by_W, 9), "x: 2 values where 3 are needed");
  BAD (ldy_rows_outer_product (&rows, sliding, sliding, 3, by_W, 8), "values: 8 values where 9 are needed");
  BAD (ldy_rows_outer_product (NULL, sliding, sliding, 3, by_W, 9), "rows is NULL");
  GOOD (ldy_system_set_compliance (system, id, unit, 9));
  BAD (ldy_derivatives_compute (derivatives, system, NULL, 0, sliding, 3, 0), "no successful update since the last change");
  /* After all that they still belong to the ball. */
  check_slider (derivatives);
  ldy_derivatives_destroy (derivatives), ldy_system_destroy (system);
}

typedef struct {
  ldy_derivatives *derivatives;
  double dR[SIZE], dU[SIZE], by_B[SIZE];
  ldy_law by_laws[LEGS];
  int64_t undetermined[LEGS];
} STATE;

/* Do what is not done yet. */
static int go_on (ldy_system *system, STATE *t)
{
  double R[SIZE] = { 0 }, by[SIZE];
  int code;

  for (int i = 0; i < SIZE; i ++) R[i] = i % 3 == 2, by[i] = (5 * i) % 7 - 3;
  if (! t->derivatives && (code = ldy_derivatives_create (&t->derivatives))) return code;
  if ((code = ldy_derivatives_compute (t->derivatives, system, NULL, 0, R, SIZE, 0))) return code;
  if ((code = ldy_derivatives_forward (t->derivatives, by, t->by_laws, LEGS, t->dR, t->dU, SIZE, 1, NULL))) return code;
  if ((code = ldy_derivatives_adjoint (t->derivatives, by, by, t->by_B, t->by_laws, LEGS, SIZE, 1, NULL))) return code;
  return ldy_derivatives_undetermined (t->derivatives, t->undetermined, LEGS, NULL);
}

/* The k-th allocation fails; 1 if one did. */
static int attempt (ldy_system *system, int k, const STATE *expected)
{
  STATE t = { .derivatives = NULL };
  long in_use = failing.in_use;

  check_context ("allocation %d", k);
  failing_arm (k);
  int code = go_on (system, &t);
  failing.armed = 0;
  if (code) {
    CHECK (failing.failed > 0);
    CHECK_INT (code, LDY_ERROR_OUT_OF_MEMORY);
    CHECK_TEXT (ldy_last_error (), "out of memory");
    memset (t.by_laws, 0, sizeof t.by_laws);
    GOOD (go_on (system, &t));
  }
  CHECK_SAME_BITS (t.dR, expected->dR, sizeof t.dR);
  CHECK_SAME_BITS (t.dU, expected->dU, sizeof t.dU);
  CHECK_SAME_BITS (t.by_B, expected->by_B, sizeof t.by_B);
  CHECK_SAME_BITS (t.undetermined, expected->undetermined, sizeof t.undetermined);
  for (int leg = 0; leg < LEGS; leg ++) CHECK_SAME_BITS (t.by_laws[leg].bias, expected->by_laws[leg].bias, sizeof t.by_laws[leg].bias);
  ldy_derivatives_destroy (t.derivatives);
  CHECK_INT (failing.in_use, in_use);
  return failing.failed > 0;
}

static void failing_allocations (void)
{
  STATE expected = { .derivatives = NULL };
  int64_t ids[LEGS];
  ldy_system *system = table (ids);
  int k = 1;

  GOOD (go_on (system, &expected));
  while (attempt (system, k, &expected)) k ++;
  CHECK (k > 40);
  check_context (NULL);
  ldy_derivatives_destroy (expected.derivatives);
  ldy_system_destroy (system);
}

int main (void)
{
  sliding_body ();
  singular_equations ();
  kinks ();
  bad_input ();
  failing_allocations ();
  return check_summary ("system_derivatives");
}
