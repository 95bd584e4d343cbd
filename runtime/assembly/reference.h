/* The matrix and right-hand side that a form assembles to, in double, by the reference element's tables. */
#ifndef WISP_ASSEMBLY_REFERENCE_H
#define WISP_ASSEMBLY_REFERENCE_H

#include "assembly.h"
#include "../test_case.h"

/* What the assembly's form is given (gen/assembly/assembly.h); pointers to what it does not read may be NULL. */
typedef struct wisp_form_data {
  double kappa[3], density, mass;
  const double *of_elements, *f, *u; /* kappa of each element; at the nodes */
  const double *largest; /* wisp_assembly_largest_tables, where elements may be seen in any order; or NULL */
} wisp_form_data;

enum { WISP_ELEMENT_NODES = WISP_SIMPLEX_MAX_NP };

/* Of one element, Np x Np and Np, and for each number the sum of the magnitudes that it is added up from; what fixed
 * nodes take is in the load. */
typedef struct wisp_element_matrix {
  double A[WISP_ELEMENT_NODES * WISP_ELEMENT_NODES], load[WISP_ELEMENT_NODES];
  double A_size[WISP_ELEMENT_NODES * WISP_ELEMENT_NODES], load_size[WISP_ELEMENT_NODES];
} wisp_element_matrix;

void wisp_assembly_element(const wisp_assembly *assembly, const wisp_form_data *data, size_t element,
                           wisp_element_matrix *out);

/* Np x Np: what the tables hold at most for a pair of nodes, whichever way the element's corners are ordered. */
wisp_status wisp_assembly_largest_tables(wisp_error *err, const wisp_assembly *assembly, double **out);

/* Adds all elements' to values and F, and to their sizes: caller's memory, nonzeros and rows numbers. */
void wisp_assembly_apply(const wisp_assembly *assembly, const wisp_form_data *data, double *values, double *F,
                         double *value_sizes, double *F_sizes);

/* Leaves what the round's kernel must; the round's own is a wisp_form_data, whose pointers are set here. */
wisp_status wisp_assembly_reference(wisp_error *err, wisp_test_case *test_case);

#endif
