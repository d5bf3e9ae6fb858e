#include "support/element.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- faces: node places within the element, -1 ends a face and the list */

static const int tetrahedron[] = { 0, 1, 2, -1, 0, 1, 3, -1, 1, 2, 3, -1, 2, 0, 3, -1, -1 };
static const int pyramid[] = { 0, 1, 2, 3, -1, 0, 1, 4, -1, 1, 2, 4, -1, 2, 3, 4, -1, 3, 0, 4, -1, -1 };
static const int wedge[] = { 0, 1, 2, -1, 3, 4, 5, -1, 0, 1, 4, 3, -1, 1, 2, 5, 4, -1, 2, 0, 3, 5, -1, -1 };
static const int hexahedron[] = { 0, 1, 2, 3, -1, 4, 5, 6, 7, -1, 0, 1, 5, 4, -1, 1, 2, 6, 5, -1, 2, 3, 7, 6, -1,
                                  3, 0, 4, 7, -1, -1 };

static const int *faces_of (const ELEMENT *element)
{
  switch (element->type) {
  case 4: return tetrahedron;
  case 5: return pyramid;
  case 6: return wedge;
  default: return hexahedron;
  }
}

static int has_node (const ELEMENT *element, int node)
{
  for (int i = 0; i < element->type; i ++) {
    if (element->nodes[i] == node) return 1;
  }
  return 0;
}

/* Two elements that share all nodes of a face share the face. */
static int has_face (const ELEMENT *other, const ELEMENT *element, const int *face)
{
  for (; *face >= 0; face ++) {
    if (!has_node (other, element->nodes[*face])) return 0;
  }
  return 1;
}

int element_has_free_face (const ELEMENT *element, ELEMENT *const *elements, int count)
{
  const int *face = faces_of (element);
  int shared;

  while (*face >= 0) {
    shared = 0;
    for (int i = 0; i < count && !shared; i ++) {
      shared = elements[i] != element && has_face (elements[i], element, face);
    }
    if (!shared) return 1;
    while (*face >= 0) face ++;
    face ++;
  }
  return 0;
}

/* ---- shape functions */

void element_shape (int nodes, const double xi[3], double *shape)
{
  static const int sx[8] = { -1, 1, 1, -1, -1, 1, 1, -1 }, sy[8] = { -1, -1, 1, 1, -1, -1, 1, 1 };
  double x = xi[0], y = xi[1], z = xi[2], triangle[3], r;

  triangle[0] = 1 - x - y;
  triangle[1] = x;
  triangle[2] = y;
  switch (nodes) {
  case 4:
    shape[0] = 1 - x - y - z;
    shape[1] = x;
    shape[2] = y;
    shape[3] = z;
    break;
  case 5:
    r = z == 1 ? 0 : x * y * z / (1 - z);
    shape[0] = ((1 + x) * (1 + y) - z + r) / 4;
    shape[1] = ((1 - x) * (1 + y) - z - r) / 4;
    shape[2] = ((1 - x) * (1 - y) - z + r) / 4;
    shape[3] = ((1 + x) * (1 - y) - z - r) / 4;
    shape[4] = z;
    break;
  case 6:
    for (int i = 0; i < 6; i ++) shape[i] = triangle[i % 3] * (i < 3 ? 1 - z : 1 + z) / 2;
    break;
  default:
    for (int i = 0; i < 8; i ++) shape[i] = (1 + sx[i] * x) * (1 + sy[i] * y) * (1 + (i < 4 ? -z : z)) / 8;
  }
}

/* ---- the place of a point */

static void image (const MESH *mesh, const ELEMENT *element, const double xi[3], double point[3])
{
  double shape[8];

  element_shape (element->type, xi, shape);
  for (int j = 0; j < 3; j ++) {
    point[j] = 0;
    for (int i = 0; i < element->type; i ++) point[j] += shape[i] * mesh->ref_nodes[3 * element->nodes[i] + j];
  }
}

static double determinant (const double *a, const double *b, const double *c)
{
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Newton's method with a Jacobian of central differences, columns j[0], j[1], j[2]; Cramer's rule. */
static void local_coordinates (const MESH *mesh, const ELEMENT *element, const double point[3], double xi[3])
{
  const double difference = 1e-6;
  double j[3][3], high[3], low[3], at[3], residual[3], step[3], volume;

  memset (xi, 0, 3 * sizeof (double));
  for (int iteration = 0; iteration < 64; iteration ++) {
    image (mesh, element, xi, at);
    for (int c = 0; c < 3; c ++) residual[c] = point[c] - at[c];
    for (int c = 0; c < 3; c ++) {
      memcpy (at, xi, sizeof at);
      at[c] = xi[c] + difference;
      image (mesh, element, at, high);
      at[c] = xi[c] - difference;
      image (mesh, element, at, low);
      for (int d = 0; d < 3; d ++) j[c][d] = (high[d] - low[d]) / (2 * difference);
    }
    volume = determinant (j[0], j[1], j[2]);
    step[0] = determinant (residual, j[1], j[2]) / volume;
    step[1] = determinant (j[0], residual, j[2]) / volume;
    step[2] = determinant (j[0], j[1], residual) / volume;
    for (int c = 0; c < 3; c ++) xi[c] += step[c];
    if (fabs (step[0]) + fabs (step[1]) + fabs (step[2]) < 1e-13) break;
  }
}

/* How far xi is outside the element's box (the tetrahedron's and wedge's triangle included); clamps it. */
static double clamp (int nodes, double xi[3])
{
  double low[3] = { -1, -1, -1 }, shape[8], outside = 0;

  if (nodes == 4 || nodes == 6) low[0] = low[1] = 0;
  if (nodes == 4 || nodes == 5) low[2] = 0;
  element_shape (nodes, xi, shape);
  for (int c = 0; c < nodes; c ++) outside = fmax (outside, - shape[c]);
  for (int c = 0; c < 3; c ++) {
    outside = fmax (outside, fmax (low[c] - xi[c], xi[c] - 1));
    xi[c] = fmin (fmax (xi[c], low[c]), 1);
  }
  return outside;
}

const ELEMENT *element_at_point (const BODY *body, const SGP *sgp, const double point[3], double shape[8])
{
  const CONVEX *convex = body->msh ? sgp->gobj : NULL;
  const MESH *mesh = body->msh ? body->msh : body->shape->data;
  int count = convex ? convex->nele : 1;
  const ELEMENT *element, *best = NULL;
  double xi[3], outside, least = HUGE_VAL;

  for (int i = 0; i < count; i ++) {
    element = convex ? convex->ele[i] : sgp->gobj;
    local_coordinates (mesh, element, point, xi);
    outside = clamp (element->type, xi);
    if (outside < least - 1e-7 || !best) {
      least = outside;
      best = element;
      element_shape (element->type, xi, shape);
    }
  }
  return best;
}
