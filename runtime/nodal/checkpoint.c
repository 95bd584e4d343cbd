#include "checkpoint.h"

#include <cjson/cJSON.h>
#include <math.h>

static const char magic[] = "wisp checkpoint 1\n";

/* The members of the JSON. */
typedef struct member {
  const char *key;
  size_t offset, length; /* of a text; 0: a number */
} member;
#define TEXT(name)                                                             \
  {                                                                            \
#name, offsetof(wisp_checkpoint, name), sizeof((wisp_checkpoint *)0)->name \
  }
#define NUMBER(name)                          \
  {                                           \
#name, offsetof(wisp_checkpoint, name), 0 \
  }
static const member members[] = {TEXT(problem),    TEXT(fields),      TEXT(basis),   TEXT(scheme),  TEXT(precision),
                                 TEXT(device),     TEXT(composition), TEXT(layout),  TEXT(mesh),    NUMBER(order),
                                 NUMBER(elements), NUMBER(nodes),     NUMBER(count), NUMBER(begun), NUMBER(dt),
                                 NUMBER(clock),    NUMBER(steps),     NUMBER(energy)};

size_t wisp_checkpoint_size(const wisp_checkpoint *c)
{
  return (size_t)c->count * (size_t)c->elements * (size_t)c->nodes;
}

/* ---- Writing. */

static cJSON *describe(const wisp_checkpoint *c)
{
  cJSON *json = cJSON_CreateObject();
  for (size_t i = 0; i < WISP_COUNT(members); i++) {
    const char *at = (const char *)c + members[i].offset;
    double number = 0;
    if (!members[i].length) memcpy(&number, at, sizeof number);
    members[i].length ? cJSON_AddStringToObject(json, members[i].key, at)
                      : cJSON_AddNumberToObject(json, members[i].key, number);
  }
  return json;
}

typedef struct contents {
  const char *head;
  size_t size;
  const double *u;
} contents;

/* A wisp_fill. */
static void write_contents(FILE *file, const void *context)
{
  const contents *c = context;
  uint64_t hash = wisp_hash(WISP_HASH_SEED, magic, strlen(magic));
  hash = wisp_hash(hash, c->head, strlen(c->head));
  hash = wisp_hash(hash, "\n", 1);
  hash = wisp_hash(hash, c->u, c->size * sizeof *c->u);
  fprintf(file, "%s%s\n", magic, c->head);
  fwrite(c->u, sizeof *c->u, c->size, file);
  fwrite(&hash, sizeof hash, 1, file);
}

wisp_status wisp_checkpoint_write(wisp_error *err, const char *path, const wisp_checkpoint *c, const double *u)
{
  cJSON *json = describe(c);
  OWNED(free) char *head = cJSON_PrintUnformatted(json);
  cJSON_Delete(json);
  CALL(wisp_require(err, head, WISP_EMEMORY, "out of memory"));
  return wisp_write_file(err, path, write_contents, &(contents){head, wisp_checkpoint_size(c), u});
}

/* ---- Reading. */

/* Whether the object has all members, each of its kind and in its range. */
static bool take_members(const cJSON *json, wisp_checkpoint *out)
{
  for (size_t i = 0; i < WISP_COUNT(members); i++) {
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, members[i].key);
    char *at = (char *)out + members[i].offset;
    if (members[i].length) {
      if (!cJSON_IsString(item) || strlen(item->valuestring) >= members[i].length) return false;
      strcpy(at, item->valuestring);
    } else {
      if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble)) return false;
      memcpy(at, &item->valuedouble, sizeof item->valuedouble);
    }
  }
  const double counts[] = {out->order, out->elements, out->nodes, out->count, out->clock, out->steps};
  for (size_t i = 0; i < WISP_COUNT(counts); i++)
    if (!(counts[i] >= 0 && counts[i] < 2e9 && counts[i] == floor(counts[i]))) return false;
  return out->elements * out->nodes * out->count < 1e12;
}

wisp_status wisp_checkpoint_read(wisp_error *err, const char *path, wisp_checkpoint *out, double **u)
{
  OWNED(free) char *data = NULL;
  size_t length = 0;
  uint64_t hash = 0, found = 0;
  CALL(wisp_read_file(err, path, &data, &length));
  const char *head = data + strlen(magic), *end = NULL;
  const bool known = length > strlen(magic) && memcmp(data, magic, strlen(magic)) == 0;
  CALL(wisp_require(err, known, WISP_EINPUT, "%s: not a checkpoint of this version: name one that --checkpoint wrote",
                    path));
  end = memchr(head, '\n', length - strlen(magic));
  cJSON *json = end ? cJSON_ParseWithLength(head, (size_t)(end - head)) : NULL;
  bool good = json && take_members(json, out);
  cJSON_Delete(json);
  const size_t start = end ? (size_t)(end + 1 - data) : 0, bytes = good ? wisp_checkpoint_size(out) * sizeof **u : 0;
  good = good && length == start + bytes + sizeof hash;
  if (good) {
    hash = wisp_hash(WISP_HASH_SEED, data, start + bytes);
    memcpy(&found, data + start + bytes, sizeof found);
  }
  CALL(wisp_require(err, good && hash == found, WISP_EINPUT,
                    "%s: the checkpoint is cut off or damaged: take an older one, or start anew", path));
  CALL(wisp_new(err, bytes / sizeof **u + 1, sizeof **u, u));
  memcpy(*u, data + start, bytes);
  return WISP_OK;
}
