/* Geometry of finite elements, as far as the reference side of the tests needs it. */
#pragma once

#include "ldy_host.h"

/* 1 if some face of the element belongs to no other of the elements. */
int element_has_free_face (const ELEMENT *element, ELEMENT *const *elements, int count);

/* Shape functions of an element of `nodes` nodes at local coordinates xi. */
void element_shape (int nodes, const double xi[3], double *shape);

/* The element that holds the referential point best, out of the elements of a constraint's geometric object, and its shape
 * functions at the point. */
const ELEMENT *element_at_point (const BODY *body, const SGP *sgp, const double point[3], double shape[8]);
