/* Paper 2's scatter and reduction arrays for parts of rows (partition.h), packed for the threads of a block (section
 * 4.2.3, LPT).
 *
 * A word over 0 is a source and one more, one below 0 a target, less one, with its sign turned; 0 fills up. A scatter
 * list is a source, 2 x vertex or 2 x node + 1, then its targets, number i x (most + 1) + element for corner or node i
 * of the part's elements; a reduction list is the sources of a target (codes of partition.h, of all 31 bits), then the
 * target. The lists of a part, longest first, go each to the row that has least so far; thread t walks down row t,
 * whose words are `list_lanes` apart. */
#include "list_kind.h"
#include "partition.h"
#include "../parallel.h"

#include <limits.h>

/* Lists one after the other; those of a part fit int32_t. */
typedef struct lists {
  size_t count;
  int32_t *start, *word; /* count + 1; start[count] */
} lists;

/* The words of a part, column by column of `list_lanes`. */
typedef struct columns {
  size_t words;
  int32_t *word;
} columns;

typedef struct making {
  const wisp_assembly *s;
  const wisp_partition *parts;
  size_t most, threads;
  columns *scatter, *reduction; /* of each part */
} making;

static void release_lists(lists *l)
{
  WISP_FREE(l->start, l->word);
}

static wisp_status new_lists(wisp_error *err, size_t count, size_t words, lists *l)
{
  l->count = count;
  CALL(wisp_new(err, count + 1, sizeof *l->start, &l->start));
  return wisp_new(err, words, sizeof *l->word, &l->word);
}

/* --- packing --- */

static int32_t length_of(const lists *l, size_t i)
{
  return l->start[i + 1] - l->start[i];
}

/* Lists by length, longest first, alike as they stood. */
static wisp_status order_lists(wisp_error *err, const lists *l, int32_t *order)
{
  OWNED(free) size_t *next = NULL;
  size_t longest = 0;
  for (size_t i = 0; i < l->count; i++)
    if ((size_t)length_of(l, i) > longest) longest = (size_t)length_of(l, i);
  CALL(wisp_new(err, longest + 2, sizeof *next, &next)); /* by what a length lacks to the longest */
  for (size_t i = 0; i < l->count; i++) next[longest - (size_t)length_of(l, i) + 1]++;
  for (size_t i = 1; i < longest + 2; i++) next[i] += next[i - 1];
  for (size_t i = 0; i < l->count; i++) order[next[longest - (size_t)length_of(l, i)]++] = (int32_t)i;
  return WISP_OK;
}

typedef struct filled {
  size_t words, row;
} filled;

static bool is_less(const filled *a, const filled *b)
{
  return a->words < b->words || (a->words == b->words && a->row < b->row);
}

/* The root of a heap whose least is there has grown. */
static void sink(filled *heap, size_t count)
{
  for (size_t at = 0, next; (next = 2 * at + 1) < count; at = next) {
    if (next + 1 < count && is_less(&heap[next + 1], &heap[next])) next++;
    if (!is_less(&heap[next], &heap[at])) return;
    const filled moved = heap[at];
    heap[at] = heap[next], heap[next] = moved;
  }
}

/* Each list, in this order, to the row that has least; where its words begin there, and how long the longest row is. */
static size_t deal(const lists *l, const int32_t *order, filled *heap, size_t threads, filled *at)
{
  size_t longest = 0;
  for (size_t r = 0; r < threads; r++) heap[r] = (filled){0, r};
  for (size_t i = 0; i < l->count; i++) {
    at[order[i]] = heap[0];
    heap[0].words += (size_t)length_of(l, (size_t)order[i]);
    if (heap[0].words > longest) longest = heap[0].words;
    sink(heap, threads);
  }
  return longest;
}

static wisp_status pack(wisp_error *err, const lists *l, size_t threads, columns *out)
{
  OWNED(free) int32_t *order = NULL;
  OWNED(free) filled *heap = NULL, *at = NULL;
  CALL(wisp_new(err, l->count, sizeof *order, &order));
  CALL(wisp_new(err, l->count, sizeof *at, &at));
  CALL(wisp_new(err, threads, sizeof *heap, &heap));
  CALL(order_lists(err, l, order));
  out->words = deal(l, order, heap, threads, at) * threads;
  CALL(wisp_new(err, out->words, sizeof *out->word, &out->word));
  for (size_t i = 0; i < l->count; i++)
    for (size_t k = 0; k < (size_t)length_of(l, i); k++)
      out->word[(at[i].words + k) * threads + at[i].row] = l->word[(size_t)l->start[i] + k];
  return WISP_OK;
}

/* --- lists of a part --- */

/* A number of a source or target: where it belongs, and which it is. */
typedef struct belonging {
  int32_t list, number;
} belonging;

static int by_list(const void *left, const void *right)
{
  const belonging *a = left, *b = right;
  return a->list != b->list ? (a->list > b->list) - (a->list < b->list)
                            : (a->number > b->number) - (a->number < b->number);
}

static wisp_status list_nodes(wisp_error *err, const making *m, size_t part, lists *out)
{
  const wisp_assembly *s = m->s;
  const size_t Np = (size_t)s->nodes->Np, corners = (size_t)s->mesh->corners, width = corners + Np;
  const size_t from = (size_t)m->parts->element_start[part];
  const size_t count = (size_t)m->parts->element_start[part + 1] - from;
  size_t sources = 0;
  OWNED(free) belonging *all = NULL;
  CALL(wisp_new(err, count * width, sizeof *all, &all));
  for (size_t i = 0; i < count * width; i++) {
    const size_t q = i / width, k = i % width, e = (size_t)m->parts->element[from + q];
    const size_t slot = (k < corners ? k : k - corners) * (m->most + 1) + q;
    const int32_t source =
        k < corners ? 2 * s->corners->node[e * corners + k] : 2 * s->nodes->node[e * Np + k - corners] + 1;
    all[i] = (belonging){source, (int32_t)slot};
  }
  qsort(all, count * width, sizeof *all, by_list);
  for (size_t i = 0; i < count * width; i++) sources += i == 0 || all[i].list != all[i - 1].list;
  CALL(new_lists(err, sources, sources + count * width, out));
  int32_t *word = out->word, list = 0;
  for (size_t i = 0; i < count * width; i++) {
    if (i == 0 || all[i].list != all[i - 1].list) {
      out->start[list++] = (int32_t)(word - out->word);
      *word++ = all[i].list + 1;
    }
    *word++ = -all[i].number - 1;
  }
  out->start[list] = (int32_t)(word - out->word);
  return WISP_OK;
}

static wisp_status list_targets(wisp_error *err, const making *m, size_t part, const int32_t *local, lists *out)
{
  const wisp_pattern *p = m->s->pattern;
  const int32_t first = m->parts->row[part], past = m->parts->row[part + 1];
  const size_t targets = (size_t)(p->start[past] - p->start[first] + past - first);
  const size_t count = wisp_partition_sources(m->s, m->parts, m->most, part, NULL, NULL);
  OWNED(free) wisp_partition_source *all = NULL;
  CALL(wisp_new(err, count, sizeof *all, &all));
  CALL(new_lists(err, targets, targets + count, out));
  wisp_partition_sources(m->s, m->parts, m->most, part, local, all);
  for (size_t i = 0; i < count; i++) out->start[all[i].target + 1]++;
  for (size_t t = 0; t < targets; t++) out->start[t + 1] += out->start[t] + 1;
  OWNED(free) int32_t *next = NULL;
  CALL(wisp_new(err, targets, sizeof *next, &next));
  memcpy(next, out->start, targets * sizeof *next);
  for (size_t i = 0; i < count; i++) out->word[next[all[i].target]++] = all[i].code + 1;
  for (size_t t = 0; t < targets; t++) out->word[next[t]] = -(int32_t)t - 1;
  return WISP_OK;
}

/* A wisp_range over parts. */
static wisp_status pack_parts(wisp_error *err, void *context, size_t from, size_t to)
{
  const making *m = context;
  OWNED(free) int32_t *local = NULL;
  CALL(wisp_new(err, m->s->mesh->elements, sizeof *local, &local));
  for (size_t part = from; part < to; part++) {
    HELD(release_lists) lists nodes = {.count = 0}, targets = {.count = 0};
    wisp_partition_number(m->parts, part, local);
    CALL(list_nodes(err, m, part, &nodes));
    CALL(pack(err, &nodes, m->threads, &m->scatter[part]));
    CALL(list_targets(err, m, part, local, &targets));
    CALL(pack(err, &targets, m->threads, &m->reduction[part]));
  }
  return WISP_OK;
}

/* --- all --- */

/* Puts the words of all parts one after the other. */
static wisp_status join(wisp_error *err, const columns *of, size_t parts, size_t *words, int32_t **start,
                        int32_t **word)
{
  for (size_t part = 0; part < parts; part++) *words += of[part].words;
  CALL(wisp_require(err, *words <= INT32_MAX, WISP_EREFUSED,
                    "packed lists have %zu words, more than kernels can count (2.1e9): take fewer elements", *words));
  CALL(wisp_new(err, parts + 1, sizeof **start, start));
  CALL(wisp_new(err, *words, sizeof **word, word));
  for (size_t part = 0; part < parts; part++) {
    memcpy(*word + (*start)[part], of[part].word, of[part].words * sizeof **word);
    (*start)[part + 1] = (*start)[part] + (int32_t)of[part].words;
  }
  return WISP_OK;
}

static void release(making *m)
{
  for (size_t part = 0; m->scatter && part < m->parts->parts; part++) free(m->scatter[part].word);
  for (size_t part = 0; m->reduction && part < m->parts->parts; part++) free(m->reduction[part].word);
  free(m->scatter), free(m->reduction);
}

/* For the view's parts, made with `max_elements`. WISP_EREFUSED for more words than 31 bits count. */
static wisp_status make(wisp_error *err, wisp_assembly *view, const wisp_fixed *fixed, wisp_index_list *list)
{
  HELD(release)
  making m = {.s = view,
              .parts = view->partition,
              .most = (size_t)wisp_fixed_value(fixed, "max_elements", 0),
              .threads = (size_t)wisp_fixed_value(fixed, "list_lanes", 0)};
  if (!m.parts) return WISP_OK;
  const size_t parts = m.parts->parts;
  *list = (wisp_index_list){.count = {{"scatter_count", 0}, {"reduction_count", 0}, {"walk_starts", parts + 1}},
                            .array = {{"scatter_start", NULL, NULL},
                                      {"scatter_array", NULL, NULL},
                                      {"reduction_start", NULL, NULL},
                                      {"reduction_array", NULL, NULL}}};
  CALL(wisp_new(err, parts, sizeof *m.scatter, &m.scatter));
  CALL(wisp_new(err, parts, sizeof *m.reduction, &m.reduction));
  CALL(wisp_parallel(err, parts, pack_parts, &m));
  CALL(join(err, m.scatter, parts, &list->count[0].value, &list->array[0].ints, &list->array[1].ints));
  return join(err, m.reduction, parts, &list->count[1].value, &list->array[2].ints, &list->array[3].ints);
}

const wisp_list_kind wisp_list_packed_lists = {.param = "list_lanes", .make = make};
