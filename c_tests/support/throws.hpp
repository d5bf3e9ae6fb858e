/* What tests in C++ share. */
#pragma once

#include <cstdio>
#include <cstring>

#include <ldy.hpp>

/* Whether a function throws an error of this code whose text contains this. */
template <class F> bool fails (int code, const char *text, F f)
{
  try {
    f ();
  } catch (const ldy::Error &error) {
    bool as_expected = error.code () == code && std::strstr (error.what (), text);
    if (!as_expected) std::printf ("code %d: %s\n", error.code (), error.what ());
    return as_expected;
  }
  return false;
}
