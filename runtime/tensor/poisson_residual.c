/* The true residual of a Poisson problem: element by element, by the reference. */
#include "../solve/residual.h"
#include "poisson_solver.h"

enum { BATCH = 16 };

typedef struct solved {
  const wisp_poisson *problem;
  const double *x;
  bool rounded; /* vertices, to single precision */
} solved;

static size_t find_place(const void *context, size_t row, size_t k)
{
  const wisp_hexcopies *copies = ((const solved *)context)->problem->copies;
  const size_t at = (size_t)copies->start[row] + k;
  return at < (size_t)copies->start[row + 1] ? (size_t)copies->copy[at] : SIZE_MAX;
}

/* Values at an element's nodes, 0 where the boundary gives them: these are in b. */
static void take_nodes(const solved *s, size_t e, double *u)
{
  const wisp_poisson *p = s->problem;
  const size_t Np = (size_t)p->hex->Np;
  for (size_t i = 0; i < Np; i++) {
    const int32_t unknown = p->copies->unknown[p->nodes->global[e * Np + i]];
    u[i] = unknown < 0 ? 0 : s->x[unknown];
  }
}

static wisp_status apply(wisp_error *err, const void *context, size_t count, const int32_t *element,
                         wisp_residual_term *out)
{
  const solved *s = context;
  const wisp_poisson *p = s->problem;
  const size_t Np = (size_t)p->hex->Np;
  OWNED(free) double *u = NULL;
  double vertices[24 * BATCH];
  CALL(wisp_new(err, 3 * BATCH * Np, sizeof *u, &u));
  double *y = u + BATCH * Np, *sizes = y + BATCH * Np;
  for (size_t from = 0; from < count; from += BATCH) {
    const size_t many = count - from < BATCH ? count - from : BATCH;
    for (size_t i = 0; i < many; i++) {
      wisp_hex_vertices(p->mesh, &p->frame, (size_t)element[from + i], 1, vertices + 24 * i);
      for (size_t q = 24 * i; s->rounded && q < 24 * (i + 1); q++) vertices[q] = (float)vertices[q];
      take_nodes(s, (size_t)element[from + i], u + i * Np);
    }
    CALL(wisp_hex_apply(err, p->hex, p->op, vertices, many, p->lambda, u, y));
    CALL(wisp_hex_apply_sizes(err, p->hex, p->op, vertices, many, p->lambda, u, sizes));
    for (size_t i = 0; i < many * Np; i++) out[from * Np + i] = (wisp_residual_term){y[i], 0, sizes[i]};
  }
  return WISP_OK;
}

wisp_status wisp_poisson_residual(wisp_error *err, const wisp_poisson *problem, wisp_precision precision, bool vertices,
                                  const double *unknowns, wisp_true_residual *out)
{
  return wisp_true_residual_find(
      err,
      &(wisp_residual_system){.rows = problem->copies->unknowns,
                              .precision = precision,
                              .context = &(solved){problem, unknowns, vertices && precision == WISP_F32},
                              .elements = problem->mesh->elements,
                              .width = (size_t)problem->hex->Np,
                              .place = find_place,
                              .apply = apply,
                              .b = problem->b},
      out);
}
