/* Remarks about a mesh's file, as commands print them. */
#ifndef WISP_CLI_NOTES_H
#define WISP_CLI_NOTES_H

#include "options.h"
#include "print.h"

/* Prints those that were not printed before, a line each on stderr; none where --quiet was given. */
void wisp_cli_print_notes(const wisp_arguments *args, wisp_notes *notes);

/* Reads the file of a mesh that is timed on, and prints what there is to say of it, as a run does. Remarks are added to
 * notes; release with wisp_notes_free. Nothing is read where there is no file. */
wisp_status wisp_cli_note_mesh(wisp_error *err, const wisp_arguments *args, const wisp_mesh_source *source,
                               wisp_notes *notes);

/* All of them: "notes": [{"key": "periodic", "text": "..."}], which is empty where there are none. */
void wisp_json_add_notes(cJSON *object, const wisp_notes *notes);

#endif
