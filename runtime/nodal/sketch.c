/* Random sums of the solution: what its spectrum is seen from, and whether it is finite. Only numbers that belong to an
 * element's node count: what kernels leave in padding and empty slots may be anything. */
#include "../../gen/check.h"
#include "../device.h"
#include "../parallel.h"
#include "krylov.h"
#include "solver.h"

#include <stdint.h>
#include <stdlib.h>

enum { WORD = 32 }; /* groups of a unit of work, and bits of a word: so no two units share a word */

typedef struct marking {
  const wisp_dg *dg;
  uint32_t *bit;
} marking;

/* A wisp_sweep over units. */
static void mark(void *context, size_t from, size_t to)
{
  const marking *m = context;
  const wisp_dg *dg = m->dg;
  const wisp_layout *l = &dg->layout;
  const int n = dg->system->fields;
  const size_t unit = WORD * (size_t)l->KM, end = to * unit < dg->slots ? to * unit : dg->slots;
  for (size_t k = from * unit; k < end; k++)
    for (int f = 0; dg->slot[k] != WISP_EMPTY && f < n; f++)
      for (size_t i = 0; i < (size_t)l->Np; i++) {
        const size_t at = wisp_layout_volume(l, n, f, k, i);
        m->bit[at / WORD] |= (uint32_t)1 << at % WORD;
      }
}

/* A bit for each number of u: whether it is some element's. */
static wisp_status upload_mask(wisp_error *err, wisp_solver *solver, const wisp_dg *dg)
{
  const size_t words = (wisp_dg_volume_size(dg) + WORD - 1) / WORD;
  OWNED(free) uint32_t *bit = NULL;
  CALL(wisp_new(err, words, sizeof *bit, &bit));
  marking m = {.dg = dg, .bit = bit};
  wisp_parallel_for((dg->groups + WORD - 1) / WORD, mark, &m);
  CALL(wisp_device_alloc(err, solver->device, words * sizeof *bit, &solver->sketch.mask));
  return wisp_device_upload(err, solver->device, solver->sketch.mask, bit, words * sizeof *bit);
}

wisp_status wisp_solver_open_sketch(wisp_error *err, wisp_solver *solver, const wisp_dg *dg)
{
  const char *real = solver->precision == WISP_F32 ? "float" : "double";
  CALL(wisp_embedded_module(err, solver->device, "solve", "sketch", real, &solver->sketch.module));
  CALL(wisp_device_alloc(err, solver->device, WISP_SKETCH * sizeof(double), &solver->sketch.sums));
  return upload_mask(err, solver, dg);
}

void wisp_solver_close_sketch(wisp_solver *solver)
{
  if (solver->sketch.module) wisp_module_unload(solver->sketch.module);
  if (solver->sketch.sums) wisp_device_free(solver->device, solver->sketch.sums);
  if (solver->sketch.mask) wisp_device_free(solver->device, solver->sketch.mask);
}

wisp_status wisp_solver_sketch(wisp_error *err, const wisp_solver *solver, double *out)
{
  wisp_pointer in = wisp_arrays_at(solver->problem->arrays, "u"), mask = solver->sketch.mask;
  wisp_pointer to = solver->sketch.sums;
  long long count = (long long)wisp_arrays_size(solver->problem->arrays, "u");
  const unsigned grid[2] = {WISP_SKETCH_BLOCKS, 1}, block[3] = {WISP_SKETCH_LANES, 1, 1};
  void *args[] = {&in, &mask, &to, &count};
  CALL(wisp_launch(err, solver->sketch.module, NULL, grid, block, args, 4));
  return wisp_device_download(err, solver->device, out, to, WISP_SKETCH * sizeof *out);
}
