/* Derivatives of a step by the data of a system through ldy_system.h: closed forms of a puck and a pendulum, bodies with an inverse
 * callback beside the same bodies with matrices, bad input with its texts, and every allocation that fails. */
#include <math.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "system/face.h"

#define PUCK 3.0
#define FRICTION 0.4
#define FALL 0.981
#define STEP 0.1

/* A puck that slides at the speed 3 for one step of 0.1: its speed is 3 - FRICTION FALL afterwards, with any mass. */
static ldy_system *puck (int64_t *body, int64_t *contact, double R[3])
{
  ldy_law law = { .kind = LDY_LAW_CONTACT, .friction = FRICTION };
  double u[6] = { 0, 0, 0, 3, 0, -FALL };
  ldy_system *system = NULL;
  int64_t obstacle;

  GOOD (ldy_system_create (&system));
  GOOD (ldy_system_add_obstacle (system, unit, origin, &obstacle));
  GOOD (ldy_system_add_rigid (system, PUCK, unit, unit, origin, body));
  GOOD (ldy_system_set_velocity (system, *body, LDY_VELOCITY_FREE, u, 6));
  GOOD (ldy_system_add_point_constraint (system, *body, obstacle, unit, origin, origin, contact));
  GOOD (ldy_system_set_law (system, *contact, &law));
  GOOD (ldy_system_update (system, STEP));
  R[0] = -FRICTION * PUCK * FALL / STEP, R[1] = 0, R[2] = PUCK * FALL / STEP;
  return system;
}

/* The function is the speed after the step; velocities of the obstacle come first. */
static const double by_speed[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 };

static void check_puck (const ldy_gradient *gradient, int64_t body, int64_t contact)
{
  double u[6], mass = 7, tensor[9], matrix[36], rotation[9], center[3], frame[9], points[2][3], operator[18], compliance[9], step = 7;

  GOOD (ldy_gradient_velocity (gradient, body, u, 6));
  CHECK_NEAR (u[3], 1, 1e-14), CHECK_NEAR (u[5], FRICTION, 1e-14), CHECK_NEAR (u[4], 0, 1e-14);
  GOOD (ldy_gradient_inertia (gradient, body, &mass, tensor));
  CHECK_NEAR (mass, 0, 1e-14);
  GOOD (ldy_gradient_matrix (gradient, body, matrix, 36));
  for (int i = 0; i < 9; i ++) CHECK_NEAR (tensor[i], 0, 1e-14);
  /* d speed / d A = -h a b^T with a = (1, mu) / m, b = (R_T, R_N) / m. */
  CHECK_NEAR (matrix[3 * 6 + 3], FRICTION * FALL / PUCK, 1e-13);
  CHECK_NEAR (matrix[5 * 6 + 5], -FRICTION * FALL / PUCK, 1e-13);
  CHECK_NEAR (matrix[5 * 6 + 3], matrix[3 * 6 + 5], 0);
  GOOD (ldy_gradient_pose (gradient, body, rotation, center));
  GOOD (ldy_gradient_place (gradient, contact, frame, points[0], points[1]));
  for (int i = 0; i < 3; i ++) CHECK_NEAR (points[0][i] + points[1][i], 0, 1e-13), CHECK_NEAR (center[i], -points[0][i], 1e-13);
  GOOD (ldy_gradient_operator (gradient, contact, body, operator, 18));
  /* x (u + h b)^T + h R a^T: entry of the normal and the fall, x_N = mu, u + h b = 0, R_N h = m fall, a = mu / m. */
  CHECK_NEAR (operator[3 * 5 + 2], FALL * FRICTION, 1e-13);
  GOOD (ldy_gradient_compliance (gradient, contact, compliance, 9));
  CHECK_NEAR (compliance[8], FRICTION * PUCK * FALL / STEP, 1e-12);
  GOOD (ldy_gradient_step (gradient, &step));
  CHECK_NEAR (step, 0, 1e-13);
}

static void sliding_puck (void)
{
  double R[3], by_B[3], u[6];
  ldy_derivatives *derivatives = NULL;
  ldy_gradient *gradient = NULL;
  int64_t body, contact;
  ldy_system *system = puck (&body, &contact, R);
  ldy_law by_law;
  ldy_fit fit;

  GOOD (ldy_derivatives_create (&derivatives));
  GOOD (ldy_gradient_create (&gradient));
  GOOD (ldy_derivatives_compute (derivatives, system, NULL, 0, R, 3, 0));
  GOOD (ldy_gradient_compute (gradient, system, derivatives, R, NULL, NULL, 3, by_speed, 12, by_B, &by_law, 1, &fit));
  CHECK (fit.is_singular == 0 && fit.is_solution == 1 && fit.outside < 1e-14);
  CHECK_NEAR (by_law.friction, -FALL, 1e-14);
  CHECK_NEAR (by_B[2], FRICTION, 1e-14);
  check_puck (gradient, body, contact);
  /* The obstacle under it moves: the puck does not care how fast it slides, but where its support goes. */
  GOOD (ldy_gradient_velocity (gradient, 0, u, 6));
  CHECK_NEAR (u[3], 0, 1e-14), CHECK_NEAR (u[5], -FRICTION, 1e-14);
  /* The speed by U alone, without the wish for by_B, laws and fit, is the same derivative but for u itself. */
  GOOD (ldy_gradient_compute (gradient, system, derivatives, R, NULL, (double[]) { 1, 0, 0 }, 3, NULL, 0, NULL, NULL, 0, NULL));
  GOOD (ldy_gradient_velocity (gradient, body, u, 6));
  CHECK_NEAR (u[3], 1, 1e-14), CHECK_NEAR (u[5], FRICTION, 1e-14);
  GOOD (ldy_gradient_compute (gradient, system, derivatives, R, NULL, NULL, 3, by_speed, 12, by_B, &by_law, 1, &fit));
  ldy_system_destroy (system);
  check_puck (gradient, body, contact);
  ldy_gradient_destroy (gradient), ldy_derivatives_destroy (derivatives);
}

/* A rod of the mass m with the moment of inertia J hangs on a hinge at the distance l from its center, at an angle: after a step of
 * gravity its angular velocity is -m fall l sin / (J + m l^2). */
static void pendulum (void)
{
  double m = 2, J = 0.3, l = 0.7, angle = 0.4, fall = 0.0981, moment = J + m * l * l, R[5] = { 0 }, by_spin[6] = { 0, 0, 1 };
  double rotation[9] = { cos (angle), sin (angle), 0, -sin (angle), cos (angle), 0, 0, 0, 1 }, inertia[9] = { J, 0, 0, 0, J, 0, 0, 0, J };
  double u[6] = { 0, 0, 0, fall }, end[3] = { -l, 0, 0 }, position[3] = { l * cos (angle), l * sin (angle), 0 };
  double by_rotation[9], by_center[3], by_position[3], frames[2][9], points[2][3], own[9], point[3];
  ldy_contact_solver_options options = { .size = sizeof options, .tolerance = 1e-13 };
  ldy_law law = { .kind = LDY_LAW_FIXED };
  ldy_contact_solver *solver = NULL;
  ldy_derivatives *derivatives = NULL;
  ldy_gradient *gradient = NULL;
  ldy_system *system = NULL;
  int64_t rod, hinge;

  GOOD (ldy_system_create (&system));
  GOOD (ldy_contact_solver_create (&solver));
  GOOD (ldy_derivatives_create (&derivatives));
  GOOD (ldy_gradient_create (&gradient));
  GOOD (ldy_system_add_rigid (system, m, inertia, rotation, origin, &rod));
  GOOD (ldy_system_set_velocity (system, rod, LDY_VELOCITY_FREE, u, 6));
  GOOD (ldy_system_add_joint (system, LDY_AXES_HINGE, rod, LDY_GROUND, unit, end, unit, origin, &hinge));
  GOOD (ldy_system_set_law (system, hinge, &law));
  GOOD (ldy_system_set_positions (system, &rod, 0, position, 0, 1));
  GOOD (ldy_system_update (system, STEP));
  GOOD (ldy_contact_solver_solve (solver, system, NULL, 0, &options, R, 5, NULL));
  GOOD (ldy_derivatives_compute (derivatives, system, NULL, 0, R, 5, 0));
  GOOD (ldy_gradient_compute (gradient, system, derivatives, R, NULL, NULL, 5, by_spin, 6, NULL, NULL, 0, NULL));
  GOOD (ldy_gradient_pose (gradient, rod, by_rotation, by_center));
  GOOD (ldy_gradient_position (gradient, rod, by_position));
  GOOD (ldy_gradient_joint (gradient, hinge, frames[0], points[0], frames[1], points[1]));
  /* The center goes away from the hinge; then the rod turns about the hinge: rotation times skew (0, 0, 1), and its center moves. */
  double by_length = -m * fall * sin (angle) * (J - m * l * l) / (moment * moment);
  CHECK_NEAR (cos (angle) * by_position[0] + sin (angle) * by_position[1], by_length, 1e-11);
  CHECK_NEAR (-cos (angle) * points[1][0] - sin (angle) * points[1][1], by_length, 1e-11);
  double by_angle = l * (cos (angle) * by_position[1] - sin (angle) * by_position[0]);
  for (int i = 0; i < 3; i ++) by_angle += by_rotation[i] * rotation[3 + i] - by_rotation[3 + i] * rotation[i];
  CHECK_NEAR (by_angle, -m * fall * l * cos (angle) / moment, 1e-11);
  for (int i = 0; i < 3; i ++) CHECK_NEAR (points[0][i], 0, 1e-11), CHECK_NEAR (by_center[i], 0, 1e-11);
  for (int i = 0; i < 9; i ++) CHECK_NEAR (frames[1][i], 0, 0);
  GOOD (ldy_gradient_place (gradient, hinge, own, point, point));
  CHECK_SAME_BITS (own, frames[0], sizeof own), CHECK_SAME_BITS (point, points[1], sizeof point);
  BAD (ldy_gradient_position (gradient, 9, by_position), "body 9");
  BAD (ldy_gradient_position (gradient, rod, NULL), "position is NULL");
  BAD (ldy_gradient_joint (gradient, 9, frames[0], points[0], frames[1], points[1]), "constraint 9");
  BAD (ldy_gradient_joint (gradient, hinge, frames[0], points[0], NULL, points[1]), "slave_frame is NULL");
  ldy_gradient_destroy (gradient), ldy_derivatives_destroy (derivatives);
  ldy_contact_solver_destroy (solver), ldy_system_destroy (system);
}

/* A^-1 = diag (2, 3 | 4) of two bodies of one model; it fails when the program says so. */
static int apply_model (int32_t size, int32_t columns, double *x, void *data)
{
  static const double inverse[3] = { 2, 3, 4 };

  if (*(int *) data) return 9;
  for (int j = 0; j < columns; j ++) for (int i = 0; i < size; i ++) x[size * j + i] *= inverse[i];
  return 0;
}

typedef struct {
  double velocity[2], matrices[5], operator, step;
} MADE;

/* Two rods between three bodies, with given forces: two bodies with one callback, or each with its matrix. */
static void rods (int is_model, int fails, MADE *made)
{
  static const double inverse[3][4] = { { 2, 0, 0, 3 }, { 4 }, { 5 } }, H[3][2] = { { 1, 0.5 }, { -0.7 }, { 0.3 } };
  static const int32_t dofs[3] = { 2, 1, 1 };
  double w[4] = { 1, 2, -1, 0.5 }, x[2] = { 1, 2 }, R[2] = { 3, -2 };
  ldy_derivatives *derivatives = NULL;
  ldy_gradient *gradient = NULL;
  ldy_system *system = NULL;
  int64_t bodies[3], rods[2];
  int failure = 0;

  GOOD (ldy_system_create (&system));
  if (is_model) GOOD (ldy_system_add_model (system, dofs, 2, apply_model, &failure, NULL, bodies));
  for (int k = is_model ? 2 : 0; k < 3; k ++) {
    ldy_inertia inertia = { .size = sizeof inertia, .kind = LDY_INERTIA_DENSE, .n = dofs[k], .values = inverse[k] };
    GOOD (ldy_system_add_body (system, &inertia, &bodies[k]));
  }
  for (int k = 0; k < 2; k ++) {
    ldy_operator operators[2];
    ldy_law law = { .kind = LDY_LAW_BOUNDS, .lower = { R[k] }, .upper = { R[k] } };
    for (int j = 0; j < 2; j ++) operators[j] = (ldy_operator) { .n = dofs[k + j], .values = H[k + j], .count = (size_t) dofs[k + j] };
    GOOD (ldy_system_add_constraint_rows (system, 1, &bodies[k], operators, 2, &rods[k]));
    GOOD (ldy_system_set_law (system, rods[k], &law));
  }
  GOOD (ldy_system_update (system, 0.5));
  GOOD (ldy_derivatives_create (&derivatives));
  GOOD (ldy_gradient_create (&gradient));
  GOOD (ldy_derivatives_compute (derivatives, system, NULL, 0, R, 2, 0));
  GOOD (ldy_gradient_compute (gradient, system, derivatives, R, NULL, x, 2, w, 4, NULL, NULL, 0, NULL));
  GOOD (ldy_gradient_velocity (gradient, bodies[0], made->velocity, 2));
  GOOD (ldy_gradient_matrix (gradient, bodies[0], made->matrices, 4));
  GOOD (ldy_gradient_matrix (gradient, bodies[1], made->matrices + 4, 1));
  GOOD (ldy_gradient_operator (gradient, rods[1], bodies[1], &made->operator, 1));
  GOOD (ldy_gradient_step (gradient, &made->step));
  BAD (ldy_gradient_inertia (gradient, bodies[0], made->velocity, made->matrices), "body 0: it is neither rigid nor pseudo-rigid");
  if (fails) {
    failure = 1;
    CHECK_INT (ldy_gradient_compute (gradient, system, derivatives, R, NULL, x, 2, w, 4, NULL, NULL, 0, NULL), LDY_ERROR_SINGULAR);
    CHECK_TEXT (ldy_last_error (), "body 0: ");
    BAD (ldy_gradient_velocity (gradient, bodies[0], made->velocity, 2), "body 0: there is no such body");
  }
  ldy_gradient_destroy (gradient), ldy_derivatives_destroy (derivatives), ldy_system_destroy (system);
}

static void models (void)
{
  MADE one, other;

  rods (0, 0, &one), rods (1, 1, &other);
  /* p = w + H^T x, a = A^-1 p, b = A^-1 H^T R: by hand for the first body, H = (1, 0.5), x = 1, R = 3. */
  CHECK_NEAR (one.velocity[0], 2, 1e-14), CHECK_NEAR (one.velocity[1], 2.5, 1e-14);
  CHECK_NEAR (one.matrices[0], -0.5 * 4 * 6, 1e-13), CHECK_NEAR (one.matrices[3], -0.5 * 7.5 * 4.5, 1e-13);
  CHECK_NEAR (one.matrices[1], -0.25 * (4 * 4.5 + 7.5 * 6), 1e-13);
  for (int i = 0; i < 2; i ++) CHECK_NEAR (one.velocity[i], other.velocity[i], 1e-13);
  for (int i = 0; i < 5; i ++) CHECK_NEAR (one.matrices[i], other.matrices[i], 1e-13);
  CHECK_NEAR (one.operator, other.operator, 1e-13), CHECK_NEAR (one.step, other.step, 1e-13);
}

static void bad_input (void)
{
  double R[3], by_B[3] = { 7, 7, 7 }, bad[12] = { NAN }, values[36];
  ldy_derivatives *derivatives = NULL;
  ldy_gradient *gradient = NULL;
  int64_t body, contact;
  ldy_system *system = puck (&body, &contact, R);
  ldy_law by_law = { .kind = 77 };
  ldy_fit fit;

  BAD (ldy_gradient_create (NULL), "gradient is NULL");
  ldy_gradient_destroy (NULL);
  GOOD (ldy_gradient_create (&gradient));
  GOOD (ldy_derivatives_create (&derivatives));
  BAD (ldy_gradient_velocity (gradient, 0, values, 6), "body 0: there is no such body");
  BAD (ldy_gradient_compute (gradient, system, derivatives, R, NULL, NULL, 3, by_speed, 12, by_B, &by_law, 1, &fit), "by_laws: 1 values where 0 are needed");
  BAD (ldy_gradient_compute (gradient, system, derivatives, R, R, NULL, 3, by_speed, 12, by_B, NULL, 0, &fit), "derivatives by forces: 3 values where 0 are needed");
  GOOD (ldy_derivatives_compute (derivatives, system, NULL, 0, R, 3, 0));
  GOOD (ldy_gradient_compute (gradient, system, derivatives, R, NULL, NULL, 3, by_speed, 12, NULL, NULL, 0, NULL));
  BAD (ldy_gradient_compute (NULL, system, derivatives, R, NULL, NULL, 3, NULL, 0, by_B, NULL, 0, NULL), "gradient is NULL");
  BAD (ldy_gradient_compute (gradient, NULL, derivatives, R, NULL, NULL, 3, NULL, 0, by_B, NULL, 0, NULL), "system is NULL");
  BAD (ldy_gradient_compute (gradient, system, NULL, R, NULL, NULL, 3, NULL, 0, by_B, NULL, 0, NULL), "derivatives is NULL");
  BAD (ldy_gradient_compute (gradient, system, derivatives, NULL, NULL, NULL, 3, NULL, 0, by_B, NULL, 0, NULL), "R is NULL");
  BAD (ldy_gradient_compute (gradient, system, derivatives, R, NULL, NULL, 3, NULL, 12, by_B, NULL, 0, NULL), "by_velocities is NULL");
  BAD (ldy_gradient_compute (gradient, system, derivatives, R, NULL, NULL, 3, by_speed, 11, by_B, NULL, 0, NULL), "derivatives by velocities: 11 values where 12 are needed");
  BAD (ldy_gradient_compute (gradient, system, derivatives, R, NULL, NULL, 3, bad, 12, by_B, NULL, 0, NULL), "a derivative by a velocity is not finite");
  BAD (ldy_gradient_compute (gradient, system, derivatives, R, bad, NULL, 3, NULL, 0, by_B, NULL, 0, NULL), "constraint 0 between bodies 1 and 0: a derivative by its force is not finite");
  BAD (ldy_gradient_compute (gradient, system, derivatives, bad, NULL, NULL, 3, NULL, 0, by_B, NULL, 0, NULL), "a force is not finite");
  BAD (ldy_gradient_compute (gradient, system, derivatives, R, NULL, NULL, 2, NULL, 0, by_B, NULL, 0, NULL), "2");
  BAD (ldy_gradient_compute (gradient, system, derivatives, R, NULL, NULL, 3, NULL, 0, by_B, NULL, 1, NULL), "by_laws is NULL");
  BAD (ldy_gradient_velocity (gradient, body, values, 5), "values: 5 values where 6 are needed");
  BAD (ldy_gradient_velocity (gradient, -3, values, 6), "there is no such body");
  BAD (ldy_gradient_inertia (gradient, body, NULL, values), "mass is NULL");
  BAD (ldy_gradient_inertia (gradient, 0, values, values), "body 0: it is neither rigid nor pseudo-rigid");
  BAD (ldy_gradient_matrix (gradient, body, values, 35), "derivatives by its matrix: 35 values where 36 are needed");
  BAD (ldy_gradient_pose (gradient, body, values, NULL), "center is NULL");
  BAD (ldy_gradient_pose (gradient, 9, values, values), "body 9");
  BAD (ldy_gradient_place (gradient, 9, values, values, values), "constraint 9");
  BAD (ldy_gradient_operator (gradient, contact, body, values, 17), "derivatives by its operator");
  BAD (ldy_gradient_compliance (gradient, contact, values, 8), "derivatives by its compliance");
  BAD (ldy_gradient_step (gradient, NULL), "value is NULL");
  check_puck (gradient, body, contact);
  GOOD (ldy_system_apply_reactions (system, R, 3));
  BAD (ldy_gradient_compute (gradient, system, derivatives, R, NULL, NULL, 3, NULL, 0, by_B, NULL, 0, NULL), "no successful update since the last change");
  check_puck (gradient, body, contact);
  CHECK (by_B[0] == 7 && by_law.kind == 77);
  ldy_gradient_destroy (gradient), ldy_derivatives_destroy (derivatives), ldy_system_destroy (system);
}

typedef struct {
  ldy_derivatives *derivatives;
  ldy_gradient *gradient;
  double by_B[3];
} STATE;

static int go_on (ldy_system *system, const double R[3], STATE *t)
{
  int code;

  if (! t->derivatives && (code = ldy_derivatives_create (&t->derivatives))) return code;
  if (! t->gradient && (code = ldy_gradient_create (&t->gradient))) return code;
  if ((code = ldy_derivatives_compute (t->derivatives, system, NULL, 0, R, 3, 0))) return code;
  return ldy_gradient_compute (t->gradient, system, t->derivatives, R, NULL, NULL, 3, by_speed, 12, t->by_B, NULL, 0, NULL);
}

/* The k-th allocation fails; 1 if one did. */
static int attempt (int k)
{
  STATE t = { .derivatives = NULL };
  long in_use = failing.in_use;
  int64_t body, contact;
  double R[3];
  ldy_system *system = puck (&body, &contact, R);

  check_context ("allocation %d", k);
  failing_arm (k);
  int code = go_on (system, R, &t);
  failing.armed = 0;
  if (code) {
    CHECK (failing.failed > 0);
    CHECK_INT (code, LDY_ERROR_OUT_OF_MEMORY);
    CHECK_TEXT (ldy_last_error (), "out of memory");
    GOOD (go_on (system, R, &t));
  }
  check_puck (t.gradient, body, contact);
  ldy_gradient_destroy (t.gradient), ldy_derivatives_destroy (t.derivatives), ldy_system_destroy (system);
  CHECK_INT (failing.in_use, in_use);
  return failing.failed > 0;
}

static void failing_allocations (void)
{
  int k = 1;

  while (attempt (k)) k ++;
  CHECK (k > 50);
  check_context (NULL);
}

int main (void)
{
  sliding_puck ();
  pendulum ();
  models ();
  bad_input ();
  failing_allocations ();
  return check_summary ("system_gradient");
}
