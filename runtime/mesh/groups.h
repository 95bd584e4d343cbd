/* Physical groups: which elements, and which faces of the boundary, belong together. The groups of each dimension have
 * numbers of their own, and names.
 *
 * An element may be in several groups. It carries one value: 0, it is in none; a positive value, it is in the group of
 * that number; a negative value v, it is in all groups of set -1 - v. Which dimension a value speaks of depends on
 * whose it is: that of the elements, or one less for their faces. */
#pragma once

#include "../../gen/text.h"

typedef struct wisp_physical {
  int dimension;  /* 0 points, 1 curves, 2 surfaces, 3 volumes; WISP_ANY_DIMENSION: until names are spread */
  int32_t number; /* positive */
  char *name;     /* NULL: it has none */
  size_t members; /* of the mesh's elements, or of its boundary's faces; of other dimensions 0 */
  size_t inside;  /* faces between two elements, */
  size_t loose;   /* and such as belong to no element */
  double measure; /* volume, area or length of the members */
  bool used;      /* a run has asked for it */
} wisp_physical;

enum { WISP_ANY_DIMENSION = -1, WISP_DIMENSIONS = 4 };

/* Zero-initialise. */
typedef struct wisp_groups {
  wisp_physical *list; /* once sorted: by dimension and number; a group with two names stands there twice */
  size_t count, capacity;
  int32_t *member; /* of all sets, one after the other, each ascending */
  size_t *end;     /* sets: where the members of each end */
  size_t sets, members, member_capacity, end_capacity;
  uint32_t *bucket; /* a hash table of the sets, each plus one */
  size_t buckets;
  size_t total[4]; /* elements, and faces of the boundary, by dimension: in groups or not */
} wisp_groups;

void wisp_groups_free(wisp_groups *groups);

/* Adds a group, with the name of `length` bytes, or none where it is 0. */
wisp_status wisp_groups_add(wisp_error *err, wisp_groups *groups, int dimension, int32_t number, const char *name,
                            size_t length);

/* Adds a group to another list, with its names. `groups` is sorted. */
wisp_status wisp_groups_copy(wisp_error *err, const wisp_groups *groups, int dimension, int32_t number,
                             wisp_groups *to);

/* Puts the list into order, without what stands there twice. */
void wisp_groups_sort(wisp_groups *groups);

/* Gives names without a dimension to the groups of their number in all dimensions, and puts the list into order. */
wisp_status wisp_groups_spread(wisp_error *err, wisp_groups *groups);

/* A value is counted as one of these. */
typedef enum wisp_groups_place { WISP_GROUPS_MEMBER, WISP_GROUPS_INSIDE, WISP_GROUPS_LOOSE } wisp_groups_place;

/* Counts an element, or a face, in each group that its value stands for. The list is sorted. */
void wisp_groups_count(wisp_groups *groups, int dimension, int32_t value, double measure, wisp_groups_place place);

/* Remembers that a run asks for a group, or, where the number is 0, for all of the dimension. */
void wisp_groups_use(const wisp_groups *groups, int dimension, int32_t number);

/* The value of whoever is in all groups of these numbers; 0 is none. Sorts the numbers. */
wisp_status wisp_groups_value(wisp_error *err, wisp_groups *groups, int32_t *numbers, size_t count, int32_t *value);

/* The value of whoever is in the groups of both. */
wisp_status wisp_groups_join(wisp_error *err, wisp_groups *groups, int32_t a, int32_t b, int32_t *value);

/* The numbers that a value stands for; *numbers may point to the value. */
size_t wisp_groups_numbers(const wisp_groups *groups, const int32_t *value, const int32_t **numbers);

/* Is whoever has this value in the group? Number 0: is it in none? */
bool wisp_groups_have(const wisp_groups *groups, int32_t value, int32_t number);

/* "physical curve", "physical surface", ... */
const char *wisp_groups_word(int dimension);

/* The groups of a dimension for messages: `1 "left", 2 "right", 3`, the first dozen; "none". */
wisp_status wisp_groups_print(wisp_error *err, const wisp_groups *groups, int dimension, wisp_text *out);

/* Those that are asked for, likewise; *count: how many they are. */
typedef bool wisp_groups_filter(const wisp_groups *groups, const wisp_physical *group);
wisp_status wisp_groups_print_some(wisp_error *err, const wisp_groups *groups, int dimension,
                                   wisp_groups_filter *filter, size_t *count, wisp_text *out);

/* ---- What users write: a name, as it is or in quotes, or a number. */

typedef struct wisp_group_word {
  const char *text; /* a name, or digits */
  bool quoted;      /* then it is a name */
} wisp_group_word;

/* The numbers of the groups that a word names, several where they share a name; the caller frees them. WISP_EUSAGE
 * where there is none, or the word is ambiguous: the message begins with the word and lists the groups. */
wisp_status wisp_groups_find(wisp_error *err, const wisp_groups *groups, int dimension, const wisp_group_word *word,
                             int32_t **numbers, size_t *count);

/* One item of a list such as `outlet, "air gap"=1, 3=absorbing`. */
typedef struct wisp_group_item {
  wisp_group_word word;
  const char *value; /* what stands behind the equals sign; NULL: there is none */
} wisp_group_item;

typedef struct wisp_group_list {
  wisp_group_item *item;
  size_t count, capacity;
  char *text; /* theirs */
} wisp_group_list;

void wisp_group_list_free(wisp_group_list *list);

/* Reads a list. valued: items may have values. WISP_EUSAGE for an empty item or a quote without an end. */
wisp_status wisp_group_list_read(wisp_error *err, const char *text, bool valued, wisp_group_list *out);

/* The numbers of all groups of a list without values: as wisp_groups_find. */
wisp_status wisp_groups_find_all(wisp_error *err, const wisp_groups *groups, int dimension, const char *text,
                                 int32_t **numbers, size_t *count);
