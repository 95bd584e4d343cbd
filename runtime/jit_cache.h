/* Compiled kernels (and measured ceilings) on disk, by the hash of all that they depend on. Nothing here can fail: what
 * cannot be read was not there, what cannot be written is computed again next time. Safe for threads and processes at
 * once. */
#ifndef WISP_JIT_CACHE_H
#define WISP_JIT_CACHE_H

#include "device.h"

typedef struct wisp_cache_key {
  uint64_t a, b; /* two hashes with different seeds, so that an accidental collision is out of the question */
} wisp_cache_key;

wisp_cache_key wisp_cache_key_of(const char *const *texts, int count);

/* Whether an undamaged entry is there; gives its data (caller frees out->data) and usage. */
bool wisp_cache_get(const wisp_cache_key *key, wisp_binary *out);

/* Puts data and usage under the key, replacing what was there. */
void wisp_cache_put(const wisp_cache_key *key, const wisp_binary *binary);

#endif
