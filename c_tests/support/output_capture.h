/* Text a program writes to one of its own file descriptors, caught in a pipe. */
#pragma once

#include <stddef.h>

typedef struct {
  int descriptor, saved, reading;
} CAPTURE;

/* From now on what is written to the descriptor goes to the pipe; little enough has to be written for the pipe to hold it. */
CAPTURE capture_begin (int descriptor);

/* Puts the descriptor back; `text` gets what has arrived. Nothing is flushed: text held back in stdio has not arrived. */
void capture_end (CAPTURE *capture, char *text, size_t size);

/* Runs call (data) in a child; `text` gets the child's stderr. Returns its exit code, -1 if it did not exit. */
int capture_child (void (*call) (void *), void *data, char *text, size_t size);
