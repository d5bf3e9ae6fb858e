/* A host that loads the shared library itself, from the path given, and makes it raise an error on its error stack. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/host/hooks.h"

static void (*destroy) (LOCDYN *);

static void *find (void *library, const char *name)
{
  void *symbol = dlsym (library, name);

  if (!symbol) {
    fprintf (stderr, "%s\n", dlerror ());
    exit (1);
  }
  return symbol;
}

/* With an error stack in reach the library jumps there, without one it ends the program. This line is printed before. */
static void at_exit (void)
{
  printf ("no error stack\n");
}

static void destroy_nothing (void *data)
{
  (void) data;
  destroy (NULL);
}

int main (int argc, char **argv)
{
  void *library = argc > 1 ? dlopen (argv[1], RTLD_NOW) : NULL;
  void *symbol;

  if (!library) {
    fprintf (stderr, "%s\n", argc > 1 ? dlerror () : "no path");
    return 1;
  }
  symbol = find (library, "LOCDYN_Destroy");
  memcpy (&destroy, &symbol, sizeof destroy);
  atexit (at_exit);
  printf ("error stack: %d\n", host_try (destroy_nothing, NULL));
  fflush (stdout);
  _Exit (0);
}
