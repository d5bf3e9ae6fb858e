/* bcryptprimitives.dll, which Wine has from version 9 on: Rust's standard library takes the keys of its hash tables from it. */
#include <stddef.h>

__declspec(dllimport) unsigned char __stdcall SystemFunction036 (void *data, unsigned long size);

__declspec(dllexport) int __stdcall ProcessPrng (unsigned char *data, size_t size)
{
  return SystemFunction036 (data, (unsigned long) size);
}
