/* The fuzzed readers: every reader of texts and files that users bring. Whatever the bytes, it keeps its promise or
 * gives one line of text; what it takes comes back as it was. scripts/fuzz NAME SECONDS looks for bytes that break
 * this, test_fuzz_corpus replays those found worth keeping (tests/fuzz/corpus/NAME). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct fuzz_world fuzz_world; /* what inputs are read in, made once: names, layouts, a folder */

typedef struct fuzz_target {
  const char *name;
  /* Reads `size` bytes, behind which a NUL stands. True where they were taken to the end; aborts where a promise is
   * broken. */
  bool (*take)(fuzz_world *world, const char *data, size_t size);
} fuzz_target;

/* The takers of expressions, forms, and the names that programs and command lines give (fuzz_names.c). */
bool fuzz_take_expression(fuzz_world *world, const char *data, size_t size);
bool fuzz_take_form(fuzz_world *world, const char *data, size_t size);
bool fuzz_take_names(fuzz_world *world, const char *data, size_t size);

extern const fuzz_target fuzz_targets[]; /* the last has no name */

fuzz_world *fuzz_world_create(void); /* aborts where it cannot */
void fuzz_world_destroy(fuzz_world *world);
