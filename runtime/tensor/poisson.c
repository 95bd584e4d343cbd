#include "poisson_solver.h"
#include "../parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void forget(waves *w)
{
  for (int d = 0; d < 3; d++)
    for (int i = 0; i < 1 << RECENT_BITS; i++) w->recent[d][i].x = NAN;
}

/* exp(s) sin(pi s), exactly 0 at both ends. */
static wave make_wave(double x, double low, double length)
{
  const double pi = acos(-1), s = (x - low) / length, growth = exp(s), sine = sin(pi * (s > 0.5 ? 1 - s : s));
  return (wave){x, sine * growth, ((1 - pi * pi) * sine + 2 * pi * cos(pi * s)) * growth / (length * length)};
}

static void move_to(const wisp_poisson *p, const double x[3], waves *w)
{
  for (int d = 0; d < 3; d++) {
    uint64_t bits;
    memcpy(&bits, &x[d], sizeof bits);
    wave *here = &w->recent[d][bits * 0x9e3779b97f4a7c15u >> (64 - RECENT_BITS)]; /* Fibonacci hashing */
    if (here->x != x[d]) *here = make_wave(x[d], p->low[d], p->length[d]);
    w->at[d] = here;
  }
}

static double solution(const wisp_poisson *p, const double x[3], waves *w)
{
  move_to(p, x, w);
  return w->at[0]->value * w->at[1]->value * w->at[2]->value;
}

/* The right-hand side: -laplace(u) + lambda u, or u itself for the mass problem. */
static double source(const wisp_poisson *p, const double x[3], waves *w)
{
  const double u = solution(p, x, w);
  double laplace = 0;
  for (int d = 0; d < 3; d++) laplace += w->at[d]->bent * w->at[(d + 1) % 3]->value * w->at[(d + 2) % 3]->value;
  return p->op == WISP_HEX_MASS ? u : p->lambda * u - laplace;
}

/* A loop over elements that leaves Np numbers for each, or one. */
typedef struct loop {
  const wisp_poisson *problem;
  const double *unknowns; /* of wisp_poisson_error */
  double *out;
} loop;

/* What one element needs: its corners, places (of nodes or points), and values at them. */
typedef struct bench {
  wisp_hex_workplace *work;
  waves waves;
  double vertices[24], *places, *values, *nodal, *image;
} bench;

static wisp_status make_bench(wisp_error *err, const wisp_hex *hex, wisp_hex_operator op, bench *b)
{
  const size_t most = (size_t)hex->glNp;
  forget(&b->waves);
  CALL(wisp_hex_workplace_create(err, hex, op, &b->work));
  CALL(wisp_new(err, 6 * most, sizeof *b->places, &b->places));
  b->values = b->places + 3 * most;
  b->nodal = b->values + most;
  b->image = b->nodal + most;
  return WISP_OK;
}

static void free_bench(bench *b)
{
  wisp_hex_workplace_destroy(b->work);
  free(b->places);
}

static size_t count_points(const wisp_hex *hex, wisp_hex_points points)
{
  return (size_t)(points == WISP_HEX_GAUSS ? hex->glNp : hex->Np);
}

/* The values on the boundary at an element's nodes, 0 at unknowns; false where all of them are 0. */
static bool boundary_values(const wisp_poisson *p, size_t k, bench *b)
{
  const size_t Np = (size_t)p->hex->Np;
  const int32_t *global = p->nodes->global + k * Np;
  bool any = false, outside = false;
  for (size_t i = 0; i < Np; i++) outside |= p->copies->unknown[global[i]] < 0;
  if (!outside) return false;
  wisp_hex_places(p->hex, WISP_HEX_GLL, b->vertices, b->places);
  for (size_t i = 0; i < Np; i++) {
    b->nodal[i] = p->copies->unknown[global[i]] < 0 ? solution(p, b->places + 3 * i, &b->waves) : 0;
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
  HELD(free_bench) bench b = {.work = NULL};
  CALL(make_bench(err, p->hex, p->op, &b));
  for (size_t k = from; k < to; k++) {
    double *out = l->out + k * Np;
    wisp_hex_vertices(p->mesh, k, 1, b.vertices);
    wisp_hex_places(p->hex, points, b.vertices, b.places);
    for (size_t q = 0; q < count_points(p->hex, points); q++) b.values[q] = source(p, b.places + 3 * q, &b.waves);
    CALL(wisp_hex_load(err, b.work, b.vertices, wisp_mesh_number(p->mesh, k), b.values, out));
    if (!boundary_values(p, k, &b)) continue;
    CALL(wisp_hex_apply(err, p->hex, p->op, b.vertices, 1, p->lambda, b.nodal, b.image));
    for (size_t i = 0; i < Np; i++) out[i] -= b.image[i];
  }
  return WISP_OK;
}

static wisp_status diagonal_elements(wisp_error *err, void *context, size_t from, size_t to)
{
  const loop *l = context;
  const wisp_poisson *p = l->problem;
  OWNED(wisp_hex_workplace_destroy) wisp_hex_workplace *work = NULL;
  double vertices[24];
  CALL(wisp_hex_workplace_create(err, p->hex, p->op, &work));
  for (size_t k = from; k < to; k++) {
    wisp_hex_vertices(p->mesh, k, 1, vertices);
    CALL(wisp_hex_diagonal(err, work, vertices, wisp_mesh_number(p->mesh, k), p->lambda,
                           l->out + k * (size_t)p->hex->Np));
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

/* A loop's numbers, added up at the unknowns. */
static wisp_status assemble(wisp_error *err, const wisp_poisson *p, wisp_range range, double *sums)
{
  OWNED(free) double *locals = NULL;
  CALL(wisp_new(err, p->mesh->elements * (size_t)p->hex->Np, sizeof *locals, &locals));
  loop l = {.problem = p, .out = locals};
  CALL(wisp_parallel(err, p->mesh->elements, range, &l));
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
  p->lambda = lambda;
  wisp_mesh_extent(mesh, p->low, p->length);
  for (int d = 0; d < 3; d++) p->length[d] -= p->low[d];
  CALL(wisp_hex_create(err, order, &p->hex));
  CALL(wisp_hexnodes_create(err, name, mesh, order, &p->nodes));
  CALL(wisp_hexcopies_create(err, p->nodes, op != WISP_HEX_MASS, &p->copies));
  CALL(wisp_require(
      err, p->copies->unknowns > 0, WISP_EUSAGE,
      "%s: all nodes of order %d lie on the boundary: there is nothing to solve for; take more elements or "
      "a higher order",
      name, order));
  CALL(wisp_new(err, p->copies->unknowns, sizeof *p->b, &p->b));
  CALL(wisp_context(err, assemble(err, p, load_elements, p->b), "%s: ", name));
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
  return assemble(err, problem, diagonal_elements, diagonal);
}

static wisp_status measure_elements(wisp_error *err, void *context, size_t from, size_t to)
{
  const loop *l = context;
  const wisp_poisson *p = l->problem;
  const size_t Np = (size_t)p->hex->Np;
  HELD(free_bench) bench b = {.work = NULL};
  CALL(make_bench(err, p->hex, WISP_HEX_MASS, &b)); /* at Gauss points, whatever the operator's are */
  for (size_t k = from; k < to; k++) {
    const int32_t *global = p->nodes->global + k * Np;
    wisp_hex_vertices(p->mesh, k, 1, b.vertices);
    boundary_values(p, k, &b);
    for (size_t i = 0; i < Np; i++) {
      const int32_t unknown = p->copies->unknown[global[i]];
      if (unknown >= 0) b.nodal[i] = l->unknowns[unknown];
    }
    wisp_hex_places(p->hex, WISP_HEX_GAUSS, b.vertices, b.places);
    for (size_t q = 0; q < (size_t)p->hex->glNp; q++) b.values[q] = solution(p, b.places + 3 * q, &b.waves);
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
  *error = sqrt(sum);
  return WISP_OK;
}
