/* Strategies of a test's own, found through $WISP_TEMPLATES: shipped ones with a text replaced in them, which may be a
 * fault. */
#pragma once

#include <stddef.h>

typedef struct edit {
  const char
      *from; /* in the kernel's text, its parts written out, or in its space; all places; "^": the text's beginning;
                "$": its end */
  const char *to;
} edit;

/* Adds strategy `name` of family.kernel to the templates in folder: strategy `base` with these edits, up to one without
 * `from`, at most `count`. Fails the test where a text to be replaced is in neither. */
void plant_edited(const char *folder, const char *family, const char *kernel, const char *base, const char *name,
                  const edit *edits, size_t count);
