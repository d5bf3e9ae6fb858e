/* Fuzzing of the legacy module's face; see fuzz.h. Constraints and bodies come, change and go, calls find spoiled fields, and
 * LDY_REUSE is switched on and off in between. */
#include "legacy/sequence.h"
#include "legacy/spoiled_call.h"
#include "support/check.h"
#include "support/compare.h"
#include "support/fuzz.h"
#include "support/mesh_population.h"
#include "support/rebuild_compare.h"

static RANDOM random;
static SEQUENCE *sequence;
static int reuse;

static void begin (void)
{
  static const POPULATION population = { "fuzz_legacy", 12, 0, 1, 0, mesh_population_body, mesh_body_of_any_kind,
                                         mesh_population_change };

  watch_errors ();
  compare_to (1e-8); /* Newton's method ends early in a pyramid whose base is no parallelogram */
  compare_self_contact_once (0);
  sequence = sequence_begin (&population, &random, 0);
  sequence_set_reuse (sequence, reuse = 0);
}

static void spoil (void)
{
  HOST *host = sequence_host (sequence);
  const char *name;

  sequence_complete (sequence);
  if (!host->dom.con) return;
  /* A contact of a body with itself that a spoiled field makes one of two bodies: which of its two blocks counts then is open. */
  compare_self_contact_once (0);
  trial_enlarge (host);
  CON *inserted = trial (host, &random, reuse, &name);
  if (inserted) sequence_reinserted (sequence, inserted);
}

static void update (void)
{
  sequence_complete (sequence);
  host_set_update (sequence_host (sequence), UPDATE_ALL);
  if (CHECK_INT (watched_update (sequence_host (sequence)), 0)) check_fresh (sequence_host (sequence));
}

/* Before the promise the host may have written its own numbers. */
static void switch_reuse (void)
{
  if (!reuse && random_below (&random, 2)) marks_free (marks_put (sequence_host (sequence)->dom.ldy));
  sequence_set_reuse (sequence, reuse = !reuse);
}

static void operation (void)
{
  switch (random_below (&random, 8)) {
  default:
    check_context ("sequence");
    sequence_operation (sequence);
    break;
  case 5:
    check_context ("update");
    update ();
    break;
  case 6:
    spoil ();
    break;
  case 7:
    check_context ("reuse");
    switch_reuse ();
    break;
  }
}

static void end (void)
{
  sequence_end (sequence);
  ldy_set_option (LDY_REUSE, 0);
  watch_no_errors ();
}

int main (int count, char **arguments)
{
  static const FUZZ_TARGET target = { "fuzz_legacy", &random, begin, operation, end };

  return fuzz_main (&target, count, arguments);
}
