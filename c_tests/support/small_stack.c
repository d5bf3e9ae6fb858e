#include "support/small_stack.h"

#include <pthread.h>

typedef struct { int (*function) (void); int result; } CALL;

static void *run (void *data)
{
  CALL *call = data;

  call->result = call->function ();
  return NULL;
}

int on_small_stack (int (*function) (void))
{
  CALL call = { function, -1 };
  pthread_attr_t attributes;
  pthread_t thread;

  if (pthread_attr_init (&attributes)) return -1;
  if (!pthread_attr_setstacksize (&attributes, SMALL_STACK) && !pthread_create (&thread, &attributes, run, &call))
    pthread_join (thread, NULL);
  pthread_attr_destroy (&attributes);
  return call.result;
}
