/* A discretised problem's arrays on a device: one table of names and sizes, guard zones around each. */
#include "problem.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ARRAYS = 16 };

typedef struct array {
  const char *name;
  bool is_int;
  size_t size;       /* numbers */
  wisp_pointer base; /* of the front guard zone; 0: not made */
} array;

struct wisp_problem {
  wisp_device *device;
  const wisp_dg *dg;
  wisp_precision precision;
  int count;
  array arrays[MAX_ARRAYS];
};

/* Guard zones hold numbers that no kernel writes: large enough that reading one shows, small enough that adding to one
 * shows; -1 as an index stays near its array. */
static const double guard_real = 1234.5;
static const int guard_int = -1;

static size_t number_bytes(const wisp_problem *problem, const array *a)
{
  return a->is_int ? sizeof(int) : (size_t)problem->precision;
}

static size_t guard_bytes(const wisp_problem *problem, const array *a)
{
  return WISP_GUARD * number_bytes(problem, a);
}

static size_t whole_bytes(const wisp_problem *problem, const array *a)
{
  return a->size * number_bytes(problem, a) + 2 * guard_bytes(problem, a);
}

static wisp_pointer start(const wisp_problem *problem, const array *a)
{
  return a->base + guard_bytes(problem, a);
}

/* The i-th number of a guard zone, or of an array made of `value`, as bytes at `to`. */
static void put_number(const wisp_problem *problem, const array *a, double value, void *to, size_t i)
{
  if (a->is_int)
    ((int *)to)[i] = (int)value;
  else if (problem->precision == WISP_F32)
    ((float *)to)[i] = (float)value;
  else
    ((double *)to)[i] = value;
}

static void make_guard(const wisp_problem *problem, const array *a, double guard[WISP_GUARD])
{
  for (size_t i = 0; i < WISP_GUARD; i++) put_number(problem, a, a->is_int ? guard_int : guard_real, guard, i);
}

/* Which arrays there are, and how large. */
static void list_arrays(wisp_problem *problem, bool with_derivatives)
{
  const wisp_dg *dg = problem->dg;
  size_t volume = wisp_dg_volume_size(dg), slots = dg->groups * (size_t)dg->layout.KM;
  size_t derivative = with_derivatives ? volume : 0;
  const array all[] = {
      {"u", false, volume, 0},
      {"u_next", false, volume, 0},
      {"rhs", false, volume, 0},
      {"lifted", false, volume, 0},
      {"res", false, volume, 0},
      {"flux", false, wisp_dg_face_size(dg), 0},
      {"geo", false, slots * WISP_GEO, 0},
      {"face_int", true, slots * WISP_FACE_INTS, 0},
      {"face_real", false, slots * WISP_FACE_REALS, 0},
      {"pair_block", true, dg->blocks * WISP_BLOCK_INTS, 0},
      {"pair_int", true, dg->pairs * WISP_PAIR_INTS, 0},
      {"pair_real", false, dg->pairs * WISP_PAIR_REALS, 0},
      {"dux", false, derivative, 0},
      {"duy", false, derivative, 0},
      {"duz", false, derivative, 0},
  };
  problem->count = (int)(sizeof all / sizeof *all) - (with_derivatives ? 0 : 3);
  memcpy(problem->arrays, all, (size_t)problem->count * sizeof *all);
}

static wisp_status check_memory(wisp_error *err, const wisp_problem *problem)
{
  const wisp_limits *limits = wisp_device_limits(problem->device);
  size_t bytes = 0;
  for (int i = 0; i < problem->count; i++) bytes += whole_bytes(problem, &problem->arrays[i]);
  return wisp_require(err, bytes <= limits->memory, WISP_EMEMORY,
                      "a problem of %zu elements needs %.2f GB, %s has %.2f GB: take fewer elements or a lower order",
                      problem->dg->slots, (double)bytes / 1e9, limits->name, (double)limits->memory / 1e9);
}

static wisp_status make_array(wisp_error *err, wisp_problem *problem, array *a)
{
  wisp_status status = WISP_OK;
  double guard[WISP_GUARD];
  size_t bytes = a->size * number_bytes(problem, a), zone = guard_bytes(problem, a);
  make_guard(problem, a, guard);
  TRY(wisp_device_alloc(err, problem->device, whole_bytes(problem, a), &a->base));
  TRY(wisp_device_upload(err, problem->device, a->base, guard, zone));
  TRY(wisp_device_upload(err, problem->device, a->base + zone + bytes, guard, zone));
  if (bytes) TRY(wisp_device_fill(err, problem->device, a->base + zone, 0, bytes));
done:
  if (status == WISP_EMEMORY) wisp_context(err, status, "array %s (%zu numbers): ", a->name, a->size);
  return status;
}

static array *find(const wisp_problem *problem, const char *name)
{
  for (int i = 0; i < problem->count; i++)
    if (strcmp(problem->arrays[i].name, name) == 0) return (array *)&problem->arrays[i];
  return NULL;
}

static wisp_status upload_ints(wisp_error *err, wisp_problem *problem, const char *name, const int *values)
{
  const array *a = find(problem, name);
  if (!a->size) return WISP_OK;
  return wisp_device_upload(err, problem->device, start(problem, a), values, a->size * sizeof *values);
}

/* Geometry, faces and pairs: what the discretisation fixes once. */
static wisp_status upload_mesh(wisp_error *err, wisp_problem *problem)
{
  wisp_status status = WISP_OK;
  const wisp_dg *dg = problem->dg;
  TRY(wisp_problem_upload(err, problem, "geo", dg->geo));
  TRY(wisp_problem_upload(err, problem, "face_real", dg->face_real));
  TRY(wisp_problem_upload(err, problem, "pair_real", dg->pair_real));
  TRY(upload_ints(err, problem, "face_int", dg->face_int));
  TRY(upload_ints(err, problem, "pair_block", dg->pair_block));
  TRY(upload_ints(err, problem, "pair_int", dg->pair_int));
done:
  return status;
}

wisp_status wisp_problem_create(wisp_error *err, wisp_device *device, const wisp_dg *dg, wisp_precision precision,
                                bool with_derivatives, wisp_problem **out)
{
  wisp_status status = WISP_OK;
  wisp_problem *problem = NULL;
  TRY(wisp_new(err, 1, sizeof *problem, &problem));
  problem->device = device;
  problem->dg = dg;
  problem->precision = precision;
  list_arrays(problem, with_derivatives);
  TRY(check_memory(err, problem));
  for (int i = 0; i < problem->count; i++) TRY(make_array(err, problem, &problem->arrays[i]));
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
  for (int i = 0; i < problem->count; i++)
    if (problem->arrays[i].base) wisp_device_free(problem->device, problem->arrays[i].base);
  free(problem);
}

const wisp_dg *wisp_problem_dg(const wisp_problem *problem)
{
  return problem->dg;
}

size_t wisp_problem_size(const wisp_problem *problem, const char *name)
{
  const array *a = find(problem, name);
  return a ? a->size : 0;
}

size_t wisp_problem_bytes(const wisp_problem *problem)
{
  size_t bytes = 0;
  for (int i = 0; i < problem->count; i++) bytes += whole_bytes(problem, &problem->arrays[i]);
  return bytes;
}

void wisp_problem_swap(wisp_problem *problem)
{
  array *u = find(problem, "u"), *next = find(problem, "u_next");
  wisp_pointer base = u->base;
  u->base = next->base;
  next->base = base;
}

static wisp_status find_field(wisp_error *err, const wisp_problem *problem, const char *name, const array **out)
{
  *out = find(problem, name);
  return wisp_require(err, *out && !(*out)->is_int, WISP_EUSAGE, "the problem has no array of reals '%s'", name);
}

enum { CHUNK = 1 << 20 }; /* numbers converted at a time: fields of gigabytes need no second copy on the host */

wisp_status wisp_problem_upload(wisp_error *err, wisp_problem *problem, const char *name, const double *values)
{
  wisp_status status = WISP_OK;
  const array *a = NULL;
  float *chunk = NULL;
  TRY(find_field(err, problem, name, &a));
  if (!a->size) goto done;
  if (problem->precision == WISP_F64)
    return wisp_device_upload(err, problem->device, start(problem, a), values, a->size * sizeof *values);
  TRY(wisp_new(err, a->size < CHUNK ? a->size : CHUNK, sizeof *chunk, &chunk));
  for (size_t from = 0; from < a->size; from += CHUNK) {
    size_t count = a->size - from < CHUNK ? a->size - from : CHUNK;
    for (size_t i = 0; i < count; i++) chunk[i] = (float)values[from + i];
    TRY(wisp_device_upload(err, problem->device, start(problem, a) + from * sizeof *chunk, chunk,
                           count * sizeof *chunk));
  }
done:
  free(chunk);
  return status;
}

wisp_status wisp_problem_download(wisp_error *err, wisp_problem *problem, const char *name, double *values)
{
  wisp_status status = WISP_OK;
  const array *a = NULL;
  float *chunk = NULL;
  TRY(find_field(err, problem, name, &a));
  if (!a->size) goto done;
  if (problem->precision == WISP_F64)
    return wisp_device_download(err, problem->device, values, start(problem, a), a->size * sizeof *values);
  TRY(wisp_new(err, a->size < CHUNK ? a->size : CHUNK, sizeof *chunk, &chunk));
  for (size_t from = 0; from < a->size; from += CHUNK) {
    size_t count = a->size - from < CHUNK ? a->size - from : CHUNK;
    TRY(wisp_device_download(err, problem->device, chunk, start(problem, a) + from * sizeof *chunk,
                             count * sizeof *chunk));
    for (size_t i = 0; i < count; i++) values[from + i] = (double)chunk[i];
  }
done:
  free(chunk);
  return status;
}

wisp_status wisp_problem_fill(wisp_error *err, wisp_problem *problem, const char *name, unsigned char byte)
{
  const array *a = NULL;
  wisp_status status = find_field(err, problem, name, &a);
  if (status != WISP_OK || !a->size) return status;
  return wisp_device_fill(err, problem->device, start(problem, a), byte, a->size * number_bytes(problem, a));
}

wisp_status wisp_problem_guards(wisp_error *err, wisp_problem *problem, bool *intact, char name[32])
{
  wisp_status status = WISP_OK;
  double expected[WISP_GUARD], seen[WISP_GUARD];
  *intact = true;
  for (int i = 0; i < problem->count; i++) {
    const array *a = &problem->arrays[i];
    size_t zone = guard_bytes(problem, a);
    make_guard(problem, a, expected);
    for (int side = 0; side < 2; side++) {
      wisp_pointer at = side ? start(problem, a) + a->size * number_bytes(problem, a) : a->base;
      TRY(wisp_device_download(err, problem->device, seen, at, zone));
      if (memcmp(seen, expected, zone) == 0) continue;
      *intact = false;
      memcpy(name, a->name, strlen(a->name) + 1);
      TRY(wisp_device_upload(err, problem->device, at, expected, zone)); /* whole again for the next kernel */
    }
  }
done:
  return status;
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
  wisp_binding bindings[MAX_ARRAYS + sizeof values / sizeof *values];
  size_t count = 0;
  for (int i = 0; i < problem->count; i++)
    bindings[count++] = (wisp_binding){problem->arrays[i].name, start(problem, &problem->arrays[i]), 0};
  for (size_t i = 0; i < sizeof values / sizeof *values; i++) bindings[count++] = values[i];
  return wisp_kernel_launch(err, kernel, dg->groups, dg->blocks, bindings, count);
}
