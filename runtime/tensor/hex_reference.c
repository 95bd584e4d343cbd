/* The operators, all three as one: values B u and derivatives along r, s, t at the points, weighted with the factors,
 * and back by the transposes. B is I at Gauss points, the identity at the nodes. */
#include "../../gen/wide.h"
#include "hex_reference.h"
#include "../parallel.h"

enum { MAX_POINTS = WISP_HEX_MAX_ORDER + 2, MAX_ENTRIES = MAX_POINTS * MAX_POINTS };

/* Workspace for one element: matrices n x Nq from nodes to points, and arrays of at most n^3. */
struct wisp_hex_workspace {
  const wisp_hex *hex;
  wisp_hex_operator op;
  wisp_hex_points where;
  int Nq, n;                                                /* nodes and points a direction */
  size_t Np, points;                                        /* in all */
  double B[MAX_ENTRIES], C[MAX_ENTRIES];                    /* values and derivatives */
  double BB[MAX_ENTRIES], BC[MAX_ENTRIES], CC[MAX_ENTRIES]; /* products of their entries, for the diagonal */
  bool identity;                                            /* B is */
  double *memory;                                           /* of all that follows */
  double *factors, *half[2], *at[4], *back;                 /* at: the value and three derivatives at the points */
};
typedef struct wisp_hex_workspace workspace;

bool wisp_hex_operator_find(const char *kernel, wisp_hex_operator *out)
{
  static const char *const names[] = {"mass", "stiffness", "collocated"};
  for (int i = 0; i < 3; i++) {
    size_t length = strlen(names[i]);
    if (strncmp(kernel, names[i], length) != 0 || (kernel[length] && strcmp(kernel + length, "_trilinear") != 0))
      continue;
    *out = (wisp_hex_operator)i;
    return true;
  }
  return false;
}

wisp_hex_points wisp_hex_operator_points(wisp_hex_operator op)
{
  return op == WISP_HEX_COLLOCATED ? WISP_HEX_GLL : WISP_HEX_GAUSS;
}

wisp_status wisp_hex_workspace_create(wisp_error *err, const wisp_hex *hex, wisp_hex_operator op, workspace **out)
{
  OWNED(wisp_hex_workspace_destroy) workspace *w = NULL;
  CALL(wisp_new(err, 1, sizeof *w, &w));
  w->hex = hex;
  w->op = op;
  w->where = wisp_hex_operator_points(op);
  w->Nq = hex->Nq;
  w->n = w->where == WISP_HEX_GAUSS ? hex->Gl : hex->Nq;
  w->Np = (size_t)hex->Np;
  w->points = (size_t)(w->n * w->n * w->n);
  w->identity = w->where == WISP_HEX_GLL;
  CALL(wisp_new(err, (WISP_HEX_FACTORS + 7) * w->points, sizeof *w->memory, &w->memory));
  w->factors = w->memory;
  double *next = w->memory + WISP_HEX_FACTORS * w->points;
  for (int i = 0; i < 2; i++, next += w->points) w->half[i] = next;
  for (int i = 0; i < 4; i++, next += w->points) w->at[i] = next;
  w->back = next;
  for (int m = 0; m < w->n; m++) /* B and C: at Gauss points I and glD I, at the nodes the identity and D */
    for (int i = 0; i < w->Nq; i++) {
      double *B = &w->B[m * w->Nq + i], *C = &w->C[m * w->Nq + i];
      *B = w->identity ? m == i : hex->I[m * w->Nq + i];
      *C = w->identity ? hex->D[m * w->Nq + i] : 0;
      for (int l = 0; !w->identity && l < w->n; l++) *C += hex->glD[m * w->n + l] * hex->I[l * w->Nq + i];
    }
  for (int i = 0; i < w->n * w->Nq; i++) {
    w->BB[i] = w->B[i] * w->B[i];
    w->BC[i] = w->B[i] * w->C[i];
    w->CC[i] = w->C[i] * w->C[i];
  }
  return GIVE(w, out);
}

void wisp_hex_workspace_destroy(workspace *w)
{
  if (!w) return;
  free(w->memory);
  free(w);
}

/* A matrix by the places of its entries, so that a transpose is one too; entry NULL: the identity. */
typedef struct matrix {
  const double *entry;
  int rows, columns, row, column; /* how many, and from one to the next */
} matrix;

static double entry(const matrix *A, int m, int l)
{
  return A->entry[m * A->row + l * A->column];
}

/* out[b][m] = sum over l of A[m][l] in[l][b], b of `others`: the slowest of three directions goes through A and becomes
 * the fastest, so that after three times all are where they began. */
WISP_WIDE static void turn(const matrix *A, size_t others, const double *in, double *out)
{
  const size_t rows = (size_t)A->rows;
  size_t b = 0;
  for (; A->entry && b + 8 <= others; b += 8)
    for (size_t m = 0; m < rows; m++) {
      wisp_eight sum = {0};
      for (int l = 0; l < A->columns; l++)
        sum += entry(A, (int)m, l) * *(const wisp_eight *)(in + (size_t)l * others + b);
      for (size_t i = 0; i < 8; i++) out[(b + i) * rows + m] = sum[i];
    }
  for (; b < others; b++)
    for (size_t m = 0; m < rows; m++) {
      double sum = A->entry ? 0 : in[m * others + b];
      for (int l = 0; A->entry && l < A->columns; l++) sum += entry(A, (int)m, l) * in[(size_t)l * others + b];
      out[b * rows + m] = sum;
    }
}

/* out = (A[2] (x) A[1] (x) A[0]) in. */
static void turn_all(const workspace *w, const matrix A[3], const double *in, double *out)
{
  const size_t from = (size_t)A[2].columns, to = (size_t)A[2].rows;
  turn(&A[2], from * from, in, w->half[0]);
  turn(&A[1], from * to, w->half[0], w->half[1]);
  turn(&A[0], to * to, w->half[1], out);
}

/* Chooses the matrix of each direction d: special[d] (n x Nq) where there is one, else the values, or the products of
 * two of them. */
static void choose(const workspace *w, const double *values, const double *const special[3], bool back, matrix A[3])
{
  for (int d = 0; d < 3; d++) {
    const double *E = special && special[d] ? special[d] : w->identity ? NULL : values;
    A[d] = back ? (matrix){E, w->Nq, w->n, 1, w->Nq} : (matrix){E, w->n, w->Nq, w->Nq, 1};
  }
}

/* From nodes to points, with C along `special`'s directions and B along the others. */
static void to_points(const workspace *w, const double *const special[3], const double *u, double *out)
{
  matrix A[3];
  choose(w, w->B, special, false, A);
  turn_all(w, A, u, out);
}

/* y += scale times the transpose, from points to nodes. */
static void add_to_nodes(const workspace *w, const double *values, const double *const special[3], double scale,
                         const double *in, double *y)
{
  const double *back = in;
  if (special || !w->identity) {
    matrix A[3];
    choose(w, values, special, true, A);
    turn_all(w, A, in, w->back);
    back = w->back;
  }
  for (size_t i = 0; i < w->Np; i++) y[i] += scale * back[i];
}

/* The factor of the product of derivatives a and b. */
static const int pair[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

static void apply_element(const workspace *w, double lambda, const double *u, double *y)
{
  const double *wJ = w->factors + 6 * w->points, reaction = w->op == WISP_HEX_MASS ? 1 : lambda;
  memset(y, 0, w->Np * sizeof *y);
  to_points(w, NULL, u, w->at[3]);
  for (size_t q = 0; q < w->points; q++) w->at[3][q] *= wJ[q];
  add_to_nodes(w, w->B, NULL, reaction, w->at[3], y);
  if (w->op == WISP_HEX_MASS) return;
  for (int d = 0; d < 3; d++) {
    const double *derivative[3] = {NULL};
    derivative[d] = w->C;
    to_points(w, derivative, u, w->at[d]);
  }
  for (size_t q = 0; q < w->points; q++) {
    const double slope[3] = {w->at[0][q], w->at[1][q], w->at[2][q]};
    for (int a = 0; a < 3; a++) {
      double flux = 0;
      for (int b = 0; b < 3; b++) flux += w->factors[(size_t)pair[a][b] * w->points + q] * slope[b];
      w->at[a][q] = flux;
    }
  }
  for (int d = 0; d < 3; d++) {
    const double *derivative[3] = {NULL};
    derivative[d] = w->C;
    add_to_nodes(w, w->B, derivative, 1, w->at[d], y);
  }
}

static void drop_signs(size_t count, double *numbers)
{
  for (size_t i = 0; i < count; i++) numbers[i] = fabs(numbers[i]);
}

/* y = A u on `count` elements, or with `sizes` the same of magnitudes. */
static wisp_status apply_all(wisp_error *err, const wisp_hex *hex, wisp_hex_operator op, const double *vertices,
                             size_t count, double lambda, const double *u, bool sizes, double *y)
{
  OWNED(wisp_hex_workspace_destroy) workspace *w = NULL;
  OWNED(free) double *own = NULL;
  CALL(wisp_hex_workspace_create(err, hex, op, &w));
  CALL(wisp_new(err, w->Np, sizeof *own, &own));
  const size_t entries = (size_t)(w->n * w->Nq);
  if (sizes) drop_signs(entries, w->B), drop_signs(entries, w->C);
  for (size_t k = 0; k < count; k++) {
    CALL(wisp_hex_factors(err, hex, w->where, vertices + 24 * k, k, 1, w->factors));
    memcpy(own, u + k * w->Np, w->Np * sizeof *own);
    if (sizes) drop_signs(WISP_HEX_FACTORS * w->points, w->factors), drop_signs(w->Np, own);
    apply_element(w, sizes ? fabs(lambda) : lambda, own, y + k * w->Np);
  }
  return WISP_OK;
}

wisp_status wisp_hex_apply_sizes(wisp_error *err, const wisp_hex *hex, wisp_hex_operator op, const double *vertices,
                                 size_t count, double lambda, const double *u, double *sizes)
{
  return apply_all(err, hex, op, vertices, count, lambda, u, true, sizes);
}

wisp_status wisp_hex_apply(wisp_error *err, const wisp_hex *hex, wisp_hex_operator op, const double *vertices,
                           size_t count, double lambda, const double *u, double *y)
{
  return apply_all(err, hex, op, vertices, count, lambda, u, false, y);
}

/* At the nodes, where B is the identity: only points in line with the node count, and itself where directions mix.
 * Eight nodes in line along r at a time; what is read behind the last is not used. */
WISP_WIDE static void collocated_diagonal(const workspace *w, double lambda, double *diagonal)
{
  const size_t n = (size_t)w->Nq, step[3] = {1, n, n * n};
  double own[MAX_POINTS + 7] = {0}; /* of BC */
  for (size_t i = 0; i < n; i++) own[i] = w->BC[i * (n + 1)];
  for (size_t q = 0; q < w->Np; q += q % n + 8 < n ? 8 : n - q % n) {
    const size_t i = q % n, j = q / n % n, k = q / n / n;
    const wisp_eight here[3] = {*(const wisp_eight *)&own[i], own[j] - (wisp_eight){0}, own[k] - (wisp_eight){0}};
    wisp_eight sum = lambda * *(const wisp_eight *)&w->factors[6 * w->points + q];
    for (size_t m = 0; m < n; m++) {
      const double *f = w->factors;
      sum += *(const wisp_eight *)&w->CC[m * n + i] * f[q - i + m];
      sum += w->CC[m * n + j] * *(const wisp_eight *)&f[(size_t)pair[1][1] * w->points + q + m * step[1] - j * step[1]];
      sum += w->CC[m * n + k] * *(const wisp_eight *)&f[(size_t)pair[2][2] * w->points + q + m * step[2] - k * step[2]];
    }
    for (int a = 0; a < 3; a++)
      for (int b = a + 1; b < 3; b++)
        sum += 2 * here[a] * here[b] * *(const wisp_eight *)&w->factors[(size_t)pair[a][b] * w->points + q];
    memcpy(&diagonal[q], &sum, (n - i < 8 ? n - i : 8) * sizeof sum[0]);
  }
}

/* Entry (i, i) is a sum over points of products of two entries of B and C in each direction: tensor products again, of
 * the matrices of those products. */
static void full_diagonal(const workspace *w, double lambda, double *diagonal)
{
  const bool mass = w->op == WISP_HEX_MASS;
  memset(diagonal, 0, w->Np * sizeof *diagonal);
  add_to_nodes(w, w->BB, NULL, mass ? 1 : lambda, w->factors + 6 * w->points, diagonal);
  for (int a = 0; !mass && a < 3; a++)
    for (int b = a; b < 3; b++) {
      const double *product[3] = {NULL};
      product[a] = product[b] = a == b ? w->CC : w->BC;
      add_to_nodes(w, w->BB, product, a == b ? 1 : 2, w->factors + (size_t)pair[a][b] * w->points, diagonal);
    }
}

wisp_status wisp_hex_diagonal(wisp_error *err, workspace *w, const double vertices[24], size_t element, double lambda,
                              double *diagonal)
{
  CALL(wisp_hex_factors(err, w->hex, w->where, vertices, element, 1, w->factors));
  (w->identity ? collocated_diagonal : full_diagonal)(w, lambda, diagonal);
  return WISP_OK;
}

/* Elements whose diagonals are made, and where these go. */
typedef struct diagonals {
  const wisp_hex *hex;
  wisp_hex_operator op;
  const wisp_hexmesh *mesh;
  const wisp_frame *frame;
  double lambda, *out;
} diagonals;

/* A wisp_range over elements. */
static wisp_status make_diagonals(wisp_error *err, void *context, size_t from, size_t to)
{
  const diagonals *d = context;
  OWNED(wisp_hex_workspace_destroy) workspace *w = NULL;
  double vertices[24];
  CALL(wisp_hex_workspace_create(err, d->hex, d->op, &w));
  for (size_t k = from; k < to; k++) {
    wisp_hex_vertices(d->mesh, d->frame, k, 1, vertices);
    CALL(wisp_hex_diagonal(err, w, vertices, wisp_mesh_number(d->mesh, k), d->lambda, d->out + k * w->Np));
  }
  return WISP_OK;
}

wisp_status wisp_hex_diagonals(wisp_error *err, const wisp_hex *hex, wisp_hex_operator op, const wisp_hexmesh *mesh,
                               const wisp_frame *frame, double lambda, double *out)
{
  return wisp_parallel(err, mesh->elements, make_diagonals, &(diagonals){hex, op, mesh, frame, lambda, out});
}

wisp_status wisp_hex_load(wisp_error *err, workspace *w, const double vertices[24], size_t element, const double *f,
                          double *b)
{
  double *mass = w->at[3];
  CALL(wisp_hex_masses(err, w->hex, w->where, vertices, element, mass));
  for (size_t q = 0; q < w->points; q++) mass[q] *= f[q];
  memset(b, 0, w->Np * sizeof *b);
  add_to_nodes(w, w->B, NULL, 1, mass, b);
  return WISP_OK;
}

wisp_status wisp_hex_distance(wisp_error *err, workspace *w, const double vertices[24], size_t element, const double *u,
                              const double *f, double *square)
{
  double sum = 0;
  CALL(wisp_hex_masses(err, w->hex, w->where, vertices, element, w->factors));
  to_points(w, NULL, u, w->at[0]);
  for (size_t q = 0; q < w->points; q++) sum += w->factors[q] * (w->at[0][q] - f[q]) * (w->at[0][q] - f[q]);
  *square = sum;
  return WISP_OK;
}
