/* wisp mesh: a mesh's health. */
#include "cli.h"
#include "mesh.h"
#include "../runtime/mesh/hexmesh.h"

/* Solvers on hexes find some faults when they number nodes. */
static wisp_status check_hexes(wisp_error *err, const char *file, const wisp_mesh *mesh)
{
  OWNED(wisp_hexnodes_destroy) wisp_hexnodes *nodes = NULL;
  return wisp_mesh_cell(mesh)->is_connected ? WISP_OK : wisp_hexnodes_create(err, file, mesh, 1, &nodes);
}

/* All that is printed of a mesh; WISP_EINPUT where a run would refuse it. */
static wisp_status look(wisp_error *err, const wisp_mesh_source *source, wisp_mesh_report *report)
{
  const wisp_mesh *mesh = report->mesh;
  CALL(wisp_mesh_look(err, mesh, &report->health));
  CALL(wisp_mesh_find_touching(err, mesh, &report->touching));
  if (!source->cracks) CALL(wisp_mesh_refuse_touching(err, source->file, mesh));
  return check_hexes(err, source->file, mesh);
}

static void release(wisp_mesh **mesh)
{
  wisp_mesh_destroy(*mesh);
}

static wisp_status show_mesh(wisp_error *err, wisp_arguments *args)
{
  wisp_mesh_source source = {.jitter = 0};
  wisp_mesh_report report = {.mesh = NULL};
  HELD(release) wisp_mesh *mesh = NULL;
  wisp_error refused = {.text = ""};
  CALL(wisp_require(err, args->operand_count == 1, WISP_EUSAGE, "name a file, such as 'wisp mesh part.msh'"));
  CALL(wisp_option_file(err, args, args->operands[0], &source));
  report.file = source.file;
  wisp_status status = wisp_mesh_source_read(&refused, 0, &source, &mesh);
  report.mesh = mesh;
  if (mesh) wisp_cli_print_notes(args, &mesh->notes);
  if (mesh) status = look(&refused, &source, &report);
  if (status == WISP_EUSAGE || status == WISP_EMEMORY) return *err = refused, status;
  if (status != WISP_OK) report.refused = refused.text;
  CALL(wisp_mesh_report_print(err, &report, wisp_option_given(args, "json")));
  return wisp_require(err, status == WISP_OK, status, "%s", refused.text);
}

const wisp_syntax wisp_mesh_syntax = {.page = "mesh-health", .act = show_mesh, .most_operands = 1};
