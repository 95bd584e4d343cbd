#include "run_ranks.h"
#include "../runtime/device.h"
#include "../tuner/workers/worker.h"

#include <sched.h>
#include <stdio.h>

enum { MOST_DEVICES = 64, DEVICE = 32 };

typedef struct device_list {
  int count;
  char name[MOST_DEVICES][DEVICE];
} device_list;

static wisp_status read_devices(wisp_error *err, const char *text, device_list *out)
{
  out->count = 0;
  for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
    const size_t length = strcspn(at, ",");
    CALL(wisp_require(err, out->count < MOST_DEVICES && length < DEVICE, WISP_EUSAGE,
                      "option --device is '%s', must be a device, or up to %d with commas between them", text,
                      MOST_DEVICES));
    snprintf(out->name[out->count++], DEVICE, "%.*s", (int)length, at);
  }
  for (int i = 0; out->count > 1 && i < out->count; i++) CALL(wisp_device_known(err, out->name[i]));
  return WISP_OK;
}

/* The kind of a device's name, "cuda" of "cuda:1". */
static size_t kind_length(const char *name)
{
  return strcspn(name, ":");
}

/* Devices of several kinds would run other kernels; two ranks on one GPU would wait for each other in vain. */
static wisp_status check_devices(wisp_error *err, const wisp_arguments *args, const device_list *list)
{
  static const char *const alone[] = {"tune", "verify"};
  for (int i = 1; i < list->count; i++) {
    const char *name = list->name[i], *first = list->name[0];
    const size_t length = kind_length(name);
    const bool alike = length == kind_length(first) && strncmp(name, first, length) == 0;
    CALL(wisp_require(err, alike && strcmp(first, "auto") != 0, WISP_EUSAGE,
                      "devices %s and %s: several that solve together must be of one kind", first, name));
    for (int j = 0; j < i && wisp_device_is_gpu(name); j++)
      CALL(wisp_require(err, strcmp(name, list->name[j]) != 0, WISP_EUSAGE, "device %s comes twice: name each GPU once",
                        name));
  }
  for (size_t i = 0; i < WISP_COUNT(alone); i++)
    CALL(wisp_require(err, !wisp_option_given(args, alone[i]), WISP_EUSAGE,
                      "option --%s is for one device so far: name one, or leave it out", alone[i]));
  return WISP_OK;
}

/* Ranks on the host share its cores: each keeps to its own. */
static void take_cores(int rank, int count)
{
  cpu_set_t all, own;
  if (sched_getaffinity(0, sizeof all, &all) != 0) return;
  const int cores = CPU_COUNT(&all), first = rank * cores / count, end = (rank + 1) * cores / count;
  CPU_ZERO(&own);
  int at = 0;
  for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET(cpu, &all)) continue;
    if ((at >= first && at < end) || (first == end && at == first)) CPU_SET(cpu, &own);
    at++;
  }
  sched_setaffinity(0, sizeof own, &own);
}

/* A wisp_ranks_signal. */
static int take_signal(void *context)
{
  return wisp_interrupt_take(context);
}

/* A run with a checkpoint is stopped by signals (cli/run.c), and so the first process passes them on to the ranks. */
static wisp_status fork_ranks(wisp_error *err, const wisp_arguments *args, int count, wisp_ranks **ranks,
                              int *exit_status)
{
  wisp_interrupt interrupt;
  if (!wisp_option_given(args, "checkpoint")) return wisp_ranks_fork(err, count, NULL, NULL, ranks, exit_status);
  CALL(wisp_interrupt_begin(err, &interrupt));
  const wisp_status status = wisp_ranks_fork(err, count, take_signal, &interrupt, ranks, exit_status);
  if (!*ranks) wisp_interrupt_end(&interrupt);
  return status;
}

wisp_status wisp_run_divided(wisp_error *err, wisp_arguments *args, wisp_run_on run)
{
  const char *text = wisp_option_value(args, "device");
  device_list list;
  wisp_ranks *ranks = NULL;
  CALL(read_devices(err, text ? text : "auto", &list));
  if (list.count == 1) return run(err, args, list.name[0], NULL);
  CALL(check_devices(err, args, &list));
  CALL(fork_ranks(err, args, list.count, &ranks, &args->exit_status));
  if (!ranks) return WISP_OK; /* all have ended well */
  const int own = wisp_ranks_own(ranks);
  wisp_error why = {.text = ""};
  if (own) wisp_option_give(args, "quiet", "");
  if (!wisp_device_is_gpu(list.name[own])) take_cores(own, list.count);
  const wisp_status status = run(&why, args, list.name[own], ranks);
  wisp_ranks_end(ranks, status, &why); /* the first process reports it */
  args->exit_status = status == WISP_OK ? args->exit_status : 1;
  return WISP_OK;
}
