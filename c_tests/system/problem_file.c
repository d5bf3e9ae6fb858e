/* Contact problems in files. Arguments: a scratch file, and the recorded file of the same problem, which tests/data/problems describes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/system_calls.h"
#include "support/check.h"

#define GOOD(call) CHECK_INT (call, 0)
#define BAD(call, text) do { CHECK_INT (call, LDY_ERROR_INVALID_ARGUMENT); CHECK_TEXT (ldy_last_error (), text); } while (0)

#define BODIES 4
#define DOFS 6
#define ROWS 6
#define SCALARS 17

/* Two contacts, in space and in a plane, a limit, a weld with a motor, an orthotropic contact with cohesion, a joint in a plane. */
static const int heights[ROWS] = { 3, 2, 1, 6, 3, 2 };
static const ldy_law laws[ROWS] = {
  { .kind = LDY_LAW_CONTACT, .friction = 0.5, .bias = { 0, 0, 0.25 } },
  { .kind = LDY_LAW_CONTACT, .friction = 0.25, .cohesion = 0.125, .bias = { 0.5, -0.25 } },
  { .kind = LDY_LAW_BOUNDS, .upper = { INFINITY } },
  { .kind = LDY_LAW_BOUNDS, .lower = { -INFINITY, -INFINITY, -INFINITY, -INFINITY, -0.5, 0 },
    .upper = { INFINITY, INFINITY, INFINITY, INFINITY, 0.5, 0 }, .bias = { 0, 0, 0, 0, 1, 0 } },
  { .kind = LDY_LAW_ORTHOTROPIC_CONTACT, .friction = 0.75, .friction_2 = 0.25, .cohesion = 0.5 },
  { .kind = LDY_LAW_FIXED },
};

/* The laws go to constraints that have one; the others get them later. */
static ldy_system *scene (void)
{
  ldy_system *system = NULL;
  int64_t bodies[BODIES], pair[2], id;
  double inverse[DOFS], velocity[DOFS], H[2][6 * DOFS];
  int first = 0;

  GOOD (ldy_system_create (&system));
  for (int body = 0; body < BODIES; body ++) {
    for (int dof = 0; dof < DOFS; dof ++) {
      inverse[dof] = 1 + 0.25 * ((body + dof) % 3);
      velocity[dof] = 0.125 * ((5 * body + 3 * dof) % 7 - 3);
    }
    GOOD (ldy_system_add_body (system, DIAGONAL (DOFS, inverse), &bodies[body]));
    GOOD (ldy_system_set_velocity (system, bodies[body], LDY_VELOCITY_FREE, velocity, DOFS));
  }
  for (int row = 0; row < ROWS; first += heights[row ++]) {
    ldy_operator operators[2];

    for (int side = 0; side < 2; side ++) {
      pair[side] = bodies[(row + side) % BODIES];
      for (int k = 0; k < heights[row] * DOFS; k ++) {
        int scalar = first + k % heights[row], dof = k / heights[row];
        H[side][k] = 0.125 * ((7 * scalar + 11 * dof + 5 * side + scalar * dof) % 19 - 9);
      }
      operators[side] = (ldy_operator) { DOFS, NULL, NULL, H[side], (size_t) (heights[row] * DOFS) };
    }
    GOOD (ldy_system_add_constraint_rows (system, heights[row], pair, operators, 2, &id));
    GOOD (ldy_system_set_law (system, id, &laws[row]));
  }
  GOOD (ldy_system_update (system, 0.5));
  return system;
}

static size_t read_file (const char *path, char *bytes, size_t most)
{
  FILE *file = fopen (path, "rb");
  size_t count = 0;

  if (CHECK (file != NULL)) count = fread (bytes, 1, most, file), fclose (file);
  return count;
}

/* Nine decimals, so that the last digits of a solver do not change the file. */
static void solved (const ldy_system *system, double *R)
{
  ldy_contact_solver *solver = NULL;
  ldy_contact_solver_options options = { .size = sizeof options, .tolerance = 1e-13 };
  ldy_contact_solver_report report = { .size = sizeof report };

  memset (R, 0, SCALARS * sizeof *R);
  GOOD (ldy_contact_solver_create (&solver));
  GOOD (ldy_contact_solver_solve (solver, system, NULL, 0, &options, R, SCALARS, &report));
  CHECK_INT (report.status, LDY_STATUS_CONVERGED);
  for (int i = 0; i < SCALARS; i ++) R[i] = nearbyint (1e9 * R[i]) / 1e9;
  ldy_contact_solver_destroy (solver);
}

static void same_as_recorded (const ldy_system *system, const char *scratch, const char *recorded)
{
  static char one[20000], other[20000];
  double R[SCALARS];
  size_t size;

  solved (system, R);
  GOOD (ldy_problem_write (system, NULL, 0, NULL, 0, scratch));
  CHECK (read_file (scratch, other, sizeof other) > 1000);
  GOOD (ldy_problem_write (system, laws, ROWS, R, SCALARS, scratch));
  size = read_file (scratch, one, sizeof one);
  CHECK (size < sizeof one && size == read_file (recorded, other, sizeof other) && !memcmp (one, other, size));
  GOOD (ldy_problem_write (system, NULL, 0, R, SCALARS, scratch));
  CHECK_INT (read_file (scratch, other, sizeof other), size);
  CHECK_SAME_BITS (one, other, size);
}

/* What is refused leaves the old file as it was. */
static void refusals (ldy_system *system, const char *scratch)
{
  static char before[20000], after[20000];
  double R[SCALARS] = { 0 };
  size_t size = read_file (scratch, before, sizeof before);
  ldy_law bad[ROWS], none = { .kind = LDY_LAW_NONE };

  memcpy (bad, laws, sizeof bad);
  BAD (ldy_problem_write (NULL, NULL, 0, R, SCALARS, scratch), "system is NULL");
  BAD (ldy_problem_write (system, NULL, 0, R, SCALARS, NULL), "path is NULL");
  BAD (ldy_problem_write (system, NULL, ROWS, R, SCALARS, scratch), "laws is NULL");
  BAD (ldy_problem_write (system, laws, ROWS, NULL, SCALARS, scratch), "R is NULL");
  BAD (ldy_problem_write (system, laws, ROWS - 1, R, SCALARS, scratch), "laws: 5 values where 6 are needed");
  BAD (ldy_problem_write (system, laws, ROWS, R, SCALARS - 1, scratch), "forces: 16 values where 17 are needed");
  bad[2].kind = LDY_LAW_CONTACT;
  BAD (ldy_problem_write (system, bad, ROWS, R, SCALARS, scratch),
    "constraint 2 between bodies 2 and 3: a contact has two to six scalar rows");
  bad[2].kind = 99;
  BAD (ldy_problem_write (system, bad, ROWS, R, SCALARS, scratch), "laws[2].kind is 99; expected one of LDY_LAW_*");
  R[5] = NAN;
  BAD (ldy_problem_write (system, NULL, 0, R, SCALARS, scratch), "constraint 2 between bodies 2 and 3: the force to begin with");
  R[5] = 0;
  CHECK_INT (ldy_problem_write (system, NULL, 0, R, SCALARS, "/no/such/place"), LDY_ERROR_FILE_OPEN);
  CHECK_INT (ldy_problem_write (system, NULL, 0, R, SCALARS, "/dev/full"), LDY_ERROR_FILE_WRITE);
  GOOD (ldy_system_set_law (system, 4, &none));
  BAD (ldy_problem_write (system, NULL, 0, R, SCALARS, scratch), "constraint 4 between bodies 0 and 1: it has no law");
  GOOD (ldy_system_remove_constraint (system, 4));
  CHECK (ldy_problem_write (system, NULL, 0, NULL, 0, scratch) != 0);
  CHECK_INT (read_file (scratch, after, sizeof after), size);
  CHECK_SAME_BITS (before, after, size);
}

int main (int argc, char **argv)
{
  ldy_system *system;

  if (!CHECK (argc == 3)) return check_summary ("system_problem_file");
  system = scene ();
  same_as_recorded (system, argv[1], argv[2]);
  refusals (system, argv[1]);
  ldy_system_destroy (system);
  return check_summary ("system_problem_file");
}
