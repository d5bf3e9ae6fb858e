/* reference_side FILE.ldysnap ...: the tests' own side, reader and dense matrices, against recorded states.
 *
 * What the library is measured with is measured here, without the library: V, B and W of all states. */

#include "support/check.h"
#include "support/compare.h"
#include "support/dense.h"
#include "support/snapshot.h"

#define TOLERANCE 1e-12

static void near_all (const double *got, const double *want, int count, double scale)
{
  for (int i = 0; i < count; i ++) CHECK_NEAR (got[i], want[i], TOLERANCE * scale);
}

static void check_state (const SNAPSHOT *s)
{
  DENSE_SYSTEM *system = dense_system (&s->host->dom);
  const SNAPSHOT_ROW *row;
  double W[9];
  int c;

  for (int i = 0; i < s->rows; i ++) {
    row = &s->row[i];
    for (c = 0; system->con[c] != row->con; c ++) continue;
    near_all (system->V + 3 * c, row->V, 3, system->speed[c]);
    near_all (system->B + 3 * c, row->B, 3, system->speed[c]);
    if (s->update == UPDATE_MINIMAL) continue;
    dense_global_block (system, row->con, row->con, W);
    near_all (W, row->W, 9, dense_largest_entry (9, row->W));
  }
  dense_system_free (system);
}

int main (int argc, char **argv)
{
  SNAPSHOT *snapshot;
  char error[256];

  CHECK (argc > 1);
  for (int i = 1; i < argc; i ++) {
    check_context ("%s", argv[i]);
    snapshot = snapshot_read (argv[i], error, sizeof error);
    if (!CHECK (snapshot != NULL)) continue;
    check_state (snapshot);
    snapshot_free (snapshot);
  }
  return check_summary ("reference_side");
}
