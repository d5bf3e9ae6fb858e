/* A host in miniature: a domain with bodies and constraints, kept the way the library expects them. */
#pragma once

#include "ldy_host.h"
#include "matrix.h"
#include "set.h"

typedef enum { UPDATE_ALL, UPDATE_PENALTY, UPDATE_MINIMAL } UPDATE_KIND;

typedef struct {
  DOM dom; /* first, so that body->dom leads back to the host */
  SOLFEC solfec;
  NEWTON newton;
  SURFACE_MATERIAL material;
  SET_FORM set_form;
  int emptied_sets; /* an empty set is the sentinel, not NULL */
} HOST;

HOST *host_create (void);

/* Frees all bodies and constraints; the domain stays, without them. */
void host_clear (HOST *host);

/* host_clear and the domain itself; dom.ldy is the caller's. */
void host_destroy (HOST *host);

/* Makes the next LOCDYN_Update_Begin one of the given kind. */
void host_set_update (HOST *host, UPDATE_KIND kind);

/* A body at rest in the origin with a unit inverse, last of the domain's list. */
BODY *host_add_body (HOST *host, int kind);

/* The same with arrays of the given sizes, all zero, and neither inverse nor shape. */
BODY *host_add_raw_body (HOST *host, int kind, int dofs, int conf, int velo);

/* Out of the list and freed; it has no constraints any more. */
void host_free_body (HOST *host, BODY *body);

/* Replaces and frees the body's inverse. */
void host_set_inverse (BODY *body, MX *inverse);

/* A constraint with the global axes as frame, last of the domain's list and of its bodies' sets; slave may be NULL. */
CON *host_add_constraint (HOST *host, int kind, BODY *master, BODY *slave);

/* Out of the list and the sets, then freed. */
void host_free_constraint (HOST *host, CON *con);

/* Into and out of the domain's list alone; host_link puts it last. */
void host_link (HOST *host, CON *con);
void host_unlink (HOST *host, CON *con);

/* Into a body's set before its position-th element (a negative position: last); out of it again. */
void host_join (BODY *body, CON *con, int position);
void host_leave (BODY *body, CON *con);

/* Out of the sets of its master and slave. */
void host_leave_bodies (CON *con);

/* Rebuilds a body's set with these elements in this order. */
void host_set_constraints (BODY *body, CON *const *con, int count);

/* con->dia = LOCDYN_Insert (dom.ldy, con, con->master, con->slave). */
DIAB *host_insert (HOST *host, CON *con);

/* LOCDYN_Remove, then con->dia = NULL. */
void host_remove (HOST *host, CON *con);

/* Frees a list of shapes with its meshes and convices. */
void host_free_shape (SHAPE *shape);
void host_free_mesh (MESH *mesh);
