/* Fuzzed readers of short texts: expressions, forms, and names that come at run time. */
#include "fuzz_targets.h"
#include "parsed.h"

#include "../gen/assembly/assembly.h"
#include "../gen/environment.h"
#include "../gen/family.h"
#include "../runtime/api/contract.h"
#include "../runtime/api/solvers.h"
#include "../runtime/mesh/formula.h"
#include "../runtime/mesh/groups.h"

#include <math.h>

static void hold(bool condition)
{
  if (!condition) abort();
}

/* A failure is told in one line; so says whether there was none. */
static bool passed(wisp_status status, const wisp_error *err)
{
  hold(status == WISP_OK || (*err->text && !strchr(err->text, '\n')));
  return status == WISP_OK;
}

/* ---- Two triangles with groups of each dimension. */

static const char msh[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n4\n1 1 \"inlet\"\n1 2 \"air gap\"\n2 7 \"steel\"\n2 9 "
    "\"if\"\n"
    "$EndPhysicalNames\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 1 1 0\n$EndNodes\n$Elements\n4\n1 1 2 1 1 1 2\n"
    "2 1 2 2 2 2 4\n3 2 2 7 1 1 2 3\n4 2 2 9 2 2 4 3\n$EndElements\n";

static const wisp_mesh *the_mesh(void)
{
  static wisp_mesh *mesh; /* for as long as the process lives */
  if (!mesh) hold(wisp_mesh_parse(NULL, 3, 0, "fuzz", msh, sizeof msh - 1, &mesh) == WISP_OK);
  return mesh;
}

/* ---- Expressions. */

static bool same(double a, double b)
{
  return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

enum { POINTS = 5 };

/* The slots of a form's kappa at some points; that of u and NaN among them. */
static void make_slots(double values[WISP_FORM_SLOTS * WISP_EXPR_MANY])
{
  static const double u[POINTS] = {0, 1, -2.5, 1e300, NAN};
  for (int p = 0; p < POINTS; p++)
    for (int s = 0; s < WISP_FORM_SLOTS; s++) values[s * WISP_EXPR_MANY + p] = s ? 0.5 * s : u[p];
}

/* One point and several at once give the same; out: those of all points. */
static void evaluate(const wisp_expr *expr, double out[WISP_EXPR_MANY])
{
  double many[WISP_FORM_SLOTS * WISP_EXPR_MANY] = {0}, one[WISP_FORM_SLOTS], value = 0, size = 0;
  make_slots(many);
  wisp_expr_many(expr, many, POINTS, out);
  for (int p = 0; p < POINTS; p++) {
    for (int s = 0; s < WISP_FORM_SLOTS; s++) one[s] = many[s * WISP_EXPR_MANY + p];
    wisp_expr_real(expr, one, NULL, &value, &size);
    hold(same(value, out[p]));
  }
}

/* The text in C: no two signs meet, brackets are closed; where it is one of ours as well, it has the same values. */
static void check_printed(const wisp_expr *expr, int bytes, const double values[WISP_EXPR_MANY])
{
  wisp_error err = {0};
  wisp_text text = {0};
  wisp_expr *back = NULL;
  double again[WISP_EXPR_MANY];
  int open = 0;
  if (passed(wisp_expr_print(&err, expr, bytes, NULL, NULL, &text), &err)) {
    hold(!strstr(text.data, "--") && !strstr(text.data, "++"));
    for (const char *c = text.data; *c; c++)
      open += (*c == '(') - (*c == ')'), hold(open >= 0 && !strchr(";{}#\\\"", *c));
    hold(open == 0);
    if (bytes == 8 && wisp_form_kappa(NULL, text.data, &back, NULL) == WISP_OK) {
      evaluate(back, again);
      for (int p = 0; p < POINTS; p++) hold(same(values[p], again[p]));
    }
  }
  wisp_expr_destroy(back);
  wisp_text_free(&text);
}

static void check_kappa(const wisp_expr *value, const wisp_expr *slope)
{
  double values[WISP_EXPR_MANY], slopes[WISP_EXPR_MANY];
  evaluate(value, values), evaluate(slope, slopes);
  check_printed(value, 8, values), check_printed(value, 4, values);
  check_printed(slope, 8, slopes);
}

static bool take_formula(const char *text, bool on_faces)
{
  wisp_error err = {0};
  wisp_formula *formula = NULL, *slope = NULL;
  static const double xyz[6] = {0.25, 0.25, 0, 0.75, 0.5, 0};
  double values[2];
  if (!passed(wisp_formula_create(&err, "fuzz", text, the_mesh(), on_faces, &formula), &err)) return false;
  wisp_formula_at(formula, 2, xyz, 7, 1, values);
  for (int d = 0; d < 3; d++) {
    if (passed(wisp_formula_slope(&err, formula, d, &slope), &err)) wisp_formula_at(slope, 2, xyz, 9, 2, values);
    wisp_formula_destroy(slope);
    slope = NULL;
  }
  wisp_formula_destroy(formula);
  return true;
}

static wisp_env *the_names(void)
{
  static wisp_env *env; /* for as long as the process lives */
  if (env) return env;
  hold(wisp_env_create(NULL, NULL, &env) == WISP_OK);
  const struct {
    const char *name;
    int64_t value;
  } ints[] = {{"N", 3}, {"Np", 20}, {"n", 6}, {"zero", 0}, {"most", INT64_MAX}, {"least", INT64_MIN}};
  for (size_t i = 0; i < sizeof ints / sizeof *ints; i++)
    hold(wisp_env_int(NULL, env, ints[i].name, ints[i].value) == WISP_OK);
  hold(wisp_env_ints(NULL, env, "table", (const int[]){3, -1, 2}, 3) == WISP_OK);
  hold(wisp_env_text(NULL, env, "word", "slab") == WISP_OK);
  return env;
}

bool fuzz_take_expression(fuzz_world *world, const char *data, size_t size)
{
  wisp_error err = {0};
  wisp_expr *value = NULL, *slope = NULL;
  int64_t integer = 0;
  (void)world, (void)size;
  bool taken = passed(wisp_form_kappa(&err, data, &value, &slope), &err);
  if (taken) check_kappa(value, slope);
  wisp_expr_destroy(value), wisp_expr_destroy(slope);
  for (int on_faces = 0; on_faces < 2; on_faces++) taken |= take_formula(data, on_faces);
  return passed(wisp_eval_int(&err, data, the_names(), &integer), &err) || taken;
}

/* ---- Forms. */

bool fuzz_take_form(fuzz_world *world, const char *data, size_t size)
{
  wisp_error err = {0};
  wisp_form *form = NULL;
  double values[WISP_EXPR_MANY];
  (void)world, (void)size;
  if (!passed(wisp_form_parse(&err, "fuzz.form", "fuzz", data, &form), &err)) return false;
  hold((form->at_node != NULL) == (form->kappa == WISP_BY_NODES) && (*form->text != '\0') == (form->at_node != NULL));
  if (form->at_node) {
    evaluate(form->at_node, values);
    check_printed(form->at_node, 8, values), check_printed(form->at_node, 4, values);
  }
  wisp_form_destroy(form);
  return true;
}

/* ---- Names. */

/* A plan's contract, made once: its arguments and the counts of its launches. */
static const wisp_contract *the_contract(void)
{
  static wisp_contract *contract; /* for as long as the process lives, with what follows */
  static wisp_strategy *strategy;
  static wisp_plan *plan;
  static wisp_env *names;
  wisp_layout layouts[8];
  wisp_limits limits;
  if (contract) return contract;
  wisp_spec spec = wisp_family_spec(wisp_family_find("nodal"), 1, NULL, WISP_F64);
  wisp_spec_name_kernel(&spec, "volume");
  static const char space[] = "kernel volume\nlayouts node slab\nblock 32\ngrid groups\narg in real u\n"
                              "arg out real rhs\narg in real geo\narg value int groups\n";
  hold(wisp_family_layouts(&spec, layouts) > 0 && wisp_target_limits(NULL, "host", &limits) == WISP_OK);
  const wisp_target target = wisp_limits_target(&limits);
  hold(wisp_names_create(NULL, &spec, &layouts[0], &target, NULL, &names) == WISP_OK);
  hold(parse_strategy(NULL, "nodal", "fuzz", (wisp_file_text){"fuzz.space", space}, (wisp_file_text){"fuzz.k", "x"},
                      &strategy) == WISP_OK);
  hold(wisp_plan_default(NULL, strategy, &spec, &layouts[0], names, &plan) == WISP_OK);
  hold(wisp_contract_create(NULL, plan, &contract) == WISP_OK);
  return contract;
}

/* A spec and a layout that are taken print as they were. */
static bool take_spec(const char *text)
{
  wisp_error err = {0};
  wisp_spec spec;
  wisp_layout layout;
  char printed[WISP_SPEC_TEXT], name[WISP_LAYOUT_TEXT];
  const bool is_spec = passed(wisp_spec_parse(&err, text, &spec), &err);
  if (is_spec) wisp_spec_print(&spec, printed), hold(strcmp(printed, text) == 0);
  if (is_spec) (void)passed(wisp_family_check(&err, &spec), &err);
  const bool is_layout = passed(wisp_layout_parse(&err, text, 20, 40, &layout), &err);
  if (is_layout) wisp_layout_print(&layout, name), hold(strcmp(name, text) == 0);
  return is_spec || is_layout;
}

static bool take_groups(const char *text)
{
  wisp_error err = {0};
  wisp_group_list list = {0};
  int32_t *numbers = NULL;
  size_t count = 0;
  const bool is_list = passed(wisp_group_list_read(&err, text, true, &list), &err);
  wisp_group_list_free(&list);
  const bool found = passed(wisp_groups_find_all(&err, &the_mesh()->groups, 1, text, &numbers, &count), &err);
  hold(!found || count > 0);
  free(numbers);
  return is_list && found;
}

/* An argument's name, a count's, a target's; and words of a command. */
static bool take_word(const char *text)
{
  const wisp_contract *contract = the_contract();
  const wisp_count counts[] = {{text, 1}, {"elements", 3}, {NULL, 0}};
  wisp_error err = {0};
  wisp_limits limits;
  wisp_env *env = NULL;
  char copy[256], *rest = copy;
  bool closed = true;
  int i = 0;
  bool taken = passed(wisp_contract_find(&err, contract, text, &i), &err);
  if (passed(wisp_contract_check(&err, contract, counts), &err))
    taken |= passed(wisp_contract_counts(&err, contract, counts, &env), &err);
  wisp_env_destroy(env);
  taken |= passed(wisp_target_limits(&err, text, &limits), &err);
  snprintf(copy, sizeof copy, "%s", text);
  while (wisp_command_word(&rest, &closed)) {}
  return taken;
}

/* "NAME=VALUE" as a setting of each problem, all lines of a text together. */
static bool take_settings(const char *problem, char *const *line, size_t lines)
{
  const wisp_solver_kind *kind = wisp_solver_kind_of(problem);
  wisp_error err = {0};
  wisp_solver *solver = NULL;
  bool taken = false;
  hold(wisp_solver_new(&err, kind, problem, &solver) == WISP_OK);
  solver->order = 2;
  for (size_t i = 0; i < lines; i++) {
    char name[64];
    const char *value = strchr(line[i], '=');
    if (!value || value - line[i] >= (long)sizeof name) continue;
    snprintf(name, sizeof name, "%.*s", (int)(value - line[i]), line[i]);
    taken |= passed(wisp_solver_take(&err, solver, name, value + 1), &err);
  }
  if (taken) (void)passed(wisp_solver_begin(&err, solver, NULL), &err);
  wisp_solver_discard(solver);
  return taken;
}

bool fuzz_take_names(fuzz_world *world, const char *data, size_t size)
{
  enum { MOST = 16 };
  static const char *const problems[] = {"maxwell", "acoustics", "poisson", "heat", "helmholtz"};
  char *copy = malloc(size + 1), *line[MOST];
  size_t lines = 0;
  bool taken = false;
  (void)world;
  hold(copy != NULL);
  memcpy(copy, data, size + 1);
  for (char *at = copy; at && lines < MOST; lines++) {
    char *end = strchr(at, '\n');
    if (end) *end = '\0';
    line[lines] = at;
    at = end ? end + 1 : NULL;
  }
  for (size_t i = 0; i < lines; i++) {
    taken |= take_spec(line[i]);
    taken |= take_groups(line[i]);
    taken |= take_word(line[i]);
  }
  for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) taken |= take_settings(problems[i], line, lines);
  (void)wisp_solver_kind_of(line[0]);
  free(copy);
  return taken;
}
