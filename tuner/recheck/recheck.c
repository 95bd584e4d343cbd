/* The rows to verify, and the crew that does it. */
#include "recheck.h"
#include "recheck_parts.h"
#include "../workers/supervisor.h"
#include "../workers/tune.h"
#include "../../cache/reader.h"
#include "../../runtime/process.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A unit of more rows is cut, so that workers end at about the same time. */
enum { MOST_ROWS = 24 };

void wisp_recheck_free(wisp_recheck *recheck)
{
  free(recheck->rows), free(recheck->first);
  *recheck = (wisp_recheck){.count = 0};
}

wisp_status wisp_recheck_add(wisp_error *err, wisp_recheck *recheck, const wisp_trial *trial)
{
  wisp_recheck_row row = {.trial = trial};
  CALL(wisp_spec_parse(err, trial->spec, &row.spec));
  if (wisp_spec_is_composition(&row.spec)) return WISP_OK;
  CALL(wisp_grow(err, &recheck->rows, &recheck->capacity, recheck->count + 1, sizeof *recheck->rows));
  recheck->rows[recheck->count++] = row;
  return WISP_OK;
}

/* ---- Units. */

/* Rows that share references stand together: a kernel's, layout by layout. */
static int by_unit(const void *x, const void *y)
{
  const wisp_recheck_row *a = x, *b = y;
  const int order[] = {a->spec.order - b->spec.order, wisp_spec_orders(&a->spec, &b->spec),
                       strcmp(a->spec.kernel, b->spec.kernel), strcmp(a->trial->layout, b->trial->layout),
                       strcmp(a->trial->strategy, b->trial->strategy)};
  for (size_t i = 0; i < WISP_COUNT(order); i++)
    if (order[i]) return order[i];
  return strcmp(a->trial->params, b->trial->params);
}

static void drop_repeated(wisp_recheck *r)
{
  size_t kept = 0;
  for (size_t i = 0; i < r->count; i++)
    if (kept == 0 || by_unit(&r->rows[kept - 1], &r->rows[i]) != 0) r->rows[kept++] = r->rows[i];
  r->count = kept;
}

/* Whether row i, which is not the first one, begins a unit, of which `rows` came before it. */
static bool begins_unit(const wisp_recheck *r, size_t i, size_t rows)
{
  return rows >= MOST_ROWS || wisp_spec_orders(&r->rows[i - 1].spec, &r->rows[i].spec) != 0;
}

wisp_status wisp_recheck_divide(wisp_error *err, wisp_recheck *r, int part, int of)
{
  size_t kept = 0, begun = 0, rows = 0;
  if (r->count) qsort(r->rows, r->count, sizeof *r->rows, by_unit);
  drop_repeated(r);
  free(r->first);
  r->first = NULL, r->units = 0;
  CALL(wisp_new(err, r->count + 1, sizeof *r->first, &r->first));
  for (size_t i = 0; i < r->count; i++, rows++) {
    const bool begins = i == 0 || begins_unit(r, i, rows);
    if (begins) begun++, rows = 0;
    if ((begun - 1) % (size_t)of != (size_t)part - 1) continue;
    if (begins) r->first[r->units++] = kept;
    r->rows[kept++] = r->rows[i];
  }
  r->count = kept;
  r->first[r->units] = kept;
  return WISP_OK;
}

/* ---- The crew. */

static void name_workers(size_t devices, char *const *names, size_t workers, char **out)
{
  for (size_t i = 0; i < devices * workers; i++) out[i] = names[i % devices];
}

static bool is_of(const wisp_trial *verdict, const wisp_trial *trial)
{
  return strcmp(verdict->params, trial->params) == 0 && strcmp(verdict->strategy, trial->strategy) == 0 &&
         strcmp(verdict->layout, trial->layout) == 0 && strcmp(verdict->spec, trial->spec) == 0;
}

/* A failure counts where a row has several verdicts, as on two kinds of card. */
static wisp_status take_verdicts(wisp_error *err, const char *path, wisp_recheck *r)
{
  HELD(wisp_trials_free) wisp_trials list = {.count = 0};
  CALL(wisp_reader_load_there(err, path, false, &list));
  for (size_t i = 0; i < r->count; i++)
    for (size_t k = 0; k < list.count; k++) {
      wisp_recheck_row *row = &r->rows[i];
      if (!is_of(&list.trials[k], row->trial)) continue;
      if (!*row->verdict.outcome || wisp_trial_verdict(&list.trials[k]) == WISP_VERDICT_FAILED)
        row->verdict = list.trials[k];
    }
  return WISP_OK;
}

static wisp_status run_crew(wisp_error *err, size_t count, char *const *devices, const wisp_tune_request *request,
                            const wisp_recheck *r, wisp_tune_summary *summary)
{
  static const wisp_precision any[] = {WISP_F64};
  OWNED(free) int *numbers = NULL; /* units go by their numbers, in place of orders: the highest first */
  wisp_tune_request units = *request;
  CALL(wisp_new(err, r->units, sizeof *numbers, &numbers));
  for (size_t u = 0; u < r->units; u++) numbers[u] = (int)u;
  units.orders = numbers, units.order_count = r->units;
  units.precisions = any, units.precision_count = 1;
  wisp_recheck_job job = {.request = request, .recheck = r, .workers = count};
  wisp_crew crew = {.request = &units,
                    .count = count,
                    .devices = devices,
                    .body = wisp_recheck_work,
                    .context = &job,
                    .deadline = INFINITY,
                    .stop = INFINITY,
                    .late = INFINITY};
  return wisp_crew_work(err, &crew, summary);
}

wisp_status wisp_recheck_run(wisp_error *err, const char *devices, int workers, const wisp_tune_request *request,
                             wisp_recheck *r, wisp_tune_summary *summary)
{
  wisp_status status = WISP_OK;
  const double start = wisp_seconds();
  size_t count = 0;
  char **names = NULL;
  OWNED(free) char **each = NULL;
  TRY(wisp_devices_read(err, devices, &count, &names));
  TRY(wisp_new(err, count * (size_t)workers, sizeof *each, &each));
  name_workers(count, names, (size_t)workers, each);
  if (r->units) {
    TRY(run_crew(err, count * (size_t)workers, each, request, r, summary));
    TRY(take_verdicts(err, request->db, r));
  }
  summary->seconds = wisp_seconds() - start;
done:
  wisp_devices_free(count, names);
  return status;
}
