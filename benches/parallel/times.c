#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "measures.h"

#define REPEATS 4

/* Enough for the buffers of MPI. */
#define WARM (1 << 16)

/* Seconds of an update, and of an update and a solution. */
struct times {
  double update, total;
};

typedef struct {
  ldy_system *system;
  ldy_contact_solver *solver;
  double *R;
  size_t scalars;
} serial;

/* Kilobytes in memory. */
static double memory (void)
{
  FILE *file = fopen ("/proc/self/status", "r");
  char line[256];
  double kilobytes = 0;

  while (file && fgets (line, sizeof line, file)) {
    if (strncmp (line, "VmRSS:", 6) == 0) kilobytes = atof (line + 6);
  }
  if (file) fclose (file);
  return kilobytes;
}

/* MPI takes memory for its first messages to each process. */
static void warm (void)
{
  char *words = calloc (2 * (size_t) ranks, WARM);

  MPI_Alltoall (words, WARM, MPI_CHAR, words + (size_t) ranks * WARM, WARM, MPI_CHAR, MPI_COMM_WORLD);
  free (words);
}

static struct times least (struct times one, struct times other)
{
  return other.total < one.total ? other : one;
}

static struct times step (ldy_parallel *parallel, int number)
{
  ldy_contact_solver_report report = LDY_CONTACT_SOLVER_REPORT_INIT;
  ldy_system *system;
  struct times times;
  double begin;

  MUST (ldy_parallel_system (parallel, &system));
  packing_turn (system, number);
  MPI_Barrier (MPI_COMM_WORLD);
  begin = MPI_Wtime ();
  MUST (ldy_parallel_update (parallel, 1.0));
  times.update = MPI_Wtime () - begin;
  solve (parallel, 1e-30, SWEEPS, LDY_PARALLEL_SAME_BITS, &report);
  MPI_Barrier (MPI_COMM_WORLD);
  times.total = MPI_Wtime () - begin;
  return times;
}

static struct times serial_step (serial *serial, int number)
{
  ldy_contact_solver_options options = options_of (1e-30, SWEEPS);
  ldy_contact_solver_report report = LDY_CONTACT_SOLVER_REPORT_INIT;
  struct times times;
  double begin;

  packing_turn (serial->system, number);
  begin = MPI_Wtime ();
  MUST (ldy_system_update (serial->system, 1.0));
  times.update = MPI_Wtime () - begin;
  memset (serial->R, 0, serial->scalars * sizeof *serial->R);
  MUST (ldy_contact_solver_solve (serial->solver, serial->system, NULL, 0, &options, serial->R, serial->scalars, &report));
  times.total = MPI_Wtime () - begin;
  return times;
}

static serial serial_begin (void)
{
  serial serial = { .system = packing_serial () };
  ldy_rows rows = LDY_ROWS_INIT;

  MUST (ldy_contact_solver_create (&serial.solver));
  MUST (ldy_system_update (serial.system, 1.0));
  MUST (ldy_system_results (serial.system, &rows));
  serial.scalars = rows.scalars;
  serial.R = malloc (serial.scalars * sizeof *serial.R);
  return serial;
}

static void measure_memory (ldy_parallel *parallel, double before)
{
  double used = memory () - before, count = (double) ldy_parallel_constraint_count (parallel), most, all;
  ldy_parallel_stats stats = { .size = sizeof stats };
  double sizes[2], sums[2];

  MUST (ldy_parallel_get_stats (parallel, &stats));
  sizes[0] = count;
  sizes[1] = (double) stats.halo;
  MPI_Allreduce (sizes, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce (&used, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce (&used, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf ("memory processes=%d contacts=%.0f halo=%.0f most_kb=%.0f all_kb=%.0f\n", ranks, sums[0], sums[1], most, all);
}

void measure_times (int are_times)
{
  struct times parallel_times = { 0, 1e30 }, serial_times = { 0, 1e30 };
  ldy_parallel *parallel;
  serial serial = { 0 };
  double before, count, all;
  int i;

  warm ();
  before = memory ();
  parallel = packing_across ();
  step (parallel, 0);
  measure_memory (parallel, before);
  if (are_times && ranks == 1) {
    serial = serial_begin ();
    serial_step (&serial, 0);
  }
  /* In turn, so that other programs disturb both. */
  for (i = 1; i <= REPEATS && are_times; i ++) {
    parallel_times = least (parallel_times, step (parallel, i));
    if (ranks == 1) serial_times = least (serial_times, serial_step (&serial, i));
  }
  count = (double) ldy_parallel_constraint_count (parallel);
  MPI_Reduce (&count, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (are_times && rank == 0)
    printf ("times processes=%d contacts=%.0f update_ms=%.1f total_ms=%.1f\n", ranks, all, 1e3 * parallel_times.update, 1e3 * parallel_times.total);
  if (are_times && ranks == 1) {
    printf ("serial processes=1 contacts=%.0f update_ms=%.1f total_ms=%.1f\n", all, 1e3 * serial_times.update, 1e3 * serial_times.total);
    ldy_contact_solver_destroy (serial.solver);
    ldy_system_destroy (serial.system);
    free (serial.R);
  }
  ldy_parallel_destroy (parallel);
}
