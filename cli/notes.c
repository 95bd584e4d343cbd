#include "notes.h"

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

void wisp_json_add_notes(cJSON *object, const wisp_notes *notes)
{
  cJSON *list = cJSON_AddArrayToObject(object, "notes");
  for (size_t i = 0; i < notes->count; i++) {
    cJSON *note = cJSON_CreateObject();
    cJSON_AddStringToObject(note, "key", notes->list[i].key);
    cJSON_AddStringToObject(note, "text", notes->list[i].text);
    cJSON_AddItemToArray(list, note);
  }
}
