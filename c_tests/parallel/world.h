/* Random worlds that every process makes from the same seed: bodies of all kinds and constraints between them under global ids, and a
 * partition of both; and the beginning and end of the tests with them. */
#pragma once

#include <stdint.h>

#include <mpi.h>

#include <ldy_parallel.h>

#include "support/random.h"

#define WORLD_DOFS 12

/* The kind of bodies that do not move. */
#define WORLD_OBSTACLE 2

typedef struct {
  uint64_t seed;
  int bodies, constraints;
  int64_t *body_ids, *ids;   /* ascending */
  int *kinds, *dofs, *owners; /* of bodies */
  int *places;               /* the process of each constraint */
  int *ends;                 /* three bodies of each constraint; -1: none */
  int *heights;
} WORLD;

/* Only point constraints with their laws, between rigid bodies and obstacles, if `are_contacts`. */
WORLD *world_create (uint64_t seed, int bodies, int constraints, int are_contacts);
void world_free (WORLD *world);

/* A random partition for this number of processes. It does not change the world. */
void world_partition (WORLD *world, uint64_t seed, int processes);

/* Insert a body or a constraint with the state of a step into a system, in which bodies have these `ids`. */
void world_add_body (const WORLD *world, ldy_system *system, int body);
void world_add_constraint (const WORLD *world, ldy_system *system, int constraint, const int64_t *ids);

/* Move a body and a constraint to their places in a step. */
void world_move_body (const WORLD *world, ldy_system *system, int body, int64_t id, int step);
void world_move_constraint (const WORLD *world, ldy_system *system, int constraint, int64_t id, int step);

/* The whole world in one system. */
ldy_system *world_serial (const WORLD *world);

/* The part of this process: bodies, ghosts and constraints. */
ldy_parallel *world_parallel (const WORLD *world, MPI_Comm comm);

/* Everything on each process, for itself. */
ldy_parallel *world_alone (WORLD *world);

/* Solve, and return the forces of all constraints on all processes, 6 values each: exact, since other processes add zeros. `first` has
 * initial guesses in the same order, or is NULL. */
double *world_forces (const WORLD *world, ldy_parallel *parallel, MPI_Comm comm, const ldy_contact_solver_options *options, int mode, ldy_contact_solver_report *report, const double *first);

/* This process among all, from `world_tests` on. */
extern int rank, ranks;

/* A program: `run` for the seeds from 0 on, `count` of them or the number in the first argument; then `last`, if it is not NULL.
 * Returns its exit code. */
int world_tests (int argc, char **argv, const char *name, int count, void (*run) (uint64_t seed), void (*last) (void));

/* The index of an id. */
int world_body (const WORLD *world, int64_t id);
int world_constraint (const WORLD *world, int64_t id);
