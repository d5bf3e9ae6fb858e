#include "support/check.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static long checks, failures;
static char context[256];

static int count (int holds)
{
  checks ++;
  if (!holds) failures ++;
  return holds;
}

static void report (const char *file, int line, const char *format, ...)
{
  va_list arguments;

  fprintf (stderr, "%s:%d: %s%s", file, line, context, context[0] ? ": " : "");
  va_start (arguments, format);
  vfprintf (stderr, format, arguments);
  va_end (arguments);
  fputc ('\n', stderr);
}

int check_true (int holds, const char *what, const char *file, int line)
{
  if (!holds) report (file, line, "does not hold: %s", what);
  return count (holds);
}

int check_int (long got, long want, const char *what, const char *file, int line)
{
  if (got != want) report (file, line, "%s is %ld, not %ld", what, got, want);
  return count (got == want);
}

int check_pointer (const void *got, const void *want, const char *what, const char *file, int line)
{
  if (got != want) report (file, line, "%s is %p, not %p", what, got, want);
  return count (got == want);
}

int check_near (double got, double want, double tolerance, const char *what, const char *file, int line)
{
  int holds = fabs (got - want) <= tolerance;

  if (!holds) {
    report (file, line, "%s is %.17g, not %.17g (off by %.2e, allowed %.2e)", what, got, want, fabs (got - want), tolerance);
  }
  return count (holds);
}

int check_text (const char *text, const char *part, const char *file, int line)
{
  int holds = text && strstr (text, part);

  if (!holds) report (file, line, "`%s` does not contain `%s`", text ? text : "(NULL)", part);
  return count (holds);
}

int check_same_bits (const void *one, const void *two, size_t size, const char *what, const char *file, int line)
{
  int holds = memcmp (one, two, size) == 0;

  if (!holds) report (file, line, "%s differs in its bits", what);
  return count (holds);
}

void check_context (const char *format, ...)
{
  va_list arguments;

  context[0] = '\0';
  if (!format) return;
  va_start (arguments, format);
  vsnprintf (context, sizeof context, format, arguments);
  va_end (arguments);
}

const char *check_context_words (void)
{
  return context;
}

long check_failures (void)
{
  return failures;
}

int check_summary (const char *name)
{
  printf ("%s: %ld checks, %ld failed\n", name, checks, failures);
  return failures ? 1 : 0;
}
