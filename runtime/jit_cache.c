/* The cache of compiled kernels: one file an entry: a small header, the whole key, the payload; written aside and
 * renamed, so that a reader sees a whole entry or none. Entries are for this machine only, hence in its byte order.
 *
 * An entry is named by 128 bits of its key, and holds the key itself, which is compared: two keys of one name would
 * take turns in the cache, and never answer for each other. The hash thus only has to spread, and FNV-1a does that in
 * four lines; a library of hashes would be one more thing to install. */
#include "jit_cache.h"

#include "../gen/text.h"
#include "cache_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_ROOM = 40, ASIDE_ROOM = 64 };

static const char magic[8] = {'w', 'i', 's', 'p', 'j', 'i', 't', '2'};

__extension__ typedef unsigned __int128 hash128;

typedef struct header {
  char magic[8];
  uint64_t key_length, length; /* of the key's texts, each with its NUL; of the payload */
  uint64_t hash[2];            /* of all else */
  int32_t registers, spill_bytes, shared_bytes, zero;
} header;

/* FNV-1a of 128 bits (offset basis and prime as its authors give them), continuing from hash. */
static hash128 add_bytes(hash128 hash, const void *bytes, size_t count)
{
  const hash128 prime = ((hash128)1 << 88) + 0x13B;
  for (size_t i = 0; i < count; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * prime;
  return hash;
}

static hash128 hash_basis(void)
{
  return ((hash128)0x6C62272E07BB0142u << 64) + 0x62B821756295C58Du;
}

/* With each text's final NUL, which keeps neighbours apart. */
static hash128 add_key(hash128 hash, const wisp_cache_key *key)
{
  for (int i = 0; i < key->count; i++) hash = add_bytes(hash, key->texts[i], strlen(key->texts[i]) + 1);
  return hash;
}

/* Fills in what the header says of the rest. */
static void seal(header *head, const wisp_cache_key *key, const char *payload)
{
  memset(head->hash, 0, sizeof head->hash);
  hash128 hash = add_bytes(add_key(add_bytes(hash_basis(), head, sizeof *head), key), payload, head->length);
  head->hash[0] = (uint64_t)(hash >> 64);
  head->hash[1] = (uint64_t)hash;
}

static void entry_name(const wisp_cache_key *key, char name[NAME_ROOM])
{
  hash128 hash = add_key(hash_basis(), key);
  snprintf(name, NAME_ROOM, "%016llx%016llx.jit", (unsigned long long)(hash >> 64), (unsigned long long)hash);
}

/* All of an entry, as long as it is now. */
static bool read_entry(int entry, char **data, size_t *length)
{
  struct stat about;
  size_t done = 0;
  ssize_t got = 1;
  if (fstat(entry, &about) != 0 || wisp_new(NULL, (size_t)about.st_size, 1, data) != WISP_OK) return false;
  while (done < (size_t)about.st_size && (got = read(entry, *data + done, (size_t)about.st_size - done)) > 0)
    done += (size_t)got;
  *length = done;
  return got >= 0;
}

static bool same_key(const wisp_cache_key *key, const char *texts, size_t length)
{
  for (int i = 0; i < key->count; i++) {
    size_t own = strlen(key->texts[i]) + 1;
    if (own > length || memcmp(texts, key->texts[i], own) != 0) return false;
    texts += own;
    length -= own;
  }
  return length == 0;
}

/* Is this an entry, whole, and of this key? */
static bool holds(const char *data, size_t length, const wisp_cache_key *key, header *head)
{
  header sealed;
  if (length < sizeof *head) return false;
  memcpy(head, data, sizeof *head);
  length -= sizeof *head;
  if (memcmp(head->magic, magic, sizeof magic) != 0 || head->key_length > length) return false;
  if (head->length != length - head->key_length || !same_key(key, data + sizeof *head, head->key_length)) return false;
  sealed = *head;
  seal(&sealed, key, data + sizeof *head + head->key_length);
  return memcmp(sealed.hash, head->hash, sizeof sealed.hash) == 0;
}

bool wisp_cache_get(const wisp_cache_key *key, wisp_binary *out)
{
  char name[NAME_ROOM], *data = NULL;
  size_t length = 0;
  header head;
  int folder = wisp_cache_folder_open(false);
  if (folder < 0) return false;
  entry_name(key, name);
  int entry = wisp_cache_entry_open(folder, name);
  bool good = entry >= 0 && read_entry(entry, &data, &length) && holds(data, length, key, &head);
  if (good) {
    memmove(data, data + sizeof head + head.key_length, head.length);
    *out = (wisp_binary){data, head.length, {head.registers, head.spill_bytes, head.shared_bytes}};
    data = NULL;
  }
  if (entry >= 0) close(entry);
  close(folder);
  free(data);
  return good;
}

static bool write_entry(FILE *file, const header *head, const wisp_cache_key *key, const char *payload)
{
  bool good = fwrite(head, sizeof *head, 1, file) == 1;
  for (int i = 0; i < key->count; i++) {
    size_t length = strlen(key->texts[i]) + 1;
    good = good && fwrite(key->texts[i], 1, length, file) == length;
  }
  return good && fwrite(payload, 1, head->length, file) == head->length;
}

/* A file of this process and call alone; -1 where there can be none. */
static int open_aside(int folder, const char *name, char aside[ASIDE_ROOM])
{
  for (int attempt = 0; attempt < 100; attempt++) {
    snprintf(aside, ASIDE_ROOM, "%s.%x.%d", name, (unsigned)getpid(), attempt);
    int fd = openat(folder, aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0) return fd;
  }
  return -1;
}

void wisp_cache_put(const wisp_cache_key *key, const wisp_binary *binary)
{
  char name[NAME_ROOM], aside[ASIDE_ROOM];
  header head = {.length = binary->length,
                 .registers = binary->usage.registers,
                 .spill_bytes = binary->usage.spill_bytes,
                 .shared_bytes = binary->usage.shared_bytes};
  int folder = wisp_cache_folder_open(true);
  if (folder < 0) return;
  memcpy(head.magic, magic, sizeof magic);
  for (int i = 0; i < key->count; i++) head.key_length += strlen(key->texts[i]) + 1;
  seal(&head, key, binary->data);
  entry_name(key, name);
  int fd = open_aside(folder, name, aside);
  FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
  bool whole = file && write_entry(file, &head, key, binary->data);
  if (file)
    whole = fclose(file) == 0 && whole;
  else if (fd >= 0)
    close(fd);
  if (fd >= 0 && (!whole || renameat(folder, aside, folder, name) != 0)) unlinkat(folder, aside, 0);
  wisp_cache_folder_trim(folder);
  close(folder);
}
