#include "rounds.h"
#include "problems.h"
#include "../../gen/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 28 };

typedef struct entry {
  uint64_t seed;
  unsigned long long used;
  double plain; /* the error of plain sums; 0: not asked for so far */
  wisp_test_case round;
} entry;

struct wisp_rounds {
  const wisp_workload *workload;
  const void *ground;
  wisp_discretisation plain; /* of this system */
  char system[sizeof(((wisp_spec *)NULL)->system)];
  unsigned long long clock;
  int count;
  entry entries[MOST];
};

wisp_status wisp_rounds_create(wisp_error *err, const wisp_workload *workload, const void *ground, wisp_rounds **out)
{
  wisp_rounds *rounds = NULL;
  CALL(wisp_new(err, 1, sizeof *rounds, &rounds));
  *rounds = (wisp_rounds){.workload = workload, .ground = ground};
  *out = rounds;
  return WISP_OK;
}

static void free_round(wisp_test_case *r)
{
  for (int a = 0; a < WISP_MAX_ARRAYS; a++) free(r->before[a]), free(r->after[a]), free(r->size[a]);
  free(r->own);
}

/* What is there is of another system. */
static void forget(wisp_rounds *rounds)
{
  for (int i = 0; i < rounds->count; i++) free_round(&rounds->entries[i].round);
  rounds->count = 0;
  wisp_discretisation_destroy(&rounds->plain);
}

void wisp_rounds_destroy(wisp_rounds *rounds)
{
  if (!rounds) return;
  forget(rounds);
  free(rounds);
}

static wisp_status find_plain(wisp_error *err, wisp_rounds *rounds, const wisp_spec *spec)
{
  const wisp_workload *w = rounds->workload;
  const wisp_fixed nothing = {0};
  if (rounds->plain.self && strcmp(rounds->system, spec->system) == 0) return WISP_OK;
  forget(rounds);
  CALL(w->discretise(err, rounds->ground, spec, NULL, &nothing, &rounds->plain));
  memcpy(rounds->system, spec->system, sizeof rounds->system);
  return WISP_OK;
}

/* --- one round --- */

/* Random where the kernel reads; a copy to be changed where it writes, NaN so far where it does not read. */
static wisp_status make_array(wisp_error *err, wisp_test_case *r, const wisp_array_decl *array, size_t a,
                              uint64_t *random)
{
  const size_t size = r->numbers[a];
  const bool reads = wisp_list_has(r->kernel->reads, array->name);
  if (reads || array->kind == WISP_STATE) CALL(wisp_new(err, size, sizeof **r->before, &r->before[a]));
  for (size_t i = 0; r->before[a] && i < size; i++) r->before[a][i] = wisp_random_of(array->kind, random);
  if (!wisp_list_has(r->kernel->writes, array->name)) return WISP_OK;
  CALL(wisp_new(err, size, sizeof **r->after, &r->after[a]));
  return wisp_new(err, size, sizeof **r->size, &r->size[a]);
}

/* What the family makes of it. */
static wisp_status fill_round(wisp_error *err, const wisp_workload *w, wisp_test_case *r)
{
  CALL(w->pose(err, r));
  for (int a = 0; a < WISP_MAX_ARRAYS; a++)
    for (size_t i = 0; r->after[a] && i < r->numbers[a]; i++) r->after[a][i] = r->before[a] ? r->before[a][i] : NAN;
  return w->solve(err, r);
}

static wisp_status make_round(wisp_error *err, const wisp_rounds *rounds, const wisp_spec *spec, uint64_t seed,
                              wisp_test_case *r)
{
  const wisp_family *family = rounds->plain.family;
  size_t a = 0;
  r->plain = &rounds->plain;
  r->kernel = wisp_family_kernel(family, spec->kernel);
  r->random = wisp_random_from(seed + (uint64_t)r->number);
  for (const wisp_array_decl *array = family->arrays; array->name; array++, a++)
    if (array->kind != WISP_FIXED && wisp_discretisation_size(r->plain, array, &r->numbers[a]))
      CALL(make_array(err, r, array, a, &r->random));
  return fill_round(err, rounds->workload, r);
}

wisp_status wisp_rounds_get(wisp_error *err, wisp_rounds *rounds, const wisp_spec *spec, bool mixes, int number,
                            uint64_t seed, const wisp_test_case **out)
{
  entry made = {.seed = seed, .used = ++rounds->clock, .round = {.number = number, .mixes = mixes}};
  int at = 0;
  CALL(find_plain(err, rounds, spec));
  for (int i = 0; i < rounds->count; i++) {
    entry *e = &rounds->entries[i];
    if (strcmp(e->round.kernel->name, spec->kernel) == 0 && e->round.number == number && e->seed == seed &&
        e->round.mixes == mixes) {
      e->used = made.used;
      *out = &e->round;
      return WISP_OK;
    }
    if (e->used < rounds->entries[at].used) at = i;
  }
  const wisp_status status = make_round(err, rounds, spec, seed, &made.round);
  if (status != WISP_OK) free_round(&made.round);
  CALL(status);
  if (rounds->count < MOST)
    at = rounds->count++;
  else
    free_round(&rounds->entries[at].round);
  rounds->entries[at] = made;
  *out = &rounds->entries[at].round;
  return WISP_OK;
}

/* --- beside plain sums --- */

wisp_status wisp_results_create(wisp_error *err, const wisp_test_case *round, wisp_results *out)
{
  HELD(wisp_results_free) wisp_results made = {{NULL}};
  for (int a = 0; a < WISP_MAX_ARRAYS; a++)
    if (round->after[a]) CALL(wisp_new(err, round->numbers[a], sizeof *made.of[a], &made.of[a]));
  return GIVE(made, out);
}

void wisp_results_free(wisp_results *results)
{
  for (int a = 0; a < WISP_MAX_ARRAYS; a++) free(results->of[a]);
}

/* Of one element: numbers [from, to). */
static double element_error(const double *got, const double *expected, size_t from, size_t to)
{
  double error = 0, most = 0;
  for (size_t q = from; q < to; q++) {
    if (!isfinite(expected[q])) continue;
    error = fmax(error, fabs(got[q] - expected[q]));
    most = fmax(most, fabs(expected[q]));
  }
  return most > 0 ? error / most : 0;
}

double wisp_results_error(const wisp_results *results, const wisp_test_case *round)
{
  double worst = 0;
  for (int a = 0; a < WISP_MAX_ARRAYS; a++)
    for (size_t q = 0; results->of[a] && q < round->numbers[a]; q += round->together) {
      const size_t end = q + round->together < round->numbers[a] ? q + round->together : round->numbers[a];
      worst = fmax(worst, element_error(results->of[a], round->after[a], q, end));
    }
  return worst;
}

wisp_status wisp_rounds_plain(wisp_error *err, wisp_rounds *rounds, const wisp_test_case *round, double *error)
{
  int at = 0;
  while (&rounds->entries[at].round != round) at++;
  if (!(rounds->entries[at].plain > 0)) {
    HELD(wisp_results_free) wisp_results plain = {{NULL}};
    CALL(wisp_results_create(err, round, &plain));
    CALL(rounds->workload->plain(err, round, plain.of));
    rounds->entries[at].plain = wisp_results_error(&plain, round);
  }
  *error = rounds->entries[at].plain;
  return WISP_OK;
}

wisp_status wisp_round_launch(wisp_error *err, wisp_problem *problem, const wisp_kernel *kernel,
                              const wisp_test_case *round)
{
  wisp_scalar_list all = round->scalars;
  if (round->as) all.of[all.count++] = (wisp_binding){round->as, wisp_arrays_at(problem->arrays, round->is), 0};
  return wisp_problem_run(err, problem, kernel, all.of, all.count);
}
