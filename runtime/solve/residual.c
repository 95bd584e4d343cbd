#include "residual.h"
#include "../parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUN = 64 }; /* rows of a sample that lie together */

/* Whether a row is in the sample of all that has every n-th run. */
static bool takes(size_t row, size_t every)
{
  return row / RUN % every == 0;
}

/* The elements that the sample's rows touch, and the place of each among them, -1 for the others. */
typedef struct touched {
  size_t count;
  int32_t *list, *where;
} touched;

static void free_touched(touched *t)
{
  free(t->list), free(t->where);
}

static wisp_status find_touched(wisp_error *err, const wisp_residual_system *s, size_t every, touched *out)
{
  CALL(wisp_new(err, s->elements, sizeof *out->list, &out->list));
  CALL(wisp_new(err, s->elements, sizeof *out->where, &out->where));
  for (size_t row = 0; row < s->rows; row++)
    for (size_t k = 0, at; takes(row, every) && (at = s->place(s->context, row, k)) != SIZE_MAX; k++)
      out->where[at / s->width] = 1;
  for (size_t e = 0; e < s->elements; e++) {
    if (out->where[e]) out->list[out->count] = (int32_t)e;
    out->where[e] = out->where[e] ? (int32_t)out->count++ : -1;
  }
  return WISP_OK;
}

typedef struct loop {
  const wisp_residual_system *system;
  const touched *touched;
  wisp_residual_term *term;
} loop;

/* A wisp_range over the touched elements. */
static wisp_status apply(wisp_error *err, void *context, size_t from, size_t to)
{
  const loop *l = context;
  const wisp_residual_system *s = l->system;
  return s->apply(err, s->context, to - from, l->touched->list + from, l->term + from * s->width);
}

static void add_row(const loop *l, size_t row, wisp_residual_term *out)
{
  const wisp_residual_system *s = l->system;
  if (s->row) {
    s->row(s->context, row, out);
    return;
  }
  out->right = s->b ? s->b[row] : 0;
  for (size_t k = 0, at; (at = s->place(s->context, row, k)) != SIZE_MAX; k++) {
    const wisp_residual_term *term = &l->term[(size_t)l->touched->where[at / s->width] * s->width + at % s->width];
    out->product += term->product, out->right += term->right, out->size += term->size;
  }
}

wisp_status wisp_true_residual_find(wisp_error *err, const wisp_residual_system *s, wisp_true_residual *out)
{
  const size_t every = (s->rows + WISP_RESIDUAL_ROWS - 1) / WISP_RESIDUAL_ROWS;
  const double eps = s->precision == WISP_F32 ? 0x1p-23 : 0x1p-52;
  HELD(free_touched) touched t = {.count = 0};
  OWNED(free) wisp_residual_term *term = NULL;
  double left = 0, right = 0, size = 0;
  if (!s->row) {
    CALL(find_touched(err, s, every, &t));
    CALL(wisp_new(err, t.count * s->width, sizeof *term, &term));
    CALL(wisp_parallel(err, t.count, apply, &(loop){s, &t, term}));
  }
  for (size_t row = 0; row < s->rows; row++) {
    wisp_residual_term sum = {0};
    if (!takes(row, every)) continue;
    add_row(&(loop){s, &t, term}, row, &sum);
    left += (sum.right - sum.product) * (sum.right - sum.product);
    right += sum.right * sum.right, size += sum.size * sum.size;
  }
  const bool solved = right > 0; /* b = 0 is solved by 0 */
  *out = (wisp_true_residual){solved ? sqrt(left / right) : sqrt(left), solved ? 100 * eps * sqrt(size / right) : 0};
  return WISP_OK;
}

wisp_status wisp_true_residual_check(wisp_error *err, const wisp_true_residual *r, double own, double tolerance)
{
  const bool small = r->value <= 10 * fmax(own, tolerance) || r->value <= r->floor;
  return wisp_require(err, small, WISP_EWRONG,
                      "the true residual |b - A x| / |b| is %.3g, by the reference in double, and %.3g as the kernels "
                      "have it: a kernel is at fault; 'wisp verify' with these options says which",
                      isnan(r->value) ? (double)NAN : r->value, own);
}
