/* The smallest stack that the documentation allows for a thread that calls the library. */
#pragma once

#define SMALL_STACK (128 << 10)

/* Runs a function in a thread with such a stack and returns its result; -1 if there is no thread. */
int on_small_stack (int (*function) (void));
