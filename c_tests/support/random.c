#include "support/random.h"

#include <stddef.h>

static struct {
  const RANDOM *of;
  const unsigned char *next;
  int left;
} choices;

/* splitmix64 */
uint64_t random_bits (RANDOM *random)
{
  uint64_t z = random->state += UINT64_C (0x9e3779b97f4a7c15);

  z = (z ^ (z >> 30)) * UINT64_C (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C (0x94d049bb133111eb);
  return z ^ (z >> 31);
}

int random_below (RANDOM *random, int limit)
{
  if (random == choices.of && choices.left) {
    choices.left --;
    return *choices.next ++ % limit;
  }
  return (int) (random_bits (random) % (uint64_t) limit);
}

double random_value (RANDOM *random)
{
  return (double) (random_bits (random) >> 11) * (2.0 / 9007199254740992.0) - 1;
}

void random_choices (const RANDOM *random, const unsigned char *bytes, int count)
{
  choices.of = random;
  choices.next = bytes;
  choices.left = random ? count : 0;
}
