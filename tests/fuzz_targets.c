#include "fuzz_targets.h"
#include "parsed.h"

#include "../cache/columns.h"
#include "../gen/family.h"
#include "../gen/system.h"
#include "../runtime/kernel.h"
#include "../runtime/hdg/hdg.h"
#include "../runtime/mesh/formula.h"
#include "../runtime/mesh/health.h"
#include "../runtime/mesh/hexmesh.h"
#include "../runtime/mesh/touching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The two targets of kernels: the host, nodes fastest, and a GPU, elements fastest. */
typedef struct place {
  const char *target, *dialect;
  wisp_layout layout;
  wisp_env *names;
} place;

enum { PLACES = 2 };

struct fuzz_world {
  char folder[64], store[80];
  wisp_spec spec;
  place place[PLACES];
};

static void hold(bool condition)
{
  if (!condition) abort();
}

/* A failure is told in one line and has left nothing behind; so says whether there was none. */
static bool passed(wisp_status status, const wisp_error *err, const void *made)
{
  hold(status == WISP_OK ? made != NULL : !made && *err->text && !strchr(err->text, '\n'));
  return status == WISP_OK;
}

/* Beside the reading, what is looked at in a mesh whatever its elements are. */
static void look_at_mesh(const wisp_mesh *mesh)
{
  wisp_error err = {0};
  wisp_touching touching;
  wisp_health health;
  hold(wisp_mesh_find_touching(&err, mesh, &touching) == WISP_OK);
  hold(wisp_mesh_look(&err, mesh, &health) == WISP_OK);
  hold(health.pieces >= 1 && health.pieces <= mesh->elements && health.boundary_faces >= touching.coincident);
}

/* Every group is found by its name, and whoever carries a value is in each of its groups. */
static void check_groups(const wisp_mesh *mesh)
{
  const wisp_groups *groups = &mesh->groups;
  const size_t regions = mesh->corners == 8 ? 0 : mesh->elements, faces = (size_t)mesh->corners * regions;
  HELD(wisp_text_free) wisp_text list = {0};
  for (size_t i = 0; i < regions + faces; i++) {
    const int32_t *value = i < regions ? &mesh->region[i] : &mesh->tag[i - regions], *numbers = NULL;
    const size_t count = wisp_groups_numbers(groups, value, &numbers);
    for (size_t n = 0; n < count; n++) hold(numbers[n] > 0 && wisp_groups_have(groups, *value, numbers[n]));
  }
  for (size_t i = 0; i < groups->count && i < 8; i++) {
    const wisp_physical *group = &groups->list[i];
    const wisp_group_word word = {group->name, true};
    OWNED(free) int32_t *numbers = NULL;
    size_t count = 0;
    hold(group->dimension >= 0 && group->dimension < WISP_DIMENSIONS && group->number > 0);
    hold(wisp_groups_print(NULL, groups, group->dimension, &list) == WISP_OK);
    if (group->name)
      hold(wisp_groups_find(NULL, groups, group->dimension, &word, &numbers, &count) == WISP_OK && count);
    free(numbers), numbers = NULL;
    if (group->name) (void)wisp_groups_find_all(NULL, groups, group->dimension, group->name, &numbers, &count);
  }
}

/* A question about the elements' groups has an answer, 0 or 1, or is refused in one line. */
static void ask_groups(const wisp_mesh *mesh)
{
  const wisp_physical *last = mesh->groups.count ? &mesh->groups.list[mesh->groups.count - 1] : NULL;
  wisp_error err = {0};
  OWNED(wisp_formula_destroy) wisp_formula *formula = NULL;
  char text[128];
  OWNED(free) double *values = calloc(mesh->elements, sizeof *values);
  hold(values);
  snprintf(text, sizeof text, "region == '%.40s' || region != %d", last && last->name ? last->name : "none",
           last ? last->number : 0);
  const wisp_status status = wisp_formula_create(&err, "fuzz", text, mesh, false, &formula);
  if (passed(status, &err, formula)) wisp_formula_middles(formula, mesh, 1, values);
  for (size_t k = 0; k < mesh->elements; k++) hold(values[k] <= 0 || values[k] >= 1);
}

static bool take_mesh(fuzz_world *world, const char *data, size_t size)
{
  wisp_error err = {0};
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  (void)world;
  const wisp_status status = wisp_mesh_parse(&err, 4, 0, "fuzz", data, size, &mesh);
  const bool taken = passed(status, &err, mesh);
  hold(!taken || mesh->elements);
  if (taken) look_at_mesh(mesh), check_groups(mesh), ask_groups(mesh);
  return taken;
}

/* Beside the reading, the skeleton of edges, and what hangs together. */
static bool take_trimesh(fuzz_world *world, const char *data, size_t size)
{
  static const wisp_fixing fixed = {.all = false};
  wisp_error err = {0};
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  OWNED(wisp_hdg_destroy) wisp_hdg *skeleton = NULL;
  (void)world;
  wisp_status status = wisp_mesh_parse(&err, 3, 0, "fuzz", data, size, &mesh);
  bool taken = passed(status, &err, mesh);
  if (taken) check_groups(mesh), ask_groups(mesh);
  if (taken) {
    look_at_mesh(mesh);
    status = wisp_hdg_create(&err, "fuzz", mesh, 1, &fixed, &skeleton);
    taken = passed(status, &err, skeleton);
  }
  hold(!taken || (skeleton->edges >= 3 && skeleton->edges <= 3 * mesh->elements));
  return taken;
}

/* Beside the reading, the numbering of nodes, which looks at how the elements lie. */
static bool take_hexmesh(fuzz_world *world, const char *data, size_t size)
{
  wisp_error err = {0};
  OWNED(wisp_mesh_destroy) wisp_hexmesh *mesh = NULL;
  OWNED(wisp_hexnodes_destroy) wisp_hexnodes *nodes = NULL;
  (void)world;
  wisp_status status = wisp_mesh_parse(&err, 8, 0, "fuzz", data, size, &mesh);
  bool taken = passed(status, &err, mesh);
  if (taken) check_groups(mesh);
  if (taken) {
    look_at_mesh(mesh);
    status = wisp_hexnodes_create(&err, "fuzz", mesh, 2, &nodes);
    taken = passed(status, &err, nodes);
  }
  hold(!taken || nodes->nodes >= 27);
  return taken;
}

/* Makes a plan's source and operands. */
static bool expands(const wisp_plan *plan, const char *dialect)
{
  const wisp_arg *arg = plan->strategy->arg;
  const int args = plan->strategy->args;
  wisp_error err = {0};
  wisp_text source = {0};
  const wisp_status made = wisp_plan_source(&err, plan, dialect, &source);
  bool all = passed(made, &err, made == WISP_OK ? source.data : NULL);
  wisp_text_free(&source);
  for (int i = 0; i < args; i++) {
    size_t count = 0;
    OWNED(free) double *reals = NULL;
    OWNED(free) int *ints = NULL;
    if (arg[i].kind != WISP_ARG_OPERAND) continue;
    const wisp_status status = wisp_plan_operand(&err, plan, i, &count, &reals, &ints);
    all &= passed(status, &err, reals ? (void *)reals : ints);
  }
  return all;
}

/* The default candidate: its text gives the same candidate again. */
static bool plans(const wisp_spec *spec, const place *at, const wisp_strategy *s)
{
  wisp_error err = {0};
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL, *reread = NULL;
  unsigned grid[2];
  const wisp_status status = wisp_plan_default(&err, s, spec, &at->layout, at->names, &plan);
  if (!passed(status, &err, plan)) return false;
  hold(wisp_plan_from_text(&err, s, spec, &at->layout, at->names, plan->params, &reread) == WISP_OK);
  hold(strcmp(plan->params, reread->params) == 0);
  const bool made =
      expands(plan, at->dialect) &&
      wisp_plan_grid(&err, plan, (wisp_count[]){{"groups", 7}, {"blocks", 3}, {NULL, 0}}, grid) == WISP_OK;
  return made;
}

static bool take_strategy(const fuzz_world *world, const char *space, const char *text)
{
  wisp_error err = {0};
  OWNED(wisp_strategy_destroy) wisp_strategy *s = NULL;
  bool some = false;
  const wisp_status status = parse_strategy(&err, "nodal", "fuzz", (wisp_file_text){"fuzz.space", space},
                                            (wisp_file_text){"fuzz.k", text}, &s);
  if (passed(status, &err, s))
    for (int i = 0; i < PLACES; i++) some |= plans(&world->spec, &world->place[i], s);
  return some;
}

static bool take_space(fuzz_world *world, const char *data, size_t size)
{
  (void)size;
  return take_strategy(world, data, "{{#for i in 2}}\nu[{{= i * NpM}}] = rhs[{{i}}];\n{{/for}}\n");
}

/* A text that may use all that the built-in ones do. */
static bool take_text(fuzz_world *world, const char *data, size_t size)
{
  static const char space[] = "kernel volume\nlayouts node slab\nparam wi 1 2\nparam wp 2\nlet rows = 3*Np\n"
                              "block 32 wp\ngrid groups\nshared real s_u n*NpM\narg in real u\narg out real rhs\n"
                              "arg in real geo\narg value int groups\n";
  (void)size;
  return take_strategy(world, space, data);
}

static bool take_system(fuzz_world *world, const char *data, size_t size)
{
  static const double normal[3] = {0.6, 0, -0.8};
  double inside[WISP_MAX_FIELDS], outside[WISP_MAX_FIELDS], flux[WISP_MAX_FIELDS];
  int driver[WISP_MAX_FIELDS];
  wisp_error err = {0};
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  (void)world, (void)size;
  wisp_status status = wisp_system_parse(&err, "fuzz", data, &system);
  const bool taken = passed(status, &err, system);
  for (int f = 0; f < WISP_MAX_FIELDS; f++) inside[f] = f - 3.5, outside[f] = 0.25 * f;
  for (int b = -1; taken && b < system->boundaries; b++) {
    wisp_system_flux(system, b, normal, 0.5, inside, outside, flux, NULL);
  }
  if (taken) {
    const int parts = wisp_system_parts(system, driver);
    hold(parts >= 1 && parts <= system->fields && system->fields % parts == 0);
  }
  for (int i = 0; taken && i < system->states; i++) {
    const wisp_surroundings box = {.edge = 1, .mode = {1, 1, 1}};
    wisp_state_fields(system, &system->state[i], &box, 1, normal, 0.5, flux);
  }
  return taken;
}

/* Prints the input that was read, and reads that again. */
static bool take_shipped(fuzz_world *world, const char *data, size_t size)
{
  wisp_error err = {0};
  HELD(wisp_text_free) wisp_text warning = {0}, first = {0}, second = {0};
  wisp_trials list = {0}, reread = {0};
  (void)world, (void)size;
  hold(wisp_shipped_parse(&err, "fuzz", data, &warning, &list) == WISP_OK);
  for (const char *line = warning.data; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
    hold(strncmp(line, "fuzz:", 5) == 0);
  for (size_t i = 0; i < list.count; i++) hold(wisp_shipped_print(&err, &list.trials[i], &first) == WISP_OK);
  hold(wisp_shipped_parse(&err, "again", first.data ? first.data : "", NULL, &reread) == WISP_OK);
  hold(reread.count == list.count);
  for (size_t i = 0; i < list.count; i++) hold(wisp_shipped_print(&err, &reread.trials[i], &second) == WISP_OK);
  hold(!first.data || strcmp(first.data, second.data) == 0);
  const bool taken = list.count && !warning.length;
  free(list.trials), free(reread.trials);
  return taken;
}

/* The files that belong to a store's file lie beside it. */
static void clear(const fuzz_world *world)
{
  static const char *const names[] = {"", "-wal", "-shm", "-journal", ".lock", ".new", ".new-journal"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[128];
    snprintf(path, sizeof path, "%s%s", world->store, names[i]);
    unlink(path);
  }
}

/* Exports the store that is there, and imports that once more, which adds nothing. A file may hold numbers
 * that no import takes. */
static bool comes_back(const fuzz_world *world)
{
  wisp_error err = {0};
  HELD(wisp_text_free) wisp_text json = {0};
  long long added = 0;
  const wisp_status status = wisp_store_export(&err, world->store, false, false, &json);
  const bool read = passed(status, &err, status == WISP_OK ? json.data : NULL);
  const wisp_status reread =
      read ? wisp_store_import(&err, world->store, "export", json.data, json.length, &added) : WISP_OK;
  hold((reread == WISP_OK || reread == WISP_EINPUT) && added == 0);
  return read;
}

static bool take_json(fuzz_world *world, const char *data, size_t size)
{
  wisp_error err = {0};
  long long added = 0;
  const wisp_status status = wisp_store_import(&err, world->store, "fuzz", data, size, &added);
  const bool taken = passed(status, &err, status == WISP_OK ? data : NULL);
  if (taken) hold(comes_back(world));
  clear(world);
  return taken;
}

static bool take_store(fuzz_world *world, const char *data, size_t size)
{
  wisp_error err = {0};
  HELD(wisp_text_free) wisp_text report = {0};
  FILE *file = fopen(world->store, "wb");
  hold(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
  const wisp_status status = wisp_store_check(&err, world->store, &report);
  bool taken = passed(status, &err, status == WISP_OK ? report.data : NULL);
  taken = comes_back(world) && taken;
  clear(world);
  return taken;
}

const fuzz_target fuzz_targets[] = {
    {"mesh", take_mesh},
    {"hexmesh", take_hexmesh},
    {"trimesh", take_trimesh},
    {"space", take_space},
    {"text", take_text},
    {"system", take_system},
    {"shipped", take_shipped},
    {"json", take_json},
    {"store", take_store},
    {"expression", fuzz_take_expression},
    {"form", fuzz_take_form},
    {"names", fuzz_take_names},
    {NULL, NULL},
};

/* The lowest order's names, in the first layout or the last. */
static void make_place(place *at, const wisp_spec *spec, bool last)
{
  wisp_layout layouts[8];
  wisp_limits limits;
  const int count = wisp_family_layouts(spec, layouts);
  hold(wisp_target_limits(NULL, at->target, &limits) == WISP_OK);
  const wisp_target target = wisp_limits_target(&limits);
  at->layout = layouts[last ? count - 1 : 0];
  hold(wisp_names_create(NULL, spec, &at->layout, &target, NULL, &at->names) == WISP_OK);
}

fuzz_world *fuzz_world_create(void)
{
  const wisp_family *family = wisp_family_find("nodal");
  const char *tmp = getenv("TMPDIR");
  fuzz_world *world = calloc(1, sizeof *world);
  hold(world != NULL);
  *world = (fuzz_world){.spec = wisp_family_spec(family, 1, NULL, WISP_F64),
                        .place = {{.target = "host", .dialect = "host"}, {.target = "sm_90", .dialect = "cuda"}}};
  snprintf(world->spec.kernel, sizeof world->spec.kernel, "volume");
  for (int i = 0; i < PLACES; i++) make_place(&world->place[i], &world->spec, i > 0);
  snprintf(world->folder, sizeof world->folder, "%.40s/wisp-fuzz-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  hold(mkdtemp(world->folder) != NULL);
  snprintf(world->store, sizeof world->store, "%s/it.db", world->folder);
  return world;
}

void fuzz_world_destroy(fuzz_world *world)
{
  for (int i = 0; i < PLACES; i++) wisp_env_destroy(world->place[i].names);
  rmdir(world->folder);
  free(world);
}
