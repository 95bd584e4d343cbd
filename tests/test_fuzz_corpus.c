/* Claim: every input that fuzzing found worth keeping goes through its reader cleanly: taken, or refused with one line
 * of text; built with sanitizers this proves it. Every target of tests/fuzz_targets.c has a corpus, some of it taken to
 * the end. Runs in the root of the tree. */
#include "test.h"
#include "fuzz_targets.h"
#include "../gen/text.h"

#include <dirent.h>

static bool replay(const fuzz_target *target, fuzz_world *world, const char *path)
{
  OWNED(free) char *data = NULL;
  size_t length = 0;
  GOOD(wisp_read_file(err, path, &data, &length));
  OWNED(free) char *exact = malloc(length + 1); /* no byte behind the NUL */
  assert_non_null(exact);
  memcpy(exact, data, length + 1);
  const bool taken = target->take(world, exact, length);
  return taken;
}

TEST(test_corpora)
{
  fuzz_world *world = fuzz_world_create();
  for (const fuzz_target *target = fuzz_targets; target->name; target++) {
    char folder[128], path[512];
    int files = 0, taken = 0;
    snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", target->name);
    DIR *directory = opendir(folder);
    if (!directory) fail_msg("%s cannot be opened: run this in the root of the tree", folder);
    for (struct dirent *entry; (entry = readdir(directory));) {
      if (*entry->d_name == '.') continue;
      snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
      taken += replay(target, world, path);
      files++;
    }
    closedir(directory);
    /* It reaches the end of the reader, not its first check alone. */
    if (files < 10 || taken < 1) fail_msg("%s: %d files, %d of them taken", folder, files, taken);
    print_message("%s: %d files, %d of them taken\n", target->name, files, taken);
  }
  fuzz_world_destroy(world);
}

GROUP(no_shipped_winners, NULL)
