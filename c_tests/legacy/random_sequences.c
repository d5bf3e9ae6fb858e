/* random_sequences OPERATIONS SEED ...: random sequences (sequence.h) with rigid and pseudo-rigid bodies. */
#include "legacy/sequence.h"

static INVERSE_FORM random_inverse_form (RANDOM *random)
{
  return (INVERSE_FORM) random_below (random, INVERSE_FORMS);
}

static BODY *body (HOST *host, RANDOM *random, int place)
{
  static const int kinds[SEQUENCE_BODIES] = { OBS, RIG, RIG, RIG, RIG, PRB, PRB, PRB, OBS };

  return scene_body (host, random, kinds[place], random_inverse_form (random));
}

static BODY *other_body (HOST *host, RANDOM *random)
{
  static const int kinds[] = { OBS, RIG, PRB };
  int kind = kinds[random_below (random, 3)];

  return scene_body (host, random, kind, random_inverse_form (random));
}

static void change_body (BODY *body, RANDOM *random)
{
  scene_randomise_body (body, random, random_inverse_form (random));
}

int main (int argc, char **argv)
{
  static const POPULATION population = { "random_sequences", 5, 0, 0, 0, body, other_body, change_body };

  return sequence_main (&population, argc, argv);
}
