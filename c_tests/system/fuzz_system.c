/* Fuzzing of ldy_system.h; see fuzz.h. */
#include "support/system_calls.h"
#include "support/fuzz.h"
#include "system/calls.h"

int main (int count, char **arguments)
{
  static const FUZZ_TARGET target = { "fuzz_system", &calls_random, calls_begin, calls_one, calls_end };
  int code = fuzz_main (&target, count, arguments);

  ldy_shutdown ();
  return code;
}
