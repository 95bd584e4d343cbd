#include "heat_solver.h"
#include "../../gen/random.h"
#include "../../gen/text.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

enum { INVERT, MULTIPLY, ADVANCE, UPDATE, ITERATION_KERNELS, HISTORY = 1024 };

/* Kernels at the nodes: templates/solve/heat_NAME.KIND.k. */
enum { BEGIN, RESIDUAL, AIM, CORRECT, NODE_KERNELS, BLOCKS = 256, LANES = 256 };

/* Their sums in `numbers`: parts, three a block at most, and behind them the sums. */
enum { SUMS = 3 * BLOCKS, SUM_F = SUMS, SUM_LEFT, SUM_BAD, NUMBERS };

struct wisp_heat_solver {
  wisp_device *device;
  const wisp_heat *heat;
  wisp_stage *stage[2]; /* assembly, iteration */
  wisp_heat_method method;
  wisp_problem *problem;
  wisp_cg *cg;
  double factor; /* of this step's residuals and solutions in conjugate gradients (wisp_cg_factor) */
  wisp_module *at_nodes[NODE_KERNELS];
  long long rows, nodes;       /* as kernels take them */
  wisp_pointer shape, numbers; /* on the device: wisp_heat_shape; NUMBERS, in double */
  wisp_event *begin, *assembled, *aimed;
  wisp_heat_report report;
};

/* --- making it --- */

static bool is_wanted(const void *solver, const char *array)
{
  const wisp_heat_solver *s = solver;
  return wisp_stage_has(s->stage[0], array) || wisp_stage_has(s->stage[1], array);
}

wisp_status wisp_heat_fits(wisp_error *err, const wisp_limits *limits, int corners, int order, const size_t count[4],
                           wisp_precision precision, wisp_stage *assembly, wisp_stage *iteration)
{
  const wisp_heat_solver s = {.stage = {assembly, iteration}};
  return wisp_assembly_fits(err, limits, corners, order, count, precision, is_wanted, &s);
}

/* The discretisation that both stages ask for. */
static wisp_status discretise_for(wisp_error *err, const wisp_heat_solver *s, wisp_discretisation *out)
{
  const wisp_assembly *a = s->heat->assembly;
  const wisp_stage *iteration = s->stage[1];
  const wisp_cg_capacity capacity = {.rz_parts = (size_t)wisp_kernel_blocks(iteration->kernel[ADVANCE]),
                                     .pAp_parts = (size_t)wisp_kernel_blocks(iteration->kernel[MULTIPLY]),
                                     .iterations = HISTORY};
  wisp_fixed fixed = s->stage[0]->fixed;
  wisp_fixed_add(&fixed, iteration->plan[MULTIPLY]);
  return wisp_assembly_discretise(err, a, a->form->name, &fixed, &capacity, out);
}

/* With the lists that the kernels ask for, or such as have room on this mesh. */
static wisp_status discretise(wisp_error *err, wisp_heat_solver *s, wisp_discretisation *out)
{
  wisp_error why = {.text = ""};
  wisp_status status = discretise_for(&why, s, out);
  if (status == WISP_OK) return WISP_OK;
  if (status != WISP_EREFUSED) return wisp_fail(err, status, "%s", why.text);
  for (int i = 0; i < 2; i++) {
    wisp_stage_unload(s->stage[i]);
    CALL(wisp_assembly_fit_stage(err, s->heat->assembly, s->stage[i]));
    CALL(wisp_stage_load(err, s->device, s->stage[i]));
  }
  return discretise_for(err, s, out);
}

static wisp_status make_arrays(wisp_error *err, wisp_heat_solver *s)
{
  const size_t nodes = s->heat->assembly->nodes->nodes;
  wisp_discretisation d = {.family = NULL};
  CALL(discretise(err, s, &d));
  CALL(wisp_problem_open(err, s->device, &d, s->method.precision, WISP_NARROW_GUARD, is_wanted, s, &s->problem));
  OWNED(free) double *shape = NULL;
  CALL(wisp_new(err, 3 * nodes, sizeof *shape, &shape));
  wisp_heat_solution(s->heat, 0, shape);
  CALL(wisp_arrays_upload(err, s->problem->arrays, "u", shape));
  wisp_heat_shape(s->heat, shape);
  CALL(wisp_device_alloc(err, s->device, 3 * nodes * sizeof *shape, &s->shape));
  CALL(wisp_device_alloc(err, s->device, NUMBERS * sizeof *shape, &s->numbers));
  return wisp_device_upload(err, s->device, s->shape, shape, 3 * nodes * sizeof *shape);
}

/* kappa and its derivative go into their texts. */
static wisp_status make_node_kernels(wisp_error *err, wisp_heat_solver *s)
{
  static const char *const names[NODE_KERNELS] = {"solve/heat_begin", "solve/heat_residual", "solve/heat_aim",
                                                  "solve/heat_correct"};
  HELD(wisp_text_free) wisp_text lines = {0};
  CALL(wisp_text_print(err, &lines, "#ifndef __CUDACC__\n#include <math.h>\n#endif\n#define KAPPA(u) ("));
  CALL(wisp_expr_print(err, s->heat->value, sizeof(double), NULL, NULL, &lines));
  CALL(wisp_text_print(err, &lines, ")\n#define RISE(u) ("));
  CALL(wisp_expr_print(err, s->heat->rise, sizeof(double), NULL, NULL, &lines));
  CALL(wisp_text_print(err, &lines, ")\n"));
  for (int k = 0; k < NODE_KERNELS; k++)
    CALL(wisp_dialect_module(err, s->device, names[k], s->method.precision, lines.data, &s->at_nodes[k]));
  CALL(wisp_event_create(err, s->device, &s->begin));
  CALL(wisp_event_create(err, s->device, &s->assembled));
  return wisp_event_create(err, s->device, &s->aimed);
}

static wisp_status make_cg(wisp_error *err, wisp_heat_solver *s)
{
  const double parts = wisp_kernel_blocks(s->stage[1]->kernel[ADVANCE]);
  const wisp_binding bindings[] = {{"scale", 0, 1},
                                   {"polynomial", 0, 0},
                                   {"rz_parts", 0, parts},
                                   {"rr_parts", 0, parts},
                                   {"pAp_parts", 0, wisp_kernel_blocks(s->stage[1]->kernel[MULTIPLY])}};
  HELD(wisp_cg_system_free)
  wisp_cg_system system = {.device = s->device, .problem = s->problem, .unknowns = s->heat->assembly->pattern->rows};
  wisp_launches *const lists[ITERATION_KERNELS] = {
      [MULTIPLY] = &system.apply, [ADVANCE] = &system.precondition, [UPDATE] = &system.update};
  for (int k = MULTIPLY; k < ITERATION_KERNELS; k++)
    CALL(wisp_launches_add(err, lists[k], s->stage[1]->kernel[k], bindings, WISP_COUNT(bindings)));
  return wisp_cg_create(err, &system, &s->cg);
}

wisp_status wisp_heat_solver_create(wisp_error *err, wisp_device *device, const wisp_heat *heat, wisp_stage *assembly,
                                    wisp_stage *iteration, const wisp_heat_method *method, wisp_heat_solver **out)
{
  OWNED(wisp_heat_solver_destroy) wisp_heat_solver *s = NULL;
  CALL(wisp_new(err, 1, sizeof *s, &s));
  *s = (wisp_heat_solver){
      .device = device, .heat = heat, .stage = {assembly, iteration}, .method = *method, .report = {.converged = true}};
  s->rows = (long long)heat->assembly->pattern->rows, s->nodes = (long long)heat->assembly->nodes->nodes;
  CALL(wisp_stage_load(err, device, assembly));
  CALL(wisp_stage_load(err, device, iteration));
  CALL(make_arrays(err, s));
  CALL(make_node_kernels(err, s));
  CALL(make_cg(err, s));
  return GIVE(s, out);
}

void wisp_heat_solver_destroy(wisp_heat_solver *s)
{
  if (!s) return;
  wisp_cg_destroy(s->cg);
  wisp_problem_destroy(s->problem);
  for (int k = 0; k < NODE_KERNELS; k++)
    if (s->at_nodes[k]) wisp_module_unload(s->at_nodes[k]);
  if (s->shape) wisp_device_free(s->device, s->shape);
  if (s->numbers) wisp_device_free(s->device, s->numbers);
  if (s->begin) wisp_event_destroy(s->begin);
  if (s->assembled) wisp_event_destroy(s->assembled);
  if (s->aimed) wisp_event_destroy(s->aimed);
  free(s);
}

/* --- a step --- */

static wisp_pointer array(const wisp_heat_solver *s, const char *name)
{
  return wisp_arrays_at(s->problem->arrays, name);
}

static wisp_status launch(wisp_error *err, const wisp_heat_solver *s, int kernel, void **args, int count)
{
  const unsigned grid[2] = {kernel == AIM ? 1 : BLOCKS, 1}, block[3] = {LANES, 1, 1};
  return wisp_launch(err, s->at_nodes[kernel], NULL, grid, block, args, count);
}

static double rate_of(const wisp_heat_solver *s)
{
  return s->heat->capacity > 0 ? s->heat->capacity / s->method.step : 0;
}

/* f + c u / dt with this step's u, and the next boundary values. */
static wisp_status begin_step(wisp_error *err, wisp_heat_solver *s)
{
  wisp_pointer shape = s->shape, u = array(s, "u"), f = array(s, "f");
  double capacity = s->heat->capacity, rate = rate_of(s), source = s->heat->given.f;
  wisp_passed steady = {.integer = capacity <= 0}, known = {.integer = !s->heat->given.count};
  if (!steady.integer) s->report.t = (s->report.steps + 1) * s->method.step;
  s->factor = wisp_cg_factor(pow(wisp_heat_size(s->heat, s->report.t, rate), 2));
  void *args[] = {&shape, &u, &f, &s->report.t, &rate, &capacity, &source, &known, &steady, &s->rows, &s->nodes};
  return launch(err, s, BEGIN, args, WISP_COUNT(args));
}

/* The residual of u, from which conjugate gradients start; least: their goal over F, where that is small enough. */
static wisp_status aim(wisp_error *err, wisp_heat_solver *s, double least)
{
  wisp_pointer F = array(s, "F"), Ap = array(s, "Ap"), u = array(s, "u"), r = array(s, "r"), numbers = s->numbers;
  wisp_pointer state = array(s, "state"), left = array(s, "left");
  wisp_passed most = {.integer = (int)s->method.iterations}, entries = {.integer = WISP_CG_STATE};
  wisp_passed limit = {.integer = WISP_CG_AT_LIMIT};
  void *residual[] = {&F, &Ap, &u, &r, &numbers, &s->factor, &s->rows, &s->nodes};
  void *start[] = {&numbers, &state, &left, &s->method.tolerance, &least, &most, &entries, &limit};
  CALL(launch(err, s, RESIDUAL, residual, WISP_COUNT(residual)));
  return launch(err, s, AIM, start, WISP_COUNT(start));
}

/* Enqueues the matrix and F for u as it is, the inverse of the diagonal, and what u leaves of F. */
static wisp_status assemble(wisp_error *err, wisp_heat_solver *s, double least)
{
  const double *kappa = s->heat->kappa.number;
  const wisp_binding bindings[] = {{"kappa0", 0, kappa[0]},
                                   {"kappa1", 0, kappa[1]},
                                   {"kappa2", 0, kappa[2]},
                                   {"density", 0, 0},
                                   {"mass", 0, rate_of(s)}};
  const size_t bytes = s->heat->assembly->pattern->rows * (size_t)s->method.precision;
  CALL(wisp_event_record(err, s->begin));
  for (int k = 0; k < s->stage[0]->kernels; k++)
    CALL(wisp_problem_run(err, s->problem, s->stage[0]->kernel[k], bindings, WISP_COUNT(bindings)));
  CALL(wisp_event_record(err, s->assembled));
  CALL(wisp_problem_run(err, s->problem, s->stage[1]->kernel[INVERT], NULL, 0));
  CALL(wisp_device_copy(err, s->device, array(s, "p"), array(s, "u"), bytes));
  CALL(wisp_problem_run(err, s->problem, s->stage[1]->kernel[MULTIPLY], NULL, 0));
  CALL(aim(err, s, least));
  s->report.assemblies++;
  return wisp_event_record(err, s->aimed);
}

/* Fails where kappa is not positive, with the u of the assembly at the first such node. */
static wisp_status check_kappa(wisp_error *err, const wisp_heat_solver *s, size_t bad)
{
  double u = 0, at[3];
  if (bad == s->heat->assembly->nodes->nodes) return WISP_OK;
  wisp_heat_coordinates(s->heat, bad, at);
  CALL(wisp_arrays_download_part(err, s->problem->arrays, "u", bad, 1, &u));
  return wisp_fail(err, WISP_EUSAGE, "kappa is %g where u is %g, at (%g, %g, %g): must be positive",
                   wisp_heat_kappa_at(s->heat, u), u, at[0], at[1], at[2]);
}

/* A solve's result: residuals before and after it, over F; the largest change of u, over the largest u; its success. */
typedef struct correction {
  double before, after, change;
  bool solved;
} correction;

/* The one wait of a solve. */
static wisp_status look(wisp_error *err, wisp_heat_solver *s, correction *out)
{
  double numbers[NUMBERS], most = 0, change = 0, ms = 0, aiming_ms = 0;
  wisp_cg_report report = {.iterations = 0};
  const wisp_status solved = wisp_cg_end(err, s->cg, &report);
  CALL(wisp_device_download(NULL, s->device, numbers, s->numbers, sizeof numbers));
  CALL(check_kappa(err, s, (size_t)numbers[SUM_BAD]));
  CALL(solved);
  CALL(wisp_require(err, report.iterations || report.residual > 0 || !(numbers[SUM_LEFT] > 0), WISP_EWRONG,
                    "the residual is 0 before the first iteration, and %g in double: numbers leave the range of single "
                    "precision; take larger ones, or -p f64",
                    sqrt(numbers[SUM_LEFT])));
  for (size_t b = 0; b < BLOCKS; b++) change = fmax(change, numbers[2 * b]), most = fmax(most, numbers[2 * b + 1]);
  CALL(wisp_event_elapsed(err, s->begin, s->assembled, &ms));
  CALL(wisp_event_elapsed(err, s->assembled, s->aimed, &aiming_ms));
  const double size = sqrt(numbers[SUM_F]);
  *out = (correction){.before = size > 0 ? sqrt(numbers[SUM_LEFT]) / size : 0,
                      .after = size > 0 ? report.residual / size : 0,
                      .change = most > 0 ? change / most : 0,
                      .solved = report.converged};
  s->report.iterations += report.iterations;
  s->report.change = out->change;
  s->report.seconds_assembling += ms / 1e3;
  s->report.seconds_aiming += aiming_ms / 1e3;
  s->report.seconds_iterating += report.ms_per_iteration * (double)report.iterations / 1e3;
  return WISP_OK;
}

/* Corrects u by the matrix at hand. What is small enough already is left as it is. */
static wisp_status solve(wisp_error *err, wisp_heat_solver *s, correction *out)
{
  wisp_pointer solution = array(s, "solution"), u = array(s, "u"), numbers = s->numbers;
  void *args[] = {&solution, &u, &numbers, &s->factor, &s->rows, &s->nodes};
  CALL(wisp_cg_start(err, s->cg));
  CALL(launch(err, s, CORRECT, args, WISP_COUNT(args)));
  return look(err, s, out);
}

wisp_status wisp_heat_step(wisp_error *err, wisp_heat_solver *s)
{
  const double rounding = s->method.precision == WISP_F32 ? 0x1p-24 : 0x1p-53;
  const bool linear = wisp_heat_is_linear(s->heat);
  double before = INFINITY;
  bool ended = false;
  CALL(begin_step(err, s));
  for (int i = 0; i < s->method.assemblies && !ended; i++) {
    correction c;
    CALL(assemble(err, s, i ? fmax(rounding, s->method.nonlinear / 10) : rounding));
    CALL(solve(err, s, &c));
    /* The first residual is of another step's u, and says nothing. Rounding may keep the residual above the tolerance:
     * then it falls no more, and the step ends with a solve that converged and hardly moved u. */
    const bool stands = c.before > before / 2 && c.solved && c.change <= s->method.standstill;
    ended = linear ? c.solved : i && (c.before <= s->method.nonlinear || stands);
    s->report.residual = linear ? c.after : c.before;
    before = c.before;
    if (linear) break;
  }
  s->report.converged &= ended;
  s->report.steps++;
  return WISP_OK;
}

/* The solution at t = 0, each number off by up to a tenth of the largest. */
static wisp_status put_random(wisp_error *err, const wisp_heat_solver *s)
{
  const size_t nodes = s->heat->assembly->nodes->nodes;
  OWNED(free) double *u = NULL;
  uint64_t random = WISP_RANDOM_SEED;
  double most = 0;
  CALL(wisp_new(err, nodes, sizeof *u, &u));
  wisp_heat_solution(s->heat, 0, u);
  for (size_t i = 0; i < nodes; i++) most = fmax(most, fabs(u[i]));
  for (size_t i = 0; i < nodes; i++) u[i] += 0.1 * most * wisp_random_real(&random);
  return wisp_arrays_upload(err, s->problem->arrays, "u", u);
}

static wisp_status rehearse(wisp_error *err, wisp_heat_solver *s)
{
  CALL(begin_step(err, s));
  CALL(assemble(err, s, 0));
  return wisp_cg_rehearse(err, s->cg, WISP_REHEARSED_ITERATIONS);
}

wisp_status wisp_heat_rehearse(wisp_error *err, wisp_heat_solver *s, const wisp_launch_watch *watch)
{
  const size_t nodes = s->heat->assembly->nodes->nodes;
  const wisp_heat_report before = s->report;
  OWNED(free) double *u = NULL;
  CALL(wisp_new(err, nodes, sizeof *u, &u));
  CALL(wisp_arrays_download(err, s->problem->arrays, "u", u));
  CALL(put_random(err, s));
  s->problem->watch = watch;
  const wisp_status status = rehearse(err, s);
  s->problem->watch = NULL;
  s->report = before;
  CALL(status);
  return wisp_arrays_upload(err, s->problem->arrays, "u", u);
}

size_t wisp_heat_solver_bytes(const wisp_heat_solver *s)
{
  return wisp_arrays_bytes(s->problem->arrays);
}

const wisp_heat_report *wisp_heat_solver_report(const wisp_heat_solver *s)
{
  return &s->report;
}

wisp_status wisp_heat_solver_field(wisp_error *err, const wisp_heat_solver *s, double *u)
{
  return wisp_arrays_download(err, s->problem->arrays, "u", u);
}

/* --- the matrix as Matrix Market --- */

/* Everything that the two files have. */
typedef struct content {
  const wisp_pattern *pattern;
  const double *values, *vector;
} content;

/* Wisp_fills. */
static void write_matrix(FILE *file, const void *context)
{
  const content *c = context;
  const wisp_pattern *p = c->pattern;
  fprintf(file, "%%%%MatrixMarket matrix coordinate real general\n%zu %zu %zu\n", p->rows, p->rows, p->nonzeros);
  for (size_t row = 0; row < p->rows && !ferror(file); row++)
    for (int32_t i = p->start[row]; i < p->start[row + 1]; i++)
      fprintf(file, "%zu %d %.17g\n", row + 1, p->column[i] + 1, c->values[i]);
}

static void write_vector(FILE *file, const void *context)
{
  const content *c = context;
  fprintf(file, "%%%%MatrixMarket matrix array real general\n%zu 1\n", c->pattern->rows);
  for (size_t row = 0; row < c->pattern->rows; row++) fprintf(file, "%.17g\n", c->vector[row]);
}

/* In compressed rows; the caller frees both. */
static wisp_status download_matrix(wisp_error *err, const wisp_heat_solver *s, double **values, double **F)
{
  const wisp_assembly *view = s->problem->d.self;
  CALL(wisp_new(err, wisp_assembly_value_count(view), sizeof **values, values));
  CALL(wisp_new(err, view->pattern->rows, sizeof **F, F));
  CALL(wisp_arrays_download(err, s->problem->arrays, "values", *values));
  CALL(wisp_arrays_download(err, s->problem->arrays, "F", *F));
  return view->slices ? wisp_slices_compress(err, view->slices, view->pattern, values) : WISP_OK;
}

wisp_status wisp_heat_residual(wisp_error *err, const wisp_heat_solver *s, wisp_true_residual *out)
{
  const size_t nodes = s->heat->assembly->nodes->nodes;
  OWNED(free) double *u = NULL, *f = NULL, *values = NULL, *F = NULL;
  CALL(wisp_new(err, nodes, sizeof *u, &u));
  CALL(wisp_arrays_download(err, s->problem->arrays, "u", u));
  if (s->method.precision == WISP_F32) {
    CALL(download_matrix(err, s, &values, &F));
    return wisp_heat_matrix_residual(err, s->heat->assembly->pattern, values, F, u, out);
  }
  CALL(wisp_new(err, nodes, sizeof *f, &f));
  CALL(wisp_arrays_download(err, s->problem->arrays, "f", f));
  return wisp_heat_element_residual(err, s->problem->d.self, s->heat, rate_of(s), f, u, out);
}

wisp_status wisp_heat_export(wisp_error *err, const wisp_heat_solver *s, const char *path)
{
  OWNED(free) double *values = NULL, *F = NULL;
  char beside[WISP_PATH_TEXT];
  const wisp_pattern *p = s->heat->assembly->pattern;
  const double unit = pow(s->heat->assembly->frame.length, s->heat->assembly->simplex->dimension - 2);
  CALL(download_matrix(err, s, &values, &F));
  for (size_t i = 0; i < p->nonzeros; i++) values[i] *= unit; /* from the frame to the mesh's units */
  for (size_t i = 0; i < p->rows; i++) F[i] *= unit;
  const content c = {p, values, F};
  CALL(wisp_path_beside(err, path, "_b", beside));
  CALL(wisp_write_file(err, path, write_matrix, &c));
  const wisp_status status = wisp_write_file(err, beside, write_vector, &c);
  if (status != WISP_OK) unlink(path);
  return status;
}
