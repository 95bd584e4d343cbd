/* A whole stage, or another part of a solver, as the sweep handles it. */
#pragma once

#include "sweep.h"

/* The winners as a solver takes them: the tuner has stored what was measured by now. composition NULL: any of the part;
 * layout NULL: any. No kernels where none runs. */
wisp_status wisp_whole_choose(wisp_error *err, const wisp_sweep *sweep, const wisp_spec *stage, const char *composition,
                              const char *layout, wisp_chosen *out);

/* Composition, layout and candidates: stages with the same text run the same code. */
wisp_status wisp_whole_describe(wisp_error *err, const wisp_stage *stage, wisp_text *out);
wisp_status wisp_whole_is_same(wisp_error *err, const wisp_stage *a, const wisp_stage *b, bool *out);

/* The family's own kernel that the stage's i-th is, by its number; -1: it is another family's. */
int wisp_whole_own_kernel(const wisp_sweep *sweep, const wisp_stage *stage, int i);
/* The layout's place in the scope; -1: it has none. */
int wisp_whole_layout(const wisp_scope *scope, const wisp_layout *layout);

/* Those of a stage's kernels that one workload serves, on its problem. Zero: none. */
enum { WISP_RUNNABLE_KERNELS = 24 };
typedef struct wisp_runnable {
  const wisp_workload *workload;
  wisp_stage *stage;
  wisp_problem_ref ref;
  int kernels;
  const wisp_kernel *kernel[WISP_RUNNABLE_KERNELS];
} wisp_runnable;
void wisp_runnable_free(wisp_runnable *runnable);

/* Loads the stage, and makes the problem of those kernels that the bench's workload serves. */
wisp_status wisp_whole_load(wisp_error *err, wisp_sweep *sweep, wisp_stage *stage, wisp_runnable *out);

/* The key of a stage's record. */
void wisp_whole_key(const wisp_sweep *sweep, const wisp_spec *spec, const wisp_stage *stage, wisp_trial *out);

/* Times loaded stages, one or two in turn, each with a record; a device's failure is the first one's outcome. */
wisp_status wisp_whole_time(wisp_error *err, wisp_sweep *sweep, const wisp_spec *spec, size_t count,
                            const wisp_runnable *r, double expected, wisp_trial *trials);
/* Times a part that has no record, one stage or two in turn: of each workload its kernels on its problem, added up for
 * as many elements as the first problem has. */
wisp_status wisp_whole_time_part(wisp_error *err, wisp_sweep *sweep, const wisp_spec *spec, size_t count,
                                 wisp_stage *const *stages, double ms[2]);

/* Makes a trial take that many times as long. */
void wisp_whole_stretch(wisp_trial *trial, double longer);
/* A kernel that is a whole stage was measured with it: its trial gets the record's time. */
wisp_status wisp_whole_update(wisp_error *err, const wisp_sweep *sweep, const wisp_stage *stage,
                              const wisp_trial *record);
