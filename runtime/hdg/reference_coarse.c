/* References of the second level's kernels. */
#include "reference_parts.h"

/* --- the coarse problem's numbers --- */

/* Row i of an edge's blocks times the function of a vertex. */
static wisp_hdg_sum line(const wisp_hdg *s, const wisp_test_case *r, size_t edge, size_t i, int32_t vertex)
{
  const size_t n = (size_t)s->tables->n;
  wisp_hdg_sum sum = {0};
  for (int place = 0; place < WISP_HDG_ROW; place++) {
    const int32_t to = wisp_hdg_column(s, edge, place);
    for (int q = 0; to >= 0 && q < 4; q++) /* columns, its ends */
      if (s->mesh->tri[wisp_hdg_corner(s, (size_t)to, q % 2)] == vertex)
        wisp_hdg_add(&sum, wisp_hdg_coarse_weight(q / 2, q % 2) *
                               r->before[WISP_HDG_BLOCKS][wisp_hdg_block_at(n, edge, (size_t)place, i, (size_t)q / 2)]);
  }
  return sum;
}

/* By the space's own functions: an edge's row times those of each coarse vertex near it, and times that its own. */
static void coarsen(const wisp_hdg *s, wisp_test_case *r)
{
  const size_t n = (size_t)s->tables->n, width = WISP_HDG_COARSE_ENDS;
  for (size_t i = 0; i < s->free_edges * width; i++) {
    const size_t edge = i / width, k = i % width;
    const int32_t *face = s->side + 2 * edge, *tri = s->mesh->tri;
    const int32_t corner[4] = {tri[wisp_hdg_corner(s, edge, 0)], tri[wisp_hdg_corner(s, edge, 1)],
                               tri[face[0] / 3 * 3 + (face[0] + 2) % 3],
                               face[1] < 0 ? -1 : tri[face[1] / 3 * 3 + (face[1] + 2) % 3]};
    wisp_hdg_sum part[2] = {{0}};
    for (size_t row = 0; row < n; row++) {
      const wisp_hdg_sum number = line(s, r, edge, row, corner[k]);
      wisp_hdg_leave(r, WISP_HDG_LINES, WISP_SLAB(width * n, edge, row * width + k), (float)number.value, number.size);
      for (int end = 0; end < 2 && row < 2; end++) {
        part[end].value += wisp_hdg_coarse_weight((int)row, end) * number.value;
        part[end].size += fabs(wisp_hdg_coarse_weight((int)row, end)) * number.size;
      }
    }
    for (size_t end = 0; end < 2; end++)
      wisp_hdg_leave_sum(r, WISP_HDG_CORNER_PARTS, WISP_SLAB(2 * width, edge, end * width + k), part[end]);
  }
  for (size_t i = 0; i < r->numbers[WISP_HDG_BLOCKS]; i++) {
    const double bits = wisp_hdg_half_of(r->before[WISP_HDG_BLOCKS][i]);
    if (i / (WISP_HDG_ROW * n * n * WISP_SLAB_ELEMENTS) * WISP_SLAB_ELEMENTS + i % WISP_SLAB_ELEMENTS < s->free_edges)
      wisp_hdg_leave(r, WISP_HDG_BLOCKS_HALF, i, bits, bits);
  }
}

static void galerkin(const wisp_hdg *s, wisp_test_case *r)
{
  enum { ENDS = WISP_HDG_COARSE_ENDS };
  const wisp_hdg_coarse *c = s->coarse;
  const size_t first = (size_t)wisp_hdg_scalar(r, "out_first");
  for (size_t v = 0; v < c->vertices; v++)
    for (int32_t q = c->cycle->start[first + v]; q < c->cycle->start[first + v + 1]; q++) {
      wisp_hdg_sum sum = {0};
      for (int32_t k = 0; k < ENDS * (c->start[v + 1] - c->start[v]); k++) {
        const size_t touched = (size_t)c->touched[c->start[v] + k / ENDS], end = touched % ENDS, edge = touched / ENDS;
        if (end > 1 || c->ends[edge * ENDS + (size_t)k % ENDS] != c->cycle->column[q]) continue;
        wisp_hdg_add(&sum, r->before[WISP_HDG_CORNER_PARTS][WISP_SLAB(2 * ENDS, edge, end * ENDS + (size_t)k % ENDS)]);
      }
      wisp_hdg_leave_sum(r, WISP_HDG_CYCLE_VALUE, (size_t)q, sum);
    }
}

/* The number of row `row` in column `column`, and 0 where it has none. */
static double number_at(const wisp_cycle *c, const double *values, size_t row, int32_t column)
{
  for (int32_t q = c->start[row]; q < c->start[row + 1]; q++)
    if (c->column[q] == column) return values[q];
  return 0;
}

static void weigh(const wisp_hdg *s, wisp_test_case *r)
{
  const wisp_cycle *c = s->coarse->cycle;
  const size_t left = (size_t)wisp_hdg_scalar(r, "left_first"), out = (size_t)wisp_hdg_scalar(r, "out_first");
  const size_t rows = (size_t)wisp_hdg_scalar(r, "coarse_rows"), weights = (size_t)wisp_hdg_scalar(r, "weights_at");
  const double *before = r->before[WISP_HDG_CYCLE_VALUE];
  for (size_t i = 0; i < rows; i++) {
    double sum = 0;
    for (int32_t q = c->start[left + i]; q < c->start[left + i + 1]; q++) sum += fabs(before[q]);
    wisp_hdg_leave(r, WISP_HDG_COARSE_OVER, weights + i, 1 / sum, 1 / sum);
  }
  for (size_t k = 0; k < rows; k++)
    for (int32_t q = c->start[out + k]; q < c->start[out + k + 1]; q++) {
      const int32_t i = c->column[q];
      if (i < 0 || (size_t)i >= rows) continue;
      const double value = number_at(c, before, left + k, i) * r->after[WISP_HDG_COARSE_OVER][weights + (size_t)i];
      wisp_hdg_leave(r, WISP_HDG_CYCLE_VALUE, (size_t)q, value, fabs(value));
    }
}

/* Column k's term of number (row, column): that of the left matrix is `left`. */
static void add_term(const wisp_cycle *c, const double *values, const wisp_cycle_step *step, size_t row, int32_t column,
                     int32_t k, double left, wisp_hdg_sum *sum)
{
  const size_t at = step->right.first + (size_t)(step->transposed ? column : k);
  const double own = k == (int32_t)row ? step->own : 0;
  const double y =
      (k == column ? step->right_one : 0) +
      step->right_scale * number_at(c, values, at, (int32_t)step->right.shift + (step->transposed ? k : column));
  wisp_hdg_add(sum, (own + left) * y);
  sum->size += k == (int32_t)row ? fabs(own * y) + fabs(left * y) : 0;
}

static wisp_hdg_sum product(const wisp_cycle *c, const double *values, const wisp_cycle_step *step, size_t row,
                            int32_t column)
{
  const size_t at = step->left.first + row;
  wisp_hdg_sum sum = {0};
  bool seen = false;
  for (int32_t q = c->start[at]; step->left_scale != 0 && q < c->start[at + 1]; q++) {
    add_term(c, values, step, row, column, c->column[q], step->left_scale * values[q], &sum);
    seen |= c->column[q] == (int32_t)row;
  }
  if (!seen) add_term(c, values, step, row, column, (int32_t)row, 0, &sum);
  return sum;
}

static void sparse_product(const wisp_hdg *s, wisp_test_case *r)
{
  const wisp_cycle *c = s->coarse->cycle;
  const wisp_cycle_step *step = r->own;
  for (size_t i = 0; i < step->out.rows; i++)
    for (int32_t q = c->start[step->out.first + i]; q < c->start[step->out.first + i + 1]; q++) {
      const int32_t column = c->column[q] - (int32_t)step->out.shift;
      if (column < 0 || column >= (int32_t)step->out.columns) continue;
      const double weight = step->weights_at < 0 ? 1 : r->before[WISP_HDG_COARSE_OVER][(size_t)step->weights_at + i];
      const wisp_hdg_sum sum = product(c, r->before[WISP_HDG_CYCLE_VALUE], step, i, column);
      wisp_hdg_leave(r, WISP_HDG_CYCLE_VALUE, (size_t)q, weight * sum.value, fabs(weight) * sum.size);
    }
}

enum { MOST = WISP_CYCLE_DIRECT };

/* A step of Newton's method, x + x (1 - a x), in long double: LAPACK's rounding errors, which grow with the matrix's
 * condition, would else count as the kernel's. */
static void refine_inverse(int n, const double *a, double *x)
{
  long double rest[MOST * MOST];
  double better[MOST * MOST];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      long double sum = i == j;
      for (int k = 0; k < n; k++) sum -= (long double)a[i * n + k] * x[k * n + j];
      rest[i * n + j] = sum;
    }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      long double sum = x[i * n + j];
      for (int k = 0; k < n; k++) sum += x[i * n + k] * rest[k * n + j];
      better[i * n + j] = (double)sum;
    }
  memcpy(x, better, (size_t)(n * n) * sizeof *x);
}

static wisp_status coarsest(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  const wisp_cycle *c = s->coarse->cycle;
  const wisp_cycle_step *step = r->own;
  const int n = (int)step->out.rows;
  double matrix[MOST * MOST] = {0}, dense[MOST * MOST];
  lapack_int pivot[MOST];
  const wisp_lapack *lapack = NULL;
  CALL(wisp_lapack_load(err, &lapack));
  for (int i = 0; i < n; i++)
    for (int32_t q = c->start[step->left.first + (size_t)i]; q < c->start[step->left.first + (size_t)i + 1]; q++)
      matrix[i * n + c->column[q]] = r->before[WISP_HDG_CYCLE_VALUE][q] * (c->column[q] == i ? 1 + 1e-3 : 1);
  memcpy(dense, matrix, sizeof dense);
  const int info = (int)lapack->dgetrf(LAPACK_ROW_MAJOR, n, n, dense, n, pivot);
  CALL(wisp_require(err, info == 0, WISP_EWRONG, "the coarsest matrix has no inverse (info %d)", info));
  lapack->dgetri(LAPACK_ROW_MAJOR, n, dense, n, pivot);
  refine_inverse(n, matrix, dense);
  for (int i = 0; i < n * n; i++) {
    const size_t at = (size_t)c->start[step->out.first + (size_t)(i / n)] + (size_t)(i % n);
    wisp_hdg_leave(r, WISP_HDG_CYCLE_VALUE, at, dense[i], sqrt(fabs(dense[i / n * (n + 1)] * dense[i % n * (n + 1)])));
  }
  return WISP_OK;
}

/* --- the cycle --- */

static void restrict_trace(const wisp_hdg *s, wisp_test_case *r)
{
  const wisp_hdg_coarse *c = s->coarse;
  for (size_t v = 0; v < c->vertices; v++) {
    wisp_hdg_sum sum = {0};
    for (int32_t q = c->start[v]; q < c->start[v + 1]; q++) {
      const size_t at = (size_t)c->touched[q], ends = WISP_HDG_COARSE_ENDS;
      wisp_hdg_add(&sum, r->before[WISP_HDG_END_PARTS][WISP_SLAB(ends, at / ends, at % ends)]);
    }
    wisp_hdg_leave_sum(r, WISP_HDG_LEVELS, v, sum);
  }
}

/* Spans `from` to the one before `to`, one after the other. */
static wisp_status add_up(wisp_error *err, const wisp_hdg *s, wisp_test_case *r, size_t from, size_t to)
{
  const wisp_cycle *c = s->coarse->cycle;
  const bool narrow = wisp_list_has(r->kernel->reads, "cycle_narrow");
  const double *numbers = r->before[narrow ? WISP_HDG_CYCLE_NARROW : WISP_HDG_CYCLE_VALUE];
  double *levels = r->after[WISP_HDG_LEVELS];
  OWNED(free) double *sizes = NULL;
  CALL(wisp_new(err, c->width, sizeof *sizes, &sizes));
  for (size_t i = 0; i < c->width; i++) sizes[i] = fabs(levels[i]);
  for (size_t i = from; i < to; i++)
    for (size_t row = c->span[i].first; row < c->span[i].first + c->span[i].count; row++) {
      wisp_hdg_sum sum = {0};
      for (int32_t q = c->start[row]; q < c->start[row + 1]; q++) {
        sum.value += numbers[q] * levels[c->column[q]];
        sum.size += fabs(numbers[q]) * sizes[c->column[q]];
      }
      wisp_hdg_leave_sum(r, WISP_HDG_LEVELS, (size_t)c->target[row], sum);
      sizes[c->target[row]] = sum.size;
    }
  return WISP_OK;
}

static void narrow(const wisp_hdg *s, wisp_test_case *r)
{
  (void)s;
  for (size_t q = 0; q < r->numbers[WISP_HDG_CYCLE_NARROW]; q++) {
    const double number = r->before[WISP_HDG_CYCLE_VALUE][q];
    wisp_hdg_leave(r, WISP_HDG_CYCLE_NARROW, q, (float)number, fabs(number));
  }
}

static wisp_status cycle(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  const size_t span = (size_t)wisp_hdg_scalar(r, "span");
  return add_up(err, s, r, span, span + 1);
}

static wisp_status cycles(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  return add_up(err, s, r, (size_t)wisp_hdg_scalar(r, "small_from"), (size_t)wisp_hdg_scalar(r, "small_to"));
}

/* The coarse solution at an edge's vertex, 0 where u is given. */
static double coarse_at(const wisp_hdg *s, const wisp_test_case *r, size_t edge, size_t end)
{
  const int32_t v = s->coarse->ends[edge * WISP_HDG_COARSE_ENDS + end];
  return v < 0 ? 0 : r->before[WISP_HDG_LEVELS][s->coarse->cycle->solution_at + (size_t)v];
}

static wisp_status prolong(wisp_error *err, const wisp_hdg *s, wisp_test_case *r)
{
  enum { ENDS = WISP_HDG_COARSE_ENDS };
  const size_t n = (size_t)s->tables->n, rows = s->free_edges * n;
  const double *before = r->before[wisp_hdg_scalar(r, "first_step") > 0 ? WISP_HDG_D : WISP_HDG_Z];
  OWNED(free) wisp_hdg_sum *t = NULL;
  CALL(wisp_new(err, rows, sizeof *t, &t));
  for (size_t row = 0; row < rows; row++) {
    const size_t line = WISP_SLAB(ENDS * n, row / n, row % n * ENDS);
    wisp_hdg_add(&t[row], r->before[WISP_HDG_T][row]);
    for (size_t k = 0; k < ENDS; k++)
      wisp_hdg_add(&t[row], -r->before[WISP_HDG_LINES][line + k * WISP_SLAB_ELEMENTS] * coarse_at(s, r, row / n, k));
  }
  wisp_hdg_step step = {.t = t, .d = WISP_HDG_D};
  for (size_t row = 0; row < rows; row++) {
    wisp_hdg_sum z = {0};
    wisp_hdg_add(&z, before[row]);
    for (size_t end = 0; end < 2 && row % n < 2; end++)
      wisp_hdg_add(&z, wisp_hdg_coarse_weight((int)(row % n), (int)end) * coarse_at(s, r, row / n, end));
    wisp_hdg_smooth(s, r, &step, row, z, 0);
  }
  wisp_hdg_leave_total(r, WISP_HDG_RZ_SUMS, &step.rz);
  return WISP_OK;
}

const wisp_hdg_kernel_reference wisp_hdg_coarse_references[] = {{"coarsen", .leave = coarsen},
                                                                {"galerkin", .leave = galerkin},
                                                                {"weigh", .leave = weigh},
                                                                {"sparse_product", .leave = sparse_product},
                                                                {"coarsest", .compute = coarsest},
                                                                {"restrict", .leave = restrict_trace},
                                                                {"cycle", .compute = cycle},
                                                                {"cycles", .compute = cycles},
                                                                {"prolong", .compute = prolong},
                                                                {"narrow", .leave = narrow},
                                                                {"narrow_cycle", .compute = cycle},
                                                                {"narrow_cycles", .compute = cycles},
                                                                {.kernel = NULL}};
