/* Memory that a problem needs, before it is taken; and the set-up's launches, of all elements or batch by batch. */
#include "helmholtz_solver.h"

#include <string.h>

double wisp_helmholtz_bytes(const wisp_helmholtz_method *method, int order, double elements, double edges)
{
  const double n = order + 1, m = 3 * n, Np = n * (n + 1) / 2, Ns = (n + 1) * (n + 2) / 2, row = WISP_HDG_ROW * n * n;
  const double number = method->precision, single = sizeof(float), integer = sizeof(int32_t);
  const bool levels = method->preconditioner == WISP_TRACE_LEVELS;
  const double of_element =
      number * (m * (m + 1) / 2 + m + 4 * Np + Ns + 5 + (method->matrix >= WISP_TRACE_SYMMETRIC ? m : 0)) + integer * 6;
  const double of_edge = number * (row + n * (levels ? 9 : 7)) + single * (n * (n + 1) / 2 + n) +
                         (levels ? sizeof(uint16_t) * row : 0) + integer * 6;
  return elements * of_element + edges * of_edge;
}

static double memory_of(const wisp_limits *limits)
{
  const bool on_host = !limits->gpu; /* where the mesh lies as well, and other programs run */
  return (on_host ? 0.8 : 1) * (double)limits->memory;
}

/* Loads and fields in double, on the host. */
static double beside_of(const wisp_limits *limits, int order, double elements)
{
  const double n = order + 1;
  return !limits->gpu ? 8 * elements * (4 * n * (n + 1) / 2 + 20) : 0;
}

void wisp_helmholtz_resolve_matrix(const wisp_limits *limits, int order, double elements, wisp_helmholtz_method *method)
{
  static const double EDGES = 1.51; /* an element's, and some on the boundary */
  wisp_helmholtz_method symmetric = *method;
  if (method->matrix != WISP_TRACE_EITHER) return;
  symmetric.matrix = WISP_TRACE_SYMMETRIC;
  const double bytes = wisp_helmholtz_bytes(&symmetric, order, elements, EDGES * elements);
  if (bytes + beside_of(limits, order, elements) > memory_of(limits)) method->matrix = WISP_TRACE_ROWS;
}

wisp_status wisp_helmholtz_check_memory(wisp_error *err, const wisp_limits *limits, const wisp_helmholtz_method *method,
                                        int order, double elements, double edges)
{
  static const double GB = 1e9;
  const double n = order + 1, memory = memory_of(limits), numbers = WISP_HDG_ROW * n * n * edges;
  wisp_helmholtz_method symmetric = *method, single = *method;
  symmetric.matrix = WISP_TRACE_SYMMETRIC, symmetric.preconditioner = WISP_TRACE_BLOCKS, single.precision = WISP_F32;
  CALL(wisp_require(err, numbers < INT32_MAX, WISP_EUSAGE,
                    "%.0f triangles of order %d have %.3g numbers in the matrix, more than kernels can count (2.1e9): "
                    "take fewer elements or a lower order",
                    elements, order, numbers));
  const double beside = beside_of(limits, order, elements);
  const double bytes = wisp_helmholtz_bytes(method, order, elements, edges) + beside;
  return wisp_require(
      err, bytes <= memory, WISP_EMEMORY,
      "%.0f triangles of order %d need %.2f GB, %s has %.2f GB for them: the matrix by halves would need %.2f GB, "
      "f32 %.2f GB: take one of these, fewer elements or a lower order",
      elements, order, bytes / GB, limits->name, memory / GB,
      (wisp_helmholtz_bytes(&symmetric, order, elements, edges) + beside) / GB,
      (wisp_helmholtz_bytes(&single, order, elements, edges) + beside) / GB);
}

size_t wisp_helmholtz_batch(const wisp_helmholtz_method *method, const wisp_limits *limits, int order, size_t elements,
                            size_t edges)
{
  const double n = order + 1, m = 3 * n, Np = n * (n + 1) / 2;
  const double inside = (double)method->precision * (Np * (Np + 1) + 2 * Np * m); /* S, R, Z and U */
  const double left =
      0.8 * (double)limits->memory - wisp_helmholtz_bytes(method, order, (double)elements, (double)edges);
  const double fit = method->batch ? (double)method->batch : left / inside;
  if (fit >= (double)elements) return elements;
  return fit < (double)WISP_SLAB_ELEMENTS ? WISP_SLAB_ELEMENTS : (size_t)fit / WISP_SLAB_ELEMENTS * WISP_SLAB_ELEMENTS;
}

/* --- launches of the set-up --- */

/* Those that make matrices inside, in their order; what comes behind them has all elements. */
static const char *const batched[] = {"build_inside", "invert_inside", "multiply_inside"};

static bool is_batched(const wisp_stage *stage, const wisp_kernel *kernel)
{
  for (size_t i = 0; i < WISP_COUNT(batched); i++)
    if (wisp_stage_kernel(stage, batched[i]) == kernel) return true;
  return false;
}

/* Launches for the elements of one batch, on their own parts of all arrays. */
static wisp_status add_batch(wisp_error *err, const wisp_stage *stage, const wisp_problem *problem, size_t elements,
                             size_t first, size_t count, wisp_launches *to)
{
  enum { BY_SLOT = 4, PARTS = 6 };
  static const char *const parts[PARTS] = {"corners", "tau", "load", "element_data", "kappa", "lambda"};
  const wisp_arrays *arrays = problem->arrays;
  wisp_binding bindings[PARTS + 1] = {[PARTS] = {"elements", 0, (double)count}};
  for (size_t i = 0; i < PARTS; i++) {
    const size_t bytes = wisp_arrays_bytes_of(arrays, parts[i]) / (i < BY_SLOT ? WISP_SLAB_SLOTS(elements) : elements);
    bindings[i] = (wisp_binding){parts[i], wisp_arrays_at(arrays, parts[i]) + first * bytes, 0};
  }
  for (size_t i = 0; i < WISP_COUNT(batched); i++) {
    const wisp_kernel *kernel = wisp_stage_kernel(stage, batched[i]);
    if (kernel) CALL(wisp_launches_add(err, to, kernel, bindings, WISP_COUNT(bindings)));
  }
  return WISP_OK;
}

wisp_status wisp_helmholtz_list_setup(wisp_error *err, const wisp_stage *stage, const wisp_problem *problem,
                                      size_t elements, size_t batch, wisp_launches *to)
{
  const bool in_batches = wisp_stage_kernel(stage, batched[0]) != NULL;
  for (size_t first = 0; in_batches && first < elements; first += batch) {
    const size_t count = elements - first < batch ? elements - first : batch;
    CALL(add_batch(err, stage, problem, elements, first, count, to));
  }
  for (int k = 0; k < stage->kernels; k++)
    if (!is_batched(stage, stage->kernel[k])) CALL(wisp_launches_add(err, to, stage->kernel[k], NULL, 0));
  return WISP_OK;
}
