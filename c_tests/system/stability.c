/* Geometric stiffness and critical step through ldy_system.h, on pendulums and a brick with numbers by hand. */
#include <math.h>

#include "support/small_stack.h"
#include "system/face.h"

/* The third axis from the slave's point down to the master's. */
static const double down[9] = { 1, 0, 0, 0, -1, 0, 0, 0, -1 };

#define REFUSED(call) CHECK_INT (call, LDY_ERROR_INVALID_ARGUMENT)

static ldy_system *created (void)
{
  ldy_system *system = NULL;

  GOOD (ldy_system_create (&system));
  return system;
}

static int64_t rigid (ldy_system *system, double mass)
{
  double inertia[9] = { 0.5, 0, 0, 0, 0.5, 0, 0, 0, 0.5 };
  int64_t id = -1;

  GOOD (ldy_system_add_rigid (system, mass, inertia, unit, origin, &id));
  return id;
}

/* Masses 2 and 3 on links of lengths 0.5 and 0.25, hanging. */
static void double_pendulum (void)
{
  ldy_joint joints[2] = { { LDY_JOINT_LINK, 0.5 }, { LDY_JOINT_LINK, 0.25 } };
  double R[6] = { 0, 0, -50, 0, 0, -30 }, x[12] = { 0 }, y[12], square, step, share, a = 100, b = 120, trace, wanted;
  int64_t upper, lower, links[2], most;
  ldy_system *system = created ();

  upper = rigid (system, 2);
  lower = rigid (system, 3);
  GOOD (ldy_system_add_point_constraint (system, upper, LDY_GROUND, down, origin, NULL, &links[0]));
  GOOD (ldy_system_add_point_constraint (system, lower, upper, down, origin, origin, &links[1]));
  x[9] = 1;
  x[11] = 1;
  GOOD (ldy_system_geometric_stiffness (system, joints, 2, R, 6, x, y, 12));
  for (int i = 0; i < 12; i ++) CHECK_NEAR (y[i], i == 9 ? b : i == 3 ? -b : 0, 1e-13);
  /* M^-1 K = ((a + b) / 2, -b / 2; -b / 3, b / 3) across the links. */
  trace = (a + b) / 2 + b / 3;
  wanted = trace / 2 + sqrt (trace * trace / 4 - a * b / 6);
  GOOD (critical_step (system, joints, 2, R, 6, 0, &square, &step, &most, &share));
  CHECK_NEAR (square, wanted, 1e-9 * wanted);
  CHECK_NEAR (step, 2 / sqrt (wanted), 1e-9);
  CHECK (most == links[1] && share > 0.5 && share < 1);
  GOOD (critical_step (system, joints, 2, R, 6, 0, NULL, NULL, NULL, NULL));
  R[2] = R[5] = 30; /* pressed */
  GOOD (critical_step (system, joints, 2, R, 6, 0, &square, &step, &most, &share));
  CHECK (square == 0 && isinf (step) && most == -1 && share == 0);
  ldy_system_destroy (system);
}

/* A contact that presses with 10 at (0, 0, -0.5) of the master, from an obstacle below. The master turns about the first axis:
   its own point, pressed upwards, tips it over; on its own face the force turns along and stays where the obstacle's point is. */
static void contacts (void)
{
  static const double below[3] = { 0, 0, -0.5 };
  double R[3] = { 0, 0, 10 }, x[12] = { 1 }, y[12], kinds[3][2] = { { LDY_JOINT_CONTACT, -5 }, { LDY_JOINT_CONTACT_ON_SLAVE, -5 },
    { LDY_JOINT_CONTACT_ON_MASTER, 5 } };
  int64_t body, obstacle, contact;
  ldy_system *system = created ();

  body = rigid (system, 2);
  GOOD (ldy_system_add_obstacle (system, unit, origin, &obstacle));
  GOOD (ldy_system_add_point_constraint (system, body, obstacle, unit, below, origin, &contact));
  for (int k = 0; k < 3; k ++) {
    ldy_joint joint = { (int) kinds[k][0], 0 };
    GOOD (ldy_system_geometric_stiffness (system, &joint, 1, R, 3, x, y, 12));
    CHECK_NEAR (y[0], kinds[k][1], 1e-13);
    CHECK_NEAR (y[4], k == 2 ? 10 : 0, 1e-13);
  }
  ldy_system_destroy (system);
}

/* The brick on a point turns about the point: J + m a^2 in place of J. The same point twice, with half the force each, changes
   nothing; with two points apart it turns about the line through them alone, with three not at all. */
static void sharp (void)
{
  static const double points[4][3] = { { 0, 0, 0.3 }, { 0, 0, 0.3 }, { 0, 1, 0.3 }, { 1, 0, 0.3 } };
  ldy_joint joints[4] = { { LDY_JOINT_FIXED_POINT, 0 }, { LDY_JOINT_FIXED_POINT, 0 }, { LDY_JOINT_FIXED_POINT, 0 }, { LDY_JOINT_FIXED_POINT, 0 } };
  double R[12] = { 0, 0, 20 }, square, step, share, wanted = 6 / (0.5 + 2 * 0.09);
  int64_t body, point, most;
  ldy_system *system = created ();

  body = rigid (system, 2);
  for (int k = 0; k < 4; k ++) {
    GOOD (ldy_system_add_point_constraint (system, body, LDY_GROUND, unit, points[k], NULL, &point));
    if (k == 1) R[2] = R[5] = 10;
    GOOD (critical_step (system, joints, k + 1, R, 3 * k + 3, LDY_CRITICAL_STEP_FREE_MOTIONS, &square, &step, &most, &share));
    CHECK_NEAR (square, k == 3 ? 0 : wanted, 1e-9);
    CHECK (k == 3 ? isinf (step) && most == -1 : fabs (step - 2 / sqrt (wanted)) < 1e-9);
    CHECK (k != 0 || (most == 0 && fabs (share - 1) < 1e-9));
  }
  REFUSED (critical_step (system, joints, 3, R, 12, LDY_CRITICAL_STEP_FREE_MOTIONS, &square, &step, &most, &share));
  ldy_system_destroy (system);
}

static ldy_operator row_of (int n, int dof, double value, double *dense)
{
  for (int i = 0; i < 2 * n; i ++) dense[i] = 0;
  dense[2 * dof] = dense[2 * dof + 1] = value;
  return (ldy_operator) { n, NULL, NULL, dense, (size_t) (2 * n) };
}

/* The brick on a point swings about two axes. What operators tie to its turns changes no stiffness, but what is free:
   flywheels are driven along, each by a row, and a row for an axis leaves the other one. */
static void operators (void)
{
  static const double point[3] = { 0, 0, 0.3 }, diagonals[2][3] = { { 4, 1, 1 }, { 1, 1, 2 } };
  ldy_joint joints[3] = { { LDY_JOINT_FIXED_POINT, 0 }, { LDY_JOINT_CONSTANT_OPERATORS, 0 }, { LDY_JOINT_CONSTANT_OPERATORS, 0 } };
  double R[6] = { 0, 0, 20, 7, 8, 9 }, x[12], y[12], dense[3][12], square, step, share, inertia = 0.5 + 2 * 0.09;
  int64_t bodies[3], id, most;
  ldy_operator H[3];
  ldy_system *system = created ();

  bodies[0] = rigid (system, 2);
  for (int k = 0; k < 2; k ++) GOOD (ldy_system_add_body (system, DIAGONAL (3, diagonals[k]), &bodies[k + 1]));
  GOOD (ldy_system_add_point_constraint (system, bodies[0], LDY_GROUND, unit, point, NULL, &id));
  /* Row 0: the turn about x is the first wheel's. Row 1: it is also the second wheel's. */
  H[0] = row_of (6, 0, 1, dense[0]);
  H[1] = row_of (3, 0, -1, dense[1]);
  H[2] = row_of (3, 2, -1, dense[2]);
  dense[1][1] = 0, dense[2][4] = 0;
  GOOD (ldy_system_add_constraint_rows (system, 2, bodies, H, 3, &id));
  for (int i = 0; i < 12; i ++) x[i] = i - 5;
  REFUSED (ldy_system_critical_step (system, joints, 2, R, 6, 0, NULL));
  REFUSED (ldy_system_critical_step (system, joints, 2, R, 6, 2, &(ldy_critical_step) LDY_CRITICAL_STEP_INIT));
  REFUSED (ldy_system_geometric_stiffness (system, joints, 2, R, 6, x, y, 12));
  GOOD (ldy_system_geometric_stiffness (system, joints, 2, R, 5, x, y, 12));
  /* 20 at an arm of 0.3 */
  for (int i = 0; i < 12; i ++) CHECK_NEAR (y[i], i < 2 ? 6 * x[i] : 0, 1e-13);
  GOOD (critical_step (system, joints, 2, R, 5, LDY_CRITICAL_STEP_FREE_MOTIONS, &square, &step, &most, &share));
  CHECK_NEAR (square, 6 / inertia, 1e-9); /* about y */
  CHECK_INT ((long) most, 0);
  GOOD (ldy_system_add_dof_constraint (system, bodies[0], 1, 1, &id));
  GOOD (critical_step (system, joints, 3, R, 6, LDY_CRITICAL_STEP_FREE_MOTIONS, &square, &step, &most, &share));
  CHECK_NEAR (square, 6 / (inertia + 0.25 + 0.5), 1e-9);
  CHECK_NEAR (step, 2 / sqrt (square), 1e-9);
  GOOD (ldy_system_remove_constraint (system, 0));
  GOOD (ldy_system_add_point_constraint (system, bodies[0], LDY_GROUND, unit, point, NULL, &id));
  /* Now it is the last one. */
  joints[2] = joints[0], joints[0] = joints[1], R[3] = R[4] = 0, R[5] = 20, R[2] = 9;
  GOOD (critical_step (system, joints, 3, R, 6, LDY_CRITICAL_STEP_FREE_MOTIONS, &square, &step, &most, &share));
  CHECK_NEAR (square, 6 / (inertia + 0.25 + 0.5), 1e-9);
  CHECK_INT ((long) most, 3);
  joints[0].kind = LDY_JOINT_CONTACT;
  REFUSED (critical_step (system, joints, 3, R, 6, 0, &square, NULL, NULL, NULL));
  CHECK_TEXT (ldy_last_error (),
    "constraint 1 among bodies 0, 1 and 1 more: its geometric stiffness is not known: it is given by operators");
  joints[0] = joints[2] = joints[1];
  REFUSED (critical_step (system, joints, 3, R, 6, 0, &square, NULL, NULL, NULL));
  CHECK_TEXT (ldy_last_error (), "constraint 3 on body 0: it is given by points, its joint by operators");
  joints[2].kind = LDY_JOINT_CONTACT_ON_SLAVE;
  GOOD (critical_step (system, joints, 3, R, 6, 0, &square, NULL, NULL, NULL));
  joints[2].kind = LDY_JOINT_LINK;
  REFUSED (critical_step (system, joints, 3, R, 6, 0, &square, NULL, NULL, NULL));
  CHECK_TEXT (ldy_last_error (), "constraint 3 on body 0: the length of the link");
  ldy_system_destroy (system);
}

static void errors (void)
{
  ldy_joint link = { LDY_JOINT_LINK, 1 }, no_length = { LDY_JOINT_LINK, 0 }, unknown = { 9, 1 };
  double R[3] = { 0, 0, -1 }, bad[3] = { 0, NAN, 0 }, x[6] = { 0 }, y[6], square, ones[6] = { 1, 1, 1, 1, 1, 1 };
  double A[1] = { 1 }, indefinite[36] = { 0 };
  int starts[2] = { 0, 1 }, rows[1] = { 0 }, ends[7] = { 0, 1, 2, 3, 4, 5, 6 };
  int64_t body, constraint, general;
  ldy_system *system = created ();

  GOOD (critical_step (system, NULL, 0, NULL, 0, 0, &square, NULL, NULL, NULL));
  CHECK_NEAR (square, 0, 0);
  body = rigid (system, 1);
  GOOD (ldy_system_add_point_constraint (system, body, LDY_GROUND, down, origin, NULL, &constraint));
  GOOD (ldy_system_geometric_stiffness (system, &link, 1, R, 3, x, y, 6));
  GOOD (critical_step (system, &link, 1, R, 3, 0, &square, NULL, NULL, NULL));
  GOOD (ldy_system_set_inertia (system, body, SPARSE (6, ends, ends, ones, 6)));
  GOOD (ldy_system_geometric_stiffness (system, &link, 1, R, 3, x, y, 6));
  REFUSED (critical_step (system, &link, 1, R, 3, 0, &square, NULL, NULL, NULL));
  CHECK_TEXT (ldy_last_error (), "a critical step needs a dense or diagonal inverse inertia");
  GOOD (ldy_system_set_inertia (system, body, DIAGONAL (6, ones)));
  REFUSED (ldy_system_geometric_stiffness (NULL, &link, 1, R, 3, x, y, 6));
  REFUSED (ldy_system_geometric_stiffness (system, NULL, 1, R, 3, x, y, 6));
  REFUSED (ldy_system_geometric_stiffness (system, &link, 1, NULL, 3, x, y, 6));
  REFUSED (ldy_system_geometric_stiffness (system, &link, 1, R, 3, NULL, y, 6));
  REFUSED (ldy_system_geometric_stiffness (system, &link, 1, R, 3, x, NULL, 6));
  REFUSED (ldy_system_geometric_stiffness (system, &link, 0, R, 3, x, y, 6));
  REFUSED (ldy_system_geometric_stiffness (system, &link, 2, R, 3, x, y, 6));
  CHECK_INT (ldy_system_geometric_stiffness (system, &link, (size_t) -1, R, 3, x, y, 6), LDY_ERROR_TOO_LARGE);
  REFUSED (ldy_system_geometric_stiffness (system, &link, 1, R, 2, x, y, 6));
  REFUSED (ldy_system_geometric_stiffness (system, &link, 1, R, 6, x, y, 6));
  REFUSED (ldy_system_geometric_stiffness (system, &link, 1, R, 3, x, y, 5));
  CHECK_TEXT (ldy_last_error (), "x and y: 5 values where 6 are needed");
  REFUSED (ldy_system_geometric_stiffness (system, &link, 1, R, 3, x, y, 12));
  REFUSED (critical_step (system, &link, 0, R, 3, 0, &square, NULL, NULL, NULL));
  REFUSED (critical_step (system, &link, 1, R, 2, 0, &square, NULL, NULL, NULL));
  REFUSED (ldy_system_geometric_stiffness (system, &no_length, 1, R, 3, x, y, 6));
  REFUSED (ldy_system_geometric_stiffness (system, &unknown, 1, R, 3, x, y, 6));
  REFUSED (ldy_system_geometric_stiffness (system, &link, 1, bad, 3, x, y, 6));
  REFUSED (critical_step (system, &unknown, 1, R, 3, 0, &square, NULL, NULL, NULL));
  REFUSED (critical_step (NULL, &link, 1, R, 3, 0, &square, NULL, NULL, NULL));
  for (int i = 0; i < 6; i ++) indefinite[7 * i] = i < 3 ? 1 : -1;
  GOOD (ldy_system_set_inertia (system, body, DENSE (6, indefinite)));
  REFUSED (critical_step (system, &link, 1, R, 3, 0, &square, NULL, NULL, NULL));
  CHECK_TEXT (ldy_last_error (), "the inverse inertia is not positive");
  REFUSED (critical_step (system, &link, 1, R, 3, LDY_CRITICAL_STEP_FREE_MOTIONS, &square, NULL, NULL, NULL));
  CHECK_TEXT (ldy_last_error (), "the inverse inertia is not positive");
  GOOD (ldy_system_set_inertia (system, body, DIAGONAL (6, ones)));
  GOOD (ldy_system_add_body (system, DIAGONAL (3, ones), &general));
  GOOD (critical_step (system, &link, 1, R, 3, 0, &square, NULL, NULL, NULL));
  CHECK_NEAR (square, 1, 1e-9); /* what nothing pulls at has no stiffness */
  GOOD (ldy_system_remove_body (system, general));
  GOOD (ldy_system_add_body (system, SPARSE (1, starts, rows, A, 1), &general));
  REFUSED (critical_step (system, &link, 1, R, 3, 0, &square, NULL, NULL, NULL));
  ldy_system_destroy (system);
}

/* A pseudo-rigid body turns no axes. */
static void axes_of_a_pseudo_rigid_body (void)
{
  ldy_joint link = { LDY_JOINT_LINK, 0.5 }, carried = { LDY_JOINT_CONTACT_ON_MASTER, 0 };
  double R[3] = { 0, 0, -8 }, square;
  int64_t body, id;
  ldy_system *system = created ();

  GOOD (ldy_system_add_pseudo_rigid (system, 2, unit, origin, &body));
  GOOD (ldy_system_add_point_constraint (system, body, LDY_GROUND, unit, origin, NULL, &id));
  GOOD (critical_step (system, &link, 1, R, 3, 0, &square, NULL, NULL, NULL));
  CHECK_NEAR (square, 8, 1e-9);
  REFUSED (critical_step (system, &carried, 1, R, 3, 0, &square, NULL, NULL, NULL));
  CHECK_TEXT (ldy_last_error (), "constraint 0 on body 0: the body that is to turn its axes is not rigid");
  ldy_system_destroy (system);
}

static int tests (void)
{
  double_pendulum ();
  contacts ();
  sharp ();
  operators ();
  errors ();
  axes_of_a_pseudo_rigid_body ();
  return check_summary ("system_stability");
}

int main (void)
{
  return on_small_stack (tests);
}
