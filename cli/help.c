#include "help.h"
#include "terminal.h"

#include <string.h>

enum { WIDTH = 80, NAMES = 28 }; /* of a line, of the column with the options' names */

static const wisp_option common[] = {
    {"quiet", 'q', NULL, "errors alone on standard error, no progress and no notes"},
    {"help", 'h', NULL, "this text"},
};

size_t wisp_option_count(const wisp_syntax *syntax)
{
  return syntax->count + WISP_COUNT(common);
}

const wisp_option *wisp_option_at(const wisp_syntax *syntax, size_t i)
{
  return i < syntax->count ? &syntax->options[i] : &common[i - syntax->count];
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
  const char *gap = strstr(line, "  ");
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
static void print_about(const char *about, const char *word)
{
  char line[512];
  for (size_t length; *about; about += length + (about[length] == '\n')) {
    length = strcspn(about, "\n");
    snprintf(line, sizeof line, "%.*s", (int)length, about);
    int column = text_column(line);
    if (word && strncmp(line, word, strlen(word)) != 0) continue;
    if (length <= WIDTH)
      printf("%s\n", line);
    else
      wisp_help_wrap(stdout, line + column, printf("%.*s", column, line), column);
  }
  printf("\n");
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

void wisp_help_print(const wisp_syntax *syntax, const char *word)
{
  if (word && !has_word(syntax->usage, word)) word = NULL;
  print_usage(syntax->usage, word);
  print_about(syntax->about, word);
  for (size_t i = 0; i < wisp_option_count(syntax); i++)
    if (is_for(wisp_option_at(syntax, i)->help, word)) print_option(wisp_option_at(syntax, i));
}
