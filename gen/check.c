#include "check.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

/* Copies text into `capacity` bytes; a text that is too long loses its middle, and control characters become '?', so
 * that messages with quoted input stay one line and no terminal obeys them. */
static void fit(const char *text, char *out, size_t capacity)
{
  static const char gap[] = " ... ";
  size_t length = strlen(text), kept = (capacity - sizeof gap) / 2;
  if (length < capacity)
    memcpy(out, text, length + 1);
  else
    snprintf(out, capacity, "%.*s%s%s", (int)kept, text, gap, text + length - kept);
  for (; *out; out++)
    if (iscntrl((unsigned char)*out)) *out = '?';
}

/* Writes "not a number" where printf has written a number as "nan" or "-nan": after a blank or a bracket. A name or a
 * quoted word that has these letters stays. */
static void name_nan(char *text, size_t capacity)
{
  static const char words[] = "not a number";
  for (char *at = text; (at = strstr(at, "nan")); at++) {
    char *from = at > text && at[-1] == '-' ? at - 1 : at;
    const size_t past = strlen(at + 3) + 1, used = (size_t)(from - text) + strlen(words) + past;
    if (from == text || !strchr(" (", from[-1]) || !strchr(" ,;:).", at[3]) || used > capacity) continue;
    memmove(from + strlen(words), at + 3, past);
    memcpy(from, words, strlen(words));
    at = from + strlen(words) - 1;
  }
}

wisp_status wisp_fail(wisp_error *err, wisp_status status, const char *format, ...)
{
  if (!err) return status;
  char full[16 * sizeof err->text];
  va_list args;
  va_start(args, format);
  vsnprintf(full, sizeof full, format, args);
  va_end(args);
  name_nan(full, sizeof full);
  fit(full, err->text, sizeof err->text);
  err->status = status;
  return status;
}

wisp_status wisp_context(wisp_error *err, wisp_status status, const char *format, ...)
{
  if (!err || status == WISP_OK) return status;
  char prefix[sizeof err->text], full[2 * sizeof err->text];
  va_list args;
  va_start(args, format);
  vsnprintf(prefix, sizeof prefix, format, args);
  va_end(args);
  snprintf(full, sizeof full, "%s%s", prefix, err->text);
  fit(full, err->text, sizeof err->text);
  return status;
}

wisp_status wisp_new(wisp_error *err, size_t count, size_t size, void *out)
{
  if (size && count > SIZE_MAX / size)
    return wisp_fail(err, WISP_EMEMORY, "out of memory: %zu items of %zu bytes cannot be counted", count, size);
  void *memory = calloc(count ? count : 1, size ? size : 1);
  if (!memory) return wisp_fail(err, WISP_EMEMORY, "out of memory: %zu bytes asked for", count * size);
  wisp_large_pages(memory, count * size);
  memcpy(out, &memory, sizeof memory); /* the pointer out points to may be of any object type */
  return WISP_OK;
}

wisp_status wisp_copy(wisp_error *err, const void *from, size_t bytes, void *out)
{
  void *to = NULL;
  if (!from) return WISP_OK;
  CALL(wisp_new(err, bytes + 1, 1, &to));
  memcpy(to, from, bytes);
  memcpy(out, &to, sizeof to);
  return WISP_OK;
}

wisp_status wisp_copy_text(wisp_error *err, const char *text, char **out)
{
  return text ? wisp_copy(err, text, strlen(text), out) : WISP_OK;
}

wisp_status wisp_grow(wisp_error *err, void *array, size_t *capacity, size_t count, size_t size)
{
  void *memory;
  size_t more = *capacity + *capacity / 2;
  if (count <= *capacity) return WISP_OK;
  if (more < count + 16) more = count + 16;
  memcpy(&memory, array, sizeof memory);
  memory = reallocarray(memory, more, size);
  if (!memory) return wisp_fail(err, WISP_EMEMORY, "out of memory: %zu items of %zu bytes asked for", more, size);
  memcpy(array, &memory, sizeof memory);
  *capacity = more;
  return WISP_OK;
}

/* Advice that the system may not take: whether it did does not matter. */
void wisp_large_pages(void *memory, size_t bytes)
{
  enum { PAGE = 4096, MUCH = 1 << 23 };
  const uintptr_t from = ((uintptr_t)memory + PAGE - 1) / PAGE * PAGE, to = (uintptr_t)memory + bytes;
  if (bytes >= MUCH) madvise((void *)from, to - from, MADV_HUGEPAGE);
}
