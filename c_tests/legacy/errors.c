#define _POSIX_C_SOURCE 200809L

/* Every error, by every way it can take out of the library, in a host that has timers and an error stack. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "legacy/error_cases.h"
#include "legacy/error_routes.h"
#include "support/check.h"
#include "support/error_observer.h"
#include "support/host/hooks.h"
#include "support/output_capture.h"

/* What errstring of host/hooks.c says. */
#define NAMED "error %d of the host's own table: "

/* ---- the host's own TRY */

typedef struct {
  const ERROR_CASE *test;
  SCENE *scene;
} CALL;

static void call_case (void *data)
{
  CALL *call = data;

  call->test->call (call->scene);
}

/* The line on stderr comes before the jump, if it is wanted. */
static void test_host_stack (int quiet)
{
  CAPTURE capture;
  STRUCTURE before;
  char text[1024];
  CALL call;
  int code;

  ldy_set_option (LDY_QUIET, quiet);
  for (int i = error_route_first (); i < error_case_count; i += error_route_step ()) {
    call.test = &error_cases[i];
    call.scene = error_scene ();
    check_context ("%s, host's error stack, quiet %d", call.test->name, quiet);
    if (call.test->prepare) call.test->prepare (call.scene);
    before = structure_of (call.scene->ldy);
    host_reset_timers ();
    capture = capture_begin (STDERR_FILENO);
    code = host_try (call_case, &call);
    capture_end (&capture, text, sizeof text);
    CHECK_INT (code, call.test->code);
    CHECK_INT (host_timers.ends, host_timers.starts);
    for (int j = 0; j < 2 && call.test->mention[j]; j ++) CHECK_TEXT (ldy_last_error (), call.test->mention[j]);
    if (quiet) CHECK_INT (strlen (text), 0);
    else error_route_check_line (text, NAMED, call.test);
    error_scene_check_usable (call.scene, call.test, &before);
    structure_free (&before);
    error_scene_free (call.scene);
  }
}

/* ---- which way comes first */

static void create_without_domain (void *data)
{
  (void) data;
  CHECK_POINTER (LOCDYN_Create (NULL), NULL);
}

static void test_order (void)
{
  check_context ("order of the ways");
  watch_errors ();
  CHECK_INT (host_try (create_without_domain, NULL), 0); /* the handler came first, and returned */
  CHECK_INT (watched.calls, 1);
  watch_no_errors ();
  CHECK_INT (host_try (create_without_domain, NULL), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_INT (watched.calls, 1);
}

static void test_options (void)
{
  check_context ("options");
  CHECK_INT (ldy_set_option (LDY_NO_LONGJMP, 1), 0);
  CHECK_INT (ldy_set_option (LDY_NO_LONGJMP, 0), 0);
  CHECK_INT (ldy_set_option (-1, 0), LDY_ERROR_INVALID_ARGUMENT);
  CHECK_INT (host_try (create_without_domain, NULL), LDY_ERROR_INVALID_ARGUMENT);
}

static void within_try (void (*call) (void *), void *data)
{
  host_try (call, data);
}

int main (int argc, char **argv)
{
  error_route_choose (argc, argv);
  CHECK (strcmp (ldy_last_error (), "") == 0);
  ldy_set_option (LDY_QUIET, 1);
  test_order ();
  test_options ();
  error_route_handler_returns ();
  error_route_handler_jumps ();
  test_host_stack (0);
  test_host_stack (1);
  /* Which does not keep back the end of the program. */
  error_route_exits (NAMED, NULL);
  ldy_set_option (LDY_NO_LONGJMP, 1);
  error_route_exits (NAMED, within_try);
  ldy_set_option (LDY_NO_LONGJMP, 0);
  setenv ("LDY_NO_LONGJMP", "1", 1);
  error_route_exits (NAMED, within_try);
  for (int i = 0; i < 2; i ++) { /* which forbid nothing */
    setenv ("LDY_NO_LONGJMP", i ? "0" : "", 1);
    CHECK_INT (host_try (create_without_domain, NULL), LDY_ERROR_INVALID_ARGUMENT);
  }
  unsetenv ("LDY_NO_LONGJMP");
  return check_summary ("errors");
}
