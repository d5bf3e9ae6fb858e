/* ldy_host.h: what ldy.h takes from its host, for programs that have no such host's headers
 *
 * Generated: the layouts come from src/legacy/layout.tsv and enumerations.tsv, the prototypes from
 * src/legacy/c_api, the rest from codegen/templates. To change this file, change them and run `make
 * headers`.
 *
 * This header is complete in itself: it defines every structure that a program has to build for this library
 * to read, and includes ldy.h. A program with the host's own headers includes those and ldy.h, but not this
 * one.
 *
 * The structures have exactly the layout of the host's. Fields marked "host's own" are never read here: a
 * program of one's own sets them to zero (calloc does) and fills in the others. A type of the host of which
 * nothing is known here appears as `void *`, or as an array of its size; its name then begins the comment.
 *
 * Ownership. All of these structures, and what they point to, belong to the program. This library writes to
 * them in a few places only: V and num of a constraint, and where cohesion breaks its state and mat.state[0].
 *
 * Storage order, units, linking and errors: see ldy.h.
 */

#ifndef LDY_HOST_H
#define LDY_HOST_H

#ifdef __ldy__
#error "ldy_host.h stands for the host's headers: include it before ldy.h, or not at all"
#endif

#include <stddef.h>
#include <time.h>

/* ---- Names of the structures ---- */

@typedefs@

/* ---- Enumerations ---- */

@enumerations@

/* ---- Structures ---- */

@structures@

/* ---- Local dynamics ---- */

#include "ldy.h"

/* ---- Operators and matrices ----
 *
 * Defined weakly: a program that defines one of these functions itself links, and its own is the one called.
 * The assembly calls none of them: a program's own operators do not change W. */

#ifdef __cplusplus
extern "C" {
#endif

@operators@

#ifdef __cplusplus
}
#endif

#endif
