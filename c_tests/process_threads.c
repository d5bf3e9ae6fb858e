#include "process_threads.h"

#include <dirent.h>
#include <stddef.h>

#include "check.h"

int process_threads (void)
{
  DIR *directory = opendir ("/proc/self/task");
  int count = 0;

  if (!CHECK (directory != NULL)) return 0;
  while (readdir (directory)) count ++;
  closedir (directory);
  return count - 2;
}
