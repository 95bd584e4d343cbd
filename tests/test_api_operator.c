/* Claim: a whole operator on the caller's hexes is what mathematics says of it, in the elements and assembled: a
 * stiffness takes constants to zero and a linear function to its gradient's energy, a mass adds up to the volume, the
 * diagonal is the diagonal. What makes no sense gets a status and a line. */
#include "test.h"
#include "api_case.h"
#include "solving.h"

enum { N = 3, VERTICES = (N + 1) * (N + 1) * (N + 1), ELEMENTS = N * N * N };

/* The box of 1 x 1 x 2 as N^3 hexes, vertices inside moved. */
typedef struct box {
  double xyz[3 * VERTICES];
  int corners[8 * ELEMENTS];
} box;

static double bent(const int at[3])
{
  return 0.04 * sin(M_PI * at[0] / N) * sin(M_PI * at[1] / N) * sin(M_PI * at[2] / N);
}

static void make_box(box *b)
{
  for (int v = 0; v < VERTICES; v++) {
    const int at[3] = {v % (N + 1), v / (N + 1) % (N + 1), v / (N + 1) / (N + 1)};
    for (int d = 0; d < 3; d++) b->xyz[3 * v + d] = (d == 2 ? 2 : 1) * ((double)at[d] / N + (1 + d) * bent(at));
  }
  for (int e = 0; e < ELEMENTS; e++)
    for (int c = 0; c < 8; c++) {
      const int x = e % N + c % 2, y = e / N % N + c / 2 % 2, z = e / N / N + c / 4;
      b->corners[8 * e + c] = (z * (N + 1) + y) * (N + 1) + x;
    }
}

static wisp_operator *make(wisp_session *session, const char *spec, double lambda, int assembled)
{
  wisp_operator *op = NULL;
  box b;
  make_box(&b);
  const wisp_operator_request request = {
      WISP_INIT(wisp_operator_request), spec, VERTICES, ELEMENTS, b.xyz, b.corners, lambda, assembled};
  GOOD(wisp_operator_create(err, session, &request, &op));
  return op;
}

/* y = A x for doubles on the host, in the precision that the operator has. */
static void apply(wisp_session *session, wisp_operator *op, bool single, const double *x, double *y)
{
  void *on_x = NULL, *on_y = NULL;
  size_t n = 0;
  GOOD(wisp_operator_size(err, op, &n));
  OWNED(free) float *narrow = allocate(n, sizeof *narrow);
  const size_t bytes = n * (single ? sizeof *narrow : sizeof *x);
  for (size_t i = 0; i < n; i++) narrow[i] = (float)x[i];
  GOOD(wisp_memory_create(err, session, bytes, &on_x));
  GOOD(wisp_memory_create(err, session, bytes, &on_y));
  GOOD(wisp_memory_put(err, session, on_x, single ? (const void *)narrow : x, bytes));
  GOOD(wisp_operator_apply(err, op, on_x, on_y, NULL));
  GOOD(wisp_memory_get(err, session, single ? (void *)narrow : y, on_y, bytes));
  for (size_t i = 0; single && i < n; i++) y[i] = (double)narrow[i];
  wisp_memory_destroy(session, on_x), wisp_memory_destroy(session, on_y);
}

static double product(size_t n, const double *x, const double *y)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}

static void close_to(const char *what, double is, double should, double tolerance)
{
  if (!(fabs(is - should) <= tolerance)) fail_msg("%s is %.15g, not %.15g", what, is, should);
}

static void check(wisp_session *session, const char *kernel, int order, bool single, int assembled)
{
  char spec[80], what[160];
  const bool mass = strncmp(kernel, "mass", 4) == 0;
  const double tolerance = single ? 2e-5 : 2e-12, lambda = mass ? 0 : 0.75;
  size_t n = 0;
  snprintf(spec, sizeof spec, "tensor.%s:hex:p%d:poisson:%s", kernel, order, single ? "f32" : "f64");
  snprintf(what, sizeof what, "%s, %s:", spec, assembled ? "assembled" : "in the elements");
  wisp_operator *op = make(session, spec, 0, assembled), *shifted = make(session, spec, lambda, assembled);
  GOOD(wisp_operator_size(err, op, &n));
  OWNED(free) double *x = allocate(8 * n, sizeof *x);
  double *one = x, *linear = x + n, *y = x + 2 * n, *diagonal = x + 3 * n, *nodes = x + 4 * n, *unit = x + 7 * n;
  GOOD(wisp_operator_nodes(err, op, nodes));
  for (size_t i = 0; i < n; i++) {
    one[i] = 1;
    linear[i] = 3 * nodes[3 * i] - nodes[3 * i + 1] + 0.5 * nodes[3 * i + 2];
  }
  apply(session, op, single, one, y); /* the box's volume is 2 */
  if (mass) close_to(what, product(n, one, y), 2, tolerance);
  for (size_t i = 0; !mass && i < n; i++) close_to(what, y[i], 0, 10 * tolerance);
  apply(session, op, single, linear, y);
  if (!mass) close_to(what, product(n, linear, y), 2 * (9 + 1 + 0.25), 20 * tolerance);
  apply(session, shifted, single, one, y);
  if (!mass) close_to(what, product(n, one, y), 2 * lambda, 20 * tolerance);
  GOOD(wisp_operator_diagonal(err, shifted, diagonal));
  for (size_t i = 0; i < n; i += n / 5) {
    for (size_t j = 0; j < n; j++) unit[j] = j == i;
    apply(session, shifted, single, unit, y);
    close_to(what, y[i], diagonal[i], tolerance * (1 + fabs(diagonal[i])));
  }
  wisp_operator_destroy(op), wisp_operator_destroy(shifted);
}

TEST(test_mathematics)
{
  static const char *const kernels[] = {"mass",           "stiffness",           "collocated",
                                        "mass_trilinear", "stiffness_trilinear", "collocated_trilinear"};
  OWNED(wisp_session_close) wisp_session *session = api_session();
  for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
    for (int assembled = 0; assembled < 2; assembled++) {
      check(session, kernels[k], 2 + (int)k % 3, false, assembled);
      check(session, kernels[k], 4 - (int)k % 3, true, assembled);
    }
}

TEST(test_nonsense)
{
  wisp_session *session = api_session();
  wisp_operator *op = NULL;
  wisp_kernel_info info;
  box b;
  size_t n = 0;
  void *x = NULL;
  make_box(&b);
  wisp_operator_request r = {
      WISP_INIT(wisp_operator_request), "tensor.mass:hex:p2:poisson:f64", VERTICES, ELEMENTS, b.xyz, b.corners, 0, 1};
  BAD(wisp_operator_create(err, NULL, &r, &op), WISP_EUSAGE, "session is NULL");
  BAD(wisp_operator_create(err, session, NULL, &op), WISP_EUSAGE, "NULL");
  r.spec = "tensor.update:hex:p2:poisson:f64";
  BAD(wisp_operator_create(err, session, &r, &op), WISP_EUSAGE, "no operator");
  r.spec = "nodal.volume:tet:p2:maxwell:f64";
  BAD(wisp_operator_create(err, session, &r, &op), WISP_EUSAGE, "no operator");
  r.spec = "tensor.mass:hex:p2:poisson:f64";
  r.elements = 0;
  BAD(wisp_operator_create(err, session, &r, &op), WISP_EUSAGE, "no elements");
  r.elements = ELEMENTS, r.corners = NULL;
  BAD(wisp_operator_create(err, session, &r, &op), WISP_EUSAGE, "corners is NULL");
  r.corners = b.corners, b.corners[9] = VERTICES;
  BAD(wisp_operator_create(err, session, &r, &op), WISP_EINPUT, "hex 1");
  make_box(&b);
  b.corners[8] = b.corners[9];
  BAD(wisp_operator_create(err, session, &r, &op), WISP_EINPUT, "hex 1");
  make_box(&b);
  memcpy(b.corners + 8, b.corners, 8 * sizeof *b.corners); /* the first one twice */
  BAD(wisp_operator_create(err, session, &r, &op), WISP_EINPUT, "operator");
  make_box(&b);
  assert_null(op);
  GOOD(wisp_operator_create(err, session, &r, &op));
  for (size_t i = 0; i < 3; i++) GOOD(wisp_operator_kernel(err, op, i, &info));
  assert_string_equal(info.kernel, "gather");
  BAD(wisp_operator_kernel(err, op, 3, &info), WISP_EMISSING, "no more");
  BAD(wisp_operator_size(err, NULL, &n), WISP_EUSAGE, "NULL");
  GOOD(wisp_operator_size(err, op, &n));
  assert_int_equal(n, (2 * N + 1) * (2 * N + 1) * (2 * N + 1));
  GOOD(wisp_memory_create(err, session, n * sizeof(double), &x));
  BAD(wisp_operator_apply(err, op, x, x, NULL), WISP_EUSAGE, "the same array");
  BAD(wisp_operator_apply(err, op, x, NULL, NULL), WISP_EUSAGE, "y is NULL");
  wisp_operator_destroy(op);
  BAD(wisp_operator_size(err, op, &n), WISP_EUSAGE, "it was closed");
  op = NULL;
  GOOD(wisp_operator_create(err, session, &r, &op));
  wisp_memory_destroy(session, x);
  wisp_session_close(session);
  BAD(wisp_operator_size(err, op, &n), WISP_EUSAGE, "session was closed");
  wisp_operator_destroy(op);
}
