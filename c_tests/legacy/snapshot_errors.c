/* snapshot_errors FILE.ldysnap ...: the reader of snapshots refuses damaged files.
 *
 * Each file is cut short before each of its lines, and then damaged in each of its lines: every time the reader has to
 * refuse it, and to name the file and, for a cut, the line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/snapshot.h"

static char *text;
static long length;

static int load (const char *path)
{
  FILE *file = fopen (path, "rb");

  if (!CHECK (file != NULL)) return 0;
  fseek (file, 0, SEEK_END);
  length = ftell (file);
  rewind (file);
  text = malloc ((size_t) length + 1);
  if (!text) abort ();
  CHECK (fread (text, 1, (size_t) length, file) == (size_t) length);
  text[length] = '\0';
  fclose (file);
  return 1;
}

/* Writes `size` bytes, then `rest`, and reads the result. */
static void refused (const char *scratch, long size, const char *insertion, const char *rest, const char *mention)
{
  FILE *file = fopen (scratch, "wb");
  char error[256] = "";

  if (!CHECK (file != NULL)) return;
  fwrite (text, 1, (size_t) size, file);
  fputs (insertion, file);
  fputs (rest, file);
  fclose (file);
  SNAPSHOT *snapshot = snapshot_read (scratch, error, sizeof error);
  CHECK_POINTER (snapshot, NULL);
  CHECK_TEXT (error, scratch);
  CHECK_TEXT (error, mention);
  snapshot_free (snapshot);
}

static void damage (const char *path, const char *scratch)
{
  char mention[64];
  long at = 0, end;
  int line = 1;

  if (!load (path)) return;
  for (; at < length; at = end + 1, line ++) {
    check_context ("%s, line %d", path, line);
    end = strchr (text + at, '\n') - text;
    snprintf (mention, sizeof mention, ":%d: ", line);
    refused (scratch, at, "", "", mention);
    if (strncmp (text + at, "source", 6) == 0) continue; /* any text is good there */
    refused (scratch, at, "x", text + at, mention);
    refused (scratch, end, " x", text + end, mention);
  }
  free (text);
}

int main (int argc, char **argv)
{
  char error[256];

  CHECK (argc > 2);
  check_context ("no file");
  CHECK_POINTER (snapshot_read ("no/such.ldysnap", error, sizeof error), NULL);
  CHECK_TEXT (error, "no/such.ldysnap: ");
  for (int i = 2; i < argc; i ++) damage (argv[i], argv[1]);
  remove (argv[1]);
  return check_summary ("snapshot_errors");
}
