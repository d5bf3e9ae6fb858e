/* The text formats once more, with printf and loops only: what LOCDYN_Dump and LOCDYN_W_MatrixMarket have to write. */
#pragma once

#include <stdio.h>

#include "ldy_host.h"

void text_model_dump (const LOCDYN *ldy, FILE *file);
void text_model_matrix_market (const LOCDYN *ldy, FILE *file);

/* The whole file with a zero after it, for the caller to free; NULL if it cannot be read. */
char *text_read (const char *path, size_t *size);
