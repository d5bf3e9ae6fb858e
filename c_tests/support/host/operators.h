/* The host's own operators (operators.c): a program that links them gets them instead of the library's. */
#pragma once

#define HOST_MARK 4711 /* the first value of everything they return */

extern int host_operator_calls;
