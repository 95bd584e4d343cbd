/* Elements of the tensor family with random contents, for tests: fields, geometric factors of trilinear hexahedra, and
 * each operator by its formula, in double. */
#pragma once

#include "../gen/tensor/hex.h"
#include "../runtime/kernel.h"

typedef struct hex_case {
  wisp_hex *hex;
  size_t elements;
  double lambda;
  double *u;             /* [e][k][j][i], random */
  double *vertices;      /* [e][3][8]: unit cubes, each vertex moved */
  double *gauss_factors; /* [e][7][k][j][i]: G00 G01 G02 G11 G12 G22 GwJ */
  double *gauss_mass;    /* [e][k][j][i]: GwJ */
  double *gll_factors;
} hex_case;

void hex_case_make(hex_case *c, int N, size_t elements);
void hex_case_free(hex_case *c);

/* y, Np numbers an element: the operator that a kernel of the tensor family ("mass", "stiffness_trilinear", ...)
 * applies. */
void hex_case_reference(const hex_case *c, const char *kernel, double *y);

/* Runs the kernel on the case's elements, and gives the largest difference from the reference over the reference's
 * largest number; infinite where a number was not written. */
wisp_status hex_case_error(wisp_error *err, const hex_case *c, wisp_device *device, const wisp_kernel *kernel,
                           double *error);
