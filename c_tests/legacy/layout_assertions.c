/* layout_assertions.c: the host's structures have the layout that the library expects
 *
 * Generated from src/legacy/layout.tsv; to change it, change that and run `make headers`.
 *
 * Compile it with the headers to be checked in front, given with -include; nothing is to be linked or run:
 *   cc -std=gnu11 -fsyntax-only -Wfatal-errors -I HOST -include dom.h -include nts.h layout_assertions.c
 * (`make check-host` does). It stops at the first field that differs; -DMPI checks the layouts of an MPI
 * build. A structure is checked field by field first and its size last, so that the first message names the
 * cause.
 */

#include <stddef.h>

#define DEFINED(tag, name) \
  _Static_assert (sizeof (struct tag) > 0, #tag " (" #name "): no definition")

#define FIELD(tag, name, field, offset, size) \
  _Static_assert (offsetof (struct tag, field) == offset, \
                  #tag "." #field " (" #name "): offset " #offset " expected"); \
  _Static_assert (sizeof (((struct tag *) 0)->field) == size, \
                  #tag "." #field " (" #name "): size " #size " expected")

#define SIZE(tag, name, size) \
  _Static_assert (sizeof (struct tag) == size, #tag " (" #name "): size " #size " expected")

DEFINED (memory_pool, MEM);
FIELD (memory_pool, MEM, blocks, 0, 8);
FIELD (memory_pool, MEM, freechunk, 8, 8);
FIELD (memory_pool, MEM, lastchunk, 16, 8);
FIELD (memory_pool, MEM, deadchunks, 24, 8);
FIELD (memory_pool, MEM, chunksize, 32, 8);
FIELD (memory_pool, MEM, chunksinblock, 40, 8);
SIZE (memory_pool, MEM, 48);

DEFINED (general_matrix, MX);
FIELD (general_matrix, MX, kind, 0, 4);
FIELD (general_matrix, MX, flags, 4, 4);
FIELD (general_matrix, MX, nzmax, 8, 4);
FIELD (general_matrix, MX, m, 12, 4);
FIELD (general_matrix, MX, n, 16, 4);
FIELD (general_matrix, MX, p, 24, 8);
FIELD (general_matrix, MX, i, 32, 8);
FIELD (general_matrix, MX, nz, 40, 4);
FIELD (general_matrix, MX, x, 48, 8);
FIELD (general_matrix, MX, sym, 56, 8);
FIELD (general_matrix, MX, num, 64, 8);
SIZE (general_matrix, MX, 72);

DEFINED (set, SET);
FIELD (set, SET, p, 0, 8);
FIELD (set, SET, l, 8, 8);
FIELD (set, SET, r, 16, 8);
FIELD (set, SET, colour, 24, 1);
FIELD (set, SET, data, 32, 8);
SIZE (set, SET, 40);

DEFINED (map, MAP);
FIELD (map, MAP, p, 0, 8);
FIELD (map, MAP, l, 8, 8);
FIELD (map, MAP, r, 16, 8);
FIELD (map, MAP, colour, 24, 1);
FIELD (map, MAP, key, 32, 8);
FIELD (map, MAP, data, 40, 8);
SIZE (map, MAP, 48);

DEFINED (shape, SHAPE);
FIELD (shape, SHAPE, kind, 0, 4);
FIELD (shape, SHAPE, data, 8, 8);
FIELD (shape, SHAPE, next, 16, 8);
SIZE (shape, SHAPE, 24);

DEFINED (shape_gobj_pair, SGP);
FIELD (shape_gobj_pair, SGP, shp, 0, 8);
FIELD (shape_gobj_pair, SGP, gobj, 8, 8);
FIELD (shape_gobj_pair, SGP, kind, 16, 4);
FIELD (shape_gobj_pair, SGP, box, 24, 8);
SIZE (shape_gobj_pair, SGP, 32);

DEFINED (element, ELEMENT);
FIELD (element, ELEMENT, type, 0, 2);
FIELD (element, ELEMENT, domnum, 2, 2);
FIELD (element, ELEMENT, neighs, 4, 2);
FIELD (element, ELEMENT, flag, 6, 2);
FIELD (element, ELEMENT, nodes, 8, 32);
FIELD (element, ELEMENT, volume, 40, 4);
FIELD (element, ELEMENT, mat, 48, 8);
FIELD (element, ELEMENT, state, 56, 8);
FIELD (element, ELEMENT, dom, 64, 8);
FIELD (element, ELEMENT, prev, 72, 8);
FIELD (element, ELEMENT, next, 80, 8);
FIELD (element, ELEMENT, adj, 88, 48);
FIELD (element, ELEMENT, faces, 136, 8);
SIZE (element, ELEMENT, 144);

DEFINED (mesh, MESH);
FIELD (mesh, MESH, facmem, 0, 48);
FIELD (mesh, MESH, elemem, 48, 48);
FIELD (mesh, MESH, mapmem, 96, 48);
FIELD (mesh, MESH, ref_nodes, 144, 8);
FIELD (mesh, MESH, cur_nodes, 152, 8);
FIELD (mesh, MESH, surfeles, 160, 8);
FIELD (mesh, MESH, bulkeles, 168, 8);
FIELD (mesh, MESH, faces, 176, 8);
FIELD (mesh, MESH, surfeles_count, 184, 4);
FIELD (mesh, MESH, bulkeles_count, 188, 4);
FIELD (mesh, MESH, nodes_count, 192, 4);
FIELD (mesh, MESH, map, 200, 8);
SIZE (mesh, MESH, 208);

DEFINED (convex, CONVEX);
FIELD (convex, CONVEX, ref, 0, 8);
FIELD (convex, CONVEX, cur, 8, 8);
FIELD (convex, CONVEX, pla, 16, 8);
FIELD (convex, CONVEX, epn, 24, 8);
FIELD (convex, CONVEX, surface, 32, 8);
FIELD (convex, CONVEX, fac, 40, 8);
FIELD (convex, CONVEX, adj, 48, 8);
FIELD (convex, CONVEX, ele, 56, 8);
FIELD (convex, CONVEX, nver, 64, 2);
FIELD (convex, CONVEX, nfac, 66, 2);
FIELD (convex, CONVEX, nadj, 68, 2);
FIELD (convex, CONVEX, nele, 70, 2);
FIELD (convex, CONVEX, flag, 72, 2);
FIELD (convex, CONVEX, volume, 76, 4);
FIELD (convex, CONVEX, mat, 80, 8);
FIELD (convex, CONVEX, next, 88, 8);
SIZE (convex, CONVEX, 96);

DEFINED (general_body, BODY);
FIELD (general_body, BODY, kind, 0, 4);
FIELD (general_body, BODY, id, 4, 4);
FIELD (general_body, BODY, mat, 8, 8);
FIELD (general_body, BODY, ref_mass, 16, 8);
FIELD (general_body, BODY, ref_volume, 24, 8);
FIELD (general_body, BODY, ref_center, 32, 24);
FIELD (general_body, BODY, ref_tensor, 56, 72);
FIELD (general_body, BODY, conf, 128, 8);
FIELD (general_body, BODY, velo, 136, 8);
FIELD (general_body, BODY, dofs, 144, 4);
FIELD (general_body, BODY, field, 152, 8);
FIELD (general_body, BODY, con, 160, 8);
FIELD (general_body, BODY, forces, 168, 8);
FIELD (general_body, BODY, parmec, 176, 8);
FIELD (general_body, BODY, cra, 184, 8);
FIELD (general_body, BODY, shape, 192, 8);
FIELD (general_body, BODY, sgp, 200, 8);
FIELD (general_body, BODY, nsgp, 208, 4);
FIELD (general_body, BODY, nsgpall, 212, 4);
FIELD (general_body, BODY, extents, 216, 48);
FIELD (general_body, BODY, scheme, 264, 4);
FIELD (general_body, BODY, inverse, 272, 8);
FIELD (general_body, BODY, M, 280, 8);
FIELD (general_body, BODY, K, 288, 8);
FIELD (general_body, BODY, damping, 296, 8);
FIELD (general_body, BODY, eval, 304, 8);
FIELD (general_body, BODY, evec, 312, 8);
FIELD (general_body, BODY, elabel, 320, 8);
FIELD (general_body, BODY, dom, 328, 8);
FIELD (general_body, BODY, prev, 336, 8);
FIELD (general_body, BODY, next, 344, 8);
FIELD (general_body, BODY, label, 352, 8);
FIELD (general_body, BODY, flags, 360, 4);
FIELD (general_body, BODY, form, 364, 4);
FIELD (general_body, BODY, msh, 368, 8);
FIELD (general_body, BODY, energy, 376, 40);
FIELD (general_body, BODY, cristep0, 416, 8);
FIELD (general_body, BODY, fracture, 424, 1);
FIELD (general_body, BODY, rank, 428, 4);
#if !(defined (MPI) && MPI)
FIELD (general_body, BODY, rendering, 432, 8);
FIELD (general_body, BODY, displaypoints, 440, 8);
#else
FIELD (general_body, BODY, children, 432, 8);
FIELD (general_body, BODY, prevchildren, 440, 8);
#endif
SIZE (general_body, BODY, 448);

DEFINED (surfmat, SURFACE_MATERIAL);
FIELD (surfmat, SURFACE_MATERIAL, index, 0, 2);
FIELD (surfmat, SURFACE_MATERIAL, surf1, 4, 4);
FIELD (surfmat, SURFACE_MATERIAL, surf2, 8, 4);
FIELD (surfmat, SURFACE_MATERIAL, label, 16, 8);
FIELD (surfmat, SURFACE_MATERIAL, model, 24, 4);
FIELD (surfmat, SURFACE_MATERIAL, friction, 32, 8);
FIELD (surfmat, SURFACE_MATERIAL, cohesion, 40, 8);
FIELD (surfmat, SURFACE_MATERIAL, restitution, 48, 8);
FIELD (surfmat, SURFACE_MATERIAL, spring, 56, 8);
FIELD (surfmat, SURFACE_MATERIAL, dashpot, 64, 8);
FIELD (surfmat, SURFACE_MATERIAL, hpow, 72, 8);
SIZE (surfmat, SURFACE_MATERIAL, 80);

DEFINED (surfmat_state, SURFACE_MATERIAL_STATE);
FIELD (surfmat_state, SURFACE_MATERIAL_STATE, base, 0, 8);
FIELD (surfmat_state, SURFACE_MATERIAL_STATE, state, 8, 8);
SIZE (surfmat_state, SURFACE_MATERIAL_STATE, 16);

DEFINED (constraint, CON);
FIELD (constraint, CON, R, 0, 24);
FIELD (constraint, CON, U, 24, 24);
FIELD (constraint, CON, V, 48, 24);
FIELD (constraint, CON, dia, 72, 8);
FIELD (constraint, CON, point, 80, 24);
FIELD (constraint, CON, base, 104, 72);
FIELD (constraint, CON, area, 176, 8);
FIELD (constraint, CON, gap, 184, 8);
FIELD (constraint, CON, Z, 192, 56);
FIELD (constraint, CON, merit, 248, 8);
FIELD (constraint, CON, id, 256, 4);
FIELD (constraint, CON, num, 260, 4);
FIELD (constraint, CON, kind, 264, 4);
FIELD (constraint, CON, state, 268, 4);
FIELD (constraint, CON, paircode, 272, 2);
FIELD (constraint, CON, spair, 276, 8);
FIELD (constraint, CON, mat, 288, 16);
FIELD (constraint, CON, tms, 304, 24);
FIELD (constraint, CON, master, 328, 8);
FIELD (constraint, CON, slave, 336, 8);
FIELD (constraint, CON, mpnt, 344, 24);
FIELD (constraint, CON, spnt, 368, 24);
FIELD (constraint, CON, msgp, 392, 8);
FIELD (constraint, CON, ssgp, 400, 8);
FIELD (constraint, CON, rank, 408, 4);
FIELD (constraint, CON, prev, 416, 8);
FIELD (constraint, CON, next, 424, 8);
#if defined (MPI) && MPI
FIELD (constraint, CON, ext, 432, 8);
#endif
#if defined (MPI) && MPI
SIZE (constraint, CON, 440);
#else
SIZE (constraint, CON, 432);
#endif

DEFINED (domain, DOM);
FIELD (domain, DOM, conmem, 0, 48);
FIELD (domain, DOM, mapmem, 48, 48);
FIELD (domain, DOM, setmem, 96, 48);
FIELD (domain, DOM, sgpmem, 144, 48);
FIELD (domain, DOM, excmem, 192, 48);
FIELD (domain, DOM, aabb, 240, 8);
FIELD (domain, DOM, sps, 248, 8);
FIELD (domain, DOM, dynamic, 256, 2);
FIELD (domain, DOM, step, 264, 8);
FIELD (domain, DOM, time, 272, 8);
FIELD (domain, DOM, bid, 280, 4);
FIELD (domain, DOM, lab, 288, 8);
FIELD (domain, DOM, idb, 296, 8);
FIELD (domain, DOM, bod, 304, 8);
FIELD (domain, DOM, nbod, 312, 4);
FIELD (domain, DOM, newb, 320, 8);
FIELD (domain, DOM, allbodies, 328, 8);
FIELD (domain, DOM, allbodiesread, 336, 2);
FIELD (domain, DOM, nobs, 340, 4);
FIELD (domain, DOM, nrig, 344, 4);
FIELD (domain, DOM, nprb, 348, 4);
FIELD (domain, DOM, nfem, 352, 4);
FIELD (domain, DOM, dofs, 356, 4);
FIELD (domain, DOM, cid, 360, 4);
FIELD (domain, DOM, sparecid, 368, 8);
FIELD (domain, DOM, idc, 376, 8);
FIELD (domain, DOM, con, 384, 8);
FIELD (domain, DOM, ncon, 392, 4);
FIELD (domain, DOM, nspa, 396, 4);
FIELD (domain, DOM, excluded, 400, 8);
FIELD (domain, DOM, ldy, 408, 8);
FIELD (domain, DOM, solfec, 416, 8);
FIELD (domain, DOM, aabb_data, 424, 8);
FIELD (domain, DOM, gravity, 432, 24);
FIELD (domain, DOM, extents, 456, 48);
FIELD (domain, DOM, threshold, 504, 8);
FIELD (domain, DOM, minarea, 512, 8);
FIELD (domain, DOM, mindist, 520, 8);
FIELD (domain, DOM, depth, 528, 8);
FIELD (domain, DOM, flags, 536, 4);
FIELD (domain, DOM, verbose, 540, 2);
FIELD (domain, DOM, merit, 544, 8);
#if defined (MPI) && MPI
FIELD (domain, DOM, rank, 552, 4);
FIELD (domain, DOM, ncpu, 556, 4);
FIELD (domain, DOM, children, 560, 8);
FIELD (domain, DOM, lb, 568, 8);
FIELD (domain, DOM, imbalance_tolerance, 576, 8);
FIELD (domain, DOM, weight_factor, 584, 8);
FIELD (domain, DOM, noid, 592, 4);
FIELD (domain, DOM, conext, 600, 8);
FIELD (domain, DOM, megabytes, 608, 4);
FIELD (domain, DOM, weight, 612, 4);
FIELD (domain, DOM, stats, 616, 8);
FIELD (domain, DOM, nstats, 624, 4);
FIELD (domain, DOM, dbd, 632, 8);
FIELD (domain, DOM, pendingcons, 640, 8);
FIELD (domain, DOM, pendingbods, 648, 8);
FIELD (domain, DOM, pendingremovebods, 656, 8);
FIELD (domain, DOM, pairedup, 664, 8);
FIELD (domain, DOM, idtorank, 672, 8);
FIELD (domain, DOM, sparebid, 680, 8);
FIELD (domain, DOM, insertbodymode, 688, 4);
FIELD (domain, DOM, rebalanced, 692, 4);
FIELD (domain, DOM, updatefreq, 696, 4);
FIELD (domain, DOM, excluded_changed, 700, 8);
#endif
#ifndef _OPENMP
#if defined (MPI) && MPI
FIELD (domain, DOM, prev, 712, 8);
#else
FIELD (domain, DOM, prev, 552, 8);
#endif
#if defined (MPI) && MPI
FIELD (domain, DOM, next, 720, 8);
#else
FIELD (domain, DOM, next, 560, 8);
#endif
#if defined (MPI) && MPI
SIZE (domain, DOM, 728);
#else
SIZE (domain, DOM, 568);
#endif
#endif

DEFINED (newton, NEWTON);
FIELD (newton, NEWTON, meritval, 0, 8);
FIELD (newton, NEWTON, maxiter, 8, 4);
FIELD (newton, NEWTON, locdyn, 12, 4);
FIELD (newton, NEWTON, linver, 16, 4);
FIELD (newton, NEWTON, linmaxiter, 20, 4);
FIELD (newton, NEWTON, maxmatvec, 24, 4);
FIELD (newton, NEWTON, epsilon, 32, 8);
FIELD (newton, NEWTON, delta, 40, 8);
FIELD (newton, NEWTON, theta, 48, 8);
FIELD (newton, NEWTON, omega, 56, 8);
FIELD (newton, NEWTON, gsflag, 64, 2);
FIELD (newton, NEWTON, reldelta, 68, 4);
FIELD (newton, NEWTON, W_norm, 72, 8);
FIELD (newton, NEWTON, merhist, 80, 8);
FIELD (newton, NEWTON, mvhist, 88, 8);
FIELD (newton, NEWTON, iters, 96, 4);
FIELD (newton, NEWTON, itershist, 104, 8);
FIELD (newton, NEWTON, itershistcount, 112, 4);
FIELD (newton, NEWTON, itershistsize, 116, 4);
SIZE (newton, NEWTON, 120);

DEFINED (solfec, SOLFEC);
FIELD (solfec, SOLFEC, mode, 0, 4);
FIELD (solfec, SOLFEC, aabb, 8, 8);
FIELD (solfec, SOLFEC, fis, 16, 8);
FIELD (solfec, SOLFEC, sps, 24, 8);
FIELD (solfec, SOLFEC, mat, 32, 8);
FIELD (solfec, SOLFEC, dom, 40, 8);
FIELD (solfec, SOLFEC, iover, 48, 4);
FIELD (solfec, SOLFEC, output_interval, 56, 8);
FIELD (solfec, SOLFEC, output_time, 64, 8);
FIELD (solfec, SOLFEC, outpath, 72, 8);
FIELD (solfec, SOLFEC, compression, 80, 4);
FIELD (solfec, SOLFEC, bf, 88, 8);
FIELD (solfec, SOLFEC, bcd, 96, 8);
FIELD (solfec, SOLFEC, callback_interval, 104, 8);
FIELD (solfec, SOLFEC, callback_time, 112, 8);
FIELD (solfec, SOLFEC, data, 120, 8);
FIELD (solfec, SOLFEC, call, 128, 8);
FIELD (solfec, SOLFEC, callback, 136, 8);
FIELD (solfec, SOLFEC, mapmem, 144, 48);
FIELD (solfec, SOLFEC, timemem, 192, 48);
FIELD (solfec, SOLFEC, timers, 240, 8);
FIELD (solfec, SOLFEC, t0, 248, 8);
FIELD (solfec, SOLFEC, duration, 256, 8);
FIELD (solfec, SOLFEC, start, 264, 8);
FIELD (solfec, SOLFEC, verbose_timing, 272, 32);
FIELD (solfec, SOLFEC, verbose, 304, 2);
FIELD (solfec, SOLFEC, cleanup, 306, 2);
FIELD (solfec, SOLFEC, kind, 308, 4);
FIELD (solfec, SOLFEC, solver, 312, 8);
FIELD (solfec, SOLFEC, registered_bases, 320, 8);
FIELD (solfec, SOLFEC, next, 328, 8);
SIZE (solfec, SOLFEC, 336);

DEFINED (offb, OFFB);
FIELD (offb, OFFB, W, 0, 72);
FIELD (offb, OFFB, dia, 72, 8);
FIELD (offb, OFFB, bod, 80, 8);
FIELD (offb, OFFB, n, 88, 8);
SIZE (offb, OFFB, 96);

DEFINED (diab, DIAB);
FIELD (diab, DIAB, R, 0, 8);
FIELD (diab, DIAB, U, 8, 8);
FIELD (diab, DIAB, V, 16, 8);
FIELD (diab, DIAB, W, 24, 72);
FIELD (diab, DIAB, A, 96, 72);
FIELD (diab, DIAB, B, 168, 24);
FIELD (diab, DIAB, rho, 192, 8);
FIELD (diab, DIAB, adj, 200, 8);
FIELD (diab, DIAB, con, 208, 8);
FIELD (diab, DIAB, mH, 216, 8);
FIELD (diab, DIAB, mprod, 224, 8);
FIELD (diab, DIAB, sH, 232, 8);
FIELD (diab, DIAB, sprod, 240, 8);
FIELD (diab, DIAB, p, 248, 8);
FIELD (diab, DIAB, n, 256, 8);
#if defined (MPI) && MPI
FIELD (diab, DIAB, adjext, 264, 8);
#endif
#if defined (MPI) && MPI
SIZE (diab, DIAB, 272);
#else
SIZE (diab, DIAB, 264);
#endif

DEFINED (locdyn, LOCDYN);
FIELD (locdyn, LOCDYN, offmem, 0, 48);
FIELD (locdyn, LOCDYN, diamem, 48, 48);
FIELD (locdyn, LOCDYN, dom, 96, 8);
FIELD (locdyn, LOCDYN, dia, 104, 8);
FIELD (locdyn, LOCDYN, free_energy, 112, 8);
SIZE (locdyn, LOCDYN, 120);
