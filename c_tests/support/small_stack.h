/* The smallest stack that the documentation allows for a thread that calls the library. */
#pragma once

#ifndef SMALL_STACK
#define SMALL_STACK (128 << 10)
#endif

/* Runs a function in a thread with such a stack and returns its result; -1 if there is no thread. */
int on_small_stack (int (*function) (void));
