/* A source file of a host that includes the host's own headers first. */
#include "bod.h"
#include "dom.h"
#include "ldy.h"
#include "with_host.h"
