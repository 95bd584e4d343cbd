#include "source_set.h"

#include <ctype.h>

/* A text on its way: gap is the white space owed before whatever comes next, one blank or one newline; 0: none. */
typedef struct writer {
  wisp_error *err;
  wisp_text *out;
  char gap;
} writer;

static wisp_status put(writer *w, const char *from, size_t count)
{
  if (w->gap && w->out->length) CALL(wisp_text_add(w->err, w->out, &w->gap, 1));
  w->gap = 0;
  return wisp_text_add(w->err, w->out, from, count);
}

static bool begins(const char *at, const char *with)
{
  return strncmp(at, with, strlen(with)) == 0;
}

/* The end of the comment, string or tag that begins at `at`: behind the text `end`, or where everything ends. */
static const char *behind(const char *at, const char *end)
{
  const char *found = strstr(at, end);
  return found ? found + strlen(end) : at + strlen(at);
}

/* The end of a comment to the line's end: before the newline that no backslash joins to the next line. */
static const char *line_end(const char *at)
{
  while (*at && *at != '\n') at += at[0] == '\\' && at[1] ? 2 : 1;
  return at;
}

/* The end of a string or character: behind the quote, at the latest where its line ends. */
static const char *string_end(const char *at)
{
  const char quote = *at++;
  while (*at && *at != '\n' && *at != quote) at += at[0] == '\\' && at[1] ? 2 : 1;
  return at + (*at == quote);
}

/* Does a tag between the two open or close a block, or insert a text? */
static bool has_structure(const char *from, const char *end)
{
  while ((from = strstr(from, "{{")) && from < end) {
    from = wisp_skip_space(from + 2);
    if (strchr("#/>", *from) || begins(from, "else")) return true;
  }
  return false;
}

/* A tag: blanks within it count as one, none at its beginning and end. */
static wisp_status put_tag(writer *w, const char **at)
{
  const char *end = behind(*at + 2, "}}"), *c = wisp_skip_space(*at + 2);
  CALL(put(w, "{{", 2));
  if (*c && strchr("#/>=", *c)) {
    CALL(put(w, c, 1));
    c = wisp_skip_space(c + 1);
  }
  for (; c < end; c++)
    if (!isspace((unsigned char)*c))
      CALL(put(w, c, 1));
    else if (!begins(wisp_skip_space(c), "}}"))
      w->gap = ' ';
  *at = end;
  return WISP_OK;
}

/* The end of what `at` begins that is left out; `at` itself where that is nothing. */
static const char *skip_comment(const char *at)
{
  const char *end = at;
  if (*at != '{' && *at != '/') return at;
  if (begins(at, "{{") && *wisp_skip_space(at + 2) == '!') return behind(at, "}}");
  if (begins(at, "//")) end = line_end(at);
  if (begins(at, "/*")) end = behind(at + 2, "*/");
  return end > at && has_structure(at, end) ? at : end;
}

/* The end of what goes as it stands: a string, a run without anything special, or one character; a backslash takes the
 * newline along. */
static const char *verbatim_end(const char *at)
{
  const size_t run = strcspn(at, "{/\"'\\ \t\r\n\v\f");
  if (*at == '"' || *at == '\'') return string_end(at);
  return at + (run ? run : at[0] == '\\' && at[1] == '\n' ? 2 : 1);
}

static wisp_status write_normalized(writer *w, const char *at)
{
  while (*at) {
    const char *end = skip_comment(at);
    if (end > at) {
      if (*at == '/' && !w->gap) w->gap = ' ';
      at = end;
    } else if (begins(at, "{{")) {
      CALL(put_tag(w, &at));
    } else if (isspace((unsigned char)*at)) {
      if (w->gap != '\n') w->gap = *at == '\n' ? '\n' : ' ';
      at++;
    } else {
      end = verbatim_end(at);
      CALL(put(w, at, (size_t)(end - at)));
      at = end;
    }
  }
  return WISP_OK;
}

/* ---- Words. */

/* Moves *at to the next word, and gives its length; 0: there is none. */
static size_t next_word(const char **at)
{
  size_t length = 0;
  for (;; *at += length, length = 0) {
    while (**at && !wisp_in_name(**at)) (*at)++;
    while (wisp_in_name((*at)[length])) length++;
    if (!length || !isdigit((unsigned char)**at)) return length;
  }
}

/* The table's entry for a word, of the text or of its tags; an empty entry if the table does not have it. */
static uint64_t *find_word(const wisp_normalized *normalized, bool in_tag, const char *word, size_t length,
                           uint64_t *hash)
{
  *hash = wisp_hash(in_tag ? wisp_hash_text(WISP_HASH_SEED, "{{") : WISP_HASH_SEED, word, length);
  if (!*hash) *hash = 1;
  size_t i = *hash & (normalized->words - 1);
  while (normalized->word[i] && normalized->word[i] != *hash) i = (i + 1) & (normalized->words - 1);
  return &normalized->word[i];
}

/* Enters each word once, and a second time where it stands in a tag. */
static void enter_words(wisp_normalized *normalized)
{
  size_t length = 0;
  uint64_t hash = 0;
  const char *tag = strstr(normalized->text.data, "{{"); /* the first tag that does not end before the word */
  const char *end = tag ? behind(tag, "}}") : NULL;
  for (const char *at = normalized->text.data; (length = next_word(&at)); at += length) {
    while (tag && end <= at) {
      tag = strstr(end, "{{");
      end = tag ? behind(tag, "}}") : NULL;
    }
    *find_word(normalized, false, at, length, &hash) = hash;
    if (tag && tag < at) *find_word(normalized, true, at, length, &hash) = hash;
  }
}

static wisp_status list_words(wisp_error *err, wisp_normalized *normalized)
{
  size_t count = 0, length = 0;
  for (const char *at = normalized->text.data; (length = next_word(&at)); at += length) count++;
  for (normalized->words = 8; normalized->words < 4 * count;) normalized->words *= 2;
  CALL(wisp_new(err, normalized->words, sizeof *normalized->word, &normalized->word));
  enter_words(normalized);
  return WISP_OK;
}

wisp_status wisp_normalized_create(wisp_error *err, const char *text, wisp_normalized *out)
{
  HELD(wisp_normalized_free) wisp_normalized normalized = {0};
  writer w = {.err = err, .out = &normalized.text};
  CALL(wisp_text_add(err, &normalized.text, "", 0));
  CALL(write_normalized(&w, text));
  CALL(list_words(err, &normalized));
  normalized.hash = wisp_hash_text(WISP_HASH_SEED, normalized.text.data);
  return GIVE(normalized, out);
}

void wisp_normalized_free(wisp_normalized *normalized)
{
  wisp_text_free(&normalized->text);
  free(normalized->word);
  *normalized = (wisp_normalized){0};
}

bool wisp_normalized_has(const wisp_normalized *normalized, const char *word)
{
  uint64_t hash = 0;
  return *find_word(normalized, false, word, strlen(word), &hash) == hash;
}

bool wisp_normalized_reads(const wisp_normalized *normalized, const char *name)
{
  uint64_t hash = 0;
  return *find_word(normalized, true, name, strlen(name), &hash) == hash;
}

bool wisp_normalized_next_insert(const char **at, const char **name, size_t *length)
{
  while ((*at = strstr(*at, "{{>"))) {
    *name = *at += 3;
    *length = wisp_name_length(*name);
    *at += *length;
    if (*length) return true;
  }
  return false;
}
