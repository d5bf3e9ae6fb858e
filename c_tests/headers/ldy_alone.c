/* A source file of a host that includes ldy.h and nothing else. */
#include "ldy.h"
#include "with_host.h"
