/* A number made of all values of rows and blocks, in list order: equal numbers stand for equal bits. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "ldy_host.h"

#define DIGEST_START UINT64_C (14695981039346656037)

/* `sum` continued with some bytes, and with the values of another update. */
uint64_t digest_bytes (uint64_t sum, const void *memory, size_t size);
uint64_t digest_rows (uint64_t sum, const LOCDYN *ldy);
