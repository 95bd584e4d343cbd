#include "reference.h"
#include "../../gen/assembly/simplex.h"

#include <math.h>
#include <string.h>

/* An element's affine map from the assembly's frame. */
typedef struct frame {
  double slope[2][3][3]; /* of r, s, t by x, y, z; and what they are added up from, without signs */
  double J, blur;        /* how much larger than J the numbers are that it is the difference of */
} frame;

/* Corners of a triangle are completed by a third direction of unit length. */
static frame frame_of(const wisp_assembly *s, size_t e)
{
  const wisp_mesh *mesh = s->mesh;
  const int32_t *vertex = mesh->cell + (size_t)mesh->corners * e;
  double d[3][3] = {[2] = {0, 0, 1}}, size = 0;
  frame at = {.J = 0};
  for (size_t v = 0; v + 1 < (size_t)mesh->corners; v++)
    for (size_t c = 0; c < 3; c++)
      d[v][c] = (mesh->xyz[3 * (size_t)vertex[v + 1] + c] - mesh->xyz[3 * (size_t)vertex[0] + c]) / s->frame.length / 2;
  for (size_t v = 0; v < 3; v++)
    for (size_t c = 0; c < 3; c++) {
      const double *p = d[(v + 1) % 3], *q = d[(v + 2) % 3];
      const double one = p[(c + 1) % 3] * q[(c + 2) % 3], other = p[(c + 2) % 3] * q[(c + 1) % 3];
      at.slope[0][v][c] = one - other;
      at.slope[1][v][c] = fabs(one) + fabs(other);
      if (v == 0) at.J += d[0][c] * at.slope[0][0][c], size += fabs(d[0][c]) * at.slope[1][0][c];
    }
  for (size_t i = 0; i < 18; i++) at.slope[i / 9][i / 3 % 3][i % 3] /= at.J;
  at.blur = size / at.J;
  return at;
}

/* The coefficient at the nodes, or its size. */
static void find_kappa(const wisp_assembly *s, const wisp_form_data *data, size_t e, int32_t node, double *value,
                       double *size)
{
  const wisp_form *form = s->form;
  double slots[WISP_FORM_SLOTS];
  *value = *size = form->kappa == WISP_BY_NUMBER    ? data->kappa[0]
                   : form->kappa == WISP_BY_ELEMENT ? data->of_elements[e]
                                                    : 1;
  *size = fabs(*size);
  if (form->kappa != WISP_BY_NODES) return;
  slots[WISP_FORM_U] = data->u[node];
  memcpy(slots + WISP_FORM_KAPPA, data->kappa, sizeof data->kappa);
  wisp_expr_real(form->at_node, slots, NULL, value, size);
}

/* Slopes p and q with the symmetric matrix K, or its magnitudes, between them, as wisp_simplex_pairs orders it;
 * NULL: 1.
 */
static double between(const double *p, const double *q, const double *K, int directions, bool magnitudes)
{
  double sum = 0;
  if (!K) return p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
  for (int d = 0; d < directions; d++) {
    const int i = wisp_simplex_pairs[d][0], j = wisp_simplex_pairs[d][1];
    sum += (magnitudes ? fabs(K[d]) : K[d]) * (i == j ? p[i] * q[i] : p[i] * q[j] + p[j] * q[i]);
  }
  return sum;
}

/* The matrix by the reference element's tables, and its sizes. */
static void add_matrix(const wisp_assembly *s, const wisp_form_data *data, const frame *at, size_t e,
                       double kappa[2][WISP_ELEMENT_NODES], wisp_element_matrix *out)
{
  const double *largest = data->largest;
  const wisp_simplex *simplex = s->simplex;
  const size_t Np = (size_t)simplex->Np, all = Np * Np;
  const bool by_nodes = s->form->kappa == WISP_BY_NODES;
  double G[2][WISP_SIMPLEX_DIRECTIONS];
  const size_t directions = (size_t)simplex->directions;
  const double *K = s->form->kappa == WISP_BY_MATRIX ? data->of_elements + e * directions : NULL;
  for (int i = 0; i < 2 * simplex->directions; i++) { /* of the pairs of directions, and their sizes */
    const int *pair = wisp_simplex_pairs[i / 2];
    const double *p = at->slope[i % 2][pair[0]], *q = at->slope[i % 2][pair[1]];
    G[i % 2][i / 2] = at->J * (i % 2 ? at->blur : 1) * between(p, q, K, simplex->directions, i % 2);
  }
  for (int d = 0; d < simplex->directions; d++)
    for (size_t m = 0; m < (by_nodes ? Np : 1); m++) {
      const double *T = by_nodes ? simplex->interpolated[d] + m * all : simplex->stiffness[d];
      const double weight = G[0][d] * kappa[0][m], size = G[1][d] * kappa[1][m];
      for (size_t i = 0; i < all; i++)
        out->A[i] += weight * T[i],
            out->A_size[i] += largest ? simplex->directions * size * largest[i] : size * fabs(T[i]);
    }
  for (size_t i = 0; s->form->mass && i < all; i++) {
    out->A[i] += at->J * data->mass * simplex->mass[i];
    out->A_size[i] += at->J * at->blur * fabs(data->mass * simplex->mass[i]);
  }
}

/* The tables' largest entries in one orientation, whose factors are sums of all factors of another. */
static void find_largest(const wisp_assembly *s, const int *node, double *largest)
{
  const wisp_simplex *simplex = s->simplex;
  const size_t Np = (size_t)simplex->Np;
  const bool by_nodes = s->form->kappa == WISP_BY_NODES;
  for (size_t i = 0; i < Np * Np; i++) {
    const size_t from = (size_t)node[i / Np] * Np + (size_t)node[i % Np];
    for (int d = 0; d < simplex->directions; d++)
      for (size_t m = 0; m < (by_nodes ? Np : 1); m++)
        largest[i] =
            fmax(largest[i], fabs((by_nodes ? simplex->interpolated : simplex->stiffness)[d][m * Np * Np + from]));
  }
}

/* Np x Np: the tables' largest entries for a pair of nodes, in any orientation. */
static wisp_status make_largest(wisp_error *err, const wisp_assembly *s, double **out)
{
  OWNED(free) double *largest = NULL;
  const size_t Np = (size_t)s->simplex->Np;
  int node[WISP_ELEMENT_NODES];
  CALL(wisp_new(err, Np * Np, sizeof *largest, &largest));
  for (int turn = 0; turn < wisp_orientations(s->simplex->dimension); turn++) {
    wisp_orientation_nodes(s->simplex->dimension, s->simplex->N, turn, node);
    find_largest(s, node, largest);
  }
  return GIVE(largest, out);
}

/* All entries of a dummy. */
static void make_dummy(const wisp_assembly *s, const wisp_form_data *data, const frame *at, size_t e,
                       double kappa[2][WISP_ELEMENT_NODES], wisp_element_matrix *out)
{
  const size_t Np = (size_t)s->simplex->Np;
  double sum[2] = {0};
  (void)data, (void)e;
  for (size_t a = 0; a < (s->form->kappa == WISP_BY_NODES ? Np : 1); a++) sum[0] += kappa[0][a], sum[1] += kappa[1][a];
  for (size_t i = 0; i < Np * Np; i++) out->A[i] = at->J * sum[0], out->A_size[i] = at->J * at->blur * fabs(sum[1]);
}

void wisp_assembly_element(const wisp_assembly *s, const wisp_form_data *data, size_t e, wisp_element_matrix *out)
{
  const size_t Np = (size_t)s->simplex->Np;
  const int32_t *node = s->nodes->node + e * Np;
  double kappa[2][WISP_ELEMENT_NODES];
  frame at = frame_of(s, e);
  if (data->largest) at.blur *= s->simplex->directions; /* by longer edges */
  *out = (wisp_element_matrix){.A = {0}};
  for (size_t a = 0; a < Np; a++) find_kappa(s, data, e, node[a], &kappa[0][a], &kappa[1][a]);
  (*s->form->dummy ? make_dummy : add_matrix)(s, data, &at, e, kappa, out);
  for (size_t i = 0; i < Np * Np; i++) {
    const int32_t column = node[i % Np];
    const bool by_nodes = s->form->f == WISP_BY_NODES, own = *s->form->dummy && by_nodes;
    const double f = by_nodes ? data->f[column] : data->density;
    const double load = at.J * (own ? i / Np == i % Np : s->simplex->mass[i]) * f;
    out->load[i / Np] += load;
    out->load_size[i / Np] += at.blur * fabs(load);
    if ((size_t)column < s->pattern->rows) continue;
    out->load[i / Np] -= out->A[i] * data->u[column];
    out->load_size[i / Np] += out->A_size[i] * fabs(data->u[column]);
  }
}

/* NaN outside of a sample: what an element adds to is then no number, either. */
static void make_element(const wisp_assembly *s, const wisp_form_data *data, size_t e, wisp_element_matrix *out)
{
  const size_t Np = (size_t)s->simplex->Np;
  if (!s->only || s->only[e]) {
    wisp_assembly_element(s, data, e, out);
    return;
  }
  for (size_t i = 0; i < Np * Np; i++) out->A[i] = out->A_size[i] = NAN;
  for (size_t i = 0; i < Np; i++) out->load[i] = out->load_size[i] = NAN;
}

wisp_status wisp_assembly_apply(wisp_error *err, const wisp_assembly *s, const wisp_form_data *data, double *values,
                                double *F, double *value_sizes, double *F_sizes)
{
  const int Np = s->simplex->Np;
  OWNED(free) int32_t *slot = NULL;
  wisp_element_matrix m;
  CALL(wisp_new(err, s->pattern->rows, sizeof *slot, &slot));
  for (size_t e = 0; e < s->nodes->elements; e++) {
    make_element(s, data, e, &m);
    for (int i = 0; i < Np * Np; i++) {
      if (i % Np == 0) wisp_assembly_open_row(s, e, i / Np, slot);
      const int32_t to = wisp_assembly_entry_in(s, e, i / Np, i % Np, slot);
      if (to >= 0) values[to] += m.A[i], value_sizes[to] += m.A_size[i];
    }
    for (int a = 0; a < Np; a++) {
      const int32_t to = wisp_assembly_load(s, e, a) - (int32_t)s->pattern->nonzeros;
      if (to >= 0) F[to] += m.load[a], F_sizes[to] += m.load_size[a];
    }
  }
  return WISP_OK;
}

/* --- what kernels must leave --- */

/* All values and numbers of F begin with what is there, or with nothing. */
static void begin(wisp_test_case *r, bool keep)
{
  static const int arrays[] = {WISP_ASSEMBLY_VALUES, WISP_ASSEMBLY_F};
  for (size_t a = 0; a < WISP_COUNT(arrays); a++)
    for (size_t i = 0; i < r->numbers[arrays[a]]; i++) {
      double *number = &r->after[arrays[a]][i];
      if (!keep) *number = 0;
      r->size[arrays[a]][i] = fabs(*number);
    }
}

static wisp_status zero(wisp_error *err, const wisp_assembly *s, wisp_test_case *r)
{
  (void)err, (void)s;
  begin(r, false);
  return WISP_OK;
}

static wisp_status assemble(wisp_error *err, const wisp_assembly *s, wisp_test_case *r)
{
  begin(r, r->before[WISP_ASSEMBLY_VALUES] != NULL);
  return wisp_assembly_apply(err, s, r->own, r->after[WISP_ASSEMBLY_VALUES], r->after[WISP_ASSEMBLY_F],
                             r->size[WISP_ASSEMBLY_VALUES], r->size[WISP_ASSEMBLY_F]);
}

/* Padding stays NaN. */
static wisp_status make_elements(wisp_error *err, const wisp_assembly *s, wisp_test_case *r)
{
  const size_t Np = (size_t)s->simplex->Np, half = Np * (Np + 1) / 2;
  (void)err;
  double *after = r->after[WISP_ASSEMBLY_ELEMENT_DATA], *size = r->size[WISP_ASSEMBLY_ELEMENT_DATA];
  for (size_t e = 0; e < s->mesh->elements; e++) {
    wisp_element_matrix m;
    size_t k = 0;
    make_element(s, r->own, e, &m);
    for (size_t a = 0; a < Np; a++)
      for (size_t b = a; b < Np; b++, k++) {
        after[WISP_SLAB(half + Np, e, k)] = m.A[a * Np + b];
        size[WISP_SLAB(half + Np, e, k)] = m.A_size[a * Np + b];
      }
    for (size_t a = 0; a < Np; a++) {
      after[WISP_SLAB(half + Np, e, half + a)] = m.load[a];
      size[WISP_SLAB(half + Np, e, half + a)] = m.load_size[a];
    }
  }
  return WISP_OK;
}

static void add(wisp_test_case *r, int array, size_t i, double value)
{
  r->after[array][i] += value;
  r->size[array][i] += fabs(value);
}

/* Each element's numbers to where they belong, beside what is there where that is read. */
static wisp_status reduce(wisp_error *err, const wisp_assembly *s, wisp_test_case *r)
{
  const size_t Np = (size_t)s->simplex->Np, half = Np * (Np + 1) / 2, width = half + Np;
  const double *data = r->before[WISP_ASSEMBLY_ELEMENT_DATA];
  OWNED(free) int32_t *slot = NULL;
  CALL(wisp_new(err, s->pattern->rows, sizeof *slot, &slot));
  begin(r, r->before[WISP_ASSEMBLY_VALUES] != NULL);
  for (size_t e = 0; e < s->mesh->elements; e++)
    for (size_t a = 0; a < Np; a++) {
      const int32_t row = wisp_assembly_load(s, e, (int)a) - (int32_t)s->pattern->nonzeros;
      if (row < 0) continue;
      add(r, WISP_ASSEMBLY_F, (size_t)row, data[WISP_SLAB(width, e, half + a)]);
      wisp_assembly_open_row(s, e, (int)a, slot);
      for (size_t b = 0; b < Np; b++) {
        const int32_t entry = wisp_assembly_entry_in(s, e, (int)a, (int)b, slot);
        const size_t number = wisp_assembly_number(s, (int)a, (int)b, false);
        if (entry >= 0) add(r, WISP_ASSEMBLY_VALUES, (size_t)entry, data[WISP_SLAB(width, e, number)]);
      }
    }
  return WISP_OK;
}

static wisp_status multiply(wisp_error *err, const wisp_assembly *s, wisp_test_case *r)
{
  const wisp_pattern *p = s->pattern;
  const double *values = r->before[WISP_ASSEMBLY_VALUES], *x = r->before[WISP_ASSEMBLY_P];
  double sum = 0, squares = 0;
  (void)err;
  for (size_t row = 0; row < p->rows; row++) {
    double value = 0, size = 0;
    for (int32_t i = p->start[row]; i < p->start[row + 1]; i++) {
      value += values[i] * x[p->column[i]];
      size += fabs(values[i] * x[p->column[i]]);
    }
    r->after[WISP_ASSEMBLY_AP][row] = value, r->size[WISP_ASSEMBLY_AP][row] = size;
    sum += x[row] * value;
    squares += x[row] * size * x[row] * size;
  }
  r->after[WISP_ASSEMBLY_PAP_SUMS][0] = sum, r->size[WISP_ASSEMBLY_PAP_SUMS][0] = sqrt(squares);
  return WISP_OK;
}

/* As float, which it is in either precision. */
static wisp_status invert(wisp_error *err, const wisp_assembly *s, wisp_test_case *r)
{
  const wisp_pattern *p = s->pattern;
  (void)err;
  for (size_t row = 0; row < p->rows; row++) {
    const int32_t slot = wisp_pattern_slot(p, (int32_t)row, (int32_t)row);
    r->after[WISP_ASSEMBLY_INVERSE][row] = (float)(1 / r->before[WISP_ASSEMBLY_VALUES][p->start[row] + slot]);
    r->size[WISP_ASSEMBLY_INVERSE][row] = fabs(r->after[WISP_ASSEMBLY_INVERSE][row]);
  }
  return WISP_OK;
}

wisp_status wisp_assembly_reference(wisp_error *err, wisp_test_case *r)
{
  static const struct {
    const char *kernel;
    wisp_status (*compute)(wisp_error *err, const wisp_assembly *s, wisp_test_case *r);
  } kernels[] = {{"zero", zero},
                 {"scatter", assemble},
                 {"add", assemble},
                 {"matrices", make_elements},
                 {"reduce", reduce},
                 {"fill", assemble},
                 {"multiply", multiply},
                 {"invert", invert},
                 {"scatter_stored", reduce},
                 {"add_stored", reduce}};
  wisp_form_data *data = r->own;
  data->of_elements = r->before[WISP_ASSEMBLY_KAPPA], data->f = r->before[WISP_ASSEMBLY_SOURCE];
  data->u = r->before[WISP_ASSEMBLY_U];
  OWNED(free) double *largest = NULL;
  if (r->rounding & WISP_MIXES) CALL(make_largest(err, r->discretisation->self, &largest));
  data->largest = largest;
  for (size_t k = 0; k < WISP_COUNT(kernels); k++)
    if (strcmp(kernels[k].kernel, r->kernel->name) == 0) return kernels[k].compute(err, r->discretisation->self, r);
  return wisp_fail(err, WISP_EUSAGE, "no reference for kernel '%s'", r->kernel->name);
}
