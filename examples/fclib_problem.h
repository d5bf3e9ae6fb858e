/* Problems of contact with friction, between ldy_system.h and the files of FCLIB and Siconos. The first component is normal in
   both. */
#ifndef FCLIB_PROBLEM_H
#define FCLIB_PROBLEM_H

#include <fclib.h>

#include "ldy_system.h"

/* u = W r + q in rows of d x d blocks, as ldy_contact_solver_solve_rows takes them; the dimension d is 3, or 2 in a plane. Contacts come
 * first. Equations of an FCLIB problem follow, d a row; where they are no multiple of d the last components are empty. */
typedef struct {
  int dimension, contacts, equations, rows;
  int *starts, *columns;
  double *values, *q, *friction;
} friction_problem;

/* The rows of a system, all of them contacts, with a coefficient each: their third component, the normal, becomes the first. */
friction_problem problem_of_rows (const ldy_rows *rows, const double *friction);

/* Returns 0 if the file has a dimension other than 2 and 3. */
int problem_of_fclib (const struct fclib_local *file, friction_problem *problem);

/* Of contacts alone; to be freed by fclib_delete_local and free. */
struct fclib_local *fclib_of_problem (const friction_problem *problem, const char *title);

/* Siconos's own text format, of contacts alone; returns 0 if the file cannot be written. */
int problem_write_siconos (const friction_problem *problem, const char *path);

/* The code of ldy_contact_solver_solve_rows; r has d values a row. */
int problem_solve (ldy_contact_solver *solver, const friction_problem *problem, double tolerance, double *r, ldy_contact_solver_report *report);

/* d values a row. */
void problem_velocity (const friction_problem *problem, const double *r, double *u);

void problem_free (friction_problem *problem);

#endif
