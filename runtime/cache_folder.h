/* The folder of compiled kernels: where it is, whether what lies there may be loaded, how much it may hold. */
#pragma once

#include "device.h"

#include <limits.h>

/* Whether kernels can be loaded from the folder ($WISP_CACHE_DIR, else $XDG_CACHE_HOME/wisp, else ~/.cache/wisp) and
 * kept there: WISP_ESYSTEM, in words, where not. It is made where it is missing, below a home that is there. */
wisp_status wisp_cache_usable(wisp_error *err);

/* For people. */
typedef struct wisp_cache_contents {
  char path[PATH_MAX];
  long long entries, bytes, limit; /* bytes: $WISP_CACHE_MB, else 512 MB */
} wisp_cache_contents;
/* Counts the entries, and removes them where asked. WISP_ESYSTEM: untrusted; WISP_EUSAGE: a wrong $WISP_CACHE_MB. */
wisp_status wisp_cache_look(wisp_error *err, bool clear, wisp_cache_contents *out);

/* ---- Compiled kernels (and measured ceilings) on disk, by all that they depend on. Nothing here can fail: what cannot
 * be read was not there, what cannot be written is computed again next time. Safe for threads and processes at once. */

/* All that an entry depends on; the texts stay the caller's. */
typedef struct wisp_cache_key {
  const char *const *texts;
  int count;
} wisp_cache_key;

/* Whether an undamaged entry is there; gives its data (caller frees out->data) and usage. */
bool wisp_cache_get(const wisp_cache_key *key, wisp_binary *out);

/* Puts data and usage under the key, replacing what was there. */
void wisp_cache_put(const wisp_cache_key *key, const wisp_binary *binary);
