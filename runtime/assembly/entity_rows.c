/* Rows by entity (entity.h): all that are inside one have the same columns.
 *
 * Entities of one dimension go in groups. A group's words are WISP_ENTITY_HEAD: dimension k, entities, most elements
 * around one, words of a line, pitch of sums; then lines, a word an entity: rows; corners, by rising
 * vertices; for each element around it the other corners, the first -1 where it has no more elements, and the slots of
 * the element's nodes in the rows, several a word, of fixed nodes the longest row; and at the end for each element
 * its number times the orientations there are, plus its orientation.
 *
 * Stars, of order 1, hold vertices once a row: head as above, but that most vertices around a row come in place of the
 * dimension; then lines of rows; vertices around each, plus 65536 times its own slot; those vertices, slot by slot,
 * fixed ones behind the columns; for each element the slots of its other corners, a byte each, -1 where there is none;
 * and its number and orientation. */
#include "entity.h"
#include "../parallel.h"

enum { WISP_ENTITY_HEAD = 8 };

enum { LINE = 8 }; /* words of a sector */

typedef struct group {
  int32_t first, count, most, sums; /* most elements around one; sums of the longest row */
} group;

typedef struct making {
  const wisp_assembly *s;
  wisp_index_list *list;
  size_t many, sums, groups;
  bool stars;
  group *group;
  const wisp_entity_tables *tables;
} making;

static int32_t length_of(const making *m, int32_t row)
{
  return m->s->pattern->start[row + 1] - m->s->pattern->start[row];
}

/* Vertices around a row's, by its slots; then those that are fixed. Of order 1 vertices are nodes. How many. */
static int32_t find_star(const making *m, int32_t row, int32_t *list)
{
  const wisp_pattern *p = m->s->pattern;
  const int corners = m->s->simplex->dimension + 1;
  int32_t count = length_of(m, row), own[UINT8_MAX];
  int32_t *const fixed = list ? list + count : own;
  const int32_t most = UINT8_MAX - count;
  int32_t others = 0;
  if (list) memcpy(list, p->column + p->start[row], (size_t)count * sizeof *list);
  for (int32_t i = p->around_start[row]; i < p->around_start[row + 1]; i++)
    for (int c = 0; c < corners; c++) {
      const int32_t node = m->s->nodes->node[p->around[i] / corners * corners + c];
      int32_t at = 0;
      if ((size_t)node < p->rows || others >= most) continue;
      while (at < others && fixed[at] != node) at++;
      if (at == others) fixed[others++] = node;
    }
  return count + others;
}

/* --- entities --- */

static int by_likeness(const void *left, const void *right)
{
  const wisp_entity *a = left, *b = right;
  if (a->dimension != b->dimension) return a->dimension - b->dimension;
  return a->around != b->around ? a->around - b->around : a->row - b->row;
}

/* Numbers that a group of entities keeps, `sums` of each. */
static size_t kept(const making *m, int32_t sums, int32_t count)
{
  return (size_t)sums * ((size_t)count | 1) * (m->stars ? (size_t)m->s->simplex->dimension + 1 : 1);
}

/* Entities into groups: alike ones of a window side by side. */
static wisp_status find_groups(wisp_error *err, making *m)
{
  group *g = NULL;
  for (size_t i = 0; i < m->tables->count; i++) {
    const wisp_entity *one = m->tables->entity + i;
    const int slots = wisp_orientation_slots(m->s->simplex->dimension, m->s->simplex->N, one->dimension);
    const int32_t sums = m->stars ? find_star(m, one->row, NULL) : length_of(m, one->row) + 1;
    CALL(wisp_require(err, kept(m, sums, 1) <= m->sums && sums <= (slots == 4 ? UINT8_MAX : UINT16_MAX) - 1,
                      WISP_EREFUSED, "row %d of %d columns: %zu numbers or slots of %d bits have no room", one->row,
                      sums, m->sums, 32 / slots));
    const int32_t most = g && g->sums > sums ? g->sums : sums;
    if (!g || !wisp_entity_same_window(m->tables->entity + g->first, one) || (size_t)g->count == m->many ||
        kept(m, most, g->count + 1) > m->sums) {
      g = m->group + m->groups++;
      *g = (group){.first = (int32_t)i};
    }
    g->count++;
    if (g->sums < sums) g->sums = sums;
    if (g->most < one->around) g->most = one->around;
  }
  return WISP_OK;
}

/* --- words --- */

/* Lines of a group: rows, corners, and for each element other corners and slots; its number comes behind all. */
typedef struct lines {
  size_t stride, rows, corners, others, slot_words, slots;
} lines;

static lines lines_of(const making *m, const group *g)
{
  const int dimension = m->s->simplex->dimension, k = m->tables->entity[g->first].dimension;
  const size_t slots = (size_t)wisp_orientation_slots(dimension, m->s->simplex->N, k);
  const size_t stride = ((size_t)g->count + LINE - 1) / LINE * LINE;
  if (m->stars) return (lines){.stride = stride, .rows = 2, .corners = (size_t)g->sums, .slot_words = 1};
  return (lines){.stride = stride,
                 .rows = (size_t)(m->tables->first[k + 1] - m->tables->first[k]),
                 .corners = (size_t)k + 1,
                 .others = (size_t)(dimension - k),
                 .slot_words = ((size_t)m->s->nodes->Np + slots - 1) / slots,
                 .slots = slots};
}

/* Element number j around an entity, to its words from `to` on. */
static void put_element(const making *m, const group *g, const lines *l, const wisp_entity *one, size_t j, int32_t *to)
{
  const wisp_assembly *s = m->s;
  const int dimension = s->simplex->dimension, Np = s->nodes->Np;
  int corner[4];
  const size_t e = wisp_entity_element(m->tables, one, j, corner), width = l->others + l->slot_words;
  const int orientation = wisp_orientation_number(dimension, corner);
  int32_t *const here = to + l->stride * (l->rows + l->corners + j * width);
  for (size_t i = 0; i < l->rows && !j; i++)
    to[i * l->stride] = wisp_entity_row(m->tables, e, orientation, one->dimension, (int)i);
  for (size_t c = 0; c < l->corners && !j; c++)
    to[(l->rows + c) * l->stride] = s->corners->node[e * (size_t)(dimension + 1) + (size_t)corner[c]];
  for (size_t c = 0; c < l->others; c++)
    here[c * l->stride] = s->corners->node[e * (size_t)(dimension + 1) + (size_t)corner[l->corners + c]];
  for (size_t b = 0; b < (size_t)Np; b++) {
    const int32_t column = s->nodes->node[e * (size_t)Np + (size_t)m->tables->node[orientation][b]];
    const bool known = (size_t)column < s->pattern->rows;
    const uint32_t slot = (uint32_t)(known ? wisp_pattern_slot(s->pattern, one->row, column) : g->sums - 1);
    here[(l->others + b / l->slots) * l->stride] |= (int32_t)(slot << b % l->slots * (32 / l->slots));
  }
  to[l->stride * (l->rows + l->corners + (size_t)g->most * width + j)] = wisp_entity_oriented(m->tables, e, corner);
}

/* A star, likewise, as a whole. */
static void put_star(const making *m, const group *g, const lines *l, const wisp_entity *one, int32_t *to)
{
  const wisp_assembly *s = m->s;
  const wisp_pattern *p = s->pattern;
  const int dimension = s->simplex->dimension;
  int32_t star[UINT8_MAX + 1], *at = to + l->stride * (l->rows + l->corners);
  const int32_t count = find_star(m, one->row, star);
  to[0] = one->row, to[l->stride] = count + 65536 * wisp_pattern_slot(p, one->row, one->row);
  for (size_t i = 0; i < (size_t)count; i++) to[(2 + i) * l->stride] = star[i];
  for (int32_t j = 0; j < one->around; j++, at += l->stride) {
    int corner[4];
    const size_t e = wisp_entity_element(m->tables, one, (size_t)j, corner);
    for (int c = 1; c <= dimension; c++) {
      uint32_t slot = 0;
      while (star[slot] != s->nodes->node[e * (size_t)(dimension + 1) + (size_t)corner[c]]) slot++;
      *at |= (int32_t)(slot << 8 * (c - 1));
    }
    at[l->stride * (size_t)g->most] = wisp_entity_oriented(m->tables, e, corner);
  }
}

/* A wisp_sweep over groups. */
static void put_groups(void *context, size_t from, size_t end)
{
  const making *m = context;
  for (size_t i = from; i < end; i++) {
    const group *g = m->group + i;
    const lines l = lines_of(m, g);
    int32_t *word = m->list->array[1].ints + m->list->array[0].ints[i];
    const int32_t head[] = {m->stars ? g->sums : m->tables->entity[g->first].dimension, g->count, g->most,
                            (int32_t)l.stride, g->count | 1};
    memcpy(word, head, sizeof head);
    for (int32_t q = 0; q < g->count; q++) {
      const wisp_entity *one = m->tables->entity + g->first + q;
      int32_t *to = word + WISP_ENTITY_HEAD + q;
      if (m->stars) put_star(m, g, &l, one, to);
      for (size_t j = 0; j < (size_t)one->around && !m->stars; j++) put_element(m, g, &l, one, j, to);
      for (size_t j = (size_t)one->around; j < (size_t)g->most; j++)
        to[l.stride * (l.rows + l.corners + j * (l.others + l.slot_words))] = -1;
    }
  }
}

/* --- all --- */

/* Groups of `group_entities` entities at most, whose sums have room for (longest row + 1) times the entities, rounded
 * up to an odd number; of stars for a sum and coordinates of each vertex. WISP_EREFUSED where one entity alone has
 * none, or a row is longer than its slots can count. */
static wisp_status make(wisp_error *err, wisp_assembly *s, const wisp_fixed *fixed, wisp_index_list *list)
{
  const bool stars = wisp_fixed_value(fixed, "vertex_patches", 0);
  HELD(wisp_entity_tables_free) wisp_entity_tables tables = {.s = s};
  OWNED(free) group *groups = NULL;
  making m = {.s = s,
              .tables = &tables,
              .list = list,
              .many = (size_t)wisp_fixed_value(fixed, "group_entities", 0),
              .sums = (size_t)wisp_fixed_value(fixed, "shared_sums", 0),
              .stars = stars};
  *list = (wisp_index_list){.count = {{"entity_groups", 0}, {"entity_word_count", 0}},
                            .array = {{"entity_start", NULL, NULL}, {"entity_words", NULL, NULL}}};
  CALL(wisp_require(err, !stars || s->simplex->N == 1, WISP_EREFUSED, "stars are of order 1"));
  CALL(wisp_entity_tables_make(err, s, by_likeness, &tables));
  CALL(wisp_new(err, tables.count + 1, sizeof *groups, &groups));
  m.group = groups;
  CALL(find_groups(err, &m));
  CALL(wisp_new(err, m.groups + 1, sizeof(int32_t), &list->array[0].ints));
  for (size_t i = 0; i < m.groups; i++) {
    const lines l = lines_of(&m, m.group + i);
    const size_t most = (size_t)m.group[i].most;
    list->array[0].ints[i + 1] =
        (int32_t)(WISP_ENTITY_HEAD + l.stride * (l.rows + l.corners + most * (l.others + l.slot_words + 1)));
  }
  CALL(wisp_list_allocate_groups(err, m.groups, list));
  wisp_parallel_for(m.groups, put_groups, &m);
  return WISP_OK;
}

const wisp_list_kind wisp_list_entity_rows = {.param = "group_entities", .make = make};
