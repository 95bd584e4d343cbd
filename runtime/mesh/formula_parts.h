/* Inside formulas: what their variables are, and what becomes of the physical groups that they name. */
#pragma once

#include "formula.h"
#include "../../gen/language/expr_tree.h"

enum { WISP_FORMULA_X, WISP_FORMULA_Y, WISP_FORMULA_Z, WISP_FORMULA_REGION, WISP_FORMULA_TAG, WISP_FORMULA_NAMES };
extern const char *const wisp_formula_names[WISP_FORMULA_NAMES];

/* The slot of a variable; -1: it is none. */
int wisp_formula_slot(const char *name);

/* Puts in the place of groups what evaluation knows: `region == "steel"` becomes a comparison of region's values
 * (groups.h), a lone name its number. on_faces: tag has a value. WISP_EUSAGE where something is no group, or may mean
 * two things. */
wisp_status wisp_formula_put_groups(wisp_error *err, wisp_expr *expression, const wisp_mesh *mesh, bool on_faces);
