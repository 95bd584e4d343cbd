/* Steps and lists that the files of references share. */
#pragma once

#include "../test_case.h"
#include "hdg.h"
#include "../../gen/lapack.h"
#include "../../gen/total.h"

#include <math.h>

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

/* A number, and the sum of the magnitudes that it is added up from. */
typedef struct wisp_hdg_sum {
  double value, size;
} wisp_hdg_sum;

static inline void wisp_hdg_add(wisp_hdg_sum *sum, double term)
{
  sum->value += term, sum->size += fabs(term);
}

/* Number i of an output, with its size. */
static inline void wisp_hdg_leave(wisp_test_case *r, int array, size_t i, double value, double size)
{
  r->after[array][i] = value;
  r->size[array][i] = size;
}

static inline void wisp_hdg_leave_sum(wisp_test_case *r, int array, size_t i, wisp_hdg_sum sum)
{
  wisp_hdg_leave(r, array, i, sum.value, sum.size);
}

static inline void wisp_hdg_leave_total(wisp_test_case *r, int array, const wisp_total *total)
{
  wisp_hdg_leave(r, array, 0, wisp_total_value(total), wisp_total_size(total));
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

/* An element outside of a sample: the reference leaves its numbers as they are, NaN where nothing was read. */
static inline bool wisp_hdg_skips(const wisp_hdg *s, size_t e)
{
  return s->only && !s->only[e];
}

/* An element's seven numbers; and the trace on its edges, along the element. */
wisp_hdg_factors wisp_hdg_factors_at(const wisp_hdg *s, const wisp_test_case *r, size_t e);
void wisp_hdg_trace_at(const wisp_hdg *s, const wisp_test_case *r, size_t e, double *out);

/* A row of the edges' inverses times a vector. */
wisp_hdg_sum wisp_hdg_times_inverse(const wisp_hdg *s, const wisp_test_case *r, const wisp_hdg_sum *vector, size_t row);

/* A step of smoothing: the residual that it goes by, the array that it is left in, and what comes together of r . z. */
typedef struct wisp_hdg_step {
  const wisp_hdg_sum *t;
  int d;
  wisp_total rz;
} wisp_hdg_step;

/* Row `row` of it: z is `before`, and `kept` is what the last step gives to this one. */
void wisp_hdg_smooth(const wisp_hdg *s, wisp_test_case *r, wisp_hdg_step *of, size_t row, wisp_hdg_sum before,
                     double kept);

/* A kernel's reference is one of these functions. */
typedef struct wisp_hdg_kernel_reference {
  const char *kernel;
  void (*leave)(const wisp_hdg *s, wisp_test_case *r);
  wisp_status (*compute)(wisp_error *err, const wisp_hdg *s, wisp_test_case *r); /* the same, where it can fail */
  wisp_status (*element)(wisp_error *err, const wisp_hdg *s, wisp_test_case *r, size_t e);
  wisp_hdg_sum (*row)(const wisp_hdg *s, const wisp_test_case *r, size_t row); /* of Ap */
} wisp_hdg_kernel_reference;

/* The paper's batches and matrix; the second level. No name ends a list. */
extern const wisp_hdg_kernel_reference wisp_hdg_inside_references[], wisp_hdg_coarse_references[];

/* ---- References for the verifier. */

enum { WISP_HDG_ITERATIONS = 16 }; /* that history has room for */

/* Leaves what the round's kernel must. */
wisp_status wisp_hdg_reference(wisp_error *err, wisp_test_case *test_case);
