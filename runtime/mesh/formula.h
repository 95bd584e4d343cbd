/* Formulas on a mesh: expressions in x, y and z, pi, and region and tag, which are compared with physical
 * groups by name or number: region == steel, region == "air gap", tag != 7. Region is that of an element, tag of a
 * boundary face. Where something is in several groups, it is equal to each of them. In a formula x, y and z are the
 * file's; points and derivatives are in the mesh's own coordinates (wisp_mesh_flatten). */
#pragma once

#include "mesh.h"

typedef struct wisp_formula wisp_formula;

/* Nothing is borrowed. what (the option, the coefficient) begins messages; on_faces: it is asked for on boundary faces
 * alone, where tag has a value. WISP_EUSAGE for no expression, no group of the mesh, or an ambiguous name. */
wisp_status wisp_formula_create(wisp_error *err, const char *what, const char *text, const wisp_mesh *mesh,
                                bool on_faces, wisp_formula **out);
void wisp_formula_destroy(wisp_formula *formula);
WISP_OWNED(wisp_formula, wisp_formula_destroy)

/* Its derivative along the mesh's own x, y or z (0, 1, 2). WISP_EUSAGE where it has none. */
wisp_status wisp_formula_slope(wisp_error *err, const wisp_formula *formula, int along, wisp_formula **out);

/* Its values at points, the mesh's own xyz of each together, of one element or edge with this region and tag. */
void wisp_formula_at(const wisp_formula *formula, size_t count, const double *xyz, int32_t region, int32_t tag,
                     double *out);

/* Its value at each element's middle, `stride` numbers from one to the next. */
void wisp_formula_middles(const wisp_formula *formula, const wisp_mesh *mesh, size_t stride, double *out);
