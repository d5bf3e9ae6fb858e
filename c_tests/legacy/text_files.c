#define _POSIX_C_SOURCE 200809L

/* text_files SCRATCH TIES FILE.ldysnap ...: LOCDYN_Dump and LOCDYN_W_MatrixMarket, against a model of their own, byte by byte,
 * and against what the original program wrote: FILE.dump and FILE.mtx. SCRATCH is a file to write to, TIES the number of
 * scenes with ties. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"
#include "support/error_observer.h"
#include "support/host/hooks.h"
#include "support/recorded_text.h"
#include "support/scene.h"
#include "support/snapshot.h"
#include "support/text_model.h"

static const char *scratch;

static char *written (LOCDYN *ldy, void (*write) (LOCDYN *, const char *), size_t *size)
{
  write (ldy, scratch);
  char *text = text_read (scratch, size);
  CHECK (text != NULL);
  remove (scratch);
  return text;
}

/* ---- the model */

static void expect_model (LOCDYN *ldy, void (*write) (LOCDYN *, const char *), void (*model) (const LOCDYN *, FILE *))
{
  size_t size, want_size;
  char *text = written (ldy, write, &size), *want;
  FILE *file = fopen (scratch, "wb");

  if (!CHECK (file != NULL)) return;
  model (ldy, file);
  fclose (file);
  want = text_read (scratch, &want_size);
  CHECK_INT (size, want_size);
  CHECK (want && text && !strcmp (want, text));
  remove (scratch);
  free (want);
  free (text);
}

static void expect_models (LOCDYN *ldy)
{
  int number = 1;

  expect_model (ldy, LOCDYN_Dump, text_model_dump);
  for (const DIAB *dia = ldy->dia; dia; dia = dia->n) dia->con->num = -7;
  expect_model (ldy, LOCDYN_W_MatrixMarket, text_model_matrix_market);
  for (const DIAB *dia = ldy->dia; dia; dia = dia->n, number += 3) CHECK_INT (dia->con->num, number);
}

static void test_nothing (void)
{
  HOST *host = host_create ();

  check_context ("no rows");
  host->dom.ldy = LOCDYN_Create (&host->dom);
  expect_models (host->dom.ldy);
  scene_destroy (host);
}

static void test_mixed (void)
{
  HOST *host = scene_mixed (11);
  RANDOM random = { 12 };

  check_context ("mixed scene");
  scene_insert_all (host);
  expect_models (host->dom.ldy); /* all zero */
  LOCDYN_Update_Begin (host->dom.ldy);
  for (CON *con = host->dom.con; con; con = con->next) {
    for (int i = 0; i < 3; i ++) {
      con->R[i] = 1e9 * random_value (&random);
      con->U[i] = 1e-9 * random_value (&random);
    }
  }
  expect_models (host->dom.ldy);
  scene_destroy (host);
}

/* Numbers as a host may have left them. */
static void test_odd_numbers (void)
{
  static const double odd[] = { 0, -0.0, HUGE_VAL, -HUGE_VAL, NAN, DBL_MAX, DBL_MIN, -DBL_MIN / 4096, 100000.5, 999999.5,
                                -9.9999949e-05, 0.00012345678 };
  HOST *host = scene_mixed (13);
  int count = 0;

  check_context ("odd numbers");
  scene_insert_all (host);
  for (DIAB *dia = host->dom.ldy->dia; dia; dia = dia->n) {
    for (int i = 0; i < 9; i ++) dia->W[i] = odd[count ++ % 12];
    for (int i = 0; i < 3; i ++) dia->B[i] = dia->U[i] = odd[count ++ % 12];
    for (OFFB *block = dia->adj; block; block = block->n) {
      for (int i = 0; i < 9; i ++) block->W[i] = odd[count ++ % 12];
    }
  }
  host->dom.bod->id = 0xfffffff0; /* negative as an int */
  expect_models (host->dom.ldy);
  scene_destroy (host);
}

/* Few points, frames and bodies, so that all keys have ties, on their own and together. */
static void test_ties (uint64_t seed)
{
  static const int kinds[] = { CONTACT, CONTACT, CONTACT, RIGLNK, SPRING, FIXPNT };
  HOST *host = host_create ();
  RANDOM random = { seed };
  BODY *body[3];
  double base[2][9];
  CON *con;
  int kind;

  check_context ("ties, seed %d", (int) seed);
  for (int i = 0; i < 3; i ++) body[i] = scene_body (host, &random, PRB, INVERSE_DENSE);
  for (int i = 0; i < 2; i ++) random_rotation (&random, base[i]);
  for (int i = 0; i < 60; i ++) {
    kind = kinds[random_below (&random, 6)];
    con = scene_constraint (host, &random, kind, body[random_below (&random, 3)], body[random_below (&random, 3)]);
    if (kind == FIXPNT && con->slave) {
      if (con->slave != con->master) host_leave (con->slave, con);
      con->slave = NULL;
    }
    con->point[0] = 0.5 * random_below (&random, 2);
    con->point[1] = random_below (&random, 2) ? 0 : -0.0;
    con->point[2] = random_below (&random, 2) ? 1 : 1 + DBL_EPSILON;
    memcpy (con->base, base[random_below (&random, 2)], sizeof con->base);
    if (random_below (&random, 3) == 0) con->base[6 + random_below (&random, 3)] = 0.5;
  }
  scene_insert_all (host);
  LOCDYN_Update_Begin (host->dom.ldy);
  expect_models (host->dom.ldy);
  scene_destroy (host);
}

/* ---- the original's files */

static char *recorded_file (const char *snapshot, const char *suffix)
{
  char *path = calloc (strlen (snapshot) + strlen (suffix) + 1, 1), *text;
  size_t size;

  if (!path) abort ();
  strcpy (path, snapshot);
  strcpy (strrchr (path, '.'), suffix);
  check_context ("%s", path);
  text = text_read (path, &size);
  CHECK (text != NULL);
  free (path);
  return text;
}

static void compare (LOCDYN *ldy, const char *snapshot, const char *suffix, void (*write) (LOCDYN *, const char *),
                     void (*compare) (const LOCDYN *, const char *, const char *, TEXT_DEVIATION *))
{
  TEXT_DEVIATION deviation = { 0, 0, 0 };
  char *recorded = recorded_file (snapshot, suffix), *text;
  size_t size;

  text = written (ldy, write, &size);
  if (recorded && text) compare (ldy, recorded, text, &deviation);
  CHECK (deviation.numbers > 0);
  printf ("%s %s: %ld numbers, %ld not the same, largest error %.1e\n", snapshot, suffix, deviation.numbers, deviation.different,
          deviation.error);
  free (recorded);
  free (text);
}

static void test_recorded (const char *path)
{
  char error[256];

  check_context ("%s", path);
  SNAPSHOT *snapshot = snapshot_read (path, error, sizeof error);
  if (!CHECK (snapshot != NULL)) return;
  GEOMETRIC_EPSILON = snapshot->geometric_epsilon;
  DOM *dom = &snapshot->host->dom;
  dom->ldy = LOCDYN_Create (dom);
  CHECK (snapshot_insert (snapshot));
  LOCDYN_Update_Begin (dom->ldy);
  expect_models (dom->ldy);
  compare (dom->ldy, path, ".dump", LOCDYN_Dump, recorded_dump_compare);
  compare (dom->ldy, path, ".mtx", LOCDYN_W_MatrixMarket, recorded_matrix_compare);
  LOCDYN_Destroy (dom->ldy);
  snapshot_free (snapshot);
}

/* ---- files */

/* A file that was longer than what is written now. */
static void test_overwriting (void)
{
  HOST *host = scene_mixed (14);
  FILE *file = fopen (scratch, "wb");

  check_context ("overwriting");
  if (CHECK (file != NULL)) {
    for (long i = 0; i < 1000000; i ++) fputc ('x', file);
    fclose (file);
  }
  scene_insert_all (host);
  expect_model (host->dom.ldy, LOCDYN_Dump, text_model_dump);
  scene_destroy (host);
}

static int open_files (void)
{
  int count = 0;

  for (int i = 0; i < 256; i ++) {
    int copy = dup (i);

    if (copy < 0) continue;
    close (copy);
    count ++;
  }
  return count;
}

/* After any error no file stays open, and constraints get numbers only if the file could be opened. */
static void test_errors (void)
{
  static const struct { const char *path; int code; const char *reason; int numbered; } cases[] = {
    { NULL, LDY_ERROR_INVALID_ARGUMENT, "path is NULL", 0 },
    { "/no/such/directory/file", LDY_ERROR_FILE_OPEN, "(No such file or directory): /no/such/directory/file", 0 },
    { "/", LDY_ERROR_FILE_OPEN, "(Is a directory): /", 0 },
    { "", LDY_ERROR_FILE_OPEN, "(No such file or directory)", 0 },
    { "/dev/full", LDY_ERROR_FILE_WRITE, "(No space left on device): /dev/full", 1 },
    { "/dev/null", 0, "", 1 } };
  static void (*const write[2]) (LOCDYN *, const char *) = { LOCDYN_Dump, LOCDYN_W_MatrixMarket };
  HOST *host[2];
  int before = open_files ();

  watch_errors ();
  host[0] = scene_mixed (15);         /* more than a buffer */
  host[1] = host_create ();
  host_add_constraint (host[1], FIXPNT, host_add_body (host[1], RIG), NULL); /* less: written in the end */
  for (int large = 0; large < 2; large ++) {
    scene_insert_all (host[large]);
    for (int k = 0; k < 2; k ++) {
      for (int i = 0; i < 6; i ++) {
        check_context ("%s, writer %d, scene %d", cases[i].path ? cases[i].path : "no path", k, large);
        host[large]->dom.con->num = -7;
        forget_errors ();
        write[k] (host[large]->dom.ldy, cases[i].path);
        CHECK_INT (watched.code, cases[i].code);
        if (cases[i].code) CHECK_TEXT (ldy_last_error (), cases[i].reason);
        CHECK_INT (host[large]->dom.con->num != -7, k == 1 && cases[i].numbered);
        CHECK (ldy_is_consistent (host[large]->dom.ldy, NULL));
      }
    }
    scene_destroy (host[large]);
  }
  watch_no_errors ();
  CHECK_INT (open_files (), before);
}

/* A constraint that cannot be labelled is found before the file is touched. */
static void test_damage (void)
{
  HOST *host = scene_mixed (16);
  BODY *master = host->dom.con->master;

  watch_errors ();
  scene_insert_all (host);
  check_context ("no master");
  host->dom.con->master = NULL;
  LOCDYN_Dump (host->dom.ldy, scratch);
  CHECK_INT (watched.code, LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (ldy_last_error (), "constraint 1 (CONTACT)");
  CHECK (access (scratch, F_OK) != 0);
  host->dom.con->master = master;
  check_context ("unknown kind");
  host->dom.con->kind = (enum constraint_kind) 99;
  forget_errors ();
  LOCDYN_Dump (host->dom.ldy, scratch);
  CHECK_INT (watched.code, LDY_ERROR_INVALID_ARGUMENT);
  CHECK_TEXT (ldy_last_error (), "constraint 1 (unknown kind 99)");
  CHECK (access (scratch, F_OK) != 0);
  host->dom.con->kind = CONTACT;
  watch_no_errors ();
  scene_destroy (host);
}

int main (int argc, char **argv)
{
  if (argc < 3) {
    fprintf (stderr, "usage: text_files SCRATCH TIES FILE.ldysnap ...\n");
    return 2;
  }
  scratch = argv[1];
  test_nothing ();
  test_mixed ();
  test_odd_numbers ();
  for (int i = 1; i <= atoi (argv[2]); i ++) test_ties ((uint64_t) i);
  test_overwriting ();
  test_errors ();
  test_damage ();
  for (int i = 3; i < argc; i ++) test_recorded (argv[i]);
  return check_summary ("text_files");
}
