/* Interface between the C and the Rust side of the library; no public header includes it. */
#ifndef LDY_INTERNAL_H
#define LDY_INTERNAL_H

#define LDY_NO_LINK_CHECK
#include "ldy_host.h"

/* Rust, entry.rs and the files that implement LOCDYN_*: each function returns 0 or an error code. Results go to *out, which is
   unchanged after an error. */
int ldy_entry_create (DOM *dom, LOCDYN **out);
int ldy_entry_insert (LOCDYN *ldy, CON *con, BODY *one, BODY *two, DIAB **out);
int ldy_entry_remove (LOCDYN *ldy, DIAB *dia);
int ldy_entry_update_begin (LOCDYN *ldy);
int ldy_entry_update_end (LOCDYN *ldy);
int ldy_entry_dump (LOCDYN *ldy, const char *path);
int ldy_entry_matrix_market (LOCDYN *ldy, const char *path);
int ldy_entry_clone (LOCDYN *ldy, LOCDYN **out);
int ldy_entry_diagonal (LOCDYN *ldy, double *out);
int ldy_entry_destroy (LOCDYN *ldy);
int ldy_entry_operator (BODY *body, short constraint_kind, const SHAPE *shp, const void *gobj, const double *X,
                        const double *E, MX **out);
int ldy_entry_local_velocities (BODY *body, const SHAPE *shp, const void *gobj, const double *X, const double *E,
                                double *prev, double *cur);
int ldy_entry_check_finite_element (const BODY *body);
int ldy_entry_matrix_create (short kind, int m, int n, const int *p, const int *i, MX **out);
void ldy_entry_matrix_destroy (MX *a);
DOM *ldy_entry_domain (LOCDYN *ldy);
ldy_error_handler ldy_entry_handler (void **data);
_Bool ldy_entry_is_set (int option);
const char *ldy_strerror (int code);

#define LDY_HIDDEN __attribute__ ((visibility ("hidden")))

/* C, identity.c: name and version of the MPI that the library was built with; empty without MPI. */
LDY_HIDDEN const char *ldy_identity_mpi (void);

/* C, hooks.c: optional functions and values of the host. */
LDY_HIDDEN void ldy_hook_timer_start (DOM *dom);
LDY_HIDDEN void ldy_hook_timer_end (DOM *dom);
LDY_HIDDEN double ldy_hook_geometric_epsilon (void);
LDY_HIDDEN int ldy_hook_prints (void);
LDY_HIDDEN void ldy_hook_raise (int code);

/* Raise an error after everything else has been done. This returns only if a handler returns. */
#define LDY_RAISE(code) do { int code_ = (code); if (code_) ldy_hook_raise (code_); } while (0)

#endif
