#include "dialect_source.h"
#include "../embedded.h"
#include "../language/expand.h"

#include <stdio.h>
#include <string.h>

/* A type of the head's, in C; NULL: it is none. */
static const char *type_in_c(const char *type, size_t *bytes)
{
  static const struct {
    const char *word, *in_c;
    size_t bytes;
  } types[] = {{"real", "real", 8},
               {"number", "NUMBER", 8},
               {"uint8", "unsigned char", 1},
               {"uint64", "unsigned long long", 8},
               {"vec", "vec", 16},
               {"double", "double", 8},
               {"int", "int", 4},
               {"int64", "long long", 8},
               {"uint32", "unsigned", 4}};
  for (size_t i = 0; i < WISP_COUNT(types); i++)
    if (strcmp(types[i].word, type) == 0) return *bytes = types[i].bytes, types[i].in_c;
  return NULL;
}

/* Reads the lines above an empty one; *text is what follows. An array that may be another's as well becomes a value: a
 * pointer without a promise. */
static wisp_status read_head(wisp_error *err, const char *path, const char **text, wisp_env *env, unsigned *threads,
                             size_t *shared)
{
  HELD(wisp_text_free) wisp_text line = {0};
  int count = 0;
  *shared = *threads = 0;
  CALL(wisp_env_empty_list(err, env, "shareds"));
  for (const char *end = *text + strlen(*text); *text < end;) {
    char word[8] = "", kind[8] = "", type[8] = "", name[32] = "", pointer[32];
    size_t bytes = 0;
    CALL(wisp_text_take_line(err, text, end, &line));
    if (!*line.data) break;
    if (*line.data == '#' || sscanf(line.data, "block %u", threads) == 1) continue;
    const bool array = sscanf(line.data, "shared %7s %31s %d", type, name, &count) == 3;
    const bool given = array || sscanf(line.data, "%7s %7s %7s %31s", word, kind, type, name) == 4;
    const char *in_c = type_in_c(type, &bytes);
    CALL(wisp_require(err, given && in_c && (array || strcmp(word, "arg") == 0), WISP_EINPUT,
                      "%s: '%s' is no line of a kernel's head", path, line.data));
    const bool alias = strcmp(kind, "alias") == 0;
    snprintf(pointer, sizeof pointer, "%s%s", in_c, alias ? " *" : "");
    CALL(array ? wisp_source_shared(err, env, name, in_c, count, *shared)
               : wisp_source_argument(err, env, name, pointer, alias || strcmp(kind, "value") == 0,
                                      strcmp(kind, "in") == 0));
    if (array) *shared += bytes * (size_t)count;
  }
  return wisp_env_int(err, env, "threads", *threads);
}

/* Texts of the folder that are inserted by their names. */
static wisp_status add_parts(wisp_error *err, wisp_env *env)
{
  char name[64], file[80];
  int end = 0;
  for (size_t i = 0; i < wisp_embedded_count; i++) {
    const char *path = wisp_embedded_files[i].path;
    if (sscanf(path, "templates/solve/%63[a-z_].part%n", name, &end) != 1 || !end || path[end]) continue;
    snprintf(file, sizeof file, "%s file", name);
    CALL(wisp_env_text(err, env, name, wisp_embedded_files[i].text));
    CALL(wisp_env_text(err, env, file, path));
    end = 0;
  }
  return WISP_OK;
}

wisp_status wisp_dialect_source(wisp_error *err, const char *name, wisp_precision precision, const char *lines,
                                const char *dialect, bool gpu, wisp_text *out, size_t *shared_bytes)
{
  OWNED(wisp_env_destroy) wisp_env *env = NULL;
  char path[128], wrapper_path[128], symbol[64];
  unsigned block[3] = {0, 1, 1};
  snprintf(path, sizeof path, "templates/%s.k", name);
  snprintf(wrapper_path, sizeof wrapper_path, "templates/dialect/%s.k", dialect);
  snprintf(symbol, sizeof symbol, "wisp_%s", strchr(name, '/') + 1);
  const char *text = wisp_embedded_text(path), *wrapper = wisp_embedded_text(wrapper_path);
  CALL(wisp_require(err, text && wrapper, WISP_EMISSING, "%s is not in this library", text ? wrapper_path : path));
  CALL(wisp_env_create(err, NULL, &env));
  CALL(read_head(err, path, &text, env, &block[0], shared_bytes));
  const char *const texts[][2] = {{"spec", name},      {"layout", "none"},
                                  {"strategy", "one"}, {"title", path},
                                  {"params", ""},      {"symbol", symbol},
                                  {"body", text},      {"lane", "threadIdx.x"},
                                  {"body file", path}, {"real", precision == WISP_F32 ? "float" : "double"}};
  CALL(wisp_source_texts(err, env, WISP_COUNT(texts), texts, block, *shared_bytes));
  CALL(wisp_env_int(err, env, "real_bytes", (int64_t)precision));
  CALL(wisp_env_int(err, env, "min_blocks", 0));
  CALL(wisp_env_int(err, env, "gpu", gpu));
  CALL(add_parts(err, env));
  CALL(wisp_text_print(err, out, "%s", lines));
  return wisp_expand(err, wrapper_path, wrapper, env, out);
}
