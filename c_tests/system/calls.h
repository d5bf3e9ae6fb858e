/* Random calls of ldy_system.h: valid ones, ones with a corrupt argument, and ones in which an allocation fails. After every
 * call the system is as a model of it says; values are compared with dense matrices, and after an error with a second system
 * that has met none, bit for bit. The linker has to wrap the functions of failing_allocator.h. */
#pragma once

#include "support/random.h"

/* What chooses. */
extern RANDOM calls_random;

/* A system that is small, so that every value can be looked at; calls on it; the end, after an update without errors. */
void calls_begin (void);
void calls_one (void);
void calls_end (void);

/* Makes `calls` calls on a system large enough for threads. Results and errors do not depend on their number. */
void calls_on_large (int calls);
