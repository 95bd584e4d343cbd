/* Names and hashes of earlier texts: cache/renamed.list, cache/rehashed.list. */
#include "columns.h"
#include "../gen/family.h"
#include "../gen/strategy/renamed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line of the list: the old hash, how targets begin for which it holds ("sm_"), the new one, FAMILY.KERNEL. */
typedef struct line {
  char old[20], target[16], new[20], kernel[WISP_FAMILY_TEXT + WISP_NAME_TEXT];
} line;

struct wisp_rehashing {
  size_t count;
  line *lines;     /* sorted by the old hash, as the list is */
  line *by_kernel; /* the same, sorted by the kernel: a step tries all of its kernels' lines with one another */
  wisp_renamings names;
};

static int compare_kernels(const void *a, const void *b)
{
  const line *x = a, *y = b;
  return strcmp(x->kernel, y->kernel);
}

wisp_status wisp_rehashing_load(wisp_error *err, wisp_rehashing **out)
{
  static const char path[] = "cache/rehashed.list";
  const char *found = wisp_embedded_text(path), *text = found ? found : "";
  size_t lines = 1, number = 1;
  HELD(wisp_text_free) wisp_text one = {0};
  OWNED(wisp_rehashing_free) wisp_rehashing *r = NULL;
  for (const char *at = text; *at; at++) lines += *at == '\n';
  CALL(wisp_new(err, 1, sizeof *r, &r));
  CALL(wisp_new(err, lines, sizeof *r->lines, &r->lines));
  for (const char *at = text, *end = at + strlen(at); at < end; number++) {
    line *l = &r->lines[r->count];
    CALL(wisp_text_take_line(err, &at, end, &one));
    if (*one.data == '#') continue;
    CALL(wisp_require(err, sscanf(one.data, "%19s %15s %19s %55s", l->old, l->target, l->new, l->kernel) == 4,
                      WISP_EINPUT, "%s:%zu: not an old hash, a target, a new hash and a kernel", path, number));
    CALL(wisp_require(err, !r->count || strcmp(l[-1].old, l->old) <= 0, WISP_EINPUT, "%s:%zu: not in order", path,
                      number));
    r->count++;
  }
  CALL(wisp_renamings_load(err, &r->names));
  CALL(wisp_new(err, lines, sizeof *r->by_kernel, &r->by_kernel));
  memcpy(r->by_kernel, r->lines, r->count * sizeof *r->lines);
  qsort(r->by_kernel, r->count, sizeof *r->by_kernel, compare_kernels);
  return GIVE(r, out);
}

void wisp_rehashing_free(wisp_rehashing *r)
{
  if (!r) return;
  free(r->lines);
  free(r->by_kernel);
  wisp_renamings_free(&r->names);
  free(r);
}

static bool holds_for(const line *l, const wisp_trial *trial)
{
  return strncmp(trial->target, l->target, strlen(l->target)) == 0;
}

/* The first line whose old hash is not smaller. */
static size_t find_first(const wisp_rehashing *r, const char *hash)
{
  size_t low = 0, high = r->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (strcmp(r->lines[middle].old, hash) >= 0)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static bool rehash_kernel(const wisp_rehashing *r, wisp_trial *trial)
{
  for (size_t i = find_first(r, trial->template_hash); i < r->count; i++) {
    const line *l = &r->lines[i];
    if (strcmp(l->old, trial->template_hash) != 0) return false;
    if (!holds_for(l, trial) || strcmp(l->old, l->new) == 0) continue;
    memcpy(trial->template_hash, l->new, sizeof l->new);
    return true;
  }
  return false;
}

/* The hash before a kernel's was added: the inverse of wisp_composition_hash. */
static uint64_t take_off(uint64_t hash, const char *kernel)
{
  static const uint64_t inverse = 0xce965057aff6957bull; /* of the hash's factor, modulo 2^64 */
  for (size_t i = strlen(kernel); i-- > 0;) hash = hash * inverse ^ (unsigned char)kernel[i];
  return hash;
}

enum { MOST_KERNELS = 16 };

/* A hash that the first kernels of a step may have had, and their hash today. */
typedef struct beginning {
  uint64_t old, new;
} beginning;

/* A step's kernels, each with its lines; all pairs of beginnings and ends are tried, not all steps. */
typedef struct step {
  const wisp_trial *trial;
  int kernels, half; /* half: so many begin */
  const line *first[MOST_KERNELS], *end[MOST_KERNELS];
  size_t count;
  beginning *beginnings; /* sorted */
} step;

static int compare_beginnings(const void *a, const void *b)
{
  const beginning *x = a, *y = b;
  return (x->old > y->old) - (x->old < y->old);
}

/* False where a kernel has no line. */
static bool list_lines(const wisp_rehashing *r, const char *family, const char *composition, step *s)
{
  const line *all = r->by_kernel + r->count;
  for (char name[WISP_NAME_TEXT]; wisp_composition_next(&composition, name); s->kernels++) {
    line key;
    if (s->kernels == MOST_KERNELS) return false;
    snprintf(key.kernel, sizeof key.kernel, "%s.%s", family, name);
    const line *l = bsearch(&key, r->by_kernel, r->count, sizeof *l, compare_kernels);
    if (!l) return false;
    while (l > r->by_kernel && compare_kernels(l - 1, &key) == 0) l--;
    s->first[s->kernels] = s->end[s->kernels] = l;
    while (s->end[s->kernels] < all && compare_kernels(s->end[s->kernels], &key) == 0) s->end[s->kernels]++;
  }
  s->half = s->kernels / 2;
  return s->kernels > 0;
}

/* Fills the beginnings from this kernel on. */
static void fill_beginnings(step *s, int kernel, beginning at)
{
  if (kernel == s->half) {
    s->beginnings[s->count++] = at;
    return;
  }
  for (const line *l = s->first[kernel]; l < s->end[kernel]; l++)
    if (holds_for(l, s->trial))
      fill_beginnings(s, kernel + 1,
                      (beginning){wisp_composition_hash(at.old, l->old), wisp_composition_hash(at.new, l->new)});
}

/* Is there a step whose first kernels, up to this one, came to `old`? Then *new becomes their hash today. */
static bool find_step(const step *s, int kernel, uint64_t old, uint64_t *new)
{
  if (kernel < s->half) {
    const beginning key = {.old = old};
    const beginning *b = bsearch(&key, s->beginnings, s->count, sizeof *b, compare_beginnings);
    if (b) *new = b->new;
    return b != NULL;
  }
  for (const line *l = s->first[kernel]; l < s->end[kernel]; l++)
    if (holds_for(l, s->trial) && find_step(s, kernel - 1, take_off(old, l->old), new))
      return *new = wisp_composition_hash(*new, l->new), true;
  return false;
}

/* Gives a step's record the hash over today's texts of its kernels, where the list has all of them. Without memory it
 * stays as it is. */
static bool rehash_step(const wisp_rehashing *r, const char *family, wisp_trial *trial)
{
  const uint64_t wanted = strtoull(trial->template_hash, NULL, 16);
  uint64_t hash = 0;
  step s = {.trial = trial};
  size_t most = 1;
  if (!list_lines(r, family, trial->strategy, &s)) return false;
  for (int k = 0; k < s.half; k++) most *= (size_t)(s.end[k] - s.first[k]);
  OWNED(free) beginning *beginnings = s.beginnings = malloc(most * sizeof *beginnings);
  if (!beginnings) return false;
  fill_beginnings(&s, 0, (beginning){WISP_HASH_SEED, WISP_HASH_SEED});
  qsort(beginnings, s.count, sizeof *beginnings, compare_beginnings);
  if (!find_step(&s, s.kernels - 1, wanted, &hash) || hash == wanted) return false;
  snprintf(trial->template_hash, sizeof trial->template_hash, "%016llx", (unsigned long long)hash);
  return true;
}

typedef struct param {
  char name[32], value[32];
} param;

static int compare_params(const void *a, const void *b)
{
  return strcmp(((const param *)a)->name, ((const param *)b)->name);
}

/* Gives a trial's parameters the names of today; they stay in the order of their names. */
static bool rename_params(const wisp_renamings *names, const wisp_spec *spec, wisp_trial *trial)
{
  enum { MOST = 16 };
  param list[MOST];
  char text[sizeof trial->params] = "";
  const char *at = trial->params;
  size_t count = 0, length = 0;
  bool renamed = false;
  for (; count < MOST && wisp_next_param(&at, list[count].name, list[count].value); count++) {
    const char *new = wisp_renamed_param(names, spec->family, spec->kernel, trial->strategy, list[count].name);
    if (new) snprintf(list[count].name, sizeof list->name, "%s", new);
    renamed |= new != NULL;
  }
  if (!renamed || *at) return false;
  qsort(list, count, sizeof *list, compare_params);
  for (size_t i = 0; i < count && length < sizeof text; i++)
    length +=
        (size_t)snprintf(text + length, sizeof text - length, "%s%s=%s", i ? " " : "", list[i].name, list[i].value);
  if (length < sizeof text) memcpy(trial->params, text, sizeof text);
  return length < sizeof text;
}

bool wisp_rehashing_apply(const wisp_rehashing *r, wisp_trial *trial)
{
  wisp_spec spec;
  if (wisp_spec_parse(NULL, trial->spec, &spec) != WISP_OK) return false;
  if (!wisp_spec_is_composition(&spec)) {
    const char *new = wisp_renamed_param(&r->names, spec.family, spec.kernel, trial->strategy, "");
    if (new) snprintf(trial->strategy, sizeof trial->strategy, "%s", new);
    const bool renamed = rename_params(&r->names, &spec, trial);
    return rehash_kernel(r, trial) || renamed || new;
  }
  return rehash_step(r, spec.family, trial);
}

wisp_status wisp_trials_rehash(wisp_error *err, wisp_trials *list, size_t from)
{
  OWNED(wisp_rehashing_free) wisp_rehashing *rehashing = NULL;
  if (from == list->count) return WISP_OK;
  CALL(wisp_rehashing_load(err, &rehashing));
  for (size_t i = from; i < list->count; i++) wisp_rehashing_apply(rehashing, &list->trials[i]);
  return WISP_OK;
}
