#include "known_compilers.h"

#include <string.h>

enum { MOST_COMPILERS = 8, MOST_TEXTS = 8 };

wisp_status wisp_compiler_options(wisp_error *err, const wisp_device_kind *kind, const char *target, wisp_text *out)
{
  CALL(wisp_text_add(err, out, "", 0));
  return kind->options ? kind->options(err, target, out) : WISP_OK;
}

/* Their texts, each with its NUL, one behind the other. */
static bool read_list(const wisp_device_kind *kind, wisp_binary *out)
{
  const wisp_cache_key key = {(const char *const[]){"compilers", kind->name}, 2};
  return wisp_cache_get(&key, out) && out->length && !out->data[out->length - 1];
}

/* The text behind this one, or the first; NULL: there is none. */
static const char *next(const wisp_binary *list, const char *text)
{
  text = text ? text + strlen(text) + 1 : list->data;
  return text < list->data + list->length ? text : NULL;
}

wisp_status wisp_known_compiler(wisp_error *err, const wisp_device_kind *kind, const char *target, wisp_text *out)
{
  HELD(wisp_binary_free) wisp_binary list = {.data = NULL};
  wisp_error why = {.text = ""};
  const wisp_status status = kind->compiler(&why, target, out);
  if (status == WISP_EDEVICE && read_list(kind, &list)) return wisp_text_print(err, out, "%s", list.data);
  return wisp_require(err, status == WISP_OK, status, "%s", why.text);
}

bool wisp_known_binary(const wisp_device_kind *kind, const wisp_cache_key *key, wisp_binary *out)
{
  HELD(wisp_binary_free) wisp_binary list = {.data = NULL};
  const char *texts[MOST_TEXTS];
  if (key->count >= MOST_TEXTS || !read_list(kind, &list)) return false;
  memcpy(texts, key->texts, (size_t)key->count * sizeof *texts);
  for (const char *compiler = next(&list, NULL); compiler; compiler = next(&list, compiler)) {
    texts[key->count] = compiler;
    if (wisp_cache_get(&(wisp_cache_key){texts, key->count + 1}, out)) return true;
  }
  return false;
}

void wisp_remember_compiler(const wisp_device_kind *kind, const char *compiler)
{
  HELD(wisp_binary_free) wisp_binary list = {.data = NULL};
  HELD(wisp_text_free) wisp_text all = {0};
  const bool there = read_list(kind, &list);
  int count = 1;
  if (there && strcmp(list.data, compiler) == 0) return;
  if (wisp_text_add(NULL, &all, compiler, strlen(compiler) + 1) != WISP_OK) return;
  for (const char *known = there ? next(&list, NULL) : NULL; known && count < MOST_COMPILERS;
       known = next(&list, known))
    if (strcmp(known, compiler) != 0 && wisp_text_add(NULL, &all, known, strlen(known) + 1) == WISP_OK) count++;
  const wisp_cache_key key = {(const char *const[]){"compilers", kind->name}, 2};
  wisp_cache_put(&key, &(wisp_binary){all.data, all.length, {-1, -1, -1, 0, 0}});
}
