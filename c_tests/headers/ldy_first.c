/* A source file of a host that includes ldy.h first, and twice. */
#include "ldy.h"
#include "sps.h"
#include "dom.h"
#include "bod.h"
#include "ldy.h"
#include "with_host.h"
