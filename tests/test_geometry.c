/* Claim: geometric factors, normals and norms are exact on elements of any shape, in every layout, with empty slots. */
#include "test.h"
#include "dg_case.h"

static double face_real(const wisp_dg *dg, size_t k, int f, int c)
{
  return dg->face_real[wisp_layout_element(&dg->layout, WISP_FACE_REALS, 4 * f + c, k)];
}

static int face_int(const wisp_dg *dg, size_t k, int c)
{
  return dg->face_int[wisp_layout_element(&dg->layout, WISP_FACE_INTS, c, k)];
}

/* Under valgrind, low orders stand for all. */
static int highest(void)
{
  return getenv("WISP_TEST_QUICK") ? 3 : 5;
}

/* Runs check for every layout of order N, natural and greedy, on a shaken box of n^3 cubes. */
static void everywhere(int N, int n, void (*check)(const wisp_dg *))
{
  dg_case c;
  wisp_layout layouts[8];
  dg_case_make(&c, N, n, 0.2);
  int count = wisp_layouts(c.tet->Np, 4 * c.tet->Nfp, layouts);
  for (int l = 0; l < count; l++)
    for (int how = WISP_GROUP_NATURAL; how <= WISP_GROUP_GREEDY; how++) {
      dg_case_discretise(&c, &layouts[l], (wisp_grouping)how, 5, "pec");
      check(c.dg);
    }
  dg_case_free(&c);
}

/* Normals are of length 1; the faces of an element close (Gauss on a constant); volumes fill the box. */
static void check_closed(const wisp_dg *dg)
{
  double volume = 0;
  size_t elements = 0;
  for (size_t k = 0; k < dg->slots; k++) {
    double sum[3] = {0};
    for (int f = 0; f < 4; f++) {
      double square = 0;
      for (int c = 0; c < 3; c++) {
        double n = face_real(dg, k, f, c);
        square += n * n;
        sum[c] += n * face_real(dg, k, f, 3) * dg->jacobian[k];
      }
      assert_true(dg->slot[k] == WISP_EMPTY ? square == 0 : fabs(square - 1) < 1e-14);
    }
    for (int c = 0; c < 3; c++) assert_true(fabs(sum[c]) < 1e-14);
    volume += 4.0 / 3 * dg->jacobian[k];
    elements += dg->slot[k] != WISP_EMPTY;
  }
  assert_true(fabs(volume - 1) < 1e-13);
  assert_int_equal(elements, dg->mesh->elements);
  assert_true(dg->slots > elements);
  assert_int_equal(dg->slots, dg->groups * (size_t)dg->layout.KM);
  assert_int_equal(dg->groups, dg->blocks * (size_t)dg->MB);
}

TEST(test_closed)
{
  for (int n = 1; n <= 3; n++) everywhere(2, n, check_closed);
}

/* From the vertices alone: the face's area vector, outward, by a cross product. */
static double area(const wisp_dg *dg, size_t k, int f, double a[3])
{
  const double *x[4], *v[3];
  for (int i = 0; i < 4; i++) x[i] = dg->mesh->xyz + 3 * dg->mesh->tet[4 * dg->slot[k] + i];
  for (int i = 0; i < 3; i++) v[i] = x[wisp_tet_face_vertices[f][i]];
  double inside = 0;
  for (int c = 0; c < 3; c++) {
    int d = (c + 1) % 3, e = (c + 2) % 3;
    a[c] = ((v[1][d] - v[0][d]) * (v[2][e] - v[0][e]) - (v[1][e] - v[0][e]) * (v[2][d] - v[0][d])) / 2;
  }
  for (int c = 0; c < 3; c++) inside += a[c] * ((x[0][c] + x[1][c] + x[2][c] + x[3][c]) / 4 - v[0][c]);
  for (int c = 0; c < 3; c++) a[c] = inside > 0 ? -a[c] : a[c];
  return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/* Normal times surface Jacobian is half the area vector (the reference face has area 2); the smallest 6 V / A. */
static void check_areas(const wisp_dg *dg)
{
  double shortest = HUGE_VAL;
  for (size_t k = 0; k < dg->slots; k++) {
    if (dg->slot[k] == WISP_EMPTY) continue;
    double surface = 0, a[3];
    for (int f = 0; f < 4; f++) {
      surface += area(dg, k, f, a);
      for (int c = 0; c < 3; c++)
        assert_true(fabs(face_real(dg, k, f, c) * face_real(dg, k, f, 3) * dg->jacobian[k] - a[c] / 2) < 1e-14);
    }
    shortest = fmin(shortest, 6 * 4.0 / 3 * dg->jacobian[k] / surface);
  }
  assert_true(fabs(dg->min_length / shortest - 1) < 1e-13);
}

TEST(test_areas)
{
  everywhere(1, 2, check_areas);
}

/* Powers of linear functions, a different one in each field. */
static double direction(int f, int c)
{
  return cos(1.0 + 3 * f + 2 * c);
}

static void power(const void *context, size_t count, const double *x, double t, double *u)
{
  const int *N = context;
  for (const double *end = x + 3 * count; x < end; x += 3)
    for (int f = 0; f < 6; f++)
      *u++ = pow(t + direction(f, 0) * x[0] + direction(f, 1) * x[1] + direction(f, 2) * x[2], *N);
}

static void check_derivatives(const wisp_dg *dg)
{
  int N = dg->tet->N, less = N - 1, Np = dg->tet->Np;
  double *u = dg_case_volume(dg), *du[3], *lower = dg_case_volume(dg);
  for (int c = 0; c < 3; c++) du[c] = dg_case_volume(dg);
  wisp_dg_fill(dg, power, &N, 0.3, u);
  wisp_dg_fill(dg, power, &less, 0.3, lower);
  wisp_reference_derivative(dg, u, du);
  size_t written = 0;
  for (size_t k = 0; k < dg->slots; k++)
    for (int f = 0; f < 6 && dg->slot[k] != WISP_EMPTY; f++)
      for (int i = 0; i < Np; i++) {
        size_t at = wisp_layout_volume(&dg->layout, 6, f, k, (size_t)i);
        for (int c = 0; c < 3; c++) assert_true(fabs(du[c][at] - N * direction(f, c) * lower[at]) < 1e-10);
      }
  for (size_t i = 0; i < wisp_dg_volume_size(dg); i++) written += isnan(du[0][i]) ? 0 : 1;
  assert_int_equal(written, dg->mesh->elements * 6 * (size_t)Np); /* no padding, no empty slot */
  for (int c = 0; c < 3; c++) free(du[c]);
  free(u);
  free(lower);
}

/* du/dt = -div F(u) of the Maxwell system, from the derivatives. */
static void check_volume(const wisp_dg *dg)
{
  double *u = dg_case_volume(dg), *rhs = dg_case_volume(dg), *du[3];
  for (int c = 0; c < 3; c++) du[c] = dg_case_volume(dg);
  dg_case_noise(dg, u);
  wisp_reference_derivative(dg, u, du);
  wisp_reference_volume(dg, u, rhs);
  for (size_t k = 0; k < dg->slots; k++)
    for (int f = 0; f < 6 && dg->slot[k] != WISP_EMPTY; f++)
      for (size_t i = 0; i < (size_t)dg->tet->Np; i++) {
        int c = f % 3, a = (c + 1) % 3, b = (c + 2) % 3, other = f < 3 ? 3 : 0;
        double curl = du[a][wisp_layout_volume(&dg->layout, 6, other + b, k, i)] -
                      du[b][wisp_layout_volume(&dg->layout, 6, other + a, k, i)];
        double got = rhs[wisp_layout_volume(&dg->layout, 6, f, k, i)];
        assert_true(fabs(got - (f < 3 ? curl : -curl)) < 1e-11);
      }
  for (int c = 0; c < 3; c++) free(du[c]);
  free(u);
  free(rhs);
}

TEST(test_derivatives)
{
  for (int N = 1; N <= highest(); N++) everywhere(N, 2, check_derivatives);
  everywhere(3, 2, check_volume);
}

/* Integrals of x^2N over the box, against the exact ones; a field that is represented has no error. */
static void x_power(const void *context, size_t count, const double *x, double t, double *u)
{
  for (size_t i = 0; i < 6 * count; i++) u[i] = t * pow(x[i / 6 * 3], *(const int *)context);
}

static void check_norms(const wisp_dg *dg)
{
  int N = dg->tet->N;
  double *u = dg_case_volume(dg), error, energy;
  wisp_dg_fill(dg, x_power, &N, 1, u);
  assert_int_equal(wisp_dg_l2_error(NULL, dg, u, x_power, &N, 1, &error), WISP_OK);
  assert_true(error < 1e-12);
  assert_int_equal(wisp_dg_l2_error(NULL, dg, u, x_power, &N, -2, &error), WISP_OK);
  assert_true(fabs(error - 3 * sqrt(6.0 / (2 * N + 1))) < 1e-12);
  GOOD(wisp_dg_energy(err, dg, u, &energy));
  assert_true(fabs(energy - 3.0 / (2 * N + 1)) < 1e-12);
  free(u);
}

TEST(test_norms)
{
  for (int N = 1; N <= highest(); N++) everywhere(N, 2, check_norms);
}

/* A face's nodes are those of its neighbour; normals are opposite, surface Jacobians equal. Boundaries and empty
 * slots point at themselves. */
static void coordinates(const void *context, size_t count, const double *x, double t, double *u)
{
  for (size_t i = 0; i < 6 * count; i++) u[i] = i % 6 < 3 ? x[i / 6 * 3 + i % 6] : t;
}

static size_t slot_at(const wisp_dg *dg, size_t address)
{
  size_t k = 0;
  while (wisp_layout_volume(&dg->layout, 6, 0, k, 0) != address) k++;
  return k;
}

static void check_face(const wisp_dg *dg, const double *u, size_t k, int f, const double *xyz)
{
  int code = face_int(dg, k, 4 + f), Nfp = dg->tet->Nfp, list = code % 32;
  size_t other = slot_at(dg, (size_t)face_int(dg, k, f)), KM = (size_t)dg->layout.KM;
  if (dg->mesh->neighbour[4 * dg->slot[k] + f] == WISP_BOUNDARY) {
    assert_true(other == k && code == 32 * (1 + wisp_system_boundary(dg->system, "pec")));
    return;
  }
  assert_true(code < 24 && dg->slot[other] == dg->mesh->neighbour[4 * dg->slot[k] + f]);
  for (int i = 0; i < Nfp; i++)
    for (int c = 0; c < 3; c++) {
      size_t node = (size_t)dg->tet->facelist[list * Nfp + i];
      double there = u[(size_t)face_int(dg, k, f) + (size_t)(c * dg->layout.NpM) +
                       (dg->layout.order == WISP_NODE_FASTEST ? node : node * KM)];
      assert_true(fabs(there - xyz[3 * dg->tet->Fmask[f * Nfp + i] + c]) < 1e-13);
    }
  for (int c = 0; c < 3; c++) assert_true(fabs(face_real(dg, k, f, c) + face_real(dg, other, list / 6, c)) < 1e-13);
  double ours = face_real(dg, k, f, 3) * dg->jacobian[k],
         theirs = face_real(dg, other, list / 6, 3) * dg->jacobian[other];
  assert_true(fabs(ours - theirs) < 1e-14);
}

static void check_faces(const wisp_dg *dg)
{
  double *u = dg_case_volume(dg), xyz[3 * 286];
  size_t written = 0;
  wisp_dg_fill(dg, coordinates, NULL, 1, u);
  for (size_t k = 0; k < dg->slots; k++) {
    wisp_dg_nodes(dg, k, xyz);
    for (int f = 0; f < 4; f++)
      if (dg->slot[k] != WISP_EMPTY)
        check_face(dg, u, k, f, xyz);
      else
        assert_true(face_int(dg, k, 4 + f) == 32 && slot_at(dg, (size_t)face_int(dg, k, f)) == k &&
                    face_real(dg, k, f, 3) == 0);
    for (int c = 0; c < WISP_GEO && dg->slot[k] == WISP_EMPTY; c++)
      assert_true(dg->geo[wisp_layout_element(&dg->layout, WISP_GEO, c, k)] == 0);
  }
  for (size_t i = 0; i < wisp_dg_volume_size(dg); i++) written += u[i] == 1;
  assert_true(written >= 3 * dg->mesh->elements * (size_t)dg->tet->Np); /* and no NaN: pads are 0 */
  for (size_t i = 0; i < wisp_dg_volume_size(dg); i++) assert_true(u[i] == u[i]);
  free(u);
}

TEST(test_faces)
{
  everywhere(1, 3, check_faces);
  everywhere(3, 2, check_faces);
}

/* Requests without meaning. */
TEST(test_refusals)
{
  dg_case c;
  wisp_error err = {0};
  dg_case_make(&c, 2, 1, 0);
  wisp_layout right = wisp_layout_slab(10, 24, 4), wrong = wisp_layout_slab(10, 20, 4);
  wisp_layout huge = {WISP_NODE_FASTEST, 10, 24, 1, 1 << 28, 1 << 10};
  assert_int_equal(wisp_dg_create(&err, c.mesh, c.tet, c.system, &wrong, 0, 1, 0, &c.dg), WISP_EUSAGE);
  assert_int_equal(wisp_dg_create(&err, c.mesh, c.tet, c.system, &right, 0, 0, 0, &c.dg), WISP_EUSAGE);
  assert_int_equal(wisp_dg_create(&err, c.mesh, c.tet, c.system, &right, 0, 1, 7, &c.dg), WISP_EUSAGE);
  assert_int_equal(wisp_dg_create(&err, c.mesh, c.tet, c.system, &right, 0, 1, -1, &c.dg), WISP_EUSAGE);
  assert_int_equal(wisp_dg_create(&err, c.mesh, c.tet, c.system, &huge, 0, 1, 0, &c.dg), WISP_EUSAGE);
  assert_non_null(strstr(err.text, "31 bits allow 1:"));
  assert_null(c.dg);
  dg_case_free(&c);
}
