#include "helmholtz_solver.h"
#include "aggregation.h"
#include "../../gen/random.h"
#include "../process.h"
#include "../solve/cg.h"

#include <stdlib.h>

enum { HISTORY = 1024 };

struct wisp_helmholtz_solver {
  wisp_device *device;
  const wisp_helmholtz_problem *data;
  wisp_stage *stage; /* of each part */
  wisp_helmholtz_method method;
  const wisp_hdg_coarse *coarse; /* NULL: one level */
  wisp_problem *problem;
  wisp_launches work[WISP_HELMHOLTZ_PARTS]; /* of an iteration: invert, and the coarse problem's numbers */
  wisp_graph *graph[WISP_HELMHOLTZ_PARTS];  /* of these */
  size_t batch;                             /* of elements in the set-up */
  bool is_fresh;                            /* the preconditioner is the matrix's */
  wisp_cg *cg;
  wisp_scaler *scaler; /* NULL: the frame's unit of length is the mesh's own */
};

#define BY_ROWS "invert+apply+tensor.advance+tensor.update"
#define BY_ROWS_BLOCKS "invert+apply+precondition+tensor.update"
#define SYMMETRIC                                         \
  "invert+multiply+collect+tensor.advance+tensor.update|" \
  "invert+multiply_grouped+collect_grouped+tensor.advance+tensor.update"
#define SYMMETRIC_BLOCKS                                \
  "invert+multiply+collect+precondition+tensor.update|" \
  "invert+multiply_grouped+collect_grouped+precondition+tensor.update"
#define TWO_LEVELS(narrow, applied, cycles) \
  WISP_HELMHOLTZ_NUMBERS "+" narrow applied "+precondition+smooth+residual+restrict+" cycles "+prolong+tensor.update"
#define LEVELS(applied) TWO_LEVELS("", applied, "cycle+cycles")
#define NARROW_LEVELS(applied) TWO_LEVELS("narrow+", applied, "narrow_cycle+narrow_cycles")
#define OR "|"

const char *wisp_helmholtz_composition(wisp_helmholtz_part part, const wisp_helmholtz_method *method,
                                       const wisp_stage *setup)
{
  static const char *const iterations[4][4] = {
      {BY_ROWS OR SYMMETRIC, BY_ROWS_BLOCKS OR SYMMETRIC_BLOCKS, LEVELS("apply") OR LEVELS("multiply+collect"),
       NARROW_LEVELS("apply") OR NARROW_LEVELS("multiply+collect")},
      {BY_ROWS, BY_ROWS_BLOCKS, LEVELS("apply"), NARROW_LEVELS("apply")},
      {SYMMETRIC, SYMMETRIC_BLOCKS, LEVELS("multiply+collect"), NARROW_LEVELS("multiply+collect")},
      {"invert+multiply_unstored+collect+tensor.advance+tensor.update",
       "invert+multiply_unstored+collect+precondition+tensor.update", NULL, NULL}};
  const wisp_trace_preconditioner how = method->preconditioner;
  const bool narrow = method->narrow && method->precision == WISP_F64;
  wisp_trace_matrix matrix = method->matrix;
  if (part == WISP_HELMHOLTZ_SETUP && method->setup) return method->setup;
  if (part == WISP_HELMHOLTZ_SETUP)
    return matrix == WISP_TRACE_SYMMETRIC ? "condense+assemble" : NULL; /* it leaves them */
  if (part == WISP_HELMHOLTZ_FIELDS) return WISP_HELMHOLTZ_RECOVERY;
  if (part == WISP_HELMHOLTZ_NEXT_RHS) return "recover+outflow";
  if (matrix == WISP_TRACE_EITHER && setup && !wisp_stage_has(setup, "element_data")) matrix = WISP_TRACE_ROWS;
  return iterations[matrix][how == WISP_TRACE_LEVELS ? 2 + narrow : how == WISP_TRACE_BLOCKS];
}

/* A set-up serves tens of products: how its matrices lie is what the iteration's winners, chosen as if any set-up
 * would do, ask for. What runs untuned asks for nothing: it follows the set-up. */
static wisp_status resolve_by_iteration(wisp_error *err, const wisp_chooser *from, const wisp_choose_request *request,
                                        const wisp_helmholtz_method *method, wisp_fixed *out)
{
  HELD(wisp_stage_free) wisp_stage iteration = {.kernels = 0};
  wisp_choose_request wanted = *request;
  wanted.composition = wisp_helmholtz_composition(WISP_HELMHOLTZ_ITERATION, method, NULL);
  CALL(wisp_choose(err, from, &wanted, &iteration));
  *out = (wisp_fixed){.count = 0};
  for (int i = 0; i < iteration.kernels; i++)
    if (iteration.choice[i].trial) wisp_fixed_add(out, iteration.plan[i]);
  return WISP_OK;
}

wisp_status wisp_helmholtz_choose(wisp_error *err, const wisp_chooser *from, const wisp_choose_request *request,
                                  int parts, wisp_helmholtz_method *method, wisp_stage stage[WISP_HELMHOLTZ_PARTS])
{
  const wisp_stage *setup = &stage[WISP_HELMHOLTZ_SETUP];
  wisp_fixed asked;
  wisp_helmholtz_resolve_matrix(from->limits, request->spec.order, (double)request->elements, method);
  CALL(resolve_by_iteration(err, from, request, method, &asked));
  for (int part = 0; part < parts; part++) {
    wisp_choose_request wanted = *request;
    wanted.preset = part == WISP_HELMHOLTZ_SETUP ? &asked : &setup->fixed;
    wanted.composition = wisp_helmholtz_composition((wisp_helmholtz_part)part, method, setup);
    CALL(wisp_choose(err, from, &wanted, &stage[part]));
  }
  return WISP_OK;
}

/* --- making it --- */

static bool is_wanted(const void *solver, const char *array)
{
  const wisp_helmholtz_solver *s = solver;
  for (int i = 0; i < WISP_HELMHOLTZ_PARTS; i++)
    if (wisp_stage_has(&s->stage[i], array)) return true;
  return false;
}

/* Kernels that leave parts of sums: p . Ap, r . r and, the last of them, r . z. */
typedef struct summers {
  const wisp_kernel *pAp, *rr, *rz;
} summers;

static summers find_summers(const wisp_helmholtz_solver *s)
{
  const wisp_stage *iteration = &s->stage[WISP_HELMHOLTZ_ITERATION];
  const bool prolonged = s->coarse && s->coarse->vertices && s->method.smoothing == 1;
  summers out = {wisp_stage_kernel(iteration, "apply"), wisp_stage_kernel(iteration, "precondition"),
                 wisp_stage_kernel(iteration, prolonged ? "prolong" : "smooth")};
  if (!out.pAp) out.pAp = wisp_stage_kernel(iteration, "collect");
  if (!out.pAp) out.pAp = wisp_stage_kernel(iteration, "collect_grouped");
  if (!out.rr) out.rr = wisp_stage_kernel(iteration, "advance");
  if (!out.rz) out.rz = out.rr;
  return out;
}

static wisp_status upload_data(wisp_error *err, const wisp_helmholtz_solver *s)
{
  const wisp_helmholtz_problem *h = s->data;
  wisp_arrays *arrays = s->problem->arrays;
  CALL(wisp_arrays_upload(err, arrays, "tau", h->tau));
  CALL(wisp_arrays_upload(err, arrays, "kappa", h->kappa));
  CALL(wisp_arrays_upload(err, arrays, "lambda", h->lambda));
  CALL(wisp_arrays_upload(err, arrays, "load", h->load));
  return wisp_arrays_upload(err, arrays, "given", h->given);
}

static wisp_status make_arrays(wisp_error *err, wisp_helmholtz_solver *s)
{
  const wisp_helmholtz_problem *h = s->data;
  const summers by = find_summers(s);
  const int rz = wisp_kernel_blocks(by.rz), rr = wisp_kernel_blocks(by.rr);
  const wisp_hdg_capacity capacity = {.rz_parts = (size_t)(rz > rr ? rz : rr),
                                      .pAp_parts = (size_t)wisp_kernel_blocks(by.pAp),
                                      .iterations = HISTORY,
                                      .batch = s->batch,
                                      .aos = wisp_fixed_value(&s->stage[WISP_HELMHOLTZ_SETUP].fixed, "aos", 0)};
  wisp_discretisation d = wisp_hdg_discretisation(h->hdg, &capacity);
  CALL(wisp_problem_open(err, s->device, &d, s->method.precision, WISP_NARROW_GUARD, is_wanted, s, &s->problem));
  return upload_data(err, s);
}

/* --- the lists of an iteration --- */

static wisp_status add(wisp_error *err, const wisp_helmholtz_solver *s, const char *kernel,
                       const wisp_binding *bindings, size_t count, wisp_launches *to)
{
  const wisp_kernel *found = wisp_stage_kernel(&s->stage[WISP_HELMHOLTZ_ITERATION], kernel);
  return found ? wisp_launches_add(err, to, found, bindings, count) : WISP_OK;
}

/* The edges' own blocks times K have eigenvalues up to 3; a coarse space of lines leaves those above a sixth of it. */
enum { SPREAD = 6 };
static const double largest = 3;

/* A smoothing on its way: the two arrays that its last step is in by turns, and whether z is that step and no more. */
typedef struct steps {
  wisp_pointer d[2];
  int now;
  bool first;
} steps;

/* Chebyshev's iteration for K z = r (Saad 2003, Algorithm 12.1), `count` steps, the first of which is taken by
 * precondition, or by prolong where z is not 0. last: r . z is asked for behind them. */
static wisp_status add_smoothing(wisp_error *err, const wisp_helmholtz_solver *s, int count, bool from_zero, bool last,
                                 steps *at, wisp_launches *to)
{
  const double middle = largest * (1 + 1.0 / SPREAD) / 2, radius = largest * (1 - 1.0 / SPREAD) / 2;
  double rho = radius / middle;
  for (int step = 0; step < count; step++) {
    const double next = 1 / (2 * middle / radius - rho);
    const wisp_binding bindings[] = {
        {"d", at->d[at->now], 0},           {"d_next", at->d[!at->now], 0},
        {"keep", 0, step ? next * rho : 0}, {"gain", 0, step ? 2 * next / radius : 1 / middle},
        {"first_step", 0, at->first},       {"summed", 0, last && step + 1 == count}};
    if (step) rho = next, at->now = !at->now;
    if (step == 0 && from_zero) continue;
    CALL(add(err, s, step ? "smooth" : "prolong", bindings, WISP_COUNT(bindings), to));
    at->first = false;
  }
  return WISP_OK;
}

/* Adds the launches behind precondition. */
static wisp_status add_levels(wisp_error *err, const wisp_helmholtz_solver *s, wisp_launches *to)
{
  const wisp_arrays *arrays = s->problem->arrays;
  const int count = s->method.smoothing;
  steps at = {{wisp_arrays_at(arrays, "d"), wisp_arrays_at(arrays, "d_next")}, 0, true};
  if (!s->coarse->vertices) return add_smoothing(err, s, 2 * count, true, true, &at, to);
  CALL(add_smoothing(err, s, count, true, false, &at, to));
  const wisp_binding left[] = {{"d", at.d[at.now], 0}, {"first_step", 0, at.first}};
  CALL(add(err, s, "residual", left, WISP_COUNT(left), to));
  CALL(add(err, s, "restrict", NULL, 0, to));
  CALL(wisp_cycle_add_spans(err, s->coarse->cycle, &s->stage[WISP_HELMHOLTZ_ITERATION], NULL, to));
  return add_smoothing(err, s, count, false, true, &at, to);
}

static wisp_status make_cg(wisp_error *err, wisp_helmholtz_solver *s)
{
  const summers by = find_summers(s);
  const bool levels = s->method.preconditioner == WISP_TRACE_LEVELS;
  const wisp_binding bindings[] = {{"scale", 0, 1},
                                   {"gain", 0, levels ? 2 / (largest * (1 + 1.0 / SPREAD)) : 1},
                                   {"smoothed", 0, levels},
                                   {"polynomial", 0, levels || s->method.preconditioner == WISP_TRACE_BLOCKS},
                                   {"rz_parts", 0, wisp_kernel_blocks(by.rz)},
                                   {"rr_parts", 0, wisp_kernel_blocks(by.rr)},
                                   {"pAp_parts", 0, wisp_kernel_blocks(by.pAp)}};
  static const char *const applies[] = {"apply",   "multiply",       "multiply_unstored", "multiply_grouped",
                                        "collect", "collect_grouped"};
  HELD(wisp_cg_system_free)
  wisp_cg_system system = {.device = s->device,
                           .problem = s->problem,
                           .unknowns = s->data->hdg->free_edges * (size_t)s->data->hdg->tables->n,
                           .b = "b"};
  for (size_t i = 0; i < WISP_COUNT(applies); i++)
    CALL(add(err, s, applies[i], bindings, WISP_COUNT(bindings), &system.apply));
  CALL(wisp_launches_add(err, &system.precondition, by.rr, bindings, WISP_COUNT(bindings)));
  if (levels) CALL(add_levels(err, s, &system.precondition));
  CALL(add(err, s, "update", bindings, WISP_COUNT(bindings), &system.update));
  CALL(wisp_cg_create(err, &system, &s->cg));
  return wisp_cg_record(err, s->cg);
}

/* --- the preconditioner's numbers --- */

/* All that follows from the matrix. */
static wisp_status list_numbers(wisp_error *err, wisp_helmholtz_solver *s, wisp_launches *to)
{
  CALL(add(err, s, "invert", NULL, 0, to));
  if (!s->coarse || !s->coarse->vertices) return WISP_OK;
  const wisp_cycle *c = s->coarse->cycle;
  const wisp_binding rows[] = {{"out_first", 0, (double)c->A.first}, {"coarse_rows", 0, (double)c->A.rows}};
  CALL(wisp_cycle_upload_aggregates(err, c, s->problem->arrays));
  CALL(add(err, s, "coarsen", NULL, 0, to));
  CALL(add(err, s, "galerkin", rows, WISP_COUNT(rows), to));
  return wisp_cycle_add_numbers(err, c, &s->stage[WISP_HELMHOLTZ_ITERATION], NULL, to);
}

/* Records launches as graphs: one before the iterations, one between the set-up and these, one behind them. */
static wisp_status record(wisp_error *err, wisp_helmholtz_solver *s, wisp_helmholtz_part part)
{
  wisp_error later = {.text = ""};
  const wisp_stage *stage = &s->stage[part];
  if (!stage->kernels) return WISP_OK;
  if (part == WISP_HELMHOLTZ_ITERATION)
    CALL(list_numbers(err, s, &s->work[part]));
  else if (part == WISP_HELMHOLTZ_SETUP)
    CALL(wisp_helmholtz_list_setup(err, stage, s->problem, s->data->hdg->mesh->elements, s->batch, &s->work[part]));
  else
    for (int k = 0; k < stage->kernels; k++) CALL(wisp_launches_add(err, &s->work[part], stage->kernel[k], NULL, 0));
  CALL(wisp_graph_begin(err, s->device));
  const wisp_status status = wisp_launches_run(err, &s->work[part], s->problem);
  const wisp_status ended = wisp_graph_end(&later, s->device, &s->graph[part]);
  CALL(status);
  return ended == WISP_OK ? WISP_OK : wisp_fail(err, ended, "%s", later.text);
}

wisp_status wisp_helmholtz_solver_create(wisp_error *err, wisp_device *device, const wisp_helmholtz_problem *problem,
                                         wisp_stage stage[WISP_HELMHOLTZ_PARTS], const wisp_helmholtz_method *method,
                                         wisp_helmholtz_solver **out)
{
  OWNED(wisp_helmholtz_solver_destroy) wisp_helmholtz_solver *s = NULL;
  CALL(wisp_require(
      err, method->preconditioner != WISP_TRACE_LEVELS || method->matrix != WISP_TRACE_UNSTORED, WISP_EUSAGE,
      "two levels smooth by rows of blocks: the matrix cannot be applied unstored: store it, or take edge-blocks"));
  CALL(wisp_helmholtz_check_memory(err, wisp_device_limits(device), method, problem->hdg->tables->N,
                                   (double)problem->hdg->mesh->elements, (double)problem->hdg->edges));
  CALL(wisp_require(err, method->matrix != WISP_TRACE_SYMMETRIC || wisp_stage_has(&stage[0], "element_data"),
                    WISP_EUSAGE,
                    "the matrix by halves is of the elements' matrices, which the set-up '%s' does not leave: take "
                    "another set-up, or the whole matrix",
                    stage[0].composition));
  CALL(wisp_new(err, 1, sizeof *s, &s));
  *s = (wisp_helmholtz_solver){.device = device, .data = problem, .stage = stage, .method = *method};
  s->batch = wisp_helmholtz_batch(method, wisp_device_limits(device), problem->hdg->tables->N,
                                  problem->hdg->mesh->elements, problem->hdg->edges);
  for (int i = 0; i < WISP_HELMHOLTZ_PARTS; i++)
    if (stage[i].kernels) CALL(wisp_stage_load(err, device, &stage[i]));
  if (method->preconditioner == WISP_TRACE_LEVELS) CALL(wisp_hdg_coarsen(err, problem->hdg, WISP_CYCLE_DIRECT));
  s->coarse = problem->hdg->coarse;
  CALL(make_arrays(err, s));
  for (int i = 0; i < WISP_HELMHOLTZ_PARTS; i++) CALL(record(err, s, (wisp_helmholtz_part)i));
  CALL(make_cg(err, s));
  if (problem->hdg->frame.length != 1) CALL(wisp_scaler_create(err, device, method->precision, &s->scaler));
  return GIVE(s, out);
}

void wisp_helmholtz_solver_destroy(wisp_helmholtz_solver *s)
{
  if (!s) return;
  wisp_cg_destroy(s->cg);
  wisp_scaler_destroy(s->scaler);
  for (int i = 0; i < WISP_HELMHOLTZ_PARTS; i++) {
    wisp_graph_destroy(s->graph[i]);
    wisp_launches_free(&s->work[i]);
  }
  wisp_problem_destroy(s->problem);
  free(s);
}

/* --- a solve --- */

/* Replays a graph and measures its seconds. */
static wisp_status replay(wisp_error *err, wisp_helmholtz_solver *s, wisp_graph *graph, double *seconds)
{
  CALL(wisp_device_finish(err, s->device));
  const double begin = wisp_seconds();
  CALL(wisp_graph_replay(err, graph));
  CALL(wisp_device_finish(err, s->device));
  *seconds = wisp_seconds() - begin;
  return WISP_OK;
}

/* Arrays by the part that needs them first. */
static void count_bytes(const wisp_helmholtz_solver *s, wisp_helmholtz_outcome *out)
{
  out->bytes = wisp_arrays_bytes(s->problem->arrays);
  for (const wisp_array_decl *a = s->problem->d.family->arrays; a->name; a++)
    for (int part = 0; part < WISP_HELMHOLTZ_PARTS; part++) {
      if (!wisp_stage_has(&s->stage[part], a->name)) continue;
      out->part_bytes[part] += wisp_arrays_bytes_of(s->problem->arrays, a->name);
      break;
    }
}

/* All iterations, and what follows from the trace. */
static wisp_status iterate(wisp_error *err, wisp_helmholtz_solver *s, const wisp_cg_watch *watch,
                           wisp_helmholtz_outcome *out)
{
  const double begin = wisp_seconds();
  CALL(wisp_cg_solve(err, s->cg, NULL, s->method.tolerance, s->method.iterations, watch, &out->cg));
  out->seconds[WISP_HELMHOLTZ_ITERATION] = wisp_seconds() - begin;
  CALL(replay(err, s, s->graph[WISP_HELMHOLTZ_FIELDS], &out->seconds[WISP_HELMHOLTZ_FIELDS]));
  CALL(wisp_helmholtz_residual(err, s->data, s->problem->arrays, s->method.precision, &out->residual));
  const wisp_pointer flux = wisp_arrays_at(s->problem->arrays, "flux"); /* to the mesh's units, as other fields are */
  const size_t count = wisp_arrays_size(s->problem->arrays, "flux");
  return s->scaler ? wisp_scale(err, s->scaler, flux, flux, 1 / s->data->hdg->frame.length, count, NULL) : WISP_OK;
}

wisp_status wisp_helmholtz_solver_prepare(wisp_error *err, wisp_helmholtz_solver *s, wisp_helmholtz_outcome *out)
{
  *out = (wisp_helmholtz_outcome){.bytes = 0};
  count_bytes(s, out);
  CALL(replay(err, s, s->graph[WISP_HELMHOLTZ_SETUP], &out->seconds[WISP_HELMHOLTZ_SETUP]));
  if (s->is_fresh) return WISP_OK;
  CALL(replay(err, s, s->graph[WISP_HELMHOLTZ_ITERATION], &out->seconds_numbers));
  if (s->method.preconditioner == WISP_TRACE_NONE)
    CALL(wisp_arrays_repeat(err, s->problem->arrays, "inverse", 1, &(double){1}));
  s->is_fresh = true;
  return WISP_OK;
}

wisp_status wisp_helmholtz_solver_run(wisp_error *err, wisp_helmholtz_solver *s, const wisp_cg_watch *watch,
                                      wisp_helmholtz_outcome *out)
{
  CALL(wisp_helmholtz_solver_prepare(err, s, out));
  return iterate(err, s, watch, out);
}

wisp_status wisp_helmholtz_solver_next_rhs(wisp_error *err, wisp_helmholtz_solver *s, wisp_helmholtz_outcome *out)
{
  const int part = WISP_HELMHOLTZ_NEXT_RHS;
  *out = (wisp_helmholtz_outcome){.bytes = 0};
  count_bytes(s, out);
  CALL(wisp_require(err, s->graph[part], WISP_EUSAGE, "the solver was made for one right-hand side"));
  CALL(wisp_arrays_fill(err, s->problem->arrays, "solution", 0));
  CALL(replay(err, s, s->graph[part], &out->seconds[part]));
  return iterate(err, s, NULL, out);
}

static wisp_status rehearse(wisp_error *err, wisp_helmholtz_solver *s)
{
  double values[4093]; /* a prime number of them */
  uint64_t random = WISP_RANDOM_SEED;
  for (size_t i = 0; i < WISP_COUNT(values); i++) values[i] = wisp_random_real(&random);
  CALL(wisp_arrays_repeat(err, s->problem->arrays, "load", WISP_COUNT(values), values));
  CALL(wisp_arrays_repeat(err, s->problem->arrays, "given", WISP_COUNT(values), values));
  for (int part = 0; part < WISP_HELMHOLTZ_PARTS; part++) {
    CALL(wisp_launches_run(err, &s->work[part], s->problem));
    if (part == WISP_HELMHOLTZ_ITERATION) CALL(wisp_cg_rehearse(err, s->cg, WISP_REHEARSED_ITERATIONS));
  }
  return WISP_OK;
}

wisp_status wisp_helmholtz_rehearse(wisp_error *err, wisp_helmholtz_solver *s, const wisp_launch_watch *watch)
{
  s->problem->watch = watch;
  const wisp_status status = rehearse(err, s);
  s->problem->watch = NULL;
  s->is_fresh = false;
  CALL(status);
  return upload_data(err, s);
}

wisp_status wisp_helmholtz_solver_time(wisp_error *err, wisp_helmholtz_solver *s, wisp_helmholtz_part part,
                                       const char *name, double *seconds)
{
  const wisp_kernel *kernel = wisp_stage_kernel(&s->stage[part], name);
  CALL(wisp_require(err, kernel, WISP_EUSAGE, "the stage has no kernel %s", name));
  CALL(wisp_device_finish(err, s->device));
  const double begin = wisp_seconds();
  CALL(wisp_problem_run(err, s->problem, kernel, NULL, 0));
  CALL(wisp_device_finish(err, s->device));
  *seconds = wisp_seconds() - begin;
  return WISP_OK;
}

wisp_status wisp_helmholtz_solver_time_copy(wisp_error *err, wisp_helmholtz_solver *s, double *seconds)
{
  CALL(wisp_device_finish(err, s->device));
  const double begin = wisp_seconds();
  CALL(wisp_problem_refill(err, s->problem));
  CALL(upload_data(err, s));
  CALL(wisp_device_finish(err, s->device));
  *seconds = wisp_seconds() - begin;
  return WISP_OK;
}

wisp_arrays *wisp_helmholtz_solver_arrays(const wisp_helmholtz_solver *s)
{
  return s->problem->arrays;
}

wisp_status wisp_helmholtz_field(wisp_error *err, wisp_helmholtz_solver *s, const char *array, double *values)
{
  const wisp_hdg_tables *t = s->data->hdg->tables;
  const size_t modes = strcmp(array, "u") == 0 ? (size_t)t->Np : strcmp(array, "ustar") == 0 ? (size_t)t->Ns : 0;
  CALL(wisp_arrays_download(err, s->problem->arrays, array, values));
  return modes ? wisp_hdg_pieces_center(err, s->data->pieces, modes, values) : WISP_OK;
}

size_t wisp_helmholtz_field_size(const wisp_helmholtz_solver *s, const char *array)
{
  return wisp_arrays_size(s->problem->arrays, array);
}
