/* Inside the chooser, from below: choose_fill.c fills a composition, which choose_stage.c finds, for choose_one.c. */
#pragma once

#include "choose.h"

/* An entry that was looked at and does not fit here, and why; empty: it is stale. */
typedef struct wisp_unfit {
  const wisp_trial *trial;
  char why[sizeof((wisp_choice *)0)->note];
} wisp_unfit;

typedef struct wisp_choosing {
  const wisp_chooser *from;
  const wisp_choose_request *request;
  const wisp_family *family;
  wisp_asker asker;
  wisp_spec spec;        /* its kernel: the one looked up now */
  wisp_layout layout[8]; /* to be tried */
  int layouts;
  int nearest; /* of the classes of entries (cache/store.h), the first that is looked at; 0: all are */
  size_t unfits, capacity;
  wisp_unfit *unfit;
  /* wisp_choose_one, for a kernel of another family. */
  wisp_status (*choose)(wisp_error *err, const wisp_chooser *from, const wisp_choose_request *request, wisp_stage *out);
} wisp_choosing;

/* The reason against an entry; NULL: there is none. */
const wisp_unfit *wisp_choosing_unfit(const wisp_choosing *c, const wisp_trial *trial);

/* An entry's plan is none here. */
static inline bool wisp_does_not_fit(wisp_status status)
{
  return status == WISP_EREFUSED || status == WISP_EINPUT;
}

/* The best entry of the kernel, of today's text and with nothing known against it; layout NULL: in any. */
void wisp_choosing_look_up(const wisp_choosing *c, const char *layout, wisp_answer *out);
/* The same of each class by itself. */
void wisp_choosing_look_up_each(const wisp_choosing *c, const char *layout, wisp_answer out[WISP_ANSWER_CLASSES]);
/* why NULL: it is stale. */
wisp_status wisp_choosing_pass_over(wisp_error *err, wisp_choosing *c, const wisp_trial *trial, const char *why);

/* Notes in a choice what would have matched better in a layout, NULL: in any. */
void wisp_choosing_note(const wisp_choosing *c, const char *layout, wisp_choice *choice);
/* That an entry which matches better was passed over, because the one taken is expected to be faster. */
void wisp_choosing_note_slower(wisp_choice *choice, const wisp_trial *passed);
wisp_choice wisp_choice_of(const char *kernel, const char *strategy, const wisp_layout *layout,
                           const wisp_answer *answer);

/* Gives a choice the time of another entry. */
void wisp_choice_retime(wisp_choice *choice, const wisp_trial *timed);
/* Were a stage and its one kernel timed in the same surroundings, so that both are one measurement? */
bool wisp_one_measurement(const wisp_trial *stage, const wisp_trial *kernel);

/* An entry's layout; false where it is none of the family's. */
bool wisp_choosing_layout(const wisp_choosing *c, const wisp_trial *trial, wisp_layout *out);

/* The kernels of a composition in one layout. line: that of the family's defaults that it must suit; or
 * WISP_NO_LINE. WISP_EREFUSED where it does not, or a kernel has no plan here. */
enum { WISP_NO_LINE = -1 };
wisp_status wisp_choosing_fill(wisp_error *err, wisp_choosing *c, const char *composition, int line,
                               const wisp_layout *layout, wisp_stage *out);

/* The family's names in a layout, the caller's; the default candidate of the spec's kernel in a stage; whether a
 * composition suits the spec's system (WISP_EREFUSED). The chooser's scopes keep what many choices share. */
wisp_status wisp_choosing_names(wisp_error *err, const wisp_choosing *c, const wisp_layout *layout, wisp_env **out);
wisp_status wisp_choosing_default(wisp_error *err, const wisp_choosing *c, const wisp_stage *stage, wisp_plan **out);
wisp_status wisp_choosing_suit(wisp_error *err, const wisp_choosing *c, const char *composition);

/* The layout of a composition's default, which `find` finds where it is not known yet. */
typedef wisp_status (*wisp_find_layout)(wisp_error *err, const wisp_choosing *c, const char *composition,
                                        wisp_layout *out);
wisp_status wisp_choosing_remember(wisp_error *err, const wisp_choosing *c, const char *composition,
                                   wisp_find_layout find, wisp_layout *out);

bool wisp_is_composition(const wisp_family *family, const char *composition);
wisp_status wisp_choose_stage(wisp_error *err, wisp_choosing *c, wisp_stage *out);
/* wisp_choose where the request's composition is not several. */
wisp_status wisp_choose_one(wisp_error *err, const wisp_chooser *from, const wisp_choose_request *request,
                            wisp_stage *out);
