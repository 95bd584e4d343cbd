/* The tuning store: every trial with its outcome; winners are a view. The only user of SQLite.
 *
 * Layers, looked up in this order: user ($WISP_DB, else $XDG_DATA_HOME/wisp/wisp.db, else ~/.local/share/wisp/wisp.db),
 * site ($WISP_SITE_DB), shipped (embedded text, cache/shipped/; none with $WISP_SHIPPED=none). A reader takes all
 * answers into memory once and holds no lock. A writer has one file open; every trial is durable when wisp_writer_add
 * returns.
 */
#pragma once

#include "../gen/text.h"

/* The version of the rules that candidates are verified by. A user's winner of earlier ones is verified again at its
 * first use. */
enum { WISP_VERIFYING_RULES = 2 };

/* One measured (or refused, failed, ...) candidate. Texts are NUL-terminated; unknown numbers are NaN or -1. */
typedef struct wisp_trial {
  /* key */
  char spec[112];     /* nodal.volume:tet:p4:maxwell:f64 */
  char layout[32];    /* slab-km32 */
  char strategy[128]; /* field-in-shared; of a step its composition */
  char params[200];   /* "unroll=4 wi=2 wp=8 ws=1", sorted by name */
  char device[128];   /* NVIDIA H200 */
  char target[32];    /* sm_90 */
  int units;          /* multiprocessors; of a host OpenMP's threads, in rows of before its cores */
  char mesh[16];      /* what it was timed on: box, ordered (irregular, elements along a curve), ...; empty: box */
  /* provenance */
  char driver[64], compiler[128];
  char template_hash[20]; /* of what the kernel is compiled from: gen/strategy/source_set.h */
  char version[16];       /* wisp's */
  char mode[64];          /* how it was measured: "median of 9, interleaved" */
  double clock_mhz;       /* seen while measuring; NaN where unknown */
  char when[24];          /* 2026-11-21T08:00:00Z */
  /* result */
  char outcome[16];   /* "ok", "compile-error", ..., or what another version wrote */
  char reason[400];   /* why, where the outcome is not ok */
  int candidates;     /* that one reason refuses; -1: it is not refused */
  double ratio;       /* a slow one's time over that of the best then; NaN: it is not slow */
  int rules;          /* WISP_VERIFYING_RULES when it was verified; -1: from before they had a number */
  int begun;          /* how often an unfinished one was; -1: it came to an end */
  long long elements; /* size it was measured at */
  double ms, gdofs, gbps, gflops, efficiency;
  char floor[16]; /* what sets the floor that efficiency is a share of: bytes, adds, fma; cache: the bytes, which fit a
                     cache, take less; empty: not known */
  double error;   /* relative, against the double reference */
  int registers, spill_bytes, shared_bytes;
  int is_default; /* 1: the strategy's default candidate */
  char tie[8];    /* as fast as the best within noise: chosen | tied; else empty */
  double samples[32];
  int sample_count;
} wisp_trial;

/* A trial of which nothing is known: empty texts, NaN, -1. */
void wisp_trial_blank(wisp_trial *trial);

/* A growable list of trials. */
typedef struct wisp_trials {
  wisp_trial *trials;
  size_t count, capacity;
} wisp_trials;
void wisp_trials_free(wisp_trials *list);
wisp_status wisp_trials_add(wisp_error *err, wisp_trials *list, const wisp_trial *trial);

/* The outcome of a candidate. */
typedef enum wisp_outcome {
  WISP_TRIAL_OK,
  WISP_TRIAL_SLOW, /* right, and dropped for its time alone */
  WISP_TRIAL_WRONG,
  WISP_TRIAL_REFUSED,
  WISP_TRIAL_COMPILE_ERROR,
  WISP_TRIAL_CRASH,
  WISP_TRIAL_HANG,
  WISP_TRIAL_UNFINISHED, /* begun, and not ended so far */
  WISP_TRIAL_OTHER       /* none that is known */
} wisp_outcome;
wisp_outcome wisp_trial_outcome(const wisp_trial *trial);
/* Is it right: measured as the winner, or dropped for its time alone? */
bool wisp_trial_is_right(const wisp_trial *trial);
/* The words that trials are counted by, wherever they are: in a sweep, of a store, in a report. */
typedef enum wisp_verdict {
  WISP_VERDICT_OK,
  WISP_VERDICT_SLOW,
  WISP_VERDICT_REFUSED,
  WISP_VERDICT_FAILED, /* wrong, did not compile, crashed, hung, or what another version wrote */
  WISP_VERDICT_UNFINISHED,
  WISP_VERDICTS
} wisp_verdict;
wisp_verdict wisp_trial_verdict(const wisp_trial *trial);
const char *wisp_verdict_name(wisp_verdict verdict); /* "ok", "slow", "refused", "failed", "unfinished" */

/* Counts of trials. A refused one stands for all candidates that one reason refuses. */
typedef struct wisp_tally {
  size_t trials, of[WISP_VERDICTS];
  long long refused_candidates;
} wisp_tally;
void wisp_tally_add(wisp_tally *tally, const wisp_trial *trial);
/* "14 ok, 237 refused (3061 candidates), 1 unfinished": those that there are. */
wisp_status wisp_tally_print(wisp_error *err, const wisp_tally *tally, wisp_text *out);

/* Whether two reasons are the same but for their numbers. */
bool wisp_reason_alike(const char *a, const char *b);

/* The largest efficiency of a trial whose data do not fit a cache: above it the bandwidth or peak that it was compared
 * with was measured too low, or was another unit's, and the trial has none. */
extern const double wisp_most_efficiency;
#define WISP_FLOOR_CACHE "cache"

/* Says what became of the candidate, and why. */
__attribute__((format(printf, 3, 4))) void wisp_trial_end(wisp_trial *trial, wisp_outcome outcome, const char *why,
                                                          ...);

/* Meshes of timings: the box as it is, or an irregular mesh with ordered elements, as users have. */
#define WISP_MESH_BOX "box"
#define WISP_MESH_ORDERED "ordered"

typedef enum wisp_match {                          /* how well an answer fits, best first */
                          WISP_MATCH_EXACT,        /* device, driver, compiler */
                          WISP_MATCH_DRIVER,       /* same chip, other driver or compiler */
                          WISP_MATCH_ARCHITECTURE, /* same compute capability, other chip */
                          WISP_MATCH_DEFAULT       /* nothing found */
} wisp_match;
const char *wisp_match_name(wisp_match match); /* "exact", "other driver", "same architecture", "default" */

typedef enum wisp_layer { WISP_LAYER_USER, WISP_LAYER_SITE, WISP_LAYER_SHIPPED, WISP_LAYER_NONE } wisp_layer;
const char *wisp_layer_name(wisp_layer layer);

/* Who asks: filled from wisp_limits by the caller. */
typedef struct wisp_asker {
  char device[128], target[32], driver[64], compiler[128];
  int units;
  bool exact_only; /* what was measured elsewhere answers only where nothing nearer does */
} wisp_asker;
/* The match of a trial with who asks; WISP_MATCH_DEFAULT: not at all. */
wisp_match wisp_asker_match(const wisp_asker *asker, const wisp_trial *trial);

typedef struct wisp_store wisp_store;

/* Opens the layers that are there. user_path NULL: the default place. A missing file is an empty layer. WISP_ESTORE: a
 * user's file that is corrupt, foreign, newer, held or unreadable; nothing is ever overwritten. tolerant: such a file
 * is left out, after a second at most, with a line of *warning (may be NULL; free), as a site's file always is. */
wisp_status wisp_store_open(wisp_error *err, const char *user_path, bool tolerant, char **warning, wisp_store **out);
void wisp_store_close(wisp_store *store);
WISP_OWNED(wisp_store, wisp_store_close)

/* --- which trial answers --- */
/* The verdict of a tuner's final round on the candidates that are as fast as the best within noise
 * (docs/reference/search.md). */
#define WISP_TIE_CHOSEN "chosen"
#define WISP_TIE_TIED "tied"
/* A candidate that no final round has chosen answers only where it is faster than the chosen one by this factor: no
 * final round looked at such. */
extern const double wisp_ranking_margin;
/* The time, in ms, by which ok trials compete; they are of the same kernel, layout and size. */
double wisp_ranking_ms(const wisp_trial *trial);
/* The fixed rule for ties: fewest registers (unknown counts as most), then the smaller name of the strategy, then the
 * smaller parameters, as numbers. */
bool wisp_ranking_simpler(const wisp_trial *a, const wisp_trial *b);
/* 0 where two trials compete: the same kernel, layout, device and size, measured in the same surroundings; else which
 * ranking stands first in a list. */
int wisp_ranking_order(const wisp_trial *a, const wisp_trial *b);
/* In a list: rankings in turn, in each the `ok` trials first, of these the winner. */
int wisp_ranking_compare(const wisp_trial *a, const wisp_trial *b);
/* Sorts trials so, and keeps the first of each ranking: the number kept. */
size_t wisp_ranking_winners(size_t count, const wisp_trial **trials);
/* Which of two kinds of mesh counts, before size and speed: < 0 where that of a. An ordered one, then the box, then
 * what else was asked for. */
int wisp_ranking_meshes(const wisp_trial *a, const wisp_trial *b);
/* The mesh's name, which an empty one has as well. */
const char *wisp_trial_mesh(const wisp_trial *trial);

typedef bool (*wisp_current)(const void *context, const wisp_trial *trial);
typedef struct wisp_answer {
  const wisp_trial *trial; /* NULL with WISP_MATCH_DEFAULT */
  wisp_match match;
  wisp_layer layer;
  double ratio; /* of its time here, as expected, over its time there; NaN: not known */
} wisp_answer;

/* Trials that answer stand in classes: those that match better, then those of a nearer layer, come first. */
enum { WISP_ANSWER_CLASSES = (int)WISP_MATCH_DEFAULT * (int)WISP_LAYER_NONE };
int wisp_answer_class(wisp_match match, wisp_layer layer);

/* Finds, in each class, the fastest `ok` trial for (spec, layout) that `current` accepts (NULL: any); layout NULL: any.
 * The kind of mesh goes before the nearest size, size before speed; a tie's chosen one counts as the fastest. A
 * candidate that failed in a nearer class answers in none. Without any `ok` trial `slow` ones answer. Trials belong to
 * the store. */
void wisp_store_find_each(const wisp_store *store, const wisp_asker *asker, const char *spec, const char *layout,
                          long long elements, wisp_current current, const void *context,
                          wisp_answer out[WISP_ANSWER_CLASSES]);

/* Does a card's own sweep ship it? */
bool wisp_answer_is_own_sweep(wisp_match match, wisp_layer layer);

/* Takes the answer of the farthest class, and a nearer one over it if that measured the same candidate at a size alike,
 * is of a mesh that counts more, is of a nearer size by a factor above 2, or is expected to be faster. One of an own
 * sweep stays unless another card's is clearly faster. WISP_MATCH_DEFAULT with layer NONE: there is none. */
wisp_answer wisp_store_resolve(const wisp_store *store, const wisp_asker *asker, long long elements,
                               const wisp_answer each[WISP_ANSWER_CLASSES]);

/* The time here over the time there: the median over candidates that were measured here and in the trial's
 * surroundings, at sizes alike: of the same spec, else of the same kernel in the same precision, else of the same
 * family in the same precision. Without any: 1 on the same chip, NaN for another card. */
double wisp_store_ratio(const wisp_store *store, const wisp_asker *asker, const wisp_trial *there);
/* The time of an element here, as expected, in ms; NaN where it is not known. */
double wisp_answer_expected(const wisp_answer *answer);

/* All trials of all layers (layer order), for reports and `best`. */
size_t wisp_store_count(const wisp_store *store);
const wisp_trial *wisp_store_trial(const wisp_store *store, size_t i, wisp_layer *layer);

/* The trials of one spec, in that order, without a look at the others: *at is 0 for the first one, and what the call
 * before left there for the next; NULL behind the last. */
const wisp_trial *wisp_store_next(const wisp_store *store, const char *spec, size_t *at, wisp_layer *layer);

/* Lets trials answer for systems with the same equations: equal gives one name for all of them, as long as the store
 * is open. */
typedef const char *(*wisp_equal_system)(const void *context, const char *system);
void wisp_store_share_systems(wisp_store *store, wisp_equal_system equal, const void *context);

/* Gives a trial of the store the time of another, with the rates that follow, in memory: for whoever prints them. */
void wisp_store_retime(wisp_store *store, const wisp_trial *trial, const wisp_trial *timed);

/* Leaves, in memory, only what one layer has (WISP_LAYER_NONE: any), of devices with this in their name ("": of all),
 * measured on a day or before ("2026-11-21"; NULL: whenever). The other trials count no more. */
void wisp_store_keep(wisp_store *store, wisp_layer layer, const char *device, const char *day);

/* Makes every text of every trial one that a terminal can show (wisp_show_text): for whoever prints them. */
void wisp_store_show(wisp_store *store);

/* Adds a kernel's template hash to a step's; WISP_HASH_SEED begins it. A step record is of today's texts while the hash
 * over its kernels, in turn, is what it was. */
uint64_t wisp_composition_hash(uint64_t step, const char *kernel);

/* Default path of the user's store; caller frees. */
wisp_status wisp_store_user_path(wisp_error *err, char **out);

/* --- waiting for other processes --- */

/* Is told, while there is a wait for more than a second, what for: "FILE is held by process 4711 (...)". */
typedef void (*wisp_store_note)(void *context, const char *text);
/* Waits until no other process holds the file in a way that keeps readers out, or writers, as far as the system tells;
 * WISP_ESTORE, with the holder's name, where that takes two minutes. A file that is not there is free. */
wisp_status wisp_store_await(wisp_error *err, const char *path, bool to_write, wisp_store_note note, void *context);

/* --- writing --- */
typedef struct wisp_writer wisp_writer;
/* Creates or opens one store file for writing, with migrations; makes parent folders. Read-only, full, foreign, newer,
 * corrupt: WISP_ESTORE. On a network file system (statfs) uses a rollback journal instead of WAL and says so in
 * *warning (may be NULL; free). */
wisp_status wisp_writer_open(wisp_error *err, const char *path, char **warning, wisp_writer **out);
/* Has somebody told when one of the writer's calls has to wait. */
void wisp_writer_report_waits(wisp_writer *writer, wisp_store_note note, void *context);
wisp_status wisp_writer_add(wisp_error *err, wisp_writer *writer, const wisp_trial *trial);
/* Was this candidate (key, template hash, elements) tried already on this device with this driver and compiler? */
wisp_status wisp_writer_has(wisp_error *err, wisp_writer *writer, const wisp_trial *key, bool *found,
                            wisp_trial *trial);
wisp_status wisp_writer_close(wisp_error *err, wisp_writer *writer);

/* --- care of files --- */
wisp_status wisp_store_check(wisp_error *err, const char *path,
                             wisp_text *report); /* integrity, schema, rows that parse */
wisp_status wisp_store_merge(wisp_error *err, const char *into, size_t count, const char *const *from,
                             long long *added);
/* backup: where not NULL and anything is removed, all of the file before is kept under that name, beside it; free. */
wisp_status wisp_store_prune(wisp_error *err, const char *path, wisp_current keep, const void *context, char **backup,
                             long long *removed);
/* Writes the rows of a damaged file that can be read into the new file `into`; NULL: in its own place, and the damaged
 * one stays under *backup's name (free). */
typedef struct wisp_salvaged {
  long long rescued, damaged; /* rows */
  bool complete;              /* false: there are parts of which nothing can be said */
} wisp_salvaged;
wisp_status wisp_store_salvage(wisp_error *err, const char *path, const char *into, char **backup, wisp_salvaged *out);

/* JSON by the documented schema, or as_text the shipped form: one line a trial, diffable. Where `winners_only`,
 * winners, ties, defaults, the fastest of each strategy, and what is wrong or does not compile, without raw samples. */
wisp_status wisp_store_export(wisp_error *err, const char *path, bool winners_only, bool as_text, wisp_text *out);
/* Adds the trials of exports, as JSON or in the shipped form, or nothing: WISP_EINPUT where anything is wrong, with the
 * place in the text, which messages call `name`. A NUL follows the text. */
wisp_status wisp_store_import(wisp_error *err, const char *path, const char *name, const char *text, size_t length,
                              long long *added);

/* One trial as a JSON object / read back; used by export, import and --json. */
struct cJSON;
struct cJSON *wisp_trial_to_json(const wisp_trial *trial);
wisp_status wisp_trial_from_json(wisp_error *err, const struct cJSON *json, wisp_trial *out);
/* Adds an object, which it deletes, as a line of a list: behind a comma, or the first. WISP_EMEMORY for NULL. */
wisp_status wisp_text_add_item(wisp_error *err, wisp_text *out, bool first, struct cJSON *object);

/* ---- Outcomes with a number, which is a column of its own; the reason says it in words, for people. */

/* Ends a trial as refused, for so many candidates, and gives back how many; 1 where nothing says it. */
void wisp_reason_refuse(wisp_trial *trial, long long candidates, const char *why);
long long wisp_reason_candidates(const wisp_trial *trial);

/* Ends it as slow: so many times the time of the best then, which had this name. Gives back whether
 * it was that one. */
void wisp_reason_drop(wisp_trial *trial, double ratio, const char *than);
bool wisp_reason_slower_than(const wisp_trial *trial, const char *name);

/* Ends it as unfinished, begun so often. 0: it came to an end. */
void wisp_reason_begin(wisp_trial *trial, int times);
int wisp_reason_begun(const wisp_trial *trial);

/* Trials of earlier versions have these numbers in their reasons alone: takes them from there into the columns.
 * They compared with floors that were none, too: drops an efficiency above the largest. Whatever reads a trial does so.
 */
void wisp_trial_take_words(wisp_trial *trial);
