/* Opens stores, also packed ones, devices, and meshes that kernels are timed on. */
#include "options.h"
#include "../runtime/process.h"

#include <stdio.h>
#include <unistd.h>

static void report_warning(const wisp_arguments *args, const wisp_session *session)
{
  if (session->warning) wisp_cli_warn(args, session->warning);
}

/* The path that a store is read at; an empty one is as it is, for whoever refuses it. */
static wisp_status read_place(wisp_error *err, const char *db, char folder[WISP_PACKED_FOLDER], wisp_text *out)
{
  return db && access(db, F_OK) == 0 ? wisp_unpack(err, db, folder, out) : WISP_OK;
}

wisp_status wisp_cli_open_store(wisp_error *err, const wisp_arguments *args, bool tolerant, wisp_session **out)
{
  HELD(wisp_scratch_remove) char folder[WISP_PACKED_FOLDER] = "";
  HELD(wisp_text_free) wisp_text place = {0};
  const char *db = wisp_option_value(args, "db");
  CALL(wisp_require(err, !db || !*db || access(db, F_OK) == 0, WISP_EMISSING,
                    "%s: there is no such file: check the name", db));
  CALL(read_place(err, db, folder, &place));
  CALL(wisp_session_read(
      err, &(wisp_session_request){WISP_INIT(wisp_session_request), .store = place.data ? place.data : db}, tolerant,
      out));
  report_warning(args, *out);
  return WISP_OK;
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
