/* A host's header in outline: surface materials. */
#ifndef __sps__
#define __sps__

typedef struct surfmat SURFACE_MATERIAL;
typedef struct surfmat_state SURFACE_MATERIAL_STATE;

struct surfmat {
  enum { SIGNORINI_COULOMB, SPRING_DASHPOT } model;
  double friction;
};

struct surfmat_state {
  SURFACE_MATERIAL *base;
  double *state;
};

#endif
