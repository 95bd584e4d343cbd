/* Lists as users write them, whose items may have a name: `body=4, "air gap"=min(x, 1), 2`. */
#pragma once

#include "../../gen/text.h"

typedef struct wisp_item {
  char *key;   /* the text before the equals sign, with its quotes; NULL: there is none */
  char *value; /* the text behind it, or the whole item */
} wisp_item;

typedef struct wisp_items {
  wisp_item *item;
  size_t count, capacity;
  char *text; /* theirs */
} wisp_items;

void wisp_items_free(wisp_items *items);

/* Reads a list. Commas and equals signs inside of quotes and brackets belong to an item's text, as do those of the
 * comparisons ==, !=, <= and >=. WISP_EUSAGE for an item without a value or with an empty name, and for a quote
 * without an end. */
wisp_status wisp_items_read(wisp_error *err, const char *text, wisp_items *out);
