/* scaling N UPDATES: a bar of touching spheres, N x N x N of them on each process. Prints the data that processes send in an
 * update, and its time, as a line in the form of `make bench`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

#include "map.h"
#include "support/host/host.h"

static int rank, ranks, n;

/* Layers of bodies: the last one of the process before (dummies), the own ones, the first one of the next process
 * (children) and the next (dummies). */
typedef struct {
  HOST *host;
  BODY **body;         /* of layer x, from -1 to n + 1: [((x + 1) * n + y) * n + z] */
  CON **external;
  int own, externals, sent; /* constraints; external ones that this process sends for */
} BAR;

static BODY **at (BAR *bar, int x, int y, int z)
{
  return &bar->body[((x + 1) * n + y) * n + z];
}

static void *zeroed (int count, size_t size)
{
  void *memory = calloc ((size_t) count + 1, size);

  if (!memory) abort ();
  return memory;
}

static void set_flags (BODY *body, int flags)
{
  memcpy (&body->flags, &flags, sizeof body->flags);
}

static int exists (int x)
{
  int layer = rank * n + x;

  return layer >= 0 && layer < ranks * n;
}

static void make_layer (BAR *bar, int x)
{
  BODY *body;
  int y, z;

  for (y = 0; y < n && exists (x); y ++) {
    for (z = 0; z < n; z ++) {
      if (x < 0 || x > n) {
        body = zeroed (1, sizeof *body);
      } else {
        body = host_add_body (bar->host, RIG);
        body->velo[3] = body->velo[9] = rank * n + x;
        body->ref_center[0] = rank * n + x;
        body->ref_center[1] = y;
        body->ref_center[2] = z;
        set_flags (body, x < n ? BODY_PARENT : BODY_CHILD);
      }
      body->id = (unsigned int) (((rank * n + x) * n + y) * n + z + 1);
      *at (bar, x, y, z) = body;
    }
  }
}

/* The contact of a body with the next one in a direction; it belongs to the process of the first. Where both are here it is
 * made in the host's way; else the dummy has no set to be in. */
static void make_contact (BAR *bar, int x, int y, int z, int direction)
{
  int to[3] = { x + (direction == 0), y + (direction == 1), z + (direction == 2) };
  BODY *slave, *master = *at (bar, x, y, z);
  CON *con;

  if (to[1] == n || to[2] == n || !exists (to[0])) return;
  slave = *at (bar, to[0], to[1], to[2]);
  con = zeroed (1, sizeof *con);
  con->kind = CONTACT;
  con->base[0] = con->base[4] = con->base[8] = 1;
  con->mat.base = &bar->host->material;
  con->master = master;
  con->slave = slave;
  con->id = 3 * (master->id - 1) + (unsigned int) direction + 1;
  con->mpnt[0] = con->spnt[0] = rank * n + x + (direction == 0) * 0.5;
  con->mpnt[1] = con->spnt[1] = y + (direction == 1) * 0.5;
  con->mpnt[2] = con->spnt[2] = z + (direction == 2) * 0.5;
  con->rank = x < 0 ? rank - 1 : x < n ? rank : rank + 1;
  if (x >= 0) host_join (master, con, -1);
  if (to[0] <= n) host_join (slave, con, -1);
  if (con->rank == rank) {
    host_link (bar->host, con);
    bar->own ++;
  } else {
    con->state = CON_EXTERNAL;
    bar->external[bar->externals ++] = con;
    bar->sent += x < 0;
  }
}

static BAR *bar_create (void)
{
  BAR *bar = zeroed (1, sizeof *bar);
  CON **own, *con;
  int x, y, z, i = 0;

  bar->host = host_create ();
  bar->body = zeroed ((n + 3) * n * n, sizeof *bar->body);
  bar->external = zeroed (4 * n * n, sizeof *bar->external);
  for (x = -1; x <= n + 1; x ++) make_layer (bar, x);
  for (x = -1; x <= n; x ++) {
    for (y = 0; y < n && exists (x); y ++) {
      for (z = 0; z < n; z ++) {
        make_contact (bar, x, y, z, 0);
        if (x >= 0) make_contact (bar, x, y, z, 1);
        if (x >= 0) make_contact (bar, x, y, z, 2);
      }
    }
  }
  own = zeroed (bar->own, sizeof *own);
  for (con = bar->host->dom.con; con; con = con->next) own[i ++] = con;
  bar->host->dom.idc = map_of_constraints (own, bar->own);
  bar->host->dom.conext = map_of_constraints (bar->external, bar->externals);
  free (own);
  bar->host->dom.ldy = LOCDYN_Create (&bar->host->dom);
  for (con = bar->host->dom.con; con; con = con->next) host_insert (bar->host, con);
  return bar;
}

static int ascending (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

/* The shortest and the median of `updates` in a row, in milliseconds, each as long as on the slowest process. */
static void measure (LOCDYN *ldy, int updates, double *shortest, double *median)
{
  double *times = zeroed (updates, sizeof *times), start;
  int i;

  LOCDYN_Update_Begin (ldy);
  for (i = 0; i < updates; i ++) {
    MPI_Barrier (MPI_COMM_WORLD);
    start = MPI_Wtime ();
    LOCDYN_Update_Begin (ldy);
    times[i] = 1e3 * (MPI_Wtime () - start);
    MPI_Allreduce (MPI_IN_PLACE, &times[i], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  qsort (times, (size_t) updates, sizeof *times, ascending);
  *shortest = times[0];
  *median = times[updates / 2];
  free (times);
}

static void report (const BAR *bar, double shortest, double median)
{
  ldy_stats stats = { .size = sizeof stats };
  unsigned long sums[6] = { (unsigned long) bar->own, 0, (unsigned long) bar->sent, 0, 0, 0 };

  ldy_get_stats (bar->host->dom.ldy, &stats);
  sums[1] = stats.blocks;
  sums[3] = stats.external_blocks;
  sums[4] = stats.messages;
  sums[5] = stats.message_bytes;
  MPI_Allreduce (MPI_IN_PLACE, sums, 6, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
  if (rank) return;
  printf ("scaling processes=%d constraints=%lu blocks=%lu boundary=%lu external_blocks=%lu messages=%lu bytes=%lu", ranks,
          sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]);
  if (sums[2]) printf (" bytes_per_boundary=%.1f", (double) sums[5] / (double) sums[2]);
  printf (" shortest_ms=%.3f update_ms=%.3f\n", shortest, median);
}

int main (int argc, char **argv)
{
  double shortest, median;
  BAR *bar;

  MPI_Init (&argc, &argv);
  MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  MPI_Comm_size (MPI_COMM_WORLD, &ranks);
  n = argc > 1 ? atoi (argv[1]) : 8;
  bar = bar_create ();
  measure (bar->host->dom.ldy, argc > 2 ? atoi (argv[2]) : 201, &shortest, &median);
  report (bar, shortest, median);
  LOCDYN_Destroy (bar->host->dom.ldy);
  MPI_Finalize ();
  return 0; /* the rest of the memory goes with the process */
}
