#include "page.h"
#include "../gen/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static bool stands_in(const char *path, const char *block)
{
  wisp_error err = {0};
  char *text = NULL;
  size_t length;
  if (wisp_read_file(&err, path, &text, &length) != WISP_OK) fail_msg("%s", err.text);
  const bool found = strstr(text, block) != NULL;
  free(text);
  return found;
}

void check_page(const char *page, const char *const *files, size_t count, int least)
{
  char *text = NULL;
  size_t length;
  int blocks = 0;
  if (wisp_read_file(NULL, page, &text, &length) != WISP_OK) skip(); /* carried without its sources */
  for (char *at = text; (at = strstr(at, "\n```")); blocks++) {
    at = strchr(at + 1, '\n') + 1;
    char *end = strstr(at, "```");
    bool found = false;
    assert_non_null(end);
    *end = '\0';
    for (size_t f = 0; f < count && !found; f++) found = stands_in(files[f], at);
    if (!found) fail_msg("not in the sources: %s", at);
    at = end + 3;
  }
  assert_true(blocks >= least);
  free(text);
}
