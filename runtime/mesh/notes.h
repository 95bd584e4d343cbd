/* Remarks about a mesh's file: parts of it without effect, and changes. The command prints each once. */
#pragma once

#include "../../gen/check.h"

/* Zero-initialise. */
typedef struct wisp_notes {
  wisp_mesh_note *list; /* keys are constants, texts are the list's own */
  size_t count, capacity;
  size_t reported; /* how many of them people have read */
} wisp_notes;

/* Adds a remark. key: a word that programs can rely on, a constant. */
__attribute__((format(printf, 4, 5))) wisp_status wisp_notes_add(wisp_error *err, wisp_notes *notes, const char *key,
                                                                 const char *format, ...);
void wisp_notes_free(wisp_notes *notes);

/* The i-th remark; WISP_EMISSING behind the last. */
wisp_status wisp_notes_at(wisp_error *err, const wisp_notes *notes, size_t i, wisp_mesh_note *out);
