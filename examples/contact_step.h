/* A few cubes and spheres, and the contact-dynamics step, theory (5)-(7), on ldy_system.h. */
#include "ldy_system.h"

enum { MOST_BODIES = 4, MOST_PAIRS = 8, SPACE = -1 };

/* Its inertia is the same about all axes. */
typedef struct solid {
  double mass, inertia;
  double place[3];    /* of the mass center */
  double rotation[9]; /* column-major; referential mass center: the origin */
  double velocity[6]; /* angular, in the referential frame, then that of the mass center */
  int64_t id;
} solid;

enum { POINT_ON_FLOOR, SPHERES, LINK };

/* Two points that touch when they are below each other, or are linked. */
typedef struct pair {
  int kind;            /* one of these */
  int master, slave;   /* indices of solids, or SPACE: the slave only */
  double point[3];     /* referential, of the master: a corner; the floor is z = 0 */
  double anchor[3];    /* of a link to SPACE */
  double length;       /* of a link, or the sum of the radii of two spheres */
  double friction, restitution;
  double R[3];         /* where the solver begins */
  int active;          /* in this step */
  double distance;     /* of a link, in this step */
  int64_t id;
} pair;

typedef struct world {
  ldy_system *system;
  ldy_contact_solver *solver;
  double gravity;
  int solids, pairs;
  solid solid[MOST_BODIES];
  pair pair[MOST_PAIRS];
} world;

/* Each of them ends the program if something fails. */
void world_begin (world *world, double gravity);
solid *world_add (world *world, double mass, double inertia, double x, double z);
pair *world_join (world *world, int kind, int master, int slave);
void world_step (world *world, double h);
void world_end (world *world);
