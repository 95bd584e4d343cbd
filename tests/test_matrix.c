/* Claim: a program has its matrix assembled into its own arrays: with its own vertices' order in rows, a pattern that
 * has every pair of an element's nodes, twice with different coefficients, the values that mathematics says; fixed
 * nodes are in F. What makes no sense gets a status and a line. */
#include "test.h"
#include "api_case.h"
#include "parts.h"
#include "solving.h"
#include "store_fixture.h"
#include "../gen/strategy/strategy.h"
#include "../gen/text.h"

enum { N = 3, VERTICES = (N + 1) * (N + 1), ELEMENTS = 2 * N * N };

/* The unit square, cut both ways in turn; x = 0 is fixed. */
typedef struct square {
  double xyz[3 * VERTICES];
  int corners[3 * ELEMENTS];
  unsigned char fixed[VERTICES];
} square;

static void make_square(square *s)
{
  *s = (square){.xyz = {0}};
  for (int v = 0; v < VERTICES; v++) {
    s->xyz[3 * v] = (double)(v % (N + 1)) / N, s->xyz[3 * v + 1] = (double)(v / (N + 1)) / N;
    s->fixed[v] = v % (N + 1) == 0;
  }
  for (int e = 0; e < ELEMENTS; e++) {
    const int q = e / 2, low = q / N * (N + 1) + q % N, turn = q % 2;
    const int of[2][2][3] = {{{0, 1, N + 2}, {0, N + 2, N + 1}}, {{0, 1, N + 1}, {1, N + 2, N + 1}}};
    for (int c = 0; c < 3; c++) s->corners[3 * e + c] = low + of[turn][e % 2][c];
  }
}

static wisp_matrix_request request_for(const square *s, const char *spec)
{
  return (wisp_matrix_request){
      WISP_INIT(wisp_matrix_request), .spec = spec,     .vertices = VERTICES, .elements = ELEMENTS, .xyz = s->xyz,
      .corners = s->corners,          .fixed = s->fixed};
}

/* A matrix, its sizes and pattern, room for its numbers on the device and here. */
typedef struct bench {
  wisp_session *session;
  wisp_matrix *matrix;
  wisp_matrix_counts n;
  int *start, *column, *row;
  double *values, *F, *xyz;
  void *on_values, *on_F, *on_u, *on_f;
} bench;

/* The session becomes the bench's. */
static void open_bench(bench *b, wisp_session *session, const wisp_matrix_request *request)
{
  b->session = session;
  GOOD(wisp_matrix_create(err, b->session, request, &b->matrix));
  GOOD(wisp_matrix_size(err, b->matrix, &b->n));
  b->start = calloc(b->n.rows + 1 + 2 * b->n.nonzeros, sizeof *b->start);
  b->values = calloc(b->n.nonzeros + b->n.rows + 3 * b->n.nodes, sizeof *b->values);
  assert_true(b->start && b->values);
  b->column = b->start + b->n.rows + 1, b->row = b->column + b->n.nonzeros;
  b->F = b->values + b->n.nonzeros, b->xyz = b->F + b->n.rows;
  GOOD(wisp_matrix_pattern(err, b->matrix, b->start, b->column, b->row));
  GOOD(wisp_matrix_nodes(err, b->matrix, b->xyz, NULL, NULL));
  GOOD(wisp_memory_create(err, b->session, b->n.nonzeros * sizeof *b->values, &b->on_values));
  GOOD(wisp_memory_create(err, b->session, b->n.rows * sizeof *b->F, &b->on_F));
  GOOD(wisp_memory_create(err, b->session, b->n.nodes * sizeof *b->F, &b->on_u));
  GOOD(wisp_memory_create(err, b->session, b->n.nodes * sizeof *b->F, &b->on_f));
}

static void close_bench(bench *b)
{
  void *const all[] = {b->on_values, b->on_F, b->on_u, b->on_f};
  for (int i = 0; i < 4; i++) wisp_memory_destroy(b->session, all[i]);
  wisp_matrix_destroy(b->matrix);
  wisp_session_close(b->session);
  free(b->start), free(b->values);
}

static void assemble(bench *b, const wisp_matrix_data *data)
{
  GOOD(wisp_matrix_assemble(err, b->matrix, data, b->on_values, b->on_F, NULL));
  GOOD(wisp_session_finish(err, b->session));
  GOOD(wisp_memory_get(err, b->session, b->values, b->on_values, b->n.nonzeros * sizeof *b->values));
  GOOD(wisp_memory_get(err, b->session, b->F, b->on_F, b->n.rows * sizeof *b->F));
}

/* A heat problem with kappa = 1 + u^2, where u and f are 1. */
static void assemble_ones(bench *b, double mass)
{
  OWNED(free) double *ones = zeros(b->n.nodes);
  for (size_t i = 0; i < b->n.nodes; i++) ones[i] = 1;
  GOOD(wisp_memory_put(err, b->session, b->on_u, ones, b->n.nodes * sizeof *ones));
  GOOD(wisp_memory_put(err, b->session, b->on_f, ones, b->n.nodes * sizeof *ones));
  assemble(b, &(wisp_matrix_data){WISP_INIT(wisp_matrix_data), .kappa = {1, 0, 1}, .mass = mass, .u = b->on_u,
                                  .f = b->on_f});
}

/* u = 1 + 2 x - 3 y, given where x = 0, solves -div(kappa grad u) = 0; natural elsewhere: rows of nodes inside hold. */
static void check_linear(bench *b, double kappa)
{
  OWNED(free) double *u = zeros(b->n.nodes);
  for (size_t i = 0; i < b->n.nodes; i++) u[i] = 1 + 2 * b->xyz[3 * i] - 3 * b->xyz[3 * i + 1];
  GOOD(wisp_memory_put(err, b->session, b->on_u, u, b->n.nodes * sizeof *u));
  assemble(b, &(wisp_matrix_data){WISP_INIT(wisp_matrix_data), .kappa = {kappa}, .u = b->on_u});
  for (size_t row = 0; row < b->n.rows; row++) {
    double sum = -b->F[row], diagonal = 0;
    for (int i = b->start[row]; i < b->start[row + 1]; i++) {
      sum += b->values[i] * u[b->column[i]];
      if (b->column[i] == (int)row) diagonal = b->values[i];
      assert_int_equal(b->row[i], row);
      assert_true(i == b->start[row] || b->column[i] > b->column[i - 1]);
    }
    const double x = b->xyz[3 * row], y = b->xyz[3 * row + 1];
    assert_true(diagonal > 0);
    if (x < 1 - 1e-12 && y > 1e-12 && y < 1 - 1e-12) assert_true(fabs(sum) < 1e-12 * kappa);
  }
}

TEST(test_twice)
{
  static const char *const specs[] = {"assembly.step:tri:p1:laplace:f64", "assembly.step:tri:p3:laplace:f64"};
  square s;
  make_square(&s);
  for (int i = 0; i < 2; i++)
    for (int reproducible = 0; reproducible < 2; reproducible++) {
      bench b;
      wisp_matrix_request request = request_for(&s, specs[i]);
      request.reproducible = reproducible;
      open_bench(&b, api_session(), &request);
      check_linear(&b, 1);
      const double before = b.values[0];
      check_linear(&b, 8);
      assert_true(fabs(b.values[0] - 8 * before) <= 1e-12 * fabs(b.values[0]));
      for (int bad = 0; bad < 2; bad++)
        BAD(wisp_matrix_assemble(err, b.matrix,
                                 &(wisp_matrix_data){WISP_INIT(wisp_matrix_data), .kappa = {bad ? NAN : 0}},
                                 b.on_values, b.on_F, NULL),
            WISP_EUSAGE, "must be positive");
      close_bench(&b);
    }
}

/* Rows are the vertices that are not fixed, in the caller's order, with pairs of an element's vertices; mass and kappa
 * by nodes: all entries of a heat problem with f = 1 and nothing fixed. */
TEST(test_order_and_sums)
{
  square s;
  bench b;
  double sum = 0, load = 0, area = 1;
  make_square(&s);
  wisp_matrix_request request = request_for(&s, "assembly.step:tri:p2:heat:f64");
  request.fixed = NULL;
  open_bench(&b, api_session(), &request);
  for (size_t v = 0; v < 3 * VERTICES; v++) assert_true(fabs(b.xyz[v] - s.xyz[v]) < 1e-15);
  assemble_ones(&b, 3);
  for (size_t i = 0; i < b.n.nonzeros; i++) sum += b.values[i];
  for (size_t row = 0; row < b.n.rows; row++) load += b.F[row];
  assert_true(fabs(sum - 3 * area) < 1e-12 && fabs(load - area) < 1e-12);
  BAD(wisp_matrix_assemble(err, b.matrix, &(wisp_matrix_data){WISP_INIT(wisp_matrix_data), .kappa = {1}, .f = b.on_f},
                           b.on_values, b.on_F, NULL),
      WISP_EUSAGE, "needs u");
  close_bench(&b);
}

/* --- elements around a vertex --- */

enum { AROUND = 40 };

/* A store in which lists of 32 elements a group won, on another device. Shipped winners of this very device would be
 * preferred, so the test turns them off. */
static void let_gathers_win(const char *path)
{
  static const char *const of[][3] = {
      {"fill", "gathered-products",
       "gather_unroll=4 group_elements=32 lanes=32 pairs_per_thread=4 shared_products=192 tensor_cores=0"},
      {"step", "fill", ""}};
  OWNED(wisp_strategies_free) wisp_strategies *strategies = NULL;
  const bool on_host = strcmp(test_device_name(), "host") == 0;
  GOOD(wisp_strategies_load(err, &strategies));
  for (int i = 0; i < 2; i++) {
    wisp_trial t = fixture_trial(1);
    snprintf(t.spec, sizeof t.spec, "assembly.%s:tri:p2:heat:f64", of[i][0]);
    strcpy(t.layout, "none"), strcpy(t.strategy, of[i][1]), strcpy(t.params, of[i][2]);
    strcpy(t.target, on_host ? "host" : "sm_90"), strcpy(t.device, "another");
    wisp_strategy_hash(wisp_strategies_find(strategies, "assembly", "fill", "gathered-products"), "heat",
                       on_host ? "host" : "cuda", t.template_hash);
    fixture_put(path, &t, 1);
  }
}

/* More elements around a vertex than a group of the winner's holds: the same strategy with longer lists. Constants have
 * no gradient, mass adds up to the area, with nothing fixed. */
TEST_IN_FOLDER(test_busy_vertex)
{
  const char *store = fixture_path(*state, "won.db");
  const wisp_session_request from = {WISP_INIT(wisp_session_request), .device = test_device_name(), .store = store};
  wisp_session *session = NULL;
  wisp_kernel_info info;
  double sum = 0, load = 0;
  const double area = AROUND / 2.0 * sin(2 * M_PI / AROUND);
  OWNED(wisp_mesh_destroy) wisp_mesh *fan = make_fan(AROUND);
  bench b;
  setenv("WISP_SHIPPED", "none", 1);
  let_gathers_win(store);
  GOOD(wisp_session_open(err, &from, &session));
  open_bench(&b, session,
             &(wisp_matrix_request){WISP_INIT(wisp_matrix_request), .spec = "assembly.step:tri:p2:heat:f64",
                                    .vertices = fan->vertices, .elements = fan->elements, .xyz = fan->xyz,
                                    .corners = fan->tri});
  GOOD(wisp_matrix_kernel(err, b.matrix, 0, &info));
  assert_string_equal(info.strategy, "gathered-products");
  assert_non_null(strstr(info.params, "group_elements=64"));
  assert_non_null(strstr(info.note, "row 0 has 40 elements around it"));
  assemble_ones(&b, 3);
  for (size_t row = 0; row < b.n.rows; row++) {
    double of_row = 0;
    for (int i = b.start[row]; i < b.start[row + 1]; i++) of_row += b.values[i];
    assert_true(fabs(of_row - 3 * b.F[row]) < 1e-12); /* both 3 times the integral of its function */
    sum += of_row, load += b.F[row];
  }
  assert_true(fabs(sum - 3 * area) < 1e-12 && fabs(load - area) < 1e-12);
  close_bench(&b);
  unsetenv("WISP_SHIPPED");
}

/* The unit cube as six tets around a diagonal, each by a way along its edges. */
typedef struct cube {
  double xyz[24];
  int corners[24];
  unsigned char fixed[8];
} cube;

static void make_cube(cube *c)
{
  static const int splits[6][3] = {{1, 2, 4}, {2, 4, 1}, {4, 1, 2}, {1, 4, 2}, {2, 1, 4}, {4, 2, 1}};
  for (int i = 0; i < 24; i++) c->xyz[i] = i / 3 >> i % 3 & 1;
  for (int v = 0; v < 8; v++) c->fixed[v] = v % 2 == 0; /* x = 0 */
  for (int e = 0; e < 6; e++)
    for (int k = 0, at = 0; k < 4; at += k < 3 ? splits[e][k] : 0, k++)
      c->corners[4 * e + (e < 3 || k < 2 ? k : 5 - k)] = at; /* right-handed */
}

static void write_cube(const cube *c, const char *path)
{
  HELD(wisp_text_free) wisp_text text = {0};
  GOOD(wisp_text_print(err, &text, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n"));
  for (int v = 0; v < 8; v++)
    GOOD(wisp_text_print(err, &text, "%d %g %g %g\n", v + 1, c->xyz[3 * v], c->xyz[3 * v + 1], c->xyz[3 * v + 2]));
  GOOD(wisp_text_print(err, &text, "$EndNodes\n$Elements\n8\n1 2 2 7 1 1 3 7\n2 2 2 7 1 1 5 7\n"));
  for (int e = 0; e < 6; e++) {
    const int *v = c->corners + 4 * e;
    GOOD(wisp_text_print(err, &text, "%d 4 2 1 1 %d %d %d %d\n", e + 3, v[0] + 1, v[1] + 1, v[2] + 1, v[3] + 1));
  }
  GOOD(wisp_text_print(err, &text, "$EndElements\n"));
  fixture_write(path, text.data, strlen(text.data));
}

/* The device holds the arrays that were set. */
static void check_on_device(const bench *b)
{
  const int *start = NULL, *columns = NULL;
  OWNED(free) int *got = calloc(b->n.rows + 1 + b->n.nonzeros, sizeof *got);
  assert_non_null(got);
  GOOD(wisp_matrix_pattern_on_device(err, b->matrix, &start, &columns));
  GOOD(wisp_memory_get(err, b->session, got, start, (b->n.rows + 1) * sizeof *got));
  GOOD(wisp_memory_get(err, b->session, got + b->n.rows + 1, columns, b->n.nonzeros * sizeof *got));
  assert_memory_equal(got, b->start, (b->n.rows + 1 + b->n.nonzeros) * sizeof *got);
}

/* Tets of a program and of a file are one matrix: of 27 nodes nine are fixed, where x = 0; u = x leaves nothing inside.
 */
TEST_IN_FOLDER(test_tets_and_file)
{
  static const int tag = 7;
  const char *path = fixture_path(*state, "cube.msh");
  cube c;
  make_cube(&c);
  write_cube(&c, path);
  for (int form = 0; form < 2; form++) {
    bench of[2];
    for (int file = 0; file < 2; file++) {
      wisp_matrix_request r = {WISP_INIT(wisp_matrix_request),
                               .spec = form ? "assembly.step:tet:p2:laplace:f64" : "assembly.step:tet:p1:laplace:f64"};
      if (file)
        r.mesh = path, r.tags = &tag, r.tag_count = 1;
      else
        r.vertices = 8, r.elements = 6, r.xyz = c.xyz, r.corners = c.corners, r.fixed = c.fixed;
      open_bench(&of[file], api_session(), &r);
      assert_int_equal(of[file].n.nodes, form ? 27 : 8);
      assert_int_equal(of[file].n.rows, form ? 18 : 4);
      check_on_device(&of[file]);
      check_linear(&of[file], 2);
    }
    assert_int_equal(of[0].n.nonzeros, of[1].n.nonzeros);
    for (size_t i = 0; i < of[0].n.nonzeros; i++) assert_true(fabs(of[0].values[i] - of[1].values[i]) < 1e-13);
    close_bench(&of[0]), close_bench(&of[1]);
  }
  wisp_matrix *none = NULL;
  OWNED(wisp_session_close) wisp_session *session = api_session();
  const wisp_matrix_request missing = {WISP_INIT(wisp_matrix_request), .spec = "assembly.step:tet:p1:laplace:f64",
                                       .mesh = path, .tags = (const int[]){9}, .tag_count = 1};
  BAD(wisp_matrix_create(err, session, &missing, &none), WISP_EUSAGE, "no face of the boundary has the tag 9");
}

TEST(test_bad)
{
  square s;
  wisp_matrix *m = NULL;
  OWNED(wisp_session_close) wisp_session *session = api_session();
  make_square(&s);
  wisp_matrix_request request = request_for(&s, "assembly.step:tri:p1:laplace:f64");
#define REFUSED(status, words) BAD(wisp_matrix_create(err, session, &request, &m), status, words)
  s.corners[5] = VERTICES;
  REFUSED(WISP_EINPUT, "16");
  s.corners[5] = -1;
  REFUSED(WISP_EINPUT, "-1");
  make_square(&s);
  s.corners[0] = s.corners[1];
  REFUSED(WISP_EINPUT, "");
  make_square(&s);
  memcpy(s.corners + 3, s.corners, 3 * sizeof *s.corners); /* twice */
  REFUSED(WISP_EINPUT, "overlap");
  make_square(&s);
  s.xyz[3 * (N + 2)] = 0, s.xyz[3 * (N + 2) + 1] = 0.5; /* flat */
  REFUSED(WISP_EINPUT, "without area");
  make_square(&s);
  request.vertices = VERTICES + 1; /* one more, which no triangle has */
  double more[3 * VERTICES + 3] = {0};
  memcpy(more, s.xyz, sizeof s.xyz);
  unsigned char none[VERTICES + 1] = {0};
  request.xyz = more, request.fixed = none;
  REFUSED(WISP_EINPUT, "vertex 16");
  request.vertices = VERTICES, request.xyz = s.xyz, request.fixed = s.fixed;
  s.fixed[N + 2] = 1; /* inside */
  REFUSED(WISP_EINPUT, "vertex 5 is fixed");
  make_square(&s);
  request.spec = "assembly.step:tri:p6:laplace:f64";
  REFUSED(WISP_EUSAGE, "6");
  request.spec = "assembly.step:tri:p1:maxwell:f64";
  REFUSED(WISP_EUSAGE, "maxwell");
  request.spec = "tensor.mass:hex:p1:poisson:f64";
  REFUSED(WISP_EUSAGE, "no matrix");
  request.spec = "assembly.step:tri:p1:laplace:f64";
  request.elements = 0;
  REFUSED(WISP_EUSAGE, "no elements");
  request.corners = NULL;
  REFUSED(WISP_EUSAGE, "corners is NULL");
}
