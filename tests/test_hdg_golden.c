/* Claim: element matrices, fields, traces and eigenvalues of the hybridized method on triangles agree to 1e-11 with
 * those of an independent program (tests/golden/hdg). */
#include "test.h"
#include "../gen/jacobi.h"
#include "../gen/nodal/tet_internal.h"
#include "../runtime/hdg/reference_parts.h"

#include <lapacke.h>

static const double PI = 3.14159265358979323846;

enum { NP = WISP_HDG_MAX_NP, M = WISP_HDG_MAX_M, NS = WISP_HDG_MAX_NS };

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
  HELD(wisp_quadrature_free) wisp_quadrature rule = {0};
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

TEST(test_golden_elements)
{
  for (int P = 1; P <= 6; P++) {
    const cJSON *element = NULL;
    OWNED(wisp_hdg_tables_destroy) wisp_hdg_tables *t = NULL;
    OWNED(cJSON_Delete) cJSON *golden = json_file("tests/golden/hdg/tri_P%d.json", P);
    GOOD(wisp_hdg_tables_create(err, P, &t));
    cJSON_ArrayForEach(element, cJSON_GetObjectItemCaseSensitive(golden, "elements")) check_element(t, element);
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
  GOOD(wisp_mesh_connect(err, "golden", mesh));
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

/* The given values of boundary edges. */
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
  OWNED(free) double *data = zeros((half + m) * WISP_SLAB_SLOTS(s->mesh->elements));
  OWNED(free) double *blocks = zeros(WISP_HDG_ROW * n * n * WISP_SLAB_SLOTS(s->free_edges));
  OWNED(free) double *sizes = zeros(WISP_HDG_ROW * n * n * WISP_SLAB_SLOTS(s->free_edges)), *b_sizes = zeros(rows);
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

/* The place in the file of each of our edges. */
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

TEST(test_golden_meshes)
{
  static const golden_mesh all[] = {{"mesh_box2", wave_source, wave, NULL},
                                    {"mesh_ragged", ragged_source, ragged_value, ragged_flux}};
  for (size_t i = 0; i < WISP_COUNT(all); i++) {
    OWNED(cJSON_Delete) cJSON *file = json_file("tests/golden/hdg/%s.json", all[i].name);
    const cJSON *golden = NULL;
    OWNED(wisp_mesh_destroy) wisp_mesh *mesh = read_mesh(file);
    cJSON_ArrayForEach(golden, cJSON_GetObjectItemCaseSensitive(file, "orders"))
        check_order(&all[i], file, golden, mesh);
  }
}
