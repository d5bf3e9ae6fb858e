#define _POSIX_C_SOURCE 200112L
#include "packing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

int rank, ranks;

static int n, boxes[3];

void must (int code, const char *what)
{
  if (!code) return;
  fprintf (stderr, "%s: %s\n", what, ldy_last_error ());
  MPI_Abort (MPI_COMM_WORLD, 1);
}

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

void packing_begin (int edge)
{
  int a, b;

  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &ranks);
  n = edge;
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

ldy_system *packing_serial (void)
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

ldy_parallel *packing_across (void)
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

void packing_turn (ldy_system *system, int step)
{
  double a = 1e-9 * step, rotation[9] = { cos (a), sin (a), 0, - sin (a), cos (a), 0, 0, 0, 1 };
  size_t count = ldy_system_body_count (system);
  int64_t *bodies = malloc (count * sizeof *bodies + 8);

  MUST (ldy_system_bodies (system, bodies, count));
  MUST (ldy_system_set_rotations (system, bodies, 8, rotation, 0, count));
  free (bodies);
}

void packing_replace_contacts (ldy_parallel *parallel, ldy_system *system)
{
  size_t count = ldy_parallel_constraint_count (parallel);
  int64_t *contacts = malloc (count * sizeof *contacts + 8);
  int i, j, k;

  MUST (ldy_parallel_constraints (parallel, contacts, count));
  MUST (ldy_system_remove_constraints (system, contacts, 8, count));
  EACH_SPHERE if (owner (i, j, k) == rank) add_contacts (system, parallel, i, j, k, NULL);
  free (contacts);
}
