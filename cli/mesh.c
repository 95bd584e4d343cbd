/* wisp mesh: a mesh's health. */
#include "cli.h"
#include "print.h"
#include "../runtime/mesh/health.h"
#include "../runtime/mesh/touching.h"

#include <unistd.h>

typedef struct mesh_report {
  const char *file;
  wisp_mesh *mesh; /* NULL: it could not be read, and the rest is nothing */
  wisp_health health;
  wisp_touching touching;
  const char *refused; /* why a run would not take it; NULL: it would */
} mesh_report;

/* Words for each kind of element. */
typedef struct words {
  int corners;
  const char *faces, *measure, *face_measure;
  const char *quality, *length; /* what they are */
} words;

static const words kinds[] = {
    {3, "boundary edges", "area       ", "length", "2 r / R", "radius of the inscribed circle"},
    {4, "boundary faces", "volume     ", "area", "3 r / R", "radius of the inscribed sphere"},
    {8, "boundary faces", "volume     ", "area", "scaled Jacobian", "3 V / A"}};

static const words *words_of(const wisp_mesh *mesh)
{
  const words *w = kinds;
  while (w->corners != mesh->corners) w++;
  return w;
}

/* "(0.5, 0.25)", of triangles without z. */
static const char *place(const wisp_mesh *mesh, const double at[3], char text[96])
{
  const int length = snprintf(text, 96, "(%.5g, %.5g", at[0], at[1]);
  snprintf(text + length, 96 - (size_t)length, wisp_mesh_axes(mesh) == 2 ? ")" : ", %.5g)", at[2]);
  return text;
}

/* ---- Lines and a table. */

static void print_spread(const char *head, const wisp_mesh *mesh, const wisp_spread *s, const char *what)
{
  char at[96];
  printf("%-11s %s: %.4g at the least, %s %zu at %s\n", head, what, s->least, wisp_mesh_cell(mesh)->one, s->element,
         place(mesh, s->at, at));
  printf("            1 %% of the %s have at most %.4g, 10 %% %.4g, half %.4g, all %.4g\n", wisp_mesh_cell(mesh)->many,
         s->hundredth, s->tenth, s->half, s->greatest);
}

static void print_lines(const mesh_report *r)
{
  const wisp_mesh *mesh = r->mesh;
  const words *w = words_of(mesh);
  const wisp_health *h = &r->health;
  const wisp_touching *t = &r->touching;
  char share[64], at[96];
  printf("mesh        %s: %zu %s, %zu nodes\n", r->file, mesh->elements, wisp_mesh_cell(mesh)->many, mesh->vertices);
  printf("extent      x %.10g to %.10g, y %.10g to %.10g", h->low[0], h->high[0], h->low[1], h->high[1]);
  if (wisp_mesh_axes(mesh) == 2)
    printf("\n");
  else
    printf(", z %.10g to %.10g\n", h->low[2], h->high[2]);
  printf("%s %.8g\n", w->measure, h->measure);
  printf("boundary    %s %.8g, %zu %s\n", w->face_measure, h->boundary, h->boundary_faces, w->faces);
  printf("pieces      %zu\n", h->pieces);
  printf("orientation %zu of %zu %s are reversed in the file\n", mesh->reversed, mesh->elements,
         wisp_mesh_cell(mesh)->many);
  if (!t->coincident && !t->overlapping)
    printf("touching    no %s lie on one another\n", w->faces);
  else
    printf("touching    %zu %s coincide with others, %zu overlap others; the first at %s, %s %zu and %zu\n",
           t->coincident, w->faces, t->overlapping, place(mesh, t->at, at), wisp_mesh_cell(mesh)->many, t->element[0],
           t->element[1]);
  print_spread("shape", mesh, &h->quality, w->quality);
  print_spread("step", mesh, &h->length, w->length);
  snprintf(share, sizeof share, h->limiting == 1 ? "%zu %s has" : "%zu %s have", h->limiting,
           h->limiting == 1 ? wisp_mesh_cell(mesh)->one : wisp_mesh_cell(mesh)->many);
  printf("            %s less than twice the least: there the step of time is limited\n", share);
}

/* Elements and faces are counted; points, and curves in space, are not. */
static bool is_counted(const wisp_mesh *mesh, const wisp_physical *group)
{
  return group->dimension >= wisp_mesh_dimension(mesh) - 1;
}

static wisp_status print_groups(wisp_error *err, const wisp_mesh *mesh)
{
  static const wisp_table_column columns[] = {{"group", false}, {"number", true}, {"members", true}, {"measure", true},
                                              {"inside", true}, {"loose", true},  {"name", false}};
  OWNED(wisp_table_destroy) wisp_table *table = NULL;
  HELD(wisp_text_free) wisp_text text = {0};
  if (!mesh->groups.count) return printf("groups      none\n"), WISP_OK;
  CALL(wisp_table_create(err, "", WISP_COUNT(columns), columns, &table));
  for (size_t i = 0; i < mesh->groups.count; i++) {
    const wisp_physical *g = &mesh->groups.list[i];
    const double no = is_counted(mesh, g) ? 0 : NAN;
    CALL(wisp_table_print_row(err, table, "%s\t%d\t%.0f\t%.6g\t%.0f\t%.0f\t%s", wisp_groups_word(g->dimension),
                              g->number, no + (double)g->members, no + g->measure, g->inside ? (double)g->inside : NAN,
                              g->loose ? (double)g->loose : NAN, g->name ? g->name : "-"));
  }
  CALL(wisp_table_print(err, table, wisp_terminal_columns(STDOUT_FILENO), &text));
  printf("\n%s", text.data);
  return WISP_OK;
}

/* ---- JSON. */

static void add_place(cJSON *object, const wisp_mesh *mesh, const char *name, const double at[3])
{
  cJSON_AddItemToObject(object, name, cJSON_CreateDoubleArray(at, wisp_mesh_axes(mesh)));
}

static void add_spread(cJSON *object, const wisp_mesh *mesh, const char *name, const wisp_spread *s)
{
  cJSON *spread = cJSON_AddObjectToObject(object, name);
  const wisp_json_number numbers[] = {{"least", s->least},         {"element", (double)s->element},
                                      {"percent_1", s->hundredth}, {"percent_10", s->tenth},
                                      {"median", s->half},         {"greatest", s->greatest}};
  wisp_json_add_numbers(spread, WISP_COUNT(numbers), numbers);
  add_place(spread, mesh, "at", s->at);
}

/* The groups, behind the number of faces in groups that have no effect. */
static void add_groups(cJSON *object, const wisp_mesh *mesh)
{
  cJSON *list = cJSON_CreateArray();
  size_t inside = 0, loose = 0;
  bool periodic = false;
  for (size_t i = 0; i < mesh->groups.count; i++) {
    const wisp_physical *g = &mesh->groups.list[i];
    const double no = is_counted(mesh, g) ? 0 : NAN;
    const wisp_json_number numbers[] = {{"dimension", g->dimension},          {"number", g->number},
                                        {"members", no + (double)g->members}, {"measure", no + g->measure},
                                        {"inside", no + (double)g->inside},   {"loose", no + (double)g->loose}};
    cJSON *group = wisp_json_object(0, NULL, WISP_COUNT(numbers), numbers);
    wisp_json_add_texts(group, 1, &(wisp_json_text){"name", g->name});
    cJSON_AddItemToArray(list, group);
    inside += g->inside;
    loose += g->loose;
  }
  cJSON_AddNumberToObject(object, "inside", (double)inside);
  cJSON_AddNumberToObject(object, "loose", (double)loose);
  for (size_t i = 0; i < mesh->notes.count; i++) periodic |= strcmp(mesh->notes.list[i].key, "periodic") == 0;
  cJSON_AddBoolToObject(object, "periodic", periodic);
  cJSON_AddItemToObject(object, "groups", list);
}

static cJSON *make_json(const mesh_report *r)
{
  cJSON *object = cJSON_CreateObject();
  const wisp_mesh *mesh = r->mesh;
  const wisp_health *h = &r->health;
  const wisp_touching *t = &r->touching;
  const wisp_json_number touches[] = {{"coincident", (double)t->coincident}, {"overlapping", (double)t->overlapping}};
  cJSON_AddStringToObject(object, "file", r->file);
  wisp_json_add_texts(object, 1, &(wisp_json_text){"refused", r->refused});
  if (!mesh) return object;
  const wisp_json_number numbers[] = {{"elements", (double)mesh->elements},
                                      {"nodes", (double)mesh->vertices},
                                      {"dimension", wisp_mesh_dimension(mesh)},
                                      {"measure", h->measure},
                                      {"boundary_faces", (double)h->boundary_faces},
                                      {"boundary_measure", h->boundary},
                                      {"pieces", (double)h->pieces},
                                      {"reversed", (double)mesh->reversed},
                                      {"limiting", (double)h->limiting}};
  cJSON_AddStringToObject(object, "element", wisp_mesh_cell(mesh)->one);
  wisp_json_add_numbers(object, WISP_COUNT(numbers), numbers);
  cJSON *extent = cJSON_AddArrayToObject(object, "extent");
  for (int c = 0; c < wisp_mesh_axes(mesh); c++)
    cJSON_AddItemToArray(extent, cJSON_CreateDoubleArray((const double[]){h->low[c], h->high[c]}, 2));
  cJSON *touching = wisp_json_object(0, NULL, WISP_COUNT(touches), touches);
  cJSON_AddItemToObject(object, "touching", touching);
  if (t->coincident || t->overlapping) {
    const double pair[2] = {(double)t->element[0], (double)t->element[1]};
    cJSON_AddItemToObject(touching, "elements", cJSON_CreateDoubleArray(pair, 2));
    add_place(touching, mesh, "at", t->at);
  }
  add_spread(object, mesh, "shape", &h->quality);
  add_spread(object, mesh, "step", &h->length);
  add_groups(object, mesh);
  wisp_json_add_notes(object, &mesh->notes);
  return object;
}

/* ---- The command. */

/* Looks for all that is printed of a mesh; WISP_EINPUT where a run would refuse it. */
static wisp_status look_at(wisp_error *err, const wisp_mesh_source *source, mesh_report *report)
{
  const wisp_mesh *mesh = report->mesh;
  OWNED(wisp_hexnodes_destroy) wisp_hexnodes *nodes = NULL;
  CALL(wisp_mesh_look(err, mesh, &report->health));
  CALL(wisp_mesh_find_touching(err, mesh, &report->touching));
  if (!source->cracks) CALL(wisp_mesh_refuse_touching(err, source->file, mesh));
  if (wisp_mesh_cell(mesh)->is_connected) return WISP_OK;
  return wisp_hexnodes_create(err, source->file, mesh, 1, &nodes); /* finds some faults when it numbers nodes */
}

static void release(wisp_mesh **mesh)
{
  wisp_mesh_destroy(*mesh);
}

static wisp_status show_mesh(wisp_error *err, wisp_arguments *args)
{
  wisp_mesh_source source = {.jitter = 0};
  mesh_report report = {.mesh = NULL};
  HELD(release) wisp_mesh *mesh = NULL;
  wisp_error refused = {.text = ""};
  CALL(wisp_require(err, args->operand_count == 1, WISP_EUSAGE, "name a file, such as 'wisp mesh part.msh'"));
  CALL(wisp_option_file(err, args, args->operands[0], &source));
  report.file = source.file;
  wisp_status status = wisp_mesh_source_read(&refused, 0, &source, &mesh);
  report.mesh = mesh;
  if (mesh) wisp_cli_print_notes(args, &mesh->notes);
  if (mesh) status = look_at(&refused, &source, &report);
  if (status == WISP_EUSAGE || status == WISP_EMEMORY) return *err = refused, status;
  if (status != WISP_OK) report.refused = refused.text;
  if (wisp_option_given(args, "json")) {
    CALL(wisp_json_put(err, make_json(&report)));
  } else if (mesh) {
    print_lines(&report);
    CALL(print_groups(err, mesh));
  }
  return wisp_require(err, status == WISP_OK, status, "%s", refused.text);
}

const wisp_syntax wisp_mesh_syntax = {.page = "mesh-health", .act = show_mesh, .most_operands = 1};
