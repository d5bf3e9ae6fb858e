/* long_run OPERATIONS: random insertions, removals and updates do not let memory grow.
 *
 * After a tenth of the operations, in which everything has grown to its size, neither the bytes that the library states nor
 * the memory of the process may grow any more beyond a small bound. */
#include <stdio.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/scene.h"

#define CONSTRAINTS 14
#define SAMPLES 20
#define UPDATE_EVERY 50

/* The address sanitizer keeps what has been freed for a while. */
#ifdef __SANITIZE_ADDRESS__
#define RESIDENT_COUNTS 0
#else
#define RESIDENT_COUNTS 1
#endif

/* Resident memory of the process in kB; -1 if the system does not report it. */
static long resident (void)
{
  FILE *file = fopen ("/proc/self/status", "r");
  char line[256];
  long size = -1;

  while (file && size < 0 && fgets (line, sizeof line, file)) sscanf (line, "VmRSS: %ld", &size);
  if (file) fclose (file);
  return size;
}

static size_t bytes_held (const LOCDYN *ldy)
{
  ldy_stats stats = { .size = sizeof stats };

  CHECK_INT (ldy_get_stats (ldy, &stats), 0);
  return stats.row_bytes + stats.block_bytes + stats.operator_bytes + stats.factor_bytes + stats.scratch_bytes;
}

/* A removal or an insertion, as it comes; returns 1 for an insertion. */
static int change (HOST *host, CON *con)
{
  if (!con->dia) return host_insert (host, con) != NULL;
  host_remove (host, con);
  return 0;
}

static void update (HOST *host)
{
  for (CON *con = host->dom.con; con; con = con->next) {
    if (!con->dia) host_insert (host, con);
  }
  LOCDYN_Update_Begin (host->dom.ldy);
}

typedef struct {
  long operations, inserted, updates;
} COUNTS;

static void operate (HOST *host, CON **con, RANDOM *random, long count, COUNTS *counts)
{
  for (; count > 0; count --) {
    counts->inserted += change (host, con[random_below (random, CONSTRAINTS)]);
    counts->operations ++;
    if (counts->operations % UPDATE_EVERY) continue;
    update (host);
    counts->updates ++;
  }
}

static void run (long operations, int is_emulated)
{
  RANDOM random = { 90 };
  HOST *host = scene_mixed (90);
  CON *con[CONSTRAINTS];
  COUNTS counts = { 0, 0, 0 };
  size_t held, held_most = 0;
  long before, now, most = 0;
  int i = 0;

  for (CON *each = host->dom.con; each; each = each->next) con[i ++] = each;
  scene_insert_all (host);
  operate (host, con, &random, operations / 10, &counts);
  update (host);
  held = bytes_held (host->dom.ldy);
  before = resident ();
  for (i = 0; i < SAMPLES; i ++) {
    operate (host, con, &random, (operations - operations / 10) / SAMPLES, &counts);
    now = resident ();
    if (now > most) most = now;
    if (bytes_held (host->dom.ldy) > held_most) held_most = bytes_held (host->dom.ldy);
    CHECK (ldy_is_consistent (host->dom.ldy, NULL));
  }
  printf ("%ld operations, %ld of them insertions; %ld updates\n", counts.operations, counts.inserted, counts.updates);
  printf ("bytes held %zu after a tenth, at most %zu later; resident %ld kB, at most %ld kB later\n", held, held_most, before,
    most);
  CHECK (held_most <= held);
  if (RESIDENT_COUNTS && !is_emulated) CHECK (most <= before + 256 + before / 100);
  scene_destroy (host);
}

int main (int argc, char **argv)
{
  if (argc < 2 || atol (argv[1]) < 10 * UPDATE_EVERY) {
    fprintf (stderr, "usage: long_run OPERATIONS [emulated], OPERATIONS at least %d\n", 10 * UPDATE_EVERY);
    return 2;
  }
  run (atol (argv[1]), argc > 2);
  return check_summary ("long_run");
}
