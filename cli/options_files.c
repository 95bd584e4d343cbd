/* Options that name files and devices: the mesh, the output, the store. */
#include "options.h"
#include "../runtime/process.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* Standard input as a mesh's file: whoever makes the mesh again finds it there. */
static wisp_status read_input(wisp_error *err, const wisp_arguments *args, wisp_mesh_source *source)
{
  char bytes[65536];
  size_t count = args->input->data ? 0 : fread(bytes, 1, sizeof bytes, stdin);
  for (; count; count = fread(bytes, 1, sizeof bytes, stdin)) CALL(wisp_text_add(err, args->input, bytes, count));
  CALL(wisp_require(err, !ferror(stdin), WISP_ESYSTEM, "standard input: cannot be read: %s: name a file",
                    strerror(errno)));
  CALL(wisp_text_add(err, args->input, "", 0));
  source->file = "standard input", source->data = args->input->data, source->length = args->input->length;
  return WISP_OK;
}

wisp_status wisp_option_file(wisp_error *err, const wisp_arguments *args, const char *path, wisp_mesh_source *source)
{
  source->file = path;
  source->cracks = wisp_option_given(args, "cracks");
  CALL(wisp_option_real(err, args, "merge", 1e-300, 1e300, 0, &source->merge));
  return strcmp(path, "-") == 0 ? read_input(err, args, source) : WISP_OK;
}

wisp_status wisp_option_mesh(wisp_error *err, const wisp_arguments *args, wisp_mesh_source *out)
{
  static const char *const of_boxes[] = {"jitter", "shuffle"}, *const of_files[] = {"merge", "cracks"};
  const char *order = wisp_option_value(args, "order");
  wisp_mesh_source source = {.file = wisp_option_value(args, "mesh"),
                             .shuffle = wisp_option_given(args, "shuffle"),
                             .as_asked = order != NULL};
  bool looks_polynomial = order && *order && !order[strspn(order, "0123456789-,")];
  long long seed = 0;
  size_t ordering = 0;
  for (size_t i = 0; i < WISP_COUNT(of_boxes); i++)
    CALL(wisp_require(err, !source.file || !wisp_option_given(args, of_boxes[i]), WISP_EUSAGE,
                      "--%s is for the box and --mesh names a file: leave one out", of_boxes[i]));
  for (size_t i = 0; i < WISP_COUNT(of_files); i++)
    CALL(wisp_require(err, source.file || !wisp_option_given(args, of_files[i]), WISP_EUSAGE,
                      "--%s is for a file: name it by --mesh", of_files[i]));
  CALL(wisp_option_real(err, args, "jitter", 0, 0.5, 0, &source.jitter));
  CALL(wisp_option_integer(err, args, "shuffle", 0, INT32_MAX, 0, &seed));
  CALL(wisp_require(
      err, !looks_polynomial, WISP_EUSAGE,
      "option --order is '%s', must be one of as-given, curve, metis, levels (how elements lie in memory): did you "
      "mean -n %s?",
      order, order));
  CALL(wisp_option_choice(err, args, "order", "as-given curve metis levels", 0, &ordering));
  if (source.file) CALL(wisp_option_file(err, args, source.file, &source));
  source.seed = (uint64_t)seed;
  source.ordering = (wisp_ordering)ordering;
  *out = source;
  return WISP_OK;
}

wisp_status wisp_option_timed_mesh(wisp_error *err, const wisp_arguments *args, wisp_mesh_source *out)
{
  static const char *const names[] = {"mesh", "jitter", "shuffle", "order", "merge", "cracks"};
  bool given = false;
  for (size_t i = 0; i < WISP_COUNT(names); i++) given |= wisp_option_given(args, names[i]);
  if (given) return wisp_option_mesh(err, args, out);
  *out = wisp_mesh_source_irregular();
  return WISP_OK;
}

bool wisp_same_file(const char *a, const char *b)
{
  struct stat x, y;
  if (stat(a, &x) != 0 || stat(b, &y) != 0) return strcmp(a, b) == 0;
  return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* No other file of the command has this name. */
static wisp_status check_others(wisp_error *err, const wisp_arguments *args, const char *name, const char *path)
{
  for (size_t i = 0; i < args->help.count; i++) {
    const wisp_option *option = &args->help.option[i];
    const bool names_file = option->argument && strcmp(option->argument, "FILE") == 0;
    const char *value = names_file && strcmp(option->name, name) != 0 ? args->values[i] : NULL;
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

wisp_status wisp_option_output(wisp_error *err, const wisp_arguments *args, const char *name, const char *ending,
                               const char **out)
{
  const char *path = wisp_option_value(args, name);
  struct stat there;
  *out = path;
  if (!path) return WISP_OK;
  CALL(wisp_output_check(err, args, name, path));
  const bool any = !ending || (stat(path, &there) == 0 && !S_ISREG(there.st_mode)); /* as devices and pipes take */
  return wisp_require(err, any || wisp_path_ends(path, ending), WISP_EUSAGE,
                      "option --%s is '%s', must end in %s: no other format is written", name, path, ending);
}

/* ---- Stores, also packed ones, devices, and the mesh to time on. */

static void report_warning(const wisp_arguments *args, const wisp_session *session)
{
  if (session->warning) wisp_cli_warn(args, session->warning);
}

/* The path that a store is read at; an empty one is as it is, for whoever refuses it. */
static wisp_status read_place(wisp_error *err, const char *db, char folder[WISP_PACKED_FOLDER], wisp_text *out)
{
  return db && access(db, F_OK) == 0 ? wisp_unpack(err, db, folder, out) : WISP_OK;
}

wisp_status wisp_cli_open_store_at(wisp_error *err, const wisp_arguments *args, const char *db, bool tolerant,
                                   wisp_session **out)
{
  HELD(wisp_scratch_remove) char folder[WISP_PACKED_FOLDER] = "";
  HELD(wisp_text_free) wisp_text place = {0};
  CALL(wisp_require(err, !db || !*db || access(db, F_OK) == 0, WISP_EMISSING,
                    "%s: there is no such file: check the name", db));
  CALL(read_place(err, db, folder, &place));
  CALL(wisp_session_read(
      err, &(wisp_session_request){WISP_INIT(wisp_session_request), .store = place.data ? place.data : db}, tolerant,
      out));
  report_warning(args, *out);
  return WISP_OK;
}

wisp_status wisp_cli_open_store(wisp_error *err, const wisp_arguments *args, bool tolerant, wisp_session **out)
{
  return wisp_cli_open_store_at(err, args, wisp_option_value(args, "db"), tolerant, out);
}

wisp_status wisp_cli_open_device(wisp_error *err, const wisp_arguments *args, const char *device, const char *db,
                                 bool defaults, wisp_session **out)
{
  HELD(wisp_scratch_remove) char folder[WISP_PACKED_FOLDER] = "";
  HELD(wisp_text_free) wisp_text place = {0};
  CALL(read_place(err, db, folder, &place));
  const wisp_session_request request = {WISP_INIT(wisp_session_request), .device = device,
                                        .store = place.data ? place.data : db, .defaults_only = defaults};
  CALL(wisp_session_open(err, &request, out));
  report_warning(args, *out);
  return WISP_OK;
}

void wisp_cli_print_notes(const wisp_arguments *args, wisp_notes *notes)
{
  for (; notes->reported < notes->count; notes->reported++) wisp_cli_warn(args, notes->list[notes->reported].text);
}

wisp_status wisp_cli_note_mesh(wisp_error *err, const wisp_arguments *args, const wisp_mesh_source *source,
                               wisp_notes *notes)
{
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  if (!source->file) return WISP_OK;
  CALL(wisp_mesh_source_read(err, 0, source, &mesh));
  wisp_cli_print_notes(args, &mesh->notes);
  return GIVE(mesh->notes, notes);
}
