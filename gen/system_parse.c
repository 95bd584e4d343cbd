/* Reads the file of a system (docs/guide/systems.md): one thing a line, '#' to the end of the line is a comment. */
#include "system_internal.h"
#include "language/expr_tree.h"

#include <ctype.h>
#include <math.h>

typedef struct parser {
  const char *at; /* what follows the current line */
  size_t line;
  wisp_text buffer; /* the current line */
  wisp_system *system;
  wisp_env *constants;
  bool rated[WISP_MAX_FIELDS], seen[16]; /* seen: of each kind of line */
  bool given;                            /* the line's quantity is a coefficient */
} parser;

/* The next line with something in it, without comment and outer space; NULL at the end. */
static wisp_status next_line(wisp_error *err, parser *p, char **out)
{
  char *line = NULL;
  while (*p->at && !(line && *line)) {
    size_t to_end = strcspn(p->at, "\n"), length = strcspn(p->at, "#\n");
    while (length && isspace((unsigned char)p->at[length - 1])) length--;
    p->buffer.length = 0;
    CALL(wisp_text_add(err, &p->buffer, p->at, length));
    line = wisp_skip_space(p->buffer.data);
    p->at += to_end + (p->at[to_end] == '\n');
    p->line++;
  }
  *out = line && *line ? line : NULL;
  return WISP_OK;
}

static bool is_name(const char *text, size_t capacity)
{
  const size_t length = wisp_name_length(text);
  return length && text[length] == '\0' && length < capacity;
}

/* Names that every text may read: see system_internal.h. */
static wisp_status add_symbols(wisp_error *err, wisp_system *system)
{
  static const char *const common[] = {"nx", "ny", "nz", "alpha"};
  char name[32];
  CALL(wisp_env_create(err, NULL, &system->symbols));
  for (int i = 0; i < 4; i++) CALL(wisp_env_int(err, system->symbols, common[i], wisp_slot_normal(system) + i));
  for (int f = 0; f < system->fields; f++)
    for (int side = 0; side < 2; side++) {
      snprintf(name, sizeof name, "%s_%c", system->field[f], "mp"[side]);
      CALL(wisp_env_int(err, system->symbols, name, side ? wisp_slot_outside(system) + f : f));
    }
  return WISP_OK;
}

static wisp_status read_fields(wisp_error *err, parser *p, char *rest)
{
  wisp_system *system = p->system;
  for (const char *word; *(word = wisp_next_word(&rest)); system->fields++) {
    EXPECT(system->fields < WISP_MAX_FIELDS, "more than %d fields", WISP_MAX_FIELDS);
    EXPECT(is_name(word, sizeof system->field[0]), "'%s' is no name of at most %zu letters, digits and _", word,
           sizeof system->field[0] - 1);
    EXPECT(wisp_system_field(system, word) < 0, "field %s is given twice", word);
    snprintf(system->field[system->fields], sizeof system->field[0], "%s", word);
  }
  EXPECT(system->fields, "no fields; write: fields NAME ...");
  return add_symbols(err, system);
}

static wisp_status read_rate(wisp_error *err, parser *p, char *rest)
{
  const char *name = wisp_next_word(&rest);
  int out = wisp_system_field(p->system, name);
  EXPECT(out >= 0, "rate of '%s': there is no such field", name);
  EXPECT(!p->rated[out], "rate of %s is given twice", name);
  p->rated[out] = true;
  EXPECT(strcmp(wisp_next_word(&rest), "=") == 0, "write: rate %s = +FIELD.AXIS ...", name);
  rest = wisp_skip_space(rest);
  EXPECT(*rest, "rate of %s: no term", name);
  for (bool first = true; *rest; first = false)
    CALL(wisp_system_read_term(err, p->constants, p->system, out, first, &rest));
  return WISP_OK;
}

/* Cuts `name = expression` in two. */
static wisp_status cut_statement(wisp_error *err, const parser *p, char *line, char **name, char **text)
{
  const size_t capacity = sizeof *((wisp_statements *)NULL)->names;
  char *equals = strchr(line, '=');
  EXPECT(equals, "'%s' is no statement; write: name = expression, or end", line);
  *equals = '\0';
  *name = wisp_next_word(&line);
  *text = wisp_skip_space(equals + 1);
  EXPECT(!*wisp_skip_space(line) && is_name(*name, capacity),
         "'%s' before the = is no name of at most %zu letters, digits and _", *name, capacity - 1);
  EXPECT(!wisp_env_has(p->constants, *name), "the name %s is taken: take another", *name);
  EXPECT(**text, "no expression for %s", *name);
  return WISP_OK;
}

/* Parses `name = expression` as the last of statements, constants written out. */
static wisp_status read_statement(wisp_error *err, const parser *p, wisp_statements *statements, char *line)
{
  char *name = NULL, *text = NULL;
  HELD(wisp_text_free) wisp_text numbers = {0};
  const size_t i = statements->count;
  EXPECT(i < WISP_MAX_STATEMENTS, "more than %d statements", WISP_MAX_STATEMENTS);
  CALL(cut_statement(err, p, line, &name, &text));
  CALL(wisp_constants_write(err, p->constants, text, &numbers));
  CALL(wisp_expr_parse(err, numbers.data, &statements->expressions[i]));
  snprintf(statements->names[i], sizeof *statements->names, "%s", name);
  statements->count++; /* from here on freed with the system */
  return WISP_OK;
}

/* The names that a text sees: those of the slots below a bound. */
typedef struct sight {
  const wisp_env *symbols;
  int bound;
} sight;

/* A wisp_slot_of. */
static int slot_seen(const void *context, const char *name)
{
  const sight *seen = context;
  const int slot = wisp_slot_find(seen->symbols, name);
  return slot < seen->bound ? slot : -1;
}

/* Finds the names of the last statement. */
static wisp_status bind_last(wisp_error *err, const wisp_env *symbols, const wisp_statements *statements, int bound)
{
  return wisp_expr_bind(err, statements->expressions[statements->count - 1], slot_seen, &(sight){symbols, bound});
}

/* Makes the last statement's name one that later texts see. */
static wisp_status show_last(wisp_error *err, wisp_env *symbols, const wisp_statements *statements, int slot)
{
  const char *name = statements->names[statements->count - 1];
  EXPECT(!wisp_env_has(symbols, name), "the name %s is taken: take another", name);
  return wisp_env_int(err, symbols, name, slot);
}

/* The lines up to `end`. accept looks at each statement after it was read. */
static wisp_status read_block(wisp_error *err, parser *p, wisp_statements *out,
                              wisp_status (*accept)(wisp_error *, wisp_system *, const wisp_statements *))
{
  char *line = NULL;
  size_t start = p->line;
  CALL(wisp_new(err, WISP_MAX_STATEMENTS, sizeof *out->names, &out->names));
  CALL(wisp_new(err, WISP_MAX_STATEMENTS, sizeof *out->expressions, &out->expressions));
  for (;;) {
    CALL(next_line(err, p, &line));
    EXPECT(line, "no end to the block of line %zu", start);
    if (strcmp(line, "end") == 0) break;
    CALL(read_statement(err, p, out, line));
    CALL(accept(err, p->system, out));
  }
  return WISP_OK;
}

/* Kernels are compiled from arithmetic of numbers: a compiler knows no other calls than its own. */
static wisp_status kernel_text(wisp_error *err, const wisp_statements *statements)
{
  const char *text = statements->expressions[statements->count - 1]->text;
  for (const char *at = text; *at; at++) {
    EXPECT(*at != '%', "'%s': a kernel's text has no %%", text);
    EXPECT(*at != '(' || at == text || !wisp_in_name(at[-1]),
           "'%s': a flux and a boundary call nothing: give the value a name by constant", text);
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
  CALL(kernel_text(err, flux));
  CALL(bind_last(err, system->symbols, flux, slot));
  wisp_system_mark_readers(system, flux->expressions[flux->count - 1]);
  return show_last(err, system->symbols, flux, slot);
}

/* A boundary's statement assigns an outside value, and sees inside values and the normal. */
static wisp_status accept_ghost(wisp_error *err, wisp_system *system, const wisp_statements *ghost)
{
  const char *name = ghost->names[ghost->count - 1];
  int slot = wisp_slot_find(system->symbols, name) - wisp_slot_outside(system);
  EXPECT(slot >= 0 && slot < system->fields, "a boundary assigns FIELD_p, and there is no %s", name);
  for (size_t i = 0; i + 1 < ghost->count; i++) EXPECT(strcmp(ghost->names[i], name) != 0, "%s is given twice", name);
  CALL(kernel_text(err, ghost));
  CALL(bind_last(err, system->symbols, ghost, wisp_slot_normal(system) + 3));
  wisp_system_mark_readers(system, ghost->expressions[ghost->count - 1]);
  return WISP_OK;
}

static wisp_status read_flux(wisp_error *err, parser *p, char *rest)
{
  wisp_system *system = p->system;
  char name[32];
  EXPECT(!*wisp_skip_space(rest), "flux must stand alone on its line, not before '%s'", wisp_skip_space(rest));
  CALL(read_block(err, p, &system->flux, accept_flux));
  for (int f = 0; f < system->fields; f++) {
    snprintf(name, sizeof name, "flux_%s", system->field[f]);
    EXPECT(wisp_env_has(system->symbols, name), "the flux does not assign %s", name);
  }
  return WISP_OK;
}

static wisp_status read_boundary(wisp_error *err, parser *p, char *rest)
{
  wisp_system *system = p->system;
  const char *name = wisp_next_word(&rest);
  wisp_boundary *boundary = &system->boundary[system->boundaries];
  EXPECT(system->boundaries < WISP_MAX_BOUNDARIES, "more than %d boundaries", WISP_MAX_BOUNDARIES);
  EXPECT(is_name(name, sizeof boundary->name) && !*wisp_skip_space(rest),
         "a boundary has one name of at most %zu letters, digits and _", sizeof boundary->name - 1);
  EXPECT(wisp_system_boundary(system, name) < 0, "boundary %s is given twice", name);
  snprintf(boundary->name, sizeof boundary->name, "%s", name);
  system->boundaries++; /* from here on freed with the system */
  CALL(read_block(err, p, &boundary->ghost, accept_ghost));
  EXPECT(boundary->ghost.count == (size_t)system->fields, "boundary %s assigns %zu of %d outside values",
         boundary->name, boundary->ghost.count, system->fields);
  return WISP_OK;
}

/* ---- Fields by place and time. */

/* A statement gives a field its value, or makes a name that the later ones see. */
static wisp_status accept_value(wisp_error *err, wisp_system *system, const wisp_statements *values)
{
  wisp_state *state = &system->state[system->states - 1];
  const int slot = WISP_STATE_SLOTS + (int)values->count - 1;
  CALL(bind_last(err, state->symbols, values, slot));
  wisp_state_look(state);
  return show_last(err, state->symbols, values, slot);
}

static bool sees(const wisp_state *state, int slot)
{
  return slot < WISP_STATE_MODE ? slot != WISP_STATE_TIME || state->walls >= 0 : state->modal;
}

/* The names that a state's texts read before they make any. */
static wisp_status add_surroundings(wisp_error *err, const wisp_system *system, wisp_state *state)
{
  CALL(wisp_env_create(err, NULL, &state->symbols));
  for (int i = 0; i < WISP_STATE_MEDIUM; i++)
    if (sees(state, i)) CALL(wisp_env_int(err, state->symbols, wisp_state_names[i], i));
  for (int q = 0; q < system->quantities; q++)
    CALL(wisp_env_int(err, state->symbols, system->quantity[q].name, WISP_STATE_MEDIUM + q));
  return WISP_OK;
}

static wisp_status read_state(wisp_error *err, parser *p, const char *name, const wisp_state *kind)
{
  wisp_system *system = p->system;
  wisp_state *state = &system->state[system->states];
  EXPECT(system->states < WISP_MAX_STATES, "more than %d starts and solutions", WISP_MAX_STATES);
  EXPECT(is_name(name, sizeof state->name), "a start and a solution have a name of at most %zu letters, digits and _",
         sizeof state->name - 1);
  EXPECT(!wisp_system_state(system, name), "%s is given twice", name);
  *state = *kind;
  snprintf(state->name, sizeof state->name, "%s", name);
  system->states++; /* from here on freed with the system */
  CALL(add_surroundings(err, system, state));
  CALL(read_block(err, p, &state->values, accept_value));
  for (int f = 0; f < system->fields; f++)
    EXPECT(wisp_env_has(state->symbols, system->field[f]), "%s gives %s no value", state->name, system->field[f]);
  return WISP_OK;
}

static wisp_status read_start(wisp_error *err, parser *p, char *rest)
{
  const char *name = wisp_next_word(&rest);
  EXPECT(!*wisp_skip_space(rest), "write: start NAME, without '%s'", wisp_skip_space(rest));
  return read_state(err, p, name, &(wisp_state){.walls = -1});
}

static wisp_status read_solution(wisp_error *err, parser *p, char *rest)
{
  const char *name = wisp_next_word(&rest), *boundary = wisp_next_word(&rest);
  wisp_state kind = {.walls = wisp_system_boundary(p->system, boundary)};
  EXPECT(*boundary, "write: solution NAME BOUNDARY, or solution NAME BOUNDARY M N P");
  EXPECT(kind.walls >= 0, "there is no boundary '%s' above", boundary);
  rest = wisp_skip_space(rest);
  if (*rest) {
    int end = 0;
    kind.modal = sscanf(rest, "%3d %3d %3d%n", &kind.mode[0], &kind.mode[1], &kind.mode[2], &end) == 3 && !rest[end];
    EXPECT(kind.modal, "'%s' is no mode: three whole numbers", rest);
  }
  return read_state(err, p, name, &kind);
}

/* ---- Numbers. */

/* Cuts `name = expression` in two; the name is one that nothing else has. */
static wisp_status cut_number(wisp_error *err, const parser *p, char *line, char **name, char **text)
{
  CALL(cut_statement(err, p, line, name, text));
  const wisp_system *system = p->system;
  bool taken = wisp_system_field(system, *name) >= 0 || wisp_env_has(system->symbols, *name);
  taken |= wisp_system_quantity(system, *name) >= 0;
  for (int i = 0; i < WISP_STATE_MEDIUM; i++) taken |= strcmp(wisp_state_names[i], *name) == 0;
  EXPECT(!taken, "the name %s is taken: take another", *name);
  return WISP_OK;
}

/* A quantity of elements: fluxes see it on both sides of a face. */
static wisp_status read_quantity(wisp_error *err, parser *p, char *rest)
{
  wisp_system *system = p->system;
  const int q = system->quantities;
  char *name = NULL, *text = NULL, sided[32];
  CALL(cut_number(err, p, rest, &name, &text));
  EXPECT(strlen(name) + 2 < sizeof sided, "'%s' is longer than %zu characters", name, sizeof sided - 3);
  CALL(wisp_system_add_quantity(err, p->constants, system, name, text, p->given));
  for (int side = 0; side < 2; side++) {
    snprintf(sided, sizeof sided, "%.29s_%c", name, "mp"[side]);
    EXPECT(!wisp_env_has(system->symbols, sided), "the name %s is taken: take another", sided);
    const int slot = (side ? wisp_slot_beyond(system) : wisp_slot_medium(system)) + q;
    CALL(wisp_env_int(err, system->symbols, sided, slot));
  }
  return WISP_OK;
}

/* A number over constants, or, where the text names a quantity, a quantity of its own; its value in either case. */
static wisp_status read_number(wisp_error *err, parser *p, const char *name, const char *text, double *value, int *of)
{
  const char *at = NULL;
  *of = -1;
  if (wisp_system_mentioned(p->system, text, &at) < 0) return wisp_constants_value(err, p->constants, text, value);
  CALL(wisp_system_add_quantity(err, p->constants, p->system, name, text, false));
  *of = p->system->quantities - 1;
  *value = p->system->quantity[*of].otherwise;
  return WISP_OK;
}

static wisp_status read_constant(wisp_error *err, parser *p, char *rest)
{
  char *name = NULL, *text = NULL;
  double value = 0;
  CALL(cut_number(err, p, rest, &name, &text));
  CALL(wisp_constants_value(err, p->constants, text, &value));
  return wisp_constants_add(err, p->constants, name, value);
}

static wisp_status read_speed(wisp_error *err, parser *p, char *rest)
{
  char *at = wisp_skip_space(rest);
  EXPECT(*at, "speed must be one positive number");
  CALL(read_number(err, p, "the speed", at, &p->system->speed, &p->system->speed_of));
  EXPECT(p->system->speed > 0, "speed must be one positive number");
  return WISP_OK;
}

static wisp_status read_energy(wisp_error *err, parser *p, char *rest)
{
  wisp_system *system = p->system;
  char name[32];
  for (int f = 0; f < system->fields; f++) {
    const char *word = wisp_next_word(&rest);
    system->energy[f] = -1;
    snprintf(name, sizeof name, "energy of %s", system->field[f]);
    if (*word) CALL(read_number(err, p, name, word, &system->energy[f], &system->energy_of[f]));
    EXPECT(system->energy[f] >= 0, "energy: no number, 0 or more, for field %s", system->field[f]);
  }
  rest = wisp_skip_space(rest);
  EXPECT(!*rest, "energy: '%s' is one too many for %d fields", rest, system->fields);
  return WISP_OK;
}

static const struct {
  const char *word;
  wisp_status (*read)(wisp_error *, parser *, char *rest);
  const char *needed; /* what every file has, in the words of messages; NULL: it may lack it */
  bool once;          /* it may not come again */
} kinds[] = {{"fields", read_fields, "fields", true},
             {"constant", read_constant, NULL, false},
             {"coefficient", read_quantity, NULL, false},
             {"quantity", read_quantity, NULL, false},
             {"rate", read_rate, NULL, false}, /* one of each field */
             {"flux", read_flux, "a flux", true},
             {"boundary", read_boundary, "a boundary", false},
             {"speed", read_speed, "a speed", true},
             {"energy", read_energy, "an energy", true},
             {"start", read_start, NULL, false},
             {"solution", read_solution, NULL, false}};

static wisp_status read_line(wisp_error *err, parser *p, char *line)
{
  const char *word = wisp_next_word(&line);
  EXPECT(p->system->fields || strcmp(word, "fields") == 0, "the fields must come first, before '%s'", word);
  for (size_t i = 0; i < WISP_COUNT(kinds); i++) {
    if (strcmp(kinds[i].word, word) != 0) continue;
    EXPECT(!p->seen[i] || !kinds[i].once, "%s is given twice", word);
    p->seen[i] = true;
    p->given = strcmp(word, "coefficient") == 0;
    return kinds[i].read(err, p, line);
  }
  return wisp_fail(err, WISP_EINPUT,
                   "'%s' is not one of: fields, constant, coefficient, quantity, rate, flux, boundary, speed, energy, "
                   "start, solution",
                   word);
}

/* Everything that a system must have was there. */
static wisp_status check_whole(wisp_error *err, const parser *p)
{
  for (size_t i = 0; i < WISP_COUNT(kinds); i++)
    EXPECT(p->seen[i] || !kinds[i].needed, "the file ends without %s", kinds[i].needed);
  for (int f = 0; f < p->system->fields; f++)
    EXPECT(p->rated[f], "the file ends without a rate of %s", p->system->field[f]);
  return wisp_system_add_derivatives(err, p->system);
}

/* The system's own name: the file's, without folders and suffix. */
static wisp_status take_name(wisp_error *err, const char *name, wisp_system *system)
{
  const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name, *end = strstr(base, ".system");
  const int length = end ? (int)(end - base) : (int)strlen(base);
  snprintf(system->name, sizeof system->name, "%.*s", length, base);
  EXPECT(is_name(system->name, sizeof system->name) && strlen(system->name) == (size_t)length,
         "a system's name has at most %zu letters, digits and _", sizeof system->name - 1);
  return WISP_OK;
}

wisp_status wisp_system_parse(wisp_error *err, const char *name, const char *text, wisp_system **out)
{
  wisp_status status = WISP_OK;
  parser p = {.at = text};
  char *line = NULL;
  TRY(wisp_new(err, 1, sizeof *p.system, &p.system));
  TRY(take_name(err, name, p.system));
  TRY(wisp_env_create(err, NULL, &p.constants));
  TRY(wisp_constants_add(err, p.constants, "pi", acos(-1.0)));
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
  wisp_env_destroy(p.constants);
  if (status != WISP_OK) wisp_system_destroy(p.system);
  return status;
}

/* ---- Systems by name: the library's and the user's. */

const wisp_named wisp_systems = {"system", "systems", ".system"};

bool wisp_system_is_own(const char *name)
{
  return wisp_named_is_own(&wisp_systems, name);
}

bool wisp_system_exists(const char *name)
{
  return wisp_named_exists(&wisp_systems, name);
}

wisp_status wisp_system_read(wisp_error *err, const char *name, char path[WISP_NAMED_PATH], wisp_system **out)
{
  char own[WISP_NAMED_PATH];
  OWNED(free) char *text = NULL;
  if (!path) path = own;
  CALL(wisp_named_read(err, &wisp_systems, name, path, &text));
  return wisp_system_parse(err, path, text, out);
}
