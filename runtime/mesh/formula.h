/* Formulas on a mesh: expressions in x, y and z, pi, and region and tag, which are compared with physical
 * groups by name or number: region == steel, region == "air gap", tag != 7. Region is that of an element, tag of a
 * boundary face. Where something is in several groups, it is equal to each of them. In a formula x, y and z are the
 * file's; points and derivatives are in the mesh's own coordinates (wisp_mesh_flatten). */
#pragma once

#include "../../gen/language/expr.h"
#include "mesh.h"

typedef struct wisp_formula wisp_formula;

/* The places of its values: elements, boundary faces, where tag has a value, or elements at times t. */
typedef enum wisp_formula_use { WISP_FORMULA_INSIDE, WISP_FORMULA_ON_FACES, WISP_FORMULA_IN_TIME } wisp_formula_use;

/* Nothing is borrowed. what (the option, the coefficient) begins messages. WISP_EUSAGE for no expression, no group of
 * the mesh, or an ambiguous name. */
wisp_status wisp_formula_create(wisp_error *err, const char *what, const char *text, const wisp_mesh *mesh,
                                wisp_formula_use use, wisp_formula **out);
void wisp_formula_destroy(wisp_formula *formula);
WISP_OWNED(wisp_formula, wisp_formula_destroy)

/* Its derivative along the mesh's own x, y or z (0, 1, 2). WISP_EUSAGE where it has none. */
wisp_status wisp_formula_slope(wisp_error *err, const wisp_formula *formula, int along, wisp_formula **out);

/* Its values at points, the mesh's own xyz of each together, of one element or edge with this region and tag. */
void wisp_formula_at(const wisp_formula *formula, size_t count, const double *xyz, int32_t region, int32_t tag,
                     double *out);

/* Its value at each element's middle, `stride` numbers from one to the next. */
void wisp_formula_middles(const wisp_formula *formula, const wisp_mesh *mesh, size_t stride, double *out);

/* One in time as a sum of products of a formula of places, which wisp_formula_at evaluates, and one of t. WISP_EUSAGE
 * where it is none (gen/language/expr.h). Zero-initialise. */
typedef struct wisp_formula_parts {
  size_t count;
  wisp_formula *space[WISP_EXPR_TERMS], *time[WISP_EXPR_TERMS];
} wisp_formula_parts;
void wisp_formula_parts_free(wisp_formula_parts *parts);
wisp_status wisp_formula_split(wisp_error *err, const wisp_formula *formula, wisp_formula_parts *out);

/* The values of a part of t alone. */
void wisp_formula_when(const wisp_formula *formula, size_t count, const double *t, double *out);
