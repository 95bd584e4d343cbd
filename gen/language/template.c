#include "template.h"

#include <ctype.h>

typedef struct parser {
  wisp_error *err;
  wisp_template *template;
  const char *at, *end;   /* what is not parsed yet */
  int line;               /* of at */
  const char *line_start; /* of at's line, and how much white space it begins with */
  size_t margin;
  size_t open[WISP_TEMPLATE_DEEPEST]; /* the blocks that at is inside of */
  int depth;
} parser;

/* Moves on to a later place, keeping count of lines. */
static void advance(parser *p, const char *to)
{
  const char *start = p->line_start;
  for (const char *c; (c = memchr(p->at, '\n', (size_t)(to - p->at))); p->at = start) {
    p->line++;
    start = c + 1;
  }
  if (start != p->line_start) p->margin = strspn(start, " \t");
  p->line_start = start;
  p->at = to;
}

static wisp_status add(parser *p, const wisp_piece *piece)
{
  wisp_template *t = p->template;
  CALL(wisp_grow(p->err, &t->pieces, &t->capacity, t->count + 1, sizeof *piece));
  t->pieces[t->count++] = *piece;
  return WISP_OK;
}

static wisp_status add_bytes(parser *p, int line, const char *from, const char *end)
{
  if (end <= from) return WISP_OK;
  return add(p, &(wisp_piece){.kind = PIECE_BYTES, .line = line, .bytes = from, .count = (size_t)(end - from)});
}

/* The first place where a character stands twice in a row; NULL: none. */
static const char *find_pair(const char *from, const char *end, char c)
{
  while ((from = memchr(from, c, (size_t)(end - from))) && from[1] != c) from++;
  return from;
}

static bool is_word(const char *text, size_t length, const char *word)
{
  return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* Gives the piece the name that text begins with, and where it ends. */
static wisp_status give_name(parser *p, wisp_piece *piece, const char *text, const char **end)
{
  size_t length = wisp_name_length(text);
  CALL(wisp_require(p->err, length, WISP_EINPUT, "a name is expected, not '%.40s'", text));
  CALL(wisp_copy(p->err, text, length, &piece->name));
  piece->hash = wisp_env_hash(piece->name);
  *end = wisp_skip_space(text + length);
  return WISP_OK;
}

/* The same where nothing may follow the name. */
static wisp_status give_only_name(parser *p, wisp_piece *piece, const char *text)
{
  const char *end = NULL;
  CALL(give_name(p, piece, text, &end));
  return wisp_require(p->err, !*end, WISP_EINPUT,
                      "'%.40s' after the name '%s' (expressions are {{= expr}}, braces that "
                      "are not a tag { { )",
                      end, piece->name);
}

/* name, or name[expr] (tag is the parser's own copy, which is cut up here). */
static wisp_status parse_value(parser *p, wisp_piece *piece, char *tag)
{
  const char *end = NULL;
  size_t length = strlen(tag);
  char *bracket = strchr(tag, '[');
  piece->kind = bracket ? PIECE_ENTRY : PIECE_NAME;
  if (!bracket) return give_only_name(p, piece, tag);
  CALL(give_name(p, piece, tag, &end));
  CALL(wisp_require(p->err, end == bracket && tag[length - 1] == ']', WISP_EINPUT, "'%.60s' is not name[expr]", tag));
  tag[length - 1] = '\0';
  return wisp_expr_parse(p->err, bracket + 1, &piece->expr);
}

/* The text behind {{#. */
static wisp_status parse_open(parser *p, wisp_piece *piece, const char *tag)
{
  size_t length = wisp_name_length(tag);
  const char *rest = wisp_skip_space(tag + length);
  CALL(wisp_require(p->err, p->depth < WISP_TEMPLATE_DEEPEST, WISP_EINPUT, "blocks nest deeper than %d",
                    WISP_TEMPLATE_DEEPEST));
  if (is_word(tag, length, "if")) {
    piece->kind = PIECE_IF;
    CALL(wisp_expr_parse(p->err, rest, &piece->expr));
  } else if (is_word(tag, length, "for")) {
    piece->kind = PIECE_FOR;
    CALL(give_name(p, piece, rest, &rest));
    CALL(wisp_require(p->err, is_word(rest, wisp_name_length(rest), "in"), WISP_EINPUT,
                      "'%.60s' is not 'for name in expr'", tag));
    CALL(wisp_expr_parse(p->err, rest + 2, &piece->expr));
  } else {
    piece->kind = PIECE_LIST;
    CALL(give_only_name(p, piece, tag));
  }
  p->open[p->depth++] = p->template->count;
  return WISP_OK;
}

/* {{else}}, and {{/name}} where tag is what follows the slash. */
static wisp_status parse_else(parser *p)
{
  wisp_piece *block = p->depth ? &p->template->pieces[p->open[p->depth - 1]] : NULL;
  if (!block || block->kind != PIECE_IF) return wisp_fail(p->err, WISP_EINPUT, "{{else}} outside of {{#if}}");
  if (block->otherwise) return wisp_fail(p->err, WISP_EINPUT, "a second {{else}} for line %d", block->line);
  block->otherwise = p->template->count;
  return WISP_OK;
}

static wisp_status parse_close(parser *p, const char *tag)
{
  wisp_piece *block = p->depth ? &p->template->pieces[p->open[p->depth - 1]] : NULL;
  if (!block) return wisp_fail(p->err, WISP_EINPUT, "{{/%.40s}} closes nothing", tag);
  const char *name = block->kind == PIECE_IF ? "if" : block->kind == PIECE_FOR ? "for" : block->name;
  if (strcmp(tag, name) != 0)
    return wisp_fail(p->err, WISP_EINPUT, "{{/%.40s}} where {{/%.40s}} is expected (line %d)", tag, name, block->line);
  block->end = p->template->count;
  if (!block->otherwise) block->otherwise = block->end;
  p->depth--;
  return WISP_OK;
}

static void release_piece(wisp_piece *piece)
{
  free(piece->name);
  wisp_expr_destroy(piece->expr);
  wisp_env_destroy(piece->frame);
  wisp_template_destroy(piece->inside);
  for (size_t i = 0; i < piece->givens; i++) {
    free(piece->given[i].name), free(piece->given[i].other);
    wisp_expr_destroy(piece->given[i].expr);
  }
  free(piece->given);
}

/* NAME=NAME or NAME=EXPR, which word is and is cut up; a name alone stands for all that it stands for outside. */
static wisp_status parse_given(parser *p, char *word, wisp_given *given)
{
  char *equals = strchr(word, '=');
  CALL(wisp_require(p->err, equals && wisp_name_length(word) == (size_t)(equals - word), WISP_EINPUT,
                    "'%.40s' is not NAME=NAME or NAME=EXPR (an expression has no blanks here)", word));
  *equals = '\0';
  CALL(wisp_copy(p->err, word, strlen(word), &given->name));
  if (equals[1] && !equals[1 + wisp_name_length(equals + 1)]) {
    CALL(wisp_copy(p->err, equals + 1, strlen(equals + 1), &given->other));
    given->hash = wisp_env_hash(given->other);
  } else {
    CALL(wisp_expr_parse(p->err, equals + 1, &given->expr));
  }
  return WISP_OK;
}

/* The text behind {{>: a name, and the names that its text is given. */
static wisp_status parse_insert(parser *p, wisp_piece *piece, char *tag)
{
  const char *end = NULL;
  piece->kind = PIECE_INSERT;
  CALL(give_name(p, piece, tag, &end));
  CALL(wisp_require(p->err, !*end || isspace((unsigned char)end[-1]), WISP_EINPUT, "'%.40s' after the name '%s'", end,
                    piece->name));
  if (*end) CALL(wisp_new(p->err, strlen(end), sizeof *piece->given, &piece->given));
  for (char *word = tag + (end - tag), *next; *word; word = next) {
    size_t length = strcspn(word, " \t\r\n");
    next = word + length + strspn(word + length, " \t\r\n");
    if (word[length]) word[length] = '\0';
    CALL(parse_given(p, word, &piece->given[piece->givens++]));
  }
  return WISP_OK;
}

/* {{takes NAME ...}}. */
static wisp_status parse_takes(parser *p, const char *names)
{
  size_t length = strlen(names);
  CALL(wisp_require(p->err, !p->template->takes, WISP_EINPUT, "a second {{takes}}"));
  for (const char *at = names; *at; at = wisp_skip_space(at + wisp_name_length(at)))
    CALL(wisp_require(p->err, wisp_name_length(at), WISP_EINPUT, "{{takes}} names what the text is given, not '%.40s'",
                      at));
  return wisp_copy(p->err, names, length, &p->template->takes);
}

static bool is_takes(const char *tag)
{
  return strncmp(tag, "takes", 5) == 0 && isspace((unsigned char)tag[5]);
}

/* One tag's text, trimmed. */
static wisp_status parse_tag(parser *p, char *tag, wisp_piece *piece)
{
  char *rest = *tag ? tag + 1 + strspn(tag + 1, " \t\r\n") : tag;
  if (*tag == '/') return parse_close(p, rest);
  if (strcmp(tag, "else") == 0) return parse_else(p);
  if (is_takes(tag)) return parse_takes(p, wisp_skip_space(tag + strlen("takes")));
  if (*tag == '#') {
    CALL(parse_open(p, piece, rest));
  } else if (*tag == '=') {
    piece->kind = PIECE_EXPR;
    CALL(wisp_expr_parse(p->err, rest, &piece->expr));
  } else if (*tag == '>') {
    CALL(parse_insert(p, piece, rest));
  } else {
    CALL(parse_value(p, piece, tag));
  }
  CALL(add(p, piece));
  *piece = (wisp_piece){0}; /* the template owns it now */
  return WISP_OK;
}

/* The beginning of the next line if the tag from open to close has its line for itself, else NULL. */
static const char *alone(const parser *p, const char *open, const char *close)
{
  if (p->line_start + p->margin != open) return NULL;
  const char *rest = close + strspn(close, " \t\r");
  if (*rest == '\n') return rest + 1;
  return *rest ? NULL : rest;
}

/* Behind {{\}}, which ends a line: the next line, without the blanks that it begins with, belongs to this one. */
static wisp_status join_lines(parser *p, const char *end)
{
  const char *start = p->line_start, *next = end + (*end == '\r');
  const size_t margin = p->margin;
  if (*next != '\n') return wisp_fail(p->err, WISP_EINPUT, "{{\\}} joins two lines: nothing follows it in its own");
  next++;
  advance(p, next + strspn(next, " \t"));
  p->line_start = start;
  p->margin = margin;
  return WISP_OK;
}

/* The text up to the tag that begins at open, and the tag. */
static wisp_status parse_to(parser *p, const char *open)
{
  HELD(release_piece) wisp_piece piece = {0};
  OWNED(free) char *tag = NULL;
  int line = p->line;
  const char *before = p->at, *first = open + 2, *close = find_pair(first, p->end, '}');
  advance(p, open);
  CALL(wisp_require(p->err, close, WISP_EINPUT, "a tag is not closed: '%.20s'", open));
  first = wisp_skip_space(first);
  size_t length = close > first ? (size_t)(close - first) : 0;
  while (length && isspace((unsigned char)first[length - 1])) length--;
  const char *end = close + 2, *next = NULL;
  if (length && (strchr("#/!", *first) || is_word(first, length, "else") || is_takes(first)))
    next = alone(p, open, end);
  CALL(add_bytes(p, line, before, next ? p->line_start : open));
  if (length == 1 && *first == '\\') return join_lines(p, end);
  piece = (wisp_piece){.line = p->line, .bytes = p->line_start, .count = p->margin, .ends_line = *end == '\n'};
  if (*first != '!') {
    CALL(wisp_new(p->err, length + 1, 1, &tag));
    memcpy(tag, first, length);
    CALL(parse_tag(p, tag, &piece));
  }
  advance(p, next ? next : end);
  return WISP_OK;
}

wisp_status wisp_template_parse(wisp_error *err, const char *name, const char *text, wisp_template **out)
{
  wisp_status status = WISP_OK;
  parser p = {
      .err = err, .at = text, .end = text + strlen(text), .line = 1, .line_start = text, .margin = strspn(text, " \t")};
  TRY(wisp_new(err, 1, sizeof *p.template, &p.template));
  p.template->name = name;
  for (const char *open; (open = find_pair(p.at, p.end, '{'));) TRY(parse_to(&p, open));
  TRY(add_bytes(&p, p.line, p.at, p.end));
  if (p.depth) p.line = p.template->pieces[p.open[p.depth - 1]].line;
  TRY(wisp_require(err, !p.depth, WISP_EINPUT, "this block is not closed"));
  *out = p.template;
done:
  if (status != WISP_OK) wisp_template_destroy(p.template);
  return wisp_context(err, status, "%s:%d: ", name, p.line);
}

void wisp_template_destroy(wisp_template *template)
{
  if (!template) return;
  for (size_t i = 0; i < template->count; i++) release_piece(&template->pieces[i]);
  free(template->pieces);
  free(template->takes);
  free(template);
}
