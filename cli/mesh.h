/* wisp mesh: what is known of a file when it is printed. */
#pragma once

#include "../runtime/mesh/health.h"
#include "../runtime/mesh/touching.h"

typedef struct wisp_mesh_report {
  const char *file;
  wisp_mesh *mesh; /* NULL: it could not be read, and the rest is nothing */
  wisp_health health;
  wisp_touching touching;
  const char *refused; /* why a run would not take it; NULL: it would */
} wisp_mesh_report;

/* As lines and a table, or as a JSON object. */
wisp_status wisp_mesh_report_print(wisp_error *err, const wisp_mesh_report *report, bool json);
