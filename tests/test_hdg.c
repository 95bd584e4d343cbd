/* Claim: the hybridized method on triangles is right. Element matrices, fields, traces and eigenvalues agree to 1e-11
 * with those of an independent program (tests/golden/hdg); the condensed matrix is that of the 3 Np saddle problem in
 * another basis; every polynomial of the order solves its element's equation, on triangles with angles down to two
 * degrees; and at the orders that test_kernels leaves out every strategy gives the reference's result (P = 6 and 9 in a
 * precision each; WISP_TEST_FULL=1: 5 to 9 in both). */
#include "each_plan.h"
#include "good.h"
#include "../gen/jacobi.h"
#include "../gen/nodal/tet_internal.h"
#include "../gen/random.h"
#include "../gen/text.h"
#include "../runtime/hdg/blocks.h"
#include "../runtime/hdg/helmholtz.h"
#include "../tuner/trial/verify.h"

#include <cjson/cJSON.h>
#include <lapacke.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static const double PI = 3.14159265358979323846;

enum { NP = WISP_HDG_MAX_NP, M = WISP_HDG_MAX_M, NS = WISP_HDG_MAX_NS };

static cJSON *load_golden(const char *name)
{
  char path[64], *data = NULL;
  size_t length = 0;
  snprintf(path, sizeof path, "tests/golden/hdg/%s.json", name);
  GOOD(wisp_read_file(err, path, &data, &length));
  cJSON *golden = cJSON_ParseWithLength(data, length);
  free(data);
  assert_non_null(golden);
  return golden;
}

static double number(const cJSON *of, const char *key)
{
  return cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(of, key));
}

/* A list of numbers, or a list of such lists, one after the other; their count. */
static int numbers(const cJSON *list, double *out)
{
  const cJSON *item = NULL;
  int count = 0;
  if (cJSON_IsNumber(list)) return *out = list->valuedouble, 1;
  cJSON_ArrayForEach(item, list) count += numbers(item, out + count);
  return count;
}

static int numbers_of(const cJSON *of, const char *key, double *out)
{
  return numbers(cJSON_GetObjectItemCaseSensitive(of, key), out);
}

/* To `bound` of the largest. */
static void compare(const char *what, int count, const double *ours, const double *golden, double bound)
{
  double largest = 0;
  for (int i = 0; i < count; i++) largest = fmax(largest, fabs(golden[i]));
  for (int i = 0; i < count; i++)
    if (!(fabs(ours[i] - golden[i]) <= bound * largest))
      fail_msg("%s[%d]: %.17g, not %.17g", what, i, ours[i], golden[i]);
}

/* --- elements --- */

/* (f, phi_i), Np numbers. */
static void integrate(const wisp_hdg_tables *t, const wisp_hdg_triangle *at, double J, double (*f)(double x, double y),
                      double *out)
{
  wisp_quadrature rule = {0};
  double phi[NP];
  memset(out, 0, (size_t)t->Np * sizeof *out);
  GOOD(wisp_triangle_quadrature(err, 40, &rule));
  for (size_t q = 0; q < rule.count; q++) {
    const double share[3] = {-(rule.r[q] + rule.s[q]) / 2, (1 + rule.r[q]) / 2, (1 + rule.s[q]) / 2};
    double xy[2] = {0, 0};
    for (int i = 0; i < 6; i++) xy[i % 2] += share[i / 2] * at->xy[i / 2][i % 2];
    wisp_triangle_modes(t->N, rule.r[q], rule.s[q], phi, NULL);
    for (int i = 0; i < t->Np; i++) out[i] += rule.w[q] * J * f(xy[0], xy[1]) * phi[i];
  }
  wisp_quadrature_free(&rule);
}

static double mix(double x, double y)
{
  return 1 + x - 2 * y + x * y;
}

/* Values of modes at the golden file's points. */
static void evaluate(int N, const double *modes, double out[4])
{
  static const double points[4][2] = {{-1, -1}, {1, -1}, {-1, 1}, {-1.0 / 3, -1.0 / 3}};
  double phi[NS];
  for (int p = 0; p < 4; p++) {
    wisp_triangle_modes(N, points[p][0], points[p][1], phi, NULL);
    out[p] = 0;
    for (int i = 0; i < wisp_triangle_size(N); i++) out[p] += phi[i] * modes[i];
  }
}

/* S v = mu M v; M is J I. */
static void find_spectrum(const wisp_hdg_tables *t, const wisp_hdg_factors *f, double *out)
{
  double S[NP * NP];
  const double six[WISP_HDG_S] = {f->a[0], f->a[1], f->a[2], f->G[0], f->G[1], f->G[2]};
  for (int i = 0; i < t->Np * t->Np; i++) {
    S[i] = i % (t->Np + 1) ? 0 : f->mass / f->J;
    for (int c = 0; c < WISP_HDG_S; c++) S[i] += six[c] * t->S[c][i] / f->J;
  }
  assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', t->Np, S, t->Np, out), 0);
}

static void check_fields(const wisp_hdg_tables *t, const wisp_hdg_factors *f, const double *load, const cJSON *element)
{
  wisp_hdg_inside inside;
  double trace[M], golden[4], ours[4], ustar[NS], size[NS];
  numbers_of(element, "trace", trace);
  GOOD(wisp_hdg_recover(err, t, f, load, trace, &inside));
  evaluate(t->N, inside.u, ours);
  compare("u", numbers_of(element, "u", golden), ours, golden, 1e-11);
  for (int c = 0; c < 2; c++) {
    double values[4];
    evaluate(t->N, inside.p + c * t->Np, values);
    ours[c] = values[3];
  }
  compare("p", numbers_of(element, "p", golden), ours, golden, 1e-11);
  GOOD(wisp_hdg_postprocess(err, t, f, inside.u, inside.p, ustar, size));
  evaluate(t->N + 1, ustar, ours);
  compare("ustar", numbers_of(element, "ustar", golden), ours, golden, 1e-11);
}

static void check_element(const wisp_hdg_tables *t, const cJSON *element)
{
  static double golden[M * M], ours[M * M];
  wisp_hdg_triangle at = {.kappa = number(element, "kappa"), .lambda = number(element, "lambda")};
  wisp_hdg_factors f;
  wisp_hdg_condensed of;
  double load[NP];
  int count = 0;
  numbers_of(element, "vertices", at.xy[0]);
  numbers_of(element, "tau", at.tau);
  wisp_hdg_factors_of(&at, &f);
  integrate(t, &at, f.J, mix, load);
  GOOD(wisp_hdg_condense(err, t, &f, load, &of));
  for (int i = 0; i < t->m; i++)
    for (int j = 0; j <= i; j++) ours[count++] = of.K[i * t->m + j];
  assert_int_equal(numbers_of(element, "K", golden), count);
  compare("K", count, ours, golden, 1e-11);
  compare("load", numbers_of(element, "load", golden), of.b, golden, 1e-11);
  find_spectrum(t, &f, ours);
  assert_int_equal(numbers_of(element, "spectrum", golden), t->Np);
  compare("spectrum", t->Np, ours, golden, 1e-11);
  for (int k = 0; k < t->m; k++) {
    double modes[NP], values[4];
    for (int i = 0; i < t->Np; i++) modes[i] = of.U[i * t->m + k];
    evaluate(t->N, modes, values);
    for (int p = 0; p < 4; p++) ours[p * t->m + k] = values[p];
  }
  assert_int_equal(numbers_of(element, "U", golden), 4 * t->m);
  compare("U", 4 * t->m, ours, golden, 1e-11);
  check_fields(t, &f, load, element);
}

static void test_golden_elements(void **state)
{
  (void)state;
  for (int P = 1; P <= 6; P++) {
    char name[16];
    wisp_hdg_tables *t = NULL;
    const cJSON *element = NULL;
    snprintf(name, sizeof name, "tri_P%d", P);
    cJSON *golden = load_golden(name);
    GOOD(wisp_hdg_tables_create(err, P, &t));
    cJSON_ArrayForEach(element, cJSON_GetObjectItemCaseSensitive(golden, "elements")) check_element(t, element);
    wisp_hdg_tables_destroy(t);
    cJSON_Delete(golden);
  }
}

/* --- meshes --- */

typedef double scalar(double x, double y);

static double wave(double x, double y)
{
  return sin(2 * PI * x) * sin(2 * PI * y);
}

static double wave_source(double x, double y)
{
  return (8 * PI * PI + 1) * wave(x, y);
}

static double ragged_source(double x, double y)
{
  return 1 + x * y;
}

static double ragged_value(double x, double y)
{
  return x * x - y;
}

static double ragged_flux(double x, double y)
{
  (void)x;
  return 1 - y;
}

typedef struct golden_mesh {
  const char *name;
  scalar *f, *value, *flux;
} golden_mesh;

/* The file's mesh; boundary edges are tagged by their kind. */
static wisp_mesh *read_mesh(const cJSON *golden)
{
  static double list[256];
  wisp_mesh *mesh = NULL;
  double edges[256], kinds[128];
  const int vertices = numbers_of(golden, "vertices", list) / 2;
  const int elements = cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(golden, "triangles"));
  GOOD(wisp_mesh_create(err, 3, (size_t)vertices, (size_t)elements, &mesh));
  for (int i = 0; i < 2 * vertices; i++) mesh->xyz[i / 2 * 3 + i % 2] = list[i];
  numbers_of(golden, "triangles", list);
  for (int i = 0; i < 3 * elements; i++) mesh->tri[i] = (int32_t)list[i];
  GOOD(wisp_trimesh_connect(err, "golden", mesh));
  numbers_of(golden, "edges", edges);
  const int count = numbers_of(golden, "edge_kind", kinds);
  for (int f = 0; f < 3 * elements; f++)
    for (int e = 0; e < count; e++) {
      const int32_t a = mesh->tri[f], b = mesh->tri[f / 3 * 3 + (f + 1) % 3];
      if ((a < b ? a : b) == (int32_t)edges[2 * e] && (a < b ? b : a) == (int32_t)edges[2 * e + 1])
        mesh->tag[f] = (int32_t)kinds[e];
    }
  return mesh;
}

/* What boundary edges are given. */
static void give_edges(const wisp_hdg *s, const golden_mesh *g, double *given)
{
  double x[20], w[20], psi[WISP_HDG_MAX_N];
  const size_t n = (size_t)s->tables->n;
  GOOD(wisp_jacobi_gauss(err, 0, 0, 20, x, w));
  for (size_t edge = 0; edge < s->edges; edge++) {
    const int32_t face = s->side[2 * edge], *v = s->mesh->tri + face / 3 * 3;
    const bool fixed = edge >= s->free_edges;
    if (s->side[2 * edge + 1] >= 0) continue;
    const int32_t one = v[face % 3], other = v[(face + 1) % 3], low = one < other ? one : other,
                  high = one < other ? other : one;
    const double *a = s->mesh->xyz + 3 * low, *b = s->mesh->xyz + 3 * high;
    for (int q = 0; q < 20; q++) {
      const double at[2] = {(a[0] * (1 - x[q]) + b[0] * (1 + x[q])) / 2, (a[1] * (1 - x[q]) + b[1] * (1 + x[q])) / 2};
      const double value = fixed ? g->value(at[0], at[1]) : g->flux(at[0], at[1]) * hypot(b[0] - a[0], b[1] - a[1]) / 2;
      wisp_hdg_edge_modes(s->tables->N, x[q], psi);
      for (size_t k = 0; k < n; k++) given[edge * n + k] += w[q] * psi[k] * value;
    }
  }
}

static double *zeros(size_t count)
{
  double *list = calloc(count, sizeof *list);
  assert_non_null(list);
  return list;
}

typedef struct mesh_case {
  wisp_hdg *s;
  double tau[256], kappa[64], lambda[64];
  double *load; /* Np an element */
} mesh_case;

static wisp_hdg_factors factors_at(const mesh_case *c, size_t e, wisp_hdg_triangle *at)
{
  wisp_hdg_factors f;
  *at = wisp_hdg_triangle_at(c->s, e, c->tau + 3 * e, c->kappa[e], c->lambda[e]);
  wisp_hdg_factors_of(at, &f);
  return f;
}

/* The condensed matrix, dense, and the right-hand side: `rows` of each. */
static void make_system(const mesh_case *c, scalar *f, const double *given, double *A, double *b)
{
  const wisp_hdg *s = c->s;
  const size_t n = (size_t)s->tables->n, m = (size_t)s->tables->m, half = m * (m + 1) / 2, rows = s->free_edges * n;
  double *data = zeros((half + m) * WISP_SLAB_SLOTS(s->mesh->elements));
  double *blocks = zeros(WISP_HDG_ROW * n * n * WISP_SLAB_SLOTS(s->free_edges));
  double *sizes = zeros(WISP_HDG_ROW * n * n * WISP_SLAB_SLOTS(s->free_edges)), *b_sizes = zeros(rows);
  for (size_t e = 0; e < s->mesh->elements; e++) {
    wisp_hdg_triangle at;
    const wisp_hdg_factors factors = factors_at(c, e, &at);
    wisp_hdg_condensed of;
    integrate(s->tables, &at, factors.J, f, c->load + e * (size_t)s->tables->Np);
    GOOD(wisp_hdg_condense(err, s->tables, &factors, c->load + e * (size_t)s->tables->Np, &of));
    for (size_t i = 0; i < m * m; i++) data[WISP_SLAB(half + m, e, wisp_hdg_half(m, i / m, i % m))] = of.K[i];
    for (size_t i = 0; i < m; i++) data[WISP_SLAB(half + m, e, half + i)] = of.b[i];
  }
  wisp_hdg_assemble(s, data, given, blocks, b, sizes, b_sizes);
  for (size_t row = 0; row < rows; row++)
    for (size_t q = 0; q < WISP_HDG_ROW * n; q++) {
      const int32_t to = wisp_hdg_column(s, row / n, (int)(q / n));
      if (to >= 0 && (size_t)to < s->free_edges)
        A[row * rows + (size_t)to * n + q % n] += blocks[wisp_hdg_block_at(n, row / n, q / n, row % n, q % n)];
    }
  free(data), free(blocks), free(sizes), free(b_sizes);
}

static void check_centroids(const mesh_case *c, const double *trace, const cJSON *golden)
{
  const wisp_hdg *s = c->s;
  const size_t n = (size_t)s->tables->n;
  double ours[64], theirs[64];
  for (size_t e = 0; e < s->mesh->elements; e++) {
    wisp_hdg_triangle at;
    const wisp_hdg_factors f = factors_at(c, e, &at);
    wisp_hdg_inside inside;
    double local[M], values[4];
    for (size_t q = 0; q < 3 * n; q++) {
      const int32_t edge = s->edge[3 * e + q / n];
      local[q] = wisp_hdg_sign(edge, (int)(q % n)) * trace[(size_t)edge / 2 * n + q % n];
    }
    GOOD(wisp_hdg_recover(err, s->tables, &f, c->load + e * (size_t)s->tables->Np, local, &inside));
    evaluate(s->tables->N, inside.u, values);
    ours[e] = values[3];
  }
  compare("u_centroid", numbers_of(golden, "u_centroid", theirs), ours, theirs, 1e-11);
}

/* Where the file has each of our edges. */
static int edge_in(const cJSON *file, const wisp_hdg *s, size_t edge)
{
  double edges[256];
  const int count = numbers_of(file, "edges", edges) / 2, face = s->side[2 * edge];
  const int a = s->mesh->tri[face], b = s->mesh->tri[face / 3 * 3 + (face + 1) % 3];
  for (int e = 0; e < count; e++)
    if ((int)edges[2 * e] == (a < b ? a : b) && (int)edges[2 * e + 1] == (a < b ? b : a)) return e;
  fail_msg("edge %d-%d is not in the file", a, b);
  return -1;
}

static void check_order(const golden_mesh *g, const cJSON *file, const cJSON *golden, const wisp_mesh *mesh)
{
  static const int32_t dirichlet[] = {1};
  static double theirs[1024], ours[1024];
  const wisp_fixing fixed = {.count = 1, .tag = dirichlet};
  mesh_case c = {.s = NULL};
  GOOD(wisp_hdg_create(err, g->name, mesh, (int)number(golden, "P"), &fixed, &c.s));
  const size_t n = (size_t)c.s->tables->n, rows = c.s->free_edges * n, count = c.s->edges * n;
  double *A = zeros(rows * rows), *values = zeros(rows), *copy = zeros(rows * rows), *given = zeros(count);
  numbers_of(file, "tau", c.tau), numbers_of(file, "kappa", c.kappa), numbers_of(file, "lambda", c.lambda);
  c.load = zeros(mesh->elements * (size_t)c.s->tables->Np);
  give_edges(c.s, g, given);
  memcpy(ours, given, count * sizeof *given);
  make_system(&c, g->f, given, A, ours);
  memcpy(copy, A, rows * rows * sizeof *A);
  assert_int_equal(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', (int)rows, 1, A, (int)rows, ours, 1), 0);
  check_centroids(&c, ours, golden);
  memcpy(given, ours, count * sizeof *given);
  for (size_t i = 0; i < count; i++) ours[(size_t)edge_in(file, c.s, i / n) * n + i % n] = given[i];
  assert_int_equal(numbers_of(golden, "trace", theirs), (int)count);
  compare("trace", (int)count, ours, theirs, 1e-11);
  assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', (int)rows, copy, (int)rows, values), 0);
  numbers_of(golden, "eigenvalues", theirs);
  compare("eigenvalues", 2, (double[2]){values[0], values[rows - 1]}, theirs, 1e-11);
  free(A), free(values), free(copy), free(given), free(c.load);
  wisp_hdg_destroy(c.s);
}

static void test_golden_meshes(void **state)
{
  static const golden_mesh all[] = {{"mesh_box2", wave_source, wave, NULL},
                                    {"mesh_ragged", ragged_source, ragged_value, ragged_flux}};
  (void)state;
  for (size_t i = 0; i < WISP_COUNT(all); i++) {
    cJSON *file = load_golden(all[i].name);
    const cJSON *golden = NULL;
    wisp_mesh *mesh = read_mesh(file);
    cJSON_ArrayForEach(golden, cJSON_GetObjectItemCaseSensitive(file, "orders"))
        check_order(&all[i], file, golden, mesh);
    wisp_mesh_destroy(mesh);
    cJSON_Delete(file);
  }
}

/* --- identities --- */

/* A triangle of any shape whose angles are two degrees or more, of any place and size. */
static wisp_hdg_triangle random_triangle(uint64_t *random)
{
  wisp_hdg_triangle at = {.kappa = exp(wisp_random_real(random)), .lambda = 1 + wisp_random_real(random)};
  for (double least = 0; least < PI / 90;) {
    for (int i = 0; i < 6; i++) at.xy[i / 2][i % 2] = wisp_random_real(random);
    least = PI;
    for (int v = 0; v < 3; v++) {
      const double *o = at.xy[v], *a = at.xy[(v + 1) % 3], *b = at.xy[(v + 2) % 3];
      const double ax = a[0] - o[0], ay = a[1] - o[1], bx = b[0] - o[0], by = b[1] - o[1];
      least = fmin(least, atan2(ax * by - ay * bx, ax * bx + ay * by)); /* below 0: clockwise */
    }
  }
  for (int l = 0; l < 3; l++) at.tau[l] = exp(2 * wisp_random_real(random));
  return at;
}

/* out += scale A x, or A^T x. */
static void add(const double *A, int rows, int columns, bool transposed, double scale, const double *x, double *out)
{
  for (int i = 0; i < rows * columns; i++) {
    const int row = i / columns, column = i % columns;
    out[transposed ? column : row] += scale * A[i] * x[transposed ? row : column];
  }
}

/* K^e q - b^e = <kappa dq/dn, psi> for f = lambda q - kappa laplace(q), to 1e-12 of |K^e| |q|. */
static void check_polynomial(const wisp_hdg_tables *t, const wisp_hdg_triangle *at, const double *q)
{
  static const int normal[3][2] = {{0, -1}, {1, 1}, {-1, 0}};
  wisp_hdg_factors f;
  wisp_hdg_condensed of;
  double load[NP] = {0}, slope[2][NP] = {{0}}, trace[M] = {0}, flux[M] = {0}, norm = 0, size = 0;
  wisp_hdg_factors_of(at, &f);
  for (int a = 0; a < 2; a++) add(t->D[a], t->Np, t->Np, false, 1, q, slope[a]);
  for (int i = 0; i < t->Np; i++) load[i] = f.mass * q[i];
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++) add(t->D[a], t->Np, t->Np, false, -f.G[a + b], slope[b], load);
  for (int l = 0; l < 3; l++) {
    add(t->F[l], t->Np, t->n, true, 1, q, trace + l * t->n);
    for (int a = 0; a < 2; a++)
      for (int b = 0; b < 2; b++) add(t->F[l], t->Np, t->n, true, normal[l][a] * f.G[a + b], slope[b], flux + l * t->n);
  }
  GOOD(wisp_hdg_condense(err, t, &f, load, &of));
  for (int i = 0; i < t->m; i++) size += trace[i] * trace[i];
  for (int i = 0; i < t->m * t->m; i++) norm += of.K[i] * of.K[i];
  for (int i = 0; i < t->m; i++) {
    double left = -of.b[i] - flux[i];
    for (int j = 0; j < t->m; j++) left += of.K[i * t->m + j] * trace[j];
    if (!(fabs(left) <= 1e-12 * sqrt(norm * size)))
      fail_msg("P = %d: row %d is off by %g of %g", t->N, i, left, sqrt(norm * size));
  }
}

static void test_identities(void **state)
{
  enum { TRIANGLES = 112 }; /* of each order: 1008 */
  uint64_t random = wisp_random_from(5);
  (void)state;
  for (int P = 1; P <= WISP_HDG_MAX_ORDER; P++) {
    wisp_hdg_tables *t = NULL;
    GOOD(wisp_hdg_tables_create(err, P, &t));
    for (int i = 0; i < TRIANGLES; i++) {
      wisp_hdg_triangle at = random_triangle(&random);
      double q[NP] = {1};
      if (i % 4 == 0) at.lambda = 0;
      for (int k = 0; k < t->Np && i % 8; k++) q[k] = wisp_random_real(&random); /* else a constant */
      check_polynomial(t, &at, q);
    }
    wisp_hdg_tables_destroy(t);
  }
}

/* --- the saddle problem --- */

enum { SADDLE = 3 * NP };

/* In the Lagrange basis: (p, w)/kappa + (u, div w) and -(div p, v) + lambda (u, v) by quadrature. */
static void integrate_saddle(const wisp_hdg_tables *t, const wisp_hdg_factors *f, const double *lagrange, double *A)
{
  const int Np = t->Np, size = 3 * Np;
  wisp_quadrature rule = {0};
  double psi[NP], dpsi[2 * NP], phi[NP], slope[2][NP];
  GOOD(wisp_triangle_quadrature(err, 2 * t->N, &rule));
  for (size_t q = 0; q < rule.count; q++) {
    wisp_triangle_modes(t->N, rule.r[q], rule.s[q], psi, dpsi);
    memset(phi, 0, sizeof phi), memset(slope, 0, sizeof slope);
    add(lagrange, Np, Np, false, 1, psi, phi);
    for (int c = 0; c < 2; c++)
      for (int a = 0; a < 2; a++) add(lagrange, Np, Np, false, f->slope[a][c], dpsi + a * Np, slope[c]);
    const double w = rule.w[q] * f->J;
    for (int i = 0; i < Np; i++)
      for (int j = 0; j < Np; j++) {
        for (int c = 0; c < 2; c++) {
          A[(c * Np + i) * size + c * Np + j] += w * phi[i] * phi[j] / f->kappa;
          A[(c * Np + i) * size + 2 * Np + j] += w * slope[c][i] * phi[j];
          A[(2 * Np + i) * size + c * Np + j] -= w * phi[i] * slope[c][j];
        }
        A[(2 * Np + i) * size + 2 * Np + j] += f->mass / f->J * w * phi[i] * phi[j];
      }
  }
  wisp_quadrature_free(&rule);
}

/* <tau u, v>; on the right <Lambda, w.n> and <tau Lambda, v>; below <p.n - tau (u - Lambda), psi>. */
static void integrate_traces(const wisp_hdg_tables *t, const wisp_hdg_triangle *at, const double *lagrange, double *A,
                             double *B, double *C, double *K)
{
  const int Np = t->Np, size = 3 * Np, m = t->m;
  double x[WISP_HDG_MAX_N], w[WISP_HDG_MAX_N], psi[NP], phi[NP], mu[WISP_HDG_MAX_N], r, s;
  GOOD(wisp_jacobi_gauss(err, 0, 0, t->n, x, w));
  for (int l = 0; l < 3; l++)
    for (int q = 0; q < t->n; q++) {
      const double *a = at->xy[l], *b = at->xy[(l + 1) % 3], half = w[q] * wisp_hdg_length(at, l) / 2;
      const double normal[2] = {w[q] * (b[1] - a[1]) / 2, -w[q] * (b[0] - a[0]) / 2};
      wisp_hdg_on_edge(l, x[q], &r, &s);
      wisp_triangle_modes(t->N, r, s, psi, NULL);
      wisp_hdg_edge_modes(t->N, x[q], mu);
      memset(phi, 0, sizeof phi);
      add(lagrange, Np, Np, false, 1, psi, phi);
      for (int i = 0; i < Np; i++) {
        for (int j = 0; j < Np; j++) A[(2 * Np + i) * size + 2 * Np + j] += at->tau[l] * half * phi[i] * phi[j];
        for (int k = 0; k < t->n; k++) {
          const int at_k = l * t->n + k;
          for (int c = 0; c < 2; c++) {
            B[(c * Np + i) * m + at_k] += normal[c] * phi[i] * mu[k];
            C[(c * Np + i) * m + at_k] += normal[c] * phi[i] * mu[k];
          }
          B[(2 * Np + i) * m + at_k] += at->tau[l] * half * phi[i] * mu[k];
          C[(2 * Np + i) * m + at_k] -= at->tau[l] * half * phi[i] * mu[k];
        }
      }
      for (int k = 0; k < t->n; k++)
        for (int j = 0; j < t->n; j++) K[(l * t->n + k) * m + l * t->n + j] += at->tau[l] * half * mu[k] * mu[j];
    }
}

static void check_saddle(const wisp_hdg_tables *t, const wisp_hdg_triangle *at)
{
  static double A[SADDLE * SADDLE], B[SADDLE * M], C[SADDLE * M], K[M * M], lagrange[NP * NP], V[NP * NP];
  const int Np = t->Np, size = 3 * Np, m = t->m;
  const double nothing[NP] = {0};
  double r[NP], s[NP];
  int pivot[SADDLE];
  wisp_hdg_factors f;
  wisp_hdg_condensed of;
  wisp_hdg_factors_of(at, &f);
  memset(A, 0, sizeof A), memset(B, 0, sizeof B), memset(C, 0, sizeof C), memset(K, 0, sizeof K);
  GOOD(wisp_triangle_nodes(err, t->N, r, s));
  for (int i = 0; i < Np; i++) wisp_triangle_modes(t->N, r[i], s[i], V + i * Np, NULL);
  assert_int_equal(LAPACKE_dgetrf(LAPACK_ROW_MAJOR, Np, Np, V, Np, pivot), 0);
  assert_int_equal(LAPACKE_dgetri(LAPACK_ROW_MAJOR, Np, V, Np, pivot), 0);
  for (int i = 0; i < Np * Np; i++) lagrange[i] = V[i % Np * Np + i / Np]; /* V^-T */
  integrate_saddle(t, &f, lagrange, A);
  integrate_traces(t, at, lagrange, A, B, C, K);
  assert_int_equal(LAPACKE_dgesv(LAPACK_ROW_MAJOR, size, m, A, size, pivot, B, m), 0);
  for (int i = 0; i < m * m; i++)
    for (int k = 0; k < size; k++) K[i] += C[k * m + i / m] * B[k * m + i % m];
  GOOD(wisp_hdg_condense(err, t, &f, nothing, &of));
  compare("K", m * m, of.K, K, 1e-11);
}

static void test_saddle(void **state)
{
  uint64_t random = wisp_random_from(7);
  (void)state;
  for (int P = 1; P <= WISP_HDG_MAX_ORDER; P++) {
    wisp_hdg_tables *t = NULL;
    GOOD(wisp_hdg_tables_create(err, P, &t));
    const wisp_hdg_triangle at = random_triangle(&random);
    check_saddle(t, &at);
    wisp_hdg_tables_destroy(t);
  }
}

/* --- the kernels --- */

typedef struct checking {
  wisp_device *device;
  wisp_verifier *verifier;
  int count;
} checking;

static void verify(void *context, const plan_case *c)
{
  checking *all = context;
  wisp_binary binary = {0};
  wisp_kernel *kernel = NULL;
  wisp_plan *plan = NULL;
  wisp_error wrong = {.text = ""};
  double farthest = 0;
  const bool turn = c->spec.precision == (c->spec.order == 6 ? WISP_F32 : WISP_F64) && c->spec.order % 3 == 0;
  if (strcmp(c->family->name, "hdg") != 0 || !c->plan || !(turn || walks_in_full())) return;
  GOOD(wisp_plan_from_text(err, c->strategy, &c->spec, &c->layout, c->names, c->plan->params, &plan));
  GOOD(wisp_plan_compile(err, plan, wisp_device_limits(all->device)->target, &binary));
  GOOD(wisp_kernel_create(err, all->device, plan, &binary, &kernel));
  if (wisp_verifier_check(&wrong, all->verifier, kernel, &farthest) != WISP_OK)
    fail_msg("%s: %s", plan_case_text(c), wrong.text);
  wisp_kernel_destroy(kernel);
  wisp_plan_destroy(plan);
  free(binary.data);
  all->count++;
}

static void test_strategies(void **state)
{
  const plan_range range = {{5, 9}, {WISP_F32, WISP_F64}};
  checking all = {.device = open_test_device()};
  (void)state;
  compile_quickly();
  GOOD(wisp_verifier_create(err, all.device, &all.verifier));
  each_plan(wisp_device_limits(all.device), &range, verify, &all);
  assert_true(all.count >= 14);
  wisp_verifier_destroy(all.verifier);
  wisp_device_close(all.device);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_golden_elements), cmocka_unit_test(test_golden_meshes), cmocka_unit_test(test_identities),
      cmocka_unit_test(test_saddle),          cmocka_unit_test(test_strategies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
