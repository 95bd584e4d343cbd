/* The assembly's discretisation: the list of kinds of lists, the counts and arrays that kernels see of them, and whose
 * each number is. */
#include "list_kind.h"
#include "lists.h"
#include "partition.h"
#include "../solve/cg.h"

#include <stdio.h>

#define KINDS(EACH) \
  EACH(slices)      \
  EACH(entity_rows) EACH(gathered_products) EACH(colouring) EACH(column_blocks) EACH(partition) EACH(packed_lists)
#define DECLARE(name) extern const wisp_list_kind wisp_list_##name;
#define ADDRESS(name) &wisp_list_##name,
KINDS(DECLARE)
static const wisp_list_kind *const kinds[] = {KINDS(ADDRESS)};
enum { COUNT = WISP_COUNT(kinds) };
_Static_assert((int)COUNT <= (int)WISP_MOST_LISTS, "an assembly has room for a list of each kind");

const wisp_index_list *wisp_assembly_list(const wisp_assembly *view, const char *param)
{
  for (size_t k = 0; k < COUNT; k++)
    if (strcmp(kinds[k]->param, param) == 0 && view->list[k].count->name) return &view->list[k];
  return NULL;
}

wisp_status wisp_assembly_check_lists(wisp_error *err, const wisp_assembly *view, const wisp_plan *plan)
{
  for (size_t k = 0; k < COUNT; k++) {
    const int value = wisp_plan_value(plan, kinds[k]->param, 0);
    if (value && view->list[k].count->name && kinds[k]->check) CALL(kinds[k]->check(err, view, &view->list[k], value));
  }
  return WISP_OK;
}

/* Of a number of whole matrices, or of a load behind them, the one that upper halves have. */
static size_t halved(const wisp_assembly *s, size_t i)
{
  const size_t Np = (size_t)s->nodes->Np, half = wisp_assembly_half(s), width = wisp_assembly_width(s);
  const size_t slab = i / (width * WISP_SLAB_ELEMENTS), number = i / WISP_SLAB_ELEMENTS % width;
  const size_t e = slab * WISP_SLAB_ELEMENTS + i % WISP_SLAB_ELEMENTS;
  return WISP_SLAB(half + Np, e,
                   number < Np * Np ? wisp_assembly_number(s, (int)(number / Np), (int)(number % Np), false)
                                    : half + number - Np * Np);
}

/* Of values in slices, the nonzero; of whole matrices, the upper halves' number; the rest is where it is. */
static size_t origin(const void *self, const wisp_array_decl *array, size_t i)
{
  const wisp_assembly *s = self;
  if (s->slices && strcmp(array->name, "values") == 0) return wisp_slices_nonzero(s->slices, s->pattern, i);
  return s->full && strcmp(array->name, "element_data") == 0 ? halved(s, i) : i;
}

/* Of a number of element_data, or of a matrix. */
static void place(const void *self, const wisp_array_decl *array, size_t i, char text[WISP_PLACE_TEXT])
{
  const wisp_assembly *s = self;
  const wisp_pattern *p = s->pattern;
  const size_t width = wisp_assembly_width(s), in_slab = i % (width * WISP_SLAB_ELEMENTS);
  size_t row = 0;
  while (row + 1 < p->rows && (size_t)p->start[row + 1] <= i) row++;
  if (strcmp(array->name, "values") == 0 && s->slices)
    snprintf(text, WISP_PLACE_TEXT, "place %zu of the slices, column %d", i, s->slices->column[i]);
  else if (strcmp(array->name, "values") == 0)
    snprintf(text, WISP_PLACE_TEXT, "row %zu, column %d", row, p->column[i]);
  else if (strcmp(array->name, "element_data") == 0)
    snprintf(text, WISP_PLACE_TEXT, "element %zu, number %zu",
             i / (width * WISP_SLAB_ELEMENTS) * WISP_SLAB_ELEMENTS + in_slab % WISP_SLAB_ELEMENTS,
             in_slab / WISP_SLAB_ELEMENTS);
  else
    snprintf(text, WISP_PLACE_TEXT, "row %zu", i);
}

/* The view of an assembly that a discretisation has: its own form and lists. */
static void destroy_view(void *self)
{
  wisp_assembly *view = self;
  for (size_t k = 0; k < COUNT; k++)
    for (size_t i = 0; view->list[k].array[i].name && !view->list[k].borrowed; i++)
      free(view->list[k].array[i].ints), free(view->list[k].array[i].bytes);
  wisp_slices_destroy(view->slices);
  wisp_partition_destroy(view->partition);
  wisp_form_destroy(view->form);
  free(view);
}
WISP_OWNED(wisp_assembly, destroy_view)

/* A discretisation's fill: those of the arrays that are there. */
static wisp_status fill(wisp_error *err, const void *self, wisp_arrays *arrays)
{
  const wisp_assembly *view = self;
  CALL(wisp_assembly_upload(err, view, arrays));
  for (size_t k = 0; k < COUNT; k++) {
    const wisp_index_list *list = &view->list[k];
    for (size_t i = 0; list->array[i].name; i++) {
      const char *name = list->array[i].name;
      if (!wisp_arrays_size(arrays, name)) continue;
      CALL(list->array[i].ints ? wisp_arrays_upload_ints(err, arrays, name, list->array[i].ints)
                               : wisp_arrays_upload_bytes(err, arrays, name, list->array[i].bytes));
    }
  }
  return WISP_OK;
}

/* Appends counts, up to one without a name. */
static wisp_status add_counts(wisp_error *err, wisp_discretisation *d, const wisp_count *more)
{
  size_t count = 0;
  while (d->counts[count].name) count++;
  for (; more->name; more++) {
    CALL(wisp_require(err, count + 1 < WISP_MAX_COUNTS, WISP_EUSAGE, "assembly: more than %d counts", WISP_MAX_COUNTS));
    d->counts[count++] = *more;
  }
  return WISP_OK;
}

static wisp_discretisation describe(const wisp_assembly *s, const wisp_assembly_capacity *capacity)
{
  const size_t rows = s->pattern->rows, Np = (size_t)s->nodes->Np;
  wisp_discretisation d = {.family = wisp_family_find("assembly"),
                           .counts = {{"elements", s->nodes->elements},
                                      {"kappa_width", wisp_assembly_kappas(s)},
                                      {"groups", s->nodes->elements},
                                      {"slots", wisp_assembly_slots(s)},
                                      {"dimension", (size_t)s->simplex->dimension},
                                      {"vertex_count", s->mesh->vertices},
                                      {"stride", wisp_assembly_stride(s)},
                                      {"corner_count", (size_t)s->mesh->corners},
                                      {"node_count", s->nodes->nodes},
                                      {"unknowns", rows},
                                      {"free_vertices", s->corners->unknowns},
                                      {"padded", (rows + 3) / 4 * 4},
                                      {"nonzeros", wisp_assembly_value_count(s)},
                                      {"incidences", s->pattern->incidences},
                                      {"contributions", s->contributions},
                                      {"Np", Np},
                                      {"half", wisp_assembly_half(s)},
                                      {"data_width", wisp_assembly_width(s)},
                                      {"pAp_room", capacity->pAp_parts}},
                           .cuts = {{s->colours ? "colours" : NULL, "groups", s->colours, s->colour}},
                           .self = (void *)(uintptr_t)s,
                           .fill = fill,
                           .origin = s->slices || s->full ? origin : NULL,
                           .place = place,
                           .destroy = destroy_view};
  return d;
}

/* The counts of what is not always there. */
static wisp_status add_lists(wisp_error *err, const wisp_assembly *s, const wisp_assembly_capacity *capacity,
                             wisp_discretisation *d)
{
  const wisp_count coloured[] = {{"coloured_count", s->nodes->elements}, {NULL, 0}};
  const wisp_count of_bytes[] = {{"short_rows", wisp_assembly_slots(s)}, {NULL, 0}};
  const wisp_count solving[] = {{"rz_room", capacity->rz_parts},
                                {"states", WISP_CG_STATE},
                                {"history_room", capacity->iterations},
                                {"solves", 1},
                                {NULL, 0}};
  if (s->colours) CALL(add_counts(err, d, coloured));
  if (wisp_assembly_has_byte_slots(s)) CALL(add_counts(err, d, of_bytes));
  for (size_t k = 0; k < COUNT; k++) CALL(add_counts(err, d, s->list[k].count));
  return capacity->iterations ? add_counts(err, d, solving) : WISP_OK;
}

/* Each colour as so many launches, 1 or 2. */
static void split_colours(wisp_assembly *s, int launches)
{
  for (size_t c = s->colours; launches == 2 && c--;) {
    const wisp_span whole = s->colour[c];
    s->colour[2 * c] = (wisp_span){whole.first, whole.count / 2};
    s->colour[2 * c + 1] = (wisp_span){whole.first + whole.count / 2, whole.count - whole.count / 2};
  }
  if (launches == 2) s->colours *= 2;
}

wisp_status wisp_assembly_discretise(wisp_error *err, const wisp_assembly *s, const char *form, const wisp_fixed *fixed,
                                     const wisp_assembly_capacity *capacity, wisp_discretisation *out)
{
  OWNED(destroy_view) wisp_assembly *view = NULL;
  CALL(wisp_new(err, 1, sizeof *view, &view));
  *view = *s;
  view->form = NULL;
  view->full = wisp_fixed_value(fixed, "full", 0);
  CALL(wisp_form_load(err, form, &view->form));
  split_colours(view, wisp_fixed_value(fixed, "launches_per_colour", 1));
  for (size_t k = 0; k < COUNT; k++)
    if (wisp_fixed_value(fixed, kinds[k]->param, 0)) CALL(kinds[k]->make(err, view, fixed, &view->list[k]));
  wisp_discretisation d = describe(view, capacity);
  CALL(add_lists(err, view, capacity, &d));
  *out = d;
  view = NULL;
  return WISP_OK;
}
