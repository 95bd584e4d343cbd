#include "source_set.h"
#include "../family.h"
#include "../language/template.h"

#include <pthread.h>

/* A piece of a dialect: a definition, or (name is empty) what stands between two. */
typedef struct piece {
  char name[64];
  wisp_normalized normalized;
} piece;

typedef struct dialect {
  char name[16];
  size_t count;
  piece *pieces; /* in their order */
} dialect;

typedef struct system_hash {
  char name[WISP_NAME_TEXT];
  uint64_t form;                        /* of a family's own system; 0: it is one of templates/systems */
  uint64_t symbol[WISP_SYSTEM_SYMBOLS]; /* of one of those */
} system_hash;

struct wisp_source_set {
  const wisp_embedded *files;
  size_t count;
  uint64_t *path;              /* by file: its path's hash */
  wisp_normalized *normalized; /* by file; those that were asked for have a text */
  wisp_template **parsed;      /* by file; NULL where nobody asked */
  size_t dialects, systems;
  dialect dialect[WISP_MAX_DIALECTS];
  system_hash *system;
  pthread_mutex_t lock; /* of the kept hashes, and of plain */
};

/* Between FOLDER and ENDING of a file's path, such as "cuda" of templates/dialect/cuda.k; false where it is another
 * file, or the name has no room. */
static bool name_in(const wisp_embedded *file, const char *folder, const char *ending, char *name, size_t capacity)
{
  const size_t before = strlen(folder), after = strlen(ending), length = strlen(file->path);
  if (length <= before + after || strncmp(file->path, folder, before) != 0) return false;
  if (strcmp(file->path + length - after, ending) != 0 || length - before - after >= capacity) return false;
  snprintf(name, capacity, "%.*s", (int)(length - before - after), file->path + before);
  return true;
}

/* ---- Dialects. */

/* The name that a plain line defines, #define NAME or typedef ... NAME; false where it is no definition. */
static bool defines(const char *line, size_t length, char name[64])
{
  char text[256];
  int read = 0;
  snprintf(text, sizeof text, "%.*s", (int)length, line);
  if (sscanf(text, "#define %63[A-Za-z0-9_]", name) == 1) return true;
  if (length >= sizeof text || strncmp(text, "typedef ", 8) != 0 || text[length - 1] != ';') return false;
  text[length - 1] = '\0';
  const char *last = strrchr(text, ' ');
  return sscanf(last + 1, "%63[A-Za-z0-9_]%n", name, &read) == 1 && !last[1 + read];
}

/* The line's length with those that a backslash joins to it, and the last newline. */
static size_t line_length(const char *line)
{
  size_t length = strcspn(line, "\n");
  while (length && line[length] && line[length - 1] == '\\') length += 1 + strcspn(line + length + 1, "\n");
  return length;
}

static wisp_status add_piece(wisp_error *err, dialect *d, const char *name, const char *from, size_t length)
{
  HELD(wisp_text_free) wisp_text text = {0};
  if (!length) return WISP_OK;
  CALL(wisp_text_add(err, &text, from, length));
  CALL(wisp_normalized_create(err, text.data, &d->pieces[d->count].normalized));
  snprintf(d->pieces[d->count++].name, sizeof d->pieces->name, "%s", name);
  return WISP_OK;
}

static wisp_status cut_dialect(wisp_error *err, const char *normalized, dialect *d)
{
  size_t lines = 1;
  char name[64];
  const char *kept = normalized; /* from here on up to the line is no definition */
  for (const char *at = normalized; *at; at++) lines += *at == '\n';
  CALL(wisp_new(err, 2 * lines, sizeof *d->pieces, &d->pieces));
  for (const char *line = normalized, *next; *line; line = next) {
    const size_t length = line_length(line);
    next = line + length + (line[length] == '\n');
    if (!defines(line, length, name)) continue;
    CALL(add_piece(err, d, "", kept, (size_t)(line - kept)));
    CALL(add_piece(err, d, name, line, length));
    kept = next;
  }
  return add_piece(err, d, "", kept, strlen(kept));
}

/* ---- Texts that strategies share. */

/* The name of a family's own system, templates/FAMILY/NAME.form. */
static bool find_form(const wisp_embedded *file, char name[WISP_NAME_TEXT])
{
  char folder[64];
  const char *slash = strrchr(file->path, '/');
  if (!slash || (size_t)(slash - file->path) + 2 > sizeof folder) return false;
  snprintf(folder, sizeof folder, "%.*s", (int)(slash - file->path) + 1, file->path);
  return name_in(file, folder, ".form", name, WISP_NAME_TEXT);
}

/* Word by word, without comments, which go from # to the line's end. */
static uint64_t hash_lines(const char *text)
{
  uint64_t hash = WISP_HASH_SEED;
  for (const char *at = text; *at;) {
    const size_t length = strcspn(at, " \t\r\n#");
    if (length) hash = wisp_hash_number(wisp_hash(hash, at, length), length), at += length;
    at += *at == '#' ? strcspn(at, "\n") : strspn(at, " \t\r\n");
  }
  return hash;
}

static wisp_status add_file(wisp_error *err, wisp_source_set *c, const wisp_embedded *file)
{
  HELD(wisp_normalized_free) wisp_normalized normalized = {0};
  OWNED(wisp_system_destroy) wisp_system *system = NULL;
  dialect *d = &c->dialect[c->dialects];
  system_hash *s = &c->system[c->systems];
  if (name_in(file, "templates/dialect/", ".k", d->name, sizeof d->name)) {
    CALL(wisp_require(err, c->dialects < WISP_MAX_DIALECTS, WISP_EINPUT, "%s: more than %d dialects", file->path,
                      WISP_MAX_DIALECTS));
    CALL(wisp_normalized_create(err, file->text, &normalized));
    CALL(cut_dialect(err, normalized.text.data, d));
    c->dialects++;
  } else if (name_in(file, "templates/systems/", ".system", s->name, sizeof s->name)) {
    CALL(wisp_system_parse(err, file->path, file->text, &system));
    wisp_system_hash_symbols(system, s->symbol);
    c->systems++;
  } else if (find_form(file, s->name)) {
    s->form = hash_lines(file->text);
    c->systems++;
  }
  return WISP_OK;
}

wisp_status wisp_source_set_create(wisp_error *err, const wisp_embedded *files, size_t count, wisp_source_set **out)
{
  OWNED(wisp_source_set_free) wisp_source_set *c = NULL;
  CALL(wisp_new(err, 1, sizeof *c, &c));
  pthread_mutex_init(&c->lock, NULL);
  c->files = files;
  CALL(wisp_new(err, count + 1, sizeof *c->path, &c->path));
  CALL(wisp_new(err, count + 1, sizeof *c->normalized, &c->normalized));
  CALL(wisp_new(err, count + 1, sizeof *c->parsed, &c->parsed));
  CALL(wisp_new(err, count + 1, sizeof *c->system, &c->system));
  c->count = count;
  for (size_t i = 0; i < count; i++) c->path[i] = wisp_hash_text(WISP_HASH_SEED, files[i].path);
  for (size_t i = 0; i < count; i++) CALL(add_file(err, c, &files[i]));
  return GIVE(c, out);
}

void wisp_source_set_free(wisp_source_set *c)
{
  if (!c) return;
  for (size_t i = 0; i < c->count; i++) wisp_normalized_free(&c->normalized[i]), wisp_template_destroy(c->parsed[i]);
  for (size_t d = 0; d < WISP_MAX_DIALECTS; d++) {
    for (size_t i = 0; i < c->dialect[d].count; i++) wisp_normalized_free(&c->dialect[d].pieces[i].normalized);
    free(c->dialect[d].pieces);
  }
  pthread_mutex_destroy(&c->lock);
  free(c->path), free(c->normalized), free(c->parsed), free(c->system), free(c);
}

static const system_hash *find_system(const wisp_source_set *c, const char *name)
{
  for (size_t i = 0; i < c->systems; i++)
    if (strcmp(c->system[i].name, name) == 0) return &c->system[i];
  return NULL;
}

wisp_status wisp_source_set_share_systems(wisp_error *err, wisp_source_set *c, const wisp_source_set *other)
{
  system_hash *all = realloc(c->system, (c->systems + other->systems + 1) * sizeof *all);
  CALL(wisp_require(err, all, WISP_EMEMORY, "out of memory: %zu systems", other->systems));
  c->system = all;
  for (size_t i = 0; i < other->systems; i++)
    if (!find_system(c, other->system[i].name)) c->system[c->systems++] = other->system[i];
  return WISP_OK;
}

/* ---- One strategy's texts in one dialect. */

typedef struct gathering {
  wisp_error *err;
  wisp_source_set *c;
  const wisp_strategy *strategy;
  const dialect *dialect;
  uint64_t let[WISP_MAX_LINES];
  wisp_normalized space, lane, own;
  const wisp_normalized *text;  /* the kernel's: a file's, else own */
  bool has_lane, *part, *piece; /* what is in, by file and by piece of the dialect */
  size_t count;                 /* all that is in, in the order in which it was met */
  const wisp_normalized **list;
} gathering;

static bool says(const gathering *g, const char *word)
{
  for (size_t i = 0; i < g->count; i++)
    if (wisp_normalized_has(g->list[i], word)) return true;
  return false;
}

/* The first file of a path; the files' count where there is none. */
static size_t find_file(const wisp_source_set *c, const char *path)
{
  const uint64_t hash = wisp_hash_text(WISP_HASH_SEED, path);
  size_t i = 0;
  while (i < c->count && (c->path[i] != hash || strcmp(c->files[i].path, path) != 0)) i++;
  return i;
}

static wisp_status read_file(gathering *g, size_t i)
{
  return g->c->normalized[i].text.data ? WISP_OK
                                       : wisp_normalized_create(g->err, g->c->files[i].text, &g->c->normalized[i]);
}

/* A part, the family's own before one that all share; the files' count where there is none. */
static size_t find_part(const gathering *g, const char *name, size_t length)
{
  const char *const folders[] = {g->strategy->family, WISP_SHARED_PARTS};
  size_t i = g->c->count;
  for (size_t f = 0; f < WISP_COUNT(folders) && i == g->c->count; f++) {
    char path[128];
    snprintf(path, sizeof path, "templates/%s/%.*s.part", folders[f], (int)length, name);
    i = find_file(g->c, path);
  }
  return i;
}

/* Takes in the parts that a text inserts. */
static wisp_status add_parts(gathering *g, const wisp_normalized *normalized)
{
  const char *name = NULL, *at = normalized->text.data;
  size_t length = 0;
  while (wisp_normalized_next_insert(&at, &name, &length)) {
    const size_t i = find_part(g, name, length);
    if (i == g->c->count || g->part[i]) continue;
    CALL(read_file(g, i));
    g->part[i] = true;
    g->list[g->count++] = &g->c->normalized[i];
  }
  return WISP_OK;
}

/* Everything that the text, the space and what wraps them say, until nothing new is said. */
static wisp_status gather(gathering *g)
{
  const dialect *d = g->dialect;
  g->list[g->count++] = g->text;
  g->list[g->count++] = &g->space;
  for (size_t i = 0; i < d->count; i++) {
    g->piece[i] = !*d->pieces[i].name;
    if (g->piece[i]) g->list[g->count++] = &d->pieces[i].normalized;
  }
  for (size_t at = 0; at < g->count; at++) {
    CALL(add_parts(g, g->list[at]));
    for (size_t i = 0; i < d->count; i++) {
      if (g->piece[i] || !wisp_normalized_has(g->list[at], d->pieces[i].name)) continue;
      g->piece[i] = true;
      g->list[g->count++] = &d->pieces[i].normalized;
    }
    if (g->has_lane || !wisp_normalized_has(g->list[at], "lane")) continue;
    g->has_lane = true;
    g->list[g->count++] = &g->lane;
  }
  return WISP_OK;
}

static int by_name(const void *a, const void *b)
{
  return strcmp((*(const wisp_let *const *)a)->name, (*(const wisp_let *const *)b)->name);
}

/* The lets and facts that texts read, whatever the order they stand in. */
static uint64_t add_lets(const gathering *g, uint64_t hash)
{
  const wisp_strategy *s = g->strategy;
  const wisp_let *sorted[WISP_MAX_LINES];
  size_t count = 0;
  for (size_t i = 0; i < s->lets; i++)
    if (says(g, s->let[i].name)) sorted[count++] = &s->let[i];
  if (count) qsort(sorted, count, sizeof *sorted, by_name);
  for (size_t i = 0; i < count; i++)
    hash = wisp_hash_number(wisp_hash_text(hash, sorted[i]->name), g->let[sorted[i] - s->let]);
  for (const wisp_size *fact = s->facts; fact->name; fact++)
    if (says(g, fact->name)) hash = wisp_hash_number(wisp_hash_text(hash, fact->name), (uint64_t)fact->value);
  return hash;
}

/* A part by its name, wherever it stands. */
typedef struct named {
  const char *name;
  uint64_t hash;
} named;

static uint64_t add_part_hashes(const gathering *g, uint64_t hash)
{
  enum { MOST = 256 };
  named sorted[MOST];
  size_t count = 0;
  for (size_t i = 0; i < g->c->count && count < MOST; i++)
    if (g->part[i]) sorted[count++] = (named){strrchr(g->c->files[i].path, '/'), g->c->normalized[i].hash};
  if (count) qsort(sorted, count, sizeof *sorted, wisp_by_text);
  for (size_t i = 0; i < count; i++) hash = wisp_hash_number(wisp_hash_text(hash, sorted[i].name), sorted[i].hash);
  return hash;
}

static uint64_t hash_all(const gathering *g)
{
  const dialect *d = g->dialect;
  uint64_t hash = wisp_hash_number(wisp_hash_number(WISP_HASH_SEED, g->space.hash), g->text->hash);
  hash = add_lets(g, hash);
  if (g->has_lane) hash = wisp_hash_number(hash, g->lane.hash);
  hash = add_part_hashes(g, hash);
  for (size_t i = 0; i < d->count; i++)
    if (g->piece[i]) hash = wisp_hash_number(hash, d->pieces[i].normalized.hash);
  return hash;
}

/* A wisp_find_part. */
static wisp_status parse_part(wisp_error *err, void *context, const char *name, const wisp_template **out,
                              size_t *number)
{
  const gathering *g = context;
  wisp_template **parsed = g->c->parsed;
  const size_t i = find_part(g, name, strlen(name));
  *out = NULL;
  if (i == g->c->count) return WISP_OK;
  if (!parsed[i]) CALL(wisp_template_parse(err, g->c->files[i].path, g->c->files[i].text, &parsed[i]));
  *number = i;
  *out = parsed[i];
  return WISP_OK;
}

/* The symbols of systems that the kernel reads: by its space, its text and lane, and what wraps them. A text that is
 * not right is compiled nowhere: it reads all. */
static uint32_t find_symbols(gathering *g)
{
  OWNED(wisp_template_destroy) wisp_template *text = NULL;
  uint32_t symbols = 0;
  const bool right = wisp_template_parse(NULL, g->strategy->text_path, g->strategy->text, &text) == WISP_OK &&
                     wisp_symbols_read(NULL, g->strategy, text, g->c->count, parse_part, g, &symbols) == WISP_OK;
  for (int s = 0; s < WISP_SYSTEM_SYMBOLS; s++) {
    bool read = !right || (g->has_lane && wisp_normalized_reads(&g->lane, wisp_system_symbols[s]));
    for (size_t i = 0; i < g->dialect->count; i++)
      read |= g->piece[i] && wisp_normalized_reads(&g->dialect->pieces[i].normalized, wisp_system_symbols[s]);
    if (read) symbols |= 1u << s;
  }
  return symbols;
}

static wisp_status hash_in(gathering *g, const dialect *d, wisp_source_hash *hash)
{
  OWNED(free) bool *part = NULL, *taken = NULL;
  OWNED(free) const wisp_normalized **list = NULL;
  CALL(wisp_new(g->err, g->c->count + 1, sizeof *part, &part));
  CALL(wisp_new(g->err, d->count + 1, sizeof *taken, &taken));
  CALL(wisp_new(g->err, g->c->count + d->count + 3, sizeof *list, &list));
  g->dialect = d, g->has_lane = false, g->count = 0;
  g->part = part, g->piece = taken, g->list = list;
  CALL(gather(g));
  *hash = (wisp_source_hash){hash_all(g), find_symbols(g)};
  return WISP_OK;
}

static void release(gathering *g)
{
  wisp_normalized_free(&g->space), wisp_normalized_free(&g->lane), wisp_normalized_free(&g->own);
}

wisp_status wisp_source_set_hash(wisp_error *err, wisp_source_set *c, const wisp_strategy *strategy,
                                 wisp_source_hash hash[WISP_MAX_DIALECTS])
{
  HELD(release) gathering g = {.err = err, .c = c, .strategy = strategy};
  HELD(wisp_text_free) wisp_text space = {0};
  CALL(wisp_space_print(err, strategy, g.let, &space));
  CALL(wisp_normalized_create(err, space.data, &g.space));
  CALL(wisp_normalized_create(err, strategy->lane, &g.lane));
  const size_t i = find_file(c, strategy->text_path); /* a text that several strategies may share, or from elsewhere */
  const bool found = i < c->count && strcmp(c->files[i].text, strategy->text) == 0;
  g.text = found ? &c->normalized[i] : &g.own;
  CALL(found ? read_file(&g, i) : wisp_normalized_create(err, strategy->text, &g.own));
  for (size_t d = 0; d < c->dialects; d++) CALL(hash_in(&g, &c->dialect[d], &hash[d]));
  return WISP_OK;
}

/* The hashes of a strategy of the list, made when somebody first asks, and kept with the strategy; NULL: out of memory.
 * Threads may ask together. */
static const wisp_source_hash *find_kept(wisp_source_set *c, const wisp_strategy *strategy)
{
  struct wisp_source_set_kept *kept = strategy->hash;
  if (__atomic_load_n(&kept->made, __ATOMIC_ACQUIRE)) return kept->hash;
  pthread_mutex_lock(&c->lock);
  const bool made = kept->made || wisp_source_set_hash(NULL, c, strategy, kept->hash) == WISP_OK;
  __atomic_store_n(&kept->made, made, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&c->lock);
  return made ? kept->hash : NULL;
}

uint64_t wisp_source_set_add_system(const wisp_source_set *c, wisp_source_hash hash, const char *system)
{
  const system_hash *found = find_system(c, system);
  if (!found) return hash.texts;
  if (found->form) return wisp_hash_number(hash.texts, found->form);
  for (int i = 0; i < WISP_SYSTEM_SYMBOLS; i++)
    if (hash.symbols >> i & 1) hash.texts = wisp_hash_number(hash.texts, found->symbol[i]);
  return hash.texts;
}

const char *wisp_source_set_equal_system(const wisp_source_set *c, const char *system)
{
  const system_hash *found = find_system(c, system), *equal = c->system;
  if (!found || found->form) return system;
  while (equal->form || memcmp(equal->symbol, found->symbol, sizeof equal->symbol) != 0) equal++;
  return equal->name;
}

void wisp_strategy_hash(const wisp_strategy *s, const char *system, const char *name, char hash[20])
{
  const wisp_source_hash *own = s->source_set ? find_kept(s->source_set, s) : NULL;
  hash[0] = '\0';
  for (size_t d = 0; own && d < s->source_set->dialects; d++) {
    if (strcmp(s->source_set->dialect[d].name, name) != 0) continue;
    const uint64_t full = wisp_source_set_add_system(s->source_set, own[d], system);
    for (int i = 0; i < 16; i++) hash[i] = "0123456789abcdef"[full >> (60 - 4 * i) & 15];
    hash[16] = '\0';
  }
}
