/* What single precision loses where matrices are assembled: errors [DEVICE]
 *
 * Paper 2's problem (laplace on triangles of order 1, u = 200 and 10 on two sides, f = 0.1) on moved squares of its
 * eight sizes (its Table VI): errors of all entries of A and F in single precision, relative to double, their mean and
 * median; with vertices' coordinates, and with edges that were subtracted in double (by_edges).
 */
#include "../../runtime/assembly/assembly.h"
#include "../../runtime/door/door.h"
#include "../../runtime/mesh/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char params[] = "by_edges=%d lanes=64 room=1024 team=1"; /* of fill.rows */

/* A wisp_array_filter: what it reads and writes. */
static bool is_wanted(const void *family, const char *array)
{
  const wisp_kernel_decl *fill = wisp_family_kernel(family, "fill");
  return wisp_list_has("values F", array) ||
         (wisp_list_has(fill->reads, array) && !wisp_list_has("source_start sources", array));
}

/* Values, and F behind them, as one candidate leaves them; caller's memory. */
static wisp_status assemble(wisp_error *err, wisp_session *session, const wisp_assembly *assembly,
                            wisp_precision precision, bool by_edges, const double *u, double *out)
{
  static const wisp_assembly_room room = {.pAp_parts = 1};
  static const wisp_binding bindings[] = {
      {"kappa0", 0, 1}, {"kappa1", 0, 0}, {"kappa2", 0, 0}, {"density", 0, 0.1}, {"mass", 0, 0}};
  const wisp_family *family = wisp_family_find("assembly");
  const wisp_target target = wisp_limits_target(wisp_device_limits(session->device));
  OWNED(wisp_env_destroy) wisp_env *names = NULL;
  OWNED(wisp_plan_destroy) wisp_plan *plan = NULL;
  OWNED(wisp_kernel_destroy) wisp_kernel *kernel = NULL;
  OWNED(wisp_problem_destroy) wisp_problem *problem = NULL;
  HELD(wisp_binary_free) wisp_binary binary = {0};
  wisp_spec spec = wisp_family_spec(family, 1, "laplace", precision);
  wisp_layout none[8];
  wisp_discretisation d = {.family = NULL};
  char text[sizeof params + 8];
  wisp_spec_name_kernel(&spec, "fill");
  snprintf(text, sizeof text, params, by_edges);
  wisp_family_layouts(&spec, none);
  CALL(family->names(err, &spec, none, &target, &names));
  CALL(wisp_plan_from_text(err, wisp_strategies_find(session->strategies, "assembly", "fill", "rows"), &spec, none,
                           names, text, &plan));
  CALL(wisp_plan_compile(err, plan, wisp_device_limits(session->device)->target, &binary));
  CALL(wisp_kernel_create(err, session->device, plan, &binary, &kernel));
  CALL(wisp_assembly_discretise(err, assembly, "laplace", &(wisp_fixed){.made = true}, &room, &d));
  CALL(wisp_problem_open(err, session->device, &d, precision, WISP_NARROW_GUARD, is_wanted, family, &problem));
  CALL(wisp_arrays_upload(err, problem->arrays, "u", u));
  CALL(wisp_problem_run(err, problem, kernel, bindings, WISP_COUNT(bindings)));
  CALL(wisp_arrays_download(err, problem->arrays, "values", out));
  return wisp_arrays_download(err, problem->arrays, "F", out + assembly->pattern->nonzeros);
}

static int by_size(const void *left, const void *right)
{
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* Over all entries but those that are 0 in double. */
static void print_errors(const double *exact, double *single, size_t count)
{
  double sum = 0;
  size_t kept = 0;
  for (size_t i = 0; i < count; i++)
    if (fabs(exact[i]) > 0) single[kept++] = fabs(single[i] - exact[i]) / fabs(exact[i]);
  for (size_t i = 0; i < kept; i++) sum += single[i];
  qsort(single, kept, sizeof *single, by_size);
  printf(" %.1e, %.1e |", sum / (double)kept, single[kept / 2]);
}

static wisp_status print_row(wisp_error *err, wisp_session *session, int squares, double paper)
{
  static const int32_t sides[] = {1, 2};
  static const wisp_fixing fixed = {.count = WISP_COUNT(sides), .tag = sides};
  const wisp_mesh_source source = {.box = {squares, squares}, .jitter = 0.2, .seed = 1};
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  OWNED(wisp_assembly_destroy) wisp_assembly *assembly = NULL;
  OWNED(free) double *numbers = NULL;
  CALL(wisp_mesh_make(err, 3, &source, &mesh));
  CALL(wisp_assembly_create(err, "squares", mesh, 1, &fixed, &assembly));
  const size_t count = assembly->pattern->nonzeros + assembly->pattern->rows;
  CALL(wisp_new(err, 2 * count + assembly->nodes->nodes, sizeof *numbers, &numbers));
  double *exact = numbers, *single = numbers + count, *u = single + count;
  wisp_simplexnodes_set(assembly->nodes, mesh, 1, 200, u);
  wisp_simplexnodes_set(assembly->nodes, mesh, 2, 10, u);
  CALL(assemble(err, session, assembly, WISP_F64, true, u, exact));
  printf("| %zu |", assembly->nodes->nodes);
  for (int by_edges = 0; by_edges < 2; by_edges++) {
    CALL(assemble(err, session, assembly, WISP_F32, by_edges, u, single));
    print_errors(exact, single, count);
  }
  printf(" %.1e |\n", paper);
  fflush(stdout);
  return WISP_OK;
}

static wisp_status print_table(wisp_error *err, const char *device)
{
  static const struct {
    int squares;
    double paper; /* mean */
  } rows[] = {{13, 1.6e-7},  {25, 3.0e-7},  {49, 6.2e-7},  {98, 1.2e-6},
              {194, 2.6e-6}, {386, 5.2e-6}, {774, 1.1e-5}, {1549, 2.1e-5}};
  OWNED(wisp_session_close) wisp_session *session = NULL;
  CALL(wisp_session_open(err, &(wisp_session_request){.device = device}, &session));
  printf("| nodes | vertices: mean, median | edges: mean, median | paper: mean |\n|---|---|---|---|\n");
  for (size_t i = 0; i < WISP_COUNT(rows); i++) CALL(print_row(err, session, rows[i].squares, rows[i].paper));
  return WISP_OK;
}

int main(int argc, char **argv)
{
  wisp_error err = {.text = ""};
  if (print_table(&err, argc > 1 ? argv[1] : "auto") == WISP_OK) return 0;
  fprintf(stderr, "errors: %s\n", err.text);
  return 1;
}
