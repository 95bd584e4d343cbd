#include "text.h"
#include "embedded.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

WISP_OWNED(FILE, fclose)

/* Makes room for count more bytes and the final NUL. */
static wisp_status reserve(wisp_error *err, wisp_text *text, size_t count)
{
  return wisp_grow(err, &text->data, &text->capacity, text->length + count + 1, 1);
}

wisp_status wisp_text_add(wisp_error *err, wisp_text *text, const char *bytes, size_t count)
{
  CALL(reserve(err, text, count));
  if (count) memcpy(text->data + text->length, bytes, count);
  text->length += count;
  text->data[text->length] = '\0';
  return WISP_OK;
}

wisp_status wisp_text_print(wisp_error *err, wisp_text *text, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  int count = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (count < 0) return wisp_fail(err, WISP_ESYSTEM, "text: cannot format '%s'", format);
  CALL(reserve(err, text, (size_t)count));
  va_start(args, format);
  vsnprintf(text->data + text->length, (size_t)count + 1, format, args);
  va_end(args);
  text->length += (size_t)count;
  return WISP_OK;
}

void wisp_text_free(wisp_text *text)
{
  free(text->data);
  *text = (wisp_text){0};
}

wisp_status wisp_text_take_line(wisp_error *err, const char **at, const char *end, wisp_text *line)
{
  const char *from = *at, *feed = memchr(from, '\n', (size_t)(end - from)), *to = feed ? feed : end;
  *at = feed ? feed + 1 : end;
  if (to > from && to[-1] == '\r') to--;
  line->length = 0;
  return wisp_text_add(err, line, from, (size_t)(to - from));
}

wisp_status wisp_read_file(wisp_error *err, const char *path, char **data, size_t *length)
{
  HELD(wisp_text_free) wisp_text text = {0};
  char chunk[65536];
  OWNED(fclose) FILE *file = fopen(path, "rb");
  CALL(wisp_require(err, file, WISP_ESYSTEM, "%s: cannot be opened: %s: check the name and the rights", path,
                    strerror(errno)));
  for (size_t got; (got = fread(chunk, 1, sizeof chunk, file)) > 0;) CALL(wisp_text_add(err, &text, chunk, got));
  CALL(wisp_require(err, !ferror(file), WISP_ESYSTEM, "%s: cannot be read: %s: name another file", path,
                    strerror(errno)));
  CALL(wisp_text_add(err, &text, "", 0));
  *length = text.length;
  return GIVE(text.data, data);
}

wisp_status wisp_file_writable(wisp_error *err, const char *path)
{
  struct stat there;
  if (stat(path, &there) != 0 || !S_ISREG(there.st_mode)) return WISP_OK;
  const bool anybody = there.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH);
  return wisp_require(err, anybody && access(path, W_OK) == 0, WISP_ESYSTEM,
                      "%s: cannot be written: it is read-only: name another file", path);
}

wisp_status wisp_write_file(wisp_error *err, const char *path, wisp_fill fill, const void *context)
{
  HELD(wisp_text_free) wisp_text other = {0};
  struct stat there;
  const bool direct = stat(path, &there) == 0 && !S_ISREG(there.st_mode);
  CALL(wisp_file_writable(err, path));
  CALL(direct ? wisp_text_print(err, &other, "%s", path)
              : wisp_text_print(err, &other, "%s.%ld.tmp", path, (long)getpid()));
  if (!direct) unlink(other.data);
  errno = 0;
  FILE *file = fopen(other.data, direct ? "wbe" : "wbxe"); /* x: nobody's link is followed */
  if (file) fill(file, context);
  int reason = errno;
  bool good = file && !ferror(file);
  if (file && fclose(file) != 0 && good) good = false, reason = errno;
  if (good && !direct && rename(other.data, path) != 0) good = false, reason = errno;
  if (!good && !direct && file) unlink(other.data);
  return wisp_require(err, good, WISP_ESYSTEM, "%s: cannot be written: %s: %s, or name another file", path,
                      strerror(reason), reason == EFBIG ? "raise the limit of file sizes (ulimit -f)" : "make room");
}

void wisp_fill_text(FILE *file, const void *context)
{
  const wisp_text *text = context;
  fwrite(text->data, 1, text->length, file);
}

wisp_status wisp_path_beside(wisp_error *err, const char *path, const char *word, char out[WISP_PATH_TEXT])
{
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  const int stem = (int)(dot && dot > (slash ? slash + 1 : path) ? (size_t)(dot - path) : strlen(path));
  const int length = snprintf(out, WISP_PATH_TEXT, "%.*s%s%s", stem, path, word, path + stem);
  return wisp_require(err, length >= 0 && length < WISP_PATH_TEXT, WISP_EUSAGE,
                      "%s: the path is too long: name a shorter one", path);
}

bool wisp_path_ends(const char *path, const char *endings)
{
  const size_t length = strlen(path);
  for (size_t n; *endings; endings += n + (endings[n] == ' ')) {
    n = strcspn(endings, " ");
    if (length > n && strncmp(path + length - n, endings, n) == 0) return true;
  }
  return false;
}

uint64_t wisp_hash(uint64_t seed, const void *bytes, size_t count)
{
  const unsigned char *byte = bytes;
  for (size_t i = 0; i < count; i++) seed = (seed ^ byte[i]) * 1099511628211ull;
  return seed;
}

uint64_t wisp_hash_text(uint64_t seed, const char *text)
{
  return wisp_hash(seed, text, strlen(text) + 1);
}

uint64_t wisp_hash_number(uint64_t seed, uint64_t number)
{
  unsigned char bytes[8]; /* lowest first */
  for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)(number >> 8 * i);
  return wisp_hash(seed, bytes, sizeof bytes);
}

size_t wisp_shown_bytes(const char *text)
{
  const unsigned char *byte = (const unsigned char *)text;
  size_t count = *byte < 0x80                    ? 1
                 : *byte >= 0xC2 && *byte < 0xE0 ? 2
                 : *byte >= 0xE0 && *byte < 0xF0 ? 3
                 : *byte >= 0xF0 && *byte < 0xF5 ? 4
                                                 : 0;
  for (size_t i = 1; i < count; i++)
    if ((byte[i] & 0xC0) != 0x80) return 0;
  bool control = *byte < ' ' || *byte == 0x7F || (*byte == 0xC2 && byte[1] < 0xA0); /* C0, DEL, C1 */
  return control ? 0 : count;
}

void wisp_show_text(const char *text, char *out, size_t capacity)
{
  size_t used = 0;
  while (*text) {
    size_t count = wisp_shown_bytes(text), length = count ? count : 4; /* \xNN */
    if (used + length >= capacity) break;
    if (count)
      memcpy(out + used, text, count);
    else
      snprintf(out + used, capacity - used, "\\x%02x", (unsigned char)*text);
    used += length;
    text += count ? count : 1;
  }
  out[used] = '\0';
}

wisp_status wisp_text_add_json(wisp_error *err, wisp_text *out, const char *json)
{
  for (const unsigned char *at = (const unsigned char *)json; *at; at++) {
    bool C1 = at[0] == 0xC2 && at[1] >= 0x80 && at[1] < 0xA0;
    if (C1 || *at == 0x7F) {
      at += C1;
      CALL(wisp_text_print(err, out, "\\u%04x", *at));
    } else
      CALL(wisp_text_add(err, out, (const char *)at, 1));
  }
  return WISP_OK;
}

char *wisp_skip_space(const char *text)
{
  return (char *)text + strspn(text, " \t\n\v\f\r");
}

bool wisp_in_name(char c)
{
  return isalnum((unsigned char)c) || c == '_';
}

size_t wisp_name_length(const char *text)
{
  size_t length = 0;
  while (!isdigit((unsigned char)*text) && wisp_in_name(text[length])) length++;
  return length;
}

char *wisp_next_word(char **at)
{
  char *start = wisp_skip_space(*at), *end = start;
  while (*end && !isspace((unsigned char)*end)) end++;
  *at = *end ? end + 1 : end;
  *end = '\0';
  return start;
}

char *wisp_rest(char **at)
{
  char *start = wisp_skip_space(*at), *end = start + strlen(start);
  while (end > start && isspace((unsigned char)end[-1])) *--end = '\0';
  *at = end;
  return start;
}

bool wisp_list_has(const char *list, const char *name)
{
  const size_t length = strlen(name);
  for (const char *at = list; *at; at += strspn(at, " \t\r\n")) {
    const size_t here = strcspn(at, " \t\r\n");
    if (here == length && memcmp(at, name, length) == 0) return true;
    at += here;
  }
  return false;
}

int wisp_by_text(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool wisp_next_param(const char **at, char name[32], char value[32])
{
  int read = 0;
  if (sscanf(*at, " %31[^= ]=%31[^ ]%n", name, value, &read) != 2) return false;
  *at += read;
  return true;
}

/* ---- Files inside the library. */

const char *wisp_embedded_text(const char *path)
{
  const wisp_embedded *found =
      bsearch(&path, wisp_embedded_files, wisp_embedded_count, sizeof *wisp_embedded_files, wisp_by_text);
  return found ? found->text : NULL;
}

/* ---- Short texts. */

size_t wisp_append(char *text, size_t capacity, size_t used, const char *more)
{
  while (*more && used + 1 < capacity) text[used++] = *more++;
  text[used] = '\0';
  return used;
}

size_t wisp_append_integer(char *text, size_t capacity, size_t used, long long value)
{
  char digits[24];
  size_t at = sizeof digits - 1;
  unsigned long long left = value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value;
  digits[at] = '\0';
  do digits[--at] = (char)('0' + left % 10);
  while (left /= 10);
  if (value < 0) digits[--at] = '-';
  return wisp_append(text, capacity, used, digits + at);
}
