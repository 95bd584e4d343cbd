#include "poisson_solver.h"
#include "cg_problem.h"
#include "../parallel.h"

/* A factor of the solution at a coordinate, and its second derivative in space. */
typedef struct wave {
  double x, value, bent;
} wave;

/* The solution's three factors at a place. In a box an element's nodes have N + 1 coordinates in a direction: what was
 * looked at lately is found again. */
enum { RECENT_BITS = 6 };
typedef struct waves {
  wave recent[3][1 << RECENT_BITS];
  const wave *at[3];
} waves;

/* Factors are exp(s) sin(pi s), exactly 0 at both ends. */
static double solution(const wisp_poisson *p, const double x[3], waves *w)
{
  const double pi = acos(-1);
  for (int d = 0; d < 3; d++) {
    uint64_t bits;
    memcpy(&bits, &x[d], sizeof bits);
    wave *here = &w->recent[d][bits * 0x9e3779b97f4a7c15u >> (64 - RECENT_BITS)]; /* Fibonacci hashing */
    w->at[d] = here;
    if (here->x == x[d]) continue;
    const double length = p->length[d], s = (x[d] - p->low[d]) / length;
    const double growth = exp(s), sine = sin(pi * (s > 0.5 ? 1 - s : s));
    const double bent = (1 - pi * pi) * sine + 2 * pi * cos(pi * s);
    *here = (wave){x[d], sine * growth, bent * growth / (length * length)};
  }
  return w->at[0]->value * w->at[1]->value * w->at[2]->value;
}

/* A loop over elements that leaves Np numbers for each, or one. */
typedef struct loop {
  const wisp_poisson *problem;
  const double *unknowns; /* of wisp_poisson_error */
  double *out;
} loop;

/* Workspace for one element: its corners, coordinates (of nodes or points), and values at them. */
typedef struct bench {
  wisp_hex_workspace *work;
  waves waves;
  double vertices[24], *xyz, *values, *nodal, *image;
} bench;

static wisp_status make_bench(wisp_error *err, const wisp_hex *hex, wisp_hex_operator op, bench *b)
{
  const size_t most = (size_t)hex->glNp;
  for (int i = 0; i < 3 << RECENT_BITS; i++) b->waves.recent[i >> RECENT_BITS][i % (1 << RECENT_BITS)].x = NAN;
  CALL(wisp_hex_workspace_create(err, hex, op, &b->work));
  CALL(wisp_new(err, 6 * most, sizeof *b->xyz, &b->xyz));
  b->values = b->xyz + 3 * most;
  b->nodal = b->values + most;
  b->image = b->nodal + most;
  return WISP_OK;
}

static void free_bench(bench *b)
{
  wisp_hex_workspace_destroy(b->work);
  free(b->xyz);
}

/* The values on the boundary at an element's nodes, 0 at unknowns; false where all of them are 0. */
static bool boundary_values(const wisp_poisson *p, size_t k, bench *b)
{
  const size_t Np = (size_t)p->hex->Np;
  const int32_t *global = p->nodes->global + k * Np;
  bool any = false, outside = false;
  for (size_t i = 0; i < Np; i++) outside |= p->copies->unknown[global[i]] < 0;
  if (!outside) return false;
  wisp_hex_coordinates(p->hex, WISP_HEX_GLL, b->vertices, b->xyz);
  for (size_t i = 0; i < Np; i++) {
    b->nodal[i] = p->copies->unknown[global[i]] < 0 ? solution(p, b->xyz + 3 * i, &b->waves) : 0;
    any |= b->nodal[i] != 0;
  }
  return any;
}

/* A wisp_range: the elements' parts of the right-hand side. */
static wisp_status load_elements(wisp_error *err, void *context, size_t from, size_t to)
{
  const loop *l = context;
  const wisp_poisson *p = l->problem;
  const size_t Np = (size_t)p->hex->Np;
  const wisp_hex_points points = wisp_hex_operator_points(p->op);
  const size_t count = (size_t)(points == WISP_HEX_GAUSS ? p->hex->glNp : p->hex->Np);
  HELD(free_bench) bench b = {.work = NULL};
  CALL(make_bench(err, p->hex, p->op, &b));
  for (size_t k = from; k < to; k++) {
    double *out = l->out + k * Np;
    wisp_hex_vertices(p->mesh, &p->frame, k, 1, b.vertices);
    wisp_hex_coordinates(p->hex, points, b.vertices, b.xyz);
    for (size_t q = 0; q < count; q++) { /* -laplace(u) + lambda u, or u itself for the mass problem */
      const double u = solution(p, b.xyz + 3 * q, &b.waves);
      const wave *const *w = b.waves.at;
      double laplace = 0;
      for (int d = 0; d < 3; d++) laplace += w[d]->bent * w[(d + 1) % 3]->value * w[(d + 2) % 3]->value;
      b.values[q] = p->op == WISP_HEX_MASS ? u : p->lambda * u - laplace;
    }
    CALL(wisp_hex_load(err, b.work, b.vertices, wisp_mesh_number(p->mesh, k), b.values, out));
    if (!boundary_values(p, k, &b)) continue;
    CALL(wisp_hex_apply(err, p->hex, p->op, b.vertices, 1, p->lambda, b.nodal, b.image));
    for (size_t i = 0; i < Np; i++) out[i] -= b.image[i];
  }
  return WISP_OK;
}

/* Adds up the copies of unknowns; a wisp_range over these. */
typedef struct gathering {
  const wisp_hexcopies *copies;
  const double *locals;
  double *sums;
} gathering;

static void gather(void *context, size_t from, size_t to)
{
  const gathering *g = context;
  for (size_t i = from; i < to; i++) {
    double sum = 0;
    for (int32_t c = g->copies->start[i]; c < g->copies->start[i + 1]; c++) sum += g->locals[g->copies->copy[c]];
    g->sums[i] = sum;
  }
}

/* The elements' diagonals, or their parts of the right-hand side, added up at the unknowns. */
static wisp_status assemble(wisp_error *err, const wisp_poisson *p, bool diagonal, double *sums)
{
  OWNED(free) double *locals = NULL;
  CALL(wisp_new(err, p->mesh->elements * (size_t)p->hex->Np, sizeof *locals, &locals));
  CALL(diagonal ? wisp_hex_diagonals(err, p->hex, p->op, p->mesh, &p->frame, p->lambda, locals)
                : wisp_parallel(err, p->mesh->elements, load_elements, &(loop){.problem = p, .out = locals}));
  wisp_parallel_for(p->copies->unknowns, gather, &(gathering){p->copies, locals, sums});
  return WISP_OK;
}

wisp_status wisp_poisson_create(wisp_error *err, const char *name, const wisp_hexmesh *mesh, int order,
                                wisp_hex_operator op, double lambda, wisp_poisson **out)
{
  OWNED(wisp_poisson_destroy) wisp_poisson *p = NULL;
  CALL(wisp_require(err, lambda >= 0 && isfinite(lambda), WISP_EUSAGE, "lambda is %g, must not be negative", lambda));
  CALL(wisp_new(err, 1, sizeof *p, &p));
  p->mesh = mesh;
  p->op = op;
  p->frame = wisp_mesh_frame(mesh);
  p->lambda = lambda * p->frame.length * p->frame.length;
  CALL(wisp_require(err, p->lambda <= 1e12, WISP_EUSAGE,
                    "lambda is %g on a mesh with a length of %g: times the square of that it must be at most 1e12",
                    lambda, p->frame.length));
  wisp_frame_extent(&p->frame, mesh, p->low, p->length);
  CALL(wisp_hex_create(err, order, &p->hex));
  CALL(wisp_hexnodes_create(err, name, mesh, order, &p->nodes));
  CALL(wisp_hexcopies_create(err, p->nodes, op != WISP_HEX_MASS, &p->copies));
  CALL(wisp_require(
      err, p->copies->unknowns > 0, WISP_EUSAGE,
      "%s: all nodes of order %d lie on the boundary: there is nothing to solve for; take more elements or "
      "a higher order",
      name, order));
  CALL(wisp_new(err, p->copies->unknowns, sizeof *p->b, &p->b));
  CALL(wisp_context(err, assemble(err, p, false, p->b), "%s: ", name));
  return GIVE(p, out);
}

void wisp_poisson_destroy(wisp_poisson *p)
{
  if (!p) return;
  free(p->b);
  wisp_hexcopies_destroy(p->copies);
  wisp_hexnodes_destroy(p->nodes);
  wisp_hex_destroy(p->hex);
  free(p);
}

wisp_status wisp_poisson_diagonal(wisp_error *err, const wisp_poisson *problem, double *diagonal)
{
  return assemble(err, problem, true, diagonal);
}

/* The values at an element's nodes: unknowns, and on the boundary what is given. */
static void nodal_values(const wisp_poisson *p, size_t k, const double *unknowns, bench *b)
{
  const size_t Np = (size_t)p->hex->Np;
  wisp_hex_vertices(p->mesh, &p->frame, k, 1, b->vertices);
  boundary_values(p, k, b);
  for (size_t i = 0; i < Np; i++) {
    const int32_t unknown = p->copies->unknown[p->nodes->global[k * Np + i]];
    if (unknown >= 0) b->nodal[i] = unknowns[unknown];
  }
}

static wisp_status measure_elements(wisp_error *err, void *context, size_t from, size_t to)
{
  const loop *l = context;
  const wisp_poisson *p = l->problem;
  HELD(free_bench) bench b = {.work = NULL};
  CALL(make_bench(err, p->hex, WISP_HEX_MASS, &b)); /* at Gauss points, whatever the operator's are */
  for (size_t k = from; k < to; k++) {
    nodal_values(p, k, l->unknowns, &b);
    wisp_hex_coordinates(p->hex, WISP_HEX_GAUSS, b.vertices, b.xyz);
    for (size_t q = 0; q < (size_t)p->hex->glNp; q++) b.values[q] = solution(p, b.xyz + 3 * q, &b.waves);
    CALL(wisp_hex_distance(err, b.work, b.vertices, wisp_mesh_number(p->mesh, k), b.nodal, b.values, l->out + k));
  }
  return WISP_OK;
}

wisp_status wisp_poisson_error(wisp_error *err, const wisp_poisson *problem, const double *unknowns, double *error)
{
  OWNED(free) double *squares = NULL;
  double sum = 0;
  CALL(wisp_new(err, problem->mesh->elements, sizeof *squares, &squares));
  loop l = {.problem = problem, .unknowns = unknowns, .out = squares};
  CALL(wisp_parallel(err, problem->mesh->elements, measure_elements, &l));
  for (size_t k = 0; k < problem->mesh->elements; k++) sum += squares[k];
  *error = sqrt(sum) * pow(problem->frame.length, 1.5);
  return WISP_OK;
}

/* The place of the lattice's point in an element, in the mesh's coordinates, and the value of u there. */
static void sample(const wisp_poisson *p, size_t k, const int at[3], const double *A, const double *nodal,
                   double xyz[3], double *value)
{
  const int n = p->hex->Nq;
  *value = xyz[0] = xyz[1] = xyz[2] = 0;
  for (int i = 0; i < n * n * n; i++)
    *value += A[at[0] * n + i % n] * A[at[1] * n + i / n % n] * A[at[2] * n + i / n / n] * nodal[i];
  for (int v = 0; v < 8; v++) {
    double share = 1;
    for (int d = 0; d < 3; d++) share *= (v >> d & 1 ? at[d] : p->hex->N - at[d]) / (double)p->hex->N;
    for (size_t c = 0; c < 3; c++) xyz[c] += share * p->mesh->xyz[3 * (size_t)p->mesh->hex[8 * k + (size_t)v] + c];
  }
}

wisp_status wisp_poisson_fields(wisp_error *err, const wisp_poisson *p, const double *unknowns, wisp_fields *out)
{
  static const char *const names[] = {"u"};
  HELD(wisp_fields_free) wisp_fields fields = {.count = 0};
  HELD(free_bench) bench b = {.work = NULL};
  const size_t Np = (size_t)p->hex->Np;
  const int n = p->hex->Nq;
  /* From values at the nodes of a line to as many points that are spread evenly: Nq x Nq. */
  double A[(WISP_HEX_MAX_ORDER + 1) * (WISP_HEX_MAX_ORDER + 1)];
  for (int a = 0; a < n * n; a++) {
    const double x = -1 + 2.0 * (a / n) / p->hex->N, *node = p->hex->gll_points;
    A[a] = 1;
    for (int m = 0; m < n; m++)
      if (m != a % n) A[a] *= (x - node[m]) / (node[a % n] - node[m]);
  }
  CALL(make_bench(err, p->hex, WISP_HEX_MASS, &b));
  CALL(wisp_fields_create(err, 8, p->hex->N, p->mesh->elements, Np, 1, names, &fields));
  for (size_t q = 0; q < p->mesh->elements * Np; q++) {
    const int i = (int)(q % Np);
    if (i == 0) nodal_values(p, q / Np, unknowns, &b);
    sample(p, q / Np, (const int[]){i % n, i / n % n, i / n / n}, A, b.nodal, fields.xyz + 3 * q, fields.value[0] + q);
  }
  return GIVE(fields, out);
}

/* ---- The solver. */

/* The Chebyshev interval reaches from its upper end down to a thirtieth; below it the polynomial still damps, and stays
 * positive. The upper end lies above what is seen of the largest eigenvalue. HISTORY: iterations whose scalars are
 * kept. */
enum { INTERVAL = 30, HISTORY = 1024 };
static const double above = 1.1;

/* The kernels of a stage, in the order of wisp_poisson_composition; behind them smooth, or what multigrid asks for. */
typedef enum part { UPDATE, SPREAD, OPERATOR, GATHER, ADVANCE, SMOOTH, ENTER = SMOOTH, LEAVE } part;

void wisp_poisson_composition(const char *kernel, wisp_preconditioner preconditioner,
                              char text[WISP_POISSON_COMPOSITION])
{
  snprintf(text, WISP_POISSON_COMPOSITION, "update+spread+%s+gather+advance%s", kernel,
           preconditioner == WISP_CHEBYSHEV   ? "+smooth"
           : preconditioner == WISP_MULTIGRID ? "+enter+leave"
                                              : "");
}

const wisp_kernel *wisp_poisson_operator(const wisp_stage *stage)
{
  return stage->kernel[OPERATOR];
}

/* --- arrays --- */

/* 1 for a kernel that the stage lacks. */
static int blocks(const wisp_poisson_solver *s, part kernel)
{
  return (int)kernel < s->stage->kernels ? wisp_kernel_blocks(s->stage->kernel[kernel]) : 1;
}

wisp_status wisp_poisson_fits(wisp_error *err, const wisp_limits *limits, size_t elements, const int *box, int order,
                              wisp_hex_operator op, wisp_precision precision, const wisp_stage *stage)
{
  const size_t inner = (size_t)order - 1, Nq = (size_t)order + 1;
  wisp_hexcopies copies = {.within = elements * inner * inner * inner, .unknowns = 1};
  for (int d = 0; box && d < 3; d++) /* all nodes for the mass problem, else those inside */
    copies.unknowns *= (size_t)(box[d] * order + (op != WISP_HEX_MASS ? -1 : 1));
  if (!box) copies.unknowns = copies.within;
  copies.surfaces = elements * (Nq * Nq * Nq - inner * inner * inner);
  const wisp_cg_capacity capacity = {.rz_parts = 1, .pAp_parts = 1, .iterations = HISTORY};
  const wisp_discretisation d = wisp_cg_discretisation(&copies, elements, order, &capacity);
  /* On the host: the mesh; nodes and copies of each element, their surfaces, and what loads are added up from; of each
   * unknown where it is, and the right-hand side. */
  const double locals = (double)elements * (double)(Nq * Nq * Nq), number = sizeof(int32_t);
  const double beside = (double)elements * 80 + locals * (2 * number + sizeof(double)) +
                        (double)copies.surfaces * number + (double)copies.unknowns * (2 * number + sizeof(double));
  return wisp_problem_fits(err, limits, &d, precision, WISP_NARROW_GUARD, wisp_stage_wants, stage, beside);
}

/* A wisp_sweep over numbers. */
static void invert(void *context, size_t from, size_t to)
{
  double *diagonal = context;
  for (size_t i = from; i < to; i++) diagonal[i] = 1 / diagonal[i];
}

/* Geometry, and the inverse of the diagonal (of 1 without a preconditioner). */
static wisp_status upload(wisp_error *err, wisp_poisson_solver *s, bool diagonal)
{
  const size_t n = s->problem->copies->unknowns;
  const double one = 1;
  OWNED(free) double *inverse = NULL;
  CALL(wisp_hex_upload(err, s->problem->hex, s->problem->mesh, &s->problem->frame, s->arrays));
  if (!diagonal) return wisp_arrays_repeat(err, s->arrays, "inverse", 1, &one);
  CALL(wisp_new(err, n, sizeof *inverse, &inverse));
  CALL(wisp_poisson_diagonal(err, s->problem, inverse));
  wisp_parallel_for(n, invert, inverse);
  return wisp_arrays_upload_part(err, s->arrays, "inverse", 0, n, inverse);
}

/* --- launches --- */

/* One launch more. smoothing: of the Chebyshev iteration, what it has of its own; vector: to be spread. */
static wisp_status add(wisp_error *err, wisp_poisson_solver *s, part kernel, const wisp_cg_scalars *smoothing,
                       const char *vector, wisp_launches *list)
{
  wisp_cg_scalars scalars = smoothing ? *smoothing : (wisp_cg_scalars){.beta = 0};
  wisp_binding all[WISP_CG_SCALARS + 2] = {{"lambda", 0, s->problem->lambda},
                                           {"vector", vector ? wisp_arrays_at(s->arrays, vector) : 0, 0}};
  scalars.scale = s->scale;
  scalars.polynomial = s->degree > 1 || (s->cycle.launches && kernel != ADVANCE);
  scalars.rr_parts = blocks(s, ADVANCE);
  scalars.rz_parts = s->cycle.launches ? blocks(s, LEAVE) : scalars.polynomial ? blocks(s, SMOOTH) : scalars.rr_parts;
  scalars.pAp_parts = blocks(s, GATHER);
  wisp_cg_bind(&scalars, all + 2);
  return wisp_launches_add(err, list, s->stage->kernel[kernel], all, WISP_CG_SCALARS + 2);
}

/* A vector's image in the elements, as y. */
static wisp_status apply(wisp_error *err, wisp_poisson_solver *s, const char *vector, wisp_launches *list)
{
  CALL(add(err, s, SPREAD, NULL, vector, list));
  return add(err, s, OPERATOR, NULL, NULL, list);
}

/* A cycle in single precision, between enter and leave. */
static wisp_status add_cycle(wisp_error *err, wisp_poisson_solver *s, wisp_launches *list)
{
  const wisp_poisson_cycle *c = &s->cycle;
  const wisp_binding ends[] = {{"r_single", c->r, 0}, {"z_single", c->z, 0}, {"scale", 0, c->scale}};
  CALL(wisp_launches_add(err, list, s->stage->kernel[ENTER], ends, WISP_COUNT(ends)));
  CALL(wisp_launches_append(err, list, c->launches));
  return wisp_launches_add(err, list, s->stage->kernel[LEAVE], ends, WISP_COUNT(ends));
}

/* z = r / diagonal by advance, then the Chebyshev iteration for A z = r (Saad 2003, Algorithm 12.1), whose interval has
 * the middle theta and half the width delta. */
static wisp_status precondition(wisp_error *err, wisp_poisson_solver *s, wisp_launches *list)
{
  const double theta = s->bound * (1 + 1.0 / INTERVAL) / 2, delta = s->bound * (1 - 1.0 / INTERVAL) / 2;
  double rho = delta / theta;
  CALL(add(err, s, ADVANCE, NULL, NULL, list));
  if (s->cycle.launches) return add_cycle(err, s, list);
  for (int k = 1; k < s->degree; k++) {
    const double next = 1 / (2 * theta / delta - rho);
    CALL(apply(err, s, "z", list));
    const wisp_cg_scalars smoothing = {.first_step = k == 1, .beta = next * rho, .alpha = 2 * next / delta};
    CALL(add(err, s, SMOOTH, &smoothing, NULL, list));
    rho = next;
  }
  return WISP_OK;
}

/* The iteration with the polynomial at hand. */
static wisp_status make_cg(wisp_error *err, wisp_device *device, wisp_poisson_solver *s)
{
  HELD(wisp_cg_system_free)
  wisp_cg_system system = {.device = device, .problem = s->vectors, .unknowns = s->problem->copies->unknowns};
  CALL(apply(err, s, "p", &system.apply));
  CALL(add(err, s, GATHER, NULL, NULL, &system.apply));
  CALL(precondition(err, s, &system.precondition));
  CALL(add(err, s, UPDATE, NULL, NULL, &system.update));
  wisp_cg_destroy(s->cg);
  s->cg = NULL;
  return wisp_cg_create(err, &system, &s->cg);
}

/* --- the solver --- */

/* A wisp_array_filter: what is no other order's of multigrid. */
static bool is_own(const void *stage, const char *array)
{
  return !wisp_list_has("r_single z_single coarse_u coarse_y", array) && wisp_stage_wants(stage, array);
}

wisp_status wisp_poisson_solver_create(wisp_error *err, wisp_device *device, const wisp_poisson *problem,
                                       wisp_stage *stage, const wisp_poisson_method *method, wisp_poisson_solver **out)
{
  OWNED(wisp_poisson_solver_destroy) wisp_poisson_solver *s = NULL;
  CALL(wisp_require(err, method->degree >= 1, WISP_EUSAGE, "a Chebyshev polynomial of degree %d: must be 1 or more",
                    method->degree));
  CALL(wisp_new(err, 1, sizeof *s, &s));
  *s = (wisp_poisson_solver){
      .problem = problem, .stage = stage, .cycle = method->cycle, .degree = 1, .scale = 1, .bound = NAN};
  CALL(wisp_stage_load(err, device, stage));
  const int advance = blocks(s, ADVANCE);
  const int last = blocks(s, method->preconditioner == WISP_MULTIGRID ? LEAVE : SMOOTH);
  const wisp_cg_capacity capacity = {.rz_parts = (size_t)(advance > last ? advance : last),
                                     .pAp_parts = (size_t)blocks(s, GATHER),
                                     .iterations = HISTORY};
  wisp_discretisation d = wisp_cg_discretisation(problem->copies, problem->mesh->elements, problem->hex->N, &capacity);
  CALL(wisp_problem_open(err, device, &d, method->precision, WISP_NARROW_GUARD, is_own, stage, &s->vectors));
  s->arrays = s->vectors->arrays;
  CALL(upload(err, s, method->preconditioner != WISP_NO_PRECONDITIONER));
  CALL(make_cg(err, device, s));
  if (method->preconditioner != WISP_CHEBYSHEV) return GIVE(s, out);
  double largest = 0; /* Jacobi's iteration shows what the polynomial needs */
  const wisp_status status = wisp_cg_largest(err, s->cg, &largest);
  if (status != WISP_OK) return wisp_context(err, status, "the Chebyshev preconditioner (jacobi needs no bound): ");
  s->bound = above * largest;
  s->degree = method->degree;
  s->scale = 2 / (s->bound * (1 + 1.0 / INTERVAL));
  CALL(make_cg(err, device, s));
  return GIVE(s, out);
}

void wisp_poisson_solver_destroy(wisp_poisson_solver *s)
{
  if (!s) return;
  wisp_cg_destroy(s->cg);
  wisp_problem_destroy(s->vectors);
  free(s);
}
