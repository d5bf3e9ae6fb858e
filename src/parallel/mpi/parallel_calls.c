/* The calls of MPI for systems across processes. The Rust files of src/parallel say what is sent, and why. */
#include <stdlib.h>

#include <mpi.h>

#include "parallel_calls.h"

struct ldy_mpi_group {
  MPI_Comm communicator;
  MPI_Request *requests;
  int room;
  MPI_File file;
};

/* The most bytes of one call, whose count is an int. */
#define MOST_BYTES (1 << 30)

/* The tag of numbers that are announced; those of the Rust files are other ones. */
#define TAG_ANNOUNCED 4

static int is_running (void)
{
  int initialized = 0, finalized = 0;

  MPI_Initialized (&initialized);
  if (initialized) MPI_Finalized (&finalized);
  return initialized && !finalized;
}

int ldy_mpi_group_open (int handle, struct ldy_mpi_group **place, int *rank, int *size)
{
  struct ldy_mpi_group *group;
  MPI_Comm given, own;
  int code, inter, mine, all = 0;

  if (!is_running ()) return LDY_MPI_NOT_RUNNING;
  given = MPI_Comm_f2c ((MPI_Fint) handle);
  if (given == MPI_COMM_NULL) return LDY_MPI_NO_COMMUNICATOR;
  code = MPI_Comm_test_inter (given, &inter);
  if (code) return code;
  if (inter) return LDY_MPI_NO_COMMUNICATOR;
  code = MPI_Comm_dup (given, &own);
  if (code) return code;
  group = calloc (1, sizeof *group);
  mine = group != NULL;
  code = MPI_Allreduce (&mine, &all, 1, MPI_INT, MPI_MIN, own);
  if (!code) code = MPI_Comm_rank (own, rank);
  if (!code) code = MPI_Comm_size (own, size);
  if (code || !all) {
    free (group);
    MPI_Comm_free (&own);
    return code ? code : LDY_MPI_MEMORY;
  }
  group->communicator = own;
  *place = group;
  return MPI_SUCCESS;
}

void ldy_mpi_group_close (struct ldy_mpi_group *group)
{
  if (is_running ()) MPI_Comm_free (&group->communicator);
  free (group->requests);
  free (group);
}

/* Receive a number if there is one. */
static int hear (struct ldy_mpi_group *group, int64_t *received, int size)
{
  int code, is_there = 0;
  int64_t number = 0;
  MPI_Status status;

  code = MPI_Iprobe (MPI_ANY_SOURCE, TAG_ANNOUNCED, group->communicator, &is_there, &status);
  if (code || !is_there) return code;
  code = MPI_Recv (&number, 1, MPI_INT64_T, status.MPI_SOURCE, TAG_ANNOUNCED, group->communicator, MPI_STATUS_IGNORE);
  if (status.MPI_SOURCE < size) received[status.MPI_SOURCE] = number;
  return code;
}

/* Nonblocking consensus (Hoefler, Siebert and Lumsdaine: Scalable communication protocols for dynamic sparse data exchange, 2010): a
 * process enters the barrier when all its numbers have been received, so that none is on its way after the barrier. */
int ldy_mpi_group_announce (struct ldy_mpi_group *group, const int64_t *sent, int64_t *received, int size)
{
  MPI_Request barrier = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS, started = 0, finished = 0, is_in_barrier = 0, is_over = 0, k;

  for (k = 0; !code && k < size; k ++) {
    if (sent[k]) code = MPI_Issend (&sent[k], 1, MPI_INT64_T, k, TAG_ANNOUNCED, group->communicator, &group->requests[started ++]);
  }
  while (!code && !is_over) {
    code = hear (group, received, size);
    for (k = 1; !code && k && finished < started; finished += k) code = MPI_Test (&group->requests[finished], &k, MPI_STATUS_IGNORE);
    if (code || finished < started) continue;
    if (is_in_barrier) code = MPI_Test (&barrier, &is_over, MPI_STATUS_IGNORE);
    else code = MPI_Ibarrier (group->communicator, &barrier);
    is_in_barrier = 1;
  }
  return code;
}

int ldy_mpi_group_sum (struct ldy_mpi_group *group, int64_t *values, int count)
{
  return MPI_Allreduce (MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_SUM, group->communicator);
}

int ldy_mpi_group_max (struct ldy_mpi_group *group, int64_t *values, int count)
{
  return MPI_Allreduce (MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_MAX, group->communicator);
}

int ldy_mpi_group_share (struct ldy_mpi_group *group, void *bytes, int size, int root)
{
  return MPI_Bcast (bytes, size, MPI_BYTE, root, group->communicator);
}

int ldy_mpi_group_reserve (struct ldy_mpi_group *group, int requests)
{
  MPI_Request *larger;

  if (requests <= group->room) return MPI_SUCCESS;
  larger = realloc (group->requests, (size_t) requests * sizeof *larger);
  if (!larger) return LDY_MPI_MEMORY;
  group->requests = larger;
  group->room = requests;
  return MPI_SUCCESS;
}

int ldy_mpi_group_receive (struct ldy_mpi_group *group, uint64_t *words, int count, int from, int tag, int request)
{
  return MPI_Irecv (words, count, MPI_UINT64_T, from, tag, group->communicator, &group->requests[request]);
}

int ldy_mpi_group_send (struct ldy_mpi_group *group, const uint64_t *words, int count, int to, int tag, int request)
{
  return MPI_Isend (words, count, MPI_UINT64_T, to, tag, group->communicator, &group->requests[request]);
}

int ldy_mpi_group_finish (struct ldy_mpi_group *group, int request)
{
  return MPI_Wait (&group->requests[request], MPI_STATUS_IGNORE);
}

int ldy_mpi_group_open_file (struct ldy_mpi_group *group, const char *path)
{
  int code = MPI_File_open (group->communicator, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &group->file);

  return code ? code : MPI_File_set_size (group->file, 0);
}

int ldy_mpi_group_write_file (struct ldy_mpi_group *group, const void *bytes, int64_t size, int64_t offset)
{
  int64_t rounds = (size + MOST_BYTES - 1) / MOST_BYTES, done = 0;
  int code = MPI_Allreduce (MPI_IN_PLACE, &rounds, 1, MPI_INT64_T, MPI_MAX, group->communicator), failed = 0;

  /* All processes make the same number of calls, also after an error. */
  for (; !code && rounds > 0; rounds --) {
    int64_t left = size - done, count = left < MOST_BYTES ? left : MOST_BYTES;
    int written = MPI_File_write_at_all (group->file, (MPI_Offset) (offset + done), (const char *) bytes + done, (int) count, MPI_BYTE, MPI_STATUS_IGNORE);

    if (written && !failed) failed = written;
    done += count;
  }
  return code ? code : failed;
}

int ldy_mpi_group_close_file (struct ldy_mpi_group *group)
{
  return MPI_File_close (&group->file);
}
