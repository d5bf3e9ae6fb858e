/* Two rigid bodies that touch at two points: assembles U = B + W R and prints B and W. */
#include <stdio.h>

#include "ldy_host.h"

int main (void)
{
  double conf[12] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, at_rest[12] = { 0 }, falling[12] = { 0, 0, 0, 0, 0, -1 };
  double x[18] = { 6, 0, 0, 0, 6, 0, 0, 0, 6, 1, 0, 0, 0, 1, 0, 0, 0, 1 }; /* inverse inertia of a unit cube of mass 1 */
  int ends_x[] = { 0, 9, 18 }, ends_rows[] = { 0, 3, 6 };
  MX inverse = { .kind = MXBD, .m = 6, .n = 2, .nzmax = 18, .p = ends_x, .i = ends_rows, .x = x };
  CON con[2] = { { .kind = CONTACT, .id = 1 }, { .kind = CONTACT, .id = 2 } };
  SET none = { .l = &none, .r = &none }; /* stands for a missing child */
  SET set[2] = { { .l = &none, .r = &set[1], .data = &con[0] }, { .l = &none, .r = &none, .data = &con[1] } };
  BODY lower = { .kind = RIG, .id = 1, .dofs = 6, .conf = conf, .velo = at_rest, .inverse = &inverse, .con = set };
  BODY upper = { .kind = RIG, .id = 2, .dofs = 6, .conf = conf, .velo = falling, .inverse = &inverse, .con = set };
  DOM dom = { .step = 0.001, .bod = &lower, .con = con };
  LOCDYN *ldy = LOCDYN_Create (&dom);

  lower.next = &upper;
  con[0].next = &con[1];
  upper.ref_center[2] = 1;
  for (int i = 0; i < 2; i ++) {
    con[i].master = &upper;
    con[i].slave = &lower;
    con[i].mpnt[0] = con[i].spnt[0] = i - 0.5; /* the contact points, on the cubes' common face */
    con[i].mpnt[2] = con[i].spnt[2] = 0.5;
    con[i].base[0] = con[i].base[4] = con[i].base[8] = 1; /* local axes x, y and the normal z */
    con[i].dia = LOCDYN_Insert (ldy, &con[i], &upper, &lower);
  }
  LOCDYN_Update_Begin (ldy);
  for (DIAB *row = ldy->dia; row; row = row->n) {
    printf ("constraint %u: normal free velocity %g, W = %g in the normal direction\n", row->con->id, row->B[2], row->W[8]);
    for (OFFB *block = row->adj; block; block = block->n) {
      printf ("  to constraint %u through body %u: %g\n", block->dia->con->id, block->bod->id, block->W[8]);
    }
  }
  LOCDYN_Destroy (ldy);
  return 0;
}
