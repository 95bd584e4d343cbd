/* Errors in single precision beside those of plain sums: errors [DEVICE [STORE [FIRST LAST]]]
 *
 * A row for each order, of those from FIRST to LAST, and kernel that multiplies by matrices: the strategy that a solver
 * takes on the device (by the user's STORE, what ships and defaults), and on numbers in [-1, 1], on numbers that differ
 * within an element by 2^20, and on elements that differ by as much, its error and in brackets how many times that of
 * single sums it is; each the largest error of an element over its largest result, on the elements that candidates are
 * verified on. Last whether what is infinite or NaN comes out so, in the elements that it concerns alone.
 */
#include "../runtime/api/api.h"
#include "../tuner/trial/verify.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

WISP_OWNED(wisp_verifier, wisp_verifier_destroy)

static wisp_status print_row(wisp_error *err, wisp_verifier *verifier, const wisp_stage *stage,
                             const wisp_kernel *kernel)
{
  static const wisp_test_inputs columns[] = {WISP_EVEN, WISP_DECADES, WISP_SIZES};
  const wisp_spec *spec = &kernel->plan->spec;
  double error[WISP_COUNT(columns)], single[WISP_COUNT(columns)], of_check;
  CALL(wisp_verifier_check(err, verifier, kernel, &of_check));
  for (size_t i = 0; i < WISP_COUNT(columns); i++)
    CALL(wisp_verifier_compare_single(err, verifier, kernel, columns[i], &error[i], &single[i]));
  if (!(single[0] > 0)) return WISP_OK;
  printf("| %d | %s | %s |", spec->order, spec->kernel, stage->choice->strategy);
  for (size_t i = 0; i < WISP_COUNT(columns); i++) printf(" %.1e (%.2f) |", error[i], error[i] / single[i]);
  const bool kept = wisp_verifier_unbounded(NULL, verifier, kernel) == WISP_OK;
  printf(" %s | `%s` |\n", kept ? "yes" : "no", stage->choice->params);
  fflush(stdout);
  return WISP_OK;
}

static wisp_status try_kernel(wisp_error *err, wisp_session *session, const wisp_spec *spec)
{
  HELD(wisp_stage_free) wisp_stage stage = {.kernels = 0};
  OWNED(wisp_verifier_destroy) wisp_verifier *verifier = NULL;
  const wisp_chooser from = wisp_session_chooser(session);
  CALL(wisp_choose_if_any(err, &from, &(wisp_choose_request){.spec = *spec}, &stage));
  if (!stage.kernels) return WISP_OK;
  CALL(wisp_stage_load(err, session->device, &stage));
  CALL(wisp_verifier_create(err, session->device, &verifier));
  return print_row(err, verifier, &stage, stage.kernel[0]);
}

static wisp_status try_family(wisp_error *err, wisp_session *session, const wisp_family *family, const int *only)
{
  const int *orders = family->elements->orders;
  for (int order = orders[0] < only[0] ? only[0] : orders[0]; order <= orders[1] && order <= only[1]; order++)
    for (const wisp_kernel_decl *kernel = family->kernels; kernel->name; kernel++) {
      wisp_spec spec = wisp_family_spec(family, order, NULL, WISP_F32);
      wisp_spec_name_kernel(&spec, kernel->name);
      if (kernel->matrix) CALL(try_kernel(err, session, &spec));
    }
  return WISP_OK;
}

static wisp_status print_table(wisp_error *err, const char *device, const char *store, const int *orders)
{
  OWNED(wisp_session_close) wisp_session *session = NULL;
  CALL(wisp_session_open(
      err, &(wisp_session_request){WISP_INIT(wisp_session_request), .device = device, .store = store}, &session));
  printf(
      "| N | kernel | strategy | in [-1, 1] | six decades within an element | from element to element | Inf, NaN | |\n"
      "|---|---|---|---|---|---|---|---|\n");
  for (size_t f = 0; wisp_family_at(f); f++) CALL(try_family(err, session, wisp_family_at(f), orders));
  return WISP_OK;
}

int main(int count, char **word)
{
  wisp_error err = {0};
  const int orders[] = {count > 3 ? atoi(word[3]) : 1, count > 4 ? atoi(word[4]) : INT_MAX};
  if (print_table(&err, count > 1 ? word[1] : NULL, count > 2 && *word[2] ? word[2] : NULL, orders) == WISP_OK)
    return 0;
  fprintf(stderr, "errors: %s\n", err.text);
  return 1;
}
