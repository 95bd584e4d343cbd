/* Files that travel inside the library: templates, space descriptions, systems, dialects, shipped winners. */
#pragma once

#include <stddef.h>

typedef struct wisp_embedded {
  const char *path; /* "templates/nodal/volume_field_shared.k" */
  const char *text; /* NUL-terminated */
  size_t length;
  const char *from; /* of a part that stands in a file of several, that file; else NULL */
} wisp_embedded;

/* Sorted by path; made by scripts/embed at build time. */
extern const wisp_embedded wisp_embedded_files[];
extern const size_t wisp_embedded_count;

/* The text of one file, or NULL. */
const char *wisp_embedded_text(const char *path);
