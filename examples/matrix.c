/* A sparse matrix, assembled twice into a program's own array on the device and multiplied with a vector: on a GPU, by
 * cuSPARSE where that is installed; else on the host. In C or C++:
 *
 *     cc matrix.c $(pkg-config --cflags --libs wisp) -ldl -o matrix && ./matrix
 */
#include <wisp.h>

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static int (*cuMemAllocManaged)(void **, size_t, unsigned);
static int (*cuCtxSynchronize)(void);
static int (*cusparseCreate)(void **);
static int (*cusparseCreateDnVec)(void **, long long, void *, int);
static int (*cusparseCreateCsr)(void **, long long, long long, long long, void *, void *, void *, int, int, int, int);
static int (*cusparseSpMV)(void *, int, const void *, void *, void *, const void *, void *, int, int, void *);
static int (*cusparseSpMV_bufferSize)(void *, int, const void *, void *, void *, const void *, void *, int, int,
                                      size_t *);
static void *sparse; /* cuSPARSE; NULL: by hand */
static wisp_session *session;
static wisp_error err;
#define DO(call) ((call) == 0 ? (void)0 : exit((fprintf(stderr, "%s: %s\n", #call, err.text), 1)))
#define FIND(from, name) (*(void **)&name = dlsym(from, #name))
enum { REAL = 1, INT32 = 2, SIDE = 20, VERTICES = (SIDE + 1) * (SIDE + 1), TRIANGLES = 2 * SIDE * SIDE };

static void open_cusparse(void)
{
  void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  void *library = dlopen("libcusparse.so", RTLD_NOW);
  if (!driver || !FIND(driver, cuMemAllocManaged) || !FIND(driver, cuCtxSynchronize)) return;
  if (cuCtxSynchronize() != 0 || !library) return; /* the session is on the host */
  if (!FIND(library, cusparseCreate) || !FIND(library, cusparseCreateCsr)) return;
  if (!FIND(library, cusparseCreateDnVec) || !FIND(library, cusparseSpMV)) return;
  if (FIND(library, cusparseSpMV_bufferSize)) DO(cusparseCreate(&sparse));
}

static void *array(size_t bytes) /* for this program and for the GPU that the session is on, if it is on one */
{
  void *memory = NULL;
  if (cuMemAllocManaged && cuMemAllocManaged(&memory, bytes, 1) == 0) return memory;
  return calloc(bytes, 1);
}

/* The unit square as triangles of order 3; nothing is fixed. */
static wisp_matrix *make_matrix(void)
{
  static double xyz[VERTICES][3];
  static int corners[TRIANGLES][3];
  wisp_matrix *A;
  for (int v = 0; v < VERTICES; v++) {
    xyz[v][0] = v % (SIDE + 1) / (double)SIDE;
    xyz[v][1] = v / (SIDE + 1) / (double)SIDE;
  }
  for (int e = 0; e < TRIANGLES; e++) {
    const int low = e / 2 / SIDE * (SIDE + 1) + e / 2 % SIDE;
    const int up = low + SIDE + 1;
    const int odd = e % 2;
    corners[e][0] = low;
    corners[e][1] = odd ? up + 1 : low + 1;
    corners[e][2] = odd ? up : up + 1;
  }
  const wisp_matrix_request request = {WISP_INIT(wisp_matrix_request),
                                       .spec = "assembly.step:tri:p3:laplace:f64",
                                       .vertices = VERTICES,
                                       .elements = TRIANGLES,
                                       .xyz = xyz[0],
                                       .corners = corners[0]};
  DO(wisp_matrix_create(&err, session, &request, &A));
  return A;
}

typedef struct product { /* Au = A u */
  wisp_matrix_counts n;
  int *start;
  int *columns;
  double *values;
  double *u;
  double *Au;
} product;

static void multiply_by_hand(const product *p)
{
  for (size_t row = 0; row < p->n.rows; row++) {
    p->Au[row] = 0;
    for (int i = p->start[row]; i < p->start[row + 1]; i++) p->Au[row] += p->values[i] * p->u[p->columns[i]];
  }
}

static void multiply_by_cusparse(const product *p)
{
  const long long rows = (long long)p->n.rows;
  const double one = 1;
  const double none = 0;
  size_t scratch = 0;
  void *A;
  void *u;
  void *Au;
  DO(cusparseCreateCsr(&A, rows, rows, (long long)p->n.nonzeros, p->start, p->columns, p->values, INT32, INT32, 0,
                       REAL));
  DO(cusparseCreateDnVec(&u, rows, p->u, REAL));
  DO(cusparseCreateDnVec(&Au, rows, p->Au, REAL));
  DO(cusparseSpMV_bufferSize(sparse, 0, &one, A, u, &none, Au, REAL, 0, &scratch));
  DO(cusparseSpMV(sparse, 0, &one, A, u, &none, Au, REAL, 0, array(scratch + 16)));
  DO(cuCtxSynchronize());
}

int main(int argc, char **argv)
{
  const wisp_session_request where = {WISP_INIT(wisp_session_request), .device = argc > 1 ? argv[1] : NULL};
  DO(wisp_session_open(&err, &where, &session)); /* a GPU's context is current from here on */
  open_cusparse();
  wisp_matrix *A = make_matrix();
  product p;
  DO(wisp_matrix_size(&err, A, &p.n));
  p.start = (int *)array(4 * p.n.rows + 4);
  p.columns = (int *)array(4 * p.n.nonzeros);
  p.values = (double *)array(8 * p.n.nonzeros);
  p.u = (double *)array(8 * p.n.rows);
  p.Au = (double *)array(8 * p.n.rows);
  double *F = (double *)array(8 * p.n.rows);
  double *x = (double *)array(24 * p.n.rows);
  DO(wisp_matrix_nodes(&err, A, x, NULL, NULL));
  DO(wisp_matrix_pattern(&err, A, p.start, p.columns, NULL));
  for (size_t i = 0; i < p.n.rows; i++) p.u[i] = 2 * x[3 * i] + 4 * x[3 * i + 1];

  for (double kappa = 1; kappa < 4; kappa += 2) { /* the same pattern, other values: u . A u = 20 kappa */
    const wisp_matrix_data data = {WISP_INIT(wisp_matrix_data), .kappa = {kappa, 0, 0}, .density = 1};
    double energy = 0;
    DO(wisp_matrix_assemble(&err, A, &data, p.values, F, NULL));
    DO(wisp_session_finish(&err, session));
    sparse ? multiply_by_cusparse(&p) : multiply_by_hand(&p);
    for (size_t i = 0; i < p.n.rows; i++) energy += p.u[i] * p.Au[i] / kappa;
    printf("%s: kappa %g, energy %.10f\n", sparse ? "cuSPARSE" : "by hand", kappa, energy);
  }
  wisp_session_close(session);
  return 0;
}
