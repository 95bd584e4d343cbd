/* Where a strategy's texts stand: the files inside the library and, before them, those of a folder of the user's. */
#ifndef WISP_SHELF_H
#define WISP_SHELF_H

#include "../check.h"
#include "../embedded.h"

typedef struct wisp_shelf {
  const wisp_embedded *files; /* by the library's paths: "templates/FAMILY/NAME" */
  size_t count, own;          /* the first `own` are the user's: they lie in `folder`, not in templates/ */
  const char *folder;
} wisp_shelf;

/* Reads the texts (.space, .k, .part, names, .system) of a folder's families and puts them before the library's;
 * release with wisp_shelf_free. */
wisp_status wisp_shelf_load(wisp_error *err, const char *folder, wisp_shelf *out);
void wisp_shelf_free(wisp_shelf *shelf);

/* templates/FAMILY/NAME, the user's before the library's; NULL: none. */
const wisp_embedded *wisp_shelf_find(const wisp_shelf *shelf, const char *family, const char *name);

/* Where a file really lies, for messages. */
enum { WISP_SHOWN_PATH = 1024 };
void wisp_shelf_shown(const wisp_shelf *shelf, const wisp_embedded *file, char path[WISP_SHOWN_PATH]);

#endif
