/* What a user says of a mesh: expressions in x, y and z, region and tag, pi, and the names of the mesh's physical
 * groups, which stand for their numbers. */
#ifndef WISP_FORMULA_H
#define WISP_FORMULA_H

#include "mesh.h"

typedef struct wisp_formula wisp_formula;

/* what (the option, the coefficient) begins messages; nothing is borrowed. WISP_EUSAGE for what is no expression. */
wisp_status wisp_formula_create(wisp_error *err, const char *what, const char *text, const wisp_mesh *mesh,
                                wisp_formula **out);
void wisp_formula_destroy(wisp_formula *formula);
WISP_OWNED(wisp_formula, wisp_formula_destroy)

/* Its derivative along x, y or z (0, 1, 2). WISP_EUSAGE where it has none. */
wisp_status wisp_formula_slope(wisp_error *err, const wisp_formula *formula, int along, wisp_formula **out);

/* Its values at points, xyz of each together, all in one element, or on one edge of it, of this region and tag. */
void wisp_formula_at(const wisp_formula *formula, size_t count, const double *xyz, int32_t region, int32_t tag,
                     double *out);

/* Its value at each element's middle, `stride` numbers from one to the next. */
void wisp_formula_middles(const wisp_formula *formula, const wisp_mesh *mesh, size_t stride, double *out);

#endif
