#include "renamed.h"
#include "../embedded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads FAMILY.KERNEL STRATEGY [OLD] NEW. */
static bool read_line(const char *text, wisp_renaming *r)
{
  const int words = sscanf(text, "%23[a-z].%31s %63s %23s %63s", r->family, r->kernel, r->strategy, r->old, r->new);
  if (words == 4) memcpy(r->new, r->old, sizeof r->old), *r->old = '\0';
  return words >= 4;
}

wisp_status wisp_renamings_load(wisp_error *err, wisp_renamings *out)
{
  static const char path[] = "cache/renamed.list";
  const char *at = wisp_embedded_text(path);
  const char *const end = at ? at + strlen(at) : NULL;
  size_t lines = 1, number = 1;
  HELD(wisp_text_free) wisp_text one = {0};
  HELD(wisp_renamings_free) wisp_renamings names = {0};
  for (const char *c = at; c < end; c++) lines += *c == '\n';
  CALL(wisp_new(err, lines, sizeof *names.list, &names.list));
  for (; at < end; number++) {
    CALL(wisp_text_take_line(err, &at, end, &one));
    if (*one.data == '#') continue;
    CALL(wisp_require(err, read_line(one.data, &names.list[names.count++]), WISP_EINPUT,
                      "%s:%zu: not FAMILY.KERNEL, a strategy, an old name and a new one", path, number));
  }
  *out = names;
  names = (wisp_renamings){0};
  return WISP_OK;
}

void wisp_renamings_free(wisp_renamings *names)
{
  free(names->list);
  *names = (wisp_renamings){0};
}

static bool is_for(const wisp_renaming *r, const char *family, const char *kernel, const char *strategy)
{
  if (strategy && strcmp(r->strategy, strategy) != 0) return false;
  if (strcmp(r->family, family) != 0) return false;
  return !kernel || strcmp(r->kernel, "*") == 0 || strcmp(r->kernel, kernel) == 0;
}

const char *wisp_renamed_param(const wisp_renamings *names, const char *family, const char *kernel,
                               const char *strategy, const char *param)
{
  for (const wisp_renaming *r = names->list; r < names->list + names->count; r++)
    if (is_for(r, family, kernel, strategy) && strcmp(r->old, param) == 0) return r->new;
  return NULL;
}

wisp_status wisp_renamed_note(wisp_error *err, const char *what, const char *old, const char *new, wisp_text *out)
{
  return wisp_text_print(
      err, out, WISP_MESSAGE("%s '%s' is now called '%s': the next release knows the new name alone"), what, old, new);
}
