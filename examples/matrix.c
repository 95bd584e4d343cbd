/* A sparse matrix, assembled twice into a program's own array and multiplied with a vector: on a GPU in its own context
 * and stream, by cuSPARSE where that is installed; else on the host. In C or C++:
 *
 *     cc matrix.c $(pkg-config --cflags --libs wisp) -ldl -lm -o matrix && ./matrix
 */
#include <wisp.h>

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int (*cuInit)(unsigned), (*cuDevicePrimaryCtxRetain)(void **, int), (*cuCtxSetCurrent)(void *);
static int (*cuStreamCreate)(void **, unsigned), (*cuMemAllocManaged)(void **, size_t, unsigned);
static int (*cusparseCreate)(void **), (*cusparseSetStream)(void *, void *);
static int (*cusparseCreateCsr)(void **, long long, long long, long long, void *, void *, void *, int, int, int, int);
static int (*cusparseCreateDnVec)(void **, long long, void *, int);
static int (*cusparseSpMV)(void *, int, const void *, void *, void *, const void *, void *, int, int, void *);
static int (*cusparseSpMV_bufferSize)(void *, int, const void *, void *, void *, const void *, void *, int, int,
                                      size_t *);
static void *context, *stream, *sparse; /* NULL: on the host; cuSPARSE is not there */
static wisp_error err;
#define DO(call) ((call) == 0 ? (void)0 : exit((fprintf(stderr, "%s: %s\n", #call, err.text), 1)))
#define FIND(from, name) (*(void **)&name = dlsym(from, #name))
enum { REAL = 1, INT32 = 2, SIDE = 20, VERTICES = (SIDE + 1) * (SIDE + 1), TRIANGLES = 2 * SIDE * SIDE };

static void open_gpu(void *driver, void *library)
{
  if (driver && FIND(driver, cuInit) && FIND(driver, cuDevicePrimaryCtxRetain) && FIND(driver, cuCtxSetCurrent) &&
      FIND(driver, cuStreamCreate) && FIND(driver, cuMemAllocManaged) && cuInit(0) == 0)
    DO(cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) || cuStreamCreate(&stream, 0));
  if (context && library && FIND(library, cusparseCreate) && FIND(library, cusparseSetStream) &&
      FIND(library, cusparseCreateCsr) && FIND(library, cusparseCreateDnVec) && FIND(library, cusparseSpMV) &&
      FIND(library, cusparseSpMV_bufferSize))
    DO(cusparseCreate(&sparse) || cusparseSetStream(sparse, stream));
}

static void *array(size_t bytes) /* for this program and for kernels */
{
  void *memory = context ? NULL : calloc(bytes, 1);
  if (context) DO(cuMemAllocManaged(&memory, bytes, 1));
  return memory;
}

int main(int argc, char **argv)
{
  if (argc < 2 || strcmp(argv[1], "host") != 0)
    open_gpu(dlopen("libcuda.so.1", RTLD_NOW), dlopen("libcusparse.so", RTLD_NOW));
  const wisp_session_request wish = {context ? NULL : "host", context, stream, NULL, NULL, 0, 0};
  wisp_session *session;
  DO(wisp_session_open(&err, &wish, &session));

  static double xyz[VERTICES][3]; /* the unit square as triangles of order 3; nothing is fixed */
  static int corners[TRIANGLES][3];
  for (int v = 0; v < VERTICES; v++)
    xyz[v][0] = v % (SIDE + 1) / (double)SIDE, xyz[v][1] = v / (SIDE + 1) / (double)SIDE;
  for (int e = 0; e < TRIANGLES; e++) {
    const int low = e / 2 / SIDE * (SIDE + 1) + e / 2 % SIDE, up = low + SIDE + 1, odd = e % 2;
    corners[e][0] = low, corners[e][1] = odd ? up + 1 : low + 1, corners[e][2] = odd ? up : up + 1;
  }
  wisp_matrix_request request = {
      "assembly.step:tri:p3:laplace:f64", VERTICES, TRIANGLES, xyz[0], corners[0], 0, 0, 0, 0, 0};
  wisp_matrix *A;
  wisp_matrix_counts n;
  DO(wisp_matrix_create(&err, session, &request, &A) || wisp_matrix_size(&err, A, &n));
  double *values = (double *)array(8 * n.nonzeros), *F = (double *)array(8 * n.rows),
         *places = (double *)array(24 * n.nodes);
  double *u = (double *)array(8 * n.nodes), *Au = (double *)array(8 * n.rows);
  int *start = (int *)array(4 * n.rows + 4), *columns = (int *)array(4 * n.nonzeros);
  DO(wisp_matrix_nodes(&err, A, places, NULL, NULL) || wisp_matrix_pattern(&err, A, start, columns, NULL));
  for (size_t i = 0; i < n.nodes; i++) u[i] = 2 * places[3 * i] + 4 * places[3 * i + 1];

  for (double kappa = 1; kappa < 4; kappa += 2) { /* the same pattern, other values: u . A u = 20 kappa */
    const wisp_matrix_data data = {{kappa, 0, 0}, 1, 0, NULL, NULL, NULL};
    double energy = 0;
    DO(wisp_matrix_assemble(&err, A, &data, values, F, stream) || wisp_session_finish(&err, session));
    if (sparse) {
      void *matrix, *from, *to;
      const double one = 1, none = 0;
      size_t bytes = 0;
      const long long rows = (long long)n.rows, nonzeros = (long long)n.nonzeros;
      DO(cusparseCreateCsr(&matrix, rows, rows, nonzeros, start, columns, values, INT32, INT32, 0, REAL) ||
         cusparseCreateDnVec(&from, rows, u, REAL) || cusparseCreateDnVec(&to, rows, Au, REAL) ||
         cusparseSpMV_bufferSize(sparse, 0, &one, matrix, from, &none, to, REAL, 0, &bytes) ||
         cusparseSpMV(sparse, 0, &one, matrix, from, &none, to, REAL, 0, array(bytes + 16)) ||
         wisp_session_finish(&err, session));
    }
    for (size_t row = 0; row < n.rows; row++) {
      if (!sparse) Au[row] = 0;
      for (int i = start[row]; !sparse && i < start[row + 1]; i++) Au[row] += values[i] * u[columns[i]];
      energy += u[row] * Au[row] / kappa;
    }
    printf("%s: kappa %g, energy %.10f\n", sparse ? "cuSPARSE" : context ? "GPU" : "host", kappa, energy);
  }
  wisp_session_close(session);
  return 0;
}
