/* replay FILE.ldysnap ...: assembles recorded states again and compares (deviation.h).
 *
 * Prints a line a file with the largest error of each quantity, and the largest condition number where bodies give the
 * matrix instead of its inverse. Ends with `N passed, N failed`; the exit code is not zero if one failed. */
#include <stdio.h>
#include <stdlib.h>

#include "support/deviation.h"
#include "support/host/hooks.h"

static void raised (int code, const char *text, void *data)
{
  deviation_fail (data, "error %d: %s", code, text);
}

static void assemble (SNAPSHOT *snapshot, DEVIATION *deviation)
{
  DOM *dom = &snapshot->host->dom;
  DIAB *before = NULL;

  GEOMETRIC_EPSILON = snapshot->geometric_epsilon;
  dom->ldy = LOCDYN_Create (dom);
  if (dom->ldy && snapshot_insert (snapshot)) {
    before = deviation_mark (dom->ldy, snapshot->rows);
    LOCDYN_Update_Begin (dom->ldy);
    if (!deviation->failed) deviation_measure (deviation, snapshot, dom->ldy, before);
  }
  if (dom->ldy) LOCDYN_Destroy (dom->ldy);
  free (before);
}

static void report (const DEVIATION *deviation, const char *path)
{
  printf ("%s %s", deviation->failed ? "FAILED" : "ok    ", path);
  for (int q = 0; q < QUANTITIES; q ++) {
    if (!(deviation->error[q] < 0)) printf (" %s=%.1e", deviation_names[q], deviation->error[q]);
  }
  if (deviation->condition > 0) printf (" kappa1=%.1e", deviation->condition);
  if (deviation->failed) printf (" %s%s", deviation->why, deviation->failed > 1 ? " (and more)" : "");
  putchar ('\n');
}

static int replay (const char *path)
{
  DEVIATION deviation;
  char error[256];

  deviation_begin (&deviation);
  ldy_set_error_handler (raised, &deviation);
  SNAPSHOT *snapshot = snapshot_read (path, error, sizeof error);
  if (snapshot) assemble (snapshot, &deviation);
  else deviation_fail (&deviation, "%s", error);
  ldy_set_error_handler (NULL, NULL);
  report (&deviation, path);
  snapshot_free (snapshot);
  return !deviation.failed;
}

int main (int argc, char **argv)
{
  int passed = 0;

  for (int i = 1; i < argc; i ++) passed += replay (argv[i]);
  printf ("%d passed, %d failed\n", passed, argc - 1 - passed);
  return passed == argc - 1 ? 0 : 1;
}
