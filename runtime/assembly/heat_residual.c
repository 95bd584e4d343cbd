/* The true residual of a heat step: element by element, by the reference; in single precision by the matrix that was
 * assembled, in double. */
#include "heat_solver.h"
#include "reference.h"

#include <math.h>

/* --- the reference's elements --- */

typedef struct solved {
  const wisp_assembly *assembly;
  const wisp_form_data *data;
} solved;

static size_t find_place(const void *context, size_t row, size_t k)
{
  const wisp_pattern *p = ((const solved *)context)->assembly->pattern;
  const size_t at = (size_t)p->around_start[row] + k;
  return at < (size_t)p->around_start[row + 1] ? (size_t)p->around[at] : SIZE_MAX;
}

/* Fixed nodes' part of A u is in the loads. */
static wisp_status apply(wisp_error *err, const void *context, size_t count, const int32_t *element,
                         wisp_residual_term *out)
{
  const solved *s = context;
  const size_t Np = (size_t)s->assembly->simplex->Np;
  OWNED(free) wisp_element_matrix *m = NULL;
  CALL(wisp_new(err, 1, sizeof *m, &m));
  for (size_t k = 0; k < count; k++) {
    const size_t e = (size_t)element[k];
    wisp_assembly_element(s->assembly, s->data, e, m);
    for (size_t a = 0; a < Np; a++) {
      wisp_residual_term *term = &out[k * Np + a];
      term->right = m->load[a];
      for (size_t b = 0; b < Np; b++) {
        const int32_t node = wisp_assembly_node(s->assembly, e, (int)b);
        if (!wisp_assembly_is_unknown(s->assembly, node)) continue;
        term->product += m->A[a * Np + b] * s->data->u[node];
        term->size += m->A_size[a * Np + b] * fabs(s->data->u[node]);
      }
    }
  }
  return WISP_OK;
}

wisp_status wisp_heat_element_residual(wisp_error *err, const wisp_assembly *view, const wisp_heat *heat, double rate,
                                       const double *f, const double *u, wisp_true_residual *out)
{
  wisp_form_data data = {.mass = rate, .f = f, .u = u};
  wisp_form form = *view->form;
  wisp_assembly own = *view; /* with the kappa of this problem */
  form.at_node = heat->value, own.form = &form;
  for (int k = 0; k < 3; k++) data.kappa[k] = heat->kappa.number[k];
  return wisp_true_residual_find(err,
                                 &(wisp_residual_system){.rows = own.pattern->rows,
                                                         .precision = WISP_F64,
                                                         .context = &(solved){&own, &data},
                                                         .elements = own.mesh->elements,
                                                         .width = (size_t)own.simplex->Np,
                                                         .place = find_place,
                                                         .apply = apply},
                                 out);
}

/* --- the matrix's own rows --- */

typedef struct matrix {
  const wisp_pattern *pattern;
  const double *values, *F, *u;
} matrix;

static void add_row(const void *context, size_t row, wisp_residual_term *out)
{
  const matrix *m = context;
  out->right = m->F[row];
  for (int32_t i = m->pattern->start[row]; i < m->pattern->start[row + 1]; i++) {
    const double term = m->values[i] * m->u[m->pattern->column[i]];
    out->product += term, out->size += fabs(term);
  }
}

wisp_status wisp_heat_matrix_residual(wisp_error *err, const wisp_pattern *pattern, const double *values,
                                      const double *F, const double *u, wisp_true_residual *out)
{
  return wisp_true_residual_find(
      err,
      &(wisp_residual_system){
          .rows = pattern->rows, .precision = WISP_F32, .context = &(matrix){pattern, values, F, u}, .row = add_row},
      out);
}
