#include "ldy_system.h"
#include "ldy_host.h"

int code (void);

int code (void)
{
  return LDY_ERROR_INVALID_ARGUMENT;
}
