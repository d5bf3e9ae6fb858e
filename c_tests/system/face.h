/* For tests of ldy_system.h: checks of calls that succeed and of calls that are refused, and the numbers that most of them
 * need. */
#pragma once

#include "support/system_calls.h"
#include "support/check.h"

#define GOOD(...) CHECK_INT ((__VA_ARGS__), 0)

/* `text`, the last argument, is part of the text of the refused call, and the code is the one of such texts. The call may have commas
 * in braces, so that the macro takes any number of arguments. */
static inline void is_refused (int code, const char *text)
{
  CHECK_TEXT (ldy_last_error (), text);
  CHECK_INT (code, code_of_text (ldy_last_error ()));
}
#define BAD(...) is_refused (__VA_ARGS__)

static const double unit[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, origin[3] = { 0, 0, 0 };
