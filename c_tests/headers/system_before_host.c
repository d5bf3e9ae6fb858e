#include "ldy_system.h"
#include "ldy_host.h"

int code (void);

int code (void)
{
  return LDY_BUG_FOUND;
}
