#include "support/mesh_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/dense.h"
#include "support/element.h"

static void *zeroed (int count, size_t size)
{
  void *memory = calloc (count > 0 ? (size_t) count : 1, size);

  if (!memory) abort ();
  return memory;
}

static void random_values (RANDOM *random, int count, double *x)
{
  while (count --) *x ++ = random_value (random);
}

/* ---- meshes */

/* Corners of a box in the order of a hexahedron's nodes. */
static const int corner[8][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 },
                                  { 0, 0, 1 }, { 1, 0, 1 }, { 1, 1, 1 }, { 0, 1, 1 } };

/* The boxes cut into elements: places among the corners, 8 is the center. */
static const int hexahedra[1][8] = { { 0, 1, 2, 3, 4, 5, 6, 7 } };
static const int wedges[2][8] = { { 0, 1, 2, 4, 5, 6 }, { 0, 2, 3, 4, 6, 7 } };
static const int pyramids[6][8] = { { 0, 1, 2, 3, 8 }, { 4, 7, 6, 5, 8 }, { 0, 4, 5, 1, 8 },
                                    { 1, 5, 6, 2, 8 }, { 2, 6, 7, 3, 8 }, { 3, 7, 4, 0, 8 } };
static const int tetrahedra[6][8] = { { 0, 1, 2, 6 }, { 0, 2, 3, 6 }, { 0, 3, 7, 6 },
                                      { 0, 7, 4, 6 }, { 0, 4, 5, 6 }, { 0, 5, 1, 6 } };

static const struct {
  const int (*element)[8];
  int count, nodes;
} cuts[] = { { hexahedra, 1, 8 }, { wedges, 2, 6 }, { pyramids, 6, 5 }, { tetrahedra, 6, 4 } };

static void add_element (MESH *mesh, int type, const int *place, const int *nodes)
{
  ELEMENT *element = zeroed (1, sizeof *element);

  element->type = (short) type;
  for (int i = 0; i < type; i ++) element->nodes[i] = nodes[place[i]];
  element->next = mesh->surfeles;
  if (mesh->surfeles) mesh->surfeles->prev = element;
  mesh->surfeles = element;
  mesh->surfeles_count ++;
}

/* Newton's method of the original stops off the root on a pyramid whose base is no parallelogram, and hulls of elements with
 * warped faces overlap: such meshes are only sheared. */
static void place_nodes (MESH *mesh, RANDOM *random, int affine)
{
  double shear[9], x[3], *node;
  int k;

  random_rotation (random, shear);
  for (int i = 0; i < 9; i ++) shear[i] += 0.2 * random_value (random);
  for (int i = 0; i < mesh->nodes_count; i ++) {
    node = mesh->ref_nodes + 3 * i;
    memcpy (x, node, sizeof x);
    for (int j = 0; j < 3 && !affine; j ++) x[j] += 0.15 * random_value (random);
    for (int j = 0; j < 3; j ++) {
      for (node[j] = 0, k = 0; k < 3; k ++) node[j] += shear[3 * k + j] * x[k];
    }
  }
}

/* Elements are not in the order of their places. */
static void shuffle_elements (MESH *mesh, RANDOM *random)
{
  int count = mesh->surfeles_count, j, swap[8];
  ELEMENT *one, *two;
  short type;

  for (int i = count - 1; i > 0; i --) {
    j = random_below (random, i + 1);
    one = mesh_element (mesh, i);
    two = mesh_element (mesh, j);
    memcpy (swap, one->nodes, sizeof swap);
    memcpy (one->nodes, two->nodes, sizeof swap);
    memcpy (two->nodes, swap, sizeof swap);
    type = one->type;
    one->type = two->type;
    two->type = type;
  }
}

/* Elements without a free face go to the other list. */
static void part_elements (MESH *mesh)
{
  int count = mesh->surfeles_count;
  ELEMENT **elements = zeroed (count, sizeof *elements), **list;

  for (int i = 0; i < count; i ++) elements[i] = mesh_element (mesh, i);
  mesh->surfeles = NULL;
  mesh->surfeles_count = 0;
  for (int i = 0; i < count; i ++) {
    if (element_has_free_face (elements[i], elements, count)) {
      list = &mesh->surfeles;
      mesh->surfeles_count ++;
    } else {
      list = &mesh->bulkeles;
      mesh->bulkeles_count ++;
    }
    elements[i]->prev = NULL;
    elements[i]->next = *list;
    if (*list) (*list)->prev = elements[i];
    *list = elements[i];
  }
  free (elements);
}

static MESH *block_of_boxes (RANDOM *random, const int *size, CELLS cells, int planar)
{
  int grid = (size[0] + 1) * (size[1] + 1) * (size[2] + 1), boxes = size[0] * size[1] * size[2];
  MESH *mesh = zeroed (1, sizeof *mesh);
  int at[3], nodes[9], cut;

  mesh->ref_nodes = zeroed (3 * (grid + boxes), sizeof (double));
  for (int box = 0; box < boxes; box ++) {
    at[0] = box % size[0];
    at[1] = box / size[0] % size[1];
    at[2] = box / size[0] / size[1];
    for (int i = 0; i < 8; i ++) {
      nodes[i] = at[0] + corner[i][0] + (size[0] + 1) * (at[1] + corner[i][1] + (size[1] + 1) * (at[2] + corner[i][2]));
      for (int j = 0; j < 3; j ++) mesh->ref_nodes[3 * nodes[i] + j] = at[j] + corner[i][j];
    }
    nodes[8] = grid + box;
    for (int j = 0; j < 3; j ++) mesh->ref_nodes[3 * nodes[8] + j] = at[j] + 0.5 + 0.1 * random_value (random);
    cut = cells == CELLS_MIXED ? random_below (random, CELLS_MIXED) : (int) cells;
    for (int i = 0; i < cuts[cut].count; i ++) add_element (mesh, cuts[cut].nodes, cuts[cut].element[i], nodes);
  }
  mesh->nodes_count = grid + boxes; /* centers that no element has are nodes all the same */
  place_nodes (mesh, random, planar || cells == CELLS_PYRAMIDS || cells == CELLS_MIXED);
  shuffle_elements (mesh, random);
  part_elements (mesh);
  mesh->cur_nodes = zeroed (3 * mesh->nodes_count, sizeof (double));
  memcpy (mesh->cur_nodes, mesh->ref_nodes, (size_t) (3 * mesh->nodes_count) * sizeof (double));
  return mesh;
}

const MESH *mesh_of_body (const BODY *body)
{
  return body->msh ? body->msh : body->shape->data;
}

int mesh_elements (const MESH *mesh)
{
  return mesh->surfeles_count + mesh->bulkeles_count;
}

ELEMENT *mesh_element (const MESH *mesh, int index)
{
  ELEMENT *element = index < mesh->surfeles_count ? mesh->surfeles : mesh->bulkeles;

  if (index >= mesh->surfeles_count) index -= mesh->surfeles_count;
  while (index --) element = element->next;
  return element;
}

/* ---- inertia */

/* Whether two dofs are coupled: their nodes share an element, or the body is reduced. */
static char *coupling (const BODY *body)
{
  int n = body->dofs, elements = mesh_elements (mesh_of_body (body));
  char *coupled = zeroed (n * n, 1);
  const ELEMENT *element;

  if (body->form >= BODY_COROTATIONAL_MODAL) {
    memset (coupled, 1, (size_t) (n * n));
    return coupled;
  }
  for (int i = 0; i < n; i ++) coupled[(n + 1) * i] = 1;
  for (int e = 0; e < elements; e ++) {
    element = mesh_element (mesh_of_body (body), e);
    for (int i = 0; i < element->type; i ++) {
      for (int j = 0; j < element->type; j ++) {
        for (int c = 0; c < 3; c ++) {
          for (int d = 0; d < 3; d ++) coupled[n * (3 * element->nodes[j] + d) + 3 * element->nodes[i] + c] = 1;
        }
      }
    }
  }
  return coupled;
}

/* Symmetric and dominated by its diagonal; some of the entries that may be there are not. */
static double *dominant (const BODY *body, RANDOM *random)
{
  int n = body->dofs;
  double *x = zeroed (n * n, sizeof *x), *sum = zeroed (n, sizeof *sum);
  char *coupled = coupling (body);

  for (int j = 0; j < n; j ++) {
    for (int i = 0; i < j; i ++) {
      if (!coupled[n * j + i] || random_below (random, 4) == 0) continue;
      x[n * j + i] = x[n * i + j] = random_value (random);
      sum[i] += fabs (x[n * j + i]);
      sum[j] += fabs (x[n * j + i]);
    }
  }
  for (int i = 0; i < n; i ++) x[(n + 1) * i] = sum[i] + 1.2 + random_value (random);
  free (coupled);
  free (sum);
  return x;
}

static void keep_blocks (int n, double *x)
{
  for (int j = 0; j < n; j ++) {
    for (int i = 0; i < n; i ++) {
      if (i / 3 != j / 3) x[n * j + i] = 0;
    }
  }
}

static MX *blocks_of_three (int n, const double *x)
{
  int blocks = (n + 2) / 3, *sizes = zeroed (blocks, sizeof *sizes), count = 0;
  double *values = zeroed (9 * blocks, sizeof *values);

  for (int b = 0; b < blocks; b ++) {
    sizes[b] = 3 * b + 3 <= n ? 3 : n - 3 * b;
    for (int j = 0; j < sizes[b]; j ++) {
      for (int i = 0; i < sizes[b]; i ++) values[count ++] = x[n * (3 * b + j) + 3 * b + i];
    }
  }
  MX *matrix = host_matrix_blocks (blocks, sizes, values);
  free (values);
  free (sizes);
  return matrix;
}

static void flag (MX *matrix, int flags)
{
  memcpy (&matrix->flags, &flags, sizeof matrix->flags);
}

static MX *lower_triangle (int n, double *x)
{
  for (int j = 0; j < n; j ++) {
    for (int i = 0; i < j; i ++) x[n * j + i] = 0;
  }
  MX *matrix = host_matrix_sparse (n, x);
  flag (matrix, MXIFAC | MXSPD);
  return matrix;
}

static MX *rows_in_any_order (int n, const double *x, RANDOM *random)
{
  MX *matrix = host_matrix_sparse (n, x);
  int other, row;
  double value;

  for (int j = 0; j < n; j ++) {
    for (int e = matrix->p[j + 1] - 1; e > matrix->p[j]; e --) {
      other = matrix->p[j] + random_below (random, e - matrix->p[j] + 1);
      row = matrix->i[e];
      value = matrix->x[e];
      matrix->i[e] = matrix->i[other];
      matrix->x[e] = matrix->x[other];
      matrix->i[other] = row;
      matrix->x[other] = value;
    }
  }
  flag (matrix, MXIFAC);
  return matrix;
}

void mesh_randomise_inertia (BODY *body, RANDOM *random, INERTIA_FORM form)
{
  double *x = dominant (body, random);
  int n = body->dofs;

  switch (form) {
  case INERTIA_DIAGONAL:
    for (int i = 0; i < n * n; i ++) {
      if (i % (n + 1)) x[i] = 0;
    }
    host_set_inverse (body, host_matrix_sparse (n, x));
    break;
  case INERTIA_BLOCKS:
    keep_blocks (n, x);
    host_set_inverse (body, blocks_of_three (n, x));
    break;
  case INERTIA_SPARSE: host_set_inverse (body, host_matrix_sparse (n, x)); break;
  case INERTIA_DENSE: host_set_inverse (body, host_matrix_dense (n, n, x)); break;
  case INERTIA_FACTORED: host_set_inverse (body, lower_triangle (n, x)); break;
  default: host_set_inverse (body, rows_in_any_order (n, x, random));
  }
  free (x);
}

void mesh_scale_inertia (BODY *body, double factor)
{
  for (int i = 0; i < body->inverse->nzmax; i ++) body->inverse->x[i] *= factor;
}

void mesh_copy_inertia (BODY *body)
{
  MX *old = body->inverse;
  int np = old->kind == MXDENSE ? 0 : old->n + 1, ni = old->kind == MXCSC ? old->nzmax : np;
  MX *copy = host_matrix_raw ((int) old->kind, old->m, old->n, np, ni, old->nzmax);

  copy->flags = old->flags;
  if (np) memcpy (copy->p, old->p, (size_t) np * sizeof (int));
  if (ni) memcpy (copy->i, old->i, (size_t) ni * sizeof (int));
  memcpy (copy->x, old->x, (size_t) old->nzmax * sizeof (double));
  host_set_inverse (body, copy);
}

/* ---- bodies */

static int is_reduced (const BODY *body)
{
  return body->form >= BODY_COROTATIONAL_MODAL;
}

void mesh_randomise_motion (BODY *body, RANDOM *random)
{
  int n = dense_velocity_size (body), d = body->dofs;

  random_values (random, is_reduced (body) ? 4 * d + 2 * n : 2 * n, body->velo);
  random_values (random, d, body->conf);
  random_rotation (random, body->conf + d);
}

static void add_convex (BODY *body, RANDOM *random)
{
  CONVEX *convex = zeroed (1, sizeof *convex);
  int count = mesh_elements (body->msh);

  convex->nele = (short) (1 + random_below (random, count < 4 ? count : 4));
  convex->ele = zeroed (convex->nele, sizeof *convex->ele);
  for (int i = 0; i < convex->nele; i ++) convex->ele[i] = mesh_element (body->msh, random_below (random, count));
  convex->next = body->shape->data;
  body->shape->data = convex;
}

BODY *mesh_body (HOST *host, RANDOM *random, MESH_BODY kind)
{
  MESH *mesh = block_of_boxes (random, kind.size, kind.cells, kind.separate);
  int n = 3 * mesh->nodes_count, reduced = kind.form >= BODY_COROTATIONAL_MODAL;
  int dofs = reduced ? 8 + random_below (random, 8) : n;
  BODY *body = host_add_raw_body (host, FEM, dofs, dofs + 9, reduced ? 4 * dofs + 2 * n : 2 * n);
  double *base;

  body->form = kind.form;
  body->scheme = kind.scheme;
  body->shape = zeroed (1, sizeof *body->shape);
  if (kind.separate) {
    body->shape->kind = SHAPE_CONVEX;
    body->msh = mesh;
    for (int i = 0; i < 6; i ++) add_convex (body, random);
  } else {
    body->shape->kind = SHAPE_MESH;
    body->shape->data = mesh;
  }
  if (reduced) {
    base = zeroed (n * dofs, sizeof *base);
    random_values (random, n * dofs, base);
    body->evec = host_matrix_dense (n, dofs, base);
    free (base);
  }
  random_values (random, 3, body->ref_center);
  mesh_randomise_motion (body, random);
  mesh_randomise_inertia (body, random, kind.inertia);
  return body;
}

BODY *mesh_body_of_any_kind (HOST *host, RANDOM *random)
{
  MESH_BODY kind;

  kind.form = (FEMFORM) (1 + random_below (random, 4));
  kind.scheme = random_below (random, 2) ? SCH_DEF_EXP : SCH_DEF_LIM;
  kind.cells = (CELLS) random_below (random, CELLS_KINDS);
  kind.separate = random_below (random, 3) == 0;
  for (int i = 0; i < 3; i ++) kind.size[i] = 1 + random_below (random, 2);
  if (kind.form == BODY_COROTATIONAL_MODAL) kind.inertia = INERTIA_DIAGONAL;
  else if (kind.form == BODY_COROTATIONAL_REDUCED_ORDER) kind.inertia = INERTIA_DENSE;
  else if (kind.scheme == SCH_DEF_EXP) kind.inertia = INERTIA_DIAGONAL;
  else kind.inertia = random_below (random, 2) ? INERTIA_FACTORED : INERTIA_FACTORED_GENERAL;
  if (random_below (random, 4) == 0) kind.inertia = (INERTIA_FORM) random_below (random, INERTIA_FORMS);
  return mesh_body (host, random, kind);
}

/* ---- points */

/* Local coordinates within the element, well away from the apex of a pyramid, where shape functions have no derivative. */
static void inner_coordinates (int nodes, RANDOM *random, double *xi)
{
  double x, y;

  random_values (random, 3, xi);
  if (nodes == 8) return;
  if (nodes == 5) {
    xi[2] = (xi[2] + 1) * 0.4;
    for (int i = 0; i < 2; i ++) xi[i] *= 1 - xi[2];
    return;
  }
  for (int i = 0; i < (nodes == 4 ? 3 : 2); i ++) xi[i] = (xi[i] + 1) / 2;
  if (nodes == 4) xi[2] *= 0.5;
  x = xi[0];
  y = xi[1];
  xi[0] = x * (1 - y); /* within the triangle */
  if (nodes == 4) {
    xi[0] *= 1 - xi[2];
    xi[1] *= 1 - xi[2];
  }
}

static void image (const MESH *mesh, const ELEMENT *element, const double *xi, double *point)
{
  double shape[8];
  int i;

  element_shape (element->type, xi, shape);
  for (int j = 0; j < 3; j ++) {
    for (point[j] = 0, i = 0; i < element->type; i ++) point[j] += shape[i] * mesh->ref_nodes[3 * element->nodes[i] + j];
  }
}

static void point_on (const MESH *mesh, const ELEMENT *element, int within, RANDOM *random, double *point)
{
  int dice = random_below (random, 8);
  double xi[3];

  inner_coordinates (element->type, random, xi);
  if (dice == 7 && !within) xi[2] = -1.05;
  image (mesh, element, xi, point);
  if (dice > 2) return;
  memcpy (point, mesh->ref_nodes + 3 * element->nodes[random_below (random, element->type)], 3 * sizeof (double));
  if (dice == 2 || within) return; /* between two elements of a convex it would not be clear which one holds it */
  /* Closer than the tolerance, or a little farther. */
  for (int i = 0; i < 3; i ++) point[i] += (dice ? 3e-6 : 3e-7) * random_value (random);
}

static void place_side (BODY *body, SGP **pair, double *point, RANDOM *random)
{
  const ELEMENT *element;
  CONVEX *convex;

  free (*pair);
  *pair = NULL;
  if (!body || body->kind != FEM) return;
  const MESH *mesh = mesh_of_body (body);
  *pair = zeroed (1, sizeof **pair);
  (*pair)->shp = body->shape;
  if (!body->msh) {
    (*pair)->kind = GOBJ_ELEMENT;
    (*pair)->gobj = mesh_element (mesh, random_below (random, mesh_elements (mesh)));
    element = (*pair)->gobj;
  } else {
    convex = body->shape->data;
    for (int skip = random_below (random, 6); skip; skip --) convex = convex->next;
    (*pair)->kind = GOBJ_CONVEX;
    (*pair)->gobj = convex;
    element = convex->ele[random_below (random, convex->nele)];
  }
  point_on (mesh, element, body->msh != NULL, random, point);
}

static double distance (const double *a, const double *b)
{
  return hypot (a[0] - b[0], hypot (a[1] - b[1], a[2] - b[2]));
}

void mesh_place (CON *con, RANDOM *random)
{
  place_side (con->master, &con->msgp, con->mpnt, random);
  do place_side (con->slave, &con->ssgp, con->spnt, random);
  while (con->slave && con->slave->kind == FEM && con->slave == con->master && distance (con->mpnt, con->spnt) < 0.2);
}

CON *mesh_constraint (HOST *host, RANDOM *random, int kind, BODY *master, BODY *slave)
{
  CON *con = scene_constraint (host, random, kind, master, slave);

  mesh_place (con, random);
  return con;
}

/* ---- scenes */

void mesh_add_scene (HOST *host, RANDOM *random)
{
  static const MESH_BODY kinds[] = {
    { TOTAL_LAGRANGIAN, SCH_DEF_LIM, INERTIA_FACTORED, CELLS_HEXAHEDRA, 0, { 1, 1, 2 } },
    { BODY_COROTATIONAL, SCH_DEF_LIM, INERTIA_FACTORED_GENERAL, CELLS_WEDGES, 0, { 1, 1, 2 } },
    { BODY_COROTATIONAL_REDUCED_ORDER, SCH_DEF_LIM, INERTIA_DENSE, CELLS_TETRAHEDRA, 0, { 2, 1, 1 } },
    { TOTAL_LAGRANGIAN, SCH_DEF_EXP, INERTIA_DIAGONAL, CELLS_PYRAMIDS, 1, { 1, 2, 1 } },
    { BODY_COROTATIONAL, SCH_DEF_EXP, INERTIA_DIAGONAL, CELLS_HEXAHEDRA, 0, { 2, 1, 1 } },
    { BODY_COROTATIONAL_MODAL, SCH_DEF_LIM, INERTIA_DIAGONAL, CELLS_MIXED, 1, { 1, 1, 2 } } };
  BODY *rigid = host->dom.bod->next, *body[6], *obstacle = host->dom.bod;

  for (int i = 0; i < 6; i ++) body[i] = mesh_body (host, random, kinds[i]);
  for (int i = 0; i < 6; i ++) {
    mesh_constraint (host, random, CONTACT, body[i], i % 2 ? obstacle : rigid);
    mesh_constraint (host, random, FIXPNT, body[i], NULL);
    mesh_constraint (host, random, CONTACT, body[i], body[(i + 1) % 6]);
    mesh_constraint (host, random, CONTACT, body[i], body[i]);
  }
}
