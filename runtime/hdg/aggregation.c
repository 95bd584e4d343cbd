#include "aggregation.h"
#include "../../gen/family.h"

/* ---- In a problem that has the cycle's arrays. */

/* Numbers of all spans, some of which a cycle takes twice. */
static size_t count_span_numbers(const wisp_cycle *c)
{
  size_t rows = 0;
  for (size_t i = 0; i < c->spans; i++)
    if (c->span[i].first + c->span[i].count > rows) rows = c->span[i].first + c->span[i].count;
  return (size_t)c->start[rows];
}

size_t wisp_cycle_counts(const wisp_cycle *c, wisp_count counts[WISP_CYCLE_COUNTS])
{
  const wisp_count all[WISP_CYCLE_COUNTS] = {{"cycle_rows", c->rows},     {"cycle_numbers", c->numbers},
                                             {"level_numbers", c->width}, {"coarse_from", c->solution_at},
                                             {"span_count", c->spans},    {"span_numbers", count_span_numbers(c)}};
  for (size_t i = 0; i < WISP_CYCLE_COUNTS; i++) counts[i] = all[i];
  return WISP_CYCLE_COUNTS;
}

wisp_status wisp_cycle_upload_lists(wisp_error *err, const wisp_cycle *c, wisp_arrays *arrays)
{
  const struct {
    const char *array;
    const int32_t *from;
  } lists[] = {{"cycle_start", c->start}, {"cycle_column", c->column}, {"cycle_target", c->target}};
  int spans[2 * WISP_CYCLE_SPANS];
  for (size_t i = 0; i < WISP_COUNT(lists); i++)
    if (wisp_arrays_size(arrays, lists[i].array))
      CALL(wisp_arrays_upload_ints(err, arrays, lists[i].array, lists[i].from));
  for (size_t i = 0; i < c->spans; i++) spans[2 * i] = (int)c->span[i].first, spans[2 * i + 1] = (int)c->span[i].count;
  return wisp_arrays_size(arrays, "cycle_spans") ? wisp_arrays_upload_ints(err, arrays, "cycle_spans", spans) : WISP_OK;
}

wisp_status wisp_cycle_upload_aggregates(wisp_error *err, const wisp_cycle *c, wisp_arrays *arrays)
{
  for (const wisp_cycle_matrix *T = c->aggregates; T < c->aggregates + c->coarsenings; T++) {
    const size_t first = (size_t)c->start[T->first], count = (size_t)c->start[T->first + T->rows] - first;
    OWNED(free) double *ones = NULL;
    CALL(wisp_new(err, count, sizeof *ones, &ones));
    for (size_t i = 0; i < count; i++) ones[i] = 1;
    CALL(wisp_arrays_upload_part(err, arrays, "cycle_value", first, count, ones));
  }
  return WISP_OK;
}

/* A kernel that the stage lacks adds nothing. */
static wisp_status add(wisp_error *err, const wisp_stage *stage, const char *kernel, wisp_problem *problem,
                       const wisp_binding *bindings, size_t count, wisp_launches *to)
{
  const wisp_kernel *found = wisp_stage_kernel(stage, kernel);
  return found ? wisp_launches_add_on(err, to, problem, found, bindings, count) : WISP_OK;
}

wisp_status wisp_cycle_add_numbers(wisp_error *err, const wisp_cycle *c, const wisp_stage *stage, wisp_problem *problem,
                                   wisp_launches *to)
{
  static const char *const kernels[WISP_CYCLE_HOWS] = {"weigh", "sparse_product", "coarsest"};
  for (const wisp_cycle_step *step = c->step; step < c->step + c->steps; step++) {
    wisp_binding bindings[WISP_CYCLE_BINDINGS];
    const size_t count = wisp_cycle_bindings(step, bindings);
    CALL(add(err, stage, kernels[step->how], problem, bindings, count, to));
  }
  return add(err, stage, "narrow", problem, NULL, 0, to);
}

/* Spans of few rows together, others a launch each. */
wisp_status wisp_cycle_add_spans(wisp_error *err, const wisp_cycle *c, const wisp_stage *stage, wisp_problem *problem,
                                 wisp_launches *to)
{
  for (size_t from = 0; from < c->spans;) {
    const size_t behind = wisp_cycle_small(c, from);
    const wisp_binding large[] = {{"cycle_rows", 0, (double)c->span[from].count}, {"span", 0, (double)from}};
    const wisp_binding small[] = {{"small_from", 0, (double)from}, {"small_to", 0, (double)behind}};
    for (size_t i = 0; i < 2; i++) /* the stage has one of the two */
      if (behind > from)
        CALL(add(err, stage, i ? "narrow_cycles" : "cycles", problem, small, WISP_COUNT(small), to));
      else
        CALL(add(err, stage, i ? "narrow_cycle" : "cycle", problem, large, WISP_COUNT(large), to));
    from = behind > from ? behind : from + 1;
  }
  return WISP_OK;
}

/* ---- A problem of its own. */

wisp_choose_request wisp_aggregation_request(wisp_precision precision)
{
  return (wisp_choose_request){.spec = wisp_family_spec(wisp_family_find("hdg"), 1, NULL, precision),
                               .composition = "weigh+sparse_product+coarsest+cycle+cycles"};
}

static wisp_status fill_lists(wisp_error *err, const void *cycle, wisp_arrays *arrays)
{
  return wisp_cycle_upload_lists(err, cycle, arrays);
}

wisp_status wisp_aggregation_create(wisp_error *err, wisp_device *device, wisp_stage *stage, wisp_precision precision,
                                    wisp_sparse *A, const double *values, bool smoothed, wisp_aggregation **out)
{
  OWNED(wisp_aggregation_destroy) wisp_aggregation *a = NULL;
  CALL(wisp_new(err, 1, sizeof *a, &a));
  CALL(wisp_cycle_create(err, A, values, WISP_CYCLE_DIRECT, smoothed, &a->cycle));
  CALL(wisp_stage_load(err, device, stage));
  wisp_discretisation d = {.family = wisp_family_find("hdg"), .self = a->cycle, .fill = fill_lists};
  wisp_cycle_counts(a->cycle, d.counts);
  CALL(wisp_problem_open(err, device, &d, precision, WISP_NARROW_GUARD, wisp_stage_wants, stage, &a->problem));
  CALL(wisp_cycle_upload_aggregates(err, a->cycle, a->problem->arrays));
  CALL(wisp_cycle_add_numbers(err, a->cycle, stage, a->problem, &a->numbers));
  a->stage = stage;
  return GIVE(a, out);
}

void wisp_aggregation_destroy(wisp_aggregation *a)
{
  if (!a) return;
  wisp_launches_free(&a->numbers);
  wisp_problem_destroy(a->problem);
  wisp_cycle_destroy(a->cycle);
  free(a);
}

wisp_status wisp_aggregation_set(wisp_error *err, wisp_aggregation *a, const double *values)
{
  const wisp_cycle_matrix *A = &a->cycle->A;
  const size_t first = (size_t)a->cycle->start[A->first], count = (size_t)a->cycle->start[A->first + A->rows] - first;
  CALL(wisp_arrays_upload_part(err, a->problem->arrays, "cycle_value", first, count, values));
  return wisp_launches_run(err, &a->numbers, a->problem);
}

wisp_status wisp_aggregation_add(wisp_error *err, const wisp_aggregation *a, wisp_launches *to)
{
  return wisp_cycle_add_spans(err, a->cycle, a->stage, a->problem, to);
}

wisp_pointer wisp_aggregation_b(const wisp_aggregation *a)
{
  return wisp_arrays_at(a->problem->arrays, "levels");
}

wisp_pointer wisp_aggregation_x(const wisp_aggregation *a)
{
  const size_t bytes =
      wisp_arrays_bytes_of(a->problem->arrays, "levels") / wisp_arrays_size(a->problem->arrays, "levels");
  return wisp_aggregation_b(a) + a->cycle->solution_at * bytes;
}
