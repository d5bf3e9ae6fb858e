/* ldy.h: local dynamics of multi-body contact problems, U = B + W R
 *
 * Generated: the layouts come from src/legacy/layout.tsv, the prototypes from src/legacy/c_api, the rest
 * from codegen/templates. To change this file, change them and run `make headers`.
 *
 * This header replaces the file of the same name in Solfec's source tree: same guard, same structures, same
 * functions, and the library's additions (ldy_*). Like that file it includes the host's "mem.h", "bod.h" and
 * "sps.h". A program without Solfec's headers includes "ldy_host.h" instead, which brings all that is needed.
 *
 * Structures that the caller allocates begin with their size, which the caller sets before each call:
 *   ldy_stats stats = { .size = sizeof (ldy_stats) };
 * The library reads and writes the fields that both it and the caller's header know. It does not change fields that
 * only the caller's header knows. An invalid size, such as 0, is an error (LDY_ERROR_INVALID_ARGUMENT), and nothing is written.
 *
 * Linking. libldy.a comes after the program's own objects and archives, the system's libraries after it:
 *   cc program.o libhost.a libldy.a -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc
 * In Solfec's build it takes the place of the object file of ldy.c.
 *
 * Matrices. A matrix in `double x[m*n]` is stored by columns: entry (i,j) is x[m*j+i].
 *
 * Signs and units. Relative velocities are master minus slave, in the local frame of the constraint. R is the
 * average force over the step, so that W carries the factor h, the time step. Units are any
 * consistent set.
 *
 * Ownership. LOCDYN, DIAB and OFFB belong to this library, everything else belongs to the host. The host
 * reads and writes W, A, B, rho, R, U, V and free_energy in place; it never links, allocates or frees rows
 * and blocks. The address of a row or a block stays good from its insertion to its removal.
 *
 * Errors. A function that fails leaves the structure consistent: it can be updated again, changed or
 * destroyed. It then raises an error with one of the codes below (LDY_ERROR_OUT_OF_MEMORY and so on), the first of
 * these ways:
 *   - the handler given to ldy_set_error_handler is called; if it returns, the function returns NULL or NaN,
 *     or has had no effect;
 *   - the host's own way, longjmp (__errstack__->env, code), if __errstack__ exists and is not NULL, unless
 *     the option LDY_NO_LONGJMP is set; the details go to stderr before, in one line, unless the option LDY_QUIET is set;
 *   - the same line on stderr and exit (1), in an MPI build MPI_Abort (MPI_COMM_WORLD, 1).
 * ldy_last_error returns the details, for instance
 *   constraint 12 (CONTACT) between bodies 3 and 7: singular W
 * Codes are named with each function; the functions that never raise an error say so.
 *
 * Builds. With -DMPI the structures are the same as in a host compiled with -DMPI; the library for it is libldy-mpi.a, built
 * with the compiler of the same MPI. There LOCDYN_Update_Begin and LOCDYN_Dump are collective: every process of the
 * communicator calls them, in the same order, even with no constraints. No MPI is called where there is one process.
 */

#ifndef __ldy__
#define __ldy__

/* First of all the names: the host's headers may refer to them and include this header in their turn. */
typedef struct offb OFFB;
typedef struct diab DIAB;
typedef struct locdyn LOCDYN;

#ifndef LDY_HOST_H
#include "mem.h"
#include "bod.h"
#include "sps.h"
#endif

#ifndef CONSTRAINT_TYPE
#define CONSTRAINT_TYPE
typedef struct constraint CON;
#endif
#ifndef DOMAIN_TYPE
#define DOMAIN_TYPE
typedef struct domain DOM;
#endif
#ifndef BODY_TYPE
#define BODY_TYPE
typedef struct general_body BODY;
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* An off-diagonal block of W: one a neighbor and shared body. Two constraints that share both bodies have
   two in each direction, and W between them is their sum. Owned by this library; the address is good from
   insertion to removal. */
struct offb {
  double W[9];  /* h H A^-1 H^T of row and neighbor through bod, 3 x 3 column-major, entry (i,j) is
                   W[3*j+i] (velocity per force); the transpose of its partner in the neighbor's row, to
                   the bit; LOCDYN_Update_Begin writes it */
  DIAB *dia;    /* the neighbor's row; in adjext the external CON itself, cast */
  BODY *bod;    /* the shared body */
  OFFB *n;      /* next block of the row, or NULL */
};

/* A row of U = B + W R, one a constraint: the diagonal block and the list of off-diagonal blocks. Owned by
   this library; the address is good from LOCDYN_Insert to LOCDYN_Remove. The host reads and writes R, U,
   V, W, A, B and rho in place, and never links, allocates or frees. */
struct diab {
  double *R;                     /* con->R */
  double *U;                     /* con->U */
  double *V;                     /* con->V */
  double W[9];                   /* diagonal block, sum of h H A^-1 H^T over the bodies, 3 x 3
                                    column-major, entry (i,j) is W[3*j+i], symmetric (velocity per force) */
  double A[9];                   /* inverse of W, 3 x 3 column-major (force per velocity) */
  double B[3];                   /* H v of the master minus H v of the slave, v the current velocities:
                                    free relative velocity, local frame (velocity) */
  double rho;                    /* 1 / (largest eigenvalue of W) (force per velocity); kind all only */
  OFFB *adj;                     /* off-diagonal blocks, linked through n, the newest first; NULL if none */
  CON *con;                      /* the constraint */
  struct general_matrix *mH;     /* NULL between calls */
  struct general_matrix *mprod;  /* NULL between calls */
  struct general_matrix *sH;     /* NULL between calls */
  struct general_matrix *sprod;  /* NULL between calls */
  DIAB *p;                       /* previous row; NULL in the first */
  DIAB *n;                       /* next row; NULL in the last */
#if defined (MPI) && MPI
  OFFB *adjext;                  /* blocks to external constraints, linked through n; LOCDYN_Update_Begin
                                    rebuilds them */
#endif
};

/* Local dynamics of a domain: a doubly linked list of rows. Made by LOCDYN_Create, freed with all its rows
   and blocks by LOCDYN_Destroy. */
struct locdyn {
  struct memory_pool offmem;  /* holds a place only, the host must not touch it */
  struct memory_pool diamem;  /* holds a place only, the host must not touch it */
  DOM *dom;                   /* the domain */
  DIAB *dia;                  /* first row: the one inserted last; NULL if there is none */
  double free_energy;         /* half the sum over the rows of B^T A B, plus A[8] Z[0]^2 for VELODIR
                                 (energy); the host may write it */
};

/* ---- The functions of the module ---- */

/* Create an empty local dynamics over a domain.

   dom: the domain, kept by reference; dom->solfec may still be NULL.

   Returns the new structure, owned by the caller: release it with LOCDYN_Destroy.

   Errors (NULL is returned if a handler returns): LDY_ERROR_OUT_OF_MEMORY; LDY_ERROR_INVALID_ARGUMENT if dom is NULL.

   Safety:
   dom points to a domain that outlives the structure. */
LOCDYN *LOCDYN_Create(DOM *dom);

/* Insert a row for a constraint at the head of the list, and a pair of blocks for each neighbor.

   con: the constraint; the row's R, U, V point to its arrays. The caller stores the returned row in con->dia; until then
   con->dia is not read.

   one, two: the bodies it acts on, either may be NULL. For one, then for two: every constraint c of the body's set, in set
   order, gets one block in its row and one in the new row. Each block is put at the head of its list. Skipped are con itself,
   every c with c->dia == NULL (MPI: or that is external), an obstacle if con is a CONTACT, and pairs that an explicit
   finite-element body does not couple. With one == two each neighbor appears twice.

   Returns the row, owned by the structure; its address stays valid until LOCDYN_Remove or LOCDYN_Destroy.

   Errors (nothing is changed; NULL is returned if a handler returns): LDY_ERROR_OUT_OF_MEMORY; LDY_ERROR_INVALID_ARGUMENT if
   ldy or con is NULL, con has a row already, con or a body is of unknown kind, c->dia is not a live row of ldy, there is no
   element where an explicit finite-element body needs it, or ldy is a clone.

   Safety:
   ldy comes from LOCDYN_Create; con and the bodies, with their sets, are valid. */
DIAB *LOCDYN_Insert(LOCDYN *ldy,
                    CON *con,
                    BODY *one,
                    BODY *two);

/* Remove a row and all blocks that point to it.

   dia: the row, as LOCDYN_Insert returned it. Its memory goes back to the pool for reuse. con->dia does not change; neither
   bodies nor their sets are read. Cost: proportional to the row's own blocks.

   Errors (nothing is changed): LDY_ERROR_INVALID_ARGUMENT if ldy or dia is NULL, or dia is not a live row of ldy (removed
   twice).

   Safety:
   ldy comes from LOCDYN_Create. */
void LOCDYN_Remove(LOCDYN *ldy,
                   DIAB *dia);

/* Assemble U = B + W R, theory (62)-(64): V and B of all constraints, then W, A, rho, free_energy.

   V = H v0 of the previous, B = H v of the current generalized velocity, master minus slave. W = h H inv(A) H^T in 3 x 3
   blocks, column-major; the two blocks of a pair are transposes of each other to the bit. A = inverse of the diagonal block;
   rho = 1 / its largest eigenvalue.

   dom->solfec->kind chooses what is computed: PENALTY_SOLVER: no rho, off-diagonal blocks only in rows of non-contacts;
   NEWTON_SOLVER with locdyn == LOCDYN_OFF: V and B only; any other, or no solfec: everything. Runs the host's timer "LOCDYN"
   and, if dom->verbose, prints "LOCDYN ... " to stdout.

   A matrix A of a finite-element body (MXIFAC) is factored here; the factor is kept as long as pattern and values are the
   same, and released with the body's last row.

   MPI: collective, even with no constraints; rank 0 alone prints. V and B are sums of the contributions of parent bodies, on
   whichever process they are. Blocks to external constraints are rebuilt at adjext, unless V and B alone are computed. An
   error before contributions are exchanged is raised on all ranks. See docs/solfec/mpi.md.

   Errors (values may be partly updated, free_energy is not; the structure stays usable):

   - LDY_ERROR_OUT_OF_MEMORY;
   - LDY_ERROR_SINGULAR: a diagonal block, or a general A, is singular;
   - LDY_ERROR_NOT_POSITIVE_DEFINITE: A is not positive definite;
   - LDY_ERROR_INVALID_FORMAT: an inverse or reduced base is missing, of unknown kind, ill-formed or of wrong size;
   - LDY_ERROR_EIGENVALUES: the eigenvalue iteration fails;
   - LDY_ERROR_POINT_NOT_IN_ELEMENT: the local coordinates of a point are not found;
   - LDY_ERROR_INVALID_ARGUMENT: NULL or inconsistent argument, a constraint without a row, unknown kind, non-finite input or
     result, ldy is a clone. MPI: also a body that is neither parent nor child or a parent twice, an external constraint whose
     owner is no other rank or does not know it, another rank failed.

   Safety:
   ldy comes from LOCDYN_Create; its domain, with all bodies and constraints, is valid. */
void LOCDYN_Update_Begin(LOCDYN *ldy);

/* Break cohesive contacts whose reactions left the cohesive cone, unless the update kind is penalty.

   For each contact with CON_COHESIVE and a surface model other than SPRING_DASHPOT, let c = cohesion (mat.state[0]) times
   area, f = friction, e = 1e-8 c. If R[2] + c < e or |(R[0],R[1])| + e >= f (R[2] + c), the state bit CON_COHESIVE is cleared
   and the cohesion set to 0. Runs the host's timer "LOCDYN".

   Errors (nothing is changed): LDY_ERROR_INVALID_ARGUMENT if ldy is NULL, or a cohesive contact has no material, a reaction,
   cohesion or friction that is not a number, or an infinite reaction or cohesion.

   Safety:
   As LOCDYN_Update_Begin. */
void LOCDYN_Update_End(LOCDYN *ldy);

/* Write the rows as text: one line for each row in the order of the list, its neighbors in geometrical order.

   A line is `KIND (point) (master id, slave id) [base] [W] (B) (V) (U) (R)` and for each neighbor ` => KIND (point) (master
   id, slave id) [base] [W]`; numbers as %.6g, ids as %d, -1 for no slave, matrices by columns, items separated by `, `. Blocks
   to the same neighbor are summed. Neighbors ascend by point, smaller and larger body id, kind, base[6], base[7], base[8];
   neighbors that are equal in all of these are one, with the first label.

   path: the file to write, created or replaced. It is written beside an old one, as .ldy-PROCESS-NUMBER, and replaces it when
   it is complete: after an error the old file is as it was. Devices, pipes, links, files of other users, files with several
   names and files in a folder that takes no new ones are written in place. After LDY_ERROR_FILE_WRITE they have the part that
   was written.

   MPI: collective. Each rank writes path.rank, then rank 0 joins these files in the order of ranks and removes them. If one
   rank fails all ranks raise the same code, with the text of a rank that failed; files path.rank may stay.

   Errors (the structure is not changed): LDY_ERROR_OUT_OF_MEMORY; LDY_ERROR_FILE_OPEN; LDY_ERROR_FILE_WRITE;
   LDY_ERROR_INVALID_ARGUMENT if ldy or path is NULL, or a constraint has no master or is of unknown kind. Errors other than
   LDY_ERROR_FILE_OPEN and LDY_ERROR_FILE_WRITE are found before the file is opened.

   Safety:
   ldy comes from LOCDYN_Create; the constraints of its rows and their bodies are valid; path is a C string. */
void LOCDYN_Dump(LOCDYN *ldy,
                 const char *path);

/* Write W in MatrixMarket coordinate format, and number the constraints.

   The first lines are `%%MatrixMarket matrix coordinate real general` and `N  N  NNZ`. N = three times the rows, NNZ = nine
   times rows and blocks. Then each row has its diagonal block and its blocks in the order of the list, nine lines `I  J
   VALUE` each, row by row, indices from 1, values as %.15g. Two blocks of one pair give two entries at each place; the value
   of W is their sum. con->num of every row becomes the index of its first equation: 1, 4, 7, ...

   path: the file to write, as in LOCDYN_Dump.

   Errors (the structure is not changed): LDY_ERROR_FILE_OPEN; LDY_ERROR_FILE_WRITE; LDY_ERROR_NOT_IMPLEMENTED in the MPI
   build; LDY_ERROR_INVALID_ARGUMENT if ldy or path is NULL, or an int cannot number the rows. If the file cannot be opened,
   con->num does not change.

   Safety:
   As LOCDYN_Dump. */
void LOCDYN_W_MatrixMarket(LOCDYN *ldy,
                           const char *path);

/* Copy the rows of all constraints but contacts, with the contributions of contacts moved into B.

   The new structure has the same domain and free_energy. For each such row it has one with the same con, R, U, V (pointers)
   and the same W, A, B, rho (values), in the same order. It has the blocks between such rows. Each of them was put at the head
   of its row's list, so that their order is the reverse of the order in ldy. Then the sum of W R over the row's blocks to
   contacts, in the order of the list in ldy, is added to B, R being the contact's current reaction. con->dia still points to
   the rows of ldy.

   The clone's rows can be read, written, removed, dumped and cloned. LOCDYN_Insert and LOCDYN_Update_Begin refuse the clone
   (LDY_ERROR_INVALID_ARGUMENT, nothing is changed), since con->dia points to other rows.

   Returns the clone, owned by the caller: release it with LOCDYN_Destroy, before or after ldy.

   Errors (NULL is returned if a handler returns, ldy is not changed): LDY_ERROR_OUT_OF_MEMORY; LDY_ERROR_INVALID_ARGUMENT if
   ldy or its domain is NULL, or a constraint is of unknown kind.

   Safety:
   As LOCDYN_Dump. */
LOCDYN *LOCDYN_Clone_Non_Contacts(LOCDYN *ldy);

/* Mean of the diagonal entries of W over all rows, three a row; NaN if there are no rows.

   Errors (NaN is returned if a handler returns): LDY_ERROR_INVALID_ARGUMENT if ldy is NULL.

   Safety:
   ldy comes from LOCDYN_Create. */
double LOCDYN_avgWii(LOCDYN *ldy);

/* Least of the diagonal entries of W over all rows; DBL_MAX if there are no rows.

   Errors (NaN is returned if a handler returns): LDY_ERROR_INVALID_ARGUMENT if ldy is NULL.

   Safety:
   ldy comes from LOCDYN_Create. */
double LOCDYN_minWii(LOCDYN *ldy);

/* Largest of the diagonal entries of W over all rows; 0 if there are no rows.

   Errors (NaN is returned if a handler returns): LDY_ERROR_INVALID_ARGUMENT if ldy is NULL.

   Safety:
   ldy comes from LOCDYN_Create. */
double LOCDYN_maxWii(LOCDYN *ldy);

/* Release the structure with all its rows and blocks. No body and no constraint is read.

   Errors: LDY_ERROR_INVALID_ARGUMENT if ldy is NULL or not made by LOCDYN_Create.

   Safety:
   ldy comes from LOCDYN_Create and is not used afterwards. */
void LOCDYN_Destroy(LOCDYN *ldy);

/* ---- Additions of this library ---- */

#ifndef LDY_ERROR_CODES
#define LDY_ERROR_CODES

/* Code in a report of ldy_shadow_check: no error, but the legacy module differs from the library. */
#define LDY_DIFFERS (-1)

enum ldy_error_code {
  /* Error code: memory exhausted. */
  LDY_ERROR_OUT_OF_MEMORY = 1,
  /* Error code: a file cannot be opened. */
  LDY_ERROR_FILE_OPEN = 2,
  /* Error code: a file cannot be written. */
  LDY_ERROR_FILE_WRITE = 4,
  /* Error code: not in this build or version. */
  LDY_ERROR_NOT_IMPLEMENTED = 8,
  /* Error code: a diagonal block of W, or a general matrix A, is singular. */
  LDY_ERROR_SINGULAR = 15,
  /* Error code: a symmetric matrix A is not positive definite. */
  LDY_ERROR_NOT_POSITIVE_DEFINITE = 16,
  /* Error code: an inverse is missing, of unknown kind, ill-formed or of wrong size. */
  LDY_ERROR_INVALID_FORMAT = 20,
  /* Error code: the eigenvalue iteration of a diagonal block failed. */
  LDY_ERROR_EIGENVALUES = 26,
  /* Error code: the local coordinates of a point in its element were not found. */
  LDY_ERROR_POINT_NOT_IN_ELEMENT = 47,
  /* Error code: NULL or inconsistent argument, unknown kind, non-finite value. */
  LDY_ERROR_INVALID_ARGUMENT = 52,
  /* Error code: no results, since there was no successful update after the last change. */
  LDY_ERROR_STALE_RESULTS = 101,
  /* Error code: no such body or constraint. */
  LDY_ERROR_NOT_FOUND = 102,
  /* Error code: a count is larger than an int can hold, or than memory can be. */
  LDY_ERROR_TOO_LARGE = 103,
  /* Error code: an iteration did not converge. */
  LDY_ERROR_NOT_CONVERGED = 104
};

/* Bytes of the text of a report. */
#define LDY_REPORT_TEXT 512

#endif

/* Option of ldy_set_option: with 1 an error never jumps through the host's __errstack__; with 0, the default, it does. A host that
   is compiled without exceptions (NOTHROW) needs it: there an error of the legacy module ends the program with exit code 1, but
   after a jump the code may be 0. The environment variable LDY_NO_LONGJMP, unless it is empty or 0, has the same effect. */
#define LDY_NO_LONGJMP 1

/* Option of ldy_set_option: with 1, of the two blocks that a self-contact constraint (inserted with one == two) has with
   each neighbor, the first in list order holds W and the other is zero, so that a solver that sums blocks counts W
   once; with 0, the default, both hold W, as in the legacy module. It holds from the next LOCDYN_Update_Begin on. */
#define LDY_SELF_CONTACT_ONCE 2

/* Option of ldy_set_option: with 1 the host promises that it writes neither W, A and rho of rows nor W of blocks, and an
   update keeps such values if they depend only on rigid and pseudo-rigid bodies, constraints and a step whose bits have
   not changed since the last update; with 0, the default, everything is written. V, B and the free energy are always
   computed. Factors of matrices A are kept without any promise while the bits of A do not change. */
#define LDY_REUSE 3

/* Option of ldy_set_option: with 1 updates do without AVX2; with 0, the default, they use it on processors that have it.
   Results have the same bits. */
#define LDY_NO_AVX2 4

/* Option of ldy_set_option: with 1 an error that jumps through the host's __errstack__ writes nothing to stderr; with 0, the
   default, it writes one line before the jump, with the details that the host does not know of. Errors that end the program
   are always printed. */
#define LDY_QUIET 5

/* A mirror of the rows of a legacy module; see ldy_shadow_new. */
typedef struct ldy_shadow ldy_shadow;

/* A host's error handler: code, details (valid until the thread's next error), and the data given with it.
   It may leave by longjmp; where it returns, the entry point returns NULL, NaN or without effect. */
typedef void (*ldy_error_handler)(int code, const char *text, void *data);

/* Statistics of a local dynamics; see ldy_get_stats. */
typedef struct {
  /* sizeof (ldy_stats), set by the caller before the call. */
  size_t size;
  /* Rows. */
  size_t rows;
  /* Off-diagonal blocks, all rows together. */
  size_t blocks;
  /* Bytes held for rows, those in reserve included. */
  size_t row_bytes;
  /* Bytes held for blocks, those in reserve included. */
  size_t block_bytes;
  /* Bytes held for operators H and what the inverses made of them. */
  size_t operator_bytes;
  /* Bytes held for factors of matrices, copies of the matrices, and entries of their inverses. */
  size_t factor_bytes;
  /* Bytes held for workspaces, mainly of solves, and for bookkeeping. */
  size_t scratch_bytes;
  /* Matrices factored since LOCDYN_Create. */
  size_t factorisations;
  /* Times that a factor was found still right since LOCDYN_Create. */
  size_t factors_reused;
  /* Seconds that the last update spent on V and B and, as one goes with the other, on H of rigid and pseudo-rigid
     bodies; with several threads on the diagonal blocks too. */
  double velocities_time;
  /* Seconds that it spent on H of other bodies. */
  double operators_time;
  /* Seconds that it spent on factorizations and products with inverses. */
  double solves_time;
  /* Seconds that it spent on the diagonal blocks; 0 with several threads. */
  double diagonal_time;
  /* Seconds that it spent on the off-diagonal blocks. */
  double pairs_time;
  /* MPI: blocks to external constraints, all rows together; not counted in blocks. Their bytes are in block_bytes. */
  size_t external_blocks;
  /* MPI: messages with contributions to V and B that the last update sent to other processes. */
  size_t messages;
  /* MPI: bytes in these messages. */
  size_t message_bytes;
} ldy_stats;

/* The largest differences that ldy_shadow_check found, each relative to a scale of its own: V and B to the speeds
   that enter them (|H||v|, absolute values entry by entry, at least 1e-3), W, A and rho to their own size, a block to
   the square root of the sizes of the two diagonal blocks, the free energy to its terms. -1 where nothing was compared. */
typedef struct {
  /* Previous local velocities. */
  double V;
  /* Free local velocities. */
  double B;
  /* Diagonal blocks. */
  double W;
  /* Inverses of the diagonal blocks. */
  double A;
  /* Scaling parameters. */
  double rho;
  /* Off-diagonal blocks. */
  double block;
  /* The free energy. */
  double free_energy;
} ldy_differences;

/* The result of a check: the first violation, and its place. */
typedef struct {
  /* sizeof (ldy_report), set by the caller before the call. */
  size_t size;
  /* 0: nothing is wrong; LDY_DIFFERS: see ldy_shadow_check; else an error code. */
  int code;
  /* Id of the constraint in whose row it is, -1 if in none. */
  long long constraint;
  /* Id of the constraint that the block in question couples the row to, -1 if it is no block. */
  long long neighbour;
  /* Id of the body in question, -1 if it is none. */
  long long body;
  /* The violation, with these ids; empty if there is none. */
  char text[LDY_REPORT_TEXT];
  /* ldy_shadow_check: the largest differences; other checks: -1 each. */
  ldy_differences largest;
  /* ldy_shadow_check: the largest condition number of a body's matrix A, 0 if all give inverses; other checks: 0. */
  double condition;
  /* ldy_shadow_check: seconds that the library's own assembly took; other checks: 0. */
  double time;
} ldy_report;

/* The differences that ldy_shadow_check allows; see ldy_differences. Where a body gives its matrix A and not the
   inverse, W, A, rho, blocks and the free energy are allowed 2.2e-16 times the condition number of A if that is more. */
typedef struct {
  /* sizeof (ldy_tolerance), set by the caller before the call. */
  size_t size;
  /* Previous local velocities. */
  double V;
  /* Free local velocities. */
  double B;
  /* Diagonal blocks. */
  double W;
  /* Inverses of the diagonal blocks. */
  double A;
  /* Scaling parameters. */
  double rho;
  /* Off-diagonal blocks. */
  double block;
  /* The free energy. */
  double free_energy;
} ldy_tolerance;

/* Set the handler that every error goes to first; NULL removes it.

   data is passed through. The setting holds for the whole process and all its threads.
   Without a handler an error takes the host's route: one line on stderr (see LDY_QUIET), then
   longjmp (__errstack__->env, code) if __errstack__ exists and is not NULL, else exit (1). */
void ldy_set_error_handler(ldy_error_handler handler, void *data);

/* Details of the calling thread's last error: which constraint, which bodies, what was wrong.

   Returns a string owned by the library, valid until the thread's next error; empty if there was none. */
const char *ldy_last_error(void);

/* The meaning of an error code in a few words, for instance "Out of memory"; "Success" for 0. ldy_last_error has the details.

   Returns a string of static lifetime, also for unknown codes. */
const char *ldy_strerror(int code);

/* Set an option for the whole process.

   option: LDY_NO_LONGJMP, LDY_SELF_CONTACT_ONCE, LDY_REUSE, LDY_NO_AVX2 or LDY_QUIET. value: see the option. Returns 0, or
   LDY_ERROR_INVALID_ARGUMENT if the option or its value is unknown. */
int ldy_set_option(int option,
                   int value);

/* Set how many threads updates may use, from 1, which is the default, to 1024.

   Without a call, the environment variable LDY_NUM_THREADS sets the number. The setting holds for the whole process,
   from the next update on; updates of few constraints use one thread in any case. Results are bit-identical for any
   number of threads. The first update that uses threads starts them, and they are parked between updates. There are
   fewer threads if the system has no more threads or no memory. They compute in the floating-point mode of the thread
   that updates. If several threads of the host update at the same time, one of them uses the library's threads, and the
   others continue alone. A forked child has one thread until it sets another number.
   Returns 0. If n is out of range, the function returns LDY_ERROR_INVALID_ARGUMENT and changes nothing. Never raises. */
int ldy_set_threads(int n);

/* How many threads updates may use, as ldy_set_threads or LDY_NUM_THREADS has set it. */
int ldy_threads(void);

/* End the library's threads and release their memory, for instance before the host exits or is unloaded.

   While an update in another thread uses the threads, the function waits, at most for one stage of that update. An
   inverse callback may call it during an update, which then continues without threads; so may a function that jumps out
   of a callback. If a signal handler calls it in one of the library's threads, it does nothing. The library can be used
   afterwards: the next update that uses threads starts them again. Never raises. */
void ldy_shutdown(void);

/* The library's version, "major.minor.patch": a string of static lifetime. */
const char *ldy_version(void);

/* The library's version as a number: 10000 major + 100 minor + patch. */
int ldy_version_number(void);

/* Describe this library and its settings in one line for logs: version, layouts (serial or MPI), with MPI the name and version of
   the MPI that it was built with, number of threads, vectors in use (AVX2 or plain), target, compiler. For instance
     ldy 0.1.0; layouts: serial; threads: 1; vectors: AVX2; target: x86_64-unknown-linux-gnu; rustc 1.95.0 (59807616e 2026-04-14)

   Returns a string of static lifetime that never changes. If the number of threads or the vectors are set otherwise, later calls
   return another string. After more than eight such settings in a process, the string does not contain them. Never raises. */
const char *ldy_build_info(void);

/* Write the statistics of a local dynamics: its rows, blocks and memory, and the times of the last update.

   stats: output, its size set. The time of a phase that the last update did not reach is 0. Returns 0, or
   LDY_ERROR_INVALID_ARGUMENT (ldy or stats is NULL, stats->size is wrong, ldy not made by LOCDYN_Create of this library); never
   raises.

   Safety:
   ldy comes from LOCDYN_Create; stats is NULL or valid, with the number of bytes in its size. */
int ldy_get_stats(const LOCDYN *ldy,
                  ldy_stats *stats);

/* Operator H of a rigid body or obstacle, theory (43): H = E^T [ L skew(C - X) | I ], L = conf[0..9], C = ref_center.

   X: referential point, 3 values. E: local frame, 3 x 3 column-major. H: 3 x 6 column-major.
   The generalized velocity is (angular velocity in the referential frame, velocity of the center).

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT (NULL argument, a body of another kind, non-finite input); never raises.

   Safety:
   body and its conf are valid; the arrays have the sizes given. */
int ldy_rigid_operator(const BODY *body,
                       const double *X,
                       const double *E,
                       double *H);

/* Operator H of a pseudo-rigid body, theory (44): H = E^T [ (X - C)^T in columns 3r..3r+3 of row r | I ].

   X: referential point, 3 values. E: local frame, 3 x 3 column-major. H: 3 x 12 column-major.
   The generalized velocity is (rate of the deformation gradient, row by row, velocity of the center).

   Returns 0, or LDY_ERROR_INVALID_ARGUMENT (NULL argument, a body of another kind, non-finite input); never raises.

   Safety:
   body is valid; the arrays have the sizes given. */
int ldy_pseudo_rigid_operator(const BODY *body,
                              const double *X,
                              const double *E,
                              double *H);

/* Check that all rows and blocks are linked as insertions and removals left them: for hosts that look for the place
   where memory is damaged. An answer takes as long as walking over all rows and blocks.

   report: output, the first violation, its size set; may be NULL.

   Rows: p and n, no removed row in the list, none missing; con, R, U, V as inserted; mH, mprod, sH, sprod NULL.
   Blocks: the links of each row, no removed block, none missing; each block and its partner in the neighbor's row
   refer to each other and have the same bod. Hidden data: bodies and the rows attached to them; memory of removed
   rows (the memory of removed blocks is overwritten before its next use). Values are not checked. Bodies and constraints
   are not read: they may have been freed. No pointer is followed before it is known to lead to a row or block of ldy.

   Returns 1 if everything is in order, else 0, also if ldy is NULL or not made by this library; then the report's code is
   LDY_ERROR_INVALID_ARGUMENT and ldy_last_error has the same text. If report->size is wrong, the function returns 0, checks
   nothing, and only ldy_last_error has the reason. Never raises, never writes to ldy.

   Safety:
   ldy is NULL or points to a LOCDYN that no other thread changes meanwhile; report is NULL or valid, with the number of bytes
   in its size. */
int ldy_is_consistent(const LOCDYN *ldy,
                      ldy_report *report);

/* Watch a legacy module: for a host that still links the legacy object, with LOCDYN_* of its own, and wants to know
   whether this library computes the same.

   legacy: the pointer from the legacy LOCDYN_Create; it is not read here. Only its public fields are read later.
   Returns the shadow, to be freed by ldy_shadow_free; NULL with ldy_last_error set if legacy is NULL, memory is
   exhausted, or this is the build for MPI, which has no shadows. Never raises. */
ldy_shadow *ldy_shadow_new(const LOCDYN *legacy);

/* Compare the rows of the legacy module with what the library assembles from the same bodies and constraints. To be
   called after the legacy LOCDYN_Update_Begin, before velocities, bodies, constraints or rows change.

   tolerance: the allowed differences, its size set; NULL, and fields beyond its size: 1e-12 each. report: output, its size
   set; may be NULL. The largest differences and the time are written in any case. If the two differ, text and ids name the
   first wrong constraint in list order.

   Compared as far as the update kind computes them: V, B, W, A, rho, free_energy and off-diagonal blocks. Compared always:
   - that each constraint of the domain has one row, with p, R, U, V as they should be;
   - the order of rows: new ones at the head, the others as at the last check;
   - the blocks of each row, by neighbor and body: none missing, none too many. Their order within a row is not
     compared: it depends on a history that is not known in full.

   Which nodes two constraints on a finite-element body with an explicit scheme share is decided at insertion, and stays so
   while they move. The shadow decides it for rows that are new since the last check, from the places that they have
   then: make it while there are no rows, and check after every update. A row may have been removed and inserted again
   between two checks, for the same constraint and bodies and at the same address. The shadow takes it for a new one where
   it has come to the head of the list, or where its blocks have changed to those that an insertion makes now; not where
   the order of blocks in other rows says otherwise, and not after a check that found the list itself wrong.
   A check that ends with an error code before all rows are read leaves no trace: the next one compares with the check
   before.

   The legacy module's oddities on separate meshes that lose a shared node are reported as differences; see
   docs/solfec/migrating.md.

   Nothing of the host or the legacy module is written, con->dia, V and num included. Factors of matrices are kept from
   check to check. Returns 1 if both agree, else 0: then the report's code is LDY_DIFFERS, or an error code if the library
   cannot assemble; ldy_last_error has the report's text. If a size is wrong, the function returns 0 and compares
   nothing; if it is the report's size, only ldy_last_error has the reason. Never raises.

   Safety:
   shadow is NULL or comes from ldy_shadow_new; its legacy module, the domain, bodies and constraints are valid and
   not changed meanwhile; tolerance and report are NULL or valid, with the number of bytes in their sizes. */
int ldy_shadow_check(ldy_shadow *shadow,
                     const ldy_tolerance *tolerance,
                     ldy_report *report);

/* Free a shadow; NULL is allowed. The legacy module may be gone.

   Safety:
   shadow is NULL or comes from ldy_shadow_new, and is not used afterwards. */
void ldy_shadow_free(ldy_shadow *shadow);

#if defined (MPI) && MPI

/* ---- Additions in the build for MPI ---- */

/* Let the processes of another communicator than MPI_COMM_WORLD, the default, update together. The call is collective over it and
   over the previous one. Call it before the first LOCDYN_Update_Begin or between two updates.

   communicator: its Fortran handle, MPI_Comm_c2f (comm), so that this header needs no header of MPI. The library makes a
   duplicate; the communicator may be freed. The rank of an external constraint is a rank in it.

   Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if MPI is not initialized or is finalized, communicator is
   MPI_COMM_NULL or an intercommunicator, or MPI fails. Never raises. */
int ldy_set_communicator(int communicator);

#endif

/* ---- The library that fits ----
 *
 * Every object that includes this header refers to one of these functions, so that the linker finds a library with other
 * layouts: `undefined reference to ldy_layout_mpi` means that a program for MPI is linked with the serial library,
 * `ldy_layout_serial` that a serial program is linked with libldy-mpi.a, and `ldy_layout_mpi_openmpi` or
 * `ldy_layout_mpi_mpich` that libldy-mpi.a was built with another MPI, or is the serial library. The MPI is known where
 * mpi.h is included before this header. The reference costs a pointer an object.
 *
 * Define LDY_NO_LINK_CHECK to do without it, for instance in a program that takes structures from this header but is not
 * linked with the library. The functions do nothing. */

#if defined (MPI) && MPI
void ldy_layout_mpi(void);
void ldy_layout_mpi_openmpi(void);
void ldy_layout_mpi_mpich(void);
#else
void ldy_layout_serial(void);
#endif

#if !defined (MPI) || !MPI
#define LDY_LAYOUT ldy_layout_serial
#elif defined (OPEN_MPI)
#define LDY_LAYOUT ldy_layout_mpi_openmpi
#elif defined (MPICH_VERSION)
#define LDY_LAYOUT ldy_layout_mpi_mpich
#else
#define LDY_LAYOUT ldy_layout_mpi
#endif

#if defined (__GNUC__) && !defined (LDY_NO_LINK_CHECK)
/* Without `retain` the linker's --gc-sections may drop the reference unseen. */
#ifdef __has_attribute
#if __has_attribute (retain)
#define LDY_KEPT __attribute__ ((used, retain))
#endif
#endif
#ifndef LDY_KEPT
#define LDY_KEPT __attribute__ ((used))
#endif
static void (*const ldy_needed_layout) (void) LDY_KEPT = LDY_LAYOUT;
#endif

#ifdef __cplusplus
}
#endif

#endif
