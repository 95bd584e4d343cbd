/* Groups of elements that a block takes together. A group's words are WISP_COLOURING_HEAD: first row and row behind the
 * last (of coloured rows; else elements), colours, elements M; then
 *
 * coloured rows: rows that follow one another, with sums for all their numbers; M elements around them, colour by
 *     colour: no two of one colour share a row of the group. colours + 1 numbers of where each begins, the elements,
 *     and, two a word and number by number, the place of entry a Np + b, or of load Np Np + a, among the group's
 *     numbers: its values, then its F; 65535: none.
 * vertices: elements that follow one another, without colours. The number of their vertices stands in place of that of
 *     colours; then come the vertices, then each element's corners among them, two a word and number by number. */
#include "entity.h"
#include "../parallel.h"

enum { WISP_COLOURING_HEAD = 4, WISP_NO_SUM = 65535 };

/* Values of the parameter. */
enum { COLOURED_ROWS = 1, VERTICES = 3 };

typedef struct making {
  const wisp_assembly *s;
  bool by_rows; /* COLOURED_ROWS */
  size_t batch, groups;
  int32_t *first; /* groups + 1: the first row of each group, or its first element */
  wisp_index_list *list;
} making;

/* One group at a time: its elements, colour by colour. */
typedef struct group {
  const making *m;
  int32_t first, past;
  uint64_t *seen; /* nodes: a bit for each colour that has it; vertices: their numbers, from 1. 0 between groups */
  size_t capacity, count, colours, start[WISP_MOST_COLOURS + 1];
  int32_t *element, *sorted;
  unsigned char *colour;
} group;

static void release_group(group *g)
{
  WISP_FREE(g->seen, g->element, g->sorted, g->colour);
}

/* Node a of an element, where it is one of the group's rows; else -1. */
static int32_t own_row(const group *g, int32_t e, int a)
{
  const wisp_simplexnodes *nodes = g->m->s->nodes;
  const int32_t node = nodes->node[e * nodes->Np + a];
  return node >= g->first && node < g->past ? node : -1;
}

/* Elements around the group's rows, each once. */
static wisp_status find_elements(wisp_error *err, group *g)
{
  const wisp_pattern *p = g->m->s->pattern;
  const size_t most = (size_t)(p->around_start[g->past] - p->around_start[g->first]);
  if (most > g->capacity) {
    free(g->element), free(g->sorted), free(g->colour);
    g->element = g->sorted = NULL, g->colour = NULL, g->capacity = 0;
    CALL(wisp_new(err, most, sizeof *g->element, &g->element));
    CALL(wisp_new(err, most, sizeof *g->sorted, &g->sorted));
    CALL(wisp_new(err, most, sizeof *g->colour, &g->colour));
    g->capacity = most;
  }
  for (size_t i = 0; i < most; i++)
    g->element[i] = p->around[(size_t)p->around_start[g->first] + i] / g->m->s->nodes->Np;
  qsort(g->element, most, sizeof *g->element, wisp_by_index);
  g->count = 0;
  for (size_t i = 0; i < most; i++)
    if (!g->count || g->element[g->count - 1] != g->element[i]) g->element[g->count++] = g->element[i];
  return WISP_OK;
}

/* Gives each element the first colour that none of its rows has seen; then sorts by colours. */
static wisp_status colour_elements(wisp_error *err, group *g)
{
  const int Np = g->m->s->nodes->Np;
  size_t next[WISP_MOST_COLOURS + 1] = {0};
  bool fits = true;
  g->colours = 0;
  for (size_t i = 0; i < g->count; i++) {
    uint64_t taken = 0;
    for (int a = 0; a < Np; a++)
      if (own_row(g, g->element[i], a) >= 0) taken |= g->seen[own_row(g, g->element[i], a)];
    const size_t colour = wisp_free_colour(taken);
    fits = fits && colour < WISP_MOST_COLOURS;
    if (!fits) break;
    for (int a = 0; a < Np; a++)
      if (own_row(g, g->element[i], a) >= 0) g->seen[own_row(g, g->element[i], a)] |= (uint64_t)1 << colour;
    g->colour[i] = (unsigned char)colour, next[colour + 1]++;
    if (colour + 1 > g->colours) g->colours = colour + 1;
  }
  for (int32_t row = g->first; row < g->past; row++) g->seen[row] = 0;
  CALL(wisp_require(err, fits, WISP_EREFUSED, "more than %d elements meet", WISP_MOST_COLOURS));
  for (size_t colour = 0; colour < g->colours; colour++) next[colour + 1] += next[colour];
  memcpy(g->start, next, sizeof next);
  for (size_t i = 0; i < g->count; i++) g->sorted[next[g->colour[i]]++] = g->element[i];
  return WISP_OK;
}

/* --- words --- */

/* Number `number` of element i, of 16 bits. */
static void pack(int32_t *words, size_t elements, size_t number, size_t i, size_t what)
{
  uint32_t word = (uint32_t)words[number / 2 * elements + i];
  word = number % 2 ? (word & 0xffff) | (uint32_t)what << 16 : (word & 0xffff0000) | (uint32_t)what;
  words[number / 2 * elements + i] = (int32_t)word;
}

static void put_places(const group *g, int32_t *to)
{
  const wisp_assembly *s = g->m->s;
  const wisp_pattern *p = s->pattern;
  const int Np = s->nodes->Np;
  const int32_t begin = p->start[g->first], values = p->start[g->past] - begin;
  for (size_t i = 0; i < g->count; i++)
    for (int a = 0; a < Np; a++) {
      const int32_t e = g->sorted[i], row = own_row(g, e, a);
      for (int b = 0; b < Np; b++) {
        const int32_t at = row >= 0 ? wisp_assembly_entry(s, (size_t)e, a, b) : -1;
        pack(to, g->count, (size_t)(a * Np + b), i, at < 0 ? WISP_NO_SUM : (size_t)(at - begin));
      }
      pack(to, g->count, (size_t)(Np * Np + a), i, row >= 0 ? (size_t)(values + row - g->first) : WISP_NO_SUM);
    }
}

static wisp_status put_rows(wisp_error *err, group *g, int32_t *words, size_t *size)
{
  const size_t Np = (size_t)g->m->s->nodes->Np;
  CALL(find_elements(err, g));
  CALL(colour_elements(err, g));
  *size = WISP_COLOURING_HEAD + g->colours + 1 + (1 + (Np * Np + Np + 1) / 2) * g->count;
  if (!words) return WISP_OK;
  words[2] = (int32_t)g->colours, words[3] = (int32_t)g->count;
  words += WISP_COLOURING_HEAD;
  for (size_t colour = 0; colour <= g->colours; colour++) *words++ = (int32_t)g->start[colour];
  memcpy(words, g->sorted, g->count * sizeof *words);
  put_places(g, words + g->count);
  return WISP_OK;
}

/* The group's vertices, each once, and the elements' corners among them. */
static wisp_status put_vertices(wisp_error *err, group *g, int32_t *words, size_t *size)
{
  OWNED(free) int32_t *vertex = NULL;
  const size_t corners = (size_t)g->m->s->mesh->corners, elements = (size_t)(g->past - g->first);
  const int32_t *corner = g->m->s->corners->node + (size_t)g->first * corners;
  size_t count = 0;
  CALL(wisp_new(err, corners * elements, sizeof *vertex, &vertex));
  for (size_t i = 0; i < corners * elements; i++) {
    if (g->seen[corner[i]]) continue;
    vertex[count] = corner[i];
    g->seen[corner[i]] = ++count;
  }
  *size = WISP_COLOURING_HEAD + count + (corners + 1) / 2 * elements;
  for (size_t i = 0; words && i < corners * elements; i++)
    pack(words + WISP_COLOURING_HEAD + count, elements, i % corners, i / corners, (size_t)g->seen[corner[i]] - 1);
  if (words) words[2] = (int32_t)count, words[3] = (int32_t)elements;
  if (words) memcpy(words + WISP_COLOURING_HEAD, vertex, count * sizeof *vertex);
  for (size_t i = 0; i < count; i++) g->seen[vertex[i]] = 0;
  return WISP_OK;
}

/* A wisp_range over groups: counts their words, then writes them where there is room. */
static wisp_status put_groups(wisp_error *err, void *context, size_t from, size_t to)
{
  const making *m = context;
  HELD(release_group) group g = {.m = m};
  CALL(wisp_new(err, m->s->nodes->nodes + m->s->mesh->vertices, sizeof *g.seen, &g.seen));
  for (size_t i = from; i < to; i++) {
    int32_t *start = m->list->array[0].ints, *words = m->list->array[1].ints;
    size_t size = 0;
    if (words) words += start[i];
    g.first = m->first[i], g.past = m->first[i + 1];
    if (words) words[0] = g.first, words[1] = g.past;
    CALL(m->by_rows ? put_rows(err, &g, words, &size) : put_vertices(err, &g, words, &size));
    if (!words) start[i + 1] = (int32_t)size;
  }
  return WISP_OK;
}

/* --- groups --- */

static wisp_status cut_rows(wisp_error *err, making *m)
{
  const wisp_pattern *p = m->s->pattern;
  size_t numbers = 0;
  for (size_t row = 0; row < p->rows; row++) {
    const size_t more = (size_t)(p->start[row + 1] - p->start[row]) + 1;
    CALL(wisp_require(err, more <= m->batch, WISP_EREFUSED, "parts of %zu numbers: row %zu has %zu", m->batch, row,
                      more));
    if (numbers + more > m->batch) m->first[++m->groups] = (int32_t)row, numbers = 0;
    numbers += more;
  }
  m->first[++m->groups] = (int32_t)p->rows;
  return WISP_OK;
}

/* batch: numbers of a group's rows, or its elements. WISP_EREFUSED: a row has more, or 64 colours are too few. */
static wisp_status make(wisp_error *err, wisp_assembly *s, const wisp_fixed *fixed, wisp_index_list *list)
{
  OWNED(free) int32_t *first = NULL;
  making m = {.s = s,
              .by_rows = wisp_fixed_value(fixed, "batch_lists", 0) == COLOURED_ROWS,
              .batch = (size_t)wisp_fixed_value(fixed, "batch", 0),
              .list = list};
  *list = (wisp_index_list){.count = {{"pass_groups", 0}, {"pass_word_count", 0}},
                            .array = {{"pass_start", NULL, NULL}, {"pass_words", NULL, NULL}}};
  CALL(wisp_require(err, m.batch && m.batch <= WISP_NO_SUM, WISP_EREFUSED, "16 bits do not count %zu", m.batch));
  CALL(wisp_new(err, m.by_rows ? s->pattern->rows + 1 : s->mesh->elements / m.batch + 2, sizeof *first, &first));
  m.first = first;
  if (m.by_rows)
    CALL(cut_rows(err, &m));
  else
    m.groups = (s->mesh->elements + m.batch - 1) / m.batch;
  for (size_t i = 0; i <= m.groups && !m.by_rows; i++)
    first[i] = (int32_t)(i * m.batch < s->mesh->elements ? i * m.batch : s->mesh->elements);
  CALL(wisp_new(err, m.groups + 1, sizeof(int32_t), &list->array[0].ints));
  CALL(wisp_parallel(err, m.groups, put_groups, &m));
  CALL(wisp_list_allocate_groups(err, m.groups, list));
  return wisp_parallel(err, m.groups, put_groups, &m);
}

/* --- check --- */

/* Elements of one colour of a group have no row in common, and groups have none. */
static wisp_status check(wisp_error *err, const wisp_assembly *s, const wisp_index_list *list, int kind)
{
  OWNED(free) size_t *seen = NULL; /* by node: the colour that had it last, counted through all groups from 1 */
  const int Np = s->nodes->Np;
  size_t counted = 0;
  if (kind != COLOURED_ROWS) return WISP_OK;
  CALL(wisp_new(err, s->nodes->nodes, sizeof *seen, &seen));
  for (size_t i = 0; i < list->count[0].value; i++) {
    const int32_t *head = list->array[1].ints + list->array[0].ints[i], *start = head + WISP_COLOURING_HEAD;
    const size_t before = counted;
    for (int32_t colour = 0; colour < head[2]; colour++, counted++)
      for (int32_t k = start[colour] * Np; k < start[colour + 1] * Np; k++) {
        const int32_t node = s->nodes->node[start[head[2] + 1 + k / Np] * Np + k % Np];
        if (node < head[0] || node >= head[1]) continue;
        CALL(wisp_require(err, !seen[node] || (seen[node] > before && seen[node] <= counted), WISP_EWRONG,
                          "two elements of colour %d of group %zu, or two groups, have node %d", colour, i, node));
        seen[node] = counted + 1;
      }
  }
  return WISP_OK;
}

const wisp_list_kind wisp_list_colouring = {.param = "batch_lists", .make = make, .check = check};
