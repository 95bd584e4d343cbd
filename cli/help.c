#include "help.h"
#include "print.h"
#include "../gen/embedded.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 80, NAMES = 28 }; /* of a line, of the column with the options' names */

static wisp_status add_page(wisp_error *err, const char *page, const char *subject, wisp_text *out)
{
  char path[64], part[32], of[64];
  snprintf(path, sizeof path, "cli/help/%s", page);
  for (const char *at = wisp_embedded_text(path); at && *at; at++) {
    const bool begins = out->length == 0 || out->data[out->length - 1] == '\n';
    if (*at == '\\') {
      at += 1 + strspn(at + 2, " ");
      CALL(wisp_text_print(err, out, " "));
    } else if (*at == '$')
      CALL(wisp_text_print(err, out, "%s", subject));
    else if (begins && *at == '@' && sscanf(at, "@%31[a-z]%63[^\n]", part, of) >= 1) {
      CALL(add_page(err, part, of + 1, out));
      at += strcspn(at, "\n");
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

static bool is_taken(const wisp_help *help, const char *name)
{
  for (size_t i = 0; i < help->count; i++)
    if (strcmp(help->option[i].name, name) == 0) return true;
  return false;
}

wisp_status wisp_help_read(wisp_error *err, const char *page, const char *subject, const char *more, wisp_help *out)
{
  *out = (wisp_help){.count = 0};
  CALL(add_page(err, page, subject, &out->text));
  const size_t own = out->text.length;
  CALL(wisp_text_print(err, &out->text, "%s", more ? more : ""));
  CALL(add_page(err, "common", "", &out->text));
  char *about = strchr(out->text.data, '\n'), *options = strstr(about, "\n\n"), *rest = NULL;
  *about = *options = '\0';
  out->usage = out->text.data;
  out->about = about + 1;
  for (char *line = strtok_r(options + 1, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
    const wisp_option option = read_option(line);
    if (line < out->text.data + own) out->own = out->count + 1;
    if (out->count < WISP_MAX_OPTIONS && !is_taken(out, option.name)) out->option[out->count++] = option;
  }
  return WISP_OK;
}

void wisp_help_wrap(FILE *to, const char *text, int at, int indent)
{
  wisp_text lines = {0};
  if (wisp_wrap(NULL, &lines, text, at, indent, WIDTH) == WISP_OK) fputs(lines.data, to);
  wisp_text_free(&lines);
}

/* The column in which a line's text stands: after a gap, as in "merge FILE...   adds the trials"; 0 where it has none.
 */
static int text_column(const char *line)
{
  const char *gap = strstr(line + strspn(line, " "), "  ");
  return gap ? (int)(gap - line) + (int)strspn(gap, " ") : 0;
}

/* Whether a help text is for this word: "export: ...", "export, show: ...", "export: ...; show: ..." name their words,
 * others are for all. word NULL: any. */
static bool is_for(const char *help, const char *word)
{
  if (!word || help[strspn(help, "abcdefghijklmnopqrstuvwxyz, ")] != ':') return true;
  for (const char *at = help; (at = strstr(at, word)); at++)
    if ((at == help || at[-1] == ' ') && (at[strlen(word)] == ':' || at[strlen(word)] == ',')) return true;
  return false;
}

static void print_usage(const char *usage, const char *word)
{
  char text[512];
  const char *choices = strchr(usage, '|'), *begin = choices;
  while (begin && begin > usage && begin[-1] != ' ') begin--;
  if (word && begin)
    snprintf(text, sizeof text, "%.*s%s%s", (int)(begin - usage), usage, word, begin + strcspn(begin, " "));
  else
    snprintf(text, sizeof text, "%s", usage);
  wisp_help_wrap(stdout, text, printf("usage: "), 7);
  printf("\n");
}

/* Its lines; of a word the one that begins with it. */
static void print_about(FILE *to, const char *about, const char *word)
{
  char line[512];
  for (size_t length; *about; about += length + (about[length] == '\n')) {
    length = strcspn(about, "\n");
    snprintf(line, sizeof line, "%.*s", (int)length, about);
    int column = text_column(line);
    if (word && strncmp(line, word, strlen(word)) != 0) continue;
    if (length <= WIDTH)
      fprintf(to, "%s\n", line);
    else
      wisp_help_wrap(to, line + column, fprintf(to, "%.*s", column, line), column);
  }
}

static void print_option(const wisp_option *option)
{
  char letter[8] = "    ";
  if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
  int at = printf("  %s--%s%s%s", letter, option->name, option->argument ? " " : "",
                  option->argument ? option->argument : "");
  if (at < NAMES)
    at += printf("%*s", NAMES - at, "");
  else
    at += printf(" ");
  wisp_help_wrap(stdout, option->help, at, NAMES);
}

/* The words that a command takes first stand in its usage: "wisp db show|export ...". */
static bool has_word(const char *usage, const char *word)
{
  const char *at = strstr(usage, word);
  size_t length = strlen(word);
  return at && length && (at[-1] == '|' || at[length] == '|') && strchr(" |", at[length]);
}

void wisp_help_print(const wisp_help *help, const char *word)
{
  if (word && !has_word(help->usage, word)) word = NULL;
  print_usage(help->usage, word);
  print_about(stdout, help->about, word);
  printf("\n");
  for (size_t i = 0; i < help->count; i++)
    if (is_for(help->option[i].help, word)) print_option(&help->option[i]);
}

void wisp_help_show(const char *page, FILE *to)
{
  HELD(wisp_text_free) wisp_text text = {0};
  wisp_error err = {0};
  print_about(to, add_page(&err, page, "", &text) == WISP_OK ? text.data : err.text, NULL);
}
