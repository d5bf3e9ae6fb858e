/* recovery ROUNDS LARGE SEED ...: random scenes and calls in which one field is spoiled (spoiled_call.h). ROUNDS a seed on small scenes,
 * LARGE on one with enough constraints for threads. */
#include <stdio.h>
#include <stdlib.h>

#include "legacy/spoiled_call.h"
#include "support/check.h"
#include "support/large_scene.h"
#include "support/mesh_population.h"
#include "support/rebuild_compare.h"

#undef BODIES
#define BODIES 7
#define MOST_CONSTRAINTS 16
#define ROUNDS_OF_A_SCENE 20

typedef struct {
  HOST *host;
  RANDOM random;
  int reuse;
} STAGE;

/* Two points of one rigid body have no relative velocity along the line between them: only deformable ones touch themselves. */
static void add_constraint (STAGE *stage, BODY *const *body)
{
  static const int kinds[] = { CONTACT, CONTACT, CONTACT, FIXPNT, FIXDIR, VELODIR, VELODIR3, RIGLNK, SPRING };
  RANDOM *random = &stage->random;
  int kind = kinds[random_below (random, 9)];
  BODY *one = body[random_below (random, BODIES)], *two = body[random_below (random, BODIES)];

  if (kind >= FIXPNT && kind <= VELODIR3) two = NULL;
  if (one == two && one->kind != PRB && one->kind != FEM) two = body[6];
  if (kind == CONTACT && two && one->kind == OBS && two->kind == OBS) one = body[1];
  mesh_constraint (stage->host, random, kind, one, two);
}

static void begin (STAGE *stage, uint64_t seed, int large)
{
  BODY *body[BODIES];

  stage->random.state = seed;
  if (large) stage->host = large_scene (1);
  else {
    stage->host = host_create ();
    for (int i = 0; i < BODIES; i ++) body[i] = mesh_population_body (stage->host, &stage->random, i);
    for (int i = 4 + random_below (&stage->random, MOST_CONSTRAINTS - 3); i; i --) add_constraint (stage, body);
    stage->host->dom.ldy = LOCDYN_Create (&stage->host->dom);
  }
  trial_enlarge (stage->host);
  for (CON *con = stage->host->dom.con; con; con = con->next) {
    if (!con->dia) CHECK_INT (watched_insert (stage->host, con), 0);
  }
  stage->reuse = random_below (&stage->random, 2);
  CHECK_INT (ldy_set_option (LDY_REUSE, stage->reuse), 0);
  CHECK_INT (watched_update (stage->host), 0);
}

static void run (uint64_t seed, int rounds, int large)
{
  STAGE stage;
  const char *name;
  int of_scene = large ? rounds : ROUNDS_OF_A_SCENE;
  long failures;

  for (int i = 0; i < rounds; i ++) {
    if (i % of_scene == 0) begin (&stage, seed + (uint64_t) i, large);
    failures = check_failures ();
    trial (stage.host, &stage.random, stage.reuse, &name);
    if (check_failures () > failures) {
      fprintf (stderr, "  seed %lu, %s scene, round %d: %s\n", (unsigned long) seed, large ? "large" : "small", i, name);
    }
    if ((i + 1) % of_scene == 0 || i + 1 == rounds || check_failures () > failures) {
      scene_destroy (stage.host);
      i += of_scene - 1 - i % of_scene;
    }
  }
}

int main (int argc, char **argv)
{
  int rounds = argc > 1 ? atoi (argv[1]) : 1000, large = argc > 2 ? atoi (argv[2]) : 20;

  watch_errors ();
  for (int i = 3; i < argc && check_failures () < 1000000; i ++) {
    ldy_set_threads (1);
    run (strtoull (argv[i], NULL, 10), rounds, 0);
    ldy_set_threads (2);
    run (strtoull (argv[i], NULL, 10), large, 1);
  }
  watch_no_errors ();
  ldy_set_option (LDY_REUSE, 0);
  ldy_set_threads (1);
  ldy_shutdown ();
  return check_summary ("recovery");
}
