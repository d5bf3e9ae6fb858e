#include "world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/summary.h"
#include "support/check.h"

enum { RIGID, PSEUDO_RIGID, OBSTACLE = WORLD_OBSTACLE, DENSE, SPARSE, KINDS };

/* Numbers of one thing alone, so that every process makes the same without the others. */
static RANDOM of_thing (const WORLD *world, int what, int which)
{
  RANDOM random = { world->seed + 1000003u * (uint64_t) what + 7919u * (uint64_t) which };

  random_bits (&random);
  return random;
}

static int bodies_of (const WORLD *world, int constraint)
{
  const int *ends = world->ends + 3 * constraint;

  return (ends[0] >= 0) + (ends[1] >= 0) + (ends[2] >= 0);
}

WORLD *world_create (uint64_t seed, int bodies, int constraints, int are_contacts)
{
  WORLD *world = calloc (1, sizeof *world);
  RANDOM random = { seed };
  int64_t id = 0;
  int i, k;

  world->seed = seed;
  world->bodies = bodies;
  world->constraints = constraints;
  world->body_ids = calloc ((size_t) bodies, sizeof *world->body_ids);
  world->kinds = calloc ((size_t) bodies, sizeof *world->kinds);
  world->dofs = calloc ((size_t) bodies, sizeof *world->dofs);
  world->owners = calloc ((size_t) bodies, sizeof *world->owners);
  world->ids = calloc ((size_t) constraints, sizeof *world->ids);
  world->places = calloc ((size_t) constraints, sizeof *world->places);
  world->heights = calloc ((size_t) constraints, sizeof *world->heights);
  world->ends = calloc (3 * (size_t) constraints, sizeof *world->ends);
  for (i = 0; i < bodies; i ++) {
    id += 1 + random_below (&random, 5);
    world->body_ids[i] = id;
    world->kinds[i] = i == 0 ? RIGID : random_below (&random, 8) == 0 ? OBSTACLE : are_contacts ? RIGID : random_below (&random, KINDS);
    world->dofs[i] = world->kinds[i] == PSEUDO_RIGID ? 12 : world->kinds[i] == SPARSE ? 4 : world->kinds[i] == DENSE ? 5 : 6;
  }
  for (i = 0, id = 0; i < constraints; i ++) {
    int *ends = world->ends + 3 * i, near = random_below (&random, bodies), has_points;

    id += 1 + random_below (&random, 3);
    world->ids[i] = id;
    ends[0] = near;
    ends[1] = (near + 1 + random_below (&random, bodies > 4 ? 4 : bodies - 1)) % bodies;
    ends[2] = -1;
    has_points = world->kinds[ends[0]] <= OBSTACLE && world->kinds[ends[1]] <= OBSTACLE;
    world->heights[i] = are_contacts || (has_points && random_below (&random, 4)) ? 3 : - (1 + random_below (&random, 6));
    if (world->heights[i] == 3 && random_below (&random, 6) == 0) ends[random_below (&random, 2)] = -1;
    if (world->heights[i] < 0 && random_below (&random, 3) == 0) {
      for (k = 0; k < bodies && (k == ends[0] || k == ends[1]); k ++) {}
      if (k < bodies) ends[2] = k;
    }
  }
  return world;
}

void world_free (WORLD *world)
{
  free (world->body_ids);
  free (world->kinds);
  free (world->dofs);
  free (world->owners);
  free (world->ids);
  free (world->places);
  free (world->heights);
  free (world->ends);
  free (world);
}

void world_partition (WORLD *world, uint64_t seed, int processes)
{
  RANDOM random = { seed };
  int i, kind = random_below (&random, 4);

  for (i = 0; i < world->bodies; i ++) {
    world->owners[i] = kind == 0 ? random_below (&random, processes) : kind == 1 ? 0 : i * processes / world->bodies;
  }
  for (i = 0; i < world->constraints; i ++) {
    const int *ends = world->ends + 3 * i;
    int end = ends[0] < 0 || (ends[1] >= 0 && random_below (&random, 2)) ? ends[1] : ends[0];

    world->places[i] = kind <= 1 ? random_below (&random, processes) : world->owners[end];
  }
}

static void rotation (RANDOM *random, double *matrix)
{
  double a = 3 * random_value (random), b = 3 * random_value (random);
  double q[9] = { cos (a), sin (a), 0, -sin (a) * cos (b), cos (a) * cos (b), sin (b), sin (a) * sin (b), -cos (a) * sin (b), cos (b) };

  memcpy (matrix, q, sizeof q);
}

void world_add_body (const WORLD *world, ldy_system *system, int body)
{
  RANDOM random = of_thing (world, 1, body);
  double mass = 2 + random_value (&random), inertia[9] = { 1.5, 0.25, 0, 0.25, 1.25, 0, 0, 0, 1.75 }, turn[9], values[25] = { 0 };
  double zero[3] = { 0 }, center[3] = { 0.5 * random_value (&random), 0, 0.25 };
  int32_t starts[5] = { 0, 2, 4, 6, 7 }, rows[7] = { 0, 1, 1, 2, 2, 3, 3 };
  ldy_inertia given = LDY_INERTIA_INIT;
  int64_t id;
  int i;

  rotation (&random, turn);
  switch (world->kinds[body]) {
  case RIGID: CHECK_INT (ldy_system_add_rigid (system, mass, inertia, turn, center, &id), 0); break;
  case PSEUDO_RIGID: CHECK_INT (ldy_system_add_pseudo_rigid (system, mass, inertia, zero, &id), 0); break;
  case OBSTACLE: CHECK_INT (ldy_system_add_obstacle (system, turn, zero, &id), 0); break;
  case DENSE:
    for (i = 0; i < 5; i ++) values[6 * i] = 2 + random_value (&random);
    values[1] = values[5] = 0.25 * random_value (&random);
    given.kind = LDY_INERTIA_DENSE;
    given.n = 5;
    given.values = values;
    CHECK_INT (ldy_system_add_body (system, &given, &id), 0);
    break;
  default:
    for (i = 0; i < 7; i ++) values[i] = i % 2 ? 0.25 * random_value (&random) : 2 + random_value (&random);
    given.kind = LDY_INERTIA_SPARSE;
    given.n = 4;
    given.starts = starts;
    given.rows = rows;
    given.values = values;
    given.count = 7;
    CHECK_INT (ldy_system_add_body (system, &given, &id), 0);
  }
  world_move_body (world, system, body, id, 0);
}

void world_move_body (const WORLD *world, ldy_system *system, int body, int64_t id, int step)
{
  RANDOM random = of_thing (world, 2 + step, body);
  double turn[9], place[3], velocities[2][WORLD_DOFS];
  int i, n = world->dofs[body];

  rotation (&random, turn);
  for (i = 0; i < 3; i ++) place[i] = random_value (&random);
  for (i = 0; i < 2 * WORLD_DOFS; i ++) velocities[i / WORLD_DOFS][i % WORLD_DOFS] = random_value (&random);
  if (world->kinds[body] == RIGID || world->kinds[body] == OBSTACLE) {
    CHECK_INT (ldy_system_set_rotation (system, id, turn), 0);
    CHECK_INT (ldy_system_set_positions (system, &id, 8, place, 24, 1), 0);
  }
  CHECK_INT (ldy_system_set_velocity (system, id, LDY_VELOCITY_PREVIOUS, velocities[0], (size_t) n), 0);
  CHECK_INT (ldy_system_set_velocity (system, id, LDY_VELOCITY_FREE, velocities[1], (size_t) n), 0);
}

static void place_of (const WORLD *world, int constraint, int step, double *frame, double points[2][3])
{
  RANDOM random = of_thing (world, 1000 + step, constraint);
  int i;

  rotation (&random, frame);
  for (i = 0; i < 6; i ++) points[i / 3][i % 3] = random_value (&random);
}

/* Whether a constraint that is not at points is a joint by axes, or a contact with moments: it has the rows of one, on two rigid bodies. */
static int is_joint (const WORLD *world, int constraint)
{
  const int *ends = world->ends + 3 * constraint;
  int m = - world->heights[constraint], k;

  for (k = 0; k < 2; k ++) {
    if (world->kinds[ends[k]] != RIGID && world->kinds[ends[k]] != OBSTACLE) return 0;
  }
  return ends[2] < 0 && (m == 1 || m >= 4) && constraint % 3;
}

static void add_joint (const WORLD *world, ldy_system *system, int constraint, const int64_t *bodies, int64_t *id)
{
  static const int KINDS_OF_ROWS[7] = { 0, LDY_AXES_HINGE_LIMIT, 0, 0, LDY_AXES_UNIVERSAL, LDY_AXES_HINGE, LDY_AXES_WELD };
  RANDOM random = of_thing (world, 4000, constraint);
  double frames[2][9], points[2][3];
  int i, m = - world->heights[constraint];

  for (i = 0; i < 2; i ++) rotation (&random, frames[i]);
  for (i = 0; i < 6; i ++) points[i / 3][i % 3] = random_value (&random);
  if (m > 1 && constraint % 3 == 1) CHECK_INT (ldy_system_add_rolling_contact (system, m, bodies[0], bodies[1], frames[0], points[0], points[1], id), 0);
  else CHECK_INT (ldy_system_add_joint (system, KINDS_OF_ROWS[m], bodies[0], bodies[1], frames[0], points[0], frames[1], points[1], id), 0);
}

static void laws_of (const WORLD *world, ldy_system *system, int constraint, int64_t id)
{
  RANDOM random = of_thing (world, 2000, constraint);
  ldy_law law;
  int i, kind = random_below (&random, 8);

  memset (&law, 0, sizeof law);
  law.kind = kind == 0 ? LDY_LAW_FIXED : kind == 1 ? LDY_LAW_BOUNDS : LDY_LAW_CONTACT;
  if (world->heights[constraint] != 3 && law.kind == LDY_LAW_CONTACT) law.kind = LDY_LAW_FIXED;
  if (kind == 2 && law.kind == LDY_LAW_CONTACT) law.kind = LDY_LAW_ORTHOTROPIC_CONTACT;
  law.friction = 0.5 + 0.4 * random_value (&random);
  if (law.kind == LDY_LAW_ORTHOTROPIC_CONTACT) law.friction_2 = 0.25;
  for (i = 0; i < 6; i ++) {
    law.lower[i] = law.kind == LDY_LAW_BOUNDS ? -1 : 0;
    law.upper[i] = law.kind == LDY_LAW_BOUNDS ? 1 + random_value (&random) : 0;
    law.bias[i] = 0.1 * random_value (&random);
  }
  CHECK_INT (ldy_system_set_law (system, id, &law), 0);
}

void world_add_constraint (const WORLD *world, ldy_system *system, int constraint, const int64_t *ids)
{
  const int *ends = world->ends + 3 * constraint;
  RANDOM random = of_thing (world, 3000, constraint);
  double frame[9], points[2][3], values[3][6 * WORLD_DOFS], compliance[6];
  int64_t list[3] = { LDY_GROUND, LDY_GROUND, LDY_GROUND }, id;
  int i, k, count = bodies_of (world, constraint), m = abs (world->heights[constraint]);
  ldy_operator H[3];

  for (k = 0; k < 3; k ++) list[k] = ends[k] < 0 ? LDY_GROUND : ids[ends[k]];
  if (world->heights[constraint] == 3) {
    place_of (world, constraint, 0, frame, points);
    CHECK_INT (ldy_system_add_point_constraint (system, list[0], list[1], frame, points[0], points[1], &id), 0);
  } else if (is_joint (world, constraint)) {
    add_joint (world, system, constraint, list, &id);
  } else {
    memset (H, 0, sizeof H);
    for (k = 0; k < count; k ++) {
      H[k].n = world->dofs[ends[k]];
      H[k].count = (size_t) (m * H[k].n);
      H[k].values = values[k];
      for (i = 0; i < m * H[k].n; i ++) values[k][i] = random_below (&random, 3) ? random_value (&random) : 0;
    }
    CHECK_INT (ldy_system_add_constraint_rows (system, m, list, H, (size_t) count, &id), 0);
  }
  for (i = 0; i < 6; i ++) compliance[i] = 0.5 + 0.25 * random_value (&random);
  if (random_below (&random, 2)) CHECK_INT (ldy_system_set_compliance (system, id, compliance, (size_t) m), 0);
  laws_of (world, system, constraint, id);
}

void world_move_constraint (const WORLD *world, ldy_system *system, int constraint, int64_t id, int step)
{
  double frame[9], points[2][3];

  if (world->heights[constraint] != 3) return;
  place_of (world, constraint, step, frame, points);
  CHECK_INT (ldy_system_move_constraint (system, id, frame, points[0], points[1]), 0);
}

ldy_system *world_serial (const WORLD *world)
{
  ldy_system *system;
  int64_t *ids = calloc ((size_t) world->bodies, sizeof *ids);
  int i;

  CHECK_INT (ldy_system_create (&system), 0);
  for (i = 0; i < world->bodies; i ++) {
    ids[i] = i;
    world_add_body (world, system, i);
  }
  for (i = 0; i < world->constraints; i ++) world_add_constraint (world, system, i, ids);
  free (ids);
  return system;
}

static int needs_ghost (const WORLD *world, int rank, int body)
{
  int i, k;

  if (world->owners[body] == rank) return 0;
  for (i = 0; i < world->constraints; i ++) {
    for (k = 0; k < 3 && world->places[i] == rank; k ++) {
      if (world->ends[3 * i + k] == body) return 1;
    }
  }
  return body % 7 == 0; /* and some that nothing uses */
}

ldy_parallel *world_parallel (const WORLD *world, MPI_Comm comm)
{
  ldy_parallel *parallel;
  ldy_system *system;
  int64_t *ghosts = calloc ((size_t) world->bodies, sizeof *ghosts);
  int32_t *owners = calloc ((size_t) world->bodies, sizeof *owners);
  size_t count = 0;
  int rank, i;

  MPI_Comm_rank (comm, &rank);
  CHECK_INT (ldy_parallel_create (MPI_Comm_c2f (comm), &parallel), 0);
  CHECK_INT (ldy_parallel_system (parallel, &system), 0);
  for (i = world->bodies - 1; i >= 0; i --) {
    if (world->owners[i] != rank) continue;
    CHECK_INT (ldy_parallel_set_next_ids (parallel, world->body_ids[i], 0), 0);
    world_add_body (world, system, i);
  }
  for (i = 0; i < world->bodies; i ++) {
    if (!needs_ghost (world, rank, i)) continue;
    ghosts[count] = world->body_ids[i];
    owners[count ++] = world->owners[i];
  }
  if (!CHECK_INT (ldy_parallel_add_ghosts (parallel, ghosts, owners, count), 0)) check_text (ldy_last_error (), "no error", __FILE__, __LINE__);
  for (i = world->constraints - 1; i >= 0; i --) {
    if (world->places[i] != rank) continue;
    CHECK_INT (ldy_parallel_set_next_ids (parallel, 0, world->ids[i]), 0);
    world_add_constraint (world, system, i, world->body_ids);
  }
  free (ghosts);
  free (owners);
  return parallel;
}

static int find (const int64_t *ids, int count, int64_t id)
{
  int i;

  for (i = 0; i < count && ids[i] != id; i ++) {}
  return i < count ? i : -1;
}

int world_body (const WORLD *world, int64_t id)
{
  return find (world->body_ids, world->bodies, id);
}

int world_constraint (const WORLD *world, int64_t id)
{
  return find (world->ids, world->constraints, id);
}

ldy_parallel *world_alone (WORLD *world)
{
  ldy_parallel *parallel;
  int *owners = world->owners, *places = world->places;

  world->owners = calloc ((size_t) world->bodies, sizeof *owners);
  world->places = calloc ((size_t) world->constraints, sizeof *places);
  parallel = world_parallel (world, MPI_COMM_SELF);
  free (world->owners);
  free (world->places);
  world->owners = owners;
  world->places = places;
  return parallel;
}

double *world_forces (const WORLD *world, ldy_parallel *parallel, MPI_Comm comm, const ldy_contact_solver_options *options, int mode, ldy_contact_solver_report *report, const double *first)
{
  size_t count = ldy_parallel_constraint_count (parallel), scalars = ldy_parallel_scalar_count (parallel), k, at = 0;
  double *R = calloc (scalars + 1, sizeof *R), *all = calloc (6 * (size_t) world->constraints, sizeof *all);
  int32_t *own = malloc (count * sizeof *own + 4);
  ldy_rows rows = LDY_ROWS_INIT;
  ldy_system *local;

  CHECK_INT (ldy_parallel_system (parallel, &local), 0);
  CHECK_INT (ldy_system_results (local, &rows), 0);
  CHECK_INT (ldy_parallel_rows (parallel, own, count), 0);
  for (k = 0; k < count; k ++) {
    int same = world_constraint (world, rows.constraints[own[k]]), m = abs (world->heights[same]);

    if (first) memcpy (R + at, first + 6 * same, (size_t) m * sizeof *R);
    at += (size_t) m;
  }
  if (!CHECK_INT (ldy_parallel_solve (parallel, options, mode, R, scalars, report), 0)) CHECK_TEXT (ldy_last_error (), "no error");
  for (k = at = 0; k < count; k ++) {
    int same = world_constraint (world, rows.constraints[own[k]]), m = abs (world->heights[same]);

    memcpy (all + 6 * same, R + at, (size_t) m * sizeof *R);
    at += (size_t) m;
  }
  MPI_Allreduce (MPI_IN_PLACE, all, 6 * world->constraints, MPI_DOUBLE, MPI_SUM, comm);
  free (R);
  free (own);
  return all;
}

int rank, ranks;

int world_tests (int argc, char **argv, const char *name, int count, void (*run) (uint64_t seed), void (*last) (void))
{
  int code, i, worlds = argc > 1 ? atoi (argv[1]) : count;

  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &ranks);
  for (i = 0; i < worlds; i ++) run ((uint64_t) i);
  if (last) last ();
  code = summary_of_ranks (name);
  MPI_Finalize ();
  return code;
}
