/* dumps PATH FILE.ldysnap ...: what several processes dump to PATH, against the dump of one and, where the original program's
 * is recorded beside the state, against that: the same lines, in any order, with numbers equal up to the last digit printed
 * and to what is left where they cancel.
 *
 * Every state gets a full update: in others external blocks are made in some rows only, or not at all. Self-contact is stored
 * once: stored twice, which of two processes has two blocks depends on whose constraint it is. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <mpi.h>

#include "recorded.h"
#include "summary.h"
#include "support/check.h"
#include "support/host/hooks.h"

static int rank, ranks;

/* ---- lines */

typedef struct {
  char *text, **line;
  int count;
} LINES;

static int in_order (const void *a, const void *b)
{
  return strcmp (*(char *const *) a, *(char *const *) b);
}

/* No lines if there is no such file. */
static LINES sorted_lines (const char *path)
{
  LINES lines = { NULL, NULL, 0 };
  FILE *file = fopen (path, "r");
  char *at;
  long size;

  if (!file) return lines;
  fseek (file, 0, SEEK_END);
  size = ftell (file);
  rewind (file);
  lines.text = calloc ((size_t) size + 1, 1);
  lines.line = calloc ((size_t) size + 1, sizeof *lines.line);
  if (!lines.text || !lines.line || fread (lines.text, 1, (size_t) size, file) != (size_t) size) abort ();
  fclose (file);
  for (at = strtok (lines.text, "\n"); at; at = strtok (NULL, "\n")) lines.line[lines.count ++] = at;
  qsort (lines.line, (size_t) lines.count, sizeof *lines.line, in_order);
  return lines;
}

static void free_lines (LINES *lines)
{
  free (lines->text);
  free (lines->line);
}

/* ---- numbers */

/* The contents of the bracketed lists of a line, in order: the row's lists, then the lists of each neighbor. */
typedef enum { COPIED, BLOCK, SPEED } MEANING;

static MEANING meaning (int list)
{
  if (list == 3 || (list >= 8 && list % 4 == 3)) return BLOCK;
  return list == 4 || list == 5 ? SPEED : COPIED;
}

static int begins_number (const char *text)
{
  return isdigit ((unsigned char) *text) || (*text == '-' && isdigit ((unsigned char) text[1]));
}

/* The largest number with this meaning. */
static double largest (const LINES *lines, MEANING wanted)
{
  double result = 0;
  char *at;
  int i, list;

  for (i = 0; i < lines->count; i ++) {
    for (at = lines->line[i], list = -1; *at; ) {
      if (*at == '(' || *at == '[') list ++;
      if (begins_number (at) && list >= 0 && meaning (list) == wanted) result = fmax (result, fabs (strtod (at, &at)));
      else at ++;
    }
  }
  return result;
}

static int agree (double one, double two, double scale)
{
  double difference = fabs (one - two), size = fmax (fabs (one), fabs (two));

  return difference == 0 || difference <= 1e-12 * scale || difference <= 1.001 * pow (10, floor (log10 (size)) - 5);
}

static int lines_agree (const char *one, const char *two, const double *scale)
{
  char *after_one, *after_two;
  int list = -1;

  while (*one && *two) {
    if (begins_number (one) && begins_number (two) && list >= 0 && meaning (list) != COPIED) {
      if (!agree (strtod (one, &after_one), strtod (two, &after_two), scale[meaning (list)])) return 0;
      one = after_one;
      two = after_two;
      continue;
    }
    if (*one != *two) return 0;
    if (*one == '(' || *one == '[') list ++;
    one ++;
    two ++;
  }
  return *one == *two;
}

static void compare (const char *path, const char *wanted)
{
  LINES got = sorted_lines (path), want = sorted_lines (wanted);
  double scale[3] = { 0, largest (&want, BLOCK), fmax (largest (&want, SPEED), 1e-3) };
  int i;

  CHECK_INT (got.count, want.count);
  for (i = 0; i < got.count && i < want.count; i ++) CHECK (lines_agree (got.line[i], want.line[i], scale));
  free_lines (&got);
  free_lines (&want);
}

/* ---- dumps */

static void dump (const SNAPSHOT *s, int parts, int kind, const char *path)
{
  PARTITION *partition = partition_create (s->host, parts, kind);
  PART *part = part_create (s->host, partition, parts == 1 ? 0 : rank);
  LOCDYN *ldy = recorded_insert (s, part);

  LOCDYN_Update_Begin (ldy);
  LOCDYN_Dump (ldy, path);
  LOCDYN_Dump (ldy, path); /* over the first one */
  LOCDYN_Destroy (ldy);
  part_free (part);
  partition_free (partition);
}

static void no_parts_left (const char *path)
{
  char part[512];
  int r;

  for (r = 0; r < ranks; r ++) {
    snprintf (part, sizeof part, "%s.%d", path, r);
    CHECK (access (part, F_OK) != 0);
  }
}

static int has_self_contact (const SNAPSHOT *s)
{
  int i;

  for (i = 0; i < s->constraints; i ++) {
    if (s->con[i]->master == s->con[i]->slave) return 1;
  }
  return 0;
}

/* FILE.dump beside FILE.ldysnap. */
static void compare_with_original (const char *path, const char *source)
{
  char recorded[512];

  snprintf (recorded, sizeof recorded, "%.*s.dump", (int) (strlen (source) - strlen (".ldysnap")), source);
  if (access (recorded, F_OK) == 0) compare (path, recorded);
}

static void all_dumps (const char *path, const char *source)
{
  char error[256], one[512];
  SNAPSHOT *s = snapshot_read (source, error, sizeof error);
  int kind, original;

  if (!CHECK (s != NULL)) return;
  GEOMETRIC_EPSILON = s->geometric_epsilon;
  original = s->update == UPDATE_ALL && !has_self_contact (s);
  host_set_update (s->host, UPDATE_ALL);
  snprintf (one, sizeof one, "%s.one-%d", path, rank);
  CHECK_INT (ldy_set_communicator (MPI_Comm_c2f (MPI_COMM_SELF)), 0);
  dump (s, 1, PARTITION_SLABS, one);
  CHECK_INT (ldy_set_communicator (MPI_Comm_c2f (MPI_COMM_WORLD)), 0);
  for (kind = 0; kind <= PARTITION_RANDOM; kind += PARTITION_RANDOM) {
    check_context ("%s, %s", source, partition_name (kind));
    dump (s, ranks, kind, path);
    if (rank == 0) {
      compare (path, one);
      no_parts_left (path);
      if (original) compare_with_original (path, source);
    }
  }
  remove (one);
  if (rank == 0) remove (path);
  snapshot_free (s);
}

int main (int argc, char **argv)
{
  int i, code;

  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &ranks);
  ldy_set_option (LDY_SELF_CONTACT_ONCE, 1);
  for (i = 2; i < argc; i ++) all_dumps (argv[1], argv[i]);
  code = summary_of_ranks ("dumps");
  MPI_Finalize ();
  return code;
}
