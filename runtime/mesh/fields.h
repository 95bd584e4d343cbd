/* Sets of fields as files: a writer for each format. A format is a file of its own and a line in fields.c. */
#pragma once

#include "../../gen/check.h"

/* Memory for fields on elements of so many points each: xyz, and values of each of the names (borrowed). */
wisp_status wisp_fields_create(wisp_error *err, int corners, int order, size_t elements, size_t points, size_t count,
                               const char *const *names, wisp_fields *out);
void wisp_fields_free(wisp_fields *fields);

/* Writes them as the file's ending says; with another one, which a device or a pipe may have, in the first format. */
wisp_status wisp_fields_write(wisp_error *err, const wisp_fields *fields, const char *path);
/* Whether fields of this order can be written, where they shall be. */
wisp_status wisp_fields_check_order(wisp_error *err, bool wanted, int order);
/* The endings that there are, between blanks. */
const char *wisp_fields_endings(char text[64]);
