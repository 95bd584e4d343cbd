/* Rows by entity (entity.h), whose elements' products are all made first and then gathered, column by column.
 *
 * Entities of one dimension go in groups. An item is an element around an entity; its products are Np numbers for each
 * of the entity's rows, and a product's place is item * Np + node, by row. Of a column the first product stands for
 * all: the others are added to it, which is a fold.
 *
 * A group's words are WISP_GATHER_HEAD: dimension k, plus 4 where a vertex of an item is fixed, entities, items, words
 * of a line of items, words of a line of entities, words before the sources, layers of folds, words before the folds;
 * then lines, a word an item: corners, those of the entity first, by rising vertices; and its element's number times
 * the turns there are, plus its orientation; lines, a word an entity and one more: its first item; its first source;
 * its rows. Then sources, of 16 bits, entity by entity, column by column: the place of its first product. Then folds:
 * how many columns have another product, how many a third, and so on; of 16 bits each the places of these columns, and
 * then layer by layer of their products, each list to the next full word. */
#include "entity.h"
#include "../parallel.h"

enum { WISP_GATHER_HEAD = 8 };

enum { LINE = 8, FEW = 4 }; /* words of a sector; items of a vector */

typedef struct group {
  size_t first, count, items;
} group;

typedef struct making {
  const wisp_assembly *s;
  wisp_index_list *list;
  size_t items, products, groups;
  group *group;
  const wisp_entity_tables *tables;
} making;

static size_t rows_inside(const making *m, int k)
{
  return (size_t)(m->tables->first[k + 1] - m->tables->first[k]);
}

static size_t full(size_t count, size_t of)
{
  return (count + of - 1) / of * of;
}

/* --- groups --- */

static int by_dimension(const void *left, const void *right)
{
  const wisp_entity *a = left, *b = right;
  return a->dimension != b->dimension ? a->dimension - b->dimension : a->row - b->row;
}

static bool fits(const making *m, int dimension, size_t items)
{
  const size_t each = rows_inside(m, dimension) * (size_t)m->s->nodes->Np;
  return items <= m->items && full(items, FEW) * each <= m->products;
}

static wisp_status find_groups(wisp_error *err, making *m)
{
  group *g = NULL;
  for (size_t i = 0; i < m->tables->count; i++) {
    const wisp_entity *one = m->tables->entity + i;
    const size_t around = (size_t)one->around;
    CALL(wisp_require(err, fits(m, one->dimension, around), WISP_EREFUSED,
                      "row %d has %zu elements around it: their products have no room", one->row, around));
    if (!g || !wisp_entity_same_window(m->tables->entity + g->first, one) ||
        !fits(m, one->dimension, g->items + around)) {
      g = m->group + m->groups++;
      *g = (group){.first = i};
    }
    g->count++, g->items += around;
  }
  return WISP_OK;
}

/* --- products of columns --- */

/* A group's columns, entity by entity: of each its first product, and of which product each is the next. */
typedef struct products {
  size_t columns, folded, layers;
  size_t *begin;   /* of each entity its first column, and where they end */
  int32_t *source; /* of each column */
  int32_t *next;   /* by place: of the same column; -1: there is none */
  int32_t *many;   /* of each column */
  int32_t *order;  /* columns of several products, those of most first */
} products;

static void free_products(products *p)
{
  WISP_FREE(p->begin, p->source, p->next, p->many, p->order);
}

/* Products of an item are hung behind those that their columns have. */
static void add_item(const making *m, const wisp_entity *one, size_t j, size_t item, size_t begin, products *p)
{
  const size_t Np = (size_t)m->s->nodes->Np;
  int corner[4];
  const size_t e = wisp_entity_element(m->tables, one, j, corner);
  const int *node = m->tables->node[wisp_orientation_number(m->s->simplex->dimension, corner)];
  for (size_t b = 0; b < Np; b++) {
    const int32_t column = m->s->nodes->node[e * Np + (size_t)node[b]];
    if ((size_t)column >= m->s->pattern->rows) continue;
    const size_t at = begin + (size_t)wisp_pattern_slot(m->s->pattern, one->row, column);
    int32_t *last = &p->source[at];
    while (*last >= 0) last = &p->next[*last];
    *last = (int32_t)(item * Np + b);
    p->many[at]++;
  }
}

static void find_products(const making *m, const group *g, products *p)
{
  const size_t most = m->items * (size_t)m->s->nodes->Np;
  size_t item = 0;
  memset(p->source, 0xff, most * sizeof *p->source), memset(p->next, 0xff, most * sizeof *p->next); /* -1 */
  memset(p->many, 0, most * sizeof *p->many);
  p->columns = p->folded = p->layers = 0;
  for (size_t q = 0; q < g->count; q++) {
    const wisp_entity *one = m->tables->entity + g->first + q;
    p->begin[q] = p->columns;
    for (size_t j = 0; j < (size_t)one->around; j++) add_item(m, one, j, item++, p->columns, p);
    p->columns += (size_t)(m->s->pattern->start[one->row + 1] - m->s->pattern->start[one->row]);
  }
  p->begin[g->count] = p->columns;
  for (size_t c = 0; c < p->columns; c++)
    if ((size_t)p->many[c] > p->layers + 1) p->layers = (size_t)p->many[c] - 1;
  for (size_t many = p->layers + 1; many > 1; many--)
    for (size_t c = 0; c < p->columns; c++)
      if ((size_t)p->many[c] == many) p->order[p->folded++] = (int32_t)c;
}

/* Columns with a product behind so many. */
static size_t layer_size(const products *p, size_t layer)
{
  size_t count = p->folded;
  while (count && (size_t)p->many[p->order[count - 1]] < layer + 2) count--;
  return count;
}

/* --- words --- */

typedef struct lines {
  size_t items, entity_line, rows, sources, folds; /* words of a line; lines of rows; words before these */
} lines;

static lines lines_of(const making *m, const group *g, const products *p)
{
  lines l = {.items = full(g->items, LINE), .entity_line = full(g->count + 1, LINE)};
  l.rows = rows_inside(m, m->tables->entity[g->first].dimension);
  l.sources = l.items * (size_t)(m->s->simplex->dimension + 2) + l.entity_line * (2 + l.rows);
  l.folds = l.sources + (p->columns + 1) / 2;
  return l;
}

static size_t words_of(const lines *l, const products *p)
{
  size_t words = WISP_GATHER_HEAD + l->folds + p->layers + (p->folded + 1) / 2;
  for (size_t layer = 0; layer < p->layers; layer++) words += (layer_size(p, layer) + 1) / 2;
  return full(words, LINE);
}

/* Most words that a group of so many items has: a word of rows for each, all columns with two products, one of them in
 * a list of folds and one in a layer. What is fetched to shared memory has that much room (gathered.space). */
static size_t most_words(const making *m, const lines *l, size_t items)
{
  const size_t each = (size_t)m->s->simplex->dimension + 2, made = items * (size_t)m->s->nodes->Np;
  return full(WISP_GATHER_HEAD + full(items, LINE) * each + full(items + 1, LINE) * (2 + l->rows) + (3 * made + 3) / 4 +
                  2 * items + 4,
              LINE);
}

static void put_entity(const making *m, const wisp_entity *one, const lines *l, size_t q, size_t item, int32_t *word)
{
  const int dimension = m->s->simplex->dimension;
  int32_t *const entity = word + l->items * (size_t)(dimension + 2) + q;
  entity[0] = (int32_t)item;
  for (size_t j = 0; j < (size_t)one->around; j++) {
    int corner[4];
    const size_t e = wisp_entity_element(m->tables, one, j, corner);
    const int orientation = wisp_orientation_number(dimension, corner);
    for (int c = 0; c <= dimension; c++)
      word[(size_t)c * l->items + item + j] = m->s->corners->node[e * (size_t)(dimension + 1) + (size_t)corner[c]];
    word[(size_t)(dimension + 1) * l->items + item + j] = wisp_entity_oriented(m->tables, e, corner);
    for (size_t i = 0; i < l->rows && !j; i++)
      entity[(2 + i) * l->entity_line] = wisp_entity_row(m->tables, e, orientation, one->dimension, (int)i);
  }
}

static void put_folds(const products *p, int32_t *word)
{
  uint16_t *to = (uint16_t *)(word + p->layers);
  for (size_t u = 0; u < p->folded; u++) to[u] = (uint16_t)p->source[p->order[u]];
  for (size_t layer = 0; layer < p->layers; layer++) {
    const size_t count = layer_size(p, layer);
    to += full(layer ? layer_size(p, layer - 1) : p->folded, 2);
    word[layer] = (int32_t)count;
    for (size_t u = 0; u < count; u++) {
      int32_t place = p->source[p->order[u]];
      for (size_t i = 0; i <= layer; i++) place = p->next[place];
      to[u] = (uint16_t)place;
    }
  }
}

/* Whether an element around one of the group's entities has a fixed vertex. */
static bool is_touched(const making *m, const group *g)
{
  const wisp_pattern *p = m->s->pattern;
  const size_t corners = (size_t)m->s->simplex->dimension + 1;
  bool fixed = false;
  for (size_t q = g->first; q < g->first + g->count && !fixed; q++)
    for (int32_t j = 0; j < m->tables->entity[q].around; j++) {
      const size_t e = (size_t)(p->around[p->around_start[m->tables->entity[q].row] + j] / m->s->nodes->Np);
      for (size_t c = 0; c < corners; c++)
        fixed |= (size_t)m->s->corners->node[e * corners + c] >= m->s->corners->unknowns;
    }
  return fixed;
}

static void put_group(const making *m, const group *g, const products *p, int32_t *word)
{
  const lines l = lines_of(m, g, p);
  const int dimension = m->s->simplex->dimension;
  const int32_t head[WISP_GATHER_HEAD] = {m->tables->entity[g->first].dimension + 4 * is_touched(m, g),
                                          (int32_t)g->count,
                                          (int32_t)g->items,
                                          (int32_t)l.items,
                                          (int32_t)l.entity_line,
                                          (int32_t)l.sources,
                                          (int32_t)p->layers,
                                          (int32_t)l.folds};
  size_t item = 0;
  memcpy(word, head, sizeof head);
  word += WISP_GATHER_HEAD;
  int32_t *const entity = word + l.items * (size_t)(dimension + 2);
  for (size_t q = 0; q <= g->count; q++) {
    const wisp_entity *one = m->tables->entity + g->first + q;
    entity[l.entity_line + q] = (int32_t)p->begin[q];
    if (q == g->count) break;
    put_entity(m, one, &l, q, item, word);
    item += (size_t)one->around;
  }
  entity[g->count] = (int32_t)item;
  uint16_t *const source = (uint16_t *)(word + l.sources);
  for (size_t c = 0; c < p->columns; c++) source[c] = (uint16_t)p->source[c];
  put_folds(p, word + l.folds);
}

/* A wisp_range over groups: how many words each has; where there is room for them, what they are. */
static wisp_status put_groups(wisp_error *err, void *context, size_t from, size_t to)
{
  const making *m = context;
  HELD(free_products) products p = {0};
  const size_t most = m->items * (size_t)m->s->nodes->Np;
  CALL(wisp_new(err, m->items + 1, sizeof *p.begin, &p.begin));
  CALL(wisp_new(err, most, sizeof *p.source, &p.source));
  CALL(wisp_new(err, most, sizeof *p.next, &p.next));
  CALL(wisp_new(err, most, sizeof *p.many, &p.many));
  CALL(wisp_new(err, most, sizeof *p.order, &p.order));
  for (size_t i = from; i < to; i++) {
    const group *g = m->group + i;
    find_products(m, g, &p);
    const lines l = lines_of(m, g, &p);
    const size_t words = words_of(&l, &p);
    CALL(wisp_require(err, words <= most_words(m, &l, g->items), WISP_EWRONG, "group %zu has %zu words, room for %zu",
                      i, words, most_words(m, &l, g->items)));
    if (m->list->array[1].ints)
      put_group(m, g, &p, m->list->array[1].ints + m->list->array[0].ints[i]);
    else
      m->list->array[0].ints[i + 1] = (int32_t)words;
  }
  return WISP_OK;
}

/* --- all --- */

/* Groups of `group_elements` items at most, whose whole fours fit `shared_products`. WISP_EREFUSED: an entity has more.
 */
static wisp_status make(wisp_error *err, wisp_assembly *s, const wisp_fixed *fixed, wisp_index_list *list)
{
  const size_t items = (size_t)wisp_fixed_value(fixed, "group_elements", 0);
  HELD(wisp_entity_tables_free) wisp_entity_tables tables = {.s = s};
  OWNED(free) group *groups = NULL;
  making m = {.s = s,
              .tables = &tables,
              .list = list,
              .items = items,
              .products = (size_t)wisp_fixed_value(fixed, "shared_products", 0)};
  *list = (wisp_index_list){.count = {{"gather_groups", 0}, {"gather_word_count", 0}},
                            .array = {{"gather_start", NULL, NULL}, {"gather_words", NULL, NULL}}};
  CALL(wisp_require(err, items * (size_t)s->nodes->Np <= UINT16_MAX, WISP_EREFUSED,
                    "products of %zu elements are more than 16 bits count", items));
  CALL(wisp_entity_tables_make(err, s, by_dimension, &tables));
  CALL(wisp_new(err, tables.count + 1, sizeof *groups, &groups));
  m.group = groups;
  CALL(find_groups(err, &m));
  CALL(wisp_new(err, m.groups + 1, sizeof(int32_t), &list->array[0].ints));
  CALL(wisp_parallel(err, m.groups, put_groups, &m));
  CALL(wisp_list_allocate_groups(err, m.groups, list));
  return wisp_parallel(err, m.groups, put_groups, &m);
}

const wisp_list_kind wisp_list_gathered_products = {.param = "group_elements", .make = make};
