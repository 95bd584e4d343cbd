/* The assembly's discretisation: the kinds of lists, the counts and arrays of them, and each number's owner. */
#include "list_kind.h"
#include "partition.h"
#include "../parallel.h"
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

/* The upper halves' number for a number of full matrices, or of a load behind them. */
static size_t halved(const wisp_assembly *s, size_t i)
{
  const size_t Np = (size_t)s->nodes->Np, half = wisp_assembly_half(s), width = wisp_assembly_width(s);
  const size_t slab = i / (width * WISP_SLAB_ELEMENTS), number = i / WISP_SLAB_ELEMENTS % width;
  const size_t e = slab * WISP_SLAB_ELEMENTS + i % WISP_SLAB_ELEMENTS;
  return WISP_SLAB(half + Np, e,
                   number < Np * Np ? wisp_assembly_number(s, (int)(number / Np), (int)(number % Np), false)
                                    : half + number - Np * Np);
}

/* A wisp_discretisation's origin: of values in slices the nonzero, of full matrices the upper halves' number. */
static size_t origin(const void *self, const wisp_array_decl *array, size_t i)
{
  const wisp_assembly *s = self;
  if (s->slices && strcmp(array->name, "values") == 0) return wisp_slices_nonzero(s->slices, s->pattern, i);
  return s->full && strcmp(array->name, "element_data") == 0 ? halved(s, i) : i;
}

/* Names the element or the row of a number. */
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

/* --- arrays of its own --- */

/* Coordinates of a vertex, and what fills them up to a power of two. */
static size_t vertex_stride(const wisp_assembly *s)
{
  return s->simplex->dimension == 2 ? 2 : 4;
}

static wisp_status upload_vertices(wisp_error *err, const wisp_assembly *s, wisp_arrays *arrays)
{
  OWNED(free) double *at = NULL;
  const size_t stride = vertex_stride(s), dimension = (size_t)s->simplex->dimension;
  CALL(wisp_new(err, stride * s->mesh->vertices, sizeof *at, &at));
  for (size_t i = 0; i < (size_t)s->mesh->corners * s->mesh->elements; i++)
    for (size_t d = 0; d < dimension; d++)
      at[stride * (size_t)s->corners->node[i] + d] = wisp_frame_vertex(&s->frame, s->mesh, s->mesh->cell[i], d);
  return wisp_arrays_upload(err, arrays, "vertices", at);
}

/* Half the vectors between corners, subtracted here, in double; and whether a corner is fixed. */
static wisp_status upload_edges(wisp_error *err, const wisp_assembly *s, wisp_arrays *arrays)
{
  OWNED(free) double *list = NULL;
  const size_t dimension = (size_t)s->simplex->dimension, corners = dimension + 1, width = dimension * dimension + 1;
  CALL(wisp_new(err, wisp_arrays_size(arrays, "edges"), sizeof *list, &list));
  for (size_t i = 0; i < s->mesh->elements * corners; i++) {
    const size_t e = i / corners, c = i % corners;
    const double *from = s->mesh->xyz + 3 * (size_t)s->mesh->cell[corners * e];
    const double *to = s->mesh->xyz + 3 * (size_t)s->mesh->cell[i];
    for (size_t d = 0; c && d < dimension; d++)
      list[WISP_SLAB(width, e, (c - 1) * dimension + d)] = (to[d] - from[d]) / s->frame.length / 2;
    if ((size_t)s->corners->node[i] >= s->corners->unknowns) list[WISP_SLAB(width, e, width - 1)] = 1;
  }
  return wisp_arrays_upload(err, arrays, "edges", list);
}

/* A list in the making: of all elements, or of all rows. */
typedef struct listing {
  const wisp_assembly *s;
  const char *array;
  int *list;
  int *start; /* of sources: where those of each number begin */
} listing;

/* A wisp_range over elements: their corners or nodes. */
static wisp_status fill_nodes(wisp_error *err, void *context, size_t from, size_t to)
{
  const listing *l = context;
  const wisp_simplexnodes *nodes = strcmp(l->array, "corners") == 0 ? l->s->corners : l->s->nodes;
  const size_t Np = (size_t)nodes->Np;
  (void)err;
  for (size_t i = from * Np; i < to * Np; i++) l->list[WISP_SLAB(Np, i / Np, i % Np)] = nodes->node[i];
  return WISP_OK;
}

/* Room for the slots of one row at a time. */
static wisp_status new_slots(wisp_error *err, const listing *l, int32_t **slot)
{
  return wisp_new(err, l->s->pattern->rows, sizeof **slot, slot);
}

/* A wisp_range over elements. */
static wisp_status fill_map(wisp_error *err, void *context, size_t from, size_t to)
{
  const listing *l = context;
  const int Np = l->s->nodes->Np;
  const size_t width = (size_t)(Np * Np + Np);
  OWNED(free) int32_t *slot = NULL;
  CALL(new_slots(err, l, &slot));
  for (size_t e = from; e < to; e++)
    for (int a = 0; a < Np; a++) {
      wisp_assembly_open_row(l->s, e, a, slot);
      for (int b = 0; b < Np; b++)
        l->list[WISP_SLAB(width, e, (size_t)(a * Np + b))] = wisp_assembly_entry_in(l->s, e, a, b, slot);
      l->list[WISP_SLAB(width, e, (size_t)(Np * Np + a))] = wisp_assembly_load(l->s, e, a);
    }
  return WISP_OK;
}

/* A slot of a row in 16 bits, and in 8. */
enum { NO_SLOT = 65535, NO_BYTE = 255 };

/* A wisp_range over elements. */
static wisp_status fill_slots(wisp_error *err, void *context, size_t from, size_t to)
{
  const listing *l = context;
  const wisp_assembly *s = l->s;
  const int Np = s->nodes->Np;
  OWNED(free) int32_t *slot = NULL;
  CALL(new_slots(err, l, &slot));
  for (size_t e = from; e < to; e++)
    for (int i = 0; i < Np * Np; i++) {
      const int32_t row = wisp_assembly_node(s, e, i / Np), column = wisp_assembly_node(s, e, i % Np);
      if (i % Np == 0) wisp_assembly_open_row(s, e, i / Np, slot);
      if (wisp_assembly_is_unknown(s, row) && wisp_assembly_is_unknown(s, column))
        l->list[WISP_SLAB((size_t)(Np * Np), e, (size_t)i)] = slot[column];
    }
  return WISP_OK;
}

/* The sources of a row's values and of its load, elements ascending; its slots are open. Without a list they are
 * counted, at start + 2; with it, start + 1 moves on from where each begins to where it ends. */
static void list_sources(const listing *l, size_t row, const int32_t *slot)
{
  const wisp_assembly *s = l->s;
  const wisp_pattern *p = s->pattern;
  const int Np = s->nodes->Np;
  const size_t width = wisp_assembly_width(s), loads = width - (size_t)Np;
  for (size_t i = (size_t)p->around_start[row]; i < (size_t)p->around_start[row + 1]; i++) {
    const size_t e = (size_t)p->around[i] / (size_t)Np;
    const int a = p->around[i] % Np;
    for (int b = 0; b <= Np; b++) {
      const int32_t to = b < Np ? wisp_assembly_entry_in(s, e, a, b, slot) : wisp_assembly_load(s, e, a);
      const size_t number = b < Np ? wisp_assembly_number(s, a, b, s->full) : loads + (size_t)a;
      if (to < 0) continue;
      if (l->list)
        l->list[l->start[to + 1]++] = (int)WISP_SLAB(width, e, number);
      else
        l->start[to + 2]++;
    }
  }
}

/* A wisp_range over rows, whose numbers are nobody else's. */
static wisp_status list_rows(wisp_error *err, void *context, size_t from, size_t to)
{
  const listing *l = context;
  OWNED(free) int32_t *slot = NULL;
  CALL(new_slots(err, l, &slot));
  for (size_t row = from; row < to; row++) {
    wisp_pattern_open_row(l->s->pattern, (int32_t)row, slot);
    list_sources(l, row, slot);
  }
  return WISP_OK;
}

static bool has(const wisp_arrays *arrays, const char *array)
{
  return wisp_arrays_size(arrays, array) > 0;
}

/* As it is, and as integers of 64 bits, low halves first. */
static wisp_status upload_either(wisp_error *err, wisp_arrays *arrays, const char *narrow, const char *wide,
                                 const int *list, size_t count)
{
  OWNED(free) int *pairs = NULL;
  if (has(arrays, narrow)) CALL(wisp_arrays_upload_ints(err, arrays, narrow, list));
  if (!has(arrays, wide)) return WISP_OK;
  CALL(wisp_new(err, 2 * count, sizeof *pairs, &pairs));
  for (size_t i = 0; i < count; i++) pairs[2 * i] = list[i];
  return wisp_arrays_upload_ints(err, arrays, wide, pairs);
}

static wisp_status upload_sources(wisp_error *err, const wisp_assembly *s, wisp_arrays *arrays)
{
  OWNED(free) int *start = NULL, *source = NULL;
  const size_t rows = s->pattern->rows, targets = wisp_assembly_value_count(s) + rows;
  CALL(wisp_new(err, targets + 2, sizeof *start, &start));
  CALL(wisp_new(err, s->contributions, sizeof *source, &source));
  CALL(wisp_parallel(err, rows, list_rows, &(listing){.s = s, .start = start}));
  for (size_t i = 2; i < targets + 2; i++) start[i] += start[i - 1];
  CALL(wisp_parallel(err, rows, list_rows, &(listing){.s = s, .list = source, .start = start}));
  CALL(upload_either(err, arrays, "source_start", "wide_start", start, targets + 1));
  return upload_either(err, arrays, "sources", "wide_sources", source, s->contributions);
}

/* A wisp_range over rows. */
static wisp_status list_slots(wisp_error *err, void *context, size_t from, size_t to)
{
  const listing *l = context;
  const wisp_pattern *p = l->s->pattern;
  const size_t Np = (size_t)l->s->nodes->Np;
  OWNED(free) int32_t *slot = NULL;
  CALL(new_slots(err, l, &slot));
  for (size_t row = from; row < to; row++) {
    wisp_pattern_open_row(p, (int32_t)row, slot);
    for (size_t i = (size_t)p->around_start[row]; i < (size_t)p->around_start[row + 1]; i++)
      for (size_t b = 0; b < Np; b++) {
        const int32_t column = l->s->nodes->node[(size_t)p->around[i] / Np * Np + b];
        l->list[i * Np + b] = wisp_assembly_is_unknown(l->s, column) ? slot[column] : NO_SLOT;
      }
  }
  return WISP_OK;
}

/* A wisp_range over rows. */
static wisp_status list_diagonal(wisp_error *err, void *context, size_t from, size_t to)
{
  const listing *l = context;
  (void)err;
  for (int32_t row = (int32_t)from; row < (int32_t)to; row++)
    l->list[row] = wisp_assembly_value_at(l->s, row, wisp_pattern_slot(l->s->pattern, row, row));
  return WISP_OK;
}

/* Lists that a loop over elements or rows makes: places that it leaves have `none`. */
static const struct made {
  const char *array;
  wisp_range fill;
  bool by_rows;
  int none;
} made[] = {{"corners", fill_nodes, false, 0},
            {"nodes", fill_nodes, false, 0},
            {"map", fill_map, false, -1},
            {"byte_slots", fill_slots, false, NO_BYTE},
            {"short_slots", fill_slots, false, NO_SLOT},
            {"around_slots", list_slots, true, 0},
            {"diagonal", list_diagonal, true, 0}};

static wisp_status upload_made(wisp_error *err, const wisp_assembly *s, const struct made *m, wisp_arrays *arrays)
{
  OWNED(free) int *list = NULL;
  const size_t size = wisp_arrays_size(arrays, m->array);
  CALL(wisp_new(err, size, sizeof *list, &list));
  for (size_t i = 0; m->none && i < size; i++) list[i] = m->none;
  CALL(wisp_parallel(err, m->by_rows ? s->pattern->rows : s->nodes->elements, m->fill,
                     &(listing){.s = s, .array = m->array, .list = list}));
  return wisp_arrays_upload_ints(err, arrays, m->array, list);
}

/* Uploads those of an assembly's own arrays that are there: all but what kinds of lists have. */
static wisp_status upload_own(wisp_error *err, const wisp_assembly *s, wisp_arrays *arrays)
{
  const struct {
    const char *array;
    const int32_t *list;
  } there[] = {{"coloured", s->coloured},
               {"around", s->pattern->around},
               {"around_start", s->pattern->around_start},
               {"row_start", s->pattern->start},
               {"columns", s->slices ? s->slices->column : s->pattern->column}};
  for (size_t i = 0; i < WISP_COUNT(made); i++)
    if (has(arrays, made[i].array)) CALL(upload_made(err, s, &made[i], arrays));
  for (size_t i = 0; i < WISP_COUNT(there); i++)
    if (has(arrays, there[i].array)) CALL(wisp_arrays_upload_ints(err, arrays, there[i].array, there[i].list));
  if (has(arrays, "vertices")) CALL(upload_vertices(err, s, arrays));
  if (has(arrays, "edges")) CALL(upload_edges(err, s, arrays));
  return has(arrays, "sources") || has(arrays, "wide_sources") ? upload_sources(err, s, arrays) : WISP_OK;
}

/* --- the discretisation --- */

/* The view of an assembly that a discretisation has: its own form and lists. */
static void destroy_view(void *self)
{
  wisp_assembly *view = self;
  for (size_t k = 0; k < COUNT; k++)
    for (size_t i = 0; view->list[k].array[i].name && !view->list[k].shared; i++)
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
  CALL(upload_own(err, view, arrays));
  for (size_t k = 0; k < COUNT; k++) {
    const wisp_index_list *list = &view->list[k];
    for (size_t i = 0; list->array[i].name; i++) {
      const char *name = list->array[i].name;
      if (!has(arrays, name)) continue;
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

/* Elements around a node, beyond those that kernels' sums have room for (templates/assembly/family). */
static size_t count_longer_sums(const wisp_pattern *p)
{
  enum { USUAL = 64 };
  int32_t most = USUAL;
  for (size_t row = 0; row < p->rows; row++)
    if (p->around_start[row + 1] - p->around_start[row] > most) most = p->around_start[row + 1] - p->around_start[row];
  return (size_t)(most - USUAL);
}

static wisp_discretisation describe(const wisp_assembly *s, const wisp_cg_capacity *capacity)
{
  const size_t rows = s->pattern->rows, Np = (size_t)s->nodes->Np;
  return (wisp_discretisation){.family = wisp_family_find("assembly"),
                               .counts = {{"elements", s->nodes->elements},
                                          {"kappa_width", wisp_assembly_kappas(s)},
                                          {"groups", s->nodes->elements},
                                          {"slots", WISP_SLAB_SLOTS(s->nodes->elements)},
                                          {"dimension", (size_t)s->simplex->dimension},
                                          {"vertex_count", s->mesh->vertices},
                                          {"stride", vertex_stride(s)},
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
                               .longer_sums = count_longer_sums(s->pattern),
                               .self = (void *)(uintptr_t)s,
                               .fill = fill,
                               .origin = s->slices || s->full ? origin : NULL,
                               .place = place,
                               .destroy = destroy_view};
}

/* The counts of what is not always there. */
static wisp_status add_lists(wisp_error *err, const wisp_assembly *s, const wisp_cg_capacity *capacity,
                             wisp_discretisation *d)
{
  const wisp_count coloured[] = {{"coloured_count", s->nodes->elements}, {NULL, 0}};
  const wisp_count of_bytes[] = {{"short_rows", WISP_SLAB_SLOTS(s->nodes->elements)}, {NULL, 0}};
  const wisp_count solving[] = {{"rz_room", capacity->rz_parts},
                                {"states", WISP_CG_STATE},
                                {"history_room", capacity->iterations},
                                {"solves", 1},
                                {NULL, 0}};
  const wisp_pattern *p = s->pattern;
  int32_t longest = 0;
  if (s->colours) CALL(add_counts(err, d, coloured));
  for (size_t row = 0; row < p->rows; row++)
    if (p->start[row + 1] - p->start[row] > longest) longest = p->start[row + 1] - p->start[row];
  if (longest <= NO_BYTE) CALL(add_counts(err, d, of_bytes)); /* slots of a byte */
  for (size_t k = 0; k < COUNT; k++) CALL(add_counts(err, d, s->list[k].count));
  return capacity->iterations ? add_counts(err, d, solving) : WISP_OK;
}

wisp_status wisp_assembly_discretise(wisp_error *err, const wisp_assembly *s, const char *form, const wisp_fixed *fixed,
                                     const wisp_cg_capacity *capacity, wisp_discretisation *out)
{
  OWNED(destroy_view) wisp_assembly *view = NULL;
  CALL(wisp_new(err, 1, sizeof *view, &view));
  *view = *s;
  view->form = NULL;
  view->full = wisp_fixed_value(fixed, "full", 0);
  CALL(wisp_form_load(err, form, &view->form));
  const bool twice = wisp_fixed_value(fixed, "launches_per_colour", 1) == 2;
  for (size_t c = view->colours; twice && c--;) {
    const wisp_span all = view->colour[c];
    view->colour[2 * c] = (wisp_span){all.first, all.count / 2};
    view->colour[2 * c + 1] = (wisp_span){all.first + all.count / 2, all.count - all.count / 2};
  }
  if (twice) view->colours *= 2;
  for (size_t k = 0; k < COUNT; k++)
    if (wisp_fixed_value(fixed, kinds[k]->param, 0)) CALL(kinds[k]->make(err, view, fixed, &view->list[k]));
  wisp_discretisation d = describe(view, capacity);
  CALL(add_lists(err, view, capacity, &d));
  *out = d;
  view = NULL;
  return WISP_OK;
}
