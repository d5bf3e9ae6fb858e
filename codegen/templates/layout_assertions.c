/* layout_assertions.c: the host's structures have the layout that the library expects
 *
 * Generated from src/legacy/layout.tsv; to change it, change that and run `make headers`.
 *
 * Compile it with the headers to be checked in front, given with -include; nothing is to be linked or run:
 *   cc -std=gnu11 -fsyntax-only -Wfatal-errors -I HOST -include dom.h -include nts.h layout_assertions.c
 * (`make check-host` does). It stops at the first field that differs; -DMPI checks the layouts of an MPI
 * build. A structure is checked field by field first and its size last, so that the first message names the
 * cause.
 */

#include <stddef.h>

#define DEFINED(tag, name) \
  _Static_assert (sizeof (struct tag) > 0, #tag " (" #name "): no definition")

#define FIELD(tag, name, field, offset, size) \
  _Static_assert (offsetof (struct tag, field) == offset, \
                  #tag "." #field " (" #name "): offset " #offset " expected"); \
  _Static_assert (sizeof (((struct tag *) 0)->field) == size, \
                  #tag "." #field " (" #name "): size " #size " expected")

#define SIZE(tag, name, size) \
  _Static_assert (sizeof (struct tag) == size, #tag " (" #name "): size " #size " expected")

@assertions@
