#include "compilers.h"

enum { MOST_COMPILERS = 8, MOST_TEXTS = 8 };

wisp_status wisp_compiler_options(wisp_error *err, const wisp_device_kind *kind, const char *target, wisp_text *out)
{
  CALL(wisp_text_add(err, out, "", 0));
  return kind->options ? kind->options(err, target, out) : WISP_OK;
}

/* Their texts, each with its NUL, one behind the other. */
static bool read_list(const char *kind, wisp_binary *out)
{
  const wisp_cache_key key = {(const char *const[]){"compilers", kind}, 2};
  return wisp_cache_get(&key, out) && out->length && !out->data[out->length - 1];
}

/* The text behind this one, or the first; NULL: there is none. */
static const char *next_text(const wisp_binary *list, const char *text)
{
  text = text ? text + strlen(text) + 1 : list->data;
  return text < list->data + list->length ? text : NULL;
}

wisp_status wisp_known_compiler(wisp_error *err, const char *kind, wisp_compiler_of *compiler, const char *target,
                                wisp_text *out)
{
  HELD(wisp_binary_free) wisp_binary list = {.data = NULL};
  wisp_error why = {.text = ""};
  const wisp_status status = compiler(&why, target, out);
  if (status == WISP_EDEVICE && read_list(kind, &list)) return wisp_text_print(err, out, "%s", list.data);
  return wisp_require(err, status == WISP_OK, status, "%s", why.text);
}

/* A kernel's entry, by the key of which its compiler would be the last text, of whichever of them compiled it last. */
static bool find_known(const wisp_device_kind *kind, const wisp_cache_key *key, wisp_binary *out)
{
  HELD(wisp_binary_free) wisp_binary list = {.data = NULL};
  const char *texts[MOST_TEXTS];
  if (key->count >= MOST_TEXTS || !read_list(kind->name, &list)) return false;
  memcpy(texts, key->texts, (size_t)key->count * sizeof *texts);
  for (const char *compiler = next_text(&list, NULL); compiler; compiler = next_text(&list, compiler)) {
    texts[key->count] = compiler;
    if (wisp_cache_get(&(wisp_cache_key){texts, key->count + 1}, out)) return true;
  }
  return false;
}

static void put_first(const wisp_device_kind *kind, const char *compiler)
{
  HELD(wisp_binary_free) wisp_binary list = {.data = NULL};
  HELD(wisp_text_free) wisp_text all = {0};
  const bool there = read_list(kind->name, &list);
  int count = 1;
  if (there && strcmp(list.data, compiler) == 0) return;
  if (wisp_text_add(NULL, &all, compiler, strlen(compiler) + 1) != WISP_OK) return;
  for (const char *known = there ? next_text(&list, NULL) : NULL; known && count < MOST_COMPILERS;
       known = next_text(&list, known))
    if (strcmp(known, compiler) != 0 && wisp_text_add(NULL, &all, known, strlen(known) + 1) == WISP_OK) count++;
  const wisp_cache_key key = {(const char *const[]){"compilers", kind->name}, 2};
  wisp_cache_put(&key, &(wisp_binary){all.data, all.length, {-1, -1, -1, 0, 0}});
}

wisp_status wisp_compile_by(wisp_error *err, const wisp_device_kind *kind, const char *target, const char *name,
                            const char *source, wisp_binary *out)
{
  HELD(wisp_text_free) wisp_text compiler = {0}, options = {0};
  wisp_error why = {.text = ""};
  CALL(wisp_compiler_options(err, kind, target, &options));
  wisp_cache_key key = {(const char *const[]){target, options.data, name, source}, 4};
  const wisp_status here = kind->compiler(&why, target, &compiler);
  if (here == WISP_EDEVICE && find_known(kind, &key, out)) return WISP_OK;
  CALL(wisp_require(err, here == WISP_OK, here, "%s", why.text));
  key = (wisp_cache_key){(const char *const[]){target, options.data, name, source, compiler.data}, 5};
  if (wisp_cache_get(&key, out)) return WISP_OK;
  CALL(kind->compile(err, target, name, source, out));
  wisp_cache_put(&key, out);
  put_first(kind, compiler.data);
  return WISP_OK;
}
