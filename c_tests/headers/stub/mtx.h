/* A host's header in outline: matrices. */
#ifndef __mtx__
#define __mtx__

typedef struct general_matrix MX;

struct general_matrix {
  enum { MXDENSE = 1, MXBD = 2, MXCSC = 4 } kind;
  double *x;
};

#endif
