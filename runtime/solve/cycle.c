#include "cycle.h"
#include "strength.h"

#include <math.h>

/* A level's matrices: where they have numbers, and their rows among all. */
typedef enum part {
  A,
  SCALED, /* A D^-1 */
  E,
  T,    /* T^T, rows the aggregates */
  PT,   /* P^T */
  PTA,  /* P^T A */
  DOWN, /* T^T S E */
  UP,   /* (E^T Q + Q) beside DOWN^T, or the last level's inverse */
  PARTS
} part;

/* Levels TWICE to TWICE_LAST, the latter from some rows on, are visited twice: few iterations for small levels. */
enum { TWICE = 1, TWICE_LAST = 2, TWICE_ROWS = 512 };

typedef struct level {
  wisp_sparse of[PARTS];
  size_t first[PARTS]; /* rows */
  size_t second, left; /* of the second visit: rows that end it, and those of what the first has left of b */
  size_t at, x;        /* of b in levels, and of x behind it */
} level;

typedef struct hierarchy {
  level level[WISP_CYCLE_LEVELS];
  size_t levels, width;
  bool direct;       /* the last is solved by an inverse, else smoothed */
  bool smoothed;     /* the first is, by others */
  wisp_sparse graph; /* of the level that is coarsened next, of whose numbers strong connections follow; */
  double *strength;  /* NULL: they are not known */
} hierarchy;

static bool is_twice(const hierarchy *h, size_t i)
{
  if (i < TWICE || i > TWICE_LAST || i + 1 >= h->levels) return false;
  return i == TWICE || h->level[i].of[A].rows >= TWICE_ROWS;
}

static void free_hierarchy(hierarchy *h)
{
  wisp_sparse_free(&h->graph);
  free(h->strength);
  for (level *l = h->level; l < h->level + WISP_CYCLE_LEVELS; l++)
    for (int i = 0; i < PARTS; i++) wisp_sparse_free(&l->of[i]);
}

void wisp_cycle_destroy(wisp_cycle *c)
{
  if (!c) return;
  WISP_FREE(c->start, c->column, c->target, c);
}

/* --- aggregates --- */

/* Takes row i and those of its neighbours that are nobody's. */
static void take_row(const wisp_sparse *of, size_t i, int32_t number, int32_t *to)
{
  for (int32_t q = of->start[i]; q < of->start[i + 1]; q++)
    if (to[of->column[q]] < 0) to[of->column[q]] = number;
  to[i] = number;
}

/* First rows whose neighbours are all free, with these; then what is left joins a neighbour; then the rest. */
static size_t aggregate(const wisp_sparse *of, int32_t *to, int32_t *joined)
{
  int32_t count = 0;
  for (size_t i = 0; i < of->rows; i++) to[i] = -1;
  for (size_t i = 0; i < of->rows; i++) {
    bool is_free = true;
    for (int32_t q = of->start[i]; q < of->start[i + 1] && is_free; q++) is_free = to[of->column[q]] < 0;
    if (is_free) take_row(of, i, count++, to);
  }
  for (size_t i = 0; i < of->rows; i++) {
    joined[i] = to[i];
    for (int32_t q = of->start[i]; q < of->start[i + 1] && joined[i] < 0; q++) joined[i] = to[of->column[q]];
  }
  memcpy(to, joined, of->rows * sizeof *to);
  for (size_t i = 0; i < of->rows; i++)
    if (to[i] < 0) take_row(of, i, count++, to);
  return (size_t)count;
}

/* T^T: a row an aggregate. */
static wisp_status aggregates(wisp_error *err, const wisp_sparse *of, wisp_sparse *out)
{
  HELD(wisp_sparse_free) wisp_sparse members = {.rows = of->rows};
  OWNED(free) int32_t *joined = NULL;
  CALL(wisp_new(err, of->rows, sizeof *joined, &joined));
  CALL(wisp_new(err, of->rows, sizeof *members.column, &members.column));
  CALL(wisp_new(err, of->rows + 1, sizeof *members.start, &members.start));
  for (size_t i = 0; i <= of->rows; i++) members.start[i] = (int32_t)i;
  members.columns = aggregate(of, members.column, joined);
  return wisp_sparse_transpose(err, &members, out);
}

/* --- levels --- */

static wisp_status copy_pattern(wisp_error *err, const wisp_sparse *of, wisp_sparse *out)
{
  const size_t numbers = (size_t)of->start[of->rows];
  *out = (wisp_sparse){.rows = of->rows, .columns = of->columns};
  CALL(wisp_new(err, of->rows + 1, sizeof *out->start, &out->start));
  CALL(wisp_new(err, numbers, sizeof *out->column, &out->column));
  memcpy(out->start, of->start, (of->rows + 1) * sizeof *out->start);
  memcpy(out->column, of->column, numbers * sizeof *out->column);
  return WISP_OK;
}

/* Aggregates by strong connections; and the same numbers between them, for the next level. */
static wisp_status aggregate_strong(wisp_error *err, hierarchy *h, wisp_sparse *out)
{
  HELD(wisp_sparse_free) wisp_sparse neighbours = {.rows = 0}, next = {.rows = 0};
  double *strength = NULL;
  CALL(wisp_strong_neighbours(err, &h->graph, h->strength, &neighbours));
  CALL(aggregates(err, &neighbours, out));
  CALL(wisp_sparse_contract(err, &h->graph, h->strength, out, &next, &strength));
  wisp_sparse_free(&h->graph);
  free(h->strength);
  h->strength = strength;
  return GIVE(next, &h->graph);
}

/* The next level's A; no row: its aggregates are no fewer, and l is the last. */
static wisp_status coarsen(wisp_error *err, hierarchy *h, level *l, wisp_sparse *next)
{
  HELD(wisp_sparse_free) wisp_sparse P = {.rows = 0};
  CALL(h->strength ? aggregate_strong(err, h, &l->of[T]) : aggregates(err, &l->of[A], &l->of[T]));
  if (l->of[T].rows * 5 > l->of[A].rows * 4) {
    wisp_sparse_free(&l->of[T]);
    return WISP_OK;
  }
  CALL(wisp_sparse_multiply(err, &l->of[T], &l->of[A], &l->of[PT]));
  CALL(l->of[E].rows ? wisp_sparse_multiply(err, &l->of[PT], &l->of[E], &l->of[DOWN])
                     : copy_pattern(err, &l->of[PT], &l->of[DOWN]));
  CALL(wisp_sparse_transpose(err, &l->of[PT], &P));
  CALL(wisp_sparse_multiply(err, &l->of[PT], &l->of[A], &l->of[PTA]));
  return wisp_sparse_multiply(err, &l->of[PTA], &P, next);
}

/* A wisp_sparse_row: of a matrix that is full. */
static size_t fill_row(const void *context, size_t row, int32_t *columns)
{
  const size_t count = ((const wisp_sparse *)context)->columns;
  (void)row;
  for (size_t j = 0; j < count; j++) columns[j] = (int32_t)j;
  return count;
}

static wisp_status make_levels(wisp_error *err, wisp_sparse *of, size_t direct, hierarchy *h)
{
  HELD(wisp_sparse_free) wisp_sparse next = {.rows = 0};
  CALL(GIVE(*of, &next));
  while (next.rows) {
    level *l = &h->level[h->levels++];
    const bool smoothed = h->smoothed && h->levels == 1;
    CALL(GIVE(next, &l->of[A]));
    l->at = h->width;
    l->x = l->at + (smoothed ? (l->of[A].rows + 3) / 4 * 4 : l->of[A].rows);
    h->width = l->x + (l->x - l->at);
    h->direct = l->of[A].rows <= direct;
    if (h->direct) return wisp_sparse_make(err, l->of[A].rows, l->of[A].rows, direct, fill_row, &l->of[A], &l->of[UP]);
    CALL(copy_pattern(err, &l->of[A], &l->of[SCALED]));
    if (!smoothed) CALL(wisp_sparse_multiply(err, &l->of[A], &l->of[A], &l->of[E]));
    if (!smoothed) CALL(wisp_sparse_multiply(err, &l->of[E], &l->of[A], &l->of[UP]));
    if (h->levels < WISP_CYCLE_LEVELS) CALL(coarsen(err, h, l, &next));
  }
  return WISP_OK;
}

/* --- rows --- */

/* Columns of a matrix, counted from a place in levels; no matrix: the identity's. */
typedef struct columns {
  const wisp_sparse *of;
  size_t at;
} columns;

/* Rows whose columns are those of some matrices, one beside the other. Without memory for them they are counted. */
static size_t add_rows(wisp_cycle *c, size_t rows, size_t count, const columns *from)
{
  const size_t first = c->rows;
  for (size_t i = 0; i < rows; i++) {
    for (size_t k = 0; k < count; k++) {
      const wisp_sparse *of = from[k].of;
      const int32_t diagonal = (int32_t)i, *column = of ? of->column + of->start[i] : &diagonal;
      const size_t width = of ? (size_t)(of->start[i + 1] - of->start[i]) : 1;
      for (size_t q = 0; c->column && q < width; q++)
        c->column[c->numbers + q] = (int32_t)(from[k].at + (size_t)column[q]);
      c->numbers += width;
    }
    c->rows++;
    if (c->start) c->start[c->rows] = (int32_t)c->numbers;
  }
  return first;
}

/* Rows whose sums go to `to`. */
static size_t add_sums(wisp_cycle *c, size_t to, size_t rows, size_t count, const columns *from)
{
  const size_t first = add_rows(c, rows, count, from);
  for (size_t i = 0; c->target && i < rows; i++) c->target[first + i] = (int32_t)(to + i);
  return first;
}

static wisp_status add_level(wisp_error *err, wisp_cycle *c, hierarchy *h, size_t i)
{
  level *l = &h->level[i], *next = l + 1;
  const size_t n = l->of[A].rows;
  const bool smoothed = h->smoothed && i == 0, is_last = i + 1 == h->levels;
  HELD(wisp_sparse_free) wisp_sparse up = {.rows = 0};
  columns ends[3]; /* of the rows that make x */
  size_t count = 0;
  if (l->of[UP].rows) ends[count++] = (columns){&l->of[UP], l->at};
  if (smoothed) ends[count++] = (columns){NULL, l->x};
  if (!is_last) {
    CALL(wisp_sparse_transpose(err, &l->of[DOWN], &up));
    l->first[DOWN] = add_sums(c, next->at, l->of[DOWN].rows, 1, &(columns){&l->of[DOWN], l->at});
    ends[count++] = (columns){&up, next->x};
  }
  l->first[UP] = add_sums(c, l->x, n, count, ends);
  if (!is_twice(h, i)) return WISP_OK;
  l->left = add_sums(c, l->at, n, 2, (columns[]){{NULL, l->at}, {&l->of[A], l->x}});
  l->second = add_sums(c, l->x, n, 3, (columns[]){ends[0], {NULL, l->x}, ends[count - 1]});
  return WISP_OK;
}

static void add_span(wisp_cycle *c, size_t first, size_t count)
{
  c->span[c->spans++] = (wisp_span){first, count};
}

/* Down from level i and up to it again, there the rows `end` last. */
static void visit(wisp_cycle *c, const hierarchy *h, size_t i, size_t end)
{
  const level *l = &h->level[i], *next = l + 1;
  if (i + 1 < h->levels) {
    add_span(c, l->first[DOWN], l->of[DOWN].rows);
    visit(c, h, i + 1, next->first[UP]);
    if (is_twice(h, i + 1)) {
      add_span(c, next->left, next->of[A].rows);
      visit(c, h, i + 1, next->second);
    }
  }
  add_span(c, end, l->of[A].rows);
}

static wisp_status add_all_rows(wisp_error *err, hierarchy *h, wisp_cycle *c)
{
  c->rows = c->numbers = 0;
  for (size_t i = 0; i < h->levels; i++) CALL(add_level(err, c, h, i));
  for (level *l = h->level; l < h->level + h->levels; l++)
    for (int i = 0; i < DOWN; i++)
      if (l->of[i].rows) l->first[i] = add_rows(c, l->of[i].rows, 1, &(columns){&l->of[i], 0});
  return WISP_OK;
}

static wisp_status lay_out(wisp_error *err, hierarchy *h, wisp_cycle *c)
{
  CALL(add_all_rows(err, h, c));
  CALL(wisp_require(err, c->numbers < INT32_MAX, WISP_EUSAGE,
                    "the coarse problem has more than 2^31 - 1 numbers: take fewer elements or a lower order"));
  CALL(wisp_new(err, c->rows + 1, sizeof *c->start, &c->start));
  CALL(wisp_new(err, c->numbers, sizeof *c->column, &c->column));
  CALL(wisp_new(err, c->rows, sizeof *c->target, &c->target));
  CALL(add_all_rows(err, h, c));
  if (h->levels) visit(c, h, 0, h->level[0].first[UP]);
  return WISP_OK;
}

/* --- steps --- */

static wisp_cycle_matrix find_matrix(const level *l, part which, size_t shift)
{
  return (wisp_cycle_matrix){l->first[which], l->of[which].rows, l->of[which].columns, shift};
}

static wisp_cycle_step *add_step(wisp_cycle *c, enum wisp_cycle_how how, wisp_cycle_matrix left,
                                 wisp_cycle_matrix right, wisp_cycle_matrix out)
{
  wisp_cycle_step *step = &c->step[c->steps++];
  *step = (wisp_cycle_step){.how = how, .out = out, .left = left, .right = right, .weights_at = -1};
  step->left_scale = step->right_scale = 1;
  return step;
}

/* one I + scale times a matrix, to a part of rows. */
static void add_copy(wisp_cycle *c, wisp_cycle_matrix out, wisp_cycle_matrix from, double one, double scale)
{
  wisp_cycle_step *step = add_step(c, WISP_CYCLE_PRODUCT, from, from, out);
  step->own = 1, step->left_scale = 0, step->right_one = one, step->right_scale = scale;
}

/* 1 / D and A D^-1. */
static void add_weights(wisp_cycle *c, const level *l)
{
  const wisp_cycle_matrix scaled = find_matrix(l, SCALED, 0);
  add_step(c, WISP_CYCLE_WEIGH, find_matrix(l, A, 0), scaled, scaled)->weights_at = (long long)l->at;
}

/* Two steps of smoothing, weighted by Chebyshev's polynomial on the upper part of the eigenvalues. */
static void add_smoothing(wisp_cycle *c, const level *l)
{
  const wisp_cycle_matrix scaled = find_matrix(l, SCALED, 0), smoothed = find_matrix(l, E, 0);
  static const double share = 0.1;
  double w[2];
  for (int i = 0; i < 2; i++) w[i] = 2 / (1 + share + (i ? -1 : 1) * (1 - share) * sqrt(0.5));
  wisp_cycle_step *step = add_step(c, WISP_CYCLE_PRODUCT, scaled, scaled, smoothed);
  step->own = 1, step->left_scale = -w[0], step->right_one = 1, step->right_scale = -w[1];
  step = add_step(c, WISP_CYCLE_PRODUCT, smoothed, scaled, find_matrix(l, UP, l->at)); /* E^T Q = D^-1 E D Q */
  step->own = 1, step->right_one = w[0] + w[1], step->right_scale = -w[0] * w[1];
  step->weights_at = (long long)l->at;
}

/* x of the others' smoothing stays in the sum. */
static void add_carry(wisp_cycle *c, const level *l)
{
  const wisp_cycle_matrix of = find_matrix(l, A, 0);
  add_copy(c, (wisp_cycle_matrix){l->first[UP], of.rows, of.rows, l->x}, of, 1, 0);
}

static void add_coarsening(wisp_cycle *c, const level *l, const level *next)
{
  const wisp_cycle_matrix Pt = find_matrix(l, PT, 0), down = find_matrix(l, DOWN, l->at), PtA = find_matrix(l, PTA, 0);
  wisp_cycle_step *step = add_step(c, WISP_CYCLE_PRODUCT, find_matrix(l, T, 0), find_matrix(l, SCALED, 0), Pt);
  step->right_one = 1, step->right_scale = -8.0 / 5;
  if (l->of[E].rows)
    add_step(c, WISP_CYCLE_PRODUCT, Pt, find_matrix(l, E, 0), down);
  else
    add_copy(c, down, Pt, 0, 1);
  const wisp_cycle_matrix up = {l->first[UP], l->of[A].rows, next->of[A].rows, next->x};
  step = add_step(c, WISP_CYCLE_PRODUCT, up, down, up);
  step->own = 1, step->left_scale = 0, step->transposed = true;
  add_step(c, WISP_CYCLE_PRODUCT, Pt, find_matrix(l, A, 0), PtA);
  add_step(c, WISP_CYCLE_PRODUCT, PtA, Pt, find_matrix(next, A, 0))->transposed = true;
  c->aggregates[c->coarsenings++] = find_matrix(l, T, 0);
}

/* The rest of b after the first visit, b - A x, and rows that end the second: those of the first, and x. */
static void add_visit(wisp_cycle *c, const level *l, const level *next)
{
  const size_t n = l->of[A].rows, next_n = next->of[A].rows, x = l->x, next_x = next->x;
  const wisp_cycle_matrix of = find_matrix(l, A, 0);
  add_copy(c, (wisp_cycle_matrix){l->left, n, n, l->at}, of, 1, 0);
  add_copy(c, (wisp_cycle_matrix){l->left, n, n, x}, of, 0, -1);
  add_copy(c, (wisp_cycle_matrix){l->second, n, n, l->at}, find_matrix(l, UP, l->at), 0, 1);
  add_copy(c, (wisp_cycle_matrix){l->second, n, n, x}, of, 1, 0);
  add_copy(c, (wisp_cycle_matrix){l->second, n, next_n, next_x}, (wisp_cycle_matrix){l->first[UP], n, next_n, next_x},
           0, 1);
}

size_t wisp_cycle_small(const wisp_cycle *c, size_t from)
{
  while (from < c->spans && c->span[from].count <= WISP_CYCLE_SMALL) from++;
  return from;
}

size_t wisp_cycle_bindings(const wisp_cycle_step *s, wisp_binding bindings[WISP_CYCLE_BINDINGS])
{
  const wisp_binding all[WISP_CYCLE_BINDINGS] = {{"coarse_rows", 0, (double)s->out.rows},
                                                 {"out_first", 0, (double)s->out.first},
                                                 {"out_shift", 0, (double)s->out.shift},
                                                 {"out_columns", 0, (double)s->out.columns},
                                                 {"left_first", 0, (double)s->left.first},
                                                 {"right_first", 0, (double)s->right.first},
                                                 {"turned", 0, s->transposed},
                                                 {"right_shift", 0, (double)s->right.shift},
                                                 {"own", 0, s->own},
                                                 {"left_scale", 0, s->left_scale},
                                                 {"right_one", 0, s->right_one},
                                                 {"right_scale", 0, s->right_scale},
                                                 {"weights_at", 0, (double)s->weights_at}};
  const wisp_binding last[] = {{"last_rows", 0, (double)s->out.rows},
                               {"last_out", 0, (double)s->out.first},
                               {"last_first", 0, (double)s->left.first}};
  const bool inverse = s->how == WISP_CYCLE_INVERT;
  memcpy(bindings, inverse ? last : all, inverse ? sizeof last : sizeof all);
  return inverse ? WISP_COUNT(last) : WISP_CYCLE_BINDINGS;
}

/* The steps that make a level's numbers, and the next one's A. */
static void add_level_steps(wisp_cycle *c, const hierarchy *h, size_t i)
{
  const level *l = &h->level[i];
  const bool is_last = i + 1 == h->levels;
  if (h->smoothed && i == 0) add_carry(c, l);
  if (h->direct && is_last) {
    add_step(c, WISP_CYCLE_INVERT, find_matrix(l, A, 0), find_matrix(l, A, 0), find_matrix(l, UP, l->at));
    return;
  }
  add_weights(c, l);
  if (l->of[UP].rows) add_smoothing(c, l);
  if (!is_last) add_coarsening(c, l, l + 1);
  if (is_twice(h, i)) add_visit(c, l, l + 1);
}

static wisp_status keep_strength(wisp_error *err, const wisp_sparse *of, const double *values, hierarchy *h)
{
  const size_t numbers = (size_t)of->start[of->rows];
  if (!values) return WISP_OK;
  CALL(copy_pattern(err, of, &h->graph));
  CALL(wisp_new(err, numbers, sizeof *h->strength, &h->strength));
  memcpy(h->strength, values, numbers * sizeof *values);
  return WISP_OK;
}

wisp_status wisp_cycle_create(wisp_error *err, wisp_sparse *of, const double *values, size_t direct, bool smoothed,
                              wisp_cycle **out)
{
  OWNED(wisp_cycle_destroy) wisp_cycle *c = NULL;
  HELD(free_hierarchy) hierarchy h = {.smoothed = smoothed};
  CALL(keep_strength(err, of, values, &h));
  CALL(make_levels(err, of, direct, &h));
  CALL(wisp_new(err, 1, sizeof *c, &c));
  CALL(lay_out(err, &h, c));
  for (size_t i = 0; i < h.levels; i++) add_level_steps(c, &h, i);
  c->A = find_matrix(&h.level[0], A, 0);
  c->width = h.width;
  c->solution_at = h.level[0].x;
  return GIVE(c, out);
}
