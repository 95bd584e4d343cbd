/* Entries of the cache are loaded and run. As with ssh's keys, no folder or file is used that somebody else could have
 * written. Whoever can write the folder's parents can at most put another folder of ours in its place. */
#include "cache_folder.h"
#include "../gen/environment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

WISP_OWNED(DIR, closedir)

typedef struct kernel_file {
  char name[64];
  long long bytes;
  struct timespec used;
} kernel_file;

typedef struct file_list {
  kernel_file *files;
  size_t count, capacity;
  long long bytes;
} file_list;

/* False where the environment names no place, or one whose name is too long. Relative names under XDG are to be
 * ignored, as the rule for them says. *home: the user's own folder, where the place is in it, else NULL. */
static bool folder_name(char path[PATH_MAX], const char **home)
{
  const struct {
    const char *variable, *below;
    bool absolute;
  } roots[] = {{"WISP_CACHE_DIR", "", false}, {"XDG_CACHE_HOME", "/wisp", true}, {"HOME", "/.cache/wisp", false}};
  for (size_t i = 0; i < WISP_COUNT(roots); i++) {
    const char *root = getenv(roots[i].variable);
    if (!root || !*root || (roots[i].absolute && *root != '/')) continue;
    int length = snprintf(path, PATH_MAX, "%s%s", root, roots[i].below);
    *home = strcmp(roots[i].variable, "HOME") == 0 ? root : NULL;
    return length > 0 && length < PATH_MAX;
  }
  return false;
}

/* Why what `about` is of must not be loaded from, and what mends it; NULL where it may. */
static const char *const *distrust(const struct stat *about)
{
  static const char *const others[] = {"belongs to somebody else", "chown it"};
  static const char *const open[] = {"may be written by others", "chmod go-w it"};
  if (about->st_uid != geteuid()) return others;
  return about->st_mode & (S_IWGRP | S_IWOTH) ? open : NULL;
}

/* mkdir -p, for the owner alone, but of no home that is not there. An errno where it cannot be made. */
static int make_folder(char path[PATH_MAX], const char *home)
{
  if (home && access(home, F_OK) != 0) return errno;
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    const bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
    *slash = '/';
    if (!made) return errno;
  }
  return mkdir(path, 0700) == 0 || errno == EEXIST ? 0 : errno;
}

/* *fd is -1 where the folder is missing. */
static wisp_status open_folder(wisp_error *err, bool make, char path[PATH_MAX], int *fd)
{
  struct stat about;
  const char *home = NULL;
  *fd = -1;
  CALL(wisp_require(err, folder_name(path, &home), WISP_ESYSTEM,
                    "compiled kernels: no place to keep them: set WISP_CACHE_DIR to a folder, or HOME"));
  if (make) make_folder(path, home);
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return WISP_OK;
  static const char *const closed[] = {"cannot be looked at", "change its rights"};
  const char *const *why = fstat(folder, &about) == 0 ? distrust(&about) : closed;
  if (why) {
    close(folder);
    CALL(wisp_fail(err, WISP_ESYSTEM,
                   "%s %s: compiled kernels are not loaded from it, and every run compiles anew: %s, or set "
                   "WISP_CACHE_DIR to a folder of your own",
                   path, why[0], why[1]));
  }
  *fd = folder;
  return WISP_OK;
}

/* -1 where there is none, or none that may be trusted. */
static int open_trusted(bool make)
{
  char path[PATH_MAX];
  int folder = -1;
  open_folder(NULL, make, path, &folder);
  return folder;
}

wisp_status wisp_cache_usable(wisp_error *err)
{
  char path[PATH_MAX];
  const char *home = NULL;
  int folder = -1, why = 0;
  CALL(open_folder(err, true, path, &folder));
  if (folder < 0) why = folder_name(path, &home) ? make_folder(path, home) : ENOENT;
  if (folder >= 0 && faccessat(folder, ".", W_OK, 0) != 0) why = errno;
  if (folder >= 0) close(folder);
  return wisp_require(err, !why, WISP_ESYSTEM,
                      "compiled kernels cannot be kept in %s: %s: every run compiles anew: set WISP_CACHE_DIR to a "
                      "folder of your own, or HOME",
                      path, strerror(why));
}

/* Opens an entry, which counts as used now; -1 where there is none, or it is a link, or others may write it. */
static int open_entry(int folder, const char *name)
{
  struct stat about;
  int entry = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (entry < 0) return -1;
  if (fstat(entry, &about) != 0 || !S_ISREG(about.st_mode) || distrust(&about)) {
    close(entry);
    return -1;
  }
  futimens(entry, (const struct timespec[2]){{0, UTIME_OMIT}, {0, UTIME_NOW}});
  return entry;
}

static long long read_limit(void)
{
  return (long long)wisp_environment_number("WISP_CACHE_MB") << 20;
}

static wisp_status list_files(wisp_error *err, int folder, file_list *out)
{
  int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* closedir closes it */
  OWNED(closedir) DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
  if (!dir && copy >= 0) close(copy);
  CALL(wisp_require(err, dir, WISP_ESYSTEM,
                    "compiled kernels: their folder cannot be read: %s: set WISP_CACHE_DIR to a folder of your own",
                    strerror(errno)));
  for (struct dirent *item; (item = readdir(dir));) {
    struct stat about;
    const char *name = item->d_name; /* 0123...def.jit, or that with a suffix while it is written */
    if (strspn(name, "0123456789abcdef") != 32 || strncmp(name + 32, ".jit", 4) != 0) continue;
    if (strlen(name) >= sizeof out->files->name || fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
    CALL(wisp_grow(err, &out->files, &out->capacity, out->count + 1, sizeof *out->files));
    kernel_file *one = &out->files[out->count++];
    *one = (kernel_file){.bytes = about.st_blocks * 512LL, .used = about.st_mtim};
    strcpy(one->name, name);
    out->bytes += one->bytes;
  }
  return WISP_OK;
}

static int by_use(const void *x, const void *y)
{
  const kernel_file *a = x, *b = y;
  if (a->used.tv_sec != b->used.tv_sec) return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
  return (a->used.tv_nsec > b->used.tv_nsec) - (a->used.tv_nsec < b->used.tv_nsec);
}

/* Removes the entries that were used longest ago until the folder keeps to its bound. */
static void trim_folder(int folder)
{
  file_list list = {0};
  const long long limit = read_limit();
  if (list_files(NULL, folder, &list) == WISP_OK && list.bytes > limit) {
    qsort(list.files, list.count, sizeof *list.files, by_use);
    for (size_t i = 0; i < list.count && list.bytes > limit; i++)
      if (unlinkat(folder, list.files[i].name, 0) == 0) list.bytes -= list.files[i].bytes;
  }
  free(list.files);
}

wisp_status wisp_cache_look(wisp_error *err, bool clear, wisp_cache_contents *out)
{
  wisp_status status = WISP_OK;
  wisp_cache_contents found = {0};
  file_list list = {0};
  int folder = -1;
  TRY(wisp_environment_check(err));
  found.limit = read_limit();
  TRY(open_folder(err, false, found.path, &folder));
  if (folder >= 0) TRY(list_files(err, folder, &list));
  for (size_t i = 0; clear && i < list.count; i++)
    TRY(wisp_require(err, unlinkat(folder, list.files[i].name, 0) == 0 || errno == ENOENT, WISP_ESYSTEM,
                     "%s/%s: cannot be removed: %s: change the rights of the folder", found.path, list.files[i].name,
                     strerror(errno)));
  found.entries = (long long)list.count;
  found.bytes = list.bytes;
  *out = found;
done:
  if (folder >= 0) close(folder);
  free(list.files);
  return status;
}

/* ---- The cache of compiled kernels: one file an entry: a small header, the whole key, the payload; written aside and
 * renamed, so that a reader sees a whole entry or none. Entries are for this machine only, hence in its byte order.
 *
 * An entry is named by 128 bits of its key, and holds the key itself, which is compared: two keys of one name would
 * take turns in the cache, and never answer for each other. The hash thus only has to spread, and FNV-1a does that in
 * four lines; a library of hashes would be one more thing to install. */

enum { NAME_TEXT = 40, ASIDE_TEXT = 64 };

static const char magic[8] = {'w', 'i', 's', 'p', 'j', 'i', 't', '3'};

__extension__ typedef unsigned __int128 hash128;

typedef struct header {
  char magic[8];
  uint64_t key_length, length; /* of the key's texts, each with its NUL; of the payload */
  uint64_t hash[2];            /* of all else */
  int32_t registers, spill_bytes, shared_bytes, issued, stack_bytes, spare; /* no byte is without a value */
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
static void seal_header(header *head, const wisp_cache_key *key, const char *payload)
{
  memset(head->hash, 0, sizeof head->hash);
  hash128 hash = add_bytes(add_key(add_bytes(hash_basis(), head, sizeof *head), key), payload, head->length);
  head->hash[0] = (uint64_t)(hash >> 64);
  head->hash[1] = (uint64_t)hash;
}

static void entry_name(const wisp_cache_key *key, char name[NAME_TEXT])
{
  hash128 hash = add_key(hash_basis(), key);
  snprintf(name, NAME_TEXT, "%016llx%016llx.jit", (unsigned long long)(hash >> 64), (unsigned long long)hash);
}

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

/* Is this an entry, whole, and of this key? */
static bool holds_entry(const char *data, size_t length, const wisp_cache_key *key, header *head)
{
  header sealed;
  if (length < sizeof *head) return false;
  memcpy(head, data, sizeof *head);
  length -= sizeof *head;
  if (memcmp(head->magic, magic, sizeof magic) != 0 || head->key_length > length) return false;
  if (head->length != length - head->key_length) return false;
  const char *text = data + sizeof *head, *end = text + head->key_length;
  for (int i = 0; i < key->count; text += strlen(key->texts[i++]) + 1) {
    const size_t own = strlen(key->texts[i]) + 1;
    if (own > (size_t)(end - text) || memcmp(text, key->texts[i], own) != 0) return false;
  }
  if (text != end) return false;
  sealed = *head;
  seal_header(&sealed, key, data + sizeof *head + head->key_length);
  return memcmp(sealed.hash, head->hash, sizeof sealed.hash) == 0;
}

bool wisp_cache_get(const wisp_cache_key *key, wisp_binary *out)
{
  char name[NAME_TEXT], *data = NULL;
  size_t length = 0;
  header head;
  int folder = open_trusted(false);
  if (folder < 0) return false;
  entry_name(key, name);
  int entry = open_entry(folder, name);
  bool good = entry >= 0 && read_entry(entry, &data, &length) && holds_entry(data, length, key, &head);
  if (good) {
    memmove(data, data + sizeof head + head.key_length, head.length);
    const wisp_usage usage = {head.registers, head.spill_bytes, head.shared_bytes, head.issued, head.stack_bytes};
    *out = (wisp_binary){data, head.length, usage};
    data = NULL;
  }
  if (entry >= 0) close(entry);
  close(folder);
  free(data);
  return good;
}

void wisp_cache_put(const wisp_cache_key *key, const wisp_binary *binary)
{
  char name[NAME_TEXT], aside[ASIDE_TEXT];
  header head = {.length = binary->length,
                 .registers = binary->usage.registers,
                 .spill_bytes = binary->usage.spill_bytes,
                 .shared_bytes = binary->usage.shared_bytes,
                 .issued = binary->usage.issued,
                 .stack_bytes = binary->usage.stack_bytes};
  int folder = open_trusted(true);
  if (folder < 0) return;
  memcpy(head.magic, magic, sizeof magic);
  for (int i = 0; i < key->count; i++) head.key_length += strlen(key->texts[i]) + 1;
  seal_header(&head, key, binary->data);
  entry_name(key, name);
  int fd = -1; /* of a file of this process and call alone */
  for (int attempt = 0; fd < 0 && attempt < 100; attempt++) {
    snprintf(aside, sizeof aside, "%s.%x.%d", name, (unsigned)getpid(), attempt);
    fd = openat(folder, aside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  }
  FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
  bool complete = file && fwrite(&head, sizeof head, 1, file) == 1;
  for (int i = 0; complete && i < key->count; i++) {
    const size_t length = strlen(key->texts[i]) + 1;
    complete = fwrite(key->texts[i], 1, length, file) == length;
  }
  complete = complete && fwrite(binary->data, 1, head.length, file) == head.length;
  if (file)
    complete = fclose(file) == 0 && complete;
  else if (fd >= 0)
    close(fd);
  if (fd >= 0 && (!complete || renameat(folder, aside, folder, name) != 0)) unlinkat(folder, aside, 0);
  trim_folder(folder);
  close(folder);
}

void wisp_binary_free(wisp_binary *binary)
{
  free(binary->data);
}
