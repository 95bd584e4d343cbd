/* The assembly family's arrays, as places in its list (templates/assembly/family), and its forms. */
#ifndef WISP_ASSEMBLY_H
#define WISP_ASSEMBLY_H

#include "../slab.h"
#include "../spec.h"
#include "templates/assembly/family.h"

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
