#include "entities.h"
#include "gathers.h"
#include "lists.h"
#include "nearby.h"
#include "parts.h"
#include "passes.h"
#include "walks.h"
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

size_t wisp_assembly_places(const wisp_assembly *s)
{
  return s->slices ? s->slices->places : s->pattern->nonzeros;
}

int32_t wisp_assembly_place(const wisp_assembly *s, int32_t row, int32_t slot)
{
  return s->slices ? wisp_slices_place(s->slices, row, slot) : s->pattern->start[row] + slot;
}

int32_t wisp_assembly_entry(const wisp_assembly *s, size_t e, int a, int b)
{
  const int32_t row = node_of(s, e, a), column = node_of(s, e, b);
  if (!is_unknown(s, row) || !is_unknown(s, column)) return -1;
  return wisp_assembly_place(s, row, wisp_pattern_slot(s->pattern, row, column));
}

int32_t wisp_assembly_load(const wisp_assembly *s, size_t e, int a)
{
  const int32_t row = node_of(s, e, a);
  return is_unknown(s, row) ? (int32_t)wisp_assembly_places(s) + row : -1;
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
  s->frame = wisp_frame_none;
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

/* --- the discretisation --- */

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
  return s->whole && strcmp(array->name, "element_data") == 0 ? halved(s, i) : i;
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

/* The view of an assembly that a discretisation has: its own form and parts. */
static void destroy_view(void *self)
{
  wisp_assembly *view = self;
  wisp_parts_destroy(view->parts);
  wisp_walks_destroy(view->walks);
  wisp_form_destroy(view->form);
  wisp_words_destroy(view->entities);
  wisp_slices_destroy(view->slices);
  wisp_words_destroy(view->gathers);
  wisp_words_destroy(view->passes);
  wisp_nearby_destroy(view->nearby);
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
                                      {"slots", wisp_assembly_slots(s)},
                                      {"dimension", (size_t)s->simplex->dimension},
                                      {"vertex_count", s->mesh->vertices},
                                      {"stride", wisp_assembly_stride(s)},
                                      {"corner_count", (size_t)s->mesh->corners},
                                      {"node_count", s->nodes->nodes},
                                      {"unknowns", rows},
                                      {"free_vertices", s->corners->unknowns},
                                      {"padded", (rows + 3) / 4 * 4},
                                      {"nonzeros", wisp_assembly_places(s)},
                                      {"incidences", s->pattern->incidences},
                                      {"contributions", s->contributions},
                                      {"Np", Np},
                                      {"half", wisp_assembly_half(s)},
                                      {"data_width", wisp_assembly_width(s)},
                                      {"pAp_room", room->pAp_parts}},
                           .cuts = {{s->colours ? "colours" : NULL, "groups", s->colours, s->colour}},
                           .self = (void *)(uintptr_t)s,
                           .fill = wisp_assembly_upload,
                           .origin = s->slices || s->whole ? origin : NULL,
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
  const wisp_count of_walks[] = {{"walk_starts", s->walks ? s->walks->starts : 0},
                                 {"scatter_count", s->walks ? s->walks->scatter.words : 0},
                                 {"reduction_count", s->walks ? s->walks->reduction.words : 0}};
  const wisp_count of_entities[] = {{"entity_groups", s->entities ? s->entities->groups : 0},
                                    {"entity_word_count", s->entities ? s->entities->words : 0}};
  const wisp_count of_slices = {"slices", s->slices ? s->slices->count : 0};
  const wisp_count of_gathers[] = {{"gather_groups", s->gathers ? s->gathers->groups : 0},
                                   {"gather_word_count", s->gathers ? s->gathers->words : 0}};
  const wisp_count of_passes[] = {{"pass_groups", s->passes ? s->passes->groups : 0},
                                  {"pass_word_count", s->passes ? s->passes->words : 0}};
  const wisp_nearby *near = s->nearby;
  const wisp_count of_nearby[] = {{"near_blocks", near ? near->blocks : 0},
                                  {"near_starts", near ? near->blocks + 1 : 0},
                                  {"near_count", near ? near->columns : 0},
                                  {"near_nonzeros", s->pattern->nonzeros}};
  wisp_count *next = d.counts;
  while (next->name) next++;
  if (s->colours) *next++ = (wisp_count){"coloured_count", s->nodes->elements};
  if (s->slices) *next++ = of_slices;
  if (wisp_assembly_has_byte_slots(s)) *next++ = (wisp_count){"short_rows", wisp_assembly_slots(s)};
  for (size_t i = 0; s->parts && i < WISP_COUNT(of_parts); i++) *next++ = of_parts[i];
  for (size_t i = 0; parts->code && i < WISP_COUNT(of_codes); i++) *next++ = of_codes[i];
  for (size_t i = 0; parts->places && i < WISP_COUNT(of_places); i++) *next++ = of_places[i];
  for (size_t i = 0; s->walks && i < WISP_COUNT(of_walks); i++) *next++ = of_walks[i];
  for (size_t i = 0; s->entities && i < WISP_COUNT(of_entities); i++) *next++ = of_entities[i];
  for (size_t i = 0; s->gathers && i < WISP_COUNT(of_gathers); i++) *next++ = of_gathers[i];
  for (size_t i = 0; s->passes && i < WISP_COUNT(of_passes); i++) *next++ = of_passes[i];
  for (size_t i = 0; near && i < WISP_COUNT(of_nearby); i++) *next++ = of_nearby[i];
  for (size_t i = 0; room->iterations && i < WISP_COUNT(solving); i++) *next++ = solving[i];
  return d;
}

/* Each colour as so many launches, 1 or 2. */
static void part_colours(wisp_assembly *s, int halves)
{
  for (size_t c = s->colours; halves == 2 && c--;) {
    const wisp_span whole = s->colour[c];
    s->colour[2 * c] = (wisp_span){whole.first, whole.count / 2};
    s->colour[2 * c + 1] = (wisp_span){whole.first + whole.count / 2, whole.count - whole.count / 2};
  }
  if (halves == 2) s->colours *= 2;
}

/* Parts of `most` elements, with the lists that `fixed` asks for. */
static wisp_status make_parts(wisp_error *err, wisp_assembly *view, const wisp_fixed *fixed, size_t most)
{
  const int walkers = wisp_fixed_value(fixed, "walkers", 0), places = wisp_fixed_value(fixed, "places", 0);
  CALL(wisp_parts_create(err, view, most,
                         walkers  ? WISP_PARTS_ALONE
                         : places ? WISP_PARTS_PLACES
                                  : WISP_PARTS_CODES,
                         &view->parts));
  return walkers ? wisp_walks_create(err, view, view->parts, most, (size_t)walkers, &view->walks) : WISP_OK;
}

wisp_status wisp_assembly_discretise(wisp_error *err, const wisp_assembly *s, const char *form, const wisp_fixed *fixed,
                                     const wisp_assembly_room *room, wisp_discretisation *out)
{
  OWNED(destroy_view) wisp_assembly *view = NULL;
  const int cap = wisp_fixed_value(fixed, "cap", 0), many = wisp_fixed_value(fixed, "many", 0);
  const int held = wisp_fixed_value(fixed, "held", 0);
  CALL(wisp_new(err, 1, sizeof *view, &view));
  *view = *s;
  view->form = NULL, view->parts = NULL, view->walks = NULL, view->entities = NULL, view->slices = NULL,
  view->gathers = NULL, view->passes = NULL, view->nearby = NULL;
  view->whole = wisp_fixed_value(fixed, "unfolded", 0);
  CALL(wisp_form_load(err, form, &view->form));
  if (wisp_fixed_value(fixed, "sliced", 0)) CALL(wisp_slices_create(err, "the matrix", s->pattern, &view->slices));
  part_colours(view, wisp_fixed_value(fixed, "halves", 1));
  if (many)
    CALL(wisp_entities_create(err, s, (size_t)many, (size_t)wisp_fixed_value(fixed, "sums", 0),
                              wisp_fixed_value(fixed, "stars", 0), &view->entities));
  if (held)
    CALL(wisp_gathers_create(err, s, (size_t)held, (size_t)wisp_fixed_value(fixed, "products", 0), &view->gathers));
  const int passing = wisp_fixed_value(fixed, "passing", 0);
  if (passing)
    CALL(wisp_passes_create(err, s, (wisp_passes_kind)passing, (size_t)wisp_fixed_value(fixed, "batch", 0),
                            &view->colours, view->colour, &view->passes));
  const int span = wisp_fixed_value(fixed, "span", 0);
  if (span) CALL(wisp_nearby_create(err, s->pattern, (size_t)span, &view->nearby));
  if (cap) CALL(make_parts(err, view, fixed, (size_t)cap));
  *out = describe(view, room);
  view = NULL;
  return WISP_OK;
}
