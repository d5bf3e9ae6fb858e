/* A host's header in outline: memory pools. Include guard as a host has it, no extern "C" of its own. */
#ifndef __mem__
#define __mem__

#include <stddef.h>

typedef struct memory_pool MEM;

struct memory_pool {
  void *blocks;
  char *freechunk;
  char *lastchunk;
  void *deadchunks;
  size_t chunksize;
  size_t chunksinblock;
};

#endif
