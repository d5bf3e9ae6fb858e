/* Solution sets through ldy_system.h: a table on four legs and a stack by hand, for systems and for rows, canonical forces from any
 * guess, bad input with its texts, and every allocation that fails. */
#include <math.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "system/face.h"

#define LEGS 4
#define SIZE (3 * LEGS)

static const double legs[LEGS][3] = { { -1, -0.5, 0 }, { 1, -0.5, 0 }, { 1, 0.5, 0 }, { -1, 0.5, 0 } };

/* A table of the mass 4 that falls with the speed 1, its center above (0.5, 0): legs share the weight as 1 : 3, on both sides. An
   obstacle whose constraint is removed makes ids differ from rows. */
static ldy_system *table (double friction, int64_t ids[LEGS])
{
  double center[3] = { 0.5, 0, 1 }, u[6] = { 0, 0, 0, 0, 0, -1 };
  ldy_law law = { .kind = LDY_LAW_CONTACT, .friction = friction };
  ldy_system *system = NULL;
  int64_t body, first;

  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_add_rigid (system, 4, unit, unit, center, &body));
  GOOD (ldy_system_set_velocity (system, body, LDY_VELOCITY_FREE, u, 6));
  GOOD (ldy_system_add_point_constraint (system, body, LDY_GROUND, unit, origin, NULL, &first));
  for (int leg = 0; leg < LEGS; leg ++) {
    GOOD (ldy_system_add_point_constraint (system, body, LDY_GROUND, unit, legs[leg], NULL, &ids[leg]));
    GOOD (ldy_system_set_law (system, ids[leg], &law));
  }
  GOOD (ldy_system_remove_constraint (system, first));
  GOOD (ldy_system_update (system, 1));
  return system;
}

/* The forces of frictionless legs: along (1, -1, 1, -1), by at most 0.5 in both directions. */
static const double shares[LEGS] = { 0.5, 1.5, 1.5, 0.5 };

static void check_table (ldy_solution_set *set, const int64_t *ids, const int64_t *causes_ids)
{
  double least[SIZE], greatest[SIZE];
  unsigned char determined[SIZE];
  int64_t causes[LEGS];
  size_t count;

  GOOD (ldy_solution_set_determined (set, determined, SIZE));
  GOOD (ldy_solution_set_intervals (set, NULL, 0, least, greatest, SIZE));
  for (int i = 0; i < SIZE; i ++) {
    CHECK_INT (determined[i], i % 3 != 2);
    CHECK_NEAR (least[i], i % 3 == 2 ? shares[i / 3] - 0.5 : 0, 1e-9);
    CHECK_NEAR (greatest[i], i % 3 == 2 ? shares[i / 3] + 0.5 : 0, 1e-9);
  }
  /* Chosen constraints, in any order. */
  GOOD (ldy_solution_set_intervals (set, (int64_t[]) { ids[2], ids[0] }, 2, least, greatest, 6));
  CHECK_NEAR (least[2], 1, 1e-9), CHECK_NEAR (greatest[2], 2, 1e-9);
  CHECK_NEAR (least[5], 0, 1e-9), CHECK_NEAR (greatest[5], 1, 1e-9);
  GOOD (ldy_solution_set_causes (set, ids[1], 2, NULL, 0, &count));
  CHECK_INT (count, LEGS);
  memset (causes, -1, sizeof causes);
  GOOD (ldy_solution_set_causes (set, ids[1], 2, causes, 3, NULL));
  for (int leg = 0; leg < LEGS; leg ++) CHECK_INT (causes[leg], leg < 3 ? causes_ids[leg] : -1);
  GOOD (ldy_solution_set_causes (set, ids[1], 0, causes, LEGS, &count));
  CHECK_INT (count, 0);
}

static void solve (ldy_system *system, int canonical, double R[SIZE])
{
  ldy_contact_solver_options options = { .size = sizeof options, .canonical = canonical };
  ldy_contact_solver_report report = { .size = sizeof report };
  ldy_contact_solver *solver = NULL;

  GOOD (ldy_contact_solver_create (&solver));
  GOOD (ldy_contact_solver_solve (solver, system, NULL, 0, &options, R, SIZE, &report));
  CHECK_INT (report.status, LDY_STATUS_CONVERGED);
  ldy_contact_solver_destroy (solver);
}

static void table_of_a_system (void)
{
  ldy_solution_set *set = NULL;
  double R[SIZE] = { 0 };
  int64_t ids[LEGS];
  ldy_system *system = table (0, ids);

  solve (system, 0, R);
  GOOD (ldy_solution_set_create (&set));
  GOOD (ldy_solution_set_compute (set, system, NULL, 0, R, SIZE, 0));
  check_table (set, ids, ids);
  GOOD (ldy_solution_set_canonical (set, R, SIZE));
  for (int leg = 0; leg < LEGS; leg ++) CHECK_NEAR (R[3 * leg + 2], shares[leg], 1e-9);
  /* The set remains when the system has gone. */
  ldy_system_destroy (system);
  check_table (set, ids, ids);
  ldy_solution_set_destroy (set);
}

/* The rows of the same system, and with the normal first. */
static void table_of_rows (void)
{
  static const int64_t numbers[LEGS] = { 0, 1, 2, 3 };
  double R[SIZE] = { 0 }, first[SIZE], B[SIZE], values[LEGS * LEGS * 9], least[SIZE], greatest[SIZE];
  ldy_rows rows = { .size = sizeof rows };
  ldy_solution_set *set = NULL;
  ldy_law laws[LEGS];
  int64_t ids[LEGS];
  ldy_system *system = table (0, ids);

  for (int leg = 0; leg < LEGS; leg ++) laws[leg] = (ldy_law) { .kind = LDY_LAW_CONTACT };
  solve (system, 0, R);
  GOOD (ldy_system_results (system, &rows));
  GOOD (ldy_solution_set_create (&set));
  GOOD (ldy_solution_set_compute_rows (set, &rows, laws, LEGS, 0, R, SIZE, 0));
  check_table (set, numbers, numbers);
  /* Component i becomes component i + 1. */
  for (int i = 0; i < SIZE; i ++) {
    int to = 3 * (i / 3) + (i + 1) % 3;
    first[to] = R[i], B[to] = rows.B[i];
  }
  for (int k = 0; k < LEGS * LEGS; k ++) for (int j = 0; j < 3; j ++) for (int i = 0; i < 3; i ++)
    values[9 * k + 3 * ((j + 1) % 3) + (i + 1) % 3] = rows.values[9 * k + 3 * j + i];
  rows.values = values, rows.B = B;
  GOOD (ldy_solution_set_compute_rows (set, &rows, laws, LEGS, 1, first, SIZE, 0));
  GOOD (ldy_solution_set_intervals (set, numbers, 1, least, greatest, 3));
  CHECK_NEAR (least[0], 0, 1e-9), CHECK_NEAR (greatest[0], 1, 1e-9);
  CHECK (least[1] == 0 && greatest[2] == 0);
  BAD (ldy_solution_set_compute_rows (set, &rows, laws, LEGS, 0, first, SIZE, 0), "the forces are no solution");
  BAD (ldy_solution_set_compute_rows (set, &rows, laws, 3, 0, first, SIZE, 0), "laws: 3 values where 4 are needed");
  BAD (ldy_solution_set_causes (set, 4, 0, NULL, 0, NULL), "constraint 4: there is no such constraint in the set");
  ldy_solution_set_destroy (set);
  ldy_system_destroy (system);
}

/* Friction cones limit what the legs can do to each other; canonical forces are those without stress, from any guess. */
static void canonical_forces (void)
{
  double zero[SIZE] = { 0 }, guess[SIZE];
  int64_t ids[LEGS];
  ldy_system *system = table (0.5, ids);

  for (int i = 0; i < SIZE; i ++) guess[i] = (7 * i) % 5 - 1.5;
  solve (system, 1, zero), solve (system, 1, guess);
  for (int i = 0; i < SIZE; i ++) {
    CHECK_NEAR (zero[i], guess[i], 1e-10);
    if (i % 3 == 2) CHECK_NEAR (zero[i], shares[i / 3], 1e-9);
  }
  ldy_system_destroy (system);
}

/* A structure without the field, as programs have it that are older. */
static void older_options (void)
{
  ldy_contact_solver_options options = { .size = offsetof (ldy_contact_solver_options, canonical), .canonical = 1 };
  ldy_contact_solver *solver = NULL;
  double plain[SIZE] = { 0, 0, 3 }, older[SIZE] = { 0, 0, 3 };
  int64_t ids[LEGS];
  ldy_system *system = table (0.5, ids);

  GOOD (ldy_contact_solver_create (&solver));
  GOOD (ldy_contact_solver_solve (solver, system, NULL, 0, NULL, plain, SIZE, NULL));
  GOOD (ldy_contact_solver_solve (solver, system, NULL, 0, &options, older, SIZE, NULL));
  CHECK_SAME_BITS (plain, older, sizeof plain);
  ldy_contact_solver_destroy (solver);
  ldy_system_destroy (system);
}

static void bad_input (void)
{
  double R[SIZE] = { 0 }, least[SIZE], greatest[SIZE];
  ldy_law free_law = { .kind = LDY_LAW_NONE };
  ldy_solution_set *set = NULL;
  unsigned char determined[SIZE];
  int64_t ids[LEGS];
  ldy_system *system = table (0, ids);

  BAD (ldy_solution_set_create (NULL), "set is NULL");
  ldy_solution_set_destroy (NULL);
  GOOD (ldy_solution_set_create (&set));
  /* An empty set. */
  GOOD (ldy_solution_set_determined (set, NULL, 0));
  BAD (ldy_solution_set_determined (set, determined, SIZE), "determined: 12 values where 0 are needed");
  BAD (ldy_solution_set_causes (set, ids[0], 0, NULL, 0, NULL), "there is no such constraint in the set");
  solve (system, 0, R);
  BAD (ldy_solution_set_compute (NULL, system, NULL, 0, R, SIZE, 0), "set is NULL");
  BAD (ldy_solution_set_compute (set, NULL, NULL, 0, R, SIZE, 0), "system is NULL");
  BAD (ldy_solution_set_compute (set, system, NULL, 4, R, SIZE, 0), "laws is NULL");
  BAD (ldy_solution_set_compute (set, system, NULL, 0, NULL, SIZE, 0), "R is NULL");
  BAD (ldy_solution_set_compute (set, system, NULL, 0, R, SIZE - 1, 0), "forces: 11 values where 12 are needed");
  BAD (ldy_solution_set_compute (set, system, &free_law, 1, R, SIZE, 0), "laws: 1 values where 4 are needed");
  BAD (ldy_solution_set_compute (set, system, NULL, 0, R, SIZE, 1), "the tolerance is not between 0 and 1");
  GOOD (ldy_solution_set_compute (set, system, NULL, 0, R, SIZE, 0));
  R[5] += 1e-3;
  BAD (ldy_solution_set_compute (set, system, NULL, 0, R, SIZE, 0), "the forces are no solution");
  R[5] = NAN;
  BAD (ldy_solution_set_compute (set, system, NULL, 0, R, SIZE, 0), "its force is not finite");
  GOOD (ldy_system_set_compliance (system, ids[0], unit, 9));
  BAD (ldy_solution_set_compute (set, system, NULL, 0, R, SIZE, 0), "no successful update since the last change");
  /* After all that the set is still the one of the table. */
  check_table (set, ids, ids);
  BAD (ldy_solution_set_determined (set, NULL, SIZE), "determined is NULL");
  BAD (ldy_solution_set_intervals (set, NULL, 1, least, greatest, 3), "constraints is NULL");
  BAD (ldy_solution_set_intervals (set, ids, 1, NULL, greatest, 3), "least is NULL");
  BAD (ldy_solution_set_intervals (set, ids, 1, least, NULL, 3), "greatest is NULL");
  BAD (ldy_solution_set_intervals (set, ids, 2, least, greatest, 3), "least and greatest: 3 values where 6 are needed");
  BAD (ldy_solution_set_intervals (set, (int64_t[]) { 0 }, 1, least, greatest, 3), "constraint 0: there is no such constraint");
  BAD (ldy_solution_set_causes (set, ids[0], 3, NULL, 0, NULL), "there is no such component of its force");
  BAD (ldy_solution_set_causes (set, ids[0], -1, NULL, 0, NULL), "there is no such component of its force");
  BAD (ldy_solution_set_causes (set, ids[0], 2, NULL, 1, NULL), "causes is NULL");
  BAD (ldy_solution_set_canonical (set, R, 3), "forces: 3 values where 12 are needed");
  ldy_solution_set_destroy (set);
  ldy_system_destroy (system);
}

typedef struct {
  double R[SIZE], least[SIZE], greatest[SIZE], canonical[SIZE];
  unsigned char determined[SIZE];
  int64_t causes[LEGS];
  ldy_solution_set *set;
  ldy_contact_solver *solver;
} STATE;

/* Goes on from where it is until something fails. */
static int go_on (ldy_system *system, const int64_t *ids, STATE *t)
{
  ldy_contact_solver_options options = { .size = sizeof options, .canonical = 1 };
  int code;

  if (!t->solver && (code = ldy_contact_solver_create (&t->solver))) return code;
  memset (t->R, 0, sizeof t->R);
  if ((code = ldy_contact_solver_solve (t->solver, system, NULL, 0, &options, t->R, SIZE, NULL))) {
    for (int i = 0; i < SIZE; i ++) CHECK (t->R[i] == 0);
    return code;
  }
  if (!t->set && (code = ldy_solution_set_create (&t->set))) return code;
  if ((code = ldy_solution_set_compute (t->set, system, NULL, 0, t->R, SIZE, 0))) return code;
  if ((code = ldy_solution_set_determined (t->set, t->determined, SIZE))) return code;
  if ((code = ldy_solution_set_intervals (t->set, NULL, 0, t->least, t->greatest, SIZE))) return code;
  if ((code = ldy_solution_set_causes (t->set, ids[3], 1, t->causes, LEGS, NULL))) return code;
  return ldy_solution_set_canonical (t->set, t->canonical, SIZE);
}

/* The k-th allocation fails; 1 if one did. */
static int attempt (ldy_system *system, const int64_t *ids, int k, const STATE *expected)
{
  STATE t = { .set = NULL };
  long in_use = failing.in_use;

  check_context ("allocation %d", k);
  failing_arm (k);
  int code = go_on (system, ids, &t);
  failing.armed = 0;
  if (code) {
    CHECK (failing.failed > 0);
    CHECK_INT (code, LDY_ERROR_OUT_OF_MEMORY);
    CHECK_TEXT (ldy_last_error (), "out of memory");
    GOOD (go_on (system, ids, &t));
  }
  CHECK_SAME_BITS (t.R, expected->R, sizeof t.R);
  CHECK_SAME_BITS (t.determined, expected->determined, sizeof t.determined);
  CHECK_SAME_BITS (t.least, expected->least, sizeof t.least);
  CHECK_SAME_BITS (t.greatest, expected->greatest, sizeof t.greatest);
  CHECK_SAME_BITS (t.causes, expected->causes, sizeof t.causes);
  CHECK_SAME_BITS (t.canonical, expected->canonical, sizeof t.canonical);
  ldy_contact_solver_destroy (t.solver);
  ldy_solution_set_destroy (t.set);
  CHECK_INT (failing.in_use, in_use);
  return failing.failed > 0;
}

static void failing_allocations (void)
{
  STATE expected = { .set = NULL };
  int64_t ids[LEGS];
  ldy_system *system = table (0.5, ids);
  int k = 1;

  GOOD (go_on (system, ids, &expected));
  while (attempt (system, ids, k, &expected)) k ++;
  CHECK (k > 40);
  check_context (NULL);
  ldy_contact_solver_destroy (expected.solver);
  ldy_solution_set_destroy (expected.set);
  ldy_system_destroy (system);
}

int main (void)
{
  table_of_a_system ();
  table_of_rows ();
  canonical_forces ();
  older_options ();
  bad_input ();
  failing_allocations ();
  return check_summary ("system_solution_set");
}
