#include "template.h"

#include <math.h>

/* Bounds on what one expansion may do, so that a slip in a template is an error and not a full memory or an endless
 * loop. */
static const size_t most_bytes = (size_t)64 << 20;
static const int64_t most_pieces = (int64_t)1 << 24;

typedef struct run {
  wisp_error *err;
  wisp_text *out;
  size_t start;   /* of this expansion in out */
  int real_bytes; /* 0: not defined */
  int64_t pieces;
  int depth;
  wisp_text margin;   /* what lines inside of inserted texts begin with */
  bool at_line_start; /* the next byte begins such a line, whose margin is not written yet */
  wisp_text scratch;
} run;

static wisp_status run_pieces(run *r, wisp_template *t, const wisp_env *env, size_t from, size_t to);

/* Writes bytes, with the margin before every line that is not empty. */
static wisp_status emit(run *r, const char *bytes, size_t count)
{
  CALL(wisp_require(r->err, r->out->length - r->start + count <= most_bytes, WISP_EINPUT,
                    "the expansion is larger than %zu MiB", most_bytes >> 20));
  if (!r->margin.length) {
    r->at_line_start = false;
    return wisp_text_add(r->err, r->out, bytes, count);
  }
  while (count) {
    const char *newline = memchr(bytes, '\n', count);
    size_t length = newline ? (size_t)(newline - bytes) + 1 : count;
    if (r->at_line_start && *bytes != '\n') CALL(wisp_text_add(r->err, r->out, r->margin.data, r->margin.length));
    CALL(wisp_text_add(r->err, r->out, bytes, length));
    r->at_line_start = newline != NULL;
    bytes += length;
    count -= length;
  }
  return WISP_OK;
}

static wisp_status emit_integer(run *r, int64_t value)
{
  char text[32];
  int count = snprintf(text, sizeof text, "%lld", (long long)value);
  return emit(r, text, (size_t)count);
}

static wisp_status check_depth(run *r)
{
  return wisp_require(r->err, r->depth < WISP_TEMPLATE_DEEPEST, WISP_EINPUT,
                      "blocks and inserted texts nest deeper than %d: does a text insert itself?",
                      WISP_TEMPLATE_DEEPEST);
}

static wisp_status find(run *r, const wisp_piece *piece, const wisp_env *env, const wisp_value **value)
{
  CALL(wisp_env_find(r->err, env, piece->name, piece->hash, value));
  return wisp_require(r->err, *value, WISP_EINPUT, "the name '%s' is not defined", piece->name);
}

/* The names that the text takes and those that it is given must be the same. */
static wisp_status check_given(run *r, const wisp_piece *piece)
{
  const char *takes = piece->inside->takes ? piece->inside->takes : "";
  char name[64] = "";
  int length = 0;
  for (size_t i = 0; i < piece->givens; i++)
    CALL(wisp_require(r->err, wisp_list_has(takes, piece->given[i].name), WISP_EINPUT,
                      "'%s' takes no '%s': its line {{takes NAME ...}} says what it takes", piece->name,
                      piece->given[i].name));
  for (const char *at = takes; sscanf(at, "%63s%n", name, &length) == 1; at += length) {
    bool given = false;
    for (size_t i = 0; i < piece->givens; i++) given |= strcmp(piece->given[i].name, name) == 0;
    CALL(wisp_require(r->err, given, WISP_EINPUT, "'%s' takes '%s': write {{>%s %s=...}}", piece->name, name,
                      piece->name, name));
  }
  return WISP_OK;
}

/* Gives a name in the insert's own scope: a number, or all that another name stands for. */
static wisp_status give(run *r, const wisp_piece *piece, const wisp_given *given, const wisp_env *env)
{
  int64_t number = 0;
  if (given->expr) {
    CALL(wisp_expr_int(r->err, given->expr, env, &number));
    return wisp_env_int(r->err, piece->frame, given->name, number);
  }
  const wisp_value *value = NULL;
  CALL(wisp_env_find(r->err, env, given->other, given->hash, &value));
  CALL(wisp_require(r->err, value, WISP_EINPUT, "the name '%s' is not defined", given->other));
  return wisp_env_stand(r->err, piece->frame, given->name, value);
}

/* The inserted text, parsed when it first runs, with what it is given in scope. */
static wisp_status run_inside(run *r, wisp_piece *piece, const wisp_env *env, const wisp_value *text)
{
  CALL(check_depth(r));
  if (piece->inside_text != text->as.text) {
    wisp_template_destroy(piece->inside);
    piece->inside = NULL;
    CALL(wisp_template_parse(r->err, text->file ? text->file : piece->name, text->as.text, &piece->inside));
    piece->inside_text = text->as.text;
  }
  CALL(check_given(r, piece));
  if (piece->givens && !piece->frame) CALL(wisp_env_create(r->err, env, &piece->frame));
  for (size_t i = 0; i < piece->givens; i++) CALL(give(r, piece, &piece->given[i], env));
  r->depth++;
  CALL(run_pieces(r, piece->inside, piece->givens ? piece->frame : env, 0, piece->inside->count));
  r->depth--;
  return WISP_OK;
}

/* Writes a text value, plain or as a template of its own; its further lines begin as the tag's line does. A newline at
 * its end is dropped where the tag's own line ends there too. */
static wisp_status run_text(run *r, wisp_piece *piece, const wisp_env *env, const wisp_value *value)
{
  size_t margin = r->margin.length, before = r->out->length;
  CALL(wisp_text_add(r->err, &r->margin, piece->bytes, piece->count));
  if (piece->kind == PIECE_INSERT) {
    CALL(run_inside(r, piece, env, value));
  } else {
    CALL(emit(r, value->as.text, value->count));
  }
  if (piece->ends_line && r->out->length > before && r->out->data[r->out->length - 1] == '\n') {
    r->out->data[--r->out->length] = '\0';
    r->at_line_start = false;
  }
  r->margin.length = margin;
  return WISP_OK;
}

static wisp_status run_name(run *r, wisp_piece *piece, const wisp_env *env)
{
  const wisp_value *value = NULL;
  CALL(find(r, piece, env, &value));
  if (value->kind == WISP_KIND_TEXT) return run_text(r, piece, env, value);
  if (value->kind == WISP_KIND_INT && piece->kind == PIECE_NAME) return emit_integer(r, value->as.integer);
  CALL(wisp_require(r->err, piece->kind != PIECE_NAME, WISP_EINPUT, "'%s' is %s: it cannot be written whole",
                    piece->name, wisp_kind_words(value->kind)));
  return wisp_fail(r->err, WISP_EINPUT, "'%s' is %s: only a text can be inserted", piece->name,
                   wisp_kind_words(value->kind));
}

static wisp_status run_entry(run *r, const wisp_piece *piece, const wisp_env *env)
{
  const wisp_value *table = NULL;
  int64_t i = 0;
  CALL(find(r, piece, env, &table));
  CALL(wisp_require(r->err, table->kind == WISP_KIND_REALS || table->kind == WISP_KIND_INTS, WISP_EINPUT,
                    "'%s' is %s, not a table", piece->name, wisp_kind_words(table->kind)));
  CALL(wisp_expr_int(r->err, piece->expr, env, &i));
  CALL(wisp_require(r->err, i >= 0 && (uint64_t)i < table->count, WISP_EINPUT,
                    "index %lld is outside '%s', which has %zu entries", (long long)i, piece->name, table->count));
  if (table->kind == WISP_KIND_INTS) return emit_integer(r, table->as.ints[i]);
  CALL(wisp_require(r->err, r->real_bytes, WISP_EINPUT, "'real_bytes' must be defined to write '%s'", piece->name));
  r->scratch.length = 0;
  CALL(wisp_print_real(r->err, &r->scratch, table->as.reals[i], r->real_bytes));
  return emit(r, r->scratch.data, r->scratch.length);
}

static wisp_status count_piece(run *r, const wisp_template *t, const wisp_piece *piece)
{
  return wisp_require(r->err, ++r->pieces < most_pieces, WISP_EINPUT, "%s:%d: the expansion has more than %lld pieces",
                      t->name, piece->line, (long long)most_pieces);
}

/* The body of a loop, once for every item of a list or number below a count. */
static wisp_status run_loop(run *r, wisp_template *t, size_t place, const wisp_env *env, int64_t count,
                            wisp_env *const *items)
{
  wisp_piece *piece = &t->pieces[place];
  if (!piece->frame) CALL(wisp_env_create(r->err, env, &piece->frame));
  for (int64_t i = 0; i < count; i++) {
    CALL(count_piece(r, t, piece));
    CALL(wisp_env_int(r->err, piece->frame, "first", i == 0));
    CALL(wisp_env_int(r->err, piece->frame, "last", i == count - 1));
    CALL(wisp_env_int(r->err, piece->frame, items ? "index" : piece->name, i));
    wisp_env_show(piece->frame, items ? items[i] : NULL);
    CALL(run_pieces(r, t, piece->frame, place + 1, piece->end));
  }
  return WISP_OK;
}

/* One block: its head is evaluated, and its body runs as often as that says. in_body tells whose errors come back. */
static wisp_status run_block(run *r, wisp_template *t, size_t place, const wisp_env *env, bool *in_body)
{
  const wisp_piece *piece = &t->pieces[place];
  const wisp_value *list = NULL;
  int64_t value = 0;
  CALL(check_depth(r));
  if (piece->kind == PIECE_LIST) {
    CALL(find(r, piece, env, &list));
    CALL(wisp_require(r->err, list->kind == WISP_KIND_LIST, WISP_EINPUT, "'%s' is %s, not a list", piece->name,
                      wisp_kind_words(list->kind)));
  } else {
    CALL(wisp_expr_int(r->err, piece->expr, env, &value));
  }
  *in_body = true;
  r->depth++;
  if (list)
    CALL(run_loop(r, t, place, env, (int64_t)list->count, list->as.items));
  else if (piece->kind == PIECE_FOR)
    CALL(run_loop(r, t, place, env, value, NULL));
  else if (value)
    CALL(run_pieces(r, t, env, place + 1, piece->otherwise));
  else
    CALL(run_pieces(r, t, env, piece->otherwise, piece->end));
  r->depth--;
  return WISP_OK;
}

/* A range of pieces. A piece's own errors get its place put before them; those of a block's body have one. */
static wisp_status run_pieces(run *r, wisp_template *t, const wisp_env *env, size_t from, size_t to)
{
  wisp_status status = WISP_OK;
  bool placed = false;
  int64_t value = 0;
  wisp_piece *piece = NULL;
  for (size_t i = from; i < to; i = piece->end ? piece->end : i + 1) {
    piece = &t->pieces[i];
    placed = true;
    TRY(count_piece(r, t, piece));
    placed = false;
    if (piece->kind == PIECE_BYTES)
      TRY(emit(r, piece->bytes, piece->count));
    else if (piece->kind == PIECE_NAME || piece->kind == PIECE_INSERT)
      TRY(run_name(r, piece, env));
    else if (piece->kind == PIECE_EXPR) {
      TRY(wisp_expr_int(r->err, piece->expr, env, &value));
      TRY(emit_integer(r, value));
    } else if (piece->kind == PIECE_ENTRY)
      TRY(run_entry(r, piece, env));
    else
      TRY(run_block(r, t, i, env, &placed));
  }
done:
  return placed || !piece ? status : wisp_context(r->err, status, "%s:%d: ", t->name, piece->line);
}

static void release(run *r)
{
  wisp_text_free(&r->margin), wisp_text_free(&r->scratch);
}

wisp_status wisp_expand(wisp_error *err, const char *name, const char *template_text, const wisp_env *env,
                        wisp_text *out)
{
  OWNED(wisp_template_destroy) wisp_template *template = NULL;
  HELD(release) run r = {.err = err, .out = out, .start = out->length};
  int64_t real_bytes = 0;
  if (wisp_env_get_int(env, "real_bytes", &real_bytes))
    r.real_bytes = real_bytes == 4 || real_bytes == 8 ? (int)real_bytes : -1;
  CALL(wisp_template_parse(err, name, template_text, &template));
  CALL(wisp_text_add(err, out, "", 0));
  const wisp_status status = run_pieces(&r, template, env, 0, template->count);
  if (status != WISP_OK) out->data[out->length = r.start] = '\0';
  return status;
}

wisp_status wisp_print_real(wisp_error *err, wisp_text *out, double value, int real_bytes)
{
  char text[48];
  CALL(wisp_require(err, real_bytes == WISP_F32 || real_bytes == WISP_F64, WISP_EUSAGE,
                    "reals have 4 or 8 bytes ('real_bytes'), not %d", real_bytes));
  double rounded = real_bytes == WISP_F32 ? (double)(float)value : value;
  CALL(wisp_require(err, isfinite(rounded), WISP_EINPUT, "%g has no literal of %d bytes", value, real_bytes));
  int count = snprintf(text, sizeof text, "%.*g", real_bytes == WISP_F32 ? 9 : 17, fabs(rounded));
  /* A point is whatever the program's locale makes it: a source text wants a point. */
  bool is_real = false;
  for (int i = 0; i < count; i++) {
    if (!strchr("0123456789e+-", text[i])) text[i] = '.';
    is_real = is_real || text[i] == '.' || text[i] == 'e';
  }
  return wisp_text_print(err, out, "%s%s%s%s%s", rounded < 0 ? "(-" : "", text, is_real ? "" : ".0",
                         real_bytes == WISP_F32 ? "f" : "", rounded < 0 ? ")" : "");
}
