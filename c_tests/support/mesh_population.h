/* The bodies of random sequences with meshes: finite-element bodies of all forms, schemes, elements and inverses among rigid
 * and pseudo-rigid ones. Another body is mesh_body_of_any_kind. */
#pragma once

#include "support/mesh_builder.h"

BODY *mesh_population_body (HOST *host, RANDOM *random, int place);
void mesh_population_change (BODY *body, RANDOM *random);
