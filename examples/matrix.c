/* A sparse matrix, assembled twice into a program's own array on the device and multiplied with a vector: on a GPU, by
 * cuSPARSE where that is installed; else on the host. In C or C++:
 *     cc matrix.c $(pkg-config --cflags --libs wisp) -ldl -o matrix && ./matrix */
#include <wisp.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int (*cuMemAllocManaged)(void **, size_t, unsigned), (*cuCtxSynchronize)(void);
static int (*cusparseCreate)(void **), (*cusparseCreateDnVec)(void **, long long, void *, int);
static int (*cusparseCreateCsr)(void **, long long, long long, long long, void *, void *, void *, int, int, int, int);
static int (*cusparseSpMV)(void *, int, const void *, void *, void *, const void *, void *, int, int, void *);
static int (*cusparseSpMV_bufferSize)(void *, int, const void *, void *, void *, const void *, void *, int, int,
                                      size_t *);
static wisp_error err;
#define DO(call) ((call) == 0 ? (void)0 : exit((fprintf(stderr, "%s: %s\n", #call, err.text), 1)))
#define FIND(from, name) (*(void **)&name = dlsym(from, #name))
enum { REAL = 1, INT32 = 2, SIDE = 20, VERTICES = (SIDE + 1) * (SIDE + 1), TRIANGLES = 2 * SIDE * SIDE };

static void *array(size_t bytes) /* for this program and for the GPU that the session is on, if it is on one */
{
  void *memory = NULL;
  return cuMemAllocManaged && cuMemAllocManaged(&memory, bytes, 1) == 0 ? memory : calloc(bytes, 1);
}

int main(int argc, char **argv)
{
  void *driver = dlopen("libcuda.so.1", RTLD_NOW), *library = dlopen("libcusparse.so", RTLD_NOW), *sparse = NULL;
  const wisp_session_request wish = {argc > 1 ? argv[1] : NULL, NULL, NULL, NULL, NULL, 0, 0};
  wisp_session *session;
  DO(wisp_session_open(&err, &wish, &session)); /* a GPU's context is current from here on */
  if (driver && FIND(driver, cuMemAllocManaged) && FIND(driver, cuCtxSynchronize) && cuCtxSynchronize() == 0)
    if (library && FIND(library, cusparseCreate) && FIND(library, cusparseCreateCsr) &&
        FIND(library, cusparseCreateDnVec) && FIND(library, cusparseSpMV) && FIND(library, cusparseSpMV_bufferSize))
      DO(cusparseCreate(&sparse));

  static double xyz[VERTICES][3]; /* the unit square as triangles of order 3; nothing is fixed */
  static int corners[TRIANGLES][3];
  for (int v = 0; v < VERTICES; v++)
    xyz[v][0] = v % (SIDE + 1) / (double)SIDE, xyz[v][1] = v / (SIDE + 1) / (double)SIDE;
  for (int e = 0; e < TRIANGLES; e++) {
    const int low = e / 2 / SIDE * (SIDE + 1) + e / 2 % SIDE, up = low + SIDE + 1, odd = e % 2;
    corners[e][0] = low, corners[e][1] = odd ? up + 1 : low + 1, corners[e][2] = odd ? up : up + 1;
  }
  const char *spec = "assembly.step:tri:p3:laplace:f64";
  const wisp_matrix_request request = {spec, VERTICES, TRIANGLES, xyz[0], corners[0], 0, 0, 0, 0, 0, 0, 0, 0};
  wisp_matrix *A;
  wisp_matrix_counts n;
  DO(wisp_matrix_create(&err, session, &request, &A) || wisp_matrix_size(&err, A, &n));
  double *values = (double *)array(8 * n.nonzeros), *F = (double *)array(8 * n.rows), *x = (double *)array(24 * n.rows);
  double *u = (double *)array(8 * n.rows), *Au = (double *)array(8 * n.rows);
  int *start = (int *)array(4 * n.rows + 4), *columns = (int *)array(4 * n.nonzeros);
  DO(wisp_matrix_nodes(&err, A, x, NULL, NULL) || wisp_matrix_pattern(&err, A, start, columns, NULL));
  for (size_t i = 0; i < n.rows; i++) u[i] = 2 * x[3 * i] + 4 * x[3 * i + 1];

  void *matrix, *from, *to;
  const long long rows = (long long)n.rows, nonzeros = (long long)n.nonzeros;
  if (sparse)
    DO(cusparseCreateCsr(&matrix, rows, rows, nonzeros, start, columns, values, INT32, INT32, 0, REAL) ||
       cusparseCreateDnVec(&from, rows, u, REAL) || cusparseCreateDnVec(&to, rows, Au, REAL));
  for (double kappa = 1; kappa < 4; kappa += 2) { /* the same pattern, other values: u . A u = 20 kappa */
    const wisp_matrix_data data = {{kappa, 0, 0}, 1, 0, NULL, NULL, NULL};
    const double one = 1, none = 0;
    double energy = 0;
    size_t room = 0;
    DO(wisp_matrix_assemble(&err, A, &data, values, F, NULL) || wisp_session_finish(&err, session));
    if (sparse)
      DO(cusparseSpMV_bufferSize(sparse, 0, &one, matrix, from, &none, to, REAL, 0, &room) ||
         cusparseSpMV(sparse, 0, &one, matrix, from, &none, to, REAL, 0, array(room + 16)) || cuCtxSynchronize());
    for (size_t row = 0; row < n.rows; row++) {
      for (int i = start[row]; !sparse && i < start[row + 1]; i++) Au[row] += values[i] * u[columns[i]];
      energy += u[row] * Au[row] / kappa;
      if (!sparse) Au[row] = 0;
    }
    printf("%s: kappa %g, energy %.10f\n", sparse ? "cuSPARSE" : "by hand", kappa, energy);
  }
  wisp_session_close(session);
  return 0;
}
