/* A system of ldy_system.h as the test program remembers it: everything that was given, so that a second system can be made of
 * it. */
#pragma once

#include "support/random.h"
#include "support/system_calls.h"

#define MODEL_FREEDOMS 12

typedef enum { BY_MASS, BY_OBSTACLE, BY_DENSE, BY_DIAGONAL, BY_MATRIX, BY_SOLVER } MODEL_INERTIA;
typedef enum { IS_RIGID, IS_PSEUDO_RIGID, IS_GENERAL } MODEL_KIND;

#define MODEL_MEMBERS 3

/* The data of an inverse callback, which may be shared. */
typedef struct {
  double inverse[MODEL_FREEDOMS * MODEL_FREEDOMS];
  int n;
  int code;      /* what it returns */
  int spoils;    /* it writes a NaN */
  struct model_group *group;
} MODEL_SOLVER;

/* One function for several bodies; NULL where one has gone or has got another inertia. */
typedef struct model_group {
  MODEL_SOLVER *members[MODEL_MEMBERS];
  int sizes[MODEL_MEMBERS], count, left;
} MODEL_GROUP;

typedef struct {
  int64_t id;
  MODEL_KIND kind;
  MODEL_INERTIA inertia;
  int n, users;
  int is_indefinite;                                       /* its matrix cannot be factored */
  int is_wild;                                             /* its velocity is near the largest number */
  double mass, tensor[9], rotation[9], center[3];
  int has_position;
  double position[3];                                      /* where the center is in the world */
  double given[MODEL_FREEDOMS * MODEL_FREEDOMS];           /* dense or diagonal inverse, or values of the matrix */
  int starts[MODEL_FREEDOMS + 1], rows[MODEL_FREEDOMS * MODEL_FREEDOMS];
  double inverse[MODEL_FREEDOMS * MODEL_FREEDOMS];         /* A^-1, dense */
  double velocity[MODEL_FREEDOMS], previous[MODEL_FREEDOMS];
  MODEL_SOLVER *solver;
} MODEL_BODY;

typedef struct {
  int starts[MODEL_FREEDOMS + 1], rows[3 * MODEL_FREEDOMS];
  double values[3 * MODEL_FREEDOMS];
  int is_sparse;
} MODEL_OPERATOR;

typedef struct {
  int64_t id, bodies[2];
  int has_operators, has_compliance;
  double frame[9], points[2][3], compliance[9];
  MODEL_OPERATOR operators[2];
} MODEL_CONSTRAINT;

typedef struct {
  ldy_system *system;
  MODEL_BODY *bodies;
  MODEL_CONSTRAINT *constraints;
  int body_count, constraint_count, body_room, constraint_room;
  int64_t next_body, next_constraint;
} MODEL;

void model_create (MODEL *model, int bodies, int constraints);
void model_destroy (MODEL *model);

MODEL_BODY *model_body (const MODEL *model, int64_t id);   /* NULL: the ground */
ldy_operator model_operator (const MODEL *model, const MODEL_CONSTRAINT *constraint, int k);

/* The function of solvers, with a MODEL_SOLVER. */
int model_solve (int size, int columns, double *x, void *data);

/* The shared inverse callback, with a MODEL_GROUP. */
int model_solve_group (int size, int columns, double *x, void *data);

/* A body does without its solver from now on. */
void model_release (MODEL_BODY *body);

void model_random_rotation (RANDOM *random, double *rotation);

/* The inverse of an n x n matrix; 0 if it is singular. */
int model_invert (int n, const double *matrix, double *inverse);

/* Makes a second system of what is remembered. */
ldy_system *model_copy (const MODEL *model);
