/* Random calls of ldy_system.h (calls.h):
 *
 *   system_random CALLS SEED ...      CALLS calls for every seed */
#include <stdlib.h>

#include "support/system_calls.h"
#include "support/check.h"
#include "system/calls.h"

static void on_small (long calls)
{
  while (calls > 0) {
    calls_begin ();
    for (int length = 50 + random_below (&calls_random, 300); length && calls; length --, calls --) calls_one ();
    calls_end ();
  }
}

int main (int count, char **arguments)
{
  long calls = count > 1 ? atol (arguments[1]) : 2000;

  for (int k = 2; k < count; k ++) {
    calls_random.state = strtoull (arguments[k], NULL, 10);
    check_context (NULL);
    on_small (calls);
    calls_on_large ((int) (calls / 100) + 8);
  }
  ldy_shutdown ();
  return check_summary ("system_random");
}
