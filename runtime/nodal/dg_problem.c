/* A wisp_dg as a discretisation: its counts, what it fixes, and whose each number is. */
#include "dg_problem.h"

#include <stdio.h>
#include <string.h>

static wisp_status fill(wisp_error *err, const void *self, wisp_arrays *arrays)
{
  const wisp_dg *dg = self;
  CALL(wisp_arrays_upload(err, arrays, "geo", dg->geo));
  CALL(wisp_arrays_upload(err, arrays, "face_real", dg->face_real));
  CALL(wisp_arrays_upload(err, arrays, "pair_real", dg->pair_real));
  CALL(wisp_arrays_upload_ints(err, arrays, "face_int", dg->face_int));
  CALL(wisp_arrays_upload_ints(err, arrays, "pair_block", dg->pair_block));
  return wisp_arrays_upload_ints(err, arrays, "pair_int", dg->pair_int);
}

/* A degree of freedom of field f in slot k. */
typedef struct dof {
  size_t k, i;
  int f;
} dof;

/* The inverse of wisp_layout_volume and wisp_layout_face; false in padding and empty slots. */
static bool find_dof(const wisp_dg *dg, const wisp_array_decl *array, size_t at, dof *out)
{
  const wisp_layout *l = &dg->layout;
  const bool face = strcmp(array->name, "flux") == 0;
  const size_t KM = (size_t)l->KM, Ndof = (size_t)(face ? l->Nf : l->Np), row = (size_t)(face ? l->NfM : l->NpM);
  const size_t n = (size_t)dg->system->fields, in_row = at % row, group = at / row / n;
  if (in_row >= KM * Ndof) return false;
  const bool nodes_first = l->order == WISP_NODE_FASTEST;
  *out = (dof){.k = group * KM + (nodes_first ? in_row / Ndof : in_row % KM),
               .i = nodes_first ? in_row % Ndof : in_row / KM,
               .f = (int)(at / row % n)};
  return dg->slot[out->k] != WISP_EMPTY;
}

/* Elements as the mesh has them, their fields one after the other, node after node. */
static size_t origin(const void *self, const wisp_array_decl *array, size_t at)
{
  const wisp_dg *dg = self;
  dof d;
  if (array->kind == WISP_FIXED) return at;
  if (!find_dof(dg, array, at, &d)) return WISP_NOBODY;
  const size_t Ndof = (size_t)(strcmp(array->name, "flux") == 0 ? dg->layout.Nf : dg->layout.Np);
  return ((size_t)dg->slot[d.k] * (size_t)dg->system->fields + (size_t)d.f) * Ndof + d.i;
}

static void place(const void *self, const wisp_array_decl *array, size_t at, char text[WISP_PLACE_TEXT])
{
  const wisp_dg *dg = self;
  dof d;
  if (array->kind != WISP_FIXED && find_dof(dg, array, at, &d))
    snprintf(text, WISP_PLACE_TEXT, "slot %zu, field %s, node %zu", d.k, dg->system->field[d.f], d.i);
  else
    snprintf(text, WISP_PLACE_TEXT, "number %zu", at);
}

wisp_discretisation wisp_dg_discretisation(const wisp_dg *dg)
{
  const wisp_layout *l = &dg->layout;
  return (wisp_discretisation){
      .family = wisp_family_find("nodal"),
      .counts = {{"elements", dg->mesh->elements},
                 {"groups", dg->groups},
                 {"blocks", dg->blocks},
                 {"pairs", dg->pairs},
                 {"KM", (size_t)l->KM},
                 {"NpM", (size_t)l->NpM},
                 {"NfM", (size_t)l->NfM},
                 {"n", (size_t)dg->system->fields},
                 {"geos", (size_t)dg->records.geos},
                 {"face_reals", (size_t)dg->records.face_reals},
                 {"pair_reals", (size_t)dg->records.pair_reals}},
      .self = (void *)(uintptr_t)dg,
      .fill = fill,
      .origin = origin,
      .place = place,
  };
}

/* Nested stages find u_n in the places of the others (integrator.h). */
static bool is_of_a_run(const void *with_derivatives, const char *array)
{
  return strcmp(array, "u_n") != 0 && (with_derivatives || strncmp(array, "du", 2) != 0);
}

wisp_status wisp_problem_create(wisp_error *err, wisp_device *device, const wisp_dg *dg, wisp_precision precision,
                                size_t guard, bool with_derivatives, wisp_problem **out)
{
  wisp_discretisation d = wisp_dg_discretisation(dg);
  return wisp_problem_open(err, device, &d, precision, guard, is_of_a_run, with_derivatives ? &d : NULL, out);
}

const wisp_dg *wisp_problem_dg(const wisp_problem *problem)
{
  return problem->d.self;
}

void wisp_dg_bind(const wisp_scalars *scalars, wisp_binding out[WISP_DG_SCALARS])
{
  out[0] = (wisp_binding){"alpha", 0, scalars->alpha};
  out[1] = (wisp_binding){"a", 0, scalars->a};
  out[2] = (wisp_binding){"b", 0, scalars->b};
  out[3] = (wisp_binding){"dt", 0, scalars->dt};
}

wisp_status wisp_problem_launch(wisp_error *err, wisp_problem *problem, const wisp_kernel *kernel,
                                const wisp_scalars *scalars)
{
  wisp_binding bindings[WISP_DG_SCALARS];
  wisp_dg_bind(scalars, bindings);
  return wisp_problem_run(err, problem, kernel, bindings, WISP_DG_SCALARS);
}
