/* Compiled kernels (and measured ceilings) on disk, by all that they depend on. Nothing here can fail: what cannot be
 * read was not there, what cannot be written is computed again next time. Safe for threads and processes at once. */
#ifndef WISP_JIT_CACHE_H
#define WISP_JIT_CACHE_H

#include "device.h"

/* All that an entry depends on; the texts stay the caller's. */
typedef struct wisp_cache_key {
  const char *const *texts;
  int count;
} wisp_cache_key;

/* Whether an undamaged entry is there; gives its data (caller frees out->data) and usage. */
bool wisp_cache_get(const wisp_cache_key *key, wisp_binary *out);

/* Puts data and usage under the key, replacing what was there. */
void wisp_cache_put(const wisp_cache_key *key, const wisp_binary *binary);

#endif
