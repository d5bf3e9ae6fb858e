/* random_meshes OPERATIONS SEED ...: random sequences (sequence.h) with meshes, self-contact stored twice and once. */
#include "legacy/sequence.h"
#include "support/mesh_population.h"

int main (int argc, char **argv)
{
  static const POPULATION population = { "random_meshes", 12, 1, 1, 0, mesh_population_body, mesh_body_of_any_kind,
                                         mesh_population_change };

  return sequence_main (&population, argc, argv);
}
