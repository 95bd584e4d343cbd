#include "check.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Messages quote what users bring. Whatever that is, they stay one line, and no terminal obeys them. */
static void disarm(char *text)
{
  for (; *text; text++)
    if (iscntrl((unsigned char)*text)) *text = '?';
}

wisp_status wisp_fail(wisp_error *err, wisp_status status, const char *format, ...)
{
  if (!err) return status;
  va_list args;
  va_start(args, format);
  vsnprintf(err->text, sizeof err->text, format, args);
  va_end(args);
  disarm(err->text);
  err->status = status;
  return status;
}

wisp_status wisp_context(wisp_error *err, wisp_status status, const char *format, ...)
{
  if (!err || status == WISP_OK) return status;
  char prefix[sizeof err->text], whole[2 * sizeof err->text];
  va_list args;
  va_start(args, format);
  vsnprintf(prefix, sizeof prefix, format, args);
  va_end(args);
  disarm(prefix);
  snprintf(whole, sizeof whole, "%s%s", prefix, err->text);
  memcpy(err->text, whole, sizeof err->text - 1);
  err->text[sizeof err->text - 1] = '\0';
  return status;
}

wisp_status wisp_new(wisp_error *err, size_t count, size_t size, void *out)
{
  if (size && count > SIZE_MAX / size)
    return wisp_fail(err, WISP_EMEMORY, "out of memory: %zu items of %zu bytes cannot be counted", count, size);
  void *memory = calloc(count ? count : 1, size ? size : 1);
  if (!memory) return wisp_fail(err, WISP_EMEMORY, "out of memory: %zu bytes asked for", count * size);
  memcpy(out, &memory, sizeof memory); /* the pointer out points to may be of any object type */
  return WISP_OK;
}
