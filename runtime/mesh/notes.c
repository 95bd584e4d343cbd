#include "notes.h"

#include <stdarg.h>
#include <stdio.h>

enum { LONGEST = 1024 };

wisp_status wisp_notes_add(wisp_error *err, wisp_notes *notes, const char *key, const char *format, ...)
{
  char text[LONGEST];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  char *copy = NULL;
  CALL(wisp_grow(err, &notes->list, &notes->capacity, notes->count + 1, sizeof *notes->list));
  CALL(wisp_copy_text(err, text, &copy));
  notes->list[notes->count++] = (wisp_mesh_note){key, copy};
  return WISP_OK;
}

void wisp_notes_free(wisp_notes *notes)
{
  for (size_t i = 0; i < notes->count; i++) free((char *)notes->list[i].text);
  free(notes->list);
  *notes = (wisp_notes){.count = 0};
}

wisp_status wisp_notes_at(wisp_error *err, const wisp_notes *notes, size_t i, wisp_mesh_note *out)
{
  CALL(wisp_require(err, i < notes->count, WISP_EMISSING, "there are %zu notes, and no note %zu", notes->count, i));
  *out = notes->list[i];
  return WISP_OK;
}
