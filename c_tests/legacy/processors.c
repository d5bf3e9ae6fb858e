/* processors FILE.ldysnap ...: digests of all results, to compare the bits of different processors.
 *
 * Prints a line `vectors: AVX2` or `vectors: plain`. Lines `everywhere NAME DIGEST` follow, for results that have the same bits
 * on all processors. `make processors` runs it on emulated processors. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "support/system_calls.h"
#include "support/check.h"
#include "support/digest.h"
#include "support/host/hooks.h"
#include "support/scene.h"
#include "support/snapshot.h"

#define GOOD(...) CHECK_INT ((__VA_ARGS__), 0)

static uint64_t sum;

static void add (const void *memory, size_t size) { sum = digest_bytes (sum, memory, size); }

static void tell (const char *name)
{
  printf ("everywhere %s %016" PRIx64 "\n", name, sum);
  sum = DIGEST_START;
}

/* ---- recorded states */

static void update_state (const char *path)
{
  const char *name = strrchr (path, '/');
  char error[256];
  SNAPSHOT *snapshot = snapshot_read (path, error, sizeof error);

  check_context ("%s", path);
  if (!snapshot) fprintf (stderr, "%s\n", error);
  CHECK (snapshot);
  if (!snapshot) return;
  DOM *dom = &snapshot->host->dom;
  GEOMETRIC_EPSILON = snapshot->geometric_epsilon;
  dom->ldy = LOCDYN_Create (dom);
  CHECK (snapshot_insert (snapshot));
  LOCDYN_Update_Begin (dom->ldy);
  sum = digest_rows (sum, dom->ldy);
  tell (name ? name + 1 : path);
  LOCDYN_Destroy (dom->ldy);
  snapshot_free (snapshot);
}

/* ---- systems */

#define RIGID 12
#define BODIES (RIGID + 5)
#define CONTACTS 40
#define ROWS 24
#define CONSTRAINTS (CONTACTS + ROWS)
#define DENSE_BODY 34
#define MOST 128          /* generalized velocities of a body */
#define SCALARS (6 * CONSTRAINTS)

typedef struct {
  ldy_system *system;
  int64_t body[BODIES];
  int size[BODIES], velocities;
} POPULATION;

static RANDOM numbers;

static void fill (double *values, int count)
{
  while (count --) *values ++ = random_value (&numbers);
}

/* 1 + v v^T */
static void fill_inverse (double *inverse)
{
  double v[DENSE_BODY];

  fill (v, DENSE_BODY);
  for (int j = 0; j < DENSE_BODY; j ++) for (int i = 0; i < DENSE_BODY; i ++) inverse[DENSE_BODY * j + i] = (i == j) + v[i] * v[j];
}

/* A matrix whose bandwidth is a tenth of its size, by columns of its lower triangle. */
static void add_matrix (POPULATION *p, int n, int64_t *body)
{
  static int starts[MOST + 1], rows[MOST * MOST];
  static double values[MOST * MOST];
  int count = 0;

  for (int j = 0; j < n; j ++) {
    starts[j] = count;
    for (int i = j; i < n && i <= j + n / 10; i ++) {
      rows[count] = i;
      values[count ++] = i == j ? 0.3 * n + random_value (&numbers) : random_value (&numbers);
    }
  }
  starts[n] = count;
  GOOD (ldy_system_add_body (p->system, SPARSE (n, starts, rows, values, (size_t) count), body));
}

/* Rigid and pseudo-rigid bodies, an obstacle, and bodies by a dense and a diagonal inverse, and by a sparse matrix of a size that
 * is not 0. */
static void add_bodies (POPULATION *p, int of_matrix)
{
  static const int sizes[5] = { 12, 6, DENSE_BODY, 7, 7 };
  static const double diagonal[7] = { 1, 2, 3, 4, 5, 6, 7 };
  double inertia[9], dense[DENSE_BODY * DENSE_BODY], axes[9], center[3], velocity[MOST];

  for (int k = 0; k < BODIES; k ++) {
    random_definite (&numbers, 3, inertia);
    random_rotation (&numbers, axes);
    fill (center, 3);
    p->size[k] = k < RIGID ? 6 : k == BODIES - 1 && of_matrix ? of_matrix : sizes[k - RIGID];
    if (k < RIGID) GOOD (ldy_system_add_rigid (p->system, 2, inertia, axes, center, &p->body[k]));
    else if (k == RIGID) GOOD (ldy_system_add_pseudo_rigid (p->system, 3, inertia, center, &p->body[k]));
    else if (k == RIGID + 1) GOOD (ldy_system_add_obstacle (p->system, axes, center, &p->body[k]));
    else if (k == RIGID + 2) fill_inverse (dense), GOOD (ldy_system_add_body (p->system, DENSE (DENSE_BODY, dense), &p->body[k]));
    else if (k == BODIES - 1 && of_matrix) add_matrix (p, of_matrix, &p->body[k]);
    else GOOD (ldy_system_add_body (p->system, DIAGONAL (7, diagonal), &p->body[k]));
    fill (velocity, p->size[k]);
    GOOD (ldy_system_set_velocity (p->system, p->body[k], LDY_VELOCITY_FREE, velocity, (size_t) p->size[k]));
    p->velocities += p->size[k];
  }
}

/* Contacts between neighbors, and a constraint of each height on the last two bodies. */
static void add_constraints (POPULATION *p)
{
  static double values[2][6 * MOST];
  double frame[9], points[6];
  int64_t id;

  for (int k = 0; k < CONTACTS; k ++) {
    random_rotation (&numbers, frame);
    fill (points, 6);
    GOOD (ldy_system_add_point_constraint (p->system, p->body[k % RIGID], k % 5 ? p->body[(k + 1 + k / 12) % (RIGID + 2)] : LDY_GROUND,
      frame, points, points + 3, &id));
  }
  for (int k = 0; k < ROWS; k ++) {
    const int height = 1 + k % 6, first = BODIES - 2 - k % 2;
    ldy_operator H[2];

    for (int side = 0; side < 2; side ++) {
      const int n = p->size[first + side];

      fill (values[side], height * n);
      H[side] = (ldy_operator) { n, NULL, NULL, values[side], (size_t) (height * n) };
    }
    GOOD (ldy_system_add_constraint_rows (p->system, height, &p->body[first], H, 2, &id));
  }
}

static void add_rows (const ldy_rows *rows)
{
  const size_t entries = rows->value_starts[rows->blocks], on_diagonal = rows->diagonal_starts[rows->rows];

  add (rows->columns, (size_t) rows->blocks * sizeof *rows->columns);
  add (rows->values, entries * sizeof (double));
  add (rows->diagonal, on_diagonal * sizeof (double));
  add (rows->inverse, on_diagonal * sizeof (double));
  add (rows->B, rows->scalars * sizeof (double));
  add (rows->V, rows->scalars * sizeof (double));
}

static void add_products (const POPULATION *p, const double *R, size_t n)
{
  double y[SCALARS], eigenvalues[CONSTRAINTS], largest, residual;

  GOOD (ldy_system_multiply (p->system, R, 0, y, 0, n, 1, 0));
  add (y, n * sizeof *y);
  GOOD (ldy_system_multiply (p->system, R, 0, y, 0, n, 1, LDY_MULTIPLY_THROUGH_BODIES));
  add (y, n * sizeof *y);
  GOOD (ldy_system_block_eigenvalues (p->system, eigenvalues, CONSTRAINTS));
  add (eigenvalues, sizeof eigenvalues);
  GOOD (ldy_system_spectral_radius (p->system, 1e-10, 200, &largest, &residual));
  add (&largest, sizeof largest);
}

static void add_solution (const POPULATION *p, int method, size_t n)
{
  ldy_contact_solver_options options = { .size = sizeof options, .tolerance = 1e-9, .method = method, .max_sweeps = 400 };
  ldy_law laws[CONSTRAINTS] = { { 0 } };
  double R[SCALARS] = { 0 };
  ldy_contact_solver *solver;

  for (int k = 0; k < CONSTRAINTS; k ++) {
    laws[k] = (ldy_law) { .kind = k < CONTACTS ? LDY_LAW_CONTACT : LDY_LAW_BOUNDS, .friction = 0.3,
      .lower = { -1, -1, -1, -1, -1, -1 }, .upper = { 1, 2, 3, 4, 5, 6 } };
  }
  GOOD (ldy_contact_solver_create (&solver));
  GOOD (ldy_contact_solver_solve (solver, p->system, laws, CONSTRAINTS, &options, R, n, NULL));
  add (R, n * sizeof *R);
  ldy_contact_solver_destroy (solver);
}

static void add_stability (const POPULATION *p, const double *R, size_t n)
{
  static double x[BODIES * MOST], y[BODIES * MOST];
  ldy_joint joints[CONSTRAINTS] = { { 0 } };
  double omega_squared, step;

  for (int k = 0; k < CONSTRAINTS; k ++) joints[k].kind = k < CONTACTS ? LDY_JOINT_CONTACT : LDY_JOINT_CONSTANT_OPERATORS;
  fill (x, p->velocities);
  GOOD (ldy_system_geometric_stiffness (p->system, joints, CONSTRAINTS, R, n, x, y, (size_t) p->velocities));
  add (y, (size_t) p->velocities * sizeof *y);
  GOOD (critical_step (p->system, joints, CONSTRAINTS, R, n, 0, &omega_squared, &step, NULL, NULL));
  add (&omega_squared, sizeof omega_squared);
  add (&step, sizeof step);
}

static void add_factor (const POPULATION *p, const double *R, size_t n)
{
  const double mu = 0.1;
  double x[SCALARS], determinant;
  ldy_factor *factor;

  memcpy (x, R, n * sizeof *x);
  GOOD (ldy_factor_create (&factor));
  GOOD (ldy_factor_compute (factor, p->system, &mu, 1));
  GOOD (ldy_factor_solve (factor, x, 8 * n, n, 1));
  GOOD (ldy_factor_log_determinant (factor, &determinant));
  add (x, n * sizeof *x);
  add (&determinant, sizeof determinant);
  ldy_factor_destroy (factor);
}

static void update_system (const char *name, int of_matrix)
{
  POPULATION p = { 0 };
  ldy_rows rows = { .size = sizeof rows };
  double R[SCALARS], velocity[MOST];

  check_context ("%s", name);
  numbers = (RANDOM) { 1 };
  GOOD (ldy_system_create (&p.system));
  add_bodies (&p, of_matrix);
  add_constraints (&p);
  GOOD (ldy_system_update (p.system, 0.01));
  GOOD (ldy_system_results (p.system, &rows));
  fill (R, (int) rows.scalars);
  add_rows (&rows);
  add_products (&p, R, rows.scalars);
  if (!of_matrix) add_stability (&p, R, rows.scalars);
  add_solution (&p, LDY_METHOD_GAUSS_SEIDEL, rows.scalars);
  tell (name);
  add_solution (&p, LDY_METHOD_NEWTON, rows.scalars);
  add_factor (&p, R, rows.scalars);
  tell ("its factor, and Newton's method");
  GOOD (ldy_system_apply_reactions (p.system, R, rows.scalars));
  for (int k = 0; k < BODIES; k ++) {
    GOOD (ldy_system_velocity (p.system, p.body[k], LDY_VELOCITY_FREE, velocity, (size_t) p.size[k]));
    add (velocity, (size_t) p.size[k] * sizeof *velocity);
  }
  tell ("velocities after reactions");
  ldy_system_destroy (p.system);
}

static void tell_vectors (void)
{
  const char *begin = strstr (ldy_build_info (), "vectors: ");

  CHECK (begin);
  if (begin) printf ("%.*s\n", (int) strcspn (begin, ";"), begin);
}

int main (int argc, char **argv)
{
  tell_vectors ();
  sum = DIGEST_START;
  CHECK (argc > 1);
  for (int i = 1; i < argc; i ++) update_state (argv[i]);
  update_system ("a system", 0);
  update_system ("a system with a small sparse matrix", 40);
  update_system ("a system with a sparse matrix", MOST);
  return check_failures () != 0;
}
