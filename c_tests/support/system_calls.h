/* Structures of ldy_system.h as expressions, and calls that need one of them for a result. */

#ifndef SYSTEM_CALLS_H
#define SYSTEM_CALLS_H

#include <string.h>

#include "ldy_system.h"

#define INERTIA(kind_, ...) (&(ldy_inertia) { .size = sizeof (ldy_inertia), .kind = (kind_), __VA_ARGS__ })
#define DENSE(n_, values_) INERTIA (LDY_INERTIA_DENSE, .n = (n_), .values = (values_))
#define DIAGONAL(n_, values_) INERTIA (LDY_INERTIA_DIAGONAL, .n = (n_), .values = (values_))
#define SPARSE(n_, starts_, rows_, values_, count_) \
  INERTIA (LDY_INERTIA_SPARSE, .n = (n_), .values = (values_), .starts = (starts_), .rows = (rows_), .count = (count_))
#define FUNCTION(n_, function_, data_) INERTIA (LDY_INERTIA_FUNCTION, .n = (n_), .apply_inverse = (function_), .data = (data_))
#define MASS(mass_, values_) INERTIA (LDY_INERTIA_MASS, .mass = (mass_), .values = (values_))

/* Strides in bytes. */
#define MATRIX(rows_, columns_, values_, row_stride_, column_stride_) (&(ldy_matrix) { .size = sizeof (ldy_matrix), \
  .rows = (rows_), .columns = (columns_), .values = (values_), .row_stride = (row_stride_), .column_stride = (column_stride_) })
#define CSR(rows_, columns_, starts_, counts_, indices_, values_, count_) (&(ldy_matrix) { .size = sizeof (ldy_matrix), \
  .rows = (rows_), .columns = (columns_), .values = (values_), .starts = (starts_), .counts = (counts_), .indices = (indices_), \
  .count = (count_) })

/* ldy_rows_redundant of the results of a system. */
static inline int system_redundant (const ldy_system *system, double tolerance, int *redundant, size_t count, int *dimension)
{
  ldy_rows rows = LDY_ROWS_INIT;
  int code = ldy_system_results (system, &rows);
  return code ? code : ldy_rows_redundant (&rows, tolerance, redundant, count, dimension);
}

/* ldy_rows_write of the results of a system. */
static inline int system_write (const ldy_system *system, const char *path, int format)
{
  ldy_rows rows = LDY_ROWS_INIT;
  int code = ldy_system_results (system, &rows);
  return code ? code : ldy_rows_write (&rows, path, format);
}

/* ldy_system_critical_step with a place for each result, NULL: not wanted. After an error they are -1, and the id is -7. */
static inline int critical_step (const ldy_system *system, const ldy_joint *joints, size_t joint_count, const double *R, size_t R_count,
  int flags, double *omega_squared, double *step, int64_t *constraint, double *share)
{
  ldy_critical_step result = LDY_CRITICAL_STEP_INIT;
  int code = ldy_system_critical_step (system, joints, joint_count, R, R_count, flags, &result);
  if (code) result.omega_squared = result.step = result.share = -1, result.constraint = -7;
  if (omega_squared) *omega_squared = result.omega_squared;
  if (step) *step = result.step;
  if (constraint) *constraint = result.constraint;
  if (share) *share = result.share;
  return code;
}

/* The code that an error with this text has. */
static inline int code_of_text (const char *text)
{
  if (strstr (text, "there is no such body") || strstr (text, "there is no such constraint") || strstr (text, "there is no body"))
    return LDY_ERROR_NOT_FOUND;
  if (strstr (text, "no successful update")) return LDY_ERROR_STALE_RESULTS;
  if (strstr (text, "is too large") || strstr (text, "than an int") || strstr (text, "cannot number")) return LDY_ERROR_TOO_LARGE;
  if (strstr (text, "did not converge")) return LDY_ERROR_NOT_CONVERGED;
  return LDY_ERROR_INVALID_ARGUMENT;
}

/* Set one tag. */
static inline int set_tag (ldy_system *system, int64_t constraint, uint64_t tag)
{
  return ldy_system_set_tags (system, &constraint, 0, &tag, 0, 1);
}

#endif
