/* What a kernel's text says, without what is there for people: the form that hashes are made of. */
#ifndef WISP_PLAIN_H
#define WISP_PLAIN_H

#include "../text.h"

/* A text in its plain form, with the words in it. */
typedef struct wisp_plain {
  wisp_text text;
  uint64_t hash;  /* of the text */
  uint64_t *word; /* a table of the words' hashes, 0 where it is empty */
  size_t words;   /* its size, a power of two */
} wisp_plain;

/* Leaves out comments (of templates and of C), indentation and empty lines; a run of blanks counts as one. Strings stay
 * as they are. A comment of C that opens or closes a block, or inserts a text, stays: what comes of it may reach beyond
 * its line. The text need not be right. Zero-initialise *out; free with wisp_plain_free. */
wisp_status wisp_plain_create(wisp_error *err, const char *text, wisp_plain *out);
void wisp_plain_free(wisp_plain *plain);

/* Does this word stand in it, as a whole? */
bool wisp_plain_says(const wisp_plain *plain, const char *word);

/* Moves *at behind the next {{>name}} of a plain text, be it taken or not, and gives its name (in the text); false
 * where there is none. */
bool wisp_plain_next_insert(const char **at, const char **name, size_t *length);

#endif
