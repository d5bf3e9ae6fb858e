/* Solvers, factors and ranks with constraints of one to six rows, through ldy_system.h: the same scalars cut into rows in several
   ways, bad input with its texts, and every allocation that fails. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "system/face.h"

#define DOFS 6
#define BODIES 2
#define N 12
#define CUTS 5

/* How the scalars are cut into constraints: three a row is one of them. */
static const int cuts[CUTS][N] = { { 3, 3, 3, 3 }, { 1, 2, 3, 6 }, { 6, 6 }, { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 },
  { 5, 4, 2, 1 } };

static double inverse (int body, int dof)
{
  return 1 + 0.25 * body + 0.5 * dof;
}

/* Row i of H; with `dependent` the eighth is a sum of two others, and the last one is nothing. */
static double H_entry (int i, int body, int dof, int dependent)
{
  if (dependent && i == 7) return H_entry (1, body, dof, 0) - 2 * H_entry (4, body, dof, 0);
  if (dependent && i == N - 1) return 0;
  return (7 * i + 5 * body + 3 * (i % 4) * (dof + 1) + dof * dof * (i + 2)) % 13 - 6 + (i == DOFS * body + dof ? 9 : 0);
}

static int row_count (int cut)
{
  int count = 0, sum = 0;

  while (sum < N) sum += cuts[cut][count ++];
  return count;
}

static int insert (ldy_system *system, int cut, int dependent)
{
  double diagonal[DOFS], u[DOFS], dense[BODIES][6 * DOFS];
  int64_t bodies[BODIES], id;
  int code, first = 0;

  for (int body = 0; body < BODIES; body ++) {
    for (int dof = 0; dof < DOFS; dof ++) diagonal[dof] = inverse (body, dof), u[dof] = dof - 2 + body;
    if ((code = ldy_system_add_body (system, DIAGONAL (DOFS, diagonal), &bodies[body]))) return code;
    if ((code = ldy_system_set_velocity (system, bodies[body], LDY_VELOCITY_FREE, u, DOFS))) return code;
  }
  for (int row = 0; row < row_count (cut); first += cuts[cut][row ++]) {
    ldy_operator H[BODIES];
    int m = cuts[cut][row];

    for (int body = 0; body < BODIES; body ++) {
      for (int k = 0; k < m * DOFS; k ++) dense[body][k] = H_entry (first + k % m, body, k / m, dependent);
      H[body] = (ldy_operator) { DOFS, NULL, NULL, dense[body], (size_t) (m * DOFS) };
    }
    if ((code = ldy_system_add_constraint_rows (system, m, bodies, H, BODIES, &id))) return code;
  }
  return ldy_system_update (system, 1);
}

static ldy_system *scene (int cut, int dependent)
{
  ldy_system *system = NULL;

  GOOD (ldy_system_create (&system));
  GOOD (insert (system, cut, dependent));
  return system;
}

/* Fixed scalars, stops and motors; those that a row has not are not read. */
static void make_laws (int cut, ldy_law *laws)
{
  int i = 0;

  for (int row = 0; row < row_count (cut); row ++) {
    laws[row] = (ldy_law) { .kind = LDY_LAW_BOUNDS };
    for (int k = 0; k < 6; k ++) {
      int is_there = k < cuts[cut][row], kind = i % 3;
      laws[row].lower[k] = !is_there ? NAN : kind == 0 ? -INFINITY : kind == 1 ? 0 : -0.05;
      laws[row].upper[k] = !is_there ? NAN : kind == 2 ? 0.05 : INFINITY;
      laws[row].bias[k] = !is_there ? NAN : 0.125 * i;
      i += is_there;
    }
  }
}

/* Forces are the same regardless of the cut, of a system and of its rows, and they stop velocities that are fixed. */
static void forces (ldy_contact_solver *solver)
{
  ldy_contact_solver_options options = { .size = sizeof options, .tolerance = 1e-13 };
  ldy_contact_solver_report report = { .size = sizeof report };
  double first[N], R[N], again[N];
  ldy_law laws[N];

  for (int cut = 0; cut < CUTS; cut ++) {
    ldy_system *system = scene (cut, 0);
    ldy_rows rows = { .size = sizeof rows };
    int n = row_count (cut);

    check_context ("cut %d", cut);
    make_laws (cut, laws);
    memset (R, 0, sizeof R);
    memset (again, 0, sizeof again);
    GOOD (ldy_contact_solver_solve (solver, system, laws, (size_t) n, &options, R, N, &report));
    CHECK_INT (report.status, LDY_STATUS_CONVERGED);
    CHECK (report.worst >= 0 && report.worst < n);
    if (cut == 0) memcpy (first, R, sizeof R);
    for (int i = 0; i < N; i ++) CHECK_NEAR (R[i], first[i], 1e-9);
    GOOD (ldy_system_results (system, &rows));
    CHECK_INT (rows.scalar_starts != NULL, cut != 0);
    GOOD (ldy_contact_solver_solve_rows (solver, &rows, laws, (size_t) n, &options, again, N, NULL));
    CHECK_SAME_BITS (R, again, sizeof R);

    for (int row = 0; row < n; row ++) {
      laws[row].kind = LDY_LAW_FIXED;
      for (int k = 0; k < 6; k ++) laws[row].bias[k] = k < cuts[cut][row] ? 0 : NAN;
    }
    GOOD (ldy_contact_solver_solve (solver, system, laws, (size_t) n, &options, R, N, NULL));
    GOOD (ldy_system_apply_reactions (system, R, N));
    for (int body = 0; body < BODIES; body ++) {
      double u[DOFS];
      GOOD (ldy_system_velocity (system, body, LDY_VELOCITY_FREE, u, DOFS));
      for (int dof = 0; dof < DOFS; dof ++) CHECK_NEAR (u[dof], 0, 1e-9);
    }
    ldy_system_destroy (system);
  }
  check_context (NULL);
}

/* (W + diag (mu)) x = b by the products of the system, with no mu, one for all, one a row, one a scalar. */
static void factors (ldy_factor *factor)
{
  for (int cut = 0; cut < CUTS; cut ++) {
    ldy_system *system = scene (cut, 0);
    ldy_rows rows = { .size = sizeof rows };
    int n = row_count (cut);

    GOOD (ldy_system_results (system, &rows));
    for (int each = 0; each < 4; each ++) {
      double mu[N], x[2 * N], y[N], value, other;
      size_t count = (const size_t[]) { 0, 1, (size_t) n, N }[each];

      check_context ("cut %d, mu %d", cut, each);
      for (int k = 0; k < N; k ++) mu[k] = 0.5 + 0.25 * k;
      GOOD (ldy_factor_compute (factor, system, mu, count));
      GOOD (ldy_factor_log_determinant (factor, &value));
      for (int k = 0; k < 2 * N; k ++) x[k] = k % 5 - 2;
      GOOD (ldy_factor_solve (factor, x, 8 * N, N, 2));
      for (int column = 0; column < 2; column ++) {
        GOOD (ldy_system_multiply (system, x + N * column, 0, y, 0, N, 1, 0));
        for (int row = 0, i = 0; row < n; row ++) for (int k = 0; k < cuts[cut][row]; k ++, i ++) {
          double term = each == 0 ? 0 : mu[each == 1 ? 0 : each == 2 ? row : i];
          CHECK_NEAR (y[i] + term * x[N * column + i], (N * column + i) % 5 - 2, 1e-8);
        }
      }
      GOOD (ldy_factor_compute_rows (factor, &rows, mu, count));
      GOOD (ldy_factor_log_determinant (factor, &other));
      CHECK_SAME_BITS (&value, &other, sizeof value);
    }
    ldy_system_destroy (system);
  }
  check_context (NULL);
}

/* Two scalars depend on others, and the constraints of pivots that are none are named. */
static void ranks (ldy_factor *factor)
{
  for (int cut = 0; cut < CUTS; cut ++) {
    ldy_system *system = scene (cut, 1);
    ldy_rows rows = { .size = sizeof rows };
    int redundant[N], again[N], dimension, named = 0, first = 0;

    check_context ("cut %d", cut);
    GOOD (system_redundant (system, 0, redundant, N, &dimension));
    for (int i = 0; i < N; i ++) CHECK_INT (redundant[i], i == 7 || i == N - 1);
    CHECK_INT (dimension, 2);
    GOOD (ldy_system_results (system, &rows));
    GOOD (ldy_rows_redundant (&rows, 0, again, N, NULL));
    CHECK_SAME_BITS (redundant, again, sizeof again);
    CHECK_INT (ldy_factor_compute (factor, system, NULL, 0), LDY_ERROR_NOT_POSITIVE_DEFINITE);
    CHECK (sscanf (ldy_last_error (), "constraint %d between bodies 0 and 1", &named) == 1 && named < row_count (cut));
    for (int row = 0; row < named; row ++) first += cuts[cut][row];
    CHECK ((first <= 7 && 7 < first + cuts[cut][named]) || first + cuts[cut][named] == N);
    ldy_system_destroy (system);
  }
  check_context (NULL);
}

static void refusals (ldy_contact_solver *solver, ldy_factor *factor)
{
  ldy_system *system = scene (1, 0);
  double R[N] = { 1, 2, 3 }, before[N], mu[N] = { 0 }, *values;
  int redundant[3 * N], starts[5];
  size_t places[17];
  ldy_rows rows = { .size = sizeof rows }, bad;
  ldy_law laws[N];

  memcpy (before, R, sizeof R);
  make_laws (1, laws);
  BAD (ldy_contact_solver_solve (solver, system, laws, 3, NULL, R, N, NULL), "laws: 3 values where 4 are needed");
  BAD (ldy_contact_solver_solve (solver, system, laws, 4, NULL, R, 11, NULL), "system: forces: 11 values where 12 are needed");
  BAD (ldy_factor_compute (factor, system, mu, 5), "system: mu: 5 values where 4 are needed");
  BAD (system_redundant (system, 0, redundant, 3 * N, NULL), "36 values where 12 are needed");
  for (int row = 0; row < 4; row ++) {
    static const char *texts[2] = { "constraint 0 between bodies 0 and 1: a contact has two to six scalar rows",
      "constraint 1 between bodies 0 and 1: a contact of two scalar rows has one coefficient of friction" };
    laws[row].kind = row == 1 ? LDY_LAW_ORTHOTROPIC_CONTACT : LDY_LAW_CONTACT;
    laws[row].friction_2 = laws[row].friction + 1;
    if (row < 2) BAD (ldy_contact_solver_solve (solver, system, laws, 4, NULL, R, N, NULL), texts[row]);
    laws[row].kind = LDY_LAW_BOUNDS;
  }
  laws[3].bias[5] = NAN;
  BAD (ldy_contact_solver_solve (solver, system, laws, 4, NULL, R, N, NULL),
    "constraint 3 between bodies 0 and 1: the bias of its law is not finite");
  laws[3].bias[5] = 0, laws[1].lower[1] = 7;
  BAD (ldy_contact_solver_solve (solver, system, laws, 4, NULL, R, N, NULL),
    "constraint 1 between bodies 0 and 1: a lower bound of its force is above");
  laws[1].lower[1] = 0, laws[2].kind = 44;
  BAD (ldy_contact_solver_solve (solver, system, laws, 4, NULL, R, N, NULL), "laws[2].kind is 44");
  laws[2].kind = LDY_LAW_BOUNDS, R[4] = NAN;
  BAD (ldy_contact_solver_solve (solver, system, laws, 4, NULL, R, N, NULL),
    "constraint 2 between bodies 0 and 1: the force to begin with");
  R[4] = before[4];

  GOOD (ldy_system_results (system, &rows));
  bad = rows;
  bad.value_starts = NULL;
  BAD (ldy_contact_solver_solve_rows (solver, &bad, laws, 4, NULL, R, N, NULL), "rows: one of scalar_starts and value_starts is NULL");
  BAD (ldy_factor_compute_rows (factor, &bad, NULL, 0), "rows: one of scalar_starts and value_starts is NULL");
  memcpy (starts, rows.scalar_starts, sizeof starts);
  bad = rows;
  bad.scalar_starts = starts;
  starts[1] = 0;
  BAD (ldy_rows_redundant (&bad, 0, redundant, N, NULL), "constraint of row 0: it has not one to six scalars");
  starts[1] = 2;
  BAD (ldy_factor_compute_rows (factor, &bad, NULL, 0), "constraint of row 0: starts of values are not those of its blocks");
  CHECK_INT (rows.blocks, 16);
  memcpy (places, rows.value_starts, sizeof places);
  bad.scalar_starts = rows.scalar_starts, bad.value_starts = places;
  places[5] --;
  BAD (ldy_contact_solver_solve_rows (solver, &bad, laws, 4, NULL, R, N, NULL),
    "constraint of row 1: starts of values are not those of its blocks");
  values = malloc (places[16] * sizeof *values);
  if (!values) abort ();
  memcpy (values, rows.values, places[16] * sizeof *values);
  values[places[16] - 1] = NAN;
  bad = rows;
  bad.values = values;
  BAD (ldy_contact_solver_solve_rows (solver, &bad, laws, 4, NULL, R, N, NULL), "constraint of row 3: a block of W is not finite");
  BAD (ldy_factor_compute_rows (factor, &bad, NULL, 0), "constraint of row 3: a block of W is not finite");
  BAD (ldy_rows_redundant (&rows, 0, redundant, 9, NULL), "redundant: 9 values where 12 are needed");
  free (values);
  CHECK_SAME_BITS (R, before, sizeof R);
  ldy_system_destroy (system);
}

typedef struct {
  ldy_system *system;
  ldy_contact_solver *solver;
  ldy_factor *factor;
  double R[N], x[N];
  int redundant[N];
} STATE;

/* Goes on from where it is until something fails. */
static int go_on (STATE *t)
{
  ldy_law laws[N];
  int code;

  make_laws (1, laws);
  if (!t->solver && (code = ldy_contact_solver_create (&t->solver))) return code;
  if (!t->factor && (code = ldy_factor_create (&t->factor))) return code;
  memset (t->R, 0, sizeof t->R);
  if ((code = ldy_contact_solver_solve (t->solver, t->system, laws, 4, NULL, t->R, N, NULL))) {
    for (int i = 0; i < N; i ++) CHECK (t->R[i] == 0);
    return code;
  }
  if ((code = ldy_factor_compute (t->factor, t->system, NULL, 0))) return code;
  for (int i = 0; i < N; i ++) t->x[i] = i;
  if ((code = ldy_factor_solve (t->factor, t->x, 8 * N, N, 1))) return code;
  return system_redundant (t->system, 0, t->redundant, N, NULL);
}

/* The k-th allocation fails; 1 if one did. */
static int attempt (int k, const STATE *expected)
{
  STATE t = { .system = expected->system };
  long in_use = failing.in_use;

  check_context ("allocation %d", k);
  failing_arm (k);
  int code = go_on (&t);
  failing.armed = 0;
  if (code) {
    CHECK (failing.failed > 0);
    CHECK_INT (code, LDY_ERROR_OUT_OF_MEMORY);
    CHECK_TEXT (ldy_last_error (), "out of memory");
    GOOD (go_on (&t));
  }
  CHECK_SAME_BITS (t.R, expected->R, sizeof t.R);
  CHECK_SAME_BITS (t.x, expected->x, sizeof t.x);
  CHECK_SAME_BITS (t.redundant, expected->redundant, sizeof t.redundant);
  ldy_contact_solver_destroy (t.solver);
  ldy_factor_destroy (t.factor);
  CHECK_INT (failing.in_use, in_use);
  return failing.failed > 0;
}

/* A problem with the pattern of the last one takes no memory. */
static void steady (STATE *t)
{
  ldy_law laws[N];
  double R[N] = { 0 };

  make_laws (1, laws);
  failing_arm (1);
  CHECK_INT (ldy_contact_solver_solve (t->solver, t->system, laws, 4, NULL, R, N, NULL), 0);
  CHECK_INT (ldy_factor_compute (t->factor, t->system, NULL, 0), 0);
  failing.armed = 0;
  CHECK_INT (failing.failed, 0);
  CHECK_SAME_BITS (R, t->R, sizeof R);
}

int main (void)
{
  STATE expected = { .system = scene (1, 0) };
  int k = 1;

  GOOD (go_on (&expected));
  forces (expected.solver);
  factors (expected.factor);
  ranks (expected.factor);
  refusals (expected.solver, expected.factor);
  GOOD (go_on (&expected));
  steady (&expected);
  while (attempt (k, &expected)) k ++;
  CHECK (k > 20);
  ldy_contact_solver_destroy (expected.solver);
  ldy_factor_destroy (expected.factor);
  ldy_system_destroy (expected.system);
  return check_summary ("system_rows_solve");
}
