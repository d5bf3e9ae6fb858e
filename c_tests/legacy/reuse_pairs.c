/* reuse_pairs SMALL LARGE: every ordered pair of events between two complete updates with LDY_REUSE, on a scene with bodies of
 * every kind, and on one large enough for threads: the values agree with a fresh structure. Every SMALL-th pair is tried on
 * the small scene, every LARGE-th on the large one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/compare.h"
#include "support/host/hooks.h"
#include "support/large_scene.h"
#include "support/mesh_builder.h"
#include "support/rebuild_compare.h"

typedef struct {
  HOST *host;
  RANDOM random;
  CON *con;   /* what events happen to, where it suits them */
  BODY *body;
  BODY *overflowing; /* rigid, with a dense inverse and two fixed points */
  int threads, once, plain;
} SCENE;

/* ---- what an event happens to */

static int chance (SCENE *s, int count)
{
  return random_below (&s->random, count) == 0;
}

static CON *any_constraint (SCENE *s)
{
  CON *con = s->host->dom.con;
  int place = random_below (&s->random, s->host->dom.ncon);

  while (place --) con = con->next;
  return con;
}

/* The constraint of the pair of events, or another one that suits; NULL if none is found. */
static CON *constraint_that (SCENE *s, int (*suits) (const CON *))
{
  CON *con = s->con;
  int tries = 0;

  while (!suits (con)) {
    if (tries ++ > 1000) return NULL;
    con = any_constraint (s);
  }
  return con;
}

static BODY *body_that (SCENE *s, int (*suits) (const BODY *))
{
  BODY *body = s->body;
  int tries = 0;

  while (!suits (body)) {
    if (tries ++ > 1000) return NULL;
    body = any_constraint (s)->master;
  }
  return body;
}

static int has_slave (const CON *con) { return con->slave && con->slave != con->master; }
static int is_velodir (const CON *con) { return con->kind == VELODIR; }
static int is_on_mesh (const CON *con) { return con->master->kind == FEM; }
static int is_movable (const BODY *body) { return body->kind != OBS; }
static int is_mesh (const BODY *body) { return body->kind == FEM; }
static int is_rigid (const BODY *body) { return body->kind == RIG; }
static int is_reduced (const BODY *body) { return body->kind == FEM && body->form >= BODY_COROTATIONAL_MODAL; }
static int is_rotated (const BODY *body)
{
  return body->kind == FEM && body->form == BODY_COROTATIONAL && body->scheme == SCH_DEF_LIM;
}

/* A little on meshes, so that a point stays on its element. */
static void move (SCENE *s, const BODY *body, double *point)
{
  int i = random_below (&s->random, 3);

  point[i] += (body->kind == FEM ? 1e-3 : 0.3) * random_value (&s->random);
}

/* ---- one input changed */

static void change_frame (SCENE *s) { random_rotation (&s->random, s->con->base); }
static void change_axis (SCENE *s) { s->con->base[random_below (&s->random, 9)] *= 1.001; }
static void change_master_point (SCENE *s) { move (s, s->con->master, s->con->mpnt); }

static void change_slave_point (SCENE *s)
{
  CON *con = constraint_that (s, has_slave);

  if (con) move (s, con->slave, con->spnt);
}

static void change_prescribed (SCENE *s)
{
  CON *con = constraint_that (s, is_velodir);

  if (con) con->Z[0] += 0.5;
}

static int fits_contact (const CON *con)
{
  return con->kind != CONTACT && has_slave (con) && (con->slave->kind != OBS || con->master->kind != OBS);
}

static int is_contact (const CON *con) { return con->kind == CONTACT; }

static void change_kind_to_joint (SCENE *s)
{
  CON *con = constraint_that (s, is_contact);

  if (con) con->kind = RIGLNK;
}

/* Now and then one that meets an obstacle. */
static void change_kind_to_contact (SCENE *s)
{
  CON *con = constraint_that (s, fits_contact);

  if (con) con->kind = CONTACT;
}

static void change_roles (SCENE *s)
{
  CON *con = constraint_that (s, has_slave), old;

  if (!con) return;
  old = *con;
  con->master = old.slave;
  con->slave = old.master;
  memcpy (con->mpnt, old.spnt, sizeof con->mpnt);
  memcpy (con->spnt, old.mpnt, sizeof con->spnt);
  con->msgp = old.ssgp;
  con->ssgp = old.msgp;
}

static void change_element (SCENE *s)
{
  CON *con = constraint_that (s, is_on_mesh);

  if (con) mesh_place (con, &s->random);
}

static void change_configuration (SCENE *s)
{
  double *rotation = s->body->kind == FEM ? s->body->conf + s->body->dofs : s->body->conf;

  random_rotation (&s->random, rotation);
}

static void change_mesh_rotation (SCENE *s)
{
  BODY *body = body_that (s, is_rotated);

  if (body) body->conf[body->dofs + random_below (&s->random, 9)] *= 1.01;
}

static void change_velocity (SCENE *s) { s->body->velo[random_below (&s->random, 6)] += 0.5; }
static void change_last_velocity (SCENE *s) { s->body->velo[s->body->kind == OBS || s->body->kind == RIG ? 8 : 13] -= 0.5; }
static void change_center (SCENE *s) { s->body->ref_center[random_below (&s->random, 3)] += 0.1; }
static void change_inverse (SCENE *s) { mesh_scale_inertia (s->body, chance (s, 2) ? 1.25 : 0.8); }

/* In place, in a number that only some of the constraints see. */
static void change_diagonal_value (SCENE *s)
{
  BODY *body = body_that (s, is_movable);
  const MX *a = body->inverse;
  int j = random_below (&s->random, a->kind == MXBD ? 3 : a->n);

  if (a->kind == MXBD) a->x[4 * j] *= 1.01;
  else if (a->kind == MXDENSE) a->x[(a->n + 1) * j] *= 1.01;
  else for (int e = a->p[j]; e < a->p[j + 1]; e ++) if (a->i[e] == j) a->x[e] *= 1.01;
}

static void change_pointer (SCENE *s) { mesh_copy_inertia (s->body); }

static void change_pattern (SCENE *s)
{
  BODY *body = body_that (s, is_movable);
  INERTIA_FORM form = (INERTIA_FORM) random_below (&s->random, INERTIA_FORMS);

  if (body->kind != FEM) scene_randomise_body (body, &s->random, (INVERSE_FORM) random_below (&s->random, INVERSE_FORMS));
  else mesh_randomise_inertia (body, &s->random, form);
}

static void change_factored_pattern (SCENE *s)
{
  BODY *body = body_that (s, host_gives_matrix);

  if (body) mesh_randomise_inertia (body, &s->random, chance (s, 2) ? INERTIA_FACTORED : INERTIA_FACTORED_GENERAL);
}

static void change_base (SCENE *s)
{
  BODY *body = body_that (s, is_reduced);

  if (body) body->evec->x[random_below (&s->random, body->evec->nzmax)] += 0.5;
}

static void change_mesh (SCENE *s)
{
  BODY *body = body_that (s, is_mesh);
  MESH *mesh = body ? body->msh ? body->msh : body->shape->data : NULL;

  if (mesh) mesh->ref_nodes[random_below (&s->random, 3 * mesh->nodes_count)] += 1e-3;
}

static void change_scheme (SCENE *s)
{
  BODY *body = body_that (s, is_mesh);

  if (body && body->form == BODY_COROTATIONAL) body->scheme = body->scheme == SCH_DEF_EXP ? SCH_DEF_LIM : SCH_DEF_EXP;
}

static void change_form (SCENE *s)
{
  BODY *body = body_that (s, is_mesh);

  if (body && body->form <= BODY_COROTATIONAL) body->form = body->form == TOTAL_LAGRANGIAN ? BODY_COROTATIONAL : TOTAL_LAGRANGIAN;
}

static int touches (const CON *con, const BODY *body) { return con->master == body || con->slave == body; }

static void change_body_to_obstacle (SCENE *s)
{
  BODY *body = body_that (s, is_rigid);

  for (CON *con = s->host->dom.con; con && body; con = con->next) {
    if (!touches (con, body) || con->kind != CONTACT) continue;
    if (con->master->kind == OBS || con->slave->kind == OBS || con->master == con->slave) return;
  }
  if (body) body->kind = OBS;
}

static void change_body_from_obstacle (SCENE *s)
{
  BODY *body;
  int places = random_below (&s->random, s->host->dom.nbod);

  for (body = s->host->dom.bod; body && (body->kind != OBS || places -- > 0); body = body->next) continue;
  if (body && body != s->host->dom.bod) body->kind = RIG;
}

static void change_step (SCENE *s) { s->host->dom.step *= chance (s, 2) ? 1.25 : 0.8; }

/* ---- updates and options */

/* After an update that the next one may not build on, a host may have its own numbers in all rows and blocks. */
static void write_everywhere (SCENE *s)
{
  marks_free (marks_put (s->host->dom.ldy));
}

static void update_as (SCENE *s, UPDATE_KIND kind)
{
  host_set_update (s->host, kind);
  watched_update (s->host);
  host_set_update (s->host, UPDATE_ALL);
  if (kind != UPDATE_ALL) write_everywhere (s);
}

static void update_penalty (SCENE *s) { update_as (s, UPDATE_PENALTY); }
static void update_minimal (SCENE *s) { update_as (s, UPDATE_MINIMAL); }
static void update_all (SCENE *s) { update_as (s, UPDATE_ALL); }

static void update_without_reuse (SCENE *s)
{
  CHECK_INT (ldy_set_option (LDY_REUSE, 0), 0);
  update_as (s, UPDATE_ALL);
  CHECK_INT (ldy_set_option (LDY_REUSE, 1), 0);
  write_everywhere (s);
}

static void update_once (SCENE *s)
{
  CHECK_INT (ldy_set_option (LDY_SELF_CONTACT_ONCE, !s->once), 0);
  update_as (s, UPDATE_ALL);
  CHECK_INT (ldy_set_option (LDY_SELF_CONTACT_ONCE, s->once), 0);
  write_everywhere (s);
}

static void toggle_once (SCENE *s) { CHECK_INT (ldy_set_option (LDY_SELF_CONTACT_ONCE, s->once = !s->once), 0); }
static void toggle_avx2 (SCENE *s) { CHECK_INT (ldy_set_option (LDY_NO_AVX2, s->plain = !s->plain), 0); }
static void toggle_threads (SCENE *s) { CHECK_INT (ldy_set_threads (s->threads = 3 - s->threads), 0); }

/* ---- constraints come and go */

static void remove_constraint (SCENE *s)
{
  CON *con = any_constraint (s);

  if (con == s->con || con->master == s->overflowing || s->host->dom.ncon < 30) return;
  host_remove (s->host, con);
  host_free_constraint (s->host, con);
}

static void remove_row (SCENE *s)
{
  host_remove (s->host, s->con);
  CHECK_INT (watched_insert (s->host, s->con), 0);
}

static void insert_constraint (SCENE *s)
{
  BODY *two = any_constraint (s)->master;
  CON *con = mesh_constraint (s->host, &s->random, FIXPNT, s->body, two == s->body || s->body->kind == OBS ? NULL : two);

  if (con->slave && con->slave->kind != OBS) con->kind = CONTACT;
  if (!CHECK_INT (watched_insert (s->host, con), 0)) fprintf (stderr, "  %s\n", watched.text);
}

static void move_in_list (SCENE *s)
{
  host_unlink (s->host, s->con);
  host_link (s->host, s->con);
}

/* ---- errors: something bad is there for the time of one call */

static void expect_refused (SCENE *s)
{
  static const UPDATE_KIND kinds[] = { UPDATE_ALL, UPDATE_ALL, UPDATE_PENALTY };

  host_set_update (s->host, kinds[random_below (&s->random, 3)]);
  CHECK (watched_update (s->host) != 0);
  write_everywhere (s);
  CHECK_INT (ldy_is_consistent (s->host->dom.ldy, NULL), 1);
  host_set_update (s->host, UPDATE_ALL);
}

static void bad_number (SCENE *s, double *place)
{
  double kept = *place;

  *place = NAN;
  expect_refused (s);
  *place = kept;
}

static void bad_frame (SCENE *s) { bad_number (s, &s->con->base[random_below (&s->random, 9)]); }
static void bad_step (SCENE *s) { bad_number (s, &s->host->dom.step); }

static void bad_velocity (SCENE *s)
{
  int count = s->body->kind == FEM ? s->body->dofs : 6;
  double *velo = malloc ((size_t) count * sizeof *velo);

  if (!velo) abort ();
  memcpy (velo, s->body->velo, (size_t) count * sizeof *velo);
  for (int i = 0; i < count; i ++) s->body->velo[i] = NAN;
  host_set_update (s->host, UPDATE_ALL);
  watched_update (s->host);
  memcpy (s->body->velo, velo, (size_t) count * sizeof *velo);
  free (velo);
}

/* W of this constraint becomes singular. */
static void bad_axes (SCENE *s)
{
  double kept[9];

  memcpy (kept, s->con->base, sizeof kept);
  memset (s->con->base + 6, 0, 3 * sizeof (double));
  for (int i = 0; i < 3; i ++) expect_refused (s); /* an update that finds nothing changed since one that failed fails as well */
  memcpy (s->con->base, kept, sizeof kept);
}

static void bad_kind (SCENE *s)
{
  enum constraint_kind kept = s->con->kind;

  memset (&s->con->kind, 9, 1);
  expect_refused (s);
  s->con->kind = kept;
}

static void bad_row (SCENE *s)
{
  DIAB *kept = s->con->dia;

  s->con->dia = chance (s, 2) ? NULL : s->host->dom.con->dia;
  if (s->con->dia == kept) s->con->dia = NULL;
  expect_refused (s);
  s->con->dia = kept;
}

static BODY *stranger (SCENE *s, const CON *con)
{
  BODY *body = s->host->dom.bod;

  while (touches (con, body)) body = body->next;
  return body;
}

static void bad_master (SCENE *s)
{
  BODY *kept = s->con->master;

  s->con->master = stranger (s, s->con);
  host_set_update (s->host, chance (s, 2) ? UPDATE_PENALTY : UPDATE_ALL);
  watched_update (s->host);
  host_set_update (s->host, UPDATE_ALL);
  s->con->master = kept;
}

static void bad_slave (SCENE *s)
{
  CON *con = constraint_that (s, has_slave);

  if (!con) return;
  BODY *kept = con->slave;
  con->slave = chance (s, 2) ? stranger (s, con) : NULL;
  watched_update (s->host);
  con->slave = kept;
}

static void bad_body (SCENE *s)
{
  enum body_kind kept = s->body->kind;

  memset (&s->body->kind, 7, 1);
  expect_refused (s);
  s->body->kind = kept;
}

static void bad_inverse (SCENE *s)
{
  BODY *body = body_that (s, is_movable);
  MX *kept = body->inverse;

  body->inverse = NULL;
  expect_refused (s);
  body->inverse = kept;
}

static void bad_factor (SCENE *s)
{
  BODY *body = body_that (s, host_gives_matrix);
  double *kept;

  if (!body) return;
  size_t size = (size_t) body->inverse->nzmax * sizeof *kept;
  kept = malloc (size);
  if (!kept) abort ();
  memcpy (kept, body->inverse->x, size);
  memset (body->inverse->x, 0, size);
  expect_refused (s);
  memcpy (body->inverse->x, kept, size);
  free (kept);
}

static void bad_element (SCENE *s)
{
  CON *con = s->con;
  void *kept;

  if (con->master->kind != FEM) return;
  kept = con->msgp->gobj;
  con->msgp->gobj = NULL;
  expect_refused (s);
  con->msgp->gobj = kept;
}

/* Diagonal blocks stay finite, those between the two fixed points do not. */
static void bad_block (SCENE *s)
{
  double *x = s->overflowing->inverse->x, kept = x[1], step = s->host->dom.step;

  if (s->overflowing->inverse->nzmax != 36) return; /* It has got another matrix. */
  s->host->dom.step = 1;
  x[1] = x[6] = 1e307;
  expect_refused (s);
  s->host->dom.step = step;
  x[1] = x[6] = kept;
}

static void bad_neighbour (SCENE *s)
{
  CON *con = s->con, *other = any_constraint (s);
  DIAB *kept = other->dia;

  for (int i = 0; i < 1000 && (other == con || !(touches (other, con->master))); i ++) other = any_constraint (s);
  if (other == con || !touches (other, con->master)) return;
  kept = other->dia;
  host_remove (s->host, con);
  other->dia = (DIAB *) (void *) &s->host->dom;
  watched_insert (s->host, con);
  other->dia = kept;
  if (!con->dia) CHECK_INT (watched_insert (s->host, con), 0);
}

typedef struct {
  const char *name;
  void (*happens) (SCENE *);
} EVENT;

#define EVENT_OF(function) { #function, function }

static const EVENT events[] = {
  EVENT_OF (change_frame), EVENT_OF (change_axis), EVENT_OF (change_master_point), EVENT_OF (change_slave_point),
  EVENT_OF (change_prescribed), EVENT_OF (change_kind_to_joint), EVENT_OF (change_kind_to_contact), EVENT_OF (change_roles),
  EVENT_OF (change_element), EVENT_OF (change_configuration), EVENT_OF (change_mesh_rotation), EVENT_OF (change_velocity),
  EVENT_OF (change_last_velocity), EVENT_OF (change_center), EVENT_OF (change_inverse), EVENT_OF (change_diagonal_value),
  EVENT_OF (change_pointer), EVENT_OF (change_pattern), EVENT_OF (change_factored_pattern), EVENT_OF (change_base),
  EVENT_OF (change_mesh), EVENT_OF (change_scheme), EVENT_OF (change_form), EVENT_OF (change_body_to_obstacle),
  EVENT_OF (change_body_from_obstacle), EVENT_OF (change_step), EVENT_OF (update_penalty), EVENT_OF (update_minimal),
  EVENT_OF (update_all), EVENT_OF (update_without_reuse), EVENT_OF (update_once), EVENT_OF (toggle_once), EVENT_OF (toggle_avx2),
  EVENT_OF (toggle_threads), EVENT_OF (remove_constraint), EVENT_OF (remove_row), EVENT_OF (insert_constraint),
  EVENT_OF (move_in_list), EVENT_OF (bad_frame), EVENT_OF (bad_step), EVENT_OF (bad_velocity), EVENT_OF (bad_axes),
  EVENT_OF (bad_kind), EVENT_OF (bad_row), EVENT_OF (bad_master), EVENT_OF (bad_slave), EVENT_OF (bad_body),
  EVENT_OF (bad_inverse), EVENT_OF (bad_factor), EVENT_OF (bad_element), EVENT_OF (bad_block), EVENT_OF (bad_neighbour) };

#define EVENTS ((int) (sizeof events / sizeof events[0]))

/* ---- pairs of events */

static void add_overflowing_body (SCENE *s)
{
  double inverse[36] = { 0 };
  CON *con;

  for (int i = 0; i < 6; i ++) inverse[7 * i] = 1;
  s->overflowing = host_add_body (s->host, RIG);
  host_set_inverse (s->overflowing, host_matrix_dense (6, 6, inverse));
  for (int i = 0; i < 2; i ++) {
    con = host_add_constraint (s->host, FIXPNT, s->overflowing, NULL);
    con->mpnt[i] = 10;
  }
}

static void begin (SCENE *s, int large, int seed)
{
  s->random.state = (uint64_t) seed;
  if (large) s->host = large_scene (1);
  else {
    s->host = scene_mixed ((uint64_t) seed);
    mesh_add_scene (s->host, &s->random);
    s->host->dom.ldy = LOCDYN_Create (&s->host->dom);
  }
  add_overflowing_body (s);
  for (CON *con = s->host->dom.con; con; con = con->next) {
    if (!con->dia) CHECK_INT (watched_insert (s->host, con), 0);
  }
  s->host->dom.step = 1e-3;
  CHECK_INT (ldy_set_threads (s->threads = large ? 2 : 1), 0);
  s->once = s->plain = 0;
  CHECK_INT (ldy_set_option (LDY_REUSE, 1), 0);
  CHECK_INT (watched_update (s->host), 0);
}

static void end (SCENE *s)
{
  scene_destroy (s->host);
  ldy_set_option (LDY_SELF_CONTACT_ONCE, 0);
  ldy_set_option (LDY_NO_AVX2, 0);
  ldy_set_threads (1);
}

/* Makes a complete update and compares it. If it is refused, a fresh structure refuses it too. Returns whether it was
 * accepted. */
static int update_and_check (SCENE *s)
{
  int code = watched_update (s->host), refusal;
  VALUES *fresh;
  FRESH made;

  if (code) {
    made = fresh_values (s->host, &fresh, &refusal);
    if (!CHECK (made != FRESH_MADE)) fprintf (stderr, "  refused with %d\n", code);
    else CHECK_INT (code, refusal);
    values_free (fresh);
    return 0;
  }
  return check_fresh (s->host);
}

static int is_setting (const EVENT *event)
{
  return event->happens == toggle_once || event->happens == toggle_avx2 || event->happens == toggle_threads;
}

static int try_pair (SCENE *s, const EVENT *one, const EVENT *two)
{
  s->con = any_constraint (s);
  s->body = has_slave (s->con) && chance (s, 2) ? s->con->slave : s->con->master;
  one->happens (s);
  two->happens (s);
  /* Another setting, too, unless it has been changed back. */
  if (one != two && is_setting (two)) write_everywhere (s);
  CHECK_INT (ldy_is_consistent (s->host->dom.ldy, NULL), 1);
  return update_and_check (s);
}

static void test_pairs (int large, int step)
{
  SCENE s;
  int started = 0;

  for (int pair = 0; pair < EVENTS * EVENTS; pair += step) {
    const EVENT *one = &events[pair / EVENTS], *two = &events[pair % EVENTS];
    if (!started) begin (&s, large, pair + 1);
    check_context ("%s, %s, then %s (pair %d)", large ? "large scene" : "small scene", one->name, two->name, pair);
    started = try_pair (&s, one, two) && pair % EVENTS < EVENTS - step;
    if (!started) end (&s);
    if (check_failures () > 10000) break;
  }
  if (started) end (&s);
}

int main (int argc, char **argv)
{
  int small = argc > 1 ? atoi (argv[1]) : 1, large = argc > 2 ? atoi (argv[2]) : 37;

  if (small < 1 || large < 1) return 2;
  watch_errors ();
  test_pairs (0, small);
  test_pairs (1, large);
  watch_no_errors ();
  ldy_set_option (LDY_REUSE, 0);
  ldy_shutdown ();
  return check_summary ("reuse_pairs");
}
