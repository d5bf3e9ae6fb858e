#include <stdio.h>

#include <mpi.h>

#include "measures.h"

#define MOST_SWEEPS 2000

/* Calls of MPI that all processes make together, counted on their way. */
static int reductions, barriers;

int MPI_Allreduce (const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  reductions ++;
  return PMPI_Allreduce (from, to, count, type, op, comm);
}

int MPI_Ibarrier (MPI_Comm comm, MPI_Request *request)
{
  barriers ++;
  return PMPI_Ibarrier (comm, request);
}

/* What an update sends after a change of all constraints and after a change of numbers, what a solution sends that makes colors and one
 * that has them, without its sweeps, and what a sweep sends: messages, bytes, reductions, barriers. */
static void count_messages (ldy_parallel *parallel, double sent[5][4])
{
  ldy_parallel_stats before = { .size = sizeof before }, after = { .size = sizeof after };
  ldy_contact_solver_report report = LDY_CONTACT_SOLVER_REPORT_INIT;
  ldy_system *system;
  int k, i;

  MUST (ldy_parallel_system (parallel, &system));
  for (k = 0; k < 5; k ++) {
    int reductions_before = reductions, barriers_before = barriers;

    if (k == 0) packing_replace_contacts (parallel, system);
    if (k == 1) packing_turn (system, 99);
    MUST (ldy_parallel_get_stats (parallel, &before));
    if (k < 2) MUST (ldy_parallel_update (parallel, 1.0));
    else solve (parallel, 1e-30, k < 4 ? 10 : 10 + SWEEPS, LDY_PARALLEL_SAME_BITS, &report);
    MUST (ldy_parallel_get_stats (parallel, &after));
    sent[k][0] = (double) (after.messages - before.messages);
    sent[k][1] = (double) (after.bytes - before.bytes);
    sent[k][2] = reductions - reductions_before;
    sent[k][3] = barriers - barriers_before;
  }
  for (i = 0; i < 4; i ++) {
    sent[4][i] = (sent[4][i] - sent[3][i]) / SWEEPS;
    sent[3][i] -= 10 * sent[4][i];
    sent[2][i] -= 10 * sent[4][i];
  }
}

void measure_counts (void)
{
  static const char *const names[] = { "new_update", "update", "new_solution", "solution", "sweep" };
  ldy_contact_solver_report report = LDY_CONTACT_SOLVER_REPORT_INIT, fast = LDY_CONTACT_SOLVER_REPORT_INIT;
  ldy_parallel_stats stats = { .size = sizeof stats };
  double sent[5][4], most[5][4], sums[4], all[4], over, largest;
  ldy_parallel *parallel = packing_across ();
  int k;

  MUST (ldy_parallel_update (parallel, 1.0));
  count_messages (parallel, sent);
  MUST (ldy_parallel_get_stats (parallel, &stats));
  over = sent[4][0] - (double) (stats.colors * stats.neighbors);
  sums[0] = sent[4][1];
  sums[1] = sent[4][0];
  sums[2] = (double) stats.shared;
  sums[3] = (double) ldy_parallel_constraint_count (parallel);
  MPI_Allreduce (sums, all, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce (&over, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce (sent, most, 20, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  solve (parallel, 1e-4, MOST_SWEEPS, LDY_PARALLEL_SAME_BITS, &report);
  solve (parallel, 1e-4, MOST_SWEEPS, LDY_PARALLEL_FAST, &fast);
  if (rank == 0) {
    printf ("counts processes=%d contacts=%.0f bytes_sweep=%.0f messages_sweep=%.0f over_messages=%.1f shared=%.0f colors=%d sweeps=%d status=%d fast_sweeps=%d fast_status=%d\n",
      ranks, all[3], all[0], all[1], largest, all[2], (int) stats.colors, report.sweeps, report.status, fast.sweeps, fast.status);
    /* Of the process with most. */
    for (k = 0; k < 5; k ++)
      printf ("sent processes=%d call=%s messages=%.1f bytes=%.0f reductions=%.1f barriers=%.1f\n", ranks, names[k], most[k][0], most[k][1], most[k][2], most[k][3]);
  }
  ldy_parallel_destroy (parallel);
}
