/* libFuzzer's entry (scripts/fuzz NAME SECONDS): TARGET is the NAME. */
#include "../fuzz_targets.h"

#include <stdlib.h>
#include <string.h>

#ifndef TARGET
#define TARGET "mesh"
#endif

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
  static fuzz_world *world; /* for as long as the process lives */
  const fuzz_target *target = fuzz_targets;
  char *text = malloc(size + 1);
  if (!world) world = fuzz_world_create();
  if (!text) abort();
  memcpy(text, data, size);
  text[size] = '\0';
  while (strcmp(target->name, TARGET) != 0) target++;
  target->take(world, text, size);
  free(text);
  return 0;
}
