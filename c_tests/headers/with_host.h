/* Used by the programs that compile the headers: every function and structure of ldy.h, together with what
 * the host declares. */

#ifdef __cplusplus
/* These agree with the header only if it gives its functions the linkage of C. */
extern "C" LOCDYN *LOCDYN_Create (DOM *dom);
extern "C" const char *ldy_version (void);
#endif

static int failed_calls;

static void count_errors (int code, const char *text, void *data) {
  if (data == &failed_calls) failed_calls += code != 0 && text != NULL;
}

/* The sum of the entries of W, off-diagonal blocks included. */
static double sum_of_entries (const LOCDYN *ldy) {
  double sum = 0.0;
  const DIAB *row;
  const OFFB *block;
  int i;
  for (row = ldy->dia; row; row = row->n) {
    for (i = 0; i < 9; i ++) sum += row->W[i];
    for (block = row->adj; block; block = block->n)
      for (i = 0; i < 9; i ++) sum += block->W[i];
#if defined (MPI) && MPI
    for (block = row->adjext; block; block = block->n)
      for (i = 0; i < 9; i ++) sum += block->W[i];
#endif
  }
  return sum;
}

/* One life of a local dynamics with a single constraint. */
static double live_and_die (DOM *dom, CON *con, const char *path) {
  double sum;
  DIAB *row;
  LOCDYN *copy;
  LOCDYN *ldy = LOCDYN_Create (dom);
  ldy_set_error_handler (count_errors, &failed_calls);
  ldy_set_option (LDY_NO_LONGJMP, 1);
  dom->ldy = ldy;
  row = LOCDYN_Insert (ldy, con, con->master, con->slave);
  con->dia = row;
  LOCDYN_Update_Begin (ldy);
  sum = sum_of_entries (ldy) + row->rho + ldy->free_energy + row->con->R[0];
  sum += LOCDYN_avgWii (ldy) + LOCDYN_minWii (ldy) + LOCDYN_maxWii (ldy);
  LOCDYN_Update_End (ldy);
  LOCDYN_Dump (ldy, path);
  LOCDYN_W_MatrixMarket (ldy, ldy_version ());
  copy = LOCDYN_Clone_Non_Contacts (ldy);
  LOCDYN_Destroy (copy);
  LOCDYN_Remove (ldy, row);
  LOCDYN_Destroy (ldy);
  return con->next ? 0.0 : sum;
}

int main (void) {
  double X[3] = {0, 0, 0}, E[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, H[36];
  BODY *body = NULL;
  DOM *dom = NULL;
  CON *con = NULL;
  if (ldy_rigid_operator (body, X, E, H) == LDY_ERROR_OUT_OF_MEMORY) return 1;
  if (ldy_pseudo_rigid_operator (body, X, E, H) != 0) return ldy_last_error ()[0];
  return live_and_die (dom, con, "dump") > 0.0;
}
