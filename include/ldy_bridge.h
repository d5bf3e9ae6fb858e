/* ldy_bridge.h: the rows of a LOCDYN of ldy.h as rows for the contact solvers and factors of ldy_system.h
 *
 * Generated: the declarations come from src/system/c_api/locdyn.rs, the rest from codegen/templates. To change this file, change
 * them and run `make headers`.
 */

#ifndef LDY_BRIDGE_H
#define LDY_BRIDGE_H

#include "ldy_system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The rows of ldy.h. */
struct locdyn;

/* Copies of the rows of a LOCDYN, with memory that is used again: rows with the same pattern as the previous ones are copied
   without allocation. One thread at a time may use it. */
typedef struct ldy_locdyn_rows ldy_locdyn_rows;

/* Blocks of rows in columns of external constraints. */
typedef struct {
  /* sizeof (ldy_external_blocks), set by the caller before the call. */
  size_t size;
  /* Number of rows. */
  int32_t rows;
  /* Number of blocks. */
  int32_t blocks;
  /* Row k has the blocks starts[k] <= i < starts[k + 1]; rows + 1 values. */
  const int32_t *starts;
  /* Id of the external constraint of each block, ascending within a row. */
  const int64_t *constraints;
  /* The blocks, 3 x 3 and column-major, nine values each. */
  const double *values;
} ldy_external_blocks;

/* Create a place for copies of the rows of a LOCDYN.

   - copies: where to write it. Destroy it with ldy_locdyn_rows_destroy.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if copies is NULL.

   Safety:
   copies is NULL or valid. */
LDY_RESULT
int ldy_locdyn_rows_create(ldy_locdyn_rows **copies);

/* Destroy copies and release their memory; NULL is allowed. The LOCDYN need not exist any more.

   Safety:
   copies is NULL or comes from ldy_locdyn_rows_create, and is not used afterwards. */
void ldy_locdyn_rows_destroy(ldy_locdyn_rows *copies);

/* Copy the rows of a LOCDYN of ldy.h, for ldy_contact_solver_solve_rows and all functions ldy_rows_* and ldy_factor_*.

   The function writes to no memory of the host or of ldy. Later changes of either do not change the copies.

   - ldy: any LOCDYN with the layout of this build: from this library, a clone, or the rows of another module.
   - rows: where to write the copies; set its size. They are valid until the next call with the same copies, even if that call
     fails.

   Row k is the k-th DIAB of the list:

   - values: the current W of the DIAB and of its blocks, in ascending columns. Two blocks with the same neighbor are added, as
     in LOCDYN_Dump. So a self-contact counts twice unless LDY_SELF_CONTACT_ONCE is set.
   - B, V: as in the DIAB. diagonal: its W. inverse: its A. constraints: con->id of the constraints. rho is not copied: the
     solvers here choose their own.
   - scalar_starts, value_starts, diagonal_starts: NULL.

   W is symmetric to the bit after a LOCDYN_Update_Begin of this library that assembled all of W. It need not be symmetric after
   an update for a penalty solver, which keeps the previous blocks of contacts, or if the host has written W. Functions that need
   a symmetric W read only its upper triangle. The copies contain everything that the host has added to W, for instance a
   regularization.

   In lists of this library the function follows no link that does not lead to a row or a block of ldy, and it finds missing rows
   and blocks. In lists of another module it finds rings of rows or blocks, and blocks that lead to rows outside the list; all
   other links must be valid.

   MPI: blocks to external constraints are not in values; rows->external is their number, and ldy_locdyn_rows_external has them. If
   there are any, the rows are no complete W. Functions that need one, such as contact solvers and factors, return
   LDY_ERROR_INVALID_ARGUMENT. ldy_rows_multiply and ldy_rows_write take the columns of this process.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, rows->size is wrong, lists are damaged, or an
   int cannot hold the number of blocks.

   After an error there are no copies, unless copies, ldy or rows is NULL or the size is wrong; then the previous copies remain.

   Safety:
   copies comes from ldy_locdyn_rows_create; ldy is NULL or a valid LOCDYN, the constraints of its rows and their bodies are
   valid, and so are external constraints of its blocks; rows is NULL or valid, and has the bytes that its size says. */
LDY_RESULT
int ldy_locdyn_rows_copy(ldy_locdyn_rows *copies,
                         const struct locdyn *ldy,
                         ldy_rows *rows);

/* Return the blocks to external constraints of the rows that were copied last: columns of W whose rows other processes have. The rows
   and external blocks of all processes together are W. Without MPI there are none.

   - blocks: where to write them; set its size. They are valid until the next ldy_locdyn_rows_copy with these copies. Row k is the row
     k of the copies. Blocks with the same external constraint are added.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, blocks->size is wrong, or there are no copies.

   Safety:
   copies comes from ldy_locdyn_rows_create; blocks is NULL or valid, and has the bytes that its size says. */
LDY_RESULT
int ldy_locdyn_rows_external(const ldy_locdyn_rows *copies,
                             ldy_external_blocks *blocks);

/* Return the current reactions R of the constraints of a LOCDYN, for instance as the initial guess of a contact solver.

   - R: where to write three values for each row, in the order of rows.
   - count: number of values.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, or the rows of the list are not the rows that
   were copied last.

   Safety:
   copies comes from ldy_locdyn_rows_create, ldy is as in ldy_locdyn_rows_copy; R is NULL or has count values. */
LDY_RESULT
int ldy_locdyn_rows_reactions(const ldy_locdyn_rows *copies,
                              const struct locdyn *ldy,
                              double *R,
                              size_t count);

/* Write reactions to the constraints of a LOCDYN: con->R of each row. The function writes nothing else.

   - R: three values for each row, in the order of rows.
   - count: number of values.

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, a value is not finite, or the rows of the
   list are not the rows that were copied last. After an error nothing is written.

   Safety:
   The conditions of ldy_locdyn_rows_reactions. */
LDY_RESULT
int ldy_locdyn_rows_set_reactions(const ldy_locdyn_rows *copies,
                                  const struct locdyn *ldy,
                                  const double *R,
                                  size_t count);

#ifdef __cplusplus
}
#endif

#endif
