/* The tuner's side of a sweep: a request that means something, a store to write to, devices, and what they came to.
 * Workers (sweep.c) do the rest. */
#include "tune.h"
#include "supervisor.h"
#include "../sweep/sweep.h"
#include "../../runtime/process.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds that a driver may take to say what is there. */
enum { LIST_SECONDS = 120 };

/* A budget ends its workers when it is over by this factor and these seconds; those that compare stages are ahead of a
 * choice, and on a busy machine have so long. */
static const double GRACE = 1.05, GRACE_SECONDS = 0.4, LATE = 1.5, LATE_SECONDS = 10;

void wisp_devices_free(size_t count, char **names)
{
  for (size_t i = 0; names && i < count; i++) free(names[i]);
  free(names);
}

/* Until it has said all, or its time is over. */
static wisp_status read_all(wisp_error *err, int pipe_end, wisp_text *out)
{
  char part[256];
  double end = wisp_seconds() + LIST_SECONDS;
  for (;;) {
    struct pollfd wait = {.fd = pipe_end, .events = POLLIN};
    int ready = poll(&wait, 1, (int)(1000 * fmax(end - wisp_seconds(), 0)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) break;
    ssize_t got = read(pipe_end, part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    CALL(wisp_text_add(err, out, part, (size_t)got));
  }
  return WISP_OK;
}

/* A process of its own lists the names, with commas between them, the host only where there is nothing else. */
static wisp_status list_all(wisp_error *err, wisp_text *out)
{
  int ends[2], how = 0;
  CALL(wisp_require(err, pipe(ends) == 0, WISP_ESYSTEM,
                    "device all: cannot make a pipe: %s: raise the limit of open files (ulimit -n)", strerror(errno)));
  pid_t pid = fork();
  if (pid == 0) {
    wisp_text text = {0};
    const bool good = wisp_device_list(NULL, true, &text) == WISP_OK &&
                      write(ends[1], text.data, text.length) == (ssize_t)text.length;
    _exit(good ? 0 : 1);
  }
  close(ends[1]);
  const wisp_status received = read_all(err, ends[0], out);
  close(ends[0]);
  CALL(wisp_require(err, pid > 0, WISP_ESYSTEM,
                    "device all: cannot start a process: %s: raise the limit of processes (ulimit -u)",
                    strerror(errno)));
  how = wisp_process_await(pid, 1);
  CALL(received);
  return wisp_require(err, WIFEXITED(how) && WEXITSTATUS(how) == 0 && out->length, WISP_EDEVICE,
                      "device all: the driver cannot list its devices: name them, as in -d cuda:0,cuda:1");
}

wisp_status wisp_devices_read(wisp_error *err, const char *text, size_t *count, char ***names)
{
  wisp_status status = WISP_OK;
  HELD(wisp_text_free) wisp_text all = {0};
  char **list = NULL;
  size_t capacity = 1, n = 0;
  if (strcmp(text, "all") == 0) {
    TRY(list_all(err, &all));
    text = all.data;
  }
  for (const char *at = text; *at; at++) capacity += *at == ',';
  TRY(wisp_new(err, capacity, sizeof *list, &list));
  for (const char *at = text; n < capacity; n++) {
    size_t length = strcspn(at, ",");
    TRY(wisp_require(err, length > 0, WISP_EUSAGE, "device list '%s' has an empty name: write it as cuda:0,cuda:1",
                     text));
    TRY(wisp_new(err, length + 1, 1, &list[n]));
    memcpy(list[n], at, length);
    TRY(wisp_require(err, strcmp(list[n], "all") != 0, WISP_EUSAGE, "device list '%s': 'all' stands alone", text));
    TRY(wisp_device_known(err, list[n]));
    at += length + (at[length] == ',');
  }
  *count = n;
  *names = list;
  list = NULL;
done:
  wisp_devices_free(capacity, list);
  return status;
}

static bool has_strategy(const wisp_sweep *sweep)
{
  const char *strategy = sweep->request->strategy;
  if (wisp_sweep_compositions_alone(sweep)) return !strategy;
  for (size_t i = 0; i < sweep->strategies->count; i++) {
    const wisp_strategy *s = sweep->strategies->list[i];
    if (strcmp(s->family, sweep->family->name) == 0 && wisp_tune_wants(sweep->request, s->kernel) &&
        (!strategy || strcmp(s->name, strategy) == 0))
      return true;
  }
  return false;
}

/* Each kernel that is named, or whole stages. */
static wisp_status check_kernels(wisp_error *err, const wisp_sweep *sweep)
{
  const bool compositions = wisp_sweep_compositions_alone(sweep) && sweep->family->compositions[0];
  const char *at = sweep->request->kernel;
  char name[WISP_NAME_TEXT];
  for (size_t length; at; at = at[length] ? at + length + 1 : NULL) {
    const wisp_tune_request only = {.kernel = name};
    int kernels = 0;
    length = strcspn(at, ",");
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : 0), at);
    for (int k = 0; sweep->family->kernels[k].name; k++)
      kernels += compositions || (wisp_sweep_wants(sweep, k) && wisp_tune_wants(&only, sweep->family->kernels[k].name));
    if (!kernels) return wisp_family_refuse_kernel(err, sweep->family, *name ? name : at);
  }
  return WISP_OK;
}

/* Everything that could make the sweep end in the middle for a misspelt word. */
static wisp_status check_request(wisp_error *err, const wisp_sweep *sweep)
{
  const wisp_tune_request *r = sweep->request;
  const wisp_family *family = sweep->family;
  wisp_layout layouts[8];
  int kept = 0;
  if (!family) return wisp_family_refuse(err, r->family);
  for (size_t i = 0; i < r->order_count; i++) {
    const wisp_spec spec = wisp_sweep_spec(sweep, r->orders[i], WISP_F64);
    CALL(wisp_family_check(err, &spec));
    CALL(wisp_scope_layouts(err, &spec, r->layout, layouts, &kept));
  }
  CALL(check_kernels(err, sweep));
  return wisp_require(err, has_strategy(sweep), WISP_EUSAGE,
                      "there is no strategy '%s' for %s: 'wisp emit -f %s' lists them", r->strategy ? r->strategy : "",
                      r->kernel ? r->kernel : family->name, family->name);
}

/* Two workers on one device disturb each other: whoever asks for that should know. */
static void warn_of_pairs(const wisp_tune_request *request, size_t count, char *const *names)
{
  for (size_t i = 0; i < count && request->warn; i++)
    for (size_t k = 0; k < i; k++) {
      char text[160];
      if (strcmp(names[i], names[k]) != 0) continue;
      snprintf(
          text, sizeof text,
          WISP_MESSAGE("device %.40s is in the list twice: its workers share it, and their times suffer: name it once"),
          names[i]);
      request->warn(request->context, text);
      return;
    }
}

wisp_status wisp_tune(wisp_error *err, const char *devices, const wisp_tune_request *request, wisp_tune_summary *out)
{
  wisp_status status = WISP_OK;
  OWNED(wisp_strategies_free) wisp_strategies *own = NULL;
  const double start = wisp_seconds();
  wisp_sweep sweep = {.request = request};
  wisp_tune_summary summary = {0};
  char **names = NULL;
  sweep.family = wisp_family_find(request->family);
  sweep.deadline = request->budget_seconds > 0 ? start + request->budget_seconds : INFINITY;
  sweep.by_stage = isfinite(sweep.deadline) && !request->kernel && !request->strategy && !request->defaults_only;
  if (!request->strategies) TRY(wisp_strategies_load(err, &own));
  sweep.strategies = own ? own : request->strategies;
  TRY(check_request(err, &sweep));
  TRY(wisp_devices_read(err, devices, &sweep.workers, &names));
  if (sweep.strategies->warning.length && request->warn)
    request->warn(request->context, sweep.strategies->warning.data);
  warn_of_pairs(request, sweep.workers, names);
  wisp_crew crew = {.request = request,
                    .count = sweep.workers,
                    .devices = names,
                    .body = wisp_sweep_work,
                    .context = &sweep,
                    .deadline = sweep.deadline,
                    .stop = INFINITY,
                    .late = INFINITY};
  if (sweep.by_stage) {
    crew.stop = start + GRACE * request->budget_seconds + GRACE_SECONDS;
    crew.late = start + LATE * request->budget_seconds + LATE_SECONDS;
  }
  TRY(wisp_crew_work(err, &crew, &summary));
  summary.seconds = wisp_seconds() - start;
  *out = summary;
done:
  wisp_devices_free(sweep.workers, names);
  return status;
}
