/* The same errors in a program without timers, error stack and errstring: nothing of a host is needed. */
#include "legacy/error_routes.h"
#include "support/check.h"

int main (int argc, char **argv)
{
  error_route_choose (argc, argv);
  error_route_handler_returns ();
  error_route_handler_jumps ();
  error_route_exits (NULL, NULL);
  return check_summary ("errors_bare");
}
