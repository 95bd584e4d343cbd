#include "place.h"

#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* statfs types of file systems whose locks or shared memory do not reach every reader. */
static const struct {
  unsigned long type;
  const char *name;
} networks[] = {
    {0x6969, "NFS"},          {0x517B, "SMB"},       {0xFE534D42, "SMB2"}, {0xFF534D42, "CIFS"},
    {0x0BD00BD0, "Lustre"},   {0x47504653, "GPFS"},  {0x00C36400, "Ceph"}, {0x01021997, "9p"},
    {0x19830326, "BeeGFS"},   {0xAAD7AAEA, "PanFS"}, {0x5346414F, "AFS"},  {0x6B414653, "kAFS"},
    {0x73757245, "Coda"},     {0x65735546, "FUSE"},  {0x01161970, "GFS2"}, {0x7461636F, "OCFS2"},
    {0x20030528, "OrangeFS"},
};

bool wisp_place_is_network(unsigned long type)
{
  for (size_t i = 0; i < WISP_COUNT(networks); i++)
    if (networks[i].type == (type & 0xFFFFFFFF)) return true;
  return false;
}

/* The folder of path: "." where it names none. */
static wisp_status folder_of(wisp_error *err, const char *path, char **out)
{
  const char *slash = strrchr(path, '/');
  size_t length = !slash ? 1 : slash == path ? 1 : (size_t)(slash - path);
  wisp_status status = wisp_new(err, length + 1, 1, out);
  if (status == WISP_OK) memcpy(*out, slash ? path : ".", length);
  return status;
}

bool wisp_place_on_network(const char *path)
{
  char *folder = NULL;
  struct statfs about;
  if (folder_of(NULL, path, &folder) != WISP_OK) return true;
  bool network = statfs(folder, &about) == 0 && wisp_place_is_network((unsigned long)about.f_type);
  free(folder);
  return network;
}

bool wisp_place_needs_rollback(const char *path)
{
  const char *wish = getenv("WISP_JOURNAL");
  return (wish && strcmp(wish, "rollback") == 0) || wisp_place_on_network(path);
}

/* What the last component of path leads to: through a link, even one to nothing; beside the folder that is there. */
static wisp_status resolve(wisp_error *err, const char *path, int depth, wisp_text *out)
{
  char real[PATH_MAX], target[PATH_MAX];
  OWNED(free) char *folder = NULL;
  HELD(wisp_text_free) wisp_text next = {0};
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  if (realpath(path, real) || depth == 0) return wisp_text_print(err, out, "%s", depth ? real : path);
  ssize_t length = readlink(path, target, sizeof target - 1);
  CALL(folder_of(err, path, &folder));
  if (length >= 0) {
    target[length] = '\0';
    CALL(*target == '/' ? wisp_text_print(err, &next, "%s", target)
                        : wisp_text_print(err, &next, "%s/%s", folder, target));
    CALL(resolve(err, next.data, depth - 1, out));
  } else {
    CALL(resolve(err, folder, depth - 1, out));
    CALL(wisp_text_print(err, out, "%s%s", out->length && out->data[out->length - 1] == '/' ? "" : "/", name));
  }
  return WISP_OK;
}

wisp_status wisp_place_resolve(wisp_error *err, const char *path, char **out)
{
  enum { LINKS_AND_FOLDERS = 256, LONGEST = 512 - 16 }; /* SQLite's limit, less what names of files beside it add */
  HELD(wisp_text_free) wisp_text real = {0};
  CALL(wisp_require(err, *path, WISP_EUSAGE, "the tuning store's name is empty: name a file with --db or WISP_DB"));
  CALL(resolve(err, path, LINKS_AND_FOLDERS, &real));
  CALL(wisp_require(err, real.length < LONGEST, WISP_ESTORE,
                    "%s: the name is too long, at most %d bytes can be opened: name another file with --db or WISP_DB",
                    path, LONGEST));
  return GIVE(real.data, out);
}

wisp_status wisp_place_writable(wisp_error *err, const char *path)
{
  struct stat about;
  if (stat(path, &about) != 0) return WISP_OK;
  bool nobody = !(about.st_mode & (S_IWUSR | S_IWGRP | S_IWOTH)); /* not even root, for whom access() says yes */
  if (!nobody && access(path, W_OK) == 0) return WISP_OK;
  return wisp_fail(err, WISP_ESTORE, "%s cannot be written (%s): name another file with --db or WISP_DB", path,
                   nobody ? "it is read-only" : strerror(errno));
}

wisp_status wisp_place_folders(wisp_error *err, const char *path)
{
  OWNED(free) char *folder = NULL;
  CALL(folder_of(err, path, &folder));
  for (char *at = folder + 1; *folder; at++) {
    if (*at != '/' && *at != '\0') continue;
    char was = *at;
    *at = '\0';
    if (mkdir(folder, 0777) != 0 && access(folder, F_OK) != 0)
      CALL(wisp_fail(err, WISP_ESTORE, "%s: cannot make folder %s for the tuning store: %s", path, folder,
                     strerror(errno)));
    *at = was;
    if (!was) break;
  }
  return WISP_OK;
}

wisp_status wisp_store_user_path(wisp_error *err, char **out)
{
  const char *own = getenv("WISP_DB"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
  HELD(wisp_text_free) wisp_text path = {0};
  if (own && *own)
    CALL(wisp_text_print(err, &path, "%s", own));
  else if (data && *data == '/') /* the XDG rule: a relative one is to be ignored */
    CALL(wisp_text_print(err, &path, "%s/wisp/wisp.db", data));
  else if (home && *home)
    CALL(wisp_text_print(err, &path, "%s/.local/share/wisp/wisp.db", home));
  else
    CALL(wisp_fail(err, WISP_ESTORE, "tuning store: no place for it: set WISP_DB to a file's path, or HOME"));
  return GIVE(path.data, out);
}

/* Whoever may write the store may lock it. */
static void share_like(int lock, const char *path)
{
  struct stat own, store;
  if (fstat(lock, &own) != 0 || stat(path, &store) != 0 || own.st_uid != geteuid()) return;
  if ((own.st_mode ^ store.st_mode) & 0666) fchmod(lock, store.st_mode & 0666);
}

static wisp_status open_lock(wisp_error *err, const char *path, int *out)
{
  HELD(wisp_text_free) wisp_text name = {0};
  CALL(wisp_text_print(err, &name, "%s.lock", path));
  int lock = open(name.data, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock < 0 && errno == EACCES) lock = open(name.data, O_RDONLY | O_CLOEXEC); /* as good for locking */
  CALL(wisp_require(
      err, lock >= 0, WISP_ESTORE,
      "%s: the tuning store cannot be written here (%s: %s): name a file in a writable folder with --db or "
      "WISP_DB",
      path, name.data, strerror(errno)));
  share_like(lock, path);
  *out = lock;
  return WISP_OK;
}

wisp_status wisp_lock_take(wisp_error *err, const char *path, bool alone, bool wait, int *lock, wisp_lock_state *out)
{
  int how = (alone ? LOCK_EX : LOCK_SH) | (wait ? 0 : LOCK_NB), got;
  CALL(open_lock(err, path, lock));
  while ((got = flock(*lock, how)) != 0 && errno == EINTR) {}
  if (got == 0)
    *out = WISP_LOCK_HELD;
  else if (errno == EWOULDBLOCK)
    *out = WISP_LOCK_TAKEN;
  else if (errno == ENOSYS || errno == EOPNOTSUPP || errno == ENOLCK || errno == EINVAL)
    *out = WISP_LOCK_UNSUPPORTED;
  else
    return wisp_fail(err, WISP_ESTORE, "tuning store: cannot lock: %s", strerror(errno));
  return WISP_OK;
}

void wisp_lock_close(int *lock)
{
  if (*lock >= 0) close(*lock);
  *lock = -1;
}
