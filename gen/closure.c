#include "closure.h"
#include "template.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct closure {
  const wisp_embedded *files;
  size_t count;
  const char *family;
  bool *inside; /* by file */
} closure;

/* Takes in the parts that a text inserts, and those that they insert in turn. */
static void follow(closure *c, const char *text)
{
  const char *name = NULL;
  size_t length = 0;
  while (wisp_template_next_insert(&text, &name, &length)) {
    char path[128];
    snprintf(path, sizeof path, "templates/%s/%.*s.part", c->family, (int)length, name);
    for (size_t i = 0; i < c->count; i++) {
      if (c->inside[i] || strcmp(c->files[i].path, path) != 0) continue;
      c->inside[i] = true;
      follow(c, c->files[i].text);
    }
  }
}

/* With the NUL at its end, so that no text can pass for the end of one and the beginning of the next. */
static uint64_t add_text(uint64_t hash, const char *text)
{
  return wisp_hash(hash, text, strlen(text) + 1);
}

wisp_status wisp_closure_hash(wisp_error *err, const wisp_embedded *files, size_t count, const char *family,
                              const char *space, const char *text, uint64_t *hash)
{
  static const char dialects[] = "templates/dialect/";
  wisp_status status = WISP_OK;
  closure c = {.files = files, .count = count, .family = family};
  TRY(wisp_new(err, count, sizeof *c.inside, &c.inside));
  for (size_t i = 0; i < count; i++) {
    if (strncmp(files[i].path, dialects, strlen(dialects)) != 0) continue;
    c.inside[i] = true;
    follow(&c, files[i].text);
  }
  follow(&c, space);
  follow(&c, text);
  *hash = add_text(add_text(WISP_HASH_SEED, space), text);
  for (size_t i = 0; i < count; i++)
    if (c.inside[i]) *hash = add_text(*hash, files[i].text);
done:
  free(c.inside);
  return status;
}

uint64_t wisp_closure_add_system(uint64_t hash, const wisp_embedded *files, size_t count, const char *system)
{
  char path[128];
  snprintf(path, sizeof path, "templates/systems/%s.system", system);
  for (size_t i = 0; i < count; i++)
    if (strcmp(files[i].path, path) == 0) return add_text(hash, files[i].text);
  return hash;
}
