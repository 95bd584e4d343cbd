/* A hash of the texts that a kernel is compiled from: while it stays the same, the kernel's measurements count.
 *
 * The number is over what the kernel's texts say to the compiler and to the launch (docs/reference/store.md):
 *   - its text and the parts that this inserts, itself or through other parts, in normalized form (below),
 * whether or not the branch is taken;
 *   - of its space as it is parsed: kernel, names of parameters, arguments, shared arrays, operands, block and grid,
 * and those lets that texts read;
 *   - of the dialect that wraps it the definitions (lines of #define and typedef) that these texts use, themselves or
 *     through other definitions, and all that is no definition;
 *   - of its system what the texts name in tags, and the space in expressions: fields, rates, fluxes, boundaries.
 * Not in it are comments, indentation, titles, preferences, and which candidates there are (values, needs, require):
 * whether one is legal is asked when its plan is made. */
#pragma once

#include "../check.h"
#include "../embedded.h"
#include "../text.h"

/* ---- The places of a strategy's texts: a folder of the user's, then the files inside the library. */

typedef struct wisp_template_path {
  const wisp_embedded *files; /* by the library's paths: "templates/FAMILY/NAME" */
  size_t count, own;          /* the first `own` are the user's: they lie in `folder`, not in templates/ */
  const char *folder;
} wisp_template_path;

/* Reads the texts (.space, .k, .part, names, .system) of a folder's families and puts them before the library's;
 * release with wisp_template_path_free. A system that cannot be opened is a line of the warning. */
wisp_status wisp_template_path_load(wisp_error *err, const char *folder, wisp_text *warning, wisp_template_path *out);
void wisp_template_path_free(wisp_template_path *template_path);
/* Adds a line to such a warning: why a file is not used. */
wisp_status wisp_template_path_leave_out(wisp_error *err, const char *why, wisp_text *warning);

/* templates/FAMILY/NAME, the user's before the library's; NULL: none. */
const wisp_embedded *wisp_template_path_find(const wisp_template_path *template_path, const char *family,
                                             const char *name);

/* The place where a file lies, for messages. */
enum { WISP_SHOWN_PATH = 1024 };
void wisp_template_path_shown(const wisp_template_path *template_path, const wisp_embedded *file,
                              char path[WISP_SHOWN_PATH]);

enum { WISP_MAX_DIALECTS = 8 };

struct wisp_strategy;

/* The texts that strategies are made from, read once. files are borrowed; of several with one path the first counts. */
typedef struct wisp_source_set wisp_source_set;
wisp_status wisp_source_set_create(wisp_error *err, const wisp_embedded *files, size_t count, wisp_source_set **out);
void wisp_source_set_free(wisp_source_set *source_set);
WISP_OWNED(wisp_source_set, wisp_source_set_free)

/* Takes in the systems of another's files that have no namesake here. */
wisp_status wisp_source_set_share_systems(wisp_error *err, wisp_source_set *source_set, const wisp_source_set *other);

/* A strategy's kernels in one dialect, without their system: the number, and which of the system's symbols
 * (wisp_system_symbols) they read, a bit each. */
typedef struct wisp_source_hash {
  uint64_t texts;
  uint32_t symbols;
} wisp_source_hash;

/* A strategy's hash in each dialect, templates/dialect/NAME.k, in the order of the files. A part that is not among the
 * files is no error here but the expander's, when it gets there. */
wisp_status wisp_source_set_hash(wisp_error *err, wisp_source_set *source_set, const struct wisp_strategy *strategy,
                                 wisp_source_hash hash[WISP_MAX_DIALECTS]);
/* The same as strategies keep it. */
struct wisp_source_set_kept {
  bool made;
  wisp_source_hash hash[WISP_MAX_DIALECTS];
};

/* The number with the symbols of a system added; without them if no file describes a system of that name. */
uint64_t wisp_source_set_add_system(const wisp_source_set *source_set, wisp_source_hash hash, const char *system);

/* The first system with the same equations, whatever its name; the name itself if there is no other. */
const char *wisp_source_set_equal_system(const wisp_source_set *source_set, const char *system);

/* The space as hashes are made of it: all that source and launch are made of, however it is written. let gets a number
 * for each of its lets. */
wisp_status wisp_space_print(wisp_error *err, const struct wisp_strategy *strategy, uint64_t *let, wisp_text *out);

/* Gives the part of this name, parsed, and its number below `parts`; NULL: there is none. */
struct wisp_template;
typedef wisp_status (*wisp_find_part)(wisp_error *err, void *context, const char *name,
                                      const struct wisp_template **out, size_t *number);
/* Which symbols of a system (wisp_system_symbols) the strategy's space reads, and the text with the parts that it
 * inserts, except in branches that the facts and lets of the strategy rule out for all of its candidates; a bit each.
 */
wisp_status wisp_symbols_read(wisp_error *err, const struct wisp_strategy *strategy, const struct wisp_template *text,
                              size_t parts, wisp_find_part find, void *context, uint32_t *symbols);

/* ---- A kernel's text without comments and layout: hashes are made of it. */

/* A normalized text, with the words in it. */
typedef struct wisp_normalized {
  wisp_text text;
  uint64_t hash;  /* of the text */
  uint64_t *word; /* a table of the words' hashes, 0 where it is empty */
  size_t words;   /* its size, a power of two */
} wisp_normalized;

/* Leaves out comments (of templates and of C), indentation and empty lines; a run of blanks counts as one. Strings stay
 * as they are. A comment of C that opens or closes a block, or inserts a text, stays: what comes of it may reach beyond
 * its line. The text need not be right. Zero-initialise *out; free with wisp_normalized_free. */
wisp_status wisp_normalized_create(wisp_error *err, const char *text, wisp_normalized *out);
void wisp_normalized_free(wisp_normalized *normalized);

/* Whether this word stands in it, as a whole; whether it stands in one of its tags. */
bool wisp_normalized_has(const wisp_normalized *normalized, const char *word);
bool wisp_normalized_reads(const wisp_normalized *normalized, const char *name);

/* Moves *at behind the next {{>name}} of a normalized text, be it taken or not, and gives its name (in the text); false
 * where there is none. */
bool wisp_normalized_next_insert(const char **at, const char **name, size_t *length);

/* Texts that several kernels share are inserted by {{>NAME}}: templates/FAMILY/NAME.part, or what all families share,
 * templates/common/NAME.part, or a part of another file there behind its line {{part NAME}}. The name of such a part in
 * this folder; false: the file is none. */
#define WISP_SHARED_PARTS "common"
bool wisp_part_name(const wisp_embedded *file, const char *folder, char name[64]);
