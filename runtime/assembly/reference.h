/* The matrix and right-hand side that a form assembles to, in double, by the reference element's tables. */
#pragma once

#include "assembly.h"
#include "../test_case.h"

/* Data of the assembly's form (gen/assembly/assembly.h); pointers that it does not read may be NULL. */
typedef struct wisp_form_data {
  double kappa[3], density, mass;
  const double *of_elements, *f, *u; /* kappa of each element; at the nodes */
  const double *largest; /* Np x Np, where elements may be seen in any order: the tables' largest entries for a pair of
                            nodes; or NULL */
} wisp_form_data;

enum { WISP_ELEMENT_NODES = WISP_SIMPLEX_MAX_NP };

/* One element's matrix, Np x Np, and load, with the part of fixed nodes, and for each number its magnitudes' sum. */
typedef struct wisp_element_matrix {
  double A[WISP_ELEMENT_NODES * WISP_ELEMENT_NODES], load[WISP_ELEMENT_NODES];
  double A_size[WISP_ELEMENT_NODES * WISP_ELEMENT_NODES], load_size[WISP_ELEMENT_NODES];
} wisp_element_matrix;

void wisp_assembly_element(const wisp_assembly *assembly, const wisp_form_data *data, size_t element,
                           wisp_element_matrix *out);

/* Adds all elements' to values and F, and to their sizes: caller's memory, nonzeros and rows numbers. */
wisp_status wisp_assembly_apply(wisp_error *err, const wisp_assembly *assembly, const wisp_form_data *data,
                                double *values, double *F, double *value_sizes, double *F_sizes);

/* Leaves what the round's kernel must; the round's own is a wisp_form_data, whose pointers are set here. */
wisp_status wisp_assembly_reference(wisp_error *err, wisp_test_case *test_case);
