/* The file format of a system: one thing a line, '#' to the end of the line is a comment.
 *
 *   fields    NAME ...                        first of all
 *   rate      NAME = [+-] [NUMBER *] NAME.AXIS ...    once for every field
 *   flux ... end                              lines NAME = EXPRESSION, flux_NAME for every field among them
 *   boundary  NAME ... end                    lines NAME_p = EXPRESSION, once for every field
 *   speed     NUMBER
 *   energy    NUMBER ...                      one for every field
 */
#include "language/symbols.h"
#include "text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
  const char *at; /* what follows the current line */
  size_t line;
  wisp_text buffer; /* the current line */
  wisp_system *system;
  bool rated[WISP_MAX_FIELDS], has_flux, has_speed, has_energy;
} parser;

#define EXPECT(condition, ...) CALL(wisp_require(err, condition, WISP_EINPUT, __VA_ARGS__))

static char *skip_space(char *at)
{
  while (isspace((unsigned char)*at)) at++;
  return at;
}

/* The next line with something in it, without comment and outer space; NULL at the end. */
static wisp_status next_line(wisp_error *err, parser *p, char **out)
{
  char *line = NULL;
  while (*p->at && !(line && *line)) {
    size_t whole = strcspn(p->at, "\n"), length = strcspn(p->at, "#\n");
    while (length && isspace((unsigned char)p->at[length - 1])) length--;
    p->buffer.length = 0;
    CALL(wisp_text_add(err, &p->buffer, p->at, length));
    line = skip_space(p->buffer.data);
    p->at += whole + (p->at[whole] == '\n');
    p->line++;
  }
  *out = line && *line ? line : NULL;
  return WISP_OK;
}

/* Cuts the next word off *rest; an empty string at the end. */
static char *next_word(char **rest)
{
  char *word = skip_space(*rest), *end = word;
  while (*end && !isspace((unsigned char)*end)) end++;
  *rest = *end ? end + 1 : end;
  *end = '\0';
  return word;
}

static bool is_letter(char c)
{
  return isalpha((unsigned char)c) || c == '_';
}

static bool is_name(const char *text, size_t capacity)
{
  size_t length = 0;
  if (!is_letter(*text)) return false;
  while (is_letter(text[length]) || isdigit((unsigned char)text[length])) length++;
  return text[length] == '\0' && length < capacity;
}

/* A decimal number at *at, moved past it. */
static bool take_number(char **at, double *value)
{
  char *start = *at, first = (*at)[*start == '+' || *start == '-'];
  if (!isdigit((unsigned char)first) && first != '.') return false;
  *value = strtod(start, at);
  return *at != start && isfinite(*value);
}

/* Names that every text may read: see symbols.h for the slots. */
static wisp_status add_symbols(wisp_error *err, wisp_system *system)
{
  static const char *const common[] = {"nx", "ny", "nz", "alpha"};
  char name[32];
  CALL(wisp_new(err, 1, sizeof *system->symbols, &system->symbols));
  for (int i = 0; i < 4; i++) wisp_symbols_add(system->symbols, common[i], wisp_slot_normal(system) + i);
  for (int f = 0; f < system->fields; f++)
    for (int side = 0; side < 2; side++) {
      snprintf(name, sizeof name, "%s_%c", system->field[f], "mp"[side]);
      wisp_symbols_add(system->symbols, name, side ? wisp_slot_outside(system) + f : f);
    }
  return WISP_OK;
}

static wisp_status read_fields(wisp_error *err, parser *p, char *rest)
{
  wisp_system *system = p->system;
  EXPECT(!system->fields, "fields stand here for the second time");
  for (const char *word; *(word = next_word(&rest)); system->fields++) {
    EXPECT(system->fields < WISP_MAX_FIELDS, "more than %d fields", WISP_MAX_FIELDS);
    EXPECT(is_name(word, sizeof system->field[0]), "'%s' is no name of at most %zu letters, digits and _", word,
           sizeof system->field[0] - 1);
    EXPECT(wisp_system_field(system, word) < 0, "field '%s' stands here twice", word);
    snprintf(system->field[system->fields], sizeof system->field[0], "%s", word);
  }
  EXPECT(system->fields, "no fields; write: fields NAME ...");
  return add_symbols(err, system);
}

/* One term, [+-] [NUMBER *] NAME.AXIS, of the rate of field `out`. */
static wisp_status read_term(wisp_error *err, parser *p, int out, bool first, char **rest)
{
  wisp_system *system = p->system;
  char *at = skip_space(*rest), *shown = at;
  double coefficient = 1;
  bool sign = *at == '+' || *at == '-', negative = *at == '-';
  EXPECT(sign || first, "a + or - must stand before '%s'", shown);
  at = skip_space(at + sign);
  if (isdigit((unsigned char)*at) || *at == '.') {
    EXPECT(take_number(&at, &coefficient), "'%s' begins with no number", shown);
    at = skip_space(at);
    EXPECT(*at == '*', "a * must follow the number of '%s'", shown);
    at = skip_space(at + 1);
  }
  char name[sizeof system->field[0]];
  size_t length = strcspn(at, " \t.+-*");
  snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), at);
  int in = wisp_system_field(system, name);
  EXPECT(in >= 0 && length < sizeof name, "there is no field '%.*s'", (int)length, at);
  at += length;
  const char *axis = *at == '.' && at[1] ? strchr("xyz", at[1]) : NULL;
  EXPECT(axis && !is_letter(at[2]) && !isdigit((unsigned char)at[2]), "%s must be followed by .x, .y or .z", name);
  EXPECT(system->terms < WISP_MAX_TERMS, "more than %d terms", WISP_MAX_TERMS);
  system->term[system->terms++] =
      (wisp_term){out, in, (int)(strchr("xyz", at[1]) - "xyz"), negative ? -coefficient : coefficient};
  *rest = skip_space(at + 2);
  return WISP_OK;
}

static wisp_status read_rate(wisp_error *err, parser *p, char *rest)
{
  const char *name = next_word(&rest);
  int out = wisp_system_field(p->system, name);
  EXPECT(out >= 0, "rate of '%s': there is no such field", name);
  EXPECT(!p->rated[out], "rate of %s stands here for the second time", name);
  p->rated[out] = true;
  EXPECT(strcmp(next_word(&rest), "=") == 0, "write: rate %s = +FIELD.AXIS ...", name);
  rest = skip_space(rest);
  EXPECT(*rest, "rate of %s: no term", name);
  for (bool first = true; *rest; first = false) CALL(read_term(err, p, out, first, &rest));
  return WISP_OK;
}

/* Cuts `name = expression` in two and parses it as the last of statements. */
static wisp_status read_statement(wisp_error *err, wisp_statements *statements, char *line)
{
  char *equals = strchr(line, '=');
  EXPECT(equals, "'%s' is no statement; write: name = expression, or end", line);
  EXPECT(statements->count < WISP_MAX_STATEMENTS, "more than %d statements", WISP_MAX_STATEMENTS);
  *equals = '\0';
  char *name = next_word(&line), *text = skip_space(equals + 1);
  EXPECT(!*skip_space(line) && is_name(name, sizeof *statements->names),
         "'%s' before the = is no name of at most %zu letters, digits and _", name, sizeof *statements->names - 1);
  EXPECT(*text, "no expression for %s", name);
  size_t i = statements->count, length = strlen(text);
  CALL(wisp_expr_parse(err, text, &statements->expressions[i]));
  statements->count++; /* from here on freed with the system */
  snprintf(statements->names[i], sizeof *statements->names, "%s", name);
  CALL(wisp_new(err, length + 1, 1, &statements->texts[i]));
  memcpy(statements->texts[i], text, length);
  return WISP_OK;
}

/* Evaluates the last statement once, with a different number for every name: one that it does not see is an error. */
static wisp_status try_statement(wisp_error *err, const wisp_system *system, const wisp_statements *statements,
                                 int bound)
{
  double value[WISP_MAX_SYMBOLS], result;
  for (int i = 0; i < WISP_MAX_SYMBOLS; i++) value[i] = 1 + i / 8.0;
  wisp_scope scope = {system->symbols, value, bound};
  wisp_expr *last = statements->expressions[statements->count - 1];
  wisp_status status = wisp_expr_real(err, last, NULL, wisp_scope_lookup, &scope, &result);
  if (status == WISP_OK || status == WISP_EMEMORY) return status;
  if (err) err->status = WISP_EINPUT;
  return WISP_EINPUT;
}

/* The lines up to `end`. accept looks at each statement after it was read. */
static wisp_status read_block(wisp_error *err, parser *p, wisp_statements *out,
                              wisp_status (*accept)(wisp_error *, wisp_system *, const wisp_statements *))
{
  char *line = NULL;
  size_t start = p->line;
  CALL(wisp_new(err, WISP_MAX_STATEMENTS, sizeof *out->names, &out->names));
  CALL(wisp_new(err, WISP_MAX_STATEMENTS, sizeof *out->texts, &out->texts));
  CALL(wisp_new(err, WISP_MAX_STATEMENTS, sizeof *out->expressions, &out->expressions));
  for (;;) {
    CALL(next_line(err, p, &line));
    EXPECT(line, "no end to the block of line %zu", start);
    if (strcmp(line, "end") == 0) break;
    CALL(read_statement(err, out, line));
    CALL(accept(err, p->system, out));
  }
  return WISP_OK;
}

/* A flux statement makes a name that the later ones see. */
static wisp_status accept_flux(wisp_error *err, wisp_system *system, const wisp_statements *flux)
{
  int slot = wisp_slot_statement(system) + (int)flux->count - 1;
  const char *name = flux->names[flux->count - 1];
  EXPECT(strncmp(name, "flux_", 5) != 0 || wisp_system_field(system, name + 5) >= 0, "%s is the flux of no field",
         name);
  CALL(try_statement(err, system, flux, slot));
  EXPECT(wisp_symbols_add(system->symbols, name, slot), "the name %s is taken", name);
  return WISP_OK;
}

/* A boundary's statement assigns an outside value, and sees inside values and the normal. */
static wisp_status accept_ghost(wisp_error *err, wisp_system *system, const wisp_statements *ghost)
{
  const char *name = ghost->names[ghost->count - 1];
  int slot = wisp_symbols_find(system->symbols, name) - wisp_slot_outside(system);
  EXPECT(slot >= 0 && slot < system->fields, "a boundary assigns FIELD_p, and there is no %s", name);
  for (size_t i = 0; i + 1 < ghost->count; i++)
    EXPECT(strcmp(ghost->names[i], name) != 0, "%s is assigned twice", name);
  return try_statement(err, system, ghost, wisp_slot_normal(system) + 3);
}

static wisp_status read_flux(wisp_error *err, parser *p, char *rest)
{
  wisp_system *system = p->system;
  char name[32];
  EXPECT(!p->has_flux, "flux stands here for the second time");
  EXPECT(!*skip_space(rest), "flux must stand alone on its line, not before '%s'", skip_space(rest));
  p->has_flux = true;
  CALL(read_block(err, p, &system->flux, accept_flux));
  for (int f = 0; f < system->fields; f++) {
    snprintf(name, sizeof name, "flux_%s", system->field[f]);
    EXPECT(wisp_symbols_find(system->symbols, name) >= 0, "the flux does not assign %s", name);
  }
  return WISP_OK;
}

static wisp_status read_boundary(wisp_error *err, parser *p, char *rest)
{
  wisp_system *system = p->system;
  const char *name = next_word(&rest);
  wisp_boundary *boundary = &system->boundary[system->boundaries];
  EXPECT(system->boundaries < WISP_MAX_BOUNDARIES, "more than %d boundaries", WISP_MAX_BOUNDARIES);
  EXPECT(is_name(name, sizeof boundary->name) && !*skip_space(rest),
         "a boundary has one name of at most %zu letters, digits and _", sizeof boundary->name - 1);
  EXPECT(wisp_system_boundary(system, name) < 0, "boundary %s stands here for the second time", name);
  snprintf(boundary->name, sizeof boundary->name, "%s", name);
  system->boundaries++; /* from here on freed with the system */
  CALL(read_block(err, p, &boundary->ghost, accept_ghost));
  EXPECT(boundary->ghost.count == (size_t)system->fields, "boundary %s assigns %zu of %d outside values",
         boundary->name, boundary->ghost.count, system->fields);
  return WISP_OK;
}

static wisp_status read_speed(wisp_error *err, parser *p, char *rest)
{
  char *at = skip_space(rest);
  EXPECT(!p->has_speed, "speed stands here for the second time");
  EXPECT(take_number(&at, &p->system->speed) && p->system->speed > 0 && !*skip_space(at),
         "speed must be one positive number");
  p->has_speed = true;
  return WISP_OK;
}

static wisp_status read_energy(wisp_error *err, parser *p, char *rest)
{
  wisp_system *system = p->system;
  char *at = skip_space(rest);
  EXPECT(!p->has_energy, "energy stands here for the second time");
  for (int f = 0; f < system->fields; f++, at = skip_space(at))
    EXPECT(take_number(&at, &system->energy[f]) && system->energy[f] >= 0 && (!*at || isspace((unsigned char)*at)),
           "energy: no number, 0 or more, for field %s", system->field[f]);
  EXPECT(!*at, "energy: '%s' is one too many for %d fields", at, system->fields);
  p->has_energy = true;
  return WISP_OK;
}

static wisp_status read_line(wisp_error *err, parser *p, char *line)
{
  static const struct {
    const char *word;
    wisp_status (*read)(wisp_error *, parser *, char *rest);
  } kinds[] = {{"fields", read_fields},     {"rate", read_rate},   {"flux", read_flux},
               {"boundary", read_boundary}, {"speed", read_speed}, {"energy", read_energy}};
  const char *word = next_word(&line);
  EXPECT(p->system->fields || strcmp(word, "fields") == 0, "the fields must come first, before '%s'", word);
  for (size_t i = 0; i < WISP_COUNT(kinds); i++)
    if (strcmp(kinds[i].word, word) == 0) return kinds[i].read(err, p, line);
  EXPECT(false, "'%s' is not one of: fields, rate, flux, boundary, speed, energy", word);
  return WISP_OK;
}

/* Everything that a system must have was there. */
static wisp_status check_whole(wisp_error *err, const parser *p)
{
  EXPECT(p->system->fields, "the file ends without fields");
  for (int f = 0; f < p->system->fields; f++)
    EXPECT(p->rated[f], "the file ends without a rate of %s", p->system->field[f]);
  EXPECT(p->has_flux, "the file ends without a flux");
  EXPECT(p->system->boundaries, "the file ends without a boundary");
  EXPECT(p->has_speed, "the file ends without a speed");
  EXPECT(p->has_energy, "the file ends without an energy");
  return WISP_OK;
}

/* The system's own name: the file's, without folders and suffix. */
static wisp_status take_name(wisp_error *err, const char *name, wisp_system *system)
{
  const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name, *end = strstr(base, ".system");
  size_t length = end ? (size_t)(end - base) : strlen(base);
  EXPECT(length && length < sizeof system->name, "a system's name has 1 to %zu characters", sizeof system->name - 1);
  memcpy(system->name, base, length);
  return WISP_OK;
}

wisp_status wisp_system_parse(wisp_error *err, const char *name, const char *text, wisp_system **out)
{
  wisp_status status = WISP_OK;
  parser p = {.at = text};
  char *line = NULL;
  TRY(wisp_new(err, 1, sizeof *p.system, &p.system));
  TRY(take_name(err, name, p.system));
  for (;;) {
    TRY(next_line(err, &p, &line));
    if (!line) break;
    TRY(read_line(err, &p, line));
  }
  TRY(check_whole(err, &p));
  *out = p.system;
done:
  wisp_context(err, status, "%s:%zu: ", name, p.line);
  wisp_text_free(&p.buffer);
  if (status != WISP_OK) wisp_system_destroy(p.system);
  return status;
}
