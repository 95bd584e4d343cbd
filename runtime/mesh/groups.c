#include "groups.h"
#include "geometry.h"

void wisp_groups_free(wisp_groups *groups)
{
  for (size_t i = 0; i < groups->count; i++) free(groups->list[i].name);
  WISP_FREE(groups->list, groups->member, groups->end, groups->bucket);
  *groups = (wisp_groups){0};
}

/* ---- The list. */

/* Those without a name come last among their equals. */
static int compare_groups(const void *left, const void *right)
{
  const wisp_physical *a = left, *b = right;
  if (a->dimension != b->dimension) return a->dimension - b->dimension;
  if (a->number != b->number) return a->number < b->number ? -1 : 1;
  return a->name && b->name ? strcmp(a->name, b->name) : (b->name != NULL) - (a->name != NULL);
}

static bool same_group(const wisp_physical *a, const wisp_physical *b)
{
  return a->dimension == b->dimension && a->number == b->number;
}

void wisp_groups_sort(wisp_groups *groups)
{
  size_t kept = 0;
  if (groups->count) qsort(groups->list, groups->count, sizeof *groups->list, compare_groups);
  for (size_t i = 0; i < groups->count; i++) {
    wisp_physical *last = kept ? &groups->list[kept - 1] : NULL, *at = &groups->list[i];
    if (last && same_group(last, at) && (!at->name || strcmp(last->name, at->name) == 0))
      free(at->name);
    else
      groups->list[kept++] = *at;
  }
  groups->count = kept;
}

wisp_status wisp_groups_add(wisp_error *err, wisp_groups *groups, int dimension, int32_t number, const char *name,
                            size_t length)
{
  const wisp_physical *last = groups->count ? &groups->list[groups->count - 1] : NULL;
  if (last && !length && last->dimension == dimension && last->number == number) return WISP_OK;
  if (groups->count == groups->capacity) { /* files name a group for each element: it grows if it is half full then */
    wisp_groups_sort(groups);
    const size_t count = 2 * groups->count >= groups->capacity ? groups->capacity + 1 : groups->count + 1;
    CALL(wisp_grow(err, &groups->list, &groups->capacity, count, sizeof *groups->list));
  }
  wisp_physical *made = &groups->list[groups->count];
  *made = (wisp_physical){.dimension = dimension, .number = number};
  if (length) CALL(wisp_new(err, length + 1, 1, &made->name));
  if (length) memcpy(made->name, name, length);
  groups->count++;
  return WISP_OK;
}

/* The index at which the entries of a group begin in a sorted list, or would. */
static size_t find_group(const wisp_groups *groups, const wisp_physical *key)
{
  size_t from = 0, end = groups->count;
  while (from < end) {
    const size_t middle = from + (end - from) / 2;
    const wisp_physical *at = &groups->list[middle];
    if (at->dimension < key->dimension || (at->dimension == key->dimension && at->number < key->number))
      from = middle + 1;
    else
      end = middle;
  }
  return from;
}

wisp_status wisp_groups_copy(wisp_error *err, const wisp_groups *groups, int dimension, int32_t number, wisp_groups *to)
{
  const wisp_physical key = {.dimension = dimension, .number = number};
  const wisp_physical *last = to->count ? &to->list[to->count - 1] : NULL;
  if (last && same_group(last, &key)) return WISP_OK;
  CALL(wisp_groups_add(err, to, dimension, number, NULL, 0));
  for (size_t i = find_group(groups, &key); i < groups->count && same_group(&groups->list[i], &key); i++) {
    const char *name = groups->list[i].name;
    if (name) CALL(wisp_groups_add(err, to, dimension, number, name, strlen(name)));
  }
  return WISP_OK;
}

wisp_status wisp_groups_spread(wisp_error *err, wisp_groups *groups)
{
  HELD(wisp_groups_free) wisp_groups named = {.list = NULL};
  size_t loose = 0;
  wisp_groups_sort(groups);
  for (; loose < groups->count && groups->list[loose].dimension == WISP_ANY_DIMENSION; loose++)
    for (int d = 0; d < WISP_DIMENSIONS; d++) {
      const wisp_physical key = {
          .dimension = d, .number = groups->list[loose].number, .name = groups->list[loose].name};
      const size_t at = find_group(groups, &key);
      if (at < groups->count && same_group(&groups->list[at], &key))
        CALL(wisp_groups_add(err, &named, d, key.number, key.name, strlen(key.name)));
    }
  for (size_t i = 0; i < loose; i++) free(groups->list[i].name);
  groups->count -= loose;
  if (loose) memmove(groups->list, groups->list + loose, groups->count * sizeof *groups->list);
  for (size_t i = 0; i < named.count; i++) {
    const wisp_physical *at = &named.list[i];
    CALL(wisp_groups_add(err, groups, at->dimension, at->number, at->name, strlen(at->name)));
  }
  wisp_groups_sort(groups);
  return WISP_OK;
}

/* ---- Sets. */

static size_t first_of(const wisp_groups *groups, size_t set)
{
  return set ? groups->end[set - 1] : 0;
}

/* The place of a set in the hash table, or the one that it would take. */
static uint32_t *find_place(const wisp_groups *groups, const int32_t *numbers, size_t count)
{
  size_t i = (size_t)wisp_hash(WISP_HASH_SEED, numbers, count * sizeof *numbers) & (groups->buckets - 1);
  for (; groups->bucket[i]; i = (i + 1) & (groups->buckets - 1)) {
    const size_t set = groups->bucket[i] - 1, first = first_of(groups, set);
    if (groups->end[set] - first == count && memcmp(groups->member + first, numbers, count * sizeof *numbers) == 0)
      break;
  }
  return &groups->bucket[i];
}

/* Makes the hash table larger where one more set would fill it by more than half. */
static wisp_status add_buckets(wisp_error *err, wisp_groups *groups)
{
  if (groups->buckets > 2 * groups->sets + 1) return WISP_OK;
  free(groups->bucket);
  groups->bucket = NULL;
  groups->buckets = groups->buckets ? 2 * groups->buckets : 16;
  CALL(wisp_new(err, groups->buckets, sizeof *groups->bucket, &groups->bucket));
  for (size_t set = 0; set < groups->sets; set++) {
    const size_t first = first_of(groups, set);
    *find_place(groups, groups->member + first, groups->end[set] - first) = (uint32_t)set + 1;
  }
  return WISP_OK;
}

wisp_status wisp_groups_value(wisp_error *err, wisp_groups *groups, int32_t *numbers, size_t count, int32_t *value)
{
  size_t kept = 0;
  if (count > 1) qsort(numbers, count, sizeof *numbers, wisp_by_index);
  for (size_t i = 0; i < count; i++)
    if (numbers[i] && (!kept || numbers[kept - 1] != numbers[i])) numbers[kept++] = numbers[i];
  if (kept < 2) return *value = kept ? numbers[0] : 0, WISP_OK;
  CALL(add_buckets(err, groups));
  uint32_t *place = find_place(groups, numbers, kept);
  if (!*place) {
    CALL(wisp_require(err, groups->sets < INT32_MAX, WISP_EMEMORY, "more than 2^31 sets of physical groups"));
    CALL(wisp_grow(err, &groups->member, &groups->member_capacity, groups->members + kept, sizeof *numbers));
    CALL(wisp_grow(err, &groups->end, &groups->end_capacity, groups->sets + 1, sizeof *groups->end));
    memcpy(groups->member + groups->members, numbers, kept * sizeof *numbers);
    groups->end[groups->sets] = groups->members += kept;
    *place = (uint32_t)++groups->sets;
  }
  *value = -(int32_t)*place;
  return WISP_OK;
}

size_t wisp_groups_numbers(const wisp_groups *groups, const int32_t *value, const int32_t **numbers)
{
  if (*value >= 0) return *numbers = value, *value > 0;
  const size_t set = (size_t)(-1 - *value), first = first_of(groups, set);
  *numbers = groups->member + first;
  return groups->end[set] - first;
}

wisp_status wisp_groups_join(wisp_error *err, wisp_groups *groups, int32_t a, int32_t b, int32_t *value)
{
  OWNED(free) int32_t *both = NULL;
  const int32_t *numbers[2] = {NULL};
  if (a == b || !b) return *value = a, WISP_OK;
  if (!a) return *value = b, WISP_OK;
  const size_t count[2] = {wisp_groups_numbers(groups, &a, &numbers[0]), wisp_groups_numbers(groups, &b, &numbers[1])};
  CALL(wisp_new(err, count[0] + count[1], sizeof *both, &both));
  memcpy(both, numbers[0], count[0] * sizeof *both);
  memcpy(both + count[0], numbers[1], count[1] * sizeof *both);
  return wisp_groups_value(err, groups, both, count[0] + count[1], value);
}

bool wisp_groups_have(const wisp_groups *groups, int32_t value, int32_t number)
{
  const int32_t *numbers = NULL;
  if (value >= 0) return value == number;
  const size_t count = wisp_groups_numbers(groups, &value, &numbers);
  return bsearch(&number, numbers, count, sizeof number, wisp_by_index) != NULL;
}

/* ---- Members. */

void wisp_groups_count(wisp_groups *groups, int dimension, int32_t value, double measure, wisp_groups_place place)
{
  const int32_t *numbers = NULL;
  const size_t count = wisp_groups_numbers(groups, &value, &numbers);
  groups->total[dimension] += place == WISP_GROUPS_MEMBER;
  for (size_t i = 0; i < count; i++) {
    const wisp_physical key = {.dimension = dimension, .number = numbers[i]};
    for (size_t at = find_group(groups, &key); at < groups->count && same_group(&groups->list[at], &key); at++) {
      wisp_physical *group = &groups->list[at];
      group->members += place == WISP_GROUPS_MEMBER;
      group->measure += place == WISP_GROUPS_MEMBER ? measure : 0;
      group->inside += place == WISP_GROUPS_INSIDE;
      group->loose += place == WISP_GROUPS_LOOSE;
    }
  }
}

void wisp_groups_use(const wisp_groups *groups, int dimension, int32_t number)
{
  for (size_t i = 0; i < groups->count; i++) {
    wisp_physical *group = &groups->list[i];
    group->used |= group->dimension == dimension && (!number || group->number == number);
  }
}

/* ---- For messages. */

const char *wisp_groups_word(int dimension)
{
  static const char *const words[] = {"physical point", "physical curve", "physical surface", "physical volume"};
  return words[dimension];
}

wisp_status wisp_groups_print_some(wisp_error *err, const wisp_groups *groups, int dimension,
                                   wisp_groups_filter *filter, size_t *count, wisp_text *out)
{
  enum { MOST = 12 };
  *count = 0;
  for (size_t i = 0; i < groups->count; i++) {
    const wisp_physical *group = &groups->list[i];
    if (group->dimension != dimension || (filter && !filter(groups, group)) || (*count)++ >= MOST) continue;
    CALL(wisp_text_print(err, out, "%s%d", *count > 1 ? ", " : "", group->number));
    if (group->name) CALL(wisp_text_print(err, out, " \"%.60s\"", group->name));
  }
  return *count > MOST ? wisp_text_print(err, out, " and %zu more", *count - MOST) : WISP_OK;
}

wisp_status wisp_groups_print(wisp_error *err, const wisp_groups *groups, int dimension, wisp_text *out)
{
  size_t count = 0;
  CALL(wisp_groups_print_some(err, groups, dimension, NULL, &count, out));
  return count ? WISP_OK : wisp_text_print(err, out, "none");
}

/* ---- What users write. */

/* The number that a text is, or 0. */
static int32_t number_of(const wisp_group_word *word)
{
  char *end = NULL;
  const long number = word->quoted ? 0 : strtol(word->text, &end, 10);
  return number > 0 && number <= INT32_MAX && !*end && *word->text >= '0' && *word->text <= '9' ? (int32_t)number : 0;
}

/* WISP_EUSAGE: why there is no such group, and which there are. */
static wisp_status refuse_group(wisp_error *err, const wisp_groups *groups, int dimension, const wisp_group_word *word)
{
  HELD(wisp_text_free) wisp_text list = {0};
  const char *kind = wisp_groups_word(dimension);
  CALL(wisp_groups_print(err, groups, dimension, &list));
  for (size_t i = 0; i < groups->count; i++) {
    const wisp_physical *other = &groups->list[i];
    if (other->dimension == dimension) continue;
    if ((!other->name || strcmp(other->name, word->text) != 0) && other->number != number_of(word)) continue;
    return wisp_fail(err, WISP_EUSAGE, "'%.60s' is a %s of the mesh, and a %s is wanted: there are %s", word->text,
                     wisp_groups_word(other->dimension), kind, list.data);
  }
  return wisp_fail(err, WISP_EUSAGE, "'%.60s' is no tag, nor a name, of a %s: there are %s", word->text, kind,
                   list.data);
}

wisp_status wisp_groups_find(wisp_error *err, const wisp_groups *groups, int dimension, const wisp_group_word *word,
                             int32_t **numbers, size_t *count)
{
  OWNED(free) int32_t *found = NULL;
  const int32_t number = number_of(word);
  size_t named = 0, capacity = 0;
  bool there = false;
  for (size_t i = 0; i < groups->count; i++) {
    const wisp_physical *group = &groups->list[i];
    if (group->dimension != dimension) continue;
    there |= number && group->number == number;
    if (!group->name || strcmp(group->name, word->text) != 0) continue;
    CALL(wisp_grow(err, &found, &capacity, named + 1, sizeof *found));
    found[named++] = group->number;
  }
  CALL(wisp_require(err, !there || !named || (named == 1 && found[0] == number), WISP_EUSAGE,
                    "'%s' is the number of a %s and the name of another: write the name in quotes, \"%s\"", word->text,
                    wisp_groups_word(dimension), word->text));
  if (!there && !named) return refuse_group(err, groups, dimension, word);
  if (!named) {
    CALL(wisp_grow(err, &found, &capacity, 1, sizeof *found));
    found[named++] = number;
  }
  for (size_t i = 0; i < named; i++) wisp_groups_use(groups, dimension, found[i]);
  *count = named;
  return GIVE(found, numbers);
}

/* ---- Lists. */

void wisp_group_list_free(wisp_group_list *list)
{
  WISP_FREE(list->item, list->text);
  *list = (wisp_group_list){0};
}

static char *skip_blanks(char *at)
{
  return at + strspn(at, " \t");
}

/* Ends a text at `end`, and takes the blanks before it off; the text. */
static char *cut_text(char *from, char *end)
{
  while (end > from && (end[-1] == ' ' || end[-1] == '\t')) end--;
  *end = '\0';
  return from;
}

/* The next item, whose end becomes a NUL; *at goes behind it, or becomes NULL at the end of the list. */
static wisp_status read_item(wisp_error *err, char **at, bool valued, wisp_group_item *item)
{
  char *from = skip_blanks(*at), *end = NULL;
  item->word.quoted = *from == '"' || *from == '\'';
  if (item->word.quoted) {
    end = strchr(from + 1, *from);
    CALL(wisp_require(err, end, WISP_EUSAGE, "the quote %c has no end in %s", *from, from));
    *end = '\0';
    item->word.text = from + 1;
    end = skip_blanks(end + 1);
  } else {
    end = from + strcspn(from, valued ? ",=" : ",");
  }
  const char mark = *end;
  CALL(wisp_require(err, !mark || mark == ',' || (mark == '=' && valued), WISP_EUSAGE, "'%s' follows a name in quotes",
                    end));
  if (!item->word.quoted) item->word.text = cut_text(from, end);
  CALL(wisp_require(err, *item->word.text, WISP_EUSAGE, "there is a name missing"));
  if (mark == '=') {
    from = skip_blanks(end + 1);
    end = from + strcspn(from, ",");
    *at = *end ? end + 1 : NULL;
    item->value = cut_text(from, end);
    return WISP_OK;
  }
  *at = mark ? end + 1 : NULL;
  return WISP_OK;
}

wisp_status wisp_group_list_read(wisp_error *err, const char *text, bool valued, wisp_group_list *out)
{
  HELD(wisp_group_list_free) wisp_group_list list = {.text = strdup(text)};
  CALL(wisp_require(err, list.text, WISP_EMEMORY, "out of memory: a list of physical groups"));
  for (char *at = list.text; at;) {
    CALL(wisp_grow(err, &list.item, &list.capacity, list.count + 1, sizeof *list.item));
    list.item[list.count] = (wisp_group_item){.value = NULL};
    CALL(read_item(err, &at, valued, &list.item[list.count++]));
  }
  return GIVE(list, out);
}

wisp_status wisp_groups_find_all(wisp_error *err, const wisp_groups *groups, int dimension, const char *text,
                                 int32_t **numbers, size_t *count)
{
  HELD(wisp_group_list_free) wisp_group_list list = {.count = 0};
  OWNED(free) int32_t *all = NULL;
  size_t capacity = 0, found = 0;
  CALL(wisp_group_list_read(err, text, false, &list));
  for (size_t i = 0; i < list.count; i++) {
    OWNED(free) int32_t *some = NULL;
    size_t more = 0;
    CALL(wisp_groups_find(err, groups, dimension, &list.item[i].word, &some, &more));
    CALL(wisp_grow(err, &all, &capacity, found + more, sizeof *all));
    memcpy(all + found, some, more * sizeof *all);
    found += more;
  }
  *count = found;
  return GIVE(all, numbers);
}
