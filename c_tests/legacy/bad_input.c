/* bad_input DIRECTORY | --table: every entry point with every kind of bad input that makes sense for it, as a table of
 * answers, each checked. The rows of error_cases.c are part of it; the rest is here. DIRECTORY holds the recorded states.
 * --table prints the table, a line an entry point: codes, or what is returned, and the number of cases if not one. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "legacy/error_cases.h"
#include "support/check.h"
#include "support/error_observer.h"
#include "support/snapshot.h"

typedef enum { NONE, WRONG_KIND, NOT_A_NUMBER, INFINITE, EMPTY, ZERO_MASS, SINGULAR, WRONG_SIZE, TWICE, STRAY, INPUTS } INPUT;

static const char *const input_names[INPUTS] = { "NULL", "wrong kind", "NaN", "infinite", "empty", "zero mass", "singular",
  "wrong size", "twice", "not ours" };

/* ---- what calls have returned, and a host with finite elements */

static double value;         /* the result of a function that returns a number; 0 before the call */
static const void *pointer;
static SNAPSHOT *mesh;       /* matrices to be factored; all rows inserted */
static SNAPSHOT *reduced;    /* reduced bases; likewise */

static double point[3] = { 0.1, 0.2, 0.3 }, frame[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, H[36], no_number[3] = { NAN, 0, 0 },
  too_large[3] = { 0, HUGE_VAL, 0 };

static BODY *factored_body (void)
{
  BODY *body = mesh->host->dom.bod;

  while (!host_gives_matrix (body) || !body->con) body = body->next;
  return body;
}

static BODY *reduced_body (void)
{
  BODY *body = reduced->host->dom.bod;

  while (!body->evec || !body->con) body = body->next;
  return body;
}

static CON *constraint_on (const SNAPSHOT *snapshot, const BODY *body)
{
  CON *con = snapshot->host->dom.con;

  while (con->master != body) con = con->next;
  return con;
}

/* ---- damages to finite-element bodies, and what puts them back */

static MX kept_matrix;
static double *kept_values;
static size_t kept_count;
static MX *kept_in;

static MX *keep_matrix (MX *matrix)
{
  kept_in = matrix;
  kept_matrix = *matrix;
  kept_count = (size_t) matrix->nzmax;
  kept_values = malloc (kept_count * sizeof (double));
  if (!kept_values) abort ();
  memcpy (kept_values, matrix->x, kept_count * sizeof (double));
  return matrix;
}

static void put_matrix_back (SCENE *s)
{
  (void) s;
  memcpy (kept_in, &kept_matrix, sizeof kept_matrix);
  memcpy (kept_in->x, kept_values, kept_count * sizeof (double));
  free (kept_values);
}

static void set_flags (MX *matrix, int flags) { memcpy (&matrix->flags, &flags, sizeof flags); }
static void matrix_nan (SCENE *s) { (void) s, keep_matrix (factored_body ()->inverse)->x[1] = NAN; }
static void matrix_infinite (SCENE *s) { (void) s, keep_matrix (factored_body ()->inverse)->x[1] = HUGE_VAL; }
static void matrix_empty (SCENE *s) { (void) s, keep_matrix (factored_body ()->inverse)->x = NULL; }

/* Also with MXSPD unset, when A is general. */
static void no_mass (int general)
{
  MX *matrix = keep_matrix (factored_body ()->inverse);

  memset (matrix->x, 0, kept_count * sizeof (double));
  if (general) set_flags (matrix, MXIFAC);
}

static void matrix_zero (SCENE *s) { (void) s, no_mass (0); }
static void matrix_zero_general (SCENE *s) { (void) s, no_mass (1); }
static void matrix_indefinite (SCENE *s) { (void) s, keep_matrix (factored_body ()->inverse)->x[0] *= -1; }
static void matrix_size (SCENE *s) { (void) s, keep_matrix (factored_body ()->inverse)->n --; }
static void matrix_kind (SCENE *s) { (void) s, memset (&keep_matrix (factored_body ()->inverse)->kind, 3, 1); }

static void base_nan (SCENE *s) { (void) s, keep_matrix (reduced_body ()->evec)->x[0] = NAN; }
static void base_infinite (SCENE *s) { (void) s, keep_matrix (reduced_body ()->evec)->x[0] = HUGE_VAL; }
static void base_size (SCENE *s) { (void) s, keep_matrix (reduced_body ()->evec)->m --; }
static void base_kind (SCENE *s) { (void) s, memset (&keep_matrix (reduced_body ()->evec)->kind, MXCSC, 1); }

static void update_mesh (SCENE *s) { (void) s, LOCDYN_Update_Begin (mesh->host->dom.ldy); }
static void update_reduced (SCENE *s) { (void) s, LOCDYN_Update_Begin (reduced->host->dom.ldy); }

/* ---- finite-element operators */

static void fem_operator (const SNAPSHOT *snapshot, BODY *body, double *X, double *E, int blind)
{
  CON *con = constraint_on (snapshot, body);

  pointer = body;
  pointer = FEM_Gen_To_Loc_Operator (body, con->msgp->shp, blind ? NULL : con->msgp->gobj, X ? X : con->mpnt, E);
}

static void fem_velocity (BODY *body, double *X, double *E, int blind)
{
  CON *con = constraint_on (mesh, body);
  double before[3], now[3];

  FEM_Local_Velo (body, con->msgp->shp, blind ? NULL : con->msgp->gobj, X ? X : con->mpnt, E, before, now);
}

static void fem_operator_null (SCENE *s) { s->pointer = FEM_Gen_To_Loc_Operator (NULL, NULL, NULL, point, frame); }
static void fem_operator_blind (SCENE *s) { (void) s, fem_operator (mesh, factored_body (), NULL, frame, 1); }
static void fem_operator_frameless (SCENE *s) { (void) s, fem_operator (mesh, factored_body (), NULL, NULL, 0); }
static void fem_operator_nan (SCENE *s) { (void) s, fem_operator (mesh, factored_body (), no_number, frame, 0); }
static void fem_operator_infinite (SCENE *s) { (void) s, fem_operator (mesh, factored_body (), too_large, frame, 0); }
static void fem_operator_base (SCENE *s) { (void) s, fem_operator (reduced, reduced_body (), NULL, frame, 0); }

static void fem_operator_rigid (SCENE *s)
{
  s->pointer = FEM_Gen_To_Loc_Operator (s->body[1], NULL, NULL, point, frame);
}

static void fem_velocity_null (SCENE *s) { (void) s, FEM_Local_Velo (NULL, NULL, NULL, point, frame, NULL, NULL); }
static void fem_velocity_blind (SCENE *s) { (void) s, fem_velocity (factored_body (), NULL, frame, 1); }
static void fem_velocity_nan (SCENE *s) { (void) s, fem_velocity (factored_body (), no_number, frame, 0); }
static void fem_velocity_infinite (SCENE *s) { (void) s, fem_velocity (factored_body (), too_large, frame, 0); }

static void fem_velocity_rigid (SCENE *s)
{
  double now[3];

  FEM_Local_Velo (s->body[1], NULL, NULL, point, frame, NULL, now);
}

/* ---- operators of other bodies */

static void operator_at (SCENE *s, double *X) { s->pointer = BODY_Gen_To_Loc_Operator (s->body[1], CONTACT, NULL, X, frame); }
static void operator_nan (SCENE *s) { operator_at (s, no_number); }
static void operator_infinite (SCENE *s) { operator_at (s, too_large); }

static void velocity_at (SCENE *s, double *X)
{
  double now[3];

  BODY_Local_Velo (s->body[1], NULL, X, frame, NULL, now);
}

static void velocity_nan (SCENE *s) { velocity_at (s, no_number); }
static void velocity_infinite (SCENE *s) { velocity_at (s, too_large); }
static void velocity_of_nothing_known (SCENE *s) { velocity_at (s, point); }
static void unknown_body (SCENE *s) { memset (&s->body[1]->kind, 7, 1); }

/* ---- functions that answer with a code and never raise */

static void rigid_null (SCENE *s) { value = ldy_rigid_operator (s->body[1], point, frame, NULL); }
static void rigid_no_body (SCENE *s) { (void) s, value = ldy_rigid_operator (NULL, point, frame, H); }
static void rigid_no_point (SCENE *s) { value = ldy_rigid_operator (s->body[1], NULL, frame, H); }
static void rigid_no_frame (SCENE *s) { value = ldy_rigid_operator (s->body[1], point, NULL, H); }
static void rigid_kind (SCENE *s) { value = ldy_rigid_operator (s->body[3], point, frame, H); }
static void rigid_nan (SCENE *s) { value = ldy_rigid_operator (s->body[1], no_number, frame, H); }
static void rigid_infinite (SCENE *s) { value = ldy_rigid_operator (s->body[1], too_large, frame, H); }
static void pseudo_null (SCENE *s) { value = ldy_pseudo_rigid_operator (s->body[3], point, frame, NULL); }
static void pseudo_no_body (SCENE *s) { (void) s, value = ldy_pseudo_rigid_operator (NULL, point, frame, H); }
static void pseudo_no_frame (SCENE *s) { value = ldy_pseudo_rigid_operator (s->body[3], point, NULL, H); }
static void pseudo_kind (SCENE *s) { value = ldy_pseudo_rigid_operator (s->body[1], point, frame, H); }
static void pseudo_nan (SCENE *s) { value = ldy_pseudo_rigid_operator (s->body[3], no_number, frame, H); }
static void pseudo_infinite (SCENE *s) { value = ldy_pseudo_rigid_operator (s->body[3], too_large, frame, H); }

static LOCDYN strange; /* not made by the library */
static ldy_stats stats = { .size = sizeof stats };
static ldy_report report = { .size = sizeof report };

static void stats_null (SCENE *s) { (void) s, value = ldy_get_stats (NULL, &stats); }
static void stats_nowhere (SCENE *s) { value = ldy_get_stats (s->ldy, NULL); }
static void stats_strange (SCENE *s) { (void) s, value = ldy_get_stats (&strange, &stats); }
static void consistent_null (SCENE *s) { (void) s, value = ldy_is_consistent (NULL, &report) ? 1 : report.code; }
static void consistent_strange (SCENE *s) { (void) s, value = ldy_is_consistent (&strange, &report) ? 1 : report.code; }
static void consistent_nowhere (SCENE *s) { value = ldy_is_consistent (s->ldy, NULL); }

static void shadow_of (const LOCDYN *legacy)
{
  ldy_shadow *shadow = ldy_shadow_new (legacy);

  value = ldy_shadow_check (shadow, NULL, &report) ? 1 : report.code;
  ldy_shadow_free (shadow);
}

static void shadow_new_null (SCENE *s) { (void) s, value = ldy_shadow_new (NULL) ? 0 : LDY_ERROR_INVALID_ARGUMENT; }
static void shadow_null (SCENE *s) { (void) s, shadow_of (NULL); }
static void shadow_no_domain (SCENE *s) { (void) s, shadow_of (&strange); }
static void shadow_kind (SCENE *s) { s->con[0]->kind = 99, shadow_of (s->ldy); }
static void shadow_nan (SCENE *s) { s->body[1]->velo[2] = NAN, shadow_of (s->ldy); }
static void shadow_infinite (SCENE *s) { s->con[0]->mpnt[1] = HUGE_VAL, shadow_of (s->ldy); }
static void shadow_free_null (SCENE *s) { (void) s, ldy_shadow_free (NULL), value = 1; }

static void handler_null (SCENE *s) { (void) s, value = 1; } /* every other case ends with it */
static void option_unknown (SCENE *s) { (void) s, value = ldy_set_option (77, 0); }
static void option_value (SCENE *s) { (void) s, value = ldy_set_option (LDY_NO_LONGJMP, 2); }

/* ---- nothing in it */


static LOCDYN *bare (void)
{
  static DOM dom;

  dom.step = 0.5;
  return LOCDYN_Create (&dom);
}

static void empty_average (SCENE *s) { LOCDYN *ldy = bare (); (void) s, value = LOCDYN_avgWii (ldy), LOCDYN_Destroy (ldy); }
static void empty_least (SCENE *s) { LOCDYN *ldy = bare (); (void) s, value = LOCDYN_minWii (ldy), LOCDYN_Destroy (ldy); }

static void empty_most (SCENE *s)
{
  LOCDYN *ldy = bare ();

  (void) s;
  value = 1 + LOCDYN_maxWii (ldy);
  LOCDYN_Destroy (ldy);
}

static void empty_updates (SCENE *s)
{
  LOCDYN *ldy = bare ();

  (void) s;
  LOCDYN_Update_Begin (ldy);
  LOCDYN_Update_End (ldy);
  value = 1 + ldy->free_energy;
  LOCDYN_Destroy (ldy);
}

static void empty_files (SCENE *s)
{
  LOCDYN *ldy = bare ();

  (void) s;
  LOCDYN_Dump (ldy, "/dev/null");
  LOCDYN_W_MatrixMarket (ldy, "/dev/null");
  value = ldy_is_consistent (ldy, NULL);
  LOCDYN_Destroy (ldy);
}

static void empty_clone (SCENE *s)
{
  LOCDYN *ldy = bare (), *clone = LOCDYN_Clone_Non_Contacts (ldy);

  (void) s;
  value = clone && !clone->dia;
  LOCDYN_Destroy (ldy);
  LOCDYN_Destroy (clone);
}

static void empty_stats (SCENE *s)
{
  LOCDYN *ldy = bare ();

  (void) s;
  value = 1 + (double) (unsigned) ldy_get_stats (ldy, &stats) + (double) (stats.rows + stats.blocks);
  LOCDYN_Destroy (ldy);
}

static void empty_shadow (SCENE *s)
{
  LOCDYN *ldy = bare ();

  (void) s;
  shadow_of (ldy);
  LOCDYN_Destroy (ldy);
}

/* Neither body: a row without blocks. */

static void without_first_neighbour (SCENE *s) { host_remove (s->host, s->con[1]); }
static void with_first_neighbour (SCENE *s) { host_insert (s->host, s->con[1]); }

static void insert_alone_again (SCENE *s)
{
  s->con[1]->dia = LOCDYN_Insert (s->ldy, s->con[1], NULL, NULL);
  value = s->con[1]->dia && !s->con[1]->dia->adj;
  host_remove (s->host, s->con[1]);
}

static void insert_twice (SCENE *s) { s->pointer = LOCDYN_Insert (s->ldy, s->con[1], s->con[1]->master, s->con[1]->slave); }
static void destroy_strange (SCENE *s) { (void) s, LOCDYN_Destroy (&strange); }
static void update_strange (SCENE *s) { (void) s, LOCDYN_Update_Begin (&strange); }
static void end_strange (SCENE *s) { (void) s, LOCDYN_Update_End (&strange); }
static void insert_strange (SCENE *s) { s->pointer = LOCDYN_Insert (&strange, s->con[1], s->body[1], NULL); }
static void remove_strange (SCENE *s) { LOCDYN_Remove (&strange, s->con[1]->dia); }
static void dump_strange (SCENE *s) { (void) s, LOCDYN_Dump (&strange, "/dev/null"); }
static void matrix_strange (SCENE *s) { (void) s, LOCDYN_W_MatrixMarket (&strange, "/dev/null"); }
static void clone_strange (SCENE *s) { s->pointer = LOCDYN_Clone_Non_Contacts (&strange); }
static void average_strange (SCENE *s) { s->value = LOCDYN_avgWii (&strange); }
static void least_strange (SCENE *s) { s->value = LOCDYN_minWii (&strange); }
static void most_strange (SCENE *s) { s->value = LOCDYN_maxWii (&strange); }

static void empty_matrix (SCENE *s)
{
  MX *matrix = MX_Create (MXDENSE, 0, 0, NULL, NULL);

  (void) s;
  value = matrix && matrix->nzmax == 0;
  MX_Destroy (matrix);
}

static void destroy_no_matrix (SCENE *s) { (void) s, MX_Destroy (NULL), value = 1; }

/* A NaN is written as NaN. */
static void nan_reaction (SCENE *s) { s->con[1]->R[0] = NAN; }
static void number_again (SCENE *s) { s->con[1]->R[0] = 0; }
static void dump_it (SCENE *s) { LOCDYN_Dump (s->ldy, "/dev/null"), value = 1; }

/* ---- the table */

#define BUG LDY_ERROR_INVALID_ARGUMENT
#define KIND LDY_ERROR_INVALID_FORMAT

typedef struct {
  const char *entry;
  INPUT input;
  const char *known;  /* a row of error_cases.c, the first whose name begins so; NULL: the rest counts */
  int code;           /* raised; 0: nothing is */
  double value;       /* what `value` is afterwards, NaN included */
  void (*prepare) (SCENE *);
  void (*call) (SCENE *);
  void (*repair) (SCENE *);
  RESULT result;
} CELL;

#define KNOWN(entry, input, name) { entry, input, name, 0, 0, NULL, NULL, NULL, RESULT_NONE }
#define RAISES(entry, input, code, call, result) { entry, input, NULL, code, 0, NULL, call, NULL, result }
#define ANSWERS(entry, input, value, call) { entry, input, NULL, 0, value, NULL, call, NULL, RESULT_NONE }
#define DAMAGED(input, code, damage, update) \
  { "LOCDYN_Update_Begin", input, NULL, code, 0, damage, update, put_matrix_back, RESULT_NONE }

static const CELL cells[] = {
  KNOWN ("LOCDYN_Create", NONE, "Create without domain"),
  KNOWN ("LOCDYN_Insert", NONE, "Insert into nothing"),
  KNOWN ("LOCDYN_Insert", NONE, "Insert nothing"),
  KNOWN ("LOCDYN_Insert", WRONG_KIND, "insertion of an unknown kind"),
  { "LOCDYN_Insert", EMPTY, NULL, 0, 1, without_first_neighbour, insert_alone_again, with_first_neighbour, RESULT_NONE },
  RAISES ("LOCDYN_Insert", TWICE, BUG, insert_twice, RESULT_POINTER),
  KNOWN ("LOCDYN_Insert", TWICE, "neighbour with a removed row"),
  KNOWN ("LOCDYN_Insert", STRAY, "neighbour with a foreign row"),
  RAISES ("LOCDYN_Insert", STRAY, BUG, insert_strange, RESULT_POINTER),
  KNOWN ("LOCDYN_Remove", NONE, "Remove from nothing"),
  KNOWN ("LOCDYN_Remove", NONE, "Remove nothing"),
  KNOWN ("LOCDYN_Remove", TWICE, "row removed twice"),
  KNOWN ("LOCDYN_Remove", STRAY, "removal of a row of another LOCDYN"),
  KNOWN ("LOCDYN_Remove", STRAY, "removal of garbage"),
  RAISES ("LOCDYN_Remove", STRAY, BUG, remove_strange, RESULT_NONE),
  KNOWN ("LOCDYN_Update_Begin", NONE, "Update_Begin of nothing"),
  KNOWN ("LOCDYN_Update_Begin", NONE, "no inverse"),
  KNOWN ("LOCDYN_Update_Begin", NONE, "no configuration"),
  KNOWN ("LOCDYN_Update_Begin", WRONG_KIND, "unknown kind of body"),
  KNOWN ("LOCDYN_Update_Begin", WRONG_KIND, "unknown kind of constraint"),
  KNOWN ("LOCDYN_Update_Begin", WRONG_KIND, "inverse of an unknown kind"),
  DAMAGED (WRONG_KIND, KIND, matrix_kind, update_mesh),
  DAMAGED (WRONG_KIND, KIND, base_kind, update_reduced),
  KNOWN ("LOCDYN_Update_Begin", NOT_A_NUMBER, "NaN as velocity"),
  KNOWN ("LOCDYN_Update_Begin", NOT_A_NUMBER, "NaN as step"),
  DAMAGED (NOT_A_NUMBER, BUG, matrix_nan, update_mesh),
  DAMAGED (NOT_A_NUMBER, BUG, base_nan, update_reduced),
  KNOWN ("LOCDYN_Update_Begin", INFINITE, "infinite velocity"),
  KNOWN ("LOCDYN_Update_Begin", INFINITE, "infinite step"),
  KNOWN ("LOCDYN_Update_Begin", INFINITE, "infinite slave's point"),
  DAMAGED (INFINITE, BUG, matrix_infinite, update_mesh),
  DAMAGED (INFINITE, BUG, base_infinite, update_reduced),
  ANSWERS ("LOCDYN_Update_Begin", EMPTY, 1, empty_updates),
  KNOWN ("LOCDYN_Update_Begin", EMPTY, "no blocks"),
  DAMAGED (EMPTY, KIND, matrix_empty, update_mesh),
  DAMAGED (ZERO_MASS, LDY_ERROR_NOT_POSITIVE_DEFINITE, matrix_zero, update_mesh),
  DAMAGED (ZERO_MASS, LDY_ERROR_SINGULAR, matrix_zero_general, update_mesh),
  KNOWN ("LOCDYN_Update_Begin", SINGULAR, "singular W"),
  DAMAGED (SINGULAR, LDY_ERROR_NOT_POSITIVE_DEFINITE, matrix_indefinite, update_mesh),
  KNOWN ("LOCDYN_Update_Begin", WRONG_SIZE, "blocks with another number of rows"),
  KNOWN ("LOCDYN_Update_Begin", WRONG_SIZE, "dense inverse with another number of rows"),
  KNOWN ("LOCDYN_Update_Begin", WRONG_SIZE, "sparse inverse with another number of columns"),
  DAMAGED (WRONG_SIZE, KIND, matrix_size, update_mesh),
  DAMAGED (WRONG_SIZE, KIND, base_size, update_reduced),
  KNOWN ("LOCDYN_Update_Begin", TWICE, "constraint with a removed row"),
  KNOWN ("LOCDYN_Update_Begin", STRAY, "constraint with a foreign row"),
  RAISES ("LOCDYN_Update_Begin", STRAY, BUG, update_strange, RESULT_NONE),
  KNOWN ("LOCDYN_Update_End", NONE, "Update_End of nothing"),
  KNOWN ("LOCDYN_Update_End", NONE, "no material, end"),
  KNOWN ("LOCDYN_Update_End", NOT_A_NUMBER, "NaN as a cohesive reaction"),
  KNOWN ("LOCDYN_Update_End", INFINITE, "infinite cohesive reaction"),
  ANSWERS ("LOCDYN_Update_End", EMPTY, 1, empty_updates),
  RAISES ("LOCDYN_Update_End", STRAY, BUG, end_strange, RESULT_NONE),
  KNOWN ("LOCDYN_Dump", NONE, "Dump of nothing"),
  KNOWN ("LOCDYN_Dump", NONE, "Dump to no path"),
  KNOWN ("LOCDYN_Dump", WRONG_KIND, "Dump of an unknown constraint"),
  { "LOCDYN_Dump", NOT_A_NUMBER, NULL, 0, 1, nan_reaction, dump_it, number_again, RESULT_NONE },
  ANSWERS ("LOCDYN_Dump", EMPTY, 1, empty_files),
  RAISES ("LOCDYN_Dump", STRAY, BUG, dump_strange, RESULT_NONE),
  KNOWN ("LOCDYN_W_MatrixMarket", NONE, "W_MatrixMarket of nothing"),
  KNOWN ("LOCDYN_W_MatrixMarket", NONE, "W_MatrixMarket to no path"),
  ANSWERS ("LOCDYN_W_MatrixMarket", EMPTY, 1, empty_files),
  RAISES ("LOCDYN_W_MatrixMarket", STRAY, BUG, matrix_strange, RESULT_NONE),
  KNOWN ("LOCDYN_Clone_Non_Contacts", NONE, "Clone of nothing"),
  KNOWN ("LOCDYN_Clone_Non_Contacts", WRONG_KIND, "Clone with an unknown constraint"),
  ANSWERS ("LOCDYN_Clone_Non_Contacts", EMPTY, 1, empty_clone),
  RAISES ("LOCDYN_Clone_Non_Contacts", STRAY, BUG, clone_strange, RESULT_POINTER),
  KNOWN ("LOCDYN_avgWii", NONE, "avgWii of nothing"),
  ANSWERS ("LOCDYN_avgWii", EMPTY, NAN, empty_average),
  RAISES ("LOCDYN_avgWii", STRAY, BUG, average_strange, RESULT_VALUE),
  KNOWN ("LOCDYN_minWii", NONE, "minWii of nothing"),
  ANSWERS ("LOCDYN_minWii", EMPTY, DBL_MAX, empty_least),
  RAISES ("LOCDYN_minWii", STRAY, BUG, least_strange, RESULT_VALUE),
  KNOWN ("LOCDYN_maxWii", NONE, "maxWii of nothing"),
  ANSWERS ("LOCDYN_maxWii", EMPTY, 1, empty_most),
  RAISES ("LOCDYN_maxWii", STRAY, BUG, most_strange, RESULT_VALUE),
  KNOWN ("LOCDYN_Destroy", NONE, "Destroy of nothing"),
  RAISES ("LOCDYN_Destroy", STRAY, BUG, destroy_strange, RESULT_NONE),
  KNOWN ("MX_Create", NONE, "blocks without structure"),
  KNOWN ("MX_Create", NONE, "columns with half of their structure"),
  KNOWN ("MX_Create", WRONG_KIND, "matrix of an unknown kind"),
  ANSWERS ("MX_Create", EMPTY, 1, empty_matrix),
  KNOWN ("MX_Create", WRONG_SIZE, "matrix of a negative size"),
  KNOWN ("MX_Create", WRONG_SIZE, "blocks in disorder"),
  ANSWERS ("MX_Destroy", NONE, 1, destroy_no_matrix),
  KNOWN ("BODY_Gen_To_Loc_Operator", NONE, "operator of nothing"),
  KNOWN ("BODY_Gen_To_Loc_Operator", NONE, "operator without point"),
  KNOWN ("BODY_Gen_To_Loc_Operator", NONE, "operator without frame"),
  KNOWN ("BODY_Gen_To_Loc_Operator", WRONG_KIND, "operator of an unknown body"),
  KNOWN ("BODY_Gen_To_Loc_Operator", WRONG_KIND, "operator of an unknown constraint"),
  RAISES ("BODY_Gen_To_Loc_Operator", NOT_A_NUMBER, BUG, operator_nan, RESULT_POINTER),
  RAISES ("BODY_Gen_To_Loc_Operator", INFINITE, BUG, operator_infinite, RESULT_POINTER),
  KNOWN ("BODY_Local_Velo", NONE, "velocity of nothing"),
  KNOWN ("BODY_Local_Velo", NONE, "velocity without point"),
  { "BODY_Local_Velo", WRONG_KIND, NULL, BUG, 0, unknown_body, velocity_of_nothing_known, NULL, RESULT_NONE },
  RAISES ("BODY_Local_Velo", NOT_A_NUMBER, BUG, velocity_nan, RESULT_NONE),
  RAISES ("BODY_Local_Velo", INFINITE, BUG, velocity_infinite, RESULT_NONE),
  RAISES ("FEM_Gen_To_Loc_Operator", NONE, BUG, fem_operator_null, RESULT_POINTER),
  RAISES ("FEM_Gen_To_Loc_Operator", NONE, BUG, fem_operator_blind, RESULT_NONE),
  RAISES ("FEM_Gen_To_Loc_Operator", NONE, BUG, fem_operator_frameless, RESULT_NONE),
  RAISES ("FEM_Gen_To_Loc_Operator", WRONG_KIND, BUG, fem_operator_rigid, RESULT_POINTER),
  RAISES ("FEM_Gen_To_Loc_Operator", NOT_A_NUMBER, LDY_ERROR_POINT_NOT_IN_ELEMENT, fem_operator_nan, RESULT_NONE),
  RAISES ("FEM_Gen_To_Loc_Operator", INFINITE, LDY_ERROR_POINT_NOT_IN_ELEMENT, fem_operator_infinite, RESULT_NONE),
  { "FEM_Gen_To_Loc_Operator", WRONG_SIZE, NULL, KIND, 0, base_size, fem_operator_base, put_matrix_back, RESULT_NONE },
  RAISES ("FEM_Local_Velo", NONE, BUG, fem_velocity_null, RESULT_NONE),
  RAISES ("FEM_Local_Velo", NONE, BUG, fem_velocity_blind, RESULT_NONE),
  RAISES ("FEM_Local_Velo", WRONG_KIND, BUG, fem_velocity_rigid, RESULT_NONE),
  RAISES ("FEM_Local_Velo", NOT_A_NUMBER, LDY_ERROR_POINT_NOT_IN_ELEMENT, fem_velocity_nan, RESULT_NONE),
  RAISES ("FEM_Local_Velo", INFINITE, LDY_ERROR_POINT_NOT_IN_ELEMENT, fem_velocity_infinite, RESULT_NONE),
  ANSWERS ("ldy_set_error_handler", NONE, 1, handler_null),
  ANSWERS ("ldy_set_option", WRONG_KIND, BUG, option_unknown),
  ANSWERS ("ldy_set_option", WRONG_SIZE, BUG, option_value),
  ANSWERS ("ldy_get_stats", NONE, BUG, stats_null),
  ANSWERS ("ldy_get_stats", NONE, BUG, stats_nowhere),
  ANSWERS ("ldy_get_stats", EMPTY, 1, empty_stats),
  ANSWERS ("ldy_get_stats", STRAY, BUG, stats_strange),
  ANSWERS ("ldy_is_consistent", NONE, BUG, consistent_null),
  ANSWERS ("ldy_is_consistent", NONE, 1, consistent_nowhere),
  ANSWERS ("ldy_is_consistent", EMPTY, 1, empty_files),
  ANSWERS ("ldy_is_consistent", STRAY, BUG, consistent_strange),
  ANSWERS ("ldy_shadow_new", NONE, BUG, shadow_new_null),
  ANSWERS ("ldy_shadow_check", NONE, BUG, shadow_null),
  ANSWERS ("ldy_shadow_check", NONE, BUG, shadow_no_domain),
  ANSWERS ("ldy_shadow_check", WRONG_KIND, BUG, shadow_kind),
  ANSWERS ("ldy_shadow_check", NOT_A_NUMBER, BUG, shadow_nan),
  ANSWERS ("ldy_shadow_check", INFINITE, BUG, shadow_infinite),
  ANSWERS ("ldy_shadow_check", EMPTY, 1, empty_shadow),
  ANSWERS ("ldy_shadow_free", NONE, 1, shadow_free_null),
  ANSWERS ("ldy_rigid_operator", NONE, BUG, rigid_null),
  ANSWERS ("ldy_rigid_operator", NONE, BUG, rigid_no_body),
  ANSWERS ("ldy_rigid_operator", NONE, BUG, rigid_no_point),
  ANSWERS ("ldy_rigid_operator", NONE, BUG, rigid_no_frame),
  ANSWERS ("ldy_rigid_operator", WRONG_KIND, BUG, rigid_kind),
  ANSWERS ("ldy_rigid_operator", NOT_A_NUMBER, BUG, rigid_nan),
  ANSWERS ("ldy_rigid_operator", INFINITE, BUG, rigid_infinite),
  ANSWERS ("ldy_pseudo_rigid_operator", NONE, BUG, pseudo_null),
  ANSWERS ("ldy_pseudo_rigid_operator", NONE, BUG, pseudo_no_body),
  ANSWERS ("ldy_pseudo_rigid_operator", NONE, BUG, pseudo_no_frame),
  ANSWERS ("ldy_pseudo_rigid_operator", WRONG_KIND, BUG, pseudo_kind),
  ANSWERS ("ldy_pseudo_rigid_operator", NOT_A_NUMBER, BUG, pseudo_nan),
  ANSWERS ("ldy_pseudo_rigid_operator", INFINITE, BUG, pseudo_infinite),
};

#define CELLS ((int) (sizeof cells / sizeof *cells))

/* ---- */

static const ERROR_CASE *known_case (const char *name)
{
  int i = 0;

  while (i < error_case_count && strncmp (error_cases[i].name, name, strlen (name))) i ++;
  return i < error_case_count ? &error_cases[i] : NULL;
}

/* The case of a cell. */
static ERROR_CASE case_of (const CELL *cell)
{
  ERROR_CASE test = { cell->entry, cell->code, { NULL }, cell->prepare, cell->call, cell->repair, cell->result };
  const ERROR_CASE *known = cell->known ? known_case (cell->known) : NULL;

  if (known) test = *known;
  else CHECK (!cell->known); /* the row is there */
  return test;
}

static void check_value (double got, double want)
{
  if (isnan (want)) CHECK (isnan (got));
  else CHECK_NEAR (got, want, 0);
}

/* Everything that was damaged is restored. */
static void check_meshes (void)
{
  update_mesh (NULL);
  update_reduced (NULL);
  CHECK_INT (watched.calls, 0);
  CHECK (ldy_is_consistent (mesh->host->dom.ldy, NULL));
  CHECK (ldy_is_consistent (reduced->host->dom.ldy, NULL));
}

static void run_case (const CELL *cell, const ERROR_CASE *test)
{
  SCENE *s = error_scene ();

  value = 0;
  pointer = NULL;
  if (test->prepare) test->prepare (s);
  STRUCTURE before = structure_of (s->ldy);
  watch_errors ();
  test->call (s);
  watch_no_errors ();
  CHECK_INT (watched.calls, test->code != 0);
  CHECK_INT (watched.code, test->code);
  CHECK_INT (*watched.text != '\0', test->code != 0);
  CHECK_POINTER (pointer, NULL);
  if (test->result == RESULT_POINTER) CHECK_POINTER (s->pointer, NULL);
  if (test->result == RESULT_VALUE) CHECK (isnan (s->value));
  if (!cell->known) check_value (value, cell->value);
  error_scene_check_usable (s, test, &before);
  structure_free (&before);
  error_scene_free (s);
  watch_errors ();
  check_meshes ();
  watch_no_errors ();
}

static void run_cell (const CELL *cell)
{
  ERROR_CASE test = case_of (cell);

  check_context ("%s, %s%s%s", cell->entry, input_names[cell->input], cell->known ? ": " : "", cell->known ? cell->known : "");
  if (test.call) run_case (cell, &test);
}

/* ---- the table on paper */

static void write_answer (const CELL *cell, char *text, size_t size)
{
  int code = case_of (cell).code;

  if (code) snprintf (text, size, "%d", code);
  else if (cell->value > 1 && cell->value < 100) snprintf (text, size, "%.0f", cell->value);
  else snprintf (text, size, "%s", isnan (cell->value) ? "NaN" : cell->value > 1 ? "DBL_MAX" : "fine");
}

static int print_cells (const char *entry, int input)
{
  char all[128] = "", text[16];
  int count = 0;

  for (int i = 0; i < CELLS; i ++) {
    if (strcmp (cells[i].entry, entry) || (int) cells[i].input != input) continue;
    write_answer (&cells[i], text, sizeof text);
    if (count && !strstr (all, text)) strcat (all, " / ");
    if (!strstr (all, text)) strcat (all, text);
    count ++;
  }
  printf (count > 1 ? "%s (%d)" : "%s", all, count);
  return count;
}

static void print_line (const char *entry)
{
  int count = 0;

  printf ("| `%s` |", entry);
  for (int input = 0; input < INPUTS; input ++) {
    putchar (' ');
    count += print_cells (entry, input);
    printf (" |");
  }
  printf (" %d |\n", count);
}

static void print_table (void)
{
  int entries = 0;

  printf ("| entry point |");
  for (int i = 0; i < INPUTS; i ++) printf (" %s |", input_names[i]);
  printf (" cases |\n|---|");
  for (int i = 0; i <= INPUTS; i ++) printf ("---|");
  putchar ('\n');
  for (int i = 0; i < CELLS; i ++) {
    if (i && !strcmp (cells[i].entry, cells[i - 1].entry)) continue;
    print_line (cells[i].entry);
    entries ++;
  }
  printf ("\n%d entry points, %d cases; %d rows of error_cases.c\n", entries, CELLS, error_case_count);
}

/* ---- */

static SNAPSHOT *inserted (const char *directory, const char *name)
{
  char path[1024], error[256];

  snprintf (path, sizeof path, "%s/%s.ldysnap", directory, name);
  SNAPSHOT *snapshot = snapshot_read (path, error, sizeof error);
  if (!snapshot) {
    fprintf (stderr, "bad_input: %s\n", error);
    exit (2);
  }
  snapshot->host->dom.ldy = LOCDYN_Create (&snapshot->host->dom);
  CHECK (snapshot_insert (snapshot));
  return snapshot;
}

static void release (SNAPSHOT *snapshot)
{
  LOCDYN_Destroy (snapshot->host->dom.ldy);
  snapshot_free (snapshot);
}

int main (int argc, char **argv)
{
  if (argc == 2 && !strcmp (argv[1], "--table")) {
    print_table ();
    return 0;
  }
  if (argc != 2) {
    fprintf (stderr, "usage: bad_input --table | DIRECTORY\n");
    return 2;
  }
  mesh = inserted (argv[1], "fem-BC_lim-2");
  reduced = inserted (argv[1], "reduced-2");
  for (int i = 0; i < CELLS; i ++) run_cell (&cells[i]);
  release (mesh);
  release (reduced);
  return check_summary ("bad_input");
}
