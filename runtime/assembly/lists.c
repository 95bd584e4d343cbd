#include "lists.h"
#include "../parallel.h"

static int32_t node_of(const wisp_assembly *s, size_t e, int a)
{
  return s->nodes->node[e * (size_t)s->nodes->Np + (size_t)a];
}

static bool is_unknown(const wisp_assembly *s, int32_t node)
{
  return (size_t)node < s->pattern->rows;
}

static wisp_status upload_vertices(wisp_error *err, const wisp_assembly *s, wisp_arrays *arrays)
{
  OWNED(free) double *at = NULL;
  const size_t stride = wisp_assembly_stride(s), dimension = (size_t)s->simplex->dimension;
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

/* A slot of a row in 16 bits, and in 8. */
enum { NO_SLOT = 65535, NO_BYTE = 255 };

/* A wisp_range over elements. */
static wisp_status fill_slots(wisp_error *err, void *context, size_t from, size_t to)
{
  const listing *l = context;
  const wisp_assembly *s = l->s;
  const int Np = s->nodes->Np;
  (void)err;
  for (size_t e = from; e < to; e++)
    for (int i = 0; i < Np * Np; i++) {
      const int32_t row = node_of(s, e, i / Np), column = node_of(s, e, i % Np);
      if (is_unknown(s, row) && is_unknown(s, column))
        l->list[WISP_SLAB((size_t)(Np * Np), e, (size_t)i)] = wisp_pattern_slot(s->pattern, row, column);
    }
  return WISP_OK;
}

static wisp_status upload_entry_slots(wisp_error *err, const wisp_assembly *s, const char *array, int none,
                                      wisp_arrays *arrays)
{
  OWNED(free) int *list = NULL;
  const size_t size = wisp_arrays_size(arrays, array);
  CALL(wisp_new(err, size, sizeof *list, &list));
  for (size_t i = 0; i < size; i++) list[i] = none;
  CALL(wisp_parallel(err, s->nodes->elements, fill_slots, &(listing){.s = s, .list = list}));
  return wisp_arrays_upload_ints(err, arrays, array, list);
}

bool wisp_assembly_has_byte_slots(const wisp_assembly *s)
{
  const wisp_pattern *p = s->pattern;
  int32_t longest = 0;
  for (size_t row = 0; row < p->rows; row++)
    if (p->start[row + 1] - p->start[row] > longest) longest = p->start[row + 1] - p->start[row];
  return longest <= NO_BYTE;
}

/* The sources of a row's values and of its load, elements ascending. Without a list they are counted, at start + 2;
 * with it, start + 1 moves on from where each begins to where it ends. */
static void list_sources(const listing *l, size_t row)
{
  const wisp_assembly *s = l->s;
  const wisp_pattern *p = s->pattern;
  const int Np = s->nodes->Np;
  const size_t width = wisp_assembly_width(s), loads = width - (size_t)Np;
  for (size_t i = (size_t)p->around_start[row]; i < (size_t)p->around_start[row + 1]; i++) {
    const size_t e = (size_t)p->around[i] / (size_t)Np;
    const int a = p->around[i] % Np;
    for (int b = 0; b <= Np; b++) {
      const int32_t to = b < Np ? wisp_assembly_entry(s, e, a, b) : wisp_assembly_load(s, e, a);
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
  (void)err;
  for (size_t row = from; row < to; row++)
    for (size_t i = (size_t)p->around_start[row]; i < (size_t)p->around_start[row + 1]; i++)
      for (size_t b = 0; b < Np; b++) {
        const int32_t column = l->s->nodes->node[(size_t)p->around[i] / Np * Np + b];
        l->list[i * Np + b] = is_unknown(l->s, column) ? wisp_pattern_slot(p, (int32_t)row, column) : NO_SLOT;
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

static wisp_status upload_diagonal(wisp_error *err, const wisp_assembly *s, wisp_arrays *arrays)
{
  const wisp_pattern *p = s->pattern;
  OWNED(free) int *diagonal = NULL;
  CALL(wisp_new(err, p->rows, sizeof *diagonal, &diagonal));
  for (size_t row = 0; row < p->rows; row++)
    diagonal[row] = wisp_assembly_value_at(s, (int32_t)row, wisp_pattern_slot(p, (int32_t)row, (int32_t)row));
  return wisp_arrays_upload_ints(err, arrays, "diagonal", diagonal);
}

static wisp_status upload_corners(wisp_error *err, const wisp_assembly *s, wisp_arrays *arrays)
{
  return upload_nodes(err, s->corners, "corners", arrays);
}

static wisp_status upload_all_nodes(wisp_error *err, const wisp_assembly *s, wisp_arrays *arrays)
{
  return upload_nodes(err, s->nodes, "nodes", arrays);
}

static wisp_status upload_byte_slots(wisp_error *err, const wisp_assembly *s, wisp_arrays *arrays)
{
  return upload_entry_slots(err, s, "byte_slots", NO_BYTE, arrays);
}

static wisp_status upload_short_slots(wisp_error *err, const wisp_assembly *s, wisp_arrays *arrays)
{
  return upload_entry_slots(err, s, "short_slots", NO_SLOT, arrays);
}

/* Both arrays of sources at once. */
static wisp_status upload_wide_sources(wisp_error *err, const wisp_assembly *s, wisp_arrays *arrays)
{
  return has(arrays, "sources") ? WISP_OK : upload_sources(err, s, arrays);
}

wisp_status wisp_assembly_upload(wisp_error *err, const wisp_assembly *s, wisp_arrays *arrays)
{
  static const struct {
    const char *array;
    wisp_status (*upload)(wisp_error *err, const wisp_assembly *s, wisp_arrays *arrays);
  } made[] = {{"vertices", upload_vertices},       {"edges", upload_edges},      {"corners", upload_corners},
              {"nodes", upload_all_nodes},         {"map", upload_map},          {"byte_slots", upload_byte_slots},
              {"short_slots", upload_short_slots}, {"sources", upload_sources},  {"wide_sources", upload_wide_sources},
              {"around_slots", upload_slots},      {"diagonal", upload_diagonal}};
  const struct {
    const char *array;
    const int32_t *list;
  } there[] = {{"coloured", s->coloured},
               {"around", s->pattern->around},
               {"around_start", s->pattern->around_start},
               {"row_start", s->pattern->start},
               {"columns", s->slices ? s->slices->column : s->pattern->column}};
  for (size_t i = 0; i < WISP_COUNT(made); i++)
    if (has(arrays, made[i].array)) CALL(made[i].upload(err, s, arrays));
  for (size_t i = 0; i < WISP_COUNT(there); i++)
    if (has(arrays, there[i].array)) CALL(wisp_arrays_upload_ints(err, arrays, there[i].array, there[i].list));
  return WISP_OK;
}
