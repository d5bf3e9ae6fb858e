/* build_info: the line that describes the library. Linked with the linker's --wrap for malloc and its kin: it needs no
 * memory of theirs. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#if defined (MPI) && MPI
#include <mpi.h>
#endif

#include "ldy_host.h"
#include "support/check.h"
#include "support/failing_allocator.h"

#define NEVER 1000000000
#define CALLERS 4

static void *call (void *unused)
{
  (void) unused;
  return (void *) ldy_build_info ();
}

static void same_in_all_threads (void)
{
  pthread_t caller[CALLERS];
  void *text[CALLERS];

  for (int i = 0; i < CALLERS; i ++) CHECK_INT (pthread_create (&caller[i], NULL, call, NULL), 0);
  for (int i = 0; i < CALLERS; i ++) pthread_join (caller[i], &text[i]);
  for (int i = 0; i < CALLERS; i ++) CHECK_POINTER (text[i], ldy_build_info ());
}

/* The text at once, without memory. */
static const char *info (void)
{
  failing.until = NEVER;
  failing.armed = 1;
  const char *text = ldy_build_info ();
  failing.armed = 0;
  CHECK_INT (NEVER - failing.until, 0);
  return text;
}

static void built (const char *text)
{
  char begin[64];

  snprintf (begin, sizeof begin, "ldy %s; layouts: ", ldy_version ());
  CHECK (!strncmp (text, begin, strlen (begin)));
  CHECK_TEXT (text, "; target: ");
  CHECK_TEXT (text, "; rustc ");
  CHECK (!strchr (text, '\n'));
#if !defined (MPI) || !MPI
  CHECK_TEXT (text, "; layouts: serial; ");
#elif defined (OPEN_MPI)
  CHECK_TEXT (text, "; layouts: MPI; Open MPI ");
#elif defined (MPICH_VERSION)
  CHECK_TEXT (text, "; layouts: MPI; MPICH " MPICH_VERSION ";");
#else
  CHECK_TEXT (text, "; layouts: MPI; MPI ");
#endif
}

static void set (void)
{
  char first_words[512];
  const char *first, *plain;

  CHECK_TEXT (info (), "; threads: 2; "); /* from the environment */
  CHECK_INT (ldy_set_threads (3), 0);
  first = info ();
  strcpy (first_words, first);
  CHECK_TEXT (first, "; threads: 3; ");
  CHECK_POINTER (info (), first);
  ldy_set_option (LDY_NO_AVX2, 1);
  plain = info ();
  CHECK_TEXT (plain, "; vectors: plain; ");
  ldy_set_option (LDY_NO_AVX2, 0);
  CHECK_POINTER (info (), first);
#ifdef __x86_64__
  if (__builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma")) CHECK_TEXT (first, "; vectors: AVX2; ");
#endif
  for (int n = 4; n < 40; n ++) {
    ldy_set_threads (n);
    built (info ());
  }
  CHECK (strstr (info (), "threads") == NULL); /* too many settings */
  ldy_set_threads (3);
  CHECK_POINTER (info (), first);
  CHECK_TEXT (first_words, first);
}

int main (void)
{
  built (info ());
  same_in_all_threads ();
  set ();
  return check_summary ("build_info");
}
