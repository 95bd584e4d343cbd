/* Probes: the fields at points, in time, as a table (CSV). Samples stay on the device until many are there. */
#pragma once

#include "locate.h"

typedef struct wisp_probes wisp_probes;

/* Reads points "X,Y,Z; X,Y,Z"; dg NULL: the form alone is checked, and *out is NULL. what ("option --probe") begins
 * messages. WISP_EUSAGE for what is no point, and a point that no element holds. The device and the dg are borrowed. */
wisp_status wisp_probes_create(wisp_error *err, const char *what, const char *text, wisp_device *device,
                               const wisp_dg *dg, wisp_precision precision, long long every, wisp_probes **out);
void wisp_probes_destroy(wisp_probes *probes);
WISP_OWNED(wisp_probes, wisp_probes_destroy)

/* Enqueues a sample of u at this step, if it is one of every so many. Waits where the device's table is full. */
wisp_status wisp_probes_take(wisp_error *err, wisp_probes *probes, wisp_pointer u, long long step, double time);

/* Waits, and writes all samples so far: a line of names, t and FIELD@NUMBER of each point, and a line for each. */
wisp_status wisp_probes_write(wisp_error *err, wisp_probes *probes, const char *path);
