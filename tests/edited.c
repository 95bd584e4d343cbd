#include "edited.h"
#include "store_fixture.h"
#include "../gen/embedded.h"
#include "../gen/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

static const char *embedded(const char *family, const char *name, int length, const char *ending)
{
  char path[256];
  snprintf(path, sizeof path, "templates/%s/%.*s.%s", family, length, name, ending);
  const char *text = wisp_embedded_text(path);
  if (!text) fail_msg("%s is not in this library", path);
  return text;
}

static void add(wisp_text *text, const char *from, size_t length)
{
  assert_int_equal(wisp_text_print(NULL, text, "%.*s", (int)length, from), WISP_OK);
}

/* The text with every {{>part}} replaced by the part's own. */
static void write_out(wisp_text *out, const char *family, const char *text)
{
  for (const char *at; (at = strstr(text, "{{>")); text = strstr(at, "}}") + 2) {
    const char *name = at + 3, *end = strstr(name, "}}");
    add(out, text, (size_t)(at - text));
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

/* What a space says behind a word at the beginning of a line; NULL: nothing. */
static const char *said(const char *space, const char *word, int *length)
{
  const char *at = strstr(space, word);
  if (!at) return NULL;
  at += strlen(word);
  at += strspn(at, " ");
  *length = (int)strcspn(at, " \n");
  return at;
}

void plant_edited(const char *folder, const char *family, const char *kernel, const char *base, const char *name,
                  const edit *edits, size_t count)
{
  char path[512], file[128];
  wisp_text space = {0}, text = {0};
  int length = snprintf(file, sizeof file, "%s.%s", kernel, base);
  const char *shared = NULL;
  add(&space, embedded(family, file, length, "space"), strlen(embedded(family, file, length, "space")));
  shared = said(space.data, "\ntext ", &length);
  write_out(&text, family, embedded(family, shared ? shared : file, shared ? length : (int)strlen(file), "k"));
  if (shared) assert_int_equal(replace(&space, &(edit){"\ntext ", "\n# text "}), 1);
  for (size_t i = 0; i < count && edits[i].from; i++) apply(&space, &text, &edits[i], name);
  snprintf(path, sizeof path, "%s/%s", folder, family);
  mkdir(path, 0700); /* it may be there */
  snprintf(path, sizeof path, "%s/%s/%s.%s.space", folder, family, kernel, name);
  fixture_write(path, space.data, strlen(space.data));
  snprintf(path, sizeof path, "%s/%s/%s.%s.k", folder, family, kernel, name);
  fixture_write(path, text.data, strlen(text.data));
  wisp_text_free(&space);
  wisp_text_free(&text);
}
