/* Measurements of a packing, and the solutions that they share. */
#pragma once

#include "packing.h"

/* Sweeps of a solution. */
#define SWEEPS 50

/* Gauss-Seidel with the scaled measure. */
ldy_contact_solver_options options_of (double tolerance, int sweeps);

/* Solve from no forces; returns seconds. */
double solve (ldy_parallel *parallel, double tolerance, int sweeps, int mode, ldy_contact_solver_report *report);

/* The memory of an update and a solution. If `are_times`: the least time of updates and 50 sweeps, with one process beside the serial
 * system. */
void measure_times (int are_times);

/* The messages of updates and solutions, and the sweeps to 1e-4 in both modes. */
void measure_counts (void);
