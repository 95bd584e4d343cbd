/* Claim: the scatter and reduction arrays of parts of rows (paper 2, sections 4.2.3 and 4.3.1) say what their header
 * says: threads that walk down them bring each vertex and node of a part once, and to every element that has it, add up
 * every target of exactly its sources, and no thread has more than a fair share and one list. */
#include "test.h"
#include "../runtime/assembly/list_kind.h"
#include "../runtime/assembly/partition.h"
#include "../runtime/mesh/source.h"

extern const wisp_list_kind wisp_list_packed_lists;

enum { MOST = 60, PITCH = MOST + 1, WALKERS = 32 };

typedef struct walked {
  wisp_mesh *mesh;
  wisp_assembly *s;
  wisp_partition *parts;
  wisp_index_list lists;
} walked;

static void *numbers(size_t count, size_t size)
{
  void *list = calloc(count, size);
  assert_non_null(list);
  return list;
}

static void make(int corners, int order, walked *w)
{
  static const wisp_fixing boundary = {.all = true};
  const wisp_mesh_source source = {.box = {corners == 3 ? 9 : 3, 7}, .jitter = 0.2, .shuffle = true, .seed = 5};
  wisp_fixed fixed = {.made = false};
  GOOD(wisp_mesh_make(err, corners, &source, &w->mesh));
  GOOD(wisp_assembly_create(err, "mesh", w->mesh, order, &boundary, &w->s));
  GOOD(wisp_partition_create(err, w->s, MOST, WISP_PARTITION_ALONE, &w->parts));
  w->s->partition = w->parts;
  wisp_fixed_ask(&fixed, "max_elements", MOST, 0);
  wisp_fixed_ask(&fixed, "list_lanes", WALKERS, 0);
  GOOD(wisp_list_packed_lists.make(err, w->s, &fixed, &w->lists));
  assert_true(w->parts->parts > 1);
}

static void drop(walked *w)
{
  for (int i = 0; i < 4; i++) free(w->lists.array[i].ints);
  wisp_partition_destroy(w->parts);
  wisp_assembly_destroy(w->s);
  wisp_mesh_destroy(w->mesh);
}

/* A thread's next word; state is what it remembers of its last source, or sources. */
typedef void (*wisp_step)(void *context, int32_t word, int32_t *state);

/* All threads walk down a part's words of the array behind that of starts. How many words are not 0. */
static size_t walk(const wisp_index_list *lists, int starts, size_t part, wisp_step step, void *context)
{
  const int32_t *start = lists->array[starts].ints, *words_of = lists->array[starts + 1].ints;
  const int32_t begin = start[part], end = start[part + 1];
  size_t words = 0;
  assert_int_equal((end - begin) % WALKERS, 0);
  for (int32_t thread = 0; thread < WALKERS; thread++) {
    int32_t state = 0;
    for (int32_t i = begin + thread; i < end; i += WALKERS)
      if (words_of[i]) step(context, words_of[i], &state), words++;
  }
  return words;
}

/* --- nodes --- */

typedef struct nodes {
  int32_t *got[2]; /* of corners, of nodes: what came to number x PITCH + element, plus one */
  char *fetched;
} nodes;

static void bring(void *context, int32_t word, int32_t *state)
{
  nodes *n = context;
  if (word > 0) {
    assert_false(n->fetched[word - 1]);
    n->fetched[word - 1] = 1, *state = word;
    return;
  }
  assert_true(*state > 0);
  int32_t *const to = &n->got[(*state - 1) % 2][-word - 1];
  assert_int_equal(*to, 0);
  *to = (*state - 1) / 2 + 1;
}

static void check_nodes(const walked *w, size_t part)
{
  const size_t Np = (size_t)w->s->nodes->Np, corners = (size_t)w->mesh->corners;
  const int32_t from = w->parts->element_start[part], past = w->parts->element_start[part + 1];
  nodes n = {{numbers(corners * PITCH, sizeof(int32_t)), numbers(Np * PITCH, sizeof(int32_t))},
             numbers(2 * (w->s->nodes->nodes + w->mesh->vertices), 1)};
  walk(&w->lists, 0, part, bring, &n);
  for (size_t q = 0; q < (size_t)(past - from); q++) {
    const size_t e = (size_t)w->parts->element[(size_t)from + q];
    for (size_t i = 0; i < corners; i++)
      assert_int_equal(n.got[0][i * PITCH + q], w->s->corners->node[e * corners + i] + 1);
    for (size_t i = 0; i < Np; i++) assert_int_equal(n.got[1][i * PITCH + q], w->s->nodes->node[e * Np + i] + 1);
  }
  free(n.got[0]), free(n.got[1]), free(n.fetched);
}

/* --- numbers --- */

/* Sums of codes, which tell sources apart, and how many they are. */
typedef struct sums {
  int32_t *sum;
  size_t *sources, longest;
  size_t since; /* sources of the list at hand */
} sums;

static void add(void *context, int32_t word, int32_t *state)
{
  sums *of = context;
  if (word > 0) {
    *state += word, of->since++;
    return;
  }
  assert_int_equal(of->sources[-word - 1], 0);
  of->sum[-word - 1] = *state, of->sources[-word - 1] = of->since;
  if (of->since + 1 > of->longest) of->longest = of->since + 1;
  *state = 0, of->since = 0;
}

static void check_sums(const walked *w, size_t part)
{
  const wisp_pattern *p = w->s->pattern;
  const int32_t first = w->parts->row[part], past = w->parts->row[part + 1];
  const size_t targets = (size_t)(p->start[past] - p->start[first] + past - first);
  OWNED(free) int32_t *local = numbers(w->mesh->elements, sizeof *local), *left = numbers(targets, sizeof *left);
  sums of = {numbers(targets, sizeof(int32_t)), numbers(targets, sizeof(size_t)), 0, 0};
  for (int32_t i = w->parts->element_start[part]; i < w->parts->element_start[part + 1]; i++)
    local[w->parts->element[i]] = i - w->parts->element_start[part];
  const size_t count = wisp_partition_sources(w->s, w->parts, MOST, part, NULL, NULL);
  OWNED(free) wisp_partition_source *all = numbers(count, sizeof *all);
  wisp_partition_sources(w->s, w->parts, MOST, part, local, all);
  const size_t words = walk(&w->lists, 2, part, add, &of);
  for (size_t i = 0; i < count; i++) left[all[i].target] += all[i].code + 1, of.sources[all[i].target]--;
  for (size_t t = 0; t < targets; t++) assert_true(of.sources[t] == 0 && of.sum[t] == left[t]);
  assert_int_equal(words, count + targets);
  const int32_t *starts = w->lists.array[2].ints;
  const size_t capacity = (size_t)(starts[part + 1] - starts[part]);
  assert_true(capacity / WALKERS <= words / WALKERS + of.longest);
  free(of.sum), free(of.sources);
}

TEST(test_walks)
{
  static const int of[][2] = {{3, 1}, {3, 3}, {4, 2}};
  for (size_t i = 0; i < WISP_COUNT(of); i++) {
    walked w = {.mesh = NULL};
    make(of[i][0], of[i][1], &w);
    for (size_t part = 0; part < w.parts->parts; part++) check_nodes(&w, part), check_sums(&w, part);
    drop(&w);
  }
}
