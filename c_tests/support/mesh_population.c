#include "support/mesh_population.h"

BODY *mesh_population_body (HOST *host, RANDOM *random, int place)
{
  switch (place) {
  case 0: return scene_body (host, random, OBS, INVERSE_BLOCKS);
  case 1: return scene_body (host, random, RIG, INVERSE_BLOCKS);
  case 2: return scene_body (host, random, RIG, INVERSE_DENSE);
  case 6: return scene_body (host, random, PRB, INVERSE_LARGE_BLOCK);
  default: return mesh_body_of_any_kind (host, random);
  }
}

/* The matrix stays, moves, changes its values or all of it. */
void mesh_population_change (BODY *body, RANDOM *random)
{
  if (body->kind != FEM) {
    scene_randomise_body (body, random, (INVERSE_FORM) random_below (random, INVERSE_FORMS));
    return;
  }
  mesh_randomise_motion (body, random);
  switch (random_below (random, 8)) {
  case 0:
  case 1: mesh_scale_inertia (body, 1 + 0.5 * random_value (random)); break;
  case 2: mesh_copy_inertia (body); break;
  case 3: mesh_randomise_inertia (body, random, INERTIA_FACTORED); break;
  case 4: mesh_randomise_inertia (body, random, INERTIA_FACTORED_GENERAL); break;
  case 5: mesh_randomise_inertia (body, random, (INERTIA_FORM) random_below (random, INERTIA_FORMS)); break;
  default: break;
  }
}
