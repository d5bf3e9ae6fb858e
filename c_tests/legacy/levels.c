/* Updates with and without AVX2 have the same bits, and agree with dense matrices up to rounding. */
#include "support/check.h"
#include "support/compare.h"
#include "support/large_scene.h"

static uint64_t update_without (int avx2, int threads, int rounds)
{
  HOST *host = large_scene (0);
  RANDOM random = { 11 };
  uint64_t sum = 0;

  CHECK_INT (ldy_set_option (LDY_NO_AVX2, avx2), 0);
  CHECK_INT (ldy_set_threads (threads), 0);
  for (; rounds > 0; rounds --) {
    for (CON *con = host->dom.con; con; con = con->next) scene_randomise_constraint (con, &random);
    LOCDYN_Update_Begin (host->dom.ldy);
    sum = 31 * sum + large_scene_digest (host);
  }
  scene_destroy (host);
  return sum;
}

static void test_same_bits (void)
{
  for (int threads = 1; threads <= 2; threads ++) {
    check_context ("%d threads", threads);
    CHECK (update_without (0, threads, 3) == update_without (1, threads, 3));
  }
}

static void test_values (void)
{
  static const UPDATE_KIND updates[] = { UPDATE_ALL, UPDATE_PENALTY, UPDATE_MINIMAL };
  HOST *host = scene_mixed (12);

  scene_insert_all (host);
  for (int i = 0; i < 6; i ++) {
    check_context ("update %d, option %d", updates[i / 2], i % 2);
    CHECK_INT (ldy_set_option (LDY_NO_AVX2, i % 2), 0);
    update_and_compare (host, updates[i / 2]);
  }
  scene_destroy (host);
}

int main (void)
{
  test_same_bits ();
  test_values ();
  CHECK_INT (ldy_set_option (LDY_NO_AVX2, 2), LDY_ERROR_INVALID_ARGUMENT);
  ldy_shutdown ();
  return check_summary ("levels");
}
