/* Constraints that contradict each other, through ldy_system.h: multipliers and texts by hand for systems and rows, bad input, and
 * allocations that fail: each STEP-th, system_conflict [STEP]. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "system/face.h"

#define ROWS 4
#define SIZE (3 * ROWS)

static const char both[] = "contacts 2 and 4 contradict each other: no allowed forces give body 1 a velocity that satisfies them";

/* An obstacle and a ball on it, body 1. A ceiling comes down, and the ball touches a wall. Another ball, body 2, is held by a joint.
   An obstacle whose constraint is removed makes ids differ from rows. */
static ldy_system *press (double speed, int64_t ids[ROWS])
{
  static const double bottom[3] = { 0, 0, -1 }, top[3] = { 0, 0, 1 }, side[3] = { -1, 0, 0 };
  static const double wall[9] = { 0, 1, 0, 0, 0, 1, 1, 0, 0 };
  ldy_law contact = { .kind = LDY_LAW_CONTACT, .friction = 0.25 }, ceiling = contact, joint = { .kind = LDY_LAW_FIXED };
  ldy_system *system = NULL;
  int64_t plate, ball, other, first, second;

  ceiling.bias[2] = - speed;
  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_add_obstacle (system, unit, origin, &plate));
  GOOD (ldy_system_add_rigid (system, 2, unit, unit, origin, &ball));
  GOOD (ldy_system_add_rigid (system, 1, unit, unit, origin, &other));
  GOOD (ldy_system_add_point_constraint (system, ball, LDY_GROUND, unit, origin, NULL, &first));
  GOOD (ldy_system_add_point_constraint (system, other, LDY_GROUND, unit, origin, NULL, &ids[0]));
  GOOD (ldy_system_add_point_constraint (system, ball, plate, unit, bottom, bottom, &ids[1]));
  GOOD (ldy_system_add_point_constraint (system, ball, LDY_GROUND, wall, side, NULL, &second));
  GOOD (ldy_system_add_point_constraint (system, plate, ball, unit, top, top, &ids[3]));
  GOOD (ldy_system_set_law (system, ids[0], &joint));
  GOOD (ldy_system_set_law (system, ids[1], &contact));
  GOOD (ldy_system_set_law (system, second, &contact));
  GOOD (ldy_system_set_law (system, ids[3], &ceiling));
  GOOD (ldy_system_remove_constraint (system, first));
  ids[2] = second;
  GOOD (ldy_system_update (system, 1));
  return system;
}

static void solve (ldy_contact_solver *solver, ldy_system *system, int status)
{
  ldy_contact_solver_report report = { .size = sizeof report };
  double R[SIZE] = { 0 };

  GOOD (ldy_contact_solver_solve (solver, system, NULL, 0, NULL, R, SIZE, &report));
  CHECK_INT (report.status, status);
}

static void is_text (ldy_contact_solver *solver, ldy_system *system, const char *expected)
{
  char text[200], cut[20];
  size_t length;

  memset (text, 'x', sizeof text), memset (cut, 'x', sizeof cut);
  GOOD (ldy_contact_solver_conflict_text (solver, system, text, sizeof text, &length));
  CHECK_TEXT (text, expected);
  CHECK_INT (length, strlen (expected));
  GOOD (ldy_contact_solver_conflict_text (solver, system, NULL, 0, &length));
  CHECK_INT (length, strlen (expected));
  GOOD (ldy_contact_solver_conflict_text (solver, system, cut, 10, NULL));
  CHECK (strncmp (cut, expected, 9) == 0 && cut[strlen (expected) < 9 ? strlen (expected) : 9] == 0 && cut[10] == 'x');
}

static void check_pair (ldy_contact_solver *solver, int64_t first, int64_t second)
{
  ldy_multiplier found[3];
  size_t count;

  memset (found, 0x5a, sizeof found);
  GOOD (ldy_contact_solver_conflict (solver, found, 3, &count));
  CHECK_INT (count, 2);
  for (int k = 0; k < 2; k ++) {
    CHECK_INT (found[k].constraint, k ? second : first);
    CHECK_INT (found[k].component, 2);
    CHECK_INT (found[k].demand, LDY_LAW_CONTACT);
    CHECK (found[k].group == 0 && found[k].reserved == 0);
    CHECK_NEAR (found[k].value, 1, 1e-6);
  }
  CHECK_INT (found[2].demand, 0x5a5a5a5a);
  /* The count alone, and less room. */
  GOOD (ldy_contact_solver_conflict (solver, NULL, 0, &count));
  CHECK_INT (count, 2);
  memset (found, 0x5a, sizeof found);
  GOOD (ldy_contact_solver_conflict (solver, found, 1, NULL));
  CHECK (found[0].constraint == first && found[1].demand == 0x5a5a5a5a);
}

static void conflict_of_a_system (ldy_contact_solver *solver)
{
  int64_t ids[ROWS];
  size_t count;
  ldy_system *system = press (1, ids), *free_system = press (-1, ids);

  CHECK (ids[1] == 2 && ids[3] == 4);
  is_text (solver, system, "");
  solve (solver, system, LDY_STATUS_INFEASIBLE);
  check_pair (solver, 2, 4);
  is_text (solver, system, both);
  is_text (solver, NULL, "contacts 2 and 4 contradict each other: no allowed forces satisfy them");
  /* A constraint that was removed has its name, and another change does nothing. */
  GOOD (ldy_system_remove_constraint (system, ids[1]));
  is_text (solver, system, both);
  GOOD (ldy_system_remove_constraint (system, ids[3]));
  check_pair (solver, 2, 4);
  is_text (solver, system, "contacts 2 and 4 contradict each other: no allowed forces satisfy them");
  /* A problem that is solved has no conflict. */
  solve (solver, free_system, LDY_STATUS_CONVERGED);
  GOOD (ldy_contact_solver_conflict (solver, NULL, 0, &count));
  CHECK_INT (count, 0);
  is_text (solver, free_system, "");
  ldy_system_destroy (free_system);
  ldy_system_destroy (system);
}

/* The same rows, with laws of their own: a stop below, and a joint that comes down. Then two joints of one body, a group of its own. */
static void conflict_of_rows (ldy_contact_solver *solver)
{
  ldy_law laws[ROWS] = { { .kind = LDY_LAW_FIXED } }, kept[ROWS];
  ldy_rows rows = { .size = sizeof rows };
  ldy_multiplier found[4];
  double R[SIZE] = { 0 };
  int64_t ids[ROWS];
  size_t count;
  ldy_system *system = press (1, ids);

  GOOD (ldy_system_results (system, &rows));
  for (int k = 1; k < ROWS; k ++) laws[k] = (ldy_law) { .kind = LDY_LAW_BOUNDS };
  laws[1].upper[2] = INFINITY;
  laws[3].lower[2] = - INFINITY, laws[3].upper[2] = INFINITY, laws[3].bias[2] = -1;
  GOOD (ldy_contact_solver_solve_rows (solver, &rows, laws, ROWS, NULL, R, SIZE, NULL));
  GOOD (ldy_contact_solver_conflict (solver, found, 4, &count));
  CHECK (count == 2 && found[0].constraint == 1 && found[1].constraint == 3);
  CHECK (found[0].demand == LDY_LAW_BOUNDS && found[1].demand == LDY_LAW_FIXED);
  is_text (solver, system, "rows 1 and 3 contradict each other: no allowed forces satisfy them");
  is_text (solver, NULL, "rows 1 and 3 contradict each other: no allowed forces satisfy them");
  /* The same laws with the system. */
  GOOD (ldy_contact_solver_solve (solver, system, laws, ROWS, NULL, R, SIZE, NULL));
  is_text (solver, system, "joint 4 and limit 2 contradict each other: no allowed forces give body 1 a velocity that satisfies them");
  /* A refused call leaves it. */
  memcpy (kept, laws, sizeof laws);
  kept[2].kind = LDY_LAW_NONE;
  BAD (ldy_contact_solver_solve_rows (solver, &rows, kept, ROWS, NULL, R, SIZE, NULL), "laws[2].kind is 0");
  is_text (solver, system, "joint 4 and limit 2 contradict each other: no allowed forces give body 1 a velocity that satisfies them");
  ldy_system_destroy (system);
}

static void bad_input (ldy_contact_solver *solver)
{
  ldy_multiplier found;
  int64_t ids[ROWS];
  size_t count = 77;
  char text[4] = "abc";
  ldy_system *system = press (1, ids);

  solve (solver, system, LDY_STATUS_INFEASIBLE);
  BAD (ldy_contact_solver_conflict (NULL, &found, 1, &count), "solver is NULL");
  BAD (ldy_contact_solver_conflict (solver, NULL, 1, &count), "multipliers is NULL");
  BAD (ldy_contact_solver_conflict_text (NULL, system, text, 4, &count), "solver is NULL");
  BAD (ldy_contact_solver_conflict_text (solver, system, NULL, 4, &count), "text is NULL");
  CHECK (count == 77 && strcmp (text, "abc") == 0);
  ldy_system_destroy (system);
}

/* The k-th allocation fails; 1 if one did. */
static int attempt (ldy_system *system, int k)
{
  ldy_contact_solver *solver = NULL;
  double R[SIZE] = { 0 };
  char text[200] = "abc";
  long in_use = failing.in_use;
  int code;

  check_context ("allocation %d", k);
  failing_arm (k);
  code = ldy_contact_solver_create (&solver);
  if (!code) code = ldy_contact_solver_solve (solver, system, NULL, 0, NULL, R, SIZE, NULL);
  if (code) for (int i = 0; i < SIZE; i ++) CHECK (R[i] == 0);
  if (!code) code = ldy_contact_solver_conflict_text (solver, system, text, sizeof text, NULL);
  failing.armed = 0;
  if (code) {
    CHECK (failing.failed > 0 && strcmp (text, "abc") == 0);
    CHECK_INT (code, LDY_ERROR_OUT_OF_MEMORY);
    CHECK_TEXT (ldy_last_error (), "out of memory");
    if (!solver) GOOD (ldy_contact_solver_create (&solver));
    GOOD (ldy_contact_solver_solve (solver, system, NULL, 0, NULL, R, SIZE, NULL));
  }
  check_pair (solver, 2, 4);
  is_text (solver, system, both);
  ldy_contact_solver_destroy (solver);
  CHECK_INT (failing.in_use, in_use);
  return failing.failed > 0;
}

static void failing_allocations (ldy_contact_solver *solver, int step)
{
  int64_t ids[ROWS];
  ldy_system *system = press (1, ids);
  int k = 1;

  /* The system keeps memory for solutions. */
  solve (solver, system, LDY_STATUS_INFEASIBLE);
  while (attempt (system, k)) k += step;
  CHECK (k > 20);
  check_context (NULL);
  ldy_system_destroy (system);
}

int main (int argc, char **argv)
{
  int step = argc > 1 ? atoi (argv[1]) : 1;
  ldy_contact_solver *solver = NULL;

  if (step < 1) return 2;
  GOOD (ldy_contact_solver_create (&solver));
  conflict_of_a_system (solver);
  conflict_of_rows (solver);
  bad_input (solver);
  failing_allocations (solver, step);
  ldy_contact_solver_destroy (solver);
  return check_summary ("system_conflict");
}
