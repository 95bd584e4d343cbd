/* A space description while it is read: lines and files (gen/strategy/space_read.c), keywords (gen/strategy/space.c).
 */
#pragma once

#include "../family.h"
#include "../text.h"

enum { WISP_MAX_KEYWORDS = 32 };

typedef struct wisp_reader {
  wisp_strategy *s;
  const struct wisp_keyword *keyword; /* of the line that is read */
  bool seen[WISP_MAX_KEYWORDS];       /* which keywords there were */
  int file, line;                     /* what is read: a number of s->file, and a line of it */
  char text[64];                      /* the kernel text that it names; empty: the one beside it */
  bool left_out;                      /* the last line that follows none does not hold for the kernel */
  bool placed;                        /* the error has its place */
} wisp_reader;

typedef struct wisp_keyword {
  const char *word;
  wisp_status (*read)(wisp_error *err, wisp_reader *r, char *line);
  enum { TERMS, REASON, PROSE } rest; /* what follows: terms; EXPR : REASON; words, in which `when` is a word */
  bool once;                          /* at most one line of a description */
  bool follows;                       /* belongs to the line above it, and goes where that goes */
  size_t member;                      /* of the strategy: what the line sets, if its handler serves several keywords */
  size_t count; /* likewise: the entries of a list that the line is one more of; 0: it is no list */
  int most;     /* expressions, or kernels, in the line; 0: any */
} wisp_keyword;

extern const wisp_keyword wisp_keywords[]; /* the last has no word; at most WISP_MAX_KEYWORDS */

/* Copies a name of 1 to capacity - 1 characters. */
wisp_status wisp_copy_name(wisp_error *err, const char *from, char *to, size_t capacity);

/* Parses an expression of the line that is read. */
wisp_status wisp_clause_parse(wisp_error *err, const wisp_reader *r, const char *text, wisp_clause *out);

/* A keyword as this release calls it; of an older one's name the strategy's note says so. */
wisp_status wisp_keyword_now(wisp_error *err, wisp_reader *r, const char *word, const char **now);

/* Refuses what stands there a second time: one of the two would be silently lost. */
wisp_status wisp_check_first(wisp_error *err, bool first, const char *kind, const char *name);

/* Checks that concern the whole description. */
wisp_status wisp_check_complete(wisp_error *err, const wisp_strategy *s);

/* The i-th kernel of a description; false where it has fewer. */
bool wisp_space_kernel(const char *space, int i, char kernel[WISP_NAME_TEXT]);

/* Reads a description for one of its kernels (NULL: the first), with what it includes; text NULL: the kernel text that
 * it names, or the one beside it. */
wisp_status wisp_space_read(wisp_error *err, const wisp_template_path *template_path, const char *family,
                            const char *name, const char *kernel, wisp_file_text space, const wisp_file_text *text,
                            wisp_strategy **out);
