#include "system/joint_model.h"

#include <math.h>
#include <string.h>

#include "support/check.h"

static const double unit[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };

/* The rows of each kind: P and a digit are the point along an axis, A the angular velocity, X the angular velocity along the cross
   product. */
static const char *rows_of (int kind)
{
  static const char *rows[] = { "", "P0P1P2A0A1", "P0P1A0A1A2", "P0P1P2X0", "P0P1P2A0A1A2", "A2", "P2" };

  return rows[kind];
}

int joint_rows (int kind)
{
  return (int) strlen (rows_of (kind)) / 2;
}

static void multiply (const double *A, const double *x, double *y)
{
  for (int i = 0; i < 3; i ++) y[i] = A[i] * x[0] + A[3 + i] * x[1] + A[6 + i] * x[2];
}

static void cross (const double *a, const double *b, double *c)
{
  for (int i = 0; i < 3; i ++) c[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static double dot (const double *a, const double *b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static const double *rotation (const MODEL_JOINT *joint, int side)
{
  return joint->bodies[side] ? joint->bodies[side]->rotation : unit;
}

/* From the center of a body to the point of its side; the ground's center is the origin. */
static void arm (const MODEL_JOINT *joint, int side, double *r)
{
  const MODEL_BODY *body = joint->bodies[side];
  double X[3];

  for (int i = 0; i < 3; i ++) X[i] = joint->points[side][i] - (body ? body->center[i] : 0);
  multiply (rotation (joint, side), X, r);
}

int joint_has_positions (const MODEL_JOINT *joint)
{
  int has = 1;

  for (int side = 0; side < 2; side ++) has &= !joint->bodies[side] || joint->bodies[side]->has_position;
  return has;
}

/* Master's point - slave's point. */
static void gap (const MODEL_JOINT *joint, double *g)
{
  double r[2][3];

  for (int side = 0; side < 2; side ++) {
    arm (joint, side, r[side]);
    for (int i = 0; i < 3 && joint->bodies[side]; i ++) r[side][i] += joint->bodies[side]->position[i];
  }
  for (int i = 0; i < 3; i ++) g[i] = r[0][i] - r[1][i];
}

static void axes (const MODEL_JOINT *joint, int side, double E[3][3])
{
  for (int k = 0; k < 3; k ++) multiply (rotation (joint, side), joint->frames[side] + 3 * k, E[k]);
}

void joint_operator (const MODEL_JOINT *joint, int side, double *h)
{
  const char *rows = rows_of (joint->kind);
  double E[3][3], other[3][3], r[3], g[3], along[3];

  axes (joint, 0, E), axes (joint, 1, other);
  cross (E[0], other[1], along);
  arm (joint, side, r), gap (joint, g);
  /* The master's point is where the slave's is. */
  for (int i = 0; i < 3 && joint_has_positions (joint) && side == 0; i ++) r[i] -= g[i];
  for (int j = 0; j < 6; j ++) {
    double own[3] = { j == 0, j == 1, j == 2 }, spin[3], velocity[3];
    multiply (rotation (joint, side), own, spin);
    cross (spin, r, velocity);
    for (int i = 0; i < 3; i ++) velocity[i] += j == 3 + i;
    for (int row = 0; rows[2 * row]; row ++) {
      const double *axis = rows[2 * row] == 'X' ? along : E[rows[2 * row + 1] - '0'];
      *h ++ = (side ? -1 : 1) * dot (axis, rows[2 * row] == 'P' ? velocity : spin);
    }
  }
}

/* Turn a vector by a rotation vector. */
static void turn (const double *by, const double *x, double *y)
{
  double angle = sqrt (dot (by, by)), once[3], twice[3];

  cross (by, x, once), cross (by, once, twice);
  for (int i = 0; i < 3; i ++) y[i] = x[i] + (angle > 0 ? sin (angle) / angle * once[i] + (1 - cos (angle)) / (angle * angle) * twice[i] : 0);
}

void joint_check_errors (const MODEL_JOINT *joint, const double *errors)
{
  const char *rows = rows_of (joint->kind);
  const double *angles = errors + (joint->kind == LDY_AXES_SLIDER ? 2 : 3);
  double E[3][3], other[3][3], g[3], vector[3];

  axes (joint, 0, E), axes (joint, 1, other), gap (joint, g);
  for (int row = 0; rows[2 * row] == 'P'; row ++) CHECK_NEAR (errors[row], dot (E[rows[2 * row + 1] - '0'], g), 1e-12);
  switch (joint->kind) {
  case LDY_AXES_HINGE:
    cross (other[2], E[2], vector);
    for (int k = 0; k < 2; k ++) CHECK_NEAR (angles[k], dot (E[k], vector), 1e-12);
    break;
  case LDY_AXES_UNIVERSAL:
    CHECK_NEAR (errors[3], dot (E[0], other[1]), 1e-12);
    break;
  case LDY_AXES_HINGE_LIMIT:
    /* Of all turns about the third axis, this one brings the slave's axes closest to the master's: the derivative of the sum of
       the cosines is zero there, and the sum is largest. */
    {
      double c = cos (errors[0]), s = sin (errors[0]);
      double sum = dot (E[0], other[0]) + dot (E[1], other[1]), difference = dot (E[0], other[1]) - dot (E[1], other[0]);
      CHECK_NEAR (sum * s - difference * c, 0, 1e-12);
      CHECK (sum * c + difference * s >= -1e-12 && fabs (errors[0]) <= acos (-1));
    }
    break;
  case LDY_AXES_WELD: case LDY_AXES_SLIDER:
    for (int i = 0; i < 3; i ++) vector[i] = angles[0] * E[0][i] + angles[1] * E[1][i] + angles[2] * E[2][i];
    for (int k = 0; k < 3; k ++) {
      double turned[3];
      turn (vector, other[k], turned);
      for (int i = 0; i < 3; i ++) CHECK_NEAR (turned[i], E[k][i], 1e-12);
    }
    CHECK (dot (vector, vector) < 1.0001 * acos (-1) * acos (-1));
  }
}
