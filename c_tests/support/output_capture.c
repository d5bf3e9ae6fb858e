#define _POSIX_C_SOURCE 200809L

#include "support/output_capture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

CAPTURE capture_begin (int descriptor)
{
  CAPTURE capture = { descriptor, -1, -1 };
  int ends[2];

  fflush (NULL);
  if (pipe (ends)) abort ();
  capture.saved = dup (descriptor);
  capture.reading = ends[0];
  if (capture.saved < 0 || dup2 (ends[1], descriptor) < 0) abort ();
  close (ends[1]);
  return capture;
}

static void read_all (int descriptor, char *text, size_t size)
{
  size_t used = 0;
  ssize_t got;

  while (used + 1 < size && (got = read (descriptor, text + used, size - used - 1)) > 0) used += (size_t) got;
  text[used] = '\0';
}

void capture_end (CAPTURE *capture, char *text, size_t size)
{
  dup2 (capture->saved, capture->descriptor);
  close (capture->saved);
  read_all (capture->reading, text, size);
  close (capture->reading);
  fflush (NULL);
}

int capture_child (void (*call) (void *), void *data, char *text, size_t size)
{
  CAPTURE capture = capture_begin (STDERR_FILENO);
  pid_t child = fork ();
  int status;

  if (child < 0) abort ();
  if (child == 0) {
    call (data);
    _exit (0);
  }
  while (waitpid (child, &status, 0) < 0) continue;
  capture_end (&capture, text, size);
  return WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}
