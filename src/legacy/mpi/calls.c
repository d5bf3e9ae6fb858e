/* All calls of MPI. The Rust files of this folder say what is exchanged, and why. */
#define _POSIX_C_SOURCE 200112L /* nanosleep */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpi.h>

#include "calls.h"

#define TAG 1

/* The communicator is a duplicate: the host's wildcard receives must not see our messages. */
static struct {
  MPI_Comm communicator;
  MPI_Datatype record;
  MPI_Request *requests; /* two per rank */
  struct ldy_mpi_world world;
  int chosen; /* whether the world has been set */
} state;

static int running (void)
{
  int initialised = 0, finalised = 0;

  MPI_Initialized (&initialised);
  if (initialised) MPI_Finalized (&finalised);
  return initialised && !finalised;
}

static void release (void)
{
  if (state.world.size > 1) {
    MPI_Type_free (&state.record);
    MPI_Comm_free (&state.communicator);
  }
  free (state.requests);
  free (state.world.sent);
  memset (&state, 0, sizeof state);
}

/* ---- the world */

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF first of all, when everything else still works. */
static int before_finalize (MPI_Comm self, int key, void *value, void *extra)
{
  (void) self;
  (void) key;
  (void) value;
  (void) extra;
  if (state.chosen) release ();
  return MPI_SUCCESS;
}

static int release_at_finalize (void)
{
  static int done = 0;
  int code, key;

  if (done) return MPI_SUCCESS;
  code = MPI_Comm_create_keyval (MPI_COMM_NULL_COPY_FN, before_finalize, &key, NULL);
  if (!code) code = MPI_Comm_set_attr (MPI_COMM_SELF, key, NULL);
  if (!code) code = MPI_Comm_free_keyval (&key);
  done = !code;
  return code;
}

/* Allocate arrays and duplicate the communicator for several processes. All return LDY_MPI_MEMORY if one has no memory. */
static int prepare (MPI_Comm communicator)
{
  size_t size = (size_t) state.world.size;
  int code, mine, all = 0;

  state.world.sent = calloc (2 * size, sizeof (int));
  state.world.received = state.world.sent ? state.world.sent + size : NULL;
  state.requests = calloc (2 * size, sizeof *state.requests);
  mine = state.world.sent && state.requests;
  code = MPI_Comm_dup (communicator, &state.communicator);
  if (code) return code;
  code = MPI_Type_contiguous ((int) sizeof (struct ldy_mpi_record), MPI_BYTE, &state.record);
  if (!code) code = MPI_Type_commit (&state.record);
  if (!code) code = MPI_Allreduce (&mine, &all, 1, MPI_INT, MPI_MIN, state.communicator);
  if (!code && !all) code = LDY_MPI_MEMORY;
  if (!code) code = release_at_finalize ();
  return code;
}

static int choose (MPI_Comm communicator)
{
  int code;

  if (state.chosen) release ();
  code = MPI_Comm_rank (communicator, &state.world.rank);
  if (!code) code = MPI_Comm_size (communicator, &state.world.size);
  if (!code && state.world.size > 1) {
    code = prepare (communicator);
    if (code == LDY_MPI_MEMORY) release ();
  }
  state.chosen = !code;
  return code;
}

int ldy_mpi_world (struct ldy_mpi_world *world)
{
  struct ldy_mpi_world alone = { 0, 1, NULL, NULL };
  int code, size;

  *world = alone;
  if (!running ()) return MPI_SUCCESS;
  if (!state.chosen) {
    code = MPI_Comm_size (MPI_COMM_WORLD, &size);
    if (code || size == 1) return code;
    code = choose (MPI_COMM_WORLD);
    if (code) return code;
  }
  *world = state.world;
  return MPI_SUCCESS;
}

int ldy_mpi_set_communicator (int handle)
{
  MPI_Comm communicator;
  int code, inter;

  if (!running ()) return LDY_MPI_NOT_RUNNING;
  communicator = MPI_Comm_f2c ((MPI_Fint) handle);
  if (communicator == MPI_COMM_NULL) return LDY_MPI_NO_COMMUNICATOR;
  code = MPI_Comm_test_inter (communicator, &inter);
  if (code) return code;
  return inter ? LDY_MPI_NO_COMMUNICATOR : choose (communicator);
}

/* ---- messages */

int ldy_mpi_counts (void)
{
  return MPI_Alltoall (state.world.sent, 1, MPI_INT, state.world.received, 1, MPI_INT, state.communicator);
}

int ldy_mpi_exchange (const struct ldy_mpi_record *out, struct ldy_mpi_record *in)
{
  int code = MPI_SUCCESS, count = 0, rank;

  for (rank = 0; rank < state.world.size && !code; rank ++) {
    if (state.world.received[rank] == 0) continue;
    code = MPI_Irecv (in, state.world.received[rank], state.record, rank, TAG, state.communicator, &state.requests[count ++]);
    in += state.world.received[rank];
  }
  for (rank = 0; rank < state.world.size && !code; rank ++) {
    if (state.world.sent[rank] == 0) continue;
    code = MPI_Isend (out, state.world.sent[rank], state.record, rank, TAG, state.communicator, &state.requests[count ++]);
    out += state.world.sent[rank];
  }
  for (rank = 0; rank < count && !code; rank ++) code = MPI_Wait (&state.requests[rank], MPI_STATUS_IGNORE);
  return code;
}

int ldy_mpi_agree (int *status, int *rank)
{
  struct { int status, rank; } mine, all;
  int code;

  mine.status = *status;
  mine.rank = state.world.rank;
  code = MPI_Allreduce (&mine, &all, 1, MPI_2INT, MPI_MAXLOC, state.communicator);
  if (code) return code;
  *status = all.status;
  *rank = all.rank;
  return MPI_SUCCESS;
}

int ldy_mpi_share (char *text, int size, int rank)
{
  return MPI_Bcast (text, size, MPI_CHAR, rank, state.communicator);
}

/* ---- errors */

void ldy_mpi_error_text (int code, char *text, int size)
{
  char words[MPI_MAX_ERROR_STRING] = "";
  int length;

  switch (code) {
  case LDY_MPI_MEMORY: strcpy (words, "no memory on one of the ranks"); break;
  case LDY_MPI_NOT_RUNNING: strcpy (words, "it is not initialised, or finalised"); break;
  case LDY_MPI_NO_COMMUNICATOR: strcpy (words, "no communicator within a group"); break;
  default: MPI_Error_string (code, words, &length);
  }
  snprintf (text, (size_t) size, "%s", words);
}

int ldy_mpi_rank_in_world (void)
{
  int rank = -1;

  if (running ()) MPI_Comm_rank (MPI_COMM_WORLD, &rank);
  return rank;
}

int ldy_mpi_is_first (void)
{
  return (state.chosen ? state.world.rank : ldy_mpi_rank_in_world ()) <= 0;
}

void ldy_mpi_abort (void)
{
  const struct timespec moment = { 0, 200000000 };

  if (!running ()) return;
  fflush (stdout);
  nanosleep (&moment, NULL); /* launchers drop output that they have not passed on by then */
  MPI_Abort (MPI_COMM_WORLD, 1);
}

void ldy_mpi_give_up (const char *why)
{
  fprintf (stderr, "ldy: rank %d: %s\n", ldy_mpi_rank_in_world (), why);
  ldy_mpi_abort ();
}
