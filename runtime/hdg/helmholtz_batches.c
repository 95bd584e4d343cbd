/* The set-up's launches: all elements at once, or as many at a time as their matrices have room for. */
#include "helmholtz_solver.h"

/* Those that make matrices inside, in their order; what comes behind them has all elements. */
static const char *const batched[] = {"build_inside", "invert_inside", "multiply_inside"};

static bool is_batched(const wisp_stage *stage, const wisp_kernel *kernel)
{
  for (size_t i = 0; i < WISP_COUNT(batched); i++)
    if (wisp_stage_kernel(stage, batched[i]) == kernel) return true;
  return false;
}

/* What elements have each, from the first one of a batch on. */
static wisp_status add_batch(wisp_error *err, const wisp_stage *stage, const wisp_problem *problem, size_t elements,
                             size_t first, size_t count, wisp_launches *to)
{
  static const char *const by_slot[] = {"corners", "tau", "load", "element_data"};
  static const char *const by_element[] = {"kappa", "lambda"};
  const wisp_arrays *arrays = problem->arrays;
  wisp_binding bindings[WISP_COUNT(by_slot) + WISP_COUNT(by_element) + 1] = {{"elements", 0, (double)count}};
  size_t used = 1;
  for (size_t i = 0; i < WISP_COUNT(by_slot); i++) {
    const size_t bytes = wisp_arrays_bytes_of(arrays, by_slot[i]) / WISP_SLAB_SLOTS(elements);
    bindings[used++] = (wisp_binding){by_slot[i], wisp_arrays_at(arrays, by_slot[i]) + first * bytes, 0};
  }
  for (size_t i = 0; i < WISP_COUNT(by_element); i++) {
    const size_t bytes = wisp_arrays_bytes_of(arrays, by_element[i]) / elements;
    bindings[used++] = (wisp_binding){by_element[i], wisp_arrays_at(arrays, by_element[i]) + first * bytes, 0};
  }
  for (size_t i = 0; i < WISP_COUNT(batched); i++) {
    const wisp_kernel *kernel = wisp_stage_kernel(stage, batched[i]);
    if (kernel) CALL(wisp_launches_add(err, to, kernel, bindings, used));
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
