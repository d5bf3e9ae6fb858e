#include "legacy/error_routes.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "legacy/error_cases.h"
#include "support/check.h"
#include "support/output_capture.h"

static int step = 1, routes;

void error_route_choose (int argc, char **argv)
{
  if (argc > 1) step = atoi (argv[1]);
  if (step < 1) step = 1;
}

int error_route_first (void) { return routes ++ % step; }
int error_route_step (void) { return step; }

typedef struct {
  int calls, code;
  char text[512];
  jmp_buf *jump; /* NULL: return */
} SEEN;

static void handler (int code, const char *text, void *data)
{
  SEEN *seen = data;

  seen->calls ++;
  seen->code = code;
  snprintf (seen->text, sizeof seen->text, "%s", text);
  if (seen->jump) longjmp (*seen->jump, code);
}

static void check_seen (const ERROR_CASE *test, const SEEN *seen)
{
  CHECK_INT (seen->calls, 1);
  CHECK_INT (seen->code, test->code);
  CHECK (seen->text[0] != '\0');
  CHECK (strcmp (seen->text, ldy_last_error ()) == 0);
  for (int i = 0; i < 2 && test->mention[i]; i ++) CHECK_TEXT (seen->text, test->mention[i]);
}

static void check_result (const ERROR_CASE *test, const SCENE *s)
{
  if (test->result == RESULT_POINTER) CHECK_POINTER (s->pointer, NULL);
  if (test->result == RESULT_VALUE) CHECK (isnan (s->value));
}

static void run_with_handler (const ERROR_CASE *test, jmp_buf *jump)
{
  SEEN seen = { 0, 0, "", jump };
  SCENE *volatile s = error_scene ();
  STRUCTURE before;
  CAPTURE capture;
  char text[1024];

  check_context ("%s, handler %s", test->name, jump ? "jumps" : "returns");
  if (test->prepare) test->prepare (s);
  before = structure_of (s->ldy);
  ldy_set_error_handler (handler, &seen);
  capture = capture_begin (STDERR_FILENO);
  if (!jump || setjmp (*jump) == 0) {
    test->call (s);
    CHECK (jump == NULL); /* a handler that jumps does not lead here */
    check_result (test, s);
  }
  capture_end (&capture, text, sizeof text);
  CHECK_INT (strlen (text), 0);
  ldy_set_error_handler (NULL, NULL);
  check_seen (test, &seen);
  error_scene_check_usable (s, test, &before);
  structure_free (&before);
  error_scene_free (s);
}

void error_route_handler_returns (void)
{
  for (int i = error_route_first (); i < error_case_count; i += step) run_with_handler (&error_cases[i], NULL);
}

void error_route_handler_jumps (void)
{
  jmp_buf jump;

  for (int i = error_route_first (); i < error_case_count; i += step) run_with_handler (&error_cases[i], &jump);
}

/* ---- the end of the program */

typedef struct {
  const ERROR_CASE *test;
  SCENE *scene;
  void (*inside) (void (*call) (void *), void *data);
} CHILD;

static void call_case (void *data)
{
  CHILD *child = data;

  child->test->call (child->scene);
}

static void run_child (void *data)
{
  CHILD *child = data;

  if (child->inside) child->inside (call_case, data);
  else call_case (data);
}

void error_route_check_line (const char *text, const char *named, const ERROR_CASE *test)
{
  const char *rest = text + 5, *end;
  char name[128];

  if (!CHECK (strncmp (text, "ldy: ", 5) == 0)) return;
  if (named) {
    snprintf (name, sizeof name, named, test->code);
    CHECK (strncmp (rest, name, strlen (name)) == 0);
    CHECK_TEXT (rest, ": ");
  }
  for (int i = 0; i < 2 && test->mention[i]; i ++) CHECK_TEXT (rest, test->mention[i]);
  end = strchr (text, '\n');
  CHECK (end && end[1] == '\0');
}

void error_route_exits (const char *named, void (*inside) (void (*call) (void *), void *data))
{
  char text[1024];
  CHILD child;

  for (int i = error_route_first (); i < error_case_count; i += step) {
    child.test = &error_cases[i];
    child.scene = error_scene ();
    child.inside = inside;
    check_context ("%s, exits", child.test->name);
    if (child.test->prepare) child.test->prepare (child.scene);
    CHECK_INT (capture_child (run_child, &child, text, sizeof text), 1);
    error_route_check_line (text, named, child.test);
    error_scene_restore (child.scene);
    if (child.test->repair) child.test->repair (child.scene);
    error_scene_free (child.scene);
  }
}
