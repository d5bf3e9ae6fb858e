/* Weak references to the host, weak definitions of functions that a host may lack, and the one function that raises
 * errors. */
#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"
#if defined (MPI) && MPI
#include "mpi/calls.h"
#endif

#define WEAK __attribute__ ((weak))

/* Symbols of the host; NULL if it has none. */
struct errstack {
  jmp_buf env;
  struct errstack *next;
};
extern struct errstack *__errstack__ WEAK;
char *errstring (int code) WEAK;
void SOLFEC_Timer_Start (SOLFEC *solfec, const char *label) WEAK;
void SOLFEC_Timer_End (SOLFEC *solfec, const char *label) WEAK;
extern double GEOMETRIC_EPSILON WEAK;

/* The host keeps the pointer. */
static const char TIMER[] = "LOCDYN";

void ldy_hook_timer_start (DOM *dom)
{
  if (dom && dom->solfec && SOLFEC_Timer_Start)
    SOLFEC_Timer_Start (dom->solfec, TIMER);
}

void ldy_hook_timer_end (DOM *dom)
{
  if (dom && dom->solfec && SOLFEC_Timer_End)
    SOLFEC_Timer_End (dom->solfec, TIMER);
}

double ldy_hook_geometric_epsilon (void)
{
  return &GEOMETRIC_EPSILON ? GEOMETRIC_EPSILON : 1e-6;
}

/* Only the first of the processes that update together prints. */
int ldy_hook_prints (void)
{
#if defined (MPI) && MPI
  return ldy_mpi_is_first ();
#else
  return 1;
#endif
}

static void end_program (void)
{
#if defined (MPI) && MPI
  ldy_mpi_abort ();
#endif
  exit (1);
}

/* Write the rank of this process; an empty text if there is one process only. */
static void name_rank (char *text, size_t size)
{
  *text = '\0';
#if defined (MPI) && MPI
  int rank = ldy_mpi_rank_in_world ();

  if (rank >= 0) snprintf (text, size, "rank %d: ", rank);
#else
  (void) size;
#endif
}

/* Print one line about an error on stderr. It is written at once, so that the lines of several processes and threads stay
 * whole. This allocates nothing. */
static void print_error (int code)
{
  char text[1024], rank[32];
  const char *rest = text;
  ssize_t written;
  int length;

  name_rank (rank, sizeof rank);
  length = snprintf (text, sizeof text, "ldy: %s: %s%s\n", errstring ? errstring (code) : ldy_strerror (code), rank,
                     ldy_last_error ());
  if (length >= (int) sizeof text) {
    length = sizeof text - 1;
    text[length - 1] = '\n';
  }
  while (length > 0) {
    written = write (STDERR_FILENO, rest, (size_t) length);
    if (written < 0 && errno != EINTR) return;
    if (written < 0) continue;
    rest += written;
    length -= (int) written;
  }
}

/* Whether errors may jump through the host's error stack. A host that is compiled without exceptions has the stack, but no place
 * that catches errors: whoever runs it can say so by the environment. */
static int may_jump (void)
{
  const char *given = getenv ("LDY_NO_LONGJMP");

  return !ldy_entry_is_set (LDY_NO_LONGJMP) && (!given || !*given || !strcmp (given, "0"));
}

/* Call the handler; without one, jump to the host's error stack; without that, end the program. The last two print a line on
 * stderr first. */
void ldy_hook_raise (int code)
{
  void *data = NULL;
  ldy_error_handler handler = ldy_entry_handler (&data);
  int jumps;

  if (handler) {
    handler (code, ldy_last_error (), data);
    return;
  }
  jumps = &__errstack__ && __errstack__ && may_jump ();
  if (!jumps || !ldy_entry_is_set (LDY_QUIET)) print_error (code);
  if (jumps) longjmp (__errstack__->env, code);
  end_program ();
}

WEAK MX *BODY_Gen_To_Loc_Operator (BODY *body, short constraint_kind, SGP *sgp, double *X, double *E)
{
  MX *H = NULL;

  LDY_RAISE (ldy_entry_operator (body, constraint_kind, sgp ? sgp->shp : NULL, sgp ? sgp->gobj : NULL, X, E, &H));
  return H;
}

WEAK void BODY_Local_Velo (BODY *body, SGP *sgp, double *X, double *E, double *prev, double *cur)
{
  LDY_RAISE (ldy_entry_local_velocities (body, sgp ? sgp->shp : NULL, sgp ? sgp->gobj : NULL, X, E, prev, cur));
}

WEAK MX *FEM_Gen_To_Loc_Operator (BODY *body, SHAPE *shp, void *gobj, double *X, double *E)
{
  MX *H = NULL;
  int code = ldy_entry_check_finite_element (body);

  /* The kind of the constraint matters for obstacles only. */
  LDY_RAISE (code ? code : ldy_entry_operator (body, FIXPNT, shp, gobj, X, E, &H));
  return H;
}

WEAK void FEM_Local_Velo (BODY *body, SHAPE *shp, void *gobj, double *X, double *E, double *prev, double *cur)
{
  int code = ldy_entry_check_finite_element (body);

  LDY_RAISE (code ? code : ldy_entry_local_velocities (body, shp, gobj, X, E, prev, cur));
}

WEAK MX *MX_Create (short kind, int m, int n, int *p, int *i)
{
  MX *a = NULL;

  LDY_RAISE (ldy_entry_matrix_create (kind, m, n, p, i, &a));
  return a;
}

WEAK void MX_Destroy (MX *a)
{
  ldy_entry_matrix_destroy (a);
}
