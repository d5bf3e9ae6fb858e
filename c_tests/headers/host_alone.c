/* A program without a host's headers: ldy_host.h alone has everything to build bodies and constraints. */
#include "ldy_host.h"
#include "with_host.h"

/* A rigid body of unit mass and unit inertia at rest. */
void make_body (DOM *dom, BODY *body, MX *inverse, double *conf, double *velo, int *starts, int *rows);

/* A contact of a body with an obstacle. */
void make_contact (CON *con, BODY *body, BODY *obstacle, SET *node, SET *sentinel);

void make_body (DOM *dom, BODY *body, MX *inverse, double *conf, double *velo, int *starts, int *rows) {
  static double blocks[18] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  inverse->kind = MXBD;
  inverse->m = 6;
  inverse->n = 2;
  inverse->p = starts;
  inverse->i = rows;
  inverse->x = blocks;
  inverse->nz = inverse->nzmax = starts[2];
  body->kind = RIG;
  body->scheme = SCH_RIG_NEG;
  body->dofs = 6;
  body->conf = conf;
  body->velo = velo;
  body->inverse = inverse;
  body->dom = dom;
  body->next = dom->bod;
  dom->bod = body;
  dom->step = 1E-3;
}

void make_contact (CON *con, BODY *body, BODY *obstacle, SET *node, SET *sentinel) {
  static SURFACE_MATERIAL material;
  static NEWTON newton;
  static SOLFEC solfec;
  static MESH mesh;
  static ELEMENT element;
  static CONVEX convex;
  static SHAPE shape;
  static SGP sgp;
  static MAP map;
  sentinel->l = sentinel->r = sentinel;
  node->l = node->r = sentinel;
  node->data = con;
  body->con = node;
  con->kind = CONTACT;
  con->state = CON_COHESIVE | CON_NEW;
  con->master = body;
  con->slave = obstacle;
  material.model = SIGNORINI_COULOMB;
  con->mat.base = &material;
  newton.locdyn = LOCDYN_OFF;
  solfec.kind = NEWTON_SOLVER;
  solfec.solver = &newton;
  body->dom->solfec = &solfec;
  body->form = BODY_COROTATIONAL;
  body->flags = BODY_PARENT;
  map.data = con;
  body->dom->idc = &map;
  body->msh = &mesh;
  mesh.surfeles = &element;
  convex.ele = &mesh.surfeles;
  shape.kind = SHAPE_CONVEX;
  shape.data = &convex;
  sgp.shp = &shape;
  sgp.kind = GOBJ_CONVEX;
  con->msgp = &sgp;
#if defined (MPI) && MPI
  con->ext = node;
#endif
}
