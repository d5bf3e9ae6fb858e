#include "support/error_observer.h"

#include <stdio.h>

WATCHED watched;

static void keep (int code, const char *text, void *data)
{
  (void) data;
  watched.calls ++;
  watched.code = code;
  snprintf (watched.text, sizeof watched.text, "%s", text);
}

void watch_errors (void)
{
  forget_errors ();
  ldy_set_error_handler (keep, NULL);
}

void watch_no_errors (void)
{
  ldy_set_error_handler (NULL, NULL);
}

void forget_errors (void)
{
  watched = (WATCHED) { 0 };
}

int watched_update (HOST *host)
{
  forget_errors ();
  LOCDYN_Update_Begin (host->dom.ldy);
  return watched.code;
}

int watched_insert (HOST *host, CON *con)
{
  forget_errors ();
  host_insert (host, con);
  return watched.code;
}
