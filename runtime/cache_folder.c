/* What lies in the cache is loaded and run: as with ssh's keys, a folder or a file that somebody else could have
 * written is not looked into. Whoever can write the folder's parents can at most put another folder of ours in its
 * place. */
#include "cache_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

WISP_OWNED(DIR, closedir)

enum { USUAL_MB = 512, MOST_MB = 1 << 30 };

/* One file of the folder. */
typedef struct file {
  char name[64];
  long long bytes;
  struct timespec used;
} file;

typedef struct file_list {
  file *files;
  size_t count, room;
  long long bytes;
} file_list;

/* mkdir -p, for the owner alone. */
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

/* False where the environment names no place, or one whose name is too long. Relative names under XDG are to be
 * ignored, as the rule for them says. */
static bool folder_name(char path[PATH_MAX])
{
  const struct {
    const char *variable, *below;
    bool absolute;
  } places[] = {{"WISP_CACHE_DIR", "", false}, {"XDG_CACHE_HOME", "/wisp", true}, {"HOME", "/.cache/wisp", false}};
  for (size_t i = 0; i < WISP_COUNT(places); i++) {
    const char *root = getenv(places[i].variable);
    if (!root || !*root || (places[i].absolute && *root != '/')) continue;
    int length = snprintf(path, PATH_MAX, "%s%s", root, places[i].below);
    return length > 0 && length < PATH_MAX;
  }
  return false;
}

/* Why what `about` is of must not be loaded from; NULL where it may. */
static const char *distrust(const struct stat *about)
{
  if (about->st_uid != geteuid()) return "belongs to somebody else";
  return about->st_mode & (S_IWGRP | S_IWOTH) ? "may be written by others" : NULL;
}

/* *fd is -1 where the folder is missing. */
static wisp_status open_folder(wisp_error *err, bool make, char path[PATH_MAX], int *fd)
{
  struct stat about;
  *fd = -1;
  CALL(wisp_require(err, folder_name(path), WISP_ESYSTEM,
                    "compiled kernels: no place to keep them: set WISP_CACHE_DIR to a folder, or HOME"));
  if (make) make_folders(path);
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return WISP_OK;
  const char *why = fstat(folder, &about) == 0 ? distrust(&about) : "cannot be looked at";
  if (why) {
    close(folder);
    CALL(wisp_fail(err, WISP_ESYSTEM,
                   "%s %s: compiled kernels are not loaded from it, and every run compiles anew: chmod go-w it, or set "
                   "WISP_CACHE_DIR to a folder of your own",
                   path, why));
  }
  *fd = folder;
  return WISP_OK;
}

int wisp_cache_folder_open(bool make)
{
  char path[PATH_MAX];
  int folder = -1;
  open_folder(NULL, make, path, &folder);
  return folder;
}

int wisp_cache_entry_open(int folder, const char *name)
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

static wisp_status read_limit(wisp_error *err, long long *bytes)
{
  const char *text = getenv("WISP_CACHE_MB");
  char *end = NULL;
  *bytes = (long long)USUAL_MB << 20;
  if (!text || !*text) return WISP_OK;
  errno = 0;
  long long mb = strtoll(text, &end, 10);
  if (end == text || *end || errno || mb < 0 || mb > MOST_MB)
    return wisp_fail(err, WISP_EUSAGE, "WISP_CACHE_MB is '%s', must be a whole number of megabytes, such as %d", text,
                     USUAL_MB);
  *bytes = mb << 20;
  return WISP_OK;
}

/* Is it ours: 0123...def.jit, or that with a suffix while it is written? */
static bool is_entry(const char *name)
{
  size_t digits = strspn(name, "0123456789abcdef");
  return digits == 32 && strncmp(name + digits, ".jit", 4) == 0 && strlen(name) < sizeof((file *)0)->name;
}

static wisp_status list_files(wisp_error *err, int folder, file_list *out)
{
  int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC); /* closedir closes it */
  OWNED(closedir) DIR *dir = again >= 0 ? fdopendir(again) : NULL;
  if (!dir && again >= 0) close(again);
  CALL(wisp_require(err, dir, WISP_ESYSTEM, "compiled kernels: their folder cannot be read: %s", strerror(errno)));
  for (struct dirent *item; (item = readdir(dir));) {
    struct stat about;
    if (!is_entry(item->d_name) || fstatat(folder, item->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0) continue;
    CALL(wisp_grow(err, &out->files, &out->room, out->count + 1, sizeof *out->files));
    file *one = &out->files[out->count++];
    *one = (file){.bytes = about.st_blocks * 512LL, .used = about.st_mtim};
    strcpy(one->name, item->d_name);
    out->bytes += one->bytes;
  }
  return WISP_OK;
}

static int by_use(const void *x, const void *y)
{
  const file *a = x, *b = y;
  if (a->used.tv_sec != b->used.tv_sec) return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
  return (a->used.tv_nsec > b->used.tv_nsec) - (a->used.tv_nsec < b->used.tv_nsec);
}

void wisp_cache_folder_trim(int folder)
{
  file_list list = {0};
  long long limit = 0;
  read_limit(NULL, &limit);
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
  TRY(read_limit(err, &found.limit));
  TRY(open_folder(err, false, found.path, &folder));
  if (folder >= 0) TRY(list_files(err, folder, &list));
  for (size_t i = 0; clear && i < list.count; i++)
    TRY(wisp_require(err, unlinkat(folder, list.files[i].name, 0) == 0 || errno == ENOENT, WISP_ESYSTEM,
                     "%s/%s: cannot be removed: %s", found.path, list.files[i].name, strerror(errno)));
  found.entries = (long long)list.count;
  found.bytes = list.bytes;
  *out = found;
done:
  if (folder >= 0) close(folder);
  free(list.files);
  return status;
}
