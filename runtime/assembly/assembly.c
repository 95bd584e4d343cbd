#include "entities.h"
#include "parts.h"
#include "../parallel.h"
#include "../solve/cg.h"

#include <stdio.h>

/* --- entries --- */

static int32_t node_of(const wisp_assembly *s, size_t e, int a)
{
  return s->nodes->node[e * (size_t)s->nodes->Np + (size_t)a];
}

static bool is_unknown(const wisp_assembly *s, int32_t node)
{
  return (size_t)node < s->pattern->rows;
}

int32_t wisp_assembly_entry(const wisp_assembly *s, size_t e, int a, int b)
{
  const int32_t row = node_of(s, e, a), column = node_of(s, e, b);
  if (!is_unknown(s, row) || !is_unknown(s, column)) return -1;
  return s->pattern->start[row] + wisp_pattern_slot(s->pattern, row, column);
}

int32_t wisp_assembly_load(const wisp_assembly *s, size_t e, int a)
{
  const int32_t row = node_of(s, e, a);
  return is_unknown(s, row) ? (int32_t)s->pattern->nonzeros + row : -1;
}

size_t wisp_assembly_kappas(const wisp_assembly *s)
{
  return s->form->kappa == WISP_BY_MATRIX ? (size_t)s->simplex->directions : 1;
}

static double count_contributions(const wisp_assembly *s)
{
  double count = 0;
  for (size_t e = 0; e < s->nodes->elements; e++) {
    double unknowns = 0;
    for (int a = 0; a < s->nodes->Np; a++) unknowns += is_unknown(s, node_of(s, e, a));
    count += unknowns * (unknowns + 1);
  }
  return count;
}

/* The lowest colour that none of its vertices has seen; WISP_MOST_COLOURS where all have been. */
static size_t free_colour(const uint64_t *seen, const int32_t *vertex, int corners)
{
  uint64_t taken = 0;
  size_t colour = 0;
  for (int i = 0; i < corners; i++) taken |= seen[vertex[i]];
  while (colour < WISP_MOST_COLOURS && taken >> colour & 1) colour++;
  return colour;
}

/* Greedily, in the elements' order. */
static wisp_status colour_elements(wisp_error *err, wisp_assembly *s)
{
  OWNED(free) uint64_t *seen = NULL;
  OWNED(free) unsigned char *colour = NULL;
  const size_t elements = s->mesh->elements;
  CALL(wisp_new(err, s->mesh->vertices, sizeof *seen, &seen));
  CALL(wisp_new(err, elements, 1, &colour));
  CALL(wisp_new(err, elements, sizeof *s->coloured, &s->coloured));
  for (size_t e = 0; e < elements; e++) {
    const int32_t *vertex = s->mesh->cell + (size_t)s->mesh->corners * e;
    const size_t here = free_colour(seen, vertex, s->mesh->corners);
    if (here == WISP_MOST_COLOURS) return s->colours = 0, WISP_OK;
    for (int i = 0; i < s->mesh->corners; i++) seen[vertex[i]] |= (uint64_t)1 << here;
    colour[e] = (unsigned char)here;
    s->colour[here].count++;
    if (here >= s->colours) s->colours = here + 1;
  }
  size_t next[WISP_MOST_COLOURS] = {0};
  for (size_t c = 1; c < s->colours; c++)
    s->colour[c].first = next[c] = s->colour[c - 1].first + s->colour[c - 1].count;
  for (size_t e = 0; e < elements; e++) s->coloured[next[colour[e]]++] = (int32_t)e;
  return WISP_OK;
}

wisp_status wisp_assembly_create(wisp_error *err, const char *name, const wisp_mesh *mesh, int order,
                                 const wisp_fixing *fixed, wisp_assembly **out)
{
  OWNED(wisp_assembly_destroy) wisp_assembly *s = NULL;
  CALL(wisp_new(err, 1, sizeof *s, &s));
  s->mesh = mesh;
  CALL(wisp_simplex_create(err, mesh->corners - 1, order, &s->simplex));
  CALL(wisp_simplexnodes_create(err, name, mesh, order, fixed, &s->nodes));
  CALL(wisp_simplexnodes_create(err, name, mesh, 1, fixed, &s->corners));
  CALL(wisp_pattern_create(err, name, s->nodes, &s->pattern));
  const double count = count_contributions(s);
  CALL(wisp_require(err, count <= INT32_MAX && (double)s->pattern->nonzeros + (double)s->pattern->rows <= INT32_MAX,
                    WISP_EUSAGE,
                    "%s: %zu elements of order %d make %.4g contributions to the matrix, more than kernels can count "
                    "(2.1e9): take fewer elements or a lower order",
                    name, mesh->elements, order, count));
  s->contributions = (size_t)count;
  CALL(colour_elements(err, s));
  return GIVE(s, out);
}

void wisp_assembly_destroy(wisp_assembly *s)
{
  if (!s) return;
  wisp_simplex_destroy(s->simplex);
  wisp_simplexnodes_destroy(s->nodes);
  wisp_simplexnodes_destroy(s->corners);
  wisp_pattern_destroy(s->pattern);
  wisp_form_destroy(s->form);
  free(s->coloured);
  free(s);
}

/* --- lists --- */

static size_t slots_of(const wisp_assembly *s)
{
  return (s->nodes->elements + WISP_SLAB_ELEMENTS - 1) / WISP_SLAB_ELEMENTS * WISP_SLAB_ELEMENTS;
}

static size_t half_of(const wisp_assembly *s)
{
  return (size_t)(s->nodes->Np * (s->nodes->Np + 1) / 2);
}

/* Coordinates of a vertex, and what fills them up to a power of two. */
static size_t stride_of(const wisp_assembly *s)
{
  return s->simplex->dimension == 2 ? 2 : 4;
}

static wisp_status upload_vertices(wisp_error *err, const wisp_assembly *s, wisp_arrays *arrays)
{
  OWNED(free) double *at = NULL;
  const size_t stride = stride_of(s), dimension = (size_t)s->simplex->dimension;
  CALL(wisp_new(err, stride * s->mesh->vertices, sizeof *at, &at));
  for (size_t i = 0; i < (size_t)s->mesh->corners * s->mesh->elements; i++)
    memcpy(at + stride * (size_t)s->corners->node[i], s->mesh->xyz + 3 * (size_t)s->mesh->cell[i],
           dimension * sizeof *at);
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
      list[WISP_SLAB(width, e, (c - 1) * dimension + d)] = (to[d] - from[d]) / 2;
    if ((size_t)s->corners->node[i] >= s->corners->unknowns) list[WISP_SLAB(width, e, width - 1)] = 1;
  }
  return wisp_arrays_upload(err, arrays, "edges", list);
}

/* Nodes of elements, in slabs; of empty places the first of all. */
static wisp_status upload_nodes(wisp_error *err, const wisp_simplexnodes *nodes, const char *array, wisp_arrays *arrays)
{
  OWNED(free) int *list = NULL;
  const size_t Np = (size_t)nodes->Np;
  CALL(wisp_new(err, wisp_arrays_size(arrays, array), sizeof *list, &list));
  for (size_t i = 0; i < nodes->elements * Np; i++) list[WISP_SLAB(Np, i / Np, i % Np)] = nodes->node[i];
  return wisp_arrays_upload_ints(err, arrays, array, list);
}

/* A list in the making: of all elements, or of all rows. */
typedef struct listing {
  const wisp_assembly *s;
  int *list;
  int *start; /* of sources: where those of each number begin */
} listing;

/* A wisp_range over elements. */
static wisp_status fill_map(wisp_error *err, void *context, size_t from, size_t to)
{
  const listing *l = context;
  const int Np = l->s->nodes->Np;
  const size_t width = (size_t)(Np * Np + Np);
  (void)err;
  for (size_t e = from; e < to; e++)
    for (int a = 0; a < Np; a++) {
      for (int b = 0; b < Np; b++)
        l->list[WISP_SLAB(width, e, (size_t)(a * Np + b))] = wisp_assembly_entry(l->s, e, a, b);
      l->list[WISP_SLAB(width, e, (size_t)(Np * Np + a))] = wisp_assembly_load(l->s, e, a);
    }
  return WISP_OK;
}

static wisp_status upload_map(wisp_error *err, const wisp_assembly *s, wisp_arrays *arrays)
{
  OWNED(free) int *map = NULL;
  const size_t size = wisp_arrays_size(arrays, "map");
  CALL(wisp_new(err, size, sizeof *map, &map));
  memset(map, 0xff, size * sizeof *map); /* -1 */
  CALL(wisp_parallel(err, s->nodes->elements, fill_map, &(listing){.s = s, .list = map}));
  return wisp_arrays_upload_ints(err, arrays, "map", map);
}

/* The sources of a row's values and of its load, elements ascending. Without a list they are counted, at start + 2;
 * with it, start + 1 moves on from where each begins to where it ends. */
static void list_sources(const listing *l, size_t row)
{
  const wisp_assembly *s = l->s;
  const wisp_pattern *p = s->pattern;
  const int Np = s->nodes->Np;
  const size_t half = half_of(s), width = half + (size_t)Np;
  for (size_t i = (size_t)p->around_start[row]; i < (size_t)p->around_start[row + 1]; i++) {
    const size_t e = (size_t)p->around[i] / (size_t)Np;
    const int a = p->around[i] % Np;
    for (int b = 0; b <= Np; b++) {
      const int32_t to = b < Np ? wisp_assembly_entry(s, e, a, b) : wisp_assembly_load(s, e, a);
      const int low = a < b ? a : b, high = a < b ? b : a;
      const size_t number = b < Np ? (size_t)(low * Np - low * (low - 1) / 2 + high - low) : half + (size_t)a;
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
  (void)err;
  for (size_t row = from; row < to; row++) list_sources(context, row);
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
  const size_t rows = s->pattern->rows, targets = s->pattern->nonzeros + rows;
  CALL(wisp_new(err, targets + 2, sizeof *start, &start));
  CALL(wisp_new(err, s->contributions, sizeof *source, &source));
  CALL(wisp_parallel(err, rows, list_rows, &(listing){.s = s, .start = start}));
  for (size_t i = 2; i < targets + 2; i++) start[i] += start[i - 1];
  CALL(wisp_parallel(err, rows, list_rows, &(listing){.s = s, .list = source, .start = start}));
  CALL(upload_either(err, arrays, "source_start", "wide_start", start, targets + 1));
  return upload_either(err, arrays, "sources", "wide_sources", source, s->contributions);
}

enum { NOT_IN_ROW = 65535 };

/* A wisp_range over rows. */
static wisp_status list_slots(wisp_error *err, void *context, size_t from, size_t to)
{
  const listing *l = context;
  const wisp_pattern *p = l->s->pattern;
  const size_t Np = (size_t)l->s->nodes->Np;
  (void)err;
  for (size_t row = from; row < to; row++)
    for (size_t i = (size_t)p->around_start[row]; i < (size_t)p->around_start[row + 1]; i++)
      for (size_t b = 0; b < Np; b++) {
        const int32_t column = l->s->nodes->node[(size_t)p->around[i] / Np * Np + b];
        l->list[i * Np + b] = is_unknown(l->s, column) ? wisp_pattern_slot(p, (int32_t)row, column) : NOT_IN_ROW;
      }
  return WISP_OK;
}

static wisp_status upload_slots(wisp_error *err, const wisp_assembly *s, wisp_arrays *arrays)
{
  OWNED(free) int *slot = NULL;
  CALL(wisp_new(err, s->pattern->incidences * (size_t)s->nodes->Np, sizeof *slot, &slot));
  CALL(wisp_parallel(err, s->pattern->rows, list_slots, &(listing){.s = s, .list = slot}));
  return wisp_arrays_upload_ints(err, arrays, "around_slots", slot);
}

static wisp_status upload_diagonal(wisp_error *err, const wisp_pattern *p, wisp_arrays *arrays)
{
  OWNED(free) int *diagonal = NULL;
  CALL(wisp_new(err, p->rows, sizeof *diagonal, &diagonal));
  for (size_t row = 0; row < p->rows; row++)
    diagonal[row] = p->start[row] + wisp_pattern_slot(p, (int32_t)row, (int32_t)row);
  return wisp_arrays_upload_ints(err, arrays, "diagonal", diagonal);
}

/* --- the discretisation --- */

static wisp_status upload_parts(wisp_error *err, const wisp_parts *parts, wisp_arrays *arrays)
{
  const struct {
    const char *array;
    const int32_t *list;
  } lists[] = {{"part_row", parts->row},
               {"part_elements", parts->element},
               {"part_element_start", parts->element_start},
               {"part_group_start", parts->group_start},
               {"code_start", parts->code_start},
               {"codes", parts->code},
               {"row_order", parts->places ? parts->places->order : NULL},
               {"around_local", parts->places ? parts->places->local : NULL},
               {"place_start", parts->places ? parts->places->start : NULL}};
  for (size_t i = 0; i < WISP_COUNT(lists); i++)
    if (has(arrays, lists[i].array)) CALL(wisp_arrays_upload_ints(err, arrays, lists[i].array, lists[i].list));
  return has(arrays, "places") ? wisp_arrays_upload_bytes(err, arrays, "places", parts->places->place) : WISP_OK;
}

static wisp_status fill(wisp_error *err, const void *self, wisp_arrays *arrays)
{
  const wisp_assembly *s = self;
  const wisp_pattern *p = s->pattern;
  if (has(arrays, "vertices")) CALL(upload_vertices(err, s, arrays));
  if (has(arrays, "edges")) CALL(upload_edges(err, s, arrays));
  if (has(arrays, "corners")) CALL(upload_nodes(err, s->corners, "corners", arrays));
  if (has(arrays, "nodes")) CALL(upload_nodes(err, s->nodes, "nodes", arrays));
  if (has(arrays, "map")) CALL(upload_map(err, s, arrays));
  if (has(arrays, "sources") || has(arrays, "wide_sources")) CALL(upload_sources(err, s, arrays));
  if (has(arrays, "around_slots")) CALL(upload_slots(err, s, arrays));
  if (has(arrays, "coloured")) CALL(wisp_arrays_upload_ints(err, arrays, "coloured", s->coloured));
  if (has(arrays, "around")) CALL(wisp_arrays_upload_ints(err, arrays, "around", p->around));
  if (has(arrays, "around_start")) CALL(wisp_arrays_upload_ints(err, arrays, "around_start", p->around_start));
  if (has(arrays, "row_start")) CALL(wisp_arrays_upload_ints(err, arrays, "row_start", p->start));
  if (has(arrays, "columns")) CALL(wisp_arrays_upload_ints(err, arrays, "columns", p->column));
  if (has(arrays, "diagonal")) CALL(upload_diagonal(err, p, arrays));
  if (has(arrays, "entity_start")) CALL(wisp_arrays_upload_ints(err, arrays, "entity_start", s->entities->start));
  if (has(arrays, "entity_words")) CALL(wisp_arrays_upload_ints(err, arrays, "entity_words", s->entities->word));
  return s->parts ? upload_parts(err, s->parts, arrays) : WISP_OK;
}

/* Of a number of element_data, or of a matrix. */
static void place(const void *self, const wisp_array_decl *array, size_t i, char text[WISP_PLACE_TEXT])
{
  const wisp_assembly *s = self;
  const wisp_pattern *p = s->pattern;
  const size_t width = half_of(s) + (size_t)s->nodes->Np, in_slab = i % (width * WISP_SLAB_ELEMENTS);
  size_t row = 0;
  while (row + 1 < p->rows && (size_t)p->start[row + 1] <= i) row++;
  if (strcmp(array->name, "values") == 0)
    snprintf(text, WISP_PLACE_TEXT, "row %zu, column %d", row, p->column[i]);
  else if (strcmp(array->name, "element_data") == 0)
    snprintf(text, WISP_PLACE_TEXT, "element %zu, number %zu",
             i / (width * WISP_SLAB_ELEMENTS) * WISP_SLAB_ELEMENTS + in_slab % WISP_SLAB_ELEMENTS,
             in_slab / WISP_SLAB_ELEMENTS);
  else
    snprintf(text, WISP_PLACE_TEXT, "row %zu", i);
}

/* The view of an assembly that a discretisation has: its own form and parts. */
static void destroy_view(void *self)
{
  wisp_assembly *view = self;
  wisp_parts_destroy(view->parts);
  wisp_form_destroy(view->form);
  wisp_entities_destroy(view->entities);
  free(view);
}
WISP_OWNED(wisp_assembly, destroy_view)

static wisp_discretisation describe(const wisp_assembly *s, const wisp_assembly_room *room)
{
  const size_t rows = s->pattern->rows, Np = (size_t)s->nodes->Np;
  wisp_discretisation d = {.family = wisp_family_find("assembly"),
                           .counts = {{"elements", s->nodes->elements},
                                      {"kappa_width", wisp_assembly_kappas(s)},
                                      {"groups", s->nodes->elements},
                                      {"slots", slots_of(s)},
                                      {"dimension", (size_t)s->simplex->dimension},
                                      {"vertex_count", s->mesh->vertices},
                                      {"stride", stride_of(s)},
                                      {"corner_count", (size_t)s->mesh->corners},
                                      {"node_count", s->nodes->nodes},
                                      {"unknowns", rows},
                                      {"free_vertices", s->corners->unknowns},
                                      {"padded", (rows + 3) / 4 * 4},
                                      {"nonzeros", s->pattern->nonzeros},
                                      {"incidences", s->pattern->incidences},
                                      {"contributions", s->contributions},
                                      {"Np", Np},
                                      {"half", half_of(s)},
                                      {"pAp_room", room->pAp_parts}},
                           .cuts = {{s->colours ? "colours" : NULL, "groups", s->colours, s->colour}},
                           .self = (void *)(uintptr_t)s,
                           .fill = fill,
                           .place = place,
                           .destroy = destroy_view};
  const wisp_count solving[] = {
      {"rz_room", room->rz_parts}, {"states", WISP_CG_STATE}, {"history_room", room->iterations}, {"solves", 1}};
  const wisp_parts none = {.parts = 0}, *parts = s->parts ? s->parts : &none;
  const wisp_count of_parts[] = {{"parts", parts->parts}, {"part_element_count", parts->elements}};
  const wisp_count of_codes[] = {{"group_count", parts->groups}, {"codes_count", parts->codes}};
  const wisp_count of_places[] = {{"ordered_rows", rows},
                                  {"local_count", s->pattern->incidences},
                                  {"place_count", parts->places ? parts->places->count : 0}};
  const wisp_count of_entities[] = {{"entity_groups", s->entities ? s->entities->groups : 0},
                                    {"entity_word_count", s->entities ? s->entities->words : 0}};
  wisp_count *next = d.counts;
  while (next->name) next++;
  if (s->colours) *next++ = (wisp_count){"coloured_count", s->nodes->elements};
  for (size_t i = 0; s->parts && i < WISP_COUNT(of_parts); i++) *next++ = of_parts[i];
  for (size_t i = 0; parts->code && i < WISP_COUNT(of_codes); i++) *next++ = of_codes[i];
  for (size_t i = 0; parts->places && i < WISP_COUNT(of_places); i++) *next++ = of_places[i];
  for (size_t i = 0; s->entities && i < WISP_COUNT(of_entities); i++) *next++ = of_entities[i];
  for (size_t i = 0; room->iterations && i < WISP_COUNT(solving); i++) *next++ = solving[i];
  return d;
}

wisp_status wisp_assembly_discretise(wisp_error *err, const wisp_assembly *s, const char *form, const wisp_fixed *fixed,
                                     const wisp_assembly_room *room, wisp_discretisation *out)
{
  OWNED(destroy_view) wisp_assembly *view = NULL;
  const int cap = wisp_fixed_value(fixed, "cap", 0), many = wisp_fixed_value(fixed, "many", 0);
  CALL(wisp_new(err, 1, sizeof *view, &view));
  *view = *s;
  view->form = NULL, view->parts = NULL, view->entities = NULL;
  CALL(wisp_form_load(err, form, &view->form));
  if (many)
    CALL(wisp_entities_create(err, s, (size_t)many, (size_t)wisp_fixed_value(fixed, "sums", 0),
                              wisp_fixed_value(fixed, "stars", 0), &view->entities));
  if (cap) CALL(wisp_parts_create(err, s, (size_t)cap, wisp_fixed_value(fixed, "places", 0), &view->parts));
  *out = describe(view, room);
  view = NULL;
  return WISP_OK;
}
