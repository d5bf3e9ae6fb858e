/* Many systems at once through ldy_system.h: the bits of each system alone, for any order and number of threads, systems with inverse
 * callbacks, a hard problem among easy ones, bad input with its texts, and every allocation that fails. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "system/face.h"

#define SYSTEMS 12
#define MOST (3 * 4 * 8)
#define THOUSAND 1024

static int twice (int32_t size, int32_t columns, double *x, void *data)
{
  (void) data;
  for (int k = 0; k < size * columns; k ++) x[k] *= 2;
  return 0;
}

/* A stack of boxes on four points each, whose number, friction and speed depend on k; every third system has a body with a callback. */
static ldy_system *stack (int k)
{
  static const double corners[4][2] = { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } };
  double u[6] = { 0, 0, 0, 0.1 * k, 0.3, -1 - 0.05 * k };
  ldy_law law = { .kind = LDY_LAW_CONTACT, .friction = 0.2 + 0.05 * k };
  int64_t below = LDY_GROUND, body, contact;
  ldy_system *system = NULL;

  GOOD (ldy_system_create (&system));
  for (int level = 0; level < 1 + k % 3; level ++) {
    double center[3] = { 0.1 * level, 0.05 * k, level + 0.5 };
    GOOD (ldy_system_add_rigid (system, 1 + 0.1 * k, unit, unit, center, &body));
    GOOD (ldy_system_set_velocity (system, body, LDY_VELOCITY_FREE, u, 6));
    for (int c = 0; c < 4; c ++) {
      double point[3] = { corners[c][0] + center[0], corners[c][1] + center[1], level };
      GOOD (ldy_system_add_point_constraint (system, body, below, unit, point, point, &contact));
      GOOD (ldy_system_set_law (system, contact, &law));
    }
    below = body;
  }
  if (k % 3 == 1) {
    ldy_inertia inertia = { .size = sizeof inertia, .kind = LDY_INERTIA_FUNCTION, .n = 2, .apply_inverse = twice };
    ldy_law joint = { .kind = LDY_LAW_FIXED };
    GOOD (ldy_system_add_body (system, &inertia, &body));
    GOOD (ldy_system_set_velocity (system, body, LDY_VELOCITY_FREE, u + 3, 2));
    GOOD (ldy_system_add_dof_constraint (system, body, 0, 1, &contact));
    GOOD (ldy_system_set_law (system, contact, &joint));
  }
  return system;
}

typedef struct {
  size_t starts[SYSTEMS + 1];
  double R[SYSTEMS * MOST], by_B[SYSTEMS * MOST], WR[SYSTEMS * MOST];
  ldy_law by_laws[SYSTEMS * MOST / 3];
  int32_t laws[SYSTEMS + 1];
  int32_t statuses[SYSTEMS];
  double residuals[SYSTEMS];
  ldy_fit fits[SYSTEMS];
} RESULTS;

/* The bits of all members: there are bytes of no member between kind and friction. */
static void check_same_laws (const ldy_law *laws, const ldy_law *others, size_t count)
{
  for (size_t i = 0; i < count; i ++) {
    CHECK (laws[i].kind == others[i].kind);
    CHECK_SAME_BITS (&laws[i].friction, &others[i].friction, sizeof *laws - offsetof (ldy_law, friction));
  }
}

/* Derivatives of the functions, for any order of systems. */
static void write_by (const RESULTS *t, int count, double by[SYSTEMS * MOST])
{
  for (int k = 0; k < count; k ++) for (size_t i = t->starts[k]; i < t->starts[k + 1]; i ++) by[i] = sin (1.0 + (double) (i - t->starts[k]));
}

static void fill_starts (ldy_system *const *systems, int count, RESULTS *t)
{
  t->starts[0] = 0, t->laws[0] = 0;
  for (int k = 0; k < count; k ++) {
    ldy_rows rows = { .size = sizeof rows };
    size_t scalars = 0;
    GOOD (ldy_system_results (systems[k], &rows));
    scalars = rows.scalar_starts ? (size_t) rows.scalar_starts[rows.rows] : 3 * (size_t) rows.rows;
    t->starts[k + 1] = t->starts[k] + scalars, t->laws[k + 1] = t->laws[k] + rows.rows;
  }
  memset (t->R, 0, sizeof t->R), memset (t->by_B, 0, sizeof t->by_B), memset (t->WR, 0, sizeof t->WR), memset (t->by_laws, 0, sizeof t->by_laws);
}

static void compute (ldy_batch *batch, ldy_system *const *systems, int count, RESULTS *t)
{
  double by[SYSTEMS * MOST];

  GOOD (ldy_batch_update (batch, systems, (size_t) count, 0.1));
  fill_starts (systems, count, t);
  write_by (t, count, by);
  GOOD (ldy_batch_solve (batch, systems, (size_t) count, NULL, t->R, t->starts, t->statuses, t->residuals));
  GOOD (ldy_batch_adjoint (batch, systems, (size_t) count, t->R, by, by, t->by_B, t->by_laws, (size_t) t->laws[count], t->starts, t->fits));
  GOOD (ldy_batch_multiply (batch, systems, (size_t) count, t->R, t->WR, t->starts));
}

/* Each system alone, by the functions for one system. */
static void compute_alone (ldy_system *system, double *R, double *by_B, double *WR, ldy_law *by_laws, int laws, size_t scalars, double *residual)
{
  ldy_contact_solver_report report = { .size = sizeof report };
  ldy_contact_solver *solver = NULL;
  ldy_derivatives *derivatives = NULL;
  double by[MOST];

  for (size_t i = 0; i < scalars; i ++) by[i] = sin (1.0 + (double) i), R[i] = 0;
  GOOD (ldy_system_update (system, 0.1));
  GOOD (ldy_contact_solver_create (&solver));
  GOOD (ldy_derivatives_create (&derivatives));
  GOOD (ldy_contact_solver_solve (solver, system, NULL, 0, NULL, R, scalars, &report));
  GOOD (ldy_derivatives_compute (derivatives, system, NULL, 0, R, scalars, 0));
  GOOD (ldy_derivatives_adjoint (derivatives, by, by, by_B, by_laws, (size_t) laws, scalars, 1, NULL));
  GOOD (ldy_system_multiply (system, R, 0, WR, 0, scalars, 1, 0));
  *residual = report.residual;
  ldy_derivatives_destroy (derivatives), ldy_contact_solver_destroy (solver);
}

static void same_bits (void)
{
  static RESULTS one, other, turned;
  ldy_system *systems[SYSTEMS], *back[SYSTEMS];
  ldy_batch *batch = NULL;
  int has_slid = 0;

  GOOD (ldy_batch_create (&batch));
  for (int k = 0; k < SYSTEMS; k ++) systems[k] = stack (k), back[SYSTEMS - 1 - k] = systems[k];
  compute (batch, systems, SYSTEMS, &one);
  for (int threads = 1; threads < 4; threads ++) {
    GOOD (ldy_set_threads (threads));
    compute (batch, systems, SYSTEMS, &other);
    CHECK_SAME_BITS (one.R, other.R, sizeof one.R);
    CHECK_SAME_BITS (one.by_B, other.by_B, sizeof one.by_B);
    CHECK_SAME_BITS (one.WR, other.WR, sizeof one.WR);
    check_same_laws (one.by_laws, other.by_laws, sizeof one.by_laws / sizeof *one.by_laws);
    CHECK_SAME_BITS (one.residuals, other.residuals, sizeof one.residuals);
  }
  compute (batch, back, SYSTEMS, &turned);
  GOOD (ldy_set_threads (1));
  ldy_shutdown ();
  for (int k = 0; k < SYSTEMS; k ++) {
    size_t first = one.starts[k], count = one.starts[k + 1] - first, place = turned.starts[SYSTEMS - 1 - k];
    double R[MOST], by_B[MOST], WR[MOST], residual;
    ldy_law by_laws[MOST / 3];
    int laws = one.laws[k + 1] - one.laws[k];
    CHECK_INT (one.statuses[k], LDY_STATUS_CONVERGED);
    CHECK_INT (one.fits[k].is_solution, 1);
    CHECK_SAME_BITS (one.R + first, turned.R + place, count * sizeof (double));
    CHECK_SAME_BITS (one.by_B + first, turned.by_B + place, count * sizeof (double));
    memset (by_laws, 0, sizeof by_laws);
    compute_alone (systems[k], R, by_B, WR, by_laws, laws, count, &residual);
    has_slid |= by_laws[0].friction != 0;
    CHECK_SAME_BITS (one.WR + first, WR, count * sizeof (double));
    check_same_laws (one.by_laws + one.laws[k], by_laws, (size_t) laws);
    CHECK_SAME_BITS (one.R + first, R, count * sizeof (double));
    CHECK_SAME_BITS (one.by_B + first, by_B, count * sizeof (double));
    CHECK_NEAR (one.residuals[k], residual, 0);
    ldy_system_destroy (systems[k]);
  }
  CHECK (has_slid);
  ldy_batch_destroy (batch);
}

/* Systems on two threads have the bits of batches of one on one thread. */
static void many (int count)
{
  static ldy_system *systems[THOUSAND];
  static double R[THOUSAND * MOST], by[THOUSAND * MOST], by_B[THOUSAND * MOST];
  static size_t starts[THOUSAND + 1];
  static RESULTS single[SYSTEMS];
  ldy_batch *batch = NULL;

  GOOD (ldy_batch_create (&batch));
  for (int k = 0; k < count; k ++) {
    const RESULTS *own = &single[k % SYSTEMS];
    systems[k] = stack (k % SYSTEMS);
    if (k < SYSTEMS) compute (batch, systems + k, 1, &single[k]);
    starts[k + 1] = starts[k] + own->starts[1];
    write_by (own, 1, by + starts[k]);
  }
  GOOD (ldy_set_threads (2));
  GOOD (ldy_batch_update (batch, systems, (size_t) count, 0.1));
  GOOD (ldy_batch_solve (batch, systems, (size_t) count, NULL, R, starts, NULL, NULL));
  GOOD (ldy_batch_adjoint (batch, systems, (size_t) count, R, by, by, by_B, NULL, 0, starts, NULL));
  GOOD (ldy_set_threads (1));
  ldy_shutdown ();
  for (int k = 0; k < count; k ++) {
    size_t bytes = (starts[k + 1] - starts[k]) * sizeof (double);
    CHECK_SAME_BITS (R + starts[k], single[k % SYSTEMS].R, bytes);
    CHECK_SAME_BITS (by_B + starts[k], single[k % SYSTEMS].by_B, bytes);
    ldy_system_destroy (systems[k]);
  }
  ldy_batch_destroy (batch);
}

static void destroy_all (ldy_system *const *systems, int count)
{
  for (int k = 0; k < count; k ++) ldy_system_destroy (systems[k]);
}

/* The vectors of a system in a structure of the program's own, beside values that nobody touches. */
typedef struct {
  double before, R[MOST], between, by[MOST], by_B[MOST], WR[MOST], after;
  ldy_law by_laws[MOST / 3];
} RECORD;

#define UNTOUCHED 7.0

static int compute_strided (ldy_batch *batch, ldy_system *const *systems, size_t count, RECORD *t, int32_t *statuses, double *residuals, ldy_fit *fits)
{
  size_t step = sizeof *t;
  int code = ldy_batch_solve_strided (batch, systems, count, NULL, t->R, step, statuses, residuals);

  if (!code) code = ldy_batch_adjoint_strided (batch, systems, count, t->R, step, t->by, step, t->by, step, t->by_B, step, t->by_laws, step, fits);
  return code ? code : ldy_batch_multiply_strided (batch, systems, count, t->R, step, t->WR, step);
}

static void fill_records (const RESULTS *t, size_t count, RECORD *records)
{
  for (size_t k = 0; k < count; k ++) {
    double *values = (double *) &records[k];
    for (size_t i = 0; i < sizeof *records / sizeof (double); i ++) values[i] = UNTOUCHED;
    for (size_t i = t->starts[k]; i < t->starts[k + 1]; i ++)
      records[k].R[i - t->starts[k]] = 0, records[k].by[i - t->starts[k]] = sin (1.0 + (double) (i - t->starts[k]));
  }
}

/* The bits of vectors that follow each other, and nothing else is written. */
static void check_records (const RESULTS *t, size_t count, const RECORD *records)
{
  for (size_t k = 0; k < count; k ++) {
    const RECORD *own = &records[k];
    size_t first = t->starts[k], scalars = t->starts[k + 1] - first, laws = (size_t) (t->laws[k + 1] - t->laws[k]);
    CHECK_SAME_BITS (own->R, t->R + first, scalars * sizeof (double));
    CHECK_SAME_BITS (own->by_B, t->by_B + first, scalars * sizeof (double));
    CHECK_SAME_BITS (own->WR, t->WR + first, scalars * sizeof (double));
    check_same_laws (own->by_laws, t->by_laws + t->laws[k], laws);
    CHECK (own->before == UNTOUCHED && own->between == UNTOUCHED && own->after == UNTOUCHED);
    for (size_t i = scalars; i < MOST; i ++) CHECK (own->R[i] == UNTOUCHED && own->by_B[i] == UNTOUCHED && own->WR[i] == UNTOUCHED);
    for (size_t i = laws; i < MOST / 3; i ++) CHECK (own->by_laws[i].friction == UNTOUCHED);
  }
}

static void strides (void)
{
  static RESULTS dense;
  static RECORD records[SYSTEMS];
  static double tight[SYSTEMS * MOST];
  ldy_system *systems[SYSTEMS], *alike[3] = { stack (0), stack (3), stack (0) };
  double residuals[SYSTEMS], WR[SYSTEMS * MOST];
  int32_t statuses[SYSTEMS];
  ldy_fit fits[SYSTEMS];
  ldy_batch *batch = NULL;

  GOOD (ldy_batch_create (&batch));
  for (int k = 0; k < SYSTEMS; k ++) systems[k] = stack (k);
  compute (batch, systems, SYSTEMS, &dense);
  for (int threads = 1; threads < 3; threads ++) {
    GOOD (ldy_set_threads (threads));
    fill_records (&dense, SYSTEMS, records);
    GOOD (compute_strided (batch, systems, SYSTEMS, records, statuses, residuals, fits));
    check_records (&dense, SYSTEMS, records);
    CHECK_SAME_BITS (residuals, dense.residuals, sizeof residuals);
    CHECK_SAME_BITS (statuses, dense.statuses, sizeof statuses);
    for (int k = 0; k < SYSTEMS; k ++) CHECK (fits[k].is_solution == 1 && fits[k].outside == dense.fits[k].outside);
  }
  GOOD (ldy_set_threads (1));
  ldy_shutdown ();
  /* Without statuses, residuals, laws and fits. */
  fill_records (&dense, SYSTEMS, records);
  GOOD (ldy_batch_solve_strided (batch, systems, SYSTEMS, NULL, records->R, sizeof *records, NULL, NULL));
  GOOD (ldy_batch_adjoint_strided (batch, systems, SYSTEMS, records->R, sizeof *records, records->by, sizeof *records, records->by, sizeof *records, records->by_B, sizeof *records, NULL, 0, NULL));
  CHECK_SAME_BITS (records[4].by_B, dense.by_B + dense.starts[4], (dense.starts[5] - dense.starts[4]) * sizeof (double));
  CHECK (records[4].by_laws[0].friction == UNTOUCHED);
  /* One vector for all systems, and no gaps between those that are written. */
  GOOD (ldy_batch_update (batch, alike, 3, 0.1));
  for (int i = 0; i < 12; i ++) tight[i] = 1 + i;
  GOOD (ldy_batch_multiply_strided (batch, alike, 3, tight, 0, WR, 12 * sizeof (double)));
  for (int k = 0; k < 3; k ++) {
    double alone[12];
    GOOD (ldy_system_multiply (alike[k], tight, 0, alone, 0, 12, 1, 0));
    CHECK_SAME_BITS (WR + 12 * k, alone, sizeof alone);
  }
  destroy_all (systems, SYSTEMS), destroy_all (alike, 3);
  ldy_batch_destroy (batch);
}

static void bad_strides (void)
{
  static RESULTS t;
  static RECORD records[2];
  ldy_system *systems[2] = { stack (1), stack (0) }, *repeated[2] = { systems[0], systems[0] };
  ldy_contact_solver_options options = { .size = sizeof options, .progress = NULL, .normal_first = 1 };
  ldy_law by_laws[20] = { { .kind = 77 } }, none = { .kind = LDY_LAW_NONE };
  size_t step = sizeof *records;
  double *R = records->R, x[60] = { 0 };
  int32_t statuses[2];
  ldy_batch *batch = NULL;

  GOOD (ldy_batch_create (&batch));
  GOOD (ldy_batch_solve_strided (batch, systems, 0, NULL, NULL, 8, NULL, NULL));
  BAD (ldy_batch_solve_strided (batch, systems, 2, NULL, R, step, NULL, NULL), "entry 0: system: no successful update since the last change");
  BAD (ldy_batch_multiply_strided (batch, systems, 2, x, 0, R, step), "entry 0: system: no successful update since the last change");
  GOOD (ldy_batch_update (batch, systems, 2, 0.1));
  fill_starts (systems, 2, &t);
  fill_records (&t, 2, records);
  BAD (ldy_batch_solve_strided (NULL, systems, 2, NULL, R, step, NULL, NULL), "batch is NULL");
  BAD (ldy_batch_solve_strided (batch, NULL, 2, NULL, R, step, NULL, NULL), "systems is NULL");
  BAD (ldy_batch_solve_strided (batch, repeated, 2, NULL, R, step, NULL, NULL), "systems[0] is there twice");
  BAD (ldy_batch_solve_strided (batch, systems, 2, &options, R, step, NULL, NULL), "options->normal_first is not 0");
  BAD (ldy_batch_solve_strided (batch, systems, 2, NULL, NULL, step, NULL, NULL), "R is NULL");
  BAD (ldy_batch_solve_strided (batch, systems, 2, NULL, R, step + 4, NULL, NULL), "is no multiple of 8");
  BAD (ldy_batch_solve_strided (batch, systems, 2, NULL, R, 24 * sizeof (double), NULL, NULL), "R: a stride of 192 bytes is too short for the 25 values of systems[0]");
  CHECK_INT (ldy_batch_solve_strided (batch, systems, 2, NULL, R, SIZE_MAX - 7, NULL, NULL), LDY_ERROR_TOO_LARGE);
  BAD (ldy_batch_multiply_strided (batch, systems, 2, NULL, step, R, step), "x is NULL");
  BAD (ldy_batch_multiply_strided (batch, systems, 2, x, 0, R, 8), "y: a stride of 8 bytes is too short");
  BAD (ldy_batch_adjoint_strided (batch, systems, 2, x, 0, NULL, 0, x, 0, R, step, NULL, 0, NULL), "by_R is NULL");
  BAD (ldy_batch_adjoint_strided (batch, systems, 2, x, 0, x, 0, x, 0, R, step, by_laws, sizeof *by_laws, NULL), "by_laws: a stride of");
  CHECK (by_laws[0].kind == 77 && R[0] == 0 && R[30] == UNTOUCHED);
  x[3] = NAN;
  BAD (ldy_batch_adjoint_strided (batch, systems, 2, x, 0, x, 0, x, 0, R, step, by_laws, 10 * sizeof *by_laws, NULL), "entry 0: constraint 1");
  CHECK (by_laws[0].kind == 77);
  /* The first system has no law: the second one is solved. */
  GOOD (ldy_system_set_law (systems[0], 0, &none));
  R[0] = 0.5;
  BAD (ldy_batch_solve_strided (batch, systems, 2, NULL, R, step, statuses, NULL), "entry 0: constraint 0");
  CHECK (R[0] == 0.5 && records[1].R[2] > 1 && statuses[0] == -1 && statuses[1] == LDY_STATUS_CONVERGED);
  destroy_all (systems, 2);
  ldy_batch_destroy (batch);
}

static void failing_strided_allocations (int step)
{
  static RESULTS t;
  static RECORD records[2];
  ldy_system *systems[2] = { stack (0), stack (2) };
  ldy_batch *batch = NULL;
  long kept;
  int k = 1, has_failed;

  GOOD (ldy_batch_create (&batch));
  compute (batch, systems, 2, &t);
  ldy_batch_destroy (batch);
  do {
    long in_use = failing.in_use;
    int code;
    check_context ("allocation %d", k);
    batch = NULL;
    fill_records (&t, 2, records);
    failing_arm (k), k += step;
    code = ldy_batch_create (&batch);
    if (!code) code = compute_strided (batch, systems, 2, records, NULL, NULL, NULL);
    failing.armed = 0;
    has_failed = failing.failed > 0;
    if (code) {
      CHECK (has_failed);
      CHECK_INT (code, LDY_ERROR_OUT_OF_MEMORY);
      if (! batch) GOOD (ldy_batch_create (&batch));
      fill_records (&t, 2, records);
      GOOD (compute_strided (batch, systems, 2, records, NULL, NULL, NULL));
    }
    check_records (&t, 2, records);
    /* A call that repeats the last one allocates nothing. */
    kept = failing.in_use;
    fill_records (&t, 2, records);
    failing_arm (1);
    GOOD (compute_strided (batch, systems, 2, records, NULL, NULL, NULL));
    failing.armed = 0;
    CHECK (failing.failed == 0 && failing.in_use == kept);
    ldy_batch_destroy (batch);
    CHECK_INT (failing.in_use, in_use);
  } while (has_failed);
  CHECK (k > 50);
  check_context (NULL);
  destroy_all (systems, 2);
}

/* The memory of a batch does not change results: each input changed alone and in pairs, also after a failure in the middle. */
enum { FRICTION = 1, VELOCITY = 2, PATTERN = 4, ORDER = 8, COUNT = 16, FAILURE = 32, ALL_CHANGES = 64 };

static int make_changed (int changes, ldy_system **systems)
{
  int count = changes & COUNT ? 4 : 3;

  for (int k = 0; k < count; k ++) {
    int place = changes & ORDER ? count - 1 - k : k;
    ldy_law law = { .kind = LDY_LAW_CONTACT, .friction = 0.9 };
    double u[6] = { 0, 0, 0, -0.4, 0.1, -2 }, point[3] = { 0.3, 0.2, 0 };
    int64_t contact = 0;
    systems[place] = stack (k);
    if (changes & FRICTION) GOOD (ldy_system_set_law (systems[place], 1, &law));
    if (changes & VELOCITY) GOOD (ldy_system_set_velocity (systems[place], 0, LDY_VELOCITY_FREE, u, 6));
    if (changes & PATTERN) {
      GOOD (ldy_system_add_point_constraint (systems[place], 0, LDY_GROUND, unit, point, point, &contact));
      GOOD (ldy_system_set_law (systems[place], contact, &law));
    }
  }
  return count;
}

static void kept_memory (void)
{
  static RESULTS base, kept, made;

  for (int changes = 1; changes < ALL_CHANGES; changes ++) {
    ldy_system *first[4], *then[4];
    ldy_batch *used = NULL, *fresh = NULL;
    double by[SYSTEMS * MOST];
    int counts[2];
    if (changes & (changes - 1) & ((changes & (changes - 1)) - 1)) continue;
    check_context ("changes %d", changes);
    counts[0] = make_changed (0, first), counts[1] = make_changed (changes, then);
    GOOD (ldy_batch_create (&used));
    GOOD (ldy_batch_create (&fresh));
    compute (used, first, counts[0], &base);
    memset (&kept, 0, sizeof kept), memset (&made, 0, sizeof made);
    if (changes & FAILURE) {
      base.R[base.starts[1]] = NAN;
      BAD (ldy_batch_adjoint (used, first, 3, base.R, base.by_B, base.by_B, base.WR, NULL, 0, base.starts, NULL), "entry 1: ");
    }
    compute (fresh, then, counts[1], &made);
    /* Derivatives without a solution before them. */
    fill_starts (then, counts[1], &kept);
    write_by (&kept, counts[1], by);
    GOOD (ldy_batch_adjoint (used, then, (size_t) counts[1], made.R, by, by, kept.by_B, kept.by_laws, (size_t) kept.laws[counts[1]], kept.starts, NULL));
    CHECK_SAME_BITS (kept.by_B, made.by_B, sizeof kept.by_B);
    check_same_laws (kept.by_laws, made.by_laws, sizeof kept.by_laws / sizeof *kept.by_laws);
    compute (used, then, counts[1], &kept);
    CHECK_SAME_BITS (kept.R, made.R, sizeof kept.R);
    CHECK_SAME_BITS (kept.by_B, made.by_B, sizeof kept.by_B);
    check_same_laws (kept.by_laws, made.by_laws, sizeof kept.by_laws / sizeof *kept.by_laws);
    CHECK_SAME_BITS (kept.WR, made.WR, sizeof kept.WR);
    destroy_all (first, counts[0]), destroy_all (then, counts[1]);
    ldy_batch_destroy (used), ldy_batch_destroy (fresh);
  }
}

/* A limit of work belongs to each system: one that cannot be solved within it does not change the others. */
static void hard_problem (void)
{
  static RESULTS t;
  ldy_contact_solver_options options = { .size = sizeof options, .method = LDY_METHOD_GAUSS_SEIDEL, .max_work = 20000, .tolerance = 1e-6 };
  ldy_system *systems[3] = { stack (0), stack (2), stack (0) };
  ldy_batch *batch = NULL;

  GOOD (ldy_batch_create (&batch));
  GOOD (ldy_batch_update (batch, systems, 3, 0.1));
  fill_starts (systems, 3, &t);
  GOOD (ldy_batch_solve (batch, systems, 3, &options, t.R, t.starts, t.statuses, t.residuals));
  CHECK (t.statuses[0] == LDY_STATUS_CONVERGED && t.statuses[2] == LDY_STATUS_CONVERGED);
  CHECK_INT (t.statuses[1], LDY_STATUS_WORK_LIMIT);
  CHECK (t.residuals[0] <= 1e-6 && t.residuals[1] > 1e-6);
  for (int k = 0; k < 3; k ++) ldy_system_destroy (systems[k]);
  ldy_batch_destroy (batch);
}

static int no_progress (double residual, int32_t sweeps, int32_t steps, void *data)
{
  (void) residual, (void) sweeps, (void) steps, (void) data;
  return 0;
}

static void bad_input (void)
{
  static RESULTS t;
  ldy_contact_solver_options options = { .size = sizeof options, .normal_first = 1 };
  ldy_system *systems[3] = { stack (0), stack (1), stack (2) }, *repeated[3] = { systems[0], systems[1], systems[0] };
  ldy_system *missing[3] = { systems[0], NULL, systems[2] };
  size_t starts[4] = { 0, 12, 37, 73 }, wrong[4] = { 0, 12, 36, 73 };
  double kept[MOST];
  ldy_batch *batch = NULL;
  int64_t first = 0;
  ldy_law none = { .kind = LDY_LAW_NONE };

  BAD (ldy_batch_create (NULL), "batch is NULL");
  ldy_batch_destroy (NULL);
  GOOD (ldy_batch_create (&batch));
  GOOD (ldy_batch_update (batch, NULL, 0, 0.1));
  BAD (ldy_batch_update (NULL, systems, 3, 0.1), "batch is NULL");
  BAD (ldy_batch_update (batch, NULL, 3, 0.1), "systems is NULL");
  BAD (ldy_batch_update (batch, repeated, 3, 0.1), "systems[0] is there twice");
  BAD (ldy_batch_update (batch, missing, 3, 0.1), "systems[1] is NULL");
  BAD (ldy_batch_update (batch, systems, 3, -1), "entry 0: ");
  GOOD (ldy_batch_update (batch, systems, 3, 0.1));
  fill_starts (systems, 3, &t);
  CHECK_SAME_BITS (t.starts, starts, sizeof starts);
  BAD (ldy_batch_solve (batch, systems, 3, &options, t.R, starts, NULL, NULL), "options->normal_first is not 0");
  options.normal_first = 0, options.progress = no_progress;
  BAD (ldy_batch_solve (batch, systems, 3, &options, t.R, starts, NULL, NULL), "a batch has no progress function");
  BAD (ldy_batch_solve (batch, systems, 3, NULL, t.R, NULL, NULL, NULL), "starts is NULL");
  BAD (ldy_batch_solve (batch, systems, 3, NULL, NULL, starts, NULL, NULL), "R is NULL");
  BAD (ldy_batch_solve (batch, systems, 3, NULL, t.R, wrong, NULL, NULL), "entry 1: system: forces: 24 values where 25 are needed");
  starts[0] = 1;
  BAD (ldy_batch_solve (batch, systems, 3, NULL, t.R, starts, NULL, NULL), "the starts of systems do not begin with 0");
  starts[0] = 0, starts[1] = 38;
  BAD (ldy_batch_solve (batch, systems, 3, NULL, t.R, starts, NULL, NULL), "do not ascend");
  starts[1] = 12;
  BAD (ldy_batch_adjoint (batch, repeated, 3, t.R, t.R, t.R, t.by_B, NULL, 0, starts, NULL), "systems[0] is there twice");
  BAD (ldy_batch_adjoint (batch, systems, 3, t.R, NULL, t.R, t.by_B, NULL, 0, starts, NULL), "by_R is NULL");
  BAD (ldy_batch_adjoint (batch, systems, 3, t.R, t.R, t.R, t.by_B, NULL, 1, starts, NULL), "by_laws is NULL");
  BAD (ldy_batch_adjoint (batch, systems, 3, t.R, t.R, t.R, t.by_B, t.by_laws, 24, starts, NULL), "not as many as the rows");
  BAD (ldy_batch_multiply (batch, systems, 3, t.R, NULL, starts), "y is NULL");
  BAD (ldy_batch_multiply (batch, repeated, 3, t.R, t.WR, starts), "systems[0] is there twice");
  BAD (ldy_batch_multiply (batch, systems, 3, t.R, t.WR, wrong), "entry 1: system: ");
  t.R[13] = NAN;
  BAD (ldy_batch_adjoint (batch, systems, 3, t.R, t.by_B, t.by_B, t.by_B + MOST, NULL, 0, starts, NULL), "entry 1: constraint 0 on body 0: the force to begin with is not finite");
  t.by_laws[0].friction = 7;
  BAD (ldy_batch_adjoint (batch, systems, 3, t.R, t.by_B, t.by_B, t.by_B + MOST, t.by_laws, (size_t) t.laws[3], starts, NULL), "entry 1: constraint 0");
  CHECK (t.by_laws[0].friction == 7);
  t.R[13] = 0;
  /* The second system has no law: the others are solved. */
  GOOD (ldy_system_set_law (systems[1], first, &none));
  memcpy (kept, t.R + 12, 25 * sizeof (double));
  BAD (ldy_batch_solve (batch, systems, 3, NULL, t.R, starts, t.statuses, t.residuals), "entry 1: constraint 0");
  CHECK (t.statuses[0] == LDY_STATUS_CONVERGED && t.statuses[1] == -1 && t.statuses[2] == LDY_STATUS_CONVERGED);
  CHECK (t.R[2] > 1 && t.R[39] > 0.1);
  CHECK_SAME_BITS (t.R + 12, kept, 25 * sizeof (double));
  for (int k = 0; k < 3; k ++) ldy_system_destroy (systems[k]);
  ldy_batch_destroy (batch);
}

/* Every step-th allocation fails in turn. */
static void failing_allocations (int step)
{
  static RESULTS expected, t;
  ldy_system *systems[2] = { stack (0), stack (2) };
  ldy_batch *batch = NULL;
  double by[SYSTEMS * MOST];
  int k = 1, has_failed;

  GOOD (ldy_batch_create (&batch));
  compute (batch, systems, 2, &expected);
  ldy_batch_destroy (batch);
  write_by (&expected, 2, by);
  do {
    long in_use = failing.in_use;
    int code;
    check_context ("allocation %d", k);
    batch = NULL;
    fill_starts (systems, 2, &t);
    failing_arm (k), k += step;
    code = ldy_batch_create (&batch);
    if (!code) code = ldy_batch_solve (batch, systems, 2, NULL, t.R, t.starts, t.statuses, t.residuals);
    if (!code) code = ldy_batch_adjoint (batch, systems, 2, t.R, by, by, t.by_B, t.by_laws, (size_t) t.laws[2], t.starts, t.fits);
    failing.armed = 0;
    has_failed = failing.failed > 0;
    if (code) {
      CHECK (has_failed);
      CHECK_INT (code, LDY_ERROR_OUT_OF_MEMORY);
      if (! batch) GOOD (ldy_batch_create (&batch));
      compute (batch, systems, 2, &t);
    }
    CHECK_SAME_BITS (t.R, expected.R, sizeof t.R);
    CHECK_SAME_BITS (t.by_B, expected.by_B, sizeof t.by_B);
    ldy_batch_destroy (batch);
    CHECK_INT (failing.in_use, in_use);
  } while (has_failed);
  CHECK (k > 50);
  check_context (NULL);
  for (int s = 0; s < 2; s ++) ldy_system_destroy (systems[s]);
}

int main (int argc, char **argv)
{
  int step = argc > 1 ? atoi (argv[1]) : 0, count = argc > 2 ? atoi (argv[2]) : 0;

  if (!CHECK (step > 0 && count >= SYSTEMS && count <= THOUSAND)) return check_summary ("system_batch");
  same_bits ();
  many (count);
  strides ();
  bad_strides ();
  kept_memory ();
  hard_problem ();
  bad_input ();
  failing_allocations (step);
  failing_strided_allocations (step);
  return check_summary ("system_batch");
}
