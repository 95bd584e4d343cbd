/* The devices that a sweep is shared out over. */
#ifndef WISP_DEVICES_H
#define WISP_DEVICES_H

#include "../../gen/check.h"

/* text: a name as wisp_device_open takes it, several with commas between them, or "all": every GPU of this host, the
 * host itself where there is none. Names may come twice. Opens no device in this process: who asks for "all" is a
 * process of its own. WISP_EUSAGE where a name is empty or not known. Caller frees each name and the list. */
wisp_status wisp_devices_read(wisp_error *err, const char *text, size_t *count, char ***names);
/* names may be NULL. */
void wisp_devices_free(size_t count, char **names);

#endif
