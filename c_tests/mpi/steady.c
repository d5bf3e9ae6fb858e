/* steady UPDATES: many updates in a row, on several processes. The second half of them asks for no memory at all, and keeps
 * every address of an external block; later rows are removed and inserted before each update, and what the library holds
 * stays the same. Then from each allocation of a first update on all fail on one rank: it informs the others, and all can go on.
 * Linked with the linker's --wrap for malloc and its kin, which sees the library's calls and not MPI's. */
#include <stdio.h>
#include <stdlib.h>

#include <mpi.h>

#include "part.h"
#include "summary.h"
#include "support/check.h"
#include "support/error_observer.h"
#include "support/failing_allocator.h"
#include "support/scene.h"

#define NEVER 1000000000

static int rank, ranks;

static size_t bytes_held (const LOCDYN *ldy)
{
  ldy_stats stats = { .size = sizeof stats };

  CHECK_INT (ldy_get_stats (ldy, &stats), 0);
  return stats.row_bytes + stats.block_bytes + stats.operator_bytes + stats.factor_bytes + stats.scratch_bytes;
}

static const OFFB *some_external (const LOCDYN *ldy)
{
  const DIAB *dia;

  for (dia = ldy->dia; dia; dia = dia->n) {
    if (dia->adjext) return dia->adjext;
  }
  return NULL;
}

static void updates (LOCDYN *ldy, int count)
{
  for (; count > 0; count --) LOCDYN_Update_Begin (ldy);
}

static void stay_in_memory (LOCDYN *ldy, int count)
{
  const OFFB *external;
  size_t bytes;

  updates (ldy, count / 2);
  external = some_external (ldy);
  bytes = bytes_held (ldy);
  failing.until = NEVER;
  failing.armed = 1;
  updates (ldy, count / 2);
  failing.armed = 0;
  CHECK_INT (NEVER - failing.until, 0);
  CHECK_INT (bytes_held (ldy), bytes);
  CHECK_POINTER (some_external (ldy), external);
}

/* Remove all rows and insert them again. */
static void reinsert (HOST *host)
{
  CON *con;

  for (con = host->dom.con; con; con = con->next) host_remove (host, con);
  for (con = host->dom.con; con; con = con->next) host_insert (host, con);
}

static void stay_through_changes (HOST *host, int count)
{
  LOCDYN *ldy = host->dom.ldy;
  size_t bytes = 0;
  long in_use = 0;
  int i;

  for (i = 0; i < count; i ++) {
    if (i == count / 2) {
      bytes = bytes_held (ldy);
      in_use = failing.in_use;
    }
    reinsert (host);
    LOCDYN_Update_Begin (ldy);
  }
  CHECK_INT (bytes_held (ldy), bytes);
  CHECK_INT (failing.in_use, in_use);
}

static void run (int count, int kind)
{
  HOST *whole = scene_mixed (1);
  PARTITION *partition = partition_create (whole, ranks, kind);
  PART *part = part_create (whole, partition, rank);
  CON *con;

  check_context ("rank %d of %d, %s", rank, ranks, partition_name (kind));
  part->host->dom.ldy = LOCDYN_Create (&part->host->dom);
  for (con = part->host->dom.con; con; con = con->next) host_insert (part->host, con);
  stay_in_memory (part->host->dom.ldy, count);
  stay_through_changes (part->host, count);
  LOCDYN_Destroy (part->host->dom.ldy);
  part_free (part);
  partition_free (partition);
  host_destroy (whole);
}

/* ---- no memory */

/* Whether there was still an allocation to fail. Rank 0 has all parents, so that nothing comes to it that it had to make
 * room for when it is on its way already. */
static int starved (const HOST *whole, const PARTITION *partition, int until)
{
  PART *part = part_create (whole, partition, rank);
  LOCDYN *ldy = part->host->dom.ldy = LOCDYN_Create (&part->host->dom);
  int code, failed;
  CON *con;

  check_context ("rank %d of %d, allocation %d", rank, ranks, until);
  for (con = part->host->dom.con; con; con = con->next) host_insert (part->host, con);
  failing.failed = 0;
  failing.until = until;
  failing.persistent = 1; /* some are tried again */
  failing.armed = rank == 0;
  code = watched_update (part->host);
  failing.armed = 0;
  failed = failing.failed;
  MPI_Bcast (&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0 || !failed) CHECK_INT (code, failed ? 1 : 0);
  else CHECK (code == 52 || code == 0); /* before the exchange, or after it */
  CHECK (ldy_is_consistent (ldy, NULL));
  CHECK_INT (watched_update (part->host), 0);
  LOCDYN_Destroy (ldy);
  part_free (part);
  return failed;
}

static void starve (void)
{
  HOST *whole = scene_mixed (2);
  PARTITION *partition = partition_create (whole, ranks, PARTITION_EVERYWHERE);
  int i, until = 1;

  for (i = 0; i < partition->bodies; i ++) partition->parent[i] = 0;
  watch_errors ();
  while (starved (whole, partition, until)) until ++;
  CHECK (until > 10);
  watch_no_errors ();
  partition_free (partition);
  host_destroy (whole);
}

int main (int argc, char **argv)
{
  int code, kind;

  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &ranks);
  for (kind = 0; kind <= PARTITION_RANDOM; kind ++) run (argc > 1 ? atoi (argv[1]) : 100, kind);
  starve ();
  code = summary_of_ranks ("steady");
  MPI_Finalize ();
  return code;
}
