/* A scene with enough constraints for threads to be used, on bodies of every kind and inverse; with meshes also finite
 * elements. */
#pragma once

#include <stdint.h>

#include "support/scene.h"

HOST *large_scene (int with_meshes);

/* A number made of all values of rows and blocks, of V of all constraints and of the free energy. */
uint64_t large_scene_digest (HOST *host);
