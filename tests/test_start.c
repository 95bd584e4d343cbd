/* Claim: a run starts within its domain, from fields that its elements hold and its walls keep, however flat the domain
 * is and wherever it has holes; and where elements or walls do not, a note says so, on stderr and in JSON. */
#include "test.h"
#include "command.h"
#include "parts.h"
#include "solving.h"
#include "store_fixture.h"
#include "../gen/embedded.h"
#include "../runtime/nodal/start.h"

static const char *write_box(const char *folder, const int n[3], const double size[3], bool hole)
{
  const char *path = fixture_path(folder, "box.msh");
  wisp_mesh *mesh = make_grid(4, n[0], n[1], n[2]);
  size_t kept = 0;
  for (size_t e = 0; e < mesh->elements; e++) {
    const int32_t *t = mesh->tet + 4 * e;
    double at[2] = {0};
    for (int i = 0; i < 8; i++) at[i % 2] += mesh->xyz[3 * t[i / 2] + i % 2] / 4;
    if (hole && fabs(at[0] - 0.5) < 1.0 / 6 && fabs(at[1] - 0.5) < 1.0 / 6) continue;
    memmove(mesh->tet + 4 * kept++, t, 4 * sizeof *t);
  }
  mesh->elements = kept;
  for (size_t i = 0; i < 3 * mesh->vertices; i++) mesh->xyz[i] *= size[i % 3];
  write_mesh(path, mesh);
  return path;
}

static cJSON *solve(const char *folder, const char *arguments, const char *mesh)
{
  char before[128];
  snprintf(before, sizeof before, "WISP_TEMPLATES=%s", folder);
  return run_json_with(folder, before, "run %s --json -d %s --mesh %s", arguments, test_device_name(), mesh);
}

/* The note of that key; NULL where there is none. */
static const char *note(const cJSON *json, const char *key)
{
  const cJSON *item = NULL;
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(json, "notes"))
  {
    if (strcmp(json_text(item, "key"), key) == 0) return json_text(item, "text");
  }
  return NULL;
}

/* Conducting walls keep the start's energy, and no note has to say otherwise. */
static void holds(const char *folder, const char *arguments, const char *mesh)
{
  OWNED(cJSON_Delete) cJSON *json = solve(folder, arguments, mesh);
  const double first = json_number(json, "energy_initial"), last = json_number(json, "energy_final");
  if (note(json, "start_unresolved") || note(json, "start_loses_energy") || !(first > 1e-12 && last > 0.8 * first))
    fail_msg("%s: energy from %g to %g, %s", arguments, first, last, note(json, "start_unresolved"));
}

/* A plate of a thousandth, whichever way it lies; and cubes of few elements. */
TEST_IN_FOLDER(test_flat)
{
  for (int thin = 0; thin < 3; thin++) {
    int n[3] = {4, 4, 4};
    double size[3] = {1, 1, 1};
    n[thin] = 1, size[thin] = 1e-3;
    const char *plate = write_box(*state, n, size, false);
    holds(*state, "maxwell -n 2 --steps 40", plate);
    holds(*state, "acoustics -n 2 --steps 40", plate);
    holds(*state, "acoustics -n 2 --steps 40 --boundary rigid", plate);
  }
  const char *cube = write_box(*state, (int[]){4, 4, 4}, (double[]){2, 2, 2}, false);
  for (int N = 1; N < 4; N++) {
    char arguments[64];
    snprintf(arguments, sizeof arguments, "maxwell -n %d --steps 20", N);
    holds(*state, arguments, cube);
  }
}

TEST_IN_FOLDER(test_hole)
{
  const char *path = write_box(*state, (int[]){6, 6, 6}, (double[]){1, 1, 1}, true);
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  wisp_start start;
  double nearest = INFINITY, to_middle = 0;
  holds(*state, "maxwell -n 3 --steps 40", path);
  holds(*state, "acoustics -n 3 --steps 40", path);
  GOOD(wisp_mesh_read(err, 4, 0, path, &mesh));
  GOOD(wisp_system_load(err, "maxwell", &system));
  GOOD(wisp_start_choose(err, mesh, system, NULL, NULL, &start));
  for (int c = 0; c < 3; c++) to_middle += pow(start.surroundings.middle[c] - 0.5, 2);
  for (size_t e = 0; e < mesh->elements; e++) {
    double off = 0, here = 0;
    for (int c = 0; c < 3; c++) {
      double at = 0;
      for (int i = 0; i < 4; i++) at += mesh->xyz[3 * mesh->tet[4 * e + (size_t)i] + c] / 4;
      off += pow(at - 0.5, 2), here += pow(at - start.surroundings.middle[c], 2);
    }
    nearest = here < 1e-20 ? fmin(nearest, off) : nearest;
    assert_true(off >= to_middle * (1 - 1e-9)); /* no element is nearer */
  }
  assert_true(nearest < INFINITY); /* and there it is an element's middle */
  assert_true(fabs(start.surroundings.spacing - sqrt(3) / 6) < 1e-12);
  wisp_start_order(&start, 3);
  assert_true(fabs(start.surroundings.spacing - sqrt(3) / 18) < 1e-12);
}

/* `from` and the rest of its line replaced in the file of acoustics, as a system of the user's own, "sound". */
static void edit(const char *folder, const char *from, const char *to)
{
  const char *text = wisp_embedded_text("templates/systems/acoustics.system"), *at = strstr(text, from);
  char own[8192];
  assert_non_null(at);
  snprintf(own, sizeof own, "%.*s%s%s", (int)(at - text), text, to, strchr(at, '\n'));
  fixture_text(folder, "systems/sound.system", own);
}

/* A start of the user's own that is far too narrow. */
TEST_IN_FOLDER(test_unresolved)
{
  static const char *const width[] = {"  width = edge / 60", "  width = edge / 4", "  width = spacing"};
  const char *folder = *state, *path = write_box(folder, (int[]){4, 4, 4}, (double[]){2, 1, 1}, false);
  for (int i = 0; i < 3; i++) {
    edit(folder, "  width = ", width[i]);
    OWNED(cJSON_Delete) cJSON *json = solve(folder, "sound -n 3 --steps 5 --boundary rigid", path);
    const char *says = note(json, "start_unresolved");
    if ((says != NULL) != (i == 0)) fail_msg("width %s: %s", width[i], says ? says : "no note");
    assert_true((json_number(json, "start_misfit") > 0.3) == (i == 0));
    if (says) assert_non_null(strstr(says, "does not resolve the start 'pulse'"));
  }
}

/* The same words on stderr; with -q only in JSON. Starts that are solutions have errors to tell. */
TEST_IN_FOLDER(test_messages)
{
  const char *path = write_box(*state, (int[]){12, 2, 1}, (double[]){1, 0.02, 0.002}, false);
  for (int quiet = 0; quiet < 2; quiet++) {
    HELD(forget)
    outcome o = run_with(*state, "", "run maxwell -n 1 --steps 5 -d %s --mesh %s%s", test_device_name(), path,
                         quiet ? " -q" : "");
    assert_int_equal(o.status, 0);
    if ((strstr(o.err, "note: the mesh does not resolve the start") != NULL) == quiet) fail_msg("%s", o.err);
  }
  OWNED(cJSON_Delete) cJSON *json = solve_json(*state, "maxwell", "-n 1 --box 1 --steps 5");
  assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "start_misfit")) && !note(json, "start_unresolved"));
}

/* Pressure that stands on soft walls is lost at once, on rigid ones it stays; absorbing ones are there to take it. */
TEST_IN_FOLDER(test_walls)
{
  static const char *const walls[] = {"soft", "rigid", "absorbing"};
  const char *path = write_box(*state, (int[]){4, 4, 1}, (double[]){1, 1, 0.01}, false);
  char line[128];
  edit(*state, "  p = 0\n", "  p = g");
  for (int i = 0; i < 3; i++) {
    snprintf(line, sizeof line, "sound -n 2 --steps 20 --boundary %s", walls[i]);
    OWNED(cJSON_Delete) cJSON *json = solve(*state, line, path);
    const char *says = note(json, "start_loses_energy");
    if ((says != NULL) != (i == 0)) fail_msg("%s: %s", walls[i], says ? says : "no note");
  }
}

/* x^degree in the first field, 0 in the others. */
static void power(const void *degree, size_t count, const double *xyz, double t, double *u)
{
  memset(u, 0, 6 * count * sizeof *u);
  for (size_t i = 0; i < count; i++) u[6 * i] = pow(xyz[3 * i], *(const int *)degree);
}

/* Elements hold polynomials up to their order, and of nothing they miss all. */
TEST(test_misfit)
{
  wisp_error reason = {0};
  wisp_mesh *mesh = NULL;
  solving s;
  GOOD(wisp_mesh_box(err, 2, &mesh));
  if (!solving_open(&reason, &s, mesh, &(solving_setup){.order = 3})) fail_msg("%s", reason.text);
  double *u = zeros(wisp_dg_volume_size(s.dg)), misfit = NAN, before = 0;
  for (int degree = 1; degree < 9; degree++) {
    wisp_dg_fill(s.dg, power, &degree, 0, u);
    GOOD(wisp_dg_misfit(err, s.dg, u, power, &degree, &misfit));
    assert_true(degree <= 3 ? misfit < 1e-13 : misfit > before && misfit < 1);
    before = misfit;
  }
  const int one = 1;
  memset(u, 0, wisp_dg_volume_size(s.dg) * sizeof *u);
  GOOD(wisp_dg_misfit(err, s.dg, u, power, &one, &misfit));
  assert_true(fabs(misfit - 1) < 1e-13);
  free(u);
  solving_close(&s);
}

GROUP(no_shipped_winners, NULL)
