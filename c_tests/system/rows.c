/* Constraints of one to six rows on up to sixteen bodies, through ldy_system.h: against dense sums in this file, bad input
   with its texts, and every allocation that fails. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/system_calls.h"
#include "support/check.h"
#include "support/failing_allocator.h"

#define BODIES 5
#define DOFS 4
#define CONSTRAINTS 7
#define SCALARS 16
#define COLUMNS (BODIES * DOFS)

/* Diagonal inverses, so that W = h sum of H H^T / a is a sum of few terms. */
static const int heights[CONSTRAINTS] = { 1, 3, 2, 6, 1, 2, 1 };
static const int counts[CONSTRAINTS] = { 1, 2, 1, 2, 5, 1, 1 };
static const int first_body[CONSTRAINTS] = { 0, 1, 0, 3, 0, 0, 2 };

static double inverse (int body, int dof)
{
  return 1 + 0.25 * body + 0.5 * dof;
}

static double H_entry (int constraint, int body, int i, int dof)
{
  int k = body - first_body[constraint];

  if (k < 0 || k >= counts[constraint]) return 0;
  return constraint == 6 ? (dof == 2 ? -1 : 0) : (7 * constraint + 5 * body + 3 * i * (dof + 1) + dof * dof) % 11 - 5;
}

static double compliance_entry (int i, int j)
{
  return i == j ? 2 : 0.25;
}

/* The constraint with a scalar, and which of its rows that is. */
static int owner (int scalar, int *i)
{
  int c = 0;

  while (scalar >= heights[c]) scalar -= heights[c ++];
  *i = scalar;
  return c;
}

static double W_entry (int a, int b, double h)
{
  int body, dof, i, j, one = owner (a, &i), other = owner (b, &j);
  double sum = 0;

  for (body = 0; body < BODIES; body ++) {
    for (dof = 0; dof < DOFS; dof ++) sum += h * H_entry (one, body, i, dof) * H_entry (other, body, j, dof) * inverse (body, dof);
  }
  return sum + (one == 3 && other == 3 ? compliance_entry (i, j) : 0);
}

static int are_coupled (int one, int other)
{
  return first_body[one] < first_body[other] + counts[other] && first_body[other] < first_body[one] + counts[one];
}

typedef struct {
  ldy_system *system;
  int way;   /* of inserting constraints: each alone, rows of a Jacobian by columns, or sparse ones */
  int bodies, constraints, is_compliant, is_set, is_updated;
  double y[SCALARS];
} STATE;

static int add_constraint (STATE *t, int c)
{
  double dense[BODIES][6 * DOFS];
  ldy_operator H[BODIES];
  int64_t bodies[BODIES], id;

  if (c == 6) return ldy_system_add_dof_constraint (t->system, first_body[c], 2, -1, &id);
  for (int k = 0; k < counts[c]; k ++) {
    bodies[k] = first_body[c] + k;
    for (int dof = 0; dof < DOFS; dof ++) for (int i = 0; i < heights[c]; i ++)
      dense[k][heights[c] * dof + i] = H_entry (c, first_body[c] + k, i, dof);
    H[k] = (ldy_operator) { DOFS, NULL, NULL, dense[k], (size_t) (heights[c] * DOFS) };
  }
  return ldy_system_add_constraint_rows (t->system, heights[c], bodies, H, (size_t) counts[c], &id);
}

/* All of them as rows of a Jacobian. */
static int add_jacobian (STATE *t)
{
  static const int64_t all[BODIES] = { 0, 1, 2, 3, 4 };
  static double J[SCALARS * COLUMNS], values[SCALARS * COLUMNS];
  static int starts[SCALARS + 1], columns[SCALARS * COLUMNS];
  int c, i, column, count = 0, code;
  int64_t id = -1;

  for (int row = 0; row < SCALARS; row ++) {
    for (c = owner (row, &i), starts[row] = count, column = 0; column < COLUMNS; column ++) {
      double entry = H_entry (c, column / DOFS, i, column % DOFS);
      J[SCALARS * column + row] = entry;
      if (entry != 0) columns[count] = column, values[count ++] = entry;
    }
  }
  starts[SCALARS] = count;
  if (t->way == 1) code = ldy_system_add_jacobian (t->system, all, BODIES, heights, CONSTRAINTS, MATRIX (SCALARS, COLUMNS, J, 8 * 1, 8 * SCALARS), &id);
  else code = ldy_system_add_jacobian (t->system, all, BODIES, heights, CONSTRAINTS, CSR (SCALARS, COLUMNS, starts, NULL, columns, values, (size_t) count), &id);
  CHECK_INT ((long) id, code ? -1 : 0);
  if (!code) t->constraints = CONSTRAINTS;
  return code;
}

/* Operators of all constraints on all bodies: first other ones, by columns, then their own, by rows, in the order of insertion or
   the other way round, dense or sparse. */
static int set_jacobians (STATE *t)
{
  static const int64_t all[BODIES] = { 0, 1, 2, 3, 4 }, forward[CONSTRAINTS] = { 0, 1, 2, 3, 4, 5, 6 },
    back[CONSTRAINTS] = { 6, 5, 4, 3, 2, 1, 0 };
  static double J[SCALARS * COLUMNS], values[SCALARS * COLUMNS];
  static int starts[SCALARS + 1], lengths[SCALARS], columns[SCALARS * COLUMNS];
  int c, row, body, count, code;

  for (int i = 0; i < SCALARS; i ++) {
    for (c = owner (i, &row), body = 0; body < BODIES; body ++) {
      for (int dof = 0; dof < DOFS; dof ++) J[SCALARS * (DOFS * body + dof) + i] = 3 * H_entry (c, body, row, dof);
    }
  }
  if (t->is_set < 1 && (code = ldy_system_set_jacobian (t->system, all, BODIES, forward, CONSTRAINTS, MATRIX (SCALARS, COLUMNS, J, 8 * 1, 8 * SCALARS)))) return code;
  t->is_set = t->is_set > 1 ? t->is_set : 1;
  for (row = count = 0, c = CONSTRAINTS - 1; c >= 0; c --) for (int i = 0; i < heights[c]; i ++, row ++) {
    for (starts[row] = count, body = 0; body < BODIES; body ++) for (int dof = 0; dof < DOFS; dof ++) {
      double entry = H_entry (c, body, i, dof);
      J[COLUMNS * row + DOFS * body + dof] = entry;
      if (entry != 0) columns[count] = DOFS * body + dof, values[count ++] = entry;
    }
    lengths[row] = count - starts[row];
  }
  starts[SCALARS] = count;
  if (t->is_set < 2 && (code = ldy_system_set_jacobian (t->system, all, BODIES, back, CONSTRAINTS, MATRIX (SCALARS, COLUMNS, J, 8 * COLUMNS, 8 * 1)))) return code;
  t->is_set = t->is_set > 2 ? t->is_set : 2;
  if (t->is_set < 3 && (code = ldy_system_set_jacobian (t->system, all, BODIES, back, CONSTRAINTS, CSR (SCALARS, COLUMNS, starts, NULL, columns, values, (size_t) count)))) return code;
  t->is_set = t->is_set > 3 ? t->is_set : 3;
  if (t->is_set < 4 && (code = ldy_system_set_jacobian (t->system, all, BODIES, back, CONSTRAINTS, CSR (SCALARS, COLUMNS, starts, lengths, columns, values, (size_t) count)))) return code;
  t->is_set = 4;
  return 0;
}

/* Goes on from where it is until something fails. */
static int go_on (STATE *t)
{
  double diagonal[DOFS], x[SCALARS], C[36];
  int64_t id;
  int code;

  if (!t->system && (code = ldy_system_create (&t->system))) return code;
  for (; t->bodies < BODIES; t->bodies ++) {
    for (int i = 0; i < DOFS; i ++) diagonal[i] = inverse (t->bodies, i);
    if ((code = ldy_system_add_body (t->system, DIAGONAL (DOFS, diagonal), &id))) return code;
  }
  if (t->way && !t->constraints && (code = add_jacobian (t))) return code;
  for (; t->constraints < CONSTRAINTS; t->constraints ++) if ((code = add_constraint (t, t->constraints))) return code;
  for (int j = 0; j < 6; j ++) for (int i = 0; i < 6; i ++) C[6 * j + i] = compliance_entry (i, j);
  if (!t->is_compliant && (code = ldy_system_set_compliance (t->system, 3, C, 36))) return code;
  t->is_compliant = 1;
  if ((code = set_jacobians (t))) return code;
  if (!t->is_updated && (code = ldy_system_update (t->system, 0.5))) return code;
  t->is_updated = 1;
  for (int i = 0; i < SCALARS; i ++) x[i] = i % 7 - 3;
  if ((code = ldy_system_multiply (t->system, x, 0, t->y, 0, SCALARS, 1, 0))) return code;
  return ldy_system_multiply (t->system, x, 0, t->y, 0, SCALARS, 1, LDY_MULTIPLY_THROUGH_BODIES);
}

static void check_values (STATE *t)
{
  double W[SCALARS][SCALARS] = { { 0 } }, largest[CONSTRAINTS], force[DOFS] = { 0 }, sum, *values;
  ldy_rows rows = { .size = sizeof rows };
  int starts[SCALARS + 1], *columns, k, i, j;
  size_t entries;

  CHECK_INT (ldy_system_results (t->system, &rows), 0);
  CHECK (rows.rows == CONSTRAINTS && rows.scalars == SCALARS && rows.scalar_starts[CONSTRAINTS] == SCALARS);
  for (int row = k = 0; row < CONSTRAINTS; row ++) {
    CHECK_INT (rows.scalar_starts[row + 1] - rows.scalar_starts[row], heights[row]);
    CHECK_INT ((long) rows.constraints[row], row);
    for (int column = 0; column < CONSTRAINTS; column ++) {
      if (!are_coupled (row, column)) continue;
      CHECK (k < rows.starts[row + 1] && rows.columns[k] == column);
      CHECK_INT ((long) (rows.value_starts[k + 1] - rows.value_starts[k]), heights[row] * heights[column]);
      for (j = 0; j < heights[column]; j ++) {
        for (i = 0; i < heights[row]; i ++) {
          double value = rows.values[rows.value_starts[k] + (size_t) (heights[row] * j + i)];
          W[rows.scalar_starts[row] + i][rows.scalar_starts[column] + j] = value;
          if (row == column) CHECK (rows.diagonal[rows.diagonal_starts[row] + (size_t) (heights[row] * j + i)] == value);
        }
      }
      k ++;
    }
    CHECK_INT (k, rows.starts[row + 1]);
  }
  CHECK (rows.inverse[0] * W[0][0] > 0.999999 && rows.inverse[0] * W[0][0] < 1.000001);
  for (i = 0; i < SCALARS; i ++) {
    for (sum = j = 0; j < SCALARS; j ++) {
      CHECK (fabs (W[i][j] - W_entry (i, j, 0.5)) < 1e-11 && W[i][j] == W[j][i]);
      sum += W[i][j] * (j % 7 - 3);
    }
    CHECK (fabs (sum - t->y[i]) < 1e-9);
  }

  entries = rows.entries;
  CHECK (rows.scalars == SCALARS && entries == rows.value_starts[rows.blocks]);
  columns = malloc (entries * sizeof *columns);
  values = malloc (entries * sizeof *values);
  if (!columns || !values) abort ();
  CHECK_INT (ldy_system_csr (t->system, starts, SCALARS + 1, columns, values, entries), 0);
  for (i = 0; i < SCALARS; i ++) {
    for (k = starts[i]; k < starts[i + 1]; k ++) {
      CHECK (k == starts[i] || columns[k] > columns[k - 1]);
      CHECK (values[k] == W[i][columns[k]]);
      W[i][columns[k]] = 0;
    }
    for (j = 0; j < SCALARS; j ++) CHECK (W[i][j] == 0);
  }
  CHECK_INT (ldy_system_csr (t->system, starts, SCALARS, columns, values, entries), 52);
  CHECK_INT (ldy_system_csr (t->system, starts, SCALARS + 1, columns, values, entries - 1), 52);
  free (columns), free (values);

  CHECK_INT (ldy_system_block_eigenvalues (t->system, largest, CONSTRAINTS), 0);
  CHECK (fabs (largest[0] - W_entry (0, 0, 0.5)) < 1e-11 && largest[3] > 2);
  CHECK_INT (ldy_system_block_eigenvalues (t->system, largest, CONSTRAINTS - 1), 52);

  CHECK_INT (ldy_system_constraint_force (t->system, 2, t->y, SCALARS, force, DOFS), 0);
  for (int dof = 0; dof < DOFS; dof ++) {
    for (sum = k = 0; k < SCALARS; k ++) {
      int own = owner (k, &i);
      sum += H_entry (own, 2, i, dof) * t->y[k];
    }
    CHECK (fabs (sum - force[dof]) < 1e-7 * (1 + fabs (sum)));
  }
}

static void text_is (int code, int expected, const char *text)
{
  CHECK_INT (code, expected == LDY_ERROR_INVALID_ARGUMENT ? code_of_text (ldy_last_error ()) : expected);
  check_context ("%s", text);
  if (!CHECK (!strcmp (ldy_last_error (), text))) CHECK_TEXT (ldy_last_error (), text);
}

static void bad_input (void)
{
  double one[6 * DOFS] = { 1 }, wrong[1] = { NAN }, negative = -1, indefinite[36] = { 0 }, R[3 * SCALARS] = { 0 };
  int starts[DOFS + 1] = { 0, 1, 1, 1, 1 }, rows_of[1] = { 1 };
  ldy_operator H[3] = { { DOFS, NULL, NULL, one, DOFS }, { DOFS, NULL, NULL, one, DOFS }, { DOFS, NULL, NULL, one, DOFS } };
  ldy_operator tall = { DOFS, NULL, NULL, one, 2 * DOFS }, sparse = { DOFS, starts, rows_of, one, 1 },
    nodal = { DOFS, NULL, rows_of, one, 10 };
  int64_t bodies[3] = { 0, 1, 2 }, twice[3] = { 0, 1, 0 }, none[2] = { 0, 77 }, id = 99;
  ldy_rows rows = { .size = sizeof rows };
  STATE t = { 0 };

  CHECK_INT (go_on (&t), 0);
  text_is (ldy_system_add_constraint_rows (NULL, 1, bodies, H, 1, &id), 52, "system is NULL");
  text_is (ldy_system_add_constraint_rows (t.system, 1, NULL, H, 1, &id), 52, "bodies is NULL");
  text_is (ldy_system_add_constraint_rows (t.system, 1, bodies, NULL, 1, &id), 52, "H is NULL");
  text_is (ldy_system_add_constraint_rows (t.system, 1, bodies, H, 1, NULL), 52, "constraint is NULL");
  text_is (ldy_system_add_constraint_rows (t.system, 1, bodies, H, 0, &id), 52, "count is 0: a constraint has one to sixteen bodies");
  text_is (ldy_system_add_constraint_rows (t.system, 1, bodies, H, 17, &id), 52, "count is 17: a constraint has one to sixteen bodies");
  text_is (ldy_system_add_constraint_rows (t.system, 0, bodies, H, 1, &id), 52, "new constraint on body 0: a constraint has one to six rows");
  text_is (ldy_system_add_constraint_rows (t.system, 7, bodies, H, 2, &id), 52,
    "new constraint between bodies 0 and 1: a constraint has one to six rows");
  text_is (ldy_system_add_constraint_rows (t.system, 1, none, H, 2, &id), 52, "new constraint between bodies 0 and 77: there is no body 77");
  text_is (ldy_system_add_constraint_rows (t.system, 1, twice, H, 3, &id), 52,
    "new constraint among bodies 0, 1 and 1 more: a body of it is there twice");
  text_is (ldy_system_add_constraint_rows (t.system, 1, bodies, &tall, 1, &id), 52,
    "new constraint, operator H of body 0: its operator H: 8 values where 4 are needed");
  text_is (ldy_system_add_constraint_rows (t.system, 1, bodies, &sparse, 1, &id), 52,
    "new constraint, operator H of body 0: a row of its operator H is none of its constraint's");
  text_is (ldy_system_add_constraint_rows (t.system, 1, bodies, &nodal, 1, &id), 52,
    "new constraint, operator H of body 0: an operator by nodes is for constraints of three rows");
  H[1].values = NULL;
  text_is (ldy_system_add_constraint_rows (t.system, 1, bodies, H, 2, &id), 52, "values of an operator H is NULL");
  H[1].values = one, H[1].n = 3;
  text_is (ldy_system_add_constraint_rows (t.system, 1, bodies, H, 2, &id), 52,
    "new constraint, operator H of body 1: its columns: 3 values where 4 are needed");
  H[1].n = DOFS;
  text_is (ldy_system_add_dof_constraint (t.system, 1, DOFS, 1, &id), 52,
    "new constraint on body 1: its body has no such generalized velocity");
  text_is (ldy_system_add_dof_constraint (t.system, 1, -1, 1, &id), 52,
    "new constraint on body 1: its body has no such generalized velocity");
  text_is (ldy_system_add_dof_constraint (t.system, 1, 0, INFINITY, &id), 52, "new constraint on body 1: its coefficient is not finite");
  text_is (ldy_system_add_dof_constraint (t.system, 44, 0, 1, &id), 52, "new constraint on body 44: there is no body 44");
  text_is (ldy_system_set_operators (t.system, 0, H, 2), 52,
    "constraint 0 on body 0: its operators H: 2 values where 1 are needed");
  text_is (ldy_system_set_operators (t.system, 55, H, 1), 52, "constraint 55: there is no such constraint");
  text_is (ldy_system_set_compliance (t.system, 3, one, 9), 52,
    "constraint 3 between bodies 3 and 4: its compliance: 9 values where 36 are needed");
  text_is (ldy_system_set_compliance (t.system, 0, wrong, 1), 52, "constraint 0 on body 0: its compliance is not finite");
  text_is (ldy_system_set_compliance (t.system, 0, &negative, 1), 52,
    "constraint 0 on body 0: its compliance is negative in some direction");
  for (int i = 0; i < 6; i++) indefinite[7*i] = 1.0;
  indefinite[1] = indefinite[6] = 1.1;
  text_is (ldy_system_set_compliance (t.system, 3, indefinite, 36), 52,
    "constraint 3 between bodies 3 and 4: its compliance is negative in some direction");
  text_is (ldy_system_remove_body (t.system, 2), 52, "body 2: constraint 1 acts on it");
  CHECK_INT (ldy_system_multiply (t.system, R, 0, t.y, 0, 3 * CONSTRAINTS, 1, 0), LDY_ERROR_INVALID_ARGUMENT);
  CHECK (id == 99);

  {
    double J[DOFS] = { 1, 2, 3, 4 }, nan[DOFS] = { 1, 2, NAN, 4 };
    int64_t body[2] = { 0, -1 }, ids[2] = { 0, -3 }, pair[2] = { 0, 0 }, other[1] = { 4 };
    int whole[2] = { 0, 4 }, columns[DOFS] = { 0, 1, 2, 3 }, turned[DOFS] = { 0, 2, 1, 3 };

    text_is (ldy_system_set_jacobian (t.system, NULL, 1, ids, 1, MATRIX (1, DOFS, J, 8 * DOFS, 8 * 1)), 52, "bodies is NULL");
    text_is (ldy_system_set_jacobian (t.system, body, 1, NULL, 1, MATRIX (1, DOFS, J, 8 * DOFS, 8 * 1)), 52, "constraints is NULL");
    text_is (ldy_system_set_jacobian (t.system, body, 1, ids, 1, MATRIX (1, DOFS, NULL, 8 * DOFS, 8 * 1)), 52, "J->values is NULL");
    text_is (ldy_system_set_jacobian (t.system, body, 1, ids, 1, MATRIX ((size_t) -1, DOFS, J, 8 * DOFS, 8 * 1)), 52,
      "J->values: a count of 18446744073709551615 is too large");
    text_is (ldy_system_set_jacobian (t.system, body, 2, ids, 1, MATRIX (1, DOFS, J, 8 * DOFS, 8 * 1)), 52,
      "entry 1: body -1: there is no such body");
    text_is (ldy_system_set_jacobian (t.system, body, 1, ids, 2, MATRIX (1, DOFS, J, 8 * DOFS, 8 * 1)), 52,
      "entry 1: constraint -3: there is no such constraint");
    text_is (ldy_system_set_jacobian (t.system, body, 1, ids, 1, MATRIX (1, DOFS, nan, 8 * DOFS, 8 * 1)), 52,
      "entry 0: constraint 0 on body 0: its operator H is not finite");
    text_is (ldy_system_set_jacobian (t.system, body, 1, ids, 1, MATRIX (1, DOFS - 1, J, 8 * DOFS, 8 * 1)), 52,
      "system: columns of the Jacobian J: 3 values where 4 are needed");
    text_is (ldy_system_set_jacobian (t.system, body, 1, pair, 2, MATRIX (2, DOFS, J, 0, 8 * 1)), 52,
      "entry 1: constraint 0 on body 0: an earlier entry has the same id");
    text_is (ldy_system_set_jacobian (t.system, body, 1, ids, 1, CSR (1, DOFS, NULL, NULL, columns, J, DOFS)), 52,
      "J->starts is NULL");
    text_is (ldy_system_set_jacobian (t.system, body, 1, ids, 1, CSR (1, DOFS, whole, NULL, NULL, J, DOFS)), 52,
      "J->indices is NULL");
    text_is (ldy_system_set_jacobian (t.system, body, 1, ids, 1, CSR (1, DOFS, whole, NULL, columns, NULL, DOFS)), 52,
      "J->values is NULL");
    text_is (ldy_system_set_jacobian (t.system, body, 1, ids, 1, CSR (1, DOFS, whole, NULL, turned, J, DOFS)), 52,
             "entry 0: constraint 0 on body 0: columns of a row of the Jacobian J do not ascend, or there is no such column");
    text_is (ldy_system_set_jacobian (t.system, body, 1, ids, 1, CSR (1, DOFS, whole, NULL, columns, J, DOFS - 1)), 52,
             "entry 0: constraint 0 on body 0: a row of the Jacobian J begins or ends outside");
    text_is (ldy_system_set_jacobian (t.system, body, 1, other, 1, CSR (1, DOFS, whole, NULL, columns, J, 0)), 52,
             "entry 0: constraint 4 among bodies 0, 1 and 3 more: a row of the Jacobian J begins or ends outside");
  }

  {
    double J[2 * DOFS] = { 1, 2, 3, 4, 1, 2, NAN, 4 };
    int64_t body[2] = { 0, -1 };
    int each[2] = { 1, 1 }, tall_each[2] = { 1, 7 }, less[2] = { 1, -1 }, whole[3] = { 0, 4, 8 },
      columns[2 * DOFS] = { 0, 1, 2, 3, 0, 2, 1, 3 };

    text_is (ldy_system_add_jacobian (NULL, body, 1, each, 1, MATRIX (1, DOFS, J, 8 * DOFS, 8 * 1), &id), 52, "system is NULL");
    text_is (ldy_system_add_jacobian (t.system, NULL, 1, each, 1, MATRIX (1, DOFS, J, 8 * DOFS, 8 * 1), &id), 52, "bodies is NULL");
    text_is (ldy_system_add_jacobian (t.system, body, 1, NULL, 1, MATRIX (1, DOFS, J, 8 * DOFS, 8 * 1), &id), 52, "heights is NULL");
    text_is (ldy_system_add_jacobian (t.system, body, 1, each, 1, MATRIX (1, DOFS, NULL, 8 * DOFS, 8 * 1), &id), 52, "J->values is NULL");
    text_is (ldy_system_add_jacobian (t.system, body, 1, each, 1, MATRIX (1, DOFS, J, 8 * DOFS, 8 * 1), NULL), 52, "constraint is NULL");
    text_is (ldy_system_add_jacobian (t.system, body, 2, each, 1, MATRIX (1, DOFS, J, 8 * DOFS, 8 * 1), &id), 52,
      "entry 1: body -1: there is no such body");
    text_is (ldy_system_add_jacobian (t.system, body, 1, each, 2, MATRIX (2, DOFS, J, 8 * DOFS, 8 * 1), &id), 52,
      "entry 1: new constraint: its operator H is not finite");
    text_is (ldy_system_add_jacobian (t.system, body, 1, tall_each, 2, MATRIX (2, DOFS, J, 8 * DOFS, 8 * 1), &id), 52,
      "entry 1: new constraint: a constraint has one to six rows");
    text_is (ldy_system_add_jacobian (t.system, body, 1, less, 2, MATRIX (1, DOFS, J, 8 * DOFS, 8 * 1), &id), 52,
      "entry 1: new constraint: a constraint has one to six rows");
    text_is (ldy_system_add_jacobian (t.system, body, 1, each, 1, MATRIX (2, DOFS, J, 8 * DOFS, 8 * 1), &id), 52,
      "system: rows of the Jacobian J: 2 values where 1 are needed");
    text_is (ldy_system_add_jacobian (t.system, body, 1, each, 1, CSR (1, DOFS, NULL, NULL, columns, J, DOFS), &id), 52,
      "J->starts is NULL");
    text_is (ldy_system_add_jacobian (t.system, body, 1, each, 1, CSR (1, DOFS, whole, NULL, columns, J, DOFS), NULL), 52,
      "constraint is NULL");
    text_is (ldy_system_add_jacobian (t.system, body, 1, each, 2, CSR (2, DOFS, whole, NULL, columns, J, 2 * DOFS), &id), 52,
             "entry 1: new constraint: columns of a row of the Jacobian J do not ascend, or there is no such column");
    text_is (ldy_system_add_jacobian (t.system, body, 1, each, 2, CSR (2, DOFS, whole, NULL, columns, J, DOFS), &id), 52,
             "entry 1: new constraint: a row of the Jacobian J begins or ends outside");
    CHECK (id == 99);
  }

  /* A caller that does not know rows of other heights gets an error. */
  rows.size = offsetof (ldy_rows, scalar_starts);
  text_is (ldy_system_results (t.system, &rows), 52,
    "constraint 0 on body 0: it was not inserted with three rows on one or two bodies");
  rows.size = sizeof rows;
  CHECK_INT (ldy_system_results (t.system, &rows), 0);
  check_values (&t);

  /* Operators are replaced, and a system without others is one of rows of three again. */
  CHECK_INT (ldy_system_set_operators (t.system, 0, H, 1), 0);
  CHECK_INT (ldy_system_update (t.system, 0.5), 0);
  CHECK_INT (ldy_system_results (t.system, &rows), 0);
  CHECK (rows.values[0] == 0.5 * inverse (0, 0));
  for (int i = 0; i < CONSTRAINTS; i ++) if (i != 1) CHECK_INT (ldy_system_remove_constraint (t.system, i), 0);
  CHECK_INT (ldy_system_update (t.system, 0.5), 0);
  rows.size = offsetof (ldy_rows, scalar_starts);
  CHECK_INT (ldy_system_results (t.system, &rows), 0);
  CHECK (rows.rows == 1 && rows.constraints[0] == 1 && fabs (rows.values[4] - W_entry (2, 2, 0.5)) < 1e-11);
  ldy_system_destroy (t.system);
}

/* Tags belong to the constraints that are there: a failed insertion has left none. */
static void check_kept (const STATE *t)
{
  uint64_t tags[CONSTRAINTS] = { 0 };

  for (int i = 0; i < CONSTRAINTS; i ++) CHECK_INT (set_tag (t->system, i, 100 + (unsigned) i), 0);
  CHECK_INT (ldy_system_tags (t->system, tags, CONSTRAINTS), 0);
  for (int i = 0; i < CONSTRAINTS; i ++) CHECK (tags[i] == 100 + (unsigned) i);
}

/* The k-th allocation fails; 1 if one did. */
static int attempt (int way, int k, const STATE *expected)
{
  STATE t = { .way = way };
  long in_use = failing.in_use;

  check_context ("way %d, allocation %d", way, k);
  failing_arm (k);
  int code = go_on (&t);
  failing.armed = 0;
  if (code) {
    CHECK (failing.failed > 0);
    CHECK_INT (code, LDY_ERROR_OUT_OF_MEMORY);
    CHECK_TEXT (ldy_last_error (), "out of memory");
    CHECK_INT (go_on (&t), 0);
  }
  CHECK_SAME_BITS (t.y, expected->y, sizeof t.y);
  check_kept (&t);
  ldy_system_destroy (t.system);
  CHECK_INT (failing.in_use, in_use);
  return failing.failed > 0;
}

/* Once there is room, operators that are set ask for no memory. */
static void steady (void)
{
  STATE t = { 0 };

  CHECK_INT (go_on (&t), 0);
  t.is_set = 0;
  failing.persistent = failing.until = 1;
  failing.failed = 0;
  failing.armed = 1;
  CHECK_INT (set_jacobians (&t), 0);
  failing.armed = failing.persistent = 0;
  CHECK_INT (failing.failed, 0);
  CHECK_INT (ldy_system_update (t.system, 0.5), 0);
  check_values (&t);
  ldy_system_destroy (t.system);
}

int main (void)
{
  STATE expected = { 0 };
  int k;

  CHECK_INT (go_on (&expected), 0);
  check_values (&expected);
  steady ();
  bad_input ();
  for (int way = 0; way < 3; way ++) {
    for (k = 1; attempt (way, k, &expected); k ++);
    CHECK (k > 50);
  }
  ldy_system_destroy (expected.system);
  return check_summary ("system_rows");
}
