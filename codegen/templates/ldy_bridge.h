/* ldy_bridge.h: the rows of a LOCDYN of ldy.h as rows for the contact solvers and factors of ldy_system.h
 *
 * Generated: the declarations come from src/system/c_api/locdyn.rs, the rest from codegen/templates. To change this file, change
 * them and run `make headers`.
 */

#ifndef LDY_BRIDGE_H
#define LDY_BRIDGE_H

#include "ldy_system.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The rows of ldy.h. */
struct locdyn;

@bridge@

#ifdef __cplusplus
}
#endif

#endif
