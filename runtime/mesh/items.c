#include "items.h"

#include <ctype.h>

void wisp_items_free(wisp_items *items)
{
  WISP_FREE(items->item, items->text);
  *items = (wisp_items){0};
}

/* The text without blanks around it; its end becomes a NUL. */
static char *trim(char *from, char *end)
{
  while (isspace((unsigned char)*from)) from++;
  while (end > from && isspace((unsigned char)end[-1])) end--;
  *end = '\0';
  return from;
}

/* Is the equals sign at `at` that of a comparison? */
static bool compares(const char *text, const char *at)
{
  return at[1] == '=' || (at > text && strchr("=!<>", at[-1]));
}

/* Finds the end of the item that begins at `from`, and its equals sign, if it has one. */
static wisp_status find_end(wisp_error *err, char *from, char **equals, char **end)
{
  int depth = 0;
  *equals = NULL;
  for (*end = from; **end && (**end != ',' || depth > 0); ++*end) {
    if (**end == '"' || **end == '\'') {
      char *close = strchr(*end + 1, **end);
      CALL(wisp_require(err, close, WISP_EUSAGE, "the quote %c has no end in %s", **end, from));
      *end = close;
    }
    depth += (**end == '(') - (**end == ')');
    if (**end == '=' && !*equals && depth == 0 && !compares(from, *end)) *equals = *end;
  }
  return WISP_OK;
}

wisp_status wisp_items_read(wisp_error *err, const char *text, wisp_items *out)
{
  HELD(wisp_items_free) wisp_items items = {.text = NULL};
  CALL(wisp_copy_text(err, text, &items.text));
  for (char *at = items.text, *equals = NULL, *end = NULL; at;) {
    wisp_item item = {.key = NULL};
    CALL(find_end(err, at, &equals, &end));
    const bool last = !*end;
    item.value = trim(equals ? equals + 1 : at, end);
    if (equals) item.key = trim(at, equals);
    CALL(wisp_require(err, !item.key || *item.key, WISP_EUSAGE, "there is a name missing before =%s", item.value));
    CALL(wisp_require(err, *item.value, WISP_EUSAGE, "there is a value missing%s%s", item.key ? " of " : "",
                      item.key ? item.key : ""));
    CALL(wisp_grow(err, &items.item, &items.capacity, items.count + 1, sizeof *items.item));
    items.item[items.count++] = item;
    at = last ? NULL : end + 1;
  }
  return GIVE(items, out);
}
