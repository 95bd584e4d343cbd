/* A run of a system by several ranks: its part of the mesh, and what they tell each other besides the fields. */
#include "system_kind.h"

/* Rank 0 divides the mesh, so that all have the same parts whatever their libraries do. */
wisp_status wisp_system_divide(wisp_error *err, wisp_system_run *run, const wisp_domain **out)
{
  const wisp_mesh *mesh = run->base.mesh;
  wisp_ranks *ranks = run->base.session->ranks;
  const int own = wisp_ranks_own(ranks), count = wisp_ranks_count(ranks);
  OWNED(free) int32_t *part_of = NULL;
  *out = NULL;
  if (!ranks) return WISP_OK;
  if (own)
    CALL(wisp_new(err, mesh->elements, sizeof *part_of, &part_of));
  else
    CALL(wisp_mesh_partition(err, mesh, count, &part_of));
  CALL(wisp_ranks_agree(err, ranks, part_of, mesh->elements * sizeof *part_of));
  int32_t *taken = part_of;
  part_of = NULL;
  run->domain.ranks = ranks;
  CALL(wisp_mesh_part_create(err, mesh, taken, own, count, &run->domain.part));
  *out = &run->domain;
  return WISP_OK;
}

/* ---- Kernels. */

static uint64_t hash_kernels(const wisp_stage *stage)
{
  char layout[WISP_LAYOUT_TEXT];
  wisp_layout_print(&stage->layout, layout);
  uint64_t hash = wisp_hash_text(WISP_HASH_SEED, layout);
  for (int i = 0; i < stage->kernels; i++) {
    hash = wisp_hash_text(hash, stage->choice[i].kernel);
    hash = wisp_hash_text(hash, stage->choice[i].strategy);
    hash = wisp_hash_text(hash, stage->choice[i].params);
  }
  return hash;
}

wisp_status wisp_system_compare_kernels(wisp_error *err, const wisp_system_run *run)
{
  wisp_ranks *ranks = run->base.session->ranks;
  const uint64_t own = hash_kernels(run->base.stage);
  uint64_t first = own;
  CALL(wisp_ranks_agree(err, ranks, &first, sizeof first));
  return wisp_require(err, own == first, WISP_ESYSTEM,
                      "rank %d has chosen other kernels than rank 0: give all the same store, or --default",
                      wisp_ranks_own(ranks));
}

/* ---- The report. */

/* Whether one device would give the same bits. */
static bool keeps_bits(const wisp_stage *stage)
{
  bool keeps = true;
  for (int i = 0; i < stage->kernels; i++)
    keeps &= !stage->plan[i]->strategy->ordered && !stage->plan[i]->strategy->varies;
  return keeps;
}

/* The largest part, that with the most elements at the cut, and the longest messages, each of all ranks. */
wisp_status wisp_system_report_domains(wisp_error *err, const wisp_system_run *run, wisp_solver_report *to)
{
  enum { OWN, CUT, SENT, NUMBERS };
  wisp_ranks *ranks = run->domain.ranks;
  const wisp_mesh_part *part = &run->domain.part;
  if (!ranks) return WISP_OK;
  double most[NUMBERS] = {-(double)part->own, -(double)part->cut,
                          -(double)wisp_exchange_numbers(run->stepper->exchange)};
  for (int i = 0; i < NUMBERS; i++) CALL(wisp_ranks_least(err, ranks, &most[i]));
  const wisp_report_number numbers[] = {{"ranks", "", part->count},
                                        {"rank_elements", "", -most[OWN]},
                                        {"rank_cut", "", -most[CUT]},
                                        {"rank_numbers", "", -most[SENT]}};
  const bool keeps = keeps_bits(run->base.stage);
  CALL(wisp_report_numbers(err, to, WISP_COUNT(numbers), numbers));
  CALL(wisp_report_truth(err, to, "same_bits", keeps));
  return wisp_report_line(err, to, "ranks",
                          "%d, of at most %.0f elements, %.0f of them at the cut; each sends at most %.0f numbers a "
                          "stage; as on one device%s",
                          part->count, -most[OWN], -most[CUT], -most[SENT],
                          keeps ? ", bit for bit" : ", within rounding");
}

/* ---- Values of elements, on rank 0. */

wisp_status wisp_system_gather(wisp_error *err, const wisp_system_run *run, size_t numbers, double *values)
{
  const wisp_mesh_part *part = &run->domain.part;
  const size_t bytes = numbers * sizeof *values;
  HELD(wisp_gathered_free) wisp_gathered all = {.data = NULL};
  OWNED(free) char *own = NULL;
  if (!run->domain.ranks) return WISP_OK;
  CALL(wisp_new(err, part->own, bytes, &own));
  size_t at = 0;
  for (size_t e = 0; e < run->base.mesh->elements; e++)
    if (part->part_of[e] == part->rank) memcpy(own + bytes * at++, values + numbers * e, bytes);
  CALL(wisp_ranks_gather(err, run->domain.ranks, part->rank ? own : "", part->rank ? part->own * bytes : 0, false,
                         &all));
  for (size_t e = 0; !part->rank && e < run->base.mesh->elements; e++) {
    size_t *next = &all.begin[part->part_of[e]];
    if (part->part_of[e] != part->rank) memcpy(values + numbers * e, all.data + *next, bytes), *next += bytes;
  }
  return WISP_OK;
}
