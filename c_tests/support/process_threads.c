#define _POSIX_C_SOURCE 200809L

#include "support/process_threads.h"

#include <dirent.h>
#include <stddef.h>
#include <time.h>

#include "support/check.h"

int process_threads (void)
{
  DIR *directory = opendir ("/proc/self/task");
  int count = 0;

  if (!CHECK (directory != NULL)) return 0;
  while (readdir (directory)) count ++;
  closedir (directory);
  return count - 2;
}

int settled_threads (int expected)
{
  int count = process_threads ();

  for (int i = 0; i < 1000 && count != expected; i ++) {
    nanosleep (&(struct timespec) { .tv_nsec = 1000000 }, NULL);
    count = process_threads ();
  }
  return count;
}
