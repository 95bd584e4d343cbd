/* The assembly family's arrays, as places in its list (gen/assembly/assembly.c), and its forms. */
#ifndef WISP_ASSEMBLY_H
#define WISP_ASSEMBLY_H

#include "../slab.h"
#include "../spec.h"

enum {
  WISP_ASSEMBLY_VERTICES,
  WISP_ASSEMBLY_CORNERS,
  WISP_ASSEMBLY_NODES,
  WISP_ASSEMBLY_KAPPA,
  WISP_ASSEMBLY_SOURCE,
  WISP_ASSEMBLY_U,
  WISP_ASSEMBLY_VALUES,
  WISP_ASSEMBLY_F,
  WISP_ASSEMBLY_ROW_START,
  WISP_ASSEMBLY_COLUMNS,
  WISP_ASSEMBLY_MAP,
  WISP_ASSEMBLY_COLOURED,
  WISP_ASSEMBLY_AROUND_START,
  WISP_ASSEMBLY_AROUND,
  WISP_ASSEMBLY_AROUND_SLOTS,
  WISP_ASSEMBLY_ELEMENT_DATA,
  WISP_ASSEMBLY_SOURCE_START,
  WISP_ASSEMBLY_SOURCES,
  WISP_ASSEMBLY_WIDE_START,
  WISP_ASSEMBLY_WIDE_SOURCES,
  WISP_ASSEMBLY_PART_ROW,
  WISP_ASSEMBLY_PART_ELEMENTS,
  WISP_ASSEMBLY_PART_ELEMENT_START,
  WISP_ASSEMBLY_PART_GROUP_START,
  WISP_ASSEMBLY_CODE_START,
  WISP_ASSEMBLY_CODES,
  WISP_ASSEMBLY_ROW_ORDER,
  WISP_ASSEMBLY_AROUND_LOCAL,
  WISP_ASSEMBLY_PLACE_START,
  WISP_ASSEMBLY_PLACES,
  WISP_ASSEMBLY_DIAGONAL,
  WISP_ASSEMBLY_INVERSE,
  WISP_ASSEMBLY_SOLUTION,
  WISP_ASSEMBLY_P,
  WISP_ASSEMBLY_Z,
  WISP_ASSEMBLY_R,
  WISP_ASSEMBLY_AP,
  WISP_ASSEMBLY_RZ_SUMS,
  WISP_ASSEMBLY_RR_SUMS,
  WISP_ASSEMBLY_PAP_SUMS,
  WISP_ASSEMBLY_STATE,
  WISP_ASSEMBLY_HISTORY,
  WISP_ASSEMBLY_LEFT,
  WISP_ASSEMBLY_ARRAYS
};

/* Where a coefficient's values come from. */
typedef enum wisp_given { WISP_BY_NUMBER, WISP_BY_ELEMENT, WISP_BY_NODES } wisp_given;

/* What is assembled: A = int kappa grad phi_i . grad phi_j + mass int phi_i phi_j, F = int f phi_i, less what fixed
 * nodes take from it. kappa is kappa0; of each element its own number; or, by nodes, the polynomial kappa0 + kappa1 u +
 * kappa2 u^2 of the nodes' u, interpolated. f is a number, or the nodes'. */
typedef struct wisp_form {
  const char *name; /* a spec's system */
  wisp_given kappa, f;
  bool mass;
} wisp_form;

/* One after the other; NULL behind the last. */
const wisp_form *wisp_form_at(size_t i);
const wisp_form *wisp_form_find(const char *name); /* NULL: none */

#endif
