/* faults: what can be wrong between processes. Bodies are parents on the last rank, which has all constraints as external
 * ones; rank 0 owns them. Each fault is made, an update or dump is tried with a handler that returns, and each rank compares
 * the error it gets; then the fault is mended, and the update gives V and B as before it. All of it once more with a
 * communicator that has the ranks in reverse order.
 *
 * faults CASE: that fault alone, without a handler: the library has to end all processes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "part.h"
#include "summary.h"
#include "support/check.h"
#include "support/error_observer.h"
#include "support/output_capture.h"
#include "support/scene.h"

#define UNKNOWN 4711

static int rank, ranks; /* in the communicator of the library */

static struct {
  HOST *whole;
  PART *part;
  LOCDYN *ldy;
  BODY *body; /* the master of the first constraint, here */
  CON *con;   /* the first constraint, here */
  unsigned int id;
} scene;

static int last (void)
{
  return rank == ranks - 1;
}

/* ---- faults: made, and mended */

static void set_flags (BODY *body, int flags)
{
  memcpy (&body->flags, &flags, sizeof body->flags);
}

static void unknown (int mend)
{
  if (last ()) scene.con->id = mend ? scene.id : UNKNOWN;
}

static void no_rank (int mend)
{
  if (last ()) scene.con->rank = mend ? 0 : ranks;
}

static void own_rank (int mend)
{
  if (last ()) scene.con->rank = mend ? 0 : rank;
}

/* On rank 0 the body is a child. */
static void parent_twice (int mend)
{
  if (rank) return;
  set_flags (scene.body, mend ? BODY_CHILD : BODY_PARENT);
  scene.body->velo = mend ? NULL : scene.whole->dom.bod->next->velo;
}

static void neither (int mend)
{
  if (rank == 0) set_flags (scene.body, mend ? BODY_CHILD : 0);
}

static void no_step (int mend)
{
  if (rank == 0) scene.part->host->dom.step = mend ? scene.whole->dom.step : NAN;
}

static void no_row (int mend)
{
  static DIAB *row;

  if (rank) return;
  if (!mend) row = scene.con->dia;
  scene.con->dia = mend ? row : NULL;
}

static void no_ldy (int mend)
{
  scene.ldy = !mend && last () ? NULL : scene.part->host->dom.ldy;
}

static void no_inverse (int mend)
{
  static MX *inverse;

  if (rank) return;
  if (!mend) inverse = scene.body->inverse;
  scene.body->inverse = mend ? inverse : NULL;
}

/* The velocities of both bodies are finite, and so are their shares: the sum is not. */
static void too_fast (int mend)
{
  static double saved[2][12];
  int i, k;

  for (i = 0; last () && i < 2; i ++) {
    double *velo = (i ? scene.con->slave : scene.con->master)->velo;

    if (mend) {
      memcpy (velo, saved[i], sizeof saved[i]);
      continue;
    }
    memcpy (saved[i], velo, sizeof saved[i]);
    for (k = 0; k < 12; k ++) velo[k] = k % 6 < 3 ? 0 : (i ? -1.2e308 : 1.2e308) * scene.con->base[6 + k % 3];
  }
}

static void update (void)
{
  LOCDYN_Update_Begin (scene.ldy);
}

static void dump_nowhere (void)
{
  LOCDYN_Dump (scene.ldy, last () ? "/nowhere/at/all" : "dump-of-faults.txt");
}

static void dump_without_path (void)
{
  LOCDYN_Dump (scene.ldy, last () ? NULL : "dump-of-faults.txt");
}

static void dump (void)
{
  LOCDYN_Dump (scene.ldy, "dump-of-faults.txt");
}

static void matrix_market (void)
{
  LOCDYN_W_MatrixMarket (scene.ldy, "matrix-of-faults.txt");
}

static void nothing (int mend)
{
  (void) mend;
}

typedef struct {
  const char *name;
  void (*fault) (int mend);
  void (*call) (void);
  int codes[3];         /* of rank 0, of ranks between, of the last */
  const char *words[2]; /* of rank 0 and the last */
} CASE;

static const CASE cases[] = {
  { "unknown", unknown, update, { 52, 0, 0 }, { "constraint 4711, which is external on rank ", "" } },
  { "no_rank", no_rank, update, { 52, 52, 52 }, { "failed before: constraint 1 ", "is none of" } },
  { "own_rank", own_rank, update, { 52, 52, 52 }, { "its owner", "its owner" } },
  { "parent_twice", parent_twice, update, { 52, 0, 0 }, { "a parent twice", "" } },
  { "neither", neither, update, { 52, 52, 52 }, { "neither parent nor child", "rank 0 failed before: constraint 1 " } },
  { "no_step", no_step, update, { 52, 52, 52 }, { "time step", "rank 0 failed before" } },
  { "no_row", no_row, update, { 52, 52, 52 }, { "no row", "rank 0 failed before" } },
  { "no_ldy", no_ldy, update, { 52, 52, 52 }, { "failed before", "ldy is NULL" } },
  { "no_inverse", no_inverse, update, { 20, 0, 0 }, { "inverse: missing", "" } },
  { "too_fast", too_fast, update, { 52, 0, 0 }, { "V or B overflows, though", "" } },
  { "dump_nowhere", nothing, dump_nowhere, { 2, 2, 2 }, { "failed before: cannot be opened", "cannot be opened" } },
  { "dump_without_path", nothing, dump_without_path, { 52, 52, 52 }, { "failed before: path is NULL", "path is NULL" } },
  { "dump_without_ldy", no_ldy, dump, { 52, 52, 52 }, { "failed before: ldy is NULL", "ldy is NULL" } },
  { "matrix_market", nothing, matrix_market, { 8, 8, 8 }, { "not in the MPI build", "not in the MPI build" } },
};

/* ---- the scene */

static void make_scene (void)
{
  PARTITION *partition;
  CON *con;
  int i;

  scene.whole = scene_mixed (3);
  partition = partition_create (scene.whole, ranks, PARTITION_ONE_OWNER);
  for (i = 0; i < partition->bodies; i ++) partition->parent[i] = ranks - 1;
  for (i = 0; i < partition->constraints; i ++) partition->owner[i] = 0;
  scene.part = part_create (scene.whole, partition, rank);
  partition_free (partition);
  scene.ldy = scene.part->host->dom.ldy = LOCDYN_Create (&scene.part->host->dom);
  for (con = scene.part->host->dom.con; con; con = con->next) host_insert (scene.part->host, con);
  scene.con = scene.part->con[0];
  scene.id = scene.whole->dom.con->id;
  scene.body = scene.part->body[1];
}

static void free_scene (void)
{
  LOCDYN_Destroy (scene.part->host->dom.ldy);
  part_free (scene.part);
  host_destroy (scene.whole);
}

/* ---- with a handler */

static int try (void (*call) (void))
{
  forget_errors ();
  call ();
  return watched.code;
}

/* V and B of the rows here. */
static void velocities (double *values)
{
  const DIAB *dia;

  for (dia = scene.part->host->dom.ldy->dia; dia; dia = dia->n) {
    memcpy (values, dia->V, 3 * sizeof *values);
    memcpy (values + 3, dia->B, 3 * sizeof *values);
    values += 6;
  }
}

static void handled (const CASE *c)
{
  double before[512] = { 0 }, after[512] = { 0 };
  int which = rank == 0 ? 0 : last () ? 2 : 1;

  check_context ("rank %d of %d, %s", rank, ranks, c->name);
  CHECK_INT (try (update), 0);
  velocities (before);
  c->fault (0);
  CHECK_INT (try (c->call), c->codes[which]);
  if (which != 1) CHECK_TEXT (watched.text, c->words[which / 2]);
  c->fault (1);
  CHECK_INT (try (update), 0);
  velocities (after);
  CHECK_SAME_BITS (before, after, sizeof before);
  CHECK (ldy_is_consistent (scene.part->host->dom.ldy, NULL));
}

/* What an update says on all ranks, it says once. */
static void prints (void)
{
  CAPTURE capture;
  char text[256];

  check_context ("rank %d of %d, text", rank, ranks);
  scene.part->host->dom.verbose = 1;
  capture = capture_begin (STDOUT_FILENO);
  LOCDYN_Update_Begin (scene.ldy);
  capture_end (&capture, text, sizeof text);
  scene.part->host->dom.verbose = 0;
  CHECK (strcmp (text, rank ? "" : "LOCDYN ... ") == 0);
}

static void handled_all (void)
{
  size_t i;

  make_scene ();
  for (i = 0; i < sizeof cases / sizeof *cases; i ++) handled (&cases[i]);
  prints ();
  free_scene ();
}

static void reverse_ranks (void)
{
  MPI_Comm reversed;

  CHECK_INT (ldy_set_communicator (MPI_Comm_c2f (MPI_COMM_NULL)), 52);
  MPI_Comm_split (MPI_COMM_WORLD, 0, -rank, &reversed);
  CHECK_INT (ldy_set_communicator (MPI_Comm_c2f (reversed)), 0);
  MPI_Comm_rank (reversed, &rank);
  MPI_Comm_free (&reversed);
}

static int all_handled (void)
{
  char part[64];
  int i, code;

  watch_errors ();
  handled_all ();
  reverse_ranks ();
  handled_all ();
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  code = summary_of_ranks ("faults");
  for (i = 0; rank == 0 && i < ranks; i ++) {
    snprintf (part, sizeof part, "dump-of-faults.txt.%d", i);
    remove (part); /* left by a dump that failed */
  }
  return code;
}

/* ---- without: does not come back */

static int fatal (const char *name)
{
  size_t i;

  make_scene ();
  for (i = 0; i < sizeof cases / sizeof *cases; i ++) {
    if (strcmp (cases[i].name, name)) continue;
    cases[i].fault (0);
    cases[i].call ();
  }
  MPI_Barrier (MPI_COMM_WORLD);
  return 0; /* which is wrong */
}

int main (int argc, char **argv)
{
  int code;

  CHECK_INT (ldy_set_communicator (0), 52); /* too early */
  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &ranks);
  code = argc > 1 ? fatal (argv[1]) : all_handled ();
  MPI_Finalize ();
  return code;
}
