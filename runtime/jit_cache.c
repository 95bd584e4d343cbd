/* The cache of compiled kernels: one file an entry, a small header and the payload; written aside and renamed, so that
 * a reader sees a whole entry or none. Entries are for this machine only, hence in its byte order. */
#include "jit_cache.h"
#include "../gen/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[8] = {'w', 'i', 's', 'p', 'j', 'i', 't', '1'};

typedef struct header {
  char magic[8];
  wisp_cache_key key;
  uint64_t length, hash; /* of the payload */
  int32_t registers, spill_bytes, shared_bytes, zero;
} header;

/* What the payload's hash covers besides the payload: the header's other fields. */
static uint64_t entry_hash(const header *head, const char *payload)
{
  header fields = *head;
  fields.hash = 0;
  return wisp_hash(wisp_hash(WISP_HASH_SEED, &fields, sizeof fields), payload, head->length);
}

/* mkdir -p, for the owner alone: what lies here is loaded and run. */
static bool make_folders(char *path)
{
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
    *slash = '/';
    if (!made) return false;
  }
  return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* False where the environment names no place, or one whose name is too long. */
static bool folder_name(char path[PATH_MAX])
{
  const struct {
    const char *variable, *below;
  } places[] = {{"WISP_CACHE_DIR", ""}, {"XDG_CACHE_HOME", "/wisp"}, {"HOME", "/.cache/wisp"}};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    const char *root = getenv(places[i].variable);
    if (!root || !*root) continue;
    int length = snprintf(path, PATH_MAX, "%s%s", root, places[i].below);
    return length > 0 && length < PATH_MAX - 64; /* 64: the entry's own name */
  }
  return false;
}

static bool entry_name(const wisp_cache_key *key, char path[PATH_MAX], bool make)
{
  if (!folder_name(path) || (make && !make_folders(path))) return false;
  size_t length = strlen(path);
  snprintf(path + length, PATH_MAX - length, "/%016llx%016llx.jit", (unsigned long long)key->a,
           (unsigned long long)key->b);
  return true;
}

wisp_cache_key wisp_cache_key_of(const char *const *texts, int count)
{
  wisp_cache_key key = {WISP_HASH_SEED, ~WISP_HASH_SEED};
  for (int i = 0; i < count; i++) { /* with each text's final NUL, which keeps neighbours apart */
    key.a = wisp_hash(key.a, texts[i], strlen(texts[i]) + 1);
    key.b = wisp_hash(key.b, texts[i], strlen(texts[i]) + 1);
  }
  return key;
}

bool wisp_cache_get(const wisp_cache_key *key, wisp_binary *out)
{
  char path[PATH_MAX], *data = NULL;
  size_t length = 0;
  header head;
  if (!entry_name(key, path, false) || wisp_read_file(NULL, path, &data, &length) != WISP_OK) return false;
  if (length < sizeof head) goto damaged;
  memcpy(&head, data, sizeof head);
  if (memcmp(head.magic, magic, sizeof magic) != 0 || memcmp(&head.key, key, sizeof *key) != 0) goto damaged;
  if (head.length != length - sizeof head || head.hash != entry_hash(&head, data + sizeof head)) goto damaged;
  memmove(data, data + sizeof head, head.length);
  *out = (wisp_binary){data, head.length, {head.registers, head.spill_bytes, head.shared_bytes}};
  return true;
damaged:
  free(data);
  return false;
}

void wisp_cache_put(const wisp_cache_key *key, const wisp_binary *binary)
{
  char path[PATH_MAX], aside[PATH_MAX + 8];
  header head = {.key = *key,
                 .length = binary->length,
                 .registers = binary->usage.registers,
                 .spill_bytes = binary->usage.spill_bytes,
                 .shared_bytes = binary->usage.shared_bytes};
  memcpy(head.magic, magic, sizeof magic);
  head.hash = entry_hash(&head, binary->data);
  if (!entry_name(key, path, true)) return;
  snprintf(aside, sizeof aside, "%s.XXXXXX", path);
  int fd = mkostemp(aside, O_CLOEXEC);
  if (fd < 0) return;
  FILE *file = fdopen(fd, "wb");
  bool whole = file && fwrite(&head, sizeof head, 1, file) == 1 &&
               fwrite(binary->data, 1, binary->length, file) == binary->length;
  if (file)
    whole = fclose(file) == 0 && whole;
  else
    close(fd);
  if (!whole || rename(aside, path) != 0) unlink(aside);
}
