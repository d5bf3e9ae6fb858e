/* random_shadows OPERATIONS SEED ...: random sequences (sequence.h) with meshes, and a shadow of the library itself that has to
 * agree with it after every update, regardless of the rows, blocks and bodies that have come and gone. */
#include "legacy/sequence.h"
#include "support/mesh_population.h"

int main (int argc, char **argv)
{
  static const POPULATION population = { "random_shadows", 12, 1, 0, 1, mesh_population_body, mesh_body_of_any_kind,
                                         mesh_population_change };

  return sequence_main (&population, argc, argv);
}
