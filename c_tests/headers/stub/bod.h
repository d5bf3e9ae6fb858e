/* A host's header in outline: bodies. It names domain and body under the guards that all headers of a host
 * share, and includes the header of the domain, which includes ldy.h: whichever comes first, each name is to
 * be made once. */
#ifndef __bod__
#define __bod__

#include "mem.h"
#include "mtx.h"

#ifndef BODY_TYPE
#define BODY_TYPE
typedef struct general_body BODY;
#endif

#ifndef DOMAIN_TYPE
#define DOMAIN_TYPE
typedef struct domain DOM;
#endif

#include "dom.h"

struct general_body {
  enum { OBS, RIG, PRB, FEM } kind;
  unsigned int id;
  MX *inverse;
  DOM *dom;
  CON *first;
};

#endif
