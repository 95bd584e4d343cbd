#include "edited.h"
#include "test.h"
#include "store_fixture.h"
#include "../gen/strategy/space_read.h"
#include "../gen/text.h"

#include <sys/stat.h>

/* The family's, else one that all families share. */
static const char *embedded(const char *family, const char *name, int length, const char *ending)
{
  char path[256];
  snprintf(path, sizeof path, "templates/common/%.*s.%s", length, name, ending);
  const char *shared = wisp_embedded_text(path);
  snprintf(path, sizeof path, "templates/%s/%.*s.%s", family, length, name, ending);
  const char *own = wisp_embedded_text(path), *text = own ? own : shared;
  if (!text) fail_msg("%s is not in this library", path);
  return text;
}

static void add(wisp_text *text, const char *from, size_t length)
{
  GOOD(wisp_text_print(err, text, "%.*s", (int)length, from));
}

/* The text with every {{>part}} replaced by the part's own, but for those that are given something. */
static void write_out(wisp_text *out, const char *family, const char *text)
{
  for (const char *at; (at = strstr(text, "{{>")); text = strstr(at, "}}") + 2) {
    const char *name = at + 3, *end = strstr(name, "}}");
    add(out, text, (size_t)(at - text));
    if (memchr(name, '=', (size_t)(end - name)))
      add(out, at, (size_t)(end + 2 - at));
    else
      write_out(out, family, embedded(family, name, (int)(end - name), "part"));
  }
  add(out, text, strlen(text));
}

/* All places; how many there were. */
static int replace(wisp_text *text, const edit *e)
{
  wisp_text out = {0};
  const char *rest = text->data;
  int places = 0;
  for (const char *at; (at = strstr(rest, e->from)); rest = at + strlen(e->from), places++) {
    add(&out, rest, (size_t)(at - rest));
    add(&out, e->to, strlen(e->to));
  }
  add(&out, rest, strlen(rest));
  wisp_text_free(text);
  *text = out;
  return places;
}

static void apply(wisp_text *space, wisp_text *text, const edit *e, const char *name)
{
  wisp_text longer = {0};
  if (strcmp(e->from, "^") == 0 || strcmp(e->from, "$") == 0) {
    const bool first = *e->from == '^';
    add(&longer, first ? e->to : text->data, strlen(first ? e->to : text->data));
    add(&longer, first ? text->data : e->to, strlen(first ? text->data : e->to));
    wisp_text_free(text);
    *text = longer;
  } else if (replace(text, e) + replace(space, e) == 0)
    fail_msg("%s: '%s' is nowhere", name, e->from);
}

/* The word that follows a keyword at the beginning of a line of a space; NULL: there is none. */
static const char *find_word(const char *space, const char *word, int *length)
{
  const char *at = strstr(space, word);
  if (!at) return NULL;
  at += strlen(word);
  at += strspn(at, " ");
  *length = (int)strcspn(at, " \n");
  return at;
}

/* The embedded space of strategy `base` of a kernel, which may be one of several there, or named by an included file
 * alone. */
static const wisp_embedded *find_space(const char *family, const char *kernel, const char *base)
{
  char folder[64], ending[128], path[256], name[WISP_NAME_TEXT];
  snprintf(folder, sizeof folder, "templates/%s/", family);
  snprintf(path, sizeof path, "templates/%s/%s.%s.space", family, kernel, base);
  snprintf(ending, sizeof ending, ".%s.space", base);
  for (size_t i = 0; i < wisp_embedded_count; i++) {
    const wisp_embedded *file = &wisp_embedded_files[i];
    const char *end = strstr(file->path, ending);
    if (strncmp(file->path, folder, strlen(folder)) != 0 || !end || end[strlen(ending)]) continue;
    if (strcmp(file->path, path) == 0) return file;
    for (int k = 0; wisp_space_kernel(file->text, k, name); k++)
      if (strcmp(name, kernel) == 0) return file;
  }
  fail_msg("%s.%s: no space of this library has a strategy %s", family, kernel, base);
  return NULL;
}

/* The space for this kernel alone, its text called as the space is. */
static void write_space(wisp_text *out, const char *text, const char *kernel)
{
  for (const char *next; *text; text = next) {
    size_t length = strcspn(text, "\n");
    next = text + length + (text[length] == '\n');
    if (strncmp(text, "kernels ", 8) == 0)
      GOOD(wisp_text_print(err, out, "kernel %s\n", kernel));
    else if (strncmp(text, "text ", 5) != 0)
      add(out, text, (size_t)(next - text));
  }
}

void plant_edited(const char *folder, const char *family, const char *kernel, const char *base, const char *name,
                  const edit *edits, size_t count)
{
  char path[512];
  HELD(wisp_text_free) wisp_text space = {0}, text = {0};
  const wisp_embedded *file = find_space(family, kernel, base);
  const char *stem = strrchr(file->path, '/') + 1;
  int length = (int)(strlen(stem) - strlen(".space"));
  const char *shared = find_word(file->text, "\ntext ", &length);
  write_space(&space, file->text, kernel);
  write_out(&text, family, embedded(family, shared ? shared : stem, length, "k"));
  for (size_t i = 0; i < count && edits[i].from; i++) apply(&space, &text, &edits[i], name);
  snprintf(path, sizeof path, "%s/%s", folder, family);
  mkdir(path, 0700); /* it may be there */
  snprintf(path, sizeof path, "%s/%s/%s.%s.space", folder, family, kernel, name);
  fixture_write(path, space.data, strlen(space.data));
  snprintf(path, sizeof path, "%s/%s/%s.%s.k", folder, family, kernel, name);
  fixture_write(path, text.data, strlen(text.data));
}
