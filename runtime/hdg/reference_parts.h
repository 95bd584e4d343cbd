/* Steps and lists that the files of references share. */
#pragma once

#include "../test_case.h"
#include "hdg.h"
#include "../../gen/lapack.h"

/* Number of entry (i, j) of the upper half of a matrix of size m, either way round. */
static inline size_t wisp_hdg_half(size_t m, size_t i, size_t j)
{
  const size_t low = i < j ? i : j, high = i < j ? j : i;
  return low * m - low * (low + 1) / 2 + high;
}

/* data: upper halves and loads of the elements' matrices, in slabs; given: of each edge. To blocks and b, and the
 * magnitudes that they are added up from: caller's memory, of which padding stays as it is. */
void wisp_hdg_assemble(const wisp_hdg *hdg, const double *data, const double *given, double *blocks, double *b,
                       double *block_sizes, double *b_sizes);

/* The upper half of a number's bits in single precision, rounded, and the number that has it. */
uint16_t wisp_hdg_half_of(double number);
double wisp_hdg_of_half(uint16_t bits);

/* Entry (i, j) of block `place` of an edge's row, in slabs. */
static inline size_t wisp_hdg_block_at(size_t n, size_t edge, size_t place, size_t i, size_t j)
{
  return WISP_SLAB(WISP_HDG_ROW * n * n, edge, (place * n + i) * n + j);
}

/* Number i of an output, and the sum of the magnitudes that it is added up from. */
static inline void wisp_hdg_leave(wisp_test_case *r, int array, size_t i, double value, double size)
{
  r->after[array][i] = value;
  r->size[array][i] = size;
}

static inline double wisp_hdg_scalar(const wisp_test_case *r, const char *name)
{
  size_t i = 0;
  while (strcmp(r->scalars.of[i].name, name) != 0) i++;
  return r->scalars.of[i].value;
}

/* `width` numbers of element e, in slabs. */
void wisp_hdg_take(const double *array, size_t width, size_t e, double *out);
void wisp_hdg_leave_slab(wisp_test_case *r, int array, size_t width, size_t e, const double *values,
                         const double *sizes);

/* u and flux of an element. */
void wisp_hdg_leave_inside(const wisp_hdg *s, wisp_test_case *r, size_t e, const wisp_hdg_inside *of);

/* Ap row by row, and the sum of p . Ap. */
typedef double (*wisp_hdg_row)(const wisp_hdg *s, const wisp_test_case *r, size_t row, double *size);
void wisp_hdg_leave_product(const wisp_hdg *s, wisp_test_case *r, wisp_hdg_row row_of);

/* The free edge that block `place` of an edge's row leads to; the edge itself where there is none, as in `columns`. */
static inline size_t wisp_hdg_free_column(const wisp_hdg *s, size_t edge, int place)
{
  const int32_t to = wisp_hdg_column(s, edge, place);
  return to >= 0 && (size_t)to < s->free_edges ? (size_t)to : edge;
}

/* An element's seven numbers; and the trace on its edges, along the element. */
wisp_hdg_factors wisp_hdg_factors_at(const wisp_hdg *s, const wisp_test_case *r, size_t e);
void wisp_hdg_trace_at(const wisp_hdg *s, const wisp_test_case *r, size_t e, double *out);

/* A row of the edges' inverses times a vector whose numbers have these sizes. */
double wisp_hdg_times_inverse(const wisp_hdg *s, const wisp_test_case *r, const double *vector, const double *sizes,
                              size_t row, double *size);

/* A step of smoothing: what residual it goes by, which array it is left in, and what comes together of r . z. */
typedef struct wisp_hdg_step {
  double *t, *t_size;
  int d;
  double rz, squares;
} wisp_hdg_step;
void wisp_hdg_step_free(wisp_hdg_step *step);

/* Row `row` of it: z is `before`, of this size, and `kept` is what the last step gives to this one. */
void wisp_hdg_smooth(const wisp_hdg *s, wisp_test_case *r, wisp_hdg_step *of, size_t row, double before, double size,
                     double kept);

/* Products of all elements by their matrices, upper halves in slabs, and the sizes of these; NULL: their magnitudes. */
void wisp_hdg_multiply(const wisp_hdg *s, wisp_test_case *r, const double *data, const double *sizes);

/* A kernel's reference: all of it, or a row of a product by p. */
typedef struct wisp_hdg_kernel_reference {
  const char *kernel;
  wisp_status (*compute)(wisp_error *err, const wisp_hdg *s, wisp_test_case *r);
  wisp_hdg_row row;
} wisp_hdg_kernel_reference;
typedef struct wisp_hdg_kernel_references {
  size_t count;
  const wisp_hdg_kernel_reference *list;
} wisp_hdg_kernel_references;
/* Assembly by elements and their products; the paper's batches and its matrix; the second level. */
extern const wisp_hdg_kernel_references wisp_hdg_scatter_references, wisp_hdg_inside_references,
    wisp_hdg_coarse_references;

/* ---- References for the verifier. */

enum { WISP_HDG_ITERATIONS = 16 }; /* that history has room for */

/* Leaves what the round's kernel must. */
wisp_status wisp_hdg_reference(wisp_error *err, wisp_test_case *test_case);
