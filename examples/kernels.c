/* Tuned kernels on a program's own arrays: on a GPU in its own context and stream, else on the host. In C or C++:
 *
 *     cc kernels.c $(pkg-config --cflags --libs wisp) -ldl -lm -o kernels && ./kernels
 */
#include <wisp.h>

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int (*cuInit)(unsigned);
static int (*cuDevicePrimaryCtxRetain)(void **, int);
static int (*cuCtxSetCurrent)(void *);
static int (*cuStreamCreate)(void **, unsigned);
static int (*cuMemAllocManaged)(void **, size_t, unsigned);
static void *context; /* NULL: on the host */
static void *stream;
static wisp_session *session;
static wisp_error err;
#define DO(call) ((call) == 0 ? (void)0 : exit((fprintf(stderr, "%s: %s\n", #call, err.text), 1)))
#define FIND(name) (*(void **)&name = dlsym(driver, #name))

static void open_gpu(void *driver)
{
  if (!driver || !FIND(cuInit) || !FIND(cuDevicePrimaryCtxRetain) || !FIND(cuCtxSetCurrent)) return;
  if (!FIND(cuStreamCreate) || !FIND(cuMemAllocManaged) || cuInit(0) != 0) return;
  DO(cuDevicePrimaryCtxRetain(&context, 0));
  DO(cuCtxSetCurrent(context));
  DO(cuStreamCreate(&stream, 0));
}

static double *array(size_t n) /* of zeros, for this program and for kernels */
{
  void *memory = context ? NULL : malloc(n * sizeof(double));
  if (context) DO(cuMemAllocManaged(&memory, n * sizeof(double), 1));
  return (double *)memset(memory, 0, n * sizeof(double));
}

/* On tets x = (r + s, s + t, t) / 2 of order 4, for E = (y^4, z^4, x^4): dH/dt = -curl E = 4 (z^3, x^3, y^3). How far
 * the kernel is off. */
static double run_volume(void)
{
  const wisp_count counts[] = {{"elements", 1000}, {NULL, 0}};
  const double dr_dx[9] = {2, -2, 2, 0, 2, -2, 0, 0, 2};
  double r[35][3];
  double wrong = 0;
  size_t n;
  size_t m;
  wisp_kernel *volume;
  wisp_field_layout l;
  DO(wisp_kernel_open(&err, session, "nodal.volume:tet:p4:maxwell:f64", NULL, &volume));
  DO(wisp_kernel_layout(&err, volume, &l));
  DO(wisp_kernel_nodes(&err, volume, r[0]));
  DO(wisp_kernel_size(&err, volume, "u", counts, &n));
  DO(wisp_kernel_size(&err, volume, "geo", counts, &m));
  double *u = array(n);
  double *rhs = array(n);
  double *exact = array(n);
  double *geo = array(m);
  for (size_t i = 0; i < m; i++) geo[i] = dr_dx[i / l.per_group % 9];
  for (size_t q = 0; q < counts->value * l.nodes * 3; q++) {
    const size_t f = q % 3;
    const size_t i = q / 3 % l.nodes;
    const size_t k = q / 3 / l.nodes;
    const double x[3] = {(r[i][0] + r[i][1]) / 2, (r[i][1] + r[i][2]) / 2, r[i][2] / 2};
    u[wisp_field_address(&l, f, k, i)] = pow(x[(f + 1) % 3], 4);
    exact[wisp_field_address(&l, 3 + f, k, i)] = 4 * pow(x[(f + 2) % 3], 3);
  }
  DO(wisp_kernel_bind(&err, volume, "u", u, n));
  DO(wisp_kernel_bind(&err, volume, "rhs", rhs, n));
  DO(wisp_kernel_bind(&err, volume, "geo", geo, m));
  DO(wisp_kernel_launch(&err, volume, counts, stream));
  DO(wisp_session_finish(&err, session));
  for (size_t i = 0; i < n; i++) wrong = fmax(wrong, fabs(rhs[i] - exact[i]));
  return wrong;
}

/* On two hexes of a box 1 x 1 x 2, sheared, y = A v for v = 3x - y: v.y = |grad v|^2 volume = 20, and 1.y = 0. */
static void run_operator(double *energy, double *sum)
{
  const int corners[16] = {0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8, 9, 10, 11};
  double xyz[12][3];
  size_t n;
  wisp_operator *A;
  for (int c = 0; c < 12; c++) {
    xyz[c][0] = c % 2 + c / 2 % 2 / 2.0;
    xyz[c][1] = c / 2 % 2;
    xyz[c][2] = c / 4;
  }
  const wisp_operator_request request = {WISP_INIT(wisp_operator_request),
                                         .spec = "tensor.collocated:hex:p7:poisson:f64",
                                         .vertices = 12,
                                         .elements = 2,
                                         .xyz = xyz[0],
                                         .corners = corners,
                                         .assembled = 1};
  DO(wisp_operator_create(&err, session, &request, &A));
  DO(wisp_operator_size(&err, A, &n));
  double *nodes = array(3 * n);
  double *v = array(n);
  double *y = array(n);
  DO(wisp_operator_nodes(&err, A, nodes));
  for (size_t i = 0; i < n; i++) v[i] = 3 * nodes[3 * i] - nodes[3 * i + 1];
  DO(wisp_operator_apply(&err, A, v, y, stream));
  DO(wisp_session_finish(&err, session));
  for (size_t i = 0; i < n; i++) {
    *sum += y[i];
    *energy += v[i] * y[i];
  }
}

int main(int argc, char **argv)
{
  if (argc < 2 || strcmp(argv[1], "host") != 0) open_gpu(dlopen("libcuda.so.1", RTLD_NOW));
  const wisp_session_request where = {WISP_INIT(wisp_session_request), .device = context ? NULL : "host",
                                      .context = context, .stream = stream};
  DO(wisp_session_open(&err, &where, &session));
  double energy = 0;
  double sum = 0;
  const double wrong = run_volume();
  run_operator(&energy, &sum);
  printf("%s: curl %.0e off, energy %.12f, of constants %.0e\n", context ? "GPU" : "host", wrong, energy, sum);
  wisp_session_close(session);
  return !(wrong < 1e-11 && fabs(energy - 20) < 1e-11 && fabs(sum) < 1e-11);
}
