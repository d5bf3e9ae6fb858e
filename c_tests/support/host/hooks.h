/* Things that a full host provides with its data, and a smaller one may lack: timers, the error stack, a tolerance.
 * A program that links hooks.c has all of them, one that does not has none. */
#pragma once

#include <setjmp.h>

#include "ldy_host.h"

typedef struct errstack ERRSTACK;

struct errstack {
  jmp_buf env;
  ERRSTACK *next;
};

extern ERRSTACK *__errstack__;

char *errstring (int code);

void SOLFEC_Timer_Start (SOLFEC *solfec, const char *label);
void SOLFEC_Timer_End (SOLFEC *solfec, const char *label);

extern double GEOMETRIC_EPSILON;

/* Calls of the timers since host_reset_timers; the labels are the pointers themselves. */
typedef struct {
  int starts, ends;
  const char *start_label, *end_label;
  const SOLFEC *solfec;
} TIMER_LOG;

extern TIMER_LOG host_timers;

void host_reset_timers (void);

/* Runs call (data) with an entry on the error stack: 0, or the code with which it was left. */
int host_try (void (*call) (void *), void *data);
