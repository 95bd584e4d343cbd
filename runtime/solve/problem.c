/* A discretised problem: which arrays it has, and what the discretisation fixes once. */
#include "problem.h"

#include <stdio.h>
#include <stdlib.h>

struct wisp_problem {
  const wisp_dg *dg;
  wisp_arrays *arrays;
};

static wisp_status make_arrays(wisp_error *err, wisp_device *device, wisp_precision precision, size_t guard,
                               bool with_derivatives, wisp_problem *problem)
{
  const wisp_dg *dg = problem->dg;
  size_t volume = wisp_dg_volume_size(dg), slots = dg->groups * (size_t)dg->layout.KM;
  const wisp_array all[] = {
      {"u", WISP_REAL, volume},
      {"u_next", WISP_REAL, volume},
      {"rhs", WISP_REAL, volume},
      {"lifted", WISP_REAL, volume},
      {"res", WISP_REAL, volume},
      {"flux", WISP_REAL, wisp_dg_face_size(dg)},
      {"geo", WISP_REAL, slots * WISP_GEO},
      {"face_int", WISP_INT, slots * WISP_FACE_INTS},
      {"face_real", WISP_REAL, slots * WISP_FACE_REALS},
      {"pair_block", WISP_INT, dg->blocks * WISP_BLOCK_INTS},
      {"pair_int", WISP_INT, dg->pairs * WISP_PAIR_INTS},
      {"pair_real", WISP_REAL, dg->pairs * WISP_PAIR_REALS},
      {"dux", WISP_REAL, volume},
      {"duy", WISP_REAL, volume},
      {"duz", WISP_REAL, volume},
  };
  size_t count = sizeof all / sizeof *all - (with_derivatives ? 0 : 3);
  char what[64];
  snprintf(what, sizeof what, "a problem of %zu elements", dg->slots);
  return wisp_arrays_create(err, device, precision, what, guard, all, count, &problem->arrays);
}

/* Geometry, faces and pairs: what the discretisation fixes once. */
static wisp_status upload_mesh(wisp_error *err, wisp_problem *problem)
{
  wisp_status status = WISP_OK;
  const wisp_dg *dg = problem->dg;
  TRY(wisp_arrays_upload(err, problem->arrays, "geo", dg->geo));
  TRY(wisp_arrays_upload(err, problem->arrays, "face_real", dg->face_real));
  TRY(wisp_arrays_upload(err, problem->arrays, "pair_real", dg->pair_real));
  TRY(wisp_arrays_upload_ints(err, problem->arrays, "face_int", dg->face_int));
  TRY(wisp_arrays_upload_ints(err, problem->arrays, "pair_block", dg->pair_block));
  TRY(wisp_arrays_upload_ints(err, problem->arrays, "pair_int", dg->pair_int));
done:
  return status;
}

wisp_status wisp_problem_create(wisp_error *err, wisp_device *device, const wisp_dg *dg, wisp_precision precision,
                                size_t guard, bool with_derivatives, wisp_problem **out)
{
  wisp_status status = WISP_OK;
  wisp_problem *problem = NULL;
  TRY(wisp_new(err, 1, sizeof *problem, &problem));
  problem->dg = dg;
  TRY(make_arrays(err, device, precision, guard, with_derivatives, problem));
  TRY(upload_mesh(err, problem));
  *out = problem;
  problem = NULL;
done:
  wisp_problem_destroy(problem);
  return status;
}

void wisp_problem_destroy(wisp_problem *problem)
{
  if (!problem) return;
  wisp_arrays_destroy(problem->arrays);
  free(problem);
}

const wisp_dg *wisp_problem_dg(const wisp_problem *problem)
{
  return problem->dg;
}

wisp_arrays *wisp_problem_arrays(const wisp_problem *problem)
{
  return problem->arrays;
}

size_t wisp_problem_size(const wisp_problem *problem, const char *name)
{
  return wisp_arrays_size(problem->arrays, name);
}

size_t wisp_problem_bytes(const wisp_problem *problem)
{
  return wisp_arrays_bytes(problem->arrays);
}

void wisp_problem_swap(wisp_problem *problem)
{
  wisp_arrays_swap(problem->arrays, "u", "u_next");
}

wisp_status wisp_problem_upload(wisp_error *err, wisp_problem *problem, const char *name, const double *values)
{
  return wisp_arrays_upload(err, problem->arrays, name, values);
}

wisp_status wisp_problem_download(wisp_error *err, wisp_problem *problem, const char *name, double *values)
{
  return wisp_arrays_download(err, problem->arrays, name, values);
}

wisp_status wisp_problem_fill(wisp_error *err, wisp_problem *problem, const char *name, unsigned char byte)
{
  return wisp_arrays_fill(err, problem->arrays, name, byte);
}

wisp_status wisp_problem_launch(wisp_error *err, wisp_problem *problem, const wisp_kernel *kernel,
                                const wisp_scalars *scalars)
{
  const wisp_dg *dg = problem->dg;
  const wisp_binding values[] = {
      {"groups", 0, (double)dg->groups},
      {"blocks", 0, (double)dg->blocks},
      {"alpha", 0, scalars->alpha},
      {"a", 0, scalars->a},
      {"b", 0, scalars->b},
      {"dt", 0, scalars->dt},
  };
  return wisp_arrays_launch(err, problem->arrays, kernel, dg->groups, dg->blocks, values,
                            sizeof values / sizeof *values);
}
