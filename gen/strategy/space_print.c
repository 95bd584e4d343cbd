/* The two parts of a strategy's hash that follow from its space: the space, however it is written, and the symbols of
 * systems that its texts read. */
#include "source_set.h"
#include "../family.h"
#include "../language/template.h"

/* The place of an expression in the space: the lets that it sees, and names that have their values from elsewhere. */
typedef struct place {
  const wisp_strategy *strategy;
  const uint64_t *let; /* what each of its lets says */
  size_t lets;
  const wisp_operand *operand; /* NULL, or that whose wheres it sees */
  const uint64_t *where;
  int wheres;
  const char *bound; /* q, or NULL */
} place;

/* A wisp_name_hash: a let's or where's is its expression's, a fact's its value's, any other name stands for itself. */
static uint64_t hash_name(const void *context, const char *name)
{
  const place *at = context;
  const uint64_t own = wisp_hash_text(WISP_HASH_SEED, name);
  if (at->bound && strcmp(at->bound, name) == 0) return own;
  for (int i = at->wheres; i-- > 0;)
    if (strcmp(at->operand->where[i].name, name) == 0) return at->where[i];
  for (size_t i = at->lets; i-- > 0;)
    if (strcmp(at->strategy->let[i].name, name) == 0) return at->let[i];
  for (const wisp_size *fact = at->strategy->facts; fact->name; fact++)
    if (strcmp(fact->name, name) == 0) return wisp_hash_number(WISP_HASH_SEED, (uint64_t)fact->value);
  return own;
}

static wisp_status print_expr(wisp_error *err, const wisp_clause *clause, const place *at, wisp_text *out)
{
  const uint64_t number = clause->expr ? wisp_expr_hash(clause->expr, hash_name, at) : 0;
  return wisp_text_print(err, out, " %016llx", (unsigned long long)number);
}

/* Their names alone: values are what a trial says of itself. */
static wisp_status print_params(wisp_error *err, const wisp_strategy *s, wisp_text *out)
{
  const char *names[WISP_MAX_PARAMS];
  for (int i = 0; i < s->params; i++) names[i] = s->param[i].name;
  if (s->params) qsort(names, (size_t)s->params, sizeof *names, wisp_by_text);
  CALL(wisp_text_print(err, out, "params"));
  for (int i = 0; i < s->params; i++) CALL(wisp_text_print(err, out, " %s", names[i]));
  return wisp_text_print(err, out, "\n");
}

static wisp_status print_arg(wisp_error *err, const wisp_strategy *s, int i, place at, wisp_text *out)
{
  const wisp_arg *arg = &s->arg[i];
  const wisp_operand *operand = &s->operand[i];
  uint64_t where[WISP_MAX_WHERES];
  CALL(wisp_text_print(err, out, "arg %s %s %s", wisp_arg_kinds[arg->kind], wisp_numbers[arg->type].in_c, arg->name));
  if (arg->kind == WISP_ARG_OPERAND) {
    CALL(wisp_text_print(err, out, " %s", operand->table));
    CALL(print_expr(err, &operand->count, &at, out));
    at.bound = "q", at.operand = operand, at.where = where;
    for (; at.wheres < operand->wheres; at.wheres++)
      where[at.wheres] = wisp_expr_hash(operand->where[at.wheres].value.expr, hash_name, &at);
    CALL(print_expr(err, &operand->entry, &at, out));
    CALL(print_expr(err, &operand->part, &at, out));
  }
  return wisp_text_print(err, out, "\n");
}

wisp_status wisp_space_print(wisp_error *err, const wisp_strategy *s, uint64_t *let, wisp_text *out)
{
  place at = {.strategy = s, .let = let};
  for (at.lets = 0; at.lets < s->lets; at.lets++) /* a let sees those above it */
    let[at.lets] = wisp_expr_hash(s->let[at.lets].value.expr, hash_name, &at);
  CALL(wisp_text_print(err, out, "kernel %s_%s\n", s->family, s->kernel));
  CALL(print_params(err, s, out));
  for (int i = 0; i < s->args; i++) CALL(print_arg(err, s, i, at, out));
  for (int i = 0; i < s->shareds; i++) {
    CALL(wisp_text_print(err, out, "shared %s %s", s->shared[i].type, s->shared[i].name));
    CALL(print_expr(err, &s->shared[i].count, &at, out));
    CALL(wisp_text_print(err, out, "\n"));
  }
  CALL(wisp_text_print(err, out, "block"));
  for (int i = 0; i < 3; i++) CALL(print_expr(err, &s->block[i], &at, out));
  CALL(wisp_text_print(err, out, "\ngrid"));
  for (int i = 0; i < 2; i++) CALL(print_expr(err, &s->grid[i], &at, out));
  return wisp_text_print(err, out, "\n");
}

/* ---- Symbols of systems. */

typedef struct reader {
  wisp_error *err;
  wisp_find_part find;
  void *context;
  bool *visited; /* each part twice: with the strategy's numbers, and without them */
  uint32_t symbols;
} reader;

static void add_name(const char *name, uint32_t *symbols)
{
  for (int i = 0; i < WISP_SYSTEM_SYMBOLS; i++)
    if (strcmp(wisp_system_symbols[i], name) == 0) *symbols |= 1u << i;
}

static void add_expr(const wisp_expr *expr, uint32_t *symbols)
{
  const char *name = NULL;
  for (size_t i = 0; expr && (name = wisp_expr_name(expr, i)); i++) add_name(name, symbols);
}

/* A range of pieces, with the numbers that are known there; NULL: none, and every branch counts. */
static wisp_status read_pieces(reader *r, const wisp_template *t, size_t from, size_t to, const wisp_env *known);

/* A part that is given a name of the strategy's own may mean another number by it: then no branch is ruled out. */
static wisp_status read_insert(reader *r, const wisp_piece *p, const wisp_env *known)
{
  const wisp_template *part = NULL;
  size_t number = 0;
  for (size_t i = 0; i < p->givens; i++) {
    if (p->given[i].other) add_name(p->given[i].other, &r->symbols);
    add_expr(p->given[i].expr, &r->symbols);
    if (known && wisp_env_has(known, p->given[i].name)) known = NULL;
  }
  CALL(r->find(r->err, r->context, p->name, &part, &number));
  if (!part) return WISP_OK;
  bool *visited = &r->visited[2 * number + (known == NULL)];
  if (*visited) return WISP_OK;
  *visited = true;
  return read_pieces(r, part, 0, part->count, known);
}

static wisp_status read_branches(reader *r, const wisp_template *t, size_t at, const wisp_env *known)
{
  const wisp_piece *p = &t->pieces[at];
  int64_t holds = 0;
  const bool decided = known && wisp_expr_int(NULL, p->expr, known, &holds) == WISP_OK;
  if (!decided) add_expr(p->expr, &r->symbols);
  if (!decided || holds) CALL(read_pieces(r, t, at + 1, p->otherwise, known));
  return decided && holds ? WISP_OK : read_pieces(r, t, p->otherwise, p->end, known);
}

static wisp_status read_pieces(reader *r, const wisp_template *t, size_t from, size_t to, const wisp_env *known)
{
  for (size_t at = from; at < to;) {
    const wisp_piece *p = &t->pieces[at];
    const bool is_block = p->kind == PIECE_LIST || p->kind == PIECE_FOR || p->kind == PIECE_IF;
    if (p->kind == PIECE_INSERT) CALL(read_insert(r, p, known));
    if (p->kind == PIECE_IF) {
      CALL(read_branches(r, t, at, known));
    } else {
      if (p->name && p->kind != PIECE_FOR) add_name(p->name, &r->symbols);
      add_expr(p->expr, &r->symbols);
      if (is_block) CALL(read_pieces(r, t, at + 1, p->end, known));
    }
    at = is_block ? p->end : at + 1;
  }
  return WISP_OK;
}

/* The strategy's facts, and those of its lets that are numbers for every candidate. */
static wisp_status find_known(wisp_error *err, const wisp_strategy *s, wisp_env **out)
{
  OWNED(wisp_env_destroy) wisp_env *known = NULL;
  CALL(wisp_strategy_scope(err, s, NULL, &known));
  for (size_t i = 0; i < s->lets; i++) {
    int64_t value = 0;
    if (wisp_expr_int(NULL, s->let[i].value.expr, known, &value) == WISP_OK)
      CALL(wisp_env_int(err, known, s->let[i].name, value));
  }
  return GIVE(known, out);
}

static void add_space(const wisp_strategy *s, uint32_t *symbols)
{
  for (size_t i = 0; i < s->lets; i++) add_expr(s->let[i].value.expr, symbols);
  for (int i = 0; i < s->shareds; i++) add_expr(s->shared[i].count.expr, symbols);
  for (int i = 0; i < 3; i++) add_expr(s->block[i].expr, symbols);
  for (int i = 0; i < 2; i++) add_expr(s->grid[i].expr, symbols);
  for (int i = 0; i < s->args; i++) {
    const wisp_operand *o = &s->operand[i];
    add_expr(o->count.expr, symbols), add_expr(o->entry.expr, symbols), add_expr(o->part.expr, symbols);
    for (int w = 0; w < o->wheres; w++) add_expr(o->where[w].value.expr, symbols);
  }
}

wisp_status wisp_symbols_read(wisp_error *err, const wisp_strategy *strategy, const wisp_template *text, size_t parts,
                              wisp_find_part find, void *context, uint32_t *symbols)
{
  OWNED(wisp_env_destroy) wisp_env *known = NULL;
  OWNED(free) bool *visited = NULL;
  CALL(find_known(err, strategy, &known));
  CALL(wisp_new(err, 2 * parts + 2, sizeof *visited, &visited));
  reader r = {.err = err, .find = find, .context = context, .visited = visited};
  CALL(read_pieces(&r, text, 0, text->count, known));
  add_space(strategy, &r.symbols);
  *symbols = r.symbols;
  return WISP_OK;
}
