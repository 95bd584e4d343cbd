/* The choice of a solver's kernels, for one kernel and for a whole stage: the winner of the store, where it still
 * counts and is legal here, else the default. Solvers, `wisp best`, `bench`, `report` and the tuner ask here.
 *
 * The default is what runs without a store. Of a stage: the family's first composition that its defaults prefer, or
 * else that has plans, in the first layout where it has them. Of one kernel, in a layout: the family's default there;
 * in any: what it is in the default of the first composition that has it. */
#pragma once

#include "../../cache/store.h"
#include "../kernel.h"

/* The names of spaces, by spec and layout, and defaults, for many choices for one device. Zero-initialise. */
typedef struct wisp_scopes {
  size_t count, capacity;
  struct wisp_scope_kept *list;
  size_t compositions, compositions_capacity;
  struct wisp_composition_kept *composition;
  char target[32]; /* whose they are: wisp_scopes_serve */
  int units;
} wisp_scopes;
void wisp_scopes_free(wisp_scopes *scopes);
/* Frees them, unless they are of a device like the one that has these limits, as documented. */
void wisp_scopes_serve(wisp_scopes *scopes, const wisp_limits *limits);

/* The source of choices. All of it is borrowed, and outlives what is chosen. */
typedef struct wisp_chooser {
  const wisp_strategies *strategies;
  const wisp_store *store;   /* NULL: as if nothing had been measured */
  const wisp_limits *limits; /* of the device that it is for */
  wisp_scopes *scopes;       /* NULL: every choice makes its own */
} wisp_chooser;

/* Opens a store whose trials answer for every system with the same equations. The strategies must outlive it. */
wisp_status wisp_chooser_open_store(wisp_error *err, const wisp_strategies *strategies, const char *path, bool tolerant,
                                    char **warning, wisp_store **out);

/* An expression in place of one of the family's names that is one: "kappa_of_u", "1 + u * u". */
typedef struct wisp_own_formula {
  const char *name, *formula;
} wisp_own_formula;

/* A request for kernels. */
typedef struct wisp_choose_request {
  wisp_spec spec; /* its kernel: one of the family's; "step", or empty: a whole stage */
  /* A stage's composition; NULL: chosen. Several with '|' between them are alternatives with one result: the one whose
   * kernels' entries add up to the least, as is expected here, or else of those that fit as well as the first's; where
   * there are none, the one that the family's defaults prefer, else the first. */
  const char *composition;
  const char *layout;          /* this one; NULL: chosen */
  const wisp_fixed *fixed;     /* of the discretisation that is there already; NULL: it will be made to suit */
  const wisp_fixed *preset;    /* some of what it will be; NULL: nothing */
  long long elements;          /* the nearest measured size answers; 0: the largest */
  bool exact_match_only;       /* WISP_EMISSING where a kernel's entry was not measured here */
  bool reproducible;           /* nothing whose results vary from launch to launch */
  const wisp_own_formula *own; /* of a stage; ends with a NULL name; NULL: none */
} wisp_choose_request;

/* The choice of a kernel, or of a whole stage, and the reason. Texts and trials are the stage's and the store's. */
typedef struct wisp_choice {
  const char *kernel, *strategy, *params; /* of a stage "step", its composition, "" */
  char layout[WISP_LAYOUT_TEXT];
  const wisp_trial *trial; /* the entry that was taken; NULL: it is the default, or takes an entry's place (note) */
  wisp_match match;        /* how well that fits; WISP_MATCH_DEFAULT, WISP_LAYER_NONE where there is none */
  wisp_layer layer;
  const wisp_trial *timed; /* whose time counts: the entry; of a kernel that is a whole stage by itself, and of that
                              stage, the later one of both entries */
  double ms;               /* as stored; NaN for a default */
  double expected;         /* of an element here, in ms (wisp_answer_expected); NaN: not known */
  bool stale;              /* of a stage: the entry was measured before one of its kernels' texts changed */
  wisp_answer passed;      /* the best entry of those that match better and were not taken; NULL: there is none */
  const char *remark; /* why, in a word: "stale", "refused", or expected to be "slower" than the one taken; or NULL */
  char note[256];     /* why it was not taken, or did not compile or load; else empty */
} wisp_choice;

/* The kernels of a stage in launch order, or one kernel, and what they ask of layout and discretisation. Zero: none. */
typedef struct wisp_stage {
  char *composition; /* "volume+gather+lift+update", or the one kernel's name */
  wisp_layout layout;
  wisp_fixed preset, fixed; /* of the discretisation: what the request said, and what its kernels ask for besides */
  int kernels;
  wisp_plan **plan;     /* of each */
  wisp_kernel **kernel; /* of each, once they are loaded; NULL: they are not */
  wisp_choice *choice;  /* of each */
  wisp_choice record;   /* of the stage: the record that named composition and layout; or as the one kernel's */
  wisp_env *names;
  wisp_env **external_names; /* of each kernel of another family; NULL: it is the family's own */
  const wisp_strategies *strategies;
  bool reproducible;        /* as it was chosen */
  double seconds_compiling; /* that its loading waited for compilers */
} wisp_stage;

/* Chooses; never fails for lack of entries unless exact_match_only. WISP_EUSAGE for a family, kernel, order, system,
 * composition or layout that there is not, WISP_EREFUSED where what is asked for has no plan on this device.
 *
 * A stage's record is a trial of the spec FAMILY.step:...: its strategy is the composition, its layout that of all
 * kernels, each of which then takes its own winner in that layout. Its template hash is wisp_hash over those of its
 * kernels in turn; one that differs only counts where no record is current. */
wisp_status wisp_choose(wisp_error *err, const wisp_chooser *from, const wisp_choose_request *request, wisp_stage *out);
/* The same; out->kernels is 0 where there is no such thing, its system cannot be read, or it runs nowhere here. */
wisp_status wisp_choose_if_any(wisp_error *err, const wisp_chooser *from, const wisp_choose_request *request,
                               wisp_stage *out);
void wisp_stage_free(wisp_stage *stage);

/* WISP_EUSAGE, with a list, for an unknown composition or chain; a family without a list takes any of its kernels. */
wisp_status wisp_composition_check(wisp_error *err, const wisp_family *family, const char *composition);

/* The entry that tells of a choice to people: the one taken, or else the one passed over; of a device's own (NULL: of
 * any), else none. And what is to be said of it: "stale", "refused", "slower", or nothing. */
typedef struct wisp_shown {
  wisp_answer answer;
  const char *remark;
  const wisp_trial *timed; /* whose time counts */
} wisp_shown;
wisp_shown wisp_choice_shown(const wisp_choice *choice, const char *device);

/* ---- Replacements of a kernel that does not work here (choose_fill.c); its choice says why, and which entry was
 * passed over. The stage is unchanged where that fails; its kernels are not loaded yet. */

/* Kernel i becomes the default for the stage's layout and discretisation. WISP_EREFUSED: there is no other one. */
wisp_status wisp_stage_fall_back(wisp_error *err, wisp_stage *stage, int i, const char *why);

/* The default of kernel i on the stage's layout and discretisation, whether or not it is chosen. WISP_EREFUSED: there
 * is none. */
wisp_status wisp_stage_default(wisp_error *err, const wisp_stage *stage, int i, wisp_plan **out);

/* Whether a discretisation can be made as a plan asks for: WISP_EREFUSED, and why, where something has no room. */
typedef wisp_status (*wisp_plan_fits)(wisp_error *err, const void *context, const wisp_plan *plan);

/* Kernel i stays if it fits; else it becomes the first of wisp_plan_next_larger that does, else the default that asks
 * for nothing that the others do not. Another family's kernel stays. Errors of fits. */
wisp_status wisp_stage_make_fit(wisp_error *err, wisp_stage *stage, int i, wisp_plan_fits fits, const void *context);

/* Kernel i becomes what a choice of the same kernel, made elsewhere, says. */
wisp_status wisp_stage_follow(wisp_error *err, wisp_stage *stage, int i, const wisp_choice *choice);

/* Compiles the stage's kernels in parallel and loads them, once, with the stage, which must not outlive the device. A
 * stored winner that fails to compile or load falls back to the default, and its choice says so. */
wisp_status wisp_stage_load(wisp_error *err, wisp_device *device, wisp_stage *stage);
void wisp_stage_unload(wisp_stage *stage);

/* The kernel of that name, loaded; NULL: the stage has none. */
const wisp_kernel *wisp_stage_kernel(const wisp_stage *stage, const char *name);

/* The template hash of a record of these plans, in launch order: over those of all of them. */
void wisp_plans_hash(wisp_plan *const *plans, int count, const char *dialect, char hash[20]);

/* Does a kernel of the stage take an argument of this name? */
bool wisp_stage_has(const wisp_stage *stage, const char *name);
/* A wisp_array_filter: the arrays of one stage. */
bool wisp_stage_wants(const void *stage, const char *array);

/* ---- Which stored trials still count: those of today's kernel texts. */

/* Limits of the device that a trial was measured on, as documented for its target. WISP_EUSAGE where that is not known.
 * *out is zero, or what a call before gave: the same target is not asked for again. */
wisp_status wisp_trial_limits(wisp_error *err, const wisp_trial *trial, wisp_limits *out);

/* Was a kernel's trial measured with today's text and values of its strategy? A whole step's names none: true. */
bool wisp_trial_is_current(const wisp_strategies *strategies, const wisp_trial *trial);

/* ---- How long the default took: what runs without a store (`wisp run --default`). */

/* The time of the default in place of a winner, in ms: measured on the same device, in the same surroundings and at the
 * same size, with today's text; of a step, what its kernels take together. NaN where that was not measured. */
wisp_status wisp_standard_ms(wisp_error *err, const wisp_chooser *from, const wisp_trial *winner, double *ms);
