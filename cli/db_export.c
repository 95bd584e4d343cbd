/* wisp db export: trials as texts, of the store or of what ships. */
#include "db.h"
#include "../cache/shipped.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct export
{
  char device[128]; /* part of its name; "": all that the file holds */
  bool winners, as_text;
}
export;

/* The trials of a device in the first layer that has any. */
static wisp_status collect(wisp_error *err, const wisp_store *store, const char *device, wisp_layer *from,
                           wisp_trials *list)
{
  *from = WISP_LAYER_NONE;
  for (size_t i = 0; i < wisp_store_count(store); i++) {
    wisp_layer layer;
    const wisp_trial *trial = wisp_store_trial(store, i, &layer);
    if (list->count && layer != *from) break;
    if (!strcasestr(trial->device, device)) continue;
    *from = layer;
    CALL(wisp_trials_add(err, list, trial));
  }
  return wisp_require(err, list->count, WISP_EMISSING, "nothing is stored for '%s': 'wisp db show' lists devices",
                      device);
}

/* Exports one device: the trials of the file, or else the site's, or the shipped ones. */
static wisp_status export_device(wisp_error *err, const wisp_arguments *args, const char *path, const export *how,
                                 wisp_text *out)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  HELD(wisp_trials_free) wisp_trials list = {0};
  OWNED(free) char *warning = NULL;
  wisp_layer layer;
  char note[512];
  CALL(wisp_store_open(err, path, false, &warning, &store));
  if (warning) wisp_cli_warn(args, warning);
  CALL(collect(err, store, how->device, &layer, &list));
  snprintf(note, sizeof note, WISP_MESSAGE("%.300s has nothing of '%s': these are the trials of the %s layer"), path,
           how->device, wisp_layer_name(layer));
  if (layer != WISP_LAYER_USER) wisp_cli_warn(args, note);
  if (how->winners || how->as_text) wisp_shipped_select(&list, how->winners);
  return how->as_text ? wisp_trials_print_shipped(err, &list, out) : wisp_trials_print_json(err, &list, out);
}

static wisp_status export_file(wisp_error *err, const char *path, const export *how, wisp_text *out)
{
  CALL(wisp_require(
      err, access(path, F_OK) == 0, WISP_EMISSING,
      "%s: there is no tuning store here: check the path, or fill one with wisp tune; -d DEV exports what ships",
      path));
  return how->as_text ? wisp_store_print_shipped(err, path, how->winners, out)
                      : wisp_store_export(err, path, how->winners, out);
}

wisp_status wisp_db_export(wisp_error *err, const wisp_arguments *args, const char *path)
{
  HELD(wisp_text_free) wisp_text text = {0};
  export how = {.winners = wisp_option_given(args, "winners")};
  size_t format = 0;
  const char *name = NULL;
  CALL(wisp_option_choice(err, args, "format", "json text", 0, &format));
  CALL(wisp_option_output(err, args, "output", NULL, &name));
  CALL(wisp_require(err, !name || !wisp_same_file(name, path), WISP_EUSAGE,
                    "option --output would overwrite the store %s: name another file", path));
  CALL(wisp_option_stored_device(err, args, how.device));
  how.as_text = format == 1;
  CALL(*how.device ? export_device(err, args, path, &how, &text) : export_file(err, path, &how, &text));
  if (name) return wisp_write_file(err, name, wisp_fill_text, &text);
  return wisp_require(err, fwrite(text.data, 1, text.length, stdout) == text.length && fflush(stdout) == 0,
                      WISP_ESYSTEM, "the output could not be written: make room, or send it elsewhere");
}
