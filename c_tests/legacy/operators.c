/* The operators: H against the motion it is the derivative of, the memory of MX, velocities. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/dense.h"
#include "support/error_observer.h"
#include "support/mesh_builder.h"
#include "support/scene.h"

/* ---- motion x (X, q) */

/* exp of the skew matrix of `spin`, column-major (Rodrigues' formula). */
static void rotation_by (const double *spin, double *rotation)
{
  double angle = sqrt (spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2]);
  double s = angle > 0 ? sin (angle) / angle : 1, c = angle > 0 ? (1 - cos (angle)) / (angle * angle) : 0.5;
  double hat[9], square[9];

  memset (hat, 0, sizeof hat);
  hat[1] = spin[2];
  hat[2] = - spin[1];
  hat[3] = - spin[2];
  hat[5] = spin[0];
  hat[6] = spin[1];
  hat[7] = - spin[0];
  dense_multiply (3, 3, 3, hat, hat, square);
  for (int i = 0; i < 9; i ++) rotation[i] = s * hat[i] + c * square[i] + (i % 4 == 0);
}

/* Place of referential point X when the body has moved on with generalized velocity u for the time t. */
static void place_after (const BODY *body, const double *X, const double *u, double t, double *place)
{
  double arm[3], gradient[9], turn[9], spin[3];

  if (body->kind == PRB) { /* conf holds the deformation gradient row by row, as its rate is in u */
    for (int i = 0; i < 9; i ++) gradient[3 * (i % 3) + i / 3] = body->conf[i] + t * u[i];
  } else {
    for (int i = 0; i < 3; i ++) spin[i] = t * u[i];
    rotation_by (spin, turn);
    dense_multiply (3, 3, 3, body->conf, turn, gradient);
  }
  for (int i = 0; i < 3; i ++) arm[i] = X[i] - body->ref_center[i];
  for (int i = 0; i < 3; i ++) {
    place[i] = body->conf[9 + i] + t * u[body->dofs - 3 + i];
    for (int j = 0; j < 3; j ++) place[i] += gradient[3 * j + i] * arm[j];
  }
}

/* Column j of H: the rate of E'x for a unit velocity in direction j. */
static void difference_operator (const BODY *body, const double *X, const double *E, double *H)
{
  double unit[12] = { 0 }, ahead[3], behind[3], rate[3];
  const double t = 1e-5;

  for (int j = 0; j < body->dofs; j ++) {
    unit[j] = 1;
    place_after (body, X, unit, t, ahead);
    place_after (body, X, unit, - t, behind);
    for (int i = 0; i < 3; i ++) rate[i] = (ahead[i] - behind[i]) / (2 * t);
    for (int i = 0; i < 3; i ++) H[3 * j + i] = E[3 * i] * rate[0] + E[3 * i + 1] * rate[1] + E[3 * i + 2] * rate[2];
    unit[j] = 0;
  }
}

static void near_all (const double *got, const double *want, int count, double tolerance)
{
  for (int i = 0; i < count; i ++) CHECK_NEAR (got[i], want[i], tolerance);
}

/* ---- H */

typedef struct {
  HOST *host;
  BODY *body;
  double X[3], E[9];
} SETTING;

static SETTING setting (int kind, uint64_t seed)
{
  RANDOM random = { seed };
  SETTING s;

  s.host = host_create ();
  s.body = scene_body (s.host, &random, kind, INVERSE_BLOCKS);
  for (int i = 0; i < 3; i ++) s.X[i] = 2 * random_value (&random);
  random_rotation (&random, s.E);
  return s;
}

/* One block of memory, as a host's own MX_Destroy expects. */
static void check_dense (const MX *matrix, int m, int n)
{
  if (!CHECK (matrix != NULL)) return;
  CHECK_INT (matrix->kind, MXDENSE);
  CHECK_INT (matrix->flags, 0);
  CHECK_INT (matrix->m, m);
  CHECK_INT (matrix->n, n);
  CHECK_INT (matrix->nz, m * n);
  CHECK_INT (matrix->nzmax, m * n);
  CHECK (!matrix->p && !matrix->i && !matrix->sym && !matrix->num);
  CHECK_INT ((char *) matrix->x - (char *) matrix, 80);
}

static void check_operator (int kind, int constraint_kind, uint64_t seed)
{
  SETTING s = setting (kind, seed);
  double H[36], difference[36];

  check_context ("operator of body kind %d, constraint kind %d", kind, constraint_kind);
  difference_operator (s.body, s.X, s.E, difference);
  dense_operator (s.body, NULL, s.X, s.E, H);
  near_all (H, difference, 3 * s.body->dofs, 1e-8); /* the reference itself */
  MX *matrix = BODY_Gen_To_Loc_Operator (s.body, (short) constraint_kind, NULL, s.X, s.E);
  check_dense (matrix, 3, s.body->dofs);
  if (kind == OBS && constraint_kind == CONTACT) memset (H, 0, sizeof H);
  near_all (matrix->x, H, 3 * s.body->dofs, 1e-14);
  MX_Destroy (matrix);
  host_destroy (s.host);
}

static void test_operators (void)
{
  static const int kinds[] = { OBS, RIG, PRB };

  for (int body = 0; body < 3; body ++) {
    for (int con = CONTACT; con <= SPRING; con ++) check_operator (kinds[body], con, (uint64_t) (10 * body + con));
  }
}

static void test_additions (void)
{
  double H[36], got[36];
  SETTING s;

  check_context ("operators of our own");
  for (int i = 0; i < 3; i ++) {
    s = setting (i == 2 ? PRB : i, (uint64_t) (100 + i));
    dense_operator (s.body, NULL, s.X, s.E, H);
    CHECK_INT ((i == 2 ? ldy_pseudo_rigid_operator : ldy_rigid_operator) (s.body, s.X, s.E, got), 0);
    near_all (got, H, 3 * s.body->dofs, 1e-14);
    host_destroy (s.host);
  }
}

/* ---- velocities */

static void check_velocities (int kind)
{
  SETTING s = setting (kind, (uint64_t) (50 + kind));
  double H[36], want_before[3], want_now[3], before[3], now[3], scale;

  check_context ("velocities of body kind %d", kind);
  dense_operator (s.body, NULL, s.X, s.E, H);
  dense_multiply (3, s.body->dofs, 1, H, dense_velocity (s.body, 1), want_before);
  dense_multiply (3, s.body->dofs, 1, H, dense_velocity (s.body, 0), want_now);
  scale = 1e-14 * s.body->dofs;
  BODY_Local_Velo (s.body, NULL, s.X, s.E, before, now);
  near_all (before, want_before, 3, scale);
  near_all (now, want_now, 3, scale);
  before[0] = now[0] = 77;
  BODY_Local_Velo (s.body, NULL, s.X, s.E, NULL, now);
  near_all (now, want_now, 3, scale);
  CHECK (before[0] == 77);
  now[0] = 77;
  BODY_Local_Velo (s.body, NULL, s.X, s.E, before, NULL);
  near_all (before, want_before, 3, scale);
  CHECK (now[0] == 77);
  BODY_Local_Velo (s.body, NULL, s.X, s.E, NULL, NULL);

  check_context ("refused velocities of body kind %d", kind);
  before[0] = now[0] = 77;
  s.body->velo[0] = NAN;
  watch_errors ();
  BODY_Local_Velo (s.body, NULL, s.X, s.E, before, now);
  watch_no_errors ();
  CHECK_INT (watched.code, 52);
  CHECK (before[0] == 77 && now[0] == 77);
  host_destroy (s.host);
}

/* ---- finite elements */

typedef struct {
  HOST *host;
  BODY *body;
  CON *con; /* a fixed point: its place and frame */
} MESH_SETTING;

static MESH_SETTING mesh_setting (FEMFORM form, SCHEME scheme, CELLS cells, int separate, RANDOM *random)
{
  MESH_BODY kind = { TOTAL_LAGRANGIAN, SCH_DEF_LIM, INERTIA_DIAGONAL, CELLS_HEXAHEDRA, 0, { 2, 1, 1 } };
  MESH_SETTING s;

  kind.form = form;
  kind.scheme = scheme;
  kind.cells = cells;
  kind.separate = separate;
  s.host = host_create ();
  s.body = mesh_body (s.host, random, kind);
  s.con = mesh_constraint (s.host, random, FIXPNT, s.body, NULL);
  return s;
}

/* Three entries in each column of the nodes of one element, in ascending columns; every array a block of memory of its own. */
static void check_sparse (const MX *matrix, const BODY *body)
{
  int columns = 3 * mesh_of_body (body)->nodes_count, filled = 0;

  CHECK_INT (matrix->kind, MXCSC);
  CHECK_INT (matrix->flags, 0);
  CHECK_INT (matrix->m, 3);
  CHECK_INT (matrix->n, columns);
  CHECK_INT (matrix->nz, -1);
  CHECK (!matrix->sym && !matrix->num);
  CHECK_INT (matrix->p[0], 0);
  CHECK_INT (matrix->p[columns], matrix->nzmax);
  for (int j = 0; j < columns; j ++) {
    if (matrix->p[j + 1] == matrix->p[j]) continue;
    CHECK_INT (matrix->p[j + 1] - matrix->p[j], 3);
    for (int e = 0; e < 3; e ++) CHECK_INT (matrix->i[matrix->p[j] + e], e);
    filled ++;
  }
  CHECK_INT (matrix->nzmax, 3 * filled);
}

/* The nodes of the element have columns and no others; of a convex some element's. */
static void check_nodes (const MX *matrix, const SGP *pair, int separate)
{
  const CONVEX *convex = pair->gobj;
  const ELEMENT *element = pair->gobj;
  int count = separate ? convex->nele : 1, fitting = 0, fits;

  for (int k = 0; k < count; k ++) {
    if (separate) element = convex->ele[k];
    fits = matrix->nzmax == 9 * element->type;
    for (int i = 0; i < element->type; i ++) fits &= matrix->p[3 * element->nodes[i] + 1] > matrix->p[3 * element->nodes[i]];
    fitting += fits;
  }
  CHECK (fitting > 0);
}

static void free_arrays (MX *matrix)
{
  free (matrix->p);
  free (matrix->i);
  free (matrix->x);
  free (matrix);
}

static void check_mesh_matrix (MX *matrix, const MESH_SETTING *s, const double *H)
{
  int reduced = s->body->form >= BODY_COROTATIONAL_MODAL, columns = s->body->dofs;
  double *got;

  if (!CHECK (matrix != NULL)) return;
  if (reduced) {
    check_dense (matrix, 3, columns);
    near_all (matrix->x, H, 3 * columns, 1e-13);
    MX_Destroy (matrix);
    return;
  }
  check_sparse (matrix, s->body);
  check_nodes (matrix, s->con->msgp, s->body->msh != NULL);
  got = calloc ((size_t) (3 * columns), sizeof *got);
  if (!got) abort ();
  for (int j = 0; j < columns; j ++) {
    for (int e = matrix->p[j], i = 0; e < matrix->p[j + 1]; e ++, i ++) got[3 * j + i] = matrix->x[e];
  }
  near_all (got, H, 3 * columns, 1e-13);
  free (got);
  free_arrays (matrix);
}

/* The operator of every update. It is the operator of W, but an update of V and B alone leaves out the rotation of form 2. */
static void check_mesh_operator (const MESH_SETTING *s)
{
  static const UPDATE_KIND updates[] = { UPDATE_ALL, UPDATE_PENALTY, UPDATE_MINIMAL };
  double *H = calloc ((size_t) (3 * s->body->dofs), sizeof *H);
  SGP *pair = s->con->msgp;
  MX *matrix;
  int reduced = s->body->form >= BODY_COROTATIONAL_MODAL;

  if (!H) abort ();
  for (int i = 0; i < 3; i ++) {
    host_set_update (s->host, updates[i]);
    if (updates[i] == UPDATE_MINIMAL && !reduced) dense_operator (s->body, pair, s->con->mpnt, s->con->base, H);
    else dense_inertia_operator (s->body, pair, s->con->mpnt, s->con->base, H);
    matrix = BODY_Gen_To_Loc_Operator (s->body, (short) (i ? CONTACT : FIXPNT), pair, s->con->mpnt, s->con->base);
    check_mesh_matrix (matrix, s, H);
    matrix = FEM_Gen_To_Loc_Operator (s->body, pair->shp, pair->gobj, s->con->mpnt, s->con->base);
    check_mesh_matrix (matrix, s, H);
  }
  free (H);
}

static void check_mesh_velocities (const MESH_SETTING *s)
{
  int size = dense_velocity_size (s->body);
  double *H = calloc ((size_t) (3 * size), sizeof *H), want[2][3], before[3], now[3];
  CON *con = s->con;

  if (!H) abort ();
  dense_operator (s->body, con->msgp, con->mpnt, con->base, H);
  dense_multiply (3, size, 1, H, dense_velocity (s->body, 1), want[0]);
  dense_multiply (3, size, 1, H, dense_velocity (s->body, 0), want[1]);
  BODY_Local_Velo (s->body, con->msgp, con->mpnt, con->base, before, now);
  near_all (before, want[0], 3, 1e-13);
  near_all (now, want[1], 3, 1e-13);
  before[0] = now[0] = 77;
  FEM_Local_Velo (s->body, con->msgp->shp, con->msgp->gobj, con->mpnt, con->base, before, NULL);
  near_all (before, want[0], 3, 1e-13);
  CHECK (now[0] == 77);
  before[0] = 77;
  FEM_Local_Velo (s->body, con->msgp->shp, con->msgp->gobj, con->mpnt, con->base, NULL, now);
  near_all (now, want[1], 3, 1e-13);
  CHECK (before[0] == 77);
  free (H);
}

/* Checks the layout of velocities without dense_velocity. Nodal velocities that are a linear function of the place, one
 * function for now and another for before, give that function at every point, as in a rigid motion. Only points in separate
 * meshes are within their element here. */
static void check_linear_motion (const MESH_SETTING *s, RANDOM *random)
{
  BODY *body = s->body;
  const double *node;
  double *X = s->con->mpnt;
  int nodes = mesh_of_body (body)->nodes_count, k;
  int start = body->form == TOTAL_LAGRANGIAN || body->form == BODY_COROTATIONAL ? 0 : 4 * body->dofs;
  double E[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, field[12], before[3], now[3], want, *velocity;

  for (int i = 0; i < 12; i ++) field[i] = random_value (random);
  if (!body->msh) memset (field, 0, 9 * sizeof (double));
  for (int i = 0; i < start; i ++) body->velo[i] = 1e3;
  for (int i = 0; i < nodes; i ++) {
    node = mesh_of_body (body)->ref_nodes + 3 * i;
    for (int j = 0; j < 3; j ++) {
      velocity = body->velo + start + 3 * i + j;
      velocity[0] = field[9 + j];
      for (k = 0; k < 3; k ++) velocity[0] += field[3 * k + j] * node[k];
      velocity[3 * nodes] = -2 * velocity[0];
    }
  }
  BODY_Local_Velo (body, s->con->msgp, X, E, before, now);
  for (int j = 0; j < 3; j ++) {
    for (want = field[9 + j], k = 0; k < 3; k ++) want += field[3 * k + j] * X[k];
    CHECK_NEAR (now[j], want, 1e-13);
    CHECK_NEAR (before[j], -2 * want, 1e-13);
  }
}

static void test_meshes (void)
{
  static const SCHEME schemes[] = { SCH_DEF_EXP, SCH_DEF_LIM };
  RANDOM random = { 77 };
  MESH_SETTING s;

  for (int form = TOTAL_LAGRANGIAN; form <= BODY_COROTATIONAL_REDUCED_ORDER; form ++) {
    for (int scheme = 0; scheme < 2; scheme ++) {
      for (int cells = 0; cells < CELLS_KINDS; cells ++) {
        for (int k = 0; k < 6; k ++) {
          check_context ("mesh of form %d, scheme %d, cells %d, number %d", form, schemes[scheme], cells, k);
          s = mesh_setting ((FEMFORM) form, schemes[scheme], (CELLS) cells, k % 2, &random);
          check_mesh_operator (&s);
          check_mesh_velocities (&s);
          check_linear_motion (&s, &random);
          host_destroy (s.host);
        }
      }
    }
  }
}

/* ---- matrices */

static void test_create_dense (void)
{
  MX *matrix = MX_Create (MXDENSE, 4, 7, NULL, NULL);

  check_context ("dense matrix");
  check_dense (matrix, 4, 7);
  memset (matrix->x, 0xff, 28 * sizeof (double));
  free (matrix); /* as the host's own MX_Destroy would */
}

static void test_create_blocks (void)
{
  int p[] = { 0, 9, 13, 14 }, i[] = { 0, 3, 5, 6 };
  MX *matrix = MX_Create (MXBD, 6, 3, p, i);

  check_context ("block diagonal matrix");
  CHECK_INT (matrix->kind, MXBD);
  CHECK_INT (matrix->flags, 0);
  CHECK_INT (matrix->m, 6);
  CHECK_INT (matrix->n, 3);
  CHECK_INT (matrix->nz, 14);
  CHECK_INT (matrix->nzmax, 14);
  CHECK_INT ((char *) matrix->x - (char *) matrix, 80);
  CHECK_POINTER (matrix->p, matrix->x + 14);
  CHECK_POINTER (matrix->i, matrix->p + 4);
  CHECK (!matrix->sym && !matrix->num);
  CHECK_SAME_BITS (matrix->p, p, sizeof p);
  CHECK_SAME_BITS (matrix->i, i, sizeof i);
  memset (matrix->x, 0xff, 14 * sizeof (double));
  free (matrix);
}

static void test_create_columns (void)
{
  int p[] = { 0, 2, 2, 5 }, i[] = { 0, 3, 1, 2, 3 };
  MX *matrix = MX_Create (MXCSC, 4, 3, p, i);

  check_context ("matrix of compressed columns");
  CHECK_INT (matrix->kind, MXCSC);
  CHECK_INT (matrix->flags, 0);
  CHECK_INT (matrix->m, 4);
  CHECK_INT (matrix->n, 3);
  CHECK_INT (matrix->nz, -1);
  CHECK_INT (matrix->nzmax, 5);
  CHECK (!matrix->sym && !matrix->num);
  CHECK_SAME_BITS (matrix->p, p, sizeof p);
  CHECK_SAME_BITS (matrix->i, i, sizeof i);
  memset (matrix->x, 0xff, 5 * sizeof (double));
  free (matrix->x); /* each array on its own */
  free (matrix->i);
  free (matrix->p);
  free (matrix);
}

static void test_create_bare_columns (void)
{
  MX *matrix = MX_Create (MXCSC, 4, 3, NULL, NULL);

  check_context ("matrix of compressed columns without p and i");
  CHECK_INT (matrix->kind, MXCSC);
  CHECK_INT (matrix->m, 4);
  CHECK_INT (matrix->n, 3);
  CHECK_INT (matrix->nz, 0);
  CHECK_INT (matrix->nzmax, 0);
  CHECK (!matrix->p && !matrix->i && !matrix->x && !matrix->sym && !matrix->num);
  MX_Destroy (matrix);
}

/* Valgrind sees to it that nothing is left. */
static void test_destroy (void)
{
  int blocks[] = { 0, 1 }, columns[] = { 0, 1, 2 }, rows[] = { 0, 1 };

  MX_Destroy (MX_Create (MXDENSE, 3, 3, NULL, NULL));
  MX_Destroy (MX_Create (MXBD, 1, 1, blocks, blocks));
  MX_Destroy (MX_Create (MXCSC, 2, 2, columns, rows));
  MX_Destroy (NULL);
}

int main (void)
{
  test_operators ();
  test_additions ();
  check_velocities (OBS);
  check_velocities (RIG);
  check_velocities (PRB);
  test_meshes ();
  test_create_dense ();
  test_create_blocks ();
  test_create_columns ();
  test_create_bare_columns ();
  test_destroy ();
  return check_summary ("operators");
}
