#include "support/large_scene.h"

#include <string.h>

#include "support/digest.h"
#include "support/mesh_builder.h"

#define BODIES 60
#define CONSTRAINTS 900

HOST *large_scene (int with_meshes)
{
  static const int kinds[] = { CONTACT, FIXPNT, FIXDIR, VELODIR };
  HOST *host = scene_mixed (20);
  RANDOM random = { 21 };
  BODY *body[BODIES];
  int one, two;

  if (with_meshes) mesh_add_scene (host, &random);
  for (int i = 0; i < BODIES; i ++) {
    body[i] = scene_body (host, &random, i % 3 ? RIG : PRB,
      (INVERSE_FORM) (random_below (&random, 2) ? INVERSE_BLOCKS : i % INVERSE_FORMS));
  }
  for (int i = 0; i < CONSTRAINTS; i ++) {
    one = random_below (&random, BODIES);
    two = (one + 1 + random_below (&random, 3)) % BODIES;
    scene_constraint (host, &random, kinds[random_below (&random, 4)], body[one], body[two]);
  }
  scene_insert_all (host);
  return host;
}

uint64_t large_scene_digest (HOST *host)
{
  uint64_t sum = digest_rows (DIGEST_START, host->dom.ldy), bits;
  double values[4];

  for (CON *con = host->dom.con; con; con = con->next) {
    memcpy (values, con->V, sizeof con->V);
    values[3] = host->dom.ldy->free_energy;
    for (int i = 0; i < 4; i ++) {
      memcpy (&bits, &values[i], sizeof bits);
      sum = (sum ^ bits) * UINT64_C (1099511628211);
    }
  }
  return sum;
}
