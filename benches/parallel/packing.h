/* A packing of N x N x N / 2 spheres, each with twelve neighbors, in slabs or boxes of about the same shape, one for each process. */
#pragma once

#include <ldy_parallel.h>

/* This process among all, from `packing_begin` on. */
extern int rank, ranks;

/* End all processes with the library's last error if a call has failed. */
void must (int code, const char *what);

#define MUST(call) must (call, #call)

/* Choose the edge N, and the boxes of processes. */
void packing_begin (int edge);

/* The whole packing in one system, and the part of this process. */
ldy_system *packing_serial (void);
ldy_parallel *packing_across (void);

/* Change all rotations a little, so that everything is computed again. */
void packing_turn (ldy_system *system, int step);

/* Remove the contacts of this process, and insert them again. */
void packing_replace_contacts (ldy_parallel *parallel, ldy_system *system);
