/* W of ldy_system.h in files. MatrixMarket is read back here; tests/system_files.rs reads both kinds. Argument: a prefix. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "support/system_calls.h"
#include "support/check.h"

#define CONSTRAINTS 5

/* Five points of three bodies, coupled in a chain. */
static ldy_system *chain (void)
{
  static const double unit[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, origin[3] = { 0, 0, 0 };
  static const double frame[9] = { 0.6, 0.8, 0, -0.8, 0.6, 0, 0, 0, 1 };
  double inertia[9] = { 2, 0.5, 0, 0.5, 3, 0, 0, 0, 1 }, point[3] = { 1, 0.25, 0.125 };
  ldy_system *system = NULL;
  int64_t body[3], id;
  int i;

  CHECK_INT (ldy_system_create (&system), 0);
  for (i = 0; i < 3; i ++) CHECK_INT (ldy_system_add_rigid (system, i + 0.7, inertia, unit, origin, &body[i]), 0);
  for (i = 0; i < CONSTRAINTS; i ++) {
    point[i % 3] += 1.0 / 3;
    if (i < 3) CHECK_INT (ldy_system_add_point_constraint (system, body[i], i ? body[i - 1] : LDY_GROUND, frame, point, origin, &id), 0);
    else CHECK_INT (ldy_system_add_point_constraint (system, body[0], LDY_GROUND, frame, point, NULL, &id), 0);
  }
  CHECK_INT (ldy_system_update (system, 0.01), 0);
  return system;
}

static double entry (const ldy_rows *rows, int i, int j)
{
  for (int k = rows->starts[i / 3]; k < rows->starts[i / 3 + 1]; k ++) {
    if (rows->columns[k] == j / 3) return rows->values[9 * k + 3 * (j % 3) + i % 3];
  }
  CHECK (0);
  return 0;
}

static void read_back (const char *path, const ldy_rows *rows)
{
  FILE *file = fopen (path, "r");
  int m = 0, n = 0, entries = 0, i, j, count = 0;
  double value, want;
  char line[128];

  if (!CHECK (file != NULL)) return;
  CHECK (fgets (line, sizeof line, file) && !strcmp (line, "%%MatrixMarket matrix coordinate real general\n"));
  CHECK_INT (fscanf (file, "%d %d %d", &m, &n, &entries), 3);
  CHECK_INT (m, 3 * CONSTRAINTS);
  CHECK_INT (n, m);
  CHECK_INT (entries, 9 * rows->blocks);
  for (int k = 0; k < entries && fscanf (file, "%d %d %lf", &i, &j, &value) == 3; k ++, count ++) {
    want = entry (rows, i - 1, j - 1);
    CHECK_NEAR (value, want, 1e-14 * (want < 0 ? -want : want));
  }
  CHECK_INT (count, entries);
  fclose (file);
}

/* A file that cannot be written whole, here because of the limit for its size, stays as it was. */
static void keeps_old_files (const ldy_system *system, const char *path)
{
  struct rlimit before, small;
  char text[8] = "";
  FILE *file = fopen (path, "w");

  if (!CHECK (file != NULL)) return;
  fputs ("old", file);
  fclose (file);
  signal (SIGXFSZ, SIG_IGN);
  CHECK_INT (getrlimit (RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = 100;
  CHECK_INT (setrlimit (RLIMIT_FSIZE, &small), 0);
  int codes[2] = { system_write (system, path, LDY_FILE_FORMAT_NPZ), system_write (system, path, LDY_FILE_FORMAT_MATRIX_MARKET) };
  CHECK_INT (setrlimit (RLIMIT_FSIZE, &before), 0);
  CHECK (codes[0] == LDY_ERROR_FILE_WRITE && codes[1] == LDY_ERROR_FILE_WRITE);
  CHECK ((file = fopen (path, "r")) != NULL && fgets (text, sizeof text, file) && !strcmp (text, "old"));
  if (file) fclose (file);
  remove (path);
}

int main (int argc, char **argv)
{
  char path[1000];
  ldy_system *system = chain ();
  ldy_rows rows = { .size = sizeof rows };

  if (!CHECK (argc == 2) || !CHECK_INT (ldy_system_results (system, &rows), 0)) return 1;
  snprintf (path, sizeof path, "%s.npz", argv[1]);
  CHECK_INT (system_write (system, path, LDY_FILE_FORMAT_NPZ), 0);
  snprintf (path, sizeof path, "%s.mtx", argv[1]);
  CHECK_INT (system_write (system, path, LDY_FILE_FORMAT_MATRIX_MARKET), 0);
  read_back (path, &rows);
  snprintf (path, sizeof path, "%s.old", argv[1]);
  keeps_old_files (system, path);
  ldy_system_destroy (system);
  return check_summary ("system_files");
}
