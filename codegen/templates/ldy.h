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
@own typedefs@

#ifndef LDY_HOST_H
#include "mem.h"
#include "bod.h"
#include "sps.h"
#endif

@host typedefs@

#ifdef __cplusplus
extern "C" {
#endif

@structures@

/* ---- The functions of the module ---- */

@module@

/* ---- Additions of this library ---- */

@codes@

@additions@

#if defined (MPI) && MPI

/* ---- Additions in the build for MPI ---- */

@parallel@

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
