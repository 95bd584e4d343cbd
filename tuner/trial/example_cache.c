#include "example_cache.h"
#include "examples.h"

#include <stdlib.h>

void wisp_example_cache_clear(wisp_example_cache *cache)
{
  for (int i = 0; i < cache->count; i++) wisp_kept_free(cache->list[i].before);
  free(cache->list);
  *cache = (wisp_example_cache){.count = 0};
}

static wisp_status make_example(wisp_error *err, wisp_problem *problem, const wisp_test_case *test_case, bool of_all,
                                wisp_kept **kept)
{
  wisp_arrays *arrays = problem->arrays;
  const char *names[WISP_MAX_ARRAYS + 1] = {NULL};
  size_t a = 0, count = 0;
  if (of_all) CALL(wisp_problem_refill(err, problem));
  for (const wisp_array_decl *array = problem->d.family->arrays; array->name; array++, a++) {
    if (!wisp_arrays_size(arrays, array->name) || !test_case->before[a] != of_all) continue;
    names[count++] = array->name;
    if (!of_all)
      CALL(wisp_example_put(err, problem, array, test_case->before[a]));
    else if (!wisp_numbers[array->type].integer &&
             !(array->kind == WISP_FIXED && wisp_list_has(test_case->kernel->reads, array->name)))
      CALL(wisp_arrays_fill(err, arrays, array->name, 0xff));
  }
  return wisp_arrays_keep(err, arrays, names, kept);
}

static bool same(const wisp_example *a, const wisp_example *b)
{
  return a->number == b->number && a->seed == b->seed && wisp_setting_same(&a->of, &b->of);
}

/* Makes room for one more: the oldest go. */
static void free_oldest(wisp_example_cache *cache)
{
  while (cache->count >= WISP_MOST_EXAMPLES ||
         (cache->count >= WISP_FEWEST_EXAMPLES && cache->bytes > WISP_EXAMPLE_BYTES)) {
    wisp_example *oldest = cache->list;
    for (wisp_example *e = cache->list; e < cache->list + cache->count; e++)
      if (e->used < oldest->used) oldest = e;
    cache->bytes -= wisp_kept_bytes(oldest->before);
    wisp_kept_free(oldest->before);
    *oldest = cache->list[--cache->count];
  }
}

wisp_status wisp_example_find(wisp_error *err, wisp_example_cache *cache, const wisp_plan *plan, wisp_problem *problem,
                              const wisp_test_case *test_case, bool of_all, const wisp_kept **out)
{
  wisp_example key = {.of = wisp_setting_of(plan),
                      .number = of_all ? -1 : test_case->number,
                      .seed = of_all ? 0 : test_case->seed,
                      .used = ++cache->clock};
  if (!cache->list) CALL(wisp_new(err, WISP_MOST_EXAMPLES, sizeof *cache->list, &cache->list));
  for (wisp_example *e = cache->list; e < cache->list + cache->count; e++)
    if (same(e, &key)) {
      e->used = key.used;
      *out = e->before;
      return WISP_OK;
    }
  free_oldest(cache);
  const wisp_status status = make_example(err, problem, test_case, of_all, &key.before);
  if (status != WISP_OK) wisp_kept_free(key.before);
  CALL(status);
  cache->bytes += wisp_kept_bytes(key.before);
  cache->list[cache->count++] = key;
  *out = key.before;
  return WISP_OK;
}
