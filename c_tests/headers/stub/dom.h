/* A host's header in outline: the domain and its constraints, which hold what ldy.h defines. */
#ifndef __dom__
#define __dom__

#include "mem.h"
#include "sps.h"
#include "ldy.h"

#ifndef CONSTRAINT_TYPE
#define CONSTRAINT_TYPE
typedef struct constraint CON;
#endif

#ifndef DOMAIN_TYPE
#define DOMAIN_TYPE
typedef struct domain DOM;
#endif

#ifndef SOLFEC_TYPE
#define SOLFEC_TYPE
typedef struct solfec SOLFEC;
#endif

struct constraint {
  double R[3];
  DIAB *dia;
  enum { CONTACT, FIXPNT, FIXDIR, VELODIR, VELODIR3, RIGLNK, SPRING } kind;
  SURFACE_MATERIAL_STATE mat;
  BODY *master;
  BODY *slave;
  CON *next;
};

struct domain {
  MEM conmem;
  BODY *bod;
  CON *con;
  LOCDYN *ldy;
  SOLFEC *solfec;
  DOM *next;
};

#endif
