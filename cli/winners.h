/* The winners of what a tune request covers, as the store has them now. */
#ifndef WISP_WINNERS_H
#define WISP_WINNERS_H

#include "../runtime/door/door.h"
#include "../tuner/workers/tune.h"

typedef struct wisp_winners {
  wisp_session *session;
  size_t count, room;
  const wisp_trial **trials; /* the store's: by order, precision, kernel; the step last */
} wisp_winners;

wisp_status wisp_winners_find(wisp_error *err, const wisp_limits *limits, const wisp_tune_request *request,
                              wisp_winners *out);
/* A table under the device's name. */
wisp_status wisp_winners_print(wisp_error *err, const char *device, const wisp_winners *winners);
void wisp_winners_free(wisp_winners *winners);

#endif
