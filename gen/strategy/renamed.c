#include "renamed.h"
#include "../embedded.h"

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
    wisp_renaming *r = &names.list[names.count++];
    const int words =
        sscanf(one.data, "%23[a-z].%31s %63s %23s %63s", r->family, r->kernel, r->strategy, r->old, r->new);
    if (words == 4) memcpy(r->new, r->old, sizeof r->old), *r->old = '\0'; /* FAMILY.KERNEL STRATEGY NEW */
    CALL(wisp_require(err, words >= 4, WISP_EINPUT, "%s:%zu: not FAMILY.KERNEL, a strategy, an old name and a new one",
                      path, number));
  }
  return GIVE(names, out);
}

void wisp_renamings_free(wisp_renamings *names)
{
  free(names->list);
  *names = (wisp_renamings){0};
}

const char *wisp_renamed_param(const wisp_renamings *names, const char *family, const char *kernel,
                               const char *strategy, const char *param)
{
  for (const wisp_renaming *r = names->list; r < names->list + names->count; r++) {
    const bool kernels = !kernel || strcmp(r->kernel, "*") == 0 || strcmp(r->kernel, kernel) == 0;
    if (!kernels || (strategy && strcmp(r->strategy, strategy) != 0)) continue;
    if (strcmp(r->family, family) == 0 && strcmp(r->old, param) == 0) return r->new;
  }
  return NULL;
}

wisp_status wisp_renamed_note(wisp_error *err, const char *what, const char *old, const char *new, wisp_text *out)
{
  return wisp_text_print(
      err, out, WISP_MESSAGE("%s '%s' is now called '%s': the next release knows the new name alone"), what, old, new);
}
