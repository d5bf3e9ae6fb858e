/* An allocator that fails when armed: linked with the linker's --wrap for malloc and its kin, so that the calls of the
 * library come here first. */
#pragma once

#include <stdatomic.h>

/* Armed, the `until`-th allocation from now on fails; with `persistent` all that follow it too. Several threads may
 * allocate. */
typedef struct {
  atomic_int armed, until, persistent;
  atomic_int failed;    /* how many have failed */
  atomic_long in_use;   /* blocks of memory allocated and not freed since the program began */
} FAILING;

extern FAILING failing;

/* Arms: the `until`-th allocation from now on fails, none has failed yet. */
void failing_arm (int until);
