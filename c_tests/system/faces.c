/* One scene through both faces of the library, LOCDYN_* and ldy_system_*: the same bits. */
#include <stdlib.h>
#include <string.h>

#include "support/system_calls.h"
#include "support/check.h"
#include "support/scene.h"

#define BODIES 24
#define MOST 1200

typedef struct {
  HOST *host;
  ldy_system *system;
  BODY *body[BODIES];
  CON *con[MOST]; /* in the order of ids: row by row */
  int64_t id[MOST];
  int count;
} BOTH;

static void product (const double *a, const double *b, double *c)
{
  int k;

  for (int j = 0; j < 3; j ++) {
    for (int i = 0; i < 3; i ++) {
      for (c[3 * j + i] = 0, k = 0; k < 3; k ++) c[3 * j + i] += a[3 * k + i] * b[3 * j + k];
    }
  }
}

static void transpose (const double *a, double *b)
{
  for (int j = 0; j < 3; j ++) {
    for (int i = 0; i < 3; i ++) b[3 * j + i] = a[3 * i + j];
  }
}

/* A symmetric positive definite matrix of small integers and its inverse, both exact: L L^T of L with ones on the diagonal. */
static void exact_pair (RANDOM *random, double *matrix, double *inverse)
{
  double a = random_below (random, 5) - 2, b = random_below (random, 5) - 2, c = random_below (random, 5) - 2;
  double l[9] = { 1, a, b, 0, 1, c, 0, 0, 1 }, m[9] = { 1, -a, a * c - b, 0, 1, -c, 0, 0, 1 }, t[9];

  transpose (l, t);
  product (l, t, matrix);
  transpose (m, t);
  product (t, m, inverse);
}

/* A rigid or pseudo-rigid body given to both: inertia to one, its inverse to the other. */
static void add_inertial (BOTH *both, RANDOM *random, BODY *body)
{
  static const int sizes[] = { 3, 3, 3, 3 };
  double matrix[9], blocks[36] = { 0 }, mass = 1 << random_below (random, 4);
  int count = body->kind == RIG ? 1 : 3;
  int64_t id;

  exact_pair (random, matrix, blocks);
  for (int i = 1; i < count; i ++) memcpy (&blocks[9 * i], blocks, 9 * sizeof *blocks);
  for (int i = 0; i < 3; i ++) blocks[9 * count + 4 * i] = 1 / mass;
  host_set_inverse (body, host_matrix_blocks (count + 1, sizes, blocks));
  if (body->kind == RIG) {
    CHECK_INT (ldy_system_add_rigid (both->system, mass, matrix, body->conf, body->ref_center, &id), 0);
  } else {
    CHECK_INT (ldy_system_add_pseudo_rigid (both->system, mass, matrix, body->ref_center, &id), 0);
  }
  CHECK_INT (id + 1, body->id);
}

static void set_velocities (BOTH *both, BODY *body)
{
  CHECK_INT (ldy_system_set_velocity (both->system, body->id - 1, LDY_VELOCITY_FREE, body->velo, (size_t) body->dofs), 0);
  CHECK_INT (ldy_system_set_velocity (both->system, body->id - 1, LDY_VELOCITY_PREVIOUS, body->velo + body->dofs, (size_t) body->dofs), 0);
}

/* Every sixth body with a dense inverse; the first one an obstacle. */
static void add_body (BOTH *both, RANDOM *random, int index)
{
  static const double unit[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  int kind = index == 0 ? OBS : index % 3 ? RIG : PRB;
  BODY *body = scene_body (both->host, random, kind, index % 6 == 5 ? INVERSE_DENSE : INVERSE_BLOCKS);
  int64_t id;

  both->body[index] = body;
  if (kind == OBS) {
    CHECK_INT (ldy_system_add_obstacle (both->system, body->conf, body->ref_center, &id), 0);
  } else if (index % 6 == 5) {
    CHECK_INT (ldy_system_add_rigid (both->system, 1, unit, body->conf, body->ref_center, &id), 0);
    CHECK_INT (ldy_system_set_inertia (both->system, id, DENSE (6, body->inverse->x)), 0);
  } else {
    add_inertial (both, random, body);
  }
  set_velocities (both, body);
}

/* Contacts, some with the obstacle, and points fixed to the ground. */
static void add_constraint (BOTH *both, RANDOM *random)
{
  int one = 1 + random_below (random, BODIES - 1), other = random_below (random, BODIES + 3);
  BODY *slave = other < BODIES && other != one ? both->body[other] : NULL;
  CON *con = scene_constraint (both->host, random, slave ? CONTACT : FIXPNT, both->body[one], slave);
  int64_t master_id = con->master->id - 1, slave_id = slave ? (int64_t) slave->id - 1 : LDY_GROUND;

  host_insert (both->host, con);
  both->con[both->count] = con;
  CHECK_INT (ldy_system_add_point_constraint (both->system, master_id, slave_id, con->base, con->mpnt, con->spnt,
    &both->id[both->count]), 0);
  both->count ++;
}

static void remove_constraint (BOTH *both, int row)
{
  host_remove (both->host, both->con[row]);
  host_free_constraint (both->host, both->con[row]);
  CHECK_INT (ldy_system_remove_constraint (both->system, both->id[row]), 0);
  both->count --;
  memmove (&both->con[row], &both->con[row + 1], (size_t) (both->count - row) * sizeof *both->con);
  memmove (&both->id[row], &both->id[row + 1], (size_t) (both->count - row) * sizeof *both->id);
}

static void move_constraint (BOTH *both, RANDOM *random, int row)
{
  CON *con = both->con[row];

  scene_randomise_constraint (con, random);
  CHECK_INT (ldy_system_move_constraint (both->system, both->id[row], con->base, con->mpnt, con->spnt), 0);
}

static void turn (BOTH *both, RANDOM *random, int index)
{
  BODY *body = both->body[index];

  if (body->kind == PRB) return;
  random_rotation (random, body->conf);
  CHECK_INT (ldy_system_set_rotation (both->system, body->id - 1, body->conf), 0);
}

/* The legacy row's blocks for one neighbor, summed; how many there were. */
static int summed (const DIAB *dia, const DIAB *other, double *w)
{
  int count = 0;

  for (const OFFB *block = dia->adj; block; block = block->n) {
    if (block->dia != other) continue;
    for (int i = 0; i < 9; i ++) w[i] = count ? w[i] + block->W[i] : block->W[i];
    count ++;
  }
  return count;
}

static void compare_row (const BOTH *both, const ldy_rows *rows, int row)
{
  const DIAB *dia = both->con[row]->dia;
  int count = 0, legacy = 0;
  double w[9];

  CHECK_INT (rows->constraints[row], both->id[row]);
  CHECK_SAME_BITS (&rows->B[3 * row], dia->B, sizeof dia->B);
  CHECK_SAME_BITS (&rows->V[3 * row], dia->con->V, sizeof dia->con->V);
  CHECK_SAME_BITS (&rows->diagonal[9 * row], dia->W, sizeof dia->W);
  CHECK_SAME_BITS (&rows->inverse[9 * row], dia->A, sizeof dia->A);
  for (int k = rows->starts[row]; k < rows->starts[row + 1]; k ++) {
    if (rows->columns[k] == row) {
      CHECK_SAME_BITS (&rows->values[9 * k], dia->W, sizeof dia->W);
    } else {
      count += summed (dia, both->con[rows->columns[k]]->dia, w);
      CHECK_SAME_BITS (&rows->values[9 * k], w, sizeof w);
    }
  }
  for (const OFFB *block = dia->adj; block; block = block->n) legacy ++;
  CHECK_INT (count, legacy);
}

static void compare (BOTH *both, double step)
{
  ldy_rows rows = { .size = sizeof rows };

  both->host->dom.step = step;
  LOCDYN_Update_Begin (both->host->dom.ldy);
  if (!CHECK_INT (ldy_system_update (both->system, step), 0)) return;
  CHECK_INT (ldy_system_results (both->system, &rows), 0);
  CHECK_INT (rows.rows, both->count);
  for (int row = 0; row < both->count; row ++) compare_row (both, &rows, row);
}

static void scene (uint64_t seed, int constraints)
{
  RANDOM random = { seed };
  BOTH *both = calloc (1, sizeof *both);

  check_context ("seed %d", (int) seed);
  both->host = host_create ();
  CHECK_INT (ldy_system_create (&both->system), 0);
  both->host->dom.ldy = LOCDYN_Create (&both->host->dom);
  for (int i = 0; i < BODIES; i ++) add_body (both, &random, i);
  for (int k = 0; k < 4; k ++) {
    while (both->count < constraints) add_constraint (both, &random);
    compare (both, k % 2 ? 0.5 : 0.001);
    for (int i = 0; i < constraints / 3; i ++) remove_constraint (both, random_below (&random, both->count));
    for (int i = 0; i < constraints / 4; i ++) move_constraint (both, &random, random_below (&random, both->count));
    for (int i = 0; i < BODIES; i ++) turn (both, &random, i);
    compare (both, 0.125);
  }
  ldy_system_destroy (both->system);
  scene_destroy (both->host);
  free (both);
}

int main (void)
{
  scene (1, 60);
  scene (2, 200);
  CHECK_INT (ldy_set_threads (3), 0);
  scene (3, 1000);
  ldy_shutdown ();
  return check_summary ("system_faces");
}
