/* For tests of ldy_system.h: checks of calls that succeed and of calls that are refused, and the numbers that most of them
 * need. */
#pragma once

#include "ldy_system.h"
#include "support/check.h"

#define GOOD(call) CHECK_INT (call, 0)

/* The code is LDY_ERROR_INVALID_ARGUMENT, and `text` is part of the text. */
#define BAD(call, text) do { CHECK_INT (call, LDY_ERROR_INVALID_ARGUMENT); CHECK_TEXT (ldy_last_error (), text); } while (0)

static const double unit[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, origin[3] = { 0, 0, 0 };
