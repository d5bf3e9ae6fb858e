/* Made-up finite-element bodies: small meshes of all kinds of elements, and constraints on them. */
#pragma once

#include "support/scene.h"

/* The elements that each of a block's distorted boxes is cut into. */
typedef enum { CELLS_HEXAHEDRA, CELLS_WEDGES, CELLS_PYRAMIDS, CELLS_TETRAHEDRA, CELLS_MIXED, CELLS_KINDS } CELLS;

typedef enum {
  INERTIA_DIAGONAL,         /* the inverse, diagonal, in compressed columns */
  INERTIA_SPARSE,           /* the inverse, with entries off the diagonal */
  INERTIA_DENSE,            /* the inverse */
  INERTIA_BLOCKS,           /* the inverse, blocks of three */
  INERTIA_FACTORED,         /* the matrix itself, its lower triangle */
  INERTIA_FACTORED_GENERAL, /* the matrix itself, all of it, rows in any order */
  INERTIA_FORMS
} INERTIA_FORM;

typedef struct {
  FEMFORM form;
  SCHEME scheme;
  INERTIA_FORM inertia;
  CELLS cells;
  int separate;    /* the mesh is not the shape */
  int size[3];     /* boxes along each axis */
} MESH_BODY;

/* A body of finite elements with random places of nodes, configuration, velocities and inertia. */
BODY *mesh_body (HOST *host, RANDOM *random, MESH_BODY kind);

/* One of any form, scheme and inertia that go together. */
BODY *mesh_body_of_any_kind (HOST *host, RANDOM *random);

const MESH *mesh_of_body (const BODY *body);
int mesh_elements (const MESH *mesh);
ELEMENT *mesh_element (const MESH *mesh, int index);

/* Other velocities and rotation. */
void mesh_randomise_motion (BODY *body, RANDOM *random);

/* Another matrix in the place of the inverse. */
void mesh_randomise_inertia (BODY *body, RANDOM *random, INERTIA_FORM form);

/* The same matrix times a positive factor, in place; the pattern stays. */
void mesh_scale_inertia (BODY *body, double factor);

/* The same matrix at other addresses. */
void mesh_copy_inertia (BODY *body);

/* Puts each side of the constraint that is on finite elements somewhere on them: within an element, on a node, close to
 * one, or a little outside. The two points of one body are kept apart. */
void mesh_place (CON *con, RANDOM *random);

/* As scene_constraint, with its points on the meshes. */
CON *mesh_constraint (HOST *host, RANDOM *random, int kind, BODY *master, BODY *slave);

/* To the mixed scene (scene_mixed) or any other with two bodies: bodies of every formulation, constraints of many kinds. */
void mesh_add_scene (HOST *host, RANDOM *random);
