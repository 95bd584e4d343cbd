/* Solutions, moved between device and host. */
#include "solution.h"
#include "../mesh/vtu.h"

#include <stdlib.h>

wisp_status wisp_solution_put(wisp_error *err, wisp_problem *problem, const double *u)
{
  const wisp_status status = wisp_arrays_upload(err, problem->arrays, "u", u);
  return status == WISP_OK ? wisp_arrays_fill(err, problem->arrays, "res", 0) : status;
}

wisp_status wisp_solution_energy(wisp_error *err, wisp_problem *problem, double *out)
{
  OWNED(free) double *u = NULL;
  CALL(wisp_new(err, wisp_arrays_size(problem->arrays, "u"), sizeof *u, &u));
  CALL(wisp_arrays_download(err, problem->arrays, "u", u));
  return wisp_dg_energy(err, wisp_problem_dg(problem), u, out);
}

/* The file's lattice, r then s then t, and evaluation there, Np x Np. */
static wisp_status make_lattice(wisp_error *err, const wisp_tet *tet, double *rst, double *I)
{
  const size_t Np = (size_t)tet->Np;
  CALL(wisp_vtu_lattice(err, tet->N, rst, rst + Np, rst + 2 * Np));
  return wisp_tet_interpolation(err, tet, Np, rst, rst + Np, rst + 2 * Np, I);
}

/* to = I from */
static void apply(const double *I, size_t Np, const double *from, double *to)
{
  for (size_t i = 0; i < Np; i++) {
    double sum = 0;
    for (size_t j = 0; j < Np; j++) sum += I[i * Np + j] * from[j];
    to[i] = sum;
  }
}

/* Fills the file's arrays: coordinates, then the values of field f at values + f * elements * Np. own: Np numbers. */
static void sample(const wisp_dg *dg, const double *rst, const double *I, const double *u, double *own, double *xyz,
                   double *values)
{
  const wisp_layout *l = &dg->layout;
  size_t Np = (size_t)l->Np, field = dg->mesh->elements * Np;
  for (size_t k = 0; k < dg->slots; k++) {
    if (dg->slot[k] == WISP_EMPTY) continue;
    size_t element = (size_t)dg->slot[k] * Np;
    wisp_dg_places(dg, k, Np, rst, rst + Np, rst + 2 * Np, xyz + 3 * element);
    for (int f = 0; f < dg->system->fields; f++) {
      for (size_t i = 0; i < Np; i++) own[i] = u[wisp_layout_volume(l, dg->system->fields, f, k, i)];
      apply(I, Np, own, values + (size_t)f * field + element);
    }
  }
}

wisp_status wisp_solution_write_vtu(wisp_error *err, const wisp_dg *dg, const double *u, const char *path)
{
  size_t Np = (size_t)dg->layout.Np, elements = dg->mesh->elements, fields = (size_t)dg->system->fields;
  OWNED(free) double *rst = NULL, *I = NULL, *own = NULL, *xyz = NULL, *values = NULL;
  const char *name[WISP_MAX_FIELDS];
  const double *value[WISP_MAX_FIELDS];
  CALL(wisp_new(err, 3 * Np, sizeof *rst, &rst));
  CALL(wisp_new(err, Np * Np, sizeof *I, &I));
  CALL(wisp_new(err, Np, sizeof *own, &own));
  CALL(make_lattice(err, dg->tet, rst, I));
  CALL(wisp_new(err, 3 * Np * elements, sizeof *xyz, &xyz));
  CALL(wisp_new(err, fields * Np * elements, sizeof *values, &values));
  sample(dg, rst, I, u, own, xyz, values);
  for (size_t f = 0; f < fields; f++) {
    name[f] = dg->system->field[f];
    value[f] = values + f * Np * elements;
  }
  return wisp_vtu_write(err, path, dg->tet->N, elements, xyz, fields, name, value);
}
