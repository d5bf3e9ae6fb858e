/* Joints by axes in closed form: rows from velocities in the world, and errors. */
#pragma once

#include "system/model.h"

typedef struct {
  int64_t id;
  int kind;
  const MODEL_BODY *bodies[2];       /* NULL: the ground */
  double frames[2][9], points[2][3];
} MODEL_JOINT;

/* The number of its rows. */
int joint_rows (int kind);

/* Whether the positions of its bodies are known. */
int joint_has_positions (const MODEL_JOINT *joint);

/* H on the body of a side, by columns of joint_rows values. */
void joint_operator (const MODEL_JOINT *joint, int side, double *h);

/* Checks errors against places and axes in the world. */
void joint_check_errors (const MODEL_JOINT *joint, const double *errors);
