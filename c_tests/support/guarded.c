#define _DEFAULT_SOURCE

#include "support/guarded.h"

#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROOM ((size_t) 1 << 30) /* reserved, not used */
#define ALIGNMENT 16

void *__real_malloc (size_t size);
void *__real_calloc (size_t count, size_t size);
void *__real_realloc (void *memory, size_t size);
void __real_free (void *memory);

void *__wrap_malloc (size_t size);
void *__wrap_calloc (size_t count, size_t size);
void *__wrap_realloc (void *memory, size_t size);
void __wrap_free (void *memory);

static char *start;
static size_t used;
static long blocks;
static int active;

static int is_guarded (const void *memory)
{
  uintptr_t at = (uintptr_t) memory, first = (uintptr_t) start;

  return start && at >= first && at < first + ROOM;
}

/* Each block comes after its size. Freed memory is used again when nothing is left. */
static void *guarded (size_t size)
{
  size_t whole = (size + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  char *block = start + used;

  if (whole > ROOM - used) abort ();
  memcpy (block, &size, sizeof size);
  memset (block + ALIGNMENT, 0, size);
  used += whole;
  blocks ++;
  return block + ALIGNMENT;
}

void *__wrap_malloc (size_t size)
{
  return active ? guarded (size) : __real_malloc (size);
}

void *__wrap_calloc (size_t count, size_t size)
{
  return active ? guarded (count * size) : __real_calloc (count, size);
}

void *__wrap_realloc (void *memory, size_t size)
{
  size_t before;
  void *larger;

  if (!is_guarded (memory)) return active && !memory ? guarded (size) : __real_realloc (memory, size);
  memcpy (&before, (char *) memory - ALIGNMENT, sizeof before);
  larger = guarded (size);
  memcpy (larger, memory, before < size ? before : size);
  __wrap_free (memory);
  return larger;
}

void __wrap_free (void *memory)
{
  if (!is_guarded (memory)) __real_free (memory);
  else if (-- blocks == 0) used = 0;
}

static void written (int signal_number, siginfo_t *info, void *context)
{
  static const char text[] = "locked memory was written\n";

  (void) context;
  if (is_guarded (info->si_addr)) {
    if (write (STDERR_FILENO, text, sizeof text - 1) < 0) _exit (2);
    _exit (1);
  }
  signal (signal_number, SIG_DFL);
}

void guarded_begin (void)
{
  struct sigaction action = { 0 };

  active = 1;
  if (start) return;
  start = mmap (NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) abort ();
  action.sa_sigaction = written;
  action.sa_flags = SA_SIGINFO;
  sigaction (SIGSEGV, &action, NULL);
}

void guarded_end (void) { active = 0; }

/* Only what is used: valgrind takes its time for every byte. */
static void protect (int access)
{
  size_t page = (size_t) sysconf (_SC_PAGESIZE);

  if (mprotect (start, (used + page - 1) / page * page, access)) abort ();
}

void guarded_lock (void) { protect (PROT_READ); }
void guarded_unlock (void) { protect (PROT_READ | PROT_WRITE); }
