/* Identity of this build: the symbols by which the linker distinguishes it from other builds, and the version of MPI. It is
 * a separate object, so that nothing else is linked with these symbols. */
#ifdef MPI
#include <mpi.h>
#endif

#include "internal.h"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF (number)

#if defined (MPI) && MPI

void ldy_layout_mpi (void)
{
}

#if defined (OPEN_MPI)
#define NAME "Open MPI " TEXT (OMPI_MAJOR_VERSION) "." TEXT (OMPI_MINOR_VERSION) "." TEXT (OMPI_RELEASE_VERSION)
#elif defined (MPICH_VERSION)
#define NAME "MPICH " MPICH_VERSION
#endif

#ifdef NAME
void LDY_LAYOUT (void)
{
}
#else
#define NAME "MPI " TEXT (MPI_VERSION) "." TEXT (MPI_SUBVERSION)
#endif

#else

void ldy_layout_serial (void)
{
}

#define NAME ""

#endif

const char *ldy_identity_mpi (void)
{
  return NAME;
}
