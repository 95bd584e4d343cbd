/* Ctrl-C, TERM and HUP while a sweep runs: they end it in order, with its summary and a store that is whole, and are
 * heard of through a descriptor, like the workers. */
#ifndef WISP_INTERRUPT_H
#define WISP_INTERRUPT_H

#include "../../gen/check.h"

#include <signal.h>

enum { WISP_INTERRUPTS = 3 };

typedef struct wisp_interrupt {
  int fd; /* readable once a signal came */
  sigset_t mask;
  struct sigaction before[WISP_INTERRUPTS];
} wisp_interrupt;

/* From here on the signals go to fd, but for those that this process ignores (nohup). Until wisp_interrupt_end. */
wisp_status wisp_interrupt_begin(wisp_error *err, wisp_interrupt *out);
void wisp_interrupt_end(wisp_interrupt *interrupt);

/* The signal that came; 0: none did. */
int wisp_interrupt_take(const wisp_interrupt *interrupt);

#endif
