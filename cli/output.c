#include "output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool wisp_same_file(const char *a, const char *b)
{
  struct stat x, y;
  if (stat(a, &x) != 0 || stat(b, &y) != 0) return strcmp(a, b) == 0;
  return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Does the option name a file? Its argument says so: FILE. */
static bool names_file(const wisp_option *option)
{
  return option->argument && strcmp(option->argument, "FILE") == 0;
}

/* What the command reads, or writes besides, has other names. */
static wisp_status check_others(wisp_error *err, const wisp_arguments *args, const char *name, const char *path)
{
  for (size_t i = 0; i < args->help.count; i++) {
    const wisp_option *option = &args->help.option[i];
    const char *value = names_file(option) && strcmp(option->name, name) != 0 ? args->values[i] : NULL;
    CALL(wisp_require(err, !value || !wisp_same_file(path, value), WISP_EUSAGE,
                      "option --%s would overwrite '%s', the file of --%s: name another file", name, path,
                      option->name));
  }
  return WISP_OK;
}

/* Files are written beside the old one and renamed into its place, so that the folder counts. */
static wisp_status check_writable(wisp_error *err, const char *path)
{
  char folder[4096];
  struct stat there;
  const char *slash = strrchr(path, '/');
  const bool exists = stat(path, &there) == 0;
  if (exists && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode)) return WISP_OK;
  CALL(wisp_require(err, !exists || S_ISREG(there.st_mode), WISP_ESYSTEM,
                    "%s: cannot be written: it is a folder: name a file in it", path));
  CALL(wisp_file_writable(err, path));
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) + (slash == path) : 1, slash ? path : ".");
  return wisp_require(err, access(folder, W_OK | X_OK) == 0, WISP_ESYSTEM,
                      "%s: cannot be written: %s: %s: name a file in a writable folder", path, folder, strerror(errno));
}

wisp_status wisp_output_check(wisp_error *err, const wisp_arguments *args, const char *name, const char *path)
{
  CALL(wisp_require(err, *path, WISP_EUSAGE, "option --%s is empty, must be a file's name", name));
  CALL(check_others(err, args, name, path));
  return check_writable(err, path);
}

/* Devices and pipes take any format. */
static bool has_ending(const char *path, const char *ending)
{
  struct stat there;
  return (stat(path, &there) == 0 && !S_ISREG(there.st_mode)) || wisp_path_ends(path, ending);
}

wisp_status wisp_option_output(wisp_error *err, const wisp_arguments *args, const char *name, const char *ending,
                               const char **out)
{
  const char *path = wisp_option_value(args, name);
  *out = path;
  if (!path) return WISP_OK;
  CALL(wisp_output_check(err, args, name, path));
  return wisp_require(err, !ending || has_ending(path, ending), WISP_EUSAGE,
                      "option --%s is '%s', must end in %s: no other format is written", name, path, ending);
}
