#include "help.h"
#include "print.h"
#include "../runtime/api/solvers.h"

enum { WIDTH = 80, NAMES = 28 }; /* of a line, of the column with the options' names */

/* The lines of a solver's options, from its table. */
static wisp_status add_options(wisp_error *err, const wisp_solver_option *option, wisp_text *out)
{
  for (; option->name; option++) {
    const char *otherwise = option->unset ? option->unset : option->value;
    CALL(wisp_text_print(err, out, option->letter ? "-%c, " : "    ", option->letter));
    CALL(wisp_text_print(err, out, "--%s%s%s  %s", option->name, option->argument ? " " : "",
                         option->argument ? option->argument : "", option->help));
    CALL(otherwise && *otherwise ? wisp_text_print(err, out, " (%s)\n", otherwise) : wisp_text_print(err, out, "\n"));
  }
  return WISP_OK;
}

static wisp_status add_page(wisp_error *err, const char *page, const char *subject, wisp_text *out)
{
  char path[64], part[32], of[64] = "";
  snprintf(path, sizeof path, "cli/help/%s", page);
  for (const char *at = wisp_embedded_text(path); at && *at; at++) {
    const bool begins = out->length == 0 || out->data[out->length - 1] == '\n';
    if (*at == '\\') {
      at += 1 + strspn(at + 2, " ");
      CALL(wisp_text_print(err, out, " "));
    } else if (*at == '$')
      CALL(wisp_text_print(err, out, "%s", subject));
    else if (begins && *at == '@' && sscanf(at, "@%31[a-z]%63[^\n]", part, of) >= 1) {
      const wisp_solver_kind *kind = strcmp(part, "options") == 0 ? wisp_solver_kind_of(of + 1) : NULL;
      at += strcspn(at, "\n");
      CALL(kind ? add_options(err, kind->option, out) : add_page(err, part, of + 1, out));
    } else
      CALL(wisp_text_add(err, out, at, 1));
  }
  return WISP_OK;
}

/* "-d, --device DEV   the device": its letter, name, value and text; what stands between them becomes their ends. */
static wisp_option read_option(char *line)
{
  char *name = strstr(line, "--") + 2, *gap = strstr(name, "  "), *argument;
  *gap = '\0';
  argument = strchr(name, ' ');
  if (argument) *argument++ = '\0';
  return (wisp_option){name, line[0] == '-' ? line[1] : '\0', argument, gap + 1 + strspn(gap + 1, " ")};
}

wisp_status wisp_help_read(wisp_error *err, const char *page, const char *subject, const char *more, wisp_help *out)
{
  *out = (wisp_help){.count = 0};
  CALL(add_page(err, page, subject, &out->text));
  const size_t own = out->text.length;
  CALL(wisp_text_print(err, &out->text, "%s", more ? more : ""));
  const size_t common = out->text.length;
  CALL(add_page(err, "common", "", &out->text));
  char *about = strchr(out->text.data, '\n'), *options = strstr(about, "\n\n"), *rest = NULL;
  *about = *options = '\0';
  out->usage = out->text.data;
  out->about = about + 1;
  for (char *line = strtok_r(options + 1, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    const wisp_option option = read_option(line);
    bool taken = out->count == WISP_MAX_OPTIONS;
    for (size_t i = 0; i < out->count; i++) taken |= strcmp(out->option[i].name, option.name) == 0;
    if (line < out->text.data + own) out->own = out->count + 1;
    if (line < out->text.data + common) out->common = out->count + 1;
    if (!taken) out->option[out->count++] = option;
  }
  return WISP_OK;
}

void wisp_help_wrap(FILE *to, const char *text, int at, int indent)
{
  wisp_text lines = {0};
  if (wisp_wrap(NULL, &lines, text, at, indent, WIDTH) == WISP_OK) fputs(lines.data, to);
  wisp_text_free(&lines);
}

/* ---- The words that an option belongs to. */

/* The length of the list of words that begins a part of a help text, "export, show: ..."; 0: there is none. */
static size_t list_length(const char *part)
{
  const size_t length = strspn(part, "abcdefghijklmnopqrstuvwxyz, ");
  return part[length] == ':' ? length : 0;
}

static bool lists(const char *words, size_t length, const char *word)
{
  const size_t n = strlen(word);
  for (const char *at = words; at < words + length; at += strcspn(at, ", :"), at += strspn(at, ", "))
    if (strncmp(at, word, n) == 0 && strchr(", :", at[n])) return true;
  return false;
}

/* Whether a help text is for this word, and adds what it says of it, without the list (out may be NULL). One without a
 * list is for all; word NULL: any, and the whole text. */
static bool is_for(const char *help, const char *word, wisp_text *out)
{
  bool is = !word || !list_length(help);
  if (is) return !out || wisp_text_print(NULL, out, "%s", help) == WISP_OK;
  for (const char *part = help; *part;) {
    /* A part ends where the next one's list begins: "export: ...; show: ...". */
    const char *end = strstr(part, "; ");
    while (end && !list_length(end + 2)) end = strstr(end + 2, "; ");
    const size_t list = list_length(part), length = end ? (size_t)(end - part) : strlen(part);
    if (lists(part, list, word)) {
      const char *from = part + list + strspn(part + list, ": ");
      if (out) wisp_text_print(NULL, out, "%s%.*s", is ? "; " : "", (int)(part + length - from), from);
      is = true;
    }
    part += length + strspn(part + length, "; ");
  }
  return is;
}

/* Finds the words that a command takes first, "show|export" in "wisp db show|export [options]"; *length 0: there are
 * none. */
static const char *choices(const char *usage, size_t *length)
{
  for (const char *at = usage; *at; at += *length + (at[*length] == ' ')) {
    *length = strcspn(at, " ");
    if (strspn(at, "abcdefghijklmnopqrstuvwxyz|") != *length) break;
    if (memchr(at, '|', *length)) return at;
  }
  *length = 0;
  return usage;
}

static bool has_word(const char *usage, const char *word)
{
  size_t length = 0;
  const char *at = choices(usage, &length), *end = at + length;
  for (size_t n; at < end; at += n + (at[n] == '|')) {
    n = strcspn(at, "| ");
    if (strlen(word) == n && strncmp(at, word, n) == 0) return true;
  }
  return false;
}

/* "export, show": those of the command's words that a help text is for. */
static void list_words(const char *usage, const char *help, char list[128])
{
  size_t length = 0, used = 0;
  const char *at = choices(usage, &length), *end = at + length;
  list[0] = '\0';
  for (size_t n; at < end && used < 128; at += n + (at[n] == '|')) {
    char word[32];
    n = strcspn(at, "| ");
    snprintf(word, sizeof word, "%.*s", (int)n, at);
    if (is_for(help, word, NULL)) used += (size_t)snprintf(list + used, 128 - used, "%s%s", used ? ", " : "", word);
  }
}

/* Takes "--kernel" or "-k" off the front of a list, "-k, -n": which option that is; -1: the list ends. */
static int next_listed(const wisp_help *help, const char **at)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyz-";
  *at += strspn(*at, ", ");
  const size_t length = strspn(*at, letters), dashes = strspn(*at, "-");
  const char *name = *at + dashes;
  *at += length;
  for (size_t i = 0; dashes && i < help->count; i++) {
    const wisp_option *option = &help->option[i];
    if (dashes == 1 ? length == 2 && option->letter == *name
                    : strlen(option->name) == length - 2 && strncmp(option->name, name, length - 2) == 0)
      return (int)i;
  }
  return -1;
}

/* May the option be given with one whose text ends with "only with -f, -n"? */
static bool goes_with(const wisp_help *help, size_t option, const char *text)
{
  static const char mark[] = "only with ";
  const char *at = strstr(text, mark);
  if (!at || option >= help->common) return true;
  at += strlen(mark);
  for (int listed; (listed = next_listed(help, &at)) >= 0;)
    if ((size_t)listed == option) return true;
  return false;
}

void wisp_help_name(const wisp_help *help, char name[64])
{
  size_t length = 0, word;
  for (const char *at = help->usage; *at; at += word + (at[word] == ' ')) {
    word = strcspn(at, " ");
    if (strspn(at, "abcdefghijklmnopqrstuvwxyz") != word) break;
    length = (size_t)(at - help->usage) + word;
  }
  snprintf(name, 64, "%.*s", (int)length, help->usage);
}

/* The same of one option that was given. */
static wisp_status check_option(wisp_error *err, const wisp_help *help, const char *word, const char *const *values,
                                size_t option)
{
  static const char with[] = "with ";
  const char *name = help->option[option].name, *text = help->option[option].help, *at = text + strlen(with);
  char command[64], words[128];
  wisp_help_name(help, command);
  list_words(help->usage, text, words);
  CALL(wisp_require(err, is_for(text, word, NULL), WISP_EUSAGE,
                    "option --%s is for %s, not for %s: '%s %s --help' lists what that takes", name, words, word,
                    command, word));
  const int needed = strncmp(text, with, strlen(with)) == 0 ? next_listed(help, &at) : -1;
  CALL(wisp_require(err, needed < 0 || *at != ':' || values[needed], WISP_EUSAGE,
                    "option --%s wants --%s: give both, or neither", name,
                    help->option[needed < 0 ? option : (size_t)needed].name));
  for (size_t i = 0; i < help->count; i++)
    CALL(wisp_require(err, !values[i] || i == option || goes_with(help, option, help->option[i].help), WISP_EUSAGE,
                      "option --%s does not go with --%s: leave one out", name, help->option[i].name));
  return WISP_OK;
}

wisp_status wisp_help_check(wisp_error *err, const wisp_help *help, const char *word, const char *const *values)
{
  if (word && !has_word(help->usage, word)) word = NULL;
  for (size_t i = 0; i < help->count; i++)
    if (values[i]) CALL(check_option(err, help, word, values, i));
  return WISP_OK;
}

/* ---- As --help prints it. */

static void print_usage(const char *usage, const char *word)
{
  char text[512];
  size_t length = 0;
  const char *begin = choices(usage, &length);
  if (word && length)
    snprintf(text, sizeof text, "%.*s%s%s", (int)(begin - usage), usage, word, begin + length);
  else
    snprintf(text, sizeof text, "%s", usage);
  wisp_help_wrap(stdout, text, printf("usage: "), 7);
  printf("\n");
}

/* Its lines; of a word the one that begins with it. */
static void print_about(FILE *to, const char *about, const char *word)
{
  HELD(wisp_text_free) wisp_text line = {0};
  for (const char *end = about + strlen(about); about < end;) {
    if (wisp_text_take_line(NULL, &about, end, &line) != WISP_OK) return;
    /* The column of a line's text, behind a gap, as in "merge FILE...   adds the trials"; 0: it has none. */
    const char *gap = strstr(line.data + strspn(line.data, " "), "  ");
    const int column = gap ? (int)(gap - line.data) + (int)strspn(gap, " ") : 0;
    if (word && strncmp(line.data, word, strlen(word)) != 0) continue;
    if (line.length <= WIDTH)
      fprintf(to, "%s\n", line.data);
    else
      wisp_help_wrap(to, line.data + column, fprintf(to, "%.*s", column, line.data), column);
  }
}

/* Prints an option if it belongs to the word of the command. */
static void print_option(const wisp_option *option, const char *word)
{
  HELD(wisp_text_free) wisp_text text = {0};
  char letter[8] = "    ";
  if (!is_for(option->help, word, &text)) return;
  if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
  int at = printf("  %s--%s%s%s", letter, option->name, option->argument ? " " : "",
                  option->argument ? option->argument : "");
  if (at < NAMES)
    at += printf("%*s", NAMES - at, "");
  else
    at += printf(" ");
  wisp_help_wrap(stdout, text.data, at, NAMES);
}

void wisp_help_print(const wisp_help *help, const char *word)
{
  if (word && !has_word(help->usage, word)) word = NULL;
  print_usage(help->usage, word);
  print_about(stdout, help->about, word);
  printf("\n");
  for (size_t i = 0; i < help->count; i++) print_option(&help->option[i], word);
}

void wisp_help_show(const char *page, FILE *to)
{
  HELD(wisp_text_free) wisp_text text = {0};
  wisp_error err = {0};
  print_about(to, add_page(&err, page, "", &text) == WISP_OK ? text.data : err.text, NULL);
}
