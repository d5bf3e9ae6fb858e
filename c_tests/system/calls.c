#include "system/calls.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/failing_allocator.h"
#include "system/model.h"
#include "system/visits.h"

#define N MODEL_FREEDOMS
#define SMALL_BODIES 7
#define SMALL_CONSTRAINTS 13
#define LARGE_BODIES 260
#define LARGE_CONSTRAINTS 700

RANDOM calls_random;
static RANDOM looks;

/* What there is of the last update. */
typedef enum { NOTHING, STRUCTURE, PRODUCTS, ROWS } RESULTS;

/* A copy of the rows. */
typedef struct {
  int rows, blocks;
  int *starts, *columns;
  double *values, *B, *V, *diagonal, *inverse;
} SAVED;

static MODEL m;
static RESULTS results;
static SAVED saved;
static double step;
static int threads = 1;
static const double unit[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };

/* ---- randomness */

static int below (int count)
{
  return random_below (&calls_random, count);
}

static double real (void)
{
  return random_value (&calls_random);
}

static void fill (double *x, int count)
{
  while (count --) *x ++ = real ();
}

static void fill_rotation (double *q)
{
  model_random_rotation (&calls_random, q);
}

/* Symmetric, to the bit, and positive definite. */
static void fill_definite (double *matrix, int n)
{
  double x[N * N];

  fill (x, n * n);
  for (int j = 0; j < n; j ++) for (int i = j; i < n; i ++) {
    double sum = i == j;
    for (int k = 0; k < n; k ++) sum += x[n * i + k] * x[n * j + k];
    matrix[n * j + i] = matrix[n * i + j] = sum;
  }
}

/* An id that nothing has; negative ones only where the ground is not meant. */
static int64_t no_id (int64_t next, int may_be_negative)
{
  const int64_t ids[6] = { next, next + 1 + below (100), LLONG_MAX, -2, LLONG_MIN, -1 };

  return ids[below (may_be_negative ? 6 : 5)];
}

/* A copy with a value that is not finite. */
static const double *spoilt (const double *values, int count)
{
  static double copy[3 * N * N];
  const double bad[3] = { NAN, INFINITY, -INFINITY };

  memcpy (copy, values, sizeof *copy * (size_t) count);
  copy[below (count)] = bad[below (3)];
  return copy;
}

/* Looking takes no choices. */
static int look_below (int count)
{
  return random_below (&looks, count);
}

static MODEL_BODY *some_body (void)
{
  return m.body_count ? &m.bodies[below (m.body_count)] : NULL;
}

static MODEL_CONSTRAINT *some_constraint (void)
{
  return m.constraint_count ? &m.constraints[below (m.constraint_count)] : NULL;
}

/* ---- what there is after a call */

static void *copied (const void *from, size_t size)
{
  void *to = malloc (size ? size : 1);

  if (!to) abort ();
  return size ? memcpy (to, from, size) : to;
}

static void forget (void)
{
  free (saved.starts), free (saved.columns), free (saved.values), free (saved.B), free (saved.V), free (saved.diagonal),
    free (saved.inverse);
  memset (&saved, 0, sizeof saved);
}

static void save (const ldy_rows *rows)
{
  size_t n = (size_t) rows->rows, blocks = (size_t) rows->blocks;

  forget ();
  saved.rows = rows->rows;
  saved.blocks = rows->blocks;
  saved.starts = copied (rows->starts, (n + 1) * sizeof (int));
  saved.columns = copied (rows->columns, blocks * sizeof (int));
  saved.values = copied (rows->values, 9 * blocks * sizeof (double));
  saved.B = copied (rows->B, 3 * n * sizeof (double));
  saved.V = copied (rows->V, 3 * n * sizeof (double));
  saved.diagonal = copied (rows->diagonal, 9 * n * sizeof (double));
  saved.inverse = copied (rows->inverse, 9 * n * sizeof (double));
}

static void are_saved (const ldy_rows *rows)
{
  size_t n = (size_t) saved.rows, blocks = (size_t) saved.blocks;

  CHECK_INT (rows->rows, saved.rows);
  CHECK_INT (rows->blocks, saved.blocks);
  if (rows->rows != saved.rows || rows->blocks != saved.blocks) return;
  CHECK_SAME_BITS (rows->starts, saved.starts, (n + 1) * sizeof (int));
  CHECK_SAME_BITS (rows->columns, saved.columns, blocks * sizeof (int));
  CHECK_SAME_BITS (rows->values, saved.values, 9 * blocks * sizeof (double));
  CHECK_SAME_BITS (rows->B, saved.B, 3 * n * sizeof (double));
  CHECK_SAME_BITS (rows->V, saved.V, 3 * n * sizeof (double));
  CHECK_SAME_BITS (rows->diagonal, saved.diagonal, 9 * n * sizeof (double));
  CHECK_SAME_BITS (rows->inverse, saved.inverse, 9 * n * sizeof (double));
}

/* Results are there if they ought to be, with the bits that they had. */
static void as_before (void)
{
  MODEL_CONSTRAINT *constraint = m.constraint_count ? &m.constraints[look_below (m.constraint_count)] : NULL;
  MODEL_BODY *body = m.body_count ? &m.bodies[look_below (m.body_count)] : NULL;
  double velocity[N];
  ldy_rows rows = { .size = sizeof rows };
  int row;

  CHECK_INT (ldy_system_results (m.system, &rows), results == ROWS ? 0 : LDY_ERROR_STALE_RESULTS);
  if (results == ROWS) are_saved (&rows);
  if (constraint) {
    CHECK_INT (ldy_system_row_of (m.system, constraint->id, &row), results >= STRUCTURE ? 0 : LDY_ERROR_STALE_RESULTS);
    if (results >= STRUCTURE) CHECK_INT (row, constraint - m.constraints);
  }
  if (body) {
    CHECK_INT (ldy_system_velocity (m.system, body->id, LDY_VELOCITY_FREE, velocity, (size_t) body->n), 0);
    CHECK_SAME_BITS (velocity, body->velocity, sizeof *velocity * (size_t) body->n);
  }
}

static void less (RESULTS most)
{
  if (results > most) results = most;
}

/* ---- valid calls */

/* Lets an allocation fail now and then, the first ones more often; not while threads may allocate too. */
static void arm (int most)
{
  int is_to_fail = below (12) == 11;

  failing.failed = 0;
  if (!is_to_fail || (threads > 1 && m.constraint_room != SMALL_CONSTRAINTS)) return;
  failing.persistent = below (2);
  failing.until = 1 + below (most);
  failing.armed = 1;
}

/* Whether a valid call did what it was to do; if not, memory was exhausted and all is as before. */
static int done (int code)
{
  failing.armed = 0;
  if (code == 0) return 1;
  CHECK (failing.failed > 0);
  CHECK_INT (code, LDY_ERROR_OUT_OF_MEMORY);
  CHECK_TEXT (ldy_last_error (), "out of memory");
  as_before ();
  return 0;
}

#define TRY(call) (check_context ("%s", #call), arm (8), done (call))

static void set_velocities (MODEL_BODY *body)
{
  double velocity[N], previous[N];

  fill (velocity, body->n);
  fill (previous, body->n);
  if (below (40) == 0) velocity[below (body->n)] = 1.7e308;
  if (TRY (ldy_system_set_velocity (m.system, body->id, LDY_VELOCITY_FREE, velocity, (size_t) body->n))) {
    memcpy (body->velocity, velocity, sizeof velocity);
    body->is_wild = 0;
    for (int k = 0; k < body->n; k ++) body->is_wild |= fabs (velocity[k]) > 1;
    less (PRODUCTS);
  }
  if (TRY (ldy_system_set_velocity (m.system, body->id, LDY_VELOCITY_PREVIOUS, previous, (size_t) body->n))) {
    memcpy (body->previous, previous, sizeof previous);
    less (PRODUCTS);
  }
}

static void block_diagonal (MODEL_BODY *body)
{
  double tensor[9];
  int i, k, copies = body->kind == IS_RIGID ? 1 : 3;

  model_invert (3, body->tensor, tensor);
  memset (body->inverse, 0, sizeof body->inverse);
  for (k = 0; k < 3 * copies; k ++) for (i = 0; i < 3; i ++) body->inverse[body->n * k + k / 3 * 3 + i] = tensor[3 * (k % 3) + i];
  for (; k < body->n; k ++) body->inverse[(body->n + 1) * k] = 1 / body->mass;
}

/* A matrix with its lower triangle, or all of it; now and then one that is not positive definite. */
static void fill_matrix (MODEL_BODY *body)
{
  double matrix[N * N];
  int k = 0, is_whole = below (2), is_sparse = below (2);

  fill_definite (matrix, body->n);
  for (int j = 0; j < body->n && is_sparse; j ++) for (int i = 0; i < body->n; i ++) if (i > j + 1 || j > i + 1)
    matrix[body->n * j + i] = 0;
  if (is_sparse) for (int i = 0; i < body->n; i ++) matrix[(body->n + 1) * i] += 2 * N;
  body->is_indefinite = below (15) == 0;
  if (body->is_indefinite) matrix[(body->n + 1) * below (body->n)] = -1;
  for (int j = 0; j < body->n; j ++) {
    body->starts[j] = k;
    for (int i = is_whole ? 0 : j; i < body->n; i ++) {
      if (is_sparse && (i > j + 1 || j > i + 1)) continue;
      body->rows[k] = i;
      body->given[k ++] = matrix[body->n * j + i];
    }
  }
  body->starts[body->n] = k;
  model_invert (body->n, matrix, body->inverse);
}

/* Everything that an inertia needs; the body has kind, n and inertia. */
static void fill_inertia (MODEL_BODY *body)
{
  int n = body->n;

  body->is_indefinite = 0;
  switch (body->inertia) {
  case BY_MASS:
    body->mass = 0.5 + fabs (real ());
    fill_definite (body->tensor, 3);
    block_diagonal (body);
    break;
  case BY_DENSE:
    fill_definite (body->given, n);
    memcpy (body->inverse, body->given, sizeof *body->given * (size_t) (n * n));
    break;
  case BY_DIAGONAL:
    memset (body->inverse, 0, sizeof body->inverse);
    for (int k = 0; k < n; k ++) body->inverse[(n + 1) * k] = body->given[k] = below (5) ? fabs (real ()) : 0;
    break;
  case BY_MATRIX:
    fill_matrix (body);
    break;
  case BY_SOLVER:
    fill_definite (body->inverse, n);
    break;
  case BY_OBSTACLE:
    memset (body->inverse, 0, sizeof body->inverse);
  }
}

static int insert (const MODEL_BODY *b, int64_t *id)
{
  switch (b->inertia) {
  case BY_OBSTACLE: return ldy_system_add_obstacle (m.system, b->rotation, b->center, id);
  case BY_DENSE: return ldy_system_add_body (m.system, DENSE (b->n, b->given), id);
  case BY_DIAGONAL: return ldy_system_add_body (m.system, DIAGONAL (b->n, b->given), id);
  case BY_MATRIX: return ldy_system_add_body (m.system, SPARSE (b->n, b->starts, b->rows, b->given, (size_t) b->starts[b->n]), id);
  case BY_SOLVER: return ldy_system_add_body (m.system, FUNCTION (b->n, model_solve, b->solver), id);
  default: break;
  }
  if (b->kind == IS_RIGID) return ldy_system_add_rigid (m.system, b->mass, b->tensor, b->rotation, b->center, id);
  return ldy_system_add_pseudo_rigid (m.system, b->mass, b->tensor, b->center, id);
}

static void add_body (void)
{
  static const MODEL_INERTIA inertias[10] = { BY_MASS, BY_MASS, BY_MASS, BY_MASS, BY_OBSTACLE, BY_DENSE, BY_DIAGONAL, BY_MATRIX,
    BY_MATRIX, BY_SOLVER };
  MODEL_BODY body = { 0 };

  if (m.body_count == m.body_room) return;
  body.inertia = inertias[below (10)];
  body.kind = body.inertia == BY_OBSTACLE ? IS_RIGID
    : body.inertia == BY_MASS ? (below (3) ? IS_RIGID : IS_PSEUDO_RIGID) : IS_GENERAL;
  body.n = body.kind == IS_RIGID ? 6 : body.kind == IS_PSEUDO_RIGID ? 12 : 1 + below (N);
  fill_rotation (body.rotation);
  fill (body.center, 3);
  fill_inertia (&body);
  if (body.inertia == BY_SOLVER) {
    if (!(body.solver = calloc (1, sizeof *body.solver))) abort ();
    body.solver->n = body.n;
    memcpy (body.solver->inverse, body.inverse, sizeof body.inverse);
  }
  if (!TRY (insert (&body, &body.id))) {
    free (body.solver);
    return;
  }
  CHECK_INT (body.id, m.next_body);
  m.next_body ++;
  m.bodies[m.body_count ++] = body;
  less (NOTHING);
  set_velocities (&m.bodies[m.body_count - 1]);
}

/* Bodies that have one solver. */
static void add_model (void)
{
  MODEL_BODY bodies[MODEL_MEMBERS] = { { 0 } };
  MODEL_GROUP *group;
  int64_t ids[MODEL_MEMBERS];
  int count = 1 + below (MODEL_MEMBERS);

  if (m.body_count + count > m.body_room) return;
  if (!(group = calloc (1, sizeof *group))) abort ();
  group->count = group->left = count;
  for (int k = 0; k < count; k ++) {
    MODEL_BODY *body = &bodies[k];
    body->inertia = BY_SOLVER;
    body->kind = IS_GENERAL;
    body->n = group->sizes[k] = 1 + below (N);
    fill_inertia (body);
    if (!(group->members[k] = body->solver = calloc (1, sizeof *body->solver))) abort ();
    body->solver->n = body->n;
    body->solver->group = group;
    memcpy (body->solver->inverse, body->inverse, sizeof body->inverse);
  }
  if (!TRY (ldy_system_add_model (m.system, group->sizes, (size_t) count, model_solve_group, group, NULL, ids))) {
    for (int k = 0; k < count; k ++) model_release (&bodies[k]);
    return;
  }
  less (NOTHING);
  for (int k = 0; k < count; k ++) {
    CHECK_INT (ids[k], m.next_body);
    bodies[k].id = m.next_body ++;
    m.bodies[m.body_count ++] = bodies[k];
    set_velocities (&m.bodies[m.body_count - 1]);
  }
}

static void remove_body (void)
{
  MODEL_BODY *body = some_body ();

  if (!body) return;
  int code = ldy_system_remove_body (m.system, body->id);
  CHECK_INT (code, body->users ? LDY_ERROR_INVALID_ARGUMENT : 0);
  if (code) {
    as_before ();
    return;
  }
  model_release (body);
  memmove (body, body + 1, sizeof *body * (size_t) (m.bodies + -- m.body_count - body));
  less (NOTHING);
}

static void fill_operator (MODEL_OPERATOR *H, int n)
{
  int k = 0;

  H->is_sparse = below (2);
  fill (H->values, 3 * n);
  for (int j = 0; j < n && H->is_sparse; j ++) {
    H->starts[j] = k;
    for (int i = 3; i > 0; i --) if (below (2)) H->rows[k ++] = i % 3;
  }
  H->starts[n] = k;
}

static void fill_placement (MODEL_CONSTRAINT *c)
{
  fill_rotation (c->frame);
  fill (c->points[0], 3);
  fill (c->points[1], 3);
  for (int k = 0; k < 2 && c->has_operators; k ++) {
    MODEL_BODY *body = model_body (&m, c->bodies[k]);
    if (body) fill_operator (&c->operators[k], body->n);
  }
}

static int insert_constraint (MODEL_CONSTRAINT *c)
{
  ldy_operator H[2] = { model_operator (&m, c, 0), model_operator (&m, c, 1) };

  if (c->has_operators) return ldy_system_add_constraint_rows (m.system, 3, (int64_t []) { c->bodies[0], c->bodies[1] }, (ldy_operator []) { H[0], H[1] }, 2, &c->id);
  return ldy_system_add_point_constraint (m.system, c->bodies[0], c->bodies[1], c->frame, c->points[0], c->points[1], &c->id);
}

static void add_constraint (void)
{
  MODEL_CONSTRAINT c = { 0 };
  int ground = below (8), room = m.constraint_room, first = below (m.body_count + 1);

  if (m.constraint_count == room || !m.body_count) return;
  for (int k = 0; k < 2; k ++) {
    /* In a large scene neighbors, so that there are not too many blocks. */
    int place = room == SMALL_CONSTRAINTS ? below (m.body_count) : (first + below (5)) % m.body_count;
    c.bodies[k] = k == ground ? LDY_GROUND : m.bodies[place].id;
  }
  c.has_operators = below (3) == 0;
  for (int k = 0; k < 2; k ++) {
    MODEL_BODY *body = model_body (&m, c.bodies[k]);
    if (body && body->kind == IS_GENERAL) c.has_operators = 1;
  }
  fill_placement (&c);
  if (!TRY (insert_constraint (&c))) return;
  CHECK_INT (c.id, m.next_constraint);
  m.next_constraint ++;
  for (int k = 0; k < 2; k ++) {
    MODEL_BODY *body = model_body (&m, c.bodies[k]);
    if (body) body->users ++;
  }
  m.constraints[m.constraint_count ++] = c;
  less (NOTHING);
}

/* Some constraints at points at once; all of them or, where one is none, none. */
static void add_constraints (void)
{
  enum { MOST = 4 };
  MODEL_CONSTRAINT all[MOST] = { { 0 } };
  int count = below (MOST + 1), is_bad = below (6) == 5, code;
  int64_t first = -7;

  if (m.constraint_count + count > m.constraint_room) return;
  for (int k = 0; k < count; k ++) {
    MODEL_BODY *master = some_body (), *slave = some_body ();
    if (!master || master->kind == IS_GENERAL) return;
    all[k].bodies[0] = master->id;
    all[k].bodies[1] = slave->kind == IS_GENERAL ? LDY_GROUND : slave->id;
    fill_placement (&all[k]);
  }
  if (is_bad && count) {
    if (below (2)) all[count - 1].bodies[below (2)] = no_id (m.next_body, 0);
    else all[count - 1].points[0][below (3)] = INFINITY;
  }
  check_context ("add_constraints");
  arm (12);
  code = ldy_system_add_point_constraints (m.system, &all->bodies[0], &all->bodies[1], sizeof *all, all->frame, sizeof *all, all->points[0], all->points[1], sizeof *all, (size_t) count, &first);
  if (is_bad && count) {
    failing.armed = 0;
    /* Memory is reserved before entries are looked at. */
    CHECK (code == code_of_text (ldy_last_error ()) || (code == LDY_ERROR_OUT_OF_MEMORY && failing.failed));
    CHECK_INT (first, -7);
    as_before ();
    return;
  }
  if (!done (code)) return;
  CHECK_INT (first, m.next_constraint);
  for (int k = 0; k < count; k ++) {
    all[k].id = m.next_constraint ++;
    for (int side = 0; side < 2; side ++) {
      MODEL_BODY *body = model_body (&m, all[k].bodies[side]);
      if (body) body->users ++;
    }
    m.constraints[m.constraint_count ++] = all[k];
  }
  less (NOTHING);
}

static void remove_constraint (void)
{
  MODEL_CONSTRAINT *c = some_constraint ();

  if (!c || !TRY (ldy_system_remove_constraint (m.system, c->id))) return;
  for (int k = 0; k < 2; k ++) {
    MODEL_BODY *body = model_body (&m, c->bodies[k]);
    if (body) body->users --;
  }
  memmove (c, c + 1, sizeof *c * (size_t) (m.constraints + -- m.constraint_count - c));
  less (NOTHING);
}

static int replace (const MODEL_CONSTRAINT *c)
{
  ldy_operator H[2] = { model_operator (&m, c, 0), model_operator (&m, c, 1) };
  /* The ground has no operator. */
  int first = c->bodies[0] == LDY_GROUND, last = c->bodies[1] == LDY_GROUND;

  if (c->has_operators) return ldy_system_set_operators (m.system, c->id, H + first, (size_t) (2 - first - last));
  return ldy_system_move_constraint (m.system, c->id, c->frame, c->points[0], c->points[1]);
}

static void move_constraint (void)
{
  MODEL_CONSTRAINT *c = some_constraint (), moved;

  if (!c) return;
  moved = *c;
  fill_placement (&moved);
  if (!TRY (replace (&moved))) return;
  *c = moved;
  less (STRUCTURE);
}

/* Some constraints at points at once, with other bodies now and then; all of them or, where one is none, none. */
static void move_constraints (void)
{
  enum { MOST = 5 };
  MODEL_CONSTRAINT *chosen[MOST], moved[MOST];
  int count = 0, are_others = below (2), is_bad = below (6) == 5, k;

  for (int first = below (m.constraint_count + 1), tries = 0; tries < m.constraint_count && count < MOST; tries ++) {
    MODEL_CONSTRAINT *c = &m.constraints[(first + tries) % m.constraint_count];
    if (!c->has_operators && below (2)) chosen[count ++] = c;
  }
  for (k = 0; k < count; k ++) {
    moved[k] = *chosen[k];
    fill_placement (&moved[k]);
    for (int side = 0; are_others && side < 2; side ++) {
      MODEL_BODY *body = some_body ();
      if (below (2) && body && body->kind != IS_GENERAL) moved[k].bodies[side] = body->id;
      else if (below (4) == 0 && moved[k].bodies[1 - side] != LDY_GROUND) moved[k].bodies[side] = LDY_GROUND;
    }
  }
  if (is_bad && count) {
    if (below (2)) moved[count - 1].id = no_id (m.next_constraint, 1);
    else moved[count - 1].frame[below (9)] = NAN;
  }
  check_context ("move_constraints");
  arm (8);
  k = ldy_system_move_constraints (m.system, &moved->id, sizeof *moved, are_others ? &moved->bodies[0] : NULL, &moved->bodies[1], sizeof *moved, moved->frame, sizeof *moved, moved->points[0], moved->points[1], sizeof *moved, (size_t) count);
  if (is_bad && count) {
    failing.armed = 0;
    CHECK (k == code_of_text (ldy_last_error ()) || (k == LDY_ERROR_OUT_OF_MEMORY && failing.failed));
    as_before ();
    return;
  }
  if (!done (k)) return;
  for (k = 0; k < count; k ++) {
    for (int side = 0; side < 2; side ++) {
      MODEL_BODY *before = model_body (&m, chosen[k]->bodies[side]), *now = model_body (&m, moved[k].bodies[side]);
      if (before) before->users --;
      if (now) now->users ++;
      if (before != now) less (NOTHING);
    }
    *chosen[k] = moved[k];
    less (STRUCTURE);
  }
}

/* Set rotations of all rigid bodies and obstacles, or velocities of all bodies with the same number of dofs. If one is bad,
   none is set. */
static void change_bodies (void)
{
  MODEL_BODY *changed = calloc ((size_t) m.body_count + 1, sizeof *changed);
  int turn = below (2), is_previous = below (2), n = 1 + below (N), is_bad = below (6) == 5, count = 0, code;

  if (!changed) abort ();
  if (!turn) for (int k = 0; k < m.body_count; k ++) if (below (m.body_count) == 0) n = m.bodies[k].n;
  for (int k = 0; k < m.body_count; k ++) {
    MODEL_BODY *body = &changed[count];
    if (turn ? m.bodies[k].kind != IS_RIGID : m.bodies[k].n != n) continue;
    *body = m.bodies[k];
    count ++;
    if (turn) fill_rotation (body->rotation);
    else fill (is_previous ? body->previous : body->velocity, n);
    if (!turn && !is_previous) body->is_wild = 0;
  }
  if (is_bad && count) {
    if (below (2)) changed[count - 1].id = no_id (m.next_body, 1);
    else *(turn ? changed[count - 1].rotation : is_previous ? changed[count - 1].previous : changed[count - 1].velocity) = NAN;
  }
  check_context ("change_bodies %d %d", turn, is_previous);
  arm (8);
  if (turn) code = ldy_system_set_rotations (m.system, &changed->id, sizeof *changed, changed->rotation, sizeof *changed, (size_t) count);
  else if (is_previous) code = ldy_system_set_velocities (m.system, LDY_VELOCITY_PREVIOUS, &changed->id, sizeof *changed, changed->previous, sizeof *changed, (size_t) n, (size_t) count);
  else code = ldy_system_set_velocities (m.system, LDY_VELOCITY_FREE, &changed->id, sizeof *changed, changed->velocity, sizeof *changed, (size_t) n, (size_t) count);
  if (is_bad && count) {
    failing.armed = 0;
    CHECK_INT (code, code_of_text (ldy_last_error ()));
    as_before ();
  } else if (done (code)) {
    for (int k = 0; k < count; k ++) *model_body (&m, changed[k].id) = changed[k];
    if (count) less (turn ? STRUCTURE : PRODUCTS);
    for (int k = 0; k < count && turn; k ++) {
      double told[9];
      CHECK_INT (ldy_system_rotations (m.system, &changed[k].id, 8, told, sizeof told, 1), 0);
      CHECK_SAME_BITS (told, changed[k].rotation, sizeof told);
    }
  }
  free (changed);
}

static void set_compliance (void)
{
  MODEL_CONSTRAINT *c = some_constraint ();
  double compliance[9] = { 0 };
  int which = below (3), code;

  if (!c) return;
  if (which == 1) fill_definite (compliance, 3);
  if (which == 2) for (code = 0; code < 3; code ++) compliance[4 * code] = fabs (real ());
  check_context ("set_compliance %d", which);
  arm (8);
  if (which == 2) {
    double diagonal[3] = { compliance[0], compliance[4], compliance[8] };
    code = ldy_system_set_compliance (m.system, c->id, diagonal, 3);
  } else code = ldy_system_set_compliance (m.system, c->id, which ? compliance : NULL, which ? 9 : 0);
  if (!done (code)) return;
  memcpy (c->compliance, compliance, sizeof compliance);
  c->has_compliance = which != 0;
  less (STRUCTURE);
}

static int give (const MODEL_BODY *b)
{
  switch (b->inertia) {
  case BY_DENSE: return ldy_system_set_inertia (m.system, b->id, DENSE (b->n, b->given));
  case BY_DIAGONAL: return ldy_system_set_inertia (m.system, b->id, DIAGONAL (b->n, b->given));
  case BY_MATRIX: return ldy_system_set_inertia (m.system, b->id, SPARSE (b->n, b->starts, b->rows, b->given, (size_t) b->starts[b->n]));
  default: return ldy_system_set_inertia (m.system, b->id, MASS (b->mass, b->tensor));
  }
}

/* Rotation or inertia of a body. */
static void change_body (void)
{
  static const MODEL_INERTIA inertias[4] = { BY_MASS, BY_DENSE, BY_DIAGONAL, BY_MATRIX };
  MODEL_BODY *body = some_body (), changed;
  int code;

  if (!body) return;
  changed = *body;
  if (body->kind == IS_RIGID && below (2)) {
    fill_rotation (changed.rotation);
    if (!TRY (ldy_system_set_rotation (m.system, body->id, changed.rotation))) return;
  } else {
    changed.inertia = inertias[below (4)];
    if (changed.inertia == BY_MASS && body->kind == IS_GENERAL) return;
    fill_inertia (&changed);
    if (body->inertia == BY_OBSTACLE && body->users) {
      check_context ("an obstacle with constraints");
      code = give (&changed);
      CHECK_INT (code, LDY_ERROR_INVALID_ARGUMENT);
      CHECK_TEXT (ldy_last_error (), "obstacle");
      as_before ();
      return;
    }
    if (!TRY (give (&changed))) return;
    model_release (&changed);
  }
  *body = changed;
  less (STRUCTURE);
}

/* ---- updates */

/* Whether bodies have the same solver. */
static int are_together (const MODEL_BODY *one, const MODEL_BODY *other)
{
  return one == other || (one->solver && other->solver && one->solver->group && one->solver->group == other->solver->group);
}

/* The code of an update in which solvers fail or write a NaN: the first such body with constraints decides. A shared inverse
   callback is called at its first body that has constraints. */
static int code_of_solvers (void)
{
  for (int k = 0; k < m.body_count; k ++) {
    const MODEL_BODY *body = &m.bodies[k];
    if (!body->users || !body->solver) continue;
    for (int i = 0; i < m.body_count; i ++) if (are_together (body, &m.bodies[i]) && m.bodies[i].solver->code) return LDY_ERROR_SINGULAR;
    if (body->solver->spoils) return LDY_ERROR_INVALID_ARGUMENT;
  }
  return 0;
}

/* The code that an update is to have; -1: numbers may be too large. */
static int expected_code (void)
{
  int code = code_of_solvers ();

  for (int k = 0; k < m.body_count; k ++) if (m.bodies[k].users && m.bodies[k].is_indefinite) return LDY_ERROR_NOT_POSITIVE_DEFINITE;
  for (int k = 0; k < m.body_count; k ++) if (m.bodies[k].users && m.bodies[k].is_wild && code == 0) code = -1;
  return code;
}

static int all_finite (const double *values, int count)
{
  while (count --) if (!isfinite (*values ++)) return 0;
  return 1;
}

/* Compares with a system that has met no error. */
static void as_new (void)
{
  ldy_system *system = model_copy (&m);
  ldy_rows rows = { .size = sizeof rows };

  CHECK_INT (ldy_system_update (system, step), 0);
  CHECK_INT (ldy_system_results (system, &rows), 0);
  are_saved (&rows);
  ldy_system_destroy (system);
}

static int update (int is_thorough)
{
  static const double bad[6] = { 0, -0.0, -1, NAN, INFINITY, -INFINITY };
  double h = 0.1 + fabs (real ());
  int code, row, want = expected_code ();
  ldy_rows rows = { .size = sizeof rows };

  if (below (10) == 0) {
    check_context ("a bad step");
    CHECK_INT (ldy_system_update (m.system, bad[below (6)]), LDY_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT (ldy_last_error (), "the step h is not positive and finite");
    as_before ();
  }
  check_context ("update");
  arm (60);
  code = ldy_system_update (m.system, h);
  failing.armed = 0;
  if (code == LDY_ERROR_OUT_OF_MEMORY && failing.failed) {
    CHECK_TEXT (ldy_last_error (), "out of memory");
    /* The constraints may have been listed, or not. */
    results = m.constraint_count && ldy_system_row_of (m.system, m.constraints[0].id, &row) == 0 ? STRUCTURE : NOTHING;
    as_before ();
    return code;
  }
  if (want == -1 && code == LDY_ERROR_INVALID_ARGUMENT) CHECK_TEXT (ldy_last_error (), "its velocity V or B is not finite");
  else CHECK_INT (code, want == -1 ? 0 : want);
  results = code ? STRUCTURE : ROWS;
  if (code) {
    CHECK_TEXT (ldy_last_error (), want == -1 ? "not finite" : want == LDY_ERROR_INVALID_ARGUMENT ? "its diagonal block of W is not finite"
      : want == LDY_ERROR_SINGULAR ? "its solver returned" : "not positive definite");
    as_before ();
    return code;
  }
  step = h;
  CHECK_INT (ldy_system_results (m.system, &rows), 0);
  save (&rows);
  CHECK (all_finite (rows.values, 9 * rows.blocks) && all_finite (rows.B, 3 * rows.rows) && all_finite (rows.V, 3 * rows.rows));
  if (want == 0 && is_thorough) as_new ();
  return 0;
}

/* Takes back all that an update can fail of, and updates: everything is as if nothing had been. */
static void recover (void)
{
  int code;

  for (int k = 0; k < m.body_count; k ++) {
    MODEL_BODY *body = &m.bodies[k];
    if (body->solver) body->solver->code = body->solver->spoils = 0;
    while (body->is_indefinite) {
      fill_inertia (body);
      CHECK_INT (give (body), 0);
      less (STRUCTURE);
    }
    if (body->is_wild) {
      fill (body->velocity, body->n);
      CHECK_INT (ldy_system_set_velocity (m.system, body->id, LDY_VELOCITY_FREE, body->velocity, (size_t) body->n), 0);
      body->is_wild = 0;
      less (PRODUCTS);
    }
  }
  do code = update (1); while (code == LDY_ERROR_OUT_OF_MEMORY && failing.failed);
  CHECK_INT (code, 0);
  as_new ();
}

/* ---- products and the like */

static void multiply (void)
{
  int k, i, n = 3 * m.constraint_count, has = results >= PRODUCTS && expected_code () <= 0;
  double *x = calloc ((size_t) n + 1, sizeof *x), *y = calloc ((size_t) n + 1, sizeof *y), *z = calloc ((size_t) n + 1, sizeof *z);
  double value, residual;

  if (!x || !y || !z) abort ();
  fill (x, n);
  if (results < PRODUCTS) {
    CHECK_INT (ldy_system_multiply (m.system, x, 0, y, 0, (size_t) n, 1, 0), LDY_ERROR_STALE_RESULTS);
    CHECK_INT (ldy_system_multiply (m.system, x, 0, z, 0, (size_t) n, 1, LDY_MULTIPLY_THROUGH_BODIES), LDY_ERROR_STALE_RESULTS);
    CHECK_INT (ldy_system_spectral_radius (m.system, 0.1, 10, &value, NULL), LDY_ERROR_STALE_RESULTS);
    CHECK_TEXT (ldy_last_error (), "no successful update");
  } else if (has && TRY (ldy_system_multiply (m.system, x, 0, y, 0, (size_t) n, 1, 0))
    && TRY (ldy_system_multiply (m.system, x, 0, z, 0, (size_t) n, 1, LDY_MULTIPLY_THROUGH_BODIES))) {
    double quotient = 0, square = 0;
    for (k = 0; k < m.constraint_count; k ++) for (i = 0; i < 3; i ++) {
      double sum = 0, scale = 0;
      for (int b = saved.starts[k]; b < saved.starts[k + 1]; b ++) for (int j = 0; j < 3; j ++) {
        double term = saved.values[9 * b + 3 * j + i] * x[3 * saved.columns[b] + j];
        sum += term;
        scale += fabs (term);
      }
      CHECK_NEAR (y[3 * k + i], sum, 1e-13 * scale);
      CHECK_NEAR (z[3 * k + i], sum, 1e-9 * (scale + 1));
      quotient += x[3 * k + i] * sum;
      square += x[3 * k + i] * x[3 * k + i];
    }
    if (n && TRY (ldy_system_spectral_radius (m.system, 1e-9, 500, &value, &residual))) {
      CHECK (residual <= 1e-9 * value + 1e-300);
      CHECK (quotient / square <= value * (1 + 1e-8) + 1e-12);
    }
  }
  free (x), free (y), free (z);
}

/* The velocity of a body with reactions: h A^-1 times their force more than before. */
static void check_pushed (const MODEL_BODY *body, const double *R, const double *velocity)
{
  double force[N] = { 0 };

  CHECK_INT (ldy_system_constraint_force (m.system, body->id, R, 3 * (size_t) m.constraint_count, force, (size_t) body->n), 0);
  for (int i = 0; i < body->n; i ++) {
    double pushed = body->velocity[i], scale = 1 + fabs (pushed);
    for (int j = 0; j < body->n; j ++) {
      pushed += step * body->inverse[body->n * j + i] * force[j];
      scale += fabs (step * body->inverse[body->n * j + i] * force[j]);
    }
    CHECK_NEAR (velocity[i], pushed, 1e-9 * scale);
  }
}

static void add_reactions (void)
{
  int code, n = 3 * m.constraint_count, is_tame = expected_code () == 0;
  double *R = calloc ((size_t) n + 1, sizeof *R), velocity[N], force[N] = { 0 };
  MODEL_BODY *body = some_body ();

  if (!R) abort ();
  fill (R, n);
  check_context ("add_reactions");
  if (results < PRODUCTS) {
    CHECK_INT (ldy_system_apply_reactions (m.system, R, (size_t) n), LDY_ERROR_STALE_RESULTS);
    if (body) CHECK_INT (ldy_system_constraint_force (m.system, body->id, R, (size_t) n, force, (size_t) body->n), LDY_ERROR_STALE_RESULTS);
    as_before ();
  } else if (!is_tame) {
    /* A solver that fails now, or a velocity that is large already. */
    code = ldy_system_apply_reactions (m.system, R, (size_t) n);
    if (code) {
      CHECK (code == LDY_ERROR_SINGULAR || code == LDY_ERROR_INVALID_ARGUMENT);
      as_before ();
    }
    else {
      less (PRODUCTS);
      for (int k = 0; k < m.body_count; k ++)
        CHECK_INT (ldy_system_velocity (m.system, m.bodies[k].id, LDY_VELOCITY_FREE, m.bodies[k].velocity, (size_t) m.bodies[k].n), 0);
    }
  } else if (n && below (4) == 0) {
    R[below (n)] = NAN;
    CHECK_INT (ldy_system_apply_reactions (m.system, R, (size_t) n), LDY_ERROR_INVALID_ARGUMENT);
    CHECK_TEXT (ldy_last_error (), "a reaction R is not finite");
    as_before ();
  } else if (TRY (ldy_system_apply_reactions (m.system, R, (size_t) n))) {
    less (PRODUCTS);
    for (int k = 0; k < m.body_count; k ++) {
      body = &m.bodies[k];
      CHECK_INT (ldy_system_velocity (m.system, body->id, LDY_VELOCITY_FREE, velocity, (size_t) body->n), 0);
      check_pushed (body, R, velocity);
      memcpy (body->velocity, velocity, sizeof *velocity * (size_t) body->n);
    }
    as_before ();
  }
  free (R);
}

/* Whether the axes of a contact are to be turned by a body that turns none. */
static int has_no_axes (const ldy_joint *joint, const MODEL_CONSTRAINT *constraint)
{
  const MODEL_BODY *body = joint->kind < LDY_JOINT_CONTACT_ON_MASTER ? NULL
    : model_body (&m, constraint->bodies[joint->kind - LDY_JOINT_CONTACT_ON_MASTER]);

  return body && body->kind == IS_PSEUDO_RIGID;
}

/* Constraints by operators are constant ones. Steps are the same with memory and without, in all directions and in those that
   constraints leave free. */
static void stability (void)
{
  size_t constraints = (size_t) m.constraint_count, n = 0;
  int is_known = 1, has_inverse = 1, code;
  ldy_joint *joints = calloc (constraints + 1, sizeof *joints);
  double *R = calloc (3 * constraints + 1, sizeof *R), *x, *y, square = -1, longest = -1;

  for (int k = 0; k < m.body_count; k ++) n += (size_t) m.bodies[k].n;
  x = calloc (n + 1, sizeof *x), y = calloc (n + 1, sizeof *y);
  if (!joints || !R || !x || !y) abort ();
  fill (R, 3 * m.constraint_count);
  fill (x, (int) n);
  for (int k = 0; k < m.constraint_count; k ++) {
    joints[k].kind = 1 + below (5);
    joints[k].length = 0.5 + fabs (real ());
    if (m.constraints[k].has_operators && below (20)) joints[k].kind = LDY_JOINT_CONSTANT_OPERATORS;
    is_known &= (joints[k].kind == LDY_JOINT_CONSTANT_OPERATORS) == m.constraints[k].has_operators;
    is_known &= m.constraints[k].has_operators || !has_no_axes (&joints[k], &m.constraints[k]);
  }
  for (int k = 0; k < m.body_count; k ++) {
    has_inverse &= m.bodies[k].inertia != BY_MATRIX && m.bodies[k].inertia != BY_SOLVER;
  }
  check_context ("stability");
  code = ldy_system_geometric_stiffness (m.system, joints, constraints, R, 3 * constraints, x, y, n);
  CHECK_INT (code, is_known ? 0 : LDY_ERROR_INVALID_ARGUMENT);
  arm (40);
  code = critical_step (m.system, joints, constraints, R, 3 * constraints, 0, &square, &longest, NULL, NULL);
  failing.armed = 0;
  if (code == LDY_ERROR_OUT_OF_MEMORY) CHECK (failing.failed);
  else if (!is_known || !has_inverse) CHECK_INT (code, LDY_ERROR_INVALID_ARGUMENT);
  else if (code == LDY_ERROR_INVALID_ARGUMENT) CHECK_TEXT (ldy_last_error (), "inverse inertia is not positive");
  else {
    CHECK_INT (code, 0);
    CHECK (square > 0 ? fabs (longest * longest * square - 4) < 1e-9 : isinf (longest));
    (void) TRY (critical_step (m.system, joints, constraints, R, 3 * constraints, LDY_CRITICAL_STEP_FREE_MOTIONS, &square, NULL, NULL, NULL));
  }
  if (code) CHECK (square == -1 && longest == -1);
  as_before ();
  free (joints), free (R), free (x), free (y);
}

/* ---- corrupt calls */

static void refused (int code, int want)
{
  CHECK_INT (code, want);
  CHECK (ldy_last_error ()[0] != '\0');
  as_before ();
}

static void is_refused (int code)
{
  refused (code, code_of_text (ldy_last_error ()));
}

static void is_refused_as (int want, int code)
{
  refused (code, want);
}

#define BAD(...) (check_context ("%s", #__VA_ARGS__), is_refused (__VA_ARGS__))
#define BAD_AS(...) (check_context ("%s", #__VA_ARGS__), is_refused_as (__VA_ARGS__))

/* Texts and more ways to go wrong are in errors.c. */
static void corrupt_new_body (void)
{
  static const int descending[4] = { 0, 2, 1, 3 }, outside[3] = { 0, 1, 3 };
  int64_t id = -7;

  switch (below (6)) {
  case 0: BAD (ldy_system_add_rigid (m.system, 1, spoilt (unit, 9), unit, unit, &id)); break;
  case 1: BAD (ldy_system_add_pseudo_rigid (m.system, 0, unit, unit, &id)); break;
  case 2: BAD (ldy_system_add_obstacle (m.system, spoilt (unit, 9), unit, &id)); break;
  case 3: BAD (ldy_system_add_body (m.system, DENSE (- below (5), unit), &id)); break;
  case 4: BAD (ldy_system_add_body (m.system, DIAGONAL (3, spoilt (unit, 3)), &id)); break;
  default: BAD_AS (LDY_ERROR_INVALID_FORMAT, ldy_system_add_body (m.system, SPARSE (3, descending, outside, unit, 3), &id));
  }
  CHECK_INT (id, -7);
}

static void corrupt_body (void)
{
  MODEL_BODY *body = some_body ();
  int64_t none = no_id (m.next_body, 1);
  double x[N] = { 0 };

  switch (below (body ? 8 : 3)) {
  case 0: BAD (ldy_system_remove_body (m.system, none)); break;
  case 1: BAD (ldy_system_set_rotation (m.system, none, unit)); break;
  case 2: BAD (ldy_system_set_velocity (m.system, none, LDY_VELOCITY_FREE, x, N)); break;
  case 3: BAD (ldy_system_set_velocity (m.system, body->id, LDY_VELOCITY_FREE, spoilt (x, body->n), (size_t) body->n)); break;
  case 4: BAD (ldy_system_set_velocity (m.system, body->id, LDY_VELOCITY_PREVIOUS, spoilt (x, body->n), (size_t) body->n)); break;
  case 5: BAD (ldy_system_set_rotation (m.system, body->id, spoilt (unit, 9))); break;
  case 6: BAD (ldy_system_set_inertia (m.system, body->id, MASS (-1, unit))); break;
  default: BAD (ldy_system_set_inertia (m.system, body->id, DIAGONAL (body->n, spoilt (x, body->n))));
  }
}

static void corrupt_constraint (void)
{
  MODEL_CONSTRAINT *c = some_constraint ();
  MODEL_BODY *body = some_body ();
  int64_t none = no_id (m.next_body, 0), unknown = no_id (m.next_constraint, 1), id = -7;
  double h[3 * N] = { 0 };
  const size_t count = 3 * (size_t) (body ? body->n : 0);

  if (!body) return;
  ldy_operator H = { body->n, NULL, NULL, h, count }, nan = { body->n, NULL, NULL, spoilt (h, (int) count), count };
  switch (below (c ? 10 : 6)) {
  case 0: BAD (ldy_system_add_point_constraint (m.system, body->id, none, unit, unit, unit, &id)); break;
  case 1: BAD (ldy_system_add_point_constraint (m.system, body->id, LDY_GROUND, spoilt (unit, 9), unit, unit, &id)); break;
  case 2: BAD (ldy_system_add_constraint_rows (m.system, 3, (int64_t []) { none, body->id }, (ldy_operator []) { H, H }, 2, &id)); break;
  case 3: BAD (ldy_system_add_constraint_rows (m.system, 3, (int64_t []) { LDY_GROUND, body->id }, (ldy_operator []) { (ldy_operator) { 0 }, nan }, 2, &id)); break;
  case 4: BAD (ldy_system_remove_constraint (m.system, unknown)); break;
  case 5: BAD (ldy_system_set_compliance (m.system, unknown, unit, 9)); break;
  case 6: BAD (ldy_system_set_compliance (m.system, c->id, spoilt (unit, 9), 9)); break;
  case 7: BAD (ldy_system_set_compliance (m.system, c->id, NULL, 3)); break;
  case 8: BAD (ldy_system_move_constraint (m.system, c->id, spoilt (unit, 9), unit, unit)); break;
  default: if (!c->has_operators) BAD (ldy_system_set_operators (m.system, c->id, (ldy_operator []) { H, H }, 2));
  }
  CHECK_INT (id, -7);
}

static void corrupt_question (void)
{
  double x[1] = { 0 }, value = -7;
  int row = -7;

  switch (below (4)) {
  case 0: BAD (ldy_system_results (m.system, NULL)); break;
  case 1: BAD (ldy_system_row_of (m.system, no_id (m.next_constraint, 1), &row)); break;
  case 2: BAD (ldy_system_spectral_radius (m.system, NAN, 10, &value, NULL)); break;
  default: if (m.constraint_count) BAD (ldy_system_multiply (m.system, NULL, 0, x, 0, 3 * (size_t) m.constraint_count, 1, 0));
  }
  CHECK (value == -7 && row == -7);
}

static void corrupt (void)
{
  switch (below (4)) {
  case 0: corrupt_new_body (); break;
  case 1: corrupt_body (); break;
  case 2: corrupt_constraint (); break;
  default: corrupt_question ();
  }
}

/* ---- sequences */

/* From now on a solver fails, or writes what is not a number, or neither. The system does not know until it calls it. */
static void change_solver (int is_thorough)
{
  MODEL_BODY *body = some_body ();

  for (int tries = 0; body && !body->solver && tries < 20; tries ++) body = some_body ();
  if (!body || !body->solver) return;
  body->solver->code = below (3) ? 0 : 1 + below (9);
  body->solver->spoils = below (3) == 0;
  if (below (2) && update (is_thorough)) recover ();
}

/* Whether nothing fails on any body, be there constraints on it or not. */
static int is_sound (void)
{
  for (int k = 0; k < m.body_count; k ++) {
    const MODEL_BODY *body = &m.bodies[k];
    if (body->is_indefinite || body->is_wild || (body->solver && (body->solver->code || body->solver->spoils))) return 0;
  }
  return 1;
}

/* Other things are asked of the rows, and other constraints come and go. */
static void visit (void)
{
  int is_small = m.constraint_room == SMALL_CONSTRAINTS;

  switch (below (5)) {
  case 0:
    visit_kept (&m, &calls_random);
    break;
  case 4:
    visit_world (&m, &calls_random);
    break;
  case 1:
    if (!is_small || !m.body_count || !is_sound ()) return;
    visit_rows (&m, &calls_random);
    /* After all other choices, so that recorded sequences keep their meaning. */
    visit_joints (&m, &calls_random);
    less (NOTHING);
    break;
  default:
    if (results != ROWS || !is_sound ()) return;
    visit_results (&m, &calls_random);
  }
  as_before ();
}

static void one_call (int is_thorough)
{
  switch (below (42)) {
  case 41: add_constraints (); break;
  case 35: add_model (); break;
  case 36: case 37: case 38: move_constraints (); break;
  case 39: case 40: change_bodies (); break;
  case 0: case 1: add_body (); break;
  case 2: remove_body (); break;
  case 3: case 4: case 5: add_constraint (); break;
  case 6: remove_constraint (); break;
  case 7: case 8: move_constraint (); break;
  case 9: set_compliance (); break;
  case 10: case 11: change_body (); break;
  case 12: if (m.body_count) set_velocities (some_body ()); break;
  case 13: change_solver (is_thorough); break;
  case 14: ldy_set_threads (threads = 1 + below (2)); break;
  case 15: multiply (); break;
  case 16: add_reactions (); break;
  case 17: stability (); break;
  case 18: case 19: case 20: case 21: if (update (is_thorough)) recover (); break;
  case 22: case 23: case 24: visit (); break;
  default: corrupt ();
  }
}

void calls_begin (void)
{
  model_create (&m, SMALL_BODIES, SMALL_CONSTRAINTS);
  results = NOTHING;
  looks.state = 0;
  ldy_set_threads (threads = 1);
}

void calls_one (void)
{
  one_call (1);
}

void calls_end (void)
{
  recover ();
  model_destroy (&m);
  forget ();
}

/* Calls on one that is large enough for threads, which are to find the same and to fail of the same. */
void calls_on_large (int calls)
{
  ldy_system *copy;
  ldy_rows rows = { .size = sizeof rows };
  char text[1024];
  int code;

  model_create (&m, LARGE_BODIES, LARGE_CONSTRAINTS);
  results = NOTHING;
  while (m.body_count < LARGE_BODIES) add_body ();
  while (m.constraint_count < LARGE_CONSTRAINTS) add_constraint ();
  ldy_set_threads (threads = 2);
  recover ();
  for (int k = 0; k < calls; k ++) {
    one_call (0);
    if (k % 8) continue;
    check_context ("one thread and two");
    ldy_set_threads (threads = 1);
    code = ldy_system_update (m.system, step);
    strncpy (text, ldy_last_error (), sizeof text - 1);
    text[sizeof text - 1] = '\0';
    if (code == 0 && ldy_system_results (m.system, &rows) == 0) save (&rows);
    ldy_set_threads (threads = 2);
    CHECK_INT (ldy_system_update (m.system, step), code);
    results = code ? STRUCTURE : ROWS;
    if (code) CHECK_TEXT (ldy_last_error (), text);
    as_before ();
    if (code) continue;
    copy = model_copy (&m);
    CHECK_INT (ldy_system_update (copy, step), 0);
    CHECK_INT (ldy_system_results (copy, &rows), 0);
    are_saved (&rows);
    ldy_system_destroy (copy);
  }
  calls_end ();
}
