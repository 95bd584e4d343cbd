/* Texts that are found by name: what the library carries below templates/, and the user's, below $WISP_TEMPLATES:
 * systems of equations, forms of a family. */
#pragma once

#include "text.h"

/* "systems" and ".system": FOLDER/NAME.system */
typedef struct wisp_named {
  const char *what, *folder, *ending; /* what: for messages */
} wisp_named;

enum { WISP_NAMED_PATH = 1024 };

bool wisp_named_is_own(const wisp_named *kind, const char *name); /* one that the library carries */
bool wisp_named_exists(const wisp_named *kind, const char *name);
wisp_status wisp_named_list(wisp_error *err, const wisp_named *kind, wisp_text *list); /* "maxwell, acoustics" */
/* WISP_EINPUT: the user's file at path has the name of another. */
wisp_status wisp_named_taken(wisp_error *err, const wisp_named *kind, const char *path, const char *name);
/* The library's, or else the user's, caller's memory. WISP_EUSAGE names those that there are; wisp_named_taken where
 * both have one. */
wisp_status wisp_named_read(wisp_error *err, const wisp_named *kind, const char *name, char path[WISP_NAMED_PATH],
                            char **text);
