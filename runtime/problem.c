#include "problem.h"
#include "parallel.h"

/* --- discretisations --- */

void wisp_discretisation_destroy(wisp_discretisation *d)
{
  if (d->destroy && d->self) d->destroy(d->self);
  *d = (wisp_discretisation){.self = NULL};
}

size_t wisp_discretisation_count(const wisp_discretisation *d, const char *count)
{
  for (const wisp_count *c = d->counts; c->name; c++)
    if (strcmp(c->name, count) == 0) return c->value;
  return 0;
}

bool wisp_discretisation_size(const wisp_discretisation *d, const wisp_array_decl *array, size_t *size)
{
  wisp_status status = WISP_OK;
  OWNED(wisp_env_destroy) wisp_env *counts = NULL;
  int64_t value = 0;
  TRY(wisp_env_create(NULL, NULL, &counts));
  const bool longer = d->ghosts.count && wisp_list_has(d->ghosts.arrays, array->name);
  for (const wisp_count *c = d->counts; c->name; c++) {
    const size_t more = longer && strcmp(c->name, d->ghosts.of) == 0 ? d->ghosts.count : 0;
    TRY(wisp_env_int(NULL, counts, c->name, (int64_t)(c->value + more)));
  }
  TRY(wisp_eval_int(NULL, array->size, counts, &value));
  *size = (size_t)value;
done:
  return status == WISP_OK;
}

void wisp_discretisation_place(const wisp_discretisation *d, const wisp_array_decl *array, size_t i,
                               char text[WISP_PLACE_TEXT])
{
  if (d->place)
    d->place(d->self, array, i, text);
  else
    snprintf(text, WISP_PLACE_TEXT, "number %zu", i);
}

/* --- arrays --- */

typedef struct listing {
  wisp_array list[WISP_MAX_ARRAYS];
  size_t count;
  char what[64];
} listing;

static wisp_status list_arrays(wisp_error *err, const wisp_discretisation *d, wisp_array_filter wanted,
                               const void *context, listing *out)
{
  const char *wide = d->family->wide;
  size_t size = 0;
  out->count = 0;
  for (const wisp_array_decl *a = d->family->arrays; a->name; a++) {
    if ((wanted && !wanted(context, a->name)) || !wisp_discretisation_size(d, a, &size)) continue;
    CALL(wisp_require(err, out->count < WISP_MAX_ARRAYS, WISP_EUSAGE, "family %s has more than %d arrays",
                      d->family->name, WISP_MAX_ARRAYS));
    out->list[out->count++] = (wisp_array){a->name, a->type, size, wide && wisp_list_has(wide, a->name)};
  }
  snprintf(out->what, sizeof out->what, "a problem of %zu elements", wisp_discretisation_count(d, "elements"));
  return WISP_OK;
}

wisp_status wisp_problem_fits(wisp_error *err, const wisp_limits *limits, const wisp_discretisation *d,
                              wisp_precision precision, size_t guard, wisp_array_filter wanted, const void *context,
                              double beside)
{
  listing arrays;
  CALL(list_arrays(err, d, wanted, context, &arrays));
  return wisp_arrays_fit(err, limits, precision, arrays.what, guard, arrays.list, arrays.count, beside);
}

wisp_status wisp_problem_refill(wisp_error *err, wisp_problem *p)
{
  return p->d.fill ? p->d.fill(err, p->d.self, p->arrays) : WISP_OK;
}

wisp_status wisp_problem_open(wisp_error *err, wisp_device *device, wisp_discretisation *d, wisp_precision precision,
                              size_t guard, wisp_array_filter wanted, const void *context, wisp_problem **out)
{
  OWNED(wisp_discretisation_destroy) wisp_discretisation *taken = d;
  OWNED(wisp_problem_destroy) wisp_problem *p = NULL;
  listing arrays;
  CALL(wisp_new(err, 1, sizeof *p, &p));
  p->device = device;
  CALL(GIVE(*taken, &p->d));
  CALL(list_arrays(err, &p->d, wanted, context, &arrays));
  CALL(wisp_arrays_create(err, device, precision, arrays.what, guard, arrays.list, arrays.count, &p->arrays));
  CALL(wisp_problem_refill(err, p));
  return GIVE(p, out);
}

void wisp_problem_destroy(wisp_problem *p)
{
  if (!p) return;
  for (int i = 0; i < WISP_MAX_ARRAYS; i++) {
    if (p->owners[i].mask) wisp_device_free(p->device, p->owners[i].mask);
    free(p->owners[i].origins);
  }
  wisp_arrays_destroy(p->arrays);
  wisp_discretisation_destroy(&p->d);
  free(p);
}

/* --- whose numbers are --- */

/* The origin of each number of an array, or whether it is somebody's. */
typedef struct tracing {
  const wisp_discretisation *d;
  const wisp_array_decl *array;
  size_t *origins;     /* with a mask: NULL, or those that are known */
  unsigned char *mask; /* NULL: origins are made */
} tracing;

static void trace(void *context, size_t from, size_t to)
{
  const tracing *t = context;
  for (size_t i = from; i < to; i++) {
    if (!t->mask)
      t->origins[i] = t->d->origin ? t->d->origin(t->d->self, t->array, i) : i;
    else
      t->mask[i] = (t->origins ? t->origins[i] : t->d->origin(t->d->self, t->array, i)) != WISP_NOBODY;
  }
}

static struct wisp_owners *owners_of(wisp_problem *p, const wisp_array_decl *array)
{
  struct wisp_owners *o = p->owners;
  while (o->size && strcmp(o->size, array->size) != 0) o++;
  o->size = array->size;
  return o;
}

wisp_status wisp_problem_mask(wisp_error *err, wisp_problem *p, const char *array, wisp_pointer *mask)
{
  const wisp_array_decl *decl = wisp_family_array(p->d.family, array);
  const size_t size = wisp_arrays_size(p->arrays, array);
  *mask = 0;
  if (!p->d.origin || !decl || !size) return WISP_OK;
  struct wisp_owners *o = owners_of(p, decl);
  if (!o->masked) {
    OWNED(free) unsigned char *bytes = NULL;
    CALL(wisp_new(err, size, 1, &bytes));
    wisp_parallel_numbers(size, trace, &(tracing){&p->d, decl, o->origins, bytes});
    if (memchr(bytes, 0, size)) {
      CALL(wisp_device_alloc(err, p->device, size, &o->mask));
      CALL(wisp_device_upload(err, p->device, o->mask, bytes, size));
    }
  }
  o->masked = true;
  *mask = o->mask;
  return WISP_OK;
}

wisp_status wisp_problem_origins(wisp_error *err, wisp_problem *p, const wisp_array_decl *array, const size_t **origins)
{
  struct wisp_owners *o = owners_of(p, array);
  const size_t size = wisp_arrays_size(p->arrays, array->name);
  if (!o->origins) {
    CALL(wisp_new(err, size, sizeof *o->origins, &o->origins));
    wisp_parallel_numbers(size, trace, &(tracing){&p->d, array, o->origins, NULL});
  }
  *origins = o->origins;
  return WISP_OK;
}

/* --- launches --- */

enum { MOST_BINDINGS = 32 };

static wisp_status check_bindings(wisp_error *err, size_t count)
{
  return wisp_require(err, count <= MOST_BINDINGS, WISP_EUSAGE, "%zu bindings, must be at most %d", count,
                      MOST_BINDINGS);
}

/* The first binding of a name counts: a span's come before those of the whole. */
static wisp_status launch_on(wisp_error *err, wisp_problem *p, const wisp_kernel *kernel, const char *of,
                             wisp_span span, const wisp_binding *bindings, size_t count)
{
  wisp_binding all[MOST_BINDINGS + WISP_MAX_COUNTS + 2];
  size_t n = 0;
  CALL(check_bindings(err, count));
  all[n++] = (wisp_binding){"first", 0, (double)span.first};
  if (of) all[n++] = (wisp_binding){of, 0, (double)span.count};
  for (size_t i = 0; i < count; i++) all[n++] = bindings[i];
  for (const wisp_count *c = p->d.counts; c->name; c++) all[n++] = (wisp_binding){c->name, 0, (double)c->value};
  return wisp_arrays_launch(err, p->arrays, kernel, all, n);
}

static wisp_status show_launch(wisp_error *err, wisp_problem *p, const wisp_kernel *kernel,
                               const wisp_binding *bindings, size_t count)
{
  const wisp_launch_watch *watch = p->watch;
  p->watch = NULL;
  const wisp_status status = watch->launch(err, watch->context, p, kernel, bindings, count);
  p->watch = watch;
  return status;
}

wisp_status wisp_problem_run(wisp_error *err, wisp_problem *p, const wisp_kernel *kernel, const wisp_binding *bindings,
                             size_t count)
{
  if (p->watch) return show_launch(err, p, kernel, bindings, count);
  if (p->d.ghosts.of && !wisp_discretisation_count(&p->d, p->d.ghosts.of)) return WISP_OK; /* an empty domain */
  const wisp_spec *spec = &kernel->plan->spec;
  const wisp_kernel_decl *decl = wisp_family_kernel(wisp_family_find(spec->family), spec->kernel);
  const wisp_cut *cut = p->d.cuts;
  if (!decl || !decl->launches) return launch_on(err, p, kernel, NULL, (wisp_span){0, 0}, bindings, count);
  while (cut->name && strcmp(cut->name, decl->launches) != 0) cut++;
  CALL(wisp_require(err, cut->name, WISP_EUSAGE, "kernel %s is launched by %s, and the discretisation has none",
                    spec->kernel, decl->launches));
  for (size_t i = 0; i < cut->spans; i++)
    if (cut->span[i].count) CALL(launch_on(err, p, kernel, cut->of, cut->span[i], bindings, count));
  return WISP_OK;
}

struct wisp_launch {
  wisp_problem *problem; /* NULL: the one that all are run on */
  const wisp_kernel *kernel;
  size_t count;
  wisp_binding binding[MOST_BINDINGS];
};

wisp_status wisp_launches_add_on(wisp_error *err, wisp_launches *launches, wisp_problem *problem,
                                 const wisp_kernel *kernel, const wisp_binding *bindings, size_t count)
{
  struct wisp_launch *list = NULL;
  CALL(check_bindings(err, count));
  list = realloc(launches->list, (launches->count + 1) * sizeof *list);
  CALL(wisp_require(err, list, WISP_EMEMORY, "out of memory: %zu launches", launches->count));
  launches->list = list;
  list += launches->count++;
  *list = (struct wisp_launch){.problem = problem, .kernel = kernel, .count = count};
  for (size_t i = 0; i < count; i++) list->binding[i] = bindings[i];
  return WISP_OK;
}

wisp_status wisp_launches_add(wisp_error *err, wisp_launches *launches, const wisp_kernel *kernel,
                              const wisp_binding *bindings, size_t count)
{
  return wisp_launches_add_on(err, launches, NULL, kernel, bindings, count);
}

wisp_status wisp_launches_append(wisp_error *err, wisp_launches *launches, const wisp_launches *others)
{
  for (const struct wisp_launch *l = others->list; l < others->list + others->count; l++)
    CALL(wisp_launches_add_on(err, launches, l->problem, l->kernel, l->binding, l->count));
  return WISP_OK;
}

wisp_status wisp_launches_run(wisp_error *err, const wisp_launches *launches, wisp_problem *problem)
{
  for (const struct wisp_launch *l = launches->list; l < launches->list + launches->count; l++)
    CALL(wisp_problem_run(err, l->problem ? l->problem : problem, l->kernel, l->binding, l->count));
  return WISP_OK;
}

void wisp_launches_free(wisp_launches *launches)
{
  free(launches->list);
  *launches = (wisp_launches){.count = 0};
}
