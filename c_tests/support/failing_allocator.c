#include "support/failing_allocator.h"

#include <stdlib.h>

FAILING failing;

void *__real_malloc (size_t size);
void *__real_calloc (size_t count, size_t size);
void *__real_realloc (void *memory, size_t size);
int __real_posix_memalign (void **memory, size_t alignment, size_t size);
void *__real_aligned_alloc (size_t alignment, size_t size);
void __real_free (void *memory);

void *__wrap_malloc (size_t size);
void *__wrap_calloc (size_t count, size_t size);
void *__wrap_realloc (void *memory, size_t size);
int __wrap_posix_memalign (void **memory, size_t alignment, size_t size);
void *__wrap_aligned_alloc (size_t alignment, size_t size);
void __wrap_free (void *memory);

/* Counts down while armed; 1 if this allocation is to fail. */
static int fails (void)
{
  if (!failing.armed) return 0;
  int left = failing.until --;
  if (left > 1 || (left < 1 && !failing.persistent)) return 0;
  failing.failed ++;
  return 1;
}

static void *counted (void *memory)
{
  failing.in_use += memory != NULL;
  return memory;
}

void *__wrap_malloc (size_t size)
{
  return fails () ? NULL : counted (__real_malloc (size));
}

void *__wrap_calloc (size_t count, size_t size)
{
  return fails () ? NULL : counted (__real_calloc (count, size));
}

void *__wrap_realloc (void *memory, size_t size)
{
  if (fails ()) return NULL;
  return memory ? __real_realloc (memory, size) : counted (__real_realloc (memory, size));
}

int __wrap_posix_memalign (void **memory, size_t alignment, size_t size)
{
  int error = fails () ? 12 : __real_posix_memalign (memory, alignment, size);

  if (!error) counted (*memory);
  return error;
}

void *__wrap_aligned_alloc (size_t alignment, size_t size)
{
  return fails () ? NULL : counted (__real_aligned_alloc (alignment, size));
}

void __wrap_free (void *memory)
{
  failing.in_use -= memory != NULL;
  __real_free (memory);
}

void failing_arm (int until)
{
  failing.until = until;
  failing.failed = 0;
  failing.armed = 1;
}
