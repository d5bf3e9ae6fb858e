/* The ways an error can take, each run with every case of error_cases. */
#pragma once

#include "legacy/error_cases.h"

/* Take every n-th case only, each route beginning one further than the one before it; n from the program's argument, if there
 * is one: for runs under slow checkers. */
void error_route_choose (int argc, char **argv);

/* The first case of the next route, and the way to the one after it. */
int error_route_first (void);
int error_route_step (void);

/* Checks the line on stderr for an error of this case: `ldy: TEXT: DETAILS`. `named` is TEXT with
 * a %d for the code, or NULL if it is the library's own. */
void error_route_check_line (const char *text, const char *named, const ERROR_CASE *test);

/* A handler that returns, one that jumps: the same with and without a host's error stack. */
void error_route_handler_returns (void);
void error_route_handler_jumps (void);

/* No handler and no error stack: a line on stderr and exit (1), seen in a child. `named` is in the line for a host that has
 * errstring, NULL for one that has not. `inside` runs each call, e.g. within an entry of the error stack. */
void error_route_exits (const char *named, void (*inside) (void (*call) (void *), void *data));
