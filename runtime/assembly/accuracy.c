/* Errors of matrices that are assembled in single precision. The problem is paper 2's (laplace on triangles of order
 * 1, u = 200 and 10 on two sides, f = 0.1) on moved squares of its eight sizes (its Table VI). Errors of all entries
 * of A and F are measured, with vertices' coordinates and with edges that were subtracted in double (by_edges). Right
 * angles leave entries that nearly vanish, which rule the mean. So the same squares are also sheared to angles of some
 * 60 degrees, as a mesher's are, and measured with vertices' coordinates. */
#include "accuracy.h"
#include "assembly.h"
#include "../mesh/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The kernel chosen for `fill`; or, where that reads its mesh in one way only, `rows`, which reads both. */
static wisp_status choose_fill(wisp_error *err, const wisp_session *session, const wisp_choose_request *request,
                               wisp_stage *out)
{
  const wisp_chooser from = wisp_session_chooser(session);
  wisp_plan *plan = NULL;
  CALL(wisp_choose(err, &from, request, out));
  if (strstr(out->plan[0]->params, "by_edges=")) return WISP_OK;
  CALL(wisp_plan_default(err, wisp_strategies_find(from.strategies, "assembly", "fill", "rows"), &request->spec,
                         &out->layout, out->names, &plan));
  wisp_plan_destroy(out->plan[0]);
  out->plan[0] = plan;
  out->fixed = (wisp_fixed){0};
  wisp_fixed_add(&out->fixed, plan);
  return WISP_OK;
}

/* With vertices or edges. */
static wisp_status open_fill(wisp_error *err, const wisp_session *session, size_t elements, wisp_precision precision,
                             bool by_edges, wisp_stage *out)
{
  wisp_choose_request request = {.spec = wisp_family_spec(wisp_family_find("assembly"), 1, "laplace", precision),
                                 .elements = (long long)elements};
  char text[WISP_PARAMS_TEXT];
  wisp_plan *plan = NULL;
  wisp_spec_name_kernel(&request.spec, "fill");
  CALL(choose_fill(err, session, &request, out));
  snprintf(text, sizeof text, "%s", out->plan[0]->params);
  strstr(text, "by_edges=")[strlen("by_edges=")] = by_edges ? '1' : '0';
  CALL(wisp_plan_from_text(err, out->plan[0]->strategy, &request.spec, &out->layout, out->names, text, &plan));
  wisp_plan_destroy(out->plan[0]);
  out->plan[0] = plan;
  return wisp_stage_load(err, session->device, out);
}

/* Values, and F behind them, as one candidate leaves them; caller's memory. */
static wisp_status assemble(wisp_error *err, const wisp_session *session, const wisp_assembly *assembly,
                            wisp_precision precision, bool by_edges, const double *u, double *out)
{
  static const wisp_cg_capacity capacity = {.pAp_parts = 1};
  static const wisp_binding bindings[] = {
      {"kappa0", 0, 1}, {"kappa1", 0, 0}, {"kappa2", 0, 0}, {"density", 0, 0.1}, {"mass", 0, 0}};
  HELD(wisp_stage_free) wisp_stage stage = {0};
  OWNED(wisp_problem_destroy) wisp_problem *problem = NULL;
  wisp_discretisation d = {.family = NULL};
  CALL(open_fill(err, session, assembly->mesh->elements, precision, by_edges, &stage));
  CALL(wisp_assembly_discretise(err, assembly, "laplace", &stage.fixed, &capacity, &d));
  CALL(wisp_problem_open(err, session->device, &d, precision, WISP_NARROW_GUARD, wisp_stage_wants, &stage, &problem));
  CALL(wisp_arrays_upload(err, problem->arrays, "u", u));
  CALL(wisp_problem_run(err, problem, stage.kernel[0], bindings, WISP_COUNT(bindings)));
  CALL(wisp_arrays_download(err, problem->arrays, "values", out));
  return wisp_arrays_download(err, problem->arrays, "F", out + assembly->pattern->nonzeros);
}

/* Over all entries but those that are 0 in double. */
static void find_errors(const double *exact, double *single, size_t count, double *mean, double *median)
{
  size_t kept = 0;
  *mean = 0;
  for (size_t i = 0; i < count; i++)
    if (fabs(exact[i]) > 0) single[kept++] = fabs(single[i] - exact[i]) / fabs(exact[i]);
  for (size_t i = 0; i < kept; i++) *mean += single[i] / (double)kept;
  qsort(single, kept, sizeof *single, wisp_by_value);
  *median = single[kept / 2];
}

/* On squares with vertices and edges, or, sheared, with vertices alone. */
static wisp_status measure(wisp_error *err, const wisp_session *session, int squares, bool sheared, wisp_accuracy *row)
{
  enum { SHEARED = WISP_ACCURACY_VARIANTS - 1 };
  static const int32_t sides[] = {1, 2};
  static const wisp_fixing fixed = {.count = WISP_COUNT(sides), .tag = sides};
  const wisp_mesh_source source = {.box = {squares, squares}, .jitter = 0.2, .seed = 1};
  OWNED(wisp_mesh_destroy) wisp_mesh *mesh = NULL;
  OWNED(wisp_assembly_destroy) wisp_assembly *assembly = NULL;
  OWNED(free) double *numbers = NULL;
  CALL(wisp_mesh_make(err, 3, &source, &mesh));
  for (size_t v = 0; sheared && v < mesh->vertices; v++) { /* squares become pairs of equilateral triangles */
    double *at = mesh->xyz + 3 * v;
    at[0] -= at[1] / 2, at[1] *= sqrt(0.75);
  }
  CALL(wisp_assembly_create(err, "squares", mesh, 1, &fixed, &assembly));
  const size_t count = assembly->pattern->nonzeros + assembly->pattern->rows;
  CALL(wisp_new(err, 2 * count + assembly->nodes->nodes, sizeof *numbers, &numbers));
  double *exact = numbers, *single = numbers + count, *u = single + count;
  wisp_simplexnodes_set(assembly->nodes, mesh, 1, 200, u);
  wisp_simplexnodes_set(assembly->nodes, mesh, 2, 10, u);
  CALL(assemble(err, session, assembly, WISP_F64, true, u, exact));
  row->elements = mesh->elements, row->nodes = assembly->nodes->nodes;
  for (int variant = sheared ? SHEARED : 0; variant < (sheared ? WISP_ACCURACY_VARIANTS : SHEARED); variant++) {
    CALL(assemble(err, session, assembly, WISP_F32, variant == 1, u, single));
    find_errors(exact, single, count, &row->mean[variant], &row->median[variant]);
  }
  return WISP_OK;
}

wisp_status wisp_assembly_accuracy(wisp_error *err, const wisp_session *session, long long most, wisp_accuracy_row take,
                                   void *context)
{
  static const struct {
    int squares;
    double published;
  } sizes[] = {{13, 1.6e-7},  {25, 3.0e-7},  {49, 6.2e-7},  {98, 1.2e-6},
               {194, 2.6e-6}, {386, 5.2e-6}, {774, 1.1e-5}, {1549, 2.1e-5}};
  for (size_t i = 0; i < WISP_COUNT(sizes); i++) {
    wisp_accuracy row = {.variant = {"vertices", "edges", "vertices, sheared"}, .published = sizes[i].published};
    if (most && 2LL * sizes[i].squares * sizes[i].squares > most) break;
    CALL(measure(err, session, sizes[i].squares, false, &row));
    CALL(measure(err, session, sizes[i].squares, true, &row));
    CALL(take(err, context, &row));
  }
  return WISP_OK;
}
