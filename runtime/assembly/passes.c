/* Elements that a block takes together, and how they come upon numbers that they share. A group's words are
 * WISP_PASSES_HEAD: first row and row behind the last (of parts), passes, elements M; then
 *
 * parts: rows that follow one another, with sums for all their numbers; M elements around them in passes of which no
 * two elements share a row of the part. passes + 1 numbers of where each begins, the elements, and, two a word and
 *     number by number, the place of entry a Np + b, or of load Np Np + a, among the part's numbers: its values, then
 *     its F; 65535: none.
 * blocks: of elements that follow one another, likewise in passes, of which no two share a vertex, without places.
 * Blocks of one colour, which share no vertex either, are neighbours in the list. fetched: likewise, with vertices,
 * passes of them, in place of passes: the vertices, then each element's corners among them, two a word and number by
 * number. */
#include "list_kind.h"
#include "turned.h"
#include "../parallel.h"

enum { WISP_PASSES_HEAD = 4, WISP_NO_SUM = 65535 };

typedef enum wisp_passes_kind { WISP_PASSES_PARTS = 1, WISP_PASSES_BLOCKS, WISP_PASSES_FETCHED } wisp_passes_kind;

typedef struct making {
  const wisp_assembly *s;
  wisp_passes_kind kind;
  size_t batch, groups;
  int32_t *first; /* groups + 1: the first row of each part, or the first element of each block */
  size_t *order;  /* of groups: which one stands there */
  wisp_words *made;
} making;

/* One group at a time: its elements, pass by pass. */
typedef struct group {
  const making *m;
  int32_t first, past;
  uint64_t *seen; /* nodes, or vertices: passes that have it; 0 between groups */
  size_t room, count, passes, start[WISP_MOST_COLOURS + 1];
  int32_t *element, *sorted;
  unsigned char *pass;
} group;

static void release_group(group *g)
{
  free(g->seen), free(g->element), free(g->sorted), free(g->pass);
}

static int corners_of(const wisp_assembly *s)
{
  return s->mesh->corners;
}

/* What an element's neighbours may not touch at once: number i of it; -1: nothing. */
static int32_t shared(const group *g, int32_t e, int i)
{
  const wisp_assembly *s = g->m->s;
  if (g->m->kind != WISP_PASSES_PARTS) return s->corners->node[e * corners_of(s) + i];
  const int32_t node = s->nodes->node[e * s->nodes->Np + i];
  return node >= g->first && node < g->past ? node : -1;
}

static int shared_count(const making *m)
{
  return m->kind == WISP_PASSES_PARTS ? m->s->nodes->Np : corners_of(m->s);
}

static int ascending(const void *left, const void *right)
{
  const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
  return (a > b) - (a < b);
}

/* Elements around the part's rows, each once, or those of the block. */
static wisp_status find_elements(wisp_error *err, group *g)
{
  const wisp_pattern *p = g->m->s->pattern;
  const bool parts = g->m->kind == WISP_PASSES_PARTS;
  const size_t most = (size_t)(parts ? p->around_start[g->past] - p->around_start[g->first] : g->past - g->first);
  if (most > g->room) {
    free(g->element), free(g->sorted), free(g->pass);
    g->element = g->sorted = NULL, g->pass = NULL, g->room = 0;
    CALL(wisp_new(err, most, sizeof *g->element, &g->element));
    CALL(wisp_new(err, most, sizeof *g->sorted, &g->sorted));
    CALL(wisp_new(err, most, sizeof *g->pass, &g->pass));
    g->room = most;
  }
  g->count = most;
  for (size_t i = 0; i < most; i++)
    g->element[i] =
        parts ? p->around[(size_t)p->around_start[g->first] + i] / g->m->s->nodes->Np : g->first + (int32_t)i;
  if (!parts) return WISP_OK;
  qsort(g->element, most, sizeof *g->element, ascending);
  g->count = 0;
  for (size_t i = 0; i < most; i++)
    if (!g->count || g->element[g->count - 1] != g->element[i]) g->element[g->count++] = g->element[i];
  return WISP_OK;
}

/* Each element in the first pass that has seen nothing of it; then sorted by passes. */
static wisp_status find_passes(wisp_error *err, group *g)
{
  const int numbers = shared_count(g->m);
  size_t next[WISP_MOST_COLOURS + 1] = {0};
  bool fits = true;
  g->passes = 0;
  for (size_t i = 0; i < g->count; i++) {
    uint64_t taken = 0;
    size_t pass = 0;
    for (int k = 0; k < numbers; k++)
      if (shared(g, g->element[i], k) >= 0) taken |= g->seen[shared(g, g->element[i], k)];
    while (pass < WISP_MOST_COLOURS && taken >> pass & 1) pass++;
    fits = fits && pass < WISP_MOST_COLOURS;
    if (!fits) break;
    for (int k = 0; k < numbers; k++)
      if (shared(g, g->element[i], k) >= 0) g->seen[shared(g, g->element[i], k)] |= (uint64_t)1 << pass;
    g->pass[i] = (unsigned char)pass, next[pass + 1]++;
    if (pass + 1 > g->passes) g->passes = pass + 1;
  }
  for (size_t i = 0; i < g->count; i++)
    for (int k = 0; k < numbers; k++)
      if (shared(g, g->element[i], k) >= 0) g->seen[shared(g, g->element[i], k)] = 0;
  CALL(wisp_require(err, fits, WISP_EREFUSED, "more than %d elements meet", WISP_MOST_COLOURS));
  for (size_t pass = 0; pass < g->passes; pass++) next[pass + 1] += next[pass];
  memcpy(g->start, next, sizeof next);
  for (size_t i = 0; i < g->count; i++) g->sorted[next[g->pass[i]]++] = g->element[i];
  return WISP_OK;
}

/* The block's vertices, each once, in `sorted`'s place. */
static wisp_status find_vertices(wisp_error *err, group *g, int32_t **vertex, size_t *count)
{
  const wisp_assembly *s = g->m->s;
  const size_t corners = (size_t)corners_of(s) * g->count;
  CALL(wisp_new(err, corners, sizeof **vertex, vertex));
  *count = 0;
  for (size_t i = 0; i < corners; i++) {
    const int32_t v = s->corners->node[(size_t)g->first * (size_t)corners_of(s) + i];
    if (g->seen[v]) continue;
    (*vertex)[*count] = v;
    g->seen[v] = ++*count;
  }
  return WISP_OK;
}

/* --- words --- */

static size_t packed_of(const making *m)
{
  const size_t Np = (size_t)m->s->nodes->Np;
  return m->kind == WISP_PASSES_PARTS    ? (Np * Np + Np + 1) / 2
         : m->kind == WISP_PASSES_BLOCKS ? 0
                                         : ((size_t)corners_of(m->s) + 1) / 2;
}

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
      const int32_t e = g->sorted[i], row = s->nodes->node[e * Np + a];
      const bool mine = row >= g->first && row < g->past;
      for (int b = 0; b < Np; b++) {
        const int32_t at = mine ? wisp_assembly_entry(s, (size_t)e, a, b) : -1;
        pack(to, g->count, (size_t)(a * Np + b), i, at < 0 ? WISP_NO_SUM : (size_t)(at - begin));
      }
      pack(to, g->count, (size_t)(Np * Np + a), i, mine ? (size_t)(values + row - g->first) : WISP_NO_SUM);
    }
}

static wisp_status put_fetched(wisp_error *err, group *g, int32_t *words, size_t *room)
{
  OWNED(free) int32_t *vertex = NULL;
  const wisp_assembly *s = g->m->s;
  const size_t corners = (size_t)corners_of(s);
  size_t count = 0;
  CALL(find_vertices(err, g, &vertex, &count));
  *room = WISP_PASSES_HEAD + count + packed_of(g->m) * g->count;
  for (size_t i = 0; words && i < g->count; i++)
    for (size_t k = 0; k < corners; k++)
      pack(words + WISP_PASSES_HEAD + count, g->count, k, i,
           (size_t)g->seen[s->corners->node[((size_t)g->first + i) * corners + k]] - 1);
  if (words) memcpy(words + WISP_PASSES_HEAD, vertex, count * sizeof *vertex);
  if (words) words[2] = (int32_t)count;
  for (size_t i = 0; i < count; i++) g->seen[vertex[i]] = 0;
  return WISP_OK;
}

/* A group's words, or how many they are. */
static wisp_status put_group(wisp_error *err, group *g, size_t number, int32_t *words, size_t *room)
{
  const making *m = g->m;
  g->first = m->first[m->order[number]], g->past = m->first[m->order[number] + 1];
  CALL(find_elements(err, g));
  if (words) words[0] = g->first, words[1] = g->past, words[3] = (int32_t)g->count;
  if (m->kind == WISP_PASSES_FETCHED) return put_fetched(err, g, words, room);
  CALL(find_passes(err, g));
  *room = WISP_PASSES_HEAD + g->passes + 1 + (1 + packed_of(m)) * g->count;
  if (!words) return WISP_OK;
  words[2] = (int32_t)g->passes;
  words += WISP_PASSES_HEAD;
  for (size_t pass = 0; pass <= g->passes; pass++) *words++ = (int32_t)g->start[pass];
  memcpy(words, g->sorted, g->count * sizeof *words);
  if (m->kind == WISP_PASSES_PARTS) put_places(g, words + g->count);
  return WISP_OK;
}

/* A wisp_range over groups: counts them, then puts them where there is room. */
static wisp_status put_groups(wisp_error *err, void *context, size_t from, size_t to)
{
  const making *m = context;
  HELD(release_group) group g = {.m = m};
  CALL(wisp_new(err, m->s->nodes->nodes + m->s->mesh->vertices, sizeof *g.seen, &g.seen));
  for (size_t i = from; i < to; i++) {
    size_t room = 0;
    CALL(put_group(err, &g, i, m->made->word ? m->made->word + m->made->start[i] : NULL, &room));
    if (!m->made->word) m->made->start[i + 1] = (int32_t)room;
  }
  return WISP_OK;
}

/* --- groups --- */

static wisp_status cut_rows(wisp_error *err, making *m)
{
  const wisp_pattern *p = m->s->pattern;
  size_t numbers = 0;
  CALL(wisp_new(err, p->rows + 1, sizeof *m->first, &m->first));
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

static wisp_status cut_elements(wisp_error *err, making *m)
{
  const size_t elements = m->s->mesh->elements;
  m->groups = (elements + m->batch - 1) / m->batch;
  CALL(wisp_new(err, m->groups + 1, sizeof *m->first, &m->first));
  for (size_t i = 0; i <= m->groups; i++) m->first[i] = (int32_t)(i * m->batch < elements ? i * m->batch : elements);
  return WISP_OK;
}

/* Blocks by colour, as elements are. */
static wisp_status colour_blocks(wisp_error *err, making *m, size_t *colours, wisp_span *colour)
{
  const wisp_assembly *s = m->s;
  OWNED(free) uint64_t *seen = NULL;
  OWNED(free) unsigned char *of = NULL;
  const size_t corners = (size_t)corners_of(s);
  size_t next[WISP_MOST_COLOURS + 1] = {0};
  CALL(wisp_new(err, s->mesh->vertices, sizeof *seen, &seen));
  CALL(wisp_new(err, m->groups, 1, &of));
  *colours = 0;
  for (size_t i = 0; i < m->groups; i++) {
    const int32_t *vertex = s->corners->node + (size_t)m->first[i] * corners;
    const size_t count = (size_t)(m->first[i + 1] - m->first[i]) * corners;
    uint64_t taken = 0;
    size_t c = 0;
    for (size_t k = 0; k < count; k++) taken |= seen[vertex[k]];
    while (c < WISP_MOST_COLOURS && taken >> c & 1) c++;
    CALL(wisp_require(err, c < WISP_MOST_COLOURS, WISP_EREFUSED, "more than %d blocks meet", WISP_MOST_COLOURS));
    for (size_t k = 0; k < count; k++) seen[vertex[k]] |= (uint64_t)1 << c;
    of[i] = (unsigned char)c, next[c + 1]++;
    if (c + 1 > *colours) *colours = c + 1;
  }
  for (size_t c = 0; c < *colours; c++) {
    colour[c] = (wisp_span){.first = next[c], .count = next[c + 1]};
    next[c + 1] += next[c];
  }
  for (size_t i = 0; i < m->groups; i++) m->order[next[of[i]]++] = i;
  return WISP_OK;
}

static void release(making *m)
{
  free(m->first), free(m->order);
}

/* batch: numbers of a part, elements of a block. The view's colours become those of blocks. WISP_EREFUSED where a row
 * has more numbers, or elements meet in more than 64 colours. */
static wisp_status make(wisp_error *err, wisp_assembly *s, const wisp_fixed *fixed, void **out)
{
  const wisp_passes_kind kind = (wisp_passes_kind)wisp_fixed_value(fixed, "batch_lists", 0);
  const size_t batch = (size_t)wisp_fixed_value(fixed, "batch", 0);
  OWNED(wisp_words_destroy) wisp_words *made = NULL;
  HELD(release) making m = {.s = s, .kind = kind, .batch = batch};
  CALL(wisp_new(err, 1, sizeof *made, &made));
  m.made = made;
  CALL(wisp_require(err, batch && batch <= WISP_NO_SUM, WISP_EREFUSED, "16 bits do not count %zu", batch));
  CALL(kind == WISP_PASSES_PARTS ? cut_rows(err, &m) : cut_elements(err, &m));
  CALL(wisp_new(err, m.groups, sizeof *m.order, &m.order));
  for (size_t i = 0; i < m.groups; i++) m.order[i] = i;
  if (kind == WISP_PASSES_BLOCKS) CALL(colour_blocks(err, &m, &s->colours, s->colour));
  CALL(wisp_new(err, m.groups + 1, sizeof *made->start, &made->start));
  CALL(wisp_parallel(err, m.groups, put_groups, &m));
  CALL(wisp_words_lay(err, m.groups, made));
  CALL(wisp_parallel(err, m.groups, put_groups, &m));
  return GIVE(made, out);
}

/* --- looked at --- */

typedef struct sight {
  size_t colour, group, pass; /* that had a node last, one more than their numbers */
} sight;

/* May they add to one number: later passes of one group, groups of other colours. */
static bool apart(const sight *a, const sight *b)
{
  return a->group == b->group ? a->pass != b->pass : a->colour != b->colour;
}

/* No two that add at once have a number in common, and every element stands in a block. */
static wisp_status check(wisp_error *err, const wisp_assembly *s, const void *list, int kind)
{
  OWNED(free) sight *seen = NULL;
  const wisp_words *passes = list;
  const bool parts = kind == WISP_PASSES_PARTS;
  const int Np = s->nodes->Np;
  size_t listed = 0;
  if (kind == WISP_PASSES_FETCHED) return WISP_OK;
  CALL(wisp_new(err, s->nodes->nodes, sizeof *seen, &seen));
  for (size_t c = 0; c < (parts ? 1 : s->colours); c++)
    for (size_t i = 0; i < (parts ? passes->groups : s->colour[c].count); i++) {
      const size_t at = parts ? i : s->colour[c].first + i;
      const int32_t *head = passes->word + passes->start[at], *start = head + WISP_PASSES_HEAD;
      for (int32_t pass = 0; pass < head[2]; pass++)
        for (int32_t k = start[pass]; k < start[pass + 1]; k++, listed++) {
          const int32_t e = start[head[2] + 1 + k];
          const sight here = {c + 1, at + 1, (size_t)pass + 1};
          for (int a = 0; a < Np; a++) {
            const int32_t node = s->nodes->node[e * Np + a];
            if (parts ? node < head[0] || node >= head[1] : (size_t)node >= s->pattern->rows) continue;
            CALL(wisp_require(err, !seen[node].group || apart(&seen[node], &here), WISP_EWRONG,
                              "two elements of pass %d of group %zu, or of one colour, have node %d", pass, at, node));
            seen[node] = here;
          }
        }
    }
  return wisp_require(err, parts || listed == s->mesh->elements, WISP_EWRONG, "blocks have %zu elements of %zu", listed,
                      s->mesh->elements);
}

static wisp_listed show(const wisp_assembly *view, const void *list)
{
  const wisp_words *words = list;
  (void)view;
  return (wisp_listed){.count = {{"pass_groups", words->groups}, {"pass_word_count", words->words}},
                       .array = {{"pass_start", .ints = words->start}, {"pass_words", .ints = words->word}}};
}

static void destroy(void *list)
{
  wisp_words_destroy(list);
}

const wisp_list_kind wisp_list_passes = {
    .param = "batch_lists", .make = make, .show = show, .destroy = destroy, .check = check};
