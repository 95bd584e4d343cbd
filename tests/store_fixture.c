#include "store_fixture.h"
#include "test.h"
#include "../cache/database.h"

#include <ftw.h>
#include <sys/stat.h>

void fixture_folder(char folder[64])
{
  strcpy(folder, "/tmp/wisp-store-XXXXXX");
  assert_non_null(mkdtemp(folder));
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *walk)
{
  return remove(path);
}

void fixture_remove(const char *folder)
{
  nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *fixture_path(const char *folder, const char *name)
{
  static struct kept {
    struct kept *next;
    char text[256];
  } *paths = NULL;
  char text[sizeof paths->text];
  snprintf(text, sizeof text, "%s/%s", folder, name);
  for (const struct kept *path = paths; path; path = path->next)
    if (strcmp(path->text, text) == 0) return path->text;
  struct kept *path = malloc(sizeof *path);
  assert_non_null(path);
  path->next = paths, paths = path;
  return strcpy(path->text, text);
}

wisp_trial fixture_trial(int number)
{
  wisp_trial t = {.units = 132,
                  .clock_mhz = NAN,
                  .elements = 100000,
                  .registers = 64,
                  .spill_bytes = -1,
                  .candidates = -1,
                  .ratio = NAN,
                  .begun = -1,
                  .rules = number < 40 ? -1 : number % 3};
  snprintf(t.spec, sizeof t.spec, "nodal.volume:tet:p%d:maxwell:f64", 1 + number % 9);
  strcpy(t.layout, number % 2 ? "slab-km32" : "node-km4-pad144");
  strcpy(t.strategy, "field-in-shared");
  snprintf(t.params, sizeof t.params, "unroll=4 wi=%d wp=8", number);
  strcpy(t.device, "NVIDIA H200");
  strcpy(t.target, "sm_90");
  strcpy(t.driver, "580.159");
  strcpy(t.compiler, "NVRTC 13.0");
  strcpy(t.template_hash, "0123456789abcdef");
  strcpy(t.version, WISP_VERSION);
  strcpy(t.mode, "median of 9, interleaved");
  snprintf(t.when, sizeof t.when, "2026-11-21T08:%02d:%02dZ", number / 60 % 60, number % 60);
  strcpy(t.outcome, number % 7 == 3 ? "refused" : "ok");
  if (number % 7 == 3) strcpy(t.reason, "\"wi\" = 3 needs 70000 bytes of shared memory; \\ there are\n49152 \xc3\xa9#");
  t.ms = 0.1 + number / 3.0;
  t.gdofs = 1e3 / t.ms;
  t.gbps = 1234.5;
  t.gflops = NAN;
  t.efficiency = 1.0 / 3.0;
  strcpy(t.floor, number > 3 && number % 3 ? "bytes" : "");
  t.error = 1e-17 * number;
  t.shared_bytes = 1024 * number;
  t.is_default = number % 5 == 0;
  strcpy(t.tie, number % 11 == 4 ? WISP_TIE_CHOSEN : number % 11 == 5 ? WISP_TIE_TIED : "");
  t.sample_count = number % 33;
  for (int i = 0; i < t.sample_count; i++) t.samples[i] = t.ms * (1 + i / 7.0);
  return t;
}

static bool same_real(double a, double b)
{
  return a == b || (isnan(a) && isnan(b));
}

#define SAME_TEXT(member) (strcmp(a->member, b->member) == 0)
#define SAME_REAL(member) same_real(a->member, b->member)
bool fixture_same(const wisp_trial *a, const wisp_trial *b)
{
  bool same = SAME_TEXT(spec) && SAME_TEXT(layout) && SAME_TEXT(strategy) && SAME_TEXT(params) && SAME_TEXT(device) &&
              SAME_TEXT(target) && SAME_TEXT(driver) && SAME_TEXT(compiler) && SAME_TEXT(template_hash) &&
              SAME_TEXT(version) && SAME_TEXT(mode) && SAME_TEXT(when) && SAME_TEXT(outcome) && SAME_TEXT(reason) &&
              SAME_TEXT(tie) && SAME_TEXT(floor);
  same = same && SAME_REAL(clock_mhz) && SAME_REAL(ms) && SAME_REAL(gdofs) && SAME_REAL(gbps) && SAME_REAL(gflops) &&
         SAME_REAL(efficiency) && SAME_REAL(error) && SAME_REAL(ratio);
  same = same && a->units == b->units && a->elements == b->elements && a->registers == b->registers &&
         a->spill_bytes == b->spill_bytes && a->shared_bytes == b->shared_bytes && a->is_default == b->is_default &&
         a->candidates == b->candidates && a->begun == b->begun && a->rules == b->rules &&
         a->sample_count == b->sample_count;
  for (int i = 0; same && i < a->sample_count; i++) same = SAME_REAL(samples[i]);
  return same;
}

void fixture_put(const char *path, const wisp_trial *trials, size_t count)
{
  wisp_writer *writer = NULL;
  GOOD(wisp_writer_open(err, path, NULL, &writer));
  for (size_t i = 0; i < count; i++) GOOD(wisp_writer_add(err, writer, &trials[i]));
  GOOD(wisp_writer_close(err, writer));
}

void fixture_fill(const char *path, int from, int to)
{
  wisp_writer *writer = NULL;
  GOOD(wisp_writer_open(err, path, NULL, &writer));
  for (int i = from; i < to; i++) {
    wisp_trial trial = fixture_trial(i);
    GOOD(wisp_writer_add(err, writer, &trial));
  }
  GOOD(wisp_writer_close(err, writer));
}

wisp_store *fixture_open(const char *path)
{
  wisp_store *store = NULL;
  GOOD(wisp_store_open(err, path, false, NULL, &store));
  return store;
}

const wisp_trial *fixture_next(const wisp_store *store, size_t *at)
{
  while (*at < wisp_store_count(store)) {
    wisp_layer layer;
    const wisp_trial *trial = wisp_store_trial(store, (*at)++, &layer);
    if (layer == WISP_LAYER_USER) return trial;
  }
  return NULL;
}

long fixture_count(const char *path)
{
  OWNED(wisp_store_close) wisp_store *store = NULL;
  long count = 0;
  if (wisp_store_open(NULL, path, false, NULL, &store) != WISP_OK) return -1;
  for (size_t at = 0; fixture_next(store, &at);) count++;
  return count;
}

void fixture_sql(const char *path, const char *sql)
{
  sqlite3 *db = NULL;
  assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
  assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

wisp_answer fixture_answer(const wisp_store *store, const wisp_asker *asker, const char *spec, const char *layout,
                           long long elements, wisp_current current)
{
  wisp_answer each[WISP_ANSWER_CLASSES];
  wisp_store_find_each(store, asker, spec, layout, elements, current, NULL, each);
  return wisp_store_resolve(store, asker, elements, each);
}

char *fixture_read(const char *path, size_t *length)
{
  char *data = NULL;
  GOOD(wisp_read_file(err, path, &data, length));
  return data;
}

void fixture_write(const char *path, const void *data, size_t length)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(data, 1, length, file), length);
  assert_int_equal(fclose(file), 0);
}

const char *fixture_text(const char *folder, const char *name, const char *text)
{
  const char *path = fixture_path(folder, name);
  for (const char *slash = name; (slash = strchr(slash, '/')); slash++)
    mkdir(fixture_path(folder, strndupa(name, (size_t)(slash - name))), 0700); /* it may be there */
  fixture_write(path, text, strlen(text));
  return path;
}

int fixture_set_up(void **state)
{
  char *folder = malloc(64);
  assert_non_null(folder);
  fixture_folder(folder);
  *state = folder;
  return 0;
}

int fixture_tear_down(void **state)
{
  unsetenv("WISP_SITE_DB");
  unsetenv("WISP_TEMPLATES");
  fixture_remove(*state);
  free(*state);
  return 0;
}
