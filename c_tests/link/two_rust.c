/* Linked with a second static library written in Rust (second.rs): both run in one program. */
#include <stdio.h>

#include "ldy_host.h"

int second_catches_a_panic (void);
int second_runs_a_thread (void);

int main (void)
{
  DOM dom = { .step = 0.001 };
  LOCDYN *ldy = LOCDYN_Create (&dom);

  printf ("panic caught: %d, thread: %d\n", second_catches_a_panic (), second_runs_a_thread ());
  LOCDYN_Update_Begin (ldy);
  printf ("rows: %d\n", ldy->dia != NULL);
  LOCDYN_Destroy (ldy);
  return 0;
}
