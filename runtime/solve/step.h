/* The kernels of a step, chosen as a solver of any family wants them: what won in the store, else defaults. */
#ifndef WISP_STEP_H
#define WISP_STEP_H

#include "../../cache/store.h"
#include "../kernel.h"
#include "../mesh/mesh.h"

enum { WISP_MAX_STEP_KERNELS = 8 };

/* Which entry a kernel of the step runs with, and how well it matched. */
typedef struct wisp_choice {
  char kernel[24], strategy[40], params[WISP_PARAMS_TEXT], layout[WISP_LAYOUT_TEXT];
  wisp_match match;
  wisp_layer layer;
  double ms;      /* as stored; NaN for a default */
  char note[256]; /* why the stored winner was not taken, where one did not compile or load; else empty */
} wisp_choice;

/* The kernels of one Runge-Kutta stage, in launch order, with the layout and the gather's grouping that go with them.
 */
typedef struct wisp_step {
  char composition[64]; /* "volume+gather+lift+update" */
  wisp_layout layout;
  wisp_grouping grouping;
  int MB;
  int kernels;
  wisp_plan *plan[WISP_MAX_STEP_KERNELS];
  wisp_choice choice[WISP_MAX_STEP_KERNELS];
  wisp_match match; /* of the record that named composition and layout; WISP_MATCH_DEFAULT: there was none */
  wisp_layer layer;
  bool stale; /* the record was measured with other texts than these kernels have today */
  wisp_env *names;
  const wisp_strategies *strategies; /* borrowed: plans point into it */
} wisp_step;

typedef struct wisp_step_request {
  const char *family; /* "nodal" */
  const char *system; /* "maxwell" */
  int order;
  wisp_precision precision;
  long long elements;               /* to choose the nearest measured size */
  bool exact_match_only;            /* strict mode: WISP_EMISSING where a kernel's entry is not an exact match */
  const char *composition, *layout; /* to have these; NULL: chosen */
} wisp_step_request;

/* Chooses the step: from the store's step record and kernel winners that are current (template hash) and still legal
 * and compile here, else defaults. store may be NULL (defaults). strategies must outlive the step. Never fails for lack
 * of entries unless exact_match_only. WISP_EUSAGE for a family, order, system, composition or layout that there is not,
 * WISP_EREFUSED where the composition and layout asked for have no plan on this device.
 *
 * A step record is a trial of the spec FAMILY.step:...: its strategy is the composition, its layout that of all
 * kernels, each of which then takes its own winner in that layout. Its template hash is wisp_hash over those of its
 * kernels in turn; one that differs only counts where no record is current.
 */
wisp_status wisp_step_choose(wisp_error *err, const wisp_strategies *strategies, const wisp_store *store,
                             const wisp_limits *limits, const wisp_step_request *request, wisp_step *out);
void wisp_step_free(wisp_step *step);

/* Gives kernel i the default plan that fits the step's layout and MB, and notes why in its choice. WISP_EREFUSED, with
 * the step unchanged, where there is none or it is the one that the kernel has. */
wisp_status wisp_step_fall_back(wisp_error *err, wisp_step *step, int i, const char *why);

/* Compiles the step's kernels (in parallel) and loads them: kernel[i] is of plan i, the caller destroys those that are
 * not NULL, also after a failure. A stored winner that fails to compile or load falls back to the default with the
 * choice saying so. */
wisp_status wisp_step_load(wisp_error *err, wisp_device *device, wisp_step *step,
                           wisp_kernel *kernel[WISP_MAX_STEP_KERNELS]);

/* Does a kernel of the step take an argument of this name? */
bool wisp_step_has(const wisp_step *step, const char *name);

#endif
