/* parallel N: a packing of N x N x N / 2 spheres, each with twelve neighbors, in slabs or boxes on all processes: one update and 50 sweeps,
 * the messages of a sweep, the sweeps to 1e-4 in both modes, and memory. With one process also the serial system. `make bench-parallel`
 * makes targets of the lines. */
#define _POSIX_C_SOURCE 200112L

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include <ldy_parallel.h>

#define SWEEPS 50
#define REPEATS 5
#define MOST_SWEEPS 1000

static int n, rank, ranks, boxes[3];

/* Calls of MPI that all processes make together, counted on their way. */
static int reductions, tables;

int MPI_Allreduce (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  reductions ++;
  return PMPI_Allreduce (from, to, count, type, op, comm);
}

int MPI_Alltoall (const void *from, int count, MPI_Datatype type, void *to, int other, MPI_Datatype received, MPI_Comm comm)
{
  tables ++;
  return PMPI_Alltoall (from, count, type, to, other, received, comm);
}

static void must (int code, const char *what)
{
  if (!code) return;
  fprintf (stderr, "%s: %s\n", what, ldy_last_error ());
  MPI_Abort (MPI_COMM_WORLD, 1);
}

#define MUST(call) must (call, #call)

static int64_t sphere_id (int i, int j, int k)
{
  return ((int64_t) k * n + j) * n + i;
}

static int is_sphere (int i, int j, int k)
{
  return i >= 0 && j >= 0 && k >= 0 && i < n && j < n && k < n && (i + j + k) % 2 == 0;
}

static int owner (int i, int j, int k)
{
  return (i * boxes[0] / n * boxes[1] + j * boxes[1] / n) * boxes[2] + k * boxes[2] / n;
}

/* Boxes of about the same shape. */
static void choose_boxes (void)
{
  int a, b;

  boxes[0] = boxes[1] = 1;
  boxes[2] = ranks;
  for (a = 1; a * a * a <= ranks; a ++) {
    for (b = a; a * b * b <= ranks; b ++) {
      if (ranks % (a * b)) continue;
      boxes[2] = a;
      boxes[1] = b;
      boxes[0] = ranks / (a * b);
    }
  }
}

static double value (int64_t id, int which)
{
  uint64_t x = (uint64_t) id * 0x9e3779b97f4a7c15u + (uint64_t) which * 0xbf58476d1ce4e5b9u;

  x ^= x >> 31;
  x *= 0x94d049bb133111ebu;
  x ^= x >> 29;
  return (double) (x >> 11) / 4503599627370496.0 - 1;
}

static const int NEAR[6][3] = { { 1, 1, 0 }, { 1, -1, 0 }, { 1, 0, 1 }, { 1, 0, -1 }, { 0, 1, 1 }, { 0, 1, -1 } };

static void add_sphere (ldy_system *system, int64_t id)
{
  static const double axes[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, inertia[9] = { 0.2, 0, 0, 0, 0.2, 0, 0, 0, 0.2 }, zero[3] = { 0 };
  double velocity[6];
  int64_t body;
  int i;

  MUST (ldy_system_add_rigid (system, 1 + 0.5 * value (id, 9), inertia, axes, zero, &body));
  for (i = 0; i < 6; i ++) velocity[i] = 0;
  velocity[5] -= 1;
  MUST (ldy_system_set_velocity (system, body, LDY_VELOCITY_FREE, velocity, 6));
}

/* Contacts of the sphere with spheres in six directions, and with the ground. They are on the process of the sphere. */
static void add_contacts (ldy_system *system, ldy_parallel *parallel, int i, int j, int k, const int64_t *local)
{
  int64_t own = sphere_id (i, j, k), contact;
  /* A hundredth of the blocks: the packing is compressed, and stiff contacts would need thousands of sweeps. */
  static const double soft[3] = { 0.02, 0.02, 0.02 };
  double normal[3], frame[9], point[3], other[3];
  ldy_law law;
  int d, c;

  memset (&law, 0, sizeof law);
  law.kind = LDY_LAW_CONTACT;
  law.friction = 0.2;
  for (d = 0; d < 7; d ++) {
    int I = d < 6 ? i + NEAR[d][0] : i, J = d < 6 ? j + NEAR[d][1] : j, K = d < 6 ? k + NEAR[d][2] : k;
    int64_t slave = LDY_GROUND;

    if (d < 6 && !is_sphere (I, J, K)) continue;
    if (d == 6 && k > 0) continue;
    for (c = 0; c < 3; c ++) normal[c] = d < 6 ? - NEAR[d][c] / sqrt (2) : c == 2;
    MUST (ldy_frame_from_normal (normal, frame));
    for (c = 0; c < 3; c ++) {
      point[c] = - 0.70710678118654757 * normal[c];
      other[c] = 0.70710678118654757 * normal[c];
    }
    if (d < 6) slave = local ? local[sphere_id (I, J, K)] : sphere_id (I, J, K);
    if (parallel) MUST (ldy_parallel_set_next_ids (parallel, 0, 7 * own + d));
    MUST (ldy_system_add_point_constraint (system, local ? local[own] : own, slave, frame, point, other, &contact));
    MUST (ldy_system_set_law (system, contact, &law));
    MUST (ldy_system_set_compliance (system, contact, soft, 3));
  }
}

#define EACH_SPHERE for (k = 0; k < n; k ++) for (j = 0; j < n; j ++) for (i = 0; i < n; i ++) if (is_sphere (i, j, k))

static ldy_system *serial (void)
{
  ldy_system *system;
  int64_t *local = malloc ((size_t) n * n * n * sizeof *local), count = 0;
  int i, j, k;

  MUST (ldy_system_create (&system));
  EACH_SPHERE {
    local[sphere_id (i, j, k)] = count ++;
    add_sphere (system, sphere_id (i, j, k));
  }
  EACH_SPHERE add_contacts (system, NULL, i, j, k, local);
  free (local);
  return system;
}

static ldy_parallel *across (void)
{
  ldy_parallel *parallel;
  ldy_system *system;
  int64_t *ghosts = malloc ((size_t) n * n * n * sizeof *ghosts);
  int32_t *owners = malloc ((size_t) n * n * n * sizeof *owners);
  size_t count = 0;
  int i, j, k, d;

  MUST (ldy_parallel_create (MPI_Comm_c2f (MPI_COMM_WORLD), &parallel));
  MUST (ldy_parallel_system (parallel, &system));
  EACH_SPHERE {
    if (owner (i, j, k) == rank) {
      MUST (ldy_parallel_set_next_ids (parallel, sphere_id (i, j, k), 0));
      add_sphere (system, sphere_id (i, j, k));
      continue;
    }
    for (d = 0; d < 6; d ++) {
      int I = i - NEAR[d][0], J = j - NEAR[d][1], K = k - NEAR[d][2];

      if (!is_sphere (I, J, K) || owner (I, J, K) != rank) continue;
      ghosts[count] = sphere_id (i, j, k);
      owners[count ++] = owner (i, j, k);
      break;
    }
  }
  MUST (ldy_parallel_add_ghosts (parallel, ghosts, owners, count));
  EACH_SPHERE if (owner (i, j, k) == rank) add_contacts (system, parallel, i, j, k, NULL);
  free (ghosts);
  free (owners);
  return parallel;
}

/* Kilobytes in memory. */
static double memory (const char *what)
{
  FILE *file = fopen ("/proc/self/status", "r");
  char line[256];
  double kilobytes = 0;

  while (file && fgets (line, sizeof line, file)) {
    if (strncmp (line, what, strlen (what)) == 0) kilobytes = atof (line + strlen (what) + 1);
  }
  if (file) fclose (file);
  return kilobytes;
}

static int compare (const void *one, const void *other)
{
  double a = *(const double *) one, b = *(const double *) other;

  return (a > b) - (a < b);
}

/* All rotations change, so that everything is computed again. */
static void turn (ldy_system *system, int step)
{
  double a = 1e-9 * step, rotation[9] = { cos (a), sin (a), 0, - sin (a), cos (a), 0, 0, 0, 1 };
  size_t count = ldy_system_body_count (system);
  int64_t *bodies = malloc (count * sizeof *bodies + 8);

  MUST (ldy_system_bodies (system, bodies, count));
  MUST (ldy_system_set_rotations (system, bodies, 8, rotation, 0, count));
  free (bodies);
}

static void replace_contacts (ldy_parallel *parallel, ldy_system *system)
{
  size_t count = ldy_parallel_constraint_count (parallel);
  int64_t *contacts = malloc (count * sizeof *contacts + 8);
  int i, j, k;

  MUST (ldy_parallel_constraints (parallel, contacts, count));
  MUST (ldy_system_remove_constraints (system, contacts, 8, count));
  EACH_SPHERE if (owner (i, j, k) == rank) add_contacts (system, parallel, i, j, k, NULL);
  free (contacts);
}

static double solve (ldy_parallel *parallel, double tolerance, int sweeps, int mode, ldy_contact_solver_report *report)
{
  ldy_contact_solver_options options = LDY_CONTACT_SOLVER_OPTIONS_INIT;
  size_t scalars = ldy_parallel_scalar_count (parallel);
  double *R = calloc (scalars + 1, sizeof *R), begin = MPI_Wtime ();

  options.tolerance = tolerance;
  options.measure = LDY_MEASURE_SCALED;
  options.max_sweeps = sweeps;
  MUST (ldy_parallel_solve (parallel, &options, mode, R, scalars, report));
  free (R);
  return MPI_Wtime () - begin;
}

static void measure_serial (void)
{
  ldy_system *system = serial ();
  ldy_contact_solver *solver;
  ldy_contact_solver_options options = LDY_CONTACT_SOLVER_OPTIONS_INIT;
  ldy_contact_solver_report report = LDY_CONTACT_SOLVER_REPORT_INIT;
  ldy_rows rows = LDY_ROWS_INIT;
  double times[2][REPEATS];
  int i;

  MUST (ldy_contact_solver_create (&solver));
  options.tolerance = 1e-30;
  options.max_sweeps = SWEEPS;
  options.method = LDY_METHOD_GAUSS_SEIDEL;
  MUST (ldy_system_update (system, 1.0));
  MUST (ldy_system_results (system, &rows));
  for (i = 0; i < REPEATS; i ++) {
    double begin, *R = calloc (rows.scalars, sizeof *R);

    turn (system, i + 1);
    begin = MPI_Wtime ();
    MUST (ldy_system_update (system, 1.0));
    times[0][i] = MPI_Wtime () - begin;
    MUST (ldy_contact_solver_solve (solver, system, NULL, 0, &options, R, rows.scalars, &report));
    times[1][i] = MPI_Wtime () - begin;
    free (R);
  }
  qsort (times[0], REPEATS, sizeof (double), compare);
  qsort (times[1], REPEATS, sizeof (double), compare);
  options.tolerance = 1e-4;
  options.measure = LDY_MEASURE_SCALED;
  options.max_sweeps = MOST_SWEEPS;
  {
    double *R = calloc (rows.scalars, sizeof *R);

    MUST (ldy_contact_solver_solve (solver, system, NULL, 0, &options, R, rows.scalars, &report));
    free (R);
  }
  printf ("serial contacts=%d update_ms=%.1f total_ms=%.1f sweeps=%d status=%d\n", rows.rows, 1e3 * times[0][REPEATS / 2], 1e3 * times[1][REPEATS / 2], report.sweeps, report.status);
  ldy_contact_solver_destroy (solver);
  ldy_system_destroy (system);
}

/* Lines with what an update sends after a change of all constraints and after a change of numbers, what a solution sends that makes colors
 * and one that has them, without its sweeps, and what a sweep sends. Messages and bytes belong to the process with most. */
static void count_messages (ldy_parallel *parallel, ldy_system *system)
{
  static const char *const names[] = { "new_update", "update", "new_solution", "solution", "sweep" };
  ldy_parallel_stats before = { .size = sizeof before }, after = { .size = sizeof after };
  ldy_contact_solver_report report = LDY_CONTACT_SOLVER_REPORT_INIT;
  double sent[5][4], most[5][4];
  int k, i;

  for (k = 0; k < 5; k ++) {
    int reductions_before = reductions, tables_before = tables;

    if (k == 0) replace_contacts (parallel, system);
    if (k == 1) turn (system, 99);
    MUST (ldy_parallel_get_stats (parallel, &before));
    if (k < 2) MUST (ldy_parallel_update (parallel, 1.0));
    else solve (parallel, 1e-30, k < 4 ? 10 : 10 + SWEEPS, LDY_PARALLEL_SAME_BITS, &report);
    MUST (ldy_parallel_get_stats (parallel, &after));
    sent[k][0] = (double) (after.messages - before.messages);
    sent[k][1] = (double) (after.bytes - before.bytes);
    sent[k][2] = reductions - reductions_before;
    sent[k][3] = tables - tables_before;
  }
  for (i = 0; i < 4; i ++) {
    sent[4][i] = (sent[4][i] - sent[3][i]) / SWEEPS;
    sent[3][i] -= 10 * sent[4][i];
    sent[2][i] -= 10 * sent[4][i];
  }
  MPI_Allreduce (sent, most, 20, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (k = 0; k < 5 && rank == 0; k ++)
    printf ("counts %s messages=%.1f bytes=%.0f reductions=%.1f tables=%.1f\n", names[k], most[k][0], most[k][1], most[k][2], most[k][3]);
}

int main (int argc, char **argv)
{
  ldy_contact_solver_report report = LDY_CONTACT_SOLVER_REPORT_INIT, fast = LDY_CONTACT_SOLVER_REPORT_INIT;
  ldy_parallel_stats before = { .size = sizeof before }, after = { .size = sizeof after };
  double times[2][REPEATS], used, sent[4], all[4], most[2], largest[2];
  ldy_parallel *parallel;
  ldy_system *system;
  int i;

  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &ranks);
  n = argc > 1 ? atoi (argv[1]) : 42;
  choose_boxes ();
  used = memory ("VmRSS:");
  parallel = across ();
  MUST (ldy_parallel_system (parallel, &system));
  MUST (ldy_parallel_update (parallel, 1.0));
  for (i = 0; i < REPEATS; i ++) {
    double begin;

    turn (system, i + 1);
    MPI_Barrier (MPI_COMM_WORLD);
    begin = MPI_Wtime ();
    MUST (ldy_parallel_update (parallel, 1.0));
    times[0][i] = MPI_Wtime () - begin;
    solve (parallel, 1e-30, SWEEPS, LDY_PARALLEL_SAME_BITS, &report);
    MPI_Barrier (MPI_COMM_WORLD);
    times[1][i] = MPI_Wtime () - begin;
  }
  used = memory ("VmRSS:") - used;
  MUST (ldy_parallel_get_stats (parallel, &before));
  solve (parallel, 1e-30, 10, LDY_PARALLEL_SAME_BITS, &report);
  MUST (ldy_parallel_get_stats (parallel, &after));
  sent[0] = - (double) (after.bytes - before.bytes);
  sent[1] = - (double) (after.messages - before.messages);
  solve (parallel, 1e-30, 10 + SWEEPS, LDY_PARALLEL_SAME_BITS, &report);
  MUST (ldy_parallel_get_stats (parallel, &before));
  sent[0] += (double) (before.bytes - after.bytes);
  sent[1] += (double) (before.messages - after.messages);
  sent[2] = (double) after.shared;
  sent[3] = (double) ldy_parallel_constraint_count (parallel);
  most[0] = used;
  most[1] = sent[1] / SWEEPS - (double) (after.colors * after.neighbors);
  MPI_Allreduce (sent, all, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce (most, largest, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  solve (parallel, 1e-4, MOST_SWEEPS, LDY_PARALLEL_SAME_BITS, &report);
  solve (parallel, 1e-4, MOST_SWEEPS, LDY_PARALLEL_FAST, &fast);
  qsort (times[0], REPEATS, sizeof (double), compare);
  qsort (times[1], REPEATS, sizeof (double), compare);
  if (rank == 0) {
    printf ("parallel processes=%d contacts=%.0f update_ms=%.1f total_ms=%.1f bytes_sweep=%.0f messages_sweep=%.0f over_messages=%.1f shared=%.0f colors=%d memory_kb=%.0f sweeps=%d status=%d fast_sweeps=%d fast_status=%d\n",
      ranks, all[3], 1e3 * times[0][REPEATS / 2], 1e3 * times[1][REPEATS / 2], all[0] / SWEEPS, all[1] / SWEEPS, largest[1], all[2],
      (int) after.colors, largest[0], report.sweeps, report.status, fast.sweeps, fast.status);
  }
  count_messages (parallel, system);
  ldy_parallel_destroy (parallel);
  if (ranks == 1) measure_serial ();
  MPI_Finalize ();
  return 0;
}
