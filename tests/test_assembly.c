/* Claim: sparse matrices are assembled right. The double assembly on the host, which the tuner verifies every candidate
 * with (test_kernels), has P1's closed forms and the integrals of higher orders, is symmetric, has rows that add up to
 * nothing where nothing is fixed, and a mass that adds up to the area. A form of the user's own reaches the kernels. */
#include "test.h"
#include "each_plan.h"
#include "store_fixture.h"
#include "verifying.h"
#include "../gen/nodal/tet.h"
#include "../runtime/assembly/reference.h"
#include "../runtime/mesh/source.h"
#include "../tuner/trial/problems.h"

#include <sys/stat.h>

/* --- the reference --- */

typedef struct matrix {
  wisp_mesh *mesh;
  wisp_assembly *assembly;
  double *values, *F, *sizes, *F_sizes, *u, *f, *kappa;
} matrix;

/* One after the other; false behind the last. */
static bool form_at(size_t i, char name[WISP_NAME_TEXT])
{
  HELD(wisp_text_free) wisp_text list = {0};
  GOOD(wisp_named_list(err, &wisp_forms, &list));
  const char *at = list.data;
  for (; at && i; i--) at = strstr(at, ", ") ? strstr(at, ", ") + 2 : NULL;
  if (at) snprintf(name, WISP_NAME_TEXT, "%.*s", (int)strcspn(at, ","), at);
  return at != NULL;
}

/* Assembles a form with these data at every node, on a moved and shuffled box. */
static void assemble(int corners, const char *form, int order, const wisp_fixing *fixed, double mass, matrix *m)
{
  const wisp_mesh_source source = {.box = {corners == 3 ? 5 : 2, 4}, .jitter = 0.2, .shuffle = true, .seed = 3};
  GOOD(wisp_mesh_make(err, corners, &source, &m->mesh));
  GOOD(wisp_assembly_create(err, "mesh", m->mesh, order, fixed, &m->assembly));
  GOOD(wisp_form_load(err, form, &m->assembly->form));
  const size_t nodes = m->assembly->nodes->nodes, rows = m->assembly->pattern->rows;
  m->values = zeros(m->assembly->pattern->nonzeros), m->sizes = zeros(m->assembly->pattern->nonzeros);
  m->F = zeros(rows), m->F_sizes = zeros(rows);
  m->u = zeros(nodes), m->f = zeros(nodes), m->kappa = zeros(6 * m->mesh->elements);
  for (size_t i = 0; i < nodes; i++) m->u[i] = sin(7.0 * (double)i), m->f[i] = 1;
  for (size_t e = 0; e < 6 * m->mesh->elements; e++) m->kappa[e] = 1 + (double)(e % 3);
  const wisp_form_data data = {
      .kappa = {1, 0, 1}, .density = 1, .mass = mass, .of_elements = m->kappa, .f = m->f, .u = m->u};
  GOOD(wisp_assembly_apply(err, m->assembly, &data, m->values, m->F, m->sizes, m->F_sizes));
}

static void free_matrix(matrix *m)
{
  double *const lists[] = {m->values, m->F, m->sizes, m->F_sizes, m->u, m->f, m->kappa};
  for (size_t i = 0; i < WISP_COUNT(lists); i++) free(lists[i]);
  wisp_assembly_destroy(m->assembly);
  wisp_mesh_destroy(m->mesh);
}

static double entry(const matrix *m, int32_t row, int32_t column)
{
  const wisp_pattern *p = m->assembly->pattern;
  return m->values[p->start[row] + wisp_pattern_slot(p, row, column)];
}

/* Nothing is fixed: constants have no slope, and F adds up to the area, the mass besides. */
TEST(test_sums)
{
  static const wisp_fixing nothing = {.all = false};
  static const double mass = 3;
  char name[WISP_NAME_TEXT];
  for (size_t f = 0; form_at(f, name); f++)
    for (int n = 0; !strstr(name, "dummy") && n < WISP_SIMPLEX_MAX_ORDER + 3; n++) {
      const int corners = n < WISP_SIMPLEX_MAX_ORDER ? 3 : 4, N = 1 + n % WISP_SIMPLEX_MAX_ORDER;
      matrix m = {.mesh = NULL};
      double all = 0, load = 0;
      assemble(corners, name, N, &nothing, mass, &m);
      const wisp_form *form = m.assembly->form;
      const wisp_pattern *p = m.assembly->pattern;
      for (int32_t row = 0; row < (int32_t)p->rows; row++) {
        double sum = 0;
        for (int32_t i = p->start[row]; i < p->start[row + 1]; i++) {
          sum += m.values[i];
          assert_true(fabs(m.values[i] - entry(&m, p->column[i], row)) <= 1e-14 * m.sizes[i]);
        }
        assert_true(form->mass || fabs(sum) < 1e-11);
        all += sum;
        load += m.F[row];
      }
      assert_true(fabs(all - (form->mass ? mass : 0)) < 1e-11);
      assert_true(fabs(load - 1) < 1e-12);
      free_matrix(&m);
    }
}

/* At order 1: A_ab = kappa e_a . e_b / 4T, e_a the edge across from a, all one way round; kappa the mean of its nodal
 * values; mass T (1 + delta_ab) / 12. */
TEST(test_closed_form)
{
  static const wisp_fixing nothing = {.all = false};
  static const double mass = 3;
  matrix m = {.mesh = NULL};
  assemble(3, "heat", 1, &nothing, mass, &m);
  OWNED(free) double *expected = zeros(m.assembly->pattern->nonzeros);
  for (size_t e = 0; e < m.mesh->elements; e++) {
    double edge[3][2], kappa = 0;
    for (size_t a = 0; a < 3; a++) {
      const int32_t from = m.mesh->tri[3 * e + (a + 1) % 3], to = m.mesh->tri[3 * e + (a + 2) % 3];
      const double u = m.u[m.assembly->nodes->node[3 * e + a]];
      for (size_t d = 0; d < 2; d++) edge[a][d] = m.mesh->xyz[3 * (size_t)to + d] - m.mesh->xyz[3 * (size_t)from + d];
      kappa += (1 + u * u) / 3;
    }
    const double T = (edge[0][0] * edge[1][1] - edge[0][1] * edge[1][0]) / 2;
    for (int i = 0; i < 9; i++) {
      const double *a = edge[i / 3], *b = edge[i % 3];
      expected[wisp_assembly_entry(m.assembly, e, i / 3, i % 3)] +=
          kappa * (a[0] * b[0] + a[1] * b[1]) / (4 * T) + mass * T * (1 + (i / 3 == i % 3)) / 12;
    }
  }
  for (size_t i = 0; i < m.assembly->pattern->nonzeros; i++) assert_true(fabs(m.values[i] - expected[i]) < 1e-13);
  free_matrix(&m);
}

/* Slopes by x, y, z of a polynomial whose slopes by r, s, t are given, times J; of the map's edges d. */
static void turn(double d[3][3], const double *const slope[3], int a, double out[3])
{
  for (int c = 0; c < 3; c++) {
    out[c] = 0;
    for (int v = 0; v < 3; v++) {
      const double *p = d[(v + 1) % 3], *q = d[(v + 2) % 3];
      out[c] += slope[v][a] * (p[(c + 1) % 3] * q[(c + 2) % 3] - p[(c + 2) % 3] * q[(c + 1) % 3]);
    }
  }
}

/* Entry (a, b) of an element as the integral that it is, by quadrature; load a is its last. */
static double integrate(const matrix *m, size_t e, int a, int b, double mass, double *load)
{
  HELD(wisp_quadrature_free) wisp_quadrature rule = {0};
  const wisp_simplex *s = m->assembly->simplex;
  const size_t corners = (size_t)m->mesh->corners;
  const int32_t *v = m->mesh->cell + corners * e, *node = m->assembly->nodes->node + e * (size_t)s->Np;
  double phi[WISP_ELEMENT_NODES], of[3][WISP_ELEMENT_NODES] = {{0}}, *const slopes[3] = {of[0], of[1], of[2]};
  double d[3][3] = {[2] = {0, 0, 1}}, A[3], B[3], sum = 0,
         J = wisp_mesh_corner(m->mesh, e, wisp_cells[4].frame[0], NULL);
  J /= corners == 3 ? 4 : 8;
  for (size_t i = 0; i < 3 * (corners - 1); i++)
    d[i / 3][i % 3] = (m->mesh->xyz[3 * v[1 + i / 3] + (int)(i % 3)] - m->mesh->xyz[3 * v[0] + (int)(i % 3)]) / 2;
  GOOD((corners == 3 ? wisp_triangle_quadrature : wisp_tet_quadrature)(err, 3 * s->N, &rule));
  *load = 0;
  for (size_t q = 0; q < rule.count; q++) {
    double kappa = 0, f = 0;
    wisp_simplex_at(s, (const double[3]){rule.r[q], rule.s[q], rule.t[q]}, phi, slopes);
    for (int i = 0; i < s->Np; i++) kappa += phi[i] * (1 + m->u[node[i]] * m->u[node[i]]), f += phi[i] * m->f[node[i]];
    turn(d, (const double *const *)slopes, a, A), turn(d, (const double *const *)slopes, b, B);
    sum += rule.w[q] * (kappa * (A[0] * B[0] + A[1] * B[1] + A[2] * B[2]) / J + mass * J * phi[a] * phi[b]);
    *load += rule.w[q] * J * f * phi[a];
  }
  return sum;
}

static void check_integrals(int corners, int N)
{
  static const wisp_fixing nothing = {.all = false};
  static const double mass = 3;
  matrix m = {.mesh = NULL};
  wisp_element_matrix of;
  double load;
  assemble(corners, "heat", N, &nothing, mass, &m);
  for (size_t i = 0; i < m.assembly->nodes->nodes; i++) m.f[i] = cos((double)i);
  const wisp_form_data data = {.kappa = {1, 0, 1}, .mass = mass, .f = m.f, .u = m.u};
  for (size_t e = 0; e < 2; e++) {
    wisp_assembly_element(m.assembly, &data, e, &of);
    const int Np = m.assembly->simplex->Np;
    for (int i = 0; i<Np * Np; i += Np> 20 ? 7 : 1) {
      assert_true(fabs(integrate(&m, e, i / Np, i % Np, mass, &load) - of.A[i]) < 1e-12);
      assert_true(fabs(load - of.load[i / Np]) < 1e-12);
    }
  }
  free_matrix(&m);
}

TEST(test_integrals)
{
  for (int N = 1; N <= WISP_SIMPLEX_MAX_ORDER; N++) {
    check_integrals(3, N);
    if (N <= 3) check_integrals(4, N);
  }
}

/* A u = F holds for a linear u that is given on the boundary, whatever the order: what fixed nodes take is in F. */
TEST(test_fixed)
{
  static const wisp_fixing boundary = {.all = true};
  for (int i = 1; i <= WISP_SIMPLEX_MAX_ORDER + 2; i++) {
    const int corners = i <= WISP_SIMPLEX_MAX_ORDER ? 3 : 4, N = corners == 3 ? i : i - WISP_SIMPLEX_MAX_ORDER + 1;
    matrix m = {.mesh = NULL};
    assemble(corners, "laplace", N, &boundary, 0, &m);
    const wisp_assembly *s = m.assembly;
    const wisp_form_data data = {.kappa = {1, 0, 0}, .u = m.u};
    OWNED(free) double *xy = zeros(3 * s->nodes->nodes);
    GOOD(wisp_simplexnodes_points(err, s->nodes, m.mesh, &wisp_frame_none, xy));
    for (size_t k = 0; k < s->nodes->nodes; k++) m.u[k] = 1 + 2 * xy[3 * k] - 3 * xy[3 * k + 1];
    memset(m.F, 0, s->pattern->rows * sizeof *m.F), memset(m.values, 0, s->pattern->nonzeros * sizeof *m.values);
    GOOD(wisp_assembly_apply(err, s, &data, m.values, m.F, m.sizes, m.F_sizes));
    for (size_t row = 0; row < s->pattern->rows; row++) {
      double sum = 0;
      for (int32_t k = s->pattern->start[row]; k < s->pattern->start[row + 1]; k++)
        sum += m.values[k] * m.u[s->pattern->column[k]];
      assert_true(fabs(sum - m.F[row]) < 1e-11);
    }
    free_matrix(&m);
  }
}

/* No two elements of one colour share a node, and each element has one colour. */
TEST(test_colours)
{
  static const wisp_fixing boundary = {.all = true};
  matrix m = {.mesh = NULL};
  assemble(3, "laplace", 3, &boundary, 0, &m);
  const wisp_assembly *s = m.assembly;
  const size_t Np = (size_t)s->simplex->Np;
  size_t *last = calloc(s->nodes->nodes, sizeof *last), all = 0;
  assert_non_null(last);
  assert_true(s->colours >= 3);
  for (size_t c = 0; c < s->colours; c++) {
    assert_int_equal(s->colour[c].first, all);
    for (size_t i = 0; i < s->colour[c].count; i++, all++)
      for (size_t a = 0; a < Np; a++) {
        size_t *seen = &last[s->nodes->node[(size_t)s->coloured[all] * Np + a]];
        assert_true(*seen != c + 1);
        *seen = c + 1;
      }
  }
  assert_int_equal(all, m.mesh->elements);
  free(last);

  /* Halved, they are twice as many, one after the other. */
  const wisp_fixed two_spans = {.made = true, .count = 1, .of = {{"launches_per_colour", 2, 1}}};
  wisp_discretisation d = {.family = NULL};
  GOOD(wisp_assembly_discretise(err, s, "laplace", &two_spans, &(wisp_cg_capacity){.pAp_parts = 1}, &d));
  assert_int_equal(d.cuts->spans, 2 * s->colours);
  for (size_t i = all = 0; i < d.cuts->spans; all += d.cuts->span[i++].count) {
    assert_int_equal(d.cuts->span[i].first, all);
    assert_int_equal(d.cuts->span[i].count, (s->colour[i / 2].count + i % 2) / 2);
  }
  assert_int_equal(all, m.mesh->elements);
  wisp_discretisation_destroy(&d);
  free_matrix(&m);
}

/* --- kernels --- */

/* A block takes more parts in turn than it holds lists of at once. */
TEST(test_parts_in_turn)
{
  wisp_spec spec = wisp_family_spec(wisp_family_find("assembly"), 3, "diffusion", WISP_F64);
  OWNED(wisp_strategies_free) wisp_strategies *strategies = NULL;
  wisp_plan *plan = NULL;
  OWNED(wisp_env_destroy) wisp_env *names = NULL;
  wisp_layout none[8];
  compile_quickly();
  verifying all = verifying_begin();
  const wisp_target target = wisp_limits_target(wisp_device_limits(all.device));
  wisp_spec_name_element(&spec, "tet");
  wisp_spec_name_kernel(&spec, "fill");
  assert_int_equal(wisp_family_layouts(&spec, none), 1);
  GOOD(wisp_strategies_load(err, &strategies));
  GOOD(wisp_names_create(err, &spec, none, &target, NULL, &names));
  const wisp_strategy *parts = wisp_strategies_find(strategies, "assembly", "fill", "shared-nonzeros");
  assert_non_null(parts);
  GOOD(wisp_plan_from_text(
      err, parts, &spec, none, names,
      "by_edges=0 codes_in_shared=0 lanes=256 matrices_in_shared=1 max_elements=48 min_blocks=0 ws=16", &plan));
  verifying_submit(&all, plan);
  verifying_end(&all, 1);
}

/* The least work is that of the mesh at hand: its own nonzeros, rows and vertices, not those of a large one. */
TEST(test_work)
{
  OWNED(wisp_device_close) wisp_device *device = open_test_device();
  OWNED(wisp_problems_destroy) wisp_problems *problems = NULL;
  const wisp_workload *workload = NULL;
  wisp_spec spec = wisp_family_spec(wisp_family_find("assembly"), 2, "laplace", WISP_F64);
  wisp_work zero, scatter, plain;
  GOOD(wisp_workload_find(err, "assembly", NULL, &workload));
  GOOD(wisp_problems_create(err, device, workload, &spec, 0, NULL, 0, &problems));
  const wisp_assembly *s = wisp_problems_test_mesh(problems);
  const double numbers = (double)(s->pattern->nonzeros + s->pattern->rows), elements = (double)s->mesh->elements;
  wisp_spec_name_kernel(&spec, "zero");
  GOOD(wisp_problems_work(err, problems, &spec, &zero));
  GOOD(wisp_family_work(err, &spec, elements, &plain));
  assert_true(fabs(zero.bytes - 8 * numbers) < 1 && fabs(zero.dofs - numbers) < 1 && zero.no_read);
  assert_true(fabs(plain.bytes - zero.bytes) > 100 && fabs(zero.adds) < 1);
  wisp_spec_name_kernel(&spec, "scatter");
  GOOD(wisp_problems_work(err, problems, &spec, &scatter));
  assert_true(fabs(scatter.adds - 42 * elements) < 1 && !scatter.no_read);
  const double words = (3 + 42) * elements, moved = 2 * (double)s->mesh->vertices + 2 * numbers;
  assert_true(fabs(scatter.bytes - 8 * moved - 4 * words) < 1);
}

/* --- a form of one's own --- */

static void write_form(const char *folder, const char *kappa)
{
  char text[256];
  snprintf(text, sizeof text, "# kappa at the nodes, as it is said here\nkappa nodes %s\nf number\n", kappa);
  fixture_write(fixture_path(folder, "assembly/own.form"), text, strlen(text));
}

/* A form is a text of the user's, and no C: kernels compute it as the reference does, their hash has it, and an error
 * in it names its line. */
TEST_IN_FOLDER(test_own_form)
{
  const char *folder = *state;
  char hash[2][20];
  wisp_device *device = open_test_device();
  wisp_verifier *verifier = NULL;
  wisp_form *form = NULL;
  wisp_error wrong = {.text = ""};
  assert_int_equal(mkdir(fixture_path(folder, "assembly"), 0700), 0);
  setenv("WISP_TEMPLATES", folder, 1);
  for (int i = 0; i < 2; i++) {
    wisp_spec spec = wisp_family_spec(wisp_family_find("assembly"), 1, "own", i ? WISP_F64 : WISP_F32);
    OWNED(wisp_strategies_free) wisp_strategies *strategies = NULL;
    double error = 0;
    write_form(folder, i ? "1 + max(kappa1, 0.5) * pow(u, 2)" : "kappa0 + u * u / (1 + sqrt(2 + cos(kappa1)))");
    wisp_spec_name_element(&spec, i ? "tet" : "tri");
    wisp_spec_name_kernel(&spec, "fill");
    GOOD(wisp_strategies_load(err, &strategies));
    GOOD(wisp_verifier_create(err, device, &verifier));
    const wisp_strategy *rows = wisp_strategies_find(strategies, "assembly", "fill", "rows");
    if (verify_strategy(&wrong, device, verifier, rows, &spec, NULL, &error) != WISP_OK) fail_msg("%s", wrong.text);
    wisp_strategy_hash(rows, "own", "host", hash[i]);
    wisp_verifier_destroy(verifier);
  }
  wisp_device_close(device);
  assert_string_not_equal(hash[0], hash[1]);
  write_form(folder, "1 + v");
  assert_int_equal(wisp_form_load(&wrong, "own", &form), WISP_EINPUT);
  assert_non_null(strstr(wrong.text, "assembly/own.form:2: expression '1 + v', column 5"));
  assert_int_equal(wisp_form_load(&wrong, "none", &form), WISP_EUSAGE);
  assert_non_null(
      strstr(wrong.text, "there are: anisotropic, diffusion, heat, heat_dummy, laplace, laplace_dummy, own"));
  unsetenv("WISP_TEMPLATES");
}
