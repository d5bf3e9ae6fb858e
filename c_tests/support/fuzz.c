#define _POSIX_C_SOURCE 200809L
#include "support/fuzz.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/check.h"

#define RECORD FUZZ_RECORD
#define MOST_RECORDS 400
#define LIMIT 60           /* seconds that a sequence may take */
#define SHRINKING 60       /* seconds for making one small */
#define PASSED 42          /* exit code: the end was reached and nothing failed */

static const char *program;  /* as it was called */

typedef struct {
  int records;
  unsigned char bytes[MOST_RECORDS][RECORD];
} SEQUENCE;

/* ---- files */

static int is_read (const char *path, SEQUENCE *s)
{
  char line[1024], *at;
  FILE *file = fopen (path, "r");
  unsigned byte;
  int place, used;

  memset (s, 0, sizeof *s);
  if (!file) {
    fprintf (stderr, "%s: cannot be opened\n", path);
    return 0;
  }
  while (fgets (line, sizeof line, file) && s->records < MOST_RECORDS) {
    line[strcspn (line, "#\n")] = '\0';
    for (at = line, place = 0; place < RECORD && sscanf (at, "%2x%n", &byte, &used) == 1; at += used) {
      s->bytes[s->records][place ++] = (unsigned char) byte;
    }
    s->records += place > 0;
    while (isspace ((unsigned char) *at)) at ++;
    if (*at) {
      fprintf (stderr, "%s: `%s` is no record\n", path, line);
      fclose (file);
      return 0;
    }
  }
  fclose (file);
  return 1;
}

static void write_records (FILE *file, const SEQUENCE *s)
{
  int end;

  for (int k = 0; k < s->records; k ++) {
    for (end = RECORD; end > 1 && !s->bytes[k][end - 1]; end --) continue;
    for (int i = 0; i < end; i ++) fprintf (file, "%s%02x", i ? " " : "", s->bytes[k][i]);
    fputc ('\n', file);
  }
}

/* ---- running */

static void choose (const FUZZ_TARGET *target, const unsigned char *record)
{
  target->random->state = record[0];
  random_choices (target->random, record + 1, RECORD - 1);
}

/* Stops where something fails. */
static void run (const FUZZ_TARGET *target, const SEQUENCE *s, int telling)
{
  static const unsigned char zeros[RECORD];
  long failures = check_failures ();

  check_context (NULL);
  choose (target, s->records ? s->bytes[0] : zeros);
  target->begin ();
  for (int k = 1; k < s->records && check_failures () == failures; k ++) {
    choose (target, s->bytes[k]);
    target->operation ();
    if (telling) printf ("  %3d: %s\n", k, check_context_words ());
  }
  random_choices (NULL, NULL, 0);
  if (check_failures () == failures) target->end ();
}

/* ---- running in a process of its own */

/* How it failed: where, or by what signal; empty if it did not. */
typedef struct {
  char how[256];
} OUTCOME;

static void run_in_child (const FUZZ_TARGET *target, const SEQUENCE *s, const int *ends)
{
  close (ends[0]);
  dup2 (ends[1], STDERR_FILENO);
  alarm (LIMIT);
  run (target, s, 0);
  fflush (NULL);
  _exit (check_failures () ? 1 : PASSED);
}

/* All that comes is read, so that the writer goes on; the first line that is not empty is kept. */
static void read_line (int from, char *line, size_t size)
{
  char buffer[4096];
  size_t length = 0;
  ssize_t count;

  while ((count = read (from, buffer, sizeof buffer)) > 0) {
    size_t wanted = size - 1 - length < (size_t) count ? size - 1 - length : (size_t) count;
    memcpy (line + length, buffer, wanted);
    length += wanted;
  }
  line[length] = '\0';
  memmove (line, line + strspn (line, "\n"), length + 1 - strspn (line, "\n"));
  line[strcspn (line, "\n")] = '\0';
}

/* The place of a failed check or a panic, `file:line`, ends at the second colon. The name of the thread that panicked is cut
 * out. */
static void keep_place (char *line)
{
  char *panicked = strstr (line, "panicked at "), *colon;

  if (panicked) memmove (line, panicked, strlen (panicked) + 1);
  colon = strchr (line, ':');
  if (colon && (colon = strchr (colon + 1, ':'))) *colon = '\0';
}

static OUTCOME attempt (const FUZZ_TARGET *target, const SEQUENCE *s)
{
  OUTCOME outcome = { "" };
  char line[sizeof outcome.how - 32];
  int ends[2], status;
  pid_t child;

  fflush (NULL);
  if (pipe (ends) || (child = fork ()) < 0) abort ();
  if (child == 0) run_in_child (target, s, ends);
  close (ends[1]);
  read_line (ends[0], line, sizeof line);
  close (ends[0]);
  waitpid (child, &status, 0);
  keep_place (line);
  if (WIFSIGNALED (status) && WTERMSIG (status) == SIGALRM)
    snprintf (outcome.how, sizeof outcome.how, "no end within %d seconds", LIMIT);
  else if (WIFSIGNALED (status)) snprintf (outcome.how, sizeof outcome.how, "signal %d", WTERMSIG (status));
  else if (WEXITSTATUS (status) != PASSED)
    snprintf (outcome.how, sizeof outcome.how, "exit code %d, %s", WEXITSTATUS (status), line);
  return outcome;
}

/* ---- making small */

static double now (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return (double) time.tv_sec + 1e-9 * (double) time.tv_nsec;
}

typedef struct {
  const FUZZ_TARGET *target;
  SEQUENCE best;
  OUTCOME outcome;
  double end;        /* when to stop */
  long attempts;
} SHRINKING_STATE;

/* Takes a sequence that fails in the same way. */
static int is_taken (SHRINKING_STATE *state, const SEQUENCE *s)
{
  if (now () > state->end) return 0;
  state->attempts ++;
  OUTCOME outcome = attempt (state->target, s);
  if (strcmp (outcome.how, state->outcome.how)) return 0;
  state->best = *s;
  return 1;
}

static int is_shorter (SHRINKING_STATE *state)
{
  SEQUENCE s;
  int taken = 0;

  for (int size = state->best.records; size; size /= 2) {
    for (int at = state->best.records - size; at >= 0; at -= size) {
      s = state->best;
      s.records -= size;
      memmove (s.bytes[at], s.bytes[at + size], (size_t) (s.records - at) * RECORD);
      taken |= is_taken (state, &s);
    }
  }
  return taken;
}

/* Whole records, then bytes: to 0, else to half. */
static int is_plainer (SHRINKING_STATE *state)
{
  SEQUENCE s;
  int taken = 0;

  for (int k = 0; k < state->best.records; k ++) {
    for (int i = 0; i < RECORD; i ++) {
      s = state->best;
      memset (s.bytes[k] + i, 0, (size_t) (RECORD - i));
      if (!memcmp (s.bytes[k], state->best.bytes[k], RECORD)) break;
      if (is_taken (state, &s)) {
        taken = 1;
        break;
      }
      if (!state->best.bytes[k][i]) continue;
      s = state->best;
      s.bytes[k][i] = 0;
      if (is_taken (state, &s)) taken = 1;
      else while (s = state->best, s.bytes[k][i] /= 2, s.bytes[k][i] && is_taken (state, &s)) taken = 1;
    }
  }
  return taken;
}

static void shrink (const FUZZ_TARGET *target, const SEQUENCE *s, const OUTCOME *outcome, const char *out)
{
  SHRINKING_STATE state = { target, *s, *outcome, now () + SHRINKING, 0 };

  while (is_shorter (&state) | is_plainer (&state)) continue;
  printf ("%s: %s, after %d operations (%d before %ld attempts to make it small)\n", target->name, outcome->how,
    state.best.records - 1, s->records - 1, state.attempts);
  write_records (stdout, &state.best);
  FILE *file = fopen (out, "w");
  if (!file) {
    fprintf (stderr, "%s: cannot be written\n", out);
    return;
  }
  fprintf (file, "# %s: %s\n", target->name, outcome->how);
  write_records (file, &state.best);
  fclose (file);
  printf ("%s: written to %s, for `%s print %s`\n", target->name, out, program, out);
}

/* ---- searching */

static void fill (RANDOM *random, unsigned char *bytes, int count)
{
  while (count --) *bytes ++ = (unsigned char) random_below (random, 256);
}

static void make_new (RANDOM *random, SEQUENCE *s)
{
  memset (s, 0, sizeof *s);
  s->records = 2 + random_below (random, random_below (random, 4) ? 40 : 200);
  fill (random, s->bytes[0], s->records * RECORD);
}

/* Records are changed, left out or put in. */
static void change (RANDOM *random, SEQUENCE *s)
{
  int changes = 1 + random_below (random, 6), at;

  while (changes -- && s->records) {
    at = random_below (random, s->records);
    switch (random_below (random, 4)) {
    case 0: s->bytes[at][random_below (random, RECORD)] = (unsigned char) random_below (random, 256); break;
    case 1: fill (random, s->bytes[at], RECORD); break;
    case 2:
      s->records --;
      memmove (s->bytes[at], s->bytes[at + 1], (size_t) (s->records - at) * RECORD);
      break;
    default:
      if (s->records == MOST_RECORDS) break;
      memmove (s->bytes[at + 1], s->bytes[at], (size_t) (s->records - at) * RECORD);
      s->records ++;
      fill (random, s->bytes[at], RECORD);
    }
  }
}

static int search (const FUZZ_TARGET *target, double seconds, uint64_t seed, const char *out, int count, char **paths)
{
  double end = now () + seconds;
  RANDOM random;
  SEQUENCE s;
  OUTCOME outcome;
  long tried;

  if (!seed) seed = (uint64_t) time (NULL);
  printf ("%s: seed %lu, %g seconds\n", target->name, (unsigned long) seed, seconds);
  random.state = seed;
  for (tried = 0; now () < end; tried ++) {
    if (!count || random_below (&random, 3)) make_new (&random, &s);
    else if (!is_read (paths[random_below (&random, count)], &s)) return 2;
    else change (&random, &s);
    outcome = attempt (target, &s);
    if (!*outcome.how) continue;
    printf ("%s: seed %lu, sequence %ld fails\n", target->name, (unsigned long) seed, tried);
    shrink (target, &s, &outcome, out);
    return 1;
  }
  printf ("%s: %ld sequences, 0 failed\n", target->name, tried);
  return 0;
}

/* ---- the program */

static int replay (const FUZZ_TARGET *target, int telling, int count, char **paths)
{
  SEQUENCE s;
  long failures;

  for (int k = 0; k < count; k ++) {
    failures = check_failures ();
    if (telling) printf ("%s\n", paths[k]);
    if (CHECK (is_read (paths[k], &s))) run (target, &s, telling);
    if (check_failures () > failures) fprintf (stderr, "  in %s\n", paths[k]);
  }
  return check_summary (target->name);
}

static int shrink_file (const FUZZ_TARGET *target, const char *out, const char *path)
{
  SEQUENCE s;

  if (!is_read (path, &s)) return 2;
  OUTCOME outcome = attempt (target, &s);
  if (*outcome.how) shrink (target, &s, &outcome, out);
  else printf ("%s: %s does not fail\n", target->name, path);
  return *outcome.how != 0;
}

int fuzz_main (const FUZZ_TARGET *target, int count, char **arguments)
{
  const char *what = count > 1 ? arguments[1] : "";

  program = arguments[0];
  if (!strcmp (what, "replay") || !strcmp (what, "print")) return replay (target, *what == 'p', count - 2, arguments + 2);
  if (!strcmp (what, "search") && count > 4) {
    return search (target, atof (arguments[2]), strtoull (arguments[3], NULL, 10), arguments[4], count - 5, arguments + 5);
  }
  if (!strcmp (what, "shrink") && count == 4) return shrink_file (target, arguments[2], arguments[3]);
  fprintf (stderr, "usage: %s replay FILE ... | print FILE ... | search SECONDS SEED OUT FILE ... | shrink OUT FILE\n",
    target->name);
  return 2;
}
