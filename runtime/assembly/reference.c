#include "reference.h"

#include <math.h>

/* An element's affine map. */
typedef struct frame {
  double slope[2][2]; /* dr/dx, dr/dy; ds/dx, ds/dy */
  double J, blur;     /* how much larger than J the numbers are that it is the difference of */
} frame;

static frame frame_of(const wisp_mesh *mesh, size_t e)
{
  double d[2][2];
  for (size_t v = 0; v < 2; v++)
    for (size_t c = 0; c < 2; c++)
      d[v][c] = (mesh->xyz[3 * (size_t)mesh->tri[3 * e + v + 1] + c] - mesh->xyz[3 * (size_t)mesh->tri[3 * e] + c]) / 2;
  const double J = d[0][0] * d[1][1] - d[1][0] * d[0][1];
  return (frame){.slope = {{d[1][1] / J, -d[1][0] / J}, {-d[0][1] / J, d[0][0] / J}},
                 .J = J,
                 .blur = (fabs(d[0][0] * d[1][1]) + fabs(d[1][0] * d[0][1])) / J};
}

/* The coefficient at the nodes, or its size. */
static double kappa_at(const wisp_assembly *s, const wisp_form_data *data, size_t e, int32_t node, bool size)
{
  if (s->form->kappa == WISP_BY_NUMBER) return data->kappa[0];
  if (s->form->kappa == WISP_BY_ELEMENT) return data->of_elements[e];
  const double u = data->u[node], *k = data->kappa;
  return size ? fabs(k[0]) + fabs(k[1] * u) + fabs(k[2] * u * u) : k[0] + k[1] * u + k[2] * u * u;
}

static double f_at(const wisp_assembly *s, const wisp_form_data *data, int32_t node)
{
  return s->form->f == WISP_BY_NODES ? data->f[node] : data->density;
}

/* The geometric factors of the directions 00, 01 and 11, and their sizes. */
static void find_factors(const frame *at, double G[2][WISP_TRI_DIRECTIONS])
{
  const double(*g)[2] = at->slope;
  for (int d = 0; d < WISP_TRI_DIRECTIONS; d++) {
    const double x = g[d / 2][0] * g[(d + 1) / 2][0], y = g[d / 2][1] * g[(d + 1) / 2][1];
    G[0][d] = at->J * (x + y);
    G[1][d] = at->J * at->blur * (fabs(x) + fabs(y));
  }
}

/* Entry i of the matrix, by the reference element's tables, and its size. */
static void add_entry(const wisp_assembly *s, const wisp_form_data *data, const frame *at,
                      double kappa[2][WISP_ELEMENT_NODES], size_t i, wisp_element_matrix *out)
{
  const wisp_tri *tri = s->tri;
  const size_t Np = (size_t)tri->Np;
  const bool by_nodes = s->form->kappa == WISP_BY_NODES;
  double G[2][WISP_TRI_DIRECTIONS];
  find_factors(at, G);
  for (size_t d = 0; d < WISP_TRI_DIRECTIONS; d++)
    for (size_t m = 0; m < (by_nodes ? Np : 1); m++) {
      const double T = by_nodes ? tri->interpolated[d][m * Np * Np + i] : tri->stiffness[d][i];
      out->A[i] += G[0][d] * kappa[0][m] * T;
      out->A_size[i] += G[1][d] * kappa[1][m] * fabs(T);
    }
  if (!s->form->mass) return;
  out->A[i] += at->J * data->mass * tri->mass[i];
  out->A_size[i] += at->J * at->blur * fabs(data->mass * tri->mass[i]);
}

void wisp_assembly_element(const wisp_assembly *s, const wisp_form_data *data, size_t e, wisp_element_matrix *out)
{
  const size_t Np = (size_t)s->tri->Np;
  const int32_t *node = s->nodes->node + e * Np;
  double kappa[2][WISP_ELEMENT_NODES];
  const frame at = frame_of(s->mesh, e);
  *out = (wisp_element_matrix){.A = {0}};
  for (size_t a = 0; a < Np; a++)
    for (int size = 0; size < 2; size++) kappa[size][a] = kappa_at(s, data, e, node[a], size);
  for (size_t i = 0; i < Np * Np; i++) {
    const int32_t column = node[i % Np];
    const double load = at.J * s->tri->mass[i] * f_at(s, data, column);
    add_entry(s, data, &at, kappa, i, out);
    out->load[i / Np] += load;
    out->load_size[i / Np] += at.blur * fabs(load);
    if ((size_t)column < s->pattern->rows) continue;
    out->load[i / Np] -= out->A[i] * data->u[column];
    out->load_size[i / Np] += out->A_size[i] * fabs(data->u[column]);
  }
}

void wisp_assembly_apply(const wisp_assembly *s, const wisp_form_data *data, double *values, double *F,
                         double *value_sizes, double *F_sizes)
{
  const int Np = s->tri->Np;
  wisp_element_matrix m;
  for (size_t e = 0; e < s->nodes->elements; e++) {
    wisp_assembly_element(s, data, e, &m);
    for (int i = 0; i < Np * Np; i++) {
      const int32_t to = wisp_assembly_entry(s, e, i / Np, i % Np);
      if (to >= 0) values[to] += m.A[i], value_sizes[to] += m.A_size[i];
    }
    for (int a = 0; a < Np; a++) {
      const int32_t to = wisp_assembly_load(s, e, a) - (int32_t)s->pattern->nonzeros;
      if (to >= 0) F[to] += m.load[a], F_sizes[to] += m.load_size[a];
    }
  }
}
