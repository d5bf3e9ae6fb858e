#include "hooks.h"

#include <stdio.h>

ERRSTACK *__errstack__ = NULL;
double GEOMETRIC_EPSILON = 1e-6;
TIMER_LOG host_timers;

char *errstring (int code)
{
  static char text[64];

  snprintf (text, sizeof text, "error %d of the host's own table", code);
  return text;
}

void SOLFEC_Timer_Start (SOLFEC *solfec, const char *label)
{
  host_timers.starts ++;
  host_timers.start_label = label;
  host_timers.solfec = solfec;
}

void SOLFEC_Timer_End (SOLFEC *solfec, const char *label)
{
  host_timers.ends ++;
  host_timers.end_label = label;
  host_timers.solfec = solfec;
}

void host_reset_timers (void)
{
  TIMER_LOG none = { 0, 0, NULL, NULL, NULL };

  host_timers = none;
}

int host_try (void (*call) (void *), void *data)
{
  ERRSTACK entry;
  int code;

  entry.next = __errstack__;
  __errstack__ = &entry;
  code = setjmp (entry.env);
  if (code == 0) call (data);
  __errstack__ = entry.next;
  return code;
}
