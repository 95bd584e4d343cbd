/* What the files of references share. */
#ifndef WISP_HDG_REFERENCE_PARTS_H
#define WISP_HDG_REFERENCE_PARTS_H

#include "../test_case.h"
#include "hdg.h"

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

/* What two elements add to, and what has no element; what elements add to it. */
wisp_status wisp_hdg_clear_blocks(wisp_error *err, const wisp_hdg *s, wisp_test_case *r);
wisp_status wisp_hdg_scatter(wisp_error *err, const wisp_hdg *s, wisp_test_case *r);

/* Products of all elements; in groups, and the sums between these. */
wisp_status wisp_hdg_multiply(wisp_error *err, const wisp_hdg *s, wisp_test_case *r);
wisp_status wisp_hdg_multiply_unstored(wisp_error *err, const wisp_hdg *s, wisp_test_case *r);
wisp_status wisp_hdg_multiply_grouped(wisp_error *err, const wisp_hdg *s, wisp_test_case *r);
wisp_status wisp_hdg_collect_grouped(wisp_error *err, const wisp_hdg *s, wisp_test_case *r);

/* Of the paper's batches, of what is recovered of them, and of its matrix (reference_inside.c). */
wisp_status wisp_hdg_build_inside(wisp_error *err, const wisp_hdg *s, wisp_test_case *r);
wisp_status wisp_hdg_invert_inside(wisp_error *err, const wisp_hdg *s, wisp_test_case *r);
wisp_status wisp_hdg_factor_inside(wisp_error *err, const wisp_hdg *s, wisp_test_case *r);
wisp_status wisp_hdg_multiply_inside(wisp_error *err, const wisp_hdg *s, wisp_test_case *r);
wisp_status wisp_hdg_recover_stored(wisp_error *err, const wisp_hdg *s, wisp_test_case *r);
wisp_status wisp_hdg_recover_factored(wisp_error *err, const wisp_hdg *s, wisp_test_case *r);
wisp_status wisp_hdg_assemble_scalar(wisp_error *err, const wisp_hdg *s, wisp_test_case *r);
wisp_status wisp_hdg_apply_scalar(wisp_error *err, const wisp_hdg *s, wisp_test_case *r);

/* Of the second level's kernels. */
wisp_status wisp_hdg_reference_coarse(wisp_error *err, wisp_test_case *test_case);

#endif
